//! Walking JSON with keys as labels.

use super::Redactor;
use super::bytes::{DIGIT, LOWER, UPPER, is};
use super::command::{self, Command};
use super::judge::{self, Place};
use super::kind::{SecretCounts, SecretKind};
use super::labels::{self, Label, Role, Strength};
use super::{tokens, value};
use mem_core::JsonObject;
use serde_json::Value;

/// Keys shorter than this hold no secret themselves.
const KEY_LEN: usize = 16;

pub(super) fn object(redactor: &Redactor, map: &mut JsonObject, counts: &mut SecretCounts) {
    object_under(redactor, map, None, counts);
}

/// An object that stands under a label, which a `value` in it has then.
fn object_under(redactor: &Redactor, map: &mut JsonObject, parent: Option<Label>, counts: &mut SecretCounts) {
    if map.keys().any(|key| key.len() >= KEY_LEN && !redactor.redact(key).counts.is_empty()) {
        let old = std::mem::take(map);
        for (key, value) in old {
            let clean = redactor.redact(&key);
            counts.merge(&clean.counts);
            map.insert(clean.text.into_owned(), value);
        }
    }
    let secrets = secrets_file(map);
    let named = named_label(map);
    let program = map.get("command").and_then(Value::as_str).and_then(program);
    for (key, value) in map.iter_mut() {
        let mut label =
            labels::classify(key.as_bytes()).or_else(|| redactor.extra_label(key)).or_else(|| {
                let (end, label) = labels::foreign_at(key.as_bytes(), 0)?;
                (end == key.len()).then_some(label)
            });
        if label.is_some_and(|l| l.role == Role::Value) {
            label = named.or(parent);
        }
        self::value(redactor, value, label, program, counts);
        if let (true, "content" | "new_string" | "old_string") = (secrets, key.as_str()) {
            match value {
                Value::String(text) => secret_lines(text, counts),
                // The head of a long text.
                Value::Object(digest) => {
                    if let Some(Value::String(text)) = digest.get_mut("head") {
                        secret_lines(text, counts);
                    }
                }
                _ => {}
            }
        }
    }
}

/// Whether an object tells of a file that holds secrets, by its `file_path`.
fn secrets_file(map: &JsonObject) -> bool {
    let Some(path) = ["file_path", "path"].iter().find_map(|k| map.get(*k)?.as_str()) else { return false };
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let example = ["example", "sample", "template"].iter().any(|w| name.ends_with(w));
    !example
        && (name == ".env"
            || name.starts_with(".env.")
            || name.ends_with(".env")
            || matches!(
                name,
                "credentials"
                    | ".pgpass"
                    | "pgpass.conf"
                    | ".netrc"
                    | "_netrc"
                    | ".npmrc"
                    | ".pypirc"
                    | ".my.cnf"
            ))
}

/// Takes every value out of a file of secrets that is shaped like one, whatever its name.
fn secret_lines(text: &mut String, counts: &mut SecretCounts) {
    let mut out = String::with_capacity(text.len());
    let mut found = false;
    for line in text.split_inclusive('\n') {
        let body = line.trim_end();
        let fields = body.bytes().filter(|&b| b == b':').count();
        let split = if fields == 4 { body.rfind(':') } else { body.find(['=', ':']) };
        let value = split.and_then(|n| body.get(n + 1..)).unwrap_or_default();
        let value = value.trim().trim_matches(['"', '\'']);
        // `value` is a part of `body`; an empty one is never secret.
        let start = (value.as_ptr() as usize).wrapping_sub(body.as_ptr() as usize);
        match body.get(..start) {
            Some(before) if !body.starts_with('#') && judge::is_loose(value.as_bytes()) => {
                found = true;
                counts.add(SecretKind::EnvValue);
                out.push_str(before);
                out.push_str(SecretKind::EnvValue.marker());
                out.push_str(line.get(start + value.len()..).unwrap_or_default());
            }
            _ => out.push_str(line),
        }
    }
    if found {
        *text = out;
    }
}

/// The label that a `name` or `key` beside a `value` gives to it.
fn named_label(map: &JsonObject) -> Option<Label> {
    let name =
        ["key", "name", "Name", "Key", "variable", "env"].iter().find_map(|k| map.get(*k)?.as_str())?;
    labels::classify(name.as_bytes()).filter(|l| l.role != Role::Value)
}

fn program(command: &str) -> Option<Command> {
    let name = command.rsplit(['/', '\\']).next()?;
    let name = name.strip_suffix(".exe").unwrap_or(name);
    command::named(name.as_bytes())
}

pub(super) fn value(
    redactor: &Redactor,
    value: &mut Value,
    label: Option<Label>,
    program: Option<Command>,
    counts: &mut SecretCounts,
) {
    match value {
        Value::String(text) => string(redactor, text, label, counts),
        Value::Object(map) => {
            object_under(redactor, map, label.filter(|l| l.strength >= Strength::Medium), counts);
        }
        Value::Array(items) => array(redactor, items, label, program, counts),
        Value::Number(number) => {
            if let Some(label) = label {
                let text = number.to_string();
                let secret = match label.role {
                    Role::Card => judge::is_card(text.as_bytes()),
                    _ if label.form == labels::Form::Digits => number.as_u64().is_some_and(|n| n >= 1000),
                    _ => label.strength == Strength::Strong && number.as_u64().is_some_and(|n| n >= 1000),
                };
                if secret {
                    counts.add(label.kind);
                    *value = Value::String(label.kind.marker().to_owned());
                }
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

/// The kind of secret a whole string is under its key.
pub(super) fn under_key(redactor: &Redactor, key: &str, text: &str) -> Option<SecretKind> {
    let label = labels::classify(key.as_bytes()).or_else(|| redactor.extra_label(key))?;
    if redactor.allows(text) { None } else { whole(text.as_bytes(), &label) }
}

fn string(redactor: &Redactor, text: &mut String, label: Option<Label>, counts: &mut SecretCounts) {
    if let Some(label) = label
        && let Some(kind) = whole(text.as_bytes(), &label)
        && !redactor.allows(text)
    {
        counts.add(kind);
        kind.marker().clone_into(text);
        return;
    }
    let clean = redactor.redact(text);
    if !clean.counts.is_empty() {
        counts.merge(&clean.counts);
        *text = clean.text.into_owned();
    }
}

/// The kind of secret a whole string is under its label.
fn whole(v: &[u8], label: &Label) -> Option<SecretKind> {
    if tokens::token_at(v, 0).is_some() || v.starts_with(b"----") {
        return None;
    }
    let trimmed = v.trim_ascii();
    let yes = match label.role {
        Role::Secret | Role::Value => judge::is_secret(label, trimmed, Place::Json),
        Role::Authorization => {
            let space = trimmed.iter().position(|&b| b == b' ');
            match space {
                // The scheme stays; the scan of the text as a header does it.
                Some(n) if value::is_scheme(&trimmed[..n]) => {
                    let rest = trimmed[n..].trim_ascii();
                    tokens::token_at(rest, 0).is_none() && value::is_credentials(rest)
                }
                Some(_) => false,
                None => value::is_bearer(trimmed),
            }
        }
        Role::Cookie => value::has_cookie(trimmed),
        Role::Card => judge::is_card(trimmed),
    };
    yes.then_some(label.kind)
}

fn array(
    redactor: &Redactor,
    items: &mut [Value],
    label: Option<Label>,
    program: Option<Command>,
    counts: &mut SecretCounts,
) {
    let first = items.first().and_then(Value::as_str);
    let command = program.or_else(|| first.and_then(self::program)).or_else(|| {
        // `["docker", "login", …]`
        items.iter().any(|item| item.as_str() == Some("login")).then_some(Command::SmallP)
    });
    let with_user = first == Some("-p")
        || items.iter().any(|item| matches!(item.as_str(), Some("-u" | "-U" | "--user" | "--username")));
    let mut option: Option<String> = None;
    for item in items {
        let before = option.take();
        if let Value::String(text) = item {
            if let Some(flag) = before
                && let Some((from, kind)) = argument(&flag, text, command, with_user)
                && !redactor.allows(text)
            {
                counts.add(kind);
                text.truncate(from);
                text.push_str(kind.marker());
                continue;
            }
            if text.starts_with('-') && !text.contains(['=', ' ']) && text.len() <= 64 {
                option = Some(text.clone());
                continue;
            }
            // `-pX` of the commands that take it so.
            if let (Some(command), true) = (command, text.starts_with("-p"))
                && matches!(command, Command::Mysql | Command::Archive)
            {
                option = None;
            }
        }
        value(redactor, item, label, None, counts);
    }
}

/// Where in an argument the password that its option takes begins, and its kind.
fn argument(
    flag: &str,
    text: &str,
    command: Option<Command>,
    with_user: bool,
) -> Option<(usize, SecretKind)> {
    let v = text.as_bytes();
    if !judge::is_argument(v) || tokens::token_at(v, 0).is_some() {
        return None;
    }
    let name = flag.trim_start_matches('-');
    if let Some(label) = labels::classify(name.as_bytes())
        && label.role == Role::Secret
    {
        return judge::is_secret(&label, v, Place::Option).then_some((0, label.kind));
    }
    let plain = v.iter().any(|&b| is(b, LOWER | UPPER | DIGIT));
    let path = v.contains(&b'/') || v.contains(&b'\\') || v.contains(&b' ');
    let number = v.iter().all(|&b| is(b, DIGIT) || b == b':');
    match (flag, command) {
        ("-p", Some(Command::SmallP | Command::Mysql)) => plain.then_some((0, SecretKind::EnvValue)),
        ("-p", None) if with_user && !path && !number => plain.then_some((0, SecretKind::EnvValue)),
        ("-P", Some(Command::BigP))
        | ("-a", Some(Command::Redis))
        | ("-w", Some(Command::Ldap))
        | ("-pw", Some(Command::Putty)) => Some((0, SecretKind::EnvValue)),
        ("-u" | "-U" | "--user" | "--proxy-user", Some(Command::Curl)) => {
            let colon = text.find(':')?;
            judge::is_argument(&v[colon + 1..]).then_some((colon + 1, SecretKind::Authorization))
        }
        _ => None,
    }
}
