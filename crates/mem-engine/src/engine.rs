//! The engine: what the parts are wired into.

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

    /// What turns text into vectors; the built-in hashing embedder unless set.
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
            store,
            sqlite,
            log: log.unwrap_or_else(|| Arc::new(journal)),
            embedder: embedder.unwrap_or_else(|| Arc::new(mem_embed::HashEmbedder::new(config.embedder))),
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
    text: Arc<dyn TextIndex>,
    log: Arc<dyn ObservationLog>,
    embedder: Arc<dyn Embedder>,
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

    /// The embedder in use.
    pub fn embedder(&self) -> &dyn Embedder {
        self.embedder.as_ref()
    }

    /// The store as the file it is.
    pub(crate) fn sqlite(&self) -> Result<&SqliteStore> {
        self.sqlite.as_deref().ok_or(EngineError::Missing { what: "its own SQLite store" })
    }

    pub(crate) fn text(&self) -> &dyn TextIndex {
        self.text.as_ref()
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

    /// Brings the views to the state of the store, as far as that is possible now.
    ///
    /// # Errors
    /// When a view cannot be written; recall answers from the rest until it can.
    pub fn catch_up(&self) -> Result<()> {
        mem_index::catch_up(self.store(), self.text(), &self.config.reconcile)?;
        mem_index::embed_missing(self.store(), self.vectors(), self.embedder(), &self.config.reconcile)?;
        Ok(())
    }

    /// As [`Engine::catch_up`], with failures only noted.
    pub(crate) fn follow(&self) {
        if let Err(error) = self.catch_up() {
            self.note("index", &error);
        }
    }

    /// Forgets the views and builds them anew from the store. Returns how many memories they hold.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn reindex(&self) -> Result<u64> {
        self.text.clear()?;
        self.catch_up()?;
        Ok(self.text.len()?)
    }

    fn recaller(&self, relevant_only: bool) -> Recaller<'_> {
        let config = RecallConfig {
            policies: self.config.policy.clone(),
            lexical: self.config.bm25.lexical,
            relevant_only,
            ..self.config.recall.clone()
        };
        Recaller::new(self.store.as_ref(), self.text())
            .vectors(Some(self.vectors()), Some(self.embedder()))
            .config(config)
    }

    /// Ranked, explained memories for a question. Views that lag behind are brought up first where that is quick.
    ///
    /// # Errors
    /// When the store cannot be read. A broken view only shows in [`Recall::degraded`].
    pub fn recall(&self, query: &Query) -> Result<Recall> {
        self.freshen();
        Ok(self.recaller(false).recall(query)?)
    }

    /// As [`Engine::recall`], leaving out what is not clearly about the question: for injection.
    ///
    /// # Errors
    /// As [`Engine::recall`].
    pub fn recall_relevant(&self, query: &Query) -> Result<Recall> {
        self.freshen();
        Ok(self.recaller(true).recall(query)?)
    }

    /// Whether the store changed since the BM25 index was written, or that cannot be told.
    pub fn is_behind(&self) -> bool {
        match (self.store.revision(), self.text.revision()) {
            (Ok(store), Ok(text)) => store != text,
            _ => true,
        }
    }

    /// Follows the store before answering. A hook answers from what is there: following may take longer than it has.
    fn freshen(&self) {
        if self.durability == Durability::Full && self.is_behind() {
            self.follow();
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
