//! Connections to NATS, for sinks, keys, events and a watched configuration.

use std::future::Future;
use std::time::Duration;

use async_nats::{Client, ConnectOptions, Event};
use tokio::time::{error::Elapsed, timeout};

use crate::{causes, tls};
use tuffet_config::{NatsLogin, NatsServers};

/// The interval of pings on an idle connection.
const PING: Duration = Duration::from_secs(20);

/// Connects to the first server that answers, and waits up to `patience` for each. The client reconnects by itself
/// later. `on_event` receives the events of the connection.
///
/// # Errors
/// No server accepted the connection.
pub async fn connect<F>(
    servers: &NatsServers,
    patience: Duration,
    on_event: impl Fn(Event) -> F + Send + Sync + 'static,
) -> Result<Client, String>
where
    F: Future<Output = ()> + Send + Sync + 'static,
{
    tls::choose_provider();
    let options = ConnectOptions::new()
        .name("tuffet")
        .connection_timeout(patience)
        .ping_interval(PING)
        .event_callback(on_event);
    let options = match &servers.login {
        NatsLogin::None => options,
        NatsLogin::Token(token) => options.token(token.reveal().to_owned()),
        NatsLogin::User { name, password } => {
            options.user_and_password(name.reveal().to_owned(), password.reveal().to_owned())
        }
        NatsLogin::Credentials(credentials) => {
            options.credentials(credentials.reveal()).map_err(|error| error.to_string())?
        }
    };
    // Each of several servers has its own time-out; the total must be bounded, too.
    let patience = patience.saturating_mul(u32::try_from(servers.urls.len()).unwrap_or(u32::MAX).max(1));
    let connecting = timeout(patience, options.connect(servers.urls.as_slice()));
    match connecting.await {
        Ok(connected) => connected.map_err(|error| explain(&error)),
        Err(Elapsed { .. }) => Err(format!("no server answered within {patience:?}")),
    }
}

/// Returns an error with its causes; the client's own text is often only the outermost.
pub fn explain(error: &dyn std::error::Error) -> String {
    causes::explain(error)
}
