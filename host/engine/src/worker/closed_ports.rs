//! Clients that are gone, according to the ICMP errors of their hosts.

use super::Worker;
use super::sockets::SocketId;
use super::transmit::Transmit;
use super::unread::Unread;
use tuffet_core::{Time, Transfer};
use tuffet_request::Operation;
use tuffet_request::events::{Ending, Outcome, UNACKNOWLEDGED};

const CLOSED: &str = "the client has closed its port (ICMP port unreachable)";

/// Both look the same to the server: a mapping of ports that knows nothing of the TID port reports a closed port, too.
const LEFT_AT_ONCE: &str = "the client has closed its port before it answered (ICMP port unreachable): monitors do so; a client \
                            behind NAT that asks again needs `single-port`";

impl<T: Transmit> Worker<T> {
    /// Reads the errors of the sockets that reported one. A client may close its port right after its last
    /// ACK, so received datagrams are handled first.
    pub(super) fn read_closed_ports(&mut self, unread: &Unread, now: Time) {
        if self.troubled.is_empty() {
            return;
        }
        let mut reports = std::mem::take(&mut self.closed_ports);
        for number in std::mem::take(&mut self.troubled) {
            let Some(socket) = self.wire.sockets.get(number) else { continue };
            if unread.is_set(number) {
                self.troubled.push(number);
                continue;
            }
            if reports.fill(&socket.socket) {
                self.troubled.push(number);
            }
            for report in reports.iter() {
                if let Some(index) = self.table.find(number, &report.peer) {
                    self.unreachable(index, number, report.quoted(), now);
                }
            }
        }
        self.closed_ports = reports;
    }

    fn unreachable(&mut self, index: u32, number: SocketId, quoted: &[u8], now: Time) {
        let Some(entry) = self.table.get_mut(index).filter(|entry| entry.tid == number) else { return };
        let ending = closed(&entry.core, entry.operation, entry.tid == entry.listening);
        if entry.core.handle_unreachable(quoted) {
            let rare = entry.rare();
            (rare.ending, rare.closed) = (Some(ending), true);
            self.drive(index, None, now);
        }
    }
}

/// Returns the outcome of a transfer whose client has closed its port. A monitor takes the first packet and leaves; a boot
/// ROM takes the last block and leaves.
fn closed(core: &Transfer, operation: Operation, single_port: bool) -> Ending {
    if core.lacks_the_last_ack() {
        return Ending::new(Outcome::Served, UNACKNOWLEDGED);
    }
    let took_one = operation == Operation::Read && core.blocks() == 0;
    let outcome = if took_one { Outcome::Probed } else { Outcome::TimedOut };
    Ending::new(outcome, if took_one && !single_port { LEFT_AT_ONCE } else { CLOSED })
}
