//! Worlds in which the network duplicates each request, and loses one datagram of the transfer that it began.
//! The client never learns of the copy, so it must be served as if there were none.

use super::client::{Client, Manner, Wish};
use super::control::{Answer, Control, Fate};
use super::world::{Faults, LISTENERS, Path, World};
use super::{Bounds, Limiter, WorkerSettings};
use crate::worker::SocketId;
use std::sync::Arc;
use std::time::Duration;
use tuffet_core::{Operation, OptionSet, Settings, Time};

/// When a client must have all it asked for: some time-outs of a transfer on a path without delay.
const SOON: Time = Time::from_micros(1_000_000);

/// Round trips are much shorter than what a copy is late.
const PATH: Path = Path { delay: 50, jitter: 0, loss: 0.0, duplicate: 0.0 };

/// Names that were asked for, and whether each was complete in time.
type Seen = Vec<(String, bool)>;

/// Names and outcomes.
type Outcomes = Vec<(String, &'static str)>;

fn wish(name: &str, operation: Operation, requested: OptionSet, size: usize) -> Wish {
    let file: Arc<[u8]> = (0..size).map(|byte| byte as u8).collect();
    Wish { name: name.into(), operation, requested, file }
}

/// One client asks for these, the last one first; those that the server refuses are named so. Whether each was
/// complete in time, as its client sees it, and the outcomes that the server told, in their order.
fn run(listener: SocketId, wishes: Vec<Wish>, faults: Faults) -> (Seen, Outcomes) {
    let mut control = Control::new();
    for wish in &wishes {
        let answer = match wish.operation {
            _ if wish.name == "refused" => Answer::Refuse,
            Operation::Read => Answer::Bytes(wish.file.clone()),
            Operation::Write => Answer::Upload(u64::MAX),
        };
        control.fates.insert(wish.name.clone(), Fate { after: Some(10), answer });
    }
    let settings = WorkerSettings {
        transfer: Arc::new(Settings::default()),
        max_transfers: 100,
        max_pending: 100,
        answer_due: Duration::from_millis(250),
        workers: 1,
        limiter: Arc::new(Limiter::new(&Bounds::none(), 100, 100)),
        busy_poll: Duration::ZERO,
    };
    let address = ([192, 0, 2, 1], 1_000).into();
    let client = Client::new(address, listener, Manner::Honest, Time::default(), wishes, 0);
    let mut world = World::new(0, settings, 100, PATH, vec![client], &mut control);
    world.faults = faults;
    world.run(SOON);
    world.stop();
    let experiences = &world.clients[0].experiences;
    let seen = experiences.iter().map(|it| (it.name.clone(), it.complete)).collect();
    let outcomes = world
        .ended
        .iter()
        .map(|it| (it.record.request.path.to_string(), it.ending.outcome.as_str()))
        .collect();
    (seen, outcomes)
}

#[test]
fn a_doubled_request_and_a_lost_datagram_end_no_transfer() {
    let windows = OptionSet { blksize: Some(512), windowsize: Some(64), ..OptionSet::default() };
    let sized = OptionSet { tsize: Some(0), ..OptionSet::default() };
    let cases = [
        ("a small file", Operation::Read, sized, 300, vec![0, 3, 0, 1]),
        ("the last block in lockstep", Operation::Read, OptionSet::default(), 600, vec![0, 3, 0, 2]),
        ("the last block of a window", Operation::Read, windows, 40 * 512 + 1, vec![0, 3, 0, 41]),
        ("a block in a window", Operation::Read, windows, 40 * 512 + 1, vec![0, 3, 0, 7]),
        ("the last ACK of a small upload", Operation::Write, OptionSet::default(), 300, vec![0, 4, 0, 1]),
        ("the last ACK of an upload", Operation::Write, OptionSet::default(), 600, vec![0, 4, 0, 2]),
        ("the last ACK of a window", Operation::Write, windows, 40 * 512 + 1, vec![0, 4, 0, 41]),
    ];
    for listener in LISTENERS {
        for late in [100, 400, 5_000, 100_000] {
            for (what, operation, requested, size, lost) in &cases {
                let faults = Faults { doubles_requests: Some(late), loses: Some(lost.clone()) };
                let (seen, outcomes) =
                    run(listener, vec![wish("file", *operation, *requested, *size)], faults);
                let about = format!("{what}, {late} us late, listener {listener:?}: {outcomes:?}");
                assert_eq!(seen, [("file".to_owned(), true)], "{about}");
                let well =
                    outcomes.iter().filter(|(_, outcome)| ["served", "stored"].contains(outcome)).count();
                assert_eq!(well, 1, "{about}");
            }
        }
    }
}

/// Boot loaders go through several names from one port. A copy of the first request that comes while the second is
/// served is no wish for the first.
#[test]
fn a_late_copy_of_an_earlier_request_ends_no_transfer() {
    for listener in LISTENERS {
        let file = wish("file", Operation::Read, OptionSet::default(), 600);
        let refused = wish("refused", Operation::Read, OptionSet::default(), 0);
        // The client asks for the second 300 ms after the first, and the last block comes after a time-out.
        let faults = Faults { doubles_requests: Some(305_000), loses: Some(vec![0, 3, 0, 2]) };
        let (seen, outcomes) = run(listener, vec![file, refused], faults);
        assert_eq!(seen, [("refused".to_owned(), false), ("file".to_owned(), true)], "{outcomes:?}");
        assert!(outcomes.contains(&("file".to_owned(), "served")), "listener {listener:?}: {outcomes:?}");
    }
}
