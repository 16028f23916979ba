//! `tuffet`: see [`tuffet_cli::main`].

use std::process::ExitCode;

fn main() -> ExitCode {
    tuffet_cli::main()
}
