//! The names of the crates that can log: `--log` accepts them beside the server's targets.

use std::error::Error;
use std::path::Path;
use std::{env, fs};

/// Writes the list that `logging::filter` includes: all packages in a `Cargo.lock` that use `tracing` or `log`, except
/// our own.
pub fn list(lock: &Path) -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={}", lock.display());
    let text = fs::read_to_string(lock).map_err(|error| format!("{}: {error}", lock.display()))?;
    let logs =
        |package: &&str| package.lines().any(|line| matches!(line.trim(), "\"tracing\"," | "\"log\","));
    let name = |package: &str| {
        let name = package.lines().find_map(|line| line.strip_prefix("name = "))?;
        Some(name.trim_matches('"').replace('-', "_"))
    };
    let names = text.split("[[package]]").filter(logs).filter_map(name);
    let names: Vec<String> = names.filter(|name| !name.starts_with("tuffet")).collect();
    fs::write(Path::new(&env::var("OUT_DIR")?).join("logging_crates.rs"), format!("{names:?}"))?;
    Ok(())
}
