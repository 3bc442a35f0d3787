//! Starts `mem work` so that it outlives the hook, the host and the terminal.

use crate::hook::GUARD;
use crate::paths::Paths;
use std::path::Path;
use std::process::{Command, Stdio};

/// Asks for work and starts a process for it. When one is working already, it serves the request and the new one
/// goes away by itself.
pub(crate) fn start_work(paths: &Paths, project: &Path, request: &Path) -> std::io::Result<()> {
    std::fs::write(request, b"")?;
    let mut command = Command::new(std::env::current_exe()?);
    command
        .arg("--home")
        .arg(&paths.home)
        .arg("--config")
        .arg(&paths.config)
        .arg("--project")
        .arg(project)
        .args(["--quiet", "work"])
        .env(GUARD, "1")
        .current_dir(&paths.home)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    #[cfg(unix)]
    {
        // A group of its own: signals to the host's group, such as Ctrl-C, do not reach it.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
    }
    #[cfg(windows)]
    {
        const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
        const CREATE_NO_WINDOW: u32 = 0x0800_0000;
        std::os::windows::process::CommandExt::creation_flags(
            &mut command,
            CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW,
        );
    }
    // Not waited for: this process ends at once, and the child is then init's to reap.
    command.spawn().map(drop)
}
