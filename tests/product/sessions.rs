//! What one session says, the next one knows: the whole loop through hooks.

use mem_engine::{Engine, Kind, Memory, Timestamp, Unit};
use mem_tests::{Sandbox, files_with, units};
use serde_json::json;

const COMMIT_RULE: &str = "改完代码不主动提交，等用户验证确认后再 commit/push";
/// A prompt that the rule is about.
const ASK: &str = "代码改完了，现在可以 commit 然后 push 吗？";

/// A first session with things said and done, learned from.
fn first_session(sandbox: &Sandbox) {
    sandbox.start("s-1", "startup");
    sandbox.prompt("s-1", &format!("记住：{COMMIT_RULE}"));
    sandbox.prompt("s-1", "Remember: the integration tests need a docker daemon on port 2375");
    sandbox.prompt(
        "s-1",
        "We decided to use pnpm instead of npm for the web client, because the lockfile is stricter.",
    );
    for n in 0..3 {
        let id = format!("toolu_{n}");
        let file = format!("/w/src/part{n}.rs");
        for (name, fields) in [
            (
                "PostToolUse",
                json!({"tool_name": "Read", "tool_input": {"file_path": file}, "tool_response": {"type": "text"}, "tool_use_id": format!("{id}r")}),
            ),
            (
                "PostToolUse",
                json!({"tool_name": "Edit", "tool_input": {"file_path": file, "old_string": "a", "new_string": "b"}, "tool_response": {"filePath": file}, "tool_use_id": format!("{id}e")}),
            ),
            (
                "PreToolUse",
                json!({"tool_name": "Bash", "tool_input": {"command": "cargo test"}, "tool_use_id": id}),
            ),
            (
                "PostToolUse",
                json!({"tool_name": "Bash", "tool_input": {"command": "cargo test"}, "tool_response": {"stdout": "ok"}, "tool_use_id": id}),
            ),
        ] {
            sandbox.hook(&sandbox.event("s-1", name, fields));
        }
    }
    sandbox.hook(&sandbox.event("s-1", "Stop", json!({"last_assistant_message": "Everything is in place."})));
    sandbox.hook(&sandbox.event("s-1", "SessionEnd", json!({"reason": "other"})));
    let _ = sandbox.mem(&["work"]).ok();
}

#[test]
fn what_was_said_in_one_session_is_known_at_the_start_of_the_next() {
    let sandbox = Sandbox::new();
    first_session(&sandbox);
    let memories = sandbox.memories();
    let texts: Vec<&str> = memories.iter().map(|memory| memory["text"].as_str().unwrap()).collect();
    for part in ["不主动提交", "port 2375", "pnpm"] {
        assert_eq!(texts.iter().filter(|text| text.contains(part)).count(), 1, "{part}: {texts:?}");
    }
    let told = sandbox.start("s-2", "startup");
    let text = told.text();
    assert!(text.contains(COMMIT_RULE) && text.contains("docker daemon on port 2375"), "{text}");
    assert!(text.starts_with("<mem-context>") && text.ends_with("</mem-context>"), "{text}");
    assert!(!text.contains("记住：") && !text.contains("Remember:"), "the statement, not the order: {text}");
}

#[test]
fn a_related_prompt_brings_it_up_once_a_session() {
    let sandbox = Sandbox::new();
    first_session(&sandbox);
    let told = sandbox.prompt("s-3", ASK);
    assert!(told.text().contains(COMMIT_RULE), "{}", told.text());
    let again = sandbox.prompt("s-3", ASK);
    assert_eq!(again.context, None, "not twice in one session");
    let other = sandbox.prompt("s-4", ASK);
    assert!(other.text().contains(COMMIT_RULE), "another session has not seen it");
    let english = sandbox.prompt("s-5", "how do I run the integration tests with docker?");
    assert!(english.text().contains("port 2375"), "{}", english.text());
}

#[test]
fn short_prompts_bring_up_the_rule() {
    let sandbox = Sandbox::new();
    first_session(&sandbox);
    let prompts = [
        "现在可以提交吗",
        "可以 commit 吗",
        "现在可以 commit/push 吗",
        "可以提交代码了吗",
        "can I commit?",
        "push it now?",
    ];
    let silent: Vec<&str> = prompts
        .into_iter()
        .enumerate()
        .filter(|(n, prompt)| !sandbox.prompt(&format!("s-short-{n}"), prompt).text().contains(COMMIT_RULE))
        .map(|(_, prompt)| prompt)
        .collect();
    assert_eq!(silent, Vec::<&str>::new());
}

#[test]
fn prompts_about_something_else_bring_up_nothing() {
    let sandbox = Sandbox::new();
    first_session(&sandbox);
    let unrelated = [
        "what's the capital of France",
        "ok",
        "继续",
        "thanks!",
        "好的，谢谢",
        "yes",
        "/compact",
        "今天天气怎么样",
        "tell me a joke about cats",
    ];
    for (n, prompt) in unrelated.into_iter().enumerate() {
        let told = sandbox.prompt(&format!("s-unrelated-{n}"), prompt);
        assert_eq!(told.context, None, "{prompt}");
    }
}

#[test]
fn after_compaction_it_is_told_again_and_after_a_resume_too() {
    let sandbox = Sandbox::new();
    first_session(&sandbox);
    assert!(sandbox.start("s-6", "startup").text().contains(COMMIT_RULE));
    assert!(!sandbox.prompt("s-6", ASK).text().contains(COMMIT_RULE), "the start told it");
    assert!(sandbox.start("s-6", "compact").text().contains(COMMIT_RULE), "compaction emptied the context");
    assert!(
        sandbox.start("s-6", "resume").text().contains(COMMIT_RULE),
        "a start's text is not kept by a resume"
    );
    let told = sandbox.prompt("s-7", ASK);
    assert!(told.text().contains(COMMIT_RULE));
    assert!(sandbox.start("s-7", "compact").text().contains(COMMIT_RULE));
    assert!(!sandbox.prompt("s-7", ASK).text().contains(COMMIT_RULE));
}

#[test]
fn another_project_does_not_see_it() {
    let sandbox = Sandbox::new();
    first_session(&sandbox);
    let other = sandbox.make_project("elsewhere");
    for (name, fields) in [
        ("SessionStart", json!({"source": "startup", "cwd": other})),
        (
            "UserPromptSubmit",
            json!({"prompt": "现在可以 commit/push 吗, with docker on port 2375 and pnpm?", "cwd": other}),
        ),
    ] {
        let told = sandbox.hook(&sandbox.event("s-other", name, fields));
        assert_eq!(told.context, None, "{name}");
    }
    let _ = sandbox.mem_in(&other, &["recall", "docker daemon port"]).code(3);
    assert_eq!(sandbox.mem_in(&other, &["list", "--json"]).json()["memories"], json!([]));
    // A folder below the project is the project.
    let below = sandbox.project().join("src");
    fs_err::create_dir_all(&below).unwrap();
    let told =
        sandbox.hook(&sandbox.event("s-below", "SessionStart", json!({"source": "startup", "cwd": below})));
    assert!(told.text().contains(COMMIT_RULE));
}

#[test]
fn what_the_agent_loads_by_itself_is_not_told() {
    let rule = "The staging cluster is rebuilt every Monday at six";
    let slug = |sandbox: &Sandbox| -> String {
        sandbox
            .project()
            .to_string_lossy()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .collect()
    };
    let places: [fn(&Sandbox, &str) -> std::path::PathBuf; 6] = [
        |s, _| s.project().join("CLAUDE.md"),
        |s, _| s.project().join(".claude").join("CLAUDE.md"),
        |s, _| s.claude().join("CLAUDE.md"),
        |s, _| s.project().join(".claude").join("rules").join("deep").join("ops.md"),
        |s, _| s.claude().join("rules").join("ops.md"),
        |s, slug| s.claude().join("projects").join(slug).join("memory").join("MEMORY.md"),
    ];
    for place in places {
        let sandbox = Sandbox::new();
        sandbox.remember(rule, &[]);
        assert!(sandbox.start("s-0", "startup").text().contains(rule), "told as long as nobody else says it");
        let file = place(&sandbox, &slug(&sandbox));
        fs_err::create_dir_all(file.parent().unwrap()).unwrap();
        fs_err::write(&file, "# Notes\n\n- **The staging cluster** is rebuilt every Monday at six.\n")
            .unwrap();
        assert_eq!(sandbox.start("s-1", "startup").context, None, "{}", file.display());
        assert_eq!(
            sandbox.prompt("s-2", "when is the staging cluster rebuilt?").context,
            None,
            "{}",
            file.display()
        );
    }
}

#[test]
fn two_thousand_long_memories_fit_into_one_answer() {
    let sandbox = Sandbox::new();
    let project = sandbox.project_id();
    let engine = Engine::builder(sandbox.home()).open().unwrap();
    let start: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
    let kinds = Kind::ALL;
    let memories: Vec<Memory> = (0..2_000i64)
        .map(|n| {
            let kind = kinds[usize::try_from(n).unwrap() % kinds.len()];
            // Those that will be told are the longest: a start tells the newest, the prompt asks for a topic.
            let times = if n % 101 == 0 || n >= 1_990 { 60 } else { 12 };
            let topics = ["gateway", "crawler", "portal", "billing", "mailer", "scheduler", "archive"];
            let topic =
                if n % 101 == 0 { "ledger" } else { topics[usize::try_from(n).unwrap() % topics.len()] };
            let body = format!(
                "第 {n} 条：{topic} service 的部署说明 🦀 {}",
                "这一段很长 and it goes on and on. ".repeat(times)
            );
            let at = start.checked_add(hours(n)).unwrap();
            let mut memory = Memory::new(kind, body, at).in_project(project.parse().unwrap());
            memory.importance = Unit::saturating(0.9);
            memory.why = Some("原因 ".repeat(times * 3));
            memory.how = Some("use 🦀 ".repeat(times * 3));
            memory
        })
        .collect();
    engine.store().put(&memories).unwrap();
    engine.reindex().unwrap();
    drop(engine);
    let told = sandbox.start("s-long", "startup");
    assert!(units(told.text()) > 3_000 && units(told.text()) < 9_500, "{}", units(told.text()));
    assert!(told.text().ends_with("</mem-context>"));
    let told = sandbox.prompt("s-long-2", "ledger service");
    assert!(units(told.text()) > 3_000 && units(told.text()) < 9_500, "{}", units(told.text()));
    assert!(told.text().contains("ledger service") && !told.text().contains("crawler"), "{}", told.text());
    let text = sandbox.mem(&["inject", "--budget", "800", "--json"]).json();
    assert!(units(text["text"].as_str().unwrap()) <= 800);
    assert_eq!(sandbox.hook_log(), Vec::<String>::new());
}

fn hours(hours: i64) -> std::time::Duration {
    std::time::Duration::from_secs(u64::try_from(hours).unwrap() * 3_600)
}

#[test]
fn what_is_forgotten_is_not_told() {
    let sandbox = Sandbox::new();
    let id = sandbox.remember("Backups run at 03:00 on the heron host", &[]);
    sandbox.remember("Dashboards are on the egret host", &[]);
    let _ = sandbox.mem(&["forget", &id]).ok();
    assert!(!sandbox.start("s-1", "startup").text().contains("heron"));
    assert_eq!(sandbox.prompt("s-2", "when do the backups run on heron?").text().matches("heron").count(), 0);
    assert!(!sandbox.recall("backups heron").contains(&id));
    let _ = sandbox.mem(&["unforget", &id]).ok();
    assert!(sandbox.start("s-3", "startup").text().contains("heron"), "it came back whole");
    assert_eq!(sandbox.recall("backups heron").first(), Some(&id));
}

#[test]
fn what_is_forgotten_hard_leaves_no_trace() {
    let sandbox = Sandbox::new();
    let word = "zanzibarquux4711";
    let ids = [
        sandbox.remember(&format!("The vault of {word} opens at noon"), &["--why", word, "--tag", word]),
        sandbox.remember(&format!("{word}：金库中午开门，用 {word} 进去"), &["--name", word]),
    ];
    sandbox.remember("Dashboards are on the egret host", &[]);
    let _ = sandbox.mem(&["sync"]).ok();
    assert!(sandbox.start("s-1", "startup").text().contains(word));
    sandbox.prompt("s-1", &format!("where is {word}?"));
    assert_eq!(sandbox.recall(&format!("vault {word}")).len().min(2), 2);
    let _ = sandbox.mem(&["forget", "--hard", &ids[0], &ids[1]]).ok();
    let _ = sandbox.mem(&["work"]).ok();
    let journal = sandbox.home().join("journal");
    let mut found = files_with(&sandbox.home(), word);
    found.retain(|path| !path.starts_with(&journal));
    assert_eq!(found, Vec::<std::path::PathBuf>::new());
    let _ = sandbox.mem(&["unforget", &ids[0]]).code(3);
    assert!(!sandbox.recall(word).iter().any(|id| ids.contains(id)));
}

#[test]
fn what_was_told_is_not_learned_again() {
    let sandbox = Sandbox::new();
    first_session(&sandbox);
    let before = sandbox.memories();
    let block = sandbox.start("s-8", "startup").context.unwrap();
    sandbox.prompt("s-8", &block);
    sandbox.prompt("s-8", &format!("{block}\n\n请看上面的内容"));
    sandbox.hook(&sandbox.event(
        "s-8",
        "Stop",
        json!({"last_assistant_message": format!("记住：{COMMIT_RULE}\n{block}")}),
    ));
    let _ = sandbox.mem(&["work"]).ok();

    let record = |uuid: &str, kind: &str, more: serde_json::Value| {
        let mut record = json!({"type": kind, "uuid": uuid, "parentUuid": null, "timestamp": "2026-11-20T10:00:00.000Z",
            "sessionId": "5f0c7a51-0000-4000-8000-000000000008", "cwd": sandbox.project(), "version": "2.1.200", "isSidechain": false, "userType": "external"});
        record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        format!("{record}\n")
    };
    let transcript = [
        record(
            "u1",
            "attachment",
            json!({"attachment": {"type": "hook_additional_context", "content": [block]}}),
        ),
        record(
            "u2",
            "user",
            json!({"message": {"role": "user", "content": format!("<system-reminder>{block}</system-reminder>")}}),
        ),
        record("u3", "user", json!({"message": {"role": "user", "content": format!("{block} 好的")}})),
        record(
            "u4",
            "user",
            json!({"message": {"role": "user", "content": [{"type": "text", "text": block}]}}),
        ),
    ];
    let file = sandbox.user().join("5f0c7a51-0000-4000-8000-000000000008.jsonl");
    fs_err::write(&file, transcript.concat()).unwrap();
    let replayed = sandbox.mem(&["replay", file.to_str().unwrap(), "--json"]).json();
    assert_eq!((&replayed["memories"], &replayed["candidates"]), (&json!(0), &json!(0)), "{replayed}");
    let names = |memories: &[serde_json::Value]| {
        memories.iter().map(|m| m["text"].to_string()).collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(names(&sandbox.memories()), names(&before));
    let journal = sandbox.journal();
    let prompts: Vec<String> = journal
        .iter()
        .filter(|line| line["phase"] == "prompt")
        .map(|line| line["input"].to_string())
        .collect();
    assert!(
        prompts.iter().all(|prompt| !prompt.contains("<mem-context")),
        "the block is not even written: {prompts:?}"
    );
}

#[test]
fn a_known_statement_with_a_lead_in_is_not_stored_twice() {
    let sandbox = Sandbox::new();
    first_session(&sandbox);
    let before = sandbox.memories().len();
    for lead_in in ["记住：", "请记住，", "我们决定：", "Remember: ", "就这么定了："] {
        sandbox.prompt("s-again", &format!("{lead_in}{COMMIT_RULE}"));
    }
    let _ = sandbox.mem(&["work"]).ok();
    let texts: Vec<String> =
        sandbox.memories().iter().map(|m| m["text"].as_str().unwrap().to_owned()).collect();
    assert_eq!(texts.len(), before, "{texts:?}");
}
