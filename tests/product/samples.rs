//! Payloads and transcripts that others recorded, where they lie beside the project.

use mem_tests::{HookOutput, Sandbox, below};
use std::path::PathBuf;

/// A folder of samples; none on a machine that has only the project.
fn samples(name: &str) -> Option<Vec<PathBuf>> {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/samples")).join(name);
    root.is_dir().then(|| below(&root))
}

fn no_fault(sandbox: &Sandbox) {
    let faults: Vec<String> =
        sandbox.hook_log().into_iter().filter(|line| line.contains("a fault of mem")).collect();
    assert_eq!(faults, Vec::<String>::new());
}

#[test]
fn recorded_payloads_are_answered_validly() {
    let Some(mut files) = samples("hooks-stdin") else { return };
    let derived = samples("derived").unwrap_or_default();
    files.extend(
        derived.into_iter().filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("stdin-")),
    );
    let sandbox = Sandbox::new();
    sandbox.remember("The gateway listens on port 8080", &["--scope", "global"]);
    for file in &files {
        let bytes = fs_err::read(file).unwrap();
        let output = sandbox.hook_raw(&[], &bytes);
        let event = serde_json::from_str::<serde_json::Value>(&output.stdout).ok();
        let event =
            event.and_then(|answer| Some(answer["hookSpecificOutput"]["hookEventName"].as_str()?.to_owned()));
        HookOutput::check(&output, event.as_deref().unwrap_or("SessionStart"));
    }
    assert!(files.len() > 20, "{} samples", files.len());
    assert!(!sandbox.journal().is_empty());
    no_fault(&sandbox);
    let _ = sandbox.mem(&["work"]).ok();
}

#[test]
fn recorded_transcripts_are_replayed_without_a_fault() {
    let Some(files) = samples("transcripts") else { return };
    let sandbox = Sandbox::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "jsonl")) {
        let replayed = sandbox.mem(&["replay", file.to_str().unwrap(), "--json"]).json();
        assert!(replayed["files"].as_u64().unwrap() <= 1, "{}", file.display());
    }
    let lines = sandbox.whole_journal().len();
    assert!(lines > 100, "{lines} observations");
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/samples/transcripts"));
    let again = sandbox.mem(&["replay", root.to_str().unwrap(), "--json"]).json();
    assert_eq!(again["observations"], 0, "{again}");
    assert_eq!(sandbox.whole_journal().len(), lines);
    let _ = sandbox.mem(&["work"]).ok();
    assert_eq!(sandbox.doctor("database")["status"], "ok");
    no_fault(&sandbox);
}
