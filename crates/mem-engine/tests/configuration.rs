//! `docs/configuration.md` names every key of `config.toml` with its type and default, and no other.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use mem_engine::Config;
use serde_json::Value;
use std::{collections::BTreeMap, fs, path::Path};

/// A key's type and default, as the document words them.
#[derive(Debug, PartialEq)]
struct Entry {
    kind: String,
    default: String,
}

fn document() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/configuration.md");
    fs::read_to_string(path).unwrap()
}

/// Every key with its default; what has no default of its own counts as one key.
fn defaults() -> BTreeMap<String, Entry> {
    fn flatten(key: &str, value: &Value, all: &mut BTreeMap<String, Entry>) {
        let kind = match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    let key = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
                    flatten(&key, value, all);
                }
                return;
            }
            Value::Null => "",
            Value::Bool(_) => "boolean",
            Value::Number(number) if number.is_u64() => "integer",
            Value::Number(_) => "number",
            Value::String(_) => "text",
            Value::Array(_) => "list",
        };
        let default = match value {
            Value::Null => "none".to_owned(),
            Value::Number(number) if number.as_u64() == Some(usize::MAX as u64) => "no limit".to_owned(),
            value => format!("`{value}`"),
        };
        all.insert(key.to_owned(), Entry { kind: kind.to_owned(), default });
    }
    let mut all = BTreeMap::new();
    flatten("", &serde_json::to_value(Config::default()).unwrap(), &mut all);
    all
}

/// The rows of the document's tables: `key`, type, default, meaning.
fn rows(text: &str) -> Vec<(String, Entry)> {
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    rows.map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        assert_eq!(cells.len(), 4, "a row has four cells: {line}");
        assert!(cells[3].ends_with('.'), "the meaning is a sentence: {line}");
        let entry = Entry { kind: cells[1].to_owned(), default: cells[2].to_owned() };
        (cells[0].trim_matches('`').to_owned(), entry)
    })
    .collect()
}

#[test]
fn every_key_is_documented_with_its_type_and_default() {
    let text = document();
    let documented: BTreeMap<String, Entry> = rows(&text).into_iter().collect();
    for (key, entry) in defaults() {
        let Some(found) = documented.get(&key) else { panic!("docs/configuration.md lacks `{key}`") };
        assert_eq!(found.default, entry.default, "the default of `{key}`");
        // Of a key without a default only the document knows the type.
        if !entry.kind.is_empty() {
            assert_eq!(found.kind, entry.kind, "the type of `{key}`");
        }
    }
}

#[test]
fn no_key_is_documented_that_does_not_exist_or_twice() {
    let text = document();
    let known = defaults();
    let mut seen = BTreeMap::new();
    for (key, entry) in rows(&text) {
        assert!(known.contains_key(&key), "docs/configuration.md names `{key}`, which does not exist");
        assert!(seen.insert(key.clone(), entry).is_none(), "docs/configuration.md names `{key}` twice");
    }
}

#[test]
fn every_section_has_a_heading_and_every_heading_a_section() {
    let text = document();
    let mut sections: Vec<String> =
        defaults().keys().filter_map(|key| Some(key.split_once('.')?.0.to_owned())).collect();
    sections.dedup();
    let mut headings: Vec<String> = text
        .lines()
        .filter_map(|line| Some(line.strip_prefix("## `[")?.split_once(']')?.0.to_owned()))
        .collect();
    headings.sort();
    assert_eq!(headings, sections);
}
