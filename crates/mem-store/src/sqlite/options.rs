use serde::{Deserialize, Serialize};

/// How much a commit waits for the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Synchronous {
    /// A commit is on the disk when it returns: survives a power cut.
    #[default]
    Full,
    /// A commit survives the death of the process; a power cut may take back the last ones, and damages nothing.
    Normal,
}

impl Synchronous {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Full => "FULL",
            Self::Normal => "NORMAL",
        }
    }
}

/// How a store is opened.
///
/// ```
/// use mem_store::Options;
/// assert_eq!(Options::default().busy_timeout_ms, 5000);
/// assert!(!Options::hook().checkpoints);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// What a commit waits for.
    pub synchronous: Synchronous,
    /// How long to wait for another process that writes, in milliseconds.
    pub busy_timeout_ms: u32,
    /// Whether this connection moves the write-ahead log into the database: every 1,000 pages, and on closing as
    /// the last one. It costs several `fsync`s.
    pub checkpoints: bool,
    /// Page cache, in KiB.
    pub cache_kib: u32,
    /// How much of the file is mapped instead of read, in bytes; 0 for none.
    pub mmap_bytes: u64,
}

impl Default for Options {
    /// For commands that acknowledge what they stored.
    fn default() -> Self {
        Self {
            synchronous: Synchronous::Full,
            busy_timeout_ms: 5000,
            checkpoints: true,
            cache_kib: 2048,
            // A file that is mapped cannot be shortened on Windows.
            mmap_bytes: if cfg!(windows) { 0 } else { 64 << 20 },
        }
    }
}

impl Options {
    /// For hooks: never waits for long, neither for another process nor for the disk.
    pub fn hook() -> Self {
        Self { synchronous: Synchronous::Normal, busy_timeout_ms: 200, checkpoints: false, ..Self::default() }
    }
}
