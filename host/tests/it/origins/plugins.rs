//! Plugins read files of roots that live elsewhere.

use super::setup;
use crate::harness::{Manner, Peer, Web};
use crate::policy::probe;

#[test]
fn a_plugin_reads_what_an_origin_has() {
    let web = Web::start();
    web.put("inventory", b"of the data centre", "1");
    let yaml = format!(
        "roots:\n  - {{ name: boot, path: root }}\n{}state: state\nsinks: {{ out: {{ file: out.jsonl }} }}\npolicy: {{ \
         resolve: [reader], time-limit: 20s }}\nplugins:\n  reader:\n    component: {:?}\n    grants: [kv, files/far, \
         sinks/out]\n    on-error: abstain\n    limits: {{ wall: 10s, time: 5s }}\n    settings: {{ when: \"*\", run: [\"file \
         read far inventory\"] }}\n",
        web.root("far", "private: true,", "revalidate: 0s, stale-if-error: 0s"),
        probe()
    );
    let server = setup().yaml(&yaml).start();
    let read = Peer::new(server.address()).read_plainly("anything");
    assert!(String::from_utf8_lossy(&read).contains("of the data centre"), "{read:?}");
    // It is told when nobody answers.
    web.be(Manner::Away);
    let read = Peer::new(server.address()).read_plainly("anything");
    assert!(!String::from_utf8_lossy(&read).contains("of the data centre"), "{read:?}");
}
