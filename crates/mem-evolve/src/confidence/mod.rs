//! How evidence becomes belief: see [`StepwisePolicy`] and [`BetaPolicy`].

mod beta;
mod stepwise;

pub use beta::{BetaConfig, BetaEstimate, BetaPolicy};
pub use stepwise::{StepwiseConfig, StepwisePolicy};

use mem_core::{ConfidenceState, Counts, InstinctStatus, Unit};

/// Confidence is counted in millionths, so that 0.5 and eight times 0.05 make 0.9 and not almost 0.9.
const GRID: f64 = 1_000_000.0;

/// The nearest point of the grid.
pub(crate) fn to_grid(value: f64) -> i64 {
    (value * GRID).round() as i64
}

/// The number nearest to a point of the grid: the one a person would write.
pub(crate) fn from_grid(points: i64) -> Unit {
    Unit::saturating(points as f64 / GRID)
}

/// Adds what a session counted.
fn count(state: &mut ConfidenceState, counts: Counts, injected: bool) {
    state.counts = state.counts.plus(counts);
    if !injected {
        state.uninjected = state.uninjected.plus(counts);
    }
}

/// Sets a value that comes from a person or an import.
fn set_by_hand(state: &mut ConfidenceState, confidence: Unit) {
    state.by_hand = true;
    believe(state, confidence);
}

fn believe(state: &mut ConfidenceState, confidence: Unit) {
    state.confidence = confidence;
    if confidence > state.peak {
        state.peak = confidence;
    }
}

/// Active from the floor on; below it deprecated if it ever was above, else a candidate. A policy that knows where
/// everything starts may deprecate below that as well.
fn status_by_floor(state: &ConfidenceState, floor: f64) -> InstinctStatus {
    let floor = to_grid(floor);
    if to_grid(state.confidence.get()) >= floor {
        InstinctStatus::Active
    } else if to_grid(state.peak.get()) >= floor {
        InstinctStatus::Deprecated
    } else {
        InstinctStatus::Candidate
    }
}
