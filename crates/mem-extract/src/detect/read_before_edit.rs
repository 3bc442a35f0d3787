use super::slug::slug;
use super::{DetectConfig, Detector, Draft, Event, FileRef, Finding, Outcome, SessionSteps, What, a_file};
use mem_core::{Counts, InstinctId};
use std::collections::{BTreeMap, HashSet};

/// Reads a file before the first time it edits it; one instinct a file kind.
///
/// Opportunity: the first edit of an existing file in a thread. A whole-file write of a file not met before
/// counts as creating it and is none; a failed edit is one only when it failed because the file was not read.
/// Hit: the file was read, or written by the agent itself, earlier in the thread. Background: of all tool calls that
/// are no edits, those that read a file.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReadBeforeEdit;

/// Whether the host refused an edit because the file had not been read.
fn unread(event: &Event) -> bool {
    event.error.as_deref().is_some_and(|e| e.contains("not been read") || e.contains("Read it first"))
}

impl Detector for ReadBeforeEdit {
    fn name(&self) -> &'static str {
        "read-before-edit"
    }

    fn detect(&self, session: &SessionSteps, _: &[InstinctId], config: &DetectConfig) -> Vec<Finding> {
        let mut kinds: BTreeMap<String, Counts> = BTreeMap::new();
        for thread in &session.threads {
            let mut met: Vec<&FileRef> = Vec::new();
            let mut edited: HashSet<&str> = HashSet::new();
            let mut here: BTreeMap<String, Counts> = BTreeMap::new();
            for event in thread.tool_events() {
                match &event.what {
                    What::Read(Some(file)) if event.outcome != Outcome::Failed => met.push(file),
                    What::Edit { file: Some(file), whole } => {
                        let failed = event.outcome == Outcome::Failed;
                        let refused = failed && unread(event);
                        let seen = met.iter().any(|m| m.same(file));
                        let created = *whole && !seen && !refused;
                        if (!failed || refused) && !created && !edited.contains(file.path.as_str()) {
                            let counts = here.entry(file.kind.clone()).or_default();
                            counts.opportunities += 1;
                            counts.hits += u64::from(seen && !refused);
                        }
                        if !failed || refused {
                            edited.insert(&file.path);
                        }
                        if !failed {
                            met.push(file);
                        }
                    }
                    _ => {}
                }
            }
            let base_total = thread.calls_where(|e| !matches!(e.what, What::Edit { .. }));
            let base_hits = thread.calls_where(|e| matches!(e.what, What::Read(_)));
            for (kind, counts) in here {
                let sum = kinds.entry(kind).or_default();
                *sum = sum.plus(Counts { base_hits, base_total, ..counts });
            }
        }
        kinds
            .into_iter()
            .filter_map(|(kind, counts)| {
                Draft {
                    detector: self.name(),
                    slug: format!("{}-{}", self.name(), slug(&kind)),
                    trigger: format!("before editing {}", a_file(&kind)),
                    action: "Read the file first (Read), then Edit".to_owned(),
                    domain: "workflow",
                    counts,
                    note: format!(
                        "{} of {} first edits of {} came after reading it",
                        counts.hits,
                        counts.opportunities,
                        a_file(&kind)
                    ),
                }
                .finish(config)
            })
            .collect()
    }
}
