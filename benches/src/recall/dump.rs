//! Each hit with all that is known of it, a JSON line each: to fit constants elsewhere.

use super::ask::is_gold;
use super::data::{Dataset, Question};
use super::memories::place_of;
use mem_index::Judged;
use serde_json::json;
use std::io::Write;

/// So many hits of each answer.
const TOP: usize = 20;

/// Writes the best hits of one answer.
pub(super) fn write(
    out: &mut dyn Write,
    data: &Dataset,
    question: &Question,
    answer: &Judged,
) -> anyhow::Result<()> {
    for (at, (hit, (features, relevant))) in
        answer.recall.hits.iter().zip(&answer.features).take(TOP).enumerate()
    {
        let document = place_of(&hit.memory.id).and_then(|place| data.documents.get(place));
        let line = json!({
            "dataset": data.name, "query": question.id, "category": question.category, "lang": question.lang,
            "doc": document.map(|document| document.id.as_str()), "rank": at + 1, "gold": is_gold(question, hit),
            "golds": question.gold.len(), "score": hit.score, "relevant": relevant, "features": features,
            "channels": hit.channels, "factors": hit.factors,
        });
        writeln!(out, "{line}")?;
    }
    Ok(())
}
