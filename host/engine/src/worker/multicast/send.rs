//! The outputs of groups: blocks to the group, OACKs and ERRORs to members, and reads from a disk.

use super::super::content::{Content, read_payloads};
use super::super::disk_work::{DiskWork, unresponsive};
use super::super::key::Key;
use super::super::messages::ToControl;
use super::super::source::ReadError;
use super::{Groups, HostedGroup};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use tuffet_core::multicast::{Group, MemberId, Output};
use tuffet_core::{Blocks, DATA_HEADER, MAX_CONTROL, Time, data_header};
use tuffet_request::events::{Ending, Outcome};
use tuffet_request::settings::TimeLimit;
use tuffet_store::{Ahead, StoreError};
use tuffet_udp::{MAX_MESSAGE, MAX_SEGMENTS};

impl Groups {
    /// Executes all outputs of a group.
    pub(super) fn drive(&mut self, index: usize, now: Time) {
        loop {
            let Some(group) = self.groups.get_mut(index) else { return };
            match group.core.poll(now) {
                Output::Send(blocks) => self.send_blocks(index, blocks, now),
                Output::Oack { member, options, master } => {
                    let (socket, local, address) = (group.socket, group.local, group.address);
                    let Some(peer) = peer_of(group, member) else { continue };
                    self.wire.packet(socket, peer, local, |room| {
                        Group::encode_oack(&options, address, master, &mut room[..MAX_CONTROL])
                    });
                }
                Output::Error { member, code, text } => {
                    let (socket, local) = (group.socket, group.local);
                    let Some(peer) = peer_of(group, member) else { continue };
                    self.wire.error(socket, peer, local, code, text);
                }
                Output::Finished { member, report } => self.finished(index, member, &report),
                Output::Timeout(time) => {
                    group.deadline = time;
                    if let Some((master, acked)) = group.core.acked()
                        && let Some(member) = group.members.get(&master)
                    {
                        let progress = &member.ticket.record.progress;
                        let bytes = acked * u64::from(group.core.blksize());
                        progress.set(bytes.min(group.core.size()), progress.retransmissions());
                    }
                    return;
                }
                Output::Closed => return self.close(index),
            }
        }
    }

    fn close(&mut self, index: usize) {
        let group = self.groups.remove(index);
        self.by_key.remove(&group.key);
        self.pool.give_back(group.address);
        if group.content.closing().may_wait() {
            self.outbox.push(ToControl::Close(group.content));
        }
    }

    fn send_blocks(&mut self, index: usize, blocks: Blocks, now: Time) {
        self.tap_group(index);
        let Some(group) = self.groups.get_mut(index) else { return };
        let segment = usize::from(group.core.blksize()) + DATA_HEADER;
        let at_once = (MAX_MESSAGE / segment).clamp(1, MAX_SEGMENTS) as u32;
        let end = blocks.first + u64::from(blocks.count);
        let mut first = blocks.first;
        let mut failed = None;
        while first < end && failed.is_none() {
            let run = Blocks { first, count: at_once.min((end - first) as u32) };
            match self.send_run(index, run, segment) {
                Ok(bytes) => {
                    self.counts.blocks.fetch_add(run.count.into(), Relaxed);
                    self.counts.bytes.fetch_add(bytes, Relaxed);
                    first += u64::from(run.count);
                }
                Err(error) => failed = Some(error),
            }
        }
        if let Some(group) = self.groups.get_mut(index) {
            let resent = group.core.sent().1;
            self.counts.resent.fetch_add(resent.saturating_sub(group.counted.1), Relaxed);
            group.counted = group.core.sent();
        }
        match failed {
            None => self.read_on(index),
            Some(ReadError::NotYet) => {
                if let Some(group) = self.groups.get_mut(index) {
                    group.core.handle_unsent(now, blocks, first);
                    group.stalled = now;
                }
                self.read_on(index);
            }
            Some(ReadError::Changed) => {
                let message = "the file changed while it was read";
                self.fail(index, message, &Ending::new(Outcome::Failed, message), now);
            }
            Some(ReadError::Io(error)) => {
                let detail = format!("the file cannot be read: {error}");
                self.fail(index, "read error", &Ending::new(Outcome::Failed, detail), now);
            }
        }
    }

    /// Marks the group for the tap if it captures datagrams of a member: each block is copied once.
    fn tap_group(&mut self, index: usize) {
        let Groups { groups, wire, .. } = self;
        let (Some(tap), Some(group)) = (&wire.tap, groups.get(index)) else { return };
        wire.tapped_groups.retain(|address| *address != group.address);
        if group.members.values().any(|member| tap.wants(&member.peer)) {
            wire.tapped_groups.push(group.address);
        }
    }

    /// Queues blocks for one message; returns the bytes of the file in them.
    fn send_run(&mut self, index: usize, run: Blocks, segment: usize) -> Result<u64, ReadError> {
        let Groups { groups, wire, .. } = self;
        let Some(group) = groups.get_mut(index) else { return Ok(0) };
        let count = run.count as usize;
        let (offset, _) = group.core.range(run.first);
        let (last, length) = group.core.range(run.first + u64::from(run.count) - 1);
        let payload = (last - offset) as usize + usize::from(length);
        let size = group.core.size();
        let headers = (run.first..).map(|position| data_header(position as u16));
        match &mut group.content {
            Content::Bytes(bytes) => {
                let room = count * DATA_HEADER;
                let batch = wire.through(group.socket, room);
                let Some(space) = batch.room(room) else { return Ok(0) };
                for (header, room) in headers.zip(space.chunks_exact_mut(DATA_HEADER)) {
                    room.copy_from_slice(&header);
                }
                let start = (offset as usize).min(bytes.len());
                let range = start..(start + payload).min(bytes.len());
                let to = group.address;
                batch.push_gathered(to, group.local, (room, DATA_HEADER), segment, (bytes.shared(), range));
            }
            content => {
                let room = payload + count * DATA_HEADER;
                let batch = wire.through(group.socket, room);
                let Some(space) = batch.room(room) else { return Ok(0) };
                for (header, room) in headers.zip(space.chunks_mut(segment)) {
                    room[..DATA_HEADER].copy_from_slice(&header);
                }
                let Some(source) = content.source() else {
                    return Err(ReadError::Io(io::ErrorKind::Unsupported.into()));
                };
                read_payloads(source, offset, space, segment)?;
                source.require_unchanged(offset + payload as u64 >= size)?;
                batch.push(group.address, group.local, room, segment);
            }
        }
        Ok(payload as u64)
    }

    /// Requests from the disk the bytes that a group lacks or will need next.
    fn read_on(&mut self, index: usize) {
        let Some(group) = self.groups.get_mut(index) else { return };
        let acked = group.core.acked().map_or(0, |(_, acked)| acked) * u64::from(group.core.blksize());
        let window = group.core.most_in_flight();
        let Some(source) = group.content.source() else { return };
        let Some(next) = source.next_read(acked, window) else { return };
        let key = Key { index: index as u32, epoch: group.epoch };
        let Some(work) = DiskWork::read(key, Arc::clone(source.file()), next, group.core.give_up()) else {
            return source.withdraw();
        };
        self.outbox.push(ToControl::Disk { worker: self.number, work });
    }

    /// Handles the result of a read.
    pub(super) fn has_read(&mut self, key: Key, result: io::Result<Option<Ahead>>, now: Time) {
        let index = key.index as usize;
        let Some(group) = self.groups.get_mut(index).filter(|it| it.epoch == key.epoch) else {
            return;
        };
        let Some(source) = group.content.source() else { return };
        source.arrived(result);
        if group.core.is_stalled() {
            group.core.handle_resumed(now);
            group.stalled = Time::NEVER;
            self.drive(index, now);
        }
    }

    /// Ends a group if its disk does not answer.
    pub(super) fn end_hung(&mut self, index: usize, now: Time) {
        let Some(group) = self.groups.get_mut(index) else { return };
        let patience = group.core.give_up();
        if !group.core.is_stalled() || now.since(group.stalled) < patience {
            return;
        }
        let root = group.content.source().map(|source| source.file().root().to_owned()).unwrap_or_default();
        let setting = self.settings.limiter.names().of("transfer.retransmit.give-up");
        let late = unresponsive(&root, TimeLimit { within: patience, setting });
        let ending = Ending::new(Outcome::Failed, late.to_string());
        self.fail(index, StoreError::SILENT, &ending, now);
    }
}

fn peer_of(group: &HostedGroup, member: MemberId) -> Option<SocketAddr> {
    group.members.get(&member).map(|member| member.peer)
}
