//! Broken homes: the agent is not disturbed, and the doctor says what is wrong.

use mem_tests::{HookOutput, Sandbox, below};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn check<'a>(report: &'a Value, name: &str) -> &'a Value {
    report["checks"]
        .as_array()
        .unwrap()
        .iter()
        .find(|c| c["name"] == name)
        .unwrap_or_else(|| panic!("no {name}: {report}"))
}

fn three_events(sandbox: &Sandbox) {
    sandbox.start("s-broken", "startup");
    sandbox.prompt("s-broken", "which port does the registry give to the ledger service?");
    sandbox.hook(&sandbox.event("s-broken", "Stop", json!({"last_assistant_message": "done"})));
}

#[test]
fn a_home_below_a_file_does_not_disturb_the_agent() {
    let sandbox = Sandbox::new();
    let file = sandbox.user().join("a-file");
    fs_err::write(&file, "x").unwrap();
    for home in [file.clone(), file.join("below")] {
        for name in ["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"] {
            let mut command = sandbox.command();
            command.env("MEM_HOME", &home).arg("hook");
            let event = sandbox.event("s", name, json!({"prompt": "deploy the ledger service now"}));
            HookOutput::check(&Sandbox::feed(command, event.to_string().as_bytes()), name);
        }
        let report = Sandbox::run(sandbox.command().env("MEM_HOME", &home).args(["doctor", "--json"]))
            .code(1)
            .any_json();
        assert_eq!(report["ok"], false);
        assert_eq!(check(&report, "home")["status"], "fail");
        assert!(check(&report, "home")["fix"].as_str().unwrap().contains("MEM_HOME"));
    }
    assert_eq!(fs_err::read(&file).unwrap(), b"x");
}

#[test]
fn a_journal_that_somebody_holds_is_waited_for_only_briefly() {
    let sandbox = Sandbox::new();
    let stop = sandbox.event("s", "Stop", json!({"last_assistant_message": "done"}));
    sandbox.hook(&stop);
    let lock = std::fs::File::options()
        .write(true)
        .open(sandbox.home().join("journal").join("journal.lock"))
        .unwrap();
    lock.lock().unwrap();
    let begun = Instant::now();
    sandbox.hook(&stop);
    assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
    drop(lock);
    sandbox.hook(&stop);
    assert_eq!(sandbox.journal().len(), 2);
    assert!(
        sandbox.hook_log().iter().any(|line| line.contains("Stop was not captured")),
        "{:?}",
        sandbox.hook_log()
    );
}

#[test]
fn damage_in_the_journal_costs_only_the_damaged_lines() {
    let sandbox = Sandbox::new();
    let path = sandbox.home().join("journal").join("observations.jsonl");
    let append = |bytes: &[u8]| {
        let mut journal = fs_err::OpenOptions::new().append(true).open(&path).unwrap();
        std::io::Write::write_all(&mut journal, bytes).unwrap();
    };
    sandbox.prompt("s-1", "记住：发布前一定先更新 CHANGELOG");
    append(b"{ this is damage\n\xff\xfe not text\n[1]\n\r\n");
    sandbox.prompt("s-1", "记住：周五不做数据库迁移");
    // As after a loss of power: the last line has no end.
    append(b"{\"session_id\":\"s-1\",\"ts\":\"2026-11-");
    sandbox.prompt("s-1", "记住：staging 每周一重建");
    let _ = sandbox.mem(&["status", "--json"]).json();
    let learned = sandbox.mem(&["learn", "--json"]).json();
    assert_eq!((&learned["memories"], &learned["observations"]), (&json!(3), &json!(3)), "{learned}");
    assert!(learned["skipped_lines"].as_u64().unwrap() >= 4, "{learned}");
    assert_eq!(sandbox.doctor("database")["status"], "ok");
}

#[test]
fn a_database_that_was_put_back_by_hand_is_believed_and_the_views_follow() {
    let sandbox = Sandbox::new();
    let first = sandbox.remember("The gateway listens on port 8080", &[]);
    let copy = fs_err::read(sandbox.home().join("mem.db")).unwrap();
    let ghost = sandbox.remember("The heron host runs the backups", &[]);
    fs_err::write(sandbox.home().join("mem.db"), copy).unwrap();
    assert!(!sandbox.recall("heron backups").contains(&ghost));
    // As many changes as the lost state had: the numbers of the two histories are the same.
    let new = sandbox.remember("The egret host runs the dashboards", &[]);
    assert!(
        !sandbox.recall("heron backups").contains(&ghost),
        "what the database does not hold is not found"
    );
    let answer = sandbox.mem(&["recall", "egret dashboards", "--json"]).json();
    assert_eq!(answer["hits"][0]["id"], new.as_str(), "{answer}");
    assert_eq!(answer["hits"][0]["channels"]["bm25"]["rank"], 1, "{answer}");
    assert_eq!(sandbox.recall("gateway port").first(), Some(&first));
}

#[test]
fn without_its_database_a_home_starts_anew() {
    let sandbox = Sandbox::new();
    let old = sandbox.remember("The gateway listens on port 8080", &[]);
    fs_err::remove_file(sandbox.home().join("mem.db")).unwrap();
    assert!(sandbox.recall("gateway port").is_empty());
    let new = sandbox.remember("The egret host runs the dashboards", &[]);
    assert_ne!(old, new);
    let answer = sandbox.mem(&["recall", "egret dashboards", "--json"]).json();
    assert_eq!(answer["hits"][0]["channels"]["bm25"]["rank"], 1, "{answer}");
    assert_eq!(answer["hits"].as_array().unwrap().len(), 1);
    assert_eq!(sandbox.mem(&["doctor", "--json"]).json()["ok"], true);
}

#[test]
fn a_broken_configuration_costs_no_event_and_shows_in_the_doctor() {
    let sandbox = Sandbox::with_config("[recall]\nlimt = 3\n");
    three_events(&sandbox);
    assert_eq!(sandbox.journal().len(), 3);
    assert!(sandbox.hook_log().iter().any(|line| line.contains("recall.limt")), "{:?}", sandbox.hook_log());
    let output = sandbox.mem(&["remember", "x"]);
    assert!(
        output.code != Some(0) && output.stderr.contains("line 2") && output.stderr.contains("limit"),
        "{output:?}"
    );
    let report = sandbox.mem(&["doctor", "--json"]).code(1).any_json();
    assert_eq!(report["ok"], false);
    assert!(report.to_string().contains("recall.limt"), "{report}");
}

#[test]
fn a_damaged_database_costs_no_event_and_shows_in_the_doctor() {
    for damage in ["garbage", "torn", "empty pages"] {
        let sandbox = Sandbox::new();
        sandbox.remember("The registry gives port 7411 to the ledger service", &[]);
        let path = sandbox.home().join("mem.db");
        let mut bytes = fs_err::read(&path).unwrap();
        match damage {
            "garbage" => bytes = b"this is no database at all ".repeat(400),
            "torn" => bytes.truncate(bytes.len() / 3),
            _ => bytes[4096..].fill(0),
        }
        for end in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(sandbox.home().join(format!("mem.db{end}")));
        }
        fs_err::write(&path, &bytes).unwrap();
        three_events(&sandbox);
        assert_eq!(sandbox.journal().len(), 3, "{damage}");
        let report = sandbox.mem(&["doctor", "--json"]).code(1).any_json();
        assert_eq!(
            (&report["ok"], &check(&report, "database")["status"]),
            (&json!(false), &json!("fail")),
            "{damage}"
        );
        assert!(check(&report, "database")["fix"].as_str().unwrap().contains("restore"), "{damage}");
        assert_eq!(check(&report, "failures")["status"], "warn", "{damage}: {:?}", sandbox.hook_log());
    }
}

#[test]
fn a_backup_mends_a_damaged_database() {
    let sandbox = Sandbox::new();
    let id = sandbox.remember("The registry gives port 7411 to the ledger service", &[]);
    let backup = sandbox.user().join("backup.db");
    let backup = backup.to_str().unwrap();
    let _ = sandbox.mem(&["backup", backup]).ok();
    fs_err::write(sandbox.home().join("mem.db"), b"gone ".repeat(3_000)).unwrap();
    let _ = sandbox.mem(&["recall", "ledger"]).code(1);
    let _ = sandbox.mem(&["restore", backup]).ok();
    assert_eq!(sandbox.recall("ledger port"), [id]);
    assert_eq!(sandbox.mem(&["doctor", "--json"]).json()["ok"], true);
}

#[test]
fn a_damaged_index_still_answers_and_is_mended() {
    let sandbox = Sandbox::new();
    let id = sandbox.remember("The registry gives port 7411 to the ledger service", &[]);
    sandbox.remember("蓝绿发布只在周二进行", &[]);
    for damage in ["garbage", "empty", "deleted"] {
        let index = sandbox.home().join("index").join("bm25");
        assert!(!below(&index).is_empty());
        for file in below(&index) {
            match damage {
                "garbage" => fs_err::write(file, b"not an index").unwrap(),
                "empty" => fs_err::write(file, b"").unwrap(),
                _ => fs_err::remove_file(file).unwrap(),
            }
        }
        let session = format!("s-{damage}");
        let told = sandbox.prompt(&session, "which port has the ledger service in the registry?");
        assert!(told.context.is_none() || told.text().contains("7411"), "{damage}: {}", told.text());
        assert_eq!(sandbox.recall("ledger service port").first(), Some(&id), "{damage}");
        let _ = sandbox.mem(&["doctor", "--fix", "--json"]).any_json();
        let index = sandbox.doctor("index");
        assert_eq!(index["status"], "ok", "{damage}: {index}");
        let hit = &sandbox.mem(&["recall", "ledger service port", "--json"]).json()["hits"][0];
        assert!(hit["channels"]["bm25"]["rank"] == 1, "{damage}: {hit}");
    }
}

#[test]
fn without_an_index_recall_answers_from_the_rest_and_says_so() {
    let sandbox = Sandbox::new();
    let id = sandbox.remember("The registry gives port 7411 to the ledger service", &[]);
    // A file where the folder should be: it cannot be rebuilt either.
    fs_err::remove_dir_all(sandbox.home().join("index")).unwrap();
    fs_err::write(sandbox.home().join("index"), "in the way").unwrap();
    let answer = sandbox.mem(&["recall", "ledger service port", "--json"]).json();
    assert_eq!(answer["hits"][0]["id"], id.as_str());
    assert_eq!(answer["degraded"][0]["part"], "bm25", "{answer}");
    assert_eq!(sandbox.doctor("index")["status"], "warn");
    let later = sandbox.remember("蓝绿发布只在周二进行", &[]);
    fs_err::remove_file(sandbox.home().join("index")).unwrap();
    let _ = sandbox.mem(&["reindex"]).ok();
    let answer = sandbox.mem(&["recall", "周二 发布", "--json"]).json();
    assert_eq!((&answer["hits"][0]["id"], &answer["degraded"]), (&json!(later), &json!([])));
}

#[test]
fn a_database_of_a_newer_version_is_refused_and_left_alone() {
    let sandbox = Sandbox::new();
    sandbox.remember("Ports come from the registry", &[]);
    let path = sandbox.home().join("mem.db");
    assert!(!sandbox.home().join("mem.db-wal").exists(), "closing leaves one file");
    let mut bytes = fs_err::read(&path).unwrap();
    // `user_version`: a big-endian integer at byte 60 (https://www.sqlite.org/fileformat.html#the_database_header).
    assert!(u32::from_be_bytes(bytes[60..64].try_into().unwrap()) < 900);
    bytes[60..64].copy_from_slice(&900u32.to_be_bytes());
    fs_err::write(&path, &bytes).unwrap();
    for args in [&["recall", "ports"][..], &["remember", "x"], &["list"], &["work"], &["reindex"], &["sync"]]
    {
        let output = sandbox.mem(args).code(1);
        assert!(output.stderr.contains("newer version") && output.stderr.contains("upgrade"), "{output:?}");
    }
    three_events(&sandbox);
    assert_eq!(sandbox.journal().len(), 3);
    assert!(
        check(&sandbox.mem(&["doctor", "--json"]).any_json(), "database")["detail"]
            .to_string()
            .contains("newer")
    );
    assert_eq!(fs_err::read(&path).unwrap(), bytes, "not a byte was changed");
}
