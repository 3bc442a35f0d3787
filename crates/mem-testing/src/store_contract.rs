//! What every [`Store`] must do.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a conformance suite fails by panicking")]

use mem_core::{
    Error, ErrorKind, Evidence, EvidenceKind, InjectionRecord, Instinct, InstinctFilter, InstinctId,
    InstinctScope, InstinctStatus, Kind, Link, LinkKind, Memory, MemoryFilter, MemoryId, ProjectFilter,
    ProjectId, Revision, Scope, SessionId, Status, Store, Timestamp, Unit,
};

/// Makes an empty store.
pub type MakeStore<'a> = &'a dyn Fn() -> Box<dyn Store>;

/// Every suite for a [`Store`].
///
/// # Panics
/// At the first breach.
pub fn store_contract(make: MakeStore<'_>) {
    memory_store_contract(make);
    instinct_store_contract(make);
    injection_store_contract(make);
    named_values_contract(make);
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_793_491_200 + second).unwrap()
}

fn project(id: &str) -> ProjectId {
    ProjectId::new(id).unwrap()
}

fn fact(id: &str, body: &str, second: i64) -> Memory {
    let mut memory = Memory::new(Kind::Fact, body, at(second));
    memory.id = MemoryId::new(id).unwrap();
    memory
}

fn ids(memories: &[Memory]) -> Vec<&str> {
    memories.iter().map(|memory| memory.id.as_str()).collect()
}

fn kind_of<T: std::fmt::Debug>(answer: Result<T, Error>) -> ErrorKind {
    answer.unwrap_err().kind()
}

/// The suite for [`mem_core::MemoryStore`].
///
/// # Panics
/// At the first breach.
pub fn memory_store_contract(make: MakeStore<'_>) {
    put_and_get(make().as_ref());
    put_is_all_or_nothing(make().as_ref());
    resolves_prefixes(make().as_ref());
    finds_the_same(make().as_ref());
    lists_by_filter(make().as_ref());
    supersedes(make().as_ref());
    removes_and_remembers(make().as_ref());
    touches(make().as_ref());
    logs_changes(make().as_ref());
    knows_neighbours(make().as_ref());
}

fn put_and_get(store: &dyn Store) {
    assert_eq!(store.revision().unwrap(), Revision::ZERO);
    assert_eq!(store.put(&[]).unwrap(), Revision::ZERO);
    let mut full = fact("full", "nul\0, 改, 🦀, \"quotes\"", 1);
    full.extra.insert("zeta".into(), serde_json::json!({"b": [1, null, 0.5], "a": "later"}));
    full.extra.insert("alpha".into(), serde_json::json!("keys keep their order"));
    full.confidence = Unit::saturating(0.1 + 0.2);
    full.feedback = -1.0 / 3.0;
    full.created = Timestamp::new(1_793_491_200, 123_456_789).unwrap();
    full.access_count = u32::MAX;
    full.links = vec![Link { kind: LinkKind::CausedBy, to: MemoryId::new("nobody").unwrap() }];
    let plain = fact("plain", "", 2);
    let latest = store.put(&[full.clone(), plain.clone()]).unwrap();
    assert_eq!(store.revision().unwrap(), latest);

    let asked = ["plain", "missing", "full", "plain"].map(|id| MemoryId::new(id).unwrap());
    let got = store.get(&asked).unwrap();
    assert_eq!(got, [Some(plain.clone()), None, Some(full.clone()), Some(plain)]);
    let keys: Vec<_> = got[2].as_ref().unwrap().extra.keys().cloned().collect();
    assert_eq!(keys, ["zeta", "alpha"]);

    full.body = "another".into();
    full.status = Status::Archived;
    full.why = Some("it changed".into());
    let later = store.put(std::slice::from_ref(&full)).unwrap();
    assert!(later > latest);
    assert_eq!(store.get(std::slice::from_ref(&full.id)).unwrap(), [Some(full)]);
    assert_eq!(store.counts().unwrap(), [(Kind::Fact, Status::Active, 1), (Kind::Fact, Status::Archived, 1)]);
}

fn knows_neighbours(store: &dyn Store) {
    let told = |id: &str, session: &str, ordinal: Option<u32>| {
        let mut memory = fact(id, id, 1);
        memory.provenance.session = Some(SessionId::new(session).unwrap());
        memory.provenance.ordinal = ordinal;
        memory
    };
    let elsewhere = told("e", "talk", Some(2)).in_project(project("other"));
    let told = [
        told("a", "talk", Some(9)),
        told("b", "talk", Some(10)),
        told("c", "talk", Some(11)),
        told("d", "talk", Some(13)),
        elsewhere,
        told("f", "talk", None),
        told("g", "chat", Some(10)),
        told("h", "talk", Some(1)),
    ];
    store.put(&told).unwrap();
    let beside = |name: &str| {
        let found = store.neighbours(&[MemoryId::new(name).unwrap()]).unwrap();
        found.concat().iter().map(MemoryId::to_string).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(["a", "b", "c"].map(beside), ["b", "a c", "b"], "numbers, not their spelling");
    assert_eq!(["d", "e", "f", "g", "h", "nobody"].map(beside), [""; 6]);
    let both = ["b", "nobody", "a"].map(|name| MemoryId::new(name).unwrap());
    assert_eq!(store.neighbours(&both).unwrap().iter().map(Vec::len).collect::<Vec<_>>(), [2, 0, 1]);
}

fn put_is_all_or_nothing(store: &dyn Store) {
    let good = fact("good", "good", 1);
    let mut homeless = fact("homeless", "a project scope without a project", 1);
    homeless.scope = Scope::Project;
    let mut torn = fact("torn", "global within a project", 1);
    torn.project = Some(project("p"));
    let mut odd = fact("odd", "feedback that is no number", 1);
    odd.feedback = f64::NAN;
    for bad in [homeless, torn, odd] {
        assert_eq!(kind_of(store.put(&[good.clone(), bad])), ErrorKind::Invalid);
        assert_eq!(store.get(std::slice::from_ref(&good.id)).unwrap(), [None]);
        assert_eq!(store.revision().unwrap(), Revision::ZERO);
    }
}

fn resolves_prefixes(store: &dyn Store) {
    store.put(&["abc", "abcd", "abx", "改一", "b%"].map(|id| fact(id, id, 1))).unwrap();
    for (prefix, id) in [("abcd", "abcd"), ("abc", "abc"), ("abx", "abx"), ("改", "改一"), ("b", "b%")] {
        assert_eq!(store.resolve(prefix).unwrap().as_str(), id);
    }
    match store.resolve("ab") {
        Err(Error::Ambiguous { count: 3, id, .. }) => assert_eq!(id, "ab"),
        other => panic!("three begin with ab, not {other:?}"),
    }
    for missing in ["", "zz", "%", "a%", "AB", "abcde"] {
        assert_eq!(kind_of(store.resolve(missing)), ErrorKind::NotFound, "{missing:?}");
    }
}

fn finds_the_same(store: &dyn Store) {
    let mut old = fact("old", "Use Tabs", 1);
    old.status = Status::Superseded;
    let elsewhere = fact("elsewhere", "use tabs", 9).in_project(project("p"));
    store.put(&[old.clone(), elsewhere.clone()]).unwrap();
    let asked = fact("new", "ｕｓｅ　 tabs！\n", 5);
    assert_eq!(
        store.find_same(&asked).unwrap().unwrap().id,
        old.id,
        "any status, when there is no active one"
    );
    let active = fact("active", "use\ttabs", 0);
    store.put(std::slice::from_ref(&active)).unwrap();
    assert_eq!(store.find_same(&asked).unwrap().unwrap().id, active.id, "an active one first");
    assert_eq!(store.find_same(&asked.clone().in_project(project("p"))).unwrap().unwrap().id, elsewhere.id);
    assert_eq!(store.find_same(&asked.clone().in_project(project("q"))).unwrap(), None);
    let mut reasoned = asked;
    reasoned.why = Some("they are narrow".into());
    assert_eq!(
        store.find_same(&reasoned).unwrap().unwrap().id,
        active.id,
        "a reason makes no other statement of it"
    );
    assert_eq!(store.put_unless_same(&reasoned).unwrap().unwrap().id, active.id);
    let other = Memory { body: "Ports are chosen at random".into(), ..reasoned };
    assert_eq!(store.put_unless_same(&other).unwrap(), None);
    assert_eq!(store.put_unless_same(&other).unwrap().unwrap().id, other.id);
}

fn lists_by_filter(store: &dyn Store) {
    let mut all = vec![fact("b", "1", 5), fact("a", "2", 5), fact("c", "3", 7), fact("d", "4", 6)];
    all[3].kind = Kind::Todo;
    all.push(fact("x", "5", 1));
    all[4].status = Status::Archived;
    for (id, home) in [("p1", "p"), ("q1", "q")] {
        let mut memory = fact(id, "6", 9).in_project(project(home));
        memory.id = MemoryId::new(id).unwrap();
        all.push(memory);
    }
    store.put(&all).unwrap();
    let list = |filter: MemoryFilter, limit| {
        let found = store.list(&filter, limit).unwrap();
        ids(&found).join(" ")
    };
    let global = MemoryFilter::default;
    assert_eq!(list(global(), 9), "c d a b", "the last updated first, ties by id");
    assert_eq!(list(global(), 2), "c d");
    assert_eq!(list(global(), 0), "");
    assert_eq!(list(global(), usize::MAX), "c d a b");
    assert_eq!(list(MemoryFilter::within(project("p")), 9), "p1 c d a b");
    assert_eq!(
        list(MemoryFilter { projects: ProjectFilter::All, statuses: vec![], ..global() }, 9),
        "p1 q1 c d a b x"
    );
    assert_eq!(list(MemoryFilter { kinds: vec![Kind::Todo, Kind::User], ..global() }, 9), "d");
    assert_eq!(list(MemoryFilter { statuses: vec![Status::Archived], ..global() }, 9), "x");
    assert_eq!(
        list(MemoryFilter { scope: Some(Scope::Project), ..MemoryFilter::within(project("q")) }, 9),
        "q1"
    );
    assert_eq!(list(MemoryFilter { at: Some(at(5)), ..global() }, 9), "a b");

    all[0].importance = Unit::ONE;
    all[1].pinned = true;
    all[2].confidence = Unit::ONE;
    store.put(&all).unwrap();
    let important = |limit| ids(&store.most_important(&global(), limit).unwrap()).join(" ");
    assert_eq!(important(9), "a b c d", "pinned, then important, then sure, then new");
    assert_eq!(important(1), "a");
    assert_eq!(list(MemoryFilter { at: Some(Timestamp::MIN), ..global() }, 9), "");
    assert_eq!(list(MemoryFilter { at: Some(Timestamp::MAX), ..global() }, 9), "c d a b");
}

fn supersedes(store: &dyn Store) {
    let (old, new) = (fact("old", "port 1", 1), fact("new", "port 2", 2));
    assert_eq!(kind_of(store.supersede(&old.id, &new, at(3))), ErrorKind::NotFound);
    assert_eq!(store.get(std::slice::from_ref(&new.id)).unwrap(), [None]);
    let before = store.put(std::slice::from_ref(&old)).unwrap();
    assert_eq!(kind_of(store.supersede(&old.id, &old, at(3))), ErrorKind::Invalid);
    assert_eq!(store.revision().unwrap(), before);
    for _ in 0..2 {
        store.supersede(&old.id, &new, at(3)).unwrap();
        let [replaced, present] =
            [&old.id, &new.id].map(|id| store.get(std::slice::from_ref(id)).unwrap().remove(0).unwrap());
        assert_eq!((replaced.status, present.status), (Status::Superseded, Status::Active));
        assert_eq!(replaced.updated, at(3));
        assert_eq!(replaced.links, [Link { kind: LinkKind::SupersededBy, to: new.id.clone() }]);
        assert_eq!(present.links, [Link { kind: LinkKind::Supersedes, to: old.id.clone() }]);
    }
}

fn removes_and_remembers(store: &dyn Store) {
    for hard in [false, true] {
        let memory = fact("gone", if hard { "a secret" } else { "a habit" }, 1);
        let id = &memory.id;
        assert_eq!(
            kind_of(store.remove(&MemoryId::new("missing").unwrap(), hard, at(2))),
            ErrorKind::NotFound
        );
        let before = store.put(std::slice::from_ref(&memory)).unwrap();
        assert!(!store.was_forgotten(&memory).unwrap());
        let removed = store.remove(id, hard, at(2)).unwrap();
        assert!(removed > before);
        assert_eq!(store.get(std::slice::from_ref(id)).unwrap(), [None]);
        assert_eq!(store.find_same(&memory).unwrap(), None);
        let change = store.changes_since(before, 9).unwrap().remove(0);
        assert_eq!((change.revision, &change.id, change.memory), (removed, id, None));
        let mut again = fact("again", &format!("  {}", memory.body.to_uppercase()), 3);
        assert!(store.was_forgotten(&again).unwrap());
        again = again.in_project(project("p"));
        assert!(!store.was_forgotten(&again).unwrap(), "another project has forgotten nothing");
    }
    let memory = fact("gone", "a habit", 9);
    store.put(std::slice::from_ref(&memory)).unwrap();
    assert!(store.was_forgotten(&memory).unwrap(), "a removal is remembered though the text is back");
    let changes = store.changes_since(Revision::ZERO, 9).unwrap();
    assert_eq!(changes.len(), 1, "each memory once");
    assert_eq!(changes[0].memory.as_ref(), Some(&memory));
}

fn touches(store: &dyn Store) {
    let memory = fact("a", "1", 1);
    let before = store.put(std::slice::from_ref(&memory)).unwrap();
    let both = ["missing", "a"].map(|id| MemoryId::new(id).unwrap());
    store.touch(&both, at(4)).unwrap();
    store.touch(&both, at(5)).unwrap();
    store.touch(&[], at(6)).unwrap();
    let touched = store.get(std::slice::from_ref(&memory.id)).unwrap().remove(0).unwrap();
    assert_eq!((touched.access_count, touched.last_access), (2, Some(at(5))));
    assert_eq!(touched.updated, memory.updated);
    assert_eq!(store.revision().unwrap(), before, "an access is no change");
}

fn logs_changes(store: &dyn Store) {
    let [a, b, c] = ["a", "b", "c"].map(|id| fact(id, id, 1));
    store.put(&[a.clone(), b.clone(), c.clone()]).unwrap();
    store.put(std::slice::from_ref(&a)).unwrap();
    store.remove(&b.id, false, at(2)).unwrap();
    let all = store.changes_since(Revision::ZERO, 99).unwrap();
    let order: Vec<_> = all.iter().map(|change| (change.id.as_str(), change.memory.is_some())).collect();
    assert_eq!(order, [("c", true), ("a", true), ("b", false)], "each once, oldest change first");
    assert!(all.windows(2).all(|pair| pair[0].revision < pair[1].revision), "no two changes share a number");
    assert_eq!(all.last().unwrap().revision, store.revision().unwrap());
    let mut paged = Vec::new();
    let mut from = Revision::ZERO;
    while let Some(change) = store.changes_since(from, 1).unwrap().pop() {
        from = change.revision;
        paged.push(change);
    }
    assert_eq!(paged, all);
    assert_eq!(store.changes_since(Revision(u64::MAX), 9).unwrap(), []);
    assert_eq!(store.changes_since(Revision::ZERO, 0).unwrap(), []);
}

fn instinct(id: &str, confidence: f64, home: Option<&str>) -> Instinct {
    Instinct {
        id: InstinctId::new(id).unwrap(),
        trigger: "before editing a `*.rs` file".into(),
        action: "read it — 先读".into(),
        domain: "workflow".into(),
        source: "session-observation".into(),
        confidence: Unit::saturating(confidence),
        status: if confidence > 0.5 { InstinctStatus::Active } else { InstinctStatus::Candidate },
        scope: if home.is_some() { InstinctScope::Project } else { InstinctScope::Global },
        project: home.map(project),
        counts: mem_core::Counts { hits: u64::MAX, opportunities: 3, base_hits: 0, base_total: 9 },
        sessions: 2,
        created: at(1),
        observed_at: at(2),
        injected_since: None,
        evidence: vec!["first line".into()],
        extra: [("owner".to_owned(), serde_json::json!("somebody"))].into_iter().collect(),
    }
}

fn evidence(session: Option<&str>, second: i64, kind: EvidenceKind) -> Evidence {
    let session = session.map(|id| SessionId::new(id).unwrap());
    Evidence { session, project: None, at: at(second), kind, note: format!("at {second}") }
}

/// The suite for [`mem_core::InstinctStore`].
///
/// # Panics
/// At the first breach.
pub fn instinct_store_contract(make: MakeStore<'_>) {
    keeps_instincts(make().as_ref());
    keeps_evidence(make().as_ref());
}

fn keeps_instincts(store: &dyn Store) {
    let all = [
        instinct("read", 0.1 + 0.2, None),
        instinct("read-2", 0.9, Some("p")),
        instinct("test", 0.9, Some("q")),
    ];
    store.put_instincts(&all).unwrap();
    assert_eq!(store.instinct("read").unwrap(), all[0], "an exact id first");
    assert_eq!(store.instinct("t").unwrap(), all[2]);
    assert_eq!(kind_of(store.instinct("rea")), ErrorKind::Conflict);
    assert_eq!(kind_of(store.instinct("x")), ErrorKind::NotFound);
    assert_eq!(kind_of(store.instinct("")), ErrorKind::NotFound);

    let list = |filter: &InstinctFilter| {
        let found = store.instincts(filter).unwrap();
        found.iter().map(|instinct| instinct.id.to_string()).collect::<Vec<_>>().join(" ")
    };
    let mut filter = InstinctFilter { projects: ProjectFilter::All, ..InstinctFilter::default() };
    assert_eq!(list(&filter), "read-2 test read", "the most confident first, ties by id");
    filter.projects = ProjectFilter::Within(project("p"));
    assert_eq!(list(&filter), "read-2 read");
    filter.scope = Some(InstinctScope::Global);
    assert_eq!(list(&filter), "read");
    filter =
        InstinctFilter { projects: ProjectFilter::All, statuses: vec![InstinctStatus::Active], scope: None };
    assert_eq!(list(&filter), "read-2 test");
    assert_eq!(list(&InstinctFilter::default()), "read");

    let mut homeless = instinct("bad", 0.5, None);
    homeless.scope = InstinctScope::Project;
    assert_eq!(kind_of(store.put_instincts(&[instinct("good", 0.5, None), homeless])), ErrorKind::Invalid);
    assert_eq!(kind_of(store.instinct("good")), ErrorKind::NotFound);
    assert_eq!(store.projects().unwrap(), [project("p"), project("q")]);
}

fn keeps_evidence(store: &dyn Store) {
    let rule = instinct("read", 0.5, None);
    let counts = mem_core::Counts { hits: 1, opportunities: 2, ..Default::default() };
    let seen = |injected| EvidenceKind::Session { counts, injected };
    let edited = EvidenceKind::Edited { confidence: Unit::saturating(0.1 + 0.2) };
    assert_eq!(kind_of(store.add_evidence(&rule.id, &[])), ErrorKind::NotFound);
    assert_eq!(store.evidence(&rule.id).unwrap(), []);
    store.put_instincts(std::slice::from_ref(&rule)).unwrap();
    let first = evidence(Some("s1"), 5, seen(false));
    store.add_evidence(&rule.id, &[first, evidence(None, 3, edited)]).unwrap();
    let replaced = evidence(Some("s1"), 4, seen(true));
    let other = evidence(Some("s2"), 1, seen(false));
    let dormant = [evidence(None, 7, EvidenceKind::Dormant), evidence(None, 8, EvidenceKind::Dormant)];
    store.add_evidence(&rule.id, &[replaced.clone(), other.clone()]).unwrap();
    store.add_evidence(&rule.id, &dormant).unwrap();
    store.add_evidence(&rule.id, &dormant).unwrap();
    let kept = [other, evidence(None, 3, edited), replaced, dormant[0].clone(), dormant[1].clone()];
    assert_eq!(store.evidence(&rule.id).unwrap(), kept, "one a session and kind, oldest first");

    store.put_instincts(std::slice::from_ref(&rule)).unwrap();
    assert_eq!(store.evidence(&rule.id).unwrap().len(), 5, "writing an instinct keeps its evidence");
    assert!(!store.instinct_was_forgotten(&rule.id).unwrap());
    store.remove_instinct(&rule.id, at(9)).unwrap();
    assert!(store.instinct_was_forgotten(&rule.id).unwrap());
    assert_eq!(store.evidence(&rule.id).unwrap(), []);
    assert_eq!(kind_of(store.remove_instinct(&rule.id, at(9))), ErrorKind::NotFound);
    store.put_instincts(std::slice::from_ref(&rule)).unwrap();
    assert_eq!(store.evidence(&rule.id).unwrap(), [], "no evidence comes back from before");
}

/// The suite for [`mem_core::InjectionStore`].
///
/// # Panics
/// At the first breach.
pub fn injection_store_contract(make: MakeStore<'_>) {
    let store = make();
    let [one, two] = ["s1", "s2"].map(|id| SessionId::new(id).unwrap());
    let record = |item: &str, event: &str, second| InjectionRecord {
        item: item.into(),
        event: event.into(),
        fingerprint: format!("print of {item}"),
        at: at(second),
    };
    let [a, b, c] =
        [record("a", "SessionStart", 3), record("b", "UserPromptSubmit", 1), record("c", "SessionStart", 2)];
    store.record_injections(&one, &[a.clone(), b.clone()]).unwrap();
    store.record_injections(&two, std::slice::from_ref(&c)).unwrap();
    assert_eq!(store.injections(&one).unwrap(), [b.clone(), a.clone()], "oldest first, of one session");
    store.forget_injections(&one, Some("SessionStart")).unwrap();
    assert_eq!(store.injections(&one).unwrap(), [b]);
    store.forget_injections(&one, None).unwrap();
    assert_eq!(store.injections(&one).unwrap(), []);
    assert_eq!(store.injections(&two).unwrap(), [c], "another session forgets nothing");
    let asked = ["print of b", "never", "print of a", "print of c"];
    assert_eq!(store.was_injected(&asked).unwrap(), [true, false, true, true], "fingerprints stay known");
    assert_eq!(store.was_injected(&[]).unwrap(), [] as [bool; 0]);
    store.record_injections(&one, std::slice::from_ref(&a)).unwrap();
    assert_eq!(store.injections(&one).unwrap(), [a], "what was shown may be shown again");
}

/// The suite for named values and projects.
///
/// # Panics
/// At the first breach.
pub fn named_values_contract(make: MakeStore<'_>) {
    let store = make();
    assert_eq!(store.meta("cursor").unwrap(), None);
    store.set_meta(&[("cursor", Some("1")), ("键", Some(""))]).unwrap();
    store.set_meta(&[("cursor", Some("2")), ("键", None), ("never", None)]).unwrap();
    assert_eq!(store.meta("cursor").unwrap().as_deref(), Some("2"));
    assert_eq!(store.meta("键").unwrap(), None);
    assert_eq!(store.revision().unwrap(), Revision::ZERO, "a named value is no change of a memory");

    let mut homes = Vec::new();
    for (id, home) in [("1", "q"), ("2", "p"), ("3", "q")] {
        let mut memory = fact(id, id, 1).in_project(project(home));
        memory.id = MemoryId::new(id).unwrap();
        homes.push(memory);
    }
    store.put(&homes).unwrap();
    assert_eq!(store.projects().unwrap(), [project("p"), project("q")]);
}
