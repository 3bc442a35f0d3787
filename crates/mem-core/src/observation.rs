use crate::{JsonObject, ProjectId, SessionId, Timestamp};
use serde::{Deserialize, Serialize};

/// The moment of a session at which an observation was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Phase {
    /// Before a tool ran.
    Pre,
    /// After a tool ran and succeeded.
    Post,
    /// After a tool ran and failed.
    Failure,
    /// The user said something.
    Prompt,
    /// The agent finished its turn (`tool` is empty) or a subagent did.
    Stop,
    /// A session began, resumed or went on after compaction.
    Start,
    /// A session ended.
    End,
    /// The context is about to be, or was, compacted.
    Compact,
    /// A moment a later version knows; kept, never interpreted.
    #[serde(other)]
    Unknown,
}

/// One hook event, as one line of the journal: raw material for learning, never injected.
///
/// Already redacted: an `Observation` that exists may be written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// The conversation it belongs to.
    pub session_id: SessionId,
    /// When it was received.
    pub ts: Timestamp,
    /// The moment within the session.
    pub phase: Phase,
    /// The tool's name as the host spells it; none for prompts, stops and bounds.
    #[serde(default)]
    pub tool: Option<String>,
    /// The tool's input; for a prompt `{"prompt": …}`, for a stop `{"last_assistant_message": …}`. Long strings are digests.
    #[serde(default)]
    pub input: JsonObject,
    /// The description the agent gave to a shell command.
    #[serde(default)]
    pub bash_desc: Option<String>,
    /// The directory at that moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The project that directory belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectId>,
    /// Whether the tool succeeded, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ok: Option<bool>,
    /// The first lines of an error, shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Size of the tool's response in bytes of JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_bytes: Option<u64>,
    /// The host's id of the call; pairs `pre` with `post`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    /// The subagent it happened in; none on the main thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// How many secrets of which kind were taken out, such as `{"aws_access_key": 1}`.
    #[serde(default, skip_serializing_if = "JsonObject::is_empty")]
    pub redacted: JsonObject,
    /// Fields of the host this version has no name for, and what a later version wrote.
    #[serde(default, skip_serializing_if = "JsonObject::is_empty")]
    pub extra: JsonObject,
}

impl Observation {
    /// An observation with nothing but its place.
    pub fn new(session_id: SessionId, ts: Timestamp, phase: Phase) -> Self {
        Self {
            session_id,
            ts,
            phase,
            tool: None,
            input: JsonObject::new(),
            bash_desc: None,
            cwd: None,
            project: None,
            ok: None,
            error: None,
            response_bytes: None,
            tool_use_id: None,
            agent_id: None,
            redacted: JsonObject::new(),
            extra: JsonObject::new(),
        }
    }

    /// A string of the input by key, such as `command` or `file_path`; of a digest, its head.
    ///
    /// A digest stands for a long string: `{"sha256": …, "bytes": …, "head": …}`.
    pub fn input_str(&self, key: &str) -> Option<&str> {
        match self.input.get(key)? {
            serde_json::Value::String(text) => Some(text),
            serde_json::Value::Object(digest) => digest.get("head")?.as_str(),
            _ => None,
        }
    }

    /// The user's words, when this is a prompt.
    pub fn prompt(&self) -> Option<&str> {
        (self.phase == Phase::Prompt).then(|| self.input_str("prompt")).flatten()
    }
}
