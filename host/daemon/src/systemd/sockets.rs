//! Inherited sockets: `LISTEN_FDS` of sd_listen_fds(3).
//!
//! They outlive the process, and queue datagrams that arrive during a restart. Their addresses and interfaces determine
//! their use.

use listenfd::ListenFd;
use rustix::net::{AddressFamily, SocketType, sockopt};
use std::env;
use std::fmt;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, UdpSocket};
use std::os::fd::OwnedFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::UnixListener;
use std::path::Path;
use tuffet_config::Listener;

/// The most sockets accepted.
const MAX_SOCKETS: usize = 1024;

/// Why an inherited socket cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct InheritError(String);

/// Inherited sockets without a use yet.
#[derive(Debug, Default)]
pub(crate) struct Inherited(Vec<InheritedSocket>);

#[derive(Debug)]
struct InheritedSocket {
    /// `FileDescriptorName=`: by default the name of systemd's socket unit.
    name: String,
    /// The position among those that a server hands over.
    position: usize,
    socket: SocketKind,
}

#[derive(Debug)]
enum SocketKind {
    /// With its address and the interface that it is bound to.
    Udp(UdpSocket, SocketAddr, Option<String>),
    Tcp(TcpListener, SocketAddr),
    Unix(UnixListener),
}

/// A socket that one server hands over to the next.
#[derive(Debug)]
pub(crate) struct Offered {
    pub(crate) socket: OwnedFd,
    /// The interface of its listener, which need not exist: the socket may still wait for it.
    pub(crate) interface: Option<String>,
}

impl Offered {
    pub(crate) fn try_clone(&self) -> std::io::Result<Offered> {
        Ok(Offered { socket: self.socket.try_clone()?, interface: self.interface.clone() })
    }
}

impl SocketKind {
    /// Finds out what kind of socket this is.
    fn of(socket: OwnedFd) -> std::io::Result<SocketKind> {
        let kind = (sockopt::socket_domain(&socket)?, sockopt::socket_type(&socket)?);
        match kind {
            (AddressFamily::INET | AddressFamily::INET6, SocketType::DGRAM) => SocketKind::udp(socket.into()),
            (AddressFamily::INET | AddressFamily::INET6, SocketType::STREAM) => {
                SocketKind::tcp(socket.into())
            }
            (AddressFamily::UNIX, SocketType::STREAM) => SocketKind::unix(socket.into()),
            _ => Err(std::io::Error::other("a server does not listen on a socket of this kind")),
        }
    }

    fn udp(socket: UdpSocket) -> std::io::Result<SocketKind> {
        let (address, interface) = (socket.local_addr()?, device(&socket));
        Ok(SocketKind::Udp(socket, address, interface))
    }

    fn tcp(socket: TcpListener) -> std::io::Result<SocketKind> {
        let address = socket.local_addr()?;
        socket.set_nonblocking(true)?;
        Ok(SocketKind::Tcp(socket, address))
    }

    fn unix(socket: UnixListener) -> std::io::Result<SocketKind> {
        socket.set_nonblocking(true)?;
        Ok(SocketKind::Unix(socket))
    }
}

impl Inherited {
    /// Takes the sockets that the environment announces. Must be called before other threads start: it changes the
    /// environment, so that child processes do not claim the sockets.
    ///
    /// # Errors
    /// The variables are invalid, or a descriptor is not a socket that a server could listen on.
    pub fn take() -> Result<Inherited, InheritError> {
        let wrong = |message: String| InheritError(format!("{message}; correct the socket unit"));
        let number = |name: &str, least: usize, most: usize| match env::var(name) {
            Err(_) => Ok(()),
            Ok(text) if text.parse().is_ok_and(|number: usize| (least..=most).contains(&number)) => Ok(()),
            Ok(text) => {
                Err(InheritError(format!("{name}={text:?}: a number from {least} to {most} is needed")))
            }
        };
        number("LISTEN_FDS", 0, MAX_SOCKETS)?;
        number("LISTEN_FDS_FIRST_FD", 3, 1 << 20)?;
        let names = env::var("LISTEN_FDNAMES").unwrap_or_default();
        let mut names = names.split(':').map(str::to_owned);
        let mut given = ListenFd::from_env();
        let mut passed = Vec::new();
        for index in 0..given.len() {
            let name = names.next().filter(|name| !name.is_empty()).unwrap_or_else(|| "unknown".into());
            let socket = take_one(&mut given, index)
                .map_err(|error| wrong(format!("the inherited descriptor {index} (`{name}`): {error}")))?;
            passed.push(InheritedSocket { name, position: index, socket });
        }
        Ok(Inherited(passed))
    }

    /// Adopts the sockets that another server hands over.
    ///
    /// # Errors
    /// A descriptor is not a socket that a server could listen on.
    pub fn handed_over(sockets: Vec<Offered>) -> std::io::Result<Inherited> {
        let adopt = |(position, Offered { socket, interface })| {
            let socket = match SocketKind::of(socket)? {
                SocketKind::Udp(socket, address, _) => SocketKind::Udp(socket, address, interface),
                other => other,
            };
            Ok(InheritedSocket { name: "handed over".into(), position, socket })
        };
        Ok(Inherited(sockets.into_iter().enumerate().map(adopt).collect::<std::io::Result<_>>()?))
    }

    /// Returns the positions of the sockets without a use.
    pub fn positions(&self) -> Vec<usize> {
        self.0.iter().map(|socket| socket.position).collect()
    }

    /// Returns the sockets of each listener; none for listeners still to be bound. Sockets with the same address
    /// (`ReusePort=yes`) share its clients.
    ///
    /// # Errors
    /// A socket receives both IPv4 and IPv6; a listener has one family.
    pub fn listeners(&mut self, listeners: &[Listener]) -> Result<Vec<Vec<UdpSocket>>, InheritError> {
        let mut found: Vec<Vec<UdpSocket>> = listeners.iter().map(|_| Vec::new()).collect();
        for passed in std::mem::take(&mut self.0) {
            let InheritedSocket { name, position, socket: SocketKind::Udp(socket, address, interface) } =
                passed
            else {
                self.0.push(passed);
                continue;
            };
            let fits = |listener: &&(usize, &Listener)| {
                takes(listener.1, address) && listener.1.interface == interface
            };
            let fitting: Vec<(usize, &Listener)> =
                listeners.iter().enumerate().filter(|it| fits(&it)).collect();
            // Among several listeners on port 0: the one with this name, or the first.
            let named = fitting.iter().find(|(_, listener)| listener.name == name);
            match named.or(fitting.first()) {
                Some((number, _)) => {
                    refuse_dual_stack(&socket, address, &name)?;
                    found[*number].push(socket);
                }
                None => {
                    let socket = SocketKind::Udp(socket, address, interface);
                    self.0.push(InheritedSocket { name, position, socket });
                }
            }
        }
        Ok(found)
    }

    /// Returns, for listeners without sockets, those that still wait for an interface which no listener has any longer:
    /// such a socket can have any interface. Otherwise they would be in the way of the listeners.
    pub fn parked(
        &mut self,
        listeners: &[Listener],
        needs: impl Fn(usize) -> bool,
    ) -> Vec<(usize, UdpSocket)> {
        let mut found = Vec::new();
        for (number, listener) in listeners.iter().enumerate() {
            if listener.interface.is_none() || !needs(number) {
                continue;
            }
            let mut of = None;
            let is_it = |passed: &mut InheritedSocket| {
                let SocketKind::Udp(socket, address, Some(interface)) = &passed.socket else { return false };
                let waits = device(socket).as_ref() != Some(interface);
                waits && takes(listener, *address) && of.get_or_insert_with(|| interface.clone()) == interface
            };
            let taken: Vec<InheritedSocket> = self.0.extract_if(.., is_it).collect();
            found.extend(taken.into_iter().filter_map(|passed| match passed.socket {
                SocketKind::Udp(socket, ..) => Some((number, socket)),
                _ => None,
            }));
        }
        found
    }

    /// Returns the TCP listener on this address.
    pub fn tcp(&mut self, wanted: SocketAddr) -> Option<TcpListener> {
        let is_it = |passed: &mut InheritedSocket| matches!(&passed.socket, SocketKind::Tcp(_, its) if fits(wanted, *its));
        match self.0.extract_if(.., is_it).next()?.socket {
            SocketKind::Tcp(socket, _) => Some(socket),
            _ => None,
        }
    }

    /// Returns the listener on this path.
    pub fn unix(&mut self, wanted: &Path) -> Option<UnixListener> {
        let is_at =
            |socket: &UnixListener| socket.local_addr().is_ok_and(|its| its.as_pathname() == Some(wanted));
        let is_it = |passed: &mut InheritedSocket| matches!(&passed.socket, SocketKind::Unix(socket) if is_at(socket));
        match self.0.extract_if(.., is_it).next()?.socket {
            SocketKind::Unix(socket) => Some(socket),
            _ => None,
        }
    }

    /// Refuses unused sockets: requests to them would vanish.
    ///
    /// # Errors
    /// A socket is unused. `configured` are the addresses in the configuration.
    pub fn finish(self, configured: &[String]) -> Result<(), InheritError> {
        if self.0.is_empty() {
            return Ok(());
        }
        let left: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        Err(InheritError(format!(
            "inherited, but not in the configuration: {}; it has {}. Write the same addresses in the socket unit and \
             in the configuration",
            left.join(", "),
            configured.join(", ")
        )))
    }
}

impl fmt::Display for InheritedSocket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.socket {
            SocketKind::Udp(_, address, None) => write!(f, "UDP {address}")?,
            SocketKind::Udp(_, address, Some(interface)) => write!(f, "UDP {address} on {interface}")?,
            SocketKind::Tcp(_, address) => write!(f, "TCP {address}")?,
            SocketKind::Unix(socket) => {
                let address = socket.local_addr().ok();
                let path = address.as_ref().and_then(|address| address.as_pathname());
                let name = address.as_ref().and_then(|address| address.as_abstract_name());
                match (path, name) {
                    (Some(path), _) => write!(f, "{}", path.display())?,
                    (None, Some(name)) => write!(f, "@{}, which has no path", name.escape_ascii())?,
                    (None, None) => f.write_str("a Unix socket without a path")?,
                }
            }
        }
        write!(f, " (`{}`)", self.name)
    }
}

fn take_one(given: &mut ListenFd, index: usize) -> std::io::Result<SocketKind> {
    let nothing = || std::io::Error::other("it was taken already");
    if let Ok(socket) = given.take_udp_socket(index) {
        let socket = socket.ok_or_else(nothing)?;
        return SocketKind::udp(socket);
    }
    if let Ok(socket) = given.take_tcp_listener(index) {
        return SocketKind::tcp(socket.ok_or_else(nothing)?);
    }
    if let Ok(socket) = given.take_unix_listener(index) {
        return SocketKind::unix(socket.ok_or_else(nothing)?);
    }
    Err(std::io::Error::other(
        "it is neither a UDP socket of IPv4 or IPv6 nor a listening stream socket; TFTP needs `ListenDatagram=`",
    ))
}

/// Returns the interface that a socket is bound to, if there still is one. Older kernels do not report it.
fn device(socket: &UdpSocket) -> Option<String> {
    let name = socket2::SockRef::from(socket).device().ok().flatten()?;
    Some(String::from_utf8_lossy(&name).trim_end_matches('\0').to_owned())
}

/// Returns whether a socket with this address belongs to the listener: for `[::]`, which serves IPv4, too, there are
/// sockets of both families.
fn takes(listener: &Listener, its: SocketAddr) -> bool {
    let ipv4 = SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), listener.address.port());
    fits(listener.address, its) || listener.ipv4_too && fits(ipv4, its)
}

/// Returns whether the address of a socket is the `wanted` one; port 0 matches any.
fn fits(wanted: SocketAddr, its: SocketAddr) -> bool {
    let scope = |address: SocketAddr| match address {
        SocketAddr::V6(address) => address.scope_id(),
        SocketAddr::V4(_) => 0,
    };
    its.ip() == wanted.ip()
        && (wanted.port() == 0 || wanted.port() == its.port())
        && (scope(wanted) == 0 || scope(wanted) == scope(its))
}

/// Refuses a dual-stack socket: IPv4 clients would appear with IPv6 addresses, which no rule matches.
fn refuse_dual_stack(socket: &UdpSocket, address: SocketAddr, name: &str) -> Result<(), InheritError> {
    let takes_both = address.ip().is_unspecified()
        && address.is_ipv6()
        && socket2::SockRef::from(socket).only_v6().is_ok_and(|only| !only);
    if !takes_both {
        return Ok(());
    }
    Err(InheritError(format!(
        "the inherited socket UDP {address} (`{name}`) takes IPv4 too; write `BindIPv6Only=ipv6-only` in the socket \
         unit, and beside it `ListenDatagram=0.0.0.0:{}`: the listener `[::]` takes both",
        address.port()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listener(name: &str, address: &str) -> Listener {
        Listener::at(name, address.parse().unwrap())
    }

    fn passed(name: &str, address: &str) -> (InheritedSocket, SocketAddr) {
        let socket = UdpSocket::bind(address).unwrap();
        let address = socket.local_addr().unwrap();
        let socket = SocketKind::Udp(socket, address, None);
        (InheritedSocket { name: name.into(), position: 0, socket }, address)
    }

    #[test]
    fn sockets_go_to_the_listener_of_their_address_then_of_their_name() {
        let (first, address) = passed("tuffet.socket", "127.0.0.1:0");
        let (second, _) = passed("other", "127.0.0.1:0");
        let mut inherited = Inherited(vec![first, second]);
        let listeners = [
            listener("any", "127.0.0.1:0"),
            listener("other", "127.0.0.1:0"),
            listener("exact", &address.to_string()),
            listener("elsewhere", "[::1]:0"),
        ];
        let found = inherited.listeners(&listeners[1..]).unwrap();
        assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [2, 0, 0], "the first that fits");
        let (first, address) =
            passed("tuffet.socket", &address.to_string().replace("127.0.0.1", "127.0.0.2"));
        let (second, _) = passed("other", "127.0.0.1:0");
        let mut inherited = Inherited(vec![first, second]);
        let exact = listener("exact", &address.to_string());
        let found = inherited.listeners(&[listeners[0].clone(), listeners[1].clone(), exact]).unwrap();
        assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [0, 1, 1]);
        assert!(inherited.finish(&[]).is_ok());
    }

    #[test]
    fn unused_sockets_are_named_beside_the_configured_addresses() {
        let (socket, address) = passed("tuffet.socket", "127.0.0.1:0");
        let mut inherited = Inherited(vec![socket]);
        assert_eq!(inherited.listeners(&[listener("boot", "127.0.0.1:69")]).unwrap()[0].len(), 0);
        assert!(inherited.tcp("127.0.0.1:0".parse().unwrap()).is_none(), "it is no TCP listener");
        let error = inherited.finish(&["listener `boot` on 127.0.0.1:69".into()]).unwrap_err().to_string();
        for word in
            [&format!("UDP {address} (`tuffet.socket`)"), "listener `boot` on 127.0.0.1:69", "socket unit"]
        {
            assert!(error.contains(word), "{error}");
        }
    }

    #[test]
    fn a_socket_of_both_families_is_refused() {
        let socket = socket2::Socket::new(socket2::Domain::IPV6, socket2::Type::DGRAM, None).unwrap();
        socket.set_only_v6(false).unwrap();
        socket.bind(&"[::]:0".parse::<SocketAddr>().unwrap().into()).unwrap();
        let socket: UdpSocket = socket.into();
        let address = socket.local_addr().unwrap();
        let mut inherited = Inherited(vec![InheritedSocket {
            name: "x".into(),
            position: 0,
            socket: SocketKind::Udp(socket, address, None),
        }]);
        let error = inherited.listeners(&[listener("boot", "[::]:0")]).unwrap_err().to_string();
        assert!(error.contains("BindIPv6Only=ipv6-only"), "{error}");
    }
}
