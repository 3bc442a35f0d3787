//! The vectors of one model in memory, with what filters ask about them.

use crate::codes::{self, LANES};
use mem_core::{
    Centroids, Embedding, Error, Facts, Language, MemoryFilter, MemoryId, Result, Timestamp, VectorChange,
    VectorRow,
};
use std::collections::HashMap;

/// The class of rows that are gone: it passes no filter.
const GONE: u32 = 0;

/// A memory that has vectors, or had some.
#[derive(Debug, Clone)]
pub(crate) struct Slot {
    pub(crate) id: MemoryId,
    created: Timestamp,
    class: u32,
    pub(crate) language: u32,
    /// Its rows follow one another.
    first: u32,
    pub(crate) count: u32,
}

impl Slot {
    /// The numbers of its rows.
    pub(crate) fn rows(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

/// Rows of vectors. A row is never written again, so that what points to rows stays right until [`Table::compacted`].
#[derive(Debug, Clone)]
pub(crate) struct Table {
    dimensions: usize,
    pub(crate) stride: usize,
    /// What the codes are centred with.
    pub(crate) centroids: Centroids,
    pub(crate) slots: Vec<Slot>,
    by_id: HashMap<MemoryId, u32>,
    /// By a digest of the id: a random order that is the same in every process.
    pub(crate) order: Vec<(u64, u32)>,
    ordered: bool,
    pub(crate) languages: Vec<Language>,
    /// What filters ask, but for the time; the first stands for [`GONE`].
    classes: Vec<Facts>,
    class_rows: Vec<usize>,
    // By row.
    pub(crate) owner: Vec<u32>,
    class: Vec<u32>,
    raw: Vec<i16>,
    /// What a number of `raw` stands for.
    raw_unit: Vec<f32>,
    /// Squares of the lengths of the vectors as stored.
    square: Vec<f32>,
    pub(crate) codes: Vec<i8>,
    /// One over the length of the code.
    pub(crate) code_unit: Vec<f32>,
    pub(crate) bits: Vec<u64>,
}

impl Table {
    pub(crate) fn new(dimensions: usize, centroids: Centroids) -> Self {
        let gone = Facts {
            project: None,
            kind: mem_core::Kind::Fact,
            status: mem_core::Status::Archived,
            scope: mem_core::Scope::Global,
            created: Timestamp::UNIX_EPOCH,
        };
        Self {
            dimensions,
            stride: codes::padded(dimensions.max(1)),
            centroids,
            slots: Vec::new(),
            by_id: HashMap::new(),
            order: Vec::new(),
            ordered: true,
            languages: Vec::new(),
            classes: vec![gone],
            class_rows: vec![0],
            owner: Vec::new(),
            class: Vec::new(),
            raw: Vec::new(),
            raw_unit: Vec::new(),
            square: Vec::new(),
            codes: Vec::new(),
            code_unit: Vec::new(),
            bits: Vec::new(),
        }
    }

    /// How many rows, gone ones too.
    pub(crate) fn len(&self) -> usize {
        self.owner.len()
    }

    /// What it takes, in bytes, near enough.
    pub(crate) fn bytes(&self) -> usize {
        let rows = self.raw.capacity() * 2 + self.codes.capacity() + self.bits.capacity() * 8;
        let numbers = self.owner.capacity() + self.class.capacity() + 2 * self.raw_unit.capacity();
        let ids: usize = self.slots.iter().map(|slot| slot.id.as_str().len()).sum();
        let slots = self.slots.capacity() * size_of::<Slot>() + self.order.capacity() * 16;
        rows + (numbers + self.code_unit.capacity()) * 4 + slots + 2 * ids + self.by_id.capacity() * 40
    }

    /// How many rows are gone.
    pub(crate) fn gone(&self) -> usize {
        self.len() - self.class_rows.iter().sum::<usize>()
    }

    #[cfg(feature = "hnsw")]
    pub(crate) fn is_gone(&self, row: usize) -> bool {
        self.class.get(row).is_none_or(|class| *class == GONE)
    }

    /// Words of bits a row.
    pub(crate) fn words(&self) -> usize {
        self.stride / LANES
    }

    pub(crate) fn code(&self, row: usize) -> &[i8] {
        self.codes.get(row * self.stride..(row + 1) * self.stride).unwrap_or_default()
    }

    /// The square of the length of a row's vector as it was stored.
    pub(crate) fn square(&self, row: usize) -> f64 {
        self.square.get(row).copied().unwrap_or_default().into()
    }

    /// The numbers of a row as they were stored, and what one stands for.
    pub(crate) fn raw(&self, row: usize) -> (&[i16], f32) {
        let raw = self.raw.get(row * self.stride..(row + 1) * self.stride);
        (raw.unwrap_or_default(), self.raw_unit.get(row).copied().unwrap_or_default())
    }

    /// Takes a step of the source.
    pub(crate) fn apply(&mut self, change: VectorChange) -> Result<()> {
        match change {
            VectorChange::Absent(id) => {
                if let Some(slot) = self.by_id.get(&id).copied() {
                    self.remove(slot as usize);
                }
            }
            VectorChange::Present(row) => self.put(row)?,
        }
        Ok(())
    }

    /// Restores the order of [`Table::order`] after changes.
    pub(crate) fn settle(&mut self) {
        if !self.ordered {
            self.order.sort_unstable();
            self.ordered = true;
        }
    }

    fn remove(&mut self, slot: usize) {
        let Some(slot) = self.slots.get_mut(slot) else { return };
        let rows = slot.rows();
        slot.count = 0;
        self.reclass(rows, GONE);
    }

    fn reclass(&mut self, rows: std::ops::Range<usize>, class: u32) {
        for own in self.class.get_mut(rows).unwrap_or_default() {
            if *own != GONE
                && let Some(count) = self.class_rows.get_mut(*own as usize)
            {
                *count -= 1;
            }
            *own = class;
            if class != GONE
                && let Some(count) = self.class_rows.get_mut(class as usize)
            {
                *count += 1;
            }
        }
    }

    fn put(&mut self, row: VectorRow) -> Result<()> {
        let VectorRow { id, facts, language, vectors } = row;
        if let Some(vector) = vectors.iter().find(|vector| vector.len() != self.dimensions) {
            return Err(Error::DimensionMismatch { expected: self.dimensions, got: vector.len() });
        }
        let class = self.class_of(&facts);
        let language = position(&mut self.languages, language);
        let number = match self.by_id.get(&id) {
            Some(number) => *number,
            None => {
                let number = self.slots.len() as u32;
                self.order.push((digest(id.as_str().bytes().map(u64::from)), number));
                self.ordered = false;
                self.by_id.insert(id.clone(), number);
                let first = self.len() as u32;
                self.slots.push(Slot { id, created: facts.created, class, language, first, count: 0 });
                number
            }
        };
        let mut raw = Vec::with_capacity(vectors.len() * self.stride);
        let units: Vec<f32> =
            vectors.iter().map(|vector| codes::push_raw(vector, self.stride, &mut raw)).collect();
        let end = self.len();
        let Some(slot) = self.slots.get_mut(number as usize) else { return Ok(()) };
        (slot.created, slot.class) = (facts.created, class);
        let old = slot.rows();
        let same = slot.language == language
            && self.raw_unit.get(old.clone()) == Some(units.as_slice())
            && self.raw.get(old.start * self.stride..old.end * self.stride) == Some(raw.as_slice());
        slot.language = language;
        if same {
            self.reclass(old, class);
            return Ok(());
        }
        (slot.first, slot.count) = (end as u32, units.len() as u32);
        self.reclass(old, GONE);
        self.owner.extend(units.iter().map(|_| number));
        self.class.extend(units.iter().map(|_| GONE));
        self.reclass(end..end + units.len(), class);
        let squares = raw.chunks_exact(self.stride).zip(&units).map(|(raw, unit)| {
            let sum: i64 = raw.iter().map(|part| i64::from(*part) * i64::from(*part)).sum();
            (sum as f64 * f64::from(*unit).powi(2)) as f32
        });
        self.square.extend(squares);
        self.raw.extend(raw);
        self.raw_unit.extend(units);
        for vector in &vectors {
            self.push_code(vector, language);
        }
        Ok(())
    }

    fn push_code(&mut self, vector: &[f32], language: u32) {
        let centred = match self.languages.get(language as usize) {
            Some(language) => self.centroids.centred(vector, language),
            None => vector.to_vec(),
        };
        let (from, words) = (self.codes.len(), self.words());
        self.codes.resize(from + self.stride, 0);
        let row = self.codes.get_mut(from..).unwrap_or_default();
        self.code_unit.push(codes::write_code(&centred, row));
        self.bits.resize(self.bits.len() + words, 0);
        let at = self.bits.len() - words;
        codes::write_bits(row, self.bits.get_mut(at..).unwrap_or_default());
    }

    fn class_of(&mut self, facts: &Facts) -> u32 {
        let timeless = Facts { created: Timestamp::UNIX_EPOCH, ..facts.clone() };
        if let Some(found) = self.classes.iter().skip(1).position(|class| *class == timeless) {
            return found as u32 + 1;
        }
        self.classes.push(timeless);
        self.class_rows.push(0);
        self.classes.len() as u32 - 1
    }

    /// Makes all codes anew, centred with other centroids.
    pub(crate) fn recode(&mut self, centroids: Centroids) {
        self.centroids = centroids;
        let (codes, units) = (std::mem::take(&mut self.codes), std::mem::take(&mut self.code_unit));
        self.bits.clear();
        let old = codes.chunks_exact(self.stride).zip(units);
        for (row, (code, unit)) in old.enumerate() {
            if self.owner.get(row) == Some(&u32::MAX) {
                // Only its code is known.
                self.codes.extend(code);
                self.code_unit.push(unit);
                self.bits.resize(self.bits.len() + self.words(), 0);
                continue;
            }
            let (raw, unit) = self.raw(row);
            let vector: Embedding =
                raw.iter().take(self.dimensions).map(|part| f32::from(*part) * unit).collect();
            let slot = self.owner.get(row).and_then(|owner| self.slots.get(*owner as usize));
            let language = slot.map_or(u32::MAX, |slot| slot.language);
            self.push_code(&vector, language);
        }
    }

    /// How far the centroids that codes were made with are from others: the most that one of a language here has moved.
    pub(crate) fn drift(&self, from: &Centroids, to: &Centroids) -> f64 {
        if from == to {
            return 0.0;
        }
        let moved = |language: &Language| {
            let zeros = vec![0.0; self.dimensions];
            let (a, b) = (from.of(language).unwrap_or(&zeros), to.of(language).unwrap_or(&zeros));
            a.iter().zip(b).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>().sqrt()
        };
        self.languages.iter().map(moved).fold(0.0, f64::max)
    }

    /// Without the rows that are gone.
    pub(crate) fn compacted(&self) -> Self {
        let mut next = Self::new(self.dimensions, self.centroids.clone());
        next.languages.clone_from(&self.languages);
        next.classes.clone_from(&self.classes);
        next.class_rows.clone_from(&self.class_rows);
        for slot in self.slots.iter().filter(|slot| slot.count > 0) {
            let (number, first) = (next.slots.len() as u32, next.len() as u32);
            next.order.push((digest(slot.id.as_str().bytes().map(u64::from)), number));
            next.by_id.insert(slot.id.clone(), number);
            next.slots.push(Slot { first, ..slot.clone() });
            for row in slot.rows() {
                let (raw, unit) = self.raw(row);
                next.raw.extend(raw);
                next.raw_unit.push(unit);
                next.square.push(self.square.get(row).copied().unwrap_or_default());
                next.codes.extend(self.code(row));
                next.code_unit.push(self.code_unit.get(row).copied().unwrap_or_default());
                let words = self.words();
                next.bits.extend(self.bits.get(row * words..(row + 1) * words).unwrap_or_default());
                next.owner.push(number);
                next.class.push(slot.class);
            }
        }
        next.order.sort_unstable();
        next
    }

    /// Adds the code of a vector that is gone, which others lead over; answers its row.
    #[cfg(feature = "hnsw")]
    pub(crate) fn push_gone(&mut self, code: &[i8], unit: f32) -> u32 {
        let row = self.len() as u32;
        self.owner.push(u32::MAX);
        self.class.push(GONE);
        self.raw.resize(self.raw.len() + self.stride, 0);
        self.raw_unit.push(0.0);
        self.square.push(0.0);
        self.codes.extend(code);
        self.code_unit.push(unit);
        self.bits.resize(self.bits.len() + self.words(), 0);
        row
    }

    /// By what a row is known again: its memory, the number of its chunk, a digest of the vector and its language.
    #[cfg(feature = "hnsw")]
    pub(crate) fn name(&self, row: usize) -> Option<(&MemoryId, u32, u64)> {
        let slot = self.slots.get(*self.owner.get(row)? as usize)?;
        let chunk = row.checked_sub(slot.first as usize)?;
        let (raw, unit) = self.raw(row);
        let language = self.languages.get(slot.language as usize)?.as_str().bytes().map(u64::from);
        let parts = raw.iter().map(|part| u64::from(part.cast_unsigned()));
        let print = digest(parts.chain([u64::from(unit.to_bits())]).chain(language));
        slot.rows().contains(&row).then_some((&slot.id, chunk as u32, print))
    }

    /// What a filter lets through.
    pub(crate) fn pass(&self, filter: &MemoryFilter) -> Pass<'_> {
        let timeless = MemoryFilter { at: None, ..filter.clone() };
        let classes: Vec<bool> =
            self.classes.iter().enumerate().map(|(at, class)| at > 0 && class.pass(&timeless)).collect();
        let passing = self.class_rows.iter().zip(&classes).filter(|(_, passes)| **passes);
        let most = passing.map(|(count, _)| *count).sum();
        Pass { table: self, classes, at: filter.at, most }
    }
}

/// A filter, ready to be asked about rows.
pub(crate) struct Pass<'a> {
    table: &'a Table,
    classes: Vec<bool>,
    at: Option<Timestamp>,
    /// How many rows pass at most; just so many where no time is asked for.
    pub(crate) most: usize,
}

impl Pass<'_> {
    /// Whether a row passes.
    #[inline]
    pub(crate) fn row(&self, row: usize) -> bool {
        let class = self.table.class.get(row).and_then(|class| self.classes.get(*class as usize));
        class.is_some_and(|passes| *passes)
            && self.at.is_none_or(|at| {
                let slot = self.table.owner.get(row).and_then(|owner| self.table.slots.get(*owner as usize));
                slot.is_some_and(|slot| slot.created <= at)
            })
    }

    /// Whether a memory passes.
    pub(crate) fn slot(&self, slot: &Slot) -> bool {
        slot.count > 0
            && self.classes.get(slot.class as usize).is_some_and(|passes| *passes)
            && self.at.is_none_or(|at| slot.created <= at)
    }

    /// The rows that pass, in order.
    pub(crate) fn rows(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.table.len()).filter(|row| self.row(*row)).map(|row| row as u32)
    }
}

fn position<T: PartialEq>(all: &mut Vec<T>, wanted: T) -> u32 {
    let at = all.iter().position(|own| *own == wanted).unwrap_or_else(|| {
        all.push(wanted);
        all.len() - 1
    });
    at as u32
}

/// FNV-1a over numbers, mixed at the end so that all its bits count.
fn digest(parts: impl Iterator<Item = u64>) -> u64 {
    let sum =
        parts.fold(0xCBF2_9CE4_8422_2325u64, |sum, part| (sum ^ part).wrapping_mul(0x0000_0100_0000_01B3));
    let sum = (sum ^ (sum >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    sum ^ (sum >> 31)
}
