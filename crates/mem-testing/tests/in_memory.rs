//! The oracle keeps the contracts it judges others by.

use mem_core::{ErrorKind, Kind, Memory, MemoryStore, Timestamp};
use mem_testing::{InMemoryStore, store_contract, vector_index_contract, vector_source_contract};
use std::sync::Arc;

#[test]
fn keeps_the_contract_of_a_store() {
    store_contract(&|| Box::new(InMemoryStore::new()));
}

#[test]
fn keeps_the_contract_of_a_vector_index() {
    vector_index_contract(&|| {
        let store = Arc::new(InMemoryStore::new());
        (store.clone(), store)
    });
}

#[test]
fn keeps_the_contract_of_a_vector_source() {
    vector_source_contract(&|| {
        let store = Arc::new(InMemoryStore::new());
        (store.clone(), store)
    });
}

#[test]
fn refuses_an_id_that_comes_twice() {
    let memory = Memory::new(Kind::Fact, "once", Timestamp::UNIX_EPOCH);
    let twice = [memory.clone(), memory];
    assert_eq!(InMemoryStore::new().put(&twice).unwrap_err().kind(), ErrorKind::Invalid);
}
