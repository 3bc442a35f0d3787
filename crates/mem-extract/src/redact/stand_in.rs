//! Values that stand for a secret and are none: references, placeholders, types, words of prose.

use super::bytes::{ALNUM, ALPHA, DIGIT, DOT, LOWER, UNDER, has_ignore_case, is, run};
use super::judge::Place;

/// A variable, a call, an interpolation, a reference to a secret store.
pub(super) fn is_reference(v: &[u8], place: Place) -> bool {
    let quoted = matches!(place, Place::Json | Place::Quoted);
    match v {
        [b'$', b'{' | b'(' | b'[', ..]
        | [b'%', b'(' | b'{', ..]
        | [b'#', b'{', ..]
        | [b'{', b'{', ..]
        | [b'[', b'[', ..] => return true,
        [b'$', rest @ ..] if !rest.is_empty() => {
            let name = run(rest, 0, ALNUM | UNDER, usize::MAX);
            let env = rest.starts_with(b"env:");
            if env || name == rest.len() && is(rest[0], ALPHA | UNDER) || rest.len() == 1 {
                return true;
            }
            // `$this->password`, `$config['x']`, `$user.password`
            if name > 0
                && matches!(rest.get(name), Some(b'-' | b'[' | b'.' | b':'))
                && !quoted
                && is(rest[0], LOWER)
            {
                return true;
            }
        }
        [b'%', rest @ .., b'%'] if !rest.is_empty() && rest.iter().all(|&b| is(b, ALNUM | UNDER)) => {
            return true;
        }
        [b'%', c] if is(*c, ALPHA) => return true,
        [b'<', .., b'>'] => return true,
        [b'<', rest @ ..] if rest.first().is_some_and(|&b| is(b, ALPHA)) && !quoted => return true,
        [b'{', rest @ .., b'}'] if rest.iter().all(|&b| is(b, ALNUM | UNDER | DOT)) => return true,
        [b'[', ..] | [b'(', ..] | [b'{', ..] if !quoted => return true,
        [b'@', ..]
            if !quoted
                && v.len() > 1
                && v[1..].iter().all(|&b| is(b, ALNUM | UNDER | DOT))
                && place != Place::Env =>
        {
            return true;
        }
        [b'!', rest @ ..]
            if has_ignore_case(rest, 0, b"ref")
                || has_ignore_case(rest, 0, b"vault")
                || has_ignore_case(rest, 0, b"sub")
                || has_ignore_case(rest, 0, b"getatt")
                || has_ignore_case(rest, 0, b"secret") =>
        {
            return true;
        }
        [b'!', ..] if !quoted && matches!(place, Place::Assigned | Place::Inline | Place::Line) => {
            return true;
        }
        [b'&', rest @ ..] | [b'*', rest @ ..] if !quoted && !rest.is_empty() && is_name_path(rest) => {
            return true;
        }
        _ => {}
    }
    for mark in [&b"${"[..], b"{{", b"$(", b"<%"] {
        if memchr::memmem::find(v, mark).is_some() {
            return true;
        }
    }
    let start: &[&[u8]] = &[
        b"process.env",
        b"import.meta",
        b"os.environ",
        b"os.getenv",
        b"getenv",
        b"env[",
        b"env.",
        b"env(",
        b"secrets.",
        b"vars.",
        b"vault:",
        b"op://",
        b"arn:",
        b"ssm:",
        b"secretsmanager:",
        b"sm://",
        b"keyring:",
        b"keychain:",
        b"file:",
        b"env:",
        b"deno.env",
        b"std::env",
        b"builtins.",
        b"github.token",
        b"aws-sm:",
        b"gcp-sm:",
        b"azurekeyvault",
    ];
    if start.iter().any(|p| has_ignore_case(v, 0, p)) {
        return true;
    }
    if quoted {
        return false;
    }
    // Expressions: a name, then a call, an index, a path, a generic type.
    let name = run(v, 0, ALNUM | UNDER, usize::MAX);
    if name > 0 && is(v[0], ALPHA | UNDER) {
        match v.get(name) {
            Some(b'(' | b'[') if place != Place::Env || v.ends_with(b")") || v.ends_with(b"]") => {
                return true;
            }
            Some(b'<') if v.contains(&b'>') || place != Place::Env => return true,
            Some(b':') if v.get(name + 1) == Some(&b':') => return true,
            Some(b'-') if v.get(name + 1) == Some(&b'>') => return true,
            Some(b'?') if matches!(v.get(name + 1), Some(b'.' | b'?')) => return true,
            Some(b'!')
                if v.get(name + 1) == Some(&b'.')
                    || v.len() == name + 1 && place != Place::Env && !v.iter().any(|&b| is(b, DIGIT)) =>
            {
                return true;
            }
            Some(b'.') if place != Place::Env && place != Place::Option => {
                let mut end = name;
                while v.get(end) == Some(&b'.') {
                    let next = run(v, end + 1, ALNUM | UNDER, usize::MAX);
                    if next == end + 1 || is(v[end + 1], DIGIT) {
                        break;
                    }
                    end = next;
                }
                let digits = v[..end].iter().filter(|&&b| is(b, DIGIT)).count();
                if (end == v.len() || matches!(v.get(end), Some(b'(' | b'[' | b'?' | b'!'))) && digits <= 2 {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

fn is_name_path(v: &[u8]) -> bool {
    v.iter().all(|&b| is(b, ALNUM | UNDER | DOT) || matches!(b, b':' | b'<' | b'>' | b'\''))
        && !v.iter().any(|&b| is(b, DIGIT))
}

pub(super) fn is_placeholder(v: &[u8]) -> bool {
    // A marker inside: what was secret is out already.
    if memchr::memmem::find(v, b"[REDACTED").is_some() || memchr::memmem::find(v, b"[PRIVATE]").is_some() {
        return true;
    }
    if v.len() >= 2
        && v.iter().all(|&b| {
            matches!(
                b,
                b'*' | b'.'
                    | b'-'
                    | b'_'
                    | b'?'
                    | b'#'
                    | b'x'
                    | b'X'
                    | b'='
                    | b'+'
                    | b'/'
                    | b'\\'
                    | b','
                    | b';'
                    | b' '
                    | b':'
                    | b'>'
                    | b'<'
                    | b'('
                    | b')'
                    | b'|'
            )
        })
        || v.chunks_exact(3).all(|c| c == "•".as_bytes() || c == "…".as_bytes() || c == "●".as_bytes())
            && v.len().is_multiple_of(3)
    {
        return true;
    }
    // Cut or masked: `abc***`, `sk-...wxyz`.
    if memchr::memmem::find(v, b"***").is_some()
        || memchr::memmem::find(v, b"...").is_some()
        || memchr::memmem::find(v, "…".as_bytes()).is_some()
        || memchr::memmem::find(v, b"xxxx").is_some()
        || memchr::memmem::find(v, b"XXXX").is_some()
    {
        return true;
    }
    let mut buffer = [0u8; 64];
    let n = v.len().min(64);
    for (to, from) in buffer.iter_mut().zip(v) {
        *to = from.to_ascii_lowercase();
    }
    let lower = &buffer[..n];
    if v.len() <= 64 {
        let marks: &[&[u8]] = &[
            b"your-",
            b"your_",
            b"yourapi",
            b"yourpass",
            b"yourtoken",
            b"yoursecret",
            b"your ",
            b"placeholder",
            b"replace-",
            b"replace_",
            b"replaceme",
            b"insert-",
            b"insert_",
            b"-here",
            b"_here",
            b"redacted",
            b"fill_me",
            b"fill-me",
            b"-goes-",
            b"<your",
            b"not-a-real",
            b"[hidden]",
            b"[filtered]",
            b"[masked]",
        ];
        if marks.iter().any(|m| memchr::memmem::find(lower, m).is_some()) {
            return true;
        }
        if matches!(lower, b"todo" | b"tbd" | b"n/a" | b"fixme" | b"your") {
            return true;
        }
    }
    false
}

/// Types, constants and words that stand for no value.
pub(super) fn is_keyword(v: &[u8], place: Place) -> bool {
    if v.len() > 24 {
        return false;
    }
    let mut buffer = [0u8; 24];
    for (to, from) in buffer.iter_mut().zip(v) {
        *to = from.to_ascii_lowercase();
    }
    let mut lower = &buffer[..v.len()];
    while let [rest @ .., b'?' | b'!' | b';' | b',' | b'.' | b')' | b'}' | b']'] = lower {
        lower = rest;
    }
    if matches!(
        lower,
        b"" | b"string"
            | b"str"
            | b"number"
            | b"integer"
            | b"int"
            | b"bool"
            | b"boolean"
            | b"any"
            | b"unknown"
            | b"object"
            | b"null"
            | b"none"
            | b"nil"
            | b"undefined"
            | b"true"
            | b"false"
            | b"never"
            | b"void"
            | b"required"
            | b"optional"
            | b"bytes"
            | b"secretstr"
            | b"securestring"
            | b"varchar"
            | b"char"
            | b"text"
            | b"array"
            | b"float"
            | b"&str"
            | b"*string"
            | b"[]byte"
            | b"charfield"
            | b"hidden"
            | b"masked"
    ) {
        return true;
    }
    if matches!(place, Place::Json) {
        return matches!(lower, b"password" if v != b"password");
    }
    if matches!(place, Place::Quoted) {
        return matches!(
            lower,
            b"yes"
                | b"no"
                | b"on"
                | b"off"
                | b"basic"
                | b"bearer"
                | b"oauth"
                | b"oauth2"
                | b"jwt"
                | b"token"
                | b"passwd"
                | b"pwd"
                | b"input"
                | b"field"
                | b"body"
                | b"header"
                | b"query"
                | b"cookie"
                | b"apikey"
                | b"api_key"
                | b"api-key"
        ) || lower == b"password" && v != b"password";
    }
    if place == Place::Env || place == Place::Option {
        return matches!(
            lower,
            b"yes" | b"no" | b"on" | b"off" | b"1" | b"0" | b"basic" | b"bearer" | b"oauth" | b"required"
        );
    }
    matches!(
        lower,
        b"yes"
            | b"no"
            | b"on"
            | b"off"
            | b"enabled"
            | b"disabled"
            | b"missing"
            | b"invalid"
            | b"valid"
            | b"empty"
            | b"unset"
            | b"set"
            | b"secret"
            | b"password"
            | b"token"
            | b"credentials"
            | b"basic"
            | b"bearer"
            | b"digest"
            | b"oauth"
            | b"oauth2"
            | b"jwt"
            | b"apikey"
            | b"default"
            | b"auto"
            | b"always"
            | b"value"
            | b"type"
            | b"input"
            | b"prompt"
            | b"stdin"
            | b"ask"
            | b"file"
            | b"env"
            | b"keyring"
            | b"keychain"
            | b"vault"
            | b"self"
            | b"this"
            | b"function"
            | b"async"
            | b"await"
            | b"new"
            | b"return"
            | b"hashed"
            | b"encrypted"
            | b"expired"
            | b"incorrect"
            | b"wrong"
            | b"correct"
            | b"changed"
            | b"updated"
            | b"ok"
            | b"failed"
            | b"passed"
            | b"option"
            | b"see"
            | b"the"
            | b"a"
            | b"an"
            | b"is"
            | b"not"
            | b"must"
            | b"and"
            | b"or"
            | b"for"
            | b"if"
            | b"when"
            | b"use"
            | b"used"
            | b"only"
            | b"same"
            | b"lambda"
            | b"const"
            | b"let"
            | b"var"
            | b"pub"
            | b"typeof"
            | b"keyof"
            | b"readonly"
            | b"public"
            | b"private"
            | b"static"
            | b"checked"
            | b"stored"
            | b"generated"
            | b"provided"
            | b"given"
            | b"as"
            | b"in"
            | b"from"
            | b"to"
            | b"with"
    )
}

/// Whether a text with blanks reads as a sentence about a secret.
pub(super) fn prose(v: &[u8]) -> bool {
    let words: &[&[u8]] = &[
        b"the",
        b"is",
        b"must",
        b"your",
        b"enter",
        b"please",
        b"required",
        b"invalid",
        b"password",
        b"at",
        b"least",
        b"to",
        b"not",
        b"incorrect",
        b"forgot",
        b"should",
        b"be",
        b"for",
        b"new",
        b"confirm",
        b"and",
        b"or",
        b"if",
        b"of",
        b"with",
        b"in",
        b"cannot",
        b"passwords",
        b"was",
        b"has",
        b"when",
        b"this",
        b"that",
        b"el",
        b"la",
        b"de",
        b"le",
        b"das",
        b"ist",
        b"a",
        b"an",
        b"token",
        b"secret",
        b"from",
        b"user",
        b"use",
    ];
    v.split(|&b| b == b' ').any(|w| {
        let end = w.iter().rposition(|&b| is(b, ALNUM)).map_or(0, |n| n + 1);
        words.iter().any(|p| w[..end].eq_ignore_ascii_case(p))
    })
}
