//! One record of a transcript, read without trust in its shape.

use super::TranscriptConfig;
use super::prompt::cut_element;
use mem_core::{JsonObject, Timestamp};
use serde_json::Value;

pub(super) fn text<'a>(object: &'a JsonObject, key: &str) -> Option<&'a str> {
    object.get(key)?.as_str().filter(|t| !t.is_empty())
}

pub(super) fn flag(object: &JsonObject, key: &str) -> bool {
    object.get(key).and_then(Value::as_bool) == Some(true)
}

pub(super) fn time(object: &JsonObject) -> Option<Timestamp> {
    text(object, "timestamp")?.parse().ok()
}

/// The blocks of a message: a string is one text block.
pub(super) fn blocks(message: Option<&Value>) -> Vec<Value> {
    let as_text = |text: &str| serde_json::json!({"type": "text", "text": text});
    match message {
        Some(Value::String(text)) => vec![as_text(text)],
        Some(Value::Object(object)) => match object.get("content") {
            Some(Value::String(text)) => vec![as_text(text)],
            Some(Value::Array(blocks)) => blocks
                .iter()
                .map(|block| match block {
                    Value::String(text) => as_text(text),
                    other => other.clone(),
                })
                .collect(),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// The texts of content that is a string or an array of blocks, a line each.
pub(super) fn content_text(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => blocks
            .iter()
            .filter_map(|b| b.as_str().or_else(|| b.get("text")?.as_str()))
            .collect::<Vec<_>>()
            .join("\n"),
        _ => String::new(),
    }
}

/// Takes out of a value, in place, images, whole originals of edited files, and what `mem` injected itself.
pub(super) fn strip(value: &mut Value, config: &TranscriptConfig) {
    match value {
        Value::String(text) => {
            for marker in &config.own_markers {
                if text.contains(marker.as_str()) {
                    *text = cut_element(text, marker);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| strip(item, config)),
        Value::Object(object) => {
            for (key, inner) in object.iter_mut() {
                match (key.as_str(), &*inner) {
                    ("originalFile", Value::String(_)) => *inner = Value::Null,
                    ("data" | "base64", Value::String(text))
                        if text.len() > config.max_base64_bytes && base64(text) =>
                    {
                        *inner = Value::String(String::new());
                    }
                    _ => strip(inner, config),
                }
            }
        }
        _ => {}
    }
}

fn base64(text: &str) -> bool {
    text.bytes()
        .take(512)
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'-' | b'_' | b'\r' | b'\n'))
}

/// What the host writes when the user refuses a call; what follows the second are the user's words.
const REFUSED: &[&str] = &[
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
    "[Request interrupted by user for tool use]",
];
const SAID: &str = "the user said:";

/// Whether a result says that the user refused the call, and with which words.
pub(super) fn refusal(content: &str) -> Option<Option<String>> {
    REFUSED.iter().any(|r| content.starts_with(r)).then(|| {
        let said = content.split_once(SAID).map(|(_, said)| said.trim()).filter(|said| !said.is_empty())?;
        // A note of the host's may stand after them.
        let end = said.find("\n\nNote: The user's next message").unwrap_or(said.len());
        said.get(..end).map(|said| said.trim().to_owned())
    })
}
