//! Members: how they join, what they send, and how they end.

use super::super::content::Content;
use super::super::key::Key;
use super::super::messages::{MemberUpdate, ToControl, ToWorker};
use super::super::progress_check::GIVE_UPS_PER_CHECK;
use super::super::sockets::SocketId;
use super::super::transfers::{error_text, granted_options};
use super::{GroupKey, Groups, HostedGroup, Join, Member, MemberRef};
use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;
use tuffet_core::multicast::{ClientId, Group, MemberId, Report};
use tuffet_core::{ErrorCode, OptionSet, Packet, Time};
use tuffet_request::Operation;
use tuffet_request::events::{Answered, Ended, Ending, Outcome, Unanswered, outcome_of};
use tuffet_udp::carries_group;

impl Groups {
    /// Adds a client to the group of its file, or creates the group. If there is no room, the client's worker serves
    /// it alone.
    pub(super) fn join(&mut self, mut join: Join, now: Time) {
        let record = &join.ticket.record;
        let options =
            granted_options(record.operation(), &record.requested_options(), record.size(), &join.limits);
        // Positions never roll over in a group.
        let options = OptionSet { rollover: None, msftwindow: false, ..options };
        let Some(index) = self.group_for(&mut join, &options, now).filter(|_| self.draining.is_none()) else {
            self.counts.declined.fetch_add(1, Relaxed);
            let worker = join.worker;
            let message = ToWorker::Declined(Box::new(join));
            return self.outbox.push(ToControl::ToWorker { worker, message });
        };
        let Some(group) = self.groups.get_mut(index) else { return };
        let Join { worker, key, ticket, content, peer, .. } = join;
        ticket.record.negotiated(&options);
        let client = ClientId(self.settings.limiter.client(&peer));
        let member = group.core.handle_join(now, client, options);
        group.members.insert(member, Member { peer, worker, key, ticket, joined: now, ending: None });
        let reference = MemberRef { group: index, member };
        self.by_peer.insert((group.socket, peer), reference);
        self.by_request.insert((worker, key), reference);
        self.counts.joined.fetch_add(1, Relaxed);
        // The group reads the content of its first member.
        if content.closing().may_wait() {
            self.outbox.push(ToControl::Close(content));
        }
        self.drive(index, now);
    }

    /// Returns a group with room for this client, and creates it if necessary.
    fn group_for(&mut self, join: &mut Join, options: &OptionSet, now: Time) -> Option<usize> {
        let blksize = options.block_size();
        let size = join.content.size()?;
        if !Group::fits(size, blksize) {
            return None;
        }
        let source = join.local.and_then(|local| local.address);
        let interface = join.local.filter(|_| join.peer.is_ipv6()).map_or(0, |local| local.interface);
        let key = GroupKey { listener: join.listener, source, interface, identity: *join.identity, blksize };
        if let Some(index) = self.by_key.get(&key).copied() {
            let group = self.groups.get(index)?;
            let has_room = group.core.len() < self.settings.members
                && !self.by_peer.contains_key(&(group.socket, join.peer));
            return has_room.then_some(index);
        }
        if self.groups.len() >= self.settings.groups {
            return None;
        }
        let free = |socket: &SocketId| !self.by_peer.contains_key(&(*socket, join.peer));
        let socket = self.wire.sockets.tids(join.listener, &join.peer).find(free)?;
        let address = self.pool.take(&join.peer)?;
        if let IpAddr::V6(group) = address.ip()
            && !carries_group(group, interface)
        {
            self.pool.give_back(address);
            return None;
        }
        let nothing = Content::Bytes(Arc::<[u8]>::from([]).into());
        let content = std::mem::replace(&mut join.content, nothing);
        self.epoch = self.epoch.wrapping_add(1);
        let index = self.groups.insert(HostedGroup {
            core: Group::new(now, size, blksize, self.settings.transfer.timing),
            key: key.clone(),
            address,
            socket,
            local: join.local,
            content,
            members: HashMap::new(),
            epoch: self.epoch,
            deadline: Time::NEVER,
            stalled: Time::NEVER,
            progress: None,
            counted: (0, 0),
        });
        self.by_key.insert(key, index);
        Some(index)
    }

    /// Handles a datagram on one of the sockets.
    pub(super) fn dispatch(&mut self, socket: SocketId, peer: SocketAddr, datagram: &[u8], now: Time) {
        let Some(reference) = self.by_peer.get(&(socket, peer)).copied() else {
            return self.wire.counters.stray += 1;
        };
        let Some(group) = self.groups.get_mut(reference.group) else { return };
        match Packet::parse(datagram) {
            Ok(Packet::Ack { block }) => group.core.handle_ack(now, reference.member, block),
            Ok(Packet::Error { code, .. }) => {
                if let Some(member) = group.members.get_mut(&reference.member) {
                    let blocks = group.core.blocks(reference.member);
                    let finish = tuffet_core::Finish::PeerError(code);
                    member.ending = Some(outcome_of(Operation::Read, finish, blocks, error_text(datagram)));
                }
                group.core.handle_error(now, reference.member, code);
            }
            Ok(_) => return self.wire.counters.stray += 1,
            Err(_) => return self.wire.counters.malformed += 1,
        }
        self.drive(reference.group, now);
    }

    /// Handles an action of a member that its worker noticed.
    pub(super) fn news(&mut self, worker: usize, key: Key, news: MemberUpdate, now: Time) {
        let Some(reference) = self.by_request.get(&(worker, key)).copied() else { return };
        let Some(group) = self.groups.get_mut(reference.group) else { return };
        match news {
            MemberUpdate::Repeated => group.core.handle_repeated_request(reference.member),
            MemberUpdate::Left => {
                if let Some(member) = group.members.get_mut(&reference.member) {
                    let detail = "the client sent another request from the same port, and left the group";
                    member.ending = Some(Ending::new(Outcome::Aborted, detail));
                }
                group.core.leave(now, reference.member);
            }
        }
        self.drive(reference.group, now);
    }

    /// Ends members that exceed the longest duration of a transfer, and a master below the least rate.
    pub(super) fn end_slow(&mut self, index: usize, now: Time) {
        let limiter = Arc::clone(&self.settings.limiter);
        let Some(group) = self.groups.get_mut(index) else { return };
        if let Some(most) = limiter.max_duration() {
            let late = group.members.iter().filter(|(_, member)| now.since(member.joined) >= most);
            for id in late.map(|(id, _)| *id).collect::<Vec<_>>() {
                let most = humantime::format_duration(most);
                let setting = limiter.names().of("transfer.max-duration");
                let detail = format!("it took longer than {setting} ({most})");
                expel(group, id, "the transfer took too long", detail, now);
            }
        }
        let Some((master, acked)) = group.core.acked() else { return };
        let Some((then, had, since)) = group.progress.filter(|(then, ..)| *then == master) else {
            group.progress = Some((master, acked, now));
            return;
        };
        let span = now.since(since);
        if span < group.core.give_up() * GIVE_UPS_PER_CHECK {
            return;
        }
        group.progress = Some((then, acked, now));
        let moved = acked.saturating_sub(had) * u64::from(group.core.blksize());
        if u128::from(moved) * 1_000 < u128::from(limiter.least_rate()) * span.as_millis() {
            let detail = format!(
                "{moved} bytes in {} s are less than {} ({} bytes a second)",
                span.as_secs_f64().round(),
                limiter.names().of("transfer.least-rate"),
                limiter.least_rate()
            );
            expel(group, master, "the transfer is too slow", detail, now);
        }
    }

    /// Reports the end of a membership.
    pub(super) fn finished(&mut self, index: usize, id: MemberId, report: &Report) {
        let Some(group) = self.groups.get_mut(index) else { return };
        let Some(member) = group.members.remove(&id) else { return };
        let Member { peer, worker, key, ticket, ending, .. } = member;
        self.by_peer.remove(&(group.socket, peer));
        self.by_request.remove(&(worker, key));
        self.outbox.push(ToControl::ToWorker { worker, message: ToWorker::Left { key } });
        let ending =
            ending.unwrap_or_else(|| outcome_of(Operation::Read, report.finish, report.blocks, None));
        let silent = !report.proven && ending.outcome == Outcome::TimedOut;
        let record = ticket.record;
        let first_block = report.first_block.map(|time| self.clock.instant_of(time));
        let (received, size) = (record.received(), record.size());
        record.progress.set(report.bytes, report.stats.retransmissions);
        ticket.place.send(Ended {
            record,
            group: Some(group.address),
            size,
            ending,
            unanswered: silent.then_some(Unanswered::TimedOut),
            decision: Answered::Granted,
            options: report.options,
            bytes: report.bytes,
            blocks: report.blocks,
            stats: report.stats,
            rtt: report.rtt,
            first_block_after: first_block.map(|time| time.saturating_duration_since(received)),
            duration: Instant::now().saturating_duration_since(received),
        });
    }
}

fn expel(group: &mut HostedGroup, id: MemberId, message: &'static str, detail: String, now: Time) {
    if let Some(member) = group.members.get_mut(&id) {
        member.ending = Some(Ending::new(Outcome::TimedOut, detail));
        group.core.expel(now, id, ErrorCode::NotDefined, message);
    }
}
