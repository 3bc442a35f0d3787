//! Private keys: whole blocks, and lines of one that lost its beginning.

use super::bytes::{ALNUM, B64, BLANK, DASH, DIGIT, UPPER, WHITE, has, is, is_at, run};
use super::tokens::mixed;

/// The end of a private key block that begins at `at`, and where the next `-----END` is known to be.
///
/// `ends` is where the last search for an end stopped, so that many beginnings without end stay linear.
pub(super) fn key_block(text: &[u8], at: usize, ends: &mut Option<usize>) -> Option<usize> {
    let dashes = run(text, at, DASH, 8);
    let mut name = dashes;
    name = run(text, name, BLANK, 2);
    if dashes - at < 4 || !has(text, name, b"BEGIN ") {
        return None;
    }
    let head_end = memchr::memmem::find(text.get(name..(name + 80).min(text.len()))?, b"----")? + name;
    let head = &text[name..head_end];
    if memchr::memmem::find(head, b"PRIVATE KEY").is_none()
        && memchr::memmem::find(head, b"Static key").is_none()
    {
        return None;
    }
    let body = run(text, head_end, DASH, 8);
    let known = match *ends {
        Some(end) if end >= body => Some(end),
        _ => {
            let found = memchr::memmem::find(&text[body..], b"---- END ")
                .into_iter()
                .chain(memchr::memmem::find(&text[body..], b"-----END "))
                .min()
                .map(|n| n + body);
            *ends = Some(found.unwrap_or(usize::MAX));
            found
        }
    };
    let (material, stretch) = base64_lines(text, body);
    if stretch < 16 {
        return None;
    }
    match known {
        Some(end) if end >= body && end <= material.saturating_add(160) => {
            let label = run(text, end, DASH, 8);
            let label = run(text, label, UPPER | BLANK | DIGIT, 60);
            Some(run(text, label, DASH, 8))
        }
        _ => Some(material),
    }
}

/// Behind a line's number as tools print it: `12→`, `12:`, `12` and a tab.
fn line_number(text: &[u8], at: usize) -> Option<usize> {
    let end = run(text, at, DIGIT, 6);
    match text.get(end) {
        _ if end == at => None,
        Some(b'\t' | b':' | b'|') => Some(end + 1),
        Some(0xe2) if has(text, end, "→".as_bytes()) => Some(end + 3),
        Some(b'\\') if text.get(end + 1) == Some(&b't') => Some(end + 2),
        _ => None,
    }
}

/// Where base 64 in lines (also with escaped line ends, quotes, `+` of diffs and headers) ends, and its longest word.
fn base64_lines(text: &[u8], from: usize) -> (usize, usize) {
    let mut at = from;
    let mut end = from;
    let mut longest = 0;
    loop {
        // What stands between two words of base 64.
        loop {
            match text.get(at) {
                Some(b'\\') if matches!(text.get(at + 1), Some(b'n' | b'r' | b't')) => at += 2,
                Some(&b) if is(b, DIGIT) && line_number(text, at).is_some() => {
                    at = line_number(text, at).unwrap_or(at + 1);
                }
                Some(&b)
                    if is(b, WHITE)
                        || matches!(b, b'\\' | b'"' | b'\'' | b',' | b'>' | b'|' | b'#' | b'*') =>
                {
                    at += 1
                }
                _ => break,
            }
        }
        let word = run(text, at, ALNUM | B64, usize::MAX);
        let len = word - at;
        if len == 0 {
            return (end, longest);
        }
        // A header such as `Proc-Type: 4,ENCRYPTED` goes to the end of its line.
        if matches!(text.get(word), Some(b':' | b'-')) && longest < 16 {
            let line = &text[word..(word + 200).min(text.len())];
            let stop = line.iter().position(|&b| b == b'\n' || b == b'\\').unwrap_or(line.len());
            at = word + stop.max(1);
            continue;
        }
        // Prose after a key that was cut ends it.
        if longest >= 16 && len < 16 && !text[at..word].contains(&b'=') && is_at(text, word, BLANK) {
            return (end, longest);
        }
        if longest < 16 && len < 16 {
            return (end, longest);
        }
        longest = longest.max(len);
        at = word;
        end = word;
    }
}

/// Lines of base 64 as private keys have them, without the line that begins the block; gives where they end, and
/// whether they are a key.
///
/// Three lines of 64 or 70 characters tell a key, or fewer when the line that ends the block follows. Certificates and
/// public keys are told by theirs.
pub(super) fn key_lines(text: &[u8], at: usize) -> Option<(usize, bool)> {
    let first = run(text, at, ALNUM | B64, 77);
    let width = first - at;
    let line_ends = matches!(text.get(first), None | Some(b'\n' | b'\r' | b'\\'));
    let line = &text[at..first];
    if !matches!(width, 64 | 70 | 76) || !line_ends || !mixed(line) || !line.iter().any(|&b| is(b, DIGIT)) {
        return None;
    }
    let (end, _) = base64_lines(text, at);
    let after = run(text, end, WHITE, 4);
    let after = if text.get(after) == Some(&b'\\') { after + 2 } else { after };
    let after = line_number(text, after).unwrap_or(after);
    if has(text, after, b"----") {
        let tail = &text[after..text.len().min(after + 64)];
        return Some((end, memchr::memmem::find(tail, b"PRIVATE KEY").is_some()));
    }
    // Without an end: as long as three lines at least.
    Some((end, width != 76 && end - at >= 3 * width))
}

/// The end of the private lines of a PuTTY key, after the word `Private-Lines`.
pub(super) fn putty_block(text: &[u8], at: usize) -> Option<usize> {
    if text.get(at) != Some(&b':') {
        return None;
    }
    let digits = run(text, at + 1, BLANK | DIGIT, 12);
    let (end, longest) = base64_lines(text, digits);
    (longest >= 16).then_some(end)
}
