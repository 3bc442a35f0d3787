//! From what an agent does to habits, rules files, and back by hand.

use mem_tests::{Sandbox, below, files_with};
use serde_json::{Value, json};

/// Sessions in which each edit is read before and tested after.
fn careful_sessions(sandbox: &Sandbox, count: usize) {
    let mut lines = String::new();
    for session in 0..count {
        let id = format!("careful-{session}");
        let mut minute = 0;
        let mut add = |phase: &str, tool: &str, input: Value| {
            minute += 1;
            let line = json!({"session_id": id, "ts": format!("2026-11-{:02}T10:{minute:02}:00Z", session + 1), "phase": phase, "tool": tool,
                "input": input, "bash_desc": null, "cwd": sandbox.project(), "project": sandbox.project_id(), "ok": true, "tool_use_id": format!("{id}-{minute}")});
            lines.push_str(&format!("{line}\n"));
        };
        for n in 0..5 {
            let file = format!("/w/src/f{n}.rs");
            add("post", "Grep", json!({"pattern": format!("f{n}")}));
            add("post", "Read", json!({"file_path": file}));
            add("post", "Edit", json!({"file_path": file, "old_string": "a", "new_string": "b"}));
            add("post", "Bash", json!({"command": "cargo test"}));
        }
        add("post", "Bash", json!({"command": "git status"}));
        add("post", "Bash", json!({"command": "git diff"}));
        add("post", "Bash", json!({"command": "git commit -m x"}));
    }
    let folder = sandbox.home().join("journal");
    fs_err::create_dir_all(&folder).unwrap();
    fs_err::write(folder.join("observations.jsonl"), lines).unwrap();
}

fn instincts(sandbox: &Sandbox) -> Vec<Value> {
    sandbox.mem(&["instincts", "list", "--json"]).json()["instincts"].as_array().unwrap().clone()
}

#[test]
fn habits_grow_with_sessions_one_vote_each() {
    let sandbox = Sandbox::new();
    careful_sessions(&sandbox, 4);
    let learned = sandbox.mem(&["learn", "--json"]).json();
    assert_eq!(learned["sessions"], 4);
    let found = instincts(&sandbox);
    assert_eq!(learned["new_instincts"], found.len());
    let habit = found
        .iter()
        .find(|i| i["action"].as_str().unwrap().to_lowercase().contains("test"))
        .unwrap_or_else(|| panic!("{found:?}"));
    assert_eq!(habit["sessions"], 4, "{habit}");
    let confidence = habit["confidence"].as_f64().unwrap();
    assert!((confidence - 0.65).abs() < 1e-9, "0.5, then 0.05 for each later session: {confidence}");
    let again = sandbox.mem(&["learn", "--json"]).json();
    assert_eq!((&again["new_instincts"], &again["updated_instincts"]), (&json!(0), &json!(0)));
    assert_eq!(instincts(&sandbox), found, "learning twice is learning once");
    let session = sandbox.mem(&["learn", "--session", "careful-1", "--json"]).json();
    assert_eq!(session["new_instincts"], 0, "{session}");
    assert_eq!(instincts(&sandbox), found, "one session again is no further vote");
    let _ = sandbox.mem(&["learn", "--session", "nobody"]).code(3);
}

#[test]
fn a_forgotten_habit_is_not_learned_again() {
    let sandbox = Sandbox::new();
    careful_sessions(&sandbox, 3);
    let _ = sandbox.mem(&["learn"]).ok();
    let all = instincts(&sandbox);
    let id = all[0]["id"].as_str().unwrap();
    let _ = sandbox.mem(&["instincts", "forget", id]).ok();
    let _ = sandbox.mem(&["learn", "--session", "careful-2"]).ok();
    let _ = sandbox.mem(&["work"]).ok();
    assert_eq!(instincts(&sandbox).len(), all.len() - 1);
    let _ = sandbox.mem(&["instincts", "show", id]).code(3);
}

#[test]
fn an_instinct_edited_by_hand_is_taken_over_and_stays() {
    let sandbox = Sandbox::new();
    careful_sessions(&sandbox, 3);
    let _ = sandbox.mem(&["work"]).ok();
    let first = instincts(&sandbox)[0].clone();
    let id = first["id"].as_str().unwrap();
    let file = files_with(&sandbox.home().join("instincts"), &format!("id: {id}")).remove(0);
    let text = fs_err::read_to_string(&file).unwrap();
    let line = text.lines().find(|line| line.starts_with("confidence:")).unwrap();
    fs_err::write(&file, text.replace(line, "confidence: 0.83")).unwrap();
    let synced = sandbox.mem(&["sync", "--json"]).json();
    assert_eq!(synced["read"], 1, "{synced}");
    let shown = || sandbox.mem(&["instincts", "show", id, "--json"]).json();
    assert!((shown()["confidence"].as_f64().unwrap() - 0.83).abs() < 0.005, "{}", shown());
    let _ = sandbox.mem(&["work"]).ok();
    assert!(
        (shown()["confidence"].as_f64().unwrap() - 0.83).abs() < 0.005,
        "work does not undo it: {}",
        shown()
    );
    assert!(fs_err::read_to_string(&file).unwrap().contains("confidence: 0.83"));
    let text = fs_err::read_to_string(&file).unwrap();
    fs_err::write(&file, text.replace("deprecated: false", "deprecated: true")).unwrap();
    let _ = sandbox.mem(&["sync"]).ok();
    assert_eq!(shown()["status"], "deprecated", "{}", shown());
}

/// Two habits for everywhere, written by hand.
pub(crate) fn global_habits(sandbox: &Sandbox) {
    let folder = sandbox.home().join("instincts");
    fs_err::create_dir_all(&folder).unwrap();
    for (id, trigger, action) in [
        ("diff-before-commit", "before a commit", "look at the diff first"),
        ("test-after-edit", "after an edit", "run the tests of that package"),
    ] {
        let text = format!(
            "---\nid: {id}\ntrigger: \"{trigger}\"\nconfidence: 0.85\ndomain: workflow\nsource: personal\nscope: global\n---\n\n## Action\n{action}\n\n## Evidence\n- by hand\n"
        );
        fs_err::write(folder.join(format!("{id}.md")), text).unwrap();
    }
    let synced = sandbox.mem(&["sync", "--json"]).json();
    assert_eq!(synced["read"], 2, "{synced}");
}

#[test]
fn evolution_writes_one_small_rules_file_and_leaves_others_alone() {
    let sandbox = Sandbox::new();
    global_habits(&sandbox);
    let rules = sandbox.claude().join("rules");
    fs_err::create_dir_all(&rules).unwrap();
    fs_err::write(rules.join("mine.md"), "my own rule\n").unwrap();
    let planned = sandbox.mem(&["evolve", "--dry-run", "--json"]).json();
    assert_eq!(planned["instincts"], 2, "{planned}");
    assert_eq!(below(&rules).len(), 1, "a dry run writes nothing");
    let evolved = sandbox.mem(&["evolve", "--json"]).json();
    assert!(!evolved["written"].as_array().unwrap().is_empty());
    let text = fs_err::read_to_string(rules.join("auto-evolved.md")).unwrap();
    assert!(text.contains("look at the diff first") && text.contains("run the tests"), "{text}");
    assert!(!text.starts_with('\u{feff}') && !text.contains('\r') && text.len() < 9_500);
    assert_eq!(
        sandbox.mem(&["evolve", "--json"]).json()["written"],
        json!([]),
        "nothing changed, nothing written"
    );
    assert_eq!(fs_err::read_to_string(rules.join("mine.md")).unwrap(), "my own rule\n");
    fs_err::write(rules.join("auto-evolved.md"), "a person took the name\n").unwrap();
    let evolved = sandbox.mem(&["evolve", "--json"]).json();
    assert_eq!(evolved["foreign"].as_array().unwrap().len(), 1, "{evolved}");
    assert_eq!(fs_err::read_to_string(rules.join("auto-evolved.md")).unwrap(), "a person took the name\n");
}

#[test]
fn what_is_exported_names_no_place_and_comes_in_elsewhere_as_inherited() {
    let sandbox = Sandbox::new();
    careful_sessions(&sandbox, 3);
    let _ = sandbox.mem(&["learn"]).ok();
    let file = sandbox.user().join("habits.md");
    let _ = sandbox.mem(&["instincts", "export", "-o", file.to_str().unwrap()]).ok();
    let text = fs_err::read_to_string(&file).unwrap();
    let project = sandbox.project_id();
    for hidden in [project.as_str(), "harbor", "careful-", "/w/src"] {
        assert!(!text.contains(hidden), "{hidden}: {text}");
    }
    let other = Sandbox::new();
    let imported = other.mem(&["instincts", "import", file.to_str().unwrap(), "--json"]).json();
    let count = imported["imported"].as_array().unwrap().len();
    assert_eq!(count, instincts(&sandbox).len());
    let found = instincts(&other);
    assert!(found.len() == count && found.iter().all(|i| i["source"] == "inherited"), "{found:?}");
    assert_eq!(other.mem(&["instincts", "import", file.to_str().unwrap()]).code, Some(3), "known ones stay");
}
