//! Blocks larger than the path's MTU, over a cable with an MTU of 1500 bytes in a network of the test's own:
//! they are fragmented, whatever was tried first, and whatever is said of fragments on the way.

use crate::harness::{Network, Server, Setup, assert_moved, bytes, run};

#[test]
fn blocks_larger_than_the_mtu_arrive() {
    let Some(network) = Network::new("02:00:5e:10:00:0b") else { return };
    blocks_of_all_sizes_arrive(&network, false);
}

/// A kernel that refuses such a block permits it from then on.
#[test]
fn blocks_larger_than_the_mtu_arrive_where_routers_must_not_fragment() {
    let Some(network) = Network::new("02:00:5e:10:00:0d") else { return };
    blocks_of_all_sizes_arrive(&network, true);
}

fn setup(network: &Network, dont_fragment: bool) -> Setup {
    let yaml = format!("transfer: {{ dont-fragment: {dont_fragment} }}\n");
    Setup::new().sizes(&[300_000]).rest_of_yaml(&yaml).behind(network.on_server())
}

fn blocks_of_all_sizes_arrive(network: &Network, dont_fragment: bool) {
    let server = setup(network, dont_fragment)
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

/// Messages that the server needs for a file of 300,000 bytes, in windows of 16.
fn messages(network: &Network, server: &Server, from: &str, blksize: u32) -> u64 {
    let before = network.sent_by_server();
    let mut get = network.on_client(env!("CARGO_BIN_EXE_tuffet"));
    get.args(["get", &format!("tftp://{from}/300000"), "--output", "-", "--windowsize", "16"]);
    get.args(["--blksize", &blksize.to_string()]);
    let ran = run(&mut get);
    ran.assert_good();
    assert!(ran.stdout == bytes(300_000));
    server.outcome("300000");
    network.sent_by_server() - before
}

/// A client behind a small MTU changes nothing for the others: their windows still go to the kernel as one message.
#[test]
fn a_small_mtu_concerns_its_own_client() {
    let Some(network) = Network::new("02:00:5e:10:00:0c") else { return };
    // A second cable, through an interface with a smaller MTU.
    network.server_ip(&format!("link add other type veth peer name other netns {}", network.client_name()));
    network.server_ip("address add 198.51.100.1/24 dev other");
    network.client_ip("address add 198.51.100.2/24 dev other");
    network.server_ip("link set other mtu 1300 up");
    network.client_ip("link set other mtu 1300 up");
    let server = setup(&network, false).workers(1).listen("0.0.0.0:6969").start();
    let messages = |from: &str, blksize| messages(&network, &server, from, blksize);
    assert!(messages("192.0.2.1:6969", 1408) < 100, "214 blocks in windows of 16");
    // As often as there might be sockets that learn something.
    for _ in 0..8 {
        assert!(messages("198.51.100.1:6969", 1408) > 200, "none of them fits the interface");
    }
    assert!(messages("198.51.100.1:6969", 1000) < 150, "these do");
    assert!(messages("192.0.2.1:6969", 1408) < 100, "as before");
}

/// The MTU of a route counts where the kernel fragments for the path; without DF, the routers on it do.
#[test]
fn a_route_with_a_small_mtu_concerns_its_own_client() {
    let Some(network) = Network::new("02:00:5e:10:00:0e") else { return };
    network.client_ip("address add 192.0.2.3/24 dev cable");
    network.server_ip("route add 192.0.2.3/32 dev cable mtu 1300");
    for dont_fragment in [false, true] {
        let server = setup(&network, dont_fragment).workers(1).listen("192.0.2.1:6969").start();
        let messages = |blksize| messages(&network, &server, "192.0.2.1:6969", blksize);
        assert!(messages(1408) < 100, "214 blocks in windows of 16");
        network.client_ip("route add 192.0.2.1/32 dev cable src 192.0.2.3");
        for _ in 0..8 {
            assert_eq!(messages(1408) > 200, dont_fragment, "none of them fits the path");
        }
        assert!(messages(1000) < 150, "these do");
        network.client_ip("route del 192.0.2.1/32 dev cable");
        assert!(messages(1408) < 100, "as before");
    }
}
