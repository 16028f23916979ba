//! The log in the forms of tftpd-hpa and dnsmasq, read with the expressions of tools for them.

use super::form::Spoken;
use crate::harness::{Answer, Peer, ack, data, error, request, rrq, skipped, wrq};
use std::net::Ipv4Addr;
use std::os::linux::fs::MetadataExt;
use std::process::{Command, Stdio};

/// Matches a line as Perl does, in which xCAT is written; returns the groups.
#[track_caller]
fn groups(expression: &str, line: &str) -> Option<Vec<String>> {
    let script = r#"exit 1 unless $ARGV[1] =~ /$ARGV[0]/; print join("\n", map { substr($ARGV[1], $-[$_], $+[$_] - $-[$_]) } 1..$#-)"#;
    let ran = Command::new("perl").args(["-e", script, "--", expression, line]).output().expect("perl");
    ran.status.success().then(|| String::from_utf8(ran.stdout).unwrap().lines().map(str::to_owned).collect())
}

const CLIENT: &str = "127.0.0.7";

fn client(server: &Spoken) -> Peer {
    Peer::from(CLIENT.parse::<Ipv4Addr>().unwrap(), server.address)
}

/// Reads `small`, asks for `missing`, may not write, and ends the last transfer itself.
fn ask(server: &Spoken) {
    let served = |name: &str| {
        let mut peer = client(server);
        peer.ask(&rrq(name, &[]));
        peer.expect(Answer::Data(1, b"x".to_vec()));
        peer
    };
    let peer = served("/small");
    peer.send(&ack(1));
    let mut peer = client(server);
    peer.ask(&rrq("missing", &[]));
    peer.expect_error(1);
    let mut peer = client(server);
    peer.ask(&wrq("up", &[]));
    peer.expect_error(2);
    let peer = served("small");
    peer.send(&error(3, "no room"));
}

#[test]
fn the_probe_of_xcat_reads_tftp_hpa() {
    let server = Spoken::start_with("tftp-hpa", None, None);
    ask(&server);
    // xCAT-probe/lib/perl/LogParse.pm: fields of a line, by its time; then xCAT-probe/subcmds/osdeploy.
    let iso = r"^(\d+)-(\d+)-(\d+)T(\d+):(\d+):(\d+)(.+)-(.+)$";
    let expected = [
        format!("RRQ from {CLIENT} filename /small"),
        format!("RRQ from {CLIENT} filename missing"),
        format!("sending NAK (1, File not found) to {CLIENT}"),
        format!("WRQ from {CLIENT} filename up"),
        format!("sending NAK (2, Access denied) to {CLIENT}"),
        format!("RRQ from {CLIENT} filename small"),
    ];
    let mut lines: Vec<String> = expected.iter().map(|_| server.line("in.tftpd[")).collect();
    // A transfer that is aborted may end before one that was served.
    lines.sort_by_key(|line| expected.iter().position(|expected| line.ends_with(expected.as_str())));
    for (line, expected) in lines.iter().zip(&expected) {
        let words: Vec<&str> = line.split_whitespace().collect();
        assert!(groups(iso, words[0]).is_some(), "{line}");
        assert!(groups("in.tftpd", words[2]).is_some(), "{line}");
        let message = words[3..].join(" ");
        assert_eq!(message, *expected);
        if message.contains("RQ") {
            let found = groups(r"(?i)(?:RRQ|WRQ)\s+from\s+(.+)\s+filename\s+(.+)", &message).unwrap();
            assert_eq!(found[0], CLIENT);
        }
    }
}

/// The expressions of an automated Ubuntu installer, and of a monitor that reads syslog.
#[test]
fn other_readers_of_tftp_hpa_find_address_and_file() {
    let server = Spoken::start_with("tftp-hpa", None, None);
    ask(&server);
    let line = server.line("filename missing");
    let address = groups(r"^.*RRQ\s+from\s+(\d+\.\d+\.\d+\.\d+)\s+filename\s+missing.*$", &line).unwrap();
    assert_eq!(address, [CLIENT]);
    let message = groups(r"in\.tftpd.*?\]: (.*)$", &line).unwrap();
    let found = groups(r"RRQ from (\S+) filename (\S+)", &message[0]).unwrap();
    assert_eq!(found, [CLIENT, "missing"]);
}

/// The expressions of netboot.xyz's checks and of a collector of events of network installations.
#[test]
fn readers_of_dnsmasq_find_address_and_file() {
    let server = Spoken::start_with("dnsmasq", None, None);
    ask(&server);
    let root = server.root.path().canonicalize().unwrap().display().to_string();
    let sent = server.line(" sent ");
    let pattern = format!(
        r".*?\sdnsmasq-tftp\[\d.*\]:\ssent\s{root}/small\sto\s((?:\d{{1,3}})\.(?:\d{{1,3}})\.(?:\d{{1,3}})\.(?:\d{{1,3}}))"
    );
    assert_eq!(groups(&pattern, &sent).unwrap(), [CLIENT]);
    let found = groups(r"dnsmasq-tftp\[\d+\]: sent (\S+) to ([\d.]+)$", &sent).unwrap();
    assert_eq!(found, [format!("{root}/small"), CLIENT.to_owned()]);

    let server = Spoken::start_with("dnsmasq", None, None);
    ask(&server);
    let root = server.root.path().canonicalize().unwrap().display().to_string();
    let words = [" not found for ", "cannot access", "error 3", "failed sending"];
    let [missing, denied, error, failed] = server.lines_with(words);
    let found = groups(r"dnsmasq-tftp\[\d+\]: file (\S+) not found for ([\d.]+)$", &missing).unwrap();
    assert_eq!(found, [format!("{root}/missing"), CLIENT.to_owned()]);
    assert!(denied.ends_with(&format!("cannot access {root}/up: Permission denied")), "{denied}");
    assert!(error.ends_with(&format!(": error 3 no room received from {CLIENT}")), "{error}");
    assert!(failed.ends_with(&format!(": failed sending {root}/small to {CLIENT}")), "{failed}");
}

/// With a folder for each client (`tftp-unique-root`), dnsmasq names a missing file in that folder, whatever the root has.
#[test]
fn a_missing_file_is_named_where_it_was_looked_for() {
    let yaml = r#"
roots: [{ name: boot, path: . }]
policy: { resolve: [remap] }
plugins:
  remap:
    component: builtin:remap
    grants: [files/boot]
    settings: { root: boot, unique-root: ip, rules: [{ match: '^C:', replace: '' }] }
"#;
    for (format, words) in
        [("dnsmasq", ["not found for", " sent "]), ("tftp-hpa", ["filename small", "filename C:own"])]
    {
        let server = Spoken::start_with(format, None, Some(yaml));
        std::fs::create_dir(server.root.path().join(CLIENT)).unwrap();
        std::fs::write(server.root.path().join(CLIENT).join("own"), b"x").unwrap();
        let root = server.root.path().canonicalize().unwrap().display().to_string();
        let read = |name: &str| {
            let mut peer = client(&server);
            peer.ask(&rrq(name, &[]));
            let answer = peer.receive();
            peer.send(&ack(1));
            let line = server.line(words[usize::from(!matches!(answer, Answer::Error(..)))]);
            (answer, line)
        };
        let (answer, missing) = read("small");
        assert_eq!(answer, Answer::Error(1, "file not found".into()));
        let (answer, repaired) = read("C:own");
        assert_eq!(answer, Answer::Data(1, b"x".to_vec()));
        let ends = match format {
            "dnsmasq" => [
                format!(": file {root}/{CLIENT}/small not found for {CLIENT}"),
                format!(": sent {root}/{CLIENT}/own to {CLIENT}"),
            ],
            _ => [
                format!("filename small remapped to {CLIENT}/small"),
                format!("filename C:own remapped to {CLIENT}/own"),
            ],
        };
        assert!(missing.ends_with(&ends[0]), "{missing}");
        assert!(repaired.contains(&ends[1]), "{repaired}");
    }
}

/// fail2ban itself finds the host in both, and none but the true one.
#[test]
fn fail2ban_finds_the_host() {
    if Command::new("fail2ban-regex").arg("--version").stdout(Stdio::null()).status().is_err() {
        return skipped("fail2ban is not installed");
    }
    for (format, expression, words) in [
        ("tftp-hpa", r"in\.tftpd\[\d+\]: sending NAK \(1, [^)]*\) to <HOST>$", "sending NAK (1"),
        ("dnsmasq", r"dnsmasq-tftp\[\d+\]: file \S+ not found for <HOST>$", "not found for"),
    ] {
        let server = Spoken::start_with(format, None, None);
        ask(&server);
        let honest = server.line(words);
        let mut peer = client(&server);
        peer.ask(&rrq("x not found for 10.0.0.9", &[]));
        peer.expect_error(1);
        let forged = server.line(words);
        for line in [&honest, &forged] {
            let ran = Command::new("fail2ban-regex")
                .args(["--out", "ip"])
                .args([line, expression])
                .output()
                .unwrap();
            let found = String::from_utf8(ran.stdout).unwrap();
            assert_eq!(found.trim(), CLIENT, "{line}");
        }
    }
}

#[test]
fn no_name_forges_a_line_or_an_address() {
    for format in ["tftp-hpa", "dnsmasq"] {
        let server = Spoken::start_with(format, None, None);
        let mut peer = client(&server);
        let name = b"a\nRRQ from 10.0.0.9 filename b\x1b[31m to 10.0.0.9";
        peer.ask(&request(1, name, b"octet", &[]));
        peer.receive();
        let line = server.line("a\\n");
        assert!(
            line.contains("a\\nRRQ\\x20from\\x2010.0.0.9\\x20filename\\x20b\\u{1b}[31m\\x20to"),
            "{line}"
        );
        let mut peer = client(&server);
        peer.ask(&rrq("small", &[]));
        peer.expect(Answer::Data(1, b"x".to_vec()));
        peer.send(&error(0, "x received from 10.0.0.9\nsent y to 10.0.0.9"));
        if format == "dnsmasq" {
            let line = server.line("error 0");
            assert!(line.contains("error 0 x\\x20received\\x20from\\x2010.0.0.9\\nsent\\x20y"), "{line}");
        }
    }
}

#[test]
fn the_journal_gets_messages_with_priorities() {
    let stream = |file: &std::fs::File| {
        let about = file.metadata().unwrap();
        format!("{}:{}", about.st_dev(), about.st_ino())
    };
    let server = Spoken::start_with("tftp-hpa", Some(stream), None);
    ask(&server);
    let lines = server.lines_with(["filename /small", "filename missing", "NAK (1,"]);
    let expected = [
        "<6>RRQ from ADDR filename /small",
        "<4>RRQ from ADDR filename missing",
        "<4>sending NAK (1, File not found) to ADDR",
    ];
    assert_eq!(lines, expected.map(|line| line.replace("ADDR", CLIENT)));
}

#[test]
fn all_else_stays_text_and_uploads_have_lines() {
    let yaml = "roots: [{ name: boot, path: ., writable: true }]\n";
    let server = Spoken::start_with("dnsmasq", None, Some(yaml));
    let mut peer = client(&server);
    peer.ask(&wrq("up", &[]));
    peer.expect(Answer::Ack(0));
    peer.send(&data(1, b"content"));
    peer.expect(Answer::Ack(1));
    let root = server.root.path().canonicalize().unwrap().display().to_string();
    let line = server.line("dnsmasq-tftp[");
    assert!(line.ends_with(&format!("]: received {root}/up from {CLIENT}")), "{line}");
    server.stop();
    let line = server.line("totals");
    assert!(line.ends_with(" INFO tuffet::watch: totals: 1 request, 1 stored"), "{line}");
}
