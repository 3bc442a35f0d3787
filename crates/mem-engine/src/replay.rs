//! Past transcripts through the same pipeline as live hooks.

use crate::{Engine, Learned, Observer, Result};
use mem_core::{Cursor, Observation, Phase, ProjectId, SessionId};
use mem_extract::transcript::Transcript;
use serde::Serialize;
use std::collections::{BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::PathBuf;

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
        let observer = Observer::new(self.layout(), self.config());
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
        known: &mut HashSet<u64>,
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
            let mut is_new = true;
            for key in keys(&observation) {
                is_new &= known.insert(key);
            }
            if is_new {
                fresh.push(observation);
            } else {
                replayed.known += 1;
            }
        }
        replayed.observations += fresh.len() as u64;
        for chunk in fresh.chunks(CHUNK) {
            self.log().append(chunk)?;
        }
        Ok(())
    }

    /// Fingerprints of every event the journal and its archive hold.
    fn known_events(&self) -> Result<HashSet<u64>> {
        let journal =
            mem_store::journal::Journal::new(self.layout().journal(), self.config().journal.clone());
        let mut known = HashSet::new();
        for observation in journal.archived().map_err(mem_core::Error::from)? {
            known.extend(keys(&observation.map_err(mem_core::Error::from)?));
        }
        let mut at = Cursor::default();
        loop {
            let batch = self.log().read(at, 4_096)?;
            for (_, observation) in &batch.observations {
                known.extend(keys(observation));
            }
            if batch.next <= at {
                return Ok(known);
            }
            at = batch.next;
        }
    }
}

/// By what an event is known again: the record it was replayed from; the tool call, once before it ran and once
/// after; the words of a prompt or an answer. A live hook and a transcript agree in the latter two.
fn keys(observation: &Observation) -> Vec<u64> {
    let hash = |parts: &[&str]| {
        let mut hasher = DefaultHasher::new();
        parts.hash(&mut hasher);
        hasher.finish()
    };
    let session = observation.session_id.as_str();
    let mut keys = Vec::with_capacity(2);
    if let Some(record) = observation.extra.get(REPLAYED).and_then(|key| key.as_str()) {
        keys.push(hash(&["record", record]));
    }
    let moment = match observation.phase {
        Phase::Pre => "pre",
        Phase::Post | Phase::Failure => "post",
        Phase::Prompt => "prompt",
        Phase::Stop => "stop",
        // A session has one beginning and one end, however often and by whomever they were told.
        Phase::Start | Phase::End => {
            keys.push(hash(&[session, if observation.phase == Phase::Start { "start" } else { "end" }]));
            return keys;
        }
        _ => return keys,
    };
    let told = match observation.phase {
        Phase::Prompt => observation.prompt(),
        Phase::Stop => observation.input_str("last_assistant_message"),
        _ => observation.tool_use_id.as_deref(),
    };
    if let (Some(told), false) = (told, matches!(observation.phase, Phase::Prompt | Phase::Stop)) {
        keys.push(hash(&[session, moment, told]));
    } else if let Some(told) = told.filter(|told| told.chars().count() > REPEATABLE) {
        keys.push(hash(&[session, moment, told]));
    }
    keys
}

/// Prompts up to this many characters are said again in earnest ("continue"); they are told apart by record only.
const REPEATABLE: usize = 12;
