//! A store, a lexical index and vectors over one data set, in a temporary folder.

use super::data::{Dataset, Question};
use super::memories::{id_of, memories, project_of};
use super::settings::Settings;
use anyhow::Context as _;
use clap::ValueEnum;
use mem_ann::{ResidentConfig, ResidentVectors};
use mem_core::{Embedder, MemoryStore, Query, TextIndex as _, Timestamp, VectorIndex};
use mem_index::{RecallConfig, Recaller, TantivyConfig, TantivyIndex, catch_up, embed_missing};
use mem_store::{Options, SqliteStore, Synchronous};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// So many memories are written in one transaction.
const BATCH: usize = 5_000;

/// Where vectors are searched. The hits are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Vectors {
    /// In memory, as in a process that stays
    Resident,
    /// In the database, as in a hook
    Store,
}

/// What questions are put to.
pub(super) struct World {
    store: Arc<SqliteStore>,
    text: TantivyIndex,
    text_config: TantivyConfig,
    vectors: Arc<dyn VectorIndex>,
    embedder: Option<Arc<dyn Embedder>>,
    now: Timestamp,
    /// Bytes of the database and of the lexical index.
    pub(super) index_bytes: u64,
    /// Seconds it took to embed all documents; none without a model.
    pub(super) embed_s: Option<f64>,
    // Last: what lies in it is closed first.
    _folder: tempfile::TempDir,
}

impl World {
    pub(super) fn new(
        data: &Dataset,
        embedder: Option<Arc<dyn Embedder>>,
        settings: &Settings,
        vectors: Vectors,
    ) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let database = folder.path().join("mem.db");
        let options = Options { synchronous: Synchronous::Normal, ..Options::default() };
        let made = memories(data)?;
        let mut embed_s = None;
        {
            // Closed and opened again: then the write-ahead log is part of the database.
            let store = SqliteStore::open(&database, &options)?;
            for memories in made.all.chunks(BATCH) {
                MemoryStore::put(&store, memories)?;
            }
            for (old, new) in &made.superseded {
                let replacing = store.get(&[id_of(*new)?])?.into_iter().flatten().next();
                // As it is by now: it may be superseded itself.
                let replacing = replacing.context("a memory just stored is gone")?;
                store.supersede(&id_of(*old)?, &replacing, replacing.created)?;
            }
            if let Some(embedder) = &embedder {
                let began = Instant::now();
                embed_missing(&store, &store, embedder.as_ref(), &settings.index)?;
                embed_s = Some(began.elapsed().as_secs_f64());
            }
        }
        let store = Arc::new(SqliteStore::open(&database, &options)?);
        let text = TantivyIndex::new(folder.path().join("text"), settings.text);
        catch_up(store.as_ref(), &text, &settings.index)?;
        let index_bytes = bytes(&database)? + bytes(text.directory())?;
        let vectors: Arc<dyn VectorIndex> = match vectors {
            Vectors::Store => store.clone(),
            Vectors::Resident => {
                let config = ResidentConfig { exact: usize::MAX, ..ResidentConfig::default() };
                Arc::new(ResidentVectors::new(store.clone(), config))
            }
        };
        let (now, text_config) = (made.now, settings.text);
        Ok(Self { store, text, text_config, vectors, embedder, now, index_bytes, embed_s, _folder: folder })
    }

    /// Builds the lexical index anew where its constants are others.
    pub(super) fn with_text(&mut self, settings: &Settings) -> anyhow::Result<()> {
        if self.text_config != settings.text {
            self.text = TantivyIndex::new(self.text.directory(), settings.text);
            self.text.clear()?;
            catch_up(self.store.as_ref(), &self.text, &settings.index)?;
            self.text_config = settings.text;
        }
        Ok(())
    }

    pub(super) fn recaller(&self, config: &RecallConfig) -> Recaller<'_> {
        let vectors = self.embedder.as_ref().map(|_| self.vectors.as_ref());
        Recaller::new(self.store.as_ref(), &self.text)
            .vectors(vectors, self.embedder.as_deref())
            .config(config.clone())
    }

    pub(super) fn query(&self, question: &Question, limit: usize) -> anyhow::Result<Query> {
        let query = Query::new(question.text.as_str(), self.now).limit(limit);
        Ok(match project_of(question.group.as_deref())? {
            Some(project) => query.within(project),
            None => query,
        })
    }
}

/// The size of a file, or of all files in a folder.
fn bytes(path: &Path) -> anyhow::Result<u64> {
    let metadata = fs_err::metadata(path)?;
    if metadata.is_file() {
        return Ok(metadata.len());
    }
    let mut sum = 0;
    let entries: Vec<PathBuf> =
        fs_err::read_dir(path)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    for entry in entries {
        sum += bytes(&entry)?;
    }
    Ok(sum)
}
