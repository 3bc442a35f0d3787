//! Storing and correcting what is known.

use crate::{Engine, EngineError, Result};
use mem_core::{
    Anchor, Candidate, Kind, Link, LinkKind, Memory, MemoryFilter, MemoryId, ProjectId, Provenance,
    ProvenanceKind, Scope, Status, Timestamp, Unit,
};
use serde::{Deserialize, Serialize};

/// Something to remember, as a person or a program says it.
///
/// ```
/// use mem_engine::{Kind, NewMemory};
/// let new = NewMemory::new("Wait for the user's confirmation before committing").kind(Kind::Feedback).why("they review first");
/// assert_eq!(new.kind, Kind::Feedback);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct NewMemory {
    /// The statement.
    pub text: String,
    /// What sort of knowledge; a fact unless said otherwise.
    pub kind: Kind,
    /// Its name; made from the text when none is given.
    pub name: Option<String>,
    /// One line; made from the text when none is given.
    pub description: Option<String>,
    /// Why it is so.
    pub why: Option<String>,
    /// What follows from it.
    pub how: Option<String>,
    /// When to think of it.
    pub trigger: Option<String>,
    /// Labels.
    pub tags: Vec<String>,
    /// How far it reaches; the person's own (`user`) are global, others belong to the project where one is given.
    pub scope: Option<Scope>,
    /// The project it is said in.
    pub project: Option<ProjectId>,
    /// The folder or file of the narrower scopes.
    pub path: Option<String>,
    /// Files it hangs on.
    pub anchors: Vec<Anchor>,
    /// Days it lives.
    pub ttl_days: Option<u32>,
    /// Who says so.
    pub provenance: Provenance,
    /// How sure it is.
    pub confidence: Unit,
    /// How much it matters; as its kind's policy says when nothing is given.
    pub importance: Option<Unit>,
    /// Where in its life it starts.
    pub status: Status,
    /// When it was said; the engine's clock when none is given.
    pub at: Option<Timestamp>,
}

impl NewMemory {
    /// A fact stated by the user.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            kind: Kind::Fact,
            name: None,
            description: None,
            why: None,
            how: None,
            trigger: None,
            tags: Vec::new(),
            scope: None,
            project: None,
            path: None,
            anchors: Vec::new(),
            ttl_days: None,
            provenance: ProvenanceKind::User.into(),
            confidence: Unit::saturating(0.9),
            importance: None,
            status: Status::Active,
            at: None,
        }
    }

    /// Sets the kind.
    #[must_use]
    pub fn kind(mut self, kind: Kind) -> Self {
        self.kind = kind;
        self
    }

    /// Sets the reason.
    #[must_use]
    pub fn why(mut self, why: impl Into<String>) -> Self {
        self.why = Some(why.into());
        self
    }

    /// Sets the project it is said in.
    #[must_use]
    pub fn project(mut self, project: ProjectId) -> Self {
        self.project = Some(project);
        self
    }

    pub(crate) fn from_candidate(candidate: &Candidate, project: Option<&ProjectId>, active: bool) -> Self {
        let provenance = match (candidate.explicit, candidate.kind) {
            (true, _) | (_, Kind::Feedback | Kind::User) => ProvenanceKind::User,
            (_, Kind::Correction) => ProvenanceKind::Correction,
            _ => ProvenanceKind::Conversation,
        };
        Self {
            why: candidate.why.clone(),
            tags: candidate.tags.clone(),
            scope: candidate.global.then_some(Scope::Global),
            project: project.cloned(),
            provenance: Provenance {
                kind: provenance,
                session: Some(candidate.session.clone()),
                ordinal: None,
                reference: None,
            },
            confidence: candidate.confidence,
            importance: Some(candidate.importance),
            status: if active { Status::Active } else { Status::Candidate },
            at: Some(candidate.at),
            ..Self::new(candidate.text.clone()).kind(candidate.kind)
        }
    }
}

/// What became of something that was to be remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Outcome {
    /// Stored as new.
    Created,
    /// The same was known; it is fresh again.
    Refreshed,
    /// It was united with one that says the same in other words.
    Merged,
    /// It replaced an older statement.
    Superseded,
}

/// The answer to a [`NewMemory`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Remembered {
    /// The memory that now says it.
    pub id: MemoryId,
    /// What happened.
    pub outcome: Outcome,
    /// The memory that was merged or superseded.
    pub other: Option<MemoryId>,
    /// How many secrets were taken out before storing.
    #[serde(skip)]
    pub redacted: u64,
}

impl Engine {
    /// Stores a memory and returns once the next process can recall it.
    ///
    /// Secrets are taken out first. The same statement in the same project is not stored twice: the known one is
    /// refreshed, and comes back when it had expired or was archived.
    ///
    /// # Errors
    /// [`EngineError::Core`] of kind `Invalid` for an empty text or a project scope without a project.
    pub fn remember(&self, new: &NewMemory) -> Result<Remembered> {
        let (memory, redacted) = self.compose(new)?;
        let remembered = self.admit(memory, redacted)?;
        // The truth is committed; views that cannot follow now will before they answer.
        self.follow();
        Ok(remembered)
    }

    /// Builds the memory a [`NewMemory`] asks for: redacted, named, scoped, its language told.
    pub(crate) fn compose(&self, new: &NewMemory) -> Result<(Memory, u64)> {
        let mut redacted = 0;
        let mut clean = |text: &str| {
            let plain = text.replace("\r\n", "\n").replace(['\r', '\0'], "\n");
            let clean = self.redactor().redact(&plain);
            redacted += u64::from(clean.counts.total());
            clean.text.trim().to_owned()
        };
        let text = clean(&new.text);
        if text.is_empty() {
            return Err(mem_core::Error::invalid("a text to remember", "nothing").into());
        }
        let (most, chars) = (self.config().max_memory_chars, text.chars().count());
        if chars > most {
            let expected =
                format!("a memory of at most {most} characters; keep the text in a file and remember where");
            return Err(mem_core::Error::invalid(expected, format!("{chars} characters")).into());
        }
        let optional = |text: &Option<String>, clean: &mut dyn FnMut(&str) -> String| {
            text.as_deref().map(clean).filter(|text| !text.is_empty())
        };
        let now = self.now();
        let at = new.at.unwrap_or(now);
        let mut memory = Memory::new(new.kind, text, at);
        memory.why = optional(&new.why, &mut clean);
        memory.how = optional(&new.how, &mut clean);
        memory.trigger = optional(&new.trigger, &mut clean);
        if let Some(name) = optional(&new.name, &mut clean) {
            memory.name = name;
        }
        if let Some(description) = optional(&new.description, &mut clean) {
            memory.description = description;
        }
        let mut tags: Vec<String> =
            new.tags.iter().map(|tag| clean(tag)).filter(|tag| !tag.is_empty()).collect();
        tags.dedup();
        memory.tags = tags;
        let scope = new.scope.unwrap_or(match (&new.project, &new.path) {
            (_, Some(_)) => Scope::File,
            (None, _) => Scope::Global,
            _ if new.kind == Kind::User => Scope::Global,
            _ => Scope::Project,
        });
        if scope != Scope::Global {
            let project = new.project.clone().ok_or_else(|| {
                mem_core::Error::invalid(format!("a project for the scope {scope}"), "none")
            })?;
            memory.scope = scope;
            memory = memory.in_project(project);
        }
        if matches!(scope, Scope::Module | Scope::File) && new.path.is_none() {
            return Err(mem_core::Error::invalid(format!("a path for the scope {scope}"), "none").into());
        }
        memory.path = new.path.as_deref().map(|path| path.replace('\\', "/"));
        memory.anchors.clone_from(&new.anchors);
        if let (Some(path), true) = (&memory.path, memory.anchors.is_empty() && scope == Scope::File) {
            memory.anchors.push(Anchor { path: path.clone(), content_hash: None, commit: None });
        }
        memory.ttl_days = new.ttl_days;
        memory.provenance = new.provenance.clone();
        memory.confidence = new.confidence;
        memory.importance =
            new.importance.unwrap_or_else(|| Unit::saturating(self.policy().of(new.kind).importance));
        memory.status = new.status;
        memory.language = mem_index::detect(&memory.full_text());
        Ok((memory, redacted))
    }

    /// Puts a memory into the store, or refreshes the one that says the same.
    pub(crate) fn admit(&self, memory: Memory, redacted: u64) -> Result<Remembered> {
        if let Some(mut known) = self.store().put_unless_same(&memory)? {
            let restated = known.status == Status::Superseded
                && memory.status == Status::Active
                && memory.provenance.kind == ProvenanceKind::User;
            if restated {
                return self.reinstate(known, &memory, redacted);
            }
            let refreshed = refresh(&mut known, &memory, self.now());
            if refreshed {
                self.store().put(std::slice::from_ref(&known))?;
            }
            return Ok(Remembered { id: known.id, outcome: Outcome::Refreshed, other: None, redacted });
        }
        Ok(Remembered { id: memory.id, outcome: Outcome::Created, other: None, redacted })
    }

    /// A person says again what had been replaced: it holds again, and replaces what had replaced it.
    fn reinstate(&self, mut known: Memory, said: &Memory, redacted: u64) -> Result<Remembered> {
        let now = self.now();
        let mut newest = None;
        let mut next = replaced_by(&known);
        // Chains are short; the bound keeps a damaged one from going round.
        for _ in 0..64 {
            let Some(id) = next.take() else { break };
            newest = self.store().get(std::slice::from_ref(&id))?.into_iter().next().flatten();
            next = newest.as_ref().and_then(replaced_by).filter(|id| *id != known.id);
        }
        known.links.retain(|link| link.kind != LinkKind::SupersededBy);
        known.status = Status::Active;
        refresh(&mut known, said, now);
        known.updated = now;
        let other = match newest {
            Some(mut newest) => {
                newest.links.retain(|link| !(link.kind == LinkKind::Supersedes && link.to == known.id));
                self.store().put(std::slice::from_ref(&newest))?;
                self.store().supersede(&newest.id, &known, now)?;
                Some(newest.id)
            }
            None => {
                self.store().put(std::slice::from_ref(&known))?;
                None
            }
        };
        let outcome = if other.is_some() { Outcome::Superseded } else { Outcome::Refreshed };
        Ok(Remembered { id: known.id, outcome, other, redacted })
    }

    /// The memory whose id begins with `prefix`.
    ///
    /// # Errors
    /// When none or several do.
    pub fn memory(&self, prefix: &str) -> Result<Memory> {
        let id = self.store().resolve(prefix)?;
        let found = self.store().get(std::slice::from_ref(&id))?.into_iter().next().flatten();
        found.ok_or_else(|| {
            EngineError::from(mem_core::Error::NotFound { what: "memory", id: id.to_string() })
        })
    }

    /// Memories that pass a filter, the last updated first.
    ///
    /// # Errors
    /// Of the store.
    pub fn memories(&self, filter: &MemoryFilter, limit: usize) -> Result<Vec<Memory>> {
        Ok(self.store().list(filter, limit)?)
    }

    /// Takes over a memory as a person edited it: redacted, its language told anew, updated now.
    ///
    /// # Errors
    /// When the store refuses it.
    pub fn edit(&self, mut memory: Memory) -> Result<Memory> {
        let clean = |text: &str| self.redactor().redact(text).text.into_owned();
        memory.body = clean(&memory.body);
        memory.name = clean(&memory.name);
        memory.description = clean(&memory.description);
        for part in [&mut memory.why, &mut memory.how, &mut memory.trigger] {
            *part = part.as_deref().map(clean).filter(|text| !text.trim().is_empty());
        }
        if memory.body.trim().is_empty() {
            return Err(mem_core::Error::invalid("a body", "nothing; `mem forget` removes a memory").into());
        }
        memory.language = mem_index::detect(&memory.full_text());
        memory.updated = self.now();
        self.store().put(std::slice::from_ref(&memory))?;
        self.follow();
        Ok(memory)
    }

    /// Removes memories; `hard` leaves nothing of their text in the store. All of them or, when one id is wrong, none.
    ///
    /// # Errors
    /// When an id fits none or several.
    pub fn forget(&self, prefixes: &[String], hard: bool) -> Result<Vec<MemoryId>> {
        let ids = prefixes
            .iter()
            .map(|prefix| match self.store().resolve(prefix) {
                // What was forgotten softly can still be forgotten for good.
                Err(error) if hard && error.kind() == mem_core::ErrorKind::NotFound => {
                    Ok(self.in_trash(prefix)?.id)
                }
                found => Ok(found?),
            })
            .collect::<Result<Vec<_>>>()?;
        let now = self.now();
        let mut done: Vec<MemoryId> = Vec::with_capacity(ids.len());
        for id in ids {
            if !done.contains(&id) {
                let memory = self.store().get(std::slice::from_ref(&id))?.into_iter().next().flatten();
                self.store().remove(&id, hard, now)?;
                if let Some(memory) = memory {
                    self.unmirror(&memory, hard)?;
                }
                done.push(id);
            }
        }
        self.follow();
        Ok(done)
    }

    /// Says yes to a memory: a candidate, an expired or archived one becomes active, and its life starts anew.
    ///
    /// # Errors
    /// When the id fits none or several; when it was superseded.
    pub fn confirm(&self, prefix: &str) -> Result<Memory> {
        let mut memory = self.memory(prefix)?;
        if memory.status == Status::Superseded {
            let newer = memory.links.iter().find(|link| link.kind == LinkKind::SupersededBy);
            let newer = newer.map_or_else(|| "a newer one".to_owned(), |link| link.to.to_string());
            return Err(mem_core::Error::invalid(
                "a memory that is not superseded",
                format!("{} (by {newer})", memory.id),
            )
            .into());
        }
        memory.status = Status::Active;
        memory.updated = self.now();
        memory.confidence = Unit::saturating(memory.confidence.get().max(0.9));
        self.store().put(std::slice::from_ref(&memory))?;
        self.follow();
        Ok(memory)
    }

    /// Marks one memory as replaced by another that is already stored.
    ///
    /// # Errors
    /// When an id fits none or several, or both are the same.
    pub fn supersede(&self, old: &str, new: &str) -> Result<(Memory, Memory)> {
        let (old, new) = (self.memory(old)?, self.memory(new)?);
        if new.status == Status::Superseded {
            let got = format!("{}, which was replaced itself", new.id);
            return Err(mem_core::Error::invalid("a newer memory that still holds", got).into());
        }
        if old.project != new.project && new.project.is_some() {
            return Err(mem_core::Error::invalid(
                "two memories of one project, or a global newer one",
                format!("{} of {} and {} of {}", old.id, owner(&old), new.id, owner(&new)),
            )
            .into());
        }
        self.store().supersede(&old.id, &new, self.now())?;
        self.follow();
        Ok((self.memory(old.id.as_str())?, self.memory(new.id.as_str())?))
    }

    /// Links one memory to another.
    ///
    /// # Errors
    /// When an id fits none or several, or both are the same; [`LinkKind::Supersedes`] goes by [`Engine::supersede`].
    pub fn link(&self, from: &str, kind: LinkKind, to: &str) -> Result<Memory> {
        match kind {
            LinkKind::Supersedes => return Ok(self.supersede(to, from)?.1),
            LinkKind::SupersededBy => return Ok(self.supersede(from, to)?.0),
            _ => {}
        }
        let (mut from, to) = (self.memory(from)?, self.memory(to)?);
        if from.id == to.id {
            return Err(mem_core::Error::invalid("two different memories", from.id.as_str()).into());
        }
        let link = Link { kind, to: to.id };
        if !from.links.contains(&link) {
            from.links.push(link);
            self.store().put(std::slice::from_ref(&from))?;
            self.follow();
        }
        Ok(from)
    }

    /// Pins a memory, so that it never leaves by itself, or unpins it.
    ///
    /// # Errors
    /// When the id fits none or several.
    pub fn pin(&self, prefix: &str, pinned: bool) -> Result<Memory> {
        let mut memory = self.memory(prefix)?;
        if memory.pinned != pinned {
            memory.pinned = pinned;
            self.store().put(std::slice::from_ref(&memory))?;
            self.follow();
        }
        Ok(memory)
    }
}

fn replaced_by(memory: &Memory) -> Option<MemoryId> {
    memory.links.iter().find(|link| link.kind == LinkKind::SupersededBy).map(|link| link.to.clone())
}

fn owner(memory: &Memory) -> &str {
    memory.project.as_ref().map_or("no project", ProjectId::as_str)
}

/// Unites what is known with what was said again. Returns whether anything changed.
fn refresh(known: &mut Memory, said: &Memory, now: Timestamp) -> bool {
    let before = known.clone();
    let said_at = said.created.min(now);
    if said_at > known.updated {
        known.updated = said_at;
    }
    // A superseded statement that is made again holds again only by a decision of a person.
    if known.status != Status::Superseded && said.status == Status::Active {
        known.status = Status::Active;
    }
    known.confidence = Unit::saturating(known.confidence.get().max(said.confidence.get()));
    known.importance = Unit::saturating(known.importance.get().max(said.importance.get()));
    known.why = known.why.take().or_else(|| said.why.clone());
    known.how = known.how.take().or_else(|| said.how.clone());
    known.trigger = known.trigger.take().or_else(|| said.trigger.clone());
    for tag in &said.tags {
        if !known.tags.contains(tag) {
            known.tags.push(tag.clone());
        }
    }
    for anchor in &said.anchors {
        if !known.anchors.iter().any(|own| own.path == anchor.path) {
            known.anchors.push(anchor.clone());
        }
    }
    if said.ttl_days.is_some() {
        known.ttl_days = said.ttl_days;
    }
    *known != before
}
