//! How much of a question a memory answers: coverage and specificity.

use super::{config::LexicalConfig, plan::Plan, score::idf};
use crate::tokenize::{TokenKind, is_generic};

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
pub(super) struct Masses {
    groups: Vec<Group>,
    total: f64,
    unique: f64,
    /// For each term, whether a hit by it alone can tell anything.
    telling: Vec<bool>,
}

impl Masses {
    pub(super) fn new(plan: &Plan, idfs: &[f64], config: &LexicalConfig, documents: u64) -> Self {
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
    pub(super) fn held(&self, holds: impl Fn(usize) -> bool) -> (f64, f64) {
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
