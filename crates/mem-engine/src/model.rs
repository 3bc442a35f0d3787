//! Which model turns texts into vectors.

use crate::{Durability, Layout};
use mem_core::{Calibration, Embedder};
use mem_embed::{HashConfig, HashEmbedder, OnnxConfig, StaticConfig, StaticEmbedder};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// Which embedder, and what is to be known about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EmbedderConfig {
    /// `builtin`: the model that comes along. `hash`: hashed spelling. `none`: words alone. `path`: the ONNX model in
    /// `path`. Anything else: the name of a model that is downloaded, or that was.
    pub model: String,
    /// The folder of the ONNX model, for `model = "path"`.
    pub path: Option<PathBuf>,
    /// The folder of downloaded models. None: `models` in the home.
    pub cache: Option<PathBuf>,
    /// Weight of the vectors in the fusion, against 1 for BM25. None: as measured of the model.
    pub fusion_weight: Option<f64>,
    /// Memories without a vector that are embedded before a question is answered. Of the rest `mem work` makes them.
    pub at_once: usize,
    /// The same of an ONNX model, which takes some milliseconds for each.
    pub onnx_at_once: usize,
    /// What the files of an ONNX model do not tell, or tell wrongly.
    pub onnx: OnnxConfig,
}

/// The names of [`EmbedderConfig::model`] that are no model's own.
pub(crate) const BUILTIN: &str = "builtin";
pub(crate) const HASH: &str = "hash";
pub(crate) const NONE: &str = "none";
pub(crate) const PATH: &str = "path";

impl Default for EmbedderConfig {
    fn default() -> Self {
        Self {
            model: BUILTIN.to_owned(),
            path: None,
            cache: None,
            fusion_weight: None,
            at_once: 512,
            onnx_at_once: 16,
            onnx: OnnxConfig::default(),
        }
    }
}

impl EmbedderConfig {
    /// The model of this crate's own, with the numbers that were set.
    fn own(&self, name: &str) -> Arc<dyn Embedder> {
        let builtin = || {
            let usual = StaticConfig::default();
            let config =
                StaticConfig { fusion_weight: self.fusion_weight.unwrap_or(usual.fusion_weight), ..usual };
            StaticEmbedder::builtin().map(|model| model.with_config(config))
        };
        if name != HASH
            && let Ok(model) = builtin()
        {
            return Arc::new(model);
        }
        let usual = HashConfig::default();
        Arc::new(HashEmbedder::new(HashConfig {
            fusion_weight: self.fusion_weight.unwrap_or(usual.fusion_weight),
            ..usual
        }))
    }

    /// What was measured, with the numbers that were set.
    #[cfg_attr(not(feature = "fastembed"), allow(dead_code, reason = "only ONNX models are measured here"))]
    fn with_own_numbers(&self, mut calibration: Calibration) -> Calibration {
        calibration.fusion_weight = self.fusion_weight.unwrap_or(calibration.fusion_weight);
        calibration
    }
}

/// Names of ONNX models that can be chosen when they were fetched; none in a build that runs none.
pub fn known_models() -> Option<Vec<String>> {
    #[cfg(feature = "fastembed")]
    return Some(mem_embed::OnnxEmbedder::known_names());
    #[cfg(not(feature = "fastembed"))]
    None
}

/// The models of an engine.
#[derive(Clone, Default)]
pub(crate) struct Models {
    /// The chosen one, where it can be used.
    main: Option<Arc<dyn Embedder>>,
    /// One that costs microseconds, beside a chosen one that does not, or in its place.
    quick: Option<Arc<dyn Embedder>>,
    /// The chosen one takes its time: it is not for hooks.
    slow: bool,
    /// Why the chosen one cannot be used.
    pub(crate) problem: Option<String>,
    /// Nothing is known of it yet.
    pub(crate) uncalibrated: bool,
    /// The library that runs it.
    pub(crate) runtime: Option<PathBuf>,
    #[cfg(feature = "fastembed")]
    onnx: Option<Arc<mem_embed::OnnxEmbedder>>,
}

impl Models {
    /// One that was given to the builder.
    pub(crate) fn given(embedder: Arc<dyn Embedder>) -> Self {
        Self { main: Some(embedder), ..Self::default() }
    }

    /// What the configuration says. A transformer is not opened for hooks: see `docs/design/onnx-models.md`.
    pub(crate) fn open(config: &EmbedderConfig, layout: &Layout, durability: Durability) -> Self {
        match config.model.as_str() {
            NONE => Self::default(),
            name @ (BUILTIN | HASH) => Self::given(config.own(name)),
            _ => {
                let quick = Some(config.own(BUILTIN));
                if durability == Durability::Hook {
                    return Self { quick, slow: true, ..Self::default() };
                }
                match Self::transformer(config, layout) {
                    Ok(models) => Self { quick, ..models },
                    Err(problem) => Self { quick, slow: true, problem: Some(problem), ..Self::default() },
                }
            }
        }
    }

    #[cfg(not(feature = "fastembed"))]
    fn transformer(config: &EmbedderConfig, _: &Layout) -> Result<Self, String> {
        Err(format!(
            "this build runs no ONNX models ({}); build it with --features fastembed, or choose another by `mem model`",
            config.model
        ))
    }

    #[cfg(feature = "fastembed")]
    fn transformer(config: &EmbedderConfig, layout: &Layout) -> Result<Self, String> {
        let told = |error: mem_embed::Error| {
            let mut text = error.to_string();
            if let Some(cause) = std::error::Error::source(&error) {
                text.push_str(&format!(": {cause}"));
            }
            text
        };
        let onnx = OnnxConfig { digests: Some(layout.model_digests()), ..config.onnx.clone() };
        let model = match (config.model.as_str(), &config.path) {
            (PATH, Some(path)) => mem_embed::OnnxEmbedder::open(path, onnx),
            (PATH, None) => return Err("embedder.path is not set; `mem model path DIR` sets it".to_owned()),
            (name, _) => {
                let cache = config.cache.clone().unwrap_or_else(|| layout.models());
                mem_embed::OnnxEmbedder::named(name, &cache, onnx)
            }
        };
        let model = model.map_err(told)?;
        // Where there is none every question would fail; the quick model answers instead.
        let runtime = model.runtime().map_err(told)?;
        let known = calibration(layout, &model.identity().key());
        let uncalibrated = known.is_none();
        let model = Arc::new(model.with_calibration(config.with_own_numbers(known.unwrap_or_default())));
        Ok(Self {
            main: Some(model.clone()),
            slow: true,
            uncalibrated,
            runtime: Some(runtime),
            onnx: Some(model),
            ..Self::default()
        })
    }

    /// The one that turns questions into vectors.
    pub(crate) fn asking(&self) -> Option<&dyn Embedder> {
        self.main.as_deref().or(self.quick.as_deref())
    }

    /// Those that cost nothing to speak of.
    pub(crate) fn quick(&self) -> Option<&dyn Embedder> {
        if self.slow { self.quick.as_deref() } else { self.main.as_deref() }
    }

    /// The one that takes its time, where that was chosen and can be used.
    pub(crate) fn slow(&self) -> Option<&dyn Embedder> {
        self.main.as_deref().filter(|_| self.slow)
    }

    /// All whose vectors are kept; none when the chosen one cannot be used, or not here.
    pub(crate) fn kept(&self) -> Vec<&dyn Embedder> {
        match &self.main {
            Some(main) => [Some(main.as_ref()), self.quick.as_deref()].into_iter().flatten().collect(),
            None => Vec::new(),
        }
    }

    /// Measures the chosen model where nothing is known of it, and keeps that for the next who opens it.
    #[cfg(feature = "fastembed")]
    pub(crate) fn calibrate(&self, layout: &Layout) -> crate::Result<bool> {
        let Some(model) = self.onnx.as_ref().filter(|_| self.uncalibrated) else { return Ok(false) };
        let key = model.identity().key();
        if calibration(layout, &key).is_some() {
            return Ok(false);
        }
        let measured = Measured { calibration: mem_embed::calibrate(model.as_ref())?, key };
        let text = serde_json::to_string(&measured).map_err(|source| {
            let context = format!("cannot write down what was measured of {}", measured.key);
            mem_core::Error::backend(mem_core::ErrorKind::Bug, context, source)
        })?;
        crate::files::replace(&calibration_file(layout, &measured.key), &text)?;
        Ok(true)
    }

    #[cfg(not(feature = "fastembed"))]
    pub(crate) fn calibrate(&self, _: &Layout) -> crate::Result<bool> {
        Ok(false)
    }
}

/// What was measured of a model, as it is kept in the home.
#[cfg(feature = "fastembed")]
#[derive(Serialize, Deserialize)]
struct Measured {
    key: String,
    calibration: Calibration,
}

#[cfg(feature = "fastembed")]
fn calibration_file(layout: &Layout, key: &str) -> PathBuf {
    use sha2::Digest as _;
    let digest = sha2::Sha256::digest(key.as_bytes());
    let name: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    layout.models().join(format!("{name}.calibration.json"))
}

/// What is known of a model; a file that is damaged, or of another model, is as good as none.
#[cfg(feature = "fastembed")]
fn calibration(layout: &Layout, key: &str) -> Option<Calibration> {
    let bytes = std::fs::read(calibration_file(layout, key)).ok()?;
    serde_json::from_slice::<Measured>(&bytes)
        .ok()
        .filter(|found| found.key == key)
        .map(|found| found.calibration)
}
