//! `mem init` and `mem uninstall`: the hooks in an agent's own settings.
//!
//! Three layers. `json` edits text by byte spans, `claude` decides what to edit (pure, text in, text out),
//! `file` does it to a file: backup, replacement in one step.

mod agent;
mod claude;
mod file;
mod json;
mod recognise;
#[cfg(test)]
mod tests;

pub(crate) use agent::{Agent, Target};
pub(crate) use file::{Report, inspect, install, uninstall};
pub(crate) use recognise::Invocation;

use std::path::{Path, PathBuf};

/// A change of a settings text that has not been made yet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Plan {
    /// The whole text as it would be.
    pub(crate) new_text: String,
    /// One line a change, starting with `+`, `-` or `~`; empty when there is nothing to do.
    pub(crate) changes: Vec<String>,
    /// What the user should know besides.
    pub(crate) notes: Vec<String>,
}

/// What of ours is in one settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wiring {
    /// Our entries, in the file's order.
    pub(crate) events: Vec<WiredEvent>,
    /// The events that should be wired and are not.
    pub(crate) missing: Vec<&'static str>,
    /// Whether the file turns all hooks off.
    pub(crate) disable_all_hooks: bool,
}

/// One event that starts our binary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WiredEvent {
    /// The agent's name of the event.
    pub(crate) event: String,
    /// How the binary is started.
    pub(crate) invocation: Invocation,
}

impl WiredEvent {
    /// Whether the binary is there; `None` when the entry names it in a way that only a shell resolves.
    pub(crate) fn program_exists(&self) -> Option<bool> {
        let program = Path::new(&self.invocation.program);
        program.is_absolute().then(|| program.is_file())
    }
}

/// Why a settings text cannot be wired.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum SettingsError {
    /// Not JSON.
    #[error(
        "it is not valid JSON at line {line}, column {column}: {message}; mend it there (JSON knows no \
             comments and no trailing commas) and run the command again"
    )]
    Syntax {
        /// From 1.
        line: usize,
        /// From 1, in bytes.
        column: usize,
        /// What the parser found.
        message: String,
    },
    /// Not text.
    #[error("it is not UTF-8 at byte {offset}; save it as UTF-8 and run the command again")]
    NotUtf8 {
        /// The first bad byte, from 0.
        offset: usize,
    },
    /// Nested beyond reason.
    #[error("it is nested deeper than {levels} levels; is it the right file?")]
    TooDeep {
        /// The limit.
        levels: usize,
    },
    /// Something else where an object belongs.
    #[error("{what} must be an object but is {found}; correct it and run the command again")]
    NotAnObject {
        /// Which value.
        what: &'static str,
        /// Its JSON type.
        found: &'static str,
    },
    /// Something else where the groups of an event belong.
    #[error(
        "the value of \"hooks\".\"{event}\" must be an array but is {found}; correct it and run the command again"
    )]
    NotAnArray {
        /// Which event.
        event: &'static str,
        /// Its JSON type.
        found: &'static str,
    },
    /// A key that stands twice, so that one of the values is dead.
    #[error("the key {key:?} stands there twice; join the two and run the command again")]
    Duplicate {
        /// Which key.
        key: String,
    },
    /// A path that changes its meaning with the working directory.
    #[error("{what} {path:?} is not an absolute path; give it in full")]
    NotAbsolute {
        /// Whose path.
        what: &'static str,
        /// The path.
        path: String,
    },
    /// A path that JSON cannot hold.
    #[error("{what} {path:?} has a path that is not Unicode; move it to one that is")]
    NotUnicode {
        /// Whose path.
        what: &'static str,
        /// The path, with replacement characters.
        path: String,
    },
}

/// Why an agent could not be wired or unwired. The settings file is then as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum WireError {
    /// An agent without an adapter.
    #[error("no hooks can be set up for the agent {name:?}; supported: {supported}")]
    UnsupportedAgent {
        /// As it was given.
        name: String,
        /// The names that work.
        supported: String,
    },
    /// A file that must not be touched as it is.
    #[error("{} was left untouched", path.display())]
    Settings {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        source: SettingsError,
    },
    /// The file cannot be read.
    #[error("cannot read {}; check that it is a file and that you may read it", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
    /// The file, its backup or its folder cannot be written.
    #[error("cannot write {}; check the permissions of its folder and the free space", path.display())]
    Write {
        /// Which file.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
    /// The file is marked read-only.
    #[error("{} is read-only and was left untouched; make it writable and run the command again", path.display())]
    ReadOnly {
        /// Which file.
        path: PathBuf,
    },
    /// Somebody else wrote the file between our reading and writing.
    #[error("{} was changed by another program just now and was left as it is; run the command again", path.display())]
    Changed {
        /// Which file.
        path: PathBuf,
    },
}
