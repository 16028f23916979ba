//! dnsmasq 2.93, which has windows and time-outs as every version from 2.92 on: `TUFFET_NEWER_DNSMASQ` names the program.

use super::across::across_a_cable;
use super::dnsmasq::{NAMES, NETASCII, SMALL, TEMPLATE as OLDER, UPLOADS, others};
use super::servers::{Pair, Started};
use super::{Asked, Named, all, compare, contents, names, options, read_with};

const TEMPLATE: Started = Started {
    name: "newer dnsmasq",
    variable: Some("TUFFET_NEWER_DNSMASQ"),
    import: &["--server-version", "2.92"],
    ..OLDER
};

const LONG: Named = Named {
    reason: "a server may not change a time-out: one that is out of range is left out",
    differences: &[("read f octet timeout=256", "[timeout=255]", "13 bytes")],
};

const OPTIONS: &[Named] = &[
    SMALL,
    Named {
        reason: "blocks are as large as the MTU allows: dnsmasq's buffer is for DNS",
        differences: &[("read f octet blksize=65464", "[blksize=1493]", "[blksize=65464]")],
    },
    LONG,
];

const WINDOWS: &[Named] = &[Named {
    reason: "a window of no block is invalid",
    differences: &[("read f octet windowsize=0", "[windowsize=1]", "13 bytes")],
}];

/// An OACK before each request. Version 2.93 keeps a block of a transfer that has ended, and answers a later transfer with
/// it whose record lies at the same place of its memory; an OACK clears the block.
fn apart(asked: Vec<Asked>) -> Vec<Asked> {
    asked.into_iter().flat_map(|it| [read_with("f", "octet", &[("tsize", "0")]), it]).collect()
}

#[test]
fn plain() {
    let Some(pair) = Pair::start(TEMPLATE, |_| {}) else { return };
    let windows = ["1", "300", "0"].map(|size| read_with("f", "octet", &[("windowsize", size)]));
    let asked = [names(), options(), contents(), windows.into(), others()].concat();
    compare(&pair, &apart(asked), &all(&[NAMES, OPTIONS, WINDOWS, &[NETASCII, UPLOADS]]));
}

#[test]
fn single_port() {
    if !across_a_cable("import::beside::dnsmasq_newer::single_port") {
        return;
    }
    let flags = "-C /dev/null --port=0 --enable-tftp --user=nobody --listen-address=ADDR --bind-interfaces \
                 --tftp-root=HERE --tftp-single-port";
    let started = Started { name: "newer dnsmasq --tftp-single-port", flags, ..TEMPLATE };
    let Some(pair) = Pair::start(started, |_| {}) else { return };
    let large = Named {
        reason: "blocks fit the MTU, and Tuffet is on loopback here",
        differences: &[("read f octet blksize=65464", "[blksize=1468]", "[blksize=65464]")],
    };
    compare(&pair, &apart([options(), contents()].concat()), &[SMALL, LONG, large]);
}
