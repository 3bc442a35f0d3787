//! What hooks could not do, for `mem doctor`.

use super::flags::Flags;
use jiff::Timestamp;
use mem_engine::Layout;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};

/// One failure of a hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Failure {
    pub(crate) ts: Timestamp,
    pub(crate) agent: String,
    pub(crate) error: String,
}

/// Past this many bytes the log starts anew; the old one is kept as `hook.log.1`.
const LIMIT: u64 = 256 * 1024;
/// Only so much of the log's end is read.
const TAIL: u64 = 64 * 1024;

/// Adds a line. Where that fails there is nobody left to tell.
pub(crate) fn note(layout: &Layout, flags: &Flags, error: &str) {
    let error: String = error.chars().take(1_000).collect();
    let failure = Failure { ts: Timestamp::now(), agent: flags.agent.clone(), error };
    let _ = append(layout, &failure);
}

fn append(layout: &Layout, failure: &Failure) -> std::io::Result<()> {
    let path = layout.hook_log();
    std::fs::create_dir_all(layout.home())?;
    if std::fs::metadata(&path).is_ok_and(|found| found.len() > LIMIT) {
        std::fs::rename(&path, path.with_extension("log.1"))?;
    }
    let mut line = serde_json::to_vec(failure)?;
    line.push(b'\n');
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(&line)
}

/// The failures since a moment, oldest first, as far as the log's end holds them.
pub(crate) fn recent(layout: &Layout, since: Timestamp) -> Vec<Failure> {
    let Ok(mut file) = File::open(layout.hook_log()) else { return Vec::new() };
    let length = file.metadata().map_or(0, |found| found.len());
    let mut bytes = Vec::new();
    if file
        .seek(SeekFrom::Start(length.saturating_sub(TAIL)))
        .and_then(|_| file.read_to_end(&mut bytes))
        .is_err()
    {
        return Vec::new();
    }
    let lines = bytes.split(|byte| *byte == b'\n');
    let failures = lines.filter_map(|line| serde_json::from_slice::<Failure>(line).ok());
    failures.filter(|failure| failure.ts >= since).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_read_back_and_the_log_stays_small() {
        let home = tempfile::tempdir().unwrap();
        let layout = Layout::new(home.path());
        let flags = Flags { agent: "claude".into(), ..Flags::default() };
        for n in 0..400 {
            note(&layout, &flags, &format!("{n} {}", "改".repeat(2_000)));
        }
        let failures = recent(&layout, Timestamp::MIN);
        assert!(failures.last().unwrap().error.starts_with("399 改"));
        assert!(std::fs::metadata(layout.hook_log()).unwrap().len() < LIMIT + 8 * 1024);
        assert!(recent(&layout, Timestamp::MAX).is_empty());
    }
}
