use crate::{Change, MemoryFilter, MemoryId, Result, Revision, Spread};

/// One lexical hit.
#[derive(Debug, Clone, PartialEq)]
pub struct TextHit {
    /// The memory.
    pub id: MemoryId,
    /// BM25 score over words; 0 when it holds none of them.
    pub score: f64,
    /// BM25 score over the trigrams of the words' letters; 0 when it holds none of them, or the view has no such channel.
    pub grams: f64,
    /// Which share of the question's information (words weighed by inverse document frequency) it holds, in `[0, 1]`.
    pub coverage: f64,
    /// How much that is: the weights of the question's words it holds, in units of a word that only one memory holds.
    pub specificity: f64,
}

/// What a lexical view answers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TextHits {
    /// The best by words together with the best by trigrams, by [`TextHit::score`], then [`TextHit::grams`], then id.
    pub hits: Vec<TextHit>,
    /// [`TextHit::score`] over all memories that pass the filter.
    pub words: Spread,
    /// [`TextHit::grams`] over all memories that pass the filter.
    pub grams: Spread,
    /// The question's words as they are in documents, each with what it weighs here (its weight times its inverse
    /// document frequency): enough to search the parts of a long memory by the same measure.
    pub terms: Vec<(String, f64)>,
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

    /// The best `k` for the words of `text`, and the best `k` for their trigrams. Only memories that pass the filter.
    ///
    /// Any text is a valid query; one without a single known word finds nothing.
    ///
    /// # Errors
    /// As [`TextIndex::revision`].
    fn search(&self, text: &str, filter: &MemoryFilter, k: usize) -> Result<TextHits>;

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
