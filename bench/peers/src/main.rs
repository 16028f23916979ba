//! `tuffet-peers`: see the library.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    tuffet_peers::main()
}
