use super::{SqliteStore, Work, follow, row, sql_limit};
use crate::normal::text_hash;
use crate::{Error, Result};
use mem_core::{
    Embedding, Language, MemoryFilter, MemoryId, ModelIdentity, Spread, VectorEntry, VectorHit, VectorHits,
    VectorIndex, VectorQuery,
};
use rusqlite::{params, params_from_iter, types::Value};
use std::collections::{BTreeMap, HashMap, hash_map::Entry};

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
            let change = follow::count(work, "vectors")?;
            entries.iter().try_for_each(|entry| write(work, &key, entry, change))
        })?)
    }

    /// Cosines are computed in 32 bits, as sqlite-vec does: right to about 1e-6.
    ///
    /// A stored vector d of unit length is centred without being rebuilt: with a question q and a centroid c,
    /// `cos(q, d - c) = (<q,d> - <q,c>) / |d - c|`.
    fn search(
        &self,
        query: &VectorQuery<'_>,
        filter: &MemoryFilter,
        k: usize,
    ) -> mem_core::Result<VectorHits> {
        let VectorQuery { model, vector, centroids } = *query;
        check(model, vector)?;
        centroids.0.iter().try_for_each(|(_, centroid)| check(model, centroid))?;
        let condition = row::condition(filter);
        let rest = centroids.of(&Language::default());
        let mut away = String::from("CASE v.language");
        let mut values = vec![Value::Blob(bytes(vector))];
        for (language, centroid) in &centroids.0 {
            away.push_str(" WHEN ? THEN vec_distance_L2(v.embedding, ?)");
            values.push(Value::Text(language.as_str().to_owned()));
            values.push(Value::Blob(bytes(centroid)));
        }
        if let Some(centroid) = rest {
            away.push_str(" ELSE vec_distance_L2(v.embedding, ?)");
            values.push(Value::Blob(bytes(centroid)));
        }
        // An expression without a case is none.
        let away = if centroids.0.is_empty() { "NULL".to_owned() } else { away + " END" };
        // The distance to a vector of zeros is not a number, hence NULL; its cosine is 0 by definition.
        // Grouping and sorting in SQL would visit the vectors out of order, at twice the time.
        let sql = format!(
            "SELECT m.seq, m.id, v.language, vec_distance_cosine(v.embedding, ?), {away}
             FROM vectors v CROSS JOIN memories m ON m.seq = v.memory_seq AND m.text_hash = v.content_hash
             WHERE v.model = ?{}",
            condition.sql
        );
        values.push(Value::Text(model.key()));
        values.extend(condition.values);
        let shares: Vec<(&str, f64)> = centroids
            .0
            .iter()
            .map(|(language, centroid)| (language.as_str(), dot(vector, centroid)))
            .collect();
        let other = rest.map_or(0.0, |centroid| dot(vector, centroid));
        let mut best: HashMap<i64, Best> = HashMap::new();
        self.read("search", |work| {
            work.rows(&sql, params_from_iter(values), |row| {
                let cosine = match (row.get::<_, Option<f64>>(3)?, row.get::<_, Option<f64>>(4)?) {
                    (None, _) => 0.0,
                    (Some(distance), None) => 1.0 - distance,
                    (Some(distance), Some(away)) => {
                        let language = row.get_ref(2)?.as_str()?;
                        let share = shares.iter().find(|(own, _)| *own == language);
                        let share = share.map_or(other, |(_, share)| *share);
                        if away > 0.0 { (1.0 - distance - share) / away } else { 0.0 }
                    }
                };
                let cosine = cosine.clamp(-1.0, 1.0);
                match best.entry(row.get(0)?) {
                    Entry::Occupied(mut seen) => seen.get_mut().add(cosine),
                    Entry::Vacant(place) => {
                        place.insert(Best { id: row.get(1)?, nearest: [cosine; NEAREST], count: 1 });
                    }
                }
                Ok(())
            })
        })?;
        let mut nearest: Vec<_> = best.into_values().collect();
        // In the order of ids, so that the sum of the spread is the same in every process.
        nearest.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        let spread = Spread::of(nearest.iter().map(Best::cosine), 0);
        nearest.sort_by(|a, b| b.cosine().total_cmp(&a.cosine()));
        nearest.truncate(k);
        let hits = nearest.into_iter().map(|best| {
            let id =
                MemoryId::new(best.id.as_str()).map_err(|source| Error::row("memory", &best.id, source))?;
            Ok(VectorHit { id, cosine: best.cosine(), mean: best.mean() })
        });
        Ok(VectorHits { hits: hits.collect::<Result<_>>()?, spread })
    }

    fn centroids(&self, model: &ModelIdentity) -> mem_core::Result<Vec<(Language, u64, Embedding)>> {
        let sql = "SELECT language, count, embedding FROM centroids WHERE model = ?1 ORDER BY language";
        Ok(self.read("read", |work| {
            let rows = work.rows(sql, [model.key()], |row| {
                let language = Language::new(row.get_ref(0)?.as_str()?);
                Ok((language, row.get::<_, i64>(1)?.unsigned_abs(), floats(row.get_ref(2)?.as_blob()?)))
            });
            let mut means: Vec<(Language, u64, Embedding)> = rows?;
            means.retain(|(_, _, mean)| mean.len() == model.dimensions);
            Ok(means)
        })?)
    }

    fn measure(&self, model: &ModelIdentity) -> mem_core::Result<()> {
        let key = model.key();
        let total = self.read("read", |work| {
            let count = "SELECT count(*) FROM vectors WHERE model = ?1";
            let seen = "SELECT max(total) FROM centroids WHERE model = ?1";
            let total: i64 = work.first(count, [&key], |row| row.get(0))?.unwrap_or_default();
            let seen: Option<i64> = work.first(seen, [&key], |row| row.get(0))?.flatten();
            Ok((total.abs_diff(seen.unwrap_or_default()) * 10 > total.unsigned_abs()).then_some(total))
        })?;
        let Some(total) = total else { return Ok(()) };
        let mut sums: BTreeMap<String, (i64, Vec<f64>)> = BTreeMap::new();
        self.read("read", |work| {
            let sql = "SELECT language, embedding FROM vectors WHERE model = ?1";
            work.rows(sql, [&key], |row| {
                let (count, sum) =
                    sums.entry(row.get(0)?).or_insert_with(|| (0, vec![0.0; model.dimensions]));
                *count += 1;
                let vector = floats(row.get_ref(1)?.as_blob()?);
                sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += f64::from(x));
                Ok(())
            })
        })?;
        Ok(self.write("write to", |work| {
            work.run("DELETE FROM centroids WHERE model = ?1", [&key])?;
            for (language, (count, sum)) in &sums {
                let mean: Vec<f32> = sum.iter().map(|x| (x / (*count).max(1) as f64) as f32).collect();
                work.run(
                    "INSERT INTO centroids (model, language, count, total, embedding) VALUES (?1, ?2, ?3, ?4, ?5)",
                    params![key, language, count, total, bytes(&mean)],
                )?;
            }
            Ok(())
        })?)
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

    fn retain(&self, models: &[&ModelIdentity]) -> mem_core::Result<u64> {
        Ok(self.write("write to", |work| {
            let keys: Vec<String> = models.iter().map(|model| model.key()).collect();
            let marks = vec!["?"; keys.len()].join(", ");
            work.run(
                &format!("DELETE FROM centroids WHERE model NOT IN ({marks})"),
                params_from_iter(&keys),
            )?;
            let sql = format!("DELETE FROM vectors WHERE model NOT IN ({marks})");
            let dropped = work.run(&sql, params_from_iter(&keys))?;
            if dropped > 0 {
                follow::count(work, "dropped")?;
            }
            Ok(dropped as u64)
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

fn write(work: &Work<'_>, model: &str, entry: &VectorEntry, change: i64) -> Result<()> {
    let sql = "SELECT seq FROM memories WHERE id = ?1";
    let Some(seq) = work.first(sql, [entry.id.as_str()], |row| row.get::<_, i64>(0))? else {
        return Err(mem_core::Error::NotFound { what: "memory", id: entry.id.to_string() }.into());
    };
    let hash = text_hash(&entry.text);
    work.run("DELETE FROM vectors WHERE memory_seq = ?1 AND model = ?2", params![seq, model])?;
    for (at, chunk) in (0i64..).zip(&entry.vectors) {
        work.run(
            "INSERT INTO vectors (memory_seq, chunk, model, language, content_hash, embedding, change)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            params![seq, at, model, entry.language.as_str(), hash, bytes(chunk), change],
        )?;
    }
    Ok(())
}

/// So many chunks of a memory count for its mean.
const NEAREST: usize = 3;

/// The nearest chunks of one memory.
struct Best {
    id: String,
    /// Falling; those beyond `count` are copies of the first.
    nearest: [f64; NEAREST],
    count: usize,
}

impl Best {
    fn add(&mut self, cosine: f64) {
        let held = self.count.min(NEAREST);
        self.count += 1;
        let Some(at) =
            self.nearest[..held].iter().position(|seen| cosine > *seen).or((held < NEAREST).then_some(held))
        else {
            return;
        };
        self.nearest[at..].rotate_right(1);
        self.nearest[at] = cosine;
    }

    fn cosine(&self) -> f64 {
        self.nearest[0]
    }

    fn mean(&self) -> f64 {
        let held = self.count.clamp(1, NEAREST);
        self.nearest[..held].iter().sum::<f64>() / held as f64
    }
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum()
}

pub(super) fn floats(bytes: &[u8]) -> Embedding {
    bytes.as_chunks::<4>().0.iter().map(|part| f32::from_le_bytes(*part)).collect()
}

/// 32-bit floats, little endian.
fn bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|part| part.to_le_bytes()).collect()
}
