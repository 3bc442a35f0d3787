//! Redaction, detectors, conversation rules and transcript readers of `mem`.
//!
//! Everything here turns what an agent's host sends or stores into the words of [`mem_core`].

mod capture;
pub mod conversation;
pub mod detect;
mod error;
pub mod lenient_json;
mod redact;
pub mod transcript;

pub use capture::{CaptureConfig, Context, claude};
pub use error::ExtractError;
pub use redact::{RedactConfig, Redacted, Redactor, SecretCounts, SecretKind};
