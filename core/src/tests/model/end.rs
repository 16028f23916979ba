//! One end of the model: a transfer, and the host that executes and checks its outputs.

use super::link::Datagram;
use super::search::Bounds;
use crate::control::Control;
use crate::packet::{DATA_HEADER, MAX_CONTROL, RequestPacket, data_header};
use crate::time::Time;
use crate::transfer::{Finish, Output, Transfer};
use crate::types::{ErrorCode, Mode};

#[derive(Debug, Clone, Hash)]
pub struct End {
    /// A server has none before the request.
    pub transfer: Option<Transfer>,
    pub timeout: Time,
    pub finish: Option<Finish>,
    pub closed: bool,
    pub storing: bool,
    /// Whether the peer's address was unproven when it last waited.
    unproven: bool,
    /// Bytes accepted.
    pub accepted: u64,
    /// The last block that was sent.
    sent: u64,
    /// The block after the one that was sent last.
    next: u64,
    /// How often the end went back to blocks that it had already sent.
    pub rollbacks: u8,
    /// The block that it last went back to because of an ACK, with no loss and no time-out since.
    pub answered: Option<u64>,
}

impl End {
    pub fn client(now: Time, bounds: &Bounds) -> End {
        let mut end = End::server();
        let (operation, requested) = (bounds.operation, bounds.requested());
        end.transfer = Some(Transfer::client(now, operation, requested, bounds.size(), bounds.settings()));
        end
    }

    pub fn server() -> End {
        End {
            transfer: None,
            timeout: Time::NEVER,
            finish: None,
            closed: false,
            storing: false,
            unproven: false,
            accepted: 0,
            sent: 0,
            next: 1,
            rollbacks: 0,
            answered: None,
        }
    }

    /// Returns whether it ended because its client never answered.
    pub fn gave_up_unproven(&self) -> bool {
        self.finish == Some(Finish::TimedOut) && self.unproven
    }

    pub fn is_deciding(&self) -> bool {
        self.transfer.as_ref().is_some_and(Transfer::is_deciding)
    }

    /// Delivers a datagram.
    pub fn receive(
        &mut self,
        now: Time,
        datagram: Datagram,
        bounds: &Bounds,
        out: &mut Vec<Datagram>,
    ) -> Result<(), String> {
        if datagram == Datagram::Request {
            match &mut self.transfer {
                Some(transfer) => transfer.handle_repeated_request(now),
                None => self.transfer = Some(Transfer::server(now, bounds.operation, bounds.settings())),
            }
            return self.drive(now, None, bounds, out);
        }
        let Some(transfer) = &mut self.transfer else { return Ok(()) };
        let bytes = encode(datagram, bounds);
        transfer.handle_datagram(now, &bytes).map_err(|malformed| format!("{datagram:?}: {malformed}"))?;
        self.drive(now, Some(&bytes), bounds, out)
    }

    /// Polls until there is nothing more to do, as the rule of use requires.
    pub fn drive(
        &mut self,
        now: Time,
        datagram: Option<&[u8]>,
        bounds: &Bounds,
        out: &mut Vec<Datagram>,
    ) -> Result<(), String> {
        let mut payload = datagram.and_then(|datagram| datagram.get(DATA_HEADER..));
        for _ in 0..8 {
            let Some(transfer) = &mut self.transfer else { return Ok(()) };
            match transfer.poll(now) {
                Output::Request => out.push(Datagram::Request),
                Output::Control(Control::Ack(wire)) => out.push(Datagram::Ack(wire)),
                Output::Control(Control::Oack(oack)) => out.push(Datagram::Oack(oack)),
                Output::Control(Control::Error(..)) => out.push(Datagram::Error),
                Output::Send(blocks) => {
                    let (last, total) = (blocks.first + u64::from(blocks.count) - 1, bounds.blocks + 1);
                    let most = (transfer.blocks() + u64::from(transfer.options().window_size())).min(total);
                    if blocks.count == 0 || blocks.first <= transfer.blocks() || last > most {
                        return Err(format!("{blocks:?} were not granted"));
                    }
                    if blocks.first > self.sent + 1 {
                        return Err(format!("{blocks:?} leave blocks out: {} were sent", self.sent));
                    }
                    if blocks.first < self.next {
                        self.rollbacks += 1;
                        if datagram.is_some() && self.answered.replace(blocks.first) == Some(blocks.first) {
                            return Err(format!("a second rollback to block {} for one gap", blocks.first));
                        }
                    }
                    self.next = last + 1;
                    self.sent = self.sent.max(last);
                    out.extend((blocks.first..=last).map(|position| {
                        let (offset, length) = transfer.range(position, bounds.size());
                        Datagram::Data { wire: transfer.wire(position), offset, length }
                    }));
                }
                Output::Accept { offset, length } => {
                    let bytes = payload.take().ok_or("one DATA packet was accepted twice")?;
                    if offset != self.accepted || bytes.len() != usize::from(length) {
                        return Err(format!("{length} bytes at {offset}, where {} are next", self.accepted));
                    }
                    if bytes != bounds.bytes(offset, length) {
                        return Err(format!("wrong bytes at {offset}"));
                    }
                    self.accepted += u64::from(length);
                }
                Output::Store { bytes } => {
                    if bytes != bounds.size() || bytes != self.accepted || self.storing {
                        return Err(format!("to store {bytes} bytes of {}", bounds.size()));
                    }
                    self.storing = true;
                }
                Output::Finished(finish) => {
                    if let Some(before) = self.finish.replace(finish) {
                        return Err(format!("two outcomes: {before:?}, {finish:?}"));
                    }
                }
                Output::Timeout(time) => {
                    self.timeout = time;
                    self.unproven = transfer.is_unproven();
                    return Ok(());
                }
                Output::Closed => {
                    self.closed = true;
                    self.timeout = Time::NEVER;
                    return if self.finish.is_some() {
                        Ok(())
                    } else {
                        Err("an end without an outcome".into())
                    };
                }
            }
        }
        Err("it asks on and on".into())
    }
}

fn encode(datagram: Datagram, bounds: &Bounds) -> Vec<u8> {
    let control = match datagram {
        Datagram::Data { wire, offset, length } => {
            return [&data_header(wire), &bounds.bytes(offset, length)[..]].concat();
        }
        Datagram::Request => {
            let mut buffer = [0; MAX_CONTROL];
            let length =
                RequestPacket::encode(bounds.operation, b"f", Mode::Octet, &bounds.requested(), &mut buffer);
            return buffer[..length.unwrap_or(0)].to_vec();
        }
        Datagram::Ack(wire) => Control::Ack(wire),
        Datagram::Oack(oack) => Control::Oack(oack),
        Datagram::Error => Control::Error(ErrorCode::NotDefined, "".into()),
    };
    let mut buffer = [0; MAX_CONTROL];
    let length = control.encode(&mut buffer).unwrap_or(0);
    buffer[..length].to_vec()
}
