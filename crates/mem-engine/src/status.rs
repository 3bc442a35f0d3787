//! Counts, sizes, freshness.

use crate::embed::COUNT_LIMIT;
use crate::{Engine, Result};
use mem_core::{InstinctFilter, ProjectFilter};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The state of a home.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EngineStatus {
    /// Memories by kind, then status.
    pub memories: BTreeMap<String, BTreeMap<String, u64>>,
    /// Observations.
    pub observations: ObservationCounts,
    /// Instincts by status.
    pub instincts: BTreeMap<String, u64>,
    /// What waits to be done.
    pub queue: Queue,
    /// Whether the views are up to date.
    pub index: IndexStatus,
    /// Bytes on disk.
    pub sizes: Sizes,
    /// The key of the embedder in use; `none` without one.
    pub model: String,
    /// More about it.
    pub embedding: ModelStatus,
    /// Projects known.
    pub projects: usize,
}

/// The model that turns texts into vectors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModelStatus {
    /// What was chosen: `embedder.model`.
    pub chosen: String,
    /// The folder it lies in.
    pub path: Option<std::path::PathBuf>,
    /// The key of the model that answers; none without one.
    pub key: Option<String>,
    /// The key of the model that answers in hooks.
    pub in_hooks: Option<String>,
    /// The library that runs it.
    pub runtime: Option<std::path::PathBuf>,
    /// Whether something was measured of it.
    pub calibrated: bool,
    /// Why what was chosen cannot be used.
    pub problem: Option<String>,
    /// Memories with its vectors, current or not.
    pub with_vectors: u64,
    /// Memories that lack them.
    pub without_vectors: u64,
}

/// How many observations there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ObservationCounts {
    /// In the live journal.
    pub live: u64,
    /// In the archive.
    pub archived: u64,
}

/// What waits for `mem work`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Queue {
    /// Everything below together.
    pub length: u64,
    /// Observations that were not learned from.
    pub unlearned: u64,
    /// Memories without a current vector.
    pub unembedded: u64,
    /// Changes the BM25 index has not seen.
    pub unindexed: u64,
}

/// How far the views are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IndexStatus {
    /// The store's revision.
    pub store_revision: u64,
    /// The BM25 index's revision; none when it cannot be read.
    pub bm25_revision: Option<u64>,
    /// Memories in the BM25 index.
    pub bm25_memories: Option<u64>,
    /// Memories with vectors of the model in use.
    pub vectors: u64,
    /// Whether nothing is behind.
    pub fresh: bool,
    /// Why the BM25 index cannot be read.
    pub error: Option<String>,
}

/// Bytes on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Sizes {
    /// The database with its write-ahead log.
    pub database: u64,
    /// The live journal and the archive.
    pub journal: u64,
    /// The BM25 index.
    pub index: u64,
    /// The Markdown mirror.
    pub mirror: u64,
}

impl Engine {
    /// Counts, sizes and freshness of everything below the home.
    ///
    /// # Errors
    /// When the store or the journal cannot be read; a broken index is told in [`IndexStatus::error`].
    pub fn status(&self) -> Result<EngineStatus> {
        let mut memories: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
        for (kind, status, count) in self.store().counts()? {
            *memories.entry(kind.to_string()).or_default().entry(status.to_string()).or_default() += count;
        }
        let mut instincts: BTreeMap<String, u64> = BTreeMap::new();
        let every = InstinctFilter { projects: ProjectFilter::All, ..Default::default() };
        for instinct in self.store().instincts(&every)? {
            let status = serde_json::to_value(instinct.status).ok();
            let status = status.as_ref().and_then(|s| s.as_str()).unwrap_or("unknown").to_owned();
            *instincts.entry(status).or_default() += 1;
        }
        let journal =
            mem_store::journal::Journal::new(self.layout().journal(), self.config().journal.clone());
        let counts = journal.counts().map_err(mem_core::Error::from)?;
        let learned = self.store().meta("learn.cursor")?.and_then(|text| text.parse().ok()).unwrap_or(0u64);
        let unlearned = self.observations_behind(mem_core::Cursor(learned))?;
        let revision = self.store().revision()?;
        let (bm25, error) = match self.text().revision().and_then(|r| Ok((r, self.text().len()?))) {
            Ok(found) => (Some(found), None),
            Err(error) => (None, Some(error.to_string())),
        };
        let embedding = self.model_status()?;
        let unembedded = embedding.without_vectors;
        let unindexed = match bm25 {
            Some((seen, _)) if seen <= revision => {
                self.store().changes_since(seen, COUNT_LIMIT)?.len() as u64
            }
            _ => self.store().changes_since(mem_core::Revision::ZERO, COUNT_LIMIT)?.len() as u64,
        };
        let layout = self.layout();
        Ok(EngineStatus {
            memories,
            observations: ObservationCounts { live: counts.live_lines, archived: counts.archived_lines },
            instincts,
            queue: Queue { length: unlearned + unembedded + unindexed, unlearned, unembedded, unindexed },
            index: IndexStatus {
                store_revision: revision.0,
                bm25_revision: bm25.map(|(seen, _)| seen.0),
                bm25_memories: bm25.map(|(_, count)| count),
                vectors: embedding.with_vectors,
                fresh: unembedded == 0 && unindexed == 0,
                error,
            },
            sizes: Sizes {
                database: ["", "-wal", "-shm"]
                    .iter()
                    .map(|end| {
                        let mut path = layout.database().into_os_string();
                        path.push(end);
                        std::fs::metadata(path).map_or(0, |found| found.len())
                    })
                    .sum(),
                journal: size_of(&layout.journal()),
                index: size_of(&layout.text_index()),
                mirror: size_of(&layout.memories()) + size_of(&layout.instincts()),
            },
            model: embedding.key.clone().unwrap_or_else(|| "none".to_owned()),
            embedding,
            projects: self.store().projects()?.len(),
        })
    }

    /// What turns texts into vectors, and how far that is.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn model_status(&self) -> Result<ModelStatus> {
        let models = self.models();
        let asking = self.embedder().map(|embedder| embedder.identity());
        let config = &self.config().embedder;
        let (with_vectors, without_vectors) = match asking {
            Some(model) => {
                (self.vectors().len(model)?, self.vectors().missing(model, COUNT_LIMIT)?.len() as u64)
            }
            None => (0, 0),
        };
        Ok(ModelStatus {
            chosen: config.model.clone(),
            path: config.path.clone().filter(|_| config.model == crate::model::PATH),
            key: asking.map(|model| model.key()),
            in_hooks: models.quick().map(|embedder| embedder.identity().key()),
            runtime: models.runtime.clone(),
            calibrated: !models.uncalibrated,
            problem: models.problem.clone(),
            with_vectors,
            without_vectors,
        })
    }

    fn observations_behind(&self, cursor: mem_core::Cursor) -> Result<u64> {
        let (mut at, mut count) = (cursor, 0);
        loop {
            let batch = self.log().read(at, 4_096)?;
            count += batch.observations.len() as u64;
            if batch.next <= at {
                return Ok(count);
            }
            at = batch.next;
        }
    }

    /// Lets the database check its file.
    ///
    /// # Errors
    /// When it finds a fault, or cannot be read at all.
    pub fn integrity(&self) -> Result<()> {
        Ok(self.sqlite()?.integrity().map_err(mem_core::Error::from)?)
    }

    /// Secrets taken out of observations so far, by kind: from the journal and its archive.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn redactions(&self) -> Result<BTreeMap<String, u64>> {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        let mut at = mem_core::Cursor::default();
        loop {
            let batch = self.log().read(at, 4_096)?;
            for (_, observation) in &batch.observations {
                for (kind, count) in &observation.redacted {
                    *counts.entry(kind.clone()).or_default() += count.as_u64().unwrap_or(0);
                }
            }
            if batch.next <= at {
                return Ok(counts);
            }
            at = batch.next;
        }
    }
}

fn size_of(dir: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(dir) else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(found) if found.is_dir() => size_of(&entry.path()),
            Ok(found) => found.len(),
            Err(_) => 0,
        })
        .sum()
}
