//! Confidence, similarity, clustering and rules files: pure functions over instincts.
//!
//! Nothing here reads a file, a clock or the environment; the same values give the same answer.
//!
//! | question | answer |
//! |---|---|
//! | How far is an instinct believed? | [`StepwisePolicy`], [`BetaPolicy`] |
//! | Do two wordings mean one habit? | [`Signature`], [`jaccard`] |
//! | Which instincts belong together? | [`cluster`], [`evolve`] |
//! | What does the agent get to read? | [`render_rules`], [`plan_rules`], [`render_project_block`] |
//! | Which hold everywhere, and what may leave the machine? | [`promote`], [`share`], [`inherit`] |
//!
//! ```
//! use mem_evolve::{Signature, SimilarityConfig};
//!
//! let english = Signature::new("before commit", "run cargo test");
//! let chinese = Signature::new("提交前", "先跑 cargo test");
//! let other = Signature::new("after editing a migration", "run cargo test");
//! let config = SimilarityConfig::default();
//! assert!(english.is_similar(&chinese, &config));
//! assert!(!english.is_similar(&other, &config));
//! ```

mod bridge;
mod cluster;
mod confidence;
mod error;
mod evolve;
mod promotion;
mod rules_file;
mod rules_plan;
mod sanitize;
mod share;
mod similarity;
#[cfg(test)]
mod testing;
mod union_find;

pub use cluster::{cluster, representative};
pub use confidence::{BetaConfig, BetaEstimate, BetaPolicy, StepwiseConfig, StepwisePolicy};
pub use error::Error;
pub use evolve::{DomainGroup, Evolution, EvolveConfig, LeftOut, LeftOutReason, Merged, evolve};
pub use promotion::{Promotion, PromotionConfig, promote};
pub use rules_file::{
    BlockConfig, RenderedRules, RulesConfig, RulesFile, RulesText, render_project_block, render_rules,
};
pub use rules_plan::{MARKER, RulesPlan, is_generated, plan_rules};
pub use share::{inherit, share};
pub use similarity::{Signature, SimilarityConfig, TokenSet, jaccard, tokens};
pub use union_find::UnionFind;
