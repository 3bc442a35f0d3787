//! What every [`TextIndex`] must do.

use mem_core::{
    Change, Kind, Memory, MemoryFilter, MemoryId, ProjectFilter, ProjectId, Revision, Scope, Spread, Status,
    TextHit, TextIndex, Timestamp,
};
use std::cmp::{Ordering, Reverse};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// Checks an index against the contract of [`TextIndex`]. `make` gives an empty one each time.
///
/// # Panics
/// Where it breaks the contract.
#[expect(clippy::expect_used, reason = "a conformance suite fails by panicking")]
pub fn text_index_contract(make: &dyn Fn() -> Box<dyn TextIndex>) {
    let all = MemoryFilter { projects: ProjectFilter::All, statuses: Vec::new(), ..MemoryFilter::default() };
    let change = |revision: u64, memory: &Memory| Change {
        revision: Revision(revision),
        id: memory.id.clone(),
        memory: Some(memory.clone()),
    };
    let found = |index: &dyn TextIndex, text: &str, filter: &MemoryFilter| -> Vec<MemoryId> {
        let answer = index.search(text, filter, 20).expect("any text is a valid query");
        let hits = answer.hits;
        let key = |hit: &TextHit| (Reverse(Ordered(hit.score)), Reverse(Ordered(hit.grams)), hit.id.clone());
        assert!(hits.is_sorted_by(|a, b| key(a) < key(b)), "{text}: {hits:?}");
        for spread in [answer.words, answer.grams] {
            assert!(spread.mean >= 0.0 && spread.deviation.is_finite(), "{spread:?}");
        }
        assert!(
            answer.words.count >= hits.len() as u64,
            "the spread is over all that pass: {:?}",
            answer.words
        );
        for hit in &hits {
            assert!(hit.score >= 0.0 && hit.grams >= 0.0, "scores are not below 0: {hit:?}");
            let best = hit.score.max(hit.grams);
            assert!(best > 0.0 && best.is_finite(), "one of them is above 0: {hit:?}");
            assert!((0.0..=1.0).contains(&hit.coverage), "coverage is a share: {hit:?}");
            assert!(
                hit.specificity >= 0.0 && hit.specificity.is_finite(),
                "specificity is not below 0: {hit:?}"
            );
        }
        hits.into_iter().filter(|hit| hit.score > 0.0).map(|hit| hit.id).collect()
    };

    // Empty.
    let index = make();
    assert_eq!(index.revision().expect("revision"), Revision::ZERO, "an empty view is at revision 0");
    assert!(index.is_empty().expect("len"));
    assert!(found(&*index, "anything", &all).is_empty());

    // Applied and visible, with the revision.
    let one = Memory::new(Kind::Decision, "Ports are assigned by the registry", at(1));
    let two = Memory::new(Kind::Fact, "改完代码不主动提交", at(2));
    index.apply(&[change(1, &one), change(2, &two)], Revision(2)).expect("apply");
    assert_eq!(index.revision().expect("revision"), Revision(2));
    assert_eq!(index.len().expect("len"), 2);
    assert_eq!(found(&*index, "registry", &all), std::slice::from_ref(&one.id));
    assert_eq!(found(&*index, "提交", &all), std::slice::from_ref(&two.id));
    assert!(found(&*index, "zebra", &all).is_empty(), "an unknown word finds nothing");
    for odd in ["", "  ", "\"", "AND OR NOT", "a:b", "*", "+-(){}[]^~\\", "\u{0}\u{FFFF}", "👩‍💻"] {
        found(&*index, odd, &all);
    }
    assert!(index.search("registry", &all, 0).expect("none asked").hits.is_empty());

    // Twice is the same as once; older changes change nothing.
    index.apply(&[change(1, &one), change(2, &two)], Revision(2)).expect("apply again");
    index.apply(&[], Revision(1)).expect("an older revision is passed over");
    assert_eq!((index.len().expect("len"), index.revision().expect("revision")), (2, Revision(2)));

    // A change replaces, a removal removes, a batch may change one memory; nothing but the revision may move.
    let mut moved = one.clone();
    moved.body = "Ports are fixed in the manifest".to_owned();
    moved.name = moved.body.clone();
    moved.description.clear();
    index.apply(&[change(3, &moved)], Revision(3)).expect("replace");
    assert!(found(&*index, "registry", &all).is_empty(), "the old text is gone");
    assert_eq!(found(&*index, "manifest", &all), std::slice::from_ref(&one.id));
    assert_eq!(index.len().expect("len"), 2);
    index
        .apply(&[Change { revision: Revision(4), id: two.id.clone(), memory: None }], Revision(5))
        .expect("remove");
    assert!(found(&*index, "提交", &all).is_empty());
    assert_eq!((index.len().expect("len"), index.revision().expect("revision")), (1, Revision(5)));
    index.apply(&[], Revision(9)).expect("only the revision moves");
    assert_eq!(index.revision().expect("revision"), Revision(9));
    assert_eq!(found(&*index, "manifest", &all), std::slice::from_ref(&one.id));

    // Cleared, and used again from the start.
    index.clear().expect("clear");
    assert_eq!((index.len().expect("len"), index.revision().expect("revision")), (0, Revision::ZERO));
    assert!(found(&*index, "manifest", &all).is_empty());
    index.apply(&[change(1, &one)], Revision(1)).expect("apply after clear");
    assert_eq!(found(&*index, "registry", &all), std::slice::from_ref(&one.id));

    filters(&*make(), &change, &found);
    channels(&*make(), &change, &all);
    ties(&*make(), &change, &found, &all);
}

type Make<'a> = &'a dyn Fn(u64, &Memory) -> Change;
type Find<'a> = &'a dyn Fn(&dyn TextIndex, &str, &MemoryFilter) -> Vec<MemoryId>;

/// Every combination of filters agrees with [`MemoryFilter::admits`].
#[expect(clippy::expect_used, reason = "a conformance suite fails by panicking")]
fn filters(index: &dyn TextIndex, change: Make<'_>, found: Find<'_>) {
    let [alpha, beta] = ["host/alpha", "host/beta"].map(|id| ProjectId::new(id).expect("a valid id"));
    let mut memories = Vec::new();
    for (at_second, project) in [None, Some(&alpha), Some(&beta)].into_iter().enumerate() {
        for (step, kind) in [Kind::Fact, Kind::Todo].into_iter().enumerate() {
            for (turn, status) in Status::ALL.iter().enumerate() {
                let second = 100 * at_second as i64 + 10 * step as i64 + turn as i64;
                let created = Timestamp::new(second, 5).unwrap_or(Timestamp::UNIX_EPOCH);
                let mut memory = Memory::new(kind, format!("shared word, entry {second}"), created);
                if let Some(project) = project {
                    memory = memory.in_project(project.clone());
                    if turn % 2 == 1 {
                        memory.scope = Scope::Module;
                        memory.path = Some("src/module".to_owned());
                    }
                }
                memory.status = *status;
                memories.push(memory);
            }
        }
    }
    let changes: Vec<_> =
        memories.iter().enumerate().map(|(n, memory)| change(n as u64 + 1, memory)).collect();
    index.apply(&changes, Revision(changes.len() as u64)).expect("apply");
    let projects = [
        ProjectFilter::Global,
        ProjectFilter::All,
        ProjectFilter::Within(alpha),
        ProjectFilter::Within(beta.clone()),
        ProjectFilter::Within(ProjectId::new("host/gamma").expect("a valid id")),
    ];
    for projects in projects {
        for kinds in [vec![], vec![Kind::Fact], vec![Kind::Todo, Kind::User]] {
            for statuses in [vec![], vec![Status::Active], vec![Status::Superseded, Status::Archived]] {
                for scope in [None, Some(Scope::Module)] {
                    for at in [None, Timestamp::new(111, 5).ok(), Timestamp::new(111, 4).ok()] {
                        let filter = MemoryFilter {
                            projects: projects.clone(),
                            kinds: kinds.clone(),
                            statuses: statuses.clone(),
                            scope,
                            at,
                        };
                        let mut expected: Vec<_> =
                            memories.iter().filter(|m| filter.admits(m)).map(|m| m.id.clone()).collect();
                        let hits = index.search("shared", &filter, memories.len()).expect("search");
                        let words = hits.words;
                        let mut seen: Vec<_> =
                            hits.hits.into_iter().filter(|hit| hit.score > 0.0).map(|hit| hit.id).collect();
                        expected.sort();
                        seen.sort();
                        assert_eq!(seen, expected, "{filter:?}");
                        assert_eq!(words.count, expected.len() as u64, "the spread is over what passes");
                    }
                }
            }
        }
    }
    // The filter applies inside the search: few that pass are found among many that do not.
    let rare = MemoryFilter {
        projects: ProjectFilter::Within(beta),
        kinds: vec![Kind::Todo],
        statuses: vec![Status::Archived],
        scope: Some(Scope::Project),
        at: None,
    };
    let hits = index.search("shared", &rare, 1).expect("search");
    assert_eq!(hits.hits.len(), 1, "one passes and is found");
    assert!(found(index, "shared", &rare).contains(&hits.hits[0].id));
}

/// The best by words come together with the best by trigrams, each with both scores, and both scores are spread over
/// all.
#[expect(clippy::expect_used, reason = "a conformance suite fails by panicking")]
fn channels(index: &dyn TextIndex, change: Make<'_>, all: &MemoryFilter) {
    let bodies = [
        "the harbour master assigns berths",
        "harbours are dredged in spring",
        "a harbourmaster is on duty",
        "提交之前先跑测试",
        "nothing of the kind",
    ];
    let memories: Vec<_> =
        (1..).zip(bodies).map(|(second, body)| Memory::new(Kind::Fact, body, at(second))).collect();
    let changes: Vec<_> = (1..).zip(&memories).map(|(n, memory)| change(n, memory)).collect();
    index.apply(&changes, Revision(changes.len() as u64)).expect("apply");
    for question in ["harbour master", "harbor mastr", "提交 harbour", "berths"] {
        let whole = index.search(question, all, memories.len()).expect("search");
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-6 * a.abs().max(1.0);
        let scores: [fn(&TextHit) -> f64; 2] = [|hit| hit.score, |hit| hit.grams];
        for (score, spread) in scores.into_iter().zip([whole.words, whole.grams]) {
            let zeros = memories.len() - whole.hits.len();
            let expected = Spread::of(whole.hits.iter().map(score), zeros as u64);
            assert_eq!(spread.count, expected.count, "{question}");
            assert!(near(spread.mean, expected.mean), "{question}: {spread:?} {expected:?}");
            assert!(near(spread.deviation, expected.deviation), "{question}: {spread:?} {expected:?}");
        }
        for k in 1..4 {
            let few = index.search(question, all, k).expect("search");
            assert!(
                few.hits.iter().all(|hit| whole.hits.contains(hit)),
                "{question}: scores do not hang on k"
            );
            assert_eq!((few.words, few.grams), (whole.words, whole.grams), "{question}");
            for score in scores {
                let mut best: Vec<_> = whole.hits.iter().filter(|hit| score(hit) > 0.0).collect();
                best.sort_by(|a, b| score(b).total_cmp(&score(a)).then_with(|| a.id.cmp(&b.id)));
                assert!(
                    best.into_iter().take(k).all(|hit| few.hits.contains(hit)),
                    "{question}: the best {k}"
                );
            }
        }
        let weighs =
            |word: &str| whole.terms.iter().find(|(text, _)| text == word).map(|(_, weight)| *weight);
        if question == "berths" {
            assert!(weighs("berth").is_some_and(|weight| weight > 0.0), "{:?}", whole.terms);
        }
    }
    let typo = index.search("mastre", all, 5).expect("search");
    let best = typo.hits.iter().max_by(|a, b| a.grams.total_cmp(&b.grams)).filter(|hit| hit.grams > 0.0);
    // A view may have no trigrams; one that has finds what is misspelt.
    if typo.grams.mean > 0.0 {
        assert_eq!(best.map(|hit| &hit.id), Some(&memories[0].id));
    }
}

/// Equal scores are ordered by id, and `k` cuts after ordering.
#[expect(clippy::expect_used, reason = "a conformance suite fails by panicking")]
fn ties(index: &dyn TextIndex, change: Make<'_>, found: Find<'_>, all: &MemoryFilter) {
    let memories: Vec<_> = (0..30).map(|n| Memory::new(Kind::Fact, "equal text", at(n))).collect();
    for (n, memory) in memories.iter().enumerate() {
        if n % 7 == 0 {
            let upto = (n + 7).min(memories.len());
            let changes: Vec<_> = memories[n..upto]
                .iter()
                .enumerate()
                .map(|(m, memory)| change((n + m) as u64 + 1, memory))
                .collect();
            index.apply(&changes, Revision(upto as u64)).expect("apply");
        }
        assert!(index.len().expect("len") > 0, "{}", memory.id);
    }
    let mut ids: Vec<_> = memories.into_iter().map(|memory| memory.id).collect();
    ids.sort();
    assert_eq!(found(index, "equal", all), ids[..20]);
    let few = index.search("equal", all, 3).expect("search");
    assert_eq!(
        few.hits.into_iter().filter(|hit| hit.score > 0.0).map(|hit| hit.id).collect::<Vec<_>>(),
        ids[..3]
    );
}

/// A finite number with its order.
struct Ordered(f64);

impl PartialEq for Ordered {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Eq for Ordered {}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}
