use crate::{Error, Result};
use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// `mem1` in the header of the file: the database is ours.
const APPLICATION_ID: i32 = 0x6d65_6d31;

/// The steps from one schema to the next; the first makes schema 1. Steps are added, never changed.
pub(super) const MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/0001_init.sql"),
    include_str!("../../migrations/0002_recall.sql"),
    include_str!("../../migrations/0003_follow.sql"),
];

/// The last schema this build knows.
pub(super) fn known(migrations: &[&str]) -> u32 {
    u32::try_from(migrations.len()).unwrap_or(u32::MAX)
}

/// The schema of a database; 0 for an empty one. Refuses what is not ours and what is newer.
pub(super) fn version(conn: &Connection, path: &Path, known: u32) -> Result<u32> {
    let fail = || Error::sqlite("open", path);
    let pragma = |name| conn.pragma_query_value(None, name, |row| row.get::<_, i32>(0)).map_err(fail());
    let (mut found, application) = (pragma("user_version")?, pragma("application_id")?);
    if application != APPLICATION_ID {
        let objects: i64 =
            conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(fail())?;
        if application != 0 || found != 0 || objects != 0 {
            // Another process may have made the schema between these reads. It does so in one transaction: where its
            // objects are seen, so is its mark.
            if pragma("application_id")? != APPLICATION_ID {
                return Err(Error::Foreign { path: path.to_owned() });
            }
            found = pragma("user_version")?;
        }
    }
    let found = u32::try_from(found).unwrap_or(u32::MAX);
    if found > known {
        return Err(Error::Newer { path: path.to_owned(), found, known });
    }
    Ok(found)
}

/// Brings a database to the last schema, in one transaction; keeps a copy of one that is not empty.
pub(super) fn migrate(conn: &Connection, path: &Path, wait_ms: u32, migrations: &[&str]) -> Result<()> {
    let fail = || Error::sqlite("migrate", path);
    let known = known(migrations);
    use_wal(conn, wait_ms).map_err(fail())?;
    let tx = Transaction::new_unchecked(conn, TransactionBehavior::Immediate).map_err(fail())?;
    // Another process may have been faster.
    let from = version(&tx, path, known)?;
    if from == known {
        return Ok(());
    }
    if from > 0 {
        // The write lock is held: what is copied is what is migrated.
        let reader = Connection::open(path).map_err(fail())?;
        super::upkeep::copy(&reader, &backup_path(path, from))?;
    }
    for step in migrations.iter().skip(from as usize) {
        tx.execute_batch(step).map_err(fail())?;
    }
    tx.pragma_update(None, "application_id", APPLICATION_ID).map_err(fail())?;
    tx.pragma_update(None, "user_version", known).map_err(fail())?;
    tx.commit().map_err(fail())
}

/// Where the copy from before a migration is kept.
fn backup_path(path: &Path, version: u32) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".bak-v{version}"));
    name.into()
}

/// Turns the write-ahead log on. SQLite answers `busy` at once when several do so together, so it is tried again.
fn use_wal(conn: &Connection, wait_ms: u32) -> rusqlite::Result<()> {
    const PAUSE_MS: u32 = 5;
    let mut left = wait_ms / PAUSE_MS;
    loop {
        match conn.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(())) {
            Err(error) if left > 0 && error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                left -= 1;
                std::thread::sleep(Duration::from_millis(PAUSE_MS.into()));
            }
            done => return done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mem_core::ErrorKind;

    const SECOND: &str =
        "ALTER TABLE meta ADD COLUMN note TEXT; INSERT INTO meta VALUES ('second', '1', NULL);";

    fn at_one(dir: &Path) -> PathBuf {
        let path = dir.join("mem.db");
        let conn = Connection::open(&path).unwrap();
        migrate(&conn, &path, 100, &MIGRATIONS[..1]).unwrap();
        conn.execute("INSERT INTO meta VALUES ('old', 'kept')", []).unwrap();
        path
    }

    fn names(conn: &Connection) -> Vec<String> {
        let mut statement = conn.prepare("SELECT name FROM meta ORDER BY name").unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn a_migration_keeps_the_rows_and_a_copy_of_the_old_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = at_one(dir.path());
        let conn = Connection::open(&path).unwrap();
        let steps = [MIGRATIONS[0], SECOND];
        migrate(&conn, &path, 100, &steps).unwrap();
        assert_eq!(version(&conn, &path, 2).unwrap(), 2);
        assert_eq!(names(&conn), ["old", "second"]);

        let copy = dir.path().join("mem.db.bak-v1");
        let old = Connection::open(&copy).unwrap();
        assert_eq!(version(&old, &copy, 1).unwrap(), 1);
        assert_eq!(names(&old), ["old"]);
    }

    #[test]
    fn a_migration_that_fails_changes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = at_one(dir.path());
        let conn = Connection::open(&path).unwrap();
        let steps = [MIGRATIONS[0], SECOND, "CREATE TABLE memories (clash TEXT)"];
        migrate(&conn, &path, 100, &steps).unwrap_err();
        assert_eq!(version(&conn, &path, 3).unwrap(), 1);
        assert_eq!(names(&conn), ["old"]);
    }

    #[test]
    fn a_newer_schema_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = at_one(dir.path());
        let conn = Connection::open(&path).unwrap();
        conn.pragma_update(None, "user_version", 7).unwrap();
        let error = version(&conn, &path, 1).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        let text = error.to_string();
        assert!(
            text.contains("made by a newer version (schema 7, this build knows 1): upgrade mem"),
            "{text}"
        );
    }
}
