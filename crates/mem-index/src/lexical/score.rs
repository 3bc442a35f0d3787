//! Scores of the memories that hold a question's words or trigrams, and the best of them.

use super::{
    config::LexicalConfig,
    document::{CHARS, FIELDS},
    grams::Postings,
    masses::Masses,
    plan::Plan,
    select::{Best, Score, best, spread},
};
use crate::tokenize::TokenKind;
use mem_core::{MemoryId, TextHit, TextHits};
use std::collections::BTreeMap;
use tantivy::fieldnorm::FieldNormReader;

/// The memories that take part, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Collection {
    pub(crate) documents: u64,
    pub(crate) lengths: [u64; FIELDS],
}

impl Collection {
    /// The mean length of a field, above 0.
    pub(super) fn average(&self, field: usize) -> f64 {
        let length = self.lengths.get(field).copied().unwrap_or(0);
        (length as f64 / self.documents.max(1) as f64).max(f64::MIN_POSITIVE)
    }
}

/// For each length of a field, as Tantivy keeps it in one byte, what a frequency is multiplied with.
pub(super) fn lengths(b: f64, average: f64) -> impl Iterator<Item = f64> {
    let of = move |length: u32| 1.0 / (1.0 - b + b * f64::from(length) / average).max(f64::EPSILON);
    (0..=u8::MAX).map(move |norm| of(FieldNormReader::id_to_fieldnorm(norm)))
}

/// Weighted frequency of one word in one document: the inner sum of BM25F.
#[derive(Debug, Clone)]
pub(crate) struct Frequencies {
    fields: Vec<Vec<f64>>,
}

impl Frequencies {
    pub(crate) fn new(config: &LexicalConfig, collection: &Collection) -> Self {
        let weights = config.fields.array();
        let field = |(at, weight): (usize, f64)| {
            let b = if at == CHARS { 0.0 } else { config.b };
            lengths(b, collection.average(at)).map(|factor| weight * factor).collect()
        };
        Self { fields: weights.into_iter().enumerate().map(field).collect() }
    }

    /// What one field adds. `norm` is its length as Tantivy keeps it.
    pub(crate) fn of(&self, field: usize, frequency: u32, norm: u8) -> f64 {
        let factor = self.fields.get(field).and_then(|factors| factors.get(usize::from(norm)));
        f64::from(frequency) * factor.copied().unwrap_or(0.0)
    }
}

/// Inverse document frequency as Lucene has it: above 0 whatever the frequency.
pub(crate) fn idf(frequency: u64, documents: u64) -> f64 {
    let (n, all) = (frequency as f64, documents.max(frequency) as f64);
    (1.0 + (all - n + 0.5) / (n + 0.5)).ln()
}

/// Which documents hold what a question asks for.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Documents are numbered below this.
    pub(crate) size: usize,
    /// For every term of the plan the documents that hold it, in rising order, with their weighted frequency.
    pub(crate) words: Vec<Vec<(u32, f64)>>,
    /// For every trigram of the plan the documents that hold it, with what it counts there.
    pub(crate) grams: Postings,
}

/// Names of documents.
pub(crate) trait Names {
    type Error;

    /// What a document is called.
    fn id(&self, doc: u32) -> Result<MemoryId, Self::Error>;

    /// A place in a group of documents such that within one group the names rise with the places. Cheaper than names.
    fn place(&self, doc: u32) -> Result<(usize, u64), Self::Error>;
}

/// Scores of every document: memory that is used again.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    words: Vec<f64>,
    grams: Vec<f32>,
}

/// The best `k` by words and the best `k` by trigrams, ties by id.
pub(crate) fn rank<N: Names>(
    plan: &Plan,
    found: &Found,
    collection: &Collection,
    config: &LexicalConfig,
    k: usize,
    scratch: &mut Scratch,
    names: &N,
) -> Result<TextHits, N::Error> {
    let documents = collection.documents;
    let mut idfs: Vec<f64> = found.words.iter().map(|found| idf(found.len() as u64, documents)).collect();
    cap_alternatives(plan, &mut idfs);
    let Scratch { words, grams } = scratch;
    score_words(plan, found, &idfs, config, words);
    score_grams(plan, found, documents, config, grams);

    let mut picked: BTreeMap<u32, MemoryId> = BTreeMap::new();
    pick(words, k, names, &mut picked)?;
    pick(grams, k, names, &mut picked)?;
    let masses = Masses::new(plan, &idfs, config, documents);
    let hit = |(doc, id): (u32, MemoryId)| {
        let (coverage, specificity) = masses.held(|term| {
            let found = found.words.get(term);
            found.is_some_and(|found| found.binary_search_by_key(&doc, |(doc, _)| *doc).is_ok())
        });
        let score = words.get(doc as usize).copied().unwrap_or(0.0);
        let grams = grams.get(doc as usize).copied().map_or(0.0, f64::from);
        TextHit { id, score, grams, coverage, specificity }
    };
    let mut hits: Vec<TextHit> = picked.into_iter().map(hit).collect();
    hits.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then_with(|| b.grams.total_cmp(&a.grams)).then_with(|| a.id.cmp(&b.id))
    });
    let terms = plan.terms.iter().zip(&idfs);
    Ok(TextHits {
        hits,
        words: spread(words, documents),
        grams: spread(grams, documents),
        terms: terms.map(|(term, idf)| (term.text.clone(), term.weight * idf)).collect(),
    })
}

fn score_words(plan: &Plan, found: &Found, idfs: &[f64], config: &LexicalConfig, scores: &mut Vec<f64>) {
    scores.clear();
    scores.resize(found.size, 0.0);
    let k1 = config.k1.max(0.0);
    for ((term, found), idf) in plan.terms.iter().zip(&found.words).zip(idfs) {
        let most = term.weight * idf * (k1 + 1.0);
        for (doc, frequency) in found {
            if let Some(score) = scores.get_mut(*doc as usize) {
                *score += most * frequency / (k1 + frequency);
            }
        }
    }
}

fn score_grams(plan: &Plan, found: &Found, documents: u64, config: &LexicalConfig, scores: &mut Vec<f32>) {
    scores.clear();
    scores.resize(found.size, 0.0);
    for ((_, weight), list) in plan.grams.iter().zip(found.grams.lists()) {
        let frequency = list.len() as u64;
        if config.grams.is_common(frequency, documents) {
            continue;
        }
        let weight = (weight * idf(frequency, documents)) as f32;
        for (doc, value) in list {
            if let Some(score) = scores.get_mut(*doc as usize) {
                *score += weight * value;
            }
        }
    }
}

/// Adds the best `k` by one score to those already picked.
fn pick<T: Score, N: Names>(
    scores: &[T],
    k: usize,
    names: &N,
    picked: &mut BTreeMap<u32, MemoryId>,
) -> Result<(), N::Error> {
    let Best { sure, tied } = best(scores, k);
    let missing = k.saturating_sub(sure.len());
    for doc in sure {
        if let std::collections::btree_map::Entry::Vacant(free) = picked.entry(doc) {
            free.insert(names.id(doc)?);
        }
    }
    // Of many equal ones only those that are first in their group need to be called by name.
    let mut groups: BTreeMap<usize, Vec<(u64, u32)>> = BTreeMap::new();
    for doc in tied {
        let (group, place) = names.place(doc)?;
        groups.entry(group).or_default().push((place, doc));
    }
    let mut first = Vec::new();
    for mut group in groups.into_values() {
        if group.len() > missing && missing > 0 {
            group.select_nth_unstable(missing - 1);
        }
        for (_, doc) in group.into_iter().take(missing) {
            first.push((names.id(doc)?, doc));
        }
    }
    first.sort();
    picked.extend(first.into_iter().take(missing).map(|(id, doc)| (doc, id)));
    Ok(())
}

/// A word that only stands for another weighs no more than that one does: it is never above a direct match.
fn cap_alternatives(plan: &Plan, idfs: &mut [f64]) {
    for (at, term) in plan.terms.iter().enumerate().filter(|(_, term)| !term.covers.is_empty()) {
        let direct = plan.terms.iter().zip(idfs.iter()).filter(|(other, _)| {
            other.covers.is_empty() && other.kind != TokenKind::Part && term.covers.contains(&other.group)
        });
        let least = direct.map(|(_, idf)| *idf).fold(f64::INFINITY, f64::min);
        if let Some(idf) = idfs.get_mut(at) {
            *idf = idf.min(least);
        }
    }
}
