//! Vectors as small integers and as bits, and what is computed over them.
//!
//! Rows are padded with zeros to a multiple of [`LANES`], so that the loops run over whole chunks and become vector
//! instructions without help.

/// Rows are a multiple of so many numbers long: the bits of one machine word.
pub(crate) const LANES: usize = 64;

/// How long a row of so many dimensions is.
pub(crate) fn padded(dimensions: usize) -> usize {
    dimensions.next_multiple_of(LANES)
}

/// The number that the largest part of a vector becomes, of `i8` and of `i16`.
const TOP: [f32; 2] = [127.0, 32767.0];

fn scale(vector: &[f32], top: f32) -> f32 {
    let largest = vector.iter().fold(0f32, |largest, part| largest.max(part.abs()));
    if largest > 0.0 { top / largest } else { 0.0 }
}

/// Appends a vector in 16 bits; answers what each number stands for. Right to 1/65,534 of the largest part.
pub(crate) fn push_raw(vector: &[f32], padded: usize, rows: &mut Vec<i16>) -> f32 {
    let scale = scale(vector, TOP[1]);
    let end = rows.len() + padded;
    rows.extend(vector.iter().map(|part| (part * scale).round() as i16));
    rows.resize(end, 0);
    if scale > 0.0 { 1.0 / scale } else { 0.0 }
}

/// Writes a vector in 8 bits; answers one over its length as written, 0 for zeros.
pub(crate) fn write_code(vector: &[f32], row: &mut [i8]) -> f32 {
    let scale = scale(vector, TOP[0]);
    row.fill(0);
    let mut squares = 0i32;
    for (place, part) in row.iter_mut().zip(vector) {
        *place = (part * scale).round() as i8;
        squares += i32::from(*place) * i32::from(*place);
    }
    if squares > 0 { 1.0 / (squares as f32).sqrt() } else { 0.0 }
}

/// Writes which parts of a row are above zero.
pub(crate) fn write_bits(row: &[i8], words: &mut [u64]) {
    for (word, parts) in words.iter_mut().zip(row.as_chunks::<LANES>().0) {
        *word = parts.iter().enumerate().fold(0, |bits, (at, part)| bits | (u64::from(*part > 0) << at));
    }
}

/// Inner product of two rows in 8 bits. Of up to 130,000 numbers it cannot overflow.
#[inline]
pub(crate) fn dot(a: &[i8], b: &[i8]) -> i32 {
    let (a, b) = (a.as_chunks::<32>().0, b.as_chunks::<32>().0);
    let mut sum = 0i32;
    for (a, b) in a.iter().zip(b) {
        sum += a.iter().zip(b).map(|(x, y)| i32::from(*x) * i32::from(*y)).sum::<i32>();
    }
    sum
}

/// Inner products of a row in 16 bits with two rows of floats.
#[inline]
pub(crate) fn dots(row: &[i16], a: &[f32], b: &[f32]) -> (f64, f64) {
    const WIDE: usize = 16;
    let (row, a, b) = (row.as_chunks::<WIDE>().0, a.as_chunks::<WIDE>().0, b.as_chunks::<WIDE>().0);
    let (mut first, mut second) = ([0f32; WIDE], [0f32; WIDE]);
    for ((row, a), b) in row.iter().zip(a).zip(b) {
        for at in 0..WIDE {
            let part = f32::from(row[at]);
            first[at] += part * a[at];
            second[at] += part * b[at];
        }
    }
    let sum = |parts: [f32; WIDE]| parts.into_iter().map(f64::from).sum::<f64>();
    (sum(first), sum(second))
}

/// In how many bits each row differs from the question.
pub(crate) fn differences(question: &[u64], rows: &[u64], into: &mut Vec<u16>) {
    into.clear();
    // The common widths as constants: then the loop over the words is unrolled.
    match *question {
        [a, b, c, d] => into.extend(rows.as_chunks::<4>().0.iter().map(|row| {
            let [p, q, r, s] = *row;
            let bits =
                (a ^ p).count_ones() + (b ^ q).count_ones() + (c ^ r).count_ones() + (d ^ s).count_ones();
            bits as u16
        })),
        _ => into.extend(rows.chunks_exact(question.len().max(1)).map(|row| {
            let bits: u32 = row.iter().zip(question).map(|(row, own)| (row ^ own).count_ones()).sum();
            u16::try_from(bits).unwrap_or(u16::MAX)
        })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::{collection::vec, prelude::*};

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn products_are_those_of_plain_loops(a in vec(-127i8..=127, 128), b in vec(-127i8..=127, 128)) {
            let plain: i64 = a.iter().zip(&b).map(|(x, y)| i64::from(*x) * i64::from(*y)).sum();
            prop_assert_eq!(i64::from(dot(&a, &b)), plain);
        }

        #[test]
        fn sixteen_bits_keep_a_cosine(a in vec(-1f32..1.0, 100), b in vec(-1f32..1.0, 100)) {
            let mut rows = Vec::new();
            let unit = f64::from(push_raw(&a, 128, &mut rows));
            let mut b = b;
            b.resize(128, 0.0);
            let (first, second) = dots(&rows, &b, &vec![1.0; 128]);
            let plain: f64 = a.iter().zip(&b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum();
            let sum: f64 = a.iter().copied().map(f64::from).sum();
            // Each number is off by half a step at most; floats add a little.
            prop_assert!((first * unit - plain).abs() < 100.0 * 0.5 / 32767.0 + 1e-4);
            prop_assert!((second * unit - sum).abs() < 100.0 * 0.5 / 32767.0 + 1e-4);
        }

        #[test]
        fn differing_bits_are_counted(rows in vec(any::<u64>(), 24), question in vec(any::<u64>(), 6), words in 1usize..6) {
            let question = &question[..words];
            let mut counted = Vec::new();
            differences(question, &rows, &mut counted);
            let plain: Vec<u16> = rows
                .chunks_exact(words)
                .map(|row| row.iter().zip(question).map(|(a, b)| (a ^ b).count_ones() as u16).sum())
                .collect();
            prop_assert_eq!(counted, plain);
        }
    }

    #[test]
    fn codes_keep_signs_and_zeros() {
        let mut row = vec![9i8; 64];
        let unit = write_code(&[0.5, -1.0, 0.0], &mut row);
        assert_eq!(row[..4], [64, -127, 0, 0]);
        assert!((unit - 1.0 / (64f32 * 64.0 + 127.0 * 127.0).sqrt()).abs() < 1e-9);
        let mut bits = [0];
        write_bits(&row, &mut bits);
        assert_eq!(bits, [1]);
        assert_eq!(write_code(&[0.0; 3], &mut row), 0.0);
    }
}
