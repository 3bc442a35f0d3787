use super::command::CommandRole;
use super::slug::slug;
use super::{DetectConfig, Detector, Draft, Event, Finding, Outcome, SessionSteps, Thread};
use mem_core::{Counts, InstinctId};
use std::collections::{BTreeMap, BTreeSet};

/// Looks before it commits; one instinct a check: `git status`, `git diff`, a test command, a linter.
///
/// Opportunity: each `git commit` that ran. Hit: the check ran since the commit before, and did not fail; in one line
/// with the commit it counts. Background: of all tool calls, those that ran the check. `git status` and `git diff`
/// are always counted, other checks when the session ran them or an instinct is known.
#[derive(Debug, Clone, Copy, Default)]
pub struct CheckBeforeCommit;

fn check_family(event: &Event) -> Option<&str> {
    matches!(event.role(), Some(CommandRole::Check | CommandRole::Test))
        .then(|| event.command.as_ref().map(|c| c.family.as_str()))
        .flatten()
}

impl Detector for CheckBeforeCommit {
    fn name(&self) -> &'static str {
        "check-before-commit"
    }

    fn detect(&self, session: &SessionSteps, known: &[InstinctId], config: &DetectConfig) -> Vec<Finding> {
        let mut families: BTreeMap<String, String> = BTreeMap::new();
        let id = |family: &str| format!("{}-{}", self.name(), slug(family));
        let seen: BTreeSet<&str> =
            session.threads.iter().flat_map(Thread::tool_events).filter_map(check_family).collect();
        for family in ["git status", "git diff"].into_iter().chain(seen) {
            families.insert(id(family), family.to_owned());
        }
        let head = format!("{}-", self.name());
        for known in known {
            if let Some(tail) = known.as_str().strip_prefix(&head) {
                families.entry(known.as_str().to_owned()).or_insert_with(|| tail.replace('-', " "));
            }
        }
        let mut sums: BTreeMap<&str, Counts> = BTreeMap::new();
        for thread in &session.threads {
            let mut commits = 0u64;
            let mut since: BTreeSet<&str> = BTreeSet::new();
            let mut hits: BTreeMap<String, u64> = BTreeMap::new();
            for event in thread.tool_events() {
                if event.role() == Some(CommandRole::Commit) {
                    commits += 1;
                    for family in std::mem::take(&mut since) {
                        *hits.entry(family.to_owned()).or_default() += 1;
                    }
                } else if let Some(family) = check_family(event) {
                    if event.outcome == Outcome::Failed {
                        since.remove(family);
                    } else {
                        since.insert(family);
                    }
                }
            }
            for (slug, family) in &families {
                let sum = sums.entry(slug).or_default();
                if commits == 0 {
                    continue;
                }
                *sum = sum.plus(Counts {
                    hits: hits.get(family).copied().unwrap_or_default(),
                    opportunities: commits,
                    base_hits: thread.calls_where(|e| check_family(e) == Some(family)),
                    base_total: thread.calls(),
                });
            }
        }
        families
            .iter()
            .filter_map(|(slug, family)| {
                let counts = sums.get(slug.as_str()).copied().unwrap_or_default();
                let action = match family.as_str() {
                    "git status" => "Run `git status` and look at what would be committed".to_owned(),
                    "git diff" => "Read the change with `git diff` first".to_owned(),
                    other => format!("Run `{other}` and commit only when it passes"),
                };
                Draft {
                    detector: self.name(),
                    slug: slug.clone(),
                    trigger: "before `git commit`".to_owned(),
                    action,
                    domain: "git",
                    counts,
                    note: format!(
                        "`{family}` ran before {} of {} commits",
                        counts.hits, counts.opportunities
                    ),
                }
                .finish(config)
            })
            .collect()
    }
}
