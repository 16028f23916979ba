//! Sinks of the kind `syslog`, with receivers that take nothing but what RFC 5424 allows.

use super::{Kept, ask, asked};
use crate::harness::{SOON, own_loopback, wait_until};
use std::io::{BufRead, BufReader, Read};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::unix::net::UnixDatagram;

/// A parsed message.
#[derive(Debug)]
struct Message {
    priority: u8,
    app_name: String,
    process: String,
    text: String,
}

/// Reads a message by the grammar of RFC 5424 section 6.
#[track_caller]
fn parse(bytes: &[u8]) -> Message {
    let message = String::from_utf8(bytes.to_vec()).unwrap();
    let rest = message.strip_prefix('<').expect("PRI");
    let (priority, rest) = rest.split_once('>').expect("PRI");
    assert!(priority == "0" || !priority.starts_with('0') && priority.len() <= 3, "{message}");
    let priority: u8 = priority.parse().unwrap();
    assert!(priority <= 191, "{message}");
    let mut fields = rest.splitn(7, ' ');
    let mut field = |longest: usize| {
        let field = fields.next().expect("a field");
        assert!((1..=longest).contains(&field.len()), "{message}");
        assert!(field.bytes().all(|byte| byte.is_ascii_graphic()), "{message}");
        field.to_owned()
    };
    assert_eq!(field(1), "1", "VERSION");
    let time = field(32);
    let digits: String = time.chars().map(|char| if char.is_ascii_digit() { '0' } else { char }).collect();
    assert_eq!(digits, "0000-00-00T00:00:00.000Z", "TIMESTAMP");
    let host = field(255);
    assert_eq!(host, std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap().trim());
    let (app_name, process) = (field(48), field(128));
    assert_eq!(field(32), "-", "MSGID");
    let rest = fields.next().expect("STRUCTURED-DATA");
    let element =
        rest.strip_prefix("[origin software=\"tuffet\" swVersion=\"").expect("the element `origin`");
    let (version, text) = element.split_once("\"] ").expect("a text");
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
    assert!(text.is_ascii() || text.starts_with('\u{feff}'), "{message}");
    Message { priority, app_name, process, text: text.to_owned() }
}

fn texts(messages: Vec<Message>) -> Vec<String> {
    messages.into_iter().map(|message| message.text).collect()
}

/// Reads messages with octet counting (RFC 6587 section 3.4.1).
fn read(stream: &mut impl BufRead, count: usize) -> Vec<Message> {
    let message = |_| {
        let mut length = Vec::new();
        stream.read_until(b' ', &mut length).unwrap();
        let length = String::from_utf8(length).unwrap();
        let length = length.strip_suffix(' ').unwrap();
        assert!(!length.starts_with('0') && length.bytes().all(|byte| byte.is_ascii_digit()), "{length:?}");
        let mut bytes = vec![0; length.parse().unwrap()];
        stream.read_exact(&mut bytes).unwrap();
        parse(&bytes)
    };
    (0..count).map(message).collect()
}

fn accept(listener: &TcpListener) -> BufReader<TcpStream> {
    let stream = listener.accept().unwrap().0;
    stream.set_read_timeout(Some(SOON)).unwrap();
    BufReader::new(stream)
}

#[test]
fn datagrams_over_udp() {
    let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
    receiver.set_read_timeout(Some(SOON)).unwrap();
    let address = receiver.local_addr().unwrap();
    let sink = format!("{{ syslog: {{ address: \"udp:{address}\", facility: local3, app-name: boot }} }}");
    let server = Kept::new().setup(&sink).start();
    ask(&server, 0..3);
    let mut bytes = [0; 4096];
    let mut next = || {
        let length = receiver.recv(&mut bytes).unwrap();
        parse(&bytes[..length])
    };
    let messages = vec![next(), next(), next()];
    for message in &messages {
        assert_eq!((message.priority, &*message.app_name), (8 * 19 + 6, "boot"));
        assert_eq!(message.process, server.id().to_string());
    }
    assert_eq!(asked(&texts(messages)), [0, 1, 2]);
    wait_until("all are counted", || server.sink()["delivered"] == 3);
    assert_eq!(server.sink()["kind"], "syslog");
}

/// A receiver that closes its idle connection, as many do: the next messages take a new one.
#[test]
fn a_stream_that_is_closed_loses_nothing() {
    let receiver = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = receiver.local_addr().unwrap();
    let server = Kept::new().setup(&format!("{{ syslog: {{ address: \"tcp:{address}\" }} }}")).start();
    ask(&server, 0..3);
    let mut stream = accept(&receiver);
    let mut messages = read(&mut stream, 3);
    assert!(messages.iter().all(|message| (message.priority, &*message.app_name) == (8 * 3 + 6, "tuffet")));
    wait_until("all are counted", || server.sink()["delivered"] == 3);
    drop(stream);
    ask(&server, 3..6);
    let mut stream = accept(&receiver);
    messages.extend(read(&mut stream, 3));
    assert_eq!(asked(&texts(messages)), [0, 1, 2, 3, 4, 5]);
    // At the end it is closed between two messages.
    server.stop();
    assert_eq!(stream.read(&mut [0]).unwrap(), 0);
}

/// Without a receiver lines wait up to `queue`, further ones are refused and counted; what waited arrives later.
#[test]
fn lines_wait_for_a_receiver_that_is_away() {
    let place = TcpListener::bind((own_loopback(), 0)).unwrap();
    let address = place.local_addr().unwrap();
    drop(place);
    let sink = format!("{{ queue: 4, syslog: {{ address: \"tcp:{address}\", timeout: 1s }} }}");
    let server = Kept::new().setup(&sink).start();
    ask(&server, 0..6);
    let line = server
        .logged("a sink is broken; its lines are queued, and plugins get an error when the queue is full");
    let error = line["error"].as_str().unwrap();
    assert!(error.starts_with(&format!("tcp:{address}: ")) && error.contains("refused"), "{line}");
    wait_until("two are refused", || server.sink()["refused"] == 2);
    let sink = server.sink();
    assert_eq!((&sink["waiting"], &sink["broken"], &sink["delivered"]), (&4.into(), &true.into(), &0.into()));
    let receiver = TcpListener::bind(address).unwrap();
    let messages = read(&mut accept(&receiver), 4);
    assert_eq!(asked(&texts(messages)), [0, 1, 2, 3]);
    server.logged("the sink works again");
    let sink = server.sink();
    assert_eq!((&sink["waiting"], &sink["broken"], &sink["dropped"]), (&0.into(), &false.into(), &0.into()));
}

/// As syslogd listens on /dev/log; after its restart the socket is another one.
#[test]
fn a_local_socket_that_is_made_anew() {
    let kept = Kept::new();
    let path = kept.path("log");
    let bind = || {
        let socket = UnixDatagram::bind(&path).unwrap();
        socket.set_read_timeout(Some(SOON)).unwrap();
        socket
    };
    let receive = |socket: &UnixDatagram| {
        let mut bytes = [0; 4096];
        let length = socket.recv(&mut bytes).unwrap();
        parse(&bytes[..length])
    };
    let receiver = bind();
    let server = kept.setup(&format!("{{ syslog: {{ address: \"unix:{}\" }} }}", path.display())).start();
    ask(&server, 0..2);
    let mut messages = vec![receive(&receiver), receive(&receiver)];
    drop(receiver);
    ask(&server, 2..3);
    server.logged("a sink is broken; its lines are queued, and plugins get an error when the queue is full");
    std::fs::remove_file(&path).unwrap();
    let receiver = bind();
    messages.push(receive(&receiver));
    assert_eq!(asked(&texts(messages)), [0, 1, 2]);
}
