//! Windows (RFC 7440) and the time-out option (RFC 2349), read and written.

use crate::harness::Answer::{Data, Oack};
use crate::harness::{Client, Options, Peer, SOON, Setup, assert_moved, bytes, rrq};

fn sizes(windowsize: u16) -> [usize; 5] {
    let window = 1428 * usize::from(windowsize);
    [0, 1, window - 1, window, 3 * window + 1]
}

fn windows(client: Client) {
    if !client.is_installed() {
        return;
    }
    let all = [1, 2, 8, 64].map(sizes).concat();
    let server = Setup::new().writable().sizes(&all).start();
    for windowsize in [1, 2, 8, 64] {
        for size in sizes(windowsize) {
            let options = Options { blksize: Some(1428), windowsize: Some(windowsize), ..Options::default() };
            let (name, upload) = (size.to_string(), format!("up-{windowsize}-{size}"));
            assert!(client.get(server.address(), &name, options) == bytes(size), "{windowsize} {name}");
            assert_moved(&server.outcome(&name), "served", size, 1428, windowsize);
            client.put(server.address(), &upload, &bytes(size), options);
            assert_moved(&server.outcome(&upload), "stored", size, 1428, windowsize);
            assert!(server.root().read(&upload) == bytes(size), "{upload}");
        }
    }
}

/// Its virtio driver stops receiving when its 32 receive buffers overflow.
#[test]
fn of_12_at_most_for_u_boot() {
    let server = Setup::new().sizes(&[100_000]).start();
    for (asked, granted) in [("8", 8), ("12", 12), ("13", 12), ("64", 12)] {
        let mut peer = Peer::strict(server.address());
        peer.ask(&rrq("100000", &[("timeout", "5"), ("blksize", "1468"), ("windowsize", asked)]));
        let answer = Oack(format!("blksize=1468 timeout=5 windowsize={granted}"));
        assert_eq!(peer.receive_within(SOON), Some(answer), "{asked}");
    }
}

#[test]
fn of_1_to_64_with_tuffet() {
    windows(Client::Tuffet);
}

#[test]
fn of_1_to_64_with_atftp() {
    windows(Client::Atftp);
}

#[test]
fn the_time_out_option_with_atftp() {
    if !Client::Atftp.is_installed() {
        return;
    }
    let server = Setup::new().sizes(&[5000]).start();
    let options = Options { timeout: Some(3), windowsize: Some(8), ..Options::default() };
    assert!(Client::Atftp.get(server.address(), "5000", options) == bytes(5000));
    assert_moved(&server.outcome("5000"), "served", 5000, 512, 8);
}

/// All of them are answered, in lower case, and the whole window is sent at once.
#[test]
fn negotiated_together() {
    let server = Setup::new().sizes(&[5000]).start();
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("5000", &[("BLKSIZE", "1000"), ("WindowSize", "4"), ("tsize", "0"), ("timeout", "7")]));
    peer.expect(Oack("blksize=1000 timeout=7 tsize=5000 windowsize=4".into()));
    peer.send(&crate::harness::ack(0));
    for block in 1..=4 {
        let from = 1000 * (usize::from(block) - 1);
        peer.expect(Data(block, bytes(5000)[from..from + 1000].to_vec()));
    }
    peer.send(&crate::harness::ack(4));
    peer.expect(Data(5, bytes(5000)[4000..].to_vec()));
    peer.expect(Data(6, Vec::new()));
    peer.send(&crate::harness::ack(6));
    assert_moved(&server.outcome("5000"), "served", 5000, 1000, 4);
}

/// The server's own limits hold, whatever is requested.
#[test]
fn limited_by_the_configuration() {
    let server = Setup::new()
        .rest_of_yaml("transfer: { max-blksize: 1024, max-windowsize: 3 }")
        .sizes(&[5000])
        .start();
    let options = Options { blksize: Some(1428), windowsize: Some(16), ..Options::default() };
    assert!(Client::Tuffet.get(server.address(), "5000", options) == bytes(5000));
    assert_moved(&server.outcome("5000"), "served", 5000, 1024, 3);
}
