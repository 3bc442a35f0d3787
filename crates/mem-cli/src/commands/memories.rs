//! Storing, reading and correcting memories.

use crate::cli::{Forget, Ident, List, Remember};
use crate::context::{Surroundings, now, text_or_stdin};
use crate::error::{NothingFound, Usage};
use crate::output::{Out, memory_json, print_memory, printable, when};
use anyhow::Context as _;
use mem_core::{Kind, LinkKind, Memory, MemoryFilter, Scope, Status};
use mem_engine::{Engine, NewMemory, Outcome};
use serde_json::json;
use std::path::Path;

pub(crate) fn remember(at: &Surroundings, out: &mut Out, args: &Remember) -> anyhow::Result<()> {
    let text = text_or_stdin(&args.text)?;
    if text.trim().is_empty() {
        return Err(Usage("nothing to remember: the text is empty".to_owned()).into());
    }
    let scope = args.scope.as_deref().map(str::parse::<Scope>).transpose()?;
    let path = args.path.as_deref().map(|path| within_project(at, path));
    let new = NewMemory {
        name: args.name.clone(),
        description: args.description.clone(),
        why: args.why.clone(),
        how: args.how.clone(),
        trigger: args.when.clone(),
        tags: args.tags.clone(),
        scope,
        path,
        project: (scope != Some(Scope::Global)).then(|| at.project().id),
        ttl_days: args.ttl,
        ..NewMemory::new(text).kind(args.kind.parse()?)
    };
    let engine = at.engine()?;
    let remembered = engine.remember(&new)?;
    if args.json {
        out.json(&remembered)?;
    } else {
        out.line(remembered.id.as_str())?;
        let other = remembered.other.as_ref().map(|id| id.to_string()).unwrap_or_default();
        match remembered.outcome {
            Outcome::Refreshed => out.remark("refreshed: the same was known already")?,
            Outcome::Merged => out.remark(format!("merged with {other}"))?,
            Outcome::Superseded => out.remark(format!("supersedes {other}"))?,
            _ => {}
        }
        if remembered.redacted > 0 {
            out.remark(format!("{} secret(s) were taken out before storing", remembered.redacted))?;
        }
    }
    remarks(&engine)
}

/// A path relative to the project's root, with `/`, when it lies below; else as given.
pub(crate) fn within_project(at: &Surroundings, path: &str) -> String {
    let given = Path::new(path);
    let full = if given.is_absolute() { given.to_owned() } else { at.project_dir().join(given) };
    let root = at.project().root;
    let full = crate::identity::real(&full);
    let relative =
        full.strip_prefix(&root).map_or_else(|_| path.to_owned(), |p| p.to_string_lossy().into_owned());
    relative.replace('\\', "/")
}

pub(crate) fn show(at: &Surroundings, out: &mut Out, args: &Ident) -> anyhow::Result<()> {
    let memory = at.engine()?.memory(&args.id)?;
    if args.json {
        return out.json(&memory_json(&memory));
    }
    let now = now();
    let rows = [
        ("id", memory.id.to_string()),
        ("kind", memory.kind.to_string()),
        ("status", format!("{}{}", memory.status, if memory.pinned { ", pinned" } else { "" })),
        ("scope", {
            let place = memory.path.clone().or_else(|| memory.project.as_ref().map(ToString::to_string));
            place.map_or_else(|| memory.scope.to_string(), |place| format!("{} {place}", memory.scope))
        }),
        ("name", printable(&memory.name)),
        ("description", printable(&memory.description)),
        ("when", memory.trigger.as_deref().map(printable).unwrap_or_default()),
        ("tags", memory.tags.join(", ")),
        ("said by", memory.provenance.kind.to_string()),
        ("session", memory.provenance.session.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("confidence", format!("{:.2}", memory.confidence.get())),
        ("importance", format!("{:.2}", memory.importance.get())),
        ("created", when(memory.created, now)),
        ("updated", when(memory.updated, now)),
        (
            "recalled",
            memory
                .last_access
                .map(|at| format!("{} times, last {}", memory.access_count, when(at, now)))
                .unwrap_or_default(),
        ),
        ("lives", memory.ttl_days.map(|days| format!("{days} days")).unwrap_or_default()),
        ("language", memory.language.as_str().to_owned()),
    ];
    for (label, value) in rows.iter().filter(|(_, value)| !value.is_empty()) {
        out.line(format!("{} {value}", out.dim(&format!("{label:<12}"))))?;
    }
    for anchor in &memory.anchors {
        out.line(format!("{} {}", out.dim(&format!("{:<12}", "anchor")), anchor.path))?;
    }
    for link in &memory.links {
        out.line(format!("{} {} {}", out.dim(&format!("{:<12}", "link")), link.kind, link.to))?;
    }
    out.line("")?;
    out.line(printable(&memory.body))?;
    if let Some(why) = &memory.why {
        out.line(format!("\nWhy: {}", printable(why)))?;
    }
    if let Some(how) = &memory.how {
        out.line(format!("\nHow to apply: {}", printable(how)))?;
    }
    Ok(())
}

pub(crate) fn list(at: &Surroundings, out: &mut Out, args: &List) -> anyhow::Result<()> {
    let statuses = if args.all {
        Vec::new()
    } else if args.statuses.is_empty() {
        vec![Status::Active]
    } else {
        args.statuses.iter().map(|s| s.parse()).collect::<mem_core::Result<_>>()?
    };
    let filter = MemoryFilter {
        kinds: args.kinds.iter().map(|k| k.parse::<Kind>()).collect::<mem_core::Result<_>>()?,
        statuses,
        scope: args.scope.as_deref().map(str::parse).transpose()?,
        ..at.filter(args.all_projects)
    };
    let limit = if args.tags.is_empty() { args.limit } else { usize::MAX };
    let mut memories = at.engine()?.memories(&filter, limit)?;
    memories.retain(|memory| args.tags.iter().all(|tag| memory.tags.contains(tag)));
    memories.truncate(args.limit);
    if args.json {
        return out.json(&json!({ "memories": memories.iter().map(memory_json).collect::<Vec<_>>() }));
    }
    if memories.is_empty() {
        return Err(NothingFound(
            "no memories; `mem remember TEXT` stores one, `--all` shows every status".to_owned(),
        )
        .into());
    }
    for memory in &memories {
        print_memory(out, memory, now(), "")?;
    }
    Ok(())
}

/// Opens the Markdown of a memory in the person's editor and takes over what they saved.
pub(crate) fn edit(at: &Surroundings, out: &mut Out, id: &str) -> anyhow::Result<()> {
    let engine = at.engine()?;
    let memory = engine.memory(id)?;
    let text = mem_engine::memory_markdown(&memory);
    let dir = tempfile::tempdir().context("cannot create a temporary folder")?;
    let file = dir.path().join(format!("{}.md", memory.id));
    fs_err::write(&file, &text)?;
    let editor = ["VISUAL", "EDITOR"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|v| !v.trim().is_empty()));
    if editor.is_none() && !std::io::IsTerminal::is_terminal(&std::io::stdin()) {
        return Err(Usage(
            "no terminal and no editor: set $EDITOR, or edit the Markdown and run `mem sync`".to_owned(),
        )
        .into());
    }
    let editor = editor.unwrap_or_else(|| if cfg!(windows) { "notepad" } else { "vi" }.to_owned());
    // Editors are configured with arguments ("code --wait"); words are split at spaces, no shell is asked.
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or("vi");
    let status = std::process::Command::new(program).args(words).arg(&file).status().with_context(|| {
        format!("cannot start the editor {program:?}; set $EDITOR to one that is installed")
    })?;
    if !status.success() {
        anyhow::bail!("the editor {program:?} ended with {status}; {} is unchanged", memory.id);
    }
    let edited = fs_err::read_to_string(&file)?;
    if edited == text {
        return out.remark("unchanged");
    }
    let taken = mem_engine::memory_from_markdown(&edited, &memory).and_then(|memory| engine.edit(memory));
    let memory = match taken {
        Ok(memory) => memory,
        Err(error) => {
            // What was typed is not thrown away with the temporary folder.
            let kept = dir.keep().join(file.file_name().unwrap_or_default());
            let context = format!("{} is unchanged; what you wrote is kept in {}", memory.id, kept.display());
            return Err(anyhow::Error::from(error).context(context));
        }
    };
    out.line(memory.id.as_str())?;
    remarks(&engine)
}

pub(crate) fn forget(at: &Surroundings, out: &mut Out, args: &Forget) -> anyhow::Result<()> {
    let engine = at.engine()?;
    let ids = engine.forget(&args.ids, args.hard)?;
    if args.json {
        out.json(&json!({ "forgotten": ids, "hard": args.hard }))?;
    } else {
        for id in &ids {
            out.line(id.as_str())?;
        }
        if !args.hard {
            out.remark("`mem unforget ID` brings back what was forgotten, for 30 days")?;
        }
    }
    remarks(&engine)
}

pub(crate) fn unforget(at: &Surroundings, out: &mut Out, args: &Ident) -> anyhow::Result<()> {
    let engine = at.engine()?;
    let memory = engine.unforget(&args.id)?;
    answer(out, &memory, args.json)?;
    remarks(&engine)
}

pub(crate) fn confirm(at: &Surroundings, out: &mut Out, args: &Ident) -> anyhow::Result<()> {
    let engine = at.engine()?;
    let memory = engine.confirm(&args.id)?;
    answer(out, &memory, args.json)?;
    remarks(&engine)
}

pub(crate) fn supersede(
    at: &Surroundings,
    out: &mut Out,
    old: &str,
    new: &str,
    json: bool,
) -> anyhow::Result<()> {
    let engine = at.engine()?;
    let (old, new) = engine.supersede(old, new)?;
    if json {
        out.json(&json!({ "old": memory_json(&old), "new": memory_json(&new) }))?;
    } else {
        out.line(format!("{} is superseded by {}", old.id, new.id))?;
    }
    remarks(&engine)
}

pub(crate) fn link(
    at: &Surroundings,
    out: &mut Out,
    a: &str,
    rel: &str,
    b: &str,
    json: bool,
) -> anyhow::Result<()> {
    let engine = at.engine()?;
    let memory = engine.link(a, rel.parse::<LinkKind>()?, b)?;
    answer(out, &memory, json)?;
    remarks(&engine)
}

pub(crate) fn pin(at: &Surroundings, out: &mut Out, id: &str, on: bool, json: bool) -> anyhow::Result<()> {
    let engine = at.engine()?;
    let memory = engine.pin(id, on)?;
    answer(out, &memory, json)?;
    remarks(&engine)
}

fn answer(out: &mut Out, memory: &Memory, json: bool) -> anyhow::Result<()> {
    if json { out.json(&memory_json(memory)) } else { out.line(memory.id.as_str()) }
}

/// What went wrong beside the main work: nothing was lost, so it is said and the command has succeeded.
pub(crate) fn remarks(engine: &Engine) -> anyhow::Result<()> {
    use std::io::Write as _;
    for note in engine.take_notes() {
        writeln!(std::io::stderr(), "mem: note: {note}")?;
    }
    Ok(())
}
