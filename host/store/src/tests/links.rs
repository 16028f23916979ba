//! Links: those that stay in their root, those into the folders that it allows, and attacks by them.

use super::*;
use tuffet_request::{Case, FolderQuota, LinkFolder, NewFolders, Quota, UploadRules};

/// Beside the root: a folder that it allows, one that it does not, and another root with a folder that it allows.
struct Linked {
    scene: Scene,
    roots: Roots,
}

impl Linked {
    fn new(change: impl FnOnce(RootSpec) -> RootSpec) -> Linked {
        let scene = Scene::new();
        for (path, text) in
            [("images/deep/iso", "image"), ("forbidden/file", SECRET), ("root2/shared/f", "shared")]
        {
            fs::create_dir_all(scene.at(path).parent().expect("a folder")).expect("folders");
            fs::write(scene.at(path), text).expect("a file");
        }
        let link_folders = ["images", "root2/shared", "missing"]
            .map(|name| LinkFolder { path: scene.at(name), answers: true })
            .to_vec();
        let spec = RootSpec { link_folders, overwrite: true, ..scene.spec() };
        let roots = Roots::open(&[change(spec)]).expect("the root opens");
        Linked { scene, roots }
    }

    fn link(&self, target: impl AsRef<Path>, at: &str) {
        self.scene.link(target, at);
    }

    fn read(&self, path: &str) -> Result<(String, Option<PathBuf>), StoreError> {
        let file = self.roots.open_read(None, path)?;
        Ok((content(&file), file.link_folder().map(Path::to_owned)))
    }

    #[track_caller]
    fn assert_reads(&self, path: &str, text: &str, folder: Option<&str>) {
        let read = self.read(path).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert_eq!(read, (text.to_owned(), folder.map(|folder| self.scene.at(folder))), "{path}");
    }
}

#[test]
fn absolute_links_into_the_root_are_followed() {
    let linked = Linked::new(|spec| RootSpec { link_folders: Vec::new(), ..spec });
    let scene = &linked.scene;
    linked.link(scene.at("root/boot"), "root/file");
    linked.link(scene.at("root/sub"), "root/folder");
    linked.link(scene.at("root/folder/../boot"), "root/roundabout");
    linked.link(scene.at("root"), "root/sub/top");
    linked.link("file", "root/chain");
    linked.link(scene.at("root/./sub//file"), "root/odd");
    for (path, text) in [
        ("file", "inside"),
        ("folder/file", "deeper"),
        ("roundabout", "inside"),
        ("sub/top/boot", "inside"),
        ("folder/top/folder/top/chain", "inside"),
        ("odd", "deeper"),
    ] {
        linked.assert_reads(path, text, None);
    }
    upload(&linked.roots, "folder/new", "up").expect("stored");
    assert_eq!(fs::read(scene.at("root/sub/new")).expect("visible"), b"up");
    for (path, is_there) in [("folder/none", false), ("file/under-a-file", false)] {
        assert!(matches!(linked.read(path), Err(StoreError::NotFound)) != is_there, "{path}");
    }
    assert!(matches!(linked.read("folder"), Err(StoreError::NotRegular("a folder"))));
}

/// The root may be reached by a link, too; its links may name either path.
#[test]
fn both_paths_of_a_root_count() {
    let scene = Scene::new();
    symlink(scene.at("root"), scene.at("alias")).expect("a link");
    scene.link(scene.at("alias/boot"), "root/by-alias");
    scene.link(scene.at("root/boot"), "root/by-path");
    let roots = Roots::open(&[RootSpec { path: scene.at("alias"), ..scene.spec() }]).expect("it opens");
    for path in ["by-alias", "by-path"] {
        assert_eq!(content(&roots.open_read(None, path).expect(path)), "inside");
    }
}

#[test]
fn links_into_allowed_folders_are_followed() {
    let linked = Linked::new(|spec| spec);
    let scene = &linked.scene;
    linked.link(scene.at("images/deep/iso"), "root/absolute");
    linked.link("../images/deep/iso", "root/relative");
    linked.link("../../images/deep", "root/sub/folder");
    linked.link("../images", "root/images");
    linked.link(scene.at("root2/shared/f"), "root/shared");
    // Links in links: within the folder, from one folder to another, and back into the root.
    linked.link("deep/iso", "images/within");
    linked.link(scene.at("root2/shared"), "images/other");
    linked.link("../root/boot", "images/back");
    for (path, text, folder) in [
        ("absolute", "image", Some("images")),
        ("relative", "image", Some("images")),
        ("sub/folder/iso", "image", Some("images")),
        ("images/deep/iso", "image", Some("images")),
        ("shared", "shared", Some("root2/shared")),
        ("images/within", "image", None),
        ("images/other/f", "shared", Some("root2/shared")),
        ("images/back", "inside", None),
    ] {
        let folder = if path == "images/within" { Some("images") } else { folder };
        linked.assert_reads(path, text, folder);
    }
    assert_eq!(linked.roots.look_up("boot", "absolute").expect("found").size, 5);
}

#[test]
fn links_that_lead_elsewhere_are_refused_and_named() {
    let linked = Linked::new(|spec| spec);
    let scene = &linked.scene;
    linked.link(scene.at("forbidden/file"), "root/sub/out");
    linked.link("..", "root/up");
    linked.link("../forbidden", "images/out");
    linked.link(scene.at("images/../forbidden/file"), "root/around");
    linked.link(scene.at("images2/f"), "root/alike");
    linked.link("../forbidden/../images/deep/iso", "root/by-another-folder");
    linked.link("/proc/self/root", "root/magic");
    linked.link("/proc/self/fd/0", "root/descriptor");
    linked.link("/", "root/slash");
    linked.link("../images", "root/images");
    linked.link("ping", "root/pong");
    linked.link(scene.at("root/pong"), "root/ping");
    linked.link(scene.at("root2"), "root/other-root");
    for path in [
        "sub/out",
        "up/secret",
        // No link leads there: the client would.
        "up/images/deep/iso",
        "up/root/boot",
        "slash/etc/passwd",
        "images/out/file",
        "around",
        "alike",
        "by-another-folder",
        "magic/etc/passwd",
        "descriptor",
        "ping",
        "other-root/secret",
    ] {
        let error = linked.read(path).expect_err(path);
        assert!(is_denied(&error), "{path}: {error}");
        assert_eq!((error.code(), error.message()), (ErrorCode::AccessViolation, "access denied"), "{path}");
    }
    let said = |path: &str| linked.read(path).expect_err(path).to_string();
    let (file, folder) = (scene.at("forbidden/file"), scene.at("forbidden"));
    let due = format!("the link `sub/out` leads out of its root, to {};", file.display());
    assert!(said("sub/out").starts_with(&due), "{}", said("sub/out"));
    let remedy = format!("allow links into {} (`links` of the root)", folder.display());
    assert!(said("sub/out").ends_with(&remedy));
    let link = scene.at("images/out");
    let due = format!("the link `{}` leads out of its root, to {}", link.display(), folder.display());
    assert!(said("images/out/file").starts_with(&due), "{}", said("images/out/file"));
    assert!(said("images/out/file").ends_with(&remedy));
}

/// As with a missing file, and found within some seconds.
#[test]
fn a_missing_folder_is_named_and_opened_when_it_is_there() {
    let linked = Linked::new(|spec| spec);
    linked.link(linked.scene.at("missing/f"), "root/later");
    let error = linked.read("later").expect_err("missing");
    let due = format!("the link `later` leads into {}", linked.scene.at("missing").display());
    assert!(error.to_string().starts_with(&due), "{error}");
    assert_eq!((error.code(), error.message()), (ErrorCode::FileNotFound, "file not found"));
    fs::create_dir(linked.scene.at("missing")).expect("a folder");
    fs::write(linked.scene.at("missing/f"), "late").expect("a file");
    linked.roots.roots[0].links.look("boot", false);
    linked.assert_reads("later", "late", Some("missing"));
}

#[test]
fn a_replaced_folder_is_followed_if_the_root_says_so() {
    for follow in [false, true] {
        let linked = Linked::new(|spec| spec);
        linked.link(linked.scene.at("images/deep/iso"), "root/iso");
        fs::rename(linked.scene.at("images"), linked.scene.at("before")).expect("moved");
        fs::create_dir_all(linked.scene.at("images/deep")).expect("folders");
        fs::write(linked.scene.at("images/deep/iso"), "new").expect("a file");
        linked.roots.roots[0].links.look("boot", follow);
        linked.assert_reads("iso", if follow { "new" } else { "image" }, Some("images"));
    }
}

#[test]
fn uploads_go_nowhere_but_into_the_root() {
    let write_rules = |spec| RootSpec {
        write: UploadRules {
            links: Links::Follow,
            folders: Some(NewFolders { depth: 4, count: 100 }),
            quota: Quota {
                per_folder: FolderQuota { bytes: Some(1000), ..FolderQuota::default() },
                ..Quota::default()
            },
            ..UploadRules::default()
        },
        ..spec
    };
    let linked = Linked::new(write_rules);
    let scene = &linked.scene;
    linked.link(scene.at("images"), "root/images");
    linked.link(scene.at("images/deep/iso"), "root/iso");
    linked.link(scene.at("root/boot"), "root/own");
    linked.link(scene.at("root/sub"), "root/folder");
    for path in ["images/new", "images/deep/iso", "images/made/new", "iso"] {
        let error = upload(&linked.roots, path, "mine").expect_err(path);
        assert!(matches!(error, StoreError::Denied(_)), "{path}: {error}");
        assert!(linked.roots.judge("boot", path).is_err(), "{path}");
    }
    assert_eq!(fs::read(scene.at("images/deep/iso")).expect("unchanged"), b"image");
    assert_eq!(fs::read_dir(scene.at("images")).expect("a folder").count(), 1);
}

/// With `write.links: follow`, the file that an absolute link leads to is replaced, and the link stays.
#[test]
fn an_upload_follows_an_absolute_link_in_its_root() {
    let linked = Linked::new(|mut spec| {
        spec.write.links = Links::Follow;
        spec
    });
    linked.link(linked.scene.at("root/sub/file"), "root/own");
    upload(&linked.roots, "own", "mine").expect("stored");
    assert_eq!(fs::read(linked.scene.at("root/sub/file")).expect("replaced"), b"mine");
    assert!(fs::symlink_metadata(linked.scene.at("root/own")).expect("there").is_symlink());
}

/// Look-ups for roots whose names match regardless of case go through the same links.
#[test]
fn names_in_any_case_are_found_behind_links() {
    let linked = Linked::new(|spec| RootSpec { case: Case::Insensitive, ..spec });
    linked.link(linked.scene.at("images"), "root/Images");
    let stored = linked.roots.stored("boot", "IMAGES/Deep/ISO", Sought::File, Reach::Origin).expect("found");
    assert_eq!(stored, Some(Stored::At("Images/deep/iso".into())));
    linked.assert_reads("Images/deep/iso", "image", Some("images"));
    assert!(matches!(linked.read("IMAGES/deep/iso"), Err(StoreError::NotFound | StoreError::Spelling)));
    let absence = linked.roots.absence("boot", "Images/deep/Iso", Sought::File);
    assert_eq!(absence.other_case.as_deref(), Some("Images/deep/iso"));
}

#[test]
fn nothing_but_regular_files_is_read_behind_links() {
    let linked = Linked::new(|mut spec| {
        spec.link_folders.push(LinkFolder { path: "/dev".into(), answers: true });
        spec
    });
    let fifo = linked.scene.at("images/fifo");
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, 0o644.into(), 0).expect("a FIFO");
    linked.link(&fifo, "root/fifo");
    linked.link("/dev/null", "root/null");
    linked.link(linked.scene.at("images/deep"), "root/deep");
    for path in ["fifo", "null", "deep"] {
        let error = linked.read(path).expect_err(path);
        assert!(matches!(error, StoreError::NotRegular(_)), "{path}: {error}");
    }
}

/// Somebody with write permission in the root, and in the folder, swaps links as fast as they can.
#[test]
fn links_swapped_in_a_race_never_lead_elsewhere() {
    let linked = Linked::new(|spec| spec);
    let scene = &linked.scene;
    let swap = |target: &Path, at: &str| {
        scene.link(target, "root/next");
        fs::rename(scene.at("root/next"), scene.at(at)).expect("swapped");
    };
    let (image, folder) = (scene.at("images/deep/iso"), scene.at("images/deep"));
    let (secret, forbidden) = (scene.at("forbidden/file"), scene.at("forbidden"));
    fs::write(scene.at("forbidden/iso"), SECRET).expect("a file");
    swap(&image, "root/file");
    swap(&folder, "root/folder");
    swap(&folder, "images/inner");
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0..2000 {
                let is_bad = round % 2 == 0;
                swap(if is_bad { &secret } else { &image }, "root/file");
                swap(if is_bad { &forbidden } else { &folder }, "root/folder");
                swap(if is_bad { Path::new("../forbidden") } else { Path::new("deep") }, "images/inner");
                let _ = fs::remove_file(scene.at("root/file"));
                fs::write(scene.at("root/file"), "plain").expect("a file");
            }
            over.store(true, Ordering::Relaxed);
        });
        while !over.load(Ordering::Relaxed) {
            for path in ["file", "folder/iso"] {
                if let Ok((text, _)) = linked.read(path) {
                    assert_ne!(text, SECRET);
                }
            }
        }
    });
}

/// As the kernel, which counts the links of a path.
#[test]
fn a_path_has_a_bounded_number_of_links() {
    let linked = Linked::new(|spec| spec);
    linked.link(linked.scene.at("images/deep/iso"), "root/0");
    for number in 1..60 {
        linked.link(linked.scene.at(&format!("root/{}", number - 1)), &format!("root/{number}"));
    }
    linked.assert_reads("39", "image", Some("images"));
    assert!(matches!(linked.read("40"), Err(StoreError::Denied("too many symbolic links"))));
    let deep = "d/".repeat(80);
    fs::create_dir_all(linked.scene.at("images").join(&deep)).expect("folders");
    linked.link(linked.scene.at("images").join(&deep).join("f"), "root/deep");
    assert!(matches!(linked.read("deep"), Err(StoreError::Denied(_))));
}
