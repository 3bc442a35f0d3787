//! A few careful file operations.

use crate::{EngineError, Result};
use std::io::Write as _;
use std::path::Path;

/// Creates a directory with its parents, readable by its owner alone where the system knows owners.
pub(crate) fn create_private_dir(path: &Path) -> Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(EngineError::file("create", path))
}

/// Makes a file readable by its owner alone where the system knows owners.
pub(crate) fn make_private(path: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(path, mode).map_err(EngineError::file("protect", path))?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Replaces a file whole: readers see the old content or the new one, never a part.
pub(crate) fn replace(path: &Path, content: &str) -> Result<()> {
    let parent = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent).map_err(EngineError::file("create", parent))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = parent.join(format!(".{name}.{}.tmp", std::process::id()));
    let write = || -> std::io::Result<()> {
        let mut file = std::fs::File::create(&temporary)?;
        file.write_all(content.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&temporary, path)
    };
    write().map_err(|source| {
        // Nothing else knows the temporary file; failing to remove it loses nothing.
        let _ = std::fs::remove_file(&temporary);
        EngineError::File { action: "write", path: path.to_owned(), source }
    })
}
