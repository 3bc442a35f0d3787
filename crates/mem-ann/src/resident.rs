use crate::{ResidentConfig, scan, table::Table};
use mem_core::{
    Centroids, Embedding, Error, Generation, Language, MemoryFilter, MemoryId, ModelIdentity, Result,
    VectorEntry, VectorHits, VectorIndex, VectorQuery, VectorSource,
};
use std::{
    cell::Cell,
    path::PathBuf,
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

/// The name of the file that keeps the graph.
#[cfg(feature = "hnsw")]
const GRAPH: &str = "vectors.graph";

/// Keeps the vectors of one model in memory and answers from there.
///
/// Before each search it asks the source how far it has come, one small read, and follows what changed. May be shared by
/// threads, which search at the same time; the source may be written to by others meanwhile. Of two models the one last
/// searched is held. Everything but [`VectorIndex::search`] goes to the source.
pub struct ResidentVectors {
    source: Arc<dyn VectorSource>,
    config: ResidentConfig,
    folder: Option<PathBuf>,
    // What is held is put there whole: a poisoned lock guards a sound state.
    held: RwLock<Option<Held>>,
    #[cfg(feature = "hnsw")]
    tending: std::sync::Mutex<()>,
}

/// What is in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ResidentStats {
    /// Vectors that take part.
    pub vectors: u64,
    /// Vectors that were replaced or removed and not yet let go of.
    pub gone: u64,
    /// Nodes of the graph; 0 without one.
    pub nodes: u64,
    /// Bytes that vectors, codes and links take, near enough.
    pub bytes: u64,
}

/// What [`ResidentVectors::tend`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tended {
    /// Nothing: there are too few vectors for a graph, it is as it should be, or another thread is at it.
    Nothing,
    /// A graph was built over so many vectors.
    Built {
        /// Its nodes.
        vectors: u64,
    },
}

/// The vectors of one model.
struct Held {
    model: ModelIdentity,
    generation: Generation,
    table: Table,
    #[cfg(feature = "hnsw")]
    laid: Option<crate::laid::Laid>,
    /// Another number after rows were renumbered.
    #[cfg(feature = "hnsw")]
    numbering: u64,
}

impl std::fmt::Debug for ResidentVectors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ResidentVectors").field("config", &self.config).finish_non_exhaustive()
    }
}

impl ResidentVectors {
    /// Over a source; nothing is loaded before the first search.
    pub fn new(source: Arc<dyn VectorSource>, config: ResidentConfig) -> Self {
        Self {
            source,
            config,
            folder: None,
            held: RwLock::new(None),
            #[cfg(feature = "hnsw")]
            tending: std::sync::Mutex::new(()),
        }
    }

    /// The folder that keeps the graph for other processes; without one it lasts as long as this value.
    #[must_use]
    pub fn keep_in(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// What is in memory; all zeros before the first search.
    pub fn stats(&self) -> ResidentStats {
        let held = self.read();
        let Some(held) = held.as_ref() else { return ResidentStats::default() };
        #[cfg(feature = "hnsw")]
        let (nodes, links) = held.laid.as_ref().map_or((0, 0), |laid| (laid.len(), laid.bytes()));
        #[cfg(not(feature = "hnsw"))]
        let (nodes, links) = (0, 0);
        let gone = held.table.gone();
        ResidentStats {
            vectors: (held.table.len() - gone) as u64,
            gone: gone as u64,
            nodes: nodes as u64,
            bytes: (held.table.bytes() + links) as u64,
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, Option<Held>> {
        self.held.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Option<Held>> {
        self.held.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Brings `held` to the state of the source. When that fails it holds what it held, or nothing.
    fn follow(&self, held: &mut Option<Held>, model: &ModelIdentity, centroids: &Centroids) -> Result<()> {
        let known = held.take().filter(|held| held.model == *model);
        let mut next = known.unwrap_or_else(|| Held::new(model, centroids));
        let (fresh, loaded) = (Cell::new(false), Cell::new(false));
        let Held { table, generation, .. } = &mut next;
        let answer = self.source.vectors_since(
            model,
            *generation,
            &mut |anew| {
                fresh.set(anew);
                loaded.set(anew);
            },
            &mut |change| {
                if fresh.replace(false) {
                    *table = Table::new(model.dimensions, centroids.clone());
                }
                table.apply(change)
            },
        );
        if fresh.get() {
            *table = Table::new(model.dimensions, centroids.clone());
        }
        table.settle();
        match answer {
            Ok(reached) => *generation = reached,
            Err(error) => {
                // A step says what is so, not what is different: taken twice it does no harm.
                *held = (!loaded.get()).then_some(next);
                return Err(error);
            }
        }
        if table.drift(&table.centroids, centroids) > self.config.drift {
            table.recode(centroids.clone());
        }
        if loaded.get() {
            self.load(&mut next);
        }
        next.compact(&self.config);
        *held = Some(next);
        Ok(())
    }

    #[cfg(not(feature = "hnsw"))]
    #[allow(clippy::unused_self, reason = "with the feature it looks for a graph")]
    fn load(&self, _: &mut Held) {}

    /// Takes the graph from the folder, if there is one that fits.
    #[cfg(feature = "hnsw")]
    fn load(&self, held: &mut Held) {
        held.laid = None;
        held.numbering += 1;
        if held.table.len() < self.config.graph.from {
            return;
        }
        let Some(folder) = &self.folder else { return };
        // What cannot be read is built anew by whoever tends.
        let Ok(bytes) = fs_err::read(folder.join(GRAPH)) else { return };
        if let Some((graph, nodes)) = crate::graph::read(&bytes) {
            let key = held.model.key();
            held.laid = crate::laid::Laid::over(&mut held.table, graph, nodes, &key, &self.config);
        }
    }

    /// Without the feature `hnsw` there is nothing to do.
    ///
    /// # Errors
    /// None.
    #[cfg(not(feature = "hnsw"))]
    #[allow(clippy::unused_self, reason = "with the feature it builds a graph")]
    pub fn tend(&self) -> Result<Tended> {
        Ok(Tended::Nothing)
    }

    /// Builds the graph over what is held, where there is none that is worth keeping and the vectors are many enough for
    /// one; keeps it in the folder. Takes minutes for millions of vectors, on all threads of rayon's pool; searches go on
    /// meanwhile. For a thread that has time.
    ///
    /// # Errors
    /// Of the source; [`mem_core::ErrorKind::Unavailable`] when the graph could not be written: it serves this process
    /// nevertheless.
    #[cfg(feature = "hnsw")]
    pub fn tend(&self) -> Result<Tended> {
        let _tending = match self.tending.try_lock() {
            Ok(tending) => tending,
            Err(std::sync::TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(std::sync::TryLockError::WouldBlock) => return Ok(Tended::Nothing),
        };
        let (plan, numbering) = {
            let mut held = self.write();
            let Some((model, centroids)) =
                held.as_ref().map(|held| (held.model.clone(), held.table.centroids.clone()))
            else {
                return Ok(Tended::Nothing);
            };
            if self.source.generation()? != held.as_ref().map(|held| held.generation).unwrap_or_default() {
                self.follow(&mut held, &model, &centroids)?;
            }
            let Some(held) = held.as_mut() else { return Ok(Tended::Nothing) };
            if held.table.len() - held.table.gone() < self.config.graph.from {
                return Ok(Tended::Nothing);
            }
            if let Some(laid) = &held.laid {
                if !laid.is_stale(&held.table, &self.config) {
                    return Ok(Tended::Nothing);
                }
                held.laid = None;
                if held.table.gone() > 0 {
                    held.table = held.table.compacted();
                    held.numbering += 1;
                }
            }
            (crate::laid::Plan::new(&held.table), held.numbering)
        };
        let laid = plan.build(&self.config);
        let vectors = laid.len() as u64;
        {
            let mut held = self.write();
            match held.as_mut().filter(|held| held.numbering == numbering) {
                Some(held) => held.laid = Some(laid),
                None => return Ok(Tended::Nothing),
            }
        }
        if let Some(folder) = &self.folder {
            let held = self.read();
            let bytes = held.as_ref().and_then(|held| {
                held.laid.as_ref().map(|laid| laid.to_bytes(&held.table, &held.model.key()))
            });
            drop(held);
            if let Some(bytes) = bytes {
                keep(folder, bytes).map_err(|source| {
                    let path = folder.join(GRAPH);
                    crate::AnnError::File { action: "write", path, source }
                })?;
            }
        }
        Ok(Tended::Built { vectors })
    }
}

/// Writes the file beside its place and then moves it there: whoever reads it sees the old one or the new one.
#[cfg(feature = "hnsw")]
fn keep(folder: &std::path::Path, bytes: Result<Vec<u8>, serde_json::Error>) -> std::io::Result<()> {
    use std::io::Write;
    let bytes = bytes?;
    fs_err::create_dir_all(folder)?;
    let draft = folder.join(format!("{GRAPH}.{}", std::process::id()));
    let written = fs_err::File::create(&draft).and_then(|mut file| {
        file.write_all(&bytes)?;
        file.sync_all()
    });
    let moved = written.and_then(|()| fs_err::rename(&draft, folder.join(GRAPH)));
    if moved.is_err() {
        let _ = fs_err::remove_file(&draft);
    }
    moved
}

impl Held {
    fn new(model: &ModelIdentity, centroids: &Centroids) -> Self {
        Self {
            model: model.clone(),
            generation: Generation::ZERO,
            table: Table::new(model.dimensions, centroids.clone()),
            #[cfg(feature = "hnsw")]
            laid: None,
            #[cfg(feature = "hnsw")]
            numbering: 0,
        }
    }

    fn is_current(
        &self,
        model: &ModelIdentity,
        now: Generation,
        centroids: &Centroids,
        config: &ResidentConfig,
    ) -> bool {
        self.generation == now
            && self.model == *model
            && self.table.drift(&self.table.centroids, centroids) <= config.drift
    }

    /// Lets go of what is gone, when that is much and no graph leads over it.
    fn compact(&mut self, config: &ResidentConfig) {
        #[cfg(feature = "hnsw")]
        if self.laid.is_some() {
            return;
        }
        if self.table.gone() as f64 > config.gone_share * self.table.len() as f64 {
            self.table = self.table.compacted();
            #[cfg(feature = "hnsw")]
            {
                self.numbering += 1;
            }
        }
    }

    fn search(
        &self,
        query: &VectorQuery<'_>,
        filter: &MemoryFilter,
        k: usize,
        config: &ResidentConfig,
    ) -> VectorHits {
        #[cfg(feature = "hnsw")]
        if let Some(laid) = &self.laid {
            let walk = |question: &scan::Question, pass: &crate::table::Pass<'_>, wanted: usize| {
                laid.search(&self.table, question, pass, wanted, config)
            };
            return scan::search(&self.table, Some(&walk), query, filter, k, config);
        }
        scan::search(&self.table, None, query, filter, k, config)
    }
}

impl VectorIndex for ResidentVectors {
    fn put(&self, model: &ModelIdentity, entries: &[VectorEntry]) -> Result<()> {
        self.source.put(model, entries)
    }

    fn search(&self, query: &VectorQuery<'_>, filter: &MemoryFilter, k: usize) -> Result<VectorHits> {
        let VectorQuery { model, vector, centroids } = *query;
        check(model, vector)?;
        centroids.0.iter().try_for_each(|(_, centroid)| check(model, centroid))?;
        let now = self.source.generation()?;
        if let Some(held) = self.read().as_ref()
            && held.is_current(model, now, centroids, &self.config)
        {
            return Ok(held.search(query, filter, k, &self.config));
        }
        let mut held = self.write();
        // Another thread may have been faster.
        if held.as_ref().is_none_or(|held| !held.is_current(model, now, centroids, &self.config)) {
            self.follow(&mut held, model, centroids)?;
        }
        drop(held);
        let held = self.read();
        let held = held.as_ref().filter(|held| held.model == *model);
        match held {
            Some(held) => Ok(held.search(query, filter, k, &self.config)),
            // A thread that asks for another model came in between: this one leaves memory to it.
            None => self.source.search(query, filter, k),
        }
    }

    fn centroids(&self, model: &ModelIdentity) -> Result<Vec<(Language, u64, Embedding)>> {
        self.source.centroids(model)
    }

    fn measure(&self, model: &ModelIdentity) -> Result<()> {
        self.source.measure(model)
    }

    fn missing(&self, model: &ModelIdentity, limit: usize) -> Result<Vec<MemoryId>> {
        self.source.missing(model, limit)
    }

    fn len(&self, model: &ModelIdentity) -> Result<u64> {
        self.source.len(model)
    }

    fn retain(&self, models: &[&ModelIdentity]) -> Result<u64> {
        self.source.retain(models)
    }
}

/// Refuses a vector of another length, or with parts that are not numbers.
fn check(model: &ModelIdentity, vector: &[f32]) -> Result<()> {
    if vector.len() != model.dimensions {
        return Err(Error::DimensionMismatch { expected: model.dimensions, got: vector.len() });
    }
    match vector.iter().find(|part| !part.is_finite()) {
        Some(part) => Err(Error::invalid("a vector of finite numbers", part.to_string())),
        None => Ok(()),
    }
}
