//! Follows the servers: says that somebody watches, and takes their snapshots.

use super::{CONNECT, Fleet, NOW, VIEW, VIEWING};
use async_nats::{Client, Subscriber};
use futures_util::StreamExt;
use std::time::{Duration, Instant, SystemTime};
use tokio::time::{Interval, MissedTickBehavior, interval, interval_at};
use tuffet_config::NatsServers;
use tuffet_net::nats::{connect, explain};

use tuffet::watch::Snapshot;

/// The interval of merged snapshots, and the wait for the first one: all servers have answered by then.
const SECOND: Duration = Duration::from_secs(1);
const FIRST: Duration = Duration::from_millis(500);

/// A connection that follows the servers.
pub struct Watching {
    client: Client,
    viewing: String,
    /// The beginning of the subjects of all servers.
    own: String,
    snapshots: Subscriber,
    fleet: Fleet,
    views: Interval,
    seconds: Interval,
}

impl Watching {
    /// Connects.
    ///
    /// # Errors
    /// Why NATS cannot be followed.
    pub async fn open(servers: &NatsServers, subject: &str) -> Result<Watching, String> {
        let client = connect(servers, CONNECT, |_| async {}).await?;
        let snapshots = client.subscribe(format!("{subject}.{NOW}.>")).await;
        let snapshots = snapshots.map_err(|error| explain(&error))?;
        let mut seconds = interval_at(tokio::time::Instant::now() + FIRST, SECOND);
        seconds.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Ok(Watching {
            client,
            viewing: format!("{subject}.{VIEWING}"),
            own: format!("{subject}.{NOW}."),
            snapshots,
            fleet: Fleet::new(unix_ms()),
            views: interval(VIEW),
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
                        let of = message.subject.strip_prefix(&self.own).unwrap_or_default();
                        self.fleet.take(of, &message.payload, Instant::now(), unix_ms());
                    }
                    None => return Err("the connection ended".into()),
                },
                _ = self.views.tick() => {
                    let viewing = self.client.publish(self.viewing.clone(), "".into()).await;
                    viewing.map_err(|error| explain(&error))?;
                }
                _ = self.seconds.tick() => return Ok(self.fleet.merged(Instant::now(), unix_ms())),
            }
        }
    }

    /// Whether no server was heard so far.
    pub fn is_alone(&self) -> bool {
        self.fleet.is_empty()
    }
}

fn unix_ms() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}
