//! Settings files on disk: read, backed up, replaced whole, never half written.

use super::agent::Agent;
use super::recognise::Invocation;
use super::{Plan, WireError, Wiring};
use jiff::Timestamp;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Older backups of one settings file are deleted.
const BACKUPS_KEPT: usize = 5;

/// How many links a settings path may lead through.
const MAX_LINKS: usize = 40;

/// What `init` or `uninstall` did, or would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Report {
    /// The file itself, links followed.
    pub(crate) path: PathBuf,
    /// One line a change, starting with `+`, `-` or `~`; empty when all is as it should be.
    pub(crate) changes: Vec<String>,
    /// What the user should know besides.
    pub(crate) notes: Vec<String>,
    /// The copy of the file from before; none when there was no file, no change, or a dry run.
    pub(crate) backup: Option<PathBuf>,
    /// Whether the file was written or removed.
    pub(crate) written: bool,
}

/// Wires `exe` into the settings file at `path`.
///
/// `home` is the data folder when it is not the default one; `now` names the backup. With `dry_run` nothing is
/// written.
///
/// # Errors
/// When the file cannot be read, understood or replaced; it is then as it was.
pub(crate) fn install(
    agent: Agent,
    path: &Path,
    exe: &Path,
    home: Option<&Path>,
    now: Timestamp,
    dry_run: bool,
) -> Result<Report, WireError> {
    let real = follow(path)?;
    let settings = |source| WireError::Settings { path: real.clone(), source };
    let invocation = Invocation::new(exe, agent.name(), home).map_err(settings)?;
    let old = read(&real)?;
    let plan = agent.plan(old.as_deref(), &invocation).map_err(settings)?;
    let mut report = Report::of(&real, &plan);
    if dry_run || plan.changes.is_empty() {
        return Ok(report);
    }
    report.backup = backup(&real, old.as_deref(), now)?;
    replace(&real, old.as_deref(), &plan.new_text)?;
    report.written = true;
    Ok(report)
}

/// Takes everything of ours out of the settings file at `path`.
///
/// The file from before `init` comes back byte for byte when nothing else was changed since: from its backup
/// if that is still there, else by removing the entries. A file that `init` had created is deleted.
///
/// # Errors
/// As [`install`].
pub(crate) fn uninstall(
    agent: Agent,
    path: &Path,
    exe: Option<&Path>,
    now: Timestamp,
    dry_run: bool,
) -> Result<Report, WireError> {
    let real = follow(path)?;
    let settings = |source| WireError::Settings { path: real.clone(), source };
    let Some(old) = read(&real)? else {
        return Ok(Report::of(&real, &Plan::default()));
    };
    let mut plan = agent.unplan(&old, exe).map_err(settings)?;
    let origin = origin(agent, &real, &old, exe);
    if let Origin::Text(text) = &origin {
        plan.new_text.clone_from(text);
    }
    let mut report = Report::of(&real, &plan);
    if origin == Origin::NoFile {
        report.notes.push("the file held nothing else and is removed".to_owned());
    }
    if dry_run || plan.changes.is_empty() {
        return Ok(report);
    }
    if origin == Origin::NoFile {
        refuse_read_only(&real)?;
        unchanged(&real, Some(&old))?;
        fs_err::remove_file(&real).map_err(|source| WireError::Write { path: real.clone(), source })?;
    } else {
        report.backup = backup(&real, Some(&old), now)?;
        replace(&real, Some(&old), &plan.new_text)?;
    }
    report.written = true;
    Ok(report)
}

/// What of ours is in the settings file at `path`; `None` when there is no file.
///
/// # Errors
/// When the file cannot be read or understood.
pub(crate) fn inspect(agent: Agent, path: &Path, exe: Option<&Path>) -> Result<Option<Wiring>, WireError> {
    let real = follow(path)?;
    let Some(text) = read(&real)? else { return Ok(None) };
    agent.inspect(&text, exe).map(Some).map_err(|source| WireError::Settings { path: real, source })
}

impl Report {
    fn of(path: &Path, plan: &Plan) -> Self {
        Self {
            path: path.to_owned(),
            changes: plan.changes.clone(),
            notes: plan.notes.clone(),
            backup: None,
            written: false,
        }
    }
}

/// What was there before `init`, as far as it can be told.
#[derive(Debug, PartialEq, Eq)]
enum Origin {
    Unknown,
    NoFile,
    Text(String),
}

/// Looks for the text that `init` must have turned into `current`.
fn origin(agent: Agent, path: &Path, current: &str, exe: Option<&Path>) -> Origin {
    let Ok(wiring) = agent.inspect(current, exe) else { return Origin::Unknown };
    let Some(invocation) = wiring.events.first().map(|event| &event.invocation) else {
        return Origin::Unknown;
    };
    let gives_current =
        |text: Option<&str>| agent.plan(text, invocation).is_ok_and(|plan| plan.new_text == current);
    for copy in backups(path).iter().rev() {
        let Ok(Some(text)) = read(copy) else { continue };
        let clean = agent.inspect(&text, exe).is_ok_and(|wiring| wiring.events.is_empty());
        if clean && gives_current(Some(&text)) {
            return Origin::Text(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned());
        }
    }
    // Had there been a file, `init` would have kept a copy of it.
    if gives_current(None) { Origin::NoFile } else { Origin::Unknown }
}

/// The file behind the links, whether it exists or not.
fn follow(path: &Path) -> Result<PathBuf, WireError> {
    let mut at = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs_err::symlink_metadata(&at) {
            Ok(meta) if meta.is_symlink() => {
                let to =
                    fs_err::read_link(&at).map_err(|source| WireError::Read { path: at.clone(), source })?;
                at = at.parent().unwrap_or(Path::new("")).join(to);
            }
            _ => return Ok(at),
        }
    }
    Err(WireError::Read {
        path: path.to_owned(),
        source: std::io::Error::other("too many symbolic links, perhaps in a circle"),
    })
}

fn read(path: &Path) -> Result<Option<String>, WireError> {
    match fs_err::read(path) {
        Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|error| WireError::Settings {
            path: path.to_owned(),
            source: super::SettingsError::NotUtf8 { offset: error.utf8_error().valid_up_to() },
        }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(WireError::Read { path: path.to_owned(), source }),
    }
}

fn backup_prefix(path: &Path) -> OsString {
    let mut prefix = path.file_name().map(OsString::from).unwrap_or_default();
    prefix.push(".mem-backup-");
    prefix
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// The backups of a settings file, oldest first: their names sort by time.
fn backups(path: &Path) -> Vec<PathBuf> {
    let prefix = backup_prefix(path);
    let prefix = prefix.as_encoded_bytes();
    let Ok(entries) = fs_err::read_dir(folder(path)) else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries
        .flatten()
        .filter(|entry| entry.file_name().as_encoded_bytes().starts_with(prefix))
        .map(|entry| entry.path())
        .collect();
    found.sort();
    found
}

fn backup(path: &Path, text: Option<&str>, now: Timestamp) -> Result<Option<PathBuf>, WireError> {
    let Some(text) = text else { return Ok(None) };
    refuse_read_only(path)?;
    let stamp = now.strftime("%Y%m%dT%H%M%SZ").to_string();
    let mut attempt = 0;
    let (copy, mut file) = loop {
        let mut name = backup_prefix(path);
        name.push(&stamp);
        if attempt > 0 {
            name.push(format!("-{attempt:03}"));
        }
        let copy = folder(path).join(name);
        match fs_err::OpenOptions::new().write(true).create_new(true).open(&copy) {
            Ok(file) => break (copy, file),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && attempt < 999 => attempt += 1,
            Err(source) => return Err(WireError::Write { path: copy, source }),
        }
    };
    let mut write = || {
        fs_err::set_permissions(&copy, fs_err::metadata(path)?.permissions())?;
        file.write_all(text.as_bytes())?;
        file.sync_all()
    };
    write().map_err(|source| WireError::Write { path: copy.clone(), source })?;
    let all = backups(path);
    for old in all.iter().take(all.len().saturating_sub(BACKUPS_KEPT)) {
        // An old copy that cannot be deleted is no reason to fail.
        let _ = fs_err::remove_file(old);
    }
    Ok(Some(copy))
}

/// A rename would replace a read-only file without asking; its owner meant it to stay.
fn refuse_read_only(path: &Path) -> Result<(), WireError> {
    match fs_err::metadata(path) {
        Ok(meta) if meta.permissions().readonly() => Err(WireError::ReadOnly { path: path.to_owned() }),
        _ => Ok(()),
    }
}

fn unchanged(path: &Path, old: Option<&str>) -> Result<(), WireError> {
    if read(path)?.as_deref() == old { Ok(()) } else { Err(WireError::Changed { path: path.to_owned() }) }
}

/// Puts `new` in the place of the file in one step; mode and owner stay.
fn replace(path: &Path, old: Option<&str>, new: &str) -> Result<(), WireError> {
    let failed = |source| WireError::Write { path: path.to_owned(), source };
    refuse_read_only(path)?;
    fs_err::create_dir_all(folder(path)).map_err(failed)?;
    let mut temp = tempfile::Builder::new()
        .prefix(".mem-settings-")
        .suffix(".tmp")
        .tempfile_in(folder(path))
        .map_err(failed)?;
    temp.write_all(new.as_bytes()).map_err(failed)?;
    if let Ok(meta) = fs_err::metadata(path) {
        keep_owner(temp.path(), &meta);
        fs_err::set_permissions(temp.path(), meta.permissions()).map_err(failed)?;
    }
    temp.as_file().sync_all().map_err(failed)?;
    unchanged(path, old)?;
    temp.persist(path).map_err(|error| failed(error.error))?;
    sync_folder(folder(path));
    Ok(())
}

/// Under `sudo` the file must not become root's. Without the right to do so it stays ours, as any editor's.
#[cfg(unix)]
fn keep_owner(temp: &Path, meta: &std::fs::Metadata) {
    use std::os::unix::fs::MetadataExt;
    let _ = std::os::unix::fs::chown(temp, Some(meta.uid()), Some(meta.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_: &Path, _: &std::fs::Metadata) {}

/// Makes the rename durable where folders can be synced.
#[cfg(unix)]
fn sync_folder(folder: &Path) {
    if let Ok(folder) = fs_err::File::open(folder) {
        let _ = folder.sync_all();
    }
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) {}
