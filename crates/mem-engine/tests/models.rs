//! The choice of a model, a change of it, and what is answered meanwhile.

#![allow(clippy::unwrap_used, reason = "tests")]

use mem_engine::{Config, Durability, Engine, Kind, Memory, MemoryId, Query, Timestamp};
use std::ops::ControlFlow;
use std::path::Path;

const COUNT: usize = 100;

fn now() -> Timestamp {
    "2026-11-30T12:00:00Z".parse().unwrap()
}

fn config(model: &str) -> Config {
    let mut config = Config::default();
    config.embedder.model = model.to_owned();
    config.embedder.at_once = 32;
    config
}

fn open(home: &Path, config: Config) -> Engine {
    Engine::builder(home).config(config).open().unwrap()
}

fn fill(engine: &Engine) {
    let memories: Vec<Memory> = (0..COUNT)
        .map(|at| {
            let mut memory =
                Memory::new(Kind::Fact, format!("Service number {at} listens on port {}", 9_000 + at), now());
            memory.id = MemoryId::new(format!("m{at:03}")).unwrap();
            memory
        })
        .collect();
    engine.store().put(&memories).unwrap();
    engine.catch_up().unwrap();
}

fn degraded(engine: &Engine) -> Vec<(String, String)> {
    let recall = engine.recall(&Query::new("which port has service number 42?", now())).unwrap();
    assert_eq!(recall.hits[0].memory.id.as_str(), "m042");
    recall.degraded.into_iter().map(|degraded| (degraded.part, degraded.reason)).collect()
}

#[test]
fn a_change_of_model_is_noticed_told_and_made_up_for() {
    let home = tempfile::tempdir().unwrap();
    let old = open(home.path(), config("hash"));
    fill(&old);
    assert_eq!(degraded(&old), []);
    let (hash, status) = (old.embedder().unwrap().identity().clone(), old.model_status().unwrap());
    assert_eq!((status.with_vectors, status.without_vectors), (COUNT as u64, 0));

    let new = open(home.path(), config("builtin"));
    assert!(new.vectors_pending());
    let status = new.model_status().unwrap();
    assert_ne!(status.key.as_deref(), Some(hash.key().as_str()));
    assert_eq!(
        (status.with_vectors, status.without_vectors),
        (0, COUNT as u64),
        "other vectors do not count"
    );
    // Each question makes up for a part.
    let told = degraded(&new);
    assert_eq!(told.len(), 1);
    assert!(
        told[0].0 == "vector" && told[0].1.starts_with("68 memories have no vectors of static-zh-en"),
        "{told:?}"
    );
    // A hook makes none, and says so too.
    let hook =
        Engine::builder(home.path()).config(config("builtin")).durability(Durability::Hook).open().unwrap();
    assert!(degraded(&hook)[0].1.starts_with("68 memories"));
    new.work(None).unwrap();
    assert_eq!(degraded(&new), []);
    assert!(!new.vectors_pending() && !hook.vectors_pending());
    assert_eq!(new.model_status().unwrap().without_vectors, 0);
    // What is no longer chosen went; going back begins anew.
    assert_eq!(open(home.path(), config("hash")).model_status().unwrap().with_vectors, 0);
}

#[test]
fn embedding_goes_on_where_it_was_stopped() {
    let home = tempfile::tempdir().unwrap();
    let old = open(home.path(), config("hash"));
    fill(&old);
    let first = open(home.path(), config("builtin"));
    let mut seen = Vec::new();
    first
        .embed_all(&mut |progress| {
            seen.push((progress.done, progress.all));
            if seen.len() == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .unwrap();
    assert_eq!(seen, [(32, 100), (64, 100)]);
    assert_eq!(old.model_status().unwrap().with_vectors, COUNT as u64, "the old ones stay until then");
    drop(first);
    let second = open(home.path(), config("builtin"));
    let mut seen = Vec::new();
    second
        .reindex_while(&mut |progress| {
            seen.push((progress.done, progress.all));
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(seen, [(32, 36), (36, 36)]);
    assert_eq!(old.model_status().unwrap().with_vectors, 0);
}

#[test]
fn without_a_model_words_alone_answer_and_nothing_is_amiss() {
    let home = tempfile::tempdir().unwrap();
    let engine = open(home.path(), config("none"));
    fill(&engine);
    assert!(engine.embedder().is_none() && !engine.vectors_pending());
    assert_eq!(degraded(&engine), []);
    let status = engine.status().unwrap();
    assert_eq!((status.model.as_str(), status.queue.unembedded, status.index.fresh), ("none", 0, true));
    assert!(engine.work(None).unwrap().failed.is_empty());
}

#[test]
fn a_model_that_cannot_be_used_is_told_and_the_built_in_one_answers() {
    let home = tempfile::tempdir().unwrap();
    let mut wanted = config("path");
    wanted.embedder.path = Some(home.path().join("no such model"));
    let engine = open(home.path(), wanted.clone());
    fill(&engine);
    let status = engine.model_status().unwrap();
    let problem = status.problem.unwrap();
    assert!(
        problem.contains(if cfg!(feature = "fastembed") { "no such model" } else { "fastembed" }),
        "{problem}"
    );
    assert!(status.key.unwrap().starts_with("static-zh-en"));
    let told = degraded(&engine);
    assert!(
        told[0].0 == "embedder" && told[0].1.ends_with("the built-in model answered instead"),
        "{told:?}"
    );
    // A hook asks the built-in one in any case, and has nothing to complain of.
    let hook = Engine::builder(home.path()).config(wanted).durability(Durability::Hook).open().unwrap();
    assert_eq!(degraded(&hook), []);
}

#[cfg(feature = "fastembed")]
mod onnx {
    use super::*;
    use std::path::PathBuf;

    fn wanted() -> Option<Config> {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let (model, runtime) = variable("MEM_TEST_ONNX_MODEL").zip(variable("MEM_TEST_ONNX_RUNTIME"))?;
        let mut config = config("path");
        config.embedder.path = Some(model);
        config.embedder.onnx.runtime = Some(runtime);
        Some(config)
    }

    #[test]
    fn a_transformer_is_measured_once_and_hooks_do_without_it() {
        let Some(wanted) = wanted() else { return };
        let home = tempfile::tempdir().unwrap();
        fill(&open(home.path(), config("builtin")));
        let engine = open(home.path(), wanted.clone());
        assert!(engine.is_uncalibrated());
        // Of 100 memories, 16 before the first answer; the rest by `work`.
        assert!(degraded(&engine)[0].1.starts_with("84 memories"));
        engine.work(None).unwrap();
        assert_eq!(degraded(&engine), []);
        assert_eq!(engine.take_notes(), Vec::<String>::new());
        let again = open(home.path(), wanted.clone());
        assert!(!again.is_uncalibrated());
        assert!(again.embedder().unwrap().calibration().fusion_weight > 0.5);
        let status = again.model_status().unwrap();
        assert_eq!((status.with_vectors, status.without_vectors), (COUNT as u64, 0));
        let hook = Engine::builder(home.path()).config(wanted).durability(Durability::Hook).open().unwrap();
        assert!(hook.embedder().unwrap().identity().name.starts_with("static"));
        assert_eq!(hook.model_status().unwrap().without_vectors, 0, "both models' vectors are kept");
        assert_eq!(degraded(&hook), []);
    }

    #[test]
    fn a_changed_memory_waits_for_work_but_is_found_by_words() {
        let Some(wanted) = wanted() else { return };
        let home = tempfile::tempdir().unwrap();
        let engine = open(home.path(), wanted);
        engine.remember(&mem_engine::NewMemory::new("The gateway of staging answers on port 8443")).unwrap();
        let status = engine.model_status().unwrap();
        assert_eq!((status.with_vectors, status.without_vectors), (0, 1), "remembering loads no model");
        let recall = engine.recall(&Query::new("网关端口", now())).unwrap();
        assert_eq!(recall.hits.len() + recall.dropped.len(), 1, "{recall:?}");
        assert_eq!(engine.model_status().unwrap().without_vectors, 0, "a question does");
    }
}
