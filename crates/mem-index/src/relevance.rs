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
    /// Its BM25 score in standard deviations above the mean of all memories that take part.
    pub bm25_z: f64,
    /// The same of the score by trigrams.
    pub grams_z: f64,
    /// Cosine, when the vector channel found it.
    pub cosine: Option<f64>,
    /// The cosine from which the model says a hit of its own is worth showing.
    pub cosine_floor: f64,
    /// That cosine in standard deviations above what the model gives to unrelated texts; 0 without one.
    pub cosine_z: f64,
    /// The fused score, what stands beside it included.
    pub fused: f64,
    /// How far that is behind the best of the answer.
    pub behind: f64,
    /// How much of it is lent by what stands beside it in its session.
    pub lent: f64,
    /// It is about the file or folder at hand.
    pub near: bool,
    /// It was reached over a link only.
    pub linked: bool,
}

/// Where relevance begins.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RelevanceConfig {
    /// Below this coverage, and below `floor_specificity`, a lexical hit is not even shown to who asks by hand.
    pub floor_coverage: f64,
    /// See `floor_coverage`.
    pub floor_specificity: f64,
    /// From this much lent by its neighbours a turn is shown to who asks by hand.
    pub floor_lent: f64,
    /// A relevant hit covers at least this share of the question and reaches `specificity`.
    pub coverage: f64,
    /// See `coverage`.
    pub specificity: f64,
    /// A hit this specific is relevant whatever its coverage: a long prompt that names the thing.
    pub ample_specificity: f64,
    /// Where both channels agree, the cosine may be below the model's floor by this factor.
    pub agreement: f64,
}

impl Default for RelevanceConfig {
    fn default() -> Self {
        Self {
            floor_coverage: 0.1,
            floor_specificity: 0.5,
            floor_lent: 1.0,
            coverage: 0.25,
            specificity: 0.6,
            ample_specificity: 2.0,
            agreement: 0.8,
        }
    }
}

impl RelevanceConfig {
    /// Whether a hit may be shown to a person who asked: all but what merely shares a common word.
    pub fn is_shown(&self, features: &Features) -> bool {
        features.near
            || features.linked
            || features.lent >= self.floor_lent
            || features.cosine.is_some_and(|cosine| cosine >= features.cosine_floor)
            || (features.bm25 > 0.0
                && (features.coverage >= self.floor_coverage
                    || features.specificity >= self.floor_specificity))
    }

    /// Whether a hit is worth putting before an agent that did not ask.
    pub fn is_relevant(&self, features: &Features) -> bool {
        let similar =
            |factor: f64| features.cosine.is_some_and(|cosine| cosine >= features.cosine_floor * factor);
        let lexical = features.specificity >= self.ample_specificity
            || (features.coverage >= self.coverage && features.specificity >= self.specificity);
        let half = features.coverage >= self.coverage / 2.0 && features.specificity >= self.specificity;
        features.near || lexical || similar(1.0) || (half && similar(self.agreement))
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
        let loose = Features { coverage: 0.2, specificity: 0.5, bm25: 2.0, ..Features::default() };
        assert!(config.is_shown(&loose) && !config.is_relevant(&loose));
    }

    #[test]
    fn rare_words_meaning_and_place_are_relevant() {
        let config = RelevanceConfig::default();
        let named = Features { coverage: 0.05, specificity: 2.1, bm25: 9.0, ..Features::default() };
        let meant = Features { cosine: Some(0.6), cosine_floor: 0.5, ..Features::default() };
        let unlike = Features { cosine: Some(0.4), cosine_floor: 0.5, ..Features::default() };
        let near = Features { near: true, ..Features::default() };
        assert!(config.is_relevant(&named) && config.is_relevant(&meant) && config.is_relevant(&near));
        assert!(!config.is_relevant(&unlike) && !config.is_shown(&unlike));
        assert!(!config.is_relevant(&Features { linked: true, ..Features::default() }));
    }
}
