//! The agents whose settings can be wired, and where those settings are.

use super::{Plan, SettingsError, WireError, Wiring, claude, recognise::Invocation};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// An agent with hooks. A new one needs a variant here and a module beside `claude`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub(crate) enum Agent {
    /// Claude Code.
    #[default]
    Claude,
}

/// Which of an agent's settings files is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target<'a> {
    /// The user's own, for all projects: the agent's configuration folder.
    User(&'a Path),
    /// One project's: its root folder.
    Project(&'a Path),
}

impl Agent {
    /// All that can be wired.
    pub(crate) const ALL: &'static [Self] = &[Self::Claude];

    /// The name given to `--agent`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
        }
    }

    /// The name for people.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
        }
    }

    /// The file that holds the hooks.
    ///
    /// For one project it is Claude Code's `settings.local.json`, not the shared `settings.json`: the entries
    /// hold the absolute path of a binary on this machine, and a colleague without it would get an error on
    /// every tool call. Claude Code keeps the local file out of git.
    pub(crate) fn settings_path(self, target: Target<'_>) -> PathBuf {
        match (self, target) {
            (Self::Claude, Target::User(config)) => config.join("settings.json"),
            (Self::Claude, Target::Project(root)) => root.join(".claude").join("settings.local.json"),
        }
    }

    pub(super) fn plan(self, text: Option<&str>, invocation: &Invocation) -> Result<Plan, SettingsError> {
        match self {
            Self::Claude => claude::plan_with(text, invocation),
        }
    }

    pub(super) fn unplan(self, text: &str, exe: Option<&Path>) -> Result<Plan, SettingsError> {
        match self {
            Self::Claude => claude::unplan(text, exe),
        }
    }

    pub(super) fn inspect(self, text: &str, exe: Option<&Path>) -> Result<Wiring, SettingsError> {
        match self {
            Self::Claude => claude::inspect(text, exe),
        }
    }
}

impl FromStr for Agent {
    type Err = WireError;

    fn from_str(name: &str) -> Result<Self, WireError> {
        let wanted = name.trim();
        Self::ALL.iter().copied().find(|agent| agent.name().eq_ignore_ascii_case(wanted)).ok_or_else(|| {
            WireError::UnsupportedAgent {
                name: name.to_owned(),
                supported: Self::ALL.iter().map(|agent| agent.name()).collect::<Vec<_>>().join(", "),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_any_case_and_unknown_ones_list_what_there_is() {
        assert_eq!("Claude".parse::<Agent>().unwrap(), Agent::Claude);
        let error = "codex".parse::<Agent>().unwrap_err().to_string();
        assert!(error.contains("\"codex\"") && error.contains("claude"), "{error}");
    }

    #[test]
    fn a_project_gets_the_file_that_is_not_shared() {
        let user = Agent::Claude.settings_path(Target::User(Path::new("/h/.claude")));
        assert_eq!(user, Path::new("/h/.claude/settings.json"));
        let project = Agent::Claude.settings_path(Target::Project(Path::new("/p")));
        assert_eq!(project, Path::new("/p/.claude/settings.local.json"));
    }
}
