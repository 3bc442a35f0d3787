//! From several ranked lists to one: pure.

use mem_core::{Channel, ChannelScore, MemoryId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How lists become one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Fusion {
    /// Reciprocal rank fusion: the sum of `weight / (k + rank)` (G. Cormack, C. Clarke, S. Büttcher, "Reciprocal Rank
    /// Fusion outperforms Condorcet and individual Rank Learning Methods", SIGIR 2009).
    Rrf {
        /// How little the first ranks stand out; 60 in the paper.
        k: f64,
    },
}

impl Default for Fusion {
    fn default() -> Self {
        Self::Rrf { k: 60.0 }
    }
}

/// What one channel found.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// Which channel.
    pub channel: Channel,
    /// How much it counts, against 1 for BM25; what is not above 0 does not count.
    pub weight: f64,
    /// Memories with the channel's own score, in any order; of a repeated one the best counts.
    pub hits: Vec<(MemoryId, f64)>,
}

/// One memory after fusion.
#[derive(Debug, Clone, PartialEq)]
pub struct Fused {
    /// Which.
    pub id: MemoryId,
    /// The sum over the channels, above 0.
    pub score: f64,
    /// Its place in each channel that found it.
    pub channels: BTreeMap<Channel, ChannelScore>,
}

/// Fuses rankings: best first, ties by id.
///
/// Equal scores in a channel share the better rank, so the result depends neither on the order of the lists nor on
/// the order of ties within one. Two rankings of the same channel are added up.
pub fn fuse(method: &Fusion, rankings: &[Ranking]) -> Vec<Fused> {
    let Fusion::Rrf { k } = *method;
    let mut fused: BTreeMap<MemoryId, (Vec<f64>, BTreeMap<Channel, ChannelScore>)> = BTreeMap::new();
    for ranking in rankings.iter().filter(|ranking| ranking.weight > 0.0) {
        let mut best: BTreeMap<&MemoryId, f64> = BTreeMap::new();
        for (id, score) in ranking.hits.iter().filter(|(_, score)| !score.is_nan()) {
            let seen = best.entry(id).or_insert(*score);
            *seen = seen.max(*score);
        }
        let mut hits: Vec<(&MemoryId, f64)> = best.into_iter().collect();
        hits.sort_by(|a, b| b.1.total_cmp(&a.1));
        let (mut rank, mut last) = (0, f64::NAN);
        for (at, (id, score)) in hits.into_iter().enumerate() {
            if score != last {
                (rank, last) = (at + 1, score);
            }
            let (shares, channels) = fused.entry(id.clone()).or_default();
            shares.push(ranking.weight / (k.max(0.0) + rank as f64));
            let place = ChannelScore { rank, score };
            channels
                .entry(ranking.channel)
                .and_modify(|seen| {
                    if rank < seen.rank {
                        *seen = place
                    }
                })
                .or_insert(place);
        }
    }
    let mut fused: Vec<Fused> = fused
        .into_iter()
        .map(|(id, (mut shares, channels))| {
            // Summed in one order, whatever the order of the rankings: addition of floats is not associative.
            shares.sort_by(f64::total_cmp);
            Fused { id, score: shares.into_iter().sum(), channels }
        })
        .collect();
    fused.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
    fused
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ranking(channel: Channel, weight: f64, hits: &[(&str, f64)]) -> Ranking {
        let hits = hits.iter().map(|(id, score)| (MemoryId::new(*id).unwrap(), *score)).collect();
        Ranking { channel, weight, hits }
    }

    #[test]
    fn ranks_add_up_by_weight() {
        let lexical = ranking(Channel::Bm25, 1.0, &[("a", 9.0), ("b", 8.0), ("c", 1.0)]);
        let vector = ranking(Channel::Vector, 0.5, &[("b", 0.9), ("d", 0.8)]);
        let fused = fuse(&Fusion::default(), &[lexical, vector]);
        let ids: Vec<_> = fused.iter().map(|hit| hit.id.as_str()).collect();
        assert_eq!(ids, ["b", "a", "c", "d"]);
        assert!((fused[0].score - (1.0 / 62.0 + 0.5 / 61.0)).abs() < 1e-12);
        assert_eq!(fused[0].channels[&Channel::Bm25], ChannelScore { rank: 2, score: 8.0 });
    }

    #[test]
    fn ties_share_a_rank_and_nothing_counts_for_nothing() {
        let fused =
            fuse(&Fusion::default(), &[ranking(Channel::Bm25, 1.0, &[("b", 1.0), ("a", 1.0), ("c", 0.5)])]);
        assert_eq!(fused.iter().map(|hit| hit.channels[&Channel::Bm25].rank).collect::<Vec<_>>(), [1, 1, 3]);
        assert!(fuse(&Fusion::default(), &[ranking(Channel::Vector, 0.0, &[("a", 1.0)])]).is_empty());
        assert!(fuse(&Fusion::default(), &[ranking(Channel::Vector, 1.0, &[("a", f64::NAN)])]).is_empty());
    }

    proptest! {
        #[test]
        fn order_of_lists_and_of_ties_does_not_matter(
            a in proptest::collection::vec((0u8..12, 0u8..4), 0..20),
            b in proptest::collection::vec((0u8..12, 0u8..4), 0..20),
        ) {
            let make = |channel, weight, list: &[(u8, u8)], back: bool| {
                let mut hits: Vec<_> = list.iter()
                    .map(|(id, score)| (MemoryId::new(format!("m{id}")).unwrap(), f64::from(*score))).collect();
                if back { hits.reverse(); }
                Ranking { channel, weight, hits }
            };
            let one = fuse(&Fusion::default(), &[make(Channel::Bm25, 1.0, &a, false), make(Channel::Vector, 0.3, &b, false)]);
            let two = fuse(&Fusion::default(), &[make(Channel::Vector, 0.3, &b, true), make(Channel::Bm25, 1.0, &a, true)]);
            prop_assert_eq!(&one, &two);
            prop_assert!(one.is_sorted_by(|x, y| x.score >= y.score));
        }
    }
}
