use super::command::CommandRole;
use super::slug::slug;
use super::{
    DetectConfig, Detector, Draft, Event, Finding, Outcome, SessionSteps, Standing, Thread, What, a_file,
};
use mem_core::{Counts, InstinctId};
use std::collections::{BTreeMap, BTreeSet};

/// Finds the fix that made a failing command work; one instinct a command family and sort of fix.
///
/// Episode: a command family fails, alone in its line; further failures before it succeeds belong to the same episode.
/// Opportunity: each episode of the family. Hit: the family succeeds within the configured number of tool
/// calls and this was done in between: another program installed, files of a kind edited, or options added.
/// Nothing in between is a flake, not a fix. Background: of all tool calls, those that do what the fix does.
#[derive(Debug, Clone, Copy, Default)]
pub struct ErrorThenFix;

/// What was done between failure and success.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Fix {
    Install(String),
    Edit(String),
    Reread,
    Flags(Vec<String>),
}

impl Fix {
    fn slug(&self) -> String {
        match self {
            Self::Install(family) => format!("install-{}", slug(family)),
            Self::Edit(kind) => format!("edit-{}", slug(kind)),
            Self::Reread => "reread".to_owned(),
            Self::Flags(flags) => format!("flag-{}", slug(&flags.join("-"))),
        }
    }

    fn does(&self, event: &Event, family: &str) -> bool {
        match self {
            Self::Install(by) => {
                event.command.as_ref().is_some_and(|c| c.role == CommandRole::Install && c.family == *by)
            }
            Self::Edit(kind) => {
                matches!(&event.what, What::Edit { file: Some(file), .. } if file.kind == *kind)
            }
            Self::Reread => matches!(event.what, What::Read(_)),
            Self::Flags(flags) => event
                .command
                .as_ref()
                .is_some_and(|c| c.family == family && flags.iter().all(|f| c.flags.contains(f))),
        }
    }

    fn action(&self, family: &str) -> String {
        match self {
            Self::Install(by) => format!("Install what is missing with `{by}`, then run `{family}` again"),
            Self::Edit(kind) => {
                format!("Look for the cause in {}, edit it, then run `{family}` again", a_file(kind))
            }
            Self::Reread => format!("Read the file again, then retry the {family} with its present text"),
            Self::Flags(flags) => format!("Run `{family}` with `{}`", flags.join(" ")),
        }
    }
}

/// The family an event belongs to, where failing and mending make sense.
fn family(event: &Event) -> Option<String> {
    match (&event.what, &event.command) {
        (What::Edit { .. }, None) => Some(event.tool.clone()),
        (_, Some(command)) => {
            let dull = matches!(
                command.role,
                CommandRole::Trivial
                    | CommandRole::Read
                    | CommandRole::Search
                    | CommandRole::Edit
                    | CommandRole::Preflight
            );
            (!dull && event.sole).then(|| command.family.clone())
        }
        _ => None,
    }
}

struct Episode {
    family: String,
    fixes: BTreeSet<Fix>,
}

fn episodes(thread: &Thread, window: usize) -> Vec<Episode> {
    struct Open {
        step: usize,
        at: usize,
        flags: Vec<String>,
    }
    let events: Vec<&Event> = thread.tool_events().collect();
    let mut open: BTreeMap<String, Open> = BTreeMap::new();
    let mut out = Vec::new();
    for (at, event) in events.iter().enumerate() {
        let Some(family) = family(event) else { continue };
        let flags = event.command.as_ref().map(|c| c.flags.clone()).unwrap_or_default();
        match event.outcome {
            Outcome::Failed => {
                let late = open.get(&family).is_some_and(|o| event.step.saturating_sub(o.step) > window);
                if late {
                    open.remove(&family);
                    out.push(Episode { family: family.clone(), fixes: BTreeSet::new() });
                }
                // The last failure counts: what was tried before it did not help.
                open.insert(family, Open { step: event.step, at, flags });
            }
            Outcome::Ok => {
                let Some(start) = open.remove(&family) else { continue };
                let mut fixes = BTreeSet::new();
                if event.step.saturating_sub(start.step) <= window {
                    let between = events.get(start.at + 1..at).unwrap_or_default();
                    fixes = fixes_of(&family, between, &start.flags, &flags, event.command.is_none());
                }
                out.push(Episode { family, fixes });
            }
            _ => {}
        }
    }
    out.extend(open.into_keys().map(|family| Episode { family, fixes: BTreeSet::new() }));
    out
}

fn fixes_of(
    family: &str,
    between: &[&Event],
    before: &[String],
    after: &[String],
    tool: bool,
) -> BTreeSet<Fix> {
    let mut fixes = BTreeSet::new();
    for event in between.iter().filter(|e| !matches!(e.outcome, Outcome::Failed | Outcome::Attempted)) {
        match (&event.what, &event.command) {
            (What::Read(_), _) if tool => {
                fixes.insert(Fix::Reread);
            }
            (_, Some(command)) if command.role == CommandRole::Install && command.family != family => {
                fixes.insert(Fix::Install(command.family.clone()));
            }
            (What::Edit { file: Some(file), .. }, _) if !tool => {
                fixes.insert(Fix::Edit(file.kind.clone()));
            }
            _ => {}
        }
    }
    if fixes.is_empty() && !tool {
        let added: Vec<String> = after.iter().filter(|f| !before.contains(f)).take(3).cloned().collect();
        if !added.is_empty() {
            fixes.insert(Fix::Flags(added));
        }
    }
    // More than two sorts of change in between say nothing about which one helped.
    if fixes.len() > 2 { BTreeSet::new() } else { fixes }
}

impl Detector for ErrorThenFix {
    fn name(&self) -> &'static str {
        "fix"
    }

    fn detect(&self, session: &SessionSteps, known: &[InstinctId], config: &DetectConfig) -> Vec<Finding> {
        let per_thread: Vec<Vec<Episode>> =
            session.threads.iter().map(|t| episodes(t, config.fix_window)).collect();
        let families: BTreeSet<&str> = per_thread.iter().flatten().map(|e| e.family.as_str()).collect();
        let mut out = Vec::new();
        for family in families {
            let mut fixes: BTreeSet<Fix> = per_thread
                .iter()
                .flatten()
                .filter(|e| e.family == family)
                .flat_map(|e| e.fixes.clone())
                .collect();
            let head = format!("{}-{}-", self.name(), slug(family));
            fixes.extend(known.iter().filter_map(|id| parse_fix(id.as_str().strip_prefix(&head)?)));
            for fix in fixes {
                let wanted = fix.slug();
                let mut counts = Counts::default();
                for (thread, list) in session.threads.iter().zip(&per_thread) {
                    let mine: Vec<&Episode> = list.iter().filter(|e| e.family == family).collect();
                    if mine.is_empty() {
                        continue;
                    }
                    counts = counts.plus(Counts {
                        hits: mine.iter().filter(|e| e.fixes.iter().any(|f| f.slug() == wanted)).count()
                            as u64,
                        opportunities: mine.len() as u64,
                        base_hits: thread.calls_where(|e| fix.does(e, family)),
                        base_total: thread.calls(),
                    });
                }
                // An ordinary code edit between two test runs is daily work; it founds an instinct only when it repeats.
                let once = !matches!(fix, Fix::Edit(_));
                let enough = counts.hits >= config.min_opportunities || (once && counts.hits >= 1);
                let standing =
                    if enough && counts.rate() >= config.min_rate { Standing::Shown } else { Standing::Weak };
                let draft = Draft {
                    detector: self.name(),
                    slug: format!("{head}{wanted}"),
                    trigger: format!("when `{family}` fails"),
                    action: fix.action(family),
                    domain: "debugging",
                    counts,
                    note: format!(
                        "`{family}` failed {} times; this came before it worked {} times",
                        counts.opportunities, counts.hits
                    ),
                };
                out.extend(draft.finish_as(standing));
            }
        }
        out
    }
}

/// Reads a fix back from the tail of an id; words lose their punctuation, ids stay equal.
fn parse_fix(tail: &str) -> Option<Fix> {
    match tail.split_once('-') {
        None if tail == "reread" => Some(Fix::Reread),
        Some(("install", rest)) => Some(Fix::Install(rest.replace('-', " "))),
        Some(("edit", rest)) => {
            Some(Fix::Edit(if rest == "file" { rest.to_owned() } else { format!("*.{rest}") }))
        }
        Some(("flag", rest)) => Some(Fix::Flags(vec![format!("--{rest}")])),
        _ => None,
    }
}
