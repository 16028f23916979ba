//! Lists the crates that can log, for the log filter.

#[path = "build/logging_crates.rs"]
mod logging_crates;

use std::env;
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    // A published package has a lock of its own; a member of the workspace has that of the workspace.
    let own = here.join("Cargo.lock");
    logging_crates::list(&if own.is_file() { own } else { here.join("../../Cargo.lock") })
}
