//! Builds the guests that only tests need, into the folder where `host/bundled/build.rs` has the bundled plugins. Where
//! `TUFFET_GUESTS` names a folder of prebuilt components, it must have these, too.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs};

/// The packages of the guests.
const GUESTS: [&str; 3] = ["tuffet-misbehave", "tuffet-probe", "tuffet-reference"];

/// Their sources, relative to the workspace.
const SOURCES: [&str; 7] = [
    "host/tests/plugins",
    "plugins/build.sh",
    "sdk/rust",
    "sdk/conformance/rust",
    "sdk/wit",
    "Cargo.toml",
    "Cargo.lock",
];

fn main() -> ExitCode {
    // Not a returned error: Cargo would show it escaped, without line breaks.
    run().map_or_else(
        |error| {
            eprintln!("{error}");
            ExitCode::FAILURE
        },
        |()| ExitCode::SUCCESS,
    )
}

fn run() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-env-changed=TUFFET_GUESTS");
    let components = PathBuf::from(env::var("DEP_TUFFET_BUNDLED_COMPONENTS")?);
    match env::var_os("TUFFET_GUESTS") {
        Some(_) => prebuilt(&components)?,
        None => build(&components)?,
    }
    println!("cargo::rustc-env=TUFFET_TEST_GUESTS={}", fs::canonicalize(&components)?.display());
    Ok(())
}

fn prebuilt(components: &Path) -> Result<(), Box<dyn Error>> {
    for guest in GUESTS {
        let path = components.join(guest.replace('-', "_")).with_extension("wasm");
        if !path.is_file() {
            return Err(format!(
                "{} is missing: tests need more than TUFFET_GUESTS has; unset it, or add what `plugins/build.sh FOLDER {}` builds",
                path.display(),
                GUESTS.join(" ")
            )
            .into());
        }
        println!("cargo::rerun-if-changed={}", path.display());
    }
    Ok(())
}

fn build(components: &Path) -> Result<(), Box<dyn Error>> {
    let workspace = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("../../..").canonicalize()?;
    for source in SOURCES {
        println!("cargo::rerun-if-changed={}", workspace.join(source).display());
    }
    let target_dir = components.ancestors().nth(2).ok_or("the bundled plugins are in no target folder")?;
    let output =
        Command::new("sh").arg(workspace.join("plugins/build.sh")).arg(target_dir).args(GUESTS).output()?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("the guests of the tests could not be built ({})\n\n{said}", output.status).into())
}
