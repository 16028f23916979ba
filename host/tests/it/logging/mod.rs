//! The log itself: readers that sleep, values that pass for other fields, the journal.

mod blocked;
mod form;
