//! Figures of an earlier run, and whether this one falls behind.

use super::metrics::NAMES;
use super::report::Row;
use anyhow::Context as _;
use serde_json::Value;
use std::io::Write;

/// What may not fall.
const GUARDED: [&str; 3] = ["nDCG@10", "R@5", "any@5"];

/// Writes how far each row is from its row in the earlier run, in points, and answers what fell by more than so many.
pub(super) fn compare(
    out: &mut dyn Write,
    earlier: &Value,
    rows: &[Row],
    split: &str,
    tolerance: f64,
) -> anyhow::Result<Vec<String>> {
    let runs = earlier["runs"].as_array().context("the baseline has no \"runs\"; --save writes one")?;
    if let Some(own) = earlier["split"].as_str().filter(|own| *own != split) {
        anyhow::bail!("the baseline is of --split {own}, this run of --split {split}");
    }
    let mut fallen = Vec::new();
    write!(out, "{:<42}", "points over the baseline")?;
    for name in NAMES {
        write!(out, " {name:>7}")?;
    }
    writeln!(out)?;
    for row in rows {
        let same = |run: &&Value| {
            run["dataset"] == row.dataset.as_str()
                && run["embedder"] == row.embedder.as_str()
                && run["category"].as_str() == row.category.as_deref()
        };
        let name =
            row.category.as_ref().map_or_else(|| row.dataset.clone(), |category| format!("  {category}"));
        write!(out, "{name:<42}")?;
        let Some(run) = runs.iter().find(same) else {
            writeln!(out, " not in the baseline with --embedder {}", row.embedder)?;
            continue;
        };
        for metric in NAMES {
            let Some(before) = run[metric].as_f64() else {
                write!(out, " {:>7}", "-")?;
                continue;
            };
            let delta = (row.value(metric) - before) * 100.0;
            // Saved figures are rounded: what differs by less than is shown is no -0.
            write!(out, " {:>+7.1}", (delta * 10.0).round() / 10.0 + 0.0)?;
            if row.category.is_none() && GUARDED.contains(&metric) && delta < -tolerance {
                fallen.push(format!(
                    "{}: {metric} fell from {:.1} to {:.1}",
                    row.dataset,
                    before * 100.0,
                    row.value(metric) * 100.0
                ));
            }
        }
        writeln!(out)?;
    }
    Ok(fallen)
}

#[cfg(test)]
mod tests {
    use super::super::ask::Outcome;
    use super::super::{metrics, report};
    use super::*;
    use serde_json::json;

    fn rows(hits: &[bool]) -> Vec<Row> {
        let outcome =
            Outcome { category: Some("x".to_owned()), values: metrics::values(hits, 1), seconds: 0.001 };
        let of = report::Of { dataset: "set", embedder: "none", index_bytes: 1, embed_s: None };
        report::rows(of, &[outcome])
    }

    fn saved(rows: &[Row]) -> Value {
        json!({ "runs": rows.iter().map(Row::json).collect::<Vec<_>>(), "split": "all" })
    }

    #[test]
    fn what_falls_further_than_allowed_is_told() {
        let mut table = Vec::new();
        let earlier = saved(&rows(&[true]));
        assert!(compare(&mut table, &earlier, &rows(&[true]), "all", 0.5).unwrap().is_empty());
        // A gold document at rank 2 instead of 1: R@5 and any@5 stay, nDCG@10 falls to 63.1.
        let fallen = compare(&mut table, &earlier, &rows(&[false, true]), "all", 0.5).unwrap();
        assert_eq!(fallen, ["set: nDCG@10 fell from 100.0 to 63.1"], "a category guards nothing");
        assert!(compare(&mut table, &earlier, &rows(&[false, true]), "all", 40.0).unwrap().is_empty());
        assert!(String::from_utf8(table).unwrap().contains("-36.9"));
    }

    #[test]
    fn only_like_is_compared_with_like() {
        let mut table = Vec::new();
        let mut others = rows(&[false]);
        others.iter_mut().for_each(|row| row.embedder = "builtin".to_owned());
        assert!(compare(&mut table, &saved(&rows(&[true])), &others, "all", 0.5).unwrap().is_empty());
        assert!(String::from_utf8(table.clone()).unwrap().contains("not in the baseline"));
        assert!(compare(&mut table, &saved(&rows(&[true])), &others, "tune", 0.5).is_err());
        assert!(compare(&mut table, &json!({}), &others, "all", 0.5).is_err());
    }
}
