//! What every measurement needs around it: the programs, and a core for each side.

use std::path::{Path, PathBuf};

/// The program that was named, or the one that lies beside this one; as an absolute path.
///
/// # Errors
/// When this program's own place cannot be told.
pub fn beside(given: Option<&Path>, name: &str) -> Result<PathBuf, String> {
    let found = match given {
        Some(path) => Ok(path.to_owned()),
        None => std::env::current_exe().map(|own| own.with_file_name(name)),
    };
    found.and_then(std::path::absolute).map_err(|error| format!("{name}: {error}"))
}

/// Whether the programs are there; `build` tells how to make them.
///
/// # Errors
/// Names the first that is not.
pub fn all_there<'a>(programs: impl IntoIterator<Item = &'a PathBuf>, build: &str) -> Result<(), String> {
    let missing = programs.into_iter().find(|program| !program.is_file());
    missing.map_or(Ok(()), |it| Err(format!("{} is not there: `{build}` builds it", it.display())))
}

/// All cores; the server's and the generator's are two of them.
///
/// # Errors
/// When they are not.
pub fn two_cores(server: usize, generator: usize) -> Result<Vec<usize>, String> {
    let cores = tuffet_measure::cores().map_err(|error| error.to_string())?;
    if server == generator || !cores.contains(&server) || !cores.contains(&generator) {
        return Err(format!("two cores are needed; there are {cores:?} (--server-core, --generator-core)"));
    }
    Ok(cores)
}

/// Keeps this program and what it starts to the generator's core, beside the server's.
///
/// # Errors
/// When these are not two cores of this machine.
pub fn keep_to(generator: usize, server: usize) -> Result<(), String> {
    two_cores(server, generator)?;
    tuffet_measure::pin(generator).map_err(|error| error.to_string())
}

/// The folder, made if it was not there, as an absolute path.
///
/// # Errors
/// When it cannot be made.
pub fn folder(path: &Path) -> Result<PathBuf, String> {
    let path = std::path::absolute(path).map_err(|error| error.to_string())?;
    std::fs::create_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}
