//! Vectors for tests.

/// A plain generator (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ (x >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// Nearly normal: six uniform numbers.
    fn normal(&mut self) -> f32 {
        let uniform = |random: &mut Self| (random.next() >> 40) as f32 / (1u64 << 24) as f32;
        ((0..6).map(|_| uniform(self)).sum::<f32>() - 3.0) * std::f32::consts::SQRT_2
    }
}

/// Unit vectors around some centres, which overlap. The centres are the same for every seed.
pub(crate) fn clustered(seed: u64, count: usize, dimensions: usize, centres: usize) -> Vec<Vec<f32>> {
    let mut random = Random(77);
    let centres: Vec<Vec<f32>> =
        (0..centres).map(|_| (0..dimensions).map(|_| random.normal()).collect()).collect();
    let mut random = Random(seed);
    let one = |_| {
        let centre = &centres[random.below(centres.len())];
        let mut vector: Vec<f32> = centre.iter().map(|part| part + random.normal()).collect();
        let norm = vector.iter().map(|part| part * part).sum::<f32>().sqrt();
        vector.iter_mut().for_each(|part| *part /= norm);
        vector
    };
    (0..count).map(one).collect()
}
