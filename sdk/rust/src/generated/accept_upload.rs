#[allow(unfulfilled_lint_expectations, unused_imports)]
use crate::bindings::authorize::tuffet::policy::types as __with_name0;
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
                    /// The size of the file. Differs from what was on the wire in netascii mode.
                    pub bytes: u64,
                    /// The SHA-256 digest of the file: 64 lower-case hexadecimal digits.
                    pub sha256: _rt::String,
                }
                impl ::core::fmt::Debug for Upload {
                    fn fmt(
                        &self,
                        f: &mut ::core::fmt::Formatter<'_>,
                    ) -> ::core::fmt::Result {
                        f.debug_struct("Upload")
                            .field("root", &self.root)
                            .field("path", &self.path)
                            .field("bytes", &self.bytes)
                            .field("sha256", &self.sha256)
                            .finish()
                    }
                }
                #[derive(Clone, Eq, PartialEq)]
                pub enum Acceptance {
                    /// No opinion: the next plugin decides; at the end the upload is accepted.
                    Abstain,
                    /// Yes, unless a later plugin of the chain denies.
                    Accept,
                    /// Yes, under this path in the same root, whose folder exists; the first of a chain counts, unless a
                    /// later plugin denies. The root's rule on replacing files holds as for any upload.
                    Rename(_rt::String),
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
                        let result56 = {
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
                                .add(9 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>();
                            let l15 = *arg0
                                .add(10 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let len16 = l15;
                            let bytes16 = _rt::Vec::from_raw_parts(
                                l14.cast(),
                                len16,
                                len16,
                            );
                            let l17 = i32::from(
                                *arg0
                                    .add(11 * ::core::mem::size_of::<*const u8>())
                                    .cast::<u16>(),
                            );
                            let l18 = *arg0
                                .add(12 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>();
                            let l19 = *arg0
                                .add(13 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let base24 = l18;
                            let len24 = l19;
                            let mut result24 = _rt::Vec::with_capacity(len24);
                            for i in 0..len24 {
                                let base = base24
                                    .add(i * (3 * ::core::mem::size_of::<*const u8>()));
                                let e24 = {
                                    let l20 = *base.add(0).cast::<*mut u8>();
                                    let l21 = *base
                                        .add(::core::mem::size_of::<*const u8>())
                                        .cast::<usize>();
                                    let len22 = l21;
                                    let bytes22 = _rt::Vec::from_raw_parts(
                                        l20.cast(),
                                        len22,
                                        len22,
                                    );
                                    let l23 = i32::from(
                                        *base
                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<u8>(),
                                    );
                                    super::super::super::super::__with_name0::Mac {
                                        address: _rt::string_lift(bytes22),
                                        source: super::super::super::super::__with_name0::MacSource::_lift(
                                            l23 as u8,
                                        ),
                                    }
                                };
                                result24.push(e24);
                            }
                            _rt::cabi_dealloc(
                                base24,
                                len24 * (3 * ::core::mem::size_of::<*const u8>()),
                                ::core::mem::size_of::<*const u8>(),
                            );
                            let l25 = *arg0
                                .add(14 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>();
                            let l26 = *arg0
                                .add(15 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let len27 = l26;
                            let bytes27 = _rt::Vec::from_raw_parts(
                                l25.cast(),
                                len27,
                                len27,
                            );
                            let l28 = *arg0
                                .add(16 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>();
                            let l29 = *arg0
                                .add(17 * ::core::mem::size_of::<*const u8>())
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
                                    (_rt::string_lift(bytes32), _rt::string_lift(bytes35))
                                };
                                result36.push(e36);
                            }
                            _rt::cabi_dealloc(
                                base36,
                                len36 * (4 * ::core::mem::size_of::<*const u8>()),
                                ::core::mem::size_of::<*const u8>(),
                            );
                            let l37 = *arg0
                                .add(18 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>();
                            let l38 = *arg0
                                .add(19 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let base45 = l37;
                            let len45 = l38;
                            let mut result45 = _rt::Vec::with_capacity(len45);
                            for i in 0..len45 {
                                let base = base45
                                    .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                let e45 = {
                                    let l39 = *base.add(0).cast::<*mut u8>();
                                    let l40 = *base
                                        .add(::core::mem::size_of::<*const u8>())
                                        .cast::<usize>();
                                    let len41 = l40;
                                    let bytes41 = _rt::Vec::from_raw_parts(
                                        l39.cast(),
                                        len41,
                                        len41,
                                    );
                                    let l42 = *base
                                        .add(2 * ::core::mem::size_of::<*const u8>())
                                        .cast::<*mut u8>();
                                    let l43 = *base
                                        .add(3 * ::core::mem::size_of::<*const u8>())
                                        .cast::<usize>();
                                    let len44 = l43;
                                    let bytes44 = _rt::Vec::from_raw_parts(
                                        l42.cast(),
                                        len44,
                                        len44,
                                    );
                                    (_rt::string_lift(bytes41), _rt::string_lift(bytes44))
                                };
                                result45.push(e45);
                            }
                            _rt::cabi_dealloc(
                                base45,
                                len45 * (4 * ::core::mem::size_of::<*const u8>()),
                                ::core::mem::size_of::<*const u8>(),
                            );
                            let l46 = *arg0
                                .add(20 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>();
                            let l47 = *arg0
                                .add(21 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let len48 = l47;
                            let bytes48 = _rt::Vec::from_raw_parts(
                                l46.cast(),
                                len48,
                                len48,
                            );
                            let l49 = *arg0
                                .add(22 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>();
                            let l50 = *arg0
                                .add(23 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let len51 = l50;
                            let bytes51 = _rt::Vec::from_raw_parts(
                                l49.cast(),
                                len51,
                                len51,
                            );
                            let l52 = *arg0
                                .add(24 * ::core::mem::size_of::<*const u8>())
                                .cast::<i64>();
                            let l53 = *arg0
                                .add(8 + 24 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>();
                            let l54 = *arg0
                                .add(8 + 25 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let len55 = l54;
                            let bytes55 = _rt::Vec::from_raw_parts(
                                l53.cast(),
                                len55,
                                len55,
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
                                        macs: result24,
                                        class: _rt::string_lift(bytes27),
                                    },
                                    options: result36,
                                    attributes: result45,
                                },
                                Upload {
                                    root: _rt::string_lift(bytes48),
                                    path: _rt::string_lift(bytes51),
                                    bytes: l52 as u64,
                                    sha256: _rt::string_lift(bytes55),
                                },
                            )
                        };
                        _rt::cabi_dealloc(
                            arg0,
                            8 + 26 * ::core::mem::size_of::<*const u8>(),
                            8,
                        );
                        let ptr57 = (&raw mut _RET_AREA.0).cast::<u8>();
                        match result56 {
                            Acceptance::Abstain => {
                                *ptr57.add(0).cast::<u8>() = (0i32) as u8;
                            }
                            Acceptance::Accept => {
                                *ptr57.add(0).cast::<u8>() = (1i32) as u8;
                            }
                            Acceptance::Rename(e) => {
                                *ptr57.add(0).cast::<u8>() = (2i32) as u8;
                                let vec58 = (e.into_bytes()).into_boxed_slice();
                                let ptr58 = vec58.as_ptr().cast::<u8>();
                                let len58 = vec58.len();
                                ::core::mem::forget(vec58);
                                *ptr57
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len58;
                                *ptr57
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = ptr58.cast_mut();
                            }
                            Acceptance::Deny(e) => {
                                *ptr57.add(0).cast::<u8>() = (3i32) as u8;
                                let super::super::super::super::__with_name0::Denial {
                                    code: code59,
                                    message: message59,
                                    reason: reason59,
                                } = e;
                                *ptr57
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<u8>() = (code59.clone() as i32) as u8;
                                let vec60 = (message59.into_bytes()).into_boxed_slice();
                                let ptr60 = vec60.as_ptr().cast::<u8>();
                                let len60 = vec60.len();
                                ::core::mem::forget(vec60);
                                *ptr57
                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len60;
                                *ptr57
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = ptr60.cast_mut();
                                let vec61 = (reason59.into_bytes()).into_boxed_slice();
                                let ptr61 = vec61.as_ptr().cast::<u8>();
                                let len61 = vec61.len();
                                ::core::mem::forget(vec61);
                                *ptr57
                                    .add(5 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len61;
                                *ptr57
                                    .add(4 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = ptr61.cast_mut();
                            }
                        }
                        ptr57
                    }
                }
                #[doc(hidden)]
                #[allow(non_snake_case)]
                pub unsafe fn __post_return_accept_upload<T_: Guest>(arg0: *mut u8) {
                    unsafe {
                        let l0 = i32::from(*arg0.add(0).cast::<u8>());
                        match l0 {
                            0 => {}
                            1 => {}
                            2 => {
                                let l1 = *arg0
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l2 = *arg0
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                _rt::cabi_dealloc(l1, l2, 1);
                            }
                            _ => {
                                let l3 = *arg0
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l4 = *arg0
                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                _rt::cabi_dealloc(l3, l4, 1);
                                let l5 = *arg0
                                    .add(4 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l6 = *arg0
                                    .add(5 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                _rt::cabi_dealloc(l5, l6, 1);
                            }
                        }
                    }
                }
                pub trait Guest {
                    #[allow(async_fn_in_trait)]
                    fn accept_upload(request: Request, upload: Upload) -> Acceptance;
                }
                #[doc(hidden)]
                #[macro_export]
                macro_rules! __export_tuffet_policy_accept_upload_0_2_0_cabi {
                    ($ty:ident with_types_in $($path_to_types:tt)*) => {
                        const _ : () = { #[unsafe (export_name =
                        "tuffet:policy/accept-upload@0.2.0#accept-upload")] unsafe extern
                        "C" fn export_accept_upload(arg0 : * mut u8,) -> * mut u8 {
                        unsafe { $($path_to_types)*:: _export_accept_upload_cabi::<$ty >
                        (arg0) } } #[unsafe (export_name =
                        "cabi_post_tuffet:policy/accept-upload@0.2.0#accept-upload")]
                        unsafe extern "C" fn _post_return_accept_upload(arg0 : * mut u8,)
                        { unsafe { $($path_to_types)*:: __post_return_accept_upload::<$ty
                        > (arg0) } } };
                    };
                }
                #[doc(hidden)]
                pub use __export_tuffet_policy_accept_upload_0_2_0_cabi;
                #[cfg_attr(target_pointer_width = "64", repr(align(8)))]
                #[cfg_attr(target_pointer_width = "32", repr(align(4)))]
                struct _RetArea(
                    [::core::mem::MaybeUninit<
                        u8,
                    >; 6 * ::core::mem::size_of::<*const u8>()],
                );
                static mut _RET_AREA: _RetArea = _RetArea(
                    [::core::mem::MaybeUninit::uninit(); 6
                        * ::core::mem::size_of::<*const u8>()],
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
        exports::tuffet::policy::accept_upload::__export_tuffet_policy_accept_upload_0_2_0_cabi!($ty
        with_types_in $($path_to_types_root)*:: exports::tuffet::policy::accept_upload);
        const _ : () = { #[cfg(target_arch = "wasm32")] #[unsafe (link_section =
        "component-type:wit-bindgen:0.61.1:tuffet:sdk:accept-upload:imports and exports")]
        #[doc(hidden)] #[allow(clippy::octal_escapes)] pub static
        __WIT_BINDGEN_COMPONENT_TYPE : [u8; 1114] = *
        b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xd6\x07\x01A\x02\x01\
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
quest\x02\x03\0\0\x06denial\x01B\x0a\x02\x03\x02\x01\x01\x04\0\x07request\x03\0\0\
\x02\x03\x02\x01\x02\x04\0\x06denial\x03\0\x02\x01r\x04\x04roots\x04paths\x05byt\
esw\x06sha256s\x04\0\x06upload\x03\0\x04\x01q\x04\x07abstain\0\0\x06accept\0\0\x06\
rename\x01s\0\x04deny\x01\x03\0\x04\0\x0aacceptance\x03\0\x06\x01@\x02\x07reques\
t\x01\x06upload\x05\0\x07\x04\0\x0daccept-upload\x01\x08\x04\0!tuffet:policy/acc\
ept-upload@0.2.0\x05\x03\x04\0\x18tuffet:sdk/accept-upload\x04\0\x0b\x13\x01\0\x0d\
accept-upload\x03\0\0\0G\x09producers\x01\x0cprocessed-by\x02\x0dwit-component\x07\
0.258.3\x10wit-bindgen-rust\x060.61.1";
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
pub static __WIT_BINDGEN_COMPONENT_TYPE: [u8; 941] = *b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\x89\x06\x01A\x02\x01\
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
\x07profile\x03\0\x1b\x03\0\x19tuffet:policy/types@0.2.0\x05\0\x04\08tuffet:sdk/\
accept-upload-with-all-of-its-exports-removed\x04\0\x0b3\x01\0-accept-upload-wit\
h-all-of-its-exports-removed\x03\0\0\0G\x09producers\x01\x0cprocessed-by\x02\x0d\
wit-component\x070.258.3\x10wit-bindgen-rust\x060.61.1";
#[inline(never)]
#[doc(hidden)]
pub fn __link_custom_section_describing_imports() {
    wit_bindgen::rt::maybe_link_cabi_realloc();
}
