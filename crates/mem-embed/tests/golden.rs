//! The built-in model against the reference that made it, `tools/distill`.
#![cfg(feature = "builtin")]

use mem_core::{Embedder, cosine};
use mem_embed::StaticEmbedder;
use serde::Deserialize;

/// A line of `golden.jsonl`, written by `tools/pack`: the reference's rows, and its vector in units of 1/10,000.
#[derive(Deserialize)]
struct Golden {
    text: String,
    pieces: Vec<u32>,
    vector: Vec<f32>,
}

#[test]
fn agrees_with_the_reference() {
    let model = StaticEmbedder::builtin().unwrap();
    let lines = include_str!("data/golden.jsonl").lines();
    let golden: Vec<Golden> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(golden.len() >= 60);
    let mut with_content = 0;
    for Golden { text, pieces, vector } in golden {
        assert_eq!(model.pieces(&text), pieces, "{text:?}");
        let found = model.vector(&text);
        if pieces.is_empty() {
            assert!(found.iter().all(|x| *x == 0.0), "{text:?}");
        } else {
            with_content += 1;
            let cosine = cosine(&found, &vector).unwrap();
            assert!(cosine > 0.9999, "{text:?}: {cosine}");
        }
    }
    assert!(with_content >= 55);
}

#[test]
fn keeps_the_contract() {
    mem_testing::embedder_contract(&StaticEmbedder::builtin().unwrap());
}

/// The identity is told by the header; this is what makes it true. Slow, as it reads everything.
#[cfg(feature = "pack")]
#[test]
fn the_digest_is_that_of_the_data() {
    StaticEmbedder::builtin().unwrap().verify().unwrap();
}

#[test]
fn says_what_it_is() {
    let model = StaticEmbedder::builtin().unwrap();
    let identity = model.identity();
    assert_eq!((identity.name.as_str(), identity.dimensions), ("static-zh-en", 256));
    let languages: Vec<&str> = model.centroids().map(|(language, _)| language).collect();
    assert_eq!(languages, ["en", "zh"]);
}

#[test]
fn meaning_comes_before_language_and_spelling() {
    let model = StaticEmbedder::builtin().unwrap();
    let alike = |a: &str, b: &str| {
        let centred = |text: &str, language: &str| {
            let language = mem_core::Language::new(language);
            model.calibration().passages.centred(&model.vector(text), &language)
        };
        let language = |text: &str| if text.is_ascii() { "en" } else { "zh" };
        cosine(&centred(a, language(a)), &centred(b, language(b))).unwrap()
    };
    for (text, near, far) in [
        ("the database connection timed out", "数据库连接超时", "今天天气很好"),
        ("delete the file", "remove the document", "bake a cake"),
        ("怎么重启服务器", "服务器重新启动的方法", "怎么做红烧肉"),
        ("用户喜欢简短的回答", "the user prefers short answers", "the cat sleeps on the roof"),
    ] {
        let (near, far) = (alike(text, near), alike(text, far));
        assert!(near > far + 0.1, "{text}: {near:.3} {far:.3}");
    }
}
