//! Packet by packet: what a server may do, and what a program may do.

use std::net::SocketAddr;
use std::time::Duration;
use tuffet_client::{ClientError, Exchange, Mode, Options, Output, Report, Time};

/// An address and a port.
type End = ([u8; 4], u16);

const SERVER: End = ([192, 0, 2, 1], 69);
const TID: End = ([192, 0, 2, 1], 4711);
const STRANGER: End = ([192, 0, 2, 1], 4712);

fn at(millis: u64) -> Time {
    Time::from_micros(millis * 1_000)
}

/// What an exchange does until it waits.
#[derive(Debug, Default)]
struct Done {
    sent: Vec<(SocketAddr, Vec<u8>)>,
    written: Vec<u8>,
    result: Option<Result<Report, ClientError>>,
    until: Option<Time>,
}

impl Done {
    #[track_caller]
    fn assert_sent(&self, expected: &[(End, &[u8])]) {
        let expected: Vec<_> =
            expected.iter().map(|(to, bytes)| (SocketAddr::from(*to), bytes.to_vec())).collect();
        assert_eq!(self.sent, expected);
    }
}

fn poll(exchange: &mut Exchange, now: Time) -> Done {
    let mut done = Done::default();
    loop {
        match exchange.poll(now) {
            Output::Send { to, datagram } => done.sent.push((to, datagram.to_vec())),
            Output::Write { bytes, .. } => done.written.extend_from_slice(bytes),
            Output::Store => exchange.handle_stored(now),
            Output::Finished(result) => done.result = Some(result),
            Output::Wait(until) => {
                done.until = Some(until);
                return done;
            }
            _ => return done,
        }
    }
}

fn hear(exchange: &mut Exchange, now: Time, from: End, datagram: &[u8]) -> Done {
    exchange.handle_datagram(now, from.into(), datagram);
    poll(exchange, now)
}

fn get(options: &Options) -> Exchange {
    let mut exchange = Exchange::get(at(0), SERVER.into(), "f", options).unwrap();
    assert_eq!(poll(&mut exchange, at(0)).sent.len(), 1);
    exchange
}

fn put(size: Option<u64>) -> Exchange {
    let mut exchange = Exchange::put(at(0), SERVER.into(), "f", size, &Options::none()).unwrap();
    assert_eq!((poll(&mut exchange, at(0)).sent.len(), exchange.room()), (1, 0));
    exchange
}

#[test]
fn the_default_requests() {
    let mut exchange = Exchange::get(at(0), SERVER.into(), "a/b", &Options::default()).unwrap();
    let request = b"\0\x01a/b\0octet\0blksize\x001428\0tsize\x000\0windowsize\x0016\0";
    poll(&mut exchange, at(0)).assert_sent(&[(SERVER, request)]);
    let mut options = Options::none();
    (options.timeout, options.mode, options.tsize) = (Some(3), Mode::Netascii, true);
    let mut exchange = Exchange::put(at(0), SERVER.into(), "x", Some(700), &options).unwrap();
    poll(&mut exchange, at(0)).assert_sent(&[(SERVER, b"\0\x02x\0netascii\0timeout\x003\0")]);
    options.mode = Mode::Octet;
    let mut exchange = Exchange::put(at(0), SERVER.into(), "x", Some(700), &options).unwrap();
    poll(&mut exchange, at(0)).assert_sent(&[(SERVER, b"\0\x02x\0octet\0timeout\x003\0tsize\x00700\0")]);
    let mut exchange = Exchange::put(at(0), SERVER.into(), "x", None, &options).unwrap();
    poll(&mut exchange, at(0)).assert_sent(&[(SERVER, b"\0\x02x\0octet\0timeout\x003\0")]);
    for name in ["", "a\0b", &"x".repeat(3_000)] {
        let error = Exchange::get(at(0), SERVER.into(), name, &Options::none()).unwrap_err();
        assert!(matches!(error, ClientError::Name), "{error}");
    }
}

#[test]
fn a_stranger_gets_an_error_and_changes_nothing() {
    let refusal = b"\0\x05\0\x05unknown transfer ID\0";
    let mut exchange = get(&Options::none());
    // The middle of the file of another client, who had this port before.
    hear(&mut exchange, at(1), TID, b"\0\x03\0\x07old").assert_sent(&[(TID, refusal)]);
    let block = [&b"\0\x03\0\x01"[..], &[b'a'; 512]].concat();
    hear(&mut exchange, at(2), TID, &block).assert_sent(&[(TID, b"\0\x04\0\x01")]);
    hear(&mut exchange, at(3), STRANGER, b"\0\x03\0\x02x").assert_sent(&[(STRANGER, refusal)]);
    let other = ([192, 0, 2, 2], 4711);
    hear(&mut exchange, at(3), other, b"\0\x03\0\x02x").assert_sent(&[(other, refusal)]);
    // ERRORs and nonsense are not answered.
    for datagram in [&b"\0\x05\0\x01no\0"[..], b"", b"\0", b"\0\x09zz"] {
        hear(&mut exchange, at(4), STRANGER, datagram).assert_sent(&[]);
    }
    let done = hear(&mut exchange, at(5), TID, b"\0\x03\0\x02b");
    assert_eq!((&done.written[..], done.result.unwrap().unwrap().bytes), (&b"b"[..], 513));
    done.until.expect("it stays to repeat its last ACK");
    hear(&mut exchange, at(30), TID, b"\0\x03\0\x02b").assert_sent(&[(TID, b"\0\x04\0\x02")]);
    exchange.handle_timeout(at(55));
    assert!(poll(&mut exchange, at(55)).until.is_none(), "it has left");
}

#[test]
fn a_refusal_has_its_code_and_text() {
    let mut exchange = get(&Options::none());
    let done = hear(&mut exchange, at(1), SERVER, b"\0\x05\0\x01not\x07 here\0");
    done.assert_sent(&[]);
    let error = done.result.unwrap().unwrap_err();
    assert_eq!(error.to_string(), "the server says: not here (ERROR 1)");
    let mut exchange = put(Some(3));
    let error = hear(&mut exchange, at(1), SERVER, b"\0\x05\0\x02").result.unwrap().unwrap_err();
    assert_eq!(error.to_string(), "the server says: (no text) (ERROR 2)");
}

#[test]
fn options_that_were_not_requested_are_refused() {
    let mut exchange = get(&Options::none());
    let done = hear(&mut exchange, at(1), TID, b"\0\x06blksize\x001024\0");
    assert_eq!((done.sent[0].0, &done.sent[0].1[..4]), (TID.into(), &b"\0\x05\0\x08"[..]));
    assert!(matches!(done.result, Some(Err(ClientError::Protocol(_)))));
}

#[test]
fn silence_ends_it() {
    let mut options = Options::none();
    options.patience = Duration::from_secs(3);
    let (mut exchange, mut now, mut requests) = (get(&options), at(0), 1);
    let result = loop {
        exchange.handle_timeout(now);
        let done = poll(&mut exchange, now);
        requests += done.sent.len();
        match done.result {
            Some(result) => break result,
            None => now = done.until.unwrap(),
        }
    };
    let is_silent = matches!(result, Err(ClientError::Silent { server, after })
        if server == SERVER.into() && after == Duration::from_secs(3));
    assert!(is_silent && now == at(3_000) && requests >= 3, "{result:?} at {now:?}, {requests} requests");
}

#[test]
fn a_download_above_the_limit_ends_at_once() {
    let mut options = Options::default();
    options.limit = Some(600);
    let error = b"\0\x05\0\x03the file is larger than the client takes\0";
    let mut exchange = get(&options);
    let done = hear(&mut exchange, at(1), TID, b"\0\x06tsize\x00601\0");
    assert_eq!(done.sent.last().map(|it| &it.1[..]), Some(&error[..]));
    assert!(matches!(done.result, Some(Err(ClientError::TooLarge { limit: 600 }))));
    // A server that does not tell.
    let mut exchange = get(&options);
    let block = |number, length| [&[0, 3, 0, number][..], &vec![7; length]].concat();
    assert_eq!(hear(&mut exchange, at(1), TID, &block(1, 512)).written.len(), 512);
    let done = hear(&mut exchange, at(2), TID, &block(2, 512));
    assert_eq!((done.written.len(), done.sent.last().map(|it| &it.1[..])), (0, Some(&error[..])));
    assert!(matches!(done.result, Some(Err(ClientError::TooLarge { limit: 600 }))));
    let mut exchange = get(&options);
    hear(&mut exchange, at(1), TID, &block(1, 512));
    assert!(hear(&mut exchange, at(2), TID, &block(2, 88)).result.unwrap().is_ok(), "just as many");
}

#[test]
fn a_cancelled_exchange_tells_the_server_once_it_knows_it() {
    let mut exchange = get(&Options::none());
    exchange.cancel("enough");
    let done = poll(&mut exchange, at(1));
    done.assert_sent(&[]);
    assert!(matches!(done.result, Some(Err(ClientError::Cancelled))));
    let mut exchange = get(&Options::none());
    hear(&mut exchange, at(1), TID, &[&b"\0\x03\0\x01"[..], &[0; 512]].concat());
    exchange.cancel("enough");
    poll(&mut exchange, at(2)).assert_sent(&[(TID, b"\0\x05\0\0enough\0")]);
}

/// A caller that receives two datagrams before it polls would lose the bytes of the first one.
#[test]
fn a_datagram_before_the_next_poll_counts_as_lost() {
    let mut exchange = get(&Options::none());
    let block = |number, byte| [&[0, 3, 0, number][..], &[byte; 512]].concat();
    exchange.handle_datagram(at(1), TID.into(), &block(1, b'a'));
    exchange.handle_datagram(at(1), TID.into(), &block(2, b'b'));
    assert_eq!(poll(&mut exchange, at(1)).written, [b'a'; 512]);
    assert_eq!(hear(&mut exchange, at(2), TID, &block(2, b'b')).written, [b'b'; 512]);
}

#[test]
fn a_slow_writer_is_not_held_against_the_server() {
    let mut options = Options::none();
    options.patience = Duration::from_secs(3);
    let mut exchange = get(&options);
    exchange.handle_datagram(at(1), TID.into(), &[&b"\0\x03\0\x01"[..], &[0; 512]].concat());
    assert!(matches!(exchange.poll(at(1)), Output::Write { .. }));
    // The disk took a minute.
    let done = poll(&mut exchange, at(60_000));
    done.assert_sent(&[(TID, b"\0\x04\0\x01")]);
    exchange.handle_timeout(at(60_001));
    assert!(poll(&mut exchange, at(60_001)).result.is_none());
}

#[test]
fn an_upload_of_an_unknown_size_ends_where_its_source_does() {
    for size in [0, 1, 511, 512, 513, 1_024] {
        let (mut exchange, file) = (put(None), vec![7; size]);
        hear(&mut exchange, at(1), TID, b"\0\x04\0\0").assert_sent(&[]);
        assert!(exchange.room() >= size);
        exchange.supply(at(2), &file);
        let mut got = Vec::new();
        let mut done = poll(&mut exchange, at(2));
        exchange.supply(at(3), &[]);
        let after = poll(&mut exchange, at(3));
        done.sent.extend(after.sent);
        for number in 1..=(size / 512 + 1) as u8 {
            let (to, block) = &done.sent[0];
            assert_eq!((*to, &block[..4]), (TID.into(), &[0, 3, 0, number][..]), "{size}");
            got.extend_from_slice(&block[4..]);
            done = hear(&mut exchange, at(4), TID, &[0, 4, 0, number]);
        }
        assert_eq!((got, done.result.unwrap().unwrap().bytes), (file, size as u64));
    }
}

#[test]
fn a_source_with_less_than_its_size_ends_the_upload() {
    let mut exchange = put(Some(2_000));
    hear(&mut exchange, at(1), TID, b"\0\x04\0\0");
    exchange.supply(at(1), &[7; 600]);
    assert_eq!(poll(&mut exchange, at(1)).sent.len(), 1);
    exchange.supply(at(2), &[]);
    let done = poll(&mut exchange, at(2));
    done.assert_sent(&[(TID, b"\0\x05\0\0the client cannot go on\0")]);
    assert!(matches!(done.result, Some(Err(ClientError::Local(_)))));
}
