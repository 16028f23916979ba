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
                            let base307 = arg0;
                            let len307 = arg1;
                            let mut result307 = _rt::Vec::with_capacity(len307);
                            for i in 0..len307 {
                                let base = base307
                                    .add(i * (216 + 68 * ::core::mem::size_of::<*const u8>()));
                                let e307 = {
                                    let l0 = *base.add(0).cast::<i64>();
                                    let l1 = *base.add(8).cast::<i64>();
                                    let l2 = i32::from(*base.add(16).cast::<u8>());
                                    let v306 = match l2 {
                                        0 => {
                                            let e306 = {
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
                                                    .cast::<*mut u8>();
                                                let l90 = *base
                                                    .add(64 + 45 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let base97 = l89;
                                                let len97 = l90;
                                                let mut result97 = _rt::Vec::with_capacity(len97);
                                                for i in 0..len97 {
                                                    let base = base97
                                                        .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                                    let e97 = {
                                                        let l91 = *base.add(0).cast::<*mut u8>();
                                                        let l92 = *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len93 = l92;
                                                        let bytes93 = _rt::Vec::from_raw_parts(
                                                            l91.cast(),
                                                            len93,
                                                            len93,
                                                        );
                                                        let l94 = *base
                                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>();
                                                        let l95 = *base
                                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len96 = l95;
                                                        let bytes96 = _rt::Vec::from_raw_parts(
                                                            l94.cast(),
                                                            len96,
                                                            len96,
                                                        );
                                                        (_rt::string_lift(bytes93), _rt::string_lift(bytes96))
                                                    };
                                                    result97.push(e97);
                                                }
                                                _rt::cabi_dealloc(
                                                    base97,
                                                    len97 * (4 * ::core::mem::size_of::<*const u8>()),
                                                    ::core::mem::size_of::<*const u8>(),
                                                );
                                                let l98 = i32::from(
                                                    *base
                                                        .add(64 + 46 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l111 = i32::from(
                                                    *base
                                                        .add(64 + 52 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l115 = i32::from(
                                                    *base
                                                        .add(72 + 54 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l117 = i32::from(
                                                    *base
                                                        .add(88 + 54 * ::core::mem::size_of::<*const u8>())
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
                                                        attributes: result97,
                                                    },
                                                    resolved: match l98 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l99 = i32::from(
                                                                    *base
                                                                        .add(64 + 47 * ::core::mem::size_of::<*const u8>())
                                                                        .cast::<u8>(),
                                                                );
                                                                use super::super::super::super::__with_name0::Resolved as V110;
                                                                let v110 = match l99 {
                                                                    0 => {
                                                                        let e110 = {
                                                                            let l100 = *base
                                                                                .add(64 + 48 * ::core::mem::size_of::<*const u8>())
                                                                                .cast::<*mut u8>();
                                                                            let l101 = *base
                                                                                .add(64 + 49 * ::core::mem::size_of::<*const u8>())
                                                                                .cast::<usize>();
                                                                            let len102 = l101;
                                                                            let bytes102 = _rt::Vec::from_raw_parts(
                                                                                l100.cast(),
                                                                                len102,
                                                                                len102,
                                                                            );
                                                                            let l103 = *base
                                                                                .add(64 + 50 * ::core::mem::size_of::<*const u8>())
                                                                                .cast::<*mut u8>();
                                                                            let l104 = *base
                                                                                .add(64 + 51 * ::core::mem::size_of::<*const u8>())
                                                                                .cast::<usize>();
                                                                            let len105 = l104;
                                                                            let bytes105 = _rt::Vec::from_raw_parts(
                                                                                l103.cast(),
                                                                                len105,
                                                                                len105,
                                                                            );
                                                                            super::super::super::super::__with_name0::Target {
                                                                                root: _rt::string_lift(bytes102),
                                                                                path: _rt::string_lift(bytes105),
                                                                            }
                                                                        };
                                                                        V110::File(e110)
                                                                    }
                                                                    n => {
                                                                        debug_assert_eq!(n, 1, "invalid enum discriminant");
                                                                        let e110 = {
                                                                            let l106 = i32::from(
                                                                                *base
                                                                                    .add(64 + 48 * ::core::mem::size_of::<*const u8>())
                                                                                    .cast::<u8>(),
                                                                            );
                                                                            match l106 {
                                                                                0 => None,
                                                                                1 => {
                                                                                    let e = {
                                                                                        let l107 = *base
                                                                                            .add(64 + 49 * ::core::mem::size_of::<*const u8>())
                                                                                            .cast::<*mut u8>();
                                                                                        let l108 = *base
                                                                                            .add(64 + 50 * ::core::mem::size_of::<*const u8>())
                                                                                            .cast::<usize>();
                                                                                        let len109 = l108;
                                                                                        let bytes109 = _rt::Vec::from_raw_parts(
                                                                                            l107.cast(),
                                                                                            len109,
                                                                                            len109,
                                                                                        );
                                                                                        _rt::string_lift(bytes109)
                                                                                    };
                                                                                    Some(e)
                                                                                }
                                                                                _ => _rt::invalid_enum_discriminant(),
                                                                            }
                                                                        };
                                                                        V110::Content(e110)
                                                                    }
                                                                };
                                                                v110
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    decided_by: match l111 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l112 = *base
                                                                    .add(64 + 53 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<*mut u8>();
                                                                let l113 = *base
                                                                    .add(64 + 54 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<usize>();
                                                                let len114 = l113;
                                                                let bytes114 = _rt::Vec::from_raw_parts(
                                                                    l112.cast(),
                                                                    len114,
                                                                    len114,
                                                                );
                                                                _rt::string_lift(bytes114)
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    size: match l115 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l116 = *base
                                                                    .add(80 + 54 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<i64>();
                                                                l116 as u64
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    decision_us: match l117 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l118 = *base
                                                                    .add(96 + 54 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<i64>();
                                                                l118 as u64
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                }
                                            };
                                            EventKind::Started(e306)
                                        }
                                        1 => {
                                            let e306 = {
                                                let l119 = *base.add(24).cast::<*mut u8>();
                                                let l120 = *base
                                                    .add(24 + 1 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len121 = l120;
                                                let bytes121 = _rt::Vec::from_raw_parts(
                                                    l119.cast(),
                                                    len121,
                                                    len121,
                                                );
                                                let l122 = *base
                                                    .add(24 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<i64>();
                                                let l123 = i32::from(
                                                    *base
                                                        .add(32 + 2 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                Progress {
                                                    request_id: _rt::string_lift(bytes121),
                                                    transferred: l122 as u64,
                                                    size: match l123 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l124 = *base
                                                                    .add(40 + 2 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<i64>();
                                                                l124 as u64
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                }
                                            };
                                            EventKind::Progressed(e306)
                                        }
                                        2 => {
                                            let e306 = {
                                                let l125 = *base.add(24).cast::<*mut u8>();
                                                let l126 = *base
                                                    .add(24 + 1 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len127 = l126;
                                                let bytes127 = _rt::Vec::from_raw_parts(
                                                    l125.cast(),
                                                    len127,
                                                    len127,
                                                );
                                                let l128 = *base
                                                    .add(24 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l129 = *base
                                                    .add(24 + 3 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len130 = l129;
                                                let bytes130 = _rt::Vec::from_raw_parts(
                                                    l128.cast(),
                                                    len130,
                                                    len130,
                                                );
                                                let l131 = i32::from(
                                                    *base
                                                        .add(24 + 4 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l132 = i32::from(
                                                    *base
                                                        .add(25 + 4 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l133 = *base
                                                    .add(24 + 5 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l134 = *base
                                                    .add(24 + 6 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len135 = l134;
                                                let bytes135 = _rt::Vec::from_raw_parts(
                                                    l133.cast(),
                                                    len135,
                                                    len135,
                                                );
                                                let l136 = *base
                                                    .add(24 + 7 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l137 = *base
                                                    .add(24 + 8 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len138 = l137;
                                                let bytes138 = _rt::Vec::from_raw_parts(
                                                    l136.cast(),
                                                    len138,
                                                    len138,
                                                );
                                                let l139 = *base
                                                    .add(32 + 8 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l140 = *base
                                                    .add(32 + 9 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len141 = l140;
                                                let bytes141 = _rt::Vec::from_raw_parts(
                                                    l139.cast(),
                                                    len141,
                                                    len141,
                                                );
                                                let l142 = i32::from(
                                                    *base
                                                        .add(32 + 10 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u16>(),
                                                );
                                                let l143 = i32::from(
                                                    *base
                                                        .add(32 + 11 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l162 = i32::from(
                                                    *base
                                                        .add(32 + 16 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l188 = *base
                                                    .add(64 + 32 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l189 = *base
                                                    .add(64 + 33 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len190 = l189;
                                                let bytes190 = _rt::Vec::from_raw_parts(
                                                    l188.cast(),
                                                    len190,
                                                    len190,
                                                );
                                                let l191 = i32::from(
                                                    *base
                                                        .add(64 + 34 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l202 = *base
                                                    .add(64 + 42 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l203 = *base
                                                    .add(64 + 43 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let base210 = l202;
                                                let len210 = l203;
                                                let mut result210 = _rt::Vec::with_capacity(len210);
                                                for i in 0..len210 {
                                                    let base = base210
                                                        .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                                    let e210 = {
                                                        let l204 = *base.add(0).cast::<*mut u8>();
                                                        let l205 = *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len206 = l205;
                                                        let bytes206 = _rt::Vec::from_raw_parts(
                                                            l204.cast(),
                                                            len206,
                                                            len206,
                                                        );
                                                        let l207 = *base
                                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>();
                                                        let l208 = *base
                                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len209 = l208;
                                                        let bytes209 = _rt::Vec::from_raw_parts(
                                                            l207.cast(),
                                                            len209,
                                                            len209,
                                                        );
                                                        (_rt::string_lift(bytes206), _rt::string_lift(bytes209))
                                                    };
                                                    result210.push(e210);
                                                }
                                                _rt::cabi_dealloc(
                                                    base210,
                                                    len210 * (4 * ::core::mem::size_of::<*const u8>()),
                                                    ::core::mem::size_of::<*const u8>(),
                                                );
                                                let l211 = *base
                                                    .add(64 + 44 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l212 = *base
                                                    .add(64 + 45 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let base219 = l211;
                                                let len219 = l212;
                                                let mut result219 = _rt::Vec::with_capacity(len219);
                                                for i in 0..len219 {
                                                    let base = base219
                                                        .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                                    let e219 = {
                                                        let l213 = *base.add(0).cast::<*mut u8>();
                                                        let l214 = *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len215 = l214;
                                                        let bytes215 = _rt::Vec::from_raw_parts(
                                                            l213.cast(),
                                                            len215,
                                                            len215,
                                                        );
                                                        let l216 = *base
                                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>();
                                                        let l217 = *base
                                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len218 = l217;
                                                        let bytes218 = _rt::Vec::from_raw_parts(
                                                            l216.cast(),
                                                            len218,
                                                            len218,
                                                        );
                                                        (_rt::string_lift(bytes215), _rt::string_lift(bytes218))
                                                    };
                                                    result219.push(e219);
                                                }
                                                _rt::cabi_dealloc(
                                                    base219,
                                                    len219 * (4 * ::core::mem::size_of::<*const u8>()),
                                                    ::core::mem::size_of::<*const u8>(),
                                                );
                                                let l220 = i32::from(
                                                    *base
                                                        .add(64 + 46 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l233 = i32::from(
                                                    *base
                                                        .add(64 + 52 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l237 = i32::from(
                                                    *base
                                                        .add(72 + 54 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l239 = i32::from(
                                                    *base
                                                        .add(88 + 54 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l241 = *base
                                                    .add(104 + 54 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l242 = *base
                                                    .add(104 + 55 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len243 = l242;
                                                let bytes243 = _rt::Vec::from_raw_parts(
                                                    l241.cast(),
                                                    len243,
                                                    len243,
                                                );
                                                let l244 = *base
                                                    .add(104 + 56 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l245 = *base
                                                    .add(104 + 57 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len246 = l245;
                                                let bytes246 = _rt::Vec::from_raw_parts(
                                                    l244.cast(),
                                                    len246,
                                                    len246,
                                                );
                                                let l247 = i32::from(
                                                    *base
                                                        .add(104 + 58 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l251 = *base
                                                    .add(104 + 61 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<i32>();
                                                let l252 = *base
                                                    .add(104 + 62 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l253 = *base
                                                    .add(104 + 63 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let base260 = l252;
                                                let len260 = l253;
                                                let mut result260 = _rt::Vec::with_capacity(len260);
                                                for i in 0..len260 {
                                                    let base = base260
                                                        .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                                    let e260 = {
                                                        let l254 = *base.add(0).cast::<*mut u8>();
                                                        let l255 = *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len256 = l255;
                                                        let bytes256 = _rt::Vec::from_raw_parts(
                                                            l254.cast(),
                                                            len256,
                                                            len256,
                                                        );
                                                        let l257 = *base
                                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>();
                                                        let l258 = *base
                                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len259 = l258;
                                                        let bytes259 = _rt::Vec::from_raw_parts(
                                                            l257.cast(),
                                                            len259,
                                                            len259,
                                                        );
                                                        super::super::super::super::__with_name0::Target {
                                                            root: _rt::string_lift(bytes256),
                                                            path: _rt::string_lift(bytes259),
                                                        }
                                                    };
                                                    result260.push(e260);
                                                }
                                                _rt::cabi_dealloc(
                                                    base260,
                                                    len260 * (4 * ::core::mem::size_of::<*const u8>()),
                                                    ::core::mem::size_of::<*const u8>(),
                                                );
                                                let l261 = i32::from(
                                                    *base
                                                        .add(104 + 64 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l265 = i32::from(
                                                    *base
                                                        .add(104 + 67 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u16>(),
                                                );
                                                let l266 = i32::from(
                                                    *base
                                                        .add(106 + 67 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u16>(),
                                                );
                                                let l267 = i32::from(
                                                    *base
                                                        .add(108 + 67 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l269 = i32::from(
                                                    *base
                                                        .add(120 + 66 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l271 = *base
                                                    .add(136 + 66 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<i64>();
                                                let l272 = *base
                                                    .add(144 + 66 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<i64>();
                                                let l273 = *base
                                                    .add(152 + 66 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<i64>();
                                                let l274 = *base
                                                    .add(160 + 66 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<i64>();
                                                let l275 = *base
                                                    .add(168 + 66 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<i64>();
                                                let l276 = i32::from(
                                                    *base
                                                        .add(176 + 66 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l278 = i32::from(
                                                    *base
                                                        .add(192 + 66 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l280 = *base
                                                    .add(208 + 66 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<i64>();
                                                let l281 = *base
                                                    .add(216 + 66 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l282 = *base
                                                    .add(216 + 67 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let base289 = l281;
                                                let len289 = l282;
                                                let mut result289 = _rt::Vec::with_capacity(len289);
                                                for i in 0..len289 {
                                                    let base = base289
                                                        .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                                    let e289 = {
                                                        let l283 = *base.add(0).cast::<*mut u8>();
                                                        let l284 = *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len285 = l284;
                                                        let bytes285 = _rt::Vec::from_raw_parts(
                                                            l283.cast(),
                                                            len285,
                                                            len285,
                                                        );
                                                        let l286 = *base
                                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>();
                                                        let l287 = *base
                                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len288 = l287;
                                                        let bytes288 = _rt::Vec::from_raw_parts(
                                                            l286.cast(),
                                                            len288,
                                                            len288,
                                                        );
                                                        (_rt::string_lift(bytes285), _rt::string_lift(bytes288))
                                                    };
                                                    result289.push(e289);
                                                }
                                                _rt::cabi_dealloc(
                                                    base289,
                                                    len289 * (4 * ::core::mem::size_of::<*const u8>()),
                                                    ::core::mem::size_of::<*const u8>(),
                                                );
                                                Summary {
                                                    decided: DecidedRequest {
                                                        request: super::super::super::super::__with_name0::Request {
                                                            id: _rt::string_lift(bytes127),
                                                            listener: _rt::string_lift(bytes130),
                                                            operation: super::super::super::super::__with_name0::Operation::_lift(
                                                                l131 as u8,
                                                            ),
                                                            mode: super::super::super::super::__with_name0::Mode::_lift(
                                                                l132 as u8,
                                                            ),
                                                            requested: _rt::string_lift(bytes135),
                                                            path: _rt::string_lift(bytes138),
                                                            client: super::super::super::super::__with_name0::Client {
                                                                address: _rt::string_lift(bytes141),
                                                                port: l142 as u16,
                                                                macs: match l143 {
                                                                    0 => None,
                                                                    1 => {
                                                                        let e = {
                                                                            let l144 = *base
                                                                                .add(32 + 12 * ::core::mem::size_of::<*const u8>())
                                                                                .cast::<*mut u8>();
                                                                            let l145 = *base
                                                                                .add(32 + 13 * ::core::mem::size_of::<*const u8>())
                                                                                .cast::<usize>();
                                                                            let base152 = l144;
                                                                            let len152 = l145;
                                                                            let mut result152 = _rt::Vec::with_capacity(len152);
                                                                            for i in 0..len152 {
                                                                                let base = base152
                                                                                    .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                                                                let e152 = {
                                                                                    let l146 = *base.add(0).cast::<*mut u8>();
                                                                                    let l147 = *base
                                                                                        .add(::core::mem::size_of::<*const u8>())
                                                                                        .cast::<usize>();
                                                                                    let len148 = l147;
                                                                                    let bytes148 = _rt::Vec::from_raw_parts(
                                                                                        l146.cast(),
                                                                                        len148,
                                                                                        len148,
                                                                                    );
                                                                                    let l149 = *base
                                                                                        .add(2 * ::core::mem::size_of::<*const u8>())
                                                                                        .cast::<*mut u8>();
                                                                                    let l150 = *base
                                                                                        .add(3 * ::core::mem::size_of::<*const u8>())
                                                                                        .cast::<usize>();
                                                                                    let len151 = l150;
                                                                                    let bytes151 = _rt::Vec::from_raw_parts(
                                                                                        l149.cast(),
                                                                                        len151,
                                                                                        len151,
                                                                                    );
                                                                                    super::super::super::super::__with_name0::Mac {
                                                                                        address: _rt::string_lift(bytes148),
                                                                                        source: _rt::string_lift(bytes151),
                                                                                    }
                                                                                };
                                                                                result152.push(e152);
                                                                            }
                                                                            _rt::cabi_dealloc(
                                                                                base152,
                                                                                len152 * (4 * ::core::mem::size_of::<*const u8>()),
                                                                                ::core::mem::size_of::<*const u8>(),
                                                                            );
                                                                            let l153 = *base
                                                                                .add(32 + 14 * ::core::mem::size_of::<*const u8>())
                                                                                .cast::<*mut u8>();
                                                                            let l154 = *base
                                                                                .add(32 + 15 * ::core::mem::size_of::<*const u8>())
                                                                                .cast::<usize>();
                                                                            let base161 = l153;
                                                                            let len161 = l154;
                                                                            let mut result161 = _rt::Vec::with_capacity(len161);
                                                                            for i in 0..len161 {
                                                                                let base = base161
                                                                                    .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                                                                let e161 = {
                                                                                    let l155 = *base.add(0).cast::<*mut u8>();
                                                                                    let l156 = *base
                                                                                        .add(::core::mem::size_of::<*const u8>())
                                                                                        .cast::<usize>();
                                                                                    let len157 = l156;
                                                                                    let bytes157 = _rt::Vec::from_raw_parts(
                                                                                        l155.cast(),
                                                                                        len157,
                                                                                        len157,
                                                                                    );
                                                                                    let l158 = *base
                                                                                        .add(2 * ::core::mem::size_of::<*const u8>())
                                                                                        .cast::<*mut u8>();
                                                                                    let l159 = *base
                                                                                        .add(3 * ::core::mem::size_of::<*const u8>())
                                                                                        .cast::<usize>();
                                                                                    let len160 = l159;
                                                                                    let bytes160 = _rt::Vec::from_raw_parts(
                                                                                        l158.cast(),
                                                                                        len160,
                                                                                        len160,
                                                                                    );
                                                                                    super::super::super::super::__with_name0::Mac {
                                                                                        address: _rt::string_lift(bytes157),
                                                                                        source: _rt::string_lift(bytes160),
                                                                                    }
                                                                                };
                                                                                result161.push(e161);
                                                                            }
                                                                            _rt::cabi_dealloc(
                                                                                base161,
                                                                                len161 * (4 * ::core::mem::size_of::<*const u8>()),
                                                                                ::core::mem::size_of::<*const u8>(),
                                                                            );
                                                                            super::super::super::super::__with_name0::MacAddresses {
                                                                                network: result152,
                                                                                claimed: result161,
                                                                            }
                                                                        };
                                                                        Some(e)
                                                                    }
                                                                    _ => _rt::invalid_enum_discriminant(),
                                                                },
                                                                lease: match l162 {
                                                                    0 => None,
                                                                    1 => {
                                                                        let e = {
                                                                            let l163 = i32::from(
                                                                                *base
                                                                                    .add(40 + 16 * ::core::mem::size_of::<*const u8>())
                                                                                    .cast::<u8>(),
                                                                            );
                                                                            let l167 = i32::from(
                                                                                *base
                                                                                    .add(40 + 19 * ::core::mem::size_of::<*const u8>())
                                                                                    .cast::<u8>(),
                                                                            );
                                                                            let l171 = i32::from(
                                                                                *base
                                                                                    .add(40 + 22 * ::core::mem::size_of::<*const u8>())
                                                                                    .cast::<u8>(),
                                                                            );
                                                                            let l175 = i32::from(
                                                                                *base
                                                                                    .add(40 + 25 * ::core::mem::size_of::<*const u8>())
                                                                                    .cast::<u8>(),
                                                                            );
                                                                            let l179 = i32::from(
                                                                                *base
                                                                                    .add(40 + 28 * ::core::mem::size_of::<*const u8>())
                                                                                    .cast::<u8>(),
                                                                            );
                                                                            let l183 = i32::from(
                                                                                *base
                                                                                    .add(40 + 31 * ::core::mem::size_of::<*const u8>())
                                                                                    .cast::<u8>(),
                                                                            );
                                                                            let l185 = i32::from(
                                                                                *base
                                                                                    .add(40 + 32 * ::core::mem::size_of::<*const u8>())
                                                                                    .cast::<u8>(),
                                                                            );
                                                                            let l187 = *base
                                                                                .add(56 + 32 * ::core::mem::size_of::<*const u8>())
                                                                                .cast::<i64>();
                                                                            super::super::super::super::__with_name0::Lease {
                                                                                mac: match l163 {
                                                                                    0 => None,
                                                                                    1 => {
                                                                                        let e = {
                                                                                            let l164 = *base
                                                                                                .add(40 + 17 * ::core::mem::size_of::<*const u8>())
                                                                                                .cast::<*mut u8>();
                                                                                            let l165 = *base
                                                                                                .add(40 + 18 * ::core::mem::size_of::<*const u8>())
                                                                                                .cast::<usize>();
                                                                                            let len166 = l165;
                                                                                            let bytes166 = _rt::Vec::from_raw_parts(
                                                                                                l164.cast(),
                                                                                                len166,
                                                                                                len166,
                                                                                            );
                                                                                            _rt::string_lift(bytes166)
                                                                                        };
                                                                                        Some(e)
                                                                                    }
                                                                                    _ => _rt::invalid_enum_discriminant(),
                                                                                },
                                                                                client_id: match l167 {
                                                                                    0 => None,
                                                                                    1 => {
                                                                                        let e = {
                                                                                            let l168 = *base
                                                                                                .add(40 + 20 * ::core::mem::size_of::<*const u8>())
                                                                                                .cast::<*mut u8>();
                                                                                            let l169 = *base
                                                                                                .add(40 + 21 * ::core::mem::size_of::<*const u8>())
                                                                                                .cast::<usize>();
                                                                                            let len170 = l169;
                                                                                            let bytes170 = _rt::Vec::from_raw_parts(
                                                                                                l168.cast(),
                                                                                                len170,
                                                                                                len170,
                                                                                            );
                                                                                            _rt::string_lift(bytes170)
                                                                                        };
                                                                                        Some(e)
                                                                                    }
                                                                                    _ => _rt::invalid_enum_discriminant(),
                                                                                },
                                                                                uuid: match l171 {
                                                                                    0 => None,
                                                                                    1 => {
                                                                                        let e = {
                                                                                            let l172 = *base
                                                                                                .add(40 + 23 * ::core::mem::size_of::<*const u8>())
                                                                                                .cast::<*mut u8>();
                                                                                            let l173 = *base
                                                                                                .add(40 + 24 * ::core::mem::size_of::<*const u8>())
                                                                                                .cast::<usize>();
                                                                                            let len174 = l173;
                                                                                            let bytes174 = _rt::Vec::from_raw_parts(
                                                                                                l172.cast(),
                                                                                                len174,
                                                                                                len174,
                                                                                            );
                                                                                            _rt::string_lift(bytes174)
                                                                                        };
                                                                                        Some(e)
                                                                                    }
                                                                                    _ => _rt::invalid_enum_discriminant(),
                                                                                },
                                                                                hostname: match l175 {
                                                                                    0 => None,
                                                                                    1 => {
                                                                                        let e = {
                                                                                            let l176 = *base
                                                                                                .add(40 + 26 * ::core::mem::size_of::<*const u8>())
                                                                                                .cast::<*mut u8>();
                                                                                            let l177 = *base
                                                                                                .add(40 + 27 * ::core::mem::size_of::<*const u8>())
                                                                                                .cast::<usize>();
                                                                                            let len178 = l177;
                                                                                            let bytes178 = _rt::Vec::from_raw_parts(
                                                                                                l176.cast(),
                                                                                                len178,
                                                                                                len178,
                                                                                            );
                                                                                            _rt::string_lift(bytes178)
                                                                                        };
                                                                                        Some(e)
                                                                                    }
                                                                                    _ => _rt::invalid_enum_discriminant(),
                                                                                },
                                                                                vendor_class: match l179 {
                                                                                    0 => None,
                                                                                    1 => {
                                                                                        let e = {
                                                                                            let l180 = *base
                                                                                                .add(40 + 29 * ::core::mem::size_of::<*const u8>())
                                                                                                .cast::<*mut u8>();
                                                                                            let l181 = *base
                                                                                                .add(40 + 30 * ::core::mem::size_of::<*const u8>())
                                                                                                .cast::<usize>();
                                                                                            let len182 = l181;
                                                                                            let bytes182 = _rt::Vec::from_raw_parts(
                                                                                                l180.cast(),
                                                                                                len182,
                                                                                                len182,
                                                                                            );
                                                                                            _rt::string_lift(bytes182)
                                                                                        };
                                                                                        Some(e)
                                                                                    }
                                                                                    _ => _rt::invalid_enum_discriminant(),
                                                                                },
                                                                                architecture: match l183 {
                                                                                    0 => None,
                                                                                    1 => {
                                                                                        let e = {
                                                                                            let l184 = i32::from(
                                                                                                *base
                                                                                                    .add(42 + 31 * ::core::mem::size_of::<*const u8>())
                                                                                                    .cast::<u16>(),
                                                                                            );
                                                                                            l184 as u16
                                                                                        };
                                                                                        Some(e)
                                                                                    }
                                                                                    _ => _rt::invalid_enum_discriminant(),
                                                                                },
                                                                                expires: match l185 {
                                                                                    0 => None,
                                                                                    1 => {
                                                                                        let e = {
                                                                                            let l186 = *base
                                                                                                .add(48 + 32 * ::core::mem::size_of::<*const u8>())
                                                                                                .cast::<i64>();
                                                                                            l186 as u64
                                                                                        };
                                                                                        Some(e)
                                                                                    }
                                                                                    _ => _rt::invalid_enum_discriminant(),
                                                                                },
                                                                                age: l187 as u64,
                                                                            }
                                                                        };
                                                                        Some(e)
                                                                    }
                                                                    _ => _rt::invalid_enum_discriminant(),
                                                                },
                                                                class: _rt::string_lift(bytes190),
                                                            },
                                                            arrival: match l191 {
                                                                0 => None,
                                                                1 => {
                                                                    let e = {
                                                                        let l192 = i32::from(
                                                                            *base
                                                                                .add(64 + 35 * ::core::mem::size_of::<*const u8>())
                                                                                .cast::<u8>(),
                                                                        );
                                                                        let l196 = i32::from(
                                                                            *base
                                                                                .add(64 + 38 * ::core::mem::size_of::<*const u8>())
                                                                                .cast::<u8>(),
                                                                        );
                                                                        let l200 = i32::from(
                                                                            *base
                                                                                .add(64 + 41 * ::core::mem::size_of::<*const u8>())
                                                                                .cast::<u8>(),
                                                                        );
                                                                        super::super::super::super::__with_name0::Arrival {
                                                                            address: match l192 {
                                                                                0 => None,
                                                                                1 => {
                                                                                    let e = {
                                                                                        let l193 = *base
                                                                                            .add(64 + 36 * ::core::mem::size_of::<*const u8>())
                                                                                            .cast::<*mut u8>();
                                                                                        let l194 = *base
                                                                                            .add(64 + 37 * ::core::mem::size_of::<*const u8>())
                                                                                            .cast::<usize>();
                                                                                        let len195 = l194;
                                                                                        let bytes195 = _rt::Vec::from_raw_parts(
                                                                                            l193.cast(),
                                                                                            len195,
                                                                                            len195,
                                                                                        );
                                                                                        _rt::string_lift(bytes195)
                                                                                    };
                                                                                    Some(e)
                                                                                }
                                                                                _ => _rt::invalid_enum_discriminant(),
                                                                            },
                                                                            interface_name: match l196 {
                                                                                0 => None,
                                                                                1 => {
                                                                                    let e = {
                                                                                        let l197 = *base
                                                                                            .add(64 + 39 * ::core::mem::size_of::<*const u8>())
                                                                                            .cast::<*mut u8>();
                                                                                        let l198 = *base
                                                                                            .add(64 + 40 * ::core::mem::size_of::<*const u8>())
                                                                                            .cast::<usize>();
                                                                                        let len199 = l198;
                                                                                        let bytes199 = _rt::Vec::from_raw_parts(
                                                                                            l197.cast(),
                                                                                            len199,
                                                                                            len199,
                                                                                        );
                                                                                        _rt::string_lift(bytes199)
                                                                                    };
                                                                                    Some(e)
                                                                                }
                                                                                _ => _rt::invalid_enum_discriminant(),
                                                                            },
                                                                            vlan: match l200 {
                                                                                0 => None,
                                                                                1 => {
                                                                                    let e = {
                                                                                        let l201 = i32::from(
                                                                                            *base
                                                                                                .add(66 + 41 * ::core::mem::size_of::<*const u8>())
                                                                                                .cast::<u16>(),
                                                                                        );
                                                                                        l201 as u16
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
                                                            options: result210,
                                                            attributes: result219,
                                                        },
                                                        resolved: match l220 {
                                                            0 => None,
                                                            1 => {
                                                                let e = {
                                                                    let l221 = i32::from(
                                                                        *base
                                                                            .add(64 + 47 * ::core::mem::size_of::<*const u8>())
                                                                            .cast::<u8>(),
                                                                    );
                                                                    use super::super::super::super::__with_name0::Resolved as V232;
                                                                    let v232 = match l221 {
                                                                        0 => {
                                                                            let e232 = {
                                                                                let l222 = *base
                                                                                    .add(64 + 48 * ::core::mem::size_of::<*const u8>())
                                                                                    .cast::<*mut u8>();
                                                                                let l223 = *base
                                                                                    .add(64 + 49 * ::core::mem::size_of::<*const u8>())
                                                                                    .cast::<usize>();
                                                                                let len224 = l223;
                                                                                let bytes224 = _rt::Vec::from_raw_parts(
                                                                                    l222.cast(),
                                                                                    len224,
                                                                                    len224,
                                                                                );
                                                                                let l225 = *base
                                                                                    .add(64 + 50 * ::core::mem::size_of::<*const u8>())
                                                                                    .cast::<*mut u8>();
                                                                                let l226 = *base
                                                                                    .add(64 + 51 * ::core::mem::size_of::<*const u8>())
                                                                                    .cast::<usize>();
                                                                                let len227 = l226;
                                                                                let bytes227 = _rt::Vec::from_raw_parts(
                                                                                    l225.cast(),
                                                                                    len227,
                                                                                    len227,
                                                                                );
                                                                                super::super::super::super::__with_name0::Target {
                                                                                    root: _rt::string_lift(bytes224),
                                                                                    path: _rt::string_lift(bytes227),
                                                                                }
                                                                            };
                                                                            V232::File(e232)
                                                                        }
                                                                        n => {
                                                                            debug_assert_eq!(n, 1, "invalid enum discriminant");
                                                                            let e232 = {
                                                                                let l228 = i32::from(
                                                                                    *base
                                                                                        .add(64 + 48 * ::core::mem::size_of::<*const u8>())
                                                                                        .cast::<u8>(),
                                                                                );
                                                                                match l228 {
                                                                                    0 => None,
                                                                                    1 => {
                                                                                        let e = {
                                                                                            let l229 = *base
                                                                                                .add(64 + 49 * ::core::mem::size_of::<*const u8>())
                                                                                                .cast::<*mut u8>();
                                                                                            let l230 = *base
                                                                                                .add(64 + 50 * ::core::mem::size_of::<*const u8>())
                                                                                                .cast::<usize>();
                                                                                            let len231 = l230;
                                                                                            let bytes231 = _rt::Vec::from_raw_parts(
                                                                                                l229.cast(),
                                                                                                len231,
                                                                                                len231,
                                                                                            );
                                                                                            _rt::string_lift(bytes231)
                                                                                        };
                                                                                        Some(e)
                                                                                    }
                                                                                    _ => _rt::invalid_enum_discriminant(),
                                                                                }
                                                                            };
                                                                            V232::Content(e232)
                                                                        }
                                                                    };
                                                                    v232
                                                                };
                                                                Some(e)
                                                            }
                                                            _ => _rt::invalid_enum_discriminant(),
                                                        },
                                                        decided_by: match l233 {
                                                            0 => None,
                                                            1 => {
                                                                let e = {
                                                                    let l234 = *base
                                                                        .add(64 + 53 * ::core::mem::size_of::<*const u8>())
                                                                        .cast::<*mut u8>();
                                                                    let l235 = *base
                                                                        .add(64 + 54 * ::core::mem::size_of::<*const u8>())
                                                                        .cast::<usize>();
                                                                    let len236 = l235;
                                                                    let bytes236 = _rt::Vec::from_raw_parts(
                                                                        l234.cast(),
                                                                        len236,
                                                                        len236,
                                                                    );
                                                                    _rt::string_lift(bytes236)
                                                                };
                                                                Some(e)
                                                            }
                                                            _ => _rt::invalid_enum_discriminant(),
                                                        },
                                                        size: match l237 {
                                                            0 => None,
                                                            1 => {
                                                                let e = {
                                                                    let l238 = *base
                                                                        .add(80 + 54 * ::core::mem::size_of::<*const u8>())
                                                                        .cast::<i64>();
                                                                    l238 as u64
                                                                };
                                                                Some(e)
                                                            }
                                                            _ => _rt::invalid_enum_discriminant(),
                                                        },
                                                        decision_us: match l239 {
                                                            0 => None,
                                                            1 => {
                                                                let e = {
                                                                    let l240 = *base
                                                                        .add(96 + 54 * ::core::mem::size_of::<*const u8>())
                                                                        .cast::<i64>();
                                                                    l240 as u64
                                                                };
                                                                Some(e)
                                                            }
                                                            _ => _rt::invalid_enum_discriminant(),
                                                        },
                                                    },
                                                    decision: _rt::string_lift(bytes243),
                                                    outcome: _rt::string_lift(bytes246),
                                                    detail: match l247 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l248 = *base
                                                                    .add(104 + 59 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<*mut u8>();
                                                                let l249 = *base
                                                                    .add(104 + 60 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<usize>();
                                                                let len250 = l249;
                                                                let bytes250 = _rt::Vec::from_raw_parts(
                                                                    l248.cast(),
                                                                    len250,
                                                                    len250,
                                                                );
                                                                _rt::string_lift(bytes250)
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    plugin_calls: l251 as u32,
                                                    tried: result260,
                                                    tried_by: match l261 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l262 = *base
                                                                    .add(104 + 65 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<*mut u8>();
                                                                let l263 = *base
                                                                    .add(104 + 66 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<usize>();
                                                                let len264 = l263;
                                                                let bytes264 = _rt::Vec::from_raw_parts(
                                                                    l262.cast(),
                                                                    len264,
                                                                    len264,
                                                                );
                                                                _rt::string_lift(bytes264)
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    blksize: l265 as u16,
                                                    windowsize: l266 as u16,
                                                    timeout_option: match l267 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l268 = i32::from(
                                                                    *base
                                                                        .add(109 + 67 * ::core::mem::size_of::<*const u8>())
                                                                        .cast::<u8>(),
                                                                );
                                                                l268 as u8
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    tsize: match l269 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l270 = *base
                                                                    .add(128 + 66 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<i64>();
                                                                l270 as u64
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    transferred: l271 as u64,
                                                    blocks: l272 as u64,
                                                    retransmissions: l273 as u64,
                                                    duplicates: l274 as u64,
                                                    timeouts: l275 as u64,
                                                    rtt_us: match l276 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l277 = *base
                                                                    .add(184 + 66 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<i64>();
                                                                l277 as u64
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    first_block_us: match l278 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l279 = *base
                                                                    .add(200 + 66 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<i64>();
                                                                l279 as u64
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    duration_us: l280 as u64,
                                                    attributes: result289,
                                                }
                                            };
                                            EventKind::Finished(e306)
                                        }
                                        n => {
                                            debug_assert_eq!(n, 3, "invalid enum discriminant");
                                            let e306 = {
                                                let l290 = *base.add(24).cast::<*mut u8>();
                                                let l291 = *base
                                                    .add(24 + 1 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len292 = l291;
                                                let bytes292 = _rt::Vec::from_raw_parts(
                                                    l290.cast(),
                                                    len292,
                                                    len292,
                                                );
                                                let l293 = i32::from(
                                                    *base
                                                        .add(24 + 2 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l297 = *base
                                                    .add(24 + 5 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l298 = *base
                                                    .add(24 + 6 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let base305 = l297;
                                                let len305 = l298;
                                                let mut result305 = _rt::Vec::with_capacity(len305);
                                                for i in 0..len305 {
                                                    let base = base305
                                                        .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                                    let e305 = {
                                                        let l299 = *base.add(0).cast::<*mut u8>();
                                                        let l300 = *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len301 = l300;
                                                        let bytes301 = _rt::Vec::from_raw_parts(
                                                            l299.cast(),
                                                            len301,
                                                            len301,
                                                        );
                                                        let l302 = *base
                                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>();
                                                        let l303 = *base
                                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len304 = l303;
                                                        let bytes304 = _rt::Vec::from_raw_parts(
                                                            l302.cast(),
                                                            len304,
                                                            len304,
                                                        );
                                                        (_rt::string_lift(bytes301), _rt::string_lift(bytes304))
                                                    };
                                                    result305.push(e305);
                                                }
                                                _rt::cabi_dealloc(
                                                    base305,
                                                    len305 * (4 * ::core::mem::size_of::<*const u8>()),
                                                    ::core::mem::size_of::<*const u8>(),
                                                );
                                                OtherEvent {
                                                    kind: _rt::string_lift(bytes292),
                                                    request_id: match l293 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l294 = *base
                                                                    .add(24 + 3 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<*mut u8>();
                                                                let l295 = *base
                                                                    .add(24 + 4 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<usize>();
                                                                let len296 = l295;
                                                                let bytes296 = _rt::Vec::from_raw_parts(
                                                                    l294.cast(),
                                                                    len296,
                                                                    len296,
                                                                );
                                                                _rt::string_lift(bytes296)
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    attributes: result305,
                                                }
                                            };
                                            EventKind::Other(e306)
                                        }
                                    };
                                    Event {
                                        sequence: l0 as u64,
                                        unix_ms: l1 as u64,
                                        kind: v306,
                                    }
                                };
                                result307.push(e307);
                            }
                            _rt::cabi_dealloc(
                                base307,
                                len307 * (216 + 68 * ::core::mem::size_of::<*const u8>()),
                                8,
                            );
                            T_::observe(result307)
                        };
                    }
                }
                pub trait Guest {
                    /// Events in the order in which they happened. Each request that was admitted has exactly one `finished`; one that was
                    /// granted has a `started` before it. `progressed` is sampled, about once a second for a transfer that moves, and left
                    /// out when the server is busy. What a call that fails was given may be given once more, to another instance: the
                    /// sequence numbers tell. A plugin whose manifest says `"empty-batches": true` is called without events, too.
                    #[allow(async_fn_in_trait)]
                    fn observe(events: _rt::Vec<Event>) -> ();
                }
                #[doc(hidden)]
                #[macro_export]
                macro_rules! __export_tuffet_policy_observe_1_0_0_rc_1_cabi {
                    ($ty:ident with_types_in $($path_to_types:tt)*) => {
                        const _ : () = { #[unsafe (export_name =
                        "tuffet:policy/observe@1.0.0-rc.1#observe")] unsafe extern "C" fn
                        export_observe(arg0 : * mut u8, arg1 : usize,) { unsafe {
                        $($path_to_types)*:: _export_observe_cabi::<$ty > (arg0, arg1) }
                        } };
                    };
                }
                #[doc(hidden)]
                pub use __export_tuffet_policy_observe_1_0_0_rc_1_cabi;
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
        exports::tuffet::policy::observe::__export_tuffet_policy_observe_1_0_0_rc_1_cabi!($ty
        with_types_in $($path_to_types_root)*:: exports::tuffet::policy::observe); const
        _ : () = { #[cfg(target_arch = "wasm32")] #[unsafe (link_section =
        "component-type:wit-bindgen:0.61.1:tuffet:sdk:observe:imports and exports")]
        #[doc(hidden)] #[allow(clippy::octal_escapes)] pub static
        __WIT_BINDGEN_COMPONENT_TYPE : [u8; 1713] = *
        b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xb3\x0c\x01A\x02\x01\
A\x07\x01B)\x01m\x02\x04read\x05write\x04\0\x09operation\x03\0\0\x01m\x02\x05oct\
et\x08netascii\x04\0\x04mode\x03\0\x02\x01m\x06\x0bnot-defined\x0efile-not-found\
\x10access-violation\x09disk-full\x0bfile-exists\x0eoption-refused\x04\0\x0aerro\
r-code\x03\0\x04\x01r\x02\x07addresss\x06sources\x04\0\x03mac\x03\0\x06\x01p\x07\
\x01r\x02\x07network\x08\x07claimed\x08\x04\0\x0dmac-addresses\x03\0\x09\x01ks\x01\
k{\x01kw\x01r\x08\x03mac\x0b\x09client-id\x0b\x04uuid\x0b\x08hostname\x0b\x0cven\
dor-class\x0b\x0carchitecture\x0c\x07expires\x0d\x03agew\x04\0\x05lease\x03\0\x0e\
\x01r\x03\x07address\x0b\x0einterface-name\x0b\x04vlan\x0c\x04\0\x07arrival\x03\0\
\x10\x01k\x0a\x01k\x0f\x01r\x05\x07addresss\x04port{\x04macs\x12\x05lease\x13\x05\
classs\x04\0\x06client\x03\0\x14\x01k\x11\x01o\x02ss\x01p\x17\x01r\x0a\x02ids\x08\
listeners\x09operation\x01\x04mode\x03\x09requesteds\x04paths\x06client\x15\x07a\
rrival\x16\x07options\x18\x0aattributes\x18\x04\0\x07request\x03\0\x19\x01r\x03\x04\
code\x05\x07messages\x06reasons\x04\0\x06denial\x03\0\x1b\x01r\x02\x04roots\x04p\
aths\x04\0\x06target\x03\0\x1d\x01q\x02\x04file\x01\x1e\0\x07content\x01\x0b\0\x04\
\0\x08resolved\x03\0\x1f\x01k}\x01r\x03\x07blksize\x0c\x0awindowsize\x0c\x07time\
out!\x04\0\x0esession-values\x03\0\"\x01ps\x01r\x08\x08ceilings#\x06floors#\x09o\
verrides#\x08max-size\x0d\x05burst\x0c\x04rate\x0d\x0erefuse-options$\x0aattribu\
tes\x18\x04\0\x07profile\x03\0%\x01r\x02\x04codes\x07messages\x04\0\x05error\x03\
\0'\x03\0\x1etuffet:policy/types@1.0.0-rc.1\x05\0\x02\x03\0\0\x07request\x02\x03\
\0\0\x08resolved\x02\x03\0\0\x06target\x01B\x1c\x02\x03\x02\x01\x01\x04\0\x07req\
uest\x03\0\0\x02\x03\x02\x01\x02\x04\0\x08resolved\x03\0\x02\x02\x03\x02\x01\x03\
\x04\0\x06target\x03\0\x04\x01k\x03\x01ks\x01kw\x01r\x05\x07request\x01\x08resol\
ved\x06\x0adecided-by\x07\x04size\x08\x0bdecision-us\x08\x04\0\x0fdecided-reques\
t\x03\0\x09\x01r\x03\x0arequest-ids\x0btransferredw\x04size\x08\x04\0\x08progres\
s\x03\0\x0b\x01p\x05\x01k}\x01o\x02ss\x01p\x0f\x01r\x14\x07decided\x0a\x08decisi\
ons\x07outcomes\x06detail\x07\x0cplugin-callsy\x05tried\x0d\x08tried-by\x07\x07b\
lksize{\x0awindowsize{\x0etimeout-option\x0e\x05tsize\x08\x0btransferredw\x06blo\
cksw\x0fretransmissionsw\x0aduplicatesw\x08timeoutsw\x06rtt-us\x08\x0efirst-bloc\
k-us\x08\x0bduration-usw\x0aattributes\x10\x04\0\x07summary\x03\0\x11\x01r\x03\x04\
kinds\x0arequest-id\x07\x0aattributes\x10\x04\0\x0bother-event\x03\0\x13\x01q\x04\
\x07started\x01\x0a\0\x0aprogressed\x01\x0c\0\x08finished\x01\x12\0\x05other\x01\
\x14\0\x04\0\x0aevent-kind\x03\0\x15\x01r\x03\x08sequencew\x07unix-msw\x04kind\x16\
\x04\0\x05event\x03\0\x17\x01p\x18\x01@\x01\x06events\x19\x01\0\x04\0\x07observe\
\x01\x1a\x04\0\x20tuffet:policy/observe@1.0.0-rc.1\x05\x04\x04\0\x12tuffet:sdk/o\
bserve\x04\0\x0b\x0d\x01\0\x07observe\x03\0\0\0G\x09producers\x01\x0cprocessed-b\
y\x02\x0dwit-component\x070.258.3\x10wit-bindgen-rust\x060.61.1";
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
pub static __WIT_BINDGEN_COMPONENT_TYPE: [u8; 1084] = *b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\x9e\x07\x01A\x02\x01\
A\x02\x01B)\x01m\x02\x04read\x05write\x04\0\x09operation\x03\0\0\x01m\x02\x05oct\
et\x08netascii\x04\0\x04mode\x03\0\x02\x01m\x06\x0bnot-defined\x0efile-not-found\
\x10access-violation\x09disk-full\x0bfile-exists\x0eoption-refused\x04\0\x0aerro\
r-code\x03\0\x04\x01r\x02\x07addresss\x06sources\x04\0\x03mac\x03\0\x06\x01p\x07\
\x01r\x02\x07network\x08\x07claimed\x08\x04\0\x0dmac-addresses\x03\0\x09\x01ks\x01\
k{\x01kw\x01r\x08\x03mac\x0b\x09client-id\x0b\x04uuid\x0b\x08hostname\x0b\x0cven\
dor-class\x0b\x0carchitecture\x0c\x07expires\x0d\x03agew\x04\0\x05lease\x03\0\x0e\
\x01r\x03\x07address\x0b\x0einterface-name\x0b\x04vlan\x0c\x04\0\x07arrival\x03\0\
\x10\x01k\x0a\x01k\x0f\x01r\x05\x07addresss\x04port{\x04macs\x12\x05lease\x13\x05\
classs\x04\0\x06client\x03\0\x14\x01k\x11\x01o\x02ss\x01p\x17\x01r\x0a\x02ids\x08\
listeners\x09operation\x01\x04mode\x03\x09requesteds\x04paths\x06client\x15\x07a\
rrival\x16\x07options\x18\x0aattributes\x18\x04\0\x07request\x03\0\x19\x01r\x03\x04\
code\x05\x07messages\x06reasons\x04\0\x06denial\x03\0\x1b\x01r\x02\x04roots\x04p\
aths\x04\0\x06target\x03\0\x1d\x01q\x02\x04file\x01\x1e\0\x07content\x01\x0b\0\x04\
\0\x08resolved\x03\0\x1f\x01k}\x01r\x03\x07blksize\x0c\x0awindowsize\x0c\x07time\
out!\x04\0\x0esession-values\x03\0\"\x01ps\x01r\x08\x08ceilings#\x06floors#\x09o\
verrides#\x08max-size\x0d\x05burst\x0c\x04rate\x0d\x0erefuse-options$\x0aattribu\
tes\x18\x04\0\x07profile\x03\0%\x01r\x02\x04codes\x07messages\x04\0\x05error\x03\
\0'\x03\0\x1etuffet:policy/types@1.0.0-rc.1\x05\0\x04\02tuffet:sdk/observe-with-\
all-of-its-exports-removed\x04\0\x0b-\x01\0'observe-with-all-of-its-exports-remo\
ved\x03\0\0\0G\x09producers\x01\x0cprocessed-by\x02\x0dwit-component\x070.258.3\x10\
wit-bindgen-rust\x060.61.1";
#[inline(never)]
#[doc(hidden)]
pub fn __link_custom_section_describing_imports() {
    wit_bindgen::rt::maybe_link_cabi_realloc();
}
