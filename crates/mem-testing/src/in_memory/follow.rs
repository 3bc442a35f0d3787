use super::{InMemoryStore, State};
use mem_core::{Facts, Generation, MemoryId, ModelIdentity, Result, VectorChange, VectorRow, VectorSource};

impl VectorSource for InMemoryStore {
    fn generation(&self) -> Result<Generation> {
        Ok(generation(&self.state()))
    }

    fn vectors_since(
        &self,
        model: &ModelIdentity,
        since: Generation,
        start: &mut dyn FnMut(bool),
        take: &mut dyn FnMut(VectorChange) -> Result<()>,
    ) -> Result<Generation> {
        let state = self.state();
        let now = generation(&state);
        let anew = since == Generation::ZERO || since.dropped != now.dropped;
        start(anew);
        for (id, (revision, _)) in &state.memories {
            let put = state.vector_changes.get(id).copied().unwrap_or_default();
            match row(&state, model, id) {
                Some(row) if anew || *revision > since.memories || put > since.vectors => {
                    take(VectorChange::Present(row))?;
                }
                None if !anew && (*revision > since.memories || put > since.vectors) => {
                    take(VectorChange::Absent(id.clone()))?;
                }
                _ => {}
            }
        }
        let gone = state.tombstones.iter().filter(|(_, revision)| !anew && **revision > since.memories);
        gone.map(|(id, _)| VectorChange::Absent(id.clone())).try_for_each(take)?;
        Ok(now)
    }
}

fn generation(state: &State) -> Generation {
    Generation { memories: state.revision, vectors: state.vector_puts, dropped: state.vector_drops }
}

fn row(state: &State, model: &ModelIdentity, id: &MemoryId) -> Option<VectorRow> {
    let (_, memory) = state.memories.get(id)?;
    let (text, language, vectors) = state.vectors.get(&(model.key(), id.clone()))?;
    (*text == memory.full_text()).then(|| VectorRow {
        id: id.clone(),
        facts: Facts {
            project: memory.project.clone(),
            kind: memory.kind,
            status: memory.status,
            scope: memory.scope,
            created: memory.created,
        },
        language: language.clone(),
        vectors: vectors.clone(),
    })
}
