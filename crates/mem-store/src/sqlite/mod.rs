//! The system of record: one SQLite database.

mod follow;
mod injections;
mod instincts;
mod memories;
mod named;
mod open;
mod options;
mod removal;
mod row;
mod schema;
mod upkeep;
mod vectors;

pub use options::{Options, Synchronous};
pub use upkeep::Stats;

use crate::{Error, Result};
use jiff::Timestamp;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::{
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Memories, instincts, injections, named values and vectors in one SQLite file.
///
/// Implements [`mem_core::Store`], [`mem_core::VectorIndex`] and [`mem_core::VectorSource`]. May be shared by threads, which take turns, and
/// the file by processes: one writes at a time, readers are never blocked.
/// Times outside of the years 1678 to 2261 are refused.
#[derive(Debug)]
pub struct SqliteStore {
    // A panic in mid-transaction rolls it back, so a poisoned lock guards a sound connection.
    conn: Mutex<Connection>,
    path: PathBuf,
}

impl SqliteStore {
    /// The database file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn conn(&self) -> MutexGuard<'_, Connection> {
        self.conn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `work` in a transaction that sees one state of the database.
    fn read<T>(&self, action: &'static str, work: impl FnOnce(&Work<'_>) -> Result<T>) -> Result<T> {
        self.within(action, TransactionBehavior::Deferred, work)
    }

    /// Runs `work` in a transaction that holds the write lock from its start.
    fn write<T>(&self, action: &'static str, work: impl FnOnce(&Work<'_>) -> Result<T>) -> Result<T> {
        self.within(action, TransactionBehavior::Immediate, work)
    }

    fn within<T>(
        &self,
        action: &'static str,
        behavior: TransactionBehavior,
        work: impl FnOnce(&Work<'_>) -> Result<T>,
    ) -> Result<T> {
        let conn = self.conn();
        let fail = || Error::sqlite(action, &self.path);
        let tx = Transaction::new_unchecked(&conn, behavior).map_err(fail())?;
        let answer = work(&Work { conn: &tx, action, path: &self.path })?;
        tx.commit().map_err(fail())?;
        Ok(answer)
    }
}

/// A transaction, and what to say when a statement of it fails.
struct Work<'a> {
    conn: &'a Connection,
    action: &'static str,
    path: &'a Path,
}

impl Work<'_> {
    /// Runs one statement, kept prepared; answers how many rows it changed.
    fn run(&self, sql: &str, params: impl rusqlite::Params) -> Result<usize> {
        self.conn
            .prepare_cached(sql)
            .and_then(|mut statement| statement.execute(params))
            .map_err(Error::sqlite(self.action, self.path))
    }

    /// Every row of a query.
    fn rows<T>(
        &self,
        sql: &str,
        params: impl rusqlite::Params,
        mut take: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        let fail = || Error::sqlite(self.action, self.path);
        let mut statement = self.conn.prepare_cached(sql).map_err(fail())?;
        let mut rows = statement.query(params).map_err(fail())?;
        let mut all = Vec::new();
        while let Some(row) = rows.next().map_err(fail())? {
            all.push(take(row).map_err(fail())?);
        }
        Ok(all)
    }

    /// The first row of a query, if there is one.
    fn first<T>(
        &self,
        sql: &str,
        params: impl rusqlite::Params,
        take: impl FnOnce(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>> {
        let fail = || Error::sqlite(self.action, self.path);
        let mut statement = self.conn.prepare_cached(sql).map_err(fail())?;
        let mut rows = statement.query(params).map_err(fail())?;
        match rows.next().map_err(fail())? {
            Some(row) => take(row).map(Some).map_err(fail()),
            None => Ok(None),
        }
    }
}

/// The column form of a time.
fn nanos(at: Timestamp) -> Result<i64> {
    i64::try_from(at.as_nanosecond())
        .map_err(|_| mem_core::Error::invalid("a time between 1678 and 2261", at.to_string()).into())
}

/// The column form of a time that is only compared: the nearest that can be stored.
fn nanos_nearest(at: Timestamp) -> i64 {
    i64::try_from(at.as_nanosecond()).unwrap_or(if at < Timestamp::UNIX_EPOCH { i64::MIN } else { i64::MAX })
}

/// A time from its column form.
fn timestamp(nanos: i64) -> Timestamp {
    // Every i64 lies within jiff's years -9999 to 9999.
    Timestamp::from_nanosecond(nanos.into()).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// A limit in the type of SQLite.
fn sql_limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// The largest text that begins with `prefix`, near enough: no id in use holds the last code point.
fn prefix_end(prefix: &str) -> String {
    format!("{prefix}\u{10FFFF}")
}
