//! Changes a few values of a TOML file and keeps every other byte.

use super::{ConfigError, parse_toml};
use serde::de::DeserializeOwned;
use std::path::Path;

/// Sets keys of a table to texts, or removes them: in their lines, else below the table's head, else in a new table at
/// the end.
fn edited(text: &str, table: &str, values: &[(&str, Option<String>)]) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let head = |line: &str| {
        let line = line.trim();
        line.strip_prefix('[')?.split(']').next().map(|name| name.trim().to_owned())
    };
    let found = lines.iter().position(|line| head(line).as_deref() == Some(table));
    for (key, value) in values {
        let line = value.as_ref().map(|value| format!("{key} = {}", quoted(value)));
        let Some(top) = found.or_else(|| lines.iter().rposition(|line| head(line).as_deref() == Some(table)))
        else {
            if let Some(line) = line {
                if lines.last().is_some_and(|last| !last.trim().is_empty()) {
                    lines.push(String::new());
                }
                lines.push(format!("[{table}]"));
                lines.push(line);
            }
            continue;
        };
        let end = lines.iter().skip(top + 1).position(|line| head(line).is_some());
        let end = end.map_or(lines.len(), |more| top + 1 + more);
        let own = |line: &String| line.split('=').next().is_some_and(|name| name.trim() == *key);
        let at = lines.get(top + 1..end).and_then(|body| body.iter().position(own)).map(|at| top + 1 + at);
        match (at, line) {
            (Some(at), Some(line)) => {
                if let Some(place) = lines.get_mut(at) {
                    *place = line;
                }
            }
            (Some(at), None) => drop(lines.remove(at)),
            (None, Some(line)) => lines.insert(top + 1, line),
            (None, None) => {}
        }
    }
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    lines.join(newline) + newline
}

/// A TOML basic string; JSON's escapes are among its own.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A table with its keys; those without a value are removed.
pub(crate) type Table<'a> = (&'a str, Vec<(&'a str, Option<String>)>);

/// Sets keys of tables in the file at `path`, which is made where there is none, so that it then reads as `wanted`.
///
/// # Errors
/// When the file cannot be read or written, or is laid out so that it would read otherwise: it is left as it is then.
pub(crate) fn set<T: DeserializeOwned + PartialEq>(
    path: &Path,
    tables: &[Table<'_>],
    wanted: &T,
) -> anyhow::Result<()> {
    let old = match fs_err::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error.into()),
    };
    let new = tables.iter().fold(old.clone(), |text, (table, values)| edited(&text, table, values));
    let reads: Result<T, ConfigError> = parse_toml(path, new.clone().into_bytes());
    if !reads.is_ok_and(|reads| reads == *wanted) {
        let keys = tables.iter().flat_map(|(table, values)| {
            values.iter().map(move |(key, value)| match value {
                Some(value) => format!("{table}.{key} = {}", quoted(value)),
                None => format!("no {table}.{key}"),
            })
        });
        anyhow::bail!(
            "cannot change {} without touching what else is in it; write there yourself: {}",
            path.display(),
            keys.collect::<Vec<_>>().join(", ")
        );
    }
    if new == old {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    fs_err::create_dir_all(folder)?;
    // Where the file is a link its target is replaced, not the link.
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let beside = tempfile::NamedTempFile::new_in(real.parent().unwrap_or(folder))?;
    fs_err::write(beside.path(), &new)?;
    beside.as_file().sync_all()?;
    if let Ok(found) = fs_err::metadata(&real) {
        fs_err::set_permissions(beside.path(), found.permissions())?;
    }
    beside.persist(&real).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use mem_engine::Config;

    fn chosen(model: &str, path: Option<&str>) -> [(&'static str, Option<String>); 2] {
        [("model", Some(model.to_owned())), ("path", path.map(str::to_owned))]
    }

    #[test]
    fn every_other_byte_stays() {
        let old = "# mine\nlimit = 8 # why\n\n[embedder] # head\n# note\nmodel = 'hash'\nat_once = 3\n[host]\nmodel = 1\n";
        let new = edited(old, "embedder", &chosen("path", Some("/m o\\d\"el")));
        assert_eq!(
            new,
            "# mine\nlimit = 8 # why\n\n[embedder] # head\npath = \"/m o\\\\d\\\"el\"\n# note\nmodel = \"path\"\nat_once = 3\n[host]\nmodel = 1\n"
        );
        assert_eq!(edited(&new, "embedder", &chosen("hash", None)), old.replace("'hash'", "\"hash\""));
        assert_eq!(edited("", "embedder", &chosen("none", None)), "[embedder]\nmodel = \"none\"\n");
        assert_eq!(
            edited("limit = 8\r\n", "embedder", &chosen("path", Some("x"))),
            "limit = 8\r\n\r\n[embedder]\r\npath = \"x\"\r\nmodel = \"path\"\r\n"
        );
        assert_eq!(
            edited("[embedder.onnx]\nbatch = 2\n", "embedder", &chosen("hash", None)),
            "[embedder.onnx]\nbatch = 2\n\n[embedder]\nmodel = \"hash\"\n"
        );
    }

    #[test]
    fn the_file_is_made_changed_or_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new").join("config.toml");
        let mut wanted = Config::default();
        wanted.embedder.model = "none".into();
        let tables = [("embedder", chosen("none", None).to_vec())];
        set(&path, &tables, &wanted).unwrap();
        assert_eq!(fs_err::read_to_string(&path).unwrap(), "[embedder]\nmodel = \"none\"\n");
        let inline = "embedder = { model = 'hash' }\n";
        fs_err::write(&path, inline).unwrap();
        let error = set(&path, &tables, &wanted).unwrap_err().to_string();
        assert!(error.contains("embedder.model = \"none\""), "{error}");
        assert_eq!(fs_err::read_to_string(&path).unwrap(), inline);
    }
}
