//! The configurations of DHCP servers in docs/dhcp.md, checked by those servers.

use super::servers::installed;
use crate::harness::skipped;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

const PAGE: &str = include_str!("../../../../docs/dhcp.md");

/// The blocks of the page in this language.
fn blocks(language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    let blocks: Vec<String> =
        PAGE.split(&*fence).skip(1).map(|rest| rest.split("\n```").next().unwrap().to_owned()).collect();
    assert!(!blocks.is_empty(), "{language}");
    // Kea wants an interface that exists.
    blocks.into_iter().map(|block| block.replace("eth0", "lo") + "\n").collect()
}

/// Runs the server's own check on each block, and on one with a mistake.
fn checked_by(program: &Path, language: &str, flags: &[&str], mistake: (&str, &str)) {
    let folder = TempDir::new().unwrap();
    let check = |text: &str| {
        let file = folder.path().join("configuration");
        std::fs::write(&file, text).unwrap();
        let library = program.ancestors().nth(2).unwrap().join("lib/x86_64-linux-gnu");
        let mut command = Command::new(program);
        if library.is_dir() {
            command.env("LD_LIBRARY_PATH", library);
        }
        let output = command.args(flags).arg(file).output().unwrap();
        let said =
            format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        (output.status.success(), said)
    };
    let blocks = blocks(language);
    let (_, said) = check("");
    if said.contains("error while loading shared libraries") {
        return skipped(&format!("{}: {said}", program.display()));
    }
    for block in &blocks {
        let (good, said) = check(block);
        assert!(good, "{said}\n{block}");
    }
    let (from, to) = mistake;
    assert!(blocks[0].contains(from), "{}", blocks[0]);
    let (good, said) = check(&blocks[0].replace(from, to));
    assert!(!good, "it accepts anything: {said}");
}

#[test]
fn dnsmasq_takes_its_configuration() {
    let Some(dnsmasq) = installed("dnsmasq", "dnsmasq-base") else { return };
    checked_by(&dnsmasq, "dnsmasq", &["--test", "-C"], ("dhcp-match", "dhcp-mutch"));
}

#[test]
fn kea_takes_its_configuration() {
    let Some(kea) = installed("kea-dhcp4", "kea-dhcp4-server") else { return };
    checked_by(&kea, "kea", &["-t"], ("option[93].hex", "option[93"));
}

#[test]
fn isc_dhcpd_takes_its_configuration() {
    let Some(dhcpd) = installed("dhcpd", "isc-dhcp-server") else { return };
    checked_by(&dhcpd, "dhcpd", &["-t", "-cf"], ("option arch = 00:07", "option arch == 00:07"));
}
