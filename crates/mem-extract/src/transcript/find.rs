use std::path::{Path, PathBuf};

/// What a file below a projects folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FileClass {
    /// A session's transcript.
    Session,
    /// A subagent's: `agent-*.jsonl`, or anything below `subagents/`.
    Subagent,
    /// A workflow's journal, `journal.jsonl`.
    Journal,
    /// What the user typed, over all sessions: `history.jsonl`.
    History,
    /// Anything else, such as `agent.meta.json` or a tool's large result.
    Other,
}

/// Deepest nesting of folders that is searched.
const MAX_DEPTH: usize = 16;

/// Tells by its path what a file is; the file is not opened.
pub fn classify_transcript(path: &Path) -> FileClass {
    let name = path.file_name().map(|n| n.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    if !name.ends_with(".jsonl") {
        return FileClass::Other;
    }
    let inside =
        |folder: &str| path.parent().is_some_and(|p| p.components().any(|c| c.as_os_str() == folder));
    match name.as_str() {
        "journal.jsonl" => FileClass::Journal,
        "history.jsonl" => FileClass::History,
        _ if name.starts_with("agent-") || inside("subagents") => FileClass::Subagent,
        _ if inside("tool-results") || inside("memory") => FileClass::Other,
        _ => FileClass::Session,
    }
}

/// The session transcripts at or below a path, sorted, each once.
///
/// A file given by name is taken when it is a session's. Folders that cannot be read are passed over; symbolic
/// links to folders are not followed.
pub fn find_transcripts(path: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    if path.is_file() {
        if classify_transcript(path) == FileClass::Session {
            out.push(path.to_path_buf());
        }
        return out;
    }
    walk(path, path, 0, &mut out);
    out.sort();
    out.dedup();
    out
}

fn walk(root: &Path, folder: &Path, depth: usize, out: &mut Vec<PathBuf>) {
    let Ok(entries) = fs_err::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        let path = entry.path();
        if kind.is_dir() && depth < MAX_DEPTH {
            walk(root, &path, depth + 1, out);
            continue;
        }
        // Only what lies below the root tells: the root itself may be called `memory`.
        let inner = path.strip_prefix(root).unwrap_or(&path);
        if (kind.is_file() || (kind.is_symlink() && path.is_file()))
            && classify_transcript(inner) == FileClass::Session
        {
            out.push(path);
        }
    }
}
