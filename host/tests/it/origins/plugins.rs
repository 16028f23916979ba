//! Plugins read files of roots that live elsewhere.

use super::setup;
use crate::harness::{Answer, Manner, Peer, Web, rrq};
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

#[test]
fn a_plugin_answers_with_a_file_of_an_origin() {
    let web = Web::start();
    web.put("images/7.img", b"of the data centre", "1");
    let guest = tuffet_test_guests::component("reference");
    let yaml = format!(
        "roots:\n  - {{ name: boot, path: root }}\n{}policy: {{ resolve: [names], time-limit: 20s }}\nplugins:\n  names:\n    \
         component: {guest:?}\n    limits: {{ wall: 10s, time: 5s }}\n    settings: {{ rules: [{{ hook: resolve, path: here, \
         answer: {{ serve: {{ candidates: [\"far:images/7.img\"] }} }} }}, {{ hook: resolve, path: near, answer: {{ serve: {{ candidates: [\"far:images/none\", \"boot:near\"], else-next: true }} }} }}, {{ hook: resolve, path: none, answer: {{ serve: {{ candidates: [\"far:images/none\"] }} }} }}] }}\n",
        web.root("far", "", ""),
    );
    let server = setup().file("near", b"near").yaml(&yaml).start();
    let peer = || Peer::new(server.address());
    assert_eq!(peer().read_plainly("here"), b"of the data centre");
    assert_eq!(server.outcome("here")["resolved"], "far:images/7.img");
    assert_eq!(peer().read_plainly("near"), b"near");
    let mut peer = peer();
    peer.ask(&rrq("none", &[]));
    assert!(matches!(peer.receive(), Answer::Error(1, _)));
}
