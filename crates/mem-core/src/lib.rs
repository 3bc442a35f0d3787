//! The vocabulary and the traits of `mem`, a memory that coding agents keep between sessions.
//!
//! This crate names things and states contracts; it opens no file, reads no clock and knows no engine.
//! Everything else in the workspace depends on it and meets through it.
//!
//! | word | type |
//! |---|---|
//! | what a hook saw | [`Observation`] |
//! | one learned behaviour | [`Instinct`], with its [`Evidence`] |
//! | one piece of knowledge | [`Memory`] |
//! | something extracted that has not passed the filters | [`Candidate`] |
//! | a question and its ranked, explained answer | [`Query`], [`Recall`], [`Hit`] |
//!
//! ```
//! use mem_core::{Kind, Memory, Timestamp};
//!
//! let now: Timestamp = "2026-11-30T12:00:00Z".parse()?;
//! let memory = Memory::new(Kind::Decision, "Ports are assigned by the registry, never hard-coded", now);
//! let json = serde_json::to_string(&memory)?;
//! assert_eq!(serde_json::from_str::<Memory>(&json)?, memory);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod calibration;
mod candidate;
mod clock;
mod embedder;
mod error;
mod ids;
mod instinct;
mod language_model;
mod memory;
mod observation;
mod policy;
mod recall;
mod store;
mod text_index;
mod unit;
mod vector_index;
mod vector_source;

pub use calibration::{Calibration, Centroids, Spread};
pub use candidate::{Candidate, Extractor, Turn, TurnRole};
pub use clock::{Clock, FixedClock, SystemClock};
pub use embedder::{Embedder, Embedding, ModelIdentity, TextRole, cosine};
pub use error::{Error, ErrorKind, Result};
pub use ids::{InstinctId, MemoryId, ProjectId, SessionId};
pub use instinct::{
    ConfidencePolicy, ConfidenceState, Counts, Evidence, EvidenceKind, Instinct, InstinctScope,
    InstinctStatus,
};
pub use language_model::{Completion, LanguageModel, Prompt};
pub use memory::{Anchor, Kind, Language, Link, LinkKind, Memory, Provenance, ProvenanceKind, Scope, Status};
pub use observation::{Observation, Phase};
pub use policy::{KindPolicy, PolicyTable, TimeDirection};
pub use recall::{
    Channel, ChannelScore, Degraded, Dropped, Factors, Hit, Mark, MemoryFilter, ProjectFilter, Query, Recall,
};
pub use store::{
    Change, Cursor, InjectionRecord, InjectionStore, InstinctFilter, InstinctStore, LogBatch, MemoryStore,
    ObservationLog, Revision, Store,
};
pub use text_index::{TextHit, TextHits, TextIndex};
pub use unit::Unit;
pub use vector_index::{VectorEntry, VectorHit, VectorHits, VectorIndex, VectorQuery};
pub use vector_source::{Facts, Generation, VectorChange, VectorRow, VectorSource};

/// A point in time, UTC, RFC 3339 in every serialised form. Re-exported from [`jiff`].
pub use jiff::Timestamp;

/// A span of time with a sign. Re-exported from [`jiff`].
pub use jiff::SignedDuration;

/// A JSON object whose keys keep the order they came in.
pub type JsonObject = serde_json::Map<String, serde_json::Value>;
