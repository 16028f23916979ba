#[allow(unfulfilled_lint_expectations, unused_imports)]
use crate::bindings::authorize::tuffet::policy::types as __with_name0;
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
                pub type Outcome = super::super::super::super::__with_name0::Outcome;
                /// What was answered to a request. Why, and how it ended, is the outcome's to say.
                #[repr(u8)]
                #[derive(Clone, Copy, Eq, Ord, PartialEq, PartialOrd)]
                pub enum Decision {
                    /// It was granted: blocks could move.
                    Granted,
                    /// It was refused with an ERROR.
                    Refused,
                    /// It was not answered.
                    Dropped,
                    /// It ended before it was decided: the client asked for something else, or the server stopped.
                    Undecided,
                }
                impl ::core::fmt::Debug for Decision {
                    fn fmt(
                        &self,
                        f: &mut ::core::fmt::Formatter<'_>,
                    ) -> ::core::fmt::Result {
                        match self {
                            Decision::Granted => {
                                f.debug_tuple("Decision::Granted").finish()
                            }
                            Decision::Refused => {
                                f.debug_tuple("Decision::Refused").finish()
                            }
                            Decision::Dropped => {
                                f.debug_tuple("Decision::Dropped").finish()
                            }
                            Decision::Undecided => {
                                f.debug_tuple("Decision::Undecided").finish()
                            }
                        }
                    }
                }
                impl Decision {
                    #[doc(hidden)]
                    pub unsafe fn _lift(val: u8) -> Decision {
                        if !cfg!(debug_assertions) {
                            return unsafe { ::core::mem::transmute(val) };
                        }
                        match val {
                            0 => Decision::Granted,
                            1 => Decision::Refused,
                            2 => Decision::Dropped,
                            3 => Decision::Undecided,
                            _ => panic!("invalid enum discriminant"),
                        }
                    }
                }
                /// A request was granted; blocks are about to move.
                #[derive(Clone, Eq, PartialEq)]
                pub struct Start {
                    pub request: Request,
                    /// `ROOT:PATH`; `content/NAME` or `content` where a plugin made it.
                    pub resolved: ::core::option::Option<_rt::String>,
                    /// The plugin that decided; none where the configuration did.
                    pub verdict_by: ::core::option::Option<_rt::String>,
                    /// Bytes on the wire, where they are known.
                    pub size: ::core::option::Option<u64>,
                    /// From the request to the decision, in microseconds.
                    pub decision_us: u64,
                }
                impl ::core::fmt::Debug for Start {
                    fn fmt(
                        &self,
                        f: &mut ::core::fmt::Formatter<'_>,
                    ) -> ::core::fmt::Result {
                        f.debug_struct("Start")
                            .field("request", &self.request)
                            .field("resolved", &self.resolved)
                            .field("verdict-by", &self.verdict_by)
                            .field("size", &self.size)
                            .field("decision-us", &self.decision_us)
                            .finish()
                    }
                }
                /// How far a transfer has come.
                #[derive(Clone, Eq, PartialEq)]
                pub struct Progress {
                    /// The request's id.
                    pub id: _rt::String,
                    /// Bytes that arrived, as on the wire.
                    pub bytes: u64,
                    /// Bytes on the wire, where they are known.
                    pub size: ::core::option::Option<u64>,
                }
                impl ::core::fmt::Debug for Progress {
                    fn fmt(
                        &self,
                        f: &mut ::core::fmt::Formatter<'_>,
                    ) -> ::core::fmt::Result {
                        f.debug_struct("Progress")
                            .field("id", &self.id)
                            .field("bytes", &self.bytes)
                            .field("size", &self.size)
                            .finish()
                    }
                }
                /// A request has ended.
                #[derive(Clone, Eq, PartialEq)]
                pub struct Summary {
                    pub request: Request,
                    pub outcome: Outcome,
                    /// More about the outcome; not for clients.
                    pub detail: ::core::option::Option<_rt::String>,
                    pub decision: Decision,
                    /// The plugin that decided; none where the configuration did.
                    pub verdict_by: ::core::option::Option<_rt::String>,
                    /// How many plugins were called.
                    pub plugin_calls: u32,
                    /// `ROOT:PATH`; `content/NAME` or `content` where a plugin made it.
                    pub resolved: ::core::option::Option<_rt::String>,
                    /// Bytes on the wire, where they are known.
                    pub size: ::core::option::Option<u64>,
                    /// Bytes in a block, as negotiated; what was asked is in `request.options`.
                    pub blksize: u16,
                    /// Blocks in a window, as negotiated.
                    pub windowsize: u16,
                    /// The option `timeout` in seconds, where it was negotiated.
                    pub timeout_option: ::core::option::Option<u8>,
                    /// The option `tsize` in bytes, where it was answered.
                    pub tsize: ::core::option::Option<u64>,
                    /// Bytes that arrived, as on the wire.
                    pub bytes: u64,
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
                    /// From the request to the decision, in microseconds; none without one.
                    pub decision_us: ::core::option::Option<u64>,
                    /// From the request to the first block that is known to have arrived, in microseconds: for a read the
                    /// first ACK of a block, for a write the first block. None where none did.
                    pub first_block_us: ::core::option::Option<u64>,
                    /// From the request to the end, in microseconds.
                    pub duration_us: u64,
                    /// Room for facts that later hosts add without a new version.
                    pub attributes: _rt::Vec<(_rt::String, _rt::String)>,
                }
                impl ::core::fmt::Debug for Summary {
                    fn fmt(
                        &self,
                        f: &mut ::core::fmt::Formatter<'_>,
                    ) -> ::core::fmt::Result {
                        f.debug_struct("Summary")
                            .field("request", &self.request)
                            .field("outcome", &self.outcome)
                            .field("detail", &self.detail)
                            .field("decision", &self.decision)
                            .field("verdict-by", &self.verdict_by)
                            .field("plugin-calls", &self.plugin_calls)
                            .field("resolved", &self.resolved)
                            .field("size", &self.size)
                            .field("blksize", &self.blksize)
                            .field("windowsize", &self.windowsize)
                            .field("timeout-option", &self.timeout_option)
                            .field("tsize", &self.tsize)
                            .field("bytes", &self.bytes)
                            .field("blocks", &self.blocks)
                            .field("retransmissions", &self.retransmissions)
                            .field("duplicates", &self.duplicates)
                            .field("timeouts", &self.timeouts)
                            .field("rtt-us", &self.rtt_us)
                            .field("decision-us", &self.decision_us)
                            .field("first-block-us", &self.first_block_us)
                            .field("duration-us", &self.duration_us)
                            .field("attributes", &self.attributes)
                            .finish()
                    }
                }
                #[derive(Clone, Eq, PartialEq)]
                pub enum Happening {
                    Started(Start),
                    Progressed(Progress),
                    Finished(Summary),
                }
                impl ::core::fmt::Debug for Happening {
                    fn fmt(
                        &self,
                        f: &mut ::core::fmt::Formatter<'_>,
                    ) -> ::core::fmt::Result {
                        match self {
                            Happening::Started(e) => {
                                f.debug_tuple("Happening::Started").field(e).finish()
                            }
                            Happening::Progressed(e) => {
                                f.debug_tuple("Happening::Progressed").field(e).finish()
                            }
                            Happening::Finished(e) => {
                                f.debug_tuple("Happening::Finished").field(e).finish()
                            }
                        }
                    }
                }
                #[derive(Clone, Eq, PartialEq)]
                pub struct Event {
                    /// When, in milliseconds since 1970-01-01T00:00:00Z; needs no grant.
                    pub unix_ms: u64,
                    pub what: Happening,
                }
                impl ::core::fmt::Debug for Event {
                    fn fmt(
                        &self,
                        f: &mut ::core::fmt::Formatter<'_>,
                    ) -> ::core::fmt::Result {
                        f.debug_struct("Event")
                            .field("unix-ms", &self.unix_ms)
                            .field("what", &self.what)
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
                            let base156 = arg0;
                            let len156 = arg1;
                            let mut result156 = _rt::Vec::with_capacity(len156);
                            for i in 0..len156 {
                                let base = base156
                                    .add(i * (152 + 34 * ::core::mem::size_of::<*const u8>()));
                                let e156 = {
                                    let l0 = *base.add(0).cast::<i64>();
                                    let l1 = i32::from(*base.add(8).cast::<u8>());
                                    let v155 = match l1 {
                                        0 => {
                                            let e155 = {
                                                let l2 = *base.add(16).cast::<*mut u8>();
                                                let l3 = *base
                                                    .add(16 + 1 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len4 = l3;
                                                let bytes4 = _rt::Vec::from_raw_parts(
                                                    l2.cast(),
                                                    len4,
                                                    len4,
                                                );
                                                let l5 = *base
                                                    .add(16 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l6 = *base
                                                    .add(16 + 3 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len7 = l6;
                                                let bytes7 = _rt::Vec::from_raw_parts(
                                                    l5.cast(),
                                                    len7,
                                                    len7,
                                                );
                                                let l8 = i32::from(
                                                    *base
                                                        .add(16 + 4 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l9 = i32::from(
                                                    *base
                                                        .add(17 + 4 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l10 = *base
                                                    .add(16 + 5 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l11 = *base
                                                    .add(16 + 6 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len12 = l11;
                                                let bytes12 = _rt::Vec::from_raw_parts(
                                                    l10.cast(),
                                                    len12,
                                                    len12,
                                                );
                                                let l13 = *base
                                                    .add(16 + 7 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l14 = *base
                                                    .add(16 + 8 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len15 = l14;
                                                let bytes15 = _rt::Vec::from_raw_parts(
                                                    l13.cast(),
                                                    len15,
                                                    len15,
                                                );
                                                let l16 = *base
                                                    .add(16 + 9 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l17 = *base
                                                    .add(16 + 10 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len18 = l17;
                                                let bytes18 = _rt::Vec::from_raw_parts(
                                                    l16.cast(),
                                                    len18,
                                                    len18,
                                                );
                                                let l19 = i32::from(
                                                    *base
                                                        .add(16 + 11 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u16>(),
                                                );
                                                let l20 = *base
                                                    .add(16 + 12 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l21 = *base
                                                    .add(16 + 13 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let base26 = l20;
                                                let len26 = l21;
                                                let mut result26 = _rt::Vec::with_capacity(len26);
                                                for i in 0..len26 {
                                                    let base = base26
                                                        .add(i * (3 * ::core::mem::size_of::<*const u8>()));
                                                    let e26 = {
                                                        let l22 = *base.add(0).cast::<*mut u8>();
                                                        let l23 = *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len24 = l23;
                                                        let bytes24 = _rt::Vec::from_raw_parts(
                                                            l22.cast(),
                                                            len24,
                                                            len24,
                                                        );
                                                        let l25 = i32::from(
                                                            *base
                                                                .add(2 * ::core::mem::size_of::<*const u8>())
                                                                .cast::<u8>(),
                                                        );
                                                        super::super::super::super::__with_name0::Mac {
                                                            address: _rt::string_lift(bytes24),
                                                            source: super::super::super::super::__with_name0::MacSource::_lift(
                                                                l25 as u8,
                                                            ),
                                                        }
                                                    };
                                                    result26.push(e26);
                                                }
                                                _rt::cabi_dealloc(
                                                    base26,
                                                    len26 * (3 * ::core::mem::size_of::<*const u8>()),
                                                    ::core::mem::size_of::<*const u8>(),
                                                );
                                                let l27 = *base
                                                    .add(16 + 14 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l28 = *base
                                                    .add(16 + 15 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len29 = l28;
                                                let bytes29 = _rt::Vec::from_raw_parts(
                                                    l27.cast(),
                                                    len29,
                                                    len29,
                                                );
                                                let l30 = *base
                                                    .add(16 + 16 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l31 = *base
                                                    .add(16 + 17 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let base38 = l30;
                                                let len38 = l31;
                                                let mut result38 = _rt::Vec::with_capacity(len38);
                                                for i in 0..len38 {
                                                    let base = base38
                                                        .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                                    let e38 = {
                                                        let l32 = *base.add(0).cast::<*mut u8>();
                                                        let l33 = *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len34 = l33;
                                                        let bytes34 = _rt::Vec::from_raw_parts(
                                                            l32.cast(),
                                                            len34,
                                                            len34,
                                                        );
                                                        let l35 = *base
                                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>();
                                                        let l36 = *base
                                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len37 = l36;
                                                        let bytes37 = _rt::Vec::from_raw_parts(
                                                            l35.cast(),
                                                            len37,
                                                            len37,
                                                        );
                                                        (_rt::string_lift(bytes34), _rt::string_lift(bytes37))
                                                    };
                                                    result38.push(e38);
                                                }
                                                _rt::cabi_dealloc(
                                                    base38,
                                                    len38 * (4 * ::core::mem::size_of::<*const u8>()),
                                                    ::core::mem::size_of::<*const u8>(),
                                                );
                                                let l39 = *base
                                                    .add(16 + 18 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l40 = *base
                                                    .add(16 + 19 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let base47 = l39;
                                                let len47 = l40;
                                                let mut result47 = _rt::Vec::with_capacity(len47);
                                                for i in 0..len47 {
                                                    let base = base47
                                                        .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                                    let e47 = {
                                                        let l41 = *base.add(0).cast::<*mut u8>();
                                                        let l42 = *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len43 = l42;
                                                        let bytes43 = _rt::Vec::from_raw_parts(
                                                            l41.cast(),
                                                            len43,
                                                            len43,
                                                        );
                                                        let l44 = *base
                                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>();
                                                        let l45 = *base
                                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len46 = l45;
                                                        let bytes46 = _rt::Vec::from_raw_parts(
                                                            l44.cast(),
                                                            len46,
                                                            len46,
                                                        );
                                                        (_rt::string_lift(bytes43), _rt::string_lift(bytes46))
                                                    };
                                                    result47.push(e47);
                                                }
                                                _rt::cabi_dealloc(
                                                    base47,
                                                    len47 * (4 * ::core::mem::size_of::<*const u8>()),
                                                    ::core::mem::size_of::<*const u8>(),
                                                );
                                                let l48 = i32::from(
                                                    *base
                                                        .add(16 + 20 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l52 = i32::from(
                                                    *base
                                                        .add(16 + 23 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l56 = i32::from(
                                                    *base
                                                        .add(16 + 26 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l58 = *base
                                                    .add(32 + 26 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<i64>();
                                                Start {
                                                    request: super::super::super::super::__with_name0::Request {
                                                        id: _rt::string_lift(bytes4),
                                                        listener: _rt::string_lift(bytes7),
                                                        operation: super::super::super::super::__with_name0::Operation::_lift(
                                                            l8 as u8,
                                                        ),
                                                        mode: super::super::super::super::__with_name0::Mode::_lift(
                                                            l9 as u8,
                                                        ),
                                                        requested: _rt::string_lift(bytes12),
                                                        path: _rt::string_lift(bytes15),
                                                        client: super::super::super::super::__with_name0::Client {
                                                            address: _rt::string_lift(bytes18),
                                                            port: l19 as u16,
                                                            macs: result26,
                                                            class: _rt::string_lift(bytes29),
                                                        },
                                                        options: result38,
                                                        attributes: result47,
                                                    },
                                                    resolved: match l48 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l49 = *base
                                                                    .add(16 + 21 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<*mut u8>();
                                                                let l50 = *base
                                                                    .add(16 + 22 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<usize>();
                                                                let len51 = l50;
                                                                let bytes51 = _rt::Vec::from_raw_parts(
                                                                    l49.cast(),
                                                                    len51,
                                                                    len51,
                                                                );
                                                                _rt::string_lift(bytes51)
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    verdict_by: match l52 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l53 = *base
                                                                    .add(16 + 24 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<*mut u8>();
                                                                let l54 = *base
                                                                    .add(16 + 25 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<usize>();
                                                                let len55 = l54;
                                                                let bytes55 = _rt::Vec::from_raw_parts(
                                                                    l53.cast(),
                                                                    len55,
                                                                    len55,
                                                                );
                                                                _rt::string_lift(bytes55)
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    size: match l56 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l57 = *base
                                                                    .add(24 + 26 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<i64>();
                                                                l57 as u64
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    decision_us: l58 as u64,
                                                }
                                            };
                                            Happening::Started(e155)
                                        }
                                        1 => {
                                            let e155 = {
                                                let l59 = *base.add(16).cast::<*mut u8>();
                                                let l60 = *base
                                                    .add(16 + 1 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len61 = l60;
                                                let bytes61 = _rt::Vec::from_raw_parts(
                                                    l59.cast(),
                                                    len61,
                                                    len61,
                                                );
                                                let l62 = *base
                                                    .add(16 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<i64>();
                                                let l63 = i32::from(
                                                    *base
                                                        .add(24 + 2 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                Progress {
                                                    id: _rt::string_lift(bytes61),
                                                    bytes: l62 as u64,
                                                    size: match l63 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l64 = *base
                                                                    .add(32 + 2 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<i64>();
                                                                l64 as u64
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                }
                                            };
                                            Happening::Progressed(e155)
                                        }
                                        n => {
                                            debug_assert_eq!(n, 2, "invalid enum discriminant");
                                            let e155 = {
                                                let l65 = *base.add(16).cast::<*mut u8>();
                                                let l66 = *base
                                                    .add(16 + 1 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len67 = l66;
                                                let bytes67 = _rt::Vec::from_raw_parts(
                                                    l65.cast(),
                                                    len67,
                                                    len67,
                                                );
                                                let l68 = *base
                                                    .add(16 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l69 = *base
                                                    .add(16 + 3 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len70 = l69;
                                                let bytes70 = _rt::Vec::from_raw_parts(
                                                    l68.cast(),
                                                    len70,
                                                    len70,
                                                );
                                                let l71 = i32::from(
                                                    *base
                                                        .add(16 + 4 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l72 = i32::from(
                                                    *base
                                                        .add(17 + 4 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l73 = *base
                                                    .add(16 + 5 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l74 = *base
                                                    .add(16 + 6 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len75 = l74;
                                                let bytes75 = _rt::Vec::from_raw_parts(
                                                    l73.cast(),
                                                    len75,
                                                    len75,
                                                );
                                                let l76 = *base
                                                    .add(16 + 7 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l77 = *base
                                                    .add(16 + 8 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len78 = l77;
                                                let bytes78 = _rt::Vec::from_raw_parts(
                                                    l76.cast(),
                                                    len78,
                                                    len78,
                                                );
                                                let l79 = *base
                                                    .add(16 + 9 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l80 = *base
                                                    .add(16 + 10 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len81 = l80;
                                                let bytes81 = _rt::Vec::from_raw_parts(
                                                    l79.cast(),
                                                    len81,
                                                    len81,
                                                );
                                                let l82 = i32::from(
                                                    *base
                                                        .add(16 + 11 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u16>(),
                                                );
                                                let l83 = *base
                                                    .add(16 + 12 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l84 = *base
                                                    .add(16 + 13 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let base89 = l83;
                                                let len89 = l84;
                                                let mut result89 = _rt::Vec::with_capacity(len89);
                                                for i in 0..len89 {
                                                    let base = base89
                                                        .add(i * (3 * ::core::mem::size_of::<*const u8>()));
                                                    let e89 = {
                                                        let l85 = *base.add(0).cast::<*mut u8>();
                                                        let l86 = *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len87 = l86;
                                                        let bytes87 = _rt::Vec::from_raw_parts(
                                                            l85.cast(),
                                                            len87,
                                                            len87,
                                                        );
                                                        let l88 = i32::from(
                                                            *base
                                                                .add(2 * ::core::mem::size_of::<*const u8>())
                                                                .cast::<u8>(),
                                                        );
                                                        super::super::super::super::__with_name0::Mac {
                                                            address: _rt::string_lift(bytes87),
                                                            source: super::super::super::super::__with_name0::MacSource::_lift(
                                                                l88 as u8,
                                                            ),
                                                        }
                                                    };
                                                    result89.push(e89);
                                                }
                                                _rt::cabi_dealloc(
                                                    base89,
                                                    len89 * (3 * ::core::mem::size_of::<*const u8>()),
                                                    ::core::mem::size_of::<*const u8>(),
                                                );
                                                let l90 = *base
                                                    .add(16 + 14 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l91 = *base
                                                    .add(16 + 15 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let len92 = l91;
                                                let bytes92 = _rt::Vec::from_raw_parts(
                                                    l90.cast(),
                                                    len92,
                                                    len92,
                                                );
                                                let l93 = *base
                                                    .add(16 + 16 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l94 = *base
                                                    .add(16 + 17 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let base101 = l93;
                                                let len101 = l94;
                                                let mut result101 = _rt::Vec::with_capacity(len101);
                                                for i in 0..len101 {
                                                    let base = base101
                                                        .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                                    let e101 = {
                                                        let l95 = *base.add(0).cast::<*mut u8>();
                                                        let l96 = *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len97 = l96;
                                                        let bytes97 = _rt::Vec::from_raw_parts(
                                                            l95.cast(),
                                                            len97,
                                                            len97,
                                                        );
                                                        let l98 = *base
                                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>();
                                                        let l99 = *base
                                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len100 = l99;
                                                        let bytes100 = _rt::Vec::from_raw_parts(
                                                            l98.cast(),
                                                            len100,
                                                            len100,
                                                        );
                                                        (_rt::string_lift(bytes97), _rt::string_lift(bytes100))
                                                    };
                                                    result101.push(e101);
                                                }
                                                _rt::cabi_dealloc(
                                                    base101,
                                                    len101 * (4 * ::core::mem::size_of::<*const u8>()),
                                                    ::core::mem::size_of::<*const u8>(),
                                                );
                                                let l102 = *base
                                                    .add(16 + 18 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l103 = *base
                                                    .add(16 + 19 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let base110 = l102;
                                                let len110 = l103;
                                                let mut result110 = _rt::Vec::with_capacity(len110);
                                                for i in 0..len110 {
                                                    let base = base110
                                                        .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                                    let e110 = {
                                                        let l104 = *base.add(0).cast::<*mut u8>();
                                                        let l105 = *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len106 = l105;
                                                        let bytes106 = _rt::Vec::from_raw_parts(
                                                            l104.cast(),
                                                            len106,
                                                            len106,
                                                        );
                                                        let l107 = *base
                                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>();
                                                        let l108 = *base
                                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len109 = l108;
                                                        let bytes109 = _rt::Vec::from_raw_parts(
                                                            l107.cast(),
                                                            len109,
                                                            len109,
                                                        );
                                                        (_rt::string_lift(bytes106), _rt::string_lift(bytes109))
                                                    };
                                                    result110.push(e110);
                                                }
                                                _rt::cabi_dealloc(
                                                    base110,
                                                    len110 * (4 * ::core::mem::size_of::<*const u8>()),
                                                    ::core::mem::size_of::<*const u8>(),
                                                );
                                                let l111 = i32::from(
                                                    *base
                                                        .add(16 + 20 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l112 = i32::from(
                                                    *base
                                                        .add(16 + 21 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l116 = i32::from(
                                                    *base
                                                        .add(16 + 24 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l117 = i32::from(
                                                    *base
                                                        .add(16 + 25 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l121 = *base
                                                    .add(16 + 28 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<i32>();
                                                let l122 = i32::from(
                                                    *base
                                                        .add(16 + 29 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l126 = i32::from(
                                                    *base
                                                        .add(16 + 32 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l128 = i32::from(
                                                    *base
                                                        .add(32 + 32 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u16>(),
                                                );
                                                let l129 = i32::from(
                                                    *base
                                                        .add(34 + 32 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u16>(),
                                                );
                                                let l130 = i32::from(
                                                    *base
                                                        .add(36 + 32 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l132 = i32::from(
                                                    *base
                                                        .add(40 + 32 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l134 = *base
                                                    .add(56 + 32 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<i64>();
                                                let l135 = *base
                                                    .add(64 + 32 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<i64>();
                                                let l136 = *base
                                                    .add(72 + 32 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<i64>();
                                                let l137 = *base
                                                    .add(80 + 32 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<i64>();
                                                let l138 = *base
                                                    .add(88 + 32 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<i64>();
                                                let l139 = i32::from(
                                                    *base
                                                        .add(96 + 32 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l141 = i32::from(
                                                    *base
                                                        .add(112 + 32 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l143 = i32::from(
                                                    *base
                                                        .add(128 + 32 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l145 = *base
                                                    .add(144 + 32 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<i64>();
                                                let l146 = *base
                                                    .add(152 + 32 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l147 = *base
                                                    .add(152 + 33 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let base154 = l146;
                                                let len154 = l147;
                                                let mut result154 = _rt::Vec::with_capacity(len154);
                                                for i in 0..len154 {
                                                    let base = base154
                                                        .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                                    let e154 = {
                                                        let l148 = *base.add(0).cast::<*mut u8>();
                                                        let l149 = *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len150 = l149;
                                                        let bytes150 = _rt::Vec::from_raw_parts(
                                                            l148.cast(),
                                                            len150,
                                                            len150,
                                                        );
                                                        let l151 = *base
                                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>();
                                                        let l152 = *base
                                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len153 = l152;
                                                        let bytes153 = _rt::Vec::from_raw_parts(
                                                            l151.cast(),
                                                            len153,
                                                            len153,
                                                        );
                                                        (_rt::string_lift(bytes150), _rt::string_lift(bytes153))
                                                    };
                                                    result154.push(e154);
                                                }
                                                _rt::cabi_dealloc(
                                                    base154,
                                                    len154 * (4 * ::core::mem::size_of::<*const u8>()),
                                                    ::core::mem::size_of::<*const u8>(),
                                                );
                                                Summary {
                                                    request: super::super::super::super::__with_name0::Request {
                                                        id: _rt::string_lift(bytes67),
                                                        listener: _rt::string_lift(bytes70),
                                                        operation: super::super::super::super::__with_name0::Operation::_lift(
                                                            l71 as u8,
                                                        ),
                                                        mode: super::super::super::super::__with_name0::Mode::_lift(
                                                            l72 as u8,
                                                        ),
                                                        requested: _rt::string_lift(bytes75),
                                                        path: _rt::string_lift(bytes78),
                                                        client: super::super::super::super::__with_name0::Client {
                                                            address: _rt::string_lift(bytes81),
                                                            port: l82 as u16,
                                                            macs: result89,
                                                            class: _rt::string_lift(bytes92),
                                                        },
                                                        options: result101,
                                                        attributes: result110,
                                                    },
                                                    outcome: super::super::super::super::__with_name0::Outcome::_lift(
                                                        l111 as u8,
                                                    ),
                                                    detail: match l112 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l113 = *base
                                                                    .add(16 + 22 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<*mut u8>();
                                                                let l114 = *base
                                                                    .add(16 + 23 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<usize>();
                                                                let len115 = l114;
                                                                let bytes115 = _rt::Vec::from_raw_parts(
                                                                    l113.cast(),
                                                                    len115,
                                                                    len115,
                                                                );
                                                                _rt::string_lift(bytes115)
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    decision: Decision::_lift(l116 as u8),
                                                    verdict_by: match l117 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l118 = *base
                                                                    .add(16 + 26 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<*mut u8>();
                                                                let l119 = *base
                                                                    .add(16 + 27 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<usize>();
                                                                let len120 = l119;
                                                                let bytes120 = _rt::Vec::from_raw_parts(
                                                                    l118.cast(),
                                                                    len120,
                                                                    len120,
                                                                );
                                                                _rt::string_lift(bytes120)
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    plugin_calls: l121 as u32,
                                                    resolved: match l122 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l123 = *base
                                                                    .add(16 + 30 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<*mut u8>();
                                                                let l124 = *base
                                                                    .add(16 + 31 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<usize>();
                                                                let len125 = l124;
                                                                let bytes125 = _rt::Vec::from_raw_parts(
                                                                    l123.cast(),
                                                                    len125,
                                                                    len125,
                                                                );
                                                                _rt::string_lift(bytes125)
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    size: match l126 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l127 = *base
                                                                    .add(24 + 32 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<i64>();
                                                                l127 as u64
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    blksize: l128 as u16,
                                                    windowsize: l129 as u16,
                                                    timeout_option: match l130 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l131 = i32::from(
                                                                    *base
                                                                        .add(37 + 32 * ::core::mem::size_of::<*const u8>())
                                                                        .cast::<u8>(),
                                                                );
                                                                l131 as u8
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    tsize: match l132 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l133 = *base
                                                                    .add(48 + 32 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<i64>();
                                                                l133 as u64
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    bytes: l134 as u64,
                                                    blocks: l135 as u64,
                                                    retransmissions: l136 as u64,
                                                    duplicates: l137 as u64,
                                                    timeouts: l138 as u64,
                                                    rtt_us: match l139 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l140 = *base
                                                                    .add(104 + 32 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<i64>();
                                                                l140 as u64
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    decision_us: match l141 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l142 = *base
                                                                    .add(120 + 32 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<i64>();
                                                                l142 as u64
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    first_block_us: match l143 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l144 = *base
                                                                    .add(136 + 32 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<i64>();
                                                                l144 as u64
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    duration_us: l145 as u64,
                                                    attributes: result154,
                                                }
                                            };
                                            Happening::Finished(e155)
                                        }
                                    };
                                    Event {
                                        unix_ms: l0 as u64,
                                        what: v155,
                                    }
                                };
                                result156.push(e156);
                            }
                            _rt::cabi_dealloc(
                                base156,
                                len156 * (152 + 34 * ::core::mem::size_of::<*const u8>()),
                                8,
                            );
                            T_::observe(result156)
                        };
                    }
                }
                pub trait Guest {
                    /// Events in the order in which they happened. Each request that was admitted has exactly one `finished`;
                    /// one that was granted has a `started` before it. `progressed` is sampled, about once a second for a
                    /// transfer that moves, and left out when the server is busy. What a call that fails was given may be
                    /// given once more, to another instance: the request's id and the kind of event name each. A plugin whose
                    /// manifest says `"empty-batches": true` is called without events, too.
                    #[allow(async_fn_in_trait)]
                    fn observe(events: _rt::Vec<Event>) -> ();
                }
                #[doc(hidden)]
                #[macro_export]
                macro_rules! __export_tuffet_policy_observe_0_2_0_cabi {
                    ($ty:ident with_types_in $($path_to_types:tt)*) => {
                        const _ : () = { #[unsafe (export_name =
                        "tuffet:policy/observe@0.2.0#observe")] unsafe extern "C" fn
                        export_observe(arg0 : * mut u8, arg1 : usize,) { unsafe {
                        $($path_to_types)*:: _export_observe_cabi::<$ty > (arg0, arg1) }
                        } };
                    };
                }
                #[doc(hidden)]
                pub use __export_tuffet_policy_observe_0_2_0_cabi;
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
        exports::tuffet::policy::observe::__export_tuffet_policy_observe_0_2_0_cabi!($ty
        with_types_in $($path_to_types_root)*:: exports::tuffet::policy::observe); const
        _ : () = { #[cfg(target_arch = "wasm32")] #[unsafe (link_section =
        "component-type:wit-bindgen:0.61.1:tuffet:sdk:observe:imports and exports")]
        #[doc(hidden)] #[allow(clippy::octal_escapes)] pub static
        __WIT_BINDGEN_COMPONENT_TYPE : [u8; 1492] = *
        b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xd6\x0a\x01A\x02\x01\
A\x06\x01B\x1d\x01m\x02\x04read\x05write\x04\0\x09operation\x03\0\0\x01m\x02\x05\
octet\x08netascii\x04\0\x04mode\x03\0\x02\x01m\x06\x0bnot-defined\x0efile-not-fo\
und\x10access-violation\x09disk-full\x0bfile-exists\x0eoption-refused\x04\0\x0ae\
rror-code\x03\0\x04\x01m\x03\x0fneighbour-table\x0alease-file\x0erequested-name\x04\
\0\x0amac-source\x03\0\x06\x01r\x02\x07addresss\x06source\x07\x04\0\x03mac\x03\0\
\x08\x01p\x09\x01r\x04\x07addresss\x04port{\x04macs\x0a\x05classs\x04\0\x06clien\
t\x03\0\x0b\x01o\x02ss\x01p\x0d\x01r\x09\x02ids\x08listeners\x09operation\x01\x04\
mode\x03\x09requesteds\x04paths\x06client\x0c\x07options\x0e\x0aattributes\x0e\x04\
\0\x07request\x03\0\x0f\x01r\x03\x04code\x05\x07messages\x06reasons\x04\0\x06den\
ial\x03\0\x11\x01m\x08\x06served\x06stored\x06probed\x07aborted\x06denied\x09not\
-found\x09timed-out\x06failed\x04\0\x07outcome\x03\0\x13\x01k{\x01k}\x01r\x03\x07\
blksize\x15\x0awindowsize\x15\x07timeout\x16\x04\0\x0esession-values\x03\0\x17\x01\
kw\x01ps\x01r\x09\x07blksize\x15\x0awindowsize\x15\x07timeout\x16\x05bytes\x19\x06\
floors\x18\x09overrides\x18\x05burst\x15\x04rate\x19\x0erefuse-options\x1a\x04\0\
\x07profile\x03\0\x1b\x03\0\x19tuffet:policy/types@0.2.0\x05\0\x02\x03\0\0\x07re\
quest\x02\x03\0\0\x07outcome\x01B\x18\x02\x03\x02\x01\x01\x04\0\x07request\x03\0\
\0\x02\x03\x02\x01\x02\x04\0\x07outcome\x03\0\x02\x01m\x04\x07granted\x07refused\
\x07dropped\x09undecided\x04\0\x08decision\x03\0\x04\x01ks\x01kw\x01r\x05\x07req\
uest\x01\x08resolved\x06\x0averdict-by\x06\x04size\x07\x0bdecision-usw\x04\0\x05\
start\x03\0\x08\x01r\x03\x02ids\x05bytesw\x04size\x07\x04\0\x08progress\x03\0\x0a\
\x01k}\x01o\x02ss\x01p\x0d\x01r\x16\x07request\x01\x07outcome\x03\x06detail\x06\x08\
decision\x05\x0averdict-by\x06\x0cplugin-callsy\x08resolved\x06\x04size\x07\x07b\
lksize{\x0awindowsize{\x0etimeout-option\x0c\x05tsize\x07\x05bytesw\x06blocksw\x0f\
retransmissionsw\x0aduplicatesw\x08timeoutsw\x06rtt-us\x07\x0bdecision-us\x07\x0e\
first-block-us\x07\x0bduration-usw\x0aattributes\x0e\x04\0\x07summary\x03\0\x0f\x01\
q\x03\x07started\x01\x09\0\x0aprogressed\x01\x0b\0\x08finished\x01\x10\0\x04\0\x09\
happening\x03\0\x11\x01r\x02\x07unix-msw\x04what\x12\x04\0\x05event\x03\0\x13\x01\
p\x14\x01@\x01\x06events\x15\x01\0\x04\0\x07observe\x01\x16\x04\0\x1btuffet:poli\
cy/observe@0.2.0\x05\x03\x04\0\x12tuffet:sdk/observe\x04\0\x0b\x0d\x01\0\x07obse\
rve\x03\0\0\0G\x09producers\x01\x0cprocessed-by\x02\x0dwit-component\x070.258.3\x10\
wit-bindgen-rust\x060.61.1";
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
pub static __WIT_BINDGEN_COMPONENT_TYPE: [u8; 929] = *b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\x83\x06\x01A\x02\x01\
A\x02\x01B\x1d\x01m\x02\x04read\x05write\x04\0\x09operation\x03\0\0\x01m\x02\x05\
octet\x08netascii\x04\0\x04mode\x03\0\x02\x01m\x06\x0bnot-defined\x0efile-not-fo\
und\x10access-violation\x09disk-full\x0bfile-exists\x0eoption-refused\x04\0\x0ae\
rror-code\x03\0\x04\x01m\x03\x0fneighbour-table\x0alease-file\x0erequested-name\x04\
\0\x0amac-source\x03\0\x06\x01r\x02\x07addresss\x06source\x07\x04\0\x03mac\x03\0\
\x08\x01p\x09\x01r\x04\x07addresss\x04port{\x04macs\x0a\x05classs\x04\0\x06clien\
t\x03\0\x0b\x01o\x02ss\x01p\x0d\x01r\x09\x02ids\x08listeners\x09operation\x01\x04\
mode\x03\x09requesteds\x04paths\x06client\x0c\x07options\x0e\x0aattributes\x0e\x04\
\0\x07request\x03\0\x0f\x01r\x03\x04code\x05\x07messages\x06reasons\x04\0\x06den\
ial\x03\0\x11\x01m\x08\x06served\x06stored\x06probed\x07aborted\x06denied\x09not\
-found\x09timed-out\x06failed\x04\0\x07outcome\x03\0\x13\x01k{\x01k}\x01r\x03\x07\
blksize\x15\x0awindowsize\x15\x07timeout\x16\x04\0\x0esession-values\x03\0\x17\x01\
kw\x01ps\x01r\x09\x07blksize\x15\x0awindowsize\x15\x07timeout\x16\x05bytes\x19\x06\
floors\x18\x09overrides\x18\x05burst\x15\x04rate\x19\x0erefuse-options\x1a\x04\0\
\x07profile\x03\0\x1b\x03\0\x19tuffet:policy/types@0.2.0\x05\0\x04\02tuffet:sdk/\
observe-with-all-of-its-exports-removed\x04\0\x0b-\x01\0'observe-with-all-of-its\
-exports-removed\x03\0\0\0G\x09producers\x01\x0cprocessed-by\x02\x0dwit-componen\
t\x070.258.3\x10wit-bindgen-rust\x060.61.1";
#[inline(never)]
#[doc(hidden)]
pub fn __link_custom_section_describing_imports() {
    wit_bindgen::rt::maybe_link_cabi_realloc();
}
