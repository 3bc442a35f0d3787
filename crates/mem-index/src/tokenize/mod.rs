//! One tokenizer for prose in any language and for what programmers write into it.
//!
//! - Characters are brought to NFKC, lower case and, in Latin and Greek script, to letters without accents, on both
//!   sides: `Café` and `cafe` are one word. The unaccented form alone is kept.
//! - Han, kana and hangul become overlapping pairs; documents also give each character alone ([`TokenKind::Char`]),
//!   so that a question of one character finds. Thai, Lao, Khmer and Myanmar become pairs of clusters.
//! - An identifier (`HTTPServer`, `text_index`, `no-verify`, `utf8`) gives itself joined, so that all its spellings
//!   meet, and its parts. Paths, dotted names, URLs, addresses give themselves, their last two and all single parts;
//!   versions give their shorter forms, hashes their first seven digits. All of these share one position.
//! - Plain words and parts are stemmed (Snowball English) on both sides; whole identifiers are not. The stem alone is
//!   kept: on SciFact, LoCoMo and CoSQA it beats word and stem together, and those beat the word alone.
//! - Function words stay in documents and leave questions, unless a question has nothing else.
//!
//! Output is bounded: [`MAX_TOKENS`] tokens of at most [`MAX_TOKEN_CHARS`] characters.

mod adapter;
mod chars;
mod compound;
mod generic;
mod grams;
mod stem;
mod stop;

pub(crate) use adapter::GramTokenizer;
pub use adapter::MemTokenizer;

use chars::{Class, Unit, fold_into, normalise};
pub(crate) use generic::is_generic;
pub(crate) use grams::grams;
use std::fmt;

/// Changes whenever the same text may give other tokens; part of an index's stamp.
pub const TOKENIZER_VERSION: u32 = 3;
/// At most so many tokens of one text; the rest is not searchable.
pub const MAX_TOKENS: usize = 100_000;
/// Longer tokens are cut.
pub const MAX_TOKEN_CHARS: usize = 64;

/// Which side of a search a text is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Something to be found: every token.
    Document,
    /// A question: no function words unless there is nothing else, no single characters of longer CJK runs.
    Query,
}

/// What a token is of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TokenKind {
    /// A plain word, stemmed.
    Word,
    /// A whole identifier, path, address, version or hash.
    Whole,
    /// A part of one.
    Part,
    /// A pair of characters, or a run of just one.
    Gram,
    /// One character of a longer run.
    Char,
    /// A function word, or a pair that is or holds one.
    Weak,
}

/// One unit of search.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    /// As it is compared: folded, perhaps stemmed.
    pub text: String,
    /// What it is.
    pub kind: TokenKind,
    /// Words are counted from 0; the parts of one share its number.
    pub position: u32,
    /// The first byte in the text it was found in.
    pub start: usize,
    /// The byte behind its last; both lie on character boundaries.
    pub end: usize,
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}({:?})@{}[{}..{}]", self.kind, self.text, self.position, self.start, self.end)
    }
}

/// Cuts a text into tokens, in the order of their positions.
///
/// ```
/// use mem_index::{Mode, tokenize};
/// let texts = |text| tokenize(text, Mode::Document).into_iter().map(|token| token.text).collect::<Vec<_>>();
/// assert_eq!(texts("HTTPServer listens"), ["httpserver", "http", "server", "listen"]);
/// assert_eq!(texts("提交"), ["提交", "提", "交"]);
/// ```
pub fn tokenize(text: &str, mode: Mode) -> Vec<Token> {
    let units = normalise(text);
    let mut out = Sink { tokens: Vec::with_capacity(units.len() / 4 + 4), position: 0, full: false };
    let mut at = 0;
    while let Some(unit) = units.get(at).filter(|_| !out.full) {
        let end = match unit.class {
            Class::Alnum | Class::Connector | Class::Mark => {
                let end =
                    run(&units, at, |class| matches!(class, Class::Alnum | Class::Connector | Class::Mark));
                compound::split(&units[at..end], &mut out);
                end
            }
            Class::Cjk => {
                let end = run(&units, at, |class| class == Class::Cjk);
                pairs(&units[at..end], &clusters(&units[at..end]), mode, &mut out);
                end
            }
            Class::Unspaced => {
                let end = run(&units, at, |class| matches!(class, Class::Unspaced | Class::Mark));
                pairs(&units[at..end], &clusters(&units[at..end]), mode, &mut out);
                end
            }
            Class::Emoji => {
                out.push(&units[at..=at], TokenKind::Word, false);
                out.position += 1;
                at + 1
            }
            Class::Other => at + 1,
        };
        at = end;
    }
    let mut tokens = out.tokens;
    if mode == Mode::Query {
        weaken_crossings(&mut tokens);
        let strong = |token: &Token| token.kind != TokenKind::Weak;
        if tokens.iter().any(strong) {
            tokens.retain(|token| strong(token) || !token.text.is_ascii());
        }
    }
    tokens
}

/// Pairs that lie half in a function word cross a word's border and say nothing: `在可` and `以提` of 现在可以提交.
fn weaken_crossings(tokens: &mut [Token]) {
    for at in 0..tokens.len() {
        let Some((start, end)) =
            tokens.get(at).filter(|t| stop::is_function_pair(&t.text)).map(|t| (t.start, t.end))
        else {
            continue;
        };
        let (before, behind) = tokens.split_at_mut(at);
        let crosses =
            |token: &&mut Token| token.kind == TokenKind::Gram && token.start < end && start < token.end;
        let near = before.iter_mut().rev().take(NEIGHBOURS).chain(behind.iter_mut().skip(1).take(NEIGHBOURS));
        near.filter(crosses).for_each(|token| token.kind = TokenKind::Weak);
    }
}

/// Tokens on either side that can share a character with a pair: the pairs and the single characters beside it.
const NEIGHBOURS: usize = 4;

/// Where the run of characters that `belongs` ends.
fn run(units: &[Unit], from: usize, belongs: impl Fn(Class) -> bool) -> usize {
    units[from..].iter().position(|unit| !belongs(unit.class)).map_or(units.len(), |length| from + length)
}

/// Index ranges of base characters with their marks.
fn clusters(units: &[Unit]) -> Vec<(usize, usize)> {
    let mut clusters: Vec<(usize, usize)> = Vec::with_capacity(units.len());
    for (at, unit) in units.iter().enumerate() {
        match clusters.last_mut() {
            Some(last) if unit.class == Class::Mark => last.1 = at + 1,
            _ => clusters.push((at, at + 1)),
        }
    }
    clusters
}

fn pairs(units: &[Unit], clusters: &[(usize, usize)], mode: Mode, out: &mut Sink) {
    let single = clusters.len() == 1;
    for (at, (from, to)) in clusters.iter().copied().enumerate() {
        let next = clusters.get(at + 1);
        if let Some((_, end)) = next {
            out.push(&units[from..*end], TokenKind::Gram, false);
        } else if single {
            out.push(&units[from..to], TokenKind::Gram, false);
        }
        if !single && mode == Mode::Document {
            out.push(&units[from..to], TokenKind::Char, false);
        }
        out.position += 1;
    }
}

/// Where tokens go.
struct Sink {
    tokens: Vec<Token>,
    position: u32,
    full: bool,
}

impl Sink {
    /// Adds one token of these characters, folded and cut; nothing when nothing is left of them.
    fn push(&mut self, units: &[Unit], kind: TokenKind, stemmed: bool) {
        let mut text = String::with_capacity(units.len());
        for unit in units.iter().take(MAX_TOKEN_CHARS) {
            fold_into(unit.ch, &mut text);
        }
        let span = units.first().zip(units.last()).map(|(first, last)| (first.start, last.end));
        self.push_text(text, kind, span, stemmed);
    }

    fn push_text(
        &mut self,
        mut text: String,
        mut kind: TokenKind,
        span: Option<(usize, usize)>,
        stemmed: bool,
    ) {
        if self.tokens.len() >= MAX_TOKENS {
            self.full = true;
            return;
        }
        if let Some((cut, _)) = text.char_indices().nth(MAX_TOKEN_CHARS) {
            text.truncate(cut);
        }
        let Some((start, end)) = span.filter(|_| !text.is_empty()) else { return };
        match kind {
            TokenKind::Word if stop::is_stop_word(&text) => kind = TokenKind::Weak,
            TokenKind::Gram if stop::is_weak_pair(&text) => kind = TokenKind::Weak,
            _ => {}
        }
        if stemmed && kind != TokenKind::Weak {
            stem::stem(&mut text);
        }
        self.tokens.push(Token { text, kind, position: self.position, start, end });
    }
}

#[cfg(test)]
mod tests;
