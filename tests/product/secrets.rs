//! Secrets and private text never reach the disk.

use mem_tests::{Sandbox, files_with};
use serde_json::json;

/// Secrets of several kinds, put together here so that no scanner takes this file for a leak: the words around one,
/// the part that must not be found anywhere, its kind.
fn secrets() -> Vec<(String, String, &'static str)> {
    let kinds: [(&str, &[&str], &str, &str); 8] = [
        ("push with ", &["gh", "p_a8Bc9De0Fg1Hi2Jk3Lm4No5Pq6Rs7Tu8Vw9X"], "", "github_token"),
        ("key id is ", &["AK", "IAZ7QWERTY23456UIO"], "", "aws_access_key"),
        (
            "ask with ",
            &["sk-", "ant-api03-AbC9dEf0GhI1jKl2MnO3pQr4StU5vWx6YzA7bCd8EfG-9hIjKlAA"],
            "",
            "anthropic_key",
        ),
        ("connect to postgres://app:", &["s3cr", "3tPw0rdX"], "@db.internal:5432/app", "url_password"),
        ("export API_KEY=", &["abcd1", "234efghQ7"], " && make", "env_value"),
        ("数据库密码 password: ", &["hunter", "2hunter2"], "", "env_value"),
        ("Authorization: Bearer ", &["a1b2c3d4e5", "f6a7b8c9d0e1"], "", "authorization"),
        ("bot ", &["xo", "xb-2345678901-3456789012345-AbCdEfGhIjKlMnOpQrStUvWx"], "", "slack_token"),
    ];
    kinds
        .iter()
        .map(|(before, parts, after, kind)| {
            let secret = parts.concat();
            (format!("{before}{secret}{after}"), secret, *kind)
        })
        .collect()
}

fn none_below(sandbox: &Sandbox, secret: &str, what: &str) {
    assert_eq!(files_with(&sandbox.home(), secret), Vec::<std::path::PathBuf>::new(), "{what}");
    assert_eq!(files_with(&sandbox.claude(), secret), Vec::<std::path::PathBuf>::new(), "{what}");
}

#[test]
fn secrets_in_events_are_never_written() {
    let sandbox = Sandbox::new();
    for (n, (text, secret, kind)) in secrets().into_iter().enumerate() {
        let session = format!("s-{n}");
        let id = format!("toolu_{n}");
        sandbox.prompt(&session, &format!("记住：部署时 {text} 才行"));
        sandbox.prompt(&session, &format!("Remember: to deploy, {text} is needed"));
        let events = [
            (
                "PreToolUse",
                json!({"tool_name": "Bash", "tool_input": {"command": format!("echo {text}")}, "tool_use_id": id}),
            ),
            (
                "PostToolUse",
                json!({"tool_name": "Bash", "tool_input": {"command": format!("echo {text}"), "description": text}, "tool_use_id": id,
                "tool_response": {"stdout": text, "stderr": text, "interrupted": false}}),
            ),
            (
                "PostToolUse",
                json!({"tool_name": "Write", "tool_input": {"file_path": "/w/.env", "content": format!("A=1\n{text}\n")}, "tool_use_id": id,
                "tool_response": {"type": "create", "filePath": "/w/.env", "content": text, "originalFile": text}}),
            ),
            (
                "PostToolUse",
                json!({"tool_name": "Edit", "tool_input": {"file_path": "/w/x", "old_string": text, "new_string": format!("{}{text}", "long ".repeat(400))}, "tool_use_id": id,
                "tool_response": [{"type": "text", "text": text}]}),
            ),
            (
                "PostToolUseFailure",
                json!({"tool_name": "Bash", "tool_input": {"command": "x"}, "tool_use_id": id, "error": format!("Exit code 1\n{text}")}),
            ),
            (
                "Stop",
                json!({"last_assistant_message": format!("I used {text}."), "future_field": {"deep": [text]}}),
            ),
            ("PostCompact", json!({"trigger": "auto", "compact_summary": format!("The user said: {text}")})),
        ];
        for (name, fields) in events {
            sandbox.hook(&sandbox.event(&session, name, fields));
        }
        none_below(&sandbox, &secret, &format!("{kind} after the hooks"));
    }
    let _ = sandbox.mem(&["work", "--json"]).ok();
    let shown = format!("{:?}", sandbox.memories());
    for (_, secret, kind) in secrets() {
        none_below(&sandbox, &secret, &format!("{kind} after learning"));
        assert!(!shown.contains(&secret), "{kind}");
    }
    let counted = sandbox.doctor("redaction")["detail"].as_str().unwrap().to_owned();
    for (_, _, kind) in secrets() {
        assert!(counted.contains(kind), "{kind} is counted: {counted}");
    }
}

#[test]
fn a_secret_at_the_place_where_a_text_is_cut_leaves_no_beginning() {
    let sandbox = Sandbox::new();
    let secret = ["gh", "p_a8Bc9De0Fg1Hi2Jk3Lm4No5Pq6Rs7Tu8Vw9X"].concat();
    // Around every length at which something is shortened: heads, outputs, errors, strings, prompts.
    for length in [160usize, 200, 300, 500, 1_000, 20_000] {
        for before in [4usize, 12, 20, 36] {
            let text = format!("{} {secret} {}", "x".repeat(length - before), "y ".repeat(600));
            let id = format!("toolu_{length}_{before}");
            sandbox.prompt("s-cut", &text);
            for (name, fields) in [
                (
                    "PostToolUse",
                    json!({"tool_name": "Bash", "tool_input": {"command": text, "description": text}, "tool_response": {"stdout": text}, "tool_use_id": id}),
                ),
                (
                    "PostToolUseFailure",
                    json!({"tool_name": "Write", "tool_input": {"file_path": "/a", "content": text}, "error": text, "tool_use_id": id}),
                ),
                ("Stop", json!({"last_assistant_message": text})),
            ] {
                sandbox.hook(&sandbox.event("s-cut", name, fields));
            }
            none_below(&sandbox, &secret[..9], &format!("{before} before {length}"));
        }
    }
}

#[test]
fn secrets_told_to_remember_are_taken_out_first() {
    let sandbox = Sandbox::new();
    for (text, secret, kind) in secrets() {
        let output = sandbox
            .mem(&[
                "remember",
                &format!("For {kind}: {text}"),
                "--why",
                &text,
                "--how",
                &text,
                "--name",
                &text,
                "--when",
                &text,
            ])
            .ok();
        assert!(output.stdout.contains("secret"), "{kind} is told: {}", output.stdout);
        let _ = sandbox.mem(&["sync"]).ok();
        none_below(&sandbox, &secret, kind);
        assert!(!sandbox.mem(&["list", "--json"]).ok().stdout.contains(&secret), "{kind}");
    }
}

#[test]
fn a_secret_in_an_edited_file_of_the_mirror_does_not_reach_the_database() {
    let sandbox = Sandbox::new();
    sandbox.remember("Staging is deployed by hand", &[]);
    let _ = sandbox.mem(&["sync"]).ok();
    let file = files_with(&sandbox.home().join("memories"), "Staging is deployed").remove(0);
    let (text, secret, _) = secrets().remove(0);
    let old = fs_err::read_to_string(&file).unwrap();
    fs_err::write(&file, old.replace("by hand", &text)).unwrap();
    let _ = sandbox.mem(&["sync"]).ok();
    let holding = files_with(&sandbox.home(), &secret);
    assert!(holding.iter().all(|path| *path == file), "only where the person put it: {holding:?}");
}

#[test]
fn private_text_is_dropped_everywhere() {
    let sandbox = Sandbox::new();
    let hidden = "zephyr-quokka-plan";
    let text = format!("记住：周五发布 <private>{hidden} 不要写下来</private>，由小王负责");
    sandbox.prompt("s-private", &text);
    sandbox.hook(&sandbox.event("s-private", "PostToolUse", json!({"tool_name": "Write", "tool_use_id": "t",
        "tool_input": {"file_path": "/w/n.md", "content": format!("a\n<private>\n{hidden}\n</private>\nb")}, "tool_response": {"content": text}})));
    sandbox.hook(&sandbox.event(
        "s-private",
        "Stop",
        json!({"last_assistant_message": format!("<private>{hidden}")}),
    ));
    let _ = sandbox.mem(&["work"]).ok();
    sandbox.remember(&format!("Releases are on Friday <private>{hidden}</private>"), &[]);
    let _ = sandbox.mem(&["work"]).ok();
    none_below(&sandbox, hidden, "private");
    assert!(sandbox.memories().iter().any(|memory| memory["text"].as_str().unwrap().contains("周五发布")));
    assert!(sandbox.doctor("redaction")["detail"].as_str().unwrap().contains("private"));
}
