//! What a fresh process pays: `cold_open PATH fill` makes a store of 2,000 memories with vectors of 256 numbers,
//! `cold_open PATH` opens it, gets one memory, searches, and prints how long each took in microseconds.
#![allow(clippy::print_stdout, reason = "an example talks to a person")]

use mem_core::{
    Centroids, Kind, Language, Memory, MemoryFilter, MemoryStore, ModelIdentity, ProjectId, Timestamp,
    VectorEntry, VectorIndex, VectorQuery, cosine,
};
use mem_store::{Options, SqliteStore};
use std::{error::Error, time::Instant};

const MEMORIES: u32 = 2000;
const DIMENSIONS: usize = 256;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("usage: cold_open PATH [fill]")?;
    let model = ModelIdentity {
        name: "random".into(),
        version: "1".into(),
        dimensions: DIMENSIONS,
        variant: String::new(),
    };
    let mut state = 7u32;
    let mut vector = || -> Vec<f32> {
        let mut next = || {
            // Linear congruential generator of Numerical Recipes.
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1u32 << 23) as f32 - 1.0
        };
        (0..DIMENSIONS).map(|_| next()).collect()
    };
    let query = vector();
    let project = ProjectId::new("git.example/one/app")?;
    let memories: Vec<Memory> = (0..MEMORIES)
        .map(|at| {
            let body = format!("Statement {at}: {}", "the port is assigned by the registry. ".repeat(8));
            let now = Timestamp::UNIX_EPOCH + jiff::SignedDuration::from_secs(at.into());
            Memory::new(Kind::Fact, body, now).in_project(project.clone())
        })
        .collect();
    if args.next().as_deref() == Some("fill") {
        let store = SqliteStore::open(&path, &Options::default())?;
        MemoryStore::put(&store, &memories)?;
        let entries: Vec<_> =
            memories.iter().map(|memory| VectorEntry::new(memory, vec![vector()])).collect();
        return Ok(VectorIndex::put(&store, &model, &entries)?);
    }

    let filter = MemoryFilter::within(project);
    let ids: Vec<_> = memories.iter().skip(1234).take(1).map(|memory| memory.id.clone()).collect();
    let start = Instant::now();
    let store = SqliteStore::open_read_only(&path, &Options::hook())?;
    let opened = start.elapsed();
    let got = store.get(&ids)?;
    let read = start.elapsed();
    let centroids = Centroids(vec![(Language::default(), query.iter().map(|x| x / 2.0).collect())]);
    let question = VectorQuery { model: &model, vector: &query, centroids: &centroids };
    let hits = store.search(&question, &filter, 20)?;
    let searched = start.elapsed();
    let again = store.search(&question, &filter, 20)?;
    let warm = start.elapsed();
    // The arithmetic alone, over vectors in memory.
    let plain: Vec<_> = (0..MEMORIES).map(|_| vector()).collect();
    let before = start.elapsed();
    let nearest = plain.iter().filter_map(|other| cosine(&query, other).ok()).fold(-1.0, f64::max);
    let scanned = start.elapsed();
    println!(
        "open {} get {} search {} again {} scan in memory {} ({} {} {} {nearest:.4})",
        opened.as_micros(),
        (read - opened).as_micros(),
        (searched - read).as_micros(),
        (warm - searched).as_micros(),
        (scanned - before).as_micros(),
        got.len(),
        hits.hits.len(),
        again == hits,
    );
    Ok(())
}
