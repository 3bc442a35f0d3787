use super::{InMemoryStore, State};
use mem_core::{
    Change, Error, Kind, Link, LinkKind, Memory, MemoryFilter, MemoryId, MemoryStore, Result, Revision,
    Scope, Status, Timestamp,
};
use std::{cmp::Reverse, collections::BTreeMap};

impl MemoryStore for InMemoryStore {
    fn put(&self, memories: &[Memory]) -> Result<Revision> {
        strict(memories.iter().map(|memory| &memory.id))?;
        self.change(|state| {
            for memory in memories {
                write(state, memory.clone())?;
            }
            Ok(state.revision)
        })
    }

    fn get(&self, ids: &[MemoryId]) -> Result<Vec<Option<Memory>>> {
        let state = self.state();
        Ok(ids.iter().map(|id| state.memories.get(id).map(|(_, memory)| memory.clone())).collect())
    }

    fn resolve(&self, prefix: &str) -> Result<MemoryId> {
        let state = self.state();
        pick(state.memories.keys(), |id| id.as_str(), prefix, "memory", "memories").cloned()
    }

    fn put_unless_same(&self, memory: &Memory) -> Result<Option<Memory>> {
        // One thread at a time changes this store: between the two calls nothing comes.
        let known = self.find_same(memory)?;
        if known.is_none() {
            self.put(std::slice::from_ref(memory))?;
        }
        Ok(known)
    }

    fn neighbours(&self, ids: &[MemoryId]) -> Result<Vec<Vec<MemoryId>>> {
        let state = self.state();
        let beside = |id: &MemoryId| {
            let Some((_, memory)) = state.memories.get(id) else { return Vec::new() };
            let Some(ordinal) = memory.provenance.ordinal else { return Vec::new() };
            let mut found: Vec<_> = state
                .memories
                .values()
                .map(|(_, other)| other)
                .filter(|other| other.provenance.session == memory.provenance.session)
                .filter(|other| other.provenance.session.is_some() && other.project == memory.project)
                .filter_map(|other| Some((other.provenance.ordinal?, other.id.clone())))
                .filter(|(place, _)| place.abs_diff(ordinal) == 1)
                .collect();
            found.sort();
            found.into_iter().map(|(_, id)| id).collect()
        };
        Ok(ids.iter().map(beside).collect())
    }

    fn find_same(&self, memory: &Memory) -> Result<Option<Memory>> {
        let state = self.state();
        let content = content(memory);
        let same = state.memories.values().map(|(_, other)| other);
        let same = same.filter(|other| other.project == memory.project && self::content(other) == content);
        let best = same
            .min_by_key(|other| (other.status != Status::Active, Reverse(other.updated), other.id.clone()));
        Ok(best.cloned())
    }

    fn list(&self, filter: &MemoryFilter, limit: usize) -> Result<Vec<Memory>> {
        let state = self.state();
        let passing =
            state.memories.values().map(|(_, memory)| memory).filter(|memory| filter.admits(memory));
        let mut all: Vec<_> = passing.cloned().collect();
        all.sort_by(|a, b| b.updated.cmp(&a.updated).then_with(|| a.id.cmp(&b.id)));
        all.truncate(limit);
        Ok(all)
    }

    fn most_important(&self, filter: &MemoryFilter, limit: usize) -> Result<Vec<Memory>> {
        let mut all = self.list(filter, usize::MAX)?;
        // Stable: among equals the order of `list` stays, the last updated first, ties by id.
        all.sort_by(|a, b| {
            let key = |memory: &Memory| (memory.importance.get(), memory.confidence.get());
            let ((ai, ac), (bi, bc)) = (key(a), key(b));
            b.pinned.cmp(&a.pinned).then(bi.total_cmp(&ai)).then(bc.total_cmp(&ac))
        });
        all.truncate(limit);
        Ok(all)
    }

    fn supersede(&self, old: &MemoryId, new: &Memory, now: Timestamp) -> Result<Revision> {
        if *old == new.id {
            return Err(Error::invalid("another memory than the one it replaces", new.id.as_str()));
        }
        self.change(|state| {
            let (_, mut replaced) = state.memories.get(old).cloned().ok_or_else(|| not_found(old))?;
            replaced.status = Status::Superseded;
            replaced.updated = now;
            link(&mut replaced, LinkKind::SupersededBy, &new.id);
            write(state, replaced)?;
            let mut new = new.clone();
            link(&mut new, LinkKind::Supersedes, old);
            write(state, new)?;
            Ok(state.revision)
        })
    }

    fn remove(&self, id: &MemoryId, hard: bool, _now: Timestamp) -> Result<Revision> {
        self.change(|state| {
            let live = state.memories.remove(id).map(|(_, memory)| memory);
            let trashed = if hard { state.trash.remove(id) } else { None };
            if live.is_none() && trashed.is_none() {
                return Err(not_found(id));
            }
            for memory in live.iter().chain(&trashed) {
                state.forgotten.insert((content(memory), memory.project.clone()));
            }
            if let Some(memory) = live {
                state.vectors.retain(|(_, of), _| of != id);
                let revision = state.next_revision();
                state.tombstones.insert(id.clone(), revision);
                if !hard {
                    state.trash.insert(id.clone(), memory);
                }
            }
            Ok(state.revision)
        })
    }

    fn was_forgotten(&self, memory: &Memory) -> Result<bool> {
        Ok(self.state().forgotten.contains(&(content(memory), memory.project.clone())))
    }

    fn touch(&self, ids: &[MemoryId], now: Timestamp) -> Result<()> {
        strict(ids.iter())?;
        let mut state = self.state();
        for id in ids {
            if let Some((_, memory)) = state.memories.get_mut(id) {
                memory.last_access = Some(now);
                memory.access_count = memory.access_count.saturating_add(1);
            }
        }
        Ok(())
    }

    fn revision(&self) -> Result<Revision> {
        Ok(self.state().revision)
    }

    fn changes_since(&self, revision: Revision, limit: usize) -> Result<Vec<Change>> {
        let state = self.state();
        let present =
            state.memories.iter().map(|(id, (revision, memory))| (*revision, id, Some(memory.clone())));
        let removed = state.tombstones.iter().map(|(id, revision)| (*revision, id, None));
        let mut changes: Vec<_> = present
            .chain(removed)
            .filter(|(at, ..)| *at > revision)
            .map(|(revision, id, memory)| Change { revision, id: id.clone(), memory })
            .collect();
        changes.sort_by_key(|change| change.revision);
        changes.truncate(limit);
        Ok(changes)
    }

    fn counts(&self) -> Result<Vec<(Kind, Status, u64)>> {
        let mut counts = BTreeMap::new();
        for (_, memory) in self.state().memories.values() {
            *counts.entry((memory.kind, memory.status)).or_insert(0) += 1;
        }
        Ok(counts.into_iter().map(|((kind, status), count)| (kind, status, count)).collect())
    }
}

fn write(state: &mut State, memory: Memory) -> Result<()> {
    if (memory.scope == Scope::Global) != memory.project.is_none() || !memory.feedback.is_finite() {
        return Err(Error::invalid("a memory that does not contradict itself", memory.id.as_str()));
    }
    let revision = state.next_revision();
    state.tombstones.remove(&memory.id);
    state.memories.insert(memory.id.clone(), (revision, memory));
    Ok(())
}

fn link(from: &mut Memory, kind: LinkKind, to: &MemoryId) {
    let link = Link { kind, to: to.clone() };
    if !from.links.contains(&link) {
        from.links.push(link);
    }
}

fn not_found(id: &MemoryId) -> Error {
    Error::NotFound { what: "memory", id: id.to_string() }
}

/// Refuses an id that comes twice in one call.
fn strict<'a>(ids: impl Iterator<Item = &'a MemoryId>) -> Result<()> {
    let mut seen = std::collections::BTreeSet::new();
    for id in ids {
        if !seen.insert(id) {
            return Err(Error::invalid("every id once in a call", id.as_str()));
        }
    }
    Ok(())
}

/// The one that is `prefix`, else the one that begins with it.
pub(super) fn pick<'a, T>(
    all: impl Iterator<Item = &'a T> + Clone,
    id: impl Fn(&T) -> &str,
    prefix: &str,
    what: &'static str,
    plural: &'static str,
) -> Result<&'a T> {
    if let Some(exact) = all.clone().find(|item| id(item) == prefix) {
        return Ok(exact);
    }
    let mut fitting = all.filter(|item| !prefix.is_empty() && id(item).starts_with(prefix));
    match (fitting.next(), fitting.count()) {
        (None, _) => Err(Error::NotFound { what, id: prefix.to_owned() }),
        (Some(only), 0) => Ok(only),
        (Some(_), more) => Err(Error::Ambiguous { what: plural, id: prefix.to_owned(), count: more + 1 }),
    }
}

/// What a memory states, in one spelling.
fn content(memory: &Memory) -> String {
    let narrow = memory.body.chars().map(|c| match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        c => c,
    });
    let lower = narrow.collect::<String>().to_lowercase();
    let joined = lower.split_whitespace().collect::<Vec<_>>().join(" ");
    let bare = joined.trim_end_matches([' ', '.', '。', '!']);
    if bare.is_empty() { joined } else { bare.to_owned() }
}
