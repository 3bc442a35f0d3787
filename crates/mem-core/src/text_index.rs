use crate::{Change, MemoryFilter, MemoryId, Result, Revision};

/// One lexical hit.
#[derive(Debug, Clone, PartialEq)]
pub struct TextHit {
    /// The memory.
    pub id: MemoryId,
    /// BM25 score, above 0.
    pub score: f64,
    /// Which share of the question's information (words weighed by inverse document frequency) it holds, in `[0, 1]`.
    pub coverage: f64,
    /// How much that is: the weights of the question's words it holds, in units of a word that only one memory holds.
    pub specificity: f64,
}

/// A lexical view of the memories, rebuilt at will from a [`crate::MemoryStore`].
pub trait TextIndex: Send + Sync {
    /// The revision of the store up to which the view is complete; [`Revision::ZERO`] for an empty one.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Corrupt`] or [`crate::ErrorKind::Unavailable`] when it cannot be read.
    fn revision(&self) -> Result<Revision>;

    /// Applies changes, oldest first, and makes them visible to every reader together with `upto`, atomically.
    ///
    /// Applying a change twice is the same as once. Changes older than [`TextIndex::revision`] may be passed.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Unavailable`] when another process writes at this moment.
    fn apply(&self, changes: &[Change], upto: Revision) -> Result<()>;

    /// The best `k` for the words of `text`, by score, ties by id. Only memories that pass the filter.
    ///
    /// Any text is a valid query; one without a single known word finds nothing.
    ///
    /// # Errors
    /// As [`TextIndex::revision`].
    fn search(&self, text: &str, filter: &MemoryFilter, k: usize) -> Result<Vec<TextHit>>;

    /// Forgets everything; the revision is [`Revision::ZERO`] afterwards. Also mends a damaged view.
    ///
    /// # Errors
    /// As [`TextIndex::apply`].
    fn clear(&self) -> Result<()>;

    /// How many memories the view holds.
    ///
    /// # Errors
    /// As [`TextIndex::revision`].
    fn len(&self) -> Result<u64>;

    /// Whether it holds none.
    ///
    /// # Errors
    /// As [`TextIndex::revision`].
    fn is_empty(&self) -> Result<bool> {
        Ok(self.len()? == 0)
    }
}
