//! The graph as a file: everything needed to walk it, and by which rows its nodes are known again.

use super::Graph;
use mem_core::{Centroids, MemoryId};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// First in the file.
const MAGIC: &[u8; 8] = b"memann\0\x01";

/// What the nodes of a graph are.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Nodes {
    /// The key of the model.
    pub(crate) model: String,
    /// What the codes were centred with.
    pub(crate) centroids: Centroids,
    /// Numbers a code.
    pub(crate) stride: usize,
    /// By node: the memory, the number of the chunk, and a digest of the vector; none for what was gone already.
    pub(crate) names: Vec<Option<(MemoryId, u32, u64)>>,
    /// Codes, node after node, and one over their lengths.
    pub(crate) codes: Vec<i8>,
    pub(crate) units: Vec<f32>,
}

/// What stands first, in JSON.
#[derive(Serialize, Deserialize)]
struct Head {
    model: String,
    centroids: Centroids,
    stride: usize,
    nodes: usize,
    width: usize,
    entry: u32,
    levels: usize,
}

/// The bytes of a file.
pub(crate) fn write(graph: &Graph, nodes: &Nodes) -> Result<Vec<u8>, serde_json::Error> {
    let head = Head {
        model: nodes.model.clone(),
        centroids: nodes.centroids.clone(),
        stride: nodes.stride,
        nodes: graph.len(),
        width: graph.width,
        entry: graph.entry,
        levels: graph.upper.len(),
    };
    let head = serde_json::to_vec(&head)?;
    let mut out = Vec::with_capacity(graph.base.len() * 4 + nodes.codes.len() + nodes.names.len() * 64);
    out.extend(MAGIC);
    number(&mut out, head.len());
    out.extend(head);
    for name in &nodes.names {
        let Some((id, chunk, print)) = name else {
            number(&mut out, 0);
            continue;
        };
        number(&mut out, id.as_str().len());
        out.extend(id.as_str().as_bytes());
        out.extend(chunk.to_le_bytes());
        out.extend(print.to_le_bytes());
    }
    out.extend(nodes.codes.iter().map(|part| part.cast_unsigned()));
    out.extend(nodes.units.iter().flat_map(|unit| unit.to_le_bytes()));
    for node in 0..graph.len() as u32 {
        list(&mut out, graph.links(0, node));
    }
    for level in &graph.upper {
        let mut all: Vec<_> = level.iter().collect();
        all.sort_unstable();
        number(&mut out, all.len());
        for (node, links) in all {
            out.extend(node.to_le_bytes());
            list(&mut out, links);
        }
    }
    out.extend(digest(&out).to_le_bytes());
    Ok(out)
}

/// What a file holds; none when it is damaged or of another form.
pub(crate) fn read(bytes: &[u8]) -> Option<(Graph, Nodes)> {
    let (content, sum) = bytes.split_last_chunk::<8>()?;
    if digest(content) != u64::from_le_bytes(*sum) {
        return None;
    }
    let mut from = Reader(content.strip_prefix(MAGIC)?);
    let length = from.number()?;
    let head: Head = serde_json::from_slice(from.take(length)?).ok()?;
    let count = head.nodes;
    // Each node takes more than a byte: a number beyond that is no count, and nothing is reserved for it.
    if count > content.len() || head.width > content.len() || head.levels > 64 {
        return None;
    }
    let mut names = Vec::with_capacity(count);
    for _ in 0..count {
        let length = from.number()?;
        if length == 0 {
            names.push(None);
            continue;
        }
        let id = MemoryId::new(std::str::from_utf8(from.take(length)?).ok()?).ok()?;
        names.push(Some((id, from.word()?, u64::from_le_bytes(*from.take(8)?.first_chunk()?))));
    }
    let codes = from.take(count.checked_mul(head.stride)?)?.iter().map(|part| part.cast_signed()).collect();
    let units = from.take(count.checked_mul(4)?)?.as_chunks().0;
    let units = units.iter().map(|unit| f32::from_le_bytes(*unit)).collect();
    let mut graph = Graph {
        width: head.width,
        base: vec![0; count.checked_mul(head.width).filter(|all| *all <= content.len())?],
        counts: Vec::with_capacity(count),
        upper: Vec::new(),
        entry: head.entry,
    };
    for node in 0..count {
        let links = from.list(count)?;
        let places = graph.base.get_mut(node * head.width..(node + 1) * head.width)?;
        places.get_mut(..links.len())?.copy_from_slice(&links);
        graph.counts.push(links.len() as u16);
    }
    for _ in 0..head.levels {
        let mut level = HashMap::new();
        for _ in 0..from.number()? {
            level.insert(from.word()?, from.list(count)?);
        }
        graph.upper.push(level);
    }
    let sound = from.0.is_empty() && (count == 0 || (head.entry as usize) < count);
    let nodes =
        Nodes { model: head.model, centroids: head.centroids, stride: head.stride, names, codes, units };
    sound.then_some((graph, nodes))
}

fn number(out: &mut Vec<u8>, number: usize) {
    out.extend((number as u32).to_le_bytes());
}

fn list(out: &mut Vec<u8>, links: &[u32]) {
    out.extend((links.len() as u16).to_le_bytes());
    out.extend(links.iter().flat_map(|link| link.to_le_bytes()));
}

/// Tells damage, not intent.
pub(super) fn digest(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mix = |sum: u64, word: u64| (sum ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    let sum = words.iter().fold(bytes.len() as u64, |sum, word| mix(sum, u64::from_le_bytes(*word)));
    rest.iter().fold(sum, |sum, byte| mix(sum, u64::from(*byte)))
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn word(&mut self) -> Option<u32> {
        self.take(4)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
    }

    fn number(&mut self) -> Option<usize> {
        self.word().map(|word| word as usize)
    }

    /// Links to some of `nodes`.
    fn list(&mut self, nodes: usize) -> Option<Vec<u32>> {
        let count = u16::from_le_bytes(*self.take(2)?.first_chunk()?);
        let links = self.take(usize::from(count) * 4)?.as_chunks().0;
        let links: Vec<_> = links.iter().map(|link| u32::from_le_bytes(*link)).collect();
        links.iter().all(|link| (*link as usize) < nodes).then_some(links)
    }
}
