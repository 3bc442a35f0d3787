use std::path::{Path, PathBuf};

/// Where everything lies below one home directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    home: PathBuf,
}

impl Layout {
    /// The layout below a home directory; nothing is created.
    pub fn new(home: impl Into<PathBuf>) -> Self {
        Self { home: home.into() }
    }

    /// The home itself.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The database, the one truth for memories and instincts.
    pub fn database(&self) -> PathBuf {
        self.home.join("mem.db")
    }

    /// What the database's last changes are written to first.
    pub fn write_ahead_log(&self) -> PathBuf {
        self.home.join("mem.db-wal")
    }

    /// The folder of the observation journal.
    pub fn journal(&self) -> PathBuf {
        self.home.join("journal")
    }

    /// The folder of the BM25 index.
    pub fn text_index(&self) -> PathBuf {
        self.home.join("index").join("bm25")
    }

    /// The folder of the graph over very many vectors.
    pub fn vector_graph(&self) -> PathBuf {
        self.home.join("index").join("vectors")
    }

    /// What is known of models: measurements, digests, and those that were fetched by name.
    pub fn models(&self) -> PathBuf {
        self.home.join("models")
    }

    /// Digests of model files, so that they are not read whole at every start.
    pub fn model_digests(&self) -> PathBuf {
        self.models().join("digests.json")
    }

    /// The Markdown mirror of the memories, a folder a project below it.
    pub fn memories(&self) -> PathBuf {
        self.home.join("memories")
    }

    /// The Markdown mirror of the instincts.
    pub fn instincts(&self) -> PathBuf {
        self.home.join("instincts")
    }

    /// The global habits by domain, for people to read; generated.
    pub fn evolved(&self) -> PathBuf {
        self.home.join("evolved")
    }

    /// What the mirror looked like when it was last synchronised, a file a folder.
    pub fn mirror_state(&self) -> PathBuf {
        self.home.join("mirror-state")
    }

    /// The configuration.
    pub fn config(&self) -> PathBuf {
        self.home.join("config.toml")
    }

    /// The log of what hooks could not do, a JSON object a line.
    pub fn hook_log(&self) -> PathBuf {
        self.home.join("hook.log")
    }

    /// Held by the one process that works.
    pub fn work_lock(&self) -> PathBuf {
        self.home.join("work.lock")
    }

    /// Present when somebody wants work done.
    pub fn work_request(&self) -> PathBuf {
        self.home.join("work.request")
    }
}
