//! The few flags of `mem hook`, read without clap: what is not understood is passed over.

use crate::paths::PathFlags;
use std::ffi::OsString;
use std::path::PathBuf;

/// Flags with a value in the next argument.
const VALUED: [&str; 4] = ["--home", "--project", "--config", "--agent"];

/// What was asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Flags {
    pub(crate) home: Option<PathBuf>,
    pub(crate) config: Option<PathBuf>,
    pub(crate) project: Option<PathBuf>,
    pub(crate) agent: String,
    pub(crate) unknown: Vec<String>,
}

/// The first argument that is neither a flag nor a flag's value.
pub(crate) fn command(args: &[OsString]) -> Option<&OsString> {
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let text = arg.to_string_lossy();
        if VALUED.contains(&text.as_ref()) {
            args.next();
        } else if !text.starts_with('-') {
            return Some(arg);
        }
    }
    None
}

impl Flags {
    pub(crate) fn parse(args: &[OsString]) -> Self {
        let mut flags = Self { agent: "claude".to_owned(), ..Self::default() };
        let mut args = args.iter();
        let mut command = false;
        while let Some(arg) = args.next() {
            let text = arg.to_string_lossy();
            let (name, inline) = match text.split_once('=') {
                Some((name, value)) if name.starts_with("--") => {
                    (name.to_owned(), Some(OsString::from(value)))
                }
                _ => (text.clone().into_owned(), None),
            };
            if VALUED.contains(&name.as_str()) {
                let Some(value) = inline.or_else(|| args.next().cloned()) else {
                    flags.unknown.push(format!("{name} without a value"));
                    continue;
                };
                match name.as_str() {
                    "--home" => flags.home = Some(value.into()),
                    "--config" => flags.config = Some(value.into()),
                    "--project" => flags.project = Some(value.into()),
                    _ => flags.agent = value.to_string_lossy().into_owned(),
                }
            } else if text == "hook" && !command {
                command = true;
            } else if !matches!(text.as_ref(), "-q" | "--quiet" | "-v" | "--verbose") {
                flags.unknown.push(text.chars().take(80).collect());
            }
        }
        flags
    }

    pub(crate) fn paths(&self) -> PathFlags {
        PathFlags { home: self.home.clone(), config: self.config.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn the_command_is_found_behind_flags_and_their_values() {
        assert_eq!(command(&args("--home hook recall x")).unwrap(), "recall");
        assert_eq!(command(&args("-q --home /m hook")).unwrap(), "hook");
        assert_eq!(command(&args("--home")), None);
    }

    #[test]
    fn flags_are_read_and_the_rest_is_kept_for_the_log() {
        let flags = Flags::parse(&args("--home /m hook --agent=codex --frobnicate post-tool-use --config"));
        assert_eq!(flags.home.as_deref(), Some(std::path::Path::new("/m")));
        assert_eq!(flags.agent, "codex");
        assert_eq!(flags.unknown, ["--frobnicate", "post-tool-use", "--config without a value"]);
    }
}
