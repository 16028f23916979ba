//! Command lines and files of atftpd, and what is written for them.

use super::{from_defaults, from_flags};
use crate::testing::{self, Imported, refused, words};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use tempfile::TempDir;

/// A served folder that anybody may write to, whose place is `DIR` in command lines.
fn served() -> TempDir {
    let folder = testing::folder();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    folder
}

fn import(line: &str, folder: &TempDir) -> Imported {
    let line = line.replace("DIR", folder.path().to_str().unwrap());
    let target = from_flags(&words(&line)).unwrap_or_else(|error| panic!("{line}: {error}"));
    Imported::new(target, super::ORIGIN)
}

#[test]
fn each_flag() {
    let cases: [(&str, &str, Value); 31] = [
        ("--daemon DIR", "/listeners", json!([{ "address": "0.0.0.0:69" }])),
        ("--daemon --port 1069 DIR", "/listeners/0/address", json!("0.0.0.0:1069")),
        ("--daemon --bind-address 192.0.2.1 DIR", "/listeners", json!([{ "address": "192.0.2.1:69" }])),
        ("--daemon --bind-address=::1 --port=70 DIR", "/listeners/0/address", json!("[::1]:70")),
        ("--daemon DIR", "/privileges", json!({ "user": "nobody" })),
        ("--daemon --user tftp DIR", "/privileges", json!({ "user": "tftp" })),
        ("--daemon --user tftp.nogroup DIR", "/privileges", json!({ "user": "tftp", "group": "nogroup" })),
        ("--daemon --user a.b --group c DIR", "/privileges", json!({ "user": "a", "group": "c" })),
        ("--daemon --group c --user a.b DIR", "/privileges", json!({ "user": "a", "group": "b" })),
        ("--daemon --maxthread 40 DIR", "/limits", json!({ "transfers": 40 })),
        ("--daemon -m 40 DIR", "/limits/transfers", json!(40)),
        ("--daemon DIR", "/limits", Value::Null),
        ("--daemon --retry-timeout 5 DIR", "/transfer", json!({ "least-rate": 0, "max-duration": "0s" })),
        ("--daemon --retry-timeout 5 DIR", "/transfer/retransmit", Value::Null),
        (
            "--daemon -r 20 DIR",
            "/transfer/retransmit",
            json!({ "initial": "20000ms", "cap": "20000ms", "give-up": "120000ms" }),
        ),
        ("--daemon -r 2 DIR", "/transfer/retransmit", json!({ "initial": "2000ms" })),
        ("--daemon --no-timeout DIR", "/transfer/options", json!({ "timeout": "refuse" })),
        ("--daemon --no-tsize DIR", "/transfer/options", json!({ "tsize": "refuse" })),
        ("--daemon --no-blksize DIR", "/transfer/options", json!({ "blksize": "refuse" })),
        ("--daemon --no-windowsize DIR", "/transfer/options", json!({ "windowsize": "refuse" })),
        (
            "--daemon --prevent-sas --no-fork --no-multicast --listen-local DIR",
            "/transfer/options",
            Value::Null,
        ),
        ("--daemon DIR", "/roots/0/writable", json!(true)),
        ("--daemon DIR", "/roots/0/overwrite", json!(true)),
        ("--daemon DIR", "/roots/0/world-readable", Value::Null),
        (
            "--daemon",
            "/roots/0",
            json!({ "name": "tftpboot", "path": "/tftpboot", "also-at": ["/tftpboot"],
            "writable": true, "overwrite": true, "max-upload": "1EiB" }),
        ),
        ("--daemon DIR /other", "/roots/1", Value::Null),
        (
            "--daemon DIR",
            "/multicast",
            json!({ "addresses": "239.255.0.0/24", "ports": "1758-1758", "groups": 100 }),
        ),
        (
            "--daemon --mcast-addr 239.1.0.128-191 --mcast-port 2000-2009 --mcast-ttl 8 --maxthread 700 DIR",
            "/multicast",
            json!({ "addresses": "239.1.0.128/26", "ports": "2000-2009", "ttl": 8, "groups": 640 }),
        ),
        ("--daemon --mcast-addr 239.1.0.7 DIR", "/multicast/addresses", json!("239.1.0.7/32")),
        ("--daemon --mcast-addr 239.1.0.7,6 DIR", "/multicast/addresses", json!("239.1.0.6/31")),
        ("--daemon --no-multicast --mcast-ttl 7 DIR", "/multicast", Value::Null),
    ];
    let folder = served();
    for (line, pointer, expected) in cases {
        let read = import(line, &folder);
        assert_eq!(read.at(pointer), expected, "{line}\n{}", read.text);
        // Without a folder in the flags it is one that may not exist here.
        let mut remarks =
            read.remarks.iter().filter(|remark| !remark.contains("/tftpboot does not exist here"));
        assert!(read.is_complete && remarks.next().is_none(), "{line}: {:?}", read.remarks);
    }
    let path = folder.path().to_str().unwrap();
    assert_eq!(import("--daemon DIR", &folder).at("/roots/0/also-at"), json!([path]));
}

#[test]
fn flags_without_a_key_are_reported() {
    let cases = [
        ("DIR", true, "differs: without --daemon, inetd or systemd holds the port"),
        ("--daemon --pidfile /run/x DIR", true, "differs: --pidfile /run/x: Tuffet writes no pid file"),
        (
            "--daemon --logfile /var/log/x DIR",
            true,
            "differs: --logfile /var/log/x: Tuffet logs to standard error",
        ),
        ("--daemon -v7 DIR", true, "differs: -v7: Tuffet logs"),
        ("--daemon --verbose=7 DIR", true, "differs: --verbose=7: Tuffet logs"),
        ("--daemon --trace DIR", true, "differs: --trace: Tuffet logs"),
        ("--daemon --mcast-ttl 0 DIR", true, "differs: --mcast-ttl 0: the blocks would not leave this host"),
        (
            "--daemon --mcast-addr 239.1.0.0-10,200 DIR",
            true,
            "differs: --mcast-addr 239.1.0.0-10,200: `addresses` is one network, so groups get the 8 addresses of \
             239.1.0.0/29 alone, of 12",
        ),
        (
            "--daemon --mcast-addr 224.0.0.7 DIR",
            true,
            "differs: --mcast-addr 224.0.0.7: 224.0.0.0/24 belongs to routing protocols",
        ),
        (
            "--daemon --mcast-port 4000,1758-1760 DIR",
            true,
            "differs: --mcast-port 4000,1758-1760: `ports` is one range, so groups get the ports 1758 to 1760 alone",
        ),
        (
            "--daemon --bind-address ::1 --mcast-ttl 3 DIR",
            false,
            "not carried over: --mcast-ttl 3: these are IPv4 addresses, and the listener has an IPv6 one",
        ),
        (
            "--daemon --mcast-switch-client DIR",
            true,
            "differs: --mcast-switch-client: Tuffet replaces a master that is silent",
        ),
        (
            "--daemon --mtftp /etc/mtftp.conf DIR",
            false,
            "not carried over: --mtftp /etc/mtftp.conf: Tuffet has no MTFTP",
        ),
        ("--daemon --mtftp-port 75 DIR", false, "not carried over: --mtftp-port 75: Tuffet has no MTFTP"),
        (
            "--daemon --no-source-port-checking DIR",
            false,
            "not carried over: --no-source-port-checking: Tuffet ignores",
        ),
    ];
    let folder = served();
    for (line, is_complete, expected) in cases {
        let read = import(line, &folder);
        assert_eq!((read.remarks.len(), read.is_complete), (1, is_complete), "{line}: {:?}", read.remarks);
        assert!(
            read.remarks[0].starts_with(&format!("command line: {expected}")),
            "{line}: {:?}",
            read.remarks
        );
        assert!(read.comments().contains(&read.remarks[0]), "{}", read.text);
    }
    let read = import("--daemon --no-multicast --mcast-ttl 1 DIR", &folder);
    assert!(read.remarks.is_empty(), "{:?}", read.remarks);
}

#[test]
fn wrong_flags_are_refused() {
    let cases = [
        ("--port 0 DIR", "--port 0: expected a number from 1 to 65535"),
        ("--port x DIR", "--port x: expected a number from 1 to 65535"),
        ("--bind-address host DIR", "--bind-address host: expected an IP address"),
        ("--mcast-ttl 256 DIR", "--mcast-ttl 256: expected a number from 0 to 255"),
        (
            "--mcast-addr 10.0.0.1 DIR",
            "--mcast-addr 10.0.0.1: expected multicast addresses such as 239.255.0.0-31,128",
        ),
        (
            "--mcast-addr 239.0.0.9-3 DIR",
            "--mcast-addr 239.0.0.9-3: expected multicast addresses such as 239.255.0.0-31,128",
        ),
        ("--mcast-addr , DIR", "--mcast-addr ,: expected multicast addresses such as 239.255.0.0-31,128"),
        ("--mcast-port 0 DIR", "--mcast-port 0: expected ports from 1 to 65535 such as 1758-1780,4000"),
        ("--mcast-port 5-5 DIR", "--mcast-port 5-5: expected ports from 1 to 65535 such as 1758-1780,4000"),
        ("--maxthread 0 DIR", "--maxthread 0: expected a number from 1 to 10000000"),
        ("--retry-timeout 0 DIR", "--retry-timeout 0: expected a number from 1 to 3600"),
        ("--pcre /nonexistent/p DIR", "pattern file /nonexistent/p: No such file or directory (os error 2)"),
        ("--pcre-test x DIR", "--pcre-test x serves nothing"),
        ("--help", "--help serves nothing"),
        ("-x DIR", "unknown flag -x"),
    ];
    for (line, expected) in cases {
        assert_eq!(refused(from_flags(&words(line))), format!("invalid: command line: {expected}"), "{line}");
    }
}

#[test]
fn patterns_stay_in_their_file_if_everybody_may_read_it() {
    let (folder, around) = (served(), testing::folder());
    let patterns = around.path().join("patterns");
    fs::write(&patterns, "^ppxelinux.cfg/(.*)$ pxelinux.cfg/$1\nx y").unwrap();
    let read = |mode| {
        fs::set_permissions(&patterns, fs::Permissions::from_mode(mode)).unwrap();
        import(&format!("--daemon --pcre {} DIR", patterns.display()), &folder)
    };
    let settings = |read: &Imported, key: &str, map: Value| {
        let mut expected = json!({
            "root": read.at("/roots/0/name"),
            "dialect": "atftpd",
            "also-at": [{ "path": folder.path() }],
        });
        expected[key] = map;
        assert_eq!(read.at("/plugins/remap/settings"), expected, "{}", read.text);
    };
    let read_again = read(0o644);
    settings(&read_again, "map-file", json!({ "root": "maps", "path": "patterns" }));
    assert_eq!(read_again.at("/roots/1/private"), json!(true), "{}", read_again.text);
    assert!(read_again.remarks[0].contains("atftpd reads it when it starts"), "{:?}", read_again.remarks);
    let copied = read(0o640);
    settings(&copied, "map", json!("^ppxelinux.cfg/(.*)$ pxelinux.cfg/$1\nx y\n"));
    assert!(copied.remarks[0].contains("copied here, because not everybody may"), "{:?}", copied.remarks);
}

#[test]
fn a_folder_without_anything_to_write_is_read_only() {
    let folder = testing::folder();
    let read = import("--daemon DIR", &folder);
    assert_eq!(read.at("/roots/0/writable"), json!(false));
    assert!(read.remarks[0].contains("the user nobody can upload nothing"), "{:?}", read.remarks);
    let own = import("--daemon --user root DIR", &folder);
    assert_eq!(own.at("/roots/0/writable"), json!(true), "{}", own.text);
}

#[test]
fn files_as_the_start_script_reads_them() {
    let folder = served();
    let path = folder.path().join("defaults");
    for (use_inetd, differs) in [("", 1), ("USE_INETD=true\n", 1), ("USE_INETD=false\n", 0)] {
        let text =
            format!("## Options for atftpd:\n{use_inetd}OPTIONS=\"--port 70 {}\"\n", folder.path().display());
        fs::write(&path, text).unwrap();
        let read = Imported::new(from_defaults(&path).unwrap(), super::ORIGIN);
        assert_eq!(read.at("/listeners/0/address"), json!("0.0.0.0:70"));
        assert_eq!(read.remarks.len(), differs, "{:?}", read.remarks);
    }
    fs::write(&path, "\nOPTIONS=\"--bogus\"").unwrap();
    assert_eq!(refused(from_defaults(&path)), format!("invalid: {}:2: unknown flag --bogus", path.display()));
}
