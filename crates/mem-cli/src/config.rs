//! Reads TOML files with errors that lead to the line to correct.

pub(crate) mod edit;

use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};

/// Why a configuration file was not taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum ConfigError {
    /// The file is there but cannot be read.
    #[error("cannot read {}; check that it is a file and that you may read it", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
    /// Not text.
    #[error("{} is not UTF-8 at byte {offset}; save it as UTF-8", path.display())]
    NotUtf8 {
        /// Which file.
        path: PathBuf,
        /// The first bad byte, from 0.
        offset: usize,
    },
    /// Not TOML, an unknown key, or a value of the wrong type.
    #[error("{}, line {line}, column {column}{}: {message}; correct it, or delete the line to get the default",
        path.display(), key.as_ref().map(|key| format!(", key \"{key}\"")).unwrap_or_default())]
    Invalid {
        /// Which file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// From 1, in characters.
        column: usize,
        /// The dotted key on that line, with its table.
        key: Option<String>,
        /// What the parser says.
        message: String,
    },
}

/// Reads the file at `path`; one that is not there gives the default.
///
/// # Errors
/// When it cannot be read, is not TOML, or does not fit `T`.
pub(crate) fn load_toml<T: DeserializeOwned + Default>(path: &Path) -> Result<T, ConfigError> {
    match fs_err::read(path) {
        Ok(bytes) => parse_toml(path, bytes),
        // Where the folder is a file there is no file in it either.
        Err(error)
            if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) =>
        {
            Ok(T::default())
        }
        Err(source) => Err(ConfigError::Read { path: path.to_owned(), source }),
    }
}

/// Reads what was in the file at `path`, which is only named in errors.
///
/// # Errors
/// As [`load_toml`].
pub(crate) fn parse_toml<T: DeserializeOwned>(path: &Path, bytes: Vec<u8>) -> Result<T, ConfigError> {
    let text = String::from_utf8(bytes).map_err(|error| ConfigError::NotUtf8 {
        path: path.to_owned(),
        offset: error.utf8_error().valid_up_to(),
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let before = text.get(..at).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        ConfigError::Invalid {
            path: path.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
            key: error.span().and_then(|_| key_at(text, line_start)),
            message: error.message().trim().replace('\n', "; "),
        }
    })
}

/// The key that the line assigns, or the table it opens, with the table it stands in.
fn key_at(text: &str, line_start: usize) -> Option<String> {
    let table = |line: &str| {
        let name = line.trim().strip_prefix('[')?.split(']').next()?;
        Some(name.trim_start_matches('[').trim().to_owned())
    };
    let line = text.get(line_start..)?.lines().next()?;
    if let Some(name) = table(line) {
        return Some(name).filter(|name| !name.is_empty());
    }
    let key = line.split_once('=')?.0.trim();
    if key.is_empty() {
        return None;
    }
    let within = text.get(..line_start)?.lines().rev().find_map(table);
    Some(within.map_or_else(|| key.to_owned(), |table| format!("{table}.{key}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Default, PartialEq, serde::Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Sample {
        name: String,
        recall: Recall,
    }

    #[derive(Debug, Default, PartialEq, serde::Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Recall {
        limit: u32,
    }

    fn message(text: &str) -> String {
        parse_toml::<Sample>(Path::new("c.toml"), text.as_bytes().to_vec()).unwrap_err().to_string()
    }

    #[test]
    fn a_missing_or_empty_file_is_the_default() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        assert_eq!(load_toml::<Sample>(&path).unwrap(), Sample::default());
        std::fs::write(&path, "\u{feff}").unwrap();
        assert_eq!(load_toml::<Sample>(&path).unwrap(), Sample::default());
        std::fs::write(&path, "name = \"记忆\"\r\n[recall]\r\nlimit = 3\r\n").unwrap();
        assert_eq!(load_toml::<Sample>(&path).unwrap().recall, Recall { limit: 3 });
        assert!(matches!(load_toml::<Sample>(folder.path()), Err(ConfigError::Read { .. })));
    }

    #[test]
    fn a_wrong_value_is_named_with_its_place() {
        let text = message("name = \"a\"\n\n[recall]\nlimit = \"记\"\n");
        assert!(text.starts_with("c.toml, line 4, column 9, key \"recall.limit\": invalid type"), "{text}");
        assert!(text.contains("default"), "{text}");
    }

    #[test]
    fn an_unknown_key_is_named_with_its_place() {
        let text = message("[recall]\nlimt = 3\n");
        assert!(text.contains("line 2, column 1, key \"recall.limt\"") && text.contains("`limit`"), "{text}");
        let text = message("x = 1\n");
        assert!(text.contains("line 1, column 1, key \"x\""), "{text}");
        let text = message("[nothing]\n");
        assert!(text.contains("line 1") && text.contains("key \"nothing\""), "{text}");
    }

    #[test]
    fn broken_text_is_placed_too() {
        assert!(message("name = \n").contains("line 1, column 8, key \"name\""), "{}", message("name = \n"));
        let error = parse_toml::<Sample>(Path::new("c.toml"), b"name = \"\xff\"".to_vec()).unwrap_err();
        assert!(error.to_string().contains("byte 8"), "{error}");
    }
}
