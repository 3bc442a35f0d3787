//! Transcripts of past sessions as the hook payloads that live hooks would have got.
//!
//! Claude Code calls its transcript format internal, so nothing here is taken for granted: lines that do not parse,
//! records of unknown type and odd shapes are counted and passed over. Every item carries a key by which a
//! caller that keeps the keys it has seen imports a record once, from whatever copy of the file.
//!
//! ```
//! use mem_extract::transcript::{TranscriptConfig, read_transcript_from};
//!
//! let line = r#"{"type":"user","uuid":"u1","sessionId":"s","message":{"role":"user","content":"hello"}}"#;
//! let read = read_transcript_from(line.as_bytes(), &TranscriptConfig::default())?;
//! let events: Vec<&str> = read.items.iter().map(|item| item.event()).collect();
//! assert_eq!(events, ["SessionStart", "UserPromptSubmit", "SessionEnd"]);
//! # Ok::<(), std::io::Error>(())
//! ```

mod find;
mod lines;
mod prompt;
mod reader;
mod record;

#[cfg(test)]
mod tests;

pub use find::{FileClass, classify_transcript, find_transcripts};
pub use prompt::clean_prompt;
pub use reader::{read_transcript, read_transcript_from};

use mem_core::{JsonObject, SessionId, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How transcripts are read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TranscriptConfig {
    /// Longest line, in bytes, that is parsed; longer ones are counted as skipped.
    pub max_line_bytes: usize,
    /// Strings of base 64 (images, documents) longer than this, in bytes, are taken out.
    pub max_base64_bytes: usize,
    /// Names of the elements whose content `mem` injected itself, such as `mem-context`.
    pub own_markers: Vec<String>,
    /// Beginnings of prompts that mark a session as one of `mem`'s own model calls.
    pub own_prompts: Vec<String>,
}

impl Default for TranscriptConfig {
    fn default() -> Self {
        Self {
            max_line_bytes: 32 * 1024 * 1024,
            max_base64_bytes: 256,
            own_markers: vec!["mem-context".to_owned()],
            own_prompts: vec!["<mem-".to_owned()],
        }
    }
}

/// One event of a past session.
#[derive(Debug, Clone, PartialEq)]
pub struct TranscriptItem {
    /// Its idempotency key: the record's uuid, with `#` and a part where one record gives several items; the hash of the line where
    /// there is no uuid.
    pub key: String,
    /// The conversation.
    pub session: SessionId,
    /// When it happened; of a record without a time, that of the record before it. None before any time is known.
    pub at: Option<Timestamp>,
    /// False for sessions without a person: `claude -p`, an SDK, `mem`'s own calls.
    pub interactive: bool,
    /// The payload of the hook: `hook_event_name`, `session_id`, `cwd`, and what the event carries.
    ///
    /// `SessionStart`, `UserPromptSubmit`, `PreToolUse` (only for calls that never came to an end), `PostToolUse`,
    /// `PostToolUseFailure`, `Stop`, `SessionEnd`; with `transcript_path` where the path is known, and `timestamp`.
    pub payload: JsonObject,
}

impl TranscriptItem {
    /// The name of the hook event.
    pub fn event(&self) -> &str {
        self.payload.get("hook_event_name").and_then(serde_json::Value::as_str).unwrap_or_default()
    }
}

/// What is known of one session of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscriptSession {
    /// Its id.
    pub id: SessionId,
    /// The earliest time in the file.
    pub first: Option<Timestamp>,
    /// The latest.
    pub last: Option<Timestamp>,
    /// Directories it worked in, in order of appearance.
    pub cwds: Vec<String>,
    /// Git branches it named, in order of appearance, without `HEAD` and empty names.
    pub branches: Vec<String>,
    /// Versions of the host that wrote it.
    pub versions: Vec<String>,
    /// Its title: given by the user, else by the model, else the summary.
    pub title: Option<String>,
    /// False for sessions without a person.
    pub interactive: bool,
    /// Real prompts in the file.
    pub prompts: u64,
    /// Tool calls that came to an end.
    pub tool_calls: u64,
}

/// What a file held, line by line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TranscriptSummary {
    /// Lines, a torn last one included.
    pub lines: u64,
    /// Bytes up to the end of the last whole record: where an incremental reader may go on.
    pub consumed: u64,
    /// Lines that gave no record, by reason: `blank`, `too_long`, `not_json`, `not_an_object`, `torn_tail`.
    pub skipped_lines: BTreeMap<String, u64>,
    /// Records by their `type`; `(none)` for those without.
    pub records: BTreeMap<String, u64>,
    /// Records, or parts of records, left out on purpose, by reason: `sidechain`, `meta`, `compact_summary`, `injected`,
    /// `api_error`, `duplicate`, `wrapper`, `rejected`, `interrupted`, `orphan_result`, `no_session`, `unknown_type`, `odd_shape`.
    pub dropped: BTreeMap<String, u64>,
    /// Lines from which more than one object, or an object behind damage, was read.
    pub glued_lines: u64,
    /// Records that could only be read with loss, such as lone surrogates.
    pub repaired: u64,
}

impl TranscriptSummary {
    fn skip(&mut self, reason: &str) {
        *self.skipped_lines.entry(reason.to_owned()).or_default() += 1;
    }

    fn drop(&mut self, reason: &str) {
        *self.dropped.entry(reason.to_owned()).or_default() += 1;
    }
}

/// A whole file, read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Transcript {
    /// Its events, in the order of the file; a call stands where its result does.
    pub items: Vec<TranscriptItem>,
    /// Its sessions, in order of appearance.
    pub sessions: Vec<TranscriptSession>,
    /// What was read and what was not.
    pub summary: TranscriptSummary,
}
