//! The packed form of a model: two parts, each a header and sections, all little-endian, used where they lie.
//!
//! Header, [`HEADER`] bytes: magic `memstatc`; format (u16); part (u8: 1 or 2); bits of a code (u8: 4); dimensions (u16,
//! even); number of languages (u16, in the first part); rows in all (u32); rows whose codes are in the first part (u32);
//! units of the trie (u32); digest (32 bytes); name (36 bytes of ASCII, filled up with NULs).
//!
//! Sections of the first part: for each language a tag (8 bytes of ASCII, filled up with NULs) and the centroid
//! (dimensions × f32); the trie (units × u32, see [`super::trie`]); costs (rows × u8, in eighths of a nat); scales
//! (rows × binary16); codes of the first rows. Of the second part: codes of the other rows. The codes of a row are
//! dimensions/2 bytes: byte `i` has that of dimension `i` in its lower half and that of dimension `i` + dimensions/2 in
//! its upper half, each 8 more than the code. A row is its codes times its scale.
//!
//! The digest is SHA-256 over what decides the vectors: see `digest` in the packer.

use super::trie::{Trie, Unit};
use super::viterbi::Vocabulary;
use crate::Error;
use mem_core::{Centroids, Language};
use std::borrow::Cow;
use std::ops::Range;

/// Changes with the form of the data and with the rules by which a text becomes pieces.
pub(super) const FORMAT: u16 = 1;
pub(super) const MAGIC: [u8; 8] = *b"memstatc";
pub(super) const BITS: u8 = 4;
pub(super) const HEADER: usize = 96;
pub(super) const TAG: usize = 8;
pub(super) const NAME: usize = 36;
pub(super) const MAX_DIMENSIONS: usize = 4096;
pub(super) const MAX_LANGUAGES: usize = 64;

const FIRST: &str = "the first part";
const SECOND: &str = "the second part";

/// What a part says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) part: u8,
    pub(super) dimensions: usize,
    pub(super) languages: usize,
    pub(super) rows: usize,
    pub(super) first_rows: usize,
    pub(super) units: usize,
    pub(super) digest: [u8; 32],
    pub(super) name: String,
}

/// Reads forward through bytes.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*head)
    }

    fn u16(&mut self) -> Option<u16> {
        self.bytes().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Option<usize> {
        self.bytes().map(u32::from_le_bytes).and_then(|x| usize::try_from(x).ok())
    }

    /// ASCII letters, digits, `-`, `_` and `.`, filled up with NULs; at least one.
    fn text<const N: usize>(&mut self) -> Option<String> {
        let bytes = self.bytes::<N>()?;
        let text = std::str::from_utf8(&bytes).ok()?.trim_end_matches('\0');
        let ok = !text.is_empty() && text.chars().all(is_name);
        ok.then(|| text.to_owned())
    }
}

/// Whether a character may be in a model's name.
pub(super) fn is_name(ch: char) -> bool {
    ch.is_ascii_alphanumeric() || matches!(ch, '-' | '_' | '.')
}

impl Header {
    fn read(bytes: &[u8], part: &'static str) -> Result<Self, Error> {
        let damaged =
            |expected: &str, found: String| Error::Damaged { part, expected: expected.to_owned(), found };
        let short = || damaged("a whole header", format!("{} bytes", bytes.len()));
        let mut reader = Reader(bytes.get(..HEADER).ok_or_else(short)?);
        if reader.bytes() != Some(MAGIC) {
            return Err(damaged("a packed static model", "other data".to_owned()));
        }
        let format = reader.u16().ok_or_else(short)?;
        if format != FORMAT {
            return Err(Error::Format { expected: FORMAT, found: format });
        }
        let [number, bits] = reader.bytes().ok_or_else(short)?;
        let wanted = if part == FIRST { 1 } else { 2 };
        if number != wanted {
            return Err(damaged(&format!("part {wanted}"), format!("part {number}")));
        }
        if bits != BITS {
            return Err(damaged("codes of 4 bits", format!("{bits} bits")));
        }
        let header = Self {
            part: number,
            dimensions: reader.u16().ok_or_else(short)?.into(),
            languages: reader.u16().ok_or_else(short)?.into(),
            rows: reader.u32().ok_or_else(short)?,
            first_rows: reader.u32().ok_or_else(short)?,
            units: reader.u32().ok_or_else(short)?,
            digest: reader.bytes().ok_or_else(short)?,
            name: reader
                .text::<NAME>()
                .ok_or_else(|| damaged("a name of ASCII letters and digits", "another".to_owned()))?,
        };
        let dimensions = header.dimensions;
        if dimensions == 0 || !dimensions.is_multiple_of(2) || dimensions > MAX_DIMENSIONS {
            return Err(damaged("an even number of dimensions up to 4096", format!("{dimensions}")));
        }
        if header.languages > MAX_LANGUAGES || header.first_rows > header.rows {
            let found = format!("{} and {} of {}", header.languages, header.first_rows, header.rows);
            return Err(damaged("up to 64 languages and no more rows than there are", found));
        }
        Ok(header)
    }

    /// First 12 hexadecimal digits of the digest.
    pub(super) fn version(&self) -> String {
        self.digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect()
    }
}

/// A checked model: where each section is.
#[derive(Debug, Clone)]
pub(super) struct Model {
    first: Cow<'static, [u8]>,
    second: Cow<'static, [u8]>,
    pub(super) header: Header,
    pub(super) centroids: Centroids,
    trie: Range<usize>,
    costs: Range<usize>,
    scales: Range<usize>,
    codes: Range<usize>,
}

/// The sections of a [`Model`], where they lie.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) vocabulary: Vocabulary<'a>,
    scales: &'a [[u8; 2]],
    first: &'a [u8],
    second: &'a [u8],
    /// Bytes of a row.
    width: usize,
    first_rows: usize,
}

impl Model {
    /// Checks headers and sizes; looks at no more of the data than the headers and the centroids.
    pub(super) fn new(first: Cow<'static, [u8]>, second: Cow<'static, [u8]>) -> Result<Self, Error> {
        let header = Header::read(&first, FIRST)?;
        let other = Header::read(&second, SECOND)?;
        if header.digest != other.digest {
            return Err(Error::Mixed { first: header.version(), second: other.version() });
        }
        let of_first =
            Header { part: header.part, languages: header.languages, units: header.units, ..other };
        if of_first != header {
            return Err(Error::Damaged {
                part: SECOND,
                expected: "the counts of the first".to_owned(),
                found: "others".to_owned(),
            });
        }
        // No product overflows: counts are below 2³², dimensions at most 2¹²; on 32 bits they are caught by `None`.
        let mut at = HEADER;
        let mut section = |count: usize, size: usize| {
            let end = count.checked_mul(size).and_then(|size| at.checked_add(size))?;
            Some(std::mem::replace(&mut at, end)..end)
        };
        let width = header.dimensions / 2;
        let sections = (|| {
            Some((
                section(header.languages, TAG + 4 * header.dimensions)?,
                section(header.units, size_of::<Unit>())?,
                section(header.rows, 1)?,
                section(header.rows, 2)?,
                section(header.first_rows, width)?,
            ))
        })();
        let second_len =
            (header.rows - header.first_rows).checked_mul(width).and_then(|size| size.checked_add(HEADER));
        let whole = |part, expected: Option<usize>, bytes: &[u8]| {
            if expected == Some(bytes.len()) {
                return Ok(());
            }
            let expected = expected.map_or("fewer rows".to_owned(), |len| format!("{len} bytes"));
            Err(Error::Damaged { part, expected, found: format!("{} bytes", bytes.len()) })
        };
        whole(FIRST, sections.as_ref().map(|sections| sections.4.end), &first)?;
        whole(SECOND, second_len, &second)?;
        let Some((centroids, trie, costs, scales, codes)) = sections else {
            return Err(Error::Damaged {
                part: FIRST,
                expected: "fewer rows".into(),
                found: "too many".into(),
            });
        };
        let centroids = read_centroids(first.get(centroids).unwrap_or_default(), &header)?;
        Ok(Self { first, second, header, centroids, trie, costs, scales, codes })
    }

    pub(super) fn view(&self) -> View<'_> {
        let first = |range: &Range<usize>| self.first.get(range.clone()).unwrap_or_default();
        View {
            vocabulary: Vocabulary { trie: Trie(first(&self.trie).as_chunks().0), costs: first(&self.costs) },
            scales: first(&self.scales).as_chunks().0,
            first: first(&self.codes),
            second: self.second.get(HEADER..).unwrap_or_default(),
            width: self.header.dimensions / 2,
            first_rows: self.header.first_rows,
        }
    }
}

impl<'a> View<'a> {
    /// The scale and the packed codes of a row.
    #[inline]
    pub(super) fn row(&self, row: u32) -> Option<(f32, &'a [u8])> {
        let row = row as usize;
        let scale = self.scales.get(row).map(|bits| half_to_f32(u16::from_le_bytes(*bits)))?;
        let (codes, at) = match row.checked_sub(self.first_rows) {
            Some(at) => (self.second, at),
            None => (self.first, row),
        };
        let from = at.checked_mul(self.width)?;
        codes.get(from..from.checked_add(self.width)?).map(|codes| (scale, codes))
    }

    /// The scales of all rows.
    #[cfg(any(test, feature = "pack"))]
    pub(super) fn scale_bits(&self) -> Vec<u16> {
        self.scales.iter().map(|bits| u16::from_le_bytes(*bits)).collect()
    }

    /// The packed codes of all rows.
    #[cfg(any(test, feature = "pack"))]
    pub(super) fn codes(&self) -> Vec<u8> {
        [self.first, self.second].concat()
    }
}

fn read_centroids(bytes: &[u8], header: &Header) -> Result<Centroids, Error> {
    let damaged = |found: String| Error::Damaged {
        part: FIRST,
        expected: "one finite centroid a language, each language once".to_owned(),
        found,
    };
    let mut reader = Reader(bytes);
    let mut centroids: Vec<(Language, Vec<f32>)> = Vec::with_capacity(header.languages);
    for _ in 0..header.languages {
        let tag = reader.text::<TAG>().ok_or_else(|| damaged("no tag of a language".to_owned()))?;
        let mut centroid = Vec::with_capacity(header.dimensions);
        for _ in 0..header.dimensions {
            let value = reader.bytes().map(f32::from_le_bytes).filter(|x| x.is_finite());
            centroid.push(value.ok_or_else(|| damaged(format!("another for {tag:?}")))?);
        }
        let language = Language::new(&tag);
        if language.as_str() != tag || centroids.iter().any(|(other, _)| *other == language) {
            return Err(damaged(format!("the tag {tag:?}")));
        }
        centroids.push((language, centroid));
    }
    Ok(Centroids(centroids))
}

/// IEEE 754 binary16 to binary32; exact.
#[inline]
pub(super) fn half_to_f32(bits: u16) -> f32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let exponent = u32::from(bits >> 10 & 0x1f);
    let fraction = u32::from(bits & 0x3ff);
    match exponent {
        // 2⁻²⁴ is what a subnormal counts in.
        0 => f32::from_bits(sign | (fraction as f32 * f32::from_bits(103 << 23)).to_bits()),
        0x1f => f32::from_bits(sign | 0x7f80_0000 | fraction << 13),
        _ => f32::from_bits(sign | (exponent + 112) << 23 | fraction << 13),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves() {
        for (bits, value) in [
            (0x0000, 0.0),
            (0x0001, 5.960_464_5e-8),
            (0x03ff, 6.097_555e-5),
            (0x0400, 6.103_515_6e-5),
            (0x3555, 0.333_251_95),
            (0x3c00, 1.0),
            (0x7bff, 65504.0),
            (0xc000, -2.0),
            (0x7c00, f32::INFINITY),
        ] {
            assert_eq!(half_to_f32(bits), value, "{bits:04x}");
        }
        assert!(half_to_f32(0x7c01).is_nan());
    }
}
