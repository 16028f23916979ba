//! in.tftpd from 5.4 on, which reads maps in another way than 5.2: `TUFFET_NEWER_TFTPD` names the program. Debian 12 has
//! none; host/tests/suites/peers.sh fetches 7.3 from the Debian after 13.

use super::servers::{Pair, Started, major_of};
use super::tftpd_hpa::{BLKSIZE2, NAMES, OPENING, OPTIONS};
use super::{Asked, Named, all, compare, contents, names, options, read, read_with, write};
use std::path::Path;
use std::{env, fs};

const TEMPLATE: Started = Started {
    name: "newer in.tftpd",
    program: "in.tftpd",
    package: "tftpd-hpa",
    server: "tftpd-hpa",
    variable: Some("TUFFET_NEWER_TFTPD"),
    import: &["--server-version", "6.0"],
    flags: "-l -a ADDR:69 -s HERE",
    foreground: "-L",
    code: 0,
};

/// It is imported as 6.0, which has windows.
const WINDOWS: Named = Named {
    reason: "windows are granted",
    differences: &[("read f octet windowsize=8", "13 bytes", "[windowsize=8]")],
};

/// From 6 on, windows are granted, and options with invalid values are left out.
const OPTIONS_OF_7: &[Named] = &[
    Named {
        reason: "of two options for the time-out, the last one is acknowledged",
        differences: &[(
            "read f octet timeout=3 utimeout=100000 rollover=0",
            "[rollover=0 utimeout=100000]",
            "[rollover=0 timeout=3 utimeout=100000]",
        )],
    },
    Named {
        reason: "a window of one block is acknowledged",
        differences: &[("read f octet windowsize=1", "13 bytes", "[windowsize=1]")],
    },
    Named {
        reason: "the option cookie, an experiment, is unknown",
        differences: &[("read f octet cookie=a", "[cookie=a]", "13 bytes")],
    },
];

fn is_before_7() -> bool {
    env::var_os("TUFFET_NEWER_TFTPD")
        .is_none_or(|program| major_of(program.as_ref()).is_none_or(|major| major < 7))
}

fn map(around: &Path, text: &str) {
    fs::write(around.parent().unwrap().parent().unwrap().join("map"), text).unwrap();
}

#[test]
fn secure() {
    let Some(pair) = Pair::start(TEMPLATE, |_| {}) else { return };
    let uploads = [write(b"old", b"new content"), write(b"fixed", b"new"), write(b"new", b"new")];
    let opening = Named { reason: OPENING, differences: &[("write fixed", "ERROR 0", "ERROR 2")] };
    let asked = [names(), options(), contents(), uploads.into()].concat();
    if is_before_7() {
        return compare(&pair, &asked, &all(&[NAMES, OPTIONS, &[WINDOWS, BLKSIZE2, opening]]));
    }
    let more =
        [("windowsize", "1"), ("windowsize", "300"), ("windowsize", "0"), ("rollover", "2"), ("cookie", "a")];
    let more = more.map(|option| read_with("f", "octet", &[option]));
    compare(&pair, &[asked, more.into()].concat(), &all(&[NAMES, OPTIONS_OF_7, &[opening]]));
}

/// As Debian's service starts 7.3.
#[test]
fn jail() {
    if is_before_7() {
        return crate::harness::skipped("--jail: TUFFET_NEWER_TFTPD names no version from 7 on");
    }
    let started = Started { name: "in.tftpd --jail", flags: "-l -a ADDR:69 --jail HERE", ..TEMPLATE };
    let Some(pair) = Pair::start(started, |_| {}) else { return };
    compare(&pair, &[names(), contents()].concat(), NAMES);
}

/// Most of these read in another way with version 5.2, or not at all. Version 5.4 looks for the label of a jump beyond the
/// end of its list of rules, and ends.
#[test]
fn maps() {
    let jumps = ("jumps", ":top\nj ^x(.*)$ rest\nr ^alias$ f\n:rest\nr ^xx f\n", &["alias", "xx", "xf"][..]);
    let jumps = (!is_before_7()).then_some(jumps);
    let rules = [
        ("every match, as in sed", "rgg o 0\nr ^alias.f00$ f\n", &["alias.foo", "alias.fo"][..]),
        (
            "from the first rule again",
            "r ^x(.*)$ \\1\nrs ^y(.*)$ x\\1\nr ^(.*)z$ \\1\n",
            &["yf", "xf", "fz", "yxf"],
        ),
        ("if the file exists", "rE ^try-(.*)$ \\1\nr ^try-none$ f\n", &["try-f", "try-none", "try-other"]),
        ("denied with a text", "a ^secret not\\ for\\ you\n", &["secret", "secret/f", "f"]),
        ("the address", "r ^mine$ \\x\nr ^decimal$ \\i\n", &["mine", "decimal"]),
        ("letters", "ri ^SUB/(.*)$ sub/\\L\\1\\E\n", &["SUB/G", "Sub/G"]),
    ];
    for (name, text, asked) in rules.into_iter().chain(jumps) {
        let flags = "-l -a ADDR:69 -m AROUND/map -s HERE";
        let started = Started { name, flags, ..TEMPLATE };
        let prepare = |folder: &Path| {
            map(folder, text);
            for name in ["7F000001", "127.0.0.1"] {
                fs::write(folder.join(name), name).unwrap();
            }
        };
        let Some(pair) = Pair::start(started, prepare) else { return };
        let asked: Vec<Asked> = asked.iter().map(|name| read(name.as_bytes())).collect();
        compare(&pair, &asked, &[]);
    }
}
