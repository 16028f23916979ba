//! Maps of in.tftpd, operation by operation. host/tests/it/policy/remap.rs compares with the real one.

use super::*;
use tuffet_sdk::testing::put_file;

const OLD: &str = "tftpd-hpa-5.2";
const NEW: &str = "tftpd-hpa-6.0";

#[track_caller]
fn assert_maps(dialect: &str, text: &str, cases: &[(&str, &str)]) {
    let map = map(dialect, text);
    for (name, expected) in cases {
        assert_eq!(read(&map, name), *expected, "{dialect}: {text:?}: {name:?}");
    }
}

#[test]
fn rules_apply_from_the_top_down() {
    for dialect in [OLD, NEW] {
        assert_maps(dialect, "r a b\nr b c\n", &[("xax", "boot:xcx"), ("x", "-"), ("b", "boot:c")]);
        assert_maps(dialect, "re a b\nr b c\n", &[("a", "boot:b"), ("b", "boot:c")]);
        assert_maps(dialect, "e ^b\nr . c\n", &[("b", "-"), ("a", "boot:c")]);
        assert_maps(
            dialect,
            "# comment\n\n  r a\\ b x\\#y# comment\nri C\t\\U\\0d\\E\\i",
            &[("a b", "boot:x#y"), ("c", "boot:CD192.0.2.7")],
        );
        assert_maps(dialect, "rg \\\\ /\n", &[("\\a\\b", "boot:a/b"), ("a/b", "-")]);
        assert_maps(dialect, "e~ ^a\nr $ x\n", &[("b", "-"), ("a", "boot:ax")]);
        assert_maps(dialect, "r ^([^/]*)(/)? \\1-\\2\n", &[("a", "boot:a-"), ("a/b", "boot:a-/b")]);
    }
}

#[test]
fn what_5_2_does_otherwise() {
    // Goes on with the second rule after a restart.
    let restarts = "r a b\nrs x a\nr b c\n";
    assert_maps(OLD, restarts, &[("ax", "boot:ca"), ("x", "boot:a")]);
    assert_maps(NEW, restarts, &[("ax", "boot:cb"), ("x", "boot:c")]);
    // The text of a denial stands in the name.
    assert_maps(OLD, "a bar <\\0>\n", &[("xbary", "! x<bar>y")]);
    assert_maps(NEW, "a bar <\\0>\n", &[("xbary", "! <bar>")]);
    assert_maps(OLD, "rgg aa a\n", &[("aaaa", "boot:a")]);
    assert_maps(NEW, "rgg aa a\n", &[("aaaa", "boot:aa")]);
    assert_maps(OLD, "ra b c\n", &[("abc", "! acc")]);
}

#[test]
fn a_denial_has_a_text() {
    for dialect in [OLD, NEW] {
        assert_maps(
            dialect,
            "a secret\na~ ^[a-z]+$ only\\ letters\n",
            &[("secret", "! Access denied"), ("1", "! only letters"), ("a", "-")],
        );
    }
    let Resolution::Deny(denial) = map(NEW, "r a b\na b no\n").resolve(&request("a")) else { panic!() };
    assert_eq!(denial.reason, "line 2 (a): denied \"b\"");
}

#[test]
fn reads_writes_and_addresses() {
    let map = map(NEW, "rG a r\nrP a w\nr4 b four\nr6 b six\n");
    assert_eq!((read(&map, "a"), answer(&map, &write("a"))), ("boot:r".into(), "boot:w".into()));
    let mut six = request("b");
    six.client.address = "2001:db8::7".into();
    assert_eq!((read(&map, "b"), answer(&map, &six)), ("boot:four".into(), "boot:six".into()));
}

#[test]
fn jumps() {
    let text = "j ^a skip\\0\nr ^ not-\n:skipa\nr $ -end\nj ^z last\nr ^ b-\n:last\n";
    assert_maps(NEW, text, &[("a", "boot:b-a-end"), ("x", "boot:b-not-x-end"), ("z", "boot:b-not-z-end")]);
    assert_maps(NEW, ": late\nr $ 1\nj ^[^1]*1$ late\n:\n", &[("a", "boot:a11")]);
    assert_maps(NEW, "j ^ \\0x\n", &[("a", "! Remap table failure")]);
    assert_maps(NEW, "j ^a end\nr ^ x\n:end", &[("a", "-"), ("b", "boot:xb")]);
}

#[test]
fn steps_are_bounded() {
    for dialect in [OLD, NEW] {
        assert_maps(dialect, "rg a aa\n", &[("a", "! Remap table failure")]);
        assert_maps(dialect, "r a b\nrs b a\nrs a b\n", &[("a", "! Remap table failure"), ("x", "-")]);
        assert_maps(dialect, "r (.*) \\1\\1\\1\nrs ^ x", &[("a", "! Remap table failure")]);
    }
    // As many rules as there are steps may be tried, and no more.
    let steps = |steps: u32| remap(json!({ "root": "boot", "map": "rg a b\nr $ c\n", "steps": steps }));
    assert_eq!(read(&steps(4), "aaa"), "boot:bbbc");
    let Resolution::Deny(denial) = steps(3).resolve(&request("aaa")) else { panic!() };
    assert_eq!(denial.reason, "the rules came to no end within 3 steps; line 2 (r) made \"bbb\"");
}

#[test]
fn a_rule_may_depend_on_a_file() {
    put_file("boot", "lab/a", "");
    put_file("boot", "b", "");
    let text = "rE ^ /lab/\nE ^b\nr ^ else/\n";
    assert_maps(
        NEW,
        text,
        &[("a", "boot:lab/a"), ("b", "-"), ("c", "boot:else/c"), ("..", "! file name holds `..`")],
    );
}

/// glibc's view of a name is bytes; the server's is text.
#[test]
fn names_that_are_not_utf_8() {
    let mut request = request("grub/\u{ea}onboard");
    request.attributes = vec![("raw-name".into(), "677275622fea6f6e626f617264".into())];
    assert_eq!(answer(&map(NEW, "r ^grub/. \\0-\n"), &request), "boot:grub/\u{ea}-onboard");
    assert_eq!(read(&map(NEW, "r ^. x\n"), "ä"), "boot:x\u{a4}");
}

/// The server refuses them unless a rule makes another name of them.
#[test]
fn names_that_are_not_safe() {
    let refused = |name: &str| {
        let mut request = request(name);
        request.attributes.push(("unsafe-name".into(), "file name holds a drive letter".into()));
        request
    };
    for dialect in [OLD, NEW] {
        let drives = map(dialect, "ri ^[a-z]:\nrg \\\\ /\nr ^([!-~]+).*$ \\1\n");
        for (name, expected) in [
            ("C:\\boot\\bcd", "boot:boot/bcd"),
            ("c:/boot/bcd", "boot:boot/bcd"),
            ("C:dump.bin", "boot:dump.bin"),
            ("boot.bin\u{1}\u{2}", "boot:boot.bin"),
            // Nothing changed: the server has its own words.
            ("../x", "-"),
            ("\u{1}", "-"),
            ("C:\\..\\x", "! file name holds `..`"),
            ("C:\u{1}x", "! file name holds a control character"),
        ] {
            assert_eq!(answer(&drives, &refused(name)), expected, "{name:?}");
        }
        assert_eq!(answer(&drives, &write("C:dump.bin")), "boot:dump.bin");
    }
    let denies = map(NEW, "a ^[A-Z]: no\\ drives\n");
    assert_eq!(answer(&denies, &refused("C:x")), "! no drives");
    // The name itself is that of no file.
    let atftpd = map("atftpd", "^C:(.*)$ $1\n");
    assert_eq!(answer(&atftpd, &refused("C:/x")), "boot:x");
    assert_eq!(read(&atftpd, "aC:x"), "-");
}

/// in.tftpd gives its rules the whole name; own rules never see what DHCP leaves at its end.
#[test]
fn what_dhcp_leaves_at_the_end_of_a_name() {
    let mut request = request("a\u{ff}");
    request.attributes = vec![("raw-name".into(), "61ff".into())];
    assert_eq!(answer(&map(OLD, "r ^a$ b\n"), &request), "-");
    assert_eq!(answer(&map(OLD, "r ^(a).$ \\1b\n"), &request), "boot:ab");
    assert_eq!(answer(&map(OLD, "r ^a b\n"), &request), "boot:b");
    let rules = remap(json!({ "root": "boot", "rules": [{ "match": "^a$", "replace": "b" }] }));
    assert_eq!(answer(&rules, &request), "boot:b");
}

/// After the maps that these systems write, in our words.
#[test]
fn maps_of_provisioning_systems() {
    let ironic = remap(json!({
        "also-at": [{ "path": "/tftpboot", "root": "boot" }],
        "map": "r ^([^/]) /tftpboot/\\1\nr ^(/tftpboot/)(/)* /tftpboot/\\2\n",
    }));
    assert_eq!(read(&ironic, "a/b"), "boot:a/b");
    assert_eq!(read(&ironic, "/tftpboot/a"), "boot:a");
    assert_eq!(read(&ironic, "/etc/passwd"), "! Forbidden directory");

    let foreman =
        "rgi \\\\ /\nri ^/+ \nr ^(grub2?)/(grub2?)/ \\1/\ne ^pxelinux\\.cfg/\nr ^ztp.cfg$ ztp.cfg/\\x\n";
    assert_maps(
        NEW,
        foreman,
        &[
            ("\\Boot\\BCD", "boot:Boot/BCD"),
            ("/grub2/grub2/x", "boot:grub2/x"),
            ("pxelinux.cfg/default", "-"),
            ("ztp.cfg", "boot:ztp.cfg/C0000207"),
        ],
    );

    assert_maps(OLD, "r .* nodes/\\i/tftp/\\0\n", &[("start.ipxe", "boot:nodes/192.0.2.7/tftp/start.ipxe")]);
    assert_maps(OLD, "rg (\\\\) \\/\n", &[("xcat\\xnba.kpxe", "boot:xcat/xnba.kpxe")]);
    let phones = "ri ^(SEP|ATA)([0-9a-f]{12})\\.cnf\\.xml(\\.sgn)?$ config/\\U\\1\\2\\E.cnf.xml\\3\n\
                  ri ^(.*)[/\\\\](.*\\.jar)$ locales/\\L\\1/\\2\nre ^(dialplan|softkeys)\\.xml$ etc/\\0\n";
    assert_maps(
        OLD,
        phones,
        &[
            ("sep00aabbccddee.cnf.xml.sgn", "boot:config/SEP00AABBCCDDEE.cnf.xml.sgn"),
            ("German_Germany\\SP-sip.JAR", "boot:locales/german_germany/sp-sip.jar"),
            ("dialplan.xml", "boot:etc/dialplan.xml"),
            ("dialplan.xml2", "-"),
        ],
    );
}
