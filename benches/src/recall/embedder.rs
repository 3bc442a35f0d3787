//! Which model takes part, and what is said of it.

use super::settings::set;
use anyhow::Context as _;
use mem_core::{Calibration, Embedder, Embedding, ModelIdentity, Result, TextRole};
use serde_json::json;
use std::sync::Arc;

/// What settings of the model begin with.
pub(super) const PART: &str = "model.";

/// The model a word on the command line stands for, with other values for what was measured about it: each is
/// `model.fusion_weight=…` or a part of `model.unrelated`.
pub(super) fn embedder(word: &str, assignments: &[&str]) -> anyhow::Result<Option<Arc<dyn Embedder>>> {
    let model: Option<Arc<dyn Embedder>> = match word {
        "none" => None,
        "hash" => Some(Arc::new(mem_embed::HashEmbedder::new(mem_embed::HashConfig::default()))),
        "builtin" => {
            Some(Arc::new(mem_embed::StaticEmbedder::builtin().context("the built-in model cannot be used")?))
        }
        _ => match word.strip_prefix("fastembed:") {
            Some(folder) => Some(onnx(folder)?),
            None => anyhow::bail!("--embedder takes none, hash, builtin or fastembed:DIR, got {word:?}"),
        },
    };
    match model {
        Some(model) if !assignments.is_empty() => Ok(Some(Arc::new(Calibrated::new(model, assignments)?))),
        None if !assignments.is_empty() => {
            anyhow::bail!("--set {PART}… says something of a model, and --embedder none has none")
        }
        model => Ok(model),
    }
}

/// The runtime is the one `ORT_DYLIB_PATH` names, or one in a usual place.
#[cfg(feature = "fastembed")]
fn onnx(folder: &str) -> anyhow::Result<Arc<dyn Embedder>> {
    let runtime = std::env::var_os("ORT_DYLIB_PATH").map(Into::into);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let config = mem_embed::OnnxConfig { runtime, threads, ..mem_embed::OnnxConfig::default() };
    let model = mem_embed::OnnxEmbedder::open(folder, config)?;
    model.load()?;
    let calibration = mem_embed::calibrate(&model)?;
    Ok(Arc::new(model.with_calibration(calibration)))
}

#[cfg(not(feature = "fastembed"))]
fn onnx(folder: &str) -> anyhow::Result<Arc<dyn Embedder>> {
    anyhow::bail!("fastembed:{folder}: ONNX models are not in this build; build with --features fastembed")
}

/// A model of which something else is said.
struct Calibrated {
    model: Arc<dyn Embedder>,
    calibration: Calibration,
}

impl Calibrated {
    fn new(model: Arc<dyn Embedder>, assignments: &[&str]) -> anyhow::Result<Self> {
        let own = model.calibration();
        let Calibration { fusion_weight, unrelated, .. } = own;
        let mut said = json!({ "model": {
            "fusion_weight": fusion_weight, "unrelated": unrelated,
        } });
        for assignment in assignments {
            set(&mut said, assignment)?;
        }
        let said: Calibration = serde_json::from_value(said["model"].take()).context("settings of model")?;
        let calibration =
            Calibration { queries: own.queries.clone(), passages: own.passages.clone(), ..said };
        Ok(Self { model, calibration })
    }
}

impl Embedder for Calibrated {
    fn identity(&self) -> &ModelIdentity {
        self.model.identity()
    }

    fn embed(&self, texts: &[&str], role: TextRole) -> Result<Vec<Embedding>> {
        self.model.embed(texts, role)
    }

    fn calibration(&self) -> &Calibration {
        &self.calibration
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_named_and_what_is_said_of_it_is_set() {
        assert!(embedder("none", &[]).unwrap().is_none());
        let plain = embedder("builtin", &[]).unwrap().unwrap();
        let set = embedder("builtin", &["model.fusion_weight=0.125"]).unwrap().unwrap();
        assert_eq!(set.calibration().fusion_weight, 0.125);
        assert_eq!(set.calibration().unrelated, plain.calibration().unrelated);
        assert_eq!(set.calibration().passages, plain.calibration().passages);
        assert_eq!(set.identity(), plain.identity());
        assert_eq!(
            set.embed(&["x"], TextRole::Query).unwrap(),
            plain.embed(&["x"], TextRole::Query).unwrap()
        );
    }

    #[test]
    fn faults_say_what_would_do() {
        let told = |word: &str, more: &[&str]| format!("{:#}", embedder(word, more).err().unwrap());
        assert!(told("nope", &[]).contains("none, hash, builtin or fastembed:DIR"));
        assert!(told("none", &["model.fusion_weight=1"]).contains("none has none"));
        assert!(told("hash", &["model.weight=1"]).contains("fusion_weight"));
    }
}
