//! Lines of bytes with a size limit, and the JSON objects on a line.

use crate::lenient_json;
use mem_core::JsonObject;
use serde_json::Value;
use std::io::{self, BufRead};

/// One line, without its end.
pub(super) enum Line<'a> {
    /// Its bytes, and whether a newline ended it.
    Whole(&'a [u8], bool),
    /// It was longer than the limit; its bytes are gone.
    TooLong,
}

/// Reads lines of at most `limit` bytes; never holds more than that.
pub(super) struct Lines<R> {
    reader: R,
    limit: usize,
    buffer: Vec<u8>,
    /// Bytes taken from the reader so far.
    pub(super) offset: u64,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(reader: R, limit: usize) -> Self {
        Self { reader, limit, buffer: Vec::new(), offset: 0 }
    }

    /// The next line; none at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.buffer.clear();
        let mut too_long = false;
        let mut any = false;
        let mut ended = false;
        while !ended {
            let chunk = match self.reader.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if chunk.is_empty() {
                break;
            }
            any = true;
            let newline = memchr::memchr(b'\n', chunk);
            let part = chunk.get(..newline.unwrap_or(chunk.len())).unwrap_or_default();
            if !too_long && self.buffer.len() + part.len() <= self.limit {
                self.buffer.extend_from_slice(part);
            } else {
                too_long = true;
                self.buffer = Vec::new();
            }
            let taken = part.len() + usize::from(newline.is_some());
            self.reader.consume(taken);
            self.offset += taken as u64;
            ended = newline.is_some();
        }
        if !any {
            return Ok(None);
        }
        if too_long {
            return Ok(Some(Line::TooLong));
        }
        if self.buffer.last() == Some(&b'\r') {
            self.buffer.pop();
        }
        Ok(Some(Line::Whole(&self.buffer, ended)))
    }
}

/// What a line holds.
#[derive(Default)]
pub(super) struct Objects {
    pub(super) found: Vec<JsonObject>,
    /// More than one object, or damage beside one.
    pub(super) glued: bool,
    /// Values that are no objects.
    pub(super) others: bool,
    /// Characters were lost.
    pub(super) lossy: bool,
}

/// Keys with which a record begins; a second record glued to a torn one is found by them.
const BEGINNINGS: &[&[u8]] = &[
    b"{\"parentUuid\"",
    b"{\"type\"",
    b"{\"uuid\"",
    b"{\"sessionId\"",
    b"{\"message\"",
    b"{\"isSidechain\"",
    b"{\"timestamp\"",
];

/// Resynchronisations tried on one damaged line.
const MAX_RESYNC: usize = 16;

/// The objects of a line: one as a rule, several when two writers or a crash glued them.
pub(super) fn objects(line: &[u8]) -> Objects {
    let mut out = Objects::default();
    if let Ok(parsed) = lenient_json::parse(line) {
        out.lossy = parsed.lossy.is_lossy();
        match parsed.value {
            Value::Object(object) => out.found.push(object),
            _ => out.others = true,
        }
        return out;
    }
    let mut rest = line;
    for _ in 0..MAX_RESYNC {
        let mut stream = serde_json::Deserializer::from_slice(rest).into_iter::<Value>();
        let mut good = 0;
        while let Some(Ok(value)) = stream.next() {
            good = stream.byte_offset();
            match value {
                Value::Object(object) => out.found.push(object),
                _ => out.others = true,
            }
        }
        rest = rest.get(good..).unwrap_or_default();
        // The remainder is damaged: go on where a record seems to begin.
        let Some(next) = BEGINNINGS.iter().filter_map(|b| memchr::memmem::find(rest.get(1..)?, b)).min()
        else {
            break;
        };
        rest = rest.get(next + 1..).unwrap_or_default();
    }
    // Numbers and words from inside a damaged record are no records.
    out.found.retain(|object| {
        object.contains_key("type") || object.contains_key("message") || object.contains_key("uuid")
    });
    out.glued = !out.found.is_empty();
    out
}
