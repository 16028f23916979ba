//! The compact record of an open transfer.
//!
//! Tens of thousands of transfers may be open, and most of their records are not read before the end. So an open
//! transfer has its record in this form: all texts deduplicated in one allocation, and rare facts in another.

use super::DecisionRecord;
use crate::calls::{Calls, SharedCalls};
use crate::class::ClientClass;
use crate::progress::Progress;
use crate::request::{LeaseFact, MacFact, Mode, Operation, Request, RequestId};
use crate::trail::Trail;
use std::net::{IpAddr, SocketAddr};
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tuffet_core::{OptionSet, PackedOptions};

/// A [`DecisionRecord`] from the decision to the end of the transfer, and the progress of that transfer. The worker and
/// the live view share it.
#[derive(Debug)]
pub struct CompactRecord {
    /// The progress, for other threads.
    pub progress: Progress,
    id: RequestId,
    received: Instant,
    decided_after: Option<Duration>,
    listener: Arc<str>,
    verdict_by: Option<Arc<str>>,
    client: SocketAddr,
    class: ClientClass,
    requested_options: PackedOptions,
    size: Option<u64>,
    rate: Option<u32>,
    plugin_calls: u32,
    texts: Texts,
    /// At most one of each source.
    macs: [Option<MacFact>; 3],
    operation: Operation,
    mode: Mode,
    calls: Option<SharedCalls>,
    trail: Option<Arc<Trail>>,
    rare: Option<Box<Rare>>,
}

/// Facts of few requests.
#[derive(Debug, Default, PartialEq, Eq)]
struct Rare {
    raw_name: Option<Box<str>>,
    prefix: Option<Arc<str>>,
    shim_folder: Option<Arc<str>>,
    stored_in: Option<Arc<str>>,
    local_address: Option<IpAddr>,
    interface: Option<Arc<str>>,
    vlan: Option<u16>,
    lease: Option<Box<LeaseFact>>,
    tried: Option<Arc<super::Tried>>,
}

impl CompactRecord {
    /// Returns the record in full.
    pub fn expand(&self) -> DecisionRecord {
        let rare = self.rare.as_deref();
        let request = Request {
            id: self.id,
            listener: Arc::clone(&self.listener),
            operation: self.operation,
            mode: self.mode,
            requested: self.texts.requested().into(),
            raw_name: rare.and_then(|rare| rare.raw_name.clone()),
            prefix: rare.and_then(|rare| rare.prefix.clone()),
            shim_folder: rare.and_then(|rare| rare.shim_folder.clone()),
            stored_in: rare.and_then(|rare| rare.stored_in.clone()),
            path: self.texts.path().into(),
            client: self.client,
            local_address: rare.and_then(|rare| rare.local_address),
            interface: rare.and_then(|rare| rare.interface.clone()),
            vlan: rare.and_then(|rare| rare.vlan),
            lease: rare.and_then(|rare| rare.lease.clone()),
            macs: self.macs.into_iter().flatten().collect(),
            class: self.class,
            options: self.texts.options(),
            calls: Calls::from(self.calls.clone()),
            trail: self.trail.clone(),
        };
        DecisionRecord {
            request: Arc::new(request),
            requested_options: self.requested_options.into(),
            received: self.received,
            decided_after: self.decided_after,
            resolved: self.texts.resolved().map(Into::into),
            group: None,
            verdict_by: self.verdict_by.clone(),
            plugin_calls: self.plugin_calls,
            size: self.size,
            rate: self.rate,
            tried: rare.and_then(|rare| rare.tried.clone()),
        }
    }

    /// Returns the ID of the request.
    pub fn id(&self) -> RequestId {
        self.id
    }

    /// Returns whether it is a read or a write.
    pub fn operation(&self) -> Operation {
        self.operation
    }

    /// Returns the name of the listener.
    pub fn listener(&self) -> &str {
        &self.listener
    }

    /// Returns the address and port of the client.
    pub fn client(&self) -> SocketAddr {
        self.client
    }

    /// Returns the MAC address that the live view shows, if any is known.
    pub fn mac(&self) -> Option<MacFact> {
        self.macs[0]
    }

    /// Returns the class of the client.
    pub fn class(&self) -> ClientClass {
        self.class
    }

    /// Returns the normalised path.
    pub fn path(&self) -> &str {
        self.texts.path()
    }

    /// Returns the file that was opened, as `ROOT:PATH`, if there is one.
    pub fn resolved(&self) -> Option<&str> {
        self.texts.resolved()
    }

    /// Returns the plugin that decided.
    pub fn verdict_by(&self) -> Option<&str> {
        self.verdict_by.as_deref()
    }

    /// Returns when the request arrived.
    pub fn received(&self) -> Instant {
        self.received
    }

    /// Returns the requested options that the protocol knows.
    pub fn requested_options(&self) -> OptionSet {
        self.requested_options.into()
    }

    /// Returns the bytes on the wire, if they were known when the request was decided.
    pub fn size(&self) -> Option<u64> {
        self.size
    }

    /// Returns the rate limit of its transfer in bytes of file data per second.
    pub fn rate(&self) -> Option<u32> {
        self.rate
    }

    /// Returns its trail, while traces are exported.
    pub fn trail(&self) -> Option<&Trail> {
        self.trail.as_deref()
    }
}

impl From<&DecisionRecord> for CompactRecord {
    /// The record has no group yet, because a client joins one only after its request was granted.
    fn from(record: &DecisionRecord) -> CompactRecord {
        let request = &*record.request;
        let rare = Rare {
            raw_name: request.raw_name.clone(),
            prefix: request.prefix.clone(),
            shim_folder: request.shim_folder.clone(),
            stored_in: request.stored_in.clone(),
            local_address: request.local_address,
            interface: request.interface.clone(),
            vlan: request.vlan,
            lease: request.lease.clone(),
            tried: record.tried.clone(),
        };
        let mut macs = request.macs.iter().copied();
        CompactRecord {
            progress: Progress::default(),
            id: request.id,
            received: record.received,
            decided_after: record.decided_after,
            listener: Arc::clone(&request.listener),
            verdict_by: record.verdict_by.clone(),
            client: request.client,
            class: request.class,
            requested_options: record.requested_options.into(),
            size: record.size,
            rate: record.rate,
            plugin_calls: record.plugin_calls,
            texts: Texts::of(record),
            macs: std::array::from_fn(|_| macs.next()),
            operation: request.operation,
            mode: request.mode,
            calls: request.calls.handle(),
            trail: request.trail.clone(),
            rare: (rare != Rare::default()).then(|| Box::new(rare)),
        }
    }
}

/// The resolved file, the path, the name as sent, and the options, in this order. A text that the previous one ends
/// with is not repeated: the resolved file usually ends with the path, and the path with the requested name.
#[derive(Debug)]
struct Texts {
    all: Box<str>,
    path: Range<u32>,
    requested: Range<u32>,
    /// The end of the resolved file; 0 if there is none, because it is never empty.
    resolved: u32,
}

impl Texts {
    fn of(record: &DecisionRecord) -> Texts {
        let request = &*record.request;
        let resolved = record.resolved.as_deref().unwrap_or_default();
        let options: usize = request.options.iter().map(|(name, value)| name.len() + value.len() + 2).sum();
        let most = resolved.len() + request.path.len() + request.requested.len() + options;
        let mut all = String::with_capacity(most);
        all.push_str(resolved);
        let path = add(&mut all, &request.path);
        let requested = add(&mut all, &request.requested);
        // As in a request, a NUL ends each text, and no text contains one.
        for text in request.options.iter().flat_map(|(name, value)| [name, value]) {
            all.push_str(text);
            all.push('\0');
        }
        Texts { all: all.into(), path, requested, resolved: resolved.len() as u32 }
    }

    fn resolved(&self) -> Option<&str> {
        Some(&self.all[..self.resolved as usize]).filter(|resolved| !resolved.is_empty())
    }

    fn path(&self) -> &str {
        self.get(&self.path)
    }

    fn requested(&self) -> &str {
        self.get(&self.requested)
    }

    fn options(&self) -> Vec<(String, String)> {
        let mut texts = self.all[self.requested.end as usize..].split_terminator('\0');
        let count = texts.clone().count() / 2;
        let mut options = Vec::with_capacity(count);
        while let (Some(name), Some(value)) = (texts.next(), texts.next()) {
            options.push((name.to_owned(), value.to_owned()));
        }
        options
    }

    fn get(&self, range: &Range<u32>) -> &str {
        &self.all[range.start as usize..range.end as usize]
    }
}

/// Returns the range of `text` at the end of `all`; appends it if `all` does not end with it.
fn add(all: &mut String, text: &str) -> Range<u32> {
    if !all.ends_with(text) {
        all.push_str(text);
    }
    // A request has at most 2,048 bytes, and paths from plugins are bounded, too.
    let end = all.len() as u32;
    end - text.len() as u32..end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Call;
    use crate::events::Tried;
    use crate::request::{Lease, MacAddress, MacSource};

    fn mac(last: u8, source: MacSource) -> MacFact {
        MacFact { address: MacAddress([2, 0, 0x5e, 0x10, 0, last]), source }
    }

    /// A record with all optional facts and distinct texts.
    fn full() -> DecisionRecord {
        let calls = Calls::default();
        calls.note(Call {
            plugin: "acl".into(),
            hook: "authorize",
            verdict: "allow",
            failure: None,
            cached: false,
            monitored: false,
            took: Duration::from_micros(9),
        });
        let lease = Lease { hostname: Some("phone".into()), ..Lease::default() };
        let request = Request {
            raw_name: Some("2fe9".into()),
            prefix: Some("tftpboot".into()),
            shim_folder: Some("efi".into()),
            stored_in: Some("boot".into()),
            path: "b/pxelinux.0".into(),
            requested: "\\B\\PXELINUX.0".into(),
            local_address: Some([192, 0, 2, 9].into()),
            interface: Some("eth0".into()),
            vlan: Some(100),
            lease: Some(Box::new(LeaseFact { lease, age: Duration::from_secs(1) })),
            macs: vec![
                mac(1, MacSource::NeighbourTable),
                mac(2, MacSource::LeaseFile),
                mac(3, MacSource::RequestedName),
            ],
            class: ClientClass::named("windows").unwrap(),
            options: vec![("blksize".into(), "1428".into()), ("x".into(), String::new())],
            calls,
            ..Request::sample("")
        };
        DecisionRecord {
            requested_options: OptionSet { blksize: Some(1_428), ..OptionSet::default() },
            decided_after: Some(Duration::from_micros(90)),
            resolved: Some("boot:elsewhere".into()),
            verdict_by: Some("acl".into()),
            plugin_calls: 1,
            size: Some(9),
            rate: Some(2_048),
            tried: Some(Arc::new(Tried::new([("boot", "a")].into_iter(), None))),
            ..DecisionRecord::new(Arc::new(request), Instant::now())
        }
    }

    #[test]
    fn a_record_survives_the_round_trip() {
        let (full, empty) = (full(), DecisionRecord::new(Arc::new(Request::sample("a")), Instant::now()));
        for record in [full, empty] {
            let back = CompactRecord::from(&record).expand();
            assert_eq!(format!("{back:?}"), format!("{record:?}"));
        }
    }

    #[test]
    fn ten_thousand_records_are_small() {
        assert!(size_of::<CompactRecord>() <= 312, "{}", size_of::<CompactRecord>());
    }

    #[test]
    fn each_text_is_kept_once() {
        let kept = |requested: &str, path: &str, resolved: Option<&str>| {
            let request = Request { path: path.into(), requested: requested.into(), ..Request::sample("") };
            let new = DecisionRecord::new(Arc::new(request), Instant::now());
            let texts = Texts::of(&DecisionRecord { resolved: resolved.map(Into::into), ..new });
            assert_eq!((texts.requested(), texts.path(), texts.resolved()), (requested, path, resolved));
            assert_eq!(texts.options(), []);
            texts.all
        };
        assert_eq!(&*kept("a/b", "a/b", Some("boot:a/b")), "boot:a/b");
        assert_eq!(&*kept("/a/b", "a/b", Some("boot:a/b")), "boot:a/b/a/b");
        assert_eq!(&*kept("b", "a/b", Some("boot:c")), "boot:ca/b");
        assert_eq!(&*kept("", "", None), "");
        assert_eq!(&*kept("ü", "ü", Some("content")), "contentü");
    }

    #[test]
    fn later_calls_are_included() {
        let record = full();
        let compact = CompactRecord::from(&record);
        record.request.calls.note(record.request.calls.list()[0].clone());
        assert_eq!(compact.expand().request.calls.list().len(), 2);
    }
}
