//! `mem recall` and `mem inject`.

use crate::cli::{Inject, Recall};
use crate::commands::memories::{remarks, within_project};
use crate::context::{Surroundings, now, text_or_stdin};
use crate::error::{NothingFound, Usage};
use crate::output::{Out, hit_json, print_memory};
use jiff::{Timestamp, civil, tz::TimeZone};
use mem_core::{Hit, Kind, MemoryFilter, Query, Status};
use mem_engine::{InjectBudget, Moment, Situation};
use serde_json::json;
use std::time::Instant;

pub(crate) fn recall(at: &Surroundings, out: &mut Out, args: &Recall) -> anyhow::Result<()> {
    let text = text_or_stdin(&args.query)?;
    if text.trim().is_empty() {
        return Err(Usage("nothing to look for: the query is empty".to_owned()).into());
    }
    let started = Instant::now();
    let mut filter = MemoryFilter {
        kinds: args.kinds.iter().map(|k| k.parse::<Kind>()).collect::<mem_core::Result<_>>()?,
        scope: args.scope.as_deref().map(str::parse).transpose()?,
        at: args.at.as_deref().map(instant).transpose()?,
        ..at.filter(args.all_projects)
    };
    if args.all {
        filter.statuses = Status::ALL.iter().copied().filter(|s| *s != Status::Candidate).collect();
    }
    let engine = at.engine()?;
    let query = Query {
        text: text.clone(),
        limit: args.limit.unwrap_or(at.config.limit),
        path: args.path.as_deref().map(|path| within_project(at, path)),
        now: filter.at.unwrap_or_else(now),
        filter,
    };
    let recall = engine.recall(&query)?;
    let ids: Vec<_> = recall.hits.iter().map(|hit| hit.memory.id.clone()).collect();
    // Counting an access must not fail the answer: a read-only home can still be asked.
    let _ = engine.store().touch(&ids, now());
    if args.json {
        out.json(&json!({
            "query": text,
            "project": at.project().id,
            "took_ms": (started.elapsed().as_secs_f64() * 10_000.0).round() / 10.0,
            "degraded": recall.degraded,
            "hits": recall.hits.iter().map(hit_json).collect::<Vec<_>>(),
            "dropped": recall.dropped,
        }))?;
    } else {
        for hit in &recall.hits {
            let explanation = if args.explain { explain(hit) } else { String::new() };
            print_memory(out, &hit.memory, now(), &explanation)?;
        }
        if args.explain {
            for dropped in &recall.dropped {
                out.line(format!("dropped {}: {}", dropped.id, dropped.reason))?;
            }
        }
    }
    for degraded in &recall.degraded {
        use std::io::Write as _;
        writeln!(std::io::stderr(), "mem: note: {}: {}", degraded.part, degraded.reason)?;
    }
    if at.verbose {
        remarks(&engine)?;
    }
    if recall.hits.is_empty() {
        out.flush()?;
        return Err(NothingFound(format!("nothing is known about {text:?}")).into());
    }
    Ok(())
}

/// Rank and score per channel, then the factors that are not neutral.
fn explain(hit: &Hit) -> String {
    let mut parts = vec![format!("score {:.4}", hit.score)];
    for (channel, seen) in &hit.channels {
        let name = serde_json::to_value(channel).ok();
        let name = name.as_ref().and_then(|n| n.as_str()).unwrap_or("channel").to_owned();
        parts.push(format!("{name} #{} {:.3}", seen.rank, seen.score));
    }
    let f = &hit.factors;
    for (name, factor) in [
        ("time", f.time),
        ("kind", f.kind),
        ("provenance", f.provenance),
        ("anchor", f.anchor),
        ("feedback", f.feedback),
    ] {
        if (factor - 1.0).abs() > 1e-9 {
            parts.push(format!("{name} ×{factor:.2}"));
        }
    }
    format!(" · {}", parts.join(", "))
}

/// An RFC 3339 instant, or a local date or date and time.
fn instant(text: &str) -> anyhow::Result<Timestamp> {
    if let Ok(instant) = text.parse::<Timestamp>() {
        return Ok(instant);
    }
    let local = text
        .parse::<civil::DateTime>()
        .or_else(|_| text.parse::<civil::Date>().map(|date| date.at(23, 59, 59, 0)))
        .map_err(|_| {
            Usage(format!("expected a time such as 2026-11-30T12:00:00Z or 2026-11-30, got {text:?}"))
        })?;
    Ok(local.to_zoned_datetime(TimeZone::system())?.timestamp())
}

pub(crate) fn inject(at: &Surroundings, out: &mut Out, args: &Inject) -> anyhow::Result<()> {
    let moment = match (args.event.as_deref(), &args.query) {
        (Some("SessionStart"), _) | (None, None) => Moment::SessionStart,
        (Some("UserPromptSubmit"), Some(_)) | (None, Some(_)) => Moment::Prompt,
        (Some("UserPromptSubmit"), None) => {
            return Err(Usage("UserPromptSubmit needs --query with the prompt".to_owned()).into());
        }
        (Some(other), _) => {
            return Err(
                Usage(format!("expected the event SessionStart or UserPromptSubmit, got {other:?}")).into()
            );
        }
    };
    let project = at.project();
    let text = match &args.query {
        Some(query) => text_or_stdin(query)?,
        None => crate::hook::opening_text(&project),
    };
    let engine = at.engine()?;
    let budget = args.budget.map(|chars| InjectBudget { chars, ..at.config.inject.budget });
    let situation = Situation {
        session: None,
        project: Some(&project.id),
        text: &text,
        known: crate::hook::known_text(&at.paths, &project, at.project_dir()),
        budget,
    };
    let injection = engine.injection(moment, &situation)?;
    if args.json {
        let hits: Vec<_> = injection
            .hits
            .iter()
            .filter(|hit| injection.ids().any(|id| *id == hit.memory.id))
            .map(hit_json)
            .collect();
        return out.json(&json!({
            "event": moment.event(),
            "text": injection.block.text,
            "chars": mem_engine::units(&injection.block.text),
            "hits": hits,
            "habits": injection.block.habits,
            "dropped": injection.block.dropped,
            "degraded": injection.degraded,
        }));
    }
    if injection.block.text.is_empty() {
        out.remark("nothing would be injected")?;
    } else {
        out.line(&injection.block.text)?;
        out.remark("")?;
    }
    for hit in injection.hits.iter().filter(|hit| injection.ids().any(|id| *id == hit.memory.id)) {
        out.remark(format!("{}{}", hit.memory.id, explain(hit)))?;
    }
    for dropped in &injection.block.dropped {
        out.remark(format!("left out {}: {}", dropped.id, dropped.reason))?;
    }
    Ok(())
}
