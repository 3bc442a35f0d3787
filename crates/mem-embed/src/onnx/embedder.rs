use super::config::OnnxConfig;
use super::folder::{Folder, read};
use super::{digest, pool, runtime};
use crate::Error;
use fastembed::{
    InitOptionsUserDefined, OutputKey, TextEmbedding, TokenizerFiles, UserDefinedEmbeddingModel,
};
use mem_core::{Calibration, Embedder, Embedding, ModelIdentity, TextRole};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// No token of a model's vocabulary stands for more characters than this on average; what is beyond that many
/// characters a token is not read.
const CHARS_A_TOKEN: usize = 16;

/// Operators that choose their rounding by all the numbers of a call: with them the vector of a text would depend on
/// its neighbours, so texts go one by one.
const BY_THE_CALL: [&[u8]; 2] = [b"DynamicQuantizeLinear", b"DynamicQuantizeMatMul"];

/// Where a vector is to be found among a model's outputs.
const TOKENS_FIRST: [OutputKey; 5] = [
    OutputKey::OnlyOne,
    OutputKey::ByName("last_hidden_state"),
    OutputKey::ByName("token_embeddings"),
    OutputKey::ByName("text_embeds"),
    OutputKey::ByName("sentence_embedding"),
];
const SENTENCE_FIRST: [OutputKey; 4] = [
    OutputKey::ByName("sentence_embedding"),
    OutputKey::ByName("text_embeds"),
    OutputKey::OnlyOne,
    OutputKey::ByName("last_hidden_state"),
];

/// A transformer in a folder, run by ONNX Runtime through `fastembed`.
///
/// The folder holds an `.onnx` file and `tokenizer.json`, as `optimum-cli export onnx` and the model hubs lay them out;
/// `config.json`, `tokenizer_config.json`, `special_tokens_map.json` and the files of sentence-transformers
/// (`1_Pooling/config.json`, `modules.json`, `sentence_bert_config.json`, `config_sentence_transformers.json`) say how
/// it is to be used. What they leave open is known of the usual families by name (E5, BGE, GTE, Nomic, Arctic …), and
/// [`OnnxConfig`] overrules everything. Vectors are of unit length whatever the model does.
///
/// ONNX Runtime 1.24 or newer is a library of the system that is loaded when it is first needed: see
/// [`OnnxConfig::runtime`]. Where it is missing, [`Embedder::embed`] is an error of kind `Unavailable` that says what to
/// do; nothing panics.
///
/// Identity: the folder's name; the first 12 digits of the SHA-256 over the model's and the tokenizer's files; pooling,
/// bound and prefixes. Texts longer than the model's bound are cut off there.
pub struct OnnxEmbedder {
    folder: Folder,
    config: OnnxConfig,
    identity: ModelIdentity,
    calibration: Calibration,
    loaded: Mutex<Option<Loaded>>,
}

struct Loaded {
    model: TextEmbedding,
    batch: usize,
}

impl std::fmt::Debug for OnnxEmbedder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OnnxEmbedder").field("identity", &self.identity.key()).finish_non_exhaustive()
    }
}

impl OnnxEmbedder {
    /// The model of a folder, which is read only as far as its identity needs; the model itself is loaded by the first
    /// text, or by [`OnnxEmbedder::load`].
    ///
    /// Its calibration is [`Calibration::default`] until [`OnnxEmbedder::with_calibration`].
    ///
    /// # Errors
    /// [`Error::ModelMissing`] when the folder is none of a model, [`Error::ModelFile`] when a file of it cannot be read.
    /// When its files do not tell the length of its vectors it is loaded at once: see [`OnnxEmbedder::load`].
    pub fn open(dir: impl AsRef<Path>, config: OnnxConfig) -> Result<Self, Error> {
        let folder = Folder::read(dir.as_ref(), &config)?;
        let mut files = vec![folder.onnx.clone()];
        files.extend(folder.external.iter().cloned());
        files.push(folder.tokenizer.clone());
        let version = digest::digest(&files, config.digests.as_deref())?;
        let identity = ModelIdentity {
            name: folder.name.clone(),
            version,
            dimensions: folder.dimensions.unwrap_or(0),
            variant: folder.variant(),
        };
        let mut embedder =
            Self { folder, config, identity, calibration: Calibration::default(), loaded: Mutex::new(None) };
        if embedder.identity.dimensions == 0 {
            let probe = embedder.run(&["a".to_owned()])?;
            embedder.identity.dimensions = probe.first().map_or(0, Vec::len);
        }
        Ok(embedder)
    }

    /// The same model, telling of itself what was measured: see [`crate::calibrate`].
    #[must_use]
    pub fn with_calibration(mut self, calibration: Calibration) -> Self {
        self.calibration = calibration;
        self
    }

    /// Loads the model now: some 0.1 to 1 s.
    ///
    /// # Errors
    /// [`Error::RuntimeMissing`], [`Error::RuntimeUnusable`], [`Error::ModelUnusable`].
    pub fn load(&self) -> Result<(), Error> {
        self.run(&[]).map(drop)
    }

    /// The library that is, or would be, loaded.
    ///
    /// # Errors
    /// [`Error::RuntimeMissing`].
    pub fn runtime(&self) -> Result<PathBuf, Error> {
        runtime::find(&self.config)
    }

    fn unusable(&self, source: impl std::error::Error + Send + Sync + 'static) -> Error {
        Error::ModelUnusable { path: self.folder.onnx.clone(), source: Arc::new(source) }
    }

    fn start(&self) -> Result<Loaded, Error> {
        runtime::load(&runtime::find(&self.config)?)?;
        let onnx = read(&self.folder.onnx)?;
        let by_the_call = BY_THE_CALL.iter().any(|name| memchr::memmem::find(&onnx, name).is_some());
        let tokens =
            json!({ "model_max_length": self.folder.max_tokens, "pad_token": self.folder.pad_token });
        let tokenizer = TokenizerFiles {
            tokenizer_file: read(&self.folder.tokenizer)?,
            config_file: json!({ "pad_token_id": self.folder.pad_id }).to_string().into_bytes(),
            special_tokens_map_file: self.folder.special_tokens.to_string().into_bytes(),
            tokenizer_config_file: tokens.to_string().into_bytes(),
        };
        let mut model = UserDefinedEmbeddingModel::new(onnx, tokenizer);
        for path in &self.folder.external {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            model = model.with_external_initializer(name, read(path)?);
        }
        let mut options = InitOptionsUserDefined::new().with_max_length(self.folder.max_tokens);
        options.intra_threads = Some(self.config.threads.max(1));
        // Threads that wait would keep the cores busy.
        let options = options.with_session_config("session.intra_op.allow_spinning", "0");
        let model = runtime::guarded(|| TextEmbedding::try_new_from_user_defined(model, options))
            .map_err(|panic| self.unusable(panic))?
            .map_err(|error| self.unusable(error))?;
        Ok(Loaded { model, batch: if by_the_call { 1 } else { self.config.batch.max(1) } })
    }

    /// Vectors of texts that carry their prefix already.
    fn run(&self, texts: &[String]) -> Result<Vec<Embedding>, Error> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if loaded.is_none() {
            *loaded = Some(self.start()?);
        }
        let Some(Loaded { model, batch }) = loaded.as_mut() else { return Ok(Vec::new()) };
        let mut vectors = Vec::with_capacity(texts.len());
        for part in texts.chunks(*batch) {
            let output = runtime::guarded(|| model.transform(part, Some(part.len())))
                .map_err(|panic| self.unusable(panic))?
                .map_err(|error| self.unusable(error))?;
            let keys: &[OutputKey] =
                if self.folder.sentence_output { &SENTENCE_FIRST } else { &TOKENS_FIRST };
            for raw in output.into_raw() {
                let states = raw.select_output(&keys).map_err(|error| self.unusable(error))?;
                let pooled =
                    states.as_slice().zip(raw.attention_mask_array.as_slice()).and_then(|(numbers, mask)| {
                        pool::pool(numbers, states.shape(), mask, self.folder.pooling)
                    });
                let pooled = pooled.ok_or_else(|| self.unusable(Shape(states.shape().to_vec())))?;
                vectors.extend(pooled);
            }
        }
        if vectors.len() != texts.len() {
            return Err(self.unusable(Shape(vec![vectors.len()])));
        }
        Ok(vectors)
    }

    fn prefixed(&self, text: &str, role: TextRole) -> String {
        let most = self.folder.max_tokens.saturating_mul(CHARS_A_TOKEN);
        let end = text.char_indices().nth(most).map_or(text.len(), |(at, _)| at);
        let prefix = match role {
            TextRole::Query => &self.folder.query_prefix,
            TextRole::Passage => &self.folder.passage_prefix,
        };
        format!("{prefix}{}", text.get(..end).unwrap_or(text))
    }
}

/// A model's output that is none of sentence vectors or token states.
#[derive(Debug, thiserror::Error)]
#[error("its output has the shape {0:?}, expected [texts, length] or [texts, tokens, length]")]
struct Shape(Vec<usize>);

impl Embedder for OnnxEmbedder {
    fn identity(&self) -> &ModelIdentity {
        &self.identity
    }

    fn embed(&self, texts: &[&str], role: TextRole) -> mem_core::Result<Vec<Embedding>> {
        let mut vectors = vec![vec![0.0; self.identity.dimensions]; texts.len()];
        // Texts of like length go together: a batch is as long as its longest.
        let mut order: Vec<usize> = (0..texts.len())
            .filter(|at| texts.get(*at).is_some_and(|text| !text.trim().is_empty()))
            .collect();
        if order.is_empty() {
            return Ok(vectors);
        }
        order.sort_by_key(|at| texts.get(*at).map_or(0, |text| text.len()));
        let prefixed: Vec<String> =
            order.iter().filter_map(|at| texts.get(*at)).map(|text| self.prefixed(text, role)).collect();
        for (at, vector) in order.into_iter().zip(self.run(&prefixed)?) {
            if vector.len() != self.identity.dimensions {
                let (expected, got) = (self.identity.dimensions, vector.len());
                return Err(mem_core::Error::DimensionMismatch { expected, got });
            }
            if let Some(place) = vectors.get_mut(at) {
                *place = vector;
            }
        }
        Ok(vectors)
    }

    fn calibration(&self) -> &Calibration {
        &self.calibration
    }
}
