//! Values for property tests: small pools, so that ids, texts and times meet; odd characters, so that nothing is
//! taken for granted.

use mem_core::{
    Anchor, Counts, Evidence, EvidenceKind, InjectionRecord, Instinct, InstinctFilter, InstinctId,
    InstinctScope, InstinctStatus, JsonObject, Kind, Language, Link, LinkKind, Memory, MemoryFilter,
    MemoryId, ProjectFilter, ProjectId, Provenance, ProvenanceKind, Scope, SessionId, Status, Timestamp,
    Unit,
};
use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::json;

/// A time within a few seconds of the first of November 2026, often the same one, to the nanosecond.
pub fn arb_time() -> impl Strategy<Value = Timestamp> {
    const START: i64 = 1_793_491_200;
    (0i64..8, prop_oneof![Just(0), 0i32..1_000_000_000])
        .prop_map(|(second, nano)| Timestamp::new(START + second, nano).unwrap_or(Timestamp::UNIX_EPOCH))
}

/// One of few texts in several spellings and scripts, or 12 to 40 characters of any kind.
pub fn arb_text() -> impl Strategy<Value = String> {
    let known = [
        "Use tabs",
        "use  TABS",
        "ｕｓｅ　ｔａｂｓ",
        "端口由注册中心分配",
        "cafe\u{301} closes",
        "it's \"quoted\"; -- DROP",
        "nul\0inside",
        "🦀 with family 👨‍👩‍👧",
    ];
    prop_oneof![
        3 => select(known.to_vec()).prop_map(str::to_owned),
        1 => vec(any::<char>(), 12..40).prop_map(String::from_iter),
    ]
}

/// One of a dozen ids, of which some begin with others.
pub fn arb_memory_id() -> impl Strategy<Value = MemoryId> {
    let ids = ["a", "ab", "abc", "abd", "b", "b_", "b%", "é", "éa", "改", "改a", "z"];
    select(ids.to_vec()).prop_filter_map("a valid id", |id| MemoryId::new(id).ok())
}

/// One of three projects.
pub fn arb_project() -> impl Strategy<Value = ProjectId> {
    let ids = ["git.example/one/app", "git.example/one/app2", "/home/改/notes"];
    select(ids.to_vec()).prop_filter_map("a valid id", |id| ProjectId::new(id).ok())
}

/// One of three sessions.
pub fn arb_session() -> impl Strategy<Value = SessionId> {
    select(["s1", "s2", "s3"].as_slice()).prop_filter_map("a valid id", |id| SessionId::new(id).ok())
}

/// Any number from 0 to 1, ends included.
pub fn arb_unit() -> impl Strategy<Value = Unit> {
    prop_oneof![Just(0.0), Just(1.0), Just(0.5), 0.0..1.0f64].prop_map(Unit::saturating)
}

/// Keys of other tools. Their fractions are binary, since JSON need not keep others to the last bit.
pub fn arb_extra() -> impl Strategy<Value = JsonObject> {
    let value = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(|value| json!(value)),
        any::<i64>().prop_map(|value| json!(value)),
        (-1000i32..1000).prop_map(|value| json!(f64::from(value) / 8.0)),
        arb_text().prop_map(|value| json!(value)),
        arb_text().prop_map(|value| json!({ "nested": [value, 1] })),
    ];
    vec((select(["zeta", "alpha", "改", "user-id"].as_slice()), value), 0..3)
        .prop_map(|pairs| pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

fn arb_link() -> impl Strategy<Value = Link> {
    (select(LinkKind::ALL), arb_memory_id()).prop_map(|(kind, to)| Link { kind, to })
}

fn arb_anchor() -> impl Strategy<Value = Anchor> {
    (
        select(["src/lib.rs", "文档/读我.md"].as_slice()),
        option::of(Just("ab12".to_owned())),
        option::of(arb_text()),
    )
        .prop_map(|(path, content_hash, commit)| Anchor { path: path.to_owned(), content_hash, commit })
}

fn arb_provenance() -> impl Strategy<Value = Provenance> {
    (select(ProvenanceKind::ALL), option::of(arb_session()), option::of(arb_text()))
        .prop_map(|(kind, session, reference)| Provenance { kind, session, ordinal: None, reference })
}

/// A memory that does not contradict itself, with every field in use now and then.
pub fn arb_memory() -> impl Strategy<Value = Memory> {
    let texts = (
        arb_text(),
        arb_text(),
        option::of(arb_text()),
        option::of(arb_text()),
        option::of(arb_text()),
        option::of(arb_text()),
        vec(arb_text(), 0..3),
    );
    let place = (
        select(Kind::ALL),
        select(Status::ALL),
        select(Scope::ALL),
        arb_project(),
        option::of(Just("src/lib.rs".to_owned())),
        select(["en", "zh", "und"].as_slice()),
        vec(arb_anchor(), 0..3),
    );
    let numbers = (
        arb_unit(),
        arb_unit(),
        -4.0..4.0f64,
        any::<bool>(),
        option::of(any::<u32>()),
        prop_oneof![0u32..3, Just(u32::MAX)],
    );
    let rest = (
        arb_time(),
        arb_time(),
        option::of(arb_time()),
        arb_provenance(),
        vec(arb_link(), 0..3),
        arb_extra(),
    );
    (arb_memory_id(), arb_text(), texts, place, numbers, rest).prop_map(
        |(id, body, texts, place, numbers, rest)| {
            let (name, description, why, how, trigger, state, tags) = texts;
            let (kind, status, scope, project, path, language, anchors) = place;
            let (confidence, importance, feedback, pinned, ttl_days, access_count) = numbers;
            let (created, updated, last_access, provenance, links, extra) = rest;
            let project = (scope != Scope::Global).then_some(project);
            let language = Language::new(language);
            Memory {
                id,
                kind,
                name,
                description,
                body,
                why,
                how,
                trigger,
                state,
                tags,
                scope,
                project,
                path,
                anchors,
                language,
                confidence,
                importance,
                provenance,
                created,
                updated,
                last_access,
                access_count,
                ttl_days,
                status,
                pinned,
                feedback,
                links,
                extra,
            }
        },
    )
}

/// Whose memories or instincts.
pub fn arb_project_filter() -> impl Strategy<Value = ProjectFilter> {
    prop_oneof![
        Just(ProjectFilter::Global),
        Just(ProjectFilter::All),
        arb_project().prop_map(ProjectFilter::Within)
    ]
}

/// Any filter, often one that lets something pass.
pub fn arb_filter() -> impl Strategy<Value = MemoryFilter> {
    let few_kinds = prop_oneof![2 => Just(Vec::new()), 1 => vec(select(Kind::ALL), 1..4)];
    let few_statuses = prop_oneof![1 => Just(Vec::new()), 1 => vec(select(Status::ALL), 1..4)];
    let scope = prop_oneof![2 => Just(None), 1 => select(Scope::ALL).prop_map(Some)];
    let at = prop_oneof![2 => Just(None), 1 => arb_time().prop_map(Some), 1 => Just(Some(Timestamp::MAX))];
    (arb_project_filter(), few_kinds, few_statuses, scope, at).prop_map(
        |(projects, kinds, statuses, scope, at)| MemoryFilter { projects, kinds, statuses, scope, at },
    )
}

/// One of a few instinct ids, of which some begin with others.
pub fn arb_instinct_id() -> impl Strategy<Value = InstinctId> {
    let ids = ["read-first", "read-first-2", "test-after", "t"];
    select(ids.to_vec()).prop_filter_map("a valid id", |id| InstinctId::new(id).ok())
}

fn arb_counts() -> impl Strategy<Value = Counts> {
    (any::<u64>(), any::<u64>(), 0u64..9, 0u64..9).prop_map(|(hits, opportunities, base_hits, base_total)| {
        Counts { hits, opportunities, base_hits, base_total }
    })
}

/// An instinct that does not contradict itself.
pub fn arb_instinct() -> impl Strategy<Value = Instinct> {
    let statuses = [InstinctStatus::Candidate, InstinctStatus::Active, InstinctStatus::Deprecated];
    let texts = (arb_text(), arb_text(), arb_text(), arb_text(), vec(arb_text(), 0..3));
    let rest = (arb_counts(), any::<u32>(), arb_time(), arb_time(), option::of(arb_time()), arb_extra());
    (arb_instinct_id(), texts, arb_unit(), select(statuses.to_vec()), option::of(arb_project()), rest)
        .prop_map(|(id, texts, confidence, status, project, rest)| {
            let (trigger, action, domain, source, evidence) = texts;
            let (counts, sessions, created, observed_at, injected_since, extra) = rest;
            let scope = if project.is_some() { InstinctScope::Project } else { InstinctScope::Global };
            Instinct {
                id,
                trigger,
                action,
                domain,
                source,
                confidence,
                status,
                scope,
                project,
                counts,
                sessions,
                created,
                observed_at,
                injected_since,
                evidence,
                extra,
            }
        })
}

/// Any filter of instincts.
pub fn arb_instinct_filter() -> impl Strategy<Value = InstinctFilter> {
    let statuses = [InstinctStatus::Candidate, InstinctStatus::Active, InstinctStatus::Deprecated];
    let scopes = [InstinctScope::Project, InstinctScope::Global];
    (arb_project_filter(), vec(select(statuses.to_vec()), 0..3), option::of(select(scopes.to_vec())))
        .prop_map(|(projects, statuses, scope)| InstinctFilter { projects, statuses, scope })
}

/// Evidence of any kind; what is not of a session has none.
pub fn arb_evidence() -> impl Strategy<Value = Evidence> {
    let of_session = (arb_session(), arb_counts(), any::<bool>())
        .prop_map(|(session, counts, injected)| (Some(session), EvidenceKind::Session { counts, injected }));
    let kind = prop_oneof![
        2 => of_session,
        1 => Just((None, EvidenceKind::Dormant)),
        1 => arb_unit().prop_map(|confidence| (None, EvidenceKind::Edited { confidence })),
        1 => arb_unit().prop_map(|confidence| (None, EvidenceKind::Imported { confidence })),
    ];
    (kind, option::of(arb_project()), arb_time(), prop_oneof![Just(String::new()), arb_text()])
        .prop_map(|((session, kind), project, at, note)| Evidence { session, project, at, kind, note })
}

/// An injection at one of two events.
pub fn arb_injection() -> impl Strategy<Value = InjectionRecord> {
    let events = ["SessionStart", "UserPromptSubmit"];
    (arb_memory_id(), select(events.to_vec()), select(["f1", "f2", "f3", "f4"].as_slice()), arb_time())
        .prop_map(|(item, event, fingerprint, at)| InjectionRecord {
            item: item.to_string(),
            event: event.to_owned(),
            fingerprint: fingerprint.to_owned(),
            at,
        })
}
