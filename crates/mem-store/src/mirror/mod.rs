//! The Markdown mirror: memories and instincts as files that people and other tools read and edit.
//!
//! Three layers: [`Document`] keeps every byte of a file and changes single lines of it; [`read_memory`],
//! [`write_memory`] and their like for instincts are pure functions over text; [`plan`] decides by three-way
//! comparison what has to happen, and [`MirrorDir`] does it, one atomic replacement at a time.

mod dir;
mod error;
mod front_matter;
mod instinct_file;
mod item;
mod memory_file;
mod plan;
mod scalar;
mod sections;
mod slug;
mod state;

pub use dir::{ApplyReport, MirrorDir, Skipped};
pub use error::MirrorError;
pub use front_matter::{Defect, Document};
pub use instinct_file::{InstinctFile, InstinctProblem, read_instincts, update_instinct, write_instinct};
pub use item::{MirrorItem, ReadItem};
pub use memory_file::{FileDefaults, MemoryFile, claude_type, read_memory, update_memory, write_memory};
pub use plan::{Action, ConflictReason, FileText, LeaveReason, MirrorFile, plan};
pub use slug::slug;
pub use state::{MirrorState, SyncedFile};
