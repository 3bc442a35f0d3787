//! What each channel says to a question.

use super::Recaller;
use crate::{Ranking, detect, scan};
use mem_core::{
    Centroids, Channel, Degraded, Embedder, Embedding, Language, MemoryFilter, Result, Spread, TextHits,
    TextRole, VectorHits, VectorIndex, VectorQuery,
};
use std::cmp::Ordering;

impl Recaller<'_> {
    /// BM25 from the index, or from the store when the index is of no use.
    pub(super) fn lexical(
        &self,
        text: &str,
        filter: &MemoryFilter,
        degraded: &mut Vec<Degraded>,
    ) -> Result<TextHits> {
        let k = self.config.per_channel;
        let fault = match self.text.revision() {
            Ok(at) => {
                let target = self.store.revision()?;
                match at.cmp(&target) {
                    Ordering::Equal => None,
                    Ordering::Less => {
                        Some(format!("the index is {} changes behind the store", target.0 - at.0))
                    }
                    Ordering::Greater => Some("the index is of another history than the store".to_owned()),
                }
            }
            Err(error) => Some(causes(&error)),
        };
        let fault = match fault {
            Some(fault) => fault,
            None => match self.text.search(text, filter, k) {
                Ok(hits) => return Ok(hits),
                Err(error) => causes(&error),
            },
        };
        let memories = self.store.list(filter, self.config.scan_limit)?;
        let part = if memories.len() >= self.config.scan_limit {
            format!("; only the {} latest memories were searched", memories.len())
        } else {
            String::new()
        };
        degraded.push(Degraded {
            part: "bm25".to_owned(),
            reason: format!("{fault}; answered from the store{part}; `mem reindex` rebuilds the index"),
        });
        Ok(scan(text, &memories, k, &self.config.lexical))
    }

    /// The nearest by vector; nothing when there is no model.
    pub(super) fn nearest(
        &self,
        text: &str,
        filter: &MemoryFilter,
        degraded: &mut Vec<Degraded>,
    ) -> VectorHits {
        let (Some(vectors), Some(embedder)) = (self.vectors, self.embedder) else {
            return VectorHits::default();
        };
        let mut failed = |part: &str, error: &mem_core::Error| {
            let reason = format!("{}; answered by words alone", causes(error));
            degraded.push(Degraded { part: part.to_owned(), reason });
            VectorHits::default()
        };
        let question = match embedder.embed(&[text], TextRole::Query) {
            Ok(embedded) => embedded.into_iter().next().unwrap_or_default(),
            Err(error) => return failed("embedder", &error),
        };
        if question.iter().all(|x| *x == 0.0) {
            return VectorHits::default();
        }
        let answer =
            centroids(vectors, embedder, self.config.centroid_prior).and_then(|(queries, passages)| {
                let vector = queries.centred(&question, &detect(text));
                let query = VectorQuery { model: embedder.identity(), vector: &vector, centroids: &passages };
                vectors.search(&query, filter, self.config.per_channel)
            });
        answer.unwrap_or_else(|error| failed("vector", &error))
    }

    /// The channels' lists, ready to be fused.
    pub(super) fn rankings(&self, lexical: &TextHits, nearest: &VectorHits) -> Vec<Ranking> {
        let config = &self.config;
        let of_model = self.embedder.map_or(0.0, |embedder| embedder.calibration().fusion_weight);
        let list = |channel, weight, spread: Spread, hits: Vec<_>, complete: bool| Ranking {
            channel,
            weight,
            hits,
            spread,
            unlisted: if complete { 0.0 } else { spread.mean },
        };
        let words: Vec<_> = lexical
            .hits
            .iter()
            .filter(|hit| hit.score > 0.0)
            .map(|hit| (hit.id.clone(), hit.score))
            .collect();
        let grams: Vec<_> = lexical
            .hits
            .iter()
            .filter(|hit| hit.grams > 0.0)
            .map(|hit| (hit.id.clone(), hit.grams))
            .collect();
        let near = nearest.hits.iter().map(|hit| (hit.id.clone(), (hit.cosine + hit.mean) / 2.0)).collect();
        let covered = lexical.hits.iter().map(|hit| hit.coverage).fold(0.0, f64::max);
        let trust = if nearest.hits.is_empty() || config.lexical_trust <= 0.0 {
            1.0
        } else {
            (covered / config.lexical_trust).min(1.0)
        };
        let (all_words, all_grams) = (words.len() < config.per_channel, grams.len() < config.per_channel);
        vec![
            list(Channel::Bm25, config.bm25_weight * trust, lexical.words, words, all_words),
            list(Channel::Trigram, config.trigram_weight * trust, lexical.grams, grams, all_grams),
            list(Channel::Vector, config.vector_weight.unwrap_or(of_model), nearest.spread, near, false),
        ]
    }
}

/// The centroids of questions and of passages: the model's own, drawn towards what the store holds.
///
/// A store has its own subject, so its centroid lies elsewhere than that of general text; where few vectors stand
/// behind it the model's counts more. The centroid of questions moves along with that of passages.
fn centroids(
    vectors: &dyn VectorIndex,
    embedder: &dyn Embedder,
    prior: f64,
) -> Result<(Centroids, Centroids)> {
    let calibration = embedder.calibration();
    let mut queries = calibration.queries.clone();
    let mut passages = calibration.passages.clone();
    for (language, count, mean) in vectors.centroids(embedder.identity())? {
        let share = (count as f64 / (count as f64 + prior.max(0.0))) as f32;
        let own = calibration.passages.of(&language).map_or_else(|| mean.clone(), <[f32]>::to_vec);
        if own.len() != mean.len() || (language == Language::default() && !passages.0.is_empty()) {
            continue;
        }
        let moved: Embedding = own.iter().zip(&mean).map(|(own, mean)| own + share * (mean - own)).collect();
        let question = calibration.queries.of(&language).map_or_else(
            || moved.clone(),
            |question| {
                question.iter().zip(moved.iter().zip(&own)).map(|(q, (to, from))| q + to - from).collect()
            },
        );
        replace(&mut queries, &language, question);
        replace(&mut passages, &language, moved);
    }
    Ok((queries, passages))
}

fn replace(centroids: &mut Centroids, language: &Language, centroid: Embedding) {
    match centroids.0.iter_mut().find(|(own, _)| own == language) {
        Some((_, own)) => *own = centroid,
        None => centroids.0.push((language.clone(), centroid)),
    }
}

/// An error with everything it came from.
fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        let cause = source.to_string();
        if !text.contains(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
        next = source.source();
    }
    text
}
