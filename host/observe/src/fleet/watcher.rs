//! Follows the servers: announces a viewer, and collects their snapshots.

use super::{CONNECT_TIMEOUT, Fleet, SNAPSHOT, VIEW, VIEW_INTERVAL};
use async_nats::{Client, Subscriber};
use futures_util::StreamExt;
use std::time::{Duration, Instant, SystemTime};
use tokio::time::{Interval, MissedTickBehavior, interval, interval_at};
use tuffet_config::NatsServers;
use tuffet_net::nats::{connect, explain};

use tuffet_server::watch::Snapshot;

/// The interval of merged snapshots, and the delay of the first one, by which all servers have answered.
const MERGE_INTERVAL: Duration = Duration::from_secs(1);
const FIRST_MERGE: Duration = Duration::from_millis(500);

/// A connection that follows the servers.
pub struct FleetWatcher {
    client: Client,
    view_subject: String,
    /// The common prefix of the servers' subjects.
    prefix: String,
    snapshots: Subscriber,
    fleet: Fleet,
    views: Interval,
    seconds: Interval,
}

impl FleetWatcher {
    /// Connects.
    ///
    /// # Errors
    /// NATS cannot be followed: the reason.
    pub async fn open(servers: &NatsServers, subject: &str) -> Result<FleetWatcher, String> {
        let client = connect(servers, CONNECT_TIMEOUT, |_| async {}).await?;
        let snapshots = client.subscribe(format!("{subject}.{SNAPSHOT}.>")).await;
        let snapshots = snapshots.map_err(|error| explain(&error))?;
        let mut seconds = interval_at(tokio::time::Instant::now() + FIRST_MERGE, MERGE_INTERVAL);
        seconds.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Ok(FleetWatcher {
            client,
            view_subject: format!("{subject}.{VIEW}"),
            prefix: format!("{subject}.{SNAPSHOT}."),
            snapshots,
            fleet: Fleet::new(unix_ms()),
            views: interval(VIEW_INTERVAL),
            seconds,
        })
    }

    /// Returns the merged snapshot of the next second.
    ///
    /// # Errors
    /// The connection ended.
    pub async fn next(&mut self) -> Result<Snapshot, String> {
        loop {
            tokio::select! {
                message = self.snapshots.next() => match message {
                    Some(message) => {
                        let of = message.subject.strip_prefix(&self.prefix).unwrap_or_default();
                        self.fleet.take(of, &message.payload, Instant::now(), unix_ms());
                    }
                    None => return Err("the connection ended".into()),
                },
                _ = self.views.tick() => {
                    let published = self.client.publish(self.view_subject.clone(), "".into()).await;
                    published.map_err(|error| explain(&error))?;
                }
                _ = self.seconds.tick() => return Ok(self.fleet.merged(Instant::now(), unix_ms())),
            }
        }
    }

    /// Returns whether no server has sent a snapshot recently.
    pub fn is_empty(&self) -> bool {
        self.fleet.is_empty()
    }
}

fn unix_ms() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}
