use std::path::PathBuf;

/// What can go wrong beside the source's own failures.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnnError {
    /// The graph could not be kept.
    #[error(
        "cannot {action} the graph of vectors at {path}; searches go on without it: free the disk or mend the folder's rights"
    )]
    File {
        /// `write`, `put into words`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
}

impl AnnError {
    /// The way in which a caller can react.
    pub fn kind(&self) -> mem_core::ErrorKind {
        match self {
            Self::File { .. } => mem_core::ErrorKind::Unavailable,
        }
    }
}

impl From<AnnError> for mem_core::Error {
    fn from(error: AnnError) -> Self {
        Self::backend(error.kind(), "keeping vectors in memory failed", error)
    }
}
