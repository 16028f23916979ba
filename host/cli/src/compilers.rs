//! The processes that compile plugins for a server: this program under other names.

use super::close_inherited;
use std::ffi::{OsStr, OsString};
use std::process::ExitCode;
use tuffet_daemon::catch_signals;
use tuffet_daemon::privileges::Confinement;
use tuffet_wasm::compiler::{self, COMPILER, STARTER};

/// Does the work of one of these processes; `None` if this one has another name.
pub(super) fn work_as_process(name: &OsStr, arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    if name != STARTER && name != COMPILER {
        return None;
    }
    let arguments: Vec<OsString> = arguments.collect();
    // Only a server starts these processes.
    let Some(confinement) = Confinement::parse(&arguments) else { return Some(ExitCode::FAILURE) };
    close_inherited();
    // Ignores signals to all processes of the service: the server decides when this process ends.
    let _signals = catch_signals();
    if name == STARTER {
        confinement.restrict_starter();
        compiler::start_compilers(arguments.into_iter());
        return Some(ExitCode::SUCCESS);
    }
    compiler::apply_limits();
    let folder = confinement.restrict_compiler();
    Some(compiler::compile(folder).map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS))
}
