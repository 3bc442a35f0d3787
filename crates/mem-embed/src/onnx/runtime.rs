//! Finding ONNX Runtime, and loading it without a panic.

use super::config::OnnxConfig;
use crate::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Folders the libraries of a system lie in.
#[cfg(target_os = "windows")]
const SYSTEM: [&str; 2] = [r"C:\Program Files\onnxruntime\lib", r"C:\onnxruntime\lib"];
#[cfg(target_os = "macos")]
const SYSTEM: [&str; 3] = ["/opt/homebrew/lib", "/usr/local/lib", "/opt/local/lib"];
#[cfg(not(any(target_os = "windows", target_os = "macos")))]
const SYSTEM: [&str; 7] = [
    "/usr/local/lib",
    "/usr/lib",
    "/usr/lib64",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/opt/onnxruntime/lib",
    "/opt/lib",
];

/// Below a folder that is given: the folder itself, an installation, a Python package, a site-packages.
const BELOW: [&str; 5] = ["", "lib", "capi", "onnxruntime/capi", "bin"];
/// Below a Python environment.
const ENVIRONMENT: [&str; 3] = ["lib", "Lib", "lib64"];

/// The library of ONNX Runtime that would be loaded.
///
/// The config's own, else that of the first of its further places that has one, else one of the system's folders.
///
/// # Errors
/// [`Error::RuntimeMissing`] with all places that were looked at.
pub(super) fn find(config: &OnnxConfig) -> Result<PathBuf, Error> {
    let mut looked = Vec::new();
    if let Some(place) = &config.runtime {
        looked.push(place.clone());
        return library_in(place).ok_or(Error::RuntimeMissing { looked });
    }
    let system = SYSTEM.iter().map(PathBuf::from);
    for place in config.runtimes.iter().cloned().chain(system) {
        if let Some(found) = library_in(&place) {
            return Ok(found);
        }
        looked.push(place);
    }
    Err(Error::RuntimeMissing { looked })
}

/// The library at a place: the file itself, or the newest in a folder.
fn library_in(place: &Path) -> Option<PathBuf> {
    if place.is_file() {
        return Some(place.to_owned());
    }
    let folders = BELOW.iter().map(|below| place.join(below)).chain(site_packages(place));
    folders.filter_map(|folder| newest(&folder)).next()
}

fn site_packages(environment: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for lib in ENVIRONMENT {
        let lib = environment.join(lib);
        found.push(lib.join("site-packages/onnxruntime/capi"));
        let Ok(entries) = std::fs::read_dir(&lib) else { continue };
        let mut versions: Vec<PathBuf> = entries
            .flatten()
            .filter(|entry| entry.file_name().to_string_lossy().starts_with("python"))
            .map(|entry| entry.path())
            .collect();
        versions.sort();
        found.extend(versions.into_iter().rev().map(|path| path.join("site-packages/onnxruntime/capi")));
    }
    found
}

/// `libonnxruntime.so.1.24.0`, `libonnxruntime.1.24.0.dylib`, `onnxruntime.dll`; not `…_providers_shared`.
fn version(name: &str) -> Option<Vec<u32>> {
    let rest = name.strip_prefix("lib").unwrap_or(name).strip_prefix("onnxruntime")?;
    let rest = match rest.strip_suffix(".dll").or_else(|| rest.strip_suffix(".dylib")) {
        Some(rest) => rest,
        None => rest.strip_prefix(".so")?,
    };
    if rest.is_empty() {
        return Some(Vec::new());
    }
    rest.strip_prefix('.')?.split('.').map(|part| part.parse().ok()).collect()
}

fn newest(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?;
    let named = entries.flatten().filter_map(|entry| {
        let version = version(entry.file_name().to_str()?)?;
        Some((version, entry.path()))
    });
    named.filter(|(_, path)| path.is_file()).max().map(|(_, path)| path)
}

/// One load at a time; a process has one library for good. True when that one cannot be used: `ort` would wait for
/// ever if it were asked a second time.
static BROKEN: Mutex<bool> = Mutex::new(false);

/// Loads the library unless one is loaded already.
///
/// # Errors
/// [`Error::RuntimeUnusable`] when it is none, or too old. Nothing panics and a later call may try another.
pub(super) fn load(path: &Path) -> Result<(), Error> {
    let unusable = |reason: String| Error::RuntimeUnusable {
        path: path.to_owned(),
        oldest: ort::MINOR_VERSION,
        reason: Arc::new(Said(reason)),
    };
    let name = path.file_name().and_then(|name| name.to_str()).and_then(version);
    if let Some([1, minor, ..]) = name.as_deref()
        && *minor < ort::MINOR_VERSION
    {
        return Err(unusable(format!("it is version 1.{minor}")));
    }
    let mut broken = BROKEN.lock().unwrap_or_else(PoisonError::into_inner);
    if *broken {
        return Err(unusable("a library of this process could not be used; start a new one".to_owned()));
    }
    guarded(|| ort::init_from(path).map(drop))
        .map_err(|panic| unusable(panic.to_string()))?
        .map_err(|error| unusable(error.to_string()))?;
    // Asks the library for its interface; a library of that name that lacks it panics here and nowhere else.
    guarded(|| {
        let _ = ort::api();
    })
    .map_err(|panic| {
        *broken = true;
        unusable(panic.to_string())
    })
}

/// What a library said when it failed.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub(super) struct Said(String);

/// Runs what may panic, though it should not.
pub(super) fn guarded<T>(run: impl FnOnce() -> T) -> Result<T, Said> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Said(text.unwrap_or_else(|| "it panicked".to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_library_are_known() {
        assert_eq!(version("libonnxruntime.so.1.32.0"), Some(vec![1, 32, 0]));
        assert_eq!(version("libonnxruntime.1.24.1.dylib"), Some(vec![1, 24, 1]));
        assert_eq!(version("onnxruntime.dll"), Some(vec![]));
        assert_eq!(version("libonnxruntime.so"), Some(vec![]));
        for other in ["libonnxruntime_providers_shared.so", "libonnx.so", "onnxruntime.lib", "onnxruntime"] {
            assert_eq!(version(other), None, "{other}");
        }
    }

    #[test]
    fn a_python_environment_is_looked_through() {
        let root = tempfile::tempdir().unwrap();
        let capi = root.path().join("lib/python3.11/site-packages/onnxruntime/capi");
        std::fs::create_dir_all(&capi).unwrap();
        for name in
            ["libonnxruntime_providers_shared.so", "libonnxruntime.so.1.9.0", "libonnxruntime.so.1.30.0"]
        {
            std::fs::write(capi.join(name), "").unwrap();
        }
        let newest = capi.join("libonnxruntime.so.1.30.0");
        let site_packages = root.path().join("lib/python3.11/site-packages");
        for place in [root.path(), &site_packages, &capi, &newest] {
            let config = OnnxConfig { runtime: Some(place.to_owned()), ..OnnxConfig::default() };
            assert_eq!(find(&config).unwrap(), newest, "{}", place.display());
        }
        let config = OnnxConfig { runtimes: vec![root.path().join("no"), capi], ..OnnxConfig::default() };
        assert_eq!(find(&config).unwrap(), newest);
    }

    #[test]
    fn what_is_no_runtime_is_an_error_that_says_what_to_do() {
        let root = tempfile::tempdir().unwrap();
        let nowhere = OnnxConfig { runtime: Some(root.path().join("no")), ..OnnxConfig::default() };
        let error = find(&nowhere).unwrap_err();
        assert_eq!(error.kind(), mem_core::ErrorKind::Unavailable);
        assert!(error.to_string().contains("onnxruntime"), "{error}");
        for name in ["libonnxruntime.so.1.2.0", "libonnxruntime.so"] {
            let path = root.path().join(name);
            std::fs::write(&path, "not a library").unwrap();
            let error = load(&path).unwrap_err();
            assert_eq!(error.kind(), mem_core::ErrorKind::Unavailable);
            assert!(error.to_string().contains(name), "{error}");
        }
    }
}
