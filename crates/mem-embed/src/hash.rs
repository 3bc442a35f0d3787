//! [`HashEmbedder`].

use crate::features::{Weights, extract};
use mem_core::{Calibration, Embedder, Embedding, ModelIdentity, Result, Spread, TextRole};
use serde::{Deserialize, Serialize};

/// Changes whenever the same text may give another vector.
const VERSION: &str = "1";

/// What a [`HashEmbedder`] tells of itself; nothing here changes its vectors.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HashConfig {
    /// See [`Calibration::fusion_weight`]. Trigrams in the index compare spelling already: the default lets this model
    /// order what they tie on. From 0.05 on the first rank suffers (SciFact, CMRC 2018, LoCoMo, XQuAD).
    pub fusion_weight: f64,
    /// See [`Calibration::unrelated`]. Taken wide: of unrelated texts among the three nearest, 1 in 100 lies above 0.62,
    /// four deviations, where texts are short and alike (LoCoMo).
    pub unrelated: Spread,
}

impl Default for HashConfig {
    fn default() -> Self {
        Self { fusion_weight: 0.01, unrelated: Spread { count: 57_120, mean: 0.0, deviation: 0.155 } }
    }
}

/// A lexical embedder: signed hashing of words and character n-grams into 256 dimensions.
///
/// It compares spelling, not meaning. Inflections, compounds, typing errors and parts of identifiers come near one
/// another in any script; synonyms and translations do not. Use it where no model is at hand, or beside one.
///
/// Features: words, parts of identifiers, their character 3- to 5-grams with boundaries (P. Bojanowski et al.,
/// "Enriching Word Vectors with Subword Information", TACL 2017), CJK characters and pairs. A feature adds
/// `±weight·(1 + ln tf)` at one place, sign and place by a fixed hash (K. Weinberger et al., "Feature Hashing for
/// Large Scale Multitask Learning", ICML 2009). Function words of English and Chinese count little. `f32`, L2.
///
/// Identity `hash-ngram@1/256`. Query and passage are treated alike.
#[derive(Debug, Clone)]
pub struct HashEmbedder {
    identity: ModelIdentity,
    calibration: Calibration,
}

/// Length of the vectors.
const DIMENSIONS: usize = 256;

const WEIGHTS: Weights = Weights { word: 1.0, part: 0.8, grams: 0.7, pair: 1.0, char: 0.4, function: 0.1 };

impl Default for HashEmbedder {
    fn default() -> Self {
        Self::new(HashConfig::default())
    }
}

impl HashEmbedder {
    /// An embedder that tells of itself what `config` says.
    pub fn new(config: HashConfig) -> Self {
        let identity = ModelIdentity {
            name: "hash-ngram".to_owned(),
            version: VERSION.to_owned(),
            dimensions: DIMENSIONS,
            variant: String::new(),
        };
        let calibration = Calibration {
            fusion_weight: config.fusion_weight,
            unrelated: config.unrelated,
            ..Calibration::default()
        };
        Self { identity, calibration }
    }

    /// The vector of one text, of unit length; all zeros for a text without letters or digits.
    pub fn vector(&self, text: &str) -> Embedding {
        let mut features = Vec::with_capacity(text.len() * 2);
        extract(text, &WEIGHTS, &mut features);
        features.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.total_cmp(&b.1)));
        let mut vector = vec![0f32; DIMENSIONS];
        for same in features.chunk_by(|a, b| a.0 == b.0) {
            let Some((hash, _)) = same.first() else { continue };
            let count = same.len() as f32;
            let mean = same.iter().map(|(_, weight)| weight).sum::<f32>() / count;
            let value = mean * (1.0 + count.ln());
            let sign = if hash >> 63 == 0 { 1.0 } else { -1.0 };
            if let Some(place) = vector.get_mut((*hash as usize) % DIMENSIONS) {
                *place += sign * value;
            }
        }
        let norm = vector.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
        if norm > 0.0 {
            for x in &mut vector {
                *x = (f64::from(*x) / norm) as f32;
            }
        }
        vector
    }
}

impl Embedder for HashEmbedder {
    fn identity(&self) -> &ModelIdentity {
        &self.identity
    }

    fn embed(&self, texts: &[&str], _role: TextRole) -> Result<Vec<Embedding>> {
        Ok(texts.iter().map(|text| self.vector(text)).collect())
    }

    fn calibration(&self) -> &Calibration {
        &self.calibration
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mem_core::cosine;
    use proptest::prelude::*;

    fn alike(a: &str, b: &str) -> f64 {
        let embedder = HashEmbedder::default();
        cosine(&embedder.vector(a), &embedder.vector(b)).unwrap()
    }

    #[test]
    fn keeps_the_contract() {
        mem_testing::embedder_contract(&HashEmbedder::default());
    }

    #[test]
    fn spelling_brings_together() {
        assert!(alike("HTTPServer timeout", "http server timeouts") > 0.6);
        assert!(alike("Café", "cafe") > 0.99 && alike("ＡＢＣ", "abc") > 0.99);
        assert!(alike("text_index", "TextIndex") > 0.9);
        assert!(
            alike("不要自动提交代码", "提交代码之前先确认") > alike("不要自动提交代码", "今天天气很好") + 0.2
        );
        assert!(alike("the port of the server", "server port") > 0.9);
        assert!(alike("deploy", "a cup of tea").abs() < 0.3);
    }

    #[test]
    fn a_text_without_content_is_all_zeros() {
        assert!(HashEmbedder::default().vector(" …!? ").iter().all(|x| *x == 0.0));
    }

    #[test]
    fn hostile_texts_are_bounded() {
        let embedder = HashEmbedder::default();
        for text in
            ["x".repeat(1 << 20), "改".repeat(1 << 18), "a ".repeat(1 << 19), "\u{301}".repeat(1 << 18)]
        {
            assert_eq!(embedder.vector(&text).len(), DIMENSIONS);
        }
    }

    proptest! {
        #[test]
        fn any_text_gives_a_unit_vector(text in "\\PC{0,200}") {
            let vector = HashEmbedder::default().vector(&text);
            let norm: f64 = vector.iter().map(|x| f64::from(*x) * f64::from(*x)).sum();
            prop_assert!(norm == 0.0 || (norm - 1.0).abs() < 1e-5);
        }
    }
}
