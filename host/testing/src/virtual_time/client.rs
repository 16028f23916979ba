//! A client of a world: the protocol machine of Tuffet in the client's role.

use super::request::{Report, Request};
use crate::ClientError;
use std::net::SocketAddr;
use tuffet::simulation::SocketId;
use tuffet::{Operation, Outcome, Summary};
use tuffet_core::{
    DATA_HEADER, ErrorCode, Finish, MAX_CONTROL, Mode, Output, Packet, RequestPacket, Settings, Time,
    Transfer, data_header,
};

/// Room for the options of a request, beside the name.
const OPTIONS_ROOM: usize = 256;

/// A client with one transfer.
pub(super) struct Client {
    pub(super) address: SocketAddr,
    pub(super) report: Report,
    request: Request,
    packet: Vec<u8>,
    /// The sockets of the server in the order of their first use: the listening one, then those that answered.
    sockets: Vec<SocketId>,
    transfer: Transfer,
    /// The socket that answered first.
    peer: Option<SocketId>,
    began: Time,
    deadline: Time,
    /// Whether the client knows how its transfer ended.
    pub(super) is_finished: bool,
    /// Whether the transfer is over, with all repetitions of the last packet.
    is_closed: bool,
}

/// A datagram of a client, and the socket that it goes to.
pub(super) type Sent = (SocketId, Vec<u8>);

impl Client {
    /// `None` if the name is too long for a request.
    pub(super) fn new(
        address: SocketAddr,
        listener: SocketId,
        request: Request,
        now: Time,
    ) -> Option<Client> {
        let (operation, size) =
            (request.operation(), request.upload.as_ref().map_or(0, |it| it.len() as u64));
        let requested = request.options.set(size);
        let mut packet = vec![0; request.name.len() + OPTIONS_ROOM];
        let name = request.name.as_bytes();
        let length = RequestPacket::encode(operation, name, Mode::Octet, &requested, &mut packet)?;
        packet.truncate(length);
        let report = Report {
            name: request.name.clone(),
            result: Err(ClientError::NoAnswer),
            bytes: Vec::new(),
            outcome: None,
            detail: None,
            to_server: 0,
            to_client: 0,
            took: std::time::Duration::ZERO,
        };
        Some(Client {
            address,
            report,
            transfer: Transfer::client(now, operation, requested, size, Settings::default()),
            request,
            packet,
            sockets: vec![listener],
            peer: None,
            began: now,
            deadline: now,
            is_finished: false,
            is_closed: false,
        })
    }

    /// When it acts on its own.
    pub(super) fn deadline(&self) -> Time {
        if self.is_closed { Time::NEVER } else { self.deadline }
    }

    pub(super) fn wake(&mut self, now: Time, out: &mut Vec<Sent>) {
        // The first time is that of the request.
        if now > self.began {
            self.transfer.handle_timeout(now);
        }
        self.drive(now, &[], out);
    }

    pub(super) fn receive(
        &mut self,
        now: Time,
        from: Option<SocketId>,
        datagram: &[u8],
        out: &mut Vec<Sent>,
    ) {
        // The first socket to answer is the peer (RFC 1350 section 4); others are ignored.
        let is_answer = !matches!(Packet::parse(datagram), Ok(Packet::Request(_)) | Err(_));
        let Some(from) = from.filter(|_| is_answer && !self.is_closed) else { return };
        if *self.peer.get_or_insert(from) != from {
            return;
        }
        // A malformed datagram is dropped.
        let _malformed = self.transfer.handle_datagram(now, datagram);
        self.drive(now, datagram, out);
    }

    /// Takes the end of its request at the server.
    pub(super) fn hear(&mut self, summary: &Summary) {
        let is_good = |outcome: Option<Outcome>| matches!(outcome, Some(Outcome::Served | Outcome::Stored));
        let outcome = Some(summary.ending.outcome);
        if self.report.outcome.is_none() || is_good(outcome) {
            self.report.outcome = outcome;
            self.report.detail = summary.ending.detail.as_deref().map(str::to_owned);
        }
    }

    /// The number of a socket of the server among those that this client has seen.
    pub(super) fn number_of(&mut self, socket: SocketId) -> u16 {
        let known = self.sockets.iter().position(|known| *known == socket);
        let number = known.unwrap_or_else(|| {
            self.sockets.push(socket);
            self.sockets.len() - 1
        });
        u16::try_from(number).unwrap_or(u16::MAX)
    }

    fn drive(&mut self, now: Time, datagram: &[u8], out: &mut Vec<Sent>) {
        loop {
            match self.transfer.poll(now) {
                Output::Request => out.push((self.sockets[0], self.packet.clone())),
                Output::Control(control) => {
                    let mut buffer = [0; MAX_CONTROL];
                    let length = control.encode(&mut buffer).unwrap_or(0);
                    out.extend(self.peer.map(|peer| (peer, buffer[..length].to_vec())));
                }
                Output::Send(blocks) => {
                    let (Some(peer), Some(file)) = (self.peer, &self.request.upload) else { continue };
                    for position in blocks.first..blocks.first + u64::from(blocks.count) {
                        let (offset, length) = self.transfer.range(position, file.len() as u64);
                        let payload = &file[offset as usize..][..usize::from(length)];
                        let header = data_header(self.transfer.wire(position));
                        out.push((peer, [&header[..], payload].concat()));
                    }
                }
                Output::Accept { length, .. } => {
                    let payload = datagram.get(DATA_HEADER..).unwrap_or_default();
                    self.report.bytes.extend_from_slice(&payload[..usize::from(length).min(payload.len())]);
                }
                Output::Store { .. } => self.transfer.handle_stored(now),
                Output::Finished(finish) => self.finished(now, finish, datagram),
                Output::Timeout(time) => {
                    self.deadline = time;
                    return;
                }
                Output::Closed => {
                    self.is_closed = true;
                    return;
                }
            }
        }
    }

    fn finished(&mut self, now: Time, finish: Finish, datagram: &[u8]) {
        self.is_finished = true;
        self.report.took = now.since(self.began);
        self.report.result = match finish {
            Finish::Complete => Ok(()),
            Finish::PeerError(code) => Err(ClientError::Refused { code, message: message(datagram) }),
            // The last two are a server's.
            Finish::TimedOut | Finish::Miscounted | Finish::Unacknowledged => Err(ClientError::NoAnswer),
            Finish::Failed(code) => Err(ClientError::Protocol(broken(self.request.operation(), code))),
        };
    }
}

fn message(datagram: &[u8]) -> String {
    match Packet::parse(datagram) {
        Ok(Packet::Error { text, .. }) => String::from_utf8_lossy(text).into_owned(),
        _ => String::new(),
    }
}

fn broken(operation: Operation, code: ErrorCode) -> String {
    let what = if operation == Operation::Read { "read" } else { "write" };
    format!("the client ended the {what} with ERROR {}", code as u16)
}
