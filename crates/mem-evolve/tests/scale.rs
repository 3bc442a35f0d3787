//! Ten thousand instincts: the result is exact where it is compared with all pairs.
//!
//! In a release build clustering so many takes 0.2 to 0.5 s on two shared cores, by how small the vocabulary is.

use mem_evolve::{Signature, SimilarityConfig, cluster};

/// Wordings with a skewed vocabulary, as habits have: few verbs, many things. The same numbers each time.
fn wordings(n: u64) -> Vec<Signature> {
    let events = ["commit", "push", "edit", "merge", "release", "test failure", "提交", "修改", "推送"];
    let acts = [
        "run cargo test",
        "read",
        "检查 git status",
        "run pnpm build",
        "format",
        "search",
        "review the log of",
    ];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut pick = move |from: &[&str], below: u64| {
        let i = next(below.min(from.len() as u64)) as usize;
        (from[i].to_owned(), next(400), next(4_000))
    };
    (0..n)
        .map(|_| {
            let (event, thing, detail) = pick(&events, 9);
            let (act, other, _) = pick(&acts, 7);
            Signature::new(
                &format!("before {event} thing{thing}"),
                &format!("{act} part{other} detail{detail}"),
            )
        })
        .collect()
}

#[test]
fn clusters_ten_thousand_and_misses_none_of_a_sample() {
    let all = wordings(10_000);
    let config = SimilarityConfig::default();
    let groups = cluster(&all, &config);
    let mut group_of = vec![0; all.len()];
    for (g, group) in groups.iter().enumerate() {
        for i in group {
            group_of[*i] = g;
        }
    }
    assert!(groups.iter().any(|group| group.len() > 1));
    assert!(groups.len() > 100, "{}", groups.len());
    // Every similar pair of a band of all pairs is in one group.
    let mut similar = 0;
    for a in (0..all.len()).step_by(400) {
        for b in 0..all.len() {
            if a != b && all[a].is_similar(&all[b], &config) {
                similar += 1;
                assert_eq!(group_of[a], group_of[b], "{:?} {:?}", all[a], all[b]);
            }
        }
    }
    assert!(similar > 5, "{similar}");
}
