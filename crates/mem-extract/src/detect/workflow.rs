use super::command::CommandRole;
use super::slug::slug;
use super::{DetectConfig, Detector, Draft, Finding, Outcome, SessionSteps, Standing, Thread, What};
use crate::conversation::words;
use mem_core::{Counts, InstinctId};
use std::collections::{BTreeMap, BTreeSet};

/// Finds sequences of steps that come again and again: frequent, maximal n-grams of generalised steps.
///
/// Steps are labels such as `Edit *.rs` or `cargo test`; equal neighbours are one step; a prompt, a commit or a push ends a sequence. A
/// workflow has at least three different steps, at least one pair of neighbours that no other detector sees, and
/// does not repeat its own beginning at its end; its last step is none with consequences (a commit, a deployment); of rotations of one loop the most frequent stays.
/// Opportunity: all steps but the last occurred. Hit: the last followed. Background: of all steps,
/// those equal to the last.
#[derive(Debug, Clone, Copy, Default)]
pub struct RepeatedWorkflow;

/// Tools that keep the agent's own books.
const BOOKKEEPING: &[&str] = &[
    "TodoWrite",
    "TodoRead",
    "TaskCreate",
    "TaskUpdate",
    "TaskList",
    "TaskGet",
    "ToolSearch",
    "TaskOutput",
    "BashOutput",
];

fn segments(thread: &Thread) -> Vec<Vec<String>> {
    let mut out = vec![Vec::new()];
    for event in &thread.events {
        if let What::Prompt(_) = event.what {
            out.push(Vec::new());
        }
        if matches!(event.outcome, Outcome::Failed | Outcome::Attempted) {
            continue;
        }
        let Some(label) = event.label().filter(|label| !BOOKKEEPING.contains(&label.as_str())) else {
            continue;
        };
        if let Some(segment) = out.last_mut().filter(|s| s.last() != Some(&label)) {
            segment.push(label);
        }
        // What follows a commit or a push is other work.
        let closes = event.role() == Some(CommandRole::Commit)
            || event.command.as_ref().is_some_and(|c| c.family == "git push");
        if closes {
            out.push(Vec::new());
        }
    }
    out.retain(|s| !s.is_empty());
    out
}

#[derive(Default)]
struct Seen {
    /// Occurrences, overlapping ones included.
    all: u64,
    /// Occurrences that share no step.
    apart: u64,
    last: Option<(usize, usize)>,
    first: usize,
}

/// Words of commands that change what others see, or cannot be taken back: nobody is told to go on with them.
const CONSEQUENCES: &[&str] = words![
    "commit" "push" "publish" "deploy" "release" "install" "uninstall" "rm" "rmdir" "del" "remove-item" "upload"
    "destroy" "apply" "merge" "rebase" "reset" "drop" "tag" "kill" "pkill" "killall" "shutdown" "prune"
];

/// Whether a label, or its slug, ends in consequences.
fn has_consequences(label: &str) -> bool {
    let lower = label.to_ascii_lowercase();
    CONSEQUENCES.contains(&lower.as_str())
        || lower.split([' ', ':', '-']).any(|word| CONSEQUENCES.contains(&word))
}

/// Whether another detector sees this pair: reading before editing, testing after it, checking before a commit.
fn of_others(a: &str, b: &str, roles: &BTreeMap<String, CommandRole>) -> bool {
    let files = |s: &str| {
        s == "Search" || s == "Read" || s == "Edit" || s.starts_with("Read ") || s.starts_with("Edit ")
    };
    let role = |s: &str| roles.get(s).copied();
    let test = |s: &str| role(s) == Some(CommandRole::Test);
    let check = |s: &str| test(s) || role(s) == Some(CommandRole::Check);
    (files(a) || test(a)) && (files(b) || test(b)) || check(a) && role(b) == Some(CommandRole::Commit)
}

fn worthwhile(gram: &[String], roles: &BTreeMap<String, CommandRole>) -> bool {
    if gram.last().is_none_or(|last| has_consequences(last)) {
        return false;
    }
    if gram.iter().zip(gram.iter().skip(1)).all(|(a, b)| of_others(a, b, roles)) {
        return false;
    }
    let distinct: BTreeSet<&String> = gram.iter().collect();

    let border = (1..gram.len()).any(|n| gram.get(..n) == gram.get(gram.len() - n..));
    distinct.len() >= 3 && !border
}

fn rotation(a: &[String], b: &[String]) -> bool {
    a.len() == b.len() && (0..a.len()).any(|n| a.iter().cycle().skip(n).take(a.len()).eq(b))
}

fn contains(long: &[String], short: &[String]) -> bool {
    long.len() > short.len() && long.windows(short.len()).any(|w| w == short)
}

/// Hits and opportunities of a sequence, given as slugs or labels.
fn count(segments: &[Vec<String>], gram: &[String]) -> Counts {
    let mut counts = Counts::default();
    let Some((last, prefix)) = gram.split_last() else { return counts };
    for segment in segments {
        counts.base_total += segment.len() as u64;
        counts.base_hits += segment.iter().filter(|s| *s == last).count() as u64;
        for (at, window) in segment.windows(prefix.len().max(1)).enumerate() {
            if window == prefix {
                counts.opportunities += 1;
                counts.hits += u64::from(segment.get(at + prefix.len()) == Some(last));
            }
        }
    }
    counts
}

impl RepeatedWorkflow {
    fn draft(&self, gram: &[String], counts: Counts) -> Option<Draft> {
        let (last, prefix) = gram.split_last()?;
        let name = |label: &String| format!("`{label}`");
        let slugs: Vec<String> = gram.iter().map(|label| slug(label)).collect();
        let trigger = prefix.iter().map(name).collect::<Vec<_>>().join(", then ");
        Some(Draft {
            detector: self.name(),
            slug: format!("{}-{}", self.name(), slugs.join("-then-")),
            trigger: format!("after {trigger}"),
            action: format!("Go on with {}: it is the next step of this workflow", name(last)),
            domain: "workflow",
            counts,
            note: format!("{} of {} times {} followed", counts.hits, counts.opportunities, name(last)),
        })
    }
}

impl Detector for RepeatedWorkflow {
    fn name(&self) -> &'static str {
        "workflow"
    }

    fn detect(&self, session: &SessionSteps, known: &[InstinctId], config: &DetectConfig) -> Vec<Finding> {
        let segments: Vec<Vec<String>> = session.threads.iter().flat_map(segments).collect();
        let roles: BTreeMap<String, CommandRole> = session
            .threads
            .iter()
            .flat_map(Thread::tool_events)
            .filter_map(|event| Some((event.label()?, event.role()?)))
            .collect();
        let longest = config.workflow_max_len.min(12);
        let mut grams: BTreeMap<&[String], Seen> = BTreeMap::new();
        let mut position = 0usize;
        for (number, segment) in segments.iter().enumerate() {
            for len in config.workflow_min_len.max(2)..=longest {
                for (at, gram) in segment.windows(len).enumerate() {
                    let seen =
                        grams.entry(gram).or_insert_with(|| Seen { first: position + at, ..Seen::default() });
                    seen.all += 1;
                    if seen.last.is_none_or(|(segment, end)| segment != number || at >= end) {
                        seen.apart += 1;
                        seen.last = Some((number, at + len));
                    }
                }
            }
            position += segment.len();
        }
        let mut frequent: Vec<(&[String], &Seen, Counts)> = grams
            .iter()
            .filter(|(gram, seen)| seen.apart >= config.workflow_min_support && worthwhile(gram, &roles))
            .map(|(gram, seen)| (*gram, seen, count(&segments, gram)))
            .filter(|(_, _, counts)| {
                counts.lift().is_some_and(|lift| lift >= config.workflow_min_lift)
                    && counts.rate() >= config.min_rate
            })
            .collect();
        // Longest first, then the most frequent, then the earliest.
        frequent.sort_by(|a, b| {
            (b.0.len(), b.1.apart, a.1.first, a.0).cmp(&(a.0.len(), a.1.apart, b.1.first, b.0))
        });
        let mut kept: Vec<(&[String], u64, Counts)> = Vec::new();
        for (gram, seen, counts) in frequent {
            if !kept
                .iter()
                .any(|(other, ..)| contains(other, gram) || rotation(other, gram) || wraps(other, gram))
            {
                kept.push((gram, seen.apart, counts));
            }
        }
        kept.sort_by(|a, b| (b.1, a.0).cmp(&(a.1, b.0)));
        kept.truncate(config.workflow_max);
        let mut out: Vec<Finding> = kept
            .into_iter()
            .filter_map(|(gram, _, counts)| self.draft(gram, counts)?.finish_as(Standing::Shown))
            .collect();
        out.extend(self.of_known(&segments, known, &out));
        out
    }
}

/// Whether `short` occurs in the endless repetition of `long`: then it is a part of the same loop.
fn wraps(long: &[String], short: &[String]) -> bool {
    short.len() <= long.len()
        && (0..long.len()).any(|n| long.iter().cycle().skip(n).take(short.len()).eq(short))
}

impl RepeatedWorkflow {
    fn of_known(&self, segments: &[Vec<String>], known: &[InstinctId], found: &[Finding]) -> Vec<Finding> {
        let head = format!("{}-", self.name());
        let slugs: Vec<Vec<String>> =
            segments.iter().map(|s| s.iter().map(|label| slug(label)).collect()).collect();
        let labels: BTreeMap<String, &String> =
            segments.iter().flatten().map(|label| (slug(label), label)).collect();
        let mut out = Vec::new();
        for id in known.iter().filter(|id| !found.iter().any(|f| f.id == **id)) {
            let Some(tail) = id.as_str().strip_prefix(&head) else { continue };
            let steps: Vec<String> = tail.split("-then-").map(str::to_owned).collect();
            if steps.len() < 2 || steps.last().is_some_and(|last| has_consequences(last)) {
                continue;
            }
            let counts = count(&slugs, &steps);
            let named: Vec<String> =
                steps.iter().map(|s| labels.get(s).map_or_else(|| s.clone(), |l| (*l).clone())).collect();
            out.extend(
                self.draft(&named, counts)
                    .and_then(|d| Draft { slug: id.as_str().to_owned(), ..d }.finish_as(Standing::Weak)),
            );
        }
        out
    }
}
