//! Embeds the SDK as sources, for `tuffet plugin new`, and tells the tests where the components of
//! `host/policy/build.rs` are.

#[path = "build/sdk.rs"]
mod sdk;

use std::error::Error;
use std::path::Path;
use std::{env, fmt};

fn main() -> Result<(), Report> {
    let workspace = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("..").canonicalize()?;
    println!("cargo::rustc-env=TUFFET_TEST_GUESTS={}", env::var("DEP_TUFFET_GUESTS_COMPONENTS")?);
    sdk::embed(&workspace)
}

/// An error that cargo prints as written, with its line breaks.
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
