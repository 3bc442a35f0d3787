//! Identifiers, paths, dotted names, addresses, versions and hashes.
//!
//! A run of letters, digits and connectors comes in; whole tokens and parts go out, at one position a compound.

use super::{
    Sink, TokenKind, Unit,
    chars::{Class, fold_into},
};

/// Longer runs are taken apart at their connectors without being tokens themselves.
const MAX_COMPOUND: usize = 256;
/// At most so many humps of one camel.
const MAX_HUMPS: usize = 16;
/// Longer chains of `-`, `_` or `.` are not one name.
const MAX_CHAIN: usize = 8;
/// Git's shortest abbreviation of a hash.
const SHORT_HASH: usize = 7;

pub(super) fn split(run: &[Unit], out: &mut Sink) {
    for piece in hard_pieces(run) {
        if out.full {
            return;
        }
        let piece = trim(piece);
        if piece.is_empty() {
            continue;
        }
        if piece.len() > MAX_COMPOUND {
            for atom in piece.split(is_joint).filter(|atom| !atom.is_empty()) {
                word(atom, TokenKind::Word, out);
                out.position += 1;
                if out.full {
                    return;
                }
            }
            continue;
        }
        compound(piece, out);
        out.position += 1;
    }
}

/// Cuts at what never joins: a single `:` that is no drive's, `~`, `$`, and `#` or `+` but for `C#` and `C++`.
fn hard_pieces(run: &[Unit]) -> Vec<&[Unit]> {
    let at = |index: usize| run.get(index).map(|unit| unit.ch);
    let mut pieces = Vec::new();
    let (mut from, mut index) = (0, 0);
    while let Some(ch) = at(index) {
        let width = match ch {
            ':' if at(index + 1) == Some(':') => {
                index += 2;
                continue;
            }
            ':' if at(index + 1) == Some('/') && at(index + 2) == Some('/') => {
                from = index + 3;
                index = from;
                continue;
            }
            ':' if index == from + 1 && matches!(at(index + 1), Some('/' | '\\')) => {
                index += 1;
                continue;
            }
            ':' | '~' | '$' => 1,
            '#' | '+' => {
                let sharp = run[index..].iter().take_while(|unit| unit.ch == ch).count();
                let letters = index - from;
                let ends = run.get(index + sharp).is_none_or(|unit| unit.class != Class::Alnum);
                let wanted = if ch == '#' { sharp == 1 } else { sharp == 2 };
                if ends && wanted && (1..=2).contains(&letters) && run[from..index].iter().all(is_letter) {
                    pieces.push(&run[from..index + sharp]);
                    from = index + sharp;
                    index = from;
                    continue;
                }
                sharp
            }
            _ => {
                index += 1;
                continue;
            }
        };
        pieces.push(&run[from..index]);
        from = index + width;
        index = from;
    }
    if let Some(last) = run.get(from..) {
        pieces.push(last);
    }
    pieces
}

fn is_letter(unit: &Unit) -> bool {
    unit.class == Class::Alnum && !unit.ch.is_numeric()
}

fn is_joint(unit: &Unit) -> bool {
    unit.class == Class::Connector
}

/// Without connectors at both ends, but for the signs of `C++` and `C#`.
fn trim(piece: &[Unit]) -> &[Unit] {
    let sign = |unit: &Unit| matches!(unit.ch, '#' | '+');
    let from = piece.iter().position(|unit| !is_joint(unit)).unwrap_or(piece.len());
    let to = piece.iter().rposition(|unit| !is_joint(unit) || sign(unit)).map_or(from, |last| last + 1);
    piece.get(from..to).unwrap_or_default()
}

fn compound(piece: &[Unit], out: &mut Sink) {
    if piece.last().is_some_and(|unit| matches!(unit.ch, '#' | '+')) {
        out.push(piece, TokenKind::Whole, false);
        return;
    }
    if let Some(at) = piece.iter().position(|unit| unit.ch == '@') {
        let (name, host) = (&piece[..at], &piece[at + 1..]);
        if !name.is_empty()
            && host.iter().any(|unit| unit.ch == '.')
            && !host.iter().any(|unit| unit.ch == '@')
        {
            out.push(piece, TokenKind::Whole, false);
        }
        for side in piece.split(|unit| unit.ch == '@') {
            path(trim(side), TokenKind::Part, out);
        }
        return;
    }
    path(piece, TokenKind::Word, out);
}

/// `a/b/c.rs`, `a\b`, `a::b`: itself, its last two, and each component.
fn path(piece: &[Unit], kind: TokenKind, out: &mut Sink) {
    let mut components: Vec<&[Unit]> = Vec::new();
    for part in piece.split(|unit| matches!(unit.ch, '/' | '\\' | ':')) {
        let part = trim(part);
        if !part.is_empty() {
            components.push(part);
        }
    }
    let [first, .., last] = components.as_slice() else {
        if let Some(only) = components.first() {
            dotted(only, kind, out);
        }
        return;
    };
    let module =
        piece.iter().any(|unit| unit.ch == ':') && !piece.iter().any(|unit| matches!(unit.ch, '/' | '\\'));
    let separator = if module { "::" } else { "/" };
    let join = |parts: &[&[Unit]]| parts.iter().map(|part| folded(part)).collect::<Vec<_>>().join(separator);
    let span = first.first().zip(last.last()).map(|(first, last)| (first.start, last.end));
    out.push_text(join(&components), TokenKind::Whole, span, false);
    if let [.., parent, name] = components.as_slice()
        && components.len() > 2
    {
        let span = parent.first().zip(name.last()).map(|(first, last)| (first.start, last.end));
        out.push_text(join(&[parent, name]), TokenKind::Part, span, false);
    }
    for component in &components {
        dotted(component, TokenKind::Part, out);
    }
}

fn folded(units: &[Unit]) -> String {
    let mut text = String::with_capacity(units.len());
    for unit in units {
        fold_into(unit.ch, &mut text);
    }
    text
}

/// `mod.rs`, `v1.2.3`, `node.js`: itself and its pieces; a version its shorter forms.
fn dotted(piece: &[Unit], kind: TokenKind, out: &mut Sink) {
    let pieces: Vec<&[Unit]> =
        piece.split(|unit| unit.ch == '.').map(trim).filter(|part| !part.is_empty()).collect();
    if pieces.len() < 2 {
        if let Some(only) = pieces.first() {
            name(only, kind, out);
        }
        return;
    }
    let whole = if kind == TokenKind::Word { TokenKind::Whole } else { kind };
    if version(piece, &pieces, whole, out) {
        return;
    }
    if pieces.len() <= MAX_CHAIN {
        out.push(piece, whole, false);
        if let [stem, ending] = pieces.as_slice()
            && folded(ending) == "js"
        {
            out.push_text(folded(stem) + "js", TokenKind::Part, span(piece), false);
        }
    }
    for part in pieces {
        name(part, TokenKind::Part, out);
    }
}

fn span(units: &[Unit]) -> Option<(usize, usize)> {
    units.first().zip(units.last()).map(|(first, last)| (first.start, last.end))
}

/// `v1.2.3-rc.1` gives `v1.2.3-rc.1`, `1.2.3-rc.1`, `1.2`.
fn version(piece: &[Unit], pieces: &[&[Unit]], whole: TokenKind, out: &mut Sink) -> bool {
    let (Some(major), Some(minor)) = (pieces.first(), pieces.get(1)) else { return false };
    let bare = match major {
        [v, rest @ ..] if matches!(v.ch, 'v' | 'V') && !rest.is_empty() => rest,
        _ => major,
    };
    let digits = |units: &[Unit]| !units.is_empty() && units.iter().all(|unit| unit.ch.is_ascii_digit());
    let minor = minor.split(|unit| !unit.ch.is_ascii_digit()).next().unwrap_or_default();
    if !digits(bare) || !digits(minor) {
        return false;
    }
    out.push(piece, whole, false);
    let prefix = major.len() - bare.len();
    if prefix > 0 {
        out.push(&piece[prefix..], TokenKind::Part, false);
    }
    let short = format!("{}.{}", folded(bare), folded(minor));
    if short.chars().count() < piece.len() - prefix {
        out.push_text(short, TokenKind::Part, span(piece), false);
    }
    true
}

/// `text_index`, `no-verify`, `don't`: itself joined, and its words.
fn name(piece: &[Unit], kind: TokenKind, out: &mut Sink) {
    let mut words: Vec<&[Unit]> = Vec::new();
    let mut apostrophes = false;
    for part in piece.split(|unit| is_joint(unit) && !is_apostrophe(unit)) {
        if part.is_empty() {
            continue;
        }
        apostrophes |= part.iter().any(is_apostrophe);
        words.push(part);
    }
    if let [only] = words.as_slice() {
        if apostrophes {
            contraction(only, kind, out)
        } else {
            word(only, kind, out)
        }
        return;
    }
    let whole = if kind == TokenKind::Word { TokenKind::Whole } else { kind };
    if words.len() <= MAX_CHAIN && !apostrophes {
        let joined: String = words.iter().map(|part| folded(part)).collect();
        out.push_text(joined.clone(), whole, span(piece), false);
        as_plain_word(joined, piece, out);
    }
    for part in words {
        if apostrophes { contraction(part, TokenKind::Part, out) } else { word(part, TokenKind::Part, out) }
    }
}

/// `PowerShell` is also written `powershell`, which as a plain word is stemmed: that form is a part of it.
fn as_plain_word(joined: String, piece: &[Unit], out: &mut Sink) {
    let mut stem = joined.clone();
    super::stem::stem(&mut stem);
    if stem != joined {
        out.push_text(stem, TokenKind::Part, span(piece), false);
    }
}

fn is_apostrophe(unit: &Unit) -> bool {
    matches!(unit.ch, '\'' | '\u{2019}')
}

/// `user's` as `user`, `l'index` as `index`, `don't` as `dont`.
fn contraction(piece: &[Unit], kind: TokenKind, out: &mut Sink) {
    let parts: Vec<&[Unit]> = piece.split(is_apostrophe).filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        [only] => word(only, kind, out),
        [stem, ending]
            if ending.len() == 1 && matches!(ending.first().map(|unit| unit.ch), Some('s' | 'S')) =>
        {
            word(stem, kind, out);
        }
        [article, noun] if article.len() <= 2 && noun.len() > 2 => word(noun, kind, out),
        [.., last] if last.len() <= 2 => {
            out.push_text(parts.iter().map(|part| folded(part)).collect(), kind, span(piece), false);
        }
        _ => parts.iter().for_each(|part| word(part, kind, out)),
    }
}

/// One run of letters and digits: a plain word, a camel, a hash, or letters with a number.
fn word(units: &[Unit], kind: TokenKind, out: &mut Sink) {
    if is_hash(units) {
        let whole = if kind == TokenKind::Word { TokenKind::Whole } else { kind };
        out.push(units, whole, false);
        if units.len() > SHORT_HASH {
            out.push(&units[..SHORT_HASH], TokenKind::Part, false);
        }
        return;
    }
    let humps = humps(units);
    let whole = if kind == TokenKind::Word { TokenKind::Whole } else { kind };
    if humps.len() > 1 {
        out.push(units, whole, false);
        as_plain_word(folded(units), units, out);
        for hump in humps {
            letters_and_number(hump, TokenKind::Part, out);
        }
    } else {
        letters_and_number(units, kind, out);
    }
}

fn is_hash(units: &[Unit]) -> bool {
    units.len() >= SHORT_HASH
        && units.iter().all(|unit| unit.ch.is_ascii_hexdigit())
        && units.iter().any(|unit| unit.ch.is_ascii_digit())
        && units.iter().any(|unit| unit.ch.is_ascii_alphabetic())
}

/// `utf8` gives `utf8` and `utf`; `TS2345` also `2345`; `E0308` only itself.
fn letters_and_number(units: &[Unit], kind: TokenKind, out: &mut Sink) {
    let letters = units.iter().position(|unit| unit.ch.is_numeric()).unwrap_or(units.len());
    if letters == units.len() {
        out.push(units, kind, true);
        return;
    }
    let whole = if kind == TokenKind::Word && letters > 0 { TokenKind::Whole } else { kind };
    out.push(units, whole, false);
    let (head, tail) = units.split_at(letters);
    if head.len() >= 2 && tail.iter().all(|unit| unit.ch.is_numeric()) {
        out.push(head, TokenKind::Part, true);
        if tail.len() >= 2 {
            out.push(tail, TokenKind::Part, false);
        }
    }
}

/// Cuts `HTTPServer` into `HTTP`, `Server`; `getURLs` into `get`, `URLs`. A plain word is one hump.
fn humps(units: &[Unit]) -> Vec<&[Unit]> {
    let upper = |index: usize| units.get(index).is_some_and(|unit| unit.ch.is_uppercase());
    let lower = |index: usize| units.get(index).is_some_and(|unit| unit.ch.is_lowercase());
    let mut humps = Vec::new();
    let mut from = 0;
    for at in 1..units.len() {
        let rises =
            upper(at) && !upper(at - 1) && units.get(at - 1).is_some_and(|unit| unit.class == Class::Alnum);
        let acronym_ends = upper(at) && upper(at - 1) && lower(at + 1) && !plural_ends(units, at + 1);
        if (rises || acronym_ends) && humps.len() + 1 < MAX_HUMPS {
            humps.push(&units[from..at]);
            from = at;
        }
    }
    humps.push(&units[from..]);
    humps
}

/// The lone `s` of `URLs`, at the end or before the next hump.
fn plural_ends(units: &[Unit], at: usize) -> bool {
    units.get(at).is_some_and(|unit| unit.ch == 's')
        && units.get(at + 1).is_none_or(|unit| !unit.ch.is_lowercase())
}
