//! The lexical search over memories in memory: the fallback, and the oracle of the Tantivy view.

use crate::{
    lexical::{CHARS, Collection, FIELDS, Frequencies, LexicalConfig, Plan, document, rank},
    tokenize::{Mode, TokenKind, tokenize},
};
use mem_core::{Memory, TextHits};
use std::{
    collections::{BTreeSet, HashMap},
    convert::Infallible,
};
use tantivy::fieldnorm::FieldNormReader;

/// The best `k` of `memories` for the words of `text`, by score, ties by id.
///
/// Gives the hits and scores that [`crate::TantivyIndex`] gives over the same memories. Every memory counts; apply
/// the filter before.
pub fn scan(text: &str, memories: &[Memory], k: usize, config: &LexicalConfig) -> TextHits {
    let mut plan = Plan::new(text, config);
    if plan.terms.is_empty() {
        return TextHits::default();
    }
    let texts: Vec<&str> = plan.terms.iter().map(|term| term.text.as_str()).collect();
    let (mut matches, collection) = count(&texts, memories, config);
    let misspelt = plan.misspelt(&matches, config);
    if !misspelt.is_empty() {
        let words = memories.iter().flat_map(words).filter(|word| plan.is_like(&misspelt, word));
        let like: BTreeSet<String> = words.collect();
        let texts: Vec<&str> = like.iter().map(String::as_str).collect();
        let (found, _) = count(&texts, memories, config);
        plan.correct(&misspelt, like.into_iter().zip(found).collect(), &mut matches, config);
    }
    let ids = |doc: u32| Ok::<_, Infallible>(memories[doc as usize].id.clone());
    match rank(&plan, &matches, &collection, config, k, ids) {
        Ok(hits) => hits,
        Err(never) => match never {},
    }
}

/// All words of a memory but the single characters.
fn words(memory: &Memory) -> Vec<String> {
    let tokens = document(memory).into_iter().take(CHARS).flat_map(|text| tokenize(&text, Mode::Document));
    tokens.filter(|token| token.kind != TokenKind::Char).map(|token| token.text).collect()
}

/// For each word the memories that hold it, with its weighted frequency.
fn count(words: &[&str], memories: &[Memory], config: &LexicalConfig) -> (Vec<Vec<(u32, f64)>>, Collection) {
    let wanted: HashMap<&str, usize> = words.iter().enumerate().map(|(at, word)| (*word, at)).collect();
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
    let mut matches = vec![Vec::new(); words.len()];
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
    (matches, collection)
}
