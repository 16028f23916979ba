//! The section `roots`: served folders, and roots with an origin. A reload may change all of it.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tuffet_request::names::{self, NameError};
use tuffet_request::settings::Start;
use tuffet_request::units::{ByteCount, GIB, plain};
use tuffet_request::{Case, LinkFolder, RootSpec};

use super::address::{path_schema, root_name_schema};
use super::origins::{CacheSpec, OriginKeys, OriginSpec, WrittenOrigin};
use super::policy::PolicyConfig;
use super::reach;
use super::resolver::Resolver;
use super::tree::join;
use super::unopened::UnopenedRoot;
use super::uploads::WrittenUploads;

/// A served folder, or an origin. No name leads out of it.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct WrittenRoot {
    /// The root's name in plugins and logs.
    #[schemars(schema_with = "root_name_schema")]
    pub name: String,
    /// The folder, relative to this file. Each root has `path` or `url`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "path_schema")]
    pub path: Option<PathBuf>,
    /// The URL of the files, if they are not in a folder: `s3://BUCKET/PREFIX`, `gs://BUCKET/PREFIX`,
    /// `az://CONTAINER/PREFIX`, `https://HOST/PATH` or `http://HOST/PATH`. Needs `cache`. See [origins](origins.md).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// How the server at `url` is reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<WrittenOrigin>,
    /// The files of `url` on the local disk. It survives restarts. Required with `url`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheSpec>,
    /// Absolute prefixes under which clients may also name its files: with `/tftpboot` here, `/tftpboot/x` is the file
    /// `x` of this root, and of no root without that prefix. If several prefixes match a name, the longest counts. For
    /// clients and map files of a server without a root folder. At most 16.
    #[serde(default)]
    pub also_at: Vec<String>,
    /// Whether clients may upload into it.
    #[serde(default)]
    pub writable: bool,
    /// Whether an upload may replace an existing file that the server's user can write. The file keeps its owner,
    /// group, permissions, access control lists and attributes as far as the system lets the server; otherwise it
    /// gets fewer permissions, never more. Needs `writable`.
    #[serde(default)]
    pub overwrite: bool,
    /// Whether only plugins with the grant `files/NAME` can read it: clients get nothing from it under any name, and no
    /// plugin may answer with its files. For leases, inventories, templates.
    #[serde(default)]
    pub private: bool,
    /// Whether requested names must have the same case as stored ones. `insensitive`: each part of a path is the name
    /// as spelled if it exists, else the only name that differs just in case. Several such names are `file not found`.
    /// Policy judges the stored name, so its rules hold for every spelling, also of new files.
    #[serde(default)]
    pub case: Case,
    /// Whether the server reads only files that others may read (`o+r` in their permissions), and lets uploads replace
    /// only files that others may write (`o+w`), as in.tftpd does without `-p` and dnsmasq as root. Everything else is
    /// refused with ERROR 2. The rule holds for plugins, too.
    #[serde(default)]
    pub world_readable: bool,
    /// Whether the server follows a replaced folder while it runs, within some seconds and without a reload: a folder
    /// renamed to its path, or a file system mounted over it. Otherwise it keeps serving the folder that it opened, and
    /// warns. The sandbox rules then allow the folder around it, too.
    #[serde(default)]
    pub follow: bool,
    /// Folders outside of it that symbolic links in it may lead to, relative to this file: with `/usr/lib/PXELINUX` here,
    /// a link to `/usr/lib/PXELINUX/pxelinux.0` is followed. They are opened at the start, and no link leads out of them
    /// but into the root or another of them. Uploads never go there. A missing folder is named in a warning, and opened
    /// when it is there. At most 64. Links that stay in the root need no such key.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub links: Vec<PathBuf>,
    /// The largest upload, in bytes. Needs `writable`.
    #[serde(default = "max_upload", with = "plain")]
    #[schemars(with = "ByteCount")]
    pub max_upload: u64,
    /// How uploads are written. Needs `writable`.
    #[serde(default)]
    pub write: WrittenUploads,
}

/// The folder in `state` where uploads wait that are written in place.
const STAGING: &str = "uploads";

/// The limit of prefixes of a root.
const MAX_PREFIXES: usize = 16;

/// The limit of folders that the links of a root may lead to.
const MAX_LINK_FOLDERS: usize = 64;

fn max_upload() -> u64 {
    GIB
}

impl WrittenRoot {
    /// Returns its keys about the origin.
    fn elsewhere<'a>(&'a self, url: &'a str) -> OriginKeys<'a> {
        OriginKeys {
            root: &self.name,
            url,
            has_path: self.path.is_some(),
            origin: self.origin.as_ref(),
            cache: self.cache.as_ref(),
        }
    }

    /// Creates the root of the flag `--root`.
    pub(crate) fn alone(path: PathBuf) -> WrittenRoot {
        WrittenRoot {
            name: "root".into(),
            path: Some(path),
            url: None,
            origin: None,
            cache: None,
            also_at: Vec::new(),
            writable: false,
            overwrite: false,
            private: false,
            case: Case::default(),
            world_readable: false,
            follow: false,
            links: Vec::new(),
            max_upload: max_upload(),
            write: WrittenUploads::default(),
        }
    }
}

impl Resolver<'_> {
    /// Returns the roots, and their origins. `state` is the folder for persistent state.
    pub(crate) fn roots(
        &mut self,
        written: Vec<WrittenRoot>,
        state: &Path,
    ) -> (Vec<RootSpec>, Vec<OriginSpec>) {
        if written.is_empty() {
            let message =
                "there is no root; add `roots: [{ name: boot, path: ./files }]`, or give --root DIR";
            self.wrong("/roots", message);
        }
        let mut roots: Vec<RootSpec> = Vec::new();
        let mut origins: Vec<OriginSpec> = Vec::new();
        let folders: Vec<PathBuf> =
            written.iter().filter_map(|root| Some(self.absolute(root.path.as_ref()?))).collect();
        let linked: Vec<PathBuf> =
            written.iter().flat_map(|root| &root.links).map(|link| self.absolute(link)).collect();
        let mut answers = reach::probe(&[&folders[..], &linked].concat());
        let mut answers_of_linked = answers.split_off(folders.len()).into_iter().map(|answer| answer.is_ok());
        let mut found = folders.iter().zip(answers);
        for (index, root) in written.into_iter().enumerate() {
            let pointer = format!("/roots/{index}");
            let folder = root.path.as_ref().and_then(|_| found.next());
            if roots.iter().any(|other| other.name == root.name) {
                let message = format!("two roots are named `{}`; give each its own name", root.name);
                self.wrong(join(&pointer, "name"), message);
            }
            let path = match (&root.url, folder) {
                (Some(url), _) => match self.origin(&pointer, &root.elsewhere(url)) {
                    Some(origin) => {
                        let path = origin.cache.path.clone();
                        self.own_cache(&pointer, &origin, &origins, &folders);
                        origins.push(origin);
                        path
                    }
                    None => PathBuf::new(),
                },
                (None, Some((path, answer))) => {
                    self.refuse_origin(&pointer);
                    if root.path.as_deref().is_some_and(|path| path.starts_with("~")) {
                        let message =
                            "`~` is not expanded here; write the whole path, such as /home/USER/files";
                        self.wrong(join(&pointer, "path"), message);
                        continue;
                    }
                    self.folder(&pointer, &root.name, path, answer);
                    path.clone()
                }
                (None, None) => {
                    let message = "the root has neither `path` nor `url`; add `path: FOLDER`, or the `url` of the place where \
                                   its files live";
                    self.wrong(&pointer, message);
                    PathBuf::new()
                }
            };
            if root.private && root.writable {
                let message = "a private root takes no uploads, because clients do not see it; set \
                               `writable: false`, or `private: false`";
                self.wrong(join(&pointer, "writable"), message);
            }
            if root.private && root.case == Case::Insensitive {
                let message = "`case` has no effect while the root has `private: true`, because plugins name files as \
                               they are stored; remove one of the two";
                self.wrong_key(join(&pointer, "case"), message);
            }
            if root.private && root.world_readable {
                let message = "`world-readable` has no effect while the root has `private: true`, because clients get \
                               nothing from it; remove one of the two";
                self.wrong_key(join(&pointer, "world-readable"), message);
            }
            if !root.writable {
                self.refuse_without_writable(&pointer, "overwrite", root.overwrite);
                self.refuse_without_writable(&pointer, "max-upload", true);
                self.refuse_without_writable(&pointer, "write", true);
            } else if !root.overwrite && self.is_written(&format!("{pointer}/write/links")) {
                let message = "`links` means nothing while the root has `overwrite: false`, which keeps links, too; \
                               set `overwrite: true`, or remove it";
                self.wrong_key(format!("{pointer}/write/links"), message);
            }
            if root.writable && !root.overwrite && !root.write.create {
                let message = "with `overwrite: false` and `create: false` every upload is refused; set `overwrite: \
                               true`, or remove `create`";
                self.wrong_key(format!("{pointer}/write/create"), message);
            }
            if root.write.mode.is_some() && root.write.umask.is_some() {
                let message = "`umask` has no effect beside `mode`, which sets all permissions of new files; remove one \
                               of the two";
                self.wrong_key(format!("{pointer}/write/umask"), message);
            }
            if root.write.in_place && root.url.is_some() {
                let message = "`in-place` has no effect beside `url`: the origin stores uploads; remove it";
                self.wrong_key(format!("{pointer}/write/in-place"), message);
            }
            if root.writable {
                self.uploads_as_backups(&pointer, root.overwrite, &root.write);
            }
            let also_at = self.also_at(&pointer, &root);
            let answers = answers_of_linked.by_ref().take(root.links.len()).collect::<Vec<_>>();
            let link_folders = self.link_folders(&pointer, &root.links, &answers);
            let elsewhere = root.url.as_ref().and_then(|_| origins.iter().find(|its| its.root == root.name));
            let quota = root.write.quota_of_root();
            roots.push(RootSpec {
                elsewhere: elsewhere.map(|its| its.shown().into()),
                name: root.name,
                path,
                also_at,
                writable: root.writable,
                overwrite: root.overwrite,
                create: root.write.create,
                private: root.private,
                world_readable: root.world_readable,
                max_upload: root.max_upload,
                links: root.write.links,
                mode: root.write.mode_of_new(),
                umask: root.write.umask_of_new(),
                in_place: root.write.in_place.then(|| state.join(STAGING)),
                follow: root.follow,
                case: root.case,
                link_folders,
                versions: root.write.versions,
                folders: root.write.folders.and_then(|folders| folders.0),
                quota,
            });
        }
        (roots, origins)
    }

    /// Checks the folder of a root.
    fn folder(&mut self, pointer: &str, root: &str, path: &Path, answer: Result<(), Option<PathBuf>>) {
        match answer {
            Ok(()) => match complaint_of_folder(path) {
                None => {}
                Some((ErrorKind::NotFound, _)) if self.may_come_later(pointer, path) => {
                    self.unopened.push(UnopenedRoot::missing(root, path));
                }
                Some((_, complaint)) => self.wrong(join(pointer, "path"), complaint),
            },
            Err(above) => self.unopened.push(UnopenedRoot::unresponsive(root, above)),
        }
    }

    /// Returns whether a missing folder is waited for. The text of a variable will never be one, and a flag on a command
    /// line more likely has a typo.
    fn may_come_later(&self, pointer: &str, path: &Path) -> bool {
        self.start == Start::Available && !has_variable(path) && self.is_written(&join(pointer, "path"))
    }

    /// Returns the folders that links of a root may lead to. `answers`: whether each of them answers.
    fn link_folders(&mut self, root: &str, written: &[PathBuf], answers: &[bool]) -> Vec<LinkFolder> {
        let pointer = join(root, "links");
        if written.len() > MAX_LINK_FOLDERS {
            let message = format!("{} folders: at most {MAX_LINK_FOLDERS} are possible", written.len());
            self.wrong(&pointer, message);
        }
        let mut folders: Vec<LinkFolder> = Vec::new();
        for (index, (path, &answers)) in written.iter().zip(answers).enumerate() {
            let (path, at) = (self.absolute(path), format!("{pointer}/{index}"));
            if path == Path::new("/") {
                let message = "links into `/` could lead to every file of this machine; name the folders that they lead to";
                self.wrong(at, message);
            } else if folders.iter().any(|other| other.path == path) {
                self.wrong(at, format!("{} is named twice; remove one of the two", path.display()));
            } else {
                match answers.then(|| complaint_of_folder(&path)) {
                    Some(None) => {}
                    Some(Some((_, complaint))) => {
                        let message = format!("{complaint}; until then links into it lead nowhere");
                        self.warnings.push((at, message));
                    }
                    None => {
                        let message = format!(
                            "{} does not answer; links lead into it as soon as it does",
                            path.display()
                        );
                        self.warnings.push((at, message));
                    }
                }
                folders.push(LinkFolder { path, answers });
            }
        }
        folders
    }

    /// Refuses a cache that contains, or is in, a served folder or another cache.
    fn own_cache(&mut self, root: &str, origin: &OriginSpec, others: &[OriginSpec], folders: &[PathBuf]) {
        let path = &origin.cache.path;
        let of_caches = others.iter().map(|other| (&other.cache.path, "another root has its cache there"));
        let of_roots = folders.iter().map(|folder| (folder, "a root with `path` serves files from there"));
        let taken =
            of_caches.chain(of_roots).find(|(other, _)| path.starts_with(other) || other.starts_with(path));
        if let Some((_, why)) = taken {
            let message =
                format!("{} is not free for this cache: {why}; name a separate folder", path.display());
            self.wrong(format!("{root}/cache/path"), message);
        }
    }

    /// Refuses roots that are all private, unless a plugin answers with its own content.
    pub(crate) fn someone_is_served(&mut self, roots: &[RootSpec], policy: &PolicyConfig) {
        let answers = |chain: &[String]| !chain.is_empty();
        let some_plugin_answers = answers(&policy.resolve)
            || policy.listeners.iter().any(|(_, own)| own.resolve.as_deref().is_some_and(answers));
        if !roots.is_empty() && roots.iter().all(|root| root.private) && !some_plugin_answers {
            let message = "every root is private and `policy.resolve` is empty, so clients would get nothing; add a root \
                           without `private`, or a plugin that answers with content";
            self.wrong("/roots", message);
        }
    }

    /// Returns the prefixes of a root in normalised form, as requested names have it.
    fn also_at(&mut self, root: &str, written: &WrittenRoot) -> Vec<String> {
        let pointer = join(root, "also-at");
        if written.private && !written.also_at.is_empty() {
            let message = "`also-at` has no effect while the root has `private: true`, because clients get nothing from \
                           it; remove one of the two";
            self.wrong_key(&pointer, message);
        }
        if written.also_at.len() > MAX_PREFIXES {
            let message = format!("{} prefixes: at most {MAX_PREFIXES} are possible", written.also_at.len());
            self.wrong(&pointer, message);
        }
        let mut prefixes = Vec::new();
        for (index, prefix) in written.also_at.iter().enumerate() {
            let complaint = match names::normalise(prefix.as_bytes()) {
                _ if !prefix.starts_with('/') => "it is not absolute".to_owned(),
                Ok(path) => {
                    prefixes.push(path);
                    continue;
                }
                Err(NameError::Empty) => "every name begins with it, with or without this key".to_owned(),
                Err(error) => error.to_string(),
            };
            let message = format!("{complaint}; write the beginning of names such as /tftpboot");
            self.wrong(format!("{pointer}/{index}"), message);
        }
        prefixes
    }

    /// Refuses a key without effect: probably, `writable: true` is missing.
    fn refuse_without_writable(&mut self, root: &str, key: &str, matters: bool) {
        let pointer = join(root, key);
        if matters && self.is_written(&pointer) {
            let message = format!(
                "`{key}` has no effect while the root has `writable: false`; set `writable: true`, or remove it"
            );
            self.wrong_key(pointer, message);
        }
    }
}

/// Returns what keeps a folder from being served.
fn complaint_of_folder(path: &Path) -> Option<(ErrorKind, String)> {
    let shown = path.display();
    let (kind, complaint) = match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => return None,
        Ok(_) => {
            (ErrorKind::NotADirectory, format!("{shown} is not a folder; name the folder that is served"))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let why =
                if has_variable(path) { ": `${NAME}` stands for a variable in secrets alone" } else { "" };
            (error.kind(), format!("there is no folder {shown}; create it or correct the path{why}"))
        }
        Err(error) => {
            (error.kind(), format!("the folder {shown} cannot be accessed: {error}; give this user access"))
        }
    };
    Some((kind, complaint))
}

fn has_variable(path: &Path) -> bool {
    path.to_string_lossy().contains("${")
}
