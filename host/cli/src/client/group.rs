//! A read as a member of a multicast group (RFC 2090).
//!
//! The request has the option `multicast`. If the answer names a group, this module reads the file; any other answer
//! is handed back, and the file is read by unicast with it.

use super::exchange::{LocalEnd, Request};
use super::{ClientError, ClientOptions, Interface, Report};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use socket2::{Domain, InterfaceIndexOrAddress, Protocol, Socket, Type};
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv6Addr, SocketAddr, UdpSocket};
use std::time::{Duration, Instant};
use tuffet_core::multicast::{Answer, Reader, ReaderOutput};
use tuffet_core::{Control, DATA_HEADER, ErrorCode, MAX_CONTROL, Operation, Packet, Time};

/// The time-out of a request. A member that waits for its turn repeats it after three times as long.
const REPEAT: Duration = Duration::from_secs(1);

/// How long to stay to repeat a last ACK that may have been lost: unless another member comes first, the next offer to
/// become master arrives within this time.
const DALLY: Duration = Duration::from_millis(250);

/// Bytes of the receive buffer: a member that is not the master cannot slow the stream down.
const BUFFER: usize = 4 << 20;

/// Datagrams that are read before the server gets its ACK.
const TURN: usize = 64;

/// The outcome of a request with the option `multicast`.
pub(super) enum Joined {
    /// The file was read from the group.
    Read(Report),
    /// The server answered without a group: the datagram and its source.
    Alone(Vec<u8>, SocketAddr),
}

/// Sends the request, and reads the file if the server names a group.
pub(super) fn read(
    request: &Request<'_>,
    interface: &Interface,
    options: &ClientOptions,
    local: &mut dyn LocalEnd,
) -> Result<Joined, ClientError> {
    let reader = Reader::new(Time::default(), request.options, REPEAT, options.patience);
    let patience = options.patience;
    let mut member =
        Member { request, interface, patience, reader, peer: None, group: None, finished: None, repeated: 0 };
    request.socket.set_nonblocking(true).map_err(|error| request.network(error))?;
    let result = member.run(local);
    request.socket.set_nonblocking(false).map_err(|error| request.network(error))?;
    // Without an ERROR, the server would offer this client the master role again and again.
    if result.is_err() && member.finished.is_none() {
        member.refuse(ErrorCode::NotDefined, "the client cannot go on");
    }
    result
}

struct Member<'a> {
    request: &'a Request<'a>,
    interface: &'a Interface,
    patience: Duration,
    reader: Reader,
    /// The server's address for the group: its TID.
    peer: Option<SocketAddr>,
    /// The socket that receives blocks; closed when all have arrived.
    group: Option<UdpSocket>,
    finished: Option<(Report, Instant)>,
    /// Blocks that arrived more than once.
    repeated: u32,
}

impl Member<'_> {
    fn run(&mut self, local: &mut dyn LocalEnd) -> Result<Joined, ClientError> {
        let mut buffer = vec![0; 65_536];
        loop {
            let until = self.act(local)?;
            if let Some((report, at)) = &self.finished
                && at.elapsed() >= DALLY
            {
                return Ok(Joined::Read(*report));
            }
            if !self.wait(until)? {
                self.reader.handle_timeout(self.request.now());
                continue;
            }
            if self.peer.is_none() {
                self.request.check_port()?;
            }
            for _ in 0..TURN {
                let Some((length, from)) = self.receive(&self.request.socket, &mut buffer)? else { break };
                if let Some(alone) = self.on_datagram(&buffer[..length], from, local)? {
                    return Ok(alone);
                }
            }
            for _ in 0..TURN {
                let Some(group) = &self.group else { break };
                let Some((length, from)) = self.receive(group, &mut buffer)? else { break };
                // The master answers each block at once: its ACKs are the clock of the stream.
                if self.on_block(&buffer[..length], from, local)? && self.is_master() {
                    break;
                }
            }
        }
    }

    /// Does what the reader requests; returns the time of its next look.
    fn act(&mut self, local: &mut dyn LocalEnd) -> Result<Time, ClientError> {
        loop {
            match self.reader.poll(self.request.now()) {
                ReaderOutput::Request => self.request.send(self.request.server, self.request.bytes)?,
                ReaderOutput::Ack(block) => {
                    let mut packet = [0; MAX_CONTROL];
                    if let (Some(peer), Some(length)) = (self.peer, Control::Ack(block).encode(&mut packet)) {
                        self.request.send(peer, &packet[..length])?;
                    }
                }
                ReaderOutput::Complete { size } => self.complete(size, local)?,
                ReaderOutput::TimedOut => return Err(self.silent()),
                ReaderOutput::Timeout(time) => return Ok(time),
            }
        }
    }

    fn complete(&mut self, size: u64, local: &mut dyn LocalEnd) -> Result<(), ClientError> {
        if self.reader.options().tsize.is_some_and(|named| named != size) {
            let text = "the blocks of the group belong to another file";
            return Err(ClientError::Protocol { url: self.request.url.to_string(), text });
        }
        local.store()?;
        self.reader.handle_stored();
        self.group = None;
        let report = Report {
            bytes: size,
            duration: self.request.start.elapsed(),
            options: *self.reader.options(),
            retransmissions: self.repeated,
            group: self.reader.membership().and_then(|membership| membership.group),
        };
        self.finished = Some((report, Instant::now()));
        Ok(())
    }

    /// Waits for a datagram; returns false if none has come.
    fn wait(&self, until: Time) -> Result<bool, ClientError> {
        let mut wait = until.since(self.request.now());
        if let Some((_, at)) = &self.finished {
            wait = wait.min(DALLY.saturating_sub(at.elapsed()));
        }
        // Zero would be a busy loop.
        let wait = wait.max(Duration::from_millis(1));
        let timeout = Timespec { tv_sec: wait.as_secs() as i64, tv_nsec: wait.subsec_nanos().into() };
        let mut sockets = vec![PollFd::new(&self.request.socket, PollFlags::IN)];
        sockets.extend(self.group.as_ref().map(|group| PollFd::new(group, PollFlags::IN)));
        match poll(&mut sockets, Some(&timeout)) {
            Ok(ready) => Ok(ready > 0),
            Err(rustix::io::Errno::INTR) => Ok(false),
            Err(error) => Err(self.request.network(error.into())),
        }
    }

    fn receive(
        &self,
        socket: &UdpSocket,
        buffer: &mut [u8],
    ) -> Result<Option<(usize, SocketAddr)>, ClientError> {
        match socket.recv_from(buffer) {
            Ok(received) => Ok(Some(received)),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(None),
            Err(error) if tuffet_udp::may_be_report(&error) => Ok(None),
            Err(error) => Err(self.request.network(error)),
        }
    }

    /// Handles a datagram for this client alone.
    fn on_datagram(
        &mut self,
        datagram: &[u8],
        from: SocketAddr,
        local: &mut dyn LocalEnd,
    ) -> Result<Option<Joined>, ClientError> {
        let Ok(packet) = Packet::parse(datagram) else { return Ok(None) };
        let expected = match self.peer {
            Some(peer) => peer == from,
            None => from.ip() == self.request.server.ip() && packet.may_answer(Operation::Read),
        };
        if !expected {
            // RFC 1350 section 4.
            if !matches!(packet, Packet::Error { .. }) {
                self.request.refuse(from, ErrorCode::UnknownTransferId, "unknown transfer ID");
            }
            return Ok(None);
        }
        match packet {
            Packet::Oack(options) => match self.reader.handle_oack(self.request.now(), options) {
                Answer::Member => {
                    self.peer = Some(from);
                    self.request.answered();
                    self.join(local)?;
                }
                Answer::Alone if self.peer.is_none() => {
                    return Ok(Some(Joined::Alone(datagram.into(), from)));
                }
                // The server has lost the group, and the blocks that are there may be of another version.
                Answer::Alone => return Err(self.protocol("it left the group and started over")),
                Answer::Refused => {
                    self.request.refuse(from, ErrorCode::OptionRefused, "an option that was not asked for");
                    return Err(self.protocol("options or a group that were not requested"));
                }
            },
            Packet::Error { code, text } if self.peer.is_some() && self.finished.is_none() => {
                return Err(self.request.server_error(code, text));
            }
            _ if self.peer.is_none() => return Ok(Some(Joined::Alone(datagram.into(), from))),
            _ => {}
        }
        Ok(None)
    }

    /// Handles a datagram of the group; returns whether it was a block.
    fn on_block(
        &mut self,
        datagram: &[u8],
        from: SocketAddr,
        local: &mut dyn LocalEnd,
    ) -> Result<bool, ClientError> {
        let Ok(Packet::Data { block, payload }) = Packet::parse(datagram) else { return Ok(false) };
        // Other groups may use the same address.
        if Some(from) != self.peer {
            return Ok(false);
        }
        debug_assert_eq!(datagram.len(), payload.len() + DATA_HEADER);
        match self.reader.handle_data(self.request.now(), block, payload.len()) {
            Some(offset) => {
                local.write(offset, payload)?;
                local.progress(self.reader.bytes(), self.reader.options().tsize);
            }
            None => self.repeated = self.repeated.saturating_add(1),
        }
        Ok(true)
    }

    fn is_master(&self) -> bool {
        self.reader.membership().is_some_and(|membership| membership.master)
    }

    fn join(&mut self, local: &mut dyn LocalEnd) -> Result<(), ClientError> {
        let address = self.reader.membership().and_then(|membership| membership.group);
        let (None, None, Some(address)) = (&self.group, &self.finished, address) else { return Ok(()) };
        let failed = |error| ClientError::Group { url: self.request.url.to_string(), group: address, error };
        let group = join(address, self.request.server, self.interface).map_err(failed)?;
        local.scatter()?;
        self.group = Some(group);
        Ok(())
    }

    fn silent(&self) -> ClientError {
        let (url, seconds) = (self.request.url.to_string(), self.patience.as_secs());
        let group = self.reader.membership().and_then(|membership| membership.group);
        match (self.peer, group) {
            (Some(_), Some(group)) => ClientError::NoBlocks { url, group, seconds },
            _ => ClientError::Silent { url, address: self.request.server, seconds },
        }
    }

    fn protocol(&self, text: &'static str) -> ClientError {
        ClientError::Protocol { url: self.request.url.to_string(), text }
    }

    fn refuse(&self, code: ErrorCode, text: &str) {
        if let Some(peer) = self.peer {
            self.request.refuse(peer, code, text);
        }
    }
}

/// Opens the socket that receives the blocks of a group.
fn join(group: SocketAddr, server: SocketAddr, interface: &Interface) -> io::Result<UdpSocket> {
    let domain = if group.is_ipv4() { Domain::IPV4 } else { Domain::IPV6 };
    let socket = Socket::new(domain, Type::DGRAM, Some(Protocol::UDP))?;
    // All clients of a host share the port.
    socket.set_reuse_address(true)?;
    socket.set_recv_buffer_size(BUFFER)?;
    socket.set_nonblocking(true)?;
    let index =
        match interface {
            Interface::Name(name) => Some(tuffet_udp::interface_index(name)?.ok_or_else(|| {
                io::Error::new(ErrorKind::NotFound, format!("there is no interface `{name}`"))
            })?),
            Interface::Address(_) | Interface::OfRoute => None,
        };
    match group {
        SocketAddr::V4(group) => {
            socket.bind(&SocketAddr::V4(group).into())?;
            // Not the groups that other programs of this host joined on other interfaces.
            socket.set_multicast_all_v4(false)?;
            let on = match (index, local_address(server, interface)?) {
                (Some(index), _) => InterfaceIndexOrAddress::Index(index),
                (None, IpAddr::V4(address)) => InterfaceIndexOrAddress::Address(address),
                (None, IpAddr::V6(_)) => {
                    return Err(io::Error::other("name the interface: it has no IPv4 address"));
                }
            };
            socket.join_multicast_v4_n(group.ip(), &on)?;
        }
        SocketAddr::V6(mut group) => {
            let index = match (index, local_address(server, interface)?) {
                (Some(index), _) => index,
                (None, IpAddr::V6(address)) => index_of(address, server)?,
                (None, IpAddr::V4(_)) => {
                    return Err(io::Error::other("name the interface: it has no IPv6 address"));
                }
            };
            // A group of the link is one of this interface.
            group.set_scope_id(index);
            socket.set_only_v6(true)?;
            socket.bind(&SocketAddr::V6(group).into())?;
            socket.set_multicast_all_v6(false)?;
            socket.join_multicast_v6(group.ip(), index)?;
        }
    }
    Ok(socket.into())
}

/// The address of this host on the interface: that of the route to the server, or the given one.
fn local_address(server: SocketAddr, interface: &Interface) -> io::Result<IpAddr> {
    if let Interface::Address(address) = interface {
        return Ok(*address);
    }
    let any: IpAddr = if server.is_ipv4() { [0; 4].into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let socket = UdpSocket::bind((any, 0))?;
    socket.connect(server)?;
    Ok(socket.local_addr()?.ip())
}

/// The interface with an IPv6 address. A link-local one may be on several: the server's address names it.
fn index_of(address: Ipv6Addr, server: SocketAddr) -> io::Result<u32> {
    if let SocketAddr::V6(server) = server
        && server.scope_id() != 0
    {
        return Ok(server.scope_id());
    }
    let hex: String = address.octets().iter().map(|byte| format!("{byte:02x}")).collect();
    let table = std::fs::read_to_string("/proc/net/if_inet6")?;
    let line = table.lines().map(|line| line.split_ascii_whitespace().collect::<Vec<_>>());
    let found = line
        .filter(|line| line.first() == Some(&hex.as_str()))
        .find_map(|line| line.get(1).and_then(|index| u32::from_str_radix(index, 16).ok()));
    found
        .ok_or_else(|| io::Error::new(ErrorKind::NotFound, format!("no interface has the address {address}")))
}
