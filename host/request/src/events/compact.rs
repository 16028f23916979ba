//! The compact record of an open transfer.
//!
//! Tens of thousands of transfers may be open, and most of their records are not read before the end. So an open
//! transfer has its record in this form: what equal decisions have in common is shared, and rare facts are in a box.

use super::{DecisionFacts, DecisionRecord};
use crate::calls::{Calls, SharedCalls};
use crate::class::ClientClass;
use crate::negotiated::Negotiated;
use crate::packed_address::PackedAddress;
use crate::packed_time::{PackedDuration, PackedInstant};
use crate::progress::Progress;
use crate::protocol::Protocol;
use crate::request::{Certificate, LeaseFact, MacFact, Operation, Request, RequestId};
use crate::trail::Trail;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use std::time::{Duration, Instant, SystemTime};
use tuffet_core::OptionSet;

/// A [`DecisionRecord`] from the decision to the end of the transfer, and the progress of that transfer. The worker and
/// the live view share it.
#[derive(Debug)]
pub struct CompactRecord {
    /// The progress, for other threads.
    pub progress: Progress,
    facts: Arc<DecisionFacts>,
    id: RequestId,
    received: PackedInstant,
    received_unix_ms: u64,
    rare: Option<Box<RareFactsOfClient>>,
    decided_after: PackedDuration,
    /// The negotiated options, as in [`Negotiated`]; not in one, which would take three bytes more.
    sizes: AtomicU32,
    /// 0 until the worker has granted the request.
    granted: AtomicU8,
    client: PackedAddress,
    mac: Option<MacFact>,
}

/// Facts that differ for each client, of few requests.
#[derive(Debug)]
struct RareFactsOfClient {
    calls: Option<SharedCalls>,
    trail: Option<Arc<Trail>>,
    lease: Option<Box<LeaseFact>>,
    certificate: Option<Arc<Certificate>>,
    /// The second and the third: there is at most one of each source.
    more_macs: [Option<MacFact>; 2],
}

impl CompactRecord {
    /// Creates the record of a decision. `facts`: those of `record`, or of an equal one.
    ///
    /// It has no group yet, because a client joins one only after its request was granted.
    pub fn new(record: &DecisionRecord, facts: Arc<DecisionFacts>) -> CompactRecord {
        let request = &*record.request;
        let mut macs = request.macs.iter().copied();
        CompactRecord {
            progress: Progress::default(),
            facts,
            id: request.id,
            received: record.received.into(),
            received_unix_ms: unix_ms(request.received_at),
            decided_after: record.decided_after.into(),
            sizes: AtomicU32::default(),
            granted: AtomicU8::default(),
            client: request.client.into(),
            mac: macs.next(),
            rare: RareFactsOfClient::of(request, [macs.next(), macs.next()]),
        }
    }

    /// Returns the record in full.
    pub fn expand(&self) -> DecisionRecord {
        let (facts, own) = (&*self.facts, self.rare.as_deref());
        let rare = facts.rare.as_deref();
        let more_macs = own.map_or([None, None], |own| own.more_macs);
        let request = Request {
            id: self.id,
            listener: Arc::clone(&facts.listener),
            protocol: facts.protocol,
            operation: facts.operation,
            mode: facts.mode,
            requested: facts.texts.requested().into(),
            raw_name: rare.and_then(|rare| rare.raw_name.clone()),
            // Its path names a file, or is shown in printable form.
            unsafe_name: None,
            prefix: rare.and_then(|rare| rare.prefix.clone()),
            shim_folder: rare.and_then(|rare| rare.shim_folder.clone()),
            stored_in: rare.and_then(|rare| rare.stored_in.clone()),
            any_case: facts.any_case,
            path: facts.texts.path().into(),
            client: self.client(),
            local_address: rare.and_then(|rare| rare.local_address),
            interface: rare.and_then(|rare| rare.interface.clone()),
            vlan: rare.and_then(|rare| rare.vlan),
            lease: own.and_then(|own| own.lease.clone()),
            macs: self.mac.into_iter().chain(more_macs.into_iter().flatten()).collect(),
            certificate: own.and_then(|own| own.certificate.clone()),
            class: facts.class,
            options: facts.texts.options(),
            received_at: SystemTime::UNIX_EPOCH + Duration::from_millis(self.received_unix_ms),
            calls: Calls::from(own.and_then(|own| own.calls.clone())),
            trail: own.and_then(|own| own.trail.clone()),
        };
        DecisionRecord {
            request: Arc::new(request),
            requested_options: self.requested_options(),
            received: self.received(),
            decided_after: self.decided_after.into(),
            resolved: facts.texts.resolved().map(Into::into),
            group: None,
            verdict_by: facts.verdict_by.clone(),
            plugin_calls: facts.plugin_calls,
            size: facts.size,
            rate: facts.rate,
            tried: rare.and_then(|rare| rare.tried.clone()),
        }
    }

    /// Sets the negotiated options, once: its worker does.
    pub fn negotiated(&self, options: &OptionSet) {
        let Negotiated { sizes, granted } = Negotiated::new(options);
        self.sizes.store(sizes, Ordering::Relaxed);
        // A reader that sees this also sees the sizes.
        self.granted.store(granted, Ordering::Release);
    }

    /// Returns the negotiated options; `None` until the worker has granted the request.
    pub fn negotiated_options(&self) -> Option<OptionSet> {
        let granted = self.granted.load(Ordering::Acquire);
        let negotiated = Negotiated { sizes: self.sizes.load(Ordering::Relaxed), granted };
        (granted > 0).then(|| negotiated.options(&self.requested_options(), self.size()))
    }

    /// Returns the ID of the request.
    pub fn id(&self) -> RequestId {
        self.id
    }

    /// Returns how the request arrived.
    pub fn protocol(&self) -> Protocol {
        self.facts.protocol
    }

    /// Returns whether it is a read or a write.
    pub fn operation(&self) -> Operation {
        self.facts.operation
    }

    /// Returns the name of the listener.
    pub fn listener(&self) -> &str {
        &self.facts.listener
    }

    /// Returns the address and port of the client.
    pub fn client(&self) -> SocketAddr {
        self.client.into()
    }

    /// Returns the MAC address that the live view shows, if any is known.
    pub fn mac(&self) -> Option<MacFact> {
        self.mac
    }

    /// Returns the class of the client.
    pub fn class(&self) -> ClientClass {
        self.facts.class
    }

    /// Returns the normalised path.
    pub fn path(&self) -> &str {
        self.facts.texts.path()
    }

    /// Returns the file that was opened, as `ROOT:PATH`, if there is one.
    pub fn resolved(&self) -> Option<&str> {
        self.facts.texts.resolved()
    }

    /// Returns the plugin that decided.
    pub fn verdict_by(&self) -> Option<&str> {
        self.facts.verdict_by.as_deref()
    }

    /// Returns when the request arrived.
    pub fn received(&self) -> Instant {
        self.received.into()
    }

    /// Returns the requested options that the protocol knows.
    pub fn requested_options(&self) -> OptionSet {
        self.facts.requested_options.into()
    }

    /// Returns the bytes on the wire, if they were known when the request was decided.
    pub fn size(&self) -> Option<u64> {
        self.facts.size
    }

    /// Returns the rate limit of its transfer in bytes of file data per second.
    pub fn rate(&self) -> Option<u32> {
        self.facts.rate
    }

    /// Returns its trail, while traces are exported.
    pub fn trail(&self) -> Option<&Trail> {
        self.rare.as_deref()?.trail.as_deref()
    }
}

impl From<&DecisionRecord> for CompactRecord {
    /// Shares no facts.
    fn from(record: &DecisionRecord) -> CompactRecord {
        CompactRecord::new(record, Arc::new(record.into()))
    }
}

fn unix_ms(time: SystemTime) -> u64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

impl RareFactsOfClient {
    fn of(request: &Request, more_macs: [Option<MacFact>; 2]) -> Option<Box<RareFactsOfClient>> {
        let (calls, trail, lease) = (request.calls.handle(), request.trail.clone(), request.lease.clone());
        let certificate = request.certificate.clone();
        let is_empty = calls.is_none()
            && trail.is_none()
            && lease.is_none()
            && certificate.is_none()
            && more_macs[0].is_none();
        (!is_empty).then(|| Box::new(RareFactsOfClient { calls, trail, lease, certificate, more_macs }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A client joins a group only after its request was granted.
    fn full() -> DecisionRecord {
        DecisionRecord { group: None, ..DecisionRecord::sample() }
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
        assert!(size_of::<CompactRecord>() <= 112, "{}", size_of::<CompactRecord>());
    }

    #[test]
    fn later_calls_are_included() {
        let record = full();
        let compact = CompactRecord::from(&record);
        record.request.calls.note(record.request.calls.list()[0].clone());
        assert_eq!(compact.expand().request.calls.list().len(), 2);
    }
}
