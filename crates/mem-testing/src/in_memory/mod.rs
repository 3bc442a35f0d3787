//! A store of plain maps: the oracle for the real ones.

mod follow;
mod instincts;
mod memories;
mod vectors;

use mem_core::{
    Embedding, Evidence, InjectionRecord, InjectionStore, Instinct, InstinctId, Language, Memory, MemoryId,
    ProjectId, Result, Revision, SessionId, Store,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Implements [`Store`], [`mem_core::VectorIndex`] and [`mem_core::VectorSource`] in the plainest way, and is strict.
///
/// It refuses what a caller should not do though other stores bear it: one id twice in a call. Texts are
/// normalised by lower case, single spaces and full-width forms only, not by the whole of NFKC.
#[derive(Debug, Default)]
pub struct InMemoryStore(Mutex<State>);

#[derive(Debug, Default, Clone)]
struct State {
    revision: Revision,
    memories: BTreeMap<MemoryId, (Revision, Memory)>,
    tombstones: BTreeMap<MemoryId, Revision>,
    trash: BTreeMap<MemoryId, Memory>,
    forgotten: BTreeSet<(String, Option<ProjectId>)>,
    meta: BTreeMap<String, String>,
    instincts: BTreeMap<InstinctId, Instinct>,
    evidence: BTreeMap<InstinctId, Vec<Evidence>>,
    forgotten_instincts: BTreeSet<InstinctId>,
    /// With whether it still counts for its session.
    injections: Vec<(SessionId, InjectionRecord, bool)>,
    /// By model and memory: the text they were made of, and a vector a chunk.
    vectors: BTreeMap<(String, MemoryId), (String, Language, Vec<Embedding>)>,
    /// As last measured, by the model's key.
    centroids: BTreeMap<String, Vec<(Language, u64, Embedding)>>,
    /// The number of the put that last wrote the vectors of a memory.
    vector_changes: BTreeMap<MemoryId, u64>,
    vector_puts: u64,
    vector_drops: u64,
}

impl InMemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets `work` change a copy, which counts only when it succeeds.
    fn change<T>(&self, work: impl FnOnce(&mut State) -> Result<T>) -> Result<T> {
        let mut state = self.state();
        let mut next = state.clone();
        let answer = work(&mut next)?;
        *state = next;
        Ok(answer)
    }
}

impl State {
    fn next_revision(&mut self) -> Revision {
        self.revision = Revision(self.revision.0 + 1);
        self.revision
    }
}

impl InjectionStore for InMemoryStore {
    fn record_injections(&self, session: &SessionId, records: &[InjectionRecord]) -> Result<()> {
        let rows = records.iter().map(|record| (session.clone(), record.clone(), true));
        self.state().injections.extend(rows);
        Ok(())
    }

    fn injections(&self, session: &SessionId) -> Result<Vec<InjectionRecord>> {
        let state = self.state();
        let own = state.injections.iter().filter(|(of, _, active)| of == session && *active);
        let mut records: Vec<_> = own.map(|(_, record, _)| record.clone()).collect();
        records.sort_by_key(|record| record.at);
        Ok(records)
    }

    fn forget_injections(&self, session: &SessionId, event: Option<&str>) -> Result<()> {
        for (of, record, active) in &mut self.state().injections {
            if of == session && event.is_none_or(|event| event == record.event) {
                *active = false;
            }
        }
        Ok(())
    }

    fn was_injected(&self, fingerprints: &[&str]) -> Result<Vec<bool>> {
        let state = self.state();
        let known =
            |print: &&str| state.injections.iter().any(|(_, record, _)| record.fingerprint == **print);
        Ok(fingerprints.iter().map(known).collect())
    }
}

impl Store for InMemoryStore {
    fn meta(&self, key: &str) -> Result<Option<String>> {
        Ok(self.state().meta.get(key).cloned())
    }

    fn set_meta(&self, values: &[(&str, Option<&str>)]) -> Result<()> {
        let mut state = self.state();
        for (name, value) in values {
            match value {
                Some(value) => state.meta.insert((*name).to_owned(), (*value).to_owned()),
                None => state.meta.remove(*name),
            };
        }
        Ok(())
    }

    fn projects(&self) -> Result<Vec<ProjectId>> {
        let state = self.state();
        let of_memories = state.memories.values().filter_map(|(_, memory)| memory.project.clone());
        let of_instincts = state.instincts.values().filter_map(|instinct| instinct.project.clone());
        Ok(of_memories.chain(of_instincts).collect::<BTreeSet<_>>().into_iter().collect())
    }
}
