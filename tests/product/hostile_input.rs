//! Whatever comes on standard input, the agent is not disturbed.

use mem_tests::{HookOutput, Sandbox};
use serde_json::json;
use std::io::Write as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

fn failed(sandbox: &Sandbox) -> bool {
    sandbox.doctor("failures")["status"] == "warn"
}

#[test]
fn input_that_is_no_event_is_noted_and_nothing_else_happens() {
    let good = Sandbox::new().event("s", "Stop", json!({})).to_string();
    let torn = &good.as_bytes()[..good.len() / 2];
    let cases: [(&str, &[u8]); 12] = [
        ("empty", b""),
        ("byte order mark only", b"\xef\xbb\xbf"),
        ("blank", b" \r\n\t"),
        ("torn", torn),
        ("array", b"[{\"hook_event_name\":\"Stop\"}]"),
        ("string", b"\"Stop\""),
        ("number", b"17"),
        ("null", b"null"),
        ("text", b"hook failed: command not found"),
        ("nul bytes", &[0; 512]),
        ("no event", b"{\"session_id\":\"s\"}"),
        ("event of another type", b"{\"session_id\":\"s\",\"hook_event_name\":{\"a\":1}}"),
    ];
    for (name, bytes) in cases {
        let sandbox = Sandbox::new();
        let output = sandbox.hook_raw(&[], bytes);
        assert!(output.stdout.is_empty(), "{name}");
        HookOutput::check(&output, name);
        assert!(sandbox.journal().is_empty(), "{name}");
        assert!(failed(&sandbox), "{name} shows in the doctor");
    }
}

#[test]
fn no_standard_input_at_all_is_no_reason_to_fail() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command();
    HookOutput::check(&Sandbox::run(command.arg("hook").stdin(Stdio::null())), "nothing");
    assert!(failed(&sandbox));
    #[cfg(unix)]
    {
        // Closed, not only empty: the shell closes descriptor 0 before it starts the binary.
        let sandbox = Sandbox::new();
        let shell = sandbox.command();
        let program = shell.get_program().to_owned();
        let mut closed = std::process::Command::new("sh");
        closed.env_clear().envs(shell.get_envs().filter_map(|(k, v)| Some((k, v?))));
        closed.arg("-c").arg("exec \"$0\" hook <&-").arg(program);
        HookOutput::check(&Sandbox::run(&mut closed), "nothing");
        assert!(failed(&sandbox));
    }
}

#[test]
fn a_host_that_never_closes_the_pipe_is_not_kept_waiting() {
    let sandbox = Sandbox::new();
    let mut child =
        sandbox.command().arg("hook").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(b"{\"session_id\":\"s\",").unwrap();
    let begun = Instant::now();
    let done = child.wait_with_output().unwrap();
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    assert_eq!((done.status.code(), done.stdout.len()), (Some(0), 0));
    drop(pipe);
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_nobody_can_take_is_no_failure() {
    let sandbox = Sandbox::new();
    sandbox.remember("Staging is rebuilt every Monday at six", &[]);
    let payload = sandbox.event("s-full", "SessionStart", json!({"source": "startup"})).to_string();
    let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
    let mut child = sandbox
        .command()
        .arg("hook")
        .stdin(Stdio::piped())
        .stdout(full())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(payload.as_bytes()).unwrap();
    let done = child.wait_with_output().unwrap();
    assert_eq!(
        (done.status.code(), done.stderr.len()),
        (Some(0), 0),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    let listed = sandbox.command().arg("list").stdout(full()).stderr(Stdio::piped()).output().unwrap();
    let said = String::from_utf8_lossy(&listed.stderr);
    assert_eq!(listed.status.code(), Some(1), "a full disk is told: {said}");
    assert!(said.starts_with("mem: ") && !said.contains("panicked"), "{said}");
}

#[test]
fn damaged_text_is_recorded_all_the_same() {
    let sandbox = Sandbox::new();
    let stop = |said: &[u8]| {
        let mut bytes =
            b"{\"session_id\":\"s-dmg\",\"hook_event_name\":\"Stop\",\"last_assistant_message\":\"".to_vec();
        bytes.extend(said);
        bytes.extend(b"\"}");
        bytes
    };
    let mut marked = b"\xef\xbb\xbf".to_vec();
    marked.extend(stop(b"with a mark"));
    let mut ended = stop(b"with a line end");
    ended.extend(b"\r\n");
    let cases: [(&str, Vec<u8>); 9] = [
        ("invalid UTF-8", stop(b"caf\xe9 \xff\xfe")),
        ("CP949", stop(b"\xc5\xd7\xbd\xba\xc6\xae \xb0\xe1\xb0\xfa")),
        ("lone surrogates", stop(b"\\ud83d and \\udcec\\udd98")),
        ("NUL escapes", stop(b"a\\u0000b\\u001bc")),
        ("byte order mark", marked),
        ("line end", ended),
        ("raw control characters", stop(b"a\tb\x01c")),
        ("doubled keys", b"{\"session_id\":\"other\",\"session_id\":\"s-dmg\",\"hook_event_name\":\"PreCompact\",\"hook_event_name\":\"Stop\"}".to_vec()),
        ("odd types", b"{\"session_id\":\"s-dmg\",\"hook_event_name\":\"Stop\",\"last_assistant_message\":{\"a\":[1]},\"cwd\":7,\"agent_id\":[]}".to_vec()),
    ];
    for (n, (name, bytes)) in cases.iter().enumerate() {
        let output = sandbox.hook_raw(&[], bytes);
        HookOutput::check(&output, "Stop");
        let lines = sandbox.journal();
        assert_eq!(lines.len(), n + 1, "{name}: {:?}", sandbox.hook_log());
        assert_eq!(
            (&lines[n]["phase"], &lines[n]["session_id"]),
            (&json!("stop"), &json!("s-dmg")),
            "{name}"
        );
    }
    assert!(
        sandbox.hook_log().iter().all(|line| !line.contains("a fault of mem")),
        "{:?}",
        sandbox.hook_log()
    );
    assert_eq!(sandbox.mem(&["learn", "--json"]).json()["skipped_lines"], 0);
}

#[test]
fn a_line_of_a_megabyte_becomes_a_line_of_bounded_size() {
    let sandbox = Sandbox::new();
    let huge = "改动很大 and long ".repeat(60_000);
    assert!(huge.len() > 1_000_000);
    let event = json!({
        "tool_name": "Write", "tool_input": {"file_path": "/w/a.md", "content": huge}, "tool_use_id": "t",
        "tool_response": {"type": "create", "filePath": "/w/a.md", "content": huge, "originalFile": null},
    });
    sandbox.hook(&sandbox.event("s-huge", "PostToolUse", event));
    sandbox.prompt("s-huge", &huge);
    let lines = sandbox.journal();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["input"]["file_path"], "/w/a.md");
    assert!(lines.iter().all(|line| line.to_string().len() < 80_000));
}

#[test]
fn ten_thousand_levels_of_nesting_do_no_harm() {
    let sandbox = Sandbox::new();
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let nested = format!("{}1{}", open.repeat(10_000), close.repeat(10_000));
        let event = format!(
            "{{\"session_id\":\"s\",\"hook_event_name\":\"PostToolUse\",\"tool_name\":\"X\",\"tool_input\":{nested}}}"
        );
        HookOutput::check(&sandbox.hook_raw(&[], event.as_bytes()), "PostToolUse");
        HookOutput::check(&sandbox.hook_raw(&[], nested.as_bytes()), "nothing");
    }
    assert!(
        sandbox.hook_log().iter().all(|line| !line.contains("a fault of mem")),
        "{:?}",
        sandbox.hook_log()
    );
    let alive = sandbox.event("s", "Stop", json!({}));
    let before = sandbox.journal().len();
    sandbox.hook(&alive);
    assert_eq!(sandbox.journal().len(), before + 1);
}
