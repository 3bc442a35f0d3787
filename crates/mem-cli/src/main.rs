//! `mem`: a memory that coding agents keep between sessions.

mod cli;
mod commands;
mod config;
mod context;
mod error;
mod git;
mod hook;
mod identity;
mod output;
mod paths;
mod wire;

use clap::Parser as _;
use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    // Hooks run hundreds of times a session: they pass clap by, and whatever they are given they end with 0.
    if hook::is_meant(&args) {
        hook::run(&args);
        return ExitCode::SUCCESS;
    }
    match cli::Cli::try_parse() {
        Ok(cli) => error::exit(commands::run(cli)),
        Err(error) => {
            // Help and version are printed to stdout and end with 0, everything else with 2.
            let _ = error.print();
            ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
        }
    }
}
