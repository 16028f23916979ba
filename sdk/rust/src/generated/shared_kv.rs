#[allow(unfulfilled_lint_expectations, unused_imports)]
use crate::bindings::kv::tuffet::policy::kv as __with_name0;
#[allow(dead_code, clippy::all)]
pub mod tuffet {
    pub mod policy {
        /// Namespaces that plugins share, and where the keys are in a bucket of NATS, servers too. Grant `kv/NAME` for each.
        /// Bounds, errors and meaning are those of `kv`; the bounds on keys and bytes are those of the plugin that writes.
        #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
        pub mod shared_kv {
            #[used]
            #[doc(hidden)]
            static __FORCE_SECTION_REF: fn() = super::super::super::__link_custom_section_describing_imports;
            use super::super::super::_rt;
            pub type Entry = super::super::super::__with_name0::Entry;
            pub type Error = super::super::super::__with_name0::Error;
            #[allow(unused_unsafe, clippy::all)]
            #[allow(async_fn_in_trait)]
            pub fn get(
                namespace: &str,
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
                    let vec0 = namespace;
                    let ptr0 = vec0.as_ptr().cast::<u8>();
                    let len0 = vec0.len();
                    let vec1 = key;
                    let ptr1 = vec1.as_ptr().cast::<u8>();
                    let len1 = vec1.len();
                    let ptr2 = ret_area.0.as_mut_ptr().cast::<u8>();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "tuffet:policy/shared-kv@0.2.0")]
                    unsafe extern "C" {
                        #[link_name = "get"]
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
                    let result21 = match l4 {
                        0 => {
                            let e = {
                                let l5 = i32::from(*ptr2.add(8).cast::<u8>());
                                match l5 {
                                    0 => None,
                                    1 => {
                                        let e = {
                                            let l6 = *ptr2.add(16).cast::<*mut u8>();
                                            let l7 = *ptr2
                                                .add(16 + 1 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len8 = l7;
                                            let l9 = *ptr2
                                                .add(16 + 2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<i64>();
                                            super::super::super::__with_name0::Entry {
                                                value: <_ as From<
                                                    _rt::Vec<_>,
                                                >>::from(_rt::Vec::from_raw_parts(l6.cast(), len8, len8)),
                                                revision: l9 as u64,
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
                                let l10 = i32::from(*ptr2.add(8).cast::<u8>());
                                use super::super::super::__with_name0::Error as V20;
                                let v20 = match l10 {
                                    0 => {
                                        let e20 = {
                                            let l11 = *ptr2
                                                .add(8 + 1 * ::core::mem::size_of::<*const u8>())
                                                .cast::<*mut u8>();
                                            let l12 = *ptr2
                                                .add(8 + 2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len13 = l12;
                                            let bytes13 = _rt::Vec::from_raw_parts(
                                                l11.cast(),
                                                len13,
                                                len13,
                                            );
                                            _rt::string_lift(bytes13)
                                        };
                                        V20::Denied(e20)
                                    }
                                    1 => V20::Quota,
                                    2 => {
                                        let e20 = {
                                            let l14 = *ptr2
                                                .add(8 + 1 * ::core::mem::size_of::<*const u8>())
                                                .cast::<*mut u8>();
                                            let l15 = *ptr2
                                                .add(8 + 2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len16 = l15;
                                            let bytes16 = _rt::Vec::from_raw_parts(
                                                l14.cast(),
                                                len16,
                                                len16,
                                            );
                                            _rt::string_lift(bytes16)
                                        };
                                        V20::Invalid(e20)
                                    }
                                    n => {
                                        debug_assert_eq!(n, 3, "invalid enum discriminant");
                                        let e20 = {
                                            let l17 = *ptr2
                                                .add(8 + 1 * ::core::mem::size_of::<*const u8>())
                                                .cast::<*mut u8>();
                                            let l18 = *ptr2
                                                .add(8 + 2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len19 = l18;
                                            let bytes19 = _rt::Vec::from_raw_parts(
                                                l17.cast(),
                                                len19,
                                                len19,
                                            );
                                            _rt::string_lift(bytes19)
                                        };
                                        V20::Unavailable(e20)
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
            #[allow(unused_unsafe, clippy::all)]
            #[allow(async_fn_in_trait)]
            pub fn set(
                namespace: &str,
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
                        >; 4 * ::core::mem::size_of::<*const u8>()],
                    );
                    let mut ret_area = RetArea(
                        [::core::mem::MaybeUninit::uninit(); 4
                            * ::core::mem::size_of::<*const u8>()],
                    );
                    let vec0 = namespace;
                    let ptr0 = vec0.as_ptr().cast::<u8>();
                    let len0 = vec0.len();
                    let vec1 = key;
                    let ptr1 = vec1.as_ptr().cast::<u8>();
                    let len1 = vec1.len();
                    let vec2 = value;
                    let ptr2 = vec2.as_ptr().cast::<u8>();
                    let len2 = vec2.len();
                    let (result3_0, result3_1) = match ttl_seconds {
                        Some(e) => (1i32, _rt::as_i32(e)),
                        None => (0i32, 0i32),
                    };
                    let ptr4 = ret_area.0.as_mut_ptr().cast::<u8>();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "tuffet:policy/shared-kv@0.2.0")]
                    unsafe extern "C" {
                        #[link_name = "set"]
                        fn wit_import5(
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
                    unsafe extern "C" fn wit_import5(
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
                    wit_import5(
                        ptr0.cast_mut(),
                        len0,
                        ptr1.cast_mut(),
                        len1,
                        ptr2.cast_mut(),
                        len2,
                        result3_0,
                        result3_1,
                        ptr4,
                    );
                    let l6 = i32::from(*ptr4.add(0).cast::<u8>());
                    let result18 = match l6 {
                        0 => {
                            let e = ();
                            Ok(e)
                        }
                        1 => {
                            let e = {
                                let l7 = i32::from(
                                    *ptr4.add(::core::mem::size_of::<*const u8>()).cast::<u8>(),
                                );
                                use super::super::super::__with_name0::Error as V17;
                                let v17 = match l7 {
                                    0 => {
                                        let e17 = {
                                            let l8 = *ptr4
                                                .add(2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<*mut u8>();
                                            let l9 = *ptr4
                                                .add(3 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len10 = l9;
                                            let bytes10 = _rt::Vec::from_raw_parts(
                                                l8.cast(),
                                                len10,
                                                len10,
                                            );
                                            _rt::string_lift(bytes10)
                                        };
                                        V17::Denied(e17)
                                    }
                                    1 => V17::Quota,
                                    2 => {
                                        let e17 = {
                                            let l11 = *ptr4
                                                .add(2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<*mut u8>();
                                            let l12 = *ptr4
                                                .add(3 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len13 = l12;
                                            let bytes13 = _rt::Vec::from_raw_parts(
                                                l11.cast(),
                                                len13,
                                                len13,
                                            );
                                            _rt::string_lift(bytes13)
                                        };
                                        V17::Invalid(e17)
                                    }
                                    n => {
                                        debug_assert_eq!(n, 3, "invalid enum discriminant");
                                        let e17 = {
                                            let l14 = *ptr4
                                                .add(2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<*mut u8>();
                                            let l15 = *ptr4
                                                .add(3 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len16 = l15;
                                            let bytes16 = _rt::Vec::from_raw_parts(
                                                l14.cast(),
                                                len16,
                                                len16,
                                            );
                                            _rt::string_lift(bytes16)
                                        };
                                        V17::Unavailable(e17)
                                    }
                                };
                                v17
                            };
                            Err(e)
                        }
                        _ => _rt::invalid_enum_discriminant(),
                    };
                    result18
                }
            }
            #[allow(unused_unsafe, clippy::all)]
            #[allow(async_fn_in_trait)]
            pub fn delete(
                namespace: &str,
                key: &str,
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
                    let vec0 = namespace;
                    let ptr0 = vec0.as_ptr().cast::<u8>();
                    let len0 = vec0.len();
                    let vec1 = key;
                    let ptr1 = vec1.as_ptr().cast::<u8>();
                    let len1 = vec1.len();
                    let ptr2 = ret_area.0.as_mut_ptr().cast::<u8>();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "tuffet:policy/shared-kv@0.2.0")]
                    unsafe extern "C" {
                        #[link_name = "delete"]
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
                    let result16 = match l4 {
                        0 => {
                            let e = ();
                            Ok(e)
                        }
                        1 => {
                            let e = {
                                let l5 = i32::from(
                                    *ptr2.add(::core::mem::size_of::<*const u8>()).cast::<u8>(),
                                );
                                use super::super::super::__with_name0::Error as V15;
                                let v15 = match l5 {
                                    0 => {
                                        let e15 = {
                                            let l6 = *ptr2
                                                .add(2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<*mut u8>();
                                            let l7 = *ptr2
                                                .add(3 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len8 = l7;
                                            let bytes8 = _rt::Vec::from_raw_parts(
                                                l6.cast(),
                                                len8,
                                                len8,
                                            );
                                            _rt::string_lift(bytes8)
                                        };
                                        V15::Denied(e15)
                                    }
                                    1 => V15::Quota,
                                    2 => {
                                        let e15 = {
                                            let l9 = *ptr2
                                                .add(2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<*mut u8>();
                                            let l10 = *ptr2
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
                                        V15::Invalid(e15)
                                    }
                                    n => {
                                        debug_assert_eq!(n, 3, "invalid enum discriminant");
                                        let e15 = {
                                            let l12 = *ptr2
                                                .add(2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<*mut u8>();
                                            let l13 = *ptr2
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
                                        V15::Unavailable(e15)
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
            #[allow(async_fn_in_trait)]
            pub fn increment(
                namespace: &str,
                key: &str,
                by: i64,
                ttl_seconds: ::core::option::Option<u32>,
            ) -> ::core::result::Result<i64, Error> {
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
                    let vec0 = namespace;
                    let ptr0 = vec0.as_ptr().cast::<u8>();
                    let len0 = vec0.len();
                    let vec1 = key;
                    let ptr1 = vec1.as_ptr().cast::<u8>();
                    let len1 = vec1.len();
                    let (result2_0, result2_1) = match ttl_seconds {
                        Some(e) => (1i32, _rt::as_i32(e)),
                        None => (0i32, 0i32),
                    };
                    let ptr3 = ret_area.0.as_mut_ptr().cast::<u8>();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "tuffet:policy/shared-kv@0.2.0")]
                    unsafe extern "C" {
                        #[link_name = "increment"]
                        fn wit_import4(
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
                    unsafe extern "C" fn wit_import4(
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
                    wit_import4(
                        ptr0.cast_mut(),
                        len0,
                        ptr1.cast_mut(),
                        len1,
                        _rt::as_i64(&by),
                        result2_0,
                        result2_1,
                        ptr3,
                    );
                    let l5 = i32::from(*ptr3.add(0).cast::<u8>());
                    let result18 = match l5 {
                        0 => {
                            let e = {
                                let l6 = *ptr3.add(8).cast::<i64>();
                                l6
                            };
                            Ok(e)
                        }
                        1 => {
                            let e = {
                                let l7 = i32::from(*ptr3.add(8).cast::<u8>());
                                use super::super::super::__with_name0::Error as V17;
                                let v17 = match l7 {
                                    0 => {
                                        let e17 = {
                                            let l8 = *ptr3
                                                .add(8 + 1 * ::core::mem::size_of::<*const u8>())
                                                .cast::<*mut u8>();
                                            let l9 = *ptr3
                                                .add(8 + 2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len10 = l9;
                                            let bytes10 = _rt::Vec::from_raw_parts(
                                                l8.cast(),
                                                len10,
                                                len10,
                                            );
                                            _rt::string_lift(bytes10)
                                        };
                                        V17::Denied(e17)
                                    }
                                    1 => V17::Quota,
                                    2 => {
                                        let e17 = {
                                            let l11 = *ptr3
                                                .add(8 + 1 * ::core::mem::size_of::<*const u8>())
                                                .cast::<*mut u8>();
                                            let l12 = *ptr3
                                                .add(8 + 2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len13 = l12;
                                            let bytes13 = _rt::Vec::from_raw_parts(
                                                l11.cast(),
                                                len13,
                                                len13,
                                            );
                                            _rt::string_lift(bytes13)
                                        };
                                        V17::Invalid(e17)
                                    }
                                    n => {
                                        debug_assert_eq!(n, 3, "invalid enum discriminant");
                                        let e17 = {
                                            let l14 = *ptr3
                                                .add(8 + 1 * ::core::mem::size_of::<*const u8>())
                                                .cast::<*mut u8>();
                                            let l15 = *ptr3
                                                .add(8 + 2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len16 = l15;
                                            let bytes16 = _rt::Vec::from_raw_parts(
                                                l14.cast(),
                                                len16,
                                                len16,
                                            );
                                            _rt::string_lift(bytes16)
                                        };
                                        V17::Unavailable(e17)
                                    }
                                };
                                v17
                            };
                            Err(e)
                        }
                        _ => _rt::invalid_enum_discriminant(),
                    };
                    result18
                }
            }
            #[allow(unused_unsafe, clippy::all)]
            #[allow(async_fn_in_trait)]
            pub fn swap(
                namespace: &str,
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
                        >; 16 + 2 * ::core::mem::size_of::<*const u8>()],
                    );
                    let mut ret_area = RetArea(
                        [::core::mem::MaybeUninit::uninit(); 16
                            + 2 * ::core::mem::size_of::<*const u8>()],
                    );
                    let vec0 = namespace;
                    let ptr0 = vec0.as_ptr().cast::<u8>();
                    let len0 = vec0.len();
                    let vec1 = key;
                    let ptr1 = vec1.as_ptr().cast::<u8>();
                    let len1 = vec1.len();
                    let (result2_0, result2_1) = match revision {
                        Some(e) => (1i32, _rt::as_i64(e)),
                        None => (0i32, 0i64),
                    };
                    let vec3 = value;
                    let ptr3 = vec3.as_ptr().cast::<u8>();
                    let len3 = vec3.len();
                    let (result4_0, result4_1) = match ttl_seconds {
                        Some(e) => (1i32, _rt::as_i32(e)),
                        None => (0i32, 0i32),
                    };
                    let ptr5 = ret_area.0.as_mut_ptr().cast::<u8>();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "tuffet:policy/shared-kv@0.2.0")]
                    unsafe extern "C" {
                        #[link_name = "swap"]
                        fn wit_import6(
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
                    unsafe extern "C" fn wit_import6(
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
                    wit_import6(
                        ptr0.cast_mut(),
                        len0,
                        ptr1.cast_mut(),
                        len1,
                        result2_0,
                        result2_1,
                        ptr3.cast_mut(),
                        len3,
                        result4_0,
                        result4_1,
                        ptr5,
                    );
                    let l7 = i32::from(*ptr5.add(0).cast::<u8>());
                    let result21 = match l7 {
                        0 => {
                            let e = {
                                let l8 = i32::from(*ptr5.add(8).cast::<u8>());
                                match l8 {
                                    0 => None,
                                    1 => {
                                        let e = {
                                            let l9 = *ptr5.add(16).cast::<i64>();
                                            l9 as u64
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
                                let l10 = i32::from(*ptr5.add(8).cast::<u8>());
                                use super::super::super::__with_name0::Error as V20;
                                let v20 = match l10 {
                                    0 => {
                                        let e20 = {
                                            let l11 = *ptr5
                                                .add(8 + 1 * ::core::mem::size_of::<*const u8>())
                                                .cast::<*mut u8>();
                                            let l12 = *ptr5
                                                .add(8 + 2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len13 = l12;
                                            let bytes13 = _rt::Vec::from_raw_parts(
                                                l11.cast(),
                                                len13,
                                                len13,
                                            );
                                            _rt::string_lift(bytes13)
                                        };
                                        V20::Denied(e20)
                                    }
                                    1 => V20::Quota,
                                    2 => {
                                        let e20 = {
                                            let l14 = *ptr5
                                                .add(8 + 1 * ::core::mem::size_of::<*const u8>())
                                                .cast::<*mut u8>();
                                            let l15 = *ptr5
                                                .add(8 + 2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len16 = l15;
                                            let bytes16 = _rt::Vec::from_raw_parts(
                                                l14.cast(),
                                                len16,
                                                len16,
                                            );
                                            _rt::string_lift(bytes16)
                                        };
                                        V20::Invalid(e20)
                                    }
                                    n => {
                                        debug_assert_eq!(n, 3, "invalid enum discriminant");
                                        let e20 = {
                                            let l17 = *ptr5
                                                .add(8 + 1 * ::core::mem::size_of::<*const u8>())
                                                .cast::<*mut u8>();
                                            let l18 = *ptr5
                                                .add(8 + 2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len19 = l18;
                                            let bytes19 = _rt::Vec::from_raw_parts(
                                                l17.cast(),
                                                len19,
                                                len19,
                                            );
                                            _rt::string_lift(bytes19)
                                        };
                                        V20::Unavailable(e20)
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
            #[allow(unused_unsafe, clippy::all)]
            #[allow(async_fn_in_trait)]
            pub fn list(
                namespace: &str,
                prefix: &str,
                after: ::core::option::Option<&str>,
                limit: u32,
            ) -> ::core::result::Result<_rt::Vec<_rt::String>, Error> {
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
                    let vec0 = namespace;
                    let ptr0 = vec0.as_ptr().cast::<u8>();
                    let len0 = vec0.len();
                    let vec1 = prefix;
                    let ptr1 = vec1.as_ptr().cast::<u8>();
                    let len1 = vec1.len();
                    let (result3_0, result3_1, result3_2) = match after {
                        Some(e) => {
                            let vec2 = e;
                            let ptr2 = vec2.as_ptr().cast::<u8>();
                            let len2 = vec2.len();
                            (1i32, ptr2.cast_mut(), len2)
                        }
                        None => (0i32, ::core::ptr::null_mut(), 0usize),
                    };
                    let ptr4 = ret_area.0.as_mut_ptr().cast::<u8>();
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "tuffet:policy/shared-kv@0.2.0")]
                    unsafe extern "C" {
                        #[link_name = "list"]
                        fn wit_import5(
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
                    unsafe extern "C" fn wit_import5(
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
                    wit_import5(
                        ptr0.cast_mut(),
                        len0,
                        ptr1.cast_mut(),
                        len1,
                        result3_0,
                        result3_1,
                        result3_2,
                        _rt::as_i32(&limit),
                        ptr4,
                    );
                    let l6 = i32::from(*ptr4.add(0).cast::<u8>());
                    let result24 = match l6 {
                        0 => {
                            let e = {
                                let l7 = *ptr4
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l8 = *ptr4
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let base12 = l7;
                                let len12 = l8;
                                let mut result12 = _rt::Vec::with_capacity(len12);
                                for i in 0..len12 {
                                    let base = base12
                                        .add(i * (2 * ::core::mem::size_of::<*const u8>()));
                                    let e12 = {
                                        let l9 = *base.add(0).cast::<*mut u8>();
                                        let l10 = *base
                                            .add(::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        let len11 = l10;
                                        let bytes11 = _rt::Vec::from_raw_parts(
                                            l9.cast(),
                                            len11,
                                            len11,
                                        );
                                        _rt::string_lift(bytes11)
                                    };
                                    result12.push(e12);
                                }
                                _rt::cabi_dealloc(
                                    base12,
                                    len12 * (2 * ::core::mem::size_of::<*const u8>()),
                                    ::core::mem::size_of::<*const u8>(),
                                );
                                result12
                            };
                            Ok(e)
                        }
                        1 => {
                            let e = {
                                let l13 = i32::from(
                                    *ptr4.add(::core::mem::size_of::<*const u8>()).cast::<u8>(),
                                );
                                use super::super::super::__with_name0::Error as V23;
                                let v23 = match l13 {
                                    0 => {
                                        let e23 = {
                                            let l14 = *ptr4
                                                .add(2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<*mut u8>();
                                            let l15 = *ptr4
                                                .add(3 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len16 = l15;
                                            let bytes16 = _rt::Vec::from_raw_parts(
                                                l14.cast(),
                                                len16,
                                                len16,
                                            );
                                            _rt::string_lift(bytes16)
                                        };
                                        V23::Denied(e23)
                                    }
                                    1 => V23::Quota,
                                    2 => {
                                        let e23 = {
                                            let l17 = *ptr4
                                                .add(2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<*mut u8>();
                                            let l18 = *ptr4
                                                .add(3 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len19 = l18;
                                            let bytes19 = _rt::Vec::from_raw_parts(
                                                l17.cast(),
                                                len19,
                                                len19,
                                            );
                                            _rt::string_lift(bytes19)
                                        };
                                        V23::Invalid(e23)
                                    }
                                    n => {
                                        debug_assert_eq!(n, 3, "invalid enum discriminant");
                                        let e23 = {
                                            let l20 = *ptr4
                                                .add(2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<*mut u8>();
                                            let l21 = *ptr4
                                                .add(3 * ::core::mem::size_of::<*const u8>())
                                                .cast::<usize>();
                                            let len22 = l21;
                                            let bytes22 = _rt::Vec::from_raw_parts(
                                                l20.cast(),
                                                len22,
                                                len22,
                                            );
                                            _rt::string_lift(bytes22)
                                        };
                                        V23::Unavailable(e23)
                                    }
                                };
                                v23
                            };
                            Err(e)
                        }
                        _ => _rt::invalid_enum_discriminant(),
                    };
                    result24
                }
            }
        }
    }
}
mod _rt {
    #![allow(dead_code, unused_imports, clippy::all)]
    pub use alloc_crate::vec::Vec;
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
    pub use alloc_crate::string::String;
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
#[unsafe(
    link_section = "component-type:wit-bindgen:0.61.1:tuffet:sdk:shared-kv:encoded world"
)]
#[doc(hidden)]
#[allow(clippy::octal_escapes)]
pub static __WIT_BINDGEN_COMPONENT_TYPE: [u8; 966] = *b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xc6\x06\x01A\x02\x01\
A\x06\x01B\x1f\x01q\x04\x06denied\x01s\0\x05quota\0\0\x07invalid\x01s\0\x0bunava\
ilable\x01s\0\x04\0\x05error\x03\0\0\x01p}\x01r\x02\x05value\x02\x08revisionw\x04\
\0\x05entry\x03\0\x03\x01k\x02\x01j\x01\x05\x01\x01\x01@\x01\x03keys\0\x06\x04\0\
\x03get\x01\x07\x01ky\x01j\0\x01\x01\x01@\x03\x03keys\x05value\x02\x0bttl-second\
s\x08\0\x09\x04\0\x03set\x01\x0a\x01@\x01\x03keys\0\x09\x04\0\x06delete\x01\x0b\x01\
j\x01x\x01\x01\x01@\x03\x03keys\x02byx\x0bttl-seconds\x08\0\x0c\x04\0\x09increme\
nt\x01\x0d\x01k\x04\x01j\x01\x0e\x01\x01\x01@\x01\x03keys\0\x0f\x04\0\x09get-ent\
ry\x01\x10\x01kw\x01j\x01\x11\x01\x01\x01@\x04\x03keys\x08revision\x11\x05value\x02\
\x0bttl-seconds\x08\0\x12\x04\0\x04swap\x01\x13\x01ks\x01ps\x01j\x01\x15\x01\x01\
\x01@\x03\x06prefixs\x05after\x14\x05limity\0\x16\x04\0\x04list\x01\x17\x03\0\x16\
tuffet:policy/kv@0.2.0\x05\0\x02\x03\0\0\x05entry\x02\x03\0\0\x05error\x01B\x1b\x02\
\x03\x02\x01\x01\x04\0\x05entry\x03\0\0\x02\x03\x02\x01\x02\x04\0\x05error\x03\0\
\x02\x01k\x01\x01j\x01\x04\x01\x03\x01@\x02\x09namespaces\x03keys\0\x05\x04\0\x03\
get\x01\x06\x01p}\x01ky\x01j\0\x01\x03\x01@\x04\x09namespaces\x03keys\x05value\x07\
\x0bttl-seconds\x08\0\x09\x04\0\x03set\x01\x0a\x01@\x02\x09namespaces\x03keys\0\x09\
\x04\0\x06delete\x01\x0b\x01j\x01x\x01\x03\x01@\x04\x09namespaces\x03keys\x02byx\
\x0bttl-seconds\x08\0\x0c\x04\0\x09increment\x01\x0d\x01kw\x01j\x01\x0e\x01\x03\x01\
@\x05\x09namespaces\x03keys\x08revision\x0e\x05value\x07\x0bttl-seconds\x08\0\x0f\
\x04\0\x04swap\x01\x10\x01ks\x01ps\x01j\x01\x12\x01\x03\x01@\x04\x09namespaces\x06\
prefixs\x05after\x11\x05limity\0\x13\x04\0\x04list\x01\x14\x03\0\x1dtuffet:polic\
y/shared-kv@0.2.0\x05\x03\x04\0\x14tuffet:sdk/shared-kv\x04\0\x0b\x0f\x01\0\x09s\
hared-kv\x03\0\0\0G\x09producers\x01\x0cprocessed-by\x02\x0dwit-component\x070.2\
58.3\x10wit-bindgen-rust\x060.61.1";
#[inline(never)]
#[doc(hidden)]
pub fn __link_custom_section_describing_imports() {
    wit_bindgen::rt::maybe_link_cabi_realloc();
}
