use mem_core::ErrorKind;
use rusqlite::ErrorCode;
use std::path::{Path, PathBuf};

/// What can go wrong in the store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// SQLite refused or failed.
    #[error("cannot {action} the store {}: {}", path.display(), advice(source))]
    Sqlite {
        /// What was being done, as a verb.
        action: &'static str,
        /// The database.
        path: PathBuf,
        /// SQLite's own words.
        #[source]
        source: rusqlite::Error,
    },
    /// The file system refused.
    #[error("cannot {action} {}; check that the folder exists and may be written", path.display())]
    Io {
        /// What was being done, as a verb.
        action: &'static str,
        /// Which file or folder.
        path: PathBuf,
        /// The system's own words.
        #[source]
        source: std::io::Error,
    },
    /// There is no database, and it was to be opened for reading only.
    #[error("there is no store at {}; it is made by the first command that writes", path.display())]
    Missing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// The database has a schema that this build does not know.
    #[error("the store {} was made by a newer version (schema {found}, this build knows {known}): upgrade mem", path.display())]
    Newer {
        /// The database; it was not touched.
        path: PathBuf,
        /// Its schema.
        found: u32,
        /// The last schema of this build.
        known: u32,
    },
    /// The database has to be migrated, and it was to be opened for reading only.
    #[error("the store {} is of an older version (schema {found}, this build needs {known}): run a command that writes, and it is migrated", path.display())]
    Older {
        /// The database; it was not touched.
        path: PathBuf,
        /// Its schema.
        found: u32,
        /// The schema of this build.
        known: u32,
    },
    /// An SQLite database of another program.
    #[error("{} is a database of another program; give another path for the store", path.display())]
    Foreign {
        /// The database; it was not touched.
        path: PathBuf,
    },
    /// A check of the database found damage.
    #[error("the store {} is damaged ({finding}); restore a backup, or export what can still be read", path.display())]
    Damaged {
        /// The database.
        path: PathBuf,
        /// The first finding.
        finding: String,
    },
    /// A stored row that does not make sense.
    #[error(
        "the store's {what} {id:?} cannot be read; it was damaged, or written by a newer version: restore a backup or remove it"
    )]
    Row {
        /// `"memory"`, `"instinct"`, `"evidence"` …
        what: &'static str,
        /// Whose row.
        id: String,
        /// What is wrong with it.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A value that could not be written as JSON.
    #[error("cannot write {what} {id:?} as JSON")]
    Json {
        /// `"memory"`, `"instinct"`, `"evidence"`.
        what: &'static str,
        /// Whose.
        id: String,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// Something to be restored is there again.
    #[error("{id:?} is not restored: a memory with that id exists; remove that one first")]
    Exists {
        /// The id.
        id: String,
    },
    /// A removal for good happened, but old pages could not be overwritten yet.
    #[error("{id:?} is removed, but another process still reads old pages of {}: close it, and remove {id:?} once more", path.display())]
    Unscrubbed {
        /// The memory.
        id: String,
        /// The database.
        path: PathBuf,
    },
    /// An error in the words of the core.
    #[error(transparent)]
    Core(#[from] mem_core::Error),
}

/// A result with this crate's [`enum@Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// The way in which a caller can react.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Sqlite { source, .. } => sqlite_kind(source),
            Self::Io { .. } | Self::Missing { .. } | Self::Older { .. } | Self::Unscrubbed { .. } => {
                ErrorKind::Unavailable
            }
            Self::Newer { .. } | Self::Foreign { .. } | Self::Damaged { .. } | Self::Row { .. } => {
                ErrorKind::Corrupt
            }
            Self::Json { .. } => ErrorKind::Bug,
            Self::Exists { .. } => ErrorKind::Conflict,
            Self::Core(error) => error.kind(),
        }
    }

    pub(crate) fn sqlite(action: &'static str, path: &Path) -> impl FnOnce(rusqlite::Error) -> Self {
        move |source| Self::Sqlite { action, path: path.to_owned(), source }
    }

    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Io { action, path: path.to_owned(), source }
    }

    pub(crate) fn row(
        what: &'static str,
        id: &str,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::Row { what, id: id.to_owned(), source: source.into() }
    }
}

/// The kind of SQLite's refusal.
fn sqlite_kind(error: &rusqlite::Error) -> ErrorKind {
    match error {
        rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::Utf8Error(..) => ErrorKind::Corrupt,
        _ => match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => ErrorKind::Corrupt,
            Some(
                ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked
                | ErrorCode::DiskFull
                | ErrorCode::ReadOnly
                | ErrorCode::CannotOpen
                | ErrorCode::SystemIoFailure
                | ErrorCode::PermissionDenied
                | ErrorCode::OutOfMemory
                | ErrorCode::OperationInterrupted
                | ErrorCode::FileLockingProtocolFailed
                | ErrorCode::NoLargeFileSupport,
            ) => ErrorKind::Unavailable,
            Some(ErrorCode::TooBig) => ErrorKind::Invalid,
            _ => ErrorKind::Bug,
        },
    }
}

/// What a person can do about it.
fn advice(error: &rusqlite::Error) -> &'static str {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            "another process writes to it; try again in a moment"
        }
        Some(ErrorCode::DiskFull) => "the disk is full; free some space",
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            "it may not be written; check its permissions"
        }
        Some(ErrorCode::CannotOpen) => "it cannot be opened; check its path and permissions",
        Some(ErrorCode::NotADatabase) => "the file is not a database; move it away, or restore a backup",
        Some(ErrorCode::DatabaseCorrupt) => "the file is damaged; move it away, and restore a backup",
        Some(ErrorCode::TooBig) => "a text is too long for one row; shorten it",
        Some(ErrorCode::SystemIoFailure) => "the disk failed; check it, then try again",
        _ => "SQLite refused",
    }
}

impl From<Error> for mem_core::Error {
    fn from(error: Error) -> Self {
        let (kind, context) = (error.kind(), error.to_string());
        match error {
            Error::Core(error) => error,
            Error::Sqlite { source, .. } => Self::backend(kind, context, source),
            Error::Io { source, .. } => Self::backend(kind, context, source),
            Error::Json { source, .. } => Self::backend(kind, context, source),
            Error::Row { source, .. } => Self::backend(kind, context, source),
            error => Self::backend(kind, context, error),
        }
    }
}
