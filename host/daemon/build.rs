//! Lists the crates that can log, for the log filter.

#[path = "build/logging_crates.rs"]
mod logging_crates;

use std::env;
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let workspace = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../..").canonicalize()?;
    logging_crates::list(&workspace)
}
