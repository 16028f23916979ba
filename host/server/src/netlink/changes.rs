//! Changes of interfaces and addresses, for listeners that wait for them.

use futures_util::StreamExt;
use rtnetlink::{MulticastGroup, new_multicast_connection};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::timeout;

/// The interval of checks whether anybody waits for changes.
const CHECK_INTERVAL: Duration = Duration::from_secs(60);

/// Follows the interfaces and addresses of this machine in the background, on the present tokio runtime. The result is
/// notified of each change.
///
/// # Errors
/// There is no route netlink socket.
pub fn follow_changes() -> io::Result<Arc<Notify>> {
    let groups = [MulticastGroup::Link, MulticastGroup::Ipv4Ifaddr, MulticastGroup::Ipv6Ifaddr];
    let (connection, _, mut events) = new_multicast_connection(&groups)?;
    tokio::spawn(connection);
    let changes = Arc::new(Notify::new());
    let waiting = Arc::downgrade(&changes);
    tokio::spawn(async move {
        loop {
            let event = timeout(CHECK_INTERVAL, events.next()).await;
            let Some(changes) = waiting.upgrade() else { return };
            match event {
                Ok(Some(_)) => changes.notify_one(),
                // The socket is closed; who waits also looks by the clock.
                Ok(None) => return,
                Err(_) => {}
            }
        }
    });
    Ok(changes)
}
