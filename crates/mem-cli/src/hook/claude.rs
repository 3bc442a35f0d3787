//! Claude Code's events.

use super::flags::Flags;
use super::{background, known};
use crate::git;
use crate::identity::{ProjectContext, identify};
use crate::paths::Paths;
use anyhow::Context as _;
use jiff::Timestamp;
use mem_core::{JsonObject, SessionId};
use mem_engine::{Config, Durability, Engine, Layout, Moment, Observer, Situation};
use serde_json::json;
use std::path::PathBuf;

/// One event with everything around it.
pub(crate) struct Call<'a> {
    pub(crate) flags: &'a Flags,
    pub(crate) paths: &'a Paths,
    pub(crate) layout: &'a Layout,
    pub(crate) config: &'a Config,
    pub(crate) payload: &'a JsonObject,
}

impl Call<'_> {
    fn text(&self, key: &str) -> Option<&str> {
        self.payload.get(key)?.as_str()
    }

    fn cwd(&self) -> PathBuf {
        match (&self.flags.project, self.text("cwd")) {
            (Some(dir), _) => dir.clone(),
            (None, Some(cwd)) if !cwd.is_empty() => PathBuf::from(cwd),
            _ => std::env::current_dir().unwrap_or_default(),
        }
    }
}

/// Events that are written to the journal.
const CAPTURED: [&str; 10] = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "Stop",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "SessionEnd",
];

/// Captures the event; at a session's start and at a prompt, answers with what is known.
pub(crate) fn handle(call: &Call<'_>) -> anyhow::Result<Option<String>> {
    let Some(event) = call.text("hook_event_name") else {
        anyhow::bail!("the event has no hook_event_name");
    };
    if !CAPTURED.contains(&event) {
        return Ok(None);
    }
    let project = identify(&call.cwd());
    let observer = Observer::new(call.layout, call.config);
    let recorded = observer.record(call.payload, Timestamp::now(), Some(&project.id));
    let answer = match event {
        "SessionStart" => inject(call, &project, Moment::SessionStart),
        "UserPromptSubmit" => inject(call, &project, Moment::Prompt),
        "Stop" | "SessionEnd" if call.config.host.background_work => {
            background::start_work(call.paths, &project.root, &call.layout.work_request())
                .map(|()| None)
                .context("cannot start `mem work` in the background; run it by hand or by a timer")
        }
        _ => Ok(None),
    };
    // What is known is handed over even when the event could not be captured; the fault is told by the log.
    match (recorded, answer) {
        (Ok(_), answer) => answer,
        (Err(error), Ok(Some(answer))) => {
            super::log::note(call.layout, call.flags, &format!("{event} was not captured: {error}"));
            Ok(Some(answer))
        }
        (Err(error), _) => Err(anyhow::Error::from(error).context(format!("{event} was not captured"))),
    }
}

fn inject(call: &Call<'_>, project: &ProjectContext, moment: Moment) -> anyhow::Result<Option<String>> {
    let session = call.text("session_id").and_then(|id| SessionId::new(id).ok());
    let mut builder =
        Engine::builder(call.layout.home()).config(call.config.clone()).durability(Durability::Hook);
    if let (true, Ok(claude)) = (call.config.host.rules, call.paths.claude()) {
        builder = builder.rules_dir(claude.join("rules"));
    }
    let engine = builder.open()?;
    let text = match moment {
        Moment::SessionStart => {
            if let Some(session) = &session {
                match call.text("source") {
                    Some("compact" | "clear") => engine.context_emptied(session)?,
                    _ => engine.start_repeated(session)?,
                }
            }
            opening_text(project)
        }
        Moment::Prompt => call.text("prompt").unwrap_or_default().to_owned(),
    };
    let cwd = call.cwd();
    let situation = Situation {
        session: session.as_ref(),
        project: Some(&project.id),
        text: &text,
        known: known::known_text(call.paths, project, &cwd),
        budget: None,
    };
    let injection = engine.injection(moment, &situation)?;
    if (engine.is_behind() || engine.vectors_pending()) && call.config.host.background_work {
        background::start_work(call.paths, &project.root, &call.layout.work_request())?;
    }
    if injection.block.text.is_empty() {
        return Ok(None);
    }
    if let Err(error) = engine.injected(moment, &situation, &injection) {
        super::log::note(call.layout, call.flags, &format!("an injection was not noted: {error}"));
    }
    let answer = json!({
        "hookSpecificOutput": { "hookEventName": moment.event(), "additionalContext": injection.block.text },
    });
    Ok(Some(answer.to_string()))
}

/// Commit subjects that describe what a project is at.
const SUBJECTS: usize = 3;

/// The words a session's start asks with: the project's name, its branch, its last commits.
pub(crate) fn opening_text(project: &ProjectContext) -> String {
    let mut words = vec![project.name.clone()];
    if let Some(dirs) = &project.vcs {
        words.extend(git::head(dirs).map(|head| head.to_string()));
        words.extend(git::recent_subjects(dirs, SUBJECTS));
    }
    words.join("\n")
}
