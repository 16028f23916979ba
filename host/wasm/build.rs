//! Passes the folder of the components from `host/bundled/build.rs` to the tests, and to those of dependent crates.

use std::env;

fn main() -> Result<(), env::VarError> {
    let components = env::var("DEP_TUFFET_BUNDLED_COMPONENTS")?;
    println!("cargo::rustc-env=TUFFET_TEST_GUESTS={components}");
    println!("cargo::metadata=components={components}");
    Ok(())
}
