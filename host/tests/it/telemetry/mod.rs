//! What a server tells of itself.

mod exposition;
mod prometheus;
