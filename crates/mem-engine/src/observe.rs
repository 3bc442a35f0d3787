//! Capturing what hooks see: no database, no index, no model.

use crate::{Config, Layout};
use mem_core::{JsonObject, Observation, ObservationLog, ProjectId, Timestamp};
use mem_extract::{CaptureConfig, Context, Redactor, claude};
use mem_store::journal::Journal;
use std::sync::Arc;

/// Turns host events into observations and appends them to the journal.
///
/// Opening one costs nothing: it is what runs in a hook's path.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let home = tempfile::tempdir()?;
/// use mem_engine::{Config, Layout, Observer};
/// let observer = Observer::new(&Layout::new(home.path()), &Config::default());
/// let payload = serde_json::json!({
///     "session_id": "s1", "hook_event_name": "PostToolUse", "tool_name": "Bash", "cwd": "/work",
///     "tool_input": {"command": "cargo test"}, "tool_response": {"stdout": "ok"},
/// });
/// let seen = observer.record(payload.as_object().unwrap(), "2026-11-30T12:00:00Z".parse()?, None)?;
/// assert_eq!(seen.unwrap().tool.as_deref(), Some("Bash"));
/// # Ok(()) }
/// ```
pub struct Observer {
    redactor: Redactor,
    limits: CaptureConfig,
    log: Arc<dyn ObservationLog>,
}

impl std::fmt::Debug for Observer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Observer").field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl Observer {
    /// An observer that writes to the journal of a home.
    pub fn new(layout: &Layout, config: &Config) -> Self {
        Self {
            redactor: Redactor::new(config.redact.clone()),
            limits: config.capture.clone(),
            log: Arc::new(Journal::new(layout.journal(), config.journal.clone())),
        }
    }

    /// An observer that writes to another log.
    pub fn over(log: Arc<dyn ObservationLog>, config: &Config) -> Self {
        Self { redactor: Redactor::new(config.redact.clone()), limits: config.capture.clone(), log }
    }

    /// What an event of Claude Code amounts to: redacted and bounded; none for events that carry nothing for us.
    pub fn observe(
        &self,
        payload: &JsonObject,
        now: Timestamp,
        project: Option<&ProjectId>,
    ) -> Option<Observation> {
        let context = Context { now, project, redactor: &self.redactor, limits: &self.limits };
        claude::observe(payload, &context)
    }

    /// Observes and appends. Returns what was written.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn record(
        &self,
        payload: &JsonObject,
        now: Timestamp,
        project: Option<&ProjectId>,
    ) -> mem_core::Result<Option<Observation>> {
        let observation = self.observe(payload, now, project);
        if let Some(observation) = &observation {
            self.log.append(std::slice::from_ref(observation))?;
        }
        Ok(observation)
    }

    /// Appends what was observed before.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn append(&self, observations: &[Observation]) -> mem_core::Result<()> {
        self.log.append(observations)
    }
}
