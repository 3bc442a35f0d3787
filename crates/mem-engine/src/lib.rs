//! The engine of `mem`, a memory that coding agents keep between sessions: what agent builders add.
//!
//! Observe hook events, learn habits and statements from them, remember, recall, inject. Everything is local;
//! nothing needs a model, a daemon or the network; clock, embedder, extractor and paths are passed in.
//!
//! ```
//! use mem_engine::{Engine, Kind, Moment, NewMemory, ProjectId, Query, Situation, Timestamp};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let home = tempfile::tempdir()?;
//! let engine = Engine::builder(home.path()).open()?;
//! let project: ProjectId = "github.com/acme/harbor".parse()?;
//!
//! let new = NewMemory::new("改完代码不主动提交，等用户验证确认后再 commit/push").kind(Kind::Feedback);
//! let id = engine.remember(&new.project(project.clone()))?.id;
//!
//! let now: Timestamp = "2026-11-30T12:00:00Z".parse()?;
//! let recall = engine.recall(&Query::new("can I commit this?", now).within(project.clone()))?;
//! assert_eq!(recall.hits[0].memory.id, id);
//!
//! let situation = Situation { project: Some(&project), text: "现在可以提交吗", ..Situation::default() };
//! let injection = engine.injection(Moment::Prompt, &situation)?;
//! assert!(injection.block.text.contains("不主动提交"));
//! # Ok(()) }
//! ```
//!
//! | part | where |
//! |---|---|
//! | building | [`Engine::builder`], [`EngineBuilder`], [`Config`], [`Layout`] |
//! | observe | [`Observer`], [`Engine::replay`] |
//! | learn | [`Engine::learn`], [`Engine::promote`], [`Engine::evolve`] |
//! | remember | [`Engine::remember`], [`Engine::edit`], [`Engine::forget`], [`Engine::sync`] |
//! | recall | [`Engine::recall`], [`Engine::recall_relevant`] |
//! | inject | [`Engine::injection`], [`Engine::injected`] |
//! | upkeep | [`Engine::work`], [`Engine::status`], [`Engine::reindex`], [`Engine::embed_all`], [`Engine::backup`], [`restore`] |

mod config;
mod embed;
mod engine;
mod error;
mod evolve;
mod files;
mod inject;
mod instincts;
mod layout;
mod learn;
mod mirror;
mod model;
mod observe;
mod remember;
mod replay;
mod status;
mod work;

pub use config::{Config, HostConfig};
pub use embed::EmbedProgress;
pub use engine::{Durability, Engine, EngineBuilder};
pub use error::{EngineError, Result};
pub use evolve::{Evolved, remove_rules};
pub use inject::{
    Block, CLOSE, InjectBudget, InjectConfig, Injection, KnownText, Moment, OPEN, Situation, Template,
    Wording, cap_for, cut, estimate_tokens, render, units,
};
pub use layout::Layout;
pub use learn::{LearnConfig, Learned};
pub use mirror::{Synced, memory_from_markdown, memory_markdown, restore};
pub use model::{EmbedderConfig, known_models};
pub use observe::Observer;
pub use remember::{NewMemory, Outcome, Remembered};
pub use replay::Replayed;
pub use status::{EngineStatus, IndexStatus, ModelStatus, ObservationCounts, Queue, Sizes};
pub use work::Worked;

#[cfg(feature = "hnsw")]
pub use mem_ann::{GraphConfig, ResidentConfig};
pub use mem_core::*;
pub use mem_embed::{OnnxConfig, Pooling};
pub use mem_extract::lenient_json;
