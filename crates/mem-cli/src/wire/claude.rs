//! Claude Code's `settings.json`: the hooks that `mem` needs, put in and taken out as text.

use super::json::{self, Node, Style};
use super::recognise::{Invocation, Names, own_handler};
use super::{Plan, SettingsError, WiredEvent, Wiring};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// One event to be wired.
#[derive(Debug)]
struct Spec {
    event: &'static str,
    /// Absent matches everything.
    matcher: Option<&'static str>,
    /// Seconds.
    timeout: u32,
    /// Only where the hook captures and answers nothing. Stop and SessionEnd are not: `claude -p` kills
    /// asynchronous hooks when it ends, and they must have started their detached work by then.
    is_async: bool,
}

const fn spec(event: &'static str, matcher: Option<&'static str>, timeout: u32, is_async: bool) -> Spec {
    Spec { event, matcher, timeout, is_async }
}

/// SessionEnd's hooks share 1.5 s unless a longer timeout is named in a settings file.
const SPECS: &[Spec] = &[
    spec("SessionStart", None, 5, false),
    spec("UserPromptSubmit", None, 5, false),
    spec("PreToolUse", Some("Bash|PowerShell"), 10, true),
    spec("PostToolUse", Some("*"), 10, true),
    spec("PostToolUseFailure", Some("*"), 10, true),
    spec("Stop", None, 5, false),
    spec("SubagentStop", None, 10, true),
    spec("PreCompact", None, 10, true),
    spec("PostCompact", None, 10, true),
    spec("SessionEnd", None, 3, false),
];

/// The keys of a handler that are ours to set; others, such as `statusMessage`, stay as the user wrote them.
const OWN_KEYS: &[&str] = &["type", "command", "args", "timeout", "async", "asyncRewake", "shell"];

impl Spec {
    fn handler(&self, invocation: &Invocation, old: Option<&Value>) -> Value {
        let mut handler = serde_json::Map::new();
        handler.insert("type".to_owned(), json!("command"));
        handler.insert("command".to_owned(), json!(invocation.program));
        handler.insert("args".to_owned(), json!(invocation.args));
        handler.insert("timeout".to_owned(), json!(self.timeout));
        if self.is_async {
            handler.insert("async".to_owned(), json!(true));
        }
        for (key, value) in old.and_then(Value::as_object).into_iter().flatten() {
            if !OWN_KEYS.contains(&key.as_str()) {
                handler.insert(key.clone(), value.clone());
            }
        }
        Value::Object(handler)
    }

    fn group(&self, invocation: &Invocation) -> Value {
        let handlers = json!([self.handler(invocation, None)]);
        match self.matcher {
            Some(matcher) => json!({"matcher": matcher, "hooks": handlers}),
            None => json!({"hooks": handlers}),
        }
    }

    fn matches_like(&self, group: &Node) -> bool {
        let all = |matcher: &str| matches!(matcher, "" | "*");
        let has = match group.get("matcher") {
            None => "",
            Some(node) => match node.as_str() {
                Some(matcher) => matcher,
                None => return false,
            },
        };
        let wants = self.matcher.unwrap_or_default();
        has == wants || (all(has) && all(wants))
    }

    fn describe(&self, sign: char, invocation: &Invocation) -> String {
        let only = match self.matcher {
            Some(matcher) if matcher != "*" => format!(" on {matcher}"),
            _ => String::new(),
        };
        let mode = if self.is_async { ", async" } else { "" };
        format!("{sign} {}{only}: {invocation} (timeout {} s{mode})", self.event, self.timeout)
    }
}

/// One of our own handlers, by its place in the file.
struct Found {
    place: (usize, usize, usize),
    event: String,
    invocation: Invocation,
    handler: Value,
}

fn is_blank(text: &str) -> bool {
    text.chars().all(|c| matches!(c, ' ' | '\t' | '\r' | '\n'))
}

/// The tree, once its top level is known to be an object with at most one `hooks` object.
fn read(text: &str) -> Result<Node, SettingsError> {
    let root = json::parse(text)?;
    let Some(members) = root.members() else {
        return Err(SettingsError::NotAnObject { what: "the top level", found: root.type_name() });
    };
    unique("hooks", members.iter().map(|member| member.key.as_str()))?;
    if let Some(hooks) = root.get("hooks") {
        let Some(events) = hooks.members() else {
            return Err(SettingsError::NotAnObject { what: "\"hooks\"", found: hooks.type_name() });
        };
        for spec in SPECS {
            unique(spec.event, events.iter().map(|member| member.key.as_str()))?;
        }
    }
    Ok(root)
}

fn unique<'a>(key: &str, keys: impl Iterator<Item = &'a str>) -> Result<(), SettingsError> {
    if keys.filter(|&other| other == key).count() > 1 {
        return Err(SettingsError::Duplicate { key: key.to_owned() });
    }
    Ok(())
}

fn arrays_only(root: &Node) -> Result<(), SettingsError> {
    let Some(hooks) = root.get("hooks") else { return Ok(()) };
    for spec in SPECS {
        if let Some(groups) = hooks.get(spec.event)
            && groups.items().is_none()
        {
            return Err(SettingsError::NotAnArray { event: spec.event, found: groups.type_name() });
        }
    }
    Ok(())
}

fn find(text: &str, root: &Node, names: &Names) -> Vec<Found> {
    let mut found = Vec::new();
    let events = root.get("hooks").and_then(Node::members).unwrap_or_default();
    for (e, member) in events.iter().enumerate() {
        for (g, group) in member.value.items().unwrap_or_default().iter().enumerate() {
            let handlers = group.get("hooks").and_then(Node::items).unwrap_or_default();
            for (h, node) in handlers.iter().enumerate() {
                let written = text.get(node.span.clone()).unwrap_or_default();
                let Ok(handler) = serde_json::from_str::<Value>(written) else { continue };
                if let Some(invocation) = own_handler(&handler, names) {
                    found.push(Found { place: (e, g, h), event: member.key.clone(), invocation, handler });
                }
            }
        }
    }
    found
}

/// The cuts that take the handlers at `gone` away, and each container that this leaves empty.
fn removals(root: &Node, gone: &BTreeSet<(usize, usize, usize)>) -> Vec<json::Span> {
    let mut spans = Vec::new();
    let Some(hooks) = root.get("hooks") else { return spans };
    let mut events_gone = Vec::new();
    for (e, member) in hooks.members().unwrap_or_default().iter().enumerate() {
        let mut groups_gone = Vec::new();
        for (g, group) in member.value.items().unwrap_or_default().iter().enumerate() {
            let Some(handlers) = group.get("hooks") else {
                groups_gone.push(false);
                continue;
            };
            let flags: Vec<bool> =
                (0..handlers.items().unwrap_or_default().len()).map(|h| gone.contains(&(e, g, h))).collect();
            let all = !flags.is_empty() && flags.iter().all(|&flag| flag);
            if !all && flags.contains(&true) {
                spans.extend(json::cuts(handlers, &flags));
            }
            groups_gone.push(all);
        }
        let all = !groups_gone.is_empty() && groups_gone.iter().all(|&flag| flag);
        if !all && groups_gone.contains(&true) {
            spans.extend(json::cuts(&member.value, &groups_gone));
        }
        events_gone.push(all);
    }
    if !events_gone.contains(&true) {
        return spans;
    }
    if events_gone.iter().all(|&flag| flag) {
        let members = root.members().unwrap_or_default();
        let flags: Vec<bool> = members.iter().map(|member| member.key == "hooks").collect();
        spans.extend(json::cuts(root, &flags));
    } else {
        spans.extend(json::cuts(hooks, &events_gone));
    }
    spans
}

/// Drops a byte order mark, which strict readers of the file refuse.
fn without_mark<'a>(text: &'a str, changes: &mut Vec<String>) -> &'a str {
    match text.strip_prefix('\u{feff}') {
        Some(rest) => {
            changes.push("~ the byte order mark at the start of the file is dropped".to_owned());
            rest
        }
        None => text,
    }
}

fn notes(root: &Node) -> Vec<String> {
    if disabled(root) {
        vec!["\"disableAllHooks\" is true in this file: no hook runs until it is removed".to_owned()]
    } else {
        Vec::new()
    }
}

fn disabled(root: &Node) -> bool {
    root.get("disableAllHooks").is_some_and(|node| matches!(node.kind, json::Kind::Bool(true)))
}

/// What the settings become when `invocation` is wired in; `None` stands for a file that is not there.
///
/// # Errors
/// When the text is not JSON, or its `hooks` have a shape that Claude Code would not take either.
pub(super) fn plan_with(text: Option<&str>, invocation: &Invocation) -> Result<Plan, SettingsError> {
    let mut changes = Vec::new();
    let text = without_mark(text.unwrap_or_default(), &mut changes);
    let text = if is_blank(text) { "{}\n" } else { text };
    let root = read(text)?;
    arrays_only(&root)?;
    let style = Style::of(text, &root);
    let notes = notes(&root);

    let names = Names::with(Some(&invocation.program));
    let mut gone = BTreeSet::new();
    let mut edits = Vec::new();
    let mut kept = BTreeSet::new();
    let mut moved = BTreeSet::new();
    for found in find(text, &root, &names) {
        let (e, g, h) = found.place;
        let group = root
            .get("hooks")
            .and_then(Node::members)
            .and_then(|events| events.get(e))
            .and_then(|member| member.value.items())
            .and_then(|groups| groups.get(g));
        let spec = SPECS.iter().find(|spec| spec.event == found.event);
        let (Some(spec), Some(group)) = (spec, group) else {
            gone.insert(found.place);
            changes.push(format!("- {}: {}", found.event, found.invocation));
            continue;
        };
        if kept.contains(spec.event) {
            gone.insert(found.place);
            changes.push(format!("- {}: {} (a second entry)", found.event, found.invocation));
        } else if spec.matches_like(group) {
            kept.insert(spec.event);
            let wanted = spec.handler(invocation, Some(&found.handler));
            let node = group.get("hooks").and_then(Node::items).and_then(|handlers| handlers.get(h));
            if let Some(node) = node
                && wanted != found.handler
            {
                edits.push((node.span.clone(), json::overwrite(text, &node.span, &wanted, &style)));
                changes.push(spec.describe('~', invocation));
            }
        } else {
            gone.insert(found.place);
            moved.insert(spec.event);
        }
    }
    edits.extend(removals(&root, &gone).into_iter().map(|span| (span, String::new())));
    let mut text = json::apply(text, edits);

    for spec in SPECS.iter().filter(|spec| !kept.contains(spec.event)) {
        let group = spec.group(invocation);
        let root = read(&text)?;
        text = match root.get("hooks") {
            None => json::append(&text, &root, Some("hooks"), &json!({ spec.event: [group] }), &style),
            Some(hooks) => match hooks.get(spec.event) {
                None => json::append(&text, hooks, Some(spec.event), &json!([group]), &style),
                Some(groups) => json::append(&text, groups, None, &group, &style),
            },
        };
        changes.push(spec.describe(if moved.contains(spec.event) { '~' } else { '+' }, invocation));
    }
    Ok(Plan { new_text: text, changes, notes })
}

/// The inverse of [`plan_with`]: takes our handlers away, and the groups, events and `hooks` this leaves empty.
///
/// `exe` adds the name of a renamed binary to those that are looked for.
pub(super) fn unplan(text: &str, exe: Option<&Path>) -> Result<Plan, SettingsError> {
    let mut changes = Vec::new();
    let bare = without_mark(text, &mut changes);
    if is_blank(bare) {
        return Ok(Plan { new_text: text.to_owned(), changes: Vec::new(), notes: Vec::new() });
    }
    let root = read(bare)?;
    let found = find(bare, &root, &Names::with(exe.and_then(Path::to_str)));
    if found.is_empty() {
        return Ok(Plan { new_text: text.to_owned(), changes: Vec::new(), notes: Vec::new() });
    }
    let gone = found.iter().map(|found| found.place).collect();
    let edits = removals(&root, &gone).into_iter().map(|span| (span, String::new())).collect();
    changes.extend(found.iter().map(|found| format!("- {}: {}", found.event, found.invocation)));
    Ok(Plan { new_text: json::apply(bare, edits), changes, notes: Vec::new() })
}

/// What of ours is in the settings.
pub(super) fn inspect(text: &str, exe: Option<&Path>) -> Result<Wiring, SettingsError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let text = if is_blank(text) { "{}" } else { text };
    let root = read(text)?;
    let found = find(text, &root, &Names::with(exe.and_then(Path::to_str)));
    let missing = SPECS
        .iter()
        .map(|spec| spec.event)
        .filter(|event| !found.iter().any(|found| found.event == *event))
        .collect();
    let events = found
        .into_iter()
        .map(|found| WiredEvent { event: found.event, invocation: found.invocation })
        .collect();
    Ok(Wiring { events, missing, disable_all_hooks: disabled(&root) })
}
