//! The store as a file: opening, damage, copies, traces.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use mem_core::{
    Centroids, ErrorKind, InjectionStore, InstinctFilter, InstinctStore, Kind, Memory, MemoryFilter,
    MemoryId, MemoryStore, ModelIdentity, ProjectFilter, ProjectId, Revision, SessionId, Status, Store,
    Timestamp, VectorIndex, VectorQuery,
};
use mem_store::{Error, Options, SqliteStore};
use std::{
    fs,
    path::{Path, PathBuf},
};

fn now() -> Timestamp {
    "2026-11-30T12:00:00Z".parse().unwrap()
}

fn memory(id: &str, body: &str) -> Memory {
    Memory { id: MemoryId::new(id).unwrap(), ..Memory::new(Kind::Fact, body, now()) }
}

fn open(path: &Path) -> SqliteStore {
    SqliteStore::open(path, &Options::default()).unwrap()
}

fn put(store: &SqliteStore, memories: &[Memory]) -> Revision {
    MemoryStore::put(store, memories).unwrap()
}

/// A closed store with one memory, in one file.
fn stored(dir: &Path) -> PathBuf {
    let path = dir.join("mem.db");
    put(&open(&path), &[memory("a", "kept")]);
    assert!(!dir.join("mem.db-wal").exists(), "the last one to close empties the log");
    path
}

#[test]
fn folders_are_made_and_files_are_private() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("新/folder/mem.db");
    put(&open(&path), &[memory("a", "kept")]);
    assert_eq!(open(&path).revision().unwrap(), Revision(1));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn reading_only_needs_a_store_and_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let missing = SqliteStore::open_read_only(dir.path().join("none.db"), &Options::hook()).unwrap_err();
    assert!(matches!(missing, Error::Missing { .. }), "{missing}");
    assert_eq!(missing.kind(), ErrorKind::Unavailable);
    assert!(!dir.path().join("none.db").exists());
    let empty = dir.path().join("empty.db");
    fs::write(&empty, b"").unwrap();
    assert!(matches!(SqliteStore::open_read_only(&empty, &Options::hook()), Err(Error::Missing { .. })));

    let path = stored(dir.path());
    let store = SqliteStore::open_read_only(&path, &Options::hook()).unwrap();
    assert_eq!(store.get(&[MemoryId::new("a").unwrap()]).unwrap().len(), 1);
    let refused = MemoryStore::put(&store, &[memory("b", "new")]).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unavailable);
    assert!(refused.to_string().contains("may not be written"), "{refused}");
    put(&open(&path), &[memory("c", "by another")]);
    assert_eq!(store.revision().unwrap(), Revision(2), "a reader sees what others commit");
}

#[test]
fn a_hook_leaves_the_log_to_others() {
    let dir = tempfile::tempdir().unwrap();
    let path = stored(dir.path());
    let before = fs::read(&path).unwrap();
    let hook = SqliteStore::open(&path, &Options::hook()).unwrap();
    put(&hook, &[memory("b", "noted by a hook")]);
    drop(hook);
    assert_eq!(fs::read(&path).unwrap(), before, "no checkpoint on closing");
    assert!(fs::metadata(dir.path().join("mem.db-wal")).unwrap().len() > 0);
    let store = open(&path);
    assert_eq!(store.revision().unwrap(), Revision(2));
    assert!(store.checkpoint().unwrap());
    assert_eq!(store.stats().unwrap().wal_bytes, 0);
    assert_ne!(fs::read(&path).unwrap(), before);
}

#[test]
fn files_that_are_no_store_are_refused_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let text = dir.path().join("text.db");
    fs::write(&text, "these are notes, not a database. ".repeat(200)).unwrap();
    let other = dir.path().join("other.db");
    rusqlite::Connection::open(&other).unwrap().execute_batch("CREATE TABLE memories (theirs TEXT)").unwrap();
    let newer = dir.path().join("newer.db");
    put(&open(&newer), &[memory("a", "from the future")]);
    rusqlite::Connection::open(&newer)
        .unwrap()
        .execute_batch("PRAGMA journal_mode = DELETE; PRAGMA user_version = 9")
        .unwrap();

    for (path, says) in [
        (&text, "not a database; move it away, or restore a backup"),
        (&other, "a database of another program"),
        (&newer, "made by a newer version (schema 9, this build knows 3): upgrade mem"),
    ] {
        let before = fs::read(path).unwrap();
        for answer in [
            SqliteStore::open(path, &Options::default()),
            SqliteStore::open_read_only(path, &Options::hook()),
        ] {
            let error = answer.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
            assert!(error.to_string().contains(says), "{error}");
            assert!(error.to_string().contains(path.file_name().unwrap().to_str().unwrap()), "{error}");
        }
        assert_eq!(fs::read(path).unwrap(), before);
    }
}

#[test]
fn damage_is_an_error_and_never_a_panic() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("mem.db");
    let many: Vec<_> = (0..200).map(|at| memory(&format!("m{at}"), &"words ".repeat(40))).collect();
    put(&open(&path), &many);
    let whole = fs::read(&path).unwrap();
    let everything =
        MemoryFilter { projects: ProjectFilter::All, statuses: Vec::new(), ..MemoryFilter::default() };
    let try_it = |bytes: &[u8]| -> Result<(), mem_core::Error> {
        fs::write(&path, bytes).unwrap();
        let store = SqliteStore::open(&path, &Options::hook())?;
        store.integrity()?;
        store.list(&everything, usize::MAX)?;
        Ok(())
    };
    try_it(&whole).unwrap();
    for length in [2, 50, 99, 100, 511, 4095, 4096, 6000, whole.len() / 2, whole.len() - 1] {
        let error = try_it(&whole[..length]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "cut to {length}: {error}");
        assert!(error.to_string().contains("backup"), "cut to {length}: {error}");
    }
    // A page full of rubbish is found, wherever it lies.
    for page in 0..whole.len() / 4096 {
        let mut broken = whole.clone();
        broken[page * 4096..(page + 1) * 4096].fill(0xA5);
        let error = try_it(&broken).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "page {page}: {error}");
    }
}

#[test]
fn a_row_that_makes_no_sense_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = stored(dir.path());
    rusqlite::Connection::open(&path).unwrap().execute("UPDATE memories SET kind = 'opinion'", []).unwrap();
    let error = open(&path).list(&MemoryFilter::default(), 9).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert!(error.to_string().contains("memory \"a\" cannot be read"), "{error}");
}

#[test]
fn a_busy_store_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let path = stored(dir.path());
    let store = SqliteStore::open(&path, &Options { busy_timeout_ms: 20, ..Options::hook() }).unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = MemoryStore::put(&store, &[memory("b", "waits")]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.to_string().contains("another process writes to it"), "{error}");
    assert_eq!(store.revision().unwrap(), Revision(1), "readers are not blocked");
    other.execute_batch("ROLLBACK").unwrap();
    put(&store, &[memory("b", "goes on")]);
}

#[test]
fn times_that_cannot_be_stored_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(&dir.path().join("mem.db"));
    let error =
        MemoryStore::put(&store, &[Memory { created: Timestamp::MAX, ..memory("a", "late") }]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert_eq!(store.revision().unwrap(), Revision::ZERO);
}

#[test]
fn a_copy_is_whole_and_replaces_an_older_one() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(&stored(dir.path()));
    let copy = dir.path().join("copy.db");
    fs::write(&copy, "an older copy").unwrap();
    put(&store, &[memory("b", "still in the log")]);
    store.backup_to(&copy).unwrap();
    let names: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!names.iter().any(|name| name.to_str().unwrap().contains("part")), "{names:?}");
    let copied = open(&copy);
    assert_eq!(
        copied.changes_since(Revision::ZERO, 9).unwrap(),
        store.changes_since(Revision::ZERO, 9).unwrap()
    );
    let nowhere = store.backup_to(dir.path().join("missing/copy.db")).unwrap_err();
    assert_eq!(nowhere.kind(), ErrorKind::Unavailable, "{nowhere}");
}

/// Which files of a folder hold a text.
fn holders(dir: &Path, text: &str) -> Vec<String> {
    let holds =
        |path: &Path| fs::read(path).unwrap().windows(text.len()).any(|window| window == text.as_bytes());
    let files = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| holds(path)).map(|path| path.display().to_string()).collect()
}

#[test]
fn removal_for_good_leaves_no_byte() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("mem.db");
    let store = open(&path);
    let reader = SqliteStore::open_read_only(&path, &Options::hook()).unwrap();
    let secrets = ["hunter2-in-english", "密码是海岸线", "an earlier hunter3"];
    let others: Vec<_> = (0..50).map(|at| memory(&format!("m{at}"), "ordinary words")).collect();
    put(&store, &others[..25]);
    put(&store, &[memory("secret", secrets[2]), memory("other", secrets[1])]);
    put(&store, &[memory("secret", &format!("{} {}", secrets[0], "long ".repeat(2000)))]);
    put(&store, &others[25..]);
    store.remove(&MemoryId::new("other").unwrap(), false, now()).unwrap();
    assert!(secrets.iter().all(|secret| !holders(dir.path(), secret).is_empty()));
    assert_eq!(reader.counts().unwrap(), [(Kind::Fact, Status::Active, 51)]);

    let revision = store.revision().unwrap();
    let removed = store.remove(&MemoryId::new("secret").unwrap(), true, now()).unwrap();
    assert!(removed > revision);
    let same = store.remove(&MemoryId::new("other").unwrap(), true, now()).unwrap();
    assert_eq!(same, removed, "what was in the trash is no change of the memories");
    for secret in secrets {
        assert_eq!(holders(dir.path(), secret), Vec::<String>::new(), "{secret}");
    }
    assert_eq!(reader.counts().unwrap(), [(Kind::Fact, Status::Active, 50)]);
    assert!(store.was_forgotten(&memory("x", secrets[1])).unwrap());
    assert_eq!(store.restore(&MemoryId::new("other").unwrap()).unwrap_err().kind(), ErrorKind::NotFound);
    store.integrity().unwrap();
}

#[test]
fn removal_for_good_can_be_finished_once_a_reader_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("mem.db");
    let store = SqliteStore::open(&path, &Options { busy_timeout_ms: 20, ..Options::default() }).unwrap();
    put(&store, &[memory("secret", "hunter2-in-english")]);
    let reader = rusqlite::Connection::open(&path).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM memories").unwrap();
    let id = MemoryId::new("secret").unwrap();
    let error = store.remove(&id, true, now()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.to_string().contains("is removed, but"), "{error}");
    assert_eq!(store.get(std::slice::from_ref(&id)).unwrap(), [None]);
    reader.execute_batch("COMMIT").unwrap();
    store.remove(&id, true, now()).unwrap();
    assert_eq!(holders(dir.path(), "hunter2-in-english"), Vec::<String>::new());
    assert_eq!(store.remove(&id, true, now()).unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn what_is_in_the_trash_can_be_brought_back() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(&dir.path().join("mem.db"));
    let mut lost = memory("lost", "a habit");
    lost.feedback = 1.0 / 3.0;
    let later = now() + jiff::SignedDuration::from_hours(1);
    put(&store, &[lost.clone(), memory("older", "another")]);
    store.remove(&MemoryId::new("older").unwrap(), false, now()).unwrap();
    let removed = store.remove(&lost.id, false, later).unwrap();
    let trash = store.trash().unwrap();
    assert_eq!(
        trash.iter().map(|(memory, at)| (memory.id.as_str(), *at)).collect::<Vec<_>>(),
        [("lost", later), ("older", now())]
    );
    assert_eq!(store.purge_trash(later).unwrap(), 1);
    assert!(store.was_forgotten(&lost).unwrap());
    let restored = store.restore(&lost.id).unwrap();
    assert!(restored > removed);
    assert!(!store.was_forgotten(&lost).unwrap());
    assert_eq!(store.get(std::slice::from_ref(&lost.id)).unwrap(), [Some(lost.clone())]);
    assert_eq!(store.trash().unwrap(), []);

    store.remove(&lost.id, false, later).unwrap();
    put(&store, &[lost.clone()]);
    assert_eq!(store.restore(&lost.id).unwrap_err().kind(), ErrorKind::Conflict);
}

#[test]
fn a_store_of_schema_1_opens() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("mem.db");
    fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/store-v1.db"), &path).unwrap();
    let store = open(&path);
    store.integrity().unwrap();
    let stats = store.stats().unwrap();
    assert_eq!((stats.memories, stats.trash, stats.tombstones, stats.vectors), (3, 1, 1, 2));
    assert_eq!((stats.instincts, stats.evidence, stats.injections), (1, 1, 1));

    let home = ProjectId::new("git.example/one/app").unwrap();
    let found = store.list(&MemoryFilter::within(home.clone()), 9).unwrap();
    let texts: Vec<_> = found.iter().map(|memory| (memory.id.as_str(), memory.body.as_str())).collect();
    assert_eq!(texts, [("port", "The port is 8081"), ("tests", "测试用 cargo nextest 运行")]);
    assert_eq!(found[0].extra["owner"], "somebody");
    assert_eq!(found[0].created, "2026-11-30T12:00:00.123456789Z".parse().unwrap());
    assert!(store.was_forgotten(&memory("new", "this was REMOVED")).unwrap());
    let model =
        ModelIdentity { name: "fixture".into(), version: "1".into(), dimensions: 2, variant: String::new() };
    let query = VectorQuery { model: &model, vector: &[0.6, 0.8], centroids: &Centroids::default() };
    let hits = store.search(&query, &MemoryFilter::within(home), 9).unwrap().hits;
    assert_eq!(hits.iter().map(|hit| hit.id.as_str()).collect::<Vec<_>>(), ["tests", "port"]);
    assert_eq!(store.missing(&model, 9).unwrap(), [MemoryId::new("port-old").unwrap()]);
    let rules = store.instincts(&InstinctFilter::default()).unwrap();
    assert_eq!(store.evidence(&rules[0].id).unwrap()[0].note, "three of four");
    assert_eq!(store.injections(&SessionId::new("session-1").unwrap()).unwrap()[0].item, "port");
    assert_eq!(store.meta("cursor").unwrap().as_deref(), Some("42"));
}
