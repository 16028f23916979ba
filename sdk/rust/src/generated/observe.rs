#[allow(unfulfilled_lint_expectations, unused_imports)]
use crate::bindings::types::tuffet::policy::types as __with_name0;
#[allow(dead_code, clippy::all)]
pub mod exports {
    pub mod tuffet {
        pub mod policy {
            /// What happened. Batches, after the fact, off the data path.
            #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
            pub mod observe {
                #[used]
                #[doc(hidden)]
                static __FORCE_SECTION_REF: fn() = super::super::super::super::__link_custom_section_describing_imports;
                use super::super::super::super::_rt;
                pub type Request = super::super::super::super::__with_name0::Request;
                pub type Resolved = super::super::super::super::__with_name0::Resolved;
                pub type Target = super::super::super::super::__with_name0::Target;
                /// What was decided about a request.
                #[derive(Clone, Eq, PartialEq)]
                pub struct DecidedRequest {
                    pub request: Request,
                    /// What it is that the client gets; none if it was refused before that was known.
                    pub resolved: ::core::option::Option<Resolved>,
                    /// The plugin that decided; none where the configuration did.
                    pub decided_by: ::core::option::Option<_rt::String>,
                    /// Bytes on the wire, where they are known.
                    pub size: ::core::option::Option<u64>,
                    /// From the request to the decision, in microseconds; none without one.
                    pub decision_us: ::core::option::Option<u64>,
                }
                impl ::core::fmt::Debug for DecidedRequest {
                    fn fmt(
                        &self,
                        f: &mut ::core::fmt::Formatter<'_>,
                    ) -> ::core::fmt::Result {
                        f.debug_struct("DecidedRequest")
                            .field("request", &self.request)
                            .field("resolved", &self.resolved)
                            .field("decided-by", &self.decided_by)
                            .field("size", &self.size)
                            .field("decision-us", &self.decision_us)
                            .finish()
                    }
                }
                /// How far a transfer has come.
                #[derive(Clone, Eq, PartialEq)]
                pub struct Progress {
                    pub request_id: _rt::String,
                    /// Bytes that arrived, as on the wire.
                    pub transferred: u64,
                    /// Bytes on the wire, where they are known.
                    pub size: ::core::option::Option<u64>,
                }
                impl ::core::fmt::Debug for Progress {
                    fn fmt(
                        &self,
                        f: &mut ::core::fmt::Formatter<'_>,
                    ) -> ::core::fmt::Result {
                        f.debug_struct("Progress")
                            .field("request-id", &self.request_id)
                            .field("transferred", &self.transferred)
                            .field("size", &self.size)
                            .finish()
                    }
                }
                /// A request has ended.
                #[derive(Clone, Eq, PartialEq)]
                pub struct Summary {
                    pub decided: DecidedRequest,
                    /// What was answered. Why, and how it ended, is the outcome's to say.
                    /// - `granted`: blocks could move;
                    /// - `refused`: with an ERROR;
                    /// - `dropped`: without an answer;
                    /// - `undecided`: it ended before it was decided, since the client asked for something else, or the server stopped.
                    pub decision: _rt::String,
                    /// How it ended.
                    /// - `served`: the client acknowledged the last block;
                    /// - `stored`: the upload is on disk under its name;
                    /// - `probed`: the client wanted the size only, or closed early as some boot loaders do;
                    /// - `aborted`: the client ended it, broke the protocol, or asked for something else instead;
                    /// - `denied`: policy, a root's rules or a limit said no;
                    /// - `not-found`: there is no such file;
                    /// - `timed-out`: the client fell silent;
                    /// - `failed`: the server could not do it.
                    pub outcome: _rt::String,
                    /// More about the outcome; not for clients.
                    pub detail: ::core::option::Option<_rt::String>,
                    /// How many plugins were called.
                    pub plugin_calls: u32,
                    /// Where the file of a refused request was looked for, in order; at most 16.
                    pub tried: _rt::Vec<Target>,
                    /// The plugin that named these places, if one did.
                    pub tried_by: ::core::option::Option<_rt::String>,
                    /// Bytes in a block, as negotiated; what was asked is in `request.options`.
                    pub blksize: u16,
                    /// Blocks in a window, as negotiated.
                    pub windowsize: u16,
                    /// The option `timeout` in seconds, where it was negotiated.
                    pub timeout_option: ::core::option::Option<u8>,
                    /// The option `tsize` in bytes, where it was answered.
                    pub tsize: ::core::option::Option<u64>,
                    /// Bytes that arrived, as on the wire.
                    pub transferred: u64,
                    /// Blocks that arrived, the last short or empty one included.
                    pub blocks: u64,
                    /// Packets sent again.
                    pub retransmissions: u64,
                    /// Packets that came again.
                    pub duplicates: u64,
                    /// Times that the client was silent for too long.
                    pub timeouts: u64,
                    /// The smoothed round-trip time in microseconds, where it was measured.
                    pub rtt_us: ::core::option::Option<u64>,
                    /// From the request to the first block that is known to have arrived, in microseconds: for a read the first ACK of a
                    /// block, for a write the first block. None where none did.
                    pub first_block_us: ::core::option::Option<u64>,
                    /// From the request to the end, in microseconds.
                    pub duration_us: u64,
                    /// `other-case`: what is there instead of a file that is not found, if its name differs in upper and lower case alone.
                    /// `hint`: what the pattern of the transfer usually means.
                    pub attributes: _rt::Vec<(_rt::String, _rt::String)>,
                }
                impl ::core::fmt::Debug for Summary {
                    fn fmt(
                        &self,
                        f: &mut ::core::fmt::Formatter<'_>,
                    ) -> ::core::fmt::Result {
                        f.debug_struct("Summary")
                            .field("decided", &self.decided)
                            .field("decision", &self.decision)
                            .field("outcome", &self.outcome)
                            .field("detail", &self.detail)
                            .field("plugin-calls", &self.plugin_calls)
                            .field("tried", &self.tried)
                            .field("tried-by", &self.tried_by)
                            .field("blksize", &self.blksize)
                            .field("windowsize", &self.windowsize)
                            .field("timeout-option", &self.timeout_option)
                            .field("tsize", &self.tsize)
                            .field("transferred", &self.transferred)
                            .field("blocks", &self.blocks)
                            .field("retransmissions", &self.retransmissions)
                            .field("duplicates", &self.duplicates)
                            .field("timeouts", &self.timeouts)
                            .field("rtt-us", &self.rtt_us)
                            .field("first-block-us", &self.first_block_us)
                            .field("duration-us", &self.duration_us)
                            .field("attributes", &self.attributes)
                            .finish()
                    }
                }
                /// An event of a kind that this version does not know.
                #[derive(Clone, Eq, PartialEq)]
                pub struct OtherEvent {
                    pub kind: _rt::String,
                    /// None for an event that belongs to no request.
                    pub request_id: ::core::option::Option<_rt::String>,
                    pub attributes: _rt::Vec<(_rt::String, _rt::String)>,
                }
                impl ::core::fmt::Debug for OtherEvent {
                    fn fmt(
                        &self,
                        f: &mut ::core::fmt::Formatter<'_>,
                    ) -> ::core::fmt::Result {
                        f.debug_struct("OtherEvent")
                            .field("kind", &self.kind)
                            .field("request-id", &self.request_id)
                            .field("attributes", &self.attributes)
                            .finish()
                    }
                }
                #[derive(Clone, Eq, PartialEq)]
                pub enum EventKind {
                    /// A request was granted; blocks are about to move.
                    Started(DecidedRequest),
                    Progressed(Progress),
                    Finished(Summary),
                    Other(OtherEvent),
                }
                impl ::core::fmt::Debug for EventKind {
                    fn fmt(
                        &self,
                        f: &mut ::core::fmt::Formatter<'_>,
                    ) -> ::core::fmt::Result {
                        match self {
                            EventKind::Started(e) => {
                                f.debug_tuple("EventKind::Started").field(e).finish()
                            }
                            EventKind::Progressed(e) => {
                                f.debug_tuple("EventKind::Progressed").field(e).finish()
                            }
                            EventKind::Finished(e) => {
                                f.debug_tuple("EventKind::Finished").field(e).finish()
                            }
                            EventKind::Other(e) => {
                                f.debug_tuple("EventKind::Other").field(e).finish()
                            }
                        }
                    }
                }
                #[derive(Clone, Eq, PartialEq)]
                pub struct Event {
                    /// Counts the events of one process of the server, from 1: no two have the same, and an event that is given again has
                    /// the one of before. Not every plugin gets every event, so that numbers are missing.
                    pub sequence: u64,
                    /// When, in milliseconds since 1970-01-01T00:00:00Z; needs no grant.
                    pub unix_ms: u64,
                    pub kind: EventKind,
                }
                impl ::core::fmt::Debug for Event {
                    fn fmt(
                        &self,
                        f: &mut ::core::fmt::Formatter<'_>,
                    ) -> ::core::fmt::Result {
                        f.debug_struct("Event")
                            .field("sequence", &self.sequence)
                            .field("unix-ms", &self.unix_ms)
                            .field("kind", &self.kind)
                            .finish()
                    }
                }
                #[doc(hidden)]
                #[allow(non_snake_case, unused_unsafe)]
                pub unsafe fn _export_observe_cabi<T_: Guest>(
                    arg0: *mut u8,
                    arg1: usize,
                ) {
                    unsafe {
                        #[cfg(target_arch = "wasm32")] _rt::run_ctors_once();
                        {
                            let base327 = arg0;
                            let len327 = arg1;
                            let mut result327 = _rt::Vec::with_capacity(len327);
                            for i in 0..len327 {
                                let base = base327
                                    .add(i * (224 + 70 * ::core::mem::size_of::<*const u8>()));
                                let e327 = {
                                    let l0 = *base.add(0).cast::<i64>();
                                    let l1 = *base.add(8).cast::<i64>();
                                    let l2 = i32::from(*base.add(16).cast::<u8>());
                                    let v326 = match l2 {
                                        0 => {
                                            let e326 = {
                                                let l3 = *base.add(24).cast::<*mut u8>();
                                                let l4 = *base
                                                    .add(24 + 1 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len5 = l4;
                                                let bytes5 = _rt::Vec::from_raw_parts(
                                                    l3.cast(),
                                                    len5,
                                                    len5,
                                                );
                                                let l6 = *base
                                                    .add(24 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l7 = *base
                                                    .add(24 + 3 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len8 = l7;
                                                let bytes8 = _rt::Vec::from_raw_parts(
                                                    l6.cast(),
                                                    len8,
                                                    len8,
                                                );
                                                let l9 = i32::from(
                                                    *base
                                                        .add(24 + 4 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l10 = i32::from(
                                                    *base
                                                        .add(25 + 4 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l11 = *base
                                                    .add(24 + 5 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l12 = *base
                                                    .add(24 + 6 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len13 = l12;
                                                let bytes13 = _rt::Vec::from_raw_parts(
                                                    l11.cast(),
                                                    len13,
                                                    len13,
                                                );
                                                let l14 = *base
                                                    .add(24 + 7 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l15 = *base
                                                    .add(24 + 8 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len16 = l15;
                                                let bytes16 = _rt::Vec::from_raw_parts(
                                                    l14.cast(),
                                                    len16,
                                                    len16,
                                                );
                                                let l17 = *base
                                                    .add(32 + 8 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l18 = *base
                                                    .add(32 + 9 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len19 = l18;
                                                let bytes19 = _rt::Vec::from_raw_parts(
                                                    l17.cast(),
                                                    len19,
                                                    len19,
                                                );
                                                let l20 = i32::from(
                                                    *base
                                                        .add(32 + 10 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u16>(),
                                                );
                                                let l21 = i32::from(
                                                    *base
                                                        .add(32 + 11 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l40 = i32::from(
                                                    *base
                                                        .add(32 + 16 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l66 = *base
                                                    .add(64 + 32 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l67 = *base
                                                    .add(64 + 33 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len68 = l67;
                                                let bytes68 = _rt::Vec::from_raw_parts(
                                                    l66.cast(),
                                                    len68,
                                                    len68,
                                                );
                                                let l69 = i32::from(
                                                    *base
                                                        .add(64 + 34 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l80 = *base
                                                    .add(64 + 42 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l81 = *base
                                                    .add(64 + 43 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let base88 = l80;
                                                let len88 = l81;
                                                let mut result88 = _rt::Vec::with_capacity(len88);
                                                for i in 0..len88 {
                                                    let base = base88
                                                        .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                                    let e88 = {
                                                        let l82 = *base.add(0).cast::<*mut u8>();
                                                        let l83 = *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len84 = l83;
                                                        let bytes84 = _rt::Vec::from_raw_parts(
                                                            l82.cast(),
                                                            len84,
                                                            len84,
                                                        );
                                                        let l85 = *base
                                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>();
                                                        let l86 = *base
                                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len87 = l86;
                                                        let bytes87 = _rt::Vec::from_raw_parts(
                                                            l85.cast(),
                                                            len87,
                                                            len87,
                                                        );
                                                        (_rt::string_lift(bytes84), _rt::string_lift(bytes87))
                                                    };
                                                    result88.push(e88);
                                                }
                                                _rt::cabi_dealloc(
                                                    base88,
                                                    len88 * (4 * ::core::mem::size_of::<*const u8>()),
                                                    ::core::mem::size_of::<*const u8>(),
                                                );
                                                let l89 = *base
                                                    .add(64 + 44 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<i64>();
                                                let l90 = *base
                                                    .add(72 + 44 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l91 = *base
                                                    .add(72 + 45 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let base98 = l90;
                                                let len98 = l91;
                                                let mut result98 = _rt::Vec::with_capacity(len98);
                                                for i in 0..len98 {
                                                    let base = base98
                                                        .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                                    let e98 = {
                                                        let l92 = *base.add(0).cast::<*mut u8>();
                                                        let l93 = *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len94 = l93;
                                                        let bytes94 = _rt::Vec::from_raw_parts(
                                                            l92.cast(),
                                                            len94,
                                                            len94,
                                                        );
                                                        let l95 = *base
                                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>();
                                                        let l96 = *base
                                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len97 = l96;
                                                        let bytes97 = _rt::Vec::from_raw_parts(
                                                            l95.cast(),
                                                            len97,
                                                            len97,
                                                        );
                                                        super::super::super::super::__with_name0::Label {
                                                            plugin: _rt::string_lift(bytes94),
                                                            text: _rt::string_lift(bytes97),
                                                        }
                                                    };
                                                    result98.push(e98);
                                                }
                                                _rt::cabi_dealloc(
                                                    base98,
                                                    len98 * (4 * ::core::mem::size_of::<*const u8>()),
                                                    ::core::mem::size_of::<*const u8>(),
                                                );
                                                let l99 = *base
                                                    .add(72 + 46 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l100 = *base
                                                    .add(72 + 47 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let base107 = l99;
                                                let len107 = l100;
                                                let mut result107 = _rt::Vec::with_capacity(len107);
                                                for i in 0..len107 {
                                                    let base = base107
                                                        .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                                    let e107 = {
                                                        let l101 = *base.add(0).cast::<*mut u8>();
                                                        let l102 = *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len103 = l102;
                                                        let bytes103 = _rt::Vec::from_raw_parts(
                                                            l101.cast(),
                                                            len103,
                                                            len103,
                                                        );
                                                        let l104 = *base
                                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>();
                                                        let l105 = *base
                                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len106 = l105;
                                                        let bytes106 = _rt::Vec::from_raw_parts(
                                                            l104.cast(),
                                                            len106,
                                                            len106,
                                                        );
                                                        (_rt::string_lift(bytes103), _rt::string_lift(bytes106))
                                                    };
                                                    result107.push(e107);
                                                }
                                                _rt::cabi_dealloc(
                                                    base107,
                                                    len107 * (4 * ::core::mem::size_of::<*const u8>()),
                                                    ::core::mem::size_of::<*const u8>(),
                                                );
                                                let l108 = i32::from(
                                                    *base
                                                        .add(72 + 48 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l121 = i32::from(
                                                    *base
                                                        .add(72 + 54 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l125 = i32::from(
                                                    *base
                                                        .add(80 + 56 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l127 = i32::from(
                                                    *base
                                                        .add(96 + 56 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                DecidedRequest {
                                                    request: super::super::super::super::__with_name0::Request {
                                                        id: _rt::string_lift(bytes5),
                                                        listener: _rt::string_lift(bytes8),
                                                        operation: super::super::super::super::__with_name0::Operation::_lift(
                                                            l9 as u8,
                                                        ),
                                                        mode: super::super::super::super::__with_name0::Mode::_lift(
                                                            l10 as u8,
                                                        ),
                                                        requested: _rt::string_lift(bytes13),
                                                        path: _rt::string_lift(bytes16),
                                                        client: super::super::super::super::__with_name0::Client {
                                                            address: _rt::string_lift(bytes19),
                                                            port: l20 as u16,
                                                            macs: match l21 {
                                                                0 => None,
                                                                1 => {
                                                                    let e = {
                                                                        let l22 = *base
                                                                            .add(32 + 12 * ::core::mem::size_of::<*const u8>())
                                                                            .cast::<*mut u8>();
                                                                        let l23 = *base
                                                                            .add(32 + 13 * ::core::mem::size_of::<*const u8>())
                                                                            .cast::<usize>();
                                                                        let base30 = l22;
                                                                        let len30 = l23;
                                                                        let mut result30 = _rt::Vec::with_capacity(len30);
                                                                        for i in 0..len30 {
                                                                            let base = base30
                                                                                .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                                                            let e30 = {
                                                                                let l24 = *base.add(0).cast::<*mut u8>();
                                                                                let l25 = *base
                                                                                    .add(::core::mem::size_of::<*const u8>())
                                                                                    .cast::<usize>();
                                                                                let len26 = l25;
                                                                                let bytes26 = _rt::Vec::from_raw_parts(
                                                                                    l24.cast(),
                                                                                    len26,
                                                                                    len26,
                                                                                );
                                                                                let l27 = *base
                                                                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                                                                    .cast::<*mut u8>();
                                                                                let l28 = *base
                                                                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                                                                    .cast::<usize>();
                                                                                let len29 = l28;
                                                                                let bytes29 = _rt::Vec::from_raw_parts(
                                                                                    l27.cast(),
                                                                                    len29,
                                                                                    len29,
                                                                                );
                                                                                super::super::super::super::__with_name0::Mac {
                                                                                    address: _rt::string_lift(bytes26),
                                                                                    source: _rt::string_lift(bytes29),
                                                                                }
                                                                            };
                                                                            result30.push(e30);
                                                                        }
                                                                        _rt::cabi_dealloc(
                                                                            base30,
                                                                            len30 * (4 * ::core::mem::size_of::<*const u8>()),
                                                                            ::core::mem::size_of::<*const u8>(),
                                                                        );
                                                                        let l31 = *base
                                                                            .add(32 + 14 * ::core::mem::size_of::<*const u8>())
                                                                            .cast::<*mut u8>();
                                                                        let l32 = *base
                                                                            .add(32 + 15 * ::core::mem::size_of::<*const u8>())
                                                                            .cast::<usize>();
                                                                        let base39 = l31;
                                                                        let len39 = l32;
                                                                        let mut result39 = _rt::Vec::with_capacity(len39);
                                                                        for i in 0..len39 {
                                                                            let base = base39
                                                                                .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                                                            let e39 = {
                                                                                let l33 = *base.add(0).cast::<*mut u8>();
                                                                                let l34 = *base
                                                                                    .add(::core::mem::size_of::<*const u8>())
                                                                                    .cast::<usize>();
                                                                                let len35 = l34;
                                                                                let bytes35 = _rt::Vec::from_raw_parts(
                                                                                    l33.cast(),
                                                                                    len35,
                                                                                    len35,
                                                                                );
                                                                                let l36 = *base
                                                                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                                                                    .cast::<*mut u8>();
                                                                                let l37 = *base
                                                                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                                                                    .cast::<usize>();
                                                                                let len38 = l37;
                                                                                let bytes38 = _rt::Vec::from_raw_parts(
                                                                                    l36.cast(),
                                                                                    len38,
                                                                                    len38,
                                                                                );
                                                                                super::super::super::super::__with_name0::Mac {
                                                                                    address: _rt::string_lift(bytes35),
                                                                                    source: _rt::string_lift(bytes38),
                                                                                }
                                                                            };
                                                                            result39.push(e39);
                                                                        }
                                                                        _rt::cabi_dealloc(
                                                                            base39,
                                                                            len39 * (4 * ::core::mem::size_of::<*const u8>()),
                                                                            ::core::mem::size_of::<*const u8>(),
                                                                        );
                                                                        super::super::super::super::__with_name0::MacAddresses {
                                                                            network: result30,
                                                                            claimed: result39,
                                                                        }
                                                                    };
                                                                    Some(e)
                                                                }
                                                                _ => _rt::invalid_enum_discriminant(),
                                                            },
                                                            lease: match l40 {
                                                                0 => None,
                                                                1 => {
                                                                    let e = {
                                                                        let l41 = i32::from(
                                                                            *base
                                                                                .add(40 + 16 * ::core::mem::size_of::<*const u8>())
                                                                                .cast::<u8>(),
                                                                        );
                                                                        let l45 = i32::from(
                                                                            *base
                                                                                .add(40 + 19 * ::core::mem::size_of::<*const u8>())
                                                                                .cast::<u8>(),
                                                                        );
                                                                        let l49 = i32::from(
                                                                            *base
                                                                                .add(40 + 22 * ::core::mem::size_of::<*const u8>())
                                                                                .cast::<u8>(),
                                                                        );
                                                                        let l53 = i32::from(
                                                                            *base
                                                                                .add(40 + 25 * ::core::mem::size_of::<*const u8>())
                                                                                .cast::<u8>(),
                                                                        );
                                                                        let l57 = i32::from(
                                                                            *base
                                                                                .add(40 + 28 * ::core::mem::size_of::<*const u8>())
                                                                                .cast::<u8>(),
                                                                        );
                                                                        let l61 = i32::from(
                                                                            *base
                                                                                .add(40 + 31 * ::core::mem::size_of::<*const u8>())
                                                                                .cast::<u8>(),
                                                                        );
                                                                        let l63 = i32::from(
                                                                            *base
                                                                                .add(40 + 32 * ::core::mem::size_of::<*const u8>())
                                                                                .cast::<u8>(),
                                                                        );
                                                                        let l65 = *base
                                                                            .add(56 + 32 * ::core::mem::size_of::<*const u8>())
                                                                            .cast::<i64>();
                                                                        super::super::super::super::__with_name0::Lease {
                                                                            mac: match l41 {
                                                                                0 => None,
                                                                                1 => {
                                                                                    let e = {
                                                                                        let l42 = *base
                                                                                            .add(40 + 17 * ::core::mem::size_of::<*const u8>())
                                                                                            .cast::<*mut u8>();
                                                                                        let l43 = *base
                                                                                            .add(40 + 18 * ::core::mem::size_of::<*const u8>())
                                                                                            .cast::<usize>();
                                                                                        let len44 = l43;
                                                                                        let bytes44 = _rt::Vec::from_raw_parts(
                                                                                            l42.cast(),
                                                                                            len44,
                                                                                            len44,
                                                                                        );
                                                                                        _rt::string_lift(bytes44)
                                                                                    };
                                                                                    Some(e)
                                                                                }
                                                                                _ => _rt::invalid_enum_discriminant(),
                                                                            },
                                                                            client_id: match l45 {
                                                                                0 => None,
                                                                                1 => {
                                                                                    let e = {
                                                                                        let l46 = *base
                                                                                            .add(40 + 20 * ::core::mem::size_of::<*const u8>())
                                                                                            .cast::<*mut u8>();
                                                                                        let l47 = *base
                                                                                            .add(40 + 21 * ::core::mem::size_of::<*const u8>())
                                                                                            .cast::<usize>();
                                                                                        let len48 = l47;
                                                                                        let bytes48 = _rt::Vec::from_raw_parts(
                                                                                            l46.cast(),
                                                                                            len48,
                                                                                            len48,
                                                                                        );
                                                                                        _rt::string_lift(bytes48)
                                                                                    };
                                                                                    Some(e)
                                                                                }
                                                                                _ => _rt::invalid_enum_discriminant(),
                                                                            },
                                                                            uuid: match l49 {
                                                                                0 => None,
                                                                                1 => {
                                                                                    let e = {
                                                                                        let l50 = *base
                                                                                            .add(40 + 23 * ::core::mem::size_of::<*const u8>())
                                                                                            .cast::<*mut u8>();
                                                                                        let l51 = *base
                                                                                            .add(40 + 24 * ::core::mem::size_of::<*const u8>())
                                                                                            .cast::<usize>();
                                                                                        let len52 = l51;
                                                                                        let bytes52 = _rt::Vec::from_raw_parts(
                                                                                            l50.cast(),
                                                                                            len52,
                                                                                            len52,
                                                                                        );
                                                                                        _rt::string_lift(bytes52)
                                                                                    };
                                                                                    Some(e)
                                                                                }
                                                                                _ => _rt::invalid_enum_discriminant(),
                                                                            },
                                                                            hostname: match l53 {
                                                                                0 => None,
                                                                                1 => {
                                                                                    let e = {
                                                                                        let l54 = *base
                                                                                            .add(40 + 26 * ::core::mem::size_of::<*const u8>())
                                                                                            .cast::<*mut u8>();
                                                                                        let l55 = *base
                                                                                            .add(40 + 27 * ::core::mem::size_of::<*const u8>())
                                                                                            .cast::<usize>();
                                                                                        let len56 = l55;
                                                                                        let bytes56 = _rt::Vec::from_raw_parts(
                                                                                            l54.cast(),
                                                                                            len56,
                                                                                            len56,
                                                                                        );
                                                                                        _rt::string_lift(bytes56)
                                                                                    };
                                                                                    Some(e)
                                                                                }
                                                                                _ => _rt::invalid_enum_discriminant(),
                                                                            },
                                                                            vendor_class: match l57 {
                                                                                0 => None,
                                                                                1 => {
                                                                                    let e = {
                                                                                        let l58 = *base
                                                                                            .add(40 + 29 * ::core::mem::size_of::<*const u8>())
                                                                                            .cast::<*mut u8>();
                                                                                        let l59 = *base
                                                                                            .add(40 + 30 * ::core::mem::size_of::<*const u8>())
                                                                                            .cast::<usize>();
                                                                                        let len60 = l59;
                                                                                        let bytes60 = _rt::Vec::from_raw_parts(
                                                                                            l58.cast(),
                                                                                            len60,
                                                                                            len60,
                                                                                        );
                                                                                        _rt::string_lift(bytes60)
                                                                                    };
                                                                                    Some(e)
                                                                                }
                                                                                _ => _rt::invalid_enum_discriminant(),
                                                                            },
                                                                            architecture: match l61 {
                                                                                0 => None,
                                                                                1 => {
                                                                                    let e = {
                                                                                        let l62 = i32::from(
                                                                                            *base
                                                                                                .add(42 + 31 * ::core::mem::size_of::<*const u8>())
                                                                                                .cast::<u16>(),
                                                                                        );
                                                                                        l62 as u16
                                                                                    };
                                                                                    Some(e)
                                                                                }
                                                                                _ => _rt::invalid_enum_discriminant(),
                                                                            },
                                                                            expires: match l63 {
                                                                                0 => None,
                                                                                1 => {
                                                                                    let e = {
                                                                                        let l64 = *base
                                                                                            .add(48 + 32 * ::core::mem::size_of::<*const u8>())
                                                                                            .cast::<i64>();
                                                                                        l64 as u64
                                                                                    };
                                                                                    Some(e)
                                                                                }
                                                                                _ => _rt::invalid_enum_discriminant(),
                                                                            },
                                                                            age: l65 as u64,
                                                                        }
                                                                    };
                                                                    Some(e)
                                                                }
                                                                _ => _rt::invalid_enum_discriminant(),
                                                            },
                                                            class: _rt::string_lift(bytes68),
                                                        },
                                                        arrival: match l69 {
                                                            0 => None,
                                                            1 => {
                                                                let e = {
                                                                    let l70 = i32::from(
                                                                        *base
                                                                            .add(64 + 35 * ::core::mem::size_of::<*const u8>())
                                                                            .cast::<u8>(),
                                                                    );
                                                                    let l74 = i32::from(
                                                                        *base
                                                                            .add(64 + 38 * ::core::mem::size_of::<*const u8>())
                                                                            .cast::<u8>(),
                                                                    );
                                                                    let l78 = i32::from(
                                                                        *base
                                                                            .add(64 + 41 * ::core::mem::size_of::<*const u8>())
                                                                            .cast::<u8>(),
                                                                    );
                                                                    super::super::super::super::__with_name0::Arrival {
                                                                        address: match l70 {
                                                                            0 => None,
                                                                            1 => {
                                                                                let e = {
                                                                                    let l71 = *base
                                                                                        .add(64 + 36 * ::core::mem::size_of::<*const u8>())
                                                                                        .cast::<*mut u8>();
                                                                                    let l72 = *base
                                                                                        .add(64 + 37 * ::core::mem::size_of::<*const u8>())
                                                                                        .cast::<usize>();
                                                                                    let len73 = l72;
                                                                                    let bytes73 = _rt::Vec::from_raw_parts(
                                                                                        l71.cast(),
                                                                                        len73,
                                                                                        len73,
                                                                                    );
                                                                                    _rt::string_lift(bytes73)
                                                                                };
                                                                                Some(e)
                                                                            }
                                                                            _ => _rt::invalid_enum_discriminant(),
                                                                        },
                                                                        interface_name: match l74 {
                                                                            0 => None,
                                                                            1 => {
                                                                                let e = {
                                                                                    let l75 = *base
                                                                                        .add(64 + 39 * ::core::mem::size_of::<*const u8>())
                                                                                        .cast::<*mut u8>();
                                                                                    let l76 = *base
                                                                                        .add(64 + 40 * ::core::mem::size_of::<*const u8>())
                                                                                        .cast::<usize>();
                                                                                    let len77 = l76;
                                                                                    let bytes77 = _rt::Vec::from_raw_parts(
                                                                                        l75.cast(),
                                                                                        len77,
                                                                                        len77,
                                                                                    );
                                                                                    _rt::string_lift(bytes77)
                                                                                };
                                                                                Some(e)
                                                                            }
                                                                            _ => _rt::invalid_enum_discriminant(),
                                                                        },
                                                                        vlan: match l78 {
                                                                            0 => None,
                                                                            1 => {
                                                                                let e = {
                                                                                    let l79 = i32::from(
                                                                                        *base
                                                                                            .add(66 + 41 * ::core::mem::size_of::<*const u8>())
                                                                                            .cast::<u16>(),
                                                                                    );
                                                                                    l79 as u16
                                                                                };
                                                                                Some(e)
                                                                            }
                                                                            _ => _rt::invalid_enum_discriminant(),
                                                                        },
                                                                    }
                                                                };
                                                                Some(e)
                                                            }
                                                            _ => _rt::invalid_enum_discriminant(),
                                                        },
                                                        options: result88,
                                                        unix_ms: l89 as u64,
                                                        labels: result98,
                                                        attributes: result107,
                                                    },
                                                    resolved: match l108 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l109 = i32::from(
                                                                    *base
                                                                        .add(72 + 49 * ::core::mem::size_of::<*const u8>())
                                                                        .cast::<u8>(),
                                                                );
                                                                use super::super::super::super::__with_name0::Resolved as V120;
                                                                let v120 = match l109 {
                                                                    0 => {
                                                                        let e120 = {
                                                                            let l110 = *base
                                                                                .add(72 + 50 * ::core::mem::size_of::<*const u8>())
                                                                                .cast::<*mut u8>();
                                                                            let l111 = *base
                                                                                .add(72 + 51 * ::core::mem::size_of::<*const u8>())
                                                                                .cast::<usize>();
                                                                            let len112 = l111;
                                                                            let bytes112 = _rt::Vec::from_raw_parts(
                                                                                l110.cast(),
                                                                                len112,
                                                                                len112,
                                                                            );
                                                                            let l113 = *base
                                                                                .add(72 + 52 * ::core::mem::size_of::<*const u8>())
                                                                                .cast::<*mut u8>();
                                                                            let l114 = *base
                                                                                .add(72 + 53 * ::core::mem::size_of::<*const u8>())
                                                                                .cast::<usize>();
                                                                            let len115 = l114;
                                                                            let bytes115 = _rt::Vec::from_raw_parts(
                                                                                l113.cast(),
                                                                                len115,
                                                                                len115,
                                                                            );
                                                                            super::super::super::super::__with_name0::Target {
                                                                                root: _rt::string_lift(bytes112),
                                                                                path: _rt::string_lift(bytes115),
                                                                            }
                                                                        };
                                                                        V120::File(e120)
                                                                    }
                                                                    n => {
                                                                        debug_assert_eq!(n, 1, "invalid enum discriminant");
                                                                        let e120 = {
                                                                            let l116 = i32::from(
                                                                                *base
                                                                                    .add(72 + 50 * ::core::mem::size_of::<*const u8>())
                                                                                    .cast::<u8>(),
                                                                            );
                                                                            match l116 {
                                                                                0 => None,
                                                                                1 => {
                                                                                    let e = {
                                                                                        let l117 = *base
                                                                                            .add(72 + 51 * ::core::mem::size_of::<*const u8>())
                                                                                            .cast::<*mut u8>();
                                                                                        let l118 = *base
                                                                                            .add(72 + 52 * ::core::mem::size_of::<*const u8>())
                                                                                            .cast::<usize>();
                                                                                        let len119 = l118;
                                                                                        let bytes119 = _rt::Vec::from_raw_parts(
                                                                                            l117.cast(),
                                                                                            len119,
                                                                                            len119,
                                                                                        );
                                                                                        _rt::string_lift(bytes119)
                                                                                    };
                                                                                    Some(e)
                                                                                }
                                                                                _ => _rt::invalid_enum_discriminant(),
                                                                            }
                                                                        };
                                                                        V120::Content(e120)
                                                                    }
                                                                };
                                                                v120
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    decided_by: match l121 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l122 = *base
                                                                    .add(72 + 55 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<*mut u8>();
                                                                let l123 = *base
                                                                    .add(72 + 56 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<usize>();
                                                                let len124 = l123;
                                                                let bytes124 = _rt::Vec::from_raw_parts(
                                                                    l122.cast(),
                                                                    len124,
                                                                    len124,
                                                                );
                                                                _rt::string_lift(bytes124)
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    size: match l125 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l126 = *base
                                                                    .add(88 + 56 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<i64>();
                                                                l126 as u64
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    decision_us: match l127 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l128 = *base
                                                                    .add(104 + 56 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<i64>();
                                                                l128 as u64
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                }
                                            };
                                            EventKind::Started(e326)
                                        }
                                        1 => {
                                            let e326 = {
                                                let l129 = *base.add(24).cast::<*mut u8>();
                                                let l130 = *base
                                                    .add(24 + 1 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len131 = l130;
                                                let bytes131 = _rt::Vec::from_raw_parts(
                                                    l129.cast(),
                                                    len131,
                                                    len131,
                                                );
                                                let l132 = *base
                                                    .add(24 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<i64>();
                                                let l133 = i32::from(
                                                    *base
                                                        .add(32 + 2 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                Progress {
                                                    request_id: _rt::string_lift(bytes131),
                                                    transferred: l132 as u64,
                                                    size: match l133 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l134 = *base
                                                                    .add(40 + 2 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<i64>();
                                                                l134 as u64
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                }
                                            };
                                            EventKind::Progressed(e326)
                                        }
                                        2 => {
                                            let e326 = {
                                                let l135 = *base.add(24).cast::<*mut u8>();
                                                let l136 = *base
                                                    .add(24 + 1 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len137 = l136;
                                                let bytes137 = _rt::Vec::from_raw_parts(
                                                    l135.cast(),
                                                    len137,
                                                    len137,
                                                );
                                                let l138 = *base
                                                    .add(24 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l139 = *base
                                                    .add(24 + 3 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len140 = l139;
                                                let bytes140 = _rt::Vec::from_raw_parts(
                                                    l138.cast(),
                                                    len140,
                                                    len140,
                                                );
                                                let l141 = i32::from(
                                                    *base
                                                        .add(24 + 4 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l142 = i32::from(
                                                    *base
                                                        .add(25 + 4 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l143 = *base
                                                    .add(24 + 5 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l144 = *base
                                                    .add(24 + 6 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len145 = l144;
                                                let bytes145 = _rt::Vec::from_raw_parts(
                                                    l143.cast(),
                                                    len145,
                                                    len145,
                                                );
                                                let l146 = *base
                                                    .add(24 + 7 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l147 = *base
                                                    .add(24 + 8 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len148 = l147;
                                                let bytes148 = _rt::Vec::from_raw_parts(
                                                    l146.cast(),
                                                    len148,
                                                    len148,
                                                );
                                                let l149 = *base
                                                    .add(32 + 8 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l150 = *base
                                                    .add(32 + 9 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len151 = l150;
                                                let bytes151 = _rt::Vec::from_raw_parts(
                                                    l149.cast(),
                                                    len151,
                                                    len151,
                                                );
                                                let l152 = i32::from(
                                                    *base
                                                        .add(32 + 10 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u16>(),
                                                );
                                                let l153 = i32::from(
                                                    *base
                                                        .add(32 + 11 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l172 = i32::from(
                                                    *base
                                                        .add(32 + 16 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l198 = *base
                                                    .add(64 + 32 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l199 = *base
                                                    .add(64 + 33 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len200 = l199;
                                                let bytes200 = _rt::Vec::from_raw_parts(
                                                    l198.cast(),
                                                    len200,
                                                    len200,
                                                );
                                                let l201 = i32::from(
                                                    *base
                                                        .add(64 + 34 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l212 = *base
                                                    .add(64 + 42 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l213 = *base
                                                    .add(64 + 43 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let base220 = l212;
                                                let len220 = l213;
                                                let mut result220 = _rt::Vec::with_capacity(len220);
                                                for i in 0..len220 {
                                                    let base = base220
                                                        .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                                    let e220 = {
                                                        let l214 = *base.add(0).cast::<*mut u8>();
                                                        let l215 = *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len216 = l215;
                                                        let bytes216 = _rt::Vec::from_raw_parts(
                                                            l214.cast(),
                                                            len216,
                                                            len216,
                                                        );
                                                        let l217 = *base
                                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>();
                                                        let l218 = *base
                                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len219 = l218;
                                                        let bytes219 = _rt::Vec::from_raw_parts(
                                                            l217.cast(),
                                                            len219,
                                                            len219,
                                                        );
                                                        (_rt::string_lift(bytes216), _rt::string_lift(bytes219))
                                                    };
                                                    result220.push(e220);
                                                }
                                                _rt::cabi_dealloc(
                                                    base220,
                                                    len220 * (4 * ::core::mem::size_of::<*const u8>()),
                                                    ::core::mem::size_of::<*const u8>(),
                                                );
                                                let l221 = *base
                                                    .add(64 + 44 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<i64>();
                                                let l222 = *base
                                                    .add(72 + 44 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l223 = *base
                                                    .add(72 + 45 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let base230 = l222;
                                                let len230 = l223;
                                                let mut result230 = _rt::Vec::with_capacity(len230);
                                                for i in 0..len230 {
                                                    let base = base230
                                                        .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                                    let e230 = {
                                                        let l224 = *base.add(0).cast::<*mut u8>();
                                                        let l225 = *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len226 = l225;
                                                        let bytes226 = _rt::Vec::from_raw_parts(
                                                            l224.cast(),
                                                            len226,
                                                            len226,
                                                        );
                                                        let l227 = *base
                                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>();
                                                        let l228 = *base
                                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len229 = l228;
                                                        let bytes229 = _rt::Vec::from_raw_parts(
                                                            l227.cast(),
                                                            len229,
                                                            len229,
                                                        );
                                                        super::super::super::super::__with_name0::Label {
                                                            plugin: _rt::string_lift(bytes226),
                                                            text: _rt::string_lift(bytes229),
                                                        }
                                                    };
                                                    result230.push(e230);
                                                }
                                                _rt::cabi_dealloc(
                                                    base230,
                                                    len230 * (4 * ::core::mem::size_of::<*const u8>()),
                                                    ::core::mem::size_of::<*const u8>(),
                                                );
                                                let l231 = *base
                                                    .add(72 + 46 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l232 = *base
                                                    .add(72 + 47 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let base239 = l231;
                                                let len239 = l232;
                                                let mut result239 = _rt::Vec::with_capacity(len239);
                                                for i in 0..len239 {
                                                    let base = base239
                                                        .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                                    let e239 = {
                                                        let l233 = *base.add(0).cast::<*mut u8>();
                                                        let l234 = *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len235 = l234;
                                                        let bytes235 = _rt::Vec::from_raw_parts(
                                                            l233.cast(),
                                                            len235,
                                                            len235,
                                                        );
                                                        let l236 = *base
                                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>();
                                                        let l237 = *base
                                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len238 = l237;
                                                        let bytes238 = _rt::Vec::from_raw_parts(
                                                            l236.cast(),
                                                            len238,
                                                            len238,
                                                        );
                                                        (_rt::string_lift(bytes235), _rt::string_lift(bytes238))
                                                    };
                                                    result239.push(e239);
                                                }
                                                _rt::cabi_dealloc(
                                                    base239,
                                                    len239 * (4 * ::core::mem::size_of::<*const u8>()),
                                                    ::core::mem::size_of::<*const u8>(),
                                                );
                                                let l240 = i32::from(
                                                    *base
                                                        .add(72 + 48 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l253 = i32::from(
                                                    *base
                                                        .add(72 + 54 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l257 = i32::from(
                                                    *base
                                                        .add(80 + 56 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l259 = i32::from(
                                                    *base
                                                        .add(96 + 56 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l261 = *base
                                                    .add(112 + 56 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l262 = *base
                                                    .add(112 + 57 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len263 = l262;
                                                let bytes263 = _rt::Vec::from_raw_parts(
                                                    l261.cast(),
                                                    len263,
                                                    len263,
                                                );
                                                let l264 = *base
                                                    .add(112 + 58 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l265 = *base
                                                    .add(112 + 59 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len266 = l265;
                                                let bytes266 = _rt::Vec::from_raw_parts(
                                                    l264.cast(),
                                                    len266,
                                                    len266,
                                                );
                                                let l267 = i32::from(
                                                    *base
                                                        .add(112 + 60 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l271 = *base
                                                    .add(112 + 63 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<i32>();
                                                let l272 = *base
                                                    .add(112 + 64 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l273 = *base
                                                    .add(112 + 65 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let base280 = l272;
                                                let len280 = l273;
                                                let mut result280 = _rt::Vec::with_capacity(len280);
                                                for i in 0..len280 {
                                                    let base = base280
                                                        .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                                    let e280 = {
                                                        let l274 = *base.add(0).cast::<*mut u8>();
                                                        let l275 = *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len276 = l275;
                                                        let bytes276 = _rt::Vec::from_raw_parts(
                                                            l274.cast(),
                                                            len276,
                                                            len276,
                                                        );
                                                        let l277 = *base
                                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>();
                                                        let l278 = *base
                                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len279 = l278;
                                                        let bytes279 = _rt::Vec::from_raw_parts(
                                                            l277.cast(),
                                                            len279,
                                                            len279,
                                                        );
                                                        super::super::super::super::__with_name0::Target {
                                                            root: _rt::string_lift(bytes276),
                                                            path: _rt::string_lift(bytes279),
                                                        }
                                                    };
                                                    result280.push(e280);
                                                }
                                                _rt::cabi_dealloc(
                                                    base280,
                                                    len280 * (4 * ::core::mem::size_of::<*const u8>()),
                                                    ::core::mem::size_of::<*const u8>(),
                                                );
                                                let l281 = i32::from(
                                                    *base
                                                        .add(112 + 66 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l285 = i32::from(
                                                    *base
                                                        .add(112 + 69 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u16>(),
                                                );
                                                let l286 = i32::from(
                                                    *base
                                                        .add(114 + 69 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u16>(),
                                                );
                                                let l287 = i32::from(
                                                    *base
                                                        .add(116 + 69 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l289 = i32::from(
                                                    *base
                                                        .add(128 + 68 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l291 = *base
                                                    .add(144 + 68 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<i64>();
                                                let l292 = *base
                                                    .add(152 + 68 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<i64>();
                                                let l293 = *base
                                                    .add(160 + 68 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<i64>();
                                                let l294 = *base
                                                    .add(168 + 68 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<i64>();
                                                let l295 = *base
                                                    .add(176 + 68 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<i64>();
                                                let l296 = i32::from(
                                                    *base
                                                        .add(184 + 68 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l298 = i32::from(
                                                    *base
                                                        .add(200 + 68 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l300 = *base
                                                    .add(216 + 68 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<i64>();
                                                let l301 = *base
                                                    .add(224 + 68 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l302 = *base
                                                    .add(224 + 69 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let base309 = l301;
                                                let len309 = l302;
                                                let mut result309 = _rt::Vec::with_capacity(len309);
                                                for i in 0..len309 {
                                                    let base = base309
                                                        .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                                    let e309 = {
                                                        let l303 = *base.add(0).cast::<*mut u8>();
                                                        let l304 = *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len305 = l304;
                                                        let bytes305 = _rt::Vec::from_raw_parts(
                                                            l303.cast(),
                                                            len305,
                                                            len305,
                                                        );
                                                        let l306 = *base
                                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>();
                                                        let l307 = *base
                                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len308 = l307;
                                                        let bytes308 = _rt::Vec::from_raw_parts(
                                                            l306.cast(),
                                                            len308,
                                                            len308,
                                                        );
                                                        (_rt::string_lift(bytes305), _rt::string_lift(bytes308))
                                                    };
                                                    result309.push(e309);
                                                }
                                                _rt::cabi_dealloc(
                                                    base309,
                                                    len309 * (4 * ::core::mem::size_of::<*const u8>()),
                                                    ::core::mem::size_of::<*const u8>(),
                                                );
                                                Summary {
                                                    decided: DecidedRequest {
                                                        request: super::super::super::super::__with_name0::Request {
                                                            id: _rt::string_lift(bytes137),
                                                            listener: _rt::string_lift(bytes140),
                                                            operation: super::super::super::super::__with_name0::Operation::_lift(
                                                                l141 as u8,
                                                            ),
                                                            mode: super::super::super::super::__with_name0::Mode::_lift(
                                                                l142 as u8,
                                                            ),
                                                            requested: _rt::string_lift(bytes145),
                                                            path: _rt::string_lift(bytes148),
                                                            client: super::super::super::super::__with_name0::Client {
                                                                address: _rt::string_lift(bytes151),
                                                                port: l152 as u16,
                                                                macs: match l153 {
                                                                    0 => None,
                                                                    1 => {
                                                                        let e = {
                                                                            let l154 = *base
                                                                                .add(32 + 12 * ::core::mem::size_of::<*const u8>())
                                                                                .cast::<*mut u8>();
                                                                            let l155 = *base
                                                                                .add(32 + 13 * ::core::mem::size_of::<*const u8>())
                                                                                .cast::<usize>();
                                                                            let base162 = l154;
                                                                            let len162 = l155;
                                                                            let mut result162 = _rt::Vec::with_capacity(len162);
                                                                            for i in 0..len162 {
                                                                                let base = base162
                                                                                    .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                                                                let e162 = {
                                                                                    let l156 = *base.add(0).cast::<*mut u8>();
                                                                                    let l157 = *base
                                                                                        .add(::core::mem::size_of::<*const u8>())
                                                                                        .cast::<usize>();
                                                                                    let len158 = l157;
                                                                                    let bytes158 = _rt::Vec::from_raw_parts(
                                                                                        l156.cast(),
                                                                                        len158,
                                                                                        len158,
                                                                                    );
                                                                                    let l159 = *base
                                                                                        .add(2 * ::core::mem::size_of::<*const u8>())
                                                                                        .cast::<*mut u8>();
                                                                                    let l160 = *base
                                                                                        .add(3 * ::core::mem::size_of::<*const u8>())
                                                                                        .cast::<usize>();
                                                                                    let len161 = l160;
                                                                                    let bytes161 = _rt::Vec::from_raw_parts(
                                                                                        l159.cast(),
                                                                                        len161,
                                                                                        len161,
                                                                                    );
                                                                                    super::super::super::super::__with_name0::Mac {
                                                                                        address: _rt::string_lift(bytes158),
                                                                                        source: _rt::string_lift(bytes161),
                                                                                    }
                                                                                };
                                                                                result162.push(e162);
                                                                            }
                                                                            _rt::cabi_dealloc(
                                                                                base162,
                                                                                len162 * (4 * ::core::mem::size_of::<*const u8>()),
                                                                                ::core::mem::size_of::<*const u8>(),
                                                                            );
                                                                            let l163 = *base
                                                                                .add(32 + 14 * ::core::mem::size_of::<*const u8>())
                                                                                .cast::<*mut u8>();
                                                                            let l164 = *base
                                                                                .add(32 + 15 * ::core::mem::size_of::<*const u8>())
                                                                                .cast::<usize>();
                                                                            let base171 = l163;
                                                                            let len171 = l164;
                                                                            let mut result171 = _rt::Vec::with_capacity(len171);
                                                                            for i in 0..len171 {
                                                                                let base = base171
                                                                                    .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                                                                let e171 = {
                                                                                    let l165 = *base.add(0).cast::<*mut u8>();
                                                                                    let l166 = *base
                                                                                        .add(::core::mem::size_of::<*const u8>())
                                                                                        .cast::<usize>();
                                                                                    let len167 = l166;
                                                                                    let bytes167 = _rt::Vec::from_raw_parts(
                                                                                        l165.cast(),
                                                                                        len167,
                                                                                        len167,
                                                                                    );
                                                                                    let l168 = *base
                                                                                        .add(2 * ::core::mem::size_of::<*const u8>())
                                                                                        .cast::<*mut u8>();
                                                                                    let l169 = *base
                                                                                        .add(3 * ::core::mem::size_of::<*const u8>())
                                                                                        .cast::<usize>();
                                                                                    let len170 = l169;
                                                                                    let bytes170 = _rt::Vec::from_raw_parts(
                                                                                        l168.cast(),
                                                                                        len170,
                                                                                        len170,
                                                                                    );
                                                                                    super::super::super::super::__with_name0::Mac {
                                                                                        address: _rt::string_lift(bytes167),
                                                                                        source: _rt::string_lift(bytes170),
                                                                                    }
                                                                                };
                                                                                result171.push(e171);
                                                                            }
                                                                            _rt::cabi_dealloc(
                                                                                base171,
                                                                                len171 * (4 * ::core::mem::size_of::<*const u8>()),
                                                                                ::core::mem::size_of::<*const u8>(),
                                                                            );
                                                                            super::super::super::super::__with_name0::MacAddresses {
                                                                                network: result162,
                                                                                claimed: result171,
                                                                            }
                                                                        };
                                                                        Some(e)
                                                                    }
                                                                    _ => _rt::invalid_enum_discriminant(),
                                                                },
                                                                lease: match l172 {
                                                                    0 => None,
                                                                    1 => {
                                                                        let e = {
                                                                            let l173 = i32::from(
                                                                                *base
                                                                                    .add(40 + 16 * ::core::mem::size_of::<*const u8>())
                                                                                    .cast::<u8>(),
                                                                            );
                                                                            let l177 = i32::from(
                                                                                *base
                                                                                    .add(40 + 19 * ::core::mem::size_of::<*const u8>())
                                                                                    .cast::<u8>(),
                                                                            );
                                                                            let l181 = i32::from(
                                                                                *base
                                                                                    .add(40 + 22 * ::core::mem::size_of::<*const u8>())
                                                                                    .cast::<u8>(),
                                                                            );
                                                                            let l185 = i32::from(
                                                                                *base
                                                                                    .add(40 + 25 * ::core::mem::size_of::<*const u8>())
                                                                                    .cast::<u8>(),
                                                                            );
                                                                            let l189 = i32::from(
                                                                                *base
                                                                                    .add(40 + 28 * ::core::mem::size_of::<*const u8>())
                                                                                    .cast::<u8>(),
                                                                            );
                                                                            let l193 = i32::from(
                                                                                *base
                                                                                    .add(40 + 31 * ::core::mem::size_of::<*const u8>())
                                                                                    .cast::<u8>(),
                                                                            );
                                                                            let l195 = i32::from(
                                                                                *base
                                                                                    .add(40 + 32 * ::core::mem::size_of::<*const u8>())
                                                                                    .cast::<u8>(),
                                                                            );
                                                                            let l197 = *base
                                                                                .add(56 + 32 * ::core::mem::size_of::<*const u8>())
                                                                                .cast::<i64>();
                                                                            super::super::super::super::__with_name0::Lease {
                                                                                mac: match l173 {
                                                                                    0 => None,
                                                                                    1 => {
                                                                                        let e = {
                                                                                            let l174 = *base
                                                                                                .add(40 + 17 * ::core::mem::size_of::<*const u8>())
                                                                                                .cast::<*mut u8>();
                                                                                            let l175 = *base
                                                                                                .add(40 + 18 * ::core::mem::size_of::<*const u8>())
                                                                                                .cast::<usize>();
                                                                                            let len176 = l175;
                                                                                            let bytes176 = _rt::Vec::from_raw_parts(
                                                                                                l174.cast(),
                                                                                                len176,
                                                                                                len176,
                                                                                            );
                                                                                            _rt::string_lift(bytes176)
                                                                                        };
                                                                                        Some(e)
                                                                                    }
                                                                                    _ => _rt::invalid_enum_discriminant(),
                                                                                },
                                                                                client_id: match l177 {
                                                                                    0 => None,
                                                                                    1 => {
                                                                                        let e = {
                                                                                            let l178 = *base
                                                                                                .add(40 + 20 * ::core::mem::size_of::<*const u8>())
                                                                                                .cast::<*mut u8>();
                                                                                            let l179 = *base
                                                                                                .add(40 + 21 * ::core::mem::size_of::<*const u8>())
                                                                                                .cast::<usize>();
                                                                                            let len180 = l179;
                                                                                            let bytes180 = _rt::Vec::from_raw_parts(
                                                                                                l178.cast(),
                                                                                                len180,
                                                                                                len180,
                                                                                            );
                                                                                            _rt::string_lift(bytes180)
                                                                                        };
                                                                                        Some(e)
                                                                                    }
                                                                                    _ => _rt::invalid_enum_discriminant(),
                                                                                },
                                                                                uuid: match l181 {
                                                                                    0 => None,
                                                                                    1 => {
                                                                                        let e = {
                                                                                            let l182 = *base
                                                                                                .add(40 + 23 * ::core::mem::size_of::<*const u8>())
                                                                                                .cast::<*mut u8>();
                                                                                            let l183 = *base
                                                                                                .add(40 + 24 * ::core::mem::size_of::<*const u8>())
                                                                                                .cast::<usize>();
                                                                                            let len184 = l183;
                                                                                            let bytes184 = _rt::Vec::from_raw_parts(
                                                                                                l182.cast(),
                                                                                                len184,
                                                                                                len184,
                                                                                            );
                                                                                            _rt::string_lift(bytes184)
                                                                                        };
                                                                                        Some(e)
                                                                                    }
                                                                                    _ => _rt::invalid_enum_discriminant(),
                                                                                },
                                                                                hostname: match l185 {
                                                                                    0 => None,
                                                                                    1 => {
                                                                                        let e = {
                                                                                            let l186 = *base
                                                                                                .add(40 + 26 * ::core::mem::size_of::<*const u8>())
                                                                                                .cast::<*mut u8>();
                                                                                            let l187 = *base
                                                                                                .add(40 + 27 * ::core::mem::size_of::<*const u8>())
                                                                                                .cast::<usize>();
                                                                                            let len188 = l187;
                                                                                            let bytes188 = _rt::Vec::from_raw_parts(
                                                                                                l186.cast(),
                                                                                                len188,
                                                                                                len188,
                                                                                            );
                                                                                            _rt::string_lift(bytes188)
                                                                                        };
                                                                                        Some(e)
                                                                                    }
                                                                                    _ => _rt::invalid_enum_discriminant(),
                                                                                },
                                                                                vendor_class: match l189 {
                                                                                    0 => None,
                                                                                    1 => {
                                                                                        let e = {
                                                                                            let l190 = *base
                                                                                                .add(40 + 29 * ::core::mem::size_of::<*const u8>())
                                                                                                .cast::<*mut u8>();
                                                                                            let l191 = *base
                                                                                                .add(40 + 30 * ::core::mem::size_of::<*const u8>())
                                                                                                .cast::<usize>();
                                                                                            let len192 = l191;
                                                                                            let bytes192 = _rt::Vec::from_raw_parts(
                                                                                                l190.cast(),
                                                                                                len192,
                                                                                                len192,
                                                                                            );
                                                                                            _rt::string_lift(bytes192)
                                                                                        };
                                                                                        Some(e)
                                                                                    }
                                                                                    _ => _rt::invalid_enum_discriminant(),
                                                                                },
                                                                                architecture: match l193 {
                                                                                    0 => None,
                                                                                    1 => {
                                                                                        let e = {
                                                                                            let l194 = i32::from(
                                                                                                *base
                                                                                                    .add(42 + 31 * ::core::mem::size_of::<*const u8>())
                                                                                                    .cast::<u16>(),
                                                                                            );
                                                                                            l194 as u16
                                                                                        };
                                                                                        Some(e)
                                                                                    }
                                                                                    _ => _rt::invalid_enum_discriminant(),
                                                                                },
                                                                                expires: match l195 {
                                                                                    0 => None,
                                                                                    1 => {
                                                                                        let e = {
                                                                                            let l196 = *base
                                                                                                .add(48 + 32 * ::core::mem::size_of::<*const u8>())
                                                                                                .cast::<i64>();
                                                                                            l196 as u64
                                                                                        };
                                                                                        Some(e)
                                                                                    }
                                                                                    _ => _rt::invalid_enum_discriminant(),
                                                                                },
                                                                                age: l197 as u64,
                                                                            }
                                                                        };
                                                                        Some(e)
                                                                    }
                                                                    _ => _rt::invalid_enum_discriminant(),
                                                                },
                                                                class: _rt::string_lift(bytes200),
                                                            },
                                                            arrival: match l201 {
                                                                0 => None,
                                                                1 => {
                                                                    let e = {
                                                                        let l202 = i32::from(
                                                                            *base
                                                                                .add(64 + 35 * ::core::mem::size_of::<*const u8>())
                                                                                .cast::<u8>(),
                                                                        );
                                                                        let l206 = i32::from(
                                                                            *base
                                                                                .add(64 + 38 * ::core::mem::size_of::<*const u8>())
                                                                                .cast::<u8>(),
                                                                        );
                                                                        let l210 = i32::from(
                                                                            *base
                                                                                .add(64 + 41 * ::core::mem::size_of::<*const u8>())
                                                                                .cast::<u8>(),
                                                                        );
                                                                        super::super::super::super::__with_name0::Arrival {
                                                                            address: match l202 {
                                                                                0 => None,
                                                                                1 => {
                                                                                    let e = {
                                                                                        let l203 = *base
                                                                                            .add(64 + 36 * ::core::mem::size_of::<*const u8>())
                                                                                            .cast::<*mut u8>();
                                                                                        let l204 = *base
                                                                                            .add(64 + 37 * ::core::mem::size_of::<*const u8>())
                                                                                            .cast::<usize>();
                                                                                        let len205 = l204;
                                                                                        let bytes205 = _rt::Vec::from_raw_parts(
                                                                                            l203.cast(),
                                                                                            len205,
                                                                                            len205,
                                                                                        );
                                                                                        _rt::string_lift(bytes205)
                                                                                    };
                                                                                    Some(e)
                                                                                }
                                                                                _ => _rt::invalid_enum_discriminant(),
                                                                            },
                                                                            interface_name: match l206 {
                                                                                0 => None,
                                                                                1 => {
                                                                                    let e = {
                                                                                        let l207 = *base
                                                                                            .add(64 + 39 * ::core::mem::size_of::<*const u8>())
                                                                                            .cast::<*mut u8>();
                                                                                        let l208 = *base
                                                                                            .add(64 + 40 * ::core::mem::size_of::<*const u8>())
                                                                                            .cast::<usize>();
                                                                                        let len209 = l208;
                                                                                        let bytes209 = _rt::Vec::from_raw_parts(
                                                                                            l207.cast(),
                                                                                            len209,
                                                                                            len209,
                                                                                        );
                                                                                        _rt::string_lift(bytes209)
                                                                                    };
                                                                                    Some(e)
                                                                                }
                                                                                _ => _rt::invalid_enum_discriminant(),
                                                                            },
                                                                            vlan: match l210 {
                                                                                0 => None,
                                                                                1 => {
                                                                                    let e = {
                                                                                        let l211 = i32::from(
                                                                                            *base
                                                                                                .add(66 + 41 * ::core::mem::size_of::<*const u8>())
                                                                                                .cast::<u16>(),
                                                                                        );
                                                                                        l211 as u16
                                                                                    };
                                                                                    Some(e)
                                                                                }
                                                                                _ => _rt::invalid_enum_discriminant(),
                                                                            },
                                                                        }
                                                                    };
                                                                    Some(e)
                                                                }
                                                                _ => _rt::invalid_enum_discriminant(),
                                                            },
                                                            options: result220,
                                                            unix_ms: l221 as u64,
                                                            labels: result230,
                                                            attributes: result239,
                                                        },
                                                        resolved: match l240 {
                                                            0 => None,
                                                            1 => {
                                                                let e = {
                                                                    let l241 = i32::from(
                                                                        *base
                                                                            .add(72 + 49 * ::core::mem::size_of::<*const u8>())
                                                                            .cast::<u8>(),
                                                                    );
                                                                    use super::super::super::super::__with_name0::Resolved as V252;
                                                                    let v252 = match l241 {
                                                                        0 => {
                                                                            let e252 = {
                                                                                let l242 = *base
                                                                                    .add(72 + 50 * ::core::mem::size_of::<*const u8>())
                                                                                    .cast::<*mut u8>();
                                                                                let l243 = *base
                                                                                    .add(72 + 51 * ::core::mem::size_of::<*const u8>())
                                                                                    .cast::<usize>();
                                                                                let len244 = l243;
                                                                                let bytes244 = _rt::Vec::from_raw_parts(
                                                                                    l242.cast(),
                                                                                    len244,
                                                                                    len244,
                                                                                );
                                                                                let l245 = *base
                                                                                    .add(72 + 52 * ::core::mem::size_of::<*const u8>())
                                                                                    .cast::<*mut u8>();
                                                                                let l246 = *base
                                                                                    .add(72 + 53 * ::core::mem::size_of::<*const u8>())
                                                                                    .cast::<usize>();
                                                                                let len247 = l246;
                                                                                let bytes247 = _rt::Vec::from_raw_parts(
                                                                                    l245.cast(),
                                                                                    len247,
                                                                                    len247,
                                                                                );
                                                                                super::super::super::super::__with_name0::Target {
                                                                                    root: _rt::string_lift(bytes244),
                                                                                    path: _rt::string_lift(bytes247),
                                                                                }
                                                                            };
                                                                            V252::File(e252)
                                                                        }
                                                                        n => {
                                                                            debug_assert_eq!(n, 1, "invalid enum discriminant");
                                                                            let e252 = {
                                                                                let l248 = i32::from(
                                                                                    *base
                                                                                        .add(72 + 50 * ::core::mem::size_of::<*const u8>())
                                                                                        .cast::<u8>(),
                                                                                );
                                                                                match l248 {
                                                                                    0 => None,
                                                                                    1 => {
                                                                                        let e = {
                                                                                            let l249 = *base
                                                                                                .add(72 + 51 * ::core::mem::size_of::<*const u8>())
                                                                                                .cast::<*mut u8>();
                                                                                            let l250 = *base
                                                                                                .add(72 + 52 * ::core::mem::size_of::<*const u8>())
                                                                                                .cast::<usize>();
                                                                                            let len251 = l250;
                                                                                            let bytes251 = _rt::Vec::from_raw_parts(
                                                                                                l249.cast(),
                                                                                                len251,
                                                                                                len251,
                                                                                            );
                                                                                            _rt::string_lift(bytes251)
                                                                                        };
                                                                                        Some(e)
                                                                                    }
                                                                                    _ => _rt::invalid_enum_discriminant(),
                                                                                }
                                                                            };
                                                                            V252::Content(e252)
                                                                        }
                                                                    };
                                                                    v252
                                                                };
                                                                Some(e)
                                                            }
                                                            _ => _rt::invalid_enum_discriminant(),
                                                        },
                                                        decided_by: match l253 {
                                                            0 => None,
                                                            1 => {
                                                                let e = {
                                                                    let l254 = *base
                                                                        .add(72 + 55 * ::core::mem::size_of::<*const u8>())
                                                                        .cast::<*mut u8>();
                                                                    let l255 = *base
                                                                        .add(72 + 56 * ::core::mem::size_of::<*const u8>())
                                                                        .cast::<usize>();
                                                                    let len256 = l255;
                                                                    let bytes256 = _rt::Vec::from_raw_parts(
                                                                        l254.cast(),
                                                                        len256,
                                                                        len256,
                                                                    );
                                                                    _rt::string_lift(bytes256)
                                                                };
                                                                Some(e)
                                                            }
                                                            _ => _rt::invalid_enum_discriminant(),
                                                        },
                                                        size: match l257 {
                                                            0 => None,
                                                            1 => {
                                                                let e = {
                                                                    let l258 = *base
                                                                        .add(88 + 56 * ::core::mem::size_of::<*const u8>())
                                                                        .cast::<i64>();
                                                                    l258 as u64
                                                                };
                                                                Some(e)
                                                            }
                                                            _ => _rt::invalid_enum_discriminant(),
                                                        },
                                                        decision_us: match l259 {
                                                            0 => None,
                                                            1 => {
                                                                let e = {
                                                                    let l260 = *base
                                                                        .add(104 + 56 * ::core::mem::size_of::<*const u8>())
                                                                        .cast::<i64>();
                                                                    l260 as u64
                                                                };
                                                                Some(e)
                                                            }
                                                            _ => _rt::invalid_enum_discriminant(),
                                                        },
                                                    },
                                                    decision: _rt::string_lift(bytes263),
                                                    outcome: _rt::string_lift(bytes266),
                                                    detail: match l267 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l268 = *base
                                                                    .add(112 + 61 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<*mut u8>();
                                                                let l269 = *base
                                                                    .add(112 + 62 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<usize>();
                                                                let len270 = l269;
                                                                let bytes270 = _rt::Vec::from_raw_parts(
                                                                    l268.cast(),
                                                                    len270,
                                                                    len270,
                                                                );
                                                                _rt::string_lift(bytes270)
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    plugin_calls: l271 as u32,
                                                    tried: result280,
                                                    tried_by: match l281 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l282 = *base
                                                                    .add(112 + 67 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<*mut u8>();
                                                                let l283 = *base
                                                                    .add(112 + 68 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<usize>();
                                                                let len284 = l283;
                                                                let bytes284 = _rt::Vec::from_raw_parts(
                                                                    l282.cast(),
                                                                    len284,
                                                                    len284,
                                                                );
                                                                _rt::string_lift(bytes284)
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    blksize: l285 as u16,
                                                    windowsize: l286 as u16,
                                                    timeout_option: match l287 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l288 = i32::from(
                                                                    *base
                                                                        .add(117 + 69 * ::core::mem::size_of::<*const u8>())
                                                                        .cast::<u8>(),
                                                                );
                                                                l288 as u8
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    tsize: match l289 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l290 = *base
                                                                    .add(136 + 68 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<i64>();
                                                                l290 as u64
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    transferred: l291 as u64,
                                                    blocks: l292 as u64,
                                                    retransmissions: l293 as u64,
                                                    duplicates: l294 as u64,
                                                    timeouts: l295 as u64,
                                                    rtt_us: match l296 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l297 = *base
                                                                    .add(192 + 68 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<i64>();
                                                                l297 as u64
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    first_block_us: match l298 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l299 = *base
                                                                    .add(208 + 68 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<i64>();
                                                                l299 as u64
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    duration_us: l300 as u64,
                                                    attributes: result309,
                                                }
                                            };
                                            EventKind::Finished(e326)
                                        }
                                        n => {
                                            debug_assert_eq!(n, 3, "invalid enum discriminant");
                                            let e326 = {
                                                let l310 = *base.add(24).cast::<*mut u8>();
                                                let l311 = *base
                                                    .add(24 + 1 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len312 = l311;
                                                let bytes312 = _rt::Vec::from_raw_parts(
                                                    l310.cast(),
                                                    len312,
                                                    len312,
                                                );
                                                let l313 = i32::from(
                                                    *base
                                                        .add(24 + 2 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l317 = *base
                                                    .add(24 + 5 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l318 = *base
                                                    .add(24 + 6 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let base325 = l317;
                                                let len325 = l318;
                                                let mut result325 = _rt::Vec::with_capacity(len325);
                                                for i in 0..len325 {
                                                    let base = base325
                                                        .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                                    let e325 = {
                                                        let l319 = *base.add(0).cast::<*mut u8>();
                                                        let l320 = *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len321 = l320;
                                                        let bytes321 = _rt::Vec::from_raw_parts(
                                                            l319.cast(),
                                                            len321,
                                                            len321,
                                                        );
                                                        let l322 = *base
                                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>();
                                                        let l323 = *base
                                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len324 = l323;
                                                        let bytes324 = _rt::Vec::from_raw_parts(
                                                            l322.cast(),
                                                            len324,
                                                            len324,
                                                        );
                                                        (_rt::string_lift(bytes321), _rt::string_lift(bytes324))
                                                    };
                                                    result325.push(e325);
                                                }
                                                _rt::cabi_dealloc(
                                                    base325,
                                                    len325 * (4 * ::core::mem::size_of::<*const u8>()),
                                                    ::core::mem::size_of::<*const u8>(),
                                                );
                                                OtherEvent {
                                                    kind: _rt::string_lift(bytes312),
                                                    request_id: match l313 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l314 = *base
                                                                    .add(24 + 3 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<*mut u8>();
                                                                let l315 = *base
                                                                    .add(24 + 4 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<usize>();
                                                                let len316 = l315;
                                                                let bytes316 = _rt::Vec::from_raw_parts(
                                                                    l314.cast(),
                                                                    len316,
                                                                    len316,
                                                                );
                                                                _rt::string_lift(bytes316)
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    attributes: result325,
                                                }
                                            };
                                            EventKind::Other(e326)
                                        }
                                    };
                                    Event {
                                        sequence: l0 as u64,
                                        unix_ms: l1 as u64,
                                        kind: v326,
                                    }
                                };
                                result327.push(e327);
                            }
                            _rt::cabi_dealloc(
                                base327,
                                len327 * (224 + 70 * ::core::mem::size_of::<*const u8>()),
                                8,
                            );
                            T_::observe(result327)
                        };
                    }
                }
                pub trait Guest {
                    /// Events in the order in which they happened. Each request that was admitted has exactly one `finished`; one that was
                    /// granted has a `started` before it. `progressed` is sampled, about once a second for a transfer that moves, and left
                    /// out when the server is busy. What a call that fails was given may be given once more, to another instance: the
                    /// sequence numbers tell. A plugin whose manifest says `"empty-batches": true` is called without events, too.
                    ///
                    /// It answers nothing, not even that it failed: the host could only repeat the events, and with them what the call has
                    /// already done. What cannot be passed on now, such as to a sink that is full, a plugin keeps in `kv`, or counts.
                    #[allow(async_fn_in_trait)]
                    fn observe(events: _rt::Vec<Event>) -> ();
                }
                #[doc(hidden)]
                #[macro_export]
                macro_rules! __export_tuffet_policy_observe_1_0_0_cabi {
                    ($ty:ident with_types_in $($path_to_types:tt)*) => {
                        const _ : () = { #[unsafe (export_name =
                        "tuffet:policy/observe@1.0.0#observe")] unsafe extern "C" fn
                        export_observe(arg0 : * mut u8, arg1 : usize,) { unsafe {
                        $($path_to_types)*:: _export_observe_cabi::<$ty > (arg0, arg1) }
                        } };
                    };
                }
                #[doc(hidden)]
                pub use __export_tuffet_policy_observe_1_0_0_cabi;
            }
        }
    }
}
mod _rt {
    #![allow(dead_code, unused_imports, clippy::all)]
    pub use alloc_crate::string::String;
    pub use alloc_crate::vec::Vec;
    #[cfg(target_arch = "wasm32")]
    pub fn run_ctors_once() {
        wit_bindgen::rt::run_ctors_once();
    }
    pub unsafe fn string_lift(bytes: Vec<u8>) -> String {
        if cfg!(debug_assertions) {
            String::from_utf8(bytes).unwrap()
        } else {
            unsafe { String::from_utf8_unchecked(bytes) }
        }
    }
    pub unsafe fn cabi_dealloc(ptr: *mut u8, size: usize, align: usize) {
        if size == 0 {
            return;
        }
        unsafe {
            let layout = alloc::Layout::from_size_align_unchecked(size, align);
            alloc::dealloc(ptr, layout);
        }
    }
    pub unsafe fn invalid_enum_discriminant<T>() -> T {
        if cfg!(debug_assertions) {
            panic!("invalid enum discriminant")
        } else {
            unsafe { core::hint::unreachable_unchecked() }
        }
    }
    extern crate alloc as alloc_crate;
    pub use alloc_crate::alloc;
}
/// Generates `#[unsafe(no_mangle)]` functions to export the specified type as
/// the root implementation of all generated traits.
///
/// For more information see the documentation of `wit_bindgen::generate!`.
///
/// ```rust
/// # macro_rules! export_observe{ ($($t:tt)*) => (); }
/// # trait Guest {}
/// struct MyType;
///
/// impl Guest for MyType {
///     // ...
/// }
///
/// export_observe!(MyType);
/// ```
#[allow(unused_macros)]
#[doc(hidden)]
#[macro_export]
macro_rules! __export_observe_impl {
    ($ty:ident) => {
        self::export_observe!($ty with_types_in self);
    };
    ($ty:ident with_types_in $($path_to_types_root:tt)*) => {
        $($path_to_types_root)*::
        exports::tuffet::policy::observe::__export_tuffet_policy_observe_1_0_0_cabi!($ty
        with_types_in $($path_to_types_root)*:: exports::tuffet::policy::observe); const
        _ : () = { #[cfg(target_arch = "wasm32")] #[unsafe (link_section =
        "component-type:wit-bindgen:0.61.1:tuffet:sdk:observe:imports and exports")]
        #[doc(hidden)] #[allow(clippy::octal_escapes)] pub static
        __WIT_BINDGEN_COMPONENT_TYPE : [u8; 1751] = *
        b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xd9\x0c\x01A\x02\x01\
A\x07\x01B,\x01m\x02\x04read\x05write\x04\0\x09operation\x03\0\0\x01m\x02\x05oct\
et\x08netascii\x04\0\x04mode\x03\0\x02\x01m\x06\x0bnot-defined\x0efile-not-found\
\x10access-violation\x09disk-full\x0bfile-exists\x0eoption-refused\x04\0\x0aerro\
r-code\x03\0\x04\x01r\x02\x07addresss\x06sources\x04\0\x03mac\x03\0\x06\x01p\x07\
\x01r\x02\x07network\x08\x07claimed\x08\x04\0\x0dmac-addresses\x03\0\x09\x01ks\x01\
k{\x01kw\x01r\x08\x03mac\x0b\x09client-id\x0b\x04uuid\x0b\x08hostname\x0b\x0cven\
dor-class\x0b\x0carchitecture\x0c\x07expires\x0d\x03agew\x04\0\x05lease\x03\0\x0e\
\x01r\x03\x07address\x0b\x0einterface-name\x0b\x04vlan\x0c\x04\0\x07arrival\x03\0\
\x10\x01k\x0a\x01k\x0f\x01r\x05\x07addresss\x04port{\x04macs\x12\x05lease\x13\x05\
classs\x04\0\x06client\x03\0\x14\x01r\x02\x06plugins\x04texts\x04\0\x05label\x03\
\0\x16\x01k\x11\x01o\x02ss\x01p\x19\x01p\x17\x01r\x0c\x02ids\x08listeners\x09ope\
ration\x01\x04mode\x03\x09requesteds\x04paths\x06client\x15\x07arrival\x18\x07op\
tions\x1a\x07unix-msw\x06labels\x1b\x0aattributes\x1a\x04\0\x07request\x03\0\x1c\
\x01r\x03\x04code\x05\x07messages\x06reasons\x04\0\x06denial\x03\0\x1e\x01r\x02\x04\
roots\x04paths\x04\0\x06target\x03\0\x20\x01q\x02\x04file\x01!\0\x07content\x01\x0b\
\0\x04\0\x08resolved\x03\0\"\x01k}\x01r\x03\x07blksize\x0c\x0awindowsize\x0c\x07\
timeout$\x04\0\x0esession-values\x03\0%\x01ps\x01r\x08\x08ceilings&\x06floors&\x09\
overrides&\x08max-size\x0d\x05burst\x0c\x04rate\x0d\x0erefuse-options'\x0aattrib\
utes\x1a\x04\0\x07profile\x03\0(\x01r\x02\x04codes\x07messages\x04\0\x05error\x03\
\0*\x03\0\x19tuffet:policy/types@1.0.0\x05\0\x02\x03\0\0\x07request\x02\x03\0\0\x08\
resolved\x02\x03\0\0\x06target\x01B\x1c\x02\x03\x02\x01\x01\x04\0\x07request\x03\
\0\0\x02\x03\x02\x01\x02\x04\0\x08resolved\x03\0\x02\x02\x03\x02\x01\x03\x04\0\x06\
target\x03\0\x04\x01k\x03\x01ks\x01kw\x01r\x05\x07request\x01\x08resolved\x06\x0a\
decided-by\x07\x04size\x08\x0bdecision-us\x08\x04\0\x0fdecided-request\x03\0\x09\
\x01r\x03\x0arequest-ids\x0btransferredw\x04size\x08\x04\0\x08progress\x03\0\x0b\
\x01p\x05\x01k}\x01o\x02ss\x01p\x0f\x01r\x14\x07decided\x0a\x08decisions\x07outc\
omes\x06detail\x07\x0cplugin-callsy\x05tried\x0d\x08tried-by\x07\x07blksize{\x0a\
windowsize{\x0etimeout-option\x0e\x05tsize\x08\x0btransferredw\x06blocksw\x0fret\
ransmissionsw\x0aduplicatesw\x08timeoutsw\x06rtt-us\x08\x0efirst-block-us\x08\x0b\
duration-usw\x0aattributes\x10\x04\0\x07summary\x03\0\x11\x01r\x03\x04kinds\x0ar\
equest-id\x07\x0aattributes\x10\x04\0\x0bother-event\x03\0\x13\x01q\x04\x07start\
ed\x01\x0a\0\x0aprogressed\x01\x0c\0\x08finished\x01\x12\0\x05other\x01\x14\0\x04\
\0\x0aevent-kind\x03\0\x15\x01r\x03\x08sequencew\x07unix-msw\x04kind\x16\x04\0\x05\
event\x03\0\x17\x01p\x18\x01@\x01\x06events\x19\x01\0\x04\0\x07observe\x01\x1a\x04\
\0\x1btuffet:policy/observe@1.0.0\x05\x04\x04\0\x12tuffet:sdk/observe\x04\0\x0b\x0d\
\x01\0\x07observe\x03\0\0\0G\x09producers\x01\x0cprocessed-by\x02\x0dwit-compone\
nt\x070.258.3\x10wit-bindgen-rust\x060.61.1";
        };
    };
}
#[doc(inline)]
pub use __export_observe_impl as export_observe;
#[cfg(target_arch = "wasm32")]
#[unsafe(
    link_section = "component-type:wit-bindgen:0.61.1:tuffet:sdk:observe-with-all-of-its-exports-removed:encoded world"
)]
#[doc(hidden)]
#[allow(clippy::octal_escapes)]
pub static __WIT_BINDGEN_COMPONENT_TYPE: [u8; 1127] = *b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xc9\x07\x01A\x02\x01\
A\x02\x01B,\x01m\x02\x04read\x05write\x04\0\x09operation\x03\0\0\x01m\x02\x05oct\
et\x08netascii\x04\0\x04mode\x03\0\x02\x01m\x06\x0bnot-defined\x0efile-not-found\
\x10access-violation\x09disk-full\x0bfile-exists\x0eoption-refused\x04\0\x0aerro\
r-code\x03\0\x04\x01r\x02\x07addresss\x06sources\x04\0\x03mac\x03\0\x06\x01p\x07\
\x01r\x02\x07network\x08\x07claimed\x08\x04\0\x0dmac-addresses\x03\0\x09\x01ks\x01\
k{\x01kw\x01r\x08\x03mac\x0b\x09client-id\x0b\x04uuid\x0b\x08hostname\x0b\x0cven\
dor-class\x0b\x0carchitecture\x0c\x07expires\x0d\x03agew\x04\0\x05lease\x03\0\x0e\
\x01r\x03\x07address\x0b\x0einterface-name\x0b\x04vlan\x0c\x04\0\x07arrival\x03\0\
\x10\x01k\x0a\x01k\x0f\x01r\x05\x07addresss\x04port{\x04macs\x12\x05lease\x13\x05\
classs\x04\0\x06client\x03\0\x14\x01r\x02\x06plugins\x04texts\x04\0\x05label\x03\
\0\x16\x01k\x11\x01o\x02ss\x01p\x19\x01p\x17\x01r\x0c\x02ids\x08listeners\x09ope\
ration\x01\x04mode\x03\x09requesteds\x04paths\x06client\x15\x07arrival\x18\x07op\
tions\x1a\x07unix-msw\x06labels\x1b\x0aattributes\x1a\x04\0\x07request\x03\0\x1c\
\x01r\x03\x04code\x05\x07messages\x06reasons\x04\0\x06denial\x03\0\x1e\x01r\x02\x04\
roots\x04paths\x04\0\x06target\x03\0\x20\x01q\x02\x04file\x01!\0\x07content\x01\x0b\
\0\x04\0\x08resolved\x03\0\"\x01k}\x01r\x03\x07blksize\x0c\x0awindowsize\x0c\x07\
timeout$\x04\0\x0esession-values\x03\0%\x01ps\x01r\x08\x08ceilings&\x06floors&\x09\
overrides&\x08max-size\x0d\x05burst\x0c\x04rate\x0d\x0erefuse-options'\x0aattrib\
utes\x1a\x04\0\x07profile\x03\0(\x01r\x02\x04codes\x07messages\x04\0\x05error\x03\
\0*\x03\0\x19tuffet:policy/types@1.0.0\x05\0\x04\02tuffet:sdk/observe-with-all-o\
f-its-exports-removed\x04\0\x0b-\x01\0'observe-with-all-of-its-exports-removed\x03\
\0\0\0G\x09producers\x01\x0cprocessed-by\x02\x0dwit-component\x070.258.3\x10wit-\
bindgen-rust\x060.61.1";
#[inline(never)]
#[doc(hidden)]
pub fn __link_custom_section_describing_imports() {
    wit_bindgen::rt::maybe_link_cabi_realloc();
}
