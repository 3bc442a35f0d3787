use super::{Action, FileText, MirrorError, MirrorFile, MirrorItem, MirrorState, SyncedFile, slug::sha256};
use mem_core::Timestamp;
use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::{Component, Path, PathBuf},
};

/// Bytes of the largest file that is read; a memory is no book.
const MAX_FILE: u64 = 1 << 20;
/// The index of Claude Code's memory folder, which is no memory.
const INDEX: &str = "MEMORY.md";

/// A folder of files that mirror a store, with the state of the last agreement kept elsewhere.
#[derive(Debug, Clone)]
pub struct MirrorDir {
    dir: PathBuf,
    state: PathBuf,
}

/// Why an action was not carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The file.
    pub name: String,
    /// Why, in words for a person.
    pub why: &'static str,
}

/// What [`MirrorDir::apply`] did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApplyReport {
    /// Files written.
    pub written: Vec<String>,
    /// Files deleted.
    pub deleted: Vec<String>,
    /// Files that changed since they were read, and were left as they are; plan again.
    pub skipped: Vec<Skipped>,
}

impl MirrorDir {
    /// A folder, which need not exist yet, and the file its state is kept in.
    ///
    /// # Errors
    /// [`MirrorError::StateInside`] when the state lies within the folder.
    pub fn new(dir: impl Into<PathBuf>, state: impl Into<PathBuf>) -> Result<Self, MirrorError> {
        let (dir, state) = (dir.into(), state.into());
        if state.starts_with(&dir) {
            return Err(MirrorError::StateInside { state, dir });
        }
        Ok(Self { dir, state })
    }

    /// The mirrored folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The state of the last agreement.
    ///
    /// # Errors
    /// As [`MirrorState::load`].
    pub fn load_state(&self) -> Result<MirrorState, MirrorError> {
        MirrorState::load(&self.state)
    }

    /// The files of the folder itself with these ends of names, by name. Dot files and `MEMORY.md` are passed over.
    ///
    /// # Errors
    /// [`MirrorError::Io`] when the folder cannot be listed; a file that cannot be read is among the files.
    pub fn scan(&self, extensions: &[&str]) -> Result<Vec<MirrorFile>, MirrorError> {
        let entries = match fs::read_dir(&self.dir) {
            Ok(entries) => entries,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(e) => return Err(MirrorError::io("list", &self.dir)(e)),
        };
        let mut files = Vec::new();
        for entry in entries {
            let entry = entry.map_err(MirrorError::io("list", &self.dir))?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let extension = name.rsplit_once('.').map_or("", |(_, end)| end);
            let ours = extensions.iter().any(|end| end.eq_ignore_ascii_case(extension));
            if ours && !name.starts_with('.') && name != INDEX {
                files.extend(snapshot(&entry.path(), name));
            }
        }
        files.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(files)
    }

    /// Carries out the actions on the folder, notes all of them in the state, and saves it.
    ///
    /// What the store has to do ([`Action::TakeOver`], [`Action::Add`], [`Action::Remove`]) must be done before;
    /// leave out what could not be. A file is replaced atomically and only if it still is what the plan saw.
    /// Being killed in between is harmless: the next plan finds both sides equal.
    ///
    /// # Errors
    /// [`MirrorError::Io`]; what was done until then is saved. [`MirrorError::Name`] for a name with folders in it.
    pub fn apply<T: MirrorItem>(
        &self,
        actions: &[Action<T>],
        state: &mut MirrorState,
    ) -> Result<ApplyReport, MirrorError> {
        let mut report = ApplyReport::default();
        let done = actions.iter().try_for_each(|action| self.carry_out(action, state, &mut report));
        let saved = state.save(&self.state);
        done.and(saved).map(|()| report)
    }

    fn carry_out<T: MirrorItem>(
        &self,
        action: &Action<T>,
        state: &mut MirrorState,
        report: &mut ApplyReport,
    ) -> Result<(), MirrorError> {
        let synced = |item: &T, file_hash: &str| SyncedFile {
            id: item.id().to_owned(),
            file_hash: file_hash.to_owned(),
            item_hash: item.content_hash(),
        };
        match action {
            Action::Write { name, item, text, expect } => {
                let path = self.path(name)?;
                fs::create_dir_all(&self.dir).map_err(MirrorError::io("create the folder", &self.dir))?;
                if replace(&path, text.as_bytes(), || is_as_seen(&path, expect.as_deref()))? {
                    // A renamed file is noted under its present name only.
                    state.files.retain(|_, file| file.id != item.id());
                    state.files.insert(name.clone(), synced(item, &sha256(text.as_bytes())));
                    report.written.push(name.clone());
                } else {
                    report.skipped.push(Skipped { name: name.clone(), why: "it changed meanwhile" });
                }
            }
            Action::Delete { name, expect } => {
                let path = self.path(name)?;
                if is_as_seen(&path, Some(expect)).map_err(MirrorError::io("read", &path))? {
                    fs::remove_file(&path).map_err(MirrorError::io("remove", &path))?;
                    state.files.remove(name);
                    report.deleted.push(name.clone());
                } else {
                    report.skipped.push(Skipped { name: name.clone(), why: "it changed meanwhile" });
                }
            }
            Action::TakeOver { name, item, file_hash, renamed_from, .. } => {
                renamed_from.iter().for_each(|old| drop(state.files.remove(old)));
                state.files.insert(name.clone(), synced(item, file_hash));
            }
            Action::Add { name, item, file_hash } => {
                state.files.insert(name.clone(), synced(item, file_hash));
            }
            Action::Settled { name, synced, renamed_from } => {
                renamed_from.iter().for_each(|old| drop(state.files.remove(old)));
                state.files.insert(name.clone(), synced.clone());
            }
            Action::Remove { name, .. } | Action::Forget { name } => {
                state.files.remove(name);
            }
            Action::Conflict { .. } | Action::Leave { .. } => {}
        }
        Ok(())
    }

    /// A plain name in the folder: no parts, no way out of it.
    fn path(&self, name: &str) -> Result<PathBuf, MirrorError> {
        let mut parts = Path::new(name).components();
        match (parts.next(), parts.next()) {
            (Some(Component::Normal(part)), None) if part == name && !name.contains(['\\', ':']) => {
                Ok(self.dir.join(name))
            }
            _ => Err(MirrorError::Name { name: name.to_owned() }),
        }
    }
}

/// A file as found; none when it vanished or is a folder.
fn snapshot(path: &Path, name: String) -> Option<MirrorFile> {
    let unreadable = |why: &str, hash| {
        let text = FileText::Unreadable(why.to_owned());
        Some(MirrorFile { name: name.clone(), text, hash, modified: Timestamp::UNIX_EPOCH })
    };
    let metadata = match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => metadata,
        Ok(_) => return None,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return None,
        Err(_) => return unreadable("it cannot be opened", String::new()),
    };
    if metadata.len() > MAX_FILE {
        return unreadable("it is larger than 1 MiB", String::new());
    }
    let modified = metadata.modified().ok().and_then(|at| Timestamp::try_from(at).ok());
    match fs::read(path) {
        Ok(bytes) => {
            let hash = sha256(&bytes);
            match String::from_utf8(bytes) {
                Ok(text) => Some(MirrorFile {
                    name,
                    text: FileText::Text(text),
                    hash,
                    modified: modified.unwrap_or(Timestamp::UNIX_EPOCH),
                }),
                Err(_) => unreadable("it is no UTF-8", hash),
            }
        }
        Err(e) if e.kind() == io::ErrorKind::NotFound => None,
        Err(_) => unreadable("it cannot be read", String::new()),
    }
}

/// Whether a file has this hash, or, with none, is not there. Never for a link: replacing would cut it.
fn is_as_seen(path: &Path, expect: Option<&str>) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if !metadata.is_file() => Ok(false),
        Ok(_) => match expect {
            Some(hash) => Ok(sha256(&fs::read(path)?) == hash),
            None => Ok(false),
        },
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(expect.is_none()),
        Err(e) => Err(e),
    }
}

/// Replaces a file whole: a temporary one in the same folder, on disk, then a rename, if `still` says so right
/// before. Permissions stay as they are. False when it was not replaced.
pub(super) fn replace(
    path: &Path,
    bytes: &[u8],
    still: impl FnOnce() -> io::Result<bool>,
) -> Result<bool, MirrorError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    let write = || {
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(&temporary)?;
        if let Ok(metadata) = fs::metadata(path) {
            file.set_permissions(metadata.permissions())?;
        }
        file.write_all(bytes)?;
        file.sync_all()?;
        drop(file);
        if !still()? {
            return Ok(false);
        }
        fs::rename(&temporary, path)?;
        Ok(true)
    };
    let written: io::Result<bool> = write();
    if !matches!(written, Ok(true)) {
        // Nothing more can be done about it than to try.
        let _ = fs::remove_file(&temporary);
    }
    written.map_err(MirrorError::io("write", path))
}

#[cfg(test)]
#[path = "dir_tests.rs"]
mod tests;
