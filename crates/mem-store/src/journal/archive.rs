use super::{Journal, JournalError, files::Files, lines};
use super::{Lines, Parsed};
use mem_core::Observation;
use serde::Serialize;
use std::{collections::VecDeque, fs::File};

/// How large a journal is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct JournalCounts {
    /// Lines of the live file, damaged ones included, one without its end not.
    pub live_lines: u64,
    /// Bytes of the live file.
    pub live_bytes: u64,
    /// Lines that rotations moved out.
    pub archived_lines: u64,
    /// Bytes of the archives.
    pub archived_bytes: u64,
    /// How many months have an archive.
    pub archives: u64,
}

/// Archived observations, month by month, within a month in the order they were moved. Reads as it goes.
///
/// After an error it goes on with the next month.
#[derive(Debug)]
pub struct Archived {
    files: Files,
    months: VecDeque<(String, u64)>,
    current: Option<(String, Lines)>,
    text: Vec<u8>,
    max_line: usize,
    skipped: u64,
}

impl Journal {
    /// Lines and bytes, live and archived. Reads the live file once.
    ///
    /// # Errors
    /// [`JournalError::Io`] when something cannot be read, [`JournalError::Busy`] when it stays locked.
    pub fn counts(&self) -> Result<JournalCounts, JournalError> {
        let snapshot = self.snapshot()?;
        let live_lines = match &snapshot.live {
            Some(file) => {
                lines::count(file, snapshot.len).map_err(JournalError::io("read", &self.files.live))?
            }
            None => 0,
        };
        Ok(JournalCounts {
            live_lines,
            live_bytes: snapshot.len,
            archived_lines: snapshot.state.archived_lines,
            archived_bytes: snapshot.archives.iter().map(|(_, bytes)| bytes).sum(),
            archives: snapshot.archives.len() as u64,
        })
    }

    /// The archived observations as of now. What an unfinished rotation copied is not among them: it is still live.
    ///
    /// # Errors
    /// As [`Journal::counts`].
    pub fn archived(&self) -> Result<Archived, JournalError> {
        Ok(Archived {
            months: self.snapshot()?.archives.into(),
            files: self.files.clone(),
            current: None,
            text: Vec::new(),
            max_line: self.config.max_line_bytes,
            skipped: 0,
        })
    }
}

impl Archived {
    /// How many lines so far were no observations.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    fn step(&mut self) -> Result<Option<Observation>, JournalError> {
        loop {
            let (month, reader) = match &mut self.current {
                Some(current) => current,
                None => {
                    let Some((month, bytes)) = self.months.pop_front() else { return Ok(None) };
                    let path = self.files.archive_of(&month);
                    let reader = File::open(&path).and_then(|file| Lines::new(file, 0, bytes, self.max_line));
                    self.current.insert((month, reader.map_err(JournalError::io("read", &path))?))
                }
            };
            let next = reader.next(&mut self.text);
            let Some(line) = next.map_err(|e| JournalError::io("read", &self.files.archive_of(month))(e))?
            else {
                self.current = None;
                continue;
            };
            match if line.too_long { Parsed::Damaged } else { lines::parse(&self.text) } {
                Parsed::Observation(observation) => return Ok(Some(*observation)),
                Parsed::Blank => {}
                Parsed::Damaged => self.skipped += 1,
            }
        }
    }
}

impl Iterator for Archived {
    type Item = Result<Observation, JournalError>;

    fn next(&mut self) -> Option<Self::Item> {
        let step = self.step();
        if step.is_err() {
            self.current = None;
        }
        step.transpose()
    }
}
