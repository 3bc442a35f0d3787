use super::{believe, count, set_by_hand, status_by_floor};
use crate::error::{Error, within};
use mem_core::{ConfidencePolicy, ConfidenceState, Counts, Evidence, EvidenceKind, InstinctStatus, Unit};
use serde::{Deserialize, Serialize};

/// Which number of the posterior is the confidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BetaEstimate {
    /// The posterior mean, `α / (α + β)`: unbiased, hasty with few sessions.
    Mean,
    /// The quantile at `level`: the rate it exceeds with probability `1 - level`. Careful with few sessions.
    #[default]
    LowerBound,
}

/// The numbers of [`BetaPolicy`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BetaConfig {
    /// Weight of the prior for it; 1 and 1 is the uniform prior of Bayes and Laplace.
    pub prior_support: f64,
    /// Weight of the prior against it.
    pub prior_doubt: f64,
    /// Which number of the posterior is the confidence.
    pub estimate: BetaEstimate,
    /// The quantile of [`BetaEstimate::LowerBound`].
    pub level: f64,
    /// Whether a session's rate is measured against how often the action shows anyway.
    pub use_lift: bool,
    /// What a long silence adds against it, in sessions.
    pub dormant_weight: f64,
    /// How many sessions a value set by a person or an import weighs.
    pub hand_weight: f64,
    /// One that was at or above this and falls below it is deprecated.
    pub floor: f64,
}

impl Default for BetaConfig {
    fn default() -> Self {
        Self {
            prior_support: 1.0,
            prior_doubt: 1.0,
            estimate: BetaEstimate::LowerBound,
            level: 0.1,
            use_lift: true,
            dormant_weight: 0.5,
            hand_weight: 8.0,
            floor: 0.55,
        }
    }
}

/// The posterior of the habit's rate under a Beta prior, each session one observation.
///
/// A session with opportunities adds weight 1, split between for and against by its rate. With `use_lift` the rate is
/// first freed of the background: `(P(a|t) - P(a)) / (1 - P(a))`, at least 0, the generative power of a cause
/// (Cheng, 1997, *From covariation to causation*) with the background of [`Counts`] for the rate without the trigger.
/// It is above 0 exactly when the lift is above 1. Where no background was counted, the plain rate stands.
///
/// The weight of a session that was told of the instinct is the rate seen before it was told; without any, 0.
/// `support` and `doubt` of the state are the posterior's `α` and `β`, prior included.
///
/// A value set by hand is the estimate at once, and weighs `hand_weight` sessions against later votes.
///
/// What holds: belief stays in `[0, 1]`; a session at full rate never lowers it; the order of sessions that were not
/// told does not matter to it at all, since weights are multiples of 2⁻²⁰ and their sums exact. The default reaches 0.7
/// after six full sessions, 0.8 after ten.
///
/// Source for the conjugate update and credible bounds: Gelman et al., *Bayesian Data Analysis*, 3rd ed., 2.1–2.4.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BetaPolicy {
    config: BetaConfig,
}

impl BetaPolicy {
    /// The policy with these numbers.
    ///
    /// # Errors
    /// [`Error::Setting`] for a prior that is not above 0, a level or floor outside `[0, 1]`, or a negative weight.
    pub fn new(config: BetaConfig) -> Result<Self, Error> {
        const WEIGHT: &str = "a number between 0.001 and 1000000";
        within("confidence.prior_support", config.prior_support, 1e-3, 1e6, WEIGHT)?;
        within("confidence.prior_doubt", config.prior_doubt, 1e-3, 1e6, WEIGHT)?;
        within("confidence.level", config.level, 1e-6, 0.999_999, "a number between 0.000001 and 0.999999")?;
        within("confidence.dormant_weight", config.dormant_weight, 0.0, 1e6, "a number from 0 to 1000000")?;
        within("confidence.hand_weight", config.hand_weight, 1e-3, 1e6, WEIGHT)?;
        within("confidence.floor", config.floor, 0.0, 1.0, "a number between 0 and 1")?;
        Ok(Self { config })
    }

    /// The numbers it works with.
    pub const fn config(&self) -> &BetaConfig {
        &self.config
    }

    fn share(&self, counts: Counts) -> f64 {
        let rate = counts.rate();
        if !self.config.use_lift || counts.base_total == 0 {
            return rate;
        }
        let base = (counts.base_hits as f64 / counts.base_total as f64).min(1.0);
        if base >= 1.0 { 0.0 } else { ((rate - base) / (1.0 - base)).max(0.0) }
    }

    fn estimate(&self, support: f64, doubt: f64) -> Unit {
        let value = match self.config.estimate {
            BetaEstimate::Mean => support / (support + doubt),
            BetaEstimate::LowerBound => quantile(support, doubt, self.config.level),
        };
        // The last bits of logarithms differ between platforms; millionths do not.
        super::from_grid(super::to_grid(value))
    }

    /// `α` and `β` of weight `hand_weight` whose estimate is `value`.
    fn masses_for(&self, value: f64) -> (f64, f64) {
        let total = self.config.hand_weight;
        let (mut low, mut high) = (total * 1e-6, total * (1.0 - 1e-6));
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            let short = match self.config.estimate {
                BetaEstimate::Mean => middle / total < value,
                // The quantile lies below `value` exactly when more than `level` of the mass does.
                BetaEstimate::LowerBound => {
                    incomplete_beta(middle, total - middle, value) > self.config.level
                }
            };
            if short { low = middle } else { high = middle }
        }
        let support = binary_step(high).max(STEP);
        (support, (binary_step(total) - support).max(STEP))
    }
}

impl ConfidencePolicy for BetaPolicy {
    fn start(&self) -> ConfidenceState {
        let support = binary_step(self.config.prior_support).max(STEP);
        let doubt = binary_step(self.config.prior_doubt).max(STEP);
        let confidence = self.estimate(support, doubt);
        ConfidenceState {
            confidence,
            sessions: 0,
            counts: Counts::default(),
            uninjected: Counts::default(),
            by_hand: false,
            peak: confidence,
            support,
            doubt,
        }
    }

    fn apply(&self, mut state: ConfidenceState, evidence: &Evidence) -> ConfidenceState {
        match evidence.kind {
            EvidenceKind::Session { counts, injected } => {
                if counts.opportunities == 0 {
                    return state;
                }
                let weight = binary_step(if injected { state.uninjected.rate() } else { 1.0 });
                let support = binary_step(weight * self.share(counts));
                state.support += support;
                state.doubt += weight - support;
                state.sessions = state.sessions.saturating_add(1);
                count(&mut state, counts, injected);
                // A vote of no weight changes nothing, so a value by hand stays to the last digit.
                if weight > 0.0 {
                    state.by_hand = false;
                    let confidence = self.estimate(state.support, state.doubt);
                    // Beside 0 and 1, a value by hand has no exact posterior: the direction of a vote still holds.
                    if support < weight || confidence > state.confidence {
                        believe(&mut state, confidence);
                    }
                }
            }
            EvidenceKind::Dormant => {
                state.doubt += binary_step(self.config.dormant_weight);
                let confidence = self.estimate(state.support, state.doubt);
                if confidence < state.confidence {
                    believe(&mut state, confidence);
                }
            }
            EvidenceKind::Edited { confidence } | EvidenceKind::Imported { confidence } => {
                (state.support, state.doubt) = self.masses_for(confidence.get());
                set_by_hand(&mut state, confidence);
            }
            _ => {}
        }
        state
    }

    fn status(&self, state: &ConfidenceState) -> InstinctStatus {
        status_by_floor(state, self.config.floor)
    }
}

const STEP: f64 = 1.0 / 1_048_576.0;

/// The nearest multiple of 2⁻²⁰: sums of such numbers are exact in any order, up to 2³³.
fn binary_step(value: f64) -> f64 {
    (value / STEP).round() * STEP
}

/// The `level` quantile of Beta(`a`, `b`), by bisection.
fn quantile(a: f64, b: f64, level: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..50 {
        let middle = (low + high) / 2.0;
        if incomplete_beta(a, b, middle) < level { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

/// The regularised incomplete beta function `I_x(a, b)`, by the continued fraction of *Numerical Recipes*, 6.4,
/// evaluated after Lentz. Good to about 1e-12 for the weights used here.
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p()).exp();
    if x < (a + 1.0) / (a + b + 2.0) {
        (front * continued_fraction(a, b, x) / a).clamp(0.0, 1.0)
    } else {
        (1.0 - front * continued_fraction(b, a, 1.0 - x) / b).clamp(0.0, 1.0)
    }
}

fn continued_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away_from_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut result = d;
    // Converges in O(√max(a, b)) rounds; the limit serves weights up to about a million.
    for round in 1..3_000 {
        let m = f64::from(round);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / away_from_zero(1.0 + even * d);
        c = away_from_zero(1.0 + even / c);
        result *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / away_from_zero(1.0 + odd * d);
        c = away_from_zero(1.0 + odd / c);
        let change = d * c;
        result *= change;
        if (change - 1.0).abs() < 1e-14 {
            break;
        }
    }
    result
}

/// The logarithm of the gamma function for positive arguments: Lanczos, g = 7, nine terms.
fn ln_gamma(x: f64) -> f64 {
    const TERMS: [f64; 8] = [
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    let x = x - 1.0;
    let sum = TERMS
        .iter()
        .zip(1_u32..)
        .fold(0.999_999_999_999_809_9, |sum, (term, i)| sum + term / (x + f64::from(i)));
    let t = x + 7.5;
    0.5 * (2.0 * std::f64::consts::PI).ln() + (x + 0.5) * t.ln() - t + sum.ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{dormant, edited, evidence_of, imported, session};
    use proptest::prelude::*;

    fn counts(hits: u64, opportunities: u64, base_hits: u64, base_total: u64) -> Evidence {
        evidence_of(
            1,
            EvidenceKind::Session {
                counts: Counts { hits, opportunities, base_hits, base_total },
                injected: false,
            },
        )
    }

    #[test]
    fn the_integral_agrees_with_closed_forms() {
        // I_x(a, 1) = x^a, I_x(1, b) = 1 - (1-x)^b, I_½(a, a) = ½.
        for x in [0.05, 0.3, 0.5, 0.77, 0.99] {
            for n in [0.5, 1.0, 3.0, 20.0, 400.0_f64] {
                assert!((incomplete_beta(n, 1.0, x) - x.powf(n)).abs() < 1e-10, "{n} {x}");
                assert!((incomplete_beta(1.0, n, x) - (1.0 - (1.0 - x).powf(n))).abs() < 1e-10, "{n} {x}");
                assert!((incomplete_beta(n, n, 0.5) - 0.5).abs() < 1e-10, "{n}");
            }
        }
    }

    #[test]
    fn full_sessions_follow_the_closed_form_of_the_lower_bound() {
        let policy = BetaPolicy::default();
        for n in [1_u32, 2, 6, 10, 30] {
            let evidence: Vec<_> = (0..n).map(|i| session(i, 2, 2, false)).collect();
            let expected = 0.1_f64.powf(1.0 / f64::from(n + 1));
            let got = policy.fold(&evidence).confidence.get();
            assert!((got - expected).abs() < 2e-6, "{n}: {got} for {expected}");
        }
        let six: Vec<_> = (0..6).map(|i| session(i, 2, 2, false)).collect();
        assert!(policy.fold(&six).confidence.get() >= 0.7);
    }

    #[test]
    fn an_action_that_shows_anyway_is_no_proof() {
        let policy = BetaPolicy::default();
        let related = policy.fold(&[counts(9, 10, 10, 100)]).confidence;
        let unrelated = policy.fold(&[counts(9, 10, 90, 100)]).confidence;
        let uncounted = policy.fold(&[counts(9, 10, 0, 0)]).confidence;
        assert!(related > unrelated);
        assert!(uncounted > related);
        let plain = BetaPolicy::new(BetaConfig { use_lift: false, ..BetaConfig::default() }).expect("valid");
        assert_eq!(plain.fold(&[counts(9, 10, 90, 100)]).confidence, uncounted);
        assert_eq!(policy.fold(&[counts(5, 5, 7, 7)]).support, 1.0);
    }

    #[test]
    fn a_value_by_hand_holds_to_the_digit_and_a_full_session_raises_it() {
        for estimate in [BetaEstimate::Mean, BetaEstimate::LowerBound] {
            let policy = BetaPolicy::new(BetaConfig { estimate, ..BetaConfig::default() }).expect("valid");
            for value in [0.0, 0.123_456_7, 0.5, 0.8, 0.95] {
                let set = policy.fold(&[edited(value)]);
                assert_eq!(set.confidence.get(), value);
                let up = policy.apply(set, &session(3, 4, 4, false));
                assert!(up.confidence >= set.confidence, "{estimate:?} {value} {up:?}");
                let told = policy.apply(set, &session(3, 4, 4, true));
                assert_eq!(told.confidence, set.confidence);
                let down = policy.apply(set, &dormant());
                assert!(down.confidence <= set.confidence, "{estimate:?} {value} {down:?}");
            }
        }
        assert_eq!(BetaPolicy::default().fold(&[imported(1.0)]).confidence, Unit::ONE);
    }

    #[test]
    fn silence_deprecates_what_was_active() {
        let policy = BetaPolicy::default();
        let mut evidence: Vec<_> = (0..6).map(|i| session(i, 2, 2, false)).collect();
        assert_eq!(policy.status(&policy.fold(&evidence[..1])), InstinctStatus::Candidate);
        assert_eq!(policy.status(&policy.fold(&evidence)), InstinctStatus::Active);
        evidence.extend((0..4).map(|_| dormant()));
        assert_eq!(policy.status(&policy.fold(&evidence)), InstinctStatus::Deprecated);
    }

    #[test]
    fn refuses_a_prior_of_nothing() {
        let error = BetaPolicy::new(BetaConfig { prior_doubt: 0.0, ..BetaConfig::default() });
        assert!(matches!(error, Err(Error::Setting { key: "confidence.prior_doubt", .. })));
    }

    proptest! {
        #[test]
        fn bounded_and_monotone(evidence in crate::testing::any_evidence(30)) {
            let policy = BetaPolicy::default();
            let state = policy.fold(&evidence);
            prop_assert!((0.0..=1.0).contains(&state.confidence.get()));
            prop_assert_eq!(state, policy.fold(&evidence));
            let up = policy.apply(state, &session(999, 6, 6, false));
            prop_assert!(up.confidence >= state.confidence);
        }

        #[test]
        fn order_of_untold_sessions_is_irrelevant(
            seen in proptest::collection::vec((0_u64..9, 1_u64..9), 1..30),
        ) {
            let evidence: Vec<_> =
                seen.iter().enumerate().map(|(i, (h, o))| session(i as u32, (*h).min(*o), *o, false)).collect();
            let mut reversed = evidence.clone();
            reversed.reverse();
            let policy = BetaPolicy::default();
            let (there, back) = (policy.fold(&evidence), policy.fold(&reversed));
            prop_assert_eq!(
                (there.confidence, there.support, there.doubt, there.counts),
                (back.confidence, back.support, back.doubt, back.counts)
            );
        }
    }
}
