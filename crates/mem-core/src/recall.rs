use crate::{Kind, Memory, MemoryId, ProjectId, Scope, Status, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Which projects' memories may be seen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ProjectFilter {
    /// Global memories only.
    #[default]
    Global,
    /// Those of one project, and global ones.
    Within(ProjectId),
    /// Every project's: for people, never for injection.
    All,
}

impl ProjectFilter {
    /// Whether a memory of that project (none: global) may be seen.
    pub fn admits(&self, project: Option<&ProjectId>) -> bool {
        match (self, project) {
            (Self::All, _) | (_, None) => true,
            (Self::Global, Some(_)) => false,
            (Self::Within(own), Some(project)) => own == project,
        }
    }
}

/// Which memories take part. Applied inside every channel's search, not after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryFilter {
    /// Whose.
    pub projects: ProjectFilter,
    /// Of these kinds; empty: all.
    pub kinds: Vec<Kind>,
    /// In these states; empty: all.
    pub statuses: Vec<Status>,
    /// Of this reach; none: any.
    pub scope: Option<Scope>,
    /// Only what existed at that time; a memory superseded later counts as it was.
    pub at: Option<Timestamp>,
}

impl Default for MemoryFilter {
    /// Active, global.
    fn default() -> Self {
        Self {
            projects: ProjectFilter::Global,
            kinds: Vec::new(),
            statuses: vec![Status::Active],
            scope: None,
            at: None,
        }
    }
}

impl MemoryFilter {
    /// Active memories of one project, and global ones.
    pub fn within(project: ProjectId) -> Self {
        Self { projects: ProjectFilter::Within(project), ..Self::default() }
    }

    /// Whether a memory passes: what every implementation must agree with.
    pub fn admits(&self, memory: &Memory) -> bool {
        self.projects.admits(memory.project.as_ref())
            && (self.kinds.is_empty() || self.kinds.contains(&memory.kind))
            && (self.statuses.is_empty() || self.statuses.contains(&memory.status))
            && self.scope.is_none_or(|scope| scope == memory.scope)
            && self.at.is_none_or(|at| memory.created <= at)
    }
}

/// A question to the memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// The words; may be a whole prompt.
    pub text: String,
    /// At most so many hits.
    pub limit: usize,
    /// What takes part.
    pub filter: MemoryFilter,
    /// A file or folder at hand, relative to the project's root: what is about it comes nearer.
    pub path: Option<String>,
    /// The instant ages are counted to.
    pub now: Timestamp,
}

impl Query {
    /// A question over active global memories, five hits.
    pub fn new(text: impl Into<String>, now: Timestamp) -> Self {
        Self { text: text.into(), limit: 5, filter: MemoryFilter::default(), path: None, now }
    }

    /// The same question within a project.
    #[must_use]
    pub fn within(mut self, project: ProjectId) -> Self {
        self.filter.projects = ProjectFilter::Within(project);
        self
    }

    /// The same question with another number of hits.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }
}

/// One of the searches whose results are fused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Channel {
    /// BM25 over words, identifiers and CJK bigrams.
    Bm25,
    /// BM25 over the trigrams of the words' letters.
    Trigram,
    /// BM25 over the parts of long memories.
    Passage,
    /// Cosine of embeddings.
    Vector,
    /// Lent by what was said right before and after.
    Neighbour,
    /// Reached over a link from another hit.
    Link,
}

/// A hit's place in one channel.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ChannelScore {
    /// 1 is the best.
    pub rank: usize,
    /// In the channel's own unit: BM25 score, cosine.
    pub score: f64,
}

/// What the fused score was multiplied with; 1 is neutral.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Factors {
    /// Age, in the direction of the kind.
    pub time: f64,
    /// The kind's boost.
    pub kind: f64,
    /// Who said so.
    pub provenance: f64,
    /// Nearness of project and file, and whether anchors still hold.
    pub anchor: f64,
    /// What became of earlier suggestions.
    pub feedback: f64,
}

impl Default for Factors {
    fn default() -> Self {
        Self { time: 1.0, kind: 1.0, provenance: 1.0, anchor: 1.0, feedback: 1.0 }
    }
}

impl Factors {
    /// The product of all.
    pub fn product(&self) -> f64 {
        self.time * self.kind * self.provenance * self.anchor * self.feedback
    }
}

/// A remark that travels with a hit into the injected text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Mark {
    /// It replaced an older statement.
    Updated,
    /// What it hangs on has changed: check before relying on it.
    Verify,
    /// A person pinned it.
    Pinned,
}

/// One recalled memory with the whole reason for its place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// The memory.
    pub memory: Memory,
    /// Fused score times factors; comparable within one answer only.
    pub score: f64,
    /// Where each channel saw it.
    pub channels: BTreeMap<Channel, ChannelScore>,
    /// What moved it.
    pub factors: Factors,
    /// Remarks.
    pub marks: Vec<Mark>,
}

/// Something that was found and left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    /// What.
    pub id: MemoryId,
    /// Why, for a person.
    pub reason: String,
}

/// A part that did not take part in the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Degraded {
    /// Which part: `bm25`, `vector`, `embedder`.
    pub part: String,
    /// Why, and what mends it.
    pub reason: String,
}

/// A ranked, explained answer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Recall {
    /// The best first.
    pub hits: Vec<Hit>,
    /// What was left out on purpose.
    pub dropped: Vec<Dropped>,
    /// What could not take part.
    pub degraded: Vec<Degraded>,
}
