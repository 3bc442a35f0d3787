//! What Claude Code loads by itself: instructions, its own memory index, rules.

use crate::identity::ProjectContext;
use crate::paths::Paths;
use mem_engine::KnownText;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Claude Code loads the first 200 lines or 25 kB of `MEMORY.md`, whichever ends first.
const INDEX_LINES: usize = 200;
const INDEX_BYTES: usize = 25_000;
/// More of one file is not compared.
const FILE_LIMIT: u64 = 256 * 1024;
/// More rules files are not read.
const RULES_LIMIT: usize = 64;

/// The texts a session of this project starts with.
pub(crate) fn known_text(paths: &Paths, project: &ProjectContext, cwd: &Path) -> KnownText {
    let mut texts: Vec<String> = Vec::new();
    let mut add = |path: PathBuf| texts.extend(read(&path));
    if let Ok(claude) = paths.claude() {
        add(claude.join("CLAUDE.md"));
    }
    let start = if cwd.starts_with(&project.root) { cwd } else { project.root.as_path() };
    for folder in start.ancestors() {
        for name in ["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"] {
            add(folder.join(name));
        }
    }
    let mut rules = vec![project.root.join(".claude").join("rules")];
    if let Ok(claude) = paths.claude() {
        rules.push(claude.join("rules"));
        let memory = claude.join("projects").join(slug(&project.root.to_string_lossy())).join("memory");
        if let Some(index) = read(&memory.join("MEMORY.md")) {
            texts.push(loaded_part(&index).to_owned());
        }
    }
    for folder in rules {
        let mut left = RULES_LIMIT;
        read_rules(&folder, &mut texts, &mut left, 4);
    }
    KnownText::new(texts.iter().map(String::as_str))
}

fn read(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    std::fs::File::open(path).ok()?.take(FILE_LIMIT).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Rules that are loaded at every start; those with `paths:` come later or never.
fn read_rules(folder: &Path, texts: &mut Vec<String>, left: &mut usize, depth: usize) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            if depth > 0 {
                read_rules(&path, texts, left, depth - 1);
            }
        } else if path.extension().is_some_and(|e| e == "md") && *left > 0 {
            *left -= 1;
            texts.extend(read(&path).filter(|text| !is_conditional(text)));
        }
    }
}

fn is_conditional(text: &str) -> bool {
    let mut lines = text.trim_start_matches('\u{feff}').lines();
    lines.next().is_some_and(|first| first.trim_end() == "---")
        && lines.take_while(|line| line.trim_end() != "---").any(|line| line.starts_with("paths:"))
}

/// The part of `MEMORY.md` that reaches the agent.
fn loaded_part(index: &str) -> &str {
    let lines = index.match_indices('\n').nth(INDEX_LINES - 1).map_or(index.len(), |(at, _)| at);
    let mut end = lines.min(INDEX_BYTES).min(index.len());
    while !index.is_char_boundary(end) {
        end -= 1;
    }
    &index[..end]
}

/// The folder name of a path below `projects/`: every UTF-16 unit outside `[A-Za-z0-9]` is a dash.
fn slug(path: &str) -> String {
    path.encode_utf16()
        .map(|unit| match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii_alphanumeric() => char::from(byte),
            _ => '-',
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_follow_the_host() {
        assert_eq!(slug("/home/u/my_app.v2"), "-home-u-my-app-v2");
        assert_eq!(slug("D:\\16. 자동화 도구\\safe"), "D--16---------safe");
        assert_eq!(slug("/a/🦀"), "-a---");
    }

    #[test]
    fn only_the_loaded_part_of_the_index_counts() {
        let long = "- line\n".repeat(300);
        assert_eq!(loaded_part(&long).lines().count(), 200);
        let wide = "改".repeat(20_000);
        assert!(loaded_part(&wide).len() <= INDEX_BYTES);
        assert_eq!(loaded_part("short"), "short");
    }

    #[test]
    fn rules_with_paths_are_not_loaded_at_the_start() {
        assert!(is_conditional("---\npaths:\n  - \"src/**\"\n---\nUse x"));
        assert!(!is_conditional("---\ntitle: x\n---\npaths: no"));
        assert!(!is_conditional("Use x"));
    }
}
