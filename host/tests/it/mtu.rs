//! Blocks larger than the path's MTU, over a cable with an MTU of 1500 bytes in a network of the test's own:
//! they are fragmented, whatever was tried first.

use crate::harness::{Network, Setup, assert_moved, bytes, run};

#[test]
fn blocks_larger_than_the_mtu_arrive() {
    let Some(network) = Network::new("02:00:5e:10:00:0b") else { return };
    let server = Setup::new()
        .sizes(&[300_000])
        .behind(network.on_server())
        .listen("192.0.2.1:6969")
        .listen("0.0.0.0:6970")
        .listen("[2001:db8::1]:6971")
        .start();
    for address in ["192.0.2.1:6969", "192.0.2.1:6970", "[2001:db8::1]:6971"] {
        // Below the MTU, above it, and below it again on the same sockets.
        for (blksize, window) in [(1408, 16), (8192, 1), (8192, 4), (65_464, 1), (1408, 16), (1408, 1)] {
            let url = format!("tftp://{address}/300000");
            let mut get = network.on_client(env!("CARGO_BIN_EXE_tuffet"));
            get.args(["get", &url, "--output", "-"]);
            get.args(["--blksize", &blksize.to_string(), "--windowsize", &window.to_string()]);
            let ran = run(&mut get);
            ran.assert_good();
            assert!(ran.stdout == bytes(300_000), "{address} {blksize} {window}");
            let line = server.outcome("300000");
            assert_moved(&line, "served", 300_000, blksize, window);
        }
    }
}

/// A client behind a small MTU changes nothing for the others: their windows still go to the kernel as one message.
#[test]
fn a_small_mtu_concerns_its_own_client() {
    let Some(network) = Network::new("02:00:5e:10:00:0c") else { return };
    let server = Setup::new()
        .sizes(&[300_000])
        .workers(1)
        .behind(network.on_server())
        .listen("192.0.2.1:6969")
        .start();
    network.client_ip("address add 192.0.2.3/24 dev cable");
    network.server_ip("route add 192.0.2.3/32 dev cable mtu 1300");
    let messages = |blksize: u32| {
        let before = network.sent_by_server();
        let mut get = network.on_client(env!("CARGO_BIN_EXE_tuffet"));
        get.args(["get", "tftp://192.0.2.1:6969/300000", "--output", "-", "--windowsize", "16"]);
        get.args(["--blksize", &blksize.to_string()]);
        let ran = run(&mut get);
        ran.assert_good();
        assert!(ran.stdout == bytes(300_000));
        server.outcome("300000");
        network.sent_by_server() - before
    };
    assert!(messages(1408) < 100, "214 blocks in windows of 16");
    network.client_ip("route add 192.0.2.1/32 dev cable src 192.0.2.3");
    // As often as there might be sockets that learn something.
    for _ in 0..8 {
        assert!(messages(1408) > 200, "none of them fits the path");
    }
    assert!(messages(1000) < 150, "these do");
    network.client_ip("route del 192.0.2.1/32 dev cable");
    assert!(messages(1408) < 100, "as before");
}
