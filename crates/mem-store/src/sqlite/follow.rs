//! What changed among the vectors, for views that keep them in memory.

use super::{SqliteStore, Work, timestamp, vectors::floats};
use crate::{Error, Result};
use mem_core::{
    Facts, Generation, Language, MemoryId, ModelIdentity, ProjectId, Revision, VectorChange, VectorRow,
    VectorSource,
};
use rusqlite::{Row, params};

/// What [`read`] reads, by position; the vector may be absent.
const COLUMNS: &str = "m.id, m.kind, m.status, m.scope, m.project, m.created, v.language, v.embedding";

impl VectorSource for SqliteStore {
    fn generation(&self) -> mem_core::Result<Generation> {
        Ok(self.read("read", generation)?)
    }

    fn vectors_since(
        &self,
        model: &ModelIdentity,
        since: Generation,
        start: &mut dyn FnMut(bool),
        take: &mut dyn FnMut(VectorChange) -> mem_core::Result<()>,
    ) -> mem_core::Result<Generation> {
        Ok(self.read("read", |work| {
            let now = generation(work)?;
            // A copy of the database from before may have taken its place.
            let behind = now.memories < since.memories || now.vectors < since.vectors;
            let anew = since == Generation::ZERO || since.dropped != now.dropped || behind;
            start(anew);
            let key = model.key();
            let mut groups = Groups { take, last: None, failed: None };
            if anew {
                // One put writes the chunks of a memory one after the other.
                let sql = format!(
                    "SELECT {COLUMNS} FROM vectors v CROSS JOIN memories m
                         ON m.seq = v.memory_seq AND m.text_hash = v.content_hash
                     WHERE v.model = ?1 ORDER BY v.rowid"
                );
                work.rows(&sql, [&key], |row| groups.add(row))?;
            } else {
                let sql = format!(
                    "SELECT {COLUMNS} FROM memories m LEFT JOIN vectors v
                         ON v.memory_seq = m.seq AND v.model = ?1 AND v.content_hash = m.text_hash
                     WHERE m.seq IN (
                         SELECT seq FROM memories WHERE revision > ?2
                         UNION SELECT memory_seq FROM vectors WHERE change > ?3)
                     ORDER BY m.seq, v.chunk"
                );
                let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
                let (memories, vectors) = (number(since.memories.0), number(since.vectors));
                work.rows(&sql, params![key, memories, vectors], |row| groups.add(row))?;
                let gone = "SELECT memory_id FROM tombstones WHERE revision > ?1";
                let gone: Vec<String> = work.rows(gone, [memories], |row| row.get(0))?;
                groups.end();
                for id in gone {
                    let gone = MemoryId::new(id.as_str());
                    let gone = gone.map_err(|source| Error::row("tombstone", &id, source))?;
                    groups.give(VectorChange::Absent(gone));
                }
            }
            groups.end();
            groups.failed.map_or(Ok(now), Err)
        })?)
    }
}

/// Counts one more of what a counter counts.
pub(super) fn count(work: &Work<'_>, name: &'static str) -> Result<i64> {
    let sql = "UPDATE counter SET value = value + 1 WHERE name = ?1 RETURNING value";
    let value = work.first(sql, [name], |row| row.get::<_, i64>(0))?;
    value.ok_or_else(|| missing(work))
}

fn generation(work: &Work<'_>) -> Result<Generation> {
    let sql = "SELECT (SELECT value FROM counter WHERE name = 'revision'),
        (SELECT value FROM counter WHERE name = 'vectors'), (SELECT value FROM counter WHERE name = 'dropped')";
    let numbers = work.first(sql, [], |row| {
        let number = |at: usize| row.get::<_, Option<i64>>(at);
        Ok((number(0)?, number(1)?, number(2)?))
    })?;
    match numbers {
        Some((Some(memories), Some(vectors), Some(dropped))) => {
            let memories = Revision(memories.unsigned_abs());
            Ok(Generation { memories, vectors: vectors.unsigned_abs(), dropped: dropped.unsigned_abs() })
        }
        _ => Err(missing(work)),
    }
}

fn missing(work: &Work<'_>) -> Error {
    Error::Damaged { path: work.path.to_owned(), finding: "one of its counters is missing".to_owned() }
}

/// Puts the chunks of each memory together.
struct Groups<'a> {
    take: &'a mut dyn FnMut(VectorChange) -> mem_core::Result<()>,
    /// Not yet handed over: more chunks may come.
    last: Option<VectorChange>,
    /// The first failure; nothing is handed over after it.
    failed: Option<Error>,
}

impl Groups<'_> {
    fn add(&mut self, row: &Row<'_>) -> rusqlite::Result<()> {
        if self.failed.is_some() {
            return Ok(());
        }
        let id = row.get_ref(0)?.as_str()?;
        if let Some(VectorChange::Present(last)) = &mut self.last
            && last.id.as_str() == id
        {
            last.vectors.push(floats(row.get_ref(7)?.as_blob()?));
            return Ok(());
        }
        self.end();
        match read(row, id) {
            Ok(change) => self.last = Some(change),
            Err(source) => {
                self.failed.get_or_insert(Error::Row { what: "memory", id: id.to_owned(), source });
            }
        }
        Ok(())
    }

    fn end(&mut self) {
        if let Some(last) = self.last.take() {
            self.give(last);
        }
    }

    fn give(&mut self, change: VectorChange) {
        if self.failed.is_none() {
            self.failed = (self.take)(change).err().map(Error::from);
        }
    }
}

fn read(row: &Row<'_>, id: &str) -> Result<VectorChange, Box<dyn std::error::Error + Send + Sync>> {
    let word = |at: usize| row.get_ref(at)?.as_str().map_err(rusqlite::Error::from);
    let id = MemoryId::new(id)?;
    let Some(vector) = row.get_ref(7)?.as_blob_or_null()? else { return Ok(VectorChange::Absent(id)) };
    let facts = Facts {
        kind: word(1)?.parse()?,
        status: word(2)?.parse()?,
        scope: word(3)?.parse()?,
        project: row.get::<_, Option<String>>(4)?.map(ProjectId::new).transpose()?,
        created: timestamp(row.get(5)?),
    };
    let language = Language::new(word(6)?);
    Ok(VectorChange::Present(VectorRow { id, facts, language, vectors: vec![floats(vector)] }))
}
