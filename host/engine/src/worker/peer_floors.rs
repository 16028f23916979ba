//! The raised RTO floors of peers, kept for their next transfers.
//!
//! A peer that sometimes answers slowly (a busy machine, a radio link) has shown a transfer that the RTO
//! floor is too low for it. Without this table, each new transfer would retransmit a block to learn the same
//! again. Like TCP's metrics per destination, the table has a fixed size: a newer peer replaces an older one,
//! whose next transfer learns its floor again.

use hashbrown::DefaultHashBuilder;
use std::hash::BuildHasher;
use std::net::IpAddr;
use std::time::Duration;
use tuffet_core::{RaisedFloor, Time};

const PLACES: usize = 1024;

/// After this time without a transfer, the floor of a peer falls by one doubling.
const FALLS: Duration = Duration::from_secs(60);

pub(super) struct PeerFloors {
    places: Box<[Place; PLACES]>,
    hasher: DefaultHashBuilder,
}

#[derive(Clone, Copy, Default)]
struct Place {
    /// Distinguishes the peers that share a place.
    tag: u32,
    raised: RaisedFloor,
    noted: Time,
}

impl Default for PeerFloors {
    fn default() -> Self {
        PeerFloors { places: Box::new([Place::default(); PLACES]), hasher: DefaultHashBuilder::default() }
    }
}

impl PeerFloors {
    /// Returns the raised floor of `peer`; none if it is not in the table.
    pub(super) fn of(&self, peer: IpAddr, now: Time) -> RaisedFloor {
        let (index, tag) = self.place(peer);
        let place = &self.places[index];
        if place.tag != tag {
            return RaisedFloor::default();
        }
        let minutes = now.since(place.noted).as_secs() / FALLS.as_secs();
        place.raised.after(u32::try_from(minutes).unwrap_or(u32::MAX))
    }

    /// Records the floor at the end of a transfer of `peer`.
    pub(super) fn note(&mut self, peer: IpAddr, raised: RaisedFloor, now: Time) {
        let (index, tag) = self.place(peer);
        let place = &mut self.places[index];
        // What a steady peer has shown is learnt again soon; a raised floor is worth more.
        let free = raised != RaisedFloor::default() && !place.raised.is_high();
        if place.tag == tag || raised.is_high() || free {
            *place = Place { tag, raised, noted: now };
        }
    }

    fn place(&self, peer: IpAddr) -> (usize, u32) {
        let hash = self.hasher.hash_one(peer);
        (hash as usize % PLACES, (hash >> 32) as u32 | 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    fn raised(doublings: u8) -> RaisedFloor {
        (0..doublings).fold(RaisedFloor::default(), |floor, _| floor.doubled())
    }

    #[test]
    fn a_peer_is_remembered_and_forgotten() {
        let mut floors = PeerFloors::default();
        let (peer, other) = ([192, 0, 2, 1].into(), [192, 0, 2, 2].into());
        floors.note(peer, raised(2), Time::from_micros(5));
        assert_eq!(floors.of(peer, Time::from_micros(9)), raised(2));
        assert_eq!(floors.of(other, Time::from_micros(9)), raised(0));
        assert_eq!(floors.of(peer, Time::from_micros(61_000_000)), raised(1));
        assert_eq!(floors.of(peer, Time::from_micros(u64::MAX / 2)), raised(0));
        floors.note(peer, raised(0), Time::from_micros(10));
        assert_eq!(floors.of(peer, Time::from_micros(11)), raised(0), "its losses were repaired");
    }

    #[test]
    fn any_number_of_peers_fits() {
        let mut floors = PeerFloors::default();
        for peer in 0..100_000_u32 {
            floors.note(Ipv4Addr::from_bits(peer).into(), raised(1), Time::from_micros(1));
        }
        let remembered = (0..100_000).filter(|peer| {
            floors.of(Ipv4Addr::from_bits(*peer).into(), Time::from_micros(2)) > RaisedFloor::default()
        });
        assert!((1..=PLACES).contains(&remembered.count()));
    }
}
