use super::*;
use crate::mirror::{write_instinct, write_memory};
use mem_core::{Instinct, Kind, Memory, Unit};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn memory(body: &str) -> Memory {
    Memory::new(Kind::Fact, body, at(1_790_000_000))
}

fn defaults() -> FileDefaults {
    FileDefaults::new(at(0))
}

fn file(name: &str, text: &str) -> MirrorFile {
    MirrorFile::new(name, text, at(1_790_000_100))
}

fn synced<T: MirrorItem>(item: &T, text: &str) -> SyncedFile {
    SyncedFile {
        id: item.id().to_owned(),
        file_hash: sha256(text.as_bytes()),
        item_hash: item.content_hash(),
    }
}

fn state<T: MirrorItem>(files: &[(&str, &T, &str)]) -> MirrorState {
    let mut state = MirrorState::default();
    for (name, item, text) in files {
        state.files.insert((*name).to_owned(), synced(*item, text));
    }
    state
}

fn edited(memory: &Memory) -> String {
    write_memory(memory).replace(&format!("\n\n{}\n", memory.body), "\n\nedited by hand\n")
}

/// Store, file and memory of the last agreement, in every combination of unchanged, changed and gone.
#[test]
fn the_three_ways_of_one_item() {
    let old = memory("port 8080");
    let text = write_memory(&old);
    let mut new = old.clone();
    new.description = "changed in the store".to_owned();
    let before = state(&[("a.md", &old, &text)]);
    let decide = |items: &[Memory], text: Option<&str>| {
        let files: Vec<_> = text.map(|text| file("a.md", text)).into_iter().collect();
        let mut actions = plan(items, &files, &before, &defaults());
        assert!(actions.len() < 2, "{actions:?}");
        actions.pop()
    };
    let conflict = |action: Option<Action<Memory>>| match action {
        Some(Action::Conflict { name, id, file, reason, .. }) => {
            assert_eq!((name.as_str(), id.as_str()), ("a.md", old.id.as_str()));
            (reason, file.map(|memory| memory.body))
        }
        other => panic!("{other:?}"),
    };
    let by_hand = edited(&old);
    assert_eq!(decide(std::slice::from_ref(&old), Some(&text)), None);
    match decide(std::slice::from_ref(&new), Some(&text)) {
        Some(Action::Write { name, item, text: written, expect }) => {
            assert_eq!((name.as_str(), &item, expect), ("a.md", &new, Some(sha256(text.as_bytes()))));
            assert_eq!(written, text.replace("description: port 8080", "description: changed in the store"));
        }
        other => panic!("{other:?}"),
    }
    match decide(&[Memory { access_count: 3, ..old.clone() }], Some(&by_hand)) {
        Some(Action::TakeOver { item, fields, renamed_from: None, .. }) => {
            assert_eq!(fields, ["body"]);
            assert_eq!(item, Memory { body: "edited by hand".to_owned(), access_count: 3, ..old.clone() });
        }
        other => panic!("{other:?}"),
    }
    let hand = Some("edited by hand".to_owned());
    assert_eq!(
        conflict(decide(std::slice::from_ref(&new), Some(&by_hand))),
        (ConflictReason::BothChanged, hand.clone())
    );
    assert_eq!(conflict(decide(&[], Some(&by_hand))), (ConflictReason::RemovedAndEdited, hand));
    assert_eq!(conflict(decide(std::slice::from_ref(&new), None)), (ConflictReason::DeletedAndChanged, None));
    assert_eq!(
        decide(&[], Some(&text)),
        Some(Action::Delete { name: "a.md".to_owned(), expect: sha256(text.as_bytes()) })
    );
    assert_eq!(
        decide(std::slice::from_ref(&old), None),
        Some(Action::Remove { name: "a.md".to_owned(), id: old.id.to_string() })
    );
    assert_eq!(decide(&[], None), Some(Action::Forget { name: "a.md".to_owned() }));
    // The same change on both sides is none.
    let same = Memory { body: "edited by hand".to_owned(), ..old.clone() };
    match decide(std::slice::from_ref(&same), Some(&by_hand)) {
        Some(Action::Settled { synced: settled, .. }) => assert_eq!(settled, synced(&same, &by_hand)),
        other => panic!("{other:?}"),
    }
    let damaged = text.replace("---\n\nport", "\n\nport");
    match decide(std::slice::from_ref(&new), Some(&damaged)) {
        Some(Action::Leave { reason: LeaveReason::Unreadable(why), .. }) => {
            assert!(why.contains("---"), "{why}")
        }
        other => panic!("{other:?}"),
    }
    let other_id = text.replace(old.id.as_str(), "other");
    assert_eq!(conflict(decide(std::slice::from_ref(&old), Some(&other_id))).0, ConflictReason::IdChanged);
}

#[test]
fn files_without_state_are_new_or_settled_or_in_conflict() {
    let (known, other) = (memory("port 8080"), memory("port 9090"));
    let files = [
        file("b.md", &write_memory(&known)),
        file("c.md", &edited(&other)),
        file("d.md", "---\nname: n\ntype: user\n---\nfrom Claude\n"),
        file("e.md", "no front matter"),
        file("f.md", &write_memory(&known)),
    ];
    let actions = plan(&[known.clone(), other.clone()], &files, &MirrorState::default(), &defaults());
    let [b, c, d, e, f] = &actions[..] else { panic!("{actions:?}") };
    assert!(matches!(b, Action::Settled { synced, .. } if synced.id == known.id.as_str()));
    assert!(matches!(c, Action::Conflict { reason: ConflictReason::NeverAgreed, .. }));
    assert!(matches!(e, Action::Leave { reason: LeaveReason::Unreadable(_), .. }));
    assert!(matches!(f, Action::Leave { reason: LeaveReason::DuplicateId { other }, .. } if other == "b.md"));
    match d {
        Action::Add { item, .. } => {
            assert_eq!(
                (item.kind, item.body.as_str(), item.created),
                (Kind::User, "from Claude", at(1_790_000_100))
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn new_items_get_free_names() {
    let item = memory("用端口");
    let name = item.file_name();
    assert!(name.starts_with("fact_") && name.is_ascii(), "{name}");
    let actions = plan(&[item], &[file(&name.to_uppercase(), "mine")], &MirrorState::default(), &defaults());
    let names: Vec<_> = actions.iter().map(Action::name).collect();
    assert!(names.contains(&name.replace(".md", "-2.md").as_str()), "{names:?}");
}

#[test]
fn a_renamed_file_keeps_its_item_and_a_copy_does_not_take_it() {
    let old = memory("port 8080");
    let text = write_memory(&old);
    let before = state(&[("a.md", &old, &text)]);
    let items = std::slice::from_ref(&old);
    match &plan(items, &[file("z.md", &text)], &before, &defaults())[..] {
        [Action::Settled { name, renamed_from, .. }] => {
            assert_eq!((name.as_str(), renamed_from.as_deref()), ("z.md", Some("a.md")));
        }
        other => panic!("{other:?}"),
    }
    match &plan(items, &[file("z.md", &edited(&old))], &before, &defaults())[..] {
        [Action::TakeOver { name, renamed_from, .. }] => {
            assert_eq!((name.as_str(), renamed_from.as_deref()), ("z.md", Some("a.md")));
        }
        other => panic!("{other:?}"),
    }
    match &plan(items, &[file("Z.md", &edited(&old)), file("a.md", &text)], &before, &defaults())[..] {
        [Action::Leave { name, reason: LeaveReason::DuplicateId { other } }] => {
            assert_eq!((name.as_str(), other.as_str()), ("Z.md", "a.md"));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_lost_folder_forgets_nothing() {
    let (a, b) = (memory("a"), memory("b"));
    let before = state(&[("a.md", &a, "x"), ("b.md", &b, "y")]);
    let items = [a.clone(), b.clone()];
    let actions = plan(&items, &[], &before, &defaults());
    assert!(actions.iter().all(|action| matches!(action, Action::Write { expect: None, .. })), "{actions:?}");
    assert_eq!(actions.iter().map(Action::name).collect::<Vec<_>>(), ["a.md", "b.md"]);
    let one_left = plan(&items, &[file("a.md", &write_memory(&a))], &before, &defaults());
    assert!(matches!(&one_left[..], [Action::Settled { .. }, Action::Remove { name, .. }] if name == "b.md"));
}

#[test]
fn conflicts_are_settled_by_a_persons_word() {
    let old = memory("port 8080");
    let new = Memory { description: "changed".to_owned(), ..old.clone() };
    let by_hand = edited(&old);
    let items = std::slice::from_ref(&new);
    let files = [file("a.md", &by_hand)];
    let mut state = state(&[("a.md", &old, &write_memory(&old))]);
    state.prefer_store("a.md", new.id(), &files[0].hash);
    match &plan(items, &files, &state, &defaults())[..] {
        [Action::Write { text, expect: Some(expect), .. }] => {
            assert_eq!(expect, &files[0].hash);
            assert!(text.contains("port 8080\n") && text.contains("changed"), "{text}");
        }
        other => panic!("{other:?}"),
    }
    state.prefer_file("a.md", new.id(), &new.content_hash());
    match &plan(items, &files, &state, &defaults())[..] {
        [Action::TakeOver { fields, .. }] => assert_eq!(fields, &["description", "body"]),
        other => panic!("{other:?}"),
    }
}

fn instinct() -> Instinct {
    let text = "---\nid: read-first\ntrigger: t\nconfidence: 0.55\ndomain: d\n---\n## Action\nRead.\n";
    match Instinct::read(text, &defaults()) {
        ReadItem::One { item, .. } => item,
        other => panic!("{other:?}"),
    }
}

#[test]
fn hand_edits_of_an_instinct_are_named() {
    let mut stored = instinct();
    stored.confidence = Unit::new(0.5512).unwrap();
    stored.sessions = 4;
    let text = write_instinct(&stored);
    let before = state(&[("a.md", &stored, &text)]);
    let cases = [
        ("confidence: 0.55", "confidence: 0.9", "confidence"),
        ("trigger: \"t\"", "trigger: when x", "trigger"),
        ("domain: d", "domain: git", "domain"),
        ("deprecated: false", "deprecated: true", "deprecated"),
        ("Read.", "Read it all.", "action"),
    ];
    for (from, to, field) in cases {
        let files = [file("a.md", &text.replace(from, to))];
        match &plan(std::slice::from_ref(&stored), &files, &before, &defaults())[..] {
            [Action::TakeOver { item, fields, .. }] => {
                assert_eq!(fields, &[field]);
                assert_eq!(item.sessions, 4);
                let kept = if field == "confidence" { 0.9 } else { 0.5512 };
                assert_eq!(item.confidence.get(), kept, "{field}");
            }
            other => panic!("{other:?}"),
        }
    }
    let several = format!("{text}{}", text.replace("read-first", "second"));
    let actions = plan(std::slice::from_ref(&stored), &[file("a.md", &several)], &before, &defaults());
    assert!(
        matches!(&actions[..], [Action::Leave { reason: LeaveReason::Unreadable(why), .. }] if why.contains("2 instincts"))
    );
}
