use std::error::Error as StdError;

/// What went wrong, in the six ways a caller can act upon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The caller passed something that can never work; change the input.
    Invalid,
    /// Nothing has that id or name.
    NotFound,
    /// It clashes with what is there (a duplicate, an ambiguous prefix, a newer edit).
    Conflict,
    /// Something outside is missing, busy or refuses for now; later or elsewhere it may work.
    Unavailable,
    /// Stored data is damaged or of a version this build does not know.
    Corrupt,
    /// A fault of this library; please report it.
    Bug,
}

/// The error every trait of this crate answers with.
///
/// Crates keep enums of their own with typed fields; at a trait's boundary they travel inside
/// [`Error::Backend`], whose `source` keeps the whole chain.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A value that cannot be accepted.
    #[error("expected {expected}, got {got:?}")]
    Invalid {
        /// What would have been accepted, as a noun phrase.
        expected: String,
        /// What came, shortened by the caller when long.
        got: String,
    },
    /// Nothing is stored under that id.
    #[error("no {what} has the id {id:?}; list what is there, or give a longer prefix")]
    NotFound {
        /// `"memory"` or `"instinct"`.
        what: &'static str,
        /// The id, or the prefix of one.
        id: String,
    },
    /// A shortened id that fits several.
    #[error("{id:?} fits {count} {what}; give more characters of the id")]
    Ambiguous {
        /// The plural of what was looked for.
        what: &'static str,
        /// The prefix as given.
        id: String,
        /// How many it fits.
        count: usize,
    },
    /// Two vectors of different length met.
    #[error("expected a vector of {expected} dimensions, got {got}")]
    DimensionMismatch {
        /// What the index or model works with.
        expected: usize,
        /// What was passed.
        got: usize,
    },
    /// An implementation failed; the source says how.
    #[error("{context}")]
    Backend {
        /// How a caller can react.
        kind: ErrorKind,
        /// What failed, on what, and what can be done.
        context: String,
        /// The cause, whole.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
}

/// A result with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Builds [`Error::Invalid`].
    pub fn invalid(expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self::Invalid { expected: expected.into(), got: got.into() }
    }

    /// Builds [`Error::Backend`] around a cause.
    pub fn backend(
        kind: ErrorKind,
        context: impl Into<String>,
        source: impl Into<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        Self::Backend { kind, context: context.into(), source: source.into() }
    }

    /// The way in which a caller can react.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Invalid { .. } | Self::DimensionMismatch { .. } => ErrorKind::Invalid,
            Self::NotFound { .. } => ErrorKind::NotFound,
            Self::Ambiguous { .. } => ErrorKind::Conflict,
            Self::Backend { kind, .. } => *kind,
        }
    }
}
