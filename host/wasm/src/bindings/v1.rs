//! Version 1 of the interface.
//!
//! A single world with all hooks, so that they share types. Plugins may lack hooks, so each exported interface is
//! looked up separately (`GuestIndices`), never the world as a whole.
#![allow(missing_docs, unused_qualifications, clippy::all)]

wasmtime::component::bindgen!({
    path: "wit",
    inline: "
        package tuffet:host;
        world plugin {
            import tuffet:policy/log@1.0.0;
            import tuffet:policy/kv@1.0.0;
            import tuffet:policy/files@1.0.0;
            import tuffet:policy/upload-content@1.0.0;
            import tuffet:policy/sinks@1.0.0;
            import tuffet:policy/metrics@1.0.0;
            import tuffet:policy/history@1.0.0;
            export tuffet:policy/lifecycle@1.0.0;
            export tuffet:policy/authorize@1.0.0;
            export tuffet:policy/resolve@1.0.0;
            export tuffet:policy/render@1.0.0;
            export tuffet:policy/render-parts@1.0.0;
            export tuffet:policy/accept-upload@1.0.0;
            export tuffet:policy/observe@1.0.0;
        }
    ",
    world: "tuffet:host/plugin",
    imports: {
        "tuffet:policy/kv": async,
        "tuffet:policy/files": async,
        "tuffet:policy/sinks": async,
        "tuffet:policy/upload-content": async,
    },
    exports: { default: async },
    additional_derives: [PartialEq, Eq, Clone],
});
