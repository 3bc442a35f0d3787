//! `mem-bench recall`: how often the library's own recall finds what it should, over data sets with known answers.
//!
//! Documents become memories in a store of their own, with the lexical index and the vectors the product has; each
//! question goes through [`mem_index::Recaller`] as it comes. Nothing here knows a data set but by its layout, save for
//! which questions are to tune on.

mod ablate;
mod ask;
mod baseline;
mod data;
mod dump;
mod embedder;
mod memories;
mod metrics;
mod report;
mod settings;
mod silence;
mod split;
#[cfg(test)]
mod tests;
mod world;

use anyhow::Context as _;
use clap::Args;
use data::Dataset;
use mem_core::Embedder;
use report::{Of, Row};
use serde_json::{Value, json};
use settings::Settings;
use split::Split;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;
use world::{Vectors, World};

/// What to measure.
#[derive(Debug, Clone, Args)]
pub(crate) struct Recall {
    /// Folder of data sets (each with corpus.jsonl, queries.jsonl, qrels.tsv), or one of them
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Only this data set; may be repeated
    #[arg(long, value_name = "NAME")]
    dataset: Vec<String>,
    /// none, hash, builtin or fastembed:DIR
    #[arg(long, default_value = "builtin")]
    embedder: String,
    /// Where vectors are searched
    #[arg(long, value_enum, default_value_t = Vectors::Resident)]
    vectors: Vectors,
    /// Which questions
    #[arg(long, value_enum, default_value_t = Split::All)]
    split: Split,
    /// Only the first of these
    #[arg(long, value_name = "N")]
    limit_queries: Option<usize>,
    /// Hits asked for; MRR is over so many. Fewer are faster
    #[arg(long, value_name = "N", default_value_t = metrics::DEPTH)]
    depth: usize,
    /// Another value for a constant of recall, as in ranking.time_floor=1, or of text.…, index.…, policies.…, model.…; may be
    /// repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Leave out each part of the ranking in turn, and say what that changes
    #[arg(long)]
    ablate: bool,
    /// A row for each category too, and the curve of silence
    #[arg(long)]
    categories: bool,
    /// Answer in JSON; shares lie between 0 and 1
    #[arg(long)]
    json: bool,
    /// Write the JSON to this file too
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Say how far each figure is from a saved run, and fail when nDCG@10, R@5 or any@5 of a data set fell
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// By more than so many points
    #[arg(long, value_name = "POINTS", default_value_t = 0.5)]
    tolerance: f64,
    /// Write the best hits of every question with all that is known of them, a JSON line each
    #[arg(long, value_name = "FILE")]
    dump: Option<PathBuf>,
}

pub(crate) fn run(args: &Recall) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    let earlier = args.baseline.as_ref().map(|path| -> anyhow::Result<Value> {
        serde_json::from_str(&fs_err::read_to_string(path)?)
            .with_context(|| format!("the baseline {}", path.display()))
    });
    let earlier = earlier.transpose()?;
    let mut nothing = std::io::sink();
    let table: &mut dyn Write = if args.json { &mut nothing } else { &mut out };
    let (figures, rows) = measure(args, table)?;
    let mut fallen = Vec::new();
    if let Some(earlier) = &earlier {
        let mut comparison = Vec::new();
        let shown: Vec<Row> =
            rows.into_iter().filter(|row| args.categories || row.category.is_none()).collect();
        fallen = baseline::compare(&mut comparison, earlier, &shown, args.split.as_str(), args.tolerance)?;
        table.write_all(&comparison)?;
    }
    if let Some(path) = &args.save {
        let mut text = serde_json::to_string_pretty(&figures)?;
        text.push('\n');
        fs_err::write(path, text)?;
    }
    if args.json {
        serde_json::to_writer_pretty(&mut out, &figures)?;
        writeln!(out)?;
    }
    anyhow::ensure!(fallen.is_empty(), "worse than the baseline: {}", fallen.join("; "));
    Ok(())
}

/// Measures every data set, writes tables as it goes, and answers all figures with the rows among them.
fn measure(args: &Recall, table: &mut dyn Write) -> anyhow::Result<(Value, Vec<Row>)> {
    let (model, rest): (Vec<&str>, Vec<&str>) =
        args.set.iter().map(String::as_str).partition(|assignment| assignment.starts_with(embedder::PART));
    let settings = Settings::default().with(&rest)?;
    let embedder = embedder::embedder(&args.embedder, &model)?;
    let mut dump = match &args.dump {
        Some(path) => Some(BufWriter::new(fs_err::File::create(path)?)),
        None => None,
    };
    report::head(table)?;
    let (mut rows, mut silences, mut ablations) = (Vec::new(), Vec::new(), Vec::new());
    for folder in data::folders(&args.data, &args.dataset)? {
        let data = Dataset::read(&folder)?;
        let found = one(args, &settings, embedder.clone(), &data, dump.as_mut(), table)?;
        rows.extend(found.rows);
        silences.extend(found.silence.map(|silence| silence.json()));
        ablations.extend(found.ablations);
        table.flush()?;
    }
    if let Some(dump) = &mut dump {
        dump.flush()?;
    }
    let runs: Vec<Value> = rows.iter().map(Row::json).collect();
    let mut figures =
        json!({ "runs": runs, "split": args.split.as_str(), "depth": args.depth, "set": args.set });
    if !silences.is_empty() {
        figures["silence"] = json!(silences);
    }
    if args.ablate {
        figures["ablations"] = json!(ablations);
    }
    Ok((figures, rows))
}

/// What was measured of one data set.
struct Found {
    rows: Vec<Row>,
    silence: Option<silence::Silence>,
    ablations: Vec<Value>,
}

fn one(
    args: &Recall,
    settings: &Settings,
    embedder: Option<Arc<dyn Embedder>>,
    data: &Dataset,
    mut dump: Option<&mut BufWriter<fs_err::File>>,
    table: &mut dyn Write,
) -> anyhow::Result<Found> {
    let mut questions = args.split.of(data);
    questions.truncate(args.limit_queries.unwrap_or(usize::MAX));
    let mut world = World::new(data, embedder, settings, args.vectors)?;
    let outcomes =
        ask::ask(&world, &settings.recall, &questions, args.depth, |question, answer| match &mut dump {
            Some(dump) => dump::write(dump, data, question, answer),
            None => Ok(()),
        })?;
    if let Some(dump) = &mut dump {
        let recaller = world.recaller(&settings.recall);
        for question in questions.iter().filter(|question| silence::is_silent(question)) {
            let answer = ask::judged(&recaller, &world.query(question, args.depth)?)?;
            dump::write(dump, data, question, &answer)?;
        }
    }
    let (index_bytes, embed_s) = (world.index_bytes, world.embed_s);
    let of = Of { dataset: &data.name, embedder: &args.embedder, index_bytes, embed_s };
    let rows = report::rows(of, &outcomes);
    for row in rows.iter().filter(|row| args.categories || row.category.is_none()) {
        report::line(table, row)?;
    }
    let silence = silence::measure(&world, &settings.recall, &data.name, &questions)?;
    if let Some(silence) = &silence {
        silence.table(table, args.categories)?;
    }
    let ablations = if args.ablate {
        ablate::ablate(table, &mut world, settings, (&questions, args.depth), of, &rows)?
    } else {
        Vec::new()
    };
    Ok(Found { rows, silence, ablations })
}
