use crate::{Calibration, Error, Result};
use serde::{Deserialize, Serialize};

/// What a text is to a retrieval model; asymmetric models prefix the two differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TextRole {
    /// A question.
    Query,
    /// Something to be found.
    Passage,
}

/// A vector of unit length (or all zeros, for a text without content).
pub type Embedding = Vec<f32>;

/// Everything that decides whether two vectors may be compared.
///
/// Two embedders with equal [`ModelIdentity::key`]s give comparable vectors; any change of weights,
/// prefix, pooling, quantisation or dimension must change it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ModelIdentity {
    /// The model's name, such as `hash-ngram`.
    pub name: String,
    /// Its version, or a digest of its files.
    pub version: String,
    /// Length of its vectors.
    pub dimensions: usize,
    /// How its vectors were rounded, prefixed and pooled, as the implementation words it; may be empty.
    #[serde(default)]
    pub variant: String,
}

impl ModelIdentity {
    /// One string that stands for the whole identity: `name@version/dimensions[+variant]`.
    pub fn key(&self) -> String {
        let variant = if self.variant.is_empty() { String::new() } else { format!("+{}", self.variant) };
        format!("{}@{}/{}{variant}", self.name, self.version, self.dimensions)
    }
}

/// Turns texts into vectors.
///
/// Deterministic: the same text in the same role gives the same vector in every process.
pub trait Embedder: Send + Sync {
    /// Which model; constant for the life of the value.
    fn identity(&self) -> &ModelIdentity;

    /// One vector a text, in order, each of [`ModelIdentity::dimensions`] and unit length.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Unavailable`] when the model cannot be run; never for an odd text.
    fn embed(&self, texts: &[&str], role: TextRole) -> Result<Vec<Embedding>>;

    /// What was measured about the model; constant for the life of the value.
    fn calibration(&self) -> &Calibration;
}

/// Cosine of two vectors, in `[-1, 1]`; 0 when one is all zeros.
///
/// # Errors
/// [`Error::DimensionMismatch`] when the lengths differ.
pub fn cosine(a: &[f32], b: &[f32]) -> Result<f64> {
    if a.len() != b.len() {
        return Err(Error::DimensionMismatch { expected: a.len(), got: b.len() });
    }
    let (mut dot, mut aa, mut bb) = (0f64, 0f64, 0f64);
    for (x, y) in a.iter().zip(b) {
        let (x, y) = (f64::from(*x), f64::from(*y));
        dot += x * y;
        aa += x * x;
        bb += y * y;
    }
    let norm = (aa * bb).sqrt();
    Ok(if norm > 0.0 { (dot / norm).clamp(-1.0, 1.0) } else { 0.0 })
}
