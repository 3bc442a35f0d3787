//! What is printed: JSON shapes that scripts rely on, and text for people.

use jiff::{Timestamp, tz::TimeZone};
use mem_core::{Hit, Instinct, Memory};
use serde_json::{Value, json};
use std::io::{self, IsTerminal as _, Write};

/// Standard output, locked and buffered.
pub(crate) struct Out {
    to: io::BufWriter<io::StdoutLock<'static>>,
    colour: bool,
    pub(crate) quiet: bool,
}

impl Out {
    pub(crate) fn new(quiet: bool) -> Self {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|set| !set.is_empty());
        let stdout = io::stdout();
        Self { colour: stdout.is_terminal() && !plain, to: io::BufWriter::new(stdout.lock()), quiet }
    }

    pub(crate) fn line(&mut self, text: impl AsRef<str>) -> anyhow::Result<()> {
        self.to.write_all(text.as_ref().as_bytes())?;
        Ok(self.to.write_all(b"\n")?)
    }

    /// A line that `--quiet` leaves out.
    pub(crate) fn remark(&mut self, text: impl AsRef<str>) -> anyhow::Result<()> {
        if self.quiet { Ok(()) } else { self.line(text) }
    }

    pub(crate) fn json(&mut self, value: &impl serde::Serialize) -> anyhow::Result<()> {
        serde_json::to_writer_pretty(&mut self.to, value)?;
        Ok(self.to.write_all(b"\n")?)
    }

    pub(crate) fn bold(&self, text: &str) -> String {
        if self.colour { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() }
    }

    pub(crate) fn dim(&self, text: &str) -> String {
        if self.colour { format!("\x1b[2m{text}\x1b[0m") } else { text.to_owned() }
    }

    pub(crate) fn flush(&mut self) -> anyhow::Result<()> {
        Ok(self.to.flush()?)
    }
}

/// Terminal control out of text that others wrote.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' && c != '\t' { '\u{fffd}' } else { c }).collect()
}

/// A time for people: the local date and minute, and how long ago.
pub(crate) fn when(at: Timestamp, now: Timestamp) -> String {
    let local = at.to_zoned_datetime(TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string();
    format!("{local} ({})", ago(at, now))
}

/// How long ago, in the largest unit that fits.
pub(crate) fn ago(at: Timestamp, now: Timestamp) -> String {
    let seconds = now.duration_since(at).as_secs();
    let (count, unit) = match seconds.unsigned_abs() {
        s if s < 60 => return "just now".to_owned(),
        s if s < 3_600 => (s / 60, "minute"),
        s if s < 86_400 => (s / 3_600, "hour"),
        s if s < 60 * 86_400 => (s / 86_400, "day"),
        s => (s / (30 * 86_400), "month"),
    };
    let plural = if count == 1 { "" } else { "s" };
    if seconds < 0 { format!("in {count} {unit}{plural}") } else { format!("{count} {unit}{plural} ago") }
}

/// The fields of a memory that hits and lists share.
pub(crate) fn memory_json(memory: &Memory) -> Value {
    json!({
        "id": memory.id,
        "kind": memory.kind,
        "name": memory.name,
        "description": memory.description,
        "text": memory.body,
        "body": memory.body,
        "status": memory.status,
        "created": memory.created,
        "updated": memory.updated,
        "why": memory.why,
        "how": memory.how,
        "trigger": memory.trigger,
        "provenance": memory.provenance.kind,
        "session": memory.provenance.session,
        "confidence": memory.confidence,
        "importance": memory.importance,
        "scope": memory.scope,
        "project": memory.project,
        "path": memory.path,
        "language": memory.language,
        "tags": memory.tags,
        "ttl_days": memory.ttl_days,
        "last_access": memory.last_access,
        "access_count": memory.access_count,
        "pinned": memory.pinned,
        "anchors": memory.anchors,
        "links": memory.links,
    })
}

pub(crate) fn hit_json(hit: &Hit) -> Value {
    let mut value = memory_json(&hit.memory);
    if let Some(map) = value.as_object_mut() {
        map.insert("score".to_owned(), json!(hit.score));
        map.insert("channels".to_owned(), json!(hit.channels));
        map.insert("factors".to_owned(), json!(hit.factors));
        map.insert("marks".to_owned(), json!(hit.marks));
    }
    value
}

pub(crate) fn instinct_json(instinct: &Instinct) -> Value {
    json!({
        "id": instinct.id,
        "trigger": instinct.trigger,
        "action": instinct.action,
        "evidence": instinct.evidence,
        "confidence": instinct.confidence,
        "domain": instinct.domain,
        "source": instinct.source,
        "status": instinct.status,
        "scope": instinct.scope,
        "project": instinct.project,
        "observed_at": instinct.observed_at,
        "created": instinct.created,
        "support": instinct.counts.hits,
        "opportunities": instinct.counts.opportunities,
        "lift": instinct.counts.lift(),
        "sessions": instinct.sessions,
    })
}

/// One memory in two or three lines.
pub(crate) fn print_memory(
    out: &mut Out,
    memory: &Memory,
    now: Timestamp,
    extra: &str,
) -> anyhow::Result<()> {
    let id = out.dim(memory.id.as_str().get(..8).unwrap_or(memory.id.as_str()));
    let status = if memory.status == mem_core::Status::Active {
        String::new()
    } else {
        format!(" · {}", memory.status)
    };
    let head = format!(
        "{id}  {}{status} · {} · {}{}{extra}",
        out.bold(memory.kind.as_str()),
        memory.provenance.kind,
        ago(memory.updated, now),
        if memory.pinned { " · pinned" } else { "" },
    );
    out.line(head)?;
    out.line(format!("  {}", printable(memory.body.trim()).replace('\n', "\n  ")))?;
    if let Some(why) = &memory.why {
        out.line(format!("  Why: {}", printable(why)))?;
    }
    if let Some(how) = &memory.how {
        out.line(format!("  How to apply: {}", printable(how)))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_told_in_the_largest_unit() {
        let at = |second| Timestamp::from_second(second).unwrap();
        assert_eq!(ago(at(0), at(30)), "just now");
        assert_eq!(ago(at(0), at(3_600)), "1 hour ago");
        assert_eq!(ago(at(0), at(3 * 86_400)), "3 days ago");
        assert_eq!(ago(at(3 * 86_400), at(0)), "in 3 days");
    }

    #[test]
    fn terminal_control_is_not_passed_on() {
        assert_eq!(printable("a\x1b[31mb\nc\0"), "a\u{fffd}[31mb\nc\u{fffd}");
    }
}
