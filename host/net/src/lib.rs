//! Outgoing connections of the server: the cryptography of TLS, the client of NATS, the causes of their errors, and
//! connections that are opened once for all users.

pub mod causes;
pub mod nats;
mod open_once;
pub mod tls;

pub use open_once::OpenOnce;
