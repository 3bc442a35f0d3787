use crate::{InjectConfig, LearnConfig};
use mem_core::PolicyTable;
use serde::{Deserialize, Serialize};

/// Every default of the product, as `config.toml` names it. What a file leaves out keeps its default;
/// a key that does not exist is an error that names it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// `limit`: how many memories a question brings that does not say it.
    pub limit: usize,
    /// `[policy.<kind>]`: time to live, time weight, quota and boost of each kind.
    pub policy: PolicyTable,
    /// `[journal]`: rotation and locks of the observation journal.
    pub journal: mem_store::journal::JournalConfig,
    /// `[capture]`: how much of an event is kept.
    pub capture: mem_extract::CaptureConfig,
    /// `[redact]`: what counts as a secret.
    pub redact: mem_extract::RedactConfig,
    /// `[detect]`: thresholds of the detectors.
    pub detect: mem_extract::detect::DetectConfig,
    /// `[conversation]`: extraction of statements.
    pub conversation: mem_extract::conversation::ConversationConfig,
    /// `[transcript]`: how past sessions are read.
    pub transcript: mem_extract::transcript::TranscriptConfig,
    /// `[learn]`: from evidence to instincts and memories.
    pub learn: LearnConfig,
    /// `[confidence]`: the stepwise policy.
    pub confidence: mem_evolve::StepwiseConfig,
    /// `[evolve]`: which instincts take part, and when two are one.
    pub evolve: mem_evolve::EvolveConfig,
    /// `[promotion]`: when a habit of several projects becomes one of all.
    pub promotion: mem_evolve::PromotionConfig,
    /// `[rules]`: names and bounds of the rules files.
    pub rules: mem_evolve::RulesConfig,
    /// `[habits]`: bounds of a project's habits at a session's start.
    pub habits: mem_evolve::BlockConfig,
    /// `[embedder]`: which model turns texts into vectors.
    pub embedder: crate::EmbedderConfig,
    /// `[bm25]`: fields and weights.
    pub bm25: mem_index::TantivyConfig,
    /// `[recall]`: channels, fusion, ranking, relevance.
    pub recall: mem_index::RecallConfig,
    /// `[reconcile]`: how views follow the store.
    pub reconcile: mem_index::Budget,
    /// `[inject]`: budget and templates.
    pub inject: InjectConfig,
    /// `max_memory_chars`: a longer text is no memory.
    pub max_memory_chars: usize,
    /// `trash_days`: days a memory that was forgotten softly can be brought back.
    pub trash_days: u32,
    /// `[host]`: how `mem` behaves towards the agent. Read by the command, not by the engine.
    pub host: HostConfig,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            limit: 5,
            policy: Default::default(),
            journal: Default::default(),
            capture: Default::default(),
            redact: Default::default(),
            detect: Default::default(),
            conversation: Default::default(),
            transcript: Default::default(),
            learn: Default::default(),
            confidence: Default::default(),
            evolve: Default::default(),
            promotion: Default::default(),
            rules: Default::default(),
            habits: Default::default(),
            embedder: Default::default(),
            bm25: Default::default(),
            recall: Default::default(),
            reconcile: Default::default(),
            inject: Default::default(),
            trash_days: 30,
            max_memory_chars: 65_536,
            host: Default::default(),
        }
    }
}

impl Config {
    /// Checks the numbers that are not checked where they are used.
    ///
    /// # Errors
    /// Of kind `Invalid`, with the key, for one outside its bounds.
    pub fn validate(&self) -> crate::Result<()> {
        self.evolve.validate().map_err(mem_core::Error::from)?;
        self.promotion.validate().map_err(mem_core::Error::from)?;
        Ok(())
    }
}

/// How hooks behave towards the agent that calls them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HostConfig {
    /// Milliseconds after which a hook gives up and answers nothing.
    pub deadline_ms: u64,
    /// Whether sessions' ends start `mem work` in the background.
    pub background_work: bool,
    /// Whether rules files are written into the agent's rules folder.
    pub rules: bool,
    /// Whether a project's own rules are also written into its repository (`.claude/rules`).
    pub project_rules: bool,
}

impl Default for HostConfig {
    fn default() -> Self {
        Self { deadline_ms: 2_500, background_work: true, rules: true, project_rules: false }
    }
}
