//! Version 0.1.0, which is frozen.
//!
//! A single world with all hooks, so that they share types. A plugin need not have all hooks: each exported
//! interface is looked up by itself (`GuestIndices`), never the world as a whole.
#![allow(missing_docs, unused_qualifications, clippy::all)]

wasmtime::component::bindgen!({
    path: "../../sdk/wit",
    inline: "
        package tuffet:host;
        world plugin {
            include tuffet:policy/authorizer@0.1.0;
            include tuffet:policy/resolver@0.1.0;
            include tuffet:policy/upload-gate@0.1.0;
            include tuffet:policy/observer@0.1.0;
        }
    ",
    world: "tuffet:host/plugin",
    imports: {
        "tuffet:policy/kv": async,
        "tuffet:policy/files": async,
        "tuffet:policy/sinks": async,
    },
    exports: { default: async },
    additional_derives: [PartialEq, Eq, Clone],
});
