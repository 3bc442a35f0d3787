use serde::{Deserialize, Serialize};

/// How vectors are searched. What was measured behind the defaults is in `docs/design/vectors-at-size.md`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ResidentConfig {
    /// So many vectors, or fewer, that pass the filter are all compared exactly.
    pub exact: usize,
    /// So many, or fewer, are compared by their 8-bit codes; above it by bits first.
    pub codes: usize,
    /// So many vectors that bits found near are compared by their codes for each that is compared exactly.
    pub per_hit: usize,
    /// At least so many in all.
    pub candidates: usize,
    /// So many more vectors than hits asked for are compared exactly, at least; a quarter more where that is more.
    pub rescored: usize,
    /// From so many memories, drawn with a fixed seed, the spread is told when not all were compared exactly.
    pub sample: usize,
    /// Codes are made anew when the centroid of a language has moved by more than this (vectors have length 1).
    pub drift: f64,
    /// Vectors that were replaced or removed are let go of when they are more than this share of all.
    pub gone_share: f64,
    /// When and how a graph is built.
    pub graph: GraphConfig,
}

impl Default for ResidentConfig {
    fn default() -> Self {
        Self {
            exact: 1024,
            codes: 8192,
            per_hit: 16,
            candidates: 2048,
            rescored: 32,
            sample: 512,
            drift: 0.1,
            gone_share: 0.25,
            graph: GraphConfig::default(),
        }
    }
}

/// When and how a graph (HNSW) over the vectors is built. Without the feature `hnsw` none is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GraphConfig {
    /// From so many vectors on.
    pub from: usize,
    /// Links a node on the upper levels; twice as many on the lowest. M in the paper.
    pub links: usize,
    /// How many candidates an insertion looks at.
    pub ef_construction: usize,
    /// How many candidates a search looks at, at least; more where more hits are asked for.
    pub ef_search: usize,
    /// The graph is walked when at least this share of the vectors passes the filter; else they are scanned.
    pub least_share: f64,
    /// It is built anew when vectors that came since are more than this share of it.
    pub new_share: f64,
    /// It is built anew when vectors that are gone are more than this share of it.
    pub gone_share: f64,
    /// It is built anew when a centroid has moved by more than this since.
    pub drift: f64,
}

impl Default for GraphConfig {
    fn default() -> Self {
        Self {
            from: 300_000,
            links: 16,
            ef_construction: 64,
            ef_search: 96,
            least_share: 0.1,
            new_share: 0.1,
            gone_share: 0.2,
            drift: 0.3,
        }
    }
}
