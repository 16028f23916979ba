#[allow(unfulfilled_lint_expectations, unused_imports)]
use crate::bindings::types::tuffet::policy::types as __with_name0;
#[allow(dead_code, clippy::all)]
pub mod tuffet {
    pub mod policy {
        /// Keys and values that outlive the call and the process. What a call has answered is on disk.
        ///
        /// Each function takes a namespace. None is the plugin's own, by its name in the configuration: grant `kv`. A name is that
        /// of a namespace that plugins share, and where the keys are in a bucket of NATS, servers too: grant `kv/NAME` for each.
        ///
        /// A key has 1 to 256 bytes, a value at most 64 KiB; the configuration bounds the number of keys and the bytes of all keys
        /// and values that a plugin writes. At most 1024 calls of `kv`, `files`, `upload-content`, `metrics` and `history` together
        /// are answered in one call of a hook, in `observe` at least 16 for each event.
        ///
        /// No function changes several keys at once: a bucket of NATS changes one key after the other, so the promise could not be
        /// kept everywhere. What belongs together is one value, of up to 64 KiB, and `swap` changes it as a whole. A later version
        /// may add such a function.
        #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
        pub mod kv {
            #[used]
            #[doc(hidden)]
            static __FORCE_SECTION_REF: fn() = super::super::super::__link_custom_section_describing_imports;
            use super::super::super::_rt;
            pub type Error = super::super::super::__with_name0::Error;
            /// A value and its revision. Each change of a key gives it a higher one, whatever it changes; so does the creation of a
            /// key that was there before.
            #[derive(Clone, Eq, PartialEq)]
            pub struct Entry {
                pub value: _rt::Vec<u8>,
                pub revision: u64,
            }
            impl ::core::fmt::Debug for Entry {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("Entry")
                        .field("value", &self.value)
                        .field("revision", &self.revision)
                        .finish()
                }
            }
            /// A key with its entry.
            #[derive(Clone, Eq, PartialEq)]
            pub struct Listed {
                pub key: _rt::String,
                pub entry: Entry,
            }
            impl ::core::fmt::Debug for Listed {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("Listed")
                        .field("key", &self.key)
                        .field("entry", &self.entry)
                        .finish()
                }
            }
            #[allow(unused_unsafe, clippy::all)]
            /// None where there is no such key or its time is over.
            #[allow(async_fn_in_trait)]
            pub fn get(
                namespace: ::core::option::Option<&str>,
                key: &str,
            ) -> ::core::result::Result<::core::option::Option<Entry>, Error> {
                unsafe {
                    #[repr(align(8))]
                    struct RetArea(
                        [::core::mem::MaybeUninit<
                            u8,
                        >; 24 + 2 * ::core::mem::size_of::<*const u8>()],
                    );
                    let mut ret_area = RetArea(
                        [::core::mem::MaybeUninit::uninit(); 24
                            + 2 * ::core::mem::size_of::<*const u8>()],
                    );
                    let (result1_0, result1_1, result1_2) = match namespace {
                        Some(e) => {
                            let vec0 = e;
                            let ptr0 = vec0.as_ptr().cast::<u8>();
                            let len0 = vec0.len();
                            (1i32, ptr0.cast_mut(), len0)
                        }
                        None => (0i32, ::core::ptr::null_mut(), 0usize),
                    };
                    let vec2 = key;
                    let ptr2 = vec2.as_ptr().cast::<u8>();
                    let len2 = vec2.len();
                    let ptr3 = ret_area.0.as_mut_ptr().cast::<u8>();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "tuffet:policy/kv@1.0.0")]
                    unsafe extern "C" {
                        #[link_name = "get"]
                        fn wit_import4(
                            _: i32,
                            _: *mut u8,
                            _: usize,
                            _: *mut u8,
                            _: usize,
                            _: *mut u8,
                        );
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import4(
                        _: i32,
                        _: *mut u8,
                        _: usize,
                        _: *mut u8,
                        _: usize,
                        _: *mut u8,
                    ) {
                        unreachable!()
                    }
                    wit_import4(
                        result1_0,
                        result1_1,
                        result1_2,
                        ptr2.cast_mut(),
                        len2,
                        ptr3,
                    );
                    let l5 = i32::from(*ptr3.add(0).cast::<u8>());
                    let result17 = match l5 {
                        0 => {
                            let e = {
                                let l6 = i32::from(*ptr3.add(8).cast::<u8>());
                                match l6 {
                                    0 => None,
                                    1 => {
                                        let e = {
                                            let l7 = *ptr3.add(16).cast::<*mut u8>();
                                            let l8 = *ptr3
                                                .add(16 + 1 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len9 = l8;
                                            let l10 = *ptr3
                                                .add(16 + 2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<i64>();
                                            Entry {
                                                value: <_ as From<
                                                    _rt::Vec<_>,
                                                >>::from(_rt::Vec::from_raw_parts(l7.cast(), len9, len9)),
                                                revision: l10 as u64,
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
                                let l11 = *ptr3.add(8).cast::<*mut u8>();
                                let l12 = *ptr3
                                    .add(8 + 1 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len13 = l12;
                                let bytes13 = _rt::Vec::from_raw_parts(
                                    l11.cast(),
                                    len13,
                                    len13,
                                );
                                let l14 = *ptr3
                                    .add(8 + 2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l15 = *ptr3
                                    .add(8 + 3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len16 = l15;
                                let bytes16 = _rt::Vec::from_raw_parts(
                                    l14.cast(),
                                    len16,
                                    len16,
                                );
                                super::super::super::__with_name0::Error {
                                    code: _rt::string_lift(bytes13),
                                    message: _rt::string_lift(bytes16),
                                }
                            };
                            Err(e)
                        }
                        _ => _rt::invalid_enum_discriminant(),
                    };
                    result17
                }
            }
            #[allow(unused_unsafe, clippy::all)]
            /// Replaces the value. It is gone after `ttl-seconds`; none keeps it for good. Here and in `swap`, a key or value that
            /// contains a secret of the plugin's settings is a bad argument.
            #[allow(async_fn_in_trait)]
            pub fn set(
                namespace: ::core::option::Option<&str>,
                key: &str,
                value: &[u8],
                ttl_seconds: ::core::option::Option<u32>,
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
                    let (result1_0, result1_1, result1_2) = match namespace {
                        Some(e) => {
                            let vec0 = e;
                            let ptr0 = vec0.as_ptr().cast::<u8>();
                            let len0 = vec0.len();
                            (1i32, ptr0.cast_mut(), len0)
                        }
                        None => (0i32, ::core::ptr::null_mut(), 0usize),
                    };
                    let vec2 = key;
                    let ptr2 = vec2.as_ptr().cast::<u8>();
                    let len2 = vec2.len();
                    let vec3 = value;
                    let ptr3 = vec3.as_ptr().cast::<u8>();
                    let len3 = vec3.len();
                    let (result4_0, result4_1) = match ttl_seconds {
                        Some(e) => (1i32, _rt::as_i32(e)),
                        None => (0i32, 0i32),
                    };
                    let ptr5 = ret_area.0.as_mut_ptr().cast::<u8>();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "tuffet:policy/kv@1.0.0")]
                    unsafe extern "C" {
                        #[link_name = "set"]
                        fn wit_import6(
                            _: i32,
                            _: *mut u8,
                            _: usize,
                            _: *mut u8,
                            _: usize,
                            _: *mut u8,
                            _: usize,
                            _: i32,
                            _: i32,
                            _: *mut u8,
                        );
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import6(
                        _: i32,
                        _: *mut u8,
                        _: usize,
                        _: *mut u8,
                        _: usize,
                        _: *mut u8,
                        _: usize,
                        _: i32,
                        _: i32,
                        _: *mut u8,
                    ) {
                        unreachable!()
                    }
                    wit_import6(
                        result1_0,
                        result1_1,
                        result1_2,
                        ptr2.cast_mut(),
                        len2,
                        ptr3.cast_mut(),
                        len3,
                        result4_0,
                        result4_1,
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
            /// Removes the key. That it was not there is no error.
            #[allow(async_fn_in_trait)]
            pub fn delete(
                namespace: ::core::option::Option<&str>,
                key: &str,
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
                    let (result1_0, result1_1, result1_2) = match namespace {
                        Some(e) => {
                            let vec0 = e;
                            let ptr0 = vec0.as_ptr().cast::<u8>();
                            let len0 = vec0.len();
                            (1i32, ptr0.cast_mut(), len0)
                        }
                        None => (0i32, ::core::ptr::null_mut(), 0usize),
                    };
                    let vec2 = key;
                    let ptr2 = vec2.as_ptr().cast::<u8>();
                    let len2 = vec2.len();
                    let ptr3 = ret_area.0.as_mut_ptr().cast::<u8>();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "tuffet:policy/kv@1.0.0")]
                    unsafe extern "C" {
                        #[link_name = "delete"]
                        fn wit_import4(
                            _: i32,
                            _: *mut u8,
                            _: usize,
                            _: *mut u8,
                            _: usize,
                            _: *mut u8,
                        );
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import4(
                        _: i32,
                        _: *mut u8,
                        _: usize,
                        _: *mut u8,
                        _: usize,
                        _: *mut u8,
                    ) {
                        unreachable!()
                    }
                    wit_import4(
                        result1_0,
                        result1_1,
                        result1_2,
                        ptr2.cast_mut(),
                        len2,
                        ptr3,
                    );
                    let l5 = i32::from(*ptr3.add(0).cast::<u8>());
                    let result12 = match l5 {
                        0 => {
                            let e = ();
                            Ok(e)
                        }
                        1 => {
                            let e = {
                                let l6 = *ptr3
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l7 = *ptr3
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len8 = l7;
                                let bytes8 = _rt::Vec::from_raw_parts(
                                    l6.cast(),
                                    len8,
                                    len8,
                                );
                                let l9 = *ptr3
                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l10 = *ptr3
                                    .add(4 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len11 = l10;
                                let bytes11 = _rt::Vec::from_raw_parts(
                                    l9.cast(),
                                    len11,
                                    len11,
                                );
                                super::super::super::__with_name0::Error {
                                    code: _rt::string_lift(bytes8),
                                    message: _rt::string_lift(bytes11),
                                }
                            };
                            Err(e)
                        }
                        _ => _rt::invalid_enum_discriminant(),
                    };
                    result12
                }
            }
            #[allow(unused_unsafe, clippy::all)]
            /// Adds to a counter, at once for all who count, and answers what it has come to; one that is not there begins at 0. A
            /// counter is eight bytes, little end first, and stays at its bounds. `ttl-seconds` holds from when the counter begins: a
            /// later increment does not prolong it, so that it counts per period.
            #[allow(async_fn_in_trait)]
            pub fn increment(
                namespace: ::core::option::Option<&str>,
                key: &str,
                by: i64,
                ttl_seconds: ::core::option::Option<u32>,
            ) -> ::core::result::Result<i64, Error> {
                unsafe {
                    #[repr(align(8))]
                    struct RetArea(
                        [::core::mem::MaybeUninit<
                            u8,
                        >; 8 + 4 * ::core::mem::size_of::<*const u8>()],
                    );
                    let mut ret_area = RetArea(
                        [::core::mem::MaybeUninit::uninit(); 8
                            + 4 * ::core::mem::size_of::<*const u8>()],
                    );
                    let (result1_0, result1_1, result1_2) = match namespace {
                        Some(e) => {
                            let vec0 = e;
                            let ptr0 = vec0.as_ptr().cast::<u8>();
                            let len0 = vec0.len();
                            (1i32, ptr0.cast_mut(), len0)
                        }
                        None => (0i32, ::core::ptr::null_mut(), 0usize),
                    };
                    let vec2 = key;
                    let ptr2 = vec2.as_ptr().cast::<u8>();
                    let len2 = vec2.len();
                    let (result3_0, result3_1) = match ttl_seconds {
                        Some(e) => (1i32, _rt::as_i32(e)),
                        None => (0i32, 0i32),
                    };
                    let ptr4 = ret_area.0.as_mut_ptr().cast::<u8>();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "tuffet:policy/kv@1.0.0")]
                    unsafe extern "C" {
                        #[link_name = "increment"]
                        fn wit_import5(
                            _: i32,
                            _: *mut u8,
                            _: usize,
                            _: *mut u8,
                            _: usize,
                            _: i64,
                            _: i32,
                            _: i32,
                            _: *mut u8,
                        );
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import5(
                        _: i32,
                        _: *mut u8,
                        _: usize,
                        _: *mut u8,
                        _: usize,
                        _: i64,
                        _: i32,
                        _: i32,
                        _: *mut u8,
                    ) {
                        unreachable!()
                    }
                    wit_import5(
                        result1_0,
                        result1_1,
                        result1_2,
                        ptr2.cast_mut(),
                        len2,
                        _rt::as_i64(&by),
                        result3_0,
                        result3_1,
                        ptr4,
                    );
                    let l6 = i32::from(*ptr4.add(0).cast::<u8>());
                    let result14 = match l6 {
                        0 => {
                            let e = {
                                let l7 = *ptr4.add(8).cast::<i64>();
                                l7
                            };
                            Ok(e)
                        }
                        1 => {
                            let e = {
                                let l8 = *ptr4.add(8).cast::<*mut u8>();
                                let l9 = *ptr4
                                    .add(8 + 1 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len10 = l9;
                                let bytes10 = _rt::Vec::from_raw_parts(
                                    l8.cast(),
                                    len10,
                                    len10,
                                );
                                let l11 = *ptr4
                                    .add(8 + 2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l12 = *ptr4
                                    .add(8 + 3 * ::core::mem::size_of::<*const u8>())
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
            /// Replaces the value if the key still has this revision; with none, creates the key if it is not there. Answers the new
            /// revision, or none where the key has another one: read it again, and decide anew. `ttl-seconds` as for `set`. A call
            /// that failed as `unavailable` may have replaced the value all the same.
            #[allow(async_fn_in_trait)]
            pub fn swap(
                namespace: ::core::option::Option<&str>,
                key: &str,
                revision: ::core::option::Option<u64>,
                value: &[u8],
                ttl_seconds: ::core::option::Option<u32>,
            ) -> ::core::result::Result<::core::option::Option<u64>, Error> {
                unsafe {
                    #[repr(align(8))]
                    struct RetArea(
                        [::core::mem::MaybeUninit<
                            u8,
                        >; 8 + 4 * ::core::mem::size_of::<*const u8>()],
                    );
                    let mut ret_area = RetArea(
                        [::core::mem::MaybeUninit::uninit(); 8
                            + 4 * ::core::mem::size_of::<*const u8>()],
                    );
                    let (result1_0, result1_1, result1_2) = match namespace {
                        Some(e) => {
                            let vec0 = e;
                            let ptr0 = vec0.as_ptr().cast::<u8>();
                            let len0 = vec0.len();
                            (1i32, ptr0.cast_mut(), len0)
                        }
                        None => (0i32, ::core::ptr::null_mut(), 0usize),
                    };
                    let vec2 = key;
                    let ptr2 = vec2.as_ptr().cast::<u8>();
                    let len2 = vec2.len();
                    let (result3_0, result3_1) = match revision {
                        Some(e) => (1i32, _rt::as_i64(e)),
                        None => (0i32, 0i64),
                    };
                    let vec4 = value;
                    let ptr4 = vec4.as_ptr().cast::<u8>();
                    let len4 = vec4.len();
                    let (result5_0, result5_1) = match ttl_seconds {
                        Some(e) => (1i32, _rt::as_i32(e)),
                        None => (0i32, 0i32),
                    };
                    let ptr6 = ret_area.0.as_mut_ptr().cast::<u8>();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "tuffet:policy/kv@1.0.0")]
                    unsafe extern "C" {
                        #[link_name = "swap"]
                        fn wit_import7(
                            _: i32,
                            _: *mut u8,
                            _: usize,
                            _: *mut u8,
                            _: usize,
                            _: i32,
                            _: i64,
                            _: *mut u8,
                            _: usize,
                            _: i32,
                            _: i32,
                            _: *mut u8,
                        );
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import7(
                        _: i32,
                        _: *mut u8,
                        _: usize,
                        _: *mut u8,
                        _: usize,
                        _: i32,
                        _: i64,
                        _: *mut u8,
                        _: usize,
                        _: i32,
                        _: i32,
                        _: *mut u8,
                    ) {
                        unreachable!()
                    }
                    wit_import7(
                        result1_0,
                        result1_1,
                        result1_2,
                        ptr2.cast_mut(),
                        len2,
                        result3_0,
                        result3_1,
                        ptr4.cast_mut(),
                        len4,
                        result5_0,
                        result5_1,
                        ptr6,
                    );
                    let l8 = i32::from(*ptr6.add(0).cast::<u8>());
                    let result17 = match l8 {
                        0 => {
                            let e = {
                                let l9 = i32::from(*ptr6.add(8).cast::<u8>());
                                match l9 {
                                    0 => None,
                                    1 => {
                                        let e = {
                                            let l10 = *ptr6.add(16).cast::<i64>();
                                            l10 as u64
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
                                let l11 = *ptr6.add(8).cast::<*mut u8>();
                                let l12 = *ptr6
                                    .add(8 + 1 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len13 = l12;
                                let bytes13 = _rt::Vec::from_raw_parts(
                                    l11.cast(),
                                    len13,
                                    len13,
                                );
                                let l14 = *ptr6
                                    .add(8 + 2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l15 = *ptr6
                                    .add(8 + 3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len16 = l15;
                                let bytes16 = _rt::Vec::from_raw_parts(
                                    l14.cast(),
                                    len16,
                                    len16,
                                );
                                super::super::super::__with_name0::Error {
                                    code: _rt::string_lift(bytes13),
                                    message: _rt::string_lift(bytes16),
                                }
                            };
                            Err(e)
                        }
                        _ => _rt::invalid_enum_discriminant(),
                    };
                    result17
                }
            }
            #[allow(unused_unsafe, clippy::all)]
            /// Keys that begin with `prefix`, and their entries, in the order of the bytes of the keys: at most `limit`, never more
            /// than 1000, and once it has 1 MiB of keys and values, no further one. `after` is the last key of the page before; an
            /// empty page is the end. It is no snapshot: a key that is created or removed between two pages may be there or not. Where
            /// servers share a bucket, changes of others appear here a moment later.
            #[allow(async_fn_in_trait)]
            pub fn list(
                namespace: ::core::option::Option<&str>,
                prefix: &str,
                after: ::core::option::Option<&str>,
                limit: u32,
            ) -> ::core::result::Result<_rt::Vec<Listed>, Error> {
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
                    let (result1_0, result1_1, result1_2) = match namespace {
                        Some(e) => {
                            let vec0 = e;
                            let ptr0 = vec0.as_ptr().cast::<u8>();
                            let len0 = vec0.len();
                            (1i32, ptr0.cast_mut(), len0)
                        }
                        None => (0i32, ::core::ptr::null_mut(), 0usize),
                    };
                    let vec2 = prefix;
                    let ptr2 = vec2.as_ptr().cast::<u8>();
                    let len2 = vec2.len();
                    let (result4_0, result4_1, result4_2) = match after {
                        Some(e) => {
                            let vec3 = e;
                            let ptr3 = vec3.as_ptr().cast::<u8>();
                            let len3 = vec3.len();
                            (1i32, ptr3.cast_mut(), len3)
                        }
                        None => (0i32, ::core::ptr::null_mut(), 0usize),
                    };
                    let ptr5 = ret_area.0.as_mut_ptr().cast::<u8>();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "tuffet:policy/kv@1.0.0")]
                    unsafe extern "C" {
                        #[link_name = "list"]
                        fn wit_import6(
                            _: i32,
                            _: *mut u8,
                            _: usize,
                            _: *mut u8,
                            _: usize,
                            _: i32,
                            _: *mut u8,
                            _: usize,
                            _: i32,
                            _: *mut u8,
                        );
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import6(
                        _: i32,
                        _: *mut u8,
                        _: usize,
                        _: *mut u8,
                        _: usize,
                        _: i32,
                        _: *mut u8,
                        _: usize,
                        _: i32,
                        _: *mut u8,
                    ) {
                        unreachable!()
                    }
                    wit_import6(
                        result1_0,
                        result1_1,
                        result1_2,
                        ptr2.cast_mut(),
                        len2,
                        result4_0,
                        result4_1,
                        result4_2,
                        _rt::as_i32(&limit),
                        ptr5,
                    );
                    let l7 = i32::from(*ptr5.add(0).cast::<u8>());
                    let result24 = match l7 {
                        0 => {
                            let e = {
                                let l8 = *ptr5
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l9 = *ptr5
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let base17 = l8;
                                let len17 = l9;
                                let mut result17 = _rt::Vec::with_capacity(len17);
                                for i in 0..len17 {
                                    let base = base17
                                        .add(i * (8 + 4 * ::core::mem::size_of::<*const u8>()));
                                    let e17 = {
                                        let l10 = *base.add(0).cast::<*mut u8>();
                                        let l11 = *base
                                            .add(::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        let len12 = l11;
                                        let bytes12 = _rt::Vec::from_raw_parts(
                                            l10.cast(),
                                            len12,
                                            len12,
                                        );
                                        let l13 = *base
                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>();
                                        let l14 = *base
                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        let len15 = l14;
                                        let l16 = *base
                                            .add(4 * ::core::mem::size_of::<*const u8>())
                                            .cast::<i64>();
                                        Listed {
                                            key: _rt::string_lift(bytes12),
                                            entry: Entry {
                                                value: <_ as From<
                                                    _rt::Vec<_>,
                                                >>::from(
                                                    _rt::Vec::from_raw_parts(l13.cast(), len15, len15),
                                                ),
                                                revision: l16 as u64,
                                            },
                                        }
                                    };
                                    result17.push(e17);
                                }
                                _rt::cabi_dealloc(
                                    base17,
                                    len17 * (8 + 4 * ::core::mem::size_of::<*const u8>()),
                                    8,
                                );
                                result17
                            };
                            Ok(e)
                        }
                        1 => {
                            let e = {
                                let l18 = *ptr5
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l19 = *ptr5
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len20 = l19;
                                let bytes20 = _rt::Vec::from_raw_parts(
                                    l18.cast(),
                                    len20,
                                    len20,
                                );
                                let l21 = *ptr5
                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l22 = *ptr5
                                    .add(4 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len23 = l22;
                                let bytes23 = _rt::Vec::from_raw_parts(
                                    l21.cast(),
                                    len23,
                                    len23,
                                );
                                super::super::super::__with_name0::Error {
                                    code: _rt::string_lift(bytes20),
                                    message: _rt::string_lift(bytes23),
                                }
                            };
                            Err(e)
                        }
                        _ => _rt::invalid_enum_discriminant(),
                    };
                    result24
                }
            }
            #[allow(unused_unsafe, clippy::all)]
            /// Removes keys that begin with `prefix`, at most 1000, and answers how many; call it until that is 0. A key that is
            /// changed meanwhile may stay, and so may one that another server has created a moment ago.
            #[allow(async_fn_in_trait)]
            pub fn delete_prefix(
                namespace: ::core::option::Option<&str>,
                prefix: &str,
            ) -> ::core::result::Result<u32, Error> {
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
                    let (result1_0, result1_1, result1_2) = match namespace {
                        Some(e) => {
                            let vec0 = e;
                            let ptr0 = vec0.as_ptr().cast::<u8>();
                            let len0 = vec0.len();
                            (1i32, ptr0.cast_mut(), len0)
                        }
                        None => (0i32, ::core::ptr::null_mut(), 0usize),
                    };
                    let vec2 = prefix;
                    let ptr2 = vec2.as_ptr().cast::<u8>();
                    let len2 = vec2.len();
                    let ptr3 = ret_area.0.as_mut_ptr().cast::<u8>();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "tuffet:policy/kv@1.0.0")]
                    unsafe extern "C" {
                        #[link_name = "delete-prefix"]
                        fn wit_import4(
                            _: i32,
                            _: *mut u8,
                            _: usize,
                            _: *mut u8,
                            _: usize,
                            _: *mut u8,
                        );
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import4(
                        _: i32,
                        _: *mut u8,
                        _: usize,
                        _: *mut u8,
                        _: usize,
                        _: *mut u8,
                    ) {
                        unreachable!()
                    }
                    wit_import4(
                        result1_0,
                        result1_1,
                        result1_2,
                        ptr2.cast_mut(),
                        len2,
                        ptr3,
                    );
                    let l5 = i32::from(*ptr3.add(0).cast::<u8>());
                    let result13 = match l5 {
                        0 => {
                            let e = {
                                let l6 = *ptr3
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<i32>();
                                l6 as u32
                            };
                            Ok(e)
                        }
                        1 => {
                            let e = {
                                let l7 = *ptr3
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l8 = *ptr3
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len9 = l8;
                                let bytes9 = _rt::Vec::from_raw_parts(
                                    l7.cast(),
                                    len9,
                                    len9,
                                );
                                let l10 = *ptr3
                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l11 = *ptr3
                                    .add(4 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let len12 = l11;
                                let bytes12 = _rt::Vec::from_raw_parts(
                                    l10.cast(),
                                    len12,
                                    len12,
                                );
                                super::super::super::__with_name0::Error {
                                    code: _rt::string_lift(bytes9),
                                    message: _rt::string_lift(bytes12),
                                }
                            };
                            Err(e)
                        }
                        _ => _rt::invalid_enum_discriminant(),
                    };
                    result13
                }
            }
        }
    }
}
mod _rt {
    #![allow(dead_code, unused_imports, clippy::all)]
    pub use alloc_crate::vec::Vec;
    pub use alloc_crate::string::String;
    pub unsafe fn invalid_enum_discriminant<T>() -> T {
        if cfg!(debug_assertions) {
            panic!("invalid enum discriminant")
        } else {
            unsafe { core::hint::unreachable_unchecked() }
        }
    }
    pub unsafe fn string_lift(bytes: Vec<u8>) -> String {
        if cfg!(debug_assertions) {
            String::from_utf8(bytes).unwrap()
        } else {
            unsafe { String::from_utf8_unchecked(bytes) }
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
#[cfg(target_arch = "wasm32")]
#[unsafe(link_section = "component-type:wit-bindgen:0.61.1:tuffet:sdk:kv:encoded world")]
#[doc(hidden)]
#[allow(clippy::octal_escapes)]
pub static __WIT_BINDGEN_COMPONENT_TYPE: [u8; 1531] = *b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\x82\x0b\x01A\x02\x01\
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
\0*\x03\0\x19tuffet:policy/types@1.0.0\x05\0\x02\x03\0\0\x05error\x01B\x20\x02\x03\
\x02\x01\x01\x04\0\x05error\x03\0\0\x01p}\x01r\x02\x05value\x02\x08revisionw\x04\
\0\x05entry\x03\0\x03\x01r\x02\x03keys\x05entry\x04\x04\0\x06listed\x03\0\x05\x01\
ks\x01k\x04\x01j\x01\x08\x01\x01\x01@\x02\x09namespace\x07\x03keys\0\x09\x04\0\x03\
get\x01\x0a\x01ky\x01j\0\x01\x01\x01@\x04\x09namespace\x07\x03keys\x05value\x02\x0b\
ttl-seconds\x0b\0\x0c\x04\0\x03set\x01\x0d\x01@\x02\x09namespace\x07\x03keys\0\x0c\
\x04\0\x06delete\x01\x0e\x01j\x01x\x01\x01\x01@\x04\x09namespace\x07\x03keys\x02\
byx\x0bttl-seconds\x0b\0\x0f\x04\0\x09increment\x01\x10\x01kw\x01j\x01\x11\x01\x01\
\x01@\x05\x09namespace\x07\x03keys\x08revision\x11\x05value\x02\x0bttl-seconds\x0b\
\0\x12\x04\0\x04swap\x01\x13\x01p\x06\x01j\x01\x14\x01\x01\x01@\x04\x09namespace\
\x07\x06prefixs\x05after\x07\x05limity\0\x15\x04\0\x04list\x01\x16\x01j\x01y\x01\
\x01\x01@\x02\x09namespace\x07\x06prefixs\0\x17\x04\0\x0ddelete-prefix\x01\x18\x03\
\0\x16tuffet:policy/kv@1.0.0\x05\x02\x04\0\x0dtuffet:sdk/kv\x04\0\x0b\x08\x01\0\x02\
kv\x03\0\0\0G\x09producers\x01\x0cprocessed-by\x02\x0dwit-component\x070.258.3\x10\
wit-bindgen-rust\x060.61.1";
#[inline(never)]
#[doc(hidden)]
pub fn __link_custom_section_describing_imports() {
    wit_bindgen::rt::maybe_link_cabi_realloc();
}
