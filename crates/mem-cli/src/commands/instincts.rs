//! `mem instincts …`.

use crate::cli::{InstinctAction, Instincts};
use crate::context::{Surroundings, now};
use crate::error::NothingFound;
use crate::output::{Out, instinct_json, printable, when};
use mem_core::{Instinct, InstinctFilter, InstinctScope};
use serde_json::json;
use std::path::Path;

pub(crate) fn run(at: &Surroundings, out: &mut Out, args: &Instincts) -> anyhow::Result<()> {
    match &args.action {
        None | Some(InstinctAction::List) => list(at, out, args.all_projects, args.json),
        Some(InstinctAction::Show { id }) => show(at, out, id, args.json),
        Some(InstinctAction::Forget { id }) => {
            let engine = at.engine()?;
            let id = engine.forget_instinct(id)?;
            if args.json { out.json(&json!({ "forgotten": [id] })) } else { out.line(id.as_str()) }
        }
        Some(InstinctAction::Promote { id }) => {
            let promoted = at.engine()?.promote(id.as_deref())?;
            if args.json {
                return out
                    .json(&json!({ "promoted": promoted.iter().map(instinct_json).collect::<Vec<_>>() }));
            }
            for instinct in &promoted {
                out.line(instinct.id.as_str())?;
            }
            if promoted.is_empty() {
                out.remark("nothing to promote: it takes two projects with a mean confidence of 0.8")?;
            }
            Ok(())
        }
        Some(InstinctAction::Export { output }) => export(at, out, output.as_deref(), args.all_projects),
        Some(InstinctAction::Import { file }) => import(at, out, file, args.json),
    }
}

fn list(at: &Surroundings, out: &mut Out, all_projects: bool, json: bool) -> anyhow::Result<()> {
    let filter = InstinctFilter { projects: at.projects(all_projects), ..InstinctFilter::default() };
    let instincts = at.engine()?.instincts(&filter)?;
    if json {
        return out.json(&json!({ "instincts": instincts.iter().map(instinct_json).collect::<Vec<_>>() }));
    }
    if instincts.is_empty() {
        return Err(NothingFound(
            "no instincts yet; they come from sessions, live or by `mem replay`".to_owned(),
        )
        .into());
    }
    for instinct in &instincts {
        print(out, instinct)?;
    }
    Ok(())
}

fn print(out: &mut Out, instinct: &Instinct) -> anyhow::Result<()> {
    let scope = if instinct.scope == InstinctScope::Global { " · global" } else { "" };
    let counts = &instinct.counts;
    let lift = counts.lift().map_or_else(String::new, |lift| format!(", lift {lift:.1}"));
    out.line(format!(
        "{}  {:.2} {}{scope} · {} of {}{lift} · {} session{}",
        out.bold(instinct.id.as_str()),
        instinct.confidence.get(),
        status_word(instinct),
        counts.hits,
        counts.opportunities,
        instinct.sessions,
        if instinct.sessions == 1 { "" } else { "s" },
    ))?;
    out.line(format!("  {}: {}", printable(&instinct.trigger), printable(&instinct.action)))
}

fn status_word(instinct: &Instinct) -> String {
    let word = serde_json::to_value(instinct.status).ok();
    word.as_ref().and_then(|w| w.as_str()).unwrap_or("unknown").to_owned()
}

fn show(at: &Surroundings, out: &mut Out, id: &str, json: bool) -> anyhow::Result<()> {
    let instinct = at.engine()?.store().instinct(id)?;
    if json {
        return out.json(&instinct_json(&instinct));
    }
    print(out, &instinct)?;
    let now = now();
    out.line(format!(
        "  domain {} · {} · first {} · last {}",
        instinct.domain,
        instinct.source,
        when(instinct.created, now),
        when(instinct.observed_at, now)
    ))?;
    for line in &instinct.evidence {
        out.line(format!("  - {}", printable(line)))?;
    }
    Ok(())
}

fn export(at: &Surroundings, out: &mut Out, file: Option<&Path>, all_projects: bool) -> anyhow::Result<()> {
    let text = at.engine()?.export_instincts(at.projects(all_projects))?;
    match file {
        None => out.line(text.trim_end()),
        Some(file) => {
            fs_err::write(file, text)?;
            out.remark(format!("wrote {}", file.display()))
        }
    }
}

fn import(at: &Surroundings, out: &mut Out, file: &Path, json: bool) -> anyhow::Result<()> {
    let bytes = fs_err::read(file)?;
    let imported = at.engine()?.import_instincts(&String::from_utf8_lossy(&bytes), &at.project().id)?;
    if json {
        return out.json(&json!({ "imported": imported }));
    }
    for id in &imported {
        out.line(id.as_str())?;
    }
    if imported.is_empty() {
        return Err(NothingFound(format!(
            "no instincts in {}; each needs an `id:` between `---` lines",
            file.display()
        ))
        .into());
    }
    Ok(())
}
