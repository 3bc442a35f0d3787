//! Whether a value is a literal secret, or a type, a reference, a placeholder, a word of prose.

use super::bytes::{
    ALNUM, ALPHA, DASH, DIGIT, DOT, HEX, LOWER, QUOTE, UNDER, UPPER, has_ignore_case, is, run,
};
use super::labels::{Form, Label, Strength};
use super::stand_in::{is_keyword, is_placeholder, is_reference, prose};

/// Where a value stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A string of JSON under its key.
    Json,
    /// Between quotes, after `:`, `=` or the like.
    Quoted,
    /// `NAME=value` without blanks, the name in capitals or exported.
    Env,
    /// `name=value` without blanks.
    Tight,
    /// After `:` and a blank, to the end of the line.
    Line,
    /// After `=` and a blank, to the end of the line.
    Assigned,
    /// After `:` or `=`, with more behind it on the line.
    Inline,
    /// After a word such as `is`.
    Prose,
    /// The argument of an option.
    Option,
}

struct Shape {
    len: usize,
    digits: usize,
    upper: usize,
    lower: usize,
    dots: usize,
    /// `-` and `_`.
    joints: usize,
    blanks: usize,
    wide: usize,
    special: usize,
    distinct: u32,
    /// Changes between capitals, small letters and digits.
    turns: usize,
}

impl Shape {
    fn of(v: &[u8]) -> Self {
        let mut s = Self {
            len: v.len(),
            digits: 0,
            upper: 0,
            lower: 0,
            dots: 0,
            joints: 0,
            blanks: 0,
            wide: 0,
            special: 0,
            distinct: 0,
            turns: 0,
        };
        let mut seen = 0u128;
        let mut last = 0;
        for &b in v.iter().take(512) {
            seen |= 1 << (b & 127);
            let class = if is(b, DIGIT) {
                s.digits += 1;
                1
            } else if is(b, UPPER) {
                s.upper += 1;
                2
            } else if is(b, LOWER) {
                s.lower += 1;
                3
            } else {
                match b {
                    b'.' => s.dots += 1,
                    b'-' | b'_' => s.joints += 1,
                    b' ' | b'\t' => s.blanks += 1,
                    0x80.. => s.wide += 1,
                    _ => s.special += 1,
                }
                0
            };
            // A capital that begins a word is no turn of its own.
            if class != last && last != 0 && class != 0 && !(last == 2 && class == 3) {
                s.turns += 1;
            }
            last = class;
        }
        s.distinct = seen.count_ones();
        s
    }

    fn letters(&self) -> usize {
        self.upper + self.lower
    }
}

/// Whether the value of a label is a secret.
pub(super) fn is_secret(label: &Label, v: &[u8], place: Place) -> bool {
    // The beginning of a long value tells as much as the whole, in bounded time.
    let v = &v[..v.len().min(1024)];
    if v.is_empty() || is_reference(v, place) || is_placeholder(v) || is_keyword(v, place) {
        return false;
    }
    if label.form == Form::Words && mnemonic_end(v, 0) == Some(v.len()) {
        return true;
    }
    let s = Shape::of(v);
    if s.wide > 0 && s.digits == 0 && s.wide * 2 > s.len {
        return false;
    }
    if is_path(v, &s) && (label.maybe_path || label.strength < Strength::Strong || wordy(v)) {
        return false;
    }
    if has_scheme(v) {
        return false;
    }
    if label.form == Form::Digits && s.digits == s.len {
        return (4..=12).contains(&s.len);
    }
    match label.strength {
        Strength::Weak => random_looking(v, &s) && (!is_sum(v) || label.upper && is_hex_key(v, place)),
        Strength::Medium => medium(v, &s, place, label),
        Strength::Firm => firm(v, &s, place, label),
        Strength::Strong => strong(v, &s, place, label),
    }
}

/// The end of a seed phrase that begins at a place: twelve lower-case words and more (BIP 39 has 3 to 8 letters).
pub(super) fn mnemonic_end(t: &[u8], at: usize) -> Option<usize> {
    let (mut to, mut end, mut words) = (at, at, 0);
    loop {
        let letters = t[to..].iter().take(9).take_while(|byte| byte.is_ascii_lowercase()).count();
        if !(3..=8).contains(&letters) {
            break;
        }
        to += letters;
        end = to;
        words += 1;
        match t.get(to) {
            Some(b' ') if words < 24 => to += 1,
            _ => break,
        }
    }
    (words >= 12).then_some(end)
}

fn strong(v: &[u8], s: &Shape, place: Place, label: &Label) -> bool {
    if s.blanks > 0 && (prose(v) || s.blanks == 1 && s.digits == 0 && s.special == 0 && s.upper > 0) {
        return false;
    }
    let mixed = s.digits > 0 && s.letters() > 0 || s.special > 0;
    let plain_number = s.digits == s.len || is_number(v);
    match place {
        Place::Json => true,
        Place::Quoted => s.len >= 2 && !(s.len < 4 && s.special > 0),
        Place::Env => s.len >= 3 || s.len >= 1 && !label.maybe_path && !plain_number && label.upper,
        Place::Option => s.len >= 3,
        Place::Tight => {
            s.len >= 3
                && (mixed || plain_number && s.len >= 4 || !names_label(v) && s.joints == 0 && !camel(v))
                && !(is_name(v) && names_label(v) && s.digits == 0)
        }
        Place::Line => {
            s.len >= 3
                && (mixed
                    || plain_number && s.len >= 4
                    || !names_label(v) && !camel(v) && matches!(s.joints, 0 | 3..) && s.upper == 0)
        }
        Place::Assigned => {
            long_word(v, s)
                || s.len >= 4 && mixed && !(is_name(v) && names_label(v) && s.digits < 3)
                || plain_number && s.len >= 4
        }
        Place::Inline | Place::Prose => {
            (is_unmistakable(v)
                || mixed && s.len >= 5 && !wordy(v)
                || plain_number && (4..=20).contains(&s.len) && place == Place::Inline)
                && !(is_name(v) && names_label(v) && s.turns < 3 && s.digits < 2)
        }
    }
}

fn firm(v: &[u8], s: &Shape, place: Place, label: &Label) -> bool {
    if medium(v, s, place, label) {
        return true;
    }
    if matches!(place, Place::Tight | Place::Line | Place::Assigned) && long_word(v, s) {
        return true;
    }
    matches!(place, Place::Json | Place::Quoted | Place::Env | Place::Option)
        && s.len >= 8
        && s.blanks == 0
        && s.wide == 0
        && s.letters() > 0
        && s.joints + s.dots == 0
        && !(place == Place::Quoted && names_label(v))
        && !camel(v)
}

fn medium(v: &[u8], s: &Shape, place: Place, label: &Label) -> bool {
    let config = matches!(place, Place::Json | Place::Quoted | Place::Env | Place::Option | Place::Line);
    if s.digits == s.len {
        let firm = label.strength >= Strength::Firm && place != Place::Prose;
        return s.len >= 16 || (6..=20).contains(&s.len) && (firm || config && label.upper);
    }
    if s.blanks > 0 || s.len < 6 || v.starts_with(b"id=") || is_number(v) {
        return false;
    }
    if place == Place::Env && label.upper && s.len >= 8 && (s.digits != s.len) && !algorithm(v) {
        return true;
    }
    if random_looking(v, s) {
        return true;
    }
    if algorithm(v) || wordy(v) || is_uuid_like_name(v) {
        return false;
    }
    if dotted_name(v) {
        return false;
    }
    let needed = if matches!(place, Place::Prose | Place::Inline | Place::Assigned) { 10 } else { 7 };
    if s.len < needed {
        return false;
    }
    if matches!(place, Place::Assigned | Place::Inline)
        && s.turns < 4
        && s.digits < 3
        && is_name(v)
        && names_label(v)
    {
        return false;
    }
    if s.digits > 0 && s.letters() > 0 {
        // `version2` is a word, `ab12cd34` is not.
        return s.turns >= 2 || s.digits >= 3 || s.special > 0 || config && s.digits >= 2 && s.len >= 10;
    }
    // Letters alone, as long as no word is, or with capitals where no word has them.
    if config && s.letters() == s.len && s.len >= 16 && (s.upper == 0 || s.turns >= 3) && !camel(v) {
        return true;
    }
    s.special > 0
        && s.letters() >= 4
        && s.special * 2 < s.len
        && !v.iter().any(|b| matches!(b, b'(' | b'[' | b'<' | b'{' | b'|' | b'*'))
}

/// At least 20 characters of an alphabet of keys that change class or letter more often than words do.
fn random_looking(v: &[u8], s: &Shape) -> bool {
    if s.len < 20 || s.blanks > 0 || s.wide > 0 || s.letters() == 0 {
        return false;
    }
    let alphabet = v.iter().all(|&b| {
        is(b, ALNUM | UNDER | DASH | DOT)
            || matches!(
                b,
                b'+' | b'/' | b'=' | b'~' | b'%' | b'!' | b'@' | b'#' | b'$' | b'^' | b'&' | b'*' | b':'
            )
    });
    if !alphabet || s.distinct < 10 || wordy(v) {
        return false;
    }
    let seen = s.len.min(512);
    if s.digits >= 2 {
        return s.turns * 5 >= seen || s.digits * 8 >= seen && s.turns >= 3;
    }
    // Letters alone: capitals and small letters without the order of camel case.
    s.upper >= 4 && s.lower >= 4 && s.turns * 5 >= seen && s.joints + s.dots == 0
}

/// Small letters alone, longer than most words of program text.
fn long_word(v: &[u8], s: &Shape) -> bool {
    s.len >= 12 && s.lower == s.len && !names_label(v) && s.distinct >= 6
}

/// A key in hexadecimal digits, of the lengths ciphers use.
fn is_hex_key(v: &[u8], place: Place) -> bool {
    matches!(v.len(), 32 | 48 | 64 | 128)
        && matches!(place, Place::Env | Place::Quoted | Place::Json | Place::Option | Place::Line)
        && v.iter().all(|&b| is(b, HEX))
}

/// Whether a word near a label, with words of prose between, is shaped like a password: letters with digits or marks.
pub(super) fn is_loose(v: &[u8]) -> bool {
    let v = &v[..v.len().min(512)];
    let s = Shape::of(v);
    if s.len < 5
        || s.blanks > 0
        || s.wide > 0
        || s.letters() == 0
        || algorithm(v)
        || wordy(v)
        || dotted_name(v)
    {
        return false;
    }
    if is_path(v, &s) || has_scheme(v) || is_reference(v, Place::Prose) || is_placeholder(v) {
        return false;
    }
    // `30min`, `2048bit`, `v1.2.3`, `#123`, `it's`
    let number = run(v, 0, DIGIT | DOT, usize::MAX);
    if number > 0 && v.len() - number <= 4 && run(v, number, ALPHA, 8) == v.len() {
        return false;
    }
    let version = v[0] == b'v' && v[1..].iter().all(|&b| is(b, DIGIT | DOT | DASH));
    if version
        || !is(v[0], ALNUM) && s.digits == 0
        || v.iter().any(|b| matches!(b, b'(' | b'[' | b'<' | b'{' | b'|'))
    {
        return false;
    }
    if s.digits > 0 {
        return (s.lower > 0 || s.len >= 12)
            && !(is_name(v) && names_label(v) && s.digits < 2)
            && (s.digits >= 2 || s.turns >= 2 || s.special > 0 || s.upper > 0);
    }
    s.special > 0
        && s.len >= 8
        && s.upper > 0
        && s.lower > 0
        && v.iter().any(|b| matches!(b, b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&'))
        || s.len >= 20 && random_looking(v, &s)
}

/// Sums, commit ids, UUIDs, integrity values.
fn is_sum(v: &[u8]) -> bool {
    let hex = v.iter().all(|&b| is(b, HEX));
    if hex && matches!(v.len(), 20 | 24 | 32 | 40 | 48 | 56 | 64 | 96 | 128) {
        return true;
    }
    if v.len() == 36 && v.iter().all(|&b| is(b, HEX | DASH)) {
        return true;
    }
    [&b"sha1-"[..], b"sha256-", b"sha384-", b"sha512-", b"sha256:", b"sha512:", b"md5-", b"md5:"]
        .iter()
        .any(|p| has_ignore_case(v, 0, p))
        || v.iter().filter(|&&b| b == b'/' || b == b':').count() >= 2
}

fn is_uuid_like_name(v: &[u8]) -> bool {
    v.starts_with(b"sha256-") || v.starts_with(b"sha512-") || v.starts_with(b"sha384-")
}

/// Words joined by `-`, `_`, `.` or `/`, each of letters with at most two digits after them, or a short number.
fn wordy(v: &[u8]) -> bool {
    let mut parts = 0;
    let mut long = 0;
    let mut mixed = 0;
    for part in v.split(|&b| is(b, DASH | UNDER | DOT) || matches!(b, b'/' | b'\\' | b':' | b'@')) {
        if part.is_empty() {
            continue;
        }
        parts += 1;
        let letters = run(part, 0, ALPHA, usize::MAX);
        let digits = part.len() - letters;
        let number = letters == 0 && part.iter().all(|&b| is(b, DIGIT)) && part.len() <= 4;
        let short_mix = part.len() <= 4 && part.iter().all(|&b| is(b, ALNUM));
        mixed += usize::from(part.len() >= 4 && digits > 0 && digits < part.len());
        let word = letters > 0
            && digits <= 2
            && part[letters..].iter().all(|&b| is(b, DIGIT))
            && !mixed_case(&part[..letters])
            && letters <= 24;
        if !(number || word || short_mix && !part.iter().any(|&b| is(b, UPPER))) {
            return false;
        }
        long = long.max(letters);
    }
    parts >= 2 && long >= 3 && !(mixed >= 3 && mixed * 4 >= parts * 3)
}

/// Capitals inside that are neither all letters nor the beginnings of words of three letters and more.
fn mixed_case(letters: &[u8]) -> bool {
    let upper = letters.iter().filter(|&&b| is(b, UPPER)).count();
    upper > 0 && upper < letters.len() && !camel_words(letters)
}

fn camel_words(letters: &[u8]) -> bool {
    let mut at = 0;
    while at < letters.len() {
        let head = run(letters, at, UPPER, usize::MAX);
        let end = run(letters, head, LOWER, usize::MAX);
        if end - at < 3 && !(at == 0 && end - at >= 2) {
            return false;
        }
        if end == at {
            return false;
        }
        at = end;
    }
    true
}

/// `userPassword`, `getToken`: a name of several words in camel case without digits.
fn camel(v: &[u8]) -> bool {
    v.iter().all(|&b| is(b, ALPHA))
        && v.iter().any(|&b| is(b, LOWER))
        && v.iter().skip(1).any(|&b| is(b, UPPER))
        && camel_words(v)
}

/// A name of program text: letters, digits and `_`, not beginning with a digit.
fn is_name(v: &[u8]) -> bool {
    v.first().is_some_and(|&b| is(b, ALPHA | UNDER)) && v.iter().all(|&b| is(b, ALNUM | UNDER))
}

fn dotted_name(v: &[u8]) -> bool {
    v.contains(&b'.') && v.split(|&b| b == b'.').all(|part| is_name(part) && !mixed_case_digits(part))
}

fn mixed_case_digits(part: &[u8]) -> bool {
    let s = Shape::of(part);
    s.digits >= 3 && s.turns >= 3
}

fn names_label(v: &[u8]) -> bool {
    let lower: Vec<u8> = v.iter().take(64).map(u8::to_ascii_lowercase).collect();
    ["pass", "pwd", "token", "secret", "key", "cred", "auth", "senha", "clave", "input", "value"]
        .iter()
        .any(|w| memchr::memmem::find(&lower, w.as_bytes()).is_some())
}

fn is_number(v: &[u8]) -> bool {
    !v.is_empty()
        && v.iter().all(|&b| is(b, DIGIT | DOT) || matches!(b, b'_' | b',' | b'-' | b'+' | b'%'))
        && v.iter().any(|&b| is(b, DIGIT))
}

/// Names of algorithms and schemes that have digits.
fn algorithm(v: &[u8]) -> bool {
    let list: &[&[u8]] = &[
        b"sha1",
        b"sha256",
        b"sha384",
        b"sha512",
        b"md5",
        b"hs256",
        b"hs384",
        b"hs512",
        b"rs256",
        b"rs384",
        b"rs512",
        b"es256",
        b"es384",
        b"ed25519",
        b"argon2",
        b"argon2i",
        b"argon2id",
        b"pbkdf2",
        b"bcrypt",
        b"oauth2",
        b"base64",
        b"base64url",
        b"aes256",
        b"aes-256-gcm",
        b"rsa2048",
        b"rsa4096",
        b"x509",
        b"http2",
        b"utf8",
        b"p256",
        b"secp256k1",
        b"uuid4",
    ];
    list.iter().any(|w| v.eq_ignore_ascii_case(w))
}

fn is_path(v: &[u8], s: &Shape) -> bool {
    if s.blanks > 3 {
        return false;
    }
    match v {
        [b'/', b, ..] => {
            (is(*b, ALPHA | DOT | UNDER))
                && (v.len() < 20 || v[1..].contains(&b'/'))
                && v.iter().all(|&b| {
                    is(b, ALNUM | UNDER | DASH | DOT) || matches!(b, b'/' | b'~' | b' ' | b'@') || b >= 0x80
                })
        }
        [b'.', b'/' | b'\\', ..] | [b'.', b'.', b'/' | b'\\', ..] | [b'~', b'/', ..] => true,
        [d, b':', b'\\' | b'/', ..] => is(*d, ALPHA),
        [b'\\', b'\\', ..] => true,
        _ => {
            // `config/secrets/app.json`
            v.contains(&b'/')
                && v.rsplit(|&b| b == b'/').next().is_some_and(|last| last.contains(&b'.'))
                && wordy(v)
        }
    }
}

fn has_scheme(v: &[u8]) -> bool {
    let end = run(v, 0, ALNUM, 16);
    end >= 2 && v.get(end..end + 3) == Some(b"://")
}

/// Whether a word right behind a label, with nothing but a blank between, can only be a password: at least 8 characters
/// with small letters, digits, and capitals or other marks.
pub(super) fn is_unmistakable(v: &[u8]) -> bool {
    let s = Shape::of(v);
    let marks = v.iter().any(|b| matches!(b, b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*'));
    s.len >= 8 && s.wide == 0 && s.lower > 0 && s.digits > 0 && s.upper > 0 && marks && is(v[0], ALNUM)
}

/// A card number: 13 to 19 digits in groups that pass Luhn's check (ISO/IEC 7812-1).
pub(super) fn is_card(v: &[u8]) -> bool {
    let digits: Vec<u32> = v.iter().filter(|&&b| is(b, DIGIT)).map(|&b| u32::from(b - b'0')).collect();
    if !(13..=19).contains(&digits.len()) || !v.iter().all(|&b| is(b, DIGIT | DASH) || b == b' ') {
        return false;
    }
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(n, &d)| if n % 2 == 1 { if d > 4 { d * 2 - 9 } else { d * 2 } } else { d })
        .sum();
    sum.is_multiple_of(10) && digits.iter().any(|&d| d != digits[0])
}

/// Whether a value taken on its own looks like a key: for user names in URLs and option arguments.
pub(super) fn is_random(v: &[u8]) -> bool {
    random_looking(v, &Shape::of(v)) && !is_sum(v)
}

/// Whether an argument can be a password at all: no option, no path, no number of a port, no mapping.
pub(super) fn is_argument(v: &[u8]) -> bool {
    !v.is_empty() && v[0] != b'-' && !is(v[0], QUOTE) && !is_reference(v, Place::Option) && !is_placeholder(v)
}
