//! Files of dnsmasq, and what is written for them.

use super::import;
use crate::server::Version;
use crate::testing::{self, Imported, refused};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

struct Conf {
    folder: TempDir,
    path: PathBuf,
}

/// Writes a file in which `DIR` is a folder beside it.
fn conf(text: &str) -> Conf {
    let folder = testing::folder();
    fs::create_dir(folder.path().join("tftp")).unwrap();
    let path = folder.path().join("dnsmasq.conf");
    fs::write(&path, text.replace("DIR", folder.path().join("tftp").to_str().unwrap())).unwrap();
    Conf { folder, path }
}

fn read(text: &str) -> (Imported, Conf) {
    let conf = conf(text);
    let target = import(&[], Some(&conf.path), None, None).unwrap_or_else(|error| panic!("{text}: {error}"));
    (Imported::new(target, super::ORIGIN), conf)
}

fn fails(text: &str) -> String {
    let conf = conf(text);
    refused(import(&[], Some(&conf.path), None, None)).replace(conf.path.to_str().unwrap(), "FILE")
}

#[test]
fn each_setting() {
    let base = "enable-tftp\ntftp-root=DIR\nuser=nobody\nlisten-address=192.0.2.1\n";
    let unique = |named: &str| json!({ "root": "tftp", "name": "path", "unique-root": named });
    let listener = json!([{ "address": "192.0.2.1:69" }]);
    let ignored = json!({ "windowsize": "refuse", "timeout": "refuse" });
    let cases: [(&str, &str, Value); 25] = [
        ("", "/listeners", listener.clone()),
        ("bind-interfaces", "/listeners", listener.clone()),
        ("bind-dynamic", "/listeners", listener),
        ("listen-address=::1,127.0.0.1", "/listeners/1/address", json!("[::1]:69")),
        ("tftp-single-port", "/listeners/0/single-port", json!(true)),
        ("tftp-port-range=30000,30999", "/listeners/0/tid-ports", json!("30000-30999")),
        ("tftp-port-range=30999,30000", "/listeners/0/tid-ports", json!("30000-30999")),
        ("tftp-mtu=1400", "/listeners/0/max-blksize", json!(1368)),
        ("tftp-mtu=1400", "/transfer/max-blksize", Value::Null),
        ("listen-address=2001:db8::1\ntftp-mtu=1400", "/listeners/1/max-blksize", json!(1348)),
        ("", "/transfer", json!({ "max-blksize": "auto", "options": ignored })),
        ("tftp-no-blocksize", "/transfer/options/blksize", json!("refuse")),
        ("tftp-max=10\ntftp-max=200", "/limits", json!({ "transfers": 200 })),
        ("tftp-unique-root", "/plugins/remap/settings", unique("ip")),
        ("tftp-unique-root=ip", "/plugins/remap/settings", unique("ip")),
        ("tftp-unique-root=mac", "/plugins/remap/settings", unique("mac")),
        ("tftp-unique-root=mac", "/plugins/remap/grants", json!(["files/tftp", "client-mac"])),
        ("tftp-unique-root", "/plugins/remap/grants", json!(["files/tftp"])),
        (
            "tftp-lowercase",
            "/plugins/remap/settings",
            json!({ "root": "tftp", "name": "path", "lowercase": true }),
        ),
        ("", "/plugins", Value::Null),
        ("user=tftp\ngroup=dip", "/privileges", json!({ "user": "tftp", "group": "dip" })),
        ("user=root\ntftp-secure", "/roots/0/world-readable", json!(true)),
        ("tftp-no-fail", "/roots/0/writable", Value::Null),
        ("", "/log", json!({ "format": "dnsmasq" })),
        ("quiet-tftp", "/log", json!({ "format": "dnsmasq", "level": "info,tuffet::transfer=warn" })),
    ];
    for (setting, pointer, expected) in cases {
        let (read, conf) = read(&format!("{base}{setting}\n"));
        assert_eq!(read.at(pointer), expected, "{setting}\n{}", read.text);
        assert!(read.is_complete && read.remarks.is_empty(), "{setting}: {:?}", read.remarks);
        let path = conf.folder.path().join("tftp");
        assert_eq!(read.at("/roots/0/path"), json!(path));
        assert_eq!(read.at("/roots/0/also-at"), json!([path]));
    }
}

/// Returns the addresses and interfaces, without IPv6.
fn entrances(text: &str) -> Vec<String> {
    let (read, _) = read(&format!("enable-tftp\ntftp-root=DIR\n{text}\n"));
    let listeners = read.at("/listeners");
    let shown =
        listeners.as_array().unwrap().iter().map(|it| {
            format!("{} {}", it["address"].as_str().unwrap(), it["interface"].as_str().unwrap_or("-"))
        });
    shown.filter(|it| !it.starts_with("[::]")).collect()
}

#[test]
fn where_it_listens() {
    assert_eq!(entrances(""), ["0.0.0.0:69 -"]);
    assert_eq!(entrances("interface=eth0"), ["0.0.0.0:69 eth0", "0.0.0.0:69 lo"]);
    assert_eq!(entrances("interface=eth0,eth1\nexcept-interface=lo"), ["0.0.0.0:69 eth0", "0.0.0.0:69 eth1"]);
    assert_eq!(entrances("interface=eth0\nno-dhcp-interface=eth0"), ["0.0.0.0:69 lo"]);
    assert_eq!(entrances("listen-address=192.0.2.1"), ["192.0.2.1:69 -"]);
    assert_eq!(entrances("listen-address=127.0.0.1\ninterface=eth0"), ["0.0.0.0:69 eth0", "0.0.0.0:69 lo"]);
    assert_eq!(entrances("enable-tftp=br0,br1\ninterface=eth0"), ["0.0.0.0:69 br0", "0.0.0.0:69 br1"]);
    assert!(entrances("interface=l*").contains(&"0.0.0.0:69 lo".to_owned()));
    assert!(!entrances("except-interface=lo").contains(&"0.0.0.0:69 lo".to_owned()));
}

/// The remarks, except for those about folders that do not exist here.
fn all_but_missing(read: &Imported) -> impl Iterator<Item = &String> {
    read.remarks.iter().filter(|remark| !remark.contains("does not exist here"))
}

#[test]
fn folders_for_interfaces() {
    let (both, conf) = read("enable-tftp\ntftp-root=DIR\ntftp-root=DIR/b,eth1\ninterface=eth0,eth1\n");
    let tftp = conf.folder.path().join("tftp");
    assert_eq!(both.at("/roots/0/path"), json!(tftp));
    assert_eq!(both.at("/roots/1/path"), json!(tftp.join("b")));
    let listeners = both.at("/listeners");
    for listener in listeners.as_array().unwrap() {
        let expected = if listener["interface"] == "eth1" { json!(["b"]) } else { json!(["tftp"]) };
        assert_eq!(listener["roots"], expected, "{}", both.text);
    }
    let (one, _) = read("enable-tftp\ntftp-root=DIR,eth1\ninterface=eth0,eth1\nexcept-interface=lo\n");
    assert!(
        one.at("/listeners").as_array().unwrap().iter().all(|it| it["interface"] == "eth1"),
        "{}",
        one.text
    );
    assert!(!one.is_complete && one.remarks[0].contains("no `tftp-root` is for eth0"), "{:?}", one.remarks);
    let (unique, _) = read(
        "enable-tftp\ntftp-root=DIR\ntftp-root=DIR/b,lo\ninterface=lo,eth0\ntftp-unique-root\ntftp-lowercase\n",
    );
    assert!(all_but_missing(&unique).next().is_none(), "{:?}", unique.remarks);
    assert_eq!(unique.at("/policy"), Value::Null);
    for (name, interface) in [("tftp", "eth0"), ("b", "lo")] {
        let plugin = unique.at(&format!("/plugins/remap-{name}"));
        assert_eq!(
            (&plugin["settings"]["root"], &plugin["grants"]),
            (&json!(name), &json!([format!("files/{name}")]))
        );
        let listeners = unique.at("/listeners");
        let mut own = listeners.as_array().unwrap().iter().filter(|it| it["interface"] == interface);
        assert!(
            own.all(|it| it["policy"] == json!({ "resolve": [format!("remap-{name}")] })),
            "{}",
            unique.text
        );
    }
    let (any, _) = read("enable-tftp\ntftp-root=DIR\ntftp-root=DIR/b,lo\n");
    let listeners = any.at("/listeners");
    let of_lo: Vec<_> = listeners.as_array().unwrap().iter().filter(|it| it["interface"] == "lo").collect();
    assert!(!of_lo.is_empty() && of_lo.iter().all(|it| it["roots"] == json!(["b"])), "{}", any.text);
    let first = all_but_missing(&any).next().unwrap();
    assert!(first.contains("tftp-root=") && first.contains("that are here now"));
}

#[test]
fn folders_for_interfaces_that_are_not_served() {
    let (one, conf) = read(
        "enable-tftp\ntftp-root=DIR/a,eth1\ntftp-root=DIR/b,eth2\ninterface=eth1\ntftp-no-fail\nexcept-interface=lo\n",
    );
    assert_eq!((one.at("/roots/0/name"), one.at("/roots/1")), (json!("a"), Value::Null), "{}", one.text);
    assert!(all_but_missing(&one).next().is_none() && one.is_complete, "{:?}", one.remarks);
    let expected = format!(
        "{}:3: tftp-root={}/tftp/b,eth2: left out, because",
        conf.path.display(),
        conf.folder.path().display()
    );
    assert!(one.comments().contains(&expected), "{}", one.text);
    let (absent, _) = read("enable-tftp=lo,eth9\ntftp-root=DIR\ntftp-root=DIR/b,eth9\n");
    assert!(absent.is_complete && absent.at("/roots/1/name") == json!("b"), "{}", absent.text);
    let (address, _) = read("enable-tftp\ntftp-root=DIR\ntftp-root=DIR/b,eth1\nlisten-address=192.0.2.1\n");
    assert!(
        !address.is_complete && address.remarks[0].contains("which clients come in by eth1"),
        "{:?}",
        address.remarks
    );
    let error = fails("enable-tftp\ntftp-root=DIR,eth2\ninterface=eth1\n");
    assert!(
        error.starts_with("impossible: FILE:2: no `tftp-root` is for an interface that is served"),
        "{error}"
    );
}

#[test]
fn newer_versions_have_windows() {
    let conf = conf("enable-tftp\ntftp-root=DIR\n");
    let target = import(&[], Some(&conf.path), None, Some(Version::Dnsmasq2_92)).unwrap();
    let read = Imported::new(target, super::ORIGIN);
    assert_eq!(read.at("/transfer"), json!({ "max-blksize": "auto", "max-windowsize": 32 }), "{}", read.text);
}

#[test]
fn settings_without_a_key_are_reported() {
    let cases = [
        (
            "dhcp-script=/etc/notify",
            true,
            "differs: dhcp-script=/etc/notify: dnsmasq calls it with `tftp SIZE ADDRESS PATH`",
        ),
        (
            "pxe-service=x86PC,\"Boot\",pxelinux",
            true,
            "differs: pxe-service=x86PC,\"Boot\",pxelinux: without `enable-tftp`",
        ),
        (
            "tftp-secure",
            false,
            "not carried over: tftp-secure: dnsmasq serves only files that its own user (nobody) owns",
        ),
        (
            "interface=eth0\nlisten-address=192.0.2.1",
            false,
            "not carried over: listen-address=192.0.2.1: Tuffet does not",
        ),
        ("interface=eth0:1", false, "not carried over: interface=eth0:1: Tuffet listens on interfaces"),
        (
            "except-interface=eth0",
            false,
            "not carried over: except-interface=eth0: Tuffet listens on the interfaces that are here",
        ),
        ("interface=eth*", false, "not carried over: interface=eth*: Tuffet takes names of interfaces"),
    ];
    for (setting, is_complete, expected) in cases {
        let (read, conf) = read(&format!("enable-tftp\ntftp-root=DIR\nuser=nobody\n\n{setting} # why\n"));
        assert_eq!((read.remarks.len(), read.is_complete), (1, is_complete), "{setting}: {:?}", read.remarks);
        let line = 4 + setting.lines().count();
        let start = format!("{}:{line}: {expected}", conf.path.display());
        assert!(read.remarks[0].starts_with(&start), "{setting}: {:?}", read.remarks);
        assert!(read.comments().contains(&read.remarks[0]), "{}", read.text);
    }
    // The server waits for the folder by default.
    let (no_fail, _) = read("enable-tftp\ntftp-root=/nonexistent/tftp\ntftp-no-fail\n");
    assert!(no_fail.is_complete, "{:?}", no_fail.remarks);
    assert_eq!(no_fail.at("/roots/0/path"), json!("/nonexistent/tftp"));
    let (rest, _) = read("domain-needed\nenable-tftp\ntftp-root=DIR\ndhcp-range=10.0.0.1,10.0.0.9\n");
    assert!(
        rest.comments().contains("2 settings of DNS and DHCP: dnsmasq goes on with them"),
        "{}",
        rest.text
    );
}

#[test]
fn links_out_of_the_folder_are_allowed() {
    let conf = conf("enable-tftp\ntftp-root=DIR\n");
    let top = conf.folder.path().canonicalize().unwrap();
    fs::create_dir(top.join("lib")).unwrap();
    fs::write(top.join("lib/pxelinux.0"), "").unwrap();
    let link = top.join("tftp/pxelinux.0");
    std::os::unix::fs::symlink("../lib/pxelinux.0", &link).unwrap();
    let read = Imported::new(import(&[], Some(&conf.path), None, None).unwrap(), super::ORIGIN);
    assert_eq!(read.at("/roots/0/links"), json!([top.join("lib")]), "{}", read.text);
    assert!(read.comments().contains(&link.display().to_string()), "{}", read.text);
    // What no folder can allow is reported.
    std::os::unix::fs::symlink("../../../../../../../../etc/../proc/version", top.join("tftp/odd")).unwrap();
    let read = Imported::new(import(&[], Some(&conf.path), None, None).unwrap(), super::ORIGIN);
    let expected = format!(
        "{}:2: not carried over: {}: Tuffet does not follow",
        conf.path.display(),
        top.join("tftp/odd").display()
    );
    assert!(!read.is_complete && read.remarks[0].starts_with(&expected), "{:?}", read.remarks);
}

#[test]
fn wrong_settings_are_refused() {
    let cases = [
        ("port=0\n", "impossible: dnsmasq: there is no `enable-tftp`"),
        ("enable-tftp\n", "impossible: FILE:1: without `tftp-root`"),
        (
            "enable-tftp\ntftp-root\n",
            "invalid: FILE:2: tftp-root: dnsmasq does not start without a value: tftp-root=VALUE",
        ),
        (
            "enable-tftp\n interface enp0s8\n",
            "invalid: FILE:2: interface enp0s8: a name and a value need a `=`",
        ),
        ("listen-address\n", "invalid: FILE:1: listen-address: dnsmasq does not start without a value"),
        (
            "tftp-secure=yes\n",
            "invalid: FILE:1: tftp-secure=yes: dnsmasq does not start with a value here: write tftp-secure",
        ),
        ("conf-dir\n", "invalid: FILE:1: conf-dir needs a folder: conf-dir=DIR"),
        (
            "enable-tftp\ntftp-root=/a,b,c\n",
            "invalid: FILE:2: tftp-root=/a,b,c: expected DIR or DIR,INTERFACE",
        ),
        ("tftp-root=\"/a\n", "invalid: FILE:1: the quote \" is not closed"),
        ("tftp-max=x\n", "invalid: FILE:1: tftp-max=x: expected a number from 1 to 10000000"),
        ("tftp-mtu=\n", "invalid: FILE:1: tftp-mtu=: expected a number from 60 to 65535"),
        ("tftp-port-range=1\n", "invalid: FILE:1: tftp-port-range=1: expected FIRST,LAST, two ports"),
        ("tftp-unique-root=x\n", "invalid: FILE:1: tftp-unique-root=x: expected ip or mac"),
        ("listen-address=eth0\n", "invalid: FILE:1: listen-address=eth0: expected IP addresses"),
        ("tftp-rooot=/srv\n", "invalid: FILE:1: tftp-rooot=/srv: unknown setting; did you mean tftp-root?"),
        ("enable-tfpt\n", "invalid: FILE:1: enable-tfpt: unknown setting; did you mean enable-tftp?"),
        (
            "listen-adress=192.0.2.1\n",
            "invalid: FILE:1: listen-adress=192.0.2.1: unknown setting; did you mean",
        ),
        ("tftp-nothing-like-it\n", "invalid: FILE:1: tftp-nothing-like-it: unknown setting"),
        ("quiet-dhcp\nbridge-interface=a,b\n", "impossible: dnsmasq: there is no `enable-tftp`"),
        ("\nconf-file=/nonexistent/x\n", "invalid: FILE:2: /nonexistent/x: No such file"),
    ];
    for (text, expected) in cases {
        assert!(fails(text).starts_with(expected), "{text}: {}", fails(text));
    }
}

#[test]
fn what_the_start_script_adds() {
    let conf = conf("tftp-root=DIR\n");
    let folder = conf.folder.path().join("d");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("tftp.conf"), "enable-tftp\n").unwrap();
    fs::write(folder.join("old.dpkg-old"), "quiet-tftp\n").unwrap();
    let defaults = conf.folder.path().join("defaults");
    fs::write(&defaults, "DNSMASQ_OPTS=\nDNSMASQ_EXTRA=-q\n").unwrap();
    let error = refused(import(&[], Some(&conf.path), Some(&defaults), None));
    assert!(error.contains(":2: DNSMASQ_EXTRA has flags, and is none of the variables"), "{error}");
    let text = format!(
        "DNSMASQ_USER=tftp\nDNSMASQ_OPTS=\"--tftp-max=7\"\nCONFIG_DIR={},.dpkg-old\n",
        folder.display()
    );
    fs::write(&defaults, text).unwrap();
    let read = Imported::new(import(&[], Some(&conf.path), Some(&defaults), None).unwrap(), super::ORIGIN);
    assert_eq!(read.at("/limits/transfers"), json!(7));
    assert_eq!(read.at("/privileges/user"), json!("tftp"));
    assert!(read.remarks.is_empty(), "{:?}", read.remarks);
    assert!(read.comments().contains(&format!("{}:2: --tftp-max=7", defaults.display())), "{}", read.text);
}
