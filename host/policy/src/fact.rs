//! Facts of a request that decisions may depend on.

/// A fact of a request that decisions may depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fact {
    /// Read or write.
    Operation,
    /// Octet or netascii.
    Mode,
    /// The name of the listener.
    Listener,
    /// The client's address.
    Address,
    /// The client's port.
    Port,
    /// The client's MAC addresses, with their sources.
    Mac,
    /// The kind of client.
    Class,
    /// The requested name.
    Requested,
    /// The normalised path.
    Path,
    /// The requested options.
    Options,
    /// The address that the request arrived at.
    LocalAddress,
    /// The interface that it arrived at.
    Interface,
    /// The VLAN that it arrived through.
    Vlan,
    /// The client's DHCP lease.
    Lease,
}
