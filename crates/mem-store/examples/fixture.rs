//! Writes the fixture of the present schema: `cargo run -p mem-store --example fixture -- PATH`.
//!
//! Run it once for a new schema, into `tests/fixtures/store-v<N>.db`, and never again: the file is proof that stores of
//! that schema can still be opened.

use mem_core::{
    Counts, Evidence, EvidenceKind, InjectionRecord, InjectionStore, Instinct, InstinctId, InstinctScope,
    InstinctStatus, InstinctStore, Kind, Memory, MemoryId, MemoryStore, ModelIdentity, ProjectId, SessionId,
    Store, Timestamp, Unit, VectorEntry, VectorIndex,
};
use mem_store::{Options, SqliteStore};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: fixture PATH")?;
    let now: Timestamp = "2026-11-30T12:00:00.123456789Z".parse()?;
    let project = ProjectId::new("git.example/one/app")?;
    let session = SessionId::new("session-1")?;
    let store = SqliteStore::open(&path, &Options::default())?;
    let memory = |id: &str, kind, body: &str| -> Result<Memory, mem_core::Error> {
        Ok(Memory { id: MemoryId::new(id)?, ..Memory::new(kind, body, now) })
    };

    let mut port = memory("port", Kind::Decision, "The port is 8081")?;
    port.why = Some("8080 clashed with the proxy".into());
    port.extra.insert("owner".into(), "somebody".into());
    let home = Memory {
        id: MemoryId::new("tests")?,
        ..memory("tests", Kind::Fact, "测试用 cargo nextest 运行")?.in_project(project)
    };
    let old = memory("port-old", Kind::Decision, "The port is 8080")?;
    let gone = memory("gone", Kind::Fact, "This was removed")?;
    MemoryStore::put(&store, &[old.clone(), home, gone.clone()])?;
    store.supersede(&old.id, &port, now)?;
    store.remove(&gone.id, false, now)?;

    let model =
        ModelIdentity { name: "fixture".into(), version: "1".into(), dimensions: 2, variant: String::new() };
    let vectors = [("port", [1.0, 0.0]), ("tests", [0.6, 0.8])];
    for (id, vector) in vectors {
        let memory = store.get(&[MemoryId::new(id)?])?.into_iter().flatten().next().ok_or("put before")?;
        VectorIndex::put(&store, &model, &[VectorEntry::new(&memory, vec![vector.to_vec()])])?;
    }

    let rule = Instinct {
        id: InstinctId::new("read-before-edit")?,
        trigger: "before editing a file".into(),
        action: "read it".into(),
        domain: "workflow".into(),
        source: "session-observation".into(),
        confidence: Unit::saturating(0.7),
        status: InstinctStatus::Active,
        scope: InstinctScope::Global,
        project: None,
        counts: Counts::default(),
        sessions: 1,
        created: now,
        observed_at: now,
        injected_since: None,
        evidence: Vec::new(),
        extra: mem_core::JsonObject::new(),
    };
    store.put_instincts(std::slice::from_ref(&rule))?;
    let counts = Counts { hits: 3, opportunities: 4, base_hits: 5, base_total: 9 };
    let seen = Evidence {
        session: Some(session.clone()),
        project: None,
        at: now,
        kind: EvidenceKind::Session { counts, injected: false },
        note: "three of four".into(),
    };
    store.add_evidence(&rule.id, &[seen])?;
    let shown = InjectionRecord {
        item: "port".into(),
        event: "SessionStart".into(),
        fingerprint: mem_store::fingerprint("The port is 8081"),
        at: now,
    };
    store.record_injections(&session, &[shown])?;
    store.set_meta(&[("cursor", Some("42"))])?;
    store.checkpoint()?;
    Ok(())
}
