//! How much may be said: pure arithmetic over lengths.

use serde::{Deserialize, Serialize};

/// Limits of one injected block.
///
/// ```
/// use mem_engine::InjectBudget;
/// assert_eq!(InjectBudget::default().items, 7);
/// assert_eq!(InjectBudget::for_context(32_000).items, 20);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct InjectBudget {
    /// At most so many memories.
    pub items: usize,
    /// At most so many UTF-16 code units, everything included: how a JavaScript host counts characters.
    pub chars: usize,
    /// At most so many tokens by [`estimate_tokens`]; none: not limited.
    pub tokens: Option<usize>,
    /// An entry is not shortened below so many units; it is dropped instead.
    pub entry_floor: usize,
}

impl Default for InjectBudget {
    fn default() -> Self {
        Self { items: 7, chars: 9_500, tokens: None, entry_floor: 160 }
    }
}

impl InjectBudget {
    /// The budget for a context of so many tokens: a quarter of it, 8 memories from 8,000 tokens on, 20 from 32,000 on.
    pub fn for_context(tokens: usize) -> Self {
        let items = match tokens {
            32_000.. => 20,
            8_000.. => 8,
            _ => 7,
        };
        Self { items, tokens: Some(tokens / 4), ..Self::default() }
    }
}

/// Length in UTF-16 code units.
pub fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// Tokens of a text, estimated without a tokenizer: four ASCII bytes a token, one token for any other character.
///
/// An upper bound for the tokenizers in use on Chinese, about right on English.
pub fn estimate_tokens(text: &str) -> usize {
    let (ascii, other) =
        text.chars().fold((0usize, 0usize), |(a, o), c| if c.is_ascii() { (a + 1, o) } else { (a, o + 1) });
    ascii.div_ceil(4) + other
}

/// The largest cap such that entries cut to it fit into `room`; none when no cut is needed.
///
/// Long entries pay first (water filling): an entry at or below the cap keeps its length.
pub fn cap_for(lengths: &[usize], room: usize) -> Option<usize> {
    if lengths.iter().sum::<usize>() <= room {
        return None;
    }
    let mut sorted = lengths.to_vec();
    sorted.sort_unstable();
    let mut left = room;
    for (done, length) in sorted.iter().enumerate() {
        let share = left / (sorted.len() - done);
        if *length > share {
            return Some(share);
        }
        left -= length;
    }
    None
}

/// Cuts to at most `max` UTF-16 units, between characters, at a word when one is near, with `…` for what is gone.
pub fn cut(text: &str, max: usize) -> String {
    if units(text) <= max {
        return text.to_owned();
    }
    let (mut used, mut end, mut word) = (0, 0, 0);
    for (at, c) in text.char_indices() {
        let next = used + c.len_utf16();
        if next + 1 > max {
            break;
        }
        used = next;
        end = at + c.len_utf8();
        if c.is_whitespace() {
            word = at;
        }
    }
    let end = if word > end / 2 { word } else { end };
    if max == 0 { String::new() } else { format!("{}…", text[..end].trim_end()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn long_entries_pay_before_short_ones() {
        assert_eq!(cap_for(&[10, 20, 30], 60), None);
        assert_eq!(cap_for(&[10, 20, 100], 60), Some(30));
        assert_eq!(cap_for(&[10, 100, 100], 60), Some(25));
        assert_eq!(cap_for(&[], 0), None);
    }

    #[test]
    fn cuts_fall_between_characters() {
        assert_eq!(cut("改完代码不主动提交", 5), "改完代码…");
        assert_eq!(cut("one two three four", 12), "one two…");
        assert_eq!(cut("🦀🦀🦀", 4), "🦀…");
        assert_eq!(cut("short", 5), "short");
        assert_eq!(cut("anything", 0), "");
    }

    proptest! {
        #[test]
        fn caps_and_cuts_never_exceed_the_room(lengths in prop::collection::vec(0usize..5_000, 0..30), room in 0usize..20_000) {
            let cap = cap_for(&lengths, room).unwrap_or(usize::MAX);
            prop_assert!(lengths.iter().map(|l| l.min(&cap)).sum::<usize>() <= room);
        }

        #[test]
        fn a_cut_text_fits_and_is_a_prefix(text in "\\PC{0,60}", max in 0usize..40) {
            let short = cut(&text, max);
            prop_assert!(units(&short) <= max || short == text && units(&text) <= max);
            prop_assert!(text.starts_with(short.trim_end_matches('…').trim_end()));
        }
    }
}
