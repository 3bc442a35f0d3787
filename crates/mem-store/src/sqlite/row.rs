//! Memories as rows, and filters as conditions.

use super::{Work, nanos, nanos_nearest, timestamp};
use crate::{Error, Result, normal};
use mem_core::{
    Anchor, JsonObject, Language, Link, Memory, MemoryFilter, MemoryId, ProjectFilter, ProjectId, Provenance,
    Revision, Scope, Unit,
};
use rusqlite::{Row, named_params, types::Value};
use serde::{Deserialize, Serialize};

/// The columns that [`memory`] reads, by position.
pub(super) const COLUMNS: &str = "m.id, m.kind, m.status, m.scope, m.project, m.created, m.updated, m.path, \
     m.language, m.confidence, m.importance, m.feedback, m.pinned, m.ttl_days, m.last_access, m.access_count, \
     m.name, m.description, m.body, m.why, m.how, m.cue, m.state, m.details";

/// What is neither filtered nor sorted by.
#[derive(Serialize, Deserialize)]
struct Details {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    anchors: Vec<Anchor>,
    provenance: Provenance,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    links: Vec<Link>,
    #[serde(default, skip_serializing_if = "JsonObject::is_empty")]
    extra: JsonObject,
}

/// Refuses a memory that contradicts itself.
pub(super) fn check(memory: &Memory) -> Result<()> {
    let got = |what: String| format!("{what} in memory {}", memory.id);
    if (memory.scope == Scope::Global) != memory.project.is_none() {
        let project = memory.project.as_ref().map_or("none", ProjectId::as_str);
        return Err(mem_core::Error::invalid(
            "a project for every scope but global, and none for global",
            got(format!("scope {} with project {project}", memory.scope)),
        )
        .into());
    }
    if !memory.feedback.is_finite() {
        let feedback = got(memory.feedback.to_string());
        return Err(mem_core::Error::invalid("a finite feedback score", feedback).into());
    }
    Ok(())
}

/// The number of the change that is being made.
pub(super) fn next_revision(work: &Work<'_>) -> Result<Revision> {
    let next = work.first(
        "UPDATE counter SET value = value + 1 WHERE name = 'revision' RETURNING value",
        [],
        |row| row.get::<_, i64>(0),
    )?;
    revision_from(work, next)
}

/// The number of the latest change.
pub(super) fn revision(work: &Work<'_>) -> Result<Revision> {
    let latest =
        work.first("SELECT value FROM counter WHERE name = 'revision'", [], |row| row.get::<_, i64>(0))?;
    revision_from(work, latest)
}

fn revision_from(work: &Work<'_>, value: Option<i64>) -> Result<Revision> {
    value.and_then(|value| u64::try_from(value).ok()).map(Revision).ok_or_else(|| Error::Damaged {
        path: work.path.to_owned(),
        finding: "its change counter is missing".to_owned(),
    })
}

/// Writes a memory whole, as one change; whatever was known of a removal of its id ends.
pub(super) fn write(work: &Work<'_>, memory: &Memory) -> Result<Revision> {
    check(memory)?;
    let details = Details {
        tags: memory.tags.clone(),
        anchors: memory.anchors.clone(),
        provenance: memory.provenance.clone(),
        links: memory.links.clone(),
        extra: memory.extra.clone(),
    };
    let details = serde_json::to_string(&details).map_err(|source| Error::Json {
        what: "memory",
        id: memory.id.to_string(),
        source,
    })?;
    let revision = next_revision(work)?;
    work.run(
        "INSERT INTO memories (id, revision, kind, status, scope, project, created, updated, content_hash, text_hash,
             path, language, confidence, importance, feedback, pinned, ttl_days, last_access, access_count, name,
             description, body, why, how, cue, state, details)
         VALUES (:id, :revision, :kind, :status, :scope, :project, :created, :updated, :content_hash, :text_hash,
             :path, :language, :confidence, :importance, :feedback, :pinned, :ttl_days, :last_access, :access_count,
             :name, :description, :body, :why, :how, :cue, :state, :details)
         ON CONFLICT (id) DO UPDATE SET
             revision = excluded.revision, kind = excluded.kind, status = excluded.status, scope = excluded.scope,
             project = excluded.project, created = excluded.created, updated = excluded.updated,
             content_hash = excluded.content_hash, text_hash = excluded.text_hash, path = excluded.path,
             language = excluded.language, confidence = excluded.confidence, importance = excluded.importance,
             feedback = excluded.feedback, pinned = excluded.pinned, ttl_days = excluded.ttl_days,
             last_access = excluded.last_access, access_count = excluded.access_count, name = excluded.name,
             description = excluded.description, body = excluded.body, why = excluded.why, how = excluded.how,
             cue = excluded.cue, state = excluded.state, details = excluded.details",
        named_params! {
            ":id": memory.id.as_str(),
            ":revision": revision.0 as i64,
            ":kind": memory.kind.as_str(),
            ":status": memory.status.as_str(),
            ":scope": memory.scope.as_str(),
            ":project": memory.project.as_ref().map(ProjectId::as_str),
            ":created": nanos(memory.created)?,
            ":updated": nanos(memory.updated)?,
            ":content_hash": normal::content_hash(memory),
            ":text_hash": normal::text_hash(&memory.full_text()),
            ":path": memory.path,
            ":language": memory.language.as_str(),
            ":confidence": memory.confidence.get(),
            ":importance": memory.importance.get(),
            ":feedback": memory.feedback,
            ":pinned": memory.pinned,
            ":ttl_days": memory.ttl_days,
            ":last_access": memory.last_access.map(nanos).transpose()?,
            ":access_count": memory.access_count,
            ":name": memory.name,
            ":description": memory.description,
            ":body": memory.body,
            ":why": memory.why,
            ":how": memory.how,
            ":cue": memory.trigger,
            ":state": memory.state,
            ":details": details,
        },
    )?;
    work.run("DELETE FROM tombstones WHERE memory_id = ?1", [memory.id.as_str()])?;
    Ok(revision)
}

/// The memories of a query that selects [`COLUMNS`].
pub(super) fn memories(work: &Work<'_>, sql: &str, params: impl rusqlite::Params) -> Result<Vec<Memory>> {
    work.rows(sql, params, |row| Ok(memory(row)))?.into_iter().collect()
}

/// One memory by its id.
pub(super) fn by_id(work: &Work<'_>, id: &str) -> Result<Option<Memory>> {
    work.first(&format!("SELECT {COLUMNS} FROM memories m WHERE m.id = ?1"), [id], |row| Ok(memory(row)))?
        .transpose()
}

/// Reads the [`COLUMNS`] of a row.
pub(super) fn memory(row: &Row<'_>) -> Result<Memory> {
    let id: String = row.get(0).map_err(|source| Error::row("memory", "?", source))?;
    read(row, &id).map_err(|source| Error::Row { what: "memory", id, source })
}

fn read(row: &Row<'_>, id: &str) -> Result<Memory, Box<dyn std::error::Error + Send + Sync>> {
    let word = |at: usize| row.get_ref(at)?.as_str().map_err(rusqlite::Error::from);
    let details: Details = serde_json::from_str(word(23)?)?;
    Ok(Memory {
        id: MemoryId::new(id)?,
        kind: word(1)?.parse()?,
        status: word(2)?.parse()?,
        scope: word(3)?.parse()?,
        project: row.get::<_, Option<String>>(4)?.map(ProjectId::new).transpose()?,
        created: timestamp(row.get(5)?),
        updated: timestamp(row.get(6)?),
        path: row.get(7)?,
        language: Language::new(word(8)?),
        confidence: Unit::new(row.get(9)?)?,
        importance: Unit::new(row.get(10)?)?,
        feedback: row.get(11)?,
        pinned: row.get(12)?,
        ttl_days: row.get(13)?,
        last_access: row.get::<_, Option<i64>>(14)?.map(timestamp),
        access_count: row.get(15)?,
        name: row.get(16)?,
        description: row.get(17)?,
        body: row.get(18)?,
        why: row.get(19)?,
        how: row.get(20)?,
        trigger: row.get(21)?,
        state: row.get(22)?,
        tags: details.tags,
        anchors: details.anchors,
        provenance: details.provenance,
        links: details.links,
        extra: details.extra,
    })
}

/// A condition in SQL with the values of its question marks.
pub(super) struct Condition {
    /// Begins with ` AND ` unless it is empty.
    pub(super) sql: String,
    /// In the order of the question marks.
    pub(super) values: Vec<Value>,
}

/// What [`MemoryFilter::admits`] says, over the columns of `memories m`.
pub(super) fn condition(filter: &MemoryFilter) -> Condition {
    let mut all = projects("m.project", &filter.projects);
    let mut one_of = |column: &str, words: Vec<&'static str>| {
        if !words.is_empty() {
            // The words are constants of the core without quotes.
            all.sql.push_str(&format!(" AND {column} IN ('{}')", words.join("','")));
        }
    };
    one_of("m.kind", filter.kinds.iter().map(|kind| kind.as_str()).collect());
    one_of("m.status", filter.statuses.iter().map(|status| status.as_str()).collect());
    one_of("m.scope", filter.scope.iter().map(|scope| scope.as_str()).collect());
    if let Some(at) = filter.at {
        all.sql.push_str(" AND m.created <= ?");
        all.values.push(Value::Integer(nanos_nearest(at)));
    }
    all
}

/// What [`ProjectFilter::admits`] says, over one column.
pub(super) fn projects(column: &str, filter: &ProjectFilter) -> Condition {
    let (sql, values) = match filter {
        ProjectFilter::All => (String::new(), Vec::new()),
        ProjectFilter::Global => (format!(" AND {column} IS NULL"), Vec::new()),
        ProjectFilter::Within(project) => (
            format!(" AND ({column} IS NULL OR {column} = ?)"),
            vec![Value::Text(project.as_str().to_owned())],
        ),
    };
    Condition { sql, values }
}
