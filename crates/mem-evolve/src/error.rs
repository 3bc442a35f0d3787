use mem_core::ErrorKind;

/// What can go wrong in this crate: only settings that contradict themselves.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting outside what it may be.
    #[error("the setting {key} must be {expected}, got {got}; correct it in the configuration")]
    Setting {
        /// The key, with its section: `confidence.step`.
        key: &'static str,
        /// What would be accepted, as a noun phrase.
        expected: &'static str,
        /// What was set.
        got: f64,
    },
}

impl Error {
    /// The way in which a caller can react.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Setting { .. } => ErrorKind::Invalid,
        }
    }
}

impl From<Error> for mem_core::Error {
    fn from(error: Error) -> Self {
        let kind = error.kind();
        Self::backend(kind, "the settings of evolution cannot be used", error)
    }
}

/// Accepts `got` when it lies in the closed range.
pub(crate) fn within(
    key: &'static str,
    got: f64,
    low: f64,
    high: f64,
    expected: &'static str,
) -> Result<(), Error> {
    if (low..=high).contains(&got) { Ok(()) } else { Err(Error::Setting { key, expected, got }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error as _;

    #[test]
    fn keeps_the_cause_on_the_way_out() {
        let inner = within("confidence.step", f64::NAN, 0.0, 1.0, "a number between 0 and 1");
        let outer = mem_core::Error::from(inner.expect_err("not a number is refused"));
        assert_eq!(outer.kind(), ErrorKind::Invalid);
        let cause = outer.source().expect("a source").to_string();
        assert!(cause.starts_with("the setting confidence.step must be a number between 0 and 1"), "{cause}");
    }
}
