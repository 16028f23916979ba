//! What the simulations have in common: that of the protocol (`core/tests/simulation`) and that of the server's worker
//! (`host/engine/src/worker/simulation`).
//!
//! A dev-dependency alone: nothing of it gets into the server.

pub mod invariants;
pub mod seeds;
