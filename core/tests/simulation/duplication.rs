//! Every datagram arrives twice, in both directions: the Sorcerer's Apprentice (RFC 1123 section 4.2.3.1).
//! The traffic must grow with the file, not with the copies.

use super::simulator::{Job, Path, asking, assert_whole, reader_and_writer, run};
use tuffet_core::Operation;

#[test]
fn lockstep_sends_each_block_once() {
    for operation in [Operation::Read, Operation::Write] {
        for jitter in [0, 30, 300] {
            let job = Job::new(operation, asking(512, 1), 400_000);
            let path = Path::clean(200).duplicate(1.0).jitter(jitter);
            let world = run(3, &job, path, path);
            assert_whole(&job, &world);
            let (reader, writer) = reader_and_writer(operation, &world);
            // The duplicated request may cost a second first block.
            assert!(writer.report.data <= writer.blocks() + 1, "jitter {jitter}");
            assert!(reader.report.acks <= 2 * writer.blocks() + 2, "{} ACKs", reader.report.acks);
        }
    }
}

#[test]
fn windows_send_each_block_once_when_copies_follow_closely() {
    for operation in [Operation::Read, Operation::Write] {
        for window in [2, 4, 16, 64] {
            let job = Job::new(operation, asking(512, window), 400_000);
            let path = Path::clean(200).duplicate(1.0);
            let world = run(3, &job, path, path);
            assert_whole(&job, &world);
            let (reader, writer) = reader_and_writer(operation, &world);
            assert_eq!(writer.report.data, writer.blocks(), "window {window}");
            assert!(reader.report.acks <= 2 * writer.blocks().div_ceil(u64::from(window)) + 2);
        }
    }
}

/// On a link with a rate, copies arrive among later blocks; whole windows are in flight twice.
#[test]
fn windows_do_not_double_when_copies_come_late() {
    for operation in [Operation::Read, Operation::Write] {
        for window in [2, 4, 16, 64] {
            for jitter in [0, 20, 400] {
                let job = Job::new(operation, asking(1_428, window), 600_000);
                let path = Path::clean(200).duplicate(1.0).jitter(jitter).rate(100_000_000, u64::MAX);
                let world = run(4, &job, path, path);
                assert_whole(&job, &world);
                let (reader, writer) = reader_and_writer(operation, &world);
                let (data, acks) = (writer.report.data, reader.report.acks);
                // If they are also reordered, a receiver that keeps no block beyond a gap drops most.
                let most = if jitter > 100 { 16 } else { 2 } * writer.blocks();
                assert!(data <= most, "{data} for {} at {window}, {jitter}", writer.blocks());
                assert!(acks <= 2 * data + 2, "{acks} ACKs for {data} blocks at {window}, {jitter}");
            }
        }
    }
}
