use mem_core::ErrorKind;
#[cfg(feature = "fastembed")]
use std::{error::Error as StdError, path::PathBuf, sync::Arc};

/// What can be wrong with an embedder.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are not those of a packed static model, or not all of them.
    #[error("{part} of the static model is damaged: expected {expected}, found {found}; pack it anew")]
    Damaged {
        /// `"the first part"` or `"the second part"`.
        part: &'static str,
        /// What a whole model has there, as a noun phrase.
        expected: String,
        /// What is there.
        found: String,
    },
    /// The data were packed for other rules than this build follows.
    #[error("the static model is packed in format {found}, this build reads {expected}; pack it anew")]
    Format {
        /// The format this build reads.
        expected: u16,
        /// That of the data.
        found: u16,
    },
    /// The two parts belong to different models.
    #[error(
        "the two parts are of different static models ({first} and {second}); take both from one packing"
    )]
    Mixed {
        /// Version of the first part.
        first: String,
        /// Version of the second part.
        second: String,
    },
    /// A table cannot be packed as it is.
    #[cfg(any(test, feature = "pack"))]
    #[error("cannot pack the table: expected {expected}, found {found}")]
    Unpackable {
        /// What the format can hold.
        expected: String,
        /// What the table has.
        found: String,
    },
    /// A folder is not that of an ONNX model.
    #[cfg(feature = "fastembed")]
    #[error("the model's folder {} has no {what}; give a folder with an .onnx file and its tokenizer.json", folder.display())]
    ModelMissing {
        /// The folder.
        folder: PathBuf,
        /// What it lacks.
        what: String,
    },
    /// A model was asked for by name and nobody fetched it.
    #[cfg(feature = "fastembed")]
    #[error(
        "the model {name} is not in {}; fetch it with `hf download {name} --cache-dir {}`, or give a folder by \
         `mem model path DIR`",
        cache.display(), cache.display()
    )]
    ModelNotFetched {
        /// The name of its repository.
        name: String,
        /// The folder of fetched models.
        cache: PathBuf,
    },
    /// A file of a model cannot be read.
    #[cfg(feature = "fastembed")]
    #[error("cannot read {} of the model; fetch the model anew", path.display())]
    ModelFile {
        /// Which file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: Arc<dyn StdError + Send + Sync>,
    },
    /// ONNX Runtime cannot run the model.
    #[cfg(feature = "fastembed")]
    #[error("ONNX Runtime cannot run the model {}; try a newer runtime or another export of the model", path.display())]
    ModelUnusable {
        /// The model's file.
        path: PathBuf,
        /// What it says.
        #[source]
        source: Arc<dyn StdError + Send + Sync>,
    },
    /// No library of ONNX Runtime was found.
    #[cfg(feature = "fastembed")]
    #[error(
        "ONNX Runtime was not found; install it (`pip install onnxruntime`, or onnxruntime.ai) and name its library or \
         that Python environment in embedder.onnx.runtime or ORT_DYLIB_PATH; looked in {}",
        looked.iter().map(|place| place.display().to_string()).collect::<Vec<_>>().join(", ")
    )]
    RuntimeMissing {
        /// Files and folders that were looked at.
        looked: Vec<PathBuf>,
    },
    /// A library is not one of ONNX Runtime, or too old.
    #[cfg(feature = "fastembed")]
    #[error("{} cannot be used as ONNX Runtime; version 1.{oldest} or newer is needed", path.display())]
    RuntimeUnusable {
        /// The library.
        path: PathBuf,
        /// The oldest minor version that would do.
        oldest: u32,
        /// What is wrong.
        #[source]
        reason: Arc<dyn StdError + Send + Sync>,
    },
    /// A model that is measured must give its own number of vectors of its own length.
    #[error("the model {model} gave {got} vectors, expected {expected} of its own length")]
    Uncalibrated {
        /// The model's key.
        model: String,
        /// How many vectors of the right length.
        got: usize,
        /// How many texts.
        expected: usize,
    },
}

impl Error {
    /// The way in which a caller can react.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Damaged { .. } | Self::Format { .. } | Self::Mixed { .. } => ErrorKind::Corrupt,
            #[cfg(any(test, feature = "pack"))]
            Self::Unpackable { .. } => ErrorKind::Invalid,
            #[cfg(feature = "fastembed")]
            Self::ModelMissing { .. }
            | Self::ModelNotFetched { .. }
            | Self::ModelFile { .. }
            | Self::ModelUnusable { .. }
            | Self::RuntimeMissing { .. }
            | Self::RuntimeUnusable { .. } => ErrorKind::Unavailable,
            Self::Uncalibrated { .. } => ErrorKind::Bug,
        }
    }
}

impl From<Error> for mem_core::Error {
    fn from(error: Error) -> Self {
        Self::backend(error.kind(), error.to_string(), error)
    }
}
