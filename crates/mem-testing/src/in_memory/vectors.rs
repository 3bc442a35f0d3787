use super::InMemoryStore;
use mem_core::{
    Embedding, Error, Language, MemoryFilter, MemoryId, ModelIdentity, Result, Spread, VectorEntry,
    VectorHit, VectorHits, VectorIndex, VectorQuery, cosine,
};
use std::collections::BTreeMap;

/// A flat scan in 64 bits.
impl VectorIndex for InMemoryStore {
    fn put(&self, model: &ModelIdentity, entries: &[VectorEntry]) -> Result<()> {
        self.change(|state| {
            state.vector_puts += 1;
            for (at, entry) in entries.iter().enumerate() {
                let VectorEntry { id, text, language, vectors: chunks } = entry;
                if chunks.is_empty() || entries[..at].iter().any(|other| other.id == *id) {
                    return Err(Error::invalid("every memory once, with at least one vector", id.as_str()));
                }
                for chunk in chunks {
                    check(model, chunk)?;
                }
                if !state.memories.contains_key(id) {
                    return Err(Error::NotFound { what: "memory", id: id.to_string() });
                }
                state.vector_changes.insert(id.clone(), state.vector_puts);
                state
                    .vectors
                    .insert((model.key(), id.clone()), (text.clone(), language.clone(), chunks.clone()));
            }
            Ok(())
        })
    }

    fn search(&self, query: &VectorQuery<'_>, filter: &MemoryFilter, k: usize) -> Result<VectorHits> {
        let VectorQuery { model, vector, centroids } = *query;
        check(model, vector)?;
        let state = self.state();
        let mut hits = Vec::new();
        for ((key, id), (text, language, chunks)) in &state.vectors {
            let Some((_, memory)) = state.memories.get(id) else { continue };
            if *key != model.key() || *text != memory.full_text() || !filter.admits(memory) {
                continue;
            }
            let mut cosines = Vec::with_capacity(chunks.len());
            for chunk in chunks {
                cosines.push(cosine(vector, &centroids.centred(chunk, language))?);
            }
            cosines.sort_by(|a, b| b.total_cmp(a));
            let best = cosines.first().copied().unwrap_or(0.0);
            let nearest = &cosines[..cosines.len().min(3)];
            let mean = nearest.iter().sum::<f64>() / nearest.len().max(1) as f64;
            hits.push(VectorHit { id: id.clone(), cosine: best, mean });
        }
        let spread = Spread::of(hits.iter().map(|hit| hit.cosine), 0);
        hits.sort_by(|a, b| b.cosine.total_cmp(&a.cosine).then_with(|| a.id.cmp(&b.id)));
        hits.truncate(k);
        Ok(VectorHits { hits, spread })
    }

    fn centroids(&self, model: &ModelIdentity) -> Result<Vec<(Language, u64, Embedding)>> {
        Ok(self.state().centroids.get(&model.key()).cloned().unwrap_or_default())
    }

    fn measure(&self, model: &ModelIdentity) -> Result<()> {
        self.change(|state| {
            let mut sums: BTreeMap<Language, (u64, Vec<f64>)> = BTreeMap::new();
            for ((key, _), (_, language, chunks)) in &state.vectors {
                if *key != model.key() {
                    continue;
                }
                let (count, sum) =
                    sums.entry(language.clone()).or_insert_with(|| (0, vec![0.0; model.dimensions]));
                for chunk in chunks {
                    *count += 1;
                    sum.iter_mut().zip(chunk).for_each(|(sum, x)| *sum += f64::from(*x));
                }
            }
            let means = sums.into_iter().map(|(language, (count, sum))| {
                let mean = sum.iter().map(|x| (x / count.max(1) as f64) as f32).collect();
                (language, count, mean)
            });
            let means = means.collect();
            state.centroids.insert(model.key(), means);
            Ok(())
        })
    }

    fn missing(&self, model: &ModelIdentity, limit: usize) -> Result<Vec<MemoryId>> {
        let state = self.state();
        let mut missing: Vec<_> = state
            .memories
            .iter()
            .filter(|(id, (_, memory))| {
                let vectors = state.vectors.get(&(model.key(), (*id).clone()));
                vectors.is_none_or(|(text, ..)| *text != memory.full_text())
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

    fn retain(&self, models: &[&ModelIdentity]) -> Result<u64> {
        let kept: Vec<String> = models.iter().map(|model| model.key()).collect();
        let mut state = self.state();
        let count = |state: &super::State| {
            state.vectors.values().map(|(.., chunks)| chunks.len() as u64).sum::<u64>()
        };
        let before = count(&state);
        state.vectors.retain(|(key, _), _| kept.contains(key));
        let dropped = before - count(&state);
        state.vector_drops += u64::from(dropped > 0);
        Ok(dropped)
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
