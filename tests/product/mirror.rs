//! Markdown that people edit, backups, and the views that are rebuilt.

use mem_tests::{Sandbox, below, files_with};
use serde_json::json;
use std::path::PathBuf;

fn file_of(sandbox: &Sandbox, text: &str) -> PathBuf {
    let mut found = files_with(&sandbox.home().join("memories"), text);
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

fn sync(sandbox: &Sandbox) -> serde_json::Value {
    sandbox.mem(&["sync", "--json"]).json()
}

fn text_of(sandbox: &Sandbox, id: &str) -> String {
    sandbox.mem(&["show", id, "--json"]).json()["text"].as_str().unwrap().to_owned()
}

#[test]
fn an_edit_by_hand_is_taken_over_and_found() {
    let sandbox = Sandbox::new();
    let id =
        sandbox.remember("The gateway listens on port 8080", &["--why", "history", "--kind", "decision"]);
    assert_eq!(sync(&sandbox)["written"], 1);
    let file = file_of(&sandbox, "port 8080");
    let text = fs_err::read_to_string(&file).unwrap();
    assert!(text.starts_with("---\nname: ") && text.contains("**Why:** history"), "{text}");
    fs_err::write(&file, text.replace("port 8080", "port 9191").replace('\n', "\r\n")).unwrap();
    assert_eq!(sync(&sandbox)["read"], 1);
    assert_eq!(text_of(&sandbox, &id), "The gateway listens on port 9191");
    assert_eq!(sandbox.recall("9191").first(), Some(&id));
    let quiet = sync(&sandbox);
    assert_eq!((&quiet["read"], &quiet["conflicts"]), (&json!(0), &json!([])), "{quiet}");
    fs_err::remove_file(file_of(&sandbox, "9191")).unwrap();
    assert_eq!(sync(&sandbox)["removed"], 1);
    assert!(sandbox.recall("gateway 9191").is_empty());
    let _ = sandbox.mem(&["unforget", &id]).ok();
    assert_eq!(text_of(&sandbox, &id), "The gateway listens on port 9191");
}

#[test]
fn a_new_file_becomes_a_memory() {
    let sandbox = Sandbox::new();
    sandbox.remember("The gateway listens on port 8080", &[]);
    sync(&sandbox);
    let folder = file_of(&sandbox, "8080").parent().unwrap().to_owned();
    let text = "---\nname: 发布窗口\ndescription: 何时发布\nmetadata: \n  type: feedback\n---\n\n只在周二和周四发布。\n\n**Why:** 值班同事在\n";
    fs_err::write(folder.join("release-window.md"), text).unwrap();
    assert_eq!(sync(&sandbox)["read"], 1);
    let answer = sandbox.mem(&["recall", "周四 发布", "--json"]).json();
    let hit = &answer["hits"][0];
    assert_eq!(
        (&hit["kind"], &hit["name"], &hit["why"]),
        (&json!("feedback"), &json!("发布窗口"), &json!("值班同事在"))
    );
    assert_eq!(sync(&sandbox)["read"], 0);
    assert_eq!(sandbox.memories().len(), 2);
}

#[cfg(unix)]
#[test]
fn where_both_sides_changed_nothing_is_decided() {
    let sandbox = Sandbox::new();
    let id = sandbox.remember("The gateway listens on port 8080", &[]);
    sync(&sandbox);
    let file = file_of(&sandbox, "8080");
    let edited = fs_err::read_to_string(&file).unwrap().replace("8080", "7001");
    fs_err::write(&file, &edited).unwrap();
    let _ = edit_with(&sandbox, &id, "s/8080/7002/").ok();
    for _ in 0..2 {
        let synced = sync(&sandbox);
        assert_eq!(synced["conflicts"].as_array().unwrap().len(), 1, "{synced}");
        assert!(text_of(&sandbox, &id).contains("7002") && fs_err::read_to_string(&file).unwrap() == edited);
    }
}

#[test]
fn a_file_that_cannot_be_read_is_left_alone() {
    let sandbox = Sandbox::new();
    let id = sandbox.remember("The gateway listens on port 8080", &[]);
    sync(&sandbox);
    let file = file_of(&sandbox, "8080");
    for damage in
        [&b"---\nname: torn\nmetadata:\n  type"[..], b"caf\xe9 \xff\xfe in Latin-1", b"---\nname: a\nname"]
    {
        fs_err::write(&file, damage).unwrap();
        let synced = sync(&sandbox);
        assert_eq!(synced["warnings"].as_array().unwrap().len(), 1, "{synced}");
        assert_eq!(fs_err::read(&file).unwrap(), damage);
        assert_eq!(text_of(&sandbox, &id), "The gateway listens on port 8080");
    }
}

/// `mem edit` with an editor that is a `sed` command.
#[cfg(unix)]
fn edit_with(sandbox: &Sandbox, id: &str, script: &str) -> mem_tests::Output {
    Sandbox::run(sandbox.command().env("EDITOR", format!("sed -i.bak {script}")).args(["edit", id]))
}

#[cfg(unix)]
#[test]
fn the_editor_changes_a_memory() {
    let sandbox = Sandbox::new();
    let id = sandbox.remember("The gateway listens on port 8080", &["--tag", "net"]);
    let _ = edit_with(&sandbox, &id[..10], "s/8080/9090/").ok();
    assert_eq!(text_of(&sandbox, &id), "The gateway listens on port 9090");
    assert_eq!(sandbox.recall("9090").first(), Some(&id));
    let shown = sandbox.mem(&["show", &id, "--json"]).json();
    assert_eq!(
        (&shown["tags"], &shown["kind"]),
        (&json!(["net"]), &json!("fact")),
        "what was not edited stays"
    );
    let unchanged = edit_with(&sandbox, &id, "s/none/none/").ok();
    assert_ne!(unchanged.line(), id, "an edit of nothing is said to be one");
    let refused = edit_with(&sandbox, &id, "1d");
    assert!(matches!(refused.code, Some(1 | 2)), "{refused:?}");
    let failed = Sandbox::run(sandbox.command().env("EDITOR", "false").args(["edit", &id]));
    assert_eq!(failed.code, Some(1));
    let missing =
        Sandbox::run(sandbox.command().env("EDITOR", "no-such-editor --wait").args(["edit", &id])).code(1);
    assert!(missing.stderr.contains("no-such-editor") && missing.stderr.contains("EDITOR"), "{missing:?}");
    assert_eq!(text_of(&sandbox, &id), "The gateway listens on port 9090");
}

#[test]
fn a_backup_comes_back_whole() {
    let sandbox = Sandbox::new();
    let kept = sandbox.remember("The gateway listens on port 8080", &["--why", "history"]);
    let gone = sandbox.remember("Relay one is idle", &[]);
    super::learning::global_habits(&sandbox);
    let file = sandbox.user().join("备份.db");
    let file = file.to_str().unwrap();
    let _ = sandbox.mem(&["backup", file]).ok();
    let before = sandbox.memories();
    assert!(fs_err::metadata(file).unwrap().len() > 4_096);
    let _ = sandbox.mem(&["backup", file]).code(1);
    let _ = sandbox.mem(&["forget", "--hard", &gone]).ok();
    let later = sandbox.remember("Relay two is busy", &[]);
    let _ = sandbox.mem(&["restore", file]).ok();
    assert_eq!(sandbox.memories(), before);
    assert_eq!(sandbox.recall("relay idle").first(), Some(&gone));
    assert!(!sandbox.recall("relay busy").contains(&later));
    assert_eq!(sandbox.recall("gateway port").first(), Some(&kept));
    assert_eq!(sandbox.mem(&["instincts", "--json"]).json()["instincts"].as_array().unwrap().len(), 2);
    let aside = below(&sandbox.home())
        .into_iter()
        .filter(|path| path.to_string_lossy().contains("before-restore"))
        .count();
    assert_eq!(aside, 1, "what was there is kept");
    let other = Sandbox::new();
    let _ = other.mem(&["restore", file]).ok();
    assert_eq!(other.memories().len(), 2);
    let present = sandbox.memories();
    let junk = sandbox.user().join("junk.db");
    fs_err::write(&junk, b"junk ".repeat(2_000)).unwrap();
    let _ = sandbox.mem(&["restore", junk.to_str().unwrap()]).code(1);
    assert_eq!(sandbox.memories(), present, "a file that is no backup changes nothing");
}

#[test]
fn the_index_is_rebuilt_from_the_database() {
    let sandbox = Sandbox::new();
    let ids: Vec<String> =
        (0..5).map(|n| sandbox.remember(&format!("Relay {n} belongs to district {}", n + 40), &[])).collect();
    fs_err::remove_dir_all(sandbox.home().join("index")).unwrap();
    assert_eq!(sandbox.mem(&["reindex", "--json"]).json(), json!({"memories": 5}));
    let hit = &sandbox.mem(&["recall", "relay district 43", "--json"]).json()["hits"][0];
    assert_eq!((&hit["id"], &hit["channels"]["bm25"]["rank"]), (&json!(ids[3]), &json!(1)));
    fs_err::remove_dir_all(sandbox.home().join("index")).unwrap();
    assert_eq!(sandbox.recall("relay district 43").first(), Some(&ids[3]), "recall heals it by itself");
}

#[cfg(unix)]
#[test]
fn everything_below_the_home_is_the_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::with_config("");
    fs_err::remove_dir_all(sandbox.home()).unwrap();
    sandbox.remember("The gateway listens on port 8080", &[]);
    sandbox.prompt("s", "hello there, how are you?");
    let _ = sandbox.mem(&["work"]).ok();
    let mode = fs_err::metadata(sandbox.home()).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o700, "{mode:o}");
}
