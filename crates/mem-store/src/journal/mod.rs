//! The observation journal: JSON Lines that many processes append to at once.
//!
//! Appending takes one lock, one look for an unfinished rotation and one write; what it costs does not depend on
//! the file's size. Rotation moves lines older than a month to an archive a month and survives being killed at
//! any instant: until its commit is on disk it is undone, from there on it is finished, by whoever comes next.
//!
//! A [`Cursor`] counts all bytes ever written, so it points at the same line before and after a rotation.

mod append;
mod archive;
mod config;
mod error;
mod files;
mod lines;
mod lock;
mod rotate;
#[cfg(test)]
mod tests;

pub use archive::{Archived, JournalCounts};
pub use config::JournalConfig;
pub use error::JournalError;
pub use rotate::{Rotation, RotationOutcome};

use files::{Commit, Files, Intent, State};
use lines::{Line, Lines, Parsed};
use mem_core::{Cursor, LogBatch, Observation, ObservationLog};
use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    time::Duration,
};

/// Observations in `<dir>/observations.jsonl`, older ones in `<dir>/archive/YYYY-MM.jsonl`.
///
/// Making one opens nothing; the first append makes the folder. Files are readable by their owner only.
/// The disk is not waited for on append: what was appended outlives the process, not a loss of power.
#[derive(Debug, Clone)]
pub struct Journal {
    files: Files,
    config: JournalConfig,
}

/// The live file at one instant. Its bytes below `len` do not change any more.
struct Snapshot {
    state: State,
    live: Option<File>,
    len: u64,
    /// Archives by month, with the bytes that count.
    archives: Vec<(String, u64)>,
}

impl Journal {
    /// A journal in a folder that need not exist yet.
    pub fn new(dir: impl Into<PathBuf>, config: JournalConfig) -> Self {
        Self { files: Files::new(dir.into()), config }
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.files.dir
    }

    /// The live file.
    pub fn live_path(&self) -> &Path {
        &self.files.live
    }

    fn read_wait(&self) -> Duration {
        Duration::from_millis(self.config.read_wait_ms)
    }

    /// Looks at live file, state and archives as they were at one instant.
    fn snapshot(&self) -> Result<Snapshot, JournalError> {
        let _guard = lock::for_reading(&self.files.lock, self.read_wait())?;
        self.heal()?;
        self.look()
    }

    /// The snapshot of one who holds the lock.
    fn look(&self) -> Result<Snapshot, JournalError> {
        let live = match File::open(&self.files.live) {
            Ok(file) => Some(file),
            Err(e) if e.kind() == io::ErrorKind::NotFound => None,
            Err(e) => return Err(JournalError::io("open", &self.files.live)(e)),
        };
        let len = match &live {
            Some(file) => file.metadata().map_err(JournalError::io("look at", &self.files.live))?.len(),
            None => 0,
        };
        let state = match files::load::<State>(&self.files.state) {
            Err(JournalError::Damaged { .. }) => None,
            other => other?,
        };
        let intent = files::load::<Intent>(&self.files.intent)?;
        let intent = intent.filter(|intent| state.is_none_or(|state| state == intent.before));
        let archives = self.archives(intent.as_ref())?;
        let state = match (state, &intent) {
            (Some(state), _) => state,
            (None, Some(intent)) => intent.before,
            (None, None) => self.derive_state(&archives)?,
        };
        Ok(Snapshot { state, live, len, archives })
    }

    /// Months in order; of an archive that an unfinished rotation appends to, only what was there before.
    fn archives(&self, intent: Option<&Intent>) -> Result<Vec<(String, u64)>, JournalError> {
        let fail = || JournalError::io("list", &self.files.archive);
        let entries = match fs::read_dir(&self.files.archive) {
            Ok(entries) => entries,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(e) => return Err(fail()(e)),
        };
        let mut archives = Vec::new();
        for entry in entries {
            let entry = entry.map_err(fail())?;
            let name = entry.file_name();
            let Some(month) = name.to_str().and_then(|name| name.strip_suffix(".jsonl")) else { continue };
            if !files::is_month(month) {
                continue;
            }
            let mut bytes = fs::metadata(entry.path()).map_err(fail())?.len();
            let before =
                intent.and_then(|intent| intent.archives.iter().find(|archive| archive.month == month));
            if let Some(before) = before {
                bytes = bytes.min(before.bytes);
            }
            archives.push((month.to_owned(), bytes));
        }
        archives.sort();
        Ok(archives)
    }

    /// The state where its file was lost: what is archived is what was moved.
    fn derive_state(&self, archives: &[(String, u64)]) -> Result<State, JournalError> {
        let mut state = State::default();
        for (month, bytes) in archives {
            let path = self.files.archive_of(month);
            let file = File::open(&path).map_err(JournalError::io("open", &path))?;
            state.base += bytes;
            state.archived_lines += lines::count(&file, *bytes).map_err(JournalError::io("read", &path))?;
        }
        Ok(state)
    }

    /// Finishes a rotation that was committed and then killed. The caller holds the lock.
    fn heal(&self) -> Result<(), JournalError> {
        if !files::exists(&self.files.commit)? {
            return Ok(());
        }
        if let Some(commit) = files::load::<Commit>(&self.files.commit)? {
            self.finish(&commit, &mut |_| Ok(()))?;
        }
        Ok(())
    }

    fn read_batch(&self, from: Cursor, limit: usize) -> Result<LogBatch, JournalError> {
        let snapshot = self.snapshot()?;
        let base = snapshot.state.base;
        let end = base + snapshot.len;
        // A cursor beyond the end belongs to a file that was replaced: nothing of this one was read yet.
        let from = if from.0 > end { base } else { from.0.max(base) };
        let mut batch = LogBatch { next: Cursor(from), ..LogBatch::default() };
        let Some(live) = snapshot.live else { return Ok(batch) };
        let fail = || JournalError::io("read", &self.files.live);
        let mut lines =
            Lines::new(live, from - base, snapshot.len, self.config.max_line_bytes).map_err(fail())?;
        let mut text = Vec::new();
        let mut bytes = 0;
        while batch.observations.len() < limit && bytes < self.config.max_batch_bytes {
            let Some(line) = lines.next(&mut text).map_err(fail())? else { break };
            let Line { start, end, too_long } = line;
            batch.next = Cursor(base + end);
            match if too_long { Parsed::Damaged } else { lines::parse(&text) } {
                Parsed::Observation(observation) => {
                    bytes += end - start;
                    batch.observations.push((batch.next, *observation));
                }
                Parsed::Blank => {}
                Parsed::Damaged => batch.skipped += 1,
            }
        }
        Ok(batch)
    }
}

impl ObservationLog for Journal {
    fn append(&self, observations: &[Observation]) -> mem_core::Result<()> {
        Ok(self.append_lines(observations)?)
    }

    fn read(&self, from: Cursor, limit: usize) -> mem_core::Result<LogBatch> {
        Ok(self.read_batch(from, limit)?)
    }

    fn end(&self) -> mem_core::Result<Cursor> {
        let snapshot = self.snapshot()?;
        let end = match &snapshot.live {
            Some(live) => {
                lines::last_end(live, snapshot.len).map_err(JournalError::io("read", &self.files.live))?
            }
            None => 0,
        };
        Ok(Cursor(snapshot.state.base + end))
    }
}
