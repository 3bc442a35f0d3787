//! What every [`VectorSource`] must do.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a conformance suite fails by panicking")]

use crate::models;
use mem_core::{
    Error, Facts, Generation, Kind, Language, Memory, MemoryId, MemoryStore, ModelIdentity, ProjectId, Scope,
    Status, Timestamp, VectorChange, VectorEntry, VectorRow, VectorSource,
};
use std::sync::Arc;

/// A store of memories, and the source of its vectors.
pub type StoreAndSource = (Arc<dyn MemoryStore>, Arc<dyn VectorSource>);

/// The suite for [`VectorSource`], beside that for [`mem_core::VectorIndex`]. `make` answers an empty store and an empty
/// source over it.
///
/// # Panics
/// At the first breach.
pub fn vector_source_contract(make: &dyn Fn() -> StoreAndSource) {
    let fresh = || {
        let (store, source) = make();
        let memories: Vec<_> = ["a", "b", "c"].into_iter().map(memory).collect();
        store.put(&memories).unwrap();
        (store, source)
    };
    hands_over_what_is_there(&fresh());
    hands_over_what_changed(&fresh());
    what_was_dropped_begins_anew(&fresh());
    a_failure_ends_the_reading(&fresh());
}

fn now() -> Timestamp {
    Timestamp::from_second(1_793_491_200).unwrap()
}

fn memory(name: &str) -> Memory {
    let id = MemoryId::new(name).unwrap();
    Memory { id, ..Memory::new(Kind::Fact, format!("the text of {name}"), now()) }
}

fn entry(name: &str, chunks: &[[f32; 4]]) -> VectorEntry {
    VectorEntry::new(&memory(name), chunks.iter().map(|chunk| chunk.to_vec()).collect())
}

fn model() -> ModelIdentity {
    let [model, _] = models();
    model
}

/// `+` and `-` before the ids, by id, behind `all` when reading began anew; and the generation reached.
fn follow(source: &dyn VectorSource, since: Generation) -> (String, Generation) {
    let (mut anew, mut seen) = (false, Vec::new());
    let mut take = |change| {
        seen.push(match change {
            VectorChange::Present(row) => {
                let firsts: Vec<_> = row.vectors.iter().map(|vector| vector[0].to_string()).collect();
                format!("{}+{}", row.id, firsts.join(";"))
            }
            VectorChange::Absent(id) => format!("{id}-"),
        });
        Ok(())
    };
    let reached = source.vectors_since(&model(), since, &mut |all| anew = all, &mut take).unwrap();
    assert_eq!(reached, source.generation().unwrap());
    seen.sort();
    seen.splice(0..0, anew.then(|| "all".to_owned()));
    (seen.join(" "), reached)
}

fn hands_over_what_is_there((store, source): &StoreAndSource) {
    let source = source.as_ref();
    assert_eq!(follow(source, Generation::ZERO).0, "all");
    let project = ProjectId::new("p").unwrap();
    let id = MemoryId::new("b").unwrap();
    let changed = Memory {
        id: id.clone(),
        kind: Kind::Todo,
        status: Status::Archived,
        ..memory("b").in_project(project.clone())
    };
    store.put(&[changed]).unwrap();
    let chunks = [[1.0, 0.0, 0.0, 0.0], [0.0, 0.5, 0.25, 0.0]];
    let spoken = VectorEntry { language: Language::new("zh"), ..entry("b", &chunks) };
    source.put(&model(), &[spoken]).unwrap();
    let mut rows = Vec::new();
    let mut take = |change| {
        rows.push(change);
        Ok(())
    };
    source.vectors_since(&model(), Generation::ZERO, &mut |_| {}, &mut take).unwrap();
    let facts = Facts {
        project: Some(project),
        kind: Kind::Todo,
        status: Status::Archived,
        scope: Scope::Project,
        created: now(),
    };
    let vectors = chunks.iter().map(|chunk| chunk.to_vec()).collect();
    let row = VectorRow { id, facts, language: Language::new("zh"), vectors };
    assert_eq!(rows, [VectorChange::Present(row)]);
}

fn hands_over_what_changed((store, source): &StoreAndSource) {
    let source = source.as_ref();
    let [_, other] = models();
    let entries = [entry("a", &[[1.0; 4], [2.0; 4]]), entry("b", &[[3.0; 4]])];
    source.put(&model(), &entries).unwrap();
    let (seen, first) = follow(source, Generation::ZERO);
    assert_eq!(seen, "all a+1;2 b+3");
    assert_eq!(follow(source, first), (String::new(), first), "nothing is new");

    source.put(&model(), &[entry("c", &[[4.0; 4]])]).unwrap();
    let (seen, second) = follow(source, first);
    assert_eq!(seen, "c+4");
    assert!(second.vectors > first.vectors && second.memories == first.memories);
    source.put(&model(), &[entry("a", &[[5.0; 4]])]).unwrap();
    let (seen, third) = follow(source, second);
    assert_eq!(seen, "a+5", "a put replaces");

    let archived = Memory { status: Status::Archived, ..memory("b") };
    let edited = Memory { body: "another text".into(), ..memory("a") };
    store.put(&[archived, edited]).unwrap();
    store.remove(&MemoryId::new("c").unwrap(), false, now()).unwrap();
    let (seen, fourth) = follow(source, third);
    assert_eq!(seen, "a- b+3 c-", "stale vectors do not count");
    store.put(&[memory("a")]).unwrap();
    assert_eq!(follow(source, fourth).0, "a+5", "the former text has its vector again");
    assert_eq!(follow(source, second).0, "a+5 b+3 c-", "from any generation");
    assert_eq!(follow(source, Generation::ZERO).0, "all a+5 b+3");

    let now = source.generation().unwrap();
    source.put(&other, &[VectorEntry::new(&memory("a"), vec![vec![1.0, 0.0, 0.0]])]).unwrap();
    let seen = follow(source, now).0;
    assert!(["", "a+5"].contains(&seen.as_str()), "another model's vectors are not seen: {seen}");
}

fn what_was_dropped_begins_anew((_, source): &StoreAndSource) {
    let source = source.as_ref();
    let [_, other] = models();
    source.put(&model(), &[entry("a", &[[1.0; 4]])]).unwrap();
    let (_, first) = follow(source, Generation::ZERO);
    assert_eq!(source.retain(&[&model()]).unwrap(), 0);
    assert_eq!(follow(source, first), (String::new(), first), "nothing was dropped");
    source.retain(&[&other]).unwrap();
    assert_ne!(source.generation().unwrap(), first);
    assert_eq!(follow(source, first).0, "all");
}

fn a_failure_ends_the_reading((_, source): &StoreAndSource) {
    source.put(&model(), &[entry("a", &[[1.0; 4]]), entry("b", &[[1.0; 4]])]).unwrap();
    let mut calls = 0;
    let mut take = |_| {
        calls += 1;
        Err(Error::invalid("nothing", "this"))
    };
    let answer = source.vectors_since(&model(), Generation::ZERO, &mut |_| {}, &mut take);
    assert!(answer.is_err());
    assert_eq!(calls, 1);
}
