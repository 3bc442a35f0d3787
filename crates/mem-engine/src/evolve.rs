//! From instincts to the rules files the agent loads.

use crate::{Engine, EngineError, Result};
use mem_core::{Instinct, ProjectFilter, ProjectId};
use mem_evolve::{RulesConfig, RulesFile};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// What evolution wrote, or would write.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Evolved {
    /// Instincts confident enough to take part.
    pub instincts: usize,
    /// Groups of near-duplicates that were united.
    pub merged: usize,
    /// Files written, with their sizes in bytes.
    pub written: Vec<(PathBuf, usize)>,
    /// Files removed.
    pub removed: Vec<PathBuf>,
    /// Files that already said the same.
    pub unchanged: usize,
    /// Files of somebody else under a name of ours, left alone.
    pub foreign: Vec<PathBuf>,
}

/// The rules folder this home wrote to.
const RULES_DIR: &str = "rules.dir";

impl Engine {
    /// Clusters the global instincts and writes the rules files; with `dry_run` only says what would be done.
    ///
    /// Files change only when instincts did. A file without our marker is never touched.
    ///
    /// # Errors
    /// [`EngineError::Missing`] when the engine was built without a rules folder; when a file cannot be written.
    pub fn evolve(&self, dry_run: bool) -> Result<Evolved> {
        let dir = self.rules_dir().ok_or(EngineError::Missing { what: "a rules folder" })?.clone();
        let config = self.config();
        let global = self.live_instincts(ProjectFilter::Global)?;
        let evolution = mem_evolve::evolve(&global, &config.evolve);
        let rules = mem_evolve::render_rules(&evolution, &config.rules);
        let taking_part: Vec<_> = evolution.global.iter().flat_map(|group| &group.instincts).collect();
        let mut evolved = Evolved {
            instincts: taking_part.len(),
            merged: evolution.merged.iter().map(|merged| merged.duplicates.len()).sum(),
            ..Evolved::default()
        };
        // The agent loads its rules folder whole: only the condensed file goes there. The files by domain say the
        // same at length, for people.
        let condensed: Vec<RulesFile> = rules.condensed.into_iter().collect();
        // A home that has nothing to say leaves alone what another home wrote there.
        let folder = dir.display().to_string();
        let ours = self.store().meta(RULES_DIR)?.as_deref() == Some(folder.as_str());
        if ours || !condensed.is_empty() {
            write_rules(&dir, &condensed, &config.rules, dry_run, &mut evolved)?;
        }
        if !dry_run && !ours && !condensed.is_empty() {
            self.store().set_meta(&[(RULES_DIR, Some(&folder))])?;
        }
        write_rules(&self.layout().evolved(), &rules.domains, &config.rules, dry_run, &mut evolved)?;
        if !dry_run {
            let now = self.now();
            let told: Vec<Instinct> = taking_part
                .into_iter()
                .filter(|instinct| instinct.injected_since.is_none())
                .map(|instinct| Instinct { injected_since: Some(now), ..instinct.clone() })
                .collect();
            self.store().put_instincts(&told)?;
        }
        Ok(evolved)
    }

    /// What a project's own habits look like as a rules file for its repository; none without any.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn project_rules(&self, project: &ProjectId) -> Result<Option<RulesFile>> {
        let live = self.live_instincts(ProjectFilter::Within(project.clone()))?;
        let mut evolution = mem_evolve::evolve(&live, &self.config().evolve);
        evolution.global = evolution.projects.remove(project).unwrap_or_default();
        Ok(mem_evolve::render_rules(&evolution, &self.config().rules).condensed)
    }

    /// Writes a project's own habits into a rules folder of its repository, or removes what stands for none any more.
    ///
    /// # Errors
    /// When the store cannot be read or a file not be written.
    pub fn write_project_rules(&self, project: &ProjectId, dir: &Path, dry_run: bool) -> Result<Evolved> {
        let wanted: Vec<RulesFile> = self.project_rules(project)?.into_iter().collect();
        let mut evolved = Evolved::default();
        write_rules(dir, &wanted, &self.config().rules, dry_run, &mut evolved)?;
        Ok(evolved)
    }
}

/// Brings the generated files of one folder to what is wanted.
fn write_rules(
    dir: &Path,
    wanted: &[RulesFile],
    config: &RulesConfig,
    dry_run: bool,
    evolved: &mut Evolved,
) -> Result<()> {
    let plan = mem_evolve::plan_rules(wanted, &markdown_files(dir)?, config);
    evolved.unchanged += plan.unchanged.len();
    evolved.foreign.extend(plan.foreign.iter().map(|name| dir.join(name)));
    for (name, content) in plan.write {
        let path = dir.join(name);
        if !dry_run {
            crate::files::replace(&path, &content)?;
        }
        evolved.written.push((path, content.len()));
    }
    for name in plan.remove {
        let path = dir.join(name);
        if !dry_run {
            std::fs::remove_file(&path).map_err(EngineError::file("remove", &path))?;
        }
        evolved.removed.push(path);
    }
    Ok(())
}

/// The Markdown files of a folder, name and content, by name; none when there is no folder.
fn markdown_files(dir: &Path) -> Result<Vec<(String, String)>> {
    let entries = match std::fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(EngineError::File { action: "read", path: dir.to_owned(), source }),
    };
    let mut found = Vec::new();
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("md")) && path.is_file() {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let bytes = std::fs::read(&path).map_err(EngineError::file("read", &path))?;
            found.push((name, String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    found.sort();
    Ok(found)
}

/// Removes every rules file of ours from a folder. Returns what was removed.
///
/// # Errors
/// When a file cannot be read or removed.
pub fn remove_rules(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut removed = Vec::new();
    for (name, content) in markdown_files(dir)? {
        if mem_evolve::is_generated(&content) {
            let path = dir.join(name);
            std::fs::remove_file(&path).map_err(EngineError::file("remove", &path))?;
            removed.push(path);
        }
    }
    Ok(removed)
}
