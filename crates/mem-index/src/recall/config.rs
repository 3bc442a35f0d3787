use crate::{CollapseConfig, Fusion, LexicalConfig, PassageConfig, RankingConfig, RelevanceConfig};
use mem_core::PolicyTable;
use serde::{Deserialize, Serialize};

/// How recall works.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RecallConfig {
    /// So many of the best of each channel are fused.
    pub per_channel: usize,
    /// So many of the best after fusion are read from the store and weighed, at least; three times the limit if that is
    /// more.
    pub pool: usize,
    /// How the channels' lists become one.
    pub fusion: Fusion,
    /// How much BM25 over words counts in the fusion.
    pub bm25_weight: f64,
    /// How much BM25 over trigrams counts; 0 leaves them out.
    pub trigram_weight: f64,
    /// The share of a question's information ([`mem_core::TextHit::coverage`]) that the best memory must hold for the
    /// lexical channels to count in full where there are vectors; with less they count in proportion. A question in the
    /// store's other language meets only stray words, and those would stand out by far.
    pub lexical_trust: f64,
    /// How much the vectors count; none: as the embedder says.
    pub vector_weight: Option<f64>,
    /// How much BM25 over the parts of long memories counts. 0 leaves them out: on no set of labelled data did they
    /// move the order beyond chance, and reading them takes time.
    pub passage_weight: f64,
    /// How passages are cut and scored.
    pub passages: PassageConfig,
    /// The share of its score that a turn of a conversation lends to the turns beside it; 0 lends nothing.
    pub neighbour_share: f64,
    /// A language's centroid in the store counts as much as the model's own once so many vectors stand behind it.
    pub centroid_prior: f64,
    /// A hit over a link gets this share of the score of the hit it hangs on; 0 follows no links.
    pub link_damping: f64,
    /// The constants of ranking.
    pub ranking: RankingConfig,
    /// Kinds' policies; in a configuration file they stand by themselves.
    #[serde(skip)]
    pub policies: PolicyTable,
    /// When two hits say the same.
    pub collapse: CollapseConfig,
    /// Where relevance begins.
    pub relevance: RelevanceConfig,
    /// Leave out what is not relevant by the stricter rule too: for injection.
    #[serde(skip)]
    pub relevant_only: bool,
    /// How words are weighed where the store is read instead of the index: as the index does.
    #[serde(skip)]
    pub lexical: LexicalConfig,
    /// At most so many memories are read from the store when the index is of no use.
    pub scan_limit: usize,
}

impl Default for RecallConfig {
    fn default() -> Self {
        Self {
            per_channel: 100,
            pool: 30,
            fusion: Fusion::default(),
            bm25_weight: 1.0,
            trigram_weight: 0.5,
            lexical_trust: 0.5,
            vector_weight: None,
            passage_weight: 0.0,
            passages: PassageConfig::default(),
            neighbour_share: 0.35,
            centroid_prior: 50.0,
            link_damping: 0.5,
            ranking: RankingConfig::default(),
            policies: PolicyTable::default(),
            collapse: CollapseConfig::default(),
            relevance: RelevanceConfig::default(),
            relevant_only: false,
            lexical: LexicalConfig::default(),
            scan_limit: 5_000,
        }
    }
}
