//! From text to normalised characters that know where they came from, and the classes the tokenizer cuts by.

use unicode_normalization::{
    UnicodeNormalization,
    char::{canonical_combining_class, decompose_canonical, is_combining_mark},
};

/// Marks on one base character beyond this many are dropped.
const MAX_CLUSTER: usize = 16;

/// One character after NFKC, with the bytes of the text it stands for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unit {
    pub(super) ch: char,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) class: Class,
}

/// What a character is to the tokenizer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// A letter or digit of a script that separates words.
    Alnum,
    /// A mark on the letter before it.
    Mark,
    /// Han, kana, hangul, bopomofo, yi: cut into overlapping pairs.
    Cjk,
    /// A letter of a script without spaces between words (Thai, Lao, Khmer, Myanmar): cut into overlapping pairs.
    Unspaced,
    /// A pictograph: a word of its own.
    Emoji,
    /// What may join the parts of an identifier, path or address.
    Connector,
    /// Everything else: it separates.
    Other,
}

/// NFKC cluster by cluster, so that every result keeps its place in `text`.
pub(super) fn normalise(text: &str) -> Vec<Unit> {
    let mut units = Vec::with_capacity(text.len());
    let mut chars = text.char_indices().peekable();
    let mut cluster = String::new();
    while let Some((start, base)) = chars.next() {
        let mut end = start + base.len_utf8();
        if base.is_ascii() && chars.peek().is_none_or(|(_, next)| next.is_ascii()) {
            units.push(Unit { ch: base, start, end, class: class_of(base) });
            continue;
        }
        cluster.clear();
        cluster.push(base);
        let mut length = 1;
        while let Some((at, next)) = chars.peek().copied().filter(|(_, next)| extends(*next)) {
            if length < MAX_CLUSTER {
                cluster.push(next);
            }
            length += 1;
            end = at + next.len_utf8();
            chars.next();
        }
        for ch in cluster.as_str().nfkc().filter(|ch| !is_invisible(*ch)) {
            units.push(Unit { ch, start, end, class: class_of(ch) });
        }
    }
    units
}

/// Whether a character belongs to the cluster of the one before it.
fn extends(ch: char) -> bool {
    !ch.is_ascii()
        && (canonical_combining_class(ch) != 0
            || is_combining_mark(ch)
            || matches!(ch, '\u{1160}'..='\u{11FF}' | '\u{FF9E}' | '\u{FF9F}')
            || is_invisible(ch))
}

fn is_invisible(ch: char) -> bool {
    matches!(ch, '\u{AD}' | '\u{34F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{2064}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{640}')
}

fn class_of(ch: char) -> Class {
    if ch.is_ascii() {
        return match ch {
            'a'..='z' | 'A'..='Z' | '0'..='9' => Class::Alnum,
            '_' | '-' | '.' | '/' | '\\' | ':' | '@' | '\'' | '#' | '+' | '~' | '$' => Class::Connector,
            _ => Class::Other,
        };
    }
    match ch {
        '\u{2019}' | '\u{2010}' | '\u{2011}' => Class::Connector,
        '\u{2E80}'..='\u{2FDF}'
        | '\u{3005}'
        | '\u{3007}'
        | '\u{3021}'..='\u{3029}'
        | '\u{3038}'..='\u{303B}'
        | '\u{3041}'..='\u{3096}'
        | '\u{309D}'..='\u{309F}'
        | '\u{30A1}'..='\u{30FA}'
        | '\u{30FC}'..='\u{30FF}'
        | '\u{3100}'..='\u{312F}'
        | '\u{3130}'..='\u{318F}'
        | '\u{31A0}'..='\u{31BF}'
        | '\u{31F0}'..='\u{31FF}'
        | '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}'
        | '\u{A000}'..='\u{A4CF}'
        | '\u{A960}'..='\u{A97F}'
        | '\u{AC00}'..='\u{D7FF}'
        | '\u{1100}'..='\u{11FF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{1B000}'..='\u{1B16F}'
        | '\u{20000}'..='\u{3FFFF}' => Class::Cjk,
        '\u{0E00}'..='\u{0EFF}'
        | '\u{1000}'..='\u{109F}'
        | '\u{1780}'..='\u{17FF}'
        | '\u{19E0}'..='\u{19FF}'
        | '\u{AA60}'..='\u{AA7F}' => {
            if is_combining_mark(ch) {
                Class::Mark
            } else if ch.is_alphanumeric() {
                Class::Unspaced
            } else {
                Class::Other
            }
        }
        '\u{1F300}'..='\u{1FAFF}' | '\u{2600}'..='\u{27BF}' => Class::Emoji,
        _ if is_combining_mark(ch) => Class::Mark,
        _ if ch.is_alphanumeric() => Class::Alnum,
        _ => Class::Other,
    }
}

/// Appends a character in lower case and without accents: `É` as `e`, `ß` as `ss`, `Ё` as `е`.
///
/// Marks that make another letter (Indic vowel signs, dakuten, the breve of й) stay.
pub(super) fn fold_into(ch: char, out: &mut String) {
    if ch.is_ascii() {
        out.push(ch.to_ascii_lowercase());
        return;
    }
    for ch in ch.to_lowercase() {
        let plain = match ch {
            'ß' => "ss",
            'æ' => "ae",
            'œ' => "oe",
            'ø' => "o",
            'đ' | 'ð' => "d",
            'þ' => "th",
            'ł' => "l",
            'ħ' => "h",
            'ı' => "i",
            'ŋ' => "n",
            'ς' => "σ",
            'ё' => "е",
            'أ' | 'إ' | 'آ' => "ا",
            'ى' => "ي",
            '\u{300}'..='\u{36F}' | '\u{64B}'..='\u{652}' | '\u{5B0}'..='\u{5C7}' => "",
            _ => {
                let mut base = None;
                if is_accented_script(ch) {
                    decompose_canonical(ch, |part| base = base.or(Some(part)));
                }
                out.push(base.unwrap_or(ch));
                continue;
            }
        };
        out.push_str(plain);
    }
}

/// Latin and Greek beyond ASCII, where a mark is an accent and not another letter.
fn is_accented_script(ch: char) -> bool {
    matches!(ch, '\u{C0}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}' | '\u{370}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}')
}
