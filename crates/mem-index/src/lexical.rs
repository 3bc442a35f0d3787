//! BM25F over the fields of a memory: pure arithmetic that the Tantivy view and the plain scan share.
//!
//! A word's weighted, length-normalised frequencies over the fields are summed before saturation, so that a word in
//! name and body is not counted as two findings (S. Robertson, H. Zaragoza, M. Taylor, "Simple BM25 extension to
//! multiple weighted fields", CIKM 2004; k1 and b as in Robertson and Zaragoza 2009).
//!
//! Document frequencies, document count and average lengths are those of the memories that pass the question's
//! filter. What other projects hold neither shows in a score nor changes an order.

use crate::tokenize::{Mode, TokenKind, is_generic, tokenize};
use mem_core::{Memory, MemoryId, TextHit};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// How many fields a memory is indexed by.
pub(crate) const FIELDS: usize = 7;
/// Names of the fields, in the order of every array over them.
pub(crate) const FIELD_NAMES: [&str; FIELDS] =
    ["name", "description", "trigger", "body", "tags", "paths", "chars"];
/// The field that holds single CJK characters.
pub(crate) const CHARS: usize = 6;

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
    const fn array(&self) -> [f64; FIELDS] {
        [self.name, self.description, self.trigger, self.body, self.tags, self.paths, self.chars]
    }
}

/// The constants of the lexical channel.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LexicalConfig {
    /// Where further occurrences of a word stop to count.
    pub k1: f64,
    /// How far the length of a field is normalised, 0 to 1.
    pub b: f64,
    /// Weights of the fields.
    pub fields: FieldWeights,
    /// Weight of a part of an identifier or path in a question, against 1 for a word.
    pub part: f64,
    /// Weight of a function word in a question, where it stays at all.
    pub weak: f64,
    /// How much a word of every day's work ("fix", "test", 修改) tells of what a question is about, against 1 for
    /// another word. It counts for relevance only, not for the order of hits.
    pub generic: f64,
    /// The same for an identifier, a path or a code that is met whole.
    pub named: f64,
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
            part: 0.7,
            weak: 0.3,
            generic: 0.3,
            named: 2.2,
            max_query_terms: 256,
            max_query_bytes: 32_768,
        }
    }
}

/// The texts of a memory, field by field.
///
/// A name or description that only begins the body says nothing twice and is left out.
pub(crate) fn document(memory: &Memory) -> [String; FIELDS] {
    let opens_body = |text: &str| memory.body.contains(text.trim_end_matches('…').trim());
    let mut body = memory.body.clone();
    for more in [&memory.why, &memory.how, &memory.state].into_iter().flatten() {
        body.push('\n');
        body.push_str(more);
    }
    let mut paths = memory.path.clone().unwrap_or_default();
    for anchor in &memory.anchors {
        paths.push('\n');
        paths.push_str(&anchor.path);
    }
    let mut fields = [
        if opens_body(&memory.name) { String::new() } else { memory.name.clone() },
        if opens_body(&memory.description) { String::new() } else { memory.description.clone() },
        memory.trigger.clone().unwrap_or_default(),
        body,
        memory.tags.join("\n"),
        paths,
        String::new(),
    ];
    let all = fields.join("\n");
    if !all.is_ascii() {
        fields[CHARS] = all;
    }
    fields
}

/// A distinct word of a question.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct QueryTerm {
    pub(crate) text: String,
    weight: f64,
    group: usize,
    kind: TokenKind,
}

/// A question, taken apart.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Plan {
    pub(crate) terms: Vec<QueryTerm>,
}

/// The two ends of a text, together at most `max` bytes, cut between characters.
fn ends(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    let half = max / 2;
    let head = (0..=half).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let tail = (text.len() - half..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    format!("{}\n{}", &text[..head], &text[tail..])
}

impl Plan {
    pub(crate) fn new(text: &str, config: &LexicalConfig) -> Self {
        let mut seen: HashMap<String, (usize, u32)> = HashMap::new();
        let mut terms: Vec<QueryTerm> = Vec::new();
        for token in tokenize(&ends(text, config.max_query_bytes), Mode::Query) {
            if let Some((at, times)) = seen.get_mut(&token.text) {
                *times += 1;
                if let Some(term) = terms.get_mut(*at) {
                    term.kind = term.kind.min(token.kind);
                }
                continue;
            }
            seen.insert(token.text.clone(), (terms.len(), 1));
            terms.push(QueryTerm {
                text: token.text,
                weight: 1.0,
                group: token.position as usize,
                kind: token.kind,
            });
        }
        for term in &mut terms {
            let times = seen.get(&term.text).map_or(1, |(_, times)| *times);
            term.weight = (1.0 + f64::from(times).ln())
                * match term.kind {
                    TokenKind::Part => config.part,
                    TokenKind::Weak => config.weak,
                    _ => 1.0,
                };
        }
        let max = config.max_query_terms.max(1);
        if terms.len() > max {
            let tail = terms.split_off(terms.len() - max / 2);
            terms.truncate(max - max / 2);
            terms.extend(tail);
        }
        Self { terms }
    }
}

/// The memories that take part, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Collection {
    pub(crate) documents: u64,
    pub(crate) lengths: [u64; FIELDS],
}

/// Weighted frequency of one word in one document: the inner sum of BM25F.
pub(crate) struct Frequencies {
    weights: [f64; FIELDS],
    average: [f64; FIELDS],
    b: f64,
}

impl Frequencies {
    pub(crate) fn new(config: &LexicalConfig, collection: &Collection) -> Self {
        let documents = collection.documents.max(1) as f64;
        Self {
            weights: config.fields.array(),
            average: collection.lengths.map(|length| (length as f64 / documents).max(f64::MIN_POSITIVE)),
            b: config.b,
        }
    }

    pub(crate) fn of(&self, field: usize, frequency: u32, length: u32) -> f64 {
        let (Some(weight), Some(average)) = (self.weights.get(field), self.average.get(field)) else {
            return 0.0;
        };
        let b = if field == CHARS { 0.0 } else { self.b };
        weight * f64::from(frequency) / (1.0 - b + b * f64::from(length) / average).max(f64::EPSILON)
    }
}

/// Inverse document frequency as Lucene has it: above 0 whatever the frequency.
pub(crate) fn idf(frequency: u64, documents: u64) -> f64 {
    let (n, all) = (frequency as f64, documents.max(frequency) as f64);
    (1.0 + (all - n + 0.5) / (n + 0.5)).ln()
}

/// The best `k` of `documents` by BM25F, ties by id.
///
/// `matches` has for every term of the plan the documents that hold it, in rising order, with their weighted
/// frequency; `id` names a document.
pub(crate) fn rank<E>(
    plan: &Plan,
    matches: &[Vec<(u32, f64)>],
    collection: &Collection,
    config: &LexicalConfig,
    k: usize,
    mut id: impl FnMut(u32) -> Result<MemoryId, E>,
) -> Result<Vec<TextHit>, E> {
    let idfs: Vec<f64> = matches.iter().map(|found| idf(found.len() as u64, collection.documents)).collect();
    let size =
        matches.iter().filter_map(|found| found.last()).map(|(doc, _)| *doc as usize + 1).max().unwrap_or(0);
    let mut scores = vec![0f64; size];
    let k1 = config.k1.max(0.0);
    for ((term, found), idf) in plan.terms.iter().zip(matches).zip(&idfs) {
        for (doc, frequency) in found {
            if let Some(score) = scores.get_mut(*doc as usize) {
                *score += term.weight * idf * (k1 + 1.0) * frequency / (k1 + frequency);
            }
        }
    }
    let mut best: Vec<(u32, f64)> = scores
        .iter()
        .enumerate()
        .filter(|(_, score)| **score > 0.0)
        .map(|(doc, score)| (doc as u32, *score))
        .collect();
    best.sort_by(|a, b| b.1.total_cmp(&a.1));
    if let Some((_, last)) = k.checked_sub(1).and_then(|last| best.get(last)).copied() {
        best.truncate(best.partition_point(|(_, score)| *score >= last));
    }
    if k == 0 {
        best.clear();
    }
    let masses = Masses::new(plan, &idfs, config, collection.documents);
    let mut hits = Vec::with_capacity(best.len());
    for (doc, score) in best {
        let (coverage, specificity) = masses.held(|term| {
            matches.get(term).is_some_and(|found| found.binary_search_by_key(&doc, |(doc, _)| *doc).is_ok())
        });
        hits.push(TextHit { id: id(doc)?, score, coverage, specificity });
    }
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
    hits.truncate(k);
    Ok(hits)
}

/// One word of the question by its terms.
#[derive(Default)]
struct Group {
    mass: f64,
    /// How much more than `mass` the whole form says.
    named: f64,
    /// Forms that stand for all of it.
    wholes: Vec<usize>,
    /// Parts of an identifier, with their idf.
    parts: Vec<(usize, f64)>,
}

/// How much each word of the question says; an identifier and its parts are one word.
struct Masses {
    groups: Vec<Group>,
    total: f64,
    unique: f64,
}

impl Masses {
    fn new(plan: &Plan, idfs: &[f64], config: &LexicalConfig, documents: u64) -> Self {
        let mut groups: Vec<Group> = Vec::new();
        let mut last = None;
        // A word no memory holds says no more than one that a single memory holds; in a small store it would
        // otherwise outweigh everything that is known.
        let unique = idf(1, documents);
        for (at, (term, idf)) in plan.terms.iter().zip(idfs).enumerate() {
            let idf = &idf.min(unique);
            if last != Some(term.group) {
                groups.push(Group::default());
                last = Some(term.group);
            }
            let Some(Group { mass, named, wholes, parts }) = groups.last_mut() else { continue };
            let weight = match term.kind {
                TokenKind::Weak => config.weak,
                TokenKind::Word | TokenKind::Gram if is_generic(&term.text) => config.generic,
                _ => 1.0,
            };
            *mass = mass.max(weight * idf);
            *named = if term.kind == TokenKind::Whole { config.named } else { named.max(1.0) };
            if term.kind == TokenKind::Part { parts.push((at, *idf)) } else { wholes.push(at) }
        }
        let total = groups.iter().map(|group| group.mass).sum();
        Self { groups, total, unique }
    }

    /// Coverage and specificity of a document that holds the terms for which `holds` is true.
    fn held(&self, holds: impl Fn(usize) -> bool) -> (f64, f64) {
        let (mut sum, mut extra) = (0.0, 0.0);
        for Group { mass, named, wholes, parts } in &self.groups {
            if wholes.iter().any(|term| holds(*term)) {
                sum += mass;
                extra += mass * (named - 1.0);
            } else {
                let all: f64 = parts.iter().map(|(_, idf)| idf).sum();
                let found: f64 = parts.iter().filter(|(term, _)| holds(*term)).map(|(_, idf)| idf).sum();
                sum += if all > 0.0 { mass * found / all } else { 0.0 };
            }
        }
        let coverage = if self.total > 0.0 { (sum / self.total).clamp(0.0, 1.0) } else { 0.0 };
        (coverage, (sum + extra) / self.unique.max(f64::MIN_POSITIVE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idf_falls_and_stays_above_zero() {
        assert!((idf(1, 10) - (1.0f64 + 9.5 / 1.5).ln()).abs() < 1e-12);
        assert!(idf(0, 10) > idf(1, 10) && idf(1, 10) > idf(10, 10) && idf(10, 10) > 0.0);
    }

    #[test]
    fn long_questions_keep_both_ends() {
        let config = LexicalConfig { max_query_terms: 4, ..LexicalConfig::default() };
        let text = "alpha bravo charlie delta echo foxtrot";
        let terms: Vec<_> = Plan::new(text, &config).terms.into_iter().map(|term| term.text).collect();
        assert_eq!(terms, ["alpha", "bravo", "echo", "foxtrot"]);
        let config = LexicalConfig { max_query_bytes: 9, ..LexicalConfig::default() };
        let terms: Vec<_> =
            Plan::new("提交一二三四推送", &config).terms.into_iter().map(|term| term.text).collect();
        assert_eq!(terms, ["提", "送"]);
    }

    #[test]
    fn a_document_says_nothing_twice() {
        let memory =
            Memory::new(mem_core::Kind::Fact, "a statement of some length", mem_core::Timestamp::UNIX_EPOCH);
        let fields = document(&memory);
        assert_eq!(fields[3], "a statement of some length");
        assert!(fields[0].is_empty() && fields[1].is_empty() && fields[CHARS].is_empty());
    }

    #[test]
    fn an_identifier_and_its_parts_are_one_word() {
        let config = LexicalConfig::default();
        let plan = Plan::new("HTTPServer timeout", &config);
        assert_eq!(plan.terms.len(), 4);
        let masses = Masses::new(&plan, &[2.0, 1.0, 1.0, 2.0], &config, 100);
        assert_eq!(masses.held(|term| term == 0).0, 0.5);
        assert_eq!(masses.held(|term| term == 1 || term == 2).0, 0.5);
        assert_eq!(masses.held(|term| term == 1).0, 0.25);
        assert_eq!(masses.held(|_| true).0, 1.0);
    }
}
