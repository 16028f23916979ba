//! What authors write for a call of their plugin: the request or the events, and the answers of the host.

mod args;
mod bytes;
mod events;
mod hook_input;
mod host;
mod request;

pub(crate) use args::{CallInput, CallInputError, RequestArgs};
pub(crate) use events::WrittenEvent;
pub(crate) use hook_input::hook_input;
pub(crate) use host::{InputProblem, KeyValue, SharedKeys, WrittenHost};
pub(crate) use request::WrittenRequest;
