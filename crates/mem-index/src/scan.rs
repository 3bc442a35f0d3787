//! The lexical search over memories in memory: the fallback, and the oracle of the Tantivy view.

use crate::{
    lexical::{
        CHARS, Collection, FIELDS, Found, Frequencies, GRAMS, GramScorer, LexicalConfig, Names, Plan,
        Postings, Scratch, document, rank,
    },
    tokenize::{Mode, Token, TokenKind, grams, tokenize},
};
use mem_core::{Memory, MemoryId, TextHits};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    convert::Infallible,
};
use tantivy::fieldnorm::FieldNormReader;

/// The best `k` of `memories` for the words of `text`, and the best `k` for their trigrams, by score, ties by id.
///
/// Gives the hits and scores that [`crate::TantivyIndex`] gives over the same memories. Every memory counts; apply
/// the filter before.
pub fn scan(text: &str, memories: &[Memory], k: usize, config: &LexicalConfig) -> TextHits {
    let mut plan = Plan::new(text, config);
    if plan.is_empty() || k == 0 {
        return TextHits::default();
    }
    let read = Read::new(memories);
    let frequencies = Frequencies::new(config, &read.collection);
    let holding = |words: &[&str]| read.holding(words, &frequencies);
    let texts: Vec<&str> = plan.terms.iter().map(|term| term.text.as_str()).collect();
    let mut found = Found { size: memories.len(), words: holding(&texts), grams: Postings::default() };
    let misspelt = plan.misspelt(&found.words, config);
    if !misspelt.is_empty() {
        let like: BTreeSet<&str> = read.words().filter(|word| plan.is_like(&misspelt, word)).collect();
        let texts: Vec<&str> = like.into_iter().collect();
        let held = texts.iter().map(|text| (*text).to_owned()).zip(holding(&texts)).collect();
        plan.correct(&misspelt, held, &mut found.words, config);
    }
    read.gram_lists(&plan, &GramScorer::new(&config.grams, &read.collection), &mut found.grams);
    match rank(&plan, &found, &read.collection, config, k, &mut Scratch::default(), &Listed(memories)) {
        Ok(hits) => hits,
        Err(never) => match never {},
    }
}

/// Memories in a list are documents by their place in it.
struct Listed<'a>(&'a [Memory]);

impl Names for Listed<'_> {
    type Error = Infallible;

    fn id(&self, doc: u32) -> Result<MemoryId, Infallible> {
        Ok(self.0[doc as usize].id.clone())
    }

    fn place(&self, doc: u32) -> Result<(usize, u64), Infallible> {
        // Each is a group by itself: nothing is known but the name.
        Ok((doc as usize, 0))
    }
}

/// Memories, tokenised.
struct Read {
    /// By memory and field.
    tokens: Vec<[Vec<Token>; FIELDS]>,
    /// Lengths as Tantivy keeps them, in one byte; the same rounding gives the same scores.
    norms: Vec<[u8; FIELDS]>,
    collection: Collection,
}

impl Read {
    fn new(memories: &[Memory]) -> Self {
        let mut read = Self { tokens: Vec::new(), norms: Vec::new(), collection: Collection::default() };
        read.collection.documents = memories.len() as u64;
        for memory in memories {
            let texts = document(memory);
            let tokens: [Vec<Token>; FIELDS] = std::array::from_fn(|field| {
                let Some(text) = texts.get(field) else { return Vec::new() };
                if field == GRAMS {
                    return grams(text, Mode::Document);
                }
                let mut tokens = tokenize(text, Mode::Document);
                tokens.retain(|token| (token.kind == TokenKind::Char) == (field == CHARS));
                tokens
            });
            let norms = std::array::from_fn(|field| {
                let length = tokens.get(field).map_or(0, Vec::len);
                FieldNormReader::fieldnorm_to_id(u32::try_from(length).unwrap_or(u32::MAX))
            });
            for (sum, norm) in read.collection.lengths.iter_mut().zip(norms) {
                *sum += u64::from(FieldNormReader::id_to_fieldnorm(norm));
            }
            read.tokens.push(tokens);
            read.norms.push(norms);
        }
        read
    }

    /// All words but the single characters.
    fn words(&self) -> impl Iterator<Item = &str> {
        let fields = self.tokens.iter().flat_map(|fields| fields.iter().take(CHARS));
        fields.flatten().map(|token| token.text.as_str())
    }

    /// For each wanted token how often every memory's field that is wanted holds it.
    fn count<'a>(
        &'a self,
        wanted: impl Iterator<Item = &'a str>,
        fields: std::ops::Range<usize>,
    ) -> Vec<BTreeMap<u32, [u32; FIELDS]>> {
        let wanted: HashMap<&str, usize> = wanted.enumerate().map(|(at, word)| (word, at)).collect();
        let mut counts = vec![BTreeMap::<u32, [u32; FIELDS]>::new(); wanted.len()];
        for (doc, tokens) in (0u32..).zip(&self.tokens) {
            for (field, tokens) in tokens.iter().enumerate().filter(|(field, _)| fields.contains(field)) {
                for token in tokens {
                    let count = wanted.get(token.text.as_str()).and_then(|at| counts.get_mut(*at));
                    if let Some(count) = count {
                        count.entry(doc).or_default()[field] += 1;
                    }
                }
            }
        }
        counts
    }

    /// For each word the memories that hold it, with its weighted frequency.
    fn holding(&self, words: &[&str], frequencies: &Frequencies) -> Vec<Vec<(u32, f64)>> {
        let of = |(doc, counts): (u32, [u32; FIELDS])| {
            let norms = self.norms.get(doc as usize).copied().unwrap_or_default();
            let fields = counts.iter().zip(norms).enumerate().filter(|(_, (count, _))| **count > 0);
            (doc, fields.map(|(field, (count, norm))| frequencies.of(field, *count, norm)).sum())
        };
        let counts = self.count(words.iter().copied(), 0..GRAMS);
        counts.into_iter().map(|found| found.into_iter().map(of).collect()).collect()
    }

    fn gram_lists(&self, plan: &Plan, scorer: &GramScorer, out: &mut Postings) {
        let counts = self.count(plan.grams.iter().map(|(gram, _)| gram.as_str()), GRAMS..FIELDS);
        for found in counts {
            for (doc, counts) in found {
                let norm = self.norms.get(doc as usize).map_or(0, |norms| norms[GRAMS]);
                out.list().push((doc, scorer.value(counts[GRAMS], norm)));
            }
            out.end();
        }
    }
}
