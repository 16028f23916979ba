//! Clients and sites as they are: each module has what one kind of them does, as small scripted clients.

mod links;
mod metadata;
