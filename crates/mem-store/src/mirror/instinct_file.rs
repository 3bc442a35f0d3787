//! An instinct as a Markdown file that people and ECC's continuous-learning tools read and write.
//!
//! Written: one instinct a file, `---` only as a fence, the trigger in double quotes, the confidence with two
//! decimals and at least 0.01 (ECC drops a zero and reads 0.5), `## Action`, `## Evidence`. Read: every variant,
//! several instincts a file, `#` lines before the first, further keys and sections.
//!
//! Counts, sessions and the time of injection follow from the evidence in the store; they are not in the file.

use super::{Defect, Document, FileDefaults};
use mem_core::{
    Counts, Instinct, InstinctId, InstinctScope, InstinctStatus, JsonObject, ProjectId, Timestamp, Unit,
};

/// The instincts of one file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct InstinctFile {
    /// Those that could be read, in order.
    pub instincts: Vec<Instinct>,
    /// What could not, and why.
    pub problems: Vec<InstinctProblem>,
}

impl InstinctFile {
    /// Whether the file may be rewritten: it holds one instinct and nothing unreadable.
    pub fn rewritable(&self) -> bool {
        self.instincts.len() == 1 && self.problems.is_empty()
    }
}

/// Why a record, or a whole file, is no instinct.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum InstinctProblem {
    /// The file has no front matter that can be read.
    Unreadable(Defect),
    /// A record has no id.
    MissingId,
    /// An id is no slug of ASCII letters, digits, `.`, `_`, `-`.
    BadId(String),
}

impl std::fmt::Display for InstinctProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unreadable(defect) => f.write_str(defect.describe()),
            Self::MissingId => f.write_str("an instinct has no id"),
            Self::BadId(id) => {
                write!(f, "the id {id:?} is no word of ASCII letters, digits, '.', '_' and '-'")
            }
        }
    }
}

/// The least confidence that is written.
const LEAST: f64 = 0.01;
const OWN_KEYS: [&str; 12] = [
    "id",
    "trigger",
    "confidence",
    "domain",
    "source",
    "deprecated",
    "observed_at",
    "scope",
    "project_id",
    "created",
    "status",
    "type",
];
const ACTION: [&str; 5] = ["action", "行动", "动作", "操作", "做法"];
const EVIDENCE: [&str; 4] = ["evidence", "证据", "依据", "根拠"];

/// Reads every instinct of a file.
pub fn read_instincts(text: &str, defaults: &FileDefaults) -> InstinctFile {
    let mut file = InstinctFile::default();
    let records = records(text);
    if records.is_empty() {
        let defect = Document::parse(text).defect().unwrap_or(Defect::NoFrontMatter);
        file.problems.push(InstinctProblem::Unreadable(defect));
    }
    for record in records {
        match read_record(&record, defaults) {
            Ok(instinct) => file.instincts.push(instinct),
            Err(problem) => file.problems.push(problem),
        }
    }
    file
}

/// The records of a file, each from its fence to the next one's. What stands before the first is left out.
///
/// A `---` opens a record only where keys and another `---` follow; elsewhere it is a rule in a body.
fn records(text: &str) -> Vec<Document> {
    let mut fences = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_start_matches('\u{feff}').trim_end() == "---" {
            fences.push((at, at + line.len()));
        }
        at += line.len();
    }
    let mut starts: Vec<usize> = Vec::new();
    let mut index = 0;
    while let (Some((start, _)), Some((_, end))) = (fences.get(index), fences.get(index + 1)) {
        let head = Document::parse(text.get(*start..*end).unwrap_or_default());
        let keyed = head.has(&["id"]) || head.has(&["trigger"]);
        if head.defect().is_none() && keyed {
            starts.push(*start);
            index += 2;
        } else {
            index += 1;
        }
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(start, end)| Document::parse(text.get(*start..end).unwrap_or_default()))
        .collect()
}

fn is_id(id: &str) -> bool {
    id.len() <= 128
        && id.starts_with(|c: char| c.is_ascii_alphanumeric())
        && id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
        && !id.contains("..")
}

fn read_record(document: &Document, defaults: &FileDefaults) -> Result<Instinct, InstinctProblem> {
    let get = |key: &str| document.get(&[key]);
    let id = get("id").ok_or(InstinctProblem::MissingId)?;
    let id = match InstinctId::new(id.as_str()) {
        Ok(valid) if is_id(&id) => valid,
        _ => return Err(InstinctProblem::BadId(id.chars().take(80).collect())),
    };
    let observed_at = get("observed_at").and_then(|text| time(&text));
    let created = get("created").and_then(|text| time(&text));
    let confidence = get("confidence").and_then(|text| text.parse::<f64>().ok());
    let deprecated = get("deprecated").is_some_and(|text| text.eq_ignore_ascii_case("true"));
    let status = match get("status").as_deref() {
        _ if deprecated => InstinctStatus::Deprecated,
        Some("candidate") => InstinctStatus::Candidate,
        _ => InstinctStatus::Active,
    };
    let project = get("project_id").and_then(|id| ProjectId::new(id).ok()).or(defaults.project.clone());
    let scope = match get("scope").as_deref() {
        Some("project") => InstinctScope::Project,
        Some(_) => InstinctScope::Global,
        None if project.is_some() => InstinctScope::Project,
        None => InstinctScope::Global,
    };
    let parts = parts(document.body());
    let mut extra = JsonObject::new();
    for key in document.keys().filter(|key| !OWN_KEYS.contains(key)) {
        if let Some(value) = document.get_json(&[key]) {
            extra.insert(key.to_owned(), value);
        }
    }
    Ok(Instinct {
        id,
        trigger: get("trigger").unwrap_or_default(),
        action: action(&parts),
        domain: get("domain").unwrap_or_else(|| "general".to_owned()),
        source: get("source").unwrap_or_else(|| "inherited".to_owned()),
        confidence: confidence.map_or(Unit::HALF, Unit::saturating),
        status,
        scope,
        project: project.filter(|_| scope == InstinctScope::Project),
        counts: Counts::default(),
        sessions: 0,
        created: created.or(observed_at).unwrap_or(defaults.at),
        observed_at: observed_at.or(created).unwrap_or(defaults.at),
        injected_since: None,
        evidence: evidence(&parts),
        extra,
    })
}

/// An instant, or a day as its first instant.
fn time(text: &str) -> Option<Timestamp> {
    text.parse()
        .ok()
        .or_else(|| (text.len() == 10).then(|| format!("{text}T00:00:00Z").parse().ok()).flatten())
}

/// A stretch of a body: a heading of the second level with what stands below it, or what stands before the first.
#[derive(Debug)]
struct Part<'a> {
    heading: Option<&'a str>,
    raw: &'a str,
}

fn parts(body: &str) -> Vec<Part<'_>> {
    let mut parts: Vec<Part<'_>> = Vec::new();
    let (mut start, mut at, mut heading) = (0, 0, None);
    for line in body.split_inclusive('\n') {
        if let Some(name) = line.strip_prefix("## ") {
            parts.push(Part { heading, raw: body.get(start..at).unwrap_or_default() });
            (start, heading) = (at, Some(name.trim()));
        }
        at += line.len();
    }
    parts.push(Part { heading, raw: body.get(start..).unwrap_or_default() });
    parts
}

impl Part<'_> {
    fn is(&self, words: &[&str]) -> bool {
        self.heading.is_some_and(|heading| {
            let heading = heading.trim_end_matches([':', '：']).to_lowercase();
            words.contains(&heading.as_str())
        })
    }

    /// The text below the heading, LF only.
    fn text(&self) -> String {
        let text = if self.heading.is_some() {
            self.raw.split_once('\n').map_or("", |(_, text)| text)
        } else {
            self.raw
        };
        text.replace("\r\n", "\n")
    }
}

/// The text of `## Action`; without one, everything before the first section but the title.
fn action(parts: &[Part<'_>]) -> String {
    if let Some(part) = parts.iter().find(|part| part.is(&ACTION)) {
        return part
            .text()
            .split('\n')
            .map(without_backslash)
            .collect::<Vec<_>>()
            .join("\n")
            .trim()
            .to_owned();
    }
    let text = parts.iter().find(|part| part.heading.is_none()).map(Part::text).unwrap_or_default();
    let text = text.trim();
    let untitled =
        if text.starts_with("# ") { text.split_once('\n').map_or("", |(_, rest)| rest) } else { text };
    untitled.trim().to_owned()
}

/// The items of `## Evidence`; lines that continue an item are joined to it.
fn evidence(parts: &[Part<'_>]) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    let Some(part) = parts.iter().find(|part| part.is(&EVIDENCE)) else { return items };
    for line in part.text().lines().filter(|line| !line.trim().is_empty()) {
        let item = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "));
        match (item, items.last_mut()) {
            (Some(item), _) => items.push(item.trim().to_owned()),
            (None, Some(last)) => {
                last.push(' ');
                last.push_str(line.trim());
            }
            (None, None) => items.push(line.trim().to_owned()),
        }
    }
    items.retain(|item| !item.is_empty());
    items
}

/// Whether a line, without backslashes before it, would end a section or open a record.
fn is_structure(line: &str) -> bool {
    let bare = line.trim_start_matches('\\');
    bare.starts_with("## ") || bare.trim_end() == "---"
}

fn without_backslash(line: &str) -> &str {
    line.strip_prefix('\\').filter(|_| is_structure(line)).unwrap_or(line)
}

fn action_section(action: &str) -> String {
    let lines = action.trim().split('\n').map(|line| {
        let line = line.trim_end_matches('\r');
        if is_structure(line) { format!("\\{line}") } else { line.to_owned() }
    });
    format!("## Action\n{}\n", lines.collect::<Vec<_>>().join("\n"))
}

fn evidence_section(evidence: &[String]) -> String {
    let lines = evidence.iter().map(|line| one_line(line)).filter(|line| !line.is_empty());
    format!("## Evidence\n{}", lines.map(|line| format!("- {line}\n")).collect::<String>())
}

/// A text with every run of line ends and spaces around them as one space.
fn one_line(text: &str) -> String {
    text.split(['\n', '\r']).map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Two decimals, never zero.
pub(super) fn confidence(unit: Unit) -> String {
    format!("{:.2}", unit.get().max(LEAST))
}

/// An instinct as a new file.
pub fn write_instinct(instinct: &Instinct) -> String {
    let mut document = Document::new("");
    document.set(&["id"], instinct.id.as_str());
    document.set_quoted(&["trigger"], &instinct.trigger);
    document.set_raw(&["confidence"], &confidence(instinct.confidence));
    document.set(&["domain"], &instinct.domain);
    document.set(&["source"], &instinct.source);
    let deprecated = instinct.status == InstinctStatus::Deprecated;
    document.set_raw(&["deprecated"], if deprecated { "true" } else { "false" });
    document.set_raw(&["observed_at"], &instinct.observed_at.to_string());
    document.set(&["scope"], scope(instinct.scope));
    if let Some(project) = &instinct.project {
        document.set(&["project_id"], project.as_str());
    }
    document.set_raw(&["created"], &instinct.created.to_string());
    if instinct.status == InstinctStatus::Candidate {
        document.set(&["status"], "candidate");
    }
    set_extra(&mut document, &JsonObject::new(), &instinct.extra);
    document.set_body(&format!(
        "\n{}\n{}",
        action_section(&instinct.action),
        evidence_section(&instinct.evidence)
    ));
    document.to_string()
}

const fn scope(scope: InstinctScope) -> &'static str {
    match scope {
        InstinctScope::Project => "project",
        InstinctScope::Global => "global",
    }
}

fn set_extra(document: &mut Document, was: &JsonObject, is: &JsonObject) {
    let foreign = |key: &str| super::front_matter::is_key(key) && !OWN_KEYS.contains(&key);
    for (key, value) in is.iter().filter(|(key, value)| foreign(key) && was.get(*key) != Some(value)) {
        document.set_json(&[key], value);
    }
}

/// The file changed so that it reads as `instinct`; other keys, sections and equal lines stay as they are.
/// None when the file may not be rewritten: several instincts, or something unreadable.
pub fn update_instinct(text: &str, instinct: &Instinct, defaults: &FileDefaults) -> Option<String> {
    let file = read_instincts(text, defaults);
    let (true, Some(was)) = (file.rewritable(), file.instincts.first()) else { return None };
    let start = text.len() - records(text).first()?.to_string().len();
    let (before, record) = text.split_at_checked(start)?;
    let mut document = Document::parse(record);
    if was.id != instinct.id {
        document.set(&["id"], instinct.id.as_str());
    }
    if was.trigger != instinct.trigger {
        document.set_quoted(&["trigger"], &instinct.trigger);
    }
    let is = confidence(instinct.confidence);
    if confidence(was.confidence) != is || !document.has(&["confidence"]) {
        document.set_raw(&["confidence"], &is);
    }
    if was.domain != instinct.domain {
        document.set(&["domain"], &instinct.domain);
    }
    if was.source != instinct.source {
        document.set(&["source"], &instinct.source);
    }
    if was.status != instinct.status {
        let deprecated = instinct.status == InstinctStatus::Deprecated;
        document.set_raw(&["deprecated"], if deprecated { "true" } else { "false" });
        match instinct.status {
            InstinctStatus::Candidate => document.set(&["status"], "candidate"),
            _ => document.remove(&["status"]),
        }
    }
    if was.observed_at != instinct.observed_at {
        document.set_raw(&["observed_at"], &instinct.observed_at.to_string());
    }
    if was.created != instinct.created {
        document.set_raw(&["created"], &instinct.created.to_string());
    }
    if was.scope != instinct.scope {
        document.set(&["scope"], scope(instinct.scope));
    }
    if was.project != instinct.project {
        match &instinct.project {
            Some(project) => document.set(&["project_id"], project.as_str()),
            None => document.remove(&["project_id"]),
        }
    }
    set_extra(&mut document, &was.extra, &instinct.extra);
    let evidence_is: Vec<_> =
        instinct.evidence.iter().map(|line| one_line(line)).filter(|line| !line.is_empty()).collect();
    let (action_differs, evidence_differs) =
        (was.action != instinct.action.trim(), was.evidence != evidence_is);
    if action_differs || evidence_differs {
        let body = document.body().to_owned();
        document.set_body(&body_with(
            &body,
            action_differs.then(|| action_section(&instinct.action)),
            evidence_differs.then(|| evidence_section(&instinct.evidence)),
        ));
    }
    Some(format!("{before}{document}"))
}

/// The body with these sections in the place of those it has, or at the end. LF only.
fn body_with(body: &str, action: Option<String>, evidence: Option<String>) -> String {
    let body = body.replace("\r\n", "\n");
    let parts = parts(&body);
    let has_action = parts.iter().any(|part| part.is(&ACTION));
    let mut text = String::new();
    let (mut action, mut evidence) = (action, evidence);
    for part in &parts {
        let new = if part.is(&ACTION) {
            action.take()
        } else if part.is(&EVIDENCE) {
            evidence.take()
        } else if part.heading.is_none() && !has_action && action.is_some() {
            // The action was the text before the first section: only its title stays.
            let title = part.raw.trim_start().lines().next().filter(|line| line.starts_with("# "));
            text.push_str(&title.map_or("\n".to_owned(), |title| format!("\n{title}\n\n")));
            action.take()
        } else {
            None
        };
        match new {
            Some(new) => {
                let end = part.raw.len() - part.raw.trim_end().len();
                text.push_str(&new);
                // As many empty lines behind it as there were.
                text.extend(std::iter::repeat_n(
                    '\n',
                    part.raw
                        .get(part.raw.len() - end..)
                        .map_or(0, |tail| tail.matches('\n').count().saturating_sub(1)),
                ));
            }
            None => text.push_str(part.raw),
        }
    }
    for section in [action, evidence].into_iter().flatten() {
        if !text.ends_with('\n') {
            text.push('\n');
        }
        if !text.ends_with("\n\n") {
            text.push('\n');
        }
        text.push_str(&section);
    }
    text
}

#[cfg(test)]
#[path = "instinct_file_tests.rs"]
mod tests;
