//! [examples]: #in-the-repository
//! [hooks]: crate#writing-hooks
//! [live view]: #in-the-repository
//! [logs]: #in-the-repository
//! [plugins]: #in-the-repository
//! [testing clients]: #in-the-repository
//! [wrong answers]: #in-the-repository
//!
#![doc = include_str!("../guide/embed.md")]
//!
//! # In the repository
//!
//! | | |
//! |---|---|
//! | `host/tuffet/examples/memory.rs`, in this package as `examples/memory.rs` | the least: one file in memory |
//! | `examples/embed/s3` | a bucket as a root: ranged reads, uploads by parts |
//! | `examples/embed/axum` | a router of axum that serves the files of a TFTP server, with one policy |
//! | `examples/embed/wasm` | the plugins of an operator beside a hook of the program |
//! | `examples/embed/test` | tests of a client over a network with faults, and of a hook in virtual time |
//! | `docs/plugins.md` | plugins as WebAssembly components |
//! | `docs/watch.md` | the live view |
//! | `docs/logs.md` | targets and fields of log lines |
//! | `docs/testing-clients.md`, in `tuffet-testing` as its module `guide` | networks that lose, double and answer wrongly |
// The page names what it links to in both places: the definitions above come before its own.
