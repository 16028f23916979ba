//! A client that reads the file for itself.

use crate::{Args, ClientResult, Clock};
use std::io;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::time::{Duration, Instant};
use tuffet_core::{Finish, MAX_CONTROL, Operation, Output, Packet, Settings, Timing, Transfer};

pub(super) fn read(args: &Args, file: &[u8]) -> io::Result<ClientResult> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
    let clock = Clock(Instant::now());
    let second = Duration::from_secs(1);
    let timing = Timing::new(Duration::from_millis(20), second, 4 * second, args.give_up(), second);
    let settings = Settings { timing, ..Settings::default() };
    let mut core = Transfer::client(clock.now(), Operation::Read, args.options(), 0, settings);
    let mut served = ClientResult::default();
    let (mut tid, mut whole): (Option<SocketAddr>, bool) = (None, true);
    let mut buffer = vec![0; 66_000];
    let mut datagram: Option<usize> = None;
    loop {
        let now = clock.now();
        match core.poll(now) {
            Output::Request => drop(socket.send_to(&args.request(), args.server)?),
            Output::Control(control) => {
                let mut packet = [0; MAX_CONTROL];
                let length = control.encode(&mut packet).unwrap_or(0);
                socket.send_to(&packet[..length], tid.unwrap_or(args.server))?;
            }
            Output::Accept { offset, length } => {
                let payload = datagram.and_then(|got| buffer.get(4..got)).unwrap_or_default();
                let payload = &payload[..payload.len().min(length.into())];
                let start = offset as usize;
                whole &= file.get(start..start + payload.len()) == Some(payload);
            }
            Output::Store { bytes } => {
                whole &= bytes == file.len() as u64;
                core.handle_stored(now);
            }
            Output::Finished(Finish::Complete) if whole => return Ok(served),
            Output::Finished(Finish::Complete) => {
                return Ok(ClientResult { problem: Some("other bytes".into()), ..served });
            }
            Output::Finished(finish) => {
                return Ok(ClientResult { problem: Some(format!("{finish:?}")), ..served });
            }
            Output::Closed => return Ok(ClientResult { problem: Some("closed".into()), ..served }),
            Output::Send(_) => {}
            Output::Timeout(time) => {
                let wait = time.since(now).max(Duration::from_micros(100));
                socket.set_read_timeout(Some(wait))?;
                datagram = None;
                match socket.recv_from(&mut buffer) {
                    Ok((length, from)) if tid.is_none_or(|tid| tid == from) => {
                        served.received += 1;
                        if tid.is_none() {
                            let answers = Packet::parse(&buffer[..length])
                                .is_ok_and(|packet| packet.may_answer(Operation::Read));
                            if !answers {
                                continue;
                            }
                            tid = Some(from);
                        }
                        let before = core.stats().duplicates;
                        datagram = Some(length);
                        // An invalid packet counts as lost.
                        let _ = core.handle_datagram(clock.now(), &buffer[..length]);
                        served.needless += u64::from(core.stats().duplicates > before);
                    }
                    Ok(_) => {}
                    Err(error)
                        if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) =>
                    {
                        core.handle_timeout(clock.now());
                    }
                    Err(error) => return Err(error),
                }
            }
        }
    }
}
