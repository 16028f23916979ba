//! Creates the server's files and folders before privileges are dropped, and gives them to its user.
//!
//! Only new files change their owner: in a folder that others can write to, root could be tricked into giving away
//! another file.

use super::{Account, acting_as, in_place_of_root, unique};
use rustix::fs::{AtFlags, FileType, Gid, Mode, OFlags, Uid, chownat, fstat, open};
use rustix::process::geteuid;
use std::fs::{DirBuilder, OpenOptions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use tuffet_config::sinks::SinkTarget;
use tuffet_config::{AdminAddress, ComponentSource, Config, GrantKind, PluginConfig, UnopenedRoot};
use tuffet_request::RootSpec;

/// Creates the missing paths. A failure is reported later, where the path is needed.
pub(super) fn create(config: &Config, account: Option<&Account>) {
    for folder in folders(config).iter().map(PathBuf::as_path).chain(turns(config)) {
        log_failure(folder, create_folder(folder, 0o700, account));
    }
    // The permissions of the socket itself decide who may connect.
    for folder in sockets(config).filter_map(Path::parent) {
        log_failure(folder, create_folder(folder, 0o755, account));
    }
    for file in files(config) {
        log_failure(file, create_file(file, account));
    }
}

/// Returns why the folder of this root is not open.
pub(super) fn unopened<'a>(config: &'a Config, root: &RootSpec) -> Option<&'a UnopenedRoot> {
    config.unopened.iter().find(|unopened| unopened.root == root.name)
}

/// Returns the files of sinks and of the log.
pub(super) fn files(config: &Config) -> impl Iterator<Item = &Path> {
    let sinks = config.sinks.iter().filter_map(|sink| match &sink.target {
        SinkTarget::File(target) => Some(target.path.as_path()),
        _ => None,
    });
    sinks.chain(config.log.file().map(|file| file.path.as_path()))
}

/// Returns the folders where uploads wait that are written in place.
pub(super) fn staging(config: &Config) -> impl Iterator<Item = &Path> {
    config.roots.iter().filter_map(|root| root.staging.as_deref())
}

/// Returns the folder for the turns of observers whose keys are in a bucket. The server works without it.
pub(super) fn turns(config: &Config) -> Option<&Path> {
    let observes = |plugin: &PluginConfig| has_keys(plugin) && config.policy.observes(&plugin.name);
    let turns = config.kv.is_some() && config.policy.plugins.iter().any(observes);
    turns.then_some(config.state.as_path())
}

fn has_keys(plugin: &PluginConfig) -> bool {
    plugin.grants.iter().any(|grant| grant.kind() == GrantKind::Kv)
}

/// Returns the server's folders: spools, caches of origins, and, if used, the folders for state and compiled plugins.
pub(super) fn folders(config: &Config) -> Vec<PathBuf> {
    let keys = config.kv.is_none() && config.policy.plugins.iter().any(has_keys);
    let spools = config.sinks.iter().filter_map(|sink| Some(sink.spool.as_ref()?.path.clone()));
    let spools: Vec<PathBuf> = spools.collect();
    let below = spools.iter().any(|spool| spool.starts_with(&config.state));
    let is_pulled = |component: &ComponentSource| matches!(component, ComponentSource::Registry(_));
    let pulled = config.policy.plugins.iter().any(|plugin| is_pulled(&plugin.component));
    let mut folders: Vec<PathBuf> = Vec::new();
    folders.extend((keys || below || pulled).then(|| config.state.clone()));
    folders.extend(spools);
    folders.extend(staging(config).map(Path::to_owned));
    folders.extend(config.origins.iter().map(|origin| origin.cache.path.clone()));
    folders.extend(config.remote.iter().filter_map(|remote| Some(remote.kept.parent()?.to_owned())));
    let compiled = config.policy.compiled.clone();
    folders.extend(compiled.filter(|_| !config.policy.plugins.is_empty()));
    unique(folders)
}

/// Returns the sockets in the file system.
pub(super) fn sockets(config: &Config) -> impl Iterator<Item = &Path> {
    let admin = config.admin.as_ref().and_then(|admin| match &admin.address {
        AdminAddress::Unix(path) => Some(path.as_path()),
        AdminAddress::Tcp(_) => None,
    });
    config.control.as_deref().into_iter().chain(admin)
}

/// Creates the folder and its missing ancestors.
fn create_folder(folder: &Path, mode: u32, account: Option<&Account>) -> io::Result<()> {
    if folder.exists() {
        return Ok(());
    }
    if let Some(above) = folder.parent() {
        create_folder(above, mode, account)?;
    }
    let create = || match DirBuilder::new().mode(mode).create(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        made => made.map(|()| true),
    };
    match in_place_of_root(folder.parent().unwrap_or(folder), account) {
        Some(account) => acting_as(account, create).map(drop),
        None if create()? => give_to_user(folder, account),
        None => Ok(()),
    }
}

/// Creates the file in an existing folder.
fn create_file(file: &Path, account: Option<&Account>) -> io::Result<()> {
    // Without a change of user, the sink creates its file itself.
    if account.is_none() || !file.parent().is_some_and(Path::is_dir) {
        return Ok(());
    }
    let create = || match OpenOptions::new().append(true).create_new(true).mode(0o640).open(file) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(None),
        made => made.map(Some),
    };
    match creator_of(file, account) {
        Some(account) => acting_as(account, create).map(drop),
        None => create()?.map_or(Ok(()), |made| change_owner(&made, account)),
    }
}

/// Returns the user who creates this file instead of root. Only the way to its folder matters: creating a file follows
/// no link at its name, and its owner changes by descriptor.
pub(super) fn creator_of<'a>(file: &Path, account: Option<&'a Account>) -> Option<&'a Account> {
    let folder = file.parent()?;
    // `None` if only root can change the folder, or its parent.
    in_place_of_root(folder, account)?;
    in_place_of_root(folder.parent().unwrap_or(folder), account)
}

/// Changes the owner of a new file or folder, unless it was replaced.
pub fn give_to_user(path: &Path, account: Option<&Account>) -> io::Result<()> {
    if account.is_none() {
        return Ok(());
    }
    let made = open(path, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
    let about = fstat(&made)?;
    let is_folder = FileType::from_raw_mode(about.st_mode) == FileType::Directory;
    // Another hard link may belong to another user.
    if about.st_uid != geteuid().as_raw() || (!is_folder && about.st_nlink != 1) {
        return Err(io::Error::other("another file has replaced it"));
    }
    change_owner(&made, account)
}

fn change_owner(what: impl AsFd, account: Option<&Account>) -> io::Result<()> {
    let Some(account) = account else { return Ok(()) };
    let (user, group) = (Uid::from_raw(account.uid.as_raw()), Gid::from_raw(account.gid.as_raw()));
    Ok(chownat(what, "", Some(user), Some(group), AtFlags::EMPTY_PATH)?)
}

fn log_failure(path: &Path, made: io::Result<()>) {
    if let Err(error) = made {
        tracing::debug!(target: "tuffet::privileges", path = %path.display(), %error, "cannot create the path");
    }
}
