//! Whole hook processes, each paired with a process that does nothing.

use anyhow::Context as _;
use clap::Args;
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What to measure.
#[derive(Debug, Args)]
pub(crate) struct Hooks {
    /// The binary [default: `mem` beside this one]
    #[arg(long, value_name = "FILE")]
    mem: Option<PathBuf>,
    /// Runs of each, after a tenth as many that are not counted
    #[arg(short, long, default_value_t = 200)]
    runs: usize,
    /// Memories in the store that a session's start and a prompt look through
    #[arg(long, default_value_t = 2_000)]
    memories: usize,
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// One sort of hook, measured.
struct Figures {
    name: &'static str,
    wall_us: Vec<f64>,
    idle_us: Vec<f64>,
    cpu_ms: Option<f64>,
    answer_chars: usize,
}

pub(crate) fn run(args: &Hooks) -> anyhow::Result<()> {
    let mem = match &args.mem {
        Some(mem) => mem.clone(),
        None => std::env::current_exe()?.with_file_name(if cfg!(windows) { "mem.exe" } else { "mem" }),
    };
    anyhow::ensure!(
        mem.is_file(),
        "{} is not there; build it with `cargo build --release -p mem-cli`",
        mem.display()
    );
    let folder = tempfile::tempdir()?;
    let place = Place { mem, home: folder.path().join("home"), folder: folder.path().to_owned() };
    place.fill(args.memories)?;
    let mut all = Vec::new();
    for (name, payload) in place.payloads() {
        all.push(measure(&place, name, &payload, args.runs)?);
    }
    if args.json {
        let rows: Vec<Value> = all.iter().map(Figures::json).collect();
        serde_json::to_writer_pretty(
            std::io::stdout().lock(),
            &json!({ "runs": args.runs, "memories": args.memories, "hooks": rows }),
        )?;
        writeln!(std::io::stdout())?;
        return Ok(());
    }
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "{:<22} {:>10} {:>10} {:>10} {:>8} {:>8} {:>8}",
        "hook", "p50 µs", "p95 µs", "true µs", "ratio", "CPU ms", "answer"
    )?;
    for figures in &all {
        let cpu = figures.cpu_ms.map_or_else(|| "-".to_owned(), |cpu| format!("{cpu:.2}"));
        writeln!(
            out,
            "{:<22} {:>10.0} {:>10.0} {:>10.0} {:>8.2} {cpu:>8} {:>8}",
            figures.name,
            quantile(&figures.wall_us, 0.5),
            quantile(&figures.wall_us, 0.95),
            quantile(&figures.idle_us, 0.5),
            figures.ratio(),
            figures.answer_chars
        )?;
    }
    Ok(())
}

struct Place {
    mem: PathBuf,
    home: PathBuf,
    folder: PathBuf,
}

impl Place {
    /// Stores memories in both languages by the library and turns background work off, so that only hooks run.
    fn fill(&self, memories: usize) -> anyhow::Result<()> {
        fs_err::create_dir_all(&self.home)?;
        fs_err::write(self.home.join("config.toml"), "[host]\nbackground_work = false\n")?;
        fs_err::create_dir_all(self.folder.join("project"))?;
        let id = "bench/harbor";
        fs_err::write(self.folder.join("project/.mem.toml"), format!("id = \"{id}\"\n"))?;
        let engine = mem_engine::Engine::builder(&self.home).open()?;
        let project: mem_core::ProjectId = id.parse()?;
        let now = jiff::Timestamp::now();
        let kinds = mem_core::Kind::ALL;
        let batch: Vec<_> = (0..memories)
            .map(|n| {
                let text = if n % 3 == 0 {
                    format!("第 {n} 号泊位的潮汐表由 tides/berth_{n}.rs 计算，端口是 {}", 4_000 + n)
                } else {
                    format!("Berth {n} is served by crates/harbor/src/berth_{n}.rs on port {}; retries are queued", 4_000 + n)
                };
                let kind = kinds[n % kinds.len()];
                mem_core::Memory::new(kind, text, now).in_project(project.clone())
            })
            .collect();
        engine.store().put(&batch)?;
        Ok(engine.catch_up()?)
    }

    fn payloads(&self) -> Vec<(&'static str, String)> {
        let cwd = self.folder.join("project").display().to_string();
        let common = |event: &str, more: Value| {
            let mut payload = json!({
                "session_id": "0b5d7a52-6f0e-4b53-9d51-2f8c1a3f9b10", "transcript_path": "/tmp/none.jsonl", "cwd": cwd,
                "hook_event_name": event, "permission_mode": "default",
            });
            if let (Some(map), Value::Object(more)) = (payload.as_object_mut(), more) {
                map.extend(more);
            }
            payload.to_string()
        };
        let output = "test berths::assigns_by_length ... ok\n".repeat(36);
        vec![
            (
                "PostToolUse 2 kB",
                common(
                    "PostToolUse",
                    json!({ "tool_name": "Bash", "tool_input": { "command": "cargo test -p harbor", "description": "Run tests" },
                            "tool_response": { "stdout": output, "stderr": "", "interrupted": false, "isImage": false },
                            "tool_use_id": "toolu_01", "duration_ms": 812 }),
                ),
            ),
            ("Stop", common("Stop", json!({ "stop_hook_active": false, "last_assistant_message": "Done." }))),
            ("SessionStart", common("SessionStart", json!({ "source": "startup" }))),
            (
                "UserPromptSubmit hit",
                common("UserPromptSubmit", json!({ "prompt": "which port does berth 1234 use?" })),
            ),
            (
                "UserPromptSubmit miss",
                common("UserPromptSubmit", json!({ "prompt": "what is the capital of France?" })),
            ),
        ]
    }

    fn hook(&self) -> Command {
        let mut command = Command::new(&self.mem);
        command.args(["--home".as_ref(), self.home.as_os_str(), "hook".as_ref()]);
        command.env("CLAUDE_CONFIG_DIR", self.folder.join("claude"));
        command
    }
}

fn measure(place: &Place, name: &'static str, payload: &str, runs: usize) -> anyhow::Result<Figures> {
    let mut figures =
        Figures { name, wall_us: Vec::new(), idle_us: Vec::new(), cpu_ms: None, answer_chars: 0 };
    for _ in 0..runs.div_ceil(10) {
        once(&mut place.hook(), payload)?;
    }
    for _ in 0..runs {
        let (idle, _) = once(&mut Command::new("true"), payload)?;
        let (wall, answer) = once(&mut place.hook(), payload)?;
        figures.idle_us.push(idle.as_secs_f64() * 1e6);
        figures.wall_us.push(wall.as_secs_f64() * 1e6);
        figures.answer_chars = figures.answer_chars.max(answer);
    }
    let before = child_cpu_ms();
    for _ in 0..runs {
        once(&mut place.hook(), payload)?;
    }
    figures.cpu_ms = match (before, child_cpu_ms()) {
        (Some(before), Some(after)) => Some((after - before) / runs as f64),
        _ => None,
    };
    Ok(figures)
}

/// Starts a process, feeds it, waits for it: the time from before the start to after the end.
fn once(command: &mut Command, payload: &str) -> anyhow::Result<(Duration, usize)> {
    let started = Instant::now();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot start {command:?}"))?;
    if let Some(mut stdin) = child.stdin.take() {
        // `true` does not read; what it leaves is no fault.
        let _ = stdin.write_all(payload.as_bytes());
    }
    let output = child.wait_with_output()?;
    let wall = started.elapsed();
    anyhow::ensure!(output.status.success(), "{command:?} ended with {}", output.status);
    Ok((wall, String::from_utf8_lossy(&output.stdout).chars().count()))
}

/// CPU time of all children waited for so far, in milliseconds: `cutime` and `cstime` of proc(5), at the usual 100
/// ticks a second. None where there is no `/proc`.
fn child_cpu_ms() -> Option<f64> {
    let stat = fs_err::read_to_string(Path::new("/proc/self/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<f64>().ok();
    Some((ticks(13)? + ticks(14)?) * 10.0)
}

impl Figures {
    /// Median of the ratios, pair by pair: it holds when the machine's speed drifts.
    fn ratio(&self) -> f64 {
        let ratios: Vec<f64> =
            self.wall_us.iter().zip(&self.idle_us).map(|(wall, idle)| wall / idle).collect();
        quantile(&ratios, 0.5)
    }

    fn json(&self) -> Value {
        json!({
            "hook": self.name, "p50_us": quantile(&self.wall_us, 0.5), "p95_us": quantile(&self.wall_us, 0.95),
            "true_p50_us": quantile(&self.idle_us, 0.5), "ratio_p50": self.ratio(), "cpu_ms": self.cpu_ms,
            "answer_chars": self.answer_chars,
        })
    }
}

/// The value below which a share of the values lie; nearest rank.
fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(at.saturating_sub(1)).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_values_of_the_sample() {
        let values = [5.0, 1.0, 4.0, 2.0, 3.0];
        assert_eq!(quantile(&values, 0.5), 3.0);
        assert_eq!(quantile(&values, 0.95), 5.0);
        assert!(quantile(&[], 0.5).is_nan());
    }
}
