//! The common parts of the simulations: that of the protocol (`core/tests/simulation`) and that of the
//! server's worker (`host/engine/src/worker/simulation`). With the feature `sigstore` also an instance of Sigstore,
//! for tests of signatures.
//!
//! Only a dev-dependency: the server contains none of it.

pub mod invariants;
pub mod seeds;
#[cfg(feature = "sigstore")]
pub mod sigstore;
