//! Early ends of a transfer: an ERROR of the peer, an ERROR of this side, silence.

use super::simulator::{Endpoint, Faults, Job, Path, World, asking, millis, outputs, reader_and_writer};
use tuffet_core::{
    Control, ErrorCode, Finish, Limits, Operation, OptionSet, Output, Settings, Time, Transfer, data_header,
};

const NOW: Time = millis(1);
const ERROR_4: &[u8] = b"\0\x05\0\x04go away\0";
const ACK_0: &[u8] = b"\0\x04\0\0";

fn server(operation: Operation) -> Transfer {
    Transfer::server(NOW, operation, Settings::default())
}

fn client(operation: Operation) -> Transfer {
    Transfer::client(NOW, operation, asking(512, 4), 5_000, Settings::default())
}

fn hear(transfer: &mut Transfer, datagram: &[u8]) -> Vec<Output> {
    assert_eq!(transfer.handle_datagram(NOW, datagram), Ok(()));
    outputs(transfer, NOW)
}

/// Returns a transfer in each of its phases, with the name of the phase.
fn phases() -> Vec<(&'static str, Transfer)> {
    let requested = asking(512, 4);
    let limits = Limits::default();
    let mut all = vec![("deciding", server(Operation::Read)), ("requested", client(Operation::Read))];
    let mut offered = server(Operation::Read);
    offered.handle_grant(NOW, &requested, &limits, Some(5_000));
    all.push(("offered", offered));
    let mut sending = server(Operation::Read);
    sending.handle_grant(NOW, &OptionSet::default(), &limits, Some(5_000));
    all.push(("sending", sending));
    let mut receiving = server(Operation::Write);
    receiving.handle_grant(NOW, &OptionSet::default(), &limits, None);
    all.push(("receiving", receiving));
    let mut storing = server(Operation::Write);
    storing.handle_grant(NOW, &OptionSet::default(), &limits, None);
    outputs(&mut storing, NOW);
    assert!(storing.handle_datagram(NOW, &data_header(1)).is_ok());
    all.push(("storing", storing));
    for (_, transfer) in &mut all {
        outputs(transfer, NOW);
    }
    all
}

#[test]
fn an_error_of_the_peer_ends_every_phase_without_an_answer() {
    for (phase, mut transfer) in phases() {
        assert_eq!(hear(&mut transfer, ERROR_4), [Output::Finished(Finish::PeerError(4))], "{phase}");
        assert_eq!(transfer.poll(NOW), Output::Closed, "{phase}");
        assert_eq!(hear(&mut transfer, ERROR_4), [], "{phase}: nothing after the end");
        transfer.handle_timeout(millis(100_000));
        transfer.handle_stored(NOW);
        transfer.fail(ErrorCode::NotDefined, "late");
        assert_eq!(outputs(&mut transfer, NOW), [], "{phase}: nothing after the end");
    }
}

#[test]
fn a_failure_of_this_side_is_told_once_in_every_phase() {
    for (phase, mut transfer) in phases() {
        transfer.fail(ErrorCode::DiskFull, "no room");
        transfer.fail(ErrorCode::NotDefined, "again");
        let error = Output::Control(Control::Error(ErrorCode::DiskFull, "no room".into()));
        let finished = Output::Finished(Finish::Failed(ErrorCode::DiskFull));
        assert_eq!(outputs(&mut transfer, NOW), [error, finished], "{phase}");
        assert_eq!(transfer.poll(NOW), Output::Closed, "{phase}");
    }
}

#[test]
fn an_abandoned_transfer_says_nothing() {
    for (phase, mut transfer) in phases() {
        transfer.abandon();
        assert_eq!(transfer.poll(NOW), Output::Closed, "{phase}");
    }
}

#[test]
fn a_read_of_unknown_size_is_refused_instead_of_sent_empty() {
    let mut transfer = server(Operation::Read);
    transfer.handle_grant(NOW, &OptionSet::default(), &Limits::default(), None);
    let outputs = outputs(&mut transfer, NOW);
    assert!(matches!(
        outputs[..],
        [Output::Control(Control::Error(..)), Output::Finished(Finish::Failed(_))]
    ));
}

#[test]
fn what_was_complete_stays_complete() {
    let mut transfer = phases().pop().map(|(_, storing)| storing).expect("the last phase");
    transfer.handle_stored(NOW);
    let finished = Output::Finished(Finish::Complete);
    assert_eq!(outputs(&mut transfer, NOW), [Output::Control(Control::Ack(1)), finished]);
    assert_eq!(hear(&mut transfer, ERROR_4), []);
    transfer.fail(ErrorCode::NotDefined, "late");
    assert_eq!(outputs(&mut transfer, NOW), []);
    assert_eq!(hear(&mut transfer, &data_header(2)), [], "a block after the last");
    assert_eq!((transfer.blocks(), transfer.bytes()), (1, 0));
    let late = millis(1_000);
    assert!(transfer.handle_datagram(late, &data_header(1)).is_ok());
    assert_eq!(outputs(&mut transfer, late), [Output::Control(Control::Ack(1))], "the last ACK again");
    transfer.handle_timeout(millis(6_000));
    assert_eq!(transfer.poll(millis(6_000)), Output::Closed);
}

#[test]
fn a_peer_that_vanishes_is_given_up_when_patience_ends() {
    for operation in [Operation::Read, Operation::Write] {
        for window in [1, 16] {
            for vanishes in 1..20 {
                let job = Job::new(operation, asking(512, window), 100_000);
                let gone = Faults { vanishes_after: Some(vanishes), ..Faults::default() };
                let server = Endpoint::server(job.clone(), Faults::default());
                let path = Path::clean(100);
                let mut world = World::new(1, Endpoint::client(job.clone(), gone), server, path, path);
                world.run(millis(150_000));
                let report = &world.server.report;
                if report.finish == Some(Finish::Complete) {
                    continue;
                }
                assert_eq!(report.finish, Some(Finish::TimedOut));
                let (_, writer) = reader_and_writer(operation, &world);
                // Retransmissions get rarer: windows after 20, 40, 80… ms, then every 4 s.
                assert!(writer.report.data < 200 + 20 * u64::from(window), "{}", writer.report.data);
                let (ended, heard) = (report.finished_at, world.server.last_heard());
                let waited = ended.zip(heard).map(|(ended, heard)| ended.since(heard).as_millis());
                assert!(waited.is_some_and(|waited| (3_000..=65_000).contains(&waited)), "{waited:?}");
            }
        }
    }
}

/// Two ends that answer each other but make no progress, for instance because the blocks are too large for
/// the path between them.
#[test]
fn repeating_oneself_is_not_progress() {
    for window in [1, 4] {
        let mut transfer = server(Operation::Read);
        transfer.handle_grant(NOW, &asking(1_428, window), &Limits::default(), Some(100_000));
        outputs(&mut transfer, NOW);
        let mut all = Vec::new();
        let end = (0..600).find(|second| {
            let now = millis(1_000 * second + 2);
            transfer.handle_timeout(now);
            assert!(transfer.handle_datagram(now, ACK_0).is_ok());
            all.extend(outputs(&mut transfer, now));
            all.contains(&Output::Finished(Finish::TimedOut))
        });
        assert!(end.is_some_and(|second| (64..=66).contains(&second)), "{end:?}");
        assert!(all.len() < 100, "{} packets or windows", all.len());
    }
}
