//! A root that hangs is named wherever an operator looks.

use super::beside;
use crate::harness::{Pace, Peer, Server, SlowDisk, Step, http, rrq, until};

/// Waits until the readiness check says this.
#[track_caller]
pub(super) fn ready_until(server: &Server, status: u16) -> serde_json::Value {
    let ask = || http(server.admin(), "/readyz", &[]);
    until("it says so", ask, |answer| answer.status == status).json()
}

#[test]
fn by_readyz_status_metric_and_log() {
    let Some(disk) = SlowDisk::mount() else { return };
    let server = beside(&disk, "admin: { address: '127.0.0.1:0' }\n");
    ready_until(&server, 200);
    disk.set(Step::Lookup, "stuck", Pace::Hangs);
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("stuck", &[]));
    disk.hangs(Step::Lookup, 1);
    let line = server.log_line("a root does not answer");
    assert_eq!((&line["root"], &line["operation"]), (&"slow".into(), &"open".into()));

    let said = ready_until(&server, 503);
    assert_eq!(said["reasons"][0]["check"], "root", "{said}");
    let detail = said["reasons"][0]["detail"].as_str().unwrap();
    assert!(detail.starts_with("`slow` does not answer"), "{detail}");
    assert_eq!(http(server.admin(), "/readyz?exclude=root", &[]).status, 200);
    let roots = server.status()["roots"].clone();
    let hung: Vec<_> = roots.as_array().unwrap().iter().map(|root| (&root["root"], &root["hung"])).collect();
    assert_eq!(hung, [(&"boot".into(), &false.into()), (&"slow".into(), &true.into())], "{roots}");
    let metrics = server.metrics();
    for due in ["tuffet_root_hung{root=\"boot\"} 0", "tuffet_root_hung{root=\"slow\"} 1"] {
        assert!(metrics.lines().any(|line| line == due), "{metrics}");
    }

    disk.release();
    assert_eq!(server.logged("the root answers again")["root"], "slow");
    ready_until(&server, 200);
    assert!(server.metrics().contains("tuffet_root_hung{root=\"slow\"} 0"));
    assert_eq!(server.log().matches("a root does not answer").count(), 1, "{}", server.log());
}
