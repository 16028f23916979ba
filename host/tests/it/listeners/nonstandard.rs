//! Options that no RFC has: windows of Windows Deployment Services, and those of tftp-hpa beside in.tftpd itself.

use crate::harness::{Answer, Folder, Peer, Setup, ack, bytes, error, is_root, own_loopback, rrq, skipped};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const WINDOWS: &[(&str, &str)] = &[("tsize", "0"), ("blksize", "1456"), ("msftwindow", "31416")];

#[track_caller]
fn blocks(peer: &mut Peer, numbers: std::ops::RangeInclusive<u16>) {
    for number in numbers {
        let answer = peer.receive();
        assert!(matches!(answer, Answer::Data(got, _) if got == number), "{number} was due, not {answer:?}");
    }
}

/// An ACK of Windows' boot manager: the fifth byte is the next window.
fn ack_for(block: u16, wanted: u8) -> Vec<u8> {
    [ack(block), vec![wanted]].concat()
}

#[test]
fn windows_chooses_each_window() {
    let yaml =
        "roots: [{ name: boot, path: root }]\nnetboot: { windows: true }\ntransfer: { max-windowsize: 8 }\n";
    let server = Setup::new().file("boot.wim", &bytes(20 * 1456 - 1)).yaml(yaml).start();
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("boot.wim", WINDOWS));
    peer.expect(Answer::Oack(format!("blksize=1456 msftwindow=27182 tsize={}", 20 * 1456 - 1)));
    peer.send(&ack_for(0, 2));
    blocks(&mut peer, 1..=2);
    peer.send(&ack_for(2, 4));
    blocks(&mut peer, 3..=6);
    peer.send(&ack_for(6, 1));
    blocks(&mut peer, 7..=7);
    // No more than the server allows.
    peer.send(&ack_for(7, 255));
    blocks(&mut peer, 8..=15);
    peer.send(&ack_for(15, 5));
    blocks(&mut peer, 16..=20);
    peer.send(&ack_for(20, 5));
    let line = server.outcome("boot.wim");
    assert_eq!((&line["outcome"], &line["class"]), (&"served".into(), &"windows".into()), "{line:#}");
    assert!(line["asked"].as_str().unwrap().contains("msftwindow=31416"), "{line:#}");
}

#[test]
fn without_netboot_windows_gets_no_windows() {
    let server = Setup::new().sizes(&[3000]).start();
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("3000", WINDOWS));
    peer.expect(Answer::Oack("blksize=1456 tsize=3000".into()));
    // Its ACKs have five bytes all the same.
    peer.send(&ack_for(0, 9));
    blocks(&mut peer, 1..=1);
    let next = peer.receive_within(Duration::from_millis(100));
    assert!(matches!(next, None | Some(Answer::Data(1, _))), "nothing new before the next ACK: {next:?}");
    peer.send(&error(0, "enough"));
}

/// The client's choice of the number after 65535 holds for its transfer alone.
#[test]
fn rollover_is_what_the_client_asked_for() {
    let yaml = "roots: [{ name: boot, path: root }]\nnetboot: { tftp-hpa-options: true }\n";
    let server = Setup::new().file("long", &bytes(65_537 * 8 - 1)).yaml(yaml).start();
    for (asked, after) in [("1", 1), ("0", 0)] {
        let mut peer = Peer::new(server.address());
        peer.ask(&rrq("long", &[("rollover", asked), ("blksize", "8"), ("windowsize", "64")]));
        peer.expect(Answer::Oack(format!("blksize=8 rollover={asked} windowsize=64")));
        peer.send(&ack(0));
        let mut seen = 0_u32;
        while seen < 65_536 {
            let Answer::Data(number, _) = peer.receive() else { panic!("DATA") };
            seen += 1;
            let expected = if seen == 65_536 { after } else { seen as u16 };
            assert_eq!(number, expected);
            if seen.is_multiple_of(64) {
                peer.send(&ack(number));
            }
        }
        peer.send(&error(0, "enough"));
    }
}

/// in.tftpd with its folder, killed on drop.
struct Tftpd(Child);

impl Drop for Tftpd {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn tftpd(folder: &Folder, address: SocketAddr) -> Option<Tftpd> {
    if !is_root() {
        skipped("in.tftpd needs root");
        return None;
    }
    // atftpd is installed under the same name.
    let version = Command::new("in.tftpd").arg("-V").stdin(Stdio::null()).output();
    if !version.is_ok_and(|said| String::from_utf8_lossy(&said.stdout).starts_with("tftp-hpa 5.2")) {
        skipped("in.tftpd of tftp-hpa 5.2 is not installed");
        return None;
    }
    let mut command = Command::new("in.tftpd");
    command.args(["-L", "-u", "root", "-s", "-a", &address.to_string()]).arg(&folder.0);
    command.stdin(Stdio::null()).spawn().ok().map(Tftpd)
}

/// The granted options, or what else a server answers.
fn answer(server: SocketAddr, options: &[(&str, &str)]) -> Option<Answer> {
    let mut peer = Peer::new(server);
    peer.ask(&rrq("3000", options));
    let answer = peer.receive_within(Duration::from_secs(1))?;
    if !matches!(answer, Answer::Error(..)) {
        peer.send(&error(0, "enough"));
    }
    Some(answer)
}

/// Where in.tftpd 5.2 grants an option, so does this server, with the same value; the differences are named.
#[test]
fn the_options_of_tftp_hpa_are_granted_as_by_in_tftpd() {
    let yaml = "roots: [{ name: boot, path: root }]\nnetboot: { tftp-hpa-options: true }\n";
    let server = Setup::new().sizes(&[3000]).yaml(yaml).start();
    // A port that no client gets.
    let theirs = (own_loopback(), 6969).into();
    let Some(_tftpd) = tftpd(&server.root(), theirs) else { return };
    // Until it listens.
    let up = (0..100).any(|_| answer(theirs, &[]).is_some());
    assert!(up, "in.tftpd does not answer");
    for options in [
        &[("blksize2", "8")][..],
        &[("blksize2", "1023")],
        &[("blksize2", "1024")],
        &[("blksize2", "65464")],
        &[("rollover", "0")],
        &[("rollover", "1")],
        &[("utimeout", "10000")],
        &[("utimeout", "255000000")],
        &[("timeout", "3"), ("utimeout", "20000")],
        &[("tsize", "0"), ("blksize2", "2000"), ("rollover", "1")],
    ] {
        let (ours, theirs) = (answer(server.address(), options), answer(theirs, options));
        assert_eq!(ours, theirs, "{options:?}");
    }
    // Left out instead of refused: an option with an invalid value ends no transfer here.
    for (option, value) in
        [("blksize2", "7"), ("utimeout", "9999"), ("utimeout", "255000001"), ("rollover", "65536")]
    {
        assert!(matches!(answer(theirs, &[(option, value)]), Some(Answer::Error(8, _))), "{option} {value}");
        assert!(
            matches!(answer(server.address(), &[(option, value)]), Some(Answer::Data(1, _))),
            "{option} {value}"
        );
    }
    // in.tftpd grants its own limit unrounded, both block sizes, and any number after 65535.
    for (options, theirs_is, ours_is) in [
        (&[("blksize2", "70000")][..], "blksize2=65464", "blksize2=32768"),
        (&[("blksize", "1000"), ("blksize2", "2048")], "blksize=1000 blksize2=2048", "blksize=1000"),
    ] {
        assert_eq!(answer(theirs, options), Some(Answer::Oack(theirs_is.into())));
        assert_eq!(answer(server.address(), options), Some(Answer::Oack(ours_is.into())));
    }
    assert_eq!(answer(theirs, &[("rollover", "2")]), Some(Answer::Oack("rollover=2".into())));
    assert!(matches!(answer(server.address(), &[("rollover", "2")]), Some(Answer::Data(1, _))));
}
