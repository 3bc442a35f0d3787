//! A memory as a Markdown file in the layout of Claude Code's own memory folder.
//!
//! `name`, `description` and `metadata` with `node_type`, `type`, `originSessionId` and `modified` are Claude
//! Code's keys. Everything else this product knows stands under `metadata` as `mem_…`, and only where it
//! differs from what the file would be read as without it. Claude Code has four types; the other kinds are
//! written as the nearest of them with `mem_kind` beside it:
//!
//! | kind | `type` |
//! |---|---|
//! | fact | reference |
//! | decision, todo | project |
//! | correction | feedback |
//!
//! A `type` changed by hand to another one than `mem_kind` stands for wins. Counters of use are not in the file.

use super::{Defect, Document, sections::Sections};
use mem_core::{
    Anchor, JsonObject, Kind, Language, Link, Memory, MemoryId, ProjectId, Provenance, ProvenanceKind, Scope,
    SessionId, Status, Timestamp, Unit,
};
use serde_json::Value as Json;

/// What a file does not say of its memory or instinct.
#[derive(Debug, Clone, PartialEq)]
pub struct FileDefaults {
    /// The time of creation and change where none is written: the file's time of modification.
    pub at: Timestamp,
    /// The project whose folder it is; none for a global one.
    pub project: Option<ProjectId>,
    /// The kind of a memory whose type is missing or unknown.
    pub kind: Kind,
    /// Its name where none is written, commonly the file's name without its end.
    pub name: Option<String>,
}

impl FileDefaults {
    /// Global references of that time.
    pub fn new(at: Timestamp) -> Self {
        Self { at, project: None, kind: Kind::Reference, name: None }
    }
}

/// A memory read from a file.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryFile {
    /// What the file says, filled up with the defaults.
    pub memory: Memory,
    /// Whether the file names the id; otherwise it was derived.
    pub has_id: bool,
    /// Whether the file says what kind it is.
    pub kind_known: bool,
    /// Why it may not be rewritten; none when it may.
    pub defect: Option<Defect>,
}

impl MemoryFile {
    /// Whether the file may be rewritten.
    pub fn rewritable(&self) -> bool {
        self.defect.is_none()
    }
}

const META: &str = "metadata";

/// The type of Claude Code a kind is written as.
pub fn claude_type(kind: Kind) -> &'static str {
    match kind {
        Kind::User => "user",
        Kind::Feedback | Kind::Correction => "feedback",
        Kind::Project | Kind::Decision | Kind::Todo => "project",
        Kind::Reference | Kind::Fact => "reference",
    }
}

/// Reads any text as a memory. A file that is no proper front matter and body is all body, of the default kind.
pub fn read_memory(text: &str, defaults: &FileDefaults) -> MemoryFile {
    let document = Document::parse(text);
    match document.defect() {
        Some(defect) => {
            let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
            let mut memory = base(&text, defaults.kind, defaults);
            memory.name = defaults.name.clone().unwrap_or(memory.name);
            MemoryFile { memory, has_id: false, kind_known: false, defect: Some(defect) }
        }
        None => read_document(&document, defaults),
    }
}

fn base(body: &str, kind: Kind, defaults: &FileDefaults) -> Memory {
    let memory = Memory::new(kind, body, defaults.at);
    match &defaults.project {
        Some(project) => memory.in_project(project.clone()),
        None => memory,
    }
}

fn read_document(document: &Document, defaults: &FileDefaults) -> MemoryFile {
    let meta = |key: &str| document.get(&[META, key]);
    let sections = Sections::parse(document.body());
    let written = meta("type").or_else(|| document.get(&["type"]));
    let written = written.and_then(|word| word.parse::<Kind>().ok());
    let own = meta("mem_kind").and_then(|word| word.parse::<Kind>().ok());
    let own = own.filter(|own| written.is_none_or(|kind| claude_type(*own) == kind.as_str()));
    let kind = own.or(written);

    let at = |key: &str| meta(key).and_then(|text| text.parse::<Timestamp>().ok());
    let updated = at("modified").unwrap_or(defaults.at);
    let created = at("mem_created").unwrap_or(updated);
    let defaults = FileDefaults { at: created, ..defaults.clone() };
    let mut memory = base(&sections.body, kind.unwrap_or(defaults.kind), &defaults);
    let id = meta("mem_id").and_then(|id| MemoryId::new(id).ok());
    let has_id = id.is_some();
    memory.id = id.unwrap_or(memory.id);
    memory.name = document.get(&["name"]).or(defaults.name).unwrap_or(memory.name);
    memory.description = document.get(&["description"]).unwrap_or_default();
    (memory.why, memory.how) = (sections.why, sections.how);
    memory.updated = updated;
    memory.trigger = meta("mem_trigger");
    memory.state = meta("mem_state");
    memory.tags = document.get_list(&[META, "mem_tags"]).unwrap_or_default();
    if let Some(scope) = meta("mem_scope").and_then(|word| word.parse::<Scope>().ok()) {
        memory.scope = scope;
    }
    if let Some(project) = meta("mem_project").and_then(|id| ProjectId::new(id).ok()) {
        memory.project = Some(project);
    }
    match (memory.scope, &memory.project) {
        (Scope::Global, _) => memory.project = None,
        (_, None) => memory.scope = Scope::Global,
        _ => {}
    }
    memory.path = meta("mem_path");
    memory.anchors = json_list(document, "mem_anchors");
    memory.links = json_list(document, "mem_links");
    memory.language = meta("mem_language").map_or_else(Language::default, |tag| Language::new(&tag));
    let unit = |key: &str| meta(key).and_then(|text| text.parse().ok()).and_then(|n| Unit::new(n).ok());
    memory.confidence = unit("mem_confidence").unwrap_or(memory.confidence);
    memory.importance = unit("mem_importance").unwrap_or(memory.importance);
    let session = meta("originSessionId").or_else(|| document.get(&["originSessionId"]));
    memory.provenance = Provenance {
        kind: meta("mem_provenance").and_then(|word| word.parse().ok()).unwrap_or(ProvenanceKind::User),
        session: session.and_then(|id| SessionId::new(id).ok()),
        ordinal: meta("mem_ordinal").and_then(|place| place.parse().ok()),
        reference: meta("mem_reference"),
    };
    memory.ttl_days = meta("mem_ttl_days").and_then(|days| days.parse().ok());
    memory.status = meta("mem_status").and_then(|word| word.parse().ok()).unwrap_or(Status::Active);
    memory.pinned = meta("mem_pinned").as_deref() == Some("true");
    memory.extra = extra(document);
    MemoryFile { memory, has_id, kind_known: kind.is_some(), defect: None }
}

/// A list of objects, written as JSON on one line.
fn json_list<T: serde::de::DeserializeOwned>(document: &Document, key: &str) -> Vec<T> {
    document.get_json(&[META, key]).and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default()
}

/// Keys of others: at the top by their names, those below `metadata` in an object of that name.
fn extra(document: &Document) -> JsonObject {
    let mut extra = JsonObject::new();
    for key in document.keys() {
        let own = matches!(key, "name" | "description" | "type" | "originSessionId" | META);
        if let (false, Some(value)) = (own, document.get_json(&[key])) {
            extra.insert(key.to_owned(), value);
        }
    }
    let mut below = JsonObject::new();
    for key in document.keys_of(META) {
        let own =
            matches!(key, "node_type" | "type" | "originSessionId" | "modified") || key.starts_with("mem_");
        if let (false, Some(value)) = (own, document.get_json(&[META, key])) {
            below.insert(key.to_owned(), value);
        }
    }
    if !below.is_empty() {
        extra.insert(META.to_owned(), Json::Object(below));
    }
    extra
}

/// A memory as a new file.
pub fn write_memory(memory: &Memory) -> String {
    let mut document = Document::new("");
    document.set(&["name"], &memory.name);
    document.set(&["description"], &memory.description);
    document.set(&[META, "node_type"], "memory");
    document.set(&[META, "type"], claude_type(memory.kind));
    if let Some(session) = &memory.provenance.session {
        document.set(&[META, "originSessionId"], session.as_str());
    }
    document.set_raw(&[META, "modified"], &memory.updated.to_string());
    document.set(&[META, "mem_id"], memory.id.as_str());
    document.set_raw(&[META, "mem_created"], &memory.created.to_string());
    // Never left to the defaults: the same file may be read as one of some project's folder.
    document.set(&[META, "mem_scope"], memory.scope.as_str());
    let sections = Sections { body: memory.body.clone(), why: memory.why.clone(), how: memory.how.clone() };
    document.set_body(&sections.render());
    let read = read_document(&document, &FileDefaults::new(memory.created)).memory;
    write_differences(&mut document, &read, memory);
    document.to_string()
}

/// The file changed so that it reads as `memory`; lines of what is equal already stay as they are.
/// None when the file may not be rewritten.
pub fn update_memory(text: &str, memory: &Memory, defaults: &FileDefaults) -> Option<String> {
    let mut document = Document::parse(text);
    if document.defect().is_some() {
        return None;
    }
    let file = read_document(&document, defaults);
    if file.memory == with_counters(&file.memory, memory) {
        return Some(text.to_owned());
    }
    if !file.has_id {
        document.set(&[META, "mem_id"], memory.id.as_str());
    }
    let sections = Sections { body: memory.body.clone(), why: memory.why.clone(), how: memory.how.clone() };
    if Sections::parse(document.body()) != sections.trimmed() {
        document.set_body(&sections.render());
    }
    write_differences(&mut document, &file.memory, memory);
    Some(document.to_string())
}

/// `memory` with the counters of use of `read`, to compare what a file holds.
fn with_counters(read: &Memory, memory: &Memory) -> Memory {
    let (last_access, access_count, feedback) = (read.last_access, read.access_count, read.feedback);
    Memory { last_access, access_count, feedback, ..memory.clone() }
}

/// The memory as reading its file gives it back: outer white space and empty parts gone.
pub(super) fn as_written(memory: &Memory) -> Memory {
    read_memory(&write_memory(memory), &FileDefaults::new(memory.created)).memory
}

impl Sections {
    fn trimmed(&self) -> Self {
        let some = |part: &Option<String>| {
            part.as_ref().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
        };
        Self { body: self.body.trim().to_owned(), why: some(&self.why), how: some(&self.how) }
    }
}

fn write_differences(document: &mut Document, read: &Memory, memory: &Memory) {
    let mut set = |key: &str, was: Option<&str>, is: Option<&str>| {
        if was != is {
            match is {
                Some(text) if !text.is_empty() => document.set(&[META, key], text),
                _ => document.remove(&[META, key]),
            }
        }
    };
    set("mem_trigger", read.trigger.as_deref(), memory.trigger.as_deref());
    set("mem_state", read.state.as_deref(), memory.state.as_deref());
    set("mem_path", read.path.as_deref(), memory.path.as_deref());
    set("mem_scope", Some(read.scope.as_str()), Some(memory.scope.as_str()));
    set(
        "mem_project",
        read.project.as_ref().map(ProjectId::as_str),
        memory.project.as_ref().map(ProjectId::as_str),
    );
    set("mem_language", Some(read.language.as_str()), Some(memory.language.as_str()));
    let (was, is) = (&read.provenance, &memory.provenance);
    set("mem_provenance", Some(was.kind.as_str()), Some(is.kind.as_str()));
    set("mem_reference", was.reference.as_deref(), is.reference.as_deref());
    let place = |ordinal: Option<u32>| ordinal.map(|place| place.to_string());
    set("mem_ordinal", place(was.ordinal).as_deref(), place(is.ordinal).as_deref());
    set("mem_status", Some(read.status.as_str()), Some(memory.status.as_str()));
    set("mem_id", Some(read.id.as_str()), Some(memory.id.as_str()));
    let session = is.session.as_ref().map(SessionId::as_str);
    if was.session.as_ref().map(SessionId::as_str) != session {
        let at_top = document.has(&["originSessionId"]) && !document.has(&[META, "originSessionId"]);
        let path: &[&str] = if at_top { &["originSessionId"] } else { &[META, "originSessionId"] };
        match session {
            Some(session) => document.set(path, session),
            None => document.remove(path),
        }
    }
    if read.kind != memory.kind {
        let at_top = document.has(&["type"]) && !document.has(&[META, "type"]);
        let path: &[&str] = if at_top { &["type"] } else { &[META, "type"] };
        document.set(path, claude_type(memory.kind));
        if claude_type(memory.kind) == memory.kind.as_str() {
            document.remove(&[META, "mem_kind"]);
        } else {
            document.set(&[META, "mem_kind"], memory.kind.as_str());
        }
    }
    if read.name != memory.name {
        document.set(&["name"], &memory.name);
    }
    if read.description != memory.description {
        document.set(&["description"], &memory.description);
    }
    let mut plain = |key: &str, differs: bool, is: Option<String>| {
        if differs {
            match is {
                Some(text) => document.set_raw(&[META, key], &text),
                None => document.remove(&[META, key]),
            }
        }
    };
    plain("modified", read.updated != memory.updated, Some(memory.updated.to_string()));
    plain("mem_created", read.created != memory.created, Some(memory.created.to_string()));
    let number = |unit: Unit| Some(unit.get().to_string());
    plain("mem_confidence", read.confidence != memory.confidence, number(memory.confidence));
    plain("mem_importance", read.importance != memory.importance, number(memory.importance));
    plain("mem_ttl_days", read.ttl_days != memory.ttl_days, memory.ttl_days.map(|days| days.to_string()));
    plain("mem_pinned", read.pinned != memory.pinned, memory.pinned.then(|| "true".to_owned()));
    if read.tags != memory.tags {
        document.set_list(&[META, "mem_tags"], &memory.tags);
    }
    set_objects::<Anchor>(document, "mem_anchors", &read.anchors, &memory.anchors);
    set_objects::<Link>(document, "mem_links", &read.links, &memory.links);
    write_extra(document, &read.extra, &memory.extra);
}

fn set_objects<T: serde::Serialize + PartialEq>(document: &mut Document, key: &str, was: &[T], is: &[T]) {
    if was != is {
        match serde_json::to_value(is) {
            Ok(value) if !is.is_empty() => document.set_json(&[META, key], &value),
            _ => document.remove(&[META, key]),
        }
    }
}

/// Sets what the memory's `extra` has and the file has not; what only the file has belongs to others and stays.
fn write_extra(document: &mut Document, was: &JsonObject, is: &JsonObject) {
    let reserved = |key: &str| matches!(key, "name" | "description" | "type" | "originSessionId");
    for (key, value) in is.iter().filter(|(key, _)| super::front_matter::is_key(key) && !reserved(key)) {
        if was.get(key) == Some(value) {
            continue;
        }
        match value {
            Json::Object(below) if key == META => {
                let own =
                    |key: &str| key.starts_with("mem_") || matches!(key, "node_type" | "type" | "modified");
                for (key, value) in
                    below.iter().filter(|(key, _)| super::front_matter::is_key(key) && !own(key))
                {
                    document.set_json(&[META, key], value);
                }
            }
            _ if key == META => {}
            _ => document.set_json(&[key], value),
        }
    }
}

#[cfg(test)]
#[path = "memory_file_tests.rs"]
mod tests;
