//! A navigable graph over rows of codes: HNSW (Malkov and Yashunin, 2018, <https://arxiv.org/abs/1603.09320>).

mod build;
mod file;

pub(crate) use file::{Nodes, read, write};

use crate::codes::dot;
use std::{
    cmp::{Ordering, Reverse},
    collections::{BinaryHeap, HashMap},
};

/// A node and how near it is, by cosine of codes. Ordered by nearness, ties by node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Near {
    pub(crate) score: f32,
    pub(crate) node: u32,
}

impl Eq for Near {}

impl Ord for Near {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then_with(|| other.node.cmp(&self.node))
    }
}

impl PartialOrd for Near {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The rows behind the nodes.
#[derive(Clone, Copy)]
pub(crate) struct Space<'a> {
    /// Codes, row after row.
    pub(crate) codes: &'a [i8],
    /// One over the length of each row's code.
    pub(crate) units: &'a [f32],
    /// Numbers a row.
    pub(crate) stride: usize,
    /// The row of each node.
    pub(crate) rows: &'a [u32],
}

impl<'a> Space<'a> {
    fn code(&self, node: u32) -> (&'a [i8], f32) {
        let row = self.rows.get(node as usize).map_or(usize::MAX, |row| *row as usize);
        let code = row.checked_mul(self.stride).and_then(|from| self.codes.get(from..from + self.stride));
        (code.unwrap_or_default(), self.units.get(row).copied().unwrap_or_default())
    }

    fn near(&self, (code, unit): (&[i8], f32), node: u32) -> Near {
        let (other, other_unit) = self.code(node);
        Near { score: dot(code, other) as f32 * (unit * other_unit), node }
    }
}

/// Which nodes were seen.
#[derive(Debug, Default)]
struct Seen(Vec<u64>);

impl Seen {
    fn clear(&mut self, nodes: usize) {
        self.0.clear();
        self.0.resize(nodes.div_ceil(64), 0);
    }

    /// Whether it is the first time.
    fn insert(&mut self, node: u32) -> bool {
        let Some(word) = self.0.get_mut(node as usize / 64) else { return false };
        let bit = 1 << (node % 64);
        let first = *word & bit == 0;
        *word |= bit;
        first
    }
}

/// The links of every node, on every level it is on.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Graph {
    /// At most so many links a node on the lowest level.
    width: usize,
    /// Links on the lowest level: `width` places a node, of which the first `counts` are taken.
    base: Vec<u32>,
    counts: Vec<u16>,
    /// Links on level 1 and above.
    upper: Vec<HashMap<u32, Vec<u32>>>,
    /// The node where searches begin, on the highest level.
    entry: u32,
}

impl Graph {
    /// How many nodes.
    pub(crate) fn len(&self) -> usize {
        self.counts.len()
    }

    /// What it takes, in bytes, near enough.
    pub(crate) fn bytes(&self) -> usize {
        let upper = self.upper.iter().flat_map(|level| level.values()).map(|links| 40 + links.capacity() * 4);
        self.base.capacity() * 4 + self.counts.capacity() * 2 + upper.sum::<usize>()
    }

    fn links(&self, level: usize, node: u32) -> &[u32] {
        match level.checked_sub(1) {
            None => {
                let count = self.counts.get(node as usize).map_or(0, |count| usize::from(*count));
                let from = node as usize * self.width;
                self.base.get(from..from + count).unwrap_or_default()
            }
            Some(above) => {
                self.upper.get(above).and_then(|level| level.get(&node)).map_or(&[], Vec::as_slice)
            }
        }
    }

    /// Up to `ef` of the nodes nearest to a code that are admitted, the nearest first.
    ///
    /// Ways lead over nodes that are not admitted, so that they cut nothing off; of those it walks the more, the fewer
    /// are admitted.
    pub(crate) fn search(
        &self,
        space: &Space<'_>,
        question: (&[i8], f32),
        ef: usize,
        admits: &dyn Fn(u32) -> bool,
    ) -> Vec<Near> {
        if self.len() == 0 {
            return Vec::new();
        }
        let mut seen = Seen::default();
        let start = self.descend(space, question, 0);
        self.layer(space, question, &[start], ef, 0, &mut seen, admits)
    }

    /// The node nearest to a code that steps to the nearest neighbour lead to, above `level`.
    fn descend(&self, space: &Space<'_>, question: (&[i8], f32), level: usize) -> Near {
        let mut best = space.near(question, self.entry);
        for level in (level + 1..=self.upper.len()).rev() {
            loop {
                let links = self.links(level, best.node).iter();
                match links.map(|node| space.near(question, *node)).max() {
                    Some(nearer) if nearer > best => best = nearer,
                    _ => break,
                }
            }
        }
        best
    }

    /// Algorithm 2 of the paper, with a filter.
    #[allow(clippy::too_many_arguments, reason = "the parts of one search")]
    fn layer(
        &self,
        space: &Space<'_>,
        question: (&[i8], f32),
        starts: &[Near],
        ef: usize,
        level: usize,
        seen: &mut Seen,
        admits: &dyn Fn(u32) -> bool,
    ) -> Vec<Near> {
        seen.clear(self.len());
        let mut ahead = BinaryHeap::with_capacity(ef);
        let mut found = BinaryHeap::with_capacity(ef + 1);
        for start in starts {
            if seen.insert(start.node) {
                ahead.push(*start);
                if admits(start.node) {
                    found.push(Reverse(*start));
                }
            }
        }
        while let Some(next) = ahead.pop() {
            let worst = found.peek().map(|Reverse(worst): &Reverse<Near>| *worst);
            if found.len() >= ef && worst.is_some_and(|worst| next < worst) {
                break;
            }
            for node in self.links(level, next.node) {
                if !seen.insert(*node) {
                    continue;
                }
                let near = space.near(question, *node);
                let full = found.len() >= ef;
                if full && found.peek().is_some_and(|Reverse(worst)| near < *worst) {
                    continue;
                }
                ahead.push(near);
                if admits(*node) {
                    found.push(Reverse(near));
                    if full {
                        found.pop();
                    }
                }
            }
        }
        let mut found: Vec<_> = found.into_iter().map(|Reverse(near)| near).collect();
        found.sort_unstable_by(|a, b| b.cmp(a));
        found.truncate(ef);
        found
    }
}

#[cfg(test)]
mod tests;
