//! `tuffet import`: its command line, the configurations of provisioning systems, the written configuration beside the
//! server that it replaces, and a corpus of files beside the servers that read them.

pub(crate) mod beside;
mod command;
mod matrix;
mod systems;

use crate::harness::{Ran, check, tuffet};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A folder that the users of servers may pass.
fn open_folder() -> TempDir {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

/// Imports flags, which are separated by spaces.
fn import(server: &str, flags: &str) -> Ran {
    tuffet(["import", server, "--"].into_iter().chain(flags.split(' ')))
}

/// Imports a file, given by the option `flag`.
fn import_file(server: &str, flag: &str, file: &Path) -> Ran {
    tuffet(["import".as_ref(), server.as_ref(), flag.as_ref(), file.as_os_str()])
}

/// Checks a written configuration, whose text is returned.
#[track_caller]
fn checked(ran: &Ran) -> String {
    let yaml = String::from_utf8(ran.stdout.clone()).unwrap();
    let ran = check(&yaml);
    assert!(ran.status.success(), "{}\n{yaml}", ran.stderr);
    yaml
}
