use super::{MirrorError, dir::replace};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fs, io, path::Path};

const VERSION: u32 = 1;

/// A file as it was when it and the store last agreed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncedFile {
    /// The item's id.
    pub id: String,
    /// SHA-256 of the file's bytes, hex.
    pub file_hash: String,
    /// [`super::MirrorItem::content_hash`] of the stored item.
    pub item_hash: String,
}

/// What store and folder last agreed upon, by file name. Kept outside the mirrored folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MirrorState {
    version: u32,
    /// The files.
    pub files: BTreeMap<String, SyncedFile>,
}

impl MirrorState {
    /// Reads a sidecar; an absent one is empty.
    ///
    /// # Errors
    /// [`MirrorError::State`] when it is damaged, [`MirrorError::Version`] when it is of a later version.
    pub fn load(path: &Path) -> Result<Self, MirrorError> {
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(e) => return Err(MirrorError::io("read", path)(e)),
        };
        let state: Self = serde_json::from_slice(&bytes)
            .map_err(|source| MirrorError::State { path: path.to_owned(), source })?;
        if state.version > VERSION {
            let found = state.version;
            return Err(MirrorError::Version { path: path.to_owned(), found, known: VERSION });
        }
        Ok(state)
    }

    /// Replaces a sidecar atomically.
    ///
    /// # Errors
    /// [`MirrorError::Io`].
    pub fn save(&self, path: &Path) -> Result<(), MirrorError> {
        let state = Self { version: VERSION, files: self.files.clone() };
        let bytes = serde_json::to_vec_pretty(&state)
            .map_err(|source| MirrorError::State { path: path.to_owned(), source })?;
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(MirrorError::io("create the folder", parent))?;
        }
        replace(path, &bytes, || Ok(true)).map(|_| ())
    }

    /// Settles a conflict in favour of the store: the next plan overwrites the file as it was seen in the conflict.
    pub fn prefer_store(&mut self, name: &str, id: &str, seen_file_hash: &str) {
        let (id, file_hash) = (id.to_owned(), seen_file_hash.to_owned());
        self.files.insert(name.to_owned(), SyncedFile { id, file_hash, item_hash: String::new() });
    }

    /// Settles a conflict in favour of the file: the next plan takes it over, unless the item changes again.
    pub fn prefer_file(&mut self, name: &str, id: &str, item_hash: &str) {
        let (id, item_hash) = (id.to_owned(), item_hash.to_owned());
        self.files.insert(name.to_owned(), SyncedFile { id, file_hash: String::new(), item_hash });
    }
}
