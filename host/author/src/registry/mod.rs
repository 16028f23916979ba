//! `tuffet plugin pull | push`, and `inspect` of a component in a registry.

mod args;
mod fetch;
mod pull;
mod push;

pub(crate) use args::{RegistryArgs, SignatureArgs};
pub(crate) use fetch::{fetch, text};
pub(crate) use pull::{PullArgs, pull};
pub(crate) use push::{PushArgs, push};
