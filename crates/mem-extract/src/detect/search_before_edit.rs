use super::slug::slug;
use super::{DetectConfig, Detector, Draft, FileRef, Finding, Outcome, SessionSteps, What, a_file};
use mem_core::{Counts, InstinctId};
use std::collections::{BTreeMap, HashSet};

/// Searches, then reads a file, then edits it; one instinct a file kind.
///
/// Opportunity: the first edit of an existing file in a thread, as for [`super::ReadBeforeEdit`]. Hit: within
/// the configured number of tool calls before it there is a search and, after the search, a read of that
/// file. Background: of all tool calls that are no edits, those that search.
#[derive(Debug, Clone, Copy, Default)]
pub struct SearchBeforeEdit;

impl Detector for SearchBeforeEdit {
    fn name(&self) -> &'static str {
        "search-before-edit"
    }

    fn detect(&self, session: &SessionSteps, _: &[InstinctId], config: &DetectConfig) -> Vec<Finding> {
        let mut kinds: BTreeMap<String, Counts> = BTreeMap::new();
        for thread in &session.threads {
            let events: Vec<_> = thread.tool_events().filter(|e| e.outcome != Outcome::Failed).collect();
            let mut edited: HashSet<&str> = HashSet::new();
            let mut met: Vec<&FileRef> = Vec::new();
            let mut here: BTreeMap<String, Counts> = BTreeMap::new();
            for (at, event) in events.iter().enumerate() {
                match &event.what {
                    What::Read(Some(file)) => met.push(file),
                    What::Edit { file: Some(file), whole } => {
                        let created = *whole && !met.iter().any(|m| m.same(file));
                        if edited.insert(&file.path) && !created {
                            let before = events.get(..at).unwrap_or_default();
                            let within =
                                |step: usize| event.step.saturating_sub(step) <= config.search_window;
                            let search = before.iter().position(|e| within(e.step) && e.what == What::Search);
                            let hit = search.is_some_and(|search| {
                                before
                                    .iter()
                                    .skip(search + 1)
                                    .any(|e| matches!(&e.what, What::Read(Some(read)) if read.same(file)))
                            });
                            let counts = here.entry(file.kind.clone()).or_default();
                            counts.opportunities += 1;
                            counts.hits += u64::from(hit);
                        }
                        met.push(file);
                    }
                    _ => {}
                }
            }
            let base_total = thread.calls_where(|e| !matches!(e.what, What::Edit { .. }));
            let base_hits = thread.calls_where(|e| e.what == What::Search);
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
                    trigger: format!("before changing {}", a_file(&kind)),
                    action: "Search for the place and its uses (Grep or Glob), Read the file, then Edit"
                        .to_owned(),
                    domain: "workflow",
                    counts,
                    note: format!(
                        "{} of {} first edits of {} came after a search and a read",
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
