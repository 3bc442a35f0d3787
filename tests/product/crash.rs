//! Killed at any instant: what was acknowledged is there, the next command works.

use mem_tests::{Numbers, Sandbox, below};
use serde_json::json;
use std::collections::{HashMap, HashSet};
use std::io::{Read as _, Write as _};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// Rounds, and processes killed in each.
const ROUNDS: u64 = 100;
const VICTIMS: u64 = 5;
/// Old lines that each round puts into the journal, so that there is something to rotate.
const OLD_LINES: u64 = 60;
/// A process is killed at the latest after so many times what it takes by itself; several run at once.
const LATEST: u64 = 3;

/// The journal rotates after a few lines, of any age.
const CONFIG: &str = "[host]\nbackground_work = false\n[journal]\nmax_lines = 40\nmax_bytes = 20000\nretention_days = 0\nhysteresis_days = 0\n";

enum Victim {
    Hook(String),
    Remember(String),
    Other,
}

/// What a process takes by itself, in microseconds: the shortest of a few runs.
fn measure(sandbox: &Sandbox, what: impl Fn(u32) -> Victim, other: &[&str]) -> u64 {
    let run = |n| {
        let begun = Instant::now();
        assert!(start(sandbox, &what(n), other).wait_with_output().unwrap().status.success());
        u64::try_from(begun.elapsed().as_micros()).unwrap()
    };
    (0..5).map(run).min().unwrap()
}

fn start(sandbox: &Sandbox, what: &Victim, other: &[&str]) -> Child {
    let mut command = sandbox.command();
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    match what {
        Victim::Hook(id) => {
            command.arg("hook").stdin(Stdio::piped());
            let fields = json!({"tool_name": "Bash", "tool_input": {"command": format!("echo {id}")}, "tool_response": {"stdout": "ok"}, "tool_use_id": id});
            let payload = sandbox.event("s-crash", "PostToolUse", fields).to_string();
            let mut child = command.spawn().unwrap();
            let _ = child.stdin.take().unwrap().write_all(payload.as_bytes());
            child
        }
        Victim::Remember(text) => command.args(["remember", text]).spawn().unwrap(),
        Victim::Other => command.args(other).spawn().unwrap(),
    }
}

/// Ids of the observations on disk, in the live file and the archives; a torn last line does not count.
fn recorded(sandbox: &Sandbox) -> HashMap<String, usize> {
    let mut ids = HashMap::new();
    for file in below(&sandbox.home().join("journal")) {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        if name.ends_with(".jsonl") || name == "observations.next" {
            let text = String::from_utf8(fs_err::read(&file).unwrap()).unwrap();
            let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
            // Not parsed: there are thousands, and each ends with a brace when it is whole.
            for line in whole.lines().filter(|line| line.ends_with('}')) {
                if let Some((_, rest)) = line.rsplit_once("\"tool_use_id\":\"") {
                    *ids.entry(rest[..rest.find('"').unwrap()].to_owned()).or_default() += 1;
                }
            }
        }
    }
    ids
}

/// Puts lines of years ago at the end of the live file; nobody else is running.
fn grow_old(sandbox: &Sandbox, round: u64) -> Vec<String> {
    let ids: Vec<String> = (0..OLD_LINES).map(|n| format!("old-{round}-{n}")).collect();
    let mut lines = String::new();
    for (n, id) in ids.iter().enumerate() {
        let line = json!({"session_id": "unknown", "ts": format!("2020-{:02}-03T04:05:06Z", n % 9 + 1), "phase": "post", "tool": "X",
            "input": {"text": "old ".repeat(200)}, "bash_desc": null, "tool_use_id": id});
        lines.push_str(&format!("{line}\n"));
    }
    let path = sandbox.home().join("journal").join("observations.jsonl");
    fs_err::OpenOptions::new().append(true).open(path).unwrap().write_all(lines.as_bytes()).unwrap();
    ids
}

fn sound(sandbox: &Sandbox, round: u64) {
    let report = sandbox.mem(&["doctor", "--json"]).any_json();
    let check = report["checks"].as_array().unwrap().iter().find(|c| c["name"] == "database").unwrap();
    assert_eq!(check["status"], "ok", "round {round}: {report}");
}

#[test]
fn five_hundred_kills_lose_nothing_that_was_acknowledged() {
    let sandbox = Sandbox::with_config(CONFIG);
    super::learning::global_habits(&sandbox);
    let mut numbers = Numbers::seeded(20_261_130);
    let mut seen: HashSet<String> = HashSet::new();
    let mut stored: HashSet<String> = HashSet::new();
    let mut killed = 0;
    let spans = [
        measure(&sandbox, |n| Victim::Hook(format!("first-{n}")), &[]),
        measure(&sandbox, |n| Victim::Remember(format!("Relay first-{n} belongs to nobody")), &[]),
        measure(&sandbox, |_| Victim::Other, &["work"]),
        measure(&sandbox, |_| Victim::Other, &["sync"]),
    ];
    for round in 0..ROUNDS {
        seen.extend(grow_old(&sandbox, round));
        let mut running = Vec::new();
        for n in 0..VICTIMS {
            let id = format!("r{round}-{n}");
            let sort = (round + n) % VICTIMS;
            let (what, other): (Victim, &[&str]) = match sort {
                0 | 4 => (Victim::Hook(id), &[]),
                1 => (Victim::Remember(format!("Relay {id} belongs to district {}", round * 10 + n)), &[]),
                2 => (Victim::Other, &["work"]),
                _ => (
                    Victim::Other,
                    [&["evolve"][..], &["sync"], &["reindex"], &["work", "--budget-ms", "5"]]
                        [usize::try_from(round % 4).unwrap()],
                ),
            };
            let child = start(&sandbox, &what, other);
            let after = numbers.below(LATEST * spans[usize::try_from(sort % 4).unwrap()]);
            running.push((what, child, Instant::now(), Duration::from_micros(after)));
        }
        running.sort_by_key(|(_, _, begun, after)| *begun + *after);
        let mut dead = Vec::new();
        for (what, mut child, begun, after) in running {
            std::thread::sleep(after.saturating_sub(begun.elapsed()));
            child.kill().unwrap();
            dead.push((what, child));
        }
        for (what, mut child) in dead {
            let mut printed = String::new();
            child.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
            let status = child.wait().unwrap();
            killed += u64::from(status.code().is_none());
            match what {
                Victim::Hook(id) if status.success() => drop(seen.insert(id)),
                // An id alone on its line was printed whole.
                Victim::Remember(_) => stored.extend(printed.split_once('\n').map(|(id, _)| id.to_owned())),
                _ => {}
            }
        }
        // The first hook after a crash: it appends, and finishes or undoes what was left.
        let id = format!("r{round}-after");
        sandbox.hook(&sandbox.event("s-crash", "PostToolUse", json!({"tool_name": "X", "tool_use_id": id})));
        seen.insert(id);
        let memories: HashSet<String> =
            sandbox.memories().iter().map(|m| m["id"].as_str().unwrap().to_owned()).collect();
        let lost: Vec<&String> = stored.difference(&memories).collect();
        assert!(lost.is_empty(), "round {round}: memories lost: {lost:?}");
        let on_disk = recorded(&sandbox);
        let lost: Vec<&String> = seen.iter().filter(|id| !on_disk.contains_key(*id)).collect();
        assert!(lost.is_empty(), "round {round}: observations lost: {lost:?} {:?}", sandbox.hook_log());
        if round % 5 == 0 {
            sound(&sandbox, round);
        }
    }
    assert!(killed >= ROUNDS, "most were killed before they ended: {killed} of {}", ROUNDS * VICTIMS);
    assert!(
        !stored.is_empty() && seen.len() > usize::try_from(ROUNDS * (OLD_LINES + 1)).unwrap(),
        "{} {}",
        stored.len(),
        seen.len()
    );

    let _ = sandbox.mem(&["work", "--json"]).ok();
    sound(&sandbox, ROUNDS);
    let twice: Vec<(String, usize)> =
        recorded(&sandbox).into_iter().filter(|(_, times)| *times > 1).collect();
    assert!(twice.is_empty(), "no line is there twice: {twice:?}");
    let old = |lines: &[serde_json::Value]| {
        lines.iter().filter(|l| l["ts"].as_str().unwrap().starts_with("2020")).count()
    };
    let expected = usize::try_from(ROUNDS * OLD_LINES).unwrap();
    assert_eq!(
        (old(&sandbox.journal()), old(&sandbox.whole_journal())),
        (0, expected),
        "the journal went on rotating"
    );
    let status = sandbox.mem(&["status", "--json"]).json();
    assert_eq!(status["index"]["fresh"], true, "{status}");
    assert_eq!(status["index"]["bm25_memories"], sandbox.memories().len());
    assert_eq!(sandbox.mem(&["sync", "--json"]).json()["conflicts"], json!([]));
}

#[test]
fn rotations_killed_in_their_midst_lose_and_double_nothing() {
    let sandbox = Sandbox::with_config(CONFIG);
    let journal = sandbox.home().join("journal");
    let unfinished = || ["rotate.intent", "rotate.commit"].iter().any(|name| journal.join(name).exists());
    let mut numbers = Numbers::seeded(4_711);
    let mut seen: HashSet<String> = HashSet::new();
    let mut interrupted = 0;
    for round in 0..60 {
        let id = format!("r{round}");
        sandbox.hook(&sandbox.event("s-rotate", "PostToolUse", json!({"tool_name": "X", "tool_use_id": id})));
        seen.insert(id);
        seen.extend(grow_old(&sandbox, round));
        let before = unfinished();
        let mut child = start(&sandbox, &Victim::Other, &["work"]);
        // What an earlier kill left is cleared away first; then the rotation begins anew.
        let mut cleared = !before;
        while child.try_wait().unwrap().is_none() {
            cleared |= !unfinished();
            if cleared && unfinished() {
                std::thread::sleep(Duration::from_micros(numbers.below(6_000)));
                let _ = child.kill();
                break;
            }
        }
        child.wait().unwrap();
        interrupted += u32::from(unfinished());
        let on_disk = recorded(&sandbox);
        let lost: Vec<&String> = seen.iter().filter(|id| !on_disk.contains_key(*id)).collect();
        assert!(lost.is_empty(), "round {round}: lost {lost:?}");
    }
    assert!(interrupted >= 10, "rotations were hit: {interrupted}");
    let _ = sandbox.mem(&["work"]).ok();
    assert!(!unfinished());
    let twice: Vec<(String, usize)> =
        recorded(&sandbox).into_iter().filter(|(_, times)| *times > 1).collect();
    assert!(twice.is_empty(), "{twice:?}");
    assert_eq!(sandbox.whole_journal().len(), seen.len());
    let status = sandbox.mem(&["status", "--json"]).json();
    let counted = |part: &str| status["observations"][part].as_u64().unwrap();
    assert_eq!(counted("live") + counted("archived"), seen.len() as u64);
}
