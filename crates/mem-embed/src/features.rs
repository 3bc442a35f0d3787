//! Words, parts of identifiers, character n-grams and CJK pairs of a text, as hashes with weights.

use std::borrow::Cow;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// Words and runs beyond so many characters are cut.
const MAX_WORD: usize = 40;
/// Words and pairs beyond so many do not count.
const MAX_UNITS: usize = 20_000;

/// Function words of English, sorted; folded.
const FUNCTION_WORDS: &[&str] = &[
    "a", "about", "after", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "because",
    "been", "but", "by", "can", "could", "did", "do", "does", "for", "from", "had", "has", "have", "he",
    "her", "his", "how", "i", "if", "in", "into", "is", "it", "its", "just", "me", "my", "no", "not", "of",
    "on", "or", "our", "she", "should", "so", "some", "such", "than", "that", "the", "their", "them", "then",
    "there", "these", "they", "this", "to", "us", "was", "we", "were", "what", "when", "where", "which",
    "who", "why", "will", "with", "would", "you", "your",
];

/// Characters that mostly connect or ask in Chinese and Japanese.
const FUNCTION_CHARS: &[char] = &[
    '的', '了', '吗', '呢', '吧', '啊', '么', '是', '在', '和', '与', '或', '及', '也', '就', '都', '这',
    '那', '个', '之', 'は', 'が', 'を', 'に', 'で', 'と', 'の', 'も', 'へ', 'す', 'る', 'た',
];

/// How much each sort of feature counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Weights {
    pub(crate) word: f32,
    pub(crate) part: f32,
    /// For all n-grams of a word together, in length: each gets this over the root of their number.
    pub(crate) grams: f32,
    pub(crate) pair: f32,
    pub(crate) char: f32,
    /// Factor on function words.
    pub(crate) function: f32,
}

/// FNV-1a, 64 bit (draft-eastlake-fnv), closed by the finaliser of MurmurHash3 so that every bit depends on every byte.
fn hash(seed: u64, bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325 ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for byte in bytes {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 33)
}

const WORD: u64 = 1;
const GRAM: u64 = 2;
const PAIR: u64 = 3;
const CHAR: u64 = 4;

fn is_cjk(ch: char) -> bool {
    matches!(ch, '\u{2E80}'..='\u{2FDF}' | '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{30FA}' | '\u{30FC}'..='\u{318F}'
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{A960}'..='\u{A97F}' | '\u{AC00}'..='\u{D7FF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{1100}'..='\u{11FF}' | '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}'
        | '\u{1780}'..='\u{17FF}' | '\u{20000}'..='\u{3FFFF}')
}

/// Appends every feature of a text as `(hash, weight)`, repeated ones repeatedly.
pub(crate) fn extract(text: &str, weights: &Weights, out: &mut Vec<(u64, f32)>) {
    let text: Cow<'_, str> = match is_nfkc_quick(text.chars()) {
        IsNormalized::Yes => Cow::Borrowed(text),
        _ => Cow::Owned(text.nfkc().collect()),
    };
    let mut word: Vec<char> = Vec::with_capacity(MAX_WORD);
    let mut pairs = Pairs { last: None, alone: false };
    let mut scratch = Scratch::default();
    let mut units = 0;
    for ch in text.chars() {
        if units >= MAX_UNITS {
            break;
        }
        if is_cjk(ch) {
            units += usize::from(!word.is_empty()) + 1;
            scratch.word(&mut word, weights, out);
            pairs.push(ch, weights, out);
            continue;
        }
        pairs.end(weights, out);
        if ch.is_alphanumeric() || ch == '_' {
            if word.len() < MAX_WORD {
                word.push(ch);
            }
        } else if !word.is_empty() && !is_mark(ch) {
            units += 1;
            scratch.word(&mut word, weights, out);
        }
    }
    scratch.word(&mut word, weights, out);
    pairs.end(weights, out);
}

fn is_mark(ch: char) -> bool {
    ch == '\'' || ch == '\u{2019}' || unicode_normalization::char::is_combining_mark(ch)
}

/// Overlapping pairs and single characters of one run.
struct Pairs {
    last: Option<char>,
    alone: bool,
}

impl Pairs {
    fn push(&mut self, ch: char, weights: &Weights, out: &mut Vec<(u64, f32)>) {
        let mut bytes = [0u8; 8];
        let weight = |chars: &[char]| {
            if chars.iter().any(|ch| FUNCTION_CHARS.contains(ch)) { weights.function } else { 1.0 }
        };
        let single = ch.encode_utf8(&mut bytes).len();
        out.push((hash(CHAR, &bytes[..single]), weights.char * weight(&[ch])));
        if let Some(last) = self.last {
            let first = last.encode_utf8(&mut bytes).len();
            let second = ch.encode_utf8(&mut bytes[first..]).len();
            out.push((hash(PAIR, &bytes[..first + second]), weights.pair * weight(&[last, ch])));
        }
        self.alone = self.last.is_none();
        self.last = Some(ch);
    }

    /// A run of just one character counts as much as a pair.
    fn end(&mut self, weights: &Weights, out: &mut Vec<(u64, f32)>) {
        if let Some(ch) = self.last.take()
            && self.alone
        {
            let mut bytes = [0u8; 4];
            out.push((hash(PAIR, ch.encode_utf8(&mut bytes).as_bytes()), weights.pair));
        }
    }
}

#[derive(Default)]
struct Scratch {
    folded: String,
    bounds: Vec<usize>,
}

impl Scratch {
    /// One run of letters, digits and `_`: a word, or an identifier with its parts.
    fn word(&mut self, word: &mut Vec<char>, weights: &Weights, out: &mut Vec<(u64, f32)>) {
        if word.is_empty() {
            return;
        }
        let mut parts = 0;
        let mut from = 0;
        for at in 1..=word.len() {
            let ends = at == word.len() || word[at] == '_' || is_hump(word, at);
            if ends {
                let part: &[char] = &word[from..at];
                let part = part.strip_prefix(&['_']).unwrap_or(part);
                if !part.is_empty() && part.len() < word.len() {
                    parts += 1;
                    self.fold(part);
                    self.features(weights.part, weights, out);
                }
                from = at;
            }
        }
        self.fold(word);
        if parts > 1 {
            out.push((hash(WORD, self.folded.as_bytes()), weights.word));
        } else {
            self.features(weights.word, weights, out);
        }
        word.clear();
    }

    /// Lower case, no accents, no `_`; `bounds` has where each character begins, and the end.
    fn fold(&mut self, chars: &[char]) {
        self.folded.clear();
        for ch in chars.iter().filter(|ch| **ch != '_') {
            if ch.is_ascii() {
                self.folded.push(ch.to_ascii_lowercase());
                continue;
            }
            for lower in ch.to_lowercase() {
                let mut base = None;
                unicode_normalization::char::decompose_canonical(lower, |part| base = base.or(Some(part)));
                self.folded.push(base.unwrap_or(lower));
            }
        }
    }

    fn features(&mut self, whole: f32, weights: &Weights, out: &mut Vec<(u64, f32)>) {
        let text = self.folded.as_str();
        if text.is_empty() {
            return;
        }
        if FUNCTION_WORDS.binary_search(&text).is_ok() {
            out.push((hash(WORD, text.as_bytes()), whole * weights.function));
            return;
        }
        out.push((hash(WORD, text.as_bytes()), whole));
        let bounded = format!("<{text}>");
        self.bounds.clear();
        self.bounds.extend(bounded.char_indices().map(|(at, _)| at));
        self.bounds.push(bounded.len());
        let count: usize = (3..=5).map(|n: usize| self.bounds.len().saturating_sub(n)).sum();
        if count == 0 {
            return;
        }
        let weight = weights.grams * whole / (count as f32).sqrt();
        for n in 3..=5 {
            for ends in self.bounds.windows(n + 1) {
                if let [from, .., to] = ends {
                    out.push((hash(GRAM, &bounded.as_bytes()[*from..*to]), weight));
                }
            }
        }
    }
}

/// Whether a new part of an identifier begins: `aB`, the last capital of `ABc`, and between letters and digits.
fn is_hump(word: &[char], at: usize) -> bool {
    let (before, here) = (word[at - 1], word[at]);
    (here.is_uppercase() && before.is_lowercase())
        || (here.is_uppercase()
            && before.is_uppercase()
            && word.get(at + 1).is_some_and(|next| next.is_lowercase()))
        || (here.is_numeric() != before.is_numeric() && before != '_' && at > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted() {
        assert!(FUNCTION_WORDS.is_sorted());
    }

    #[test]
    fn hashes_are_fixed() {
        // Vectors are stored: another hash needs another version of the model.
        assert_eq!(hash(WORD, b"commit"), hash(WORD, b"commit"));
        assert_ne!(hash(WORD, b"commit"), hash(GRAM, b"commit"));
        assert_eq!(hash(0, b""), 0xefd0_1f60_ba99_2926);
    }
}
