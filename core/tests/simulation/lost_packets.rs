//! Loses each packet of a transfer in turn: OACK, ACK 0, the first DATA, the last, the last ACK…

use super::simulator::{
    ACK, Endpoint, Faults, Job, Path, World, asking, assert_whole, millis, number, opcode,
};
use tuffet_core::{Operation, OptionSet, Time};

const DELAY: u64 = 500;

/// Runs `job` with the `up`th packet of the client and the `down`th of the server lost (from 0).
fn lose(job: &Job, up: Option<u64>, down: Option<u64>) -> World<Endpoint, Endpoint> {
    let client = Endpoint::client(job.clone(), Faults::default());
    let server = Endpoint::server(job.clone(), Faults::default());
    let mut world = World::new(1, client, server, Path::clean(DELAY), Path::clean(DELAY));
    for (link, lost) in [(&mut world.up, up), (&mut world.down, down)] {
        let mut index = 0;
        link.lose(move |_| {
            index += 1;
            lost == Some(index - 1)
        });
    }
    world.run(millis(150_000));
    world
}

fn jobs() -> impl Iterator<Item = Job> {
    let both = [Operation::Read, Operation::Write];
    let options = [
        OptionSet::default(),
        asking(512, 4),
        asking(100, 1),
        OptionSet { tsize: Some(0), ..OptionSet::default() },
    ];
    both.into_iter().flat_map(move |operation| {
        options
            .into_iter()
            .flat_map(move |requested| [0, 100, 512, 5_000].map(|size| Job::new(operation, requested, size)))
    })
}

fn later(ends: [&Endpoint; 2]) -> Time {
    ends.iter().filter_map(|end| end.report.finished_at).max().unwrap_or(Time::NEVER)
}

#[test]
fn any_one_packet_may_be_lost() {
    for job in jobs() {
        let whole = lose(&job, None, None);
        for lost in 0..whole.up.packets {
            let world = lose(&job, Some(lost), None);
            assert_whole(&job, &world);
            assert!(later([&world.client, &world.server]) < millis(600), "{job} without {lost} up");
        }
        for lost in 0..whole.down.packets {
            let world = lose(&job, None, Some(lost));
            assert_whole(&job, &world);
            assert!(later([&world.client, &world.server]) < millis(600), "{job} without {lost} down");
        }
    }
}

#[test]
fn any_packet_of_each_end_may_be_lost() {
    for job in jobs() {
        let whole = lose(&job, None, None);
        for up in 0..whole.up.packets {
            for down in 0..whole.down.packets {
                assert_whole(&job, &lose(&job, Some(up), Some(down)));
            }
        }
    }
}

/// RFC 1350 section 6: the sender of the last ACK stays to repeat it.
#[test]
fn the_last_ack_is_repeated_as_often_as_it_is_missed() {
    for operation in [Operation::Read, Operation::Write] {
        for window in [1, 4] {
            let job = Job::new(operation, asking(512, window), 512 * 4 + 10);
            let client = Endpoint::client(job.clone(), Faults::default());
            let server = Endpoint::server(job.clone(), Faults::default());
            let mut world = World::new(1, client, server, Path::clean(DELAY), Path::clean(DELAY));
            let from_reader = if operation == Operation::Read { &mut world.up } else { &mut world.down };
            // A server gives up on the last ACK of a read after three repetitions.
            let mut left = 3;
            from_reader.lose(move |datagram| {
                let last = opcode(datagram) == ACK && number(datagram) == 5;
                left -= i32::from(last);
                last && left >= 0
            });
            world.run(millis(150_000));
            assert_whole(&job, &world);
        }
    }
}
