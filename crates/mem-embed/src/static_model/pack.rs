//! Packs a table for [`super::StaticEmbedder`].

use super::layout::{
    BITS, FORMAT, HEADER, Header, MAGIC, MAX_DIMENSIONS, MAX_LANGUAGES, NAME, TAG, half_to_f32, is_name,
};
use super::trie::build;
use super::viterbi::STEPS_PER_NAT;
use crate::Error;
use sha2::{Digest, Sha256};

/// A table of pieces, as it comes out of a training; input of [`pack`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StaticTable {
    /// Name in the model's identity: at most 36 ASCII letters, digits, `-`, `_`, `.`.
    pub name: String,
    /// Length of the vectors: even, at most 4096.
    pub dimensions: usize,
    /// The pieces, distinct, each with the natural logarithm of its probability: a multiple of 1/8 from −31.875 to 0.
    /// A piece that begins a word begins with `▁` (U+2581).
    pub pieces: Vec<(String, f32)>,
    /// Row by row, `dimensions` codes for each piece, from −7 to 7.
    pub codes: Vec<i8>,
    /// One for each piece: its vector is the scale times the codes. Rounded to binary16.
    pub scales: Vec<f32>,
    /// Tags of languages, each with the mean of the unit vectors of its texts.
    pub centroids: Vec<(String, Vec<f32>)>,
}

/// A packed model: what [`super::StaticEmbedder::from_parts`] takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed {
    /// Everything but the codes of the rows at the end.
    pub first: Vec<u8>,
    /// The codes of the rows at the end.
    pub second: Vec<u8>,
}

/// Packs a table into two parts of about the same size.
///
/// # Errors
/// [`Error::Unpackable`] when the format cannot hold the table.
pub fn pack(table: &StaticTable) -> Result<Packed, Error> {
    pack_at(table, None)
}

/// The same with a given number of rows in the first part.
pub(super) fn pack_at(table: &StaticTable, first_rows: Option<usize>) -> Result<Packed, Error> {
    check(table)?;
    let rows = table.pieces.len();
    let width = table.dimensions / 2;
    let costs =
        table.pieces.iter().map(|(piece, score)| cost(piece, *score)).collect::<Result<Vec<u8>, _>>()?;
    let scales = table.scales.iter().map(|scale| half(*scale)).collect::<Result<Vec<u16>, _>>()?;
    let codes: Vec<u8> = table.codes.chunks_exact(table.dimensions).flat_map(packed_codes).collect();
    let mut keys: Vec<(&[u8], u32)> =
        table.pieces.iter().zip(0u32..).map(|((piece, _), row)| (piece.as_bytes(), row)).collect();
    keys.sort_unstable();
    let trie = build(&keys)?;

    let before_codes =
        HEADER + table.centroids.len() * (TAG + 4 * table.dimensions) + trie.len() * 4 + rows + 2 * rows;
    let half = ((before_codes + rows * width) / 2 / width).min(rows);
    let first_rows = first_rows.unwrap_or(rows - half).min(rows);
    let mut header = Header {
        part: 1,
        dimensions: table.dimensions,
        languages: table.centroids.len(),
        rows,
        first_rows,
        units: trie.len(),
        digest: digest(table.dimensions, &table.pieces, &costs, &scales, &codes),
        name: table.name.clone(),
    };
    let mut first = Vec::with_capacity(before_codes + first_rows * width);
    write_header(&header, &mut first);
    for (tag, centroid) in &table.centroids {
        padded(tag, TAG, &mut first);
        first.extend(centroid.iter().flat_map(|x| x.to_le_bytes()));
    }
    first.extend(trie.as_flattened());
    first.extend(&costs);
    first.extend(scales.iter().flat_map(|scale| scale.to_le_bytes()));
    let (codes_first, codes_second) = codes.split_at(first_rows * width);
    first.extend(codes_first);

    header.part = 2;
    let mut second = Vec::with_capacity(HEADER + codes_second.len());
    write_header(&header, &mut second);
    second.extend(codes_second);
    Ok(Packed { first, second })
}

fn unpackable(expected: &str, found: impl ToString) -> Error {
    Error::Unpackable { expected: expected.to_owned(), found: found.to_string() }
}

fn check(table: &StaticTable) -> Result<(), Error> {
    let StaticTable { name, dimensions, pieces, codes, scales, centroids } = table;
    if name.is_empty() || name.len() > NAME || !name.chars().all(is_name) {
        return Err(unpackable(
            "a name of up to 36 ASCII letters, digits, '-', '_', '.'",
            format!("{name:?}"),
        ));
    }
    if *dimensions == 0 || !dimensions.is_multiple_of(2) || *dimensions > MAX_DIMENSIONS {
        return Err(unpackable("an even number of dimensions up to 4096", dimensions));
    }
    if pieces.len() >= 1 << 24 || codes.len() != pieces.len() * dimensions || scales.len() != pieces.len() {
        let found = format!("{} pieces, {} codes, {} scales", pieces.len(), codes.len(), scales.len());
        return Err(unpackable("codes and a scale for each of less than 2^24 pieces", found));
    }
    if let Some(code) = codes.iter().find(|code| !(-7..=7).contains(*code)) {
        return Err(unpackable("codes from -7 to 7", code));
    }
    if centroids.len() > MAX_LANGUAGES {
        return Err(unpackable("up to 64 languages", centroids.len()));
    }
    for (at, (tag, centroid)) in centroids.iter().enumerate() {
        let is_tag = mem_core::Language::new(tag).as_str() == tag;
        let again = centroids.iter().take(at).any(|(other, _)| other == tag);
        if !is_tag || again || centroid.len() != *dimensions || !centroid.iter().all(|x| x.is_finite()) {
            return Err(unpackable("one finite centroid of each language", format!("that of {tag:?}")));
        }
    }
    Ok(())
}

fn cost(piece: &str, score: f32) -> Result<u8, Error> {
    let cost = -score * STEPS_PER_NAT;
    if cost.fract() == 0.0 && (0.0..=255.0).contains(&cost) {
        Ok(cost as u8)
    } else {
        Err(unpackable("scores in steps of 1/8 from -31.875 to 0", format!("{score} of {piece:?}")))
    }
}

/// The nearest binary16 of a scale, by bisection over the finite ones from 0 up.
fn half(scale: f32) -> Result<u16, Error> {
    const LARGEST: u16 = 0x7bff;
    if !(0.0..=half_to_f32(LARGEST)).contains(&scale) {
        return Err(unpackable("scales from 0 to 65504", scale));
    }
    let (mut low, mut high) = (0, LARGEST);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if half_to_f32(middle) <= scale {
            low = middle;
        } else {
            high = middle;
        }
    }
    Ok(if scale - half_to_f32(low) <= half_to_f32(high) - scale { low } else { high })
}

fn packed_codes(row: &[i8]) -> impl Iterator<Item = u8> {
    let (low, high) = row.split_at(row.len() / 2);
    let biased = |code: i8| (code + 8) as u8;
    low.iter().zip(high).map(move |(low, high)| biased(*low) | biased(*high) << 4)
}

/// SHA-256 over what decides the vectors, in an order of its own: the same table gives the same digest however its trie
/// and its parts are laid out. Format, dimensions, rows; then of each row the piece, a NUL, cost, scale and codes.
pub(super) fn digest(
    dimensions: usize,
    pieces: &[(String, f32)],
    costs: &[u8],
    scales: &[u16],
    codes: &[u8],
) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(FORMAT.to_le_bytes());
    hash.update((dimensions as u32).to_le_bytes());
    hash.update((pieces.len() as u32).to_le_bytes());
    let rows = pieces.iter().zip(costs).zip(scales).zip(codes.chunks_exact(dimensions / 2));
    for ((((piece, _), cost), scale), codes) in rows {
        hash.update(piece.as_bytes());
        hash.update([0, *cost]);
        hash.update(scale.to_le_bytes());
        hash.update(codes);
    }
    hash.finalize().into()
}

fn padded(text: &str, length: usize, out: &mut Vec<u8>) {
    let end = out.len() + length;
    out.extend(text.as_bytes());
    out.resize(end, 0);
}

fn write_header(header: &Header, out: &mut Vec<u8>) {
    out.extend(MAGIC);
    out.extend(FORMAT.to_le_bytes());
    out.extend([header.part, BITS]);
    out.extend((header.dimensions as u16).to_le_bytes());
    out.extend((header.languages as u16).to_le_bytes());
    for count in [header.rows, header.first_rows, header.units] {
        out.extend((count as u32).to_le_bytes());
    }
    out.extend(header.digest);
    padded(&header.name, NAME, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_go_to_the_nearest_half() {
        for bits in [0, 1, 2, 0x3ff, 0x400, 0x3c00, 0x3c01, 0x7bff] {
            assert_eq!(half(half_to_f32(bits)).unwrap(), bits);
        }
        assert_eq!(half(1.0004).unwrap(), 0x3c00);
        assert_eq!(half(1.0006).unwrap(), 0x3c01);
        for scale in [-1.0, 65505.0, f32::NAN, f32::INFINITY] {
            assert!(half(scale).is_err());
        }
    }

    #[test]
    fn refuses_what_the_format_cannot_hold() {
        let table = StaticTable {
            name: "t".to_owned(),
            dimensions: 2,
            pieces: vec![("a".to_owned(), -1.5)],
            codes: vec![7, -7],
            scales: vec![0.5],
            centroids: vec![("en".to_owned(), vec![0.0, 1.0])],
        };
        assert!(pack(&table).is_ok());
        let wrong: [fn(&mut StaticTable); 9] = [
            |t| t.name = "a b".to_owned(),
            |t| t.dimensions = 1,
            |t| t.codes[0] = 8,
            |t| t.codes.truncate(1),
            |t| t.scales[0] = -0.5,
            |t| t.pieces[0].1 = -1.3,
            |t| t.pieces[0].0.clear(),
            |t| t.centroids[0].0 = "English".to_owned(),
            |t| t.centroids[0].1[0] = f32::NAN,
        ];
        for (at, spoil) in wrong.iter().enumerate() {
            let mut table = table.clone();
            spoil(&mut table);
            assert!(matches!(pack(&table), Err(Error::Unpackable { .. })), "{at}");
        }
    }
}
