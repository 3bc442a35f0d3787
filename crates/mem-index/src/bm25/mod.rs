//! [`TantivyIndex`]: the lexical view on disk.
//!
//! - A reader opens the latest commit when it first needs it and again when the commit's file has changed. It takes
//!   no lock, starts no thread and writes nothing; a read-only directory is searched like any other.
//! - What a search needs of a commit and a filter (who passes, lengths, which trigrams are common) is kept with the
//!   opened commit for the next searches; ids and words are read into memory once a process searches often.
//! - A writer lives for one [`TextIndex::apply`]: one thread, the smallest budget, released at the end. Writers of
//!   all processes take turns by a lock file; who waits for too long gets [`mem_core::ErrorKind::Unavailable`].
//! - The applied revision and the stamp of schema and tokenizer are the commit's payload: both become visible with
//!   the documents, in one rename. A view of another stamp counts as empty and is replaced by the next write.
//! - A process that dies leaves the last commit; its unfinished files are collected by a later writer. Writes do not
//!   wait for the disk: the view can be rebuilt, and what a power failure damages is told as corrupt.
//! - After a removal the segments that held the text are rewritten, so that nothing of it stays in the files.

mod directory;
mod reader;
mod schema;
mod search;
mod seen;
mod texts;
mod writer;

use crate::{IndexError, LexicalConfig};
use mem_core::{Change, MemoryFilter, Result, Revision, TextHits, TextIndex};
use reader::Snapshot;
use schema::Fields;
use serde::{Deserialize, Serialize};
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// How a [`TantivyIndex`] works.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TantivyConfig {
    /// How words are weighed.
    pub lexical: LexicalConfig,
    /// How long to wait for another process that writes, in milliseconds.
    pub lock_wait_ms: u64,
    /// With more segments than that a write merges the small ones.
    pub max_segments: usize,
}

impl Default for TantivyConfig {
    fn default() -> Self {
        Self { lexical: LexicalConfig::default(), lock_wait_ms: 3_000, max_segments: 6 }
    }
}

/// BM25F over a directory of Tantivy segments.
///
/// ```
/// use mem_core::{Change, Kind, Memory, MemoryFilter, Revision, TextIndex, Timestamp};
/// use mem_index::{TantivyConfig, TantivyIndex};
///
/// let folder = tempfile::tempdir()?;
/// let index = TantivyIndex::new(folder.path(), TantivyConfig::default());
/// let memory = Memory::new(Kind::Feedback, "改完代码不主动提交", Timestamp::UNIX_EPOCH);
/// let change = Change { revision: Revision(1), id: memory.id.clone(), memory: Some(memory.clone()) };
/// index.apply(&[change], Revision(1))?;
/// assert_eq!(index.search("提交", &MemoryFilter::default(), 5)?.hits[0].id, memory.id);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TantivyIndex {
    path: PathBuf,
    config: TantivyConfig,
    fields: Fields,
    snapshot: Mutex<Option<Arc<Snapshot>>>,
    /// The revision last told to a caller: what it applies next goes on from there.
    told: Mutex<Revision>,
    writing: Mutex<()>,
}

impl std::fmt::Debug for TantivyIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TantivyIndex").field("path", &self.path).finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl TantivyIndex {
    /// The view in `directory`. Touches nothing: the directory is made by the first write.
    pub fn new(directory: impl Into<PathBuf>, config: TantivyConfig) -> Self {
        Self {
            path: directory.into(),
            config,
            fields: Fields::new(),
            snapshot: Mutex::new(None),
            told: Mutex::new(Revision::ZERO),
            writing: Mutex::new(()),
        }
    }

    /// Where the view is.
    pub fn directory(&self) -> &Path {
        &self.path
    }

    /// Reads every file whole and compares checksums: what opening does not do.
    ///
    /// # Errors
    /// [`IndexError::Corrupt`] when a file is damaged, [`IndexError::Io`] when it cannot be read.
    pub fn verify(&self) -> Result<(), IndexError> {
        let snapshot = self.open()?;
        let Some(searcher) = &snapshot.searcher else { return Ok(()) };
        let damaged = reader::guarded(&self.path, || searcher.index().validate_checksum())?;
        if damaged.is_empty() {
            return Ok(());
        }
        let names: Vec<_> = damaged.iter().map(|path| path.display().to_string()).collect();
        Err(IndexError::Corrupt {
            path: self.path.clone(),
            source: format!("checksums differ: {}", names.join(", ")).into(),
        })
    }

    fn open(&self) -> Result<Arc<Snapshot>, IndexError> {
        let mut cached = lock(&self.snapshot);
        let snapshot = reader::open(&self.path, cached.as_ref())?;
        *cached = Some(Arc::clone(&snapshot));
        Ok(snapshot)
    }
}

impl TextIndex for TantivyIndex {
    fn revision(&self) -> Result<Revision> {
        let revision = self.open()?.revision;
        *lock(&self.told) = revision;
        Ok(revision)
    }

    fn apply(&self, changes: &[Change], upto: Revision) -> Result<()> {
        let _writing = lock(&self.writing);
        let from = *lock(&self.told);
        let now = writer::apply(&self.path, &self.config, &self.fields, changes, from, upto)?;
        *lock(&self.told) = now;
        Ok(())
    }

    fn search(&self, text: &str, filter: &MemoryFilter, k: usize) -> Result<TextHits> {
        let snapshot = self.open()?;
        let Some(searcher) = &snapshot.searcher else { return Ok(TextHits::default()) };
        let hits = reader::guarded(&self.path, || {
            search::search(searcher, &snapshot.kept, &self.fields, text, filter, k, &self.config.lexical)
        })?;
        Ok(hits)
    }

    fn clear(&self) -> Result<()> {
        let _writing = lock(&self.writing);
        *lock(&self.snapshot) = None;
        *lock(&self.told) = Revision::ZERO;
        writer::clear(&self.path, &self.config, &self.fields)?;
        Ok(())
    }

    fn len(&self) -> Result<u64> {
        Ok(self.open()?.searcher.as_ref().map_or(0, tantivy::Searcher::num_docs))
    }
}
