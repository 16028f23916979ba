//! The same maps and names in in.tftpd 5.2 and in `builtin:remap`.
//!
//! A last rule denies every name, and its text is the name: in.tftpd tells what it made of it without any
//! file. Where rules end before, both say what is wrong with the name: it lies below no served folder. The
//! names and the answers of in.tftpd become cases of `tuffet plugin test`.

use super::random::{Random, maps_and_seed};
use crate::harness::{Answer, Setup, is_root, own_loopback, request, run, skipped, tuffet};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::json;
use std::net::{SocketAddr, UdpSocket};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tuffet_request::names::normalise;

/// What ends every map.
const TELLS: &str = "a ^.*$ =\\0\n";

/// The server of Debian's package tftpd-hpa, with a map.
struct Tftpd {
    process: Child,
    address: SocketAddr,
    map: String,
}

impl Tftpd {
    fn is_installed() -> bool {
        if !is_root() {
            skipped("in.tftpd beside remap: only root can start in.tftpd");
            return false;
        }
        let version = Command::new("in.tftpd").arg("-V").stdin(Stdio::null()).output();
        let is_known =
            version.is_ok_and(|ran| String::from_utf8_lossy(&ran.stdout).starts_with("tftp-hpa 5.2"));
        if !is_known {
            skipped("in.tftpd beside remap: tftp-hpa 5.2 is not installed");
        }
        is_known
    }

    fn start(setup: &Setup, map: &str) -> Tftpd {
        setup.outside().write("tftpd.map", map.as_bytes());
        // A port that no client gets.
        let address = SocketAddr::from((own_loopback(), 6969));
        let mut command = Command::new("in.tftpd");
        command.args(["-L", "-4", "-u", "root", "-a"]).arg(address.to_string()).arg("-m");
        command.arg(setup.outside().path("tftpd.map")).arg(setup.root().0);
        // Its children answer the requests.
        command.process_group(0);
        let process = command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let mut server = Tftpd { process, address, map: map.to_owned() };
        let begun = Instant::now();
        // It is there when it answers.
        while server.ask_within(b"x", Duration::from_millis(20)).is_none() {
            assert!(begun.elapsed() < Duration::from_secs(20), "in.tftpd does not answer");
            if let Some(status) = server.process.try_wait().unwrap() {
                panic!("in.tftpd refuses the map ({status}):\n{map}");
            }
        }
        server
    }

    fn ask_within(&self, name: &[u8], patience: Duration) -> Option<String> {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.set_read_timeout(Some(patience)).unwrap();
        socket.send_to(&request(1, name, b"octet", &[]), self.address).unwrap();
        let mut packet = [0; 2048];
        let (length, _) = socket.recv_from(&mut packet).ok()?;
        match &packet[..length] {
            [0, 5, 0, 2, text @ .., 0] => Some(String::from_utf8_lossy(text).into_owned()),
            other => Some(format!("{:?}", Answer::read(other))),
        }
    }

    /// What a name becomes.
    fn ask(&self, name: &[u8]) -> String {
        self.ask_within(name, Duration::from_secs(20))
            .unwrap_or_else(|| panic!("no answer to {} with\n{}", name.escape_ascii(), self.map))
    }
}

impl Drop for Tftpd {
    fn drop(&mut self) {
        if let Some(group) = Pid::from_raw(self.process.id().cast_signed()) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.process.wait();
    }
}

/// Compares the answers to each name, for all maps.
#[track_caller]
fn compare(maps: &[(String, Vec<Vec<u8>>)]) -> usize {
    let setup = Setup::new();
    let mut cases = Vec::new();
    for (map, names) in maps {
        let map = format!("{map}{TELLS}");
        let server = Tftpd::start(&setup, &map);
        for name in names {
            let text = server.ask(name);
            // The server has its own words for a name that no rule repairs.
            let is_told = text.starts_with('=') || normalise(name).is_ok();
            // Messages of the server have 200 bytes at most.
            if text.len() <= 190 && is_told {
                let hex: String = name.iter().map(|byte| format!("{byte:02x}")).collect();
                let text = text.replace(char::is_control, " ");
                let text = text.trim();
                cases.push(json!({
                    "name": format!("{} with\n{map}", name.escape_ascii()),
                    "request": { "path": { "hex": hex }, "client": "127.0.0.1" },
                    "settings": { "also-at": [{ "path": "/served", "root": "boot" }], "dialect": "tftpd-hpa-5.2", "map": map },
                    "expect": { "deny": { "code": "access-violation", "message": text } },
                }));
            }
        }
    }
    let count = cases.len();
    let file = json!({ "component": "builtin:remap", "roots": ["boot"], "cases": cases });
    setup.outside().write("cases.yaml", file.to_string().as_bytes());
    let ran = tuffet(["plugin", "test", setup.outside().path("cases.yaml").to_str().unwrap()]);
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    let failures: Vec<&str> = text
        .split("\nok    ")
        .flat_map(|case| case.split("\nFAILED"))
        .filter(|case| case.contains("differs"))
        .take(5)
        .collect();
    assert!(
        text.ends_with(&format!("\n{count} passed, 0 failed\n")),
        "{}\n{}",
        failures.join("\n---\n"),
        ran.stderr
    );
    count
}

fn names(names: &[&str]) -> Vec<Vec<u8>> {
    names.iter().map(|name| name.as_bytes().to_vec()).collect()
}

/// Maps of the shapes that these systems write.
#[test]
fn maps_of_provisioning_systems() {
    if !Tftpd::is_installed() {
        return;
    }
    let maps = [
        // Ironic: everything is below /tftpboot, however it is named.
        (
            "r ^([^/]) /tftpboot/\\1\nr ^(/tftpboot/)(/)? /tftpboot/\nr ^(/var/lib/ironic/tftpboot/) /tftpboot/\\2\n",
            &["a", "/tftpboot/a", "/tftpboot//a", "/var/lib/ironic/tftpboot/b/c", "/x/a"][..],
        ),
        // xCAT: the separators of Windows.
        ("rg (\\\\) \\/\n", &["xcat\\xnba.kpxe", "Boot\\x64\\BCD", "a/b", "a\\/b"]),
        // Foreman: Windows and GRUB.
        (
            "# map of Foreman's shape\nrgi \\\\\t/\nri ^/*boot/ Boot/\nr ^(grub2)/(grub2)?/? \\2\\1/\n\
             ri ^([0-9a-f]{2}(-[0-9a-f]{2}){5})$ pxelinux.cfg/01-\\L\\1\\E.cfg\ne ^pxelinux\\.cfg/\nr ^[^/]*\\.(efi|0)$ bin/\\0\n",
            &[
                "\\boot\\bcd",
                "boot/BCD",
                "grub2/grub2/shim.efi",
                "grub2/grub.cfg",
                "00-AA-bb-CC-dd-EE",
                "pxelinux.0",
                "bootx64.efi",
                "pxelinux.cfg/default",
                "a/pxelinux.0",
            ][..],
        ),
        // WalT: a folder for each node.
        ("r .* nodes/\\i/tftp/\\0\n", &["start.ipxe", "a/b", "/x"]),
        // SCCP phones: folders by kind, locales, and what is no longer served.
        (
            "ri ^(SEP|ATA|VGC|CTLSEP|ITLSEP)([0-9a-f]{12})(\\.cnf\\.xml|\\.tlv)?(\\.sgn)?$ settings/\\U\\1\\2\\E\\3\\4\n\
             rie ^(dialplan|softkeys|featurePolicy[a-zA-Z0-9]*)\\.xml$ settings/default/\\0\n\
             ri ^([a-z]+)[_-]([a-z]+)/(.+-(sccp|sip)\\.jar|tones\\.xml|.*\\.dictionary\\.(xml|utf-8\\.xml)) locales/languages/\\L\\1_\\2\\E/\\3\n\
             ri ^Desktops/([0-9]+x[0-9]+x[0-9]+)/(.*\\.(png|xml)) wallpapers/\\1/\\2\n\
             re ^(.*)\\.(loads|sbn|sb2|bin|zup|zz|LOADS)$ firmware/\\1.\\2\n\
             ri ^ringlist\\.(xml|dat) ringtones/\\0\nr (.*\\.(raw|pcm))$ ringtones/\\1\n",
            &[
                "SEP00AABBCCDDEE.cnf.xml",
                "sep00aabbccddee.cnf.xml.sgn",
                "CTLSEP001122334455.tlv",
                "ITLSEP0011223344.tlv",
                "dialplan.xml",
                "featurePolicyDefault.xml",
                "German_Germany/td-sip.jar",
                "English-US/tones.xml",
                "Desktops/320x212x16/List.xml",
                "SCCP45.9-4-2SR3-1S.loads",
                "jar45sccp.9-4.sbn",
                "RINGLIST.XML",
                "Analog1.raw",
                "XMLDefault.cnf.xml",
            ],
        ),
        // Cobbler: files of Windows by the letters that tell its versions apart; what is put in matches later rules.
        (
            "rg\t\\\\\t\t/ # slashes\nr\t(ans.\\.sif)\t\t/Old_EN/\\1\nr (start7.\\.exe) /images/W7/\\1\n\
             r (/Boot/)(7E.) /images/W7/\\2\nr\t(.*)(/Old..._EN|/Old_EN/)(.*)\t/images\\2\\L\\3\n\
             r (.*)(startxa.exe) /images/Old/\\2\nr (.*)(XEa) /images/Old/\\2\n",
            &[
                "ans0.sif",
                "ANS0.SIF",
                "n\\Boot\\7Ea",
                "x/Boot/7Eb",
                "start7a.exe",
                "startxa.exe",
                "x\\Boot\\XEa",
                "Old_EN/I386/A.SY_",
            ],
        ),
        // A folder for each client behind rules that deny and rules that end, as guides for containers have it.
        (
            "rg \\\\ /      # slashes\nr ^[^/] /\\0  # absolute\na ^/closed/ # nobody's\na \\.key$\ne ^/open/\n# each its own\nr ^ \\i\n",
            &["a", "/a", "closed/x", "n\\closed\\x", "open/y", "x.key", "closed"],
        ),
        // ROMs that send more than a name.
        ("r ^boot\\.bin\\S* boot.bin\n", &["boot.bin", "boot.biny", "boot.bin y", "x/boot.biny"]),
        (
            "rg (.*)[^a-zA-Z0-9]$ \\1 # what is no letter\n",
            &["boot.kpxe!?", "a-", "x/-_", "boot.kpxe", "a b "],
        ),
        // Words of its own first, and Windows' start files by one rule each.
        (
            "re ^bootmgr\\.exe Boot/bootmgr.exe\nre ^BCD Boot/BCD\nr ^x\\\\boot\\\\ Boot/\nrg \\\\ /\n",
            &["bootmgr.exe", "BCD", "BCD.LOG", "x\\boot\\fonts\\a.ttf", "boot\\BCD"],
        ),
        (
            "e .*undionly.*\nr boot/rpi-.*\\.uboot start.uboot\nr .* nodes/\\i/\\0\n",
            &["pxe/undionly.kpxe", "boot/rpi-3.uboot", "x/boot/rpi-b.uboot", "a"],
        ),
        ("r ^ srv/images/\n", &["a", "x/y"]),
        // Restarts, stops, exclusions.
        (
            "rs ^// /\nrs /\\./ /\ne ^/?keep/\nrG ^/ \nrP ^ put/\ne~ ^([a-z]+/)+ \nr ^([a-z]+/)+ <\\1>\n",
            &["//a", "///b/./c", "/keep/x", "keep/y", "a/b/c", "A/b", "/./././z"],
        ),
    ];
    let maps: Vec<_> = maps.iter().map(|(map, its)| ((*map).to_owned(), names(its))).collect();
    assert!(compare(&maps) >= 40);
}

#[test]
fn random_maps_and_names() {
    if !Tftpd::is_installed() {
        return;
    }
    let (maps, seed) = maps_and_seed(60);
    let mut random = Random::new(seed);
    let maps: Vec<(String, Vec<Vec<u8>>)> = (0..maps)
        .map(|_| (random.times(6, Random::rule), (0..15).map(|_| random.name()).collect()))
        .collect();
    let compared = compare(&maps);
    eprintln!("{compared} names compared, seed {seed}");
    assert!(compared > maps.len() * 12);
}

/// in.tftpd is not kept from starting by a map that we refuse, nor the other way round.
#[test]
fn both_refuse_the_same_maps() {
    if !Tftpd::is_installed() {
        return;
    }
    let setup = Setup::new();
    for (map, is_good) in [
        ("r (a b\n", false),
        ("r a{2,1} b\n", false),
        ("r [[:foo:]] b\n", false),
        ("r *a b\n", false),
        ("x a b\n", false),
        ("r~ a b\n", false),
        ("r\n", false),
        ("j a b\n", false),
        ("r a) b\n", true),
        ("r []a]|| b\n", true),
        ("  # nothing\n\nes a\n", true),
        ("r a{,2}\\< b # x\n", true),
    ] {
        setup.outside().write("tftpd.map", map.as_bytes());
        let mut command = Command::new("in.tftpd");
        let map_file = setup.outside().path("tftpd.map");
        // As a service of inetd, with a standard input that is no socket: it reads the map first.
        command.args(["-u", "root", "-m"]).arg(&map_file).arg(setup.root().0);
        let theirs = run(&mut command).code() != 78;
        let settings = json!({ "root": "boot", "dialect": "tftpd-hpa-5.2", "map": map });
        setup.outside().write("settings.yaml", settings.to_string().as_bytes());
        let ours = tuffet([
            "plugin",
            "check",
            "builtin:remap",
            "--settings",
            setup.outside().path("settings.yaml").to_str().unwrap(),
        ]);
        assert_eq!((theirs, ours.code() == 0), (is_good, is_good), "{map:?}: {}", ours.stderr);
    }
}
