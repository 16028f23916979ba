//! Permits limit the concurrent downloads and uploads of an origin.
//!
//! Clients share them: waiting clients take turns, and a client holds at most as many as remain for others. So a client
//! with many slow downloads does not block those of others.

use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::oneshot;
use tuffet_request::{ClientKey, FairQueue};

/// The permits of an origin.
#[derive(Debug)]
pub(crate) struct Permits {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    free: usize,
    held: HashMap<ClientKey, usize>,
    waiting: FairQueue<oneshot::Sender<Permit>>,
}

/// Permission for one download or upload, returned on drop.
#[derive(Debug)]
pub(crate) struct Permit {
    /// `None` once returned.
    permits: Option<Arc<Permits>>,
    client: ClientKey,
}

impl Permits {
    pub fn new(free: usize) -> Arc<Self> {
        let state = State { free, held: HashMap::new(), waiting: FairQueue::default() };
        Arc::new(Self { state: Mutex::new(state) })
    }

    /// Returns a permit, if one is free and no other client waits for it.
    pub fn try_take(self: &Arc<Self>, client: ClientKey) -> Option<Permit> {
        let mut state = self.lock();
        let next = state.waiting.next(|client| state.may_take(client));
        (next.is_none() && state.may_take(client)).then(|| {
            state.begin(client);
            Permit { permits: Some(Arc::clone(self)), client }
        })
    }

    /// Waits for a permit. If the caller has stopped waiting, the next client gets it.
    pub async fn take(self: &Arc<Self>, client: ClientKey) -> Permit {
        let (call, granted) = oneshot::channel();
        {
            let mut state = self.lock();
            state.waiting.push(client, call);
            self.serve(&mut state);
        }
        // The sender stays in the queue until it is served, and the queue lives as long as `self`.
        granted.await.unwrap_or(Permit { permits: None, client })
    }

    #[cfg(test)]
    pub fn held(&self) -> usize {
        self.lock().held.values().sum()
    }

    /// Hands out all free permits.
    fn serve(self: &Arc<Self>, state: &mut State) {
        loop {
            let next = state.waiting.next(|client| state.may_take(client));
            let Some((client, call)) = next.and_then(|next| state.waiting.pop(|client| client == next))
            else {
                return;
            };
            let permit = Permit { permits: Some(Arc::clone(self)), client };
            match call.send(permit) {
                Ok(()) => state.begin(client),
                // The caller has stopped waiting. The permit must not take the lock on drop, because it is held here.
                Err(mut permit) => permit.permits = None,
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl State {
    /// Whether a client may take one more: at most as many as remain for others.
    fn may_take(&self, client: ClientKey) -> bool {
        self.held.get(&client).copied().unwrap_or_default() < self.free
    }

    fn begin(&mut self, client: ClientKey) {
        self.free -= 1;
        *self.held.entry(client).or_default() += 1;
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let Some(permits) = self.permits.take() else { return };
        let mut state = permits.lock();
        state.free += 1;
        if let Some(held) = state.held.get_mut(&self.client) {
            *held -= 1;
            if *held == 0 {
                state.held.remove(&self.client);
            }
        }
        permits.serve(&mut state);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn client(number: u8) -> ClientKey {
        ClientKey::of(&([192, 0, 2, number], 2000).into(), 64)
    }

    #[test]
    fn a_client_leaves_permits_to_others_and_they_take_turns() {
        let permits = Permits::new(4);
        let mut waiting: Vec<_> = [1, 1, 1, 1, 2, 3]
            .map(|number| {
                let permits = &permits;
                Box::pin(async move { (number, permits.take(client(number)).await) })
            })
            .into_iter()
            .map(Some)
            .collect();
        let mut poll = || -> Vec<(u8, Permit)> {
            let ready = waiting.iter_mut().filter_map(|permit| {
                let ready = permit.as_mut()?.as_mut().now_or_never()?;
                *permit = None;
                Some(ready)
            });
            ready.collect()
        };
        let mut held = poll();
        let numbers = |held: &[(u8, Permit)]| held.iter().map(|(number, _)| *number).collect::<Vec<_>>();
        assert_eq!(numbers(&held), [1, 1, 2, 3], "two of four, and the rest is for others");
        held.retain(|(number, _)| *number == 1);
        held.extend(poll());
        assert_eq!(numbers(&held), [1, 1], "it has as many as remain");
        held.pop();
        held.extend(poll());
        assert_eq!(numbers(&held), [1, 1]);
        drop(held);
        assert_eq!(numbers(&poll()), [1], "the last one");
        assert_eq!(permits.lock().waiting.len(), 0);
    }

    #[test]
    fn a_permit_that_came_too_late_goes_on() {
        let permits = Permits::new(1);
        let held = permits.take(client(1)).now_or_never().expect("a permit");
        let mut late = Box::pin(permits.take(client(2)));
        let mut gone = Box::pin(permits.take(client(3)));
        assert!((&mut late).now_or_never().is_none() && (&mut gone).now_or_never().is_none());
        drop(gone);
        drop(held);
        drop(late);
        assert!(permits.take(client(4)).now_or_never().is_some());
        assert!(permits.lock().held.is_empty());
    }
}
