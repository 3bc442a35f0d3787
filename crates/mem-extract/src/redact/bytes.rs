//! Classes of bytes, one table look-up each.

pub(super) const DIGIT: u16 = 1;
pub(super) const UPPER: u16 = 2;
pub(super) const LOWER: u16 = 4;
pub(super) const UNDER: u16 = 8;
pub(super) const DASH: u16 = 16;
pub(super) const DOT: u16 = 32;
/// `+`, `/` and `=`, which base 64 has besides letters and digits.
pub(super) const B64: u16 = 64;
/// `0-9a-fA-F`.
pub(super) const HEX: u16 = 128;
/// Space and tab.
pub(super) const BLANK: u16 = 256;
/// Space, tab and line ends.
pub(super) const WHITE: u16 = 512;
/// `"`, `'` and the back quote.
pub(super) const QUOTE: u16 = 1024;

pub(super) const ALPHA: u16 = UPPER | LOWER;
pub(super) const ALNUM: u16 = ALPHA | DIGIT;
/// Letters, digits, `_` and `-`: URL-safe base 64, and names.
pub(super) const WORD: u16 = ALNUM | UNDER | DASH;

static CLASSES: [u16; 256] = classes();

const fn classes() -> [u16; 256] {
    let mut table = [0; 256];
    let mut b = 0;
    while b < 256 {
        #[allow(clippy::cast_possible_truncation, reason = "the index is below 256")]
        let byte = b as u8;
        let mut class = 0;
        if byte.is_ascii_digit() {
            class |= DIGIT;
        }
        if byte.is_ascii_uppercase() {
            class |= UPPER;
        }
        if byte.is_ascii_lowercase() {
            class |= LOWER;
        }
        if byte.is_ascii_hexdigit() {
            class |= HEX;
        }
        match byte {
            b'_' => class |= UNDER,
            b'-' => class |= DASH,
            b'.' => class |= DOT,
            b'+' | b'/' | b'=' => class |= B64,
            b' ' | b'\t' => class |= BLANK | WHITE,
            b'\n' | b'\r' => class |= WHITE,
            b'"' | b'\'' | b'`' => class |= QUOTE,
            _ => {}
        }
        table[b] = class;
        b += 1;
    }
    table
}

/// Whether a byte belongs to one of the classes.
#[inline(always)]
pub(super) fn is(byte: u8, classes: u16) -> bool {
    CLASSES[byte as usize] & classes != 0
}

/// Whether the byte at a place exists and belongs to one of the classes.
#[inline(always)]
pub(super) fn is_at(text: &[u8], at: usize, classes: u16) -> bool {
    text.get(at).is_some_and(|&byte| is(byte, classes))
}

/// The end of the run of these classes that begins at `at`, looking at most at `max` bytes.
#[inline]
pub(super) fn run(text: &[u8], at: usize, classes: u16, max: usize) -> usize {
    let end = text.len().min(at.saturating_add(max));
    let mut i = at.min(end);
    while i < end && is(text[i], classes) {
        i += 1;
    }
    i
}

/// The first white space at or after `at`, looking at most at `max` bytes.
pub(super) fn until_white(text: &[u8], at: usize, max: usize) -> usize {
    let end = text.len().min(at.saturating_add(max));
    (at..end).find(|&i| is(text[i], WHITE)).unwrap_or(end.max(at.min(text.len())))
}

/// Whether `text` has `word` at `at`.
#[inline]
pub(super) fn has(text: &[u8], at: usize, word: &[u8]) -> bool {
    text.get(at..at + word.len()) == Some(word)
}

/// Whether `text` has the ASCII lower-case `word` at `at`, in either case.
#[inline]
pub(super) fn has_ignore_case(text: &[u8], at: usize, word: &[u8]) -> bool {
    text.get(at..at + word.len()).is_some_and(|part| part.eq_ignore_ascii_case(word))
}

/// The length of the UTF-8 character a byte begins.
pub(super) fn char_len(byte: u8) -> usize {
    match byte {
        0..0xc0 => 1,
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        _ => 4,
    }
}
