//! Packets that arrive at the wrong end change nothing and are not answered.

use super::simulator::{asking, millis, outputs};
use tuffet_core::{
    Control, ErrorCode, Finish, Limits, Operation, OptionSet, Output, Rollover, Settings, Time, Transfer,
    data_header,
};

const NOW: Time = millis(1);

/// Returns a server that has sent its first window of four, of which two blocks are acknowledged.
fn sending(rollover: Rollover) -> Transfer {
    let settings = Settings { rollover, ..Settings::default() };
    let mut transfer = Transfer::server(NOW, Operation::Read, settings);
    transfer.handle_grant(NOW, &asking(512, 4), &Limits::default(), Some(100_000));
    outputs(&mut transfer, NOW);
    assert!(transfer.handle_datagram(NOW, b"\0\x04\0\0").is_ok());
    outputs(&mut transfer, NOW);
    transfer
}

/// Returns a server that has accepted one block of an upload.
fn receiving(rollover: Rollover) -> Transfer {
    let settings = Settings { rollover, ..Settings::default() };
    let mut transfer = Transfer::server(NOW, Operation::Write, settings);
    transfer.handle_grant(NOW, &OptionSet::default(), &Limits::default(), None);
    outputs(&mut transfer, NOW);
    assert!(transfer.handle_datagram(NOW, &[&data_header(1)[..], &[7; 512]].concat()).is_ok());
    outputs(&mut transfer, NOW);
    transfer
}

const NEVER_ANSWERED: [&[u8]; 16] = [
    b"",
    b"\0",
    b"\0\x04",
    b"\0\x03\0",
    b"\0\x05\0",
    b"\0\0\0\0",
    b"\0\x07\0\x01",
    b"\xff\xff\0\x01",
    b"\0\x06",
    b"\0\x06blksize\08192\0",
    b"\0\x06\0\0\0\0",
    b"\0\x01a/file\0octet\0",
    b"\0\x02a/file\0octet\0",
    b"\0\x01",
    b"\0\x04\xff\xf0",
    b"\0\x04\0\x09",
];

#[test]
fn none_of_them_is_answered_or_ends_anything() {
    for rollover in [Rollover::Zero, Rollover::One] {
        for (name, mut transfer) in [("sending", sending(rollover)), ("receiving", receiving(rollover))] {
            let before = (transfer.blocks(), transfer.bytes(), transfer.options());
            for stray in NEVER_ANSWERED {
                let _malformed = transfer.handle_datagram(NOW, stray);
                assert_eq!(outputs(&mut transfer, NOW), [], "{name}, {stray:?}");
            }
            assert_eq!((transfer.blocks(), transfer.bytes(), transfer.options()), before, "{name}");
            assert!(matches!(transfer.poll(NOW), Output::Timeout(_)));
        }
    }
}

#[test]
fn data_for_a_sender_and_data_0_for_a_receiver_are_ignored() {
    let mut sender = sending(Rollover::Zero);
    assert!(sender.handle_datagram(NOW, &data_header(1)).is_ok());
    assert_eq!(outputs(&mut sender, NOW), []);
    for rollover in [Rollover::Zero, Rollover::One] {
        let mut receiver = receiving(rollover);
        for block in [0, 3, 4_000, 65_535] {
            assert!(receiver.handle_datagram(NOW, &data_header(block)).is_ok());
            assert_eq!(outputs(&mut receiver, NOW), [], "DATA {block}");
        }
        assert_eq!((receiver.blocks(), receiver.bytes()), (1, 512));
    }
}

#[test]
fn data_longer_than_agreed_ends_the_transfer_with_an_error() {
    let mut receiver = receiving(Rollover::Zero);
    let long = [&data_header(2)[..], &[7; 513]].concat();
    assert!(receiver.handle_datagram(NOW, &long).is_ok());
    let outputs = outputs(&mut receiver, NOW);
    assert!(
        matches!(
            &outputs[..],
            [
                Output::Control(Control::Error(ErrorCode::IllegalOperation, _)),
                Output::Finished(Finish::Failed(ErrorCode::IllegalOperation)),
            ]
        ),
        "{outputs:?}"
    );
    assert_eq!(receiver.bytes(), 512, "nothing of it was taken");
}

/// A caller that breaks the rule of use loses a datagram, as a network would, and no bytes.
#[test]
fn a_datagram_before_the_last_was_polled_counts_as_lost() {
    let mut transfer = Transfer::server(NOW, Operation::Write, Settings::default());
    transfer.handle_grant(NOW, &asking(512, 4), &Limits::default(), None);
    outputs(&mut transfer, NOW);
    for block in [1, 2] {
        assert!(transfer.handle_datagram(NOW, &[&data_header(block)[..], &[7; 512]].concat()).is_ok());
    }
    assert_eq!(outputs(&mut transfer, NOW), [Output::Accept { offset: 0, length: 512 }]);
    assert_eq!(transfer.blocks(), 1);
}

#[test]
fn a_client_is_not_confused_by_its_own_kind() {
    for stray in [&b"\0\x01x\0octet\0"[..], b"\0\x04\0\0", b"\0\x04\0\x05", b"\0\x03\0\x02abc", b"\0\x06"] {
        let mut client = Transfer::client(NOW, Operation::Read, OptionSet::default(), 0, Settings::default());
        assert_eq!(outputs(&mut client, NOW), [Output::Request]);
        let _malformed = client.handle_datagram(NOW, stray);
        let answer = outputs(&mut client, NOW);
        // An OACK without options is odd but valid.
        let expected = if stray == b"\0\x06" { vec![Output::Control(Control::Ack(0))] } else { Vec::new() };
        assert_eq!(answer, expected, "{stray:?}");
    }
}
