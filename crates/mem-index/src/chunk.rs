//! A memory cut into texts that a model takes whole: pure.

use mem_core::Memory;

/// Ends of sentences, in any script.
const ENDS: &[char] = &['\n', '.', '!', '?', '。', '！', '？', '；', ';', '।'];

/// The texts of a memory to embed, each at most `max` characters, cut after a sentence or a word where there is one.
///
/// The later ones begin with the memory's name, so that each stands for itself. At least one.
pub fn chunks(memory: &Memory, max: usize) -> Vec<String> {
    let text = memory.full_text();
    let max = max.max(16);
    let mut rest = text.as_str();
    let mut out = Vec::new();
    loop {
        let head = if out.is_empty() { String::new() } else { shortened(&memory.name, max / 4) };
        let room = max - head.chars().count();
        let Some((limit, _)) = rest.char_indices().nth(room) else {
            if !rest.trim().is_empty() || out.is_empty() {
                out.push(head + rest.trim());
            }
            return out;
        };
        let window = &rest[..limit];
        let after =
            |at: Option<usize>| at.and_then(|at| Some(at + window.get(at..)?.chars().next()?.len_utf8()));
        let cut = after(window.rfind(ENDS))
            .filter(|cut| *cut > limit / 2)
            .or_else(|| after(window.rfind(char::is_whitespace)).filter(|cut| *cut > limit / 2))
            .unwrap_or(limit);
        out.push(head + rest[..cut].trim());
        rest = &rest[cut..];
    }
}

fn shortened(name: &str, max: usize) -> String {
    let name: String = name.chars().take(max.saturating_sub(1)).collect();
    if name.is_empty() { name } else { name + "\n" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mem_core::{Kind, Timestamp};
    use proptest::prelude::*;

    fn memory(body: &str) -> Memory {
        Memory::new(Kind::Fact, body, Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn short_is_one_long_is_cut_after_sentences() {
        assert_eq!(chunks(&memory("short"), 100), ["short"]);
        let mut long = memory("第一句话说明原因。第二句话说明做法。第三句话说明例外情况。");
        long.name = "规则".to_owned();
        long.description.clear();
        let cut = chunks(&long, 20);
        assert!(cut.len() > 1 && cut[1].starts_with("规则\n"), "{cut:?}");
        assert!(cut[0].ends_with('。'), "{cut:?}");
    }

    proptest! {
        #[test]
        fn every_chunk_fits_and_nothing_is_lost(body in "[a-z改。 ]{0,200}", max in 16usize..60) {
            let memory = memory(&body);
            let cut = chunks(&memory, max);
            prop_assert!(!cut.is_empty());
            prop_assert!(cut.iter().all(|text| text.chars().count() <= max), "{cut:?}");
            for word in memory.full_text().split([' ', '。', '\n', '…']).filter(|word| word.chars().count() <= max / 4) {
                prop_assert!(cut.concat().contains(word));
            }
        }
    }
}
