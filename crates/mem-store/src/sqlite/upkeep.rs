//! Copies, checks and sizes.

use super::{SqliteStore, schema};
use crate::{Error, Result};
use rusqlite::{Connection, backup::Backup};
use std::{ffi::OsString, path::Path, time::Duration};

/// How much a store holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
#[non_exhaustive]
pub struct Stats {
    /// The schema of the database.
    pub schema: u32,
    /// Memories in any state.
    pub memories: u64,
    /// Removals that readers of the change log can still see.
    pub tombstones: u64,
    /// Memories that can be restored.
    pub trash: u64,
    /// Vectors of any model, one a chunk.
    pub vectors: u64,
    /// Instincts in any state.
    pub instincts: u64,
    /// Pieces of evidence.
    pub evidence: u64,
    /// Injections ever noted.
    pub injections: u64,
    /// Size of the database in bytes.
    pub file_bytes: u64,
    /// Size of the write-ahead log in bytes.
    pub wal_bytes: u64,
}

impl SqliteStore {
    /// Writes a copy of the whole store, while others may read and write; replaces an older copy.
    ///
    /// The copy appears under its name only when it is whole and passed SQLite's integrity check.
    ///
    /// # Errors
    /// [`Error::Damaged`] when the copy does not pass; [`Error::Sqlite`], [`Error::Io`].
    pub fn backup_to(&self, path: impl AsRef<Path>) -> Result<()> {
        copy(&self.conn(), path.as_ref())
    }

    /// Checks the database for damage (SQLite's `quick_check`): it takes about as long as reading the file.
    ///
    /// # Errors
    /// [`Error::Damaged`] with the first finding; [`Error::Sqlite`] when it cannot even be checked.
    pub fn integrity(&self) -> Result<()> {
        check(&self.conn(), &self.path, "quick_check")
    }

    /// Counts rows and bytes.
    ///
    /// # Errors
    /// Of the database.
    pub fn stats(&self) -> Result<Stats> {
        let mut stats = self.read("read", |work| {
            let counts = work.first(
                "SELECT (SELECT count(*) FROM memories), (SELECT count(*) FROM tombstones),
                     (SELECT count(*) FROM trash), (SELECT count(*) FROM vectors),
                     (SELECT count(*) FROM instincts), (SELECT count(*) FROM evidence),
                     (SELECT count(*) FROM injections)",
                [],
                |row| {
                    let count = |at: usize| row.get::<_, i64>(at).map(i64::unsigned_abs);
                    Ok(Stats {
                        memories: count(0)?,
                        tombstones: count(1)?,
                        trash: count(2)?,
                        vectors: count(3)?,
                        instincts: count(4)?,
                        evidence: count(5)?,
                        injections: count(6)?,
                        ..Stats::default()
                    })
                },
            )?;
            Ok(counts.unwrap_or_default())
        })?;
        stats.schema = schema::version(&self.conn(), &self.path, schema::known(schema::MIGRATIONS))?;
        stats.file_bytes =
            fs_err::metadata(&self.path).map_err(Error::io("read the size of", &self.path))?.len();
        // No log is an empty log.
        stats.wal_bytes = std::fs::metadata(beside(&self.path, "-wal")).map_or(0, |file| file.len());
        Ok(stats)
    }

    /// Moves the write-ahead log into the database and empties it; false when a reader was in the way.
    ///
    /// # Errors
    /// Of the database.
    pub fn checkpoint(&self) -> Result<bool> {
        self.conn()
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0))
            .map(|busy| !busy)
            .map_err(Error::sqlite("checkpoint", &self.path))
    }
}

/// Copies a database into one file without a log, checks it, and only then gives it its name.
pub(super) fn copy(from: &Connection, path: &Path) -> Result<()> {
    const PAGES_A_STEP: i32 = 1024;
    let part = beside(path, &format!(".{}.part", std::process::id()));
    let part = Path::new(&part);
    let made = (|| {
        let fail = || Error::sqlite("write the copy", part);
        remove(part)?;
        let mut to = Connection::open(part).map_err(fail())?;
        Backup::new(from, &mut to)
            .and_then(|backup| backup.run_to_completion(PAGES_A_STEP, Duration::from_millis(1), None))
            .map_err(fail())?;
        to.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(())).map_err(fail())?;
        check(&to, part, "integrity_check")?;
        to.close().map_err(|(_, source)| fail()(source))?;
        fs_err::rename(part, path).map_err(Error::io("name the copy", path))
    })();
    if made.is_err() {
        // The first error tells more than one of tidying up.
        let _ = remove(part);
    }
    made
}

/// Runs one of SQLite's checks.
fn check(conn: &Connection, path: &Path, pragma: &str) -> Result<()> {
    let finding: String =
        conn.pragma_query_value(None, pragma, |row| row.get(0)).map_err(Error::sqlite("check", path))?;
    if finding == "ok" { Ok(()) } else { Err(Error::Damaged { path: path.to_owned(), finding }) }
}

fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::io("remove the unfinished copy", path)(error))
        }
        _ => Ok(()),
    }
}

/// The path with something added to the name of its file.
fn beside(path: &Path, suffix: &str) -> OsString {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name
}
