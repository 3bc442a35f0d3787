use crate::bridge;
use crate::rules_file::short_hash;
use crate::similarity::{is_cjk, parts};
use mem_core::{Instinct, InstinctId, InstinctScope, JsonObject, ProjectId};

/// What stands where something was taken out.
const GONE: &str = "…";

/// An instinct as it may leave the machine: no path, no project's name, no text of a session.
///
/// Evidence, other tools' keys and the project go; in trigger and action, paths become `*.rs` where the kind of file
/// says something and `…` elsewhere, as do addresses, e-mail addresses and every name of the given projects (the
/// instinct's own is always included). File names are kept only when they are common to all projects of their kind,
/// such as `Cargo.toml`. An id that carries a project's name is replaced by one made of the remaining words.
///
/// A name that is an everyday word of development ("test") is not taken out: it tells nothing.
pub fn share(instinct: &Instinct, projects: &[ProjectId]) -> Instinct {
    let names = names(instinct.project.iter().chain(projects));
    let clean = |text: &str| clean(text, &names);
    let trigger = clean(&instinct.trigger);
    let action = clean(&instinct.action);
    let domain = clean(&instinct.domain);
    let id = if clean(instinct.id.as_str()) == instinct.id.as_str() {
        instinct.id.clone()
    } else {
        let hash = short_hash(&format!("{trigger}\n{action}"));
        InstinctId::new(format!("shared-{hash:08x}")).unwrap_or_else(|_| instinct.id.clone())
    };
    Instinct {
        id,
        trigger,
        action,
        domain,
        source: clean(&instinct.source),
        confidence: instinct.confidence,
        status: instinct.status,
        scope: instinct.scope,
        project: None,
        counts: instinct.counts,
        sessions: instinct.sessions,
        created: instinct.created,
        observed_at: instinct.observed_at,
        injected_since: None,
        evidence: Vec::new(),
        extra: JsonObject::new(),
    }
}

/// A shared instinct as it is taken in: of source `inherited`, for a project or, with none, for all.
///
/// Its sessions were other people's: here it has none, and nothing was counted.
pub fn inherit(instinct: &Instinct, project: Option<ProjectId>) -> Instinct {
    Instinct {
        source: "inherited".to_owned(),
        scope: if project.is_some() { InstinctScope::Project } else { InstinctScope::Global },
        project,
        counts: mem_core::Counts::default(),
        sessions: 0,
        injected_since: None,
        ..instinct.clone()
    }
}

/// The owner's and the project's name of each id: the last two parts of a remote or a path, lower case.
fn names<'a>(projects: impl Iterator<Item = &'a ProjectId>) -> Vec<String> {
    let mut names: Vec<String> = projects
        .flat_map(|id| {
            let lower = id.as_str().to_lowercase();
            let parts: Vec<String> =
                lower.split(['/', '\\', ':']).filter(|part| !part.is_empty()).map(str::to_owned).collect();
            let from = parts.len().saturating_sub(2);
            parts.into_iter().skip(from).collect::<Vec<_>>()
        })
        .filter(|name| name.chars().count() > 1 && bridge::latin(name).is_none())
        .filter(|name| !EVERYWHERE.contains(&name.as_str()))
        .collect();
    names.sort_by_key(|name| (std::cmp::Reverse(name.len()), name.clone()));
    names.dedup();
    names
}

/// Folders and hosts that say nothing of whose they are.
const EVERYWHERE: &[&str] = &[
    "home",
    "users",
    "root",
    "dev",
    "src",
    "work",
    "workspace",
    "workspaces",
    "projects",
    "repos",
    "repo",
    "documents",
    "desktop",
    "tmp",
    "app",
    "apps",
    "web",
    "www",
    "main",
    "lib",
    "core",
    "server",
    "client",
    "github.com",
    "gitlab.com",
    "bitbucket.org",
    "gitee.com",
    "codeberg.org",
];

fn clean(text: &str, names: &[String]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut word = String::new();
    let mut spaced = quoted_paths(text);
    spaced.push(' ');
    for c in spaced.chars() {
        // Chinese text carries no spaces around paths; Han and full-width marks end a word, except inside a path.
        let inside_path = word.contains(['/', '\\']);
        let ends = c.is_whitespace()
            || "`\"'()[]{}<>,;，。；：、（）「」“”".contains(c)
            || (is_cjk(c) && !inside_path);
        if ends {
            push_clean(&mut out, &word, names);
            word.clear();
            out.push(c);
        } else {
            word.push(c);
        }
    }
    out.pop();
    without_names(&out, names)
}

/// Paths between quotes or backticks may hold spaces: they become one word first.
fn quoted_paths(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(['`', '"']) {
        let (before, from) = rest.split_at(start);
        out.push_str(before);
        let mark = from.chars().next().unwrap_or('`');
        let inner = from.get(1..).unwrap_or_default();
        let Some(end) = inner.find(mark) else {
            out.push_str(from);
            return out;
        };
        let (quoted, after) = inner.split_at(end);
        out.push(mark);
        if is_rooted(quoted) {
            out.push_str(&path_kind(quoted))
        } else {
            out.push_str(quoted)
        }
        out.push(mark);
        rest = after.get(1..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

fn push_clean(out: &mut String, word: &str, names: &[String]) {
    // Marks at the end of a sentence are no part of a path.
    let core = word.trim_end_matches(['.', ':', '!', '?']);
    let (core, tail) = if core.is_empty() { (word, "") } else { word.split_at(core.len()) };
    // `--manifest-path=src/Cargo.toml`: the flag stays.
    let (flag, value) = match core.split_once('=') {
        Some((flag, value)) if !flag.contains(['/', '\\']) => (format!("{flag}="), value),
        _ => (String::new(), core),
    };
    out.push_str(&flag);
    if is_address(value) {
        out.push_str(GONE);
    } else if is_path(value) || is_own_file(value) {
        out.push_str(&path_kind(value));
    } else if carries_name(value, names) {
        out.push_str(GONE);
    } else {
        out.push_str(value);
    }
    out.push_str(tail);
}

fn is_address(word: &str) -> bool {
    word.contains("://")
        || word.split_once('@').is_some_and(|(user, host)| {
            !user.is_empty() && host.contains('.') && host.starts_with(char::is_alphabetic)
        })
}

/// Absolute, or from the home folder, or relative with dots: a path whatever follows.
fn is_rooted(word: &str) -> bool {
    let drive = word.as_bytes().get(1) == Some(&b':')
        && word.starts_with(|c: char| c.is_ascii_alphabetic())
        && matches!(word.as_bytes().get(2), Some(b'/' | b'\\') | None);
    let slash = word.starts_with('/') && word.len() > 1;
    drive
        || slash
        || ["~/", "~\\", "./", "../", ".\\", "..\\", "\\\\", "$HOME", "%"].iter().any(|s| word.starts_with(s))
}

fn is_path(word: &str) -> bool {
    if is_rooted(word) {
        return true;
    }
    if !word.contains(['/', '\\']) {
        return false;
    }
    // `@scope/package` is a package, `read/write` and `Grep/Glob` are two words of everyday.
    let is_package = word.starts_with('@') && word.matches('/').count() == 1;
    let everyday = word.split('/').all(|part| {
        part.chars().all(|c| c.is_ascii_digit()) || bridge::latin(&part.to_lowercase()).is_some()
    });
    !is_package && !everyday
}

const KINDS: &[&str] = &[
    "rs", "ts", "tsx", "js", "jsx", "mjs", "cjs", "py", "go", "java", "kt", "swift", "c", "h", "cc", "cpp",
    "hpp", "cs", "rb", "php", "scala", "lua", "sh", "ps1", "bat", "sql", "html", "css", "scss", "vue",
    "svelte", "md", "mdx", "txt", "json", "jsonl", "toml", "yaml", "yml", "xml", "csv", "proto", "lock",
    "ini", "cfg", "conf", "env", "ipynb", "pdf",
];

const COMMON_FILES: &[&str] = &[
    "cargo.toml",
    "cargo.lock",
    "package.json",
    "package-lock.json",
    "pnpm-lock.yaml",
    "pnpm-workspace.yaml",
    "yarn.lock",
    "tsconfig.json",
    "pyproject.toml",
    "requirements.txt",
    "setup.py",
    "conftest.py",
    "readme.md",
    "changelog.md",
    "claude.md",
    "agents.md",
    "memory.md",
    "contributing.md",
    "build.rs",
    "main.rs",
    "lib.rs",
    "mod.rs",
    "main.go",
    "main.py",
    "index.ts",
    "index.js",
    "index.html",
    "settings.json",
    ".env",
    "go.mod",
    "go.sum",
    "clippy.toml",
    "rustfmt.toml",
    "deny.toml",
    "node.js",
    "next.js",
    "vue.js",
    "react.js",
    "docker-compose.yml",
    "config.toml",
    "config.json",
    "rust-toolchain.toml",
];

fn extension(word: &str) -> Option<String> {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let (_, extension) = name.rsplit_once('.')?;
    let extension = extension.to_lowercase();
    KINDS.contains(&extension.as_str()).then_some(extension)
}

/// A file name without folder that is not one of those every project has.
fn is_own_file(word: &str) -> bool {
    let bare = word.starts_with("*.") || word.starts_with('.');
    !bare && extension(word).is_some() && !COMMON_FILES.contains(&word.to_lowercase().as_str())
}

/// What may stay of a path: a common file's name, else its kind.
fn path_kind(path: &str) -> String {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    if COMMON_FILES.contains(&name.to_lowercase().as_str()) {
        name.to_owned()
    } else {
        extension(path).map_or_else(|| GONE.to_owned(), |kind| format!("*.{kind}"))
    }
}

/// Whether a word is, or has as a part, one of the names: `harbor`, `harbor-core`, `HarborClient`, `HARBOR_HOME`.
fn carries_name(word: &str, names: &[String]) -> bool {
    let bounded = |text: &str| format!("-{}-", parts(text).join("-"));
    let word = bounded(word);
    names.iter().map(|name| bounded(name)).any(|name| name.len() > 2 && word.contains(&name))
}

/// Names that hold Han or spaces, which no single word does.
fn without_names(text: &str, names: &[String]) -> String {
    let mut text = text.to_owned();
    for name in names.iter().filter(|name| name.chars().any(|c| is_cjk(c) || c.is_whitespace())) {
        text = text.replace(name.as_str(), GONE);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{instinct, of_project};
    use proptest::prelude::*;

    fn cleaned(text: &str) -> String {
        let projects = [
            ProjectId::new("github.com/acme/harbor").expect("valid"),
            ProjectId::new("/home/dev/港口 系统").expect("valid"),
        ];
        clean(text, &names(projects.iter()))
    }

    #[test]
    fn paths_keep_only_their_kind() {
        for (text, expected) in [
            ("read `/home/dev/harbor/src/a.rs` first", "read `*.rs` first"),
            (r"open C:\Users\me\x.ts now", "open *.ts now"),
            (r#"open "C:\My Files\x.ts" now"#, r#"open "*.ts" now"#),
            ("编辑 crates/core/src/lib.rs 前先读", "编辑 lib.rs 前先读"),
            ("编辑src/端口/a.rs。再测", "编辑*.rs。再测"),
            ("look in src/auth, then ~/notes", "look in …, then …"),
            ("edit billing_rules.py.", "edit *.py."),
            ("cargo test --manifest-path=x/y/Cargo.toml", "cargo test --manifest-path=Cargo.toml"),
            ("see https://acme.example/x?y=1", "see …"),
            ("mail jo@acme.example", "mail …"),
            ("before editing a `*.rs` file", "before editing a `*.rs` file"),
            ("read/write Cargo.toml and @types/node", "read/write Cargo.toml and @types/node"),
            ("pnpm add zod@3.2", "pnpm add zod@3.2"),
            ("1 / 2", "1 / 2"),
        ] {
            assert_eq!(cleaned(text), expected, "{text}");
        }
    }

    #[test]
    fn names_of_projects_go_with_what_they_are_part_of() {
        for (text, expected) in [
            ("cargo test -p harbor-core", "cargo test -p …"),
            ("set HARBOR_HOME", "set …"),
            ("the Harbor's tests by acme", "the …'s tests by …"),
            ("call HarborClient or harbor::tide()", "call … or …()"),
            ("harbormaster of the dev server", "harbormaster of the dev server"),
            ("改 港口 系统 的代码", "改 … 的代码"),
            ("在harbor里跑测试", "在…里跑测试"),
        ] {
            assert_eq!(cleaned(text), expected, "{text}");
        }
    }

    #[test]
    fn nothing_of_the_session_or_project_is_left() {
        let mut one = of_project(
            instinct("harbor-read-first", "testing", "in harbor", "run x", 0.8),
            "github.com/acme/harbor",
        );
        one.evidence = vec!["the user said so".to_owned()];
        one.extra.insert("project_name".to_owned(), "harbor".into());
        one.injected_since = Some(one.created);
        let shared = share(&one, &[]);
        let json = serde_json::to_string(&shared).expect("serialises");
        assert!(!json.contains("harbor") && !json.contains("acme") && !json.contains("said so"), "{json}");
        assert_eq!(shared.trigger, "in …");
        assert!(shared.id.as_str().starts_with("shared-"));
        let taken = inherit(&shared, Some(ProjectId::new("github.com/other/thing").expect("valid")));
        assert_eq!(
            (taken.source.as_str(), taken.scope, taken.sessions),
            ("inherited", InstinctScope::Project, 0)
        );
        assert_eq!(inherit(&shared, None).scope, InstinctScope::Global);
        let plain = instinct("read-first", "testing", "before editing", "read", 0.8);
        assert_eq!(share(&plain, &[]).id, plain.id);
    }

    proptest! {
        #[test]
        fn any_text_is_cleaned_and_once_is_enough(text in any::<String>()) {
            let once = cleaned(&text);
            prop_assert!(!once.to_lowercase().split(|c: char| !c.is_alphanumeric() || is_cjk(c)).any(|w| w == "harbor"));
        }

        #[test]
        fn no_rooted_path_survives(
            before in "[a-z提交 ]{0,8}", parts in proptest::collection::vec("[a-z_数]{1,6}", 1..4), after in "[a-z。, ]{0,8}",
        ) {
            let path = format!("/zq/{}", parts.join("/"));
            let cleaned = cleaned(&format!("{before} {path} {after}"));
            prop_assert!(!cleaned.contains("/zq"), "{cleaned}");
        }
    }
}
