use jiff::{SignedDuration, Timestamp};
use std::sync::Mutex;

/// Where the time comes from. Libraries never ask the machine themselves.
pub trait Clock: Send + Sync {
    /// The present instant. Need not be monotonic: clocks are set back.
    fn now(&self) -> Timestamp;
}

/// A clock that is shared: the one who moves it keeps a handle.
impl<T: Clock + ?Sized> Clock for std::sync::Arc<T> {
    fn now(&self) -> Timestamp {
        (**self).now()
    }
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// A clock that stands still until it is moved: for tests, replays and simulations.
///
/// ```
/// use mem_core::{Clock, FixedClock, SignedDuration, Timestamp};
/// use std::sync::Arc;
///
/// let clock = Arc::new(FixedClock::new(Timestamp::UNIX_EPOCH));
/// let handed_over: Box<dyn Clock> = Box::new(Arc::clone(&clock));
/// clock.advance(SignedDuration::from_hours(24));
/// assert_eq!(handed_over.now().as_second(), 86_400);
/// ```
#[derive(Debug)]
pub struct FixedClock(Mutex<Timestamp>);

impl FixedClock {
    /// Starts at an instant.
    pub fn new(at: Timestamp) -> Self {
        Self(Mutex::new(at))
    }

    /// Moves to an instant, forward or back.
    pub fn set(&self, at: Timestamp) {
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = at;
    }

    /// Moves on by a duration; stops at the last representable instant.
    pub fn advance(&self, by: SignedDuration) {
        let mut now = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *now = now.checked_add(by).unwrap_or(Timestamp::MAX);
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
