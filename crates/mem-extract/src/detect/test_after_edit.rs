use super::command::CommandRole;
use super::runners::{kinds_of_runner, usual_runner};
use super::slug::slug;
use super::{DetectConfig, Detector, Draft, Event, Finding, Outcome, SessionSteps, Thread, What};
use mem_core::{Counts, InstinctId};
use std::collections::{BTreeMap, BTreeSet};

/// Runs the tests after a burst of edits; one instinct a test command.
///
/// Burst: edits of code until the tests run, the user speaks, the agent stops, or a commit. Opportunity
/// of a test command: a burst that changed a file kind it tests. Hit: the burst ends with that command, whether
/// the tests pass or not; a program that is missing did not run. Background: of all tool calls, those that
/// run that command. Commands are those run in the session, those of known instincts, and for a kind with one usual
/// runner that one.
#[derive(Debug, Clone, Copy, Default)]
pub struct TestAfterEdit;

/// File kinds that are text, not code: changing them calls for no test.
const PROSE: &[&str] =
    &["*.md", "*.txt", "*.rst", "*.adoc", "*.svg", "*.png", "*.log", "*.csv", "*.lock", "file"];

/// The kinds a burst changed and the test command it ended with.
struct Burst {
    kinds: BTreeSet<String>,
    tested: Option<String>,
}

fn test_family(event: &Event) -> Option<&str> {
    (event.role() == Some(CommandRole::Test) && event.ran() && !event.missing_program())
        .then(|| event.command.as_ref().map(|c| c.family.as_str()))
        .flatten()
}

fn bursts(thread: &Thread) -> Vec<Burst> {
    let mut out = Vec::new();
    let mut kinds: BTreeSet<String> = BTreeSet::new();
    let mut close = |kinds: &mut BTreeSet<String>, tested: Option<String>| {
        if !kinds.is_empty() {
            out.push(Burst { kinds: std::mem::take(kinds), tested });
        }
    };
    for event in &thread.events {
        match &event.what {
            What::Edit { file: Some(file), .. }
                if !matches!(event.outcome, Outcome::Failed | Outcome::Attempted) =>
            {
                if !PROSE.contains(&file.kind.as_str()) {
                    kinds.insert(file.kind.clone());
                }
            }
            What::Prompt(_) | What::Stop => close(&mut kinds, None),
            _ if event.role() == Some(CommandRole::Commit) => close(&mut kinds, None),
            _ => {
                if let Some(family) = test_family(event) {
                    close(&mut kinds, Some(family.to_owned()));
                }
            }
        }
    }
    close(&mut kinds, None);
    out
}

fn concerns(family: &str, kinds: &BTreeSet<String>) -> bool {
    let own = kinds_of_runner(family);
    own.is_empty() || kinds.iter().any(|kind| own.contains(&kind.as_str()))
}

impl Detector for TestAfterEdit {
    fn name(&self) -> &'static str {
        "test-after-edit"
    }

    fn detect(&self, session: &SessionSteps, known: &[InstinctId], config: &DetectConfig) -> Vec<Finding> {
        let bursts: Vec<(usize, Burst)> = session
            .threads
            .iter()
            .enumerate()
            .flat_map(|(t, thread)| bursts(thread).into_iter().map(move |b| (t, b)))
            .collect();
        let mut families: BTreeMap<String, String> = BTreeMap::new();
        let mut add = |family: &str| {
            families.entry(format!("{}-{}", self.name(), slug(family))).or_insert_with(|| family.to_owned());
        };
        for event in session.threads.iter().flat_map(Thread::tool_events) {
            if let Some(family) = test_family(event) {
                add(family);
            }
        }
        let run: Vec<String> = session
            .threads
            .iter()
            .flat_map(Thread::tool_events)
            .filter_map(test_family)
            .map(str::to_owned)
            .collect();
        for (_, burst) in &bursts {
            for runner in burst.kinds.iter().filter_map(|kind| usual_runner(kind)) {
                // Another runner of the same kind (`cargo nextest`) takes its place.
                if !run
                    .iter()
                    .any(|family| !kinds_of_runner(family).is_empty() && concerns(family, &burst.kinds))
                {
                    add(runner);
                }
            }
        }
        let head = format!("{}-", self.name());
        for id in known {
            if let Some(tail) = id.as_str().strip_prefix(&head) {
                let words = tail.replace('-', " ");
                families.entry(id.as_str().to_owned()).or_insert(words);
            }
        }
        families
            .into_iter()
            .filter_map(|(slug, family)| {
                let mut counts = Counts::default();
                for (thread, of_thread) in session.threads.iter().enumerate() {
                    let mine: Vec<&Burst> = bursts
                        .iter()
                        .filter(|(t, b)| *t == thread && concerns(&family, &b.kinds))
                        .map(|(_, b)| b)
                        .collect();
                    if mine.is_empty() {
                        continue;
                    }
                    counts = counts.plus(Counts {
                        opportunities: mine.len() as u64,
                        hits: mine.iter().filter(|b| b.tested.as_deref() == Some(&family)).count() as u64,
                        base_hits: of_thread.calls_where(|e| test_family(e) == Some(&family)),
                        base_total: of_thread.calls(),
                    });
                }
                let kinds = kinds_of_runner(&family);
                let subject = match kinds {
                    [] => "code".to_owned(),
                    [one] => format!("`{one}` files"),
                    [one, two] => format!("`{one}` or `{two}` files"),
                    [one, two, ..] => format!("`{one}`, `{two}` or similar files"),
                };
                Draft {
                    detector: self.name(),
                    slug,
                    trigger: format!("after editing {subject}"),
                    action: format!("Run `{family}` before moving on"),
                    domain: "testing",
                    counts,
                    note: format!(
                        "`{family}` ran after {} of {} bursts of edits",
                        counts.hits, counts.opportunities
                    ),
                }
                .finish(config)
            })
            .collect()
    }
}
