use super::*;
use crate::{GraphConfig, codes, testing};
use mem_core::{Centroids, MemoryId};

struct Rows {
    codes: Vec<i8>,
    units: Vec<f32>,
    rows: Vec<u32>,
    stride: usize,
}

impl Rows {
    fn new(seed: u64, count: usize) -> Self {
        let vectors = testing::clustered(seed, count, 32, 12);
        let stride = codes::padded(32);
        let mut codes = vec![0; count * stride];
        let places = codes.chunks_exact_mut(stride);
        let units = vectors.iter().zip(places).map(|(vector, row)| codes::write_code(vector, row)).collect();
        Self { codes, units, rows: (0..count as u32).collect(), stride }
    }

    fn space(&self) -> Space<'_> {
        Space { codes: &self.codes, units: &self.units, stride: self.stride, rows: &self.rows }
    }
}

fn exact(space: &Space<'_>, question: (&[i8], f32), k: usize, admits: impl Fn(u32) -> bool) -> Vec<Near> {
    let nodes = (0..space.rows.len() as u32).filter(|node| admits(*node));
    let mut all: Vec<_> = nodes.map(|node| space.near(question, node)).collect();
    all.sort_by(|a, b| b.cmp(a));
    all.truncate(k);
    all
}

#[test]
fn finds_what_a_scan_finds() {
    let (rows, questions) = (Rows::new(1, 3000), Rows::new(2, 50));
    let space = rows.space();
    let graph = Graph::build(&space, &GraphConfig::default());
    assert_eq!(graph.len(), 3000);
    for (admits, least) in
        [((|_| true) as fn(u32) -> bool, 0.98), (|node| node % 3 == 0, 0.98), (|node| node % 17 == 5, 0.95)]
    {
        let (mut right, mut all) = (0, 0);
        for question in 0..50 {
            let question = questions.space().code(question);
            let found = graph.search(&space, question, 64, &admits);
            assert!(found.iter().all(|near| admits(near.node)));
            assert!(found.windows(2).all(|pair| pair[0] > pair[1]));
            let wanted = exact(&space, question, 10, admits);
            right += wanted.iter().filter(|near| found.contains(near)).count();
            all += wanted.len();
        }
        assert!(right as f64 >= least * all as f64, "{right} of {all}");
    }
}

#[test]
fn is_the_same_every_time_and_on_any_number_of_threads() {
    let rows = Rows::new(3, 800);
    let build = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Graph::build(&rows.space(), &GraphConfig::default()))
    };
    assert_eq!(build(1), build(3));
}

#[test]
fn small_and_equal_rows_are_no_trouble() {
    for count in [0, 1, 2, 5] {
        let rows = Rows::new(4, count);
        let graph = Graph::build(&rows.space(), &GraphConfig::default());
        let question = Rows::new(5, 1);
        let found = graph.search(&rows.space(), question.space().code(0), 10, &|_| true);
        assert_eq!(found.len(), count);
    }
    let mut rows = Rows::new(6, 1);
    rows.rows = vec![0; 300];
    let graph = Graph::build(&rows.space(), &GraphConfig::default());
    let found = graph.search(&rows.space(), rows.space().code(0), 10, &|_| true);
    assert!(found.iter().all(|near| (near.score - 1.0).abs() < 1e-6) && !found.is_empty());
}

fn saved() -> (Graph, Nodes) {
    let rows = Rows::new(7, 300);
    let graph = Graph::build(&rows.space(), &GraphConfig::default());
    let name = |at: u32| {
        (!at.is_multiple_of(7))
            .then(|| (MemoryId::new(format!("m{at}")).unwrap(), at % 3, u64::from(at) << 40))
    };
    let nodes = Nodes {
        model: "m@1/32".into(),
        centroids: Centroids(vec![(mem_core::Language::new("en"), vec![0.25; 32])]),
        stride: rows.stride,
        names: (0..300).map(name).collect(),
        codes: rows.codes,
        units: rows.units,
    };
    (graph, nodes)
}

#[test]
fn a_file_gives_back_what_was_written() {
    let (graph, nodes) = saved();
    assert_eq!(read(&write(&graph, &nodes).unwrap()), Some((graph, nodes)));
}

#[test]
fn any_damage_is_noticed() {
    let (graph, nodes) = saved();
    let whole = write(&graph, &nodes).unwrap();
    for at in (0..whole.len()).step_by(211) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        assert_eq!(read(&bytes), None, "byte {at}");
        assert_eq!(read(&whole[..at]), None, "cut to {at}");
    }
    assert_eq!(read(&[]), None);
    // Numbers that are wrong though the sum is right, as another program might write them.
    for at in 8..400 {
        let mut bytes = whole[..whole.len() - 8].to_vec();
        bytes[at] = 0xFF;
        bytes.extend(file::digest(&bytes).to_le_bytes());
        let _ = read(&bytes);
    }
}
