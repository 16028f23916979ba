//! Packets written by hand, independent of the code under test.

use std::fmt::Write;

/// Returns an RRQ (RFC 1350 section 5).
pub fn rrq(name: &str, options: &[(&str, &str)]) -> Vec<u8> {
    request(1, name.as_bytes(), b"octet", options)
}

/// Returns a WRQ (RFC 1350 section 5).
pub fn wrq(name: &str, options: &[(&str, &str)]) -> Vec<u8> {
    request(2, name.as_bytes(), b"octet", options)
}

/// Returns a request with any name and mode.
pub fn request(opcode: u8, name: &[u8], mode: &[u8], options: &[(&str, &str)]) -> Vec<u8> {
    let mut packet = [&[0, opcode], name, b"\0", mode, b"\0"].concat();
    for (option, value) in options {
        packet.extend_from_slice(format!("{option}\0{value}\0").as_bytes());
    }
    packet
}

pub fn data(block: u16, payload: &[u8]) -> Vec<u8> {
    [&[0, 3], &block.to_be_bytes()[..], payload].concat()
}

pub fn ack(block: u16) -> Vec<u8> {
    [[0, 4], block.to_be_bytes()].concat()
}

pub fn error(code: u16, text: &str) -> Vec<u8> {
    [&[0, 5], &code.to_be_bytes()[..], text.as_bytes(), b"\0"].concat()
}

pub fn oack(options: &[(&str, &str)]) -> Vec<u8> {
    let options = options.iter().map(|(option, value)| format!("{option}\0{value}\0"));
    [vec![0, 6], options.collect::<String>().into_bytes()].concat()
}

/// A packet of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Data(u16, Vec<u8>),
    Ack(u16),
    Error(u16, String),
    /// Sorted `name=value` pairs, separated by spaces.
    Oack(String),
}

impl Answer {
    /// Parses a packet; one that no server may send fails the test.
    #[track_caller]
    pub fn read(packet: &[u8]) -> Answer {
        let number = |bytes: &[u8]| u16::from_be_bytes([bytes[0], bytes[1]]);
        match packet {
            [0, 3, _, _, payload @ ..] => Answer::Data(number(&packet[2..]), payload.into()),
            [0, 4, _, _] => Answer::Ack(number(&packet[2..])),
            [0, 5, _, _, text @ .., 0] => {
                let text = std::str::from_utf8(text).expect("ERROR text is UTF-8");
                assert!(!text.contains(char::is_control), "ERROR text is one line: {text:?}");
                Answer::Error(number(&packet[2..]), text.into())
            }
            [0, 6, options @ .., 0] => {
                let words: Vec<&str> = std::str::from_utf8(options).expect("ASCII").split('\0').collect();
                let mut pairs: Vec<&[&str]> = words.chunks(2).collect();
                pairs.sort();
                let mut text = String::new();
                for pair in pairs {
                    let [name, value] = pair else { panic!("an option without a value: {words:?}") };
                    let _ = write!(text, "{}{name}={value}", if text.is_empty() { "" } else { " " });
                }
                Answer::Oack(text)
            }
            _ => panic!("no server may send {packet:?}"),
        }
    }
}
