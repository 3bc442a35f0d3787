//! Rows of figures: as JSON with shares, as a table with percents.

use super::ask::Outcome;
use super::metrics::{self, NAMES, WITH_INTERVAL};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::io::Write;

/// Questions without an answer, which do not count for the headline.
const ADVERSARIAL: &str = "adversarial";

/// The figures of a data set, or of one category of it.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) dataset: String,
    pub(super) embedder: String,
    /// None: the headline.
    pub(super) category: Option<String>,
    pub(super) n: usize,
    /// In the order of [`NAMES`].
    pub(super) values: [f64; NAMES.len()],
    /// In the order of [`WITH_INTERVAL`].
    pub(super) intervals: [[f64; 2]; WITH_INTERVAL.len()],
    pub(super) qps: f64,
    pub(super) p50_ms: f64,
    pub(super) p95_ms: f64,
    pub(super) index_bytes: u64,
    pub(super) embed_s: Option<f64>,
}

/// What a row is of, beside its questions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Of<'a> {
    pub(super) dataset: &'a str,
    pub(super) embedder: &'a str,
    pub(super) index_bytes: u64,
    pub(super) embed_s: Option<f64>,
}

/// The headline, and a row for each category by name. Adversarial questions are in their own row only.
pub(super) fn rows(of: Of<'_>, outcomes: &[Outcome]) -> Vec<Row> {
    let headline: Vec<&Outcome> =
        outcomes.iter().filter(|own| own.category.as_deref() != Some(ADVERSARIAL)).collect();
    let categories: BTreeSet<&str> = outcomes.iter().filter_map(|own| own.category.as_deref()).collect();
    let mut rows = vec![row(of, None, &headline)];
    for category in categories {
        let own: Vec<&Outcome> =
            outcomes.iter().filter(|own| own.category.as_deref() == Some(category)).collect();
        rows.push(row(of, Some(category), &own));
    }
    rows
}

fn row(of: Of<'_>, category: Option<&str>, outcomes: &[&Outcome]) -> Row {
    let column =
        |at: usize| -> Vec<f64> { outcomes.iter().filter_map(|own| own.values.get(at).copied()).collect() };
    let seconds: Vec<f64> = outcomes.iter().map(|own| own.seconds).collect();
    let total: f64 = seconds.iter().sum();
    let ms = |share| metrics::quantile(&seconds, share).unwrap_or_default() * 1e3;
    Row {
        dataset: of.dataset.to_owned(),
        embedder: of.embedder.to_owned(),
        category: category.map(str::to_owned),
        n: outcomes.len(),
        values: std::array::from_fn(|at| metrics::mean(&column(at))),
        intervals: WITH_INTERVAL
            .map(|name| metrics::interval(&metrics::place(name).map(column).unwrap_or_default())),
        qps: if total > 0.0 { outcomes.len() as f64 / total } else { 0.0 },
        p50_ms: ms(0.5),
        p95_ms: ms(0.95),
        index_bytes: of.index_bytes,
        embed_s: of.embed_s,
    }
}

impl Row {
    pub(super) fn value(&self, name: &str) -> f64 {
        metrics::place(name).and_then(|at| self.values.get(at).copied()).unwrap_or_default()
    }

    pub(super) fn json(&self) -> Value {
        let mut row = Map::new();
        row.insert("dataset".to_owned(), json!(self.dataset));
        row.insert("embedder".to_owned(), json!(self.embedder));
        row.insert("category".to_owned(), json!(self.category));
        row.insert("n".to_owned(), json!(self.n));
        for (name, value) in NAMES.iter().zip(self.values) {
            row.insert((*name).to_owned(), json!(rounded(value)));
        }
        let intervals: Map<String, Value> = WITH_INTERVAL
            .iter()
            .zip(self.intervals)
            .map(|(name, [low, high])| ((*name).to_owned(), json!([rounded(low), rounded(high)])))
            .collect();
        row.insert("ci95".to_owned(), Value::Object(intervals));
        row.insert("qps".to_owned(), json!(rounded(self.qps)));
        row.insert("p50_ms".to_owned(), json!(rounded(self.p50_ms)));
        row.insert("p95_ms".to_owned(), json!(rounded(self.p95_ms)));
        row.insert("index_bytes".to_owned(), json!(self.index_bytes));
        row.insert("embed_s".to_owned(), json!(self.embed_s.map(rounded)));
        Value::Object(row)
    }
}

/// To six digits: the rest is noise.
pub(super) fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

/// What stands above the columns of [`line()`].
pub(super) fn head(out: &mut dyn Write) -> std::io::Result<()> {
    write!(out, "{:<42} {:>5}", "%", "n")?;
    for name in NAMES {
        write!(out, " {name:>7}")?;
    }
    writeln!(
        out,
        "  {:>13} {:>7} {:>7} {:>7} {:>7} {:>7}",
        "nDCG@10 95 %", "qps", "p50 ms", "p95 ms", "MB", "embed s"
    )
}

/// One row of the table.
pub(super) fn line(out: &mut dyn Write, row: &Row) -> std::io::Result<()> {
    let name = match &row.category {
        None => row.dataset.clone(),
        Some(category) => format!("  {category}"),
    };
    write!(out, "{name:<42} {:>5}", row.n)?;
    for value in row.values {
        write!(out, " {:>7.1}", value * 100.0)?;
    }
    let [low, high] = row.intervals.last().copied().unwrap_or_default();
    write!(out, "  {:>13}", format!("{:.1} - {:.1}", low * 100.0, high * 100.0))?;
    write!(out, " {:>7.0} {:>7.2} {:>7.2}", row.qps, row.p50_ms, row.p95_ms)?;
    let embed = row.embed_s.map_or_else(|| "-".to_owned(), |seconds| format!("{seconds:.1}"));
    writeln!(out, " {:>7.1} {embed:>7}", row.index_bytes as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(category: Option<&str>, hits: &[bool], seconds: f64) -> Outcome {
        Outcome { category: category.map(str::to_owned), values: metrics::values(hits, 1), seconds }
    }

    #[test]
    fn the_headline_is_without_adversarial_questions() {
        let outcomes = [
            outcome(Some("temporal"), &[true], 0.001),
            outcome(Some("adversarial"), &[false], 0.1),
            outcome(Some("temporal"), &[false, true], 0.003),
        ];
        let of = Of { dataset: "set", embedder: "none", index_bytes: 7, embed_s: None };
        let rows = rows(of, &outcomes);
        let seen: Vec<_> =
            rows.iter().map(|row| (row.category.as_deref(), row.n, row.value("R@1"))).collect();
        assert_eq!(seen, [(None, 2, 0.5), (Some("adversarial"), 1, 0.0), (Some("temporal"), 2, 0.5)]);
        assert_eq!((rows[0].value("MRR"), rows[0].p50_ms, rows[0].p95_ms), (0.75, 1.0, 3.0));
        assert_eq!(rows[0].qps.round(), 500.0);
        let json = rows[0].json();
        let keys: Vec<&str> = json.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(
            keys,
            [
                "dataset",
                "embedder",
                "category",
                "n",
                "R@1",
                "R@5",
                "R@10",
                "any@1",
                "any@5",
                "any@10",
                "all@5",
                "all@10",
                "nDCG@10",
                "MRR",
                "ci95",
                "qps",
                "p50_ms",
                "p95_ms",
                "index_bytes",
                "embed_s"
            ]
        );
        assert_eq!(json["category"], Value::Null);
        assert_eq!(json["ci95"]["R@5"], json!([1.0, 1.0]));
        let mut table = Vec::new();
        line(&mut table, &rows[0]).unwrap();
        assert!(String::from_utf8(table).unwrap().starts_with("set"));
    }
}
