use super::slug::slug;
use super::{DetectConfig, Detector, Draft, Finding, Outcome, SessionSteps, Standing, Thread, What};
use mem_core::{Counts, InstinctId};
use std::collections::{BTreeMap, BTreeSet};

/// Finds sequences of steps that come again and again: frequent, maximal n-grams of generalised steps.
///
/// Steps are labels such as `Edit *.rs` or `cargo test`; equal neighbours are one step; a prompt ends a sequence. A
/// workflow has at least three different steps, more than reads, searches and edits (other detectors see those), and
/// does not repeat its own beginning at its end; of rotations of one loop the most frequent stays.
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

fn worthwhile(gram: &[String]) -> bool {
    let distinct: BTreeSet<&String> = gram.iter().collect();
    let plain = |s: &String| {
        s == "Search" || s == "Read" || s == "Edit" || s.starts_with("Read ") || s.starts_with("Edit ")
    };
    let border = (1..gram.len()).any(|n| gram.get(..n) == gram.get(gram.len() - n..));
    distinct.len() >= 3 && !gram.iter().all(plain) && !border
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
            .filter(|(gram, seen)| seen.apart >= config.workflow_min_support && worthwhile(gram))
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
            if steps.len() < 2 {
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
