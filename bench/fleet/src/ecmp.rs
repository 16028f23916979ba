//! The server that a datagram reaches: the routers choose among paths of equal cost.
//!
//! A router hashes fields of the packet, and TFTP works only with some choices of fields. A server that
//! answers from a new port (RFC 1350's TID) gets the following packets at that port. A hash over ports would
//! send them to another server than the request.

use serde::Serialize;

/// The fields that routers hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Hash {
    /// Source and destination address
    Addresses,
    /// Addresses, protocol and both ports
    Ports,
}

/// How routers spread the clients of a lost server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Rehash {
    /// Spread the clients of the lost server over the others; the rest stay (resilient hashing)
    Resilient,
    /// Spread all clients again: the hash modulo the number of servers
    Full,
}

/// The routers' table.
#[derive(Debug, Clone)]
pub(crate) struct Routes {
    pub(crate) hash: Hash,
    pub(crate) rehash: Rehash,
    pub(crate) seed: u64,
    /// Servers at the start.
    pub(crate) servers: u16,
    /// The server that is no longer announced.
    pub(crate) withdrawn: Option<u16>,
}

impl Routes {
    /// Returns the server of a datagram from a client's port to a port of the servers' shared address.
    pub(crate) fn server(&self, client: u32, from: u16, to: u16) -> u16 {
        let ports = match self.hash {
            Hash::Addresses => 0,
            Hash::Ports => u64::from(from) << 16 | u64::from(to),
        };
        let hash = mix(mix(self.seed ^ u64::from(client)) ^ ports);
        let pick = |hash: u64, among: u16| (hash % u64::from(among.max(1))) as u16;
        match (self.withdrawn, self.rehash) {
            (None, _) => pick(hash, self.servers),
            (Some(gone), Rehash::Full) => skip(pick(hash, self.servers - 1), gone),
            (Some(gone), Rehash::Resilient) => match pick(hash, self.servers) {
                lost if lost == gone => skip(pick(mix(hash), self.servers - 1), gone),
                server => server,
            },
        }
    }
}

/// Converts an index among the remaining servers to the number of the server.
fn skip(index: u16, gone: u16) -> u16 {
    index + u16::from(index >= gone)
}

/// Spreads the bits of a number (the finalizer of SplitMix64).
pub(crate) fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn routes(hash: Hash, rehash: Rehash, withdrawn: Option<u16>) -> Routes {
        Routes { hash, rehash, seed: 1, servers: 8, withdrawn }
    }

    #[test]
    fn a_port_moves_a_datagram_only_where_ports_are_hashed() {
        let (addresses, ports) =
            (routes(Hash::Addresses, Rehash::Full, None), routes(Hash::Ports, Rehash::Full, None));
        let moved = |routes: &Routes| {
            (0..1_000)
                .filter(|&client| routes.server(client, 9, 69) != routes.server(client, 9, 40_000))
                .count()
        };
        assert_eq!(moved(&addresses), 0);
        assert!((800..950).contains(&moved(&ports)), "7 of 8 change");
    }

    #[test]
    fn a_lost_server_moves_its_own_or_all() {
        for (rehash, fewest, most) in [(Rehash::Resilient, 90, 160), (Rehash::Full, 750, 950)] {
            let before = routes(Hash::Addresses, rehash, None);
            let after = routes(Hash::Addresses, rehash, Some(3));
            let moved = (0..1_000).filter(|&c| before.server(c, 1, 69) != after.server(c, 1, 69)).count();
            assert!((fewest..=most).contains(&moved), "{rehash:?}: {moved}");
            assert!((0..1_000).all(|client| after.server(client, 1, 69) != 3));
        }
    }
}
