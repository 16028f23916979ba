//! Outgoing connections: the TLS provider, the NATS client, error texts, and resources that all users share.

pub mod causes;
pub mod nats;
mod open_once;
pub mod tls;

pub use open_once::OpenOnce;
