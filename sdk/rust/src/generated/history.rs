#[allow(unfulfilled_lint_expectations, unused_imports)]
use crate::bindings::authorize::tuffet::policy::types as __with_name0;
#[allow(dead_code, clippy::all)]
pub mod tuffet {
    pub mod policy {
        /// What the client of a request asked for before. Grant `client-history`. The host remembers 4096 addresses, since its
        /// start; requests that ended a moment ago may be missing.
        #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
        pub mod history {
            #[used]
            #[doc(hidden)]
            static __FORCE_SECTION_REF: fn() = super::super::super::__link_custom_section_describing_imports;
            use super::super::super::_rt;
            pub type Operation = super::super::super::__with_name0::Operation;
            pub type Outcome = super::super::super::__with_name0::Outcome;
            /// A request that has ended.
            #[derive(Clone, Eq, PartialEq)]
            pub struct PastRequest {
                pub operation: Operation,
                /// The normalised path, or its first 255 bytes.
                pub path: _rt::String,
                pub outcome: Outcome,
                /// Milliseconds since it ended.
                pub ended_ms_ago: u64,
            }
            impl ::core::fmt::Debug for PastRequest {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("PastRequest")
                        .field("operation", &self.operation)
                        .field("path", &self.path)
                        .field("outcome", &self.outcome)
                        .field("ended-ms-ago", &self.ended_ms_ago)
                        .finish()
                }
            }
            #[derive(Clone, Eq, PartialEq)]
            pub enum Error {
                /// Not granted, or called where there is no client: in `configure`, `render` and `observe`.
                Denied(_rt::String),
                /// Out of bounds: the number of calls, counted with those of `kv` and `files`.
                Invalid(_rt::String),
            }
            impl ::core::fmt::Debug for Error {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    match self {
                        Error::Denied(e) => {
                            f.debug_tuple("Error::Denied").field(e).finish()
                        }
                        Error::Invalid(e) => {
                            f.debug_tuple("Error::Invalid").field(e).finish()
                        }
                    }
                }
            }
            impl ::core::error::Error for Error {}
            #[allow(unused_unsafe, clippy::all)]
            /// The last requests from the client's address, newest first, at most 16. The present one is not among them.
            #[allow(async_fn_in_trait)]
            pub fn recent() -> ::core::result::Result<_rt::Vec<PastRequest>, Error> {
                unsafe {
                    #[cfg_attr(target_pointer_width = "64", repr(align(8)))]
                    #[cfg_attr(target_pointer_width = "32", repr(align(4)))]
                    struct RetArea(
                        [::core::mem::MaybeUninit<
                            u8,
                        >; 4 * ::core::mem::size_of::<*const u8>()],
                    );
                    let mut ret_area = RetArea(
                        [::core::mem::MaybeUninit::uninit(); 4
                            * ::core::mem::size_of::<*const u8>()],
                    );
                    let ptr0 = ret_area.0.as_mut_ptr().cast::<u8>();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "tuffet:policy/history@0.2.0")]
                    unsafe extern "C" {
                        #[link_name = "recent"]
                        fn wit_import1(_: *mut u8);
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import1(_: *mut u8) {
                        unreachable!()
                    }
                    wit_import1(ptr0);
                    let l2 = i32::from(*ptr0.add(0).cast::<u8>());
                    let result20 = match l2 {
                        0 => {
                            let e = {
                                let l3 = *ptr0
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l4 = *ptr0
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let base11 = l3;
                                let len11 = l4;
                                let mut result11 = _rt::Vec::with_capacity(len11);
                                for i in 0..len11 {
                                    let base = base11
                                        .add(i * (8 + 4 * ::core::mem::size_of::<*const u8>()));
                                    let e11 = {
                                        let l5 = i32::from(*base.add(0).cast::<u8>());
                                        let l6 = *base
                                            .add(::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>();
                                        let l7 = *base
                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        let len8 = l7;
                                        let bytes8 = _rt::Vec::from_raw_parts(
                                            l6.cast(),
                                            len8,
                                            len8,
                                        );
                                        let l9 = i32::from(
                                            *base
                                                .add(3 * ::core::mem::size_of::<*const u8>())
                                                .cast::<u8>(),
                                        );
                                        let l10 = *base
                                            .add(4 * ::core::mem::size_of::<*const u8>())
                                            .cast::<i64>();
                                        PastRequest {
                                            operation: super::super::super::__with_name0::Operation::_lift(
                                                l5 as u8,
                                            ),
                                            path: _rt::string_lift(bytes8),
                                            outcome: super::super::super::__with_name0::Outcome::_lift(
                                                l9 as u8,
                                            ),
                                            ended_ms_ago: l10 as u64,
                                        }
                                    };
                                    result11.push(e11);
                                }
                                _rt::cabi_dealloc(
                                    base11,
                                    len11 * (8 + 4 * ::core::mem::size_of::<*const u8>()),
                                    8,
                                );
                                result11
                            };
                            Ok(e)
                        }
                        1 => {
                            let e = {
                                let l12 = i32::from(
                                    *ptr0.add(::core::mem::size_of::<*const u8>()).cast::<u8>(),
                                );
                                let v19 = match l12 {
                                    0 => {
                                        let e19 = {
                                            let l13 = *ptr0
                                                .add(2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<*mut u8>();
                                            let l14 = *ptr0
                                                .add(3 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len15 = l14;
                                            let bytes15 = _rt::Vec::from_raw_parts(
                                                l13.cast(),
                                                len15,
                                                len15,
                                            );
                                            _rt::string_lift(bytes15)
                                        };
                                        Error::Denied(e19)
                                    }
                                    n => {
                                        debug_assert_eq!(n, 1, "invalid enum discriminant");
                                        let e19 = {
                                            let l16 = *ptr0
                                                .add(2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<*mut u8>();
                                            let l17 = *ptr0
                                                .add(3 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len18 = l17;
                                            let bytes18 = _rt::Vec::from_raw_parts(
                                                l16.cast(),
                                                len18,
                                                len18,
                                            );
                                            _rt::string_lift(bytes18)
                                        };
                                        Error::Invalid(e19)
                                    }
                                };
                                v19
                            };
                            Err(e)
                        }
                        _ => _rt::invalid_enum_discriminant(),
                    };
                    result20
                }
            }
        }
    }
}
mod _rt {
    #![allow(dead_code, unused_imports, clippy::all)]
    pub use alloc_crate::string::String;
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
    extern crate alloc as alloc_crate;
    pub use alloc_crate::alloc;
}
#[cfg(target_arch = "wasm32")]
#[unsafe(
    link_section = "component-type:wit-bindgen:0.61.1:tuffet:sdk:history:encoded world"
)]
#[doc(hidden)]
#[allow(clippy::octal_escapes)]
pub static __WIT_BINDGEN_COMPONENT_TYPE: [u8; 1085] = *b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xbf\x07\x01A\x02\x01\
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
\x07profile\x03\0\x1b\x03\0\x19tuffet:policy/types@0.2.0\x05\0\x02\x03\0\0\x09op\
eration\x02\x03\0\0\x07outcome\x01B\x0c\x02\x03\x02\x01\x01\x04\0\x09operation\x03\
\0\0\x02\x03\x02\x01\x02\x04\0\x07outcome\x03\0\x02\x01r\x04\x09operation\x01\x04\
paths\x07outcome\x03\x0cended-ms-agow\x04\0\x0cpast-request\x03\0\x04\x01q\x02\x06\
denied\x01s\0\x07invalid\x01s\0\x04\0\x05error\x03\0\x06\x01p\x05\x01j\x01\x08\x01\
\x07\x01@\0\0\x09\x04\0\x06recent\x01\x0a\x03\0\x1btuffet:policy/history@0.2.0\x05\
\x03\x04\0\x12tuffet:sdk/history\x04\0\x0b\x0d\x01\0\x07history\x03\0\0\0G\x09pr\
oducers\x01\x0cprocessed-by\x02\x0dwit-component\x070.258.3\x10wit-bindgen-rust\x06\
0.61.1";
#[inline(never)]
#[doc(hidden)]
pub fn __link_custom_section_describing_imports() {
    wit_bindgen::rt::maybe_link_cabi_realloc();
}
