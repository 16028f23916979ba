//! The bindings that wit-bindgen generates from `sdk/wit`: one module per interface that a plugin may export.
//!
//! Each interface is generated on its own because a component describes exactly what it exports: a plugin
//! that only authorizes must not claim to resolve. The linker merges the interfaces that
//! [`export!`](crate::export) chose. Types are generated once, in [`types`], and shared.
#![allow(unsafe_code, missing_docs, unused_qualifications, clippy::all)]

/// The import `log` and the export `lifecycle`, which every plugin has.
pub mod base {
    wit_bindgen::generate!({
        path: "wit",
        inline: "
            package tuffet:sdk;
            world base { import tuffet:policy/log@1.0.0; export tuffet:policy/lifecycle@1.0.0; }
        ",
        generate_all,
        additional_derives: [PartialEq, Eq],
        pub_export_macro: true,
        export_macro_name: "export_base",
    });
}

/// The types that all interfaces share.
pub mod types {
    wit_bindgen::generate!({
        path: "wit",
        inline: "
            package tuffet:sdk;
            world types { import tuffet:policy/types@1.0.0; import tuffet:policy/contents@1.0.0; }
        ",
        generate_all,
        generate_unused_types: true,
        additional_derives: [PartialEq, Eq],
        additional_type_attributes: {
            "tuffet:policy/types@1.0.0/profile": [#[derive(Default)]],
            "tuffet:policy/types@1.0.0/session-values": [#[derive(Default)]],
            "tuffet:policy/types@1.0.0/lease": [#[derive(Default)]],
            "tuffet:policy/types@1.0.0/arrival": [#[derive(Default)]],
            "tuffet:policy/types@1.0.0/mac-addresses": [#[derive(Default)]],
            "tuffet:policy/types@1.0.0/operation": [#[derive(serde::Deserialize)] #[serde(rename_all = "kebab-case")]],
            "tuffet:policy/types@1.0.0/mode": [#[derive(serde::Deserialize)] #[serde(rename_all = "kebab-case")]],
        },
    });
}

/// The export `authorize`.
pub mod authorize {
    wit_bindgen::generate!({
        path: "wit",
        inline: "
            package tuffet:sdk;
            world authorize { export tuffet:policy/authorize@1.0.0; }
        ",
        with: { "tuffet:policy/types@1.0.0": crate::bindings::types::tuffet::policy::types },
        generate_all,
        additional_derives: [PartialEq, Eq],
        pub_export_macro: true,
        export_macro_name: "export_authorize",
    });
}

/// The export `resolve`.
pub mod resolve {
    wit_bindgen::generate!({
        path: "wit",
        inline: "
            package tuffet:sdk;
            world resolve { export tuffet:policy/resolve@1.0.0; }
        ",
        with: {
            "tuffet:policy/types@1.0.0": crate::bindings::types::tuffet::policy::types,
            "tuffet:policy/contents@1.0.0": crate::bindings::types::tuffet::policy::contents,
        },
        generate_all,
        additional_derives: [PartialEq, Eq],
        pub_export_macro: true,
        export_macro_name: "export_resolve",
    });
}

/// The export `render`.
pub mod render {
    wit_bindgen::generate!({
        path: "wit",
        inline: "
            package tuffet:sdk;
            world render { export tuffet:policy/render@1.0.0; }
        ",
        with: {
            "tuffet:policy/types@1.0.0": crate::bindings::types::tuffet::policy::types,
            "tuffet:policy/contents@1.0.0": crate::bindings::types::tuffet::policy::contents,
        },
        generate_all,
        additional_derives: [PartialEq, Eq],
        pub_export_macro: true,
        export_macro_name: "export_render",
    });
}

/// The export `render-parts`.
pub mod render_parts {
    wit_bindgen::generate!({
        path: "wit",
        inline: "
            package tuffet:sdk;
            world render-parts { export tuffet:policy/render-parts@1.0.0; }
        ",
        with: { "tuffet:policy/types@1.0.0": crate::bindings::types::tuffet::policy::types },
        generate_all,
        additional_derives: [PartialEq, Eq],
        pub_export_macro: true,
        export_macro_name: "export_render_parts",
    });
}

/// The export `accept-upload`.
pub mod accept_upload {
    wit_bindgen::generate!({
        path: "wit",
        inline: "
            package tuffet:sdk;
            world accept-upload { export tuffet:policy/accept-upload@1.0.0; }
        ",
        with: { "tuffet:policy/types@1.0.0": crate::bindings::types::tuffet::policy::types },
        generate_all,
        additional_derives: [PartialEq, Eq],
        pub_export_macro: true,
        export_macro_name: "export_accept_upload",
    });
}

/// The export `observe`.
pub mod observe {
    wit_bindgen::generate!({
        path: "wit",
        inline: "
            package tuffet:sdk;
            world observe { export tuffet:policy/observe@1.0.0; }
        ",
        with: { "tuffet:policy/types@1.0.0": crate::bindings::types::tuffet::policy::types },
        generate_all,
        additional_derives: [PartialEq, Eq],
        pub_export_macro: true,
        export_macro_name: "export_observe",
    });
}

/// The import `kv`.
pub mod kv {
    wit_bindgen::generate!({
        path: "wit",
        inline: "
            package tuffet:sdk;
            world kv { import tuffet:policy/kv@1.0.0; }
        ",
        with: { "tuffet:policy/types@1.0.0": crate::bindings::types::tuffet::policy::types },
        generate_all,
        additional_derives: [PartialEq, Eq],
    });
}

/// The import `upload-content`.
pub mod upload_content {
    wit_bindgen::generate!({
        path: "wit",
        inline: "
            package tuffet:sdk;
            world upload-content { import tuffet:policy/upload-content@1.0.0; }
        ",
        with: { "tuffet:policy/types@1.0.0": crate::bindings::types::tuffet::policy::types },
        generate_all,
        additional_derives: [PartialEq, Eq],
    });
}

/// The import `metrics`.
pub mod metrics {
    wit_bindgen::generate!({
        path: "wit",
        inline: "
            package tuffet:sdk;
            world metrics { import tuffet:policy/metrics@1.0.0; }
        ",
        with: { "tuffet:policy/types@1.0.0": crate::bindings::types::tuffet::policy::types },
        generate_all,
        additional_derives: [PartialEq, Eq],
    });
}

/// The import `files`.
pub mod files {
    wit_bindgen::generate!({
        path: "wit",
        inline: "
            package tuffet:sdk;
            world files { import tuffet:policy/files@1.0.0; }
        ",
        with: { "tuffet:policy/types@1.0.0": crate::bindings::types::tuffet::policy::types },
        generate_all,
        additional_derives: [PartialEq, Eq],
    });
}

/// The import `history`.
pub mod history {
    wit_bindgen::generate!({
        path: "wit",
        inline: "
            package tuffet:sdk;
            world history { import tuffet:policy/history@1.0.0; }
        ",
        with: { "tuffet:policy/types@1.0.0": crate::bindings::types::tuffet::policy::types },
        generate_all,
        additional_derives: [PartialEq, Eq],
    });
}

/// The import `sinks`.
pub mod sinks {
    wit_bindgen::generate!({
        path: "wit",
        inline: "
            package tuffet:sdk;
            world sinks { import tuffet:policy/sinks@1.0.0; }
        ",
        with: { "tuffet:policy/types@1.0.0": crate::bindings::types::tuffet::policy::types },
        generate_all,
        additional_derives: [PartialEq, Eq],
    });
}
