//! Passes the folder of the components from `host/bundled/build.rs` to the tests.

use std::env;

fn main() -> Result<(), env::VarError> {
    println!("cargo::rustc-env=TUFFET_TEST_GUESTS={}", env::var("DEP_TUFFET_GUESTS_COMPONENTS")?);
    Ok(())
}
