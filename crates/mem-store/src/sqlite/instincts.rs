use super::{SqliteStore, Work, memories, nanos, row};
use crate::{Error, Result};
use mem_core::{
    Evidence, EvidenceKind, Instinct, InstinctFilter, InstinctId, InstinctScope, InstinctStore, ProjectId,
    SessionId, Timestamp, Unit,
};
use rusqlite::{Row, params, params_from_iter, types::Value};
use serde::Serialize;

impl InstinctStore for SqliteStore {
    fn put_instincts(&self, instincts: &[Instinct]) -> mem_core::Result<()> {
        if instincts.is_empty() {
            return Ok(());
        }
        Ok(self.write("write to", |work| instincts.iter().try_for_each(|instinct| write(work, instinct)))?)
    }

    fn instinct(&self, id: &str) -> mem_core::Result<Instinct> {
        Ok(self.read("read", |work| {
            let id = memories::resolve(work, "instincts", "instinct", "instincts", id)?;
            let found =
                work.first("SELECT id, confidence, document FROM instincts WHERE id = ?1", [&id], |row| {
                    Ok(instinct(row))
                })?;
            found.unwrap_or_else(|| Err(missing(&id)))
        })?)
    }

    fn instincts(&self, filter: &InstinctFilter) -> mem_core::Result<Vec<Instinct>> {
        let mut condition = row::projects("project", &filter.projects);
        if !filter.statuses.is_empty() {
            let marks = vec!["?"; filter.statuses.len()].join(",");
            condition.sql.push_str(&format!(" AND status IN ({marks})"));
            for status in &filter.statuses {
                condition.values.push(Value::Text(word(status)?));
            }
        }
        if let Some(scope) = filter.scope {
            condition.sql.push_str(" AND scope = ?");
            condition.values.push(Value::Text(word(&scope)?));
        }
        let sql = format!(
            "SELECT id, confidence, document FROM instincts WHERE TRUE{} ORDER BY confidence DESC, id",
            condition.sql
        );
        Ok(self.read("read", |work| {
            work.rows(&sql, params_from_iter(condition.values), |row| Ok(instinct(row)))?
                .into_iter()
                .collect()
        })?)
    }

    fn add_evidence(&self, id: &InstinctId, evidence: &[Evidence]) -> mem_core::Result<()> {
        Ok(self.write("write to", |work| {
            let sql = "SELECT 1 FROM instincts WHERE id = ?1";
            work.first(sql, [id.as_str()], |_| Ok(()))?.ok_or_else(|| missing(id.as_str()))?;
            evidence.iter().try_for_each(|piece| add(work, id, piece))
        })?)
    }

    fn evidence(&self, id: &InstinctId) -> mem_core::Result<Vec<Evidence>> {
        Ok(self.read("read", |work| {
            let sql = "SELECT confidence, document FROM evidence WHERE instinct_id = ?1 ORDER BY at, seq";
            let rows = work.rows(sql, [id.as_str()], |row| {
                Ok((row.get::<_, Option<f64>>(0)?, row.get::<_, String>(1)?))
            })?;
            rows.into_iter().map(|(confidence, document)| piece(id, confidence, &document)).collect()
        })?)
    }

    fn remove_instinct(&self, id: &InstinctId, now: Timestamp) -> mem_core::Result<()> {
        Ok(self.write("write to", |work| {
            if work.run("DELETE FROM instincts WHERE id = ?1", [id.as_str()])? == 0 {
                return Err(missing(id.as_str()));
            }
            let sql = "INSERT OR REPLACE INTO forgotten_instincts (id, at) VALUES (?1, ?2)";
            work.run(sql, params![id.as_str(), nanos(now)?]).map(drop)
        })?)
    }

    fn instinct_was_forgotten(&self, id: &InstinctId) -> mem_core::Result<bool> {
        Ok(self.read("read", |work| {
            let sql = "SELECT 1 FROM forgotten_instincts WHERE id = ?1";
            Ok(work.first(sql, [id.as_str()], |_| Ok(()))?.is_some())
        })?)
    }
}

fn missing(id: &str) -> Error {
    mem_core::Error::NotFound { what: "instinct", id: id.to_owned() }.into()
}

fn write(work: &Work<'_>, instinct: &Instinct) -> Result<()> {
    if (instinct.scope == InstinctScope::Global) != instinct.project.is_none() {
        let project = instinct.project.as_ref().map_or("none", ProjectId::as_str);
        return Err(mem_core::Error::invalid(
            "a project for the scope project, and none for global",
            format!("scope {} with project {project} in instinct {}", word(&instinct.scope)?, instinct.id),
        )
        .into());
    }
    work.run(
        "INSERT INTO instincts (id, status, scope, project, confidence, document) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (id) DO UPDATE SET status = excluded.status, scope = excluded.scope,
             project = excluded.project, confidence = excluded.confidence, document = excluded.document",
        params![
            instinct.id.as_str(),
            word(&instinct.status)?,
            word(&instinct.scope)?,
            instinct.project.as_ref().map(ProjectId::as_str),
            instinct.confidence.get(),
            json("instinct", instinct.id.as_str(), instinct)?
        ],
    )
    .map(drop)
}

/// Reads `id, confidence, document`.
fn instinct(row: &Row<'_>) -> Result<Instinct> {
    let id: String = row.get(0).map_err(|source| Error::row("instinct", "?", source))?;
    let read = || -> Result<_, Box<dyn std::error::Error + Send + Sync>> {
        let mut instinct: Instinct = serde_json::from_str(row.get_ref(2)?.as_str()?)?;
        instinct.confidence = Unit::new(row.get(1)?)?;
        Ok(instinct)
    };
    read().map_err(|source| Error::Row { what: "instinct", id, source })
}

fn add(work: &Work<'_>, id: &InstinctId, evidence: &Evidence) -> Result<()> {
    let document = serde_json::to_value(evidence).map_err(|source| Error::Json {
        what: "evidence",
        id: id.to_string(),
        source,
    })?;
    let kind = document.get("kind").and_then(|kind| kind.as_str()).unwrap_or_default();
    let confidence = match evidence.kind {
        EvidenceKind::Edited { confidence } | EvidenceKind::Imported { confidence } => Some(confidence.get()),
        _ => None,
    };
    let session = evidence.session.as_ref().map(SessionId::as_str);
    let at = nanos(evidence.at)?;
    work.run(
        "DELETE FROM evidence WHERE instinct_id = ?1 AND kind = ?2 AND session IS ?3 AND (?3 IS NOT NULL OR at = ?4)",
        params![id.as_str(), kind, session, at],
    )?;
    work.run(
        "INSERT INTO evidence (instinct_id, session, kind, at, confidence, document)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![id.as_str(), session, kind, at, confidence, document.to_string()],
    )
    .map(drop)
}

fn piece(id: &InstinctId, exact: Option<f64>, document: &str) -> Result<Evidence> {
    let bad = |source: Box<dyn std::error::Error + Send + Sync>| Error::row("evidence", id.as_str(), source);
    let mut evidence: Evidence = serde_json::from_str(document).map_err(|error| bad(error.into()))?;
    if let (Some(exact), EvidenceKind::Edited { confidence } | EvidenceKind::Imported { confidence }) =
        (exact, &mut evidence.kind)
    {
        *confidence = Unit::new(exact).map_err(|error| bad(error.into()))?;
    }
    Ok(evidence)
}

fn json(what: &'static str, id: &str, value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|source| Error::Json { what, id: id.to_owned(), source })
}

/// The word a value has in JSON.
fn word(value: &impl Serialize) -> Result<String> {
    Ok(json("word", "", value)?.trim_matches('"').to_owned())
}
