//! Past transcripts through the same pipeline as live hooks.

use crate::{Engine, Learned, Observer, Result};
use mem_core::{Cursor, Observation, Phase, ProjectId, SessionId};
use mem_extract::transcript::Transcript;
use serde::Serialize;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// What a replay did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Replayed {
    /// Transcripts read.
    pub files: u64,
    /// Files that could not be read, each with the reason.
    pub unreadable: Vec<(PathBuf, String)>,
    /// Sessions found in them.
    pub sessions: u64,
    /// Observations that were new.
    pub observations: u64,
    /// Observations that were known already.
    pub known: u64,
    /// Lines that are no records.
    pub skipped_lines: u64,
    /// What was learned from the new ones.
    pub learned: Learned,
}

#[derive(Serialize)]
struct NewUpdated {
    new: u64,
    updated: u64,
}

impl Serialize for Replayed {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap as _;
        let mut map = serializer.serialize_map(Some(7))?;
        map.serialize_entry("files", &self.files)?;
        map.serialize_entry("sessions", &self.sessions)?;
        map.serialize_entry("observations", &self.observations)?;
        map.serialize_entry("skipped_lines", &self.skipped_lines)?;
        let instincts =
            NewUpdated { new: self.learned.new_instincts, updated: self.learned.updated_instincts };
        map.serialize_entry("instincts", &instincts)?;
        map.serialize_entry("candidates", &self.learned.candidates)?;
        map.serialize_entry("memories", &self.learned.memories)?;
        map.end()
    }
}

/// The record an observation was replayed from, in its `extra`.
const REPLAYED: &str = "replayed";
/// Marks an observation of a session without a person, in its `extra`: nobody's words are in its prompts.
pub(crate) const UNATTENDED: &str = "unattended";
/// Observations written at a time.
const CHUNK: usize = 512;

impl Engine {
    /// Reads transcripts (files, or folders of them), appends what the journal does not hold yet, and learns from it.
    ///
    /// `project_of` names the project of a working directory; `progress` is called after each file with how many are
    /// done and how many there are.
    ///
    /// # Errors
    /// When a path does not exist, or the journal or the store cannot be written. A transcript that cannot be read is
    /// reported in [`Replayed::unreadable`].
    pub fn replay(
        &self,
        paths: &[PathBuf],
        project_of: &dyn Fn(&str) -> Option<ProjectId>,
        progress: &dyn Fn(usize, usize),
    ) -> Result<Replayed> {
        let mut files = Vec::new();
        for path in paths {
            std::fs::metadata(path).map_err(crate::EngineError::file("read", path))?;
            files.extend(mem_extract::transcript::find_transcripts(path));
        }
        // In the order in which they happened: what was learned earlier decides what later sessions count against.
        files.sort_by_cached_key(|file| (began(file), file.clone()));
        let observer = self.observer();
        let mut known = self.known_events()?;
        let mut sessions: BTreeSet<SessionId> = BTreeSet::new();
        let mut replayed = Replayed::default();
        for (done, file) in files.iter().enumerate() {
            match mem_extract::transcript::read_transcript(file, &self.config().transcript) {
                Ok(transcript) => {
                    replayed.files += 1;
                    self.replay_one(
                        transcript,
                        &observer,
                        project_of,
                        &mut known,
                        &mut sessions,
                        &mut replayed,
                    )?;
                }
                Err(error) => replayed.unreadable.push((file.clone(), error.to_string())),
            }
            progress(done + 1, files.len());
        }
        replayed.sessions = sessions.len() as u64;
        replayed.learned = self.learn(None)?;
        Ok(replayed)
    }

    fn replay_one(
        &self,
        transcript: Transcript,
        observer: &Observer,
        project_of: &dyn Fn(&str) -> Option<ProjectId>,
        known: &mut Known,
        sessions: &mut BTreeSet<SessionId>,
        replayed: &mut Replayed,
    ) -> Result<()> {
        replayed.skipped_lines += transcript.summary.skipped_lines.values().sum::<u64>();
        let undated = self.now();
        let mut fresh: Vec<Observation> = Vec::new();
        for item in transcript.items {
            let cwd = item.payload.get("cwd").and_then(|cwd| cwd.as_str());
            let project = cwd.and_then(project_of);
            let Some(mut observation) =
                observer.observe(&item.payload, item.at.unwrap_or(undated), project.as_ref())
            else {
                continue;
            };
            observation.extra.insert(REPLAYED.to_owned(), item.key.as_str().into());
            if !item.interactive {
                observation.extra.insert(UNATTENDED.to_owned(), true.into());
            }
            sessions.insert(observation.session_id.clone());
            if known.meets(&observation) {
                replayed.known += 1;
            } else {
                fresh.push(observation);
            }
        }
        replayed.observations += fresh.len() as u64;
        for chunk in fresh.chunks(CHUNK) {
            self.log().append(chunk)?;
        }
        Ok(())
    }

    /// What the journal and its archive hold, to be recognised.
    fn known_events(&self) -> Result<Known> {
        let journal =
            mem_store::journal::Journal::new(self.layout().journal(), self.config().journal.clone());
        let mut known = Known::default();
        for observation in journal.archived().map_err(mem_core::Error::from)? {
            known.note(&observation.map_err(mem_core::Error::from)?);
        }
        let mut at = Cursor::default();
        loop {
            let batch = self.log().read(at, 4_096)?;
            for (_, observation) in &batch.observations {
                known.note(observation);
            }
            if batch.next <= at {
                return Ok(known);
            }
            at = batch.next;
        }
    }
}

/// The first time a transcript names, as text that sorts by time; empty when its beginning names none.
fn began(file: &Path) -> String {
    const KEY: &[u8] = b"\"timestamp\":\"";
    let mut head = Vec::new();
    let read = std::fs::File::open(file).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    if read.is_err() {
        return String::new();
    }
    let found = head.windows(KEY.len()).position(|window| window == KEY);
    let value = found.and_then(|at| head.get(at + KEY.len()..)).unwrap_or_default();
    let end = value.iter().position(|byte| *byte == b'"').unwrap_or(0).min(40);
    String::from_utf8_lossy(value.get(..end).unwrap_or_default()).into_owned()
}

/// Where a transcript's first time is looked for, in bytes.
const HEAD: u64 = 64 * 1024;

/// The events that were written before, by what they are known again.
#[derive(Debug, Default)]
struct Known {
    /// The record an event was replayed from; a tool call, once before it ran and once after; a session's two ends.
    exact: HashSet<u64>,
    /// Words that live hooks saw, and how often: people say "continue" again in earnest, so each is met once.
    said: HashMap<u64, u32>,
}

impl Known {
    fn note(&mut self, observation: &Observation) {
        let replayed = record_key(observation);
        let live = replayed.is_none();
        self.exact.extend(replayed);
        self.exact.extend(event_key(observation));
        if let (true, Some(key)) = (live, words_key(observation)) {
            *self.said.entry(key).or_default() += 1;
        }
    }

    /// Whether a replayed event was there before; from now on it is.
    fn meets(&mut self, observation: &Observation) -> bool {
        let again = record_key(observation).is_some_and(|key| !self.exact.insert(key));
        let same = event_key(observation).is_some_and(|key| !self.exact.insert(key));
        if again || same {
            return true;
        }
        match words_key(observation).and_then(|key| self.said.get_mut(&key)) {
            Some(left) if *left > 0 => {
                *left -= 1;
                true
            }
            _ => false,
        }
    }
}

fn hash(parts: &[&str]) -> u64 {
    let mut hasher = DefaultHasher::new();
    parts.hash(&mut hasher);
    hasher.finish()
}

/// The record a replayed event came from.
fn record_key(observation: &Observation) -> Option<u64> {
    Some(hash(&["record", observation.extra.get(REPLAYED)?.as_str()?]))
}

/// An event that happens once: a tool call before and after it ran, a session's beginning and end.
fn event_key(observation: &Observation) -> Option<u64> {
    let session = observation.session_id.as_str();
    let call = observation.tool_use_id.as_deref();
    match observation.phase {
        Phase::Pre => Some(hash(&[session, "pre", call?])),
        Phase::Post | Phase::Failure => Some(hash(&[session, "post", call?])),
        Phase::Start => Some(hash(&[session, "start"])),
        Phase::End => Some(hash(&[session, "end"])),
        _ => None,
    }
}

/// What was said in a session.
fn words_key(observation: &Observation) -> Option<u64> {
    let session = observation.session_id.as_str();
    match observation.phase {
        Phase::Prompt => Some(hash(&[session, "prompt", observation.prompt()?])),
        Phase::Stop => Some(hash(&[session, "stop", observation.input_str("last_assistant_message")?])),
        _ => None,
    }
}
