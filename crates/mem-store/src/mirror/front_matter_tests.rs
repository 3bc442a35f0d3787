use super::*;
use proptest::prelude::*;

fn get(text: &str, path: &[&str]) -> Option<String> {
    let document = Document::parse(text);
    assert_eq!(document.to_string(), text, "unchanged is identical");
    assert_eq!(document.defect(), None);
    document.get(path)
}

fn defect(text: &str) -> Option<Defect> {
    let document = Document::parse(text);
    assert_eq!(document.to_string(), text);
    if document.defect().is_some() {
        assert_eq!(document.body(), text, "a damaged file is all body");
    }
    document.defect()
}

#[test]
fn three_generations_are_read() {
    let a = "---\nname: 分支规则 — v2\ndescription: 一行\ntype: feedback\noriginSessionId: 1-2\n---\nBody\n";
    assert_eq!(get(a, &["type"]).as_deref(), Some("feedback"));
    let b = "---\nname: x\nmetadata: \n  node_type: memory\n  type: user\n---\n\nBody\n---\nmore\n";
    assert_eq!(get(b, &["metadata", "type"]).as_deref(), Some("user"));
    assert_eq!(Document::parse(b).body(), "\nBody\n---\nmore\n", "a rule in the body is no fence");
    let c = "---\nmetadata:\n    modified: 2026-08-21T02:40:20.7347340Z\n---\n";
    assert_eq!(get(c, &["metadata", "modified"]).as_deref(), Some("2026-08-21T02:40:20.7347340Z"));
    assert_eq!(get("---\nmetadata:\n---\n", &["metadata", "type"]), None);
}

#[test]
fn values_are_read_as_they_were_meant() {
    let cases = [
        ("d: a: b; c = \"d\"", "a: b; c = \"d\""),
        ("d: \"say \\\"hi\\\": x\"", "say \"hi\": x"),
        ("d: \"'a'/'b' = c (x.ts); d\"", "'a'/'b' = c (x.ts); d"),
        ("d: 'it''s'", "it's"),
        ("d: >-\n  one\n  two\n\n  three", "one two\nthree"),
        ("d: |\n  one\n    two\n", "one\n  two"),
        ("d: one\n  two\n  three", "one two three"),
        ("d:\n  one\n  two", "one two"),
        ("d: issue #3 is [WIP]", "issue #3 is [WIP]"),
        ("d:x", "x"),
        ("\"d\": x", "x"),
        ("d: 见 type: json 与 name: x", "见 type: json 与 name: x"),
        ("# comment\n\nd: x", "x"),
    ];
    for (front, expected) in cases {
        for eol in ["\n", "\r\n"] {
            for bom in ["", "\u{feff}"] {
                let text = format!("{bom}---\n{front}\nlast: 1\n---\nBody").replace('\n', eol);
                assert_eq!(get(&text, &["d"]).as_deref(), Some(expected), "{text:?}");
                assert_eq!(get(&text, &["last"]).as_deref(), Some("1"), "{text:?}");
            }
        }
    }
}

#[test]
fn lists_of_both_forms() {
    for front in ["t: [a, \"b, c\"]", "t:\n  - a\n  - \"b, c\"", "t:\n- a\n- b,\n  c"] {
        let document = Document::parse(&format!("---\n{front}\nx: y\n---\n"));
        assert_eq!(document.get_list(&["t"]).unwrap(), ["a", "b, c"], "{front}");
        assert_eq!(document.get(&["x"]).as_deref(), Some("y"));
    }
    assert_eq!(Document::parse("---\nt: a, b\n---\n").get_list(&["t"]).unwrap(), ["a", "b"]);
    let nested = Document::parse("---\nmetadata:\n  t:\n    - a\n  u: 1\n---\n");
    assert_eq!(nested.get_list(&["metadata", "t"]).unwrap(), ["a"]);
    assert_eq!(nested.get(&["metadata", "u"]).as_deref(), Some("1"));
}

#[test]
fn every_damage_is_told_and_leaves_all_as_body() {
    let cases = [
        ("# Notes\n\n---\n", Defect::NoFrontMatter),
        ("", Defect::NoFrontMatter),
        (" ---\na: b\n---\n", Defect::NoFrontMatter),
        ("---\nname: x\n\nBody without an end\n", Defect::MissingFence),
        ("---\nname: x\nmodified: 2026-01-01T00:00:00Z---\nBody\n", Defect::MissingFence),
        ("---\nname: x\n\nBody, then a rule\n\n---\nmore\n", Defect::StrayText),
        ("---\nname: x\ndescription: one\ntwo runs on\n\nthree\ntype: user\n---\n", Defect::StrayText),
        ("---\nlastUpdated: 2026-05-17originSessionId: 1-2\n---\n", Defect::FusedKeys),
        ("---\nmetadata:\n  type: feedbackoriginSessionId: 1-2\n---\n", Defect::FusedKeys),
        ("---\ndescription: \"a\"type: user\n---\n", Defect::FusedKeys),
        ("---\nmetadata:\n    a: b\n  c: d\n---\n", Defect::StrayText),
    ];
    for (text, expected) in cases {
        assert_eq!(defect(text), Some(expected), "{text:?}");
    }
    assert_eq!(defect("---\nname: x\ndescription: \"with originSessionId: in it\"\n---\n"), None);
    assert_eq!(defect("---\n---\n"), None);
}

#[test]
fn a_change_touches_its_own_lines_only() {
    let text = "\u{feff}---\r\nname: x\r\n# kept\r\ndescription: >-\r\n  a\r\n  b\r\nmetadata: \r\n   userId: 7\r\n   type:   user  \r\n\r\ntags: [ a ,b]\r\n---\r\nBody\r\n";
    let mut document = Document::parse(text);
    document.set(&["description"], "a b");
    document.set(&["metadata", "type"], "user");
    document.set_list(&["tags"], &["a".to_owned(), "b".to_owned()]);
    document.set_json(&["metadata", "userId"], &Json::from(7));
    assert_eq!(document.to_string(), text, "the same value changes nothing");
    document.set(&["metadata", "type"], "feedback");
    document.set(&["metadata", "mem_id"], "abc");
    document.set(&["new"], "a: b");
    let expected = text
        .replace("   type:   user  \r\n\r\n", "   type: feedback\r\n   mem_id: abc\r\n\r\n")
        .replace("tags: [ a ,b]\r\n", "tags: [ a ,b]\r\nnew: \"a: b\"\r\n");
    assert_eq!(document.to_string(), expected);
    document.set(&["description"], "c");
    assert_eq!(
        document.to_string(),
        expected.replace("description: >-\r\n  a\r\n  b\r\n", "description: c\r\n")
    );
    document.remove(&["metadata", "userId"]);
    document.remove(&["name"]);
    assert!(!document.to_string().contains("userId") && !document.to_string().contains("name: x"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_kept_to_the_byte(
        lines in proptest::collection::vec(
            prop_oneof![
                Just("---".to_owned()), Just("name: x".to_owned()), Just("metadata: ".to_owned()), Just("  type: user".to_owned()),
                Just("d: >-".to_owned()), Just("- a".to_owned()), Just("  - b".to_owned()), Just("#".to_owned()),
                Just(String::new()), Just("t: \"x".to_owned()), "[ \\PC]{0,12}", ".{0,8}",
            ],
            0..14,
        ),
        eol in prop_oneof![Just("\n"), Just("\r\n")],
        end in any::<bool>(),
    ) {
        let mut text = lines.join(eol);
        if end { text.push_str(eol); }
        for text in [text.clone(), format!("---{eol}{text}")] {
            let mut document = Document::parse(&text);
            prop_assert_eq!(document.to_string(), text);
            if document.defect().is_none() {
                document.set(&["zzz"], "a: b");
                document.set(&["metadata", "zzz"], "改");
                let again = Document::parse(&document.to_string());
                prop_assert_eq!(again.defect(), None);
                prop_assert_eq!(again.get(&["zzz"]), Some("a: b".to_owned()));
                prop_assert_eq!(again.get(&["metadata", "zzz"]), Some("改".to_owned()));
                prop_assert_eq!(again.body(), document.body());
            }
        }
    }
}
