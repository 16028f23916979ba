//! Many clients at once, over several workers.

use crate::harness::{Client, Options, Peer, Setup, assert_moved, bytes};
use std::collections::HashSet;
use std::thread;

#[test]
fn many_clients_and_four_workers() {
    let sizes = [0, 511, 5000, 40_000];
    let server = Setup::new().sizes(&sizes).workers(4).start();
    thread::scope(|scope| {
        for _ in 0..64 {
            scope.spawn(|| {
                for size in sizes {
                    let content = Peer::new(server.address()).read_plainly(&size.to_string());
                    assert!(content == bytes(size), "{size}");
                }
            });
        }
    });
    let mut ids = HashSet::new();
    for size in sizes.into_iter().flat_map(|size| [size; 64]) {
        let line = server.outcome(&size.to_string());
        assert_moved(&line, "served", size, 512, 1);
        assert!(ids.insert(line["id"].to_string()), "an id twice: {line:#}");
    }
    assert_eq!(server.stop(), [] as [serde_json::Value; 0]);
}

#[test]
fn reads_and_writes_of_real_clients_at_once() {
    let size = 300_000;
    for single_port in [false, true] {
        let setup = Setup::new().sizes(&[size]).writable().workers(4);
        let server = if single_port { setup.single_port() } else { setup }.start();
        let clients: Vec<Client> = Client::installed().collect();
        thread::scope(|scope| {
            for (number, client) in clients.iter().enumerate() {
                let address = server.address();
                scope.spawn(move || {
                    assert!(client.get(address, &size.to_string(), Options::default()) == bytes(size));
                });
                scope.spawn(move || {
                    client.put(address, &format!("up-{number}"), &bytes(size), Options::default());
                });
            }
        });
        for (number, _) in clients.iter().enumerate() {
            assert_moved(&server.outcome(&size.to_string()), "served", size, 512, 1);
            assert_moved(&server.outcome(&format!("up-{number}")), "stored", size, 512, 1);
            assert!(server.root().read(&format!("up-{number}")) == bytes(size));
        }
    }
}
