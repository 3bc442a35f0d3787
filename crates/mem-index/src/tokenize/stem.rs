//! Light English stemming: Snowball's English stemmer, one for a thread.

use std::cell::RefCell;
use tantivy::tokenizer::{Language, RawTokenizer, Stemmer, TextAnalyzer, TokenStream as _};

/// Words below this length are their own stem.
const SHORTEST: usize = 4;

thread_local! {
    static ENGLISH: RefCell<TextAnalyzer> = RefCell::new(
        TextAnalyzer::builder(RawTokenizer::default()).filter(Stemmer::new(Language::English)).build(),
    );
}

/// Replaces a folded word of ASCII letters by its English stem; anything else stays.
pub(super) fn stem(word: &mut String) {
    if word.len() < SHORTEST || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return;
    }
    ENGLISH.with(|stemmer| {
        if let Ok(mut stemmer) = stemmer.try_borrow_mut() {
            let mut stream = stemmer.token_stream(word);
            let stemmed = if stream.advance() { stream.token().text.clone() } else { return };
            drop(stream);
            *word = stemmed;
        }
    });
}
