#[allow(unfulfilled_lint_expectations, unused_imports)]
use crate::bindings::types::tuffet::policy::types as __with_name0;
#[allow(dead_code, clippy::all)]
pub mod exports {
    pub mod tuffet {
        pub mod policy {
            /// May this client do this?
            ///
            /// Nothing passes from here to `resolve`: a plugin that looks something up once and decides both may do so in `resolve`,
            /// which can deny, drop, and set a profile, too.
            #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
            pub mod authorize {
                #[used]
                #[doc(hidden)]
                static __FORCE_SECTION_REF: fn() = super::super::super::super::__link_custom_section_describing_imports;
                use super::super::super::super::_rt;
                pub type Request = super::super::super::super::__with_name0::Request;
                pub type Denial = super::super::super::super::__with_name0::Denial;
                pub type Profile = super::super::super::super::__with_name0::Profile;
                #[derive(Clone, Eq, PartialEq)]
                pub enum Verdict {
                    /// No opinion: the next plugin decides, at the end `policy.default`.
                    Abstain,
                    /// Yes, unless a later plugin of the chain denies, with this profile.
                    Allow(Profile),
                    /// No: the chain ends and the client gets an ERROR.
                    Deny(Denial),
                    /// No, and without any answer: the chain ends, and the client asks again, or asks another server. The reason is for
                    /// the log.
                    Drop(_rt::String),
                }
                impl ::core::fmt::Debug for Verdict {
                    fn fmt(
                        &self,
                        f: &mut ::core::fmt::Formatter<'_>,
                    ) -> ::core::fmt::Result {
                        match self {
                            Verdict::Abstain => {
                                f.debug_tuple("Verdict::Abstain").finish()
                            }
                            Verdict::Allow(e) => {
                                f.debug_tuple("Verdict::Allow").field(e).finish()
                            }
                            Verdict::Deny(e) => {
                                f.debug_tuple("Verdict::Deny").field(e).finish()
                            }
                            Verdict::Drop(e) => {
                                f.debug_tuple("Verdict::Drop").field(e).finish()
                            }
                        }
                    }
                }
                #[doc(hidden)]
                #[allow(non_snake_case, unused_unsafe)]
                pub unsafe fn _export_authorize_cabi<T_: Guest>(
                    arg0: *mut u8,
                ) -> *mut u8 {
                    unsafe {
                        #[cfg(target_arch = "wasm32")] _rt::run_ctors_once();
                        let result95 = {
                            let l0 = *arg0.add(0).cast::<*mut u8>();
                            let l1 = *arg0
                                .add(::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let len2 = l1;
                            let bytes2 = _rt::Vec::from_raw_parts(l0.cast(), len2, len2);
                            let l3 = *arg0
                                .add(2 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>();
                            let l4 = *arg0
                                .add(3 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let len5 = l4;
                            let bytes5 = _rt::Vec::from_raw_parts(l3.cast(), len5, len5);
                            let l6 = i32::from(
                                *arg0
                                    .add(4 * ::core::mem::size_of::<*const u8>())
                                    .cast::<u8>(),
                            );
                            let l7 = i32::from(
                                *arg0
                                    .add(1 + 4 * ::core::mem::size_of::<*const u8>())
                                    .cast::<u8>(),
                            );
                            let l8 = *arg0
                                .add(5 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>();
                            let l9 = *arg0
                                .add(6 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let len10 = l9;
                            let bytes10 = _rt::Vec::from_raw_parts(
                                l8.cast(),
                                len10,
                                len10,
                            );
                            let l11 = *arg0
                                .add(7 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>();
                            let l12 = *arg0
                                .add(8 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let len13 = l12;
                            let bytes13 = _rt::Vec::from_raw_parts(
                                l11.cast(),
                                len13,
                                len13,
                            );
                            let l14 = *arg0
                                .add(8 + 8 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>();
                            let l15 = *arg0
                                .add(8 + 9 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let len16 = l15;
                            let bytes16 = _rt::Vec::from_raw_parts(
                                l14.cast(),
                                len16,
                                len16,
                            );
                            let l17 = i32::from(
                                *arg0
                                    .add(8 + 10 * ::core::mem::size_of::<*const u8>())
                                    .cast::<u16>(),
                            );
                            let l18 = i32::from(
                                *arg0
                                    .add(8 + 11 * ::core::mem::size_of::<*const u8>())
                                    .cast::<u8>(),
                            );
                            let l37 = i32::from(
                                *arg0
                                    .add(8 + 16 * ::core::mem::size_of::<*const u8>())
                                    .cast::<u8>(),
                            );
                            let l63 = *arg0
                                .add(40 + 32 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>();
                            let l64 = *arg0
                                .add(40 + 33 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let len65 = l64;
                            let bytes65 = _rt::Vec::from_raw_parts(
                                l63.cast(),
                                len65,
                                len65,
                            );
                            let l66 = i32::from(
                                *arg0
                                    .add(40 + 34 * ::core::mem::size_of::<*const u8>())
                                    .cast::<u8>(),
                            );
                            let l77 = *arg0
                                .add(40 + 42 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>();
                            let l78 = *arg0
                                .add(40 + 43 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let base85 = l77;
                            let len85 = l78;
                            let mut result85 = _rt::Vec::with_capacity(len85);
                            for i in 0..len85 {
                                let base = base85
                                    .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                let e85 = {
                                    let l79 = *base.add(0).cast::<*mut u8>();
                                    let l80 = *base
                                        .add(::core::mem::size_of::<*const u8>())
                                        .cast::<usize>();
                                    let len81 = l80;
                                    let bytes81 = _rt::Vec::from_raw_parts(
                                        l79.cast(),
                                        len81,
                                        len81,
                                    );
                                    let l82 = *base
                                        .add(2 * ::core::mem::size_of::<*const u8>())
                                        .cast::<*mut u8>();
                                    let l83 = *base
                                        .add(3 * ::core::mem::size_of::<*const u8>())
                                        .cast::<usize>();
                                    let len84 = l83;
                                    let bytes84 = _rt::Vec::from_raw_parts(
                                        l82.cast(),
                                        len84,
                                        len84,
                                    );
                                    (_rt::string_lift(bytes81), _rt::string_lift(bytes84))
                                };
                                result85.push(e85);
                            }
                            _rt::cabi_dealloc(
                                base85,
                                len85 * (4 * ::core::mem::size_of::<*const u8>()),
                                ::core::mem::size_of::<*const u8>(),
                            );
                            let l86 = *arg0
                                .add(40 + 44 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>();
                            let l87 = *arg0
                                .add(40 + 45 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let base94 = l86;
                            let len94 = l87;
                            let mut result94 = _rt::Vec::with_capacity(len94);
                            for i in 0..len94 {
                                let base = base94
                                    .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                let e94 = {
                                    let l88 = *base.add(0).cast::<*mut u8>();
                                    let l89 = *base
                                        .add(::core::mem::size_of::<*const u8>())
                                        .cast::<usize>();
                                    let len90 = l89;
                                    let bytes90 = _rt::Vec::from_raw_parts(
                                        l88.cast(),
                                        len90,
                                        len90,
                                    );
                                    let l91 = *base
                                        .add(2 * ::core::mem::size_of::<*const u8>())
                                        .cast::<*mut u8>();
                                    let l92 = *base
                                        .add(3 * ::core::mem::size_of::<*const u8>())
                                        .cast::<usize>();
                                    let len93 = l92;
                                    let bytes93 = _rt::Vec::from_raw_parts(
                                        l91.cast(),
                                        len93,
                                        len93,
                                    );
                                    (_rt::string_lift(bytes90), _rt::string_lift(bytes93))
                                };
                                result94.push(e94);
                            }
                            _rt::cabi_dealloc(
                                base94,
                                len94 * (4 * ::core::mem::size_of::<*const u8>()),
                                ::core::mem::size_of::<*const u8>(),
                            );
                            T_::authorize(super::super::super::super::__with_name0::Request {
                                id: _rt::string_lift(bytes2),
                                listener: _rt::string_lift(bytes5),
                                operation: super::super::super::super::__with_name0::Operation::_lift(
                                    l6 as u8,
                                ),
                                mode: super::super::super::super::__with_name0::Mode::_lift(
                                    l7 as u8,
                                ),
                                requested: _rt::string_lift(bytes10),
                                path: _rt::string_lift(bytes13),
                                client: super::super::super::super::__with_name0::Client {
                                    address: _rt::string_lift(bytes16),
                                    port: l17 as u16,
                                    macs: match l18 {
                                        0 => None,
                                        1 => {
                                            let e = {
                                                let l19 = *arg0
                                                    .add(8 + 12 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l20 = *arg0
                                                    .add(8 + 13 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let base27 = l19;
                                                let len27 = l20;
                                                let mut result27 = _rt::Vec::with_capacity(len27);
                                                for i in 0..len27 {
                                                    let base = base27
                                                        .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                                    let e27 = {
                                                        let l21 = *base.add(0).cast::<*mut u8>();
                                                        let l22 = *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len23 = l22;
                                                        let bytes23 = _rt::Vec::from_raw_parts(
                                                            l21.cast(),
                                                            len23,
                                                            len23,
                                                        );
                                                        let l24 = *base
                                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>();
                                                        let l25 = *base
                                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len26 = l25;
                                                        let bytes26 = _rt::Vec::from_raw_parts(
                                                            l24.cast(),
                                                            len26,
                                                            len26,
                                                        );
                                                        super::super::super::super::__with_name0::Mac {
                                                            address: _rt::string_lift(bytes23),
                                                            source: _rt::string_lift(bytes26),
                                                        }
                                                    };
                                                    result27.push(e27);
                                                }
                                                _rt::cabi_dealloc(
                                                    base27,
                                                    len27 * (4 * ::core::mem::size_of::<*const u8>()),
                                                    ::core::mem::size_of::<*const u8>(),
                                                );
                                                let l28 = *arg0
                                                    .add(8 + 14 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l29 = *arg0
                                                    .add(8 + 15 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let base36 = l28;
                                                let len36 = l29;
                                                let mut result36 = _rt::Vec::with_capacity(len36);
                                                for i in 0..len36 {
                                                    let base = base36
                                                        .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                                    let e36 = {
                                                        let l30 = *base.add(0).cast::<*mut u8>();
                                                        let l31 = *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len32 = l31;
                                                        let bytes32 = _rt::Vec::from_raw_parts(
                                                            l30.cast(),
                                                            len32,
                                                            len32,
                                                        );
                                                        let l33 = *base
                                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>();
                                                        let l34 = *base
                                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let len35 = l34;
                                                        let bytes35 = _rt::Vec::from_raw_parts(
                                                            l33.cast(),
                                                            len35,
                                                            len35,
                                                        );
                                                        super::super::super::super::__with_name0::Mac {
                                                            address: _rt::string_lift(bytes32),
                                                            source: _rt::string_lift(bytes35),
                                                        }
                                                    };
                                                    result36.push(e36);
                                                }
                                                _rt::cabi_dealloc(
                                                    base36,
                                                    len36 * (4 * ::core::mem::size_of::<*const u8>()),
                                                    ::core::mem::size_of::<*const u8>(),
                                                );
                                                super::super::super::super::__with_name0::MacAddresses {
                                                    network: result27,
                                                    claimed: result36,
                                                }
                                            };
                                            Some(e)
                                        }
                                        _ => _rt::invalid_enum_discriminant(),
                                    },
                                    lease: match l37 {
                                        0 => None,
                                        1 => {
                                            let e = {
                                                let l38 = i32::from(
                                                    *arg0
                                                        .add(16 + 16 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l42 = i32::from(
                                                    *arg0
                                                        .add(16 + 19 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l46 = i32::from(
                                                    *arg0
                                                        .add(16 + 22 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l50 = i32::from(
                                                    *arg0
                                                        .add(16 + 25 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l54 = i32::from(
                                                    *arg0
                                                        .add(16 + 28 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l58 = i32::from(
                                                    *arg0
                                                        .add(16 + 31 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l60 = i32::from(
                                                    *arg0
                                                        .add(16 + 32 * ::core::mem::size_of::<*const u8>())
                                                        .cast::<u8>(),
                                                );
                                                let l62 = *arg0
                                                    .add(32 + 32 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<i64>();
                                                super::super::super::super::__with_name0::Lease {
                                                    mac: match l38 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l39 = *arg0
                                                                    .add(16 + 17 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<*mut u8>();
                                                                let l40 = *arg0
                                                                    .add(16 + 18 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<usize>();
                                                                let len41 = l40;
                                                                let bytes41 = _rt::Vec::from_raw_parts(
                                                                    l39.cast(),
                                                                    len41,
                                                                    len41,
                                                                );
                                                                _rt::string_lift(bytes41)
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    client_id: match l42 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l43 = *arg0
                                                                    .add(16 + 20 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<*mut u8>();
                                                                let l44 = *arg0
                                                                    .add(16 + 21 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<usize>();
                                                                let len45 = l44;
                                                                let bytes45 = _rt::Vec::from_raw_parts(
                                                                    l43.cast(),
                                                                    len45,
                                                                    len45,
                                                                );
                                                                _rt::string_lift(bytes45)
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    uuid: match l46 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l47 = *arg0
                                                                    .add(16 + 23 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<*mut u8>();
                                                                let l48 = *arg0
                                                                    .add(16 + 24 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<usize>();
                                                                let len49 = l48;
                                                                let bytes49 = _rt::Vec::from_raw_parts(
                                                                    l47.cast(),
                                                                    len49,
                                                                    len49,
                                                                );
                                                                _rt::string_lift(bytes49)
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    hostname: match l50 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l51 = *arg0
                                                                    .add(16 + 26 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<*mut u8>();
                                                                let l52 = *arg0
                                                                    .add(16 + 27 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<usize>();
                                                                let len53 = l52;
                                                                let bytes53 = _rt::Vec::from_raw_parts(
                                                                    l51.cast(),
                                                                    len53,
                                                                    len53,
                                                                );
                                                                _rt::string_lift(bytes53)
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    vendor_class: match l54 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l55 = *arg0
                                                                    .add(16 + 29 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<*mut u8>();
                                                                let l56 = *arg0
                                                                    .add(16 + 30 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<usize>();
                                                                let len57 = l56;
                                                                let bytes57 = _rt::Vec::from_raw_parts(
                                                                    l55.cast(),
                                                                    len57,
                                                                    len57,
                                                                );
                                                                _rt::string_lift(bytes57)
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    architecture: match l58 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l59 = i32::from(
                                                                    *arg0
                                                                        .add(18 + 31 * ::core::mem::size_of::<*const u8>())
                                                                        .cast::<u16>(),
                                                                );
                                                                l59 as u16
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    expires: match l60 {
                                                        0 => None,
                                                        1 => {
                                                            let e = {
                                                                let l61 = *arg0
                                                                    .add(24 + 32 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<i64>();
                                                                l61 as u64
                                                            };
                                                            Some(e)
                                                        }
                                                        _ => _rt::invalid_enum_discriminant(),
                                                    },
                                                    age: l62 as u64,
                                                }
                                            };
                                            Some(e)
                                        }
                                        _ => _rt::invalid_enum_discriminant(),
                                    },
                                    class: _rt::string_lift(bytes65),
                                },
                                arrival: match l66 {
                                    0 => None,
                                    1 => {
                                        let e = {
                                            let l67 = i32::from(
                                                *arg0
                                                    .add(40 + 35 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>(),
                                            );
                                            let l71 = i32::from(
                                                *arg0
                                                    .add(40 + 38 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>(),
                                            );
                                            let l75 = i32::from(
                                                *arg0
                                                    .add(40 + 41 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>(),
                                            );
                                            super::super::super::super::__with_name0::Arrival {
                                                address: match l67 {
                                                    0 => None,
                                                    1 => {
                                                        let e = {
                                                            let l68 = *arg0
                                                                .add(40 + 36 * ::core::mem::size_of::<*const u8>())
                                                                .cast::<*mut u8>();
                                                            let l69 = *arg0
                                                                .add(40 + 37 * ::core::mem::size_of::<*const u8>())
                                                                .cast::<usize>();
                                                            let len70 = l69;
                                                            let bytes70 = _rt::Vec::from_raw_parts(
                                                                l68.cast(),
                                                                len70,
                                                                len70,
                                                            );
                                                            _rt::string_lift(bytes70)
                                                        };
                                                        Some(e)
                                                    }
                                                    _ => _rt::invalid_enum_discriminant(),
                                                },
                                                interface_name: match l71 {
                                                    0 => None,
                                                    1 => {
                                                        let e = {
                                                            let l72 = *arg0
                                                                .add(40 + 39 * ::core::mem::size_of::<*const u8>())
                                                                .cast::<*mut u8>();
                                                            let l73 = *arg0
                                                                .add(40 + 40 * ::core::mem::size_of::<*const u8>())
                                                                .cast::<usize>();
                                                            let len74 = l73;
                                                            let bytes74 = _rt::Vec::from_raw_parts(
                                                                l72.cast(),
                                                                len74,
                                                                len74,
                                                            );
                                                            _rt::string_lift(bytes74)
                                                        };
                                                        Some(e)
                                                    }
                                                    _ => _rt::invalid_enum_discriminant(),
                                                },
                                                vlan: match l75 {
                                                    0 => None,
                                                    1 => {
                                                        let e = {
                                                            let l76 = i32::from(
                                                                *arg0
                                                                    .add(42 + 41 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<u16>(),
                                                            );
                                                            l76 as u16
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
                                options: result85,
                                attributes: result94,
                            })
                        };
                        _rt::cabi_dealloc(
                            arg0,
                            40 + 46 * ::core::mem::size_of::<*const u8>(),
                            8,
                        );
                        let ptr96 = (&raw mut _RET_AREA.0).cast::<u8>();
                        match result95 {
                            Verdict::Abstain => {
                                *ptr96.add(0).cast::<u8>() = (0i32) as u8;
                            }
                            Verdict::Allow(e) => {
                                *ptr96.add(0).cast::<u8>() = (1i32) as u8;
                                let super::super::super::super::__with_name0::Profile {
                                    ceilings: ceilings97,
                                    floors: floors97,
                                    overrides: overrides97,
                                    max_size: max_size97,
                                    burst: burst97,
                                    rate: rate97,
                                    refuse_options: refuse_options97,
                                    attributes: attributes97,
                                } = e;
                                let super::super::super::super::__with_name0::SessionValues {
                                    blksize: blksize98,
                                    windowsize: windowsize98,
                                    timeout: timeout98,
                                } = ceilings97;
                                match blksize98 {
                                    Some(e) => {
                                        *ptr96.add(8).cast::<u8>() = (1i32) as u8;
                                        *ptr96.add(10).cast::<u16>() = (_rt::as_i32(e)) as u16;
                                    }
                                    None => {
                                        *ptr96.add(8).cast::<u8>() = (0i32) as u8;
                                    }
                                };
                                match windowsize98 {
                                    Some(e) => {
                                        *ptr96.add(12).cast::<u8>() = (1i32) as u8;
                                        *ptr96.add(14).cast::<u16>() = (_rt::as_i32(e)) as u16;
                                    }
                                    None => {
                                        *ptr96.add(12).cast::<u8>() = (0i32) as u8;
                                    }
                                };
                                match timeout98 {
                                    Some(e) => {
                                        *ptr96.add(16).cast::<u8>() = (1i32) as u8;
                                        *ptr96.add(17).cast::<u8>() = (_rt::as_i32(e)) as u8;
                                    }
                                    None => {
                                        *ptr96.add(16).cast::<u8>() = (0i32) as u8;
                                    }
                                };
                                let super::super::super::super::__with_name0::SessionValues {
                                    blksize: blksize99,
                                    windowsize: windowsize99,
                                    timeout: timeout99,
                                } = floors97;
                                match blksize99 {
                                    Some(e) => {
                                        *ptr96.add(18).cast::<u8>() = (1i32) as u8;
                                        *ptr96.add(20).cast::<u16>() = (_rt::as_i32(e)) as u16;
                                    }
                                    None => {
                                        *ptr96.add(18).cast::<u8>() = (0i32) as u8;
                                    }
                                };
                                match windowsize99 {
                                    Some(e) => {
                                        *ptr96.add(22).cast::<u8>() = (1i32) as u8;
                                        *ptr96.add(24).cast::<u16>() = (_rt::as_i32(e)) as u16;
                                    }
                                    None => {
                                        *ptr96.add(22).cast::<u8>() = (0i32) as u8;
                                    }
                                };
                                match timeout99 {
                                    Some(e) => {
                                        *ptr96.add(26).cast::<u8>() = (1i32) as u8;
                                        *ptr96.add(27).cast::<u8>() = (_rt::as_i32(e)) as u8;
                                    }
                                    None => {
                                        *ptr96.add(26).cast::<u8>() = (0i32) as u8;
                                    }
                                };
                                let super::super::super::super::__with_name0::SessionValues {
                                    blksize: blksize100,
                                    windowsize: windowsize100,
                                    timeout: timeout100,
                                } = overrides97;
                                match blksize100 {
                                    Some(e) => {
                                        *ptr96.add(28).cast::<u8>() = (1i32) as u8;
                                        *ptr96.add(30).cast::<u16>() = (_rt::as_i32(e)) as u16;
                                    }
                                    None => {
                                        *ptr96.add(28).cast::<u8>() = (0i32) as u8;
                                    }
                                };
                                match windowsize100 {
                                    Some(e) => {
                                        *ptr96.add(32).cast::<u8>() = (1i32) as u8;
                                        *ptr96.add(34).cast::<u16>() = (_rt::as_i32(e)) as u16;
                                    }
                                    None => {
                                        *ptr96.add(32).cast::<u8>() = (0i32) as u8;
                                    }
                                };
                                match timeout100 {
                                    Some(e) => {
                                        *ptr96.add(36).cast::<u8>() = (1i32) as u8;
                                        *ptr96.add(37).cast::<u8>() = (_rt::as_i32(e)) as u8;
                                    }
                                    None => {
                                        *ptr96.add(36).cast::<u8>() = (0i32) as u8;
                                    }
                                };
                                match max_size97 {
                                    Some(e) => {
                                        *ptr96.add(40).cast::<u8>() = (1i32) as u8;
                                        *ptr96.add(48).cast::<i64>() = _rt::as_i64(e);
                                    }
                                    None => {
                                        *ptr96.add(40).cast::<u8>() = (0i32) as u8;
                                    }
                                };
                                match burst97 {
                                    Some(e) => {
                                        *ptr96.add(56).cast::<u8>() = (1i32) as u8;
                                        *ptr96.add(58).cast::<u16>() = (_rt::as_i32(e)) as u16;
                                    }
                                    None => {
                                        *ptr96.add(56).cast::<u8>() = (0i32) as u8;
                                    }
                                };
                                match rate97 {
                                    Some(e) => {
                                        *ptr96.add(64).cast::<u8>() = (1i32) as u8;
                                        *ptr96.add(72).cast::<i64>() = _rt::as_i64(e);
                                    }
                                    None => {
                                        *ptr96.add(64).cast::<u8>() = (0i32) as u8;
                                    }
                                };
                                let vec102 = refuse_options97;
                                let len102 = vec102.len();
                                let layout102 = _rt::alloc::Layout::from_size_align(
                                        vec102.len() * (2 * ::core::mem::size_of::<*const u8>()),
                                        ::core::mem::size_of::<*const u8>(),
                                    )
                                    .unwrap();
                                let (result102, _cleanup102) = wit_bindgen::rt::Cleanup::new(
                                    layout102,
                                );
                                if let Some(cleanup) = _cleanup102 {
                                    cleanup.forget();
                                }
                                for (i, e) in vec102.into_iter().enumerate() {
                                    let base = result102
                                        .add(i * (2 * ::core::mem::size_of::<*const u8>()));
                                    {
                                        let vec101 = (e.into_bytes()).into_boxed_slice();
                                        let ptr101 = vec101.as_ptr().cast::<u8>();
                                        let len101 = vec101.len();
                                        ::core::mem::forget(vec101);
                                        *base
                                            .add(::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len101;
                                        *base.add(0).cast::<*mut u8>() = ptr101.cast_mut();
                                    }
                                }
                                *ptr96
                                    .add(80 + 1 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len102;
                                *ptr96.add(80).cast::<*mut u8>() = result102;
                                let vec106 = attributes97;
                                let len106 = vec106.len();
                                let layout106 = _rt::alloc::Layout::from_size_align(
                                        vec106.len() * (4 * ::core::mem::size_of::<*const u8>()),
                                        ::core::mem::size_of::<*const u8>(),
                                    )
                                    .unwrap();
                                let (result106, _cleanup106) = wit_bindgen::rt::Cleanup::new(
                                    layout106,
                                );
                                if let Some(cleanup) = _cleanup106 {
                                    cleanup.forget();
                                }
                                for (i, e) in vec106.into_iter().enumerate() {
                                    let base = result106
                                        .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                    {
                                        let (t103_0, t103_1) = e;
                                        let vec104 = (t103_0.into_bytes()).into_boxed_slice();
                                        let ptr104 = vec104.as_ptr().cast::<u8>();
                                        let len104 = vec104.len();
                                        ::core::mem::forget(vec104);
                                        *base
                                            .add(::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len104;
                                        *base.add(0).cast::<*mut u8>() = ptr104.cast_mut();
                                        let vec105 = (t103_1.into_bytes()).into_boxed_slice();
                                        let ptr105 = vec105.as_ptr().cast::<u8>();
                                        let len105 = vec105.len();
                                        ::core::mem::forget(vec105);
                                        *base
                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len105;
                                        *base
                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>() = ptr105.cast_mut();
                                    }
                                }
                                *ptr96
                                    .add(80 + 3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len106;
                                *ptr96
                                    .add(80 + 2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = result106;
                            }
                            Verdict::Deny(e) => {
                                *ptr96.add(0).cast::<u8>() = (2i32) as u8;
                                let super::super::super::super::__with_name0::Denial {
                                    code: code107,
                                    message: message107,
                                    reason: reason107,
                                } = e;
                                *ptr96.add(8).cast::<u8>() = (code107.clone() as i32) as u8;
                                let vec108 = (message107.into_bytes()).into_boxed_slice();
                                let ptr108 = vec108.as_ptr().cast::<u8>();
                                let len108 = vec108.len();
                                ::core::mem::forget(vec108);
                                *ptr96
                                    .add(8 + 2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len108;
                                *ptr96
                                    .add(8 + 1 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = ptr108.cast_mut();
                                let vec109 = (reason107.into_bytes()).into_boxed_slice();
                                let ptr109 = vec109.as_ptr().cast::<u8>();
                                let len109 = vec109.len();
                                ::core::mem::forget(vec109);
                                *ptr96
                                    .add(8 + 4 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len109;
                                *ptr96
                                    .add(8 + 3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = ptr109.cast_mut();
                            }
                            Verdict::Drop(e) => {
                                *ptr96.add(0).cast::<u8>() = (3i32) as u8;
                                let vec110 = (e.into_bytes()).into_boxed_slice();
                                let ptr110 = vec110.as_ptr().cast::<u8>();
                                let len110 = vec110.len();
                                ::core::mem::forget(vec110);
                                *ptr96
                                    .add(8 + 1 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len110;
                                *ptr96.add(8).cast::<*mut u8>() = ptr110.cast_mut();
                            }
                        }
                        ptr96
                    }
                }
                #[doc(hidden)]
                #[allow(non_snake_case)]
                pub unsafe fn __post_return_authorize<T_: Guest>(arg0: *mut u8) {
                    unsafe {
                        let l0 = i32::from(*arg0.add(0).cast::<u8>());
                        match l0 {
                            0 => {}
                            1 => {
                                let l1 = *arg0.add(80).cast::<*mut u8>();
                                let l2 = *arg0
                                    .add(80 + 1 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let base5 = l1;
                                let len5 = l2;
                                for i in 0..len5 {
                                    let base = base5
                                        .add(i * (2 * ::core::mem::size_of::<*const u8>()));
                                    {
                                        let l3 = *base.add(0).cast::<*mut u8>();
                                        let l4 = *base
                                            .add(::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        _rt::cabi_dealloc(l3, l4, 1);
                                    }
                                }
                                _rt::cabi_dealloc(
                                    base5,
                                    len5 * (2 * ::core::mem::size_of::<*const u8>()),
                                    ::core::mem::size_of::<*const u8>(),
                                );
                                let l6 = *arg0
                                    .add(80 + 2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l7 = *arg0
                                    .add(80 + 3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let base12 = l6;
                                let len12 = l7;
                                for i in 0..len12 {
                                    let base = base12
                                        .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                    {
                                        let l8 = *base.add(0).cast::<*mut u8>();
                                        let l9 = *base
                                            .add(::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        _rt::cabi_dealloc(l8, l9, 1);
                                        let l10 = *base
                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>();
                                        let l11 = *base
                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        _rt::cabi_dealloc(l10, l11, 1);
                                    }
                                }
                                _rt::cabi_dealloc(
                                    base12,
                                    len12 * (4 * ::core::mem::size_of::<*const u8>()),
                                    ::core::mem::size_of::<*const u8>(),
                                );
                            }
                            2 => {
                                let l13 = *arg0
                                    .add(8 + 1 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l14 = *arg0
                                    .add(8 + 2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                _rt::cabi_dealloc(l13, l14, 1);
                                let l15 = *arg0
                                    .add(8 + 3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l16 = *arg0
                                    .add(8 + 4 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                _rt::cabi_dealloc(l15, l16, 1);
                            }
                            _ => {
                                let l17 = *arg0.add(8).cast::<*mut u8>();
                                let l18 = *arg0
                                    .add(8 + 1 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                _rt::cabi_dealloc(l17, l18, 1);
                            }
                        }
                    }
                }
                pub trait Guest {
                    #[allow(async_fn_in_trait)]
                    fn authorize(request: Request) -> Verdict;
                }
                #[doc(hidden)]
                #[macro_export]
                macro_rules! __export_tuffet_policy_authorize_1_0_0_rc_1_cabi {
                    ($ty:ident with_types_in $($path_to_types:tt)*) => {
                        const _ : () = { #[unsafe (export_name =
                        "tuffet:policy/authorize@1.0.0-rc.1#authorize")] unsafe extern
                        "C" fn export_authorize(arg0 : * mut u8,) -> * mut u8 { unsafe {
                        $($path_to_types)*:: _export_authorize_cabi::<$ty > (arg0) } }
                        #[unsafe (export_name =
                        "cabi_post_tuffet:policy/authorize@1.0.0-rc.1#authorize")] unsafe
                        extern "C" fn _post_return_authorize(arg0 : * mut u8,) { unsafe {
                        $($path_to_types)*:: __post_return_authorize::<$ty > (arg0) } }
                        };
                    };
                }
                #[doc(hidden)]
                pub use __export_tuffet_policy_authorize_1_0_0_rc_1_cabi;
                #[repr(align(8))]
                struct _RetArea(
                    [::core::mem::MaybeUninit<
                        u8,
                    >; 80 + 4 * ::core::mem::size_of::<*const u8>()],
                );
                static mut _RET_AREA: _RetArea = _RetArea(
                    [::core::mem::MaybeUninit::uninit(); 80
                        + 4 * ::core::mem::size_of::<*const u8>()],
                );
            }
        }
    }
}
mod _rt {
    #![allow(dead_code, unused_imports, clippy::all)]
    pub use alloc_crate::string::String;
    #[cfg(target_arch = "wasm32")]
    pub fn run_ctors_once() {
        wit_bindgen::rt::run_ctors_once();
    }
    pub use alloc_crate::vec::Vec;
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
    pub fn as_i32<T: AsI32>(t: T) -> i32 {
        t.as_i32()
    }
    pub trait AsI32 {
        fn as_i32(self) -> i32;
    }
    impl<'a, T: Copy + AsI32> AsI32 for &'a T {
        fn as_i32(self) -> i32 {
            (*self).as_i32()
        }
    }
    impl AsI32 for i32 {
        #[inline]
        fn as_i32(self) -> i32 {
            self as i32
        }
    }
    impl AsI32 for u32 {
        #[inline]
        fn as_i32(self) -> i32 {
            self as i32
        }
    }
    impl AsI32 for i16 {
        #[inline]
        fn as_i32(self) -> i32 {
            self as i32
        }
    }
    impl AsI32 for u16 {
        #[inline]
        fn as_i32(self) -> i32 {
            self as i32
        }
    }
    impl AsI32 for i8 {
        #[inline]
        fn as_i32(self) -> i32 {
            self as i32
        }
    }
    impl AsI32 for u8 {
        #[inline]
        fn as_i32(self) -> i32 {
            self as i32
        }
    }
    impl AsI32 for char {
        #[inline]
        fn as_i32(self) -> i32 {
            self as i32
        }
    }
    impl AsI32 for usize {
        #[inline]
        fn as_i32(self) -> i32 {
            self as i32
        }
    }
    pub fn as_i64<T: AsI64>(t: T) -> i64 {
        t.as_i64()
    }
    pub trait AsI64 {
        fn as_i64(self) -> i64;
    }
    impl<'a, T: Copy + AsI64> AsI64 for &'a T {
        fn as_i64(self) -> i64 {
            (*self).as_i64()
        }
    }
    impl AsI64 for i64 {
        #[inline]
        fn as_i64(self) -> i64 {
            self as i64
        }
    }
    impl AsI64 for u64 {
        #[inline]
        fn as_i64(self) -> i64 {
            self as i64
        }
    }
    pub use alloc_crate::alloc;
    extern crate alloc as alloc_crate;
}
/// Generates `#[unsafe(no_mangle)]` functions to export the specified type as
/// the root implementation of all generated traits.
///
/// For more information see the documentation of `wit_bindgen::generate!`.
///
/// ```rust
/// # macro_rules! export_authorize{ ($($t:tt)*) => (); }
/// # trait Guest {}
/// struct MyType;
///
/// impl Guest for MyType {
///     // ...
/// }
///
/// export_authorize!(MyType);
/// ```
#[allow(unused_macros)]
#[doc(hidden)]
#[macro_export]
macro_rules! __export_authorize_impl {
    ($ty:ident) => {
        self::export_authorize!($ty with_types_in self);
    };
    ($ty:ident with_types_in $($path_to_types_root:tt)*) => {
        $($path_to_types_root)*::
        exports::tuffet::policy::authorize::__export_tuffet_policy_authorize_1_0_0_rc_1_cabi!($ty
        with_types_in $($path_to_types_root)*:: exports::tuffet::policy::authorize);
        const _ : () = { #[cfg(target_arch = "wasm32")] #[unsafe (link_section =
        "component-type:wit-bindgen:0.61.1:tuffet:sdk:authorize:imports and exports")]
        #[doc(hidden)] #[allow(clippy::octal_escapes)] pub static
        __WIT_BINDGEN_COMPONENT_TYPE : [u8; 1233] = *
        b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xd1\x08\x01A\x02\x01\
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
\0\0\x06denial\x02\x03\0\0\x07profile\x01B\x0a\x02\x03\x02\x01\x01\x04\0\x07requ\
est\x03\0\0\x02\x03\x02\x01\x02\x04\0\x06denial\x03\0\x02\x02\x03\x02\x01\x03\x04\
\0\x07profile\x03\0\x04\x01q\x04\x07abstain\0\0\x05allow\x01\x05\0\x04deny\x01\x03\
\0\x04drop\x01s\0\x04\0\x07verdict\x03\0\x06\x01@\x01\x07request\x01\0\x07\x04\0\
\x09authorize\x01\x08\x04\0\"tuffet:policy/authorize@1.0.0-rc.1\x05\x04\x04\0\x14\
tuffet:sdk/authorize\x04\0\x0b\x0f\x01\0\x09authorize\x03\0\0\0G\x09producers\x01\
\x0cprocessed-by\x02\x0dwit-component\x070.258.3\x10wit-bindgen-rust\x060.61.1";
        };
    };
}
#[doc(inline)]
pub use __export_authorize_impl as export_authorize;
#[cfg(target_arch = "wasm32")]
#[unsafe(
    link_section = "component-type:wit-bindgen:0.61.1:tuffet:sdk:authorize-with-all-of-its-exports-removed:encoded world"
)]
#[doc(hidden)]
#[allow(clippy::octal_escapes)]
pub static __WIT_BINDGEN_COMPONENT_TYPE: [u8; 1088] = *b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xa0\x07\x01A\x02\x01\
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
\0'\x03\0\x1etuffet:policy/types@1.0.0-rc.1\x05\0\x04\04tuffet:sdk/authorize-wit\
h-all-of-its-exports-removed\x04\0\x0b/\x01\0)authorize-with-all-of-its-exports-\
removed\x03\0\0\0G\x09producers\x01\x0cprocessed-by\x02\x0dwit-component\x070.25\
8.3\x10wit-bindgen-rust\x060.61.1";
#[inline(never)]
#[doc(hidden)]
pub fn __link_custom_section_describing_imports() {
    wit_bindgen::rt::maybe_link_cabi_realloc();
}
