//! Finding the nearest rows: coarse first, then exactly.

use crate::{ResidentConfig, codes, table::Pass, table::Slot, table::Table};
use mem_core::{Language, MemoryFilter, Spread, VectorHit, VectorHits, VectorQuery};
use std::cmp::Ordering;

/// A question in every form that rows are compared with.
pub(crate) struct Question {
    /// Of unit length, padded; zeros for a question without content.
    vector: Vec<f32>,
    pub(crate) code: Vec<i8>,
    pub(crate) code_unit: f32,
    bits: Vec<u64>,
    /// By the number of a language.
    away: Vec<Away>,
}

/// What is taken from a stored vector of one language.
struct Away {
    centroid: Vec<f32>,
    /// Inner product of the question and the centroid.
    share: f64,
    /// Square of the centroid's length.
    square: f64,
}

impl Question {
    pub(crate) fn new(table: &Table, query: &VectorQuery<'_>) -> Self {
        let norm = query.vector.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
        let mut vector: Vec<f32> = query
            .vector
            .iter()
            .map(|x| if norm > 0.0 { (f64::from(*x) / norm) as f32 } else { 0.0 })
            .collect();
        vector.resize(table.stride, 0.0);
        let mut code = vec![0; table.stride];
        let code_unit = codes::write_code(&vector, &mut code);
        let mut bits = vec![0; table.words()];
        codes::write_bits(&code, &mut bits);
        let away = |language: &Language| {
            let mut centroid = query.centroids.of(language).map(<[f32]>::to_vec).unwrap_or_default();
            centroid.resize(table.stride, 0.0);
            let product = |other: &[f32]| {
                centroid.iter().zip(other).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>()
            };
            let (share, square) = (product(&vector), product(&centroid));
            Away { centroid, share, square }
        };
        let away = table.languages.iter().map(away).collect();
        Self { vector, code, code_unit, bits, away }
    }

    fn is_zero(&self) -> bool {
        self.code_unit == 0.0
    }

    /// Cosines of the nearest chunks of a memory.
    ///
    /// A stored vector d is centred without being rebuilt: with the question q and the centroid c,
    /// `cos(q, d - c) = (<q,d> - <q,c>) / |d - c|`.
    fn nearest(&self, table: &Table, slot: &Slot) -> Nearest {
        let mut nearest = Nearest::default();
        let Some(away) = self.away.get(slot.language as usize) else { return nearest };
        for row in slot.rows() {
            let (raw, unit) = table.raw(row);
            let unit = f64::from(unit);
            let (with_question, with_centroid) = codes::dots(raw, &self.vector, &away.centroid);
            let square = table.square(row);
            let rest = square - 2.0 * with_centroid * unit + away.square;
            // Below this only rounding is left of it. A vector of zeros is not centred.
            let cosine = if square > 0.0 && rest > 1e-8 {
                ((with_question * unit - away.share) / rest.sqrt()).clamp(-1.0, 1.0)
            } else {
                0.0
            };
            nearest.add(cosine);
        }
        nearest
    }
}

/// So many chunks of a memory count for its mean.
const NEAREST: usize = 3;

/// The nearest chunks of one memory, falling.
#[derive(Default)]
struct Nearest {
    cosines: [f64; NEAREST],
    count: usize,
}

impl Nearest {
    fn add(&mut self, cosine: f64) {
        let mut moved = cosine;
        for place in self.cosines.iter_mut().take(self.count) {
            if moved > *place {
                std::mem::swap(place, &mut moved);
            }
        }
        if let Some(place) = self.cosines.get_mut(self.count) {
            *place = moved;
            self.count += 1;
        }
    }

    fn best(&self) -> f64 {
        self.cosines[0]
    }

    fn mean(&self) -> f64 {
        self.cosines.iter().take(self.count).sum::<f64>() / self.count.max(1) as f64
    }
}

/// A row and how near it seems.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Seeming {
    pub(crate) score: f32,
    pub(crate) row: u32,
}

impl Seeming {
    fn order(a: &Self, b: &Self) -> Ordering {
        b.score.total_cmp(&a.score).then(a.row.cmp(&b.row))
    }
}

/// Where rows are looked for when not all of them are compared exactly: the question, the filter, how many rows. None
/// when all had better be gone through.
pub(crate) type Walk<'a> = &'a dyn Fn(&Question, &Pass<'_>, usize) -> Option<Vec<Seeming>>;

/// The answer of [`mem_core::VectorIndex::search`].
pub(crate) fn search(
    table: &Table,
    walk: Option<Walk<'_>>,
    query: &VectorQuery<'_>,
    filter: &MemoryFilter,
    k: usize,
    config: &ResidentConfig,
) -> VectorHits {
    let pass = table.pass(filter);
    let question = Question::new(table, query);
    if pass.most <= config.exact.max(k.saturating_mul(4)) || question.is_zero() {
        return whole(table, &question, &pass, k);
    }
    let mut wanted = k.saturating_add((k / 4).max(config.rescored));
    let slots = loop {
        let walked = walk.and_then(|walk| walk(&question, &pass, wanted));
        let rows = walked.unwrap_or_else(|| flat(table, &question, &pass, wanted, config));
        let mut slots: Vec<u32> =
            rows.iter().filter_map(|near| table.owner.get(near.row as usize).copied()).collect();
        slots.sort_unstable();
        slots.dedup();
        // A memory of many chunks may take many places.
        if slots.len() >= k || rows.len() < wanted || wanted >= pass.most {
            break slots;
        }
        wanted = wanted.saturating_mul(4);
    };
    let slots = slots.iter().filter_map(|slot| table.slots.get(*slot as usize));
    let found = slots.map(|slot| (slot, question.nearest(table, slot))).collect();
    let hits = ranked(found, k);
    let sample = table.order.iter().filter_map(|(_, slot)| table.slots.get(*slot as usize));
    let sample = sample.filter(|slot| pass.slot(slot)).take(config.sample);
    let spread = Spread::of(sample.map(|slot| question.nearest(table, slot).best()), 0);
    VectorHits { hits, spread }
}

/// Compares every memory that passes.
fn whole(table: &Table, question: &Question, pass: &Pass<'_>, k: usize) -> VectorHits {
    let mut found = Vec::new();
    if pass.most > 0 {
        let mut last = None;
        for row in pass.rows() {
            let owner = table.owner.get(row as usize).copied();
            if owner != last
                && let Some(slot) = owner.and_then(|owner| table.slots.get(owner as usize))
            {
                found.push((slot, question.nearest(table, slot)));
            }
            last = owner;
        }
    }
    // In the order of ids, so that the sum is the same in every process.
    found.sort_unstable_by(|(a, _), (b, _)| a.id.cmp(&b.id));
    let spread = Spread::of(found.iter().map(|(_, nearest)| nearest.best()), 0);
    VectorHits { hits: ranked(found, k), spread }
}

fn ranked(mut found: Vec<(&Slot, Nearest)>, k: usize) -> Vec<VectorHit> {
    found.sort_unstable_by(|(a, x), (b, y)| y.best().total_cmp(&x.best()).then_with(|| a.id.cmp(&b.id)));
    found.truncate(k);
    let hit = |(slot, near): (&Slot, Nearest)| VectorHit {
        id: slot.id.clone(),
        cosine: near.best(),
        mean: near.mean(),
    };
    found.into_iter().map(hit).collect()
}

/// The rows that seem nearest, of all that pass.
fn flat(
    table: &Table,
    question: &Question,
    pass: &Pass<'_>,
    wanted: usize,
    config: &ResidentConfig,
) -> Vec<Seeming> {
    if pass.most <= config.codes {
        return coded(table, question, pass.rows(), wanted);
    }
    let near = by_bits(table, question, pass, wanted.saturating_mul(config.per_hit).max(config.candidates));
    coded(table, question, near.into_iter(), wanted)
}

/// Of these rows those that seem nearest by their codes.
pub(crate) fn coded(
    table: &Table,
    question: &Question,
    rows: impl Iterator<Item = u32>,
    wanted: usize,
) -> Vec<Seeming> {
    let score = |row: u32| {
        let unit = table.code_unit.get(row as usize).copied().unwrap_or_default();
        let product = codes::dot(&question.code, table.code(row as usize));
        Seeming { score: product as f32 * (unit * question.code_unit), row }
    };
    nearest(rows.map(score).collect(), wanted)
}

pub(crate) fn nearest(mut all: Vec<Seeming>, wanted: usize) -> Vec<Seeming> {
    if wanted < all.len() {
        all.select_nth_unstable_by(wanted, Seeming::order);
        all.truncate(wanted);
    }
    all
}

/// At least `wanted` of the rows that differ from the question in the fewest bits, or all that pass.
fn by_bits(table: &Table, question: &Question, pass: &Pass<'_>, wanted: usize) -> Vec<u32> {
    let mut differences = Vec::with_capacity(table.len());
    codes::differences(&question.bits, &table.bits, &mut differences);
    let mut counts = vec![0usize; table.stride + 1];
    for (row, bits) in differences.iter_mut().enumerate() {
        if pass.row(row) {
            if let Some(count) = counts.get_mut(usize::from(*bits)) {
                *count += 1;
            }
        } else {
            *bits = u16::MAX;
        }
    }
    let mut sum = 0;
    let enough = counts.iter().position(|count| {
        sum += count;
        sum >= wanted
    });
    let limit = enough.unwrap_or(table.stride).min(usize::from(u16::MAX - 1)) as u16;
    let mut near = Vec::with_capacity(sum);
    near.extend((0u32..).zip(&differences).filter(|(_, bits)| **bits <= limit).map(|(row, _)| row));
    near
}
