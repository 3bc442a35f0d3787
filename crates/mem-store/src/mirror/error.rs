use mem_core::ErrorKind;
use std::{
    io,
    path::{Path, PathBuf},
};

/// What can go wrong with the Markdown mirror.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MirrorError {
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
    /// The sidecar with the state of the last synchronisation is damaged.
    #[error("{path:?} is damaged; remove it, and files that differ from the store are reported as conflicts")]
    State {
        /// The sidecar.
        path: PathBuf,
        /// The cause.
        #[source]
        source: serde_json::Error,
    },
    /// The sidecar is of a later version.
    #[error("{path:?} is of version {found}, this build knows up to {known}; use a newer build")]
    Version {
        /// The sidecar.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The newest known one.
        known: u32,
    },
    /// The sidecar lies in the mirrored folder, whose files belong to people and other tools.
    #[error("the state {state:?} may not lie within the mirrored folder {dir:?}; keep it elsewhere")]
    StateInside {
        /// The sidecar.
        state: PathBuf,
        /// The folder.
        dir: PathBuf,
    },
    /// A name that is no plain file name.
    #[error("{name:?} is no plain file name")]
    Name {
        /// The name.
        name: String,
    },
}

impl MirrorError {
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }

    /// The way in which a caller can react.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Io { .. } => ErrorKind::Unavailable,
            Self::State { .. } | Self::Version { .. } => ErrorKind::Corrupt,
            Self::StateInside { .. } | Self::Name { .. } => ErrorKind::Invalid,
        }
    }
}

impl From<MirrorError> for mem_core::Error {
    fn from(error: MirrorError) -> Self {
        Self::backend(error.kind(), "the Markdown mirror failed", error)
    }
}
