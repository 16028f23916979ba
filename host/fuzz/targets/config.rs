//! Any text as the configuration: it loads, or is refused with problems at positions within it.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

/// The folder to load from; the examples refer to `files`.
static FOLDER: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir(folder.path().join("files")).expect("a folder");
    folder
});

fuzz_target!(|yaml: &[u8]| {
    if let Err(wrong) = tuffet_wasm::fuzzing::config(yaml, FOLDER.path()) {
        panic!("{wrong}");
    }
});
