use super::InMemoryStore;
use mem_core::{
    Error, MemoryFilter, MemoryId, ModelIdentity, Result, VectorEntry, VectorHit, VectorIndex, cosine,
};

/// A flat scan in 64 bits.
impl VectorIndex for InMemoryStore {
    fn put(&self, model: &ModelIdentity, entries: &[VectorEntry]) -> Result<()> {
        self.change(|state| {
            for (at, entry) in entries.iter().enumerate() {
                let VectorEntry { id, text, vectors: chunks, .. } = entry;
                if chunks.is_empty() || entries[..at].iter().any(|other| other.id == *id) {
                    return Err(Error::invalid("every memory once, with at least one vector", id.as_str()));
                }
                for chunk in chunks {
                    check(model, chunk)?;
                }
                if !state.memories.contains_key(id) {
                    return Err(Error::NotFound { what: "memory", id: id.to_string() });
                }
                state.vectors.insert((model.key(), id.clone()), (text.clone(), chunks.clone()));
            }
            Ok(())
        })
    }

    fn search(
        &self,
        model: &ModelIdentity,
        query: &[f32],
        filter: &MemoryFilter,
        k: usize,
    ) -> Result<Vec<VectorHit>> {
        check(model, query)?;
        let state = self.state();
        let mut hits = Vec::new();
        for ((key, id), (text, chunks)) in &state.vectors {
            let Some((_, memory)) = state.memories.get(id) else { continue };
            if *key != model.key() || *text != memory.full_text() || !filter.admits(memory) {
                continue;
            }
            let mut best = f64::MIN;
            for chunk in chunks {
                best = best.max(cosine(query, chunk)?);
            }
            hits.push(VectorHit { id: id.clone(), cosine: best });
        }
        hits.sort_by(|a, b| b.cosine.total_cmp(&a.cosine).then_with(|| a.id.cmp(&b.id)));
        hits.truncate(k);
        Ok(hits)
    }

    fn missing(&self, model: &ModelIdentity, limit: usize) -> Result<Vec<MemoryId>> {
        let state = self.state();
        let mut missing: Vec<_> = state
            .memories
            .iter()
            .filter(|(id, (_, memory))| {
                let vectors = state.vectors.get(&(model.key(), (*id).clone()));
                vectors.is_none_or(|(text, _)| *text != memory.full_text())
            })
            .map(|(id, (revision, _))| (*revision, id.clone()))
            .collect();
        missing.sort();
        Ok(missing.into_iter().take(limit).map(|(_, id)| id).collect())
    }

    fn len(&self, model: &ModelIdentity) -> Result<u64> {
        let state = self.state();
        Ok(state.vectors.keys().filter(|(key, _)| *key == model.key()).count() as u64)
    }

    fn retain(&self, model: &ModelIdentity) -> Result<u64> {
        let mut state = self.state();
        let count =
            |state: &super::State| state.vectors.values().map(|(_, chunks)| chunks.len() as u64).sum::<u64>();
        let before = count(&state);
        state.vectors.retain(|(key, _), _| *key == model.key());
        Ok(before - count(&state))
    }
}

fn check(model: &ModelIdentity, vector: &[f32]) -> Result<()> {
    if vector.len() != model.dimensions {
        return Err(Error::DimensionMismatch { expected: model.dimensions, got: vector.len() });
    }
    if vector.iter().any(|part| !part.is_finite()) {
        return Err(Error::invalid("a vector of finite numbers", "NaN or infinity"));
    }
    Ok(())
}
