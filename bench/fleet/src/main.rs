//! A million clients over many servers.

fn main() {}
