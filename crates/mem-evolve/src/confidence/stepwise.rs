use super::{believe, count, from_grid, set_by_hand, status_by_floor, to_grid};
use crate::error::{Error, within};
use mem_core::{ConfidencePolicy, ConfidenceState, Counts, Evidence, EvidenceKind, InstinctStatus, Unit};
use serde::{Deserialize, Serialize};

/// The numbers of [`StepwisePolicy`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StepwiseConfig {
    /// Belief in what one session showed.
    pub initial: f64,
    /// What a session that confirms adds.
    pub confirm_step: f64,
    /// Votes raise no further than this. A person may set more.
    pub cap: f64,
    /// What a long silence takes.
    pub dormant_step: f64,
    /// What a session takes in which every one of at least `refute_opportunities` went by unused.
    pub refute_step: f64,
    /// So many missed opportunities, and not one taken, speak against an instinct. 0: never.
    pub refute_opportunities: u64,
    /// Votes and silence lower no further than this.
    pub lowest: f64,
    /// One that was at or above this and falls below it is deprecated.
    pub floor: f64,
    /// A session confirms when it took at least this share of its opportunities.
    pub confirm_share: f64,
}

impl Default for StepwiseConfig {
    fn default() -> Self {
        Self {
            initial: 0.5,
            confirm_step: 0.05,
            cap: 0.9,
            dormant_step: 0.05,
            refute_step: 0.05,
            refute_opportunities: 3,
            lowest: 0.05,
            floor: 0.55,
            confirm_share: 0.5,
        }
    }
}

/// A step up for each session that confirms, a step down for silence.
///
/// - The first session with a hit finds the instinct: `initial`.
/// - A later session confirms when it has a hit and took at least `confirm_share` of its opportunities: one step up,
///   to at most `cap`. One session is one vote, however often the pattern shows.
/// - Of a session in which the agent had been told of the instinct, the step is multiplied by the rate seen before
///   it was told ([`ConfidenceState::uninjected`]): behaviour that follows from the telling proves nothing new.
///   Without any count from before, it adds nothing.
/// - A session that missed at least `refute_opportunities` and took none lowers by `refute_step`, told or not: the
///   trigger came and the habit did not. Fewer misses, or a share below `confirm_share`, move nothing.
/// - A long silence lowers by `dormant_step`.
/// - An edit or an import sets the value; votes go on from there, and never lower what a person set above the cap.
///
/// What holds: belief stays in `[0, 1]`; a confirming session never lowers it; the order of sessions that all confirm
/// and of which none was told does not matter. Order does matter once steps up meet the cap or steps down the bottom,
/// and for sessions that were told, whose weight is the rate known at that moment.
///
/// Arithmetic is on a grid of millionths: `0.5 + 8 * 0.05` is exactly `0.9`.
///
/// ```
/// use mem_core::{ConfidencePolicy, Counts, Evidence, EvidenceKind, InstinctStatus, SessionId, Timestamp};
/// use mem_evolve::StepwisePolicy;
///
/// let policy = StepwisePolicy::default();
/// let counts = Counts { hits: 4, opportunities: 5, ..Counts::default() };
/// let mut evidence = Vec::new();
/// for session in ["one", "two", "three", "four", "five"] {
///     evidence.push(Evidence {
///         session: Some(SessionId::new(session)?),
///         project: None,
///         at: Timestamp::UNIX_EPOCH,
///         kind: EvidenceKind::Session { counts, injected: false },
///         note: String::new(),
///     });
/// }
/// let state = policy.fold(&evidence);
/// assert_eq!(state.confidence.get(), 0.7);
/// assert_eq!(policy.status(&state), InstinctStatus::Active);
/// # Ok::<(), mem_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepwisePolicy {
    config: StepwiseConfig,
}

impl StepwisePolicy {
    /// The policy with these numbers.
    ///
    /// # Errors
    /// [`Error::Setting`] for a number outside `[0, 1]`, a `cap` below `initial`, or a `lowest` above it.
    pub fn new(config: StepwiseConfig) -> Result<Self, Error> {
        const UNIT: &str = "a number between 0 and 1";
        within("confidence.initial", config.initial, 0.0, 1.0, UNIT)?;
        within("confidence.confirm_step", config.confirm_step, 0.0, 1.0, UNIT)?;
        within("confidence.dormant_step", config.dormant_step, 0.0, 1.0, UNIT)?;
        within("confidence.refute_step", config.refute_step, 0.0, 1.0, UNIT)?;
        within("confidence.floor", config.floor, 0.0, 1.0, UNIT)?;
        within("confidence.confirm_share", config.confirm_share, 0.0, 1.0, UNIT)?;
        within("confidence.cap", config.cap, config.initial, 1.0, "between confidence.initial and 1")?;
        within("confidence.lowest", config.lowest, 0.0, config.initial, "between 0 and confidence.initial")?;
        Ok(Self { config })
    }

    /// The numbers it works with.
    pub const fn config(&self) -> &StepwiseConfig {
        &self.config
    }

    fn raise(&self, state: &mut ConfidenceState, weight: f64) {
        let before = to_grid(state.confidence.get());
        let ceiling = to_grid(self.config.cap).max(before);
        let after = from_grid((before + to_grid(self.config.confirm_step * weight)).min(ceiling));
        // A value by hand may lie between two points of the grid: rounding it must not turn a step around.
        if after > state.confidence {
            believe(state, after);
        }
    }

    fn lower(&self, state: &mut ConfidenceState, step: f64) {
        let before = to_grid(state.confidence.get());
        let bottom = to_grid(self.config.lowest).min(before);
        let after = from_grid((before - to_grid(step)).max(bottom));
        if after < state.confidence {
            believe(state, after);
        }
    }

    fn vote(&self, state: &mut ConfidenceState, counts: Counts, injected: bool) {
        if counts.opportunities == 0 {
            return;
        }
        let found_before = state.sessions > 0 || state.by_hand;
        if !found_before {
            if counts.hits > 0 {
                state.sessions = 1;
                count(state, counts, injected);
            }
            return;
        }
        let weight = if injected { state.uninjected.rate() } else { 1.0 };
        if counts.hits > 0 && counts.rate() >= self.config.confirm_share {
            self.raise(state, weight);
        } else if counts.hits == 0
            && self.config.refute_opportunities > 0
            && counts.opportunities >= self.config.refute_opportunities
        {
            self.lower(state, self.config.refute_step);
        }
        state.sessions = state.sessions.saturating_add(1);
        state.by_hand = false;
        count(state, counts, injected);
    }
}

impl ConfidencePolicy for StepwisePolicy {
    fn start(&self) -> ConfidenceState {
        let confidence = from_grid(to_grid(self.config.initial));
        ConfidenceState {
            confidence,
            sessions: 0,
            counts: Counts::default(),
            uninjected: Counts::default(),
            by_hand: false,
            peak: confidence,
            support: 0.0,
            doubt: 0.0,
        }
    }

    fn apply(&self, mut state: ConfidenceState, evidence: &Evidence) -> ConfidenceState {
        match evidence.kind {
            EvidenceKind::Session { counts, injected } => self.vote(&mut state, counts, injected),
            EvidenceKind::Dormant => self.lower(&mut state, self.config.dormant_step),
            EvidenceKind::Edited { confidence } | EvidenceKind::Imported { confidence } => {
                // What an import brings replaces the belief in a first sighting, also as the highest so far.
                if state.sessions == 0 && !state.by_hand {
                    state.peak = Unit::ZERO;
                }
                set_by_hand(&mut state, confidence);
            }
            _ => {}
        }
        state
    }

    fn status(&self, state: &ConfidenceState) -> InstinctStatus {
        // One that never rose and fell below where everything starts has been disproved.
        if to_grid(state.confidence.get()) < to_grid(self.config.initial) && !state.by_hand {
            return InstinctStatus::Deprecated;
        }
        status_by_floor(state, self.config.floor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{dormant, edited, imported, session};
    use proptest::prelude::*;

    fn fold(evidence: &[Evidence]) -> ConfidenceState {
        StepwisePolicy::default().fold(evidence)
    }

    fn confidences(evidence: &[Evidence]) -> Vec<f64> {
        let policy = StepwisePolicy::default();
        let mut state = policy.start();
        evidence
            .iter()
            .map(|item| {
                state = policy.apply(state, item);
                state.confidence.get()
            })
            .collect()
    }

    #[test]
    fn climbs_in_exact_steps_to_the_cap() {
        let evidence: Vec<_> = (0..11).map(|i| session(i, 3, 3, false)).collect();
        let seen = confidences(&evidence);
        assert_eq!(seen, [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.9, 0.9]);
        assert_eq!(fold(&evidence).sessions, 11);
    }

    #[test]
    fn a_fresh_one_is_a_candidate_and_a_fallen_one_deprecated() {
        let policy = StepwisePolicy::default();
        let fresh = fold(&[session(1, 1, 1, false)]);
        assert_eq!(policy.status(&fresh), InstinctStatus::Candidate);
        let faded = fold(&[session(1, 1, 1, false), dormant()]);
        assert_eq!(faded.confidence.get(), 0.45);
        assert_eq!(policy.status(&faded), InstinctStatus::Deprecated, "below where everything starts");
        let confirmed = fold(&[session(1, 1, 1, false), session(2, 1, 1, false)]);
        assert_eq!(policy.status(&confirmed), InstinctStatus::Active);
        let fallen = fold(&[session(1, 1, 1, false), session(2, 1, 1, false), dormant()]);
        assert_eq!(fallen.confidence.get(), 0.5);
        assert_eq!(policy.status(&fallen), InstinctStatus::Deprecated);
        let back =
            fold(&[session(1, 1, 1, false), session(2, 1, 1, false), dormant(), session(3, 1, 1, false)]);
        assert_eq!(policy.status(&back), InstinctStatus::Active);
    }

    #[test]
    fn a_session_below_the_share_moves_nothing_and_a_missed_one_lowers() {
        let base = session(1, 1, 1, false);
        assert_eq!(confidences(&[base.clone(), session(2, 1, 3, false)]), [0.5, 0.5]);
        assert_eq!(confidences(&[base.clone(), session(2, 1, 2, false)]), [0.5, 0.55]);
        assert_eq!(confidences(&[base.clone(), session(2, 0, 2, false)]), [0.5, 0.5]);
        assert_eq!(confidences(&[base.clone(), session(2, 0, 3, false)]), [0.5, 0.45]);
        let silent = fold(&[base, session(2, 0, 0, false)]);
        assert_eq!((silent.sessions, silent.confidence.get()), (1, 0.5));
    }

    #[test]
    fn what_the_agent_was_told_counts_by_the_rate_from_before() {
        let seen = confidences(&[session(1, 3, 5, false), session(2, 9, 9, true), session(3, 9, 9, true)]);
        assert_eq!(seen, [0.5, 0.53, 0.56]);
        let never = confidences(&[imported(0.6), session(1, 4, 4, true)]);
        assert_eq!(never, [0.6, 0.6]);
        let refuted = confidences(&[session(1, 3, 5, false), session(2, 0, 4, true)]);
        assert_eq!(refuted, [0.5, 0.45]);
    }

    #[test]
    fn a_value_by_hand_holds_and_votes_go_on_from_it() {
        let seen = confidences(&[session(1, 1, 1, false), edited(0.97), session(2, 1, 1, false), dormant()]);
        assert_eq!(seen, [0.5, 0.97, 0.97, 0.92]);
        let low = confidences(&[imported(0.02), dormant(), session(1, 1, 1, false)]);
        assert_eq!(low, [0.02, 0.02, 0.07]);
        let state = fold(&[imported(0.3)]);
        assert!(state.by_hand);
        assert_eq!(StepwisePolicy::default().status(&state), InstinctStatus::Candidate);
        assert!(!fold(&[imported(0.3), session(1, 1, 1, false)]).by_hand);
    }

    #[test]
    fn refuses_numbers_that_contradict_each_other() {
        let config = StepwiseConfig { cap: 0.4, ..StepwiseConfig::default() };
        let error = StepwisePolicy::new(config).expect_err("a cap below the start");
        assert!(matches!(error, Error::Setting { key: "confidence.cap", .. }), "{error}");
        assert!(StepwisePolicy::new(StepwiseConfig::default()).is_ok());
    }

    #[test]
    fn settings_are_read_with_defaults_and_unknown_keys_refused() {
        let config: StepwiseConfig = serde_json::from_str(r#"{"cap":0.8}"#).expect("valid");
        assert_eq!(config, StepwiseConfig { cap: 0.8, ..StepwiseConfig::default() });
        assert!(serde_json::from_str::<StepwiseConfig>(r#"{"kap":0.8}"#).is_err());
    }

    proptest! {
        #[test]
        fn bounded_and_deterministic(evidence in crate::testing::any_evidence(40)) {
            let policy = StepwisePolicy::default();
            let mut state = policy.start();
            for item in &evidence {
                state = policy.apply(state, item);
                prop_assert!((0.0..=1.0).contains(&state.confidence.get()));
                prop_assert!(state.peak >= state.confidence);
            }
            prop_assert_eq!(state, policy.fold(&evidence));
        }

        #[test]
        fn one_more_confirmation_never_lowers(evidence in crate::testing::any_evidence(20), told in any::<bool>()) {
            let policy = StepwisePolicy::default();
            let before = policy.fold(&evidence);
            let after = policy.apply(before, &session(999, 5, 5, told));
            prop_assert!(after.confidence >= before.confidence);
        }

        #[test]
        fn the_order_of_confirming_sessions_does_not_matter(
            hits in proptest::collection::vec((1_u64..9, 0_u64..2), 1..14),
        ) {
            let evidence: Vec<_> = hits
                .iter()
                .enumerate()
                .map(|(i, (h, more))| session(i as u32, *h, h + (more * h), false))
                .collect();
            let mut reversed = evidence.clone();
            reversed.reverse();
            prop_assert_eq!(fold(&evidence), fold(&reversed));
            // The plain oracle: start, a step for each but the first, the cap.
            let expected = (500_000 + 50_000 * (evidence.len() as i64 - 1)).min(900_000);
            prop_assert_eq!(to_grid(fold(&evidence).confidence.get()), expected);
        }
    }
}
