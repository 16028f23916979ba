//! All servers, with their fastest flags. To add one, append it to [`SERVERS`].

use super::{Contender, FLOOR, Launch, Way, tuffet};
use crate::install::{Installed, crate_binary, first_output_line, package_binary, source_binary};
use std::path::Path;
use std::process::Command;

/// A limit of transfers above that of any case.
const TRANSFERS: &str = "20000";

/// Version of rs-tftpd; its package is called tftpd.
const RS_TFTPD: &str = "1.0.0";

/// The common settings of Tuffet's variants.
const VARIANT: Contender = Contender {
    name: "",
    variant: true,
    install: |_, own_programs| tuffet::installed(own_programs),
    command: |server, launch| Ok(tuffet::plain(server, launch, 1)),
    uploads: true,
    port_69: false,
    cores: 1,
    max_open: 10_000,
    watched: &[],
    slow_start: false,
};

/// All servers; Tuffet first, then the floor.
pub const SERVERS: &[Contender] = &[
    Contender {
        name: "tuffet",
        command: |server, launch| Ok(tuffet::plain(server, launch, 1)),
        variant: false,
        ..VARIANT
    },
    Contender {
        name: FLOOR,
        install: |_, own_programs| {
            let program = own_programs.micro.clone().ok_or("tuffet-micro is not here")?;
            let version = first_output_line(&program, "--version").unwrap_or_default();
            Ok(Installed { program, version })
        },
        command: |server, launch| {
            let mut command = Command::new(&server.program);
            command.arg("floor").arg("--listen").arg(launch.address.to_string()).arg(launch.root);
            Ok(command)
        },
        uploads: false,
        ..VARIANT
    },
    Contender { name: "tuffet-policy", command: tuffet::with_policy, ..VARIANT },
    Contender { name: "tuffet-acl", command: tuffet::with_acl, ..VARIANT },
    Contender { name: "tuffet-acl-kept", command: tuffet::with_acl_kept, ..VARIANT },
    Contender {
        name: "tuffet-python",
        install: |_, own_programs| tuffet::installed_with_python(own_programs),
        command: tuffet::with_python,
        slow_start: true,
        ..VARIANT
    },
    Contender { name: "tuffet-inventory", command: tuffet::with_inventory, ..VARIANT },
    Contender { name: "tuffet-bundled", command: tuffet::with_bundled, ..VARIANT },
    Contender { name: "tuffet-watched", command: tuffet::watched, watched: Way::ALL, ..VARIANT },
    Contender { name: "tuffet-audit", command: tuffet::watched, watched: &[Way::Audit], ..VARIANT },
    Contender { name: "tuffet-publish", command: tuffet::watched, watched: &[Way::Publish], ..VARIANT },
    Contender { name: "tuffet-traces", command: tuffet::watched, watched: &[Way::Traces], ..VARIANT },
    Contender { name: "tuffet-logs", command: tuffet::watched, watched: &[Way::Logs], ..VARIANT },
    Contender { name: "tuffet-views", command: tuffet::watched, watched: &[Way::Views], ..VARIANT },
    Contender { name: "tuffet-burst", command: tuffet::with_burst, ..VARIANT },
    Contender { name: "tuffet-sleep", command: tuffet::without_busy_poll, ..VARIANT },
    Contender {
        name: "tuffet-2-workers",
        command: |server, launch| Ok(tuffet::plain(server, launch, 2)),
        cores: 2,
        ..VARIANT
    },
    Contender {
        name: "tftpd-hpa",
        variant: false,
        install: |installer, _| package_binary(installer, "tftpd-hpa", "usr/sbin/in.tftpd", is_hpa),
        command: |server, launch| {
            let mut command = Command::new(&server.program);
            command.arg("--foreground").arg("--address").arg(launch.address.to_string());
            command.args(["--blocksize", "65464", "--create", "--permissive", "--user", "root", "--secure"]);
            command.arg(launch.root);
            Ok(command)
        },
        uploads: true,
        port_69: false,
        cores: 1,
        max_open: 1_000,
        watched: &[],
        slow_start: false,
    },
    Contender {
        name: "atftpd",
        variant: false,
        install: |installer, _| package_binary(installer, "atftpd", "usr/sbin/atftpd", |_| true),
        command: |server, launch| {
            let mut command = Command::new(&server.program);
            command.args([
                "--daemon",
                "--no-fork",
                "--no-multicast",
                "--user",
                "root.root",
                "--logfile",
                "/dev/null",
            ]);
            command.args(["--verbose=0", "--maxthread", TRANSFERS]);
            command.arg("--bind-address").arg(launch.address.ip().to_string());
            command.arg("--port").arg(launch.address.port().to_string());
            command.arg(launch.root);
            Ok(command)
        },
        uploads: true,
        port_69: false,
        cores: 1,
        max_open: 300,
        watched: &[],
        slow_start: false,
    },
    Contender {
        name: "dnsmasq",
        variant: false,
        // dnsmasq has windows from 2.92 on; a release may have an older one.
        install: |installer, _| {
            source_binary(installer, "dnsmasq", "src/dnsmasq", "make -s").or_else(|why| {
                package_binary(installer, "dnsmasq-base", "usr/sbin/dnsmasq", |_| true).map_err(|_| why)
            })
        },
        command: |server, launch| {
            let mut command = Command::new(&server.program);
            command.args([
                "--keep-in-foreground",
                "--conf-file=/dev/null",
                "--port=0",
                "--pid-file=",
                "--user=root",
            ]);
            command.args(["--enable-tftp", "--bind-interfaces", "--log-facility=/dev/null"]);
            command.arg(format!("--tftp-max={TRANSFERS}"));
            command.arg(format!("--tftp-root={}", launch.root.display()));
            command.arg(format!("--listen-address={}", launch.address.ip()));
            Ok(command)
        },
        uploads: false,
        port_69: true,
        cores: 1,
        max_open: 10_000,
        watched: &[],
        slow_start: false,
    },
    Contender {
        name: "rs-tftpd",
        variant: false,
        install: |installer, _| crate_binary(installer, "tftpd", RS_TFTPD, "tftpd"),
        command: |server, launch| {
            let mut command = Command::new(&server.program);
            command.arg("--ip-address").arg(launch.address.ip().to_string());
            command.arg("--port").arg(launch.address.port().to_string());
            command.arg("--directory").arg(launch.root);
            command.args(["--overwrite", "--quiet"]);
            Ok(command)
        },
        uploads: true,
        port_69: false,
        cores: 1,
        max_open: 2_000,
        watched: &[],
        slow_start: false,
    },
    Contender {
        name: "busybox",
        variant: false,
        // Debian's package has only the client.
        install: |installer, _| source_binary(installer, "busybox", "udpsvd", BUSYBOX),
        command: busybox,
        uploads: true,
        port_69: false,
        cores: 1,
        max_open: 300,
        watched: &[],
        slow_start: false,
    },
];

/// Builds only these applets; a link's name selects the applet.
const BUSYBOX: &str = "\
make -s allnoconfig > /dev/null
for key in TFTPD UDPSVD FEATURE_TFTP_PUT FEATURE_TFTP_GET FEATURE_TFTP_BLOCKSIZE LFS; do
    sed -i \"s/# CONFIG_$key is not set/CONFIG_$key=y/\" .config
done
yes '' | make -s oldconfig > /dev/null
make -s
ln -sf busybox tftpd
ln -sf busybox udpsvd";

/// udpsvd starts a process for each transfer; its default limit is 30.
fn busybox(server: &Installed, launch: &Launch<'_>) -> Result<Command, String> {
    let mut command = Command::new(&server.program);
    command.args(["-c", TRANSFERS, "-E"]);
    command.arg(launch.address.ip().to_string()).arg(launch.address.port().to_string());
    command.arg(server.program.with_file_name("tftpd"));
    command.arg(if launch.uploads { "-c" } else { "-r" }).arg(launch.root);
    Ok(command)
}

/// Whether it is tftp-hpa: the package atftpd has a link of the same name.
fn is_hpa(program: &Path) -> bool {
    first_output_line(program, "--version").is_some_and(|version| version.starts_with("tftp-hpa"))
}
