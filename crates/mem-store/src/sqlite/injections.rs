use super::{SqliteStore, nanos, timestamp};
use mem_core::{InjectionRecord, InjectionStore, SessionId};
use rusqlite::params;

impl InjectionStore for SqliteStore {
    fn record_injections(&self, session: &SessionId, records: &[InjectionRecord]) -> mem_core::Result<()> {
        if records.is_empty() {
            return Ok(());
        }
        Ok(self.write("write to", |work| {
            for record in records {
                work.run(
                    "INSERT INTO injections (session, item, event, fingerprint, at) VALUES (?1, ?2, ?3, ?4, ?5)",
                    params![session.as_str(), record.item, record.event, record.fingerprint, nanos(record.at)?],
                )?;
            }
            Ok(())
        })?)
    }

    fn injections(&self, session: &SessionId) -> mem_core::Result<Vec<InjectionRecord>> {
        Ok(self.read("read", |work| {
            work.rows(
                "SELECT item, event, fingerprint, at FROM injections WHERE session = ?1 AND active = 1
                 ORDER BY at, seq",
                [session.as_str()],
                |row| {
                    Ok(InjectionRecord {
                        item: row.get(0)?,
                        event: row.get(1)?,
                        fingerprint: row.get(2)?,
                        at: timestamp(row.get(3)?),
                    })
                },
            )
        })?)
    }

    fn forget_injections(&self, session: &SessionId, event: Option<&str>) -> mem_core::Result<()> {
        Ok(self.write("write to", |work| {
            work.run(
                "UPDATE injections SET active = 0
                 WHERE session = ?1 AND active = 1 AND (?2 IS NULL OR event = ?2)",
                params![session.as_str(), event],
            )
            .map(drop)
        })?)
    }

    fn was_injected(&self, fingerprints: &[&str]) -> mem_core::Result<Vec<bool>> {
        if fingerprints.is_empty() {
            return Ok(Vec::new());
        }
        Ok(self.read("read", |work| {
            let sql = "SELECT 1 FROM injections WHERE fingerprint = ?1 LIMIT 1";
            fingerprints
                .iter()
                .map(|fingerprint| Ok(work.first(sql, [fingerprint], |_| Ok(()))?.is_some()))
                .collect()
        })?)
    }
}
