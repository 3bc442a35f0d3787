//! An ONNX model from a folder.
//!
//! `MEM_TEST_ONNX_MODEL` names the folder of a multilingual E5 model, `MEM_TEST_ONNX_RUNTIME` a library of ONNX Runtime or
//! a Python environment that has it; `tools/models/build.py` makes both. Without them the tests say so and pass.
#![cfg(feature = "fastembed")]
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests")]

use mem_core::{Embedder, ErrorKind, Language, TextRole, cosine};
use mem_embed::{HashEmbedder, OnnxConfig, OnnxEmbedder, calibrate};
use std::path::{Path, PathBuf};

fn place() -> Option<(PathBuf, OnnxConfig)> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let found = variable("MEM_TEST_ONNX_MODEL").zip(variable("MEM_TEST_ONNX_RUNTIME"));
    if found.is_none() {
        eprintln!("skipped: MEM_TEST_ONNX_MODEL and MEM_TEST_ONNX_RUNTIME do not name a model and a runtime");
    }
    let (model, runtime) = found?;
    Some((model, OnnxConfig { runtime: Some(runtime), ..OnnxConfig::default() }))
}

/// The model's files by links, so that one of them can be replaced.
fn copy(dir: &Path) -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        if entry.path().is_file() {
            std::fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
        }
    }
    copy
}

#[test]
fn keeps_the_contract() {
    let Some((dir, config)) = place() else { return };
    let embedder = OnnxEmbedder::open(&dir, config).unwrap();
    mem_testing::embedder_contract(&embedder);
}

#[test]
fn meanings_meet_across_languages() {
    let Some((dir, config)) = place() else { return };
    let embedder = OnnxEmbedder::open(&dir, config).unwrap();
    assert_eq!(embedder.identity().dimensions, 384);
    assert_eq!(embedder.identity().variant, "mean/512 \"query: \" \"passage: \"");
    let question = embedder.embed(&["不要自动提交代码"], TextRole::Query).unwrap();
    let passages =
        ["等用户确认后再 commit", "Commit only after the user has confirmed", "A cup of green tea"];
    let passages = embedder.embed(&passages, TextRole::Passage).unwrap();
    let cosines: Vec<f64> = passages.iter().map(|p| cosine(&question[0], p).unwrap()).collect();
    assert!(cosines[0] > cosines[1] && cosines[1] > cosines[2], "{cosines:?}");
    let as_passage = embedder.embed(&["不要自动提交代码"], TextRole::Passage).unwrap();
    assert_ne!(question, as_passage, "the two roles differ");
}

#[test]
fn a_text_is_cut_at_the_bound_and_no_text_has_no_vector() {
    let Some((dir, config)) = place() else { return };
    let embedder = OnnxEmbedder::open(&dir, OnnxConfig { max_tokens: Some(16), ..config }).unwrap();
    let [short, long] = [40, 4_000].map(|count| "harbour ".repeat(count));
    let vectors = embedder.embed(&[&short, &long, "", " \n"], TextRole::Passage).unwrap();
    assert!(cosine(&vectors[0], &vectors[1]).unwrap() > 0.9999);
    assert!(vectors[2].iter().chain(&vectors[3]).all(|x| *x == 0.0));
}

#[test]
fn any_change_changes_the_identity_and_a_move_does_not() {
    let Some((dir, config)) = place() else { return };
    let digests = tempfile::tempdir().unwrap();
    let config = OnnxConfig { digests: Some(digests.path().join("digests.json")), ..config };
    let key =
        |dir: &Path, config: &OnnxConfig| OnnxEmbedder::open(dir, config.clone()).unwrap().identity().key();
    let own = key(&dir, &config);
    assert_eq!(key(&dir, &config), own);
    let other = OnnxConfig { query_prefix: Some("Q: ".into()), ..config.clone() };
    assert_ne!(key(&dir, &other), own);
    let copied = copy(&dir);
    let named = OnnxConfig { name: dir.file_name().map(|n| n.to_string_lossy().into_owned()), ..config };
    assert_eq!(key(copied.path(), &named), own);
    let tokenizer = copied.path().join("tokenizer.json");
    let text = std::fs::read_to_string(&tokenizer).unwrap();
    std::fs::write(&tokenizer, text + "\n").unwrap();
    assert_ne!(key(copied.path(), &named), own);
}

#[test]
fn what_cannot_be_run_is_an_error_that_says_so() {
    let Some((dir, config)) = place() else { return };
    let copied = copy(&dir);
    for entry in std::fs::read_dir(copied.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "onnx") {
            std::fs::write(path, "no model").unwrap();
        }
    }
    let embedder = OnnxEmbedder::open(copied.path(), config.clone()).unwrap();
    let error = embedder.embed(&["x"], TextRole::Query).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    assert!(error.to_string().contains(".onnx"), "{error}");
    let config = OnnxConfig { runtime: Some(copied.path().join("nowhere")), ..config };
    let embedder = OnnxEmbedder::open(&dir, config).unwrap();
    let error = embedder.embed(&["x"], TextRole::Query).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.to_string().contains("pip install onnxruntime"), "{error}");
}

#[test]
fn a_measured_model_says_that_it_is_good() {
    let Some((dir, config)) = place() else { return };
    let embedder = OnnxEmbedder::open(&dir, config).unwrap();
    let measured = calibrate(&embedder).unwrap();
    let spelling = calibrate(&HashEmbedder::default()).unwrap();
    assert!(measured.fusion_weight > 0.9, "{}", measured.fusion_weight);
    assert!(spelling.fusion_weight < 0.1, "{}", spelling.fusion_weight);
    assert!(measured.unrelated.count > 50_000 && measured.unrelated.mean.abs() < 0.02);
    let of = |tag: &str| measured.passages.of(&Language::new(tag)).unwrap();
    // The languages lie apart until their means are taken away.
    assert!(cosine(of("zh"), of("en")).unwrap() < 0.99);
    let embedder = embedder.with_calibration(measured.clone());
    assert_eq!(embedder.calibration(), &measured);
}
