//! The best segmentation of a unit (A. Viterbi, IEEE Trans. IT 1967; as in T. Kudo, "Subword Regularization", ACL 2018).

use super::trie::Trie;

/// Costs are eighths: a piece of probability `p` costs `-8 ln p`, rounded. Sums are exact.
pub(super) const STEPS_PER_NAT: f32 = 8.0;
/// What a character costs that is no piece.
const UNKNOWN: u64 = 25 * STEPS_PER_NAT as u64;

/// The pieces of a vocabulary and what they cost.
#[derive(Debug, Clone, Copy)]
pub(super) struct Vocabulary<'a> {
    /// Pieces in UTF-8, to rows.
    pub(super) trie: Trie<'a>,
    /// The cost of each row.
    pub(super) costs: &'a [u8],
}

/// The best way to a place in the unit.
#[derive(Debug, Clone, Copy)]
struct Arrival {
    /// Cost in the upper half, number of steps in the lower: less is better.
    key: u64,
    /// Where its last step began.
    from: u32,
    /// The row of that step; none for a character that is no piece.
    row: Option<u32>,
}

/// Finds segmentations; holds what is used again from one to the next.
#[derive(Debug, Default)]
pub(super) struct Segmenter {
    arrivals: Vec<Option<Arrival>>,
}

impl Segmenter {
    /// Appends the rows of a unit's pieces: least cost, then fewest steps, then the longest last step.
    pub(super) fn segment(&mut self, unit: &str, vocabulary: Vocabulary<'_>, rows: &mut Vec<u32>) {
        let bytes = unit.as_bytes();
        self.arrivals.clear();
        self.arrivals.resize(bytes.len() + 1, None);
        let Some(root) = vocabulary.trie.root() else { return };
        for (at, ch) in unit.char_indices() {
            let key = match self.arrivals.get(at) {
                Some(Some(arrival)) => arrival.key,
                _ if at == 0 => 0,
                _ => continue,
            };
            let after = at + ch.len_utf8();
            let mut is_piece = false;
            let mut node = root;
            for (offset, byte) in bytes.iter().enumerate().skip(at) {
                let Some(child) = vocabulary.trie.child(node, *byte) else { break };
                node = child;
                let Some(row) = vocabulary.trie.value(node) else { continue };
                let Some(cost) = vocabulary.costs.get(row as usize) else { continue };
                is_piece |= offset + 1 == after;
                self.arrive(offset + 1, key + (u64::from(*cost) << 32) + 1, at, Some(row));
            }
            if !is_piece {
                self.arrive(after, key + (UNKNOWN << 32) + 1, at, None);
            }
        }
        let first = rows.len();
        let mut at = bytes.len();
        while let Some(Some(arrival)) = self.arrivals.get(at) {
            rows.extend(arrival.row);
            at = arrival.from as usize;
        }
        if let Some(found) = rows.get_mut(first..) {
            found.reverse();
        }
    }

    /// Steps come in the order of where they begin, so that of equal ones the longest came first.
    #[inline]
    fn arrive(&mut self, at: usize, key: u64, from: usize, row: Option<u32>) {
        if let Some(best) = self.arrivals.get_mut(at)
            && best.is_none_or(|best| key < best.key)
        {
            *best = Some(Arrival { key, from: from as u32, row });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::trie::{Unit, build};
    use super::*;
    use proptest::prelude::*;
    use std::cmp::Reverse;

    /// Every segmentation of `unit`, the best by the rules in words.
    fn oracle(unit: &[char], pieces: &[(String, u8)]) -> Vec<u32> {
        type Steps = Vec<(usize, Option<u32>)>;
        fn all(unit: &[char], pieces: &[(String, u8)]) -> Vec<(u64, Steps)> {
            if unit.is_empty() {
                return vec![(0, Vec::new())];
            }
            let mut found = Vec::new();
            for length in 1..=unit.len() {
                let text: String = unit[unit.len() - length..].iter().collect();
                let row = pieces.iter().position(|(piece, _)| *piece == text);
                let cost = match row {
                    Some(row) => u64::from(pieces[row].1),
                    None if length == 1 => UNKNOWN,
                    None => continue,
                };
                for (before, mut steps) in all(&unit[..unit.len() - length], pieces) {
                    steps.push((length, row.map(|row| row as u32)));
                    found.push((before + cost, steps));
                }
            }
            found
        }
        let lengths =
            |steps: &Steps| steps.iter().rev().map(|(length, _)| Reverse(*length)).collect::<Vec<_>>();
        let best = all(unit, pieces)
            .into_iter()
            .min_by_key(|(cost, steps)| (*cost, steps.len(), lengths(steps)))
            .unwrap();
        best.1.into_iter().filter_map(|(_, row)| row).collect()
    }

    fn segment(unit: &str, pieces: &[(String, u8)]) -> Vec<u32> {
        let mut keys: Vec<(&[u8], u32)> =
            pieces.iter().enumerate().map(|(row, (piece, _))| (piece.as_bytes(), row as u32)).collect();
        keys.sort_unstable();
        let units: Vec<Unit> = build(&keys).unwrap();
        let costs: Vec<u8> = pieces.iter().map(|(_, cost)| *cost).collect();
        let mut rows = vec![77];
        let vocabulary = Vocabulary { trie: Trie(&units), costs: &costs };
        Segmenter::default().segment(unit, vocabulary, &mut rows);
        assert_eq!(rows.remove(0), 77, "what was there stays");
        rows
    }

    fn pieces(list: &[(&str, u8)]) -> Vec<(String, u8)> {
        list.iter().map(|(piece, cost)| ((*piece).to_owned(), *cost)).collect()
    }

    #[test]
    fn ties_go_to_fewer_then_to_the_longest_last() {
        let list =
            pieces(&[("a", 10), ("aa", 20), ("b", 10), ("ab", 20), ("abc", 40), ("c", 20), ("bc", 30)]);
        assert_eq!(segment("aa", &list), [1]);
        assert_eq!(segment("abc", &list), [4], "one step rather than two or three");
        let list = pieces(&[("ab", 5), ("c", 5), ("a", 5), ("bc", 5)]);
        assert_eq!(segment("abc", &list), [2, 3]);
    }

    #[test]
    fn what_is_no_piece_gives_nothing() {
        let list = pieces(&[("中", 10), ("文", 10)]);
        assert_eq!(segment("中x文", &list), [0, 1]);
        assert_eq!(segment("xyz", &list), [0u32; 0]);
        assert_eq!(segment("", &list), [0u32; 0]);
    }

    proptest! {
        #[test]
        fn is_the_best_of_all_segmentations(
            pieces in prop::collection::btree_map("[abé中]{1,4}", prop_oneof![0u8..4, any::<u8>()], 0..14),
            unit in "[abé中x]{0,9}",
        ) {
            let pieces: Vec<(String, u8)> = pieces.into_iter().collect();
            let chars: Vec<char> = unit.chars().collect();
            prop_assert_eq!(segment(&unit, &pieces), oracle(&chars, &pieces));
        }

        #[test]
        fn noise_does_no_harm(
            units in prop::collection::vec(any::<[u8; 4]>(), 0..600),
            costs in prop::collection::vec(any::<u8>(), 0..20),
            unit in "\\PC{0,40}",
        ) {
            Segmenter::default().segment(&unit, Vocabulary { trie: Trie(&units), costs: &costs }, &mut Vec::new());
        }
    }
}
