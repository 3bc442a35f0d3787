//! The lexical search over memories in memory: the fallback, and the oracle of the Tantivy view.

use crate::{
    lexical::{CHARS, Collection, FIELDS, Frequencies, LexicalConfig, Plan, document, rank},
    tokenize::{Mode, TokenKind, tokenize},
};
use mem_core::{Memory, TextHit};
use std::{collections::HashMap, convert::Infallible};
use tantivy::fieldnorm::FieldNormReader;

/// The best `k` of `memories` for the words of `text`, by score, ties by id.
///
/// Gives the hits and scores that [`crate::TantivyIndex`] gives over the same memories. Every memory counts; apply
/// the filter before.
pub fn scan(text: &str, memories: &[Memory], k: usize, config: &LexicalConfig) -> Vec<TextHit> {
    let plan = Plan::new(text, config);
    if plan.terms.is_empty() {
        return Vec::new();
    }
    let wanted: HashMap<&str, usize> =
        plan.terms.iter().enumerate().map(|(at, term)| (term.text.as_str(), at)).collect();
    let mut collection = Collection { documents: memories.len() as u64, ..Collection::default() };
    let mut counted = Vec::with_capacity(memories.len());
    for memory in memories {
        let mut found: HashMap<usize, [u32; FIELDS]> = HashMap::new();
        let mut lengths = [0u32; FIELDS];
        for (field, text) in document(memory).iter().enumerate() {
            for token in tokenize(text, Mode::Document) {
                if (token.kind == TokenKind::Char) != (field == CHARS) {
                    continue;
                }
                lengths[field] += 1;
                if let Some(term) = wanted.get(token.text.as_str()) {
                    found.entry(*term).or_default()[field] += 1;
                }
            }
        }
        // Tantivy keeps lengths in one byte; the same rounding gives the same scores.
        let lengths =
            lengths.map(|length| FieldNormReader::id_to_fieldnorm(FieldNormReader::fieldnorm_to_id(length)));
        for (sum, length) in collection.lengths.iter_mut().zip(lengths) {
            *sum += u64::from(length);
        }
        counted.push((found, lengths));
    }
    let frequencies = Frequencies::new(config, &collection);
    let mut matches = vec![Vec::new(); plan.terms.len()];
    for (doc, (found, lengths)) in counted.iter().enumerate() {
        for (term, counts) in found {
            let sum = (0..FIELDS)
                .filter(|field| counts[*field] > 0)
                .map(|field| frequencies.of(field, counts[field], lengths[field]))
                .sum();
            if let Some(matches) = matches.get_mut(*term) {
                matches.push((doc as u32, sum));
            }
        }
    }
    let ids = |doc: u32| Ok::<_, Infallible>(memories[doc as usize].id.clone());
    match rank(&plan, &matches, &collection, config, k, ids) {
        Ok(hits) => hits,
        Err(never) => match never {},
    }
}
