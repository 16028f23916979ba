//! Embeds the SDK as sources, for `tuffet plugin new`.

#[path = "build/sdk.rs"]
mod sdk;

use std::env;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    // Cargo shows it as it is written, with its line breaks.
    run().map_or_else(
        |error| {
            eprintln!("{error}");
            ExitCode::FAILURE
        },
        |()| ExitCode::SUCCESS,
    )
}

fn run() -> Result<(), Box<dyn Error>> {
    let workspace = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../..").canonicalize()?;
    sdk::embed(&workspace)
}
