//! The traits that a plugin implements.

use serde::de::DeserializeOwned;

use crate::{Acceptance, Denial, ErrorCode, Event, Problems, Request, Resolution, Target, Upload, Verdict};

/// What every plugin is: something made from its settings.
pub trait Plugin: Sized + 'static {
    /// The plugin's `settings` block of the configuration; `{}` when there is none. Put
    /// `#[serde(deny_unknown_fields)]` on it and on what it holds, so that a mistyped key is an error.
    type Settings: DeserializeOwned;

    /// Makes the plugin. The server calls this when it loads the configuration, and again in each new instance: before
    /// each call, where it should be quick, unless the manifest says `reuse: true`.
    ///
    /// # Errors
    /// What is wrong with the settings. The server refuses the configuration and shows the line that each
    /// problem points at.
    fn configure(settings: Self::Settings) -> Result<Self, Problems>;
}

/// The hook `authorize`: may this client do this?
pub trait Authorize: Plugin {
    /// Decides. A deny ends the chain; an allow stands unless a later plugin denies.
    fn authorize(&self, request: &Request) -> Verdict;
}

/// The hook `resolve`: what is it that this client gets?
pub trait Resolve: Plugin {
    /// Decides. The first answer of a chain that is not [`Resolution::Abstain`] stands.
    fn resolve(&self, request: &Request) -> Resolution;
}

/// The hook `accept-upload`: may this upload become visible?
pub trait Accept: Plugin {
    /// Decides about an upload that is complete and on disk, before it takes its name. A deny ends the chain.
    fn accept_upload(&self, request: &Request, upload: &Upload) -> Acceptance;
}

/// The hook `observe`: what happened.
pub trait Observe: Plugin {
    /// Is told in batches, after the fact. Nothing waits for it, unless it is so slow that the queue of
    /// events fills: then new requests do.
    fn observe(&self, events: &[Event]);
}

impl Denial {
    /// A denial with a code. `message` is sent to the client (at most 200 bytes of it), `reason` is logged.
    pub fn new(code: ErrorCode, message: impl Into<String>, reason: impl Into<String>) -> Self {
        Denial { code, message: message.into(), reason: reason.into() }
    }

    /// A denial with code 2 (RFC 1350 section 5).
    pub fn access_violation(message: impl Into<String>, reason: impl Into<String>) -> Self {
        Denial::new(ErrorCode::AccessViolation, message, reason)
    }

    /// A denial with code 1 (RFC 1350 section 5).
    pub fn file_not_found(message: impl Into<String>, reason: impl Into<String>) -> Self {
        Denial::new(ErrorCode::FileNotFound, message, reason)
    }
}

impl Target {
    /// A path in the root of this name.
    pub fn new(root: impl Into<String>, path: impl Into<String>) -> Self {
        Target { root: root.into(), path: path.into() }
    }
}
