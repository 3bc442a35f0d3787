use super::*;
use mem_core::{Phase, SessionId, Timestamp};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Builds the observations of one session.
#[derive(Default)]
struct Script {
    list: Vec<Observation>,
    agent: Option<String>,
}

impl Script {
    fn push(mut self, phase: Phase, tool: Option<&str>, input: Value) -> Self {
        let n = self.list.len() as i64;
        let mut o = Observation::new(SessionId::new("s").unwrap(), Timestamp::from_second(n).unwrap(), phase);
        o.tool = tool.map(str::to_owned);
        o.input = input.as_object().unwrap().clone();
        o.ok = (phase != Phase::Failure).then_some(true);
        o.tool_use_id = tool.map(|_| format!("t{n}"));
        o.agent_id = self.agent.clone();
        self.list.push(o);
        self
    }
    fn agent(mut self, id: Option<&str>) -> Self {
        self.agent = id.map(str::to_owned);
        self
    }
    fn read(self, path: &str) -> Self {
        self.push(Phase::Post, Some("Read"), json!({"file_path": path}))
    }
    fn edit(self, path: &str) -> Self {
        self.push(Phase::Post, Some("Edit"), json!({"file_path": path, "old_string": "a", "new_string": "b"}))
    }
    fn write(self, path: &str) -> Self {
        self.push(Phase::Post, Some("Write"), json!({"file_path": path, "content": "x"}))
    }
    fn grep(self) -> Self {
        self.push(Phase::Post, Some("Grep"), json!({"pattern": "x"}))
    }
    fn run(self, command: &str) -> Self {
        self.push(Phase::Post, Some("Bash"), json!({"command": command}))
    }
    fn fail(mut self, command: &str, error: &str) -> Self {
        self = self.push(Phase::Failure, Some("Bash"), json!({"command": command}));
        self.list.last_mut().unwrap().error = Some(error.to_owned());
        self
    }
    fn attempt(self, command: &str) -> Self {
        self.push(Phase::Pre, Some("Bash"), json!({"command": command}))
    }
    fn say(self, prompt: &str) -> Self {
        self.push(Phase::Prompt, None, json!({"prompt": prompt}))
    }
    fn findings(&self) -> Vec<Finding> {
        self.with_known(&[])
    }
    fn with_known(&self, known: &[&str]) -> Vec<Finding> {
        let known: Vec<InstinctId> = known.iter().map(|k| InstinctId::new(*k).unwrap()).collect();
        Detectors::default().run(&self.list, &known)
    }
}

fn find<'a>(findings: &'a [Finding], id: &str) -> &'a Finding {
    let ids: Vec<&str> = findings.iter().map(|f| f.id.as_str()).collect();
    findings.iter().find(|f| f.id.as_str() == id).unwrap_or_else(|| panic!("no {id} in {ids:?}"))
}

fn counts(findings: &[Finding], id: &str) -> (u64, u64) {
    let c = find(findings, id).counts;
    (c.hits, c.opportunities)
}

#[test]
fn fewer_than_three_calls_say_nothing() {
    assert_eq!(Script::default().read("/a.rs").edit("/a.rs").findings(), []);
}

#[test]
fn read_before_edit_counts_first_edits_of_existing_files_by_kind() {
    let found = Script::default()
        .read("/p/src/a.rs")
        .edit("/p/src/a.rs")
        .edit("/p/src/a.rs")
        .edit("/p/src/b.rs")
        .write("/p/src/new.rs")
        .edit("/p/src/new.rs")
        .run("cat src/c.rs | head -5")
        .edit("/p/src/c.rs")
        .edit("/p/x.py")
        .findings();
    let rs = find(&found, "read-before-edit-rs");
    assert_eq!((rs.counts.hits, rs.counts.opportunities), (2, 3));
    assert_eq!((rs.counts.base_hits, rs.counts.base_total), (2, 2));
    assert_eq!(rs.trigger, "before editing a `*.rs` file");
    assert_eq!(rs.action, "Read the file first (Read), then Edit");
    assert_eq!(rs.standing, Standing::Shown);
    assert_eq!(counts(&found, "read-before-edit-py"), (0, 1));
    assert_eq!(find(&found, "read-before-edit-py").standing, Standing::Absent);
}

#[test]
fn threads_do_not_know_what_others_read() {
    let found = Script::default()
        .read(r"C:\p\a.rs")
        .agent(Some("sub"))
        .edit("c:/p/a.rs")
        .agent(None)
        .edit(r"c:\p\a.rs")
        .findings();
    assert_eq!(counts(&found, "read-before-edit-rs"), (1, 2));
}

#[test]
fn a_refused_edit_is_a_miss_and_other_failures_are_none() {
    let mut script = Script::default().grep();
    for error in ["File has not been read yet. Read it first", "String to replace not found"] {
        script =
            script.push(Phase::Failure, Some("Edit"), json!({"file_path": format!("/{}.rs", error.len())}));
        script.list.last_mut().unwrap().error = Some(error.to_owned());
    }
    assert_eq!(counts(&script.findings(), "read-before-edit-rs"), (0, 1));
}

#[test]
fn a_write_over_an_unread_file_is_a_miss_when_the_host_says_so() {
    let mut script = Script::default().grep().write("/new.py").write("/old.py");
    script.list[2].extra.insert("response".to_owned(), json!({"type": "update"}));
    assert_eq!(counts(&script.findings(), "read-before-edit-py"), (0, 1));
}

#[test]
fn an_interrupted_command_neither_failed_nor_succeeded() {
    let mut script = Script::default()
        .run("ls")
        .run("ls")
        .run("ls")
        .fail("cargo test", "x")
        .edit("/a.rs")
        .run("cargo test");
    script.list[3].extra.insert("is_interrupt".to_owned(), json!(true));
    assert!(!script.findings().iter().any(|f| f.id.as_str().starts_with("fix-")));
}

#[test]
fn search_then_read_then_edit() {
    let found = Script::default()
        .grep()
        .read("/a.ts")
        .edit("/a.ts")
        .read("/b.ts")
        .run("rg foo src")
        .edit("/b.ts")
        .findings();
    // The second: the search at the start is within the window, its read came after it.
    assert_eq!(counts(&found, "search-before-edit-ts"), (2, 2));
    let found = Script::default().read("/a.ts").grep().edit("/a.ts").findings();
    assert_eq!(counts(&found, "search-before-edit-ts"), (0, 1));
}

#[test]
fn tests_after_a_burst_of_edits() {
    let found = Script::default()
        .edit("/a.rs")
        .edit("/b.rs")
        .run("cd x && cargo test -p foo 2>&1 | tail -3")
        .edit("/a.rs")
        .say("next")
        .edit("/README.md")
        .edit("/c.rs")
        .fail("cargo test", "Exit code 101")
        .findings();
    let finding = find(&found, "test-after-edit-cargo-test");
    assert_eq!((finding.counts.hits, finding.counts.opportunities), (2, 3));
    assert_eq!(finding.counts.base_hits, 2);
    assert_eq!(finding.domain, "testing");
    assert_eq!(finding.action, "Run `cargo test` before moving on");
}

#[test]
fn edits_without_tests_count_against_the_usual_runner_and_known_ones() {
    let script = Script::default().edit("/a.rs").edit("/b.rs").edit("/c.ts").say("ok");
    let found = script.with_known(&["test-after-edit-pnpm-test", "test-after-edit-go-test"]);
    assert_eq!(counts(&found, "test-after-edit-cargo-test"), (0, 1));
    assert_eq!(counts(&found, "test-after-edit-pnpm-test"), (0, 1));
    assert!(!found.iter().any(|f| f.id.as_str() == "test-after-edit-go-test"));
    // Another runner of the kind takes the usual one's place.
    let found = Script::default().edit("/a.rs").run("cargo nextest run").run("ls").findings();
    assert_eq!(counts(&found, "test-after-edit-cargo-nextest"), (1, 1));
    assert!(!found.iter().any(|f| f.id.as_str() == "test-after-edit-cargo-test"));
}

#[test]
fn errors_and_the_fix_that_worked() {
    let found = Script::default()
        .fail("npm run build", "Exit code 1\nCannot find module 'zod'")
        .run("npm install zod")
        .run("npm run build")
        .fail("cargo build", "Exit code 101")
        .fail("cargo build", "Exit code 101")
        .run("cargo build --offline")
        .findings();
    let install = find(&found, "fix-npm-run-build-install-npm-install");
    assert_eq!((install.counts.hits, install.counts.opportunities), (1, 1));
    assert_eq!(install.trigger, "when `npm run build` fails");
    assert_eq!(install.standing, Standing::Shown);
    let flag = find(&found, "fix-cargo-build-flag-offline");
    assert_eq!(flag.action, "Run `cargo build` with `--offline`");
    assert_eq!(flag.domain, "debugging");
}

#[test]
fn an_edit_between_fails_and_success_founds_only_when_it_repeats() {
    let once = Script::default().fail("cargo test", "x").edit("/a.rs").run("cargo test");
    assert_eq!(find(&once.findings(), "fix-cargo-test-edit-rs").standing, Standing::Weak);
    let twice = once.fail("cargo test", "x").edit("/a.rs").run("cargo test");
    assert_eq!(find(&twice.findings(), "fix-cargo-test-edit-rs").standing, Standing::Shown);
    // Nothing in between is a flake; a pipe hides the failure; a failing pair does not tell which failed.
    let flake = Script::default()
        .fail("cargo test", "x")
        .run("cargo test")
        .fail("cargo check && cargo doc", "x")
        .edit("/a.rs")
        .run("cargo check");
    assert!(!flake.findings().iter().any(|f| f.id.as_str().starts_with("fix-")), "{:?}", flake.findings());
    // The same failure without a fix counts against a known one.
    let none = Script::default().fail("cargo test", "x").run("ls").run("ls");
    assert_eq!(counts(&none.with_known(&["fix-cargo-test-edit-rs"]), "fix-cargo-test-edit-rs"), (0, 1));
}

#[test]
fn a_failed_edit_mended_by_reading_again() {
    let found = Script::default()
        .push(Phase::Failure, Some("Edit"), json!({"file_path": "/a.rs"}))
        .read("/a.rs")
        .edit("/a.rs")
        .findings();
    assert_eq!(counts(&found, "fix-edit-reread"), (1, 1));
}

#[test]
fn checks_before_commits() {
    let found = Script::default()
        .run("git status && git diff --stat")
        .run("cargo test")
        .run("git add -A && git commit -m 'x; git status'")
        .fail("cargo test", "x")
        .run("git status --short && git commit -am y")
        .findings();
    assert_eq!(counts(&found, "check-before-commit-git-status"), (2, 2));
    assert_eq!(counts(&found, "check-before-commit-git-diff"), (1, 2));
    assert_eq!(counts(&found, "check-before-commit-cargo-test"), (1, 2));
    assert_eq!(find(&found, "check-before-commit-git-status").trigger, "before `git commit`");
    let bare = Script::default().edit("/a.md").run("git add .").run("git commit -m x").findings();
    assert_eq!(find(&bare, "check-before-commit-git-diff").standing, Standing::Absent);
}

#[test]
fn preflight_of_tools() {
    let script = Script::default()
        .run("which gh && gh auth status")
        .run("gh pr list")
        .run("gh pr view 1")
        .run("docker ps");
    let found = script.with_known(&["preflight-docker-version", "preflight-kubectl-which"]);
    assert_eq!(counts(&found, "preflight-gh-which"), (1, 1));
    assert_eq!(counts(&found, "preflight-gh-auth"), (1, 1));
    assert_eq!(counts(&found, "preflight-docker-version"), (0, 1));
    assert!(!found.iter().any(|f| f.id.as_str().contains("kubectl")));
}

#[test]
fn workflows_that_come_again() {
    let mut script = Script::default();
    for n in 0..4 {
        script = script
            .grep()
            .edit(&format!("/{n}.sql"))
            .run("make migrate")
            .run("cargo sqlx prepare")
            .read("/x.md")
            .say("next");
    }
    let found: Vec<Finding> = script.findings().into_iter().filter(|f| f.detector == "workflow").collect();
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(
        found[0].id.as_str(),
        "workflow-search-then-edit-sql-then-make-migrate-then-cargo-sqlx-then-read-md"
    );
    assert_eq!((found[0].counts.hits, found[0].counts.opportunities), (4, 4));
    assert!(found[0].counts.lift().unwrap() > 2.0);

    // Reads alone, and a loop of two, are none.
    let mut dull = Script::default();
    for n in 0..9 {
        dull = dull.read(&format!("/{n}.rs")).read("/b.py").edit("/c.rs");
    }
    assert!(!dull.findings().iter().any(|f| f.detector == "workflow"));

    // A loop gives one of its rotations, and a later session counts against it.
    let mut ring = Script::default();
    for _ in 0..5 {
        ring = ring.edit("/a.proto").run("make stubs").run("buf lint");
    }
    let found: Vec<Finding> = ring.findings().into_iter().filter(|f| f.detector == "workflow").collect();
    assert_eq!(found.len(), 1, "{found:#?}");
    let id = found[0].id.as_str().to_owned();
    assert_eq!(id, "workflow-edit-proto-then-make-stubs-then-buf");
    let broken =
        Script::default().edit("/a.proto").run("make stubs").run("ls -l").run("git push").findings_known(&id);
    assert_eq!(counts(&broken, &id), (0, 1));

    // Steps that other detectors see, one by one, are no workflow; nor is one that ends in a commit.
    let mut usual = Script::default();
    for n in 0..5 {
        usual = usual
            .grep()
            .read(&format!("/{n}.rs"))
            .edit(&format!("/{n}.rs"))
            .run("cargo test")
            .run("git commit -m x");
    }
    assert!(!usual.findings().iter().any(|f| f.detector == "workflow"), "{:#?}", usual.findings());
    let mut tidy = Script::default();
    for n in 0..5 {
        tidy = tidy.edit(&format!("/{n}.rs")).run("cargo fmt").run("cargo clippy").run("git commit -m x");
    }
    let ids: Vec<String> = tidy
        .findings()
        .into_iter()
        .filter(|f| f.detector == "workflow")
        .map(|f| f.id.as_str().to_owned())
        .collect();
    assert_eq!(ids, ["workflow-edit-rs-then-cargo-fmt-then-cargo-clippy"]);
    let old = "workflow-edit-rs-then-cargo-fmt-then-git-commit";
    let told = Script::default().edit("/a.rs").run("cargo fmt").run("git commit -m x").findings_known(old);
    assert!(!told.iter().any(|f| f.id.as_str() == old));
}

#[test]
fn a_shell_is_told_its_own_way_of_asking() {
    let found = Script::default().run("Get-Command az").run("az group list").run("az group show").findings();
    assert_eq!(find(&found, "preflight-az-which").action, "Check that it is installed (`Get-Command az`)");
    let found = Script::default().run("which az").run("az group list").run("az group show").findings();
    assert_eq!(find(&found, "preflight-az-which").action, "Check that it is installed (`which az`)");
}

#[test]
fn scripts_and_spellings_of_one_language_are_families() {
    let mut script = Script::default();
    for n in 0..3 {
        script = script
            .edit(&format!("/app/models{n}.py"))
            .run("python manage.py makemigrations")
            .run("python3 manage.py migrate")
            .say("next");
    }
    let ids: Vec<String> = script
        .findings()
        .into_iter()
        .filter(|f| f.detector == "workflow")
        .map(|f| f.id.as_str().to_owned())
        .collect();
    assert_eq!(ids, ["workflow-edit-py-then-python-manage-py-makemigrations-then-python-manage-py-migrate"]);
    let both = Script::default().read("/a.tsx").edit("/a.tsx").read("/b.ts").edit("/b.ts").findings();
    assert_eq!(counts(&both, "read-before-edit-ts"), (2, 2));
}

#[test]
fn verbs_of_one_program_are_told_apart() {
    let said = "use cargo nextest instead of cargo test";
    let script = Script::default().edit("/a.rs").run("cargo test").run("cargo test").say(said);
    let id = "correction-use-cargo-nextest-not-cargo-test";
    let finding = find(&script.findings(), id).clone();
    assert_eq!((finding.counts.hits, finding.counts.opportunities), (1, 2));
    assert_eq!(finding.action, "Use `cargo nextest` instead of `cargo test`");
    let later = Script::default().edit("/a.rs").run("cargo nextest run").run("cargo test").findings_known(id);
    assert_eq!(counts(&later, id), (1, 2));
}

impl Script {
    fn findings_known(&self, id: &str) -> Vec<Finding> {
        self.with_known(&[id])
    }
}

#[test]
fn corrections_by_the_user() {
    for (prompt, id) in [
        ("no, use pnpm", "correction-use-pnpm-not-npm"),
        ("No, use pnpm instead of npm.", "correction-use-pnpm-not-npm"),
        ("不要用 npm，用 pnpm", "correction-use-pnpm-not-npm"),
        ("别用npm，改用pnpm", "correction-use-pnpm-not-npm"),
        ("please don't use npm here, use pnpm", "correction-use-pnpm-not-npm"),
        ("stop", "correction-ask-before-npm-install"),
        ("revert that", "correction-ask-before-npm-install"),
        ("不要自动安装依赖", "correction-ask-before-npm-install"),
        ("we use pnpm here, not npm", "correction-use-pnpm-not-npm"),
        ("这个项目用的是 pnpm 啊", "correction-use-pnpm-not-npm"),
        ("I didn't ask you to install anything", "correction-ask-before-npm-install"),
        ("我没让你安装依赖啊", "correction-ask-before-npm-install"),
    ] {
        let script = Script::default().run("ls").run("ls").run("npm install lodash").say(prompt);
        let found = script.findings();
        let finding = find(&found, id);
        assert_eq!((finding.counts.hits, finding.counts.opportunities), (1, 1), "{prompt}");
        assert_eq!((finding.counts.base_hits, finding.counts.base_total), (1, 1), "{prompt}");
        assert_eq!(finding.standing, Standing::Shown);
    }
    for prompt in [
        "no problem, go on",
        "use the other function",
        "stop the server on port 80",
        "别担心",
        "不用谢",
        "now use pnpm?",
        "don't forget the docs",
    ] {
        let found = Script::default().run("ls").run("ls").run("npm install lodash").say(prompt).findings();
        assert!(!found.iter().any(|f| f.detector == "correction"), "{prompt}: {found:#?}");
    }
}

#[test]
fn a_refused_push_is_a_correction_and_later_sessions_count() {
    let id = "correction-ask-before-git-push";
    let found =
        Script::default().run("ls").run("ls").run("ls").attempt("git push").say("don't push yet").findings();
    assert_eq!(counts(&found, id), (1, 1));
    assert_eq!(find(&found, id).action, "Ask the user before `git push`: they stopped or took it back");
    let later = Script::default()
        .run("ls")
        .run("git push")
        .run("git push")
        .with_known(&[id, "correction-use-pnpm-not-npm"]);
    assert_eq!(counts(&later, id), (0, 2));
    let kept = Script::default()
        .run("pnpm add x")
        .run("pnpm test")
        .run("npm ci")
        .with_known(&["correction-use-pnpm-not-npm"]);
    assert_eq!(counts(&kept, "correction-use-pnpm-not-npm"), (2, 3));
}

#[test]
fn notes_hold_no_paths() {
    let found =
        Script::default().run("ls").run("ls").run("npm i").say("no, use pnpm in /home/me/secret").findings();
    assert_eq!(find(&found, "correction-use-pnpm-not-npm").note, "the user said: no, use pnpm in …");
}

#[test]
fn a_call_seen_twice_counts_once() {
    let mut script = Script::default().read("/a.rs").edit("/a.rs").run("cargo test");
    let doubled: Vec<Observation> = script.list.iter().flat_map(|o| [o.clone(), o.clone()]).collect();
    let plain = script.findings();
    script.list = doubled;
    assert_eq!(script.findings(), plain);
}

#[test]
fn config_refuses_unknown_keys() {
    let config: DetectConfig = serde_json::from_str(r#"{"min_tool_calls": 5}"#).unwrap();
    assert_eq!(config, DetectConfig { min_tool_calls: 5, ..DetectConfig::default() });
    assert!(serde_json::from_str::<DetectConfig>(r#"{"min_calls": 5}"#).is_err());
}

fn any_observation() -> impl Strategy<Value = Observation> {
    let tools = proptest::sample::select(vec![
        "Bash",
        "PowerShell",
        "Read",
        "Edit",
        "Write",
        "Grep",
        "Glob",
        "TodoWrite",
        "mcp__x__y",
        "工具",
        "",
    ]);
    let commands = prop_oneof![
        proptest::sample::select(vec![
            "cargo test",
            "npm test",
            "git commit -m x",
            "git status && git commit",
            "which gh",
            "gh pr list",
            "npm install",
            "pnpm i",
            "ls",
            "cat a.rs",
            "sed -i s/a/b/ a.rs",
        ])
        .prop_map(str::to_owned),
        ".{0,40}",
    ];
    let prompts = prop_oneof![
        proptest::sample::select(vec!["no, use pnpm", "stop", "revert that", "不要用 npm，用 pnpm", "ok"])
            .prop_map(str::to_owned),
        ".{0,40}",
    ];
    let files = prop_oneof![
        proptest::sample::select(vec!["/a.rs", "a.rs", "/b.md", r"C:\x\y.ts"]).prop_map(str::to_owned),
        ".{0,12}"
    ];
    let phases = proptest::sample::select(vec![
        Phase::Pre,
        Phase::Post,
        Phase::Post,
        Phase::Post,
        Phase::Failure,
        Phase::Prompt,
        Phase::Stop,
        Phase::Start,
        Phase::Unknown,
    ]);
    (
        phases,
        tools,
        commands,
        prompts,
        files,
        proptest::option::of("[ab]{1}"),
        proptest::option::of("[a-z]{1,3}"),
    )
        .prop_map(|(phase, tool, command, prompt, file, agent, id)| {
            let mut o = Observation::new(SessionId::new("s").unwrap(), Timestamp::UNIX_EPOCH, phase);
            o.tool = Some(tool.to_owned());
            o.input =
                json!({"command": command, "prompt": prompt, "file_path": file}).as_object().unwrap().clone();
            o.agent_id = agent;
            o.tool_use_id = id;
            o
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn findings_are_sound(list in proptest::collection::vec(any_observation(), 0..60)) {
        let known: Vec<InstinctId> = [
            "test-after-edit-npm-test", "fix-cargo-test-edit-rs", "fix-npm-install-flag-x", "workflow-search-then-edit-rs-then-cargo-test", "workflow-a",
            "correction-use-pnpm-not-npm", "correction-ask-before-git-commit", "preflight-gh-auth", "check-before-commit-npm-test", "文",
        ].iter().map(|k| InstinctId::new(*k).unwrap()).collect();
        let found = Detectors::default().run(&list, &known);
        prop_assert_eq!(&found, &Detectors::default().run(&list, &known));
        for pair in found.windows(2) {
            prop_assert!(pair[0].id < pair[1].id);
        }
        for f in &found {
            prop_assert!(f.counts.hits <= f.counts.opportunities && f.counts.opportunities > 0, "{:?}", f);
            prop_assert!(f.counts.base_hits <= f.counts.base_total, "{:?}", f);
            prop_assert_eq!(f.standing == Standing::Absent, f.counts.hits == 0);
            let id = f.id.as_str();
            prop_assert!(id.len() <= 100 && id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'), "{}", id);
            prop_assert!(!f.trigger.is_empty() && !f.action.is_empty() && !f.note.contains('\n'));
        }
    }
}
