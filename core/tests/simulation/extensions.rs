//! Options that no RFC has: the windows of Windows Deployment Services, and those of tftp-hpa.

use super::simulator::{ACK, DATA, Endpoint, Faults, Job, Path, Plain, World, number, opcode};
use std::cell::RefCell;
use std::rc::Rc;
use tuffet_core::{
    Acknowledged, Blocks, DATA_HEADER, Finish, Limits, Operation, OptionName, OptionSet, Output, Rollover,
    Settings, Time, Transfer,
};

const LAN: Path = Path::clean(50);

const WINDOWS: OptionSet = OptionSet {
    tsize: Some(0),
    blksize: Some(1_456),
    windowsize: None,
    timeout: None,
    rollover: None,
    blksize2: None,
    utimeout: None,
    msftwindow: true,
};

fn limits(windowsize: u16, options: &[OptionName]) -> Limits {
    let acknowledged = options.iter().fold(Acknowledged::default(), |all, option| all.with(*option));
    Limits { windowsize, acknowledged, ..Limits::default() }
}

/// The runs of blocks between two ACKs, as numbers of their blocks.
fn serve(
    windowsize: u16,
    wants: fn(u16) -> u8,
    blocks: usize,
    path: Path,
) -> (Vec<u16>, World<Plain, Endpoint>) {
    let mut job = Job::new(Operation::Read, WINDOWS, blocks * 1_456 - 1);
    job.limits = limits(windowsize, &[OptionName::Msftwindow]);
    let client = Plain::new(WINDOWS).wants(wants);
    let mut world = World::new(7, client, Endpoint::server(job, Faults::default()), path, path);
    let runs = Rc::new(RefCell::new(vec![0]));
    let seen = runs.clone();
    world.down.lose(move |datagram| {
        if opcode(datagram) == DATA {
            *seen.borrow_mut().last_mut().expect("never empty") += 1;
        }
        false
    });
    let seen = runs.clone();
    world.up.lose(move |datagram| {
        if opcode(datagram) == ACK && number(datagram) > 0 {
            assert_eq!(datagram.len(), 5, "with the next window");
            seen.borrow_mut().push(0);
        }
        false
    });
    world.run(Time::from_micros(600_000_000));
    assert!(world.client.done.is_some() && world.client.bytes.len() == blocks * 1_456 - 1);
    assert_eq!(world.server.report.finish, Some(Finish::Complete));
    let mut runs = runs.take();
    runs.retain(|run| *run > 0);
    (runs, world)
}

#[test]
fn each_ack_chooses_the_next_window() {
    let (runs, _) = serve(64, |after| if after < 4 { 2 } else { 8 }, 20, LAN);
    assert_eq!(runs, [2, 2, 8, 8]);
    let (runs, _) = serve(64, |after| if after < 8 { 8 } else { 1 }, 12, LAN);
    assert_eq!(runs, [8, 1, 1, 1, 1], "smaller again");
    let (runs, _) = serve(64, |_| 0, 3, LAN);
    assert_eq!(runs, [1, 1, 1], "never nothing");
}

#[test]
fn no_ack_chooses_a_window_above_the_limit() {
    let (runs, _) = serve(4, |_| 4, 12, LAN);
    assert_eq!(runs, [4, 4, 4]);
    let at = Time::from_micros;
    let mut transfer = Transfer::server(at(0), Operation::Read, Settings::default());
    transfer.handle_grant(at(0), &WINDOWS, &limits(4, &[OptionName::Msftwindow]), Some(100_000));
    assert!(matches!(transfer.poll(at(0)), Output::Control(_)));
    for (ack, first) in [(b"\0\x04\0\0\xc8", 1), (b"\0\x04\0\x04\xff", 5)] {
        assert_eq!(transfer.handle_datagram(at(1_000 * first), ack), Ok(()));
        assert_eq!(transfer.poll(at(1_000 * first)), Output::Send(Blocks { first, count: 4 }));
    }
    // Without the fifth byte: as before.
    assert_eq!(transfer.handle_datagram(at(20_000), b"\0\x04\0\x08"), Ok(()));
    assert_eq!(transfer.poll(at(20_000)), Output::Send(Blocks { first: 9, count: 4 }));
}

#[test]
fn windows_of_windows_survive_losses() {
    for loss in [0.01, 0.1] {
        serve(64, |after| 1 + (after % 31) as u8, 900, LAN.loss(loss));
    }
}

/// A file of more than 65,536 blocks, to a client that continues with the number that it asked for.
#[test]
fn the_client_chooses_the_number_after_65535() {
    for (asked, server, after) in [
        (Some(Rollover::One), Rollover::Zero, 1),
        (Some(Rollover::Zero), Rollover::One, 0),
        (None, Rollover::One, 1),
    ] {
        let at = Time::from_micros;
        let settings = Settings { rollover: server, ..Settings::default() };
        let mut transfer = Transfer::server(at(0), Operation::Read, settings);
        let requested = OptionSet { rollover: asked, blksize: Some(8), ..OptionSet::default() };
        transfer.handle_grant(at(0), &requested, &limits(1, &[OptionName::Rollover]), Some(70_000 * 8));
        assert_eq!(transfer.options().rollover, asked);
        assert_eq!(transfer.wire(65_536), after);
    }
}

#[test]
fn utimeout_is_the_first_retransmission() {
    let at = Time::from_micros;
    for (options, due) in [(vec![OptionName::Utimeout], 30_000), (Vec::new(), 250_000)] {
        let mut transfer = Transfer::server(at(0), Operation::Read, Settings::default());
        let requested = OptionSet { utimeout: Some(30_000), tsize: Some(0), ..OptionSet::default() };
        let limits = Limits { bears_duplicates: true, bears_repeated_oack: true, ..limits(1, &options) };
        transfer.handle_grant(at(0), &requested, &limits, Some(700));
        assert!(matches!(transfer.poll(at(0)), Output::Control(_)));
        assert_eq!(transfer.poll(at(0)), Output::Timeout(at(due)), "{options:?}");
    }
}

/// Blocks of a power of two, from the server's first to its last.
#[test]
fn blksize2_is_the_size_of_the_blocks() {
    let requested = OptionSet { blksize2: Some(1_428), ..OptionSet::default() };
    let mut job = Job::new(Operation::Read, requested, 3_000);
    job.limits = limits(64, &[OptionName::Blksize2]);
    let granted = OptionSet { blksize2: Some(1_024), ..OptionSet::default() };
    // The client learns the size from the OACK.
    let client = Plain::new(granted);
    let mut world = World::new(7, client, Endpoint::server(job, Faults::default()), LAN, LAN);
    world.down.lose(|datagram| {
        assert!(opcode(datagram) != DATA || datagram.len() <= DATA_HEADER + 1_024);
        false
    });
    world.run(Time::from_micros(600_000_000));
    assert_eq!(world.client.bytes.len(), 3_000);
}
