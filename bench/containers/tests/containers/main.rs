//! The server in containers.
