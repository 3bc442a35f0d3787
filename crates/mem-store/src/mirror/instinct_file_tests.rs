use super::*;
use proptest::prelude::*;
use std::path::Path;

fn defaults() -> FileDefaults {
    FileDefaults::new("2026-11-30T12:00:00Z".parse().unwrap())
}

fn instinct() -> Instinct {
    let text = "---\nid: read-before-edit\ntrigger: \"before editing: a file\"\nconfidence: 0.50\n---\n## Action\nRead it.\n\n## Evidence\n- seen\n";
    read_instincts(text, &defaults()).instincts.remove(0)
}

#[test]
fn a_new_file_has_the_agreed_form() {
    let mut instinct = instinct();
    instinct.confidence = Unit::ZERO;
    instinct.status = InstinctStatus::Candidate;
    assert_eq!(
        write_instinct(&instinct),
        "---\nid: read-before-edit\ntrigger: \"before editing: a file\"\nconfidence: 0.01\ndomain: general\nsource: inherited\ndeprecated: false\nobserved_at: 2026-11-30T12:00:00Z\nscope: global\ncreated: 2026-11-30T12:00:00Z\nstatus: candidate\n---\n\n## Action\nRead it.\n\n## Evidence\n- seen\n"
    );
}

const MANY: &str = "\u{feff}# Instincts export\r\n# Total: 2\r\n\r\n---\r\nid: one\r\ntrigger: when a, b: c\r\nconfidence: high\r\ndomain: git\r\nsource_repo: o/r\r\n---\r\n\r\n# One\r\n\r\n## Action\r\n\r\nDo it.\r\n\r\n---\r\n\r\nStill the action.\r\n\r\n## Evidence\r\n- a\r\n  - b\r\n- c\r\n\r\n---\r\nid: two\r\ntrigger: 'x'\r\nconfidence: 0.9\r\nscope: project\r\nproject_id: 0aa0b223994f\r\ncreated: 2026-05-01\r\n---\r\n\r\n# Two\r\n\r\nJust text.\r\n\r\n---\r\ntrigger: y\r\n---\r\n\r\n---\r\nid: ../etc\r\n---\r\n";

#[test]
fn several_instincts_a_file_with_comments_rules_and_bad_records() {
    let file = read_instincts(MANY, &defaults());
    assert_eq!(file.problems, [InstinctProblem::MissingId, InstinctProblem::BadId("../etc".to_owned())]);
    assert!(!file.rewritable());
    let [one, two] = &file.instincts[..] else { panic!("{file:?}") };
    assert_eq!(
        (one.trigger.as_str(), one.confidence, one.domain.as_str()),
        ("when a, b: c", Unit::HALF, "git")
    );
    assert_eq!(one.action, "Do it.\n\n---\n\nStill the action.");
    assert_eq!(one.evidence, ["a - b", "c"]);
    assert_eq!(one.extra["source_repo"], "o/r");
    assert_eq!((two.action.as_str(), two.confidence.get()), ("Just text.", 0.9));
    assert_eq!(two.scope, InstinctScope::Project);
    assert_eq!(two.project.as_ref().map(ProjectId::as_str), Some("0aa0b223994f"));
    assert_eq!(two.created.to_string(), "2026-05-01T00:00:00Z");
    assert_eq!(update_instinct(MANY, one, &defaults()), None);
    for text in ["", "no front matter", "---\nid: x\n"] {
        assert!(
            matches!(read_instincts(text, &defaults()).problems[..], [InstinctProblem::Unreadable(_)]),
            "{text:?}"
        );
    }
}

#[test]
fn an_update_keeps_further_keys_sections_and_comments() {
    let text = "# note\n---\nid: a\ntrigger: t\nconfidence: 0.854\nseen_in_projects: 3\n---\n\n# A\n\n## Action\n\nOld.\n\n## Examples\n```\n---\n```\n\n## Evidence\n- e\n";
    let mut instinct = read_instincts(text, &defaults()).instincts.remove(0);
    assert_eq!(update_instinct(text, &instinct, &defaults()).unwrap(), text);
    instinct.action = "New.\n## not a section".to_owned();
    instinct.confidence = Unit::new(0.9).unwrap();
    instinct.status = InstinctStatus::Deprecated;
    instinct.evidence.push("two\nlines".to_owned());
    let updated = update_instinct(text, &instinct, &defaults()).unwrap();
    let expected = text
        .replace("0.854", "0.90")
        .replace("seen_in_projects: 3\n", "seen_in_projects: 3\ndeprecated: true\n")
        .replace("\nOld.\n", "New.\n\\## not a section\n")
        .replace("- e\n", "- e\n- two lines\n");
    assert_eq!(updated, expected);
    let read = read_instincts(&updated, &defaults()).instincts.remove(0);
    assert_eq!((read.action, read.status), (instinct.action, InstinctStatus::Deprecated));
    assert_eq!(read.evidence, ["e", "two lines"]);

    let bare = "---\r\nid: a\r\n---\r\n# Title\r\n\r\nText.\r\n";
    let mut instinct = read_instincts(bare, &defaults()).instincts.remove(0);
    assert_eq!(instinct.action, "Text.");
    instinct.action = "Other.".to_owned();
    instinct.evidence = vec!["e".to_owned()];
    let updated = update_instinct(bare, &instinct, &defaults()).unwrap();
    assert_eq!(
        updated,
        "---\r\nid: a\r\nconfidence: 0.50\r\n---\r\n\r\n# Title\r\n\r\n## Action\r\nOther.\r\n\r\n## Evidence\r\n- e\r\n"
    );
}

fn lines() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("## Evidence".to_owned()),
        Just("---".to_owned()),
        Just("\\---".to_owned()),
        Just("# x".to_owned()),
        Just("id: y".to_owned()),
        Just(String::new()),
        "[^\r\n]{0,12}",
    ];
    proptest::collection::vec(line, 1..6).prop_map(|lines| lines.join("\n").trim().to_owned())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_instinct_survives_its_file(
        trigger in "\\PC{1,30}", actions in proptest::collection::vec(lines(), 2), hundredths in 1..=100u8,
        evidence in proptest::collection::vec("[^\r\n]{0,9}[a-z改]", 0..4), status in 0..3usize, project in any::<bool>(),
    ) {
        let mut instinct = instinct();
        instinct.trigger = trigger;
        instinct.action = actions[0].clone();
        instinct.confidence = Unit::new(f64::from(hundredths) / 100.0).unwrap();
        instinct.evidence = evidence.iter().map(|line| line.trim().to_owned()).collect();
        instinct.status = [InstinctStatus::Candidate, InstinctStatus::Active, InstinctStatus::Deprecated][status];
        if project {
            instinct.scope = InstinctScope::Project;
            instinct.project = Some(ProjectId::new("host/a b/名").unwrap());
        }
        instinct.extra.insert("imported_from".to_owned(), "x: y".into());
        let file = write_instinct(&instinct);
        let read = read_instincts(&file, &defaults());
        prop_assert_eq!(&read.problems, &[]);
        prop_assert_eq!(&read.instincts, &[instinct.clone()]);
        prop_assert_eq!(update_instinct(&file, &instinct, &defaults()).unwrap(), file.clone());
        instinct.action = actions[1].clone();
        instinct.evidence.reverse();
        let updated = update_instinct(&file, &instinct, &defaults()).unwrap();
        prop_assert_eq!(read_instincts(&updated, &defaults()).instincts, vec![instinct]);
    }
}

#[test]
fn real_files_are_read_and_kept() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples/ecc");
    if let Ok(entries) = std::fs::read_dir(samples.join("instincts")) {
        for path in entries.map(|entry| entry.unwrap().path()) {
            let text = std::fs::read_to_string(&path).unwrap();
            let file = read_instincts(&text, &defaults());
            assert!(file.rewritable(), "{path:?}: {:?}", file.problems);
            let instinct = &file.instincts[0];
            assert!(!instinct.action.is_empty() && !instinct.evidence.is_empty(), "{path:?}");
            assert_eq!(update_instinct(&text, instinct, &defaults()).unwrap(), text, "{path:?}");
        }
    }
    if let Ok(text) = std::fs::read_to_string(samples.join("inherited/everything-claude-code-instincts.yaml"))
    {
        let file = read_instincts(&text, &defaults());
        assert_eq!((file.instincts.len(), &file.problems[..]), (text.matches("\nid: ").count(), &[][..]));
        assert!(
            file.instincts
                .iter()
                .all(|instinct| !instinct.action.is_empty() && !instinct.evidence.is_empty())
        );
    }
}
