//! Criterion benches of what stands in the way of a user: capturing, tokenising, embedding, recalling.
//! Measures our own code only; nothing here is compared with others.

#![expect(clippy::unwrap_used, reason = "a bench that fails stops")]

use criterion::{Criterion, criterion_group, criterion_main};
use mem_core::{Kind, Memory, Query, TextRole, Timestamp};
use mem_engine::{Config, Engine, Layout, Observer};
use std::hint::black_box;

fn capture(c: &mut Criterion) {
    let home = tempfile::tempdir().unwrap();
    let observer = Observer::new(&Layout::new(home.path()), &Config::default());
    let payload = serde_json::json!({
        "session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Bash", "cwd": "/work/harbor",
        "tool_input": { "command": "cargo test -p harbor" },
        "tool_response": { "stdout": "test berths::assigns_by_length ... ok\n".repeat(45), "stderr": "" },
    });
    let bytes = payload.to_string().into_bytes();
    let now = Timestamp::UNIX_EPOCH;
    c.bench_function("capture/parse, redact and bound 2 kB", |b| {
        b.iter(|| {
            let payload = mem_engine::lenient_json::parse(black_box(&bytes)).unwrap().into_object().unwrap();
            observer.observe(&payload, now, None)
        });
    });
    let payload = payload.as_object().unwrap().clone();
    c.bench_function("capture/record 2 kB in the journal", |b| {
        b.iter(|| observer.record(&payload, now, None).unwrap())
    });
}

fn recall(c: &mut Criterion) {
    let home = tempfile::tempdir().unwrap();
    let engine = Engine::builder(home.path()).open().unwrap();
    let now = Timestamp::UNIX_EPOCH;
    let memories: Vec<Memory> = (0..2_000)
        .map(|n| {
            Memory::new(
                Kind::Fact,
                format!("Berth {n} is served by src/berth_{n}.rs; 潮汐表在 {n} 号泊位"),
                now,
            )
        })
        .collect();
    engine.store().put(&memories).unwrap();
    engine.catch_up().unwrap();
    let query = Query::new("which file serves berth 1234", now);
    c.bench_function("recall/hybrid, 2,000 memories, warm", |b| {
        b.iter(|| engine.recall(black_box(&query)).unwrap())
    });
    let text = "Wait for the user's confirmation before commit and push; 改完代码不主动提交，等用户验证确认";
    c.bench_function("embed/20 words", |b| {
        let embedder = engine.embedder().unwrap();
        b.iter(|| embedder.embed(&[black_box(text)], TextRole::Query).unwrap())
    });
}

criterion_group!(benches, capture, recall);
criterion_main!(benches);
