use super::{SqliteStore, Work, row, sql_limit};
use crate::normal::text_hash;
use crate::{Error, Result};
use mem_core::{MemoryFilter, MemoryId, ModelIdentity, VectorEntry, VectorHit, VectorIndex};
use rusqlite::{params, params_from_iter, types::Value};
use std::collections::{HashMap, hash_map::Entry};

/// Vectors live beside the memories, so that a filter is part of the search and a removal takes them along.
///
/// A vector counts for the text it was made of: after an edit it is no longer searched, and its memory is missing.
impl VectorIndex for SqliteStore {
    fn put(&self, model: &ModelIdentity, entries: &[VectorEntry]) -> mem_core::Result<()> {
        for entry in entries {
            if entry.vectors.is_empty() {
                let got = format!("none for memory {}", entry.id);
                return Err(mem_core::Error::invalid("at least one vector a memory", got));
            }
            entry.vectors.iter().try_for_each(|vector| check(model, vector))?;
        }
        if entries.is_empty() {
            return Ok(());
        }
        Ok(self.write("write to", |work| {
            let key = model.key();
            entries.iter().try_for_each(|entry| write(work, &key, entry))
        })?)
    }

    /// Cosines are computed in 32 bits, as sqlite-vec does: right to about 1e-6.
    fn search(
        &self,
        model: &ModelIdentity,
        query: &[f32],
        filter: &MemoryFilter,
        k: usize,
    ) -> mem_core::Result<Vec<VectorHit>> {
        check(model, query)?;
        let condition = row::condition(filter);
        // The distance to a vector of zeros is not a number, hence NULL; its cosine is 0 by definition.
        // Grouping and sorting in SQL would visit the vectors out of order, at twice the time.
        let sql = format!(
            "SELECT m.seq, m.id, coalesce(vec_distance_cosine(v.embedding, ?), 1.0)
             FROM vectors v CROSS JOIN memories m ON m.seq = v.memory_seq AND m.text_hash = v.content_hash
             WHERE v.model = ?{}",
            condition.sql
        );
        let mut values = vec![Value::Blob(bytes(query)), Value::Text(model.key())];
        values.extend(condition.values);
        let mut best: HashMap<i64, (f64, String)> = HashMap::new();
        self.read("search", |work| {
            work.rows(&sql, params_from_iter(values), |row| {
                let (seq, distance) = (row.get::<_, i64>(0)?, row.get::<_, f64>(2)?);
                match best.entry(seq) {
                    Entry::Occupied(mut nearest) => {
                        let nearest = nearest.get_mut();
                        nearest.0 = nearest.0.min(distance);
                    }
                    Entry::Vacant(place) => {
                        place.insert((distance, row.get(1)?));
                    }
                }
                Ok(())
            })
        })?;
        let mut nearest: Vec<_> = best.into_values().collect();
        nearest.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
        nearest.truncate(k);
        let hits = nearest.into_iter().map(|(distance, id)| {
            let id = MemoryId::new(id.as_str()).map_err(|source| Error::row("memory", &id, source))?;
            Ok(VectorHit { id, cosine: (1.0 - distance).clamp(-1.0, 1.0) })
        });
        hits.collect()
    }

    fn missing(&self, model: &ModelIdentity, limit: usize) -> mem_core::Result<Vec<MemoryId>> {
        Ok(self.read("read", |work| {
            let ids: Vec<String> = work.rows(
                "SELECT m.id FROM memories m
                 WHERE NOT EXISTS (SELECT 1 FROM vectors v
                     WHERE v.memory_seq = m.seq AND v.model = ?1 AND v.content_hash = m.text_hash)
                 ORDER BY m.revision LIMIT ?2",
                params![model.key(), sql_limit(limit)],
                |row| row.get(0),
            )?;
            ids.into_iter()
                .map(|id| MemoryId::new(id.as_str()).map_err(|source| Error::row("memory", &id, source)))
                .collect()
        })?)
    }

    fn len(&self, model: &ModelIdentity) -> mem_core::Result<u64> {
        Ok(self.read("read", |work| {
            let sql = "SELECT count(DISTINCT memory_seq) FROM vectors WHERE model = ?1";
            let count: Option<i64> = work.first(sql, [model.key()], |row| row.get(0))?;
            Ok(count.unwrap_or_default().unsigned_abs())
        })?)
    }

    fn retain(&self, model: &ModelIdentity) -> mem_core::Result<u64> {
        Ok(self.write("write to", |work| {
            Ok(work.run("DELETE FROM vectors WHERE model <> ?1", [model.key()])? as u64)
        })?)
    }
}

/// Refuses a vector of another length, or with parts that are not numbers.
fn check(model: &ModelIdentity, vector: &[f32]) -> mem_core::Result<()> {
    if vector.len() != model.dimensions {
        return Err(mem_core::Error::DimensionMismatch { expected: model.dimensions, got: vector.len() });
    }
    match vector.iter().find(|part| !part.is_finite()) {
        Some(part) => Err(mem_core::Error::invalid("a vector of finite numbers", part.to_string())),
        None => Ok(()),
    }
}

fn write(work: &Work<'_>, model: &str, entry: &VectorEntry) -> Result<()> {
    let sql = "SELECT seq FROM memories WHERE id = ?1";
    let Some(seq) = work.first(sql, [entry.id.as_str()], |row| row.get::<_, i64>(0))? else {
        return Err(mem_core::Error::NotFound { what: "memory", id: entry.id.to_string() }.into());
    };
    let hash = text_hash(&entry.text);
    work.run("DELETE FROM vectors WHERE memory_seq = ?1 AND model = ?2", params![seq, model])?;
    for (at, chunk) in (0i64..).zip(&entry.vectors) {
        work.run(
            "INSERT INTO vectors (memory_seq, chunk, model, language, content_hash, embedding)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![seq, at, model, entry.language.as_str(), hash, bytes(chunk)],
        )?;
    }
    Ok(())
}

/// 32-bit floats, little endian.
fn bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|part| part.to_le_bytes()).collect()
}
