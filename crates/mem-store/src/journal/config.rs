use serde::{Deserialize, Serialize};

/// When the journal rotates, and what it waits for and accepts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JournalConfig {
    /// Bytes of the live file from which it may rotate.
    pub max_bytes: u64,
    /// Lines of the live file from which it may rotate.
    pub max_lines: u64,
    /// Days a line stays in the live file.
    pub retention_days: u32,
    /// Days beyond `retention_days` the oldest line must have passed before anything moves: a large file
    /// of recent lines is not rewritten for the sake of a few.
    pub hysteresis_days: u32,
    /// Milliseconds an append waits for the lock.
    pub append_wait_ms: u64,
    /// Milliseconds reading and rotating wait for the lock; neither runs in a hook's path.
    pub read_wait_ms: u64,
    /// Bytes of the longest line that is written, or read as more than a damaged one.
    pub max_line_bytes: usize,
    /// Bytes of lines after which a batch ends, whatever its limit.
    pub max_batch_bytes: u64,
}

impl Default for JournalConfig {
    fn default() -> Self {
        Self {
            max_bytes: 5_000_000,
            max_lines: 8_000,
            retention_days: 30,
            hysteresis_days: 1,
            append_wait_ms: 250,
            read_wait_ms: 5_000,
            max_line_bytes: 16 << 20,
            max_batch_bytes: 64 << 20,
        }
    }
}
