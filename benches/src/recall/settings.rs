//! The constants a run works with, and how some of them are given other values.

use anyhow::Context as _;
use mem_index::{Budget, RecallConfig, TantivyConfig};
use serde_json::{Value, json};

/// Everything that may be set.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub(super) recall: RecallConfig,
    pub(super) text: TantivyConfig,
    pub(super) index: Budget,
}

impl Default for Settings {
    /// The library's own; only more is embedded in one call of the model, which changes no vector.
    fn default() -> Self {
        Self {
            recall: RecallConfig::default(),
            text: TantivyConfig::default(),
            index: Budget { embeddings_batch: 2_048, ..Budget::default() },
        }
    }
}

/// Parts that stand beside the configuration of recall, by the first word of a key.
const PARTS: [&str; 3] = ["text", "index", "policies"];

impl Settings {
    /// The same with other values: each is `key=value`, the key a dotted path into the serialised configuration of
    /// recall, or behind `text.`, `index.` or `policies.` into that of the lexical index, of the budget, of the kinds;
    /// the value JSON, or else a word.
    pub(super) fn with<S: AsRef<str>>(&self, assignments: &[S]) -> anyhow::Result<Self> {
        let mut all = serde_json::to_value(&self.recall)?;
        for (part, value) in PARTS.iter().zip([
            serde_json::to_value(self.text)?,
            serde_json::to_value(self.index)?,
            serde_json::to_value(&self.recall.policies)?,
        ]) {
            if let Some(all) = all.as_object_mut() {
                all.insert((*part).to_owned(), value);
            }
        }
        for assignment in assignments {
            set(&mut all, assignment.as_ref())?;
        }
        let mut take =
            |part: &str| all.as_object_mut().and_then(|all| all.remove(part)).unwrap_or_else(|| json!({}));
        let text: TantivyConfig = serde_json::from_value(take("text")).context("settings of text")?;
        let index = serde_json::from_value(take("index")).context("settings of index")?;
        let policies = serde_json::from_value(take("policies")).context("settings of policies")?;
        let recall: RecallConfig = serde_json::from_value(all).context("settings of recall")?;
        Ok(Self { recall: RecallConfig { policies, lexical: text.lexical, ..recall }, text, index })
    }
}

/// Gives the value at a dotted key another one.
pub(super) fn set(all: &mut Value, assignment: &str) -> anyhow::Result<()> {
    let (key, value) =
        assignment.split_once('=').with_context(|| format!("--set takes key=value, got {assignment:?}"))?;
    let mut at = all;
    let mut walked = String::new();
    for word in key.trim().split('.') {
        let known: Vec<String> =
            at.as_object().map(|object| object.keys().cloned().collect()).unwrap_or_default();
        at = at.get_mut(word).with_context(|| {
            let place = if walked.is_empty() { "--set".to_owned() } else { format!("--set {walked}") };
            if known.is_empty() {
                format!("{place} is one value and has no {word:?}")
            } else {
                format!("{place} knows no {word:?}; it has {}", known.join(", "))
            }
        })?;
        walked = if walked.is_empty() { word.to_owned() } else { format!("{walked}.{word}") };
    }
    *at = serde_json::from_str(value.trim()).unwrap_or_else(|_| json!(value.trim()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use mem_index::Fusion;

    #[test]
    fn values_are_set_where_their_keys_say() {
        let settings = Settings::default()
            .with(&[
                "per_channel=50",
                "ranking.time_floor=1",
                "vector_weight=0.25",
                r#"fusion={"rrf":{"k":10}}"#,
                "text.lexical.k1=0.9",
                "index.cut.overlap=3",
                "policies.fact.boost=2",
            ])
            .unwrap();
        assert_eq!(settings.recall.per_channel, 50);
        assert_eq!(settings.recall.ranking.time_floor, 1.0);
        assert_eq!(settings.recall.vector_weight, Some(0.25));
        assert_eq!(settings.recall.fusion, Fusion::Rrf { k: 10.0 });
        assert_eq!((settings.text.lexical.k1, settings.recall.lexical.k1), (0.9, 0.9));
        assert_eq!(settings.index.cut.overlap, 3);
        assert_eq!(settings.recall.policies.fact.boost, 2.0);
        let same = Settings::default().with::<&str>(&[]).unwrap();
        assert_eq!(same.recall, RecallConfig::default());
    }

    #[test]
    fn what_is_unknown_is_told_with_what_is_known() {
        let told = |assignment: &str| format!("{:#}", Settings::default().with(&[assignment]).unwrap_err());
        assert!(told("perchannel=1").contains("per_channel"), "{}", told("perchannel=1"));
        assert!(told("ranking.nope=1").contains("--set ranking knows no \"nope\""));
        assert!(told("pool.nope=1").contains("--set pool is one value"));
        assert!(told("pool").contains("key=value"));
        assert!(told("pool=many").contains("settings of recall"));
        assert!(told("fusion=z").contains("settings of recall"));
    }
}
