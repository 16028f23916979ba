//! Follows the interfaces and addresses of listeners: those that are not there yet, those that vanish and come back.
//!
//! A recreated interface has a new index, while the sockets stay bound to the old one. The workers then bind them to
//! the new one, which requires no privilege since Linux 5.7. The sockets of an interface that did not exist at the start
//! are bound to it in the same way.

mod addresses;
mod dry_run;

pub use addresses::{AddressState, AddressStatus, Addresses};
pub use dry_run::{describe, would_wait_for};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tokio::sync::oneshot;
use tuffet_engine::worker::{ListenerSpec, Mailbox, Missing, ToWorker};
use tuffet_request::settings::Listener;
use tuffet_udp::{interface_index, interface_name};

/// The interval of checks without events of the kernel, and the lifetime of cached names.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// The shortest time between two checks: the kernel has several events for one change.
const MIN_INTERVAL: Duration = Duration::from_millis(20);

/// The interface of a listener.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InterfaceState {
    /// The name of the listener.
    pub listener: String,
    /// The name of the interface.
    pub interface: String,
    /// The state of the interface.
    pub state: InterfaceStatus,
    /// Why the sockets are not bound to the new interface.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The state of the interface that the sockets of a listener are bound to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InterfaceStatus {
    /// It exists.
    Present,
    /// It has not existed so far.
    Absent,
    /// It was removed.
    Gone,
    /// It was recreated, and the sockets are not bound to the new one.
    Replaced,
}

impl InterfaceState {
    /// Describes the problem and how to fix it; `None` without a problem.
    pub fn problem(&self) -> Option<String> {
        let InterfaceState { listener, interface, state, error } = self;
        match state {
            InterfaceStatus::Present => None,
            InterfaceStatus::Absent => Some(format!(
                "the interface `{interface}` of listener `{listener}` does not exist yet; the listener serves as soon as \
                 it does"
            )),
            InterfaceStatus::Gone => {
                Some(format!("the interface `{interface}` of listener `{listener}` is gone"))
            }
            InterfaceStatus::Replaced => {
                let why = error.as_deref().map(|error| format!(" ({error})")).unwrap_or_default();
                Some(format!(
                    "the interface `{interface}` of listener `{listener}` was removed and recreated, and the listener \
                     cannot be bound to the new one{why}; restart the server if this persists"
                ))
            }
        }
    }
}

/// Names of interfaces by index, for plugins that want the interface of a request. Cached for a second, because an
/// interface may be renamed.
#[derive(Debug, Default)]
pub(crate) struct InterfaceNames(Mutex<HashMap<u32, CachedName>>);

/// A recent name of an interface.
#[derive(Debug)]
struct CachedName {
    /// `None` if there was no such interface.
    name: Option<Arc<str>>,
    read: Instant,
}

impl InterfaceNames {
    /// Returns the name of the interface with this index; `None` for 0, and if there is none.
    pub fn of(&self, index: u32) -> Option<Arc<str>> {
        self.lookup(index, Instant::now(), interface_name)
    }

    fn lookup(
        &self,
        index: u32,
        now: Instant,
        name_of: impl Fn(u32) -> io::Result<Option<String>>,
    ) -> Option<Arc<str>> {
        if index == 0 {
            return None;
        }
        let mut names = self.0.lock();
        if let Some(cached) = names.get(&index)
            && now.saturating_duration_since(cached.read) < CHECK_INTERVAL
        {
            return cached.name.clone();
        }
        // Indices are not reused, so those of removed containers would pile up.
        names.retain(|_, cached| now.saturating_duration_since(cached.read) < CHECK_INTERVAL);
        let name = name_of(index).ok().flatten().map(Arc::from);
        names.insert(index, CachedName { name: name.clone(), read: now });
        name
    }
}

/// The interfaces of all listeners bound to one. Cheap to clone; clones share it.
#[derive(Debug, Clone, Default)]
pub struct Interfaces(Arc<Mutex<Vec<WatchedInterface>>>);

#[derive(Debug)]
struct WatchedInterface {
    /// The position of the listener in the configuration.
    listener: usize,
    /// The index that the sockets are bound to.
    index: Option<u32>,
    current: InterfaceState,
}

/// A recreated interface: its sockets must be rebound.
#[derive(Debug, PartialEq, Eq)]
struct ReplacedInterface {
    /// Its position in [`Interfaces`].
    position: usize,
    listener: usize,
    interface: Arc<str>,
    index: u32,
}

impl Interfaces {
    /// Call it right after binding the sockets.
    pub fn of(listeners: &[Listener], bound: &[ListenerSpec]) -> Interfaces {
        let watched = listeners.iter().zip(bound).enumerate().filter_map(|(number, (listener, bound))| {
            let interface = listener.interface.clone()?;
            // Without sockets there is nothing to bind.
            if bound.missing == Some(Missing::Ipv6) {
                return None;
            }
            let absent = bound.missing == Some(Missing::Interface);
            let index = if absent { None } else { interface_index(&interface).ok().flatten() };
            let mut watched = WatchedInterface::new(number, listener.name.clone(), interface, index);
            if absent {
                watched.change_state(InterfaceStatus::Absent, None);
            }
            Some(watched)
        });
        Interfaces(Arc::new(Mutex::new(watched.collect())))
    }

    /// Returns the current states.
    pub fn states(&self) -> Vec<InterfaceState> {
        let watched = self.0.lock();
        watched.iter().map(|watched| watched.current.clone()).collect()
    }

    /// Forgets the interfaces that have not existed so far. The others may still have transfers.
    fn wait_no_longer(&self) {
        self.0.lock().retain(|watched| watched.current.state != InterfaceStatus::Absent);
    }

    /// Has the workers bind sockets to interfaces that have appeared, and logs each change.
    async fn look(&self, workers: &[Arc<Mailbox>]) {
        for replaced in self.check(interface_index) {
            let result = rebind(workers, &replaced).await;
            self.rebound(&replaced, result);
        }
    }

    /// Returns the interfaces that need rebinding.
    fn check(&self, index_of: impl Fn(&str) -> io::Result<Option<u32>>) -> Vec<ReplacedInterface> {
        let mut watched = self.0.lock();
        let mut replaced = Vec::new();
        for (position, watched) in watched.iter_mut().enumerate() {
            // Without an answer, no change is known.
            let Ok(found) = index_of(&watched.current.interface) else { continue };
            match found {
                None if watched.current.state == InterfaceStatus::Absent => {}
                None => watched.change_state(InterfaceStatus::Gone, None),
                // After a failed rebind, sockets may be bound to different interfaces.
                found if found == watched.index && watched.current.state != InterfaceStatus::Replaced => {
                    watched.change_state(InterfaceStatus::Present, None);
                }
                Some(index) => replaced.push(ReplacedInterface {
                    position,
                    listener: watched.listener,
                    interface: watched.current.interface.as_str().into(),
                    index,
                }),
            }
        }
        replaced
    }

    /// Records the result of a rebind.
    fn rebound(&self, replaced: &ReplacedInterface, result: io::Result<()>) {
        let mut watched = self.0.lock();
        let Some(watched) = watched.get_mut(replaced.position) else { return };
        match result {
            Ok(()) => {
                let is_first = watched.index.replace(replaced.index).is_none();
                let (listener, interface) =
                    (watched.current.listener.as_str(), watched.current.interface.as_str());
                if is_first {
                    tracing::info!(
                        target: "tuffet::interfaces",
                        listener, interface, "the interface exists now; the listener serves it"
                    );
                } else {
                    tracing::info!(
                        target: "tuffet::interfaces",
                        listener, interface, "interface recreated; listener rebound"
                    );
                }
                (watched.current.state, watched.current.error) = (InterfaceStatus::Present, None);
            }
            Err(error) => watched.change_state(InterfaceStatus::Replaced, Some(error.to_string())),
        }
    }
}

impl WatchedInterface {
    fn new(number: usize, listener: String, interface: String, index: Option<u32>) -> WatchedInterface {
        let current = InterfaceState { listener, interface, state: InterfaceStatus::Present, error: None };
        WatchedInterface { listener: number, index, current }
    }

    /// Sets the state, and logs a change.
    fn change_state(&mut self, state: InterfaceStatus, error: Option<String>) {
        let current = &mut self.current;
        if current.state == state && current.error == error {
            return;
        }
        (current.state, current.error) = (state, error);
        let (listener, interface) = (current.listener.as_str(), current.interface.as_str());
        match current.problem() {
            Some(problem) => tracing::warn!(target: "tuffet::interfaces", listener, interface, "{problem}"),
            None => tracing::info!(
                target: "tuffet::interfaces",
                listener, interface, "the interface is back"
            ),
        }
    }
}

/// Follows what listeners depend on, whenever the kernel notifies `changes`, and each second. A server that drains begins
/// to serve nothing.
pub(crate) async fn follow(
    interfaces: Interfaces,
    addresses: Addresses,
    workers: Vec<Arc<Mailbox>>,
    changes: Arc<Notify>,
    is_draining: impl Fn() -> bool + Send,
) {
    if interfaces.states().is_empty() && addresses.states().is_empty() {
        return;
    }
    loop {
        // Whether by an event or by the time makes no difference.
        let _ = tokio::time::timeout(CHECK_INTERVAL, changes.notified()).await;
        if is_draining() {
            interfaces.wait_no_longer();
        } else {
            addresses.look();
        }
        interfaces.look(&workers).await;
        tokio::time::sleep(MIN_INTERVAL).await;
    }
}

/// Has each worker bind the sockets of the listener.
async fn rebind(workers: &[Arc<Mailbox>], replaced: &ReplacedInterface) -> io::Result<()> {
    // Leave the sockets alone if the kernel does not permit it.
    tuffet_udp::may_bind_to(&replaced.interface)?;
    let mut answers = Vec::with_capacity(workers.len());
    for worker in workers {
        let (answer, due) = oneshot::channel();
        let ReplacedInterface { listener, interface, .. } = replaced;
        worker.post(ToWorker::Rebind { listener: *listener, interface: Arc::clone(interface), answer })?;
        answers.push(due);
    }
    for due in answers {
        // A worker that has ended has no sockets.
        due.await.unwrap_or(Ok(()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_asked_for_once_in_a_second() {
        let (names, begin) = (InterfaceNames::default(), Instant::now());
        let look = |after: u64, index, name: &str| {
            let name = name.to_owned();
            names.lookup(index, begin + Duration::from_millis(after), move |_| Ok(Some(name.clone())))
        };
        assert_eq!(look(0, 7, "eth0").as_deref(), Some("eth0"));
        assert_eq!(look(900, 7, "lan").as_deref(), Some("eth0"));
        assert_eq!(look(1_000, 7, "lan").as_deref(), Some("lan"));
        assert_eq!(look(1_000, 0, "lan"), None);
        assert_eq!(look(1_500, 8, "wan").as_deref(), Some("wan"));
        assert_eq!(names.lookup(9, begin, |_| Ok(None)), None);
        assert_eq!(names.of(1).as_deref(), Some("lo"));
    }

    #[test]
    fn a_server_that_drains_waits_for_no_interface() {
        let mut watched =
            ["never", "gone"].map(|name| WatchedInterface::new(0, "lan".into(), name.into(), None));
        watched[0].change_state(InterfaceStatus::Absent, None);
        watched[1].change_state(InterfaceStatus::Gone, None);
        let interfaces = Interfaces(Arc::new(Mutex::new(watched.into())));
        interfaces.wait_no_longer();
        assert_eq!(interfaces.check(|_| Ok(Some(3))).len(), 1);
        assert_eq!(interfaces.states()[0].interface, "gone");
    }

    #[test]
    fn a_replaced_interface_is_bound_again_until_that_succeeds() {
        let watched = WatchedInterface::new(3, "lan".into(), "eth0".into(), Some(7));
        let interfaces = Interfaces(Arc::new(Mutex::new(vec![watched])));
        let status = || interfaces.states().remove(0);
        let look = |found| interfaces.check(|_| Ok(found));
        let again =
            |index| vec![ReplacedInterface { position: 0, listener: 3, interface: "eth0".into(), index }];

        assert_eq!(look(Some(7)), []);
        assert_eq!((status().state, status().problem()), (InterfaceStatus::Present, None));
        assert_eq!(look(None), []);
        assert_eq!(status().state, InterfaceStatus::Gone);
        assert_eq!(look(Some(7)), [], "the same one");
        assert_eq!(status().state, InterfaceStatus::Present);

        assert_eq!(look(Some(9)), again(9));
        interfaces.rebound(&again(9)[0], Err(io::Error::other("not yet")));
        assert_eq!(status().state, InterfaceStatus::Replaced);
        assert!(status().problem().is_some_and(|problem| problem.contains("(not yet); restart")));
        assert_eq!(look(Some(7)), again(7), "some sockets may have lost the first one");
        assert_eq!(look(Some(9)), again(9));
        interfaces.rebound(&again(9)[0], Ok(()));
        assert_eq!((status().state, status().problem()), (InterfaceStatus::Present, None));
        assert_eq!(look(Some(9)), []);

        assert!(interfaces.check(|_| Err(io::Error::other("no answer"))).is_empty());
        assert_eq!(status().state, InterfaceStatus::Present);
    }
}
