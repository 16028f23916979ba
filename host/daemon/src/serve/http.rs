//! The listeners of HTTP: their sockets and certificates, and their part of a start, a reload and a shutdown.

use super::{ServeError, start_threads};
use socket2::{Domain, Protocol, Socket, Type};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::runtime::{Handle, Runtime};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tuffet_config::{Config, Http, HttpListener, Tls, join_pointer};
use tuffet_engine::worker::StreamPlace;
use tuffet_http::{
    CertificateError, Certificates, Connections, Files, HttpLimits, HttpServer, LimitCounts,
    ListenerConnections, Segment, Tap,
};
use tuffet_server::Requests;
use tuffet_server::capture::Captures;
use tuffet_server::status::{
    CertificateState, ConnectionsAtLimit, HttpConnections, OpenConnections, StateSource,
};

/// Connections that wait to be accepted; the system allows at most `net.core.somaxconn`, by default as many. The system
/// drops the packets of further clients, which try again a second later.
const BACKLOG: i32 = 4096;

/// How long the last answers have to leave after the last transfer has ended.
const FLUSH_TIME: Duration = Duration::from_secs(1);

const DAY: Duration = Duration::from_secs(24 * 3600);

/// A certificate that ends sooner gets a warning.
const SOON: Duration = Duration::from_secs(30 * DAY.as_secs());

/// The certificates of each listener, in the order of the configuration; `None` for those of HTTP. Cheap to clone; clones
/// share them.
#[derive(Debug, Clone, Default)]
pub(super) struct AllCertificates(Vec<Option<Certificates>>);

impl AllCertificates {
    /// Reads the files of all listeners of HTTPS.
    ///
    /// # Errors
    /// The problems of all of them, at their keys.
    pub(super) fn load(config: &Config) -> Result<AllCertificates, ServeError> {
        let (mut all, mut problems) = (Vec::new(), Vec::new());
        for (number, listener) in listeners(config.http.as_ref()).iter().enumerate() {
            match listener.tls.as_ref().map(load).transpose() {
                Ok(certificates) => all.push(certificates),
                Err(error) => {
                    let at = format!("/http/listeners/{number}/tls");
                    let key = key_of(listener.tls.as_ref(), &error);
                    problems.push((join_pointer(&at, key), error.to_string()));
                }
            }
        }
        match problems.is_empty() {
            true => Ok(AllCertificates(all)),
            false => Err(config.error(problems).into()),
        }
    }

    /// Uses these from the next connections on.
    pub(super) fn replace(&self, next: &AllCertificates) {
        for (now, next) in self.0.iter().zip(&next.0) {
            if let (Some(now), Some(next)) = (now, next) {
                now.replace(next);
            }
        }
    }

    /// Returns the warnings about certificates that have ended or end soon.
    pub(super) fn warnings(&self, config: &Config) -> Vec<String> {
        let now = SystemTime::now();
        let all = listeners(config.http.as_ref()).iter().zip(&self.0);
        let warning = |(listener, certificates): (&HttpListener, &Option<Certificates>)| {
            let not_after = certificates.as_ref()?.not_after()?;
            let ends = match not_after.duration_since(now) {
                Ok(left) if left < SOON => {
                    format!(
                        "ends within {}",
                        humantime::format_duration(DAY * (left.as_secs() / 86400 + 1) as u32)
                    )
                }
                Ok(_) => return None,
                Err(_) => format!("ended on {}", humantime::format_rfc3339_seconds(not_after)),
            };
            let file = listener.tls.as_ref()?.certificate.display();
            Some(format!(
                "the certificate {file} of listener `{}` {ends}; renew it, and run `tuffet reload`",
                listener.name
            ))
        };
        all.filter_map(warning).collect()
    }
}

/// The certificates and connections of listeners, for the status.
#[derive(Debug)]
pub(super) struct HttpStates {
    /// By the names of the listeners. They follow a reload.
    certificates: Vec<(String, Certificates)>,
    /// With the limit of them.
    connections: Option<(Connections, usize)>,
}

impl StateSource for HttpStates {
    fn http_connections(&self) -> Option<HttpConnections> {
        let (connections, limit) = self.connections.as_ref()?;
        let counts = connections.count();
        let open = |its: ListenerConnections| OpenConnections {
            listener: its.listener.to_string(),
            open: its.open as u64,
        };
        let at_limit = |(limit, its): (&str, LimitCounts)| ConnectionsAtLimit {
            limit: limit.to_owned(),
            gave_way: its.gave_way,
            refused: its.refused,
        };
        let at_limits =
            [("http.connections", counts.at_limit), ("http.connections-per-client", counts.at_client_limit)];
        Some(HttpConnections {
            limit: *limit as u64,
            listeners: counts.listeners.into_iter().map(open).collect(),
            at_limits: at_limits.into_iter().map(at_limit).collect(),
        })
    }

    fn certificates(&self) -> Vec<CertificateState> {
        let state = |(listener, its): &(String, Certificates)| {
            let not_after = its.not_after()?.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            Some(CertificateState { listener: listener.clone(), not_after_unix: not_after.as_secs() })
        };
        self.certificates.iter().filter_map(state).collect()
    }
}

fn load(tls: &Tls) -> Result<Certificates, CertificateError> {
    Certificates::load(&tls.certificate, &tls.key, tls.client_ca.as_deref())
}

/// The key of the file that has the problem.
fn key_of(tls: Option<&Tls>, error: &CertificateError) -> &'static str {
    match tls {
        Some(tls) if error.path() == tls.key => "key",
        Some(tls) if tls.client_ca.as_deref() == Some(error.path()) => "client-ca",
        _ => "certificate",
    }
}

fn limits(config: &Config, http: &Http) -> HttpLimits {
    let mut limits = HttpLimits::default();
    (limits.connections, limits.per_client) = (http.connections, http.connections_per_client);
    (limits.least_rate, limits.ipv6_prefix) = (http.least_rate, config.bounds().ipv6_prefix);
    limits
}

fn listeners(http: Option<&Http>) -> &[HttpListener] {
    http.map_or(&[], |http| &http.listeners)
}

/// Starts the runtime of the listeners; `None` without one. It has its own threads: sessions of TLS and large answers delay
/// no decision about a request by TFTP, and no command of the operator.
///
/// # Errors
/// The system has no thread.
pub(super) fn runtime(config: &Config) -> Result<Option<Runtime>, ServeError> {
    let runtime = config.http.as_ref().map(|_| start_threads("tuffet-http", config.settings.workers));
    runtime.transpose().map_err(|error| ServeError::System("the listeners of HTTP cannot start", error))
}

/// The open sockets of all listeners, in the order of the configuration, and their certificates.
#[derive(Debug, Default)]
pub(super) struct HttpSockets {
    sockets: Vec<TcpListener>,
    /// The server that will serve them; `None` without listeners.
    server: Option<HttpServer>,
    pub(super) certificates: AllCertificates,
}

impl HttpSockets {
    /// Binds the listeners that did not inherit a socket, and reads the certificates.
    ///
    /// # Errors
    /// An address is in use, or a certificate cannot be used.
    pub(super) fn open(
        config: &Config,
        inherited: Vec<Option<TcpListener>>,
    ) -> Result<HttpSockets, ServeError> {
        let certificates = AllCertificates::load(config)?;
        let all = listeners(config.http.as_ref()).iter().zip(inherited);
        let bound = all.map(|(listener, inherited)| match inherited {
            Some(socket) => Ok(socket),
            None => bind(listener.address).map_err(|error| ServeError::Http {
                listener: listener.name.clone(),
                address: listener.address,
                error,
            }),
        });
        let server = config.http.as_ref().map(|http| HttpServer::new(limits(config, http)));
        Ok(HttpSockets { sockets: bound.collect::<Result<_, _>>()?, server, certificates })
    }

    /// Returns duplicates of the sockets, for the next server.
    pub(super) fn duplicate(&self) -> io::Result<Vec<TcpListener>> {
        self.sockets.iter().map(TcpListener::try_clone).collect()
    }

    /// Returns the states of certificates and connections.
    pub(super) fn states(&self, config: &Config) -> HttpStates {
        let named = listeners(config.http.as_ref()).iter().zip(&self.certificates.0);
        HttpStates {
            certificates: named
                .filter_map(|(listener, its)| Some((listener.name.clone(), its.clone()?)))
                .collect(),
            connections: self
                .server
                .as_ref()
                .zip(config.http.as_ref())
                .map(|(server, http)| (server.connections(), http.connections)),
        }
    }

    /// Returns the name and the URL of each listener.
    pub(super) fn addresses(&self, config: &Config) -> Vec<(String, String)> {
        let all = listeners(config.http.as_ref()).iter().zip(&self.sockets);
        let named = all.filter_map(|(listener, socket)| {
            let scheme = if listener.tls.is_some() { "https" } else { "http" };
            Some((listener.name.clone(), format!("{scheme}://{}", socket.local_addr().ok()?)))
        });
        named.collect()
    }

    /// Serves the files of a server in this runtime; `None` without a listener.
    ///
    /// # Errors
    /// The runtime refuses a socket.
    pub(super) fn serve(
        self,
        config: &Config,
        requests: &Requests,
        captures: Captures,
        runtime: Option<Handle>,
    ) -> io::Result<Option<RunningHttp>> {
        let (Some(mut server), Some(runtime)) = (self.server, runtime) else { return Ok(None) };
        let _within = runtime.enter();
        server.tap(Arc::new(CaptureTap(captures)));
        let all = listeners(config.http.as_ref()).iter().zip(self.sockets).zip(&self.certificates.0);
        for ((listener, socket), certificates) in all {
            let socket = tokio::net::TcpListener::from_std(socket)?;
            let files = Files::new(requests.clone(), listener.name.as_str());
            match certificates {
                Some(certificates) => server.https(socket, files, certificates),
                None => server.http(socket, files),
            }
        }
        Ok(Some(RunningHttp::Serving(server)))
    }
}

/// Copies what passes to the capture that runs, if there is one.
#[derive(Debug)]
struct CaptureTap(Captures);

impl Tap for CaptureTap {
    fn passed(&self, segment: &Segment<'_>) {
        let Segment { client, local, is_inbound, before, opposite, bytes, .. } = *segment;
        self.0.passed(is_inbound, (client, local), StreamPlace { before, opposite }, bytes);
    }
}

/// The listeners of a running server.
pub(super) enum RunningHttp {
    Serving(HttpServer),
    Draining(JoinHandle<usize>),
}

impl RunningHttp {
    /// Takes no more connections, and lets answers end for so long. The server ends their transfers by then, too.
    pub(super) fn drain(self, limit: Duration) -> RunningHttp {
        match self {
            RunningHttp::Serving(server) => RunningHttp::Draining(tokio::spawn(server.drain(limit))),
            draining => draining,
        }
    }

    /// Waits until the last answers have left; there are no transfers any more.
    pub(super) async fn end(self) {
        if let RunningHttp::Draining(task) = self {
            let _ = timeout(FLUSH_TIME, task).await;
        }
    }
}

/// Binds a listener. The machine need not have the address yet.
fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    match listen(address) {
        // Without IPv6, `[::]` stands for IPv4 alone.
        Err(error)
            if error.raw_os_error() == Some(rustix::io::Errno::AFNOSUPPORT.raw_os_error())
                && address.ip().is_unspecified() =>
        {
            listen(SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), address.port()))
        }
        done => done,
    }
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_reuse_address(true)?;
    match address {
        SocketAddr::V4(_) => socket.set_freebind_v4(true)?,
        SocketAddr::V6(_) => {
            socket.set_freebind_v6(true)?;
            socket.set_only_v6(false)?;
        }
    }
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    socket.set_nonblocking(true)?;
    Ok(socket.into())
}
