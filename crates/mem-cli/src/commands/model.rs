//! `mem model`: which model turns texts into vectors.

use crate::cli::{ModelAction, ModelArgs};
use crate::context::Surroundings;
use crate::hook;
use crate::output::Out;
use mem_engine::{Config, EmbedProgress, Engine, ModelStatus};
use serde_json::json;
use std::io::{IsTerminal as _, Write as _};
use std::ops::ControlFlow;

pub(crate) fn run(at: &Surroundings, out: &mut Out, args: &ModelArgs) -> anyhow::Result<()> {
    let (model, path) = match &args.action {
        None => return show(out, &at.engine()?.model_status()?, args.json),
        Some(ModelAction::List) => return list(at, out, args.json),
        Some(ModelAction::Use { name }) => (name.as_str(), None),
        Some(ModelAction::Builtin) => ("builtin", None),
        Some(ModelAction::None) => ("none", None),
        Some(ModelAction::Path { dir }) => {
            let dir = std::path::absolute(dir)?;
            let Some(dir) = dir.to_str() else {
                anyhow::bail!("the folder {} has a name that is not Unicode; rename it", dir.display());
            };
            ("path", Some(dir.to_owned()))
        }
    };
    choose(at, out, model, path, args)
}

/// The model is tried before the configuration names it.
fn choose(
    at: &Surroundings,
    out: &mut Out,
    model: &str,
    path: Option<String>,
    args: &ModelArgs,
) -> anyhow::Result<()> {
    let mut config = at.config.clone();
    config.embedder.model = model.to_owned();
    config.embedder.path = path.as_ref().map(Into::into);
    let engine = at.engine_with(config.clone())?;
    if let Some(problem) = engine.model_status()?.problem {
        anyhow::bail!("{problem}; the model was not changed");
    }
    if engine.is_uncalibrated() && !out.quiet {
        writeln!(std::io::stderr(), "mem: measuring the model, once; this takes some seconds")?;
    }
    engine.prepare_model()?;
    let mut tables = vec![("embedder", vec![("model", Some(model.to_owned())), ("path", path)])];
    let mut written = without_surroundings(&config);
    if let Some(runtime) = engine.model_status()?.runtime
        && at.engine_with(written.clone())?.model_status()?.problem.is_some()
    {
        // Found by this shell's variables, which hooks and what they start may not have.
        let Some(text) = runtime.to_str() else {
            anyhow::bail!("{} has a name that is not Unicode; rename its folder", runtime.display());
        };
        tables.push(("embedder.onnx", vec![("runtime", Some(text.to_owned()))]));
        written.embedder.onnx.runtime = Some(runtime);
    }
    crate::config::edit::set(&at.paths.config, &tables, &written)?;
    let lacking = engine.model_status()?.without_vectors;
    if lacking > 0 && args.wait {
        engine.embed_all(&mut progress(out.quiet, at.verbose))?;
    } else if lacking > 0 && config.host.background_work {
        let project = at.project().root;
        hook::start_work(&at.paths, &project, &at.layout.work_request())?;
    }
    let status = at.engine_with(config)?.model_status()?;
    show(out, &status, args.json)?;
    if status.without_vectors > 0 && !args.json {
        let who = if at.config.host.background_work { "in the background" } else { "by `mem work`" };
        out.remark(format!(
            "its vectors are made {who}; until then those memories are found by words alone"
        ))?;
    }
    super::memories::remarks(&engine)
}

/// As the file alone would have it.
fn without_surroundings(config: &Config) -> Config {
    let mut config = config.clone();
    config.embedder.onnx.runtimes.clear();
    config
}

fn show(out: &mut Out, status: &ModelStatus, as_json: bool) -> anyhow::Result<()> {
    if as_json {
        return out.json(status);
    }
    for (name, value) in lines(status) {
        out.line(format!("{name:<13} {value}"))?;
    }
    Ok(())
}

/// What people are told of a model.
pub(crate) fn lines(status: &ModelStatus) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    match (&status.key, status.chosen.as_str()) {
        (Some(key), chosen) => lines.push(("model", format!("{key} ({chosen})"))),
        (None, _) => lines.push(("model", "none: recall goes by words".to_owned())),
    }
    if let Some(problem) = &status.problem {
        lines.push(("problem", problem.clone()));
    }
    if let Some(path) = &status.path {
        lines.push(("folder", path.display().to_string()));
    }
    if let Some(runtime) = &status.runtime {
        lines.push(("runtime", runtime.display().to_string()));
    }
    if status.in_hooks != status.key
        && let Some(key) = &status.in_hooks
    {
        lines.push(("in hooks", key.clone()));
    }
    if !status.calibrated {
        lines.push(("measured", "not yet; `mem work` does it".to_owned()));
    }
    if status.key.is_some() {
        let lacking = match status.without_vectors {
            0 => String::new(),
            count => format!(", {count} without yet"),
        };
        lines.push(("vectors", format!("{} memories{lacking}", status.with_vectors)));
    }
    lines
}

fn list(at: &Surroundings, out: &mut Out, as_json: bool) -> anyhow::Result<()> {
    let chosen = &at.config.embedder.model;
    let mut models = vec![
        ("builtin".to_owned(), "comes along; Chinese and English; microseconds"),
        ("hash".to_owned(), "spelling, not meaning; any language"),
        ("none".to_owned(), "words alone"),
    ];
    let onnx = mem_engine::known_models();
    if onnx.is_some() {
        models.push(("path".to_owned(), "an ONNX model in a folder: `mem model path DIR`"));
    }
    models.extend(onnx.unwrap_or_default().into_iter().map(|name| (name, "when fetched from the hub")));
    if as_json {
        let models: Vec<_> = models
            .iter()
            .map(|(name, what)| json!({ "name": name, "what": what, "chosen": name == chosen }))
            .collect();
        return out.json(&json!({ "models": models }));
    }
    for (name, what) in &models {
        let mark = if name == chosen { "*" } else { " " };
        out.line(format!("{mark} {name:<48} {what}"))?;
    }
    if mem_engine::known_models().is_none() {
        out.remark("this build runs no ONNX models; build it with --features fastembed")?;
    }
    Ok(())
}

/// Draws how far embedding is: a bar on a terminal, with `--verbose` lines elsewhere.
pub(crate) fn progress(quiet: bool, verbose: bool) -> impl FnMut(&EmbedProgress) -> ControlFlow<()> {
    let bar = std::io::stderr().is_terminal() && !quiet;
    move |progress| {
        let EmbedProgress { done, all, .. } = progress;
        let text = if bar {
            let filled = usize::try_from(done * 30 / (*all).max(1)).unwrap_or(30).min(30);
            let end = if done >= all { "\n" } else { "" };
            format!(
                "\r[{}{}] {done}/{all} memories embedded{end}",
                "#".repeat(filled),
                " ".repeat(30 - filled)
            )
        } else if verbose && !quiet {
            format!("mem: {done} of {all} memories embedded\n")
        } else {
            return ControlFlow::Continue(());
        };
        // Progress that cannot be shown is not worth failing for.
        let _ = std::io::stderr().write_all(text.as_bytes());
        ControlFlow::Continue(())
    }
}

/// The model's health, in one line, and what helps.
pub(crate) fn health(engine: &Engine) -> anyhow::Result<(String, Option<&'static str>)> {
    let status = engine.model_status()?;
    let text = lines(&status).into_iter().map(|(name, value)| match name {
        "model" => value,
        _ => format!("{name} {value}"),
    });
    let text = text.collect::<Vec<_>>().join("; ");
    let fix = if status.problem.is_some() {
        Some(
            "do what the message says, or `mem model builtin`; recall answers with the built-in model until then",
        )
    } else if status.without_vectors > 0 || !status.calibrated {
        Some("mem work")
    } else {
        None
    };
    Ok((text, fix))
}
