//! Searches in a process that stays, over synthetic memories whose vectors are hard to tell apart.

use anyhow::Context as _;
use clap::Args;
use mem_ann::{GraphConfig, ResidentConfig, ResidentVectors, Tended};
use mem_core::{
    Calibration, Centroids, Embedder, Embedding, Kind, Language, Memory, MemoryFilter, MemoryId, MemoryStore,
    ModelIdentity, Query, TextRole, Timestamp, VectorEntry, VectorIndex, VectorQuery,
};
use mem_index::{Budget, RecallConfig, Recaller, TantivyConfig, TantivyIndex, catch_up};
use mem_store::{Options, SqliteStore, Synchronous};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::Write as _;
use std::sync::Arc;
use std::time::Instant;

/// What to measure.
#[derive(Debug, Args)]
pub(crate) struct Scale {
    /// Numbers of memories
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [10_000, 100_000])]
    sizes: Vec<usize>,
    /// Questions of each size
    #[arg(long, default_value_t = 200)]
    queries: usize,
    /// Each question so many times; the fastest counts
    #[arg(long, default_value_t = 3)]
    repeats: usize,
    /// Links a node of the graph
    #[arg(long)]
    links: Option<usize>,
    /// Candidates of an insertion into the graph
    #[arg(long)]
    ef_construction: Option<usize>,
    /// Candidates of a search of the graph
    #[arg(long)]
    ef_search: Option<usize>,
    /// Vectors alone: no words, no hybrid recall
    #[arg(long)]
    vectors_only: bool,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

const DIMENSIONS: usize = 256;
/// Hits whose share of the right ones is told.
const TOP: usize = 10;

pub(crate) fn run(args: &Scale) -> anyhow::Result<()> {
    let mut sizes = Vec::new();
    for size in &args.sizes {
        sizes.push(measure(args, *size)?);
    }
    let mut out = std::io::stdout().lock();
    if args.json {
        serde_json::to_writer_pretty(&mut out, &json!({ "queries": args.queries, "sizes": sizes }))?;
        writeln!(out)?;
        return Ok(());
    }
    for size in &sizes {
        writeln!(
            out,
            "{} memories, sign bits alone: recall@{TOP} {:.3}",
            size["memories"], size["bits_recall"]
        )?;
        writeln!(out, "{:<28} {:>9} {:>9} {:>9} {:>9}", "", "p50 µs", "p95 µs", "recall10", "recall k")?;
        for row in size["searches"].as_array().into_iter().flatten() {
            let cell = |name: &str, digits| {
                row[name].as_f64().map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
            };
            writeln!(
                out,
                "{:<28} {:>9} {:>9} {:>9} {:>9}",
                row["name"].as_str().unwrap_or_default(),
                cell("p50_us", 0),
                cell("p95_us", 0),
                cell("recall10", 4),
                cell("recall_k", 4)
            )?;
        }
        writeln!(out, "{}", serde_json::to_string(&size["costs"])?)?;
    }
    Ok(())
}

/// What was made: memories with vectors, and questions with theirs.
struct World {
    folder: tempfile::TempDir,
    store: Arc<SqliteStore>,
    model: ModelIdentity,
    ids: Vec<MemoryId>,
    passages: Vec<Embedding>,
    questions: Vec<(String, Embedding)>,
    centroids: Centroids,
    now: Timestamp,
}

fn measure(args: &Scale, size: usize) -> anyhow::Result<Value> {
    let world = World::new(size, args.queries)?;
    let centred: Vec<f32> =
        world.passages.iter().flat_map(|vector| world.centroids.centred(vector, &language())).collect();
    let wide = RecallConfig::default().per_channel;
    let mut searches = Vec::new();

    let mut truth = Vec::new();
    let exact = time(args.repeats, &world.questions, |(_, question)| {
        let mut all: Vec<(f32, usize)> =
            centred.chunks_exact(DIMENSIONS).map(|row| product(question, row)).zip(0..).collect();
        let k = wide.min(all.len());
        if k < all.len() {
            all.select_nth_unstable_by(k, |a, b| b.0.total_cmp(&a.0));
        }
        all.truncate(k);
        all.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        Ok(all.into_iter().map(|(_, at)| at).collect::<Vec<_>>())
    })?;
    for found in &exact.answers {
        truth.push(found.iter().filter_map(|at| world.ids.get(*at).cloned()).collect::<Vec<_>>());
    }
    searches.push(exact.row("exact scan, f32", None));
    let bits_recall = bits_alone(&centred, &world.questions, &exact.answers);

    let few = world.questions.get(..10).unwrap_or(&world.questions);
    let filter = MemoryFilter::default();
    let ask = |index: &dyn VectorIndex, question: &Embedding, k| {
        let query = VectorQuery { model: &world.model, vector: question, centroids: &world.centroids };
        Ok(index.search(&query, &filter, k)?.hits.into_iter().map(|hit| hit.id).collect::<Vec<_>>())
    };
    let sqlite = time(1, few, |(_, question)| ask(world.store.as_ref(), question, TOP))?;
    searches.push(sqlite.row("exact scan, SQLite", Some(&truth)));

    let mut costs = serde_json::Map::new();
    let cold = Instant::now();
    let resident = ResidentVectors::new(world.store.clone(), ResidentConfig::default());
    if let Some((_, question)) = world.questions.first() {
        ask(&resident, question, TOP)?;
    }
    costs.insert("cold_open_ms".into(), json!(cold.elapsed().as_secs_f64() * 1e3));
    costs.insert("resident_mb".into(), json!(resident.stats().bytes as f64 / 1e6));
    for k in [TOP, wide] {
        let found = time(args.repeats, &world.questions, |(_, question)| ask(&resident, question, k))?;
        searches.push(found.row(&format!("resident, k {k}"), Some(&truth)));
    }

    let defaults = GraphConfig::default();
    let graph = GraphConfig {
        from: 1,
        links: args.links.unwrap_or(defaults.links),
        ef_construction: args.ef_construction.unwrap_or(defaults.ef_construction),
        ef_search: args.ef_search.unwrap_or(defaults.ef_search),
        ..defaults
    };
    let config = ResidentConfig { graph, ..ResidentConfig::default() };
    let folder = world.folder.path().join("graph");
    let walked = ResidentVectors::new(world.store.clone(), config.clone()).keep_in(&folder);
    if let Some((_, question)) = world.questions.first() {
        ask(&walked, question, TOP)?;
    }
    let (began, cpu) = (Instant::now(), cpu_seconds());
    if let Tended::Built { vectors } = walked.tend()? {
        let seconds = began.elapsed().as_secs_f64();
        costs.insert("graph_build_s".into(), json!(seconds));
        costs.insert("graph_vectors_per_s".into(), json!(vectors as f64 / seconds));
        if let (Some(before), Some(after)) = (cpu, cpu_seconds()) {
            costs.insert("graph_vectors_per_cpu_s".into(), json!(vectors as f64 / (after - before)));
        }
        costs.insert("graph_mb".into(), json!(walked.stats().bytes as f64 / 1e6));
        for k in [TOP, wide] {
            let found = time(args.repeats, &world.questions, |(_, question)| ask(&walked, question, k))?;
            searches.push(found.row(&format!("graph, k {k}"), Some(&truth)));
        }
        let cold = Instant::now();
        let again = ResidentVectors::new(world.store.clone(), config).keep_in(&folder);
        if let Some((_, question)) = world.questions.first() {
            ask(&again, question, TOP)?;
        }
        anyhow::ensure!(again.stats().nodes == vectors, "the graph was not taken from its folder");
        costs.insert("graph_cold_open_ms".into(), json!(cold.elapsed().as_secs_f64() * 1e3));
    }

    if !args.vectors_only {
        let began = Instant::now();
        let text = TantivyIndex::new(world.folder.path().join("text"), TantivyConfig::default());
        catch_up(world.store.as_ref(), &text, &Budget::default())?;
        costs.insert("words_index_s".into(), json!(began.elapsed().as_secs_f64()));
        let embedder = Given::new(&world);
        let words = time(args.repeats, &world.questions, |(question, _)| {
            Ok(Recaller::new(world.store.as_ref(), &text)
                .recall(&Query::new(question.clone(), world.now).limit(TOP))?
                .hits
                .len())
        })?;
        searches.push(words.row("recall, words alone", None));
        let hybrid = time(args.repeats, &world.questions, |(question, _)| {
            let recaller = Recaller::new(world.store.as_ref(), &text);
            let answer = recaller
                .vectors(Some(&resident), Some(&embedder))
                .recall(&Query::new(question.clone(), world.now).limit(TOP))?;
            anyhow::ensure!(answer.degraded.is_empty(), "{:?}", answer.degraded);
            Ok(answer.hits.len())
        })?;
        searches.push(hybrid.row("recall, words and resident", None));
    }
    Ok(json!({ "memories": size, "bits_recall": bits_recall, "searches": searches, "costs": costs }))
}

/// Times of one sort of search, with what each question got.
struct Timed<T> {
    us: Vec<f64>,
    answers: Vec<T>,
}

fn time<Q, T>(
    repeats: usize,
    questions: &[Q],
    mut ask: impl FnMut(&Q) -> anyhow::Result<T>,
) -> anyhow::Result<Timed<T>> {
    let mut timed = Timed { us: Vec::new(), answers: Vec::new() };
    if let Some(first) = questions.first() {
        ask(first)?;
    }
    for question in questions {
        let mut best = f64::INFINITY;
        let mut answer = None;
        for _ in 0..repeats.max(1) {
            let began = Instant::now();
            answer = Some(ask(question)?);
            best = best.min(began.elapsed().as_secs_f64() * 1e6);
        }
        timed.us.push(best);
        timed.answers.extend(answer);
    }
    Ok(timed)
}

impl<T> Timed<T> {
    fn quantile(&self, share: f64) -> f64 {
        let mut sorted = self.us.clone();
        sorted.sort_by(f64::total_cmp);
        let at = (share * sorted.len() as f64).ceil() as usize;
        sorted.get(at.saturating_sub(1)).copied().unwrap_or(f64::NAN)
    }
}

/// What can be held against the truth.
trait Found {
    fn ids(&self) -> &[MemoryId];
}

impl Found for Vec<MemoryId> {
    fn ids(&self) -> &[MemoryId] {
        self
    }
}

impl Found for Vec<usize> {
    fn ids(&self) -> &[MemoryId] {
        &[]
    }
}

impl Found for usize {
    fn ids(&self) -> &[MemoryId] {
        &[]
    }
}

impl<T: Found> Timed<T> {
    fn row(&self, name: &str, truth: Option<&[Vec<MemoryId>]>) -> Value {
        let recall = |k: usize| {
            let (mut right, mut all) = (0, 0);
            for (answer, truth) in self.answers.iter().zip(truth?) {
                let top = truth.get(..k).unwrap_or(truth);
                let found = answer.ids().get(..k).unwrap_or(answer.ids());
                right += top.iter().filter(|id| found.contains(id)).count();
                all += top.len();
            }
            Some(right as f64 / all.max(1) as f64)
        };
        let longest = self.answers.iter().map(|answer| answer.ids().len()).max().unwrap_or_default();
        json!({
            "name": name,
            "p50_us": self.quantile(0.5),
            "p95_us": self.quantile(0.95),
            "recall10": recall(TOP),
            "recall_k": recall(longest),
        })
    }
}

/// The share of the right ones among those that differ in the fewest signs.
fn bits_alone(centred: &[f32], questions: &[(String, Embedding)], truth: &[Vec<usize>]) -> f64 {
    let signs = |vector: &[f32]| {
        let mut words = [0u64; DIMENSIONS / 64];
        for (at, part) in vector.iter().enumerate() {
            if let Some(word) = words.get_mut(at / 64) {
                *word |= u64::from(*part > 0.0) << (at % 64);
            }
        }
        words
    };
    let rows: Vec<_> = centred.chunks_exact(DIMENSIONS).map(signs).collect();
    let (mut right, mut all) = (0, 0);
    for ((_, question), truth) in questions.iter().zip(truth) {
        let own = signs(question);
        let differs = |row: &[u64; DIMENSIONS / 64]| {
            row.iter().zip(&own).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>()
        };
        let mut near: Vec<(u32, usize)> = rows.iter().map(differs).zip(0..).collect();
        near.sort_unstable();
        near.truncate(TOP);
        let truth = truth.get(..TOP).unwrap_or(truth);
        right += truth.iter().filter(|at| near.iter().any(|(_, near)| near == *at)).count();
        all += truth.len();
    }
    right as f64 / all.max(1) as f64
}

fn product(a: &[f32], b: &[f32]) -> f32 {
    const WIDE: usize = 16;
    let mut sums = [0f32; WIDE];
    for (a, b) in a.as_chunks::<WIDE>().0.iter().zip(b.as_chunks::<WIDE>().0) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum()
}

/// Seconds this process computed, on all threads; none where the system does not tell.
fn cpu_seconds() -> Option<f64> {
    // Fields 14 and 15 of proc(5), in ticks of a hundredth of a second.
    let stat = fs_err::read_to_string("/proc/self/stat").ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
    let (user, system): (f64, f64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some((user + system) / 100.0)
}

fn language() -> Language {
    Language::new("en")
}

impl World {
    fn new(size: usize, questions: usize) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let options = Options { synchronous: Synchronous::Normal, ..Options::default() };
        let store = Arc::new(SqliteStore::open(folder.path().join("mem.db"), &options)?);
        let now: Timestamp = "2026-11-30T12:00:00Z".parse()?;
        let variant = String::new();
        let model = ModelIdentity {
            name: "synthetic".to_owned(),
            version: "1".to_owned(),
            dimensions: DIMENSIONS,
            variant,
        };
        let mut mixture = Mixture::new(size);
        let (mut ids, mut passages) = (Vec::with_capacity(size), Vec::with_capacity(size));
        let mut left = size;
        while left > 0 {
            let (mut memories, mut entries) = (Vec::new(), Vec::new());
            for _ in 0..left.min(5_000) {
                let (text, vector) = mixture.draw();
                let id = MemoryId::new(format!("m{:06}", ids.len()))?;
                let memory =
                    Memory { id: id.clone(), language: language(), ..Memory::new(Kind::Fact, text, now) };
                entries.push(VectorEntry::new(&memory, vec![vector.clone()]));
                memories.push(memory);
                ids.push(id);
                passages.push(vector);
            }
            left -= memories.len();
            MemoryStore::put(store.as_ref(), &memories)?;
            VectorIndex::put(store.as_ref(), &model, &entries)?;
        }
        store.measure(&model)?;
        let means = store.centroids(&model)?;
        let centroids = Centroids(means.into_iter().map(|(language, _, mean)| (language, mean)).collect());
        anyhow::ensure!(size == 0 || !centroids.0.is_empty(), "the store measured no centroid");
        let questions = (0..questions)
            .map(|_| {
                let (text, vector) = mixture.draw();
                let text: Vec<_> = text.split(' ').take(8).collect();
                (text.join(" "), centroids.centred(&vector, &language()))
            })
            .collect();
        Ok(Self { folder, store, model, ids, passages, questions, centroids, now })
    }
}

/// An embedder that knows the questions.
struct Given {
    model: ModelIdentity,
    calibration: Calibration,
    vectors: HashMap<String, Embedding>,
}

impl Given {
    fn new(world: &World) -> Self {
        let vectors = world.questions.iter().cloned().collect();
        let zero = vec![(language(), vec![0.0; DIMENSIONS])];
        // The questions are centred already; passages are by what the store measured.
        let queries = Centroids(zero);
        let calibration =
            Calibration { queries, passages: world.centroids.clone(), ..Calibration::default() };
        Self { model: world.model.clone(), calibration, vectors }
    }
}

impl Embedder for Given {
    fn identity(&self) -> &ModelIdentity {
        &self.model
    }

    fn embed(&self, texts: &[&str], _: TextRole) -> mem_core::Result<Vec<Embedding>> {
        let known = |text: &&str| self.vectors.get(*text).cloned();
        let all = texts.iter().map(known).collect::<Option<_>>().context("a question nobody asked");
        all.map_err(|error| mem_core::Error::invalid("a known question", error.to_string()))
    }

    fn calibration(&self) -> &Calibration {
        &self.calibration
    }
}

/// Topics with parts; every vector is one of a part's with much of its own. A mean and a falling spectrum are added, as
/// real models have.
struct Mixture {
    random: Random,
    spectrum: Vec<f32>,
    mean: Vec<f32>,
    parts: Vec<(usize, Vec<f32>)>,
}

const TOPICS: usize = 200;
/// Vectors a part, on average.
const PART: usize = 60;
/// How far parts lie from their topic, and vectors from their part; topics lie 1 from the mean.
const SPREADS: [f32; 2] = [0.7, 1.6];

impl Mixture {
    fn new(size: usize) -> Self {
        let mut random = Random(7);
        let spectrum: Vec<f32> = (0..DIMENSIONS).map(|at| 1.0 / (1.0 + at as f32 / 64.0)).collect();
        let mut draw = |scale: f32| -> Vec<f32> {
            spectrum.iter().map(|weight| random.normal() * weight * scale).collect()
        };
        let mean = draw(0.7);
        let topics: Vec<_> = (0..TOPICS).map(|_| draw(1.0)).collect();
        let parts = (0..(size / PART).max(TOPICS)).map(|at| {
            let topic = topics.iter().cycle().nth(at % TOPICS).cloned().unwrap_or_default();
            (at % TOPICS, topic.iter().zip(draw(SPREADS[0])).map(|(a, b)| a + b).collect())
        });
        let parts = parts.collect();
        Self { random, spectrum, mean, parts }
    }

    fn draw(&mut self) -> (String, Embedding) {
        let at = self.random.below(self.parts.len());
        let (topic, part) = self.parts.get(at).cloned().unwrap_or_default();
        let mut vector: Vec<f32> = Vec::with_capacity(DIMENSIONS);
        for ((part, mean), weight) in part.iter().zip(&self.mean).zip(&self.spectrum) {
            vector.push(part + mean + self.random.normal() * weight * SPREADS[1]);
        }
        let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        vector.iter_mut().for_each(|x| *x /= norm);
        (self.text(topic, at), vector)
    }

    /// Twenty words: some of the topic, some of the part, some of everywhere, the frequent ones more often.
    fn text(&mut self, topic: usize, part: usize) -> String {
        let words: Vec<String> = (0..20)
            .map(|at| match at % 4 {
                0 => word(1_000_000 + topic * 40 + self.random.below(40)),
                1 => word(2_000_000 + part * 10 + self.random.below(10)),
                _ => {
                    // Zipf's law, near enough: uniform in the logarithm of the rank.
                    let rank = (20_000f64).powf(self.random.below(1 << 20) as f64 / (1 << 20) as f64);
                    word(rank as usize)
                }
            })
            .collect();
        words.join(" ")
    }
}

/// A word that can be spoken, by its number.
fn word(mut number: usize) -> String {
    const SYLLABLES: [&str; 20] = [
        "ka", "lo", "mi", "ren", "tus", "be", "dor", "fi", "gan", "hul", "jo", "ne", "pir", "qua", "sel",
        "to", "ul", "ves", "wom", "zi",
    ];
    let mut word = String::new();
    loop {
        word.push_str(SYLLABLES.get(number % SYLLABLES.len()).unwrap_or(&"a"));
        number /= SYLLABLES.len();
        if number == 0 {
            return word;
        }
    }
}

/// SplitMix64 (Steele, Lea and Flood, 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ (x >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    /// Nearly normal: the sum of six uniform numbers.
    fn normal(&mut self) -> f32 {
        let sum: f32 = (0..6).map(|_| (self.next() >> 40) as f32 / (1u64 << 24) as f32).sum();
        (sum - 3.0) * std::f32::consts::SQRT_2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_alone_do_not_tell_the_vectors_apart() {
        let mut mixture = Mixture::new(2_000);
        let rows: Vec<f32> = (0..2_000).flat_map(|_| mixture.draw().1).collect();
        let questions: Vec<_> = (0..20).map(|_| mixture.draw()).collect();
        let nearest = |(_, question): &(String, Embedding)| {
            let mut all: Vec<(f32, usize)> =
                rows.chunks_exact(DIMENSIONS).map(|row| product(question, row)).zip(0..).collect();
            all.sort_by(|a, b| b.0.total_cmp(&a.0));
            all.into_iter().take(TOP).map(|(_, at)| at).collect()
        };
        let truth: Vec<Vec<usize>> = questions.iter().map(nearest).collect();
        let recall = bits_alone(&rows, &questions, &truth);
        assert!((0.1..0.7).contains(&recall), "{recall}");
    }

    #[test]
    fn words_differ_by_their_numbers() {
        let all: std::collections::HashSet<_> = (0..50_000).map(word).collect();
        assert_eq!(all.len(), 50_000);
    }
}
