//! One function a command.

mod doctor;
mod instincts;
mod maintain;
mod memories;
mod model;
mod replay;
mod search;
mod wiring;

use crate::cli::{Cli, Command};
use crate::context::Surroundings;
use crate::output::Out;

pub(crate) use maintain::rules_dir;

/// Runs what the command line asks for.
pub(crate) fn run(cli: Cli) -> anyhow::Result<()> {
    let mut out = Out::new(cli.global.quiet);
    if let Command::Completions { shell } = &cli.command {
        return maintain::completions(&mut out, *shell);
    }
    let mut at = Surroundings::new(&cli.global)?;
    // The doctor tells of a broken configuration among the rest, and work goes on with the defaults as hooks do:
    // nobody sees what it says. Everything else would act on settings that were not meant.
    let tolerant = matches!(cli.command, Command::Doctor { .. } | Command::Work { .. });
    if let Some(problem) = at.config_problem.take_if(|_| !tolerant) {
        return Err(problem.into());
    }
    match cli.command {
        Command::Init(args) => wiring::init(&at, &mut out, &args),
        Command::Uninstall(args) => wiring::uninstall(&at, &mut out, &args),
        // `main` takes this one before clap is asked.
        Command::Hook { .. } | Command::Completions { .. } => Ok(()),
        Command::Replay(args) => replay::replay(&at, &mut out, &args),
        Command::Remember(args) => memories::remember(&at, &mut out, &args),
        Command::Recall(args) => search::recall(&at, &mut out, &args),
        Command::Show(args) => memories::show(&at, &mut out, &args),
        Command::List(args) => memories::list(&at, &mut out, &args),
        Command::Edit { id } => memories::edit(&at, &mut out, &id),
        Command::Forget(args) => memories::forget(&at, &mut out, &args),
        Command::Confirm(args) => memories::confirm(&at, &mut out, &args),
        Command::Supersede { old, new, json } => memories::supersede(&at, &mut out, &old, &new, json),
        Command::Link { a, rel, b, json } => memories::link(&at, &mut out, &a, &rel, &b, json),
        Command::Pin { id, off, json } => memories::pin(&at, &mut out, &id, !off, json),
        Command::Unforget(args) => memories::unforget(&at, &mut out, &args),
        Command::Instincts(args) => instincts::run(&at, &mut out, &args),
        Command::Learn { session, json } => maintain::learn(&at, &mut out, session.as_deref(), json),
        Command::Evolve { dry_run, json } => maintain::evolve(&at, &mut out, dry_run, json),
        Command::Inject(args) => search::inject(&at, &mut out, &args),
        Command::Work { budget_ms, watch, json } => maintain::work(&at, &mut out, budget_ms, watch, json),
        Command::Sync { json } => maintain::sync(&at, &mut out, json),
        Command::Backup { file } => maintain::backup(&at, &mut out, &file),
        Command::Restore { file } => maintain::restore(&at, &mut out, &file),
        Command::Status(args) => maintain::status(&at, &mut out, args.json),
        Command::Doctor { fix, json } => doctor::doctor(&at, &mut out, fix, json),
        Command::Model(args) => model::run(&at, &mut out, &args),
        Command::Reindex(args) => maintain::reindex(&at, &mut out, args.json),
    }?;
    out.flush()
}
