//! Files that the server reads after it has become its user: lease files, what plugins read, folders that links lead to,
//! and what a reload reads. Root can read them all, so only a check as that user shows which ones the server cannot.

use super::Account;
use super::own_paths::unopened;
use serde_json::Value;
use std::path::{Path, PathBuf};
use tuffet_config::{ComponentSource, Config, PluginConfig, join_pointer, reach};
use tuffet_store::{Obstacle, Right, find_obstacle, quoted};

/// A file that cannot be read.
pub(super) struct Unreadable {
    /// A JSON pointer to its name in the configuration.
    pointer: String,
    message: String,
    /// Whether the server does not start without it.
    is_required: bool,
}

/// Returns the files that this user, who is that of the process, may not read.
pub(super) fn unreadable(config: &Config, account: &Account) -> Vec<Unreadable> {
    let reader = Reader { user: &account.name, group: account.gid.as_raw() };
    let mut found = Vec::new();
    found.extend(config.settings.service.lease_files.iter().enumerate().filter_map(|(number, file)| {
        let (what, so) = ("this lease file", "the server knows no lease of it");
        let message = reader.message(&file.path, &[Right::Read], what, so)?;
        Some(Unreadable { pointer: format!("/facts/leases/{number}/file"), message, is_required: false })
    }));
    for (number, root) in config.roots.iter().enumerate() {
        for (index, folder) in root.link_folders.iter().enumerate().filter(|(_, folder)| folder.answers) {
            let (rights, so) = ([Right::Read, Right::Enter], "links into it lead nowhere");
            let message = reader.message(&folder.path, &rights, "this folder", so);
            let pointer = format!("/roots/{number}/links/{index}");
            found.extend(message.map(|message| Unreadable { pointer, message, is_required: false }));
        }
    }
    for plugin in &config.policy.plugins {
        found.extend(files_of(config, plugin).into_iter().filter_map(|file| {
            let message = reader.message(&file.path, &[Right::Read], file.what, file.so)?;
            let pointer = format!("{}/settings{}", join_pointer("/plugins", &plugin.name), file.pointer);
            Some(Unreadable { pointer, message, is_required: file.is_required })
        }));
    }
    found
}

/// Returns the lines about these files: those about required ones, and the others.
pub(super) fn located(config: &Config, found: Vec<Unreadable>) -> (Vec<String>, Vec<String>) {
    let (required, others): (Vec<_>, Vec<_>) = found.into_iter().partition(|file| file.is_required);
    let lines = |found: Vec<Unreadable>| {
        if found.is_empty() {
            return Vec::new();
        }
        let error = config.error(found.into_iter().map(|file| (file.pointer, file.message)));
        error.to_string().lines().map(str::to_owned).collect()
    };
    (lines(required), lines(others))
}

/// Returns the messages about the configuration and its secrets. `by_root`: whether root reads them at the start.
pub(super) fn unreadable_on_reload(config: &Config, account: &Account, by_root: bool) -> Vec<String> {
    let (user, group) = (&account.name, account.gid.as_raw());
    let message = |file: &PathBuf| {
        let obstacle = find_obstacle(file, &[Right::Read])?;
        let (path, remedy) = (file.display(), obstacle.remedy(user, group));
        Some(if by_root {
            format!(
                "reloads would be refused: the server runs as the user `{user}`, who may not read {path}; only the start \
                 reads it as root: {obstacle}: {remedy}, or restart instead of reloading"
            )
        } else {
            format!("the server starts as the user `{user}`, who may not read {path}: {obstacle}: {remedy}")
        })
    };
    config.files.iter().filter_map(message).collect()
}
/// The user of the server.
struct Reader<'a> {
    user: &'a str,
    group: u32,
}

impl Reader<'_> {
    /// Returns the message about a file, unless the user has these rights.
    fn message(&self, path: &Path, rights: &[Right], what: &str, so: &str) -> Option<String> {
        // A folder that hangs would delay the check.
        if !path.parent().is_some_and(reach::answers) {
            return None;
        }
        let obstacle = find_obstacle(path, rights)?;
        Some(format!(
            "{}: the server runs as the user `{}`, who may not read {what}, so {so}: {obstacle}: {}{}",
            path.display(),
            self.user,
            obstacle.remedy(self.user, self.group),
            self.of_next_file(path, &obstacle)
        ))
    }

    /// A program that replaces its file, as DHCP servers and editors do, makes one without the right.
    fn of_next_file(&self, path: &Path, obstacle: &Obstacle) -> String {
        let Some(folder) = path.parent().filter(|_| !obstacle.is_folder) else { return String::new() };
        let (user, folder) = (self.user, quoted(folder));
        format!("; if a program replaces the file, also `setfacl -d -m u:{user}:r {folder}`")
    }
}

/// A file that a bundled plugin reads.
struct PluginFile {
    pointer: String,
    path: PathBuf,
    what: &'static str,
    so: &'static str,
    is_required: bool,
}

/// Returns the files that the settings of a bundled plugin name, each below its root.
fn files_of(config: &Config, plugin: &PluginConfig) -> Vec<PluginFile> {
    let ComponentSource::Builtin(name) = &plugin.component else { return Vec::new() };
    let settings = &plugin.settings;
    let in_root = |root: &Value| {
        let root = config.roots.iter().find(|its| root.as_str() == Some(&*its.name))?;
        (root.elsewhere.is_none() && unopened(config, root).is_none()).then_some(&root.path)
    };
    let file = |root: &Value, path: &Value, pointer: String, what, so| {
        let path = path.as_str()?.trim_start_matches('/');
        Some(PluginFile { pointer, path: in_root(root)?.join(path), what, so, is_required: false })
    };
    let list = |key: &str| settings[key].as_array().map_or(&[][..], Vec::as_slice).iter().enumerate();
    match &**name {
        "mac-map" => {
            let so = "the plugin knows no lease of it";
            let of = |(number, lease): (usize, &Value)| {
                file(&lease["root"], &lease["path"], format!("/leases/{number}/path"), "this lease file", so)
            };
            list("leases").filter_map(of).collect()
        }
        "remap" => {
            let map = &settings["map-file"];
            let so = "the plugin cannot be loaded";
            let of = file(&map["root"], &map["path"], "/map-file/path".into(), "this map", so);
            of.map(|file| PluginFile { is_required: true, ..file }).into_iter().collect()
        }
        "template" => {
            let (root, so) = (&settings["root"], "requests that need it end with an error");
            let inventory =
                file(root, &settings["inventory"], "/inventory".into(), "this inventory", so).into_iter();
            let of = |(number, rule): (usize, &Value)| {
                file(root, &rule["template"], format!("/rules/{number}/template"), "this template", so)
            };
            inventory.chain(list("rules").filter_map(of)).collect()
        }
        _ => Vec::new(),
    }
}
