//! The measured shapes of traffic: the sizes, windows and numbers of clients of the cases in `bench/compare`.

use tuffet_udp::{MAX_MESSAGE, MAX_SEGMENTS};

/// How to send the datagrams of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Send {
    /// In the fewest messages possible, which the kernel segments (UDP_SEGMENT).
    Gso,
    /// As `Gso`, with headers of their own before pieces of a file of 10 MiB in memory, which the kernel gathers.
    File,
    /// In a message per datagram, many in one `sendmmsg`.
    Plain,
}

/// One shape of traffic.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    /// UDP payload of a datagram: 4 bytes of header and a block.
    pub(crate) size: usize,
    /// Datagrams that answer a request.
    pub(crate) window: usize,
    /// Concurrent clients, each with its own socket.
    pub(crate) clients: usize,
    pub(crate) send: Send,
    /// Whether the clients accept coalesced datagrams (UDP_GRO). If not, the kernel segments GSO messages for
    /// them, on the server's core.
    pub(crate) gro: bool,
}

/// All shapes. `bench/compare` refers to them by name.
pub(crate) const SHAPES: [Shape; 9] = [
    shape("gso-1404x64-gro", 1404, 64, 8, Send::Gso, true),
    shape("file-1404x64-gro", 1404, 64, 8, Send::File, true),
    shape("gso-1404x64", 1404, 64, 3, Send::Gso, false),
    shape("plain-1404x64", 1404, 64, 8, Send::Plain, false),
    shape("gso-1404x8", 1404, 8, 200, Send::Gso, false),
    shape("echo-1404", 1404, 1, 8, Send::Plain, false),
    shape("echo-516-alone", 516, 1, 1, Send::Plain, false),
    shape("echo-516", 516, 1, 100, Send::Plain, false),
    shape("echo-516-crowd", 516, 1, 1000, Send::Plain, false),
];

impl Shape {
    /// The number of datagrams in each message of a window.
    pub(crate) fn messages(&self) -> impl Iterator<Item = usize> + use<> {
        let most = match self.send {
            Send::Gso | Send::File => (MAX_MESSAGE / self.size).clamp(1, MAX_SEGMENTS),
            Send::Plain => 1,
        };
        let window = self.window;
        (0..window).step_by(most).map(move |first| most.min(window - first))
    }
}

const fn shape(
    name: &'static str,
    size: usize,
    window: usize,
    clients: usize,
    send: Send,
    gro: bool,
) -> Shape {
    Shape { name, size, window, clients, send, gro }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_messages_of_a_window_hold_all_of_it() {
        for shape in &SHAPES {
            assert_eq!(shape.messages().sum::<usize>(), shape.window, "{}", shape.name);
        }
        assert_eq!(SHAPES[0].messages().collect::<Vec<_>>(), [46, 18]);
    }

    #[test]
    fn names_differ() {
        for (index, shape) in SHAPES.iter().enumerate() {
            assert!(SHAPES[..index].iter().all(|other| other.name != shape.name), "{}", shape.name);
        }
    }
}
