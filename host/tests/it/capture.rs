//! `tuffet capture`: what a capture shows is what the client saw.

use crate::harness::{
    Answer, Certificate, Peer, SOON, Server, Setup, ack, bytes, data, http_raw, is_root, rrq, run, wrq,
};
use crate::http::{Connection, HTTP, curl, place};
use std::fs::Permissions;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const ROOT: &str = "roots: [{ name: root, path: root, writable: true }]\n";

/// Sends nothing again, however slow the test is.
const PATIENT: &str = "transfer: { retransmit: { floor: 20s, initial: 20s, cap: 20s, give-up: 60s } }\n";

/// A running `tuffet capture`.
pub(crate) struct Capturing {
    child: Child,
    stderr: BufReader<ChildStderr>,
}

impl Capturing {
    /// Returns once every worker copies.
    pub(crate) fn start(server: &Server, file: &Path, arguments: &[&str]) -> Capturing {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
        command.arg("capture").arg(file).args(arguments);
        command.arg("--control").arg(server.outside().0.join("control"));
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        stderr.read_line(&mut line).unwrap();
        assert!(line.starts_with("capturing to "), "{line}");
        Capturing { child, stderr }
    }

    /// Waits until it has ended, and returns what it says.
    pub(crate) fn end(mut self) -> (i32, String) {
        let mut said = String::new();
        self.stderr.read_to_string(&mut said).unwrap();
        (self.child.wait().unwrap().code().unwrap_or(-1), said)
    }
}

/// A datagram of a capture.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) from: SocketAddr,
    pub(crate) to: SocketAddr,
    /// Of a segment: its number and the acknowledged one.
    pub(crate) numbers: Option<[u32; 2]>,
    pub(crate) payload: Vec<u8>,
}

/// Reads a capture by the letter of the specification, and checks every header.
#[track_caller]
pub(crate) fn read(file: &Path) -> (Vec<Seen>, u64) {
    let content = std::fs::read(file).unwrap();
    let (mut rest, mut all, mut dropped) = (&content[..], Vec::new(), None);
    let (mut kinds, mut last) = (Vec::new(), 0);
    while !rest.is_empty() {
        let word = |at: usize| u32::from_le_bytes(rest[at..at + 4].try_into().unwrap());
        let (kind, length) = (word(0), word(4) as usize);
        assert_eq!(word(length - 4) as usize, length);
        let body = &rest[8..length - 4];
        match kind {
            0x0a0d_0d0a => assert_eq!((word(8), &rest[12..16]), (0x1a2b_3c4d, &[1, 0, 0, 0][..])),
            1 => assert_eq!(&body[..2], [101, 0], "raw IP"),
            6 => {
                let at = u64::from(word(12)) << 32 | u64::from(word(16));
                assert!(at >= last, "in the order of time");
                last = at;
                let (captured, original) = (word(20) as usize, word(24) as usize);
                assert_eq!(captured, original);
                let seen = packet(&body[20..20 + captured]);
                // The flags: inbound 1, outbound 2.
                let flags = &body[20 + captured.next_multiple_of(4)..];
                assert_eq!(flags[..4], [2, 0, 4, 0]);
                let is_request = seen.numbers.is_none() && matches!(seen.payload[..2], [0, 1 | 2]);
                assert!(flags[4] == 1 || !is_request);
                all.push(seen);
            }
            5 => {
                let drops = body.windows(4).position(|code| code == [5, 0, 8, 0]).unwrap() + 4;
                dropped = Some(u64::from_le_bytes(body[drops..drops + 8].try_into().unwrap()));
            }
            other => panic!("an unknown block {other:#x}"),
        }
        kinds.push(kind);
        rest = &rest[length..];
    }
    assert_eq!(kinds[..2], [0x0a0d_0d0a, 1]);
    (all, dropped.expect("statistics at the end"))
}

#[track_caller]
fn packet(packet: &[u8]) -> Seen {
    let port = |at: usize, udp: &[u8]| u16::from_be_bytes([udp[at], udp[at + 1]]);
    let protocol = if packet[0] >> 4 == 4 { packet[9] } else { packet[6] };
    let (source, destination, rest): (IpAddr, IpAddr, &[u8]) = if packet[0] >> 4 == 4 {
        assert_eq!((packet[0], sum(&[&packet[..20]])), (0x45, 0));
        assert_eq!(usize::from(port(2, packet)), packet.len());
        let address = |at: usize| <[u8; 4]>::try_from(&packet[at..at + 4]).unwrap();
        (address(12).into(), address(16).into(), &packet[20..])
    } else {
        assert_eq!((packet[0], usize::from(port(4, packet))), (0x60, packet.len() - 40));
        let address = |at: usize| <[u8; 16]>::try_from(&packet[at..at + 16]).unwrap();
        (address(8).into(), address(24).into(), &packet[40..])
    };
    let addresses = if packet[0] >> 4 == 4 { &packet[12..20] } else { &packet[8..40] };
    let length = (rest.len() as u16).to_be_bytes();
    assert_eq!(sum(&[addresses, &[0, protocol], &length, rest]), 0, "the checksum");
    let (numbers, payload) = match protocol {
        6 => {
            assert_eq!(rest[12..14], [0x50, 0x18]);
            let number = |at: usize| u32::from_be_bytes(rest[at..at + 4].try_into().unwrap());
            (Some([number(4), number(8)]), &rest[20..])
        }
        other => {
            assert_eq!((other, &rest[4..6]), (17, &length[..]));
            (None, &rest[8..])
        }
    };
    Seen {
        from: (source, port(0, rest)).into(),
        to: (destination, port(2, rest)).into(),
        numbers,
        payload: payload.to_vec(),
    }
}

/// The Internet checksum of what includes its checksum: 0.
fn sum(parts: &[&[u8]]) -> u16 {
    let words = parts.iter().flat_map(|part| part.chunks(2));
    let total: u32 = words.map(|word| u32::from(word[0]) * 256 + u32::from(*word.get(1).unwrap_or(&0))).sum();
    !((total & 0xffff) + (total >> 16)) as u16
}

/// Plays a read and a write in lockstep; returns the packets in their order, with whether the client sent them.
fn play(server: &Server, address: SocketAddr) -> Vec<(bool, Vec<u8>)> {
    let mut log = Vec::new();
    let mut peer = Peer::from(address.ip(), address);
    let request = rrq("1000", &[("blksize", "600"), ("tsize", "0")]);
    peer.ask(&request);
    assert!(matches!(peer.receive(), Answer::Oack(_)));
    log.extend([(true, request), (false, b"\0\x06blksize\x00600\0tsize\x001000\0".to_vec())]);
    for (block, range) in [(1, 0..600), (2, 600..1000)] {
        peer.send(&ack(block - 1));
        peer.expect(Answer::Data(block, bytes(1000)[range.clone()].to_vec()));
        log.extend([(true, ack(block - 1)), (false, data(block, &bytes(1000)[range]))]);
    }
    peer.send(&ack(2));
    log.push((true, ack(2)));
    server.outcome("1000");
    let mut peer = Peer::from(address.ip(), address);
    peer.ask(&wrq("up", &[]));
    peer.expect(Answer::Ack(0));
    peer.send(&data(1, b"odd"));
    peer.expect(Answer::Ack(1));
    log.extend([(true, wrq("up", &[])), (false, ack(0)), (true, data(1, b"odd")), (false, ack(1))]);
    server.outcome("up");
    std::fs::remove_file(server.root().path("up")).unwrap();
    log
}

/// In every way to answer, over IPv4 and IPv6.
#[test]
fn a_capture_shows_what_the_client_saw() {
    for (listen, single) in [("", false), ("", true), ("[::1]:0", false), ("0.0.0.0:0", false)] {
        let setup = Setup::new().sizes(&[1000]).yaml(&format!("{ROOT}{PATIENT}"));
        let setup = if single { setup.single_port() } else { setup };
        let setup = if listen.is_empty() { setup } else { setup.listen(listen) };
        let server = setup.start();
        let mut address = server.address();
        if address.ip().is_unspecified() {
            address.set_ip([127, 0, 0, 1].into());
        }
        let file = server.outside().path("capture.pcapng");
        let client = address.ip().to_string();
        let capturing = Capturing::start(&server, &file, &["--client", &client, "--count", "11"]);
        let played = play(&server, address);
        let (code, said) = capturing.end();
        assert_eq!(code, 0, "{said}");
        assert!(said.starts_with("11 datagrams, ") && !said.contains("missing"), "{said}");
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        let (seen, dropped) = read(&file);
        assert_eq!((seen.len(), dropped), (played.len(), 0));
        for (seen, (sent, payload)) in seen.iter().zip(&played) {
            assert_eq!(&seen.payload, payload, "{listen} {single}");
            let (client, own) = if *sent { (seen.from, seen.to) } else { (seen.to, seen.from) };
            assert_eq!((client.ip(), own.ip()), (address.ip(), address.ip()));
            let requests = matches!(payload[..2], [0, 1 | 2]);
            assert_eq!(own.port() == address.port(), requests || single, "{seen:?}");
        }
        tcpdump_reads(&file, "udp sum", "udp sum ok", played.len());
    }
}

/// An independent reader, where there is one.
fn tcpdump_reads(file: &Path, sums: &str, good: &str, count: usize) {
    let mut command = Command::new("tcpdump");
    command.args(["-nn", "-vv", "-r"]).arg(file);
    if command.output().is_err() {
        return crate::harness::skipped("tcpdump is not installed");
    }
    let ran = run(&mut command);
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(!text.contains("bad") && !text.contains("truncated"), "{text}");
    assert_eq!((text.matches(sums).count(), text.matches(good).count()), (count, count), "{text}");
}

/// Wireshark's own reader follows the transfers, verifies every checksum and knows the directions.
#[test]
fn wireshark_reads_it_as_tftp() {
    if Command::new("tshark").arg("--version").output().is_err() {
        return crate::harness::skipped("tshark is not installed");
    }
    let setup = Setup::new().sizes(&[1000]).yaml(&format!("{ROOT}{PATIENT}"));
    let server = setup.start();
    let file = server.outside().path("capture.pcapng");
    let capturing = Capturing::start(&server, &file, &["--count", "11"]);
    play(&server, server.address());
    assert_eq!(capturing.end().0, 0);
    let mut tshark = Command::new("tshark");
    tshark.arg("-r").arg(&file).args(["-o", "udp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"]);
    tshark.args(["-d", &format!("udp.port=={},tftp", server.address().port()), "-T", "fields"]);
    for field in [
        "frame.packet_flags_direction",
        "ip.checksum.status",
        "udp.checksum.status",
        "tftp.opcode",
        "tftp.block",
    ] {
        tshark.args(["-e", field]);
    }
    let ran = run(&mut tshark);
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    // In, OACK out, ACK, DATA and so on; status 1 is good.
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
    let expected = [
        ("1", "1", ""),
        ("2", "6", ""),
        ("1", "4", "0"),
        ("2", "3", "1"),
        ("1", "4", "1"),
        ("2", "3", "2"),
        ("1", "4", "2"),
        ("1", "2", ""),
        ("2", "4", "0"),
        ("1", "3", "1"),
        ("2", "4", "1"),
    ];
    assert_eq!(rows.len(), expected.len(), "{text} {ran:?}");
    for (row, (direction, opcode, block)) in rows.iter().zip(expected) {
        let number = |text: &str| text.trim_start_matches("0x").trim_start_matches('0').to_owned();
        assert_eq!(number(row[0]), direction, "{text}");
        assert_eq!((row[1], row[2], row[3], row[4]), ("1", "1", opcode, block), "{text}");
    }
}

/// Windows leave the server in one piece, from memory and from the page cache.
#[test]
fn every_block_of_a_window_is_a_datagram() {
    for cache in ["64MiB", "0B"] {
        let server = Setup::new()
            .sizes(&[40_000])
            .yaml(&format!("{ROOT}{PATIENT}limits: {{ cache: {cache} }}\n"))
            .start();
        let file = server.outside().path("capture.pcapng");
        let capturing = Capturing::start(&server, &file, &["--count", "83"]);
        let mut peer = Peer::strict(server.address());
        peer.ask(&rrq("40000", &[("blksize", "1000"), ("windowsize", "20")]));
        assert!(matches!(peer.receive(), Answer::Oack(_)));
        for last in [0, 20, 40] {
            peer.send(&ack(last));
            for block in last + 1..=(last + 20).min(41) {
                assert!(matches!(peer.receive(), Answer::Data(its, _) if its == block));
            }
        }
        peer.send(&ack(41));
        server.outcome("40000");
        let mut other = Peer::new(server.address());
        let mut asked = 0;
        // Until there are enough.
        while asked < 20 {
            other.ask(&rrq("none", &[]));
            other.expect_error(1);
            asked += 1;
        }
        let (code, said) = capturing.end();
        assert_eq!(code, 0, "{said}");
        let content: Vec<u8> = read(&file)
            .0
            .into_iter()
            .filter(|seen| seen.payload[..2] == [0, 3])
            .flat_map(|seen| seen.payload[4..].to_vec())
            .collect();
        assert!(content == bytes(40_000), "{cache}: {} bytes", content.len());
    }
}

#[test]
fn others_are_not_captured_and_nobody_is_without_a_capture() {
    let server = Setup::new().sizes(&[100]).start();
    let file = server.outside().path("capture.pcapng");
    Peer::new(server.address()).read_plainly("100");
    let capturing = Capturing::start(&server, &file, &["--client", "192.0.2.1", "--duration", "5s"]);
    Peer::new(server.address()).read_plainly("100");
    // One at a time.
    let mut second = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    second
        .arg("capture")
        .arg(server.outside().path("second"))
        .arg("--control")
        .arg(server.outside().0.join("control"));
    run(&mut second).assert_fails(69, &["another capture runs"]);
    assert!(!server.outside().has("second"));
    let (code, said) = capturing.end();
    assert_eq!((code, said.starts_with("0 datagrams")), (0, true), "{said}");
    assert_eq!(read(&file), (Vec::new(), 0));
    // The next one may begin.
    let capturing = Capturing::start(&server, &file, &["--count", "3"]);
    Peer::new(server.address()).read_plainly("100");
    assert_eq!(capturing.end().0, 0);
    assert_eq!(read(&file).0.len(), 3);
}

/// The server ends the capture when nobody reads it any more: another one may begin at once.
#[test]
fn a_reader_that_goes_ends_its_capture() {
    let server = Setup::new().sizes(&[100]).start();
    let file = server.outside().path("capture.pcapng");
    let mut first = Capturing::start(&server, &file, &["--duration", "1h"]);
    first.child.kill().unwrap();
    first.child.wait().unwrap();
    let end = Instant::now() + SOON;
    loop {
        let mut next = Command::new(env!("CARGO_BIN_EXE_tuffet"));
        next.arg("capture").arg(&file).args(["--duration", "10ms"]);
        let ran = run(next.arg("--control").arg(server.outside().0.join("control")));
        if ran.status.success() {
            break;
        }
        assert!(Instant::now() < end, "{ran:?}");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_capture_is_bounded_in_size() {
    let server = Setup::new().sizes(&[2_000_000]).start();
    let file = server.outside().path("capture.pcapng");
    let capturing = Capturing::start(&server, &file, &["--size", "1"]);
    Peer::new(server.address()).read_plainly("2000000");
    let (code, said) = capturing.end();
    assert_eq!(code, 0, "{said}");
    let size = std::fs::metadata(&file).unwrap().len();
    assert!((1 << 20..(1 << 20) + 4096).contains(&size), "{size}");
    read(&file);
}

#[test]
fn what_is_wrong_with_a_capture() {
    let server = Setup::new().start();
    let capture = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
        run(command.arg("capture").args(arguments))
    };
    let socket = server.outside().0.join("control");
    let socket = socket.to_str().unwrap();
    capture(&["x", "--client", "host"]).assert_fails(64, &["192.0.2.7"]);
    capture(&["x", "--duration", "25h"]).assert_fails(64, &["24h"]);
    capture(&["x", "--control", "/no/such/socket"]).assert_fails(69, &["/no/such/socket"]);
    capture(&["/no/such/folder/x", "--control", socket]).assert_fails(64, &["/no/such/folder/x"]);
}

/// Root captures in a folder where others may write: nobody else gets to read the contents of transfers.
#[test]
fn no_other_user_reads_a_capture_or_leads_it_elsewhere() {
    let server = Setup::new().start();
    let folder = server.outside();
    let socket = folder.path("control");
    let capture = |name: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
        command.arg("capture").arg(folder.path(name)).args(["--duration", "1ms", "--control"]);
        run(command.arg(&socket))
    };
    // One that everybody may read, and has open.
    folder.write("open", b"older");
    std::fs::set_permissions(folder.path("open"), Permissions::from_mode(0o666)).unwrap();
    let mut reader = std::fs::File::open(folder.path("open")).unwrap();
    capture("open").assert_good();
    assert_eq!(std::fs::metadata(folder.path("open")).unwrap().permissions().mode() & 0o777, 0o600);
    let mut seen = Vec::new();
    reader.read_to_end(&mut seen).unwrap();
    assert_eq!(seen, b"older");
    read(&folder.path("open"));
    // A link to a file, and to none.
    folder.write("precious", b"precious");
    for (link, target) in [("link", "precious"), ("dangling", "nothing")] {
        symlink(folder.path(target), folder.path(link)).unwrap();
        capture(link).assert_fails(64, &["symbolic link", "remove it", "name another file"]);
    }
    assert_eq!((folder.read("precious"), folder.has("nothing")), (b"precious".to_vec(), false));
    std::fs::create_dir(folder.path("folder")).unwrap();
    capture("folder").assert_fails(64, &["is a folder"]);
    capture("control").assert_fails(64, &["not a regular file", "`-`"]);
    if is_root() {
        folder.write("foreign", b"");
        chown(folder.path("foreign"), Some(65534), None).unwrap();
        capture("foreign").assert_fails(64, &["another user"]);
    } else {
        crate::harness::skipped("only root can give files away");
    }
}

/// The streams of a connection, from the client and from the server: their segments follow each other without a gap.
#[track_caller]
fn streams(seen: &[Seen], client: SocketAddr, server: SocketAddr) -> [Vec<u8>; 2] {
    let mut streams = [Vec::new(), Vec::new()];
    for segment in seen.iter().filter(|its| [its.from, its.to].contains(&client)) {
        let is_outbound = segment.from == server;
        let ends = if is_outbound { (segment.to, segment.from) } else { (segment.from, segment.to) };
        assert_eq!(ends, (client, server));
        let [inbound, outbound] = [0, 1].map(|number: usize| streams[number].len() as u32 + 1);
        let numbers = if is_outbound { [outbound, inbound] } else { [inbound, outbound] };
        assert_eq!(segment.numbers, Some(numbers));
        streams[usize::from(is_outbound)].extend_from_slice(&segment.payload);
    }
    streams
}

/// The bytes of both streams of a connection are there, at their places, and those of others are not.
#[test]
fn connections_by_http_are_captured() {
    let server = Setup::new().sizes(&[100_000]).yaml(&format!("{ROOT}{HTTP}")).start();
    let web = place(&server, "web");
    let file = server.outside().path("capture.pcapng");
    let mut connection = Connection::to(web);
    let own = connection.address();
    let mut capturing = Capturing::start(&server, &file, &["--client", &own.to_string(), "--count", "100"]);
    let large = connection.ask("GET", "/100000", "", &[]).unwrap();
    assert_eq!(http_raw(web, "GET /100000 HTTP/1.0\r\n\r\n").status, 200);
    // Until there are enough segments.
    let mut asked = 0;
    while capturing.child.try_wait().unwrap().is_none() && asked < 100 {
        connection.ask("GET", "/none", "", &[]).unwrap();
        asked += 1;
    }
    let (code, said) = capturing.end();
    assert_eq!(code, 0, "{said}");
    let (seen, dropped) = read(&file);
    assert_eq!((seen.len(), dropped), (100, 0));
    let is_its = |segment: &Seen| [segment.from, segment.to].contains(&own);
    assert!(seen.iter().all(is_its), "{seen:?}");
    let [requests, answers] = streams(&seen, own, web);
    assert!(requests.starts_with(b"GET /100000 HTTP/1.1\r\n"));
    assert!(answers.starts_with(&[large.head.as_bytes(), &large.body].concat()), "{} bytes", answers.len());
    assert_eq!(large.body, bytes(100_000));
    tcpdump_reads(&file, "cksum 0x", "(correct)", seen.len());
}

/// Passes a connection on to the server. Returns the address of the client there, and what has passed, from the client and
/// from the server, once both ends are closed.
fn pass_on(listener: &TcpListener, server: SocketAddr) -> (SocketAddr, [Vec<u8>; 2]) {
    let (client, _) = listener.accept().unwrap();
    let server = TcpStream::connect(server).unwrap();
    let copy = |mut from: &TcpStream, mut to: &TcpStream| {
        let (mut passed, mut buffer) = (Vec::new(), [0; 4096]);
        // One that closes its connection early counts as one that ends it.
        while let Ok(count @ 1..) = from.read(&mut buffer) {
            passed.extend_from_slice(&buffer[..count]);
            let _ = to.write_all(&buffer[..count]);
        }
        let _ = to.shutdown(Shutdown::Write);
        passed
    };
    let passed = thread::scope(|scope| {
        let requests = scope.spawn(|| copy(&client, &server));
        let answers = copy(&server, &client);
        [requests.join().unwrap(), answers]
    });
    (server.local_addr().unwrap(), passed)
}

/// Of HTTPS the capture has each byte that passed, and no content.
#[test]
fn of_https_the_encrypted_bytes_are_captured() {
    let folder = TempDir::new().unwrap();
    let Some(certificate) = Certificate::of(folder.path(), "", "IP:127.0.0.1") else { return };
    let line = b"a line that is nobody's business\n";
    let content = line.repeat(5000);
    let tls = format!(
        "http: {{ listeners: [{{ name: web, address: \"127.0.0.1:0\" }}, {{ name: tls, address: \"127.0.0.1:0\", \
         tls: {{ certificate: {}, key: {} }} }}] }}\n",
        certificate.certificate.display(),
        certificate.key.display()
    );
    let server = Setup::new().file("hidden-name", &content).rest_of_yaml(&tls).start();
    let (web, tls) = (place(&server, "web"), place(&server, "tls"));
    let file = server.outside().path("capture.pcapng");
    let between = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/hidden-name", between.local_addr().unwrap());
    let mut capturing = Capturing::start(&server, &file, &["--count", "200"]);
    let passing = thread::spawn(move || pass_on(&between, tls));
    // Without curl nothing connects, and the thread ends with the process.
    let Some(got) = curl(&certificate.certificate, &[&url]) else { return };
    got.assert_good();
    assert!(got.stdout == content, "{} bytes", got.stdout.len());
    let (own, [requests, answers]) = passing.join().unwrap();
    // Until there are enough segments.
    let (mut connection, mut asked) = (Connection::to(web), 0);
    while capturing.child.try_wait().unwrap().is_none() && asked < 200 {
        connection.ask("GET", "/none", "", &[]).unwrap();
        asked += 1;
    }
    let (code, said) = capturing.end();
    assert_eq!(code, 0, "{said}");
    let (seen, dropped) = read(&file);
    assert_eq!((seen.len(), dropped), (200, 0));
    let captured = streams(&seen, own, tls);
    let lengths = captured.each_ref().map(Vec::len);
    assert!(captured == [requests, answers], "{lengths:?} bytes");
    let [requests, answers] = captured;
    // Records of handshakes come first.
    assert!(requests.starts_with(&[0x16, 3]) && answers.starts_with(&[0x16, 3]));
    assert!(answers.len() > content.len(), "{} bytes", answers.len());
    let is_in = |words: &[u8], stream: &[u8]| stream.windows(words.len()).any(|its| its == words);
    for stream in [&requests, &answers] {
        for words in [&line[..], b"nobody's", b"hidden-name", b"HTTP/1.1 "] {
            assert!(!is_in(words, stream), "{}", String::from_utf8_lossy(words));
        }
    }
    tcpdump_reads(&file, "cksum 0x", "(correct)", seen.len());
}
