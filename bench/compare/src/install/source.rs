//! Builds programs from the sources of Debian's newest suite, where a release has an old version or lacks the applet.
//! Apt checks the signatures, with separate package lists in the cache.

use super::{Installed, Installer, PATIENCE, nothing_installed};
use crate::command::succeed;
use std::path::{Path, PathBuf};
use std::process::Command;

const SUITE: &str = "sid";

/// The programs for building, and their packages.
const TOOLS: [(&str, &str); 4] = [("cc", "gcc"), ("make", "make"), ("bzip2", "bzip2"), ("xz", "xz-utils")];

/// Builds a source package with the shell script `script` in its folder, which leaves `program` there.
pub(crate) fn source_binary(
    installer: &Installer,
    package: &str,
    program: &str,
    script: &str,
) -> Result<Installed, String> {
    let folder = installer.folder(&format!("{package}-source"))?;
    let (program, version) = (folder.join("tree").join(program), folder.join("version"));
    if !program.exists() {
        if !installer.may_install {
            return Err(nothing_installed(package));
        }
        let archive = download(installer, package, &folder)?;
        unpack(&archive, &folder.join("tree"))?;
        let mut build = Command::new("sh");
        build.args(["-euc", script]).current_dir(folder.join("tree"));
        succeed(build, PATIENCE)?;
        let name = archive.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let found = name.split('_').nth(1).and_then(|rest| rest.split(".orig").next()).unwrap_or_default();
        std::fs::write(&version, found).map_err(|error| error.to_string())?;
    }
    let version = std::fs::read_to_string(version).unwrap_or_default();
    Ok(Installed { program, version: format!("{version}, built from Debian's sources") })
}

fn download(installer: &Installer, package: &str, folder: &Path) -> Result<PathBuf, String> {
    let missing = TOOLS.iter().filter(|(tool, _)| super::on_this_machine(tool).is_none());
    installer.apt_install(&missing.map(|(_, package)| (*package).to_owned()).collect::<Vec<_>>())?;
    let apt = installer.folder("apt")?;
    for part in ["lists/partial", "cache/archives/partial"] {
        installer.folder(&format!("apt/{part}"))?;
    }
    let write = |name: &str, text: &str| {
        std::fs::write(apt.join(name), text).map_err(|error| format!("{name}: {error}"))
    };
    write("status", "")?;
    write("sources.list", &format!("deb-src [signed-by={KEYRING}] {} {SUITE} main\n", mirror()?))?;
    let options = |command: &mut Command| {
        let at = |name: &str| apt.join(name).display().to_string();
        for option in [
            format!("Dir::Etc::SourceList={}", at("sources.list")),
            "Dir::Etc::SourceParts=/dev/null".to_owned(),
            format!("Dir::State::Lists={}", at("lists")),
            format!("Dir::State::status={}", at("status")),
            format!("Dir::Cache={}", at("cache")),
            "APT::Sandbox::User=root".to_owned(),
        ] {
            command.args(["-o", &option]);
        }
    };
    let mut update = Command::new("apt-get");
    options(&mut update);
    update.arg("update");
    succeed(update, PATIENCE)?;
    let mut source = Command::new("apt-get");
    options(&mut source);
    source.args(["source", "--download-only", package]).current_dir(folder);
    succeed(source, PATIENCE)?;
    let files = std::fs::read_dir(folder).map_err(|error| error.to_string())?;
    let mut files = files.flatten().map(|entry| entry.path());
    let original = |file: &PathBuf| {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.contains(".orig.tar.") && !name.ends_with(".asc")
    };
    files.find(original).ok_or_else(|| format!("apt-get source left no {package}_*.orig.tar.*"))
}

const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// The Debian mirror of this machine.
fn mirror() -> Result<String, String> {
    let mut query = Command::new("apt-get");
    query.args(["indextargets", "--format", "$(ORIGIN) $(REPO_URI)", "Created-By: Packages"]);
    let targets = succeed(query, PATIENCE)?;
    let debian = targets.lines().find_map(|line| {
        let (origin, address) = line.split_once(' ')?;
        (origin == "Debian" && !address.contains("security")).then(|| address.to_owned())
    });
    debian.ok_or_else(|| "apt has no lists of Debian: run `apt-get update`".to_owned())
}

fn unpack(archive: &Path, tree: &Path) -> Result<(), String> {
    std::fs::create_dir_all(tree).map_err(|error| error.to_string())?;
    let mut tar = Command::new("tar");
    tar.arg("--extract").arg("--file").arg(archive).arg("--directory").arg(tree).arg("--strip-components=1");
    succeed(tar, PATIENCE).map(drop)
}
