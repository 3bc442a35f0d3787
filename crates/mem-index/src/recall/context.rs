//! What stands beside a memory says what it is about.

use super::Recaller;
use crate::Fused;
use mem_core::{Channel, ChannelScore, MemoryId, Result};
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
        rank_by(fused, Channel::Neighbour);
        Ok(lent)
    }
}

/// Sets the ranks of a channel by its scores, equal ones alike.
fn rank_by(fused: &mut [Fused], channel: Channel) {
    let mut scores: Vec<f64> =
        fused.iter().filter_map(|hit| hit.channels.get(&channel)).map(|place| place.score).collect();
    scores.sort_by(|a, b| b.total_cmp(a));
    for place in fused.iter_mut().filter_map(|hit| hit.channels.get_mut(&channel)) {
        place.rank = 1 + scores.partition_point(|score| *score > place.score);
    }
}
