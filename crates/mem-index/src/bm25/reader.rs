//! Opening a snapshot and searching it.

use super::{
    directory::ReadOnly,
    schema::{Fields, ID, KIND, NANOS, PROJECT, SCOPE, SECONDS, STATUS, revision},
};
use crate::{
    IndexError,
    lexical::{CHARS, Collection, FIELDS, Frequencies, LexicalConfig, Plan, rank},
};
use mem_core::{MemoryFilter, MemoryId, ProjectFilter, Revision, TextHits};
use serde::Deserialize;
use std::{
    collections::BTreeSet,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::Arc,
    thread,
    time::Duration,
};
use tantivy::{
    DocSet, Index, ReloadPolicy, Searcher, SegmentReader, TERMINATED, TantivyError, Term,
    columnar::{Column, StrColumn},
    directory::{MmapDirectory, error::OpenReadError},
    fieldnorm::FieldNormReader,
    postings::Postings,
    schema::IndexRecordOption,
};

/// The file whose replacement is a commit.
pub(super) const META: &str = "meta.json";
/// Files may vanish between reading the commit and opening them; then the next commit is opened.
const ATTEMPTS: u32 = 50;
const PAUSE: Duration = Duration::from_millis(4);

/// One commit, opened.
pub(super) struct Snapshot {
    /// The commit's file, byte for byte.
    pub(super) meta: Vec<u8>,
    pub(super) revision: Revision,
    /// None when there is nothing this build can read.
    pub(super) searcher: Option<Searcher>,
}

/// The commit's file; none before the first commit.
pub(super) fn read_meta(path: &Path) -> Result<Option<Vec<u8>>, IndexError> {
    match std::fs::read(path.join(META)) {
        Ok(meta) => Ok(Some(meta)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(IndexError::Io { action: "read", path: path.to_owned(), source }),
    }
}

/// The revision a commit's file names; none for one that another build wrote, or none yet.
pub(super) fn revision_of(path: &Path, meta: &[u8]) -> Result<Option<Revision>, IndexError> {
    #[derive(Deserialize)]
    struct Head {
        payload: Option<String>,
    }
    let head: Head = serde_json::from_slice(meta).map_err(|error| corrupt(path, error))?;
    Ok(head.payload.as_deref().and_then(revision))
}

fn corrupt(path: &Path, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> IndexError {
    IndexError::Corrupt { path: path.to_owned(), source: source.into() }
}

/// Opens the latest commit, or keeps `last` when that is it.
pub(super) fn open(path: &Path, last: Option<&Arc<Snapshot>>) -> Result<Arc<Snapshot>, IndexError> {
    let mut attempt = 0;
    loop {
        let Some(meta) = read_meta(path)? else {
            return Ok(Arc::new(Snapshot { meta: Vec::new(), revision: Revision::ZERO, searcher: None }));
        };
        if let Some(last) = last.filter(|last| last.meta == meta) {
            return Ok(Arc::clone(last));
        }
        let Some(revision) = revision_of(path, &meta)? else {
            return Ok(Arc::new(Snapshot { meta, revision: Revision::ZERO, searcher: None }));
        };
        match guarded(path, || searcher(path)) {
            Ok(searcher) if read_meta(path)?.as_ref() == Some(&meta) => {
                return Ok(Arc::new(Snapshot { meta, revision, searcher: Some(searcher) }));
            }
            Err(error) if attempt >= ATTEMPTS || !is_missing_file(&error) => return Err(error),
            Ok(_) if attempt >= ATTEMPTS => {
                return Err(IndexError::Busy {
                    path: path.to_owned(),
                    waited_ms: u64::from(attempt) * PAUSE.as_millis() as u64,
                });
            }
            Ok(_) => attempt += 1,
            Err(_) => {
                attempt += 1;
                thread::sleep(PAUSE);
            }
        }
    }
}

fn searcher(path: &Path) -> tantivy::Result<Searcher> {
    let index = Index::open(ReadOnly(MmapDirectory::open(path)?))?;
    let reader = index
        .reader_builder()
        .reload_policy(ReloadPolicy::Manual)
        .doc_store_cache_num_blocks(1)
        .try_into()?;
    Ok(reader.searcher())
}

fn is_missing_file(error: &IndexError) -> bool {
    let IndexError::Corrupt { source, .. } = error else { return false };
    matches!(
        source.downcast_ref::<TantivyError>(),
        Some(TantivyError::OpenReadError(OpenReadError::FileDoesNotExist(_)))
    )
}

/// Runs code of the engine; damaged bytes may make it fail or panic, either is [`IndexError::Corrupt`].
pub(super) fn guarded<T>(path: &Path, work: impl FnOnce() -> tantivy::Result<T>) -> Result<T, IndexError> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(classify(path, error)),
        Err(panic) => {
            let said = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied())
                .unwrap_or("the engine panicked");
            Err(corrupt(path, said.chars().take(200).collect::<String>()))
        }
    }
}

/// Denied access, a full disk and the like are the world's fault; everything else is damage.
pub(super) fn classify(path: &Path, error: TantivyError) -> IndexError {
    let io = match &error {
        TantivyError::IoError(source) => Some(source),
        TantivyError::OpenReadError(OpenReadError::IoError { io_error, .. }) => Some(io_error),
        TantivyError::OpenWriteError(tantivy::directory::error::OpenWriteError::IoError {
            io_error, ..
        }) => Some(io_error),
        _ => None,
    };
    match io.map(|source| (source.kind(), source.to_string())) {
        Some((io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData, _)) => corrupt(path, error),
        Some((kind, said)) if kind != io::ErrorKind::Other => {
            IndexError::Io { action: "use", path: path.to_owned(), source: io::Error::new(kind, said) }
        }
        _ => corrupt(path, error),
    }
}

/// Which documents of a segment pass the filter.
struct Visible(Vec<bool>);

impl Visible {
    fn new(segment: &SegmentReader, filter: &MemoryFilter) -> tantivy::Result<Self> {
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
        let one_of = |column: &Option<Column<u64>>, wanted: &[u64], doc| match column {
            Some(column) => column.first(doc).is_some_and(|value| wanted.contains(&value)),
            None => true,
        };
        let passes = |doc: u32| {
            !segment.is_deleted(doc)
                && one_of(&status, &statuses, doc)
                && project.as_ref().is_none_or(|(column, wanted)| {
                    let own = column.as_ref().and_then(|column| column.term_ords(doc).next());
                    own.is_none() || own == *wanted
                })
                && one_of(&kind, &kinds, doc)
                && filter.scope.is_none_or(|wanted| one_of(&scope, &[wanted as u64], doc))
                && at.is_none_or(|at| {
                    let first =
                        |column: &Option<Column<i64>>| column.as_ref().and_then(|column| column.first(doc));
                    first(&seconds).zip(first(&nanos)).is_some_and(|created| created <= at)
                })
        };
        Ok(Self((0..segment.max_doc()).map(passes).collect()))
    }

    fn holds(&self, doc: u32) -> bool {
        self.0.get(doc as usize).copied().unwrap_or(false)
    }
}

fn column<T>(column: tantivy::Result<T>, needed: bool) -> tantivy::Result<Option<T>> {
    if needed { column.map(Some) } else { Ok(None) }
}

/// What one question sees of a snapshot.
struct View<'a> {
    searcher: &'a Searcher,
    fields: &'a Fields,
    visible: &'a [Visible],
    norms: &'a [Vec<FieldNormReader>],
    frequencies: &'a Frequencies,
}

impl View<'_> {
    /// For each word the visible documents that hold it, in rising order, with its weighted frequency.
    fn holding(&self, words: &[&str]) -> tantivy::Result<Vec<Vec<(u32, f64)>>> {
        let mut matches = vec![Vec::new(); words.len()];
        let mut base = 0u32;
        for ((segment, seen), norms) in
            self.searcher.segment_readers().iter().zip(self.visible).zip(self.norms)
        {
            let mut sums = vec![0f64; segment.max_doc() as usize];
            let mut inverted = Vec::with_capacity(FIELDS);
            for field in &self.fields.text {
                inverted.push(segment.inverted_index(*field)?);
            }
            for (word, found) in words.iter().zip(&mut matches) {
                let mut touched = Vec::new();
                for (at, ((field, reader), norm)) in
                    self.fields.text.iter().zip(&inverted).zip(norms).enumerate()
                {
                    let term = Term::from_field_text(*field, word);
                    let Some(mut postings) = reader.read_postings(&term, IndexRecordOption::WithFreqs)?
                    else {
                        continue;
                    };
                    let mut doc = postings.doc();
                    while doc != TERMINATED {
                        if seen.holds(doc)
                            && let Some(sum) = sums.get_mut(doc as usize)
                        {
                            if *sum == 0.0 {
                                touched.push(doc);
                            }
                            *sum += self.frequencies.of(at, postings.term_freq(), norm.fieldnorm(doc));
                        }
                        doc = postings.advance();
                    }
                }
                touched.sort_unstable();
                for doc in touched {
                    if let Some(sum) = sums.get_mut(doc as usize) {
                        found.push((base + doc, std::mem::take(sum)));
                    }
                }
            }
            base += segment.max_doc();
        }
        Ok(matches)
    }

    /// The dictionary's words that are like a misspelt one: those of its first letter are read.
    fn like(&self, plan: &Plan, misspelt: &[usize]) -> tantivy::Result<BTreeSet<String>> {
        let letters: BTreeSet<u8> = misspelt
            .iter()
            .filter_map(|at| plan.terms.get(*at))
            .filter_map(|term| term.text.bytes().next())
            .collect();
        let mut like = BTreeSet::new();
        for segment in self.searcher.segment_readers() {
            for field in self.fields.text.iter().take(CHARS) {
                let inverted = segment.inverted_index(*field)?;
                for letter in &letters {
                    let mut stream = inverted
                        .terms()
                        .range()
                        .ge([*letter])
                        .lt([letter.saturating_add(1)])
                        .into_stream()?;
                    while stream.advance() {
                        if let Ok(word) = std::str::from_utf8(stream.key())
                            && plan.is_like(misspelt, word)
                        {
                            like.insert(word.to_owned());
                        }
                    }
                }
            }
        }
        Ok(like)
    }
}

/// BM25F over one snapshot.
pub(super) fn search(
    searcher: &Searcher,
    fields: &Fields,
    text: &str,
    filter: &MemoryFilter,
    k: usize,
    config: &LexicalConfig,
) -> tantivy::Result<TextHits> {
    let mut plan = Plan::new(text, config);
    if plan.terms.is_empty() || k == 0 {
        return Ok(TextHits::default());
    }
    let mut collection = Collection::default();
    let mut visible = Vec::new();
    let mut norms = Vec::new();
    for segment in searcher.segment_readers() {
        let seen = Visible::new(segment, filter)?;
        let mut readers = Vec::with_capacity(FIELDS);
        for (field, sum) in fields.text.iter().zip(collection.lengths.iter_mut()) {
            let reader = segment.get_fieldnorms_reader(*field)?;
            *sum += (0..segment.max_doc())
                .filter(|doc| seen.holds(*doc))
                .map(|doc| u64::from(reader.fieldnorm(doc)))
                .sum::<u64>();
            readers.push(reader);
        }
        collection.documents += seen.0.iter().filter(|seen| **seen).count() as u64;
        visible.push(seen);
        norms.push(readers);
    }
    let frequencies = Frequencies::new(config, &collection);
    let view = View { searcher, fields, visible: &visible, norms: &norms, frequencies: &frequencies };
    let mut bases = Vec::new();
    let mut base = 0u32;
    for segment in searcher.segment_readers() {
        bases.push(base);
        base += segment.max_doc();
    }
    let texts: Vec<&str> = plan.terms.iter().map(|term| term.text.as_str()).collect();
    let mut matches = view.holding(&texts)?;
    let misspelt = plan.misspelt(&matches, config);
    if !misspelt.is_empty() {
        let like = view.like(&plan, &misspelt)?;
        let texts: Vec<&str> = like.iter().map(String::as_str).collect();
        let found = view.holding(&texts)?;
        plan.correct(&misspelt, like.into_iter().zip(found).collect(), &mut matches, config);
    }
    let mut columns: Vec<Option<StrColumn>> = Vec::new();
    for segment in searcher.segment_readers() {
        columns.push(segment.fast_fields().str(ID)?);
    }
    let missing = || TantivyError::InternalError("a document without an id".to_owned());
    rank(&plan, &matches, &collection, config, k, |doc| {
        let segment = bases.partition_point(|base| *base <= doc).saturating_sub(1);
        let base = bases.get(segment).copied().unwrap_or(0);
        let column = columns.get(segment).and_then(Option::as_ref).ok_or_else(missing)?;
        let ord = column.term_ords(doc - base).next().ok_or_else(missing)?;
        let mut id = String::new();
        column.ord_to_str(ord, &mut id)?;
        MemoryId::new(id).map_err(|error| TantivyError::InternalError(error.to_string()))
    })
}
