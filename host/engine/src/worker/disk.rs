//! Disk operations of a worker, and the transfers that wait for them.

use super::Worker;
use super::content::Content;
use super::disk_work::{DiskResult, DiskWork, unresponsive};
use super::key::Key;
use super::messages::ToControl;
use super::sink::Written;
use super::table::Entry;
use super::transfers::fail;
use super::transmit::Transmit;
use std::io;
use std::sync::Arc;
use tuffet_core::{Blocks, Time};
use tuffet_request::settings::{SettingNames, TimeLimit};
use tuffet_store::Ahead;

impl<T: Transmit> Worker<T> {
    /// Handles the result of a read or write.
    pub(super) fn disk_done(&mut self, result: DiskResult, now: Time) {
        match result {
            DiskResult::Read { key, result } => self.has_read(key, result, now),
            DiskResult::Written { key, written } => self.has_written(key, *written, now),
        }
    }

    /// Handles blocks from `first` on that could not be sent because their bytes are not in memory.
    pub(super) fn stall(&mut self, index: u32, blocks: Blocks, first: u64, now: Time) {
        let Some(entry) = self.table.get_mut(index) else { return };
        entry.core.handle_unsent(now, blocks, first);
        entry.rare().stalled = now;
        self.read_on(index);
    }

    /// Requests from the disk the bytes that a transfer lacks or will need next.
    pub(super) fn read_on(&mut self, index: u32) {
        let Some(entry) = self.table.get_mut(index) else { return };
        let options = entry.core.options();
        let window = usize::from(options.window_size()) * usize::from(options.block_size());
        let Some(content) = &mut entry.content else { return };
        let acked = content.acknowledged(&entry.core);
        let Some(source) = content.source() else { return };
        let Some(next) = source.next_read(acked, window) else { return };
        let key = Key { index, epoch: entry.epoch };
        let Some(work) = DiskWork::read(key, Arc::clone(source.file()), next, entry.core.give_up()) else {
            return source.withdraw();
        };
        self.outbox.push(ToControl::Disk { worker: self.number, work });
    }

    /// Handles the result of a read.
    pub(super) fn has_read(&mut self, key: Key, result: io::Result<Option<Ahead>>, now: Time) {
        let Some(entry) = self.table.by_key(key) else { return };
        let Some(source) = entry.content.as_mut().and_then(Content::source) else { return };
        source.arrived(result);
        if entry.core.is_stalled() {
            self.resume(key.index, now);
        }
    }

    /// Handles received bytes of an upload: some may be due to be written, and the client may have to wait.
    pub(super) fn write_on(&mut self, index: u32, now: Time) {
        let Some(entry) = self.table.get_mut(index) else { return };
        let Some(Content::Upload(sink)) = &mut entry.content else { return };
        let (write, is_full, times) = (sink.write(), sink.is_full(), sink.times());
        if is_full {
            hold_back(entry, now);
        }
        let Some(write) = write else { return };
        let limit = times.write(entry.core.give_up());
        let key = Key { index, epoch: entry.epoch };
        let work = DiskWork::write(key, write, limit);
        self.outbox.push(ToControl::Disk { worker: self.number, work });
    }

    /// Drops a block of an upload for which there is no memory. Its client waits for the next ACK until the disk has
    /// written.
    pub(super) fn drop_block(&mut self, index: u32, now: Time) {
        self.wire.counters.slow_disk += 1;
        let Some(entry) = self.table.get_mut(index) else { return };
        if let Some(Content::Upload(sink)) = &entry.content {
            sink.disk().count_dropped_block();
        }
        if hold_back(entry, now) {
            self.drive(index, None, now);
        }
    }

    /// Handles the result of a write.
    pub(super) fn has_written(&mut self, key: Key, written: Written, now: Time) {
        let sink = self.table.by_key(key).and_then(|entry| match &mut entry.content {
            Some(Content::Upload(sink)) => Some(sink),
            _ => None,
        });
        let Some(sink) = sink else { return self.discard_upload(written.upload) };
        if let Err(error) = sink.written(written) {
            self.fail(key.index, &error);
            return self.drive(key.index, None, now);
        }
        self.write_on(key.index, now);
        self.store_complete(key.index);
        let Some(entry) = self.table.get_mut(key.index) else { return };
        let has_room = matches!(&entry.content, Some(Content::Upload(sink)) if !sink.is_full());
        if has_room && entry.core.is_stalled() {
            self.resume(key.index, now);
        }
    }

    /// Returns whether the transfer waits for a disk. Ends it if that takes too long.
    pub(super) fn is_stalled(&mut self, index: u32, now: Time) -> bool {
        let Some(entry) = self.table.get_mut(index) else { return false };
        if !entry.core.is_stalled() {
            return false;
        }
        let limit = patience(entry, self.settings.limiter.names());
        let ends = entry.rare().stalled + limit.within;
        if now < ends {
            self.wheel.set(index, ends);
            return true;
        }
        let late = unresponsive(&root_of(entry).unwrap_or_default(), limit);
        fail(entry, &late);
        self.drive(index, None, now);
        true
    }

    fn resume(&mut self, index: u32, now: Time) {
        let Some(entry) = self.table.get_mut(index) else { return };
        // The disk was slow, not the client.
        let stalled = now.since(entry.rare().stalled);
        entry.progress_check.forgive(stalled, now);
        entry.core.handle_resumed(now);
        self.drive(index, None, now);
    }
}

/// How long a transfer waits for its disk.
fn patience(entry: &Entry, names: SettingNames) -> TimeLimit {
    let give_up = entry.core.give_up();
    match &entry.content {
        Some(Content::Upload(sink)) => sink.times().write(give_up),
        _ => TimeLimit { within: give_up, setting: names.of("transfer.retransmit.give-up") },
    }
}

/// Lets the client of an upload wait for its next ACK; returns whether it did not wait before.
fn hold_back(entry: &mut Entry, now: Time) -> bool {
    let waits = entry.core.is_stalled();
    entry.core.handle_full(now);
    let begins = !waits && entry.core.is_stalled();
    if begins {
        entry.rare().stalled = now;
    }
    begins
}

fn root_of(entry: &Entry) -> Option<String> {
    match entry.content.as_ref()? {
        Content::File(source) => Some(source.file().root().to_owned()),
        Content::Netascii(file) => Some(file.source.file().root().to_owned()),
        Content::Upload(sink) => Some(sink.disk().root().to_string()),
        Content::Bytes(_) => None,
    }
}
