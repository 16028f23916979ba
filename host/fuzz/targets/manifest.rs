//! Any component, or any text as the manifest of one: it is accepted, or refused with a reason.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let wrapped = (!bytes.starts_with(b"\0asm")).then(|| tuffet_wasm::fuzzing::manifest_section(bytes));
    if let Err(wrong) = tuffet_wasm::fuzzing::manifest(wrapped.as_deref().unwrap_or(bytes)) {
        panic!("{wrong}");
    }
});
