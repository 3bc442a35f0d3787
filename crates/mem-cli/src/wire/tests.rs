//! Whole wirings: texts of many shapes in and out again, and the same on disk.

use super::claude::{inspect as inspect_text, plan_with, unplan};
use super::*;
use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

#[cfg(unix)]
const EXE: &str = "/opt/mem/bin/mem";
#[cfg(windows)]
const EXE: &str = r"C:\opt\mem\bin\mem.exe";

const EVENTS: [&str; 10] = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "Stop",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "SessionEnd",
];

/// Shapes as people and tools write them; all with something of their own in every container.
const SHAPES: &[&str] = &[
    "{\n  \"model\": \"opus\"\n}\n",
    "{\n  \"model\": \"opus\"\n}",
    "{\"model\":\"opus\",\"permissions\":{\"allow\":[\"Bash(ls:*)\"]}}",
    "{ \"model\": \"opus\" }\n",
    "{\r\n    \"language\": \"中文\",\r\n    \"env\": {\r\n        \"A\": \"1\"\r\n    }\r\n}\r\n",
    "{\n\t\"theme\": \"dark\",\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{\n\t\t\t\t\"hooks\": [\n\t\t\t\t\t{\n\t\t\t\t\t\t\"command\": \
     \"say done\",\n\t\t\t\t\t\t\"type\": \"command\"\n\t\t\t\t\t}\n\t\t\t\t]\n\t\t\t}\n\t\t]\n\t},\n\t\"n\": 1e2\n}\n",
    "{\n  \"hooks\": {\n    \"PostToolUse\": [\n      { \"matcher\": \"Edit|Write\", \"hooks\": [{ \"type\": \"command\", \
     \"command\": \"fmt\" }] }\n    ],\n    \"Notification\": [{\"hooks\": []}]\n  },\n  \"last\": null\n}\n",
    "\n\n  {\n    \"odd\" : \"\\ud83d\" ,\n    \"b\": [ ]\n  }\n\n",
    "{\"hooks\":{\"SessionStart\":[{\"matcher\":\"startup\",\"hooks\":[{\"type\":\"command\",\"command\":\"a\"},\
     {\"type\":\"http\",\"url\":\"b\"}]}],\"$note\":\"kept\"}}",
    "{\n\"flush\": true,\n\"left\": {\n}\n}\n",
];

fn plan(text: Option<&str>, exe: &Path, home: Option<&Path>) -> Result<Plan, SettingsError> {
    plan_with(text, &Invocation::new(exe, "claude", home)?)
}

fn wired(text: Option<&str>) -> Plan {
    plan(text, Path::new(EXE), None).unwrap()
}

#[test]
fn a_missing_file_gets_every_event_in_exec_form() {
    let plan = wired(None);
    assert_eq!(plan.changes.len(), 10);
    assert!(
        plan.new_text
            .starts_with("{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n        \"hooks\": [\n")
    );
    assert!(plan.new_text.ends_with("\n  }\n}\n"));
    let hooks = &serde_json::from_str::<Value>(&plan.new_text).unwrap()["hooks"];
    let events: Vec<&String> = hooks.as_object().unwrap().keys().collect();
    assert_eq!(events, EVENTS);
    let args = json!(["hook", "--agent", "claude"]);
    assert_eq!(
        hooks["PreToolUse"],
        json!([{"matcher": "Bash|PowerShell", "hooks": [
            {"type": "command", "command": EXE, "args": args, "timeout": 10, "async": true}]}])
    );
    assert_eq!(
        hooks["SessionStart"],
        json!([{"hooks": [{"type": "command", "command": EXE, "args": args, "timeout": 5}]}])
    );
    let asynchronous = |event: &&str| hooks[*event][0]["hooks"][0]["async"] == true;
    let answering: Vec<&str> = EVENTS.into_iter().filter(|event| !asynchronous(event)).collect();
    assert_eq!(answering, ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"]);
    assert_eq!(wired(Some(" \n")).new_text, plan.new_text);
}

#[test]
fn every_shape_comes_back_byte_for_byte() {
    for shape in SHAPES {
        let once = wired(Some(shape));
        assert_eq!(once.changes.len(), 10, "{shape}");
        let twice = wired(Some(&once.new_text));
        assert_eq!((twice.new_text.as_str(), twice.changes.len()), (once.new_text.as_str(), 0), "{shape}");
        let back = unplan(&once.new_text, None).unwrap();
        assert_eq!(&back.new_text, shape);
        assert_eq!(back.changes.len(), 10);
        let nothing = unplan(shape, None).unwrap();
        assert_eq!((nothing.new_text.as_str(), nothing.changes.len()), (*shape, 0));
    }
}

#[test]
fn all_other_bytes_stay() {
    for shape in SHAPES {
        let new = wired(Some(shape)).new_text;
        // The old text is a subsequence of the new one: something was put in, nothing taken out.
        let mut rest = new.bytes();
        assert!(shape.bytes().all(|byte| rest.any(|other| other == byte)), "{shape}\n{new}");
        let crlf = shape.contains("\r\n");
        assert_eq!(
            new.matches('\n').count() == new.matches("\r\n").count(),
            crlf || !new.contains('\n'),
            "{new}"
        );
    }
    let compact = wired(Some(SHAPES[2])).new_text;
    assert!(
        !compact.contains('\n') && compact.starts_with(SHAPES[2].strip_suffix('}').unwrap()),
        "{compact}"
    );
    let tabs = wired(Some(SHAPES[5])).new_text;
    assert!(tabs.contains("\n\t\t\"SessionStart\": [\n\t\t\t{\n\t\t\t\t\"hooks\": ["), "{tabs}");
    assert!(tabs.lines().all(|line| !line.starts_with(' ')), "{tabs}");
}

#[test]
fn foreign_hooks_keep_their_place_before_ours() {
    let text = wired(Some(SHAPES[6])).new_text;
    let groups = serde_json::from_str::<Value>(&text).unwrap()["hooks"]["PostToolUse"].clone();
    assert_eq!(groups[0], json!({"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "fmt"}]}));
    assert_eq!(groups[1]["hooks"][0]["command"], EXE);
}

#[test]
fn older_entries_are_renewed_where_they_stand() {
    let old = r#"{
  "hooks": {
    "SessionStart": [
      {
        "hooks": [
          { "type": "command", "command": "/old/mem hook --agent claude", "timeout": 60, "statusMessage": "recalling" },
          { "type": "command", "command": "other" }
        ]
      }
    ],
    "Setup": [ { "hooks": [ { "type": "command", "command": "mem hook" } ] } ],
    "Stop": [
      { "hooks": [ { "type": "command", "command": "/old/mem", "args": ["hook", "--agent", "claude"], "timeout": 5 } ] },
      { "hooks": [ { "type": "command", "command": "mem hook --agent claude" } ] }
    ],
    "PreToolUse": [ { "matcher": "Write", "hooks": [ { "command": "mem hook" }, { "command": "lint" } ] } ]
  }
}
"#;
    let plan = wired(Some(old));
    let hooks = serde_json::from_str::<Value>(&plan.new_text).unwrap()["hooks"].clone();
    let args = json!(["hook", "--agent", "claude"]);
    assert_eq!(
        hooks["SessionStart"],
        json!([{"hooks": [
            {"type": "command", "command": EXE, "args": args, "timeout": 5, "statusMessage": "recalling"},
            {"type": "command", "command": "other"}]}])
    );
    assert_eq!(hooks.get("Setup"), None);
    assert_eq!(hooks["Stop"].as_array().unwrap().len(), 1);
    assert_eq!(hooks["Stop"][0]["hooks"][0]["command"], EXE);
    assert_eq!(hooks["PreToolUse"][0], json!({"matcher": "Write", "hooks": [{"command": "lint"}]}));
    assert_eq!(hooks["PreToolUse"][1]["matcher"], "Bash|PowerShell");
    let signs: String = plan.changes.iter().filter_map(|change| change.chars().next()).collect();
    assert_eq!(signs, "~-~-+~++++++", "{:#?}", plan.changes);
    assert!(wired(Some(&plan.new_text)).changes.is_empty());
    let moved = self::plan(Some(&plan.new_text), Path::new(EXE), Some(Path::new(EXE))).unwrap();
    assert_eq!(moved.changes.len(), 10);
    let wiring = inspect_text(&moved.new_text, None).unwrap();
    assert_eq!(wiring.events.len(), 10);
    assert!(wiring.events.iter().all(|event| event.invocation.home() == Some(EXE)));
}

#[test]
fn what_a_reader_would_not_take_is_refused() {
    let refused = |text: &str| plan(Some(text), Path::new(EXE), None).unwrap_err().to_string();
    let comment = refused("{\n  // no\n  \"a\": 1\n}");
    assert!(comment.contains("line 2, column 3") && comment.contains("comments"), "{comment}");
    assert!(refused("{\"a\": 1,}").contains("trailing comma"));
    assert!(refused("[]").contains("the top level must be an object but is an array"));
    assert!(refused("{\"hooks\": []}").contains("\"hooks\" must be an object but is an array"));
    assert!(refused("{\"hooks\": null}").contains("null"));
    assert!(refused("{\"hooks\": {\"Stop\": {}}}").contains("\"hooks\".\"Stop\" must be an array"));
    assert!(refused("{\"hooks\": {}, \"hooks\": {}}").contains("\"hooks\" stands there twice"));
    assert!(refused("{\"hooks\": {\"Stop\": [], \"Stop\": []}}").contains("\"Stop\" stands there twice"));
    assert!(refused(&format!("{}{}", "[".repeat(5000), "]".repeat(5000))).contains("nested"));
    assert!(refused("{} x").contains("line 1"));
    let relative = plan(None, Path::new("mem"), None).unwrap_err().to_string();
    assert!(relative.contains("\"mem\" is not an absolute path"), "{relative}");
}

#[test]
fn a_byte_order_mark_goes_and_is_mentioned() {
    let plan = wired(Some("\u{feff}{\"a\": 1}"));
    assert!(plan.new_text.starts_with("{\"a\": 1,"));
    assert!(plan.changes[0].contains("byte order mark"), "{:?}", plan.changes);
    assert!(inspect_text("\u{feff}{}", None).unwrap().events.is_empty());
}

#[test]
fn the_wiring_is_told() {
    let text = "{\"disableAllHooks\": true, \"hooks\": {\"Stop\": [{\"hooks\": [{\"command\": \"~/bin/mem hook --agent claude\"}]}]}}";
    let wiring = inspect_text(text, None).unwrap();
    assert!(wiring.disable_all_hooks);
    assert_eq!((wiring.events.len(), wiring.missing.len()), (1, 9));
    assert_eq!(wiring.events[0].event, "Stop");
    assert_eq!(wiring.events[0].program_exists(), None);
    assert!(!wired(Some(text)).notes.is_empty());
    let wiring = inspect_text(&wired(None).new_text, None).unwrap();
    assert_eq!((wiring.missing.len(), wiring.disable_all_hooks), (0, false));
    assert_eq!(wiring.events[0].program_exists(), Some(false));
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

fn init(path: &Path, second: i64) -> Report {
    install(Agent::Claude, path, Path::new(EXE), None, at(second), false).unwrap()
}

fn leave(path: &Path, second: i64) -> Report {
    uninstall(Agent::Claude, path, None, at(second), false).unwrap()
}

fn backups_of(path: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(path.parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_str().unwrap().contains("settings.json.mem-backup-"))
        .collect();
    found.sort();
    found
}

#[test]
fn on_disk_even_empty_containers_come_back() {
    let empties = [
        "",
        "\n",
        "{}",
        "{}\n",
        "{ }",
        "{\n}\n",
        "{\"hooks\": {}}",
        "{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n",
    ];
    for shape in SHAPES.iter().copied().chain(empties) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        fs::write(&path, shape).unwrap();
        let first = init(&path, 0);
        assert!(first.written);
        assert_eq!(fs::read_to_string(first.backup.unwrap()).unwrap(), shape);
        let second = init(&path, 1);
        assert_eq!((second.written, second.backup, second.changes.len()), (false, None, 0));
        assert!(leave(&path, 2).written);
        assert_eq!(fs::read_to_string(&path).unwrap(), shape);
        assert!(!leave(&path, 3).written);
        assert_eq!(backups_of(&path).len(), 2);
    }
}

#[test]
fn a_file_that_was_not_there_goes_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new").join("settings.json");
    assert!(inspect(Agent::Claude, &path, None).unwrap().is_none());
    let report = init(&path, 0);
    assert_eq!((report.written, report.backup), (true, None));
    let wiring = inspect(Agent::Claude, &path, None).unwrap().unwrap();
    assert!(wiring.missing.is_empty());
    let report = leave(&path, 1);
    assert!(report.written && report.notes[0].contains("removed"));
    assert!(!path.exists());
    assert!(!leave(&path, 2).written);
    init(&path, 3);
    leave(&path, 4);
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 0);
}

#[test]
fn the_mark_of_an_old_file_does_not_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.json");
    fs::write(&path, "\u{feff}{\"hooks\": {}}").unwrap();
    init(&path, 0);
    leave(&path, 1);
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\"hooks\": {}}");
}

#[test]
fn changes_made_since_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.json");
    fs::write(&path, "{\n  \"a\": 1\n}\n").unwrap();
    init(&path, 0);
    let text = fs::read_to_string(&path).unwrap().replace("\"a\": 1", "\"a\": 2");
    let text = text.strip_suffix("\n}\n").unwrap().to_owned() + ",\n  \"b\": 3\n}\n";
    fs::write(&path, text).unwrap();
    leave(&path, 1);
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\n  \"a\": 2,\n  \"b\": 3\n}\n");
}

#[test]
fn a_dry_run_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.json");
    let report = install(Agent::Claude, &path, Path::new(EXE), None, at(0), true).unwrap();
    assert_eq!((report.changes.len(), report.written), (10, false));
    assert!(!path.exists());
    init(&path, 1);
    let wired = fs::read_to_string(&path).unwrap();
    assert_eq!(uninstall(Agent::Claude, &path, None, at(2), true).unwrap().changes.len(), 10);
    assert_eq!(fs::read_to_string(&path).unwrap(), wired);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn at_most_five_backups_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.json");
    fs::write(&path, "{\"a\": 1}").unwrap();
    for second in 0..4 {
        init(&path, second);
        leave(&path, second);
    }
    let names: Vec<String> =
        backups_of(&path).iter().map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect();
    assert_eq!(names.len(), 5);
    assert_eq!(names.last().unwrap(), "settings.json.mem-backup-20270115T080003Z-001");
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\"a\": 1}");
}

#[test]
fn what_cannot_be_read_is_left_untouched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.json");
    for bytes in [b"{ oops".as_slice(), b"{\"a\": \"\xff\"}", b"\xff\xfe{\0}\0"] {
        fs::write(&path, bytes).unwrap();
        let error = install(Agent::Claude, &path, Path::new(EXE), None, at(0), false).unwrap_err();
        assert!(error.to_string().contains("left untouched"), "{error}");
        assert!(uninstall(Agent::Claude, &path, None, at(0), false).is_err());
        assert_eq!(fs::read(&path).unwrap(), bytes);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
    let error = install(Agent::Claude, folder.path(), Path::new(EXE), None, at(0), false).unwrap_err();
    assert!(matches!(error, WireError::Read { .. }), "{error}");
}

#[test]
fn a_read_only_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.json");
    fs::write(&path, "{}").unwrap();
    let mut mode = fs::metadata(&path).unwrap().permissions();
    mode.set_readonly(true);
    fs::set_permissions(&path, mode).unwrap();
    let error = install(Agent::Claude, &path, Path::new(EXE), None, at(0), false).unwrap_err();
    assert!(matches!(error, WireError::ReadOnly { .. }), "{error}");
    assert_eq!((fs::read_to_string(&path).unwrap().as_str(), backups_of(&path).len()), ("{}", 0));
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_the_mode_is_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let dotfiles = folder.path().join("dotfiles");
    fs::create_dir(&dotfiles).unwrap();
    let real = dotfiles.join("settings.json");
    fs::write(&real, "{\"a\": 1}").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    let link = folder.path().join("settings.json");
    symlink("dotfiles/settings.json", &link).unwrap();
    let report = init(&link, 0);
    assert_eq!(report.path, real);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&real), mode(&report.backup.unwrap())), (0o640, 0o640));
    leave(&link, 1);
    assert_eq!(fs::read_to_string(&real).unwrap(), "{\"a\": 1}");

    let dangling = folder.path().join("dangling.json");
    symlink("dotfiles/later.json", &dangling).unwrap();
    init(&dangling, 2);
    assert!(dotfiles.join("later.json").is_file());
    let circle = folder.path().join("circle.json");
    symlink("circle.json", &circle).unwrap();
    assert!(install(Agent::Claude, &circle, Path::new(EXE), None, at(3), false).is_err());
}

#[test]
fn the_real_samples_come_back() {
    let Ok(samples) = fs::read_dir("/work/shared/samples/settings") else { return };
    for sample in samples.flatten() {
        let text = fs::read_to_string(sample.path()).unwrap();
        let once = wired(Some(&text));
        assert!(wired(Some(&once.new_text)).changes.is_empty());
        let back = unplan(&once.new_text, None).unwrap();
        assert!(back.new_text == text, "{}", sample.path().display());
    }
}

/// Any JSON value that fits a settings file.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z记\"\\\\\n{}\\[\\],:]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a-z\"]{1,6}", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn foreign_groups() -> impl Strategy<Value = Value> {
    let handler = prop_oneof![
        Just(json!({"type": "command", "command": "notify"})),
        Just(json!({"type": "http", "url": "http://localhost:1"})),
        value(),
    ];
    let group =
        prop::collection::vec(handler, 0..3).prop_map(|hooks| json!({"matcher": "Edit", "hooks": hooks}));
    prop::collection::vec(group, 1..3).prop_map(Value::from)
}

fn settings() -> impl Strategy<Value = Value> {
    let hooks = prop::collection::vec((prop::sample::select(&EVENTS[..]), foreign_groups()), 1..4)
        .prop_map(|events| Value::Object(events.into_iter().map(|(e, g)| (e.to_owned(), g)).collect()));
    let others = || prop::collection::vec(("[a-z]{1,6}", value()), 0..3);
    (others(), prop::option::of(hooks), others(), value()).prop_map(|(before, hooks, after, always)| {
        let mut members: serde_json::Map<String, Value> = before.into_iter().collect();
        members.extend(hooks.map(|hooks| ("hooks".to_owned(), hooks)));
        members.extend(after);
        members.insert("always".to_owned(), always);
        Value::Object(members)
    })
}

fn laid_out(value: &Value, indent: Option<&str>, crlf: bool) -> String {
    let Some(indent) = indent else { return value.to_string() };
    let mut bytes = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(indent.as_bytes());
    serde::Serialize::serialize(value, &mut serde_json::Serializer::with_formatter(&mut bytes, formatter))
        .unwrap();
    let text = String::from_utf8(bytes).unwrap();
    if crlf { text.replace('\n', "\r\n") + "\r\n" } else { text }
}

proptest! {
    #[test]
    fn any_settings_come_back_byte_for_byte(
        value in settings(),
        indent in prop::option::of(prop::sample::select(&["  ", "    ", "\t"][..])),
        crlf in any::<bool>(),
    ) {
        let text = laid_out(&value, indent, crlf);
        let once = wired(Some(&text));
        let mut expected: Value = serde_json::from_str(&once.new_text).unwrap();
        let again = wired(Some(&once.new_text));
        prop_assert_eq!(&again.new_text, &once.new_text);
        prop_assert!(again.changes.is_empty());
        // Oracle: removal on the parsed value.
        let hooks = expected["hooks"].as_object_mut().unwrap();
        for groups in hooks.values_mut() {
            groups.as_array_mut().unwrap().retain(|group| group["hooks"][0]["command"] != EXE);
        }
        hooks.retain(|_, groups| groups != &json!([]));
        if hooks.is_empty() {
            expected.as_object_mut().unwrap().shift_remove("hooks");
        }
        let back = unplan(&once.new_text, None).unwrap().new_text;
        prop_assert_eq!(serde_json::from_str::<Value>(&back).unwrap(), expected);
        prop_assert_eq!(back, text);
    }

    #[test]
    fn no_text_makes_it_panic(text in "[\\[\\]{}\",:\\\\ \na-z0-9记\u{feff}]{0,40}") {
        let _ = plan(Some(&text), Path::new(EXE), None);
        let _ = unplan(&text, None);
        let _ = inspect_text(&text, None);
    }
}
