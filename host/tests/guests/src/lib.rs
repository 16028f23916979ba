//! The components that tests run: the bundled plugins as files, and the guests that only tests need. `build.rs` builds
//! the latter, so that a build of the server leaves them out.

/// The folder of the components.
pub const FOLDER: &str = env!("TUFFET_TEST_GUESTS");

/// Returns the path of the component of the package `tuffet-NAME`.
pub fn component(name: &str) -> String {
    format!("{FOLDER}/tuffet_{}.wasm", name.replace('-', "_"))
}
