use mem_core::ErrorKind;
use std::path::PathBuf;

/// What reading, repairing or parsing a host's data can fail with.
///
/// Redaction and capture never fail; only bytes that are no JSON, and files, do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExtractError {
    /// Nothing came, or nothing but a byte order mark and white space.
    #[error("the input is empty; the host should have sent one JSON value")]
    Empty,
    /// The JSON ends in the middle; more bytes would have been needed.
    #[error("the JSON ends after {bytes} bytes, before it is complete; send it whole")]
    Truncated {
        /// How many bytes came.
        bytes: usize,
        /// The parser's own words.
        #[source]
        source: serde_json::Error,
    },
    /// Arrays and objects are nested deeper than is accepted.
    #[error("the JSON nests deeper than {limit} levels; flatten it")]
    TooDeep {
        /// The deepest nesting accepted.
        limit: usize,
    },
    /// It is no JSON, even after repair.
    #[error("the input is not JSON: line {line}, column {column}; check what wrote it")]
    Syntax {
        /// Line of the fault, from 1.
        line: usize,
        /// Column of the fault in bytes, from 1.
        column: usize,
        /// The parser's own words.
        #[source]
        source: serde_json::Error,
    },
    /// JSON of another type where an object is needed.
    #[error("expected a JSON object, got {got}")]
    NotAnObject {
        /// The type that came, such as `an array`.
        got: &'static str,
    },
    /// A file could not be read.
    #[error("cannot read {}; check that it exists and may be read", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
}

impl ExtractError {
    /// The way in which a caller can react.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Empty | Self::TooDeep { .. } | Self::NotAnObject { .. } => ErrorKind::Invalid,
            Self::Truncated { .. } | Self::Syntax { .. } => ErrorKind::Corrupt,
            Self::Read { source, .. } if source.kind() == std::io::ErrorKind::NotFound => ErrorKind::NotFound,
            Self::Read { .. } => ErrorKind::Unavailable,
        }
    }
}

impl From<ExtractError> for mem_core::Error {
    fn from(error: ExtractError) -> Self {
        Self::backend(error.kind(), error.to_string(), error)
    }
}
