use super::{FileDefaults, MirrorItem, MirrorState, ReadItem, SyncedFile, slug::sha256};
use mem_core::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// What is in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileText {
    /// Its text.
    Text(String),
    /// No text could be had: what is wrong, in words for a person.
    Unreadable(String),
}

/// A file of the mirrored folder as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MirrorFile {
    /// Its name in the folder.
    pub name: String,
    /// What it holds.
    pub text: FileText,
    /// SHA-256 of its bytes, hex.
    pub hash: String,
    /// When it was last modified.
    pub modified: Timestamp,
}

impl MirrorFile {
    /// A file with this text.
    pub fn new(name: impl Into<String>, text: impl Into<String>, modified: Timestamp) -> Self {
        let text = text.into();
        Self { name: name.into(), hash: sha256(text.as_bytes()), text: FileText::Text(text), modified }
    }
}

/// Why nothing was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ConflictReason {
    /// File and stored item both changed, to different things.
    BothChanged,
    /// The item was removed from the store, the file was edited.
    RemovedAndEdited,
    /// The file was deleted, the stored item changed.
    DeletedAndChanged,
    /// Both are there and differ, and nothing is known of when they last agreed.
    NeverAgreed,
    /// The file now names another id.
    IdChanged,
}

/// Why a file is left alone.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LeaveReason {
    /// It cannot be read as one item: what is wrong, in words for a person.
    Unreadable(String),
    /// Another file has the same id.
    DuplicateId {
        /// That file.
        other: String,
    },
}

/// One step towards agreement. Names are file names in the mirrored folder.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Action<T> {
    /// Write the file.
    Write {
        /// Which.
        name: String,
        /// The item it will show.
        item: T,
        /// The new text.
        text: String,
        /// The hash of the file that is replaced; none when there must not be one.
        expect: Option<String>,
    },
    /// Delete the file: its item is gone from the store.
    Delete {
        /// Which.
        name: String,
        /// The hash of the file that may be deleted.
        expect: String,
    },
    /// The file was edited by hand: put this into the store.
    ///
    /// A person seldom changes `modified`: a caller that sets the item's time of change sets it in the action too.
    TakeOver {
        /// Which file.
        name: String,
        /// The item as edited.
        item: T,
        /// Which fields differ from the stored item.
        fields: Vec<&'static str>,
        /// The hash of the file.
        file_hash: String,
        /// The name it had before, when it was renamed.
        renamed_from: Option<String>,
    },
    /// A new file: put this into the store.
    Add {
        /// Which file.
        name: String,
        /// The new item.
        item: T,
        /// The hash of the file.
        file_hash: String,
    },
    /// The file was deleted by hand: remove the item from the store.
    Remove {
        /// The file that is gone.
        name: String,
        /// The item's id.
        id: String,
    },
    /// Both agree; only the state has to know.
    Settled {
        /// Which file.
        name: String,
        /// The state to note.
        synced: SyncedFile,
        /// The name it had before, when it was renamed.
        renamed_from: Option<String>,
    },
    /// File and item are both gone.
    Forget {
        /// The file that is gone.
        name: String,
    },
    /// Nothing is done: a person has to decide, see [`MirrorState::prefer_store`] and [`MirrorState::prefer_file`].
    Conflict {
        /// Which file.
        name: String,
        /// The item's id.
        id: String,
        /// What the file says; none when it was deleted.
        file: Option<T>,
        /// The hash of the file; none when it was deleted.
        file_hash: Option<String>,
        /// Why.
        reason: ConflictReason,
    },
    /// Nothing is done: the file is none of ours, or damaged.
    Leave {
        /// Which file.
        name: String,
        /// Why.
        reason: LeaveReason,
    },
}

impl<T> Action<T> {
    /// The file it is about.
    pub fn name(&self) -> &str {
        match self {
            Self::Write { name, .. }
            | Self::Delete { name, .. }
            | Self::TakeOver { name, .. }
            | Self::Add { name, .. }
            | Self::Remove { name, .. }
            | Self::Settled { name, .. }
            | Self::Forget { name }
            | Self::Conflict { name, .. }
            | Self::Leave { name, .. } => name,
        }
    }
}

/// Decides by three-way comparison: stored items, files, and what both last agreed upon. Pure.
///
/// Nothing is decided over two changes of the same item that differ. When the folder holds not one of at least
/// two known files it was lost, not edited: all files are written again. Of `defaults`, time and name are
/// replaced by each file's own. The actions are in the order of file names.
pub fn plan<T: MirrorItem>(
    items: &[T],
    files: &[MirrorFile],
    state: &MirrorState,
    defaults: &FileDefaults,
) -> Vec<Action<T>> {
    let mut files: Vec<_> = files.iter().collect();
    files.sort_by(|a, b| a.name.cmp(&b.name));
    let mut planner = Planner {
        items: items.iter().map(|item| (item.id(), item)).collect(),
        present: files.iter().map(|file| file.name.as_str()).collect(),
        state,
        defaults,
        claimed: BTreeMap::new(),
        moved: BTreeSet::new(),
        actions: Vec::new(),
    };
    // Known files first: a copy of one must not take its id.
    let (known, new): (Vec<&MirrorFile>, Vec<&MirrorFile>) =
        files.into_iter().partition(|file| state.files.contains_key(&file.name));
    for file in known {
        if let Some(synced) = state.files.get(&file.name) {
            planner.claimed.insert(synced.id.clone(), file.name.clone());
            planner.known_file(file, synced, None);
        }
    }
    for file in new {
        planner.new_file(file);
    }
    planner.absent_files();
    planner.unwritten_items(items);
    let mut actions = planner.actions;
    actions.sort_by(|a, b| a.name().cmp(b.name()));
    actions
}

struct Planner<'a, T> {
    items: BTreeMap<&'a str, &'a T>,
    present: BTreeSet<&'a str>,
    state: &'a MirrorState,
    defaults: &'a FileDefaults,
    /// Ids that have a file, with its name.
    claimed: BTreeMap<String, String>,
    /// Names in the state whose file has another name now.
    moved: BTreeSet<&'a str>,
    actions: Vec<Action<T>>,
}

impl<'a, T: MirrorItem> Planner<'a, T> {
    fn read(&self, file: &MirrorFile) -> ReadItem<T> {
        match &file.text {
            FileText::Text(text) => T::read(text, &self.defaults_for(file)),
            FileText::Unreadable(why) => ReadItem::Unreadable(why.clone()),
        }
    }

    fn defaults_for(&self, file: &MirrorFile) -> FileDefaults {
        let stem = file.name.rsplit_once('.').map_or(file.name.as_str(), |(stem, _)| stem);
        FileDefaults { at: file.modified, name: Some(stem.to_owned()), ..self.defaults.clone() }
    }

    fn leave(&mut self, file: &MirrorFile, reason: LeaveReason) {
        self.actions.push(Action::Leave { name: file.name.clone(), reason });
    }

    fn conflict(&mut self, file: &MirrorFile, id: &str, item: T, reason: ConflictReason) {
        let (name, id) = (file.name.clone(), id.to_owned());
        let file_hash = Some(file.hash.clone());
        self.actions.push(Action::Conflict { name, id, file: Some(item), file_hash, reason });
    }

    /// A file that agreed with an item once, perhaps under another name.
    fn known_file(&mut self, file: &MirrorFile, synced: &SyncedFile, renamed_from: Option<&str>) {
        let renamed_from = renamed_from.map(str::to_owned);
        let stored = self.items.get(synced.id.as_str()).copied();
        let item_hash = stored.map(T::content_hash);
        let same_item = item_hash.as_ref() == Some(&synced.item_hash);
        if file.hash == synced.file_hash {
            match stored {
                Some(_) if same_item && renamed_from.is_none() => {}
                Some(_) if same_item => self.actions.push(Action::Settled {
                    name: file.name.clone(),
                    synced: synced.clone(),
                    renamed_from,
                }),
                Some(item) => self.rewrite(file, item),
                None => {
                    self.actions.push(Action::Delete { name: file.name.clone(), expect: file.hash.clone() });
                }
            }
            return;
        }
        let (item, has_id) = match self.read(file) {
            ReadItem::One { item, has_id } => (item, has_id),
            ReadItem::Unreadable(why) => return self.leave(file, LeaveReason::Unreadable(why)),
        };
        if has_id && item.id() != synced.id {
            return self.conflict(file, &synced.id, item, ConflictReason::IdChanged);
        }
        let (Some(stored), Some(item_hash)) = (stored, item_hash) else {
            return self.conflict(file, &synced.id, item, ConflictReason::RemovedAndEdited);
        };
        let fields = item.edited(stored);
        let (name, file_hash) = (file.name.clone(), file.hash.clone());
        if fields.is_empty() {
            let synced = SyncedFile { id: synced.id.clone(), file_hash, item_hash };
            self.actions.push(Action::Settled { name, synced, renamed_from });
        } else if same_item {
            let item = item.on_top_of(stored);
            self.actions.push(Action::TakeOver { name, item, fields, file_hash, renamed_from });
        } else {
            self.conflict(file, &synced.id, item, ConflictReason::BothChanged);
        }
    }

    fn rewrite(&mut self, file: &MirrorFile, item: &T) {
        let text = match &file.text {
            FileText::Text(text) => item.update(text, &self.defaults_for(file)),
            FileText::Unreadable(_) => None,
        };
        match text {
            Some(text) => self.actions.push(Action::Write {
                name: file.name.clone(),
                item: item.clone(),
                text,
                expect: Some(file.hash.clone()),
            }),
            None => {
                self.leave(file, LeaveReason::Unreadable("it cannot be rewritten without loss".to_owned()));
            }
        }
    }

    fn new_file(&mut self, file: &MirrorFile) {
        let (item, has_id) = match self.read(file) {
            ReadItem::One { item, has_id } => (item, has_id),
            ReadItem::Unreadable(why) => return self.leave(file, LeaveReason::Unreadable(why)),
        };
        let id = item.id().to_owned();
        if let Some(other) = self.claimed.get(&id).cloned() {
            return self.leave(file, LeaveReason::DuplicateId { other });
        }
        self.claimed.insert(id.clone(), file.name.clone());
        // A known file that is gone while a new one has its id was renamed.
        let before = self
            .state
            .files
            .iter()
            .find(|(name, synced)| synced.id == id && !self.present.contains(name.as_str()) && has_id);
        if let Some((old, synced)) = before {
            self.moved.insert(old);
            return self.known_file(file, synced, Some(old));
        }
        let (name, file_hash) = (file.name.clone(), file.hash.clone());
        match self.items.get(id.as_str()).copied() {
            None => self.actions.push(Action::Add { name, item, file_hash }),
            Some(stored) if item.edited(stored).is_empty() => {
                let synced = SyncedFile { id, file_hash, item_hash: stored.content_hash() };
                self.actions.push(Action::Settled { name, synced, renamed_from: None });
            }
            Some(_) => self.conflict(file, &id, item, ConflictReason::NeverAgreed),
        }
    }

    fn absent_files(&mut self) {
        let known = &self.state.files;
        let lost = known.len() > 1 && !known.keys().any(|name| self.present.contains(name.as_str()));
        for (name, synced) in known {
            if self.present.contains(name.as_str()) || self.moved.contains(name.as_str()) {
                continue;
            }
            let stored = self.items.get(synced.id.as_str()).copied();
            // Whatever happens to the file, the item is not written as a new one.
            let claimed = self.claimed.insert(synced.id.clone(), name.clone()).is_some();
            let action = match stored {
                None => Action::Forget { name: name.clone() },
                Some(_) if claimed => Action::Forget { name: name.clone() },
                Some(item) if lost => {
                    Action::Write { name: name.clone(), item: item.clone(), text: item.write(), expect: None }
                }
                Some(item) if item.content_hash() == synced.item_hash => {
                    Action::Remove { name: name.clone(), id: synced.id.clone() }
                }
                Some(_) if synced.file_hash.is_empty() => {
                    Action::Remove { name: name.clone(), id: synced.id.clone() }
                }
                Some(_) => Action::Conflict {
                    name: name.clone(),
                    id: synced.id.clone(),
                    file: None,
                    file_hash: None,
                    reason: ConflictReason::DeletedAndChanged,
                },
            };
            self.actions.push(action);
        }
    }

    fn unwritten_items(&mut self, items: &[T]) {
        let known = self.present.iter().copied().chain(self.state.files.keys().map(String::as_str));
        let mut taken: BTreeSet<String> = known.map(str::to_lowercase).collect();
        for item in items.iter().filter(|item| !self.claimed.contains_key(item.id())) {
            let wanted = item.file_name();
            let (stem, end) = wanted.rsplit_once('.').unwrap_or((&wanted, "md"));
            let mut name = wanted.clone();
            let mut number = 2;
            while !taken.insert(name.to_lowercase()) {
                name = format!("{stem}-{number}.{end}");
                number += 1;
            }
            self.actions.push(Action::Write { name, item: item.clone(), text: item.write(), expect: None });
        }
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
