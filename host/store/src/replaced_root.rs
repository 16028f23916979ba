//! Checks whether the path of a root still leads to the folder being served.
//!
//! A root is opened once, so that changes to its path cannot redirect requests. The drawback: a folder that replaces
//! it, or a file system mounted over it later, is not served, and the operator would not see why.

use super::Lane;
use super::facts;
use super::opening::open_folder;
use super::roots::{Root, Roots};
use cap_std::fs::Dir;
use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use tuffet_request::{ClientKey, Unopened};

impl Roots {
    /// Checks the path of each root, on a thread of its disk because the disk may hang. If a folder was replaced,
    /// reports it in [`super::DiskState`] and in the log, or serves the new one from now on (`follow`). Does the same for
    /// the folders that links lead into. Counts the contents of roots with a quota again, if that is due.
    pub fn look_for_replaced(&self) {
        // An origin has no folder.
        for (number, root) in self.roots.iter().enumerate().filter(|(_, root)| root.elsewhere.is_none()) {
            self.count_in_background(&root.name);
            self.look_in_background(number, root);
        }
    }

    /// As [`Roots::look_for_replaced`], for roots that clients wait for: those without a folder, which is opened if it is
    /// there now, and those that may be mount points. Returns whether there are any.
    pub fn look_for_unopened(&self) -> bool {
        let folders = self.roots.iter().enumerate().filter(|(_, root)| root.elsewhere.is_none());
        let awaited = folders.filter(|(_, root)| root.is_awaited());
        awaited.map(|(number, root)| self.look_in_background(number, root)).count() > 0
    }

    fn look_in_background(&self, number: usize, root: &Root) {
        // One check at a time.
        if root.disk.looking.swap(true, Relaxed) {
            return;
        }
        let roots = self.clone();
        let looked = Looked(Arc::clone(&root.disk));
        let look = move || {
            let root = &roots.roots[number];
            root.links.look(&root.name, root.follow);
            if root.look() == LookOutcome::Opened {
                roots.sweep_again_in_background(|name| name == &*root.name);
            }
            drop(looked);
        };
        root.disk.submit_anyway(Lane::Open, ClientKey::SERVER, Duration::MAX, look, |_| {});
    }
}

/// The result of a check.
#[derive(PartialEq, Eq)]
enum LookOutcome {
    /// Opened the folder of a root that had none, or another one: uploads may have left something in it.
    Opened,
    /// No action is needed.
    Nothing,
}

/// Ends a check, even after a panic.
struct Looked(Arc<super::Disk>);

impl Drop for Looked {
    fn drop(&mut self) {
        self.0.looking.store(false, Relaxed);
    }
}

impl Root {
    /// Whether a folder may appear that clients wait for.
    fn is_awaited(&self) -> bool {
        self.may_be_mount_point.load(Relaxed) || self.folder.read().is_none()
    }

    fn look(&self) -> LookOutcome {
        match self.served() {
            Some(folder) => {
                if self.may_be_mount_point.load(Relaxed) && !folder.is_empty() {
                    self.may_be_mount_point.store(false, Relaxed);
                }
                self.compare(&folder.dir)
            }
            None => self.open_at_last(),
        }
    }

    fn open_at_last(&self) -> LookOutcome {
        match open_folder(&self.name, &self.path, &self.links) {
            Ok(folder) => {
                *self.folder.write() = Some(folder.with_known(&self.disk.usages));
                let why = self.disk.unopened();
                self.disk.set_unopened(None);
                *self.disk.not_opened.lock() = None;
                let path = self.path.display();
                if why == Some(Unopened::Missing) {
                    tracing::info!(target: "tuffet::store::root", root = %self.name, %path, "the folder of a root exists now; the root is served from now on");
                } else {
                    tracing::info!(target: "tuffet::store::root", root = %self.name, %path, "the folder of a root that did not answer is open; the root is served from now on");
                }
                LookOutcome::Opened
            }
            Err(error) if error.source.kind() == ErrorKind::NotFound => {
                if self.disk.set_unopened(Some(Unopened::Missing)) {
                    let path = self.path.display();
                    tracing::warn!(target: "tuffet::store::root", root = %self.name, %path, "a root answers again, but its folder does not exist; the root is served as soon as it does");
                }
                LookOutcome::Nothing
            }
            Err(error) => {
                let text = error.to_string();
                let mut last = self.disk.not_opened.lock();
                if last.as_ref() != Some(&text) {
                    tracing::warn!(target: "tuffet::store::root", root = %self.name, %error, "the folder of a root is there now, but cannot be opened; the server tries again; if a sandbox does not include the folder, restart the server");
                    *last = Some(text);
                }
                LookOutcome::Nothing
            }
        }
    }

    fn compare(&self, folder: &Dir) -> LookOutcome {
        let (served, there) = (facts::folder(folder), facts::folder_at(&self.path).ok());
        // Without an answer the state is unknown.
        let Ok(served) = served else { return LookOutcome::Nothing };
        if there == Some(served) {
            if self.disk.replaced.swap(false, Relaxed) {
                tracing::info!(target: "tuffet::store::root", root = %self.name, "the path of the root leads to the served folder again");
            }
            return LookOutcome::Nothing;
        }
        if (self.follow || self.may_be_mount_point.load(Relaxed)) && there.is_some() {
            return self.take_the_new_one();
        }
        if !self.disk.replaced.swap(true, Relaxed) {
            let path = self.path.display();
            tracing::warn!(
                target: "tuffet::store::root", root = %self.name, %path,
                "the path of a root leads to another folder than the one that is served, or nowhere: it was replaced or \
                 mounted over since; a reload (in a program, `replace`) serves what is there now, and so does `follow: true` of \
                 the root"
            );
        }
        LookOutcome::Nothing
    }

    fn take_the_new_one(&self) -> LookOutcome {
        match open_folder(&self.name, &self.path, &self.links) {
            Ok(folder) => {
                // Once there was something in the folder, only `follow` lets another one take its place.
                self.may_be_mount_point.fetch_and(folder.is_empty(), Relaxed);
                let mut served = self.folder.write();
                let before = served.replace(folder.with_known(&self.disk.usages));
                // Dropping the old folder may block on a disk.
                drop(served);
                drop(before);
                self.disk.replaced.store(false, Relaxed);
                let path = self.path.display();
                tracing::info!(target: "tuffet::store::root", root = %self.name, %path, "the folder of a root was replaced; requests get the new one from now on");
                return LookOutcome::Opened;
            }
            Err(error) if !self.disk.replaced.swap(true, Relaxed) => {
                tracing::warn!(target: "tuffet::store::root", root = %self.name, %error, "the folder of a root was replaced, and the new one cannot be opened; the old one is served");
            }
            Err(_) => {}
        }
        LookOutcome::Nothing
    }
}
