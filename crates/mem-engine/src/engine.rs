//! The engine: what the parts are wired into.

use crate::model::Models;
use crate::{Config, EngineError, InjectConfig, Layout, Result};
use mem_core::{
    Clock, ConfidencePolicy, Embedder, Extractor, Hit, Mark, Memory, ObservationLog, PolicyTable, Query,
    Recall, Store, SystemClock, TextIndex, Timestamp, VectorIndex,
};
use mem_extract::Redactor;
use mem_index::{RecallConfig, Recaller};
use mem_store::SqliteStore;
use serde::de::DeserializeOwned;
use std::path::PathBuf;
use std::sync::Arc;

/// Whom the database is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// What was acknowledged survives a power cut: one flush a change.
    #[default]
    Full,
    /// What was acknowledged survives the death of the process; a lock is waited for only briefly, and closing
    /// leaves the write-ahead log to others. For hooks.
    Hook,
}

/// A write-ahead log longer than this, in bytes, is emptied by the hook that finds it.
const LONG_LOG: u64 = 1 << 20;

/// Builds an [`Engine`]; every part can be replaced.
///
/// ```no_run
/// # fn main() -> Result<(), mem_engine::EngineError> {
/// let engine = mem_engine::Engine::builder("/var/lib/agent/memory").open()?;
/// # Ok(()) }
/// ```
#[must_use]
pub struct EngineBuilder {
    layout: Layout,
    config: Config,
    durability: Durability,
    clock: Arc<dyn Clock>,
    embedder: Option<Arc<dyn Embedder>>,
    extractor: Option<Arc<dyn Extractor>>,
    confidence: Option<Arc<dyn ConfidencePolicy>>,
    log: Option<Arc<dyn ObservationLog>>,
    store: Option<(Arc<dyn Store>, Arc<dyn VectorIndex>)>,
    text: Option<Arc<dyn TextIndex>>,
    rules: Option<PathBuf>,
    #[cfg(feature = "hnsw")]
    resident: Option<mem_ann::ResidentConfig>,
}

impl EngineBuilder {
    pub(crate) fn new(home: impl Into<PathBuf>) -> Self {
        Self {
            layout: Layout::new(home),
            config: Config::default(),
            durability: Durability::Full,
            clock: Arc::new(SystemClock),
            embedder: None,
            extractor: None,
            confidence: None,
            log: None,
            store: None,
            text: None,
            rules: None,
            #[cfg(feature = "hnsw")]
            resident: None,
        }
    }

    /// Defaults other than the product's.
    pub fn config(mut self, config: Config) -> Self {
        self.config = config;
        self
    }

    /// How changes are made durable.
    pub fn durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// Where the time comes from.
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// What turns text into vectors; what [`Config::embedder`] says unless set.
    pub fn embedder(mut self, embedder: impl Embedder + 'static) -> Self {
        self.embedder = Some(Arc::new(embedder));
        self
    }

    /// What finds statements in conversations; the built-in rules unless set.
    pub fn extractor(mut self, extractor: impl Extractor + 'static) -> Self {
        self.extractor = Some(Arc::new(extractor));
        self
    }

    /// How evidence becomes confidence; stepwise unless set.
    pub fn confidence_policy(mut self, policy: impl ConfidencePolicy + 'static) -> Self {
        self.confidence = Some(Arc::new(policy));
        self
    }

    /// Where observations are kept; the journal below the home unless set.
    pub fn observation_log(mut self, log: impl ObservationLog + 'static) -> Self {
        self.log = Some(Arc::new(log));
        self
    }

    /// The system of record with its vectors; SQLite below the home unless set. What only a file can do (backup,
    /// restoring what was forgotten, the check of its pages) is then not to be had here.
    pub fn store(mut self, store: impl Store + VectorIndex + 'static) -> Self {
        let store = Arc::new(store);
        self.store = Some((store.clone(), store));
        self
    }

    /// The lexical view of the memories; BM25 below the home unless set.
    pub fn text_index(mut self, text: impl TextIndex + 'static) -> Self {
        self.text = Some(Arc::new(text));
        self
    }

    /// Keeps the vectors in memory, for a process that stays: see [`mem_ann::ResidentVectors`] and
    /// [`Engine::tend_vectors`]. Only for the SQLite store below the home; one set by [`EngineBuilder::store`] is searched
    /// as it is.
    #[cfg(feature = "hnsw")]
    pub fn resident_vectors(mut self, config: mem_ann::ResidentConfig) -> Self {
        self.resident = Some(config);
        self
    }

    /// The folder the agent loads rules from; without it no rules files are written.
    pub fn rules_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.rules = Some(dir.into());
        self
    }

    /// Opens the store, creating and migrating it where needed.
    ///
    /// # Errors
    /// When the home cannot be created, or the database is damaged or of a newer version.
    pub fn open(self) -> Result<Engine> {
        let Self {
            layout,
            config,
            durability,
            clock,
            embedder,
            extractor,
            confidence,
            log,
            store,
            text,
            rules,
            #[cfg(feature = "hnsw")]
            resident,
        } = self;
        config.validate()?;
        let home = layout.home().to_owned();
        crate::files::create_private_dir(&home)?;
        let (store, vectors, sqlite) = match store {
            Some((store, vectors)) => (store, vectors, None),
            None => {
                let options = match durability {
                    Durability::Full => mem_store::Options::default(),
                    Durability::Hook => {
                        // Every process reads the write-ahead log whole. Where nobody works in between, one hook in
                        // many pays for emptying it, so that the others stay fast.
                        let log = std::fs::metadata(layout.write_ahead_log()).map_or(0, |found| found.len());
                        mem_store::Options { checkpoints: log > LONG_LOG, ..mem_store::Options::hook() }
                    }
                };
                let opened = SqliteStore::open(layout.database(), &options).map_err(mem_core::Error::from)?;
                let sqlite = Arc::new(opened);
                (sqlite.clone() as Arc<dyn Store>, sqlite.clone() as Arc<dyn VectorIndex>, Some(sqlite))
            }
        };
        #[cfg(feature = "hnsw")]
        let resident = resident.zip(sqlite.clone()).map(|(config, sqlite)| {
            Arc::new(mem_ann::ResidentVectors::new(sqlite, config).keep_in(layout.vector_graph()))
        });
        #[cfg(feature = "hnsw")]
        let vectors = resident.clone().map_or(vectors, |resident| resident as Arc<dyn VectorIndex>);
        if text.is_none() && durability == Durability::Full {
            // Where it cannot be made recall answers without the index and says so.
            let _ = crate::files::create_private_dir(&layout.text_index());
        }
        let text =
            text.unwrap_or_else(|| Arc::new(mem_index::TantivyIndex::new(layout.text_index(), config.bm25)));
        let confidence: Arc<dyn ConfidencePolicy> = match confidence {
            Some(policy) => policy,
            None => {
                Arc::new(mem_evolve::StepwisePolicy::new(config.confidence).map_err(mem_core::Error::from)?)
            }
        };
        let journal = mem_store::journal::Journal::new(layout.journal(), config.journal.clone());
        Ok(Engine {
            redactor: Redactor::new(config.redact.clone()),
            text,
            vectors,
            #[cfg(feature = "hnsw")]
            resident,
            store,
            sqlite,
            log: log.unwrap_or_else(|| Arc::new(journal)),
            models: match embedder {
                Some(embedder) => Models::given(embedder),
                None => Models::open(&config.embedder, &layout, durability),
            },
            extractor: extractor.unwrap_or_else(|| {
                Arc::new(mem_extract::conversation::RuleExtractor::new(config.conversation.clone()))
            }),
            confidence,
            notes: std::sync::Mutex::new(Vec::new()),
            durability,
            rules,
            layout,
            config,
            clock,
        })
    }
}

/// A memory between sessions: observe, learn, remember, recall, inject.
///
/// All methods take `&self`; several threads and several processes may use one home at once.
pub struct Engine {
    layout: Layout,
    config: Config,
    clock: Arc<dyn Clock>,
    sqlite: Option<Arc<SqliteStore>>,
    store: Arc<dyn Store>,
    vectors: Arc<dyn VectorIndex>,
    #[cfg(feature = "hnsw")]
    resident: Option<Arc<mem_ann::ResidentVectors>>,
    text: Arc<dyn TextIndex>,
    log: Arc<dyn ObservationLog>,
    models: Models,
    extractor: Arc<dyn Extractor>,
    confidence: Arc<dyn ConfidencePolicy>,
    redactor: Redactor,
    rules: Option<PathBuf>,
    notes: std::sync::Mutex<Vec<String>>,
    durability: Durability,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("home", &self.layout.home()).finish_non_exhaustive()
    }
}

impl Engine {
    /// Starts building an engine over a home directory, which is created when it is missing.
    pub fn builder(home: impl Into<PathBuf>) -> EngineBuilder {
        EngineBuilder::new(home)
    }

    /// Where everything lies.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The defaults in force.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The system of record.
    pub fn store(&self) -> &dyn Store {
        self.store.as_ref()
    }

    /// The observations.
    pub fn log(&self) -> &dyn ObservationLog {
        self.log.as_ref()
    }

    /// An observer that writes to this engine's log.
    pub fn observer(&self) -> crate::Observer {
        crate::Observer::over(Arc::clone(&self.log), &self.config)
    }

    /// The embedder that answers questions here: the configured one, or the built-in one where that cannot be used. None
    /// when words alone are asked for.
    pub fn embedder(&self) -> Option<&dyn Embedder> {
        self.models.asking()
    }

    pub(crate) fn models(&self) -> &Models {
        &self.models
    }

    /// The store as the file it is.
    pub(crate) fn sqlite(&self) -> Result<&SqliteStore> {
        self.sqlite.as_deref().ok_or(EngineError::Missing { what: "its own SQLite store" })
    }

    pub(crate) fn text(&self) -> &dyn TextIndex {
        self.text.as_ref()
    }

    pub(crate) fn is_for_hooks(&self) -> bool {
        self.durability == Durability::Hook
    }

    pub(crate) fn vectors(&self) -> &dyn VectorIndex {
        self.vectors.as_ref()
    }

    pub(crate) fn extractor(&self) -> &dyn Extractor {
        self.extractor.as_ref()
    }

    pub(crate) fn confidence_policy(&self) -> &dyn ConfidencePolicy {
        self.confidence.as_ref()
    }

    pub(crate) fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    pub(crate) fn rules_dir(&self) -> Option<&PathBuf> {
        self.rules.as_ref()
    }

    pub(crate) fn policy(&self) -> &PolicyTable {
        &self.config.policy
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Keeps a remark about something that went wrong beside the main work; see [`Engine::take_notes`].
    pub(crate) fn note(&self, part: &str, error: &dyn std::error::Error) {
        let mut text = format!("{part}: {error}");
        let mut source = error.source();
        while let Some(cause) = source {
            text.push_str(&format!(": {cause}"));
            source = cause.source();
        }
        self.notes.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(text);
    }

    /// What went wrong beside the main work since the last call: an index that could not follow, for example.
    ///
    /// None of it lost anything; it is made up for by the next command that can.
    pub fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut *self.notes.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    pub(crate) fn meta_json<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>> {
        // A value that a person damaged is as good as none: everything read from here can be found anew.
        Ok(self.store.meta(key)?.and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// Builds the graph over the vectors in memory where they are many enough and it is worth it; answers how many it
    /// has then, and none when nothing was done. Recall goes on meanwhile. For a thread that has time.
    ///
    /// # Errors
    /// As [`mem_ann::ResidentVectors::tend`]; [`EngineError::Missing`] without [`EngineBuilder::resident_vectors`].
    #[cfg(feature = "hnsw")]
    pub fn tend_vectors(&self) -> Result<Option<u64>> {
        let resident = self.resident.as_ref().ok_or(EngineError::Missing { what: "vectors in memory" })?;
        match resident.tend()? {
            mem_ann::Tended::Built { vectors } => Ok(Some(vectors)),
            _ => Ok(None),
        }
    }

    fn recaller(&self, relevant_only: bool) -> Recaller<'_> {
        let config = RecallConfig {
            policies: self.config.policy.clone(),
            lexical: self.config.bm25.lexical,
            relevant_only,
            ..self.config.recall.clone()
        };
        Recaller::new(self.store.as_ref(), self.text())
            .vectors(Some(self.vectors()), self.embedder())
            .config(config)
    }

    /// Ranked, explained memories for a question. Views that lag behind are brought up first where that is quick; what
    /// remains to be done is told in [`Recall::degraded`].
    ///
    /// # Errors
    /// When the store cannot be read. A broken view or model only shows in [`Recall::degraded`].
    pub fn recall(&self, query: &Query) -> Result<Recall> {
        self.answer(query, false)
    }

    /// As [`Engine::recall`], leaving out what is not clearly about the question: for injection.
    ///
    /// # Errors
    /// As [`Engine::recall`].
    pub fn recall_relevant(&self, query: &Query) -> Result<Recall> {
        self.answer(query, true)
    }

    fn answer(&self, query: &Query, relevant_only: bool) -> Result<Recall> {
        self.freshen();
        let mut recall = self.recaller(relevant_only).recall(query)?;
        recall.degraded.extend(self.lacking_vectors()?);
        Ok(recall)
    }

    /// Whether the store changed since the BM25 index was written, or that cannot be told.
    pub fn is_behind(&self) -> bool {
        match (self.store.revision(), self.text.revision()) {
            (Ok(store), Ok(text)) => store != text,
            _ => true,
        }
    }

    /// A hit without a search: a memory shown for what it is.
    pub(crate) fn plain_hit(&self, memory: &Memory, score: f64) -> Hit {
        let mut marks = Vec::new();
        if memory.links.iter().any(|link| link.kind == mem_core::LinkKind::Supersedes) {
            marks.push(Mark::Updated);
        }
        if memory.pinned {
            marks.push(Mark::Pinned);
        }
        Hit {
            memory: memory.clone(),
            score,
            channels: Default::default(),
            factors: Default::default(),
            marks,
        }
    }

    /// Takes the lock that only one working process holds; it is freed when the value is dropped or the process dies.
    pub(crate) fn work_lock(&self) -> Result<std::fs::File> {
        let path = self.layout.work_lock();
        let file = std::fs::OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(EngineError::file("open", &path))?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(std::fs::TryLockError::WouldBlock) => {
                Err(EngineError::Busy { home: self.layout.home().to_owned() })
            }
            Err(std::fs::TryLockError::Error(source)) => {
                Err(EngineError::File { action: "lock", path, source })
            }
        }
    }

    /// The injection's configuration.
    pub fn inject_config(&self) -> &InjectConfig {
        &self.config.inject
    }
}
