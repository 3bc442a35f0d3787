use super::*;
use crate::conversation::RuleExtractor;
use crate::detect::{Detectors, Standing};
use mem_core::{Extractor, Observation, Phase, Turn, TurnRole};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const SESSION: &str = "0c3e9f10-0000-4000-8000-000000000001";

fn record(n: u32, kind: &str, more: Value) -> Value {
    let mut record = json!({
        "parentUuid": null, "isSidechain": false, "type": kind, "uuid": format!("u{n}"), "sessionId": SESSION, "cwd": "/work/app", "version": "2.1.140",
        "gitBranch": "main", "entrypoint": "cli", "timestamp": format!("2026-05-01T10:00:{:02}.000Z", n % 60),
    });
    record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    record
}

fn user(n: u32, content: Value) -> Value {
    record(n, "user", json!({"message": {"role": "user", "content": content}}))
}

fn assistant(n: u32, id: &str, block: Value) -> Value {
    record(
        n,
        "assistant",
        json!({"message": {"id": id, "type": "message", "role": "assistant", "model": "claude-x", "content": [block]}}),
    )
}

fn call(n: u32, id: &str, name: &str, input: Value) -> Value {
    assistant(n, &format!("m{n}"), json!({"type": "tool_use", "id": id, "name": name, "input": input}))
}

fn result(n: u32, id: &str, content: &str, detail: Value, is_error: bool) -> Value {
    record(
        n,
        "user",
        json!({"message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": content, "is_error": is_error}]}, "toolUseResult": detail}),
    )
}

fn lines(records: &[Value]) -> String {
    records.iter().fold(String::new(), |mut out, r| {
        writeln!(out, "{r}").unwrap();
        out
    })
}

fn read(text: impl AsRef<[u8]>) -> Transcript {
    read_transcript_from(text.as_ref(), &TranscriptConfig::default()).unwrap()
}

fn events(t: &Transcript) -> Vec<&str> {
    t.items.iter().map(TranscriptItem::event).collect()
}

fn prompts(t: &Transcript) -> Vec<&str> {
    t.items
        .iter()
        .filter(|i| i.event() == "UserPromptSubmit")
        .map(|i| i.payload["prompt"].as_str().unwrap())
        .collect()
}

#[test]
fn a_session_becomes_the_payloads_of_its_hooks() {
    let t = read(lines(&[
        json!({"type": "file-history-snapshot", "messageId": "x", "snapshot": {}}),
        user(1, json!("read the config")),
        assistant(2, "m1", json!({"type": "text", "text": "Reading."})),
        call(3, "toolu_1", "Read", json!({"file_path": "/work/app/a.toml"})),
        result(
            4,
            "toolu_1",
            "1\tport = 1",
            json!({"type": "text", "file": {"filePath": "/work/app/a.toml", "content": "port = 1"}}),
            false,
        ),
        call(5, "toolu_2", "Bash", json!({"command": "cargo test"})),
        result(
            6,
            "toolu_2",
            "<tool_use_error>Exit code 101</tool_use_error>",
            json!("Error: Exit code 101"),
            true,
        ),
        assistant(7, "m2", json!({"type": "text", "text": "It failed."})),
        assistant(8, "m2", json!({"type": "text", "text": "Shall I fix it?"})),
        json!({"type": "ai-title", "aiTitle": "Read a config", "sessionId": SESSION}),
    ]));
    assert_eq!(
        events(&t),
        ["SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop", "SessionEnd"]
    );
    let keys: Vec<&str> = t.items.iter().map(|i| i.key.as_str()).collect();
    assert_eq!(
        keys,
        [&format!("{SESSION}#start"), "u1", "u3#toolu_1", "u5#toolu_2", "u8#stop", &format!("{SESSION}#end")]
    );
    let post = &t.items[2].payload;
    assert_eq!(
        Value::Object(post.clone()),
        json!({
            "session_id": SESSION, "cwd": "/work/app", "hook_event_name": "PostToolUse", "tool_name": "Read", "tool_input": {"file_path": "/work/app/a.toml"},
            "tool_response": {"type": "text", "file": {"filePath": "/work/app/a.toml", "content": "port = 1"}}, "tool_use_id": "toolu_1", "timestamp": "2026-05-01T10:00:04Z",
        })
    );
    assert_eq!(t.items[3].payload["error"], "Exit code 101");
    assert!(!t.items[3].payload.contains_key("tool_response"));
    assert_eq!(t.items[4].payload["last_assistant_message"], "It failed.\n\nShall I fix it?");
    let session = &t.sessions[0];
    assert_eq!((session.prompts, session.tool_calls, session.interactive), (1, 2, true));
    assert_eq!(session.title.as_deref(), Some("Read a config"));
    assert_eq!(
        (session.cwds.as_slice(), session.branches.as_slice()),
        (["/work/app".to_owned()].as_slice(), ["main".to_owned()].as_slice())
    );
    assert_eq!(t.summary.lines, 10);
    assert_eq!(t.summary.records["assistant"], 5);
    assert!(t.summary.dropped.is_empty() && t.summary.skipped_lines.is_empty(), "{:?}", t.summary);
}

#[test]
fn what_no_user_typed_is_no_prompt() {
    let mut meta = user(3, json!("Caveat of the host"));
    meta["isMeta"] = json!(true);
    let mut summary = user(4, json!("This session is being continued: remember everything"));
    summary["isCompactSummary"] = json!(true);
    let mut side = user(5, json!("Warmup"));
    side["isSidechain"] = json!(true);
    let api = record(
        6,
        "assistant",
        json!({"isApiErrorMessage": true, "message": {"id": "e", "model": "<synthetic>", "content": [{"type": "text", "text": "API Error: 500"}]}}),
    );
    let injected = record(
        7,
        "attachment",
        json!({"attachment": {"type": "hook_additional_context", "content": ["<mem-context>old</mem-context>"]}}),
    );
    let queued = record(
        8,
        "attachment",
        json!({"attachment": {"type": "queued_command", "prompt": "and the docs", "commandMode": "prompt"}}),
    );
    let task = record(
        9,
        "attachment",
        json!({"attachment": {"type": "queued_command", "prompt": "<task-notification>x</task-notification>", "commandMode": "task-notification"}}),
    );
    let t = read(lines(&[
        user(1, json!("<command-name>/clear</command-name><command-message>clear</command-message>")),
        user(
            2,
            json!([{"type": "text", "text": "<system-reminder>x</system-reminder>"}, {"type": "text", "text": "go <mem-context project=\"p\">decision: <b></mem-context>on"}, {"type": "image", "source": {}}]),
        ),
        meta,
        summary,
        side,
        api,
        injected,
        queued,
        task,
        user(10, json!("[Request interrupted by user]")),
        user(2, json!("written twice")),
        record(11, "brand-new-type", json!({})),
        json!({"type": "user", "uuid": "lost", "message": {"content": "no session"}}),
        record(12, "user", json!({"message": {"role": "user", "contenst": []}})),
    ]));
    assert_eq!(prompts(&t), ["go on", "and the docs"]);
    let dropped: Vec<(&str, u64)> = t.summary.dropped.iter().map(|(k, n)| (k.as_str(), *n)).collect();
    assert_eq!(
        dropped,
        [
            ("api_error", 1),
            ("compact_summary", 1),
            ("duplicate", 1),
            ("injected", 2),
            ("meta", 1),
            ("no_session", 1),
            ("odd_shape", 1),
            ("sidechain", 1),
            ("unknown_type", 1),
            ("wrapper", 2)
        ]
    );
    assert!(!events(&t).contains(&"Stop"));
}

#[test]
fn refused_and_interrupted_calls_never_ran() {
    let t = read(lines(&[
        user(1, json!("push it")),
        call(2, "toolu_1", "Bash", json!({"command": "git push"})),
        result(
            3,
            "toolu_1",
            "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\nuse the mirror",
            json!("User rejected tool use"),
            true,
        ),
        call(4, "toolu_2", "Bash", json!({"command": "sleep 9"})),
        result(5, "toolu_unknown", "x", json!({}), false),
    ]));
    assert_eq!(
        events(&t),
        ["SessionStart", "UserPromptSubmit", "PreToolUse", "UserPromptSubmit", "PreToolUse", "SessionEnd"]
    );
    assert_eq!(prompts(&t), ["push it", "use the mirror"]);
    assert_eq!(t.items[3].key, "u2#toolu_1#said");
    assert_eq!(
        (t.summary.dropped["rejected"], t.summary.dropped["interrupted"], t.summary.dropped["orphan_result"]),
        (1, 1, 1)
    );
    assert_eq!(t.sessions[0].tool_calls, 0);
}

#[test]
fn own_output_images_and_whole_originals_are_taken_out() {
    let t = read(lines(&[
        call(1, "t", "Edit", json!({"file_path": "a"})),
        result(
            2,
            "t",
            "ok",
            json!({"originalFile": "whole", "note": "a<mem-context>b</mem-context>c", "source": {"data": "QUJD".repeat(200)}, "short": {"data": "QUJD"}}),
            false,
        ),
    ]));
    let response = &t.items[1].payload["tool_response"];
    assert_eq!(
        response,
        &json!({"originalFile": null, "note": "ac", "source": {"data": ""}, "short": {"data": "QUJD"}})
    );
}

#[test]
fn damaged_lines_are_counted_and_the_rest_is_read() {
    let (a, b, c) = (user(1, json!("one")), user(2, json!("two")), user(3, json!("three")));
    let text = format!(
        "\u{feff}{a}\r\n\r\n{b}{c}\nnot json\n42\n{{\"type\":\"user\",\"uu{}\n",
        user(4, json!("four"))
    );
    let t = read(&text);
    assert_eq!(prompts(&t), ["one", "two", "three", "four"]);
    assert_eq!(t.summary.glued_lines, 2);
    let skipped: Vec<(&str, u64)> = t.summary.skipped_lines.iter().map(|(k, n)| (k.as_str(), *n)).collect();
    assert_eq!(skipped, [("blank", 1), ("not_an_object", 1), ("not_json", 1)]);
    assert_eq!(t.summary.consumed, text.len() as u64);
}

#[test]
fn a_torn_tail_is_left_for_later_and_a_whole_one_is_taken() {
    let head = lines(&[user(1, json!("one"))]);
    let tail = user(2, json!("改")).to_string();
    let whole = read(format!("{head}{tail}"));
    assert_eq!(prompts(&whole), ["one", "改"]);
    assert_eq!(whole.summary.consumed, (head.len() + tail.len()) as u64);
    for cut in 1..tail.len() {
        let bytes = [head.as_bytes(), &tail.as_bytes()[..cut]].concat();
        let t = read(bytes);
        assert_eq!(prompts(&t), ["one"], "cut at {cut}");
        assert_eq!(t.summary.consumed, head.len() as u64);
        assert_eq!(t.summary.skipped_lines["torn_tail"], 1);
    }
}

#[test]
fn long_lines_are_skipped_without_being_held() {
    let config = TranscriptConfig { max_line_bytes: 2000, ..TranscriptConfig::default() };
    let text = lines(&[user(1, json!("x".repeat(5000))), user(2, json!("short"))]);
    let t = read_transcript_from(std::io::BufReader::with_capacity(64, text.as_bytes()), &config).unwrap();
    assert_eq!(prompts(&t), ["short"]);
    assert_eq!(t.summary.skipped_lines["too_long"], 1);
    assert_eq!(t.summary.consumed, text.len() as u64);
}

#[test]
fn sessions_without_a_person_are_marked() {
    let mut sdk = user(1, json!("analyse"));
    sdk["entrypoint"] = json!("sdk-cli");
    assert!(read(lines(&[sdk])).items.iter().all(|i| !i.interactive));
    let own = read(lines(&[
        user(1, json!("<mem-distil>digest</mem-distil>\nlist instincts")),
        user(2, json!("more")),
    ]));
    assert!(own.items.iter().all(|i| !i.interactive));
    assert!(read(lines(&[user(1, json!("hello"))])).items.iter().all(|i| i.interactive));
}

#[test]
fn two_sessions_of_one_file_end_apart() {
    let mut other = user(2, json!("b"));
    other["sessionId"] = json!("second");
    let t = read(lines(&[user(1, json!("a")), other, user(3, json!("c"))]));
    let ids: Vec<(&str, &str)> = t.items.iter().map(|i| (i.session.as_str(), i.event())).collect();
    assert_eq!(
        ids,
        [
            (SESSION, "SessionStart"),
            (SESSION, "UserPromptSubmit"),
            ("second", "SessionStart"),
            ("second", "UserPromptSubmit"),
            (SESSION, "UserPromptSubmit"),
            (SESSION, "SessionEnd"),
            ("second", "SessionEnd"),
        ]
    );
}

#[test]
fn missing_times_follow_the_record_before() {
    let mut timeless = user(2, json!("b"));
    timeless.as_object_mut().unwrap().remove("timestamp");
    let t = read(lines(&[user(1, json!("a")), timeless]));
    assert_eq!(t.items[2].at, t.items[1].at);
    assert_eq!(t.items[2].payload["timestamp"], "2026-05-01T10:00:01Z");
}

#[test]
fn prompts_lose_nested_and_unclosed_wrappers() {
    let own = TranscriptConfig::default().own_markers;
    assert_eq!(clean_prompt("a <mem-context>x<mem-context>y</mem-context>z</mem-context> b", &own), "a  b");
    assert_eq!(clean_prompt("a <system-reminder>never closed", &own), "a");
    assert_eq!(clean_prompt("<mem-contexts> stays", &own), "<mem-contexts> stays");
    assert_eq!(clean_prompt("  \u{feff}", &own), "");
}

#[test]
fn session_files_are_found_and_their_company_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let all = [
        "p/b.jsonl",
        "p/a.jsonl",
        "p/agent-1.jsonl",
        "p/a/subagents/agent-2.jsonl",
        "p/a/subagents/workflows/w/journal.jsonl",
        "p/a/subagents/agent.meta.json",
        "history.jsonl",
        "p/a/tool-results/x.txt",
        "p/memory/x.jsonl",
    ];
    for name in all {
        let path = folder.path().join(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, "").unwrap();
    }
    let found: Vec<PathBuf> = find_transcripts(folder.path());
    assert_eq!(found, [folder.path().join("p/a.jsonl"), folder.path().join("p/b.jsonl")]);
    assert_eq!(find_transcripts(&folder.path().join("p/a.jsonl")).len(), 1);
    assert_eq!(find_transcripts(&folder.path().join("p/agent-1.jsonl")), Vec::<PathBuf>::new());
    assert_eq!(find_transcripts(&folder.path().join("none")), Vec::<PathBuf>::new());
    assert_eq!(classify_transcript(Path::new("w/journal.jsonl")), FileClass::Journal);
    assert_eq!(classify_transcript(Path::new("a/subagents/x.jsonl")), FileClass::Subagent);
    let missing =
        read_transcript(&folder.path().join("none.jsonl"), &TranscriptConfig::default()).unwrap_err();
    assert_eq!(missing.kind(), mem_core::ErrorKind::NotFound);
}

/// A payload as the observation that capture makes of it, without redaction.
fn observation(item: &TranscriptItem) -> Option<Observation> {
    let phase = match item.event() {
        "PreToolUse" => Phase::Pre,
        "PostToolUse" => Phase::Post,
        "PostToolUseFailure" => Phase::Failure,
        "UserPromptSubmit" => Phase::Prompt,
        "Stop" => Phase::Stop,
        _ => return None,
    };
    let mut o = Observation::new(item.session.clone(), item.at.unwrap_or(Timestamp::UNIX_EPOCH), phase);
    let string = |key: &str| item.payload.get(key).and_then(Value::as_str).map(str::to_owned);
    o.tool = string("tool_name");
    o.tool_use_id = string("tool_use_id");
    o.error = string("error");
    o.input = match item.payload.get("tool_input") {
        Some(Value::Object(input)) => input.clone(),
        _ => item.payload.clone(),
    };
    Some(o)
}

#[test]
fn a_replayed_session_teaches() {
    let mut records = vec![user(1, json!("rename it, and remember that tests need Docker"))];
    for n in 0..2u32 {
        let (read, edit, test) = (format!("r{n}"), format!("e{n}"), format!("t{n}"));
        let file = json!({"file_path": format!("/work/app/{n}.rs"), "old_string": "a", "new_string": "b"});
        records.extend([
            call(10 + n * 10, &read, "Read", json!({"file_path": format!("/work/app/{n}.rs")})),
            result(11 + n * 10, &read, "x", json!({"type": "text"}), false),
            call(12 + n * 10, &edit, "Edit", file),
            result(13 + n * 10, &edit, "x", json!({"filePath": "x"}), false),
            call(14 + n * 10, &test, "Bash", json!({"command": "cargo test"})),
            result(15 + n * 10, &test, "x", json!({"stdout": ""}), false),
        ]);
    }
    let t = read(lines(&records));
    let observations: Vec<Observation> = t.items.iter().filter_map(observation).collect();
    let found = Detectors::default().run(&observations, &[]);
    let shown: Vec<&str> =
        found.iter().filter(|f| f.standing == Standing::Shown).map(|f| f.id.as_str()).collect();
    assert_eq!(shown, ["read-before-edit-rs", "test-after-edit-cargo-test"]);
}

/// Real files, where they lie beside the project: none may panic, and every item must be whole.
#[test]
fn samples_are_read_when_they_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples/transcripts");
    let files = find_transcripts(&root);
    let (mut items, mut skipped, mut calls, mut findings, mut candidates) =
        (0usize, 0u64, 0u64, 0usize, 0usize);
    for file in &files {
        let t = read_transcript(file, &TranscriptConfig::default()).unwrap();
        items += t.items.len();
        skipped += t.summary.skipped_lines.values().sum::<u64>();
        calls += t.sessions.iter().map(|s| s.tool_calls).sum::<u64>();
        for item in &t.items {
            assert!(!item.key.is_empty() && !item.event().is_empty());
            assert_eq!(item.payload["session_id"].as_str(), Some(item.session.as_str()));
        }
        for session in &t.sessions {
            let mine = t.items.iter().filter(|i| i.session == session.id);
            let observations: Vec<Observation> = mine.filter_map(observation).collect();
            let found = Detectors::default().run(&observations, &[]);
            assert!(found.iter().all(|f| f.counts.hits <= f.counts.opportunities));
            findings += found.iter().filter(|f| f.standing != Standing::Absent).count();
            let turns: Vec<Turn> = observations
                .iter()
                .filter_map(|o| {
                    Some(Turn {
                        role: TurnRole::User,
                        text: o.prompt()?.to_owned(),
                        at: o.ts,
                        session: o.session_id.clone(),
                    })
                })
                .collect();
            candidates += RuleExtractor::default().extract(&turns).unwrap().len();
        }
    }
    println!(
        "{} files, {items} items, {calls} tool calls, {skipped} lines skipped, {findings} findings, {candidates} candidates",
        files.len()
    );
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let t = read(&bytes);
        prop_assert!(t.summary.consumed <= bytes.len() as u64);
    }

    #[test]
    fn any_mutilation_of_a_transcript_is_read(cuts in proptest::collection::vec((0usize..2000, 0usize..40, any::<u8>()), 0..6)) {
        let mut bytes = lines(&[
            user(1, json!("one")), call(2, "t1", "Bash", json!({"command": "ls"})), result(3, "t1", "x", json!({"stdout": "x"}), false), assistant(4, "m", json!({"type": "text", "text": "done"})), user(5, json!("two")),
        ]).into_bytes();
        for (at, len, byte) in cuts {
            let at = at % bytes.len().max(1);
            let end = (at + len).min(bytes.len());
            bytes.splice(at..end, [byte]);
        }
        let t = read(&bytes);
        prop_assert_eq!(&t, &read(&bytes));
        let keys: std::collections::HashSet<&str> = t.items.iter().map(|i| i.key.as_str()).collect();
        prop_assert_eq!(keys.len(), t.items.len(), "keys are unique");
    }
}
