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
                #[derive(Clone, Eq, PartialEq)]
                pub struct LabelledResolution {
                    pub resolution: Resolution,
                    /// As that of a verdict; it takes the place of the one that this plugin gave in `authorize`.
                    pub label: ::core::option::Option<_rt::String>,
                }
                impl ::core::fmt::Debug for LabelledResolution {
                    fn fmt(
                        &self,
                        f: &mut ::core::fmt::Formatter<'_>,
                    ) -> ::core::fmt::Result {
                        f.debug_struct("LabelledResolution")
                            .field("resolution", &self.resolution)
                            .field("label", &self.label)
                            .finish()
                    }
                }
                #[doc(hidden)]
                #[allow(non_snake_case, unused_unsafe)]
                pub unsafe fn _export_resolve_cabi<T_: Guest>(arg0: *mut u8) -> *mut u8 {
                    unsafe {
                        #[cfg(target_arch = "wasm32")] _rt::run_ctors_once();
                        let result105 = {
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
                                .cast::<i64>();
                            let l87 = *arg0
                                .add(48 + 44 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>();
                            let l88 = *arg0
                                .add(48 + 45 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let base95 = l87;
                            let len95 = l88;
                            let mut result95 = _rt::Vec::with_capacity(len95);
                            for i in 0..len95 {
                                let base = base95
                                    .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                let e95 = {
                                    let l89 = *base.add(0).cast::<*mut u8>();
                                    let l90 = *base
                                        .add(::core::mem::size_of::<*const u8>())
                                        .cast::<usize>();
                                    let len91 = l90;
                                    let bytes91 = _rt::Vec::from_raw_parts(
                                        l89.cast(),
                                        len91,
                                        len91,
                                    );
                                    let l92 = *base
                                        .add(2 * ::core::mem::size_of::<*const u8>())
                                        .cast::<*mut u8>();
                                    let l93 = *base
                                        .add(3 * ::core::mem::size_of::<*const u8>())
                                        .cast::<usize>();
                                    let len94 = l93;
                                    let bytes94 = _rt::Vec::from_raw_parts(
                                        l92.cast(),
                                        len94,
                                        len94,
                                    );
                                    super::super::super::super::__with_name0::Label {
                                        plugin: _rt::string_lift(bytes91),
                                        text: _rt::string_lift(bytes94),
                                    }
                                };
                                result95.push(e95);
                            }
                            _rt::cabi_dealloc(
                                base95,
                                len95 * (4 * ::core::mem::size_of::<*const u8>()),
                                ::core::mem::size_of::<*const u8>(),
                            );
                            let l96 = *arg0
                                .add(48 + 46 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>();
                            let l97 = *arg0
                                .add(48 + 47 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let base104 = l96;
                            let len104 = l97;
                            let mut result104 = _rt::Vec::with_capacity(len104);
                            for i in 0..len104 {
                                let base = base104
                                    .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                let e104 = {
                                    let l98 = *base.add(0).cast::<*mut u8>();
                                    let l99 = *base
                                        .add(::core::mem::size_of::<*const u8>())
                                        .cast::<usize>();
                                    let len100 = l99;
                                    let bytes100 = _rt::Vec::from_raw_parts(
                                        l98.cast(),
                                        len100,
                                        len100,
                                    );
                                    let l101 = *base
                                        .add(2 * ::core::mem::size_of::<*const u8>())
                                        .cast::<*mut u8>();
                                    let l102 = *base
                                        .add(3 * ::core::mem::size_of::<*const u8>())
                                        .cast::<usize>();
                                    let len103 = l102;
                                    let bytes103 = _rt::Vec::from_raw_parts(
                                        l101.cast(),
                                        len103,
                                        len103,
                                    );
                                    (_rt::string_lift(bytes100), _rt::string_lift(bytes103))
                                };
                                result104.push(e104);
                            }
                            _rt::cabi_dealloc(
                                base104,
                                len104 * (4 * ::core::mem::size_of::<*const u8>()),
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
                                unix_ms: l86 as u64,
                                labels: result95,
                                attributes: result104,
                            })
                        };
                        _rt::cabi_dealloc(
                            arg0,
                            48 + 48 * ::core::mem::size_of::<*const u8>(),
                            8,
                        );
                        let ptr106 = (&raw mut _RET_AREA.0).cast::<u8>();
                        match result105 {
                            Ok(e) => {
                                *ptr106.add(0).cast::<u8>() = (0i32) as u8;
                                let LabelledResolution {
                                    resolution: resolution107,
                                    label: label107,
                                } = e;
                                match resolution107 {
                                    Resolution::Abstain => {
                                        *ptr106.add(8).cast::<u8>() = (0i32) as u8;
                                    }
                                    Resolution::Serve(e) => {
                                        *ptr106.add(8).cast::<u8>() = (1i32) as u8;
                                        let Selection {
                                            candidates: candidates108,
                                            else_next: else_next108,
                                            profile: profile108,
                                        } = e;
                                        let vec120 = candidates108;
                                        let len120 = vec120.len();
                                        let layout120 = _rt::alloc::Layout::from_size_align(
                                                vec120.len() * (8 * ::core::mem::size_of::<*const u8>()),
                                                ::core::mem::size_of::<*const u8>(),
                                            )
                                            .unwrap();
                                        let (result120, _cleanup120) = wit_bindgen::rt::Cleanup::new(
                                            layout120,
                                        );
                                        if let Some(cleanup) = _cleanup120 {
                                            cleanup.forget();
                                        }
                                        for (i, e) in vec120.into_iter().enumerate() {
                                            let base = result120
                                                .add(i * (8 * ::core::mem::size_of::<*const u8>()));
                                            {
                                                match e {
                                                    Candidate::File(e) => {
                                                        *base.add(0).cast::<u8>() = (0i32) as u8;
                                                        let super::super::super::super::__with_name0::Target {
                                                            root: root109,
                                                            path: path109,
                                                        } = e;
                                                        let vec110 = (root109.into_bytes()).into_boxed_slice();
                                                        let ptr110 = vec110.as_ptr().cast::<u8>();
                                                        let len110 = vec110.len();
                                                        ::core::mem::forget(vec110);
                                                        *base
                                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>() = len110;
                                                        *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>() = ptr110.cast_mut();
                                                        let vec111 = (path109.into_bytes()).into_boxed_slice();
                                                        let ptr111 = vec111.as_ptr().cast::<u8>();
                                                        let len111 = vec111.len();
                                                        ::core::mem::forget(vec111);
                                                        *base
                                                            .add(4 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>() = len111;
                                                        *base
                                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>() = ptr111.cast_mut();
                                                    }
                                                    Candidate::Content(e) => {
                                                        *base.add(0).cast::<u8>() = (1i32) as u8;
                                                        let super::super::super::super::__with_name1::Content {
                                                            name: name112,
                                                            data: data112,
                                                            attributes: attributes112,
                                                        } = e;
                                                        match name112 {
                                                            Some(e) => {
                                                                *base
                                                                    .add(::core::mem::size_of::<*const u8>())
                                                                    .cast::<u8>() = (1i32) as u8;
                                                                let vec113 = (e.into_bytes()).into_boxed_slice();
                                                                let ptr113 = vec113.as_ptr().cast::<u8>();
                                                                let len113 = vec113.len();
                                                                ::core::mem::forget(vec113);
                                                                *base
                                                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<usize>() = len113;
                                                                *base
                                                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<*mut u8>() = ptr113.cast_mut();
                                                            }
                                                            None => {
                                                                *base
                                                                    .add(::core::mem::size_of::<*const u8>())
                                                                    .cast::<u8>() = (0i32) as u8;
                                                            }
                                                        };
                                                        let vec114 = <_ as Into<_rt::Vec<_>>>::into(data112)
                                                            .into_boxed_slice();
                                                        let ptr114 = vec114.as_ptr().cast::<u8>();
                                                        let len114 = vec114.len();
                                                        ::core::mem::forget(vec114);
                                                        *base
                                                            .add(5 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>() = len114;
                                                        *base
                                                            .add(4 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>() = ptr114.cast_mut();
                                                        let vec118 = attributes112;
                                                        let len118 = vec118.len();
                                                        let layout118 = _rt::alloc::Layout::from_size_align(
                                                                vec118.len() * (4 * ::core::mem::size_of::<*const u8>()),
                                                                ::core::mem::size_of::<*const u8>(),
                                                            )
                                                            .unwrap();
                                                        let (result118, _cleanup118) = wit_bindgen::rt::Cleanup::new(
                                                            layout118,
                                                        );
                                                        if let Some(cleanup) = _cleanup118 {
                                                            cleanup.forget();
                                                        }
                                                        for (i, e) in vec118.into_iter().enumerate() {
                                                            let base = result118
                                                                .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                                            {
                                                                let (t115_0, t115_1) = e;
                                                                let vec116 = (t115_0.into_bytes()).into_boxed_slice();
                                                                let ptr116 = vec116.as_ptr().cast::<u8>();
                                                                let len116 = vec116.len();
                                                                ::core::mem::forget(vec116);
                                                                *base
                                                                    .add(::core::mem::size_of::<*const u8>())
                                                                    .cast::<usize>() = len116;
                                                                *base.add(0).cast::<*mut u8>() = ptr116.cast_mut();
                                                                let vec117 = (t115_1.into_bytes()).into_boxed_slice();
                                                                let ptr117 = vec117.as_ptr().cast::<u8>();
                                                                let len117 = vec117.len();
                                                                ::core::mem::forget(vec117);
                                                                *base
                                                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<usize>() = len117;
                                                                *base
                                                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<*mut u8>() = ptr117.cast_mut();
                                                            }
                                                        }
                                                        *base
                                                            .add(7 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>() = len118;
                                                        *base
                                                            .add(6 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>() = result118;
                                                    }
                                                    Candidate::Rendering(e) => {
                                                        *base.add(0).cast::<u8>() = (2i32) as u8;
                                                        let vec119 = (e.into_bytes()).into_boxed_slice();
                                                        let ptr119 = vec119.as_ptr().cast::<u8>();
                                                        let len119 = vec119.len();
                                                        ::core::mem::forget(vec119);
                                                        *base
                                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>() = len119;
                                                        *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>() = ptr119.cast_mut();
                                                    }
                                                }
                                            }
                                        }
                                        *ptr106
                                            .add(16 + 1 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len120;
                                        *ptr106.add(16).cast::<*mut u8>() = result120;
                                        *ptr106
                                            .add(16 + 2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<u8>() = (match else_next108 {
                                            true => 1,
                                            false => 0,
                                        }) as u8;
                                        match profile108 {
                                            Some(e) => {
                                                *ptr106
                                                    .add(24 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (1i32) as u8;
                                                let super::super::super::super::__with_name0::Profile {
                                                    ceilings: ceilings121,
                                                    floors: floors121,
                                                    overrides: overrides121,
                                                    max_size: max_size121,
                                                    burst: burst121,
                                                    rate: rate121,
                                                    refuse_options: refuse_options121,
                                                    attributes: attributes121,
                                                } = e;
                                                let super::super::super::super::__with_name0::SessionValues {
                                                    blksize: blksize122,
                                                    windowsize: windowsize122,
                                                    timeout: timeout122,
                                                } = ceilings121;
                                                match blksize122 {
                                                    Some(e) => {
                                                        *ptr106
                                                            .add(32 + 2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<u8>() = (1i32) as u8;
                                                        *ptr106
                                                            .add(34 + 2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<u16>() = (_rt::as_i32(e)) as u16;
                                                    }
                                                    None => {
                                                        *ptr106
                                                            .add(32 + 2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<u8>() = (0i32) as u8;
                                                    }
                                                };
                                                match windowsize122 {
                                                    Some(e) => {
                                                        *ptr106
                                                            .add(36 + 2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<u8>() = (1i32) as u8;
                                                        *ptr106
                                                            .add(38 + 2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<u16>() = (_rt::as_i32(e)) as u16;
                                                    }
                                                    None => {
                                                        *ptr106
                                                            .add(36 + 2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<u8>() = (0i32) as u8;
                                                    }
                                                };
                                                match timeout122 {
                                                    Some(e) => {
                                                        *ptr106
                                                            .add(40 + 2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<u8>() = (1i32) as u8;
                                                        *ptr106
                                                            .add(41 + 2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<u8>() = (_rt::as_i32(e)) as u8;
                                                    }
                                                    None => {
                                                        *ptr106
                                                            .add(40 + 2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<u8>() = (0i32) as u8;
                                                    }
                                                };
                                                let super::super::super::super::__with_name0::SessionValues {
                                                    blksize: blksize123,
                                                    windowsize: windowsize123,
                                                    timeout: timeout123,
                                                } = floors121;
                                                match blksize123 {
                                                    Some(e) => {
                                                        *ptr106
                                                            .add(42 + 2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<u8>() = (1i32) as u8;
                                                        *ptr106
                                                            .add(44 + 2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<u16>() = (_rt::as_i32(e)) as u16;
                                                    }
                                                    None => {
                                                        *ptr106
                                                            .add(42 + 2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<u8>() = (0i32) as u8;
                                                    }
                                                };
                                                match windowsize123 {
                                                    Some(e) => {
                                                        *ptr106
                                                            .add(46 + 2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<u8>() = (1i32) as u8;
                                                        *ptr106
                                                            .add(48 + 2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<u16>() = (_rt::as_i32(e)) as u16;
                                                    }
                                                    None => {
                                                        *ptr106
                                                            .add(46 + 2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<u8>() = (0i32) as u8;
                                                    }
                                                };
                                                match timeout123 {
                                                    Some(e) => {
                                                        *ptr106
                                                            .add(50 + 2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<u8>() = (1i32) as u8;
                                                        *ptr106
                                                            .add(51 + 2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<u8>() = (_rt::as_i32(e)) as u8;
                                                    }
                                                    None => {
                                                        *ptr106
                                                            .add(50 + 2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<u8>() = (0i32) as u8;
                                                    }
                                                };
                                                let super::super::super::super::__with_name0::SessionValues {
                                                    blksize: blksize124,
                                                    windowsize: windowsize124,
                                                    timeout: timeout124,
                                                } = overrides121;
                                                match blksize124 {
                                                    Some(e) => {
                                                        *ptr106
                                                            .add(52 + 2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<u8>() = (1i32) as u8;
                                                        *ptr106
                                                            .add(54 + 2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<u16>() = (_rt::as_i32(e)) as u16;
                                                    }
                                                    None => {
                                                        *ptr106
                                                            .add(52 + 2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<u8>() = (0i32) as u8;
                                                    }
                                                };
                                                match windowsize124 {
                                                    Some(e) => {
                                                        *ptr106
                                                            .add(56 + 2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<u8>() = (1i32) as u8;
                                                        *ptr106
                                                            .add(58 + 2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<u16>() = (_rt::as_i32(e)) as u16;
                                                    }
                                                    None => {
                                                        *ptr106
                                                            .add(56 + 2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<u8>() = (0i32) as u8;
                                                    }
                                                };
                                                match timeout124 {
                                                    Some(e) => {
                                                        *ptr106
                                                            .add(60 + 2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<u8>() = (1i32) as u8;
                                                        *ptr106
                                                            .add(61 + 2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<u8>() = (_rt::as_i32(e)) as u8;
                                                    }
                                                    None => {
                                                        *ptr106
                                                            .add(60 + 2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<u8>() = (0i32) as u8;
                                                    }
                                                };
                                                match max_size121 {
                                                    Some(e) => {
                                                        *ptr106
                                                            .add(64 + 2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<u8>() = (1i32) as u8;
                                                        *ptr106
                                                            .add(72 + 2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<i64>() = _rt::as_i64(e);
                                                    }
                                                    None => {
                                                        *ptr106
                                                            .add(64 + 2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<u8>() = (0i32) as u8;
                                                    }
                                                };
                                                match burst121 {
                                                    Some(e) => {
                                                        *ptr106
                                                            .add(80 + 2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<u8>() = (1i32) as u8;
                                                        *ptr106
                                                            .add(82 + 2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<u16>() = (_rt::as_i32(e)) as u16;
                                                    }
                                                    None => {
                                                        *ptr106
                                                            .add(80 + 2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<u8>() = (0i32) as u8;
                                                    }
                                                };
                                                match rate121 {
                                                    Some(e) => {
                                                        *ptr106
                                                            .add(88 + 2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<u8>() = (1i32) as u8;
                                                        *ptr106
                                                            .add(96 + 2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<i64>() = _rt::as_i64(e);
                                                    }
                                                    None => {
                                                        *ptr106
                                                            .add(88 + 2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<u8>() = (0i32) as u8;
                                                    }
                                                };
                                                let vec126 = refuse_options121;
                                                let len126 = vec126.len();
                                                let layout126 = _rt::alloc::Layout::from_size_align(
                                                        vec126.len() * (2 * ::core::mem::size_of::<*const u8>()),
                                                        ::core::mem::size_of::<*const u8>(),
                                                    )
                                                    .unwrap();
                                                let (result126, _cleanup126) = wit_bindgen::rt::Cleanup::new(
                                                    layout126,
                                                );
                                                if let Some(cleanup) = _cleanup126 {
                                                    cleanup.forget();
                                                }
                                                for (i, e) in vec126.into_iter().enumerate() {
                                                    let base = result126
                                                        .add(i * (2 * ::core::mem::size_of::<*const u8>()));
                                                    {
                                                        let vec125 = (e.into_bytes()).into_boxed_slice();
                                                        let ptr125 = vec125.as_ptr().cast::<u8>();
                                                        let len125 = vec125.len();
                                                        ::core::mem::forget(vec125);
                                                        *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>() = len125;
                                                        *base.add(0).cast::<*mut u8>() = ptr125.cast_mut();
                                                    }
                                                }
                                                *ptr106
                                                    .add(104 + 3 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>() = len126;
                                                *ptr106
                                                    .add(104 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>() = result126;
                                                let vec130 = attributes121;
                                                let len130 = vec130.len();
                                                let layout130 = _rt::alloc::Layout::from_size_align(
                                                        vec130.len() * (4 * ::core::mem::size_of::<*const u8>()),
                                                        ::core::mem::size_of::<*const u8>(),
                                                    )
                                                    .unwrap();
                                                let (result130, _cleanup130) = wit_bindgen::rt::Cleanup::new(
                                                    layout130,
                                                );
                                                if let Some(cleanup) = _cleanup130 {
                                                    cleanup.forget();
                                                }
                                                for (i, e) in vec130.into_iter().enumerate() {
                                                    let base = result130
                                                        .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                                    {
                                                        let (t127_0, t127_1) = e;
                                                        let vec128 = (t127_0.into_bytes()).into_boxed_slice();
                                                        let ptr128 = vec128.as_ptr().cast::<u8>();
                                                        let len128 = vec128.len();
                                                        ::core::mem::forget(vec128);
                                                        *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>() = len128;
                                                        *base.add(0).cast::<*mut u8>() = ptr128.cast_mut();
                                                        let vec129 = (t127_1.into_bytes()).into_boxed_slice();
                                                        let ptr129 = vec129.as_ptr().cast::<u8>();
                                                        let len129 = vec129.len();
                                                        ::core::mem::forget(vec129);
                                                        *base
                                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>() = len129;
                                                        *base
                                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>() = ptr129.cast_mut();
                                                    }
                                                }
                                                *ptr106
                                                    .add(104 + 5 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>() = len130;
                                                *ptr106
                                                    .add(104 + 4 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>() = result130;
                                            }
                                            None => {
                                                *ptr106
                                                    .add(24 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (0i32) as u8;
                                            }
                                        };
                                    }
                                    Resolution::Deny(e) => {
                                        *ptr106.add(8).cast::<u8>() = (2i32) as u8;
                                        let super::super::super::super::__with_name0::Denial {
                                            code: code131,
                                            message: message131,
                                            reason: reason131,
                                        } = e;
                                        *ptr106.add(16).cast::<u8>() = (code131.clone() as i32)
                                            as u8;
                                        let vec132 = (message131.into_bytes()).into_boxed_slice();
                                        let ptr132 = vec132.as_ptr().cast::<u8>();
                                        let len132 = vec132.len();
                                        ::core::mem::forget(vec132);
                                        *ptr106
                                            .add(16 + 2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len132;
                                        *ptr106
                                            .add(16 + 1 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>() = ptr132.cast_mut();
                                        let vec133 = (reason131.into_bytes()).into_boxed_slice();
                                        let ptr133 = vec133.as_ptr().cast::<u8>();
                                        let len133 = vec133.len();
                                        ::core::mem::forget(vec133);
                                        *ptr106
                                            .add(16 + 4 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len133;
                                        *ptr106
                                            .add(16 + 3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>() = ptr133.cast_mut();
                                    }
                                    Resolution::Drop(e) => {
                                        *ptr106.add(8).cast::<u8>() = (3i32) as u8;
                                        let vec134 = (e.into_bytes()).into_boxed_slice();
                                        let ptr134 = vec134.as_ptr().cast::<u8>();
                                        let len134 = vec134.len();
                                        ::core::mem::forget(vec134);
                                        *ptr106
                                            .add(16 + 1 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len134;
                                        *ptr106.add(16).cast::<*mut u8>() = ptr134.cast_mut();
                                    }
                                }
                                match label107 {
                                    Some(e) => {
                                        *ptr106
                                            .add(104 + 6 * ::core::mem::size_of::<*const u8>())
                                            .cast::<u8>() = (1i32) as u8;
                                        let vec135 = (e.into_bytes()).into_boxed_slice();
                                        let ptr135 = vec135.as_ptr().cast::<u8>();
                                        let len135 = vec135.len();
                                        ::core::mem::forget(vec135);
                                        *ptr106
                                            .add(104 + 8 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len135;
                                        *ptr106
                                            .add(104 + 7 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>() = ptr135.cast_mut();
                                    }
                                    None => {
                                        *ptr106
                                            .add(104 + 6 * ::core::mem::size_of::<*const u8>())
                                            .cast::<u8>() = (0i32) as u8;
                                    }
                                };
                            }
                            Err(e) => {
                                *ptr106.add(0).cast::<u8>() = (1i32) as u8;
                                let vec136 = (e.into_bytes()).into_boxed_slice();
                                let ptr136 = vec136.as_ptr().cast::<u8>();
                                let len136 = vec136.len();
                                ::core::mem::forget(vec136);
                                *ptr106
                                    .add(8 + 1 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len136;
                                *ptr106.add(8).cast::<*mut u8>() = ptr136.cast_mut();
                            }
                        };
                        ptr106
                    }
                }
                #[doc(hidden)]
                #[allow(non_snake_case)]
                pub unsafe fn __post_return_resolve<T_: Guest>(arg0: *mut u8) {
                    unsafe {
                        let l0 = i32::from(*arg0.add(0).cast::<u8>());
                        match l0 {
                            0 => {
                                let l1 = i32::from(*arg0.add(8).cast::<u8>());
                                match l1 {
                                    0 => {}
                                    1 => {
                                        let l2 = *arg0.add(16).cast::<*mut u8>();
                                        let l3 = *arg0
                                            .add(16 + 1 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        let base24 = l2;
                                        let len24 = l3;
                                        for i in 0..len24 {
                                            let base = base24
                                                .add(i * (8 * ::core::mem::size_of::<*const u8>()));
                                            {
                                                let l4 = i32::from(*base.add(0).cast::<u8>());
                                                match l4 {
                                                    0 => {
                                                        let l5 = *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>();
                                                        let l6 = *base
                                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        _rt::cabi_dealloc(l5, l6, 1);
                                                        let l7 = *base
                                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>();
                                                        let l8 = *base
                                                            .add(4 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        _rt::cabi_dealloc(l7, l8, 1);
                                                    }
                                                    1 => {
                                                        let l9 = i32::from(
                                                            *base.add(::core::mem::size_of::<*const u8>()).cast::<u8>(),
                                                        );
                                                        match l9 {
                                                            0 => {}
                                                            _ => {
                                                                let l10 = *base
                                                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<*mut u8>();
                                                                let l11 = *base
                                                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<usize>();
                                                                _rt::cabi_dealloc(l10, l11, 1);
                                                            }
                                                        }
                                                        let l12 = *base
                                                            .add(4 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>();
                                                        let l13 = *base
                                                            .add(5 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let base14 = l12;
                                                        let len14 = l13;
                                                        _rt::cabi_dealloc(base14, len14 * 1, 1);
                                                        let l15 = *base
                                                            .add(6 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>();
                                                        let l16 = *base
                                                            .add(7 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        let base21 = l15;
                                                        let len21 = l16;
                                                        for i in 0..len21 {
                                                            let base = base21
                                                                .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                                            {
                                                                let l17 = *base.add(0).cast::<*mut u8>();
                                                                let l18 = *base
                                                                    .add(::core::mem::size_of::<*const u8>())
                                                                    .cast::<usize>();
                                                                _rt::cabi_dealloc(l17, l18, 1);
                                                                let l19 = *base
                                                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<*mut u8>();
                                                                let l20 = *base
                                                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                                                    .cast::<usize>();
                                                                _rt::cabi_dealloc(l19, l20, 1);
                                                            }
                                                        }
                                                        _rt::cabi_dealloc(
                                                            base21,
                                                            len21 * (4 * ::core::mem::size_of::<*const u8>()),
                                                            ::core::mem::size_of::<*const u8>(),
                                                        );
                                                    }
                                                    _ => {
                                                        let l22 = *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>();
                                                        let l23 = *base
                                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        _rt::cabi_dealloc(l22, l23, 1);
                                                    }
                                                }
                                            }
                                        }
                                        _rt::cabi_dealloc(
                                            base24,
                                            len24 * (8 * ::core::mem::size_of::<*const u8>()),
                                            ::core::mem::size_of::<*const u8>(),
                                        );
                                        let l25 = i32::from(
                                            *arg0
                                                .add(24 + 2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<u8>(),
                                        );
                                        match l25 {
                                            0 => {}
                                            _ => {
                                                let l26 = *arg0
                                                    .add(104 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l27 = *arg0
                                                    .add(104 + 3 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let base30 = l26;
                                                let len30 = l27;
                                                for i in 0..len30 {
                                                    let base = base30
                                                        .add(i * (2 * ::core::mem::size_of::<*const u8>()));
                                                    {
                                                        let l28 = *base.add(0).cast::<*mut u8>();
                                                        let l29 = *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        _rt::cabi_dealloc(l28, l29, 1);
                                                    }
                                                }
                                                _rt::cabi_dealloc(
                                                    base30,
                                                    len30 * (2 * ::core::mem::size_of::<*const u8>()),
                                                    ::core::mem::size_of::<*const u8>(),
                                                );
                                                let l31 = *arg0
                                                    .add(104 + 4 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l32 = *arg0
                                                    .add(104 + 5 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                let base37 = l31;
                                                let len37 = l32;
                                                for i in 0..len37 {
                                                    let base = base37
                                                        .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                                    {
                                                        let l33 = *base.add(0).cast::<*mut u8>();
                                                        let l34 = *base
                                                            .add(::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        _rt::cabi_dealloc(l33, l34, 1);
                                                        let l35 = *base
                                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<*mut u8>();
                                                        let l36 = *base
                                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                                            .cast::<usize>();
                                                        _rt::cabi_dealloc(l35, l36, 1);
                                                    }
                                                }
                                                _rt::cabi_dealloc(
                                                    base37,
                                                    len37 * (4 * ::core::mem::size_of::<*const u8>()),
                                                    ::core::mem::size_of::<*const u8>(),
                                                );
                                            }
                                        }
                                    }
                                    2 => {
                                        let l38 = *arg0
                                            .add(16 + 1 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>();
                                        let l39 = *arg0
                                            .add(16 + 2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        _rt::cabi_dealloc(l38, l39, 1);
                                        let l40 = *arg0
                                            .add(16 + 3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>();
                                        let l41 = *arg0
                                            .add(16 + 4 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        _rt::cabi_dealloc(l40, l41, 1);
                                    }
                                    _ => {
                                        let l42 = *arg0.add(16).cast::<*mut u8>();
                                        let l43 = *arg0
                                            .add(16 + 1 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        _rt::cabi_dealloc(l42, l43, 1);
                                    }
                                }
                                let l44 = i32::from(
                                    *arg0
                                        .add(104 + 6 * ::core::mem::size_of::<*const u8>())
                                        .cast::<u8>(),
                                );
                                match l44 {
                                    0 => {}
                                    _ => {
                                        let l45 = *arg0
                                            .add(104 + 7 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>();
                                        let l46 = *arg0
                                            .add(104 + 8 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        _rt::cabi_dealloc(l45, l46, 1);
                                    }
                                }
                            }
                            _ => {
                                let l47 = *arg0.add(8).cast::<*mut u8>();
                                let l48 = *arg0
                                    .add(8 + 1 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                _rt::cabi_dealloc(l47, l48, 1);
                            }
                        }
                    }
                }
                pub trait Guest {
                    #[allow(async_fn_in_trait)]
                    fn resolve(
                        request: Request,
                    ) -> ::core::result::Result<LabelledResolution, _rt::String>;
                }
                #[doc(hidden)]
                #[macro_export]
                macro_rules! __export_tuffet_policy_resolve_1_0_0_cabi {
                    ($ty:ident with_types_in $($path_to_types:tt)*) => {
                        const _ : () = { #[unsafe (export_name =
                        "tuffet:policy/resolve@1.0.0#resolve")] unsafe extern "C" fn
                        export_resolve(arg0 : * mut u8,) -> * mut u8 { unsafe {
                        $($path_to_types)*:: _export_resolve_cabi::<$ty > (arg0) } }
                        #[unsafe (export_name =
                        "cabi_post_tuffet:policy/resolve@1.0.0#resolve")] unsafe extern
                        "C" fn _post_return_resolve(arg0 : * mut u8,) { unsafe {
                        $($path_to_types)*:: __post_return_resolve::<$ty > (arg0) } } };
                    };
                }
                #[doc(hidden)]
                pub use __export_tuffet_policy_resolve_1_0_0_cabi;
                #[repr(align(8))]
                struct _RetArea(
                    [::core::mem::MaybeUninit<
                        u8,
                    >; 112 + 8 * ::core::mem::size_of::<*const u8>()],
                );
                static mut _RET_AREA: _RetArea = _RetArea(
                    [::core::mem::MaybeUninit::uninit(); 112
                        + 8 * ::core::mem::size_of::<*const u8>()],
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
        exports::tuffet::policy::resolve::__export_tuffet_policy_resolve_1_0_0_cabi!($ty
        with_types_in $($path_to_types_root)*:: exports::tuffet::policy::resolve); const
        _ : () = { #[cfg(target_arch = "wasm32")] #[unsafe (link_section =
        "component-type:wit-bindgen:0.61.1:tuffet:sdk:resolve:imports and exports")]
        #[doc(hidden)] #[allow(clippy::octal_escapes)] pub static
        __WIT_BINDGEN_COMPONENT_TYPE : [u8; 1576] = *
        b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xaa\x0b\x01A\x02\x01\
A\x0b\x01B,\x01m\x02\x04read\x05write\x04\0\x09operation\x03\0\0\x01m\x02\x05oct\
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
\0*\x03\0\x19tuffet:policy/types@1.0.0\x05\0\x01B\x06\x01ks\x01p}\x01o\x02ss\x01\
p\x02\x01r\x03\x04name\0\x04data\x01\x0aattributes\x03\x04\0\x07content\x03\0\x04\
\x03\0\x1ctuffet:policy/contents@1.0.0\x05\x01\x02\x03\0\0\x07request\x02\x03\0\0\
\x06denial\x02\x03\0\0\x07profile\x02\x03\0\0\x06target\x02\x03\0\x01\x07content\
\x01B\x18\x02\x03\x02\x01\x02\x04\0\x07request\x03\0\0\x02\x03\x02\x01\x03\x04\0\
\x06denial\x03\0\x02\x02\x03\x02\x01\x04\x04\0\x07profile\x03\0\x04\x02\x03\x02\x01\
\x05\x04\0\x06target\x03\0\x06\x02\x03\x02\x01\x06\x04\0\x07content\x03\0\x08\x01\
q\x03\x04file\x01\x07\0\x07content\x01\x09\0\x09rendering\x01s\0\x04\0\x09candid\
ate\x03\0\x0a\x01p\x0b\x01k\x05\x01r\x03\x0acandidates\x0c\x09else-next\x7f\x07p\
rofile\x0d\x04\0\x09selection\x03\0\x0e\x01q\x04\x07abstain\0\0\x05serve\x01\x0f\
\0\x04deny\x01\x03\0\x04drop\x01s\0\x04\0\x0aresolution\x03\0\x10\x01ks\x01r\x02\
\x0aresolution\x11\x05label\x12\x04\0\x13labelled-resolution\x03\0\x13\x01j\x01\x14\
\x01s\x01@\x01\x07request\x01\0\x15\x04\0\x07resolve\x01\x16\x04\0\x1btuffet:pol\
icy/resolve@1.0.0\x05\x07\x04\0\x12tuffet:sdk/resolve\x04\0\x0b\x0d\x01\0\x07res\
olve\x03\0\0\0G\x09producers\x01\x0cprocessed-by\x02\x0dwit-component\x070.258.3\
\x10wit-bindgen-rust\x060.61.1";
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
pub static __WIT_BINDGEN_COMPONENT_TYPE: [u8; 1217] = *b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xa3\x08\x01A\x02\x01\
A\x04\x01B,\x01m\x02\x04read\x05write\x04\0\x09operation\x03\0\0\x01m\x02\x05oct\
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
\0*\x03\0\x19tuffet:policy/types@1.0.0\x05\0\x01B\x06\x01ks\x01p}\x01o\x02ss\x01\
p\x02\x01r\x03\x04name\0\x04data\x01\x0aattributes\x03\x04\0\x07content\x03\0\x04\
\x03\0\x1ctuffet:policy/contents@1.0.0\x05\x01\x04\02tuffet:sdk/resolve-with-all\
-of-its-exports-removed\x04\0\x0b-\x01\0'resolve-with-all-of-its-exports-removed\
\x03\0\0\0G\x09producers\x01\x0cprocessed-by\x02\x0dwit-component\x070.258.3\x10\
wit-bindgen-rust\x060.61.1";
#[inline(never)]
#[doc(hidden)]
pub fn __link_custom_section_describing_imports() {
    wit_bindgen::rt::maybe_link_cabi_realloc();
}
