//! Long texts cut into passages, and the passages scored by a question's words: pure.
//!
//! Of a long memory the score of the whole says little about where the answer is, and whether it is in one place.
//! BM25 over its passages, with the weights the question's words have in the whole collection, says both.

use crate::tokenize::{Mode, tokenize};
use serde::{Deserialize, Serialize};
use std::{collections::HashMap, ops::Range};

/// How texts are cut: for scoring their parts, and for a model that takes only so much.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CutConfig {
    /// Characters of one passage at most; at least 16.
    pub chars: usize,
    /// About so many characters at the end of one passage begin the next one; at most half a passage.
    pub overlap: usize,
}

impl Default for CutConfig {
    fn default() -> Self {
        Self { chars: 500, overlap: 100 }
    }
}

/// How passages are scored.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PassageConfig {
    /// How they are cut.
    pub cut: CutConfig,
    /// Where further occurrences of a word stop to count.
    pub k1: f64,
    /// How far the length of a passage is normalised, 0 to 1.
    pub b: f64,
}

impl Default for PassageConfig {
    fn default() -> Self {
        Self { cut: CutConfig::default(), k1: 1.2, b: 0.75 }
    }
}

/// Ends of sentences that need no space behind them.
const ENDS: &[char] = &['\n', '。', '！', '？', '；', '।'];
/// Ends of sentences that do: `node.js` is none.
const SPACED_ENDS: &[char] = &['.', '!', '?', ';'];

/// Where the last sentence that ends in `window` ends; `behind` is the rest of the text.
fn sentence_end(window: &str, behind: &str) -> Option<usize> {
    let is_end = |at: usize, ch: char| {
        ENDS.contains(&ch)
            || (SPACED_ENDS.contains(&ch) && {
                let next = window.get(at + ch.len_utf8()..).and_then(|rest| rest.chars().next());
                next.or_else(|| behind.chars().next()).is_none_or(char::is_whitespace)
            })
    };
    let mut chars = window.char_indices().rev();
    chars.find(|(at, ch)| is_end(*at, *ch)).map(|(at, ch)| at + ch.len_utf8())
}

fn word_end(window: &str) -> Option<usize> {
    let mut chars = window.char_indices().rev();
    chars.find(|(_, ch)| ch.is_whitespace()).map(|(at, ch)| at + ch.len_utf8())
}

/// The places of a text's passages, in order. They overlap; together they hold all of it but space.
fn cut(text: &str, config: &CutConfig) -> Vec<Range<usize>> {
    let chars = config.chars.max(16);
    let overlap = config.overlap.min(chars / 2);
    let mut places: Vec<Range<usize>> = Vec::new();
    let mut from = 0;
    loop {
        let rest = text.get(from..).unwrap_or_default();
        let Some((limit, _)) = rest.char_indices().nth(chars) else {
            if !rest.trim().is_empty() || places.is_empty() {
                places.push(from..text.len());
            }
            return places;
        };
        let (window, behind) = rest.split_at(limit);
        // Each passage reaches farther than the one before it.
        let least = places.last().map_or(0, |last| last.end.saturating_sub(from)).max(limit / 2);
        let length = sentence_end(window, behind)
            .filter(|end| *end > least)
            .or_else(|| word_end(window).filter(|end| *end > least))
            .unwrap_or(limit);
        if !rest.get(..length).unwrap_or_default().trim().is_empty() {
            places.push(from..from + length);
        }
        from += length - repeated(rest.get(..length).unwrap_or_default(), overlap);
    }
}

/// How many bytes at the end of a passage begin the next one: at most half of it, from a sentence or a word on.
fn repeated(passage: &str, overlap: usize) -> usize {
    let Some(at) = overlap.checked_sub(1).and_then(|back| passage.char_indices().rev().nth(back)) else {
        return 0;
    };
    let from = at.0.max(passage.len() / 2);
    let from = (from..passage.len()).find(|at| passage.is_char_boundary(*at)).unwrap_or(passage.len());
    let tail = passage.get(from..).unwrap_or_default();
    let sentence = tail.char_indices().find(|(_, ch)| ENDS.contains(ch) || SPACED_ENDS.contains(ch));
    let word = || tail.char_indices().find(|(_, ch)| ch.is_whitespace());
    let skipped = match sentence.map(|(at, ch)| at + ch.len_utf8()) {
        Some(skipped) if skipped < tail.len() => skipped,
        _ => word().map_or(0, |(at, ch)| at + ch.len_utf8()),
    };
    tail.len() - skipped
}

/// A text's passages, each at most as long as `config` says, cut after a sentence, a line or a word where there is one.
///
/// At least one. They overlap.
///
/// ```
/// use mem_index::{CutConfig, passages};
/// let config = CutConfig { chars: 30, overlap: 0 };
/// assert_eq!(passages("One sentence here. Another one there.", &config), ["One sentence here.", "Another one there."]);
/// ```
pub fn passages<'a>(text: &'a str, config: &CutConfig) -> Vec<&'a str> {
    cut(text, config).into_iter().map(|place| text.get(place).unwrap_or_default().trim()).collect()
}

/// What the passages of one text score.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PassageScores {
    /// The best passage's.
    pub best: f64,
    /// The mean of the three best, or of as many as there are.
    pub top: f64,
    /// Bytes of the best passage, the first of equals.
    pub place: Range<usize>,
    /// How many passages there are.
    pub count: usize,
}

/// So many passages make [`PassageScores::top`].
const TOP: usize = 3;

/// Scores passages by BM25 with given weights of words.
///
/// A passage's length is compared with that of a full one of the same text. Reads about 5 kB in 0.1 ms: what cannot
/// hold a word of the question is passed over without being tokenised.
///
/// ```
/// use mem_index::{PassageConfig, PassageScorer};
/// let terms = [("port".to_owned(), 2.0)];
/// let scorer = PassageScorer::new(&terms, &PassageConfig::default());
/// assert!(scorer.score("Ports are assigned by the registry").best > 0.0);
/// assert_eq!(scorer.score("Nothing of the kind").best, 0.0);
/// ```
#[derive(Debug, Clone)]
pub struct PassageScorer<'a> {
    config: PassageConfig,
    weights: Vec<f64>,
    terms: HashMap<&'a str, usize>,
    /// A bit for each pair of letters that begins a term.
    beginnings: Vec<u64>,
    /// A bit for the last six bits of each first character of a term that is not ASCII.
    others: u64,
}

/// A letter as beginnings are compared: a stem may end in `i` for `y`.
fn key(byte: u8) -> u8 {
    match byte.to_ascii_lowercase() {
        b'y' => b'i',
        other => other,
    }
}

impl<'a> PassageScorer<'a> {
    /// For the words of one question: [`mem_core::TextHits::terms`].
    pub fn new(terms: &'a [(String, f64)], config: &PassageConfig) -> Self {
        let mut scorer = Self {
            config: *config,
            weights: terms.iter().map(|(_, weight)| *weight).collect(),
            terms: terms.iter().enumerate().map(|(at, (text, _))| (text.as_str(), at)).collect(),
            beginnings: vec![0; 256 * 256 / 64],
            others: 0,
        };
        for (text, _) in terms {
            match text.as_bytes() {
                [first, ..] if !first.is_ascii() => {
                    scorer.others |= text.chars().next().map_or(0, |ch| 1 << (ch as u32 % 64));
                }
                [first] => (0..=u8::MAX).for_each(|second| scorer.begins(*first, second)),
                [first, second, ..] => scorer.begins(*first, *second),
                [] => {}
            }
        }
        scorer
    }

    fn begins(&mut self, first: u8, second: u8) {
        let at = usize::from(key(first)) << 8 | usize::from(key(second));
        if let Some(word) = self.beginnings.get_mut(at / 64) {
            *word |= 1 << (at % 64);
        }
    }

    /// Whether a term may begin somewhere in a run of ASCII letters, digits and what joins them.
    fn may_hold(&self, run: &[u8]) -> bool {
        let class = |byte: u8| match byte {
            b'a'..=b'z' => 1,
            b'A'..=b'Z' => 2,
            b'0'..=b'9' => 3,
            _ => 0,
        };
        let mut before = 0;
        run.iter().enumerate().any(|(at, byte)| {
            let own = class(*byte);
            let next = run.get(at + 1).copied().unwrap_or(0);
            // After a small letter or a joint, or where an acronym ends; never within a plain word.
            let starts =
                own != 0 && (before != own || (own == 2 && class(next) == 1)) && !(before == 2 && own == 1);
            before = own;
            // A joint between two words of one name is not in its joined form.
            let second = if class(next) == 0 { run.get(at + 2).copied().unwrap_or(0) } else { next };
            starts && (self.is_beginning(*byte, next) || self.is_beginning(*byte, second))
        })
    }

    fn is_beginning(&self, first: u8, second: u8) -> bool {
        let at = usize::from(key(first)) << 8 | usize::from(key(second));
        self.beginnings.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    /// Where a text's words begin, and where which terms are, in order.
    fn read(&self, text: &str) -> (Vec<usize>, Vec<(usize, usize)>) {
        let (mut words, mut found) = (Vec::with_capacity(text.len() / 4), Vec::new());
        let mut at = 0;
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let ascii = rest.bytes().position(|byte| !is_joined(byte)).unwrap_or(rest.len());
            let plain = rest.as_bytes().get(ascii).is_none_or(u8::is_ascii);
            let end = if plain { ascii } else { rest.find(is_separator).unwrap_or(rest.len()) };
            if end == 0 {
                at += rest.chars().next().map_or(1, char::len_utf8);
                continue;
            }
            if plain {
                words.push(at);
                if rest.as_bytes().get(..end).is_some_and(|run| self.may_hold(run)) {
                    self.tokens(text, at..at + end, &mut found);
                }
            } else {
                self.other(text, at..at + end, &mut words, &mut found);
            }
            at += end;
        }
        (words, found)
    }

    /// A run that is not all ASCII: Han, kana and hangul are compared by pairs, the rest is tokenised.
    fn other(&self, text: &str, run: Range<usize>, words: &mut Vec<usize>, found: &mut Vec<(usize, usize)>) {
        let piece = text.get(run.clone()).unwrap_or_default();
        if !piece.chars().all(|ch| is_plain_cjk(ch) || is_plain_letter(ch)) {
            return self.whole(text, run, words, found);
        }
        let mut at = run.start;
        while let Some(rest) = text.get(at..run.end).filter(|rest| !rest.is_empty()) {
            let cjk = rest.find(|ch| !is_plain_cjk(ch)).unwrap_or(rest.len());
            if cjk > 0 {
                self.pairs(rest.get(..cjk).unwrap_or_default(), at, words, found);
                at += cjk;
                continue;
            }
            let end = rest.find(is_plain_cjk).unwrap_or(rest.len());
            self.whole(text, at..at + end, words, found);
            at += end;
        }
    }

    fn pairs(&self, run: &str, base: usize, words: &mut Vec<usize>, found: &mut Vec<(usize, usize)>) {
        let mut chars = run.char_indices().peekable();
        while let Some((at, ch)) = chars.next() {
            words.push(base + at);
            if self.others >> (ch as u32 % 64) & 1 == 0 {
                continue;
            }
            let pair = chars.peek().map(|(at, next)| at + next.len_utf8());
            for end in [Some(at + ch.len_utf8()), pair].into_iter().flatten() {
                if let Some(term) = run.get(at..end).and_then(|text| self.terms.get(text)) {
                    found.push((*term, base + at));
                }
            }
        }
    }

    /// A run as the tokenizer takes it.
    fn whole(&self, text: &str, run: Range<usize>, words: &mut Vec<usize>, found: &mut Vec<(usize, usize)>) {
        let mut last = None;
        for token in tokenize(text.get(run.clone()).unwrap_or_default(), Mode::Document) {
            if last.replace(token.position) != Some(token.position) {
                words.push(run.start + token.start);
            }
            if let Some(term) = self.terms.get(token.text.as_str()) {
                found.push((*term, run.start + token.start));
            }
        }
    }

    fn tokens(&self, text: &str, run: Range<usize>, found: &mut Vec<(usize, usize)>) {
        let piece = text.get(run.clone()).unwrap_or_default();
        for token in tokenize(piece, Mode::Document) {
            if let Some(term) = self.terms.get(token.text.as_str()) {
                found.push((*term, run.start + token.start));
            }
        }
    }

    /// The scores of a text's passages.
    pub fn score(&self, text: &str) -> PassageScores {
        let places = cut(text, &self.config.cut);
        let (words, mut found) = self.read(text);
        found.sort_unstable_by_key(|(_, at)| *at);
        let chars: usize = text.chars().count().max(1);
        let full = (words.len() as f64 * self.config.cut.chars.max(16) as f64 / chars as f64).max(1.0);
        let k1 = self.config.k1.max(0.0);
        let mut out = PassageScores { count: places.len(), ..PassageScores::default() };
        let mut best = [0f64; TOP];
        let mut counts = vec![0u32; self.weights.len()];
        for place in places {
            let length =
                words.partition_point(|at| *at < place.end) - words.partition_point(|at| *at < place.start);
            let norm = (1.0 - self.config.b + self.config.b * length as f64 / full).max(f64::EPSILON);
            let from = found.partition_point(|(_, at)| *at < place.start);
            let inside = found.iter().skip(from).take_while(|(_, at)| *at < place.end);
            counts.fill(0);
            inside.for_each(|(term, _)| {
                if let Some(count) = counts.get_mut(*term) {
                    *count += 1;
                }
            });
            let term = |(count, weight): (&u32, &f64)| {
                let frequency = f64::from(*count) / norm;
                weight * (k1 + 1.0) * frequency / (k1 + frequency).max(f64::MIN_POSITIVE)
            };
            let score: f64 =
                counts.iter().zip(&self.weights).filter(|(count, _)| **count > 0).map(term).sum();
            if score > out.best || out.place.is_empty() {
                out.place = place;
            }
            out.best = out.best.max(score);
            // The least of the best makes room.
            if let Some(least) = best.iter_mut().min_by(|a, b| a.total_cmp(b)).filter(|least| score > **least)
            {
                *least = score;
            }
        }
        out.top = best.iter().sum::<f64>() / out.count.clamp(1, TOP) as f64;
        out
    }
}

/// Whether an ASCII character is part of a word or joins words to a name or path.
fn is_joined(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'\\' | b':' | b'@' | b'\'' | b'#' | b'+' | b'~' | b'$')
}

/// What stands between words in any script.
fn is_separator(ch: char) -> bool {
    match ch {
        '\0'..='\x7F' => !is_joined(ch as u8),
        '\u{2012}'..='\u{2018}' | '\u{201A}'..='\u{2027}' | '\u{2030}'..='\u{205E}' => true,
        '\u{A0}' | '\u{AB}' | '\u{B7}' | '\u{BB}' => true,
        '\u{3000}'..='\u{3003}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301F}' => true,
        '\u{FF01}'..='\u{FF0F}' | '\u{FF1A}'..='\u{FF20}' | '\u{FF3B}'..='\u{FF40}' => true,
        _ => false,
    }
}

/// Characters that the tokenizer pairs as they are.
fn is_plain_cjk(ch: char) -> bool {
    matches!(ch, '\u{4E00}'..='\u{9FFF}' | '\u{3400}'..='\u{4DBF}' | '\u{3041}'..='\u{3096}'
        | '\u{30A1}'..='\u{30FA}' | '\u{30FC}' | '\u{AC00}'..='\u{D7A3}')
}

/// Letters, digits and joints that never become one with a character of [`is_plain_cjk`].
fn is_plain_letter(ch: char) -> bool {
    if ch.is_ascii() { is_joined(ch as u8) } else { ch < '\u{E00}' && ch.is_alphanumeric() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn terms(words: &[&str]) -> Vec<(String, f64)> {
        words.iter().map(|word| ((*word).to_owned(), 1.0)).collect()
    }

    #[test]
    fn passages_end_with_sentences_and_overlap() {
        let text =
            "The first sentence stands here. The second one follows. A third one ends it. v1.2 is a number.";
        let config = CutConfig { chars: 60, overlap: 25 };
        let cut = passages(text, &config);
        assert_eq!(cut[0], "The first sentence stands here. The second one follows.");
        assert!(cut[1].starts_with("The second one follows.") || cut[1].starts_with("second one"), "{cut:?}");
        assert!(cut.last().unwrap().ends_with("v1.2 is a number."), "{cut:?}");
        assert_eq!(passages("", &config), [""]);
        assert_eq!(passages("短", &config), ["短"]);
    }

    #[test]
    fn the_passage_that_answers_is_found() {
        let filler = "Something else is told in this sentence of no account. ".repeat(30);
        let text = format!("{filler}The registry assigns every port.\n{filler}");
        let terms = terms(&["port", "registri"]);
        let scores = PassageScorer::new(&terms, &PassageConfig::default()).score(&text);
        assert!(scores.count > 5 && scores.best > 1.5, "{scores:?}");
        assert!(text[scores.place.clone()].contains("assigns every port"));
        assert!(scores.top < scores.best);
        let all = PassageScorer::new(&terms, &PassageConfig::default()).score("ports of the registry");
        assert_eq!((all.count, all.top), (1, all.best));
        let none = PassageScorer::new(&[], &PassageConfig::default()).score(&text);
        assert_eq!((none.best, none.top), (0.0, 0.0));
    }

    #[test]
    fn a_short_passage_counts_more_than_a_long_one_with_as_much() {
        let terms = terms(&["port"]);
        let scorer = PassageScorer::new(&terms, &PassageConfig::default());
        let long = format!("the port {}", "and more words ".repeat(25));
        assert!(scorer.score("the port").best > scorer.score(&long).best);
    }

    proptest! {
        #[test]
        fn reading_finds_what_the_tokenizer_gives(
            text in "([a-zA-Z]{0,6}|[a-z]{1,4}_[a-z]{1,4}|[a-z]{1,3}[A-Z][a-z]{1,3}|v?[0-9]\\.[0-9]|[提交代码，。]{0,4}|《提交》|提…交|v2提|é|don't|[a-z]/[a-z]{2}\\.rs|HTTPServer|データ|getURLs|dying|TS2345|[ \\n.:@#+-]){0,14}",
        ) {
            let tokens = tokenize(&text, Mode::Document);
            let mut expected: BTreeMap<&str, usize> = BTreeMap::new();
            for token in &tokens {
                *expected.entry(&token.text).or_default() += 1;
            }
            let terms: Vec<(String, f64)> = expected.keys().map(|text| ((*text).to_owned(), 1.0)).collect();
            for (at, (term, _)) in terms.iter().enumerate() {
                let alone = &terms[at..=at];
                let (_, found) = PassageScorer::new(alone, &PassageConfig::default()).read(&text);
                prop_assert_eq!(found.len(), expected[term.as_str()], "{} in {:?}", term, text);
            }
        }

        #[test]
        fn passages_fit_and_lose_nothing(text in "[a-z改。. \\n]{0,300}", chars in 0usize..60, overlap in 0usize..60) {
            let config = CutConfig { chars, overlap };
            let places = cut(&text, &config);
            prop_assert!(!places.is_empty());
            let mut covered = 0;
            for place in &places {
                prop_assert!(text[place.clone()].chars().count() <= chars.max(16));
                prop_assert!(text.get(covered.min(place.start)..place.start).unwrap().trim().is_empty() || place.start <= covered);
                covered = covered.max(place.end);
            }
            prop_assert!(text[covered..].trim().is_empty());
            prop_assert!(places.is_sorted_by(|a, b| a.start < b.start && a.end < b.end));
        }
    }
}
