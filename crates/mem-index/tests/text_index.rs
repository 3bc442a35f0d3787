//! The Tantivy view against the contract, the plain scan, damage and death.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use mem_core::{
    Change, ErrorKind, Kind, Memory, MemoryFilter, ProjectFilter, ProjectId, Revision, Status, TextIndex,
    Timestamp,
};
use mem_index::{GramConfig, LexicalConfig, TantivyConfig, TantivyIndex, scan};
use proptest::prelude::*;
use std::{
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn open(path: &Path) -> TantivyIndex {
    TantivyIndex::new(path, TantivyConfig { lock_wait_ms: 200, ..TantivyConfig::default() })
}

fn change(revision: u64, memory: &Memory) -> Change {
    Change { revision: Revision(revision), id: memory.id.clone(), memory: Some(memory.clone()) }
}

fn all() -> MemoryFilter {
    MemoryFilter { projects: ProjectFilter::All, statuses: Vec::new(), ..MemoryFilter::default() }
}

#[test]
fn keeps_the_contract() {
    let root = tempfile::tempdir().unwrap();
    let count = std::sync::atomic::AtomicUsize::new(0);
    mem_testing::text_index_contract(&|| {
        let n = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Box::new(open(&root.path().join(n.to_string())))
    });
}

#[test]
fn another_process_sees_a_commit_and_reading_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (writer, reader) = (open(folder.path()), open(folder.path()));
    let memory = Memory::new(Kind::Fact, "the first statement", at(1));
    assert_eq!(reader.revision().unwrap(), Revision::ZERO);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "a reader makes no file");
    writer.apply(&[change(1, &memory)], Revision(1)).unwrap();
    assert_eq!(reader.revision().unwrap(), Revision(1));
    assert_eq!(reader.search("statement", &all(), 5).unwrap().hits.len(), 1);
    let before: Vec<_> = names(folder.path());
    assert_eq!(open(folder.path()).search("statement", &all(), 5).unwrap().hits.len(), 1);
    assert_eq!(names(folder.path()), before);
}

fn names(path: &Path) -> Vec<String> {
    let mut names: Vec<_> = std::fs::read_dir(path)
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[cfg(target_os = "linux")]
#[test]
fn searching_starts_no_thread() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::new(Kind::Fact, "the first statement", at(1));
    open(folder.path()).apply(&[change(1, &memory)], Revision(1)).unwrap();
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child_searches", "--test-threads=1", "--nocapture"])
        .env("MEM_INDEX_SEARCH", folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stdout).into_owned();
    assert!(said.contains("threads added: 0"), "{said}");
}

/// Runs only as a child of [`searching_starts_no_thread`].
#[test]
fn child_searches() {
    let Some(path) = std::env::var_os("MEM_INDEX_SEARCH") else { return };
    let threads = || std::fs::read_dir("/proc/self/task").unwrap().count();
    let before = threads();
    let index = open(Path::new(&path));
    assert_eq!(index.search("statement", &all(), 5).unwrap().hits.len(), 1);
    println!("threads added: {}", threads() - before);
}

#[cfg(unix)]
#[test]
fn a_read_only_directory_is_searched() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::new(Kind::Fact, "the first statement", at(1));
    open(folder.path()).apply(&[change(1, &memory)], Revision(1)).unwrap();
    for name in names(folder.path()) {
        let path = folder.path().join(&name);
        if name.ends_with(".lock") {
            std::fs::remove_file(&path).unwrap();
        } else {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).unwrap();
        }
    }
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o555)).unwrap();
    let found = open(folder.path()).search("statement", &all(), 5);
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(found.unwrap().hits.len(), 1);
    assert!(!names(folder.path()).iter().any(|name| name.ends_with(".lock")), "a search takes no lock");
}

#[test]
fn a_busy_index_is_unavailable_after_a_bounded_wait() {
    let folder = tempfile::tempdir().unwrap();
    let index = open(folder.path());
    let memory = Memory::new(Kind::Fact, "the first statement", at(1));
    index.apply(&[change(1, &memory)], Revision(1)).unwrap();
    let held = std::fs::OpenOptions::new().write(true).open(folder.path().join(".mem-index.lock")).unwrap();
    held.lock().unwrap();
    let error = index.apply(&[], Revision(2)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    assert_eq!(index.search("statement", &all(), 5).unwrap().hits.len(), 1, "readers do not wait");
    drop(held);
    index.apply(&[], Revision(2)).unwrap();
}

#[test]
fn a_view_of_another_build_counts_as_empty_and_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::new(Kind::Fact, "the first statement", at(1));
    open(folder.path()).apply(&[change(1, &memory)], Revision(1)).unwrap();
    let meta = folder.path().join("meta.json");
    let text = std::fs::read_to_string(&meta).unwrap();
    assert!(text.contains("mem-index/"), "the stamp is in the commit");
    std::fs::write(&meta, text.replace("mem-index/", "mem-index/0.")).unwrap();
    let index = open(folder.path());
    assert_eq!((index.revision().unwrap(), index.len().unwrap()), (Revision::ZERO, 0));
    assert!(index.search("statement", &all(), 5).unwrap().hits.is_empty());
    index.apply(&[change(1, &memory)], Revision(3)).unwrap();
    assert_eq!((index.revision().unwrap(), index.len().unwrap()), (Revision(3), 1));
}

#[test]
fn damage_is_told_and_clear_mends_it() {
    let memory = Memory::new(Kind::Fact, "the first statement", at(1));
    let damages: [&dyn Fn(&Path); 4] = [
        &|path| std::fs::write(path.join("meta.json"), "{").unwrap(),
        &|path| std::fs::write(path.join(".managed.json"), "[").unwrap(),
        &|path| {
            for name in names(path).iter().filter(|name| name.ends_with(".term") || name.ends_with(".idx")) {
                std::fs::write(path.join(name), b"").unwrap();
            }
        },
        &|path| {
            for name in names(path).iter().filter(|name| name.ends_with(".fast")) {
                std::fs::remove_file(path.join(name)).unwrap();
            }
        },
    ];
    for (n, damage) in damages.iter().enumerate() {
        let folder = tempfile::tempdir().unwrap();
        open(folder.path()).apply(&[change(1, &memory)], Revision(1)).unwrap();
        damage(folder.path());
        let index = open(folder.path());
        let error = index.search("statement", &all(), 5).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "damage {n}: {error}");
        index.clear().unwrap();
        assert_eq!(index.revision().unwrap(), Revision::ZERO);
        index.apply(&[change(1, &memory)], Revision(1)).unwrap();
        assert_eq!(index.search("statement", &all(), 5).unwrap().hits.len(), 1, "damage {n}");
        index.verify().unwrap();
    }
}

#[test]
fn checksums_find_silent_damage() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::new(Kind::Fact, "the first statement", at(1));
    open(folder.path()).apply(&[change(1, &memory)], Revision(1)).unwrap();
    let term = names(folder.path()).into_iter().find(|name| name.ends_with(".term")).unwrap();
    let path = folder.path().join(term);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[3] ^= 0xff;
    std::fs::write(&path, bytes).unwrap();
    let index = open(folder.path());
    assert_eq!(index.verify().unwrap_err().kind(), ErrorKind::Corrupt);
    // Whatever a search over it gives, it is no panic.
    let _ = index.search("statement", &all(), 5);
}

#[test]
fn a_write_does_not_go_on_from_a_view_that_was_cleared_meanwhile() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (open(folder.path()), open(folder.path()));
    let memory = Memory::new(Kind::Fact, "the first statement", at(1));
    one.apply(&[change(1, &memory)], Revision(1)).unwrap();
    assert_eq!(one.revision().unwrap(), Revision(1));
    two.clear().unwrap();
    let later = Memory::new(Kind::Fact, "the second statement", at(2));
    let error = one.apply(&[change(2, &later)], Revision(2)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert_eq!(two.revision().unwrap(), Revision::ZERO);
}

#[test]
fn a_removed_text_leaves_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let index = open(folder.path());
    let secret = Memory::new(Kind::Fact, "the password is xyzzyplugh", at(1));
    let other = Memory::new(Kind::Fact, "an unrelated statement", at(2));
    index.apply(&[change(1, &secret), change(2, &other)], Revision(2)).unwrap();
    // Dictionaries are compressed, so the text cannot be looked for byte by byte: its files must be gone.
    let segments =
        || names(folder.path()).into_iter().filter(|name| !name.contains("json") && !name.ends_with(".lock"));
    let before: Vec<_> = segments().collect();
    assert!(!before.is_empty());
    index.apply(&[Change { revision: Revision(3), id: secret.id, memory: None }], Revision(3)).unwrap();
    let after: Vec<_> = segments().collect();
    assert!(after.iter().all(|name| !before.contains(name)), "{before:?} {after:?}");
    assert!(!after.iter().any(|name| name.ends_with(".del")), "nothing is merely marked: {after:?}");
    assert_eq!(index.search("statement", &all(), 5).unwrap().hits[0].id, other.id);
}

#[test]
fn many_small_writes_keep_few_segments() {
    let folder = tempfile::tempdir().unwrap();
    let index = open(folder.path());
    for n in 0..40u64 {
        let memory = Memory::new(Kind::Fact, format!("statement number{n}"), at(n as i64));
        index.apply(&[change(n + 1, &memory)], Revision(n + 1)).unwrap();
    }
    assert_eq!(index.len().unwrap(), 40);
    let segments = names(folder.path()).iter().filter(|name| name.ends_with(".fast")).count();
    assert!(segments <= 7, "{segments} segments: {:?}", names(folder.path()));
}

#[test]
fn other_projects_do_not_show_in_scores() {
    let folder = tempfile::tempdir().unwrap();
    let index = open(folder.path());
    let [alpha, beta] = ["alpha", "beta"].map(|id| ProjectId::new(id).unwrap());
    let own = [
        Memory::new(Kind::Fact, "react renders the page", at(1)).in_project(alpha.clone()),
        Memory::new(Kind::Fact, "the page is cached", at(2)).in_project(alpha.clone()),
    ];
    index.apply(&[change(1, &own[0]), change(2, &own[1])], Revision(2)).unwrap();
    let filter = MemoryFilter::within(alpha);
    let before = index.search("react page", &filter, 5).unwrap();
    let foreign: Vec<_> = (0..200)
        .map(|n| {
            change(
                n + 3,
                &Memory::new(Kind::Fact, format!("react entry {n}"), at(9)).in_project(beta.clone()),
            )
        })
        .collect();
    index.apply(&foreign, Revision(300)).unwrap();
    assert_eq!(index.search("react page", &filter, 5).unwrap(), before);
}

/// Words that meet in questions and memories.
fn arb_text() -> impl Strategy<Value = String> {
    proptest::collection::vec(
        proptest::sample::select(vec![
            "commit",
            "push",
            "提交",
            "代码",
            "HTTPServer",
            "comitting",
            "src/lib.rs",
            "the",
            "v1.2.3",
            "café",
            "port",
            "的",
            "データ",
        ]),
        1..9,
    )
    .prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn the_view_gives_what_a_plain_scan_gives(
        texts in proptest::collection::vec((arb_text(), arb_text(), 0usize..3, 0usize..5, any::<bool>()), 1..25),
        cuts in proptest::collection::vec(1usize..9, 1..4),
        question in arb_text(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        // Common trigrams are passed over in collections of this size as well.
        let grams = GramConfig { few: 3, ..GramConfig::default() };
        let lexical = LexicalConfig { grams, ..LexicalConfig::default() };
        let config = TantivyConfig { lexical, lock_wait_ms: 200, ..TantivyConfig::default() };
        let index = TantivyIndex::new(folder.path(), config);
        let project = ProjectId::new("own").unwrap();
        let mut memories = Vec::new();
        let mut changes = Vec::new();
        for (n, (body, name, place, status, removed)) in texts.into_iter().enumerate() {
            let mut memory = Memory::new(Kind::Fact, body, at(n as i64));
            memory.name = name;
            if place > 0 {
                memory = memory.in_project(if place == 1 { project.clone() } else { ProjectId::new("other").unwrap() });
            }
            memory.status = Status::ALL[status % 2];
            changes.push(change(changes.len() as u64 + 1, &memory));
            if removed {
                changes.push(Change { revision: Revision(changes.len() as u64 + 1), id: memory.id, memory: None });
            } else {
                memories.push(memory);
            }
        }
        let mut from = 0usize;
        for cut in cuts.iter().chain([&usize::MAX]) {
            let to = from.max(changes.len().min(from.saturating_add(*cut)));
            index.apply(&changes[from..to], Revision(to as u64)).unwrap();
            from = to;
        }
        for filter in [all(), MemoryFilter::default(), MemoryFilter::within(project)] {
            let seen: Vec<_> = memories.iter().filter(|memory| filter.admits(memory)).cloned().collect();
            let expected = scan(&question, &seen, 10, &config.lexical);
            let found = index.search(&question, &filter, 10).unwrap();
            let ids = |hits: &[mem_core::TextHit]| hits.iter().map(|hit| hit.id.clone()).collect::<Vec<_>>();
            prop_assert_eq!(ids(&found.hits), ids(&expected.hits));
            let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
            for (a, b) in found.hits.iter().zip(&expected.hits) {
                prop_assert!(near(a.score, b.score) && near(a.grams, b.grams), "{a:?} {b:?}");
                prop_assert!(near(a.coverage, b.coverage) && near(a.specificity, b.specificity));
            }
            for (a, b) in [(found.words, expected.words), (found.grams, expected.grams)] {
                prop_assert_eq!(a.count, b.count);
                prop_assert!(near(a.mean, b.mean) && near(a.deviation, b.deviation), "{a:?} {b:?}");
            }
            prop_assert_eq!(&found.terms, &expected.terms);
            // Asked again and again, from what was kept of the first searches, it is the same.
            for _ in 0..3 {
                prop_assert_eq!(&index.search(&question, &filter, 10).unwrap(), &found);
            }
        }
    }
}

/// Lists of several blocks in several segments, through filters that leave all, much and little.
#[test]
fn long_lists_give_what_a_plain_scan_gives() {
    let folder = tempfile::tempdir().unwrap();
    let index = open(folder.path());
    let words =
        ["harbour", "berth", "crane", "tide", "pilot", "quay", "Containers", "提交", "moor_line", "buoy"];
    let mut seed = 7u64;
    let mut random = move |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    let memories: Vec<Memory> = (0..900)
        .map(|n| {
            let text: Vec<String> =
                (0..2 + random(9)).map(|_| format!("{}{}", words[random(words.len())], random(4))).collect();
            let mut memory = Memory::new(Kind::ALL[random(2)], text.join(" "), at(n));
            memory.tags = vec![words[random(words.len())].to_owned()];
            memory.in_project(ProjectId::new(["one", "two", "three"][random(3)]).unwrap())
        })
        .collect();
    let changes: Vec<_> = (1..).zip(&memories).map(|(n, memory)| change(n, memory)).collect();
    for part in changes.chunks(400) {
        index.apply(part, part.last().unwrap().revision).unwrap();
    }
    let kinds = vec![Kind::ALL[0]];
    let filters = [
        all(),
        MemoryFilter::within(ProjectId::new("two").unwrap()),
        MemoryFilter { kinds, at: Some(at(500)), ..all() },
    ];
    for filter in filters {
        let seen: Vec<_> = memories.iter().filter(|memory| filter.admits(memory)).cloned().collect();
        for question in
            ["crane2 and tide", "harbuor 提交", "moor line buoy1 pilot", "quay quay3 Container", "zzz"]
        {
            let expected = scan(question, &seen, 25, &LexicalConfig::default());
            for _ in 0..3 {
                let found = index.search(question, &filter, 25).unwrap();
                let ids = |hits: &mem_core::TextHits| {
                    hits.hits.iter().map(|hit| hit.id.clone()).collect::<Vec<_>>()
                };
                assert_eq!(ids(&found), ids(&expected), "{question} {filter:?}");
                let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
                for (a, b) in found.hits.iter().zip(&expected.hits) {
                    assert!(near(a.score, b.score) && near(a.grams, b.grams), "{question}: {a:?} {b:?}");
                }
                for (a, b) in [(found.words, expected.words), (found.grams, expected.grams)] {
                    assert!(a.count == b.count && near(a.mean, b.mean) && near(a.deviation, b.deviation));
                }
            }
        }
    }
}

fn statement(n: u64) -> Memory {
    Memory::new(Kind::Fact, format!("statement number{n}"), at(n as i64))
}

/// Runs only as a child of [`a_killed_writer_leaves_a_view_that_opens`]: writes until it is killed.
#[test]
fn child_writes() {
    let Some(path) = std::env::var_os("MEM_INDEX_WRITE") else { return };
    let index = TantivyIndex::new(Path::new(&path), TantivyConfig::default());
    let from = index.revision().unwrap().0;
    println!("starts");
    for n in from..from + 10_000 {
        let memory = statement(n);
        if let Err(error) = index.apply(&[change(n + 1, &memory)], Revision(n + 1)) {
            assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
            index.clear().unwrap();
            return;
        }
        println!("wrote");
    }
}

#[test]
fn a_killed_writer_leaves_a_view_that_opens() {
    use std::io::BufRead as _;
    let folder = tempfile::tempdir().unwrap();
    let mut seed = 0x2545_F491_4F6C_DD1Du64;
    for round in 0..12 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child_writes", "--test-threads=1", "--nocapture"])
            .env("MEM_INDEX_WRITE", folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = std::io::BufReader::new(child.stdout.take().unwrap()).lines();
        // Some die while they make the first commit, some later.
        let sign = if round % 3 == 0 { "starts" } else { "wrote" };
        while !lines.next().unwrap().unwrap().contains(sign) {}
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        std::thread::sleep(Duration::from_micros(seed % 60_000));
        child.kill().unwrap();
        child.wait().unwrap();
        let index = TantivyIndex::new(folder.path(), TantivyConfig::default());
        let revision = index.revision().unwrap();
        assert_eq!(index.len().unwrap(), revision.0, "round {round}: revision and documents are one");
        if revision.0 > 0 {
            let last = statement(revision.0 - 1);
            assert_eq!(index.search(&last.body, &all(), 5).unwrap().hits[0].id, last.id, "round {round}");
        }
        index.verify().unwrap();
    }
    let index = TantivyIndex::new(folder.path(), TantivyConfig::default());
    assert!(index.revision().unwrap().0 > 0, "some round committed something");
    assert!(
        names(folder.path()).len() < 120,
        "unfinished files are collected: {}",
        names(folder.path()).len()
    );
}
