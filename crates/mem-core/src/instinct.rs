use crate::{InstinctId, JsonObject, ProjectId, SessionId, Timestamp, Unit};
use serde::{Deserialize, Serialize};

/// How far an instinct is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum InstinctStatus {
    /// Found, not yet confirmed by a second session.
    Candidate,
    /// Confirmed.
    Active,
    /// Was confirmed once and fell below the policy's floor; kept, never used.
    Deprecated,
}

/// Where an instinct holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InstinctScope {
    /// In the project it was seen in.
    Project,
    /// Everywhere.
    Global,
}

/// How often a behaviour showed, against how often it could have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counts {
    /// Opportunities that were taken.
    pub hits: u64,
    /// Moments at which the behaviour could have shown.
    pub opportunities: u64,
    /// How often the action shows in the same sessions whatever went before.
    pub base_hits: u64,
    /// Out of how many moments `base_hits` was counted.
    pub base_total: u64,
}

impl Counts {
    /// Share of the opportunities taken, in `[0, 1]`; 0 without any.
    pub fn rate(&self) -> f64 {
        ratio(self.hits, self.opportunities)
    }

    /// How much likelier the action is after the trigger than at any moment:
    /// `P(action | trigger) / P(action)`, the lift of association rules (Brin et al., 1997).
    /// 1 means unrelated. Not defined, hence none, where the background was not counted.
    pub fn lift(&self) -> Option<f64> {
        let base = ratio(self.base_hits, self.base_total);
        (base > 0.0 && self.opportunities > 0).then(|| self.rate() / base)
    }

    /// The sum, saturating.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            hits: self.hits.saturating_add(other.hits),
            opportunities: self.opportunities.saturating_add(other.opportunities),
            base_hits: self.base_hits.saturating_add(other.base_hits),
            base_total: self.base_total.saturating_add(other.base_total),
        }
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { (part as f64 / whole as f64).min(1.0) }
}

/// What one piece of evidence is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
#[non_exhaustive]
pub enum EvidenceKind {
    /// A session in which the trigger occurred; `injected` when the agent had been told of the instinct.
    Session {
        /// What was counted in that session.
        counts: Counts,
        /// Whether the rule was loaded or injected while the session ran.
        injected: bool,
    },
    /// A long stretch in which the trigger did not occur.
    Dormant,
    /// A person set the confidence by hand.
    Edited {
        /// The value they wrote.
        confidence: Unit,
    },
    /// It came from elsewhere with this confidence.
    Imported {
        /// The value it came with.
        confidence: Unit,
    },
}

/// One reason to believe or doubt an instinct. At most one of a kind and session is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// The session it was seen in; none for edits, imports and dormancy.
    pub session: Option<SessionId>,
    /// The project it was seen in.
    pub project: Option<ProjectId>,
    /// When.
    pub at: Timestamp,
    /// What.
    #[serde(flatten)]
    pub kind: EvidenceKind,
    /// One line for a person: what was seen, without secrets.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// One atomic learned behaviour: a trigger and an action, with a confidence that evolves.
///
/// `confidence`, `status`, `counts` and `sessions` follow from the evidence by a [`ConfidencePolicy`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Instinct {
    /// Its name, an ASCII slug.
    pub id: InstinctId,
    /// When it applies, as a clause: "before editing a `*.rs` file".
    pub trigger: String,
    /// What to do then, as an instruction to oneself.
    pub action: String,
    /// A group such as `testing`, `git`, `workflow`, `debugging`.
    pub domain: String,
    /// Who found it: `session-observation`, `session-semantics`, `inherited`, …
    pub source: String,
    /// How far it is believed.
    pub confidence: Unit,
    /// Follows from confidence and evidence.
    pub status: InstinctStatus,
    /// Where it holds.
    pub scope: InstinctScope,
    /// The project of a project-scoped one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectId>,
    /// Sum over the sessions.
    #[serde(default)]
    pub counts: Counts,
    /// How many sessions voted.
    #[serde(default)]
    pub sessions: u32,
    /// First seen.
    pub created: Timestamp,
    /// Last seen.
    pub observed_at: Timestamp,
    /// Since when the agent is told of it; what it does from then on is weaker proof.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub injected_since: Option<Timestamp>,
    /// One line each, newest last, for people.
    #[serde(default)]
    pub evidence: Vec<String>,
    /// Keys other tools put in the front matter; they survive.
    #[serde(default, skip_serializing_if = "JsonObject::is_empty")]
    pub extra: JsonObject,
}

/// What a policy carries from one piece of evidence to the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConfidenceState {
    /// The present belief.
    pub confidence: Unit,
    /// Sessions that voted so far.
    pub sessions: u32,
    /// Sum of what they counted.
    pub counts: Counts,
    /// What was counted while the agent did not know of the instinct.
    pub uninjected: Counts,
    /// Whether a person or an import has fixed the value since the last vote.
    pub by_hand: bool,
    /// The highest belief so far: tells one that fell from one that never rose.
    pub peak: Unit,
    /// Weight of what speaks for it, for policies that keep such a sum; 0 where none is kept.
    pub support: f64,
    /// Weight of what speaks against it, likewise.
    pub doubt: f64,
}

/// How evidence becomes confidence. Pure: the same evidence in the same order gives the same state.
pub trait ConfidencePolicy: Send + Sync {
    /// The state before any evidence.
    fn start(&self) -> ConfidenceState;

    /// The state after one more piece of evidence. A session votes at most once; callers pass it once.
    fn apply(&self, state: ConfidenceState, evidence: &Evidence) -> ConfidenceState;

    /// What the state means.
    fn status(&self, state: &ConfidenceState) -> InstinctStatus;

    /// Folds evidence, oldest first.
    fn fold(&self, evidence: &[Evidence]) -> ConfidenceState {
        evidence.iter().fold(self.start(), |state, item| self.apply(state, item))
    }
}
