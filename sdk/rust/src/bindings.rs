//! What wit-bindgen makes of `sdk/wit`: one module per part that a plugin may export.
//!
//! The parts are generated apart because a component describes exactly what it exports: a plugin that
//! only authorizes must not claim to resolve. The linker merges the parts that [`export!`](crate::export)
//! chose. Types are generated once, in [`authorize`], and shared.
#![allow(unsafe_code, missing_docs, unused_qualifications, clippy::all)]

/// The import `log` and the export `lifecycle`, which every plugin has.
pub mod base {
    wit_bindgen::generate!({
        path: "../wit",
        world: "tuffet:policy/base",
        additional_derives: [PartialEq, Eq],
        pub_export_macro: true,
        export_macro_name: "export_base",
    });
}

/// The export `authorize`, and the types that both hooks share.
pub mod authorize {
    wit_bindgen::generate!({
        path: "../wit",
        inline: "
            package tuffet:sdk;
            world authorize { export tuffet:policy/authorize@0.1.0; }
        ",
        generate_all,
        additional_derives: [PartialEq, Eq],
        additional_type_attributes: {
            "tuffet:policy/types@0.1.0/limits": [#[derive(Default)]],
            "tuffet:policy/types@0.1.0/operation": [#[derive(serde::Deserialize)] #[serde(rename_all = "kebab-case")]],
            "tuffet:policy/types@0.1.0/mode": [#[derive(serde::Deserialize)] #[serde(rename_all = "kebab-case")]],
            "tuffet:policy/types@0.1.0/mac-source": [#[derive(serde::Deserialize)] #[serde(rename_all = "kebab-case")]],
        },
        pub_export_macro: true,
        export_macro_name: "export_authorize",
    });
}

/// The export `resolve`.
pub mod resolve {
    wit_bindgen::generate!({
        path: "../wit",
        inline: "
            package tuffet:sdk;
            world resolve { export tuffet:policy/resolve@0.1.0; }
        ",
        with: { "tuffet:policy/types@0.1.0": crate::bindings::authorize::tuffet::policy::types },
        generate_all,
        additional_derives: [PartialEq, Eq],
        pub_export_macro: true,
        export_macro_name: "export_resolve",
    });
}
