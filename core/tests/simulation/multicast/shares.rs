//! Members that hold the lead without using it: what they cost the honest ones, in virtual time.

use super::{Client, Event, Kind, Packet, Path, Scenario, World, micros};
use std::time::Duration;
use tuffet_testkit::seeds;

/// Blocks of an Ethernet frame.
const BLKSIZE: u16 = 1428;

impl Client {
    pub(super) fn is_dishonest(&self) -> bool {
        matches!(self.kind, Kind::Drips(_) | Kind::Late(_) | Kind::Races | Kind::Rejoins(_))
    }
}

impl World {
    /// A packet for a dishonest member, or its timer.
    pub(super) fn mislead(&mut self, index: usize, datagram: Option<&[u8]>) {
        let last = self.scenario.size / u64::from(BLKSIZE);
        let client = &mut self.clients[index];
        match datagram.map(Packet::parse) {
            Some(Ok(Packet::Oack(options))) => {
                let leads = options.membership().is_some_and(|membership| membership.master);
                let begins = leads && !client.leads;
                client.leads = leads;
                if !begins {
                    return;
                }
                match client.kind {
                    Kind::Late(late) => {
                        client.timer = self.now + Duration::from_micros(late);
                        let timer = client.timer;
                        return self.push(timer, Event::Timer(index));
                    }
                    Kind::Races => client.claims = 0,
                    Kind::Rejoins(_) if client.claims > 0 => {
                        (client.claims, client.leads) = (0, false);
                        self.carry(index, vec![0, 5]);
                        return self.carry(index, vec![0, 1]);
                    }
                    _ => {}
                }
            }
            // The timer.
            None if client.leads => client.claims += 1,
            Some(Ok(Packet::Error { .. })) => client.leads = false,
            _ => return,
        }
        let pace = match client.kind {
            Kind::Drips(pace) | Kind::Rejoins(pace) => pace,
            Kind::Late(_) => 900_000,
            _ => 20,
        };
        if u64::from(client.claims) > last {
            return;
        }
        let [high, low] = client.claims.to_be_bytes();
        client.timer = self.now + Duration::from_micros(pace);
        let timer = client.timer;
        self.push(timer, Event::Timer(index));
        self.carry(index, vec![0, 4, high, low]);
    }
}

/// Milliseconds until the members from `first` on have the file, beside `others` that joined before them.
fn millis(seed: u64, size: u64, path: Path, others: &[(Kind, u32)], honest: &[(Kind, u16, u32)]) -> u64 {
    let others = others.iter().map(|&(kind, address)| (kind, 0, 16, address));
    let joins = if others.len() > 0 { 100_000 } else { 0 };
    let honest = honest.iter().map(|&(kind, window, address)| (kind, joins, window, address));
    let first = others.len();
    let members = others.chain(honest).collect();
    let mut world = World::new(Scenario { seed, size, blksize: BLKSIZE, members, path });
    world.run_until(|world| world.clients[first..].iter().all(|client| client.complete || client.gone));
    let ends = world.clients[first..].iter().map(|client| {
        let end = client.completed.expect("an honest member gets the file");
        end.since(micros(joins)).as_millis() as u64
    });
    ends.max().unwrap_or(0)
}

/// Paths with their windows. In the slow lockstep the time until a member is shown to be slow is longer than its turn.
fn worlds() -> [(&'static str, Path, u16); 5] {
    [
        ("lockstep", Path::clean(200), 1),
        ("slow lockstep", Path::clean(5_000), 1),
        ("windows", Path::clean(200), 16),
        ("losses", Path::clean(200).loss(0.01), 16),
        ("far", Path::clean(15_000), 16),
    ]
}

/// Asserts that members of these kinds and addresses leave an honest one of another address its time.
fn assert_bounded(size: u64, others: &[(Kind, u32)], most: impl Fn(u64) -> u64) {
    for (name, path, window) in worlds() {
        for seed in seeds::seeds(2) {
            let honest = [(Kind::Honest, window, 1_000)];
            let alone = millis(seed, size, path, &[], &honest);
            let beside = millis(seed, size, path, others, &honest);
            let most = most(alone);
            assert!(beside <= most, "{name}, seed {seed}: {beside} ms beside {others:?}, {alone} ms alone");
        }
    }
}

fn slow(members: u32, addresses: u32) -> Vec<(Kind, u32)> {
    (0..members).map(|member| (Kind::Drips(900_000), member % addresses)).collect()
}

#[test]
fn slow_members_of_one_address_get_one_turn_and_a_small_share() {
    for members in [1, 15, 60] {
        assert_bounded(500_000, &slow(members, 1), |alone| alone + alone / 4 + 400);
    }
    assert_bounded(4_000_000, &slow(60, 1), |alone| alone + alone / 5 + 1_000);
}

#[test]
fn slow_members_that_answer_offers_late_get_no_more() {
    for late in [10_000, 40_000, 100_000, 400_000] {
        let members: Vec<_> = (0..15).map(|_| (Kind::Late(late), 0)).collect();
        assert_bounded(500_000, &members, |alone| alone + alone / 4 + 400 + late / 1_000);
    }
}

#[test]
fn slow_members_of_many_addresses_get_a_short_turn_each() {
    assert_bounded(500_000, &slow(60, 15), |alone| 3 * alone + 1_500);
    assert_bounded(500_000, &slow(60, 60), |alone| 9 * alone + 4_000);
}

#[test]
fn members_that_leave_and_join_again_gain_nothing() {
    let rejoining: Vec<_> = (0..15).map(|_| (Kind::Rejoins(900_000), 0)).collect();
    assert_bounded(500_000, &rejoining, |alone| alone + alone / 4 + 400);
}

/// A master that acknowledges everything at once, and never the end, leaves the lead to others after two seconds.
#[test]
fn a_member_that_never_ends_does_not_keep_the_lead() {
    assert_bounded(500_000, &[(Kind::Races, 0)], |alone| 3 * alone + 3_000);
    assert_bounded(4_000_000, &[(Kind::Races, 0), (Kind::Races, 1)], |alone| 2 * alone + 5_000);
}

/// It handles a packet each fifth of a second, and none of those between.
#[test]
fn a_slow_member_gets_the_file_beside_any_others() {
    for seed in seeds::seeds(2) {
        for others in [slow(15, 1), slow(15, 15), vec![(Kind::Races, 0)], vec![(Kind::Honest, 0); 15]] {
            let member = [(Kind::Slow(200_000), 1, 1_000), (Kind::Slow(200_000), 1, 1_001)];
            millis(seed, 100_000, Path::clean(200).loss(0.01), &others, &member);
        }
    }
}
