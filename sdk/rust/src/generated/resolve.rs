#[allow(unfulfilled_lint_expectations, unused_imports)]
use crate::bindings::types::tuffet::policy::types as __with_name0;
#[allow(unfulfilled_lint_expectations, unused_imports)]
use crate::bindings::types::tuffet::policy::contents as __with_name1;
#[allow(dead_code, clippy::all)]
pub mod exports {
    pub mod tuffet {
        pub mod policy {
            /// What is it that this client gets?
            #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
            pub mod resolve {
                #[used]
                #[doc(hidden)]
                static __FORCE_SECTION_REF: fn() = super::super::super::super::__link_custom_section_describing_imports;
                use super::super::super::super::_rt;
                pub type Request = super::super::super::super::__with_name0::Request;
                pub type Denial = super::super::super::super::__with_name0::Denial;
                pub type Profile = super::super::super::super::__with_name0::Profile;
                pub type Target = super::super::super::super::__with_name0::Target;
                pub type Content = super::super::super::super::__with_name1::Content;
                /// Something that may be served.
                #[derive(Clone, Eq, PartialEq)]
                pub enum Candidate {
                    /// A file, if it exists. For a write request, where it goes.
                    File(Target),
                    /// The content itself. Never an answer to a write request.
                    Content(Content),
                    /// The content that the interface `render` or `render-parts` of this plugin makes for this key, of 1 to 1024 bytes. The
                    /// host has it in memory, or calls them. Never an answer to a write request.
                    Rendering(_rt::String),
                }
                impl ::core::fmt::Debug for Candidate {
                    fn fmt(
                        &self,
                        f: &mut ::core::fmt::Formatter<'_>,
                    ) -> ::core::fmt::Result {
                        match self {
                            Candidate::File(e) => {
                                f.debug_tuple("Candidate::File").field(e).finish()
                            }
                            Candidate::Content(e) => {
                                f.debug_tuple("Candidate::Content").field(e).finish()
                            }
                            Candidate::Rendering(e) => {
                                f.debug_tuple("Candidate::Rendering").field(e).finish()
                            }
                        }
                    }
                }
                #[derive(Clone, Eq, PartialEq)]
                pub struct Selection {
                    /// The first of these that exists is served; content always exists, so nothing may follow it. For a write request,
                    /// the first file is where it goes, and content is left out. At most 64.
                    pub candidates: _rt::Vec<Candidate>,
                    /// If none of them exists, the chain goes on: the next plugin decides, and at the end the path is looked up in the
                    /// roots. Otherwise there is no such file. Nothing follows content, which always exists. A write request that has a
                    /// file does not go on. Without any candidate, the chain must go on.
                    pub else_next: bool,
                    /// How it is sent: with what `authorize` allowed, as if one more plugin had allowed.
                    pub profile: ::core::option::Option<Profile>,
                }
                impl ::core::fmt::Debug for Selection {
                    fn fmt(
                        &self,
                        f: &mut ::core::fmt::Formatter<'_>,
                    ) -> ::core::fmt::Result {
                        f.debug_struct("Selection")
                            .field("candidates", &self.candidates)
                            .field("else-next", &self.else_next)
                            .field("profile", &self.profile)
                            .finish()
                    }
                }
                #[derive(Clone, Eq, PartialEq)]
                pub enum Resolution {
                    /// No opinion: the next plugin decides; at the end the path is looked up in the roots, in order.
                    Abstain,
                    Serve(Selection),
                    /// No: the chain ends and the client gets an ERROR.
                    Deny(Denial),
                    /// No, and without any answer, as in `authorize`.
                    Drop(_rt::String),
                }
                impl ::core::fmt::Debug for Resolution {
                    fn fmt(
                        &self,
                        f: &mut ::core::fmt::Formatter<'_>,
                    ) -> ::core::fmt::Result {
                        match self {
                            Resolution::Abstain => {
                                f.debug_tuple("Resolution::Abstain").finish()
                            }
                            Resolution::Serve(e) => {
                                f.debug_tuple("Resolution::Serve").field(e).finish()
                            }
                            Resolution::Deny(e) => {
                                f.debug_tuple("Resolution::Deny").field(e).finish()
                            }
                            Resolution::Drop(e) => {
                                f.debug_tuple("Resolution::Drop").field(e).finish()
                            }
                        }
                    }
                }
                #[doc(hidden)]
                #[allow(non_snake_case, unused_unsafe)]
                pub unsafe fn _export_resolve_cabi<T_: Guest>(arg0: *mut u8) -> *mut u8 {
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
                            T_::resolve(super::super::super::super::__with_name0::Request {
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
                            Resolution::Abstain => {
                                *ptr96.add(0).cast::<u8>() = (0i32) as u8;
                            }
                            Resolution::Serve(e) => {
                                *ptr96.add(0).cast::<u8>() = (1i32) as u8;
                                let Selection {
                                    candidates: candidates97,
                                    else_next: else_next97,
                                    profile: profile97,
                                } = e;
                                let vec109 = candidates97;
                                let len109 = vec109.len();
                                let layout109 = _rt::alloc::Layout::from_size_align(
                                        vec109.len() * (8 * ::core::mem::size_of::<*const u8>()),
                                        ::core::mem::size_of::<*const u8>(),
                                    )
                                    .unwrap();
                                let (result109, _cleanup109) = wit_bindgen::rt::Cleanup::new(
                                    layout109,
                                );
                                if let Some(cleanup) = _cleanup109 {
                                    cleanup.forget();
                                }
                                for (i, e) in vec109.into_iter().enumerate() {
                                    let base = result109
                                        .add(i * (8 * ::core::mem::size_of::<*const u8>()));
                                    {
                                        match e {
                                            Candidate::File(e) => {
                                                *base.add(0).cast::<u8>() = (0i32) as u8;
                                                let super::super::super::super::__with_name0::Target {
                                                    root: root98,
                                                    path: path98,
                                                } = e;
                                                let vec99 = (root98.into_bytes()).into_boxed_slice();
                                                let ptr99 = vec99.as_ptr().cast::<u8>();
                                                let len99 = vec99.len();
                                                ::core::mem::forget(vec99);
                                                *base
                                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>() = len99;
                                                *base
                                                    .add(::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>() = ptr99.cast_mut();
                                                let vec100 = (path98.into_bytes()).into_boxed_slice();
                                                let ptr100 = vec100.as_ptr().cast::<u8>();
                                                let len100 = vec100.len();
                                                ::core::mem::forget(vec100);
                                                *base
                                                    .add(4 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>() = len100;
                                                *base
                                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>() = ptr100.cast_mut();
                                            }
                                            Candidate::Content(e) => {
                                                *base.add(0).cast::<u8>() = (1i32) as u8;
                                                let super::super::super::super::__with_name1::Content {
                                                    name: name101,
                                                    data: data101,
                                                    attributes: attributes101,
                                                } = e;
                                                match name101 {
                                                    Some(e) => {
                                                        *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<u8>() = (1i32) as u8;
                                                        let vec102 = (e.into_bytes()).into_boxed_slice();
                                                        let ptr102 = vec102.as_ptr().cast::<u8>();
                                                        let len102 = vec102.len();
                                                        ::core::mem::forget(vec102);
                                                        *base
                                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>() = len102;
                                                        *base
                                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>() = ptr102.cast_mut();
                                                    }
                                                    None => {
                                                        *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<u8>() = (0i32) as u8;
                                                    }
                                                };
                                                let vec103 = <_ as Into<_rt::Vec<_>>>::into(data101)
                                                    .into_boxed_slice();
                                                let ptr103 = vec103.as_ptr().cast::<u8>();
                                                let len103 = vec103.len();
                                                ::core::mem::forget(vec103);
                                                *base
                                                    .add(5 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>() = len103;
                                                *base
                                                    .add(4 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>() = ptr103.cast_mut();
                                                let vec107 = attributes101;
                                                let len107 = vec107.len();
                                                let layout107 = _rt::alloc::Layout::from_size_align(
                                                        vec107.len() * (4 * ::core::mem::size_of::<*const u8>()),
                                                        ::core::mem::size_of::<*const u8>(),
                                                    )
                                                    .unwrap();
                                                let (result107, _cleanup107) = wit_bindgen::rt::Cleanup::new(
                                                    layout107,
                                                );
                                                if let Some(cleanup) = _cleanup107 {
                                                    cleanup.forget();
                                                }
                                                for (i, e) in vec107.into_iter().enumerate() {
                                                    let base = result107
                                                        .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                                    {
                                                        let (t104_0, t104_1) = e;
                                                        let vec105 = (t104_0.into_bytes()).into_boxed_slice();
                                                        let ptr105 = vec105.as_ptr().cast::<u8>();
                                                        let len105 = vec105.len();
                                                        ::core::mem::forget(vec105);
                                                        *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>() = len105;
                                                        *base.add(0).cast::<*mut u8>() = ptr105.cast_mut();
                                                        let vec106 = (t104_1.into_bytes()).into_boxed_slice();
                                                        let ptr106 = vec106.as_ptr().cast::<u8>();
                                                        let len106 = vec106.len();
                                                        ::core::mem::forget(vec106);
                                                        *base
                                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>() = len106;
                                                        *base
                                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>() = ptr106.cast_mut();
                                                    }
                                                }
                                                *base
                                                    .add(7 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>() = len107;
                                                *base
                                                    .add(6 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>() = result107;
                                            }
                                            Candidate::Rendering(e) => {
                                                *base.add(0).cast::<u8>() = (2i32) as u8;
                                                let vec108 = (e.into_bytes()).into_boxed_slice();
                                                let ptr108 = vec108.as_ptr().cast::<u8>();
                                                let len108 = vec108.len();
                                                ::core::mem::forget(vec108);
                                                *base
                                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>() = len108;
                                                *base
                                                    .add(::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>() = ptr108.cast_mut();
                                            }
                                        }
                                    }
                                }
                                *ptr96
                                    .add(8 + 1 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len109;
                                *ptr96.add(8).cast::<*mut u8>() = result109;
                                *ptr96
                                    .add(8 + 2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<u8>() = (match else_next97 {
                                    true => 1,
                                    false => 0,
                                }) as u8;
                                match profile97 {
                                    Some(e) => {
                                        *ptr96
                                            .add(16 + 2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<u8>() = (1i32) as u8;
                                        let super::super::super::super::__with_name0::Profile {
                                            ceilings: ceilings110,
                                            floors: floors110,
                                            overrides: overrides110,
                                            max_size: max_size110,
                                            burst: burst110,
                                            rate: rate110,
                                            refuse_options: refuse_options110,
                                            attributes: attributes110,
                                        } = e;
                                        let super::super::super::super::__with_name0::SessionValues {
                                            blksize: blksize111,
                                            windowsize: windowsize111,
                                            timeout: timeout111,
                                        } = ceilings110;
                                        match blksize111 {
                                            Some(e) => {
                                                *ptr96
                                                    .add(24 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (1i32) as u8;
                                                *ptr96
                                                    .add(26 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u16>() = (_rt::as_i32(e)) as u16;
                                            }
                                            None => {
                                                *ptr96
                                                    .add(24 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (0i32) as u8;
                                            }
                                        };
                                        match windowsize111 {
                                            Some(e) => {
                                                *ptr96
                                                    .add(28 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (1i32) as u8;
                                                *ptr96
                                                    .add(30 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u16>() = (_rt::as_i32(e)) as u16;
                                            }
                                            None => {
                                                *ptr96
                                                    .add(28 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (0i32) as u8;
                                            }
                                        };
                                        match timeout111 {
                                            Some(e) => {
                                                *ptr96
                                                    .add(32 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (1i32) as u8;
                                                *ptr96
                                                    .add(33 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (_rt::as_i32(e)) as u8;
                                            }
                                            None => {
                                                *ptr96
                                                    .add(32 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (0i32) as u8;
                                            }
                                        };
                                        let super::super::super::super::__with_name0::SessionValues {
                                            blksize: blksize112,
                                            windowsize: windowsize112,
                                            timeout: timeout112,
                                        } = floors110;
                                        match blksize112 {
                                            Some(e) => {
                                                *ptr96
                                                    .add(34 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (1i32) as u8;
                                                *ptr96
                                                    .add(36 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u16>() = (_rt::as_i32(e)) as u16;
                                            }
                                            None => {
                                                *ptr96
                                                    .add(34 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (0i32) as u8;
                                            }
                                        };
                                        match windowsize112 {
                                            Some(e) => {
                                                *ptr96
                                                    .add(38 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (1i32) as u8;
                                                *ptr96
                                                    .add(40 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u16>() = (_rt::as_i32(e)) as u16;
                                            }
                                            None => {
                                                *ptr96
                                                    .add(38 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (0i32) as u8;
                                            }
                                        };
                                        match timeout112 {
                                            Some(e) => {
                                                *ptr96
                                                    .add(42 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (1i32) as u8;
                                                *ptr96
                                                    .add(43 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (_rt::as_i32(e)) as u8;
                                            }
                                            None => {
                                                *ptr96
                                                    .add(42 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (0i32) as u8;
                                            }
                                        };
                                        let super::super::super::super::__with_name0::SessionValues {
                                            blksize: blksize113,
                                            windowsize: windowsize113,
                                            timeout: timeout113,
                                        } = overrides110;
                                        match blksize113 {
                                            Some(e) => {
                                                *ptr96
                                                    .add(44 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (1i32) as u8;
                                                *ptr96
                                                    .add(46 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u16>() = (_rt::as_i32(e)) as u16;
                                            }
                                            None => {
                                                *ptr96
                                                    .add(44 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (0i32) as u8;
                                            }
                                        };
                                        match windowsize113 {
                                            Some(e) => {
                                                *ptr96
                                                    .add(48 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (1i32) as u8;
                                                *ptr96
                                                    .add(50 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u16>() = (_rt::as_i32(e)) as u16;
                                            }
                                            None => {
                                                *ptr96
                                                    .add(48 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (0i32) as u8;
                                            }
                                        };
                                        match timeout113 {
                                            Some(e) => {
                                                *ptr96
                                                    .add(52 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (1i32) as u8;
                                                *ptr96
                                                    .add(53 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (_rt::as_i32(e)) as u8;
                                            }
                                            None => {
                                                *ptr96
                                                    .add(52 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (0i32) as u8;
                                            }
                                        };
                                        match max_size110 {
                                            Some(e) => {
                                                *ptr96
                                                    .add(56 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (1i32) as u8;
                                                *ptr96
                                                    .add(64 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<i64>() = _rt::as_i64(e);
                                            }
                                            None => {
                                                *ptr96
                                                    .add(56 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (0i32) as u8;
                                            }
                                        };
                                        match burst110 {
                                            Some(e) => {
                                                *ptr96
                                                    .add(72 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (1i32) as u8;
                                                *ptr96
                                                    .add(74 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u16>() = (_rt::as_i32(e)) as u16;
                                            }
                                            None => {
                                                *ptr96
                                                    .add(72 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (0i32) as u8;
                                            }
                                        };
                                        match rate110 {
                                            Some(e) => {
                                                *ptr96
                                                    .add(80 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (1i32) as u8;
                                                *ptr96
                                                    .add(88 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<i64>() = _rt::as_i64(e);
                                            }
                                            None => {
                                                *ptr96
                                                    .add(80 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (0i32) as u8;
                                            }
                                        };
                                        let vec115 = refuse_options110;
                                        let len115 = vec115.len();
                                        let layout115 = _rt::alloc::Layout::from_size_align(
                                                vec115.len() * (2 * ::core::mem::size_of::<*const u8>()),
                                                ::core::mem::size_of::<*const u8>(),
                                            )
                                            .unwrap();
                                        let (result115, _cleanup115) = wit_bindgen::rt::Cleanup::new(
                                            layout115,
                                        );
                                        if let Some(cleanup) = _cleanup115 {
                                            cleanup.forget();
                                        }
                                        for (i, e) in vec115.into_iter().enumerate() {
                                            let base = result115
                                                .add(i * (2 * ::core::mem::size_of::<*const u8>()));
                                            {
                                                let vec114 = (e.into_bytes()).into_boxed_slice();
                                                let ptr114 = vec114.as_ptr().cast::<u8>();
                                                let len114 = vec114.len();
                                                ::core::mem::forget(vec114);
                                                *base
                                                    .add(::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>() = len114;
                                                *base.add(0).cast::<*mut u8>() = ptr114.cast_mut();
                                            }
                                        }
                                        *ptr96
                                            .add(96 + 3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len115;
                                        *ptr96
                                            .add(96 + 2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>() = result115;
                                        let vec119 = attributes110;
                                        let len119 = vec119.len();
                                        let layout119 = _rt::alloc::Layout::from_size_align(
                                                vec119.len() * (4 * ::core::mem::size_of::<*const u8>()),
                                                ::core::mem::size_of::<*const u8>(),
                                            )
                                            .unwrap();
                                        let (result119, _cleanup119) = wit_bindgen::rt::Cleanup::new(
                                            layout119,
                                        );
                                        if let Some(cleanup) = _cleanup119 {
                                            cleanup.forget();
                                        }
                                        for (i, e) in vec119.into_iter().enumerate() {
                                            let base = result119
                                                .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                            {
                                                let (t116_0, t116_1) = e;
                                                let vec117 = (t116_0.into_bytes()).into_boxed_slice();
                                                let ptr117 = vec117.as_ptr().cast::<u8>();
                                                let len117 = vec117.len();
                                                ::core::mem::forget(vec117);
                                                *base
                                                    .add(::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>() = len117;
                                                *base.add(0).cast::<*mut u8>() = ptr117.cast_mut();
                                                let vec118 = (t116_1.into_bytes()).into_boxed_slice();
                                                let ptr118 = vec118.as_ptr().cast::<u8>();
                                                let len118 = vec118.len();
                                                ::core::mem::forget(vec118);
                                                *base
                                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>() = len118;
                                                *base
                                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>() = ptr118.cast_mut();
                                            }
                                        }
                                        *ptr96
                                            .add(96 + 5 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len119;
                                        *ptr96
                                            .add(96 + 4 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>() = result119;
                                    }
                                    None => {
                                        *ptr96
                                            .add(16 + 2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<u8>() = (0i32) as u8;
                                    }
                                };
                            }
                            Resolution::Deny(e) => {
                                *ptr96.add(0).cast::<u8>() = (2i32) as u8;
                                let super::super::super::super::__with_name0::Denial {
                                    code: code120,
                                    message: message120,
                                    reason: reason120,
                                } = e;
                                *ptr96.add(8).cast::<u8>() = (code120.clone() as i32) as u8;
                                let vec121 = (message120.into_bytes()).into_boxed_slice();
                                let ptr121 = vec121.as_ptr().cast::<u8>();
                                let len121 = vec121.len();
                                ::core::mem::forget(vec121);
                                *ptr96
                                    .add(8 + 2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len121;
                                *ptr96
                                    .add(8 + 1 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = ptr121.cast_mut();
                                let vec122 = (reason120.into_bytes()).into_boxed_slice();
                                let ptr122 = vec122.as_ptr().cast::<u8>();
                                let len122 = vec122.len();
                                ::core::mem::forget(vec122);
                                *ptr96
                                    .add(8 + 4 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len122;
                                *ptr96
                                    .add(8 + 3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = ptr122.cast_mut();
                            }
                            Resolution::Drop(e) => {
                                *ptr96.add(0).cast::<u8>() = (3i32) as u8;
                                let vec123 = (e.into_bytes()).into_boxed_slice();
                                let ptr123 = vec123.as_ptr().cast::<u8>();
                                let len123 = vec123.len();
                                ::core::mem::forget(vec123);
                                *ptr96
                                    .add(8 + 1 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len123;
                                *ptr96.add(8).cast::<*mut u8>() = ptr123.cast_mut();
                            }
                        }
                        ptr96
                    }
                }
                #[doc(hidden)]
                #[allow(non_snake_case)]
                pub unsafe fn __post_return_resolve<T_: Guest>(arg0: *mut u8) {
                    unsafe {
                        let l0 = i32::from(*arg0.add(0).cast::<u8>());
                        match l0 {
                            0 => {}
                            1 => {
                                let l1 = *arg0.add(8).cast::<*mut u8>();
                                let l2 = *arg0
                                    .add(8 + 1 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let base23 = l1;
                                let len23 = l2;
                                for i in 0..len23 {
                                    let base = base23
                                        .add(i * (8 * ::core::mem::size_of::<*const u8>()));
                                    {
                                        let l3 = i32::from(*base.add(0).cast::<u8>());
                                        match l3 {
                                            0 => {
                                                let l4 = *base
                                                    .add(::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l5 = *base
                                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                _rt::cabi_dealloc(l4, l5, 1);
                                                let l6 = *base
                                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l7 = *base
                                                    .add(4 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                _rt::cabi_dealloc(l6, l7, 1);
                                            }
                                            1 => {
                                                let l8 = i32::from(
                                                    *base.add(::core::mem::size_of::<*const u8>()).cast::<u8>(),
                                                );
                                                match l8 {
                                                    0 => {}
                                                    _ => {
                                                        let l9 = *base
                                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>();
                                                        let l10 = *base
                                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        _rt::cabi_dealloc(l9, l10, 1);
                                                    }
                                                }
                                                let l11 = *base
                                                    .add(4 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l12 = *base
                                                    .add(5 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let base13 = l11;
                                                let len13 = l12;
                                                _rt::cabi_dealloc(base13, len13 * 1, 1);
                                                let l14 = *base
                                                    .add(6 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l15 = *base
                                                    .add(7 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let base20 = l14;
                                                let len20 = l15;
                                                for i in 0..len20 {
                                                    let base = base20
                                                        .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                                    {
                                                        let l16 = *base.add(0).cast::<*mut u8>();
                                                        let l17 = *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        _rt::cabi_dealloc(l16, l17, 1);
                                                        let l18 = *base
                                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>();
                                                        let l19 = *base
                                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        _rt::cabi_dealloc(l18, l19, 1);
                                                    }
                                                }
                                                _rt::cabi_dealloc(
                                                    base20,
                                                    len20 * (4 * ::core::mem::size_of::<*const u8>()),
                                                    ::core::mem::size_of::<*const u8>(),
                                                );
                                            }
                                            _ => {
                                                let l21 = *base
                                                    .add(::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l22 = *base
                                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                _rt::cabi_dealloc(l21, l22, 1);
                                            }
                                        }
                                    }
                                }
                                _rt::cabi_dealloc(
                                    base23,
                                    len23 * (8 * ::core::mem::size_of::<*const u8>()),
                                    ::core::mem::size_of::<*const u8>(),
                                );
                                let l24 = i32::from(
                                    *arg0
                                        .add(16 + 2 * ::core::mem::size_of::<*const u8>())
                                        .cast::<u8>(),
                                );
                                match l24 {
                                    0 => {}
                                    _ => {
                                        let l25 = *arg0
                                            .add(96 + 2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>();
                                        let l26 = *arg0
                                            .add(96 + 3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        let base29 = l25;
                                        let len29 = l26;
                                        for i in 0..len29 {
                                            let base = base29
                                                .add(i * (2 * ::core::mem::size_of::<*const u8>()));
                                            {
                                                let l27 = *base.add(0).cast::<*mut u8>();
                                                let l28 = *base
                                                    .add(::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                _rt::cabi_dealloc(l27, l28, 1);
                                            }
                                        }
                                        _rt::cabi_dealloc(
                                            base29,
                                            len29 * (2 * ::core::mem::size_of::<*const u8>()),
                                            ::core::mem::size_of::<*const u8>(),
                                        );
                                        let l30 = *arg0
                                            .add(96 + 4 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>();
                                        let l31 = *arg0
                                            .add(96 + 5 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        let base36 = l30;
                                        let len36 = l31;
                                        for i in 0..len36 {
                                            let base = base36
                                                .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                            {
                                                let l32 = *base.add(0).cast::<*mut u8>();
                                                let l33 = *base
                                                    .add(::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                _rt::cabi_dealloc(l32, l33, 1);
                                                let l34 = *base
                                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l35 = *base
                                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                _rt::cabi_dealloc(l34, l35, 1);
                                            }
                                        }
                                        _rt::cabi_dealloc(
                                            base36,
                                            len36 * (4 * ::core::mem::size_of::<*const u8>()),
                                            ::core::mem::size_of::<*const u8>(),
                                        );
                                    }
                                }
                            }
                            2 => {
                                let l37 = *arg0
                                    .add(8 + 1 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l38 = *arg0
                                    .add(8 + 2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                _rt::cabi_dealloc(l37, l38, 1);
                                let l39 = *arg0
                                    .add(8 + 3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l40 = *arg0
                                    .add(8 + 4 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                _rt::cabi_dealloc(l39, l40, 1);
                            }
                            _ => {
                                let l41 = *arg0.add(8).cast::<*mut u8>();
                                let l42 = *arg0
                                    .add(8 + 1 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                _rt::cabi_dealloc(l41, l42, 1);
                            }
                        }
                    }
                }
                pub trait Guest {
                    #[allow(async_fn_in_trait)]
                    fn resolve(request: Request) -> Resolution;
                }
                #[doc(hidden)]
                #[macro_export]
                macro_rules! __export_tuffet_policy_resolve_1_0_0_rc_1_cabi {
                    ($ty:ident with_types_in $($path_to_types:tt)*) => {
                        const _ : () = { #[unsafe (export_name =
                        "tuffet:policy/resolve@1.0.0-rc.1#resolve")] unsafe extern "C" fn
                        export_resolve(arg0 : * mut u8,) -> * mut u8 { unsafe {
                        $($path_to_types)*:: _export_resolve_cabi::<$ty > (arg0) } }
                        #[unsafe (export_name =
                        "cabi_post_tuffet:policy/resolve@1.0.0-rc.1#resolve")] unsafe
                        extern "C" fn _post_return_resolve(arg0 : * mut u8,) { unsafe {
                        $($path_to_types)*:: __post_return_resolve::<$ty > (arg0) } } };
                    };
                }
                #[doc(hidden)]
                pub use __export_tuffet_policy_resolve_1_0_0_rc_1_cabi;
                #[repr(align(8))]
                struct _RetArea(
                    [::core::mem::MaybeUninit<
                        u8,
                    >; 96 + 6 * ::core::mem::size_of::<*const u8>()],
                );
                static mut _RET_AREA: _RetArea = _RetArea(
                    [::core::mem::MaybeUninit::uninit(); 96
                        + 6 * ::core::mem::size_of::<*const u8>()],
                );
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
    pub use alloc_crate::alloc;
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
    extern crate alloc as alloc_crate;
}
/// Generates `#[unsafe(no_mangle)]` functions to export the specified type as
/// the root implementation of all generated traits.
///
/// For more information see the documentation of `wit_bindgen::generate!`.
///
/// ```rust
/// # macro_rules! export_resolve{ ($($t:tt)*) => (); }
/// # trait Guest {}
/// struct MyType;
///
/// impl Guest for MyType {
///     // ...
/// }
///
/// export_resolve!(MyType);
/// ```
#[allow(unused_macros)]
#[doc(hidden)]
#[macro_export]
macro_rules! __export_resolve_impl {
    ($ty:ident) => {
        self::export_resolve!($ty with_types_in self);
    };
    ($ty:ident with_types_in $($path_to_types_root:tt)*) => {
        $($path_to_types_root)*::
        exports::tuffet::policy::resolve::__export_tuffet_policy_resolve_1_0_0_rc_1_cabi!($ty
        with_types_in $($path_to_types_root)*:: exports::tuffet::policy::resolve); const
        _ : () = { #[cfg(target_arch = "wasm32")] #[unsafe (link_section =
        "component-type:wit-bindgen:0.61.1:tuffet:sdk:resolve:imports and exports")]
        #[doc(hidden)] #[allow(clippy::octal_escapes)] pub static
        __WIT_BINDGEN_COMPONENT_TYPE : [u8; 1487] = *
        b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xd1\x0a\x01A\x02\x01\
A\x0b\x01B)\x01m\x02\x04read\x05write\x04\0\x09operation\x03\0\0\x01m\x02\x05oct\
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
\0'\x03\0\x1etuffet:policy/types@1.0.0-rc.1\x05\0\x01B\x06\x01ks\x01p}\x01o\x02s\
s\x01p\x02\x01r\x03\x04name\0\x04data\x01\x0aattributes\x03\x04\0\x07content\x03\
\0\x04\x03\0!tuffet:policy/contents@1.0.0-rc.1\x05\x01\x02\x03\0\0\x07request\x02\
\x03\0\0\x06denial\x02\x03\0\0\x07profile\x02\x03\0\0\x06target\x02\x03\0\x01\x07\
content\x01B\x14\x02\x03\x02\x01\x02\x04\0\x07request\x03\0\0\x02\x03\x02\x01\x03\
\x04\0\x06denial\x03\0\x02\x02\x03\x02\x01\x04\x04\0\x07profile\x03\0\x04\x02\x03\
\x02\x01\x05\x04\0\x06target\x03\0\x06\x02\x03\x02\x01\x06\x04\0\x07content\x03\0\
\x08\x01q\x03\x04file\x01\x07\0\x07content\x01\x09\0\x09rendering\x01s\0\x04\0\x09\
candidate\x03\0\x0a\x01p\x0b\x01k\x05\x01r\x03\x0acandidates\x0c\x09else-next\x7f\
\x07profile\x0d\x04\0\x09selection\x03\0\x0e\x01q\x04\x07abstain\0\0\x05serve\x01\
\x0f\0\x04deny\x01\x03\0\x04drop\x01s\0\x04\0\x0aresolution\x03\0\x10\x01@\x01\x07\
request\x01\0\x11\x04\0\x07resolve\x01\x12\x04\0\x20tuffet:policy/resolve@1.0.0-\
rc.1\x05\x07\x04\0\x12tuffet:sdk/resolve\x04\0\x0b\x0d\x01\0\x07resolve\x03\0\0\0\
G\x09producers\x01\x0cprocessed-by\x02\x0dwit-component\x070.258.3\x10wit-bindge\
n-rust\x060.61.1";
        };
    };
}
#[doc(inline)]
pub use __export_resolve_impl as export_resolve;
#[cfg(target_arch = "wasm32")]
#[unsafe(
    link_section = "component-type:wit-bindgen:0.61.1:tuffet:sdk:resolve-with-all-of-its-exports-removed:encoded world"
)]
#[doc(hidden)]
#[allow(clippy::octal_escapes)]
pub static __WIT_BINDGEN_COMPONENT_TYPE: [u8; 1179] = *b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xfd\x07\x01A\x02\x01\
A\x04\x01B)\x01m\x02\x04read\x05write\x04\0\x09operation\x03\0\0\x01m\x02\x05oct\
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
\0'\x03\0\x1etuffet:policy/types@1.0.0-rc.1\x05\0\x01B\x06\x01ks\x01p}\x01o\x02s\
s\x01p\x02\x01r\x03\x04name\0\x04data\x01\x0aattributes\x03\x04\0\x07content\x03\
\0\x04\x03\0!tuffet:policy/contents@1.0.0-rc.1\x05\x01\x04\02tuffet:sdk/resolve-\
with-all-of-its-exports-removed\x04\0\x0b-\x01\0'resolve-with-all-of-its-exports\
-removed\x03\0\0\0G\x09producers\x01\x0cprocessed-by\x02\x0dwit-component\x070.2\
58.3\x10wit-bindgen-rust\x060.61.1";
#[inline(never)]
#[doc(hidden)]
pub fn __link_custom_section_describing_imports() {
    wit_bindgen::rt::maybe_link_cabi_realloc();
}
