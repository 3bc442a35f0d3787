//! What stands beside a memory, and where in it the words are, says what it is about.

use super::Recaller;
use crate::{Fused, PassageScorer};
use mem_core::{Channel, ChannelScore, Memory, MemoryId, Result, Spread};
use std::collections::{BTreeMap, HashMap};

/// At most so many of the best lend to what stands beside them.
const LENDERS: usize = 100;

impl Recaller<'_> {
    /// Lets the turns of a conversation lend each other a share of their score, and answers how much each got.
    ///
    /// A turn that no channel found comes in by what stands beside it: an answer seldom repeats the words of its
    /// question. Where order means nothing (see [`mem_core::Provenance::ordinal`]) nothing changes.
    pub(super) fn lend(&self, fused: &mut Vec<Fused>) -> Result<HashMap<MemoryId, f64>> {
        let share = self.config.neighbour_share;
        if share <= 0.0 || fused.is_empty() {
            return Ok(HashMap::new());
        }
        let lenders: Vec<MemoryId> = fused.iter().take(LENDERS).map(|hit| hit.id.clone()).collect();
        let beside = self.store.neighbours(&lenders)?;
        let mut lent: HashMap<MemoryId, f64> = HashMap::new();
        for (lender, beside) in fused.iter().zip(beside) {
            for id in beside {
                *lent.entry(id).or_default() += share * lender.score;
            }
        }
        if lent.is_empty() {
            return Ok(lent);
        }
        let mut rest = lent.clone();
        for hit in fused.iter_mut() {
            if let Some(got) = rest.remove(&hit.id) {
                hit.score += got;
                hit.channels.insert(Channel::Neighbour, ChannelScore { rank: 1, score: got });
            }
        }
        fused.extend(rest.into_iter().map(|(id, got)| Fused {
            id,
            score: got,
            channels: BTreeMap::from([(Channel::Neighbour, ChannelScore { rank: 1, score: got })]),
        }));
        fused.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
        rank_by(fused.iter_mut(), Channel::Neighbour);
        Ok(lent)
    }
}

impl Recaller<'_> {
    /// Where a memory is longer than one passage, scores the passages of all that were found, and adds the mean of the
    /// three best of each in standard scores: what is in one place counts more than what is strewn over a long text.
    pub(super) fn read_passages(&self, found: &mut [(Fused, Memory)], terms: &[(String, f64)]) {
        let config = &self.config;
        let long = |memory: &Memory| memory.body.chars().nth(config.passages.cut.chars).is_some();
        if config.passage_weight <= 0.0 || !found.iter().any(|(_, memory)| long(memory)) {
            return;
        }
        let scorer = PassageScorer::new(terms, &config.passages);
        let scores: Vec<f64> =
            found.iter().map(|(_, memory)| scorer.score(&memory.full_text()).top).collect();
        let spread = Spread::of(scores.iter().copied(), 0);
        for ((hit, _), score) in found.iter_mut().zip(scores) {
            hit.score += config.passage_weight * spread.z(score);
            if score > 0.0 {
                hit.channels.insert(Channel::Passage, ChannelScore { rank: 1, score });
            }
        }
        found.sort_by(|(a, _), (b, _)| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
        rank_by(found.iter_mut().map(|(hit, _)| hit), Channel::Passage);
    }
}

/// Sets the ranks of a channel by its scores, equal ones alike.
fn rank_by<'a>(hits: impl Iterator<Item = &'a mut Fused>, channel: Channel) {
    let mut places: Vec<&mut ChannelScore> = hits.filter_map(|hit| hit.channels.get_mut(&channel)).collect();
    let mut scores: Vec<f64> = places.iter().map(|place| place.score).collect();
    scores.sort_by(|a, b| b.total_cmp(a));
    for place in &mut places {
        place.rank = 1 + scores.partition_point(|score| *score > place.score);
    }
}
