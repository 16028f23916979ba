//! The cache of compiled plugins on disk persists between starts.

use crate::harness::{Client, Options, Server, Setup};
use tempfile::TempDir;

fn server(folder: &str) -> Server {
    Setup::new()
        .file("open", b"for all")
        .rest_of_yaml(&format!(
            "policy: {{ authorize: [acl], compiled: \"{folder}\" }}\nplugins: {{ acl: {{ component: \"builtin:acl\" }} }}\n"
        ))
        .start()
}

#[track_caller]
fn assert_loaded(server: &Server, kept: Option<u32>, compiled: Option<u32>) {
    let line = server.logged("plugins loaded");
    assert_eq!((&line["kept"], &line["compiled"]), (&kept.into(), &compiled.into()), "{line:#}");
    assert_eq!(Client::Tuffet.get(server.address(), "open", Options::default()), b"for all");
}

#[test]
fn a_second_start_compiles_nothing() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path().join("compiled");
    let folder = folder.to_str().unwrap();
    let [compiled, kept, without] = [server(folder), server(folder), server("none")];
    assert_loaded(&compiled, Some(0), Some(1));
    assert_loaded(&kept, Some(1), Some(0));
    assert_loaded(&without, None, None);
    // The memory for compiling belongs to another process, but for the last, which has no folder for the code.
    let [compiled, kept, without] = [compiled, kept, without].map(|server| anonymous_memory(&server));
    assert!(without > kept + (4 << 20), "{without} bytes, {kept} from the folder");
    assert!(
        compiled - kept < (without - kept) / 4,
        "{compiled} bytes, {kept} from the folder, {without} without"
    );
}

/// Bytes of memory that no file has.
fn anonymous_memory(server: &Server) -> i64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
    let value = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    1024 * value.trim().trim_end_matches(" kB").parse::<i64>().unwrap()
}

#[test]
fn a_folder_that_cannot_be_used_is_a_warning() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let server = server(file.to_str().unwrap());
    assert_loaded(&server, None, None);
    server.wait_for_log("compiled plugins cannot be cached");
    server.wait_for_log("policy.compiled");
}
