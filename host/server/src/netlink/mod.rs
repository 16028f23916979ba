//! What the kernel knows about clients and interfaces, by netlink events (feature `netlink`).

mod neighbours;
mod vlans;

pub use neighbours::follow_neighbours;
pub use vlans::follow_vlans;
