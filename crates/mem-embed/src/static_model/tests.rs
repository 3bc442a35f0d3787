use super::*;
use mem_core::{Language, cosine};
use proptest::prelude::*;

/// A small table: row `n` of the pieces points mostly along dimension `n`.
fn table() -> StaticTable {
    let pieces = ["▁commit", "▁push", "▁dont", "▁naive", "提交", "提", "交", "▁4", "2", "ing", "▁x", "代码"];
    let dimensions = 16;
    StaticTable {
        name: "tiny".to_owned(),
        dimensions,
        pieces: pieces.iter().zip(1u8..).map(|(piece, n)| ((*piece).to_owned(), -f32::from(n))).collect(),
        codes: (0..pieces.len())
            .flat_map(|row| {
                (0..dimensions).map(move |at| if at == row { 7 } else { ((row * at) % 3) as i8 - 1 })
            })
            .collect(),
        scales: (1u8..).take(pieces.len()).map(|n| f32::from(n) / 64.0).collect(),
        centroids: vec![("zh".to_owned(), vec![0.25; dimensions]), ("en".to_owned(), vec![-0.5; dimensions])],
    }
}

fn tiny() -> StaticEmbedder {
    let packed = pack(&table()).unwrap();
    StaticEmbedder::from_parts(packed.first, packed.second).unwrap()
}

/// The vector of rows by the definition.
fn reference(rows: &[usize]) -> Vec<f32> {
    let table = table();
    let value = |row: usize, at: usize| f64::from(table.codes[row * 16 + at]) * f64::from(table.scales[row]);
    let sum: Vec<f64> = (0..16).map(|at| rows.iter().map(|row| value(*row, at)).sum()).collect();
    let norm = sum.iter().map(|x| x * x).sum::<f64>().sqrt();
    sum.iter().map(|x| (x / norm) as f32).collect()
}

#[test]
fn keeps_the_contract() {
    mem_testing::embedder_contract(&tiny());
}

#[test]
fn a_vector_is_the_sum_of_its_rows() {
    let model = tiny();
    for (text, rows) in [
        ("commit", &[0usize][..]),
        ("Don't commit, pushing", &[2, 0, 1, 9]),
        ("naïve NAÏVE Naive", &[3, 3, 3]),
        ("提交代码交", &[4, 11, 6]),
        ("42 x", &[7, 8, 10]),
    ] {
        assert_eq!(model.pieces(text), rows.iter().map(|row| *row as u32).collect::<Vec<_>>(), "{text}");
        for (got, wanted) in model.vector(text).iter().zip(reference(rows)) {
            assert!((got - wanted).abs() < 1e-6, "{text}: {got} {wanted}");
        }
    }
    assert_eq!(model.vector("qqq …"), [0.0; 16]);
}

#[test]
fn where_the_parts_meet_does_not_show() {
    let text = "commit push dont naive 提交 提 交 4 2 xing 代码";
    let own = tiny();
    assert_eq!(own.pieces(text).len(), 12);
    for rows in 0..=12 {
        let packed = pack::pack_at(&table(), Some(rows)).unwrap();
        assert_eq!(packed.second.len(), layout::HEADER + (12 - rows) * 8);
        let model = StaticEmbedder::from_parts(packed.first, packed.second).unwrap();
        model.verify().unwrap();
        assert_eq!(model.vector(text), own.vector(text));
        assert_eq!(model.identity(), own.identity());
    }
}

#[test]
fn only_the_first_pieces_count() {
    let model = tiny();
    assert_eq!(model.pieces(&"commit ".repeat(600)), [0; MAX_PIECES]);
    let long = format!("{}{}", "commit ".repeat(MAX_PIECES), "提交".repeat(300));
    assert_eq!(model.vector(&long), model.vector("commit"));
    assert_eq!(model.pieces(&"提交".repeat(700)), [4; MAX_PIECES]);
}

#[test]
fn tells_its_identity_and_centroids() {
    let model = tiny();
    let identity = model.identity();
    assert_eq!((identity.name.as_str(), identity.dimensions), ("tiny", 16));
    assert_eq!(identity.version.len(), 12);
    let found: Vec<_> = model.centroids().collect();
    assert_eq!(found, [("zh", &[0.25; 16][..]), ("en", &[-0.5; 16])]);
    assert_eq!(model.calibration().queries.of(&Language::new("en")), Some(&[-0.5; 16][..]));
    let config = StaticConfig { fusion_weight: 0.1, ..StaticConfig::default() };
    assert_eq!(model.with_config(config).calibration().fusion_weight, 0.1);
}

#[test]
fn any_change_of_the_data_is_another_identity() {
    let key = |change: fn(&mut StaticTable)| {
        let mut table = table();
        change(&mut table);
        let packed = pack(&table).unwrap();
        let model = StaticEmbedder::from_parts(packed.first, packed.second).unwrap();
        model.verify().unwrap();
        model.identity().key()
    };
    let own = key(|_| ());
    let changes: [fn(&mut StaticTable); 5] = [
        |t| t.codes[3] = 6,
        |t| t.scales[3] *= 2.0,
        |t| t.pieces[3].1 -= 0.125,
        |t| t.pieces[3].0.push('x'),
        |t| t.pieces.swap(3, 4),
    ];
    for (at, change) in changes.iter().enumerate() {
        assert_ne!(key(*change), own, "{at}");
    }
    assert_eq!(key(|t| t.centroids.clear()), own, "centroids change no vector");
}

#[test]
fn damage_is_told() {
    let Packed { first, second } = pack(&table()).unwrap();
    let load = |first: &[u8], second: &[u8]| StaticEmbedder::from_parts(first.to_vec(), second.to_vec());
    let damaged = |first: &[u8], second: &[u8]| {
        let error = load(first, second).unwrap_err();
        assert_eq!(mem_core::Error::from(error.clone()).kind(), mem_core::ErrorKind::Corrupt);
        matches!(error, Error::Damaged { .. })
    };
    assert!(damaged(&[], &second) && damaged(&first, &[]));
    assert!(damaged(&second, &first), "the wrong way round");
    assert!(
        damaged(&first[..first.len() - 1], &second) && damaged(&first, &[second.as_slice(), &[0]].concat())
    );
    // Every byte of the header decides, but for those of the name, the digest and the counts that only belong together.
    for at in 0..64 {
        let mut bytes = first.clone();
        bytes[at] ^= 0x40;
        assert!(load(&bytes, &second).is_err(), "byte {at}");
    }
    let mut newer = first.clone();
    newer[8] += 1;
    assert!(matches!(load(&newer, &second), Err(Error::Format { expected: 1, found: 2 })));
    let mut other = table();
    other.codes[0] = 1;
    let other = pack(&other).unwrap();
    assert!(matches!(load(&first, &other.second), Err(Error::Mixed { .. })));
}

#[test]
fn verify_finds_every_other_damage() {
    let Packed { first, second } = pack::pack_at(&table(), Some(0)).unwrap();
    let check = |first: Vec<u8>, second: Vec<u8>| {
        StaticEmbedder::from_parts(first, second).and_then(|model| model.verify())
    };
    check(first.clone(), second.clone()).unwrap();
    // Costs and scales, at the end of the first part, and every code.
    for at in first.len() - 12 * 3..first.len() {
        let mut damaged = first.clone();
        damaged[at] ^= 1;
        assert!(check(damaged, second.clone()).is_err(), "byte {at}");
    }
    for at in layout::HEADER..second.len() {
        let mut damaged = second.clone();
        damaged[at] ^= 1;
        assert!(check(first.clone(), damaged).is_err(), "byte {at}");
    }
    let mut damaged = first;
    damaged[layout::HEADER + 2 * (layout::TAG + 4 * 16) + 1] ^= 2;
    assert!(check(damaged, second).is_err(), "the root of the trie");
}

proptest! {
    #[test]
    fn any_text_gives_a_unit_vector_or_zeros(text in "(\\PC|commit|提交|[x0-9 ]){0,60}") {
        let vector = tiny().vector(&text);
        let norm: f64 = vector.iter().map(|x| f64::from(*x) * f64::from(*x)).sum();
        prop_assert!(vector.iter().all(|x| *x == 0.0) || (norm - 1.0).abs() < 1e-5);
        prop_assert_eq!(&tiny().vector(&text), &vector);
        prop_assert!(cosine(&vector, &tiny().vector(&text.to_uppercase())).is_ok());
    }

    #[test]
    fn damaged_data_never_panics(
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40),
        in_second in any::<bool>(),
        text in "(\\PC|commit|提交|[x0-9 ]){0,40}",
    ) {
        let mut packed = pack(&table()).unwrap();
        let part = if in_second { &mut packed.second } else { &mut packed.first };
        for (at, byte) in damage {
            let at = at.index(part.len());
            part[at] = byte;
        }
        if let Ok(model) = StaticEmbedder::from_parts(packed.first, packed.second) {
            let norm: f64 = model.vector(&text).iter().map(|x| f64::from(*x) * f64::from(*x)).sum();
            prop_assert!(norm == 0.0 || (norm - 1.0).abs() < 1e-3, "{norm}");
            let _ = model.verify();
        }
    }

    #[test]
    fn damaged_sections_never_panic(
        noise in prop::collection::vec(any::<u8>(), 1..4000),
        text in "(\\PC|commit|提交|[x0-9 ]){0,40}",
    ) {
        let mut packed = pack(&table()).unwrap();
        let from = layout::HEADER + 2 * (layout::TAG + 4 * 16);
        for (byte, noise) in packed.first[from..].iter_mut().zip(noise.iter().cycle()) {
            *byte = *noise;
        }
        let model = StaticEmbedder::from_parts(packed.first, packed.second).unwrap();
        let norm: f64 = model.vector(&text).iter().map(|x| f64::from(*x) * f64::from(*x)).sum();
        prop_assert!(norm == 0.0 || (norm - 1.0).abs() < 1e-3, "{norm}");
    }
}
