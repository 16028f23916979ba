//! Configurations of the shapes that provisioning systems write: each is imported, and the result is good.
//!
//! All of them are written for these tests, after what the systems generate.

use super::{checked, import, import_file, open_folder};
use std::fs;
use tempfile::TempDir;

/// What a system writes: files, and the server's flags or file. `HERE` is the folder of the test.
struct System {
    name: &'static str,
    /// A path below the folder, and the content.
    files: &'static [(&'static str, &'static str)],
    from: From,
    /// Exit code: 1 if something is not carried over.
    code: i32,
    /// Lines that the configuration must have.
    has: &'static [&'static str],
    /// Parts of the remarks, all of them.
    remarks: &'static [&'static str],
}

enum From {
    Flags(&'static str, &'static str),
    /// Server, option, file.
    File(&'static str, &'static str, &'static str),
}

const READ_AGAIN: &str = "again within a second of a change";
const READ_ONLY: &str = "can upload nothing";

const SYSTEMS: &[System] = &[
    // in.tftpd without --secure, five times -v, and a map that makes names absolute.
    System {
        name: "Ironic",
        files: &[("map-file", "r ^(HERE/) HERE/\\2\nr ^HERE/ HERE/\nr ^(^/) HERE/\\1\nr ^([^/]) HERE/\\1\n")],
        from: From::Flags(
            "tftpd-hpa",
            "-v -v -v -v -v --user nobody --listen --address 192.0.2.1:69 --map-file HERE/map-file \
             --blocksize 1420 HERE",
        ),
        code: 0,
        has: &["max-blksize: 1420", "path: HERE", "dialect: tftpd-hpa-5.2"],
        remarks: &["compares names with the text", READ_ONLY, READ_AGAIN, "-v: Tuffet logs every request"],
    },
    System {
        name: "xCAT",
        files: &[("tftpmapfile4xcat.conf", "rg (\\\\) \\/\n")],
        from: From::Flags("tftpd-hpa", "-v -l -s HERE -m HERE/tftpmapfile4xcat.conf"),
        code: 0,
        has: &["component: builtin:remap", "world-readable: true"],
        remarks: &[READ_ONLY, READ_AGAIN, "-v: Tuffet logs every request"],
    },
    System {
        name: "Foreman",
        files: &[
            (
                "tftpd.map",
                "# Convert backslashes to slashes\nrg \\\\ /\n# ZTP\nri ^/?ztp.cfg/(.*)$ ztp.cfg/\\U\\1\\E\n\
                 # Boot files\nr ^/?grub2/grub\\.cfg-(.*)$ grub2/grub.cfg-\\1\n",
            ),
            (
                "defaults",
                "TFTP_USERNAME=\"root\"\nTFTP_DIRECTORY=\"HERE\"\nTFTP_ADDRESS=\"0.0.0.0:69\"\n\
                 TFTP_OPTIONS=\"--secure -m HERE/tftpd.map -v\"\n",
            ),
        ],
        from: From::File("tftpd-hpa", "--defaults", "HERE/defaults"),
        code: 0,
        has: &["user: root", "0.0.0.0:69"],
        remarks: &[READ_AGAIN, "--user root: Tuffet stays root", "-v: Tuffet logs every request", READ_ONLY],
    },
    System {
        name: "Cobbler",
        files: &[],
        from: From::Flags("tftpd-hpa", "-L -u nobody -s HERE"),
        code: 0,
        has: &["user: nobody"],
        remarks: &[READ_ONLY],
    },
    System {
        name: "WalT",
        files: &[("walt.map", "r .* nodes/\\i/tftp/\\0\n")],
        from: From::Flags("tftpd-hpa", "-4 -L -s -p -m HERE/walt.map HERE"),
        code: 0,
        has: &["map-file:", "path: walt.map"],
        remarks: &[READ_ONLY, READ_AGAIN],
    },
    System {
        name: "FOG",
        files: &[(
            "defaults",
            "# /etc/default/tftpd-hpa\n# FOG Modified version\nTFTP_USERNAME=\"nobody\"\nTFTP_DIRECTORY=\"HERE\"\n\
             TFTP_ADDRESS=\":69\"\nTFTP_OPTIONS=\"-s\"\n",
        )],
        from: From::File("tftpd-hpa", "--defaults", "HERE/defaults"),
        code: 0,
        has: &["user: nobody", "0.0.0.0:69"],
        remarks: &[READ_ONLY],
    },
    // Phones: languages and ring tones lie in folders that the phones do not name.
    System {
        name: "sccp",
        files: &[(
            "sccp.map",
            "rg \\\\ /\nri ^/?(SEP|SIP|MGC)([0-9A-F]{12})\\.(cnf\\.xml)(\\.sgn)?$ settings/\\U\\1\\2\\E.\\3 \n\
             ri ^(.*)\\.(loads|sbn|bin|zup|sb2|sgn)$ firmware/\\1.\\2\n\
             ri ^/?(English|German)_[A-Za-z]+/(.*)$ locales/languages/\\1/\\2\nri ^/?ringlist\\.xml$ ringtones/ringlist.xml\n\
             r ^([^/]*)$ \\0 # all others\n",
        )],
        from: From::Flags(
            "tftpd-hpa",
            "--listen --user nobody --address 0.0.0.0:69 -s --map-file HERE/sccp.map HERE",
        ),
        code: 0,
        has: &["map-file:", "path: sccp.map"],
        remarks: &[READ_ONLY, READ_AGAIN],
    },
    System {
        name: "LTSP",
        files: &[(
            "ltsp-dnsmasq.conf",
            "# Configures dnsmasq for PXE client booting.\n\nport=0\nlog-dhcp\nenable-tftp\ntftp-root=HERE\n\
                 dhcp-range=10.0.0.0,proxy\ndhcp-option=17,10.0.0.1:/srv/ltsp\ndhcp-vendorclass=X86PC,PXEClient:Arch:00000\n\
                 dhcp-no-override\npxe-prompt=\"Booting PXE\", 0\npxe-service=tag:X86PC,X86PC,\"undionly.kpxe\",ltsp/undionly.kpxe\n\
                 user=nobody\n",
        )],
        from: From::File("dnsmasq", "--conf", "HERE/ltsp-dnsmasq.conf"),
        code: 0,
        has: &["max-blksize: auto"],
        remarks: &[
            "write `pxe-service=tag:X86PC,X86PC,undionly.kpxe,ltsp/undionly.kpxe,ADDRESS`, with Tuffet's address",
        ],
    },
    System {
        name: "Metal3",
        files: &[(
            "dnsmasq.conf",
            "interface=lo\nbind-dynamic\nport=0\nenable-tftp\ntftp-root=HERE\ntftp-secure\nuser=root\nlog-queries\n\
             dhcp-match=set:ipxe,175\ndhcp-boot=tag:!ipxe,undionly.kpxe\ndhcp-script=/usr/bin/notify\n",
        )],
        from: From::File("dnsmasq", "--conf", "HERE/dnsmasq.conf"),
        code: 0,
        has: &["interface: lo", "world-readable: true", "user: root"],
        remarks: &[
            "dnsmasq calls it with `tftp SIZE ADDRESS PATH`",
            "write `dhcp-boot=tag:!ipxe,undionly.kpxe,,ADDRESS`, with Tuffet's address",
        ],
    },
    // A container: everything on the command line.
    System {
        name: "netboot.xyz",
        files: &[],
        from: From::Flags(
            "dnsmasq",
            "-C /dev/null --port=0 --keep-in-foreground --enable-tftp --user=nobody --tftp-secure --tftp-root=HERE \
             --tftp-single-port",
        ),
        code: 1,
        has: &["single-port: true", "world-readable: true"],
        remarks: &["serves only files that its own user (nobody) owns"],
    },
];

fn run(system: &System, folder: &TempDir) {
    let here = folder.path().to_str().unwrap();
    let with = |text: &str| text.replace("HERE", here);
    for (name, content) in system.files {
        fs::write(folder.path().join(name), with(content)).unwrap();
    }
    let ran = match system.from {
        From::Flags(server, flags) => import(server, &with(flags)),
        From::File(server, flag, file) => import_file(server, flag, with(file).as_ref()),
    };
    let name = system.name;
    assert_eq!(ran.code(), system.code, "{name}: {}", ran.stderr);
    let yaml = checked(&ran);
    for line in system.has {
        let line = with(line).replace('"', "");
        assert!(yaml.replace('"', "").contains(&line), "{name} lacks {line}:\n{yaml}");
    }
    let remarks: Vec<&str> = ran.stderr.lines().collect();
    for expected in system.remarks {
        assert!(
            remarks.iter().any(|remark| remark.contains(expected)),
            "{name} lacks {expected}: {remarks:#?}"
        );
    }
    let unexpected = |remark: &&&str| !system.remarks.iter().any(|expected| remark.contains(expected));
    let unexpected: Vec<_> = remarks.iter().filter(unexpected).collect();
    assert!(unexpected.is_empty(), "{name}: {unexpected:#?}");
}

#[test]
fn configurations_of_provisioning_systems() {
    for system in SYSTEMS {
        run(system, &open_folder());
    }
    assert_eq!(SYSTEMS.len(), 10);
}
