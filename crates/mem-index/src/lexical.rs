//! BM25F over the fields of a memory: pure arithmetic that the Tantivy view and the plain scan share.
//!
//! A word's weighted, length-normalised frequencies over the fields are summed before saturation, so that a word in
//! name and body is not counted as two findings (S. Robertson, H. Zaragoza, M. Taylor, "Simple BM25 extension to
//! multiple weighted fields", CIKM 2004; k1 and b as in Robertson and Zaragoza 2009).
//!
//! Document frequencies, document count and average lengths are those of the memories that pass the question's
//! filter. What other projects hold neither shows in a score nor changes an order.

use crate::{
    related::{Alternative, can_be_misspelt, likeness, translations},
    tokenize::{Mode, TokenKind, is_generic, tokenize},
};
use mem_core::{Memory, MemoryId, Spread, TextHit, TextHits};
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
    /// Groups this word only stands for, with the share of them it is; none for a word of the question itself.
    covers: Vec<usize>,
    share: f64,
}

impl QueryTerm {
    fn alternative(Alternative { text, covers, share }: Alternative, weight: f64) -> Self {
        let group = covers.first().copied().unwrap_or_default();
        Self { text, weight: weight * share, group, kind: TokenKind::Word, covers, share }
    }
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
        let tokens = tokenize(&ends(text, config.max_query_bytes), Mode::Query);
        let others = if config.translated > 0.0 { translations(&tokens) } else { Vec::new() };
        for token in tokens {
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
                covers: Vec::new(),
                share: 1.0,
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
        let mut plan = Self { terms };
        for other in others {
            let known =
                |group: &usize| plan.terms.iter().any(|term| term.covers.is_empty() && term.group == *group);
            if other.covers.iter().all(known) && plan.terms.len() < max + MAX_ALTERNATIVES {
                plan.push(QueryTerm::alternative(other, config.translated));
            }
        }
        plan
    }

    /// Adds an alternative unless the word is there; of one that is, it stands for more. True when it is new.
    fn push(&mut self, term: QueryTerm) -> bool {
        let Some(same) = self.terms.iter_mut().find(|seen| seen.text == term.text) else {
            self.terms.push(term);
            return true;
        };
        if !same.covers.is_empty() {
            same.covers.extend(term.covers);
            same.covers.sort_unstable();
            same.covers.dedup();
        }
        false
    }

    /// Plain words of the question that nobody knows and that may be misspelt, by the memories that hold each term.
    pub(crate) fn misspelt(&self, matches: &[Vec<(u32, f64)>], config: &LexicalConfig) -> Vec<usize> {
        if config.approximate <= 0.0 {
            return Vec::new();
        }
        let known = |group: usize| {
            self.terms.iter().zip(matches).any(|(term, found)| {
                term.covers.is_empty() && term.group == group && !found.is_empty() && term.text.len() > 2
            })
        };
        let may = |term: &QueryTerm| {
            term.covers.is_empty()
                && matches!(term.kind, TokenKind::Word | TokenKind::Whole)
                && !is_generic(&term.text)
                && can_be_misspelt(&term.text)
                && !known(term.group)
        };
        let unknown = self.terms.iter().enumerate().filter(|(_, term)| may(term)).map(|(at, _)| at);
        unknown.take(MAX_MISSPELT).collect()
    }

    /// Adds what misspelt words may have meant to the plan and to the memories that hold each term.
    ///
    /// `held` are the words of the visible memories that are like one of `misspelt`, with those memories.
    pub(crate) fn correct(
        &mut self,
        misspelt: &[usize],
        held: Vec<(String, Vec<(u32, f64)>)>,
        matches: &mut Vec<Vec<(u32, f64)>>,
        config: &LexicalConfig,
    ) {
        let mut best: Vec<(usize, u8, usize, usize)> = Vec::new();
        for at in misspelt {
            let Some(word) = self.terms.get(*at) else { continue };
            let mut like: Vec<(usize, u8, usize, usize)> = held
                .iter()
                .enumerate()
                .filter(|(_, (_, found))| !found.is_empty())
                .filter_map(|(other, (text, _))| {
                    let grade = likeness(&word.text, text)?;
                    Some((word.group, grade, text.len().abs_diff(word.text.len()), other))
                })
                .collect();
            like.sort_by_key(|(_, grade, longer, other)| (*grade, *longer, *other));
            best.extend(like.into_iter().take(MAX_LIKE));
        }
        for (group, _, _, other) in best {
            let Some((text, found)) = held.get(other) else { continue };
            let alternative = Alternative { text: text.clone(), covers: vec![group], share: 1.0 };
            if self.push(QueryTerm::alternative(alternative, config.approximate)) {
                matches.push(found.clone());
            }
        }
    }

    /// Whether a word of the dictionary is like one of the misspelt.
    pub(crate) fn is_like(&self, misspelt: &[usize], word: &str) -> bool {
        let mut terms = misspelt.iter().filter_map(|at| self.terms.get(*at));
        terms.any(|term| likeness(&term.text, word).is_some())
    }
}

/// At most so many words of the other language take part in a question.
const MAX_ALTERNATIVES: usize = 64;
/// At most so many words of a question are looked up by their spelling.
const MAX_MISSPELT: usize = 8;
/// At most so many words stand for a misspelt one.
const MAX_LIKE: usize = 4;

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
) -> Result<TextHits, E> {
    let mut idfs: Vec<f64> =
        matches.iter().map(|found| idf(found.len() as u64, collection.documents)).collect();
    cap_alternatives(plan, &mut idfs);
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
    let found = scores.iter().filter(|score| **score > 0.0);
    let zeros = collection.documents.saturating_sub(found.clone().count() as u64);
    let words = Spread::of(found.copied(), zeros);
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
        hits.push(TextHit { id: id(doc)?, score, grams: 0.0, coverage, specificity });
    }
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
    hits.truncate(k);
    let terms =
        plan.terms.iter().zip(&idfs).map(|(term, idf)| (term.text.clone(), term.weight * idf)).collect();
    Ok(TextHits { hits, words, grams: Spread::default(), terms })
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

/// Whether a name tells by itself: it has a letter or is a number of four digits or more.
fn is_telling_name(text: &str) -> bool {
    text.chars().any(char::is_alphabetic) || text.chars().filter(|ch| ch.is_numeric()).count() >= 4
}

/// One word of the question by its terms.
#[derive(Default)]
struct Group {
    id: usize,
    mass: f64,
    /// How much more than `mass` the whole form says.
    named: f64,
    /// Forms that stand for all of it.
    wholes: Vec<usize>,
    /// Parts of an identifier, with their idf.
    parts: Vec<(usize, f64)>,
    /// Words that stand for it, with their share and their idf.
    alternatives: Vec<(usize, f64, f64)>,
}

/// What an alternative counts at most, against the word it stands for.
const HALF: f64 = 0.5;

/// How much each word of the question says; an identifier and its parts are one word.
struct Masses {
    groups: Vec<Group>,
    total: f64,
    unique: f64,
    /// For each term, whether a hit by it alone can tell anything.
    telling: Vec<bool>,
}

impl Masses {
    fn new(plan: &Plan, idfs: &[f64], config: &LexicalConfig, documents: u64) -> Self {
        let mut groups: Vec<Group> = Vec::new();
        let mut telling = Vec::with_capacity(idfs.len());
        // A word no memory holds says no more than one that a single memory holds; in a small store it would
        // otherwise outweigh everything that is known.
        let unique = idf(1, documents);
        let rare = idf(config.rare.max(1), documents);
        for (at, (term, idf)) in plan.terms.iter().zip(idfs).enumerate() {
            let generic = is_generic(&term.text);
            telling.push(!generic && term.kind != TokenKind::Weak);
            let prior = match term.kind {
                TokenKind::Weak => config.weak,
                TokenKind::Word | TokenKind::Gram if generic => config.generic,
                _ => 1.0,
            };
            if !term.covers.is_empty() {
                for group in groups.iter_mut().filter(|group| term.covers.contains(&group.id)) {
                    group.alternatives.push((at, term.share, prior * idf.min(unique)));
                }
                continue;
            }
            if groups.last().is_none_or(|last| last.id != term.group) {
                groups.push(Group { id: term.group, ..Group::default() });
            }
            let Some(Group { mass, named, wholes, parts, .. }) = groups.last_mut() else { continue };
            let plain = matches!(term.kind, TokenKind::Word | TokenKind::Gram);
            let known = if plain && *idf > unique { config.unknown } else { 1.0 };
            let idf = idf.min(unique);
            *mass = mass.max(prior * known * idf);
            if term.kind == TokenKind::Whole && is_telling_name(&term.text) {
                let counted = if idf >= rare { unique } else { idf };
                *named = config.named * counted / idf.max(f64::MIN_POSITIVE);
            } else {
                *named = named.max(1.0);
            }
            if term.kind == TokenKind::Part { parts.push((at, idf)) } else { wholes.push(at) }
        }
        let total = groups.iter().map(|group| group.mass).sum();
        Self { groups, total, unique, telling }
    }

    /// Coverage and specificity of a document that holds the terms for which `holds` is true.
    fn held(&self, holds: impl Fn(usize) -> bool) -> (f64, f64) {
        let (mut sum, mut extra, mut tells) = (0.0, 0.0, false);
        let telling = |term: usize| self.telling.get(term).copied().unwrap_or(false);
        for Group { mass, named, wholes, parts, alternatives, .. } in &self.groups {
            let terms = wholes.iter().chain(parts.iter().map(|(term, _)| term));
            tells |= terms
                .chain(alternatives.iter().map(|(term, ..)| term))
                .any(|term| telling(*term) && holds(*term));
            if wholes.iter().any(|term| holds(*term)) {
                sum += mass;
                extra += mass * (named - 1.0);
                continue;
            }
            let all: f64 = parts.iter().map(|(_, idf)| idf).sum();
            let found: f64 = parts.iter().filter(|(term, _)| holds(*term)).map(|(_, idf)| idf).sum();
            let own = if all > 0.0 { mass * found / all } else { 0.0 };
            let others = alternatives.iter().filter(|(term, ..)| holds(*term));
            let other: f64 = others.map(|(_, share, idf)| HALF * share * idf.min(*mass)).sum();
            sum += own.max(other.min(HALF * mass));
        }
        let coverage = if self.total > 0.0 { (sum / self.total).clamp(0.0, 1.0) } else { 0.0 };
        let specificity = if tells { (sum + extra) / self.unique.max(f64::MIN_POSITIVE) } else { 0.0 };
        (coverage, specificity)
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
        let config = LexicalConfig { translated: 0.0, ..LexicalConfig::default() };
        let plan = Plan::new("HTTPServer timeout", &config);
        assert_eq!(plan.terms.len(), 4);
        let masses = Masses::new(&plan, &[2.0, 1.0, 1.0, 2.0], &config, 100);
        assert_eq!(masses.held(|term| term == 0).0, 0.5);
        assert_eq!(masses.held(|term| term == 1 || term == 2).0, 0.5);
        assert_eq!(masses.held(|term| term == 1).0, 0.25);
        assert_eq!(masses.held(|_| true).0, 1.0);
    }

    fn found(question: &str, bodies: &[&str]) -> Vec<(String, TextHit)> {
        let memories: Vec<Memory> = bodies
            .iter()
            .map(|body| Memory::new(mem_core::Kind::Fact, *body, mem_core::Timestamp::UNIX_EPOCH))
            .collect();
        let body = |id: &MemoryId| memories.iter().find(|memory| memory.id == *id).map(|m| m.body.clone());
        crate::scan(question, &memories, 10, &LexicalConfig::default())
            .hits
            .into_iter()
            .map(|hit| (body(&hit.id).unwrap_or_default(), hit))
            .collect()
    }

    #[test]
    fn a_translation_finds_below_what_holds_the_word_itself() {
        let bodies = ["网关的端口是 7070", "the gateway listens on port 7071", "nothing of the kind"];
        let hits = found("端口", &bodies);
        let order: Vec<_> = hits.iter().map(|(body, _)| body.as_str()).collect();
        assert_eq!(order, bodies[..2]);
        assert!(hits[1].1.specificity <= hits[0].1.specificity / 2.0, "{hits:?}");
    }

    #[test]
    fn a_word_nobody_knows_finds_what_is_spelt_alike() {
        let hits = found("winow", &["parsers are written with winnow", "clippy is run first"]);
        assert_eq!(hits.len(), 1, "{hits:?}");
        assert!(hits[0].0.contains("winnow") && hits[0].1.specificity <= 0.5);
        assert!(found("window", &["windows", "winnow"]).iter().all(|(body, _)| body == "windows"));
    }

    #[test]
    fn words_of_every_order_alone_tell_nothing() {
        let hits = found("print the function", &["the function is printed", "redb stores it"]);
        assert!(hits[0].1.coverage > 0.5 && hits[0].1.specificity == 0.0, "{hits:?}");
        assert!(found("print redb", &["redb stores it", "another"])[0].1.specificity > 0.9);
    }
}
