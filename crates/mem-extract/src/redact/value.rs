//! Finding the value that a label is given, in program text, shells, configuration, JSON, XML and prose.

use super::bytes::{
    ALNUM, ALPHA, BLANK, DASH, DIGIT, DOT, LOWER, QUOTE, UNDER, UPPER, WHITE, WORD, has, has_ignore_case, is,
    is_at, run, until_white,
};
use super::judge::{self, Place};
use super::labels::{Form, Label, Role, Strength, password_label};
use super::near::{across, behind_script, loose};
use super::tokens;

/// What is looked at of a value before it is known to be secret; keeps repeated labels linear.
const LOOK: usize = 1024;

/// Where a value begins and how it was joined to its label.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub(super) at: usize,
    /// Joined by `=` rather than by `:`.
    pub(super) equals: bool,
    how: Join,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Join {
    Tight,
    Spaced,
    Option,
    Link,
    Comma,
    Element,
}

/// A value's content.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) place: Place,
    /// It goes on behind what was looked at.
    pub(super) open: bool,
}

/// A quotation mark with the backslashes before it, as in a text that is itself quoted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Quoting {
    backslashes: usize,
    quote: u8,
    pub(super) content: usize,
}

impl Quoting {
    pub(super) fn at(t: &[u8], at: usize) -> Option<Self> {
        let mut quote = at;
        while t.get(quote) == Some(&b'\\') && quote < at + 8 {
            quote += 1;
        }
        is_at(t, quote, QUOTE).then(|| Self { backslashes: quote - at, quote: t[quote], content: quote + 1 })
    }

    /// The end of the content, and whether nothing closed it within `max` bytes of the line.
    pub(super) fn close(self, t: &[u8], max: usize) -> (usize, bool) {
        let limit = t.len().min(self.content.saturating_add(max));
        let mut at = self.content;
        let mut slashes = 0;
        while at < limit {
            let byte = t[at];
            if byte == b'\\' {
                slashes += 1;
            } else if byte == self.quote
                && (slashes <= self.backslashes || self.backslashes == 0 && slashes % 2 == 0)
            {
                return (at - slashes.min(self.backslashes), false);
            } else if byte == b'\n' && self.quote != b'`' {
                return (at, false);
            } else {
                slashes = 0;
            }
            at += 1;
        }
        (limit, limit < t.len())
    }
}

impl Found {
    /// A value that words of prose join to its label.
    pub(super) const fn linked(at: usize) -> Self {
        Self { at, equals: false, how: Join::Link }
    }

    /// Whether a comma joined the two, as in a list.
    pub(super) fn comma(&self) -> bool {
        self.how == Join::Comma
    }
}

/// Where the value of the label at `start..end` begins, when something joins them.
pub(super) fn after_label(t: &[u8], start: usize, end: usize, label: &Label, foreign: bool) -> Option<Found> {
    let found = directly(t, start, end, label, foreign)?;
    if label.role != Role::Secret || found.how == Join::Element {
        return Some(found);
    }
    // A value on the next line, or as a block of YAML.
    let mut at = found.at;
    if matches!(t.get(at), Some(b'|' | b'>')) {
        at += 1 + usize::from(matches!(t.get(at + 1), Some(b'-' | b'+')));
    }
    if !matches!(t.get(at), Some(b'\n' | b'\r')) {
        return Some(found);
    }
    let mut to = run(t, at, WHITE, 40);
    if has(t, to, b"- ") {
        to = run(t, to + 2, BLANK, 8);
    }
    let linked = loose(t, to)?;
    let stop = bare_end(t, to);
    let alone =
        Quoting::at(t, to).is_some() || matches!(t.get(run(t, stop, BLANK, 8)), None | Some(b'\n' | b'\r'));
    alone.then_some(linked)
}

fn directly(t: &[u8], start: usize, end: usize, label: &Label, foreign: bool) -> Option<Found> {
    let mut at = end;
    let mut closed = false;
    if let Some(quoting) = Quoting::at(t, at) {
        closed = true;
        at = quoting.content;
        if t.get(at) == Some(&b']') {
            at += 1;
        }
    } else if t.get(at) == Some(&b'[') {
        // `char password[32] =`
        let digits = run(t, at + 1, DIGIT, 6);
        if t.get(digits) == Some(&b']') {
            at = digits + 1;
        }
    } else if t.get(at) == Some(&b'?') {
        at += 1;
    }
    while t.get(at) == Some(&b'*') && at < end + 4 {
        at += 1;
    }
    if foreign {
        at = skip_aside(t, at);
    }
    if label.role == Role::Card && !closed {
        // `card number:`
        let word = run(t, at, BLANK, 2);
        let word_end = run(t, word, ALPHA | DOT, 8);
        if word > at
            && [&b"number"[..], b"no", b"no.", b"nr", b"nr."]
                .iter()
                .any(|w| t[word..word_end].eq_ignore_ascii_case(w))
        {
            at = word_end;
        }
    }
    let blank = run(t, at, BLANK, 32);
    let spaced = |from: usize, equals: bool| {
        let mut to = run(t, from, BLANK, 32);
        while t.get(to) == Some(&b'*') && to < from + 8 {
            to = run(t, to + 1, BLANK, 8);
        }
        let tight = blank == at && to == from;
        Some(Found { at: to, equals, how: if tight { Join::Tight } else { Join::Spaced } })
    };
    match *t.get(blank)? {
        b'=' => match t.get(blank + 1) {
            // `if password == "…"`
            Some(b'=') if label.role == Role::Secret => {
                let to = run(t, blank + 2, BLANK, 4);
                Quoting::at(t, to).and_then(|_| loose(t, to))
            }
            Some(b'=' | b'~') => None,
            Some(b'>') => spaced(blank + 2, true),
            _ => spaced(blank + 1, true),
        },
        b':' => match t.get(blank + 1) {
            Some(b':') => None,
            Some(b'=') => spaced(blank + 2, true),
            _ => spaced(blank + 1, false),
        },
        0xef if has(t, blank, "：".as_bytes()) || has(t, blank, "＝".as_bytes()) => {
            spaced(blank + 3, false)
        }
        b'<' if blank > at && has(t, blank, b"<- ") && label.role == Role::Secret => loose(t, blank + 3),
        b'-' if blank > at && has(t, blank, b"-> ") => spaced(blank + 2, true),
        b'(' if blank == at && label.role == Role::Secret && Quoting::at(t, at + 1).is_some() => {
            loose(t, at + 1)
        }
        b'|' if blank > at && start >= 2 && has(t, start - 2, b"| ") => {
            loose(t, run(t, blank + 1, BLANK, 32))
        }
        b'.' if has(t, blank, b"...") && label.role == Role::Secret => {
            let dots = run(t, blank, DOT, 80);
            loose(t, run(t, dots, BLANK, 8))
        }
        b'>' if closed && label.role == Role::Secret => {
            let limit = t.len().min(blank + 1 + 256);
            let stop = blank + 1 + memchr::memchr(b'<', &t[blank + 1..limit])?;
            judge::is_loose(&t[blank + 1..stop]).then_some(Found {
                at: blank + 1,
                equals: true,
                how: Join::Element,
            })
        }
        b'%' if has_ignore_case(t, blank, b"%3d") => spaced(blank + 3, true),
        b'>' if start > 0 && t[start - 1] == b'<' => {
            Some(Found { at: blank + 1, equals: true, how: Join::Element })
        }
        b',' if closed => {
            let at = run(t, blank + 1, WHITE, 32);
            Quoting::at(t, at)?;
            let option = is_option(t, start);
            Some(Found { at, equals: true, how: if option { Join::Option } else { Join::Comma } })
        }
        b'"' | b'\''
            if !closed && blank > at && label.strength == Strength::Strong && label.role == Role::Secret =>
        {
            (label.upper || t[blank] == b'\'' || is_option(t, start))
                .then_some(Found { at: blank, equals: true, how: Join::Option })
                .or_else(|| loose(t, blank))
        }
        _ if blank > at && !closed && takes_argument(t, start, end, label) => {
            Some(Found { at: blank, equals: true, how: Join::Option })
        }
        _ if label.role == Role::Secret && !closed && (foreign || label.strength >= Strength::Medium) => {
            let linked = link(t, blank, blank > at, foreign).or_else(|| {
                let strong = blank > at && label.strength == Strength::Strong;
                let word = blank..until_white(t, blank, 64);
                (strong && judge::is_unmistakable(&t[word])).then_some(blank)
            });
            let told = linked.map(|at| Found { at, equals: false, how: Join::Link });
            if foreign {
                return told
                    .filter(|f| loose(t, f.at).is_some())
                    .or_else(|| behind_script(t, at))
                    .or_else(|| (blank > at).then(|| across(t, at)).flatten())
                    .or(told);
            }
            if blank == at {
                return told;
            }
            let with = || {
                let before = &t[start.saturating_sub(6)..start];
                (label.strength == Strength::Strong
                    && [&b"with "[..], b"using ", b" mit ", b" con ", b" avec ", b" com ", "мой ".as_bytes()]
                        .iter()
                        .any(|w| before.ends_with(w)))
                .then(|| loose(t, blank))
                .flatten()
            };
            told.filter(|f| loose(t, f.at).is_some()).or_else(|| across(t, at)).or_else(with).or(told)
        }
        _ => None,
    }
}

/// `（测试）` between a label and what joins it to its value.
fn skip_aside(t: &[u8], at: usize) -> usize {
    let close: &[u8] = match t.get(at) {
        Some(b'(') => b")",
        Some(0xef) if has(t, at, "（".as_bytes()) => "）".as_bytes(),
        _ => return at,
    };
    let within = &t[at..t.len().min(at + 48)];
    memchr::memmem::find(within, close).map_or(at, |n| at + n + close.len())
}

/// Whether a name is an option of a command: `--name`, `-name`.
fn is_option(t: &[u8], start: usize) -> bool {
    let mut at = start;
    while at > 0 && at + 2 > start && t[at - 1] == b'-' {
        at -= 1;
    }
    at < start && (at == 0 || is(t[at - 1], WHITE | QUOTE) || t[at - 1] == b'\\')
}

fn takes_argument(t: &[u8], start: usize, end: usize, label: &Label) -> bool {
    if is_option(t, start) {
        return true;
    }
    let name = &t[start..end];
    if matches!(name, b"requirepass" | b"masterauth") {
        return true;
    }
    let before = &t[start.saturating_sub(200)..start];
    if before.ends_with(b"configure set ") || before.ends_with(b"configure set default.") {
        return true;
    }
    if label.upper && (before.ends_with(b"ENV ") || before.ends_with(b"setx ") || before.ends_with(b"SETX "))
    {
        return true;
    }
    name == b"password"
        && memchr::memmem::find(before, b"machine ").is_some()
        && memchr::memmem::find(before, b"login ").is_some()
}

/// Behind a word such as `is` that joins a label and its value in prose.
fn link(t: &[u8], at: usize, blank: bool, foreign: bool) -> Option<usize> {
    let words: &[&str] = if foreign {
        &["是", "为", "為", "は", "는", "은", "이", "가", "→", "это"]
    } else {
        &["is", "es", "ist", "lautet", "est", "é", "to", "jest", "var", "är", "是", "为", "は", "→"]
    };
    for word in words {
        let word = word.as_bytes();
        if !has(t, at, word) {
            continue;
        }
        let mut to = at + word.len();
        if word.is_ascii() && !(blank && is_at(t, to, BLANK) || t.get(to) == Some(&b':')) {
            continue;
        }
        to = run(t, to, BLANK, 4);
        if matches!(t.get(to), Some(b':' | b'=')) {
            to = run(t, to + 1, BLANK, 4);
        } else if has(t, to, "：".as_bytes()) {
            to = run(t, to + 3, BLANK, 4);
        }
        return Some(to);
    }
    None
}

/// Reads the value at a place.
pub(super) fn read(t: &[u8], found: Found, label: &Label) -> Option<Value> {
    let mut at = found.at;
    if found.how == Join::Element {
        let limit = t.len().min(at + LOOK);
        let end = at + memchr::memchr(b'<', &t[at..limit])?;
        return Some(Value { start: at, end, place: Place::Quoted, open: false });
    }
    at = wrapped(t, at);
    if let Some(quoting) = Quoting::at(t, at) {
        let (mut end, open) = quoting.close(t, LOOK);
        // Without closing quote only a password may have blanks.
        if label.strength < Strength::Strong && !open && !is_at(t, end, QUOTE) && t.get(end) != Some(&b'\\') {
            end = quoting.content
                + t[quoting.content..end].iter().position(|&b| is(b, WHITE)).unwrap_or(end - quoting.content);
        }
        let place = match found.how {
            Join::Option => Place::Option,
            // `t("password", "Password")` is a translation: only what looks like a secret counts.
            Join::Comma => {
                let strict = Label { strength: Strength::Medium, ..*label };
                let v = &t[quoting.content..end];
                if !judge::is_secret(&strict, v, Place::Quoted) {
                    return None;
                }
                Place::Quoted
            }
            _ => Place::Quoted,
        };
        return Some(Value { start: quoting.content, end, place, open });
    }
    if found.how == Join::Comma {
        return None;
    }
    if let Some(end) = (label.form == Form::Words).then(|| judge::mnemonic_end(t, at)).flatten() {
        return Some(Value { start: at, end, place: Place::Line, open: false });
    }
    let end = bare_end(t, at);
    if end <= at {
        return None;
    }
    let open = end - at >= LOOK;
    let next = run(t, end, BLANK, 32);
    // `password: str = "…"`: the value stands behind the type.
    if found.how != Join::Option
        && t.get(next) == Some(&b'=')
        && !matches!(t.get(next + 1), Some(b'=' | b'>'))
        && !found.equals
        && t[at..end].iter().all(|&b| {
            is(b, ALNUM | UNDER | DOT)
                || matches!(b, b'&' | b'<' | b'>' | b'[' | b']' | b':' | b'\'' | b'?' | b'*')
        })
    {
        let behind = wrapped(t, run(t, next + 1, BLANK, 32));
        let quoting = Quoting::at(t, behind)?;
        let (end, open) = quoting.close(t, LOOK);
        return Some(Value { start: quoting.content, end, place: Place::Quoted, open });
    }
    let to_line_end = match t.get(next) {
        None | Some(b'\n' | b'\r') => true,
        Some(b'\\') => matches!(t.get(next + 1), Some(b'n' | b'r')),
        Some(b'#') => next > end,
        Some(b'/') => next > end && t.get(next + 1) == Some(&b'/'),
        Some(b'"' | b'\'' | b'`') => next == end,
        _ => false,
    };
    let place = match found.how {
        Join::Option => Place::Option,
        Join::Link => Place::Prose,
        Join::Tight if found.equals && label.upper => Place::Env,
        Join::Tight if found.equals && matches!(t.get(end), Some(b',' | b')')) => Place::Inline,
        Join::Tight if found.equals || to_line_end || !label.bare_word => Place::Tight,
        Join::Tight => Place::Inline,
        _ if to_line_end && found.equals => Place::Assigned,
        _ if to_line_end => Place::Line,
        _ => Place::Inline,
    };
    let mut end = end;
    if matches!(place, Place::Inline | Place::Prose | Place::Line) {
        while end > at && matches!(t[end - 1], b'.' | b',' | b';' | b':' | b'*') {
            end -= 1;
        }
    }
    // A single quote opened inside a bare word, or words of prose in brackets.
    Some(Value { start: at, end, place, open })
}

/// Behind prefixes of string literals and the constructors of secret types.
fn wrapped(t: &[u8], at: usize) -> usize {
    if has(t, at, b"\"\"\"") || has(t, at, b"'''") {
        return at + 2;
    }
    if t.get(at) == Some(&b'[') && loose(t, at + 1).is_some() && Quoting::at(t, at + 1).is_some() {
        return at + 1;
    }
    let name = run(t, at, ALPHA, 13);
    match &t[at..name] {
        b"b" | b"r" | b"u" | b"f" | b"br" | b"rb" | b"B" | b"R" | b"L" | b"N"
            if Quoting::at(t, name).is_some() =>
        {
            name
        }
        b"SecretStr" | b"Secret" | b"SecretString" | b"Some" | b"SecretBytes"
            if t.get(name) == Some(&b'(') && Quoting::at(t, name + 1).is_some() =>
        {
            name + 1
        }
        b"" if t.get(at) == Some(&b'@') && Quoting::at(t, at + 1).is_some() => at + 1,
        _ => at,
    }
}

/// The end of a value without quotes.
pub(super) fn bare_end(t: &[u8], at: usize) -> usize {
    let limit = t.len().min(at + LOOK);
    let mut open = 0i32;
    let mut end = at;
    while end < limit {
        let byte = t[end];
        let next = t.get(end + 1).copied();
        match byte {
            _ if is(byte, WHITE | QUOTE) => break,
            b'<' if end > at => break,
            b'>' if end > at && t[at] == b'<' => return end + 1,
            b'>' if end > at => break,
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => {
                if open == 0
                    && next.is_none_or(|b| {
                        is(b, WHITE | QUOTE)
                            || matches!(b, b';' | b',' | b')' | b']' | b'}' | b'.' | b':' | b'|' | b'&')
                    })
                {
                    break;
                }
                open -= i32::from(open > 0);
            }
            b';' | b',' | b'&' | b'|' if end > at => {
                let ends = match next {
                    None => true,
                    Some(b) if is(b, WHITE | QUOTE) || b == byte || b == b'\\' => true,
                    Some(b) if is(b, ALPHA) || b >= 0x80 => {
                        let mut name = run(t, end + 1, WORD | DOT | BLANK, 32);
                        if has(t, end, b"&amp;") {
                            name = end + 4;
                        }
                        matches!(t.get(name), Some(b'=' | b':' | b';'))
                    }
                    _ => false,
                };
                if ends {
                    break;
                }
            }
            b'\\' => {
                if matches!(next, Some(b'n' | b'r' | b't' | b'"' | b'\'' | b'\\') | None) {
                    break;
                }
            }
            0xef if matches!(t.get(end + 1), Some(0xbc | 0xbd)) => break,
            0xe3..=0xed => break,
            _ => {}
        }
        end += 1;
    }
    while end > at && end < t.len() && t[end] & 0xc0 == 0x80 {
        end -= 1;
    }
    end
}

/// The end of a value that goes on behind what was looked at.
pub(super) fn end_of_open(t: &[u8], at: usize, place: Place) -> usize {
    let mut end = at;
    let quoted = place == Place::Quoted;
    while end < t.len()
        && !matches!(t[end], b'\n' | b'\r' | b'"' | b'\'' | b'`')
        && (quoted || !is(t[end], BLANK))
    {
        end += 1;
    }
    end
}

/// The end of credentials: letters, digits and the marks tokens have.
pub(super) fn credentials_end(t: &[u8], at: usize) -> usize {
    let mut end = at;
    while end < t.len()
        && (is(t[end], WORD | DOT)
            || matches!(t[end], b'+' | b'/' | b'=' | b'~' | b':' | b'%' | b'!' | b'|' | b'$' | b'@' | b'#'))
    {
        end += 1;
    }
    while end > at && matches!(t[end - 1], b'.' | b':' | b'!') {
        end -= 1;
    }
    end
}

/// The end of the line, also of an escaped one, or of the quotes around it.
pub(super) fn line_end(t: &[u8], at: usize) -> usize {
    let mut end = at;
    while end < t.len() && !matches!(t[end], b'\n' | b'\r' | b'\\' | b'`') {
        if matches!(t[end], b'"' | b'\'')
            && !(end > at && t[end - 1] == b'=')
            && t[at..end].iter().filter(|&&b| b == t[end]).take(64).count() % 2 == 0
        {
            break;
        }
        if end - at > 16 * 1024 {
            break;
        }
        end += 1;
    }
    end
}

/// The schemes of the `Authorization` header.
pub(super) fn is_scheme(name: &[u8]) -> bool {
    let schemes: &[&[u8]] = &[
        b"bearer",
        b"basic",
        b"token",
        b"digest",
        b"negotiate",
        b"ntlm",
        b"apikey",
        b"api-key",
        b"bot",
        b"key",
        b"hawk",
        b"splunk",
        b"aws4-hmac-sha256",
        b"sso-key",
        b"genie",
        b"genie-key",
        b"oauth",
        b"dpop",
        b"sharedaccesssignature",
        b"sharedkey",
        b"ghost",
        b"klaviyo-api-key",
    ];
    schemes.iter().any(|s| name.eq_ignore_ascii_case(s))
}

/// Whether what follows a scheme is a literal.
pub(super) fn is_credentials(v: &[u8]) -> bool {
    let label = password_label();
    v.len() >= 6 && judge::is_secret(&label, v, Place::Option) && !v.starts_with(b"$") && !words_of_prose(v)
}

fn words_of_prose(v: &[u8]) -> bool {
    let lower = v.iter().all(|&b| is(b, LOWER | DASH | UNDER));
    let upper = v.iter().all(|&b| is(b, UPPER | UNDER));
    lower && v.len() < 24 || upper && v.len() < 32
}

/// Whether a word after `Bearer` is a token.
pub(super) fn is_bearer(v: &[u8]) -> bool {
    let digits = v.iter().filter(|&&b| is(b, DIGIT)).count();
    let letters = v.iter().filter(|&&b| is(b, ALPHA)).count();
    v.len() >= 10
        && letters > 0
        && (digits > 0 || v.len() >= 20 && v.iter().any(|&b| is(b, UPPER)) && v.iter().any(|&b| is(b, LOWER)))
        && is_credentials(v)
        && judge::is_secret(&Label { strength: Strength::Medium, ..password_label() }, v, Place::Option)
}

/// Whether a word after `Basic` is base 64 of a pair.
pub(super) fn is_basic(v: &[u8]) -> bool {
    let any = |class| v.iter().any(|&b| is(b, class));
    v.len() >= 8
        && v.len().is_multiple_of(4)
        && any(UPPER)
        && any(LOWER)
        && (any(DIGIT) || v.ends_with(b"="))
        && tokens::varied(v)
}

/// Whether a header's value has a cookie with a value worth hiding.
pub(super) fn has_cookie(v: &[u8]) -> bool {
    v.split(|&b| b == b';').any(|pair| {
        let pair = pair.trim_ascii();
        let Some(equals) = pair.iter().position(|&b| b == b'=') else { return false };
        let (name, value) = (&pair[..equals], &pair[equals + 1..]);
        let attribute = [&b"path"[..], b"domain", b"max-age", b"expires", b"samesite", b"priority"]
            .iter()
            .any(|a| name.eq_ignore_ascii_case(a));
        !name.is_empty()
            && !attribute
            && name.iter().all(|&b| is(b, WORD | DOT) || b == b'%')
            && value.len() >= 3
            && !matches!(value, b"value" | b"...")
            && !matches!(value[0], b'$' | b'<' | b'{' | b'[' | b'(')
            && value.iter().all(|&b| b > 0x20 && b < 0x7f)
    })
}

/// Whether the password of a URL is a literal.
pub(super) fn is_url_password(v: &[u8]) -> bool {
    !v.is_empty()
        && !v.contains(&b'{')
        && !matches!(v, b"PASSWORD" | b"PASS" | b"PWD" | b"TOKEN")
        && judge::is_argument(&[b"_", v].concat())
        && judge::is_argument(v.strip_prefix(b"-").unwrap_or(v))
        && !(v[0] == b'$'
            && v.len() > 1
            && v[1..].iter().all(|&b| is(b, ALNUM | UNDER))
            && !v[1..].iter().any(|&b| is(b, LOWER)))
}
