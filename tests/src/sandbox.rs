//! A home, a Claude folder, a user's home and a project, all temporary, and an environment without anything else.

use crate::binary::mem_binary;
use crate::output::{HookOutput, Output};
use serde_json::{Map, Value, json};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A world of its own; gone when dropped.
#[derive(Debug)]
pub struct Sandbox {
    root: PathBuf,
    dir: Option<tempfile::TempDir>,
}

/// Hooks that start nothing in the background.
const QUIET: &str = "[host]\nbackground_work = false\n";
/// Longer than this no background work takes.
const PATIENCE: Duration = Duration::from_secs(30);

impl Default for Sandbox {
    fn default() -> Self {
        Self::new()
    }
}

impl Sandbox {
    /// One whose hooks start no work in the background.
    pub fn new() -> Self {
        Self::with_config(QUIET)
    }

    /// One with a configuration; empty: the defaults.
    pub fn with_config(config: &str) -> Self {
        mem_binary();
        let dir = tempfile::Builder::new().prefix("mem-test-").tempdir().unwrap();
        let root = std::fs::canonicalize(dir.path()).unwrap();
        let sandbox = Self { root, dir: Some(dir) };
        for folder in [sandbox.home(), sandbox.claude(), sandbox.user(), sandbox.root.join("tmp")] {
            fs_err::create_dir_all(folder).unwrap();
        }
        sandbox.make_project("harbor");
        if !config.is_empty() {
            fs_err::write(sandbox.home().join("config.toml"), config).unwrap();
        }
        sandbox
    }

    /// The memory's home.
    pub fn home(&self) -> PathBuf {
        self.root.join("mem home")
    }

    /// Claude Code's folder.
    pub fn claude(&self) -> PathBuf {
        self.root.join("claude")
    }

    /// The user's home.
    pub fn user(&self) -> PathBuf {
        self.root.join("user")
    }

    /// The project at hand.
    pub fn project(&self) -> PathBuf {
        self.root.join("work").join("harbor")
    }

    /// A further project.
    pub fn make_project(&self, name: &str) -> PathBuf {
        let project = self.root.join("work").join(name);
        let git = project.join(".git");
        for folder in ["objects", "refs/heads"] {
            fs_err::create_dir_all(git.join(folder)).unwrap();
        }
        fs_err::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        fs_err::write(git.join("config"), "[core]\n\trepositoryformatversion = 0\n\tbare = false\n").unwrap();
        project
    }

    /// The identity of the project at hand.
    pub fn project_id(&self) -> String {
        self.mem(&["status", "--json"]).json()["project"].as_str().unwrap().to_owned()
    }

    /// `mem` in this world, with nothing set but what names its places.
    pub fn command(&self) -> Command {
        let mut command = Command::new(mem_binary());
        command.env_clear().current_dir(self.project());
        for name in ["PATH", "SystemRoot", "SystemDrive", "PATHEXT"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        let user = self.user();
        command
            .env("HOME", &user)
            .env("USERPROFILE", &user)
            .env("LOCALAPPDATA", user.join("AppData"))
            .env("TMPDIR", self.root.join("tmp"))
            .env("TEMP", self.root.join("tmp"))
            .env("MEM_HOME", self.home())
            .env("CLAUDE_CONFIG_DIR", self.claude())
            .stdin(Stdio::null());
        command
    }

    /// Runs a command to its end.
    pub fn run(command: &mut Command) -> Output {
        let what = format!("{command:?}");
        let done = command.output().unwrap_or_else(|error| panic!("{what}: {error}"));
        Output {
            what: what.chars().take(400).collect(),
            code: done.status.code(),
            stdout: String::from_utf8(done.stdout).expect("standard output is UTF-8"),
            stderr: String::from_utf8_lossy(&done.stderr).into_owned(),
        }
    }

    /// Runs `mem` with arguments.
    pub fn mem(&self, args: &[&str]) -> Output {
        Self::run(self.command().args(args))
    }

    /// Runs `mem` in another folder.
    pub fn mem_in(&self, folder: &Path, args: &[&str]) -> Output {
        Self::run(self.command().current_dir(folder).args(args))
    }

    /// Runs a prepared command with bytes on its standard input.
    pub fn feed(mut command: Command, bytes: &[u8]) -> Output {
        let what: String = format!("{command:?}").chars().take(400).collect();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        give(&mut child, bytes);
        let done = child.wait_with_output().unwrap();
        Output {
            what,
            code: done.status.code(),
            stdout: String::from_utf8(done.stdout).expect("standard output is UTF-8"),
            stderr: String::from_utf8_lossy(&done.stderr).into_owned(),
        }
    }

    /// Runs `mem hook` with flags and raw bytes.
    pub fn hook_raw(&self, flags: &[&str], bytes: &[u8]) -> Output {
        let mut command = self.command();
        command.arg("hook").args(flags);
        Self::feed(command, bytes)
    }

    /// Runs `mem hook` with a payload, and checks that the host would be content with the answer.
    #[track_caller]
    pub fn hook(&self, payload: &Value) -> HookOutput {
        let output = self.hook_raw(&[], payload.to_string().as_bytes());
        HookOutput::check(&output, payload["hook_event_name"].as_str().unwrap_or_default())
    }

    /// An event of a session in the project at hand, with further fields.
    pub fn event(&self, session: &str, name: &str, fields: Value) -> Value {
        let mut payload = Map::new();
        payload.insert("session_id".into(), session.into());
        payload.insert(
            "transcript_path".into(),
            self.claude().join("projects/x/s.jsonl").display().to_string().into(),
        );
        payload.insert("cwd".into(), self.project().display().to_string().into());
        payload.insert("hook_event_name".into(), name.into());
        payload.extend(fields.as_object().cloned().unwrap_or_default());
        Value::Object(payload)
    }

    /// A session begins.
    #[track_caller]
    pub fn start(&self, session: &str, source: &str) -> HookOutput {
        self.hook(&self.event(session, "SessionStart", json!({ "source": source })))
    }

    /// The user says something.
    #[track_caller]
    pub fn prompt(&self, session: &str, prompt: &str) -> HookOutput {
        self.hook(&self.event(
            session,
            "UserPromptSubmit",
            json!({ "prompt": prompt, "permission_mode": "default" }),
        ))
    }

    /// Remembers and returns the id.
    #[track_caller]
    pub fn remember(&self, text: &str, flags: &[&str]) -> String {
        let mut args = vec!["remember", text];
        args.extend(flags);
        let id = self.mem(&args).ok().line();
        assert_eq!(id.split_whitespace().count(), 1, "an id alone: {id:?}");
        id
    }

    /// Every memory, whatever its state and project.
    pub fn memories(&self) -> Vec<Value> {
        let list = self.mem(&["list", "--all", "--all-projects", "--limit", "1000000", "--json"]).json();
        list["memories"].as_array().unwrap().clone()
    }

    /// The ids of the hits of a query, the best first.
    pub fn recall(&self, query: &str) -> Vec<String> {
        let output = self.mem(&["recall", query, "--json"]);
        assert!(matches!(output.code, Some(0 | 3)), "{output:?}");
        let hits = output.any_json();
        hits["hits"].as_array().unwrap().iter().map(|hit| hit["id"].as_str().unwrap().to_owned()).collect()
    }

    /// The check of that name in `mem doctor --json`.
    pub fn doctor(&self, name: &str) -> Value {
        let report = self.mem(&["doctor", "--json"]).any_json();
        let checks = report["checks"].as_array().unwrap();
        checks
            .iter()
            .find(|check| check["name"] == name)
            .unwrap_or_else(|| panic!("no check {name}: {report}"))
            .clone()
    }

    /// The live lines of the journal, each whole and parsed.
    pub fn journal(&self) -> Vec<Value> {
        lines_of(&self.home().join("journal").join("observations.jsonl"))
    }

    /// The live and the archived lines.
    pub fn whole_journal(&self) -> Vec<Value> {
        let mut lines = Vec::new();
        for file in below(&self.home().join("journal").join("archive")) {
            lines.extend(lines_of(&file));
        }
        lines.extend(self.journal());
        lines
    }

    /// What hooks noted as failures.
    pub fn hook_log(&self) -> Vec<String> {
        let lines = lines_of(&self.home().join("hook.log"));
        lines.iter().map(|line| line["error"].as_str().unwrap().to_owned()).collect()
    }

    /// Waits until no process works in the background.
    pub fn wait_until_idle(&self) {
        let begun = Instant::now();
        loop {
            // The lock is tried only when nobody is about to take it: one that finds it taken goes away.
            let requested = self.home().join("work.request").exists();
            let lock = std::fs::File::options().write(true).open(self.home().join("work.lock"));
            if !requested && lock.map_or(true, |lock| lock.try_lock().is_ok()) {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "`mem work` does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        if let Some(dir) = self.dir.take() {
            if std::thread::panicking() && std::env::var_os("MEM_TEST_KEEP").is_some() {
                let _ = dir.keep();
                return;
            }
            // A detached process may still write; what it writes is of no use to anybody.
            for _ in 0..100 {
                if std::fs::remove_dir_all(dir.path()).is_ok() || !dir.path().exists() {
                    return;
                }
                std::thread::sleep(Duration::from_millis(50));
            }
        }
    }
}

/// Hands bytes to a child. One that does not read them to the end is no fault of the giver.
fn give(child: &mut Child, bytes: &[u8]) {
    if let Some(mut stdin) = child.stdin.take() {
        let _ = stdin.write_all(bytes);
    }
}

/// Every file below a folder, sorted.
pub fn below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(_) => files.push(entry.path()),
                Err(_) => {}
            }
        }
    }
    files.sort();
    files
}

/// The files below a folder whose bytes, or whose name, hold a text; UTF-8 and UTF-16 are looked for.
pub fn files_with(folder: &Path, text: &str) -> Vec<PathBuf> {
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let holds = |bytes: &[u8], needle: &[u8]| bytes.windows(needle.len()).any(|window| window == needle);
    let mut found = below(folder);
    found.retain(|path| {
        let bytes = std::fs::read(path).unwrap_or_default();
        path.to_string_lossy().contains(text) || holds(&bytes, text.as_bytes()) || holds(&bytes, &wide)
    });
    found
}

/// The lines of a file of JSON Lines; none when there is no file.
///
/// # Panics
/// When a line is torn or no JSON.
#[track_caller]
pub fn lines_of(path: &Path) -> Vec<Value> {
    let Ok(bytes) = std::fs::read(path) else { return Vec::new() };
    let text = String::from_utf8(bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert!(text.is_empty() || text.ends_with('\n'), "{} ends within a line", path.display());
    let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    text.lines().map(parse).collect()
}
