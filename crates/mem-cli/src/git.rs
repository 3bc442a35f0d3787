//! Reads a repository's branch and latest commits from its files, without starting git.

use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// A reflog grows for months; its newest commits are in this many bytes at its end.
const LOG_TAIL: u64 = 64 * 1024;

/// `HEAD` and its like hold one line; more is not read.
const SMALL_FILE: u64 = 4096;

/// Hex digits of a commit's short name.
const SHORT_HASH: usize = 8;

/// Where a working tree keeps its repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GitDirs {
    /// This working tree's own: `HEAD` and its log.
    pub(crate) git_dir: PathBuf,
    /// What all working trees share: `config` and the objects.
    pub(crate) common_dir: PathBuf,
}

/// What is checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Head {
    /// A branch, without `refs/heads/`. During a rebase it is the branch being rebased.
    Branch(String),
    /// A commit's short hash.
    Detached(String),
}

impl std::fmt::Display for Head {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (Self::Branch(text) | Self::Detached(text)) = self;
        f.write_str(text)
    }
}

/// What is checked out; `None` when the files do not tell.
pub(crate) fn head(dirs: &GitDirs) -> Option<Head> {
    let line = small_file(&dirs.git_dir.join("HEAD"))?;
    if let Some(branch) = branch_of(&line) {
        return Some(Head::Branch(branch));
    }
    if line.len() < 40 || !line.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let rebased = ["rebase-merge", "rebase-apply"].iter().find_map(|folder| {
        let name = small_file(&dirs.git_dir.join(folder).join("head-name"))?;
        Some(name.strip_prefix("refs/heads/")?.to_owned())
    });
    Some(rebased.map_or_else(|| Head::Detached(line.chars().take(SHORT_HASH).collect()), Head::Branch))
}

/// The branch in `ref: refs/heads/NAME`. Repositories in the reftable format put `.invalid` there.
fn branch_of(line: &str) -> Option<String> {
    let name = line.strip_prefix("ref:")?.trim();
    let name = name.strip_prefix("refs/heads/").unwrap_or(name);
    (!name.is_empty() && name != ".invalid").then(|| name.to_owned())
}

/// The first line of a file's head, trimmed.
pub(super) fn small_file(path: &Path) -> Option<String> {
    let mut bytes = Vec::with_capacity(256);
    std::fs::File::open(path).ok()?.take(SMALL_FILE).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    Some(text.lines().next()?.trim().to_owned())
}

/// The subjects of the latest commits made in this working tree, newest first, at most `limit`, none twice.
///
/// They come from the reflog of `HEAD`. Commits that were amended, or left behind by a reset or a checkout, do
/// not count. A linked working tree without commits of its own shows those of the main one. A missing log
/// gives none.
pub(crate) fn recent_subjects(dirs: &GitDirs, limit: usize) -> Vec<String> {
    let read = |folder: &Path| {
        log_tail(&folder.join("logs").join("HEAD")).map_or_else(Vec::new, |log| subjects(&log, limit))
    };
    let own = read(&dirs.git_dir);
    if own.is_empty() && dirs.common_dir != dirs.git_dir { read(&dirs.common_dir) } else { own }
}

fn log_tail(path: &Path) -> Option<String> {
    let mut file = std::fs::File::open(path).ok()?;
    let size = file.metadata().ok()?.len();
    let skip = size.saturating_sub(LOG_TAIL);
    file.seek(SeekFrom::Start(skip)).ok()?;
    let mut bytes = Vec::with_capacity(usize::try_from(size.min(LOG_TAIL)).unwrap_or_default() + 1);
    file.take(LOG_TAIL).read_to_end(&mut bytes).ok()?;
    let whole = match (skip, bytes.iter().position(|&byte| byte == b'\n')) {
        (0, _) => bytes.as_slice(),
        (_, Some(newline)) => bytes.get(newline + 1..)?,
        (_, None) => return None,
    };
    Some(String::from_utf8_lossy(whole).into_owned())
}

struct Entry<'a> {
    old: &'a str,
    new: &'a str,
    /// `commit`, `commit (amend)`, `checkout`, …
    action: &'a str,
    subject: &'a str,
}

impl<'a> Entry<'a> {
    /// `OLD NEW NAME <MAIL> TIME ZONE\tACTION: SUBJECT`
    fn read(line: &'a str) -> Option<Self> {
        let (hashes, message) = line.split_once('\t')?;
        let mut words = hashes.split(' ');
        let (old, new) = (words.next()?, words.next()?);
        let (action, subject) = message.split_once(": ")?;
        Some(Self { old, new, action, subject: subject.trim() })
    }

    /// Whether the entry made a commit with its subject.
    fn commits(&self) -> bool {
        let verb = self.action.split(' ').next().unwrap_or_default();
        match verb {
            "commit" | "cherry-pick" | "revert" | "am" => true,
            "rebase" | "pull" => ["(pick)", "(reword)", "(edit)", "(squash)", "(fixup)", "(continue)"]
                .iter()
                .any(|step| self.action.ends_with(step)),
            _ => false,
        }
    }

    fn moves(&self) -> bool {
        matches!(self.action.split(' ').next(), Some("reset" | "checkout"))
    }
}

fn subjects(log: &str, limit: usize) -> Vec<String> {
    let entries: Vec<Entry<'_>> = log.lines().filter_map(Entry::read).collect();
    let mut found: Vec<String> = Vec::new();
    let mut amended: Vec<&str> = Vec::new();
    let mut end = entries.len();
    while found.len() < limit && end > 0 {
        let (before, rest) = entries.split_at(end - 1);
        end -= 1;
        let Some(entry) = rest.first() else { break };
        if entry.moves() {
            // What lies between the place moved to and this move is not behind HEAD.
            if let Some(at) = before.iter().rposition(|older| older.new == entry.new) {
                end = at + 1;
            }
        } else if entry.commits() {
            if entry.action.ends_with("(amend)") {
                amended.push(entry.old);
            }
            let stale = amended.contains(&entry.new);
            if !stale && !entry.subject.is_empty() && !found.iter().any(|seen| seen == entry.subject) {
                found.push(entry.subject.to_owned());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines from `(old, new, message)`; the names stand for hashes.
    fn log(lines: &[(&str, &str, &str)]) -> String {
        let stamp = "A. U. Thor <a@example.org> 1700000000 +0800";
        lines.iter().map(|(old, new, message)| format!("{old} {new} {stamp}\t{message}\n")).collect()
    }

    fn repository() -> (tempfile::TempDir, GitDirs) {
        let folder = tempfile::tempdir().unwrap();
        let git_dir = folder.path().to_owned();
        std::fs::create_dir(git_dir.join("logs")).unwrap();
        (folder, GitDirs { common_dir: git_dir.clone(), git_dir })
    }

    #[test]
    fn commits_come_newest_first_in_every_spelling() {
        let log = log(&[
            ("0", "a", "commit (initial): 初始提交"),
            ("a", "b", "commit: fix: parse: twice"),
            ("b", "c", "merge topic: Fast-forward"),
            ("c", "d", "commit (merge): Merge branch 'topic'"),
            ("d", "e", "cherry-pick: add tests"),
            ("e", "f", "revert: Revert \"add tests\""),
            ("f", "f", "checkout: moving from main to next"),
        ]);
        let wanted =
            ["Revert \"add tests\"", "add tests", "Merge branch 'topic'", "fix: parse: twice", "初始提交"];
        assert_eq!(subjects(&log, 9), wanted);
        assert_eq!(subjects(&log, 2), wanted[..2]);
    }

    #[test]
    fn amended_commits_count_once() {
        let log = log(&[
            ("0", "a", "commit (initial): start"),
            ("a", "b", "commit: wip"),
            ("b", "c", "commit (amend): wip 2"),
            ("c", "d", "commit (amend): done"),
            ("d", "e", "commit: next"),
        ]);
        assert_eq!(subjects(&log, 9), ["next", "done", "start"]);
    }

    #[test]
    fn what_a_reset_or_a_checkout_left_behind_does_not_count() {
        let reset = log(&[
            ("0", "a", "commit (initial): start"),
            ("a", "b", "commit: thrown away"),
            ("b", "a", "reset: moving to HEAD~1"),
            ("a", "c", "commit: kept"),
        ]);
        assert_eq!(subjects(&reset, 9), ["kept", "start"]);
        let checkout = log(&[
            ("0", "a", "commit (initial): start"),
            ("a", "a", "checkout: moving from main to topic"),
            ("a", "b", "commit: on topic"),
            ("b", "a", "checkout: moving from topic to main"),
            ("a", "c", "commit: on main"),
        ]);
        assert_eq!(subjects(&checkout, 9), ["on main", "start"]);
    }

    #[test]
    fn rebased_commits_are_not_listed_twice() {
        let log = log(&[
            ("0", "a", "commit (initial): start"),
            ("a", "b", "commit: one"),
            ("b", "x", "rebase (start): checkout origin/main"),
            ("x", "y", "rebase (pick): one"),
            ("y", "y", "rebase (finish): returning to refs/heads/topic"),
        ]);
        assert_eq!(subjects(&log, 9), ["one", "start"]);
    }

    #[test]
    fn damaged_lines_are_skipped() {
        let mut text = log(&[("0", "a", "commit: good")]);
        text.push_str("\n\t\nno tab here\na b\tno colon\n");
        assert_eq!(subjects(&text, 9), ["good"]);
        assert_eq!(subjects("", 9), Vec::<String>::new());
    }

    #[test]
    fn a_huge_log_is_read_from_its_end() {
        let (_folder, dirs) = repository();
        let many: String = (0..5000).map(|n| log(&[("x", "y", &format!("commit: number {n}"))])).collect();
        std::fs::write(dirs.git_dir.join("logs").join("HEAD"), &many).unwrap();
        assert!(many.len() as u64 > 4 * LOG_TAIL);
        assert_eq!(recent_subjects(&dirs, 2), ["number 4999", "number 4998"]);
        let all = recent_subjects(&dirs, usize::MAX);
        assert!(all.len() < 1200, "{}", all.len());
        assert!(all.iter().all(|subject| subject.starts_with("number ")));
    }

    #[test]
    fn a_fresh_working_tree_shows_the_main_ones_commits() {
        let (_folder, main) = repository();
        std::fs::write(main.git_dir.join("logs").join("HEAD"), log(&[("0", "a", "commit: main")])).unwrap();
        let (_other, fresh) = repository();
        let tree = GitDirs { git_dir: fresh.git_dir, common_dir: main.common_dir };
        assert_eq!(recent_subjects(&tree, 3), ["main"]);
        std::fs::write(tree.git_dir.join("logs").join("HEAD"), log(&[("a", "b", "commit: own")])).unwrap();
        assert_eq!(recent_subjects(&tree, 3), ["own"]);
    }

    #[test]
    fn missing_files_tell_nothing() {
        let (_folder, dirs) = repository();
        assert_eq!(head(&dirs), None);
        assert_eq!(recent_subjects(&dirs, 3), Vec::<String>::new());
    }

    #[test]
    fn the_head_is_a_branch_or_a_commit() {
        let (_folder, dirs) = repository();
        let with = |text: &str| {
            std::fs::write(dirs.git_dir.join("HEAD"), text).unwrap();
            head(&dirs)
        };
        assert_eq!(with("ref: refs/heads/feat/内存\n"), Some(Head::Branch("feat/内存".to_owned())));
        let hash = "0123456789abcdef0123456789abcdef01234567";
        assert_eq!(with(hash), Some(Head::Detached("01234567".to_owned())));
        assert_eq!(with("ref: refs/heads/.invalid\n"), None);
        assert_eq!(with("nonsense\n"), None);
        assert_eq!(with(""), None);
        std::fs::create_dir(dirs.git_dir.join("rebase-merge")).unwrap();
        std::fs::write(dirs.git_dir.join("rebase-merge").join("head-name"), "refs/heads/topic\n").unwrap();
        assert_eq!(with(hash), Some(Head::Branch("topic".to_owned())));
    }
}
