//! Worlds in which the network duplicates each request, and loses one datagram of the resulting transfer. The
//! client never learns of the duplicate, so it must be served as if there were none.

use super::super::passed::Succession;
use super::client::{Client, Manner, PlannedRequest};
use super::control::{Answer, Control, Fate};
use super::world::{Faults, LISTENERS, Path, World};
use super::{Bounds, Limiter, WorkerSettings};
use crate::worker::SocketId;
use std::sync::Arc;
use std::time::Duration;
use tuffet_core::{Operation, OptionSet, Settings, Time};

/// When a client must have all files that it requested: a few time-outs of a transfer on a path without
/// delay.
const SOON: Time = Time::from_micros(1_000_000);

/// Round trips are much shorter than the delay of a duplicate.
const PATH: Path = Path { delay: 50, jitter: 0, loss: 0.0, duplicate: 0.0 };

/// Requested names, and whether each transfer was complete in time.
type Seen = Vec<(String, bool)>;

/// Names and outcomes.
type Outcomes = Vec<(String, &'static str)>;

fn request(name: &str, operation: Operation, requested: OptionSet, size: usize) -> PlannedRequest {
    let file: Arc<[u8]> = (0..size).map(|byte| byte as u8).collect();
    PlannedRequest { name: name.into(), operation, requested, file }
}

/// One client makes these requests, the last one first; the server refuses those with the name `refused`.
/// Returns whether each was complete in time, from the client's point of view, and the outcomes that the
/// server reported, in order.
fn run(listener: SocketId, planned: Vec<PlannedRequest>, faults: Faults) -> (Seen, Outcomes) {
    let mut control = Control::new();
    for request in &planned {
        let answer = match request.operation {
            _ if request.name == "refused" => Answer::Refuse,
            Operation::Read => Answer::Bytes(request.file.clone()),
            Operation::Write => Answer::Upload(u64::MAX),
        };
        control.fates.insert(request.name.clone(), Fate { after: Some(10), answer });
    }
    let settings = WorkerSettings {
        transfer: Arc::new(Settings::default()),
        max_transfers: 100,
        max_pending: 100,
        answer_due: Duration::from_millis(250),
        workers: 1,
        limiter: Arc::new(Limiter::new(&Bounds::none(), 100, 100)),
        succession: Succession::default(),
        busy_poll: Duration::ZERO,
    };
    let address = ([192, 0, 2, 1], 1_000).into();
    let client = Client::new(address, listener, Manner::Honest, Time::default(), planned, 0);
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
                    run(listener, vec![request("file", *operation, *requested, *size)], faults);
                let about = format!("{what}, {late} us late, listener {listener:?}: {outcomes:?}");
                assert_eq!(seen, [("file".to_owned(), true)], "{about}");
                let well =
                    outcomes.iter().filter(|(_, outcome)| ["served", "stored"].contains(outcome)).count();
                assert_eq!(well, 1, "{about}");
            }
        }
    }
}

/// Boot loaders try several names from one port. A duplicate of the first request that arrives during the
/// second transfer is no new request.
#[test]
fn a_late_copy_of_an_earlier_request_ends_no_transfer() {
    for listener in LISTENERS {
        let file = request("file", Operation::Read, OptionSet::default(), 600);
        let refused = request("refused", Operation::Read, OptionSet::default(), 0);
        // The second request follows 300 ms after the first, and the last block comes after a time-out.
        let faults = Faults { doubles_requests: Some(305_000), loses: Some(vec![0, 3, 0, 2]) };
        let (seen, outcomes) = run(listener, vec![file, refused], faults);
        assert_eq!(seen, [("refused".to_owned(), false), ("file".to_owned(), true)], "{outcomes:?}");
        assert!(outcomes.contains(&("file".to_owned(), "served")), "listener {listener:?}: {outcomes:?}");
    }
}
