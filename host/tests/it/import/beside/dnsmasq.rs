//! dnsmasq 2.90.

use super::across::across_a_cable;
use super::servers::{Pair, Started};
use super::{Asked, Named, all, compare, contents, names, options, read, read_with, write};
use std::fs;
use std::os::unix::fs::chown;
use std::path::Path;

/// The user `nobody` of Debian.
const NOBODY: u32 = 65534;

pub(super) const TEMPLATE: Started = Started {
    name: "dnsmasq",
    program: "dnsmasq",
    package: "dnsmasq-base",
    server: "dnsmasq",
    variable: None,
    import: &[],
    flags: "-C /dev/null --port=0 --enable-tftp --user=nobody --listen-address=ADDR --bind-interfaces \
            --tftp-root=HERE",
    foreground: "--keep-in-foreground --log-facility=- --pid-file=",
    code: 0,
};

pub(super) const NAMES: &[Named] = &[
    Named {
        reason: "repeated slashes are one, and one at the end is overlooked",
        differences: &[("read f/", "ERROR 0", "13 bytes"), ("read /HERE/f", "ERROR 1", "13 bytes")],
    },
    Named {
        reason: "ERROR 0 with the text of open(2), where Tuffet has a code for it",
        differences: &[
            ("read sub", "ERROR 0", "ERROR 2"),
            ("read f/x", "ERROR 0", "ERROR 1"),
            ("read (300 letters)", "ERROR 0", "ERROR 2"),
        ],
    },
];

pub(super) const SMALL: Named = Named {
    reason: "a block size below 8 is invalid",
    differences: &[("read f octet blksize=7", "[blksize=7]", "13 bytes")],
};

pub(super) const NETASCII: Named = Named {
    reason: "netascii: CR alone is CR NUL (RFC 764)",
    differences: &[("read f netascii", "15 bytes", "16 bytes")],
};

pub(super) const UPLOADS: Named = Named {
    reason: "an upload is forbidden, not unknown",
    differences: &[("write old", "ERROR 4", "ERROR 2"), ("write new", "ERROR 4", "ERROR 2")],
};

/// Other modes than octet, and uploads.
pub(super) fn others() -> Vec<Asked> {
    let [netascii, mail] = ["netascii", "mail"].map(|mode| read_with("f", mode, &[]));
    vec![netascii, mail, write(b"old", b"x"), write(b"new", b"x")]
}

#[test]
fn plain() {
    let Some(pair) = Pair::start(TEMPLATE, |_| {}) else { return };
    let permissions = ["unreadable", "group", "fixed"].map(|name| read(name.as_bytes()));
    let further = [
        SMALL,
        NETASCII,
        UPLOADS,
        Named {
            reason: "blocks are as large as the MTU allows: dnsmasq's buffer is for DNS",
            differences: &[("read f octet blksize=65464", "[blksize=2263]", "[blksize=65464]")],
        },
    ];
    let asked = [names(), options(), contents(), permissions.into(), others()].concat();
    compare(&pair, &asked, &all(&[NAMES, &further]));
}

#[test]
fn small_blocks() {
    let flags = "-C /dev/null --port=0 --enable-tftp --user=nobody --listen-address=ADDR --bind-interfaces \
                 --tftp-root=HERE --tftp-mtu=600";
    let started = Started { name: "dnsmasq --tftp-mtu", flags, ..TEMPLATE };
    let Some(pair) = Pair::start(started, |_| {}) else { return };
    compare(&pair, &[options(), contents()].concat(), &[SMALL]);
}

#[test]
fn without_block_sizes() {
    let flags = "-C /dev/null --port=0 --enable-tftp --user=nobody --listen-address=ADDR --bind-interfaces \
                 --tftp-root=HERE --tftp-no-blocksize --tftp-port-range=39100,39163";
    let started = Started { name: "dnsmasq --tftp-no-blocksize", flags, ..TEMPLATE };
    let Some(pair) = Pair::start(started, |_| {}) else { return };
    compare(&pair, &[options(), contents()].concat(), &[]);
}

#[test]
fn lower_case() {
    let flags = "-C /dev/null --port=0 --enable-tftp --user=nobody --listen-address=ADDR --bind-interfaces \
                 --tftp-root=HERE --tftp-lowercase";
    let Some(pair) = Pair::start(Started { name: "dnsmasq --tftp-lowercase", flags, ..TEMPLATE }, |_| {})
    else {
        return;
    };
    let asked = ["F", "/F", "SUB/G", "Sub\\G", "\\SUB\\g", "NONE"].map(|name| read(name.as_bytes()));
    compare(&pair, &asked, &[]);
}

#[test]
fn as_root_and_secure() {
    let flags = "-C /dev/null --port=0 --enable-tftp --user=root --listen-address=ADDR --bind-interfaces \
                 --tftp-root=HERE --tftp-secure";
    let Some(pair) = Pair::start(Started { name: "dnsmasq --tftp-secure", flags, ..TEMPLATE }, |_| {}) else {
        return;
    };
    let asked = ["f", "unreadable", "group", "sub/g", "none"].map(|name| read(name.as_bytes()));
    compare(&pair, &asked, &[]);
}

#[test]
fn a_folder_for_each_client() {
    let flags = "-C /dev/null --port=0 --enable-tftp --user=nobody --listen-address=ADDR --bind-interfaces \
                 --tftp-root=HERE --tftp-unique-root";
    let started = || Started { name: "dnsmasq --tftp-unique-root", flags, ..TEMPLATE };
    let asked: Vec<Asked> =
        ["f", "own", "/f", "/own", "HERE/f", "none"].map(|name| read(name.as_bytes())).into();
    let Some(pair) = Pair::start(started(), |_| {}) else { return };
    compare(&pair, &asked, &[]);
    drop(pair);
    // Where a client has a folder, nothing of the root is for it.
    let own = |folder: &Path| {
        fs::create_dir(folder.join("127.0.0.1")).unwrap();
        fs::write(folder.join("127.0.0.1/own"), "own").unwrap();
    };
    let Some(pair) = Pair::start(started(), own) else { return };
    compare(&pair, &asked, &[]);
}

/// With `--bind-interfaces`, version 2.90 sends nothing in this mode: the index of the interface is not set.
#[test]
fn single_port() {
    if !across_a_cable("import::beside::dnsmasq::single_port") {
        return;
    }
    let flags = "-C /dev/null --port=0 --enable-tftp --user=nobody --listen-address=ADDR \
                 --tftp-root=HERE --tftp-single-port";
    let Some(pair) = Pair::start(Started { name: "dnsmasq --tftp-single-port", flags, ..TEMPLATE }, |_| {})
    else {
        return;
    };
    let large = Named {
        reason: "blocks fit the MTU, and Tuffet is on loopback here",
        differences: &[("read f octet blksize=65464", "[blksize=1468]", "[blksize=65464]")],
    };
    let further = [SMALL, large];
    compare(&pair, &[names(), options(), contents()].concat(), &all(&[NAMES, &further]));
}

#[test]
fn as_another_user_and_secure() {
    if !across_a_cable("import::beside::dnsmasq::as_another_user_and_secure") {
        return;
    }
    let flags = "-C /dev/null --port=0 --enable-tftp --user=nobody --listen-address=ADDR --bind-interfaces \
                 --tftp-root=HERE --tftp-secure";
    let own = |folder: &Path| {
        for name in ["f", "unreadable", "sub/g"] {
            chown(folder.join(name), Some(NOBODY), None).unwrap();
        }
    };
    let started = Started { name: "dnsmasq --tftp-secure", flags, code: 1, ..TEMPLATE };
    let Some(pair) = Pair::start(started, own) else { return };
    let asked =
        ["f", "unreadable", "group", "old", "fixed", "sub/g", "none"].map(|name| read(name.as_bytes()));
    let owners = Named {
        reason: "the rule is who may read a file, and not whose it is",
        differences: &[
            ("read unreadable", "1 bytes", "ERROR 2"),
            ("read old", "ERROR 2", "3 bytes"),
            ("read fixed", "ERROR 2", "3 bytes"),
        ],
    };
    compare(&pair, &asked, &[owners]);
}
