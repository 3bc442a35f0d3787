//! Vectors in memory against the conformance suite, over both stores and in every way of searching.

use mem_ann::{GraphConfig, ResidentConfig, ResidentVectors};
use mem_store::{Options, SqliteStore};
use mem_testing::{InMemoryStore, vector_index_contract};
use std::sync::Arc;

/// Goes by codes, or by bits, wherever more than nothing passes a filter.
fn configs() -> [ResidentConfig; 3] {
    let least = ResidentConfig { exact: 0, sample: 1000, ..ResidentConfig::default() };
    let graph = GraphConfig { from: 1, ..GraphConfig::default() };
    [
        ResidentConfig::default(),
        ResidentConfig { codes: 0, candidates: 1, per_hit: 1, ..least.clone() },
        ResidentConfig { graph, ..least },
    ]
}

#[test]
fn keeps_the_contract_over_plain_maps() {
    for config in configs() {
        vector_index_contract(&|| {
            let store = Arc::new(InMemoryStore::new());
            (store.clone(), Arc::new(ResidentVectors::new(store, config.clone())))
        });
    }
}

#[test]
fn keeps_the_contract_over_sqlite() {
    let dir = tempfile::tempdir().expect("a folder");
    let number = std::cell::Cell::new(0);
    for config in configs() {
        vector_index_contract(&|| {
            number.set(number.get() + 1);
            let path = dir.path().join(format!("{}.db", number.get()));
            let store = Arc::new(SqliteStore::open(path, &Options::default()).expect("a store"));
            (store.clone(), Arc::new(ResidentVectors::new(store, config.clone())))
        });
    }
}

#[cfg(feature = "hnsw")]
mod graph {
    use super::*;
    use mem_ann::Tended;
    use mem_core::{
        Embedding, Language, MemoryFilter, MemoryId, ModelIdentity, Result, VectorEntry, VectorHits,
        VectorIndex, VectorQuery,
    };

    /// Builds the graph before each answer.
    struct Tending(ResidentVectors);

    impl VectorIndex for Tending {
        fn put(&self, model: &ModelIdentity, entries: &[VectorEntry]) -> Result<()> {
            self.0.put(model, entries)
        }
        fn search(&self, query: &VectorQuery<'_>, filter: &MemoryFilter, k: usize) -> Result<VectorHits> {
            self.0.search(query, filter, k)?;
            let tended = self.0.tend()?;
            let stats = self.0.stats();
            assert!(stats.nodes == stats.vectors || tended == Tended::Nothing, "{stats:?}");
            self.0.search(query, filter, k)
        }
        fn centroids(&self, model: &ModelIdentity) -> Result<Vec<(Language, u64, Embedding)>> {
            self.0.centroids(model)
        }
        fn measure(&self, model: &ModelIdentity) -> Result<()> {
            self.0.measure(model)
        }
        fn missing(&self, model: &ModelIdentity, limit: usize) -> Result<Vec<MemoryId>> {
            self.0.missing(model, limit)
        }
        fn len(&self, model: &ModelIdentity) -> Result<u64> {
            self.0.len(model)
        }
        fn retain(&self, models: &[&ModelIdentity]) -> Result<u64> {
            self.0.retain(models)
        }
    }

    #[test]
    fn keeps_the_contract_by_the_graph() {
        let [.., config] = configs();
        for least_share in [0.0, 0.6] {
            let graph = GraphConfig { least_share, ..config.graph.clone() };
            let config = ResidentConfig { graph, ..config.clone() };
            vector_index_contract(&|| {
                let store = Arc::new(InMemoryStore::new());
                (store.clone(), Arc::new(Tending(ResidentVectors::new(store, config.clone()))))
            });
        }
    }
}
