//! `mem hook`: one event in, one answer or nothing out, exit code 0 whatever happens.
//!
//! The path of an event that is only captured: read, parse, redact, append. No database, no clap, no index.
//! What goes wrong is a line in the hook log, which `mem doctor` shows.

mod background;
mod claude;
mod deadline;
mod flags;
mod known;
mod log;

pub(crate) use background::start_work;
pub(crate) use claude::opening_text;
pub(crate) use known::known_text;
pub(crate) use log::recent;

use crate::config::load_toml;
use crate::paths::Paths;
use flags::Flags;
use mem_engine::{Config, Layout};
use std::ffi::OsString;
use std::io::{IsTerminal as _, Read as _, Write as _};
use std::panic::AssertUnwindSafe;

/// Set for processes the product itself starts, so that it never observes itself.
pub(crate) const GUARD: &str = "MEM_HOOK_GUARD";

/// Whether the arguments ask for `mem hook`, whatever flags stand around it.
pub(crate) fn is_meant(args: &[OsString]) -> bool {
    flags::command(args).is_some_and(|word| word == "hook")
}

/// Takes one event. Never fails, never panics, prints an answer whole or nothing.
pub(crate) fn run(args: &[OsString]) {
    if std::env::var_os(GUARD).is_some() {
        return;
    }
    let flags = Flags::parse(args);
    // Without a home there is nowhere to write, not even that.
    let Ok(paths) = Paths::of_process(&flags.paths()) else { return };
    let layout = Layout::new(&paths.home);
    let (config, problem) = match load_toml::<Config>(&paths.config) {
        Ok(config) => (config, None),
        // A mistake in the configuration must not cost observations.
        Err(problem) => (Config::default(), Some(problem)),
    };
    let deadline = deadline::Deadline::start(std::time::Duration::from_millis(config.host.deadline_ms), {
        let (layout, flags, ms) = (layout.clone(), flags.clone(), config.host.deadline_ms);
        move || log::note(&layout, &flags, &format!("gave up after {ms} ms; an event may be lost"))
    });
    if let Some(problem) = problem {
        log::note(&layout, &flags, &format!("{problem}; the defaults are used"));
    }
    std::panic::set_hook(Box::new(|_| {}));
    let taken = std::panic::catch_unwind(AssertUnwindSafe(|| take(&flags, &paths, &layout, &config)));
    let answer = match taken {
        Ok(Ok(answer)) => answer,
        Ok(Err(error)) => {
            log::note(&layout, &flags, &format!("{error:#}"));
            None
        }
        Err(panic) => {
            let text = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied());
            log::note(
                &layout,
                &flags,
                &format!("a fault of mem, please report it: {}", text.unwrap_or("panic")),
            );
            None
        }
    };
    // From here on the deadline cannot cut the answer short.
    if let (true, Some(answer)) = (deadline.finish(), answer) {
        let mut stdout = std::io::stdout().lock();
        // A host that went away needs no answer.
        let _ = stdout.write_all(answer.as_bytes()).and_then(|()| stdout.flush());
    }
}

/// No event is this large; what is endless is not read to its end.
const MOST_BYTES: u64 = 256 * 1024 * 1024;

/// Reads the event and lets the agent's adapter handle it.
fn take(flags: &Flags, paths: &Paths, layout: &Layout, config: &Config) -> anyhow::Result<Option<String>> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        anyhow::bail!("expected a hook event on stdin, got a terminal; `mem hook` is run by the agent");
    }
    let mut bytes = Vec::with_capacity(8 * 1024);
    stdin.lock().take(MOST_BYTES).read_to_end(&mut bytes)?;
    anyhow::ensure!(bytes.len() as u64 != MOST_BYTES, "the event on stdin is larger than {MOST_BYTES} bytes");
    if !flags.unknown.is_empty() {
        log::note(layout, flags, &format!("unknown arguments passed over: {}", flags.unknown.join(" ")));
    }
    let parsed = mem_engine::lenient_json::parse(&bytes).map_err(|error| {
        anyhow::anyhow!("the event on stdin ({} bytes) is not usable: {error}", bytes.len())
    })?;
    let serde_json::Value::Object(payload) = parsed.value else {
        anyhow::bail!("expected a JSON object on stdin, got another kind of value");
    };
    match flags.agent.as_str() {
        "claude" | "claude-code" => {
            claude::handle(&claude::Call { flags, paths, layout, config, payload: &payload })
        }
        other => anyhow::bail!("unknown agent {other:?}; supported: claude"),
    }
}
