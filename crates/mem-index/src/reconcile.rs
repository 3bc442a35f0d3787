//! Bringing the views up to the store.

use crate::{chunk::chunks, language::detect, passage::CutConfig};
use mem_core::{
    Embedder, ErrorKind, Language, Memory, MemoryId, MemoryStore, ModelIdentity, Result, Revision, TextIndex,
    TextRole, VectorEntry, VectorIndex,
};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// How much may be done in one go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Budget {
    /// At most so many changes are indexed.
    pub changes: usize,
    /// So many of them are one commit.
    pub changes_batch: usize,
    /// At most so many memories are embedded.
    pub embeddings: usize,
    /// So many of them are one call of the model.
    pub embeddings_batch: usize,
    /// How long memories become several texts to embed.
    pub cut: CutConfig,
}

impl Default for Budget {
    /// Everything there is to do.
    fn default() -> Self {
        Self {
            changes: usize::MAX,
            changes_batch: 5_000,
            embeddings: usize::MAX,
            embeddings_batch: 32,
            cut: CutConfig::default(),
        }
    }
}

/// What [`catch_up`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CaughtUp {
    /// The revision the view has now.
    pub revision: Revision,
    /// How many changes were applied.
    pub applied: usize,
    /// The view was damaged, or from another history, and was built anew.
    pub rebuilt: bool,
    /// The view holds all the store held when it was asked; otherwise the budget ran out.
    pub complete: bool,
}

/// Brings the lexical view up to the store's revision, in commits that can be interrupted between any two.
///
/// A view that is damaged, or ahead of the store (the store was restored from a backup), is cleared and built anew.
/// When another process clears it meanwhile, it is taken up from there.
///
/// # Errors
/// Of the store; [`ErrorKind::Unavailable`] when the view cannot be written now. What was committed stays.
pub fn catch_up(store: &dyn MemoryStore, text: &dyn TextIndex, budget: &Budget) -> Result<CaughtUp> {
    let mut done = CaughtUp::default();
    let mut conflicts = 0;
    loop {
        match advance(store, text, budget, &mut done) {
            Ok(()) => return Ok(done),
            // One rebuild mends a damaged view; a second fault is not the view's.
            Err(error) if error.kind() == ErrorKind::Corrupt && !done.rebuilt => {
                text.clear()?;
                done.rebuilt = true;
            }
            Err(error) if error.kind() == ErrorKind::Conflict && conflicts < 3 => conflicts += 1,
            Err(error) => return Err(error),
        }
    }
}

fn advance(
    store: &dyn MemoryStore,
    text: &dyn TextIndex,
    budget: &Budget,
    done: &mut CaughtUp,
) -> Result<()> {
    loop {
        let target = store.revision()?;
        let mut at = text.revision()?;
        if at > target {
            text.clear()?;
            done.rebuilt = true;
            at = text.revision()?;
        }
        done.revision = at;
        done.complete = at == target;
        let room = budget.changes_batch.max(1).min(budget.changes.saturating_sub(done.applied));
        if done.complete || room == 0 {
            return Ok(());
        }
        // The revision was read before the changes: what they are short of was made later and comes next time.
        let changes = store.changes_since(at, room)?;
        let last = changes.last().map_or(at, |change| change.revision);
        let upto = if changes.len() < room { target.max(last) } else { last };
        if upto <= at {
            return Ok(());
        }
        text.apply(&changes, upto)?;
        done.applied += changes.len();
    }
}

/// What [`embed_missing`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Embedded {
    /// How many memories got vectors.
    pub memories: usize,
    /// How many vectors that were.
    pub vectors: usize,
    /// Nothing is missing any more; otherwise the budget ran out.
    pub complete: bool,
}

/// Embeds the memories that have no vector of the embedder's model for their present content.
///
/// What a process that died had embedded is not embedded again.
///
/// # Errors
/// Of the store, the model and the view. What was stored stays.
pub fn embed_missing(
    store: &dyn MemoryStore,
    vectors: &dyn VectorIndex,
    embedder: &dyn Embedder,
    budget: &Budget,
) -> Result<Embedded> {
    embed_missing_while(store, vectors, embedder, budget, &mut |_| ControlFlow::Continue(()))
}

/// As [`embed_missing`], telling after each call of the model what was done so far, and stopping when told to.
///
/// # Errors
/// As [`embed_missing`].
pub fn embed_missing_while(
    store: &dyn MemoryStore,
    vectors: &dyn VectorIndex,
    embedder: &dyn Embedder,
    budget: &Budget,
    go_on: &mut dyn FnMut(&Embedded) -> ControlFlow<()>,
) -> Result<Embedded> {
    let model = embedder.identity();
    let mut done = Embedded::default();
    let mut last: Vec<MemoryId> = Vec::new();
    let mut stopped = false;
    loop {
        let room = budget.embeddings_batch.max(1).min(budget.embeddings.saturating_sub(done.memories));
        let missing = vectors.missing(model, room.max(1))?;
        done.complete = missing.is_empty();
        // The same ones again: they changed under our hands, or the view cannot keep them. Next time.
        if done.complete || room == 0 || stopped || missing == last {
            if done.vectors > 0 {
                vectors.measure(model)?;
            }
            return Ok(done);
        }
        let memories: Vec<Memory> = store.get(&missing)?.into_iter().flatten().collect();
        let texts: Vec<Vec<String>> = memories.iter().map(|memory| chunks(memory, &budget.cut)).collect();
        let flat: Vec<&str> = texts.iter().flatten().map(String::as_str).collect();
        let mut embedded = embedder.embed(&flat, TextRole::Passage)?.into_iter();
        let mut entries = Vec::with_capacity(memories.len());
        for (memory, texts) in memories.iter().zip(&texts) {
            let mut entry = VectorEntry::new(memory, embedded.by_ref().take(texts.len()).collect());
            if entry.language == Language::default() {
                entry.language = detect(&memory.body);
            }
            entries.push(entry);
        }
        put(vectors, model, &entries, &mut done)?;
        stopped = go_on(&done).is_break();
        last = missing;
    }
}

/// All at once, which is one transaction; when one of the memories is gone, each by itself.
fn put(
    vectors: &dyn VectorIndex,
    model: &ModelIdentity,
    entries: &[VectorEntry],
    done: &mut Embedded,
) -> Result<()> {
    match vectors.put(model, entries) {
        Ok(()) => {
            done.memories += entries.len();
            done.vectors += entries.iter().map(|entry| entry.vectors.len()).sum::<usize>();
            Ok(())
        }
        // Removed since it was read.
        Err(error) if error.kind() == ErrorKind::NotFound => match entries {
            [_] => Ok(()),
            _ => entries.iter().try_for_each(|entry| put(vectors, model, std::slice::from_ref(entry), done)),
        },
        Err(error) => Err(error),
    }
}
