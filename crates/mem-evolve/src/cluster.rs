use crate::similarity::{Signature, SimilarityConfig, common, share};
use crate::union_find::UnionFind;
use mem_core::Instinct;
use std::cmp::Ordering;
use std::collections::HashMap;

/// Groups wordings of one habit: the connected components of "is similar", each ascending, ordered by first element.
///
/// The result is that of comparing all pairs. Candidates come from an inverted index over the rarest tokens of each
/// set: two sets of Jaccard index `t` share one of the first `n - ⌈t·n⌉ + 1` tokens in an order by rarity (prefix
/// filter: Chaudhuri, Ganti and Kaushik, 2006; Bayardo, Ma and Srikant, 2007), and the smaller has at least `t` times
/// the size of the larger. Pairs already in one group are not compared.
pub fn cluster(signatures: &[Signature], config: &SimilarityConfig) -> Vec<Vec<usize>> {
    let mut sets = UnionFind::new(signatures.len());
    let distinct = join_identical(signatures, config, &mut sets);
    let ranked = rank_tokens(signatures, &distinct);

    let mut postings: Vec<Vec<usize>> = Vec::new();
    let mut seen_by = vec![usize::MAX; ranked.len()];
    for (at, own) in ranked.iter().enumerate() {
        let size = own.tokens.len();
        // A hair less than the bound: rounding may add candidates, never lose one.
        let least = config.jaccard * size as f64 - 1e-9;
        let prefix = size - (least.ceil().max(1.0) as usize).min(size) + 1;
        for token in own.tokens.iter().take(prefix) {
            let token = *token as usize;
            if postings.len() <= token {
                postings.resize_with(token + 1, Vec::new);
            }
            let Some(earlier) = postings.get_mut(token) else { continue };
            // Sets come by size: the ones too small stand at the front.
            let skip = earlier
                .partition_point(|i| ranked.get(*i).is_none_or(|other| (other.tokens.len() as f64) < least));
            for candidate in earlier.iter().skip(skip) {
                let Some(mark) = seen_by.get_mut(*candidate) else { continue };
                if std::mem::replace(mark, at) == at {
                    continue;
                }
                let Some(other) = ranked.get(*candidate) else { continue };
                if own.can_reach(other, config.jaccard)
                    && sets.find(own.item) != sets.find(other.item)
                    && share(common(&own.tokens, &other.tokens), size, other.tokens.len()) >= config.jaccard
                    && !(config.heed_contradictions && contradict(signatures, own.item, other.item))
                {
                    sets.union(own.item, other.item);
                }
            }
            earlier.push(at);
        }
    }
    sets.components()
}

/// A token set as ascending ranks of rarity, 0 the rarest.
struct Ranked {
    item: usize,
    tokens: Vec<u32>,
    /// Parity of the tokens by rank modulo 128.
    bits: u128,
}

impl Ranked {
    /// Whether the index can reach the threshold at all: differing bits are differing tokens, so the common ones are at
    /// most half of what is left (bitmap filter: Sandes, Teodoro and Melo, 2020).
    fn can_reach(&self, other: &Self, threshold: f64) -> bool {
        let (a, b) = (self.tokens.len(), other.tokens.len());
        let differing = (self.bits ^ other.bits).count_ones() as usize;
        let most = ((a + b).saturating_sub(differing) / 2).min(a).min(b);
        share(most, a, b) >= threshold
    }
}

/// Joins what is equal in everything, and returns one of each that has tokens at all.
fn join_identical(signatures: &[Signature], config: &SimilarityConfig, sets: &mut UnionFind) -> Vec<usize> {
    let mut first: HashMap<&Signature, usize> = HashMap::new();
    let mut distinct = Vec::new();
    for (i, signature) in signatures.iter().enumerate() {
        if signature.tokens().is_empty() {
            continue;
        }
        match first.get(signature) {
            Some(earlier) if 1.0 >= config.jaccard => {
                sets.union(*earlier, i);
            }
            _ => {
                first.insert(signature, i);
                distinct.push(i);
            }
        }
    }
    distinct
}

/// The sets by size, the small ones first.
fn rank_tokens(signatures: &[Signature], items: &[usize]) -> Vec<Ranked> {
    let mut frequency: HashMap<&str, u32> = HashMap::new();
    let of = |i: &usize| signatures.get(*i).map(|s| s.tokens().as_slice()).unwrap_or_default();
    for item in items {
        for token in of(item) {
            *frequency.entry(token).or_default() += 1;
        }
    }
    let mut order: Vec<(u32, &str)> = frequency.iter().map(|(token, n)| (*n, *token)).collect();
    order.sort_unstable();
    let rank: HashMap<&str, u32> = order.iter().zip(0..).map(|((_, token), i)| (*token, i)).collect();
    let mut ranked: Vec<Ranked> = items
        .iter()
        .map(|item| {
            let mut tokens: Vec<u32> =
                of(item).iter().filter_map(|token| rank.get(token.as_str()).copied()).collect();
            tokens.sort_unstable();
            let bits = tokens.iter().fold(0_u128, |bits, token| bits ^ (1 << (token % 128)));
            Ranked { item: *item, tokens, bits }
        })
        .collect();
    ranked.sort_by_key(|set| (set.tokens.len(), set.item));
    ranked
}

fn contradict(signatures: &[Signature], a: usize, b: usize) -> bool {
    match (signatures.get(a), signatures.get(b)) {
        (Some(a), Some(b)) => a.contradicts(b),
        _ => true,
    }
}

/// Orders instincts by who speaks for a group: the more confident first, then the one of more sessions, then by id.
pub(crate) fn precedence(a: &Instinct, b: &Instinct) -> Ordering {
    b.confidence
        .get()
        .total_cmp(&a.confidence.get())
        .then_with(|| b.sessions.cmp(&a.sessions))
        .then_with(|| a.id.cmp(&b.id))
        .then_with(|| a.project.cmp(&b.project))
}

/// The one that speaks for the rest: the most confident, then that of most sessions, then the first by id.
pub fn representative<'a>(group: impl IntoIterator<Item = &'a Instinct>) -> Option<&'a Instinct> {
    group.into_iter().min_by(|a, b| precedence(a, b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::instinct;
    use proptest::prelude::*;

    /// All pairs, then graph components by repeated relabelling.
    fn exhaustive(signatures: &[Signature], config: &SimilarityConfig) -> Vec<Vec<usize>> {
        let mut label: Vec<usize> = (0..signatures.len()).collect();
        loop {
            let mut changed = false;
            for a in 0..signatures.len() {
                for b in 0..signatures.len() {
                    if label[a] < label[b] && signatures[a].is_similar(&signatures[b], config) {
                        label[b] = label[a];
                        changed = true;
                    } else if label[b] < label[a] && signatures[b].is_similar(&signatures[a], config) {
                        label[a] = label[b];
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        let mut groups: std::collections::BTreeMap<usize, Vec<usize>> = std::collections::BTreeMap::new();
        for (i, l) in label.iter().enumerate() {
            groups.entry(*l).or_default().push(i);
        }
        groups.into_values().collect()
    }

    fn word() -> impl Strategy<Value = &'static str> {
        proptest::sample::select(vec![
            "commit", "push", "test", "cargo", "pnpm", "before", "after", "提交", "之前", "运行", "测试",
            "edit", "*.rs", "*.ts", "alpha", "beta", "gamma", "delta", "晨会", "纪要", "the", "user_id",
        ])
    }

    fn wording() -> impl Strategy<Value = Signature> {
        (proptest::collection::vec(word(), 0..4), proptest::collection::vec(word(), 0..6))
            .prop_map(|(trigger, action)| Signature::new(&trigger.join(" "), &action.join(" ")))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn equals_comparing_all_pairs(
            signatures in proptest::collection::vec(wording(), 0..40),
            jaccard in prop_oneof![Just(0.5), Just(1.0), Just(1.0 / 3.0), Just(0.6), 0.01..1.0_f64],
            heed_contradictions in any::<bool>(),
        ) {
            let config = SimilarityConfig { jaccard, heed_contradictions };
            prop_assert_eq!(cluster(&signatures, &config), exhaustive(&signatures, &config));
        }
    }

    #[test]
    fn empty_wordings_stay_alone() {
        let empty = Signature::new("", "");
        let groups = cluster(&[empty.clone(), empty], &SimilarityConfig::default());
        assert_eq!(groups, vec![vec![0], vec![1]]);
    }

    #[test]
    fn the_most_confident_speaks_then_sessions_then_id() {
        let mut group = [
            instinct("b", "git", "t", "a", 0.8),
            instinct("a", "git", "t", "a", 0.8),
            instinct("c", "git", "t", "a", 0.7),
        ];
        assert_eq!(representative(&group).map(|i| i.id.as_str()), Some("a"));
        group[0].sessions = 5;
        assert_eq!(representative(&group).map(|i| i.id.as_str()), Some("b"));
        group[2].confidence = mem_core::Unit::saturating(0.85);
        assert_eq!(representative(&group).map(|i| i.id.as_str()), Some("c"));
        assert_eq!(representative([]), None);
    }
}
