//! The exports of a component besides `lifecycle`: hooks, and the interfaces that belong to one.

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::Deserialize;

use tuffet_wasm::Hook;

/// An interface that a plugin exports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Export {
    Authorize,
    Resolve,
    // Content for keys that `resolve` answers with.
    Render,
    // The same in parts.
    RenderParts,
    AcceptUpload,
    Observe,
}

impl Export {
    /// All of them, hooks in the order in which they are called.
    pub const ALL: [Export; 6] = [
        Export::Authorize,
        Export::Resolve,
        Export::Render,
        Export::RenderParts,
        Export::AcceptUpload,
        Export::Observe,
    ];

    /// Returns the name of the interface.
    pub fn word(self) -> &'static str {
        match self {
            Export::Authorize => Hook::Authorize.word(),
            Export::Resolve => Hook::Resolve.word(),
            Export::Render => "render",
            Export::RenderParts => "render-parts",
            Export::AcceptUpload => Hook::AcceptUpload.word(),
            Export::Observe => Hook::Observe.word(),
        }
    }

    /// Returns the problem of a plugin that exports these, if there is one.
    pub fn problem_of(exports: &[Export]) -> Option<&'static str> {
        let renders = exports.contains(&Export::Render) || exports.contains(&Export::RenderParts);
        (renders && !exports.contains(&Export::Resolve)).then_some(
            "render and render-parts make content for keys that `resolve` answers with: add resolve",
        )
    }
}
