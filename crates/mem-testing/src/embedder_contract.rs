//! What every [`Embedder`] must do.

use mem_core::{Embedder, Embedding, TextRole};

/// Checks an embedder against the contract of [`Embedder`].
///
/// # Panics
/// Where it breaks the contract.
#[expect(clippy::expect_used, reason = "a conformance suite fails by panicking")]
pub fn embedder_contract(embedder: &dyn Embedder) {
    let identity = embedder.identity().clone();
    assert!(
        !identity.name.is_empty() && !identity.version.is_empty(),
        "an identity names its model: {identity:?}"
    );
    assert!(identity.dimensions > 0, "vectors have dimensions");
    let calibration = embedder.calibration().clone();
    assert!((0.0..=10.0).contains(&calibration.fusion_weight), "a fusion weight is not below 0");
    assert!(calibration.unrelated.deviation >= 0.0, "a deviation is not below 0");
    for (language, centroid) in calibration.queries.0.iter().chain(&calibration.passages.0) {
        assert_eq!(centroid.len(), identity.dimensions, "dimensions of the centroid of {language:?}");
    }

    let long = "word ".repeat(5_000);
    let texts = [
        "commit only after the user confirmed",
        "改完代码不主动提交，等用户确认",
        "",
        " \n\t ",
        "…!?",
        "\u{0}\u{FFFF}\u{301}\u{200D}",
        "👩‍💻🚀",
        long.as_str(),
    ];
    let embed = |texts: &[&str], role| -> Vec<Embedding> {
        embedder.embed(texts, role).expect("an odd text is no error")
    };
    for role in [TextRole::Query, TextRole::Passage] {
        let together = embed(&texts, role);
        assert_eq!(together.len(), texts.len(), "one vector a text");
        for (text, vector) in texts.iter().zip(&together) {
            let shown: String = text.chars().take(40).collect();
            assert_eq!(vector.len(), identity.dimensions, "dimensions of {shown:?}");
            let norm: f64 = vector.iter().map(|x| f64::from(*x) * f64::from(*x)).sum();
            assert!(norm == 0.0 || (norm - 1.0).abs() < 1e-3, "unit length or all zeros, {shown:?}: {norm}");
            let alone = embed(&[text], role);
            let drift = alone[0].iter().zip(vector).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(drift < 1e-3, "batch and order change nothing, {shown:?}: {drift}");
        }
        assert!(together[0].iter().any(|x| *x != 0.0), "a sentence has content");
        assert_eq!(embed(&texts, role), together, "deterministic");
        assert!(embed(&[], role).is_empty(), "no text, no vector");
    }
    assert_eq!(embedder.identity(), &identity, "an identity is constant");
    assert_eq!(embedder.calibration(), &calibration, "so is what was measured");
    let [same, other] = [texts[0], "bananas ripen in the sun"].map(|text| {
        mem_core::cosine(&embed(&[texts[0]], TextRole::Query)[0], &embed(&[text], TextRole::Passage)[0])
    });
    assert!(same.expect("equal lengths") > other.expect("equal lengths"), "a text is nearest to itself");
}
