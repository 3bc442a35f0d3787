//! Reads an export of `tools/distill`.

use anyhow::{Context, Result, bail, ensure};
use fs_err as fs;
use mem_embed::StaticTable;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// What a table was made from.
#[derive(Debug, Deserialize)]
pub(crate) struct Provenance {
    pub(crate) what: String,
    pub(crate) source: String,
    pub(crate) licence: String,
}

#[derive(Deserialize)]
struct ModelJson {
    dims: usize,
    bits: u8,
    centroids: BTreeMap<String, Vec<f32>>,
    provenance: Vec<Provenance>,
}

/// An export, read and ready to be packed.
#[derive(Debug)]
pub(crate) struct Export {
    pub(crate) table: StaticTable,
    pub(crate) provenance: Vec<Provenance>,
}

/// Reads the directory; `name` becomes the model's.
pub(crate) fn read(folder: &Path, name: &str) -> Result<Export> {
    let model: ModelJson =
        serde_json::from_str(&fs::read_to_string(folder.join("model.json"))?).context("model.json")?;
    ensure!(model.bits == 4, "codes of {} bits, the format has 4", model.bits);
    ensure!(!model.provenance.is_empty(), "model.json does not say what the table was made from");
    let pieces = pieces(&fs::read_to_string(folder.join("pieces.tsv"))?)?;
    let codes = npy(&fs::read(folder.join("codes.npy"))?, "|i1", &[pieces.len(), model.dims])?;
    let scales = npy(&fs::read(folder.join("scales.npy"))?, "<f4", &[pieces.len()])?;
    let table = StaticTable {
        name: name.to_owned(),
        dimensions: model.dims,
        pieces,
        codes: codes.into_iter().map(|byte| i8::from_le_bytes([byte])).collect(),
        scales: scales.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect(),
        centroids: model.centroids.into_iter().collect(),
    };
    Ok(Export { table, provenance: model.provenance })
}

fn pieces(text: &str) -> Result<Vec<(String, f32)>> {
    let mut pieces = Vec::new();
    for (at, line) in text.split_terminator('\n').enumerate() {
        let (piece, score) = line.split_once('\t').with_context(|| format!("no tab in line {}", at + 1))?;
        let score =
            score.trim_end_matches('\r').parse().with_context(|| format!("score in line {}", at + 1))?;
        pieces.push((piece.to_owned(), score));
    }
    Ok(pieces)
}

/// The data of an `.npy` file (format 1 to 3) of the given type and shape, in C order.
fn npy(bytes: &[u8], kind: &str, shape: &[usize]) -> Result<Vec<u8>> {
    let Some(([b'\x93', b'N', b'U', b'M', b'P', b'Y', major, _], rest)) = bytes.split_first_chunk::<8>()
    else {
        bail!("not an npy file");
    };
    let (length, rest) = if *major == 1 {
        let (length, rest) = rest.split_first_chunk().context("npy: no header")?;
        (usize::from(u16::from_le_bytes(*length)), rest)
    } else {
        let (length, rest) = rest.split_first_chunk().context("npy: no header")?;
        (usize::try_from(u32::from_le_bytes(*length))?, rest)
    };
    let (header, data) = rest.split_at_checked(length).context("npy: cut in the header")?;
    let header: String = std::str::from_utf8(header)?.split_whitespace().collect();
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    let comma = if sizes.len() == 1 { "," } else { "" };
    for wanted in [
        format!("'descr':'{kind}'"),
        "'fortran_order':False".to_owned(),
        format!("'shape':({}{comma})", sizes.join(",")),
    ] {
        ensure!(header.contains(&wanted), "npy: expected {wanted} in {header}");
    }
    let size: usize =
        kind.chars().last().and_then(|ch| ch.to_digit(10)).context("npy: unknown type")? as usize;
    ensure!(data.len() == size * shape.iter().product::<usize>(), "npy: {} bytes of data", data.len());
    Ok(data.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    }

    #[test]
    fn reads_npy() {
        let header = "{'descr': '|i1', 'fortran_order': False, 'shape': (2, 3), }   \n";
        assert_eq!(npy(&file(header, b"abcdef"), "|i1", &[2, 3]).unwrap(), b"abcdef");
        assert!(npy(&file(header, b"abcde"), "|i1", &[2, 3]).is_err());
        assert!(npy(&file(header, b"abcdef"), "|i1", &[3, 2]).is_err());
        assert!(npy(&file(header, b"abcdef"), "<f4", &[2, 3]).is_err());
        assert!(npy(b"\x93NUMPY\x01", "|i1", &[1]).is_err());
        let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n";
        assert_eq!(npy(&file(header, &[0, 0, 128, 63]), "<f4", &[1]).unwrap(), [0, 0, 128, 63]);
    }

    #[test]
    fn reads_pieces() {
        assert_eq!(pieces("▁a\t-1.5\n中\t-2\n").unwrap(), [("▁a".into(), -1.5), ("中".into(), -2.0)]);
        assert!(pieces("a -1\n").is_err() && pieces("a\tb\n").is_err());
    }
}
