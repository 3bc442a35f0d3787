//! The system of record of `mem`: one SQLite file for memories, instincts, injections and vectors.
//!
//! [`SqliteStore`] implements [`mem_core::Store`] and [`mem_core::VectorIndex`]. It is opened with [`Options`]: those
//! of a command that acknowledges what it stored, or those of a hook, which waits for nothing.
//!
//! [`journal`] holds observations, [`mirror`] shows memories and instincts as Markdown.
//!
//! ```
//! use mem_core::{Kind, Memory, MemoryFilter, MemoryStore, Timestamp};
//! use mem_store::{Options, SqliteStore};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("mem.db");
//! let now: Timestamp = "2026-11-30T12:00:00Z".parse()?;
//! let store = SqliteStore::open(&path, &Options::default())?;
//! store.put(&[Memory::new(Kind::Decision, "Ports are assigned by the registry", now)])?;
//!
//! let found = store.list(&MemoryFilter::default(), 10)?;
//! assert_eq!(found[0].body, "Ports are assigned by the registry");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
pub mod journal;
pub mod mirror;
mod normal;
mod sqlite;

pub use error::{Error, Result};
pub use normal::{content_hash, fingerprint, normalise};
pub use sqlite::{Options, SqliteStore, Stats, Synchronous};
