//! What every [`VectorIndex`] must do.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a conformance suite fails by panicking")]

use crate::models;
use mem_core::{
    Centroids, Error, ErrorKind, Kind, Language, Memory, MemoryFilter, MemoryId, MemoryStore, ModelIdentity,
    ProjectFilter, ProjectId, Spread, Status, Timestamp, VectorEntry, VectorHit, VectorIndex, VectorQuery,
};
use std::sync::Arc;

/// A store of memories, and the index that follows it.
pub type StoreAndIndex = (Arc<dyn MemoryStore>, Arc<dyn VectorIndex>);

/// The suite for [`VectorIndex`]. `make` answers an empty store and an empty index over it.
///
/// # Panics
/// At the first breach.
pub fn vector_index_contract(make: &dyn Fn() -> StoreAndIndex) {
    let fresh = || {
        let (store, index) = make();
        let memories: Vec<_> = ["a", "b", "c", "d"].into_iter().map(memory).collect();
        store.put(&memories).unwrap();
        (store, index)
    };
    nearest_first(&fresh());
    filters_inside_the_search(&fresh());
    models_never_meet(&fresh());
    stale_vectors_are_missing(&fresh());
    refuses_misfits(&fresh());
    languages_are_taken_away(&fresh());
    chunks_and_spread(&fresh());
    means_are_measured(&fresh());
}

fn now() -> Timestamp {
    Timestamp::from_second(1_793_491_200).unwrap()
}

fn id(id: &str) -> MemoryId {
    MemoryId::new(id).unwrap()
}

fn memory(name: &str) -> Memory {
    Memory { id: id(name), ..Memory::new(Kind::Fact, format!("the text of {name}"), now()) }
}

fn entry(name: &str, chunks: &[[f32; 4]]) -> VectorEntry {
    VectorEntry::new(&memory(name), chunks.iter().map(|chunk| chunk.to_vec()).collect())
}

fn shown(hits: &[VectorHit]) -> String {
    let one = |hit: &VectorHit| format!("{} {:.3}", hit.id, hit.cosine + 0.0);
    hits.iter().map(one).collect::<Vec<_>>().join(", ").replace("-0.000", "0.000")
}

const EAST: [f32; 4] = [1.0, 0.0, 0.0, 0.0];
const NORTH: [f32; 4] = [0.0, 1.0, 0.0, 0.0];
const WEST: [f32; 4] = [-1.0, 0.0, 0.0, 0.0];

fn model() -> ModelIdentity {
    let [model, _] = models();
    model
}

fn found(
    index: &dyn VectorIndex,
    model: &ModelIdentity,
    vector: &[f32],
    filter: &MemoryFilter,
    k: usize,
) -> Vec<VectorHit> {
    let query = VectorQuery { model, vector, centroids: &Centroids::default() };
    index.search(&query, filter, k).unwrap().hits
}

fn search(index: &dyn VectorIndex, query: &[f32], filter: &MemoryFilter, k: usize) -> String {
    shown(&found(index, &model(), query, filter, k))
}

fn nearest_first((_, index): &StoreAndIndex) {
    let all = MemoryFilter::default();
    assert_eq!(index.len(&model()).unwrap(), 0);
    assert!(index.is_empty(&model()).unwrap());
    assert_eq!(search(index.as_ref(), &EAST, &all, 9), "");
    let entries = [
        entry("b", &[NORTH]),
        entry("d", &[WEST, [0.6, 0.8, 0.0, 0.0], NORTH]),
        entry("a", &[NORTH]),
        entry("c", &[[0.0; 4]]),
    ];
    index.put(&model(), &entries).unwrap();
    assert_eq!(index.len(&model()).unwrap(), 4, "memories, not chunks");
    assert_eq!(search(index.as_ref(), &EAST, &all, 9), "d 0.600, a 0.000, b 0.000, c 0.000");
    assert_eq!(search(index.as_ref(), &NORTH, &all, 2), "a 1.000, b 1.000");
    assert_eq!(search(index.as_ref(), &WEST, &all, 1), "d 1.000");
    assert_eq!(search(index.as_ref(), &[0.0; 4], &all, 2), "a 0.000, b 0.000");
    assert_eq!(search(index.as_ref(), &EAST, &all, 0), "");
    assert_eq!(found(index.as_ref(), &model(), &EAST, &all, usize::MAX).len(), 4);

    index.put(&model(), &[entry("d", &[NORTH])]).unwrap();
    assert_eq!(search(index.as_ref(), &WEST, &all, 1), "a 0.000", "replacing leaves no chunk behind");
}

fn filters_inside_the_search((store, index): &StoreAndIndex) {
    let home = ProjectId::new("p").unwrap();
    let mut changed = [memory("a"), memory("b"), memory("c")];
    changed[0].status = Status::Archived;
    changed[1] = Memory { id: id("b"), ..memory("b").in_project(home.clone()) };
    changed[2].kind = Kind::Todo;
    store.put(&changed).unwrap();
    let near = |angle: f32| [angle.cos(), angle.sin(), 0.0, 0.0];
    let entries = [
        entry("a", &[near(0.0)]),
        entry("b", &[near(0.5)]),
        entry("c", &[near(1.0)]),
        entry("d", &[near(1.5)]),
    ];
    index.put(&model(), &entries).unwrap();
    let search = |filter: MemoryFilter, k| search(index.as_ref(), &EAST, &filter, k);
    let everything =
        MemoryFilter { projects: ProjectFilter::All, statuses: vec![], ..MemoryFilter::default() };
    assert_eq!(search(everything.clone(), 2), "a 1.000, b 0.878");
    assert_eq!(search(MemoryFilter::default(), 1), "c 0.540", "what does not pass takes no place");
    assert_eq!(search(MemoryFilter::within(home), 2), "b 0.878, c 0.540");
    let facts = MemoryFilter { kinds: vec![Kind::Fact], ..MemoryFilter::default() };
    assert_eq!(search(facts, 9), "d 0.071");
    assert_eq!(search(MemoryFilter { at: Some(Timestamp::UNIX_EPOCH), ..everything }, 9), "");
}

fn models_never_meet((_, index): &StoreAndIndex) {
    let [four, three] = models();
    let other = ModelIdentity { version: "2".into(), ..four.clone() };
    index.put(&four, &[entry("a", &[EAST, WEST])]).unwrap();
    index.put(&other, &[entry("a", &[WEST]), entry("b", &[EAST])]).unwrap();
    index.put(&three, &[VectorEntry::new(&memory("c"), vec![vec![1.0, 0.0, 0.0]])]).unwrap();
    let all = MemoryFilter::default();
    assert_eq!(shown(&found(index.as_ref(), &four, &EAST, &all, 9)), "a 1.000");
    assert_eq!(shown(&found(index.as_ref(), &other, &EAST, &all, 9)), "b 1.000, a -1.000");
    assert_eq!(index.missing(&other, 9).unwrap(), [id("c"), id("d")]);
    let counts = || [&four, &other, &three].map(|model| index.len(model).unwrap());
    assert_eq!(index.retain(&[&three, &other, &four]).unwrap(), 0);
    assert_eq!(index.retain(&[&other, &three]).unwrap(), 2, "vectors, one a chunk");
    assert_eq!(counts(), [0, 2, 1]);
    assert_eq!(index.retain(&[&other]).unwrap(), 1);
    assert_eq!(counts(), [0, 2, 0]);
    assert_eq!(index.retain(&[]).unwrap(), 2);
}

fn stale_vectors_are_missing((store, index): &StoreAndIndex) {
    let all = MemoryFilter::default();
    assert_eq!(index.missing(&model(), 9).unwrap(), ["a", "b", "c", "d"].map(id));
    assert_eq!(index.missing(&model(), 2).unwrap(), ["a", "b"].map(id));
    let entries = ["a", "b", "c", "d"].map(|name| entry(name, &[EAST]));
    index.put(&model(), &entries).unwrap();
    assert_eq!(index.missing(&model(), 9).unwrap(), []);

    let mut pinned = memory("b");
    pinned.pinned = true;
    store.put(&[pinned]).unwrap();
    assert_eq!(index.missing(&model(), 9).unwrap(), [], "the text is the same");
    let mut cued = memory("c");
    cued.trigger = Some("when a port is chosen".into());
    let edited = Memory { body: "another text".into(), ..memory("a") };
    store.put(&[cued, edited]).unwrap();
    assert_eq!(index.missing(&model(), 9).unwrap(), ["c", "a"].map(id), "oldest change first");
    assert_eq!(search(index.as_ref(), &EAST, &all, 9), "b 1.000, d 1.000", "stale vectors are not searched");
    assert_eq!(index.len(&model()).unwrap(), 4);
    store.put(&[memory("a")]).unwrap();
    assert_eq!(index.missing(&model(), 9).unwrap(), [id("c")], "the former text has its vector again");
    index.put(&model(), &[entry("c", &[EAST])]).unwrap();
    assert_eq!(index.missing(&model(), 9).unwrap(), [id("c")], "the text had changed before its vector came");

    store.remove(&id("d"), false, now()).unwrap();
    assert_eq!(search(index.as_ref(), &EAST, &all, 9), "a 1.000, b 1.000");
    assert_eq!(index.len(&model()).unwrap(), 3);
}

fn refuses_misfits((_, index): &StoreAndIndex) {
    let short = VectorEntry::new(&memory("b"), vec![vec![1.0; 3]]);
    match index.put(&model(), &[entry("a", &[EAST]), short]) {
        Err(Error::DimensionMismatch { expected: 4, got: 3 }) => {}
        other => panic!("a vector is too short, not {other:?}"),
    }
    let kind = |answer: Result<(), Error>| answer.unwrap_err().kind();
    assert_eq!(kind(index.put(&model(), &[entry("a", &[EAST]), entry("x", &[EAST])])), ErrorKind::NotFound);
    assert_eq!(
        kind(index.put(&model(), &[entry("a", &[EAST]), entry("b", &[[f32::NAN; 4]])])),
        ErrorKind::Invalid
    );
    assert_eq!(kind(index.put(&model(), &[entry("a", &[EAST]), entry("b", &[])])), ErrorKind::Invalid);
    assert_eq!(index.len(&model()).unwrap(), 0, "all or nothing");
    let query = |vector: &[f32]| {
        let query = VectorQuery { model: &model(), vector, centroids: &Centroids::default() };
        index.search(&query, &MemoryFilter::default(), 1).map(drop)
    };
    assert_eq!(kind(query(&[1.0; 5])), ErrorKind::Invalid);
    assert_eq!(kind(query(&[f32::INFINITY; 4])), ErrorKind::Invalid);
}

fn languages_are_taken_away((_, index): &StoreAndIndex) {
    let spoken = |name: &str, tag: &str, vector: [f32; 4]| VectorEntry {
        language: Language::new(tag),
        ..entry(name, &[vector])
    };
    // The third axis is the language, the first two are the meaning.
    let entries = [
        spoken("a", "zh", [0.6, 0.0, 0.8, 0.0]),
        spoken("b", "en", [0.6, 0.0, -0.8, 0.0]),
        spoken("c", "en", [0.0, 0.6, -0.8, 0.0]),
        spoken("d", "fr", [0.0, 0.6, 0.8, 0.0]),
    ];
    index.put(&model(), &entries).unwrap();
    let (zh, en) = (Language::new("zh"), Language::new("en"));
    let mut centroids = Centroids(vec![(zh, vec![0.0, 0.0, 0.8, 0.0]), (en, vec![0.0, 0.0, -0.8, 0.0])]);
    let ask = |centroids: &Centroids| {
        let query = VectorQuery { model: &model(), vector: &EAST, centroids };
        shown(&index.search(&query, &MemoryFilter::default(), 9).unwrap().hits)
    };
    assert_eq!(ask(&centroids), "a 1.000, b 1.000, c 0.000, d 0.000");
    centroids.0.push((Language::default(), vec![-1.0, 0.0, 0.0, 0.0]));
    assert_eq!(ask(&centroids), "a 1.000, b 1.000, d 0.707, c 0.000", "one stands for the languages without");
}

fn chunks_and_spread((_, index): &StoreAndIndex) {
    let entries = [
        entry("a", &[EAST, NORTH, [0.6, 0.8, 0.0, 0.0], WEST]),
        entry("b", &[WEST]),
        entry("c", &[NORTH, EAST]),
    ];
    index.put(&model(), &entries).unwrap();
    let query = VectorQuery { model: &model(), vector: &EAST, centroids: &Centroids::default() };
    let answer = index.search(&query, &MemoryFilter::default(), 2).unwrap();
    let means: Vec<_> = answer.hits.iter().map(|hit| (hit.mean * 1e4).round() / 1e4).collect();
    assert_eq!(means, [0.5333, 0.5], "of the three nearest chunks, or of as many as there are");
    let Spread { count, mean, deviation } = answer.spread;
    assert_eq!(count, 3, "of all, whatever k");
    assert!((mean - 1.0 / 3.0).abs() < 1e-6 && (deviation - (8.0f64 / 9.0).sqrt()).abs() < 1e-6);
}

fn means_are_measured((store, index): &StoreAndIndex) {
    assert_eq!(index.centroids(&model()).unwrap(), []);
    index.measure(&model()).unwrap();
    let spoken = |name: &str, tag: &str, vectors: &[[f32; 4]]| VectorEntry {
        language: Language::new(tag),
        ..entry(name, vectors)
    };
    let entries = [spoken("a", "zh", &[EAST, NORTH]), spoken("b", "en", &[WEST])];
    index.put(&model(), &entries).unwrap();
    index.measure(&model()).unwrap();
    let (zh, en) = (Language::new("zh"), Language::new("en"));
    let expected = [(en, 1, WEST.to_vec()), (zh, 2, vec![0.5, 0.5, 0.0, 0.0])];
    assert_eq!(index.centroids(&model()).unwrap(), expected);
    let [_, other] = models();
    assert_eq!(index.centroids(&other).unwrap(), [], "each model has its own");
    store.remove(&id("a"), true, now()).unwrap();
    index.measure(&model()).unwrap();
    assert_eq!(index.centroids(&model()).unwrap(), expected[..1], "what is gone does not count");
}
