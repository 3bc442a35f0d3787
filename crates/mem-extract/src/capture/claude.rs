use super::bounds::{self, head, longer_than, redacted_head};
use super::{CaptureConfig, Context};
use crate::redact::SecretCounts;
use mem_core::{JsonObject, Observation, Phase, SessionId};
use serde_json::Value;
use std::borrow::Cow;

/// The session of payloads that name none.
const UNKNOWN_SESSION: &str = "unknown";
/// Ids and names are cut to this many characters.
const MAX_NAME: usize = 200;
/// Directories are cut to this many characters.
const MAX_PATH: usize = 2_000;
/// Fields of the payload that have a place of their own in an observation, or none worth keeping.
const TAKEN: &[&str] = &[
    "session_id",
    "transcript_path",
    "cwd",
    "hook_event_name",
    "tool_name",
    "tool_input",
    "tool_response",
    "tool_use_id",
    "agent_id",
    "agent_transcript_path",
    "prompt",
    "last_assistant_message",
    "compact_summary",
    "error",
    "scratchpad_dir",
    "background_tasks",
    "session_crons",
    "permission_suggestions",
];
/// Fields of a tool's response that are small and tell something.
const RESPONSE_FIELDS: &[&str] = &[
    "interrupted",
    "isImage",
    "backgroundTaskId",
    "returnCodeInterpretation",
    "assistantAutoBackgrounded",
    "dangerouslyDisableSandbox",
    "persistedOutputSize",
    "type",
    "status",
    "agentId",
    "numFiles",
    "numLines",
    "numMatches",
    "mode",
    "truncated",
    "code",
    "bytes",
    "userModified",
    "replaceAll",
    "totalTokens",
    "totalToolUseCount",
    "totalDurationMs",
    "is_error",
    "isError",
];

/// Turns a hook payload of Claude Code into an observation; none for events that are not recorded.
///
/// | event | phase |
/// |---|---|
/// | `SessionStart`, `SessionEnd` | `start`, `end` |
/// | `UserPromptSubmit` | `prompt` |
/// | `PreToolUse` of [`CaptureConfig::pre_tools`] | `pre` |
/// | `PostToolUse`, `PostToolUseFailure` | `post`, `failure` |
/// | `Stop`, `SubagentStop` | `stop` |
/// | `PreCompact`, `PostCompact` | `compact` |
///
/// Never fails: a missing session is `"unknown"`, a `tool_input` that is no object becomes `{"value": …}`, fields of
/// another type than usual are kept in `extra` or left out. The tool's response is not kept; `extra.response` holds a
/// few small fields of it and the head of a command's output. Serialised, the observation is one line of at most
/// [`CaptureConfig::max_line_bytes`].
///
/// ```
/// use mem_extract::{CaptureConfig, Context, Redactor, claude, lenient_json};
///
/// let payload = br#"{"session_id":"s1","hook_event_name":"PostToolUse","tool_name":"Bash",
///     "tool_input":{"command":"cargo test"},"tool_response":{"stdout":"ok","interrupted":false}}"#;
/// let payload = lenient_json::parse(payload)?.into_object()?;
/// let (redactor, limits) = (Redactor::default(), CaptureConfig::default());
/// let now = "2026-11-30T12:00:00Z".parse()?;
/// let context = Context { now, project: None, redactor: &redactor, limits: &limits };
/// let seen = claude::observe(&payload, &context).ok_or("recorded")?;
/// assert_eq!(seen.input_str("command"), Some("cargo test"));
/// assert_eq!(seen.ok, Some(true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn observe(payload: &JsonObject, context: &Context<'_>) -> Option<Observation> {
    let event = text(payload, "hook_event_name")?;
    let limits = context.limits;
    let phase = match event {
        "SessionStart" => Phase::Start,
        "UserPromptSubmit" => Phase::Prompt,
        "PreToolUse" => {
            let tool = text(payload, "tool_name")?;
            if !limits.pre_tools.iter().any(|t| t == tool) {
                return None;
            }
            Phase::Pre
        }
        "PostToolUse" => Phase::Post,
        "PostToolUseFailure" => Phase::Failure,
        "Stop" | "SubagentStop" => Phase::Stop,
        "PreCompact" | "PostCompact" => Phase::Compact,
        "SessionEnd" => Phase::End,
        _ => return None,
    };
    let mut taker = Taker { context, counts: SecretCounts::default() };
    let mut seen = Observation::new(session(payload)?, context.now, phase);
    seen.cwd = text(payload, "cwd").filter(|s| !s.is_empty()).map(|s| taker.short(s, MAX_PATH));
    seen.project = context.project.cloned();
    seen.agent_id = text(payload, "agent_id").map(|s| taker.short(s, MAX_NAME));
    seen.extra = taker.rest(payload);
    match phase {
        Phase::Prompt => {
            let value = match payload.get("prompt") {
                Some(Value::String(prompt)) => taker.prompt(prompt),
                Some(other) => taker.value(other),
                None => Value::String(String::new()),
            };
            seen.input.insert("prompt".to_owned(), value);
        }
        Phase::Stop => {
            if let Some(message) = payload.get("last_assistant_message").filter(|m| !m.is_null()) {
                let message = taker.said(message);
                seen.input.insert("last_assistant_message".to_owned(), message);
            }
        }
        Phase::Compact => {
            if let Some(summary) = payload.get("compact_summary").filter(|m| !m.is_null()) {
                let summary = taker.said(summary);
                seen.input.insert("compact_summary".to_owned(), summary);
            }
        }
        Phase::Pre | Phase::Post | Phase::Failure => taker.tool(payload, &mut seen),
        _ => {}
    }
    // Two events share a phase: which of them it was, tells the name.
    if matches!(event, "SubagentStop" | "PreCompact" | "PostCompact") {
        seen.extra.insert("event".to_owned(), event.into());
    }
    seen.redacted = taker.counts.to_json();
    fit(&mut seen, limits);
    Some(seen)
}

fn text<'a>(payload: &'a JsonObject, key: &str) -> Option<&'a str> {
    payload.get(key)?.as_str()
}

fn session(payload: &JsonObject) -> Option<SessionId> {
    let id: Cow<'_, str> = match payload.get("session_id") {
        Some(Value::String(id)) => Cow::Borrowed(id),
        Some(Value::Number(id)) => Cow::Owned(id.to_string()),
        _ => Cow::Borrowed(UNKNOWN_SESSION),
    };
    if let Ok(id) = SessionId::new(id.as_ref()) {
        return Some(id);
    }
    let clean: String = id.chars().filter(|c| !c.is_control()).take(60).collect();
    SessionId::new(clean).or_else(|_| SessionId::new(UNKNOWN_SESSION)).ok()
}

/// Takes values out of a payload, counting the secrets left behind.
struct Taker<'a> {
    context: &'a Context<'a>,
    counts: SecretCounts,
}

impl Taker<'_> {
    fn short(&mut self, text: &str, max: usize) -> String {
        redacted_head(text, self.context.redactor, max, &mut self.counts)
    }

    /// A copy that is redacted and bounded.
    fn value(&mut self, value: &Value) -> Value {
        let mut copy = self.trimmed(value, self.context.limits.max_depth);
        self.counts.merge(&self.context.redactor.redact_value(&mut copy));
        copy
    }

    /// [`value`](Self::value) of the fields of an object that `keep` accepts.
    fn object(&mut self, map: &JsonObject, keep: impl Fn(&str, &Value) -> bool) -> JsonObject {
        let mut copy = self.fields(map, self.context.limits.max_depth, keep);
        self.counts.merge(&self.context.redactor.redact_object(&mut copy));
        copy
    }

    /// A copy with long strings as digests, long arrays and objects cut with a count, deep ones replaced by it; so only
    /// what is kept needs to be redacted.
    fn trimmed(&mut self, value: &Value, depth: usize) -> Value {
        let Context { redactor, limits, .. } = *self.context;
        match value {
            Value::String(text)
                if longer_than(text, limits.max_string)
                    || text.len() > limits.digest_head && text.starts_with("data:") =>
            {
                bounds::digest(text, redactor, limits.digest_head, &mut self.counts)
            }
            Value::Array(items) if depth == 0 => truncated(items.len()),
            Value::Object(map) if depth == 0 => truncated(map.len()),
            Value::Array(items) => {
                let mut copy: Vec<Value> =
                    items.iter().take(limits.max_items).map(|item| self.trimmed(item, depth - 1)).collect();
                if items.len() > limits.max_items {
                    copy.push(truncated(items.len() - limits.max_items));
                }
                Value::Array(copy)
            }
            Value::Object(map) => Value::Object(self.fields(map, depth, |_, _| true)),
            other => other.clone(),
        }
    }

    fn fields(&mut self, map: &JsonObject, depth: usize, keep: impl Fn(&str, &Value) -> bool) -> JsonObject {
        let limits = self.context.limits;
        let mut copy = JsonObject::new();
        let mut left = 0usize;
        for (key, value) in map.iter().filter(|(key, value)| keep(key, value)) {
            if copy.len() == limits.max_items {
                left += 1;
                continue;
            }
            let value = self.field(key, value, depth.saturating_sub(1));
            let key = if key.len() > limits.digest_head {
                redacted_head(key, self.context.redactor, limits.digest_head, &mut self.counts)
            } else {
                key.clone()
            };
            copy.insert(key, value);
        }
        if left > 0 {
            copy.insert("truncated".to_owned(), left.into());
        }
        copy
    }

    /// [`trimmed`](Self::trimmed), but a long string whose key tells a secret leaves no head.
    fn field(&mut self, key: &str, value: &Value, depth: usize) -> Value {
        let Context { redactor, limits, .. } = *self.context;
        if let Value::String(text) = value
            && longer_than(text, limits.max_string)
            && let Some(kind) = redactor.secret_under(key, text)
        {
            self.counts.add(kind);
            return Value::String(kind.marker().to_owned());
        }
        self.trimmed(value, depth)
    }

    fn prompt(&mut self, prompt: &str) -> Value {
        let Context { redactor, limits, .. } = *self.context;
        let own = without_own_output(prompt, &limits.own_output);
        Value::String(redacted_head(&own, redactor, limits.max_prompt, &mut self.counts))
    }

    /// What a model said: it may quote what we put before it, which is ours and no new evidence.
    fn said(&mut self, value: &Value) -> Value {
        match value {
            Value::String(text) => {
                let own = without_own_output(text, &self.context.limits.own_output).into_owned();
                self.value(&Value::String(own))
            }
            other => self.value(other),
        }
    }

    fn tool(&mut self, payload: &JsonObject, seen: &mut Observation) {
        let limits = self.context.limits;
        seen.tool = text(payload, "tool_name").map(|s| self.short(s, MAX_NAME));
        seen.tool_use_id = text(payload, "tool_use_id").map(|s| self.short(s, MAX_NAME));
        seen.input = match payload.get("tool_input") {
            Some(Value::Object(input)) => self.object(input, |_, _| true),
            None | Some(Value::Null) => JsonObject::new(),
            Some(other) => JsonObject::from_iter([("value".to_owned(), self.value(other))]),
        };
        if matches!(seen.tool.as_deref(), Some("Bash" | "PowerShell")) {
            seen.bash_desc = seen.input_str("description").map(str::to_owned);
        }
        match seen.phase {
            Phase::Post => {
                seen.ok = Some(true);
                if let Some(response) = payload.get("tool_response") {
                    seen.response_bytes = u64::try_from(bounds::json_len(response)).ok();
                    let digest = self.response(response);
                    if !digest.is_empty() {
                        seen.extra.insert("response".to_owned(), Value::Object(digest));
                    }
                }
            }
            Phase::Failure => {
                seen.ok = Some(false);
                if let Some(error) = payload.get("error").filter(|e| !e.is_null()) {
                    let error = match error {
                        Value::String(error) => Cow::Borrowed(error.as_str()),
                        other => Cow::Owned(other.to_string()),
                    };
                    seen.response_bytes = u64::try_from(error.len()).ok();
                    if let Some(code) = exit_code(&error) {
                        seen.extra.insert("exit_code".to_owned(), code.into());
                    }
                    seen.error = Some(self.short(&error, limits.max_error));
                }
            }
            _ => {}
        }
    }

    /// The few small fields of a response that are kept.
    fn response(&mut self, response: &Value) -> JsonObject {
        let limits = self.context.limits;
        let mut digest = JsonObject::new();
        match response {
            Value::Object(map) => {
                for &field in RESPONSE_FIELDS {
                    match map.get(field) {
                        Some(Value::Bool(false) | Value::Null) | None => {}
                        Some(value @ (Value::Bool(_) | Value::Number(_))) => {
                            digest.insert(field.to_owned(), value.clone());
                        }
                        Some(Value::String(word)) => {
                            let word = self.short(word, MAX_NAME);
                            digest.insert(field.to_owned(), word.into());
                        }
                        Some(Value::Array(_) | Value::Object(_)) => {}
                    }
                }
                for field in ["stdout", "stderr"] {
                    if let Some(output) = text(map, field).filter(|s| !s.trim().is_empty()) {
                        let output = self.short(output, limits.max_stdout);
                        digest.insert(field.to_owned(), output.into());
                    }
                }
            }
            Value::String(output) if !output.is_empty() => {
                let output = self.short(output, limits.max_stdout);
                digest.insert("text".to_owned(), output.into());
            }
            Value::Array(blocks) => {
                digest.insert("blocks".to_owned(), blocks.len().into());
                if let Some(output) = blocks.iter().find_map(|b| b.get("text")?.as_str()) {
                    let output = self.short(output, limits.max_stdout);
                    digest.insert("text".to_owned(), output.into());
                }
            }
            _ => {}
        }
        digest
    }

    /// The payload's fields without a place of their own.
    fn rest(&mut self, payload: &JsonObject) -> JsonObject {
        self.object(payload, |key, value| {
            let odd = matches!(key, "cwd" | "tool_name" | "tool_use_id" | "agent_id") && !value.is_string();
            !value.is_null() && (odd || !TAKEN.contains(&key))
        })
    }
}

/// What stands for left out elements, fields or bytes.
fn truncated(count: usize) -> Value {
    Value::Object(JsonObject::from_iter([("truncated".to_owned(), count.into())]))
}

/// `Exit code N` on the first line.
fn exit_code(error: &str) -> Option<i64> {
    let rest = error.trim_start().strip_prefix("Exit code ")?;
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(rest.len());
    rest.get(..end)?.parse().ok()
}

/// A text without what stands between our own marks; without end mark it is cut there.
fn without_own_output<'a>(text: &'a str, marks: &[(String, String)]) -> Cow<'a, str> {
    let mut text = Cow::Borrowed(text);
    for (open, close) in marks {
        if open.is_empty() || !text.contains(open.as_str()) {
            continue;
        }
        let mut out = String::with_capacity(text.len());
        let mut rest: &str = &text;
        while let Some((before, inside)) = rest.split_once(open.as_str()) {
            out.push_str(before);
            rest = inside.split_once(close.as_str()).map_or("", |(_, after)| after);
        }
        out.push_str(rest);
        text = Cow::Owned(out);
    }
    text
}

/// Makes the line fit: first `extra` goes, then the biggest inputs, each leaving its size.
fn fit(seen: &mut Observation, limits: &CaptureConfig) {
    // What the fields besides `input` and `extra` take, names and time included.
    let fixed = 512
        + [&seen.cwd, &seen.bash_desc, &seen.error, &seen.tool, &seen.tool_use_id, &seen.agent_id]
            .into_iter()
            .flatten()
            .map(|s| bounds::json_len(&Value::String(s.clone())))
            .sum::<usize>()
        + seen.project.as_ref().map_or(0, |p| p.as_str().len() * 2)
        + bounds::object_len(&seen.redacted);
    let max = limits.max_line_bytes.saturating_sub(fixed);
    let extra = bounds::object_len(&seen.extra);
    if extra + bounds::object_len(&seen.input) <= max {
        return;
    }
    if extra > max / 4 {
        seen.extra = JsonObject::from_iter([("truncated".to_owned(), extra.into())]);
    }
    let max = max.saturating_sub(bounds::object_len(&seen.extra));
    let mut sizes: Vec<(usize, String)> =
        seen.input.iter().map(|(key, value)| (bounds::json_len(value), key.clone())).collect();
    sizes.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let mut total = bounds::object_len(&seen.input);
    for (size, key) in sizes {
        if total <= max {
            break;
        }
        if let Some(value) = seen.input.get_mut(&key) {
            let room = max.saturating_sub(total - size);
            *value = match value {
                // Every character takes at most 6 bytes of JSON.
                Value::String(text) if room / 6 > limits.digest_head => {
                    Value::String(head(text, room / 6).to_owned())
                }
                _ => truncated(size),
            };
            total = total - size + bounds::json_len(value);
        }
    }
}
