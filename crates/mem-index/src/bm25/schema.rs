//! What the index stores of a memory, and the stamp that says how.

use crate::{
    lexical::{CHARS, FIELD_NAMES, FIELDS, GRAMS, document},
    tokenize::{GramTokenizer, MemTokenizer, TOKENIZER_VERSION},
};
use mem_core::{Memory, Revision};
use tantivy::{
    TantivyDocument,
    schema::{FAST, Field, IndexRecordOption, STRING, Schema, TextFieldIndexing, TextOptions},
    tokenizer::TokenizerManager,
};

/// Changes whenever the fields do.
const SCHEMA_VERSION: u32 = 2;
const WORDS: &str = "mem";
const SINGLE: &str = "mem_chars";
const LETTERS: &str = "mem_grams";

/// The fields, by handle.
#[derive(Debug, Clone)]
pub(super) struct Fields {
    pub(super) schema: Schema,
    pub(super) id: Field,
    pub(super) text: [Field; FIELDS],
    project: Field,
    kind: Field,
    status: Field,
    scope: Field,
    seconds: Field,
    nanos: Field,
}

/// Names of the fast fields a filter reads.
pub(super) const ID: &str = "id";
pub(super) const PROJECT: &str = "project";
pub(super) const KIND: &str = "kind";
pub(super) const STATUS: &str = "status";
pub(super) const SCOPE: &str = "scope";
pub(super) const SECONDS: &str = "created_s";
pub(super) const NANOS: &str = "created_ns";

impl Fields {
    pub(super) fn new() -> Self {
        let mut builder = Schema::builder();
        let id = builder.add_text_field(ID, STRING | FAST);
        let text = std::array::from_fn(|at| {
            let indexing = TextFieldIndexing::default()
                .set_tokenizer(match at {
                    CHARS => SINGLE,
                    GRAMS => LETTERS,
                    _ => WORDS,
                })
                .set_index_option(IndexRecordOption::WithFreqs);
            builder.add_text_field(FIELD_NAMES[at], TextOptions::default().set_indexing_options(indexing))
        });
        let project = builder.add_text_field(PROJECT, TextOptions::default().set_fast("raw"));
        let kind = builder.add_u64_field(KIND, FAST);
        let status = builder.add_u64_field(STATUS, FAST);
        let scope = builder.add_u64_field(SCOPE, FAST);
        let seconds = builder.add_i64_field(SECONDS, FAST);
        let nanos = builder.add_i64_field(NANOS, FAST);
        Self { schema: builder.build(), id, text, project, kind, status, scope, seconds, nanos }
    }

    pub(super) fn document(&self, memory: &Memory) -> TantivyDocument {
        let mut out = TantivyDocument::default();
        out.add_text(self.id, memory.id.as_str());
        for (field, text) in self.text.iter().zip(document(memory)) {
            if !text.is_empty() {
                out.add_text(*field, text);
            }
        }
        if let Some(project) = &memory.project {
            out.add_text(self.project, project.as_str());
        }
        out.add_u64(self.kind, memory.kind as u64);
        out.add_u64(self.status, memory.status as u64);
        out.add_u64(self.scope, memory.scope as u64);
        out.add_i64(self.seconds, memory.created.as_second());
        out.add_i64(self.nanos, i64::from(memory.created.subsec_nanosecond()));
        out
    }
}

pub(super) fn tokenizers() -> TokenizerManager {
    let manager = TokenizerManager::default();
    manager.register(WORDS, MemTokenizer { chars: false });
    manager.register(SINGLE, MemTokenizer { chars: true });
    manager.register(LETTERS, GramTokenizer);
    manager
}

/// The commit's payload: how the index was built, and up to which revision.
pub(super) fn payload(revision: Revision) -> String {
    format!("{}:{}", stamp(), revision.0)
}

fn stamp() -> String {
    format!("mem-index/{SCHEMA_VERSION}.{TOKENIZER_VERSION}")
}

/// The revision of a payload; none for one of another schema or tokenizer.
pub(super) fn revision(payload: &str) -> Option<Revision> {
    let (stamped, revision) = payload.rsplit_once(':')?;
    if stamped == stamp() { revision.parse().ok().map(Revision) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_of_another_build_has_no_revision() {
        assert_eq!(revision(&payload(Revision(7))), Some(Revision(7)));
        assert_eq!(revision("mem-index/0.0:7"), None);
        assert_eq!(revision(""), None);
    }
}
