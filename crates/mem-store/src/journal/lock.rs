//! Locks on files of their own.
//!
//! The live file itself is never locked: on Windows a lock is mandatory and would shut readers out, and a
//! rotation replaces the file, so that a lock on it may be one on a file that is gone. A lock file that is
//! never replaced needs no second look after locking.

use super::JournalError;
use std::{
    fs::{File, OpenOptions, TryLockError},
    io::ErrorKind,
    path::Path,
    time::{Duration, Instant},
};

const FIRST_PAUSE: Duration = Duration::from_micros(100);
const LONGEST_PAUSE: Duration = Duration::from_millis(2);

/// An exclusive lock, given back when dropped, also by the death of the process.
pub(super) struct Guard(File);

impl Drop for Guard {
    /// A child that another thread forks right now shares the handle until it executes its program, so closing
    /// alone would leave the lock held for that long.
    fn drop(&mut self) {
        // Where this fails the close that follows does it.
        let _ = self.0.unlock();
    }
}

/// Options that make files only their owner can read, where the system knows such a thing.
pub(super) fn private() -> OpenOptions {
    #[cfg_attr(not(unix), allow(unused_mut, reason = "only unix sets a mode"))]
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options
}

/// Creates a folder and what is above it; what is created can be entered by its owner only.
pub(super) fn create_dir(path: &Path) -> Result<(), JournalError> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(path).map_err(JournalError::io("create the folder", path))
}

/// The lock of an append: makes the folder where it is missing.
pub(super) fn exclusive(path: &Path, wait: Duration) -> Result<Guard, JournalError> {
    let open = || private().read(true).write(true).create(true).truncate(false).open(path);
    let file = match open() {
        Err(e) if e.kind() == ErrorKind::NotFound => {
            create_dir(path.parent().unwrap_or(Path::new(".")))?;
            open()
        }
        other => other,
    };
    hold(file.map_err(JournalError::io("open", path))?, path, wait)
}

/// The lock of a reader: makes no folder, and does without where the place cannot be written to.
pub(super) fn for_reading(path: &Path, wait: Duration) -> Result<Option<Guard>, JournalError> {
    let file = match private().read(true).write(true).create(true).truncate(false).open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        Err(e) if matches!(e.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) => {
            match File::open(path) {
                Ok(file) => file,
                Err(_) => return Ok(None),
            }
        }
        Err(e) => return Err(JournalError::io("open", path)(e)),
    };
    hold(file, path, wait).map(Some)
}

/// Tries until it holds. The monotonic clock only bounds the wait.
fn hold(file: File, path: &Path, wait: Duration) -> Result<Guard, JournalError> {
    let mut started = None;
    let mut pause = FIRST_PAUSE;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Guard(file)),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(e)) if e.kind() == ErrorKind::Interrupted => continue,
            Err(TryLockError::Error(e)) => return Err(JournalError::io("lock", path)(e)),
        }
        let waited = started.get_or_insert_with(Instant::now).elapsed();
        if waited >= wait {
            let waited_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
            return Err(JournalError::Busy { path: path.to_owned(), waited_ms });
        }
        std::thread::sleep(pause.min(wait - waited));
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dropped_lock_is_free_though_a_forked_child_still_has_the_handle() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let guard = exclusive(&path, Duration::ZERO).unwrap();
        let inherited = guard.0.try_clone().unwrap();
        assert!(matches!(exclusive(&path, Duration::ZERO), Err(JournalError::Busy { .. })));
        drop(guard);
        exclusive(&path, Duration::ZERO).unwrap();
        drop(inherited);
    }
}
