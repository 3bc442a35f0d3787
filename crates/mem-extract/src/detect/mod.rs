//! Path A of learning: statistics over the tool calls of one session.
//!
//! [`Detectors`] turns observations into [`SessionSteps`] and asks each [`Detector`] for [`Finding`]s. A
//! detector counts opportunities as well as hits, so that absence is evidence too.
//!
//! ```
//! use mem_core::{Observation, Phase, SessionId, Timestamp};
//! use mem_extract::detect::Detectors;
//!
//! let mut session = Vec::new();
//! for (tool, key, value) in [("Read", "file_path", "/a.rs"), ("Edit", "file_path", "/a.rs"), ("Bash", "command", "cargo test")] {
//!     let mut call = Observation::new(SessionId::new("s")?, Timestamp::UNIX_EPOCH, Phase::Post);
//!     call.tool = Some(tool.to_owned());
//!     call.input.insert(key.to_owned(), value.into());
//!     session.push(call);
//! }
//! let found = Detectors::default().run(&session, &[]);
//! let ids: Vec<&str> = found.iter().map(|f| f.id.as_str()).collect();
//! assert_eq!(ids, ["read-before-edit-rs", "search-before-edit-rs", "test-after-edit-cargo-test"]);
//! # Ok::<(), mem_core::Error>(())
//! ```

mod command;
mod commit_check;
mod correction;
mod error_fix;
mod preflight;
mod read_before_edit;
mod runners;
mod search_before_edit;
mod shell;
mod slug;
mod steps;
mod test_after_edit;
mod workflow;

#[cfg(test)]
mod tests;

pub use command::{Command, CommandRole, PreflightWay};
pub use commit_check::CheckBeforeCommit;
pub use correction::UserCorrection;
pub use error_fix::ErrorThenFix;
pub use preflight::CliPreflight;
pub use read_before_edit::ReadBeforeEdit;
pub use search_before_edit::SearchBeforeEdit;
pub use steps::{Event, FileRef, Outcome, SessionSteps, Thread, What};
pub use test_after_edit::TestAfterEdit;
pub use workflow::RepeatedWorkflow;

use mem_core::{Counts, InstinctId, Observation};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Thresholds of the detectors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DetectConfig {
    /// A session with fewer tool calls says nothing.
    pub min_tool_calls: u64,
    /// Opportunities in one session before a habit is [`Standing::Shown`].
    pub min_opportunities: u64,
    /// Share of the opportunities taken before a habit is [`Standing::Shown`].
    pub min_rate: f64,
    /// Tool calls before an edit in which a search counts.
    pub search_window: usize,
    /// Tool calls after a failure in which the fix counts.
    pub fix_window: usize,
    /// Fewest steps of a workflow.
    pub workflow_min_len: usize,
    /// Most steps of a workflow.
    pub workflow_max_len: usize,
    /// Times a workflow shows in one session before it is found.
    pub workflow_min_support: u64,
    /// Lift of a workflow's last step over its share of all steps before it is found.
    pub workflow_min_lift: f64,
    /// Most workflows of one session, the most frequent first.
    pub workflow_max: usize,
    /// Longest prompt, in characters, that is taken for a correction.
    pub correction_max_chars: usize,
}

impl Default for DetectConfig {
    fn default() -> Self {
        Self {
            min_tool_calls: 3,
            min_opportunities: 2,
            min_rate: 0.5,
            search_window: 12,
            fix_window: 25,
            workflow_min_len: 3,
            workflow_max_len: 5,
            workflow_min_support: 3,
            workflow_min_lift: 1.2,
            workflow_max: 10,
            correction_max_chars: 300,
        }
    }
}

/// What a finding may be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// Seen often enough in this session to found a new instinct.
    Shown,
    /// Seen, too seldom to found one; counts for or against an instinct that is known.
    Weak,
    /// Could have shown and did not (`hits` is 0); counts against an instinct that is known.
    Absent,
}

/// A habit, and how often one session showed it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The instinct it speaks of; the same habit gives the same id in every session and project.
    pub id: InstinctId,
    /// The detector's name.
    pub detector: String,
    /// When the habit applies, as a clause.
    pub trigger: String,
    /// What to do then.
    pub action: String,
    /// `workflow`, `testing`, `git`, `debugging` or `tooling`.
    pub domain: String,
    /// Hits and opportunities; each detector says what it counts.
    pub counts: Counts,
    /// What it may be used for.
    pub standing: Standing,
    /// One line for a person, without paths.
    pub note: String,
}

/// Finds one sort of habit.
///
/// Pure: the same session, known ids and thresholds give the same findings. `hits ≤ opportunities` and
/// `base_hits ≤ base_total` hold for each.
pub trait Detector: Send + Sync {
    /// A short ASCII name, also the head of its ids.
    fn name(&self) -> &'static str;

    /// The findings of one session, in any order, ids possibly repeated over threads.
    ///
    /// `known` holds ids of instincts that exist: a detector with an open set of subjects counts
    /// opportunities against those it recognises as its own.
    fn detect(&self, session: &SessionSteps, known: &[InstinctId], config: &DetectConfig) -> Vec<Finding>;
}

/// The detectors in use, with their thresholds.
pub struct Detectors {
    config: DetectConfig,
    list: Vec<Box<dyn Detector>>,
}

impl Default for Detectors {
    fn default() -> Self {
        Self::new(DetectConfig::default())
    }
}

impl Detectors {
    /// All detectors of this crate.
    pub fn new(config: DetectConfig) -> Self {
        Self::empty(config)
            .with(ReadBeforeEdit)
            .with(SearchBeforeEdit)
            .with(TestAfterEdit)
            .with(ErrorThenFix)
            .with(CheckBeforeCommit)
            .with(CliPreflight)
            .with(RepeatedWorkflow)
            .with(UserCorrection)
    }

    /// None yet.
    pub fn empty(config: DetectConfig) -> Self {
        Self { config, list: Vec::new() }
    }

    /// One more.
    #[must_use]
    pub fn with(mut self, detector: impl Detector + 'static) -> Self {
        self.list.push(Box::new(detector));
        self
    }

    /// Their names, in order.
    pub fn names(&self) -> Vec<&'static str> {
        self.list.iter().map(|d| d.name()).collect()
    }

    /// The findings of one session, sorted by id, each id once.
    ///
    /// `observations` are those of one session in order of receipt; `known` the ids of instincts that exist,
    /// which may be empty. Nothing comes of a session with fewer tool calls than the configured least.
    pub fn run(&self, observations: &[Observation], known: &[InstinctId]) -> Vec<Finding> {
        let session = SessionSteps::new(observations);
        if session.calls() < self.config.min_tool_calls {
            return Vec::new();
        }
        let mut merged: BTreeMap<InstinctId, Finding> = BTreeMap::new();
        for finding in self.list.iter().flat_map(|d| d.detect(&session, known, &self.config)) {
            match merged.entry(finding.id.clone()) {
                std::collections::btree_map::Entry::Vacant(slot) => {
                    slot.insert(finding);
                }
                std::collections::btree_map::Entry::Occupied(mut slot) => {
                    let kept = slot.get_mut();
                    let note = if finding.counts.hits > kept.counts.hits {
                        finding.note
                    } else {
                        std::mem::take(&mut kept.note)
                    };
                    kept.note = note;
                    kept.counts = kept.counts.plus(finding.counts);
                    // Standing by thresholds of its own (workflows, corrections) never falls by merging.
                    if finding.standing == Standing::Shown {
                        kept.standing = Standing::Shown;
                    } else if kept.counts.hits > 0 && kept.standing == Standing::Absent {
                        kept.standing = Standing::Weak;
                    }
                }
            }
        }
        merged.into_values().collect()
    }
}

/// What a detector says of one subject, before it has an id.
pub(crate) struct Draft {
    pub(crate) detector: &'static str,
    pub(crate) slug: String,
    pub(crate) trigger: String,
    pub(crate) action: String,
    pub(crate) domain: &'static str,
    pub(crate) counts: Counts,
    pub(crate) note: String,
}

impl Draft {
    /// A finding whose standing follows from the general thresholds.
    pub(crate) fn finish(self, config: &DetectConfig) -> Option<Finding> {
        let enough =
            self.counts.opportunities >= config.min_opportunities && self.counts.rate() >= config.min_rate;
        let standing = match self.counts.hits {
            0 => Standing::Absent,
            _ if enough => Standing::Shown,
            _ => Standing::Weak,
        };
        self.finish_as(standing)
    }

    /// A finding with a standing the detector decided.
    pub(crate) fn finish_as(self, standing: Standing) -> Option<Finding> {
        if self.counts.opportunities == 0 {
            return None;
        }
        let mut counts = self.counts;
        counts.hits = counts.hits.min(counts.opportunities);
        counts.base_hits = counts.base_hits.min(counts.base_total);
        Some(Finding {
            id: InstinctId::new(slug::bounded(&self.slug)).ok()?,
            detector: self.detector.to_owned(),
            trigger: self.trigger,
            action: self.action,
            domain: self.domain.to_owned(),
            counts,
            standing: if counts.hits == 0 { Standing::Absent } else { standing },
            note: self.note,
        })
    }
}

/// "the file" where the kind says nothing.
pub(crate) fn a_file(kind: &str) -> String {
    match kind {
        "file" => "an existing file".to_owned(),
        kind => format!("a `{kind}` file"),
    }
}
