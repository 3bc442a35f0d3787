use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $what:literal, $max:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Takes an id as it is written.
            ///
            /// # Errors
            /// [`Error::Invalid`] when it is empty, longer than the type allows, or holds control characters.
            pub fn new(id: impl Into<String>) -> Result<Self> {
                let id = id.into();
                if id.is_empty() || id.len() > $max || id.chars().any(char::is_control) {
                    let shown: String = id.chars().take(80).collect();
                    return Err(Error::invalid(concat!($what, " of 1 to ", $max, " bytes without control characters"), shown));
                }
                Ok(Self(id))
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = Error;

            fn try_from(id: String) -> Result<Self> {
                Self::new(id)
            }
        }

        impl std::str::FromStr for $name {
            type Err = Error;

            fn from_str(id: &str) -> Result<Self> {
                Self::new(id)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }
    };
}

id! {
    /// Names a memory: 16 characters of lower-case base 32, derived from content, project and time.
    MemoryId, "a memory id", 128
}
id! {
    /// Names an instinct: an ASCII slug such as `read-before-edit-rs-1f3a`, also its file's name.
    InstinctId, "an instinct id", 128
}
id! {
    /// Names a project: `host/owner/name` of its remote, else a path. Opaque to libraries.
    ProjectId, "a project id", 4096
}
id! {
    /// Names one conversation of one agent. A UUID in practice, opaque here.
    SessionId, "a session id", 256
}
