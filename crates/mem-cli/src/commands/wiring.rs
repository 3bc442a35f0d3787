//! `mem init` and `mem uninstall`.

use crate::cli::Wiring;
use crate::context::{Surroundings, now};
use crate::output::Out;
use crate::wire::{self, Agent, Report, Target};
use anyhow::Context as _;
use std::path::PathBuf;

pub(crate) fn init(at: &Surroundings, out: &mut Out, args: &Wiring) -> anyhow::Result<()> {
    let agent = args.agent.parse::<Agent>()?;
    let path = settings(at, agent, args.project_only)?;
    let exe = this_binary()?;
    let report = wire::install(agent, &path, &exe, at.paths.custom_home(), now(), args.dry_run)?;
    tell(out, agent, &report, args.dry_run, "is wired already")?;
    if !args.dry_run {
        // The first hook should find a home; creating it here also tells at once when that is not possible.
        at.engine()?;
    }
    Ok(())
}

pub(crate) fn uninstall(at: &Surroundings, out: &mut Out, args: &Wiring) -> anyhow::Result<()> {
    let agent = args.agent.parse::<Agent>()?;
    let path = settings(at, agent, args.project_only)?;
    let exe = this_binary()?;
    let report = wire::uninstall(agent, &path, Some(&exe), now(), args.dry_run)?;
    tell(out, agent, &report, args.dry_run, "holds nothing of mem")?;
    let rules = crate::commands::rules_dir(at)?;
    if !args.project_only && !args.dry_run {
        for path in mem_engine::remove_rules(&rules)? {
            out.line(format!("removed {}", path.display()))?;
        }
    }
    out.remark(format!("what was remembered stays in {}", at.paths.home.display()))
}

/// The file that holds the hooks.
pub(crate) fn settings(at: &Surroundings, agent: Agent, project_only: bool) -> anyhow::Result<PathBuf> {
    Ok(if project_only {
        agent.settings_path(Target::Project(&at.project().root))
    } else {
        agent.settings_path(Target::User(at.paths.claude()?))
    })
}

/// The path hooks are wired to. A binary below a build folder is taken as well, as it is what was started.
pub(crate) fn this_binary() -> anyhow::Result<PathBuf> {
    std::env::current_exe().context("cannot tell where this binary is; start it by its full path")
}

fn tell(out: &mut Out, agent: Agent, report: &Report, dry_run: bool, unchanged: &str) -> anyhow::Result<()> {
    for change in &report.changes {
        out.line(change)?;
    }
    for note in &report.notes {
        out.line(format!("note: {note}"))?;
    }
    if report.changes.is_empty() {
        out.remark(format!("{} {unchanged}: {}", agent.title(), report.path.display()))
    } else if dry_run {
        out.remark(format!("nothing was written; {} would be changed", report.path.display()))
    } else {
        if let Some(backup) = &report.backup {
            out.remark(format!("the file as it was is kept as {}", backup.display()))?;
        }
        out.remark(format!("changed {}", report.path.display()))
    }
}
