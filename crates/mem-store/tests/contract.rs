//! The SQLite store against the conformance suites and the oracle.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use mem_core::{MemoryFilter, ProjectFilter};
use mem_store::{Options, SqliteStore, Synchronous};
use mem_testing::{
    InMemoryStore, arb_operation, assert_same_answers, generators::arb_filter, store_contract,
    vector_index_contract, vector_source_contract,
};
use proptest::{collection::vec, prelude::*};
use std::sync::Arc;
use tempfile::TempDir;

/// A store whose folder lives as long as the test.
fn fresh(dir: &TempDir, number: usize) -> SqliteStore {
    let options = Options { synchronous: Synchronous::Normal, ..Options::default() };
    SqliteStore::open(dir.path().join(format!("{number}.db")), &options).unwrap()
}

fn counter() -> impl Fn() -> usize {
    let next = std::cell::Cell::new(0);
    move || next.replace(next.get() + 1)
}

#[test]
fn keeps_the_contract_of_a_store() {
    let (dir, number) = (tempfile::tempdir().unwrap(), counter());
    store_contract(&|| Box::new(fresh(&dir, number())));
}

#[test]
fn keeps_the_contract_of_a_vector_index() {
    let (dir, number) = (tempfile::tempdir().unwrap(), counter());
    vector_index_contract(&|| {
        let store = Arc::new(fresh(&dir, number()));
        (store.clone(), store)
    });
}

#[test]
fn keeps_the_contract_of_a_vector_source() {
    let (dir, number) = (tempfile::tempdir().unwrap(), counter());
    vector_source_contract(&|| {
        let store = Arc::new(fresh(&dir, number()));
        (store.clone(), store)
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn answers_as_the_oracle_after_any_operations(
        operations in vec(arb_operation(), 1..40),
        mut filters in vec(arb_filter(), 3),
    ) {
        filters.push(MemoryFilter { projects: ProjectFilter::All, statuses: Vec::new(), ..MemoryFilter::default() });
        let dir = tempfile::tempdir().unwrap();
        let (store, oracle) = (fresh(&dir, 0), InMemoryStore::new());
        for operation in &operations {
            prop_assert_eq!(operation.run(&store), operation.run(&oracle), "{:?}", operation);
        }
        assert_same_answers(&store, &oracle, &filters);
        drop(store);
        assert_same_answers(&fresh(&dir, 0), &oracle, &filters);
        prop_assert!(fresh(&dir, 0).integrity().is_ok());
    }
}
