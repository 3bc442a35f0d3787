//! Building the graph, on several threads and yet the same one every time.
//!
//! Nodes are inserted in batches. Those of a batch look for their neighbours in the graph as it is, all at once; then
//! links are laid, each node's list by one thread. A batch is a small part of what is there, so that its nodes miss
//! little by not seeing one another (prefix doubling: Dobson et al., ParlayANN, 2024, <https://arxiv.org/abs/2305.04359>).

use super::{Graph, Near, Seen, Space};
use crate::GraphConfig;
use rayon::prelude::*;
use std::collections::HashMap;

/// A batch is at most this part of what is there.
const PART: usize = 50;
/// The most nodes of a batch.
const BATCH: usize = 1024;
/// No node is above this level: with 4 links a node that is enough for 10^9.
const HIGHEST: usize = 15;

/// What a node of a batch found: its neighbours by level, the lowest first.
type Found = Vec<Vec<Near>>;

impl Graph {
    /// A graph over these rows; node `n` is the n-th of `space.rows`.
    pub(crate) fn build(space: &Space<'_>, config: &GraphConfig) -> Self {
        let nodes = space.rows.len();
        let links = config.links.clamp(4, 128);
        // While it grows a list may be a quarter longer: then it is thinned less often.
        let (most, width) = (2 * links, 2 * links + links / 2);
        let mut graph =
            Self { width, base: vec![0; nodes * width], counts: vec![0; nodes], upper: Vec::new(), entry: 0 };
        let levels: Vec<usize> = (0..nodes).map(|node| level(node as u64, links)).collect();
        let mut done = 0;
        while done < nodes {
            let end = nodes.min(done + (done / PART).clamp(1, BATCH));
            let batch: Vec<usize> = (done..end).collect();
            let found: Vec<Found> = if done == 0 {
                vec![vec![Vec::new(); levels.first().map_or(1, |level| level + 1)]]
            } else {
                let find = |seen: &mut Seen, node: &usize| {
                    let level = levels.get(*node).copied().unwrap_or_default();
                    graph.neighbours(
                        space,
                        *node as u32,
                        level,
                        links,
                        config.ef_construction.max(links),
                        seen,
                    )
                };
                batch.par_iter().map_init(Seen::default, find).collect()
            };
            graph.lay(space, done, &found, most);
            for node in batch {
                if levels.get(node).is_some_and(|level| *level > graph.upper.len()) || node == 0 {
                    graph.entry = node as u32;
                    let above = levels.get(node).copied().unwrap_or_default();
                    graph.upper.resize_with(above.max(graph.upper.len()), HashMap::new);
                    for level in &mut graph.upper {
                        level.entry(node as u32).or_default();
                    }
                }
            }
            done = end;
        }
        graph.shrink(space, most);
        graph
    }

    /// The neighbours of a node that is not yet there, on each of its levels that are.
    fn neighbours(
        &self,
        space: &Space<'_>,
        node: u32,
        level: usize,
        links: usize,
        ef: usize,
        seen: &mut Seen,
    ) -> Found {
        let question = space.code(node);
        let mut starts = vec![self.descend(space, question, level)];
        let mut found = vec![Vec::new(); level.min(self.upper.len()) + 1];
        for (level, place) in found.iter_mut().enumerate().rev() {
            starts = self.layer(space, question, &starts, ef, level, seen, &|_| true);
            *place = thin(space, starts.iter().copied(), links);
        }
        found
    }

    /// Links the nodes of a batch, there and back.
    fn lay(&mut self, space: &Space<'_>, first: usize, found: &[Found], most: usize) {
        for level in 0..=self.upper.len() {
            let mut back: Vec<(u32, Near)> = Vec::new();
            for (node, found) in (first..).zip(found) {
                let Some(links) = found.get(level) else { continue };
                let node = node as u32;
                self.set(level, node, links.iter().map(|near| near.node).collect());
                back.extend(links.iter().map(|near| (near.node, Near { node, ..*near })));
            }
            back.sort_unstable_by_key(|(to, near)| (*to, near.node));
            let groups: Vec<&[(u32, Near)]> = back.chunk_by(|a, b| a.0 == b.0).collect();
            let width = if level == 0 { self.width } else { most };
            let lists: Vec<(u32, Vec<u32>)> = groups
                .par_iter()
                .filter_map(|group| {
                    let (node, _) = *group.first()?;
                    let own = self.links(level, node);
                    let new = group.iter().map(|(_, near)| *near);
                    if own.len() + group.len() <= width {
                        return Some((node, own.iter().copied().chain(new.map(|near| near.node)).collect()));
                    }
                    let question = space.code(node);
                    let mut all: Vec<Near> =
                        own.iter().map(|other| space.near(question, *other)).chain(new).collect();
                    all.sort_unstable_by(|a, b| b.cmp(a));
                    let keep = if level == 0 { most } else { most / 2 };
                    Some((node, thin(space, all, keep).iter().map(|near| near.node).collect()))
                })
                .collect();
            for (node, links) in lists {
                self.set(level, node, links);
            }
        }
    }

    fn set(&mut self, level: usize, node: u32, links: Vec<u32>) {
        match level.checked_sub(1) {
            None => {
                let from = node as usize * self.width;
                let places = self.base.get_mut(from..from + self.width).unwrap_or_default();
                places.iter_mut().zip(&links).for_each(|(place, link)| *place = *link);
                if let Some(count) = self.counts.get_mut(node as usize) {
                    *count = links.len().min(self.width) as u16;
                }
            }
            Some(above) => {
                if let Some(level) = self.upper.get_mut(above) {
                    level.insert(node, links);
                }
            }
        }
    }

    /// Thins lists on the lowest level to what they may be, and lets go of the room they had for growing.
    fn shrink(&mut self, space: &Space<'_>, most: usize) {
        let nodes = self.len();
        let lists: Vec<Vec<u32>> = (0..nodes as u32)
            .into_par_iter()
            .map(|node| {
                let own = self.links(0, node);
                if own.len() <= most {
                    return own.to_vec();
                }
                let question = space.code(node);
                let mut all: Vec<Near> = own.iter().map(|other| space.near(question, *other)).collect();
                all.sort_unstable_by(|a, b| b.cmp(a));
                thin(space, all, most).iter().map(|near| near.node).collect()
            })
            .collect();
        self.width = most;
        self.base = vec![0; nodes * most];
        for (node, links) in (0u32..).zip(lists) {
            self.set(0, node, links);
        }
    }
}

/// Of candidates, the nearest first, those that are nearer to the node than to any kept before: algorithm 4 of the paper.
/// So links lead in all directions.
fn thin(space: &Space<'_>, candidates: impl IntoIterator<Item = Near>, most: usize) -> Vec<Near> {
    let mut kept: Vec<Near> = Vec::with_capacity(most);
    for candidate in candidates {
        if kept.len() >= most {
            break;
        }
        let code = space.code(candidate.node);
        if kept.iter().all(|other| space.near(code, other.node).score < candidate.score) {
            kept.push(candidate);
        }
    }
    kept
}

/// The level of a node: exponentially few are high. Of its number alone, so that a graph is the same every time.
fn level(node: u64, links: usize) -> usize {
    // SplitMix64 (Steele, Lea and Flood, 2014).
    let mut x = node.wrapping_add(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^= x >> 31;
    let uniform = ((x >> 11) + 1) as f64 / (1u64 << 53) as f64;
    ((-uniform.ln() / (links as f64).ln()) as usize).min(HIGHEST)
}
