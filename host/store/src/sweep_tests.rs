//! Sweeps remove abandoned files while uploads continue.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use tempfile::TempDir;

use super::*;
use tuffet_request::RootSpec;

const PART: &str = ".tuffet-0123456789abcdef.part";

fn root(folder: &Path) -> Roots {
    let read_only = RootSpec::read_only("r", folder);
    let spec = RootSpec { writable: true, overwrite: true, max_upload: 1000, ..read_only };
    Roots::open(&[spec]).expect("the root opens")
}

fn sweep(roots: &Roots) -> Swept {
    roots.sweep(|_| true)[0].1
}

#[test]
fn files_in_use_stay_and_abandoned_ones_go() {
    let folder = TempDir::new().expect("a folder");
    let roots = root(folder.path());
    fs::write(folder.path().join(PART), "left").expect("a file");
    let upload = roots.create(None, "up").expect("begun");
    assert_eq!(sweep(&roots), Swept { removed: 1, in_use: 1, ..Swept::default() });
    upload.write_at(0, b"up").expect("written");
    upload.commit().expect("committed");
    assert_eq!(sweep(&roots), Swept::default());
    assert_eq!(fs::read(folder.path().join("up")).expect("visible"), b"up");
    assert!(roots.sweep(|name| name == "another").is_empty());
}

/// Servers that start in a tight loop remove no upload, not even one that is just being created.
#[test]
fn sweeps_beside_uploads() {
    let folder = TempDir::new().expect("a folder");
    let roots = root(folder.path());
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    assert_eq!(sweep(&roots).failed, 0);
                }
            });
        }
        let writers: Vec<_> = (0..2)
            .map(|writer| {
                let roots = &roots;
                scope.spawn(move || {
                    for number in 0..200 {
                        let upload = roots.create(None, &format!("{writer}-{number}")).expect("begun");
                        upload.write_at(0, b"whole").expect("written");
                        upload.commit().expect("committed");
                    }
                })
            })
            .collect();
        let ended: Vec<_> = writers.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
        over.store(true, Ordering::Relaxed);
        ended.into_iter().for_each(|ended| ended.expect("every upload was stored"));
    });
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 400);
}

#[test]
fn the_walk_ends_somewhere() {
    let folder = TempDir::new().expect("a folder");
    let roots = root(folder.path());
    let mut below = folder.path().to_owned();
    for level in 0..40 {
        below.push("f");
        fs::create_dir(&below).expect("a folder");
        if level == 30 || level == 39 {
            fs::write(below.join(PART), "left").expect("a file");
        }
    }
    assert_eq!(sweep(&roots), Swept { removed: 1, cut_short: true, ..Swept::default() });
    assert!(below.join(PART).exists());
}
