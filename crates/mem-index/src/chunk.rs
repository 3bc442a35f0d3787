//! A memory cut into texts that a model takes whole: pure.

use crate::passage::{CutConfig, passages};
use mem_core::Memory;

/// The texts of a memory to embed: its [`passages`]. At least one.
///
/// The later ones begin with the memory's name, so that each stands for itself; each is at most as long as `config`
/// says.
pub fn chunks(memory: &Memory, config: &CutConfig) -> Vec<String> {
    let text = memory.full_text();
    let max = config.chars.max(MIN);
    if text.chars().nth(max).is_none() {
        return vec![text.trim().to_owned()];
    }
    let head = shortened(&memory.name, max / 4);
    let room = CutConfig { chars: max - head.chars().count(), ..*config };
    let passages = passages(&text, &room).into_iter().enumerate();
    passages.map(|(at, passage)| if at == 0 { passage.to_owned() } else { head.clone() + passage }).collect()
}

/// Shorter texts are not cut.
const MIN: usize = 22;

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
        assert_eq!(chunks(&memory("short"), &CutConfig::default()), ["short"]);
        let mut long = memory("第一句话说明原因。第二句话说明做法。第三句话说明例外情况。");
        long.name = "规则".to_owned();
        long.description.clear();
        let cut = chunks(&long, &CutConfig { chars: 22, overlap: 0 });
        assert!(cut.len() > 1 && cut[1].starts_with("规则\n"), "{cut:?}");
        assert!(cut[0].ends_with('。'), "{cut:?}");
    }

    proptest! {
        #[test]
        fn every_chunk_fits_and_nothing_is_lost(body in "[a-z改。 ]{0,200}", max in 22usize..60, overlap in 0usize..30) {
            let memory = memory(&body);
            let cut = chunks(&memory, &CutConfig { chars: max, overlap });
            prop_assert!(!cut.is_empty());
            prop_assert!(cut.iter().all(|text| text.chars().count() <= max), "{cut:?}");
            for word in memory.full_text().split([' ', '。', '\n', '…']).filter(|word| word.chars().count() <= max / 4) {
                prop_assert!(cut.concat().contains(word));
            }
        }
    }
}
