#[allow(unfulfilled_lint_expectations, unused_imports)]
use crate::bindings::types::tuffet::policy::types as __with_name0;
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
            pub type Error = super::super::super::__with_name0::Error;
            pub type Operation = super::super::super::__with_name0::Operation;
            /// A request that has ended.
            #[derive(Clone, Eq, PartialEq)]
            pub struct PastRequest {
                pub operation: Operation,
                /// The normalised path, or its first 255 bytes.
                pub path: _rt::String,
                /// As that of a summary in `observe`.
                pub outcome: _rt::String,
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
            #[allow(unused_unsafe, clippy::all)]
            /// The last requests from the client's address, newest first, at most 16. The present one is not among them. Not in
            /// `configure`, `render`, `render-parts` and `observe`, where there is no client.
            #[allow(async_fn_in_trait)]
            pub fn recent() -> ::core::result::Result<_rt::Vec<PastRequest>, Error> {
                unsafe {
                    #[cfg_attr(target_pointer_width = "64", repr(align(8)))]
                    #[cfg_attr(target_pointer_width = "32", repr(align(4)))]
                    struct RetArea(
                        [::core::mem::MaybeUninit<
                            u8,
                        >; 5 * ::core::mem::size_of::<*const u8>()],
                    );
                    let mut ret_area = RetArea(
                        [::core::mem::MaybeUninit::uninit(); 5
                            * ::core::mem::size_of::<*const u8>()],
                    );
                    let ptr0 = ret_area.0.as_mut_ptr().cast::<u8>();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "tuffet:policy/history@1.0.0")]
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
                                let base13 = l3;
                                let len13 = l4;
                                let mut result13 = _rt::Vec::with_capacity(len13);
                                for i in 0..len13 {
                                    let base = base13
                                        .add(i * (16 + 4 * ::core::mem::size_of::<*const u8>()));
                                    let e13 = {
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
                                        let l9 = *base
                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>();
                                        let l10 = *base
                                            .add(4 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        let len11 = l10;
                                        let bytes11 = _rt::Vec::from_raw_parts(
                                            l9.cast(),
                                            len11,
                                            len11,
                                        );
                                        let l12 = *base
                                            .add(8 + 4 * ::core::mem::size_of::<*const u8>())
                                            .cast::<i64>();
                                        PastRequest {
                                            operation: super::super::super::__with_name0::Operation::_lift(
                                                l5 as u8,
                                            ),
                                            path: _rt::string_lift(bytes8),
                                            outcome: _rt::string_lift(bytes11),
                                            ended_ms_ago: l12 as u64,
                                        }
                                    };
                                    result13.push(e13);
                                }
                                _rt::cabi_dealloc(
                                    base13,
                                    len13 * (16 + 4 * ::core::mem::size_of::<*const u8>()),
                                    8,
                                );
                                result13
                            };
                            Ok(e)
                        }
                        1 => {
                            let e = {
                                let l14 = *ptr0
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l15 = *ptr0
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len16 = l15;
                                let bytes16 = _rt::Vec::from_raw_parts(
                                    l14.cast(),
                                    len16,
                                    len16,
                                );
                                let l17 = *ptr0
                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l18 = *ptr0
                                    .add(4 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len19 = l18;
                                let bytes19 = _rt::Vec::from_raw_parts(
                                    l17.cast(),
                                    len19,
                                    len19,
                                );
                                super::super::super::__with_name0::Error {
                                    code: _rt::string_lift(bytes16),
                                    message: _rt::string_lift(bytes19),
                                }
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
pub static __WIT_BINDGEN_COMPONENT_TYPE: [u8; 1244] = *b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xde\x08\x01A\x02\x01\
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
\0*\x03\0\x19tuffet:policy/types@1.0.0\x05\0\x02\x03\0\0\x05error\x02\x03\0\0\x09\
operation\x01B\x0a\x02\x03\x02\x01\x01\x04\0\x05error\x03\0\0\x02\x03\x02\x01\x02\
\x04\0\x09operation\x03\0\x02\x01r\x04\x09operation\x03\x04paths\x07outcomes\x0c\
ended-ms-agow\x04\0\x0cpast-request\x03\0\x04\x01p\x05\x01j\x01\x06\x01\x01\x01@\
\0\0\x07\x04\0\x06recent\x01\x08\x03\0\x1btuffet:policy/history@1.0.0\x05\x03\x04\
\0\x12tuffet:sdk/history\x04\0\x0b\x0d\x01\0\x07history\x03\0\0\0G\x09producers\x01\
\x0cprocessed-by\x02\x0dwit-component\x070.258.3\x10wit-bindgen-rust\x060.61.1";
#[inline(never)]
#[doc(hidden)]
pub fn __link_custom_section_describing_imports() {
    wit_bindgen::rt::maybe_link_cabi_realloc();
}
