//! What a server tells of itself.

mod collector;
mod exposition;
mod fake_collector;
mod prometheus;
mod received;
mod traces;
mod trouble;
