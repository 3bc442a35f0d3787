//! What is done off the hooks' path.

use crate::{EmbedProgress, Engine, EngineError, Evolved, Learned, Result};
use mem_core::{MemoryFilter, ProjectFilter, Status};
use serde::Serialize;
use std::ops::ControlFlow;

/// What a round of work did.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Worked {
    /// What was learned.
    pub learned: Learned,
    /// Instincts that lost confidence because they were not seen for long.
    pub faded: u64,
    /// Memories whose time to live ran out; they wait for a confirmation.
    pub expired: u64,
    /// Lines moved to the archive.
    pub archived_lines: u64,
    /// Rules files written or removed.
    pub evolved: Option<Evolved>,
    /// Files of the mirror written or read.
    pub mirrored: u64,
    /// Memories that got vectors.
    pub embedded: u64,
    /// Steps that were left for the next time because the budget was used up.
    pub postponed: Vec<&'static str>,
    /// Steps that failed; they are tried again next time.
    pub failed: Vec<String>,
}

/// A step of work, by name.
type Step = (&'static str, fn(&Engine, &mut Worked) -> Result<()>);

impl Worked {
    /// Adds what a further round did.
    pub fn absorb(&mut self, next: Self) {
        self.learned.observations += next.learned.observations;
        self.learned.skipped_lines += next.learned.skipped_lines;
        self.learned.sessions += next.learned.sessions;
        self.learned.new_instincts += next.learned.new_instincts;
        self.learned.updated_instincts += next.learned.updated_instincts;
        self.learned.candidates += next.learned.candidates;
        self.learned.memories += next.learned.memories;
        self.faded += next.faded;
        self.expired += next.expired;
        self.archived_lines += next.archived_lines;
        self.mirrored += next.mirrored;
        self.embedded += next.embedded;
        self.evolved = next.evolved.or(self.evolved.take());
        self.postponed = next.postponed;
        self.failed.extend(next.failed);
    }
}

impl Engine {
    /// Does what is queued, one step after the other, until the budget is used up.
    ///
    /// A step that fails does not keep the others from running. Only one process of a home works at a time.
    ///
    /// # Errors
    /// [`EngineError::Busy`] when another process works already.
    pub fn work(&self, budget: Option<jiff::SignedDuration>) -> Result<Worked> {
        self.work_while(budget, &mut |_| ControlFlow::Continue(()))
    }

    /// As [`Engine::work`], telling how far embedding is, which may be stopped: it takes the longest, and comes last.
    ///
    /// # Errors
    /// As [`Engine::work`].
    pub fn work_while(
        &self,
        budget: Option<jiff::SignedDuration>,
        go_on: &mut dyn FnMut(&EmbedProgress) -> ControlFlow<()>,
    ) -> Result<Worked> {
        let _lock = self.work_lock()?;
        let start = self.now();
        let mut worked = Worked::default();
        // A request made from here on is for the next round.
        let _ = std::fs::remove_file(self.layout().work_request());
        let steps: [Step; 8] = [
            ("index", |engine, _| engine.follow_words()),
            ("learn", |engine, worked| {
                worked.learned = engine.learn(None)?;
                Ok(())
            }),
            ("fade", |engine, worked| {
                worked.faded = engine.fade()?;
                Ok(())
            }),
            ("expire", |engine, worked| {
                worked.expired = engine.expire()?;
                Ok(())
            }),
            ("trash", |engine, _| {
                let kept = jiff::SignedDuration::from_hours(24 * i64::from(engine.config().trash_days));
                let before = engine.now().checked_sub(kept).unwrap_or(mem_core::Timestamp::MIN);
                if let Ok(sqlite) = engine.sqlite() {
                    sqlite.purge_trash(before).map_err(mem_core::Error::from)?;
                }
                Ok(())
            }),
            ("evolve", |engine, worked| {
                if engine.rules_dir().is_some() {
                    worked.evolved = Some(engine.evolve(false)?);
                }
                Ok(())
            }),
            ("mirror", |engine, worked| {
                let synced = engine.sync()?;
                worked.mirrored = synced.written + synced.read;
                Ok(())
            }),
            ("rotate", |engine, worked| {
                worked.archived_lines = engine.rotate()?;
                Ok(())
            }),
        ];
        let late = || budget.is_some_and(|budget| self.now().duration_since(start) >= budget);
        for (name, step) in steps {
            if late() {
                worked.postponed.push(name);
                continue;
            }
            if let Err(error) = step(self, &mut worked) {
                self.note(name, &error);
                worked.failed.push(name.to_owned());
            }
        }
        if late() {
            worked.postponed.push("embed");
            return Ok(worked);
        }
        let mut stopped = false;
        let embedded = self.embed_all(&mut |progress| {
            worked.embedded = worked.embedded.max(progress.done);
            let flow = if late() { ControlFlow::Break(()) } else { go_on(progress) };
            stopped = flow.is_break();
            flow
        });
        match embedded {
            Ok(_) if stopped => worked.postponed.push("embed"),
            Ok(_) => {}
            Err(error) => {
                self.note("embed", &error);
                worked.failed.push("embed".to_owned());
            }
        }
        Ok(worked)
    }

    /// Whether somebody asked for work since the last round began.
    pub fn work_requested(&self) -> bool {
        self.layout().work_request().exists()
    }

    /// Memories past their time to live wait for a confirmation; what a person pinned stays.
    fn expire(&self) -> Result<u64> {
        let now = self.now();
        let active = MemoryFilter { projects: ProjectFilter::All, ..MemoryFilter::default() };
        let mut expired = Vec::new();
        for memory in self.store().list(&active, usize::MAX)? {
            if self.policy().outlived(&memory, now) {
                expired.push(mem_core::Memory { status: Status::Expired, ..memory });
            }
        }
        self.store().put(&expired)?;
        Ok(expired.len() as u64)
    }

    fn rotate(&self) -> Result<u64> {
        let journal =
            mem_store::journal::Journal::new(self.layout().journal(), self.config().journal.clone());
        let rotation = journal.rotate(self.now()).map_err(mem_core::Error::from)?;
        Ok(rotation.lines)
    }

    /// Writes the store to one file while it is in use, and verifies the copy.
    ///
    /// # Errors
    /// When the file exists, cannot be written, or does not verify.
    pub fn backup(&self, file: &std::path::Path) -> Result<u64> {
        if file.exists() {
            let source = std::io::Error::from(std::io::ErrorKind::AlreadyExists);
            return Err(EngineError::File { action: "write a backup over", path: file.to_owned(), source });
        }
        self.sqlite()?.backup_to(file).map_err(mem_core::Error::from)?;
        crate::files::make_private(file)?;
        let size = std::fs::metadata(file).map_err(EngineError::file("read", file))?.len();
        Ok(size)
    }
}
