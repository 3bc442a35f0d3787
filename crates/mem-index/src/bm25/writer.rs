//! One write: lock, changes, commit with its revision, tidy up.

use super::{
    TantivyConfig,
    directory::Unsynced,
    reader::{META, classify, guarded, read_meta, revision_of},
    schema::{Fields, payload, tokenizers},
};
use crate::IndexError;
use mem_core::{Change, Revision};
use std::{io, path::Path, thread, time::Duration};
use tantivy::{
    Index, IndexWriter, TantivyDocument, TantivyError, Term,
    directory::{Directory, DirectoryLock, Lock, error::LockError},
    index::{SegmentId, SegmentMeta},
    indexer::{IndexWriterOptions, NoMergePolicy},
};

/// Taken before Tantivy's own, so that making and clearing an index are covered as well.
const LOCK: &str = ".mem-index.lock";
const STEP: Duration = Duration::from_millis(10);
/// From so many changes on a write is one of many.
const MANY: usize = 1_000;
/// Bytes that many changes may take before they become a segment: few segments make a search fast.
const MANY_BYTES: usize = 100_000_000;
/// The same for few changes: the least there is, since part of it is taken at once.
const FEW_BYTES: usize = 15_000_000;
/// A segment this many times as large as all smaller ones together is not merged with them.
const TIER: u64 = 8;

/// Applies what is newer than the view and tells the revision it then has.
pub(super) fn apply(
    path: &Path,
    config: &TantivyConfig,
    fields: &Fields,
    changes: &[Change],
    from: Revision,
    upto: Revision,
) -> Result<Revision, IndexError> {
    let directory = directory(path)?;
    let _lock = locked(path, config, &directory)?;
    let meta = read_meta(path)?;
    let readable = match &meta {
        Some(meta) => revision_of(path, meta)?,
        None => None,
    };
    let current = readable.unwrap_or(Revision::ZERO);
    if current < from {
        return Err(IndexError::WentBack { path: path.to_owned() });
    }
    if readable.is_some() && upto <= current {
        return Ok(current);
    }
    let mut index = match readable {
        Some(_) => guarded(path, || Index::open(directory.clone()))?,
        None => fresh(path, fields, directory)?,
    };
    index.set_tokenizers(tokenizers());
    let bytes = if changes.len() >= MANY { MANY_BYTES } else { FEW_BYTES };
    let mut writer = writer(path, config, &index, bytes)?;
    guarded(path, || {
        writer.set_merge_policy(Box::new(NoMergePolicy));
        for change in changes.iter().filter(|change| change.revision > current) {
            writer.delete_term(Term::from_field_text(fields.id, change.id.as_str()));
            if let Some(memory) = &change.memory {
                writer.add_document(fields.document(memory))?;
            }
        }
        let mut commit = writer.prepare_commit()?;
        commit.set_payload(&payload(upto));
        commit.commit()?;
        Ok(())
    })?;
    // The changes are in; tidying up can wait for the next write when it fails.
    let removed = changes.iter().any(|change| change.memory.is_none());
    let _ = guarded(path, || {
        let merge = to_merge(index.searchable_segment_metas()?, removed, config.max_segments);
        if !merge.is_empty() {
            writer.merge(&merge).wait()?;
        }
        writer.garbage_collect_files().wait()?;
        writer.wait_merging_threads()
    });
    Ok(upto)
}

/// Makes the view empty, whatever state it is in.
pub(super) fn clear(path: &Path, config: &TantivyConfig, fields: &Fields) -> Result<(), IndexError> {
    let directory = directory(path)?;
    let _lock = locked(path, config, &directory)?;
    let mut index = fresh(path, fields, directory)?;
    index.set_tokenizers(tokenizers());
    let mut writer = writer(path, config, &index, FEW_BYTES)?;
    guarded(path, || {
        let mut commit = writer.prepare_commit()?;
        commit.set_payload(&payload(Revision::ZERO));
        commit.commit()?;
        writer.wait_merging_threads()
    })
}

fn directory(path: &Path) -> Result<Unsynced, IndexError> {
    let failed = |source| IndexError::Io { action: "make", path: path.to_owned(), source };
    fs_err::create_dir_all(path).map_err(failed)?;
    guarded(path, || Unsynced::open(path))
}

/// Waits for its turn, without a clock: a bounded number of steps.
fn waiting<T>(
    path: &Path,
    config: &TantivyConfig,
    mut attempt: impl FnMut() -> Result<T, LockError>,
) -> Result<T, IndexError> {
    let steps = config.lock_wait_ms / STEP.as_millis() as u64;
    let mut step = 0;
    loop {
        match attempt() {
            Ok(value) => return Ok(value),
            Err(LockError::LockBusy) if step < steps => {
                step += 1;
                thread::sleep(STEP);
            }
            Err(LockError::LockBusy) => {
                return Err(IndexError::Busy { path: path.to_owned(), waited_ms: config.lock_wait_ms });
            }
            Err(LockError::IoError(source)) => {
                let source = io::Error::new(source.kind(), source.to_string());
                return Err(IndexError::Io { action: "lock", path: path.to_owned(), source });
            }
        }
    }
}

fn locked(path: &Path, config: &TantivyConfig, directory: &Unsynced) -> Result<DirectoryLock, IndexError> {
    let lock = Lock { filepath: LOCK.into(), is_blocking: false };
    waiting(path, config, || directory.acquire_lock(&lock))
}

fn writer(
    path: &Path,
    config: &TantivyConfig,
    index: &Index,
    bytes: usize,
) -> Result<IndexWriter<TantivyDocument>, IndexError> {
    let options = || {
        let builder = IndexWriterOptions::builder().num_worker_threads(1).num_merge_threads(1);
        builder.memory_budget_per_thread(bytes).build()
    };
    let opened = waiting(path, config, || match index.writer_with_options(options()) {
        Err(TantivyError::LockFailure(error, _)) => Err(error),
        other => Ok(other),
    })?;
    opened.map_err(|error| classify(path, error))
}

/// Removes all that is there and starts anew. The commit's file goes first: from then on the view is empty.
fn fresh(path: &Path, fields: &Fields, directory: Unsynced) -> Result<Index, IndexError> {
    let failed = |source| IndexError::Io { action: "clear", path: path.to_owned(), source };
    match std::fs::remove_file(path.join(META)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    for entry in fs_err::read_dir(path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let is_lock = entry.file_name().to_string_lossy().ends_with(".lock");
        // A file that another process has mapped may refuse on Windows; it is not part of the new view.
        if !is_lock && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
    guarded(path, || Index::builder().schema(fields.schema.clone()).open_or_create(directory))
}

/// Which segments to merge: after a removal those with deleted documents, else the small ones of too many.
fn to_merge(mut segments: Vec<SegmentMeta>, removed: bool, max: usize) -> Vec<SegmentId> {
    segments.sort_by_key(|segment| (segment.num_docs(), segment.id()));
    let mut small = 0;
    if segments.len() > max.max(1) {
        let mut sum = 0u64;
        for segment in &segments {
            let size = u64::from(segment.max_doc());
            if small >= 2 && size > TIER * sum.max(1) {
                break;
            }
            sum += size;
            small += 1;
        }
    }
    let wanted = |(at, segment): &(usize, &SegmentMeta)| *at < small || (removed && segment.has_deletes());
    segments.iter().enumerate().filter(wanted).map(|(_, segment)| segment.id()).collect()
}
