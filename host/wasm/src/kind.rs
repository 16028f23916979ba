//! Distinguishes components from other files.

/// Checks the header, which distinguishes a component from a core module.
pub(super) fn check_kind(binary: &[u8]) -> Result<(), String> {
    match binary {
        [0, b'a', b's', b'm', 0x0d, 0, 1, 0, ..] => Ok(()),
        [0, b'a', b's', b'm', 1, 0, 0, 0, ..] => Err(
            "it is a core WebAssembly module, not a component: build it for wasm32-wasip2, or wrap it with \
                 `wasm-tools component new`"
                .into(),
        ),
        [0, b'a', b's', b'm', ..] => {
            Err("it is WebAssembly of a version that this server does not know: build it for wasm32-wasip2"
                .into())
        }
        _ => Err("it is not WebAssembly: a plugin is a component, built for wasm32-wasip2".into()),
    }
}
