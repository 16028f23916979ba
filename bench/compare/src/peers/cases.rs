//! The cases, with Tuffet's targets in each. To add one, append it to [`CASES`].

use crate::load::{Client, Load};
use crate::peers::metric::Metric;
use crate::server::FLOOR;
use std::time::Duration;

pub(crate) const KIB: u64 = 1024;
pub(crate) const MIB: u64 = 1024 * KIB;

/// A case that is measured on every server.
#[derive(Debug)]
pub(crate) struct Case {
    /// The name for `--case` and in the results.
    pub(crate) name: &'static str,
    /// The title in the tables.
    pub(crate) title: &'static str,
    pub(crate) kind: Kind,
    pub(crate) servers: Servers,
    pub(crate) targets: &'static [Target],
}

/// The servers of a case.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Servers {
    /// Tuffet and every peer.
    All,
    /// Tuffet, every peer, and these variants of Tuffet or the floor.
    AllAnd(&'static [&'static str]),
    /// Only these.
    Only(&'static [&'static str]),
}

/// The measurement of a case.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// File transfers.
    Transfers(Load),
    /// Uploads to a disk, synced by servers that do so.
    ToDisk(Load),
    /// File transfers, alone and during a storm of requests.
    Beside { load: Load, storm: Load },
    /// Transfers of files that no cache holds.
    Cold(Load),
    /// A transfer from memory, alone and beside transfers of cold files.
    BesideCold { load: Load, cold: Load },
    /// The growth of the server's memory through open transfers.
    Memory { open: u32, windowsize: u16 },
    /// The work of an idle server, with this many transfers of silent clients.
    Idle { stalled: u32 },
}

/// A target.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target {
    /// The server that must reach it.
    pub(crate) who: &'static str,
    pub(crate) metric: Metric,
    pub(crate) bound: Bound,
}

/// The bound for a figure.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Bound {
    AtMost(f64),
    /// At least this multiple of the best peer that completed every transfer.
    TimesBestPeer(f64),
    /// At least this multiple of another server's figure.
    Times(f64, &'static str),
    /// At most this multiple of another server's figure.
    AtMostTimes(f64, &'static str),
    /// At most this multiple of the best peer that completed every transfer.
    AtMostTimesBestPeer(f64),
}

impl Case {
    /// The measured third-party client.
    pub(crate) fn client(&self) -> Option<Client> {
        match self.kind {
            Kind::Transfers(load) | Kind::ToDisk(load) => load.client,
            _ => None,
        }
    }

    /// Whether this server takes part. `variant`: it is a variant of Tuffet.
    pub(crate) fn includes(&self, server: &str, variant: bool) -> bool {
        match self.servers {
            Servers::All => !variant,
            Servers::AllAnd(variants) => !variant || variants.contains(&server),
            Servers::Only(names) => names.contains(&server),
        }
    }
}

const READ: Load = Load { size: 10 * MIB, ..Load::READ };
const SMALL_FILES: Load = Load { transfers: 5_000, concurrency: 100, size: 2 * KIB, ..READ };
const CROWD: Load = Load { transfers: 2_000, concurrency: 1_000, size: 64 * KIB, ..READ };
const LOCKSTEP_1400: Load = Load { blksize: Some(1400), ..READ };
const WRITE: Load = Load { write: true, transfers: 3, concurrency: 3, ..READ };
const WINDOW_64: Load = Load { transfers: 12, concurrency: 3, windowsize: Some(64), ..LOCKSTEP_1400 };
const EIGHT_1400: Load = Load { transfers: 16, concurrency: 8, ..LOCKSTEP_1400 };
const WRITE_16: Load = Load { blksize: Some(1400), windowsize: Some(16), ..WRITE };
const WRITE_SMALL: Load = Load { size: 2 * KIB, transfers: 1_000, concurrency: 1_000, ..WRITE };
const LOSSY: Load = Load {
    transfers: 8,
    concurrency: 8,
    size: MIB,
    loss: 0.01,
    limit: Duration::from_secs(120),
    ..LOCKSTEP_1400
};

/// Requests at a constant rate; the file is one block.
const ADMITTED: Load = Load { transfers: 10_000, concurrency: 4_096, size: 511, rate: Some(1_000.0), ..READ };
const PHONES: Load = Load { transfers: 300, concurrency: 300, size: 511, ..READ };
const COLD: Load = Load { transfers: 32, size: MIB, limit: Duration::from_secs(120), ..LOCKSTEP_1400 };
const STORM: Load = Load { transfers: 25_000, rate: Some(5_000.0), ..ADMITTED };

const fn tuffet(metric: Metric, bound: Bound) -> Target {
    Target { who: "tuffet", metric, bound }
}

/// Tuffet, and its variants that are watched.
const WATCHED: &[&str] = &[
    "tuffet",
    "tuffet-audit",
    "tuffet-publish",
    "tuffet-traces",
    "tuffet-logs",
    "tuffet-views",
    "tuffet-watched",
];

/// A watched variant needs at most this multiple of the CPU time.
const fn watched(who: &'static str, times: f64) -> Target {
    Target { who, metric: Metric::CpuMsPerTransfer, bound: Bound::AtMostTimes(times, "tuffet") }
}

/// Transfers by a third-party client, also from a Tuffet that never polls: the client is the bottleneck, so the server
/// mostly waits.
const fn third_party(
    name: &'static str,
    title: &'static str,
    load: Load,
    targets: &'static [Target],
) -> Case {
    let variants: &[_] = if load.write { &["tuffet-sleep"] } else { &["tuffet-sleep", FLOOR] };
    Case { name, title, kind: Kind::Transfers(load), servers: Servers::AllAnd(variants), targets }
}

/// Sequential downloads by fast clients with a receive buffer smaller than a window, like virtual machines and
/// containers beside the server.
const fn small_buffer(
    name: &'static str,
    title: &'static str,
    (kib, windowsize): (u32, u16),
    targets: &'static [Target],
) -> Case {
    let load =
        Load { transfers: 8, windowsize: Some(windowsize), receive_buffer: Some(kib), ..LOCKSTEP_1400 };
    Case {
        name,
        title,
        kind: Kind::Transfers(load),
        servers: Servers::Only(&["tuffet", "rs-tftpd"]),
        targets,
    }
}

/// Every transfer completes with the right bytes.
const ALL_COMPLETE: Target = tuffet(Metric::Incomplete, Bound::AtMost(0.0));

/// All cases, in the order of the tables.
pub(crate) const CASES: &[Case] = &[
    Case {
        name: "window64-gro",
        title: "32 × 10 MiB, 8 at once, blksize 1400, windowsize 64, client with UDP_GRO",
        kind: Kind::Transfers(Load {
            transfers: 32,
            concurrency: 8,
            windowsize: Some(64),
            gro: true,
            ..LOCKSTEP_1400
        }),
        servers: Servers::AllAnd(&[FLOOR]),
        targets: &[
            ALL_COMPLETE,
            tuffet(Metric::ThroughputMbS, Bound::TimesBestPeer(6.0)),
            tuffet(Metric::CpuSPerGb, Bound::AtMostTimes(1.3, FLOOR)),
        ],
    },
    Case {
        name: "window64",
        title: "12 × 10 MiB, 3 at once, blksize 1400, windowsize 64",
        kind: Kind::Transfers(WINDOW_64),
        servers: Servers::AllAnd(&["tuffet-watched", FLOOR]),
        targets: &[
            ALL_COMPLETE,
            tuffet(Metric::ThroughputMbS, Bound::TimesBestPeer(2.0)),
            Target {
                who: "tuffet-watched",
                metric: Metric::CpuSPerGb,
                bound: Bound::AtMostTimes(1.02, "tuffet"),
            },
        ],
    },
    small_buffer(
        "buffer16-window16",
        "8 × 10 MiB, 1 at once, blksize 1400, windowsize 16, receive buffer 16 KiB",
        (16, 16),
        &[ALL_COMPLETE, tuffet(Metric::ThroughputMbS, Bound::Times(0.8, "rs-tftpd"))],
    ),
    small_buffer(
        "buffer16-window64",
        "8 × 10 MiB, 1 at once, blksize 1400, windowsize 64, receive buffer 16 KiB",
        (16, 64),
        &[ALL_COMPLETE, tuffet(Metric::ThroughputMbS, Bound::Times(0.8, "rs-tftpd"))],
    ),
    small_buffer(
        "buffer32-window16",
        "8 × 10 MiB, 1 at once, blksize 1400, windowsize 16, receive buffer 32 KiB",
        (32, 16),
        &[ALL_COMPLETE, tuffet(Metric::ThroughputMbS, Bound::Times(0.8, "rs-tftpd"))],
    ),
    small_buffer(
        "buffer32-window64",
        "8 × 10 MiB, 1 at once, blksize 1400, windowsize 64, receive buffer 32 KiB",
        (32, 64),
        &[ALL_COMPLETE, tuffet(Metric::ThroughputMbS, Bound::Times(0.8, "rs-tftpd"))],
    ),
    small_buffer(
        "buffer64-window16",
        "8 × 10 MiB, 1 at once, blksize 1400, windowsize 16, receive buffer 64 KiB",
        (64, 16),
        &[ALL_COMPLETE, tuffet(Metric::ThroughputMbS, Bound::Times(0.8, "rs-tftpd"))],
    ),
    small_buffer(
        "buffer64-window64",
        "8 × 10 MiB, 1 at once, blksize 1400, windowsize 64, receive buffer 64 KiB",
        (64, 64),
        &[ALL_COMPLETE, tuffet(Metric::ThroughputMbS, Bound::Times(0.8, "rs-tftpd"))],
    ),
    Case {
        name: "lockstep-1400",
        title: "16 × 10 MiB, 8 at once, blksize 1400, lockstep",
        kind: Kind::Transfers(EIGHT_1400),
        servers: Servers::AllAnd(&["tuffet-sleep", FLOOR]),
        targets: &[
            ALL_COMPLETE,
            tuffet(Metric::ThroughputMbS, Bound::Times(1.3, "dnsmasq")),
            tuffet(Metric::CpuSPerGb, Bound::AtMostTimes(1.1, FLOOR)),
        ],
    },
    Case {
        name: "lockstep-512",
        title: "2 × 10 MiB, one at a time, blksize 512, lockstep",
        kind: Kind::Transfers(Load { transfers: 2, ..READ }),
        servers: Servers::AllAnd(&["tuffet-sleep", FLOOR]),
        targets: &[ALL_COMPLETE, tuffet(Metric::ThroughputMbS, Bound::TimesBestPeer(1.0))],
    },
    Case {
        name: "small-files",
        title: "5,000 × 2 KiB, 100 at once, blksize 512",
        kind: Kind::Transfers(SMALL_FILES),
        servers: Servers::AllAnd(&["tuffet-policy", FLOOR]),
        targets: &[
            ALL_COMPLETE,
            tuffet(Metric::CpuSPerGb, Bound::AtMostTimes(1.25, FLOOR)),
            tuffet(Metric::TransfersPerS, Bound::Times(1.3, "dnsmasq")),
            Target {
                who: "tuffet-policy",
                metric: Metric::TransfersPerS,
                bound: Bound::Times(1.0, "rs-tftpd"),
            },
        ],
    },
    Case {
        name: "watched",
        title: "5,000 × 2 KiB, 100 at once, blksize 512, watched in one way or in all",
        kind: Kind::Transfers(SMALL_FILES),
        servers: Servers::Only(WATCHED),
        targets: &[
            watched("tuffet-audit", 1.15),
            watched("tuffet-publish", 1.15),
            watched("tuffet-traces", 1.15),
            watched("tuffet-logs", 1.15),
            watched("tuffet-views", 1.15),
            watched("tuffet-watched", 1.5),
        ],
    },
    Case {
        name: "admission",
        title: "1,000 requests a second for 10 s, 512 bytes each: how long until the answer",
        kind: Kind::Transfers(ADMITTED),
        servers: Servers::AllAnd(&["tuffet-acl", "tuffet-acl-kept", "tuffet-bundled"]),
        targets: &[
            ALL_COMPLETE,
            Target { who: "tuffet-acl", metric: Metric::DecisionP50Us, bound: Bound::AtMost(40.0) },
            Target { who: "tuffet-acl-kept", metric: Metric::DecisionP50Us, bound: Bound::AtMost(15.0) },
            Target { who: "tuffet-acl", metric: Metric::DecisionP99Us, bound: Bound::AtMost(1_000.0) },
            Target { who: "tuffet-acl", metric: Metric::AnswerP99Ms, bound: Bound::AtMost(1.0) },
        ],
    },
    Case {
        name: "admission-python",
        title: "50 requests a second for 10 s, 512 bytes each, a plugin in Python: how long until the answer",
        kind: Kind::Transfers(Load { transfers: 500, rate: Some(50.0), ..ADMITTED }),
        servers: Servers::Only(&["tuffet-python"]),
        targets: &[Target {
            who: "tuffet-python",
            metric: Metric::DecisionP50Us,
            bound: Bound::AtMost(1_000.0),
        }],
    },
    Case {
        name: "phones",
        title: "300 clients that ask at once, 512 bytes each, with inventories of 100,000 devices",
        kind: Kind::Transfers(PHONES),
        servers: Servers::Only(&["tuffet", "tuffet-inventory"]),
        targets: &[
            Target { who: "tuffet-inventory", metric: Metric::Incomplete, bound: Bound::AtMost(0.0) },
            Target { who: "tuffet-inventory", metric: Metric::ClientTimeouts, bound: Bound::AtMost(0.0) },
        ],
    },
    Case {
        name: "storm",
        title: "a storm of 5,000 requests a second for 5 s, 512 bytes each, beside one lockstep transfer of 512-byte blocks",
        kind: Kind::Beside { load: READ, storm: STORM },
        servers: Servers::Only(&["tuffet", "tuffet-bundled"]),
        targets: &[
            ALL_COMPLETE,
            Target { who: "tuffet-bundled", metric: Metric::Incomplete, bound: Bound::AtMost(0.0) },
            Target { who: "tuffet-bundled", metric: Metric::ClientTimeouts, bound: Bound::AtMost(0.0) },
        ],
    },
    Case {
        name: "cold",
        title: "cold files from a disk: 32 × 1 MiB, one at a time, blksize 1400, lockstep",
        kind: Kind::Cold(COLD),
        servers: Servers::All,
        targets: &[ALL_COMPLETE, tuffet(Metric::ThroughputMbS, Bound::TimesBestPeer(1.0))],
    },
    Case {
        name: "cold-100",
        title: "cold files from a disk: 100 × 1 MiB, all at once, blksize 1400, lockstep",
        kind: Kind::Cold(Load { transfers: 100, concurrency: 100, ..COLD }),
        servers: Servers::All,
        targets: &[ALL_COMPLETE, tuffet(Metric::ThroughputMbS, Bound::TimesBestPeer(1.0))],
    },
    Case {
        name: "beside-cold",
        title: "a lockstep transfer of 512-byte blocks from memory, beside 100 × 1 MiB of cold files from a disk",
        kind: Kind::BesideCold { load: READ, cold: Load { transfers: 100, concurrency: 100, ..COLD } },
        servers: Servers::All,
        targets: &[ALL_COMPLETE],
    },
    Case {
        name: "medium-window8",
        title: "2,000 × 64 KiB, 200 at once, blksize 1400, windowsize 8",
        kind: Kind::Transfers(Load {
            transfers: 2_000,
            concurrency: 200,
            size: 64 * KIB,
            windowsize: Some(8),
            ..LOCKSTEP_1400
        }),
        servers: Servers::AllAnd(&[FLOOR]),
        targets: &[ALL_COMPLETE, tuffet(Metric::ThroughputMbS, Bound::TimesBestPeer(3.0))],
    },
    Case {
        name: "crowd",
        title: "2,000 × 64 KiB, 1,000 at once, blksize 512",
        kind: Kind::Transfers(CROWD),
        servers: Servers::AllAnd(&[FLOOR]),
        targets: &[
            ALL_COMPLETE,
            tuffet(Metric::ThroughputMbS, Bound::TimesBestPeer(2.0)),
            tuffet(Metric::ClientTimeouts, Bound::AtMost(0.0)),
        ],
    },
    Case {
        name: "loss-lockstep",
        title: "8 × 1 MiB at once over 1 % loss each way, blksize 1400, lockstep",
        kind: Kind::Transfers(LOSSY),
        servers: Servers::All,
        targets: &[ALL_COMPLETE, tuffet(Metric::ThroughputMbS, Bound::TimesBestPeer(20.0))],
    },
    Case {
        name: "loss-window16",
        title: "8 × 1 MiB at once over 1 % loss each way, blksize 1400, windowsize 16",
        kind: Kind::Transfers(Load { windowsize: Some(16), ..LOSSY }),
        servers: Servers::All,
        targets: &[ALL_COMPLETE, tuffet(Metric::ThroughputMbS, Bound::TimesBestPeer(20.0))],
    },
    Case {
        name: "small-receiver",
        title: "4 × 1 MiB at once, blksize 1400, windowsize 64, clients that lose what comes beyond 16 packets in a millisecond",
        kind: Kind::Transfers(Load {
            transfers: 4,
            concurrency: 4,
            windowsize: Some(64),
            loss: 0.0,
            take: Some(16),
            ..LOSSY
        }),
        servers: Servers::AllAnd(&["tuffet-burst"]),
        targets: &[
            ALL_COMPLETE,
            tuffet(Metric::ThroughputMbS, Bound::TimesBestPeer(2.0)),
            // Learning the burst is nearly as good as configuring it.
            tuffet(Metric::ThroughputMbS, Bound::Times(0.8, "tuffet-burst")),
        ],
    },
    Case {
        name: "upload-512",
        title: "uploads, 3 × 10 MiB at once, blksize 512, lockstep",
        kind: Kind::Transfers(WRITE),
        servers: Servers::All,
        targets: &[ALL_COMPLETE, tuffet(Metric::ThroughputMbS, Bound::TimesBestPeer(1.2))],
    },
    Case {
        name: "upload-window16",
        title: "uploads, 3 × 10 MiB at once, blksize 1400, windowsize 16",
        kind: Kind::Transfers(WRITE_16),
        servers: Servers::All,
        targets: &[ALL_COMPLETE, tuffet(Metric::ThroughputMbS, Bound::TimesBestPeer(2.0))],
    },
    Case {
        name: "upload-window16-gso",
        title: "uploads, 3 × 10 MiB at once, blksize 1400, windowsize 16, client with UDP_SEGMENT",
        kind: Kind::Transfers(Load { blksize: Some(1400), windowsize: Some(16), gso: true, ..WRITE }),
        servers: Servers::All,
        targets: &[ALL_COMPLETE],
    },
    Case {
        name: "upload-small",
        title: "uploads to a disk, 1,000 × 2 KiB at once, blksize 512",
        kind: Kind::ToDisk(WRITE_SMALL),
        servers: Servers::All,
        targets: &[ALL_COMPLETE, tuffet(Metric::TransfersPerS, Bound::TimesBestPeer(4.0))],
    },
    third_party(
        "curl-lockstep-1400",
        "curl: 16 × 10 MiB, 8 at once, blksize 1400, lockstep",
        Load { client: Some(Client::Curl), ..EIGHT_1400 },
        &[ALL_COMPLETE, tuffet(Metric::CpuSPerGb, Bound::AtMostTimesBestPeer(1.0))],
    ),
    third_party(
        "curl-small-files",
        "curl: 5,000 × 2 KiB, 100 at once, blksize 512",
        Load { client: Some(Client::Curl), ..SMALL_FILES },
        &[ALL_COMPLETE, tuffet(Metric::CpuMsPerTransfer, Bound::AtMostTimesBestPeer(1.0))],
    ),
    third_party(
        "curl-crowd",
        "curl: 2,000 × 64 KiB, 1,000 at once, blksize 512",
        Load { client: Some(Client::Curl), ..CROWD },
        &[ALL_COMPLETE, tuffet(Metric::CpuSPerGb, Bound::AtMostTimesBestPeer(1.0))],
    ),
    third_party(
        "curl-upload-512",
        "curl: uploads, 3 × 10 MiB at once, blksize 512, lockstep",
        Load { client: Some(Client::Curl), ..WRITE },
        &[ALL_COMPLETE, tuffet(Metric::CpuSPerGb, Bound::AtMostTimesBestPeer(1.0))],
    ),
    Case {
        name: "curl-upload-small",
        title: "curl: uploads to a disk, 1,000 × 2 KiB at once, blksize 512",
        kind: Kind::ToDisk(Load { client: Some(Client::Curl), ..WRITE_SMALL }),
        servers: Servers::All,
        targets: &[ALL_COMPLETE, tuffet(Metric::TransfersPerS, Bound::TimesBestPeer(1.0))],
    },
    third_party(
        "atftp-window64",
        "atftp: 12 × 10 MiB, 3 at once, blksize 1400, windowsize 64",
        Load { client: Some(Client::Atftp), ..WINDOW_64 },
        &[ALL_COMPLETE, tuffet(Metric::ThroughputMbS, Bound::TimesBestPeer(1.0))],
    ),
    third_party(
        "atftp-upload-window16",
        "atftp: uploads, 3 × 10 MiB at once, blksize 1400, windowsize 16",
        Load { client: Some(Client::Atftp), ..WRITE_16 },
        &[ALL_COMPLETE, tuffet(Metric::ThroughputMbS, Bound::TimesBestPeer(1.0))],
    ),
    third_party(
        "tftp-hpa-lockstep-512",
        "tftp-hpa: 2 × 10 MiB, one at a time, blksize 512, lockstep",
        Load { client: Some(Client::TftpHpa), transfers: 2, ..READ },
        &[ALL_COMPLETE, tuffet(Metric::ThroughputMbS, Bound::TimesBestPeer(1.0))],
    ),
    Case {
        name: "memory",
        title: "memory: 10,000 transfers held open, lockstep",
        kind: Kind::Memory { open: 10_000, windowsize: 1 },
        servers: Servers::All,
        targets: &[tuffet(Metric::GrowthBytes, Bound::AtMost(256.0))],
    },
    Case {
        name: "memory-window64",
        title: "memory: 10,000 transfers held open, windowsize 64",
        kind: Kind::Memory { open: 10_000, windowsize: 64 },
        servers: Servers::All,
        targets: &[tuffet(Metric::GrowthBytes, Bound::AtMost(256.0))],
    },
    Case {
        name: "workers",
        title: "two workers against one: 32 × 10 MiB, 8 at once, blksize 1400, windowsize 64, client with UDP_GRO",
        kind: Kind::Transfers(Load {
            transfers: 32,
            concurrency: 8,
            windowsize: Some(64),
            gro: true,
            ..LOCKSTEP_1400
        }),
        servers: Servers::Only(&["tuffet", "tuffet-2-workers"]),
        targets: &[Target {
            who: "tuffet-2-workers",
            metric: Metric::CpuSPerGb,
            bound: Bound::AtMostTimes(1.1, "tuffet"),
        }],
    },
    Case {
        name: "idle",
        title: "idle: no transfer",
        kind: Kind::Idle { stalled: 0 },
        servers: Servers::All,
        targets: &[
            tuffet(Metric::BusyPercent, Bound::AtMost(0.5)),
            tuffet(Metric::WakeupsPerS, Bound::AtMost(1.0)),
        ],
    },
    Case {
        name: "idle-stalled",
        title: "idle: 1,000 transfers whose clients stay silent",
        kind: Kind::Idle { stalled: 1_000 },
        servers: Servers::All,
        targets: &[tuffet(Metric::BusyPercent, Bound::AtMost(2.0))],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::SERVERS;

    #[test]
    fn names_differ_and_targets_are_about_who_takes_part() {
        for (index, case) in CASES.iter().enumerate() {
            assert!(CASES[..index].iter().all(|other| other.name != case.name), "{}", case.name);
            for target in case.targets {
                let variant = target.who != "tuffet";
                assert!(case.includes(target.who, variant), "{}: {}", case.name, target.who);
            }
        }
    }

    #[test]
    fn variants_take_part_only_where_they_are_named() {
        let case = |name| CASES.iter().find(|case| case.name == name).unwrap();
        assert!(case("small-files").includes("tuffet-policy", true));
        assert!(!case("window64").includes("tuffet-policy", true));
        assert!(case("window64").includes("dnsmasq", false));
        assert!(!case("workers").includes("dnsmasq", false));
    }

    #[test]
    fn the_cases_name_servers_that_exist() {
        for case in CASES {
            assert!(SERVERS.iter().any(|server| case.includes(server.name, server.variant)), "{}", case.name);
            for target in case.targets {
                assert!(SERVERS.iter().any(|server| server.name == target.who), "{}", target.who);
            }
        }
    }
}
