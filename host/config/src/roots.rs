//! The section `roots`: served folders, and roots with an origin. A reload may change all of it.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use tuffet_request::key_order::place;
use tuffet_request::names::{self, NameError};
use tuffet_request::settings::Start;
use tuffet_request::{Case, LinkFolder, Quota, RootSpec, UploadRules};

use super::address::path_schema;
use super::origins::{CacheSpec, OriginKeys, OriginSpec, WrittenOrigin};
use super::policy::PolicyConfig;
use super::reach;
use super::resolver::Resolver;
use super::tree::join;
use super::unopened::UnopenedRoot;

/// A served folder, or an origin. No name leads out of it.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(transform = by_topic)]
pub(crate) struct WrittenRoot {
    /// The keys that need nothing else.
    #[serde(flatten)]
    pub spec: RootSpec,
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
    /// Folders outside of it that symbolic links in it may lead to, relative to this file: with `/usr/lib/PXELINUX` here,
    /// a link to `/usr/lib/PXELINUX/pxelinux.0` is followed. They are opened at the start, and no link leads out of them
    /// but into the root or another of them. Uploads never go there. A missing folder is named in a warning, and opened
    /// when it is there. At most 64. Links that stay in the root need no such key.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub links: Vec<PathBuf>,
}

fn by_topic(schema: &mut Schema) {
    for [key, behind] in [
        ["path", "name"],
        ["url", "path"],
        ["origin", "url"],
        ["cache", "origin"],
        ["also-at", "cache"],
        ["links", "follow"],
    ] {
        place(schema, key, behind);
    }
}

/// The folder in `state` where uploads wait that are written in place.
const STAGING: &str = "uploads";

/// The limit of prefixes of a root.
const MAX_PREFIXES: usize = 16;

/// The limit of folders that the links of a root may lead to.
const MAX_LINK_FOLDERS: usize = 64;

impl WrittenRoot {
    /// Returns its keys about the origin.
    fn elsewhere<'a>(&'a self, url: &'a str) -> OriginKeys<'a> {
        OriginKeys {
            root: &self.spec.name,
            url,
            has_path: self.path.is_some(),
            origin: self.origin.as_ref(),
            cache: self.cache.as_ref(),
        }
    }

    /// Creates the root of the flag `--root`.
    pub(crate) fn alone(path: PathBuf) -> WrittenRoot {
        WrittenRoot {
            spec: RootSpec::read_only("root", ""),
            path: Some(path),
            url: None,
            origin: None,
            cache: None,
            also_at: Vec::new(),
            links: Vec::new(),
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
            if roots.iter().any(|other| other.name == root.spec.name) {
                let message = format!("two roots are named `{}`; give each its own name", root.spec.name);
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
                    self.folder(&pointer, &root.spec.name, path, answer);
                    path.clone()
                }
                (None, None) => {
                    let message = "the root has neither `path` nor `url`; add `path: FOLDER`, or the `url` of the place where \
                                   its files live";
                    self.wrong(&pointer, message);
                    PathBuf::new()
                }
            };
            let spec = &root.spec;
            if spec.private && spec.writable {
                let message = "a private root takes no uploads, because clients do not see it; set \
                               `writable: false`, or `private: false`";
                self.wrong(join(&pointer, "writable"), message);
            }
            if spec.private && spec.case == Case::Insensitive {
                let message = "`case` has no effect while the root has `private: true`, because plugins name files as \
                               they are stored; remove one of the two";
                self.wrong_key(join(&pointer, "case"), message);
            }
            if spec.private && spec.world_readable {
                let message = "`world-readable` has no effect while the root has `private: true`, because clients get \
                               nothing from it; remove one of the two";
                self.wrong_key(join(&pointer, "world-readable"), message);
            }
            if !spec.writable {
                self.refuse_without_writable(&pointer, "overwrite", spec.overwrite);
                self.refuse_without_writable(&pointer, "max-upload", true);
                self.refuse_without_writable(&pointer, "write", true);
            } else if !spec.overwrite && self.is_written(&format!("{pointer}/write/links")) {
                let message = "`links` means nothing while the root has `overwrite: false`, which keeps links, too; \
                               set `overwrite: true`, or remove it";
                self.wrong_key(format!("{pointer}/write/links"), message);
            }
            if spec.writable && !spec.overwrite && !spec.write.create {
                let message = "with `overwrite: false` and `create: false` every upload is refused; set `overwrite: \
                               true`, or remove `create`";
                self.wrong_key(format!("{pointer}/write/create"), message);
            }
            if spec.write.mode.is_some() && spec.write.umask.is_some() {
                let message = "`umask` has no effect beside `mode`, which sets all permissions of new files; remove one \
                               of the two";
                self.wrong_key(format!("{pointer}/write/umask"), message);
            }
            if spec.write.in_place && root.url.is_some() {
                let message = "`in-place` has no effect beside `url`: the origin stores uploads; remove it";
                self.wrong_key(format!("{pointer}/write/in-place"), message);
            }
            if spec.writable {
                self.uploads(&pointer, spec.overwrite, &spec.write);
            }
            let also_at = self.also_at(&pointer, spec.private, &root.also_at);
            let answers = answers_of_linked.by_ref().take(root.links.len()).collect::<Vec<_>>();
            let link_folders = self.link_folders(&pointer, &root.links, &answers);
            let elsewhere = root.url.as_ref().and_then(|_| origins.iter().find(|its| its.root == spec.name));
            let elsewhere = elsewhere.map(|its| its.shown().into());
            let staging = spec.write.in_place.then(|| state.join(STAGING));
            roots.push(RootSpec { path, elsewhere, also_at, link_folders, staging, ..root.spec });
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
    fn also_at(&mut self, root: &str, private: bool, written: &[String]) -> Vec<String> {
        let pointer = join(root, "also-at");
        if private && !written.is_empty() {
            let message = "`also-at` has no effect while the root has `private: true`, because clients get nothing from \
                           it; remove one of the two";
            self.wrong_key(&pointer, message);
        }
        if written.len() > MAX_PREFIXES {
            let message = format!("{} prefixes: at most {MAX_PREFIXES} are possible", written.len());
            self.wrong(&pointer, message);
        }
        let mut prefixes = Vec::new();
        for (index, prefix) in written.iter().enumerate() {
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

    /// Refuses keys that have no effect beside others. `pointer` is the root's.
    fn uploads(&mut self, pointer: &str, overwrite: bool, write: &UploadRules) {
        if write.versions.is_some() && !overwrite {
            let message = "`versions` has no effect while the root has `overwrite: false`, because no upload replaces a \
                           file; set `overwrite: true`, or remove it";
            self.wrong_key(format!("{pointer}/write/versions"), message);
        }
        if write.in_place && !overwrite {
            let message = "`in-place` has no effect while the root has `overwrite: false`, because no upload replaces a \
                           file; set `overwrite: true`, or remove it";
            self.wrong_key(format!("{pointer}/write/in-place"), message);
        }
        if write.folders.is_some() && !write.create {
            let message = "`folders` has no effect beside `create: false`, because a new folder has no file to replace; \
                           remove one of the two";
            self.wrong_key(format!("{pointer}/write/folders"), message);
        }
        let Quota { bytes, files, per_folder } = write.quota;
        if !write.quota.is_set() && self.is_written(&format!("{pointer}/write/quota")) {
            let message = "the quota limits nothing; add `bytes`, `files` or `per-folder` with one of these, or remove it";
            self.wrong_key(format!("{pointer}/write/quota"), message);
        }
        for (key, whole, of_folder) in
            [("bytes", bytes, per_folder.bytes), ("files", files, per_folder.files)]
        {
            if let (Some(whole), Some(of_folder)) = (whole, of_folder)
                && of_folder >= whole
            {
                let message = format!(
                    "the quota of each folder has no effect, because the root may not contain more than {whole} {key}; \
                     lower it, or remove it"
                );
                self.wrong_key(format!("{pointer}/write/quota/per-folder/{key}"), message);
            }
        }
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
