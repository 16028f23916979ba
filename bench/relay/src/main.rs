//! A UDP path with delay, jitter, loss and reordering.

fn main() {}
