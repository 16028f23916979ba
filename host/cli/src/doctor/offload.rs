//! Tests over loopback whether the kernel segments and coalesces datagrams.

use super::finding::{Finding, Grade};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io;
use std::net::Ipv4Addr;
use tuffet_udp::{BindOptions, ReceiveBatch, SendBatch, Socket};

const BLOCK: usize = 1_432;
const BLOCKS: usize = 16;

/// How long datagrams over loopback may take, in seconds.
const PATIENCE: i64 = 2;

pub(super) fn check() -> Vec<Finding> {
    let (segmentation, coalescing) = match try_both() {
        Ok(both) => both,
        Err(error) => {
            let says = format!("the test over loopback failed: {error}");
            return vec![Finding::new("offloads", Grade::CouldBeBetter, says).fix("ip link set dev lo up")];
        }
    };
    let finding = |check, works, good: &str, not: &str| match works {
        true => Finding::good(check, good),
        false => Finding::new(check, Grade::CouldBeBetter, not),
    };
    vec![
        finding(
            "UDP segmentation",
            segmentation,
            "a window leaves as one message (UDP_SEGMENT)",
            "the kernel refuses UDP_SEGMENT (Linux 4.18 and newer have it): windows leave block by block, \
             for twice the CPU time",
        ),
        finding(
            "UDP coalescing",
            coalescing,
            "a window of an upload arrives as one buffer where the network card merges its blocks (UDP_GRO)",
            "the kernel does not merge datagrams (UDP_GRO, Linux 5.0 and newer): uploads arrive block by block",
        ),
    ]
}

/// Returns whether a window left as one message, and whether it arrived as one.
fn try_both() -> io::Result<(bool, bool)> {
    let bind =
        |gro| Socket::bind((Ipv4Addr::LOCALHOST, 0).into(), BindOptions { gro, ..BindOptions::default() });
    let (from, to) = (bind(false)?, bind(true)?);
    let (mut send, mut receive) = (SendBatch::new(), ReceiveBatch::new());
    let length = BLOCK * BLOCKS;
    send.room(length).ok_or(io::ErrorKind::OutOfMemory)?.fill(7);
    send.push(to.local(), None, length, BLOCK);
    let report = send.flush(&from);
    let (mut came, mut merged) = (0, false);
    while came < length {
        let mut ready = [PollFd::new(&to, PollFlags::IN)];
        if poll(&mut ready, Some(&Timespec { tv_sec: PATIENCE, tv_nsec: 0 }))? == 0 {
            return Err(io::ErrorKind::TimedOut.into());
        }
        receive.fill(&to)?;
        for datagram in (0..receive.len()).filter_map(|index| receive.get(index)) {
            came += datagram.payload.len();
            merged |= datagram.segment.is_some_and(|segment| segment < datagram.payload.len());
        }
    }
    Ok((report.unsegmented == 0, merged))
}
