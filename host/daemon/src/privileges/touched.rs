//! The files that a server may open after its start: those of its configuration, and those that the system's
//! libraries read. Landlock denies everything else, whatever a process is tricked into.

use super::barred::is_silent;
use super::{own, unique};
use landlock::{ABI, AccessFs, BitFlags, PathFd, make_bitflags};
use rustix::fs::{Stat, fstat};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use tuffet_config::sinks::SinkTarget;
use tuffet_config::{ComponentSource, Config, reach};
use tuffet_request::RootSpec;

/// Name resolution, certificates, and libraries that the C library loads to resolve names.
const SYSTEM: [&str; 8] =
    ["/etc", "/usr", "/lib", "/lib64", "/nix/store", "/proc", "/sys/fs/cgroup", "/sys/devices/system/cpu"];
/// The part of /etc for a server that stays root and could read the rest.
const OF_ETC: [&str; 14] = [
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/host.conf",
    "/etc/gai.conf",
    "/etc/nsswitch.conf",
    "/etc/services",
    "/etc/passwd",
    "/etc/group",
    "/etc/localtime",
    "/etc/ld.so.cache",
    "/etc/ssl",
    "/etc/pki",
    "/etc/ca-certificates",
    "/etc/ca-certificates.conf",
];
/// The usual targets of /etc/resolv.conf.
const RESOLVERS: [&str; 4] =
    ["/run/systemd/resolve", "/run/NetworkManager", "/run/resolvconf", "/run/connman"];
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/log"];

/// What a compiler reads about the machine and its own limits.
const OF_THE_MACHINE: [&str; 3] = ["/proc", "/sys/fs/cgroup", "/sys/devices/system/cpu"];

/// Environment variables with files that are read after the start.
const VARIABLES: [&str; 2] = ["SSL_CERT_FILE", "SSL_CERT_DIR"];

/// Returns the access rights for reading.
fn reading() -> BitFlags<AccessFs> {
    make_bitflags!(AccessFs::{ReadFile | ReadDir})
}

/// Returns the access rights for writing: all operations on regular files and folders, no devices, sockets or
/// programs.
fn writing() -> BitFlags<AccessFs> {
    make_bitflags!(AccessFs::{
        ReadFile | ReadDir | WriteFile | Truncate | MakeReg | MakeDir | RemoveFile | RemoveDir | Refer
    })
}

/// Open paths and their access rights.
pub(super) struct Touched {
    pub(super) rules: Vec<(PathFd, BitFlags<AccessFs>)>,
}

impl Touched {
    /// Collects the paths for this configuration, and for reloads of it.
    pub(super) fn by(config: &Config, stays_root: bool) -> Touched {
        let mut touched = Touched { rules: Vec::new() };
        let (read, written) = (read(config, stays_root), written(config));
        for path in &written {
            touched.allow(path, writing());
        }
        for path in read.iter().filter(|path| !written.contains(path)) {
            touched.allow(path, reading());
        }
        for device in DEVICES {
            touched.allow(Path::new(device), writing());
        }
        touched
    }

    /// The paths of a compiler: the code cache, and how many cores it may use.
    pub(super) fn by_compiler(folder: &Path) -> Touched {
        let mut touched = Touched { rules: Vec::new() };
        touched.allow(folder, writing());
        for path in OF_THE_MACHINE {
            touched.allow(Path::new(path), reading());
        }
        touched
    }

    /// Adds a path; a missing path needs no rule.
    fn allow(&mut self, path: &Path, what: BitFlags<AccessFs>) {
        let Ok(place) = PathFd::new(path) else { return };
        let is_folder = fstat(&place).is_ok_and(|about: Stat| about.st_mode & 0o170_000 == 0o040_000);
        let what = if is_folder { what } else { what & AccessFs::from_file(ABI::V7) };
        self.rules.push((place, what));
    }
}

fn read(config: &Config, stays_root: bool) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = Vec::new();
    // Editors and tools that deploy secrets replace files, so the folder is needed.
    paths.extend(config.files.iter().map(|file| around(file)));
    for plugin in &config.policy.plugins {
        if let ComponentSource::Path(path) = &plugin.component {
            paths.push(around(path));
        }
    }
    // Where a folder does not answer, the one above it that does has to do.
    paths.extend(config.silent.iter().filter_map(|silent| silent.above.clone()));
    for root in folders(config).filter(|root| !is_silent(config, root)) {
        paths.push(root.path.clone());
        paths.extend(releases(&root.path));
        paths.extend(root.follow.then(|| around(&root.path)));
    }
    // DHCP servers replace their files.
    paths.extend(config.lease_files.iter().filter_map(|file| reach::nearest(&around(&file.path))));
    paths.extend(config.privileges.readable.iter().cloned());
    let named = std::env::vars_os().filter(|(name, _)| names_file(name));
    paths.extend(named.map(|(_, value)| PathBuf::from(value)));
    paths.extend(std::env::current_exe());
    paths.extend(SYSTEM.iter().filter(|path| !stays_root || **path != "/etc").map(PathBuf::from));
    if stays_root {
        paths.extend(OF_ETC.iter().map(PathBuf::from));
    }
    paths.extend(RESOLVERS.iter().map(PathBuf::from));
    unique(paths)
}

fn written(config: &Config) -> Vec<PathBuf> {
    let mut paths = own::folders(config);
    for root in folders(config).filter(|root| root.writable) {
        if let Some(silent) = config.silent.iter().find(|silent| silent.root == root.name) {
            paths.extend(silent.above.clone());
            continue;
        }
        paths.push(root.path.clone());
        paths.extend(root.follow.then(|| around(&root.path)));
    }
    for sink in &config.sinks {
        if let SinkTarget::File(target) = &sink.target {
            paths.push(target.path.clone());
            // Rotation renames and creates files beside it, except for a device.
            let folder = around(&target.path);
            paths.extend((!folder.starts_with("/dev") && !folder.starts_with("/proc")).then_some(folder));
        }
    }
    // To remove the sockets at the end.
    paths.extend(own::sockets(config).map(around));
    paths.extend(config.privileges.writable.iter().cloned());
    unique(paths)
}

/// The roots that are folders: origins have their caches among the server's own folders.
fn folders(config: &Config) -> impl Iterator<Item = &RootSpec> {
    config.roots.iter().filter(|root| root.elsewhere.is_none())
}

/// Returns the folder of a file, or the file itself if the folder is the root directory.
fn around(file: &Path) -> PathBuf {
    let folder = file.parent().filter(|folder| *folder != Path::new("/"));
    folder.unwrap_or(file).to_owned()
}

/// Returns the folder of the target, if a root is a link: it may later point to a sibling of its target.
fn releases(root: &Path) -> Option<PathBuf> {
    root.symlink_metadata().ok()?.is_symlink().then_some(())?;
    let folder = root.canonicalize().ok()?.parent()?.to_owned();
    (folder != Path::new("/")).then_some(folder)
}

fn names_file(variable: &OsStr) -> bool {
    let Some(name) = variable.to_str() else { return false };
    let of_otlp =
        name.starts_with("OTEL_") && (name.ends_with("CERTIFICATE") || name.ends_with("CLIENT_KEY"));
    of_otlp || VARIABLES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_around_files_are_never_everything() {
        assert_eq!(around(Path::new("/etc/tuffet/tuffet.yaml")), Path::new("/etc/tuffet"));
        assert_eq!(around(Path::new("/tuffet.yaml")), Path::new("/tuffet.yaml"));
    }

    #[test]
    fn a_root_that_is_a_link_brings_its_releases() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(base.join("releases/42")).unwrap();
        std::os::unix::fs::symlink("releases/42", base.join("current")).unwrap();
        assert_eq!(releases(&base.join("current")), Some(base.join("releases")));
        assert_eq!(releases(&base.join("releases")), None);
    }

    #[test]
    fn certificates_of_the_environment_are_files() {
        for name in ["SSL_CERT_FILE", "OTEL_EXPORTER_OTLP_CERTIFICATE", "OTEL_EXPORTER_OTLP_LOGS_CLIENT_KEY"]
        {
            assert!(names_file(OsStr::new(name)), "{name}");
        }
        assert!(!names_file(OsStr::new("OTEL_EXPORTER_OTLP_HEADERS")));
    }
}
