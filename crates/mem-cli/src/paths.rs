//! Where things are: the memory's data folder, its configuration file, Claude Code's folder.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The systems whose conventions differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Os {
    /// Linux and every other Unix.
    Linux,
    /// macOS.
    Mac,
    /// Windows.
    Windows,
}

impl Os {
    /// The system this binary was built for.
    pub(crate) const HERE: Self = if cfg!(windows) {
        Self::Windows
    } else if cfg!(target_os = "macos") {
        Self::Mac
    } else {
        Self::Linux
    };
}

/// The folder's name inside the platform's data folder.
const FOLDER: &str = "mem";

/// The configuration file's name inside the data folder.
const CONFIG_FILE: &str = "config.toml";

/// What the command line says about places.
#[derive(Debug, Clone, Default)]
pub(crate) struct PathFlags {
    /// `--home DIR`.
    pub(crate) home: Option<PathBuf>,
    /// `--config FILE`.
    pub(crate) config: Option<PathBuf>,
}

/// Why a place is not known.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum PathsError {
    /// Neither an explicit folder nor the user's home.
    #[error("no data folder: {variable} is not set; set it, or give --home DIR or MEM_HOME")]
    NoHome {
        /// The variable that names the user's home on this system.
        variable: &'static str,
    },
    /// Claude Code's folder cannot be told.
    #[error("Claude Code's settings folder is not known: {variable} is not set; set it or CLAUDE_CONFIG_DIR")]
    NoClaudeFolder {
        /// The variable that names the user's home on this system.
        variable: &'static str,
    },
    /// A relative path, and no working directory to put it under.
    #[error("cannot make {} absolute; give the full path", path.display())]
    NotAbsolute {
        /// The path as given.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
}

/// The places this run works with; all absolute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Paths {
    /// The memory's data folder. It may not exist yet.
    pub(crate) home: PathBuf,
    /// The configuration file. It may not exist.
    pub(crate) config: PathBuf,
    home_is_default: bool,
    claude: Option<PathBuf>,
    os: Os,
}

impl Paths {
    /// Works the places out of `env` (a variable's value by name) and the flags; reads no file.
    ///
    /// `--home`, else `$MEM_HOME`, else the platform's data folder with `mem`: `$XDG_DATA_HOME` or
    /// `~/.local/share` on Linux, `~/Library/Application Support` on macOS, `%LOCALAPPDATA%` on Windows.
    /// An empty variable counts as unset, a leading `~/` is the user's home.
    ///
    /// # Errors
    /// When none of these is known, or a relative path has no working directory.
    pub(crate) fn resolve(
        env: &dyn Fn(&str) -> Option<OsString>,
        flags: &PathFlags,
    ) -> Result<Self, PathsError> {
        Self::resolve_for(Os::HERE, env, flags)
    }

    /// [`Paths::resolve`] with this process's environment. Without `$HOME` the user database is asked.
    ///
    /// # Errors
    /// As [`Paths::resolve`].
    pub(crate) fn of_process(flags: &PathFlags) -> Result<Self, PathsError> {
        let env = |name: &str| {
            std::env::var_os(name).filter(|value| !value.is_empty()).or_else(|| {
                (name == home_variable(Os::HERE))
                    .then(std::env::home_dir)
                    .flatten()
                    .map(PathBuf::into_os_string)
            })
        };
        Self::resolve(&env, flags)
    }

    fn resolve_for(
        os: Os,
        env: &dyn Fn(&str) -> Option<OsString>,
        flags: &PathFlags,
    ) -> Result<Self, PathsError> {
        let get = |name: &str| env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let user = get(home_variable(os));
        let full = |path: PathBuf| absolute(path, user.as_deref());
        let default = data_folder(os, &get, user.as_deref()).map(|folder| folder.join(FOLDER));
        let default = default.map(full).transpose()?;
        let given =
            flags.home.clone().filter(|path| !path.as_os_str().is_empty()).or_else(|| get("MEM_HOME"));
        let home = match given {
            Some(given) => full(given)?,
            None => default.clone().ok_or(PathsError::NoHome { variable: home_variable(os) })?,
        };
        let config = match flags.config.clone() {
            Some(config) => full(config)?,
            None => home.join(CONFIG_FILE),
        };
        let claude = match get("CLAUDE_CONFIG_DIR") {
            Some(folder) => Some(full(folder)?),
            None => user.as_ref().map(|user| full(user.join(".claude"))).transpose()?,
        };
        Ok(Self { home_is_default: default.as_ref() == Some(&home), home, config, claude, os })
    }

    /// The data folder when it is not the platform's default: what the wired hooks must be told.
    pub(crate) fn custom_home(&self) -> Option<&Path> {
        (!self.home_is_default).then_some(self.home.as_path())
    }

    /// Claude Code's folder: `$CLAUDE_CONFIG_DIR`, else `~/.claude`.
    ///
    /// # Errors
    /// When neither is known.
    pub(crate) fn claude(&self) -> Result<&Path, PathsError> {
        self.claude.as_deref().ok_or(PathsError::NoClaudeFolder { variable: home_variable(self.os) })
    }
}

fn home_variable(os: Os) -> &'static str {
    match os {
        Os::Linux | Os::Mac => "HOME",
        Os::Windows => "USERPROFILE",
    }
}

fn data_folder(os: Os, get: &dyn Fn(&str) -> Option<PathBuf>, user: Option<&Path>) -> Option<PathBuf> {
    match os {
        // The XDG base directory specification: a relative value is invalid and ignored.
        Os::Linux => get("XDG_DATA_HOME")
            .filter(|folder| folder.is_absolute())
            .or_else(|| user.map(|user| user.join(".local").join("share"))),
        Os::Mac => user.map(|user| user.join("Library").join("Application Support")),
        Os::Windows => get("LOCALAPPDATA").or_else(|| user.map(|user| user.join("AppData").join("Local"))),
    }
}

fn absolute(path: PathBuf, user: Option<&Path>) -> Result<PathBuf, PathsError> {
    let path = match (path.strip_prefix("~"), user) {
        (Ok(rest), Some(user)) => user.join(rest),
        _ => path,
    };
    if path.is_absolute() {
        return Ok(path);
    }
    std::path::absolute(&path).map_err(|source| PathsError::NotAbsolute { path, source })
}

/// Without the `\\?\` of Windows' canonical paths, which many programs do not take.
pub(crate) fn without_verbatim(path: &str) -> String {
    match path.strip_prefix(r"\\?\") {
        Some(rest) => match rest.strip_prefix(r"UNC\") {
            Some(share) => format!(r"\\{share}"),
            None => rest.to_owned(),
        },
        None => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbatim_prefixes_go() {
        assert_eq!(without_verbatim(r"\\?\C:\a\mem.exe"), r"C:\a\mem.exe");
        assert_eq!(without_verbatim(r"\\?\UNC\srv\s\mem.exe"), r"\\srv\s\mem.exe");
        assert_eq!(without_verbatim("/a/mem"), "/a/mem");
    }

    fn resolve(os: Os, vars: &[(&str, &str)], home: Option<&str>) -> Result<Paths, PathsError> {
        let env = |name: &str| vars.iter().find(|(key, _)| *key == name).map(|(_, v)| OsString::from(v));
        Paths::resolve_for(os, &env, &PathFlags { home: home.map(PathBuf::from), config: None })
    }

    #[cfg(unix)]
    #[test]
    fn the_default_follows_the_platform() {
        let home = |os, vars: &[(&str, &str)]| resolve(os, vars, None).unwrap().home;
        assert_eq!(home(Os::Linux, &[("HOME", "/u")]), Path::new("/u/.local/share/mem"));
        assert_eq!(home(Os::Linux, &[("HOME", "/u"), ("XDG_DATA_HOME", "/d")]), Path::new("/d/mem"));
        let relative = [("HOME", "/u"), ("XDG_DATA_HOME", "d")];
        assert_eq!(home(Os::Linux, &relative), Path::new("/u/.local/share/mem"));
        assert_eq!(home(Os::Mac, &[("HOME", "/u")]), Path::new("/u/Library/Application Support/mem"));
        assert_eq!(home(Os::Windows, &[("LOCALAPPDATA", "/l")]), Path::new("/l/mem"));
        assert_eq!(home(Os::Windows, &[("USERPROFILE", "/u")]), Path::new("/u/AppData/Local/mem"));
    }

    #[cfg(unix)]
    #[test]
    fn the_flag_beats_the_variable_beats_the_default() {
        let vars = [("HOME", "/u"), ("MEM_HOME", "/m")];
        let by_flag = resolve(Os::Linux, &vars, Some("/f")).unwrap();
        assert_eq!((by_flag.home.as_path(), by_flag.custom_home()), (Path::new("/f"), Some(Path::new("/f"))));
        assert_eq!(by_flag.config, Path::new("/f/config.toml"));
        assert_eq!(resolve(Os::Linux, &vars, None).unwrap().home, Path::new("/m"));
        let empty = resolve(Os::Linux, &[("HOME", "/u"), ("MEM_HOME", "")], None).unwrap();
        assert_eq!((empty.home.as_path(), empty.custom_home()), (Path::new("/u/.local/share/mem"), None));
        let named = resolve(Os::Linux, &vars, Some("/u/.local/share/mem")).unwrap();
        assert_eq!(named.custom_home(), None);
        let tilde = resolve(Os::Linux, &[("HOME", "/u"), ("MEM_HOME", "~/x")], None).unwrap();
        assert_eq!(tilde.home, Path::new("/u/x"));
        let relative = resolve(Os::Linux, &vars, Some("r")).unwrap();
        assert_eq!(relative.home, std::env::current_dir().unwrap().join("r"));
    }

    #[cfg(unix)]
    #[test]
    fn claude_has_its_own_variable() {
        let moved = resolve(Os::Linux, &[("HOME", "/u"), ("CLAUDE_CONFIG_DIR", "/c")], None).unwrap();
        assert_eq!(moved.claude().unwrap(), Path::new("/c"));
        let usual = resolve(Os::Linux, &[("HOME", "/u")], None).unwrap();
        assert_eq!(usual.claude().unwrap(), Path::new("/u/.claude"));
    }

    #[test]
    fn without_any_home_the_message_says_what_to_set() {
        let message = resolve(Os::Linux, &[("HOME", "")], None).unwrap_err().to_string();
        assert!(message.contains("HOME is not set") && message.contains("--home"), "{message}");
        let root = std::env::current_dir().unwrap();
        let paths = resolve(Os::Windows, &[], root.to_str()).unwrap();
        assert!(paths.claude().unwrap_err().to_string().contains("USERPROFILE"));
    }
}
