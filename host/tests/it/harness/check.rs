//! `tuffet check`. What a configuration says by itself is tested in `tuffet-config`, without a process for each.

use super::{Folder, Ran, Setup, tuffet};
use std::ffi::OsStr;
use std::path::Path;

/// Checks a configuration, as `tuffet.yaml` in a folder of its own with an empty root `root`.
pub fn check(yaml: &str) -> Ran {
    let setup = Setup::new();
    check_in(&setup.outside(), yaml)
}

/// Checks a configuration, as `tuffet.yaml` in this folder.
pub fn check_in(folder: &Folder, yaml: &str) -> Ran {
    folder.write("tuffet.yaml", yaml.as_bytes());
    check_file(folder.path("tuffet.yaml"))
}

/// Checks this file.
pub fn check_file(file: impl AsRef<Path>) -> Ran {
    tuffet([OsStr::new("check"), file.as_ref().as_os_str()])
}
