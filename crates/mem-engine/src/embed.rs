//! Bringing the views up to the store: words at once, vectors as their model allows.

use crate::{Engine, Result};
use mem_core::{Degraded, Embedder, TextRole};
use mem_index::{Budget, Embedded};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// How far embedding is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbedProgress {
    /// The model's key.
    pub model: String,
    /// Memories that got their vectors.
    pub done: u64,
    /// Memories that lacked them.
    pub all: u64,
}

/// Told after each call of the model; stops when it says so.
pub(crate) type GoOn<'a> = &'a mut dyn FnMut(&EmbedProgress) -> ControlFlow<()>;

/// The store's note of [`Stored`].
const STORED: &str = "vectors.models";
/// How many missing vectors are counted exactly.
pub(crate) const COUNT_LIMIT: usize = 100_000;

/// Which models the stored vectors are of, by key.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Stored {
    /// Those of which every memory had a vector when that was last looked at.
    complete: Vec<String>,
    /// Those of which there are any.
    some: Vec<String>,
    /// `some` names all there are; not so in a store of an older version.
    swept: bool,
}

impl Engine {
    /// Brings the views to the state of the store, as far as that is possible now.
    ///
    /// # Errors
    /// When a view cannot be written; recall answers from the rest until it can.
    pub fn catch_up(&self) -> Result<()> {
        self.follow_words()?;
        self.embed_all(&mut |_| ControlFlow::Continue(()))
    }

    /// Makes the vectors that memories lack, telling how far it is after each call of the model, until it is told to
    /// stop. A model of which nothing is known is measured first. Once every memory has its vectors, those of models
    /// that are no longer chosen are dropped.
    ///
    /// What is stored stays: a process that comes after one that died goes on where that stopped.
    ///
    /// # Errors
    /// When the model cannot be run, or a vector not be stored.
    pub fn embed_all(&self, go_on: &mut dyn FnMut(&EmbedProgress) -> ControlFlow<()>) -> Result<()> {
        if let Some(quick) = self.models().quick() {
            self.embed(quick, usize::MAX, go_on)?;
        }
        if let Some(slow) = self.models().slow() {
            self.models().calibrate(self.layout())?;
            self.embed(slow, usize::MAX, go_on)?;
        }
        self.drop_others()
    }

    /// Tries the chosen model, and measures it where nothing is known of it.
    ///
    /// # Errors
    /// When it cannot be used.
    pub fn prepare_model(&self) -> Result<()> {
        if let Some(slow) = self.models().slow() {
            slow.embed(&["ready"], TextRole::Passage)?;
        }
        self.models().calibrate(self.layout())?;
        Ok(())
    }

    /// Whether nothing was measured of the chosen model yet: its hits do not count for relevance until then.
    pub fn is_uncalibrated(&self) -> bool {
        self.models().uncalibrated
    }

    /// The lexical index.
    pub(crate) fn follow_words(&self) -> Result<()> {
        mem_index::catch_up(self.store(), self.text(), &self.config().reconcile)?;
        Ok(())
    }

    /// After a change: the index, and the vectors of what is new where they cost nothing. Those of a model that takes its
    /// time, and of all memories after a change of the model, are made by `mem work`, some before the next question.
    /// Failures are only noted.
    pub(crate) fn follow(&self) {
        if let Err(error) = self.followed() {
            self.note("index", &error);
        }
    }

    fn followed(&self) -> Result<()> {
        self.follow_words()?;
        let Some(quick) = self.models().quick() else { return Ok(()) };
        let stored = self.stored()?;
        if stored.some.is_empty() || stored.complete.contains(&quick.identity().key()) {
            self.embed(quick, self.config().embedder.at_once, &mut |_| ControlFlow::Continue(()))?;
        }
        Ok(())
    }

    /// Before an answer: what can be made up for at once. A hook answers from what is there: following may take longer
    /// than it has.
    pub(crate) fn freshen(&self) {
        if self.is_for_hooks() {
            return;
        }
        if let Err(error) = self.freshened() {
            self.note("index", &error);
        }
    }

    fn freshened(&self) -> Result<()> {
        let config = &self.config().embedder;
        let behind = self.is_behind();
        if behind {
            self.follow_words()?;
        }
        if let Some(quick) = self.models().quick()
            && (behind || !self.is_complete(quick)?)
        {
            self.embed(quick, config.at_once, &mut |_| ControlFlow::Continue(()))?;
        }
        if let Some(slow) = self.models().slow() {
            self.embed(slow, config.onnx_at_once, &mut |_| ControlFlow::Continue(()))?;
        }
        Ok(())
    }

    fn embed(&self, embedder: &dyn Embedder, at_most: usize, go_on: GoOn<'_>) -> Result<Embedded> {
        let reconcile = &self.config().reconcile;
        let budget = Budget { embeddings: at_most.min(reconcile.embeddings), ..*reconcile };
        let mut progress = EmbedProgress { model: embedder.identity().key(), done: 0, all: 0 };
        let done =
            mem_index::embed_missing_while(self.store(), self.vectors(), embedder, &budget, &mut |done| {
                if progress.all == 0 {
                    // Counted once: those that are left, and those of the first call.
                    let left =
                        self.vectors().missing(embedder.identity(), COUNT_LIMIT).map_or(0, |ids| ids.len());
                    progress.all = (left + done.memories) as u64;
                }
                progress.done = done.memories as u64;
                go_on(&progress)
            })?;
        self.mark(embedder, &done)?;
        Ok(done)
    }

    fn stored(&self) -> Result<Stored> {
        Ok(self.meta_json(STORED)?.unwrap_or_default())
    }

    fn is_complete(&self, embedder: &dyn Embedder) -> Result<bool> {
        Ok(self.stored()?.complete.contains(&embedder.identity().key()))
    }

    /// Notes what is there of a model now.
    fn mark(&self, embedder: &dyn Embedder, done: &Embedded) -> Result<()> {
        let key = embedder.identity().key();
        let old = self.stored()?;
        let mut new = old.clone();
        new.complete.retain(|known| *known != key);
        if done.complete {
            new.complete.push(key.clone());
            new.complete.sort();
        }
        if (done.complete || done.memories > 0) && !new.some.contains(&key) {
            new.some.push(key);
        }
        if new == old { Ok(()) } else { self.keep_stored(&new) }
    }

    fn keep_stored(&self, stored: &Stored) -> Result<()> {
        let text = serde_json::to_value(stored).unwrap_or_default().to_string();
        Ok(self.store().set_meta(&[(STORED, Some(&text))])?)
    }

    /// Vectors of models that were chosen once are of no use when those of the present ones are all there.
    fn drop_others(&self) -> Result<()> {
        let kept = self.models().kept();
        let stored = self.stored()?;
        let keys: Vec<String> = kept.iter().map(|embedder| embedder.identity().key()).collect();
        let others = stored.some.iter().any(|key| !keys.contains(key)) || !stored.swept;
        if kept.is_empty() || !others || !keys.iter().all(|key| stored.complete.contains(key)) {
            return Ok(());
        }
        let identities: Vec<_> = kept.iter().map(|embedder| embedder.identity()).collect();
        self.vectors().retain(&identities)?;
        let complete = stored.complete.into_iter().filter(|key| keys.contains(key)).collect();
        self.keep_stored(&Stored { complete, some: keys, swept: true })
    }

    /// Whether memories lack vectors of a model that answers here.
    pub fn vectors_pending(&self) -> bool {
        self.embedder().is_some_and(|embedder| !self.is_complete(embedder).unwrap_or(true))
    }

    /// What a recall lacks because of its model.
    pub(crate) fn lacking_vectors(&self) -> Result<Vec<Degraded>> {
        let mut lacking = Vec::new();
        if let Some(problem) = &self.models().problem {
            let instead = match self.embedder() {
                Some(_) => "the built-in model answered instead",
                None => "answered by words alone",
            };
            lacking.push(Degraded { part: "embedder".to_owned(), reason: format!("{problem}; {instead}") });
        }
        if let Some(embedder) = self.embedder()
            && self.vectors_pending()
        {
            let model = embedder.identity();
            let missing = self.vectors().missing(model, COUNT_LIMIT)?.len();
            if missing > 0 {
                let reason = format!(
                    "{missing} memories have no vectors of {} yet and were found by words alone; `mem work` makes them",
                    model.name
                );
                lacking.push(Degraded { part: "vector".to_owned(), reason });
            }
        }
        Ok(lacking)
    }

    /// Forgets the lexical index and builds it anew from the store, and makes the vectors that are missing, telling how
    /// far those are. Returns how many memories the index holds.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn reindex_while(&self, go_on: &mut dyn FnMut(&EmbedProgress) -> ControlFlow<()>) -> Result<u64> {
        self.text().clear()?;
        self.follow_words()?;
        self.embed_all(go_on)?;
        Ok(self.text().len()?)
    }

    /// As [`Engine::reindex_while`], to the end.
    ///
    /// # Errors
    /// As [`Engine::reindex_while`].
    pub fn reindex(&self) -> Result<u64> {
        self.reindex_while(&mut |_| ControlFlow::Continue(()))
    }
}
