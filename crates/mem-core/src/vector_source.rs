use crate::{
    Embedding, Kind, Language, MemoryFilter, MemoryId, ModelIdentity, ProjectId, Result, Revision, Scope,
    Status, Timestamp, VectorIndex,
};

/// How far a source of vectors has come: two that are equal stand for the same rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Generation {
    /// The store's latest change.
    pub memories: Revision,
    /// The number of the latest [`VectorIndex::put`]; a later one is larger.
    pub vectors: u64,
    /// How often [`VectorIndex::retain`] dropped something. It leaves no trace of what it dropped: with another number
    /// nothing is known any more.
    pub dropped: u64,
}

impl Generation {
    /// Before the first change.
    pub const ZERO: Self = Self { memories: Revision::ZERO, vectors: 0, dropped: 0 };
}

/// What a filter asks about, of one memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Its project; none: global.
    pub project: Option<ProjectId>,
    /// Its kind.
    pub kind: Kind,
    /// Its state.
    pub status: Status,
    /// Its reach.
    pub scope: Scope,
    /// When it came to be.
    pub created: Timestamp,
}

impl Facts {
    /// As [`MemoryFilter::admits`].
    pub fn pass(&self, filter: &MemoryFilter) -> bool {
        filter.projects.admits(self.project.as_ref())
            && (filter.kinds.is_empty() || filter.kinds.contains(&self.kind))
            && (filter.statuses.is_empty() || filter.statuses.contains(&self.status))
            && filter.scope.is_none_or(|scope| scope == self.scope)
            && filter.at.is_none_or(|at| self.created <= at)
    }
}

/// The vectors of one memory as they count at present.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorRow {
    /// The memory.
    pub id: MemoryId,
    /// What filters ask about it.
    pub facts: Facts,
    /// The language of the text that was embedded.
    pub language: Language,
    /// One vector a chunk, in order; never empty. Those made of another text than the present one are not here.
    pub vectors: Vec<Embedding>,
}

/// One step of a view that follows a [`VectorSource`].
#[derive(Debug, Clone, PartialEq)]
pub enum VectorChange {
    /// The memory has these vectors now, and no others.
    Present(VectorRow),
    /// The memory has none that count, or is gone.
    Absent(MemoryId),
}

/// A [`VectorIndex`] whose rows can be read, so that a process that lives long can keep them in memory.
pub trait VectorSource: VectorIndex {
    /// How far it has come. Cheap: a search asks each time.
    ///
    /// # Errors
    /// Of the backend.
    fn generation(&self) -> Result<Generation>;

    /// Hands over what changed since a generation, each memory once at most, and answers the generation that brings the
    /// reader to. After [`Generation::ZERO`], and when [`Generation::dropped`] has another number, it hands over all
    /// that is there: then what the reader has counts no more, and `start` is called first, with true. Otherwise `start`
    /// is called with false.
    ///
    /// A memory may be handed over though nothing a reader sees has changed. All rows are of one state of the store.
    ///
    /// # Errors
    /// Of the backend, and the first of `take`, which ends the reading.
    fn vectors_since(
        &self,
        model: &ModelIdentity,
        since: Generation,
        start: &mut dyn FnMut(bool),
        take: &mut dyn FnMut(VectorChange) -> Result<()>,
    ) -> Result<Generation>;
}
