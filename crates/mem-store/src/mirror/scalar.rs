//! Scalars of a front matter: taking quotes off and putting them on, lists on one line.

use serde_json::Value;

/// Takes quotes off, if there are any. What is wrongly quoted stays as it is.
pub(super) fn unquote(raw: &str) -> String {
    let raw = raw.trim();
    let inner = |quote: char| raw.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    if let Some(inner) = inner('"') {
        return unescape(inner);
    }
    match inner('\'') {
        Some(inner) => inner.replace("''", "'"),
        None => raw.to_owned(),
    }
}

pub(super) fn is_quoted(raw: &str) -> bool {
    let raw = raw.trim();
    ['"', '\''].iter().any(|quote| raw.len() > 1 && raw.starts_with(*quote) && raw.ends_with(*quote))
}

/// The escapes of YAML's double quotes; an unknown one stands for itself.
fn unescape(inner: &str) -> String {
    if !inner.contains('\\') {
        return inner.to_owned();
    }
    let mut text = String::with_capacity(inner.len());
    let mut rest = inner.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            text.push(c);
            continue;
        }
        let digits = match rest.next() {
            Some('n') => {
                text.push('\n');
                0
            }
            Some('t') => {
                text.push('\t');
                0
            }
            Some('r') => {
                text.push('\r');
                0
            }
            Some('0') => {
                text.push('\0');
                0
            }
            Some(same @ ('"' | '\\' | '/')) => {
                text.push(same);
                0
            }
            Some('x') => 2,
            Some('u') => 4,
            Some('U') => 8,
            Some(other) => {
                text.extend(['\\', other]);
                0
            }
            None => {
                text.push('\\');
                0
            }
        };
        if digits > 0 {
            let code: String = rest.clone().take(digits).collect();
            let char = (code.len() == digits).then(|| u32::from_str_radix(&code, 16).ok()).flatten();
            match char.and_then(char::from_u32) {
                Some(char) => {
                    text.push(char);
                    rest.nth(digits - 1);
                }
                None => text.extend([
                    '\\',
                    if digits == 2 {
                        'x'
                    } else if digits == 4 {
                        'u'
                    } else {
                        'U'
                    },
                ]),
            }
        }
    }
    text
}

/// Always in double quotes.
pub(super) fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                quoted.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// In double quotes when a reader of YAML would take the plain text for something else.
pub(super) fn encode(text: &str) -> String {
    let special = |c: char| "-?:,[]{}#&*!|>'\"%@`".contains(c);
    let word = text.to_ascii_lowercase();
    let other = ["true", "false", "null", "yes", "no", "on", "off", "y", "n", "~", ".nan", ".inf"];
    let plain = text.trim() == text
        && !text.is_empty()
        && !text.starts_with(special)
        && !text.starts_with(|c: char| c.is_ascii_digit() || c == '.' || c == '+')
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.ends_with(':')
        && !text.chars().any(|c| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}'))
        && !other.contains(&word.as_str());
    if plain { text.to_owned() } else { quote(text) }
}

/// A list on one line.
pub(super) fn encode_list<S: AsRef<str>>(items: &[S]) -> String {
    let items: Vec<_> = items
        .iter()
        .map(|item| {
            let item = item.as_ref();
            if item.contains([',', '[', ']', '{', '}']) { quote(item) } else { encode(item) }
        })
        .collect();
    format!("[{}]", items.join(", "))
}

/// The items of a list on one line; none when it is no list.
pub(super) fn decode_list(raw: &str) -> Option<Vec<String>> {
    let inner = raw.trim().strip_prefix('[')?.strip_suffix(']')?;
    let mut items = Vec::new();
    let mut item = String::new();
    let mut quote = None;
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None, ',') => items.push(std::mem::take(&mut item)),
            (None, '"' | '\'') if item.trim().is_empty() => {
                quote = Some(c);
                item.push(c);
            }
            (Some('"'), '\\') => {
                item.push(c);
                item.extend(chars.next());
            }
            (Some(open), c) => {
                if c == open {
                    quote = None;
                }
                item.push(c);
            }
            (None, c) => item.push(c),
        }
    }
    items.push(item);
    if items.len() == 1 && items.iter().all(|item| item.trim().is_empty()) {
        return Some(Vec::new());
    }
    Some(items.iter().map(|item| unquote(item)).collect())
}

/// A plain scalar as JSON, when writing that JSON again gives the same characters; else a string.
pub(super) fn to_json(raw: &str) -> Value {
    let raw = raw.trim();
    if is_quoted(raw) {
        return Value::String(unquote(raw));
    }
    match serde_json::from_str::<Value>(raw) {
        Ok(value) if is_written_as(&value, raw) => value,
        _ => match decode_list(raw) {
            Some(items) => Value::Array(items.into_iter().map(Value::String).collect()),
            None => Value::String(raw.to_owned()),
        },
    }
}

fn is_written_as(value: &Value, raw: &str) -> bool {
    let written = value.to_string();
    written == raw
}

/// The inverse of [`to_json`].
pub(super) fn from_json(value: &Value) -> String {
    match value {
        Value::String(text) => encode(text),
        Value::Array(items) if !items.is_empty() && items.iter().all(Value::is_string) => {
            encode_list(&items.iter().filter_map(Value::as_str).collect::<Vec<_>>())
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quotes_of_every_sort_come_off() {
        let cases = [
            (r#""a \"b\" c""#, r#"a "b" c"#),
            (r#""say "hi"; x=1""#, r#"say "hi"; x=1"#),
            ("'it''s'", "it's"),
            (r#""\u6539\x41\q""#, "改A\\q"),
            (r#""\ud83d""#, r"\ud83d"),
            ("\"open", "\"open"),
            ("plain: text", "plain: text"),
            ("\"", "\""),
        ];
        for (raw, text) in cases {
            assert_eq!(unquote(raw), text);
        }
    }

    #[test]
    fn only_what_needs_quotes_gets_them() {
        for plain in ["改动", "a-b", "it's", "x:y", "http://x", "a \"b\""] {
            assert_eq!(encode(plain), plain);
        }
        for quoted in
            ["", " a", "a: b", "a #b", "- a", "yes", "12", "[a]", "a\nb", "null", "x:", "@a", "2026-01-01"]
        {
            assert!(encode(quoted).starts_with('"'), "{quoted:?}");
        }
    }

    #[test]
    fn lists_on_one_line() {
        assert_eq!(decode_list("[a, \"b, c\", 'd']").unwrap(), ["a", "b, c", "d"]);
        assert_eq!(decode_list("[ ]").unwrap(), Vec::<String>::new());
        assert_eq!(decode_list("a, b"), None);
        assert_eq!(to_json("42"), Value::from(42));
        assert_eq!(to_json("1.10"), Value::from("1.10"));
        assert_eq!(to_json("\"42\""), Value::from("42"));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_encoded_decodes(texts in proptest::collection::vec(".*", 0..4)) {
            for text in &texts {
                prop_assert_eq!(&unquote(&encode(text)), text);
                prop_assert_eq!(&unquote(&quote(text)), text);
                prop_assert_eq!(to_json(&from_json(&Value::from(text.as_str()))), Value::from(text.as_str()));
            }
            if texts != [""] {
                prop_assert_eq!(&decode_list(&encode_list(&texts)).unwrap(), &texts);
            }
        }
    }
}
