//! Cutting, digesting and measuring values.

use crate::redact::{Redactor, SecretCounts};
use mem_core::JsonObject;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The first `max` characters.
pub(super) fn head(text: &str, max: usize) -> &str {
    if text.len() <= max {
        return text;
    }
    match text.char_indices().nth(max) {
        Some((at, _)) => text.get(..at).unwrap_or(text),
        None => text,
    }
}

pub(super) fn longer_than(text: &str, max: usize) -> bool {
    text.len() > max && text.char_indices().nth(max).is_some()
}

/// `{"sha256", "bytes", "head"}` of a string as it came; the head is redacted.
pub(super) fn digest(text: &str, redactor: &Redactor, head_chars: usize, counts: &mut SecretCounts) -> Value {
    let mut object = JsonObject::new();
    let hash = Sha256::digest(text.as_bytes());
    let mut hex = String::with_capacity(64);
    for byte in hash {
        for nibble in [byte >> 4, byte & 15] {
            hex.push(char::from_digit(u32::from(nibble), 16).unwrap_or('0'));
        }
    }
    object.insert("sha256".to_owned(), hex.into());
    object.insert("bytes".to_owned(), text.len().into());
    if head_chars > 0 && !is_binary(text) {
        object.insert("head".to_owned(), redacted_head(text, redactor, head_chars, counts).into());
    }
    Value::Object(object)
}

/// A redacted beginning: redaction sees more than is kept, so that a secret on the cut is known as one.
pub(super) fn redacted_head(
    text: &str,
    redactor: &Redactor,
    max: usize,
    counts: &mut SecretCounts,
) -> String {
    let seen = head(text, max.saturating_mul(4).saturating_add(4_096));
    let clean = redactor.redact(seen);
    counts.merge(&clean.counts);
    if clean.counts.is_empty() {
        return head(text, max).to_owned();
    }
    let cut = head(&clean.text, max);
    // A marker on the cut is kept whole or not at all.
    let cut = match cut.rfind('[') {
        Some(at)
            if cut.len() < clean.text.len()
                && cut.get(at..).is_some_and(|tail| !tail.contains(']'))
                && clean
                    .text
                    .get(at..)
                    .is_some_and(|rest| rest.starts_with("[REDACTED:") || rest.starts_with("[PRIVATE]")) =>
        {
            cut.get(..at).unwrap_or(cut)
        }
        _ => cut,
    };
    cut.to_owned()
}

/// Data URLs, and long words of base 64 such as images.
pub(super) fn is_binary(text: &str) -> bool {
    if text.starts_with("data:") {
        return true;
    }
    let start = text.as_bytes().get(..400).unwrap_or(text.as_bytes());
    start.len() >= 256
        && start.iter().all(|b| {
            b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'-' | b'_' | b'\n' | b'\r')
        })
}

/// Size in bytes of JSON, without writing it. Numbers count as they print.
pub(super) fn json_len(value: &Value) -> usize {
    match value {
        Value::Null => 4,
        Value::Bool(yes) => 5 - usize::from(*yes),
        Value::Number(number) => number.to_string().len(),
        Value::String(text) => string_len(text),
        Value::Array(items) => 2 + items.len().saturating_sub(1) + items.iter().map(json_len).sum::<usize>(),
        Value::Object(map) => object_len(map),
    }
}

/// [`json_len`] of an object.
pub(super) fn object_len(map: &JsonObject) -> usize {
    2 + map.len().saturating_sub(1) + map.iter().map(|(k, v)| string_len(k) + 1 + json_len(v)).sum::<usize>()
}

fn string_len(text: &str) -> usize {
    let extra: usize = text
        .bytes()
        .map(|b| match b {
            b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 8 | 12 => 1,
            0..0x20 => 5,
            _ => 0,
        })
        .sum();
    text.len() + extra + 2
}
