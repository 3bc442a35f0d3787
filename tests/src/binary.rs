//! Builds `mem` as the tests themselves were built, and tells where it is.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The binary under test; built at the first call.
///
/// # Panics
/// When it cannot be built.
pub fn mem_binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(build)
}

fn build() -> PathBuf {
    // <target>[/<triple>]/<profile>/deps/<this test>
    let test = std::env::current_exe().expect("the path of this test");
    let profile_dir = test.ancestors().nth(2).expect("a folder for the profile").to_owned();
    let above = profile_dir.parent().expect("a target folder");
    let is_target = |dir: &Path| dir.join(".rustc_info.json").exists();
    let (target, triple) = match (is_target(above), above.parent()) {
        (false, Some(outer)) if is_target(outer) => (outer, above.file_name()),
        _ => (above, None),
    };
    let profile = match profile_dir.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(name) => name,
    };
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["build", "--quiet", "-p", "mem-cli", "--bin", "mem", "--profile", profile, "--target-dir"])
        .arg(target)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    if let Some(triple) = triple {
        cargo.arg("--target").arg(triple);
    }
    let built = cargo.status().expect("cargo can be started");
    assert!(built.success(), "mem cannot be built: {built}");
    let binary = profile_dir.join(format!("mem{}", std::env::consts::EXE_SUFFIX));
    assert!(binary.is_file(), "no binary at {}", binary.display());
    binary
}
