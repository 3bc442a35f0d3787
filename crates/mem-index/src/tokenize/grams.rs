//! Trigrams of letters within words: what a misspelt, inflected or joined word still shares with its relatives.

use super::{
    MAX_TOKEN_CHARS, MAX_TOKENS, Mode, Token, TokenKind, Unit,
    chars::{Class, fold_into, normalise},
    stop,
};

/// Stands before the first letter of a word.
const BEGINNING: char = '^';
/// Stands behind its last.
const END: char = '$';
/// Letters of one trigram.
const LENGTH: usize = 3;

/// The trigrams of a text's words, in order; of Chinese and Korean the single characters, of kana the pairs.
///
/// A word is a run of letters and digits of a script that separates words, folded like those of
/// [`tokenize`](super::tokenize()) but not stemmed; an apostrophe does not end it. Both ends of a word count as
/// letters. A question gives nothing of its function words, unless it has nothing else.
///
/// Measured on LoCoMo, SciFact, XQuAD and MemDaily beside the words' own channel: marks at both ends are better than
/// one or none, trigrams of words as they stand better than of stems, and single Han characters better than nothing
/// and than the pairs that are words already.
pub(crate) fn grams(text: &str, mode: Mode) -> Vec<Token> {
    let units = normalise(text);
    let mut out: Vec<Token> = Vec::with_capacity(units.len());
    let mut marked = String::new();
    let (mut position, mut at) = (0, 0);
    while let Some(unit) = units.get(at).filter(|_| out.len() < MAX_TOKENS) {
        let from = at;
        match unit.class {
            Class::Alnum => {
                at = word(&units, at, &mut marked);
                windows(&marked, units.get(from..at).unwrap_or_default(), position, &mut out);
            }
            Class::Cjk => {
                while units.get(at).is_some_and(|unit| unit.class == Class::Cjk) {
                    at += 1;
                }
                characters(units.get(from..at).unwrap_or_default(), position, mode, &mut out);
            }
            _ => {
                at += 1;
                continue;
            }
        }
        position += 1;
    }
    out.truncate(MAX_TOKENS);
    let strong = |token: &Token| token.kind != TokenKind::Weak;
    if mode == Mode::Query && out.iter().any(strong) {
        out.retain(strong);
    }
    out
}

/// Puts the word that begins at a unit into `marked`, folded, between its marks; answers where it ends.
fn word(units: &[Unit], from: usize, marked: &mut String) -> usize {
    marked.clear();
    marked.push(BEGINNING);
    let (mut at, mut length) = (from, 0);
    while let Some(unit) = units.get(at) {
        let joins = matches!(unit.ch, '\'' | '\u{2019}')
            && units.get(at + 1).is_some_and(|next| next.class == Class::Alnum);
        if !joins && !matches!(unit.class, Class::Alnum | Class::Mark) {
            break;
        }
        if !joins && length < MAX_TOKEN_CHARS {
            fold_into(unit.ch, marked);
            length += 1;
        }
        at += 1;
    }
    marked.push(END);
    at
}

fn windows(marked: &str, units: &[Unit], position: u32, out: &mut Vec<Token>) {
    let word = marked.get(BEGINNING.len_utf8()..marked.len() - END.len_utf8()).unwrap_or_default();
    let Some((start, end)) = units.first().zip(units.last()).map(|(first, last)| (first.start, last.end))
    else {
        return;
    };
    let kind = if stop::is_stop_word(word) { TokenKind::Weak } else { TokenKind::Gram };
    let mut ends = marked.char_indices().map(|(at, _)| at).skip(LENGTH).chain([marked.len()]);
    for (from, _) in marked.char_indices() {
        let Some(to) = ends.next() else { return };
        let text = marked.get(from..to).unwrap_or_default().to_owned();
        out.push(Token { text, kind, position, start, end });
    }
}

/// Each character of a run alone, but kana, which say as little as a letter does, by pairs.
fn characters(run: &[Unit], position: u32, mode: Mode, out: &mut Vec<Token>) {
    let is_kana = |unit: &Unit| matches!(unit.ch, '\u{3041}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}');
    let mut weak_until = 0;
    for (at, unit) in run.iter().enumerate() {
        let mut text = String::new();
        fold_into(unit.ch, &mut text);
        let mut end = unit.end;
        let next = run.get(at + 1);
        if is_kana(unit) {
            let Some(next) = next.filter(|next| is_kana(next)) else { continue };
            fold_into(next.ch, &mut text);
            end = next.end;
        } else if let Some(next) = next.filter(|_| mode == Mode::Query) {
            let mut pair = text.clone();
            fold_into(next.ch, &mut pair);
            if stop::is_function_pair(&pair) {
                weak_until = at + 2;
            }
        }
        let weak = at < weak_until || stop::is_weak_pair(&text);
        let kind = if weak { TokenKind::Weak } else { TokenKind::Gram };
        out.push(Token { text, kind, position, start: unit.start, end });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(text: &str, mode: Mode) -> Vec<String> {
        grams(text, mode).into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn words_give_trigrams_between_their_ends() {
        assert_eq!(texts("Port", Mode::Document), ["^po", "por", "ort", "rt$"]);
        assert_eq!(texts("a TS", Mode::Document), ["^a$", "^ts", "ts$"]);
        assert_eq!(texts("user's", Mode::Document), texts("users", Mode::Document));
        assert_eq!(texts("Crème", Mode::Document), texts("creme", Mode::Document));
        assert_eq!(texts("src/lib_a", Mode::Document), ["^sr", "src", "rc$", "^li", "lib", "ib$", "^a$"]);
        assert_eq!(texts("", Mode::Document), [""; 0]);
    }

    #[test]
    fn han_and_hangul_give_characters_and_kana_pairs() {
        assert_eq!(texts("提交 v2", Mode::Document), ["提", "交", "^v2", "v2$"]);
        assert_eq!(texts("커밋", Mode::Document), ["커", "밋"]);
        assert_eq!(texts("データ", Mode::Document), ["デー", "ータ"]);
        assert_eq!(texts("什么时候提交的", Mode::Query), ["提", "交"]);
        assert_eq!(texts("什么", Mode::Query), ["什", "么"]);
    }

    #[test]
    fn a_question_loses_function_words_unless_it_has_nothing_else() {
        assert_eq!(texts("what is the port", Mode::Query), texts("port", Mode::Document));
        assert_eq!(texts("is it", Mode::Query), ["^is", "is$", "^it", "it$"]);
    }

    proptest! {
        #[test]
        fn any_text_gives_valid_bounded_grams(text in "\\PC{0,80}|([a-zA-Z0-9_'改提ー가é ]){0,120}") {
            let document = texts(&text, Mode::Document);
            for token in grams(&text, Mode::Query) {
                prop_assert!(text.get(token.start..token.end).is_some_and(|text| !text.is_empty()));
                prop_assert!(document.contains(&token.text), "{token:?}");
            }
        }
    }
}
