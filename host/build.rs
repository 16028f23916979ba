//! Embeds the SDK as sources, for `tuffet plugin new`, and tells the tests where the components of
//! `host/policy/build.rs` are, and lists the crates that can log, for the filter of the log.

#[path = "build/logging_crates.rs"]
mod logging_crates;
#[path = "build/sdk.rs"]
mod sdk;

use std::error::Error;
use std::path::Path;
use std::{env, fmt};

fn main() -> Result<(), Report> {
    let workspace = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("..").canonicalize()?;
    println!("cargo::rustc-env=TUFFET_TEST_GUESTS={}", env::var("DEP_TUFFET_GUESTS_COMPONENTS")?);
    logging_crates::list(&workspace)?;
    sdk::embed(&workspace)
}

/// An error that cargo shows as it is written, with its line breaks.
struct Report(String);

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<E: Error> From<E> for Report {
    fn from(error: E) -> Self {
        Report(error.to_string())
    }
}
