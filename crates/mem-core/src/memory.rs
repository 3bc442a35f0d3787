use crate::{JsonObject, MemoryId, ProjectId, SessionId, Timestamp, Unit};
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum $name { $($(#[$vdoc])* $variant),+ }

        impl $name {
            /// Every value, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word used in JSON, Markdown and on the command line.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl FromStr for $name {
            type Err = crate::Error;

            fn from_str(word: &str) -> crate::Result<Self> {
                Self::ALL.iter().copied().find(|value| value.as_str().eq_ignore_ascii_case(word.trim())).ok_or_else(|| {
                    let words: Vec<_> = Self::ALL.iter().map(|value| value.as_str()).collect();
                    crate::Error::invalid(format!("one of {}", words.join(", ")), word.chars().take(80).collect::<String>())
                })
            }
        }
    };
}

words! {
    /// What sort of knowledge a memory is.
    Kind {
        /// Who the user is and how they like to work.
        User = "user",
        /// Guidance the user gave on how to work.
        Feedback = "feedback",
        /// The state and the goals of a project.
        Project = "project",
        /// Where something is to be found.
        Reference = "reference",
        /// Something that is so.
        Fact = "fact",
        /// Something that was decided, with its reason.
        Decision = "decision",
        /// Something still to be done.
        Todo = "todo",
        /// Something that was wrong and what holds instead.
        Correction = "correction",
    }
}

words! {
    /// Where a memory is in its life.
    Status {
        /// In use.
        Active = "active",
        /// Extracted, waiting for a yes; never recalled on its own.
        Candidate = "candidate",
        /// Replaced by a newer one, kept for its history.
        Superseded = "superseded",
        /// Outlived its time to live; needs confirmation.
        Expired = "expired",
        /// Out of daily recall, searchable on demand.
        Archived = "archived",
    }
}

words! {
    /// How far a memory reaches.
    Scope {
        /// In every project.
        Global = "global",
        /// In one project.
        Project = "project",
        /// In one folder of a project.
        Module = "module",
        /// In one file.
        File = "file",
    }
}

words! {
    /// Where a memory came from, the most trusted first.
    ProvenanceKind {
        /// The user said it.
        User = "user",
        /// The user corrected the agent.
        Correction = "correction",
        /// It was decided in a conversation.
        Conversation = "conversation",
        /// It was derived from what tools did.
        Tool = "tool",
        /// It was read from a commit.
        Commit = "commit",
        /// It came from another store.
        Imported = "imported",
    }
}

words! {
    /// How one memory relates to another.
    LinkKind {
        /// This one replaces that one.
        Supersedes = "supersedes",
        /// This one was replaced by that one.
        SupersededBy = "superseded_by",
        /// This one came about because of that one.
        CausedBy = "caused_by",
        /// Both are about the same module.
        SameModule = "same_module",
        /// They have to do with one another.
        Related = "related",
    }
}

/// The language of a text as a BCP 47 primary tag (`en`, `zh`), or `und` where it cannot be told.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Language(String);

impl Language {
    /// Takes a tag; what is not 2 to 8 ASCII letters becomes `und`.
    pub fn new(tag: &str) -> Self {
        let ok = (2..=8).contains(&tag.len()) && tag.bytes().all(|b| b.is_ascii_alphabetic());
        Self(if ok { tag.to_ascii_lowercase() } else { "und".to_owned() })
    }

    /// The tag.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Language {
    fn default() -> Self {
        Self("und".to_owned())
    }
}

/// Who says so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The sort of source.
    pub kind: ProvenanceKind,
    /// The session it was said or seen in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// Its place in the session, where the session's memories follow one another without a gap as the turns of a
    /// conversation do: what stands beside it then says what it is about. None for a statement taken out of its context.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ordinal: Option<u32>,
    /// A commit, a file, a record's uuid: enough to find the source again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
}

impl From<ProvenanceKind> for Provenance {
    fn from(kind: ProvenanceKind) -> Self {
        Self { kind, session: None, ordinal: None, reference: None }
    }
}

/// What in the project a memory hangs on; when it changes the memory has to be verified.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anchor {
    /// The file, relative to the project's root, with `/`.
    pub path: String,
    /// SHA-256 of its content when the memory was written, hex.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_hash: Option<String>,
    /// The commit that was checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

/// A typed relation to another memory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Link {
    /// The relation.
    pub kind: LinkKind,
    /// The other memory.
    pub to: MemoryId,
}

/// One piece of knowledge worth keeping.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// Its name for machines.
    pub id: MemoryId,
    /// What sort of knowledge.
    pub kind: Kind,
    /// Its name for people: short, in any language.
    pub name: String,
    /// One line.
    #[serde(default)]
    pub description: String,
    /// The statement itself, whole.
    pub body: String,
    /// Why it is so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What follows from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub how: Option<String>,
    /// When to think of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    /// The state of the project it belongs to, such as a branch or a version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Free labels.
    #[serde(default)]
    pub tags: Vec<String>,
    /// How far it reaches.
    pub scope: Scope,
    /// The project; none exactly for the global scope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectId>,
    /// The folder or file of the narrower scopes, relative to the project's root, with `/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Files it hangs on.
    #[serde(default)]
    pub anchors: Vec<Anchor>,
    /// The language it is written in.
    #[serde(default)]
    pub language: Language,
    /// How sure it is.
    pub confidence: Unit,
    /// How much it matters.
    pub importance: Unit,
    /// Who says so.
    pub provenance: Provenance,
    /// When it was first stored.
    pub created: Timestamp,
    /// When its content last changed or was confirmed.
    pub updated: Timestamp,
    /// When it was last recalled or injected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_access: Option<Timestamp>,
    /// How often.
    #[serde(default)]
    pub access_count: u32,
    /// Days it lives after `updated`; none means as its kind's policy says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_days: Option<u32>,
    /// Where it is in its life.
    pub status: Status,
    /// Never expires nor is archived by itself.
    #[serde(default)]
    pub pinned: bool,
    /// What became of suggestions made from it: above 0 taken, below 0 refused.
    #[serde(default)]
    pub feedback: f64,
    /// Relations to others.
    #[serde(default)]
    pub links: Vec<Link>,
    /// Keys other tools put in the front matter; they survive.
    #[serde(default, skip_serializing_if = "JsonObject::is_empty")]
    pub extra: JsonObject,
}

impl Memory {
    /// A global, active memory stated by the user, named after its first words.
    ///
    /// Its id follows from kind, text and time; [`Memory::in_project`] derives it anew.
    pub fn new(kind: Kind, body: impl Into<String>, now: Timestamp) -> Self {
        let body = body.into().trim().to_owned();
        let mut memory = Self {
            id: derive_id(kind, &body, None, now),
            kind,
            name: shorten(&body, 60),
            description: shorten(&body, 160),
            body,
            why: None,
            how: None,
            trigger: None,
            state: None,
            tags: Vec::new(),
            scope: Scope::Global,
            project: None,
            path: None,
            anchors: Vec::new(),
            language: Language::default(),
            confidence: Unit::saturating(0.9),
            importance: Unit::HALF,
            provenance: ProvenanceKind::User.into(),
            created: now,
            updated: now,
            last_access: None,
            access_count: 0,
            ttl_days: None,
            status: Status::Active,
            pinned: false,
            feedback: 0.0,
            links: Vec::new(),
            extra: JsonObject::new(),
        };
        memory.name.shrink_to_fit();
        memory
    }

    /// The same memory, belonging to one project.
    #[must_use]
    pub fn in_project(mut self, project: ProjectId) -> Self {
        self.id = derive_id(self.kind, &self.body, Some(&project), self.created);
        self.scope = if self.scope == Scope::Global { Scope::Project } else { self.scope };
        self.project = Some(project);
        self
    }

    /// Everything of it that is searched by meaning: name, description, trigger, body, reason and use, a line each.
    pub fn full_text(&self) -> String {
        let mut text = String::with_capacity(self.body.len() + 128);
        let parts = [
            Some(self.name.as_str()),
            Some(self.description.as_str()),
            self.trigger.as_deref(),
            Some(self.body.as_str()),
            self.why.as_deref(),
            self.how.as_deref(),
        ];
        let opens = |part: &str| part != self.body && self.body.contains(part.trim_end_matches('…').trim());
        for part in parts.into_iter().flatten().filter(|part| !part.is_empty()) {
            if !opens(part) && !text.contains(part) {
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(part);
            }
        }
        text
    }
}

/// The first line, at most `max` characters, cut at a word where there is one, with an ellipsis when cut.
fn shorten(text: &str, max: usize) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let Some((end, _)) = line.char_indices().nth(max) else {
        return line.to_owned();
    };
    let head = &line[..end];
    let cut = head.rfind(char::is_whitespace).filter(|at| *at > end / 2).unwrap_or(end);
    format!("{}…", head[..cut].trim_end())
}

/// 80 bits of FNV-1a (128 bit; draft-eastlake-fnv) in base 32, lower case without `0 1 8 9`.
fn derive_id(kind: Kind, body: &str, project: Option<&ProjectId>, now: Timestamp) -> MemoryId {
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013B;
    const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let mut hash: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    let now = now.as_nanosecond().to_le_bytes();
    let project = project.map_or("", ProjectId::as_str);
    for part in [kind.as_str().as_bytes(), project.as_bytes(), body.as_bytes(), &now] {
        for byte in part.iter().chain(&[0xff]) {
            hash = (hash ^ u128::from(*byte)).wrapping_mul(PRIME);
        }
    }
    let mixed = hash ^ (hash >> 61);
    let id = (0..16).map(|i| char::from(ALPHABET[(mixed >> (i * 5)) as usize & 31])).collect::<String>();
    MemoryId::new(id).unwrap_or_else(|_| unreachable!("16 characters of base 32 are an id"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn ids_differ_by_text_project_and_time_and_repeat_otherwise() {
        let base = Memory::new(Kind::Fact, "port 8080", at(1));
        assert_eq!(base.id, Memory::new(Kind::Fact, " port 8080\n", at(1)).id);
        let others = [
            Memory::new(Kind::Fact, "port 8081", at(1)),
            Memory::new(Kind::Fact, "port 8080", at(2)),
            Memory::new(Kind::Todo, "port 8080", at(1)),
            base.clone().in_project(ProjectId::new("p").unwrap()),
        ];
        for other in others {
            assert_ne!(base.id, other.id);
            assert_eq!(other.id.as_str().len(), 16);
        }
    }

    #[test]
    fn names_are_cut_between_characters_and_words() {
        let long = Memory::new(Kind::Fact, "改".repeat(80), at(1));
        assert_eq!(long.name, format!("{}…", "改".repeat(60)));
        let words = Memory::new(Kind::Fact, "\n\n  seventeen words ".to_owned() + &"word ".repeat(20), at(1));
        assert!(words.name.ends_with("word…"), "{}", words.name);
        assert!(words.name.chars().count() <= 61);
    }

    #[test]
    fn words_round_trip_and_refuse_with_the_list() {
        for kind in Kind::ALL {
            assert_eq!(kind.as_str().parse::<Kind>().unwrap(), *kind);
            assert_eq!(serde_json::to_string(kind).unwrap(), format!("\"{kind}\""));
        }
        let refused = "opinion".parse::<Kind>().unwrap_err().to_string();
        assert!(refused.contains("user, feedback") && refused.contains("opinion"), "{refused}");
        assert_eq!(LinkKind::SupersededBy.as_str(), "superseded_by");
    }

    #[test]
    fn full_text_says_nothing_twice() {
        let memory = Memory::new(Kind::Fact, "ripgrep is used for search", at(1));
        assert_eq!(memory.full_text(), "ripgrep is used for search");
    }
}
