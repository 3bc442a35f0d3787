//! `mem-bench`: measures the product as a user meets it, with figures that can be compared.

mod hooks;
mod recall;
mod scale;

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
    /// How often recall finds what it should, over data sets with known answers
    Recall(recall::Recall),
    /// What searches cost in a process that stays, by the number of memories
    Scale(scale::Scale),
}

fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        Command::Hooks(args) => hooks::run(&args),
        Command::Recall(args) => recall::run(&args),
        Command::Scale(args) => scale::run(&args),
    }
}
