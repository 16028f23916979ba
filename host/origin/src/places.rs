//! The places of an origin: how much is transferred to and from it at a time.
//!
//! Clients share them. Waiting ones take turns, and a client holds no more than remain for others: one that asks for many
//! files that come slowly keeps nobody else from a download.

use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::oneshot;
use tuffet_request::{ClientKey, FairQueue};

/// Places for downloads and uploads.
#[derive(Debug)]
pub(crate) struct Places {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    free: usize,
    held: HashMap<ClientKey, usize>,
    waiting: FairQueue<oneshot::Sender<Place>>,
}

/// A place until it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    /// `None` once it was given back.
    places: Option<Arc<Places>>,
    client: ClientKey,
}

impl Places {
    pub fn new(free: usize) -> Arc<Self> {
        let state = State { free, held: HashMap::new(), waiting: FairQueue::default() };
        Arc::new(Self { state: Mutex::new(state) })
    }

    /// A place, if one is free that no other client waits for.
    pub fn try_take(self: &Arc<Self>, client: ClientKey) -> Option<Place> {
        let mut state = self.lock();
        let next = state.waiting.next(|client| state.may_take(client));
        (next.is_none() && state.may_take(client)).then(|| {
            state.begin(client);
            Place { places: Some(Arc::clone(self)), client }
        })
    }

    /// Waits for a place. A place that comes too late goes on to the next in turn.
    pub async fn take(self: &Arc<Self>, client: ClientKey) -> Place {
        let (call, granted) = oneshot::channel();
        {
            let mut state = self.lock();
            state.waiting.push(client, call);
            self.serve(&mut state);
        }
        // The sender is dropped with its place in line, which nothing removes: it is an owner of these places.
        granted.await.unwrap_or(Place { places: None, client })
    }

    #[cfg(test)]
    pub fn held(&self) -> usize {
        self.lock().held.values().sum()
    }

    /// Gives as many places as there are.
    fn serve(self: &Arc<Self>, state: &mut State) {
        loop {
            let next = state.waiting.next(|client| state.may_take(client));
            let Some((client, call)) = next.and_then(|next| state.waiting.pop(|client| client == next))
            else {
                return;
            };
            let place = Place { places: Some(Arc::clone(self)), client };
            match call.send(place) {
                Ok(()) => state.begin(client),
                // Given up. The place must not take the lock, which is held here.
                Err(mut place) => place.places = None,
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl State {
    /// Whether a client may have one more: no more than remain for others.
    fn may_take(&self, client: ClientKey) -> bool {
        self.held.get(&client).copied().unwrap_or_default() < self.free
    }

    fn begin(&mut self, client: ClientKey) {
        self.free -= 1;
        *self.held.entry(client).or_default() += 1;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let Some(places) = self.places.take() else { return };
        let mut state = places.lock();
        state.free += 1;
        if let Some(held) = state.held.get_mut(&self.client) {
            *held -= 1;
            if *held == 0 {
                state.held.remove(&self.client);
            }
        }
        places.serve(&mut state);
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
    fn a_client_leaves_places_to_others_and_they_take_turns() {
        let places = Places::new(4);
        let mut waiting: Vec<_> = [1, 1, 1, 1, 2, 3]
            .map(|number| {
                let places = &places;
                Box::pin(async move { (number, places.take(client(number)).await) })
            })
            .into_iter()
            .map(Some)
            .collect();
        let mut poll = || -> Vec<(u8, Place)> {
            let ready = waiting.iter_mut().filter_map(|place| {
                let ready = place.as_mut()?.as_mut().now_or_never()?;
                *place = None;
                Some(ready)
            });
            ready.collect()
        };
        let mut held = poll();
        let numbers = |held: &[(u8, Place)]| held.iter().map(|(number, _)| *number).collect::<Vec<_>>();
        assert_eq!(numbers(&held), [1, 1, 2, 3], "two of four, and the rest is for others");
        held.retain(|(number, _)| *number == 1);
        held.extend(poll());
        assert_eq!(numbers(&held), [1, 1], "it has as many as remain");
        held.pop();
        held.extend(poll());
        assert_eq!(numbers(&held), [1, 1]);
        drop(held);
        assert_eq!(numbers(&poll()), [1], "the last one");
        assert_eq!(places.lock().waiting.len(), 0);
    }

    #[test]
    fn a_place_that_came_too_late_goes_on() {
        let places = Places::new(1);
        let held = places.take(client(1)).now_or_never().expect("a place");
        let mut late = Box::pin(places.take(client(2)));
        let mut gone = Box::pin(places.take(client(3)));
        assert!((&mut late).now_or_never().is_none() && (&mut gone).now_or_never().is_none());
        drop(gone);
        drop(held);
        drop(late);
        assert!(places.take(client(4)).now_or_never().is_some());
        assert!(places.lock().held.is_empty());
    }
}
