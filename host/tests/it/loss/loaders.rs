//! Loaders that answer a gap in a way of their own, over a path that loses datagrams in both directions.

use crate::harness::{Answer, Peer, Relay, Setup, ack, assert_ended, bytes, rrq};
use std::collections::BTreeMap;
use std::time::Duration;

const SIZE: usize = 600_000;

/// barebox's time until it sends its last packet again, `fs/tftp.c`.
const PATIENCE: Duration = Duration::from_secs(1);

/// One datagram in so many is lost.
const LOSSES: [(u32, u64); 4] = [(100, 1), (100, 2), (20, 3), (20, 4)];

/// barebox 2022.10 and later: it keeps blocks behind a gap, and reports the gap only after [`PATIENCE`]. It never
/// acknowledges within a window.
fn barebox(peer: &mut Peer, mut windowsize: u16) -> Vec<u8> {
    let request = rrq(
        "image",
        &[("timeout", "5"), ("blksize", "1432"), ("tsize", "0"), ("windowsize", &windowsize.to_string())],
    );
    let (mut last, mut window_end) = (0_u16, windowsize);
    let (mut file, mut behind_a_gap) = (Vec::new(), BTreeMap::new());
    let (mut has_begun, mut silent) = (false, 0);
    peer.ask(&request);
    loop {
        let answer = peer.receive_within(PATIENCE);
        match answer {
            None => {
                silent += 1;
                assert!(silent < 15, "barebox gives up after 15 s without progress, at block {last}");
                if has_begun {
                    window_end = last.wrapping_add(windowsize);
                    peer.send(&ack(last));
                } else {
                    peer.ask(&request);
                }
            }
            Some(Answer::Oack(options)) if !has_begun => {
                let lockstep = format!("blksize=1432 timeout=5 tsize={SIZE}");
                // A server that saw several windows cut off, and no report, grants none for a while.
                if options == lockstep {
                    windowsize = 1;
                } else {
                    assert_eq!(options, format!("{lockstep} windowsize={windowsize}"));
                }
                (has_begun, window_end) = (true, windowsize);
                peer.send(&ack(0));
            }
            Some(Answer::Oack(_)) => {}
            Some(Answer::Data(block, payload)) => {
                // What is outside of the window is ignored.
                if block.wrapping_sub(last).wrapping_sub(1) < window_end.wrapping_sub(last) {
                    behind_a_gap.insert(block, payload);
                }
                while let Some(payload) = behind_a_gap.remove(&last.wrapping_add(1)) {
                    silent = 0;
                    last = last.wrapping_add(1);
                    file.extend_from_slice(&payload);
                    if payload.len() < 1_432 {
                        peer.send(&ack(last));
                        return file;
                    }
                }
                if last == window_end {
                    window_end = last.wrapping_add(windowsize);
                    peer.send(&ack(last));
                }
            }
            Some(other) => panic!("{other:?}"),
        }
    }
}

/// The boot manager of Windows: it doubles its window after one that arrived whole, and begins anew with one block after
/// a loss. Its ACKs have the next window as a fifth byte.
fn windows(peer: &mut Peer) -> Vec<u8> {
    let request = rrq("image", &[("tsize", "0"), ("blksize", "1432"), ("msftwindow", "31416")]);
    let (mut last, mut window, mut missing) = (0_u16, 1_u8, 1_u8);
    let mut file = Vec::new();
    let (mut has_begun, mut silent) = (false, 0);
    peer.ask(&request);
    loop {
        let answer = peer.receive_within(PATIENCE);
        match answer {
            None => {
                silent += 1;
                assert!(silent < 15, "no progress at block {last}");
                if has_begun {
                    (window, missing) = (1, 1);
                    peer.send(&[ack(last), vec![window]].concat());
                } else {
                    peer.ask(&request);
                }
            }
            Some(Answer::Oack(options)) if !has_begun => {
                assert_eq!(options, format!("blksize=1432 msftwindow=27182 tsize={SIZE}"));
                has_begun = true;
                peer.send(&[ack(0), vec![window]].concat());
            }
            Some(Answer::Oack(_)) => {}
            Some(Answer::Data(block, payload)) if block == last.wrapping_add(1) => {
                silent = 0;
                last = block;
                file.extend_from_slice(&payload);
                missing -= 1;
                let is_last = payload.len() < 1_432;
                if missing == 0 && !is_last {
                    window = window.saturating_mul(2).min(64);
                }
                if missing == 0 || is_last {
                    missing = window;
                    peer.send(&[ack(last), vec![window]].concat());
                }
                if is_last {
                    return file;
                }
            }
            // Something is missing, or comes a second time.
            Some(Answer::Data(block, _)) if block.wrapping_sub(last) < 128 && missing > 0 => {
                (window, missing) = (1, 1);
                peer.send(&[ack(last), vec![window]].concat());
            }
            Some(Answer::Data(..)) => {}
            Some(other) => panic!("{other:?}"),
        }
    }
}

fn loses(yaml: &str, load: impl Fn(&mut Peer) -> Vec<u8>) {
    let yaml = format!("roots: [{{ name: boot, path: root }}]\n{yaml}");
    let server = Setup::new().file("image", &bytes(SIZE)).yaml(&yaml).single_port().start();
    for (one_in, seed) in LOSSES {
        let relay = Relay::new(server.address(), one_in, seed);
        let file = load(&mut Peer::strict(relay.address()));
        assert!(file == bytes(SIZE), "one in {one_in} is lost, seed {seed}");
        assert!(relay.lost() > 0);
        let line = server.outcome("image");
        assert_ended(&line, "served", "");
        let retransmissions = line["retransmissions"].as_u64().unwrap();
        eprintln!("one in {one_in}: {} lost, {retransmissions} repeated", relay.lost());
    }
}

#[test]
fn barebox_with_its_default_window() {
    loses("", |peer| barebox(peer, 64));
}

#[test]
fn barebox_with_a_small_window() {
    loses("", |peer| barebox(peer, 8));
}

#[test]
fn the_boot_manager_of_windows() {
    loses("netboot: { windows: true }\n", windows);
}
