//! A data set's documents as memories.

use super::data::{Dataset, Document};
use anyhow::Context as _;
use mem_core::{Anchor, Kind, Memory, MemoryId, ProjectId, Scope, SessionId, Timestamp};
use std::collections::HashMap;

/// So many turns, at least, make a conversation.
const FEWEST_TURNS: usize = 3;
/// Documents do not outlive their time: a data set says itself what holds no more.
const DAYS: u32 = 36_500;
/// Seconds from the newest document to the questions.
const LATER: i64 = 86_400;

/// Memories in the order of the documents.
pub(super) struct Memories {
    pub(super) all: Vec<Memory>,
    /// Places of an older memory and of the one that replaces it.
    pub(super) superseded: Vec<(usize, usize)>,
    /// When questions are asked.
    pub(super) now: Timestamp,
}

/// The id of the memory of a document: ties are broken by ids, hence by the order of the corpus.
pub(super) fn id_of(place: usize) -> anyhow::Result<MemoryId> {
    Ok(MemoryId::new(format!("d{place:08}"))?)
}

/// The place of the document of a memory.
pub(super) fn place_of(id: &MemoryId) -> Option<usize> {
    id.as_str().strip_prefix('d')?.parse().ok()
}

/// The project of a group.
pub(super) fn project_of(group: Option<&str>) -> anyhow::Result<Option<ProjectId>> {
    group.map(|group| ProjectId::new(group).with_context(|| format!("the group {group:?}"))).transpose()
}

/// Makes each document a memory as `mem remember` would, of its group's project and its own time.
pub(super) fn memories(data: &Dataset) -> anyhow::Result<Memories> {
    let newest = data.documents.iter().filter_map(time).max();
    // Without times any instant does.
    let newest = newest.unwrap_or(Timestamp::UNIX_EPOCH);
    let now = Timestamp::from_second(newest.as_second() + LATER)?;
    let turns = turns(&data.documents)?;
    let mut places: HashMap<&str, usize> = HashMap::new();
    let (mut all, mut replacing) = (Vec::with_capacity(data.documents.len()), Vec::new());
    for (at, (document, turn)) in data.documents.iter().zip(turns).enumerate() {
        places.insert(&document.id, at);
        if let Some(old) = &document.supersedes {
            replacing.push((old, at));
        }
        let of = || format!("{}: the document {:?}", data.name, document.id);
        let mut memory = memory(document, newest).with_context(of)?;
        memory.id = id_of(at)?;
        if let Some((session, ordinal)) = turn {
            (memory.provenance.session, memory.provenance.ordinal) = (Some(session), Some(ordinal));
        }
        all.push(memory);
    }
    let mut superseded = Vec::new();
    for (old, new) in replacing {
        let old = places.get(old.as_str()).with_context(|| {
            format!("{}: nothing has the id {old:?}, which a document supersedes", data.name)
        })?;
        superseded.push((*old, new));
    }
    Ok(Memories { all, superseded, now })
}

fn memory(document: &Document, without_time: Timestamp) -> anyhow::Result<Memory> {
    let kind = document.kind.unwrap_or(Kind::Fact);
    let mut memory = Memory::new(kind, document.text.as_str(), time(document).unwrap_or(without_time));
    if let Some(project) = project_of(document.group.as_deref())? {
        memory = memory.in_project(project);
    }
    memory.language = mem_index::detect(&memory.full_text());
    memory.tags.clone_from(&document.tags);
    memory.ttl_days = Some(DAYS);
    match &document.path {
        Some(path) if memory.project.is_some() => {
            memory.scope = if path.ends_with('/') { Scope::Module } else { Scope::File };
            memory.path = Some(path.clone());
        }
        Some(path) => {
            memory.anchors = vec![Anchor { path: path.clone(), content_hash: None, commit: None }];
        }
        None => {}
    }
    Ok(memory)
}

/// A document's time; what is not RFC 3339 is none.
fn time(document: &Document) -> Option<Timestamp> {
    document.ts.as_deref()?.parse().ok()
}

/// Which documents are turns of a conversation, and where in it.
///
/// Documents of one group that tell the same beginning (a time that is not RFC 3339) and follow one another in the
/// corpus are a conversation. Where fewer than half of the documents are in one, order means nothing.
fn turns(documents: &[Document]) -> anyhow::Result<Vec<Option<(SessionId, u32)>>> {
    let together = |a: &Document, b: &Document| {
        a.ts.is_some() && a.ts == b.ts && a.group == b.group && time(a).is_none()
    };
    let mut turns = Vec::with_capacity(documents.len());
    for run in documents.chunk_by(together) {
        let began = turns.len();
        for at in began..began + run.len() {
            // Named by its first document: a conversation taken up again later is another run, not its neighbour.
            let session = SessionId::new(format!("session-{began}"))?;
            turns.push((run.len() >= FEWEST_TURNS).then_some((session, u32::try_from(at)?)));
        }
    }
    if turns.iter().flatten().count() * 2 < documents.len() {
        turns.fill(None);
    }
    Ok(turns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mem_core::Status;

    fn document(id: &str, group: Option<&str>, ts: Option<&str>) -> Document {
        let own = |text: &str| text.to_owned();
        Document { id: own(id), text: own(id), group: group.map(own), ts: ts.map(own), ..Document::default() }
    }

    fn places(documents: &[Document]) -> Vec<Option<(String, u32)>> {
        turns(documents)
            .unwrap()
            .into_iter()
            .map(|turn| turn.map(|(session, at)| (session.as_str().to_owned(), at)))
            .collect()
    }

    #[test]
    fn turns_that_follow_one_another_are_a_conversation() {
        let (a, b) = (Some("a"), Some("b"));
        let eight = Some("8:00 on 1 May");
        let mut documents: Vec<Document> = (0..3).map(|_| document("x", a, eight)).collect();
        documents.extend((0..3).map(|_| document("x", b, eight)));
        documents.push(document("x", b, Some("9:00 on 1 May")));
        let found = places(&documents);
        let turn = |session: &str, at| Some((session.to_owned(), at));
        assert_eq!(
            found[..4],
            [turn("session-0", 0), turn("session-0", 1), turn("session-0", 2), turn("session-3", 3)]
        );
        assert_eq!(found[6], None);
    }

    #[test]
    fn order_means_nothing_without_conversations() {
        let none = |documents: &[Document]| places(documents).iter().all(Option::is_none);
        let each: Vec<_> = (0..9).map(|at| document("x", None, Some(["1", "2", "3"][at % 3]))).collect();
        assert!(none(&each), "shuffled");
        let times: Vec<_> = (0..9).map(|_| document("x", None, Some("2026-01-01T00:00:00Z"))).collect();
        assert!(none(&times), "RFC 3339 is a document's own time");
        assert!(none(&(0..9).map(|_| document("x", None, None)).collect::<Vec<_>>()));
        let mut few: Vec<_> = (0..3).map(|_| document("x", None, Some("May"))).collect();
        few.extend((0..4).map(|_| document("x", None, None)));
        assert!(none(&few), "three of seven");
    }

    #[test]
    fn fields_become_those_of_a_memory() {
        let mut old = document("the port is 80", Some("p"), Some("2026-01-01T00:00:00Z"));
        let mut new = document("the port is 81", Some("p"), Some("2026-01-05T00:00:00Z"));
        (old.kind, old.path) = (Some(Kind::Decision), Some("src/main.rs".to_owned()));
        (new.supersedes, new.tags) = (Some(old.id.clone()), vec!["ports".to_owned()]);
        let everywhere = document("全局的偏好", None, None);
        let data = Dataset { documents: vec![old, new, everywhere], ..Dataset::default() };
        let Memories { all, superseded, now } = memories(&data).unwrap();
        assert_eq!(superseded, [(0, 1)]);
        assert_eq!(now.to_string(), "2026-01-06T00:00:00Z");
        assert_eq!(
            (all[0].kind, all[0].scope, all[0].path.as_deref()),
            (Kind::Decision, Scope::File, Some("src/main.rs"))
        );
        assert_eq!(
            (all[0].created.to_string(), all[0].status),
            ("2026-01-01T00:00:00Z".to_owned(), Status::Active)
        );
        assert_eq!(
            (all[1].project.as_ref().map(ProjectId::as_str), &all[1].tags[..]),
            (Some("p"), &["ports".to_owned()][..])
        );
        assert_eq!(
            (all[2].scope, all[2].language.as_str(), all[2].updated),
            (Scope::Global, "zh", all[1].updated)
        );
        assert_eq!(place_of(&all[2].id), Some(2));
        assert_eq!(all[0].full_text(), "the port is 80");
    }

    #[test]
    fn what_is_superseded_must_be_there() {
        let mut document = document("a", None, None);
        document.supersedes = Some("b".to_owned());
        let data = Dataset { documents: vec![document], ..Dataset::default() };
        assert!(memories(&data).err().unwrap().to_string().contains("\"b\""));
    }
}
