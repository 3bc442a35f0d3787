//! The golden file: what the reference in `tools/distill` makes of texts that touch every rule.

use anyhow::{Context, Result, bail, ensure};
use fs_err as fs;
use mem_embed::StaticEmbedder;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Numbers of the committed fixture are in units of 1/10,000.
const UNITS: f32 = 10_000.0;

/// One text, its rows and its vector.
#[derive(Debug, Deserialize)]
pub(crate) struct Golden {
    text: String,
    pieces: Vec<u32>,
    vector: Vec<f32>,
}

#[derive(Serialize)]
struct Line<'a> {
    text: &'a str,
    pieces: &'a [u32],
    vector: Vec<i32>,
}

pub(crate) fn read(path: &Path) -> Result<Vec<Golden>> {
    let text = fs::read_to_string(path)?;
    let golden: Vec<Golden> =
        text.lines().map(serde_json::from_str).collect::<Result<_, _>>().context("golden")?;
    ensure!(golden.len() >= 60, "only {} golden texts", golden.len());
    Ok(golden)
}

/// Fails unless the model agrees with the reference; the least cosine of their vectors.
pub(crate) fn compare(model: &StaticEmbedder, golden: &[Golden]) -> Result<f64> {
    let mut worst = 1.0f64;
    for Golden { text, pieces, vector } in golden {
        let found = model.pieces(text);
        if found != *pieces {
            bail!("pieces of {text:?}: the reference has {pieces:?}, this has {found:?}");
        }
        if !pieces.is_empty() {
            let cosine = mem_core::cosine(&model.vector(text), vector)?;
            ensure!(cosine > 0.9999, "vector of {text:?}: cosine {cosine} with the reference");
            worst = worst.min(cosine);
        }
    }
    Ok(worst)
}

/// The fixture that is committed: the same with rounded vectors.
pub(crate) fn fixture(golden: &[Golden]) -> Result<String> {
    let mut out = String::new();
    for Golden { text, pieces, vector } in golden {
        let vector = vector.iter().map(|x| (x * UNITS).round() as i32).collect();
        out.push_str(&serde_json::to_string(&Line { text, pieces, vector })?);
        out.push('\n');
    }
    Ok(out)
}
