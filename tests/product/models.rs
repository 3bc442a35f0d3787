//! A change of the model: told, made up for, and killed in the middle.

use mem_engine::{Engine, Kind, Memory, Timestamp};
use mem_tests::Sandbox;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

const COUNT: u64 = 2_000;
const CONFIG: &str = "# kept\n[host]\nbackground_work = false\n[embedder] # mine\nmodel = 'hash'\n";

fn fill(sandbox: &Sandbox) {
    let now: Timestamp = "2026-11-01T00:00:00Z".parse().unwrap();
    let project = sandbox.project_id();
    let memories: Vec<Memory> = (0..COUNT)
        .map(|n| {
            Memory::new(Kind::Fact, format!("Crane {n} lifts {} tonnes at quay {}", n % 90, n % 7), now)
                .in_project(project.parse().unwrap())
        })
        .collect();
    let engine = Engine::builder(sandbox.home()).open().unwrap();
    engine.store().put(&memories).unwrap();
}

fn without_vectors(sandbox: &Sandbox) -> u64 {
    sandbox.mem(&["model", "--json"]).json()["without_vectors"].as_u64().unwrap()
}

#[test]
fn what_was_embedded_before_a_kill_is_not_embedded_again() {
    let sandbox = Sandbox::with_config(CONFIG);
    fill(&sandbox);
    let _ = sandbox.mem(&["work"]).ok();
    assert_eq!(without_vectors(&sandbox), 0);

    let chosen = sandbox.mem(&["model", "builtin", "--json"]).json();
    assert_eq!((chosen["with_vectors"].as_u64(), chosen["without_vectors"].as_u64()), (Some(0), Some(COUNT)));
    let config = fs_err::read_to_string(sandbox.home().join("config.toml")).unwrap();
    assert_eq!(config, CONFIG.replace("'hash'", "\"builtin\""));

    for command in ["work", "reindex"] {
        let before = without_vectors(&sandbox);
        let mut child = sandbox
            .command()
            .args(["--verbose", command])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let seen: Vec<String> = lines.by_ref().map(Result::unwrap).take(3).collect();
        child.kill().unwrap();
        child.wait().unwrap();
        let expected = [32, 64, 96].map(|done| format!("mem: {done} of {before} memories embedded"));
        assert_eq!(seen, expected, "{command}");
        let after = without_vectors(&sandbox);
        assert!(after > 0, "it was killed too late");
        assert!(after <= before - 96, "{after} of {before}");
        let recall = sandbox.mem(&["recall", "crane 1234", "--json"]).json();
        assert_eq!(recall["hits"][0]["text"], "Crane 1234 lifts 64 tonnes at quay 2");
        // A question makes up for 512 of them.
        assert_eq!(without_vectors(&sandbox), after.saturating_sub(512));
        assert_eq!(recall["degraded"][0]["part"], "vector", "{}", recall["degraded"]);
    }

    let _ = sandbox.mem(&["work"]).ok();
    assert_eq!(without_vectors(&sandbox), 0);
    let recall = sandbox.mem(&["recall", "crane 1234", "--json"]).json();
    assert_eq!(recall["degraded"].as_array().unwrap().len(), 0);
    let report = sandbox.mem(&["doctor", "--json"]).any_json();
    let check = report["checks"].as_array().unwrap().iter().find(|check| check["name"] == "model").unwrap();
    assert_eq!(check["status"], "ok", "{check}");
}

#[test]
fn a_model_that_cannot_be_used_is_not_chosen() {
    let sandbox = Sandbox::with_config(CONFIG);
    let refused = sandbox.mem(&["model", "path", "no such folder"]).code(1);
    assert!(refused.stderr.contains("the model was not changed"), "{}", refused.stderr);
    assert_eq!(fs_err::read_to_string(sandbox.home().join("config.toml")).unwrap(), CONFIG);
    assert_eq!(sandbox.mem(&["model", "none", "--json"]).json()["key"], serde_json::Value::Null);
    let listed = sandbox.mem(&["model", "list", "--json"]).json();
    let chosen: Vec<_> =
        listed["models"].as_array().unwrap().iter().filter(|model| model["chosen"] == true).collect();
    assert_eq!(chosen.len(), 1);
    assert_eq!(chosen[0]["name"], "none");
}

#[test]
fn vectors_are_made_while_one_waits() {
    let sandbox = Sandbox::with_config(CONFIG);
    sandbox.remember("The tide tables come from the harbour office", &[]);
    let chosen = sandbox.mem(&["model", "use", "builtin", "--wait", "--json"]).json();
    assert_eq!((chosen["with_vectors"].as_u64(), chosen["without_vectors"].as_u64()), (Some(1), Some(0)));
}
