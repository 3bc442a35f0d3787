//! Many vectors: what the coarse ways find, and how the graph is kept.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use mem_ann::{ResidentConfig, ResidentVectors};
use mem_core::{
    Centroids, Kind, Memory, MemoryFilter, MemoryId, MemoryStore, ModelIdentity, ProjectFilter, ProjectId,
    Timestamp, VectorEntry, VectorIndex, VectorQuery,
};
use mem_store::{Options, SqliteStore, Synchronous};
use std::sync::Arc;

const DIMENSIONS: usize = 32;
const MANY: usize = 2000;

fn model() -> ModelIdentity {
    ModelIdentity { name: "m".into(), version: "1".into(), dimensions: DIMENSIONS, variant: String::new() }
}

/// A plain generator (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ (x >> 31)
    }

    fn vector(&mut self) -> Vec<f32> {
        let mut centre = Self(self.next() % 40);
        let part = |random: &mut Self| (random.next() >> 40) as f32 / (1u64 << 24) as f32 - 0.5;
        let mut vector: Vec<f32> = (0..DIMENSIONS).map(|_| part(&mut centre) + part(self)).collect();
        let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        vector.iter_mut().for_each(|x| *x /= norm);
        vector
    }
}

fn memory(number: usize) -> Memory {
    let id = MemoryId::new(format!("m{number}")).unwrap();
    let memory = Memory::new(Kind::Fact, format!("statement {number}"), Timestamp::UNIX_EPOCH);
    match number % 5 {
        0 => Memory { id, ..memory.in_project(ProjectId::new("p").unwrap()) },
        1 if number % 100 == 1 => Memory { id, kind: Kind::Todo, ..memory },
        _ => Memory { id, ..memory },
    }
}

fn add(store: &SqliteStore, numbers: std::ops::Range<usize>) {
    let mut random = Random(numbers.start as u64 + 1);
    let memories: Vec<_> = numbers.map(memory).collect();
    MemoryStore::put(store, &memories).unwrap();
    let chunks = |at: usize| 1 + usize::from(at.is_multiple_of(10));
    let entries: Vec<_> = memories
        .iter()
        .enumerate()
        .map(|(at, memory)| VectorEntry::new(memory, (0..chunks(at)).map(|_| random.vector()).collect()))
        .collect();
    VectorIndex::put(store, &model(), &entries).unwrap();
}

fn open(folder: &std::path::Path) -> Arc<SqliteStore> {
    let options = Options { synchronous: Synchronous::Normal, ..Options::default() };
    Arc::new(SqliteStore::open(folder.join("mem.db"), &options).unwrap())
}

fn ask(index: &dyn VectorIndex, vector: &[f32], filter: &MemoryFilter) -> Vec<MemoryId> {
    let query = VectorQuery { model: &model(), vector, centroids: &Centroids::default() };
    let hits = index.search(&query, filter, 10).unwrap().hits;
    hits.into_iter().map(|hit| hit.id).collect()
}

fn filters() -> [MemoryFilter; 4] {
    let all = MemoryFilter { projects: ProjectFilter::All, ..MemoryFilter::default() };
    let todos = MemoryFilter { kinds: vec![Kind::Todo], ..MemoryFilter::default() };
    let project = MemoryFilter::within(ProjectId::new("p").unwrap());
    [all, MemoryFilter::default(), project, todos]
}

/// Which share of what the store finds is found.
fn recall(index: &dyn VectorIndex, store: &SqliteStore, filter: &MemoryFilter) -> f64 {
    let mut random = Random(4711);
    let (mut right, mut all) = (0, 0);
    for _ in 0..30 {
        let question = random.vector();
        let truth = ask(store, &question, filter);
        let found = ask(index, &question, filter);
        assert_eq!(found.len(), truth.len());
        right += truth.iter().filter(|id| found.contains(id)).count();
        all += truth.len();
    }
    right as f64 / all as f64
}

fn coarse() -> ResidentConfig {
    ResidentConfig { exact: 20, ..ResidentConfig::default() }
}

#[test]
fn codes_and_bits_find_what_the_store_finds() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    add(&store, 0..MANY);
    let codes = ResidentVectors::new(store.clone(), coarse());
    let bits =
        ResidentVectors::new(store.clone(), ResidentConfig { codes: 100, candidates: 200, ..coarse() });
    for filter in filters() {
        let (codes, bits) = (recall(&codes, &store, &filter), recall(&bits, &store, &filter));
        assert!(codes >= 0.99 && bits >= 0.97, "{codes} {bits} {filter:?}");
    }
    assert_eq!(codes.stats().vectors as usize, MANY + MANY / 10);
}

#[test]
fn a_sample_tells_the_spread() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    add(&store, 0..MANY);
    let resident = ResidentVectors::new(store.clone(), coarse());
    let question = Random(3).vector();
    let query = VectorQuery { model: &model(), vector: &question, centroids: &Centroids::default() };
    let whole = store.search(&query, &MemoryFilter::default(), 1).unwrap().spread;
    let sample = resident.search(&query, &MemoryFilter::default(), 1).unwrap().spread;
    assert_eq!((whole.count, sample.count), ((MANY - MANY / 5) as u64, 512));
    assert!((whole.mean - sample.mean).abs() < 0.03, "{whole:?} {sample:?}");
    assert!((whole.deviation / sample.deviation - 1.0).abs() < 0.1, "{whole:?} {sample:?}");
    let again = ResidentVectors::new(store, coarse());
    assert_eq!(again.search(&query, &MemoryFilter::default(), 1).unwrap().spread, sample);
}

#[test]
fn what_another_process_writes_is_seen() {
    if let Some(folder) = std::env::var_os("MEM_ANN_TEST_FOLDER") {
        let store = open(folder.as_ref());
        add(&store, MANY..MANY + 1);
        store.remove(&MemoryId::new("m7").unwrap(), false, Timestamp::UNIX_EPOCH).unwrap();
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    add(&store, 0..100);
    let resident = ResidentVectors::new(store.clone(), ResidentConfig::default());
    let [all, ..] = filters();
    let question = Random(MANY as u64 + 1).vector();
    assert_eq!(ask(&resident, &question, &all), ask(store.as_ref(), &question, &all));
    let done = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "what_another_process_writes_is_seen", "--test-threads=1"])
        .env("MEM_ANN_TEST_FOLDER", dir.path())
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
    let found = ask(&resident, &question, &all);
    assert_eq!(found, ask(store.as_ref(), &question, &all));
    assert_eq!(found[0], MemoryId::new(format!("m{MANY}")).unwrap());
    let stats = resident.stats();
    assert_eq!((stats.vectors, stats.gone), (111, 1));
}

#[cfg(feature = "hnsw")]
mod graph {
    use super::*;
    use mem_ann::{GraphConfig, Tended};
    use std::path::Path;

    fn config() -> ResidentConfig {
        ResidentConfig { graph: GraphConfig { from: 1000, ..GraphConfig::default() }, ..coarse() }
    }

    fn resident(store: &Arc<SqliteStore>, folder: &Path) -> ResidentVectors {
        let resident = ResidentVectors::new(store.clone(), config()).keep_in(folder.join("graph"));
        let [all, ..] = filters();
        ask(&resident, &Random(1).vector(), &all);
        resident
    }

    fn built(vectors: usize) -> Tended {
        Tended::Built { vectors: vectors as u64 }
    }

    /// With the second chunks of every tenth memory.
    const VECTORS: usize = MANY + MANY / 10;

    #[test]
    fn finds_what_the_store_finds_under_every_filter() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        add(&store, 0..MANY);
        let resident = resident(&store, dir.path());
        assert_eq!(resident.stats().nodes, 0);
        assert_eq!(resident.tend().unwrap(), built(VECTORS));
        assert_eq!(resident.tend().unwrap(), Tended::Nothing);
        assert_eq!(resident.stats().nodes as usize, VECTORS);
        for filter in filters() {
            let recall = recall(&resident, &store, &filter);
            assert!(recall >= 0.97, "{recall} {filter:?}");
        }
    }

    #[test]
    fn changes_count_at_once_and_wear_it_out() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        add(&store, 0..MANY);
        let resident = resident(&store, dir.path());
        resident.tend().unwrap();
        let [all, ..] = filters();
        let question = Random(99).vector();
        for round in 0..20 {
            let best = ask(&resident, &question, &all);
            assert_eq!(best[0], ask(store.as_ref(), &question, &all)[0], "round {round}");
            store.remove(&best[0], round % 2 == 0, Timestamp::UNIX_EPOCH).unwrap();
            assert!(!ask(&resident, &question, &all).contains(&best[0]), "round {round}");
        }
        add(&store, MANY..MANY + 50);
        let new = Random(MANY as u64 + 1).vector();
        assert_eq!(ask(&resident, &new, &all)[0], MemoryId::new(format!("m{MANY}")).unwrap());
        assert_eq!(resident.tend().unwrap(), Tended::Nothing, "little has changed");
        assert_eq!(resident.stats().nodes as usize, VECTORS);

        // Another process begins with the graph as it was kept, and what has changed since.
        let other = graph::resident(&store, dir.path());
        assert_eq!(other.stats().nodes as usize, VECTORS);
        assert_eq!(other.stats().vectors, resident.stats().vectors);
        for question in [&question, &new] {
            assert_eq!(ask(&other, question, &all)[0], ask(store.as_ref(), question, &all)[0]);
        }
        assert!(recall(&other, &store, &all) >= 0.97);

        add(&store, MANY + 50..MANY + 400);
        ask(&other, &question, &all);
        let Tended::Built { vectors } = other.tend().unwrap() else { panic!("much is new") };
        assert_eq!(vectors, other.stats().vectors);
        for number in 100..700 {
            let id = MemoryId::new(format!("m{number}")).unwrap();
            let _ = store.remove(&id, false, Timestamp::UNIX_EPOCH);
        }
        ask(&other, &question, &all);
        assert!(matches!(other.tend().unwrap(), Tended::Built { .. }), "much is gone");
        assert_eq!(other.stats().gone, 0);
        assert!(recall(&other, &store, &all) >= 0.97);
        // The first process still has its own, and answers from the same store.
        assert!(recall(&resident, &store, &all) >= 0.97);
    }

    #[test]
    fn a_damaged_or_foreign_file_is_built_anew() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        add(&store, 0..1000);
        assert_eq!(resident(&store, dir.path()).tend().unwrap(), built(1100));
        let file = dir.path().join("graph").join("vectors.graph");
        let whole = std::fs::read(&file).unwrap();
        assert_eq!(resident(&store, dir.path()).tend().unwrap(), Tended::Nothing);
        let mut turned = whole.clone();
        turned[whole.len() / 2] ^= 1;
        for damaged in [&turned[..], &whole[..whole.len() / 2], &[]] {
            std::fs::write(&file, damaged).unwrap();
            let resident = resident(&store, dir.path());
            assert_eq!(resident.stats().nodes, 0);
            assert_eq!(resident.tend().unwrap(), built(1100));
            assert_eq!(std::fs::read(&file).unwrap(), whole, "the same graph every time");
        }
        let elsewhere = tempfile::tempdir().unwrap();
        let other = open(elsewhere.path());
        add(&other, 5000..6000);
        std::fs::create_dir(elsewhere.path().join("graph")).unwrap();
        std::fs::copy(&file, elsewhere.path().join("graph").join("vectors.graph")).unwrap();
        assert_eq!(resident(&other, elsewhere.path()).stats().nodes, 0, "of another store");
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_told_and_the_graph_serves() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        add(&store, 0..1000);
        std::fs::write(dir.path().join("graph"), "a file").unwrap();
        let resident = resident(&store, dir.path());
        let error = resident.tend().unwrap_err();
        assert_eq!(error.kind(), mem_core::ErrorKind::Unavailable);
        assert_eq!(resident.stats().nodes, 1100);
    }
}
