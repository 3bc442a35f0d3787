//! The constants of the lexical channels.

use super::document::FIELDS;
use serde::{Deserialize, Serialize};

/// How much a word counts in each field of a memory, against 1 in the body.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FieldWeights {
    /// Its name.
    pub name: f64,
    /// Its one-line description, where that is not the beginning of the body.
    pub description: f64,
    /// When to think of it.
    pub trigger: f64,
    /// The statement, why it is so and what follows.
    pub body: f64,
    /// Its labels.
    pub tags: f64,
    /// The file or folder it is about and those it hangs on.
    pub paths: f64,
    /// A question of one CJK character, anywhere.
    pub chars: f64,
}

impl Default for FieldWeights {
    fn default() -> Self {
        Self { name: 1.0, description: 1.0, trigger: 1.2, body: 1.0, tags: 1.2, paths: 1.0, chars: 0.5 }
    }
}

impl FieldWeights {
    /// In the order of the fields; the trigrams are one field by themselves.
    pub(super) const fn array(&self) -> [f64; FIELDS] {
        [self.name, self.description, self.trigger, self.body, self.tags, self.paths, self.chars, 1.0]
    }
}

/// The constants of BM25 over trigrams: see [`mem_core::TextHit::grams`].
///
/// A trigram is three letters of one word as it stands, both ends of the word counted as letters; of Chinese and
/// Korean it is one character, of kana two.
///
/// k1 and b are the textbook's: of five other pairs none was better on all of eight sets. A share of 0.1 for what is
/// common loses against 0.25, and 0.5 gains nothing beside the words' channel.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GramConfig {
    /// Where further occurrences of a trigram stop to count.
    pub k1: f64,
    /// How far the number of a memory's trigrams is normalised, 0 to 1.
    pub b: f64,
    /// Trigrams that more than this share of the memories hold are passed over: they cost most and tell least.
    pub common: f64,
    /// Up to so many memories no trigram counts as common.
    pub few: u64,
    /// A question's distinct trigrams beyond so many are passed over, those in its middle first.
    pub max_query_grams: usize,
}

impl Default for GramConfig {
    fn default() -> Self {
        Self { k1: 1.2, b: 0.75, common: 0.25, few: 50, max_query_grams: 192 }
    }
}

/// The constants of the lexical channels.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LexicalConfig {
    /// Where further occurrences of a word stop to count.
    pub k1: f64,
    /// How far the length of a field is normalised, 0 to 1.
    pub b: f64,
    /// Weights of the fields.
    pub fields: FieldWeights,
    /// The trigrams.
    pub grams: GramConfig,
    /// Weight of a part of an identifier or path in a question, against 1 for a word.
    pub part: f64,
    /// Weight of a function word in a question, where it stays at all.
    pub weak: f64,
    /// How much a word of every day's work ("fix", "test", 修改) tells of what a question is about, against 1 for
    /// another word. It counts for relevance only, not for the order of hits; a hit by such words alone has a
    /// specificity of 0.
    pub generic: f64,
    /// The same for an identifier, a path or a code that is met whole.
    pub named: f64,
    /// Such a name that at most so many memories hold is as specific as one in a single memory.
    pub rare: u64,
    /// How much a plain word that no memory holds tells, against 1 for one that a single memory holds.
    pub unknown: f64,
    /// Weight of what a word of a question is in the other of Chinese and English; 0 does not translate.
    pub translated: f64,
    /// Weight of a word spelt nearly like one that no memory holds; 0 looks for none.
    pub approximate: f64,
    /// A question's distinct words beyond so many are passed over, those in its middle first.
    pub max_query_terms: usize,
    /// A question's bytes beyond so many are passed over, those in its middle first.
    pub max_query_bytes: usize,
}

impl Default for LexicalConfig {
    fn default() -> Self {
        Self {
            k1: 1.2,
            b: 0.75,
            fields: FieldWeights::default(),
            grams: GramConfig::default(),
            part: 0.7,
            weak: 0.3,
            generic: 0.3,
            named: 2.2,
            rare: 2,
            unknown: 0.5,
            translated: 0.3,
            approximate: 0.3,
            max_query_terms: 256,
            max_query_bytes: 32_768,
        }
    }
}
