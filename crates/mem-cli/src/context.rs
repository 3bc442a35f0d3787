//! What every command starts from: places, configuration, project, engine.

use crate::cli::Global;
use crate::config::{ConfigError, load_toml};
use crate::identity::{ProjectContext, identify};
use crate::paths::{PathFlags, Paths};
use anyhow::Context as _;
use mem_core::{MemoryFilter, ProjectFilter, Timestamp};
use mem_engine::{Config, Engine, Layout};
use std::path::{Path, PathBuf};

/// A command's surroundings, resolved once.
pub(crate) struct Surroundings {
    pub(crate) paths: Paths,
    pub(crate) layout: Layout,
    pub(crate) config: Config,
    /// Why the configuration file was not taken; the defaults are in force then.
    pub(crate) config_problem: Option<ConfigError>,
    pub(crate) verbose: bool,
    project_dir: PathBuf,
}

impl Surroundings {
    pub(crate) fn new(global: &Global) -> anyhow::Result<Self> {
        let flags = PathFlags { home: global.home.clone(), config: global.config.clone() };
        let paths = Paths::of_process(&flags)?;
        let (mut config, config_problem): (Config, _) = match load_toml(&paths.config) {
            Ok(config) => (config, None),
            Err(problem) => (Config::default(), Some(problem)),
        };
        config.embedder.onnx.runtimes = runtimes();
        let project_dir = match &global.project {
            Some(dir) => dir.clone(),
            None => {
                std::env::current_dir().context("cannot tell the working directory; give --project DIR")?
            }
        };
        Ok(Self {
            layout: Layout::new(&paths.home),
            paths,
            config,
            config_problem,
            verbose: global.verbose,
            project_dir,
        })
    }

    pub(crate) fn engine(&self) -> anyhow::Result<Engine> {
        self.engine_with(self.config.clone())
    }

    pub(crate) fn engine_with(&self, config: Config) -> anyhow::Result<Engine> {
        let mut builder = Engine::builder(&self.paths.home).config(config);
        if let (true, Ok(claude)) = (self.config.host.rules, self.paths.claude()) {
            builder = builder.rules_dir(claude.join("rules"));
        }
        Ok(builder.open()?)
    }

    pub(crate) fn project(&self) -> ProjectContext {
        identify(&self.project_dir)
    }

    pub(crate) fn project_dir(&self) -> &Path {
        &self.project_dir
    }

    /// Active memories of the project at hand and global ones; with `all_projects`, everybody's.
    pub(crate) fn filter(&self, all_projects: bool) -> MemoryFilter {
        MemoryFilter { projects: self.projects(all_projects), ..MemoryFilter::default() }
    }

    pub(crate) fn projects(&self, all_projects: bool) -> ProjectFilter {
        if all_projects { ProjectFilter::All } else { ProjectFilter::Within(self.project().id) }
    }
}

/// Where ONNX Runtime may be, besides the system's folders: what its own variable names, the Python environment at
/// hand, and the folder of this program.
fn runtimes() -> Vec<PathBuf> {
    let variables = ["ORT_DYLIB_PATH", "VIRTUAL_ENV", "CONDA_PREFIX"];
    let named = variables.iter().filter_map(std::env::var_os).filter(|value| !value.is_empty());
    let beside = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.to_owned()));
    named.map(PathBuf::from).chain(beside).collect()
}

/// The present, for ages shown to people.
pub(crate) fn now() -> Timestamp {
    Timestamp::now()
}

/// The text itself, or standard input for `-`.
pub(crate) fn text_or_stdin(text: &str) -> anyhow::Result<String> {
    if text != "-" {
        return Ok(text.to_owned());
    }
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut std::io::stdin().lock(), &mut bytes)
        .context("cannot read standard input")?;
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf".as_slice()).unwrap_or(&bytes);
    Ok(String::from_utf8_lossy(bytes).into_owned())
}
