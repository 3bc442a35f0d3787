//! One pass over a text from left to right; every look ahead is bounded, or consumes what it looked at.

use super::bytes::{
    ALNUM, ALPHA, B64, BLANK, DASH, DIGIT, DOT, LOWER, QUOTE, UNDER, UPPER, WHITE, WORD, char_len, has,
    has_ignore_case, is, is_at, run,
};
use super::command::{self, Command};
use super::judge;
use super::keys;
use super::kind::SecretKind;
use super::labels::{self, Label, Role, Strength};
use super::tokens;
use super::value::{self, Quoting};

/// A secret's place in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: SecretKind,
}

/// How far a label such as `name: DB_PASSWORD` reaches to the `value:` that belongs to it.
const PENDING_REACH: usize = 96;
/// The longest authority of a URL that is searched for a password.
const MAX_AUTHORITY: usize = 512;

pub(super) struct Scan<'a> {
    t: &'a [u8],
    extra: &'a [String],
    spans: Vec<Span>,
    command: Command,
    key_ends: Option<usize>,
    /// Up to here lines of base 64 are known to be no key.
    plain_until: usize,
    /// Whether the document of YAML that was last looked at is a secret's, and where it ends.
    document: (bool, usize),
    pending: Option<(Label, usize)>,
}

impl<'a> Scan<'a> {
    pub(super) fn new(text: &'a str, extra: &'a [String]) -> Self {
        Self {
            t: text.as_bytes(),
            extra,
            spans: Vec::new(),
            command: Command::None,
            key_ends: None,
            plain_until: 0,
            document: (false, 0),
            pending: None,
        }
    }

    /// The secrets in order, without overlap.
    pub(super) fn run(mut self) -> Vec<Span> {
        let mut at = 0;
        while let Some(&byte) = self.t.get(at) {
            let next = if is(byte, ALNUM | UNDER) { self.word(at) } else { self.mark(at, byte) };
            at = next.max(at + 1);
        }
        self.spans
    }

    fn push(&mut self, start: usize, end: usize, kind: SecretKind) -> usize {
        let end = end.min(self.t.len());
        if start < end && self.spans.last().is_none_or(|last| last.end <= start) {
            self.spans.push(Span { start, end, kind });
        }
        end
    }

    fn mark(&mut self, at: usize, byte: u8) -> usize {
        match byte {
            b'-' => {
                if has(self.t, at, b"----")
                    && let Some(end) = keys::key_block(self.t, at, &mut self.key_ends)
                {
                    return self.push(at, end, SecretKind::PrivateKey);
                }
                if has(self.t, at, b"----") {
                    return run(self.t, at, DASH, usize::MAX);
                }
                if self.command != Command::None
                    && let Some((start, end, kind)) = command::option(self.t, at, self.command)
                {
                    return self.push(start, end, kind);
                }
                at + 1
            }
            b':' if has(self.t, at, b"://") => self.url(at),
            b'<' => self.private(at),
            b'[' => {
                if has(self.t, at, b"[REDACTED:") {
                    let end = run(self.t, at + 10, LOWER | UNDER | DIGIT, 40);
                    if self.t.get(end) == Some(&b']') {
                        return end + 1;
                    }
                }
                at + 1
            }
            b'\x1b' if self.t.get(at + 1) == Some(&b'[') => {
                let mut end = at + 2;
                while is_at(self.t, end, DIGIT) || matches!(self.t.get(end), Some(b';' | b'?')) {
                    end += 1;
                }
                end + 1
            }
            b'\n' => {
                if at == 0 || self.t[at - 1] != b'\\' {
                    self.command = Command::None;
                }
                at + 1
            }
            b'|' | b';' | b'&' => {
                self.command = Command::None;
                at + 1
            }
            0xc3..=0xc5 => self.word(at),
            0x80.. => {
                if let Some((end, label)) = labels::foreign_at(self.t, at) {
                    return self.labelled(label, at, end, true);
                }
                at + char_len(byte)
            }
            _ => at + 1,
        }
    }

    fn word(&mut self, at: usize) -> usize {
        let t = self.t;
        let mut start = at;
        // `\nTOKEN` in an escaped text begins after the escape.
        if at > 0 && t[at - 1] == b'\\' && matches!(t[at], b'n' | b'r' | b't') {
            start += 1;
            if !is_at(t, start, ALNUM | UNDER) {
                return start;
            }
        }
        if let Some((end, kind)) = tokens::token_at(t, start) {
            return self.push(start, end, kind);
        }
        if start >= self.plain_until
            && is_at(t, start + 63, ALNUM | B64)
            && let Some((end, key)) = keys::key_lines(t, start)
        {
            if key {
                return self.push(start, end, SecretKind::PrivateKey);
            }
            self.plain_until = end;
        }
        let mut end = start;
        while let Some(&byte) = t.get(end) {
            if is(byte, WORD) {
                end += 1;
                // Tokens after a prefix of one's own: `my-ghp_…`, `x_AKIA…`.
                if is(byte, UNDER | DASH)
                    && is_at(t, end, ALNUM)
                    && let Some((stop, kind)) = tokens::token_at(t, end)
                {
                    return self.push(end, stop, kind);
                }
            } else if matches!(byte, 0xc3..=0xc5) {
                end += 2;
            } else if byte == 0xe1 && matches!(t.get(end + 1), Some(0xba | 0xbb)) {
                end += 3;
            } else {
                break;
            }
        }
        let mut end = end.min(t.len());
        while end > start + 1 && is(t[end - 1], DASH) {
            end -= 1;
        }
        let name = &t[start..end];
        if let Some(next) = self.special(start, end, name) {
            return next;
        }
        // Parameters of an address that only there tell a secret.
        if start > 0
            && matches!(t[start - 1], b'?' | b'&')
            && t.get(end) == Some(&b'=')
            && matches!(
                name,
                b"code"
                    | b"key"
                    | b"sig"
                    | b"signature"
                    | b"jwt"
                    | b"sas"
                    | b"ticket"
                    | b"otp"
                    | b"sid"
                    | b"session"
            )
        {
            let mut stop = run(t, end + 1, WORD | DOT | B64, 2048);
            while t.get(stop) == Some(&b'%') {
                stop = run(t, stop + 1, WORD | DOT | B64, 2048);
            }
            if stop - end > 12 && tokens::token_at(t, end + 1).is_none() && judge::is_loose(&t[end + 1..stop])
            {
                return self.push(end + 1, stop, SecretKind::HighEntropy);
            }
        }
        if matches!(name, b"data" | b"stringData")
            && let Some(stop) = self.manifest(start, end)
        {
            return stop;
        }
        let extra = self.extra.iter().any(|l| name.eq_ignore_ascii_case(l.as_bytes()));
        let label = extra
            .then(labels::password_label)
            .or_else(|| labels::joined(t, start, end))
            .or_else(|| labels::classify(name))
            .or_else(|| labels::phrase_before(t, start, name).then(labels::password_label));
        match label {
            Some(label) => self.labelled(label, start, end, false),
            None => end,
        }
    }

    /// The values below `data:` of a Kubernetes manifest of the kind `Secret`; gives where they end.
    fn manifest(&mut self, start: usize, end: usize) -> Option<usize> {
        let t = self.t;
        let from = t[..start].iter().rposition(|&b| !is(b, BLANK)).map_or(0, |n| n + 1);
        let line_begins = from == 0 || t[from - 1] == b'\n';
        let mut at = run(t, end + 1, BLANK, 8);
        if !line_begins || t.get(end) != Some(&b':') || !matches!(t.get(at), Some(b'\n' | b'\r')) {
            return None;
        }
        if start >= self.document.1 {
            let begin = self.document.1;
            let begin = memchr::memmem::rfind(&t[begin..start], b"\n---").map_or(begin, |n| begin + n);
            let stop = memchr::memmem::find(&t[start..], b"\n---").map_or(t.len(), |n| start + n);
            let secret = memchr::memmem::find(&t[begin..stop], b"kind: Secret\n").is_some()
                || t[begin..stop].ends_with(b"kind: Secret");
            self.document = (secret, stop);
        }
        if !self.document.0 {
            return None;
        }
        let indent = start - from;
        loop {
            while matches!(t.get(at), Some(b'\n' | b'\r')) {
                at += 1;
            }
            let line = memchr::memchr(b'\n', t.get(at..)?).map_or(t.len(), |n| at + n);
            let name = run(t, at, BLANK, usize::MAX);
            if name >= line || name - at <= indent {
                return Some(at);
            }
            let Some(colon) = memchr::memchr(b':', &t[name..line]) else { return Some(at) };
            let value = run(t, name + colon + 1, BLANK, 8);
            let mut stop = line;
            while stop > value && is(t[stop - 1], WHITE) {
                stop -= 1;
            }
            let literal =
                stop > value && judge::is_argument(&t[value..stop]) && !matches!(t[value], b'|' | b'>');
            if literal && tokens::token_at(t, value).is_none() {
                self.push(value, stop, SecretKind::EnvValue);
            }
            at = line;
        }
    }

    /// Words that are no labels but begin something: schemes, commands, hosts.
    fn special(&mut self, start: usize, end: usize, name: &[u8]) -> Option<usize> {
        let t = self.t;
        match name.first()? {
            b'b' if has(name, 0, b"bot") && is_at(t, start + 3, DIGIT) => {
                let (stop, kind) = tokens::token_at(t, start + 3)?;
                return Some(self.push(start + 3, stop, kind));
            }
            b'B' | b'b' if name.eq_ignore_ascii_case(b"bearer") || name.eq_ignore_ascii_case(b"basic") => {
                let from = run(t, end, BLANK, 4);
                if from == end {
                    return None;
                }
                let stop = value::credentials_end(t, from);
                let v = &t[from..stop];
                let fits = if name.len() == 6 { value::is_bearer(v) } else { value::is_basic(v) };
                if fits && tokens::token_at(t, from).is_none() {
                    return Some(self.push(from, stop, SecretKind::Authorization));
                }
                return None;
            }
            b'd' if has(t, start, b"discord.com/api/webhooks/") => {
                let (stop, kind) =
                    tokens::webhook(t, start, b"discord.com/api/webhooks/", SecretKind::DiscordToken)?;
                return Some(self.push(start + 25, stop, kind));
            }
            b'd' if has(t, start, b"discordapp.com/api/webhooks/") => {
                let (stop, kind) =
                    tokens::webhook(t, start, b"discordapp.com/api/webhooks/", SecretKind::DiscordToken)?;
                return Some(self.push(start + 28, stop, kind));
            }
            // The private part of a JSON web key (RFC 7518, 6.2.2 and 6.3.2).
            b'd' | b'p' | b'q'
                if matches!(name, b"d" | b"p" | b"q" | b"dp" | b"dq") && is_at(t, end, QUOTE) =>
            {
                let colon = run(t, end + 1, BLANK, 2);
                let quote = run(t, colon + 1, BLANK, 4);
                if t.get(colon) != Some(&b':') || !is_at(t, quote, QUOTE) {
                    return None;
                }
                let stop = run(t, quote + 1, WORD, usize::MAX);
                if stop - quote > 40 && judge::is_random(&t[quote + 1..stop]) {
                    return Some(self.push(quote + 1, stop, SecretKind::PrivateKey));
                }
                return None;
            }
            b'P' if name == b"Private-Lines" => {
                let stop = keys::putty_block(t, end)?;
                return Some(self.push(end, stop, SecretKind::PrivateKey));
            }
            _ => {}
        }
        if is_at(t, end, BLANK)
            && let Some((from, stop)) = command::positional(t, end, name)
        {
            return Some(self.push(from, stop, SecretKind::EnvValue));
        }
        if name.len() <= 14 && is_at(t, end, BLANK) {
            if let Some(command) = command::named(name) {
                self.command = command;
            } else if matches!(name, b"echo" | b"printf")
                && let Some((from, stop)) = command::piped_password(t, end)
            {
                return Some(self.push(from, stop, SecretKind::EnvValue));
            }
        }
        None
    }

    /// Judges what follows a label that ends at `end`; gives where the scan goes on.
    fn labelled(&mut self, label: Label, start: usize, end: usize, foreign: bool) -> usize {
        let t = self.t;
        let label = if label.role == Role::Value {
            match self.pending.take() {
                Some((pending, from)) if start - from <= PENDING_REACH => pending,
                _ => return end,
            }
        } else {
            label
        };
        let Some(found) = value::after_label(t, start, end, &label, foreign) else {
            if label.role == Role::Secret
                && label.strength >= Strength::Medium
                && (label.upper || is_at(t, end, QUOTE))
            {
                self.pending = Some((label, end));
            }
            return end;
        };
        match label.role {
            Role::Authorization => self.authorization(found.at, end),
            Role::Cookie => self.cookie(found, end),
            Role::Card => self.card(found.at, end),
            Role::Secret | Role::Value => {
                let next = self.secret(&label, found, end);
                // `"name": "DB_PASSWORD", "value": …` and `"secret": {"value": …}`
                if next == end
                    && label.strength >= Strength::Medium
                    && (found.comma() || t.get(found.at) == Some(&b'{'))
                {
                    self.pending = Some((label, end));
                }
                next
            }
        }
    }

    fn secret(&mut self, label: &Label, found: value::Found, end: usize) -> usize {
        let t = self.t;
        let Some(v) = value::read(t, found, label) else { return end };
        if tokens::token_at(t, v.start).is_some() || has(t, v.start, b"----") {
            return v.start;
        }
        let text = &t[v.start..v.end];
        if !judge::is_secret(label, text, v.place) {
            return end;
        }
        let stop = if v.open { value::end_of_open(t, v.end, v.place) } else { v.end };
        let kind = match label.kind {
            SecretKind::AwsSecret if text.len() < 16 => SecretKind::EnvValue,
            kind => kind,
        };
        self.push(v.start, stop, kind)
    }

    fn authorization(&mut self, at: usize, end: usize) -> usize {
        let t = self.t;
        let from = Quoting::at(t, at).map_or(at, |q| q.content);
        let scheme = run(t, from, ALNUM | DASH, 24);
        let credentials = run(t, scheme, BLANK, 4);
        if credentials > scheme && value::is_scheme(&t[from..scheme]) {
            if tokens::token_at(t, credentials).is_some() {
                return credentials;
            }
            let long = t[from..scheme].eq_ignore_ascii_case(b"digest") || has_ignore_case(t, from, b"aws4-");
            let stop =
                if long { value::line_end(t, credentials) } else { value::credentials_end(t, credentials) };
            if value::is_credentials(&t[credentials..stop]) {
                return self.push(credentials, stop, SecretKind::Authorization);
            }
            return end;
        }
        if tokens::token_at(t, from).is_some() {
            return from;
        }
        let stop = value::credentials_end(t, from);
        if value::is_bearer(&t[from..stop]) {
            return self.push(from, stop, SecretKind::Authorization);
        }
        end
    }

    fn cookie(&mut self, found: value::Found, end: usize) -> usize {
        let t = self.t;
        let quoting = Quoting::at(t, found.at);
        if quoting.is_none() && found.equals {
            return end;
        }
        let from = quoting.map_or(found.at, |q| q.content);
        let stop = quoting.map_or_else(|| value::line_end(t, from), |q| q.close(t, 4096).0);
        if value::has_cookie(&t[from..stop]) {
            return self.push(from, stop, SecretKind::Cookie);
        }
        end
    }

    fn card(&mut self, at: usize, end: usize) -> usize {
        let t = self.t;
        let from = Quoting::at(t, at).map_or(at, |q| q.content);
        let mut stop = run(t, from, DIGIT | BLANK | DASH, 24);
        while stop > from && !is(t[stop - 1], DIGIT) {
            stop -= 1;
        }
        if judge::is_card(&t[from..stop]) {
            return self.push(from, stop, SecretKind::CreditCard);
        }
        end
    }

    /// The password of `scheme://user:password@host`.
    fn url(&mut self, at: usize) -> usize {
        let t = self.t;
        let from = at + 3;
        let limit = t.len().min(from + MAX_AUTHORITY);
        let mut sign = None;
        let mut colon = None;
        let mut i = from;
        while i < limit {
            match t[i] {
                b'@' => sign = Some(i),
                b':' if colon.is_none() => colon = Some(i),
                // A password typed without escaping may hold these; only after a colon and before an `@`.
                b'/' | b'?' | b'#' | b'<' | b'>' | b'\\' | b'"' | b'\'' | b'`' | b'\n' | b'\r' | b' '
                | b'\t' => break,
                _ => {}
            }
            i += 1;
        }
        let Some(sign) = sign else { return from };
        match colon {
            Some(colon) if colon < sign => {
                if value::is_url_password(&t[colon + 1..sign]) {
                    return self.push(colon + 1, sign, SecretKind::UrlPassword);
                }
                sign
            }
            _ => {
                if tokens::token_at(t, from).is_none() && judge::is_random(&t[from..sign]) {
                    return self.push(from, sign, SecretKind::UrlPassword);
                }
                from
            }
        }
    }

    /// A `<private>` element with all elements of that name inside; without end tag it goes to the end.
    fn private(&mut self, at: usize) -> usize {
        let t = self.t;
        let opens = |at: usize| {
            has_ignore_case(t, at + 1, b"private")
                && (is_at(t, at + 8, WHITE) || matches!(t.get(at + 8), None | Some(b'>' | b'/')))
        };
        if !opens(at) {
            return at + 1;
        }
        let mut depth = 1;
        let mut from = at + 8;
        while let Some(n) = memchr::memchr(b'<', &t[from..]) {
            let tag = from + n;
            from = tag + 1;
            if opens(tag) {
                depth += 1;
            } else if has_ignore_case(t, tag, b"</private") && !is_at(t, tag + 9, ALPHA | DIGIT | DOT | UPPER)
            {
                let close =
                    memchr::memchr(b'>', &t[tag..t.len().min(tag + 64)]).map_or(tag + 9, |n| tag + n + 1);
                depth -= 1;
                if depth == 0 {
                    return self.push(at, close, SecretKind::Private);
                }
            }
        }
        self.push(at, t.len(), SecretKind::Private)
    }
}
