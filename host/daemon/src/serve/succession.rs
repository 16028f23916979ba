//! What a running server has to do with the one before it, and with the next one.

use super::control::Control;
use super::handover::{Handover, Offer};
use super::http::HttpSockets;
use super::parent::Parent;
use super::passing::SharedListener;
use super::predecessor::Predecessor;
use super::shared_state::SharedState;
use crate::socket_file::SocketFile;
use std::io;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::UnixStream;
use tokio::sync::oneshot;
use tokio::time::sleep;
use tuffet_config::Config;
use tuffet_engine::worker::ListenerSpec;
use tuffet_observe::admin;
use tuffet_server::server::Assembly;
use tuffet_server::watch::Watch;

/// How often it looks whether the next server can still reach it.
const HOLD_INTERVAL: Duration = Duration::from_millis(50);

/// Returns the listeners, as another server knows them.
pub(super) fn shared_listeners(config: &Config, bound: &[ListenerSpec]) -> Vec<SharedListener> {
    let all = config.settings.listeners.iter().zip(bound);
    let shared = all.map(|(listener, bound)| SharedListener {
        address: bound.address,
        interface: listener.interface.clone(),
    });
    shared.collect()
}

/// Returns what the next server may take.
pub(super) fn offer(
    assembly: &Assembly,
    admin: Option<&mut (admin::Listener, Option<SocketFile>)>,
    control: Option<&mut Control>,
    http: &HttpSockets,
) -> io::Result<Offer> {
    let mut offer = Offer::default();
    if let Some((admin, file)) = admin {
        offer.add_service(admin.duplicate()?, file.take());
    }
    if let Some(control) = control {
        let (socket, file) = control.offer()?;
        offer.add_control(socket, file);
    }
    for (listener, socket) in assembly.duplicate_listening()? {
        let interface = assembly.listeners.get(listener).and_then(|its| its.interface.clone());
        offer.add_listening(socket.into(), interface);
    }
    for socket in http.duplicate()? {
        offer.add_listening(socket.into(), None);
    }
    Ok(offer)
}

/// Tells the server before this one that requests are answered; counts what it still counts, and waits for its end in the
/// background.
pub(super) fn succeed(predecessor: Predecessor, state: SharedState, watch: Watch) {
    match predecessor.replaced().and_then(|link| {
        link.set_nonblocking(true)?;
        UnixStream::from_std(link)
    }) {
        Ok(link) => {
            tracing::info!(target: "tuffet::server::running", "took over from the server before");
            tokio::spawn(async move {
                let mut lines = BufReader::new(link).lines();
                // It sends what it counts; its end closes the connection.
                while let Ok(Some(line)) = lines.next_line().await {
                    if let Ok(counts) = serde_json::from_str(&line) {
                        watch.add_counts(&counts);
                    }
                }
                tracing::info!(target: "tuffet::server::running", "the server before has ended");
                state.take_over().await;
            });
        }
        Err(error) => {
            tracing::info!(
                target: "tuffet::server::running",
                %error, "the server before ended before this one answered requests"
            );
            tokio::spawn(state.take_over());
        }
    }
}

/// Waits until a stopping server need not keep its sockets any longer; for ever if it does not keep them.
pub(super) async fn hold_ends(until: Option<Instant>, handover: &Handover) {
    let Some(until) = until else { return std::future::pending().await };
    while handover.is_in_progress() || Instant::now() < until && handover.is_awaited() {
        sleep(HOLD_INTERVAL).await;
    }
}

/// Waits until the control socket is removed: the next server cannot find this one then, and needs its admin
/// listener. For ever if this one still has its listening ports.
pub(super) async fn control_socket_goes(is_released: bool, handover: &Handover) {
    if !is_released {
        return std::future::pending().await;
    }
    while !handover.is_unreachable() {
        sleep(HOLD_INTERVAL).await;
    }
}

/// Waits until this process need neither hand its sockets over nor pass packets on; for ever if it does neither.
pub(super) async fn no_longer_needed(handover: &Handover) {
    let is_needed = || handover.is_between() || handover.is_in_progress();
    if !is_needed() {
        return std::future::pending().await;
    }
    while is_needed() {
        sleep(HOLD_INTERVAL).await;
    }
}

/// Waits for the end of the parent process; for ever without one.
pub(super) async fn parent_ends(parent: &mut Option<(Parent, oneshot::Receiver<()>)>) {
    match parent {
        Some((_, ended)) => drop(ended.await),
        None => std::future::pending().await,
    }
}
