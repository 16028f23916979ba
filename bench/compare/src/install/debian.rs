//! Installs programs from Debian packages, unpacked side by side: as packages, several TFTP servers conflict.

use super::{Installed, Installer, PATIENCE, nothing_installed, on_this_machine};
use crate::command::succeed;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns `file` of a package (its path without the leading slash): the unpacked one, a downloaded one, or the
/// machine's own if `genuine` recognises it (several packages share names).
pub(crate) fn package_binary(
    installer: &Installer,
    package: &str,
    file: &str,
    genuine: fn(&Path) -> bool,
) -> Result<Installed, String> {
    let folder = installer.folder(package)?;
    let program = folder.join("root").join(file);
    if !program.is_file() {
        let fetched = if installer.may_install {
            fetch(installer, package, &folder)
        } else {
            Err(nothing_installed(package))
        };
        if let Err(why) = fetched {
            let name = Path::new(file).file_name().and_then(|name| name.to_str()).unwrap_or(file);
            let program = on_this_machine(name).filter(|program| genuine(program)).ok_or(why)?;
            return Ok(Installed { version: installed_version(package), program });
        }
    }
    let version = std::fs::read_to_string(folder.join("version")).unwrap_or_default();
    Ok(Installed { program, version: format!("{}, Debian {package}", version.trim()) })
}

fn fetch(installer: &Installer, package: &str, folder: &Path) -> Result<(), String> {
    let mut download = Command::new("apt-get");
    download.args(["download", package]).current_dir(folder);
    succeed(download, PATIENCE).or_else(|_| {
        // A fresh machine may have no package lists.
        let mut update = Command::new("apt-get");
        update.arg("update");
        succeed(update, PATIENCE)?;
        let mut download = Command::new("apt-get");
        download.args(["download", package]).current_dir(folder);
        succeed(download, PATIENCE)
    })?;
    let archive = archive(folder).ok_or_else(|| format!("apt-get download left no {package}_*.deb"))?;
    installer.apt_install(&missing_libraries(&archive)?)?;
    let version = field(&archive, "Version")?;
    std::fs::write(folder.join("version"), version).map_err(|error| error.to_string())?;
    let mut unpack = Command::new("dpkg");
    unpack.arg("-x").arg(&archive).arg(folder.join("root"));
    succeed(unpack, PATIENCE).map(drop)
}

fn archive(folder: &Path) -> Option<PathBuf> {
    let files = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    files.into_iter().find(|file| file.extension().is_some_and(|extension| extension == "deb"))
}

/// The libraries that the package needs and this machine lacks.
fn missing_libraries(archive: &Path) -> Result<Vec<String>, String> {
    let depends = field(archive, "Depends")?;
    let libraries = libraries(&depends).into_iter();
    Ok(libraries.filter(|library| installed_version(library).is_empty()).collect())
}

/// `libc6 (>= 2.34), libwrap0 (>= 7.6-4~), debconf | debconf-2.0` → the libraries.
fn libraries(depends: &str) -> Vec<String> {
    let first = |part: &str| part.trim().split([' ', ':', '|']).next().unwrap_or_default().to_owned();
    depends.split(',').map(first).filter(|name| name.starts_with("lib")).collect()
}

fn field(archive: &Path, name: &str) -> Result<String, String> {
    let mut query = Command::new("dpkg-deb");
    query.arg("--field").arg(archive).arg(name);
    succeed(query, PATIENCE)
}

/// Returns the version of an installed package; empty if it is not installed.
fn installed_version(package: &str) -> String {
    let mut query = Command::new("dpkg-query");
    query.args(["--show", "--showformat", "${db:Status-Abbrev}${Version}", package]);
    let version = succeed(query, PATIENCE).unwrap_or_default();
    version.strip_prefix("ii ").unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_among_what_a_package_needs() {
        let depends = "libc6 (>= 2.34), libwrap0 (>= 7.6-4~), debconf | debconf-2.0, libpcre3:amd64, adduser";
        assert_eq!(libraries(depends), ["libc6", "libwrap0", "libpcre3"]);
    }
}
