//! From a host's hook payload to an [`Observation`](mem_core::Observation), redacted and bounded.

mod bounds;
/// Payloads of Claude Code, and of the hosts that send the same fields.
pub mod claude;
#[cfg(test)]
mod tests;

use crate::Redactor;
use mem_core::{ProjectId, Timestamp};
use serde::{Deserialize, Serialize};

/// How much of a payload an observation keeps. Lengths are in characters unless they say bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CaptureConfig {
    /// Longer strings of the input become digests.
    pub max_string: usize,
    /// How much of a string its digest keeps as `head`.
    pub digest_head: usize,
    /// How much of a prompt is kept.
    pub max_prompt: usize,
    /// How much of an error is kept.
    pub max_error: usize,
    /// How much of a command's output is kept.
    pub max_stdout: usize,
    /// How many elements of an array and fields of an object are kept.
    pub max_items: usize,
    /// How deep values may nest below a field.
    pub max_depth: usize,
    /// Size of the whole line in bytes of JSON.
    pub max_line_bytes: usize,
    /// Tools recorded before they run, besides after.
    pub pre_tools: Vec<String>,
    /// Pairs of strings between which text is our own output and is removed from prompts. The first of a pair is the
    /// beginning of a tag, and the second its end.
    pub own_output: Vec<(String, String)>,
}

impl Default for CaptureConfig {
    fn default() -> Self {
        Self {
            max_string: 1_000,
            digest_head: 200,
            max_prompt: 20_000,
            max_error: 500,
            max_stdout: 300,
            max_items: 64,
            max_depth: 8,
            max_line_bytes: 64 * 1024,
            pre_tools: vec!["Bash".to_owned(), "PowerShell".to_owned()],
            own_output: vec![("<mem-context".to_owned(), "</mem-context>".to_owned())],
        }
    }
}

/// What an observation needs beside the payload.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// When the payload was received.
    pub now: Timestamp,
    /// The project the payload's directory belongs to.
    pub project: Option<&'a ProjectId>,
    /// Takes the secrets out.
    pub redactor: &'a Redactor,
    /// How much is kept.
    pub limits: &'a CaptureConfig,
}
