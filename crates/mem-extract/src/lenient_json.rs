//! JSON as hosts really write it: byte order marks, bad bytes, lone surrogates, raw control characters.
//!
//! Well-formed input takes one pass of UTF-8 validation and one of parsing. Only when the parser refuses it is the
//! text rewritten once (RFC 8259 grammar, with the exceptions listed at [`Lossy`]) and parsed again.

use crate::ExtractError;
use mem_core::JsonObject;
use serde_json::Value;
use serde_json::error::Category;
use std::borrow::Cow;

/// The deepest nesting of arrays and objects that [`parse`] accepts.
pub const MAX_DEPTH: usize = 127;

/// What had to be changed to read a JSON text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Lossy {
    /// A byte order mark was dropped, or the text was UTF-16 with one.
    pub bom: bool,
    /// Bytes that are not UTF-8 became U+FFFD.
    pub invalid_utf8: bool,
    /// Lone surrogate escapes such as `\ud83d` became U+FFFD.
    pub lone_surrogates: bool,
    /// Raw control characters in strings were kept, which JSON forbids.
    pub control_characters: bool,
    /// Backslashes that start no escape were taken as themselves.
    pub bad_escapes: bool,
    /// Numbers beyond 64-bit floats became strings of their digits; `NaN` and `Infinity` became null.
    pub numbers: bool,
}

impl Lossy {
    /// Whether characters were lost, so that the value differs from what the host meant.
    pub fn is_lossy(self) -> bool {
        self.invalid_utf8 || self.lone_surrogates
    }
}

/// A JSON value and what had to be changed to read it.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// The value. Of duplicate keys the last one counts; integers beyond 64 bits are floats.
    pub value: Value,
    /// What was repaired.
    pub lossy: Lossy,
}

impl Parsed {
    /// The value as an object.
    ///
    /// # Errors
    /// [`ExtractError::NotAnObject`] for any other JSON type.
    pub fn into_object(self) -> Result<JsonObject, ExtractError> {
        let got = match self.value {
            Value::Object(object) => return Ok(object),
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "an array",
        };
        Err(ExtractError::NotAnObject { got })
    }
}

/// Reads one JSON value from bytes, repairing what hosts are known to get wrong.
///
/// ```
/// let parsed = mem_extract::lenient_json::parse(b"\xef\xbb\xbf{\"text\":\"\\ud83d!\"}")?;
/// assert_eq!(parsed.value["text"], "\u{fffd}!");
/// assert!(parsed.lossy.bom && parsed.lossy.lone_surrogates);
/// # Ok::<(), mem_extract::ExtractError>(())
/// ```
///
/// # Errors
/// [`ExtractError::Empty`], [`ExtractError::Truncated`], [`ExtractError::TooDeep`] beyond [`MAX_DEPTH`], and
/// [`ExtractError::Syntax`] for what is no JSON even after repair.
pub fn parse(bytes: &[u8]) -> Result<Parsed, ExtractError> {
    let mut lossy = Lossy::default();
    let text = decode(bytes, &mut lossy);
    let text = text.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\0');
    if text.is_empty() {
        return Err(ExtractError::Empty);
    }
    let first = match serde_json::from_str(text) {
        Ok(value) => return Ok(Parsed { value, lossy }),
        Err(error) => error,
    };
    // The parser's limit shows as a syntax error whose text is its only mark.
    if is_too_deep(&first) {
        return Err(ExtractError::TooDeep { limit: MAX_DEPTH });
    }
    let error = match repair(text, &mut lossy) {
        None => first,
        Some(repaired) => match serde_json::from_str(&repaired) {
            Ok(value) => return Ok(Parsed { value, lossy }),
            Err(error) if is_too_deep(&error) => return Err(ExtractError::TooDeep { limit: MAX_DEPTH }),
            Err(error) => error,
        },
    };
    Err(match error.classify() {
        Category::Eof => ExtractError::Truncated { bytes: bytes.len(), source: error },
        _ => ExtractError::Syntax { line: error.line(), column: error.column(), source: error },
    })
}

fn is_too_deep(error: &serde_json::Error) -> bool {
    error.is_syntax() && error.to_string().starts_with("recursion limit exceeded")
}

fn decode<'a>(bytes: &'a [u8], lossy: &mut Lossy) -> Cow<'a, str> {
    if let Some(rest) = bytes.strip_prefix(b"\xff\xfe") {
        lossy.bom = true;
        return Cow::Owned(decode_utf16(rest, u16::from_le_bytes, lossy));
    }
    if let Some(rest) = bytes.strip_prefix(b"\xfe\xff") {
        lossy.bom = true;
        return Cow::Owned(decode_utf16(rest, u16::from_be_bytes, lossy));
    }
    let mut rest = bytes;
    while let Some(next) = rest.strip_prefix(b"\xef\xbb\xbf") {
        lossy.bom = true;
        rest = next;
    }
    let text = String::from_utf8_lossy(rest);
    lossy.invalid_utf8 = matches!(text, Cow::Owned(_));
    text
}

fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16, lossy: &mut Lossy) -> String {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units)
        .map(|c| {
            c.unwrap_or_else(|_| {
                lossy.invalid_utf8 = true;
                char::REPLACEMENT_CHARACTER
            })
        })
        .collect()
}

/// Rewrites what [`Lossy`] names; none when nothing of it occurs.
fn repair(text: &str, lossy: &mut Lossy) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out: Option<String> = None;
    let mut copied = 0;
    let mut at = 0;
    let mut in_string = false;
    // Ends `copied..at` and writes `with` in place of the `len` bytes at `at`; all these bytes are ASCII.
    let mut replace = |copied: &mut usize, at: usize, len: usize, with: &str| {
        let out = out.get_or_insert_with(|| String::with_capacity(text.len() + 64));
        out.push_str(text.get(*copied..at).unwrap_or_default());
        out.push_str(with);
        *copied = at + len;
    };
    while let Some(&byte) = bytes.get(at) {
        if in_string {
            match byte {
                b'"' => {
                    in_string = false;
                    at += 1;
                }
                0..0x20 => {
                    lossy.control_characters = true;
                    replace(&mut copied, at, 1, &format!("\\u{byte:04x}"));
                    at += 1;
                }
                b'\\' => match bytes.get(at + 1) {
                    Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => at += 2,
                    Some(b'u') => match hex4(bytes, at + 2) {
                        Some(0xd800..0xdc00)
                            if bytes.get(at + 6..at + 8) == Some(b"\\u")
                                && matches!(hex4(bytes, at + 8), Some(0xdc00..0xe000)) =>
                        {
                            at += 12;
                        }
                        Some(0xd800..0xe000) => {
                            lossy.lone_surrogates = true;
                            replace(&mut copied, at, 6, "\\ufffd");
                            at += 6;
                        }
                        Some(_) => at += 6,
                        None => {
                            lossy.bad_escapes = true;
                            replace(&mut copied, at, 1, "\\\\");
                            at += 1;
                        }
                    },
                    Some(_) => {
                        lossy.bad_escapes = true;
                        replace(&mut copied, at, 1, "\\\\");
                        at += 1;
                    }
                    None => at += 1,
                },
                _ => at += 1,
            }
            continue;
        }
        match byte {
            b'"' => {
                in_string = true;
                at += 1;
            }
            b'-' | b'0'..=b'9' | b'N' | b'I' => {
                let len = bytes[at..]
                    .iter()
                    .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
                    .count();
                let word = text.get(at..at + len).unwrap_or_default();
                if matches!(word, "NaN" | "Infinity" | "-Infinity" | "-NaN") {
                    lossy.numbers = true;
                    replace(&mut copied, at, len, "null");
                } else if word.parse::<f64>().is_ok_and(f64::is_infinite) {
                    lossy.numbers = true;
                    replace(&mut copied, at, len, &format!("\"{word}\""));
                }
                at += len.max(1);
            }
            _ => at += 1,
        }
    }
    let mut out = out?;
    out.push_str(text.get(copied..).unwrap_or_default());
    Some(out)
}

fn hex4(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 4)?;
    let mut value = 0;
    for &digit in digits {
        value = value * 16 + char::from(digit).to_digit(16)?;
    }
    u16::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn ok(bytes: &[u8]) -> Parsed {
        parse(bytes).unwrap()
    }

    #[test]
    fn well_formed_input_is_untouched() {
        let parsed = ok("{\"a\":[1,\"漢字 😀 \\ud83d\\ude00\"]}\r\n".as_bytes());
        assert_eq!(parsed.value, json!({"a": [1, "漢字 😀 😀"]}));
        assert_eq!(parsed.lossy, Lossy::default());
    }

    #[test]
    fn marks_bad_bytes_and_utf16_are_read() {
        assert!(ok(b"\xef\xbb\xbf{}").lossy.bom);
        let parsed = ok(b"{\"a\":\"x\xb0\xa1y\"}");
        assert_eq!(parsed.value["a"], "x\u{fffd}\u{fffd}y");
        assert!(parsed.lossy.invalid_utf8 && parsed.lossy.is_lossy());
        let mut wide = vec![0xff, 0xfe];
        wide.extend("{\"a\":\"가\"}".encode_utf16().flat_map(u16::to_le_bytes));
        assert_eq!(ok(&wide).value["a"], "가");
    }

    #[test]
    fn lone_surrogates_become_replacement_characters() {
        for (text, want) in [
            (r#"{"a":"\ud83d"}"#, "\u{fffd}"),
            (r#"{"a":"\ude00x"}"#, "\u{fffd}x"),
            (r#"{"a":"\uD83D\uD83D\uDE00"}"#, "\u{fffd}😀"),
            (r#"{"a":"\ud83d\u0041"}"#, "\u{fffd}A"),
            (r#"{"a":"\\ud83d \ud83d"}"#, "\\ud83d \u{fffd}"),
        ] {
            let parsed = ok(text.as_bytes());
            assert_eq!(parsed.value["a"], want, "{text}");
            assert!(parsed.lossy.lone_surrogates);
        }
    }

    #[test]
    fn control_characters_escapes_and_numbers_are_repaired() {
        assert_eq!(ok(b"{\"a\":\"x\x00\x1b\n\ty\"}").value["a"], "x\0\u{1b}\n\ty");
        assert_eq!(ok(br#"{"p":"D:\Work\q"}"#).value["p"], "D:\\Work\\q");
        assert_eq!(ok(br#"{"p":"\uzz"}"#).value["p"], "\\uzz");
        let parsed =
            ok(br#"{"a":1e999,"b":-1e999,"c":NaN,"d":1234567890123456789012345678901234567890,"s":"1e999"}"#);
        assert_eq!(parsed.value["a"], "1e999");
        assert_eq!(parsed.value["b"], "-1e999");
        assert_eq!(parsed.value["c"], Value::Null);
        assert!(parsed.value["d"].as_f64().unwrap() > 1e39);
        assert_eq!(parsed.value["s"], "1e999");
        assert_eq!(ok(br#"{"a":1,"b":2,"a":3}"#).value, json!({"a": 3, "b": 2}));
    }

    #[test]
    fn failures_have_a_type() {
        for empty in [&b""[..], b"\xef\xbb\xbf", b" \r\n", b"\0\0"] {
            assert!(matches!(parse(empty), Err(ExtractError::Empty)), "{empty:?}");
        }
        for cut in [&br#"{"a":"b"#[..], br#"{"a":"\ud8"#, br#"{"a":["#, b"[1,", br#"{"a":"b\"#] {
            assert!(matches!(parse(cut), Err(ExtractError::Truncated { .. })), "{cut:?} {:?}", parse(cut));
        }
        assert!(matches!(parse(b"hello"), Err(ExtractError::Syntax { line: 1, .. })));
        let fits = format!("{}{}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH));
        assert!(parse(fits.as_bytes()).is_ok());
        let deep = format!("[{fits}]");
        assert!(matches!(parse(deep.as_bytes()), Err(ExtractError::TooDeep { .. })));
        assert!(matches!(parse("[".repeat(1 << 20).as_bytes()), Err(ExtractError::TooDeep { .. })));
        assert!(matches!(ok(b"[]").into_object(), Err(ExtractError::NotAnObject { got: "an array" })));
    }

    #[test]
    fn lines_of_many_megabytes_are_read() {
        let line = format!("{{\"a\":\"{}\\ud83d\"}}", "가".repeat(1_500_000));
        assert_eq!(ok(line.as_bytes()).value["a"].as_str().unwrap().chars().count(), 1_500_001);
    }

    proptest! {
        #[test]
        fn any_bytes_give_a_value_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&bytes);
        }

        #[test]
        fn what_serde_accepts_is_the_same_here(text in "[\\[\\]{}:,\"a0-9 \\\\ue.+-]{0,40}") {
            if let Ok(value) = serde_json::from_str::<Value>(&text) {
                prop_assert_eq!(parse(text.as_bytes()).unwrap(), Parsed { value, lossy: Lossy::default() });
            }
        }
    }
}
