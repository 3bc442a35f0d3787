//! What every [`TextIndex`] must do.

use mem_core::{
    Change, Kind, Memory, MemoryFilter, MemoryId, ProjectFilter, ProjectId, Revision, Scope, Status, TextHit,
    TextIndex, Timestamp,
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
                        let mut seen: Vec<_> =
                            hits.hits.into_iter().filter(|hit| hit.score > 0.0).map(|hit| hit.id).collect();
                        expected.sort();
                        seen.sort();
                        assert_eq!(seen, expected, "{filter:?}");
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
