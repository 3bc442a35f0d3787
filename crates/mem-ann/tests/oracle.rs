//! Vectors in memory against a plain scan in 64 bits.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use mem_ann::{ResidentConfig, ResidentVectors};
use mem_core::{
    Centroids, Kind, Language, Memory, MemoryFilter, MemoryId, MemoryStore, ModelIdentity, ProjectFilter,
    ProjectId, Status, Timestamp, VectorEntry, VectorHits, VectorIndex, VectorQuery,
};
use mem_testing::InMemoryStore;
use proptest::{collection::vec, prelude::*};
use std::sync::Arc;

const DIMENSIONS: usize = 6;

fn model() -> ModelIdentity {
    ModelIdentity { name: "m".into(), version: "1".into(), dimensions: DIMENSIONS, variant: String::new() }
}

#[derive(Debug, Clone)]
enum Step {
    /// Writes a memory: number, text, project, status.
    Memory(u8, bool, bool, Status),
    /// Writes its vectors, of the text it has or of the other one.
    Vectors(u8, bool, bool, Vec<Vec<f32>>),
    Remove(u8),
    Retain(bool),
    Centroids(f32),
}

fn arb_step() -> impl Strategy<Value = Step> {
    let status = prop::sample::select(vec![Status::Active, Status::Archived]);
    let vector = vec(-1f32..1.0, DIMENSIONS);
    prop_oneof![
        4 => (0u8..9, any::<bool>(), any::<bool>(), status).prop_map(|(n, a, b, s)| Step::Memory(n, a, b, s)),
        6 => (0u8..9, prop::bool::weighted(0.8), any::<bool>(), vec(vector, 1..5))
            .prop_map(|(n, a, b, v)| Step::Vectors(n, a, b, v)),
        2 => (0u8..9).prop_map(Step::Remove),
        1 => any::<bool>().prop_map(Step::Retain),
        1 => (-0.5f32..0.5).prop_map(Step::Centroids),
    ]
}

fn memory(number: u8, text: bool) -> Memory {
    let body = format!("{number} says {text}");
    let id = MemoryId::new(format!("m{number}")).unwrap();
    Memory { id, ..Memory::new(Kind::Fact, body, Timestamp::UNIX_EPOCH) }
}

fn project() -> ProjectId {
    ProjectId::new("p").unwrap()
}

impl Step {
    fn run(&self, store: &InMemoryStore, centroids: &mut Centroids) {
        match self {
            Self::Memory(number, text, within, status) => {
                let mut memory = Memory { status: *status, ..memory(*number, *text) };
                if *within {
                    memory = Memory { id: memory.id.clone(), ..memory.in_project(project()) };
                }
                MemoryStore::put(store, &[memory]).unwrap();
            }
            Self::Vectors(number, text, chinese, vectors) => {
                let language = Language::new(if *chinese { "zh" } else { "en" });
                let entry =
                    VectorEntry { language, ..VectorEntry::new(&memory(*number, *text), vectors.clone()) };
                // There may be no such memory.
                let _ = VectorIndex::put(store, &model(), &[entry]);
            }
            Self::Remove(number) => {
                let _ = store.remove(&memory(*number, true).id, false, Timestamp::UNIX_EPOCH);
            }
            Self::Retain(own) => {
                let other = ModelIdentity { version: "2".into(), ..model() };
                let kept = if *own { model() } else { other };
                store.retain(&[&kept]).unwrap();
            }
            Self::Centroids(at) => {
                *centroids = Centroids(vec![(Language::new("zh"), vec![*at; DIMENSIONS])]);
            }
        }
    }
}

fn filters() -> [MemoryFilter; 3] {
    let all = MemoryFilter { projects: ProjectFilter::All, statuses: vec![], ..MemoryFilter::default() };
    [all, MemoryFilter::default(), MemoryFilter::within(project())]
}

fn ask(
    index: &dyn VectorIndex,
    vector: &[f32],
    centroids: &Centroids,
    filter: &MemoryFilter,
    k: usize,
) -> VectorHits {
    index.search(&VectorQuery { model: &model(), vector, centroids }, filter, k).unwrap()
}

/// Codes for few, bits for more, so that both are gone through.
fn coarse() -> ResidentConfig {
    ResidentConfig {
        exact: 0,
        codes: 6,
        candidates: 1,
        per_hit: 1,
        rescored: 0,
        sample: 99,
        ..ResidentConfig::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn follows_whatever_happens(steps in vec((arb_step(), vec(-1f32..1.0, DIMENSIONS)), 1..40)) {
        let store = Arc::new(InMemoryStore::new());
        let exact = ResidentVectors::new(store.clone(), ResidentConfig { gone_share: 0.5, ..ResidentConfig::default() });
        let coarse = ResidentVectors::new(store.clone(), coarse());
        let mut centroids = Centroids::default();
        for (step, question) in &steps {
            step.run(&store, &mut centroids);
            for filter in filters() {
                let truth = ask(store.as_ref(), question, &centroids, &filter, 99);
                let found = ask(&exact, question, &centroids, &filter, 99);
                prop_assert_eq!(found.hits.len(), truth.hits.len());
                prop_assert_eq!(found.spread.count, truth.spread.count);
                prop_assert!((found.spread.mean - truth.spread.mean).abs() < 1e-3);
                for (own, other) in found.hits.iter().zip(&truth.hits) {
                    // Where two are within a rounding of one another they may change places.
                    prop_assert!((own.cosine - other.cosine).abs() < 1e-3, "{:?} {:?}", own, other);
                }
                let rough = ask(&coarse, question, &centroids, &filter, 3);
                prop_assert_eq!(rough.hits.len(), truth.hits.len().min(3));
                prop_assert!(rough.hits.is_sorted_by(|a, b| a.cosine >= b.cosine));
                for hit in found.hits.iter().chain(&rough.hits) {
                    let same = truth.hits.iter().find(|other| other.id == hit.id);
                    prop_assert!(same.is_some(), "{:?} does not pass, is gone or stale", hit);
                    let same = same.unwrap();
                    prop_assert!((same.cosine - hit.cosine).abs() < 1e-3, "{:?} {:?}", hit, same);
                    prop_assert!((same.mean - hit.mean).abs() < 1e-3, "{:?} {:?}", hit, same);
                }
            }
        }
    }
}
