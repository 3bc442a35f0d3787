//! The command line as scripts rely on it: exit codes and every key of the JSON answers.

use mem_tests::Sandbox;
use serde_json::{Value, json};
use std::process::Stdio;

#[track_caller]
fn has_keys(value: &Value, keys: &[&str]) {
    for key in keys {
        assert!(value.get(*key).is_some(), "no {key:?} in {value}");
    }
}

/// The keys every memory has, in hits and lists.
const MEMORY: [&str; 12] = [
    "id",
    "kind",
    "name",
    "text",
    "status",
    "created",
    "updated",
    "why",
    "how",
    "provenance",
    "confidence",
    "scope",
];

#[test]
fn exit_codes_say_done_failed_wrong_usage_nothing_found() {
    let sandbox = Sandbox::new();
    let id = sandbox.remember("Ports come from the registry", &[]);
    for args in [
        &["recall", "ports"][..],
        &["list"],
        &["show", &id],
        &["status"],
        &["doctor"],
        &["work"],
        &["sync"],
        &["learn"],
        &["evolve"],
        &["inject"],
        &["instincts", "list", "--json"],
        &["reindex"],
        &["completions", "bash"],
        &["--help"],
        &["--version"],
        &["recall", "--help"],
        &["confirm", &id],
        &["pin", &id],
        &["pin", &id, "--off"],
    ] {
        let output = sandbox.mem(args).code(0);
        assert!(
            !output.stdout.contains('\u{1b}') && !output.stderr.contains('\u{1b}'),
            "no colours into a pipe: {output:?}"
        );
    }
    for args in [
        &[][..],
        &["frobnicate"],
        &["recall"],
        &["recall", ""],
        &["remember", "  "],
        &["list", "--kind", "nonsense"],
        &["list", "--status", "x"],
        &["recall", "x", "--at", "yesterday-ish"],
        &["remember", "x", "--scope", "galaxy"],
        &["remember", "x", "--scope", "file"],
        &["link", &id, "nephew", &id],
        &["inject", "--event", "Stop"],
        &["remember", "x", "--ttl", "soon"],
        &["recall", "x", "--limit", "-1"],
    ] {
        let output = sandbox.mem(args).code(2);
        assert!(!output.stderr.is_empty() && output.stdout.is_empty(), "{output:?}");
    }
    for args in [
        &["recall", "xylophone quarantine"][..],
        &["show", "zzzzzz"],
        &["forget", "zzzzzz"],
        &["confirm", "zzzzzz"],
        &["instincts", "show", "zzzzzz"],
        &["unforget", "zzzzzz"],
        &["instincts", "list"],
        &["list", "--kind", "todo"],
        &["learn", "--session", "nobody"],
        &["edit", "zzzzzz"],
    ] {
        let output = sandbox.mem(args).code(3);
        assert!(!output.stderr.is_empty(), "{output:?}");
    }
}

#[test]
fn a_file_that_cannot_be_read_or_written_is_a_failure() {
    let sandbox = Sandbox::new();
    for args in
        [&["replay", "/no/such/place"][..], &["restore", "/no/such/file"], &["backup", "/no/such/place/b.db"]]
    {
        let output = sandbox.mem(args).code(1);
        assert!(output.stderr.starts_with("mem: ") && output.stderr.contains("/no/such"), "{output:?}");
    }
}

#[test]
fn recall_answers_with_every_key_of_the_contract() {
    let sandbox = Sandbox::new();
    sandbox.remember(
        "The gateway listens on port 9090",
        &["--why", "8080 is taken", "--how", "use 9090 in links", "--kind", "decision"],
    );
    let answer = sandbox.mem(&["recall", "gateway port", "--json"]).json();
    has_keys(&answer, &["query", "project", "took_ms", "degraded", "hits", "dropped"]);
    assert_eq!(
        (&answer["query"], &answer["degraded"], &answer["dropped"]),
        (&json!("gateway port"), &json!([]), &json!([]))
    );
    assert!(answer["took_ms"].as_f64().unwrap() > 0.0);
    let hit = &answer["hits"][0];
    has_keys(hit, &MEMORY);
    has_keys(hit, &["score", "channels", "factors", "marks"]);
    has_keys(&hit["factors"], &["time", "kind", "provenance", "anchor", "feedback"]);
    for channel in ["bm25", "vector"] {
        assert_eq!(hit["channels"][channel]["rank"], 1);
        assert!(hit["channels"][channel]["score"].as_f64().unwrap() > 0.0);
    }
    assert_eq!(
        (&hit["kind"], &hit["status"], &hit["provenance"], &hit["scope"]),
        (&json!("decision"), &json!("active"), &json!("user"), &json!("project"))
    );
    assert_eq!((&hit["why"], &hit["how"]), (&json!("8080 is taken"), &json!("use 9090 in links")));
    for time in ["created", "updated"] {
        let text = hit[time].as_str().unwrap();
        assert!(text.contains('T') && text.ends_with('Z'), "RFC 3339: {text}");
    }
    let nothing = sandbox.mem(&["recall", "xylophone quarantine", "--json"]).code(3).any_json();
    assert_eq!(nothing["hits"], json!([]));
    let past = sandbox.mem(&["recall", "gateway port", "--at", "2020-01-01", "--json"]).code(3).any_json();
    assert_eq!(past["hits"], json!([]));
    let explained = sandbox.mem(&["recall", "gateway port", "--explain"]).ok();
    assert!(
        explained.stdout.contains("bm25 #1") && explained.stdout.contains("score"),
        "{}",
        explained.stdout
    );
}

#[test]
fn list_answers_with_every_key_and_filters() {
    let sandbox = Sandbox::new();
    sandbox.remember(
        "The gateway listens on port 9090",
        &[
            "--tag",
            "net",
            "--tag",
            "ops",
            "--kind",
            "decision",
            "--ttl",
            "30",
            "--name",
            "gateway port",
            "--description",
            "where it listens",
            "--when",
            "linking",
        ],
    );
    sandbox.remember("I prefer short answers", &["--kind", "user"]);
    let list = |flags: &[&str]| {
        let mut args = vec!["list", "--json"];
        args.extend(flags);
        sandbox.mem(&args).json()["memories"].as_array().unwrap().clone()
    };
    let memory = &list(&["--tag", "net"])[0];
    has_keys(memory, &MEMORY);
    has_keys(
        memory,
        &[
            "description",
            "body",
            "tags",
            "ttl_days",
            "last_access",
            "access_count",
            "importance",
            "anchors",
            "links",
        ],
    );
    assert_eq!(
        (&memory["name"], &memory["description"]),
        (&json!("gateway port"), &json!("where it listens"))
    );
    assert_eq!((&memory["tags"], &memory["ttl_days"]), (&json!(["net", "ops"]), &json!(30)));
    assert_eq!(memory["body"], memory["text"]);
    assert_eq!(list(&[]).len(), 2);
    assert_eq!(list(&["--kind", "user"])[0]["scope"], "global");
    assert_eq!(
        (
            list(&["--limit", "1"]).len(),
            list(&["--status", "candidate"]).len(),
            list(&["--scope", "global"]).len()
        ),
        (1, 0, 1)
    );
    let other = sandbox.make_project("elsewhere");
    let seen = |flags: &[&str]| sandbox.mem_in(&other, flags).json()["memories"].as_array().unwrap().len();
    assert_eq!((seen(&["list", "--json"]), seen(&["list", "--json", "--all-projects"])), (1, 2));
}

#[test]
fn candidates_wait_for_a_yes() {
    let sandbox = Sandbox::new();
    for (n, prompt) in [
        "I think the importer might be slow because of the lock",
        "maybe we should cache the tokenizer, it seems to be the bottleneck",
    ]
    .iter()
    .enumerate()
    {
        sandbox.prompt("s", prompt);
        sandbox.hook(&sandbox.event("s", "Stop", json!({"last_assistant_message": format!("Noted {n}: the root cause was the global lock in importer.rs; we switched to a queue.")})));
    }
    let _ = sandbox.mem(&["work"]).ok();
    let memories = sandbox.memories();
    let listed = sandbox.mem(&["list", "--status", "candidate", "--json"]).json()["memories"]
        .as_array()
        .unwrap()
        .len();
    assert_eq!(listed, memories.iter().filter(|m| m["status"] == "candidate").count());
    for memory in memories.iter().filter(|m| m["status"] == "candidate") {
        let id = memory["id"].as_str().unwrap();
        assert!(
            !sandbox.recall(memory["text"].as_str().unwrap()).iter().any(|hit| hit == id),
            "a candidate is not recalled"
        );
        assert_eq!(sandbox.mem(&["confirm", id, "--json"]).json()["status"], "active");
    }
}

#[test]
fn remember_says_what_became_of_it() {
    let sandbox = Sandbox::new();
    let first = sandbox.mem(&["remember", "Ports come from the registry", "--json"]).json();
    assert_eq!(first.as_object().unwrap().keys().collect::<Vec<_>>(), ["id", "outcome", "other"]);
    assert_eq!((&first["outcome"], &first["other"]), (&json!("created"), &Value::Null));
    let again = sandbox.mem(&["remember", "  Ports come from the registry ", "--json"]).json();
    assert_eq!((&again["outcome"], &again["id"]), (&json!("refreshed"), &first["id"]));
    let mut command = sandbox.command();
    command.args(["remember", "-", "--json"]);
    let piped = Sandbox::feed(command, "\u{feff}来自管道的文字\r\n第二行".as_bytes()).json();
    let shown = sandbox.mem(&["show", piped["id"].as_str().unwrap(), "--json"]).json();
    assert!(shown["text"].as_str().unwrap().starts_with("来自管道的文字"), "{shown}");
    let flags = sandbox.mem(&["remember", "--json", "--", "--not-a-flag is a fine text"]).json();
    assert_eq!(flags["outcome"], "created");
}

#[test]
fn instincts_list_answers_with_every_key() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.mem(&["instincts", "list", "--json"]).json(), json!({"instincts": []}));
    super::learning::global_habits(&sandbox);
    let list = sandbox.mem(&["instincts", "--json"]).json();
    for instinct in list["instincts"].as_array().unwrap() {
        has_keys(
            instinct,
            &[
                "id",
                "trigger",
                "action",
                "evidence",
                "confidence",
                "domain",
                "source",
                "status",
                "scope",
                "observed_at",
                "support",
                "sessions",
            ],
        );
        assert!(instinct["evidence"].is_array() && instinct["support"].is_u64(), "{instinct}");
    }
    assert_eq!(list["instincts"].as_array().unwrap().len(), 2);
}

#[test]
fn status_and_doctor_answer_with_every_key() {
    let sandbox = Sandbox::new();
    sandbox.remember("Ports come from the registry", &["--kind", "reference"]);
    sandbox.prompt("s", "hello there, how are you?");
    let status = sandbox.mem(&["status", "--json"]).json();
    has_keys(&status, &["memories", "observations", "instincts", "queue", "index", "sizes", "version"]);
    has_keys(&status["observations"], &["live", "archived"]);
    assert_eq!(
        (&status["memories"]["reference"]["active"], &status["observations"]["live"]),
        (&json!(1), &json!(1))
    );
    assert!(
        status["sizes"]["database"].as_u64().unwrap() > 0
            && status["queue"]["unlearned"].as_u64().unwrap() > 0
    );
    assert_eq!(status["version"], env!("CARGO_PKG_VERSION"));
    let report = sandbox.mem(&["doctor", "--json"]).json();
    assert_eq!(report.as_object().unwrap().keys().collect::<Vec<_>>(), ["ok", "checks"]);
    for check in report["checks"].as_array().unwrap() {
        assert_eq!(
            check.as_object().unwrap().keys().collect::<Vec<_>>(),
            ["name", "status", "detail", "fix"]
        );
        assert!(["ok", "warn", "fail"].contains(&check["status"].as_str().unwrap()), "{check}");
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let sandbox = Sandbox::new();
    for n in 0..40 {
        sandbox.remember(
            &format!("Relay {n} {}", "is described at great length ".repeat(80)),
            &["--kind", "reference"],
        );
    }
    for args in [
        &["list"][..],
        &["list", "--json"],
        &["recall", "relay described", "--limit", "40"],
        &["completions", "zsh"],
    ] {
        let mut child =
            sandbox.command().args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let done = child.wait_with_output().unwrap();
        assert_eq!(done.status.code(), Some(0), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
        assert!(done.stderr.is_empty(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    }
}

#[test]
fn ids_may_be_shortened_until_they_are_ambiguous() {
    let sandbox = Sandbox::new();
    let ids: Vec<String> = (0..40).map(|n| sandbox.remember(&format!("Relay {n} is idle"), &[])).collect();
    let shared = |a: &str, b: &str| a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let id = &ids[0];
    let longest = ids[1..].iter().map(|other| shared(id, other)).max().unwrap();
    let unique = &id[..=longest];
    assert_eq!(sandbox.mem(&["show", unique, "--json"]).json()["id"], id.as_str());
    let (a, b) = ids
        .iter()
        .enumerate()
        .flat_map(|(n, a)| ids[n + 1..].iter().map(move |b| (a, b)))
        .find(|(a, b)| shared(a, b) > 0)
        .unwrap();
    let prefix = &a[..shared(a, b)];
    for command in ["show", "forget", "pin", "confirm"] {
        let output = sandbox.mem(&[command, prefix]);
        assert!(matches!(output.code, Some(1 | 2)), "{command}: {output:?}");
        assert!(output.stderr.contains(prefix), "{output:?}");
    }
    let _ = sandbox.mem(&["forget", id, "zzzzzz"]).code(3);
    assert_eq!(sandbox.memories().len(), 40, "all of them or none");
}

#[test]
fn places_are_given_by_flags_before_the_environment() {
    let sandbox = Sandbox::new();
    let home = sandbox.user().join("另一个 home");
    let other = sandbox.make_project("elsewhere");
    let (home, other) = (home.to_str().unwrap(), other.to_str().unwrap());
    let id = sandbox
        .mem(&["--home", home, "--project", other, "remember", "Ports come from the registry"])
        .ok()
        .line();
    assert!(sandbox.memories().is_empty());
    let listed = sandbox.mem_in(std::path::Path::new(other), &["list", "--json", "--home", home]).json();
    assert_eq!(listed["memories"][0]["id"], id.as_str());
    let config = sandbox.user().join("c.toml");
    fs_err::write(&config, "limit = 1\n").unwrap();
    sandbox.remember("Relay one is idle", &[]);
    sandbox.remember("Relay two is idle", &[]);
    let hits = sandbox.mem(&["recall", "relay idle", "--json", "--config", config.to_str().unwrap()]).json();
    assert_eq!(hits["hits"].as_array().unwrap().len(), 1);
}

#[test]
fn what_would_be_injected_is_shown_and_changes_nothing() {
    let sandbox = Sandbox::new();
    let id = sandbox.remember("The gateway listens on port 9090", &[]);
    for _ in 0..2 {
        let shown =
            sandbox.mem(&["inject", "--query", "which port does the gateway listen on?", "--json"]).json();
        has_keys(&shown, &["event", "text", "chars", "hits", "dropped", "degraded"]);
        assert_eq!((&shown["event"], &shown["hits"][0]["id"]), (&json!("UserPromptSubmit"), &json!(id)));
        assert!(shown["text"].as_str().unwrap().contains("9090"));
    }
    let nothing = sandbox.mem(&["inject", "--query", "what's the capital of France", "--json"]).json();
    assert_eq!((&nothing["text"], &nothing["hits"]), (&json!(""), &json!([])));
    assert!(sandbox.mem(&["inject"]).ok().stdout.contains("9090"));
}
