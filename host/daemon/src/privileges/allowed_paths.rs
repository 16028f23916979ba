//! The paths that a server may open after its start: those of its configuration, and those that system libraries read.
//! Landlock denies everything else, whatever a process is tricked into.

use super::file_access::nearest_existing;
use super::own_paths::unopened;
use super::{own_paths, unique};
use landlock::{ABI, AccessFs, BitFlags, PathFd, make_bitflags};
use rustix::fs::{Stat, fstat};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use tuffet_config::{ComponentSource, Config, is_empty, reach};
use tuffet_request::RootSpec;

/// For name resolution and certificates, and the libraries that the C library loads to resolve names.
const SYSTEM_PATHS: [&str; 8] =
    ["/etc", "/usr", "/lib", "/lib64", "/nix/store", "/proc", "/sys/fs/cgroup", "/sys/devices/system/cpu"];
/// The part of /etc for a server that stays root and could read the rest.
const ETC_PATHS: [&str; 14] = [
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
const RESOLVER_PATHS: [&str; 4] =
    ["/run/systemd/resolve", "/run/NetworkManager", "/run/resolvconf", "/run/connman"];
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/log"];

/// Files that tell a compiler about the machine and its limits.
const MACHINE_PATHS: [&str; 3] = ["/proc", "/sys/fs/cgroup", "/sys/devices/system/cpu"];

/// Environment variables that name files read after the start.
const FILE_VARIABLES: [&str; 2] = ["SSL_CERT_FILE", "SSL_CERT_DIR"];

/// Returns the access rights for reading.
fn read_access() -> BitFlags<AccessFs> {
    make_bitflags!(AccessFs::{ReadFile | ReadDir})
}

/// Returns the access rights for writing: all operations on regular files and folders, no devices, sockets or
/// programs.
fn write_access() -> BitFlags<AccessFs> {
    make_bitflags!(AccessFs::{
        ReadFile | ReadDir | WriteFile | Truncate | MakeReg | MakeDir | RemoveFile | RemoveDir | Refer
    })
}

/// Opened paths and their access rights.
pub(super) struct AllowedPaths {
    pub(super) rules: Vec<(PathFd, BitFlags<AccessFs>)>,
}

impl AllowedPaths {
    /// Collects the paths for this configuration, and for reloads of it.
    pub(super) fn of_server(config: &Config, stays_root: bool) -> AllowedPaths {
        let mut allowed = AllowedPaths { rules: Vec::new() };
        let (read, written) = (readable(config, stays_root), writable(config));
        for path in &written {
            allowed.allow(path, write_access());
        }
        for path in read.iter().filter(|path| !written.contains(path)) {
            allowed.allow(path, read_access());
        }
        for device in DEVICES {
            allowed.allow(Path::new(device), write_access());
        }
        allowed
    }

    /// Collects the paths of a compiler: the code cache, and the number of usable cores.
    pub(super) fn of_compiler(folder: &Path) -> AllowedPaths {
        let mut allowed = AllowedPaths { rules: Vec::new() };
        allowed.allow(folder, write_access());
        for path in MACHINE_PATHS {
            allowed.allow(Path::new(path), read_access());
        }
        allowed
    }

    /// Adds a path; a missing path needs no rule.
    fn allow(&mut self, path: &Path, access: BitFlags<AccessFs>) {
        let Ok(opened) = PathFd::new(path) else { return };
        let is_folder = fstat(&opened).is_ok_and(|about: Stat| about.st_mode & 0o170_000 == 0o040_000);
        let access = if is_folder { access } else { access & AccessFs::from_file(ABI::V7) };
        self.rules.push((opened, access));
    }
}

fn readable(config: &Config, stays_root: bool) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = Vec::new();
    // Editors and tools that deploy secrets replace files, so the folder is needed.
    paths.extend(config.files.iter().map(|file| folder_of(file)));
    for plugin in &config.policy.plugins {
        if let ComponentSource::Path(path) = &plugin.component {
            paths.push(folder_of(path));
        }
    }
    // In place of a folder that is missing or does not answer, those above it.
    paths.extend(config.unopened.iter().flat_map(|unopened| unopened.above.iter().cloned()));
    for root in root_folders(config).filter(|root| unopened(config, root).is_none()) {
        paths.push(root.path.clone());
        paths.extend(link_target_folder(&root.path));
        // Rules for a mount point do not allow the file system on it, only those for a folder above it do.
        let may_be_mount_point = !root.writable && is_empty(&root.path);
        paths.extend((root.follow || may_be_mount_point).then(|| folder_of(&root.path)));
    }
    for root in root_folders(config) {
        for folder in &root.link_folders {
            paths.extend(linked(&folder.path, folder.answers, root.follow));
        }
    }
    // DHCP servers replace their files.
    paths.extend(
        config.settings.service.lease_files.iter().filter_map(|file| reach::nearest(&folder_of(&file.path))),
    );
    paths.extend(config.privileges.readable.iter().cloned());
    let named = std::env::vars_os().filter(|(name, _)| names_file(name));
    paths.extend(named.map(|(_, value)| PathBuf::from(value)));
    paths.extend(std::env::current_exe());
    paths.extend(SYSTEM_PATHS.iter().filter(|path| !stays_root || **path != "/etc").map(PathBuf::from));
    if stays_root {
        paths.extend(ETC_PATHS.iter().map(PathBuf::from));
    }
    paths.extend(RESOLVER_PATHS.iter().map(PathBuf::from));
    unique(paths)
}

/// Returns what is allowed for a folder that links may lead to: itself, and the folder around it if another one may take its
/// place or it is not there yet.
fn linked(folder: &Path, answers: bool, follow: bool) -> Vec<PathBuf> {
    if !answers {
        return reach::nearest(folder).into_iter().collect();
    }
    let mut paths = vec![folder.to_owned()];
    paths.extend(link_target_folder(folder));
    if !folder.exists() {
        paths.push(folder_of(nearest_existing(folder).join("missing").as_path()));
    } else if follow {
        paths.push(folder_of(folder));
    }
    paths
}

fn writable(config: &Config) -> Vec<PathBuf> {
    let mut paths = own_paths::folders(config);
    paths.extend(own_paths::turns(config).map(Path::to_owned));
    for root in root_folders(config).filter(|root| root.writable) {
        if let Some(unopened) = unopened(config, root) {
            paths.extend(unopened.above.iter().cloned());
            continue;
        }
        paths.push(root.path.clone());
        paths.extend(root.follow.then(|| folder_of(&root.path)));
    }
    for file in own_paths::files(config) {
        paths.push(file.to_owned());
        // Rotation renames and creates files beside it, except for a device.
        let folder = folder_of(file);
        paths.extend((!folder.starts_with("/dev") && !folder.starts_with("/proc")).then_some(folder));
    }
    // systemd.exec(5): the folder for logs, to which a reload may move the log. Several are separated by colons.
    let logs = std::env::var_os("LOGS_DIRECTORY").unwrap_or_default();
    paths.extend(std::env::split_paths(&logs).filter(|folder| folder.is_absolute()));
    // To remove the sockets at the end.
    paths.extend(own_paths::sockets(config).map(folder_of));
    paths.extend(config.privileges.writable.iter().cloned());
    unique(paths)
}

/// Returns the roots that are folders. Caches of origins are among the server's own folders.
fn root_folders(config: &Config) -> impl Iterator<Item = &RootSpec> {
    config.roots.iter().filter(|root| root.elsewhere.is_none())
}

/// Returns the folder of a file, or the file itself if the folder is the root directory.
fn folder_of(file: &Path) -> PathBuf {
    let folder = file.parent().filter(|folder| *folder != Path::new("/"));
    folder.unwrap_or(file).to_owned()
}

/// Returns the folder of the target, if a root is a link: it may later point to a sibling of its target.
fn link_target_folder(root: &Path) -> Option<PathBuf> {
    root.symlink_metadata().ok()?.is_symlink().then_some(())?;
    let folder = root.canonicalize().ok()?.parent()?.to_owned();
    (folder != Path::new("/")).then_some(folder)
}

fn names_file(variable: &OsStr) -> bool {
    let Some(name) = variable.to_str() else { return false };
    let of_otlp =
        name.starts_with("OTEL_") && (name.ends_with("CERTIFICATE") || name.ends_with("CLIENT_KEY"));
    of_otlp || FILE_VARIABLES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_a_file_is_never_the_root_directory() {
        assert_eq!(folder_of(Path::new("/etc/tuffet/tuffet.yaml")), Path::new("/etc/tuffet"));
        assert_eq!(folder_of(Path::new("/tuffet.yaml")), Path::new("/tuffet.yaml"));
    }

    #[test]
    fn a_linked_root_allows_the_siblings_of_its_target() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(base.join("releases/42")).unwrap();
        std::os::unix::fs::symlink("releases/42", base.join("current")).unwrap();
        assert_eq!(link_target_folder(&base.join("current")), Some(base.join("releases")));
        assert_eq!(link_target_folder(&base.join("releases")), None);
    }

    #[test]
    fn variables_of_certificates_name_files() {
        for name in ["SSL_CERT_FILE", "OTEL_EXPORTER_OTLP_CERTIFICATE", "OTEL_EXPORTER_OTLP_LOGS_CLIENT_KEY"]
        {
            assert!(names_file(OsStr::new(name)), "{name}");
        }
        assert!(!names_file(OsStr::new("OTEL_EXPORTER_OTLP_HEADERS")));
    }
}
