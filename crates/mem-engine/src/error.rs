use mem_core::ErrorKind;
use std::path::PathBuf;

/// What can go wrong in the engine.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The core's own error: bad input, an unknown id, or a part that failed.
    #[error(transparent)]
    Core(#[from] mem_core::Error),
    /// A file or folder of the home could not be used.
    #[error("cannot {action} {path}; check that it exists, is yours and has room", path = path.display())]
    File {
        /// What was tried: "create", "read", "write".
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// Another process does the queued work at this moment.
    #[error("another mem process is working in {home}; it does what is queued, or try again in a moment", home = home.display())]
    Busy {
        /// The home whose lock is held.
        home: PathBuf,
    },
    /// The part asked for was not given to the builder.
    #[error("this engine was built without {what}")]
    Missing {
        /// The part.
        what: &'static str,
    },
}

/// A result with [`EngineError`].
pub type Result<T, E = EngineError> = std::result::Result<T, E>;

impl EngineError {
    /// The way in which a caller can react.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Core(error) => error.kind(),
            Self::File { source, .. } if source.kind() == std::io::ErrorKind::NotFound => ErrorKind::NotFound,
            Self::File { .. } | Self::Busy { .. } => ErrorKind::Unavailable,
            Self::Missing { .. } => ErrorKind::Invalid,
        }
    }

    pub(crate) fn file(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { action, path, source }
    }
}
