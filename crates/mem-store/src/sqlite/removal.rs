//! Removal, soft and for good, and the trash.

use super::{SqliteStore, Work, nanos, nanos_nearest, row, timestamp};
use crate::{Error, Result, normal};
use mem_core::{Memory, MemoryId, ProjectId, Revision, Timestamp, Unit};
use rusqlite::params;

const TRASH_COLUMNS: &str = "memory_id, deleted_at, confidence, importance, feedback, document";

impl SqliteStore {
    /// Brings back a memory that was removed, unless it was removed for good or purged; it is no longer forgotten.
    ///
    /// # Errors
    /// [`mem_core::Error::NotFound`] when the trash does not hold it; [`Error::Exists`].
    pub fn restore(&self, id: &MemoryId) -> Result<Revision> {
        self.write("write to", |work| {
            let sql = format!("SELECT {TRASH_COLUMNS} FROM trash WHERE memory_id = ?1");
            let Some(trashed) = work.first(&sql, [id.as_str()], |row| Ok(trashed(row)))? else {
                return Err(mem_core::Error::NotFound { what: "memory", id: id.to_string() }.into());
            };
            let (memory, _) = trashed?;
            if row::by_id(work, id.as_str())?.is_some() {
                return Err(Error::Exists { id: id.to_string() });
            }
            work.run("DELETE FROM trash WHERE memory_id = ?1", [id.as_str()])?;
            let project = memory.project.as_ref().map_or("", ProjectId::as_str);
            work.run(
                "DELETE FROM forgotten WHERE content_hash = ?1 AND project = ?2",
                params![normal::content_hash(&memory), project],
            )?;
            row::write(work, &memory)
        })
    }

    /// What can be restored, with the time of its removal, the last removed first, ties by id.
    ///
    /// # Errors
    /// Of the database.
    pub fn trash(&self) -> Result<Vec<(Memory, Timestamp)>> {
        let sql = format!("SELECT {TRASH_COLUMNS} FROM trash ORDER BY deleted_at DESC, memory_id");
        self.read("read", |work| work.rows(&sql, [], |row| Ok(trashed(row)))?.into_iter().collect())
    }

    /// Empties the trash of what was removed before an instant; answers how many. They stay forgotten.
    ///
    /// # Errors
    /// Of the database.
    pub fn purge_trash(&self, before: Timestamp) -> Result<u64> {
        self.write("write to", |work| {
            let purged = work.run("DELETE FROM trash WHERE deleted_at < ?1", [nanos_nearest(before)])?;
            Ok(purged as u64)
        })
    }

    pub(super) fn remove_soft(&self, id: &MemoryId, now: Timestamp) -> Result<Revision> {
        self.write("write to", |work| {
            let Some(memory) = row::by_id(work, id.as_str())? else {
                return Err(mem_core::Error::NotFound { what: "memory", id: id.to_string() }.into());
            };
            let document = serde_json::to_string(&memory).map_err(|source| Error::Json {
                what: "memory",
                id: id.to_string(),
                source,
            })?;
            let hash = normal::content_hash(&memory);
            work.run(
                "INSERT OR REPLACE INTO trash
                     (memory_id, deleted_at, project, content_hash, confidence, importance, feedback, document)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                params![
                    id.as_str(),
                    nanos(now)?,
                    memory.project.as_ref().map(ProjectId::as_str),
                    hash,
                    memory.confidence.get(),
                    memory.importance.get(),
                    memory.feedback,
                    document
                ],
            )?;
            work.run("DELETE FROM memories WHERE id = ?1", [id.as_str()])?;
            forget(work, &hash, memory.project.as_ref(), now)?;
            bury(work, id, false)
        })
    }

    /// Also takes what is in the trash, and goes on with a removal whose scrubbing was in the way of a reader.
    pub(super) fn remove_hard(&self, id: &MemoryId, now: Timestamp) -> Result<Revision> {
        self.set_secure_delete(true)?;
        let revision = self.write("write to", |work| {
            let live = work.first(
                "SELECT content_hash, project FROM memories WHERE id = ?1",
                [id.as_str()],
                hash_and_project,
            )?;
            let trashed = work.first(
                "SELECT content_hash, project FROM trash WHERE memory_id = ?1",
                [id.as_str()],
                hash_and_project,
            )?;
            let unscrubbed = work.first(
                "SELECT 1 FROM tombstones WHERE memory_id = ?1 AND scrub = 1",
                [id.as_str()],
                |_| Ok(()),
            )?;
            if live.is_none() && trashed.is_none() && unscrubbed.is_none() {
                return Err(mem_core::Error::NotFound { what: "memory", id: id.to_string() }.into());
            }
            for (hash, project) in live.iter().chain(&trashed) {
                let project = project.clone().map(ProjectId::new).transpose()?;
                forget(work, hash, project.as_ref(), now)?;
            }
            work.run("DELETE FROM trash WHERE memory_id = ?1", [id.as_str()])?;
            if work.run("DELETE FROM memories WHERE id = ?1", [id.as_str()])? > 0 {
                return bury(work, id, true);
            }
            // Readers of the change log saw the removal already: the revision stays.
            work.run("UPDATE tombstones SET scrub = 1 WHERE memory_id = ?1", [id.as_str()])?;
            row::revision(work)
        });
        let scrubbed = revision.and_then(|revision| self.scrub(id).map(|()| revision));
        self.set_secure_delete(false)?;
        scrubbed
    }

    /// Rewrites the database without its unused bytes, and the write-ahead log to nothing.
    ///
    /// `secure_delete` overwrites what is deleted now; earlier versions of an edited row may still lie in unused
    /// parts of pages, and `VACUUM` leaves those behind.
    fn scrub(&self, id: &MemoryId) -> Result<()> {
        let conn = self.conn();
        conn.execute_batch("VACUUM").map_err(Error::sqlite("rewrite", &self.path))?;
        let busy: bool = conn
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
            .map_err(Error::sqlite("checkpoint", &self.path))?;
        if busy {
            return Err(Error::Unscrubbed { id: id.to_string(), path: self.path.clone() });
        }
        conn.execute("UPDATE tombstones SET scrub = 0 WHERE memory_id = ?1", [id.as_str()])
            .map(drop)
            .map_err(Error::sqlite("write to", &self.path))
    }

    fn set_secure_delete(&self, on: bool) -> Result<()> {
        self.conn()
            .pragma_update_and_check(None, "secure_delete", on, |_| Ok(()))
            .map_err(Error::sqlite("set up", &self.path))
    }
}

fn hash_and_project(row: &rusqlite::Row<'_>) -> rusqlite::Result<(String, Option<String>)> {
    Ok((row.get(0)?, row.get(1)?))
}

/// Remembers that a person removed this text from this project.
fn forget(work: &Work<'_>, hash: &str, project: Option<&ProjectId>, now: Timestamp) -> Result<()> {
    let project = project.map_or("", ProjectId::as_str);
    let sql = "INSERT OR REPLACE INTO forgotten (content_hash, project, at) VALUES (?1, ?2, ?3)";
    work.run(sql, params![hash, project, nanos(now)?]).map(drop)
}

/// Enters a removal into the change log.
fn bury(work: &Work<'_>, id: &MemoryId, scrub: bool) -> Result<Revision> {
    let revision = row::next_revision(work)?;
    let sql = "INSERT OR REPLACE INTO tombstones (memory_id, revision, scrub) VALUES (?1, ?2, ?3)";
    work.run(sql, params![id.as_str(), revision.0 as i64, scrub])?;
    Ok(revision)
}

fn trashed(row: &rusqlite::Row<'_>) -> Result<(Memory, Timestamp)> {
    let id: String = row.get(0).map_err(|source| Error::row("trashed memory", "?", source))?;
    let read = || -> Result<_, Box<dyn std::error::Error + Send + Sync>> {
        let mut memory: Memory = serde_json::from_str(row.get_ref(5)?.as_str()?)?;
        memory.confidence = Unit::new(row.get(2)?)?;
        memory.importance = Unit::new(row.get(3)?)?;
        memory.feedback = row.get(4)?;
        Ok((memory, timestamp(row.get(1)?)))
    };
    read().map_err(|source| Error::Row { what: "trashed memory", id, source })
}
