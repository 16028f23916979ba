//! Uploads that are written into the file that is there. In a sticky folder of somebody else, not even root replaces the file
//! of a third user here.

use super::*;
use crate::staging::{Record, Staging};
use std::os::unix::fs::chown;
use tuffet_request::{VersionNames, Versions};

/// A folder `root/theirs` with a file that may be written and not be replaced; `None` without root.
fn prepared() -> Option<Scene> {
    if !rustix::process::geteuid().is_root() {
        return None;
    }
    let scene = Scene::new();
    let (folder, file) = (scene.at("root/theirs"), scene.at("root/theirs/sw1"));
    fs::create_dir(&folder).expect("a folder");
    fs::write(&file, "the old content").expect("a file");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).expect("a mode");
    chown(&file, Some(1235), Some(1235)).expect("root may");
    chown(&folder, Some(1234), Some(1234)).expect("root may");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o1777)).expect("a mode");
    Some(scene)
}

impl Scene {
    fn in_place(&self) -> RootSpec {
        RootSpec { overwrite: true, staging: Some(self.at("state/uploads")), ..self.spec() }
    }

    /// The names where uploads wait.
    fn waiting(&self) -> Vec<String> {
        let entries = fs::read_dir(self.at("state/uploads")).expect("a folder");
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect()
    }

    /// Content, inode and owner of the file.
    fn sw1(&self) -> (String, u64, u32) {
        let about = fs::metadata(self.at("root/theirs/sw1")).expect("a stat");
        let content = fs::read_to_string(self.at("root/theirs/sw1")).expect("text");
        (content, about.ino(), about.uid())
    }
}

#[test]
fn the_file_gets_another_content_and_stays() {
    let Some(scene) = prepared() else { return };
    let roots = Roots::open(&[scene.in_place()]).expect("it opens");
    let (_, inode, owner) = scene.sw1();
    for text in ["new", "a new content that is longer than the old one", ""] {
        let begun = roots.create(None, "theirs/sw1").expect("begun");
        begun.write_at(0, text.as_bytes()).expect("written");
        assert_eq!((scene.temporaries("root/theirs"), scene.waiting().len()), (0, 1));
        begun.commit().expect("committed");
        assert_eq!(scene.sw1(), (text.to_owned(), inode, owner));
        assert_eq!(scene.waiting(), [""; 0]);
    }
    drop(roots.create(None, "theirs/sw1").expect("begun"));
    assert_eq!(scene.waiting(), [""; 0]);
    assert_eq!(roots.judge("boot", "theirs/sw1").expect("allowed"), 1000);

    // Elsewhere the new file takes the name, as ever.
    let before = fs::metadata(scene.at("root/boot")).expect("a stat").ino();
    upload(&roots, "boot", "new").expect("stored");
    assert_ne!(fs::metadata(scene.at("root/boot")).expect("a stat").ino(), before);
    upload(&roots, "theirs/sw2", "new").expect("a new file needs nobody's permission here");
}

#[test]
fn a_version_is_a_copy() {
    let Some(scene) = prepared() else { return };
    let mut spec = scene.in_place();
    spec.write.versions = Some(Versions { keep: 2, names: VersionNames::Number });
    let roots = Roots::open(&[spec]).expect("it opens");
    for text in ["second", "third", "fourth"] {
        upload(&roots, "theirs/sw1", text).expect("stored");
    }
    let read = |name: &str| fs::read_to_string(scene.at("root/theirs").join(name)).expect(name);
    assert_eq!([read("sw1"), read("sw1.~3~"), read("sw1.~2~")], ["fourth", "third", "second"]);
    assert!(!scene.at("root/theirs/sw1.~1~").exists());
}

/// A plugin names another file, or the file has gone meanwhile.
#[test]
fn an_upload_that_ends_elsewhere_leaves_the_place_where_it_waits() {
    let Some(scene) = prepared() else { return };
    let roots = Roots::open(&[scene.in_place()]).expect("it opens");
    let begun = |path: &str| {
        let begun = roots.create(None, path).expect("begun");
        begun.write_at(0, b"new").expect("written");
        begun
    };
    let mut upload = begun("theirs/sw1");
    roots.redirect(&mut upload, "sub/new").expect("a folder");
    upload.commit().expect("stored");
    let about = fs::metadata(scene.at("root/sub/new")).expect("a stat");
    assert_eq!((about.len(), about.mode() & 0o777 & !0o022), (3, 0o644));
    let mut upload = begun("boot");
    roots.redirect(&mut upload, "theirs/sw1").expect("a file");
    upload.commit().expect("stored");
    assert_eq!((scene.sw1().0.as_str(), scene.sw1().2), ("new", 1235));
    let taken = roots
        .commit_as_free(begun("theirs/sw1"), &Destination { path: "theirs/sw1".into(), next_free: true })
        .expect("stored");
    assert_eq!(taken, "theirs/sw1.1");
    let upload = begun("theirs/sw1");
    fs::remove_file(scene.at("root/theirs/sw1")).expect("removed");
    upload.commit().expect("stored");
    assert_eq!(fs::read(scene.at("root/theirs/sw1")).expect("visible"), b"new");
    assert_eq!(scene.waiting(), [""; 0]);
    assert_eq!([scene.temporaries("root"), scene.temporaries("root/theirs")], [0, 0]);
}

/// Leaves what a crash leaves while an upload is written in place.
fn crash(scene: &Scene, inode: u64) {
    let staged = Staging::new(scene.at("state/uploads")).create().expect("a file");
    staged.file.write_all_at(b"the whole new content", 0).expect("written");
    // With `fs.protected_regular`, not even root opens this file with O_CREAT.
    let file = fs::OpenOptions::new().write(true).truncate(true).open(scene.at("root/theirs/sw1"));
    file.and_then(|file| file.write_all_at(b"the whold content", 0)).expect("a mixture");
    let record =
        Record { root: "boot".into(), path: "theirs/sw1".into(), inode, size: 21, staged: staged.name };
    record.write(&staged.folder).expect("written");
}

#[test]
fn what_a_crash_interrupts_is_finished_by_the_next_start() {
    let Some(scene) = prepared() else { return };
    let (_, inode, owner) = scene.sw1();
    let start = || Roots::open(&[scene.in_place()]).expect("it opens").sweep(|_| true);
    crash(&scene, inode);
    // An upload that nobody writes, and that no record names.
    fs::write(scene.at("state/uploads/.tuffet-0123456789abcdef.part"), "left").expect("a file");
    start();
    assert_eq!(scene.sw1(), ("the whole new content".to_owned(), inode, owner));
    assert_eq!(scene.waiting(), [""; 0]);

    // Another file has its name: that stays as it is.
    crash(&scene, inode + 1);
    start();
    assert_eq!(scene.sw1().0, "the whold content");
    assert_eq!(scene.waiting(), [""; 0]);

    // A later upload counts, not the one that was interrupted.
    crash(&scene, inode);
    let roots = Roots::open(&[scene.in_place()]).expect("it opens");
    upload(&roots, "theirs/sw1", "later").expect("stored");
    start();
    assert_eq!((scene.sw1().0.as_str(), scene.waiting().len()), ("later", 0));
}

#[test]
fn a_folder_to_wait_in_that_cannot_be_used_is_named() {
    let Some(scene) = prepared() else { return };
    fs::write(scene.at("state"), "a file").expect("a file");
    let roots = Roots::open(&[scene.in_place()]).expect("it opens");
    let error = roots.create(None, "theirs/sw1").expect_err("nowhere to wait");
    assert!(error.to_string().contains("state/uploads until it is complete"), "{error}");
    assert_eq!((error.code(), error.message()), (ErrorCode::NotDefined, "server error"));
    assert_eq!(scene.sw1().0, "the old content");
}
