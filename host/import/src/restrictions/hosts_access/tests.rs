use super::*;
use std::path::Path;

/// The subnets that are served, and whether everything was carried over.
fn decided(allow: &str, deny: &str, asks_names: bool) -> (String, bool) {
    let table = |name: &str, text, allows| Table { location: Location::file(Path::new(name)), text, allows };
    let tables = [table("hosts.allow", allow, true), table("hosts.deny", deny, false)];
    let mut report = Report::default();
    let decision = decide(&tables, asks_names, &mut report).unwrap();
    (decision.served.subnets().join(" "), report.is_complete())
}

const ALL: &str = "0.0.0.0/0 ::/0";
const NOT_10: &str =
    "0.0.0.0/5 8.0.0.0/7 11.0.0.0/8 12.0.0.0/6 16.0.0.0/4 32.0.0.0/3 64.0.0.0/2 128.0.0.0/1 ::/0";
const NOT_128: &str = "0.0.0.0/1 ::/0";

/// Each line was tried with in.tftpd 5.2 and libwrap 7.6.q of Debian 12.
#[test]
fn rules_that_become_subnets() {
    let cases = [
        ("", "", ALL),
        ("", "in.tftpd: ALL\n", ""),
        ("", "in.tftpd: ALL", ""),
        ("", "IN.TFTPD: aLL except 127.0.0.1\n", "127.0.0.1/32"),
        ("", "sshd: ALL\n# in.tftpd: ALL\n\n", ALL),
        ("", "  # in.tftpd : ALL\n", ""),
        ("", "in.tftpd ALL\n", ALL),
        ("in.tftpd: 192.0.2.\n", "ALL: ALL\n", "192.0.2.0/24"),
        ("ALL EXCEPT in.tftpd: ALL\n", "ALL: ALL\n", ""),
        ("", "ALL EXCEPT in.tftpd: ALL\n", ALL),
        ("", "in.tftpd: ALL EXCEPT 10.0.0.0/255.0.0.0\n", "10.0.0.0/8"),
        ("", "in.tftpd: ALL EXCEPT 10.0.0.0/8\n", "10.0.0.0/8"),
        ("in.tftpd: 10. : deny\nALL: ALL\n", "", NOT_10),
        ("", "in.tftpd: 10.*\n", NOT_10),
        ("", "in.tftpd,sshd: \\\n 10.\n", NOT_10),
        ("", "in.tftpd : 128.0.0.0/1 EXCEPT 200. EXCEPT 200.0.0.0/8\n", NOT_128),
        ("", "in.*: ALL\n", ""),
        ("", "i?.t*d: ALL\n", ""),
        ("", ".tftpd: ALL\n", ""),
        ("", "KNOWN: ALL\n", ""),
        ("", "in.tftpd: ALL : allow\n", ALL),
        ("", "in.tftpd: ALL :\n", ""),
        (
            "",
            "in.tftpd: 10.1.2.3/8 10.1.2.3/255.0.0.0 [10.1.2.3] 0.0.0.0/0 10 1.2.3.4/255.255.255.255\n",
            ALL,
        ),
        ("in.tftpd: 0.0.0.0/0.0.0.0\n", "ALL: ALL\n", "0.0.0.0/0"),
        ("in.tftpd: [2001:db8::7]/32, [::1]\n", "ALL: ALL\n", "::1/128 2001:db8::/32"),
        ("in.tftpd: ALL : severity daemon.info : allow\n", "ALL: ALL\n", ALL),
    ];
    for (allow, deny, expected) in cases {
        assert_eq!(decided(allow, deny, true), (expected.to_owned(), true), "{allow:?} {deny:?}");
    }
}

/// What cannot be carried over is said. Without it, a rule that allows serves fewer clients.
#[test]
fn rules_that_do_not() {
    let cases = [
        ("in.tftpd: .example.com\n", "ALL: ALL\n", ""),
        ("in.tftpd: ALL EXCEPT .example.com\n", "ALL: ALL\n", ""),
        ("", "in.tftpd: ALL EXCEPT pc.example.com\n", ""),
        ("", "in.tftpd: .example.com 10.\n", NOT_10),
        ("", "in.tftpd: PARANOID\n", ALL),
        (
            "in.tftpd: LOCAL, KNOWN, @group, /etc/file, user@10.1.2.3, 10.0.0.0/255.0.255.0\n",
            "ALL: ALL\n",
            "",
        ),
        ("in.tftpd: ALL : twist /bin/true\n", "", ""),
        ("in.tftpd: ALL : bogus\n", "", ""),
        ("", "in.tftpd: ALL : allow : deny\n", ""),
        ("in.tftpd: ALL : spawn /bin/true\n", "ALL: ALL\n", ALL),
        ("in.tftpd@10.1.2.3: ALL\n", "ALL: ALL\n", ""),
        ("", "atftpd: ALL\n", ALL),
    ];
    for (allow, deny, expected) in cases {
        assert_eq!(decided(allow, deny, true), (expected.to_owned(), false), "{allow:?} {deny:?}");
    }
}

/// atftpd passes addresses alone: names never match.
#[test]
fn rules_for_a_server_that_looks_up_no_names() {
    for (deny, expected) in
        [("in.tftpd: .example.com KNOWN LOCAL PARANOID pc\n", ALL), ("in.tftpd: UNKNOWN\n", "")]
    {
        assert_eq!(decided("", deny, false), (expected.to_owned(), true), "{deny:?}");
    }
}

#[test]
fn odd_files_cause_no_harm() {
    let long = format!("in.tftpd: {}\n", "10. ".repeat(1_000));
    let table = Table { location: Location::CommandLine, text: &long, allows: true };
    assert!(decide(&[table], true, &mut Report::default()).is_err());
    assert_eq!(decided("", &format!("{}: ALL\n", "*i".repeat(1_000)), true).0, ALL);
    for odd in [
        ":::",
        "\u{fc}@\u{fc}: \u{fc}@\u{fc}",
        "in.tftpd: \u{fc}@\u{fc}, [, /, ], .",
        "in.tftpd: ] [:]/",
        "in.tftpd: 1.2.3.4.5. ..",
        "in.tftpd: EXCEPT EXCEPT",
        "\\",
        "in.tftpd: [::1]/129, [::1]/-1, 1.2.3.4/33, 1.2.3.4/",
    ] {
        decided(odd, odd, true);
        decided(odd, odd, false);
    }
}
