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
