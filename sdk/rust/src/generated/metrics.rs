#[allow(dead_code, clippy::all)]
pub mod tuffet {
    pub mod policy {
        /// Counters and gauges of the plugin's own, in the metrics of the server: `tuffet_plugin_counter_total` and
        /// `tuffet_plugin_gauge`, with the labels `plugin`, `name` and those given. Grant `metrics`. They start with the process
        /// and outlive a reload.
        ///
        /// A name has 1 to 64 letters, digits and `_`, and no digit at its beginning; so has the name of a label, which is none
        /// of `plugin`, `name` and `le`, and does not begin with `__`. A series has at most 4 labels, whose values have at most
        /// 128 bytes. A plugin has at most 64 series, each a name with values of its labels; never use what clients choose
        /// freely, such as file names.
        #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
        pub mod metrics {
            #[used]
            #[doc(hidden)]
            static __FORCE_SECTION_REF: fn() = super::super::super::__link_custom_section_describing_imports;
            use super::super::super::_rt;
            #[derive(Clone, Eq, PartialEq)]
            pub enum Error {
                /// Not granted, or called in `configure`.
                Denied(_rt::String),
                /// The plugin has as many series as it may have. Those that exist go on.
                Full,
                /// Out of bounds: the name, a label, the value, or the number of calls, which counts with those of `kv` and `files`.
                /// Or the name is that of a series of the other kind.
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
                        Error::Full => f.debug_tuple("Error::Full").finish(),
                        Error::Invalid(e) => {
                            f.debug_tuple("Error::Invalid").field(e).finish()
                        }
                    }
                }
            }
            impl ::core::error::Error for Error {}
            #[allow(unused_unsafe, clippy::all)]
            /// Adds to a counter, which begins at 0.
            #[allow(async_fn_in_trait)]
            pub fn add(
                name: &str,
                labels: &[(_rt::String, _rt::String)],
                by: u64,
            ) -> ::core::result::Result<(), Error> {
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
                    #[link(wasm_import_module = "tuffet:policy/metrics@0.2.0")]
                    unsafe extern "C" {
                        #[link_name = "add"]
                        fn wit_import6(
                            _: *mut u8,
                            _: usize,
                            _: *mut u8,
                            _: usize,
                            _: i64,
                            _: *mut u8,
                        );
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import6(
                        _: *mut u8,
                        _: usize,
                        _: *mut u8,
                        _: usize,
                        _: i64,
                        _: *mut u8,
                    ) {
                        unreachable!()
                    }
                    wit_import6(
                        ptr0.cast_mut(),
                        len0,
                        result4,
                        len4,
                        _rt::as_i64(&by),
                        ptr5,
                    );
                    let l7 = i32::from(*ptr5.add(0).cast::<u8>());
                    let result16 = match l7 {
                        0 => {
                            let e = ();
                            Ok(e)
                        }
                        1 => {
                            let e = {
                                let l8 = i32::from(
                                    *ptr5.add(::core::mem::size_of::<*const u8>()).cast::<u8>(),
                                );
                                let v15 = match l8 {
                                    0 => {
                                        let e15 = {
                                            let l9 = *ptr5
                                                .add(2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<*mut u8>();
                                            let l10 = *ptr5
                                                .add(3 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len11 = l10;
                                            let bytes11 = _rt::Vec::from_raw_parts(
                                                l9.cast(),
                                                len11,
                                                len11,
                                            );
                                            _rt::string_lift(bytes11)
                                        };
                                        Error::Denied(e15)
                                    }
                                    1 => Error::Full,
                                    n => {
                                        debug_assert_eq!(n, 2, "invalid enum discriminant");
                                        let e15 = {
                                            let l12 = *ptr5
                                                .add(2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<*mut u8>();
                                            let l13 = *ptr5
                                                .add(3 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len14 = l13;
                                            let bytes14 = _rt::Vec::from_raw_parts(
                                                l12.cast(),
                                                len14,
                                                len14,
                                            );
                                            _rt::string_lift(bytes14)
                                        };
                                        Error::Invalid(e15)
                                    }
                                };
                                v15
                            };
                            Err(e)
                        }
                        _ => _rt::invalid_enum_discriminant(),
                    };
                    result16
                }
            }
            #[allow(unused_unsafe, clippy::all)]
            /// Sets a gauge to a finite number.
            #[allow(async_fn_in_trait)]
            pub fn set(
                name: &str,
                labels: &[(_rt::String, _rt::String)],
                value: f64,
            ) -> ::core::result::Result<(), Error> {
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
                    #[link(wasm_import_module = "tuffet:policy/metrics@0.2.0")]
                    unsafe extern "C" {
                        #[link_name = "set"]
                        fn wit_import6(
                            _: *mut u8,
                            _: usize,
                            _: *mut u8,
                            _: usize,
                            _: f64,
                            _: *mut u8,
                        );
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import6(
                        _: *mut u8,
                        _: usize,
                        _: *mut u8,
                        _: usize,
                        _: f64,
                        _: *mut u8,
                    ) {
                        unreachable!()
                    }
                    wit_import6(
                        ptr0.cast_mut(),
                        len0,
                        result4,
                        len4,
                        _rt::as_f64(&value),
                        ptr5,
                    );
                    let l7 = i32::from(*ptr5.add(0).cast::<u8>());
                    let result16 = match l7 {
                        0 => {
                            let e = ();
                            Ok(e)
                        }
                        1 => {
                            let e = {
                                let l8 = i32::from(
                                    *ptr5.add(::core::mem::size_of::<*const u8>()).cast::<u8>(),
                                );
                                let v15 = match l8 {
                                    0 => {
                                        let e15 = {
                                            let l9 = *ptr5
                                                .add(2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<*mut u8>();
                                            let l10 = *ptr5
                                                .add(3 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len11 = l10;
                                            let bytes11 = _rt::Vec::from_raw_parts(
                                                l9.cast(),
                                                len11,
                                                len11,
                                            );
                                            _rt::string_lift(bytes11)
                                        };
                                        Error::Denied(e15)
                                    }
                                    1 => Error::Full,
                                    n => {
                                        debug_assert_eq!(n, 2, "invalid enum discriminant");
                                        let e15 = {
                                            let l12 = *ptr5
                                                .add(2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<*mut u8>();
                                            let l13 = *ptr5
                                                .add(3 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len14 = l13;
                                            let bytes14 = _rt::Vec::from_raw_parts(
                                                l12.cast(),
                                                len14,
                                                len14,
                                            );
                                            _rt::string_lift(bytes14)
                                        };
                                        Error::Invalid(e15)
                                    }
                                };
                                v15
                            };
                            Err(e)
                        }
                        _ => _rt::invalid_enum_discriminant(),
                    };
                    result16
                }
            }
        }
    }
}
mod _rt {
    #![allow(dead_code, unused_imports, clippy::all)]
    pub use alloc_crate::string::String;
    pub use alloc_crate::alloc;
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
pub static __WIT_BINDGEN_COMPONENT_TYPE: [u8; 310] = *b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xb8\x01\x01A\x02\x01\
A\x02\x01B\x09\x01q\x03\x06denied\x01s\0\x04full\0\0\x07invalid\x01s\0\x04\0\x05\
error\x03\0\0\x01o\x02ss\x01p\x02\x01j\0\x01\x01\x01@\x03\x04names\x06labels\x03\
\x02byw\0\x04\x04\0\x03add\x01\x05\x01@\x03\x04names\x06labels\x03\x05valueu\0\x04\
\x04\0\x03set\x01\x06\x03\0\x1btuffet:policy/metrics@0.2.0\x05\0\x04\0\x12tuffet\
:sdk/metrics\x04\0\x0b\x0d\x01\0\x07metrics\x03\0\0\0G\x09producers\x01\x0cproce\
ssed-by\x02\x0dwit-component\x070.258.3\x10wit-bindgen-rust\x060.61.1";
#[inline(never)]
#[doc(hidden)]
pub fn __link_custom_section_describing_imports() {
    wit_bindgen::rt::maybe_link_cabi_realloc();
}
