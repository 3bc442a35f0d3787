//! A text to the units that are segmented each for itself: words, runs of digits, runs of CJK characters.

use super::marks::is_nonspacing;
use std::borrow::Cow;
use std::ops::ControlFlow;
use unicode_normalization::{IsNormalized, UnicodeNormalization, char::is_combining_mark, is_nfkc_quick};

/// Stands before every word and run of digits.
pub(super) const START: char = '\u{2581}';
/// Words are cut to so many characters.
const MAX_WORD: usize = 40;
/// Runs of CJK characters are cut into pieces of so many.
const MAX_RUN: usize = 256;
/// Of a run of digits, no more than so many count.
const MAX_DIGITS: usize = 20_000;
/// Of a text, no more units than so many count.
const MAX_UNITS: usize = 20_000;
/// A text is normalised in stretches of at least so many bytes, so that a long one is not read to its end in vain.
const STRETCH: usize = 4096;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Separator,
    Letter,
    Digit,
    Cjk,
}

const ASCII: [Class; 128] = {
    let mut classes = [Class::Separator; 128];
    let mut at = 0u8;
    while at < 128 {
        if at.is_ascii_alphabetic() {
            classes[at as usize] = Class::Letter;
        } else if at.is_ascii_digit() {
            classes[at as usize] = Class::Digit;
        }
        at += 1;
    }
    classes
};

fn class(ch: char) -> Class {
    if let Some(class) = ASCII.get(ch as usize) {
        return *class;
    }
    match ch {
        '\u{2E80}'..='\u{2FDF}'
        | '\u{3005}'..='\u{3007}'
        | '\u{3041}'..='\u{30FF}'
        | '\u{31F0}'..='\u{31FF}'
        | '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}'
        | '\u{AC00}'..='\u{D7AF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3FFFF}' => Class::Cjk,
        // Enclosed letters are symbols, though Unicode counts them as alphabetic.
        '\u{24B6}'..='\u{24E9}' | '\u{1F130}'..='\u{1F189}' => Class::Separator,
        _ if ch.is_alphabetic() || is_combining_mark(ch) => Class::Letter,
        _ => Class::Separator,
    }
}

fn is_apostrophe(ch: char) -> bool {
    ch == '\'' || ch == '\u{2019}'
}

/// Cuts texts into units; holds what is used again from one to the next.
#[derive(Debug, Default)]
pub(super) struct Units {
    /// The letter run that is being read, without apostrophes.
    run: Vec<char>,
    /// The unit that is being made.
    unit: String,
}

impl Units {
    /// Calls `visit` with every unit of a text in order, until it breaks.
    pub(super) fn each(&mut self, text: &str, visit: &mut impl FnMut(&str) -> ControlFlow<()>) {
        let mut count = 0;
        let mut counted = |unit: &str| {
            count += 1;
            if count > MAX_UNITS { ControlFlow::Break(()) } else { visit(unit) }
        };
        let mut rest = text;
        while !rest.is_empty() {
            let (stretch, after) = stretch(rest);
            rest = after;
            if self.stretch(&nfkc(stretch), &mut counted).is_break() {
                break;
            }
        }
    }

    fn stretch(&mut self, text: &str, visit: &mut impl FnMut(&str) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut chars = text.chars();
        // The next character and its class, before it is taken.
        let mut next = chars.next();
        while let Some(first) = next {
            match class(first) {
                Class::Separator => next = chars.next(),
                Class::Letter => {
                    self.run.clear();
                    while let Some(ch) = next {
                        if class(ch) == Class::Letter {
                            self.run.push(ch);
                            next = chars.next();
                        } else if is_apostrophe(ch) {
                            // Dropped between two letters; the one before it is the last of the run.
                            let mut ahead = chars.clone();
                            match ahead.next() {
                                Some(letter) if class(letter) == Class::Letter => {
                                    next = Some(letter);
                                    chars = ahead;
                                }
                                _ => break,
                            }
                        } else {
                            break;
                        }
                    }
                    words(&self.run, &mut self.unit, visit)?;
                }
                Class::Digit => {
                    self.unit.clear();
                    self.unit.push(START);
                    let mut length = 0;
                    while let Some(digit) = next.filter(char::is_ascii_digit) {
                        if length < MAX_DIGITS {
                            self.unit.push(digit);
                        }
                        length += 1;
                        next = chars.next();
                    }
                    visit(&self.unit)?;
                }
                Class::Cjk => {
                    self.unit.clear();
                    let mut length = 0;
                    while let Some(ch) = next.filter(|ch| class(*ch) == Class::Cjk) {
                        if length == MAX_RUN {
                            visit(&self.unit)?;
                            self.unit.clear();
                            length = 0;
                        }
                        self.unit.push(ch);
                        length += 1;
                        next = chars.next();
                    }
                    visit(&self.unit)?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// The beginning of a text up to a white space that lies [`STRETCH`] bytes in, and the rest.
///
/// ASCII white space separates units and joins with nothing before it in normalisation, so stretches may be taken by
/// themselves.
fn stretch(text: &str) -> (&str, &str) {
    let space = text.as_bytes().iter().skip(STRETCH).position(u8::is_ascii_whitespace);
    space.and_then(|at| text.split_at_checked(STRETCH + at)).unwrap_or((text, ""))
}

/// Whether NFKC leaves a character as it is and never joins it with one before it.
fn is_inert(ch: char) -> bool {
    ch.is_ascii() || matches!(ch, '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{3001}' | '\u{3002}')
}

/// NFKC (UAX #15), taking only those stretches of a text through it that can change.
fn nfkc(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || text.chars().all(is_inert) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    // What is copied or normalised so far, and where the last inert character began: a mark may join with it.
    let (mut done, mut last) = (0, 0);
    let mut chars = text.char_indices().peekable();
    while let Some((at, ch)) = chars.next() {
        if is_inert(ch) {
            last = at;
            continue;
        }
        while chars.next_if(|(_, ch)| !is_inert(*ch)).is_some() {}
        let end = chars.peek().map_or(text.len(), |(at, _)| *at);
        let (Some(before), Some(part)) = (text.get(done..last), text.get(last..end)) else { break };
        out.push_str(before);
        match is_nfkc_quick(part.chars()) {
            IsNormalized::Yes => out.push_str(part),
            _ => out.extend(part.nfkc()),
        }
        (done, last) = (end, end);
    }
    out.push_str(text.get(done..).unwrap_or_default());
    Cow::Owned(out)
}

/// Visits the words of a letter run: cut at humps, folded, cut to [`MAX_WORD`].
fn words(
    run: &[char],
    unit: &mut String,
    visit: &mut impl FnMut(&str) -> ControlFlow<()>,
) -> ControlFlow<()> {
    for part in run.chunk_by_humps() {
        unit.clear();
        unit.push(START);
        if part.iter().all(char::is_ascii) {
            unit.extend(part.iter().take(MAX_WORD).map(char::to_ascii_lowercase));
        } else {
            // As a whole: the lower case of a sigma depends on what stands around it.
            let lower = String::from_iter(part).to_lowercase();
            unit.extend(lower.nfd().filter(|ch| !is_nonspacing(*ch)).take(MAX_WORD));
        }
        if unit.len() > START.len_utf8() {
            visit(unit)?;
        }
    }
    ControlFlow::Continue(())
}

trait Humps {
    /// Parts that begin before a capital after a small letter, and before the last of several capitals when a small
    /// letter follows it.
    fn chunk_by_humps(&self) -> impl Iterator<Item = &[char]>;
}

impl Humps for [char] {
    fn chunk_by_humps(&self) -> impl Iterator<Item = &[char]> {
        let mut rest = self;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let is_hump = |window: &[char], next: Option<&char>| match window {
                [before, here] => {
                    here.is_uppercase()
                        && (before.is_lowercase()
                            || (before.is_uppercase() && next.is_some_and(|next| next.is_lowercase())))
                }
                _ => false,
            };
            let cut = rest.windows(2).enumerate().find(|(at, window)| is_hump(window, rest.get(at + 2)));
            let (part, after) = rest.split_at(cut.map_or(rest.len(), |(at, _)| at + 1));
            rest = after;
            Some(part)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde::Deserialize;

    fn units(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        Units::default().each(text, &mut |unit| {
            found.push(unit.to_owned());
            ControlFlow::Continue(())
        });
        found
    }

    #[derive(Deserialize)]
    struct Line {
        text: String,
        units: Vec<String>,
    }

    /// The file was written by `tools/distill/pieces.py`, the reference.
    #[test]
    fn units_are_those_of_the_reference() {
        let lines: Vec<Line> = include_str!("../../tests/data/units.jsonl")
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert!(lines.len() >= 60);
        for line in lines {
            assert_eq!(units(&line.text), line.units, "{:?}", line.text);
        }
    }

    #[test]
    fn the_visitor_stops_the_walk() {
        let mut seen = 0;
        Units::default().each("one two three", &mut |_| {
            seen += 1;
            if seen == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(seen, 2);
    }

    #[test]
    fn long_texts_are_bounded() {
        assert_eq!(units(&"a ".repeat(50_000)).len(), MAX_UNITS);
        assert_eq!(units(&"7".repeat(50_000)), [format!("{START}{}", "7".repeat(MAX_DIGITS))]);
        assert_eq!(units(&"x".repeat(1 << 20)), [format!("{START}{}", "x".repeat(MAX_WORD))]);
        assert_eq!(units(&"\u{301}".repeat(1 << 18)), Vec::<String>::new());
    }

    #[test]
    fn stretches_do_not_show() {
        let word = "naïve,\u{301} ｗｉｄｔｈ 中文 don't ";
        assert_eq!(units(&word.repeat(1000)), vec![units(word); 1000].concat());
    }

    proptest! {
        #[test]
        fn normalisation_in_stretches_is_normalisation(text in "(\\PC|[a-z中。，é\u{300}-\u{302}ｱﾞ각一①]){0,40}") {
            prop_assert_eq!(nfkc(&text).into_owned(), text.nfkc().collect::<String>());
        }

        #[test]
        fn units_hold_no_separator(text in "\\PC{0,80}") {
            for unit in units(&text) {
                let word = unit.strip_prefix(START);
                prop_assert!(!word.unwrap_or(&unit).is_empty());
                prop_assert!(word.is_none_or(|word| word.chars().count() <= MAX_WORD));
                prop_assert!(unit.chars().count() <= MAX_RUN);
            }
        }
    }
}
