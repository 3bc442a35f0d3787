//! Sums over the scores of every memory, in lanes that a compiler can vectorise, and the best of them.

use mem_core::Spread;

const LANES: usize = 8;
/// So many scores are looked at as one.
const BLOCK: usize = 64;

/// A score as it is kept for every memory; 0 for one that was not found.
pub(super) trait Score: Copy + Default + PartialOrd + Into<f64> {}
impl Score for f64 {}
impl Score for f32 {}

/// The spread of scores over `documents` memories, of which `scores` has all that were found.
pub(super) fn spread<T: Score>(scores: &[T], documents: u64) -> Spread {
    if documents == 0 {
        return Spread::default();
    }
    let (mut sums, mut squares) = ([0.0; LANES], [0.0; LANES]);
    for chunk in scores.chunks(LANES) {
        for ((sum, square), score) in sums.iter_mut().zip(&mut squares).zip(chunk) {
            let score: f64 = (*score).into();
            *sum += score;
            *square += score * score;
        }
    }
    let documents_f = documents as f64;
    let mean = sums.iter().sum::<f64>() / documents_f;
    let square = squares.iter().sum::<f64>() / documents_f;
    let variance = square - mean * mean;
    // What is left of equal scores is rounding.
    let deviation = if variance > ROUNDING * square { variance.sqrt() } else { 0.0 };
    Spread { count: documents, mean, deviation }
}

/// Less than this share of the mean square is no variance.
const ROUNDING: f64 = 1e-12;

/// Blocks of scores with their first number and their greatest.
fn blocks<T: Score>(scores: &[T]) -> impl Iterator<Item = (u32, &[T], f64)> {
    scores.chunks(BLOCK).enumerate().map(|(at, block)| {
        let mut lanes = [T::default(); LANES];
        for chunk in block.chunks(LANES) {
            for (most, score) in lanes.iter_mut().zip(chunk) {
                *most = if *score > *most { *score } else { *most };
            }
        }
        let most = lanes.into_iter().map(Into::into).fold(0.0, f64::max);
        ((at * BLOCK) as u32, block, most)
    })
}

/// Which memories have the `k` best scores above 0.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Best {
    /// Those that certainly are among them.
    pub(super) sure: Vec<u32>,
    /// Those of the last score; of these only so many are as are missing.
    pub(super) tied: Vec<u32>,
}

pub(super) fn best<T: Score>(scores: &[T], k: usize) -> Best {
    if k == 0 {
        return Best::default();
    }
    let mut kept: Vec<(f64, u32)> = Vec::new();
    let mut floor = 0.0;
    let cut = |kept: &mut Vec<(f64, u32)>| {
        kept.select_nth_unstable_by(k - 1, |a, b| b.0.total_cmp(&a.0));
        kept.truncate(k);
        kept.last().map_or(0.0, |(score, _)| *score)
    };
    for (base, block, most) in blocks(scores) {
        if most <= floor {
            continue;
        }
        let found = (base..).zip(block).map(|(doc, score)| ((*score).into(), doc));
        kept.extend(found.filter(|(score, _)| *score > floor));
        if kept.len() > k.saturating_mul(4) + BLOCK {
            floor = cut(&mut kept);
        }
    }
    if kept.len() < k {
        return Best { sure: kept.into_iter().map(|(_, doc)| doc).collect(), tied: Vec::new() };
    }
    let last = cut(&mut kept);
    let sure = kept.iter().filter(|(score, _)| *score > last).map(|(_, doc)| *doc).collect();
    let mut tied = Vec::new();
    for (base, block, most) in blocks(scores) {
        if most >= last {
            tied.extend(
                (base..).zip(block).filter(|(_, score)| (**score).into() == last).map(|(doc, _)| doc),
            );
        }
    }
    Best { sure, tied }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn spread_and_best_are_those_of_a_sort(
            found in proptest::collection::vec(0u8..6, 0..400),
            more in 0u64..50,
            k in 0usize..12,
        ) {
            let scores: Vec<f32> = found.iter().map(|score| f32::from(*score)).collect();
            let documents = scores.len() as u64 + more;
            let plain = Spread::of(scores.iter().map(|score| f64::from(*score)), more);
            let own = spread(&scores, documents);
            prop_assert_eq!(own.count, plain.count);
            prop_assert!((own.mean - plain.mean).abs() < 1e-9 && (own.deviation - plain.deviation).abs() < 1e-9);

            let mut sorted: Vec<f32> = scores.iter().copied().filter(|score| *score > 0.0).collect();
            sorted.sort_by(|a, b| b.total_cmp(a));
            let Best { sure, tied } = best(&scores, k);
            let mut given: Vec<f32> = sure.iter().chain(&tied).map(|doc| scores[*doc as usize]).collect();
            given.sort_by(|a, b| b.total_cmp(a));
            prop_assert!(sure.len() <= k);
            prop_assert_eq!(&given[..k.min(given.len())], &sorted[..k.min(sorted.len())]);
            if let Some(last) = tied.first() {
                let last = scores[*last as usize];
                prop_assert_eq!(tied.len(), scores.iter().filter(|score| **score == last).count());
                prop_assert!(tied.is_sorted());
            }
        }
    }
}
