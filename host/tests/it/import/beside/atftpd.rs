//! atftpd 0.8.

use super::servers::{Pair, Started};
use super::{Asked, Named, compare, contents, names, options, read, write};
use std::fs;
use std::path::Path;

const TEMPLATE: Started = Started {
    name: "atftpd",
    program: "atftpd",
    package: "atftpd",
    server: "atftpd",
    variable: None,
    import: &[],
    flags: "--daemon --port 69 --bind-address ADDR HERE",
    foreground: "--no-fork",
    code: 0,
};

const NAMES: Named = Named {
    reason: "backslashes and repeated slashes are slashes, and one at the end is overlooked",
    differences: &[
        ("read f/", "ERROR 1", "13 bytes"),
        ("read /HERE/f", "ERROR 1", "13 bytes"),
        ("read sub\\g", "ERROR 1", "6 bytes"),
        ("read \\sub\\g", "ERROR 1", "6 bytes"),
    ],
};

const CODES: Named = Named {
    reason: "a folder is no empty file; a file that may not be read is not a missing one, nor is a missing folder closed",
    differences: &[
        ("read sub", "0 bytes", "ERROR 2"),
        ("read (300 letters)", "ERROR 1", "ERROR 2"),
        ("read unreadable", "ERROR 1", "ERROR 2"),
        ("read group", "ERROR 1", "ERROR 2"),
        ("write none/new", "ERROR 2", "ERROR 1"),
    ],
};

const OPTIONS: Named = Named {
    reason: "options with invalid values are left out, and a block size of 8 is valid",
    differences: &[
        ("read f octet blksize=8 tsize=0", "ERROR 8", "[blksize=8 tsize=13]"),
        ("read f octet blksize=7", "ERROR 8", "13 bytes"),
        ("read f octet timeout=256", "ERROR 8", "13 bytes"),
    ],
};

#[test]
fn plain() {
    let Some(pair) = Pair::start(TEMPLATE, |_| {}) else { return };
    let permissions = ["unreadable", "group", "fixed"].map(|name| read(name.as_bytes()));
    let names_to_write: [&[u8]; 7] =
        [b"old", b"/old", b"fixed", b"new", b"none/new", b"sub/new", b"HERE/new2"];
    let uploads: Vec<Asked> = names_to_write.iter().map(|name| write(name, b"new content")).collect();
    let asked = [names(), options(), contents(), permissions.into(), uploads].concat();
    compare(&pair, &asked, &[NAMES, CODES, OPTIONS]);
}

#[test]
fn without_options() {
    let flags = "--daemon --port 69 --bind-address ADDR --no-timeout --no-tsize --no-blksize --no-windowsize \
                 --no-multicast HERE";
    let Some(pair) = Pair::start(Started { name: "atftpd --no-…", flags, ..TEMPLATE }, |_| {}) else {
        return;
    };
    let empty = Named {
        reason: "atftpd sends an OACK without options instead of the file",
        differences: &[
            ("read f octet tsize=0", "[]", "13 bytes"),
            ("read f octet blksize=512", "[]", "13 bytes"),
            ("read f octet blksize=1432", "[]", "13 bytes"),
            ("read f octet blksize=65464", "[]", "13 bytes"),
            ("read f octet BLKSIZE=1000", "[]", "13 bytes"),
            ("read f octet blksize=8 tsize=0", "[]", "13 bytes"),
            ("read f octet timeout=3", "[]", "13 bytes"),
            ("read f octet timeout=255 tsize=0 blksize=1024", "[]", "13 bytes"),
            ("read f octet windowsize=8", "[]", "13 bytes"),
            ("read f octet blksize=7", "[]", "13 bytes"),
            ("read f octet timeout=256", "[]", "13 bytes"),
            ("read f octet multicast=", "[]", "13 bytes"),
            ("read f octet timeout=3 utimeout=100000 rollover=0", "[]", "13 bytes"),
        ],
    };
    compare(&pair, &options(), &[empty]);
}

#[test]
fn patterns() {
    let flags = "--daemon --port 69 --bind-address ADDR --pcre AROUND/patterns HERE";
    let prepare = |folder: &Path| {
        let patterns = folder.parent().unwrap().parent().unwrap().join("patterns");
        fs::write(patterns, "^alias\\.(.)$ $1\n^(.*)/upper/(.*)$ $1/$2\nf sub/g\n").unwrap();
    };
    let Some(pair) = Pair::start(Started { name: "atftpd --pcre", flags, ..TEMPLATE }, prepare) else {
        return;
    };
    let asked = ["alias.f", "f", "/f", "sub/upper/g", "alias.none", "missing", "xfx", "nof"];
    let mut asked: Vec<Asked> = asked.iter().map(|name| read(name.as_bytes())).collect();
    asked.push(write(b"alias.f", b"new"));
    compare(&pair, &asked, &[]);
}
