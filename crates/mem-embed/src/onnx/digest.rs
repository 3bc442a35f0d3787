//! Digests of model files, kept so that tens of megabytes are not read at every start.

use crate::Error;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

/// What is remembered of one file, by its path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Seen {
    bytes: u64,
    modified_ns: u64,
    sha256: String,
}

/// Hexadecimal digits of a version.
const DIGITS: usize = 12;
/// More files are not remembered.
const MOST: usize = 64;

/// One digest over files, in order: the first 12 digits of the SHA-256 over theirs.
///
/// With a `cache`, a file whose path, size and time of change are known there is not read. Where that file cannot be
/// read or written the digests are computed anew.
pub(super) fn digest(files: &[PathBuf], cache: Option<&Path>) -> Result<String, Error> {
    let mut known: BTreeMap<String, Seen> = cache
        .and_then(|path| std::fs::read(path).ok())
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default();
    let mut all = Sha256::new();
    let mut learned = false;
    for path in files {
        let failed = |source| Error::ModelFile { path: path.clone(), source: Arc::new(source) };
        let found = std::fs::metadata(path).map_err(failed)?;
        let modified = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let modified_ns = modified.map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(u64::MAX));
        let key = path.canonicalize().unwrap_or_else(|_| path.clone()).to_string_lossy().into_owned();
        let seen = known
            .get(&key)
            .filter(|seen| seen.bytes == found.len() && seen.modified_ns == modified_ns && modified_ns != 0);
        let sha256 = match seen {
            Some(seen) => seen.sha256.clone(),
            None => {
                let sha256 = sha256(path).map_err(failed)?;
                if known.len() >= MOST {
                    known.clear();
                }
                known.insert(key, Seen { bytes: found.len(), modified_ns, sha256: sha256.clone() });
                learned = true;
                sha256
            }
        };
        all.update(sha256.as_bytes());
        all.update(b"\n");
    }
    if let (true, Some(path)) = (learned, cache) {
        // Only a saving: where it cannot be kept the files are read again.
        let _ = keep(path, &known);
    }
    Ok(hex(&all.finalize()).chars().take(DIGITS).collect())
}

/// In the place of the old file at once, so that no process reads half of it.
fn keep(path: &Path, known: &BTreeMap<String, Seen>) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let beside = path.with_extension(format!("{}.tmp", std::process::id()));
    std::fs::write(&beside, serde_json::to_vec_pretty(known)?)?;
    std::fs::rename(&beside, path).inspect_err(|_| drop(std::fs::remove_file(&beside)))
}

fn sha256(path: &Path) -> std::io::Result<String> {
    let mut file = std::fs::File::open(path)?;
    let mut digest = Sha256::new();
    let mut buffer = vec![0; 1 << 18];
    loop {
        let read = file.read(&mut buffer)?;
        let Some(part) = buffer.get(..read).filter(|part| !part.is_empty()) else {
            return Ok(hex(&digest.finalize()));
        };
        digest.update(part);
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_change_of_a_file_changes_the_digest_and_the_cache_only_saves_reading() {
        let root = tempfile::tempdir().unwrap();
        let [a, b, cache] = ["a", "b", "cache/digests.json"].map(|name| root.path().join(name));
        std::fs::write(&a, "one").unwrap();
        std::fs::write(&b, "two").unwrap();
        let files = [a.clone(), b.clone()];
        let plain = digest(&files, None).unwrap();
        assert_eq!(plain.len(), DIGITS);
        assert_eq!(digest(&files, Some(&cache)).unwrap(), plain);
        assert_eq!(digest(&files, Some(&cache)).unwrap(), plain);
        assert_ne!(digest(&[b.clone(), a.clone()], None).unwrap(), plain);
        // The cache is believed as long as size and time are the same.
        let kept = std::fs::read_to_string(&cache).unwrap();
        let sum = sha256(&a).unwrap();
        std::fs::write(&cache, kept.replace(&sum, &"0".repeat(64))).unwrap();
        assert_ne!(digest(&files, Some(&cache)).unwrap(), plain);
        std::fs::write(&a, "three").unwrap();
        let changed = digest(&files, Some(&cache)).unwrap();
        assert_eq!(changed, digest(&files, None).unwrap());
        assert_ne!(changed, plain);
        std::fs::write(&cache, "not json").unwrap();
        assert_eq!(digest(&files, Some(&cache)).unwrap(), changed);
        std::fs::remove_file(&b).unwrap();
        assert!(matches!(digest(&files, Some(&cache)), Err(Error::ModelFile { .. })));
    }
}
