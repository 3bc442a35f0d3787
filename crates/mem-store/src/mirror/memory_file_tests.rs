use super::*;
use proptest::prelude::*;
use std::path::Path;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn defaults() -> FileDefaults {
    FileDefaults {
        at: at(1_790_000_000),
        project: Some(ProjectId::new("host/owner/repo").unwrap()),
        kind: Kind::Reference,
        name: Some("file_name".to_owned()),
    }
}

const CLAUDE: &str = "---\nname: 端口规则\ndescription: \"ports: from the \\\"registry\\\"\"\nmetadata: \n  node_type: memory\n  type: project\n  originSessionId: 1-2-3\n  modified: 2026-08-21T02:40:20.734Z\n  userId: 7\nrelevanceScore: 1.10\n---\n\nPorts come from the registry.\n\n**Why:** two services clashed.\n\n**如何应用：** ask `ports` first.\n";

#[test]
fn a_file_of_claude_code_is_read() {
    let file = read_memory(CLAUDE, &defaults());
    let memory = file.memory;
    assert!(file.kind_known && !file.has_id && file.defect.is_none());
    assert_eq!((memory.kind, memory.name.as_str()), (Kind::Project, "端口规则"));
    assert_eq!(memory.description, "ports: from the \"registry\"");
    assert_eq!(memory.body, "Ports come from the registry.");
    assert_eq!(memory.why.as_deref(), Some("two services clashed."));
    assert_eq!(memory.how.as_deref(), Some("ask `ports` first."));
    assert_eq!(memory.provenance.session.as_ref().map(SessionId::as_str), Some("1-2-3"));
    assert_eq!(
        (memory.updated, memory.created),
        (memory.updated, "2026-08-21T02:40:20.734Z".parse().unwrap())
    );
    assert_eq!((memory.scope, memory.project.clone()), (Scope::Project, defaults().project));
    assert_eq!(memory.extra["metadata"]["userId"], 7);
    assert_eq!(memory.extra["relevanceScore"], "1.10");
    assert_eq!(update_memory(CLAUDE, &memory, &defaults()).as_deref(), Some(CLAUDE));
}

#[test]
fn an_update_keeps_what_it_does_not_know() {
    let mut memory = read_memory(CLAUDE, &defaults()).memory;
    memory.confidence = Unit::new(0.25).unwrap();
    memory.access_count = 9;
    memory.kind = Kind::Decision;
    let updated = update_memory(CLAUDE, &memory, &defaults()).unwrap();
    let expected = CLAUDE.replace(
        "  userId: 7\n",
        &format!("  userId: 7\n  mem_id: {}\n  mem_kind: decision\n  mem_confidence: 0.25\n", memory.id),
    );
    assert_eq!(updated, expected);
    let read = read_memory(&updated, &defaults());
    assert!(read.has_id);
    assert_eq!(read.memory, Memory { access_count: 0, ..memory });
    let by_hand = updated.replace("  type: project", "  type: user");
    assert_eq!(read_memory(&by_hand, &defaults()).memory.kind, Kind::User, "a type changed by hand wins");
}

#[test]
fn a_flat_file_keeps_its_keys_where_they_are() {
    let flat = "---\nname: x\ndescription: d\ntype: user\noriginSessionId: 1\n---\nBody\n";
    let mut memory = read_memory(flat, &defaults()).memory;
    assert_eq!((memory.kind, memory.updated), (Kind::User, defaults().at));
    memory.kind = Kind::Feedback;
    memory.provenance.session = Some(SessionId::new("2").unwrap());
    let updated = update_memory(flat, &memory, &defaults()).unwrap();
    assert!(
        updated.starts_with("---\nname: x\ndescription: d\ntype: feedback\noriginSessionId: \"2\"\n"),
        "{updated}"
    );
    assert_eq!(read_memory(&updated, &defaults()).memory, memory);
}

#[test]
fn damaged_files_are_all_body_and_never_rewritten() {
    for text in [
        "---\nname: x\nlastUpdated: 2026-05-17originSessionId: 1\n---\nBody\n",
        "---\nname: x\n\nBody\n",
        "\u{feff}# Notes\r\n\r\ntext\r\n",
        "---\nname: x\ndescription: a\nb\n\nc\n---\nBody\n",
    ] {
        let file = read_memory(text, &defaults());
        assert!(!file.rewritable() && !file.kind_known);
        assert_eq!(file.memory.body, text.trim_start_matches('\u{feff}').replace("\r\n", "\n").trim());
        assert_eq!((file.memory.kind, file.memory.name.as_str()), (Kind::Reference, "file_name"));
        assert_eq!(update_memory(text, &file.memory, &defaults()), None);
    }
    let untyped = read_memory("---\nname: x\nmetadata:\n  edges-type: user\n---\nBody", &defaults());
    assert!(!untyped.kind_known && untyped.rewritable());
}

#[test]
fn a_new_file_has_the_layout_of_claude_code() {
    let mut memory = Memory::new(Kind::Correction, "Use `rg`: it is faster", at(1_790_000_000));
    memory.why = Some("grep took minutes".to_owned());
    memory.id = MemoryId::new("abcdefghijklmnop").unwrap();
    assert_eq!(
        write_memory(&memory),
        "---\nname: \"Use `rg`: it is faster\"\ndescription: \"Use `rg`: it is faster\"\nmetadata: \n  node_type: memory\n  type: feedback\n  modified: 2026-09-21T14:13:20Z\n  mem_id: abcdefghijklmnop\n  mem_created: 2026-09-21T14:13:20Z\n  mem_scope: global\n  mem_kind: correction\n---\n\nUse `rg`: it is faster\n\n**Why:** grep took minutes\n"
    );
    assert_eq!(read_memory(&write_memory(&memory), &defaults()).memory, memory);
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z :#\"'\\\\\n-]{0,20}[a-z]",
        "\\PC{1,20}",
        Just("改动: \"合并\" #1".to_owned()),
        Just("[a, b]".to_owned()),
        Just("null".to_owned()),
        Just("---".to_owned()),
        Just("rule\n\n**Why:** not really\n---\n## x".to_owned()),
    ]
    .prop_map(|text| text.trim().to_owned())
    .prop_filter("empty", |text| !text.is_empty())
}

fn memories() -> impl Strategy<Value = Memory> {
    let texts = (text(), text(), text(), proptest::option::of(text()), proptest::option::of(text()));
    let more =
        (proptest::option::of(text()), proptest::option::of(text()), proptest::collection::vec(text(), 0..3));
    let numbers = (
        0..=1_000u32,
        0.0..=1.0f64,
        0i64..2_000_000_000,
        0..1_000_000_000i32,
        proptest::option::of(0u32..500),
    );
    let words = (
        proptest::sample::select(Kind::ALL),
        proptest::sample::select(Scope::ALL),
        proptest::sample::select(Status::ALL),
        proptest::sample::select(ProvenanceKind::ALL),
        any::<bool>(),
    );
    let extra = prop_oneof![
        Just(serde_json::json!({})),
        Just(
            serde_json::json!({"a": "x: y", "b": 1.5, "c": ["p", "q,r"], "d": {"e": null, "f": true}, "metadata": {"user": "1"}})
        ),
        text().prop_map(|text| serde_json::json!({"a": [text], "b-c": {"k": [1, {"z": 2}]}})),
    ];
    (texts, more, numbers, words, extra).prop_map(|(texts, more, numbers, words, extra)| {
        let now = Timestamp::new(numbers.2, numbers.3).unwrap();
        let mut memory = Memory::new(words.0, texts.0, now);
        (memory.name, memory.description, memory.why, memory.how) = (texts.1, texts.2, texts.3, texts.4);
        (memory.trigger, memory.state, memory.tags) = (more.0, more.1, more.2);
        memory.scope = words.1;
        if memory.scope != Scope::Global {
            memory.project = Some(ProjectId::new("host/owner/名").unwrap());
            memory.path = (memory.scope != Scope::Project).then(|| "src/a b.rs".to_owned());
            memory.anchors = vec![Anchor {
                path: "src/: x.rs".to_owned(),
                content_hash: Some("00".to_owned()),
                commit: None,
            }];
        }
        (memory.status, memory.pinned) = (words.2, words.4);
        memory.provenance = Provenance {
            kind: words.3,
            session: words.4.then(|| SessionId::new("123e4567").unwrap()),
            ordinal: words.4.then_some(7),
            reference: words.4.then(|| "12".to_owned()),
        };
        memory.links = vec![Link { kind: mem_core::LinkKind::CausedBy, to: MemoryId::new("zz").unwrap() }];
        memory.language = Language::new(if words.4 { "zh" } else { "" });
        (memory.confidence, memory.importance) =
            (Unit::saturating(f64::from(numbers.0) / 1000.0), Unit::saturating(numbers.1));
        memory.ttl_days = numbers.4;
        memory.updated = at(numbers.2 / 2);
        memory.extra = extra.as_object().unwrap().clone();
        memory
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_memory_survives_its_file(memory in memories(), other in memories()) {
        let file = write_memory(&memory);
        for defaults in [defaults(), FileDefaults::new(at(5))] {
            let read = read_memory(&file, &defaults);
            prop_assert_eq!(&read.memory, &memory);
            prop_assert_eq!(update_memory(&file, &memory, &defaults).unwrap(), file.clone());
            let mut other = other.clone();
            other.extra = memory.extra.clone();
            let updated = update_memory(&file, &other, &defaults).unwrap();
            prop_assert_eq!(read_memory(&updated, &defaults).memory, other);
        }
    }
}

#[test]
fn real_files_are_read_and_kept() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples");
    let mut folders = vec![samples.join("memory"), samples.join("derived")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "md") {
                files.push(path);
            }
        }
    }
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        let file = read_memory(&text, &defaults());
        assert_eq!(Document::parse(&text).to_string(), text);
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let damaged = ["BROKEN", "new-learnings", "no-closing"].iter().any(|part| name.contains(part));
        assert_eq!(file.rewritable(), !damaged, "{name}: {:?}", file.defect);
        if file.rewritable() {
            assert_eq!(update_memory(&text, &file.memory, &defaults()).unwrap(), text, "{name}");
            assert!(!file.memory.description.is_empty() && !file.memory.body.is_empty(), "{name}");
            let mut changed = file.memory.clone();
            changed.description.push_str(": more");
            let updated = update_memory(&text, &changed, &defaults()).unwrap();
            assert_eq!(read_memory(&updated, &defaults()).memory, changed, "{name}");
        }
    }
}
