use crate::{
    Evidence, Instinct, InstinctId, InstinctScope, InstinctStatus, Kind, Memory, MemoryFilter, MemoryId,
    Observation, ProjectFilter, ProjectId, Result, SessionId, Status, Timestamp,
};
use serde::{Deserialize, Serialize};

/// A place in an observation log, to read on from. Survives rotation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cursor(
    /// Bytes ever written before that place, including what was archived since.
    pub u64,
);

/// A stretch of an observation log.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LogBatch {
    /// The observations, as written, each with the place right behind it.
    pub observations: Vec<(Cursor, Observation)>,
    /// Where to read on.
    pub next: Cursor,
    /// Lines that are not observations: torn, damaged, of a later version.
    pub skipped: u64,
}

/// Observations, append-only.
pub trait ObservationLog: Send + Sync {
    /// Appends whole lines, all or none. Many processes may append at once; no line is ever torn by another.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Unavailable`] when the disk is full or read-only, or a lock is held for too long.
    fn append(&self, observations: &[Observation]) -> Result<()>;

    /// Up to `limit` observations from a place on, oldest first. A last line without its end is left for next time.
    ///
    /// A cursor from before what is still live goes on at the oldest live line.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Unavailable`] when it cannot be read.
    fn read(&self, from: Cursor, limit: usize) -> Result<LogBatch>;

    /// The place behind the last whole line.
    ///
    /// # Errors
    /// As [`ObservationLog::read`].
    fn end(&self) -> Result<Cursor>;
}

/// The number of a change; a later one is larger.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Revision(
    /// Counted from 1; 0 is the empty store.
    pub u64,
);

impl Revision {
    /// Before the first change.
    pub const ZERO: Self = Self(0);
}

/// The present state of a memory that changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The number of its last change.
    pub revision: Revision,
    /// Which.
    pub id: MemoryId,
    /// What it is now; none when it was removed.
    pub memory: Option<Memory>,
}

/// Memories: the system of record. Views follow by [`MemoryStore::changes_since`].
///
/// Every method is one transaction: it happened whole and is durable when it returns, or it did not happen.
pub trait MemoryStore: Send + Sync {
    /// Writes memories whole, new or not. Idempotent but for the revision.
    ///
    /// # Errors
    /// [`crate::Error::Invalid`] for one that contradicts itself (a project scope without a project).
    fn put(&self, memories: &[Memory]) -> Result<Revision>;

    /// The memories with these ids, in the order asked, none for a missing id. Any status.
    ///
    /// # Errors
    /// Of the backend.
    fn get(&self, ids: &[MemoryId]) -> Result<Vec<Option<Memory>>>;

    /// The one id that begins with `prefix`.
    ///
    /// # Errors
    /// [`crate::Error::NotFound`], [`crate::Error::Ambiguous`].
    fn resolve(&self, prefix: &str) -> Result<MemoryId>;

    /// Writes a memory, unless one of the same project says the same already: then that one comes back and nothing is
    /// written. Of several writers of one statement exactly one gets none.
    ///
    /// # Errors
    /// As [`MemoryStore::put`].
    fn put_unless_same(&self, memory: &Memory) -> Result<Option<Memory>>;

    /// A memory of the same project whose normalised body is the same (SHA-256 of NFKC, lower case, single spaces, without full stops at the end),
    /// whatever its status; an active one first. Reason and use do not make another statement of it.
    ///
    /// # Errors
    /// Of the backend.
    fn find_same(&self, memory: &Memory) -> Result<Option<Memory>>;

    /// Memories that pass the filter, the last updated first, ties by id.
    ///
    /// # Errors
    /// Of the backend.
    fn list(&self, filter: &MemoryFilter, limit: usize) -> Result<Vec<Memory>>;

    /// Memories that pass the filter, the most important first: pinned ones, then by importance, then by confidence,
    /// then the last updated, ties by id.
    ///
    /// # Errors
    /// Of the backend.
    fn most_important(&self, filter: &MemoryFilter, limit: usize) -> Result<Vec<Memory>>;

    /// Marks `old` as superseded by `new`, with links both ways, and writes `new`; one transaction.
    ///
    /// # Errors
    /// [`crate::Error::NotFound`] when `old` is unknown; [`crate::Error::Invalid`] when both are the same.
    fn supersede(&self, old: &MemoryId, new: &Memory, now: Timestamp) -> Result<Revision>;

    /// Removes. Not `hard`: it can be restored for 30 days. `hard`: nothing of its text remains in the store.
    /// Either way [`MemoryStore::was_forgotten`] knows its text again.
    ///
    /// # Errors
    /// [`crate::Error::NotFound`].
    fn remove(&self, id: &MemoryId, hard: bool, now: Timestamp) -> Result<Revision>;

    /// For each of `ids`, in the order asked, the memories told right before and right after it in its session (see
    /// [`crate::Provenance::ordinal`]), whatever their status; nothing where order means nothing.
    ///
    /// # Errors
    /// Of the backend.
    fn neighbours(&self, ids: &[MemoryId]) -> Result<Vec<Vec<MemoryId>>> {
        Ok(vec![Vec::new(); ids.len()])
    }

    /// Whether a memory with this normalised text was removed by a person from the same project.
    ///
    /// # Errors
    /// Of the backend.
    fn was_forgotten(&self, memory: &Memory) -> Result<bool>;

    /// Counts an access of each. Changes no revision; unknown ids are passed over.
    ///
    /// # Errors
    /// Of the backend.
    fn touch(&self, ids: &[MemoryId], now: Timestamp) -> Result<()>;

    /// The number of the latest change.
    ///
    /// # Errors
    /// Of the backend.
    fn revision(&self) -> Result<Revision>;

    /// What changed after a revision, each memory once with its present state, oldest change first.
    ///
    /// # Errors
    /// Of the backend.
    fn changes_since(&self, revision: Revision, limit: usize) -> Result<Vec<Change>>;

    /// How many memories there are of each kind and status, over all projects.
    ///
    /// # Errors
    /// Of the backend.
    fn counts(&self) -> Result<Vec<(Kind, Status, u64)>>;
}

/// Which instincts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InstinctFilter {
    /// Whose.
    pub projects: ProjectFilter,
    /// In these states; empty: all.
    pub statuses: Vec<InstinctStatus>,
    /// Of this reach; none: any.
    pub scope: Option<InstinctScope>,
}

/// Instincts and the evidence they follow from. Every method is one transaction.
pub trait InstinctStore: Send + Sync {
    /// Writes instincts whole, new or not.
    ///
    /// # Errors
    /// [`crate::Error::Invalid`] for one that contradicts itself.
    fn put_instincts(&self, instincts: &[Instinct]) -> Result<()>;

    /// One instinct by id or unique prefix of it.
    ///
    /// # Errors
    /// [`crate::Error::NotFound`], [`crate::Error::Ambiguous`].
    fn instinct(&self, id: &str) -> Result<Instinct>;

    /// Those that pass the filter, the most confident first, ties by id.
    ///
    /// # Errors
    /// Of the backend.
    fn instincts(&self, filter: &InstinctFilter) -> Result<Vec<Instinct>>;

    /// Adds evidence; one for the same instinct, session and kind replaces the earlier one. Without a session it
    /// is the same only at the same instant, so that several edits or dormant stretches all count.
    ///
    /// # Errors
    /// [`crate::Error::NotFound`] when the instinct is unknown.
    fn add_evidence(&self, id: &InstinctId, evidence: &[Evidence]) -> Result<()>;

    /// All evidence of an instinct, oldest first.
    ///
    /// # Errors
    /// Of the backend; an unknown id has none.
    fn evidence(&self, id: &InstinctId) -> Result<Vec<Evidence>>;

    /// Removes an instinct with its evidence, and remembers that it must not be learned again.
    ///
    /// # Errors
    /// [`crate::Error::NotFound`].
    fn remove_instinct(&self, id: &InstinctId, now: Timestamp) -> Result<()>;

    /// Whether a person removed this instinct.
    ///
    /// # Errors
    /// Of the backend.
    fn instinct_was_forgotten(&self, id: &InstinctId) -> Result<bool>;
}

/// One thing that was put before the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InjectionRecord {
    /// What: a memory's or an instinct's id.
    pub item: String,
    /// The hook event that carried it.
    pub event: String,
    /// SHA-256 of the normalised text as it was shown, hex: own output is known again by it.
    pub fingerprint: String,
    /// When.
    pub at: Timestamp,
}

/// What was injected, where: nothing is shown twice in a session, nothing of ours is learned back.
pub trait InjectionStore: Send + Sync {
    /// Notes injections of a session.
    ///
    /// # Errors
    /// Of the backend.
    fn record_injections(&self, session: &SessionId, records: &[InjectionRecord]) -> Result<()>;

    /// What a session was shown since its context was last emptied, oldest first.
    ///
    /// # Errors
    /// Of the backend.
    fn injections(&self, session: &SessionId) -> Result<Vec<InjectionRecord>>;

    /// The session's context was emptied (compaction, clear): what was shown may be shown again.
    /// With `event`, only what that event carried. Fingerprints stay known.
    ///
    /// # Errors
    /// Of the backend.
    fn forget_injections(&self, session: &SessionId, event: Option<&str>) -> Result<()>;

    /// Which of these fingerprints were ever injected, in the order asked.
    ///
    /// # Errors
    /// Of the backend.
    fn was_injected(&self, fingerprints: &[&str]) -> Result<Vec<bool>>;
}

/// Everything a system of record offers: memories, instincts, injections and named values.
pub trait Store: MemoryStore + InstinctStore + InjectionStore {
    /// A named value, such as a cursor.
    ///
    /// # Errors
    /// Of the backend.
    fn meta(&self, key: &str) -> Result<Option<String>>;

    /// Sets named values, all or none; none as value removes the name.
    ///
    /// # Errors
    /// Of the backend.
    fn set_meta(&self, values: &[(&str, Option<&str>)]) -> Result<()>;

    /// The projects that have memories or instincts, by id.
    ///
    /// # Errors
    /// Of the backend.
    fn projects(&self) -> Result<Vec<ProjectId>>;
}
