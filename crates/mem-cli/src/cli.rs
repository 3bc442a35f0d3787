//! The command line, as clap sees it.

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// A memory that coding agents keep between sessions.
#[derive(Debug, Parser)]
#[command(name = "mem", version, about, propagate_version = true, disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags every command takes.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Global {
    /// Where everything is kept [default: $MEM_HOME, else the platform's data folder]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,
    /// The project's folder [default: found from the working directory]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// The configuration [default: config.toml in the home]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Say only what was asked for
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Say more
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Wire the hooks into an agent's settings
    Init(Wiring),
    /// Take exactly that away
    Uninstall(Wiring),
    /// Take one hook event: JSON on stdin, the answer on stdout
    Hook {
        /// The agent that calls
        #[arg(long, default_value = "claude")]
        agent: String,
    },
    /// Send past transcripts through the same pipeline as live hooks
    Replay(Replay),
    /// Store a memory and print its id
    Remember(Remember),
    /// Ask the memory
    Recall(Recall),
    /// Show one memory whole
    Show(Ident),
    /// List memories
    List(List),
    /// Edit a memory as Markdown in $EDITOR
    Edit {
        /// The id, or a unique beginning of it
        id: String,
    },
    /// Remove memories; they can be restored for 30 days unless --hard
    Forget(Forget),
    /// Say yes to a candidate or an expired memory
    Confirm(Ident),
    /// Mark one memory as replaced by another
    Supersede {
        /// The one that no longer holds
        old: String,
        /// The one that holds instead
        new: String,
        /// Answer in JSON
        #[arg(long)]
        json: bool,
    },
    /// Link one memory to another
    Link {
        /// From
        a: String,
        /// supersedes, superseded_by, caused_by, same_module or related
        rel: String,
        /// To
        b: String,
        /// Answer in JSON
        #[arg(long)]
        json: bool,
    },
    /// Pin a memory, so that it never leaves by itself
    Pin {
        /// The id, or a unique beginning of it
        id: String,
        /// Unpin it
        #[arg(long)]
        off: bool,
        /// Answer in JSON
        #[arg(long)]
        json: bool,
    },
    /// Bring back a memory that was forgotten without --hard
    Unforget(Ident),
    /// Learned behaviours
    Instincts(Instincts),
    /// Run the detectors now
    Learn {
        /// Only this session
        #[arg(long, value_name = "ID")]
        session: Option<String>,
        /// Answer in JSON
        #[arg(long)]
        json: bool,
    },
    /// Cluster instincts and write the rules files
    Evolve {
        /// Only say what would be written
        #[arg(long)]
        dry_run: bool,
        /// Answer in JSON
        #[arg(long)]
        json: bool,
    },
    /// What would be injected now, and why
    Inject(Inject),
    /// Do what is queued: learning, indexing, embedding, expiry, rotation, mirroring
    Work {
        /// Stop starting new steps after so many milliseconds
        #[arg(long, value_name = "N")]
        budget_ms: Option<u64>,
        /// Go on until interrupted, looking every few seconds
        #[arg(long)]
        watch: bool,
        /// Answer in JSON
        #[arg(long)]
        json: bool,
    },
    /// Synchronise the Markdown mirror both ways
    Sync {
        /// Answer in JSON
        #[arg(long)]
        json: bool,
    },
    /// Copy the database to one file while in use, and verify it
    Backup {
        /// The file to write
        file: PathBuf,
    },
    /// Put a backup in the place of the database; the present one is kept beside it
    Restore {
        /// The file to read
        file: PathBuf,
    },
    /// Counts, sizes and versions
    Status(Output),
    /// The health of every part
    Doctor {
        /// Mend what can be mended
        #[arg(long)]
        fix: bool,
        /// Answer in JSON
        #[arg(long)]
        json: bool,
    },
    /// Which model turns texts into vectors
    Model(ModelArgs),
    /// Rebuild the index from the database
    Reindex(Output),
    /// Print a completion script
    Completions {
        /// bash, zsh, fish, powershell or elvish
        shell: clap_complete::Shell,
    },
}

/// How to answer.
#[derive(Debug, Args)]
pub(crate) struct Output {
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// One memory.
#[derive(Debug, Args)]
pub(crate) struct Ident {
    /// The id, or a unique beginning of it
    pub(crate) id: String,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Which settings of which agent.
#[derive(Debug, Args)]
pub(crate) struct Wiring {
    /// The user's settings (the default)
    #[arg(long, conflicts_with = "project_only")]
    pub(crate) user: bool,
    /// This project's local settings only
    #[arg(long)]
    pub(crate) project_only: bool,
    /// The agent
    #[arg(long, default_value = "claude", value_name = "NAME")]
    pub(crate) agent: String,
    /// Only say what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// Transcripts, or folders of them
    #[arg(required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Remember {
    /// The statement; `-` reads it from stdin
    pub(crate) text: String,
    /// user, feedback, project, reference, fact, decision, todo or correction
    #[arg(long, default_value = "fact")]
    pub(crate) kind: String,
    /// A short name
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// One line
    #[arg(long)]
    pub(crate) description: Option<String>,
    /// Why it is so
    #[arg(long)]
    pub(crate) why: Option<String>,
    /// What follows from it
    #[arg(long)]
    pub(crate) how: Option<String>,
    /// When to think of it
    #[arg(long, value_name = "TRIGGER")]
    pub(crate) when: Option<String>,
    /// A label; may be given several times
    #[arg(long = "tag", value_name = "T")]
    pub(crate) tags: Vec<String>,
    /// global, project, module or file
    #[arg(long)]
    pub(crate) scope: Option<String>,
    /// The folder or file it is about
    #[arg(long, value_name = "P")]
    pub(crate) path: Option<String>,
    /// Days it holds
    #[arg(long, value_name = "DAYS")]
    pub(crate) ttl: Option<u32>,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Recall {
    /// The question; `-` reads it from stdin
    pub(crate) query: String,
    /// At most so many
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Only of this kind; may be given several times
    #[arg(long = "kind", value_name = "K")]
    pub(crate) kinds: Vec<String>,
    /// Only of this scope
    #[arg(long, value_name = "S")]
    pub(crate) scope: Option<String>,
    /// The file or folder at hand
    #[arg(long, value_name = "P")]
    pub(crate) path: Option<String>,
    /// As of this time (RFC 3339, or a date)
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<String>,
    /// Archived, expired and superseded ones too
    #[arg(long)]
    pub(crate) all: bool,
    /// Every project's
    #[arg(long)]
    pub(crate) all_projects: bool,
    /// Say why each is where it is
    #[arg(long)]
    pub(crate) explain: bool,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) limit: usize,
    /// Only of this kind; may be given several times
    #[arg(long = "kind", value_name = "K")]
    pub(crate) kinds: Vec<String>,
    /// Only in this state; may be given several times [default: active]
    #[arg(long = "status", value_name = "S")]
    pub(crate) statuses: Vec<String>,
    /// Only of this scope
    #[arg(long, value_name = "S")]
    pub(crate) scope: Option<String>,
    /// Only with this label; may be given several times
    #[arg(long = "tag", value_name = "T")]
    pub(crate) tags: Vec<String>,
    /// In every state
    #[arg(long)]
    pub(crate) all: bool,
    /// Every project's
    #[arg(long)]
    pub(crate) all_projects: bool,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Forget {
    /// The ids, or unique beginnings of them
    #[arg(required = true)]
    pub(crate) ids: Vec<String>,
    /// Leave nothing of the text
    #[arg(long)]
    pub(crate) hard: bool,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Instincts {
    #[command(subcommand)]
    pub(crate) action: Option<InstinctAction>,
    /// Every project's
    #[arg(long, global = true)]
    pub(crate) all_projects: bool,
    /// Answer in JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum InstinctAction {
    /// List them, the most confident first
    List,
    /// Show one with its evidence
    Show {
        /// The id, or a unique beginning of it
        id: String,
    },
    /// Remove one for good
    Forget {
        /// The id, or a unique beginning of it
        id: String,
    },
    /// Make what holds in several projects hold everywhere
    Promote {
        /// This one, whatever its evidence
        id: Option<String>,
    },
    /// Write them for others: no paths, no session text, no project names
    Export {
        /// The file; standard output without it
        #[arg(short, long, value_name = "F")]
        output: Option<PathBuf>,
    },
    /// Read somebody's export
    Import {
        /// The file
        file: PathBuf,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ModelArgs {
    #[command(subcommand)]
    pub(crate) action: Option<ModelAction>,
    /// Make the vectors now, not in the background
    #[arg(long, global = true)]
    pub(crate) wait: bool,
    /// Answer in JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ModelAction {
    /// List the models there are
    List,
    /// Choose one of them
    Use {
        /// builtin, hash, none, or the name of a model that was fetched
        name: String,
    },
    /// Choose an ONNX model in a folder
    Path {
        /// The folder: an .onnx file and its tokenizer.json
        dir: PathBuf,
    },
    /// Choose the model that comes along
    Builtin,
    /// Choose none: words alone
    None,
}

#[derive(Debug, Args)]
pub(crate) struct Inject {
    /// As if this prompt had come
    #[arg(long, value_name = "Q")]
    pub(crate) query: Option<String>,
    /// SessionStart or UserPromptSubmit [default: by whether there is a query]
    #[arg(long, value_name = "NAME")]
    pub(crate) event: Option<String>,
    /// At most so many characters
    #[arg(long, value_name = "CHARS")]
    pub(crate) budget: Option<usize>,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}
