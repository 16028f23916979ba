//! Installs programs from crates.

use super::{Installed, Installer, PATIENCE, nothing_installed};
use crate::command::succeed;
use std::process::Command;

/// Returns the program of a crate, built with its own lock file.
pub(crate) fn crate_binary(
    installer: &Installer,
    name: &str,
    version: &str,
    program: &str,
) -> Result<Installed, String> {
    let root = installer.folder(&format!("{name}-{version}"))?;
    let program = root.join("bin").join(program);
    if !program.is_file() {
        if !installer.may_install {
            return Err(nothing_installed(name));
        }
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(["install", name, "--version", version, "--locked", "--root"]).arg(&root);
        cargo.env("CARGO_TARGET_DIR", root.join("build"));
        succeed(cargo, PATIENCE)?;
    }
    Ok(Installed { program, version: format!("{version}, cargo install {name}") })
}
