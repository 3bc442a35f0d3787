use super::{
    FileDefaults, instinct_file, memory_file, read_instincts, read_memory, slug, update_instinct,
    update_memory, write_instinct, write_memory,
};
use mem_core::{Instinct, InstinctStatus, Memory};

/// What a file was read as.
#[derive(Debug, Clone, PartialEq)]
pub enum ReadItem<T> {
    /// One item.
    One {
        /// What the file says.
        item: T,
        /// Whether the file names the item's id; otherwise it was derived.
        has_id: bool,
    },
    /// Something that is left alone: what is wrong, in words for a person.
    Unreadable(String),
}

/// Something that is mirrored as a file of its own.
pub trait MirrorItem: Clone {
    /// Ends of the names of its files; the first is written.
    const EXTENSIONS: &'static [&'static str];

    /// Its id in the store.
    fn id(&self) -> &str;

    /// The name its file gets: `<kind>_<slug>_<first 6 of the id>.md`.
    fn file_name(&self) -> String;

    /// It as a new file.
    fn write(&self) -> String;

    /// A file changed so that it reads as this item; none when that file may not be rewritten.
    fn update(&self, text: &str, defaults: &FileDefaults) -> Option<String>;

    /// What a file says.
    fn read(text: &str, defaults: &FileDefaults) -> ReadItem<Self>;

    /// The fields in which a file that was read as `self` differs from the stored `base`, as far as files show them.
    fn edited(&self, base: &Self) -> Vec<&'static str>;

    /// `self`, read from a file, with what files do not show taken from `base`.
    #[must_use]
    fn on_top_of(self, base: &Self) -> Self;

    /// A hash of all that its file shows.
    fn content_hash(&self) -> String {
        slug::sha256(self.write().as_bytes())
    }
}

/// Names the fields that differ.
macro_rules! differing {
    ($a:expr, $b:expr, $($field:ident),+ $(,)?) => {{
        let mut fields = Vec::new();
        $(if $a.$field != $b.$field { fields.push(stringify!($field)); })+
        fields
    }};
}

impl MirrorItem for Memory {
    const EXTENSIONS: &'static [&'static str] = &["md"];

    fn id(&self) -> &str {
        self.id.as_str()
    }

    fn file_name(&self) -> String {
        slug::file_name(self.kind.as_str(), &self.name, self.id.as_str(), "md")
    }

    fn write(&self) -> String {
        write_memory(self)
    }

    fn update(&self, text: &str, defaults: &FileDefaults) -> Option<String> {
        update_memory(text, self, defaults)
    }

    fn read(text: &str, defaults: &FileDefaults) -> ReadItem<Self> {
        let file = read_memory(text, defaults);
        match file.defect {
            Some(defect) => ReadItem::Unreadable(defect.describe().to_owned()),
            None => ReadItem::One { item: file.memory, has_id: file.has_id },
        }
    }

    fn edited(&self, base: &Self) -> Vec<&'static str> {
        let base = memory_file::as_written(base);
        differing!(
            self,
            base,
            kind,
            name,
            description,
            body,
            why,
            how,
            trigger,
            state,
            tags,
            scope,
            project,
            path,
            anchors,
            language,
            confidence,
            importance,
            provenance,
            created,
            updated,
            ttl_days,
            status,
            pinned,
            links,
            extra,
        )
    }

    fn on_top_of(self, base: &Self) -> Self {
        Self {
            id: base.id.clone(),
            last_access: base.last_access,
            access_count: base.access_count,
            feedback: base.feedback,
            ..self
        }
    }
}

impl MirrorItem for Instinct {
    const EXTENSIONS: &'static [&'static str] = &["md", "yaml", "yml"];

    fn id(&self) -> &str {
        self.id.as_str()
    }

    fn file_name(&self) -> String {
        slug::file_name("instinct", self.id.as_str(), &slug::sha256(self.id.as_str().as_bytes()), "md")
    }

    fn write(&self) -> String {
        write_instinct(self)
    }

    fn update(&self, text: &str, defaults: &FileDefaults) -> Option<String> {
        update_instinct(text, self, defaults)
    }

    fn read(text: &str, defaults: &FileDefaults) -> ReadItem<Self> {
        let file = read_instincts(text, defaults);
        match (file.problems.first(), file.instincts.len(), file.instincts.into_iter().next()) {
            (None, 1, Some(item)) => ReadItem::One { item, has_id: true },
            (Some(problem), ..) => ReadItem::Unreadable(problem.to_string()),
            (None, count, _) => ReadItem::Unreadable(format!(
                "it holds {count} instincts; import it, or give each a file of its own"
            )),
        }
    }

    fn edited(&self, base: &Self) -> Vec<&'static str> {
        let written = read_instincts(&write_instinct(base), &FileDefaults::new(base.created));
        let base = written.instincts.into_iter().next().unwrap_or_else(|| base.clone());
        let mut fields = differing!(
            self,
            base,
            trigger,
            action,
            domain,
            source,
            scope,
            project,
            created,
            observed_at,
            evidence,
            extra
        );
        if instinct_file::confidence(self.confidence) != instinct_file::confidence(base.confidence) {
            fields.push("confidence");
        }
        if (self.status == InstinctStatus::Deprecated) != (base.status == InstinctStatus::Deprecated) {
            fields.push("deprecated");
        } else if self.status != base.status {
            fields.push("status");
        }
        fields
    }

    fn on_top_of(self, base: &Self) -> Self {
        // Two decimals are not the stored number: unless they were edited it stays.
        let same = instinct_file::confidence(self.confidence) == instinct_file::confidence(base.confidence);
        Self {
            id: base.id.clone(),
            counts: base.counts,
            sessions: base.sessions,
            injected_since: base.injected_since,
            confidence: if same { base.confidence } else { self.confidence },
            ..self
        }
    }
}
