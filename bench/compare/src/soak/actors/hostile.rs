//! Hostile datagrams, and requests that make plugins fail.

use super::Stage;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::time::Duration;

/// Requests that make a plugin trap, loop, take all memory, or sleep; and denied or missing ones.
pub(super) fn evil_requests(stage: &Stage<'_>) {
    while stage.wait(Duration::from_secs(1)) {
        for name in
            ["evil/trap", "evil/loop", "evil/hog", "evil/sleep", "secret/0/x", "../../etc/passwd", "gone"]
        {
            from_somewhere(stage, &request(1, name.as_bytes()));
        }
        stage.count("requests that plugins fail at, or that are refused", 7);
    }
}

/// Random bytes, truncated requests, names of all lengths, unexpected packets.
pub(super) fn noise(stage: &Stage<'_>) {
    while stage.wait(Duration::from_millis(100)) {
        for _ in 0..50 {
            let length = fastrand::usize(..1500);
            let mut bytes: Vec<u8> = std::iter::repeat_with(|| fastrand::u8(..)).take(length).collect();
            if let [first, second, ..] = &mut bytes[..] {
                (*first, *second) = (0, fastrand::u8(..8));
            }
            from_somewhere(stage, &bytes);
        }
        let name = vec![b'n'; fastrand::usize(1..60_000)];
        from_somewhere(stage, &request(fastrand::u8(1..3), &name));
        stage.count("hostile datagrams", 51);
    }
}

/// Requests from addresses all over loopback that never answer.
pub(super) fn half_open(stage: &Stage<'_>) {
    while stage.wait(Duration::from_millis(500)) {
        for _ in 0..5 {
            from_somewhere(stage, &request(1, b"large"));
            from_somewhere(stage, &request(2, format!("half-{}", fastrand::u8(..)).as_bytes()));
        }
        stage.count("requests whose clients never answer", 10);
    }
}

/// Sends a datagram from another address, without waiting for an answer. The port is outside of the kernel's range for
/// honest clients, which would receive the answer on loopback.
fn from_somewhere(stage: &Stage<'_>, datagram: &[u8]) {
    let from = Ipv4Addr::new(127, fastrand::u8(128..), fastrand::u8(..), fastrand::u8(1..255));
    let sent = UdpSocket::bind(SocketAddr::from((from, fastrand::u16(10_000..30_000))))
        .and_then(|socket| socket.send_to(datagram, stage.site.address));
    if let Err(error) = sent {
        stage.wrong(format!("a hostile datagram cannot be sent: {error}"));
    }
}

fn request(code: u8, name: &[u8]) -> Vec<u8> {
    [&[0, code][..], name, b"\0octet\0blksize\x001428\0windowsize\x0016\0"].concat()
}
