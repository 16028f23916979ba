//! Names as Windows' boot loaders ask for them: backslashes, with and without one in front.

use super::{ask, assert_explains, content, explain, not_found, read, write};
use crate::harness::{Answer, Server, Setup, wrq};
use serde_json::json;

fn server(rules: &str) -> Server {
    Setup::new()
        .file("BOOT/BCD", b"bcd")
        .file("boot/x64/wdsnbp.com", b"loader")
        .yaml(&format!("roots: [{{ name: boot, path: root, {rules} }}]\n"))
        .start()
}

#[test]
fn backslashes_are_slashes_when_files_are_read() {
    let server = server("");
    for (name, path, found) in [
        ("\\BOOT\\BCD", "BOOT/BCD", &b"bcd"[..]),
        ("BOOT\\\\BCD", "BOOT/BCD", b"bcd"),
        ("boot\\x64\\wdsnbp.com", "boot/x64/wdsnbp.com", b"loader"),
        ("\\boot\\x64/wdsnbp.com", "boot/x64/wdsnbp.com", b"loader"),
        ("boot\\.\\x64\\wdsnbp.com\\", "boot/x64/wdsnbp.com", b"loader"),
    ] {
        assert_eq!(read(&server, name), content(found), "{name}");
        assert_eq!(server.outcome(path)["resolved"], format!("boot:{path}"));
    }
    for name in ["\\..\\BOOT\\BCD", "boot\\..\\..\\x", "\\\\C:\\BOOT\\BCD", "C:\\BOOT\\BCD"] {
        assert!(matches!(read(&server, name), Answer::Error(2, _)), "{name}");
    }
}

#[test]
fn the_wrong_case_is_named_and_can_be_allowed() {
    let strict = server("");
    assert_eq!(read(&strict, "\\Boot\\X64\\wdsnbp.com"), not_found());
    let line = strict.outcome("Boot/X64/wdsnbp.com");
    assert_eq!(line["tried"], json!(["boot:Boot/X64/wdsnbp.com"]));
    let explained = explain(&strict, &["\\Boot\\X64\\wdsnbp.com"]);
    assert_explains(
        &explained,
        1,
        &["path \"Boot/X64/wdsnbp.com\"", "boot:Boot/X64/wdsnbp.com: no such file"],
    );
    // Both `BOOT` and `boot` are there: only a name that spells its folder as it is stored is clear.
    let server = server("case: insensitive");
    assert_eq!(read(&server, "boot\\X64\\WDSNBP.COM"), content(b"loader"));
    assert_eq!(read(&server, "\\BOOT\\bcd"), content(b"bcd"));
    assert_eq!(read(&server, "\\Boot\\bcd"), not_found());
}

#[test]
fn backslashes_are_slashes_when_files_are_written() {
    let server = server("writable: true");
    assert_eq!(write(&server, "boot\\x64\\new.log"), Answer::Ack(1));
    assert_eq!(server.root().read("boot/x64/new.log"), b"written");
    assert_eq!(server.outcome("boot/x64/new.log")["resolved"], "boot:boot/x64/new.log");
    assert_eq!(ask(&server, &wrq("\\boot\\none\\new", &[])), Answer::Error(1, "folder not found".into()));
    assert_eq!(server.outcome("boot/none/new")["tried"], json!(["boot:boot/none/new"]));
    assert_eq!(ask(&server, &wrq("\\BOOT\\BCD", &[])), Answer::Error(6, "file exists".into()));
    let explained = explain(&server, &["--write", "boot\\x64\\other.log"]);
    assert_explains(&explained, 0, &["path \"boot/x64/other.log\"", "boot:boot/x64/other.log"]);
}

/// A name on disk may have a backslash, and no client can name it: another file would have two names for policy.
#[test]
fn a_stored_backslash_is_no_separator() {
    let server = server("world-readable: true");
    server.root().write("odd\\name", b"odd");
    assert_eq!(read(&server, "odd\\name"), not_found());
}
