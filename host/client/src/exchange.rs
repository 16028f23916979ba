//! One transfer without I/O.

use crate::error::ClientError;
use crate::options::Options;
use crate::report::{Progress, Report};
use crate::upload::Upload;
use std::borrow::Cow;
use std::io;
use std::net::SocketAddr;
use std::ops::Range;
use std::time::Duration;
use tuffet_core::netascii::Decoder;
use tuffet_core::{
    Blocks, Control, ErrorCode, Finish, MAX_CONTROL, Mode, Operation, Output as Action, Packet,
    RequestPacket, Time, Transfer, data_header,
};

/// RFC 2347 limits a request to 512 bytes. Longer names are tried all the same.
const MAX_REQUEST: usize = 2048;

/// A local side that takes longer than this must not be charged to the server.
const LOCAL_PAUSE: Duration = Duration::from_millis(10);

/// One transfer of a client: a state machine without sockets, clock and files.
///
/// After it is created and after each `handle_*`, [`supply`](Exchange::supply) and [`cancel`](Exchange::cancel), call
/// [`poll`](Exchange::poll) until it returns [`Output::Wait`] or [`Output::Closed`]. Then wait for a datagram, for that time,
/// or, if there is [`room`](Exchange::room), for bytes of the file to upload. A datagram that comes before counts as lost.
///
/// ```
/// use tuffet_client::{Exchange, Options, Output, Time};
///
/// let (mut now, server) = (Time::from_micros(0), "192.0.2.1:69".parse().unwrap());
/// let mut exchange = Exchange::get(now, server, "hello", &Options::none()).unwrap();
/// let Output::Send { to, datagram } = exchange.poll(now) else { panic!() };
/// assert_eq!((to, datagram), (server, &b"\0\x01hello\0octet\0"[..]));
/// assert!(matches!(exchange.poll(now), Output::Wait(_)));
///
/// // The server answers from a port of its own.
/// now = Time::from_micros(1_000);
/// exchange.handle_datagram(now, "192.0.2.1:4711".parse().unwrap(), b"\0\x03\0\x01hello, world");
/// assert!(matches!(exchange.poll(now), Output::Write { offset: 0, bytes: b"hello, world" }));
/// assert!(matches!(exchange.poll(now), Output::Store));
/// exchange.handle_stored(now);
/// assert!(matches!(exchange.poll(now), Output::Send { datagram: b"\0\x04\0\x01", .. }));
/// assert!(matches!(exchange.poll(now), Output::Finished(Ok(report)) if report.bytes == 12));
/// ```
#[derive(Debug)]
pub struct Exchange {
    transfer: Transfer,
    operation: Operation,
    /// The datagram of the request.
    request: Vec<u8>,
    server: SocketAddr,
    /// The server's address for this transfer: its TID (RFC 1350 section 4).
    peer: Option<SocketAddr>,
    started: Time,
    limit: Option<u64>,
    upload: Upload,
    /// Those blocks of the upload that are to be sent now.
    due: Range<u64>,
    /// How many bytes the transfer waits for, if the source is late.
    awaits: u64,
    /// Whether the transfer knows the end of the upload.
    has_end: bool,
    decoder: Option<Decoder>,
    /// The bytes of the block that arrived last.
    payload: Vec<u8>,
    /// How many bytes of the file have been passed on.
    written: u64,
    /// When they were, if nothing has been polled since.
    written_at: Option<Time>,
    /// Whether the file is complete once these have been written.
    stores_next: bool,
    /// The datagram to be sent.
    packet: Vec<u8>,
    /// An address that has nothing to do with this transfer, and sent something.
    stranger: Option<SocketAddr>,
    /// Whether there may be outputs that have not been polled.
    has_outputs: bool,
    refusal: Option<String>,
    /// Why this side ends the transfer.
    failure: Option<ClientError>,
}

/// What an [`Exchange`] asks of its caller.
#[derive(Debug)]
#[non_exhaustive]
pub enum Output<'a> {
    /// Send this datagram.
    Send {
        /// Its destination.
        to: SocketAddr,
        /// Its bytes.
        datagram: &'a [u8],
    },
    /// Write these bytes of the file, which follow those of the last one.
    Write {
        /// How many bytes precede them.
        offset: u64,
        /// The bytes, at least one.
        bytes: &'a [u8],
    },
    /// The file is complete: make it durable, then call [`Exchange::handle_stored`], or [`Exchange::cancel`] if that failed.
    /// The last ACK waits for it.
    Store,
    /// The end, once. After a download, go on until [`Output::Closed`] to repeat a last ACK that was lost: see
    /// [`Options::dally`].
    Finished(Result<Report, ClientError>),
    /// Nothing to do before this time, at which [`Exchange::handle_timeout`] is due; [`Time::NEVER`] while an upload waits
    /// for its bytes.
    Wait(Time),
    /// The exchange is over: drop it.
    Closed,
}

/// An [`Output`] whose bytes are in the exchange.
enum Step {
    Send(SocketAddr),
    Write(u64),
    Store,
    Finished(Result<Report, ClientError>),
    Wait(Time),
    Closed,
}

impl Exchange {
    /// Creates the download of a file from a server.
    ///
    /// # Errors
    /// [`ClientError::Name`]: the name fits into no request.
    pub fn get(
        now: Time,
        server: SocketAddr,
        name: &str,
        options: &Options,
    ) -> Result<Exchange, ClientError> {
        Exchange::new(now, Operation::Read, server, name, None, options)
    }

    /// Creates an upload of `size` bytes; `None` if the size is not known before. In the mode netascii, it does not count:
    /// there are more bytes on the wire.
    ///
    /// # Errors
    /// As [`Exchange::get`].
    pub fn put(
        now: Time,
        server: SocketAddr,
        name: &str,
        size: Option<u64>,
        options: &Options,
    ) -> Result<Exchange, ClientError> {
        Exchange::new(now, Operation::Write, server, name, size, options)
    }

    fn new(
        now: Time,
        operation: Operation,
        server: SocketAddr,
        name: &str,
        size: Option<u64>,
        options: &Options,
    ) -> Result<Exchange, ClientError> {
        // In netascii, the size on the wire is another one.
        let size = size.filter(|_| options.mode == Mode::Octet);
        let requested = options.requested(if operation == Operation::Read { Some(0) } else { size });
        let mut request = vec![0; MAX_REQUEST];
        let length =
            RequestPacket::encode(operation, name.as_bytes(), options.mode, &requested, &mut request)
                .ok_or(ClientError::Name)?;
        request.truncate(length);
        let upload = Upload::new(size, options.mode);
        let netascii = options.mode == Mode::Netascii && operation == Operation::Read;
        Ok(Exchange {
            transfer: Transfer::client(now, operation, requested, upload.stream_size(), options.settings()),
            operation,
            request,
            server,
            peer: None,
            started: now,
            limit: options.limit,
            upload,
            due: 0..0,
            awaits: 0,
            has_end: size.is_some(),
            decoder: netascii.then(Decoder::default),
            payload: Vec::new(),
            written: 0,
            written_at: None,
            stores_next: false,
            packet: Vec::new(),
            stranger: None,
            has_outputs: true,
            refusal: None,
            failure: None,
        })
    }

    /// Handles a datagram.
    pub fn handle_datagram(&mut self, now: Time, from: SocketAddr, datagram: &[u8]) {
        // Bytes of the block before have not been passed on yet.
        if self.has_outputs {
            return;
        }
        let Ok(packet) = Packet::parse(datagram) else { return };
        let expected = match self.peer {
            Some(peer) => peer == from,
            None => from.ip() == self.server.ip() && packet.may_answer(self.operation),
        };
        self.has_outputs = true;
        match packet {
            // RFC 1350 section 4: the sender gets an ERROR, and the transfer goes on undisturbed.
            Packet::Error { .. } if !expected => return,
            _ if !expected => {
                self.stranger = Some(from);
                return;
            }
            Packet::Error { text, .. } => self.refusal = Some(printable(text)),
            Packet::Data { payload, .. } => {
                self.peer = Some(from);
                self.payload.clear();
                self.payload.extend_from_slice(payload);
            }
            _ => self.peer = Some(from),
        }
        // It was just parsed, so it is not malformed.
        let _ = self.transfer.handle_datagram(now, datagram);
        self.upload.release(self.transfer.bytes());
        if self.operation == Operation::Read {
            self.check_limit(self.transfer.options().tsize.unwrap_or(0));
        }
    }

    /// Handles the time of [`Output::Wait`]. Does nothing before.
    pub fn handle_timeout(&mut self, now: Time) {
        self.has_outputs = true;
        self.transfer.handle_timeout(now);
    }

    /// Handles the end of [`Output::Store`].
    pub fn handle_stored(&mut self, now: Time) {
        self.has_outputs = true;
        self.transfer.handle_stored(now);
    }

    /// Returns how many bytes of the file to upload should be supplied now: none for a download, before the server has
    /// answered, or while a window is in flight and the next one is here.
    pub fn room(&self) -> usize {
        if self.operation == Operation::Read || self.peer.is_none() || self.failure.is_some() {
            return 0;
        }
        self.upload.room(self.transfer.bytes(), self.window_bytes())
    }

    /// Supplies the next bytes of the file to upload; an empty slice is its end.
    pub fn supply(&mut self, now: Time, bytes: &[u8]) {
        self.has_outputs = true;
        if bytes.is_empty() && !self.upload.is_whole && !self.upload.finish() {
            let text = "it ended before its size";
            self.failure = Some(ClientError::Local(io::Error::new(io::ErrorKind::UnexpectedEof, text)));
            self.transfer.fail(ErrorCode::NotDefined, "the client cannot go on");
        }
        self.upload.push(bytes);
        if self.transfer.is_stalled() && (self.upload.is_whole || self.upload.end() >= self.awaits) {
            self.transfer.handle_resumed(now);
        }
    }

    /// Ends the exchange; the server gets an ERROR with this text, if it has answered.
    pub fn cancel(&mut self, text: impl Into<Cow<'static, str>>) {
        self.has_outputs = true;
        self.failure.get_or_insert(ClientError::Cancelled);
        self.due = 0..0;
        self.transfer.fail(ErrorCode::NotDefined, text);
    }

    /// Returns how far the transfer is.
    pub fn progress(&self) -> Progress {
        let total = match self.operation {
            Operation::Write => self.upload.size(),
            Operation::Read => self.transfer.options().tsize.filter(|_| self.peer.is_some()),
        };
        Progress { bytes: self.transfer.bytes(), total }
    }

    /// Returns the address that the server has answered from, once it has.
    pub fn peer(&self) -> Option<SocketAddr> {
        self.peer
    }

    /// Returns the next output.
    pub fn poll(&mut self, now: Time) -> Output<'_> {
        match self.step(now) {
            Step::Send(to) => Output::Send { to, datagram: &self.packet },
            Step::Write(offset) => Output::Write { offset, bytes: &self.payload },
            Step::Store => Output::Store,
            Step::Finished(result) => Output::Finished(result),
            Step::Wait(until) => Output::Wait(until),
            Step::Closed => Output::Closed,
        }
    }

    #[cfg(feature = "tokio")]
    pub(crate) fn request(&self) -> &[u8] {
        &self.request
    }

    fn step(&mut self, now: Time) -> Step {
        if let Some(stranger) = self.stranger.take() {
            let text = "unknown transfer ID".into();
            self.encode(&Control::Error(ErrorCode::UnknownTransferId, text));
            return Step::Send(stranger);
        }
        if let Some(at) = self.written_at.take()
            && now.since(at) >= LOCAL_PAUSE
        {
            self.transfer.handle_full(at);
            self.transfer.handle_resumed(now);
        }
        if std::mem::take(&mut self.stores_next) {
            return Step::Store;
        }
        loop {
            if let Some(to) = self.take_block() {
                return Step::Send(to);
            }
            match self.transfer.poll(now) {
                Action::Request => {
                    self.packet.clone_from(&self.request);
                    return Step::Send(self.server);
                }
                Action::Control(control) => {
                    // Without an answer, an ERROR has no destination.
                    let Some(peer) = self.peer else { continue };
                    self.encode(&control);
                    return Step::Send(peer);
                }
                Action::Send(blocks) => self.plan(now, blocks),
                Action::Accept { .. } => {
                    if let Some(offset) = self.accept() {
                        self.written_at = Some(now);
                        return Step::Write(offset);
                    }
                }
                Action::Store { .. } => {
                    // A CR at the very end was held back.
                    let Some(decoder) = &mut self.decoder else { return Step::Store };
                    self.payload.clear();
                    decoder.finish(&mut self.payload);
                    match self.pass_on() {
                        Some(offset) => {
                            self.stores_next = true;
                            return Step::Write(offset);
                        }
                        None if self.failure.is_none() => return Step::Store,
                        None => {}
                    }
                }
                Action::Finished(finish) => return Step::Finished(self.finished(now, finish)),
                Action::Timeout(until) => {
                    self.has_outputs = false;
                    // A late source is no fault of the server; that one is asked again when the bytes are here.
                    return Step::Wait(if self.transfer.is_stalled() { Time::NEVER } else { until });
                }
                Action::Closed => return Step::Closed,
            }
        }
    }

    /// Returns the destination of the next block that is due; the block is in `packet`.
    fn take_block(&mut self) -> Option<SocketAddr> {
        let position = self.due.next()?;
        let range = self.transfer.range(position, self.upload.stream_size());
        self.packet.clear();
        self.packet.extend_from_slice(&data_header(self.transfer.wire(position)));
        self.packet.extend_from_slice(self.upload.block(range));
        self.peer
    }

    /// Plans to send blocks, as far as their bytes are here.
    fn plan(&mut self, now: Time, blocks: Blocks) {
        let end = blocks.first + u64::from(blocks.count);
        let (blksize, supplied) = (u64::from(self.transfer.options().block_size()), self.upload.end());
        // The last block is shorter than the others, perhaps empty.
        let complete = supplied / blksize + u64::from(self.upload.is_whole);
        let ready = (complete + 1).clamp(blocks.first, end);
        self.due = blocks.first..ready;
        if !self.upload.is_whole && ready < end {
            self.awaits = ready * blksize;
            self.transfer.handle_unsent(now, blocks, ready);
        } else if self.upload.is_whole && !self.has_end {
            self.has_end = true;
            self.transfer.end_at(supplied);
        }
    }

    /// Takes the block that has arrived; returns the offset of its bytes in the file, if it has any.
    fn accept(&mut self) -> Option<u64> {
        if let Some(decoder) = &mut self.decoder {
            let wire = std::mem::take(&mut self.payload);
            decoder.decode(&wire, &mut self.payload);
        }
        self.pass_on()
    }

    /// Returns the offset of the bytes in `payload`, if there are any, and there may be so many.
    fn pass_on(&mut self) -> Option<u64> {
        let (offset, length) = (self.written, self.payload.len() as u64);
        self.written += length;
        self.check_limit(self.written);
        (length > 0 && self.failure.is_none()).then_some(offset)
    }

    fn check_limit(&mut self, size: u64) {
        if let Some(limit) = self.limit.filter(|limit| size > *limit) {
            self.failure.get_or_insert(ClientError::TooLarge { limit });
            self.transfer.fail(ErrorCode::DiskFull, "the file is larger than the client takes");
        }
    }

    fn encode(&mut self, control: &Control) {
        self.packet.resize(MAX_CONTROL, 0);
        let length = control.encode(&mut self.packet).expect("MAX_CONTROL is always enough");
        self.packet.truncate(length);
    }

    fn window_bytes(&self) -> usize {
        let options = self.transfer.options();
        usize::from(options.block_size()) * usize::from(options.window_size())
    }

    fn finished(&mut self, now: Time, finish: Finish) -> Result<Report, ClientError> {
        let server = self.peer.unwrap_or(self.server);
        match finish {
            Finish::Complete => {
                let options = self.transfer.options();
                Ok(Report {
                    bytes: self.transfer.bytes(),
                    duration: now.since(self.started),
                    server,
                    blksize: options.block_size(),
                    windowsize: options.window_size(),
                    retransmissions: self.transfer.stats().retransmissions,
                    group: None,
                })
            }
            Finish::PeerError(code) => {
                let text = self.refusal.take().unwrap_or_default();
                Err(ClientError::Refused { code, text })
            }
            Finish::TimedOut => Err(ClientError::Silent { server, after: self.transfer.give_up() }),
            // The state machine sent an ERROR to the server before it reported this.
            Finish::Failed(_) | Finish::Miscounted | Finish::Unacknowledged => Err(self
                .failure
                .take()
                .unwrap_or(ClientError::Protocol("options or blocks that were not requested"))),
        }
    }
}

/// Returns the text of an ERROR for people.
pub(crate) fn printable(text: &[u8]) -> String {
    String::from_utf8_lossy(text).chars().filter(|c| !c.is_control()).take(200).collect()
}
