//! A TCP relay that can be closed: its destination is then unreachable.

use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// Listens until the process ends.
#[derive(Clone)]
pub struct Relay {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

struct State {
    open: bool,
    streams: Vec<TcpStream>,
}

impl Relay {
    pub fn to(behind: SocketAddr) -> Relay {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let relay = Relay { address, state: Arc::new(Mutex::new(State { open: true, streams: Vec::new() })) };
        let its = relay.clone();
        std::thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                let mut state = its.state.lock().unwrap();
                if !state.open {
                    continue;
                }
                let Ok(far) = TcpStream::connect(behind) else { continue };
                for (mut from, mut to) in [
                    (near.try_clone().unwrap(), far.try_clone().unwrap()),
                    (far.try_clone().unwrap(), near.try_clone().unwrap()),
                ] {
                    std::thread::spawn(move || {
                        let _ = std::io::copy(&mut from, &mut to);
                        let _ = to.shutdown(Shutdown::Both);
                    });
                }
                state.streams.extend([near, far]);
            }
        });
        relay
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Breaks all connections, and refuses new ones.
    pub fn shut(&self) {
        let mut state = self.state.lock().unwrap();
        state.open = false;
        for stream in state.streams.drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    pub fn open(&self) {
        self.state.lock().unwrap().open = true;
    }
}
