//! Version 0.2.0.
//!
//! As in [`super::v0_1`], a single world with all hooks.
#![allow(missing_docs, unused_qualifications, clippy::all)]

wasmtime::component::bindgen!({
    path: "../../sdk/wit/v0.2",
    inline: "
        package tuffet:host;
        world plugin {
            include tuffet:policy/authorizer@0.2.0;
            include tuffet:policy/large-resolver@0.2.0;
            include tuffet:policy/upload-gate@0.2.0;
            include tuffet:policy/observer@0.2.0;
        }
    ",
    world: "tuffet:host/plugin",
    imports: {
        "tuffet:policy/kv": async,
        "tuffet:policy/shared-kv": async,
        "tuffet:policy/files": async,
        "tuffet:policy/sinks": async,
        "tuffet:policy/upload-content": async,
    },
    exports: { default: async },
    additional_derives: [PartialEq, Eq, Clone],
});
