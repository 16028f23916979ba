//! Runs exchanges over sockets.

use crate::destination::Destination;
use crate::error::ClientError;
use crate::exchange::{Exchange, Output};
use crate::group::{self, Asked, Interface, Joined};
use crate::options::Options;
use crate::report::{Listener, Progress, Report};
use crate::socket::Socket;
use crate::url::Url;
use std::future::pending;
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};
use tuffet_core::{Mode, Time};

/// The largest datagram.
const DATAGRAM: usize = 65_536;

/// Bytes that are read from a source at once, not less than a datagram.
const PIECE: usize = 128 << 10;

/// The longest time to sleep: an end of time has no place in the runtime's timers.
const LONGEST: Duration = Duration::from_secs(3_600);

/// What the transfers of a client share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) options: Options,
    pub(crate) multicast: Option<Interface>,
    /// How many ended downloads stay to repeat their last ACK.
    pub(crate) dallying: watch::Sender<usize>,
}

/// The local end of a transfer.
pub(crate) enum Local<'a> {
    Get(Destination<'a>),
    Put(Source<'a>),
}

/// The content of an upload.
pub(crate) struct Source<'a> {
    pub(crate) reader: &'a mut (dyn AsyncRead + Send + Unpin),
    /// Bytes on the wire, if known.
    pub(crate) size: Option<u64>,
}

/// Runs a transfer to its end, with the first address of the host that answers.
pub(crate) async fn run(
    shared: &Shared,
    url: &Url,
    options: &Options,
    local: &mut Local<'_>,
    mut progress: Option<Listener<'_>>,
) -> Result<Report, ClientError> {
    let of_host = |error| ClientError::Host { host: url.host.clone(), error };
    let addresses = tokio::net::lookup_host((url.host.as_str(), url.port)).await.map_err(of_host)?;
    let mut last = of_host(io::Error::new(ErrorKind::NotFound, "it has no address"));
    for server in addresses {
        let mut running = match Running::start(server, url, options, local) {
            Ok(running) => running,
            // There may be no IPv6.
            Err(error @ ClientError::Network(_)) => {
                last = error;
                continue;
            }
            Err(error) => return Err(error),
        };
        match running.run(shared, options, local, &mut progress).await {
            // Nothing has been read or written yet.
            Err(
                error @ (ClientError::Closed { .. } | ClientError::Network(_) | ClientError::Silent { .. }),
            ) if running.exchange.peer().is_none() => last = error,
            // A member of a group has stayed already.
            Ok(report) if matches!(local, Local::Get(_)) && report.group.is_none() => {
                running.dally(shared);
                return Ok(report);
            }
            ended => return ended,
        }
    }
    Err(last)
}

/// A transfer with its socket. Dropping it before its end sends an ERROR.
struct Running {
    server: SocketAddr,
    exchange: Exchange,
    socket: Socket,
    start: Instant,
    has_ended: bool,
    buffer: Vec<u8>,
}

impl Running {
    fn start(
        server: SocketAddr,
        url: &Url,
        options: &Options,
        local: &Local<'_>,
    ) -> Result<Running, ClientError> {
        let now = Time::default();
        let exchange = match local {
            Local::Get(_) => Exchange::get(now, server, &url.file, options)?,
            Local::Put(source) => Exchange::put(now, server, &url.file, source.size, options)?,
        };
        let window = usize::from(options.blksize.unwrap_or(0)) * usize::from(options.windowsize.unwrap_or(1));
        let (window, buffer) = if let Local::Get(_) = local { (window, DATAGRAM) } else { (0, PIECE) };
        let socket = Socket::open(server, window)?;
        Ok(Running {
            server,
            exchange,
            socket,
            start: Instant::now(),
            has_ended: false,
            buffer: vec![0; buffer],
        })
    }

    fn now(&self) -> Time {
        Time::from_micros(u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX))
    }

    async fn run(
        &mut self,
        shared: &Shared,
        options: &Options,
        local: &mut Local<'_>,
        progress: &mut Option<Listener<'_>>,
    ) -> Result<Report, ClientError> {
        // The blocks of a group come in any order, so they cannot be decoded.
        if let (Some(interface), Local::Get(destination), Mode::Octet) =
            (&shared.multicast, &mut *local, options.mode)
            && let Some(report) = self.join(interface, options, destination, progress).await?
        {
            return Ok(report);
        }
        let mut shown = Progress::default();
        loop {
            let next = self.act(local).await?;
            let present = self.exchange.progress();
            if let Some(progress) = progress.as_mut().filter(|_| present != shown) {
                progress(present);
                shown = present;
            }
            let until = match next {
                Next::Wait(until) => until,
                Next::Ended(report) => return Ok(report),
            };
            if !self.receive()? {
                self.wait(until, local).await?;
            }
            // Blocks that arrive all the time must not keep other tasks from running.
            tokio::task::consume_budget().await;
        }
    }

    /// Does what the exchange asks for.
    async fn act(&mut self, local: &mut Local<'_>) -> Result<Next, ClientError> {
        loop {
            let now = self.now();
            let done = match (self.exchange.poll(now), &mut *local) {
                (Output::Send { to, datagram }, _) => self.socket.send(to, datagram).await,
                (Output::Write { offset, bytes }, Local::Get(destination)) => {
                    destination.write(offset, bytes).await
                }
                (Output::Store, Local::Get(destination)) => {
                    let stored = destination.store().await;
                    if stored.is_ok() {
                        let now = self.now();
                        self.exchange.handle_stored(now);
                    }
                    stored
                }
                (Output::Finished(result), _) => {
                    self.has_ended = true;
                    return result.map(Next::Ended);
                }
                (Output::Wait(until), _) => return Ok(Next::Wait(until)),
                // An upload is not written, and what has ended was finished before.
                (Output::Write { .. } | Output::Store | Output::Closed, _) => {
                    return Err(ClientError::Cancelled);
                }
            };
            done?;
        }
    }

    /// Receives a datagram that has arrived; returns whether there was one.
    fn receive(&mut self) -> Result<bool, ClientError> {
        let Some((length, from)) = self.socket.receive(&mut self.buffer)? else { return Ok(false) };
        let now = self.now();
        self.exchange.handle_datagram(now, from, &self.buffer[..length]);
        if self.exchange.peer().is_some() {
            self.socket.answered();
        }
        Ok(true)
    }

    /// Waits for a datagram, for bytes of the source, or for this time.
    async fn wait(&mut self, until: Time, local: &mut Local<'_>) -> Result<(), ClientError> {
        let room = self.exchange.room().min(PIECE);
        let deadline = Instant::now() + until.since(self.now()).min(LONGEST);
        let buffer = &mut self.buffer[..room];
        let read = async {
            match local {
                Local::Put(source) if room > 0 => source.reader.read(buffer).await,
                _ => pending().await,
            }
        };
        tokio::select! {
            biased;
            read = read => {
                let length = read.map_err(ClientError::Local)?;
                let now = self.now();
                self.exchange.supply(now, &self.buffer[..length]);
            }
            ready = self.socket.ready(self.exchange.request()) => ready?,
            () = sleep_until(deadline) => {
                let now = self.now();
                self.exchange.handle_timeout(now);
            }
        }
        Ok(())
    }

    /// Requests the file from a multicast group. `None` if the server answers without one: the exchange has that answer.
    async fn join(
        &mut self,
        interface: &Interface,
        options: &Options,
        destination: &mut Destination<'_>,
        progress: &mut Option<Listener<'_>>,
    ) -> Result<Option<Report>, ClientError> {
        let asked = Asked { request: self.exchange.request(), options, server: self.server, interface };
        match group::read(asked, &mut self.socket, destination, progress).await? {
            Joined::Read(report) => {
                self.has_ended = true;
                Ok(Some(report))
            }
            Joined::Alone(datagram, from) => {
                let now = self.now();
                // The request was sent already.
                while !matches!(self.exchange.poll(now), Output::Wait(_) | Output::Closed) {}
                self.exchange.handle_datagram(now, from, &datagram);
                self.socket.answered();
                Ok(None)
            }
        }
    }

    /// After a download: stays to repeat a last ACK that may have been lost.
    fn dally(mut self, shared: &Shared) {
        let guard = Dallying::begin(shared.dallying.clone());
        tokio::spawn(async move {
            let _guard = guard;
            loop {
                let now = self.now();
                let until = match self.exchange.poll(now) {
                    Output::Send { to, datagram } => {
                        self.socket.send_now(to, datagram);
                        continue;
                    }
                    Output::Wait(until) if until != Time::NEVER => until,
                    _ => return,
                };
                match self.receive() {
                    Ok(true) => {}
                    Ok(false)
                        if self
                            .wait(until, &mut Local::Get(Destination::Bytes(Vec::new())))
                            .await
                            .is_ok() => {}
                    _ => return,
                }
            }
        });
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.has_ended {
            return;
        }
        let now = self.now();
        self.exchange.cancel("the client cannot go on");
        loop {
            match self.exchange.poll(now) {
                Output::Send { to, datagram } => self.socket.send_now(to, datagram),
                Output::Write { .. } | Output::Store => {}
                Output::Finished(_) | Output::Wait(_) | Output::Closed => return,
            }
        }
    }
}

enum Next {
    Wait(Time),
    Ended(Report),
}

/// One of the downloads that stay.
struct Dallying(watch::Sender<usize>);

impl Dallying {
    fn begin(count: watch::Sender<usize>) -> Dallying {
        count.send_modify(|count| *count += 1);
        Dallying(count)
    }
}

impl Drop for Dallying {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}
