#[allow(unfulfilled_lint_expectations, unused_imports)]
use crate::bindings::authorize::tuffet::policy::types as __with_name0;
#[allow(dead_code, clippy::all)]
pub mod exports {
    pub mod tuffet {
        pub mod policy {
            /// Content that is rendered in parts: what is larger than the bound on content, or takes longer than a call may. Clients
            /// read what there is while the rest is made. A plugin that exports this exports `resolve`, too; for each key that
            /// `resolve` answers as `rendered`, the host calls `begin` before `render`.
            #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
            pub mod render_parts {
                #[used]
                #[doc(hidden)]
                static __FORCE_SECTION_REF: fn() = super::super::super::super::__link_custom_section_describing_imports;
                use super::super::super::super::_rt;
                pub type Denial = super::super::super::super::__with_name0::Denial;
                /// What the parts come to.
                #[derive(Clone, Eq, PartialEq)]
                pub struct LargeContent {
                    /// As the name of a content.
                    pub name: ::core::option::Option<_rt::String>,
                    /// The bytes of all parts; bounded by the host.
                    pub size: u64,
                    /// As that of a rendering. Without it, the content holds until the configuration is loaded again. The host has it in
                    /// memory while a transfer needs it, and longer only while there is room.
                    pub ttl_seconds: ::core::option::Option<u32>,
                }
                impl ::core::fmt::Debug for LargeContent {
                    fn fmt(
                        &self,
                        f: &mut ::core::fmt::Formatter<'_>,
                    ) -> ::core::fmt::Result {
                        f.debug_struct("LargeContent")
                            .field("name", &self.name)
                            .field("size", &self.size)
                            .field("ttl-seconds", &self.ttl_seconds)
                            .finish()
                    }
                }
                #[doc(hidden)]
                #[allow(non_snake_case, unused_unsafe)]
                pub unsafe fn _export_begin_cabi<T_: Guest>(
                    arg0: *mut u8,
                    arg1: usize,
                ) -> *mut u8 {
                    unsafe {
                        #[cfg(target_arch = "wasm32")] _rt::run_ctors_once();
                        let result1 = {
                            let len0 = arg1;
                            let bytes0 = _rt::Vec::from_raw_parts(
                                arg0.cast(),
                                len0,
                                len0,
                            );
                            T_::begin(_rt::string_lift(bytes0))
                        };
                        let ptr2 = (&raw mut _RET_AREA.0).cast::<u8>();
                        match result1 {
                            Ok(e) => {
                                *ptr2.add(0).cast::<u8>() = (0i32) as u8;
                                match e {
                                    Some(e) => {
                                        *ptr2.add(8).cast::<u8>() = (1i32) as u8;
                                        let LargeContent {
                                            name: name3,
                                            size: size3,
                                            ttl_seconds: ttl_seconds3,
                                        } = e;
                                        match name3 {
                                            Some(e) => {
                                                *ptr2.add(16).cast::<u8>() = (1i32) as u8;
                                                let vec4 = (e.into_bytes()).into_boxed_slice();
                                                let ptr4 = vec4.as_ptr().cast::<u8>();
                                                let len4 = vec4.len();
                                                ::core::mem::forget(vec4);
                                                *ptr2
                                                    .add(16 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>() = len4;
                                                *ptr2
                                                    .add(16 + 1 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>() = ptr4.cast_mut();
                                            }
                                            None => {
                                                *ptr2.add(16).cast::<u8>() = (0i32) as u8;
                                            }
                                        };
                                        *ptr2
                                            .add(24 + 2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<i64>() = _rt::as_i64(size3);
                                        match ttl_seconds3 {
                                            Some(e) => {
                                                *ptr2
                                                    .add(32 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (1i32) as u8;
                                                *ptr2
                                                    .add(36 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<i32>() = _rt::as_i32(e);
                                            }
                                            None => {
                                                *ptr2
                                                    .add(32 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (0i32) as u8;
                                            }
                                        };
                                    }
                                    None => {
                                        *ptr2.add(8).cast::<u8>() = (0i32) as u8;
                                    }
                                };
                            }
                            Err(e) => {
                                *ptr2.add(0).cast::<u8>() = (1i32) as u8;
                                let super::super::super::super::__with_name0::Denial {
                                    code: code5,
                                    message: message5,
                                    reason: reason5,
                                } = e;
                                *ptr2.add(8).cast::<u8>() = (code5.clone() as i32) as u8;
                                let vec6 = (message5.into_bytes()).into_boxed_slice();
                                let ptr6 = vec6.as_ptr().cast::<u8>();
                                let len6 = vec6.len();
                                ::core::mem::forget(vec6);
                                *ptr2
                                    .add(8 + 2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len6;
                                *ptr2
                                    .add(8 + 1 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = ptr6.cast_mut();
                                let vec7 = (reason5.into_bytes()).into_boxed_slice();
                                let ptr7 = vec7.as_ptr().cast::<u8>();
                                let len7 = vec7.len();
                                ::core::mem::forget(vec7);
                                *ptr2
                                    .add(8 + 4 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len7;
                                *ptr2
                                    .add(8 + 3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = ptr7.cast_mut();
                            }
                        };
                        ptr2
                    }
                }
                #[doc(hidden)]
                #[allow(non_snake_case)]
                pub unsafe fn __post_return_begin<T_: Guest>(arg0: *mut u8) {
                    unsafe {
                        let l0 = i32::from(*arg0.add(0).cast::<u8>());
                        match l0 {
                            0 => {
                                let l1 = i32::from(*arg0.add(8).cast::<u8>());
                                match l1 {
                                    0 => {}
                                    _ => {
                                        let l2 = i32::from(*arg0.add(16).cast::<u8>());
                                        match l2 {
                                            0 => {}
                                            _ => {
                                                let l3 = *arg0
                                                    .add(16 + 1 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l4 = *arg0
                                                    .add(16 + 2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                _rt::cabi_dealloc(l3, l4, 1);
                                            }
                                        }
                                    }
                                }
                            }
                            _ => {
                                let l5 = *arg0
                                    .add(8 + 1 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l6 = *arg0
                                    .add(8 + 2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                _rt::cabi_dealloc(l5, l6, 1);
                                let l7 = *arg0
                                    .add(8 + 3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l8 = *arg0
                                    .add(8 + 4 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                _rt::cabi_dealloc(l7, l8, 1);
                            }
                        }
                    }
                }
                #[doc(hidden)]
                #[allow(non_snake_case, unused_unsafe)]
                pub unsafe fn _export_part_cabi<T_: Guest>(
                    arg0: *mut u8,
                    arg1: usize,
                    arg2: i64,
                    arg3: i32,
                ) -> *mut u8 {
                    unsafe {
                        #[cfg(target_arch = "wasm32")] _rt::run_ctors_once();
                        let result1 = {
                            let len0 = arg1;
                            let bytes0 = _rt::Vec::from_raw_parts(
                                arg0.cast(),
                                len0,
                                len0,
                            );
                            T_::part(_rt::string_lift(bytes0), arg2 as u64, arg3 as u32)
                        };
                        let ptr2 = (&raw mut _RET_AREA.0).cast::<u8>();
                        match result1 {
                            Ok(e) => {
                                *ptr2.add(0).cast::<u8>() = (0i32) as u8;
                                let vec3 = <_ as Into<_rt::Vec<_>>>::into(e)
                                    .into_boxed_slice();
                                let ptr3 = vec3.as_ptr().cast::<u8>();
                                let len3 = vec3.len();
                                ::core::mem::forget(vec3);
                                *ptr2
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len3;
                                *ptr2
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = ptr3.cast_mut();
                            }
                            Err(e) => {
                                *ptr2.add(0).cast::<u8>() = (1i32) as u8;
                                let super::super::super::super::__with_name0::Denial {
                                    code: code4,
                                    message: message4,
                                    reason: reason4,
                                } = e;
                                *ptr2
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<u8>() = (code4.clone() as i32) as u8;
                                let vec5 = (message4.into_bytes()).into_boxed_slice();
                                let ptr5 = vec5.as_ptr().cast::<u8>();
                                let len5 = vec5.len();
                                ::core::mem::forget(vec5);
                                *ptr2
                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len5;
                                *ptr2
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = ptr5.cast_mut();
                                let vec6 = (reason4.into_bytes()).into_boxed_slice();
                                let ptr6 = vec6.as_ptr().cast::<u8>();
                                let len6 = vec6.len();
                                ::core::mem::forget(vec6);
                                *ptr2
                                    .add(5 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len6;
                                *ptr2
                                    .add(4 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = ptr6.cast_mut();
                            }
                        };
                        ptr2
                    }
                }
                #[doc(hidden)]
                #[allow(non_snake_case)]
                pub unsafe fn __post_return_part<T_: Guest>(arg0: *mut u8) {
                    unsafe {
                        let l0 = i32::from(*arg0.add(0).cast::<u8>());
                        match l0 {
                            0 => {
                                let l1 = *arg0
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l2 = *arg0
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let base3 = l1;
                                let len3 = l2;
                                _rt::cabi_dealloc(base3, len3 * 1, 1);
                            }
                            _ => {
                                let l4 = *arg0
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l5 = *arg0
                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                _rt::cabi_dealloc(l4, l5, 1);
                                let l6 = *arg0
                                    .add(4 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l7 = *arg0
                                    .add(5 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                _rt::cabi_dealloc(l6, l7, 1);
                            }
                        }
                    }
                }
                pub trait Guest {
                    /// Begins the content for a key; with none, `render` makes it. Called once for all requests with this key, as
                    /// `render`. A denial answers all requests that wait for it.
                    #[allow(async_fn_in_trait)]
                    fn begin(
                        key: _rt::String,
                    ) -> ::core::result::Result<
                        ::core::option::Option<LargeContent>,
                        Denial,
                    >;
                    /// Renders bytes from `offset` on: at least one, at most `length`. The host calls it for one part after the other until
                    /// it has them all, or nobody needs them any more, each call with limits of its own and maybe in another instance: the
                    /// bytes may depend on key, offset, settings and grants alone. A denial, or a failed call, ends all transfers of this
                    /// content with an ERROR.
                    #[allow(async_fn_in_trait)]
                    fn part(
                        key: _rt::String,
                        offset: u64,
                        length: u32,
                    ) -> ::core::result::Result<_rt::Vec<u8>, Denial>;
                }
                #[doc(hidden)]
                #[macro_export]
                macro_rules! __export_tuffet_policy_render_parts_0_2_0_cabi {
                    ($ty:ident with_types_in $($path_to_types:tt)*) => {
                        const _ : () = { #[unsafe (export_name =
                        "tuffet:policy/render-parts@0.2.0#begin")] unsafe extern "C" fn
                        export_begin(arg0 : * mut u8, arg1 : usize,) -> * mut u8 { unsafe
                        { $($path_to_types)*:: _export_begin_cabi::<$ty > (arg0, arg1) }
                        } #[unsafe (export_name =
                        "cabi_post_tuffet:policy/render-parts@0.2.0#begin")] unsafe
                        extern "C" fn _post_return_begin(arg0 : * mut u8,) { unsafe {
                        $($path_to_types)*:: __post_return_begin::<$ty > (arg0) } }
                        #[unsafe (export_name = "tuffet:policy/render-parts@0.2.0#part")]
                        unsafe extern "C" fn export_part(arg0 : * mut u8, arg1 : usize,
                        arg2 : i64, arg3 : i32,) -> * mut u8 { unsafe {
                        $($path_to_types)*:: _export_part_cabi::<$ty > (arg0, arg1, arg2,
                        arg3) } } #[unsafe (export_name =
                        "cabi_post_tuffet:policy/render-parts@0.2.0#part")] unsafe extern
                        "C" fn _post_return_part(arg0 : * mut u8,) { unsafe {
                        $($path_to_types)*:: __post_return_part::<$ty > (arg0) } } };
                    };
                }
                #[doc(hidden)]
                pub use __export_tuffet_policy_render_parts_0_2_0_cabi;
                #[repr(align(8))]
                struct _RetArea(
                    [::core::mem::MaybeUninit<
                        u8,
                    >; 40 + 2 * ::core::mem::size_of::<*const u8>()],
                );
                static mut _RET_AREA: _RetArea = _RetArea(
                    [::core::mem::MaybeUninit::uninit(); 40
                        + 2 * ::core::mem::size_of::<*const u8>()],
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
/// # macro_rules! export_render_parts{ ($($t:tt)*) => (); }
/// # trait Guest {}
/// struct MyType;
///
/// impl Guest for MyType {
///     // ...
/// }
///
/// export_render_parts!(MyType);
/// ```
#[allow(unused_macros)]
#[doc(hidden)]
#[macro_export]
macro_rules! __export_render_parts_impl {
    ($ty:ident) => {
        self::export_render_parts!($ty with_types_in self);
    };
    ($ty:ident with_types_in $($path_to_types_root:tt)*) => {
        $($path_to_types_root)*::
        exports::tuffet::policy::render_parts::__export_tuffet_policy_render_parts_0_2_0_cabi!($ty
        with_types_in $($path_to_types_root)*:: exports::tuffet::policy::render_parts);
        const _ : () = { #[cfg(target_arch = "wasm32")] #[unsafe (link_section =
        "component-type:wit-bindgen:0.61.1:tuffet:sdk:render-parts:imports and exports")]
        #[doc(hidden)] #[allow(clippy::octal_escapes)] pub static
        __WIT_BINDGEN_COMPONENT_TYPE : [u8; 1069] = *
        b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xaa\x07\x01A\x02\x01\
A\x05\x01B\x1d\x01m\x02\x04read\x05write\x04\0\x09operation\x03\0\0\x01m\x02\x05\
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
\x07profile\x03\0\x1b\x03\0\x19tuffet:policy/types@0.2.0\x05\0\x02\x03\0\0\x06de\
nial\x01B\x0e\x02\x03\x02\x01\x01\x04\0\x06denial\x03\0\0\x01ks\x01ky\x01r\x03\x04\
name\x02\x04sizew\x0bttl-seconds\x03\x04\0\x0dlarge-content\x03\0\x04\x01k\x05\x01\
j\x01\x06\x01\x01\x01@\x01\x03keys\0\x07\x04\0\x05begin\x01\x08\x01p}\x01j\x01\x09\
\x01\x01\x01@\x03\x03keys\x06offsetw\x06lengthy\0\x0a\x04\0\x04part\x01\x0b\x04\0\
\x20tuffet:policy/render-parts@0.2.0\x05\x02\x04\0\x17tuffet:sdk/render-parts\x04\
\0\x0b\x12\x01\0\x0crender-parts\x03\0\0\0G\x09producers\x01\x0cprocessed-by\x02\
\x0dwit-component\x070.258.3\x10wit-bindgen-rust\x060.61.1";
        };
    };
}
#[doc(inline)]
pub use __export_render_parts_impl as export_render_parts;
#[cfg(target_arch = "wasm32")]
#[unsafe(
    link_section = "component-type:wit-bindgen:0.61.1:tuffet:sdk:render-parts-with-all-of-its-exports-removed:encoded world"
)]
#[doc(hidden)]
#[allow(clippy::octal_escapes)]
pub static __WIT_BINDGEN_COMPONENT_TYPE: [u8; 939] = *b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\x88\x06\x01A\x02\x01\
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
\x07profile\x03\0\x1b\x03\0\x19tuffet:policy/types@0.2.0\x05\0\x04\07tuffet:sdk/\
render-parts-with-all-of-its-exports-removed\x04\0\x0b2\x01\0,render-parts-with-\
all-of-its-exports-removed\x03\0\0\0G\x09producers\x01\x0cprocessed-by\x02\x0dwi\
t-component\x070.258.3\x10wit-bindgen-rust\x060.61.1";
#[inline(never)]
#[doc(hidden)]
pub fn __link_custom_section_describing_imports() {
    wit_bindgen::rt::maybe_link_cabi_realloc();
}
