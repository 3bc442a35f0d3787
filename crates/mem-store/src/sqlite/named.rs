use super::SqliteStore;
use crate::Error;
use mem_core::{ProjectId, Store};

impl Store for SqliteStore {
    fn meta(&self, key: &str) -> mem_core::Result<Option<String>> {
        Ok(self.read("read", |work| {
            work.first("SELECT value FROM meta WHERE name = ?1", [key], |row| row.get(0))
        })?)
    }

    fn set_meta(&self, values: &[(&str, Option<&str>)]) -> mem_core::Result<()> {
        if values.is_empty() {
            return Ok(());
        }
        Ok(self.write("write to", |work| {
            for (name, value) in values {
                match value {
                    Some(value) => {
                        work.run("INSERT OR REPLACE INTO meta (name, value) VALUES (?1, ?2)", [name, value])
                    }
                    None => work.run("DELETE FROM meta WHERE name = ?1", [name]),
                }?;
            }
            Ok(())
        })?)
    }

    fn projects(&self) -> mem_core::Result<Vec<ProjectId>> {
        Ok(self.read("read", |work| {
            let rows: Vec<String> = work.rows(
                "SELECT project FROM memories WHERE project IS NOT NULL
                 UNION SELECT project FROM instincts WHERE project IS NOT NULL ORDER BY 1",
                [],
                |row| row.get(0),
            )?;
            rows.into_iter()
                .map(|id| ProjectId::new(id.as_str()).map_err(|source| Error::row("project", &id, source)))
                .collect()
        })?)
    }
}
