//! BM25F over the fields of a memory, and BM25 over its trigrams: pure arithmetic that the Tantivy view and the plain
//! scan share.
//!
//! A word's weighted, length-normalised frequencies over the fields are summed before saturation, so that a word in
//! name and body is not counted as two findings (S. Robertson, H. Zaragoza, M. Taylor, "Simple BM25 extension to
//! multiple weighted fields", CIKM 2004; k1 and b as in Robertson and Zaragoza 2009).
//!
//! Document frequencies, document count and average lengths are those of the memories that pass the question's
//! filter. What other projects hold neither shows in a score nor changes an order.

mod config;
mod document;
mod grams;
mod masses;
mod plan;
mod score;
mod select;

pub use config::{FieldWeights, GramConfig, LexicalConfig};
pub(crate) use document::{CHARS, FIELD_NAMES, FIELDS, GRAMS, document};
pub(crate) use grams::{GramScorer, Postings};
pub(crate) use plan::Plan;
pub(crate) use score::{Collection, Found, Frequencies, Names, Scratch, rank};

#[cfg(test)]
mod tests;
