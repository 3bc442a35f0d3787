//! Past transcripts, in the shape Claude Code writes them.

use mem_tests::Sandbox;
use serde_json::{Value, json};
use std::path::PathBuf;

const FIRST: &str = "0c0ffee0-0000-4000-8000-000000000001";
const SECOND: &str = "0c0ffee0-0000-4000-8000-000000000002";

/// Writes records the way the host does.
struct Transcript {
    sandbox_cwd: String,
    session: &'static str,
    count: u32,
    end: &'static str,
    bytes: Vec<u8>,
}

impl Transcript {
    fn new(sandbox: &Sandbox, session: &'static str, end: &'static str) -> Self {
        Self {
            sandbox_cwd: sandbox.project().display().to_string(),
            session,
            count: 0,
            end,
            bytes: Vec::new(),
        }
    }

    fn raw(&mut self, line: &[u8]) {
        self.bytes.extend(line);
        self.bytes.extend(self.end.as_bytes());
    }

    fn record(&mut self, kind: &str, fields: Value) -> String {
        self.count += 1;
        let uuid = format!("{}-{:04}", self.session, self.count);
        let mut record = json!({
            "parentUuid": null, "isSidechain": false, "userType": "external", "cwd": self.sandbox_cwd, "sessionId": self.session,
            "version": "2.1.200", "gitBranch": "HEAD", "type": kind, "uuid": uuid,
            "timestamp": format!("2026-11-20T09:{:02}:00.000Z", self.count),
        });
        record.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let line = record.to_string();
        self.raw(line.as_bytes());
        line
    }

    fn user(&mut self, text: &str) -> String {
        self.record("user", json!({"message": {"role": "user", "content": text}}))
    }

    fn says(&mut self, message: &str, text: &str) {
        self.assistant(message, json!({"type": "text", "text": text}));
    }

    fn calls(&mut self, message: &str, id: &str, tool: &str, input: Value) {
        self.assistant(message, json!({"type": "tool_use", "id": id, "name": tool, "input": input}));
    }

    fn assistant(&mut self, message: &str, block: Value) {
        self.record("assistant", json!({"requestId": "r", "message": {"id": message, "type": "message", "role": "assistant", "model": "m", "content": [block],
            "stop_reason": null, "usage": {"input_tokens": 1, "output_tokens": 1}}}));
    }

    fn result(&mut self, id: &str, content: Value, error: bool, detail: Value) {
        let mut block = json!({"type": "tool_result", "tool_use_id": id, "content": content});
        if error {
            block["is_error"] = true.into();
        }
        self.record(
            "user",
            json!({"message": {"role": "user", "content": [block]}, "toolUseResult": detail}),
        );
    }

    fn write(&self, sandbox: &Sandbox) -> PathBuf {
        let folder = sandbox.claude().join("projects").join("-work-harbor");
        fs_err::create_dir_all(&folder).unwrap();
        let path = folder.join(format!("{}.jsonl", self.session));
        fs_err::write(&path, &self.bytes).unwrap();
        path
    }
}

/// A session with everything that goes wrong in real files: 7 events, 3 lines that are no records.
fn odd_session(sandbox: &Sandbox) -> Transcript {
    let mut t = Transcript::new(sandbox, FIRST, "\n");
    t.raw(br#"{"type":"summary","summary":"Smoke tests","leafUuid":"none"}"#);
    t.raw(br#"{"type":"file-history-snapshot","messageId":"m","snapshot":{},"isSnapshotUpdate":false}"#);
    let first = t.user("记住：部署前先跑 make smoke"); // prompt
    t.says("msg_1", "I run it.");
    t.calls("msg_1", "toolu_1", "Bash", json!({"command": "make smoke", "description": "Smoke test"}));
    t.result("toolu_1", json!("ok"), false, json!({"stdout": "ok", "stderr": "", "interrupted": false})); // post
    t.calls("msg_2", "toolu_2", "Read", json!({"file_path": "/w/none.rs"}));
    t.result(
        "toolu_2",
        json!("<tool_use_error>File does not exist.</tool_use_error>"),
        true,
        json!("Error: File does not exist."),
    ); // failure
    t.record("system", json!({"subtype": "turn_duration", "durationMs": 5}));
    t.record("flux-capacitor", json!({"gigawatts": 1.21}));
    t.record(
        "user",
        json!({"isSidechain": true, "message": {"role": "user", "content": "记住：旁支里的话不算"}}),
    );
    t.record("user", json!({"isMeta": true, "message": {"role": "user", "content": "记住：注入的话不算"}}));
    t.record("user", json!({"message": {"role": "user", "content": "<command-name>/clear</command-name>"}}));
    t.record("progress", json!({"data": {"type": "agent_progress", "prompt": "记住：进度里的话不算"}}));
    t.raw(first.as_bytes());
    t.raw(b"{ this is damage");
    t.raw(b"");
    t.calls("msg_3", "toolu_3", "Read", json!({"file_path": "/w/big.png"}));
    let image = json!([{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0K".repeat(200_000)}}]);
    t.result(
        "toolu_3",
        image.clone(),
        false,
        json!({"type": "image", "file": {"base64": image[0]["source"]["data"]}}),
    ); // post
    t.says("msg_4", "The smoke test passes, the picture is read."); // stop, and the session's start and end
    t.bytes.extend(br#"{"type":"user","uuid":"torn","sessionId":"0c0ffee0-0000-4000-8000-000000000001","message":{"role":"user","content":"\u8bb0"#);
    t
}

/// A plain session with the line ends of Windows: 4 events.
fn plain_session(sandbox: &Sandbox) -> Transcript {
    let mut t = Transcript::new(sandbox, SECOND, "\r\n");
    t.user("Why does the nightly build fail on the ARM machines?");
    t.says("msg_9", "Because the cache is too small.");
    t
}

fn replay(sandbox: &Sandbox, path: &std::path::Path) -> Value {
    sandbox.mem(&["replay", path.to_str().unwrap(), "--json"]).json()
}

fn count(sandbox: &Sandbox, phase: &str) -> usize {
    sandbox.journal().iter().filter(|line| line["phase"] == phase).count()
}

#[test]
fn the_numbers_of_a_replay_are_exact_and_twice_is_once() {
    let sandbox = Sandbox::new();
    let path = odd_session(&sandbox).write(&sandbox);
    plain_session(&sandbox).write(&sandbox);
    let folder = sandbox.claude().join("projects");
    let subagents = folder.join("-work-harbor").join(FIRST).join("subagents");
    fs_err::create_dir_all(&subagents).unwrap();
    fs_err::copy(&path, subagents.join("agent-1.jsonl")).unwrap();
    fs_err::write(folder.join("history.jsonl"), "{\"display\":\"x\"}\n").unwrap();
    let first = replay(&sandbox, &folder);
    let expected = json!({"files": 2, "sessions": 2, "observations": 11, "skipped_lines": 3,
        "instincts": {"new": 0, "updated": 0}, "candidates": 0, "memories": 1});
    assert_eq!(first, expected);
    for (phase, times) in
        [("start", 2), ("prompt", 2), ("pre", 0), ("post", 2), ("failure", 1), ("stop", 2), ("end", 2)]
    {
        assert_eq!(count(&sandbox, phase), times, "{phase}");
    }
    let memories = sandbox.memories();
    assert_eq!(memories.len(), 1);
    assert!(memories[0]["text"].as_str().unwrap().contains("make smoke"));
    assert_eq!(memories[0]["session"], FIRST);
    assert!(memories[0]["created"].as_str().unwrap().starts_with("2026-11-20T09:01"), "{}", memories[0]);
    let lines = sandbox.journal();
    assert!(lines.iter().all(|line| line.to_string().len() < 5_000), "pictures are not kept");
    assert_eq!(lines[0]["ts"], "2026-11-20T09:01:00Z");
    let second = replay(&sandbox, &folder);
    assert_eq!(second["observations"], 0);
    assert_eq!(
        (&second["memories"], &second["candidates"], &second["instincts"]),
        (&json!(0), &json!(0), &json!({"new": 0, "updated": 0}))
    );
    assert_eq!((sandbox.journal().len(), sandbox.memories().len()), (11, 1));
}

#[test]
fn a_copy_of_a_transcript_and_a_longer_version_bring_only_what_is_new() {
    let sandbox = Sandbox::new();
    let mut t = plain_session(&sandbox);
    let path = t.write(&sandbox);
    assert_eq!(replay(&sandbox, &path)["observations"], 4);
    let copy = sandbox.user().join(format!("{FIRST}.jsonl"));
    fs_err::copy(&path, &copy).unwrap();
    assert_eq!(replay(&sandbox, &copy)["observations"], 0);
    t.user("And which machine has the smallest cache of all?");
    t.says("msg_10", "The one called egret.");
    t.write(&sandbox);
    assert_eq!(replay(&sandbox, &path)["observations"], 2, "one prompt, one answer");
    assert_eq!((count(&sandbox, "prompt"), count(&sandbox, "stop")), (2, 2));
}

#[test]
fn a_session_seen_live_is_not_doubled_by_its_transcript() {
    let sandbox = Sandbox::new();
    let prompt = "记住：部署前先跑 make smoke 再通知值班同事";
    let bash =
        json!({"tool_name": "Bash", "tool_input": {"command": "make smoke"}, "tool_use_id": "toolu_1"});
    let mut post = bash.clone();
    post["tool_response"] = json!({"stdout": "ok", "stderr": "", "interrupted": false});
    sandbox.start(FIRST, "startup");
    sandbox.prompt(FIRST, prompt);
    sandbox.hook(&sandbox.event(FIRST, "PreToolUse", bash));
    sandbox.hook(&sandbox.event(FIRST, "PostToolUse", post));
    sandbox.hook(&sandbox.event(
        FIRST,
        "Stop",
        json!({"last_assistant_message": "The smoke test passes, all is well."}),
    ));
    sandbox.hook(&sandbox.event(FIRST, "SessionEnd", json!({"reason": "other"})));
    let _ = sandbox.mem(&["work"]).ok();
    let before = sandbox.journal();
    assert_eq!((before.len(), sandbox.memories().len()), (6, 1));

    let mut t = Transcript::new(&sandbox, FIRST, "\n");
    t.user(prompt);
    t.calls("msg_1", "toolu_1", "Bash", json!({"command": "make smoke"}));
    t.result("toolu_1", json!("ok"), false, json!({"stdout": "ok", "stderr": "", "interrupted": false}));
    t.says("msg_2", "The smoke test passes, all is well.");
    let path = t.write(&sandbox);
    let replayed = replay(&sandbox, &path);
    for phase in ["prompt", "pre", "post", "stop"] {
        assert_eq!(count(&sandbox, phase), 1, "{phase} is there once");
    }
    for phase in ["start", "end"] {
        assert_eq!(count(&sandbox, phase), 1, "{phase} is there once");
    }
    assert_eq!((&replayed["observations"], &replayed["memories"]), (&json!(0), &json!(0)), "{replayed}");
    assert_eq!(sandbox.memories().len(), 1);
}

#[test]
fn secrets_of_transcripts_are_not_written() {
    let sandbox = Sandbox::new();
    let secret = ["gh", "p_a8Bc9De0Fg1Hi2Jk3Lm4No5Pq6Rs7Tu8Vw9X"].concat();
    let mut t = Transcript::new(&sandbox, FIRST, "\n");
    t.user(&format!("记住：推送用 {secret} 这个令牌"));
    t.calls("m", "toolu_1", "Bash", json!({"command": format!("curl -H 'Authorization: token {secret}' x")}));
    t.result("toolu_1", json!(secret), false, json!({"stdout": secret}));
    t.says("m2", &format!("I used {secret}."));
    let path = t.write(&sandbox);
    assert_eq!(replay(&sandbox, &path)["observations"], 5);
    assert_eq!(mem_tests::files_with(&sandbox.home(), &secret), Vec::<PathBuf>::new());
}

#[test]
fn a_session_without_a_person_teaches_nothing_about_one() {
    let sandbox = Sandbox::new();
    let mut t = Transcript::new(&sandbox, FIRST, "\n");
    t.record(
        "user",
        json!({"entrypoint": "sdk-cli", "message": {"role": "user", "content": "记住：机器人说的话不算数"}}),
    );
    t.says("m", "Noted.");
    let path = t.write(&sandbox);
    assert_eq!(replay(&sandbox, &path)["memories"], 0);
    assert_eq!(sandbox.memories(), Vec::<Value>::new());
}

#[test]
fn a_path_that_is_not_there_is_a_failure_and_a_folder_without_transcripts_is_none() {
    let sandbox = Sandbox::new();
    let output = sandbox.mem(&["replay", "no-such-folder"]);
    assert_eq!(output.code, Some(1));
    assert!(output.stderr.contains("no-such-folder"), "{output:?}");
    let _ = sandbox.mem(&["replay"]).code(2);
    let empty = replay(&sandbox, &sandbox.user());
    assert_eq!(empty["files"], 0);
}
