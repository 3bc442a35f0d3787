//! BM25 over trigrams: the same formula as for words, over one field, in arithmetic made for many long lists.

use super::{
    config::GramConfig,
    score::{Collection, lengths},
};

/// Frequencies below this are looked up.
const TABLED: usize = 16;
/// How many lengths of a field are told apart: see [`tantivy::fieldnorm`].
const LENGTHS: usize = 256;

/// The lists of a question's trigrams, one behind the other: for each the memories that hold it, and how much.
#[derive(Debug, Clone, Default)]
pub(crate) struct Postings {
    entries: Vec<(u32, f32)>,
    ends: Vec<usize>,
}

impl Postings {
    /// Empties it, keeping its memory.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.ends.clear();
    }

    /// The lists made so far and the one that is being made, to append to.
    pub(crate) fn list(&mut self) -> &mut Vec<(u32, f32)> {
        &mut self.entries
    }

    /// How many the list that is being made holds.
    pub(crate) fn open(&self) -> usize {
        self.entries.len() - self.ends.last().copied().unwrap_or(0)
    }

    /// Ends a list; the next entry begins another.
    pub(crate) fn end(&mut self) {
        self.ends.push(self.entries.len());
    }

    /// Drops what the list that is being made holds so far.
    pub(crate) fn reset(&mut self) {
        self.entries.truncate(self.ends.last().copied().unwrap_or(0));
    }

    /// The lists in order.
    pub(super) fn lists(&self) -> impl Iterator<Item = &[(u32, f32)]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(from, to)| self.entries.get(from..*to).unwrap_or_default())
    }
}

/// How much an occurrence counts, by frequency and by length of the field.
#[derive(Debug, Clone)]
pub(crate) struct GramScorer {
    k1: f32,
    inverse: Vec<f32>,
    table: Vec<f32>,
}

impl GramScorer {
    pub(crate) fn new(config: &GramConfig, collection: &Collection) -> Self {
        let k1 = config.k1.max(0.0) as f32;
        let inverse: Vec<f32> =
            lengths(config.b, collection.average(super::GRAMS)).map(|x| x as f32).collect();
        let rows = inverse
            .iter()
            .flat_map(|inverse| (0..TABLED).map(move |freq| saturated(k1, freq as f32 * inverse)));
        let table = rows.collect();
        Self { k1, inverse, table }
    }

    /// BM25's second factor: from 0, towards `k1 + 1`.
    pub(crate) fn value(&self, frequency: u32, norm: u8) -> f32 {
        let (norm, frequency) = (usize::from(norm) % LENGTHS, frequency as usize);
        if frequency < TABLED {
            self.table.get(norm * TABLED + frequency).copied().unwrap_or(0.0)
        } else {
            saturated(self.k1, frequency as f32 * self.inverse.get(norm).copied().unwrap_or(1.0))
        }
    }
}

fn saturated(k1: f32, frequency: f32) -> f32 {
    if frequency > 0.0 { (k1 + 1.0) * frequency / (k1 + frequency) } else { 0.0 }
}

impl GramConfig {
    /// Whether a trigram that so many of the memories hold is passed over.
    pub(crate) fn is_common(&self, frequency: u64, documents: u64) -> bool {
        frequency > self.few && frequency as f64 > self.common * documents as f64
    }
}
