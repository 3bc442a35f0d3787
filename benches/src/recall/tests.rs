//! The whole, over data sets that are part of the project.

use super::*;
use clap::Parser;

#[derive(Debug, Parser)]
struct Cli {
    #[command(flatten)]
    recall: Recall,
}

fn args(data: &std::path::Path, more: &[&str]) -> Recall {
    let data = data.to_str().unwrap();
    Cli::parse_from(["mem-bench", "--data", data].iter().chain(more)).recall
}

/// Two projects and what holds in both; one memory replaced; one question without an answer.
fn tiny() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("tiny");
    fs_err::create_dir(&own).unwrap();
    let corpus = [
        r#"{"id":"a1","text":"the staging database listens on port 5433","group":"a","ts":"2026-01-01T00:00:00Z"}"#,
        r#"{"id":"a2","text":"the staging database listens on port 6432 behind pgbouncer","group":"a","ts":"2026-02-01T00:00:00Z","supersedes":"a1"}"#,
        r#"{"id":"a3","text":"部署前必须先跑迁移脚本","group":"a","kind":"feedback","lang":"zh","path":"deploy/migrate.sh"}"#,
        r#"{"id":"b1","text":"the staging database is a SQLite file","group":"b","unknown":1}"#,
        r#"{"id":"g1","text":"commit messages are written in the imperative","tags":["git"]}"#,
    ];
    let queries = [
        r#"{"id":"q1","text":"which port does the staging database listen on?","group":"a","category":"fact"}"#,
        r#"{"id":"q2","text":"迁移脚本什么时候跑","group":"a","category":"rule","lang":"zh"}"#,
        r#"{"id":"q3","text":"how are commit messages written?","group":"b","category":"rule"}"#,
        r#"{"id":"q4","text":"what is the staging database?","group":"b","category":"adversarial"}"#,
        r#"{"id":"q5","text":"rewrite the parser with fewer allocations","group":"b","category":"silent"}"#,
    ];
    fs_err::write(own.join("corpus.jsonl"), corpus.join("\n")).unwrap();
    fs_err::write(own.join("queries.jsonl"), queries.join("\n")).unwrap();
    fs_err::write(own.join("qrels.tsv"), "q1\ta2\t1\nq2\ta3\t1\nq3\tg1\t1\nq4\tb1\t1\nq4\ta2\t1\n").unwrap();
    folder
}

#[test]
fn a_data_set_is_measured_from_end_to_end() {
    let folder = tiny();
    for embedder in ["none", "hash", "builtin"] {
        let dump = folder.path().join("dump.jsonl");
        let args =
            args(folder.path(), &["--embedder", embedder, "--categories", "--dump", dump.to_str().unwrap()]);
        let mut table = Vec::new();
        let (figures, rows) = measure(&args, &mut table).unwrap();
        let seen: Vec<_> = rows.iter().map(|row| (row.category.as_deref(), row.n)).collect();
        assert_eq!(seen, [(None, 3), (Some("adversarial"), 1), (Some("fact"), 1), (Some("rule"), 2)]);
        assert_eq!(rows[0].value("R@1"), 1.0, "{embedder}: {figures}");
        // The document of the other project cannot be found from here.
        assert_eq!(rows[1].value("R@10"), 0.5);
        assert!(rows[0].index_bytes > 1_000 && rows[0].qps > 0.0);
        assert_eq!(rows[0].embed_s.is_some(), embedder != "none");
        assert_eq!(figures["runs"].as_array().unwrap().len(), 4);
        assert_eq!(figures["silence"][0]["silent"]["n"], 1);
        assert_eq!(figures["silence"][0]["others"]["n"], 4);
        let dump = fs_err::read_to_string(dump).unwrap();
        let first: Value = serde_json::from_str(dump.lines().next().unwrap()).unwrap();
        assert_eq!(
            (&first["query"], &first["doc"], &first["gold"]),
            (&json!("q1"), &json!("a2"), &json!(true))
        );
        assert!(first["features"]["coverage"].as_f64().unwrap() > 0.0);
        assert!(!dump.contains("\"a1\""), "what was superseded is not recalled");
        let table = String::from_utf8(table).unwrap();
        assert!(table.contains("tiny") && table.contains("as injected"), "{table}");
    }
}

#[test]
fn what_is_set_changes_what_is_found() {
    let folder = tiny();
    let first = |more: &[&str]| {
        let args = args(folder.path(), &[&["--embedder", "none"], more].concat());
        measure(&args, &mut std::io::sink()).unwrap()
    };
    assert_eq!(first(&["--set", "bm25_weight=0", "--set", "trigram_weight=0"]).1[0].value("R@10"), 0.0);
    assert_eq!(first(&["--limit-queries", "1"]).1[0].n, 1);
    assert_eq!(first(&["--split", "tune"]).1[0].n, 3);
    assert_eq!(first(&["--split", "report"]).1[0].n, 0, "the others are adversarial and silent");
    let without = first(&["--ablate"]).0["ablations"].clone();
    let words = without.as_array().unwrap().iter().find(|one| one["without"] == "trigrams").unwrap();
    assert_eq!(words["R@5"], 0.0, "{without}");
    let wrong = args(folder.path(), &["--set", "nope=1"]);
    assert!(measure(&wrong, &mut std::io::sink()).unwrap_err().to_string().contains("nope"));
}

/// What the project's own data set must reach with the model that comes along, in percent: what was measured, less a
/// margin for what may shift without being worse (about two of its 316 questions).
const FLOORS: [(&str, f64); 4] = [("nDCG@10", 66.5), ("R@5", 71.0), ("any@5", 76.0), ("MRR", 64.0)];
/// The same of what an injection holds: silent questions that stay silent, others that keep a gold memory.
const FLOORS_INJECTED: (f64, f64) = (78.0, 49.0);

#[test]
fn the_own_data_set_is_recalled_as_well_as_it_was() {
    let own = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("data/coding");
    let args = args(&own, &["--depth", "10"]);
    let (figures, rows) = measure(&args, &mut std::io::sink()).unwrap();
    assert_eq!(rows[0].category, None);
    for (metric, floor) in FLOORS {
        let reached = rows[0].value(metric) * 100.0;
        assert!(reached >= floor, "{metric} is {reached:.1}, not {floor:.1}: {figures:#}");
    }
    let injected = |of: &str, share: &str| figures["silence"][0][of][share].as_f64().unwrap() * 100.0;
    let reached = (injected("silent", "silent"), injected("others", "kept"));
    assert!(reached.0 >= FLOORS_INJECTED.0 && reached.1 >= FLOORS_INJECTED.1, "{reached:?}: {figures:#}");
}
