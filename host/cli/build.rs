//! Tells the tests where the components of `host/wasm/build.rs` are.

use std::env;

fn main() -> Result<(), env::VarError> {
    println!("cargo::rustc-env=TUFFET_TEST_GUESTS={}", env::var("DEP_TUFFET_GUESTS_COMPONENTS")?);
    Ok(())
}
