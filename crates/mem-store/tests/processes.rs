//! Several processes on one store, and processes that are killed. The test binary runs itself again as the other one.
#![allow(clippy::print_stdout, reason = "the other process tells what it did")]
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use mem_core::{Kind, Memory, MemoryId, MemoryStore, Revision, Timestamp};
use mem_store::{Options, SqliteStore};
use std::{
    io::{BufRead, BufReader, Read},
    path::Path,
    process::{Child, Command, Stdio},
};

const STORE: &str = "MEM_STORE_TEST_PATH";
const NAME: &str = "MEM_STORE_TEST_NAME";
/// Memories of one put, which must be all there or none.
const BATCH: usize = 3;

fn other(test: &str, path: &Path, name: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(STORE, path)
        .env(NAME, name)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The path and the name that the first process gave; none when the test was started by a person.
fn given() -> Option<(std::path::PathBuf, String)> {
    Some((std::env::var_os(STORE)?.into(), std::env::var(NAME).ok()?))
}

fn batch(name: &str, number: usize) -> Vec<Memory> {
    (0..BATCH)
        .map(|at| {
            let body = format!("batch {number} of {name}, {}", "filler ".repeat(60));
            let id = MemoryId::new(format!("{name}-{number}-{at}")).unwrap();
            Memory { id, ..Memory::new(Kind::Fact, body, Timestamp::UNIX_EPOCH) }
        })
        .collect()
}

/// The part of the other process in the tests below: opens, writes, says so.
#[test]
fn other_writes_once() {
    let Some((path, name)) = given() else { return };
    let store = SqliteStore::open(path, &Options::default()).unwrap();
    MemoryStore::put(&store, &batch(&name, 0)).unwrap();
}

/// The part of the other process that is killed: writes without end and acknowledges each put.
#[test]
fn other_writes_until_killed() {
    let Some((path, name)) = given() else { return };
    let store = SqliteStore::open(path, &Options::default()).unwrap();
    for number in 0.. {
        MemoryStore::put(&store, &batch(&name, number)).unwrap();
        println!("\nack {number}");
    }
}

#[test]
fn ten_processes_make_one_store_together() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("mem.db");
    let names: Vec<_> = (0..10).map(|at| format!("p{at}")).collect();
    let children: Vec<_> = names.iter().map(|name| other("other_writes_once", &path, name)).collect();
    for child in children {
        let done = child.wait_with_output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
    }
    let store = SqliteStore::open(&path, &Options::default()).unwrap();
    assert_eq!(store.revision().unwrap(), Revision((10 * BATCH) as u64));
    for name in names {
        let ids: Vec<_> = batch(&name, 0).into_iter().map(|memory| memory.id).collect();
        assert!(store.get(&ids).unwrap().iter().all(Option::is_some), "{name}");
    }
    store.integrity().unwrap();
}

#[cfg(unix)]
#[test]
fn what_was_acknowledged_survives_a_kill() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("mem.db");
    let mut seed = 11u32;
    let mut acknowledged = 0;
    for round in 0..20 {
        let name = format!("r{round}");
        let mut child = other("other_writes_until_killed", &path, &name);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let number = |line: &str| line.strip_prefix("ack ").and_then(|number| number.parse::<usize>().ok());
        // Linear congruential generator of Numerical Recipes.
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let wait_for = (seed >> 24) as usize % 12;
        let mut last = None;
        while last.is_none_or(|last| last < wait_for) {
            let line = lines.next().expect("the other process writes until it is killed").unwrap();
            last = number(&line).or(last);
        }
        std::thread::sleep(std::time::Duration::from_micros(u64::from(seed >> 8) % 3000));
        // SIGKILL.
        child.kill().unwrap();
        child.wait().unwrap();
        // What it still said before its death counts too.
        for line in lines.map_while(Result::ok) {
            last = number(&line).or(last);
        }
        let last = last.unwrap();
        acknowledged += last + 1;

        let store = SqliteStore::open(&path, &Options::default()).unwrap();
        store.integrity().unwrap();
        let there = |at| {
            let ids: Vec<_> = batch(&name, at).into_iter().map(|memory| memory.id).collect();
            store.get(&ids).unwrap().iter().flatten().count()
        };
        for at in 0..=last {
            assert_eq!(there(at), BATCH, "put {at} of round {round} was acknowledged");
        }
        let beyond = there(last + 1);
        assert!(beyond == 0 || beyond == BATCH, "put {} of round {round} is torn: {beyond}", last + 1);
        assert_eq!(there(last + 2), 0);
    }
    assert!(acknowledged > 20, "{acknowledged}");
    let mut rest = String::new();
    std::fs::File::open(path).unwrap().take(15).read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "SQLite format 3");
}
