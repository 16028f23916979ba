//! Attacks and accidents, on real folders.

mod in_place;
mod links;
mod origins;
mod uploads;

use std::fs;
use std::io::IoSliceMut;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use super::*;
use tuffet_request::{ClientKey, ErrorCode, Links, RootSpec, UploadRules};

const SECRET: &str = "outside";

/// The served folder `root/`, and beside it a secret and a folder with a name that begins like that of the root.
struct Scene {
    base: TempDir,
}

impl Scene {
    fn new() -> Self {
        let base = tempfile::tempdir().expect("a temporary folder");
        let scene = Self { base };
        fs::create_dir_all(scene.at("root/sub")).expect("folders");
        fs::create_dir(scene.at("root2")).expect("folders");
        fs::write(scene.at("secret"), SECRET).expect("a file");
        fs::write(scene.at("root2/secret"), SECRET).expect("a file");
        fs::write(scene.at("root/boot"), "inside").expect("a file");
        fs::write(scene.at("root/sub/file"), "deeper").expect("a file");
        scene
    }

    fn at(&self, path: &str) -> PathBuf {
        self.base.path().join(path)
    }

    fn spec(&self) -> RootSpec {
        RootSpec { writable: true, max_upload: 1000, ..RootSpec::read_only("boot", self.at("root")) }
    }

    fn roots(&self) -> Roots {
        Roots::open(&[self.spec()]).expect("the root opens")
    }

    fn overwriting(&self) -> Roots {
        Roots::open(&[RootSpec { overwrite: true, ..self.spec() }]).expect("the root opens")
    }

    fn linking(&self, links: Links) -> Roots {
        self.writing(UploadRules { links, ..UploadRules::default() })
    }

    fn writing(&self, write: UploadRules) -> Roots {
        Roots::open(&[RootSpec { overwrite: true, write, ..self.spec() }]).expect("the root opens")
    }

    fn link(&self, target: impl AsRef<Path>, at: &str) {
        symlink(target, self.at(at)).expect("a symbolic link");
    }

    fn temporaries(&self, folder: &str) -> usize {
        let entries = fs::read_dir(self.at(folder)).expect("a folder");
        entries.filter(|entry| is_temporary(&entry.as_ref().expect("an entry").file_name())).count()
    }
}

fn is_temporary(name: &std::ffi::OsStr) -> bool {
    name.to_string_lossy().starts_with(path::RESERVED)
}

fn is_denied(error: &StoreError) -> bool {
    matches!(error, StoreError::Denied(_) | StoreError::LeadsOut { .. })
}

fn content(file: &OpenFile) -> String {
    let mut bytes = vec![0; 64];
    let count = file.read_at(0, &mut [IoSliceMut::new(&mut bytes)]).expect("readable");
    String::from_utf8(bytes[..count].to_vec()).expect("text")
}

fn upload(roots: &Roots, path: &str, text: &str) -> Result<(), StoreError> {
    let upload = roots.create(None, path)?;
    upload.write_at(0, text.as_bytes())?;
    upload.commit()
}

#[test]
fn files_in_a_root_are_read_with_their_size_and_place() {
    let scene = Scene::new();
    let file = scene.roots().open_read(None, "sub/file").expect("it opens");
    assert_eq!((file.size(), file.root(), file.path()), (6, "boot", "sub/file"));

    let (mut head, mut tail) = ([0; 2], [0; 8]);
    let mut buffers = [IoSliceMut::new(&mut head), IoSliceMut::new(&mut tail)];
    assert_eq!(file.read_at(1, &mut buffers).expect("readable"), 5);
    assert_eq!((&head, &tail[..3]), (b"ee", &b"per"[..]));
    assert_eq!(file.read_at(6, &mut [IoSliceMut::new(&mut head)]).expect("readable"), 0);
    assert_eq!(file.read_at(100, &mut [IoSliceMut::new(&mut head)]).expect("readable"), 0);
}

#[test]
fn more_buffers_than_the_kernel_takes_are_a_short_read() {
    let scene = Scene::new();
    fs::write(scene.at("root/big"), vec![7; 2000]).expect("a file");
    let file = scene.roots().open_read(None, "big").expect("it opens");
    let mut bytes = vec![0; 2000];
    let mut buffers: Vec<_> = bytes.chunks_mut(1).map(IoSliceMut::new).collect();
    assert_eq!(file.read_at(0, &mut buffers).expect("readable"), 1024);
}

#[test]
fn no_name_leads_out_of_a_root() {
    let scene = Scene::new();
    scene.link("../secret", "root/relative");
    scene.link(scene.at("secret"), "root/absolute");
    scene.link("..", "root/up");
    scene.link("../root2", "root/sibling");
    scene.link("absolute", "root/chain");
    scene.link("/proc/self/root", "root/magic");
    scene.link("loop", "root/loop");
    let roots = scene.roots();
    let absolute = scene.at("root/boot");
    for path in [
        "../secret",
        "sub/../../secret",
        "..",
        "/etc/passwd",
        "//etc/passwd",
        absolute.to_str().expect("text"),
        "../root2/secret",
        "relative",
        "absolute",
        "up/secret",
        "up/root/boot",
        "sibling/secret",
        "chain",
        "magic/etc/passwd",
        "loop",
        "boot\0",
        "",
        ".",
        "/",
    ] {
        let error = roots.open_read(None, path).expect_err(path);
        assert!(is_denied(&error), "{path}: {error}");
        assert_eq!((error.code(), error.message()), (ErrorCode::AccessViolation, "access denied"));
    }
    for folder in ["..", "up", "sibling", "magic/tmp", "/tmp", "sub/../..", "loop"] {
        let error = roots.create(None, &format!("{folder}/x")).expect_err(folder);
        assert!(is_denied(&error), "{folder}: {error}");
    }
    assert!(!scene.at("x").exists() && !scene.at("root2/x").exists());
}

#[test]
fn links_that_stay_inside_work() {
    let scene = Scene::new();
    scene.link("boot", "root/beside");
    scene.link("../boot", "root/sub/above");
    scene.link("sub", "root/folder");
    let roots = scene.roots();
    for (path, text) in [("beside", "inside"), ("sub/above", "inside"), ("folder/file", "deeper")] {
        assert_eq!(content(&roots.open_read(None, path).expect(path)), text);
    }
    upload(&roots, "folder/new", "up").expect("stored");
    assert_eq!(fs::read(scene.at("root/sub/new")).expect("visible"), b"up");
}

/// A user with write permission in a root swaps a file and a folder for links out of it in a tight loop.
#[test]
fn a_link_swapped_in_a_race_never_leads_out() {
    let scene = Scene::new();
    let roots = scene.overwriting();
    fs::create_dir(scene.at("root2/drop")).expect("a folder");
    let swap = |file: &str, folder: &str| {
        scene.link(file, "root/next-file");
        scene.link(folder, "root/next-folder");
        fs::rename(scene.at("root/next-file"), scene.at("root/file")).expect("swapped");
        fs::rename(scene.at("root/next-folder"), scene.at("root/folder")).expect("swapped");
    };
    swap("boot", "sub");
    assert_eq!(content(&roots.open_read(None, "file").expect("inside")), "inside");

    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..2000 {
                swap("../secret", "../root2/drop");
                swap("boot", "sub");
            }
            over.store(true, Ordering::Relaxed);
        });
        for round in 0_u32.. {
            if let Ok(file) = roots.open_read(None, "file") {
                assert_eq!(content(&file), "inside");
            }
            if let Ok(file) = roots.open_read(None, "folder/file") {
                assert_eq!(content(&file), "deeper");
            }
            if round.is_multiple_of(8) {
                let _ = upload(&roots, "folder/uploaded", "up");
            }
            if over.load(Ordering::Relaxed) {
                break;
            }
        }
    });

    assert_eq!(fs::read_dir(scene.at("root2/drop")).expect("a folder").count(), 0);
    swap("../secret", "../root2/drop");
    assert!(roots.open_read(None, "file").is_err_and(|error| is_denied(&error)));
}

#[test]
fn only_regular_files_are_read_or_replaced() {
    let scene = Scene::new();
    let fifo = scene.at("root/fifo");
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, 0o644.into(), 0).expect("a FIFO");
    let _socket = std::os::unix::net::UnixListener::bind(scene.at("root/socket")).expect("a socket");
    let roots = scene.overwriting();
    for path in ["fifo", "socket", "sub"] {
        let error = roots.open_read(None, path).expect_err(path);
        assert!(matches!(error, StoreError::NotRegular(_)), "{path}: {error}");
        let error = roots.create(None, path).expect_err(path);
        assert!(matches!(error, StoreError::NotRegular(_)), "{path}: {error}");
    }
    let devices = Roots::open(&[RootSpec { path: "/dev".into(), ..scene.spec() }]).expect("/dev");
    let error = devices.open_read(None, "null").expect_err("a device");
    assert!(matches!(error, StoreError::NotRegular("a device")), "{error}");
}

#[test]
fn roots_are_searched_in_order_and_named_exactly() {
    let scene = Scene::new();
    let second = RootSpec { name: "second".into(), path: scene.at("root2"), writable: false, ..scene.spec() };
    let roots = Roots::open(&[scene.spec(), second]).expect("both open");
    fs::write(scene.at("root2/boot"), "second").expect("a file");
    assert_eq!(content(&roots.open_read(None, "boot").expect("first")), "inside");
    assert_eq!(roots.open_read(None, "secret").expect("only in the second").root(), "second");
    assert_eq!(content(&roots.open_read(Some("second"), "boot").expect("named")), "second");

    assert!(matches!(roots.open_read(Some("boot"), "secret"), Err(StoreError::NotFound)));
    assert!(matches!(roots.open_read(None, "nowhere"), Err(StoreError::NotFound)));
    assert!(matches!(roots.open_read(None, "boot/under-a-file"), Err(StoreError::NotFound)));
    assert!(matches!(roots.open_read(Some("third"), "boot"), Err(StoreError::UnknownRoot(_))));
    assert!(matches!(roots.create(Some("second"), "new"), Err(StoreError::ReadOnly)));
    assert_eq!(roots.create(None, "new").expect("the writable one").root(), "boot");
}

#[test]
fn a_missing_root_says_which_and_how_to_mend_it() {
    let scene = Scene::new();
    for (path, cause) in [("none", "No such file"), ("secret", "Not a directory")] {
        let error = Roots::open(&[RootSpec { path: scene.at(path), ..scene.spec() }]).expect_err(path);
        let text = error.to_string();
        assert!(text.contains("root `boot`") && text.contains(cause) && text.contains("create it"), "{text}");
    }
}

#[test]
fn a_file_that_changes_under_a_transfer_is_noticed() {
    let scene = Scene::new();
    let path = scene.at("root/boot");
    let long_ago = SystemTime::now() - Duration::from_secs(3600);
    let open = || {
        fs::write(&path, "inside").expect("a file");
        let file = fs::File::options().write(true).open(&path).expect("a file");
        file.set_modified(long_ago).expect("an old file");
        (scene.roots().open_read(None, "boot").expect("it opens"), file)
    };

    let (opened, _) = open();
    assert!(opened.unchanged().expect("a stat"));

    let (opened, file) = open();
    file.set_len(2).expect("truncated");
    assert!(!opened.unchanged().expect("a stat"));
    assert_eq!(opened.read_at(0, &mut [IoSliceMut::new(&mut [0; 6])]).expect("a short read"), 2);
    assert_eq!(opened.size(), 6);

    let (opened, file) = open();
    file.write_all_at(b"more", 6).expect("grown");
    assert_eq!(opened.change().expect("a stat"), Change::Grown);

    let (opened, file) = open();
    file.write_all_at(b"INSIDE", 0).expect("rewritten");
    assert!(!opened.unchanged().expect("a stat"), "same size, other bytes");
}

#[test]
fn metadata_are_no_content() {
    let scene = Scene::new();
    let path = scene.at("root/boot");
    let opened = scene.roots().open_read(None, "boot").expect("it opens");
    let before = fs::metadata(&path).expect("a stat");
    let version = opened.version();
    // The clock of the file system has ticks: change the mode until it advances.
    while fs::metadata(&path).expect("a stat").ctime_nsec() == before.ctime_nsec() {
        fs::set_permissions(&path, before.permissions()).expect("the same mode");
    }
    assert!(opened.unchanged().expect("a stat"));
    let again = scene.roots().open_read(None, "boot").expect("it opens");
    assert_ne!(again.identity(), opened.identity(), "it is read again");
    assert_eq!(again.identity().of_content(), opened.identity().of_content());
    assert_ne!(again.version(), version);
    assert!(again.has_version(&version) || version.starts_with("unsettled-"));
}

/// What was read is still the beginning of the file, or the file was written anew.
#[test]
fn a_file_that_grows_is_told_from_one_that_is_written_anew() {
    let scene = Scene::new();
    let path = scene.at("root/boot");
    for (new, is_whole) in [("inside and more", true), ("INSIDE and more", false), ("ins", false)] {
        fs::write(&path, "inside").expect("a file");
        let opened = scene.roots().open_read(None, "boot").expect("it opens");
        let mut known = Checksum::default();
        known.add(0, b"inside");
        fs::write(&path, new).expect("written");
        let read = opened.read_proven(2, 4, &known, None).expect("it is read");
        assert_eq!(read.map(|ahead| ahead.from(2).to_vec()), is_whole.then(|| b"side".to_vec()), "{new}");
    }
}

#[test]
fn a_replaced_or_removed_file_stays_complete_for_its_readers() {
    let scene = Scene::new();
    let roots = scene.overwriting();
    let old = roots.open_read(None, "boot").expect("it opens");
    upload(&roots, "boot", "replacement").expect("stored");
    assert!(old.unchanged().expect("a stat"));
    assert_eq!(content(&old), "inside");

    let new = roots.open_read(None, "boot").expect("it opens");
    fs::remove_file(scene.at("root/boot")).expect("removed");
    assert!(new.unchanged().expect("a stat"));
    assert_eq!(content(&new), "replacement");
}

/// Files that the kernel knows, and that were looked at a moment ago; everything else is for threads that may wait.
#[test]
fn known_files_are_opened_and_read_without_waiting() {
    let scene = Scene::new();
    scene.link("boot", "root/link");
    scene.link("../secret", "root/out");
    let roots = scene.roots();
    let now = |path: &str| roots.open_now("boot", path, ClientKey::SERVER);
    assert!(now("boot").is_none(), "nothing is known yet");
    let file = roots.open_read(Some("boot"), "boot").expect("it opens");
    assert!(roots.open_read(Some("boot"), "link").is_ok());
    // Not on each file system.
    let Some(again) = now("boot") else { return };
    assert_eq!((content(&again), again.identity()), ("inside".into(), file.identity()));
    assert_eq!(content(&now("link").expect("a link in the root")), "inside");
    for path in ["out", "sub", "sub/file", "nothing", "../secret", "/boot", ""] {
        assert!(now(path).is_none(), "{path}");
    }
    let read = || again.read_ahead_now(2, 4).expect("readable").expect("in memory");
    assert_eq!(
        (read().from(2), &*read().into_bytes(4), &*read().into_bytes(9)),
        (&b"side"[..], &b"de"[..], &b""[..])
    );
    assert!(again.read_ahead_now(2, 5).expect("readable").is_none(), "it is shorter");
    fs::rename(scene.at("root/sub/file"), scene.at("root/boot")).expect("replaced");
    assert!(now("boot").is_none(), "another file has taken its place");
    assert!(again.read_ahead_now(0, 6).expect("readable").is_some(), "the old one is as it was");
    let other = roots.open_read(Some("boot"), "boot").expect("it opens");
    fs::write(scene.at("root/boot"), "deep").expect("written");
    assert!(other.read_ahead_now(0, 4).is_err(), "it has changed");
}
