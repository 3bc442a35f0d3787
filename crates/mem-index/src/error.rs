use mem_core::ErrorKind;
use std::path::PathBuf;

/// What went wrong in the text index.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// The directory cannot be read or written.
    #[error("cannot {action} the text index in {path}; check permissions and free space")]
    Io {
        /// What was tried: `open`, `write`, `clear`.
        action: &'static str,
        /// The index's directory.
        path: PathBuf,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// Another process writes.
    #[error("another process has been writing the text index in {path} for {waited_ms} ms; try again")]
    Busy {
        /// The index's directory.
        path: PathBuf,
        /// How long was waited, in milliseconds.
        waited_ms: u64,
    },
    /// The view went back since its revision was read: another process cleared it.
    #[error("the text index in {path} was cleared by another process; catch up again from its revision")]
    WentBack {
        /// The index's directory.
        path: PathBuf,
    },
    /// Files are damaged.
    #[error("the text index in {path} is damaged; rebuild it with `mem reindex`")]
    Corrupt {
        /// The index's directory.
        path: PathBuf,
        /// The cause.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl IndexError {
    /// How a caller can react.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Io { .. } | Self::Busy { .. } => ErrorKind::Unavailable,
            Self::WentBack { .. } => ErrorKind::Conflict,
            Self::Corrupt { .. } => ErrorKind::Corrupt,
        }
    }
}

impl From<IndexError> for mem_core::Error {
    fn from(error: IndexError) -> Self {
        Self::backend(error.kind(), error.to_string(), error)
    }
}
