#[allow(unfulfilled_lint_expectations, unused_imports)]
use crate::bindings::types::tuffet::policy::types as __with_name0;
#[allow(dead_code, clippy::all)]
pub mod exports {
    pub mod tuffet {
        pub mod policy {
            /// May this upload become visible?
            #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
            pub mod accept_upload {
                #[used]
                #[doc(hidden)]
                static __FORCE_SECTION_REF: fn() = super::super::super::super::__link_custom_section_describing_imports;
                use super::super::super::super::_rt;
                pub type Request = super::super::super::super::__with_name0::Request;
                pub type Denial = super::super::super::super::__with_name0::Denial;
                /// A complete upload: on disk, under a temporary name.
                #[derive(Clone, Eq, PartialEq)]
                pub struct Upload {
                    /// The name of the root that it goes to.
                    pub root: _rt::String,
                    /// The path in that root, under which it becomes visible when it is accepted as it is.
                    pub path: _rt::String,
                    /// The size of the file in bytes. Differs from what was on the wire in netascii mode.
                    pub size: u64,
                    /// The SHA-256 digest of the file: 64 lower-case hexadecimal digits.
                    pub sha256: _rt::String,
                    /// Facts that later versions add.
                    pub attributes: _rt::Vec<(_rt::String, _rt::String)>,
                }
                impl ::core::fmt::Debug for Upload {
                    fn fmt(
                        &self,
                        f: &mut ::core::fmt::Formatter<'_>,
                    ) -> ::core::fmt::Result {
                        f.debug_struct("Upload")
                            .field("root", &self.root)
                            .field("path", &self.path)
                            .field("size", &self.size)
                            .field("sha256", &self.sha256)
                            .field("attributes", &self.attributes)
                            .finish()
                    }
                }
                #[derive(Clone, Eq, PartialEq)]
                pub struct Destination {
                    /// A path in the root of the upload, whose folder exists.
                    pub path: _rt::String,
                    /// If there is such a file already, the upload gets the first free one of the names `PATH.1` to `PATH.999`; without
                    /// this, the root's rule on replacing files holds as for any upload.
                    pub next_free: bool,
                }
                impl ::core::fmt::Debug for Destination {
                    fn fmt(
                        &self,
                        f: &mut ::core::fmt::Formatter<'_>,
                    ) -> ::core::fmt::Result {
                        f.debug_struct("Destination")
                            .field("path", &self.path)
                            .field("next-free", &self.next_free)
                            .finish()
                    }
                }
                #[derive(Clone, Eq, PartialEq)]
                pub enum Acceptance {
                    /// No opinion: the next plugin decides; at the end the upload is accepted.
                    Abstain,
                    /// Yes, unless a later plugin of the chain denies.
                    Accept,
                    /// Yes, under this name; the first of a chain counts, unless a later plugin denies.
                    Rename(Destination),
                    /// No: the chain ends, the client gets an ERROR in place of the last ACK, the file is removed.
                    Deny(Denial),
                }
                impl ::core::fmt::Debug for Acceptance {
                    fn fmt(
                        &self,
                        f: &mut ::core::fmt::Formatter<'_>,
                    ) -> ::core::fmt::Result {
                        match self {
                            Acceptance::Abstain => {
                                f.debug_tuple("Acceptance::Abstain").finish()
                            }
                            Acceptance::Accept => {
                                f.debug_tuple("Acceptance::Accept").finish()
                            }
                            Acceptance::Rename(e) => {
                                f.debug_tuple("Acceptance::Rename").field(e).finish()
                            }
                            Acceptance::Deny(e) => {
                                f.debug_tuple("Acceptance::Deny").field(e).finish()
                            }
                        }
                    }
                }
                #[doc(hidden)]
                #[allow(non_snake_case, unused_unsafe)]
                pub unsafe fn _export_accept_upload_cabi<T_: Guest>(
                    arg0: *mut u8,
                ) -> *mut u8 {
                    unsafe {
                        #[cfg(target_arch = "wasm32")] _rt::run_ctors_once();
                        let result124 = {
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
                            let l105 = *arg0
                                .add(48 + 48 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>();
                            let l106 = *arg0
                                .add(48 + 49 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let len107 = l106;
                            let bytes107 = _rt::Vec::from_raw_parts(
                                l105.cast(),
                                len107,
                                len107,
                            );
                            let l108 = *arg0
                                .add(48 + 50 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>();
                            let l109 = *arg0
                                .add(48 + 51 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let len110 = l109;
                            let bytes110 = _rt::Vec::from_raw_parts(
                                l108.cast(),
                                len110,
                                len110,
                            );
                            let l111 = *arg0
                                .add(48 + 52 * ::core::mem::size_of::<*const u8>())
                                .cast::<i64>();
                            let l112 = *arg0
                                .add(56 + 52 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>();
                            let l113 = *arg0
                                .add(56 + 53 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let len114 = l113;
                            let bytes114 = _rt::Vec::from_raw_parts(
                                l112.cast(),
                                len114,
                                len114,
                            );
                            let l115 = *arg0
                                .add(56 + 54 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>();
                            let l116 = *arg0
                                .add(56 + 55 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let base123 = l115;
                            let len123 = l116;
                            let mut result123 = _rt::Vec::with_capacity(len123);
                            for i in 0..len123 {
                                let base = base123
                                    .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                let e123 = {
                                    let l117 = *base.add(0).cast::<*mut u8>();
                                    let l118 = *base
                                        .add(::core::mem::size_of::<*const u8>())
                                        .cast::<usize>();
                                    let len119 = l118;
                                    let bytes119 = _rt::Vec::from_raw_parts(
                                        l117.cast(),
                                        len119,
                                        len119,
                                    );
                                    let l120 = *base
                                        .add(2 * ::core::mem::size_of::<*const u8>())
                                        .cast::<*mut u8>();
                                    let l121 = *base
                                        .add(3 * ::core::mem::size_of::<*const u8>())
                                        .cast::<usize>();
                                    let len122 = l121;
                                    let bytes122 = _rt::Vec::from_raw_parts(
                                        l120.cast(),
                                        len122,
                                        len122,
                                    );
                                    (_rt::string_lift(bytes119), _rt::string_lift(bytes122))
                                };
                                result123.push(e123);
                            }
                            _rt::cabi_dealloc(
                                base123,
                                len123 * (4 * ::core::mem::size_of::<*const u8>()),
                                ::core::mem::size_of::<*const u8>(),
                            );
                            T_::accept_upload(
                                super::super::super::super::__with_name0::Request {
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
                                },
                                Upload {
                                    root: _rt::string_lift(bytes107),
                                    path: _rt::string_lift(bytes110),
                                    size: l111 as u64,
                                    sha256: _rt::string_lift(bytes114),
                                    attributes: result123,
                                },
                            )
                        };
                        _rt::cabi_dealloc(
                            arg0,
                            56 + 56 * ::core::mem::size_of::<*const u8>(),
                            8,
                        );
                        let ptr125 = (&raw mut _RET_AREA.0).cast::<u8>();
                        match result124 {
                            Ok(e) => {
                                *ptr125.add(0).cast::<u8>() = (0i32) as u8;
                                match e {
                                    Acceptance::Abstain => {
                                        *ptr125
                                            .add(::core::mem::size_of::<*const u8>())
                                            .cast::<u8>() = (0i32) as u8;
                                    }
                                    Acceptance::Accept => {
                                        *ptr125
                                            .add(::core::mem::size_of::<*const u8>())
                                            .cast::<u8>() = (1i32) as u8;
                                    }
                                    Acceptance::Rename(e) => {
                                        *ptr125
                                            .add(::core::mem::size_of::<*const u8>())
                                            .cast::<u8>() = (2i32) as u8;
                                        let Destination {
                                            path: path126,
                                            next_free: next_free126,
                                        } = e;
                                        let vec127 = (path126.into_bytes()).into_boxed_slice();
                                        let ptr127 = vec127.as_ptr().cast::<u8>();
                                        let len127 = vec127.len();
                                        ::core::mem::forget(vec127);
                                        *ptr125
                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len127;
                                        *ptr125
                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>() = ptr127.cast_mut();
                                        *ptr125
                                            .add(4 * ::core::mem::size_of::<*const u8>())
                                            .cast::<u8>() = (match next_free126 {
                                            true => 1,
                                            false => 0,
                                        }) as u8;
                                    }
                                    Acceptance::Deny(e) => {
                                        *ptr125
                                            .add(::core::mem::size_of::<*const u8>())
                                            .cast::<u8>() = (3i32) as u8;
                                        let super::super::super::super::__with_name0::Denial {
                                            code: code128,
                                            message: message128,
                                            reason: reason128,
                                        } = e;
                                        *ptr125
                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<u8>() = (code128.clone() as i32) as u8;
                                        let vec129 = (message128.into_bytes()).into_boxed_slice();
                                        let ptr129 = vec129.as_ptr().cast::<u8>();
                                        let len129 = vec129.len();
                                        ::core::mem::forget(vec129);
                                        *ptr125
                                            .add(4 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len129;
                                        *ptr125
                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>() = ptr129.cast_mut();
                                        let vec130 = (reason128.into_bytes()).into_boxed_slice();
                                        let ptr130 = vec130.as_ptr().cast::<u8>();
                                        let len130 = vec130.len();
                                        ::core::mem::forget(vec130);
                                        *ptr125
                                            .add(6 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len130;
                                        *ptr125
                                            .add(5 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>() = ptr130.cast_mut();
                                    }
                                }
                            }
                            Err(e) => {
                                *ptr125.add(0).cast::<u8>() = (1i32) as u8;
                                let vec131 = (e.into_bytes()).into_boxed_slice();
                                let ptr131 = vec131.as_ptr().cast::<u8>();
                                let len131 = vec131.len();
                                ::core::mem::forget(vec131);
                                *ptr125
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len131;
                                *ptr125
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = ptr131.cast_mut();
                            }
                        };
                        ptr125
                    }
                }
                #[doc(hidden)]
                #[allow(non_snake_case)]
                pub unsafe fn __post_return_accept_upload<T_: Guest>(arg0: *mut u8) {
                    unsafe {
                        let l0 = i32::from(*arg0.add(0).cast::<u8>());
                        match l0 {
                            0 => {
                                let l1 = i32::from(
                                    *arg0.add(::core::mem::size_of::<*const u8>()).cast::<u8>(),
                                );
                                match l1 {
                                    0 => {}
                                    1 => {}
                                    2 => {
                                        let l2 = *arg0
                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>();
                                        let l3 = *arg0
                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        _rt::cabi_dealloc(l2, l3, 1);
                                    }
                                    _ => {
                                        let l4 = *arg0
                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>();
                                        let l5 = *arg0
                                            .add(4 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        _rt::cabi_dealloc(l4, l5, 1);
                                        let l6 = *arg0
                                            .add(5 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>();
                                        let l7 = *arg0
                                            .add(6 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        _rt::cabi_dealloc(l6, l7, 1);
                                    }
                                }
                            }
                            _ => {
                                let l8 = *arg0
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l9 = *arg0
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                _rt::cabi_dealloc(l8, l9, 1);
                            }
                        }
                    }
                }
                pub trait Guest {
                    #[allow(async_fn_in_trait)]
                    fn accept_upload(
                        request: Request,
                        upload: Upload,
                    ) -> ::core::result::Result<Acceptance, _rt::String>;
                }
                #[doc(hidden)]
                #[macro_export]
                macro_rules! __export_tuffet_policy_accept_upload_1_0_0_cabi {
                    ($ty:ident with_types_in $($path_to_types:tt)*) => {
                        const _ : () = { #[unsafe (export_name =
                        "tuffet:policy/accept-upload@1.0.0#accept-upload")] unsafe extern
                        "C" fn export_accept_upload(arg0 : * mut u8,) -> * mut u8 {
                        unsafe { $($path_to_types)*:: _export_accept_upload_cabi::<$ty >
                        (arg0) } } #[unsafe (export_name =
                        "cabi_post_tuffet:policy/accept-upload@1.0.0#accept-upload")]
                        unsafe extern "C" fn _post_return_accept_upload(arg0 : * mut u8,)
                        { unsafe { $($path_to_types)*:: __post_return_accept_upload::<$ty
                        > (arg0) } } };
                    };
                }
                #[doc(hidden)]
                pub use __export_tuffet_policy_accept_upload_1_0_0_cabi;
                #[cfg_attr(target_pointer_width = "64", repr(align(8)))]
                #[cfg_attr(target_pointer_width = "32", repr(align(4)))]
                struct _RetArea(
                    [::core::mem::MaybeUninit<
                        u8,
                    >; 7 * ::core::mem::size_of::<*const u8>()],
                );
                static mut _RET_AREA: _RetArea = _RetArea(
                    [::core::mem::MaybeUninit::uninit(); 7
                        * ::core::mem::size_of::<*const u8>()],
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
    extern crate alloc as alloc_crate;
    pub use alloc_crate::alloc;
}
/// Generates `#[unsafe(no_mangle)]` functions to export the specified type as
/// the root implementation of all generated traits.
///
/// For more information see the documentation of `wit_bindgen::generate!`.
///
/// ```rust
/// # macro_rules! export_accept_upload{ ($($t:tt)*) => (); }
/// # trait Guest {}
/// struct MyType;
///
/// impl Guest for MyType {
///     // ...
/// }
///
/// export_accept_upload!(MyType);
/// ```
#[allow(unused_macros)]
#[doc(hidden)]
#[macro_export]
macro_rules! __export_accept_upload_impl {
    ($ty:ident) => {
        self::export_accept_upload!($ty with_types_in self);
    };
    ($ty:ident with_types_in $($path_to_types_root:tt)*) => {
        $($path_to_types_root)*::
        exports::tuffet::policy::accept_upload::__export_tuffet_policy_accept_upload_1_0_0_cabi!($ty
        with_types_in $($path_to_types_root)*:: exports::tuffet::policy::accept_upload);
        const _ : () = { #[cfg(target_arch = "wasm32")] #[unsafe (link_section =
        "component-type:wit-bindgen:0.61.1:tuffet:sdk:accept-upload:imports and exports")]
        #[doc(hidden)] #[allow(clippy::octal_escapes)] pub static
        __WIT_BINDGEN_COMPONENT_TYPE : [u8; 1374] = *
        b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xda\x09\x01A\x02\x01\
A\x06\x01B,\x01m\x02\x04read\x05write\x04\0\x09operation\x03\0\0\x01m\x02\x05oct\
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
\0*\x03\0\x19tuffet:policy/types@1.0.0\x05\0\x02\x03\0\0\x07request\x02\x03\0\0\x06\
denial\x01B\x0f\x02\x03\x02\x01\x01\x04\0\x07request\x03\0\0\x02\x03\x02\x01\x02\
\x04\0\x06denial\x03\0\x02\x01o\x02ss\x01p\x04\x01r\x05\x04roots\x04paths\x04siz\
ew\x06sha256s\x0aattributes\x05\x04\0\x06upload\x03\0\x06\x01r\x02\x04paths\x09n\
ext-free\x7f\x04\0\x0bdestination\x03\0\x08\x01q\x04\x07abstain\0\0\x06accept\0\0\
\x06rename\x01\x09\0\x04deny\x01\x03\0\x04\0\x0aacceptance\x03\0\x0a\x01j\x01\x0b\
\x01s\x01@\x02\x07request\x01\x06upload\x07\0\x0c\x04\0\x0daccept-upload\x01\x0d\
\x04\0!tuffet:policy/accept-upload@1.0.0\x05\x03\x04\0\x18tuffet:sdk/accept-uplo\
ad\x04\0\x0b\x13\x01\0\x0daccept-upload\x03\0\0\0G\x09producers\x01\x0cprocessed\
-by\x02\x0dwit-component\x070.258.3\x10wit-bindgen-rust\x060.61.1";
        };
    };
}
#[doc(inline)]
pub use __export_accept_upload_impl as export_accept_upload;
#[cfg(target_arch = "wasm32")]
#[unsafe(
    link_section = "component-type:wit-bindgen:0.61.1:tuffet:sdk:accept-upload-with-all-of-its-exports-removed:encoded world"
)]
#[doc(hidden)]
#[allow(clippy::octal_escapes)]
pub static __WIT_BINDGEN_COMPONENT_TYPE: [u8; 1139] = *b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xcf\x07\x01A\x02\x01\
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
\0*\x03\0\x19tuffet:policy/types@1.0.0\x05\0\x04\08tuffet:sdk/accept-upload-with\
-all-of-its-exports-removed\x04\0\x0b3\x01\0-accept-upload-with-all-of-its-expor\
ts-removed\x03\0\0\0G\x09producers\x01\x0cprocessed-by\x02\x0dwit-component\x070\
.258.3\x10wit-bindgen-rust\x060.61.1";
#[inline(never)]
#[doc(hidden)]
pub fn __link_custom_section_describing_imports() {
    wit_bindgen::rt::maybe_link_cabi_realloc();
}
