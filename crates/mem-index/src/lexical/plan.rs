//! A question taken apart: its words with their weights, what may stand for them, and their trigrams.

use super::config::LexicalConfig;
use crate::{
    related::{Alternative, can_be_misspelt, likeness, translations},
    tokenize::{Mode, TokenKind, grams, is_generic, tokenize},
};
use std::collections::HashMap;

/// A distinct word of a question.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct QueryTerm {
    pub(crate) text: String,
    pub(super) weight: f64,
    pub(super) group: usize,
    pub(super) kind: TokenKind,
    /// Groups this word only stands for, with the share of them it is; none for a word of the question itself.
    pub(super) covers: Vec<usize>,
    pub(super) share: f64,
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
    /// Its distinct trigrams with their weights.
    pub(crate) grams: Vec<(String, f64)>,
}

/// At most `max` of a list: both of its ends.
fn keep_ends<T>(list: &mut Vec<T>, max: usize) {
    if list.len() > max {
        let tail = list.split_off(list.len() - max / 2);
        list.truncate(max - max / 2);
        list.extend(tail);
    }
}

/// The distinct trigrams of a question. One that occurs again weighs more, as a word does.
fn query_grams(text: &str, config: &LexicalConfig) -> Vec<(String, f64)> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut found: Vec<(String, u32)> = Vec::new();
    for gram in grams(text, Mode::Query) {
        match seen.get(&gram.text).and_then(|at| found.get_mut(*at)) {
            Some((_, times)) => *times += 1,
            None => {
                seen.insert(gram.text.clone(), found.len());
                found.push((gram.text, 1));
            }
        }
    }
    keep_ends(&mut found, config.grams.max_query_grams);
    found.into_iter().map(|(text, times)| (text, 1.0 + f64::from(times).ln())).collect()
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
    /// Whether it asks for nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.grams.is_empty()
    }

    pub(crate) fn new(text: &str, config: &LexicalConfig) -> Self {
        let mut seen: HashMap<String, (usize, u32)> = HashMap::new();
        let mut terms: Vec<QueryTerm> = Vec::new();
        let text = ends(text, config.max_query_bytes);
        let tokens = tokenize(&text, Mode::Query);
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
        keep_ends(&mut terms, max);
        let mut plan = Self { terms, grams: query_grams(&text, config) };
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
