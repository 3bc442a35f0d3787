use super::command::{CommandRole, PreflightWay};
use super::slug::slug;
use super::{DetectConfig, Detector, Draft, Finding, SessionSteps, Standing};
use mem_core::{Counts, InstinctId};
use std::collections::{BTreeMap, BTreeSet};

/// Asks whether a tool is there, or signed in, before it first uses it; one instinct a tool and way of asking.
///
/// Opportunity: the first use of a tool in a thread. Hit: before it, the thread asked about that tool in
/// that way. Background: of the calls that ran a shell command, those that ask about any tool. Only tools that were asked
/// about in the session, or of which an instinct is known, are counted. One hit is as much as a session can give,
/// hence it suffices.
#[derive(Debug, Clone, Copy, Default)]
pub struct CliPreflight;

impl Detector for CliPreflight {
    fn name(&self) -> &'static str {
        "preflight"
    }

    fn detect(&self, session: &SessionSteps, known: &[InstinctId], _: &DetectConfig) -> Vec<Finding> {
        let mut sums: BTreeMap<(String, PreflightWay), Counts> = BTreeMap::new();
        let mut powershell: BTreeSet<String> = BTreeSet::new();
        for thread in &session.threads {
            let base_total = thread.calls_where(|e| e.command.is_some());
            let base_hits = thread.calls_where(|e| e.role() == Some(CommandRole::Preflight));
            let mut asked: BTreeSet<(String, PreflightWay)> = BTreeSet::new();
            let mut used: BTreeSet<String> = BTreeSet::new();
            for event in thread.tool_events() {
                let Some(command) = &event.command else { continue };
                if let Some(question) = &command.preflight {
                    if matches!(command.program.as_str(), "get-command" | "gcm") || event.tool == "PowerShell"
                    {
                        powershell.insert(question.0.clone());
                    }
                    asked.insert(question.clone());
                    continue;
                }
                let heavy =
                    !matches!(command.role, CommandRole::Trivial | CommandRole::Read | CommandRole::Search);
                if !heavy || !used.insert(command.program.clone()) {
                    continue;
                }
                for way in PreflightWay::ALL {
                    let key = (command.program.clone(), way);
                    let hit = asked.contains(&key);
                    let id = format!("{}-{}-{}", self.name(), slug(&command.program), way.slug());
                    if hit || known.iter().any(|k| k.as_str() == id) {
                        let sum = sums.entry(key).or_default();
                        *sum = sum.plus(Counts {
                            hits: u64::from(hit),
                            opportunities: 1,
                            base_hits,
                            base_total,
                        });
                    }
                }
            }
        }
        sums.into_iter()
            .filter_map(|((program, way), counts)| {
                let action = match way {
                    PreflightWay::Which if powershell.contains(&program) => {
                        format!("Check that it is installed (`Get-Command {program}`)")
                    }
                    PreflightWay::Which => format!("Check that it is installed (`which {program}`)"),
                    PreflightWay::Version => format!("Check its version (`{program} --version`)"),
                    PreflightWay::Auth => {
                        format!("Check that it is signed in (such as `{program} auth status`)")
                    }
                };
                Draft {
                    detector: self.name(),
                    slug: format!("{}-{}-{}", self.name(), slug(&program), way.slug()),
                    trigger: format!("before the first use of `{program}` in a session"),
                    action,
                    domain: "tooling",
                    counts,
                    note: format!(
                        "asked about `{program}` before {} of {} first uses",
                        counts.hits, counts.opportunities
                    ),
                }
                .finish_as(Standing::Shown)
            })
            .collect()
    }
}
