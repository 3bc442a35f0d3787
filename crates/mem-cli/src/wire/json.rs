//! JSON with byte spans, and edits of the text that leave every other byte alone.

use super::SettingsError;
use serde::de::IgnoredAny;
use serde_json::Value;
use std::ops::Range;

/// Bytes of the text.
pub(super) type Span = Range<usize>;

/// Deeper nesting is refused: the scanner recurses.
const MAX_DEPTH: usize = 200;

/// One value and where it stands.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) span: Span,
    pub(super) kind: Kind,
}

/// What a value is.
#[derive(Debug)]
pub(super) enum Kind {
    Object(Vec<Member>),
    Array(Vec<Node>),
    String(String),
    Number,
    Bool(bool),
    Null,
}

/// One `"key": value` of an object.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) key: String,
    start: usize,
    pub(super) value: Node,
}

impl Member {
    pub(super) fn span(&self) -> Span {
        self.start..self.value.span.end
    }
}

impl Node {
    /// The JSON name of the type, for messages.
    pub(super) fn type_name(&self) -> &'static str {
        match self.kind {
            Kind::Object(_) => "an object",
            Kind::Array(_) => "an array",
            Kind::String(_) => "a string",
            Kind::Number => "a number",
            Kind::Bool(_) => "true or false",
            Kind::Null => "null",
        }
    }

    pub(super) fn members(&self) -> Option<&[Member]> {
        if let Kind::Object(members) = &self.kind { Some(members) } else { None }
    }

    pub(super) fn items(&self) -> Option<&[Node]> {
        if let Kind::Array(items) = &self.kind { Some(items) } else { None }
    }

    pub(super) fn as_str(&self) -> Option<&str> {
        if let Kind::String(text) = &self.kind { Some(text) } else { None }
    }

    /// The value of `key`: the last one, as JavaScript reads it.
    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        self.members()?.iter().rev().find(|member| member.key == key).map(|member| &member.value)
    }

    fn children(&self) -> Vec<Span> {
        match &self.kind {
            Kind::Object(members) => members.iter().map(Member::span).collect(),
            Kind::Array(items) => items.iter().map(|item| item.span.clone()).collect(),
            _ => Vec::new(),
        }
    }
}

/// Reads a whole text; strict JSON, lone surrogate escapes tolerated.
pub(super) fn parse(text: &str) -> Result<Node, SettingsError> {
    serde_json::from_str::<IgnoredAny>(text).map_err(|error| {
        let message = error.to_string();
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(what, _)| what).to_owned();
        SettingsError::Syntax { line: error.line(), column: error.column(), message }
    })?;
    Scanner { text, at: 0 }.value(0)
}

/// Walks a text that serde_json has found to be well formed.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl Scanner<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, SettingsError> {
        if depth > MAX_DEPTH {
            return Err(SettingsError::TooDeep { levels: MAX_DEPTH });
        }
        self.skip_space();
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => {
                let mut members = Vec::new();
                self.list(b'}', |scanner| {
                    let start = scanner.at;
                    let key = scanner.string()?;
                    scanner.skip_space();
                    scanner.at += 1;
                    members.push(Member { key, start, value: scanner.value(depth + 1)? });
                    Ok(())
                })?;
                Kind::Object(members)
            }
            Some(b'[') => {
                let mut items = Vec::new();
                self.list(b']', |scanner| {
                    items.push(scanner.value(depth + 1)?);
                    Ok(())
                })?;
                Kind::Array(items)
            }
            Some(b'"') => Kind::String(self.string()?),
            Some(first) => {
                while self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte)) {
                    self.at += 1;
                }
                match first {
                    b't' | b'f' => Kind::Bool(first == b't'),
                    b'n' => Kind::Null,
                    _ => Kind::Number,
                }
            }
            None => return Err(self.surprise()),
        };
        Ok(Node { span: start..self.at, kind })
    }

    /// From the opening bracket to past the closing one; `item` reads one element.
    fn list(
        &mut self,
        close: u8,
        mut item: impl FnMut(&mut Self) -> Result<(), SettingsError>,
    ) -> Result<(), SettingsError> {
        self.at += 1;
        loop {
            self.skip_space();
            match self.peek() {
                Some(byte) if byte == close => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b',') => self.at += 1,
                Some(_) => {
                    let before = self.at;
                    item(self)?;
                    if self.at == before {
                        return Err(self.surprise());
                    }
                }
                None => return Err(self.surprise()),
            }
        }
    }

    /// A string at the current quote. One with lone surrogates stays as it is written.
    fn string(&mut self) -> Result<String, SettingsError> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => self.at += 2,
                Some(_) => self.at += 1,
                None => return Err(self.surprise()),
            }
        }
        self.at += 1;
        let written = self.text.get(start..self.at).unwrap_or_default();
        Ok(serde_json::from_str(written).unwrap_or_else(|_| written.to_owned()))
    }

    fn surprise(&self) -> SettingsError {
        let before = self.text.as_bytes().get(..self.at).unwrap_or(self.text.as_bytes());
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        let column = before.iter().rev().take_while(|&&byte| byte != b'\n').count() + 1;
        SettingsError::Syntax { line, column, message: "unexpected end".to_owned() }
    }
}

/// How a file is laid out.
#[derive(Debug)]
pub(super) struct Style {
    newline: &'static str,
    unit: String,
    /// False for a file that is one line.
    multi_line: bool,
}

impl Style {
    /// Line ends from the first line, the indentation from the first member; two spaces when nothing tells.
    pub(super) fn of(text: &str, root: &Node) -> Self {
        let newline = match text.find('\n') {
            Some(at) if at > 0 && text.as_bytes().get(at - 1) == Some(&b'\r') => "\r\n",
            _ => "\n",
        };
        let first = root.children().first().map(|child| gap_before(text, root.span.start + 1, child.start));
        let (multi_line, unit) = match first {
            None => (true, String::new()),
            Some(gap) => match gap.rsplit_once('\n') {
                Some((_, indent)) => (true, indent.to_owned()),
                None => (false, String::new()),
            },
        };
        let base = indentation(text, root.span.start);
        let unit = unit.strip_prefix(base.as_str()).unwrap_or_default();
        let unit = if unit.is_empty() { "  " } else { unit };
        Self { newline, unit: unit.to_owned(), multi_line }
    }

    /// A value as text; the lines after the first start with `base`.
    pub(super) fn render(&self, value: &Value, base: &str, multi_line: bool) -> String {
        if !multi_line {
            return value.to_string();
        }
        let mut bytes = Vec::new();
        let formatter = serde_json::ser::PrettyFormatter::with_indent(self.unit.as_bytes());
        let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
        if serde::Serialize::serialize(value, &mut serializer).is_err() {
            return value.to_string();
        }
        let pretty = String::from_utf8(bytes).unwrap_or_else(|_| value.to_string());
        pretty.replace('\n', &format!("{}{base}", self.newline))
    }
}

fn gap_before(text: &str, from: usize, to: usize) -> &str {
    text.get(from..to).unwrap_or_default()
}

/// The white space that starts the line in which `at` lies.
fn indentation(text: &str, at: usize) -> String {
    let line = text.get(..at).unwrap_or_default().rsplit('\n').next().unwrap_or_default();
    line.chars().take_while(|c| matches!(c, ' ' | '\t')).collect()
}

/// Adds a last element to an object (with `key`) or array (without), laid out like its neighbours.
pub(super) fn append(
    text: &str,
    container: &Node,
    key: Option<&str>,
    value: &Value,
    style: &Style,
) -> String {
    let element = |base: &str, multi_line: bool| {
        let value = style.render(value, base, multi_line);
        match key {
            Some(key) => {
                let colon = if multi_line { ": " } else { ":" };
                format!("{}{colon}{value}", Value::from(key))
            }
            None => value,
        }
    };
    let children = container.children();
    let Some(last) = children.last() else {
        let inner = container.span.start + 1..container.span.end.saturating_sub(1);
        if !style.multi_line {
            return replace(text, &inner, &element("", false));
        }
        let outer = indentation(text, container.span.start);
        let base = format!("{outer}{}", style.unit);
        let newline = style.newline;
        return replace(text, &inner, &format!("{newline}{base}{}{newline}{outer}", element(&base, true)));
    };
    let before = children
        .len()
        .checked_sub(2)
        .and_then(|at| children.get(at))
        .map_or(container.span.start + 1, |p| p.end);
    let gap = gap_before(text, before, last.start);
    let added = match gap.rsplit_once('\n') {
        Some((_, indent)) => format!(",{}{indent}{}", style.newline, element(indent, true)),
        None => {
            let space = if gap.ends_with(' ') || style.multi_line { " " } else { "" };
            format!(",{space}{}", element("", false))
        }
    };
    replace(text, &(last.end..last.end), &added)
}

/// Writes a new value over an old one, on one line or several as the old one was.
pub(super) fn overwrite(text: &str, old: &Span, value: &Value, style: &Style) -> String {
    let was = text.get(old.clone()).unwrap_or_default();
    style.render(value, &indentation(text, old.start), was.contains('\n'))
}

/// What to cut so that the flagged elements go, with their commas; all gone leaves the brackets.
pub(super) fn cuts(container: &Node, removed: &[bool]) -> Vec<Span> {
    let children = container.children();
    let gone = |at: usize| removed.get(at).copied().unwrap_or(false);
    if (0..children.len()).all(gone) {
        let inner = container.span.start + 1..container.span.end.saturating_sub(1);
        return vec![inner];
    }
    let mut cuts = Vec::new();
    let mut kept_end: Option<usize> = None;
    let mut run: Option<Span> = None;
    for (at, child) in children.iter().enumerate() {
        if gone(at) {
            run = Some(run.map_or(child.start, |run| run.start)..child.end);
            continue;
        }
        if let Some(run) = run.take() {
            cuts.push(match kept_end {
                Some(end) => end..run.end,
                None => run.start..child.start,
            });
        }
        kept_end = Some(child.end);
    }
    if let (Some(run), Some(end)) = (run, kept_end) {
        cuts.push(end..run.end);
    }
    cuts
}

/// The text with one span exchanged.
pub(super) fn replace(text: &str, span: &Span, with: &str) -> String {
    apply(text, vec![(span.clone(), with.to_owned())])
}

/// The text with several spans exchanged; they must not overlap.
pub(super) fn apply(text: &str, mut edits: Vec<(Span, String)>) -> String {
    edits.sort_by_key(|(span, _)| span.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (span, with) in edits {
        out.push_str(text.get(at..span.start).unwrap_or_default());
        out.push_str(&with);
        at = span.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}
