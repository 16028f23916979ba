//! A client that reads the file as a member of a group.

use crate::{Args, ClientResult, Clock};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use socket2::{Domain, Protocol, Socket, Type};
use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, UdpSocket};
use std::time::{Duration, Instant};
use tuffet_core::multicast::{Answer, Reader, ReaderOutput};
use tuffet_core::{Control, MAX_CONTROL, Packet, Time};

/// How long a member that has everything stays to repeat its last ACK.
const DALLY: Duration = Duration::from_secs(2);

/// The receive buffer of a group in bytes: the default of other clients.
const BUFFER: usize = 208 << 10;

pub(super) fn read(args: &Args, file: &[u8]) -> io::Result<ClientResult> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
    socket.set_nonblocking(true)?;
    let clock = Clock(Instant::now());
    let mut reader = Reader::new(clock.now(), args.options(), Duration::from_secs(1), args.give_up());
    let mut served = ClientResult::default();
    let (mut tid, mut group): (Option<SocketAddr>, Option<UdpSocket>) = (None, None);
    let mut whole = true;
    let mut finished: Option<Instant> = None;
    let mut buffer = vec![0; 66_000];
    loop {
        let now = clock.now();
        let until = loop {
            match reader.poll(now) {
                ReaderOutput::Request => drop(socket.send_to(&args.request(), args.server)?),
                ReaderOutput::Ack(block) => {
                    let mut packet = [0; MAX_CONTROL];
                    let length = Control::Ack(block).encode(&mut packet).unwrap_or(0);
                    if let Some(tid) = tid {
                        socket.send_to(&packet[..length], tid)?;
                    }
                }
                ReaderOutput::Complete { size } => {
                    whole &= size == file.len() as u64;
                    reader.handle_stored();
                    served.took = clock.0.elapsed();
                    finished = Some(Instant::now());
                    // It needs no further blocks.
                    group = None;
                }
                ReaderOutput::TimedOut => {
                    return Ok(ClientResult { problem: Some("timed out".into()), ..served });
                }
                ReaderOutput::Timeout(time) => break time,
            }
        };
        let dally = finished.map(|at| DALLY.saturating_sub(at.elapsed()));
        if dally == Some(Duration::ZERO) {
            let problem = (!whole).then(|| "other bytes".to_owned());
            return Ok(ClientResult { problem, ..served });
        }
        let wait = if until == Time::NEVER { DALLY } else { until.since(now) };
        let wait = dally.map_or(wait, |dally| wait.min(dally)).max(Duration::from_micros(100));
        let timeout = Timespec { tv_sec: wait.as_secs() as i64, tv_nsec: wait.subsec_nanos().into() };
        let mut descriptors = vec![PollFd::new(&socket, PollFlags::IN)];
        descriptors.extend(group.as_ref().map(|group| PollFd::new(group, PollFlags::IN)));
        if poll(&mut descriptors, Some(&timeout))? == 0 {
            reader.handle_timeout(clock.now());
            continue;
        }
        while let Ok((length, from)) = socket.recv_from(&mut buffer) {
            match Packet::parse(&buffer[..length]) {
                Ok(Packet::Oack(options)) if tid.is_none_or(|tid| tid == from) => {
                    if reader.handle_oack(clock.now(), options) != Answer::Member {
                        return Ok(ClientResult { problem: Some("no group".into()), ..served });
                    }
                    tid = Some(from);
                    let address = reader.membership().and_then(|membership| membership.group);
                    if let (None, None, Some(SocketAddr::V4(address))) = (&group, finished, address) {
                        group = Some(join(address, args.interface)?);
                    }
                }
                Ok(Packet::Error { code, .. }) if tid.is_none_or(|tid| tid == from) => {
                    return Ok(ClientResult { problem: Some(format!("ERROR {code}")), ..served });
                }
                _ => {}
            }
        }
        let Some(joined) = &group else { continue };
        // The master answers each block at once.
        for _ in 0..64 {
            let Ok((length, from)) = joined.recv_from(&mut buffer) else { break };
            if Some(from) != tid {
                continue;
            }
            let Ok(Packet::Data { block, payload }) = Packet::parse(&buffer[..length]) else { continue };
            served.received += 1;
            match reader.handle_data(clock.now(), block, payload.len()) {
                Some(offset) => {
                    let start = offset as usize;
                    whole &= file.get(start..start + payload.len()) == Some(payload);
                }
                None => served.needless += 1,
            }
            if reader.membership().is_some_and(|membership| membership.master) {
                break;
            }
        }
    }
}

fn join(group: SocketAddrV4, interface: Ipv4Addr) -> io::Result<UdpSocket> {
    let socket = Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::UDP))?;
    // All clients of this machine share the port.
    socket.set_reuse_address(true)?;
    socket.set_recv_buffer_size(BUFFER)?;
    socket.bind(&SocketAddr::from((*group.ip(), group.port())).into())?;
    socket.join_multicast_v4(group.ip(), &interface)?;
    socket.set_nonblocking(true)?;
    Ok(socket.into())
}
