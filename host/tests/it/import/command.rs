//! The command line: where it reads and writes, what it says, how it ends.

use super::{checked, import, import_file, open_folder};
use crate::harness::{Peer, bytes, own_address, tuffet, wait_until};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Stdio};

/// What Debian's packages install, with a folder of the test.
const DEBIAN_TFTPD_HPA: &str = "# /etc/default/tftpd-hpa\n\nTFTP_USERNAME=\"tftp\"\nTFTP_DIRECTORY=\"HERE\"\n\
                                TFTP_ADDRESS=\":69\"\nTFTP_OPTIONS=\"--secure\"\n";
const DEBIAN_ATFTPD: &str = "## Options for atftpd:\nOPTIONS=\"--port 69 --tftpd-timeout 300 --retry-timeout 5 \
                             --mcast-port 1758 --mcast-addr 239.239.239.0-255 --mcast-ttl 1 --maxthread 100 \
                             --verbose=5 HERE\"\n";
/// All of the installed file that is no comment is nothing.
const DEBIAN_DNSMASQ: &str =
    "# Configuration file for dnsmasq.\n#\n#port=5353\n#enable-tftp\n#tftp-root=/var/ftpd\n";

#[test]
fn the_files_of_debians_packages() {
    let folder = open_folder();
    let file = folder.path().join("file");
    let with = |text: &str| fs::write(&file, text.replace("HERE", folder.path().to_str().unwrap())).unwrap();

    with(DEBIAN_TFTPD_HPA);
    let ran = import_file("tftpd-hpa", "--defaults", &file);
    assert_eq!(ran.code(), 0, "{}", ran.stderr);
    let yaml = checked(&ran);
    assert!(yaml.contains("user: tftp") && yaml.contains("world-readable: true"), "{yaml}");

    with(DEBIAN_ATFTPD);
    let ran = import_file("atftpd", "--defaults", &file);
    assert_eq!(ran.code(), 0, "{}", ran.stderr);
    let yaml = checked(&ran);
    assert!(yaml.contains("transfers: 100") && yaml.contains("addresses: \"239.239.239.0/24\""), "{yaml}");

    with(DEBIAN_DNSMASQ);
    let ran = import_file("dnsmasq", "--conf", &file);
    ran.assert_fails(1, &["there is no `enable-tftp`"]);
    assert!(ran.stdout.is_empty());
    with(
        &DEBIAN_DNSMASQ
            .replace("#enable-tftp\n#tftp-root=/var/ftpd", "enable-tftp\ntftp-root=HERE\nuser=nobody"),
    );
    let ran = import_file("dnsmasq", "--conf", &file);
    assert_eq!(ran.code(), 0, "{}", ran.stderr);
    assert!(checked(&ran).contains("max-blksize: auto"));
}

#[test]
fn a_folder_of_dnsmasq_for_one_interface() {
    let folder = open_folder();
    let file = folder.path().join("dnsmasq.conf");
    let text = "interface=lo\nenable-tftp\ntftp-root=HERE\ntftp-root=HERE/lo,lo\ntftp-unique-root=mac\n\
                tftp-lowercase\nuser=nobody\n";
    fs::create_dir(folder.path().join("lo")).unwrap();
    fs::write(&file, text.replace("HERE", folder.path().to_str().unwrap())).unwrap();
    let ran = import_file("dnsmasq", "--conf", &file);
    assert_eq!((ran.code(), ran.stderr.as_str()), (0, ""));
    let yaml = checked(&ran);
    for line in ["interface: lo", "roots: [lo]", "resolve: [remap-lo]", "grants: [files/lo, client-mac]"] {
        assert!(yaml.contains(line), "{line}:\n{yaml}");
    }
}

#[test]
fn differences_are_lines_and_comments() {
    let folder = open_folder();
    let ran = import("tftpd-hpa", &format!("-l -P /run/in.tftpd.pid -s {}", folder.path().display()));
    assert_eq!(ran.code(), 0, "{}", ran.stderr);
    let line = ran.stderr.lines().find(|line| line.contains("pid file")).unwrap();
    assert!(line.starts_with("command line: differs: -P /run/in.tftpd.pid: "), "{line}");
    let yaml = checked(&ran);
    let comments: Vec<&str> =
        yaml.lines().filter_map(|line| line.trim().strip_prefix('#')).map(str::trim).collect();
    assert!(comments.join(" ").contains(line), "{yaml}");
}

/// Tools that read the log of the old server go on with that of the new one, without a flag.
#[test]
fn the_log_has_the_lines_of_the_old_server() {
    for (server, flags, said) in [
        ("tftpd-hpa", "-l -s HERE", "RRQ from 127.0.0.1 filename 3000"),
        ("dnsmasq", "-C /dev/null --enable-tftp --tftp-root=HERE", "sent HERE/3000 to 127.0.0.1"),
    ] {
        let folder = open_folder();
        let here = folder.path().to_str().unwrap();
        fs::write(folder.path().join("3000"), bytes(3000)).unwrap();
        let yaml = checked(&import(server, &flags.replace("HERE", here)));
        let (file, log) = (folder.path().join("tuffet.yaml"), folder.path().join("log"));
        fs::write(&file, yaml).unwrap();
        let address = own_address();
        let mut serve = Command::new(env!("CARGO_BIN_EXE_tuffet"));
        serve.args(["serve", "--user", "root", "--listen", &address.to_string(), "--config"]);
        serve.arg(&file).arg("--log-to").arg(&log).env("RUNTIME_DIRECTORY", here);
        let mut serve = serve.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let logged = || fs::read_to_string(&log).unwrap_or_default();
        wait_until("it serves", || logged().contains("listening"));
        assert!(Peer::new(address).read_plainly("3000") == bytes(3000));
        let said = said.replace("HERE", here);
        wait_until(&format!("{server} says {said}"), || logged().contains(&said));
        serve.kill().unwrap();
        serve.wait().unwrap();
    }
}

/// No server starts with these, or none serves anything.
#[test]
fn files_of_defaults_that_cannot_be_meant() {
    let folder = open_folder();
    let (file, here) = (folder.path().join("defaults"), folder.path().display());
    for (rest, said) in [
        ("TFTP_OPTIONS=\"--secure\n", "defaults:2: the quote \" is not closed"),
        ("TFTP_OPTIONS=\"--secure 'x\"\n", "defaults:2: --secure allows one folder only"),
        ("TFTP_OPTIONS=\"--secure --nonsense\"\n", "defaults:2: unknown flag --nonsense"),
        (
            "TFTP_OPTIONS=secure\n",
            "defaults:2: secure: expected a flag, which begins with `-`, or an absolute path",
        ),
        (
            "TFTP_OPTIONS=-s\nTFTP_USERNAME=\"no user\"\n",
            "defaults:3: --user no user: this cannot be the name",
        ),
        ("TFTP_OPTION=--secure\n", "defaults:2: TFTP_OPTION has flags"),
        ("secure\n", "defaults:2: only assignments such as NAME=\"value\" can be read"),
    ] {
        fs::write(&file, format!("TFTP_DIRECTORY={here}\n{rest}")).unwrap();
        let ran = import_file("tftpd-hpa", "--defaults", &file);
        ran.assert_fails(64, &[said]);
        assert!(ran.stdout.is_empty(), "{rest}");
    }
    fs::write(&file, "TFTP_DIRECTORY=srv/tftp\nTFTP_OPTIONS=--secure\n").unwrap();
    import_file("tftpd-hpa", "--defaults", &file)
        .assert_fails(64, &["defaults:1: srv/tftp: expected a flag"]);
    fs::write(&file, "OPTIONS=\"--daemon tftpboot\"\n").unwrap();
    import_file("atftpd", "--defaults", &file).assert_fails(64, &["defaults:1: tftpboot: expected a flag"]);
    // A folder may be missing on the new machine; what depends on it is named.
    fs::write(&file, format!("TFTP_DIRECTORY={here}/none\nTFTP_OPTIONS=--secure\n")).unwrap();
    let ran = import_file("tftpd-hpa", "--defaults", &file);
    ran.assert_good();
    assert!(ran.stderr.contains("none does not exist here"), "{}", ran.stderr);
}

/// Old trees have names in Latin-1 or in the encoding of DOS, which the original serves to clients that send these bytes.
#[test]
fn files_that_no_client_can_request_are_named() {
    let folder = open_folder();
    let here = folder.path();
    let name = |name: &[u8]| here.join(OsStr::from_bytes(name));
    fs::create_dir(here.join("sub")).unwrap();
    fs::create_dir(name(b"sub/\xfcber")).unwrap();
    for file in [&b"g\xe4nse"[..], b"sub/\xfcber/x", b"sub/g\x84nse", "g\u{f6}nse".as_bytes(), b"plain"] {
        fs::write(name(file), "").unwrap();
    }
    for (server, flags) in [
        ("tftpd-hpa", format!("-l -s {}", here.display())),
        ("atftpd", format!("--daemon {}", here.display())),
        ("dnsmasq", format!("-C /dev/null --enable-tftp --tftp-root={}", here.display())),
    ] {
        let ran = import(server, &flags);
        assert_eq!(ran.code(), 1, "{server}: {}", ran.stderr);
        let names = ["g\\xE4nse", "sub/g\\x84nse", "sub/\\xFCber"];
        let names = names.map(|name| format!("\"{}/{name}\"", here.display())).join(", ");
        let said = format!("not carried over: {names}: no client can request these names from Tuffet");
        assert!(ran.stderr.contains(&said), "{server}: {}\n{said}", ran.stderr);
    }
}

#[test]
fn exit_codes() {
    let folder = open_folder();
    let here = folder.path().display();
    assert_eq!(import("atftpd", &format!("--daemon {here}")).code(), 0);
    let missing = import("atftpd", &format!("--daemon --mtftp /etc/mtftp.conf {here}"));
    missing.assert_fails(1, &["command line: not carried over: --mtftp /etc/mtftp.conf"]);
    // What can be carried over is.
    assert!(checked(&missing).contains("listeners:"));
    import("tftpd-hpa", "-l").assert_fails(1, &["without a folder, in.tftpd serves every file"]);
    for (server, flags, expected) in [
        ("tftpd-hpa", "-l -s -x /srv", "command line: unknown flag -x"),
        ("atftpd", "--port nine", "--port nine: expected a number from 1 to 65535"),
        ("dnsmasq", "-C /nonexistent/conf", "/nonexistent/conf: No such file or directory"),
    ] {
        let ran = import(server, flags);
        ran.assert_fails(64, &[expected]);
        assert!(ran.stdout.is_empty());
    }
    for words in [
        &["import"][..],
        &["import", "isc-tftpd"],
        &["import", "tftpd-hpa", "--conf", "x"],
        &["import", "tftpd-hpa", "--defaults", "x", "--", "-l"],
        &["import", "atftpd", "--server-version", "6.0"],
        &["import", "tftpd-hpa", "--server-version", "4"],
        &["import", "tftpd-hpa", "-l", "-s", "/srv", "--output", "x"],
    ] {
        tuffet(words).assert_fails(64, &[]);
    }
}

#[test]
fn an_output_file_is_never_overwritten() {
    let folder = open_folder();
    let output = folder.path().join("tuffet.yaml");
    let import = || {
        let words = ["import", "atftpd", "--output", output.to_str().unwrap(), "--", "--daemon"];
        tuffet(words.into_iter().chain([folder.path().to_str().unwrap()]))
    };
    let ran = import();
    assert_eq!((ran.code(), ran.stdout.len()), (0, 0), "{}", ran.stderr);
    let written = fs::read_to_string(&output).unwrap();
    assert!(written.contains("listeners:"), "{written}");
    fs::write(&output, "mine").unwrap();
    import()
        .assert_fails(64, &["tuffet.yaml exists already", "remove it, or name another file with --output"]);
    assert_eq!(fs::read_to_string(&output).unwrap(), "mine");
}

/// A FIFO would keep it waiting, a device would never end.
#[test]
fn files_that_are_none() {
    let folder = open_folder();
    let fifo = folder.path().join("fifo");
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    import_file("atftpd", "--defaults", &fifo).assert_fails(64, &["fifo: not a regular file"]);
    import_file("dnsmasq", "--conf", "/dev/zero".as_ref())
        .assert_fails(64, &["/dev/zero: not a regular file"]);
    import("tftpd-hpa", "-l -s -m /dev/zero /srv")
        .assert_fails(64, &["map file /dev/zero: not a regular file"]);
}

/// People paste a command line as it is, the program included.
#[test]
fn flags_need_no_separator() {
    let folder = open_folder();
    let here = folder.path().to_str().unwrap();
    let expected = import("tftpd-hpa", &format!("-l -c -u root -a 127.0.0.1:69 -s {here}"));
    assert_eq!(expected.code(), 0, "{}", expected.stderr);
    for program in [&[][..], &["/usr/sbin/in.tftpd"]] {
        let flags = [program, &["-l", "-c", "-u", "root", "-a", "127.0.0.1:69", "-s", here]].concat();
        let ran = tuffet(["import", "tftpd-hpa"].into_iter().chain(flags));
        assert_eq!((ran.code(), &ran.stdout), (0, &expected.stdout), "{}", ran.stderr);
    }
    let ran = tuffet(["import", "atftpd", "--daemon", "--user", "root", "--port", "70", here]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr);
    assert!(checked(&ran).contains("0.0.0.0:70"));
    let root = format!("--tftp-root={here}");
    let ran = tuffet(["import", "dnsmasq", "-C", "/dev/null", "-u", "root", "--enable-tftp", &root]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr);
    tuffet(["import", "tftpd-hpa", "-l", "-s", here, "--output", "x"])
        .assert_fails(64, &["--output belongs before the flags of the server: write `tuffet import tftpd-hpa --output x -- FLAGS`"]);
    tuffet(["import", "atftpd", "--daemon", here, "-o", "x"])
        .assert_fails(64, &["write `tuffet import atftpd -o x -- FLAGS`"]);
    tuffet(["import", "dnsmasq", "-C", "/dev/null", "--enable-tftp", &root, "-o", "x"])
        .assert_fails(64, &["write `tuffet import dnsmasq -o x -- FLAGS`"]);
    // `strict-order`.
    tuffet(["import", "dnsmasq", "-C", "/dev/null", "-u", "root", "--enable-tftp", "-o", &root])
        .assert_good();
}

/// What `check` would refuse is refused by the import, which knows the file with the rule.
#[test]
fn an_empty_map_changes_no_name() {
    let folder = open_folder();
    let map = folder.path().join("map");
    let served = folder.path().to_str().unwrap();
    for (text, secure) in [("", true), ("# none yet\n\n", true), ("", false)] {
        fs::write(&map, text).unwrap();
        let flags = format!("-l {}-m {} {served}", if secure { "-s " } else { "" }, map.display());
        let ran = import("tftpd-hpa", &flags);
        let yaml = checked(&ran);
        assert_eq!(yaml.contains("builtin:remap"), !secure, "{yaml}");
    }
}

#[test]
fn what_cannot_be_seen_is_escaped() {
    let folder = open_folder();
    let map = folder.path().join("map");
    fs::write(&map, "r ^a\u{202e}gpj.exe b\u{2066}\n").unwrap();
    let served = folder.path().to_str().unwrap();
    let ran = import("tftpd-hpa", &format!("-l -s -m {} {served}", map.display()));
    assert!(!checked(&ran).contains(['\u{202e}', '\u{2066}']), "{ran:?}");
}

#[test]
fn maps_that_cannot_be_carried_over() {
    let folder = open_folder();
    let map = folder.path().join("map");
    let here = folder.path().display();
    for (server, rule, flags, expected) in [
        ("tftpd-hpa", "rg (a)\\1 b\n", "-l -s HERE -m HERE/map", "back-references"),
        ("atftpd", "^(?=x)y$ z\n", "--daemon --pcre HERE/map HERE", "look-around"),
    ] {
        fs::write(&map, rule).unwrap();
        let ran = import(server, &flags.replace("HERE", &here.to_string()));
        ran.assert_fails(1, &["/map: line 1: ", expected]);
        assert!(ran.stdout.is_empty(), "{server}");
    }
}

#[test]
fn tcp_wrappers_become_an_acl() {
    let folder = open_folder();
    let (here, etc) = (folder.path().to_str().unwrap(), folder.path().join("etc"));
    fs::create_dir(&etc).unwrap();
    let import = |server: &str, flags: &[&str]| {
        let words = ["import", server, "--etc", etc.to_str().unwrap()];
        tuffet(words.into_iter().chain(flags.iter().copied()).chain([here]))
    };
    fs::write(etc.join("hosts.allow"), "in.tftpd: 192.0.2. : spawn /bin/true\n").unwrap();
    fs::write(etc.join("hosts.deny"), "in.tftpd: ALL\n").unwrap();
    for (server, flags) in [("tftpd-hpa", &["-l", "-u", "root", "-s"][..]), ("atftpd", &["--daemon"])] {
        let ran = import(server, flags);
        ran.assert_fails(1, &["hosts.allow:1: not carried over: `spawn /bin/true`"]);
        let yaml = checked(&ran);
        for line in ["authorize: [acl]", "- clients: [\"192.0.2.0/24\"]", "otherwise: deny"] {
            assert!(yaml.contains(line), "{line}:\n{yaml}");
        }
    }
    fs::remove_file(etc.join("hosts.allow")).unwrap();
    let ran = import("atftpd", &["--daemon"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr);
    assert!(checked(&ran).contains("deny: [{}]"));
    fs::write(etc.join("hosts.deny"), "atftpd: ALL\n").unwrap();
    import("atftpd", &["--daemon"]).assert_fails(1, &["hosts.deny:1: not carried over: `atftpd`"]);
}
