#[allow(dead_code, clippy::all)]
pub mod tuffet {
    pub mod policy {
        /// Files in the roots that are granted, one by one: `files/ROOT`. No path leads out of its root. A call of a
        /// hook may read 64 MiB in all.
        #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
        pub mod files {
            #[used]
            #[doc(hidden)]
            static __FORCE_SECTION_REF: fn() = super::super::super::__link_custom_section_describing_imports;
            use super::super::super::_rt;
            #[repr(C)]
            #[derive(Clone, Copy, Eq, PartialEq)]
            pub struct Metadata {
                pub bytes: u64,
                /// Milliseconds since 1970-01-01T00:00:00Z.
                pub modified_unix_ms: u64,
            }
            impl ::core::fmt::Debug for Metadata {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("Metadata")
                        .field("bytes", &self.bytes)
                        .field("modified-unix-ms", &self.modified_unix_ms)
                        .finish()
                }
            }
            #[derive(Clone, Eq, PartialEq)]
            pub enum Error {
                /// The root is not granted, the path leads out of it or may not be read, or it is no regular file.
                Denied(_rt::String),
                /// The file has this many bytes: more than `limit`, or than the call may still read.
                TooLarge(u64),
                /// Out of bounds: the path, or the number of calls.
                Invalid(_rt::String),
                /// The disk failed, or the file changed each of the times that it was read.
                Unavailable(_rt::String),
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
                        Error::TooLarge(e) => {
                            f.debug_tuple("Error::TooLarge").field(e).finish()
                        }
                        Error::Invalid(e) => {
                            f.debug_tuple("Error::Invalid").field(e).finish()
                        }
                        Error::Unavailable(e) => {
                            f.debug_tuple("Error::Unavailable").field(e).finish()
                        }
                    }
                }
            }
            impl ::core::error::Error for Error {}
            #[allow(unused_unsafe, clippy::all)]
            /// Size and time of change; none where there is no such file.
            #[allow(async_fn_in_trait)]
            pub fn stat(
                root: &str,
                path: &str,
            ) -> ::core::result::Result<::core::option::Option<Metadata>, Error> {
                unsafe {
                    #[repr(align(8))]
                    struct RetArea([::core::mem::MaybeUninit<u8>; 32]);
                    let mut ret_area = RetArea([::core::mem::MaybeUninit::uninit(); 32]);
                    let vec0 = root;
                    let ptr0 = vec0.as_ptr().cast::<u8>();
                    let len0 = vec0.len();
                    let vec1 = path;
                    let ptr1 = vec1.as_ptr().cast::<u8>();
                    let len1 = vec1.len();
                    let ptr2 = ret_area.0.as_mut_ptr().cast::<u8>();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "tuffet:policy/files@0.2.0")]
                    unsafe extern "C" {
                        #[link_name = "stat"]
                        fn wit_import3(
                            _: *mut u8,
                            _: usize,
                            _: *mut u8,
                            _: usize,
                            _: *mut u8,
                        );
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import3(
                        _: *mut u8,
                        _: usize,
                        _: *mut u8,
                        _: usize,
                        _: *mut u8,
                    ) {
                        unreachable!()
                    }
                    wit_import3(ptr0.cast_mut(), len0, ptr1.cast_mut(), len1, ptr2);
                    let l4 = i32::from(*ptr2.add(0).cast::<u8>());
                    let result20 = match l4 {
                        0 => {
                            let e = {
                                let l5 = i32::from(*ptr2.add(8).cast::<u8>());
                                match l5 {
                                    0 => None,
                                    1 => {
                                        let e = {
                                            let l6 = *ptr2.add(16).cast::<i64>();
                                            let l7 = *ptr2.add(24).cast::<i64>();
                                            Metadata {
                                                bytes: l6 as u64,
                                                modified_unix_ms: l7 as u64,
                                            }
                                        };
                                        Some(e)
                                    }
                                    _ => _rt::invalid_enum_discriminant(),
                                }
                            };
                            Ok(e)
                        }
                        1 => {
                            let e = {
                                let l8 = i32::from(*ptr2.add(8).cast::<u8>());
                                let v19 = match l8 {
                                    0 => {
                                        let e19 = {
                                            let l9 = *ptr2.add(16).cast::<*mut u8>();
                                            let l10 = *ptr2
                                                .add(16 + 1 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len11 = l10;
                                            let bytes11 = _rt::Vec::from_raw_parts(
                                                l9.cast(),
                                                len11,
                                                len11,
                                            );
                                            _rt::string_lift(bytes11)
                                        };
                                        Error::Denied(e19)
                                    }
                                    1 => {
                                        let e19 = {
                                            let l12 = *ptr2.add(16).cast::<i64>();
                                            l12 as u64
                                        };
                                        Error::TooLarge(e19)
                                    }
                                    2 => {
                                        let e19 = {
                                            let l13 = *ptr2.add(16).cast::<*mut u8>();
                                            let l14 = *ptr2
                                                .add(16 + 1 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len15 = l14;
                                            let bytes15 = _rt::Vec::from_raw_parts(
                                                l13.cast(),
                                                len15,
                                                len15,
                                            );
                                            _rt::string_lift(bytes15)
                                        };
                                        Error::Invalid(e19)
                                    }
                                    n => {
                                        debug_assert_eq!(n, 3, "invalid enum discriminant");
                                        let e19 = {
                                            let l16 = *ptr2.add(16).cast::<*mut u8>();
                                            let l17 = *ptr2
                                                .add(16 + 1 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len18 = l17;
                                            let bytes18 = _rt::Vec::from_raw_parts(
                                                l16.cast(),
                                                len18,
                                                len18,
                                            );
                                            _rt::string_lift(bytes18)
                                        };
                                        Error::Unavailable(e19)
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
            #[allow(unused_unsafe, clippy::all)]
            /// The whole file, if it has at most `limit` bytes; none where there is no such file. Never a mixture: a file
            /// that is written in place meanwhile is read anew, four times at most.
            #[allow(async_fn_in_trait)]
            pub fn read(
                root: &str,
                path: &str,
                limit: u64,
            ) -> ::core::result::Result<::core::option::Option<_rt::Vec<u8>>, Error> {
                unsafe {
                    #[repr(align(8))]
                    struct RetArea(
                        [::core::mem::MaybeUninit<
                            u8,
                        >; 16 + 2 * ::core::mem::size_of::<*const u8>()],
                    );
                    let mut ret_area = RetArea(
                        [::core::mem::MaybeUninit::uninit(); 16
                            + 2 * ::core::mem::size_of::<*const u8>()],
                    );
                    let vec0 = root;
                    let ptr0 = vec0.as_ptr().cast::<u8>();
                    let len0 = vec0.len();
                    let vec1 = path;
                    let ptr1 = vec1.as_ptr().cast::<u8>();
                    let len1 = vec1.len();
                    let ptr2 = ret_area.0.as_mut_ptr().cast::<u8>();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "tuffet:policy/files@0.2.0")]
                    unsafe extern "C" {
                        #[link_name = "read"]
                        fn wit_import3(
                            _: *mut u8,
                            _: usize,
                            _: *mut u8,
                            _: usize,
                            _: i64,
                            _: *mut u8,
                        );
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import3(
                        _: *mut u8,
                        _: usize,
                        _: *mut u8,
                        _: usize,
                        _: i64,
                        _: *mut u8,
                    ) {
                        unreachable!()
                    }
                    wit_import3(
                        ptr0.cast_mut(),
                        len0,
                        ptr1.cast_mut(),
                        len1,
                        _rt::as_i64(&limit),
                        ptr2,
                    );
                    let l4 = i32::from(*ptr2.add(0).cast::<u8>());
                    let result21 = match l4 {
                        0 => {
                            let e = {
                                let l5 = i32::from(*ptr2.add(8).cast::<u8>());
                                match l5 {
                                    0 => None,
                                    1 => {
                                        let e = {
                                            let l6 = *ptr2
                                                .add(8 + 1 * ::core::mem::size_of::<*const u8>())
                                                .cast::<*mut u8>();
                                            let l7 = *ptr2
                                                .add(8 + 2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len8 = l7;
                                            <_ as From<
                                                _rt::Vec<_>,
                                            >>::from(_rt::Vec::from_raw_parts(l6.cast(), len8, len8))
                                        };
                                        Some(e)
                                    }
                                    _ => _rt::invalid_enum_discriminant(),
                                }
                            };
                            Ok(e)
                        }
                        1 => {
                            let e = {
                                let l9 = i32::from(*ptr2.add(8).cast::<u8>());
                                let v20 = match l9 {
                                    0 => {
                                        let e20 = {
                                            let l10 = *ptr2.add(16).cast::<*mut u8>();
                                            let l11 = *ptr2
                                                .add(16 + 1 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len12 = l11;
                                            let bytes12 = _rt::Vec::from_raw_parts(
                                                l10.cast(),
                                                len12,
                                                len12,
                                            );
                                            _rt::string_lift(bytes12)
                                        };
                                        Error::Denied(e20)
                                    }
                                    1 => {
                                        let e20 = {
                                            let l13 = *ptr2.add(16).cast::<i64>();
                                            l13 as u64
                                        };
                                        Error::TooLarge(e20)
                                    }
                                    2 => {
                                        let e20 = {
                                            let l14 = *ptr2.add(16).cast::<*mut u8>();
                                            let l15 = *ptr2
                                                .add(16 + 1 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len16 = l15;
                                            let bytes16 = _rt::Vec::from_raw_parts(
                                                l14.cast(),
                                                len16,
                                                len16,
                                            );
                                            _rt::string_lift(bytes16)
                                        };
                                        Error::Invalid(e20)
                                    }
                                    n => {
                                        debug_assert_eq!(n, 3, "invalid enum discriminant");
                                        let e20 = {
                                            let l17 = *ptr2.add(16).cast::<*mut u8>();
                                            let l18 = *ptr2
                                                .add(16 + 1 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len19 = l18;
                                            let bytes19 = _rt::Vec::from_raw_parts(
                                                l17.cast(),
                                                len19,
                                                len19,
                                            );
                                            _rt::string_lift(bytes19)
                                        };
                                        Error::Unavailable(e20)
                                    }
                                };
                                v20
                            };
                            Err(e)
                        }
                        _ => _rt::invalid_enum_discriminant(),
                    };
                    result21
                }
            }
        }
    }
}
mod _rt {
    #![allow(dead_code, unused_imports, clippy::all)]
    pub use alloc_crate::string::String;
    pub unsafe fn invalid_enum_discriminant<T>() -> T {
        if cfg!(debug_assertions) {
            panic!("invalid enum discriminant")
        } else {
            unsafe { core::hint::unreachable_unchecked() }
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
#[cfg(target_arch = "wasm32")]
#[unsafe(
    link_section = "component-type:wit-bindgen:0.61.1:tuffet:sdk:files:encoded world"
)]
#[doc(hidden)]
#[allow(clippy::octal_escapes)]
pub static __WIT_BINDGEN_COMPONENT_TYPE: [u8; 369] = *b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xf5\x01\x01A\x02\x01\
A\x02\x01B\x0d\x01r\x02\x05bytesw\x10modified-unix-msw\x04\0\x08metadata\x03\0\0\
\x01q\x04\x06denied\x01s\0\x09too-large\x01w\0\x07invalid\x01s\0\x0bunavailable\x01\
s\0\x04\0\x05error\x03\0\x02\x01k\x01\x01j\x01\x04\x01\x03\x01@\x02\x04roots\x04\
paths\0\x05\x04\0\x04stat\x01\x06\x01p}\x01k\x07\x01j\x01\x08\x01\x03\x01@\x03\x04\
roots\x04paths\x05limitw\0\x09\x04\0\x04read\x01\x0a\x03\0\x19tuffet:policy/file\
s@0.2.0\x05\0\x04\0\x10tuffet:sdk/files\x04\0\x0b\x0b\x01\0\x05files\x03\0\0\0G\x09\
producers\x01\x0cprocessed-by\x02\x0dwit-component\x070.258.3\x10wit-bindgen-rus\
t\x060.61.1";
#[inline(never)]
#[doc(hidden)]
pub fn __link_custom_section_describing_imports() {
    wit_bindgen::rt::maybe_link_cabi_realloc();
}
