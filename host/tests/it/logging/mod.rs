//! The log itself: readers that sleep, values that pass for other fields, floods of lines, the journal.

mod blocked;
mod compatible;
mod failures;
mod floods;
mod form;
mod place;
mod plugins;
mod started;
