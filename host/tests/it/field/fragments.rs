//! Routers with a smaller MTU than the hosts at both ends, whose ICMP a firewall drops: a tunnel or an overlay. in.tftpd and
//! dnsmasq leave DF clear, so such a router fragments their blocks, and every client is served.

use super::servers::{OldServer, dnsmasq, tftpd};
use crate::harness::{
    Answer, Network, Peer, Raw, Seen, Server, Setup, ack, assert_moved, bytes, data, rrq, run, wrq,
};
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::time::Duration;

/// The client behind the router.
const CLIENT: Ipv4Addr = Ipv4Addr::new(198, 51, 100, 2);

/// The MTU of WireGuard on Ethernet.
const TUNNEL: u32 = 1420;

const TWO_PORTS: &str = "192.0.2.1:6969";
const ONE_PORT: &str = "192.0.2.1:6970";

/// Listeners with TID ports and with a single port.
fn server(network: &Network, transfer: &str) -> Server {
    let yaml = format!(
        "listeners:\n\
         - {{ name: two, address: \"{TWO_PORTS}\" }}\n\
         - {{ name: one, address: \"{ONE_PORT}\", single-port: true }}\n\
         roots: [{{ name: boot, path: root, writable: true }}]\n\
         transfer: {{ {transfer} }}\n"
    );
    let setup = Setup::new().sizes(&[600, 30_000]).behind(network.on_server());
    setup.whole_yaml(2, &yaml).start()
}

/// A scripted client on the client's host.
fn peer(network: &Network, listener: &str) -> Peer {
    let socket = network.in_client(|| UdpSocket::bind((CLIENT, 0)).unwrap());
    Peer::through(socket, listener.parse().unwrap())
}

/// Reads in blocks of this size and windows as granted, as a boot ROM does.
#[track_caller]
fn read(peer: &mut Peer, name: &str, blksize: usize, windowsize: u16) -> Vec<u8> {
    let (size, blocks) = (blksize.to_string(), windowsize.to_string());
    let mut options = vec![("blksize", size.as_str())];
    if windowsize > 1 {
        options.push(("windowsize", &blocks));
    }
    peer.ask(&rrq(name, &options));
    let granted = match peer.receive() {
        Answer::Oack(granted) => granted,
        other => panic!("an OACK was due, not {other:?}"),
    };
    assert!(granted.contains(&format!("blksize={blksize}")), "{granted}");
    // The old servers ignore windows.
    let window = if granted.contains("windowsize") { windowsize } else { 1 };
    peer.send(&ack(0));
    let (mut content, mut last) = (Vec::new(), 0_u16);
    loop {
        match peer.receive() {
            Answer::Data(block, payload) if block == last + 1 => {
                last = block;
                content.extend_from_slice(&payload);
                let ends = payload.len() < blksize;
                if ends || block.is_multiple_of(window) {
                    peer.send(&ack(block));
                }
                if ends {
                    return content;
                }
            }
            // A busy machine may let it come again.
            Answer::Data(block, _) if block <= last => {}
            other => panic!("block {} was due, not {other:?}", last + 1),
        }
    }
}

/// What PXE ROMs (1456) and U-Boot and UEFI (1468) request.
const REQUESTS: [(usize, u16); 4] = [(1456, 1), (1468, 1), (1456, 4), (1468, 4)];

#[test]
fn a_router_with_a_smaller_mtu_fragments_blocks() {
    let Some(network) = Network::with_router(TUNNEL) else { return };
    for transfer in ["", "max-blksize: auto"] {
        let server = server(&network, transfer);
        for listener in [TWO_PORTS, ONE_PORT] {
            for (blksize, window) in REQUESTS {
                let mut peer = peer(&network, listener);
                assert!(
                    read(&mut peer, "30000", blksize, window) == bytes(30_000),
                    "{transfer} {blksize} {window}"
                );
                assert_moved(&server.outcome("30000"), "served", 30_000, blksize as u16, window);
            }
        }
    }
    // The kernel fragments these by itself.
    let server = server(&network, "");
    for window in [1, 4] {
        assert!(read(&mut peer(&network, TWO_PORTS), "30000", 8192, window) == bytes(30_000));
        assert_moved(&server.outcome("30000"), "served", 30_000, 8192, window);
    }
}

/// The same client of the servers that people come from; atftpd leaves DF to the kernel, which sets it.
#[test]
fn the_old_servers_are_fragmented_as_well() {
    let Some(network) = Network::with_router(TUNNEL) else { return };
    let content = bytes(30_000);
    let files = [("30000", &content[..])];
    let servers = [tftpd(&network, &files), dnsmasq(&network, &files)];
    for OldServer { name, address, .. } in servers.iter().flatten() {
        for (blksize, window) in REQUESTS {
            let socket = network.in_client(|| UdpSocket::bind((CLIENT, 0)).unwrap());
            let mut peer = Peer::through(socket, *address);
            assert!(read(&mut peer, "30000", blksize, window) == bytes(30_000), "{name} {blksize} {window}");
        }
    }
}

/// With `dont-fragment`, the router drops what is too large for it, and says nothing.
#[test]
fn whoever_wants_it_forbids_fragments() {
    let Some(network) = Network::with_router(TUNNEL) else { return };
    let server = server(&network, "dont-fragment: true, retransmit: { cap: 1s, give-up: 2s }");
    let mut peer = peer(&network, TWO_PORTS);
    assert!(read(&mut peer, "30000", 1388, 4) == bytes(30_000), "these fit");
    server.outcome("30000");
    peer.ask(&rrq("30000", &[("blksize", "1468")]));
    peer.expect(Answer::Oack("blksize=1468".into()));
    peer.send(&ack(0));
    // The client repeats itself, as all do.
    for _ in 0..3 {
        let answer = peer.receive_within(Duration::from_millis(200));
        assert!(!matches!(answer, Some(Answer::Data(..))), "{answer:?}");
        peer.send(&ack(0));
    }
    let line = server.outcome("30000");
    assert_eq!((&line["outcome"], &line["blocks"]), (&"timed-out".into(), &0.into()), "{line:#}");
    let hint = line["hint"].as_str().unwrap_or_default();
    assert!(hint.contains("`transfer.dont-fragment: true`"), "{line:#}");
}

/// What the packet is, for messages.
fn kind(packet: &Seen) -> String {
    match packet.payload[..] {
        [0, 1, ..] => "RRQ".into(),
        [0, 2, ..] => "WRQ".into(),
        [0, 3, high, low, ..] => format!("DATA {}", u16::from_be_bytes([high, low])),
        [0, 4, high, low, ..] => format!("ACK {}", u16::from_be_bytes([high, low])),
        [0, 5, _, code, ..] => format!("ERROR {code}"),
        [0, 6, ..] => "OACK".into(),
        _ => format!("{} bytes", packet.payload.len()),
    }
}

/// Asserts that these packets have the bit, or not, and that all of these kinds are among them.
#[track_caller]
fn assert_all(packets: &[Seen], dont_fragment: bool, kinds: &[&str]) {
    let wrong: Vec<&Seen> = packets.iter().filter(|seen| seen.dont_fragment != dont_fragment).collect();
    let named: Vec<String> = wrong.iter().map(|seen| kind(seen)).collect();
    assert!(wrong.is_empty(), "DF should be {dont_fragment} in {named:?}");
    let seen: Vec<String> = packets.iter().map(kind).collect();
    for due in kinds {
        assert!(seen.iter().any(|kind| kind == due), "no {due} in {seen:?}");
    }
}

/// Every kind of packet that a server sends.
#[test]
fn no_packet_of_the_server_forbids_fragments_unless_configured() {
    let Some(network) = Network::with_router(1500) else { return };
    for dont_fragment in [false, true] {
        let server = server(&network, &format!("dont-fragment: {dont_fragment}"));
        for listener in [TWO_PORTS, ONE_PORT] {
            let mut sniffer = network.sniff_router();
            let mut seen = |kinds: &[&str]| {
                let of_server = |seen: &Seen| seen.from.ip() != CLIENT;
                let packets: Vec<Seen> = sniffer.packets().into_iter().filter(of_server).collect();
                assert_all(&packets, dont_fragment, kinds);
                packets
            };
            assert!(peer(&network, listener).read_plainly("600") == bytes(600));
            seen(&["DATA 1", "DATA 2"]);
            assert!(read(&mut peer(&network, listener), "30000", 1468, 4) == bytes(30_000));
            let windows = seen(&["OACK", "DATA 1", "DATA 5", "DATA 17"]);
            // Four blocks of 1,468 bytes, each with four bytes of TFTP, and one header.
            let whole = windows.iter().filter(|seen| seen.length == 28 + 4 * 1472).count();
            assert!(whole >= 4, "windows leave as one message: {windows:?}");
            peer_gets_error(peer(&network, listener));
            seen(&["ERROR 1"]);
            let mut upload = peer(&network, listener);
            upload.ask(&wrq("up", &[]));
            upload.expect(Answer::Ack(0));
            upload.write_on(&bytes(1200), 512);
            seen(&["ACK 0", "ACK 1", "ACK 3"]);
            let mut stranger = peer(&network, listener);
            if listener == TWO_PORTS {
                stranger.send_to(&data(1, b"stray"), upload.tid());
                assert!(matches!(stranger.receive(), Answer::Error(5, _)));
                seen(&["ERROR 5"]);
            }
            server.outcome("up");
            std::fs::remove_file(server.root().0.join("up")).unwrap();
        }
    }
}

#[track_caller]
fn peer_gets_error(mut peer: Peer) {
    peer.ask(&rrq("missing", &[]));
    peer.expect_error(1);
}

#[test]
fn no_block_of_a_group_forbids_fragments_unless_configured() {
    for (number, dont_fragment) in [false, true].into_iter().enumerate() {
        let Some(network) = Network::new(&format!("02:00:5e:10:01:0{number}")) else { return };
        network.client_ip("route add default dev cable");
        let yaml = format!(
            "listeners: [{{ name: lan, address: \"192.0.2.1:6969\" }}]\n\
             roots: [{{ name: boot, path: root }}]\nmulticast: {{}}\n\
             transfer: {{ dont-fragment: {dont_fragment} }}\n"
        );
        let server = Setup::new().sizes(&[30_000]).behind(network.on_server()).whole_yaml(1, &yaml).start();
        let mut sniffer = network.sniff_client();
        let mut get = network.on_client(env!("CARGO_BIN_EXE_tuffet"));
        get.args(["get", "--multicast", "tftp://192.0.2.1:6969/30000", "--output", "-"]);
        let ran = run(&mut get);
        ran.assert_good();
        assert!(ran.stdout == bytes(30_000) && ran.stderr.contains("group"), "{}", ran.stderr);
        let packets = sniffer.packets();
        assert_all(&packets, dont_fragment, &["OACK"]);
        let to_group: Vec<Seen> = packets.into_iter().filter(|seen| seen.to.ip().is_multicast()).collect();
        assert_all(&to_group, dont_fragment, &["DATA 1"]);
        server.outcome("30000");
    }
}

/// `tuffet get` and `put`, and the client of the testing library, beside a server on the host with the small MTU: what they
/// send has to be fragmented, too.
#[test]
fn clients_forbid_no_fragments() {
    let Some(network) = Network::with_router(TUNNEL) else { return };
    let address = SocketAddr::from((CLIENT, 6969));
    let server = Setup::new()
        .sizes(&[30_000])
        .writable()
        .behind(network.on_client_words())
        .listen(&address.to_string())
        .start();
    let mut sniffer = network.sniff_router();
    let mut seen = |kinds: &[&str]| {
        let packets: Vec<Seen> =
            sniffer.packets().into_iter().filter(|seen| seen.from.ip() != CLIENT).collect();
        assert_all(&packets, false, kinds);
    };
    let tuffet = |words: &[&str]| {
        let before = network.on_server();
        let mut command = std::process::Command::new(&before[0]);
        command.args(&before[1..]).arg(env!("CARGO_BIN_EXE_tuffet")).args(words);
        command.args(["--blksize", "1468", "--windowsize", "4"]);
        run(&mut command)
    };
    let ran = tuffet(&["get", &format!("tftp://{address}/30000"), "--output", "-"]);
    ran.assert_good();
    assert!(ran.stdout == bytes(30_000));
    seen(&["RRQ", "ACK 0", "ACK 4"]);
    let file = server.root().0.join("30000");
    let ran = tuffet(&["put", file.to_str().unwrap(), &format!("tftp://{address}/put")]);
    ran.assert_good();
    assert!(server.root().read("put") == bytes(30_000));
    seen(&["WRQ", "DATA 1", "DATA 5", "DATA 21"]);
    let client = tuffet_testing::Client::new(address).blksize(1468);
    let got = network.in_server(|| {
        client.put("tested", &bytes(30_000)).unwrap();
        client.get("tested").unwrap()
    });
    assert!(got == bytes(30_000));
    seen(&["WRQ", "DATA 1", "DATA 21", "RRQ", "ACK 0", "ACK 21"]);
}

/// Anyone can send a report that quotes a packet of the server. Without DF, no router has a reason to.
#[test]
fn a_forged_report_changes_nothing() {
    let Some(network) = Network::new("02:00:5e:10:01:0c") else { return };
    for dont_fragment in [false, true] {
        let server = server(&network, &format!("dont-fragment: {dont_fragment}"));
        for listener in [TWO_PORTS, ONE_PORT] {
            let client = Ipv4Addr::new(192, 0, 2, 2);
            let Some(forger) = network.in_client(|| Raw::icmp(client)) else { return };
            let socket = network.in_client(|| UdpSocket::bind((client, 0)).unwrap());
            let own = socket.local_addr().unwrap();
            let mut peer = Peer::through(socket, listener.parse().unwrap());
            let mut sniffer = network.sniff_client();
            peer.ask(&rrq("30000", &[("blksize", "1468"), ("windowsize", "4")]));
            peer.expect(Answer::Oack("blksize=1468 windowsize=4".into()));
            peer.send(&ack(0));
            let mut last = 0;
            while last < 21 {
                match peer.receive() {
                    Answer::Data(block, payload) if block == last + 1 => {
                        last = block;
                        if block % 4 == 0 || block == 21 {
                            let quoted = data(block, &payload[..8]);
                            forger.fragmentation_needed(576, peer.tid(), own, &quoted);
                            peer.send(&ack(block));
                        }
                    }
                    other => panic!("block {} was due, not {other:?}", last + 1),
                }
            }
            let packets = sniffer.packets();
            let fragments = packets.iter().filter(|seen| seen.fragment).count();
            let whole = packets.iter().filter(|seen| seen.length == 28 + 4 * 1472).count();
            let learned = network.server_route("192.0.2.2").contains("mtu");
            let found = (fragments > 0, whole >= 4, learned);
            // With DF the kernel believes the report: so this test forges well.
            assert_eq!(found, (dont_fragment, !dont_fragment, dont_fragment), "{listener} {packets:#?}");
            let line = server.outcome("30000");
            assert_moved(&line, "served", 30_000, 1468, 4);
            network.server_ip("route flush cache");
        }
    }
}
