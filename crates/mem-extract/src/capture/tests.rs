use super::*;
use mem_core::{JsonObject, Observation, Phase};
use serde_json::{Value, json};

fn see(payload: Value) -> Option<Observation> {
    see_with(payload, &CaptureConfig::default())
}

fn see_with(payload: Value, limits: &CaptureConfig) -> Option<Observation> {
    let Value::Object(payload) = payload else { return None };
    let redactor = Redactor::default();
    let project = ProjectId::new("github.com/acme/shop").unwrap();
    let now = "2026-11-30T12:00:00Z".parse().unwrap();
    let context = Context { now, project: Some(&project), redactor: &redactor, limits };
    let seen = claude::observe(&payload, &context)?;
    let line = serde_json::to_string(&seen).unwrap();
    assert!(!line.contains(['\n', '\r']), "one line");
    assert!(line.len() <= limits.max_line_bytes, "{} bytes", line.len());
    assert_eq!(serde_json::from_str::<Observation>(&line).unwrap(), seen);
    Some(seen)
}

fn event(name: &str, fields: Value) -> Value {
    let mut payload = json!({
        "session_id": "0b7c1e0a-session", "transcript_path": "C:\\Users\\kim\\.claude\\projects\\x.jsonl",
        "cwd": "D:\\작업\\shop", "permission_mode": "default", "hook_event_name": name,
    });
    payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    payload
}

fn post(tool: &str, input: Value, response: Value) -> Observation {
    see(event(
        "PostToolUse",
        json!({"tool_name": tool, "tool_input": input, "tool_response": response, "tool_use_id": "toolu_1", "duration_ms": 12}),
    ))
    .unwrap()
}

#[test]
fn every_recorded_event_has_its_phase() {
    for (name, fields, phase) in [
        ("SessionStart", json!({"source": "resume", "model": "m"}), Phase::Start),
        ("UserPromptSubmit", json!({"prompt": "修复登录"}), Phase::Prompt),
        ("PreToolUse", json!({"tool_name": "PowerShell", "tool_input": {"command": "dir"}}), Phase::Pre),
        ("PostToolUse", json!({"tool_name": "Read", "tool_input": {}}), Phase::Post),
        ("PostToolUseFailure", json!({"tool_name": "Read", "error": "no such file"}), Phase::Failure),
        ("Stop", json!({"last_assistant_message": "done"}), Phase::Stop),
        ("SubagentStop", json!({"agent_id": "a1"}), Phase::Stop),
        ("PreCompact", json!({"trigger": "auto"}), Phase::Compact),
        ("PostCompact", json!({"compact_summary": "we did x"}), Phase::Compact),
        ("SessionEnd", json!({"reason": "clear"}), Phase::End),
    ] {
        let seen = see(event(name, fields)).unwrap();
        assert_eq!(seen.phase, phase, "{name}");
        assert_eq!(seen.session_id.as_str(), "0b7c1e0a-session");
        assert_eq!(seen.cwd.as_deref(), Some("D:\\작업\\shop"));
        assert_eq!(seen.project.as_ref().map(|p| p.as_str()), Some("github.com/acme/shop"));
        assert!(!seen.extra.contains_key("transcript_path"));
    }
    for name in ["Notification", "SubagentStart", "PermissionRequest", "TaskCreated", "Brandnew", ""] {
        assert_eq!(see(event(name, json!({"tool_name": "Bash"}))), None, "{name}");
    }
    assert_eq!(see(event("PreToolUse", json!({"tool_name": "Edit", "tool_input": {}}))), None);
    assert_eq!(see(json!({"session_id": "s"})), None);
    assert_eq!(see(json!({"hook_event_name": 7})), None);
}

#[test]
fn sources_reasons_and_summaries_are_kept() {
    assert_eq!(see(event("SessionStart", json!({"source": "compact"}))).unwrap().extra["source"], "compact");
    assert_eq!(see(event("SessionEnd", json!({"reason": "logout"}))).unwrap().extra["reason"], "logout");
    let seen = see(event("PostCompact", json!({"trigger": "auto", "compact_summary": "요약"}))).unwrap();
    assert_eq!(seen.input["compact_summary"], "요약");
    assert_eq!(seen.extra["event"], "PostCompact");
    let seen = see(event(
        "SubagentStop",
        json!({"agent_id": "a1", "agent_type": "Explore", "stop_hook_active": true}),
    ))
    .unwrap();
    assert_eq!((seen.agent_id.as_deref(), &seen.extra["agent_type"]), (Some("a1"), &json!("Explore")));
    assert_eq!(seen.extra["event"], "SubagentStop");
    assert_eq!(seen.extra["stop_hook_active"], true);
}

#[test]
fn a_shell_call_keeps_command_description_and_a_head_of_its_output() {
    let seen = post(
        "Bash",
        json!({"command": "cargo test", "description": "Run the tests", "timeout": 60000}),
        json!({"stdout": "zeile\n".repeat(200), "stderr": "", "interrupted": true, "isImage": false}),
    );
    assert_eq!(seen.tool.as_deref(), Some("Bash"));
    assert_eq!(seen.input_str("command"), Some("cargo test"));
    assert_eq!(seen.bash_desc.as_deref(), Some("Run the tests"));
    assert_eq!((seen.ok, seen.tool_use_id.as_deref()), (Some(true), Some("toolu_1")));
    let response = &seen.extra["response"];
    assert_eq!(response["stdout"].as_str().unwrap().chars().count(), 300);
    assert_eq!((&response["interrupted"], response.get("isImage")), (&json!(true), None));
    assert_eq!(seen.extra["duration_ms"], 12);
    let want = json!({"stdout": "zeile\n".repeat(200), "stderr": "", "interrupted": true, "isImage": false});
    assert_eq!(seen.response_bytes, Some(want.to_string().len() as u64));
}

#[test]
fn whole_files_are_never_kept() {
    let body = "fn main() {}\n".repeat(400);
    let seen = post(
        "Edit",
        json!({"file_path": "C:\\src\\메인.rs", "old_string": body, "new_string": "x", "replace_all": false}),
        json!({"filePath": "C:\\src\\메인.rs", "originalFile": body, "structuredPatch": [], "userModified": true}),
    );
    let line = serde_json::to_string(&seen).unwrap();
    assert!(line.len() < 2_000, "{line}");
    assert_eq!(seen.input_str("file_path"), Some("C:\\src\\메인.rs"));
    let digest = &seen.input["old_string"];
    assert_eq!(digest["bytes"], 5_200);
    assert_eq!(digest["head"].as_str().unwrap(), &body[..200]);
    assert_eq!(digest["sha256"].as_str().unwrap().len(), 64);
    assert_eq!(seen.extra["response"], json!({"userModified": true}));
    let seen = post(
        "Write",
        json!({"file_path": "/a", "content": "가".repeat(1_001)}),
        json!({"type": "create", "content": "가"}),
    );
    assert_eq!(seen.input_str("content"), Some("가".repeat(200).as_str()));
    assert_eq!(seen.input["content"]["bytes"], 3_003);
    let seen = post("Write", json!({"content": "가".repeat(1_000)}), json!(null));
    assert_eq!(seen.input_str("content"), Some("가".repeat(1_000).as_str()));
}

#[test]
fn digests_are_those_of_the_standard() {
    let limits = CaptureConfig { max_string: 2, digest_head: 2, ..CaptureConfig::default() };
    let seen = see_with(event("PostToolUse", json!({"tool_name": "X", "tool_input": {"a": "abc"}})), &limits)
        .unwrap();
    assert_eq!(seen.input["a"]["head"], "ab");
    assert_eq!(seen.input["a"]["sha256"], "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

#[test]
fn images_keep_no_head() {
    let image = "iVBORw0KGgoAAAANSUhEUgAA".repeat(100);
    let seen = post(
        "mcp__browser__shot",
        json!({"image": image, "url": format!("data:image/png;base64,{image}"), "q": "x"}),
        json!([]),
    );
    assert_eq!(seen.input["image"].get("head"), None);
    assert_eq!(seen.input["url"].get("head"), None);
    assert_eq!(seen.input["image"]["bytes"], 2_400);
    assert_eq!(seen.input["q"], "x");
}

#[test]
fn other_tools_answers_leave_their_counts() {
    let seen = post(
        "Glob",
        json!({"pattern": "**/*.ts"}),
        json!({"filenames": ["a", "b"], "numFiles": 2, "truncated": false}),
    );
    assert_eq!(seen.extra["response"], json!({"numFiles": 2}));
    let seen = post(
        "mcp__db__query",
        json!({"sql": "select 1"}),
        json!([{"type": "text", "text": "1 row"}, {"type": "text", "text": "x"}]),
    );
    assert_eq!(seen.extra["response"], json!({"blocks": 2, "text": "1 row"}));
    let seen = post("Skill", json!({"skill": "x"}), json!("plain answer"));
    assert_eq!(seen.extra["response"], json!({"text": "plain answer"}));
    let seen = post(
        "Agent",
        json!({"prompt": "調べて", "subagent_type": "Explore"}),
        json!({"status": "completed", "agentId": "a9", "content": [], "usage": {}}),
    );
    assert_eq!(seen.extra["response"], json!({"status": "completed", "agentId": "a9"}));
    let seen = post(
        "AskUserQuestion",
        json!({"questions": [{"question": "继续?"}], "answers": {"继续?": "是"}}),
        json!({"answers": {}}),
    );
    assert_eq!(seen.input["answers"]["继续?"], "是");
}

#[test]
fn failures_keep_the_beginning_of_the_error_and_the_code() {
    let error = format!("Exit code 127\nbash: frobnicate: command not found\n{}", "x".repeat(2_000));
    let seen = see(event("PostToolUseFailure", json!({"tool_name": "Bash", "tool_input": {"command": "frobnicate"}, "error": error, "is_interrupt": false}))).unwrap();
    assert_eq!((seen.ok, &seen.extra["exit_code"]), (Some(false), &json!(127)));
    let kept = seen.error.unwrap();
    assert!(kept.starts_with("Exit code 127\nbash: frobnicate") && kept.chars().count() == 500);
    let seen = see(event("PostToolUseFailure", json!({"tool_name": "Bash", "error": {"code": 3}}))).unwrap();
    assert_eq!(seen.error.as_deref(), Some("{\"code\":3}"));
}

#[test]
fn odd_types_never_fail() {
    let seen = see(json!({"hook_event_name": "PostToolUse", "tool_name": 5, "tool_input": ["a"], "cwd": 3, "session_id": null, "agent_id": [1]})).unwrap();
    assert_eq!(seen.session_id.as_str(), "unknown");
    assert_eq!(seen.input, JsonObject::from_iter([("value".to_owned(), json!(["a"]))]));
    assert_eq!((seen.tool, seen.cwd, seen.agent_id), (None, None, None));
    assert_eq!((&seen.extra["cwd"], &seen.extra["tool_name"]), (&json!(3), &json!(5)));
    assert_eq!(
        see(json!({"hook_event_name": "Stop", "session_id": "a\nb\u{7}"})).unwrap().session_id.as_str(),
        "ab"
    );
    assert_eq!(
        see(json!({"hook_event_name": "Stop", "session_id": ""})).unwrap().session_id.as_str(),
        "unknown"
    );
    assert_eq!(
        see(json!({"hook_event_name": "Stop", "session_id": "长".repeat(300)})).unwrap().session_id.as_str(),
        "长".repeat(60)
    );
    assert_eq!(
        see(event("UserPromptSubmit", json!({"prompt": {"text": "x"}}))).unwrap().input["prompt"]["text"],
        "x"
    );
}

#[test]
fn what_a_model_says_loses_our_own_output() {
    let quoting = "As noted: <mem-context>\n- port 5433\n</mem-context> Done.";
    let stop = see(event("Stop", json!({ "last_assistant_message": quoting }))).unwrap();
    assert_eq!(stop.input["last_assistant_message"], "As noted:  Done.");
    let compact = see(event("PostCompact", json!({ "compact_summary": quoting }))).unwrap();
    assert!(!compact.input["compact_summary"].as_str().unwrap().contains("5433"));
}

#[test]
fn prompts_lose_our_own_output_and_private_text_and_are_long() {
    let seen = see(event(
        "UserPromptSubmit",
        json!({"prompt": "a <mem-context v=1>old</mem-context>b<private>my key</private> c<mem-context>cut"}),
    ))
    .unwrap();
    assert_eq!(seen.prompt(), Some("a b[PRIVATE] c"));
    assert_eq!(seen.redacted, JsonObject::from_iter([("private".to_owned(), json!(1))]));
    let seen = see(event("UserPromptSubmit", json!({"prompt": "长".repeat(25_000)}))).unwrap();
    assert!(seen.prompt().unwrap().chars().count() >= 9_000);
    let seen = see(event("UserPromptSubmit", json!({"prompt": "l".repeat(25_000)}))).unwrap();
    assert_eq!(seen.prompt().unwrap().len(), 20_000);
    let seen = see(event("UserPromptSubmit", json!({"prompt": "\u{1}\u{7f}\r\n\u{fffd}"}))).unwrap();
    assert_eq!(seen.prompt(), Some("\u{1}\u{7f}\r\n\u{fffd}"));
}

#[test]
fn secrets_are_gone_from_every_field() {
    let secret = ["gh", "p_", "a8Bc9De0Fg1Hi2Jk3Lm4No5Pq6Rs7Tu8Vw9X"].concat();
    let long = format!("{}{secret} {}", "a ".repeat(80), "b ".repeat(600));
    let seen = see(event(
        "PostToolUse",
        json!({
            "tool_name": "Bash", "tool_use_id": secret, "cwd": format!("/home/{secret}"), "agent_id": secret,
            "tool_input": {"command": format!("curl -u bob:hunter2 -H 'X: {secret}'"), "description": secret, "long": long,
                "private_key": "q7".repeat(900), "env": {"DB_PASSWORD": "hunter2"}},
            "tool_response": {"stdout": secret, "stderr": "password: hunter2"}, "odd": {"token": secret},
        }),
    ))
    .unwrap();
    let line = serde_json::to_string(&seen).unwrap();
    assert!(!line.contains(&secret[..12]) && !line.contains("hunter2") && !line.contains("q7q7"), "{line}");
    assert_eq!(seen.redacted["github_token"], 8);
    let error = see(event(
        "PostToolUseFailure",
        json!({"tool_name": "Bash", "error": format!("Exit code 1\n{}{secret}", "x ".repeat(240))}),
    ))
    .unwrap();
    assert!(!serde_json::to_string(&error).unwrap().contains("ghp_"), "a secret on the cut goes whole");
}

#[test]
fn size_is_bounded_as_valid_json() {
    let mut deep = json!("x");
    for _ in 0..100 {
        deep = json!([deep]);
    }
    let many: Vec<u32> = (0..10_000).collect();
    let seen = post("X", json!({"deep": deep, "many": many}), json!({}));
    let kept = seen.input["many"].as_array().unwrap();
    assert_eq!((kept.len(), &kept[64]), (65, &json!({"truncated": 9_936})));
    let wide: JsonObject = (0..500).map(|n| (format!("k{n}"), json!(n))).collect();
    assert_eq!(post("X", json!({"wide": wide}), json!({})).input["wide"]["truncated"], 436);
    let bulk: JsonObject = (0..60).map(|n| (format!("k{n}"), json!(vec!["\u{1}".repeat(900); 60]))).collect();
    let seen = post("X", Value::Object(bulk.clone()), json!({}));
    assert!(seen.input.values().any(|v| v.get("truncated").is_some()));
    let mut fields = bulk;
    fields.extend([("tool_name".to_owned(), json!("X"))]);
    let seen = see(event("PostToolUse", Value::Object(fields))).unwrap();
    assert!(seen.extra["truncated"].as_u64().unwrap() > 100_000);
    let megabyte = "行".repeat(400_000);
    let seen = post("Bash", json!({"command": megabyte}), json!({"stdout": megabyte}));
    assert_eq!(seen.input["command"]["bytes"], 1_200_000);
    let small = CaptureConfig { max_line_bytes: 2_000, ..CaptureConfig::default() };
    see_with(event("UserPromptSubmit", json!({"prompt": "\u{1}".repeat(10_000)})), &small).unwrap();
}

#[test]
fn unusual_bytes_reach_the_journal_as_one_line() {
    let bytes = b"\xef\xbb\xbf{\"hook_event_name\":\"PostToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"echo \\ud83d \xb0\xa1\"}}";
    let parsed = crate::lenient_json::parse(bytes).unwrap();
    let seen = see(parsed.value).unwrap();
    assert_eq!(seen.input_str("command"), Some("echo \u{fffd} \u{fffd}\u{fffd}"));
}

/// Payloads of real hosts, where a checkout has them.
#[test]
fn recorded_samples_give_observations() {
    let Some(root) = option_env!("MEM_HOOK_SAMPLES") else { return };
    let mut folders = vec![std::path::PathBuf::from(root)];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "json") {
                let Ok(parsed) = crate::lenient_json::parse(&std::fs::read(&path).unwrap()) else { continue };
                let name = parsed.value["hook_event_name"].as_str().unwrap_or_default().to_owned();
                let tool = parsed.value["tool_name"].as_str().unwrap_or_default().to_owned();
                let recorded = matches!(
                    name.as_str(),
                    "SessionStart"
                        | "UserPromptSubmit"
                        | "PostToolUse"
                        | "PostToolUseFailure"
                        | "Stop"
                        | "SubagentStop"
                        | "PreCompact"
                        | "PostCompact"
                        | "SessionEnd"
                ) || name == "PreToolUse" && matches!(tool.as_str(), "Bash" | "PowerShell");
                let observation = see(parsed.value);
                assert_eq!(observation.is_some(), recorded, "{}", path.display());
                if let Some(o) = observation {
                    seen += 1;
                    if !o.redacted.is_empty() {
                        eprintln_sample(&path, &o);
                    }
                }
            }
        }
    }
    assert!(seen > 0);
}

#[allow(clippy::print_stderr, reason = "shown with --nocapture only, to look at what was redacted")]
fn eprintln_sample(path: &std::path::Path, seen: &Observation) {
    eprintln!("{}: {:?}", path.display(), seen.redacted);
}
