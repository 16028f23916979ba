#[allow(unfulfilled_lint_expectations, unused_imports)]
use crate::bindings::types::tuffet::policy::types as __with_name0;
#[allow(dead_code, clippy::all)]
pub mod tuffet {
    pub mod policy {
        /// Counters and gauges of the plugin's own, in the metrics of the server: `tuffet_plugin_counter_total` and
        /// `tuffet_plugin_gauge`, with the labels `plugin`, `name` and those given. Grant `metrics`. They start with the process
        /// and outlive a reload.
        ///
        /// A name has 1 to 64 letters, digits and `_`, and no digit at its beginning; so has the name of a label, which is none of
        /// `plugin`, `name` and `le`, and does not begin with `__`. A series has at most 4 labels, whose values have at most 128
        /// bytes. A plugin has at most 64 series, each a name with values of its labels; never use what clients choose freely, such
        /// as file names.
        #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
        pub mod metrics {
            #[used]
            #[doc(hidden)]
            static __FORCE_SECTION_REF: fn() = super::super::super::__link_custom_section_describing_imports;
            use super::super::super::_rt;
            pub type Error = super::super::super::__with_name0::Error;
            #[allow(unused_unsafe, clippy::all)]
            /// Adds to a counter, which begins at 0.
            #[allow(async_fn_in_trait)]
            pub fn add(
                name: &str,
                by: u64,
                labels: &[(_rt::String, _rt::String)],
            ) -> ::core::result::Result<(), Error> {
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
                    let vec0 = name;
                    let ptr0 = vec0.as_ptr().cast::<u8>();
                    let len0 = vec0.len();
                    let vec4 = labels;
                    let len4 = vec4.len();
                    let layout4 = _rt::alloc::Layout::from_size_align(
                            vec4.len() * (4 * ::core::mem::size_of::<*const u8>()),
                            ::core::mem::size_of::<*const u8>(),
                        )
                        .unwrap();
                    let (result4, _cleanup4) = wit_bindgen::rt::Cleanup::new(layout4);
                    for (i, e) in vec4.into_iter().enumerate() {
                        let base = result4
                            .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                        {
                            let (t1_0, t1_1) = e;
                            let vec2 = t1_0;
                            let ptr2 = vec2.as_ptr().cast::<u8>();
                            let len2 = vec2.len();
                            *base
                                .add(::core::mem::size_of::<*const u8>())
                                .cast::<usize>() = len2;
                            *base.add(0).cast::<*mut u8>() = ptr2.cast_mut();
                            let vec3 = t1_1;
                            let ptr3 = vec3.as_ptr().cast::<u8>();
                            let len3 = vec3.len();
                            *base
                                .add(3 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>() = len3;
                            *base
                                .add(2 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>() = ptr3.cast_mut();
                        }
                    }
                    let ptr5 = ret_area.0.as_mut_ptr().cast::<u8>();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "tuffet:policy/metrics@1.0.0")]
                    unsafe extern "C" {
                        #[link_name = "add"]
                        fn wit_import6(
                            _: *mut u8,
                            _: usize,
                            _: i64,
                            _: *mut u8,
                            _: usize,
                            _: *mut u8,
                        );
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import6(
                        _: *mut u8,
                        _: usize,
                        _: i64,
                        _: *mut u8,
                        _: usize,
                        _: *mut u8,
                    ) {
                        unreachable!()
                    }
                    wit_import6(
                        ptr0.cast_mut(),
                        len0,
                        _rt::as_i64(&by),
                        result4,
                        len4,
                        ptr5,
                    );
                    let l7 = i32::from(*ptr5.add(0).cast::<u8>());
                    let result14 = match l7 {
                        0 => {
                            let e = ();
                            Ok(e)
                        }
                        1 => {
                            let e = {
                                let l8 = *ptr5
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l9 = *ptr5
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len10 = l9;
                                let bytes10 = _rt::Vec::from_raw_parts(
                                    l8.cast(),
                                    len10,
                                    len10,
                                );
                                let l11 = *ptr5
                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l12 = *ptr5
                                    .add(4 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len13 = l12;
                                let bytes13 = _rt::Vec::from_raw_parts(
                                    l11.cast(),
                                    len13,
                                    len13,
                                );
                                super::super::super::__with_name0::Error {
                                    code: _rt::string_lift(bytes10),
                                    message: _rt::string_lift(bytes13),
                                }
                            };
                            Err(e)
                        }
                        _ => _rt::invalid_enum_discriminant(),
                    };
                    result14
                }
            }
            #[allow(unused_unsafe, clippy::all)]
            /// Sets a gauge to a finite number.
            #[allow(async_fn_in_trait)]
            pub fn set(
                name: &str,
                value: f64,
                labels: &[(_rt::String, _rt::String)],
            ) -> ::core::result::Result<(), Error> {
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
                    let vec0 = name;
                    let ptr0 = vec0.as_ptr().cast::<u8>();
                    let len0 = vec0.len();
                    let vec4 = labels;
                    let len4 = vec4.len();
                    let layout4 = _rt::alloc::Layout::from_size_align(
                            vec4.len() * (4 * ::core::mem::size_of::<*const u8>()),
                            ::core::mem::size_of::<*const u8>(),
                        )
                        .unwrap();
                    let (result4, _cleanup4) = wit_bindgen::rt::Cleanup::new(layout4);
                    for (i, e) in vec4.into_iter().enumerate() {
                        let base = result4
                            .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                        {
                            let (t1_0, t1_1) = e;
                            let vec2 = t1_0;
                            let ptr2 = vec2.as_ptr().cast::<u8>();
                            let len2 = vec2.len();
                            *base
                                .add(::core::mem::size_of::<*const u8>())
                                .cast::<usize>() = len2;
                            *base.add(0).cast::<*mut u8>() = ptr2.cast_mut();
                            let vec3 = t1_1;
                            let ptr3 = vec3.as_ptr().cast::<u8>();
                            let len3 = vec3.len();
                            *base
                                .add(3 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>() = len3;
                            *base
                                .add(2 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>() = ptr3.cast_mut();
                        }
                    }
                    let ptr5 = ret_area.0.as_mut_ptr().cast::<u8>();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "tuffet:policy/metrics@1.0.0")]
                    unsafe extern "C" {
                        #[link_name = "set"]
                        fn wit_import6(
                            _: *mut u8,
                            _: usize,
                            _: f64,
                            _: *mut u8,
                            _: usize,
                            _: *mut u8,
                        );
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import6(
                        _: *mut u8,
                        _: usize,
                        _: f64,
                        _: *mut u8,
                        _: usize,
                        _: *mut u8,
                    ) {
                        unreachable!()
                    }
                    wit_import6(
                        ptr0.cast_mut(),
                        len0,
                        _rt::as_f64(&value),
                        result4,
                        len4,
                        ptr5,
                    );
                    let l7 = i32::from(*ptr5.add(0).cast::<u8>());
                    let result14 = match l7 {
                        0 => {
                            let e = ();
                            Ok(e)
                        }
                        1 => {
                            let e = {
                                let l8 = *ptr5
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l9 = *ptr5
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len10 = l9;
                                let bytes10 = _rt::Vec::from_raw_parts(
                                    l8.cast(),
                                    len10,
                                    len10,
                                );
                                let l11 = *ptr5
                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l12 = *ptr5
                                    .add(4 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len13 = l12;
                                let bytes13 = _rt::Vec::from_raw_parts(
                                    l11.cast(),
                                    len13,
                                    len13,
                                );
                                super::super::super::__with_name0::Error {
                                    code: _rt::string_lift(bytes10),
                                    message: _rt::string_lift(bytes13),
                                }
                            };
                            Err(e)
                        }
                        _ => _rt::invalid_enum_discriminant(),
                    };
                    result14
                }
            }
        }
    }
}
mod _rt {
    #![allow(dead_code, unused_imports, clippy::all)]
    pub use alloc_crate::string::String;
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
    pub use alloc_crate::vec::Vec;
    pub unsafe fn string_lift(bytes: Vec<u8>) -> String {
        if cfg!(debug_assertions) {
            String::from_utf8(bytes).unwrap()
        } else {
            unsafe { String::from_utf8_unchecked(bytes) }
        }
    }
    pub unsafe fn invalid_enum_discriminant<T>() -> T {
        if cfg!(debug_assertions) {
            panic!("invalid enum discriminant")
        } else {
            unsafe { core::hint::unreachable_unchecked() }
        }
    }
    pub fn as_f64<T: AsF64>(t: T) -> f64 {
        t.as_f64()
    }
    pub trait AsF64 {
        fn as_f64(self) -> f64;
    }
    impl<'a, T: Copy + AsF64> AsF64 for &'a T {
        fn as_f64(self) -> f64 {
            (*self).as_f64()
        }
    }
    impl AsF64 for f64 {
        #[inline]
        fn as_f64(self) -> f64 {
            self as f64
        }
    }
    extern crate alloc as alloc_crate;
}
#[cfg(target_arch = "wasm32")]
#[unsafe(
    link_section = "component-type:wit-bindgen:0.61.1:tuffet:sdk:metrics:encoded world"
)]
#[doc(hidden)]
#[allow(clippy::octal_escapes)]
pub static __WIT_BINDGEN_COMPONENT_TYPE: [u8; 1202] = *b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xb4\x08\x01A\x02\x01\
A\x05\x01B,\x01m\x02\x04read\x05write\x04\0\x09operation\x03\0\0\x01m\x02\x05oct\
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
\0*\x03\0\x19tuffet:policy/types@1.0.0\x05\0\x02\x03\0\0\x05error\x01B\x09\x02\x03\
\x02\x01\x01\x04\0\x05error\x03\0\0\x01o\x02ss\x01p\x02\x01j\0\x01\x01\x01@\x03\x04\
names\x02byw\x06labels\x03\0\x04\x04\0\x03add\x01\x05\x01@\x03\x04names\x05value\
u\x06labels\x03\0\x04\x04\0\x03set\x01\x06\x03\0\x1btuffet:policy/metrics@1.0.0\x05\
\x02\x04\0\x12tuffet:sdk/metrics\x04\0\x0b\x0d\x01\0\x07metrics\x03\0\0\0G\x09pr\
oducers\x01\x0cprocessed-by\x02\x0dwit-component\x070.258.3\x10wit-bindgen-rust\x06\
0.61.1";
#[inline(never)]
#[doc(hidden)]
pub fn __link_custom_section_describing_imports() {
    wit_bindgen::rt::maybe_link_cabi_realloc();
}
