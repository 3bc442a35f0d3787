use crate::{Embedding, Language};
use serde::{Deserialize, Serialize};

/// How scores are spread over every memory that takes part, found or not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// How many scores; 0 when nothing is known.
    pub count: u64,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation.
    pub deviation: f64,
}

impl Spread {
    /// Of these scores, and of `zeros` more that are 0.
    pub fn of(scores: impl IntoIterator<Item = f64>, zeros: u64) -> Self {
        let (mut count, mut mean, mut squares) = (zeros, 0.0, 0.0);
        for score in scores {
            count += 1;
            // Welford's update; the zeros are a first lump of mean 0 and no spread.
            let delta = score - mean;
            mean += delta / count as f64;
            squares += delta * (score - mean);
        }
        let deviation = if count > 0 { (squares / count as f64).max(0.0).sqrt() } else { 0.0 };
        Self { count, mean, deviation }
    }

    /// Of both together (T. Chan, G. Golub, R. LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing Sample
    /// Variances", 1979).
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let (own, more) = (self.count as f64, other.count as f64);
        let count = own + more;
        if count <= 0.0 {
            return Self::default();
        }
        let apart = other.mean - self.mean;
        let squares = self.deviation.powi(2) * own
            + other.deviation.powi(2) * more
            + apart.powi(2) * own * more / count;
        Self {
            count: self.count.saturating_add(other.count),
            mean: self.mean + apart * more / count,
            deviation: (squares / count).max(0.0).sqrt(),
        }
    }

    /// The standard score: how many deviations above the mean; 0 where nothing is spread.
    pub fn z(&self, score: f64) -> f64 {
        if self.deviation > 0.0 { (score - self.mean) / self.deviation } else { 0.0 }
    }
}

/// The mean vector of a language's texts, for each of several languages.
///
/// A multilingual model places a language before a meaning. Taken from both sides of a comparison, the means free it
/// of that: see [`Centroids::centred`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Centroids(
    /// Each language once. That of [`Language::default`] stands for every language that is not there.
    pub Vec<(Language, Embedding)>,
);

impl Centroids {
    /// The centroid of a language, or the one that stands for the rest; none where there is neither.
    pub fn of(&self, language: &Language) -> Option<&[f32]> {
        let find = |wanted: &Language| self.0.iter().find(|(own, _)| own == wanted);
        let found = find(language).or_else(|| find(&Language::default()));
        found.map(|(_, centroid)| centroid.as_slice())
    }

    /// A vector less the centroid of its language, of unit length; all zeros stay, and so does what has no centroid.
    pub fn centred(&self, vector: &[f32], language: &Language) -> Embedding {
        if vector.iter().all(|x| *x == 0.0) {
            return vector.to_vec();
        }
        let mut centred = match self.of(language) {
            Some(centroid) if centroid.len() == vector.len() => {
                vector.iter().zip(centroid).map(|(x, c)| x - c).collect()
            }
            _ => vector.to_vec(),
        };
        let norm = centred.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
        if norm > 0.0 {
            centred.iter_mut().for_each(|x| *x = (f64::from(*x) / norm) as f32);
        }
        centred
    }
}

/// What was measured about a model, apart from its vectors: part of what an [`crate::Embedder`] is.
///
/// All cosines are of centred vectors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Calibration {
    /// How much a hit of this model counts in the fusion, against 1 for BM25. A weak model must say so: an equal weight
    /// would lower BM25's own result.
    pub fusion_weight: f64,
    /// Cosines of texts that have nothing to do with one another: what a cosine of this model says is measured by it.
    pub unrelated: Spread,
    /// Means of questions.
    pub queries: Centroids,
    /// Means of passages.
    pub passages: Centroids,
}

impl Default for Calibration {
    /// Of a model of which nothing is known: a full voice, and no hit of its own.
    fn default() -> Self {
        Self {
            fusion_weight: 1.0,
            unrelated: Spread::default(),
            queries: Centroids::default(),
            passages: Centroids::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_counts_what_was_not_found() {
        let spread = Spread::of([2.0, 4.0], 2);
        assert_eq!((spread.count, spread.mean), (4, 1.5));
        assert!((spread.deviation - 2.75f64.sqrt()).abs() < 1e-12);
        assert!((spread.z(1.5 + spread.deviation) - 1.0).abs() < 1e-12);
        let together = Spread::of([2.0], 1).and(Spread::of([4.0], 1));
        assert!((together.deviation - spread.deviation).abs() < 1e-12 && together.mean == 1.5);
        assert_eq!(Spread::default().and(Spread::default()), Spread::default());
        assert_eq!(Spread::of([], 0), Spread::default());
        assert_eq!(Spread::of([3.0], 0).z(9.0), 0.0);
    }

    #[test]
    fn centring_takes_the_language_away() {
        let (zh, en, fr) = (Language::new("zh"), Language::new("en"), Language::new("fr"));
        let centroids = Centroids(vec![(zh.clone(), vec![1.0, 0.0]), (en.clone(), vec![0.0, 1.0])]);
        assert_eq!(centroids.centred(&[1.0, 0.5], &zh), centroids.centred(&[0.0, 1.5], &en));
        assert_eq!(centroids.centred(&[0.0, 0.0], &zh), [0.0, 0.0]);
        assert_eq!(centroids.centred(&[0.0, 2.0], &fr), [0.0, 1.0], "no centroid: only normalised");
        let rest = Centroids(vec![(Language::default(), vec![0.0, 1.0])]);
        assert_eq!(rest.centred(&[1.0, 1.0], &fr), [1.0, 0.0]);
    }
}
