//! A double array over bytes (J. Aoe, "An Efficient Digital Search Algorithm by Using a Double-Array Structure", IEEE TSE
//! 1989), walked where it lies.
//!
//! A unit has 32 bits. A node: its label (8 bits, never 0), whether a key ends there (1), its base (23). The child by
//! label `c` of a node with base `b` is unit `b ^ c`, when that bears label `c`; no two nodes share a base. The value of
//! a key that ends at the node is in unit `b`: label 0, value (24). Unit 0 is the root. Unused units are 0.

/// One unit, little-endian.
pub(super) type Unit = [u8; 4];

/// A trie in packed bytes. Bytes that no [`build`] made give wrong values, never a panic.
#[derive(Debug, Clone, Copy)]
pub(super) struct Trie<'a>(pub(super) &'a [Unit]);

/// A place in a [`Trie`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Node(u32);

impl<'a> Trie<'a> {
    #[inline]
    fn unit(self, at: u32) -> Option<u32> {
        self.0.get(at as usize).map(|unit| u32::from_le_bytes(*unit))
    }

    /// Where the empty key ends.
    #[inline]
    pub(super) fn root(self) -> Option<Node> {
        self.unit(0).map(Node)
    }

    /// The node one byte further.
    #[inline]
    pub(super) fn child(self, node: Node, byte: u8) -> Option<Node> {
        let unit = self.unit((node.0 >> 9) ^ u32::from(byte))?;
        (unit & 0xff == u32::from(byte) && byte != 0).then_some(Node(unit))
    }

    /// The value of the key that ends at a node.
    #[inline]
    pub(super) fn value(self, node: Node) -> Option<u32> {
        if node.0 & 0x100 == 0 {
            return None;
        }
        self.unit(node.0 >> 9).map(|leaf| leaf >> 8)
    }

    /// Every key with its value, in the order of the keys; of keys longer than `longest` bytes, nothing.
    #[cfg(any(test, feature = "pack"))]
    pub(super) fn entries(self, longest: usize) -> Vec<(Vec<u8>, u32)> {
        let mut found = Vec::new();
        let mut open: Vec<(Node, Vec<u8>)> = self.root().map(|root| (root, Vec::new())).into_iter().collect();
        while let Some((node, key)) = open.pop() {
            if let Some(value) = self.value(node) {
                found.push((key.clone(), value));
            }
            // A damaged trie may have more paths than units.
            if key.len() >= longest || found.len() > self.0.len() || open.len() > self.0.len() {
                continue;
            }
            for byte in (1..=u8::MAX).rev() {
                if let Some(child) = self.child(node, byte) {
                    open.push((child, [key.as_slice(), &[byte]].concat()));
                }
            }
        }
        found
    }
}

#[cfg(any(test, feature = "pack"))]
pub(super) use builder::build;

#[cfg(any(test, feature = "pack"))]
mod builder {
    use super::Unit;
    use crate::Error;

    /// Units are handed out in blocks of so many; the children of a node lie in one.
    const BLOCK: usize = 256;
    /// How many blocks that are not full are tried for a place.
    const OPEN_BLOCKS: usize = 48;
    /// A base has 23 bits.
    const MAX_UNITS: usize = 1 << 23;

    #[derive(Default)]
    struct Builder {
        units: Vec<u32>,
        taken: Vec<bool>,
        is_base: Vec<bool>,
        /// Blocks that are still tried, by where they begin, and how many of their units are free.
        open: Vec<(usize, usize)>,
    }

    /// The units of a trie over keys with values below 2²⁴.
    ///
    /// # Errors
    /// [`Error::Unpackable`] for keys that are empty, not sorted, not distinct or have a NUL, and for too many.
    pub(crate) fn build(keys: &[(&[u8], u32)]) -> Result<Vec<Unit>, Error> {
        let unpackable =
            |expected: &str, found: String| Error::Unpackable { expected: expected.to_owned(), found };
        for (key, value) in keys {
            if key.is_empty() || key.contains(&0) || value >> 24 != 0 {
                let found = format!("{:?} = {value}", String::from_utf8_lossy(key));
                return Err(unpackable("keys with content and without NUL, values below 2^24", found));
            }
        }
        if let Some([(key, _), _]) = keys.windows(2).find(|pair| pair[0].0 >= pair[1].0) {
            return Err(unpackable(
                "sorted, distinct pieces",
                format!("{:?} twice", String::from_utf8_lossy(key)),
            ));
        }
        let mut builder = Builder::default();
        builder.block();
        builder.take(0);
        // Where the children of the node at a unit are to be placed: its keys, and how many bytes of them are done.
        let mut todo = vec![(0usize, keys, 0usize)];
        while let Some((node, keys, depth)) = todo.pop() {
            let (leaf, keys) = match keys.split_first() {
                Some(((key, value), rest)) if key.len() == depth => (Some(*value), rest),
                _ => (None, keys),
            };
            let children: Vec<_> = keys.chunk_by(|a, b| a.0[depth] == b.0[depth]).collect();
            let mut labels: Vec<u8> = children.iter().map(|keys| keys[0].0[depth]).collect();
            if leaf.is_some() {
                labels.insert(0, 0);
            }
            if labels.is_empty() {
                continue;
            }
            let base = builder.place(&labels);
            if base >= MAX_UNITS {
                return Err(unpackable("a trie of less than 2^23 units", format!("{} pieces", keys.len())));
            }
            builder.units[node] |= (base as u32) << 9 | u32::from(leaf.is_some()) << 8;
            if let Some(value) = leaf {
                builder.units[base] = value << 8;
            }
            for keys in children.into_iter().rev() {
                let label = keys[0].0[depth];
                let child = base ^ usize::from(label);
                builder.units[child] = u32::from(label);
                todo.push((child, keys, depth + 1));
            }
        }
        Ok(builder.units.iter().map(|unit| unit.to_le_bytes()).collect())
    }

    impl Builder {
        fn block(&mut self) {
            self.open.push((self.units.len(), BLOCK));
            let len = self.units.len() + BLOCK;
            self.units.resize(len, 0);
            self.taken.resize(len, false);
            self.is_base.resize(len, false);
        }

        /// Takes a base at which every label's unit is free.
        fn place(&mut self, labels: &[u8]) -> usize {
            let base = self.find(labels).unwrap_or_else(|| {
                self.block();
                self.units.len() - BLOCK
            });
            self.is_base[base] = true;
            for label in labels {
                self.take(base ^ usize::from(*label));
            }
            if self.open.len() > OPEN_BLOCKS {
                self.open.remove(0);
            }
            base
        }

        fn take(&mut self, unit: usize) {
            self.taken[unit] = true;
            if let Some(at) = self.open.iter().position(|(from, _)| *from == unit - unit % BLOCK) {
                self.open[at].1 -= 1;
                if self.open[at].1 == 0 {
                    self.open.remove(at);
                }
            }
        }

        fn find(&self, labels: &[u8]) -> Option<usize> {
            let roomy = self.open.iter().filter(|(_, free)| *free >= labels.len());
            roomy.flat_map(|(from, _)| *from..from + BLOCK).find(|base| {
                !self.is_base[*base] && labels.iter().all(|label| !self.taken[base ^ usize::from(*label)])
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn lookup(trie: Trie<'_>, key: &[u8]) -> Option<u32> {
        let mut node = trie.root()?;
        for byte in key {
            node = trie.child(node, *byte)?;
        }
        trie.value(node)
    }

    fn built(keys: &BTreeMap<Vec<u8>, u32>) -> Vec<Unit> {
        build(&keys.iter().map(|(key, value)| (key.as_slice(), *value)).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn refuses_what_it_cannot_hold() {
        for keys in [
            &[(&b""[..], 1)][..],
            &[(&b"a\0"[..], 1)],
            &[(&b"a"[..], 1 << 24)],
            &[(&b"b"[..], 1), (&b"a"[..], 1)],
            &[(&b"a"[..], 1), (&b"a"[..], 2)],
        ] {
            assert!(matches!(build(keys), Err(Error::Unpackable { .. })), "{keys:?}");
        }
        assert!(Trie(&[]).root().is_none());
    }

    proptest! {
        #[test]
        fn holds_its_keys_and_no_others(
            keys in prop::collection::btree_map(prop::collection::vec(1u8..6, 1..6), 0u32..1 << 24, 0..60),
            wide in prop::collection::btree_map(prop::collection::vec(1u8.., 1..4), 0u32..1 << 24, 0..60),
            others in prop::collection::vec(prop::collection::vec(0u8..7, 0..7), 0..60),
        ) {
            let mut all = wide;
            all.extend(keys);
            let units = built(&all);
            let trie = Trie(&units);
            for (key, value) in &all {
                prop_assert_eq!(lookup(trie, key), Some(*value));
            }
            for other in &others {
                prop_assert_eq!(lookup(trie, other), all.get(other).copied());
            }
            prop_assert_eq!(trie.entries(16), all.into_iter().collect::<Vec<_>>());
        }

        #[test]
        fn noise_is_walked_without_harm(
            units in prop::collection::vec(any::<[u8; 4]>(), 0..600),
            keys in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..12), 0..20),
        ) {
            for key in &keys {
                lookup(Trie(&units), key);
            }
            Trie(&units).entries(3);
        }
    }
}
