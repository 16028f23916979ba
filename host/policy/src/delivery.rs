//! Events on their way to observers.

use std::any::Any;
use std::sync::OnceLock;

use tuffet_request::events::Event;

/// Events for all observers, with shared derived data such as formatted text.
pub struct Batch<'a> {
    events: &'a [Event],
    derived: OnceLock<Box<dyn Any + Send + Sync>>,
}

/// The events of a batch for one observer.
pub struct Delivery<'a> {
    batch: &'a Batch<'a>,
    /// Their positions in the batch.
    positions: Vec<usize>,
}

impl<'a> Batch<'a> {
    /// A batch of these events.
    pub fn of(events: &'a [Event]) -> Batch<'a> {
        Batch { events, derived: OnceLock::new() }
    }

    /// All events.
    pub fn events(&self) -> &'a [Event] {
        self.events
    }

    /// Selects the events for one observer.
    pub fn select(&'a self, wants: impl Fn(&Event) -> bool) -> Delivery<'a> {
        let positions = (0..self.events.len()).filter(|position| wants(&self.events[*position])).collect();
        Delivery { batch: self, positions }
    }

    /// Returns data derived from all events, computed once for all observers of a kind. `None` if an observer of
    /// another kind came first: the caller derives the data itself.
    pub fn derived<T: Send + Sync + 'static>(&self, derive: impl FnOnce(&[Event]) -> T) -> Option<&T> {
        self.derived.get_or_init(|| Box::new(derive(self.events))).downcast_ref()
    }
}

impl<'a> Delivery<'a> {
    /// The whole batch.
    pub fn batch(&self) -> &'a Batch<'a> {
        self.batch
    }

    /// Their number.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The events, each with its position in the batch.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &'a Event)> + '_ {
        self.positions.iter().map(|position| (*position, &self.batch.events[*position]))
    }
}
