//! Whether a hit has to do with the question at all: a pure function over features.

use serde::{Deserialize, Serialize};

/// What is known of one hit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Features {
    /// Share of the question's information it holds, in `[0, 1]`; see [`mem_core::TextHit::coverage`].
    pub coverage: f64,
    /// That information in units of a word only one memory holds; see [`mem_core::TextHit::specificity`].
    pub specificity: f64,
    /// BM25 score; 0 when that channel did not find it.
    pub bm25: f64,
    /// Its BM25 score over the best of the answer's, in `[0, 1]`.
    pub bm25_share: f64,
    /// Its BM25 score in standard deviations above the mean of all memories that take part, and of a hundred more that
    /// hold no word of the question.
    pub bm25_z: f64,
    /// The same of the score by trigrams.
    pub grams_z: f64,
    /// Cosine, when the vector channel found it.
    pub cosine: Option<f64>,
    /// That cosine in standard deviations above what the model gives to unrelated texts; 0 without one.
    pub cosine_z: f64,
    /// The fused score, what stands beside it included.
    pub fused: f64,
    /// How far that is behind the best of the answer.
    pub behind: f64,
    /// How much of it is lent by what stands beside it in its session.
    pub lent: f64,
    /// It is in another language than the question.
    pub other_language: bool,
    /// It is about the file or folder at hand.
    pub near: bool,
    /// It was reached over a link only.
    pub linked: bool,
}

/// Weights of a logistic regression over [`Features`]: log-odds that a hit is one the question needs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RelevanceWeights {
    /// Of every hit.
    pub bias: f64,
    /// Of [`Features::coverage`].
    pub coverage: f64,
    /// Of the root of [`Features::specificity`], at most 4.
    pub specificity: f64,
    /// Of a specificity of [`RelevanceConfig::ample_specificity`] or more.
    pub ample: f64,
    /// Of ln(1 + [`Features::bm25_z`]).
    pub bm25: f64,
    /// Of [`Features::cosine_z`], at most 8.
    pub cosine: f64,
    /// Of a hit in another language than the question, which words cannot find.
    pub other_language: f64,
    /// Of the [`Features::cosine_z`] of such a hit, beside `cosine`.
    pub other_language_cosine: f64,
}

impl Default for RelevanceWeights {
    /// Where there are vectors.
    fn default() -> Self {
        Self {
            bias: -6.44,
            coverage: 1.73,
            specificity: 0.77,
            ample: 1.31,
            bm25: 0.64,
            cosine: 0.69,
            other_language: -1.18,
            other_language_cosine: 0.76,
        }
    }
}

impl RelevanceWeights {
    /// Where words are all there is.
    pub const WORDS: Self = Self {
        bias: -9.24,
        coverage: 2.09,
        specificity: 2.24,
        ample: 0.61,
        bm25: 2.09,
        cosine: 0.0,
        other_language: 0.0,
        other_language_cosine: 0.0,
    };
}

/// Where relevance begins.
///
/// Two decisions. What is *shown* to a person who asks needs any sign of its own. What is *relevant*, put before an
/// agent that did not ask, needs a probability: a logistic regression fitted to half of the data set in
/// `benches/data/coding` (memories of coding sessions in two languages, with prompts that need none of them).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RelevanceConfig {
    /// A lexical hit is shown from this coverage on, or from `floor_specificity`.
    pub floor_coverage: f64,
    /// See `floor_coverage`.
    pub floor_specificity: f64,
    /// A hit by vector is shown from so many deviations above unrelated texts.
    pub floor_cosine: f64,
    /// From this much lent by its neighbours a turn is shown.
    pub floor_lent: f64,
    /// The probability from which a hit is relevant: the operating point.
    pub least: f64,
    /// From this coverage on a hit holds the whole question, and is relevant if it is as specific as `floor_specificity`
    /// demands: questions of one or two words.
    pub whole: f64,
    /// A hit this specific names the thing.
    pub ample_specificity: f64,
    /// How features make a probability where there are vectors.
    pub weights: RelevanceWeights,
    /// The same where words are all there is.
    pub words: RelevanceWeights,
}

impl Default for RelevanceConfig {
    fn default() -> Self {
        Self {
            floor_coverage: 0.1,
            floor_specificity: 0.5,
            floor_cosine: 1.5,
            floor_lent: 1.0,
            least: 0.35,
            whole: 0.7,
            ample_specificity: 2.0,
            weights: RelevanceWeights::default(),
            words: RelevanceWeights::WORDS,
        }
    }
}

/// Beyond these a feature says no more.
const MOST_SPECIFIC: f64 = 4.0;
const NEAREST: f64 = 8.0;

impl RelevanceConfig {
    /// Whether a hit may be shown to a person who asked: all but what merely shares a common word.
    pub fn is_shown(&self, features: &Features) -> bool {
        features.near
            || features.linked
            || features.lent >= self.floor_lent
            || features.cosine_z >= self.floor_cosine
            || (features.bm25 > 0.0
                && (features.coverage >= self.floor_coverage
                    || features.specificity >= self.floor_specificity))
    }

    /// The probability that a hit is one the question needs, in `[0, 1]`.
    pub fn probability(&self, features: &Features) -> f64 {
        let weights = if features.cosine.is_some() { &self.weights } else { &self.words };
        let cosine = features.cosine_z.clamp(0.0, NEAREST);
        let ample = f64::from(u8::from(features.specificity >= self.ample_specificity));
        let mut odds = weights.bias
            + weights.coverage * features.coverage
            + weights.specificity * features.specificity.clamp(0.0, MOST_SPECIFIC).sqrt()
            + weights.ample * ample
            + weights.bm25 * features.bm25_z.max(0.0).ln_1p()
            + weights.cosine * cosine;
        if features.other_language {
            odds += weights.other_language + weights.other_language_cosine * cosine;
        }
        1.0 / (1.0 + (-odds).exp())
    }

    /// Whether a hit is worth putting before an agent that did not ask.
    pub fn is_relevant(&self, features: &Features) -> bool {
        let whole = features.coverage >= self.whole && features.specificity >= self.floor_specificity;
        features.near || whole || (!features.linked && self.probability(features) >= self.least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_common_word_is_neither_shown_nor_relevant() {
        let config = RelevanceConfig::default();
        let common = Features { coverage: 0.05, specificity: 0.1, bm25: 0.4, ..Features::default() };
        assert!(!config.is_shown(&common) && !config.is_relevant(&common));
        let loose =
            Features { coverage: 0.2, specificity: 0.5, bm25: 2.0, bm25_z: 2.0, ..Features::default() };
        assert!(config.is_shown(&loose) && !config.is_relevant(&loose));
    }

    #[test]
    fn rare_words_meaning_and_place_are_relevant() {
        let config = RelevanceConfig::default();
        let named = Features {
            coverage: 0.4,
            specificity: 2.3,
            bm25: 9.0,
            bm25_z: 9.0,
            cosine: Some(0.2),
            cosine_z: 2.2,
            ..Features::default()
        };
        let by_words = Features { cosine: None, cosine_z: 0.0, ..named };
        let meant =
            Features { cosine: Some(0.6), cosine_z: 5.5, other_language: true, ..Features::default() };
        let unlike = Features { cosine: Some(0.1), cosine_z: 1.1, ..meant };
        let near = Features { near: true, ..Features::default() };
        let asked_for =
            Features { coverage: 0.9, specificity: 0.6, bm25: 4.0, bm25_z: 2.0, ..Features::default() };
        for relevant in [named, by_words, meant, near, asked_for] {
            assert!(config.is_relevant(&relevant), "{relevant:?}: {}", config.probability(&relevant));
        }
        assert!(!config.is_relevant(&unlike) && !config.is_shown(&unlike));
        assert!(!config.is_relevant(&Features { linked: true, ..Features::default() }));
    }

    #[test]
    fn more_of_anything_is_never_less_likely() {
        let config = RelevanceConfig::default();
        let base = Features {
            cosine: Some(0.2),
            cosine_z: 2.0,
            coverage: 0.2,
            specificity: 0.8,
            ..Features::default()
        };
        let more = [
            Features { coverage: 0.6, ..base },
            Features { specificity: 1.6, ..base },
            Features { cosine_z: 4.0, ..base },
            Features { bm25_z: 3.0, ..base },
        ];
        assert!(more.iter().all(|more| config.probability(more) > config.probability(&base)));
    }
}
