//! Embedders of mem: text to vectors, with no download by default.
//!
//! | embedder | what it is |
//! |---|---|
//! | [`StaticEmbedder`] | a table of piece vectors: meaning, in Chinese and English; built in, microseconds |
//! | `OnnxEmbedder` | a transformer in a folder, run by ONNX Runtime; behind the feature `fastembed` |
//! | [`HashEmbedder`] | hashed words and character n-grams: spelling, not meaning; no data, microseconds |
//!
#![cfg_attr(feature = "builtin", doc = "```")]
#![cfg_attr(not(feature = "builtin"), doc = "```ignore")]
//! use mem_core::{Embedder, TextRole, cosine};
//! use mem_embed::StaticEmbedder;
//!
//! let embedder = StaticEmbedder::builtin()?;
//! let texts = ["how to restart the server", "重启服务器的方法", "a cup of tea"];
//! let vectors = embedder.embed(&texts, TextRole::Passage)?;
//! assert!(cosine(&vectors[0], &vectors[1])? > cosine(&vectors[0], &vectors[2])?);
//! # Ok::<(), mem_core::Error>(())
//! ```
//!
//! Features: `builtin` (on by default) brings the data of `StaticEmbedder::builtin`, 17 MB in the binary; `pack` packs
//! tables of your own; `fastembed` runs ONNX models. [`calibrate`] measures a model of any kind.

mod calibrate;
mod error;
mod features;
mod hash;
mod onnx;
mod static_model;

pub use calibrate::calibrate;
pub use error::Error;
pub use hash::{HashConfig, HashEmbedder};
#[cfg(feature = "fastembed")]
pub use onnx::OnnxEmbedder;
pub use onnx::{OnnxConfig, Pooling};
#[cfg(any(test, feature = "pack"))]
pub use static_model::{Packed, StaticTable, pack};
pub use static_model::{StaticConfig, StaticEmbedder};
