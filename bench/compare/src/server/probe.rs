//! Sends one request, to find out whether a server answers and which options it grants. An ERROR ends the transfer at
//! once.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::time::{Duration, Instant};
use tuffet_core::{ErrorCode, MAX_CONTROL, Mode, Operation, OptionSet, Packet, RequestPacket, encode_error};

/// The time without an answer before the request is repeated.
const PATIENCE: Duration = Duration::from_millis(250);

/// Room for DATA of the largest block.
const ROOM: usize = 66_000;

/// A server's answer to a probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ProbeAnswer {
    /// The transfer starts with these options.
    Granted(OptionSet),
    /// The server sent an ERROR.
    Error(String),
}

/// Repeats the request until an answer comes or `limit` has passed (`None`). Calls `alive` before each try; its error
/// ends the probe.
///
/// # Errors The socket or `alive` fails.
pub(crate) fn probe(
    server: SocketAddr,
    operation: Operation,
    name: &str,
    asked: &OptionSet,
    limit: Duration,
    mut alive: impl FnMut() -> io::Result<()>,
) -> io::Result<Option<ProbeAnswer>> {
    let deadline = Instant::now() + limit;
    let mut request = [0; 512];
    let length = RequestPacket::encode(operation, name.as_bytes(), Mode::Octet, asked, &mut request)
        .ok_or_else(|| io::Error::other(format!("{name:?} cannot be asked for")))?;
    let mut answer = vec![0; ROOM];
    // For a loopback server, the source is the same address; otherwise the route decides.
    let own = match server.ip() {
        ip if ip.is_loopback() => ip,
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    while Instant::now() < deadline {
        alive()?;
        // A new port for each try: from the same port it would be a retransmission.
        let socket = UdpSocket::bind(SocketAddr::new(own, 0))?;
        socket.set_read_timeout(Some(PATIENCE))?;
        socket.send_to(&request[..length], server)?;
        let Ok((length, peer)) = socket.recv_from(&mut answer) else { continue };
        let granted = match Packet::parse(&answer[..length]) {
            Ok(Packet::Oack(options)) => options.requested(),
            Ok(Packet::Data { .. } | Packet::Ack { .. }) => OptionSet::default(),
            Ok(Packet::Error { text, .. }) => {
                return Ok(Some(ProbeAnswer::Error(String::from_utf8_lossy(text).into_owned())));
            }
            Ok(Packet::Request(_)) | Err(_) => continue,
        };
        let mut error = [0; MAX_CONTROL];
        if let Some(length) = encode_error(ErrorCode::NotDefined, "probe", &mut error) {
            socket.send_to(&error[..length], peer)?;
        }
        return Ok(Some(ProbeAnswer::Granted(granted)));
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(with: &'static [u8]) -> (Option<ProbeAnswer>, Vec<u8>) {
        let server = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap();
        let thread = std::thread::spawn(move || {
            let mut buffer = [0; 600];
            loop {
                let (length, peer) = server.recv_from(&mut buffer).unwrap();
                // The probe asks again from another port, if this thread began late.
                match buffer[..length].strip_prefix(b"\0\x01") {
                    Some(_) => server.send_to(with, peer).unwrap(),
                    None => return buffer[..length].to_vec(),
                };
            }
        });
        let asked = OptionSet { windowsize: Some(64), ..OptionSet::default() };
        let limit = Duration::from_secs(20);
        let answer = probe(address, Operation::Read, "a", &asked, limit, || Ok(())).unwrap();
        UdpSocket::bind("127.0.0.1:0").unwrap().send_to(b"end", address).unwrap();
        (answer, thread.join().unwrap())
    }

    #[test]
    fn options_are_read_and_the_transfer_is_ended() {
        let (answer, after) = answered(b"\0\x06windowsize\x0016\0");
        let granted = OptionSet { windowsize: Some(16), ..OptionSet::default() };
        assert_eq!(answer, Some(ProbeAnswer::Granted(granted)));
        assert_eq!(after, b"\0\x05\0\0probe\0");
    }

    #[test]
    fn data_grants_nothing_and_errors_are_told() {
        assert_eq!(answered(b"\0\x03\0\x01hello").0, Some(ProbeAnswer::Granted(OptionSet::default())));
        assert_eq!(
            answered(b"\0\x05\0\x01no such file\0").0,
            Some(ProbeAnswer::Error("no such file".into()))
        );
    }
}
