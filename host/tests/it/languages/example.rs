//! The example of the Python SDK, as its README shows it.

use super::python_component;
use crate::harness::{Answer, Peer, Setup, ack, assert_ended, rrq, tuffet};

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../sdk/python/examples/firmware");

#[test]
fn the_python_example_serves() {
    let Some(component) = python_component("firmware") else { return };
    let cases = format!("{EXAMPLE}/cases.yaml");
    let ran = tuffet(["plugin", "test", &cases, "--component", &component, "--time", "60s"]);
    assert!(ran.status.success(), "{}\n{}", String::from_utf8_lossy(&ran.stdout), ran.stderr);

    // Its own configuration, except for the listener and the time limits for a busy machine.
    let yaml = std::fs::read_to_string(format!("{EXAMPLE}/tuffet.yaml")).unwrap();
    let yaml = yaml.split_once("roots:").unwrap().1;
    let yaml = yaml.replace("./files", &format!("{EXAMPLE}/files")).replace("./firmware.wasm", &component);
    let yaml = yaml.replace("    settings:", "    limits: { time: 20s, wall: 40s }\n    settings:");
    let server = Setup::new().yaml(&format!("roots:{yaml}")).start();
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("firmware/ap-2800.bin", &[]));
    peer.expect(Answer::Data(1, b"ap-2800, version 8.10.185\n".to_vec()));
    peer.send(&ack(1));
    assert_eq!(server.outcome("firmware/ap-2800.bin")["resolved"], "boot:images/ap-2800-8.10.185.bin");
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("firmware/toaster.bin", &[]));
    assert_eq!(peer.receive(), Answer::Error(1, "no firmware for toaster".into()));
    assert_ended(&server.outcome("firmware/toaster.bin"), "not-found", "no row of models.csv");
}
