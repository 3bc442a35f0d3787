use crate::{Kind, Language, SessionId, Timestamp, Unit};
use serde::{Deserialize, Serialize};

/// Who spoke.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TurnRole {
    /// The person.
    User,
    /// The agent.
    Assistant,
}

/// One utterance of a conversation, already redacted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// Who.
    pub role: TurnRole,
    /// What was said.
    pub text: String,
    /// When.
    pub at: Timestamp,
    /// In which conversation.
    pub session: SessionId,
}

/// Something extracted that has not yet passed the filters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// What sort of knowledge it would be.
    pub kind: Kind,
    /// The statement, able to stand alone.
    pub text: String,
    /// The reason given.
    #[serde(default)]
    pub why: Option<String>,
    /// How sure the extractor is that it is worth keeping.
    pub confidence: Unit,
    /// How much it would matter.
    pub importance: Unit,
    /// Labels.
    #[serde(default)]
    pub tags: Vec<String>,
    /// The language of `text`.
    #[serde(default)]
    pub language: Language,
    /// Whether the user asked in so many words to keep it.
    #[serde(default)]
    pub explicit: bool,
    /// Whether it holds in every project (a preference of the person), not only in this one.
    #[serde(default)]
    pub global: bool,
    /// Which rule or model found it.
    pub source: String,
    /// Where.
    pub session: SessionId,
    /// When it was said.
    pub at: Timestamp,
}

/// Finds candidates in a stretch of conversation.
pub trait Extractor: Send + Sync {
    /// Candidates in the order in which they were said. The same turns give the same candidates.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Unavailable`] when a model behind it cannot be asked; rules never fail.
    fn extract(&self, turns: &[Turn]) -> crate::Result<Vec<Candidate>>;
}
