//! A tolerant scanner for front matter, and a writer that touches only what changed.
//!
//! It is no YAML parser: files of Claude Code and of other tools break YAML's rules and must be read all the
//! same. Every byte is kept, so a document that was not changed is written back identically.

use super::scalar;
use serde_json::Value as Json;

/// Why a file is taken as it is, whole, as a body, and never rewritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Defect {
    /// It does not begin with `---`.
    NoFrontMatter,
    /// There is no second `---`.
    MissingFence,
    /// A line between the fences is neither a key nor belongs to one.
    StrayText,
    /// Two keys stand on one line.
    FusedKeys,
}

impl Defect {
    /// What is wrong, in words for a person.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::NoFrontMatter => "there is no front matter",
            Self::MissingFence => "the closing --- is missing",
            Self::StrayText => "a line of the front matter is no `key: value`",
            Self::FusedKeys => "two keys stand on one line of the front matter",
        }
    }
}

/// What a key holds.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Value {
    /// A scalar as written, several lines joined as YAML folds them. Quotes are still on.
    Plain(String),
    /// A block scalar (`|`, `>`), its text.
    Block(String),
    /// Items under one another, as written.
    List(Vec<String>),
    /// Keys one level deeper.
    Map(Vec<Entry>),
}

/// A key with all its lines, or lines without a key (empty ones, comments).
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    key: String,
    /// All its lines with their ends; of a map, only the line of the key.
    raw: String,
    value: Value,
}

/// A file of front matter and body.
///
/// ```
/// # use mem_store::mirror::Document;
/// let mut document = Document::parse("---\nname: a: b\nmetadata: \n  type: user\n---\n\nBody\n");
/// assert_eq!(document.get(&["metadata", "type"]).as_deref(), Some("user"));
/// document.set(&["name"], "c");
/// assert_eq!(document.to_string(), "---\nname: c\nmetadata: \n  type: user\n---\n\nBody\n");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// BOM and opening fence, as they are.
    open: String,
    entries: Vec<Entry>,
    close: String,
    body: String,
    defect: Option<Defect>,
}

/// Words that are keys in known files, and are looked for where two lines were fused.
const LONG_KEYS: [&str; 5] = ["originSessionId", "node_type", "lastUpdated", "session_id", "observed_at"];
const SHORT_KEYS: [&str; 8] =
    ["name", "description", "type", "metadata", "modified", "trigger", "confidence", "domain"];

impl Document {
    /// Takes any text. What cannot be read as front matter is all body; see [`Document::defect`].
    pub fn parse(text: &str) -> Self {
        match Self::scan(text) {
            Ok(document) => document,
            Err(defect) => Self {
                open: String::new(),
                entries: Vec::new(),
                close: String::new(),
                body: text.to_owned(),
                defect: Some(defect),
            },
        }
    }

    /// A new document with an empty front matter.
    pub fn new(body: &str) -> Self {
        Self {
            open: "---\n".to_owned(),
            entries: Vec::new(),
            close: "---\n".to_owned(),
            body: body.to_owned(),
            defect: None,
        }
    }

    fn scan(text: &str) -> Result<Self, Defect> {
        let start = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut lines = start.split_inclusive('\n');
        let first = lines.next().unwrap_or_default();
        if first.trim_end() != "---" {
            return Err(Defect::NoFrontMatter);
        }
        let open = text.len() - start.len() + first.len();
        let mut inner = Vec::new();
        let mut at = open;
        for line in lines {
            if line.trim_end() == "---" {
                let (close, body) = (at, at + line.len());
                let part = |from, to| text.get(from..to).unwrap_or_default().to_owned();
                return Ok(Self {
                    open: part(0, open),
                    entries: entries(&inner, 0)?,
                    close: part(close, body),
                    body: part(body, text.len()),
                    defect: None,
                });
            }
            at += line.len();
            inner.push(line);
        }
        Err(Defect::MissingFence)
    }

    /// What is wrong with it, so that it is all body and must not be rewritten.
    pub fn defect(&self) -> Option<Defect> {
        self.defect
    }

    /// Everything after the closing fence, as it is.
    pub fn body(&self) -> &str {
        &self.body
    }

    /// Replaces the body. LF becomes the line end the fences have.
    pub fn set_body(&mut self, body: &str) {
        self.body = if self.eol() == "\r\n" { body.replace('\n', "\r\n") } else { body.to_owned() };
    }

    /// The line end of the opening fence.
    pub fn eol(&self) -> &'static str {
        if self.open.ends_with("\r\n") { "\r\n" } else { "\n" }
    }

    /// The keys at the top, in order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.key.as_str()).filter(|key| !key.is_empty())
    }

    /// The text of a key, quotes taken off; none where it is missing, empty, a list or a map.
    pub fn get(&self, path: &[&str]) -> Option<String> {
        match &self.entry(path)?.value {
            Value::Plain(raw) => Some(scalar::unquote(raw)).filter(|text| !text.is_empty()),
            Value::Block(text) => Some(text.clone()),
            Value::List(_) | Value::Map(_) => None,
        }
    }

    /// The items of a list in either form; a plain text counts as items between commas.
    pub fn get_list(&self, path: &[&str]) -> Option<Vec<String>> {
        match &self.entry(path)?.value {
            Value::List(items) => Some(items.iter().map(|item| scalar::unquote(item)).collect()),
            Value::Plain(raw) => Some(scalar::decode_list(raw).unwrap_or_else(|| {
                raw.split(',').map(scalar::unquote).filter(|item| !item.is_empty()).collect()
            })),
            Value::Block(_) | Value::Map(_) => None,
        }
    }

    /// The value of a key as JSON: strings, lists of strings, objects, and what JSON would write the same way.
    pub fn get_json(&self, path: &[&str]) -> Option<Json> {
        self.entry(path).map(json)
    }

    /// Whether a key is there.
    pub fn has(&self, path: &[&str]) -> bool {
        self.entry(path).is_some()
    }

    /// The keys below a key, in order.
    pub fn keys_of(&self, key: &str) -> Vec<&str> {
        match self.entry(&[key]).map(|entry| &entry.value) {
            Some(Value::Map(entries)) => {
                entries.iter().map(|entry| entry.key.as_str()).filter(|key| !key.is_empty()).collect()
            }
            _ => Vec::new(),
        }
    }

    fn entry(&self, path: &[&str]) -> Option<&Entry> {
        let mut entries = &self.entries;
        let (last, parents) = path.split_last()?;
        for key in parents {
            match &entries.iter().find(|entry| entry.key == *key)?.value {
                Value::Map(inner) => entries = inner,
                _ => return None,
            }
        }
        entries.iter().find(|entry| entry.key == *last)
    }

    /// Sets a text, in quotes where it needs them. Does nothing when it has that text already.
    pub fn set(&mut self, path: &[&str], text: &str) {
        if self.get(path).as_deref() != Some(text) {
            self.set_raw(path, &scalar::encode(text));
        }
    }

    /// Sets a text, always in double quotes. Does nothing when it has that text already.
    pub fn set_quoted(&mut self, path: &[&str], text: &str) {
        if self.get(path).as_deref() != Some(text) {
            self.set_raw(path, &scalar::quote(text));
        }
    }

    /// Sets a list, on one line. Does nothing when it has those items already.
    pub fn set_list(&mut self, path: &[&str], items: &[String]) {
        if self.get_list(path).as_deref() != Some(items) {
            self.set_raw(path, &scalar::encode_list(items));
        }
    }

    /// Sets any value; an object at the top becomes keys one level deeper. Does nothing when it is equal already.
    pub fn set_json(&mut self, path: &[&str], value: &Json) {
        if self.get_json(path).as_ref() == Some(value) {
            return;
        }
        match (path, value) {
            ([key], Json::Object(map)) if !map.is_empty() && map.keys().all(|key| is_key(key)) => {
                for (name, value) in map {
                    self.set_json(&[key, name], value);
                }
            }
            _ => self.set_raw(path, &scalar::from_json(value)),
        }
    }

    /// Replaces the lines of one key, or adds it behind its siblings.
    pub(super) fn set_raw(&mut self, path: &[&str], raw: &str) {
        let eol = self.eol();
        let (Some((last, parents)), true) = (path.split_last(), path.len() <= 2) else { return };
        let mut entries = &mut self.entries;
        let mut indent = String::new();
        if let [parent] = parents {
            let at = match entries.iter().position(|entry| entry.key == *parent) {
                Some(at) => at,
                None => {
                    // The space is there in files of Claude Code as well.
                    let raw = format!("{parent}: {eol}");
                    entries.push(Entry { key: (*parent).to_owned(), raw, value: Value::Map(Vec::new()) });
                    entries.len() - 1
                }
            };
            let Some(entry) = entries.get_mut(at) else { return };
            if !matches!(entry.value, Value::Map(_)) {
                entry.raw = format!("{parent}: {eol}");
                entry.value = Value::Map(Vec::new());
            }
            let Value::Map(inner) = &mut entry.value else { return };
            let sibling = inner.iter().find(|entry| !entry.key.is_empty());
            indent = sibling.map_or("  ".to_owned(), |entry| leading(&entry.raw).to_owned());
            entries = inner;
        }
        let raw_line = format!("{indent}{last}: {raw}{eol}");
        let value = Value::Plain(raw.to_owned());
        match entries.iter_mut().find(|entry| entry.key == *last) {
            Some(entry) => (entry.raw, entry.value) = (raw_line, value),
            None => entries.push(Entry { key: (*last).to_owned(), raw: raw_line, value }),
        }
    }

    /// Takes a key out with all its lines.
    pub fn remove(&mut self, path: &[&str]) {
        match path {
            [key] => self.entries.retain(|entry| entry.key != *key),
            [parent, key] => {
                let parent = self.entries.iter_mut().find(|entry| entry.key == *parent);
                if let Some(Entry { value: Value::Map(inner), .. }) = parent {
                    inner.retain(|entry| entry.key != *key);
                }
            }
            _ => {}
        }
    }
}

impl std::fmt::Display for Document {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        fn write(entries: &[Entry], f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            entries.iter().try_for_each(|entry| {
                f.write_str(&entry.raw)?;
                if let Value::Map(inner) = &entry.value { write(inner, f) } else { Ok(()) }
            })
        }
        f.write_str(&self.open)?;
        write(&self.entries, f)?;
        f.write_str(&self.close)?;
        f.write_str(&self.body)
    }
}

fn json(entry: &Entry) -> Json {
    match &entry.value {
        Value::Plain(raw) => scalar::to_json(raw),
        Value::Block(text) => Json::String(text.clone()),
        Value::List(items) => items.iter().map(|item| Json::String(scalar::unquote(item))).collect(),
        Value::Map(inner) => {
            let keyed = inner.iter().filter(|entry| !entry.key.is_empty());
            Json::Object(keyed.map(|entry| (entry.key.clone(), json(entry))).collect())
        }
    }
}

fn leading(line: &str) -> &str {
    let end = line.find(|c: char| c != ' ' && c != '\t').unwrap_or(line.len());
    line.get(..end).unwrap_or_default()
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

/// Whether a word can stand before a colon: no spaces, so that prose is told from keys.
pub(super) fn is_key(word: &str) -> bool {
    (1..=64).contains(&word.len())
        && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '$' | '/'))
}

/// `key: value`, `key:`, `key:value`, split at the first colon.
fn split_key(line: &str) -> Option<(String, &str)> {
    let (key, value) = line.trim().split_once(':')?;
    let key = scalar::unquote(key);
    (is_key(&key) && !value.starts_with("//")).then_some((key, value.trim()))
}

/// Reads the lines of one level. `depth` 0 is the top; below 1 nothing is taken apart.
fn entries(lines: &[&str], depth: usize) -> Result<Vec<Entry>, Defect> {
    let mut found: Vec<Entry> = Vec::new();
    let mut rest = lines;
    let level =
        lines.iter().find(|line| !is_blank(line) && !is_comment(line)).map_or(0, |line| leading(line).len());
    if depth == 0 && level > 0 {
        return Err(Defect::StrayText);
    }
    while let Some((line, after)) = rest.split_first() {
        rest = after;
        if is_blank(line) || is_comment(line) {
            found.push(Entry {
                key: String::new(),
                raw: (*line).to_owned(),
                value: Value::Plain(String::new()),
            });
            continue;
        }
        let Some((key, value)) = split_key(line).filter(|_| leading(line).len() == level) else {
            return Err(Defect::StrayText);
        };
        if is_fused(value) {
            return Err(Defect::FusedKeys);
        }
        let own = own_lines(rest, level, value.is_empty());
        let (own, others) = rest.split_at_checked(own).unwrap_or((rest, &[]));
        rest = others;
        let raw = || std::iter::once(line).chain(own).copied().collect::<String>();
        let inner_first = own.iter().find(|line| !is_blank(line) && !is_comment(line));
        if is_block_mark(value) {
            found.push(Entry { key, raw: raw(), value: Value::Block(block(value, own)) });
        } else if !value.is_empty() {
            if own.iter().any(|line| is_fused(line.trim())) {
                return Err(Defect::FusedKeys);
            }
            let parts = std::iter::once(value).chain(own.iter().map(|line| line.trim()));
            let joined = parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
            found.push(Entry { key, raw: raw(), value: Value::Plain(joined) });
        } else if inner_first.is_some_and(|line| is_item(line)) {
            found.push(Entry { key, raw: raw(), value: Value::List(items(own)) });
        } else if depth == 0 && inner_first.is_some_and(|line| split_key(line).is_some()) {
            let inner = entries(own, 1)?;
            found.push(Entry { key, raw: (*line).to_owned(), value: Value::Map(inner) });
        } else {
            let parts: Vec<_> = own.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
            found.push(Entry { key, raw: raw(), value: Value::Plain(parts.join(" ")) });
        }
    }
    Ok(found)
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with('#')
}

fn is_item(line: &str) -> bool {
    let line = line.trim();
    line == "-" || line.starts_with("- ")
}

/// How many of the lines that follow a key belong to it: deeper ones, and items at its own level when it has no
/// value of its own. Empty lines belong to it when such a line follows.
fn own_lines(lines: &[&str], level: usize, open: bool) -> usize {
    let mut own = 0;
    for (index, line) in lines.iter().enumerate() {
        if is_blank(line) {
            continue;
        }
        let depth = leading(line).len();
        if depth <= level && !(open && depth == level && is_item(line)) {
            break;
        }
        own = index + 1;
    }
    own
}

fn is_block_mark(value: &str) -> bool {
    let mut chars = value.chars();
    matches!(chars.next(), Some('|' | '>')) && chars.all(|c| matches!(c, '+' | '-' | '0'..='9'))
}

/// The text of a block scalar: `|` keeps line ends, `>` makes them spaces. The end is stripped, whatever the mark says.
fn block(mark: &str, lines: &[&str]) -> String {
    let level =
        lines.iter().filter(|line| !is_blank(line)).map(|line| leading(line).len()).min().unwrap_or(0);
    let lines = lines.iter().map(|line| line.trim_end().get(level..).unwrap_or_default());
    let mut text = String::new();
    for line in lines {
        if mark.starts_with('|') {
            text.push_str(line);
            text.push('\n');
        } else if line.is_empty() {
            text.push('\n');
        } else {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push(' ');
            }
            text.push_str(line);
        }
    }
    text.trim_end().to_owned()
}

fn items(lines: &[&str]) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    for line in lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        match (line.strip_prefix('-'), items.last_mut()) {
            (Some(item), _) if is_item(line) => items.push(item.trim().to_owned()),
            (_, Some(last)) => {
                last.push(' ');
                last.push_str(line);
            }
            _ => {}
        }
    }
    items
}

/// Whether a plain value has a known key stuck to its end, as in `2026-05-17originSessionId: …`.
fn is_fused(value: &str) -> bool {
    if scalar::is_quoted(value) {
        return false;
    }
    let stuck = |key: &str, is_end: fn(char) -> bool| {
        value.match_indices(key).any(|(at, _)| {
            let before = value.get(..at).and_then(|before| before.chars().next_back());
            let after = value.get(at + key.len()..).unwrap_or_default();
            before.is_some_and(is_end) && (after.starts_with(": ") || after == ":")
        })
    };
    LONG_KEYS
        .iter()
        .any(|key| stuck(key, |c| !c.is_whitespace() && !matches!(c, '(' | '`' | '.' | '_' | '-' | '/')))
        || SHORT_KEYS.iter().any(|key| stuck(key, |c| c.is_ascii_digit() || matches!(c, '"' | '\'')))
}

#[cfg(test)]
#[path = "front_matter_tests.rs"]
mod tests;
