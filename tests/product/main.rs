//! Whole-product tests: the real binary `mem`, as an agent and as people use it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

mod concurrency;
mod contract;
mod crash;
mod damage;
mod hooks;
mod hostile_input;
mod identity;
mod learning;
mod mirror;
mod models;
mod recall;
mod replay;
mod samples;
mod secrets;
mod sessions;
mod wiring;
