//! Observers of the program, each on a thread of its own: one that takes its time, or hangs, holds up neither the runtime
//! nor other observers.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread;

use tokio::runtime::Handle;

use super::backlog::Place;
use super::delivery::Delivery;
use super::hook_call::HookCall;
use super::hooks::{Deliver, HookFuture, Observe};
use tuffet_request::catch_panic;
use tuffet_request::events::{Event, Kinds};

/// Events on their way to the thread. Those outside of a server have no place.
type Taken = Vec<(Event, Option<Arc<Place>>)>;

/// An observer of the program, on a thread of its own.
pub struct ObserverThread {
    hook: Arc<dyn Observe>,
    /// Asked once: each request depends on it.
    wants: Kinds,
    /// Starts with the first events; `None` if the system has no thread.
    thread: OnceLock<Option<Sender<Taken>>>,
}

impl ObserverThread {
    /// Asks the observer what it wants. Its thread starts with the first events.
    pub fn of(hook: Arc<dyn Observe>) -> ObserverThread {
        let wants = catch_panic(|| hook.wants()).unwrap_or_else(|_| {
            tracing::error!(target: "tuffet::policy", "an observer of the program panicked, and observes nothing");
            Kinds::default()
        });
        ObserverThread { hook, wants, thread: OnceLock::new() }
    }

    /// Starts the thread, which ends with this and after the last events.
    fn start(&self) -> Option<Sender<Taken>> {
        let (sender, events) = channel();
        let (hook, runtime) = (Arc::clone(&self.hook), Handle::try_current().ok());
        let started = thread::Builder::new().name("tuffet-observe".into()).spawn(move || {
            // An observer may spawn tasks.
            let _inside = runtime.as_ref().map(Handle::enter);
            observe_all(&*hook, events);
            drop(hook);
        });
        match started {
            Ok(_) => Some(sender),
            Err(error) => {
                tracing::warn!(
                    target: "tuffet::policy",
                    %error, "no thread for an observer of the program; it is called on a thread of the runtime"
                );
                None
            }
        }
    }
}

impl Deliver for ObserverThread {
    fn wants(&self) -> Kinds {
        self.wants
    }

    fn deliver<'a>(&'a self, events: &'a Delivery<'a>, _: &'a HookCall) -> HookFuture<'a, ()> {
        Box::pin(async move {
            let taken =
                events.iter().map(|(position, event)| (event.clone(), events.place(position).cloned()));
            let taken: Taken = taken.collect();
            match self.thread.get_or_init(|| self.start()) {
                // The thread outlives the sender.
                Some(thread) => drop(thread.send(taken)),
                None => taken.into_iter().for_each(|(event, place)| observe(&*self.hook, &event, place)),
            }
            Ok(())
        })
    }
}

fn observe_all(hook: &dyn Observe, events: Receiver<Taken>) {
    for (event, place) in events.into_iter().flatten() {
        observe(hook, &event, place);
    }
}

fn observe(hook: &dyn Observe, event: &Event, place: Option<Arc<Place>>) {
    if place.as_ref().is_some_and(|place| place.is_given_up()) {
        return;
    }
    // The other events still arrive.
    if catch_panic(|| hook.observe(event)).is_err() {
        tracing::error!(target: "tuffet::policy", "an observer of the program panicked");
    }
}
