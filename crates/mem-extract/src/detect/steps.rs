//! Observations as events: what was read, searched, edited, run or said, thread by thread.

use super::command::{Command, CommandRole, classify};
use super::shell::{ShellKind, split};
use mem_core::{Observation, Phase};
use std::collections::{BTreeMap, HashSet};

/// How a tool call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// It succeeded.
    Ok,
    /// It failed.
    Failed,
    /// It ran, and how it ended cannot be told, as for the first command of a pipe.
    Unknown,
    /// It was about to run and no end was seen: refused, interrupted, or still running.
    Attempted,
}

/// A file as habits see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRef {
    /// The path with `/`, the drive letter in lower case.
    pub path: String,
    /// Its kind: `*.rs`, `Dockerfile`, or `file` where neither says anything.
    pub kind: String,
}

impl FileRef {
    /// Takes a path in the spelling of any platform.
    pub fn new(path: &str) -> Self {
        let mut path = path.trim().replace('\\', "/");
        while let Some(rest) = path.strip_prefix("./") {
            path = rest.to_owned();
        }
        if path.get(1..2) == Some(":") {
            let drive = path.get(..1).unwrap_or_default().to_ascii_lowercase();
            path.replace_range(..1, &drive);
        }
        let kind = kind_of(&path);
        Self { path, kind }
    }

    /// Whether both mean one file; a relative path means every file that ends in it.
    pub fn same(&self, other: &Self) -> bool {
        let ends = |long: &str, short: &str| {
            long.strip_suffix(short).is_some_and(|head| head.is_empty() || head.ends_with('/'))
        };
        let (a, b) = (tail(&self.path), tail(&other.path));
        !a.is_empty() && !b.is_empty() && (ends(a, b) || ends(b, a))
    }
}

/// The path behind its last `../`.
fn tail(path: &str) -> &str {
    path.rsplit("../").next().unwrap_or(path)
}

fn kind_of(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    if ["Dockerfile", "Makefile", "Justfile", "Jenkinsfile", "Gemfile", "Rakefile", "Procfile"]
        .contains(&name)
    {
        return name.to_owned();
    }
    match name.rsplit_once('.') {
        Some((stem, ext))
            if !stem.is_empty()
                && (1..=10).contains(&ext.len())
                && ext.chars().all(|c| c.is_ascii_alphanumeric()) =>
        {
            // Spellings of one language are one kind.
            let ext = match ext.to_ascii_lowercase().as_str() {
                "tsx" | "mts" | "cts" => "ts".to_owned(),
                "jsx" | "mjs" | "cjs" => "js".to_owned(),
                "yaml" => "yml".to_owned(),
                "htm" => "html".to_owned(),
                "cc" | "cxx" => "cpp".to_owned(),
                ext => ext.to_owned(),
            };
            format!("*.{ext}")
        }
        _ => "file".to_owned(),
    }
}

/// What happened at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum What {
    /// The user spoke.
    Prompt(String),
    /// The agent ended its turn.
    Stop,
    /// A file was read, by a tool or a shell.
    Read(Option<FileRef>),
    /// Files were searched, by a tool or a shell.
    Search,
    /// A file was changed.
    Edit {
        /// Which, where that is known.
        file: Option<FileRef>,
        /// Whether the whole file was written, so that it may be new.
        whole: bool,
    },
    /// A shell command that is none of the above.
    Command,
    /// Any other tool.
    Tool,
}

/// One moment of a thread. A compound shell line gives one event for each of its commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Number of the tool call it belongs to, counted over the thread.
    pub step: usize,
    /// What happened.
    pub what: What,
    /// How it ended.
    pub outcome: Outcome,
    /// The tool's name, empty for prompts and stops.
    pub tool: String,
    /// The shell command.
    pub command: Option<Command>,
    /// Whether it is the only command of its line that could have failed.
    pub sole: bool,
    /// The first lines of the error.
    pub error: Option<String>,
}

impl Event {
    /// The event without names of files or arguments: `Read *.rs`, `cargo test`, `WebFetch`. None for prompts, stops and `cd`, `ls`, ….
    pub fn label(&self) -> Option<String> {
        let of = |verb: &str, file: &Option<FileRef>| match file {
            Some(file) if file.kind != "file" => format!("{verb} {}", file.kind),
            _ => verb.to_owned(),
        };
        match &self.what {
            What::Prompt(_) | What::Stop => None,
            What::Read(file) => Some(of("Read", file)),
            What::Search => Some("Search".to_owned()),
            What::Edit { file, .. } => Some(of("Edit", file)),
            What::Command => {
                self.command.as_ref().filter(|c| c.role != CommandRole::Trivial).map(|c| c.family.clone())
            }
            What::Tool => Some(self.tool.clone()),
        }
    }

    /// The role of its shell command.
    pub fn role(&self) -> Option<CommandRole> {
        self.command.as_ref().map(|c| c.role)
    }

    /// Whether the call ran to an end, well or not.
    pub fn ran(&self) -> bool {
        self.outcome != Outcome::Attempted
    }

    /// Whether the user spoke.
    pub fn is_prompt(&self) -> bool {
        matches!(self.what, What::Prompt(_))
    }

    /// Whether a program was missing, so that the command did not run.
    pub fn missing_program(&self) -> bool {
        self.outcome == Outcome::Failed
            && self.error.as_deref().is_some_and(|e| {
                e.contains("command not found")
                    || e.contains("not recognized as")
                    || e.contains("Exit code 127")
            })
    }
}

/// The events of the main thread or of one subagent, in the order they were received.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Thread {
    /// The subagent; none for the main thread.
    pub agent: Option<String>,
    /// What happened.
    pub events: Vec<Event>,
}

impl Thread {
    /// How many tool calls ran.
    pub fn calls(&self) -> u64 {
        let steps: HashSet<usize> = self.tool_events().map(|e| e.step).collect();
        steps.len() as u64
    }

    /// How many tool calls have an event of which `test` holds.
    pub fn calls_where(&self, mut test: impl FnMut(&Event) -> bool) -> u64 {
        let steps: HashSet<usize> = self.tool_events().filter(|e| test(e)).map(|e| e.step).collect();
        steps.len() as u64
    }

    /// Events of tool calls that ran.
    pub fn tool_events(&self) -> impl Iterator<Item = &Event> {
        self.events.iter().filter(|e| e.ran() && !matches!(e.what, What::Prompt(_) | What::Stop))
    }
}

/// A session, ready for detectors.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionSteps {
    /// The main thread first, then subagents by id.
    pub threads: Vec<Thread>,
}

impl SessionSteps {
    /// Reads the observations of one session, in order of receipt.
    ///
    /// Only ends of calls count; a `pre` without an end gives an [`Outcome::Attempted`] event. A call seen
    /// twice (two installed hooks, one `tool_use_id`) counts once.
    pub fn new(observations: &[Observation]) -> Self {
        let ended: HashSet<&str> = observations
            .iter()
            .filter(|o| matches!(o.phase, Phase::Post | Phase::Failure))
            .filter_map(|o| o.tool_use_id.as_deref())
            .collect();
        let mut seen: HashSet<(Phase, &str)> = HashSet::new();
        let mut threads: BTreeMap<Option<String>, Thread> = BTreeMap::new();
        let mut steps: BTreeMap<Option<String>, usize> = BTreeMap::new();
        for observation in observations {
            let agent = observation.agent_id.clone();
            let thread = threads
                .entry(agent.clone())
                .or_insert_with(|| Thread { agent: agent.clone(), events: Vec::new() });
            let step = steps.entry(agent).or_default();
            match observation.phase {
                Phase::Prompt => {
                    let text = observation.prompt().unwrap_or_default().to_owned();
                    thread.events.push(bare(*step, What::Prompt(text)));
                }
                Phase::Stop => thread.events.push(bare(*step, What::Stop)),
                Phase::Post | Phase::Failure | Phase::Pre => {
                    let id = observation.tool_use_id.as_deref();
                    if observation.phase == Phase::Pre && id.is_none_or(|id| ended.contains(id)) {
                        continue;
                    }
                    let class = if observation.phase == Phase::Pre { Phase::Pre } else { Phase::Post };
                    if id.is_some_and(|id| !seen.insert((class, id))) {
                        continue;
                    }
                    let outcome = match observation.phase {
                        Phase::Pre => Outcome::Attempted,
                        _ if interrupted(observation) => Outcome::Attempted,
                        Phase::Failure => Outcome::Failed,
                        _ if observation.ok == Some(false) => Outcome::Failed,
                        _ => Outcome::Ok,
                    };
                    let Some(tool) = observation.tool.as_deref().filter(|t| !t.is_empty()) else { continue };
                    *step += 1;
                    push_tool(&mut thread.events, *step, tool, outcome, observation);
                }
                _ => {}
            }
        }
        Self { threads: threads.into_values().collect() }
    }

    /// Tool calls that ran, in all threads.
    pub fn calls(&self) -> u64 {
        self.threads.iter().map(Thread::calls).sum()
    }

    /// The main thread.
    pub fn main(&self) -> Option<&Thread> {
        self.threads.iter().find(|t| t.agent.is_none())
    }
}

fn bare(step: usize, what: What) -> Event {
    Event { step, what, outcome: Outcome::Ok, tool: String::new(), command: None, sole: false, error: None }
}

fn interrupted(observation: &Observation) -> bool {
    let flag = |value: Option<&serde_json::Value>| value.and_then(serde_json::Value::as_bool) == Some(true);
    let extra = &observation.extra;
    flag(extra.get("is_interrupt")) || flag(extra.get("response").and_then(|r| r.get("interrupted")))
}

fn push_tool(events: &mut Vec<Event>, step: usize, tool: &str, outcome: Outcome, observation: &Observation) {
    let file = || {
        ["file_path", "notebook_path", "path", "filePath", "target_file"]
            .iter()
            .find_map(|key| observation.input_str(key))
            .filter(|path| !path.trim().is_empty())
            .map(FileRef::new)
    };
    let what = match tool {
        "Bash" | "PowerShell" | "Shell" | "shell" | "run_shell_command" | "local_shell" | "bash" => {
            push_shell(events, step, tool, outcome, observation);
            return;
        }
        "Read" | "NotebookRead" | "View" | "read_file" | "read" => What::Read(file()),
        "Grep" | "Glob" | "Search" | "LS" | "grep" | "glob" | "search_file_content" => What::Search,
        "Edit" | "MultiEdit" | "NotebookEdit" | "Update" | "replace" | "edit" | "apply_patch" => {
            What::Edit { file: file(), whole: false }
        }
        "Write" | "write_file" | "write" => What::Edit { file: file(), whole: !updated(observation) },
        _ => What::Tool,
    };
    let name: String = tool.chars().take(96).collect();
    events.push(Event {
        step,
        what,
        outcome,
        tool: name,
        command: None,
        sole: true,
        error: observation.error.clone(),
    });
}

/// Whether the host said that a `Write` replaced a file that was there; capture keeps the answer's `type`.
fn updated(observation: &Observation) -> bool {
    let response = observation.extra.get("response");
    response.and_then(|r| r.get("type")).and_then(serde_json::Value::as_str) == Some("update")
}

fn push_shell(events: &mut Vec<Event>, step: usize, tool: &str, outcome: Outcome, observation: &Observation) {
    let line = observation.input_str("command").unwrap_or_default();
    let kind = if tool == "PowerShell" { ShellKind::PowerShell } else { ShellKind::Posix };
    let simple = split(line, kind);
    let commands: Vec<(Command, bool)> = simple
        .iter()
        .enumerate()
        .filter_map(|(i, s)| Some((classify(s)?, simple.get(i + 1).is_some_and(|next| next.piped))))
        .collect();
    let weighty = commands.iter().filter(|(c, _)| c.role != CommandRole::Trivial).count();
    for (command, piped_on) in commands {
        let outcome = match outcome {
            // The exit code of a pipe is that of its last command.
            Outcome::Ok | Outcome::Failed if piped_on => Outcome::Unknown,
            // Which of several commands failed is not told.
            Outcome::Failed if weighty > 1 => Outcome::Unknown,
            same => same,
        };
        let file = command.files.first().map(|f| FileRef::new(f));
        let sole = weighty == 1 && command.role != CommandRole::Trivial;
        let base = Event {
            step,
            what: What::Command,
            outcome,
            tool: tool.to_owned(),
            command: Some(command),
            sole,
            error: observation.error.clone(),
        };
        match base.role() {
            Some(CommandRole::Read) => {
                let files = base.command.as_ref().map(|c| c.files.clone()).unwrap_or_default();
                if files.is_empty() {
                    events.push(Event { what: What::Read(None), ..base });
                } else {
                    events.extend(
                        files
                            .iter()
                            .map(|f| Event { what: What::Read(Some(FileRef::new(f))), ..base.clone() }),
                    );
                }
            }
            Some(CommandRole::Search) => events.push(Event { what: What::Search, ..base }),
            Some(CommandRole::Edit) => {
                let whole = base.command.as_ref().is_some_and(|c| {
                    !matches!(c.program.as_str(), "sed" | "perl" | "gsed" | "patch" | "apply_patch")
                });
                events.push(Event { what: What::Edit { file, whole }, ..base });
            }
            _ => events.push(base),
        }
    }
}
