//! Opening a snapshot.

use super::{directory::ReadOnly, schema::revision, search::Kept};
use crate::IndexError;
use mem_core::Revision;
use serde::Deserialize;
use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::Arc,
    thread,
    time::Duration,
};
use tantivy::{
    Index, ReloadPolicy, Searcher, TantivyError,
    directory::{MmapDirectory, error::OpenReadError},
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
    /// What searches of it have in common.
    pub(super) kept: Kept,
}

impl Snapshot {
    fn new(meta: Vec<u8>, revision: Revision, searcher: Option<Searcher>) -> Arc<Self> {
        Arc::new(Self { meta, revision, searcher, kept: Kept::default() })
    }
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
            return Ok(Snapshot::new(Vec::new(), Revision::ZERO, None));
        };
        if let Some(last) = last.filter(|last| last.meta == meta) {
            return Ok(Arc::clone(last));
        }
        let Some(revision) = revision_of(path, &meta)? else {
            return Ok(Snapshot::new(meta, Revision::ZERO, None));
        };
        match guarded(path, || searcher(path)) {
            Ok(searcher) if read_meta(path)?.as_ref() == Some(&meta) => {
                return Ok(Snapshot::new(meta, revision, Some(searcher)));
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
