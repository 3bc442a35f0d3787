//! `mem replay`.

use crate::cli::Replay;
use crate::commands::memories::remarks;
use crate::context::Surroundings;
use crate::identity::identify;
use crate::output::Out;
use mem_core::ProjectId;
use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{IsTerminal as _, Write as _};
use std::path::Path;

pub(crate) fn replay(at: &Surroundings, out: &mut Out, args: &Replay) -> anyhow::Result<()> {
    let engine = at.engine()?;
    let projects: RefCell<HashMap<String, ProjectId>> = RefCell::default();
    let project_of = |cwd: &str| -> Option<ProjectId> {
        let mut projects = projects.borrow_mut();
        Some(projects.entry(cwd.to_owned()).or_insert_with(|| identify(Path::new(cwd)).id).clone())
    };
    let bar = std::io::stderr().is_terminal() && !out.quiet;
    let progress = |done: usize, all: usize| {
        if bar {
            let filled = done * 30 / all.max(1);
            let line = format!(
                "\r[{}{}] {done}/{all} transcripts",
                "#".repeat(filled),
                " ".repeat(30 - filled.min(30))
            );
            // A progress bar that cannot be drawn is not worth failing for.
            let _ = std::io::stderr().write_all(line.as_bytes());
            if done == all {
                let _ = std::io::stderr().write_all(b"\n");
            }
        }
    };
    let replayed = engine.replay(&args.paths, &project_of, &progress)?;
    for (path, reason) in &replayed.unreadable {
        writeln!(std::io::stderr(), "mem: note: skipped {}: {reason}", path.display())?;
    }
    if args.json {
        out.json(&replayed)?;
    } else {
        let learned = &replayed.learned;
        out.line(format!(
            "{} files, {} sessions, {} new observations ({} known), {} lines skipped",
            replayed.files, replayed.sessions, replayed.observations, replayed.known, replayed.skipped_lines
        ))?;
        out.line(format!(
            "{} new instincts, {} updated; {} memories, {} candidates",
            learned.new_instincts, learned.updated_instincts, learned.memories, learned.candidates
        ))?;
    }
    remarks(&engine)
}
