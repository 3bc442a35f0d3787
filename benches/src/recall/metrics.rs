//! What a ranking is worth, as pure functions; every value is a share in `[0, 1]`.

/// How many hits are looked at.
pub(super) const DEPTH: usize = 100;
/// The metrics, in the order of [`values`].
pub(super) const NAMES: [&str; 10] =
    ["R@1", "R@5", "R@10", "any@1", "any@5", "any@10", "all@5", "all@10", "nDCG@10", "MRR"];
/// Those that come with an interval.
pub(super) const WITH_INTERVAL: [&str; 5] = ["R@5", "R@10", "any@5", "all@5", "nDCG@10"];
/// Resamples of a bootstrap.
const RESAMPLES: usize = 1_000;
const SEED: u64 = 20_261_130;

/// All metrics of one answer: whether each hit is gold, the best first, and how many gold documents there are.
pub(super) fn values(hits: &[bool], gold: usize) -> [f64; NAMES.len()] {
    let hits = hits.get(..DEPTH).unwrap_or(hits);
    [
        recall(hits, gold, 1),
        recall(hits, gold, 5),
        recall(hits, gold, 10),
        any(hits, 1),
        any(hits, 5),
        any(hits, 10),
        all(hits, gold, 5),
        all(hits, gold, 10),
        ndcg(hits, gold, 10),
        reciprocal_rank(hits),
    ]
}

/// Where a metric stands in [`NAMES`].
pub(super) fn place(name: &str) -> Option<usize> {
    NAMES.iter().position(|own| *own == name)
}

fn found(hits: &[bool], k: usize) -> usize {
    hits.iter().take(k).filter(|gold| **gold).count()
}

/// The share of the gold documents among the first k.
fn recall(hits: &[bool], gold: usize, k: usize) -> f64 {
    found(hits, k) as f64 / gold.max(1) as f64
}

/// Whether any gold document is among the first k.
fn any(hits: &[bool], k: usize) -> f64 {
    f64::from(u8::from(found(hits, k) > 0))
}

/// Whether every gold document is among the first k.
fn all(hits: &[bool], gold: usize, k: usize) -> f64 {
    f64::from(u8::from(gold > 0 && found(hits, k) == gold))
}

/// Discounted gain over that of an ideal answer, which has min(k, gold) gold documents in front (K. Järvelin,
/// J. Kekäläinen, "Cumulated gain-based evaluation of IR techniques", TOIS 2002; gains are 0 or 1).
fn ndcg(hits: &[bool], gold: usize, k: usize) -> f64 {
    let discount = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
    let ideal: f64 = (0..gold.min(k)).map(discount).sum();
    // From 0: the sum of no floats is -0.
    let hits = hits.iter().take(k).enumerate().filter(|(_, gold)| **gold);
    let gain = hits.fold(0.0, |gain, (at, _)| gain + discount(at));
    if ideal > 0.0 { gain / ideal } else { 0.0 }
}

fn reciprocal_rank(hits: &[bool]) -> f64 {
    hits.iter().position(|gold| *gold).map_or(0.0, |at| 1.0 / (at as f64 + 1.0))
}

/// The mean; 0 of nothing.
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The smallest value that at least this share of all do not exceed; none of nothing.
pub(super) fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(at.saturating_sub(1)).copied()
}

/// The interval that holds 95 % of the means of resamples (percentile bootstrap: B. Efron, 1979), seeded.
pub(super) fn interval(values: &[f64]) -> [f64; 2] {
    let mut random = Random(SEED);
    let mut means: Vec<f64> = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        let sum: f64 = (0..values.len())
            .map(|_| values.get(random.below(values.len())).copied().unwrap_or_default())
            .sum();
        means.push(sum / values.len().max(1) as f64);
    }
    [quantile(&means, 0.025).unwrap_or_default(), quantile(&means, 0.975).unwrap_or_default()]
}

/// SplitMix64 (Steele, Lea and Flood, 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((x ^ (x >> 31)) % end.max(1) as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, hits: &[bool], gold: usize) -> f64 {
        values(hits, gold)[place(name).unwrap()]
    }

    #[test]
    fn values_are_those_worked_out_by_hand() {
        // Gold at ranks 2, 4 and 7; a fourth gold document was not found.
        let hits = [false, true, false, true, false, false, true];
        assert_eq!(of("R@1", &hits, 4), 0.0);
        assert_eq!(of("R@5", &hits, 4), 0.5);
        assert_eq!(of("R@10", &hits, 4), 0.75);
        assert_eq!((of("any@1", &hits, 4), of("any@5", &hits, 4), of("any@10", &hits, 4)), (0.0, 1.0, 1.0));
        assert_eq!((of("all@5", &hits, 4), of("all@10", &hits, 4)), (0.0, 0.0));
        assert_eq!((of("all@5", &hits, 3), of("all@10", &hits, 3)), (0.0, 1.0));
        assert_eq!(of("MRR", &hits, 4), 0.5);
        // (1/log2 3 + 1/log2 5 + 1/log2 8) / (1 + 1/log2 3 + 1/log2 4 + 1/log2 5)
        //   = (0.630930 + 0.430677 + 0.333333) / (1 + 0.630930 + 0.5 + 0.430677) = 1.394940 / 2.561606
        assert!((of("nDCG@10", &hits, 4) - 0.544_557).abs() < 1e-5, "{}", of("nDCG@10", &hits, 4));
    }

    #[test]
    fn the_ideal_answer_has_no_more_than_ten() {
        assert!((of("nDCG@10", &[true; 10], 12) - 1.0).abs() < 1e-12);
        assert_eq!(of("R@10", &[true; 10], 12), 10.0 / 12.0);
        assert_eq!(values(&[], 1), [0.0; NAMES.len()]);
        assert!(values(&[], 1).iter().all(|value| value.is_sign_positive()));
        assert_eq!(of("all@5", &[], 0), 0.0, "of nothing not all was found");
    }

    #[test]
    fn ranks_beyond_the_depth_do_not_count() {
        let mut hits = vec![false; DEPTH];
        hits.push(true);
        assert_eq!(of("MRR", &hits, 1), 0.0);
        hits[DEPTH - 1] = true;
        assert_eq!(of("MRR", &hits, 1), 0.01);
    }

    #[test]
    fn quantiles_are_values_that_occurred() {
        let values = [4.0, 1.0, 3.0, 2.0];
        assert_eq!(
            [0.0, 0.25, 0.5, 0.75, 0.95, 1.0].map(|share| quantile(&values, share).unwrap()),
            [1.0, 1.0, 2.0, 3.0, 4.0, 4.0]
        );
        assert_eq!(quantile(&[], 0.5), None);
    }

    #[test]
    fn the_interval_is_about_as_wide_as_theory_says() {
        let values: Vec<f64> = (0..400).map(|at| f64::from(u8::from(at % 2 == 0))).collect();
        let [low, high] = interval(&values);
        // 1.96 · sqrt(0.25 / 400) = 0.049
        assert!((low - 0.451).abs() < 0.01 && (high - 0.549).abs() < 0.01, "{low} {high}");
        assert_eq!(interval(&values), [low, high]);
        assert_eq!(interval(&[1.0; 5]), [1.0, 1.0]);
        assert_eq!(interval(&[]), [0.0, 0.0]);
    }
}
