//! Hits that say what a better hit says already: pure.

use crate::tokenize::{Mode, TokenKind, tokenize};
use mem_core::{Dropped, Hit, LinkKind, Memory, MemoryId};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Words whose presence in one text only makes it another statement.
const NEGATIONS: &[&str] =
    &["no", "not", "never", "dont", "without", "cannot", "cant", "nie", "nicht", "kein", "pas"];
const NEGATING: &[char] = &['不', '没', '勿', '别', '非', '无', '未'];

/// When two hits say the same.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CollapseConfig {
    /// Jaccard similarity of the sets of words from which two texts are one.
    pub jaccard: f64,
    /// Texts of fewer words must be equal word for word.
    pub min_words: usize,
}

impl Default for CollapseConfig {
    fn default() -> Self {
        Self { jaccard: 0.85, min_words: 4 }
    }
}

/// Keeps of hits (best first) the first `limit` that are not superseded by another one and repeat no better one.
///
/// Texts that differ by a number or a negation are never the same.
pub fn collapse(hits: Vec<Hit>, limit: usize, config: &CollapseConfig) -> (Vec<Hit>, Vec<Dropped>) {
    let mut replaced: BTreeMap<MemoryId, MemoryId> = BTreeMap::new();
    let present: BTreeSet<MemoryId> = hits.iter().map(|hit| hit.memory.id.clone()).collect();
    for hit in &hits {
        for link in
            hit.memory.links.iter().filter(|link| link.to != hit.memory.id && present.contains(&link.to))
        {
            match link.kind {
                LinkKind::Supersedes => replaced.insert(link.to.clone(), hit.memory.id.clone()),
                LinkKind::SupersededBy => replaced.insert(hit.memory.id.clone(), link.to.clone()),
                _ => None,
            };
        }
    }
    let mut kept: Vec<(Hit, BTreeSet<String>)> = Vec::with_capacity(hits.len().min(limit));
    let mut dropped = Vec::new();
    for hit in hits {
        if kept.len() >= limit {
            break;
        }
        let id = hit.memory.id.clone();
        // Two that claim to replace each other both stay.
        if let Some(by) = replaced.get(&id).filter(|by| replaced.get(*by) != Some(&id)) {
            dropped.push(Dropped { id, reason: format!("superseded by {by}") });
            continue;
        }
        let words = words(&hit.memory);
        match kept.iter().find(|(_, better)| same(better, &words, config)) {
            Some((better, _)) => {
                dropped.push(Dropped { id, reason: format!("says the same as {}", better.memory.id) });
            }
            None => kept.push((hit, words)),
        }
    }
    (kept.into_iter().map(|(hit, _)| hit).collect(), dropped)
}

fn words(memory: &Memory) -> BTreeSet<String> {
    tokenize(&memory.body, Mode::Document)
        .into_iter()
        .filter(|token| {
            matches!(token.kind, TokenKind::Word | TokenKind::Whole | TokenKind::Gram | TokenKind::Weak)
        })
        .map(|token| token.text)
        .collect()
}

fn same(a: &BTreeSet<String>, b: &BTreeSet<String>, config: &CollapseConfig) -> bool {
    let (fewer, more) = (a.len().min(b.len()), a.len().max(b.len()));
    if (fewer as f64) < more as f64 * config.jaccard.min(1.0) {
        return false;
    }
    let shared = a.intersection(b).count();
    let all = a.len() + b.len() - shared;
    if all == 0 {
        return false;
    }
    if a.len().min(b.len()) < config.min_words {
        return shared == all;
    }
    shared as f64 / all as f64 >= config.jaccard && !a.symmetric_difference(b).any(|word| matters(word))
}

fn matters(word: &str) -> bool {
    NEGATIONS.contains(&word) || word.chars().any(|ch| ch.is_numeric() || NEGATING.contains(&ch))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mem_core::{Factors, Kind, Link, Timestamp};

    fn hit(body: &str, second: i64) -> Hit {
        let memory = Memory::new(Kind::Fact, body, Timestamp::from_second(second).unwrap());
        Hit { memory, score: 1.0, channels: BTreeMap::new(), factors: Factors::default(), marks: Vec::new() }
    }

    fn kept(bodies: &[&str]) -> Vec<String> {
        let hits = bodies.iter().enumerate().map(|(at, body)| hit(body, at as i64)).collect();
        collapse(hits, usize::MAX, &CollapseConfig::default())
            .0
            .into_iter()
            .map(|hit| hit.memory.body)
            .collect()
    }

    #[test]
    fn the_same_said_twice_is_said_once() {
        let one = "Deploys go through the release pipeline, and the tag starts it";
        assert_eq!(kept(&[one, "deploys go through the release pipeline and the tag starts it."]), [one]);
        assert_eq!(kept(&["改完代码不主动提交，等用户确认", "改完代码不主动提交,等用户确认。"]).len(), 1);
    }

    #[test]
    fn no_more_than_asked_for_are_looked_at() {
        let hits = (0..9).map(|n| hit(&format!("statement {n}"), n)).collect();
        let (kept, dropped) = collapse(hits, 2, &CollapseConfig::default());
        assert_eq!((kept.len(), dropped.len()), (2, 0));
    }

    #[test]
    fn numbers_and_negations_make_another_statement() {
        let port = "the service listens for requests of the web client over the internal network on port";
        assert_eq!(kept(&[&format!("{port} 3000"), &format!("{port} 8080")]).len(), 2);
        let rule = "commit at the end of every change in this repository after running all of the tests";
        assert_eq!(kept(&[&format!("do {rule}"), &format!("do not {rule}")]).len(), 2);
        assert_eq!(kept(&["use tabs", "use spaces"]).len(), 2);
    }

    #[test]
    fn the_newer_statement_stands_for_the_older() {
        let (mut old, mut new) = (hit("Redis is the cache", 1), hit("Valkey is the cache now", 2));
        old.memory.links = vec![Link { kind: LinkKind::SupersededBy, to: new.memory.id.clone() }];
        new.memory.links = vec![Link { kind: LinkKind::Supersedes, to: old.memory.id.clone() }];
        let (old_id, new_id) = (old.memory.id.clone(), new.memory.id.clone());
        let (kept, dropped) = collapse(vec![old, new], 9, &CollapseConfig::default());
        assert_eq!(kept[0].memory.id, new_id);
        assert_eq!(dropped, [Dropped { id: old_id, reason: format!("superseded by {new_id}") }]);
    }
}
