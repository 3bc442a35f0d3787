use mem_core::ErrorKind;
use std::{
    io,
    path::{Path, PathBuf},
};

/// What can go wrong with the observation journal.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The file system refused.
    #[error("cannot {action} {path:?}; check the folder's permissions and the free space")]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// A write ended early; the file was cut back to its former length where that was possible.
    #[error("cannot write {bytes} bytes to {path:?}, nothing of them was kept; free space on the disk")]
    Write {
        /// The live file.
        path: PathBuf,
        /// How much was to be written.
        bytes: usize,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// Other processes held the lock for too long.
    #[error("{path:?} is locked by another process for more than {waited_ms} ms; try again")]
    Busy {
        /// The lock file.
        path: PathBuf,
        /// How long was waited.
        waited_ms: u64,
    },
    /// An observation that is longer than a line may be.
    #[error("an observation of {bytes} bytes is longer than a line may be ({max} bytes); shorten its input")]
    LineTooLong {
        /// Its length.
        bytes: usize,
        /// The limit.
        max: usize,
    },
    /// An observation that cannot be written as JSON.
    #[error("an observation cannot be written as JSON")]
    Serialize {
        /// The cause.
        #[source]
        source: serde_json::Error,
    },
    /// A sidecar file is damaged.
    #[error(
        "{path:?} is damaged; move it away after a look at it, the observations are in the files beside it"
    )]
    Damaged {
        /// The sidecar.
        path: PathBuf,
        /// The cause.
        #[source]
        source: serde_json::Error,
    },
    /// A sidecar file of a later version.
    #[error("{path:?} is of version {found}, this build knows up to {known}; use a newer build")]
    Version {
        /// The sidecar.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The newest known one.
        known: u32,
    },
}

impl JournalError {
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }

    /// The way in which a caller can react.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Io { .. } | Self::Write { .. } | Self::Busy { .. } => ErrorKind::Unavailable,
            Self::LineTooLong { .. } => ErrorKind::Invalid,
            Self::Serialize { .. } => ErrorKind::Bug,
            Self::Damaged { .. } | Self::Version { .. } => ErrorKind::Corrupt,
        }
    }
}

impl From<JournalError> for mem_core::Error {
    fn from(error: JournalError) -> Self {
        Self::backend(error.kind(), "the observation journal failed", error)
    }
}
