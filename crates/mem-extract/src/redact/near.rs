//! Values that words of prose part from their label: `the password for the database is X`.

use super::bytes::{ALNUM, BLANK, DASH, DOT, QUOTE, UNDER, WHITE, has, is, is_at, run};
use super::judge;
use super::value::{Found, Quoting, bare_end};

/// What begins at a place when it is shaped like a password.
pub(super) fn loose(t: &[u8], at: usize) -> Option<Found> {
    let (from, mut end) = match Quoting::at(t, at) {
        Some(quoting) => (quoting.content, quoting.close(t, 512).0),
        None => (at, bare_end(t, at)),
    };
    while end > from && matches!(t[end - 1], b'.' | b',' | b';' | b':' | b'*' | b'?') {
        end -= 1;
    }
    (end > from && judge::is_loose(&t[from..end])).then_some(Found::linked(at))
}

/// The value behind words of prose: `for the staging database is X`, `was changed to X`, `(prod): X`.
pub(super) fn across(t: &[u8], at: usize) -> Option<Found> {
    let limit = t.len().min(at + 96);
    let mut at = run(t, at, BLANK, 8);
    if t.get(at) == Some(&b'(') {
        let close = at + memchr::memchr(b')', &t[at..limit])?;
        at = run(t, close + 1, BLANK, 4);
        if matches!(t.get(at), Some(b':' | b'=')) {
            return loose(t, run(t, at + 1, BLANK, 8));
        }
    }
    let mut room = 0;
    let mut linked = false;
    for _ in 0..10 {
        if at >= limit {
            return None;
        }
        for mark in [
            &b"-> "[..],
            b"=> ",
            b"- ",
            "– ".as_bytes(),
            "— ".as_bytes(),
            "→ ".as_bytes(),
            b": ",
            b"= ",
            b"/ ",
        ] {
            if has(t, at, mark) {
                return loose(t, run(t, at + mark.len(), BLANK, 8))
                    .or_else(|| pair(t, run(t, at + mark.len(), BLANK, 8)));
            }
        }
        let mut end = at;
        while end < limit && !is(t[end], WHITE | QUOTE) && !matches!(t[end], b':' | b'=' | b',' | b';' | b'(')
        {
            end += 1;
        }
        let word = &t[at..end];
        let any = |list: &[&str]| list.iter().any(|w| word.eq_ignore_ascii_case(w.as_bytes()));
        let link = any(&[
            "is",
            "are",
            "was",
            "be",
            "been",
            "to",
            "es",
            "son",
            "ist",
            "lautet",
            "war",
            "est",
            "é",
            "è",
            "sono",
            "jest",
            "это",
            "är",
            "now",
            "set",
            "changed",
            "reset",
            "updated",
            "has",
            "have",
            "will",
            "becomes",
            "ahora",
            "jetzt",
            "still",
            "currently",
            "generated",
            "rotated",
        ]);
        if link {
            linked = true;
        } else if any(&[
            "for", "of", "on", "in", "from", "at", "user", "the", "my", "our", "a", "del", "de", "da", "do",
            "du", "la", "le", "el", "des", "di", "für", "der", "die", "das", "den", "von", "vom", "zu",
            "zum", "от", "для", "к", "API", "d'accès", "your",
        ]) {
            room = 3;
            linked = false;
        } else if linked {
            return loose(t, at).or_else(|| pair(t, at));
        } else if room > 0 {
            room -= 1;
        } else {
            return None;
        }
        if matches!(t.get(end), Some(b':' | b'=')) && is_at(t, end + 1, BLANK) {
            let value = run(t, end + 1, BLANK, 8);
            return loose(t, value).or_else(|| pair(t, value));
        }
        if is_at(t, end, QUOTE) && end == at {
            return if linked { loose(t, at) } else { None };
        }
        let next = run(t, end, BLANK, 8);
        if next == end {
            return None;
        }
        at = next;
    }
    None
}

/// `bob / X`: a user's name, and behind it a password.
fn pair(t: &[u8], at: usize) -> Option<Found> {
    let end = run(t, at, ALNUM | UNDER | DASH | DOT, 40);
    if end > at && has(t, end, b" / ") {
        return loose(t, end + 3);
    }
    if end > at && t.get(end) == Some(&b':') {
        return loose(t, end + 1);
    }
    None
}

/// Behind characters of another script, the first run of ASCII: `密码改成了 X`, `パスワードは「X」です`.
pub(super) fn behind_script(t: &[u8], at: usize) -> Option<Found> {
    let limit = t.len().min(at + 60);
    let mut to = at;
    while to < limit {
        let sentence =
            has(t, to, "。".as_bytes()) || has(t, to, "，".as_bytes()) || has(t, to, "；".as_bytes());
        if sentence || is(t[to], WHITE & !BLANK) && !is(t[to], BLANK) {
            return None;
        }
        if t[to] < 0x80 && !is(t[to], BLANK) && t[to] != b':' {
            break;
        }
        to += 1;
    }
    if to == at || to >= limit {
        return None;
    }
    loose(t, to)
}
