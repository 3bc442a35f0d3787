//! `mem doctor`: the health of every part.

use super::wiring::{settings, this_binary};
use crate::context::{Surroundings, now};
use crate::hook;
use crate::output::{Out, ago, printable};
use crate::wire::{self, Agent};
use mem_engine::Engine;
use serde::Serialize;

/// How a check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Health {
    Ok,
    Warn,
    Fail,
}

#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    status: Health,
    detail: String,
    fix: Option<String>,
}

#[derive(Debug, Serialize)]
struct Report {
    ok: bool,
    checks: Vec<Check>,
}

fn check(name: &'static str, status: Health, detail: impl Into<String>, fix: Option<&str>) -> Check {
    Check { name, status, detail: detail.into(), fix: fix.map(str::to_owned) }
}

pub(crate) fn doctor(at: &Surroundings, out: &mut Out, fix: bool, json: bool) -> anyhow::Result<()> {
    let mut checks = vec![home(at), configuration(at), binary(), wired(at), failures(at)];
    match at.engine() {
        Ok(engine) => {
            if fix {
                checks.extend(mend(&engine));
            }
            checks.push(database(&engine));
            checks.extend(views(&engine));
            checks.push(redactions(&engine));
        }
        Err(error) => {
            let fix = "restore a backup with `mem restore FILE`, or move mem.db away to start anew";
            checks.push(check("database", Health::Fail, crate::error::sentence(&error), Some(fix)));
        }
    }
    let report = Report { ok: checks.iter().all(|check| check.status != Health::Fail), checks };
    if json {
        out.json(&report)?;
    } else {
        for check in &report.checks {
            let mark = match check.status {
                Health::Ok => "ok  ",
                Health::Warn => "warn",
                Health::Fail => "FAIL",
            };
            out.line(format!("{mark}  {:<10} {}", check.name, check.detail))?;
            if let Some(fix) = &check.fix {
                out.line(format!("                 → {fix}"))?;
            }
        }
    }
    out.flush()?;
    if report.ok { Ok(()) } else { Err(anyhow::anyhow!("something is wrong, see above")) }
}

fn home(at: &Surroundings) -> Check {
    let home = at.layout.home();
    let probe = home.join(format!(".doctor-{}", std::process::id()));
    match std::fs::create_dir_all(home).and_then(|()| std::fs::write(&probe, b"")) {
        Ok(()) => {
            let _ = std::fs::remove_file(&probe);
            check("home", Health::Ok, home.display().to_string(), None)
        }
        Err(error) => {
            let fix = "give mem a writable folder: --home DIR or MEM_HOME";
            check("home", Health::Fail, format!("{} cannot be written: {error}", home.display()), Some(fix))
        }
    }
}

fn configuration(at: &Surroundings) -> Check {
    match &at.config_problem {
        Some(problem) => {
            let fix = "correct the file; hooks use the defaults until then, other commands refuse to run";
            check("config", Health::Fail, problem.to_string(), Some(fix))
        }
        None if at.paths.config.exists() => {
            check("config", Health::Ok, at.paths.config.display().to_string(), None)
        }
        None => check("config", Health::Ok, "the defaults", None),
    }
}

fn binary() -> Check {
    match this_binary() {
        Ok(path) => {
            check("binary", Health::Ok, format!("{} {}", path.display(), env!("CARGO_PKG_VERSION")), None)
        }
        Err(error) => check("binary", Health::Warn, format!("{error:#}"), None),
    }
}

/// Whether the hooks are wired, for the user or for this project, to a binary that is there.
fn wired(at: &Surroundings) -> Check {
    let exe = this_binary().ok();
    let mut detail = Vec::new();
    let mut found = 0;
    let mut worst = Health::Ok;
    for project_only in [false, true] {
        let Ok(path) = settings(at, Agent::Claude, project_only) else { continue };
        match wire::inspect(Agent::Claude, &path, exe.as_deref()) {
            Ok(Some(wiring)) if !wiring.events.is_empty() => {
                found += 1;
                let gone = wiring.events.iter().filter(|event| event.program_exists() == Some(false)).count();
                detail.push(format!("{} events in {}", wiring.events.len(), path.display()));
                if gone > 0 {
                    worst = Health::Fail;
                    detail.push(format!("{gone} of them name a binary that does not exist"));
                }
                let elsewhere = wiring.events.iter().filter_map(|event| event.invocation.home());
                if let Some(home) =
                    elsewhere.into_iter().find(|home| std::path::Path::new(home) != at.layout.home())
                {
                    worst = if worst == Health::Fail { worst } else { Health::Warn };
                    detail.push(format!("they write to {home}, this is {}", at.layout.home().display()));
                }
                if !wiring.missing.is_empty() {
                    worst = if worst == Health::Fail { worst } else { Health::Warn };
                    detail.push(format!("not wired: {}", wiring.missing.join(", ")));
                }
                if wiring.disable_all_hooks {
                    worst = Health::Fail;
                    detail.push("disableAllHooks is set".to_owned());
                }
            }
            Ok(_) => {}
            Err(error) => {
                worst = Health::Fail;
                detail.push(crate::error::sentence(&error.into()));
            }
        }
    }
    if found == 0 && worst == Health::Ok {
        return check("hooks", Health::Warn, "not wired into Claude Code", Some("mem init"));
    }
    if found > 1 {
        worst = if worst == Health::Fail { worst } else { Health::Warn };
        detail.push("wired twice: events are captured twice".to_owned());
    }
    check("hooks", worst, detail.join("; "), (worst != Health::Ok).then_some("mem init"))
}

/// Days of hook failures that are shown.
const DAYS: i64 = 7;

fn failures(at: &Surroundings) -> Check {
    let now = now();
    let since = now.checked_sub(jiff::SignedDuration::from_hours(24 * DAYS)).unwrap_or(now);
    let failures = hook::recent(&at.layout, since);
    match failures.last() {
        None => check("failures", Health::Ok, format!("no hook failed in the last {DAYS} days"), None),
        Some(last) => check(
            "failures",
            Health::Warn,
            format!(
                "{} in the last {DAYS} days; the latest, {}: {}",
                failures.len(),
                ago(last.ts, now),
                printable(&last.error)
            ),
            Some("the agent was not disturbed; what the message says helps"),
        ),
    }
}

fn database(engine: &Engine) -> Check {
    match engine.integrity() {
        Ok(()) => check("database", Health::Ok, "sound", None),
        Err(error) => {
            let fix = "restore a backup with `mem restore FILE`";
            check("database", Health::Fail, crate::error::sentence(&error.into()), Some(fix))
        }
    }
}

fn views(engine: &Engine) -> Vec<Check> {
    let status = match engine.status() {
        Ok(status) => status,
        Err(error) => {
            return vec![check(
                "index",
                Health::Fail,
                crate::error::sentence(&error.into()),
                Some("mem reindex"),
            )];
        }
    };
    let index = match (&status.index.error, status.index.fresh) {
        (Some(error), _) => check(
            "index",
            Health::Warn,
            format!("BM25 cannot be read, recall answers without it: {error}"),
            Some("mem reindex"),
        ),
        (None, false) => {
            let detail =
                format!("{} changes and {} vectors behind", status.queue.unindexed, status.queue.unembedded);
            check("index", Health::Warn, detail, Some("mem work"))
        }
        (None, true) => {
            let detail = format!(
                "{} memories in BM25, {} with vectors",
                status.index.bm25_memories.unwrap_or(0),
                status.index.vectors
            );
            check("index", Health::Ok, detail, None)
        }
    };
    let journal = &status.observations;
    let detail = format!(
        "{} live, {} archived, {} to learn from",
        journal.live, journal.archived, status.queue.unlearned
    );
    let model = match super::model::health(engine) {
        Ok((detail, fix)) => {
            check("model", if fix.is_some() { Health::Warn } else { Health::Ok }, detail, fix)
        }
        Err(error) => check("model", Health::Warn, crate::error::sentence(&error), None),
    };
    vec![index, check("journal", Health::Ok, detail, None), model]
}

fn redactions(engine: &Engine) -> Check {
    match engine.redactions() {
        Ok(counts) if counts.is_empty() => check("redaction", Health::Ok, "no secrets were seen", None),
        Ok(counts) => {
            let kinds: Vec<String> = counts.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
            check("redaction", Health::Ok, format!("taken out before writing: {}", kinds.join(", ")), None)
        }
        Err(error) => check("redaction", Health::Warn, crate::error::sentence(&error.into()), None),
    }
}

/// Rebuilds the views and does what is queued.
fn mend(engine: &Engine) -> Vec<Check> {
    let mut done = Vec::new();
    let fresh = engine.status().is_ok_and(|status| status.index.fresh && status.index.error.is_none());
    if !fresh {
        done.push(match engine.reindex() {
            Ok(count) => check("mended", Health::Ok, format!("index rebuilt, {count} memories"), None),
            Err(error) => check("mended", Health::Fail, crate::error::sentence(&error.into()), None),
        });
    }
    match engine.work(None) {
        Ok(worked) if worked.failed.is_empty() => {}
        Ok(worked) => {
            let detail = format!(
                "steps that failed: {}; {}",
                worked.failed.join(", "),
                engine.take_notes().join("; ")
            );
            done.push(check("mended", Health::Warn, detail, None));
        }
        Err(error) => done.push(check("mended", Health::Warn, crate::error::sentence(&error.into()), None)),
    }
    done
}
