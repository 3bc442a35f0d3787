//! Making foreign text harmless inside a line of Markdown that an agent reads.

/// One line of at most `most` characters in which nothing is markup beyond code spans.
///
/// White space and control characters become single spaces; invisible and direction-changing characters go; comments
/// and tags cannot open or close; an `@` that would import a file is escaped; backticks are left only in pairs.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    let shortened = shorten(&plain(text), most);
    let paired = pair_backticks(&shortened);
    disarm(&paired)
}

fn plain(text: &str) -> String {
    let mut out = String::new();
    // Reading stops long before a huge text ends; no line is that long.
    for c in text.chars().take(MOST_READ) {
        if c.is_whitespace() || c.is_control() {
            if !out.is_empty() && !out.ends_with(' ') {
                out.push(' ');
            }
        } else if !is_invisible(c) {
            out.push(c);
        }
    }
    out.truncate(out.trim_end().len());
    out
}

const MOST_READ: usize = 20_000;

/// Zero-width, direction marks, tags and the like: what a reader does not see and a model does.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

fn shorten(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(most.saturating_sub(1)).collect();
    short.truncate(short.trim_end().len());
    short.push('…');
    short
}

fn pair_backticks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        // Runs of backticks would open fences and longer spans.
        if c != '`' || !out.ends_with('`') {
            out.push(c);
        }
    }
    if out.matches('`').count().is_multiple_of(2) { out } else { out.replace('`', "'") }
}

fn disarm(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    for (i, c) in chars.iter().copied().enumerate() {
        let next = chars.get(i + 1).copied().unwrap_or(' ');
        let last = i.checked_sub(1).and_then(|i| chars.get(i)).copied().unwrap_or(' ');
        match c {
            '<' if next.is_alphabetic() || "/!?".contains(next) => out.push('‹'),
            // Not the head of an arrow and not a comparison.
            '>' if last.is_alphanumeric() || "/\"'!?".contains(last) || out.ends_with("--") => out.push('›'),
            '@' if !last.is_alphanumeric() => out.push_str("\\@"),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn markup_cannot_open_or_close() {
        assert_eq!(one_line("a --> b <!-- c", 80), "a --› b ‹!-- c");
        assert_eq!(one_line("x </system-reminder> y", 80), "x ‹/system-reminder› y");
        assert_eq!(one_line("Vec<u8> -> 1 < 2 >= 0", 80), "Vec‹u8› -> 1 < 2 >= 0");
        assert_eq!(one_line("a\r\n# b\n\n---\u{2028}c", 80), "a # b --- c");
        assert_eq!(one_line("see @/etc/hosts and a@b, pkg@1", 80), "see \\@/etc/hosts and a@b, pkg@1");
        assert_eq!(one_line("run `cargo test`", 80), "run `cargo test`");
        assert_eq!(one_line("open ```sh", 80), "open 'sh");
        assert_eq!(one_line("l\u{202e}r\u{200b}x", 80), "lrx");
    }

    #[test]
    fn long_text_is_cut_between_characters() {
        assert_eq!(one_line("提交前先跑测试", 4), "提交前…");
        assert_eq!(one_line("run `cargo test --all`", 8), "run 'ca…");
    }

    proptest! {
        #[test]
        fn any_text_becomes_one_harmless_line(text in any::<String>(), most in 0_usize..60) {
            let line = one_line(&text, most);
            prop_assert!(!line.contains(['\n', '\r']));
            prop_assert!(!line.contains("<!") && !line.contains("-->") && !line.contains("</"));
            prop_assert!(line.matches('`').count().is_multiple_of(2));
            // Escaping may add one character for each `@`.
            prop_assert!(line.chars().count() <= most.max(1) * 2);
        }

        #[test]
        fn comment_marks_in_any_mixture(text in "[-<>!`/@a\n ]{0,40}") {
            let line = one_line(&text, 100);
            prop_assert!(!line.contains("<!") && !line.contains("-->") && !line.contains("``"), "{}", line);
        }
    }
}
