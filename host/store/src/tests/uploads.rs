//! Uploads: their visibility, the files that they replace, and the owner of the result.

use super::*;
use tuffet_request::FileMode;

#[test]
fn an_upload_is_invisible_until_committed_and_leaves_nothing_else() {
    let scene = Scene::new();
    let roots = scene.overwriting();
    let upload = roots.create(None, "sub/file").expect("begun");
    upload.write_at(3, b"er").expect("written");
    upload.write_at(0, b"new").expect("written");
    assert_eq!(fs::read(scene.at("root/sub/file")).expect("the old one"), b"deeper");
    assert_eq!(scene.temporaries("root/sub"), 1);
    upload.commit().expect("committed");
    assert_eq!(fs::read(scene.at("root/sub/file")).expect("the new one"), b"newer");
    assert_eq!(scene.temporaries("root/sub"), 0);
    let mode = fs::metadata(scene.at("root/sub/file")).expect("a stat").mode();
    assert_eq!(mode & 0o7133, 0, "at most rw-r--r--, was {mode:o}");

    drop(roots.create(None, "abandoned").expect("begun"));
    assert_eq!(scene.temporaries("root"), 0);
    assert!(!scene.at("root/abandoned").exists());

    upload_empty(&roots);
    assert_eq!(fs::read(scene.at("root/empty")).expect("visible"), b"");
}

fn upload_empty(roots: &Roots) {
    roots.create(None, "empty").expect("begun").commit().expect("committed");
}

#[test]
fn an_existing_file_is_kept_unless_the_root_overwrites() {
    let scene = Scene::new();
    let roots = scene.roots();
    assert!(matches!(roots.create(None, "boot"), Err(StoreError::Exists)));

    let (first, second) = (roots.create(None, "new"), roots.create(None, "new"));
    let (first, second) = (first.expect("begun"), second.expect("begun"));
    first.write_at(0, b"first").expect("written");
    second.write_at(0, b"second").expect("written");
    second.commit().expect("it came first");
    assert!(matches!(first.commit(), Err(StoreError::Exists)));
    assert_eq!(fs::read(scene.at("root/new")).expect("visible"), b"second");
    assert_eq!(scene.temporaries("root"), 0);

    let roots = scene.overwriting();
    let (first, second) = (roots.create(None, "new"), roots.create(None, "new"));
    let (first, second) = (first.expect("begun"), second.expect("begun"));
    second.commit().expect("committed");
    first.write_at(0, b"later").expect("written");
    first.commit().expect("the later commit wins");
    assert_eq!(fs::read(scene.at("root/new")).expect("visible"), b"later");
}

/// Two opened roots have separate locks, as in two processes.
#[test]
fn two_processes_lose_no_acknowledged_upload() {
    let scene = Scene::new();
    let versions = Some(tuffet_request::Versions { keep: 100, names: tuffet_request::VersionNames::Number });
    let open = || scene.writing(UploadRules { versions, ..UploadRules::default() });
    std::thread::scope(|scope| {
        for (which, process) in [open(), open()].into_iter().enumerate() {
            for thread in 0..2 {
                let process = process.clone();
                scope.spawn(move || {
                    for number in 0..10 {
                        let text = format!("{which} {thread} {number}");
                        upload(&process, "sub/file", &text).expect("stored");
                    }
                });
            }
        }
    });
    let contents: std::collections::BTreeSet<String> = fs::read_dir(scene.at("root/sub"))
        .expect("a folder")
        .map(|entry| fs::read_to_string(entry.expect("an entry").path()).expect("text"))
        .collect();
    assert_eq!(contents.len(), 41, "all of them, and the first one: {contents:?}");
}

#[test]
fn an_upload_leaves_links_out_of_the_root_alone() {
    let scene = Scene::new();
    scene.link("../secret", "root/link");
    assert!(matches!(scene.roots().create(None, "link"), Err(StoreError::Exists)));
    for links in [Links::Refuse, Links::Follow] {
        let error = upload(&scene.linking(links), "link", "mine").expect_err("refused");
        assert!(is_denied(&error), "{error}");
    }
    assert!(scene.at("root/link").is_symlink());
    upload(&scene.linking(Links::Replace), "link", "mine").expect("stored");
    assert_eq!(fs::read_to_string(scene.at("secret")).expect("untouched"), SECRET);
    assert_eq!(fs::read_to_string(scene.at("root/link")).expect("visible"), "mine");
    assert!(fs::symlink_metadata(scene.at("root/link")).expect("a stat").is_file());
}

/// The check at the start is a courtesy to the client; the check at the end decides.
#[test]
fn a_link_that_takes_the_name_meanwhile_stops_the_commit() {
    let scene = Scene::new();
    for links in [Links::Refuse, Links::Follow] {
        let upload = scene.linking(links).create(None, "late").expect("begun");
        scene.link("../secret", "root/late");
        assert!(matches!(upload.commit(), Err(StoreError::Denied(_))));
        assert_eq!((scene.temporaries("root"), scene.at("root/late").is_symlink()), (0, true));
        fs::remove_file(scene.at("root/late")).expect("removed");
    }
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).expect("a stat").mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
}

/// The file at the start does not matter.
#[test]
fn the_file_at_the_commit_gives_its_permissions() {
    let scene = Scene::new();
    let roots = scene.overwriting();
    let (boot, late) = (scene.at("root/boot"), scene.at("root/late"));
    fs::write(&late, "").expect("a file");
    let of_new_files = mode(&late) & 0o644;

    // Its permissions change during the upload.
    let upload = roots.create(None, "boot").expect("begun");
    set_mode(&boot, 0o610);
    upload.commit().expect("stored");
    assert_eq!(mode(&boot), 0o610);

    // It is removed during the upload, or the upload becomes visible elsewhere.
    let upload = roots.create(None, "boot").expect("begun");
    fs::remove_file(&boot).expect("removed");
    upload.commit().expect("stored");
    assert_eq!(mode(&boot), of_new_files);
    let mut upload = roots.create(None, "boot").expect("begun");
    roots.redirect(&mut upload, "sub/elsewhere").expect("a folder");
    upload.commit().expect("stored");
    assert_eq!(mode(&scene.at("root/sub/elsewhere")), of_new_files);
    set_mode(&late, 0o606);
    let mut upload = roots.create(None, "fresh").expect("begun");
    roots.redirect(&mut upload, "late").expect("a file");
    upload.commit().expect("stored");
    assert_eq!(mode(&late), 0o606);

    // It is created during the upload.
    let upload = roots.create(None, "fresh").expect("begun");
    fs::write(scene.at("root/fresh"), "").expect("a file");
    set_mode(&scene.at("root/fresh"), 0o640);
    upload.commit().expect("stored");
    assert_eq!((mode(&scene.at("root/fresh")), scene.temporaries("root")), (0o640, 0));
}

/// As for a server that stays root with its capabilities.
#[test]
fn owner_and_group_stay_where_the_system_lets_us() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let scene = Scene::new();
    let path = scene.at("root/boot");
    std::os::unix::fs::chown(&path, Some(1234), Some(4321)).expect("root may");
    set_mode(&path, 0o2664);
    upload(&scene.overwriting(), "boot", "new").expect("stored");
    let about = fs::metadata(&path).expect("a stat");
    assert_eq!((about.uid(), about.gid(), about.mode() & 0o7777), (1234, 4321, 0o664));
    assert_eq!(fs::read_to_string(&path).expect("visible"), "new");
}

#[test]
fn the_mode_of_new_files_is_that_of_the_root() {
    let scene = Scene::new();
    for overwrite in [false, true] {
        let write = UploadRules { mode: Some(FileMode(0o606)), ..UploadRules::default() };
        let spec = RootSpec { overwrite, write, ..scene.spec() };
        let roots = Roots::open(&[spec]).expect("the root opens");
        upload(&roots, "new", "new").expect("stored");
        assert_eq!(mode(&scene.at("root/new")), 0o606);
        fs::remove_file(scene.at("root/new")).expect("removed");
    }
}

#[test]
fn a_file_that_may_not_be_created_is_not_created_at_the_end_either() {
    let scene = Scene::new();
    let roots = scene.writing(UploadRules { create: false, ..UploadRules::default() });
    let error = roots.create(None, "new").expect_err("not there");
    assert!(matches!(error, StoreError::NotCreated), "{error}");
    assert_eq!((error.code(), error.message()), (ErrorCode::FileNotFound, "file not found"));
    upload(&roots, "boot", "new").expect("it is there");
    let begun = roots.create(None, "boot").expect("it is there");
    fs::remove_file(scene.at("root/boot")).expect("removed");
    let error = begun.commit().expect_err("it has gone");
    assert!(matches!(error, StoreError::NotCreated), "{error}");
    assert!(!scene.at("root/boot").exists());
    assert_eq!(scene.temporaries("root"), 0);
}

#[test]
fn permissions_that_change_meanwhile_count_at_the_end() {
    let scene = Scene::new();
    let spec = RootSpec { overwrite: true, world_readable: true, ..scene.spec() };
    let roots = Roots::open(&[spec]).expect("it opens");
    let path = scene.at("root/boot");
    set_mode(&path, 0o644);
    let refused = |error: StoreError| {
        assert!(matches!(error, StoreError::NotPublic { access: "write", mode: 0o644 }), "{error}");
        assert_eq!(error.code(), ErrorCode::AccessViolation);
    };
    refused(roots.create(None, "boot").expect_err("others may not write it"));
    set_mode(&path, 0o646);
    let begun = roots.create(None, "boot").expect("others may write it");
    set_mode(&path, 0o644);
    refused(begun.commit().expect_err("others may not write it any more"));
    upload(&roots, "new", "new").expect("a new file needs nothing");
}

#[test]
fn a_folder_that_takes_the_name_meanwhile_stops_the_commit() {
    let scene = Scene::new();
    for roots in [scene.roots(), scene.overwriting()] {
        let upload = roots.create(None, "late").expect("begun");
        fs::create_dir(scene.at("root/late")).expect("a folder");
        let error = upload.commit().expect_err("taken");
        assert!(matches!(error, StoreError::Exists | StoreError::NotRegular("a folder")), "{error}");
        assert_eq!(scene.temporaries("root"), 0);
        fs::remove_dir(scene.at("root/late")).expect("removed");
    }
}

#[test]
fn an_upload_stops_at_its_limit() {
    let scene = Scene::new();
    let mut upload = scene.roots().create(None, "big").expect("begun");
    upload.write_at(0, &[1; 1000]).expect("exactly the limit");
    for (offset, length) in [(1000, 1), (0, 1001), (u64::MAX, 1), (u64::MAX - 1, 512)] {
        let error = upload.write_at(offset, &vec![0; length]).expect_err("over the limit");
        assert!(matches!(error, StoreError::TooLarge { limit: 1000 }), "{error}");
        assert_eq!(error.code(), ErrorCode::DiskFull);
    }
    upload.lower_limit(5000);
    assert_eq!(upload.limit(), 1000);
    upload.lower_limit(10);
    assert!(upload.write_at(0, &[0; 11]).is_err());
}

#[test]
fn an_upload_that_cannot_be_created_gives_the_reason() {
    let scene = Scene::new();
    let roots = scene.roots();
    assert!(matches!(roots.create(None, "no/such/folder"), Err(StoreError::NoFolder(_))));
    assert!(matches!(roots.create(None, "boot/x"), Err(StoreError::NoFolder(_))));
    assert!(matches!(roots.create(None, &"n".repeat(256)), Err(StoreError::Denied(_))));
    assert!(matches!(roots.create(None, ".tuffet-0123456789abcdef.part"), Err(StoreError::Denied(_))));
    assert!(matches!(roots.open_read(None, ".tuffet-x/y"), Err(StoreError::Denied(_))));
    let closed = Roots::open(&[RootSpec { writable: false, ..scene.spec() }]).expect("it opens");
    let error = closed.create(None, "new").expect_err("read only");
    assert!(matches!(error, StoreError::ReadOnly));
    let denial = error.denial();
    assert_eq!((denial.code, &*denial.message), (ErrorCode::AccessViolation, "uploads are not allowed"));
    assert!(denial.reason.contains("writable: false"), "{}", denial.reason);
}
