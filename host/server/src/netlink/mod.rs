//! What the kernel knows about clients and interfaces, by netlink events (feature `netlink`).

mod changes;
mod neighbours;
mod vlans;

pub use changes::follow_changes;
pub use neighbours::follow_neighbours;
pub use vlans::follow_vlans;
