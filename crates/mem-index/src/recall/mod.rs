//! From a question to a ranked, explained answer.

mod candidates;
mod channels;
mod config;
mod context;

pub use config::RecallConfig;

use crate::{AnchorState, Features, collapse, fuse};
use candidates::Evidence;
use mem_core::{
    Dropped, Embedder, Hit, Memory, MemoryFilter, MemoryStore, Query, Recall, Result, Status, TextIndex,
    VectorIndex,
};
use std::collections::HashMap;

/// An answer with what is known of each hit's relevance.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Judged {
    /// The answer.
    pub recall: Recall,
    /// For each hit, in order: its features, and whether it is relevant by the stricter rule.
    pub features: Vec<(Features, bool)>,
}

/// Tells whether the files a memory hangs on are as they were.
pub type AnchorCheck<'a> = &'a (dyn Fn(&Memory) -> AnchorState + Sync);

/// Asks all channels, fuses, weighs and explains.
///
/// A channel that fails takes no part and is named in [`Recall::degraded`]. When the lexical index is missing, stale
/// or broken, the memories are read from the store and searched in memory by the same arithmetic.
///
/// ```
/// use mem_core::{Kind, Memory, MemoryStore, Query, Timestamp};
/// use mem_index::{Budget, Recaller, TantivyConfig, TantivyIndex, catch_up};
///
/// let now: Timestamp = "2026-11-30T12:00:00Z".parse()?;
/// let store = mem_testing::InMemoryStore::default();
/// store.put(&[Memory::new(Kind::Decision, "Ports are assigned by the registry", now)])?;
/// let folder = tempfile::tempdir()?;
/// let text = TantivyIndex::new(folder.path(), TantivyConfig::default());
/// catch_up(&store, &text, &Budget::default())?;
///
/// let answer = Recaller::new(&store, &text).recall(&Query::new("who assigns ports?", now))?;
/// assert_eq!(answer.hits[0].memory.body, "Ports are assigned by the registry");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Recaller<'a> {
    store: &'a dyn MemoryStore,
    text: &'a dyn TextIndex,
    vectors: Option<&'a dyn VectorIndex>,
    embedder: Option<&'a dyn Embedder>,
    anchors: Option<AnchorCheck<'a>>,
    config: RecallConfig,
}

impl std::fmt::Debug for Recaller<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recaller").field("config", &self.config).finish_non_exhaustive()
    }
}

/// A hit on its way.
struct Candidate {
    hit: Hit,
    features: Features,
}

impl<'a> Recaller<'a> {
    /// Recall by words.
    pub fn new(store: &'a dyn MemoryStore, text: &'a dyn TextIndex) -> Self {
        Self { store, text, vectors: None, embedder: None, anchors: None, config: RecallConfig::default() }
    }

    /// Recall by meaning as well. Without an index or a model the words remain.
    #[must_use]
    pub fn vectors(
        mut self,
        vectors: Option<&'a dyn VectorIndex>,
        embedder: Option<&'a dyn Embedder>,
    ) -> Self {
        (self.vectors, self.embedder) = (vectors, embedder);
        self
    }

    /// With other constants.
    #[must_use]
    pub fn config(mut self, config: RecallConfig) -> Self {
        self.config = config;
        self
    }

    /// Asks `check` of every hit whether its anchors hold; where not, it is marked to be verified and counts less.
    #[must_use]
    pub fn anchors(mut self, check: AnchorCheck<'a>) -> Self {
        self.anchors = Some(check);
        self
    }

    /// Answers a question.
    ///
    /// # Errors
    /// Of the store, which alone is indispensable.
    pub fn recall(&self, query: &Query) -> Result<Recall> {
        Ok(self.judge(query)?.recall)
    }

    /// Answers a question and says of each hit how relevant it is.
    ///
    /// # Errors
    /// As [`Recaller::recall`].
    pub fn judge(&self, query: &Query) -> Result<Judged> {
        let mut judged = Judged::default();
        if query.limit == 0 {
            return Ok(judged);
        }
        let filter = widened(&query.filter);
        let text = if query.text.trim().is_empty() {
            query.path.as_deref().unwrap_or_default()
        } else {
            &query.text
        };
        let lexical = self.lexical(text, &filter, &mut judged.recall.degraded)?;
        let nearest = self.nearest(text, &filter, &mut judged.recall.degraded);
        let mut fused = fuse(&self.config.fusion, &self.rankings(&lexical, &nearest));
        let lent = self.lend(&mut fused)?;
        fused.truncate(self.config.pool.max(query.limit.saturating_mul(3)));
        let evidence = Evidence { lexical: &lexical, nearest: &nearest, lent: &lent };
        let recall = &mut judged.recall;
        let mut candidates = self.candidates(query, fused, &evidence, &mut recall.dropped)?;
        self.follow_links(query, &mut candidates)?;
        candidates.sort_by(|a, b| {
            b.hit.score.total_cmp(&a.hit.score).then_with(|| a.hit.memory.id.cmp(&b.hit.memory.id))
        });
        let mut features = HashMap::new();
        let mut hits = Vec::new();
        for Candidate { hit, features: own } in candidates {
            let relevant = self.config.relevance.is_relevant(&own);
            if !self.config.relevance.is_shown(&own) {
                recall
                    .dropped
                    .push(Dropped { id: hit.memory.id, reason: "shares only common words".to_owned() });
            } else if self.config.relevant_only && !relevant {
                recall
                    .dropped
                    .push(Dropped { id: hit.memory.id, reason: "not relevant enough to inject".to_owned() });
            } else {
                features.insert(hit.memory.id.clone(), (own, relevant));
                hits.push(hit);
            }
        }
        let (hits, doubles) = collapse(hits, query.limit, &self.config.collapse);
        recall.dropped.extend(doubles);
        judged.features =
            hits.iter().map(|hit| features.get(&hit.memory.id).copied().unwrap_or_default()).collect();
        recall.hits = hits;
        Ok(judged)
    }
}

/// The filter the channels get: a question about the past must find what was superseded since.
fn widened(filter: &MemoryFilter) -> MemoryFilter {
    let mut filter = filter.clone();
    if filter.at.is_some()
        && filter.statuses.contains(&Status::Active)
        && !filter.statuses.contains(&Status::Superseded)
    {
        filter.statuses.push(Status::Superseded);
    }
    filter
}
