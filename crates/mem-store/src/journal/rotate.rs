use super::{
    Journal, JournalError, Lines, Snapshot,
    files::{self, ArchiveLength, Commit, Intent, State},
    lines, lock,
};
use jiff::SignedDuration;
use mem_core::Timestamp;
use serde::Serialize;
use std::{
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom, Write},
};

/// A shorter live file cannot have more lines than `len / SHORTEST_LINE`: no observation is written in fewer bytes.
const SHORTEST_LINE: u64 = 60;
/// How far ahead of `now` a line's time may be before it counts as unreadable; clocks differ.
const CLOCK_SKEW: SignedDuration = SignedDuration::from_hours(24);

/// What a call to [`Journal::rotate`] came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RotationOutcome {
    /// Nothing had to move.
    #[default]
    NotNeeded,
    /// Another process rotates at this moment.
    Busy,
    /// Lines were moved.
    Rotated,
}

/// The report of a rotation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Rotation {
    /// What happened.
    pub outcome: RotationOutcome,
    /// Lines moved, damaged ones included.
    pub lines: u64,
    /// Bytes moved.
    pub bytes: u64,
    /// The months they went to, `YYYY-MM`, in order.
    pub months: Vec<String>,
    /// Whether an earlier rotation that had been killed was undone or finished first.
    pub recovered: bool,
}

/// The instants between which a rotation may die; each is reached when what it names is on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Intent,
    Archive(usize),
    NextCopied,
    NextComplete,
    Commit,
    LiveReplaced,
    State,
    IntentGone,
    Done,
}

/// Called at every step; an error ends the rotation there, as a death would.
pub(super) type AtStep<'a> = &'a mut dyn FnMut(Step) -> Result<(), JournalError>;

/// A stretch of the live file that goes to one month.
#[derive(Debug, PartialEq, Eq)]
struct Segment {
    month: String,
    start: u64,
    end: u64,
}

struct Plan {
    segments: Vec<Segment>,
    lines: u64,
    /// The first byte that stays.
    keep_from: u64,
}

impl Journal {
    /// Whether [`Journal::rotate`] would move something. Reads the first lines, and all of them only where the
    /// number of lines decides.
    ///
    /// # Errors
    /// [`JournalError::Io`] when it cannot be read, [`JournalError::Busy`] when it stays locked.
    pub fn needs_rotation(&self, now: Timestamp) -> Result<bool, JournalError> {
        let snapshot = self.snapshot()?;
        self.is_due(&snapshot, now)
    }

    /// Moves lines older than the configured days to the archives, when the live file is large enough and the
    /// oldest line old enough. Appends go on meanwhile, but for the last steps.
    ///
    /// A line without a time goes with the one before it. Every byte is kept as it is.
    ///
    /// # Errors
    /// [`JournalError::Io`] when the disk is full or something cannot be written: nothing is lost then, and the
    /// next call begins anew. [`JournalError::Busy`] when appends hold the lock for too long.
    pub fn rotate(&self, now: Timestamp) -> Result<Rotation, JournalError> {
        self.rotate_stepwise(now, &mut |_| Ok(()))
    }

    pub(super) fn rotate_stepwise(&self, now: Timestamp, at: AtStep<'_>) -> Result<Rotation, JournalError> {
        let mut report = Rotation::default();
        if !files::exists(&self.files.live)? && !files::exists(&self.files.commit)? {
            return Ok(report);
        }
        let _rotating = match lock::exclusive(&self.files.rotate_lock, std::time::Duration::ZERO) {
            Err(JournalError::Busy { .. }) => {
                report.outcome = RotationOutcome::Busy;
                return Ok(report);
            }
            other => other?,
        };
        report.recovered = self.recover()?;
        let snapshot = self.snapshot()?;
        if !self.is_due(&snapshot, now)? {
            return Ok(report);
        }
        let Some(plan) = self.plan(&snapshot, now)? else { return Ok(report) };
        let Some(live) = &snapshot.live else { return Ok(report) };

        let mut months: Vec<_> = plan.segments.iter().map(|segment| segment.month.clone()).collect();
        months.sort();
        months.dedup();
        let length_of = |month: &String| {
            snapshot.archives.iter().find(|(name, _)| name == month).map_or(0, |(_, bytes)| *bytes)
        };
        let archives = months
            .iter()
            .map(|month| ArchiveLength { month: month.clone(), bytes: length_of(month) })
            .collect();
        lock::create_dir(&self.files.archive)?;
        files::save(&self.files.intent, Intent { before: snapshot.state, archives })?;
        at(Step::Intent)?;

        for (index, month) in months.iter().enumerate() {
            self.write_archive(live, month, &plan.segments)?;
            at(Step::Archive(index))?;
        }
        files::sync_dir(&self.files.archive).map_err(JournalError::io("sync", &self.files.archive))?;

        let mut next = self.start_next(live, plan.keep_from, snapshot.len)?;
        at(Step::NextCopied)?;

        // From here on nobody appends.
        let _guard = lock::exclusive(&self.files.lock, self.read_wait())?;
        let len = live.metadata().map_err(JournalError::io("look at", &self.files.live))?.len();
        let complete = |next: &mut File| {
            copy(live, snapshot.len, len, next)?;
            next.sync_all()?;
            files::sync_dir(&self.files.dir)
        };
        complete(&mut next).map_err(JournalError::io("write", &self.files.next))?;
        drop(next);
        at(Step::NextComplete)?;
        let commit = Commit {
            after: State {
                base: snapshot.state.base + plan.keep_from,
                archived_lines: snapshot.state.archived_lines + plan.lines,
            },
        };
        files::save(&self.files.commit, &commit)?;
        at(Step::Commit)?;
        drop(snapshot.live);
        self.finish(&commit, at)?;

        Ok(Rotation {
            outcome: RotationOutcome::Rotated,
            lines: plan.lines,
            bytes: plan.keep_from,
            months,
            recovered: report.recovered,
        })
    }

    /// The steps after the commit; doing them again does no harm. The caller holds the lock.
    pub(super) fn finish(&self, commit: &Commit, at: AtStep<'_>) -> Result<(), JournalError> {
        // The next live file is there exactly as long as it has not become the live one.
        if files::exists(&self.files.next)? {
            fs::rename(&self.files.next, &self.files.live)
                .and_then(|()| files::sync_dir(&self.files.dir))
                .map_err(JournalError::io("replace", &self.files.live))?;
        }
        at(Step::LiveReplaced)?;
        files::save(&self.files.state, commit.after)?;
        at(Step::State)?;
        files::remove(&self.files.intent)?;
        at(Step::IntentGone)?;
        files::remove(&self.files.commit)?;
        files::sync_dir(&self.files.dir).map_err(JournalError::io("sync", &self.files.dir))?;
        at(Step::Done)
    }

    /// Finishes a committed rotation, undoes one that was not. The caller holds the rotation's lock.
    fn recover(&self) -> Result<bool, JournalError> {
        let _guard = lock::exclusive(&self.files.lock, self.read_wait())?;
        let committed = files::exists(&self.files.commit)?;
        self.heal()?;
        let intent = files::load::<Intent>(&self.files.intent)?;
        if let Some(intent) = &intent {
            if self.look()?.state == intent.before {
                for archive in &intent.archives {
                    self.cut_back(archive)?;
                }
            }
            files::remove(&self.files.next)?;
            files::remove(&self.files.intent)?;
            files::sync_dir(&self.files.dir).map_err(JournalError::io("sync", &self.files.dir))?;
        }
        Ok(committed || intent.is_some())
    }

    fn cut_back(&self, archive: &ArchiveLength) -> Result<(), JournalError> {
        let path = self.files.archive_of(&archive.month);
        if archive.bytes == 0 {
            return files::remove(&path);
        }
        let cut = || -> io::Result<()> {
            let file = lock::private().write(true).open(&path)?;
            if file.metadata()?.len() > archive.bytes {
                file.set_len(archive.bytes)?;
                file.sync_all()?;
            }
            Ok(())
        };
        match cut() {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other.map_err(JournalError::io("cut back", &path)),
        }
    }

    fn is_due(&self, snapshot: &Snapshot, now: Timestamp) -> Result<bool, JournalError> {
        let Some(live) = &snapshot.live else { return Ok(false) };
        let large = snapshot.len > self.config.max_bytes;
        if !large && snapshot.len / SHORTEST_LINE <= self.config.max_lines {
            return Ok(false);
        }
        let days = self.config.retention_days.saturating_add(self.config.hysteresis_days);
        let cutoff = days_before(now, days);
        let mut lines = self.lines(live, snapshot.len)?;
        let mut text = Vec::new();
        let oldest = loop {
            let next = lines.next(&mut text).map_err(JournalError::io("read", &self.files.live))?;
            if next.is_none() {
                return Ok(false);
            }
            if let Some(ts) = plausible(&text, now) {
                break ts;
            }
        };
        if oldest >= cutoff {
            return Ok(false);
        }
        let count = || lines::count(live, snapshot.len).map_err(JournalError::io("read", &self.files.live));
        Ok(large || count()? > self.config.max_lines)
    }

    /// Which stretch goes where: the lines up to the first one that is young enough.
    fn plan(&self, snapshot: &Snapshot, now: Timestamp) -> Result<Option<Plan>, JournalError> {
        let Some(live) = &snapshot.live else { return Ok(None) };
        let cutoff = days_before(now, self.config.retention_days);
        let mut lines = self.lines(live, snapshot.len)?;
        let mut text = Vec::new();
        let mut plan = Plan { segments: Vec::new(), lines: 0, keep_from: 0 };
        let mut undated = 0;
        while let Some(line) = lines.next(&mut text).map_err(JournalError::io("read", &self.files.live))? {
            let ts = plausible(&text, now);
            if ts.is_some_and(|ts| ts >= cutoff) {
                break;
            }
            match (ts.and_then(files::month_of), plan.segments.last_mut()) {
                (Some(month), Some(last)) if last.month != month => {
                    plan.segments.push(Segment { month, start: line.start, end: line.end });
                }
                (_, Some(last)) => last.end = line.end,
                // Undated lines at the very beginning go with the first dated one.
                (Some(month), None) => plan.segments.push(Segment { month, start: 0, end: line.end }),
                (None, None) => {
                    undated += 1;
                    continue;
                }
            }
            plan.lines += 1 + undated;
            undated = 0;
            plan.keep_from = line.end;
        }
        Ok((plan.keep_from > 0).then_some(plan))
    }

    fn lines(&self, live: &File, len: u64) -> Result<Lines, JournalError> {
        let fail = || JournalError::io("read", &self.files.live);
        // A clone shares its place with the original, so only one of them is read at a time.
        let file = live.try_clone().map_err(fail())?;
        Lines::new(file, 0, len, self.config.max_line_bytes).map_err(fail())
    }

    fn write_archive(&self, live: &File, month: &str, segments: &[Segment]) -> Result<(), JournalError> {
        let path = self.files.archive_of(month);
        let write = || {
            let mut file = lock::private().read(true).append(true).create(true).open(&path)?;
            let length = file.metadata()?.len();
            if length > 0 && lines::last_end(&file, length)? != length {
                file.write_all(b"\n")?;
            }
            for segment in segments.iter().filter(|segment| segment.month == month) {
                copy(live, segment.start, segment.end, &mut file)?;
            }
            file.sync_all()
        };
        write().map_err(JournalError::io("write", &path))
    }

    fn start_next(&self, live: &File, from: u64, to: u64) -> Result<File, JournalError> {
        let write = || {
            let mut next = lock::private().write(true).create(true).truncate(true).open(&self.files.next)?;
            copy(live, from, to, &mut next)?;
            next.sync_all()?;
            Ok(next)
        };
        write().map_err(JournalError::io("write", &self.files.next))
    }
}

/// The time of a line, unless it lies in the future: one wrong clock must not keep a journal from rotating.
fn plausible(line: &[u8], now: Timestamp) -> Option<Timestamp> {
    let latest = now.checked_add(CLOCK_SKEW).unwrap_or(Timestamp::MAX);
    lines::timestamp(line).filter(|ts| *ts <= latest)
}

fn days_before(now: Timestamp, days: u32) -> Timestamp {
    now.checked_sub(SignedDuration::from_hours(24 * i64::from(days))).unwrap_or(Timestamp::MIN)
}

/// Appends a stretch of one file to another; an error when the stretch is not all there.
fn copy(mut from: &File, start: u64, end: u64, to: &mut File) -> io::Result<()> {
    from.seek(SeekFrom::Start(start))?;
    let wanted = end.saturating_sub(start);
    let copied = io::copy(&mut from.take(wanted), to)?;
    if copied == wanted { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}
