//! in.tftpd 5.4 or 6.0, which read maps in another way than 5.2. `TUFFET_NEWER_TFTPD` names the program.

use super::servers::{Pair, Started};
use super::tftpd_hpa::{BLKSIZE2, NAMES, OPENING, OPTIONS};
use super::{Asked, Named, all, compare, contents, names, options, read, write};
use std::fs;
use std::path::Path;

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

fn map(around: &Path, text: &str) {
    fs::write(around.parent().unwrap().parent().unwrap().join("map"), text).unwrap();
}

#[test]
fn secure() {
    let Some(pair) = Pair::start(TEMPLATE, |_| {}) else { return };
    let uploads = [write(b"old", b"new content"), write(b"fixed", b"new"), write(b"new", b"new")];
    let opening = Named { reason: OPENING, differences: &[("write fixed", "ERROR 0", "ERROR 2")] };
    compare(
        &pair,
        &[names(), options(), contents(), uploads.into()].concat(),
        &all(&[NAMES, OPTIONS, &[BLKSIZE2, opening]]),
    );
}

/// Most of these read in another way with version 5.2, or not at all. Jumps are left out: version 5.4 looks for the label
/// beyond the end of its list of rules, and ends.
#[test]
fn maps() {
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
    for (name, text, asked) in rules {
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
