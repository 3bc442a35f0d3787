use crate::{Centroids, Embedding, Language, Memory, MemoryFilter, MemoryId, ModelIdentity, Result, Spread};

/// One hit by vector.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorHit {
    /// The memory.
    pub id: MemoryId,
    /// Cosine of its nearest chunk, in `[-1, 1]`.
    pub cosine: f64,
    /// Mean cosine of its three nearest chunks, or of as many as it has.
    pub mean: f64,
}

/// What a view by embedding answers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VectorHits {
    /// The nearest first, ties by id.
    pub hits: Vec<VectorHit>,
    /// [`VectorHit::cosine`] over all memories that pass the filter, or over a sample of them.
    pub spread: Spread,
}

/// A question to a view by embedding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VectorQuery<'a> {
    /// The model that made the vector.
    pub model: &'a ModelIdentity,
    /// The question's vector, centred already and of unit length, or all zeros.
    pub vector: &'a [f32],
    /// What is taken from each stored vector by its language before it is compared; see [`Centroids::centred`].
    pub centroids: &'a Centroids,
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
    /// [`crate::Error::DimensionMismatch`]; [`crate::Error::Invalid`] for a number that is not finite.
    fn search(&self, query: &VectorQuery<'_>, filter: &MemoryFilter, k: usize) -> Result<VectorHits>;

    /// The mean of the stored vectors of each language, with how many they were, as [`VectorIndex::measure`] last found
    /// them; nothing before that.
    ///
    /// # Errors
    /// Of the backend.
    fn centroids(&self, model: &ModelIdentity) -> Result<Vec<(Language, u64, Embedding)>>;

    /// Computes [`VectorIndex::centroids`] anew when what is stored has grown or shrunk by more than a tenth since.
    ///
    /// # Errors
    /// Of the backend.
    fn measure(&self, model: &ModelIdentity) -> Result<()>;

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

    /// Drops the vectors of every model but these; answers how many, counting each chunk.
    ///
    /// # Errors
    /// Of the backend.
    fn retain(&self, models: &[&ModelIdentity]) -> Result<u64>;
}
