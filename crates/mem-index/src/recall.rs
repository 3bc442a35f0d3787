//! From a question to a ranked, explained answer.

use crate::{
    collapse::{CollapseConfig, collapse},
    fusion::{Fused, Fusion, Ranking, fuse},
    lexical::LexicalConfig,
    ranking::{AnchorState, Nearness, RankContext, RankingConfig, factors, marks, nearness},
    relevance::{Features, RelevanceConfig},
    scan::scan,
};
use mem_core::{
    Channel, ChannelScore, Degraded, Dropped, Embedder, Factors, Hit, LinkKind, Memory, MemoryFilter,
    MemoryId, MemoryStore, PolicyTable, ProjectFilter, Query, Recall, Result, Status, TextHits, TextIndex,
    TextRole, Timestamp, VectorHits, VectorIndex, VectorQuery,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};

/// How recall works.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RecallConfig {
    /// So many of the best of each channel are fused.
    pub per_channel: usize,
    /// How the channels' lists become one.
    pub fusion: Fusion,
    /// How much BM25 counts in the fusion.
    pub bm25_weight: f64,
    /// How much the vectors count; none: as the embedder says.
    pub vector_weight: Option<f64>,
    /// A hit over a link gets this share of the score of the hit it hangs on; 0 follows no links.
    pub link_damping: f64,
    /// The constants of ranking.
    pub ranking: RankingConfig,
    /// Kinds' policies; in a configuration file they stand by themselves.
    #[serde(skip)]
    pub policies: PolicyTable,
    /// When two hits say the same.
    pub collapse: CollapseConfig,
    /// Where relevance begins.
    pub relevance: RelevanceConfig,
    /// Leave out what is not relevant by the stricter rule too: for injection.
    #[serde(skip)]
    pub relevant_only: bool,
    /// How words are weighed where the store is read instead of the index: as the index does.
    #[serde(skip)]
    pub lexical: LexicalConfig,
    /// At most so many memories are read from the store when the index is of no use.
    pub scan_limit: usize,
}

impl Default for RecallConfig {
    fn default() -> Self {
        Self {
            per_channel: 20,
            fusion: Fusion::default(),
            bm25_weight: 1.0,
            vector_weight: None,
            link_damping: 0.5,
            ranking: RankingConfig::default(),
            policies: PolicyTable::default(),
            collapse: CollapseConfig::default(),
            relevance: RelevanceConfig::default(),
            relevant_only: false,
            lexical: LexicalConfig::default(),
            scan_limit: 5_000,
        }
    }
}

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

/// What one channel says of a memory, for the features.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    bm25: f64,
    coverage: f64,
    specificity: f64,
    cosine: Option<f64>,
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
        let mut seen: HashMap<MemoryId, Seen> = HashMap::new();
        let lexical = self.lexical(text, &filter, &mut judged.recall.degraded)?;
        for hit in &lexical.hits {
            let seen = seen.entry(hit.id.clone()).or_default();
            (seen.bm25, seen.coverage, seen.specificity) = (hit.score, hit.coverage, hit.specificity);
        }
        let nearest = self.nearest(text, &filter, &mut judged.recall.degraded);
        for hit in &nearest.hits {
            seen.entry(hit.id.clone()).or_default().cosine = Some(hit.cosine);
        }
        let weight = self
            .config
            .vector_weight
            .or(self.embedder.map(|embedder| embedder.calibration().fusion_weight))
            .unwrap_or(0.0);
        let fused = fuse(
            &self.config.fusion,
            &[
                Ranking {
                    channel: Channel::Bm25,
                    weight: self.config.bm25_weight,
                    hits: lexical.hits.into_iter().map(|hit| (hit.id, hit.score)).collect(),
                },
                Ranking {
                    channel: Channel::Vector,
                    weight,
                    hits: nearest.hits.into_iter().map(|hit| (hit.id, hit.cosine)).collect(),
                },
            ],
        );
        let recall = &mut judged.recall;
        let mut candidates = self.candidates(query, fused, &seen, &mut recall.dropped)?;
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
        let (mut hits, doubles) = collapse(hits, &self.config.collapse);
        recall.dropped.extend(doubles);
        hits.truncate(query.limit);
        judged.features =
            hits.iter().map(|hit| features.get(&hit.memory.id).copied().unwrap_or_default()).collect();
        recall.hits = hits;
        Ok(judged)
    }

    /// BM25 from the index, or from the store when the index is of no use.
    fn lexical(&self, text: &str, filter: &MemoryFilter, degraded: &mut Vec<Degraded>) -> Result<TextHits> {
        let k = self.config.per_channel;
        let fault = match self.text.revision() {
            Ok(at) => {
                let target = self.store.revision()?;
                match at.cmp(&target) {
                    std::cmp::Ordering::Equal => None,
                    std::cmp::Ordering::Less => {
                        Some(format!("the index is {} changes behind the store", target.0 - at.0))
                    }
                    std::cmp::Ordering::Greater => {
                        Some("the index is of another history than the store".to_owned())
                    }
                }
            }
            Err(error) => Some(error.to_string()),
        };
        let fault = match fault {
            Some(fault) => fault,
            None => match self.text.search(text, filter, k) {
                Ok(hits) => return Ok(hits),
                Err(error) => error.to_string(),
            },
        };
        let memories = self.store.list(filter, self.config.scan_limit)?;
        let part = if memories.len() >= self.config.scan_limit {
            format!("; only the {} latest memories were searched", memories.len())
        } else {
            String::new()
        };
        degraded.push(Degraded {
            part: "bm25".to_owned(),
            reason: format!("{fault}; answered from the store{part}; `mem reindex` rebuilds the index"),
        });
        Ok(scan(text, &memories, k, &self.config.lexical))
    }

    /// The nearest by vector; nothing when there is no model.
    fn nearest(&self, text: &str, filter: &MemoryFilter, degraded: &mut Vec<Degraded>) -> VectorHits {
        let (Some(vectors), Some(embedder)) = (self.vectors, self.embedder) else {
            return VectorHits::default();
        };
        let mut failed = |part: &str, reason: String| {
            degraded.push(Degraded { part: part.to_owned(), reason });
            VectorHits::default()
        };
        let query = match embedder.embed(&[text], TextRole::Query) {
            Ok(embedded) => embedded.into_iter().next().unwrap_or_default(),
            Err(error) => return failed("embedder", format!("{error}; answered by words alone")),
        };
        if query.iter().all(|x| *x == 0.0) {
            return VectorHits::default();
        }
        let question = VectorQuery {
            model: embedder.identity(),
            vector: &query,
            centroids: &embedder.calibration().passages,
        };
        match vectors.search(&question, filter, self.config.per_channel) {
            Ok(hits) => hits,
            Err(error) => failed("vector", format!("{error}; answered by words alone")),
        }
    }

    /// Fetches, drops what may not be recalled, and weighs.
    fn candidates(
        &self,
        query: &Query,
        fused: Vec<Fused>,
        seen: &HashMap<MemoryId, Seen>,
        dropped: &mut Vec<Dropped>,
    ) -> Result<Vec<Candidate>> {
        let best = fused.first().map_or(1.0, |first| first.score);
        let cosines = seen.values().filter_map(|seen| seen.cosine);
        let nearest = cosines.fold(0.0, f64::max).max(f64::MIN_POSITIVE);
        let top = seen.values().map(|seen| seen.bm25).fold(0.0, f64::max);
        let ids: Vec<MemoryId> = fused.iter().map(|fused| fused.id.clone()).collect();
        let memories = self.store.get(&ids)?;
        let back = self.replacements(query, &memories)?;
        let mut candidates = Vec::with_capacity(fused.len());
        for (fused, memory) in fused.into_iter().zip(memories) {
            let Some(memory) = memory else {
                dropped.push(Dropped { id: fused.id, reason: "no longer in the store".to_owned() });
                continue;
            };
            if let Some(reason) = self.refused(query, &memory, &back) {
                dropped.push(Dropped { id: fused.id, reason });
                continue;
            }
            let own = seen.get(&fused.id).copied().unwrap_or_default();
            let features = Features {
                coverage: own.coverage,
                specificity: own.specificity,
                bm25: own.bm25,
                bm25_share: if top > 0.0 { own.bm25 / top } else { 0.0 },
                cosine: own.cosine,
                cosine_floor: self.embedder.map_or(1.0, |embedder| embedder.calibration().relevance_floor),
                near: nearness(&memory, query.path.as_deref()) == Nearness::File,
                linked: false,
            };
            let ranking = &self.config.ranking;
            let similar = features.cosine.map_or(0.0, |cosine| (cosine / nearest).clamp(0.0, 1.0));
            let share = ranking.share.clamp(0.0, 1.0);
            let base = (fused.score / best).powf(ranking.sharpness.max(0.0))
                * (1.0 - share + share * features.bm25_share.max(similar));
            candidates.push(Candidate { hit: self.weighed(query, memory, base, fused.channels), features });
        }
        Ok(candidates)
    }

    fn weighed(
        &self,
        query: &Query,
        memory: Memory,
        base: f64,
        channels: BTreeMap<Channel, ChannelScore>,
    ) -> Hit {
        let anchor = self.anchors.map_or(AnchorState::Unknown, |check| check(&memory));
        let project = match &query.filter.projects {
            ProjectFilter::Within(project) => Some(project),
            _ => None,
        };
        let context = RankContext {
            now: query.now,
            project,
            path: query.path.as_deref(),
            policies: &self.config.policies,
            anchor,
        };
        let factors: Factors = factors(&memory, &context, &self.config.ranking);
        Hit { score: base * factors.product(), channels, factors, marks: marks(&memory, anchor), memory }
    }

    /// Why a memory that was found may not be recalled.
    fn refused(&self, query: &Query, memory: &Memory, back: &HashMap<MemoryId, Timestamp>) -> Option<String> {
        let filter = &query.filter;
        let at = filter.at.unwrap_or(query.now);
        let mut then = memory.clone();
        if filter.at.is_some() && then.status == Status::Superseded {
            let replaced_later = then
                .links
                .iter()
                .filter(|link| link.kind == LinkKind::SupersededBy)
                .any(|link| back.get(&link.to).is_some_and(|replaced| *replaced > at));
            if replaced_later {
                then.status = Status::Active;
            }
        }
        if !filter.admits(&then) {
            return Some(match then.status {
                Status::Superseded => "superseded at that time".to_owned(),
                _ => "does not pass the filter any more".to_owned(),
            });
        }
        let wants_expired = filter.statuses.is_empty() || filter.statuses.contains(&Status::Expired);
        if !wants_expired && self.config.policies.outlived(memory, at) {
            return Some("outlived its time to live; confirm it to recall it again".to_owned());
        }
        None
    }

    /// When the memories that replaced found ones were made; asked only for a question about the past.
    fn replacements(
        &self,
        query: &Query,
        memories: &[Option<Memory>],
    ) -> Result<HashMap<MemoryId, Timestamp>> {
        if query.filter.at.is_none() {
            return Ok(HashMap::new());
        }
        let ids: Vec<MemoryId> = memories
            .iter()
            .flatten()
            .flat_map(|memory| &memory.links)
            .filter(|link| link.kind == LinkKind::SupersededBy)
            .map(|link| link.to.clone())
            .collect();
        let found = self.store.get(&ids)?;
        Ok(found.into_iter().flatten().map(|memory| (memory.id, memory.created)).collect())
    }

    /// Adds what the found ones are linked to, one hop, damped.
    fn follow_links(&self, query: &Query, candidates: &mut Vec<Candidate>) -> Result<()> {
        if self.config.link_damping <= 0.0 {
            return Ok(());
        }
        let mut present: HashSet<MemoryId> =
            candidates.iter().map(|candidate| candidate.hit.memory.id.clone()).collect();
        let mut wanted: Vec<(MemoryId, f64)> = Vec::new();
        let mut from: Vec<&Candidate> =
            candidates.iter().filter(|c| self.config.relevance.is_shown(&c.features)).collect();
        from.sort_by(|a, b| b.hit.score.total_cmp(&a.hit.score));
        for candidate in from.into_iter().take(query.limit) {
            for link in &candidate.hit.memory.links {
                let follows =
                    matches!(link.kind, LinkKind::CausedBy | LinkKind::SameModule | LinkKind::Related);
                if follows && present.insert(link.to.clone()) {
                    wanted.push((link.to.clone(), candidate.hit.score * self.config.link_damping));
                }
            }
        }
        let ids: Vec<MemoryId> = wanted.iter().map(|(id, _)| id.clone()).collect();
        let found = self.store.get(&ids)?;
        let back = self.replacements(query, &found)?;
        for (rank, ((_, base), memory)) in wanted.into_iter().zip(found).enumerate() {
            let Some(memory) = memory.filter(|memory| self.refused(query, memory, &back).is_none()) else {
                continue;
            };
            let features = Features {
                linked: true,
                near: nearness(&memory, query.path.as_deref()) == Nearness::File,
                ..Features::default()
            };
            let channels = BTreeMap::from([(Channel::Link, ChannelScore { rank: rank + 1, score: base })]);
            candidates.push(Candidate { hit: self.weighed(query, memory, base, channels), features });
        }
        Ok(())
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
