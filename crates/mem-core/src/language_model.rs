use crate::Result;

/// A question to a language model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// Standing instructions; may be empty.
    pub system: String,
    /// The question, already redacted.
    pub user: String,
    /// At most so many tokens of answer.
    pub max_tokens: u32,
}

/// Its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// The text, as it came.
    pub text: String,
    /// Tokens read, where the endpoint says.
    pub input_tokens: Option<u64>,
    /// Tokens written, where the endpoint says.
    pub output_tokens: Option<u64>,
}

/// A language model somebody configured. Nothing in the product needs one.
pub trait LanguageModel: Send + Sync {
    /// What is asked, for the ledger: a command or a model's name, without credentials.
    fn name(&self) -> &str;

    /// Asks once; returns within the implementation's own time limit.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Unavailable`] for time-outs, refusals and broken answers: the work is kept and tried later.
    fn complete(&self, prompt: &Prompt) -> Result<Completion>;
}
