//! Embeds the SDK as sources, for `tuffet plugin new`, and tells the tests where the components of
//! `host/wasm/build.rs` are, and lists the crates that can log, for the filter of the log.

#[path = "build/logging_crates.rs"]
mod logging_crates;
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
    let workspace = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("..").canonicalize()?;
    println!("cargo::rustc-env=TUFFET_TEST_GUESTS={}", env::var("DEP_TUFFET_GUESTS_COMPONENTS")?);
    logging_crates::list(&workspace)?;
    sdk::embed(&workspace)
}
