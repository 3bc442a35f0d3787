//! Each part of the ranking left out in turn.

use super::ask::ask;
use super::data::Question;
use super::report::{Of, Row, rounded, rows};
use super::settings::Settings;
use super::world::World;
use serde_json::{Value, json};
use std::io::Write;

/// What can be left out, and the settings that do so.
const PARTS: &[(&str, &[&str])] = &[
    ("words", &["bm25_weight=0"]),
    ("trigrams", &["trigram_weight=0"]),
    ("passages", &["passage_weight=0"]),
    ("vectors", &["vector_weight=0"]),
    ("neighbours", &["neighbour_share=0"]),
    ("links", &["link_damping=0"]),
    ("own centroids", &["centroid_prior=1e12"]),
    ("scores (ranks instead)", &[r#"fusion={"rrf":{"k":60}}"#]),
    ("time", &["ranking.time_floor=1"]),
    (
        "provenance",
        &[
            "ranking.user=1",
            "ranking.correction=1",
            "ranking.conversation=1",
            "ranking.tool=1",
            "ranking.commit=1",
            "ranking.imported=1",
        ],
    ),
    ("own project", &["ranking.own_project=1"]),
    (
        "kind",
        &[
            "policies.user.boost=1",
            "policies.feedback.boost=1",
            "policies.project.boost=1",
            "policies.reference.boost=1",
            "policies.fact.boost=1",
            "policies.decision.boost=1",
            "policies.todo.boost=1",
            "policies.correction.boost=1",
        ],
    ),
    ("collapse", &["collapse.jaccard=2"]),
    ("translation", &["text.lexical.translated=0"]),
    ("approximate words", &["text.lexical.approximate=0"]),
    ("parts of identifiers", &["text.lexical.part=0"]),
    ("function words", &["text.lexical.weak=0"]),
];

/// What is compared.
const SHOWN: [&str; 4] = ["nDCG@10", "R@5", "R@10", "any@5"];

/// Asks all questions once for each part that is left out. Writes and answers what that changes, in points.
pub(super) fn ablate(
    out: &mut dyn Write,
    world: &mut World,
    settings: &Settings,
    (questions, depth): (&[&Question], usize),
    of: Of<'_>,
    whole: &[Row],
) -> anyhow::Result<Vec<Value>> {
    let mut all = Vec::new();
    let Some(whole) = whole.first() else { return Ok(all) };
    for (part, assignments) in PARTS {
        let without = settings.with(assignments)?;
        if without.recall == settings.recall && without.text == settings.text {
            continue;
        }
        world.with_text(&without)?;
        let outcomes = ask(world, &without.recall, questions, depth, |_, _| Ok(()))?;
        let Some(row) = rows(of, &outcomes).into_iter().next() else { continue };
        write!(out, "  without {part:<34}")?;
        let mut change = json!({ "dataset": of.dataset, "embedder": of.embedder, "without": part });
        for metric in SHOWN {
            let points = (row.value(metric) - whole.value(metric)) * 100.0;
            write!(out, " {metric} {points:>+5.1}")?;
            change[metric] = json!(rounded(points));
        }
        writeln!(out, " p50 {:>+6.2} ms", row.p50_ms - whole.p50_ms)?;
        all.push(change);
    }
    world.with_text(settings)?;
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_can_be_left_out() {
        for (part, assignments) in PARTS {
            let without = Settings::default().with(assignments);
            assert!(without.is_ok(), "{part}: {:#}", without.unwrap_err());
        }
    }
}
