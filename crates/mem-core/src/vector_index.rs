use crate::{Embedding, Language, Memory, MemoryFilter, MemoryId, ModelIdentity, Result};

/// One hit by vector.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorHit {
    /// The memory.
    pub id: MemoryId,
    /// Cosine of its nearest chunk, in `[-1, 1]`.
    pub cosine: f64,
}

/// The vectors of one memory, and the text they were made from.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorEntry {
    /// The memory.
    pub id: MemoryId,
    /// [`Memory::full_text`] as it was embedded: vectors of a text that has changed since are stale.
    pub text: String,
    /// The language of the text.
    pub language: Language,
    /// One vector a chunk, in order.
    pub vectors: Vec<Embedding>,
}

impl VectorEntry {
    /// The vectors of a memory as it is.
    pub fn new(memory: &Memory, vectors: Vec<Embedding>) -> Self {
        Self { id: memory.id.clone(), text: memory.full_text(), language: memory.language.clone(), vectors }
    }
}

/// A view of the memories by embedding. Vectors of different models never meet.
pub trait VectorIndex: Send + Sync {
    /// Stores the vectors of one memory, one a chunk in order, replacing all it had for that model.
    ///
    /// # Errors
    /// [`crate::Error::DimensionMismatch`]; [`crate::Error::NotFound`] when the memory is gone;
    /// [`crate::Error::Invalid`] for a memory without a vector, or a number that is not finite.
    fn put(&self, model: &ModelIdentity, entries: &[VectorEntry]) -> Result<()>;

    /// The `k` memories nearest to `query` by cosine of their best chunk, ties by id; only those that pass the filter.
    ///
    /// # Errors
    /// [`crate::Error::DimensionMismatch`].
    fn search(
        &self,
        model: &ModelIdentity,
        query: &[f32],
        filter: &MemoryFilter,
        k: usize,
    ) -> Result<Vec<VectorHit>>;

    /// Memories that have no vector of that model for their present content, oldest change first.
    ///
    /// # Errors
    /// Of the backend.
    fn missing(&self, model: &ModelIdentity, limit: usize) -> Result<Vec<MemoryId>>;

    /// How many memories have vectors of that model, current or not.
    ///
    /// # Errors
    /// Of the backend.
    fn len(&self, model: &ModelIdentity) -> Result<u64>;

    /// Whether none has.
    ///
    /// # Errors
    /// Of the backend.
    fn is_empty(&self, model: &ModelIdentity) -> Result<bool> {
        Ok(self.len(model)? == 0)
    }

    /// Drops the vectors of every other model; answers how many, counting each chunk.
    ///
    /// # Errors
    /// Of the backend.
    fn retain(&self, model: &ModelIdentity) -> Result<u64>;
}
