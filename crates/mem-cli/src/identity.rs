//! Which project a folder belongs to, found with a handful of system calls and no other process.
//!
//! In this order: the `id` of the nearest `.mem.toml` at or below the repository's root; the normalised URL of
//! the remote `origin` (else of the first remote); the real path of git's common directory, which worktrees
//! share; the folder. Paths are case-folded and use `/` on Windows; on macOS they are case-folded too, as its
//! volumes ignore case unless formatted otherwise.

mod remote;

pub(crate) use remote::normalise_remote;

use super::config::parse_toml;
use super::git::{GitDirs, small_file};
use super::paths::{Os, without_verbatim};
use mem_core::ProjectId;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// The file that gives a project its id.
const MARKER: &str = ".mem.toml";

/// More of a git configuration is not read.
const CONFIG_LIMIT: u64 = 1 << 20;

/// No system knows longer paths, in bytes; they are named, not looked for.
const LONGEST_PATH: usize = 4096;

/// Longer ids, in bytes, keep their end and get a hash; [`ProjectId`] takes 4096.
const ID_LIMIT: usize = 1024;

/// A project, as far as a folder tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProjectContext {
    /// The identity that memories are stored under.
    pub(crate) id: ProjectId,
    /// A short name for people and queries: the last part of the id, in its own spelling.
    pub(crate) name: String,
    /// The folder of the marker file or the working tree, else the folder asked about.
    pub(crate) root: PathBuf,
    /// Its repository, when it has one.
    pub(crate) vcs: Option<GitDirs>,
    /// A `.mem.toml` that could not be used, and why; the id then comes from elsewhere.
    pub(crate) problem: Option<String>,
}

/// Finds the project of a folder. Never fails: one that is unreadable, gone, or of another system (a Windows
/// path in a transcript read on Linux) is identified by its normalised path.
pub(crate) fn identify(cwd: &Path) -> ProjectContext {
    identify_on(Os::HERE, cwd)
}

fn identify_on(os: Os, cwd: &Path) -> ProjectContext {
    let written = cwd.to_string_lossy();
    if written.len() > LONGEST_PATH || is_foreign(os, &written) {
        let path_os = if looks_windows(&written) { Os::Windows } else { Os::Linux };
        return context(&fold_path(path_os, &written), last_part(&written), cwd.to_owned(), None, None);
    }
    let folder = real(cwd);
    let Search { marker, git, problem } = search(&folder);
    let (root, vcs) = match git {
        Some((root, dirs)) => (root, Some(dirs)),
        None => (folder, None),
    };
    if let Some((marked, id)) = marker {
        let name = last_part(&id);
        return context(&id, name, marked, vcs, problem);
    }
    let Some(dirs) = vcs else {
        let path = root.to_string_lossy().into_owned();
        return context(&fold_path(os, &path), last_part(&path), root, None, problem);
    };
    if let Some(url) = read_config(&dirs.common_dir).as_deref().and_then(remote::url_of)
        && let Some(remote) = normalise_remote(&url)
    {
        return match remote {
            remote::Remote::Network { id, name } => context(&id, name, root, Some(dirs), problem),
            remote::Remote::Path(path) => {
                let path = clean(&dirs.common_dir.parent().unwrap_or(&root).join(path));
                let path = path.to_string_lossy().into_owned();
                context(&fold_path(os, &path), last_part(&path), root, Some(dirs), problem)
            }
        };
    }
    let common = real(&dirs.common_dir);
    let home = if common.file_name().is_some_and(|name| name == ".git") {
        common.parent().unwrap_or(&common)
    } else {
        &common
    };
    let name = last_part(&home.to_string_lossy());
    let name = name.strip_suffix(".git").unwrap_or(&name).to_owned();
    context(&fold_path(os, &common.to_string_lossy()), name, root, Some(dirs), problem)
}

fn context(
    id: &str,
    name: String,
    root: PathBuf,
    vcs: Option<GitDirs>,
    problem: Option<String>,
) -> ProjectContext {
    let id = project_id(id);
    let name: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let name = if name.trim().is_empty() { id.as_str().to_owned() } else { name };
    ProjectContext { id, name, root, vcs, problem }
}

/// Makes an id of any text: control characters become `%XX`, a long text its end with a hash before it.
fn project_id(text: &str) -> ProjectId {
    let mut id = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() {
            id.push_str(&format!("%{:02X}", u32::from(c)));
        } else {
            id.push(c);
        }
    }
    if id.len() > ID_LIMIT {
        let mut from = id.len() - ID_LIMIT;
        while !id.is_char_boundary(from) {
            from += 1;
        }
        id = format!("{:016x}…{}", fnv(id.as_bytes()), id.get(from..).unwrap_or_default());
    }
    if id.is_empty() {
        id.push('/');
    }
    match ProjectId::new(id) {
        Ok(id) => id,
        Err(error) => unreachable!("a short text without control characters is a project id: {error}"),
    }
}

/// FNV-1a, 64 bits.
fn fnv(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

fn last_part(path: &str) -> String {
    path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or_default().to_owned()
}

/// `C:\…`, `C:/…`, `C:` or `\\server\share`.
fn looks_windows(path: &str) -> bool {
    let bytes = path.as_bytes();
    let drive = matches!(bytes, [letter, b':', rest @ ..]
        if letter.is_ascii_alphabetic() && (rest.is_empty() || matches!(rest.first(), Some(b'/' | b'\\'))));
    drive || path.starts_with(r"\\")
}

/// Whether the path belongs to another system, so that asking this one's file system is pointless.
fn is_foreign(os: Os, path: &str) -> bool {
    match os {
        Os::Windows => path.starts_with('/') && !path.starts_with("//") && msys_drive(path).is_none(),
        Os::Linux | Os::Mac => looks_windows(path),
    }
}

/// Git Bash's `/c/Users` as `c:/Users`.
fn msys_drive(path: &str) -> Option<String> {
    match path.as_bytes() {
        [b'/', letter, rest @ ..]
            if letter.is_ascii_alphabetic() && (rest.is_empty() || rest.first() == Some(&b'/')) =>
        {
            Some(format!("{}:{}", char::from(*letter), path.get(2..).unwrap_or_default()))
        }
        _ => None,
    }
}

/// One spelling for one folder: `/` between parts, none at the end, and lower case where case is ignored.
fn fold_path(os: Os, path: &str) -> String {
    let mut path = path.to_owned();
    if os == Os::Windows {
        path = without_verbatim(&path).replace('\\', "/");
        path = msys_drive(&path).unwrap_or(path);
    }
    if os == Os::Mac {
        // `/tmp`, `/var` and `/etc` are links; a path that is gone keeps the short form.
        for folder in ["/tmp", "/var", "/etc"] {
            let long = path.strip_prefix("/private").filter(|rest| Path::new(rest).starts_with(folder));
            if let Some(short) = long {
                path = short.to_owned();
            }
        }
    }
    let trimmed = path.trim_end_matches('/');
    let path = if trimmed.is_empty() { "/" } else { trimmed };
    match os {
        Os::Windows | Os::Mac => path.to_lowercase(),
        Os::Linux => path.to_owned(),
    }
}

/// The physical path; of a folder that is gone, the path cleaned of `.` and `..`.
pub(crate) fn real(path: &Path) -> PathBuf {
    let here = if cfg!(windows) {
        msys_drive(&path.to_string_lossy()).map_or_else(|| path.to_owned(), PathBuf::from)
    } else {
        path.to_owned()
    };
    match std::fs::canonicalize(&here) {
        Ok(path) if cfg!(windows) => PathBuf::from(without_verbatim(&path.to_string_lossy())),
        Ok(path) => path,
        Err(_) => clean(&std::path::absolute(&here).unwrap_or(here)),
    }
}

fn clean(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(out.components().next_back(), Some(Component::Normal(_))) => {
                out.pop();
            }
            Component::ParentDir if out.has_root() => {}
            part => out.push(part),
        }
    }
    out
}

#[derive(Default)]
struct Search {
    marker: Option<(PathBuf, String)>,
    git: Option<(PathBuf, GitDirs)>,
    problem: Option<String>,
}

/// Walks up to the repository's root, or to the top where there is none.
fn search(folder: &Path) -> Search {
    let mut search = Search::default();
    for at in folder.ancestors() {
        if search.marker.is_none() {
            match read_marker(&at.join(MARKER)) {
                Ok(Some(id)) => search.marker = Some((at.to_owned(), id)),
                Ok(None) => {}
                Err(problem) => search.problem = search.problem.take().or(Some(problem)),
            }
        }
        if let Some(dirs) = git_dirs(at) {
            search.git = Some((at.to_owned(), dirs));
            break;
        }
    }
    search
}

/// What this file is read for; other keys are for others.
#[derive(Default, serde::Deserialize)]
#[serde(default)]
struct Marker {
    id: Option<String>,
}

fn read_marker(path: &Path) -> Result<Option<String>, String> {
    // Opening what is not there is the whole cost in most folders.
    let Ok(file) = std::fs::File::open(path) else { return Ok(None) };
    let mut bytes = Vec::new();
    file.take(CONFIG_LIMIT)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let marker: Marker = parse_toml(path, bytes).map_err(|error| error.to_string())?;
    let Some(id) = marker.id else { return Ok(None) };
    let id = id.trim();
    ProjectId::new(id)
        .map(|id| Some(String::from(id)))
        .map_err(|error| format!("{}, key \"id\": {error}", path.display()))
}

/// The repository whose working tree has its root here.
fn git_dirs(root: &Path) -> Option<GitDirs> {
    let dot_git = root.join(".git");
    let meta = std::fs::metadata(&dot_git).ok()?;
    if meta.is_dir() {
        // git, too, walks on past a folder of that name that is no repository.
        std::fs::symlink_metadata(dot_git.join("HEAD")).ok().or_else(|| denied(&dot_git))?;
        return Some(GitDirs { common_dir: dot_git.clone(), git_dir: dot_git });
    }
    let line = small_file(&dot_git)?;
    let git_dir = clean(&root.join(line.strip_prefix("gitdir:")?.trim()));
    let common_dir = match small_file(&git_dir.join("commondir")) {
        Some(common) if !common.is_empty() => clean(&git_dir.join(common)),
        _ => shared_by_name(&git_dir).unwrap_or_else(|| git_dir.clone()),
    };
    Some(GitDirs { git_dir, common_dir })
}

/// `…/.git/worktrees/NAME` of a worktree that git has pruned still tells whose it was.
fn shared_by_name(git_dir: &Path) -> Option<PathBuf> {
    let worktrees = git_dir.parent().filter(|folder| folder.ends_with("worktrees"))?;
    worktrees.parent().map(Path::to_owned)
}

/// A `.git` that may not be looked into is taken for a repository.
fn denied(dot_git: &Path) -> Option<std::fs::Metadata> {
    let error = std::fs::symlink_metadata(dot_git.join("HEAD")).err()?;
    (error.kind() == std::io::ErrorKind::PermissionDenied).then(|| std::fs::metadata(dot_git).ok()).flatten()
}

fn read_config(common_dir: &Path) -> Option<String> {
    let mut bytes = Vec::with_capacity(1024);
    std::fs::File::open(common_dir.join("config")).ok()?.take(CONFIG_LIMIT).read_to_end(&mut bytes).ok()?;
    Some(
        String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
    )
}

#[cfg(test)]
mod tests;
