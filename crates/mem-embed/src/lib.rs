//! Embedders of mem: text to vectors, with no download by default.
//!
//! | embedder | what it is |
//! |---|---|
//! | [`HashEmbedder`] | hashed words and character n-grams: spelling, not meaning; always there, microseconds |
//!
//! ```
//! use mem_core::{Embedder, TextRole, cosine};
//! use mem_embed::HashEmbedder;
//!
//! let embedder = HashEmbedder::default();
//! let vectors = embedder.embed(&["reconnection", "reconnecting", "a cup of tea"], TextRole::Passage)?;
//! assert!(cosine(&vectors[0], &vectors[1])? > cosine(&vectors[0], &vectors[2])?);
//! # Ok::<(), mem_core::Error>(())
//! ```

mod features;
mod hash;

pub use hash::{HashConfig, HashEmbedder};
