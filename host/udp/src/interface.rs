//! Network interfaces by name.

use super::options::{self, bind_to_interface};
use socket2::{Domain, Type};
use std::ffi::CString;
use std::io;
use std::net::SocketAddr;

/// Returns the index of an interface; `None` if there is none of this name. An interface that is removed and
/// recreated gets another index, and sockets bound to the old one stay with that.
pub fn interface_index(name: &str) -> io::Result<Option<u32>> {
    let name = CString::new(name)?;
    // SAFETY: `name` is a NUL-terminated string that lives through the call.
    match unsafe { libc::if_nametoindex(name.as_ptr()) } {
        0 => match io::Error::last_os_error() {
            error if matches!(error.raw_os_error(), Some(libc::ENODEV | libc::ENXIO)) => Ok(None),
            error => Err(error),
        },
        index => Ok(Some(index)),
    }
}

/// Returns the name of an interface; `None` if there is none with this index.
pub fn interface_name(index: u32) -> io::Result<Option<String>> {
    // A character of C is signed on some processors only.
    let mut name = [0_u8; libc::IF_NAMESIZE];
    // SAFETY: `name` has room for the longest name and its NUL, and lives through the call.
    if unsafe { libc::if_indextoname(index, name.as_mut_ptr().cast()) }.is_null() {
        return match io::Error::last_os_error() {
            error if matches!(error.raw_os_error(), Some(libc::ENODEV | libc::ENXIO)) => Ok(None),
            error => Err(error),
        };
    }
    let end = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
    Ok(Some(String::from_utf8_lossy(&name[..end]).into_owned()))
}

/// Whether this process may bind a socket to this interface. Since Linux 5.7 it needs no privilege.
///
/// # Errors
/// The process may not, there is no such interface, or this system is not Linux.
pub fn may_bind_to(name: &str) -> io::Result<()> {
    bind_to_interface(&socket2::Socket::new(Domain::IPV4, Type::DGRAM, None)?, name)
}

/// Returns whether this machine has IPv6 at all; `is_assigned` of `::1` tells whether it is in use.
pub fn has_ipv6() -> bool {
    socket2::Socket::new(Domain::IPV6, Type::DGRAM, None).is_ok()
}

/// Returns whether this machine has the address now, and its family. A link-local address counts on its interface:
/// that of the address, or `interface`.
pub fn is_assigned(address: SocketAddr, interface: Option<&str>) -> bool {
    let bind = || -> io::Result<()> {
        let socket = options::non_blocking(address)?;
        if let Some(interface) = interface {
            bind_to_interface(&socket, interface)?;
        }
        let mut any_port = address;
        any_port.set_port(0);
        socket.bind(&any_port.into())
    };
    bind().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_has_an_index_and_nothing_else_has_it() {
        assert_eq!(interface_index("lo").unwrap(), Some(1));
        assert_eq!(interface_name(1).unwrap().as_deref(), Some("lo"));
        assert_eq!(interface_name(u32::MAX).unwrap(), None);
        assert_eq!(interface_index("no-such-one").unwrap(), None);
        assert_eq!(interface_index("a-name-that-is-too-long").unwrap(), None);
        assert!(interface_index("l\0o").is_err());
        assert!(is_assigned(([127, 0, 0, 1], 69).into(), Some("lo")));
        assert!(!is_assigned(([192, 0, 2, 77], 69).into(), None));
        assert!(may_bind_to("lo").is_ok() && may_bind_to("no-such-one").is_err());
    }
}
