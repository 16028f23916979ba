//! `tuffet`: see [`tuffet::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    tuffet::cli::main()
}
