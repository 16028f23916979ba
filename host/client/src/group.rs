//! A read as a member of a multicast group (RFC 2090).
//!
//! The request has the option `multicast`. If the answer names a group, this module reads the file; any other answer
//! is handed back, and the file is read by unicast with it.

use crate::destination::Destination;
use crate::error::ClientError;
use crate::exchange::printable;
use crate::options::Options;
use crate::report::{Listener, Progress, Report};
use crate::socket::{Socket, receive};
use socket2::{Domain, InterfaceIndexOrAddress, Protocol, Type};
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::time::Duration;
use tokio::net::UdpSocket;
use tokio::time::{Instant, sleep_until};
use tuffet_core::multicast::{Answer, Reader, ReaderOutput};
use tuffet_core::{Control, ErrorCode, MAX_CONTROL, Operation, Packet, RequestPacket, Time, encode_error};

/// The time-out of a request. A member that waits for its turn repeats it after three times as long.
const REPEAT: Duration = Duration::from_secs(1);

/// How long to stay to repeat a last ACK that may have been lost: unless another member comes first, the next offer to
/// become master arrives within this time.
const DALLY: Duration = Duration::from_millis(250);

/// Bytes of the receive buffer: a member that is not the master cannot slow the stream down.
const BUFFER: usize = 4 << 20;

/// Datagrams that are read before the server gets its ACK.
const TURN: usize = 64;

/// The longest time to sleep: an end of time has no place in the runtime's timers.
const LONGEST: Duration = Duration::from_secs(3_600);

/// The interface that receives the blocks of a multicast group.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Interface {
    /// The one of the route to the server.
    OfRoute,
    /// The one with this address.
    Address(IpAddr),
    /// The one of this name.
    Name(String),
}

impl From<&str> for Interface {
    fn from(text: &str) -> Self {
        text.parse().map_or_else(|_| Interface::Name(text.to_owned()), Interface::Address)
    }
}

/// The request of a group.
pub(crate) struct Asked<'a> {
    /// The datagram without the option `multicast`.
    pub(crate) request: &'a [u8],
    pub(crate) options: &'a Options,
    pub(crate) server: SocketAddr,
    pub(crate) interface: &'a Interface,
}

/// The outcome of a request with the option `multicast`.
pub(crate) enum Joined {
    /// The file was read from the group.
    Read(Report),
    /// The server answered without a group: the datagram and its source.
    Alone(Vec<u8>, SocketAddr),
}

/// Sends the request, and reads the file if the server names a group.
pub(crate) async fn read(
    asked: Asked<'_>,
    socket: &mut Socket,
    destination: &mut Destination<'_>,
    progress: &mut Option<Listener<'_>>,
) -> Result<Joined, ClientError> {
    let length = asked.request.len();
    let mut request = asked.request.to_vec();
    request.resize(length + MAX_CONTROL, 0);
    let length = RequestPacket::add_multicast(&mut request, length).ok_or(ClientError::Name)?;
    request.truncate(length);
    let requested = asked.options.requested(Some(0));
    let mut member = Member {
        reader: Reader::new(Time::default(), requested, REPEAT, asked.options.patience),
        asked,
        request,
        socket,
        start: Instant::now(),
        peer: None,
        group: None,
        finished: None,
        repeated: 0,
    };
    member.run(destination, progress).await
}

struct Member<'a> {
    asked: Asked<'a>,
    /// The datagram with the option `multicast`.
    request: Vec<u8>,
    socket: &'a mut Socket,
    start: Instant,
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
    async fn run(
        &mut self,
        destination: &mut Destination<'_>,
        progress: &mut Option<Listener<'_>>,
    ) -> Result<Joined, ClientError> {
        let mut buffer = vec![0; 65_536];
        loop {
            let until = self.act(destination).await?;
            if let Some((report, at)) = &self.finished
                && at.elapsed() >= DALLY
            {
                return Ok(Joined::Read(*report));
            }
            if !self.wait(until).await? {
                self.reader.handle_timeout(self.now());
                continue;
            }
            for _ in 0..TURN {
                let Some((length, from)) = self.socket.receive(&mut buffer)? else { break };
                if let Some(alone) = self.on_datagram(&buffer[..length], from, destination).await? {
                    return Ok(alone);
                }
            }
            for _ in 0..TURN {
                let Some(group) = &self.group else { break };
                let Some((length, from)) = receive(group, &mut buffer)? else { break };
                let is_block = self.on_block(&buffer[..length], from, destination).await?;
                if let Some(progress) = progress.as_mut().filter(|_| is_block) {
                    let total = self.reader.options().tsize;
                    progress(Progress { bytes: self.reader.bytes(), total });
                }
                // The master answers each block at once: its ACKs are the clock of the stream.
                if is_block && self.is_master() {
                    break;
                }
            }
            tokio::task::consume_budget().await;
        }
    }

    /// Does what the reader requests; returns the time of its next look.
    async fn act(&mut self, destination: &mut Destination<'_>) -> Result<Time, ClientError> {
        loop {
            match self.reader.poll(self.now()) {
                ReaderOutput::Request => self.socket.send(self.asked.server, &self.request).await?,
                ReaderOutput::Ack(block) => {
                    let mut packet = [0; MAX_CONTROL];
                    if let (Some(peer), Some(length)) = (self.peer, Control::Ack(block).encode(&mut packet)) {
                        self.socket.send(peer, &packet[..length]).await?;
                    }
                }
                ReaderOutput::Complete { size } => self.complete(size, destination).await?,
                ReaderOutput::TimedOut => return Err(self.silent()),
                ReaderOutput::Timeout(time) => return Ok(time),
            }
        }
    }

    async fn complete(&mut self, size: u64, destination: &mut Destination<'_>) -> Result<(), ClientError> {
        if self.reader.options().tsize.is_some_and(|named| named != size) {
            return Err(ClientError::Protocol("the blocks of the group belong to another file"));
        }
        destination.store().await?;
        self.reader.handle_stored();
        self.group = None;
        let report = Report {
            bytes: size,
            duration: self.start.elapsed(),
            server: self.peer.unwrap_or(self.asked.server),
            blksize: self.reader.blksize(),
            windowsize: self.reader.options().window_size(),
            retransmissions: self.repeated,
            group: self.reader.membership().and_then(|membership| membership.group),
        };
        self.finished = Some((report, Instant::now()));
        Ok(())
    }

    /// Waits for a datagram; returns false if none has come.
    async fn wait(&self, until: Time) -> Result<bool, ClientError> {
        let mut wait = until.since(self.now()).min(LONGEST);
        if let Some((_, at)) = &self.finished {
            wait = wait.min(DALLY.saturating_sub(at.elapsed()));
        }
        let group = async {
            match &self.group {
                Some(group) => group.readable().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            ready = self.socket.ready(&self.request) => ready.map(|()| true),
            ready = group => ready.map(|()| true).map_err(ClientError::Network),
            () = sleep_until(Instant::now() + wait) => Ok(false),
        }
    }

    /// Handles a datagram for this client alone.
    async fn on_datagram(
        &mut self,
        datagram: &[u8],
        from: SocketAddr,
        destination: &mut Destination<'_>,
    ) -> Result<Option<Joined>, ClientError> {
        let Ok(packet) = Packet::parse(datagram) else { return Ok(None) };
        let expected = match self.peer {
            Some(peer) => peer == from,
            None => from.ip() == self.asked.server.ip() && packet.may_answer(Operation::Read),
        };
        if !expected {
            // RFC 1350 section 4.
            if !matches!(packet, Packet::Error { .. }) {
                self.refuse(from, ErrorCode::UnknownTransferId, "unknown transfer ID");
            }
            return Ok(None);
        }
        match packet {
            Packet::Oack(options) => match self.reader.handle_oack(self.now(), options) {
                Answer::Member => {
                    self.peer = Some(from);
                    self.socket.answered();
                    self.join(destination).await?;
                }
                Answer::Alone if self.peer.is_none() => {
                    return Ok(Some(Joined::Alone(datagram.into(), from)));
                }
                // The server has lost the group, and the blocks that are there may be of another version.
                Answer::Alone => return Err(ClientError::Protocol("it left the group and started over")),
                Answer::Refused => {
                    self.refuse(from, ErrorCode::OptionRefused, "an option that was not asked for");
                    return Err(ClientError::Protocol("options or a group that were not requested"));
                }
            },
            Packet::Error { code, text } if self.peer.is_some() && self.finished.is_none() => {
                return Err(ClientError::Refused { code, text: printable(text) });
            }
            _ if self.peer.is_none() => return Ok(Some(Joined::Alone(datagram.into(), from))),
            _ => {}
        }
        Ok(None)
    }

    /// Handles a datagram of the group; returns whether it was a block.
    async fn on_block(
        &mut self,
        datagram: &[u8],
        from: SocketAddr,
        destination: &mut Destination<'_>,
    ) -> Result<bool, ClientError> {
        let Ok(Packet::Data { block, payload }) = Packet::parse(datagram) else { return Ok(false) };
        // Other groups may use the same address.
        if Some(from) != self.peer {
            return Ok(false);
        }
        match self.reader.handle_data(self.now(), block, payload.len()) {
            Some(offset) => {
                let limit = self.asked.options.limit;
                if let Some(limit) = limit.filter(|limit| offset + payload.len() as u64 > *limit) {
                    return Err(ClientError::TooLarge { limit });
                }
                destination.write(offset, payload).await?;
            }
            None => self.repeated = self.repeated.saturating_add(1),
        }
        Ok(true)
    }

    fn is_master(&self) -> bool {
        self.reader.membership().is_some_and(|membership| membership.master)
    }

    async fn join(&mut self, destination: &mut Destination<'_>) -> Result<(), ClientError> {
        let address = self.reader.membership().and_then(|membership| membership.group);
        let (None, None, Some(address)) = (&self.group, &self.finished, address) else { return Ok(()) };
        let joined = join(address, self.asked.server, self.asked.interface);
        let group = joined.map_err(|error| ClientError::Group { group: address, error })?;
        destination.scatter().await?;
        self.group = Some(group);
        Ok(())
    }

    fn silent(&self) -> ClientError {
        let after = self.asked.options.patience;
        let group = self.reader.membership().and_then(|membership| membership.group);
        match (self.peer, group) {
            (Some(_), Some(group)) => ClientError::NoBlocks { group, after },
            _ => ClientError::Silent { server: self.asked.server, after },
        }
    }

    /// Sends an ERROR. One that cannot be sent counts as lost.
    fn refuse(&self, to: SocketAddr, code: ErrorCode, text: &str) {
        let mut packet = [0; MAX_CONTROL];
        if let Some(length) = encode_error(code, text, &mut packet) {
            self.socket.send_now(to, &packet[..length]);
        }
    }

    fn now(&self) -> Time {
        Time::from_micros(u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX))
    }
}

impl Drop for Member<'_> {
    /// Without an ERROR, the server would offer this client the master role again and again.
    fn drop(&mut self) {
        if let (Some(peer), None) = (self.peer, &self.finished) {
            self.refuse(peer, ErrorCode::NotDefined, "the client cannot go on");
        }
    }
}

/// Opens the socket that receives the blocks of a group.
fn join(group: SocketAddr, server: SocketAddr, interface: &Interface) -> io::Result<UdpSocket> {
    let domain = if group.is_ipv4() { Domain::IPV4 } else { Domain::IPV6 };
    let socket = socket2::Socket::new(domain, Type::DGRAM, Some(Protocol::UDP))?;
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
            #[cfg(target_os = "linux")]
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
            #[cfg(target_os = "linux")]
            socket.set_multicast_all_v6(false)?;
            socket.join_multicast_v6(group.ip(), index)?;
        }
    }
    UdpSocket::from_std(socket.into())
}

/// The address of this host on the interface: that of the route to the server, or the given one.
fn local_address(server: SocketAddr, interface: &Interface) -> io::Result<IpAddr> {
    if let Interface::Address(address) = interface {
        return Ok(*address);
    }
    let any: IpAddr = if server.is_ipv4() { [0; 4].into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let socket = std::net::UdpSocket::bind((any, 0))?;
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
