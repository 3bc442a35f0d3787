//! The Markdown mirror, both ways; instincts and memories as text for other people.

use crate::{Engine, EngineError, Result};
use mem_core::{
    Evidence, EvidenceKind, Instinct, InstinctFilter, InstinctId, InstinctScope, InstinctStatus, Memory,
    MemoryFilter, MemoryId, ProjectFilter, ProjectId, Timestamp, Unit,
};
use mem_store::mirror::{self, Action, ConflictReason, FileDefaults, LeaveReason, MirrorDir, MirrorItem};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// What a synchronisation did.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Synced {
    /// Files written or deleted after the store.
    pub written: u64,
    /// Edits and new files taken over into the store.
    pub read: u64,
    /// Items removed because their file was deleted.
    pub removed: u64,
    /// Items whose file and stored form both changed; a person decides.
    pub conflicts: Vec<String>,
    /// Files that were left alone, and why.
    pub warnings: Vec<String>,
}

impl Engine {
    /// Brings the Markdown mirror and the store together. Edits by hand win over what the store has not changed since;
    /// where both changed nothing is decided.
    ///
    /// # Errors
    /// When the store or a folder cannot be read or written.
    pub fn sync(&self) -> Result<Synced> {
        let mut synced = self.sync_once()?;
        if synced.read > 0 {
            // What was taken over may be stored otherwise than it was written, without its secrets for one: the files
            // follow at once.
            synced.written += self.sync_once()?.written;
        }
        Ok(synced)
    }

    fn sync_once(&self) -> Result<Synced> {
        // The texts of all memories: for their owner's eyes, also where the home itself is open to others.
        for folder in [self.layout().memories(), self.layout().instincts(), self.layout().mirror_state()] {
            crate::files::create_private_dir(&folder)?;
        }
        let mut synced = Synced::default();
        let every =
            MemoryFilter { projects: ProjectFilter::All, statuses: Vec::new(), ..MemoryFilter::default() };
        let memories = self.store().list(&every, usize::MAX)?;
        let mut owners: Vec<Option<ProjectId>> = self.store().projects()?.into_iter().map(Some).collect();
        owners.push(None);
        for owner in owners {
            let own: Vec<Memory> =
                memories.iter().filter(|memory| memory.project == owner).cloned().collect();
            let (dir, state) = self.mirror_of(owner.as_ref());
            if own.is_empty() && !dir.is_dir() {
                continue;
            }
            let defaults = FileDefaults { project: owner, ..FileDefaults::new(self.now()) };
            self.sync_folder(&dir, &state, &own, &defaults, &mut synced)?;
        }
        let instincts = self
            .store()
            .instincts(&InstinctFilter { projects: ProjectFilter::All, ..InstinctFilter::default() })?;
        let state = self.layout().mirror_state().join("instincts.json");
        let defaults = FileDefaults::new(self.now());
        self.sync_folder(&self.layout().instincts(), &state, &instincts, &defaults, &mut synced)?;
        if synced.read + synced.removed > 0 {
            self.follow();
        }
        Ok(synced)
    }

    fn sync_folder<T: Mirrored>(
        &self,
        dir: &Path,
        state: &Path,
        items: &[T],
        defaults: &FileDefaults,
        synced: &mut Synced,
    ) -> Result<()> {
        let folder = MirrorDir::new(dir, state).map_err(mem_core::Error::from)?;
        let mut agreed = folder.load_state().map_err(mem_core::Error::from)?;
        let files = folder.scan(T::EXTENSIONS).map_err(mem_core::Error::from)?;
        let mut actions = mirror::plan(items, &files, &agreed, defaults);
        let shown = |name: &str| dir.join(name).display().to_string();
        // One file that cannot be taken over does not keep the others from it.
        let mut refused: Vec<String> = Vec::new();
        for action in &actions {
            let outcome = match action {
                Action::TakeOver { item, fields, .. } => {
                    let base = items.iter().find(|known| known.id() == item.id());
                    T::take_over(self, item.clone(), base, fields).map(|()| synced.read += 1)
                }
                Action::Add { item, .. } => {
                    T::take_over(self, item.clone(), None, &[]).map(|()| synced.read += 1)
                }
                Action::Remove { id, .. } => T::remove(self, id).map(|()| synced.removed += 1),
                Action::Conflict { name, id, reason, .. } => {
                    synced.conflicts.push(format!("{} ({id}): {}", shown(name), conflict(*reason)));
                    Ok(())
                }
                Action::Leave { name, reason } => {
                    synced.warnings.push(format!("{}: {}", shown(name), left_alone(reason)));
                    Ok(())
                }
                _ => Ok(()),
            };
            if let Err(error) = outcome {
                synced.warnings.push(format!("{}: {error}", shown(action.name())));
                refused.push(action.name().to_owned());
            }
        }
        actions.retain(|action| {
            let undecided = matches!(action, Action::Conflict { .. } | Action::Leave { .. });
            !undecided && !refused.iter().any(|name| name == action.name())
        });
        let report = folder.apply(&actions, &mut agreed).map_err(mem_core::Error::from)?;
        synced.written += (report.written.len() + report.deleted.len()) as u64;
        synced.warnings.extend(
            report.skipped.iter().map(|skipped| format!("{}: {}", shown(&skipped.name), skipped.why)),
        );
        Ok(())
    }

    /// Instincts that pass a filter, the most confident first; without those that a global one speaks for.
    ///
    /// # Errors
    /// Of the store.
    pub fn instincts(&self, filter: &InstinctFilter) -> Result<Vec<Instinct>> {
        let mut instincts = self.store().instincts(filter)?;
        instincts.retain(|instinct| !crate::instincts::is_retired(instinct));
        Ok(instincts)
    }

    /// Removes an instinct, by id or unique beginning of it, so that it is not learned again.
    ///
    /// # Errors
    /// When none or several fit.
    pub fn forget_instinct(&self, prefix: &str) -> Result<InstinctId> {
        let id = self.store().instinct(prefix)?.id;
        self.store().remove_instinct(&id, self.now())?;
        Ok(id)
    }

    /// Instincts as Markdown for other people: no paths, no session text, no project names.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn export_instincts(&self, projects: ProjectFilter) -> Result<String> {
        let names = self.store().projects()?;
        let shared = self.live_instincts(projects)?;
        let texts: Vec<String> = shared
            .iter()
            .map(|instinct| mirror::write_instinct(&mem_evolve::share(instinct, &names)))
            .collect();
        Ok(texts.join("\n"))
    }

    /// Takes in what somebody exported, as inherited instincts of a project. Known ones stay as they are.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn import_instincts(&self, text: &str, project: &ProjectId) -> Result<Vec<InstinctId>> {
        let file = mirror::read_instincts(text, &FileDefaults::new(self.now()));
        let mut taken = Vec::new();
        for instinct in file.instincts {
            let mut own = mem_evolve::inherit(&instinct, Some(project.clone()));
            own.trigger = self.redactor().redact(&own.trigger).text.into_owned();
            own.action = self.redactor().redact(&own.action).text.into_owned();
            own.id = crate::instincts::project_instinct_id(&instinct.id, project);
            let known = matches!(self.store().instinct(own.id.as_str()), Ok(known) if known.id == own.id);
            if known || self.store().instinct_was_forgotten(&own.id)? {
                continue;
            }
            let imported = EvidenceKind::Imported { confidence: own.confidence };
            self.found(&mut own, imported)?;
            taken.push(own.id);
        }
        Ok(taken)
    }

    /// Stores an instinct that comes with a confidence of its own.
    fn found(&self, instinct: &mut Instinct, kind: EvidenceKind) -> Result<()> {
        self.store().put_instincts(std::slice::from_ref(instinct))?;
        let evidence = Evidence {
            session: None,
            project: instinct.project.clone(),
            at: self.now(),
            kind,
            note: String::new(),
        };
        self.store().add_evidence(&instinct.id, std::slice::from_ref(&evidence))?;
        let lines = std::mem::take(&mut instinct.evidence);
        self.weigh(instinct)?;
        if instinct.evidence.is_empty() {
            instinct.evidence = lines;
        }
        Ok(self.store().put_instincts(std::slice::from_ref(instinct))?)
    }

    /// The one softly forgotten memory whose id begins with `prefix`.
    pub(crate) fn in_trash(&self, prefix: &str) -> Result<Memory> {
        let id = prefix.to_owned();
        let trash = match self.sqlite() {
            Ok(sqlite) => sqlite.trash().map_err(mem_core::Error::from)?,
            Err(_) => Vec::new(),
        };
        let mut fitting =
            trash.into_iter().map(|(memory, _)| memory).filter(|m| m.id.as_str().starts_with(prefix));
        match (fitting.next(), fitting.count()) {
            (Some(memory), 0) => Ok(memory),
            (None, _) => Err(mem_core::Error::NotFound { what: "forgotten memory", id }.into()),
            (Some(_), more) => {
                Err(mem_core::Error::Ambiguous { what: "forgotten memories", id, count: more + 1 }.into())
            }
        }
    }

    /// Takes a memory's file away at once; one that was edited since stays, unless nothing may remain.
    pub(crate) fn unmirror(&self, memory: &Memory, hard: bool) -> Result<()> {
        let (dir, state) = self.mirror_of(memory.project.as_ref());
        let folder = MirrorDir::new(dir, state).map_err(mem_core::Error::from)?;
        let mut agreed = folder.load_state().map_err(mem_core::Error::from)?;
        let files = folder.scan(Memory::EXTENSIONS).map_err(mem_core::Error::from)?;
        let actions: Vec<Action<Memory>> = files
            .into_iter()
            .filter(|file| {
                let synced = agreed.files.get(&file.name).filter(|synced| synced.id == memory.id.as_str());
                synced.is_some_and(|synced| hard || synced.file_hash == file.hash)
            })
            .map(|file| Action::Delete { name: file.name, expect: file.hash })
            .collect();
        if !actions.is_empty() {
            folder.apply(&actions, &mut agreed).map_err(mem_core::Error::from)?;
        }
        Ok(())
    }

    /// The mirror's folder of a project, or of what is global, and where its state is kept.
    fn mirror_of(&self, owner: Option<&ProjectId>) -> (PathBuf, PathBuf) {
        let folder = owner.map_or_else(|| "global".to_owned(), folder_name);
        let state = self.layout().mirror_state().join(format!("memories-{folder}.json"));
        (self.layout().memories().join(folder), state)
    }

    /// Brings back a memory that was forgotten softly, by id or unique beginning of it.
    ///
    /// # Errors
    /// When none or several of the forgotten ones fit.
    pub fn unforget(&self, prefix: &str) -> Result<Memory> {
        let id = self.in_trash(prefix)?.id;
        self.sqlite()?.restore(&id).map_err(mem_core::Error::from)?;
        self.follow();
        self.memory(id.as_str())
    }
}

/// Why nothing was decided, and what helps.
fn conflict(reason: ConflictReason) -> &'static str {
    match reason {
        ConflictReason::BothChanged => {
            "file and memory both changed; edit either to say what holds, or delete the file"
        }
        ConflictReason::RemovedAndEdited => {
            "forgotten, and the file was edited; delete the file, or `mem unforget` it"
        }
        ConflictReason::DeletedAndChanged => {
            "the file was deleted and the memory changed; `mem forget` it, or put a file back"
        }
        ConflictReason::IdChanged => "the file names another id; put the old one back",
        _ => "file and memory differ and never agreed; make them equal or delete one",
    }
}

/// Why a file is left alone, and what helps.
fn left_alone(reason: &LeaveReason) -> String {
    match reason {
        LeaveReason::DuplicateId { other } => format!("{other} has the same id; delete one of them"),
        LeaveReason::Unreadable(why) => {
            format!("{why}; begin with `---`, `name: …`, `---`, then the statement")
        }
        _ => "it cannot be taken over".to_owned(),
    }
}

/// What a folder of the mirror does with edits.
trait Mirrored: MirrorItem {
    fn take_over(engine: &Engine, item: Self, base: Option<&Self>, fields: &[&'static str]) -> Result<()>;
    fn remove(engine: &Engine, id: &str) -> Result<()>;
}

impl Mirrored for Memory {
    fn take_over(engine: &Engine, item: Self, _: Option<&Self>, _: &[&'static str]) -> Result<()> {
        engine.edit(item).map(drop)
    }

    fn remove(engine: &Engine, id: &str) -> Result<()> {
        Ok(engine.store().remove(&MemoryId::new(id)?, false, engine.now()).map(drop)?)
    }
}

impl Mirrored for Instinct {
    fn take_over(
        engine: &Engine,
        mut item: Self,
        base: Option<&Self>,
        fields: &[&'static str],
    ) -> Result<()> {
        for text in [&mut item.trigger, &mut item.action] {
            *text = engine.redactor().redact(text).text.into_owned();
        }
        if item.scope == InstinctScope::Project && item.project.is_none() {
            item.scope = InstinctScope::Global;
        }
        let Some(base) = base else {
            let kind = EvidenceKind::Imported { confidence: item.confidence };
            return engine.found(&mut item, kind);
        };
        let deprecated = fields.contains(&"status") && item.status == InstinctStatus::Deprecated;
        if deprecated || fields.contains(&"confidence") || fields.contains(&"status") {
            let confidence = match (deprecated, fields.contains(&"confidence")) {
                (true, false) => Unit::saturating(base.confidence.get().min(DEPRECATED_BY_HAND)),
                (false, false) => Unit::saturating(base.confidence.get().max(REVIVED_BY_HAND)),
                _ => item.confidence,
            };
            return engine.found(&mut item, EvidenceKind::Edited { confidence });
        }
        Ok(engine.store().put_instincts(std::slice::from_ref(&item))?)
    }

    fn remove(engine: &Engine, id: &str) -> Result<()> {
        Ok(engine.store().remove_instinct(&InstinctId::new(id)?, engine.now())?)
    }
}

/// What a person means who writes `deprecated: true` and leaves the number.
const DEPRECATED_BY_HAND: f64 = 0.3;
/// What a person means who writes `deprecated: false` and leaves the number.
const REVIVED_BY_HAND: f64 = 0.6;

/// A folder for a project: readable, and one of its own.
fn folder_name(project: &ProjectId) -> String {
    let hash = mem_store::fingerprint(project.as_str());
    let slug: String = mirror::slug(project.as_str()).chars().take(60).collect();
    format!("{slug}-{}", hash.get(..6).unwrap_or_default())
}

/// A memory as the Markdown that people edit.
pub fn memory_markdown(memory: &Memory) -> String {
    mirror::write_memory(memory)
}

/// What edited Markdown says, on top of what the file does not show.
///
/// # Errors
/// When the front matter cannot be read.
pub fn memory_from_markdown(text: &str, base: &Memory) -> Result<Memory> {
    let defaults =
        FileDefaults { project: base.project.clone(), kind: base.kind, ..FileDefaults::new(base.updated) };
    match Memory::read(text, &defaults) {
        mirror::ReadItem::One { item, .. } => Ok(item.on_top_of(base)),
        mirror::ReadItem::Unreadable(why) => {
            Err(mem_core::Error::invalid("Markdown with a front matter between `---` lines", why).into())
        }
    }
}

/// Puts a backup in the place of a home's database. Returns where the present one is kept.
///
/// # Errors
/// When the file is no sound database of a known version, or the home cannot be written.
pub fn restore(layout: &crate::Layout, file: &Path, now: Timestamp) -> Result<Option<PathBuf>> {
    // Opening checks the version; reading the pages checks the rest. Nothing was touched until then.
    let options = mem_store::Options::default();
    let source = mem_store::SqliteStore::open_read_only(file, &options).map_err(mem_core::Error::from)?;
    source.integrity().map_err(mem_core::Error::from)?;
    crate::files::create_private_dir(layout.home())?;
    let target = layout.database();
    let fresh = layout.home().join(format!("mem.db.restoring-{}", std::process::id()));
    source.backup_to(&fresh).map_err(mem_core::Error::from)?;
    drop(source);
    let mut kept = None;
    if target.exists() {
        let old = layout.home().join(format!("mem.db.before-restore-{}", now.strftime("%Y%m%dT%H%M%SZ")));
        let present = mem_store::SqliteStore::open(&target, &options).map_err(mem_core::Error::from);
        match present {
            Ok(present) => present.backup_to(&old).map_err(mem_core::Error::from)?,
            // A damaged one is kept as it is.
            Err(_) => std::fs::copy(&target, &old).map(drop).map_err(EngineError::file("copy", &target))?,
        }
        kept = Some(old);
    }
    for end in ["-wal", "-shm"] {
        let mut path = target.clone().into_os_string();
        path.push(end);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(EngineError::file("remove", path)(error));
            }
            _ => {}
        }
    }
    for copy in kept.iter().chain([&fresh]) {
        crate::files::make_private(copy)?;
    }
    std::fs::rename(&fresh, &target).map_err(EngineError::file("replace", &target))?;
    Ok(kept)
}
