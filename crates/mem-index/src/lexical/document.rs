//! What a memory is indexed by.

use mem_core::Memory;

/// How many fields a memory is indexed by.
pub(crate) const FIELDS: usize = 8;
/// Names of the fields, in the order of every array over them.
pub(crate) const FIELD_NAMES: [&str; FIELDS] =
    ["name", "description", "trigger", "body", "tags", "paths", "chars", "grams"];
/// The field that holds single CJK characters.
pub(crate) const CHARS: usize = 6;
/// The field that holds trigrams; words are in all the others.
pub(crate) const GRAMS: usize = 7;

/// The texts of a memory, field by field.
///
/// A name or description that only begins the body says nothing twice and is left out.
pub(crate) fn document(memory: &Memory) -> [String; FIELDS] {
    let opens_body = |text: &str| memory.body.contains(text.trim_end_matches('…').trim());
    let mut body = memory.body.clone();
    for more in [&memory.why, &memory.how, &memory.state].into_iter().flatten() {
        body.push('\n');
        body.push_str(more);
    }
    let mut paths = memory.path.clone().unwrap_or_default();
    for anchor in &memory.anchors {
        paths.push('\n');
        paths.push_str(&anchor.path);
    }
    let mut fields = [
        if opens_body(&memory.name) { String::new() } else { memory.name.clone() },
        if opens_body(&memory.description) { String::new() } else { memory.description.clone() },
        memory.trigger.clone().unwrap_or_default(),
        body,
        memory.tags.join("\n"),
        paths,
        String::new(),
        String::new(),
    ];
    let said: Vec<&str> = fields.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
    let all = said.join("\n");
    if !all.is_ascii() {
        fields[CHARS] = all.clone();
    }
    fields[GRAMS] = all;
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_says_nothing_twice() {
        let memory =
            Memory::new(mem_core::Kind::Fact, "a statement of some length", mem_core::Timestamp::UNIX_EPOCH);
        let fields = document(&memory);
        assert_eq!(fields[3], "a statement of some length");
        assert_eq!(fields[GRAMS], fields[3]);
        assert!(fields[0].is_empty() && fields[1].is_empty() && fields[CHARS].is_empty());
    }
}
