//! `mem-bench`: measures the product as a user meets it, with figures that can be compared.

mod hooks;

use clap::{Parser, Subcommand};

/// Measures mem.
#[derive(Debug, Parser)]
#[command(name = "mem-bench", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// What hooks cost: whole processes, next to `true` started the same way
    Hooks(hooks::Hooks),
}

fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        Command::Hooks(args) => hooks::run(&args),
    }
}
