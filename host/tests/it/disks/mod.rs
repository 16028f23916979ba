//! Disks that are slow or hang cost the requests for their root, and no others.

mod gates;
mod http;
mod leases;
mod named;
mod opens;
mod plugins;
mod reads;
mod replaced;
mod starting;
mod stopping;
mod tools;
mod uploads;

use crate::harness::{Answer, Peer, Server, Setup, SlowDisk, ack, bytes, rrq};
use std::time::{Duration, Instant};

/// As large as a boot image.
const IMAGE: usize = 1 << 20;

/// Larger than what is read ahead.
const SIZE: usize = 512 * 2_000 + 10;

/// How long an operation on a slow disk takes.
const SLOW: Duration = Duration::from_millis(300);

/// How long the image may take beside it. Each wait of a worker for that disk would be one of its operations.
const AT_MOST: Duration = Duration::from_secs(3);

/// One worker, a healthy root with an image in it, and behind that a root on the slow disk.
fn beside(disk: &SlowDisk, rest: &str) -> Server {
    let yaml = format!(
        "roots:\n  - {{ name: boot, path: root }}\n  - {{ name: slow, path: {}, writable: true, overwrite: true }}\n\
         workers: 1\n{rest}",
        disk.path().display()
    );
    Setup::new().file("image", &bytes(IMAGE)).yaml(&yaml).start()
}

/// Downloads the image of the healthy root in lockstep; how long that takes.
#[track_caller]
fn download_image(server: &Server) -> Duration {
    let began = Instant::now();
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("image", &[("blksize", "1428")]));
    peer.expect(Answer::Oack("blksize=1428".into()));
    peer.send(&ack(0));
    for (block, payload) in (1..).zip(bytes(IMAGE).chunks(1428)) {
        peer.expect(Answer::Data(block, payload.to_vec()));
        peer.send(&ack(block));
    }
    began.elapsed()
}
