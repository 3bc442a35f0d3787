//! Taking secrets out of text and JSON before anything is written.
//!
//! Hand-written scanners without tables to build: a [`Redactor`] costs nothing to make, and a text is read once, from
//! left to right, in time linear in its length.

mod bytes;
mod command;
mod json;
mod judge;
mod keys;
mod kind;
mod labels;
mod near;
mod scan;
mod stand_in;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_labels;
mod tokens;
mod value;

pub use kind::{SecretCounts, SecretKind};

use mem_core::JsonObject;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;

/// What a [`Redactor`] does beyond what it knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RedactConfig {
    /// Further names whose values are secret, compared without regard to case, such as `spielpin`.
    pub labels: Vec<String>,
    /// Literal values that are never taken out, such as a password used in documentation.
    pub allow: Vec<String>,
    /// How often a changed text is read again for what the change uncovered.
    pub passes: u32,
}

impl Default for RedactConfig {
    fn default() -> Self {
        Self { labels: Vec::new(), allow: Vec::new(), passes: 3 }
    }
}

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted<'a> {
    /// The text; borrowed when nothing was taken out.
    pub text: Cow<'a, str>,
    /// What was taken out.
    pub counts: SecretCounts,
}

/// Takes secrets out of text and JSON, leaving `[REDACTED:kind]` and, for `<private>` text, `[PRIVATE]`.
///
/// Redacting twice changes nothing. Never fails and never panics; the result is valid UTF-8.
///
/// ```
/// use mem_extract::{RedactConfig, Redactor, SecretKind};
///
/// let redactor = Redactor::new(RedactConfig::default());
/// let clean = redactor.redact("export DB_PASSWORD=correct-horse-9 && make");
/// assert_eq!(clean.text, "export DB_PASSWORD=[REDACTED:env_value] && make");
/// assert_eq!(clean.counts.get(SecretKind::EnvValue), 1);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    config: RedactConfig,
}

impl Redactor {
    /// A redactor; costs nothing but the configuration.
    pub fn new(config: RedactConfig) -> Self {
        Self { config }
    }

    /// Takes the secrets out of a text.
    pub fn redact<'a>(&self, text: &'a str) -> Redacted<'a> {
        let mut counts = SecretCounts::default();
        let Some(mut clean) = self.pass(text, &mut counts) else {
            return Redacted { text: Cow::Borrowed(text), counts };
        };
        for _ in 0..self.config.passes {
            match self.pass(&clean, &mut counts) {
                Some(again) => clean = again,
                None => break,
            }
        }
        Redacted { text: Cow::Owned(clean), counts }
    }

    /// Takes the secrets out of a JSON value in place, with keys as labels; gives what was taken out.
    ///
    /// Knows `{"password": …}`, `{"name": "API_KEY", "value": …}`, header and environment maps, and argument lists such
    /// as `["--password", …]`. Recursion goes as deep as the value.
    pub fn redact_value(&self, value: &mut Value) -> SecretCounts {
        let mut counts = SecretCounts::default();
        json::value(self, value, None, None, &mut counts);
        counts
    }

    /// [`redact_value`](Self::redact_value) for an object.
    pub fn redact_object(&self, object: &mut JsonObject) -> SecretCounts {
        let mut counts = SecretCounts::default();
        json::object(self, object, &mut counts);
        counts
    }

    /// The kind of secret that a whole string is because of its key in an object.
    pub(crate) fn secret_under(&self, key: &str, text: &str) -> Option<SecretKind> {
        json::under_key(self, key, text)
    }

    fn pass(&self, text: &str, counts: &mut SecretCounts) -> Option<String> {
        // Nothing shorter than `pwd=a` can tell a secret.
        if text.len() < 5 {
            return None;
        }
        let spans = scan::Scan::new(text, &self.config.labels).run();
        let mut out: Option<String> = None;
        let mut copied = 0;
        for span in spans {
            // Every span lies on character boundaries; should one not, the whole rest goes.
            let (before, secret) = match (text.get(copied..span.start), text.get(span.start..span.end)) {
                (Some(before), Some(secret)) => (before, secret),
                _ => {
                    counts.add(span.kind);
                    let mut out = out.unwrap_or_default();
                    out.push_str(span.kind.marker());
                    return Some(out);
                }
            };
            if self.allows(secret) || secret == span.kind.marker() {
                continue;
            }
            let out = out.get_or_insert_with(|| String::with_capacity(text.len()));
            out.push_str(before);
            out.push_str(span.kind.marker());
            counts.add(span.kind);
            copied = span.end;
        }
        let mut out = out?;
        out.push_str(text.get(copied..).unwrap_or_default());
        Some(out)
    }

    fn allows(&self, secret: &str) -> bool {
        self.config.allow.iter().any(|allowed| allowed == secret)
    }

    fn extra_label(&self, key: &str) -> Option<labels::Label> {
        self.config.labels.iter().any(|l| l.eq_ignore_ascii_case(key)).then(labels::password_label)
    }
}
