//! [`OnnxEmbedder`].

mod config;
#[cfg(feature = "fastembed")]
mod digest;
#[cfg(feature = "fastembed")]
mod embedder;
#[cfg(feature = "fastembed")]
mod folder;
#[cfg(feature = "fastembed")]
mod named;
#[cfg(feature = "fastembed")]
mod pool;
#[cfg(feature = "fastembed")]
mod runtime;

pub use config::{OnnxConfig, Pooling};
#[cfg(feature = "fastembed")]
pub use embedder::OnnxEmbedder;
