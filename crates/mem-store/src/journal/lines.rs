//! Lines of a journal: cutting a stream into them, and reading one however damaged.

use mem_core::{Observation, Timestamp};
use serde::Deserialize;
use std::{
    borrow::Cow,
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom},
};

const BUFFER: usize = 64 << 10;

#[derive(Debug)]
/// Whole lines of a stretch of a file, one at a time, in memory bounded by `max`.
pub(super) struct Lines {
    reader: BufReader<io::Take<File>>,
    offset: u64,
    max: usize,
}

/// Where a line lies. Its text, without the end, is in the caller's buffer unless it is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) start: u64,
    /// Right behind its `\n`.
    pub(super) end: u64,
    pub(super) too_long: bool,
}

impl Lines {
    /// The bytes from `from` up to `end` of a file.
    pub(super) fn new(mut file: File, from: u64, end: u64, max: usize) -> io::Result<Self> {
        file.seek(SeekFrom::Start(from))?;
        let length = end.saturating_sub(from);
        let capacity = usize::try_from(length).unwrap_or(BUFFER).clamp(1, BUFFER);
        Ok(Self { reader: BufReader::with_capacity(capacity, file.take(length)), offset: from, max })
    }

    /// The next line; none at the end or where the last one lacks its `\n`.
    pub(super) fn next(&mut self, text: &mut Vec<u8>) -> io::Result<Option<Line>> {
        text.clear();
        let start = self.offset;
        let mut length = self.read_part(text, self.max as u64 + 1)?;
        let mut too_long = false;
        while text.last() != Some(&b'\n') {
            if length <= self.max as u64 {
                return Ok(None);
            }
            too_long = true;
            text.clear();
            match self.read_part(text, BUFFER as u64)? {
                0 => return Ok(None),
                more => length += more,
            }
        }
        self.offset = start + length;
        text.pop();
        if too_long {
            text.clear();
        }
        Ok(Some(Line { start, end: self.offset, too_long }))
    }

    fn read_part(&mut self, text: &mut Vec<u8>, most: u64) -> io::Result<u64> {
        (&mut self.reader).take(most).read_until(b'\n', text).map(|n| n as u64)
    }
}

/// What a line turned out to be.
#[derive(Debug)]
pub(super) enum Parsed {
    Observation(Box<Observation>),
    Blank,
    Damaged,
}

/// Reads a line. Halves of surrogate pairs (`"\ud83d"`) become U+FFFD; everything else must be right.
pub(super) fn parse(line: &[u8]) -> Parsed {
    let Some(text) = text_of(line) else { return Parsed::Damaged };
    if text.is_empty() {
        return Parsed::Blank;
    }
    // A derived struct would be read from an array as well.
    if !text.starts_with('{') {
        return Parsed::Damaged;
    }
    let first = serde_json::from_str(text).ok();
    let observation = first.or_else(|| match without_lone_surrogates(text) {
        Cow::Owned(mended) => serde_json::from_str(&mended).ok(),
        Cow::Borrowed(_) => None,
    });
    observation.map_or(Parsed::Damaged, |observation| Parsed::Observation(Box::new(observation)))
}

/// The `ts` of a line, when it has one that can be read.
pub(super) fn timestamp(line: &[u8]) -> Option<Timestamp> {
    #[derive(Deserialize)]
    struct Stamped {
        ts: Timestamp,
    }
    let text = text_of(line)?;
    text.starts_with('{').then(|| serde_json::from_str::<Stamped>(text).ok()).flatten().map(|line| line.ts)
}

fn text_of(line: &[u8]) -> Option<&str> {
    std::str::from_utf8(line).ok().map(|text| text.trim_start_matches('\u{feff}').trim())
}

/// Replaces `\uD800`–`\uDFFF` that are no half of a pair by `\ufffd`, which has the same length.
pub(super) fn without_lone_surrogates(json: &str) -> Cow<'_, str> {
    let bytes = json.as_bytes();
    let mut lone = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if *byte != b'\\' {
            at += 1;
            continue;
        }
        match escaped_unit(bytes, at) {
            Some(0xD800..=0xDBFF) if matches!(escaped_unit(bytes, at + 6), Some(0xDC00..=0xDFFF)) => at += 12,
            Some(0xD800..=0xDFFF) => {
                lone.push(at);
                at += 6;
            }
            _ => at += 2,
        }
    }
    if lone.is_empty() {
        return Cow::Borrowed(json);
    }
    let mut mended = String::with_capacity(json.len());
    let mut done = 0;
    for at in lone {
        mended.push_str(json.get(done..at).unwrap_or_default());
        mended.push_str("\\ufffd");
        done = at + 6;
    }
    mended.push_str(json.get(done..).unwrap_or_default());
    Cow::Owned(mended)
}

fn escaped_unit(bytes: &[u8], at: usize) -> Option<u32> {
    let escape = bytes.get(at..at + 6)?;
    let digits = escape.strip_prefix(b"\\u")?;
    digits.iter().try_fold(0, |unit, digit| Some(unit * 16 + char::from(*digit).to_digit(16)?))
}

/// How many lines a stretch of a file has.
pub(super) fn count(mut file: &File, end: u64) -> io::Result<u64> {
    file.seek(SeekFrom::Start(0))?;
    let mut rest = file.take(end);
    let mut buffer = vec![0; BUFFER];
    let mut lines = 0;
    loop {
        match rest.read(&mut buffer) {
            Ok(0) => return Ok(lines),
            Ok(n) => lines += buffer.iter().take(n).filter(|byte| **byte == b'\n').count() as u64,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

/// The offset behind the last `\n` before `end`; 0 when there is none.
pub(super) fn last_end(mut file: &File, end: u64) -> io::Result<u64> {
    let mut buffer = vec![0; 4096];
    let mut upto = end;
    while upto > 0 {
        let from = upto.saturating_sub(buffer.len() as u64);
        let Some(part) = buffer.get_mut(..usize::try_from(upto - from).unwrap_or(0)) else { break };
        file.seek(SeekFrom::Start(from))?;
        file.read_exact(part)?;
        if let Some(at) = part.iter().rposition(|byte| *byte == b'\n') {
            return Ok(from + at as u64 + 1);
        }
        upto = from;
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_halves_are_replaced_and_pairs_and_escaped_backslashes_kept() {
        let cases = [
            (r#"{"a":"\ud83d"}"#, r#"{"a":"\ufffd"}"#),
            (r#"{"a":"\ud83d\ude00"}"#, r#"{"a":"\ud83d\ude00"}"#),
            (r#"{"a":"\ude00\ud83d"}"#, r#"{"a":"\ufffd\ufffd"}"#),
            (r#"{"a":"\ud83d\ud83d\ude00"}"#, r#"{"a":"\ufffd\ud83d\ude00"}"#),
            (r#"{"a":"\\ud83d"}"#, r#"{"a":"\\ud83d"}"#),
            (r#"{"a":"\\\uDCEC改"}"#, r#"{"a":"\\\ufffd改"}"#),
            (r#"{"a":"\ud8"#, r#"{"a":"\ud8"#),
            ("\\", "\\"),
        ];
        for (from, to) in cases {
            assert_eq!(without_lone_surrogates(from), to);
        }
    }

    #[test]
    fn a_line_with_half_an_emoji_is_still_an_observation() {
        let line = br#"{"session_id":"s","ts":"2026-11-30T12:00:00Z","phase":"prompt","input":{"prompt":"hi \ud83d"}}"#;
        match parse(line) {
            Parsed::Observation(observation) => assert_eq!(observation.prompt(), Some("hi \u{fffd}")),
            other => panic!("{other:?}"),
        }
        assert!(timestamp(line).is_some());
    }

    #[test]
    fn what_is_no_object_is_damaged() {
        for line in [
            &b"[\"s\",\"2026-11-30T12:00:00Z\",\"pre\"]"[..],
            b"\"x\"",
            b"{\"a\":1}",
            b"\xff",
            b"{}{}",
            b"\0",
        ] {
            assert!(matches!(parse(line), Parsed::Damaged), "{line:?}");
        }
        assert!(matches!(parse(b" \r"), Parsed::Blank));
    }

    #[test]
    fn lines_are_cut_streaming_and_the_long_passed_over() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        let long = "y".repeat(200_000);
        std::fs::write(&path, format!("ab\n\n{long}\n12345678\n123456789\nend")).unwrap();
        let length = std::fs::metadata(&path).unwrap().len();
        let mut lines = Lines::new(File::open(&path).unwrap(), 0, length, 8).unwrap();
        let mut text = Vec::new();
        let mut seen = Vec::new();
        while let Some(line) = lines.next(&mut text).unwrap() {
            seen.push((line.end - line.start, line.too_long, String::from_utf8(text.clone()).unwrap()));
            assert!(text.capacity() <= 2 * BUFFER);
        }
        let expected =
            [(3, false, "ab"), (1, false, ""), (200_001, true, ""), (9, false, "12345678"), (10, true, "")];
        let expected: Vec<_> =
            expected.iter().map(|(n, long, text)| (*n, *long, (*text).to_owned())).collect();
        assert_eq!(seen, expected);
        let file = File::open(&path).unwrap();
        assert_eq!(last_end(&file, length).unwrap(), length - 3);
        assert_eq!(last_end(&file, length - 3).unwrap(), length - 3);
        assert_eq!(last_end(&file, 2).unwrap(), 0);
        assert_eq!(last_end(&file, 100_000).unwrap(), 4);
        assert_eq!(count(&file, length).unwrap(), 5);
    }
}
