use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How the states of a text's tokens become one vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pooling {
    /// The mean of all of them.
    Mean,
    /// That of the first.
    Cls,
    /// That of the last.
    Last,
}

#[cfg(feature = "fastembed")]
impl Pooling {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Cls => "cls",
            Self::Last => "last",
        }
    }
}

/// What to know about an ONNX model beyond its own files; whatever is left out is read from them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OnnxConfig {
    /// The library of ONNX Runtime, or a folder that holds it: also a Python environment in which `onnxruntime` is
    /// installed. None: looked for in [`OnnxConfig::runtimes`] and in the system's library folders.
    pub runtime: Option<PathBuf>,
    /// The model's file in its folder, such as `onnx/model_quantized.onnx`. None: the only one, or the best known name.
    pub file: Option<String>,
    /// What is put before a question.
    pub query_prefix: Option<String>,
    /// What is put before a passage.
    pub passage_prefix: Option<String>,
    /// How token states become one vector.
    pub pooling: Option<Pooling>,
    /// Tokens of one text; the rest is cut off. No more than the model's own bound.
    pub max_tokens: Option<usize>,
    /// Length of the vectors.
    pub dimensions: Option<usize>,
    /// Texts that go through the model together.
    pub batch: usize,
    /// Threads of the model. On a machine that is busy more of them are slower; in the background one is polite.
    pub threads: usize,
    /// The model's name in its identity. None: that of its folder.
    #[serde(skip)]
    pub name: Option<String>,
    /// More files and folders to look for ONNX Runtime in, before the system's own.
    #[serde(skip)]
    pub runtimes: Vec<PathBuf>,
    /// A file in which digests of model files are kept, so that they are read whole only once. None: every time.
    #[serde(skip)]
    pub digests: Option<PathBuf>,
}

impl Default for OnnxConfig {
    fn default() -> Self {
        Self {
            runtime: None,
            file: None,
            query_prefix: None,
            passage_prefix: None,
            pooling: None,
            max_tokens: None,
            dimensions: None,
            batch: 4,
            threads: 1,
            name: None,
            runtimes: Vec::new(),
            digests: None,
        }
    }
}
