//! What a simple command is for: its family, and whether it reads, searches, edits, tests, checks, commits.

use super::shell::{SimpleCommand, program_name};
use crate::conversation::words;

/// What a command does, as far as habits are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum CommandRole {
    /// Shows a file.
    Read,
    /// Searches files or names.
    Search,
    /// Changes a file in place, or writes one.
    Edit,
    /// Runs tests.
    Test,
    /// Checks without running tests: lint, types, format, `git status`, `git diff`.
    Check,
    /// Records a commit.
    Commit,
    /// Asks whether a tool is there, of which version, or signed in.
    Preflight,
    /// Adds dependencies or programs.
    Install,
    /// Moves about or prints: `cd`, `ls`, `echo`, filters at the end of a pipe.
    Trivial,
    /// Anything else.
    Other,
}

/// How a preflight asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum PreflightWay {
    /// `which x`, `command -v x`, `Get-Command x`.
    Which,
    /// `x --version`, `x version`.
    Version,
    /// `x auth status`, `x whoami`.
    Auth,
}

impl PreflightWay {
    pub(crate) const ALL: [Self; 3] = [Self::Which, Self::Version, Self::Auth];

    pub(crate) fn slug(self) -> &'static str {
        match self {
            Self::Which => "which",
            Self::Version => "version",
            Self::Auth => "auth",
        }
    }
}

/// A simple command, classified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The program, such as `cargo`.
    pub program: String,
    /// Program and verb, such as `cargo test`; never arguments.
    pub family: String,
    /// What it does.
    pub role: CommandRole,
    /// Files it names, where the role has any, as written.
    pub files: Vec<String>,
    /// Names of its options, sorted, without values.
    pub flags: Vec<String>,
    /// Which program a preflight asks about, and how.
    pub preflight: Option<(String, PreflightWay)>,
}

/// Programs whose first word is a verb.
const VERBED: &[&str] = words![
    "ansible" "apt" "apt-get" "aws" "az" "brew" "bun" "bundle" "cargo" "choco" "composer" "conda" "dart"
    "deno" "dnf" "docker" "docker-compose" "dotnet" "firebase" "fly" "flyctl" "flutter" "gcloud" "gh" "git"
    "glab" "go" "gradle" "helm" "heroku" "hg" "jj" "just" "kubectl" "lerna" "make" "mise" "mix" "moon"
    "mvn" "nix" "npm" "nx" "pacman" "pip" "pip3" "pipenv" "pnpm" "podman" "poetry" "pre-commit" "prisma"
    "pulumi" "rails" "rake" "railway" "rustup" "sbt" "scoop" "stripe" "supabase" "svn" "swift" "systemctl"
    "task" "terraform" "tofu" "tox" "turbo" "uv" "vercel" "winget" "wrangler" "yarn" "yum" "zig" "ninja"
    "meson" "bazel" "buck2" "pants" "lein" "stack" "cabal" "dune" "opam" "rye" "hatch" "pdm" "pixi"
];

/// Global options with a value in the next word, before the verb.
const VALUED: &[&str] = words![
    "-C" "-c" "--git-dir" "--work-tree" "--prefix" "--cwd" "--dir" "--filter" "-F" "--manifest-path" "-n"
    "--namespace" "--context" "--profile" "--region" "--project" "-f" "--file" "-w" "--workspace"
    "--directory" "--host" "-H" "-p" "--color" "--config" "-R" "--repo"
];

/// Verbs that take a verb of their own.
const DEEPER: &[(&str, &str)] = &[
    ("docker", "compose"),
    ("npm", "run"),
    ("pnpm", "run"),
    ("yarn", "run"),
    ("bun", "run"),
    ("gh", "pr"),
    ("gh", "issue"),
    ("gh", "run"),
    ("gh", "repo"),
    ("gh", "auth"),
    ("gh", "release"),
    ("uv", "pip"),
    ("git", "stash"),
    ("git", "worktree"),
    ("deno", "task"),
    ("cargo", "nextest"),
    ("kubectl", "rollout"),
    ("az", "account"),
    ("gcloud", "auth"),
    ("glab", "mr"),
    ("git", "remote"),
    ("firebase", "emulators"),
    ("prisma", "migrate"),
    ("terraform", "workspace"),
    ("npm", "config"),
];

fn plain(word: &str) -> bool {
    !word.is_empty()
        && word.len() <= 32
        && word.chars().all(|c| c.is_ascii_alphanumeric() || "._+:@-".contains(c))
        && word.chars().any(|c| c.is_ascii_alphabetic())
}

/// Takes programs off that run a program of a project: `npx x`, `uv run x`, `python -m x`, `bundle exec x`.
fn unwrap_runner(words: &[String]) -> &[String] {
    let mut words = words;
    for _ in 0..4 {
        let Some(first) = words.first() else { break };
        let name = program_name(first);
        let second = words.get(1).map(String::as_str).unwrap_or_default();
        let skip = match (name.as_str(), second) {
            ("npx" | "bunx" | "pnpx" | "uvx", _) => 1,
            ("npm" | "pnpm" | "yarn", "exec" | "dlx") | ("bun", "x") => 2,
            (
                "uv" | "poetry" | "pipenv" | "pdm" | "rye" | "hatch" | "pixi" | "mise" | "conda" | "dotenv",
                "run",
            )
            | ("bundle" | "mise" | "direnv", "exec") => 2,
            (python, "-m") if python == "py" || python.starts_with("python") => 2,
            ("yarn", "jest" | "vitest" | "tsc" | "eslint" | "prettier" | "playwright" | "mocha")
            | ("pnpm", "jest" | "vitest" | "tsc" | "eslint" | "prettier" | "playwright" | "mocha") => 1,
            _ => break,
        };
        let mut rest = words.get(skip..).unwrap_or_default();
        while let Some(option) = rest.first().filter(|w| w.starts_with('-')) {
            let valued = matches!(
                option.as_str(),
                "-p" | "--package" | "--with" | "-n" | "--project" | "--directory" | "--extra" | "--group"
            );
            rest = rest.get(1 + usize::from(valued)..).unwrap_or_default();
        }
        if rest.is_empty() {
            break;
        }
        words = rest;
    }
    words
}

/// Program, verb words and the position after them.
fn family_of(words: &[String]) -> Option<(String, Vec<String>, usize)> {
    let first = words.first()?;
    let mut program = program_name(first);
    program = match program.as_str() {
        "gradlew" => "gradle".to_owned(),
        "mvnw" => "mvn".to_owned(),
        "python3" | "py" => "python".to_owned(),
        "pip3" => "pip".to_owned(),
        "nodejs" => "node".to_owned(),
        "gmake" => "make".to_owned(),
        _ => program,
    };
    if !plain(&program) {
        return None;
    }
    if matches!(program.as_str(), "python" | "node" | "php" | "ruby") {
        return Some(script_of(program, words));
    }
    if !VERBED.contains(&program.as_str()) {
        return Some((program, Vec::new(), 1));
    }
    let mut verbs: Vec<String> = Vec::new();
    let mut at = 1;
    while let Some(word) = words.get(at) {
        at += 1;
        if word.starts_with('-') {
            if !verbs.is_empty() {
                at -= 1;
                break;
            }
            at += usize::from(VALUED.contains(&word.as_str()));
            continue;
        }
        if word.starts_with('+') && verbs.is_empty() {
            continue;
        }
        // Gradle's tasks carry a path: `:app:test`.
        let verb = word.rsplit(':').next().filter(|_| program == "gradle").unwrap_or(word);
        if !plain(verb) || (verb.contains('.') && !verb.starts_with('.')) {
            at -= 1;
            break;
        }
        verbs.push(verb.to_ascii_lowercase());
        let deeper = verbs.len() == 1 && DEEPER.iter().any(|(p, v)| *p == program && *v == verbs[0]);
        if !deeper {
            break;
        }
    }
    Some((program, verbs, at))
}

/// An interpreter, the script's name and, where scripts are known to take one, its verb: `python manage.py migrate`.
fn script_of(program: String, words: &[String]) -> (String, Vec<String>, usize) {
    let ending = match program.as_str() {
        "python" => ".py",
        "node" => "js",
        "php" => ".php",
        _ => ".rb",
    };
    let at = words.iter().skip(1).take_while(|w| w.starts_with('-') && w.len() > 1).count() + 1;
    let evaluates = words.get(1..at).is_some_and(|o| o.iter().any(|w| w == "-c" || w == "-e" || w == "-m"));
    let name = words.get(at).and_then(|w| w.rsplit(['/', '\\']).next()).unwrap_or_default();
    let known = matches!(name, "manage.py" | "artisan");
    if evaluates || !plain(name) || !(known || name.ends_with(ending)) {
        return (program, Vec::new(), 1);
    }
    let mut verbs = vec![name.to_owned()];
    if let Some(verb) = words.get(at + 1).filter(|w| known && plain(w) && !w.starts_with('-')) {
        verbs.push(verb.to_ascii_lowercase());
    }
    let after = at + verbs.len();
    (program, verbs, after)
}

const TEST_PROGRAMS: &[&str] = words![
    "pytest" "py.test" "vitest" "jest" "mocha" "ava" "jasmine" "karma" "rspec" "phpunit" "pest" "ctest"
    "tox" "nox" "nose2" "unittest" "playwright" "cypress" "cargo-nextest" "gotestsum" "minitest" "busted"
    "bats" "xctest" "testthat" "codecept" "behat" "cucumber" "nosetests" "ginkgo" "invoke-pester" "pester"
    "prove"
];

fn is_test(program: &str, verbs: &[String], words: &[String]) -> bool {
    if TEST_PROGRAMS.contains(&program) {
        return true;
    }
    let first = verbs.first().map(String::as_str).unwrap_or_default();
    let second = verbs.get(1).map(String::as_str).unwrap_or_default();
    let testish = |verb: &str| {
        verb == "test"
            || verb == "tests"
            || verb == "t"
            || verb.starts_with("test:")
            || verb.starts_with("test-")
    };
    match program {
        "cargo" => {
            matches!(first, "test" | "t" | "nextest" | "tarpaulin" | "llvm-cov")
                && second != "list"
                && !words.iter().any(|w| w == "--no-run")
        }
        "npm" | "pnpm" | "yarn" | "bun" | "deno" => {
            testish(first) || (matches!(first, "run" | "task") && testish(second))
        }
        "gradle" => words
            .iter()
            .skip(1)
            .any(|w| matches!(w.rsplit(':').next(), Some("test" | "check" | "connectedAndroidTest"))),
        "mvn" => words
            .iter()
            .any(|w| matches!(w.as_str(), "test" | "verify" | "integration-test" | "surefire:test")),
        "make" | "just" | "task" | "mix" | "rails" | "rake" | "composer" | "swift" | "dotnet" | "go"
        | "flutter" | "dart" | "sbt" | "nx" | "turbo" | "zig" | "bazel" | "buck2" | "pants" | "lein"
        | "stack" | "cabal" | "dune" | "meson" | "ninja" | "hatch" | "moon" | "lerna" => {
            testish(first)
                || (program == "make" && first == "check")
                || (first == "run" && testish(second))
                || first == "spec"
        }
        "xcodebuild" => words.iter().any(|w| w == "test"),
        "node" => words.iter().any(|w| w == "--test"),
        "php" => first == "artisan" && second == "test",
        "manage.py" => words.get(1).is_some_and(|w| w == "test"),
        "python" => {
            words.get(1).is_some_and(|w| w.ends_with("manage.py"))
                && words.get(2).is_some_and(|w| w == "test")
        }
        _ => false,
    }
}

fn is_check(program: &str, verbs: &[String], words: &[String]) -> bool {
    let first = verbs.first().map(String::as_str).unwrap_or_default();
    let second = verbs.get(1).map(String::as_str).unwrap_or_default();
    let checkish = |verb: &str| {
        matches!(verb, "lint" | "typecheck" | "type-check" | "check" | "format:check" | "fmt" | "validate")
            || verb.starts_with("lint:")
    };
    match program {
        "git" => matches!(first, "status" | "diff"),
        "cargo" => matches!(first, "check" | "clippy" | "fmt" | "c" | "deny" | "audit"),
        "tsc" | "eslint" | "ruff" | "mypy" | "pyright" | "flake8" | "pylint" | "black" | "isort"
        | "prettier" | "biome" | "golangci-lint" | "staticcheck" | "rubocop" | "shellcheck"
        | "clang-tidy" | "clang-format" | "swiftlint" | "ktlint" | "phpstan" | "psalm" | "markdownlint"
        | "actionlint" | "hadolint" | "oxlint" | "gofmt" | "vue-tsc" | "svelte-check" => true,
        "go" => matches!(first, "vet" | "fmt"),
        "pre-commit" => first == "run",
        "npm" | "pnpm" | "yarn" | "bun" | "deno" => {
            checkish(first) || (matches!(first, "run" | "task") && checkish(second))
        }
        "make" | "just" | "task" => matches!(first, "lint" | "fmt" | "typecheck"),
        "terraform" | "tofu" => matches!(first, "validate" | "plan" | "fmt"),
        "dotnet" => first == "format" && words.iter().any(|w| w == "--verify-no-changes"),
        _ => false,
    }
}

fn is_install(program: &str, verbs: &[String]) -> bool {
    let first = verbs.first().map(String::as_str).unwrap_or_default();
    let second = verbs.get(1).map(String::as_str).unwrap_or_default();
    match program {
        "npm" | "pnpm" | "yarn" | "bun" => {
            matches!(first, "install" | "i" | "add" | "ci") || (program == "yarn" && first.is_empty())
        }
        "pip" | "conda" | "brew" | "apt" | "apt-get" | "dnf" | "yum" | "gem" | "choco" | "scoop"
        | "winget" | "pipenv" | "bundle" | "poetry" => {
            matches!(first, "install" | "add")
        }
        "cargo" => matches!(first, "add" | "install"),
        "uv" => matches!(first, "add" | "sync") || (first == "pip" && second == "install"),
        "go" => matches!(first, "get" | "install"),
        "composer" => matches!(first, "install" | "require"),
        "rustup" => matches!(first, "component" | "target" | "install"),
        "dotnet" => first == "add" || first == "restore",
        _ => false,
    }
}

fn preflight_of(program: &str, verbs: &[String], words: &[String]) -> Option<(String, PreflightWay)> {
    let argument =
        || words.iter().skip(1).find(|w| !w.starts_with('-')).map(|w| program_name(w)).filter(|w| plain(w));
    match program {
        "which" | "where" | "whereis" | "hash" | "get-command" | "gcm" | "where.exe" => {
            return Some((argument()?, PreflightWay::Which));
        }
        "type" => return argument().filter(|w| !w.contains('.')).map(|w| (w, PreflightWay::Which)),
        "command" if words.get(1).is_some_and(|w| w.eq_ignore_ascii_case("-v")) => {
            return Some((argument()?, PreflightWay::Which));
        }
        _ => {}
    }
    let first = verbs.first().map(String::as_str).unwrap_or_default();
    let second = verbs.get(1).map(String::as_str).unwrap_or_default();
    if words.len() <= 3 && words.iter().skip(1).any(|w| w == "--version" || w == "-version")
        || words.len() == 2 && words.get(1).is_some_and(|w| w == "-V" || w == "-v" || w == "version")
        || (first == "version" && words.len() <= 4)
    {
        return Some((program.to_owned(), PreflightWay::Version));
    }
    let auth = (first == "auth" && matches!(second, "status" | "list" | "whoami"))
        || first == "whoami"
        || (program == "az" && first == "account" && second == "show")
        || (program == "aws" && first == "sts")
        || (program == "gcloud" && first == "auth");
    let auth =
        auth || (words.get(1).is_some_and(|w| w == "auth") && words.get(2).is_some_and(|w| w == "status"));
    auth.then(|| (program.to_owned(), PreflightWay::Auth))
}

/// Words that look like paths or file names, in order.
fn files_in(words: &[String]) -> Vec<String> {
    words
        .iter()
        .filter(|w| !w.starts_with('-') && w.len() <= 400 && !w.contains(['*', '$', '\n']))
        .filter(|w| {
            let base = w.rsplit(['/', '\\']).next().unwrap_or(w);
            base.contains('.') && !base.ends_with('.')
                || w.contains('/')
                || matches!(base, "Makefile" | "Dockerfile")
        })
        .cloned()
        .collect()
}

/// Classifies one simple command; none when it has no name a person would recognise.
pub(crate) fn classify(simple: &SimpleCommand) -> Option<Command> {
    let words = unwrap_runner(&simple.words);
    let (program, mut verbs, after) = family_of(words)?;
    // `npm run test` and `npm test` are one habit, as are `cargo t` and `cargo test`.
    if matches!(program.as_str(), "npm" | "pnpm" | "yarn" | "bun")
        && verbs.len() == 2
        && verbs[0] == "run"
        && verbs[1] == "test"
    {
        verbs.remove(0);
    }
    if let Some(first) = verbs.first_mut() {
        let long = match (program.as_str(), first.as_str()) {
            ("cargo", "t") | ("npm", "t") => "test",
            ("cargo", "c") => "check",
            ("cargo", "b") => "build",
            ("cargo", "r") => "run",
            ("npm" | "pnpm" | "bun", "i") => "install",
            (_, same) => same,
        }
        .to_owned();
        *first = long;
    }
    if program == "cargo" && verbs.first().is_some_and(|v| v == "nextest") {
        verbs.truncate(1);
    }
    if program == "make" || program == "gradle" || program == "mvn" {
        if is_test(&program, &verbs, words)
            && !(program == "make" && verbs.first().is_some_and(|v| v == "check"))
        {
            verbs = vec!["test".to_owned()];
        }
    } else if matches!(program.as_str(), "docker" | "kubectl")
        && verbs.first().is_some_and(|v| v == "exec" || v == "run")
    {
        verbs.truncate(1);
    }
    let family = std::iter::once(program.as_str())
        .chain(verbs.iter().map(String::as_str))
        .collect::<Vec<_>>()
        .join(" ");
    let arguments = words.get(after..).unwrap_or_default();
    let mut flags: Vec<String> = words
        .iter()
        .skip(1)
        .filter(|w| w.starts_with('-') && w.len() > 1)
        .map(|w| w.split('=').next().unwrap_or(w).to_owned())
        .filter(|w| w.len() <= 32 && w.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_'))
        .collect();
    flags.sort();
    flags.dedup();
    let preflight = preflight_of(&program, &verbs, words);
    let has = |flag: &str| words.iter().any(|w| w == flag);
    let in_place = words.iter().any(|w| w.starts_with("-i") || w == "--in-place" || w.starts_with("-pi"));
    let writes: Vec<String> =
        simple.writes.iter().filter(|w| !w.starts_with("/dev/") && *w != "$null").cloned().collect();
    let (role, files) = match program.as_str() {
        _ if preflight.is_some() => (CommandRole::Preflight, Vec::new()),
        "sed" | "perl" | "gsed" if in_place => {
            (CommandRole::Edit, files_in(words.get(2..).unwrap_or_default()))
        }
        "apply_patch" | "patch" => (CommandRole::Edit, Vec::new()),
        "cat" | "echo" | "printf" | "tee" | "set-content" | "add-content" | "out-file"
            if !writes.is_empty() || (program != "cat" && program != "echo" && program != "printf") =>
        {
            (CommandRole::Edit, if writes.is_empty() { files_in(arguments) } else { writes })
        }
        "cat" | "head" | "tail" | "less" | "more" | "bat" | "nl" | "get-content" | "gc" | "type" | "view"
        | "xxd"
            if !simple.piped =>
        {
            (CommandRole::Read, files_in(words.get(1..).unwrap_or_default()))
        }
        "sed" if has("-n") && !simple.piped => (
            CommandRole::Read,
            files_in(words.get(2..).unwrap_or_default()).into_iter().filter(|f| !f.ends_with(",p")).collect(),
        ),
        "rg" | "grep" | "egrep" | "fgrep" | "ag" | "ack" | "fd" | "find" | "select-string" | "sls"
        | "findstr" | "get-childitem" | "ast-grep"
            if !simple.piped =>
        {
            (CommandRole::Search, Vec::new())
        }
        "git" if verbs.first().is_some_and(|v| v == "grep" || v == "ls-files") => {
            (CommandRole::Search, Vec::new())
        }
        "git" if verbs.first().is_some_and(|v| v == "commit") && !has("--dry-run") => {
            (CommandRole::Commit, Vec::new())
        }
        "cd" | "ls" | "pwd" | "echo" | "printf" | "true" | "false" | "sleep" | "export" | "source"
        | "set" | "mkdir" | "clear" | "exit" | "dir" | "wait" | "test" | "[" | "[[" | "pushd" | "popd"
        | "set-location" | "write-output" | "write-host" | "date" | "touch" | "tree" | "basename"
        | "dirname" | "return" | "read" | "unset" | "local" | "break" | "continue" | "start-sleep"
        | "select-object" | "out-string" | "measure-object" | "where-object" | "foreach-object"
        | "format-table" | "format-list" | "test-path" | "join-path" | "wc" | "sort" | "uniq" | "cut"
        | "tr" | "head" | "tail" | "cat" | "grep" | "rg" | "egrep" | "sed" | "awk" | "jq"
        | "select-string" | "findstr" | "less" | "more" | "file" | "stat" | "du" | "column" | "diff"
        | "find" | "get-childitem" | "fd" | "get-content" | "nl" | "bat" | "ag" | "ack" | "fgrep"
        | "type" => (CommandRole::Trivial, Vec::new()),
        _ if is_test(&program, &verbs, words) => (CommandRole::Test, Vec::new()),
        _ if is_check(&program, &verbs, words) => (CommandRole::Check, Vec::new()),
        _ if is_install(&program, &verbs) => (CommandRole::Install, Vec::new()),
        _ => (CommandRole::Other, Vec::new()),
    };
    Some(Command { program, family, role, files, flags, preflight })
}

#[cfg(test)]
mod tests {
    use super::super::shell::{ShellKind, split};
    use super::*;

    fn classified(line: &str, kind: ShellKind) -> Vec<(String, CommandRole)> {
        split(line, kind).iter().filter_map(classify).map(|c| (c.family, c.role)).collect()
    }

    fn last(line: &str) -> (String, CommandRole) {
        classified(line, ShellKind::Posix).into_iter().rfind(|c| c.1 != CommandRole::Trivial).unwrap()
    }

    #[test]
    fn test_runners_of_all_ecosystems() {
        for (line, family) in [
            ("cd x && RUST_LOG=debug cargo test -p foo 2>&1 | tail", "cargo test"),
            ("cargo +nightly t --workspace", "cargo test"),
            ("cargo nextest run", "cargo nextest"),
            ("python3 -m pytest -q tests/", "pytest"),
            ("uv run pytest -x", "pytest"),
            ("poetry run python -m pytest", "pytest"),
            ("npm run test -- --watch=false", "npm test"),
            ("pnpm --filter web test", "pnpm test"),
            ("yarn test:unit", "yarn test:unit"),
            ("bun test", "bun test"),
            ("npx vitest run", "vitest"),
            ("pnpm exec jest src", "jest"),
            ("go test ./...", "go test"),
            ("./gradlew :app:test --info", "gradle test"),
            ("./mvnw -q verify", "mvn test"),
            ("dotnet test --no-build", "dotnet test"),
            ("ctest --output-on-failure", "ctest"),
            ("bundle exec rspec spec/a_spec.rb", "rspec"),
            ("vendor/bin/phpunit", "phpunit"),
            ("make -j4 test", "make test"),
            ("swift test", "swift test"),
            ("deno test --allow-read", "deno test"),
            ("bash -lc 'mix test'", "mix test"),
            ("sudo -E env X=1 ctest", "ctest"),
        ] {
            assert_eq!(last(line), (family.to_owned(), CommandRole::Test), "{line}");
        }
    }

    #[test]
    fn other_roles() {
        for (line, family, role) in [
            ("git -C /a/b status --short", "git status", CommandRole::Check),
            ("git commit -m 'x'", "git commit", CommandRole::Commit),
            ("rg -n foo src", "rg", CommandRole::Search),
            ("cat src/a.rs | head", "cat", CommandRole::Read),
            ("sed -n '1,20p' src/a.rs", "sed", CommandRole::Read),
            ("sed -i 's/a/b/' src/a.rs", "sed", CommandRole::Edit),
            ("which gh", "which", CommandRole::Preflight),
            ("node --version", "node", CommandRole::Preflight),
            ("gh auth status", "gh auth status", CommandRole::Preflight),
            ("command -v jq >/dev/null", "command", CommandRole::Preflight),
            ("npm i -D vitest", "npm install", CommandRole::Install),
            ("docker compose up -d", "docker compose up", CommandRole::Other),
            ("cargo test --no-run", "cargo test", CommandRole::Other),
        ] {
            assert_eq!(last(line), (family.to_owned(), role), "{line}");
        }
        let read = classified(r"Get-Content .\src\a.ts", ShellKind::PowerShell);
        assert_eq!(read, [("get-content".to_owned(), CommandRole::Read)]);
    }
}
