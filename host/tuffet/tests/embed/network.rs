//! Transfers over a network with faults on purpose.

use crate::{builder, off, put, start};
use std::net::SocketAddr;
use std::time::Duration;
use tuffet::{Folder, Handle};
use tuffet_testing::{Client, Delivery, Direction, Faults, Network};

fn content() -> Vec<u8> {
    (0..60_000_u32).map(|n| (n / 7) as u8).collect()
}

fn serve(folder: &std::path::Path) -> (Handle, SocketAddr) {
    std::fs::write(folder.join("file"), content()).unwrap();
    start(builder().folder(Folder::new("boot", folder).writable(1 << 20)))
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_doubled_and_reordered_datagrams_change_no_byte() {
    let folder = tempfile::tempdir().unwrap();
    let (handle, server) = serve(folder.path());
    off(move || {
        let faults = Faults::seeded(3).lose(0.05).double(0.1).reorder(0.1).delay(Duration::from_millis(1));
        let network = Network::start(server, faults).unwrap();
        let client = Client::new(network.address());
        assert_eq!(client.clone().get("file").unwrap(), content());
        assert_eq!(client.blksize(1000).windowsize(8).get("file").unwrap(), content());
        put(network.address(), "new", &content()).unwrap();
    })
    .await;
    assert_eq!(std::fs::read(folder.path().join("new")).unwrap(), content());
    handle.drain(Duration::ZERO).await;
}

/// A function decides about each datagram: here it makes ERRORs of the third answer.
#[tokio::test(flavor = "multi_thread")]
async fn a_test_of_a_client_writes_the_answers() {
    let folder = tempfile::tempdir().unwrap();
    let (handle, server) = serve(folder.path());
    let refused = off(move || {
        let mut answers = 0;
        let network = Network::start(server, move |direction: Direction, datagram: &[u8]| {
            let mut bytes = datagram.to_vec();
            if direction == Direction::ToClient {
                answers += 1;
                if answers == 3 {
                    bytes = b"\0\x05\0\x03full\0".to_vec();
                }
            }
            vec![Delivery { bytes, ..Delivery::default() }]
        });
        Client::new(network.unwrap().address()).get("file").unwrap_err()
    });
    assert_eq!(refused.await, crate::refused(3, "full"));
    handle.drain(Duration::ZERO).await;
}
