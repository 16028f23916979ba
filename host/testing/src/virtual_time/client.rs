//! A client of a world: an exchange of `tuffet-client`.

use super::request::{Report, Request};
use crate::ClientError;
use std::net::SocketAddr;
use tuffet::{Outcome, Summary};
use tuffet_client::{Exchange, Output, Time};
use tuffet_server::simulation::SocketId;

/// A client with one transfer.
pub(super) struct Client {
    pub(super) address: SocketAddr,
    pub(super) report: Report,
    request: Request,
    exchange: Exchange,
    /// The bytes of an upload that the exchange has.
    supplied: usize,
    /// The sockets of the server in the order of their first use: the listening one, then those that answered.
    sockets: Vec<SocketId>,
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
        let (server, options) = (address_of(0), request.options.of_exchange());
        let exchange = match &request.upload {
            None => Exchange::get(now, server, &request.name, &options),
            Some(file) => Exchange::put(now, server, &request.name, Some(file.len() as u64), &options),
        };
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
            request,
            exchange: exchange.ok()?,
            supplied: 0,
            sockets: vec![listener],
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
            self.exchange.handle_timeout(now);
        }
        self.drive(now, out);
    }

    pub(super) fn receive(
        &mut self,
        now: Time,
        from: Option<SocketId>,
        datagram: &[u8],
        out: &mut Vec<Sent>,
    ) {
        // An ERROR to a stranger would not arrive.
        let Some(from) = from.filter(|_| !self.is_closed) else { return };
        let number = self.number_of(from);
        self.exchange.handle_datagram(now, address_of(number), datagram);
        self.drive(now, out);
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

    fn drive(&mut self, now: Time, out: &mut Vec<Sent>) {
        loop {
            match self.exchange.poll(now) {
                Output::Send { to, datagram } => {
                    out.push((self.sockets[usize::from(to.port() - FIRST_PORT)], datagram.to_vec()));
                }
                Output::Write { bytes, .. } => self.report.bytes.extend_from_slice(bytes),
                Output::Store => self.exchange.handle_stored(now),
                Output::Finished(result) => {
                    self.is_finished = true;
                    self.report.took = now.since(self.began);
                    self.report.result = result.map(|_| ()).map_err(failure);
                }
                Output::Wait(time) => {
                    self.deadline = time;
                    if !self.supply(now) {
                        return;
                    }
                }
                _ => {
                    self.is_closed = true;
                    return;
                }
            }
        }
    }

    /// Supplies bytes of an upload; returns whether there was room for any.
    fn supply(&mut self, now: Time) -> bool {
        let (Some(file), room @ 1..) = (&self.request.upload, self.exchange.room()) else { return false };
        let rest = &file[self.supplied..];
        let piece = &rest[..room.min(rest.len())];
        self.exchange.supply(now, piece);
        self.supplied += piece.len();
        true
    }
}

/// The first port of the server, to a client.
const FIRST_PORT: u16 = 69;

/// What a client takes for the address of a socket of the server.
fn address_of(number: u16) -> SocketAddr {
    ([198, 51, 100, 1], FIRST_PORT.saturating_add(number)).into()
}

fn failure(error: tuffet_client::ClientError) -> ClientError {
    match error {
        tuffet_client::ClientError::Refused { code, text } => ClientError::Refused { code, message: text },
        tuffet_client::ClientError::Silent { .. } => ClientError::NoAnswer,
        error => ClientError::Protocol(error.to_string()),
    }
}
