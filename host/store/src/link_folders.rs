//! Folders outside of a root that links in it may lead to (`roots[].links`). They are opened as roots are: once, so that
//! later changes to their paths redirect nothing. A folder that is missing does not keep its root from being served.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use parking_lot::RwLock;

use super::facts::{self, FolderIdentity};

/// The folders of a root.
#[derive(Debug, Default)]
pub(super) struct LinkFolders(Vec<LinkFolder>);

/// A folder.
#[derive(Debug)]
pub(super) struct LinkFolder {
    path: Arc<Path>,
    state: RwLock<State>,
}

#[derive(Debug)]
enum State {
    /// `replaced`: whether the path leads elsewhere meanwhile, and the log says so.
    Open {
        folder: OpenLinkFolder,
        replaced: bool,
    },
    Closed {
        why: String,
    },
}

/// An open folder.
#[derive(Debug, Clone)]
pub(super) struct OpenLinkFolder {
    pub dir: Arc<Dir>,
    /// Its path as configured.
    pub path: Arc<Path>,
    /// Its path without links.
    pub real: Option<Arc<Path>>,
    identity: Option<FolderIdentity>,
}

/// Where the text of a link leads to.
pub(super) enum LinkTarget<'a> {
    /// The folder of the root.
    Root,
    /// This folder.
    Link(&'a LinkFolder),
}

impl LinkFolders {
    /// Opens the folders of a root, except those that do not answer. Logs which are missing.
    pub fn open(root: &str, specs: &[tuffet_request::LinkFolder]) -> LinkFolders {
        let open = |spec: &tuffet_request::LinkFolder| {
            let folder = LinkFolder {
                path: spec.path.as_path().into(),
                state: RwLock::new(State::Closed { why: "it does not answer".into() }),
            };
            if spec.answers {
                folder.open_at_last(root);
            }
            folder
        };
        LinkFolders(specs.iter().map(open).collect())
    }

    /// The folder at this path.
    pub fn at(&self, path: &Path) -> Option<&LinkFolder> {
        self.0.iter().find(|folder| folder.is_at(path))
    }

    /// Checks the paths of the folders, which may block: opens missing ones, and those that replace others with `follow`.
    pub fn look(&self, root: &str, follow: bool) {
        self.0.iter().for_each(|folder| folder.look(root, follow));
    }
}

impl LinkFolder {
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder, if it is open.
    pub fn open(&self) -> Option<OpenLinkFolder> {
        match &*self.state.read() {
            State::Open { folder, .. } => Some(folder.clone()),
            State::Closed { .. } => None,
        }
    }

    /// Why it is not open.
    pub fn why_closed(&self) -> String {
        match &*self.state.read() {
            State::Closed { why } => why.clone(),
            State::Open { .. } => String::new(),
        }
    }

    fn is_at(&self, path: &Path) -> bool {
        let is_real = |state: &State| matches!(state, State::Open { folder, .. } if folder.real.as_deref() == Some(path));
        *self.path == *path || is_real(&self.state.read())
    }

    fn open_at_last(&self, root: &str) -> bool {
        let opened = OpenLinkFolder::open(&self.path);
        let path = self.path.display();
        let mut state = self.state.write();
        match opened {
            Ok(folder) => {
                let before = std::mem::replace(&mut *state, State::Open { folder, replaced: false });
                // Dropping the old folder may block on a disk.
                drop(state);
                drop(before);
                true
            }
            Err(error) => {
                let why = error.to_string();
                if !matches!(&*state, State::Closed { why: before } if *before == why) {
                    tracing::warn!(
                        target: "tuffet::store::root", root, %path, %error,
                        "a folder that links may lead to cannot be opened; they lead nowhere until it can be"
                    );
                }
                if matches!(&*state, State::Closed { .. }) {
                    *state = State::Closed { why };
                }
                false
            }
        }
    }

    fn look(&self, root: &str, follow: bool) {
        let path = self.path.display();
        let Some(served) = self.open() else {
            if self.open_at_last(root) {
                tracing::info!(
                    target: "tuffet::store::root", root, %path,
                    "a folder that links may lead to is open; they lead into it from now on"
                );
            }
            return;
        };
        let there = facts::folder_at(&self.path).ok();
        let is_same = there == served.identity;
        if !is_same && follow && there.is_some() {
            if self.open_at_last(root) {
                tracing::info!(
                    target: "tuffet::store::root", root, %path,
                    "a folder that links may lead to was replaced; they lead into the new one from now on"
                );
            }
            return;
        }
        if let State::Open { replaced, .. } = &mut *self.state.write()
            && std::mem::replace(replaced, !is_same) == is_same
            && !is_same
        {
            tracing::warn!(
                target: "tuffet::store::root", root, %path,
                "the path of a folder that links may lead to leads to another folder than the one that they lead into, or \
                 nowhere: it was replaced or mounted over since; a reload (in a program, `replace`) uses what is there now, \
                 and so does `follow: true` of the root"
            );
        }
    }
}

impl OpenLinkFolder {
    fn open(path: &Arc<Path>) -> io::Result<OpenLinkFolder> {
        let dir = Dir::open_ambient_dir(path, ambient_authority())?;
        let identity = facts::folder(&dir).ok();
        Ok(OpenLinkFolder { dir: Arc::new(dir), path: Arc::clone(path), real: real_path(path), identity })
    }
}

/// The path without links, if it can be found.
pub(super) fn real_path(path: &Path) -> Option<Arc<Path>> {
    path.canonicalize().ok().map(PathBuf::into_boxed_path).map(Arc::from)
}

/// The path of these folders below `/`.
pub(super) fn absolute(names: &[OsString]) -> PathBuf {
    std::iter::once("/".as_ref()).chain(names.iter().map(OsString::as_os_str)).collect()
}
