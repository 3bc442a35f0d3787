//! A graph laid over the rows of a table.

use crate::{
    ResidentConfig,
    graph::{Graph, Nodes, Space},
    scan::{Question, Seeming, coded, nearest},
    table::{Pass, Table},
};
use mem_core::{Centroids, MemoryId};
use std::collections::{HashMap, HashSet};

/// A graph, and which rows its nodes are.
#[derive(Debug)]
pub(crate) struct Laid {
    graph: Graph,
    /// By node.
    rows: Vec<u32>,
    /// Rows from before [`Laid::seen`] that are no nodes.
    beside: Vec<u32>,
    /// Rows from here on are no nodes.
    seen: usize,
    /// What the codes were centred with when it was built.
    centroids: Centroids,
}

/// What a graph is built of, apart from the table, so that the table is free meanwhile.
pub(crate) struct Plan {
    rows: Vec<u32>,
    codes: Vec<i8>,
    units: Vec<f32>,
    stride: usize,
    seen: usize,
    centroids: Centroids,
}

impl Plan {
    /// Of all rows that are there.
    pub(crate) fn new(table: &Table) -> Self {
        let rows: Vec<u32> =
            (0..table.len()).filter(|row| !table.is_gone(*row)).map(|row| row as u32).collect();
        let codes = rows.iter().flat_map(|row| table.code(*row as usize)).copied().collect();
        let units = rows.iter().filter_map(|row| table.code_unit.get(*row as usize)).copied().collect();
        let centroids = table.centroids.clone();
        Self { rows, codes, units, stride: table.stride, seen: table.len(), centroids }
    }

    pub(crate) fn build(self, config: &ResidentConfig) -> Laid {
        let nodes: Vec<u32> = (0..self.rows.len() as u32).collect();
        let space = Space { codes: &self.codes, units: &self.units, stride: self.stride, rows: &nodes };
        let graph = Graph::build(&space, &config.graph);
        Laid { graph, rows: self.rows, beside: Vec::new(), seen: self.seen, centroids: self.centroids }
    }
}

impl Laid {
    /// Lays a graph from a file over a table. Nodes whose vectors are gone come into the table as rows that are gone.
    /// None when it is of another model, or more has changed than is worth it.
    pub(crate) fn over(
        table: &mut Table,
        graph: Graph,
        nodes: Nodes,
        model: &str,
        config: &ResidentConfig,
    ) -> Option<Self> {
        if nodes.model != model || nodes.stride != table.stride || graph.len() != nodes.names.len() {
            return None;
        }
        let mut known: HashMap<(&MemoryId, u32, u64), u32> = HashMap::with_capacity(table.len());
        for row in (0..table.len()).filter(|row| !table.is_gone(*row)) {
            if let Some(name) = table.name(row) {
                known.insert(name, row as u32);
            }
        }
        let live = known.len();
        let mut rows: Vec<u32> = nodes
            .names
            .iter()
            .map(|name| {
                let row = name.as_ref().and_then(|(id, chunk, print)| known.remove(&(id, *chunk, *print)));
                row.unwrap_or(u32::MAX)
            })
            .collect();
        let held = live - known.len();
        let mut laid =
            Self { graph, rows: Vec::new(), beside: Vec::new(), seen: 0, centroids: nodes.centroids };
        if laid.is_worn(laid.graph.len() - held, live - held, table, config) {
            return None;
        }
        let nodes_codes = nodes.codes.chunks_exact(table.stride).zip(&nodes.units);
        for (row, (code, unit)) in rows.iter_mut().zip(nodes_codes).filter(|(row, _)| **row == u32::MAX) {
            *row = table.push_gone(code, *unit);
        }
        laid.seen = table.len();
        let of_graph: HashSet<u32> = rows.iter().copied().collect();
        laid.beside = (0..laid.seen)
            .filter(|row| !table.is_gone(*row))
            .map(|row| row as u32)
            .filter(|row| !of_graph.contains(row))
            .collect();
        laid.rows = rows;
        Some(laid)
    }

    /// How many nodes.
    pub(crate) fn len(&self) -> usize {
        self.graph.len()
    }

    /// What it takes, in bytes, near enough.
    pub(crate) fn bytes(&self) -> usize {
        self.graph.bytes() + (self.rows.capacity() + self.beside.capacity()) * 4
    }

    /// Whether it should be built anew.
    pub(crate) fn is_stale(&self, table: &Table, config: &ResidentConfig) -> bool {
        let gone = self.rows.iter().filter(|row| table.is_gone(**row as usize)).count();
        let new = self.others(table).filter(|row| !table.is_gone(*row as usize)).count();
        self.is_worn(gone, new, table, config)
    }

    fn is_worn(&self, gone: usize, new: usize, table: &Table, config: &ResidentConfig) -> bool {
        let nodes = self.graph.len() as f64;
        gone as f64 > config.graph.gone_share * nodes
            || new as f64 > config.graph.new_share * nodes
            || table.drift(&self.centroids, &table.centroids) > config.graph.drift
    }

    /// Rows that are no nodes.
    fn others<'a>(&'a self, table: &Table) -> impl Iterator<Item = u32> + 'a {
        self.beside.iter().copied().chain(self.seen as u32..table.len() as u32)
    }

    /// The rows that seem nearest; none when too few pass the filter for walking to pay.
    pub(crate) fn search(
        &self,
        table: &Table,
        question: &Question,
        pass: &Pass<'_>,
        wanted: usize,
        config: &ResidentConfig,
    ) -> Option<Vec<Seeming>> {
        let live = table.len() - table.gone();
        if (pass.most as f64) < config.graph.least_share * live as f64 {
            return None;
        }
        let space =
            Space { codes: &table.codes, units: &table.code_unit, stride: table.stride, rows: &self.rows };
        let admits = |node: u32| self.rows.get(node as usize).is_some_and(|row| pass.row(*row as usize));
        let ef = config.graph.ef_search.max(wanted);
        let found = self.graph.search(&space, (&question.code, question.code_unit), ef, &admits);
        let mut all: Vec<Seeming> = found
            .into_iter()
            .filter_map(|near| Some(Seeming { score: near.score, row: *self.rows.get(near.node as usize)? }))
            .collect();
        let others = self.others(table).filter(|row| pass.row(*row as usize));
        all.extend(coded(table, question, others, wanted));
        Some(nearest(all, wanted))
    }

    /// The file's content.
    pub(crate) fn to_bytes(&self, table: &Table, model: &str) -> Result<Vec<u8>, serde_json::Error> {
        let (mut names, mut codes, mut units) = (Vec::new(), Vec::new(), Vec::new());
        for row in &self.rows {
            let row = *row as usize;
            // Gone ones have no name; others still lead over them.
            names.push(table.name(row).map(|(id, chunk, print)| (id.clone(), chunk, print)));
            codes.extend(table.code(row));
            units.push(table.code_unit.get(row).copied().unwrap_or_default());
        }
        let nodes = Nodes {
            model: model.to_owned(),
            centroids: self.centroids.clone(),
            stride: table.stride,
            names,
            codes,
            units,
        };
        crate::graph::write(&self.graph, &nodes)
    }
}
