//! Events on their way to observers.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use super::backlog::Place;
use tuffet_request::events::Event;

/// Events for all observers, with shared derived data such as formatted text.
pub struct Batch<'a> {
    events: &'a [Event],
    /// The place of each event; empty outside of a server.
    places: &'a [Arc<Place>],
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
        Batch { events, places: &[], derived: OnceLock::new() }
    }

    /// The same, with the place of each event.
    pub fn with_places(self, places: &'a [Arc<Place>]) -> Batch<'a> {
        Batch { places, ..self }
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

    /// The place of the event at this position, for an observer that takes it later.
    pub fn place(&self, position: usize) -> Option<&'a Arc<Place>> {
        self.batch.places.get(position)
    }

    /// The events, each with its position in the batch.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &'a Event)> + '_ {
        self.positions.iter().map(|position| (*position, &self.batch.events[*position]))
    }
}
