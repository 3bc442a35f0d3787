//! From token states to vectors.

use super::config::Pooling;
use mem_core::Embedding;

/// One vector of unit length a text, from a tensor of `[texts, length]`, or of `[texts, tokens, length]` with a mask of
/// `[texts, tokens]` that is not 0 where there is a token; none where shapes and data do not fit.
pub(super) fn pool(
    states: &[f32],
    shape: &[usize],
    mask: &[i64],
    pooling: Pooling,
) -> Option<Vec<Embedding>> {
    let length = *shape.last().filter(|length| **length > 0)?;
    if states.len() != shape.iter().product::<usize>() {
        return None;
    }
    let mut vectors: Vec<Embedding> = match *shape {
        [_, _] => states.chunks_exact(length).map(<[f32]>::to_vec).collect(),
        [texts, tokens, _] if tokens > 0 && mask.len() == texts * tokens => states
            .chunks_exact(tokens * length)
            .zip(mask.chunks_exact(tokens))
            .map(|(states, mask)| one(states, mask, length, pooling))
            .collect(),
        [0, ..] => Vec::new(),
        _ => return None,
    };
    vectors.iter_mut().for_each(normalise);
    Some(vectors)
}

fn one(states: &[f32], mask: &[i64], length: usize, pooling: Pooling) -> Embedding {
    let mut tokens = states.chunks_exact(length).zip(mask).filter(|(_, mask)| **mask != 0).map(|(s, _)| s);
    match pooling {
        // The mean and the sum have one direction.
        Pooling::Mean => tokens.fold(vec![0.0; length], |mut sum, state| {
            sum.iter_mut().zip(state).for_each(|(sum, x)| *sum += x);
            sum
        }),
        Pooling::Cls => tokens.next().map_or_else(|| vec![0.0; length], <[f32]>::to_vec),
        Pooling::Last => tokens.next_back().map_or_else(|| vec![0.0; length], <[f32]>::to_vec),
    }
}

/// Unit length; all zeros where that is impossible.
fn normalise(vector: &mut Embedding) {
    let norm = vector.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
    let factor = if norm.is_normal() { 1.0 / norm } else { 0.0 };
    for x in vector {
        *x = if factor == 0.0 { 0.0 } else { (f64::from(*x) * factor) as f32 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_takes_no_part() {
        let states = [3.0, 0.0, 0.0, 4.0, 9.0, 9.0, 0.0, 1.0, 9.0, 9.0, 9.0, 9.0];
        let mask = [1, 1, 0, 1, 0, 0];
        let pooled = |pooling| pool(&states, &[2, 3, 2], &mask, pooling).unwrap();
        assert_eq!(pooled(Pooling::Mean), [[0.6, 0.8], [0.0, 1.0]]);
        assert_eq!(pooled(Pooling::Cls), [[1.0, 0.0], [0.0, 1.0]]);
        assert_eq!(pooled(Pooling::Last), [[0.0, 1.0], [0.0, 1.0]]);
    }

    #[test]
    fn sentence_vectors_are_taken_as_they_are() {
        assert_eq!(
            pool(&[3.0, 4.0, 0.0, 0.0], &[2, 2], &[], Pooling::Mean).unwrap(),
            [[0.6, 0.8], [0.0, 0.0]]
        );
    }

    #[test]
    fn odd_shapes_give_nothing() {
        for (shape, mask) in
            [(&[2usize, 2, 2][..], &[1i64, 1][..]), (&[4], &[]), (&[1, 4, 0], &[]), (&[1, 1, 1, 4], &[])]
        {
            assert_eq!(pool(&[0.5; 4], shape, mask, Pooling::Mean), None, "{shape:?}");
        }
        assert_eq!(pool(&[f32::NAN; 4], &[1, 4], &[], Pooling::Mean).unwrap(), [[0.0; 4]]);
    }
}
