//! What a filter leaves of a snapshot, and what does not depend on the question.

use super::{
    schema::{Fields, ID, KIND, NANOS, PROJECT, SCOPE, SECONDS, STATUS},
    texts::Texts,
};
use crate::lexical::{Collection, FIELDS, Frequencies, GramScorer, LexicalConfig, Names};
use mem_core::{MemoryFilter, MemoryId, ProjectFilter};
use std::{
    collections::HashSet,
    sync::{Arc, Mutex},
};
use tantivy::{
    InvertedIndexReader, Searcher, SegmentReader, TantivyError, Term,
    columnar::{Column, StrColumn},
    fieldnorm::FieldNormReader,
    postings::{BlockSegmentPostings, TermInfo},
    schema::{Field, IndexRecordOption},
};

/// One field of one segment that holds something.
pub(super) struct Lists {
    field: Field,
    pub(super) inverted: Arc<InvertedIndexReader>,
    norms: FieldNormReader,
}

/// Where the lists of one field are read: large, so it is used again.
pub(super) type Cursor = Option<BlockSegmentPostings>;

impl Lists {
    /// Where a term's list is, and how long, documents that do not pass the filter included.
    pub(super) fn find(&self, text: &str) -> tantivy::Result<Option<TermInfo>> {
        Ok(self.inverted.get_term_info(&Term::from_field_text(self.field, text))?)
    }

    /// The documents that hold a term.
    pub(super) fn postings<'a>(
        &self,
        info: &TermInfo,
        cursor: &'a mut Cursor,
    ) -> tantivy::Result<&'a mut BlockSegmentPostings> {
        match cursor {
            Some(postings) => {
                self.inverted.reset_block_postings_from_terminfo(info, postings)?;
                Ok(postings)
            }
            None => {
                let option = IndexRecordOption::WithFreqs;
                Ok(cursor.insert(self.inverted.read_block_postings_from_terminfo(info, option)?))
            }
        }
    }

    /// The length of a document's field, in Tantivy's one byte.
    pub(super) fn norm(&self, doc: u32) -> u8 {
        self.norms.fieldnorm_id(doc)
    }
}

/// One segment through a filter.
pub(super) struct Part {
    /// The first number of its documents among those of all segments.
    pub(super) base: u32,
    /// Which documents pass, a bit each; none when all do.
    visible: Option<Vec<u64>>,
    /// By field; none where no document has it.
    pub(super) fields: [Option<Lists>; FIELDS],
    ids: Option<StrColumn>,
}

impl Part {
    /// Whether every document passes.
    pub(super) fn is_whole(&self) -> bool {
        self.visible.is_none()
    }

    /// Whether a document passes.
    pub(super) fn holds(&self, doc: u32) -> bool {
        let Some(bits) = &self.visible else { return true };
        bits.get(doc as usize / 64).is_some_and(|word| word >> (doc % 64) & 1 == 1)
    }
}

/// What a filter leaves of a snapshot.
pub(super) struct Seen {
    pub(super) parts: Vec<Part>,
    /// Documents are numbered below this.
    pub(super) size: u32,
    /// Nothing is left out, and nothing is removed.
    pub(super) whole: bool,
    pub(super) collection: Collection,
    pub(super) frequencies: Frequencies,
    pub(super) scorer: GramScorer,
    /// Trigrams that turned out to be common.
    pub(super) common: Mutex<HashSet<String>>,
}

impl Seen {
    pub(super) fn new(
        searcher: &Searcher,
        fields: &Fields,
        filter: &MemoryFilter,
        config: &LexicalConfig,
    ) -> tantivy::Result<Self> {
        let mut collection = Collection::default();
        let mut parts = Vec::new();
        let mut size = 0u32;
        for segment in searcher.segment_readers() {
            let (visible, count) = visible(segment, filter)?;
            collection.documents += count;
            let mut part = Part {
                base: size,
                visible: (count < u64::from(segment.max_doc())).then_some(visible),
                fields: std::array::from_fn(|_| None),
                ids: segment.fast_fields().str(ID)?,
            };
            let places = fields.text.iter().zip(&mut part.fields).zip(&mut collection.lengths);
            for ((field, place), sum) in places {
                let inverted = segment.inverted_index(*field)?;
                if inverted.total_num_tokens() == 0 {
                    continue;
                }
                let norms = segment.get_fieldnorms_reader(*field)?;
                *place = Some(Lists { field: *field, inverted, norms });
                *sum += total(place.as_ref(), part.visible.as_deref(), segment.max_doc());
            }
            size += segment.max_doc();
            parts.push(part);
        }
        Ok(Self {
            size,
            whole: parts.iter().all(|part| part.visible.is_none()),
            parts,
            frequencies: Frequencies::new(config, &collection),
            scorer: GramScorer::new(&config.grams, &collection),
            collection,
            common: Mutex::new(HashSet::new()),
        })
    }

    fn part(&self, doc: u32) -> Option<(usize, &Part)> {
        let at = self.parts.partition_point(|part| part.base <= doc).checked_sub(1)?;
        Some((at, self.parts.get(at)?))
    }

    fn ordinal(&self, doc: u32) -> Option<(usize, &StrColumn, u64)> {
        let (at, part) = self.part(doc)?;
        let column = part.ids.as_ref()?;
        Some((at, column, column.ords().first(doc - part.base)?))
    }
}

/// The lengths of a field over the visible documents.
fn total(lists: Option<&Lists>, visible: Option<&[u64]>, documents: u32) -> u64 {
    let Some(lists) = lists else { return 0 };
    let length = |doc| u64::from(lists.norms.fieldnorm(doc));
    match visible {
        None => (0..documents).map(length).sum(),
        Some(bits) => set(bits).map(length).sum(),
    }
}

/// The numbers of the bits that are set.
fn set(bits: &[u64]) -> impl Iterator<Item = u32> {
    (0u32..).zip(bits).flat_map(|(at, word)| {
        let mut rest = *word;
        std::iter::from_fn(move || {
            let bit = rest.trailing_zeros();
            rest &= rest.wrapping_sub(1);
            (bit < u64::BITS).then_some(at * u64::BITS + bit)
        })
    })
}

/// The names of a view's documents, from memory where they were read.
pub(super) struct Naming<'a> {
    pub(super) seen: &'a Seen,
    pub(super) ids: Option<&'a [Texts]>,
}

impl Names for Naming<'_> {
    type Error = TantivyError;

    fn id(&self, doc: u32) -> tantivy::Result<MemoryId> {
        let (part, column, ord) = self.seen.ordinal(doc).ok_or_else(nameless)?;
        let read = self.ids.and_then(|ids| ids.get(part)).and_then(|ids| ids.get(ord));
        let id = match read {
            Some(id) => id.to_owned(),
            None => {
                let mut id = String::new();
                column.ord_to_str(ord, &mut id)?;
                id
            }
        };
        MemoryId::new(id).map_err(|error| TantivyError::InternalError(error.to_string()))
    }

    fn place(&self, doc: u32) -> tantivy::Result<(usize, u64)> {
        self.seen.ordinal(doc).map(|(part, _, ord)| (part, ord)).ok_or_else(nameless)
    }
}

pub(super) fn nameless() -> TantivyError {
    TantivyError::InternalError("a document without an id".to_owned())
}

/// Which documents of a segment pass the filter, and how many.
fn visible(segment: &SegmentReader, filter: &MemoryFilter) -> tantivy::Result<(Vec<u64>, u64)> {
    let fast = segment.fast_fields();
    let project = match &filter.projects {
        ProjectFilter::All => None,
        ProjectFilter::Global => Some((fast.str(PROJECT)?, None)),
        ProjectFilter::Within(project) => {
            let column = fast.str(PROJECT)?;
            let wanted = match &column {
                Some(column) => column.dictionary().term_ord(project.as_str().as_bytes())?,
                None => None,
            };
            Some((column, wanted))
        }
    };
    let kinds: Vec<u64> = filter.kinds.iter().map(|kind| *kind as u64).collect();
    let statuses: Vec<u64> = filter.statuses.iter().map(|status| *status as u64).collect();
    let kind = column(fast.u64(KIND), !kinds.is_empty())?;
    let status = column(fast.u64(STATUS), !statuses.is_empty())?;
    let scope = column(fast.u64(SCOPE), filter.scope.is_some())?;
    let seconds = column(fast.i64(SECONDS), filter.at.is_some())?;
    let nanos = column(fast.i64(NANOS), filter.at.is_some())?;
    let at = filter.at.map(|at| (at.as_second(), i64::from(at.subsec_nanosecond())));
    let documents = segment.max_doc();
    let mut bits = vec![0u64; documents.div_ceil(64) as usize];
    let mut docs = [0u32; 64];
    for (word, base) in bits.iter_mut().zip((0..documents).step_by(64)) {
        let width = (documents - base).min(64) as usize;
        docs.iter_mut().zip(base..).for_each(|(doc, at)| *doc = at);
        let docs = docs.get(..width).unwrap_or_default();
        *word = passing(docs, |doc| !segment.is_deleted(doc));
        if let Some(status) = &status {
            *word &= matching(status, docs, |value| value.is_some_and(|value| statuses.contains(&value)));
        }
        if let Some((column, wanted)) = &project {
            let ords = column.as_ref().map(|column| column.ords());
            // Without a column no memory has a project.
            *word &=
                ords.map_or(u64::MAX, |ords| matching(ords, docs, |own| own.is_none() || own == *wanted));
        }
        if let Some(kind) = &kind {
            *word &= matching(kind, docs, |value| value.is_some_and(|value| kinds.contains(&value)));
        }
        if let (Some(scope), Some(wanted)) = (&scope, filter.scope) {
            *word &= matching(scope, docs, |value| value == Some(wanted as u64));
        }
        if let (Some(seconds), Some(nanos), Some(at)) = (&seconds, &nanos, at) {
            let created = |doc| seconds.first(doc).zip(nanos.first(doc));
            *word &= passing(docs, |doc| created(doc).is_some_and(|created| created <= at));
        }
    }
    let count = bits.iter().map(|word| u64::from(word.count_ones())).sum();
    Ok((bits, count))
}

/// A bit for each of at most 64 documents.
fn passing(docs: &[u32], passes: impl Fn(u32) -> bool) -> u64 {
    docs.iter().enumerate().fold(0, |word, (at, doc)| word | u64::from(passes(*doc)) << at)
}

/// The same by a column's value.
fn matching(column: &Column<u64>, docs: &[u32], passes: impl Fn(Option<u64>) -> bool) -> u64 {
    let mut values = [None; 64];
    column.first_vals(docs, values.get_mut(..docs.len()).unwrap_or_default());
    let values = values.iter().take(docs.len());
    values.enumerate().fold(0, |word, (at, value)| word | u64::from(passes(*value)) << at)
}

fn column<T>(column: tantivy::Result<T>, needed: bool) -> tantivy::Result<Option<T>> {
    if needed { column.map(Some) } else { Ok(None) }
}
