//! `mem init` and `mem uninstall`: wired in, and taken out to the byte.

use mem_tests::{HookOutput, Sandbox, below, mem_binary};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const EVENTS: [&str; 10] = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "Stop",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "SessionEnd",
];

/// Settings as people and tools leave them.
const SETTINGS: [(&str, &str); 6] = [
    ("plain", "{\n  \"model\": \"opus\"\n}\n"),
    (
        "foreign hooks",
        "{\n\t\"hooks\": {\n\t\t\"PostToolUse\": [\n\t\t\t{ \"matcher\": \"Edit|Write\", \"hooks\": [{ \"type\": \"command\", \"command\": \"fmt --all\" }] }\n\t\t],\n\t\t\"Notification\": []\n\t},\n\t\"language\": \"korea\"\n}",
    ),
    ("CRLF", "{\r\n    \"env\": {\r\n        \"名字\": \"值\"\r\n    }\r\n}\r\n"),
    ("byte order mark", "\u{feff}{\n  \"theme\": \"dark\"\n}\n"),
    ("one line", "{\"permissions\":{\"allow\":[\"Bash(ls:*)\"]},\"odd\":\"\\ud83d\\ude00\"}"),
    ("object without members", "{}"),
];

fn settings(sandbox: &Sandbox) -> PathBuf {
    sandbox.claude().join("settings.json")
}

fn read(path: &Path) -> Value {
    let text = fs_err::read_to_string(path).unwrap();
    assert!(!text.starts_with('\u{feff}'), "a mark is refused by strict readers");
    serde_json::from_str(&text).unwrap()
}

/// The handlers of ours for an event.
fn own(settings: &Value, event: &str) -> Vec<Value> {
    let binary = mem_binary().to_string_lossy().into_owned();
    let groups = settings["hooks"][event].as_array().cloned().unwrap_or_default();
    let handlers = groups.iter().flat_map(|group| group["hooks"].as_array().cloned().unwrap_or_default());
    handlers.filter(|handler| handler["command"] == binary.as_str()).collect()
}

#[test]
fn a_missing_file_is_made_and_removed_again() {
    let sandbox = Sandbox::new();
    let _ = sandbox.mem(&["init"]).ok();
    let wired = read(&settings(&sandbox));
    for event in EVENTS {
        let handlers = own(&wired, event);
        assert_eq!(handlers.len(), 1, "{event}");
        assert!(
            handlers[0]["args"].is_array() && handlers[0]["timeout"].as_u64().unwrap() <= 10,
            "{}",
            handlers[0]
        );
        let waits = ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"].contains(&event);
        assert_eq!(handlers[0]["async"] == true, !waits, "{event}");
    }
    assert_eq!(sandbox.doctor("hooks")["status"], "ok");
    let _ = sandbox.mem(&["uninstall"]).ok();
    assert!(!settings(&sandbox).exists());
    assert_eq!(sandbox.doctor("hooks")["status"], "warn");
}

#[test]
fn what_was_wired_works_when_the_host_runs_it() {
    let sandbox = Sandbox::new();
    let _ = sandbox.mem(&["init"]).ok();
    sandbox.remember("Staging is rebuilt every Monday at six", &[]);
    let wired = read(&settings(&sandbox));
    for event in EVENTS {
        let handler = own(&wired, event).remove(0);
        // As a host does: its own environment, without ours.
        let mut command = sandbox.command();
        command.env_remove("MEM_HOME");
        for arg in handler["args"].as_array().unwrap() {
            command.arg(arg.as_str().unwrap());
        }
        let fields = json!({"source": "startup", "prompt": "when is staging rebuilt?", "tool_name": "Bash", "tool_input": {"command": "ls"}});
        let output = Sandbox::feed(command, sandbox.event("s-wired", event, fields).to_string().as_bytes());
        let told = HookOutput::check(&output, event);
        assert_eq!(told.text().contains("Monday"), event == "SessionStart", "{event}: {}", told.text());
    }
    assert_eq!(sandbox.journal().len(), EVENTS.len());
}

#[test]
fn other_peoples_settings_come_back_to_the_byte() {
    for (name, text) in SETTINGS {
        let sandbox = Sandbox::new();
        fs_err::write(settings(&sandbox), text).unwrap();
        let _ = sandbox.mem(&["init"]).ok();
        let wired = fs_err::read(settings(&sandbox)).unwrap();
        let value = read(&settings(&sandbox));
        assert!(EVENTS.iter().all(|event| own(&value, event).len() == 1), "{name}");
        let before: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap();
        for (key, old) in before.as_object().unwrap().iter().filter(|(key, _)| *key != "hooks") {
            assert_eq!(&value[key], old, "{name}");
        }
        if name == "CRLF" {
            let text = String::from_utf8(wired.clone()).unwrap();
            assert_eq!(
                text.matches('\n').count(),
                text.matches("\r\n").count(),
                "line ends stay as they are"
            );
        }
        let _ = sandbox.mem(&["init"]).ok();
        assert_eq!(fs_err::read(settings(&sandbox)).unwrap(), wired, "{name}: twice is once");
        // A mark is what strict readers refuse the file for; it alone does not come back.
        let expected = text.trim_start_matches('\u{feff}').as_bytes();
        let _ = sandbox.mem(&["uninstall"]).ok();
        assert_eq!(fs_err::read(settings(&sandbox)).unwrap(), expected, "{name}");
        let _ = sandbox.mem(&["uninstall"]).ok();
        assert_eq!(fs_err::read(settings(&sandbox)).unwrap(), expected, "{name}: twice is once");
    }
}

#[test]
fn foreign_hooks_stay_and_edits_made_meanwhile_too() {
    let sandbox = Sandbox::new();
    fs_err::write(settings(&sandbox), SETTINGS[1].1).unwrap();
    let _ = sandbox.mem(&["init"]).ok();
    let mut value = read(&settings(&sandbox));
    let groups = value["hooks"]["PostToolUse"].as_array().unwrap();
    assert_eq!(groups[0]["hooks"][0]["command"], "fmt --all");
    value["model"] = "opus".into();
    value["hooks"]["Stop"]
        .as_array_mut()
        .unwrap()
        .push(json!({"hooks": [{"type": "command", "command": "say done"}]}));
    fs_err::write(settings(&sandbox), serde_json::to_string_pretty(&value).unwrap()).unwrap();
    let _ = sandbox.mem(&["uninstall"]).ok();
    let left = read(&settings(&sandbox));
    assert_eq!(left["model"], "opus");
    assert_eq!(left["hooks"]["Stop"], json!([{"hooks": [{"type": "command", "command": "say done"}]}]));
    assert_eq!(left["hooks"]["PostToolUse"][0]["hooks"][0]["command"], "fmt --all");
    assert!(EVENTS.iter().all(|event| own(&left, event).is_empty()));
}

#[test]
fn an_empty_file_is_wired_and_comes_back_empty() {
    let sandbox = Sandbox::new();
    fs_err::write(settings(&sandbox), "").unwrap();
    let _ = sandbox.mem(&["init"]).ok();
    assert_eq!(own(&read(&settings(&sandbox)), "Stop").len(), 1);
    let _ = sandbox.mem(&["uninstall"]).ok();
    assert_eq!(fs_err::read(settings(&sandbox)).unwrap(), b"");
}

#[test]
fn a_file_that_cannot_be_parsed_is_refused_and_left_alone() {
    for text in [
        "{\n  \"model\": \"opus\",\n}\n",
        "{ // comment\n}",
        "[]",
        "{\"hooks\": []}",
        "{\"hooks\": {\"Stop\": {}}}",
        "not json",
    ] {
        let sandbox = Sandbox::new();
        fs_err::write(settings(&sandbox), text).unwrap();
        let output = sandbox.mem(&["init"]);
        assert!(matches!(output.code, Some(1 | 2)), "{text}: {output:?}");
        assert!(output.stderr.contains("settings.json"), "{output:?}");
        assert_eq!(fs_err::read_to_string(settings(&sandbox)).unwrap(), text);
        assert_eq!(below(&sandbox.claude()), [settings(&sandbox)]);
    }
}

#[test]
fn a_dry_run_says_what_it_would_do_and_writes_nothing() {
    let sandbox = Sandbox::new();
    let files = || below(sandbox.user().parent().unwrap());
    let before = files();
    let output = sandbox.mem(&["init", "--dry-run"]).ok();
    assert!(EVENTS.iter().all(|event| output.stdout.contains(event)), "{}", output.stdout);
    assert_eq!(files(), before);
    let _ = sandbox.mem(&["init"]).ok();
    let wired = fs_err::read(settings(&sandbox)).unwrap();
    let before = files();
    let output = sandbox.mem(&["uninstall", "--dry-run"]).ok();
    assert!(output.stdout.contains("SessionStart"), "{}", output.stdout);
    assert_eq!((files(), fs_err::read(settings(&sandbox)).unwrap()), (before, wired));
}

#[test]
fn one_project_only_means_its_local_settings_only() {
    let sandbox = Sandbox::new();
    let local = sandbox.project().join(".claude").join("settings.local.json");
    let deep = sandbox.project().join("src").join("deep");
    fs_err::create_dir_all(&deep).unwrap();
    let _ = sandbox.mem_in(&deep, &["init", "--project-only"]).ok();
    assert_eq!(own(&read(&local), "Stop").len(), 1);
    assert!(!settings(&sandbox).exists() && !local.with_file_name("settings.json").exists());
    let _ = sandbox.mem(&["uninstall"]).ok();
    assert!(local.exists(), "the user's settings were meant");
    let _ = sandbox.mem(&["uninstall", "--project-only"]).ok();
    assert!(!local.exists());
    let _ = sandbox.mem(&["init", "--user", "--project-only"]).code(2);
    let _ = sandbox.mem(&["init", "--agent", "hal-9000"]).code(2);
}

#[test]
fn uninstalling_takes_the_rules_files_and_leaves_memories_and_other_rules() {
    let sandbox = Sandbox::new();
    let _ = sandbox.mem(&["init"]).ok();
    super::learning::global_habits(&sandbox);
    let id = sandbox.remember("Staging is rebuilt every Monday at six", &[]);
    let _ = sandbox.mem(&["evolve"]).ok();
    let rules = sandbox.claude().join("rules");
    fs_err::write(rules.join("mine.md"), "mine\n").unwrap();
    assert_eq!(below(&rules).len(), 2);
    let _ = sandbox.mem(&["uninstall", "--dry-run"]).ok();
    assert_eq!(below(&rules).len(), 2);
    let _ = sandbox.mem(&["uninstall"]).ok();
    assert_eq!(below(&rules), [rules.join("mine.md")]);
    assert_eq!(sandbox.recall("staging monday"), [id]);
}
