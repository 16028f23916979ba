//! Shares CPU time among calls that compute for long, by client.
//!
//! Short calls run at once. A call that has computed for [`SHORT_CALL`] continues only while it has the slice, which
//! waiting clients get in turn. So a client whose calls loop delays other calls, and all else that the control runtime
//! does, by one tick, and not by a tick for each looping call.

use parking_lot::{Mutex, MutexGuard};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;

use tuffet_request::{ClientKey, FairQueue};

/// CPU time that a call may use before it needs the slice: two ticks.
pub const SHORT_CALL: Duration = Duration::from_millis(10);

/// The single slice, shared by all plugins. The control runtime has two threads; the other one is free for short calls.
#[derive(Debug, Default)]
pub struct Slices {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    taken: bool,
    waiting: FairQueue<oneshot::Sender<Slice>>,
}

/// Permission to continue computing, until it is dropped.
#[derive(Debug)]
pub struct Slice {
    /// `None` once it has been returned.
    slices: Option<Arc<Slices>>,
}

impl Slices {
    /// Returns the slice if it is free, otherwise a future that waits for it.
    pub fn slice(
        self: &Arc<Self>,
        client: ClientKey,
    ) -> Result<Slice, impl Future<Output = Option<Slice>> + Send + use<>> {
        let mut state = self.lock();
        if !state.taken {
            state.taken = true;
            return Ok(self.handed_over());
        }
        let (call, receiver) = oneshot::channel();
        state.waiting.push(client, call);
        Err(async move { receiver.await.ok() })
    }

    /// Whether a call waits for the slice.
    pub fn is_wanted(&self) -> bool {
        !self.lock().waiting.is_empty()
    }

    /// Whether a call of this client waits for the slice. If so, further calls would wait too, each holding an
    /// instance.
    pub fn keeps_waiting(&self, client: ClientKey) -> bool {
        self.lock().waiting.line(client).any(|call| !call.is_closed())
    }

    fn handed_over(self: &Arc<Self>) -> Slice {
        Slice { slices: Some(Arc::clone(self)) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl Drop for Slice {
    fn drop(&mut self) {
        let Some(slices) = self.slices.take() else { return };
        let mut state = slices.lock();
        while let Some((_, call)) = state.waiting.pop(|_| true) {
            match call.send(slices.handed_over()) {
                Ok(()) => return,
                // The call was abandoned. The slice must not take the lock, which is held here.
                Err(mut slice) => slice.slices = None,
            }
        }
        state.taken = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    fn client(number: u8) -> ClientKey {
        ClientKey::of(&([192, 0, 2, number], 2000).into(), 64)
    }

    #[test]
    fn clients_take_turns_and_the_abandoned_take_none() {
        let slices = Arc::new(Slices::default());
        let mut held = slices.slice(client(1)).ok();
        let mut waiting: Vec<_> = [1, 1, 1, 2, 3, 2]
            .map(|number| Some((number, Box::pin(slices.slice(client(number)).err().unwrap()))))
            .into();
        waiting[4] = None;
        let mut order = Vec::new();
        for _ in 0..waiting.len() {
            drop(held.take());
            for place in &mut waiting {
                if let Some((number, call)) = place
                    && let Some(slice) = call.now_or_never()
                {
                    order.push(*number);
                    held = slice;
                    *place = None;
                }
            }
        }
        assert_eq!(order, [1, 2, 1, 2, 1]);
        assert!(!slices.is_wanted() && slices.slice(client(9)).is_ok());
    }

    #[test]
    fn an_abandoned_slice_goes_to_the_next() {
        let slices = Arc::new(Slices::default());
        let held = slices.slice(client(1)).ok();
        assert!(!slices.keeps_waiting(client(1)));
        let (late, mut next) =
            (slices.slice(client(2)).err(), Box::pin(slices.slice(client(3)).err().unwrap()));
        assert!(slices.keeps_waiting(client(2)) && slices.keeps_waiting(client(3)));
        drop(held);
        drop(late);
        assert!((&mut next).now_or_never().is_some());
        drop(next);
        assert!(slices.slice(client(9)).is_ok());
    }
}
