//! The engine as a library: what the command's own tests do not reach.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use mem_engine::{
    Engine, FixedClock, Kind, LinkKind, MemoryFilter, Moment, NewMemory, Outcome, ProjectId, Query,
    SessionId, Situation, Status, Timestamp,
};
use std::path::Path;

fn now() -> Timestamp {
    "2026-11-30T12:00:00Z".parse().unwrap()
}

fn project() -> ProjectId {
    "github.com/acme/harbor".parse().unwrap()
}

fn engine(home: &Path) -> Engine {
    Engine::builder(home).clock(FixedClock::new(now())).open().unwrap()
}

/// A transcript in Claude Code's shape: prompts, each answered.
fn transcript(prompts: &[&str]) -> String {
    let mut lines = String::new();
    for (at, prompt) in prompts.iter().enumerate() {
        let common = |kind: &str, part: usize| {
            serde_json::json!({
                "type": kind, "uuid": format!("00000000-0000-4000-8000-{at:06}{part:06}"), "sessionId": "s1",
                "cwd": "/work/harbor", "version": "2.1.240", "userType": "external", "isSidechain": false,
                "parentUuid": null, "timestamp": format!("2026-11-20T10:{at:02}:{part:02}.000Z"),
            })
        };
        let mut user = common("user", 1);
        user["message"] = serde_json::json!({ "role": "user", "content": prompt });
        let mut answer = common("assistant", 2);
        answer["message"] = serde_json::json!({
            "id": format!("msg_{at}"), "type": "message", "role": "assistant", "model": "m",
            "content": [{ "type": "text", "text": format!("Answer {at}.") }],
        });
        lines.push_str(&format!("{user}\n{answer}\n"));
    }
    lines
}

#[test]
fn a_prompt_said_twice_in_a_session_is_two_observations_and_replaying_again_adds_none() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("11111111-1111-4111-8111-111111111111.jsonl");
    std::fs::write(&file, transcript(&["please go on with it", "please go on with it", "continue"])).unwrap();
    let engine = engine(&home.path().join("mem"));
    let replay = || engine.replay(std::slice::from_ref(&file), &|_| Some(project()), &|_, _| {}).unwrap();
    let first = replay();
    assert_eq!(
        (first.sessions, first.observations, first.known),
        (1, 8, 0),
        "start, 3 prompts, 3 answers, end"
    );
    let again = replay();
    assert_eq!((again.observations, again.known), (0, 8));
}

#[test]
fn the_same_statement_is_refreshed_and_a_reason_given_later_is_kept() {
    let home = tempfile::tempdir().unwrap();
    let engine = engine(home.path());
    let new = NewMemory::new("Ports come from the registry").kind(Kind::Decision).project(project());
    let first = engine.remember(&new).unwrap();
    assert_eq!(first.outcome, Outcome::Created);
    let second = engine
        .remember(&NewMemory { text: "ports come  FROM the registry".into(), ..new }.why("two clashed"))
        .unwrap();
    assert_eq!((second.outcome, &second.id), (Outcome::Refreshed, &first.id));
    assert_eq!(engine.memory(first.id.as_str()).unwrap().why.as_deref(), Some("two clashed"));
    assert_eq!(engine.memories(&MemoryFilter::within(project()), 9).unwrap().len(), 1);
}

#[test]
fn what_a_person_says_again_holds_again_and_replaces_what_had_replaced_it() {
    let home = tempfile::tempdir().unwrap();
    let engine = engine(home.path());
    let say =
        |text: &str| engine.remember(&NewMemory::new(text).kind(Kind::Decision).project(project())).unwrap();
    let (a, b, c) = (say("The port is 8080").id, say("The port is 9090").id, say("The port is 7070").id);
    engine.supersede(a.as_str(), b.as_str()).unwrap();
    engine.supersede(b.as_str(), c.as_str()).unwrap();
    let back = say("The port is 8080");
    assert_eq!((back.outcome, back.id, back.other), (Outcome::Superseded, a.clone(), Some(c.clone())));
    let active = engine.memories(&MemoryFilter::within(project()), 9).unwrap();
    assert_eq!(active.iter().map(|memory| &memory.id).collect::<Vec<_>>(), [&a]);
    let replaced = engine.memory(c.as_str()).unwrap();
    assert_eq!(replaced.status, Status::Superseded);
    assert!(replaced.links.iter().any(|link| link.kind == LinkKind::SupersededBy && link.to == a));
    let recall = engine.recall(&Query::new("which port", now()).within(project())).unwrap();
    assert_eq!(recall.hits.iter().map(|hit| &hit.memory.id).collect::<Vec<_>>(), [&a]);
}

#[test]
fn nothing_is_shown_twice_in_a_session_until_its_context_is_emptied() {
    let home = tempfile::tempdir().unwrap();
    let engine = engine(home.path());
    engine.remember(&NewMemory::new("Berth lists are sorted by length").project(project())).unwrap();
    let session: SessionId = "s1".parse().unwrap();
    let project = project();
    let situation = Situation {
        session: Some(&session),
        project: Some(&project),
        text: "how are berth lists sorted?",
        ..Situation::default()
    };
    let show = || {
        let injection = engine.injection(Moment::Prompt, &situation).unwrap();
        engine.injected(Moment::Prompt, &situation, &injection).unwrap();
        injection.block.entries.len()
    };
    assert_eq!((show(), show()), (1, 0));
    engine.context_emptied(&session).unwrap();
    assert_eq!((show(), show()), (1, 0));
}

#[test]
fn the_store_can_be_somebody_elses() {
    let home = tempfile::tempdir().unwrap();
    let engine = Engine::builder(home.path())
        .clock(FixedClock::new(now()))
        .store(mem_testing::InMemoryStore::default())
        .open()
        .unwrap();
    let id = engine.remember(&NewMemory::new("Ports come from the registry").project(project())).unwrap().id;
    let recall = engine.recall(&Query::new("where do ports come from?", now()).within(project())).unwrap();
    assert_eq!(recall.hits.iter().map(|hit| &hit.memory.id).collect::<Vec<_>>(), [&id]);
    assert_eq!(recall.degraded, []);
    assert!(!engine.layout().database().exists());
    assert!(engine.integrity().is_err(), "there is no file to check");
}

#[cfg(feature = "hnsw")]
#[test]
fn vectors_in_memory_answer_as_the_store_does_and_see_what_is_new() {
    let (home, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let graph = mem_engine::GraphConfig { from: 3, ..Default::default() };
    let config = mem_engine::ResidentConfig { graph, ..Default::default() };
    let build = |home: &Path| Engine::builder(home).clock(FixedClock::new(now()));
    let resident = build(home.path()).resident_vectors(config).open().unwrap();
    let plain = build(other.path()).open().unwrap();
    assert!(plain.tend_vectors().is_err());
    let texts = [
        "berths are served by cranes",
        "the tide table is in tides.rs",
        "港口的潮汐表",
        "retries are queued",
    ];
    for (at, text) in texts.into_iter().enumerate() {
        for engine in [&resident, &plain] {
            engine.remember(&NewMemory::new(text)).unwrap();
        }
        for question in ["which tides?", "潮汐", "crane"] {
            let query = Query::new(question, now());
            let found = |engine: &Engine| -> Vec<_> {
                let recall = engine.recall(&query).unwrap();
                assert_eq!(recall.degraded, []);
                recall
                    .hits
                    .into_iter()
                    .map(|hit| (hit.memory.body, hit.channels.into_keys().collect::<Vec<_>>()))
                    .collect()
            };
            assert_eq!(found(&resident), found(&plain), "{question} after {text}");
        }
        assert_eq!(resident.tend_vectors().unwrap(), (at >= 2).then_some(at as u64 + 1));
    }
    assert!(resident.layout().vector_graph().join("vectors.graph").is_file());
}
