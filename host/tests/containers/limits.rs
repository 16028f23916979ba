//! In little memory, with little of a processor.

use crate::harness::{Server, Setup, inspect, load, network};

const MIB: u64 = 1 << 20;

/// The cache of files is part of the container's memory, so it has to be told.
const YAML: &str = "
listeners: [{ address: '0.0.0.0:69', single-port: true }]
roots: [{ name: boot, path: /srv/tftp }]
limits: { cache: 16MiB }
";

/// The most memory that the server's process has had, without the pages of its program: these are many in a debug
/// build, and the kernel drops them when memory is short.
fn most(server: &Server) -> u64 {
    let of = |name| server.of_process(name).trim_end_matches(" kB").parse::<u64>().unwrap();
    1024 * (of("VmHWM") - of("RssFile"))
}

#[test]
fn fifty_transfers_at_once_within_64_mib_and_half_a_processor() {
    let setup = Setup::new().sizes(&[1_048_576, 3_000_001]).yaml(YAML).memory(64).cpus(0.5);
    let server = setup.start(&network());
    let facts = "{{.HostConfig.Memory}} {{.HostConfig.MemorySwap}} {{.HostConfig.NanoCpus}}";
    assert_eq!(inspect(server.id(), facts), "67108864 67108864 500000000");
    let files = server.path("");
    let figures = load(
        server.address(),
        &[
            "--file",
            "1048576",
            "--file",
            "3000001",
            "--expect",
            files.to_str().unwrap(),
            "--transfers",
            "50",
            "--concurrency",
            "50",
            "--blksize",
            "1428",
            "--windowsize",
            "8",
        ],
    );
    assert_eq!((&figures["completed"], &figures["transfers"]), (&50.into(), &50.into()), "{figures}");
    assert!(!server.was_stopped());
    assert!(most(&server) < 48 * MIB, "{} MiB", most(&server) / MIB);
    let outcomes = server.outcomes();
    assert_eq!(outcomes.iter().filter(|line| line["outcome"] == "served").count(), 50);
}

/// 1,000 machines within five seconds, each with a loader, a configuration or an initrd.
#[test]
fn a_boot_storm_against_48_mib() {
    let server =
        Setup::new().sizes(&[700, 30_000, 400_000]).yaml(YAML).memory(48).cpus(1.0).start(&network());
    let files = server.path("");
    let figures = load(
        server.address(),
        &[
            "--file",
            "700:6",
            "--file",
            "30000:3",
            "--file",
            "400000:1",
            "--expect",
            files.to_str().unwrap(),
            "--rate",
            "200",
            "--transfers",
            "1000",
            "--tsize",
            "--blksize",
            "1428",
            "--windowsize",
            "4",
        ],
    );
    assert_eq!((&figures["completed"], &figures["transfers"]), (&1000.into(), &1000.into()), "{figures}");
    assert!(!server.was_stopped());
    // The kernel enforces 48 MiB. The peak counts pages of the executable too, which it may drop; those of a debug build
    // are many.
    assert!(most(&server) < 48 * MIB, "{} MiB", most(&server) / MIB);
    let outcomes = server.outcomes();
    assert_eq!(outcomes.iter().filter(|line| line["outcome"] == "served").count(), 1000);
}
