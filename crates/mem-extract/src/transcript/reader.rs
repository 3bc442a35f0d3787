use super::lines::{Line, Lines, objects};
use super::prompt::clean_prompt;
use super::record::{blocks, content_text, flag, refusal, strip, text, time};
use super::{Transcript, TranscriptConfig, TranscriptItem, TranscriptSession, TranscriptSummary};
use crate::ExtractError;
use mem_core::{JsonObject, SessionId, Timestamp};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead, BufReader};
use std::path::Path;

/// Record types without a conversation in them; everything else that is not handled is `unknown_type`.
const METADATA: &[&str] = &[
    "summary",
    "file-history-snapshot",
    "queue-operation",
    "last-prompt",
    "ai-title",
    "custom-title",
    "permission-mode",
    "mode",
    "agent-name",
    "agent-color",
    "agent-setting",
    "tag",
    "pr-link",
    "worktree-state",
    "task-summary",
    "attribution-snapshot",
    "speculation-accept",
    "content-replacement",
    "started",
    "result",
    "system",
    "progress",
];

/// Bytes asked of the file at once.
const BUFFER: usize = 256 * 1024;

/// Reads a transcript file.
///
/// # Errors
/// [`ExtractError::Read`] when the file cannot be opened or read to its end. Damage inside is counted, not an error.
pub fn read_transcript(path: &Path, config: &TranscriptConfig) -> Result<Transcript, ExtractError> {
    let failed = |source| ExtractError::Read { path: path.to_path_buf(), source };
    let file = std::fs::File::open(path).map_err(failed)?;
    read(BufReader::with_capacity(BUFFER, file), Some(&path.to_string_lossy()), config).map_err(failed)
}

/// Reads a transcript from anything that gives bytes; its payloads have no `transcript_path`.
///
/// # Errors
/// What the reader fails with.
pub fn read_transcript_from(reader: impl BufRead, config: &TranscriptConfig) -> io::Result<Transcript> {
    read(reader, None, config)
}

fn read(reader: impl BufRead, path: Option<&str>, config: &TranscriptConfig) -> io::Result<Transcript> {
    let mut state = State::new(path, config);
    let mut lines = Lines::new(reader, config.max_line_bytes);
    loop {
        let start = lines.offset;
        let Some(line) = lines.next()? else { break };
        state.summary.lines += 1;
        let complete = match line {
            Line::TooLong => {
                state.summary.skip("too_long");
                true
            }
            Line::Whole(bytes, ended) => state.line(bytes, ended),
        };
        state.summary.consumed = if complete { lines.offset } else { start };
    }
    Ok(state.finish())
}

/// A call whose result has not come yet.
struct Pending {
    id: String,
    session: usize,
    key: String,
    name: String,
    input: Value,
    cwd: Option<String>,
    at: Option<Timestamp>,
}

/// The assistant's message that is being put together from its records.
#[derive(Default)]
struct Speech {
    message: String,
    text: String,
    key: String,
    at: Option<Timestamp>,
    cwd: Option<String>,
}

struct Open {
    about: TranscriptSession,
    speech: Option<Speech>,
    cwd: Option<String>,
    now: Option<Timestamp>,
    custom_title: bool,
}

struct State<'a> {
    path: Option<&'a str>,
    config: &'a TranscriptConfig,
    summary: TranscriptSummary,
    items: Vec<TranscriptItem>,
    sessions: Vec<Open>,
    by_id: HashMap<String, usize>,
    seen: HashSet<String>,
    pending: Vec<Pending>,
    title: Option<String>,
}

impl<'a> State<'a> {
    fn new(path: Option<&'a str>, config: &'a TranscriptConfig) -> Self {
        Self {
            path,
            config,
            summary: TranscriptSummary::default(),
            items: Vec::new(),
            sessions: Vec::new(),
            by_id: HashMap::new(),
            seen: HashSet::new(),
            pending: Vec::new(),
            title: None,
        }
    }

    /// Takes one line; false when it is a torn tail, to be read again once more of it is written.
    fn line(&mut self, bytes: &[u8], ended: bool) -> bool {
        let bytes = if self.summary.lines == 1 {
            bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
        } else {
            bytes
        };
        if bytes.trim_ascii().is_empty() {
            self.summary.skip("blank");
            return true;
        }
        let objects = objects(bytes);
        self.summary.glued_lines += u64::from(objects.glued);
        self.summary.repaired += u64::from(objects.lossy);
        if objects.found.is_empty() {
            let reason = match (objects.others, ended) {
                (true, _) => "not_an_object",
                (false, true) => "not_json",
                (false, false) => "torn_tail",
            };
            self.summary.skip(reason);
            return ended;
        }
        for object in objects.found {
            self.record(object, bytes);
        }
        true
    }

    fn record(&mut self, record: JsonObject, line: &[u8]) {
        let kind = text(&record, "type").unwrap_or("(none)").to_owned();
        *self.summary.records.entry(kind.clone()).or_default() += 1;
        let key = match text(&record, "uuid") {
            Some(uuid) => uuid.to_owned(),
            None => hash(line),
        };
        match kind.as_str() {
            "custom-title" | "ai-title" | "summary" => return self.titled(&kind, &record),
            "user" | "assistant" | "attachment" => {}
            kind if METADATA.contains(&kind) => return,
            _ => return self.summary.drop("unknown_type"),
        }
        if text(&record, "uuid").is_some() && !self.seen.insert(key.clone()) {
            return self.summary.drop("duplicate");
        }
        if flag(&record, "isSidechain") {
            return self.summary.drop("sidechain");
        }
        let Some(session) = self.session(&record) else {
            return self.summary.drop("no_session");
        };
        match kind.as_str() {
            "assistant" => self.assistant(&record, session, &key),
            "user" => self.user(record, session, &key),
            _ => self.attachment(&record, session, &key),
        }
    }

    fn titled(&mut self, kind: &str, record: &JsonObject) {
        let key = match kind {
            "custom-title" => "customTitle",
            "ai-title" => "aiTitle",
            _ => "summary",
        };
        let Some(title) = text(record, key).map(str::to_owned) else { return };
        let known = text(record, "sessionId").and_then(|id| self.by_id.get(id).copied());
        match known.and_then(|at| self.sessions.get_mut(at)) {
            Some(open) if kind == "custom-title" || !open.custom_title => {
                open.custom_title = kind == "custom-title";
                open.about.title = Some(title);
            }
            Some(_) => {}
            // A summary at the head may belong to another file: it serves only when nothing better comes.
            None => self.title = Some(title),
        }
    }

    /// Finds or opens the session of a record and notes what the record says of it.
    fn session(&mut self, record: &JsonObject) -> Option<usize> {
        let id = text(record, "sessionId").or_else(|| text(record, "session_id"))?;
        let session_id = SessionId::new(id).ok()?;
        let at = time(record);
        let cwd = text(record, "cwd").map(str::to_owned);
        let known = self.by_id.get(id).copied();
        let new = known.is_none();
        let index = match known {
            Some(index) => index,
            None => {
                let index = self.sessions.len();
                self.by_id.insert(id.to_owned(), index);
                self.sessions.push(Open {
                    about: TranscriptSession {
                        id: session_id,
                        first: at,
                        last: at,
                        cwds: Vec::new(),
                        branches: Vec::new(),
                        versions: Vec::new(),
                        title: None,
                        interactive: true,
                        prompts: 0,
                        tool_calls: 0,
                    },
                    speech: None,
                    cwd: cwd.clone(),
                    now: at,
                    custom_title: false,
                });
                index
            }
        };
        let open = self.sessions.get_mut(index)?;
        let note = |list: &mut Vec<String>, word: Option<&str>| {
            if let Some(word) = word.filter(|w| !list.iter().any(|l| l == w)) {
                list.push(word.to_owned());
            }
        };
        note(&mut open.about.cwds, cwd.as_deref());
        note(&mut open.about.versions, text(record, "version"));
        note(&mut open.about.branches, text(record, "gitBranch").filter(|b| *b != "HEAD"));
        if text(record, "entrypoint").is_some_and(|e| e.starts_with("sdk")) {
            open.about.interactive = false;
        }
        if let Some(at) = at {
            open.about.first = Some(open.about.first.map_or(at, |first| first.min(at)));
            open.about.last = Some(open.about.last.map_or(at, |last| last.max(at)));
            open.now = Some(at);
        }
        if cwd.is_some() {
            open.cwd = cwd;
        }
        if new {
            let start = json_object([("source", "startup".into())]);
            self.push(index, format!("{id}#start"), "SessionStart", start, at, None);
        }
        Some(index)
    }

    fn push(
        &mut self,
        session: usize,
        key: String,
        event: &str,
        body: JsonObject,
        at: Option<Timestamp>,
        cwd: Option<String>,
    ) {
        let Some(open) = self.sessions.get(session) else { return };
        let at = at.or(open.now);
        let mut payload = json_object([("session_id", open.about.id.as_str().into())]);
        if let Some(path) = self.path {
            payload.insert("transcript_path".to_owned(), path.into());
        }
        if let Some(cwd) = cwd.or_else(|| open.cwd.clone()) {
            payload.insert("cwd".to_owned(), cwd.into());
        }
        payload.insert("hook_event_name".to_owned(), event.into());
        payload.extend(body);
        if let Some(at) = at {
            payload.insert("timestamp".to_owned(), at.to_string().into());
        }
        let session = open.about.id.clone();
        self.items.push(TranscriptItem { key, session, at, interactive: open.about.interactive, payload });
    }

    fn assistant(&mut self, record: &JsonObject, session: usize, key: &str) {
        let message = record.get("message");
        let model = message.and_then(|m| m.get("model")).and_then(Value::as_str);
        if flag(record, "isApiErrorMessage") || model == Some("<synthetic>") {
            return self.summary.drop("api_error");
        }
        let id = message.and_then(|m| m.get("id")).and_then(Value::as_str).unwrap_or(key).to_owned();
        let blocks = blocks(message);
        if blocks.is_empty() {
            self.summary.drop("odd_shape");
        }
        for block in blocks {
            match block.get("type").and_then(Value::as_str) {
                Some("text") => {
                    let said = block.get("text").and_then(Value::as_str).unwrap_or_default();
                    self.say(session, &id, said, record, key);
                }
                Some("tool_use" | "server_tool_use" | "mcp_tool_use") => {
                    self.call(&block, session, record, key)
                }
                _ => {}
            }
        }
    }

    fn say(&mut self, session: usize, id: &str, said: &str, record: &JsonObject, key: &str) {
        if said.trim().is_empty() {
            return;
        }
        let Some(open) = self.sessions.get_mut(session) else { return };
        let speech = open.speech.get_or_insert_with(Speech::default);
        if speech.message == id {
            speech.text.push_str("\n\n");
            speech.text.push_str(said);
        } else {
            *speech = Speech { message: id.to_owned(), text: said.to_owned(), ..Speech::default() };
        }
        speech.key = key.to_owned();
        speech.at = time(record).or(open.now);
        speech.cwd = open.cwd.clone();
    }

    fn call(&mut self, block: &Value, session: usize, record: &JsonObject, key: &str) {
        let (Some(id), Some(name)) =
            (block.get("id").and_then(Value::as_str), block.get("name").and_then(Value::as_str))
        else {
            return self.summary.drop("odd_shape");
        };
        if self.pending.iter().any(|p| p.id == id) {
            return self.summary.drop("duplicate");
        }
        let mut input = block.get("input").cloned().unwrap_or_default();
        if !input.is_object() {
            input = Value::Object(json_object([("value", input)]));
        }
        strip(&mut input, self.config);
        self.pending.push(Pending {
            id: id.to_owned(),
            session,
            key: format!("{key}#{id}"),
            name: name.to_owned(),
            input,
            cwd: text(record, "cwd").map(str::to_owned),
            at: time(record),
        });
    }

    fn user(&mut self, mut record: JsonObject, session: usize, key: &str) {
        let blocks = blocks(record.get("message"));
        let results =
            blocks.iter().filter(|b| b.get("type").and_then(Value::as_str) == Some("tool_result")).count();
        let detail = record.remove("toolUseResult").filter(|_| results == 1);
        let at = time(&record);
        for block in blocks.iter().filter(|b| b.get("type").and_then(Value::as_str) == Some("tool_result")) {
            self.result(block, detail.clone(), session, at);
        }
        if flag(&record, "isCompactSummary") {
            return self.summary.drop("compact_summary");
        }
        if flag(&record, "isMeta") {
            return self.summary.drop("meta");
        }
        if results > 0 {
            return;
        }
        if blocks.is_empty() {
            return self.summary.drop("odd_shape");
        }
        let parts: Vec<String> = blocks
            .iter()
            .filter(|b| b.get("type").and_then(Value::as_str) == Some("text"))
            .filter_map(|b| b.get("text")?.as_str())
            .map(|t| clean_prompt(t, &self.config.own_markers))
            .filter(|t| !t.is_empty())
            .collect();
        let raw = content_text(record.get("message").and_then(|m| m.get("content")));
        self.prompt(parts.join("\n"), &raw, session, key.to_owned(), at);
    }

    fn prompt(&mut self, cleaned: String, raw: &str, session: usize, key: String, at: Option<Timestamp>) {
        if self.config.own_prompts.iter().any(|p| raw.trim_start().starts_with(p.as_str()))
            && let Some(open) = self.sessions.get_mut(session).filter(|open| open.about.prompts == 0)
        {
            open.about.interactive = false;
        }
        if cleaned.is_empty() {
            return self.summary.drop("wrapper");
        }
        self.stop(session);
        if let Some(open) = self.sessions.get_mut(session) {
            open.about.prompts += 1;
        }
        self.push(session, key, "UserPromptSubmit", json_object([("prompt", cleaned.into())]), at, None);
    }

    /// Ends the agent's turn, when it said anything.
    fn stop(&mut self, session: usize) {
        let Some(speech) = self.sessions.get_mut(session).and_then(|open| open.speech.take()) else { return };
        let mut said = Value::String(speech.text);
        strip(&mut said, self.config);
        let body = json_object([("stop_hook_active", false.into()), ("last_assistant_message", said)]);
        self.push(session, format!("{}#stop", speech.key), "Stop", body, speech.at, speech.cwd);
    }

    fn result(&mut self, block: &Value, detail: Option<Value>, session: usize, at: Option<Timestamp>) {
        let id = block.get("tool_use_id").and_then(Value::as_str).unwrap_or_default();
        let Some(index) = self.pending.iter().position(|p| p.id == id) else {
            return self.summary.drop("orphan_result");
        };
        let call = self.pending.remove(index);
        let content = content_text(block.get("content"));
        let failed = block.get("is_error").and_then(Value::as_bool) == Some(true);
        if let Some(said) = refusal(&content).filter(|_| failed) {
            self.summary.drop("rejected");
            let prompt_key = format!("{}#said", call.key);
            let call_session = call.session;
            self.unfinished(call);
            if let Some(said) = said {
                let cleaned = clean_prompt(&said, &self.config.own_markers);
                self.prompt(cleaned, &said, call_session, prompt_key, at);
            }
            return;
        }
        let mut body = call_body(&call);
        if failed {
            let error = content.trim();
            let error = error.strip_prefix("<tool_use_error>").unwrap_or(error);
            let error = error.strip_suffix("</tool_use_error>").unwrap_or(error);
            body.insert("error".to_owned(), error.into());
        } else {
            let mut response = detail
                .filter(|d| d.is_object() || d.is_array())
                .unwrap_or_else(|| block.get("content").cloned().unwrap_or_default());
            strip(&mut response, self.config);
            body.insert("tool_response".to_owned(), response);
        }
        body.insert("tool_use_id".to_owned(), call.id.into());
        if let Some(open) = self.sessions.get_mut(session) {
            open.about.tool_calls += 1;
        }
        let event = if failed { "PostToolUseFailure" } else { "PostToolUse" };
        self.push(session, call.key, event, body, at.or(call.at), call.cwd);
    }

    /// A call that was refused or interrupted: live, only the hook before it would have run.
    fn unfinished(&mut self, call: Pending) {
        let mut body = call_body(&call);
        body.insert("tool_use_id".to_owned(), call.id.into());
        self.push(call.session, call.key, "PreToolUse", body, call.at, call.cwd);
    }

    fn attachment(&mut self, record: &JsonObject, session: usize, key: &str) {
        let Some(attachment) = record.get("attachment").and_then(Value::as_object) else {
            return self.summary.drop("odd_shape");
        };
        match text(attachment, "type") {
            Some("queued_command")
                if text(attachment, "commandMode").is_none_or(|mode| mode == "prompt")
                    && !flag(record, "isMeta") =>
            {
                let raw = content_text(attachment.get("prompt"));
                let cleaned = clean_prompt(&raw, &self.config.own_markers);
                self.prompt(cleaned, &raw, session, key.to_owned(), time(record));
            }
            _ => self.summary.drop("injected"),
        }
    }

    fn finish(mut self) -> Transcript {
        for call in std::mem::take(&mut self.pending) {
            self.summary.drop("interrupted");
            self.unfinished(call);
        }
        for session in 0..self.sessions.len() {
            self.stop(session);
            let Some(open) = self.sessions.get(session) else { continue };
            let (key, last) = (format!("{}#end", open.about.id), open.about.last);
            self.push(session, key, "SessionEnd", json_object([("reason", "other".into())]), last, None);
        }
        // Whether a person was there is known only at the end.
        let quiet: HashSet<SessionId> = self
            .sessions
            .iter()
            .filter(|open| !open.about.interactive)
            .map(|open| open.about.id.clone())
            .collect();
        for item in &mut self.items {
            item.interactive = !quiet.contains(&item.session);
        }
        let single = self.sessions.len() == 1;
        let title = self.title;
        let sessions = self
            .sessions
            .into_iter()
            .map(|mut open| {
                if single && open.about.title.is_none() {
                    open.about.title = title.clone();
                }
                open.about
            })
            .collect();
        Transcript { items: self.items, sessions, summary: self.summary }
    }
}

fn call_body(call: &Pending) -> JsonObject {
    json_object([("tool_name", call.name.clone().into()), ("tool_input", call.input.clone())])
}

fn json_object<const N: usize>(pairs: [(&str, Value); N]) -> JsonObject {
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// The key of a record without a uuid: `sha256:` and 32 hexadecimal digits of the hash of its line.
fn hash(line: &[u8]) -> String {
    let digest = Sha256::digest(line);
    digest.iter().take(16).fold("sha256:".to_owned(), |mut out, byte| {
        out.push_str(&format!("{byte:02x}"));
        out
    })
}
