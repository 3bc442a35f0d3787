//! Sequences of operations, run on a store and on an oracle.
#![allow(clippy::unwrap_used, reason = "an oracle is compared by tests only")]

use crate::generators::*;
use mem_core::{
    Centroids, Embedding, ErrorKind, Evidence, InjectionRecord, Instinct, InstinctFilter, InstinctId,
    Language, Memory, MemoryFilter, MemoryId, MemoryStore, ModelIdentity, ProjectFilter, Result, Revision,
    SessionId, Store, Timestamp, VectorEntry, VectorIndex, VectorQuery,
};
use proptest::{collection::vec, option, prelude::*, sample::select};
use std::collections::BTreeSet;

/// A store that holds vectors too.
pub trait StoreWithVectors: Store + VectorIndex {}

impl<T: Store + VectorIndex> StoreWithVectors for T {}

/// One call that changes a store.
#[derive(Debug, Clone)]
pub enum Operation {
    /// [`MemoryStore::put`], every id once.
    Put(Vec<Memory>),
    /// [`MemoryStore::supersede`].
    Supersede(MemoryId, Box<Memory>, Timestamp),
    /// [`MemoryStore::remove`], with `hard`.
    Remove(MemoryId, bool, Timestamp),
    /// [`MemoryStore::touch`], every id once.
    Touch(Vec<MemoryId>, Timestamp),
    /// [`mem_core::InstinctStore::put_instincts`], one.
    PutInstinct(Box<Instinct>),
    /// [`mem_core::InstinctStore::add_evidence`].
    AddEvidence(InstinctId, Vec<Evidence>),
    /// [`mem_core::InstinctStore::remove_instinct`].
    RemoveInstinct(InstinctId, Timestamp),
    /// [`mem_core::InjectionStore::record_injections`].
    RecordInjections(SessionId, Vec<InjectionRecord>),
    /// [`mem_core::InjectionStore::forget_injections`].
    ForgetInjections(SessionId, Option<String>),
    /// [`Store::set_meta`].
    SetMeta(Vec<(String, Option<String>)>),
    /// [`VectorIndex::put`] of one memory under the first or second [`models`].
    PutVectors(bool, MemoryId, Vec<Embedding>),
    /// [`VectorIndex::retain`] of the first or second [`models`].
    RetainVectors(bool),
}

/// Two models of 4 and 3 dimensions.
pub fn models() -> [ModelIdentity; 2] {
    [("four", 4), ("three", 3)].map(|(name, dimensions)| ModelIdentity {
        name: name.to_owned(),
        version: "1".to_owned(),
        dimensions,
        variant: String::new(),
    })
}

fn model(second: bool) -> ModelIdentity {
    let [first, other] = models();
    if second { other } else { first }
}

/// A vector of small whole numbers: equal cosines are met often, nearly equal ones never.
pub fn arb_vector(dimensions: usize) -> impl Strategy<Value = Embedding> {
    vec((-2i8..3).prop_map(f32::from), dimensions)
}

/// Any operation; about half of them change something.
pub fn arb_operation() -> impl Strategy<Value = Operation> {
    let put = vec(arb_memory(), 1..4).prop_map(|mut memories| {
        let mut seen = BTreeSet::new();
        memories.retain(|memory| seen.insert(memory.id.clone()));
        Operation::Put(memories)
    });
    let touch = (vec(arb_memory_id(), 0..4), arb_time()).prop_map(|(ids, now)| {
        Operation::Touch(ids.into_iter().collect::<BTreeSet<_>>().into_iter().collect(), now)
    });
    let meta = vec((select(["cursor", "键"].as_slice()), option::of(arb_text())), 0..3).prop_map(|values| {
        Operation::SetMeta(values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    });
    let vectors = any::<bool>().prop_flat_map(|second| {
        (Just(second), arb_memory_id(), vec(arb_vector(model(second).dimensions), 1..4))
    });
    prop_oneof![
        6 => put,
        2 => (arb_memory_id(), arb_memory(), arb_time())
            .prop_map(|(old, new, now)| Operation::Supersede(old, Box::new(new), now)),
        3 => (arb_memory_id(), prop::bool::weighted(0.2), arb_time())
            .prop_map(|(id, hard, now)| Operation::Remove(id, hard, now)),
        2 => touch,
        2 => arb_instinct().prop_map(|instinct| Operation::PutInstinct(Box::new(instinct))),
        2 => (arb_instinct_id(), vec(arb_evidence(), 0..4)).prop_map(|(id, all)| Operation::AddEvidence(id, all)),
        1 => (arb_instinct_id(), arb_time()).prop_map(|(id, now)| Operation::RemoveInstinct(id, now)),
        2 => (arb_session(), vec(arb_injection(), 0..4)).prop_map(|(id, all)| Operation::RecordInjections(id, all)),
        1 => (arb_session(), option::of(Just("SessionStart".to_owned())))
            .prop_map(|(session, event)| Operation::ForgetInjections(session, event)),
        1 => meta,
        4 => vectors.prop_map(|(second, id, chunks)| Operation::PutVectors(second, id, chunks)),
        1 => any::<bool>().prop_map(Operation::RetainVectors),
    ]
}

impl Operation {
    /// Runs it; answers the revision or count it answered, or the kind of its refusal.
    ///
    /// # Errors
    /// The kind of the store's error.
    pub fn run(&self, store: &dyn StoreWithVectors) -> Result<Option<u64>, ErrorKind> {
        let number = |answer: Result<Revision>| answer.map(|revision| Some(revision.0));
        let nothing = |answer: Result<()>| answer.map(|()| None);
        let answer = match self {
            Self::Put(memories) => number(MemoryStore::put(store, memories)),
            Self::Supersede(old, new, now) => number(store.supersede(old, new, *now)),
            Self::Remove(id, hard, now) => number(store.remove(id, *hard, *now)),
            Self::Touch(ids, now) => nothing(store.touch(ids, *now)),
            Self::PutInstinct(instinct) => nothing(store.put_instincts(std::slice::from_ref(instinct))),
            Self::AddEvidence(id, evidence) => nothing(store.add_evidence(id, evidence)),
            Self::RemoveInstinct(id, now) => nothing(store.remove_instinct(id, *now)),
            Self::RecordInjections(session, records) => nothing(store.record_injections(session, records)),
            Self::ForgetInjections(session, event) => {
                nothing(store.forget_injections(session, event.as_deref()))
            }
            Self::SetMeta(values) => {
                let values: Vec<_> =
                    values.iter().map(|(name, value)| (name.as_str(), value.as_deref())).collect();
                nothing(store.set_meta(&values))
            }
            Self::PutVectors(second, id, chunks) => {
                let found = store.get(std::slice::from_ref(id)).map_err(|error| error.kind())?;
                let text =
                    found.into_iter().flatten().next().map(|memory| memory.full_text()).unwrap_or_default();
                let language = Language::default();
                let entry = VectorEntry { id: id.clone(), text, language, vectors: chunks.clone() };
                nothing(VectorIndex::put(store, &model(*second), &[entry]))
            }
            Self::RetainVectors(second) => store.retain(&[&model(*second)]).map(Some),
        };
        answer.map_err(|error| error.kind())
    }
}

/// Asks both stores everything and compares the answers.
///
/// # Panics
/// When they differ.
pub fn assert_same_answers(
    store: &dyn StoreWithVectors,
    oracle: &dyn StoreWithVectors,
    filters: &[MemoryFilter],
) {
    memories(store, oracle, filters);
    instincts(store, oracle);
    for session in ["s1", "s2", "s3"] {
        let session = SessionId::new(session).unwrap();
        assert_eq!(store.injections(&session).unwrap(), oracle.injections(&session).unwrap());
    }
    let prints = ["f4", "f1", "never", "f2"];
    assert_eq!(store.was_injected(&prints).unwrap(), oracle.was_injected(&prints).unwrap());
    for name in ["cursor", "键", "never"] {
        assert_eq!(store.meta(name).unwrap(), oracle.meta(name).unwrap());
    }
    assert_eq!(store.projects().unwrap(), oracle.projects().unwrap());
    vectors(store, oracle, filters);
}

fn memories(store: &dyn StoreWithVectors, oracle: &dyn StoreWithVectors, filters: &[MemoryFilter]) {
    let latest = oracle.revision().unwrap();
    assert_eq!(store.revision().unwrap(), latest);
    assert_eq!(store.counts().unwrap(), oracle.counts().unwrap());
    for (after, limit) in [(0, usize::MAX), (0, 3), (latest.0 / 2, 2), (latest.0, 9), (u64::MAX, 9)] {
        let after = Revision(after);
        assert_eq!(store.changes_since(after, limit).unwrap(), oracle.changes_since(after, limit).unwrap());
    }
    for filter in filters {
        for limit in [0, 2, usize::MAX] {
            assert_eq!(store.list(filter, limit).unwrap(), oracle.list(filter, limit).unwrap(), "{filter:?}");
            let (found, wanted) = (store.most_important(filter, limit), oracle.most_important(filter, limit));
            assert_eq!(found.unwrap(), wanted.unwrap(), "{filter:?}");
        }
    }
    for change in oracle.changes_since(Revision::ZERO, usize::MAX).unwrap() {
        let ids = [change.id.clone()];
        assert_eq!(store.get(&ids).unwrap(), oracle.get(&ids).unwrap());
        if let Some(memory) = &change.memory {
            assert_eq!(store.find_same(memory).unwrap(), oracle.find_same(memory).unwrap());
            assert_eq!(store.was_forgotten(memory).unwrap(), oracle.was_forgotten(memory).unwrap());
        }
    }
    for prefix in ["", "a", "ab", "abc", "b", "é", "改", "z", "zz", "A", "%", "_"] {
        let (own, right) = (store.resolve(prefix), oracle.resolve(prefix));
        assert_eq!(
            own.map_err(|error| error.to_string()),
            right.map_err(|error| error.to_string()),
            "{prefix:?}"
        );
    }
}

fn instincts(store: &dyn StoreWithVectors, oracle: &dyn StoreWithVectors) {
    let everything = InstinctFilter { projects: ProjectFilter::All, ..InstinctFilter::default() };
    for filter in [everything, InstinctFilter::default()] {
        assert_eq!(store.instincts(&filter).unwrap(), oracle.instincts(&filter).unwrap());
    }
    for id in ["read-first", "read-first-2", "test-after", "t"] {
        let id = InstinctId::new(id).unwrap();
        assert_eq!(store.evidence(&id).unwrap(), oracle.evidence(&id).unwrap());
        assert_eq!(store.instinct_was_forgotten(&id).unwrap(), oracle.instinct_was_forgotten(&id).unwrap());
    }
    for prefix in ["", "r", "read-first", "t", "te", "never"] {
        let (own, right) = (store.instinct(prefix), oracle.instinct(prefix));
        assert_eq!(
            own.map_err(|error| error.to_string()),
            right.map_err(|error| error.to_string()),
            "{prefix:?}"
        );
    }
}

fn vectors(store: &dyn StoreWithVectors, oracle: &dyn StoreWithVectors, filters: &[MemoryFilter]) {
    for (model, vector) in models().iter().zip([&[1.0, -1.0, 0.0, 2.0][..], &[1.0, 2.0, 0.0][..]]) {
        let centroids = Centroids(vec![(Language::new("en"), vec![0.25; model.dimensions])]);
        assert_eq!(store.len(model).unwrap(), oracle.len(model).unwrap());
        for limit in [2, usize::MAX] {
            assert_eq!(store.missing(model, limit).unwrap(), oracle.missing(model, limit).unwrap());
        }
        for filter in filters {
            let query = VectorQuery { model, vector, centroids: &centroids };
            let right = oracle.search(&query, filter, usize::MAX).unwrap().hits;
            for k in [0, 2, usize::MAX] {
                let own = store.search(&query, filter, k).unwrap().hits;
                assert_eq!(own.len(), right.len().min(k));
                // Equal cosines may come out of 32 bits in another order: what counts is that each is right and in place.
                for (hit, place) in own.iter().zip(&right) {
                    let same = right.iter().find(|other| other.id == hit.id).unwrap();
                    assert!((hit.cosine - same.cosine).abs() < 1e-5, "{hit:?} is not {same:?}");
                    assert!((hit.cosine - place.cosine).abs() < 1e-5, "{hit:?} in the place of {place:?}");
                }
            }
        }
    }
}
