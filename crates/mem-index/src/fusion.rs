//! From several ranked lists to one: pure.

use mem_core::{Channel, ChannelScore, MemoryId, Spread};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// How lists become one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Fusion {
    /// The sum of `weight · z`, where z is the channel's score in standard deviations above the mean of all memories
    /// that take part; what a channel did not list counts as [`Ranking::unlisted`] (score normalisation by mean and
    /// variance and its sum: M. Montague, J. Aslam, "Relevance Score Normalization for Metasearch", CIKM 2001).
    /// It keeps what a rank throws away: how far ahead a hit is.
    #[default]
    ZScores,
    /// Reciprocal rank fusion: the sum of `weight / (k + rank)` (G. Cormack, C. Clarke, S. Büttcher, "Reciprocal Rank
    /// Fusion outperforms Condorcet and individual Rank Learning Methods", SIGIR 2009).
    Rrf {
        /// How little the first ranks stand out; 60 in the paper.
        k: f64,
    },
}

impl Fusion {
    /// Reciprocal rank fusion with the constant of its paper.
    pub const RRF: Self = Self::Rrf { k: 60.0 };
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
    /// The channel's scores over every memory that takes part. Ranks do without.
    pub spread: Spread,
    /// The score of what is not in `hits`: 0 where the list is complete, the mean where it was cut. Ranks do without.
    pub unlisted: f64,
}

impl Ranking {
    /// How many deviations a score lies above what is not listed.
    ///
    /// Where nothing is spread (one memory, or all alike) what is listed is ahead by one.
    fn lead(&self, score: f64) -> f64 {
        let lead = score - self.unlisted;
        if self.spread.deviation > 0.0 {
            lead / self.spread.deviation
        } else {
            f64::from(u8::from(lead > 0.0))
        }
    }
}

/// One memory after fusion.
#[derive(Debug, Clone, PartialEq)]
pub struct Fused {
    /// Which.
    pub id: MemoryId,
    /// The sum over the channels. By ranks it is above 0; by scores 0 is a memory that no channel listed.
    pub score: f64,
    /// Its place in each channel that found it.
    pub channels: BTreeMap<Channel, ChannelScore>,
}

/// Fuses rankings: best first, ties by id.
///
/// Equal scores in a channel share the better rank, so the result depends neither on the order of the lists nor on
/// the order of ties within one. Two rankings of the same channel are added up.
pub fn fuse(method: &Fusion, rankings: &[Ranking]) -> Vec<Fused> {
    let mut fused: HashMap<&MemoryId, (Vec<f64>, BTreeMap<Channel, ChannelScore>)> = HashMap::new();
    for ranking in rankings.iter().filter(|ranking| ranking.weight > 0.0) {
        let mut best: HashMap<&MemoryId, f64> = HashMap::with_capacity(ranking.hits.len());
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
            let (shares, channels) = fused.entry(id).or_default();
            shares.push(match *method {
                Fusion::ZScores => ranking.weight * ranking.lead(score),
                Fusion::Rrf { k } => ranking.weight / (k.max(0.0) + rank as f64),
            });
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
            Fused { id: id.clone(), score: shares.into_iter().sum(), channels }
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
        Ranking {
            channel,
            weight,
            hits,
            spread: Spread { count: 9, mean: 1.0, deviation: 2.0 },
            unlisted: 0.0,
        }
    }

    #[test]
    fn scores_add_up_by_how_far_they_are_ahead() {
        let lexical = ranking(Channel::Bm25, 1.0, &[("a", 9.0), ("b", 8.0), ("c", 1.0)]);
        let mut vector = ranking(Channel::Vector, 0.5, &[("b", 0.9), ("d", 0.8)]);
        (vector.spread.deviation, vector.unlisted) = (0.1, 0.2);
        let fused = fuse(&Fusion::ZScores, &[lexical, vector]);
        let sums: Vec<_> = fused.iter().map(|hit| format!("{} {:.2}", hit.id, hit.score)).collect();
        assert_eq!(sums, ["b 7.50", "a 4.50", "d 3.00", "c 0.50"]);
        assert_eq!(fused[0].channels[&Channel::Vector], ChannelScore { rank: 1, score: 0.9 });

        let mut alone = ranking(Channel::Bm25, 1.0, &[("a", 3.0)]);
        alone.spread = Spread::of([3.0], 0);
        assert_eq!(fuse(&Fusion::ZScores, &[alone])[0].score, 1.0, "nothing is spread");
    }

    #[test]
    fn ranks_add_up_by_weight() {
        let lexical = ranking(Channel::Bm25, 1.0, &[("a", 9.0), ("b", 8.0), ("c", 1.0)]);
        let vector = ranking(Channel::Vector, 0.5, &[("b", 0.9), ("d", 0.8)]);
        let fused = fuse(&Fusion::RRF, &[lexical, vector]);
        let ids: Vec<_> = fused.iter().map(|hit| hit.id.as_str()).collect();
        assert_eq!(ids, ["b", "a", "c", "d"]);
        assert!((fused[0].score - (1.0 / 62.0 + 0.5 / 61.0)).abs() < 1e-12);
        assert_eq!(fused[0].channels[&Channel::Bm25], ChannelScore { rank: 2, score: 8.0 });
    }

    #[test]
    fn ties_share_a_rank_and_nothing_counts_for_nothing() {
        let fused = fuse(&Fusion::RRF, &[ranking(Channel::Bm25, 1.0, &[("b", 1.0), ("a", 1.0), ("c", 0.5)])]);
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
                Ranking { channel, weight, hits, spread: Spread { count: 40, mean: 1.0, deviation: 0.7 }, unlisted: 1.0 }
            };
            for method in [Fusion::ZScores, Fusion::RRF] {
                let one = fuse(&method, &[make(Channel::Bm25, 1.0, &a, false), make(Channel::Vector, 0.3, &b, false)]);
                let two = fuse(&method, &[make(Channel::Vector, 0.3, &b, true), make(Channel::Bm25, 1.0, &a, true)]);
                prop_assert_eq!(&one, &two);
                prop_assert!(one.is_sorted_by(|x, y| x.score >= y.score));
            }
        }
    }
}
