//! The cache of compiled code: used only if unchanged since it was written.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use super::code_cache::CodeCache;
use super::*;

/// Loads the plugin as a new process would. Returns the numbers of components from the folder and of compiled ones.
async fn load_afresh(folder: &Path) -> (usize, usize) {
    let runtime = PolicyRuntime::new(Some(folder)).unwrap();
    let spec = authorizers(vec![acl("acl", json!({ "deny": [{}] }))]);
    let policy = runtime.load(&spec).await.unwrap_or_else(|wrong| unreachable!("{wrong:?}"));
    assert_eq!(denial(policy.authorize(&read("a"), policy.deadline()).await.answer).reason, "deny rule 1");
    runtime.compiled().unwrap()
}

/// Returns the only file of code in the folder.
fn file_of_code(folder: &Path) -> PathBuf {
    let compilers = fs::read_dir(folder.join("code/modules")).unwrap();
    let files = compilers.flat_map(|compiler| fs::read_dir(compiler.unwrap().path()).unwrap());
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    files.retain(|path| path.extension().is_none());
    assert_eq!(files.len(), 1, "{files:?}");
    files.remove(0)
}

#[tokio::test]
async fn code_is_compiled_once() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path().join("not/there/yet");
    assert_eq!(load_afresh(&folder).await, (0, 1));
    assert_eq!(load_afresh(&folder).await, (1, 0));
    let mode = fs::metadata(&folder).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0, "it is closed to other users");
}

/// What `tuffet plugin inspect` compiles, a server need not compile.
#[tokio::test]
async fn code_of_an_inspected_component_is_kept() {
    let folder = TempDir::new().unwrap();
    let runtime = PolicyRuntime::new(Some(folder.path())).unwrap();
    let builtin = acl("acl", json!({})).component;
    let inspected = || ComponentInfo::of(&runtime, &builtin).unwrap_or_else(|why| unreachable!("{why}"));
    assert_eq!((inspected().hooks, runtime.compiled()), (vec!["authorize"], Some((0, 1))));
    assert_eq!(load_afresh(folder.path()).await, (1, 0));
    inspected();
    assert_eq!(runtime.compiled(), Some((1, 1)));
}

/// What describes a component is no part of its code.
#[tokio::test]
async fn a_new_description_compiles_nothing() {
    let folder = TempDir::new().unwrap();
    assert_eq!(load_afresh(folder.path()).await, (0, 1));
    let mut described = read::read(&acl("acl", json!({})).component).unwrap().into_owned();
    sections::append(&mut described, "made-at", b"today");
    let runtime = PolicyRuntime::new(Some(folder.path())).unwrap();
    assert!(ComponentInfo::of_bytes(&runtime, &described).is_ok());
    assert_eq!(runtime.compiled(), Some((1, 0)));
}

#[tokio::test]
async fn code_that_is_not_as_it_was_written_is_not_run() {
    let folder = TempDir::new().unwrap();
    assert_eq!(load_afresh(folder.path()).await, (0, 1));
    let file = file_of_code(folder.path());
    let good = fs::read(&file).unwrap();

    let mut changed = good.clone();
    let middle = changed.len() / 2;
    changed[middle] ^= 1;
    for bad in [changed, good[..good.len() / 2].to_vec(), Vec::new(), b"foreign".to_vec()] {
        fs::write(&file, bad).unwrap();
        assert_eq!(load_afresh(folder.path()).await, (0, 1), "compiled, not taken from there");
        assert_eq!(load_afresh(folder.path()).await, (1, 0), "and kept again");
    }

    // Unchanged code without a digest is rejected, too.
    let digests = folder.path().join("digests");
    for digest in fs::read_dir(&digests).unwrap() {
        fs::remove_file(digest.unwrap().path()).unwrap();
    }
    assert_eq!(load_afresh(folder.path()).await, (0, 1));
}

/// A reload checks files that have changed meanwhile.
#[test]
fn a_changed_file_is_verified_again() {
    let folder = TempDir::new().unwrap();
    let cache = CodeCache::open(folder.path()).unwrap();
    let compiler = folder.path().join("code/modules/compiler");
    fs::create_dir_all(&compiler).unwrap();
    let file = compiler.join("KEY");
    fs::write(&file, "code").unwrap();
    cache.seal();
    cache.verify();
    assert!(file.exists());
    fs::write(&file, "evil").unwrap();
    cache.verify();
    assert!(!file.exists());
}

/// Files of code do not name their component, so a missing file makes all of them unknown.
#[test]
fn components_are_known_until_a_file_is_removed() {
    let folder = TempDir::new().unwrap();
    let cache = CodeCache::open(folder.path()).unwrap();
    let compiler = folder.path().join("code/modules/compiler");
    fs::create_dir_all(&compiler).unwrap();
    for (name, used) in [("OLD", 1), ("NEW", 3), ("USED", 0)] {
        let file = fs::File::create(compiler.join(name)).unwrap();
        file.set_len(100).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(used)).unwrap();
    }
    fs::File::create(compiler.join("USED.stats")).unwrap();
    let left = || {
        let names = fs::read_dir(&compiler).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    };

    cache.mark_component("key");
    cache.prune(3, 300);
    assert!(cache.has_component("key") && !cache.has_component("another"));
    assert_eq!(left().len(), 4, "all are within the limits");
    cache.prune(2, 300);
    assert_eq!(left(), ["NEW", "USED", "USED.stats"]);
    assert!(!cache.has_component("key"));
    cache.mark_component("key");
    cache.prune(2, 199);
    assert_eq!(left(), ["USED", "USED.stats"]);
    assert!(!cache.has_component("key"));

    cache.mark_component("key");
    cache.seal();
    fs::write(compiler.join("USED"), "evil").unwrap();
    cache.verify();
    assert!(!cache.has_component("key"));
}

#[tokio::test]
async fn a_folder_that_others_may_write_to_is_not_used() {
    let folder = TempDir::new().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let refused = CodeCache::open(folder.path()).unwrap_err().to_string();
    assert!(refused.contains("must belong to this user"), "{refused}");
    // The plugins still work.
    assert!(PolicyRuntime::new(Some(folder.path())).unwrap().compiled().is_none());
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(PolicyRuntime::new(Some(&file)).unwrap().compiled().is_none());
}
