//! Devices that are silent for most of a minute, because they build what they will send or erase where they will write, and
//! never repeat anything.

use crate::harness::{Answer, Peer, Setup, ack, bytes, data, rrq, wrq};
use std::thread;
use std::time::Duration;

/// As long as a passive boot ROM waits at most.
const SILENCE: Duration = Duration::from_secs(55);

/// A device, its request, and the packets that it sends, each in answer to one packet.
type Device = (&'static str, Vec<u8>, Vec<Vec<u8>>);

/// All at once, since the time is what they are about.
#[test]
fn a_device_may_be_silent_for_most_of_a_minute() {
    let server = Setup::new().writable().file("image", &bytes(1_200)).start();
    let upload = |name: &str| {
        (wrq(name, &[]), [(1, 512), (2, 512), (3, 176)].map(|(n, size)| data(n, &vec![7; size])))
    };
    let download = (rrq("image", &[]), [1, 2, 3].map(ack));
    let (early_write, late_write) = (upload("early"), upload("late"));
    let with_options = [ack(0), ack(1), ack(2), ack(3)];
    // The device, and after how many packets it is silent.
    let devices: [(usize, Device); 5] = [
        (0, ("reads, silent at first", download.0.clone(), download.1.to_vec())),
        (1, ("reads, silent later", download.0, download.1.to_vec())),
        (0, ("reads with options", rrq("image", &[("blksize", "512")]), with_options.to_vec())),
        (0, ("writes, silent at first", early_write.0, early_write.1.to_vec())),
        (2, ("writes, silent later", late_write.0, late_write.1.to_vec())),
    ];
    let address = server.address();
    let threads = devices.map(|(silent_at, (what, request, packets))| {
        thread::spawn(move || {
            let mut device = Peer::new(address);
            device.ask(&request);
            for (number, packet) in packets.iter().enumerate() {
                let answer = device.receive();
                assert!(!matches!(answer, Answer::Error(..)), "{what}: {answer:?}");
                if number == silent_at {
                    thread::sleep(SILENCE);
                }
                device.send(packet);
            }
            // The last ACK of an upload.
            if matches!(packets.last().map(Vec::as_slice), Some([0, 3, ..])) {
                device.expect(Answer::Ack(3));
            }
        })
    });
    for thread in threads {
        thread.join().expect("a device was not served");
    }
    for _ in 0..3 {
        assert_eq!(server.outcome("image")["outcome"], "served");
    }
    for name in ["early", "late"] {
        assert_eq!(server.outcome(name)["outcome"], "stored");
        assert!(server.root().read(name) == vec![7; 1_200]);
    }
}
