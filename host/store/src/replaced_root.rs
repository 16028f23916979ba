//! Checks whether the path of a root still leads to the folder being served.
//!
//! A root is opened once, so that changes to its path cannot redirect requests. The drawback: a folder that replaces
//! it, or a file system mounted over it later, is not served, and the operator would not see why.

use super::Lane;
use super::facts;
use super::opening::open_folder;
use super::roots::{Root, Roots};
use cap_std::fs::Dir;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

impl Roots {
    /// Checks the path of each root, on a thread of its disk because the disk may hang. If a folder was replaced,
    /// reports it in [`super::DiskState`] and in the log, or serves the new one from now on (`follow`). Opens the
    /// folder of a root that has none yet. Does the same for the folders that links lead into. Counts the contents of roots with a quota again, if that is due.
    pub fn look_for_replaced(&self) {
        for (number, root) in self.roots.iter().enumerate() {
            // An origin has no folder.
            if root.elsewhere.is_some() {
                continue;
            }
            self.count_in_background(&root.name);
            // One check at a time.
            if root.disk.looking.swap(true, Relaxed) {
                continue;
            }
            let roots = self.clone();
            let looked = Looked(Arc::clone(&root.disk));
            let look = move || {
                let root = &roots.roots[number];
                root.links.look(&root.name, root.follow);
                if root.look() == LookOutcome::Opened {
                    roots.sweep_in_background(|name| name == &*root.name);
                }
                drop(looked);
            };
            root.disk.submit_anyway(Lane::Open, Duration::MAX, look, |_| {});
        }
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
    fn look(&self) -> LookOutcome {
        match self.served() {
            Some(folder) => self.compare(&folder.dir),
            None => self.open_at_last(),
        }
    }

    fn open_at_last(&self) -> LookOutcome {
        match open_folder(&self.name, &self.path, &self.links) {
            Ok(folder) => {
                *self.folder.write() = Some(folder.with_known(&self.disk.usages));
                self.disk.set_open(true);
                let path = self.path.display();
                tracing::info!(target: "tuffet::store::root", root = %self.name, %path, "the folder of a root that did not answer is open; the root is served from now on");
                LookOutcome::Opened
            }
            Err(error) => {
                let text = error.to_string();
                let mut last = self.disk.not_opened.lock();
                if last.as_ref() != Some(&text) {
                    tracing::warn!(target: "tuffet::store::root", root = %self.name, %error, "a root answers again, but its folder cannot be opened; the server tries again; if the folder is outside of the sandbox, restart the server");
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
        if self.follow && there.is_some() {
            return self.take_the_new_one();
        }
        if !self.disk.replaced.swap(true, Relaxed) {
            let path = self.path.display();
            tracing::warn!(
                target: "tuffet::store::root", root = %self.name, %path,
                "the path of a root leads to another folder than the one that is served, or nowhere: it was replaced or \
                 mounted over since; reload to serve what is there now, or set `follow: true` for this root"
            );
        }
        LookOutcome::Nothing
    }

    fn take_the_new_one(&self) -> LookOutcome {
        match open_folder(&self.name, &self.path, &self.links) {
            Ok(folder) => {
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
