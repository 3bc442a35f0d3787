//! Packs what `tools/distill` wrote into the data crates of the built-in embedding model.
//!
//! ```text
//! cargo run --release -p mem-pack -- EXPORT            # writes crates/mem-embed-zh-en-{a,b} and the golden fixture
//! cargo run --release -p mem-pack -- EXPORT --check    # reads, packs and compares, writes nothing
//! ```
//!
//! Everything is checked before anything is written: sizes, the digest, and that the packed model gives the pieces and
//! the vectors of the export's golden file.

mod export;
mod golden;

use anyhow::{Context, Result, bail, ensure};
use clap::Parser;
use fs_err as fs;
use mem_embed::{StaticEmbedder, pack};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A published crate may hold 10 MB; some of it is for what stands around the data.
const MAX_BYTES: u64 = 9_000_000;
const NAME: &str = "static-zh-en";

/// Packs an export of `tools/distill` into the data crates.
#[derive(Parser)]
struct Arguments {
    /// The directory with pieces.tsv, codes.npy, scales.npy, model.json and golden.jsonl.
    export: PathBuf,
    /// The root of the workspace.
    #[arg(long, default_value = ".")]
    root: PathBuf,
    /// Write nothing; fail when what is there is not what this export gives.
    #[arg(long)]
    check: bool,
}

#[expect(clippy::print_stdout, reason = "the summary is the output")]
fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let export = export::read(&arguments.export, NAME)?;
    let packed = pack(&export.table)?;
    let model = StaticEmbedder::from_parts(packed.first.clone(), packed.second.clone())?;
    model.verify()?;
    let golden = golden::read(&arguments.export.join("golden.jsonl"))?;
    let worst = golden::compare(&model, &golden)?;

    let crates = arguments.root.join("crates");
    let data = |half: &str| crates.join(format!("mem-embed-zh-en-{half}"));
    let bin = |half: &str| data(half).join(format!("data/{NAME}-{half}.bin"));
    let provenance = provenance(&export.provenance);
    let files = [
        (bin("a"), packed.first.as_slice()),
        (bin("b"), packed.second.as_slice()),
        (data("a").join("PROVENANCE.md"), provenance.as_bytes()),
        (data("b").join("PROVENANCE.md"), provenance.as_bytes()),
        (crates.join("mem-embed/tests/data/golden.jsonl"), &golden::fixture(&golden)?.into_bytes()),
    ];
    for half in ["a", "b"] {
        let around = size_without_data(&data(half))?;
        let len = if half == "a" { packed.first.len() } else { packed.second.len() } as u64;
        ensure!(len + around <= MAX_BYTES, "crate {half} would have {} bytes, {MAX_BYTES} fit", len + around);
    }
    for (path, bytes) in &files {
        write(path, bytes, arguments.check)?;
    }

    println!("{}", mem_core::Embedder::identity(&model).key());
    println!("rows        {}", export.table.pieces.len());
    println!("first part  {} bytes", packed.first.len());
    println!("second part {} bytes", packed.second.len());
    println!("golden      {} texts, least cosine {worst:.7}", golden.len());
    for export::Provenance { source, licence, .. } in &export.provenance {
        println!("made from   {source}: {licence}");
    }
    for (language, centroid) in model.centroids() {
        let norm = centroid.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
        println!("centroid    {language}, length {norm:.3}");
    }
    Ok(())
}

fn write(path: &Path, bytes: &[u8], check: bool) -> Result<()> {
    if check {
        if fs::read(path)? != bytes {
            bail!("{} is not what this export gives; run without --check", path.display());
        }
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    // Others may be building from the file.
    let new = path.with_extension("new");
    fs::write(&new, bytes)?;
    fs::rename(&new, path).with_context(|| format!("replacing {}", path.display()))
}

/// Bytes of the files of a crate, but for those under `data`.
fn size_without_data(folder: &Path) -> Result<u64> {
    let mut size = 0;
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() && entry.file_name() != "data" {
                open.push(entry.path());
            } else if kind.is_file() {
                size += entry.metadata()?.len();
            }
        }
    }
    Ok(size)
}

fn provenance(entries: &[export::Provenance]) -> String {
    let mut text = String::from(
        "# What `static-zh-en` was made from\n\n\
         The table was made by the programs under `tools/distill` of this repository. No text of these sources is in it:\n\
         it holds single words and parts of words, a frequency of each in rounded form, and vectors.\n\n\
         | what | source | licence |\n|---|---|---|\n",
    );
    for export::Provenance { what, source, licence } in entries {
        let cell = |text: &str| text.replace('|', "\\|").replace('\n', " ");
        let _ = writeln!(text, "| {} | {} | {} |", cell(what), cell(source), cell(licence));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn provenance_is_a_table() {
        let entry =
            export::Provenance { what: "a|b".into(), source: "PyPI x 1".into(), licence: "MIT".into() };
        assert!(provenance(&[entry]).ends_with("|---|---|---|\n| a\\|b | PyPI x 1 | MIT |\n"));
    }

    #[test]
    fn check_tells_what_differs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sub/x.bin");
        write(&path, b"one", false).unwrap();
        write(&path, b"one", true).unwrap();
        assert!(write(&path, b"two", true).is_err());
        assert_eq!(fs::read(&path).unwrap(), b"one");
        assert_eq!(size_without_data(folder.path()).unwrap(), 3);
    }
}
