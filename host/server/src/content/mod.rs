//! Content that a program supplies: the bytes of one answer ([`Source`]), and roots that are no folders ([`Root`]).

mod commit_turns;
mod open_roots;
mod open_sink;
mod outstanding;
mod root;

pub(crate) use commit_turns::CommitTurns;
pub(crate) use open_roots::OpenRoots;
pub(crate) use open_sink::OpenSink;
pub(crate) use outstanding::{Outstanding, OutstandingCall};
pub use root::{Root, RootError};
pub(crate) use root::{SuppliedOrigin, SuppliedRoot, SuppliedRoots};
pub(crate) use tuffet_store::{OpenedSource, Scope, Source, SourceOpener};
