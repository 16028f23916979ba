//! Two processes of a server use the same state, as during a restart without a gap. All locks belong to open files, so two
//! runtimes act like two processes.

use super::*;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use tempfile::TempDir;
use tuffet_config::sinks::{FileTarget, Fsync, SinkSpec, SinkTarget};
use tuffet_request::events::{Answered, DecisionRecord, Event, EventKind, Outcome, Summary};

fn audit(state: &Path) -> PolicySpec {
    let mut audit = plugin("audit", ComponentSource::Builtin("audit".into()), json!({ "sink": "log" }));
    audit.grants = vec![Grant::Kv, Grant::Sinks("log".into())];
    let mut spec = authorizers(vec![audit]);
    spec.config.observe = std::mem::take(&mut spec.config.authorize);
    let file = FileTarget { path: state.join("log"), rotate: None, fsync: Fsync::Never };
    spec.sinks =
        vec![SinkSpec { name: "log".into(), target: SinkTarget::File(file), queue: 10_000, spool: None }];
    spec.state = state.to_owned();
    spec
}

fn ended() -> Event {
    let record = DecisionRecord::new(Arc::new(read("a")), Instant::now());
    let summary = Summary {
        bytes: 7,
        blocks: 1,
        duration: Duration::from_millis(4),
        ..Summary::new(record, Outcome::Served, Answered::Granted)
    };
    Event { sequence: 1, at: SystemTime::now(), what: EventKind::Finished(Arc::new(summary)) }
}

async fn observe(policy: &Policy, calls: usize) {
    for _ in 0..calls {
        policy.observe(&[ended(), ended()], &[]).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_continue_one_chain_of_audit() {
    let folder = TempDir::new().unwrap();
    let spec = audit(folder.path());
    let old_runtime = PolicyRuntime::new(None).unwrap();
    let old = old_runtime.load(&spec).await.unwrap();
    observe(&old, 2).await;
    old_runtime.share_state();
    let new_runtime = PolicyRuntime::new(None).unwrap();
    new_runtime.share_state();
    let new = new_runtime.load(&spec).await.unwrap();
    assert!(!new_runtime.own_state(), "the predecessor lives");
    tokio::join!(observe(&old, 20), observe(&new, 20));
    drop(old);
    old_runtime.sinks().flush(LONG);
    drop(old_runtime);
    let end = Instant::now() + LONG;
    while !new_runtime.own_state() {
        assert!(Instant::now() < end);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    observe(&new, 2).await;
    new_runtime.sinks().flush(LONG);

    let log = std::fs::read_to_string(folder.path().join("log")).unwrap();
    let mut lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    lines.sort_by_key(|line| line["seq"].as_u64());
    let numbers: Vec<u64> = lines.iter().map(|line| line["seq"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=88).collect::<Vec<u64>>());
    for pair in lines.windows(2) {
        assert_eq!(pair[1]["previous"], pair[0]["hash"]);
    }
    let left: BTreeSet<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["log", "observe-audit.lock", "plugins.redb"].map(Into::into).into());
}
