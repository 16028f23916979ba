//! in.tftpd 5.2.

use super::servers::{Pair, Started};
use super::{Asked, Named, all, compare, contents, names, options, read, read_with, write};
use std::fs;
use std::path::Path;

const TEMPLATE: Started = Started {
    name: "in.tftpd",
    program: "in.tftpd",
    package: "tftpd-hpa",
    server: "tftpd-hpa",
    variable: None,
    import: &[],
    flags: "-l -a ADDR:69 -s HERE",
    foreground: "-L",
    code: 0,
};

pub(super) const OPENING: &str = "ERROR 0 with the text of open(2), where Tuffet has a code for it";

pub(super) const NAMES: &[Named] = &[
    Named {
        reason: "backslashes are slashes, and one at the end is overlooked",
        differences: &[
            ("read f/", "ERROR 1", "13 bytes"),
            ("read sub\\g", "ERROR 1", "6 bytes"),
            ("read \\sub\\g", "ERROR 1", "6 bytes"),
        ],
    },
    Named {
        reason: "no name holds `..`, even if it leads nowhere else",
        differences: &[
            ("read sub/../f", "13 bytes", "ERROR 2"),
            ("read ../outside", "ERROR 1", "ERROR 2"),
            ("read /../outside", "ERROR 1", "ERROR 2"),
            ("read HERE/../outside", "ERROR 1", "ERROR 2"),
        ],
    },
    Named {
        reason: OPENING,
        differences: &[("read sub", "ERROR 0", "ERROR 2"), ("read (300 letters)", "ERROR 0", "ERROR 2")],
    },
];

pub(super) const OPTIONS: &[Named] = &[Named {
    reason: "options with invalid values are left out",
    differences: &[
        ("read f octet blksize=7", "ERROR 8", "13 bytes"),
        ("read f octet timeout=256", "ERROR 8", "13 bytes"),
    ],
}];

pub(super) const BLKSIZE2: Named = Named {
    reason: "blksize2 is a power of two, also where the limit is none",
    differences: &[("read f octet blksize2=70000", "[blksize2=65464]", "[blksize2=32768]")],
};

const READS: Named = Named {
    reason: OPENING,
    differences: &[("read unreadable", "ERROR 0", "ERROR 2"), ("read group", "ERROR 0", "ERROR 2")],
};

const WRITES: Named = Named {
    reason: OPENING,
    differences: &[("write fixed", "ERROR 0", "ERROR 2"), ("write sub", "ERROR 0", "ERROR 2")],
};

const WRITES_BELOW: Named =
    Named { reason: OPENING, differences: &[("write sub/new", "ERROR 0", "ERROR 2")] };

const FOLDERS: &[Named] = &[
    Named {
        reason: "the folder alone, and not every name that begins with its text",
        differences: &[("read HERE-evil/x", "4 bytes", "ERROR 2")],
    },
    Named { reason: "repeated slashes are one", differences: &[("read /HERE/f", "ERROR 2", "13 bytes")] },
];

fn permissions() -> Vec<Asked> {
    ["unreadable", "group", "old", "fixed"].iter().map(|name| read(name.as_bytes())).collect()
}

fn uploads() -> Vec<Asked> {
    let names: [&[u8]; 7] = [b"old", b"/old", b"fixed", b"new", b"none/new", b"sub/new", b"sub"];
    let mut asked: Vec<Asked> = names.iter().map(|name| write(name, b"new content")).collect();
    asked.push(write(b"old", &[7; 1024]));
    asked
}

#[test]
fn secure() {
    let Some(pair) = Pair::start(Started { name: "in.tftpd -s", ..TEMPLATE }, |_| {}) else { return };
    let asked = [names(), options(), contents(), permissions(), uploads(), netascii()].concat();
    compare(&pair, &asked, &all(&[NAMES, OPTIONS, &[BLKSIZE2, READS, WRITES]]));
}

fn netascii() -> Vec<Asked> {
    vec![read_with("f", "netascii", &[]), read_with("f", "NETASCII", &[]), read_with("f", "mail", &[])]
}

#[test]
fn secure_and_create() {
    let started = Started { name: "in.tftpd -s -c", flags: "-l -a ADDR:69 -c -U 027 -s HERE", ..TEMPLATE };
    let Some(pair) = Pair::start(started, |_| {}) else { return };
    let mistake = Named {
        reason: "in.tftpd creates a file by its umask, and then refuses it because others may not write it",
        differences: &[
            ("write new", "ERROR 2", "stored"),
            ("file new", "640 0 bytes ", "640 11 bytes new cont"),
        ],
    };
    compare(&pair, &uploads(), &[WRITES, WRITES_BELOW, mistake]);
}

#[test]
fn secure_and_permissive() {
    let started = Started { name: "in.tftpd -s -p", flags: "-l -a ADDR:69 -p -c -s HERE", ..TEMPLATE };
    let Some(pair) = Pair::start(started, |_| {}) else { return };
    compare(&pair, &[permissions(), uploads()].concat(), &[READS, WRITES, WRITES_BELOW]);
}

#[test]
fn limits() {
    let flags = "-l -a ADDR:69 -B 1000 -r tsize -r timeout -R 39000:39063 -s HERE";
    let Some(pair) = Pair::start(Started { name: "in.tftpd -B -r -R", flags, ..TEMPLATE }, |_| {}) else {
        return;
    };
    let named = [
        // `timeout` is refused here, valid or not.
        Named { differences: &OPTIONS[0].differences[..1], ..OPTIONS[0] },
        Named {
            differences: &[("read f octet blksize2=70000", "[blksize2=1000]", "[blksize2=512]")],
            ..BLKSIZE2
        },
    ];
    compare(&pair, &[options(), contents()].concat(), &named);
}

#[test]
fn folders() {
    let flags = "-l -a ADDR:69 -c HERE";
    let Some(pair) = Pair::start(Started { name: "in.tftpd DIR", flags, ..TEMPLATE }, |_| {}) else { return };
    let absolute: Vec<Asked> = [
        read(b"HERE/unreadable"),
        read(b"HERE/sub"),
        read(b"HERE/none"),
        write(b"HERE/new", b"new"),
        write(b"HERE/fixed", b"new"),
        write(b"HERE/old", b"new"),
    ]
    .into();
    let opening = Named {
        reason: OPENING,
        differences: &[
            ("read HERE/unreadable", "ERROR 0", "ERROR 2"),
            ("read HERE/sub", "ERROR 0", "ERROR 2"),
            ("write HERE/fixed", "ERROR 0", "ERROR 2"),
        ],
    };
    compare(&pair, &[names(), absolute].concat(), &all(&[FOLDERS, &[opening]]));
}

fn map(around: &Path, text: &str) {
    fs::write(around.parent().unwrap().parent().unwrap().join("map"), text).unwrap();
}

#[test]
fn maps() {
    let flags = "-l -a ADDR:69 -m AROUND/map -s HERE";
    let text = "# backslashes\nrg \\\\ /\nri ^/?sub/(.*)$ sub/\\L\\1\\E\nr ^alias\\.(.)$ \\1\na ^secret not\\ for\\ you\n";
    let started = Started { name: "in.tftpd -m", flags, ..TEMPLATE };
    let Some(pair) = Pair::start(started, |folder| map(folder, text)) else { return };
    let asked = ["alias.f", "SUB/G", "Sub\\G", "\\sub\\g", "secret/f", "/secret", "alias.none", "none"];
    let asked: Vec<Asked> = asked.iter().map(|name| read(name.as_bytes())).collect();
    compare(&pair, &asked, &[]);
}

/// As Ironic starts it: without --secure, the map makes names absolute.
#[test]
fn maps_without_secure() {
    let prepare = |folder: &Path| {
        let top = folder.parent().unwrap().parent().unwrap();
        let side = folder.parent().unwrap().file_name().unwrap().to_str().unwrap();
        fs::write(top.join(format!("map-{side}")), format!("r ^([^/]) {}/\\1\n", folder.display())).unwrap();
    };
    let flags = "-l -a ADDR:69 -m AROUND/map-SIDE HERE";
    let started = Started { name: "in.tftpd -m DIR", flags, ..TEMPLATE };
    let Some(pair) = Pair::start(started, prepare) else { return };
    let slashes = Named {
        reason: "backslashes are slashes, and one at the end is overlooked",
        differences: &[
            ("read f/", "ERROR 1", "13 bytes"),
            ("read sub\\g", "ERROR 1", "6 bytes"),
            ("read \\sub\\g", "ERROR 1", "6 bytes"),
        ],
    };
    let opening = Named {
        reason: OPENING,
        differences: &[("read sub", "ERROR 0", "ERROR 2"), ("read (300 letters)", "ERROR 0", "ERROR 2")],
    };
    compare(&pair, &names(), &all(&[FOLDERS, &[slashes, opening]]));
}
