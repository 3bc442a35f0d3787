//! Where everything lies, and the sidecars a rotation keeps.
//!
//! | file | holds | written by |
//! |---|---|---|
//! | `observations.jsonl` | the live lines | appends, the last step of a rotation |
//! | `archive/YYYY-MM.jsonl` | older lines, by the month of their `ts` (UTC) | rotations |
//! | `journal.state` | how many bytes and lines were moved out so far | rotations |
//! | `journal.lock` | nothing; locked for appending, for looking, for a rotation's last steps | |
//! | `rotate.lock` | nothing; locked for a whole rotation | |
//! | `rotate.intent` | the archives' lengths before a rotation: what to cut back to | rotations |
//! | `rotate.commit` | the state after a rotation: what to finish | rotations |
//! | `observations.next` | the live file as it will be | rotations |

use super::{JournalError, lock};
use mem_core::Timestamp;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

const VERSION: u32 = 1;

#[derive(Debug, Clone)]
pub(super) struct Files {
    pub(super) dir: PathBuf,
    pub(super) live: PathBuf,
    pub(super) archive: PathBuf,
    pub(super) state: PathBuf,
    pub(super) lock: PathBuf,
    pub(super) rotate_lock: PathBuf,
    pub(super) intent: PathBuf,
    pub(super) commit: PathBuf,
    pub(super) next: PathBuf,
}

impl Files {
    pub(super) fn new(dir: PathBuf) -> Self {
        Self {
            live: dir.join("observations.jsonl"),
            archive: dir.join("archive"),
            state: dir.join("journal.state"),
            lock: dir.join("journal.lock"),
            rotate_lock: dir.join("rotate.lock"),
            intent: dir.join("rotate.intent"),
            commit: dir.join("rotate.commit"),
            next: dir.join("observations.next"),
            dir,
        }
    }

    pub(super) fn archive_of(&self, month: &str) -> PathBuf {
        self.archive.join(format!("{month}.jsonl"))
    }
}

/// A sidecar's content, with the version of its format.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Versioned<T> {
    version: u32,
    #[serde(flatten)]
    content: T,
}

/// What was moved out of the live file since the journal began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct State {
    /// Bytes: the cursor of the first live byte.
    pub(super) base: u64,
    /// Lines, damaged ones included.
    pub(super) archived_lines: u64,
}

/// Written before a rotation touches an archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Intent {
    /// The state before; the intent is void once the state is another.
    pub(super) before: State,
    /// Length of each archive it will append to, 0 for one that is not there.
    pub(super) archives: Vec<ArchiveLength>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ArchiveLength {
    pub(super) month: String,
    pub(super) bytes: u64,
}

/// Written when archives and the next live file are complete on disk: from here on a rotation is finished, never undone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Commit {
    pub(super) after: State,
}

/// The month a time falls in, UTC, as archives are named; none before year 0 and after 9999.
pub(super) fn month_of(ts: Timestamp) -> Option<String> {
    let month = ts.strftime("%Y-%m").to_string();
    is_month(&month).then_some(month)
}

pub(super) fn is_month(name: &str) -> bool {
    name.len() == 7
        && name.bytes().enumerate().all(|(i, b)| if i == 4 { b == b'-' } else { b.is_ascii_digit() })
}

pub(super) fn load<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, JournalError> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(JournalError::io("read", path)(e)),
    };
    let damaged = |source| JournalError::Damaged { path: path.to_owned(), source };
    let found: Versioned<serde_json::Value> = serde_json::from_slice(&bytes).map_err(damaged)?;
    if found.version > VERSION {
        return Err(JournalError::Version { path: path.to_owned(), found: found.version, known: VERSION });
    }
    serde_json::from_value(found.content).map(Some).map_err(damaged)
}

/// Replaces a sidecar: whole and on disk when this returns, or as it was.
pub(super) fn save<T: Serialize>(path: &Path, content: T) -> Result<(), JournalError> {
    let bytes = serde_json::to_vec(&Versioned { version: VERSION, content })
        .map_err(|source| JournalError::Serialize { source })?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".tmp");
    let temporary = path.with_file_name(name);
    let write = || {
        let mut file = lock::private().write(true).create(true).truncate(true).open(&temporary)?;
        file.write_all(&bytes)?;
        file.sync_all()?;
        fs::rename(&temporary, path)?;
        sync_dir(path.parent().unwrap_or(Path::new(".")))
    };
    write().map_err(JournalError::io("write", path))
}

/// Removes a file that may be gone already.
pub(super) fn remove(path: &Path) -> Result<(), JournalError> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(JournalError::io("remove", path)(e)),
        _ => Ok(()),
    }
}

/// Makes renames and removals in a folder outlive a loss of power. Windows has no such call and needs none.
pub(super) fn sync_dir(dir: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(dir)?.sync_all() } else { Ok(()) }
}

pub(super) fn exists(path: &Path) -> Result<bool, JournalError> {
    path.try_exists().map_err(JournalError::io("look at", path))
}
