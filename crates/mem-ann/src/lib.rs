//! Vectors in memory, for processes that live long.
//!
//! A hook starts, asks once and ends: it is served best by the store's own scan. A process that stays asks the store
//! for its vectors once, follows what changes, and answers in a fraction of the time. [`ResidentVectors`] stands before
//! any [`mem_core::VectorSource`] and answers as a [`mem_core::VectorIndex`]:
//!
//! - few vectors that pass the filter are compared exactly;
//! - more are compared by 8-bit codes, many by their bits first, and the best of these exactly;
//! - with the feature `hnsw`, very many lie in a navigable graph, which is kept in a folder between processes.
//!
//! Hits, cosines and means of chunks are exact in every case; only which memories are compared at all may be wrong.
//!
//! ```
//! use mem_ann::{ResidentConfig, ResidentVectors};
//! use mem_core::{Centroids, Kind, Memory, MemoryFilter, MemoryStore, ModelIdentity, Timestamp};
//! use mem_core::{VectorEntry, VectorIndex, VectorQuery};
//! use std::sync::Arc;
//!
//! let store = Arc::new(mem_testing::InMemoryStore::new());
//! let vectors = ResidentVectors::new(store.clone(), ResidentConfig::default());
//!
//! let memory = Memory::new(Kind::Fact, "the build needs protoc", Timestamp::UNIX_EPOCH);
//! MemoryStore::put(store.as_ref(), std::slice::from_ref(&memory))?;
//! let model = ModelIdentity { name: "m".into(), version: "1".into(), dimensions: 2, variant: String::new() };
//! vectors.put(&model, &[VectorEntry::new(&memory, vec![vec![0.6, 0.8]])])?;
//!
//! let query = VectorQuery { model: &model, vector: &[0.0, 1.0], centroids: &Centroids::default() };
//! let hits = vectors.search(&query, &MemoryFilter::default(), 3)?.hits;
//! assert_eq!(hits[0].id, memory.id);
//! assert!((hits[0].cosine - 0.8).abs() < 1e-4);
//! # Ok::<(), mem_core::Error>(())
//! ```

mod codes;
mod config;
mod error;
#[cfg(feature = "hnsw")]
mod graph;
#[cfg(feature = "hnsw")]
mod laid;
mod resident;
mod scan;
mod table;
#[cfg(all(test, feature = "hnsw"))]
mod testing;

pub use config::{GraphConfig, ResidentConfig};
pub use error::AnnError;
pub use resident::{ResidentStats, ResidentVectors, Tended};
