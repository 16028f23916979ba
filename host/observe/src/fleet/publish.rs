//! Publishes the transfers of this server.
//!
//! The control side puts each start and each end into a bounded queue without waiting; a separate thread publishes
//! them. Without room or a connection, events are dropped and counted: they serve views, while observers with sinks
//! keep records.

use super::{
    CONNECT_TIMEOUT, FINISHED, Message, RequestEnded, SNAPSHOT, STARTED, ServerSnapshot, TransferStarted,
    VIEW, VIEW_EXPIRY, token,
};
use async_nats::Client;
use async_nats::connection::State;
use futures_util::StreamExt;
use serde::Serialize;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, SystemTime};
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout};
use tuffet_config::EventsSpec;
use tuffet_net::nats::{connect, explain};
use tuffet_server::watch::{Active, ExportCounts, Finished, Published, Watch, keep_ends};

/// The most queued events.
const QUEUE_SIZE: usize = 4096;
/// The most events taken from the queue at once.
const BATCH_SIZE: usize = 256;
/// How long a message may wait for room in the connection.
const SEND_TIMEOUT: Duration = Duration::from_secs(1);
/// The first and the longest pause before the next connection; it doubles.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// The age of the oldest samples in a snapshot, in milliseconds: they overlap, so that a viewer misses none.
const OVERLAP_MS: u64 = 3_500;

/// Starts to publish. The thread ends with the last clone of `watch`, or with the process.
///
/// # Errors
/// The system has no thread.
pub fn start(spec: &EventsSpec, watch: &Watch) -> io::Result<()> {
    let (queue, events) = mpsc::channel(QUEUE_SIZE);
    let counts = Arc::new(ExportCounts::default());
    let its = Arc::clone(&counts);
    let publisher = Publisher {
        server: spec.server.clone().unwrap_or_else(|| watch.host().to_owned()),
        spec: spec.clone(),
        watch: watch.clone(),
        counts: Arc::clone(&counts),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let run = move || runtime.block_on(publisher.run(events));
    std::thread::Builder::new().name("tuffet-events".into()).spawn(run)?;
    watch.publish_to(counts, move |event| {
        if queue.try_send(event).is_err() {
            its.dropped.fetch_add(1, Relaxed);
        }
    });
    Ok(())
}

struct Publisher {
    spec: EventsSpec,
    server: String,
    watch: Watch,
    counts: Arc<ExportCounts>,
}

impl Publisher {
    async fn run(self, mut events: mpsc::Receiver<Published>) {
        let mut pause = FIRST_PAUSE;
        let mut failed = None;
        loop {
            match connect(&self.spec.servers, CONNECT_TIMEOUT, |_| async {}).await {
                Ok(client) => {
                    if failed.take().is_some() {
                        tracing::info!(target: "tuffet::events", "the NATS servers of the events answer again");
                    }
                    pause = FIRST_PAUSE;
                    if let Err(why) = self.serve(&client, &mut events).await {
                        warn(&mut failed, why);
                    }
                }
                Err(why) => warn(&mut failed, why),
            }
            self.counts.failures.fetch_add(1, Relaxed);
            if self.discard(&mut events, pause.mul_f64(0.5 + fastrand::f64())).await {
                return;
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Drops the events during a pause. Returns whether the queue has ended.
    async fn discard(&self, events: &mut mpsc::Receiver<Published>, pause: Duration) -> bool {
        let end = sleep(pause);
        tokio::pin!(end);
        loop {
            tokio::select! {
                event = events.recv() => match event {
                    Some(_) => self.counts.dropped.fetch_add(1, Relaxed),
                    None => return true,
                },
                () = &mut end => return false,
            };
        }
    }

    /// Publishes until the connection fails.
    async fn serve(&self, client: &Client, events: &mut mpsc::Receiver<Published>) -> Result<(), String> {
        let views = client.subscribe(format!("{}.{VIEW}", self.spec.subject)).await;
        let mut views = views.map_err(|error| explain(&error))?;
        let mut last_view: Option<Instant> = None;
        let mut seconds = interval(Duration::from_secs(1));
        seconds.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut batch = Vec::new();
        loop {
            tokio::select! {
                taken = events.recv_many(&mut batch, BATCH_SIZE) => {
                    if taken == 0 {
                        return Ok(());
                    }
                    let mut left = taken as u64;
                    for event in batch.drain(..) {
                        let published = match event {
                            Published::Started(record) => {
                                let started = TransferStarted { transfer: Active::from(&*record) };
                                self.publish(client, STARTED, started).await
                            }
                            Published::Finished(summary) => {
                                let ended = RequestEnded { transfer: Finished::from(&summary) };
                                self.publish(client, FINISHED, ended).await
                            }
                        };
                        if let Err(why) = published {
                            self.counts.dropped.fetch_add(left, Relaxed);
                            return Err(why);
                        }
                        self.counts.exported.fetch_add(1, Relaxed);
                        left -= 1;
                    }
                }
                view = views.next() => match view {
                    Some(_) => {
                        // A new viewer does not wait for the next second.
                        if last_view.is_none_or(|last| last.elapsed() > VIEW_EXPIRY) {
                            seconds.reset_immediately();
                        }
                        last_view = Some(Instant::now());
                    }
                    None => return Err("the connection ended".into()),
                },
                _ = seconds.tick() => {
                    if client.connection_state() != State::Connected {
                        return Err("the connection broke".into());
                    }
                    if last_view.is_some_and(|last| last.elapsed() < VIEW_EXPIRY) {
                        self.publish_snapshot(client).await?;
                    }
                }
            }
        }
    }

    async fn publish_snapshot(&self, client: &Client) -> Result<(), String> {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let now = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
        let mut snapshot = self.watch.snapshot(now.saturating_sub(OVERLAP_MS));
        // By default, NATS limits messages to 1 MiB.
        loop {
            let message = Message {
                server: self.server.clone(),
                content: ServerSnapshot { snapshot: snapshot.clone() },
            };
            let bytes = serde_json::to_vec(&message).map_err(|error| error.to_string())?;
            if bytes.len() <= client.max_payload() || snapshot.active.len() + snapshot.finished.len() == 0 {
                return self.send(client, SNAPSHOT, bytes).await;
            }
            let half = snapshot.active.len() / 2;
            keep_ends(&mut snapshot.active, half);
            snapshot.finished.truncate(snapshot.finished.len() / 2);
        }
    }

    async fn publish<T: Serialize>(&self, client: &Client, kind: &str, content: T) -> Result<(), String> {
        let message = Message { server: self.server.clone(), content };
        self.send(client, kind, serde_json::to_vec(&message).map_err(|error| error.to_string())?).await
    }

    async fn send(&self, client: &Client, kind: &str, bytes: Vec<u8>) -> Result<(), String> {
        if bytes.len() > client.max_payload() {
            // Names and options of one request can exceed a low limit of NATS.
            self.counts.dropped.fetch_add(1, Relaxed);
            return Ok(());
        }
        let subject = format!("{}.{kind}.{}", self.spec.subject, token(&self.server));
        let published = timeout(SEND_TIMEOUT, client.publish(subject, bytes.into())).await;
        published.map_err(|_| "the server takes no messages".to_owned())?.map_err(|error| explain(&error))
    }
}

/// Logs a failure, once for each reason.
fn warn(before: &mut Option<String>, why: String) {
    if before.as_ref() != Some(&why) {
        tracing::warn!(
            target: "tuffet::events",
            error = why,
            "transfers are not published: the NATS servers of `events` do not answer; views of many servers lack this one"
        );
        *before = Some(why);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use tuffet_request::events::{InView, Summary};
    use tuffet_server::watch::Fact;

    /// Programs read these names.
    /// A field has a member in the view if and only if its row says so.
    #[test]
    fn each_fact_is_a_member_or_among_the_others() {
        let summary = Arc::new(Summary::sample());
        let shown = serde_json::to_value(Finished::from(&summary)).expect("JSON");
        for (field, value) in summary.fields() {
            let (member, fact) =
                (shown.get(field.name), shown.get("facts").and_then(|it| it.get(field.name)));
            let (expected, other) = match field.view {
                InView::Member => (member, fact),
                InView::Fact => (fact, member),
                InView::Absent => {
                    assert!(member.is_none() && fact.is_none(), "{}", field.name);
                    continue;
                }
            };
            assert_eq!(expected, Some(&json!(Fact::from(value))), "{}", field.name);
            assert_eq!(other, None, "{}", field.name);
        }
    }

    #[test]
    fn an_ended_request_is_published_with_each_fact_under_its_name() {
        let mut shown = serde_json::to_value(Finished::from(&Arc::new(Summary::sample()))).expect("JSON");
        let ended = shown.as_object_mut().and_then(|shown| shown.remove("ended_unix_ms"));
        assert!(ended.and_then(|ended| ended.as_u64()).is_some_and(|ended| ended > 0));
        let call = json!({
            "plugin": "acl", "hook": "authorize", "verdict": "allow", "failure": null, "cached": false, "monitored": false,
            "took_us": 9,
        });
        let expected = json!({
            "id": "0000000000000001",
            "listener": "lan",
            "client": "192.0.2.1:2000",
            "mac": "02:00:5e:10:00:01",
            "mac_source": "neighbour-table",
            "class": "u-boot",
            "operation": "read",
            "path": "b/pxelinux.0",
            "requested_options": [["blksize", "1468"], ["x", ""]],
            "outcome": "timed-out",
            "detail": "silent after block 3",
            "decision": "granted",
            "resolved": "boot:elsewhere",
            "verdict_by": "acl",
            "hint": "the path drops large datagrams",
            "tried": ["boot:a", "boot:b"],
            "tried_by": "mac-map",
            "other_case": ["boot:A"],
            "size": 9_000,
            "rate": 2_048,
            "bytes": 4_284,
            "blocks": 3,
            "blksize": 1_428,
            "windowsize": 8,
            "options": [["tsize", "9001"], ["blksize", "1428"], ["windowsize", "8"], ["timeout", "6"]],
            "plugin_calls": 1,
            "plugins": [call],
            "retransmissions": 10,
            "duplicates": 11,
            "timeouts": 12,
            "rtt_us": 14_000,
            "decision_us": 12_000,
            "first_block_us": 15_000,
            "duration_us": 16_500_000,
            "facts": { "labels": "acl=canary", "protocol": "http", "certificate": "0a1b" },
        });
        assert_eq!(shown, expected);
    }
}
