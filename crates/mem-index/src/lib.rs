//! Tokenising, BM25, fusion and ranking: recall for mem.
//!
//! | step | item |
//! |---|---|
//! | text to tokens, any language, identifiers, paths | [`tokenize`], [`detect`] |
//! | the lexical view on disk | [`TantivyIndex`]; over memories in hand [`scan()`] |
//! | lists to one list | [`fuse`] |
//! | age, kind, source, place, feedback | [`factors`], [`marks`] |
//! | whether a hit matters | [`RelevanceConfig`] over [`Features`] |
//! | all of it for a question | [`Recaller`] |
//! | views brought up to the store | [`catch_up`], [`embed_missing`] |
//!
//! ```
//! use mem_core::{Kind, Memory, MemoryStore, Query, Timestamp};
//! use mem_index::{Budget, Recaller, TantivyConfig, TantivyIndex, catch_up};
//!
//! let now: Timestamp = "2026-11-30T12:00:00Z".parse()?;
//! let store = mem_testing::InMemoryStore::default();
//! store.put(&[Memory::new(Kind::Feedback, "改完代码不主动提交，等用户确认后再 commit", now)])?;
//! let folder = tempfile::tempdir()?;
//! let text = TantivyIndex::new(folder.path(), TantivyConfig::default());
//! catch_up(&store, &text, &Budget::default())?;
//! let answer = Recaller::new(&store, &text).recall(&Query::new("提交", now))?;
//! assert_eq!(answer.hits.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bm25;
mod chunk;
mod collapse;
mod error;
mod fusion;
mod language;
mod lexical;
mod passage;
mod ranking;
mod recall;
mod reconcile;
mod related;
mod relevance;
mod scan;
mod tokenize;

pub use bm25::{TantivyConfig, TantivyIndex};
pub use chunk::chunks;
pub use collapse::{CollapseConfig, collapse};
pub use error::IndexError;
pub use fusion::{Fused, Fusion, Ranking, fuse};
pub use language::detect;
pub use lexical::{FieldWeights, GramConfig, LexicalConfig};
pub use passage::{CutConfig, PassageConfig, PassageScorer, PassageScores, passages};
pub use ranking::{AnchorState, Nearness, RankContext, RankingConfig, age_days, factors, marks, nearness};
pub use recall::{AnchorCheck, Judged, RecallConfig, Recaller};
pub use reconcile::{Budget, CaughtUp, Embedded, catch_up, embed_missing, embed_missing_while};
pub use relevance::{Features, RelevanceConfig, RelevanceWeights};
pub use scan::scan;
pub use tokenize::{
    MAX_TOKEN_CHARS, MAX_TOKENS, MemTokenizer, Mode, TOKENIZER_VERSION, Token, TokenKind, tokenize,
};
