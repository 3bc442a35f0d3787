//! A hook answers in time or not at all.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

const RUNNING: u8 = 0;
const FINISHED: u8 = 1;
const EXPIRED: u8 = 2;

/// Ends the process with code 0 and without an answer when time is up before [`Deadline::finish`].
pub(crate) struct Deadline(Arc<AtomicU8>);

impl Deadline {
    pub(crate) fn start(longest: Duration, expired: impl FnOnce() + Send + 'static) -> Self {
        let state = Arc::new(AtomicU8::new(RUNNING));
        let watched = Arc::clone(&state);
        let watch = std::thread::Builder::new().stack_size(64 * 1024).spawn(move || {
            std::thread::sleep(longest);
            if watched.compare_exchange(RUNNING, EXPIRED, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
                expired();
                std::process::exit(0);
            }
        });
        // Where no thread can be had the host's own time limit remains.
        drop(watch);
        Self(state)
    }

    /// Whether there was still time; after that there always is.
    pub(crate) fn finish(&self) -> bool {
        self.0.compare_exchange(RUNNING, FINISHED, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }
}
