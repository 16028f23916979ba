//! The MTU of the routes to clients, for `max-blksize: auto`.
//!
//! A deciding thread asks the kernel, which takes some microseconds. Answers are cached for some seconds: a route may
//! change, and a router may report a smaller MTU.

use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tuffet_udp::path_mtu;

/// How long an answer is cached.
const MAX_AGE: Duration = Duration::from_secs(10);

/// The maximum number of cached answers.
const MAX_ROUTES: usize = 4096;

/// Recent answers of the kernel. Cheap to clone; clones share it.
#[derive(Clone, Default)]
pub(crate) struct Routes(Arc<Mutex<MtuCache>>);

/// Answers of the kernel, with their times.
type MtuCache = HashMap<Key, (Instant, Option<u32>)>;

/// The client's address, and the interface that its listener is bound to.
type Key = (SocketAddr, Option<Arc<str>>);

impl Routes {
    /// Returns the MTU of the route to a client in bytes; `None` if the kernel knows none.
    pub(crate) fn mtu(&self, mut client: SocketAddr, interface: Option<&Arc<str>>) -> Option<u32> {
        client.set_port(9);
        let (key, now) = ((client, interface.cloned()), Instant::now());
        let cached = self.lock().get(&key).copied();
        if let Some((asked, mtu)) = cached
            && now.duration_since(asked) < MAX_AGE
        {
            return mtu;
        }
        let mtu = path_mtu(client, interface.map(|name| &**name)).ok();
        self.note(key, mtu, now);
        mtu
    }

    fn note(&self, key: Key, mtu: Option<u32>, now: Instant) {
        let mut cached = self.lock();
        if cached.len() >= MAX_ROUTES {
            cached.retain(|_, (asked, _)| now.duration_since(*asked) < MAX_AGE);
        }
        // Too many clients within seconds: ask the kernel again.
        if cached.len() >= MAX_ROUTES {
            cached.clear();
        }
        cached.insert(key, (now, mtu));
    }

    fn lock(&self) -> MutexGuard<'_, MtuCache> {
        self.0.lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_remembered_for_a_while_and_never_too_many() {
        let routes = Routes::default();
        let client = |number: u32| SocketAddr::new(std::net::Ipv4Addr::from(number).into(), 9);
        let now = Instant::now();
        for number in 0..2 * MAX_ROUTES as u32 {
            routes.note((client(number), None), Some(1500), now);
            assert!(routes.lock().len() <= MAX_ROUTES);
        }
        let loopback = SocketAddr::from(([127, 0, 0, 1], 2000));
        let mut key = loopback;
        key.set_port(9);
        routes.note((key, None), Some(1500), now);
        assert_eq!(routes.mtu(loopback, None), Some(1500), "remembered");
        let Some(before) = now.checked_sub(2 * MAX_AGE) else { return };
        routes.note((key, None), Some(1500), before);
        assert!(routes.mtu(loopback, None).unwrap() > 1500, "asked again");
    }
}
