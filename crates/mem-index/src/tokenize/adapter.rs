//! The tokenizer as Tantivy wants it.

use super::{Mode, Token, TokenKind, grams, tokenize};
use tantivy::tokenizer::{Token as TantivyToken, TokenStream, Tokenizer};

/// [`tokenize`](super::tokenize()) of documents for a Tantivy field.
///
/// Single characters of longer runs go to a field of their own, so that they do not lengthen the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemTokenizer {
    /// Gives [`TokenKind::Char`] only; otherwise all the others.
    pub chars: bool,
}

impl Tokenizer for MemTokenizer {
    type TokenStream<'a> = MemTokenStream;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> MemTokenStream {
        let mut tokens = tokenize(text, Mode::Document);
        let chars = self.chars;
        tokens.retain(|token| (token.kind == TokenKind::Char) == chars);
        MemTokenStream { tokens: tokens.into_iter(), current: TantivyToken::default() }
    }
}

/// Trigrams of documents for a Tantivy field.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GramTokenizer;

impl Tokenizer for GramTokenizer {
    type TokenStream<'a> = MemTokenStream;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> MemTokenStream {
        let tokens = grams(text, Mode::Document).into_iter();
        MemTokenStream { tokens, current: TantivyToken::default() }
    }
}

/// Tokens of one text.
pub struct MemTokenStream {
    tokens: std::vec::IntoIter<Token>,
    current: TantivyToken,
}

impl TokenStream for MemTokenStream {
    fn advance(&mut self) -> bool {
        let Some(token) = self.tokens.next() else { return false };
        self.current = TantivyToken {
            offset_from: token.start,
            offset_to: token.end,
            position: token.position as usize,
            text: token.text,
            position_length: 1,
        };
        true
    }

    fn token(&self) -> &TantivyToken {
        &self.current
    }

    fn token_mut(&mut self) -> &mut TantivyToken {
        &mut self.current
    }
}
