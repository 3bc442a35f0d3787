//! Conformance suites, strict fakes and generators for the traits of mem.

mod embedder_contract;
pub mod generators;
mod in_memory;
mod operations;
mod store_contract;
mod text_index_contract;
mod vector_contract;
mod vector_source_contract;

pub use embedder_contract::embedder_contract;
pub use in_memory::InMemoryStore;
pub use operations::{Operation, StoreWithVectors, arb_operation, arb_vector, assert_same_answers, models};
pub use store_contract::{
    MakeStore, injection_store_contract, instinct_store_contract, memory_store_contract,
    named_values_contract, store_contract,
};
pub use text_index_contract::text_index_contract;
pub use vector_contract::{StoreAndIndex, vector_index_contract};
pub use vector_source_contract::{StoreAndSource, vector_source_contract};
