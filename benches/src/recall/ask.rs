//! Questions put to the library's own recall.

use super::data::Question;
use super::memories::place_of;
use super::metrics;
use super::world::World;
use mem_core::{Hit, Query};
use mem_index::{Judged, RecallConfig, Recaller};
use std::time::Instant;

/// So many hits are asked for where time counts: what a person or a hook asks for.
const USUAL: usize = 10;

/// What one question got.
#[derive(Debug, Clone)]
pub(super) struct Outcome {
    pub(super) category: Option<String>,
    /// In the order of [`metrics::NAMES`].
    pub(super) values: [f64; metrics::NAMES.len()],
    /// How long a call took.
    pub(super) seconds: f64,
}

/// Asks every question that has a gold document for `depth` hits, and hands each answer to `see` as well.
///
/// Each is asked once more for as many as are usual, and that call is timed: what it needs is read by then.
pub(super) fn ask(
    world: &World,
    config: &RecallConfig,
    questions: &[&Question],
    depth: usize,
    mut see: impl FnMut(&Question, &Judged) -> anyhow::Result<()>,
) -> anyhow::Result<Vec<Outcome>> {
    let recaller = world.recaller(config);
    let mut outcomes = Vec::with_capacity(questions.len());
    for question in questions.iter().filter(|question| !question.gold.is_empty()) {
        let answer = judged(&recaller, &world.query(question, depth)?)?;
        let hits: Vec<bool> = answer.recall.hits.iter().map(|hit| is_gold(question, hit)).collect();
        see(question, &answer)?;
        let usual = world.query(question, USUAL)?;
        let began = Instant::now();
        judged(&recaller, &usual)?;
        outcomes.push(Outcome {
            category: question.category.clone(),
            values: metrics::values(&hits, question.gold.len()),
            seconds: began.elapsed().as_secs_f64(),
        });
    }
    Ok(outcomes)
}

/// An answer in which every part took part.
pub(super) fn judged(recaller: &Recaller<'_>, query: &Query) -> anyhow::Result<Judged> {
    let answer = recaller.judge(query)?;
    if let Some(degraded) = answer.recall.degraded.first() {
        anyhow::bail!("{} did not take part in {:?}: {}", degraded.part, query.text, degraded.reason);
    }
    Ok(answer)
}

/// Whether a hit is one of a question's gold documents.
pub(super) fn is_gold(question: &Question, hit: &Hit) -> bool {
    place_of(&hit.memory.id).is_some_and(|place| question.gold.binary_search(&place).is_ok())
}
