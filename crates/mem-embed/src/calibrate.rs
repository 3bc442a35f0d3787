//! [`calibrate`].

use crate::Error;
use mem_core::{Calibration, Centroids, Embedder, Embedding, Language, Result, Spread, TextRole};

/// A line a subject: a question and the passage that answers it in English, both again in Chinese.
const CORPUS: &str = include_str!("../data/calibration.tsv");

/// The languages of a line's two pairs.
const LANGUAGES: [&str; 2] = ["en", "zh"];

/// Texts of one language, a vector each, and the rows of the corpus they come from.
struct Side {
    language: Language,
    questions: Vec<Embedding>,
    passages: Vec<Embedding>,
}

/// Measures a model on 120 subjects of software work and everyday life, in English and in Chinese: 480 short texts.
///
/// - [`Calibration::queries`] and [`Calibration::passages`]: the mean of the questions and of the passages of each
///   language, and over both for every other one. All cosines below are of vectors freed of them.
/// - [`Calibration::unrelated`]: each question with each passage about something else, in both languages.
/// - [`Calibration::fusion_weight`]: how often the passage that answers stands before all others, among those of
///   either language: twice the square of the share, at most 1. A model that does so in 7 cases of 10 counts
///   as much as BM25; one that only compares spelling (1 in 8) next to nothing.
///
/// # Errors
/// Of the model; [`Error::Uncalibrated`] when it gives vectors of another number or length than it should.
pub fn calibrate(embedder: &dyn Embedder) -> Result<Calibration> {
    let rows: Vec<Vec<&str>> = CORPUS.lines().map(|line| line.split('\t').collect()).collect();
    let column = |at: usize, role| {
        let texts: Vec<&str> = rows.iter().filter_map(|row| row.get(at).copied()).collect();
        embed(embedder, &texts, role)
    };
    let mut sides = Vec::new();
    for (at, language) in LANGUAGES.iter().enumerate() {
        sides.push(Side {
            language: Language::new(language),
            questions: column(2 * at, TextRole::Query)?,
            passages: column(2 * at + 1, TextRole::Passage)?,
        });
    }
    let queries = centroids(&sides, |side| &side.questions);
    let passages = centroids(&sides, |side| &side.passages);
    for side in &mut sides {
        for (vectors, centroids) in [(&mut side.questions, &queries), (&mut side.passages, &passages)] {
            vectors.iter_mut().for_each(|vector| *vector = centroids.centred(vector, &side.language));
        }
    }
    let measured = compare(&sides);
    Ok(Calibration {
        fusion_weight: (2.0 * measured.found * measured.found).min(1.0),
        unrelated: measured.unrelated,
        queries,
        passages,
    })
}

fn embed(embedder: &dyn Embedder, texts: &[&str], role: TextRole) -> Result<Vec<Embedding>> {
    let vectors = embedder.embed(texts, role)?;
    let identity = embedder.identity();
    let right = |vector: &Embedding| {
        vector.len() == identity.dimensions && vector.iter().all(|number| number.is_finite())
    };
    let got = vectors.iter().filter(|vector| right(vector)).count();
    if vectors.len() != texts.len() || got != texts.len() {
        return Err(Error::Uncalibrated { model: identity.key(), got, expected: texts.len() }.into());
    }
    Ok(vectors)
}

fn centroids(sides: &[Side], of: impl Fn(&Side) -> &Vec<Embedding>) -> Centroids {
    let all: Vec<&Embedding> = sides.iter().flat_map(&of).collect();
    let mut centroids = vec![(Language::default(), mean(&all))];
    for side in sides {
        centroids.push((side.language.clone(), mean(&of(side).iter().collect::<Vec<_>>())));
    }
    Centroids(centroids)
}

fn mean(vectors: &[&Embedding]) -> Embedding {
    let mut sum = vec![0f64; vectors.first().map_or(0, |vector| vector.len())];
    for vector in vectors {
        sum.iter_mut().zip(*vector).for_each(|(sum, x)| *sum += f64::from(*x));
    }
    sum.into_iter().map(|sum| (sum / vectors.len().max(1) as f64) as f32).collect()
}

struct Measured {
    unrelated: Spread,
    found: f64,
}

/// Every question with every passage.
fn compare(sides: &[Side]) -> Measured {
    let mut unrelated = Vec::new();
    let (mut found, mut tried) = (0.0, 0.0);
    for asked in sides {
        for (at, question) in asked.questions.iter().enumerate() {
            for answering in sides {
                let mut best = -1f64;
                let mut own = -1f64;
                for (subject, passage) in answering.passages.iter().enumerate() {
                    let cosine = dot(question, passage);
                    if subject == at {
                        own = cosine;
                    } else {
                        best = best.max(cosine);
                        unrelated.push(cosine);
                    }
                }
                tried += 1.0;
                if own > best {
                    found += 1.0;
                }
            }
        }
    }
    Measured { unrelated: Spread::of(unrelated, 0), found: if tried > 0.0 { found / tried } else { 0.0 } }
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HashEmbedder;
    use mem_core::{ModelIdentity, cosine};
    use std::collections::HashSet;

    /// Knows the row of every text of the corpus, and adds a direction of its language that drowns it.
    struct Knowing {
        identity: ModelIdentity,
        calibration: Calibration,
        subject: f32,
    }

    impl Knowing {
        fn new(subject: f32) -> Self {
            let rows = CORPUS.lines().count();
            let identity = ModelIdentity {
                name: "knowing".into(),
                version: "1".into(),
                dimensions: rows + 2,
                variant: String::new(),
            };
            Self { identity, calibration: Calibration::default(), subject }
        }
    }

    impl Embedder for Knowing {
        fn identity(&self) -> &ModelIdentity {
            &self.identity
        }

        fn embed(&self, texts: &[&str], _: TextRole) -> Result<Vec<Embedding>> {
            let vector = |text: &&str| {
                let row = CORPUS.lines().position(|line| line.split('\t').any(|cell| cell == *text)).unwrap();
                let mut vector = vec![0.0; self.identity.dimensions];
                vector[row] = self.subject;
                vector[CORPUS.lines().count() + usize::from(!text.is_ascii())] = 1.0;
                vector
            };
            Ok(texts.iter().map(vector).collect())
        }

        fn calibration(&self) -> &Calibration {
            &self.calibration
        }
    }

    #[test]
    fn the_corpus_is_120_subjects_in_two_languages() {
        let mut seen = HashSet::new();
        for line in CORPUS.lines() {
            let cells: Vec<&str> = line.split('\t').collect();
            assert_eq!(cells.len(), 4, "{line}");
            assert!(cells[..2].iter().all(|cell| cell.is_ascii()), "{line}");
            let is_han = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
            assert!(cells[2..].iter().all(|cell| cell.contains(is_han)), "{line}");
            assert!(cells.iter().all(|cell| seen.insert(cell.to_string())), "twice: {line}");
        }
        assert_eq!(seen.len(), 480);
    }

    #[test]
    fn a_model_that_knows_counts_full_in_spite_of_its_languages() {
        let measured = calibrate(&Knowing::new(0.3)).unwrap();
        assert_eq!(measured.fusion_weight, 1.0);
        assert_eq!(measured.unrelated.count, 240 * 238);
        for centroids in [&measured.queries, &measured.passages] {
            let tags: Vec<&str> = centroids.0.iter().map(|(language, _)| language.as_str()).collect();
            assert_eq!(tags, [Language::default().as_str(), "en", "zh"]);
            let [und, en, zh] = [0, 1, 2].map(|at| centroids.0[at].1.as_slice());
            assert!(cosine(en, zh).unwrap() < 0.1);
            assert!((cosine(und, en).unwrap() - cosine(und, zh).unwrap()).abs() < 1e-6);
        }
    }

    #[test]
    fn one_that_knows_nothing_counts_nothing() {
        let measured = calibrate(&Knowing::new(0.0)).unwrap();
        assert_eq!((measured.fusion_weight, measured.unrelated.deviation), (0.0, 0.0));
        let spelling = calibrate(&HashEmbedder::default()).unwrap();
        assert!(spelling.fusion_weight < 0.1, "{}", spelling.fusion_weight);
    }

    #[test]
    fn vectors_of_another_length_are_refused() {
        let mut liar = Knowing::new(0.3);
        liar.identity.dimensions += 1;
        let wrong = Wrong(liar);
        let error = calibrate(&wrong).unwrap_err();
        assert!(error.to_string().contains("gave 0 vectors, expected 120"), "{error}");
    }

    struct Wrong(Knowing);

    impl Embedder for Wrong {
        fn identity(&self) -> &ModelIdentity {
            &self.0.identity
        }

        fn embed(&self, texts: &[&str], _: TextRole) -> Result<Vec<Embedding>> {
            Ok(texts.iter().map(|_| vec![0.5; 3]).collect())
        }

        fn calibration(&self) -> &Calibration {
            &self.0.calibration
        }
    }
}
