//! One transfer over one socket.

use super::group::{self, Joined};
use super::{ClientError, ClientOptions, Report, Url};
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::time::{Duration, Instant};
use tuffet_core::{
    Blocks, DATA_HEADER, ErrorCode, Finish, MAX_CONTROL, Operation, OptionSet, Output, Packet, RequestPacket,
    Settings, Time, Timing, Transfer, data_header, encode_error,
};
use tuffet_udp::{UnreachableBatch, may_be_report, report_closed_ports};

/// RFC 2347 limits a request to 512 bytes. Longer names are tried all the same.
const MAX_REQUEST: usize = 2048;

/// The time-out of a request. The server's policy may be slow, and repeating the request costs little.
const FIRST_TIMEOUT: Duration = Duration::from_millis(500);

/// How often in a row a call may fail because of ICMP errors of earlier datagrams.
const MAX_REPORTS: u32 = 3;

/// How long to stay to repeat a last ACK that may have been lost.
const DALLY: Duration = Duration::from_millis(50);

/// The local end of a transfer.
pub(super) trait LocalEnd {
    /// Fills `room` with the bytes from `offset` on.
    fn read(&mut self, offset: u64, room: &mut [u8]) -> Result<(), ClientError>;
    /// Expects bytes in any order from now on; before, each write continues the one before.
    fn scatter(&mut self) -> Result<(), ClientError>;
    /// Writes bytes.
    fn write(&mut self, offset: u64, bytes: &[u8]) -> Result<(), ClientError>;
    /// Makes the bytes durable, after all have arrived.
    fn store(&mut self) -> Result<(), ClientError>;
    /// Reports that `done` of perhaps `total` bytes have moved.
    fn progress(&mut self, done: u64, total: Option<u64>);
}

/// Runs a transfer to its end, with the first address of the host whose port is not closed. `size` is the number of bytes
/// to write; unused for a read.
pub(super) fn exchange(
    operation: Operation,
    url: &Url,
    size: u64,
    options: &ClientOptions,
    local: &mut dyn LocalEnd,
) -> Result<Report, ClientError> {
    let of_host = |error| ClientError::Host { host: url.host.clone(), error };
    let mut last = of_host(io::Error::new(ErrorKind::NotFound, "it has no address"));
    for server in url.addresses().map_err(of_host)? {
        match exchange_with(server, operation, url, size, options, local) {
            // Nothing has been read or written yet.
            Err(error @ ClientError::Closed { .. }) => last = error,
            ended => return ended,
        }
    }
    Err(last)
}

fn exchange_with(
    server: SocketAddr,
    operation: Operation,
    url: &Url,
    size: u64,
    options: &ClientOptions,
    local: &mut dyn LocalEnd,
) -> Result<Report, ClientError> {
    let network = |error| ClientError::Network { url: url.to_string(), error };
    let any: IpAddr =
        if server.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let socket = UdpSocket::bind(SocketAddr::new(any, 0)).map_err(network)?;
    report_closed_ports(&socket, true);
    tuffet_udp::fragment(&socket);
    let requested = OptionSet {
        tsize: Some(if operation == Operation::Write { size } else { 0 }),
        blksize: options.blksize,
        windowsize: options.windowsize,
        ..OptionSet::default()
    };
    let mut bytes = [0; MAX_REQUEST];
    let mut length = RequestPacket::encode(operation, url.file.as_bytes(), url.mode, &requested, &mut bytes)
        .ok_or_else(|| ClientError::Name { url: url.to_string() })?;
    if options.multicast.is_some() {
        length = RequestPacket::add_multicast(&mut bytes, length)
            .ok_or_else(|| ClientError::Name { url: url.to_string() })?;
    }
    let start = Instant::now();
    let request = Request { url, socket, server, options: requested, bytes: &bytes[..length], start };
    let mut first = None;
    if let Some(interface) = &options.multicast {
        match group::read(&request, interface, options, local)? {
            Joined::Read(report) => return Ok(report),
            Joined::Alone(datagram, from) => first = Some((datagram, from)),
        }
    }
    let timing = Timing::new(
        Duration::from_millis(20),
        FIRST_TIMEOUT,
        Duration::from_secs(4),
        options.patience,
        DALLY,
    );
    let settings = Settings { timing, ..Settings::default() };
    let mut exchange = Exchange {
        request: &request,
        first,
        peer: None,
        size,
        operation,
        patience: options.patience,
        transfer: Transfer::client(Time::default(), operation, requested, size, settings),
        packet: Vec::new(),
        heard_error: None,
    };
    exchange.run(local)
}

/// A request, and the socket that it is sent from.
pub(super) struct Request<'a> {
    pub(super) url: &'a Url,
    pub(super) socket: UdpSocket,
    pub(super) server: SocketAddr,
    /// The requested options, without `multicast`.
    pub(super) options: OptionSet,
    /// The datagram.
    pub(super) bytes: &'a [u8],
    pub(super) start: Instant,
}

struct Exchange<'a> {
    request: &'a Request<'a>,
    /// The answer to the request, if it was sent and answered before.
    first: Option<(Vec<u8>, SocketAddr)>,
    /// The server's address for this transfer: its TID (RFC 1350 section 4).
    peer: Option<SocketAddr>,
    size: u64,
    operation: Operation,
    patience: Duration,
    transfer: Transfer,
    packet: Vec<u8>,
    heard_error: Option<String>,
}

impl Exchange<'_> {
    fn run(&mut self, local: &mut dyn LocalEnd) -> Result<Report, ClientError> {
        let mut buffer = vec![0; 65_536];
        let mut payload = 0..0;
        let mut report = None;
        loop {
            let now = self.now();
            match self.transfer.poll(now) {
                Output::Request if self.first.is_some() => {}
                Output::Request => self.request.send(self.request.server, self.request.bytes)?,
                Output::Control(control) => {
                    let mut packet = [0; MAX_CONTROL];
                    let to = self.peer.unwrap_or(self.request.server);
                    if let Some(length) = control.encode(&mut packet) {
                        self.request.send(to, &packet[..length])?;
                    }
                }
                Output::Send(blocks) => self.send_blocks(blocks, local)?,
                Output::Accept { offset, .. } => {
                    local.write(offset, &buffer[payload.clone()]).inspect_err(|_| self.give_up())?;
                    let total = self.transfer.options().tsize;
                    local.progress(self.transfer.bytes(), total);
                }
                Output::Store { .. } => {
                    local.store().inspect_err(|_| self.give_up())?;
                    let now = self.now();
                    self.transfer.handle_stored(now);
                }
                Output::Finished(finish) => {
                    report = Some(self.finished(finish)?);
                }
                Output::Timeout(until) => {
                    let wait = until.since(self.now());
                    payload = match self.first.take() {
                        Some((datagram, from)) => {
                            buffer[..datagram.len()].copy_from_slice(&datagram);
                            self.handle(&datagram, from)
                        }
                        None => self.receive(&mut buffer, wait)?,
                    };
                }
                Output::Closed => {
                    let silent = || ClientError::Protocol {
                        url: self.request.url.to_string(),
                        text: "it ended early",
                    };
                    return report.ok_or_else(silent);
                }
            }
        }
    }

    fn finished(&mut self, finish: Finish) -> Result<Report, ClientError> {
        let url = self.request.url.to_string();
        match finish {
            Finish::Complete => Ok(Report {
                bytes: self.transfer.bytes(),
                duration: self.request.start.elapsed(),
                options: self.transfer.options(),
                retransmissions: self.transfer.stats().retransmissions,
                group: None,
            }),
            Finish::PeerError(code) => {
                let text = self.heard_error.take().filter(|text| !text.is_empty());
                Err(ClientError::Server { url, code, text: text.unwrap_or_else(|| "(no text)".into()) })
            }
            Finish::TimedOut => Err(ClientError::Silent {
                url,
                address: self.peer.unwrap_or(self.request.server),
                seconds: self.patience.as_secs(),
            }),
            Finish::Failed(_) | Finish::Miscounted | Finish::Unacknowledged => {
                // The state machine sent an ERROR to the server before it reported this.
                Err(ClientError::Protocol { url, text: "options or blocks that were not requested" })
            }
        }
    }

    /// Waits for a datagram of the server and hands it to the transfer; returns the range of its payload.
    fn receive(&mut self, buffer: &mut [u8], wait: Duration) -> Result<std::ops::Range<usize>, ClientError> {
        if self.peer.is_none() {
            self.request.check_port()?;
        }
        // Zero would mean no time-out.
        let wait = wait.max(Duration::from_millis(1));
        let socket = &self.request.socket;
        socket.set_read_timeout(Some(wait)).map_err(|error| self.request.network(error))?;
        let (length, from) = match socket.recv_from(buffer) {
            Ok(received) => received,
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
                ) =>
            {
                let now = self.now();
                self.transfer.handle_timeout(now);
                return Ok(0..0);
            }
            // The next call looks at the report.
            Err(error) if may_be_report(&error) => return Ok(0..0),
            Err(error) => return Err(self.request.network(error)),
        };
        Ok(self.handle(&buffer[..length], from))
    }

    fn handle(&mut self, datagram: &[u8], from: SocketAddr) -> std::ops::Range<usize> {
        let parsed = Packet::parse(datagram);
        let answers = || parsed.is_ok_and(|packet| packet.may_answer(self.operation));
        if from.ip() != self.request.server.ip() || self.peer.map_or_else(|| !answers(), |peer| peer != from)
        {
            // RFC 1350 section 4: the sender gets an ERROR, and the transfer goes on undisturbed.
            if !matches!(parsed, Ok(Packet::Error { .. }) | Err(_)) {
                self.request.refuse(from, ErrorCode::UnknownTransferId, "unknown transfer ID");
            }
            return 0..0;
        }
        match parsed {
            Ok(Packet::Error { text, .. }) => {
                self.heard_error = Some(printable(text));
            }
            Ok(_) => {
                self.peer = Some(from);
                self.request.answered();
            }
            Err(_) => return 0..0,
        }
        let now = self.now();
        // It was just parsed, so it is not malformed.
        let _ = self.transfer.handle_datagram(now, datagram);
        DATA_HEADER.min(datagram.len())..datagram.len()
    }

    fn send_blocks(&mut self, blocks: Blocks, local: &mut dyn LocalEnd) -> Result<(), ClientError> {
        let to = self.peer.unwrap_or(self.request.server);
        for position in blocks.first..blocks.first + u64::from(blocks.count) {
            let (offset, length) = self.transfer.range(position, self.size);
            self.packet.clear();
            self.packet.extend_from_slice(&data_header(self.transfer.wire(position)));
            self.packet.resize(DATA_HEADER + usize::from(length), 0);
            local.read(offset, &mut self.packet[DATA_HEADER..]).inspect_err(|_| self.give_up())?;
            let packet = std::mem::take(&mut self.packet);
            self.request.send(to, &packet)?;
            self.packet = packet;
        }
        if self.operation == Operation::Write {
            local.progress(self.transfer.bytes(), Some(self.size));
        }
        Ok(())
    }

    /// Reports to the server that this side cannot continue, so that it need not wait.
    fn give_up(&self) {
        if let Some(peer) = self.peer {
            self.request.refuse(peer, ErrorCode::NotDefined, "the client cannot go on");
        }
    }

    fn now(&self) -> Time {
        self.request.now()
    }
}

impl Request<'_> {
    /// Sends an ERROR. One that cannot be sent counts as lost.
    pub(super) fn refuse(&self, to: SocketAddr, code: ErrorCode, text: &str) {
        let mut packet = [0; MAX_CONTROL];
        if let Some(length) = encode_error(code, text, &mut packet) {
            let _ = self.send(to, &packet[..length]);
        }
    }

    pub(super) fn send(&self, to: SocketAddr, packet: &[u8]) -> Result<(), ClientError> {
        let mut sent = self.socket.send_to(packet, to);
        for _ in 0..MAX_REPORTS {
            if !sent.as_ref().is_err_and(may_be_report) {
                break;
            }
            sent = self.socket.send_to(packet, to);
        }
        match sent {
            Ok(_) => Ok(()),
            // A full queue counts as loss on the path: the protocol recovers from it.
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(()),
            Err(error) if error.raw_os_error() == Some(rustix::io::Errno::NOBUFS.raw_os_error()) => Ok(()),
            Err(error) => Err(self.network(error)),
        }
    }

    /// Fails if the server's host has reported that nothing listens on the port of the request. Reports that do not quote
    /// the request are forged, or of another datagram.
    pub(super) fn check_port(&self) -> Result<(), ClientError> {
        let mut reports = UnreachableBatch::default();
        reports.fill(&self.socket);
        let is_closed = reports.iter().any(|report| {
            let common = report.quoted().len().min(self.bytes.len());
            (report.peer.ip(), report.peer.port()) == (self.server.ip(), self.server.port())
                && report.quoted()[..common] == self.bytes[..common]
        });
        if is_closed {
            return Err(ClientError::Closed { url: self.url.to_string(), address: self.server });
        }
        Ok(())
    }

    /// Ignores reports of closed ports from now on: a server has answered.
    pub(super) fn answered(&self) {
        report_closed_ports(&self.socket, false);
    }

    pub(super) fn now(&self) -> Time {
        Time::from_micros(u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX))
    }

    pub(super) fn network(&self, error: io::Error) -> ClientError {
        ClientError::Network { url: self.url.to_string(), error }
    }

    /// The error for an ERROR of the server.
    pub(super) fn server_error(&self, code: u16, text: &[u8]) -> ClientError {
        let text = Some(printable(text)).filter(|text| !text.is_empty());
        ClientError::Server {
            url: self.url.to_string(),
            code,
            text: text.unwrap_or_else(|| "(no text)".into()),
        }
    }
}

fn printable(text: &[u8]) -> String {
    String::from_utf8_lossy(text).chars().filter(|c| !c.is_control()).take(200).collect()
}
