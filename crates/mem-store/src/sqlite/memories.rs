use super::{SqliteStore, Work, nanos, prefix_end, row, sql_limit};
use crate::{Error, Result, normal};
use mem_core::{
    Change, Kind, Link, LinkKind, Memory, MemoryFilter, MemoryId, MemoryStore, ProjectId, Revision, Status,
    Timestamp,
};
use rusqlite::{params, types::Value};

impl MemoryStore for SqliteStore {
    /// Of an id that comes twice in one call the last one stays.
    fn put(&self, memories: &[Memory]) -> mem_core::Result<Revision> {
        if memories.is_empty() {
            return self.revision();
        }
        let written = self.write("write to", |work| {
            let mut latest = Revision::ZERO;
            for memory in memories {
                latest = row::write(work, memory)?;
            }
            Ok(latest)
        });
        Ok(written?)
    }

    fn get(&self, ids: &[MemoryId]) -> mem_core::Result<Vec<Option<Memory>>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        Ok(self.read("read", |work| ids.iter().map(|id| row::by_id(work, id.as_str())).collect())?)
    }

    fn resolve(&self, prefix: &str) -> mem_core::Result<MemoryId> {
        Ok(self.read("read", |work| {
            let id = resolve(work, "memories", "memory", "memories", prefix)?;
            MemoryId::new(id.as_str()).map_err(|source| Error::row("memory", &id, source))
        })?)
    }

    fn put_unless_same(&self, memory: &Memory) -> mem_core::Result<Option<Memory>> {
        Ok(self.write("write to", |work| {
            let known = same(work, memory)?;
            if known.is_none() {
                row::write(work, memory)?;
            }
            Ok(known)
        })?)
    }

    fn find_same(&self, memory: &Memory) -> mem_core::Result<Option<Memory>> {
        Ok(self.read("read", |work| same(work, memory))?)
    }

    fn list(&self, filter: &MemoryFilter, limit: usize) -> mem_core::Result<Vec<Memory>> {
        Ok(self.listed(filter, limit, "m.updated DESC, m.id")?)
    }

    fn most_important(&self, filter: &MemoryFilter, limit: usize) -> mem_core::Result<Vec<Memory>> {
        Ok(self.listed(
            filter,
            limit,
            "m.pinned DESC, m.importance DESC, m.confidence DESC, m.updated DESC, m.id",
        )?)
    }

    /// The old memory counts as updated at `now`.
    fn supersede(&self, old: &MemoryId, new: &Memory, now: Timestamp) -> mem_core::Result<Revision> {
        Ok(self.write("write to", |work| supersede(work, old, new, now))?)
    }

    /// `hard` also takes what is in the trash. Copies made by [`SqliteStore::backup_to`], and those from before a
    /// migration, keep what they hold.
    fn remove(&self, id: &MemoryId, hard: bool, now: Timestamp) -> mem_core::Result<Revision> {
        Ok(if hard { self.remove_hard(id, now) } else { self.remove_soft(id, now) }?)
    }

    fn neighbours(&self, ids: &[MemoryId]) -> mem_core::Result<Vec<Vec<MemoryId>>> {
        Ok(self.read("read", |work| {
            let any = "SELECT 1 FROM memories WHERE details ->> '$.provenance.ordinal' IS NOT NULL LIMIT 1";
            if work.first(any, [], |_| Ok(()))?.is_none() {
                return Ok(vec![Vec::new(); ids.len()]);
            }
            ids.iter().map(|id| neighbours(work, id)).collect()
        })?)
    }

    fn was_forgotten(&self, memory: &Memory) -> mem_core::Result<bool> {
        Ok(self.read("read", |work| {
            let project = memory.project.as_ref().map_or("", ProjectId::as_str);
            let sql = "SELECT 1 FROM forgotten WHERE content_hash = ?1 AND project = ?2";
            Ok(work.first(sql, params![normal::content_hash(memory), project], |_| Ok(()))?.is_some())
        })?)
    }

    fn touch(&self, ids: &[MemoryId], now: Timestamp) -> mem_core::Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        Ok(self.write("write to", |work| {
            let now = nanos(now)?;
            for id in ids {
                work.run(
                    "UPDATE memories SET last_access = ?2, access_count = min(access_count + 1, 4294967295)
                     WHERE id = ?1",
                    params![id.as_str(), now],
                )?;
            }
            Ok(())
        })?)
    }

    fn revision(&self) -> mem_core::Result<Revision> {
        Ok(self.read("read", row::revision)?)
    }

    fn changes_since(&self, revision: Revision, limit: usize) -> mem_core::Result<Vec<Change>> {
        Ok(self.read("read", |work| changes(work, revision, limit))?)
    }

    fn counts(&self) -> mem_core::Result<Vec<(Kind, Status, u64)>> {
        let rows = self.read("read", |work| {
            let rows = work.rows("SELECT kind, status, count(*) FROM memories GROUP BY 1, 2", [], |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, i64>(2)?))
            })?;
            rows.into_iter()
                .map(|(kind, status, count)| {
                    let bad = |source| Error::row("memory", "of an unknown kind or status", source);
                    Ok((kind.parse().map_err(bad)?, status.parse().map_err(bad)?, count.unsigned_abs()))
                })
                .collect::<Result<Vec<(Kind, Status, u64)>>>()
        });
        let mut rows = rows?;
        rows.sort_unstable();
        Ok(rows)
    }
}

/// The id in `table` that is `prefix`, else the one that begins with it.
pub(super) fn resolve(
    work: &Work<'_>,
    table: &str,
    what: &'static str,
    plural: &'static str,
    prefix: &str,
) -> Result<String> {
    let missing = || mem_core::Error::NotFound { what, id: prefix.chars().take(80).collect() };
    if prefix.is_empty() {
        return Err(missing().into());
    }
    let range = [prefix, &prefix_end(prefix)];
    let sql = format!("SELECT id FROM {table} WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT 2");
    let mut found: Vec<String> = work.rows(&sql, range, |row| row.get(0))?;
    // In this order an exact match comes first.
    if found.len() < 2 || found.first().is_some_and(|id| id == prefix) {
        found.truncate(1);
        return found.pop().ok_or_else(|| missing().into());
    }
    let sql = format!("SELECT count(*) FROM {table} WHERE id BETWEEN ?1 AND ?2");
    let count: i64 = work.first(&sql, range, |row| row.get(0))?.unwrap_or_default();
    let count = usize::try_from(count).unwrap_or_default();
    Err(mem_core::Error::Ambiguous { what: plural, id: prefix.chars().take(80).collect(), count }.into())
}

fn supersede(work: &Work<'_>, old: &MemoryId, new: &Memory, now: Timestamp) -> Result<Revision> {
    if *old == new.id {
        let got = new.id.to_string();
        return Err(mem_core::Error::invalid("another memory than the one it replaces", got).into());
    }
    let Some(mut replaced) = row::by_id(work, old.as_str())? else {
        return Err(mem_core::Error::NotFound { what: "memory", id: old.to_string() }.into());
    };
    replaced.status = Status::Superseded;
    replaced.updated = now;
    link(&mut replaced, LinkKind::SupersededBy, &new.id);
    row::write(work, &replaced)?;
    let mut new = new.clone();
    link(&mut new, LinkKind::Supersedes, old);
    row::write(work, &new)
}

fn link(from: &mut Memory, kind: LinkKind, to: &MemoryId) {
    let link = Link { kind, to: to.clone() };
    if !from.links.contains(&link) {
        from.links.push(link);
    }
}

fn changes(work: &Work<'_>, revision: Revision, limit: usize) -> Result<Vec<Change>> {
    let after = i64::try_from(revision.0).unwrap_or(i64::MAX);
    let range = params![after, sql_limit(limit)];
    let number = |value: i64| Revision(value.unsigned_abs());
    let sql = format!(
        "SELECT {}, m.revision FROM memories m WHERE m.revision > ?1 ORDER BY m.revision LIMIT ?2",
        row::COLUMNS
    );
    let present = work.rows(&sql, range, |row| Ok((row.get::<_, i64>("revision")?, row::memory(row))))?;
    let removed = work.rows(
        "SELECT revision, memory_id FROM tombstones WHERE revision > ?1 ORDER BY revision LIMIT ?2",
        range,
        |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)),
    )?;
    let mut changes = Vec::with_capacity(present.len() + removed.len());
    for (revision, memory) in present {
        let memory = memory?;
        changes.push(Change { revision: number(revision), id: memory.id.clone(), memory: Some(memory) });
    }
    for (revision, id) in removed {
        let id = MemoryId::new(id.as_str()).map_err(|source| Error::row("tombstone", &id, source))?;
        changes.push(Change { revision: number(revision), id, memory: None });
    }
    changes.sort_by_key(|change| change.revision);
    changes.truncate(limit);
    Ok(changes)
}

/// The memory of the same project with the same normalised body, an active one first.
fn same(work: &Work<'_>, memory: &Memory) -> Result<Option<Memory>> {
    let sql = format!(
        "SELECT {} FROM memories m WHERE m.content_hash = ?1 AND m.project IS ?2
         ORDER BY m.status <> 'active', m.updated DESC, m.id LIMIT 1",
        row::COLUMNS
    );
    let project = memory.project.as_ref().map(ProjectId::as_str);
    Ok(row::memories(work, &sql, params![normal::content_hash(memory), project])?.pop())
}

impl SqliteStore {
    fn listed(&self, filter: &MemoryFilter, limit: usize, order: &str) -> Result<Vec<Memory>> {
        let mut condition = row::condition(filter);
        let sql = format!(
            "SELECT {} FROM memories m WHERE TRUE{} ORDER BY {order} LIMIT ?",
            row::COLUMNS,
            condition.sql
        );
        condition.values.push(Value::Integer(sql_limit(limit)));
        self.read("read", |work| row::memories(work, &sql, rusqlite::params_from_iter(condition.values)))
    }
}

/// The terms are those of the indexes, word for word: only these are read.
fn neighbours(work: &Work<'_>, id: &MemoryId) -> Result<Vec<MemoryId>> {
    let place = work.first(
        "SELECT details ->> '$.provenance.session', details ->> '$.provenance.ordinal', project
         FROM memories INDEXED BY turns_by_memory
         WHERE id = ?1 AND details ->> '$.provenance.ordinal' IS NOT NULL",
        [id.as_str()],
        |row| Ok((row.get::<_, Option<String>>(0)?, row.get::<_, i64>(1)?, row.get::<_, Option<String>>(2)?)),
    )?;
    let Some((Some(session), ordinal, project)) = place else { return Ok(Vec::new()) };
    let ids: Vec<String> = work.rows(
        "SELECT id FROM memories INDEXED BY memories_by_turn
         WHERE details ->> '$.provenance.ordinal' IS NOT NULL
             AND details ->> '$.provenance.session' = ?1
             AND details ->> '$.provenance.ordinal' IN (?2, ?3)
             AND project IS ?4
         ORDER BY details ->> '$.provenance.ordinal', id",
        params![session, ordinal - 1, ordinal + 1, project],
        |row| row.get(0),
    )?;
    ids.into_iter()
        .map(|id| MemoryId::new(id.as_str()).map_err(|source| Error::row("memory", &id, source)))
        .collect()
}
