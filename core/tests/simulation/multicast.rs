//! Groups in seeded worlds: many members behind links of their own with loss, duplication, jitter and reordering;
//! some join late, die, never answer, acknowledge at random, or are slow. [`shares`] has worlds where members hold the
//! others up on purpose.

mod shares;

use super::simulator::draw::{logarithmic, one_in, pick};
use super::simulator::{Link, Path, micros};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::time::Duration;
use tuffet_core::multicast::{ClientId, Group, MemberId, Output, Reader, ReaderOutput};
use tuffet_core::{Control, Finish, MAX_CONTROL, OptionSet, Packet, Time, Timing, data_header};
use tuffet_testkit::invariants::{Invariant, Lives, bounded_memory, exactly_one_outcome, identical_bytes};
use tuffet_testkit::seeds;

const SEEDS: u64 = 1_500;
const GROUP: ([u8; 4], u16) = ([239, 255, 0, 1], 1758);
const LIMIT: u64 = 3_600_000_000;

/// The options of a client; the group grants all of them.
fn requested(blksize: u16, windowsize: u16) -> OptionSet {
    let blksize = (blksize != 512).then_some(blksize);
    OptionSet { blksize, windowsize: Some(windowsize).filter(|blocks| *blocks > 1), ..OptionSet::default() }
}

/// What is wrong with a member.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Honest,
    /// Vanishes after this many packets of its own.
    Dies(u32),
    /// Only its request arrives, from a spoofed address.
    Forged,
    /// Sends ACKs of random blocks.
    Liar,
    /// Handles a packet only every so many microseconds.
    Slow(u64),
    /// Answers each offer at once, and as the master acknowledges one more block every so many microseconds, whatever
    /// arrives.
    Drips(u64),
    /// As `Drips(900_000)`, and answers each offer only after so many microseconds.
    Late(u64),
    /// As a fast client that acknowledges blocks before they arrive, never the last one, and begins anew in each term.
    Races,
    /// As `Drips`; after so many terms it leaves, and joins again.
    Rejoins(u64),
}

#[derive(Debug, Clone)]
struct Scenario {
    seed: u64,
    size: u64,
    blksize: u16,
    /// The kind of each member, when it joins in microseconds, its window, and its address.
    members: Vec<(Kind, u64, u16, u32)>,
    path: Path,
}

impl Scenario {
    fn draw(seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let blksize = pick(&mut random, &[8, 64, 512, 1428]);
        let size = logarithmic(&mut random, 1, 200 * u64::from(blksize)) - 1;
        let delay = logarithmic(&mut random, 20, 20_000);
        let mut path = Path::clean(delay);
        if !one_in(&mut random, 4) {
            path = path.loss(pick(&mut random, &[0.0, 0.001, 0.01, 0.05]));
            path = path.duplicate(pick(&mut random, &[0.0, 0.01, 0.1]));
            path = path.jitter(pick(&mut random, &[0, delay / 4, delay]));
            path.reorder = pick(&mut random, &[0.0, 0.01, 0.1]);
        }
        let faults = !one_in(&mut random, 3);
        let members = (0..random.usize(1..12)).map(|_| {
            let kind = if !faults || random.bool() {
                Kind::Honest
            } else {
                match random.u8(0..4) {
                    0 => Kind::Dies(random.u32(1..60)),
                    1 => Kind::Forged,
                    2 => Kind::Liar,
                    _ => Kind::Slow(random.u64(1_000..900_000)),
                }
            };
            let joins = if random.bool() { 0 } else { random.u64(0..3_000_000) };
            (kind, joins, pick(&mut random, &[1, 1, 4, 16]), random.u32(0..8))
        });
        let members = members.collect();
        Scenario { seed, size, blksize, members, path }
    }
}

/// A client in the world.
struct Client {
    kind: Kind,
    address: u32,
    reader: Reader,
    windowsize: u16,
    file: Vec<u8>,
    complete: bool,
    /// When it had the whole file.
    completed: Option<Time>,
    /// The block that a dishonest member acknowledges next, and whether it leads.
    claims: u16,
    leads: bool,
    sent: u32,
    gone: bool,
    /// When a slow client is next ready.
    ready: u64,
    /// When its only valid timer expires.
    timer: Time,
    member: Option<MemberId>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Join(usize),
    ToServer(usize, Vec<u8>),
    ToClient(usize, Vec<u8>),
    Timer(usize),
}

struct World {
    scenario: Scenario,
    file: Vec<u8>,
    group: Group,
    clients: Vec<Client>,
    up: Vec<Link>,
    down: Vec<Link>,
    events: BinaryHeap<Reverse<(Time, u64, Event)>>,
    order: u64,
    random: fastrand::Rng,
    members: BTreeMap<MemberId, usize>,
    /// For each member: OACKs before it answered, and whether it has.
    oacks: BTreeMap<MemberId, (u32, u32, bool)>,
    lives: Lives,
    anyone_answered: bool,
    now: Time,
}

impl World {
    fn new(scenario: Scenario) -> Self {
        let timing = Timing::new(
            Duration::from_millis(20),
            Duration::from_millis(250),
            Duration::from_secs(4),
            Duration::from_secs(30),
            Duration::from_secs(5),
        );
        let mut random = fastrand::Rng::with_seed(scenario.seed ^ 0x6d63);
        let file = (0..scenario.size).map(|_| random.u8(..)).collect();
        let clients = scenario.members.iter().map(|&(kind, joins, windowsize, address)| Client {
            kind,
            address,
            reader: Reader::new(
                micros(joins),
                requested(scenario.blksize, windowsize),
                Duration::from_secs(1),
                Duration::from_secs(60),
            ),
            windowsize,
            file: Vec::new(),
            complete: false,
            completed: None,
            claims: 0,
            leads: false,
            sent: 0,
            gone: false,
            ready: 0,
            timer: Time::NEVER,
            member: None,
        });
        let mut world = World {
            file,
            group: Group::new(micros(0), scenario.size, scenario.blksize, timing),
            clients: clients.collect(),
            up: scenario.members.iter().map(|_| Link::new(scenario.path)).collect(),
            down: scenario.members.iter().map(|_| Link::new(scenario.path)).collect(),
            events: BinaryHeap::new(),
            order: 0,
            random,
            members: BTreeMap::new(),
            oacks: BTreeMap::new(),
            lives: Lives::default(),
            anyone_answered: false,
            now: micros(0),
            scenario,
        };
        for index in 0..world.clients.len() {
            let joins = world.scenario.members[index].1;
            world.push(micros(joins), Event::Join(index));
        }
        world
    }

    fn push(&mut self, time: Time, event: Event) {
        self.order += 1;
        self.events.push(Reverse((time, self.order, event)));
    }

    fn run(&mut self) {
        self.run_until(|_| false);
    }

    fn run_until(&mut self, is_over: impl Fn(&World) -> bool) {
        let (mut steps, mut server) = (0_u64, Time::NEVER);
        while !is_over(self) {
            let next = self.events.peek().map_or(Time::NEVER, |Reverse((time, ..))| *time);
            if next.min(server) == Time::NEVER {
                break;
            }
            self.now = self.now.max(next.min(server));
            steps += 1;
            let busy = steps > 2_000_000 || self.now > micros(LIMIT);
            Invariant::BoundedMemory.demand(!busy, format_args!("still busy at {:?}", self.now));
            let timed_out = server < next;
            if timed_out {
                self.group.handle_timeout(self.now);
            } else if let Some(Reverse((_, _, event))) = self.events.pop() {
                self.handle(event);
            }
            server = self.serve();
            let sleeps = !timed_out || server > self.now;
            Invariant::NoBusyLoop.demand(sleeps, format_args!("{:?}", self.group));
        }
    }

    fn handle(&mut self, event: Event) {
        let now = self.now;
        match event {
            Event::Join(index) => self.act(index),
            Event::Timer(index) => {
                if self.clients[index].timer != now {
                    return;
                }
                if self.clients[index].is_dishonest() {
                    return self.mislead(index, None);
                }
                self.clients[index].reader.handle_timeout(now);
                self.act(index);
            }
            Event::ToServer(index, datagram) => self.receive(index, &datagram),
            Event::ToClient(index, datagram) => {
                if self.clients[index].is_dishonest() {
                    return self.mislead(index, Some(&datagram));
                }
                let client = &mut self.clients[index];
                match client.kind {
                    Kind::Forged => return,
                    Kind::Dies(packets) if client.sent >= packets => return,
                    // What arrives while it is busy is lost.
                    Kind::Slow(_) if now.as_micros() < client.ready => return,
                    Kind::Slow(micros) => client.ready = now.as_micros() + micros,
                    _ => {}
                }
                match Packet::parse(&datagram) {
                    Ok(Packet::Oack(options)) => drop(client.reader.handle_oack(now, options)),
                    Ok(Packet::Data { block, payload }) => {
                        if let Some(offset) = client.reader.handle_data(now, block, payload.len()) {
                            let (start, end) = (offset as usize, offset as usize + payload.len());
                            client.file.resize(client.file.len().max(end), 0);
                            client.file[start..end].copy_from_slice(payload);
                        }
                    }
                    Ok(Packet::Error { .. }) => client.gone = true,
                    _ => {}
                }
                self.act(index);
            }
        }
    }

    /// Carries out what a client wants.
    fn act(&mut self, index: usize) {
        let now = self.now;
        loop {
            let client = &mut self.clients[index];
            if client.gone {
                return;
            }
            let mut packet = match client.reader.poll(now) {
                ReaderOutput::Request => vec![0, 1],
                ReaderOutput::Ack(block) => {
                    let mut buffer = [0; 4];
                    Control::Ack(block).encode(&mut buffer);
                    buffer.to_vec()
                }
                ReaderOutput::Complete { size } => {
                    client.complete = true;
                    client.completed = Some(now);
                    client.file.truncate(size as usize);
                    identical_bytes("reader", &client.file, &self.file);
                    client.reader.handle_stored();
                    continue;
                }
                ReaderOutput::TimedOut => {
                    client.gone = true;
                    return;
                }
                ReaderOutput::Timeout(time) => {
                    let time = time.max(now + Duration::from_micros(1));
                    if time != Time::NEVER && time != std::mem::replace(&mut client.timer, time) {
                        self.push(time, Event::Timer(index));
                    }
                    return;
                }
            };
            if client.kind == Kind::Liar && packet[1] == 4 && self.random.bool() {
                packet[2..].copy_from_slice(&self.random.u16(..).to_be_bytes());
            }
            client.sent += 1;
            if packet[1] == 1 {
                // Repeats of a dishonest member's request are of no use to it.
                if client.is_dishonest() && client.sent > 1 {
                    return;
                }
            }
            match client.kind {
                Kind::Dies(packets) if client.sent > packets => {
                    client.gone = true;
                    return;
                }
                Kind::Forged if client.sent > 1 => {
                    client.gone = true;
                    return;
                }
                _ => {}
            }
            self.carry(index, packet);
        }
    }

    /// Brings a packet of a client to the server.
    fn carry(&mut self, index: usize, packet: Vec<u8>) {
        let World { up, events, order, random, now, .. } = self;
        up[index].carry(*now, packet, random, |time, datagram| {
            *order += 1;
            events.push(Reverse((time, *order, Event::ToServer(index, datagram))));
        });
    }

    /// Handles a datagram of a client at the server, which knows members by their addresses.
    fn receive(&mut self, index: usize, datagram: &[u8]) {
        let member = self.clients[index].member;
        match (datagram, member) {
            ([0, 1], Some(member)) => self.group.handle_repeated_request(member),
            ([0, 1], None) => {
                let options = requested(self.scenario.blksize, self.clients[index].windowsize);
                let client = self.clients[index].address;
                let member = self.group.handle_join(self.now, ClientId(client.into()), options);
                self.clients[index].member = Some(member);
                self.members.insert(member, index);
                self.oacks.insert(member, (0, 0, false));
                self.lives.begun += 1;
            }
            ([0, 4, high, low], Some(member)) => {
                self.anyone_answered = true;
                if let Some(known) = self.oacks.get_mut(&member) {
                    known.2 = true;
                }
                self.group.handle_ack(self.now, member, u16::from_be_bytes([*high, *low]));
            }
            ([0, 5], Some(member)) => self.group.handle_error(self.now, member, 0),
            _ => {}
        }
        if let (Some(member), [0, 1]) = (member, datagram)
            && let Some(known) = self.oacks.get_mut(&member)
        {
            known.1 += 1;
        }
    }

    /// Carries out what the group wants; returns its deadline.
    fn serve(&mut self) -> Time {
        loop {
            let now = self.now;
            match self.group.poll(now) {
                Output::Send(blocks) => {
                    let answered = self.anyone_answered;
                    Invariant::BoundedAnswersBeforeProof.demand(answered, "DATA before the first ACK");
                    for position in blocks.first..blocks.first + u64::from(blocks.count) {
                        let (offset, length) = self.group.range(position);
                        let mut datagram = data_header(position as u16).to_vec();
                        datagram.extend(&self.file[offset as usize..offset as usize + usize::from(length)]);
                        for index in 0..self.clients.len() {
                            if self.clients[index].reader.membership().is_some() {
                                self.send(index, datagram.clone());
                            }
                        }
                    }
                }
                Output::Oack { member, options, master } => {
                    let known = self.oacks.entry(member).or_default();
                    known.0 += u32::from(!known.2);
                    let mut buffer = [0; MAX_CONTROL];
                    let length = Group::encode_oack(&options, GROUP.into(), master, &mut buffer).unwrap_or(0);
                    self.send(self.members[&member], buffer[..length].to_vec());
                }
                Output::Error { member, .. } => self.send(self.members[&member], vec![0, 5, 0, 0, 0]),
                Output::Finished { member, report } => {
                    self.lives.outcomes += 1;
                    let client = &mut self.clients[self.members[&member]];
                    client.member = None;
                    if report.finish == Finish::Complete && client.kind != Kind::Liar {
                        Invariant::NoSuccessOfOneSideAlone
                            .demand(client.complete, format_args!("member {member:?}: {report:?}"));
                    }
                }
                Output::Timeout(time) => return time,
                Output::Closed => return Time::NEVER,
            }
        }
    }

    fn send(&mut self, index: usize, datagram: Vec<u8>) {
        let World { down, events, order, random, now, .. } = self;
        down[index].carry(*now, datagram, random, |time, datagram| {
            *order += 1;
            events.push(Reverse((time, *order, Event::ToClient(index, datagram))));
        });
    }

    fn check(&self) {
        exactly_one_outcome("group", self.lives);
        bounded_memory("group", Lives { held: self.group.len() as u64, ..self.lives });
        for (member, (oacks, ..)) in &self.oacks {
            Invariant::BoundedAnswersBeforeProof
                .demand(*oacks <= 5, format_args!("{oacks} OACKs for member {member:?}"));
        }
        for client in &self.clients {
            let honest = matches!(client.kind, Kind::Honest);
            Invariant::HonestTransfersSucceed
                .demand(!honest || client.complete, format_args!("{:?}", self.scenario));
        }
    }
}

#[test]
fn every_honest_member_gets_the_file_whatever_the_others_do() {
    for seed in seeds::seeds(SEEDS) {
        let scenario = Scenario::draw(seed);
        let alone = "-p tuffet-core --test simulation multicast::every_honest_member";
        seeds::run(
            seed,
            alone,
            || format!("{scenario:?}"),
            || {
                let mut world = World::new(scenario.clone());
                world.run();
                world.check();
            },
        );
    }
}

/// On a path without faults the file is sent once, however many members there are.
#[test]
fn hundreds_of_members_cost_one_stream() {
    let scenario = Scenario {
        seed: 1,
        size: 100_000,
        blksize: 512,
        members: (0..200).map(|address| (Kind::Honest, 0, 8, address)).collect(),
        path: Path::clean(200),
    };
    let mut world = World::new(scenario);
    world.run();
    world.check();
    let blocks = 100_000 / 512 + 1;
    assert_eq!(world.group.sent(), (blocks, 0));
}

/// A member that joins in the middle gets the rest from the running stream, and then only what it lacks.
#[test]
fn a_late_member_costs_only_what_it_missed() {
    let blocks = 1_000_000 / 512 + 1;
    let scenario = Scenario {
        seed: 1,
        size: 1_000_000,
        blksize: 512,
        // A block takes 0.4 ms.
        members: vec![(Kind::Honest, 0, 1, 0), (Kind::Honest, 400_000, 1, 1)],
        path: Path::clean(200),
    };
    let mut world = World::new(scenario);
    world.run();
    world.check();
    let (sent, resent) = world.group.sent();
    assert_eq!(sent, blocks + resent);
    assert!((900..1_100).contains(&resent), "{resent} of {blocks} blocks again");
}
