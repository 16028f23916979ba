//! The restrictions of the processes that compile plugins. They start as the server's user, without capabilities and
//! with no-new-privs.

use super::syscalls::{self, Role};
use super::{allowed_paths, file_sandbox};
use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use tuffet_config::{Privileges, SeccompMode};

/// The restrictions of compilers and their starter, passed as arguments.
///
/// Restrictions that the kernel lacks are skipped, as in the server, which has reported that or refused to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confinement {
    /// The code cache, the only folder that a compiler may open.
    folder: PathBuf,
    seccomp: SeccompMode,
    landlock: bool,
}

impl Confinement {
    /// Creates the restrictions for a server's compilers. The folder is an absolute path.
    pub fn of(folder: PathBuf, privileges: &Privileges) -> Confinement {
        Confinement { folder, seccomp: privileges.seccomp, landlock: privileges.landlock }
    }

    /// Restricts the process that starts compilers: no sockets, and no access to its memory by other processes.
    /// Otherwise the server could use it to bypass its filter.
    pub fn restrict_starter(&self) {
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
        self.filter(Role::Starter);
    }

    /// Restricts a compiler: no sockets, no programs, no files but the code cache and those about the machine. Returns
    /// the code cache.
    pub fn restrict_compiler(&self) -> &Path {
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
        if self.landlock {
            let _ = file_sandbox::restrict(allowed_paths::AllowedPaths::of_compiler(&self.folder));
        }
        self.filter(Role::Compiler);
        &self.folder
    }

    fn filter(&self, role: Role) {
        if self.seccomp != SeccompMode::Off {
            let _ = syscalls::filter(self.seccomp, role);
        }
    }

    pub(crate) fn to_arguments(&self) -> [OsString; 3] {
        let seccomp = match self.seccomp {
            SeccompMode::On => "on",
            SeccompMode::Log => "log",
            SeccompMode::Off => "off",
        };
        let landlock = if self.landlock { "on" } else { "off" };
        [self.folder.clone().into(), seccomp.into(), landlock.into()]
    }

    /// Parses the arguments of a process.
    pub fn parse(arguments: &[OsString]) -> Option<Confinement> {
        let [folder, seccomp, landlock] = arguments else { return None };
        let seccomp = match seccomp.to_str()? {
            "on" => SeccompMode::On,
            "log" => SeccompMode::Log,
            "off" => SeccompMode::Off,
            _ => return None,
        };
        let landlock = match landlock.to_str()? {
            "on" => true,
            "off" => false,
            _ => return None,
        };
        Some(Confinement { folder: folder.into(), seccomp, landlock })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_carry_the_restrictions() {
        let modes = [(SeccompMode::On, true), (SeccompMode::Log, false), (SeccompMode::Off, true)];
        for (seccomp, landlock) in modes {
            let confinement = Confinement { folder: "/var/cache/tuffet".into(), seccomp, landlock };
            assert_eq!(Confinement::parse(&confinement.to_arguments()), Some(confinement));
        }
        assert_eq!(Confinement::parse(&["/".into(), "maybe".into(), "on".into()]), None);
        assert_eq!(Confinement::parse(&["/".into()]), None);
    }
}
