//! One request on its way to its decision, in three stages.

use super::Admission;
use super::candidates::serves;
use super::plan::{Plan, ask_policy};
use super::refusals::{internal_error, overloaded};
use crate::content::OutstandingCall;
use crate::generation::{Generation, within};
use crate::neighbours::Neighbours;
use futures_util::FutureExt;
use std::net::{IpAddr, SocketAddr};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::SystemTime;
use tokio::time::timeout;
use tuffet_engine::worker::{Content, Decision, Gate, NewRequest, Ticket, ToWorker};
use tuffet_request::events::{CompactRecord, DecisionRecord, EventKind, resolved_file};
use tuffet_request::names;
use tuffet_request::names::RequestedName;
use tuffet_request::settings::TimeLimit;
use tuffet_request::{
    Calls, ClientClass, LeaseFact, MacAddress, MacFact, MacSource, Mode, Operation, Protocol, Request,
    RequestId, Trail,
};

/// A request that is not decided yet, with all data for its decision. Boxed, because it is large and moved often.
pub(super) struct PendingRequest {
    pub(super) admission: Arc<Admission>,
    /// The generation of the request and its transfer.
    pub(super) generation: Arc<Generation>,
    /// `None` once it is concluded.
    new: Option<NewRequest>,
    /// Each stage adds its facts.
    pub(super) record: DecisionRecord,
    /// Counts it while it is undecided.
    _outstanding: OutstandingCall,
}

impl PendingRequest {
    /// The first stage: reads the request and asks policy. May wait, never blocks.
    pub(super) async fn ask(
        admission: Arc<Admission>,
        generation: Arc<Generation>,
        new: NewRequest,
    ) -> (Box<PendingRequest>, Plan) {
        let (client, interface) = (new.peer.ip().to_canonical(), new.interface());
        let found = find_neighbour(&admission.neighbours, client, interface, generation.open_limit()).await;
        let (neighbour, undecidable) =
            found.map_or_else(|decision| (None, Some(decision)), |its| (its, None));
        let mut pending = PendingRequest::read(admission, generation, new, neighbour);
        let plan = match undecidable {
            Some(decision) => Plan::Decided(decision),
            // A panic must not occupy a place among the pending requests for ever.
            None => AssertUnwindSafe(ask_policy(&pending.generation, &mut pending.record))
                .catch_unwind()
                .await
                .unwrap_or_else(|_| Plan::Decided(internal_error())),
        };
        (pending, plan)
    }

    /// The first stage if policy cannot affect the request. Never waits: nothing depends on the client's MAC address,
    /// so only the cached neighbour table is read.
    pub(super) fn without_policy(
        admission: Arc<Admission>,
        generation: Arc<Generation>,
        new: NewRequest,
    ) -> (Box<PendingRequest>, Plan) {
        let neighbour = admission.neighbours.cached(new.peer.ip().to_canonical(), new.interface());
        let mut pending = PendingRequest::read(admission, generation, new, neighbour);
        let plan = Plan::without_policy(&mut pending.record);
        (pending, plan)
    }

    /// Creates the request as policy sees it.
    fn read(
        admission: Arc<Admission>,
        generation: Arc<Generation>,
        mut new: NewRequest,
        neighbour: Option<MacAddress>,
    ) -> Box<PendingRequest> {
        let trail = admission.sampling.map(|sampling| sampling.begin(new.received, None));
        let listener = admission.listeners.get(usize::from(new.listener)).cloned();
        let listener = listener.unwrap_or_else(|| "".into());
        let local = match new.local.filter(|_| generation.policy.wants_local(&listener)) {
            Some(local) => {
                let (interface, vlan) =
                    (admission.interface_names.of(local.interface), admission.vlans.of(local.interface));
                Arrival { address: local.address, interface, vlan }
            }
            None => Arrival::default(),
        };
        let requested = ReceivedRequest {
            id: admission.next_id(),
            listener,
            protocol: Protocol::Tftp,
            operation: new.operation,
            mode: new.mode,
            client: new.peer,
            local,
            name: &new.name,
            received_at: SystemTime::now(),
            options: std::mem::take(&mut new.options),
        };
        let facts = ClientFacts { neighbour, lease: generation.leases.find(new.peer.ip().to_canonical()) };
        let request = requested.read(&generation, facts, trail);
        let record = DecisionRecord {
            requested_options: new.requested,
            ..DecisionRecord::new(Arc::new(request), new.received)
        };
        let _outstanding = generation.files.outstanding.call();
        Box::new(PendingRequest { admission, generation, new: Some(new), record, _outstanding })
    }

    /// The third stage: informs the live view and observers before the worker, and so before the end of the transfer.
    pub(super) fn conclude(mut self: Box<Self>, decision: Decision) {
        self.post(decision);
    }

    fn post(&mut self, mut decision: Decision) {
        let Some(new) = self.new.take() else { return };
        let PendingRequest { admission, generation, record, .. } = self;
        record.size = decision.size(new.requested.tsize);
        let granted = matches!(decision, Decision::Grant { .. });
        let open = concluded(admission, record, granted);
        let start = if granted { announce(admission, generation, record, &open) } else { None };
        if let Decision::Grant { content: Content::Upload(sink), .. } = &mut decision
            && generation.policy.gates_uploads(open.listener())
        {
            sink.ask(Arc::clone(generation) as Arc<dyn Gate>);
        }
        let ticket = Ticket { record: open, place: new.place };
        let message = ToWorker::Decided { key: new.key, ticket, share: new.share, decision };
        match admission.observers.begin(start) {
            Ok(()) => admission.post(new.worker, message),
            // Not on this thread: the consumer of the queue may need a deciding thread.
            Err(start) => {
                let its = Arc::clone(admission);
                let outstanding = generation.files.outstanding.clone();
                drop(admission.runtime.spawn(async move {
                    outstanding.until_stopped(its.observers.backlog().room()).await;
                    its.observers.started(start);
                    its.post(new.worker, message);
                }));
            }
        }
    }
}

/// Completes the record of a decided request, and counts it.
pub(super) fn concluded(
    admission: &Admission,
    record: &mut DecisionRecord,
    granted: bool,
) -> Arc<CompactRecord> {
    let decided_after = record.received.elapsed();
    record.decided_after = Some(decided_after);
    show_unsafe_name(record);
    // A request that is not granted ends at once.
    let open = match granted {
        true => CompactRecord::new(record, admission.recent_decisions.facts_of(record)),
        false => CompactRecord::from(&*record),
    };
    admission.watch.decided(decided_after);
    Arc::new(open)
}

/// Adds a granted request to the live view. Returns its start, if observers want that.
pub(super) fn announce(
    admission: &Admission,
    generation: &Generation,
    record: &DecisionRecord,
    open: &Arc<CompactRecord>,
) -> Option<Box<EventKind>> {
    if let Some(folders) = &generation.netboot.shim_folders {
        folders.note(&record.request);
    }
    admission.watch.granted(Arc::clone(open));
    let want = admission.observers.want();
    // Observers of progress need the start event to follow a transfer.
    (want.started || want.progressed).then(|| {
        let (record, open) = (Arc::new(record.clone()), Arc::clone(open));
        Box::new(EventKind::Started { record, open })
    })
}

/// A request that is given up undecided, as after a panic, still gets its outcome and frees its place.
impl Drop for PendingRequest {
    fn drop(&mut self) {
        self.post(internal_error());
    }
}

/// Returns the MAC address of a client, if it is known.
///
/// # Errors
/// The decision, if that takes too long or panics: policy must not take a client for one without a MAC address.
async fn find_neighbour(
    neighbours: &Neighbours,
    client: IpAddr,
    interface: u32,
    limit: TimeLimit,
) -> Result<Option<MacAddress>, Decision> {
    let asking = AssertUnwindSafe(neighbours.find(client, interface)).catch_unwind();
    match timeout(limit.within, asking).await {
        Ok(found) => found.map_err(|_| internal_error()),
        Err(_) => Err(overloaded(format!("the client's MAC address was not found out {}", within(limit)))),
    }
}

impl Admission {
    pub(super) fn next_id(&self) -> RequestId {
        RequestId(self.ids.fetch_add(1, Ordering::Relaxed))
    }
}

/// The local address, interface and VLAN of a request.
#[derive(Debug, Default)]
pub(super) struct Arrival {
    pub(super) address: Option<IpAddr>,
    pub(super) interface: Option<Arc<str>>,
    pub(super) vlan: Option<u16>,
}

/// Facts about a client.
#[derive(Debug, Default)]
pub(super) struct ClientFacts {
    /// Its MAC address in the neighbour table.
    pub(super) neighbour: Option<MacAddress>,
    /// The lease of its address.
    pub(super) lease: Option<Box<LeaseFact>>,
}

/// A parsed packet and where it came from.
pub(super) struct ReceivedRequest<'a> {
    pub(super) id: RequestId,
    pub(super) listener: Arc<str>,
    pub(super) protocol: Protocol,
    pub(super) operation: Operation,
    pub(super) mode: Mode,
    pub(super) client: SocketAddr,
    /// Empty unless a plugin wants it.
    pub(super) local: Arrival,
    pub(super) name: &'a [u8],
    pub(super) received_at: SystemTime,
    /// Names in lower case.
    pub(super) options: Vec<(String, String)>,
}

impl ReceivedRequest<'_> {
    /// Creates the request as policy sees it.
    pub(super) fn read(
        self,
        generation: &Generation,
        facts: ClientFacts,
        trail: Option<Arc<Trail>>,
    ) -> Request {
        let RequestedName { requested, raw_name, mut path, unsafe_name } =
            RequestedName::read(self.name, generation.netboot.name_tails);
        let mut prefix = None;
        let served = generation.negotiation.roots_of(&self.listener);
        if names::is_absolute(self.name)
            && unsafe_name.is_none()
            && let Some((below, rest)) = generation.files.roots.below(&path, |root| serves(served, root))
        {
            prefix = Some(below);
            path = rest.to_owned();
        }
        let client = SocketAddr::new(self.client.ip().to_canonical(), self.client.port());
        Request {
            id: self.id,
            listener: self.listener,
            protocol: self.protocol,
            operation: self.operation,
            mode: self.mode,
            macs: macs(&facts, &path),
            certificate: None,
            class: match self.protocol {
                Protocol::Tftp => ClientClass::guess(self.operation, &path, &self.options),
                // Its shape says nothing.
                _ => ClientClass::UNKNOWN,
            },
            path,
            requested,
            raw_name,
            unsafe_name,
            prefix,
            stored_in: None,
            any_case: false,
            shim_folder: None,
            client,
            local_address: self.local.address,
            interface: self.local.interface,
            vlan: self.local.vlan,
            lease: facts.lease,
            options: self.options,
            received_at: self.received_at,
            calls: Calls::default(),
            trail,
        }
    }
}

/// Gives the record of a request whose name is not safe the path that the log shows.
pub(super) fn show_unsafe_name(record: &mut DecisionRecord) {
    if record.request.unsafe_name.is_some() {
        let resolved = record.resolved.clone();
        let file = resolved.as_deref().and_then(resolved_file).map(|(_, path)| path);
        Arc::make_mut(&mut record.request).show_unsafe_name(file);
    }
}

fn macs(facts: &ClientFacts, path: &str) -> Vec<MacFact> {
    let fact = |source| move |address| MacFact { address, source };
    let leased = facts.lease.as_deref().and_then(LeaseFact::mac);
    facts
        .neighbour
        .map(fact(MacSource::NeighbourTable))
        .into_iter()
        .chain(leased.map(fact(MacSource::LeaseFile)))
        .chain(names::mac_in_name(path).map(fact(MacSource::RequestedName)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neighbours::AskKernel;
    use futures_util::future::BoxFuture;
    use std::time::Duration;
    use tuffet_request::settings::SettingNames;

    fn size_of_future<A, B, C, F: Future>(_: impl Fn(A, B, C) -> F) -> usize {
        size_of::<F>()
    }

    fn size_of_second<A, B, F: Future>(_: impl Fn(A, B) -> F) -> usize {
        size_of::<F>()
    }

    /// Asks no plugin, and either never answers or panics.
    struct Broken(bool);

    impl AskKernel for Broken {
        fn ask(&self, _: IpAddr, _: u32) -> BoxFuture<'_, Option<MacAddress>> {
            assert!(!self.0, "on purpose");
            Box::pin(std::future::pending())
        }
    }

    /// A rule by MAC address would otherwise deny a client whose address is not known in time.
    #[tokio::test(start_paused = true)]
    async fn a_request_whose_mac_address_is_not_found_out_is_not_decided_without_it() {
        let client = IpAddr::from([192, 0, 2, 1]);
        let setting = SettingNames::Fields.of("limits.open-time");
        let limit = TimeLimit { within: Duration::from_secs(5), setting };
        let find = async |panics| {
            let neighbours = Neighbours::new(Arc::default(), Some(Arc::new(Broken(panics))));
            find_neighbour(&neighbours, client, 1, limit).await
        };
        assert!(matches!(find(false).await, Err(Decision::Drop { .. })));
        assert!(matches!(find(true).await, Err(Decision::Refuse { .. })));
        let known = find_neighbour(&Neighbours::default(), client, 1, limit).await;
        assert!(matches!(known, Ok(None)));
    }

    /// They are moved to the heap for each request. With unboxed futures of plugin calls, that moved 26 KB.
    #[test]
    fn the_stages_are_small() {
        let (first, second) =
            (size_of_future(PendingRequest::ask), size_of_second(PendingRequest::carry_out));
        assert!(first <= 6144 && second <= 2048, "{first}, {second}");
    }
}
