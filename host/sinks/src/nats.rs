//! Sends lines as messages to a NATS server.
//!
//! The client confirms nothing by itself: messages may be in a buffer when the connection breaks. So each batch is
//! followed by a message to a private subject over the same connection. When that comes back, the server has
//! everything that was sent before it. A batch during which the connection changed is sent again.

use parking_lot::Mutex;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use async_nats::{Client, ConnectOptions, Event, Subscriber};
use futures_util::StreamExt;
use tokio::runtime::Runtime;
use tokio::time::{error::Elapsed, timeout};

use super::output::{Failure, Output, Remedy};
use super::runtime;
use tuffet_config::NatsLogin;
use tuffet_config::sinks::NatsTarget;
use tuffet_net::causes::explain;
use tuffet_net::{nats, tls};

/// The longest pause between retries.
const LONGEST_PAUSE: Duration = Duration::from_secs(15);

pub(super) struct NatsOutput {
    target: NatsTarget,
    /// Dropped after any error.
    connection: Option<(Runtime, Connection)>,
}

struct Connection {
    client: Client,
    /// The private subject; its messages confirm batches.
    inbox: String,
    confirmations: Subscriber,
    /// The number of the last batch.
    batch: u64,
    last_error: ServerError,
}

/// The last permission error of the server.
type ServerError = Arc<Mutex<Option<String>>>;

impl NatsOutput {
    pub(super) fn open(target: &NatsTarget) -> io::Result<NatsOutput> {
        tls::choose_provider();
        if let NatsLogin::Credentials(credentials) = &target.servers.login {
            // Validates the credentials now.
            ConnectOptions::new().credentials(credentials.reveal())?;
        }
        Ok(NatsOutput { target: target.clone(), connection: None })
    }

    fn try_deliver(&mut self, lines: &[String]) -> Result<(), Failure> {
        let (runtime, connection) = match &mut self.connection {
            Some(connected) => connected,
            none => {
                let runtime = runtime::start().map_err(|error| Failure::retry(0, error))?;
                let connected = runtime.block_on(Connection::open(&self.target));
                match connected {
                    Ok(connection) => none.insert((runtime, connection)),
                    Err(error) => {
                        runtime.shutdown_background();
                        return Err(Failure::retry(0, error));
                    }
                }
            }
        };
        let max_bytes = connection.client.max_payload();
        let fitting = lines.iter().take_while(|line| line.len() <= max_bytes).count();
        if fitting > 0 {
            let target = &self.target;
            let sent = runtime.block_on(async {
                timeout(target.timeout, connection.send(target, &lines[..fitting])).await
            });
            let confirmed =
                sent.unwrap_or_else(|Elapsed { .. }| Err(connection.no_confirmation(target.timeout)));
            confirmed.map_err(|error| Failure::retry(0, error))?;
            // The server sends errors before the confirmation; lets the client process them.
            let processed = runtime.spawn(async {
                for _ in 0..4 {
                    tokio::task::yield_now().await;
                }
            });
            let _ = runtime.block_on(processed);
            connection.last_error().map_or(Ok(()), |last_error| Err(Failure::retry(0, last_error)))?;
        }
        if fitting < lines.len() {
            let error = format!("a line has {} bytes: the server accepts {max_bytes}", lines[fitting].len());
            return Err(Failure { done: fitting, remedy: Remedy::Drop(1), error });
        }
        Ok(())
    }
}

impl Output for NatsOutput {
    fn longest_pause(&self) -> Duration {
        LONGEST_PAUSE
    }

    fn deliver(&mut self, lines: &[String]) -> Result<(), Failure> {
        let delivered = self.try_deliver(lines);
        if let Err(Failure { remedy: Remedy::Retry(_), .. }) = delivered
            && let Some((runtime, connection)) = self.connection.take()
        {
            drop(connection);
            runtime.shutdown_background();
        }
        delivered
    }
}

impl Drop for NatsOutput {
    fn drop(&mut self) {
        if let Some((runtime, _)) = self.connection.take() {
            runtime.shutdown_background();
        }
    }
}

impl Connection {
    async fn open(target: &NatsTarget) -> Result<Connection, String> {
        let last_error = ServerError::default();
        let shared_error = Arc::clone(&last_error);
        let client = nats::connect(&target.servers, target.timeout, move |event| {
            if let Event::ServerError(error) = event {
                *shared_error.lock() = Some(error.to_string());
            }
            async {}
        })
        .await?;
        let inbox = client.new_inbox();
        let confirmations =
            client.subscribe(inbox.clone()).await.map_err(|error| format!("no confirmation: {error}"))?;
        Ok(Connection { client, inbox, confirmations, batch: 0, last_error })
    }

    /// Sends lines, and waits until the server has them.
    async fn send(&mut self, target: &NatsTarget, lines: &[String]) -> Result<(), String> {
        let statistics = self.client.statistics();
        let connects = || statistics.connects.load(Ordering::Acquire);
        let before = connects();
        for line in lines {
            let sent = self.client.publish(target.subject.clone(), line.clone().into()).await;
            sent.map_err(|error| explain(&error))?;
        }
        self.batch += 1;
        let number = self.batch.to_string();
        let confirmation = self.client.publish(self.inbox.clone(), number.clone().into()).await;
        confirmation.map_err(|error| explain(&error))?;
        loop {
            match self.confirmations.next().await {
                Some(message) if message.payload.as_ref() == number.as_bytes() => break,
                Some(_) => {}
                None => return Err("the connection was closed".into()),
            }
        }
        if connects() == before { Ok(()) } else { Err("the connection broke meanwhile".into()) }
    }

    /// Describes a missing confirmation.
    fn no_confirmation(&self, waited: Duration) -> String {
        self.last_error().unwrap_or_else(|| {
            format!(
                "the server did not confirm within {waited:?}; a user with restrictions needs to publish and \
                 subscribe to `_INBOX.>`"
            )
        })
    }

    fn last_error(&self) -> Option<String> {
        self.last_error.lock().clone()
    }
}
