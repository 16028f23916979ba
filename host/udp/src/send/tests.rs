use super::super::{BindOptions, ReceiveBatch};
use super::*;

fn pair() -> (Socket, Socket) {
    let bind = || Socket::bind("127.0.0.1:0".parse().unwrap(), BindOptions::default()).unwrap();
    (bind(), bind())
}

fn receive(socket: &Socket, wanted: usize) -> Vec<Vec<u8>> {
    let (mut batch, mut got) = (ReceiveBatch::new(), Vec::new());
    while got.len() < wanted {
        let mut ready = [rustix::event::PollFd::new(socket, rustix::event::PollFlags::IN)];
        let patience = rustix::event::Timespec { tv_sec: 5, tv_nsec: 0 };
        assert_eq!(rustix::event::poll(&mut ready, Some(&patience)), Ok(1), "only {} came", got.len());
        batch.fill(socket).unwrap();
        got.extend((0..batch.len()).map(|index| batch.get(index).unwrap().payload.to_vec()));
    }
    got
}

fn window(batch: &mut SendBatch, peer: SocketAddr, segment: usize, length: usize) -> Vec<Vec<u8>> {
    let room = batch.room(length).unwrap();
    room.iter_mut().enumerate().for_each(|(index, byte)| *byte = (index % 251) as u8);
    let datagrams = room.chunks(segment).map(<[u8]>::to_vec).collect();
    batch.push(peer, None, length, segment);
    datagrams
}

#[test]
fn a_window_arrives_as_its_datagrams_with_and_without_segmentation() {
    for plain in [false, true] {
        let (from, to) = pair();
        if plain {
            from.disable_segmentation();
        }
        let mut batch = SendBatch::new();
        let sent = window(&mut batch, to.local(), 1_404, 20 * 1_404 + 5);
        assert_eq!(batch.flush(&from), SendReport::default());
        assert_eq!(receive(&to, sent.len()), sent);
    }
}

#[test]
fn gathered_payloads_arrive_behind_their_headers_with_and_without_segmentation() {
    let content: Arc<[u8]> = (0..50_000_u32).map(|index| (index % 253) as u8).collect();
    for plain in [false, true] {
        for (range, datagrams) in
            [(1_000..1_000 + 20 * 512, 20), (7..7 + 512 * 5 + 3, 6), (9..9 + 512, 2), (5..5, 1)]
        {
            let (from, to) = pair();
            if plain {
                from.disable_segmentation();
            }
            let mut batch = SendBatch::new();
            let room = batch.room(datagrams * 4).unwrap();
            room.iter_mut().enumerate().for_each(|(index, byte)| *byte = index as u8);
            let expected: Vec<Vec<u8>> = (0..datagrams)
                .map(|index| {
                    let piece = content[range.clone()].chunks(512).nth(index).unwrap_or_default();
                    [&room[index * 4..index * 4 + 4], piece].concat()
                })
                .collect();
            batch.push_gathered(to.local(), None, (datagrams * 4, 4), 516, (&content, range.clone()));
            assert_eq!(batch.flush(&from), SendReport::default());
            assert_eq!(receive(&to, datagrams), expected, "{range:?}");
        }
    }
}

#[test]
#[cfg(all(target_os = "linux", not(feature = "plain")))]
fn segments_that_the_kernel_refuses_are_sent_in_pieces_from_then_on() {
    let (from, to) = pair();
    let mut batch = SendBatch::new();
    // For years UDP_MAX_SEGMENTS was below 65. A kernel that accepts 65 segments gets a message that is
    // larger than an IP packet, which every kernel refuses.
    let sent = window(&mut batch, to.local(), 600, 600 * 129);
    let report = batch.flush(&from);
    assert_eq!((report.lost, report.unsegmented), (0, 1));
    assert_eq!(receive(&to, sent.len()), sent);
    assert!(!batch.segment_limits.allow(to.local().ip(), 600), "this peer's");
    assert!(batch.segment_limits.allow(to.local().ip(), 599), "this size's");
    assert!(batch.segment_limits.allow([127, 0, 0, 2].into(), 600), "no other peer's");
}

#[test]
fn many_peers_in_one_batch() {
    let (from, _) = pair();
    let peers: Vec<Socket> = (0..20).map(|_| pair().0).collect();
    let mut batch = SendBatch::new();
    let sent: Vec<_> = peers
        .iter()
        .enumerate()
        .map(|(index, peer)| window(&mut batch, peer.local(), 100, 100 + index))
        .collect();
    assert_eq!(batch.flush(&from), SendReport::default());
    for (peer, sent) in peers.iter().zip(sent) {
        assert_eq!(receive(peer, sent.len()), sent);
    }
}

#[test]
fn answers_leave_from_the_address_that_was_asked() {
    let options = BindOptions { tell_local: true, ..BindOptions::default() };
    let server = Socket::bind("0.0.0.0:0".parse().unwrap(), options).unwrap();
    let client = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    client.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    let asked: SocketAddr = (std::net::Ipv4Addr::new(127, 0, 0, 9), server.local().port()).into();
    client.send_to(b"ping", asked).unwrap();
    let mut received = ReceiveBatch::new();
    let mut ready = [rustix::event::PollFd::new(&server, rustix::event::PollFlags::IN)];
    rustix::event::poll(&mut ready, None).unwrap();
    received.fill(&server).unwrap();
    let datagram = received.get(0).unwrap();
    assert_eq!(datagram.local.and_then(|local| local.address), Some(asked.ip()));
    let mut batch = SendBatch::new();
    batch.room(4).unwrap().copy_from_slice(b"pong");
    batch.push(datagram.peer, datagram.local, 4, 4);
    assert_eq!(batch.flush(&server), SendReport::default());
    assert_eq!(client.recv_from(&mut [0; 8]).unwrap().1, asked);
}

#[test]
fn a_window_arrives_whole_if_its_message_must_not_be_segmented() {
    let (from, to) = pair();
    let mut batch = SendBatch::new();
    let sent = window(&mut batch, to.local(), 1_404, 20 * 1_404 + 5);
    batch.last_singly();
    assert!(!batch.goes_whole(&from, &batch.messages[0]));
    assert_eq!(batch.flush(&from), SendReport::default());
    assert_eq!(receive(&to, sent.len()), sent);
}
