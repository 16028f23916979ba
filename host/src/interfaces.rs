//! Listeners with an interface: whether it is still the one that their sockets are bound to.
//!
//! Addresses may come and go, but an interface that is removed and made again has another index, and the sockets stay
//! with the old one. Binding them again takes CAP_NET_RAW, and new ones the privilege for the port; a server has
//! neither after its start. So it says what is wrong, and that a restart remedies it.

use serde::{Deserialize, Serialize};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tuffet_config::Config;
use tuffet_udp::interface_index;

/// How often the interfaces are looked at.
const LOOK: Duration = Duration::from_secs(1);

/// The interface of a listener.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct InterfaceState {
    /// The name of the listener.
    pub(crate) listener: String,
    /// The name of the interface.
    pub(crate) interface: String,
    pub(crate) state: InterfaceIs,
}

/// What became of the interface that the sockets of a listener are bound to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum InterfaceIs {
    /// It is there.
    There,
    /// There is none of its name.
    Gone,
    /// Another one has its name.
    Replaced,
}

impl InterfaceState {
    /// Says what is wrong and how to fix it; `None` if nothing is.
    pub(crate) fn problem(&self) -> Option<String> {
        let InterfaceState { listener, interface, state } = self;
        match state {
            InterfaceIs::There => None,
            InterfaceIs::Gone => Some(format!(
                "the interface `{interface}` of listener `{listener}` is gone; when it is there again, restart the server"
            )),
            InterfaceIs::Replaced => Some(format!(
                "the interface `{interface}` of listener `{listener}` was removed and made again; the listener gets no \
                 requests from the new one until the server is restarted"
            )),
        }
    }
}

/// The interfaces of all listeners that have one. Cheap to clone; clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interfaces(Arc<Mutex<Vec<Watched>>>);

#[derive(Debug)]
struct Watched {
    /// The index when the sockets were bound.
    index: Option<u32>,
    is: InterfaceState,
}

impl Interfaces {
    /// Must be called soon after the sockets were bound.
    pub(crate) fn of(config: &Config) -> Interfaces {
        let watched = config.listeners.iter().filter_map(|listener| {
            let interface = listener.interface.clone()?;
            let index = interface_index(&interface).ok().flatten();
            let listener = listener.name.clone();
            Some(Watched { index, is: InterfaceState { listener, interface, state: InterfaceIs::There } })
        });
        Interfaces(Arc::new(Mutex::new(watched.collect())))
    }

    /// Returns the current states.
    pub(crate) fn states(&self) -> Vec<InterfaceState> {
        let watched = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        watched.iter().map(|watched| watched.is.clone()).collect()
    }

    /// Follows the interfaces, and logs each change.
    pub(crate) async fn follow(self) {
        if self.states().is_empty() {
            return;
        }
        loop {
            tokio::time::sleep(LOOK).await;
            self.look(interface_index);
        }
    }

    fn look(&self, index_of: impl Fn(&str) -> io::Result<Option<u32>>) {
        let mut watched = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for Watched { index, is } in watched.iter_mut() {
            // Without an answer nothing is known to have changed.
            let Ok(found) = index_of(&is.interface) else { continue };
            let state = match found {
                None => InterfaceIs::Gone,
                found if found == *index => InterfaceIs::There,
                Some(_) => InterfaceIs::Replaced,
            };
            if std::mem::replace(&mut is.state, state) == state {
                continue;
            }
            let (listener, interface) = (is.listener.as_str(), is.interface.as_str());
            match is.problem() {
                Some(problem) => tracing::warn!(listener, interface, "{problem}"),
                None => tracing::info!(listener, interface, "the interface is there again"),
            }
        }
    }
}

/// Returns a warning for each interface that this machine does not have.
pub(crate) fn missing(config: &Config) -> Vec<String> {
    let missing = config.listeners.iter().filter_map(|listener| {
        let interface = listener.interface.as_deref()?;
        matches!(interface_index(interface), Ok(None)).then(|| {
            format!(
                "listener `{}`: this machine has no interface `{interface}`, and a server does not start without it",
                listener.name
            )
        })
    });
    missing.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interface_goes_and_comes_back_as_another_one() {
        let is =
            InterfaceState { listener: "lan".into(), interface: "eth0".into(), state: InterfaceIs::There };
        let interfaces = Interfaces(Arc::new(Mutex::new(vec![Watched { index: Some(7), is }])));
        let state = || interfaces.states().remove(0);
        for (found, expected) in [
            (Some(7), InterfaceIs::There),
            (None, InterfaceIs::Gone),
            (Some(9), InterfaceIs::Replaced),
            (None, InterfaceIs::Gone),
            (Some(7), InterfaceIs::There),
        ] {
            interfaces.look(|_| Ok(found));
            assert_eq!(state().state, expected, "{found:?}");
            assert_eq!(state().problem().is_some(), expected != InterfaceIs::There);
        }
        interfaces.look(|_| Err(io::Error::other("no answer")));
        assert_eq!(state().state, InterfaceIs::There);
    }
}
