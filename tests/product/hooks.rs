//! Every event of the host: which are recorded, as what, and what is said to them.

use mem_tests::{HookOutput, Sandbox};
use serde_json::{Value, json};

/// Events with their own fields, and the phase they are recorded as; none for those that are passed over.
fn events() -> Vec<(&'static str, Value, Option<&'static str>)> {
    let bash = json!({"tool_name": "Bash", "tool_input": {"command": "cargo test -p engine", "description": "Run tests"}, "tool_use_id": "toolu_b1"});
    let with = |base: &Value, more: Value| {
        let mut base = base.clone();
        base.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        base
    };
    vec![
        ("SessionStart", json!({"source": "startup", "model": "claude-x"}), Some("start")),
        ("SessionStart", json!({"source": "fork"}), Some("start")),
        ("Setup", json!({"trigger": "init"}), None),
        (
            "InstructionsLoaded",
            json!({"file_path": "/w/CLAUDE.md", "memory_type": "Project", "load_reason": "session_start"}),
            None,
        ),
        (
            "UserPromptSubmit",
            json!({"prompt": "看看为什么 nightly 构建失败了", "permission_mode": "default"}),
            Some("prompt"),
        ),
        (
            "UserPromptExpansion",
            json!({"expansion_type": "slash_command", "command_name": "ship", "command_args": "", "prompt": "/ship"}),
            None,
        ),
        (
            "MessageDisplay",
            json!({"turn_id": "t", "message_id": "m", "index": 0, "final": true, "delta": "x"}),
            None,
        ),
        ("PreToolUse", bash.clone(), Some("pre")),
        (
            "PreToolUse",
            json!({"tool_name": "PowerShell", "tool_input": {"command": "Get-ChildItem"}, "tool_use_id": "toolu_p1"}),
            Some("pre"),
        ),
        (
            "PreToolUse",
            json!({"tool_name": "Read", "tool_input": {"file_path": "/w/a.rs"}, "tool_use_id": "toolu_r1"}),
            None,
        ),
        ("PermissionRequest", json!({"tool_name": "Bash", "tool_input": {"command": "ls"}}), None),
        (
            "PermissionDenied",
            json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t", "reason": "no"}),
            None,
        ),
        (
            "PostToolUse",
            with(
                &bash,
                json!({"tool_response": {"stdout": "ok", "stderr": "", "interrupted": false, "isImage": false}, "duration_ms": 7}),
            ),
            Some("post"),
        ),
        (
            "PostToolUse",
            json!({"tool_name": "mcp__docs__find", "tool_input": {"q": "x"}, "tool_response": [{"type": "text", "text": "found"}], "tool_use_id": "toolu_m1"}),
            Some("post"),
        ),
        (
            "PostToolUse",
            json!({"tool_name": "Odd", "tool_input": "a string", "tool_response": 7, "tool_use_id": "toolu_o1"}),
            Some("post"),
        ),
        (
            "PostToolUseFailure",
            with(&bash, json!({"error": "Exit code 101\nassertion failed", "is_interrupt": false})),
            Some("failure"),
        ),
        ("PostToolBatch", json!({"tool_calls": [bash]}), None),
        ("Notification", json!({"message": "waiting", "notification_type": "idle_prompt"}), None),
        ("SubagentStart", json!({"agent_id": "a1", "agent_type": "Explore"}), None),
        (
            "SubagentStop",
            json!({"stop_hook_active": false, "agent_id": "a1", "agent_type": "Explore", "agent_transcript_path": "/x.jsonl", "last_assistant_message": "Found it."}),
            Some("stop"),
        ),
        ("TaskCreated", json!({"task_id": "1", "task_subject": "x"}), None),
        ("TaskCompleted", json!({"task_id": "1", "task_subject": "x"}), None),
        (
            "Stop",
            json!({"stop_hook_active": false, "last_assistant_message": "All tests pass."}),
            Some("stop"),
        ),
        ("Stop", json!({"stop_hook_active": true}), Some("stop")),
        ("StopFailure", json!({"error": "rate_limit"}), None),
        ("TeammateIdle", json!({"teammate_name": "a", "team_name": "b"}), None),
        ("ConfigChange", json!({"source": "user_settings"}), None),
        ("CwdChanged", json!({"old_cwd": "/a", "new_cwd": "/b"}), None),
        ("DirectoryAdded", json!({"directory": "/a", "source": "slash_command"}), None),
        ("FileChanged", json!({"file_path": "/a", "event": "change"}), None),
        ("WorktreeCreate", json!({"name": "w"}), None),
        ("WorktreeRemove", json!({"worktree_path": "/w"}), None),
        ("PreCompact", json!({"trigger": "auto", "custom_instructions": null}), Some("compact")),
        (
            "PostCompact",
            json!({"trigger": "manual", "compact_summary": "We were mending the build."}),
            Some("compact"),
        ),
        ("Elicitation", json!({"mcp_server_name": "s", "message": "m"}), None),
        ("ElicitationResult", json!({"mcp_server_name": "s", "action": "accept"}), None),
        ("SomethingOfNextYear", json!({"anything": [1, {"a": null}]}), None),
        ("SessionEnd", json!({"reason": "prompt_input_exit"}), Some("end")),
    ]
}

#[test]
fn every_event_is_recorded_with_its_phase_or_passed_over_in_silence() {
    let sandbox = Sandbox::new();
    for (name, fields, phase) in events() {
        let before = sandbox.journal().len();
        let answer = sandbox.hook(&sandbox.event("s-every", name, fields.clone()));
        assert_eq!(answer.context, None, "an empty memory has nothing to say to {name}");
        let lines = sandbox.journal();
        assert_eq!(lines.len() - before, usize::from(phase.is_some()), "{name} {fields}");
        if let Some(phase) = phase {
            let line = lines.last().unwrap();
            assert_eq!(line["phase"], phase, "{name}");
            assert_eq!(line["session_id"], "s-every");
            assert_eq!(line["cwd"], sandbox.project().display().to_string());
            assert!(line["ts"].as_str().unwrap().ends_with('Z') && line["project"].is_string(), "{line}");
        }
    }
    assert_eq!(sandbox.hook_log(), Vec::<String>::new());
}

#[test]
fn a_tool_call_keeps_its_command_its_description_and_how_it_ended() {
    let sandbox = Sandbox::new();
    for (name, fields, _) in events().into_iter().filter(|(name, ..)| name.contains("ToolUse")) {
        sandbox.hook(&sandbox.event("s-tool", name, fields));
    }
    let lines = sandbox.journal();
    let find =
        |phase: &str, tool: &str| lines.iter().find(|l| l["phase"] == phase && l["tool"] == tool).unwrap();
    let post = find("post", "Bash");
    assert_eq!(post["input"]["command"], "cargo test -p engine");
    assert_eq!(post["bash_desc"], "Run tests");
    assert_eq!((&post["ok"], &post["tool_use_id"]), (&json!(true), &json!("toolu_b1")));
    assert!(post["response_bytes"].as_u64().unwrap() > 10);
    let failed = find("failure", "Bash");
    assert_eq!(failed["ok"], false);
    assert!(failed["error"].as_str().unwrap().starts_with("Exit code 101"));
    assert_eq!(find("pre", "PowerShell")["input"]["command"], "Get-ChildItem");
    assert!(find("post", "Odd")["input"].is_object() && find("post", "mcp__docs__find")["input"]["q"] == "x");
}

#[test]
fn wrong_flags_cost_no_event_and_are_told_by_the_doctor() {
    let sandbox = Sandbox::new();
    let event = sandbox.event("s-flags", "Stop", json!({"last_assistant_message": "done"})).to_string();
    for flags in
        [&["--frobnicate"][..], &["stop"], &["--agent=claude", "-v", "--quiet"], &["--json", "--config"]]
    {
        let output = sandbox.hook_raw(flags, event.as_bytes());
        HookOutput::check(&output, "Stop");
    }
    assert_eq!(sandbox.journal().len(), 4);
    let failures = sandbox.doctor("failures");
    assert_eq!(failures["status"], "warn", "{failures}");
    assert!(failures["detail"].as_str().unwrap().contains("--json"), "{failures}");
}

#[test]
fn an_agent_that_is_not_known_is_told_by_the_doctor_only() {
    let sandbox = Sandbox::new();
    let event = sandbox.event("s-agent", "Stop", json!({})).to_string();
    HookOutput::check(&sandbox.hook_raw(&["--agent", "hal-9000"], event.as_bytes()), "Stop");
    HookOutput::check(&sandbox.hook_raw(&["--agent"], event.as_bytes()), "Stop");
    let failures = sandbox.doctor("failures");
    assert!(sandbox.hook_log().iter().any(|line| line.contains("hal-9000")), "{failures}");
    assert_eq!(failures["status"], "warn");
}

#[test]
fn the_products_own_processes_are_not_observed() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command();
    command.arg("hook").env("MEM_HOOK_GUARD", "1");
    let event = sandbox
        .event("s-own", "UserPromptSubmit", json!({"prompt": "remember: nothing of this"}))
        .to_string();
    HookOutput::check(&Sandbox::feed(command, event.as_bytes()), "UserPromptSubmit");
    assert!(sandbox.journal().is_empty());
}

#[test]
fn the_end_of_a_session_starts_work_that_outlives_the_hook() {
    let sandbox = Sandbox::with_config("");
    sandbox.prompt("s-work", "记住：发布前一定先更新 CHANGELOG");
    sandbox.hook(&sandbox.event("s-work", "Stop", json!({"stop_hook_active": false})));
    let mut learned = 0;
    for _ in 0..200 {
        sandbox.wait_until_idle();
        learned = sandbox.memories().len();
        if learned > 0 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert_eq!(learned, 1, "the background work learned the statement: {:?}", sandbox.hook_log());
}
