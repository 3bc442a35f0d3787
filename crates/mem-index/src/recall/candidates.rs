//! From what the channels found to weighed hits.

use super::{Candidate, Recaller};
use crate::{AnchorState, Features, Fused, Nearness, RankContext, detect, factors, marks, nearness};
use mem_core::{
    Channel, ChannelScore, Dropped, Factors, Hit, Language, LinkKind, Memory, MemoryId, ProjectFilter, Query,
    Result, Spread, Status, TextHit, TextHits, Timestamp, VectorHit, VectorHits,
};
use std::collections::{BTreeMap, HashMap, HashSet};

/// So many memories more that hold no word of the question: in a store of a few, what stands out is told by it.
const STRANGERS: Spread = Spread { count: 100, mean: 0.0, deviation: 0.0 };

/// Everything the channels said.
pub(super) struct Evidence<'a> {
    pub(super) lexical: &'a TextHits,
    pub(super) nearest: &'a VectorHits,
    pub(super) lent: &'a HashMap<MemoryId, f64>,
}

impl Recaller<'_> {
    /// Fetches, drops what may not be recalled, and weighs.
    pub(super) fn candidates(
        &self,
        query: &Query,
        fused: Vec<Fused>,
        evidence: &Evidence<'_>,
        dropped: &mut Vec<Dropped>,
    ) -> Result<Vec<Candidate>> {
        let words: HashMap<&MemoryId, &TextHit> =
            evidence.lexical.hits.iter().map(|hit| (&hit.id, hit)).collect();
        let near: HashMap<&MemoryId, &VectorHit> =
            evidence.nearest.hits.iter().map(|hit| (&hit.id, hit)).collect();
        let (words_spread, grams_spread) =
            (evidence.lexical.words.and(STRANGERS), evidence.lexical.grams.and(STRANGERS));
        let top = evidence.lexical.hits.iter().map(|hit| hit.score).fold(0.0, f64::max);
        let calibration = self.embedder.map(|embedder| embedder.calibration());
        let ids: Vec<MemoryId> = fused.iter().map(|fused| fused.id.clone()).collect();
        let memories = self.store.get(&ids)?;
        let back = self.replacements(query, &memories)?;
        let mut found = Vec::with_capacity(fused.len());
        for (fused, memory) in fused.into_iter().zip(memories) {
            let Some(memory) = memory else {
                dropped.push(Dropped { id: fused.id, reason: "no longer in the store".to_owned() });
                continue;
            };
            if let Some(reason) = self.refused(query, &memory, &back) {
                dropped.push(Dropped { id: fused.id, reason });
                continue;
            }
            found.push((fused, memory));
        }
        self.read_passages(&mut found, &evidence.lexical.terms);
        let best = found.first().map_or(0.0, |(first, _)| first.score);
        let asked = detect(&query.text);
        let mut candidates = Vec::with_capacity(found.len());
        for (fused, memory) in found {
            let hit = words.get(&fused.id).copied();
            let bm25 = hit.map_or(0.0, |hit| hit.score);
            let cosine = near.get(&fused.id).map(|hit| hit.cosine);
            let features = Features {
                coverage: hit.map_or(0.0, |hit| hit.coverage),
                specificity: hit.map_or(0.0, |hit| hit.specificity),
                bm25,
                bm25_share: if top > 0.0 { bm25 / top } else { 0.0 },
                bm25_z: words_spread.z(bm25),
                grams_z: hit.map_or(0.0, |hit| grams_spread.z(hit.grams)),
                cosine,
                cosine_z: cosine
                    .zip(calibration)
                    .map_or(0.0, |(cosine, calibration)| calibration.unrelated.z(cosine)),
                fused: fused.score,
                behind: best - fused.score,
                lent: evidence.lent.get(&fused.id).copied().unwrap_or(0.0),
                other_language: memory.language != Language::default()
                    && asked != Language::default()
                    && memory.language != asked,
                near: nearness(&memory, query.path.as_deref()) == Nearness::File,
                linked: false,
            };
            let base = match self.config.fusion {
                crate::Fusion::Rrf { .. } => {
                    (fused.score / best).powf(self.config.ranking.sharpness.max(0.0))
                }
                _ => (-features.behind / self.config.ranking.temperature.max(f64::MIN_POSITIVE)).exp(),
            };
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
    pub(super) fn follow_links(&self, query: &Query, candidates: &mut Vec<Candidate>) -> Result<()> {
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
