//! A path that loses datagrams: every byte arrives all the same, and the outcome reports the cost.

mod crowd;
mod firmware;
mod first_window;
mod last_ack;
mod loaders;
mod pressure;

use crate::harness::{Client, Options, Relay, Setup, assert_moved, bytes};

const SIZE: usize = 300_000;

/// Loses one datagram in fifty, in both directions.
fn transfers(client: Client, windowsize: Option<u16>) {
    if !client.is_installed() {
        return;
    }
    let server = Setup::new().sizes(&[SIZE]).writable().single_port().start();
    let options = Options { windowsize, ..Options::default() };
    let window = windowsize.unwrap_or(1);
    for seed in [1, 2] {
        let relay = Relay::new(server.address(), 50, seed);
        let name = SIZE.to_string();
        assert!(client.get(relay.address(), &name, options) == bytes(SIZE), "read, seed {seed}");
        let lost = relay.lost();
        assert!(lost > 0);
        let line = server.outcome(&name);
        assert_moved(&line, "served", SIZE, 512, window);
        assert!(line["retransmissions"].as_u64().unwrap() > 0, "{lost} lost: {line:#}");

        let upload = format!("up-{seed}");
        client.put(relay.address(), &upload, &bytes(SIZE), options);
        assert!(relay.lost() > lost);
        let line = server.outcome(&upload);
        assert_moved(&line, "stored", SIZE, 512, window);
        let repeated = ["retransmissions", "duplicates"].map(|key| line[key].as_u64().unwrap());
        assert!(repeated.iter().sum::<u64>() > 0, "{line:#}");
        assert!(server.root().read(&upload) == bytes(SIZE), "written, seed {seed}");
    }
}

#[test]
fn tuffet_in_lockstep() {
    transfers(Client::Tuffet, None);
}

#[test]
fn tuffet_in_windows() {
    transfers(Client::Tuffet, Some(16));
}

/// Without losses nothing is lost: the relay itself is sound, and a quiet path has no retransmissions.
#[test]
fn a_path_without_loss() {
    let server = Setup::new().sizes(&[SIZE]).single_port().start();
    let relay = Relay::new(server.address(), u32::MAX, 1);
    let options = Options { windowsize: Some(8), ..Options::default() };
    assert!(Client::Tuffet.get(relay.address(), &SIZE.to_string(), options) == bytes(SIZE));
    assert_eq!(relay.lost(), 0);
    assert_moved(&server.outcome(&SIZE.to_string()), "served", SIZE, 512, 8);
}
