#[allow(unfulfilled_lint_expectations, unused_imports)]
use crate::bindings::types::tuffet::policy::types as __with_name0;
#[allow(unfulfilled_lint_expectations, unused_imports)]
use crate::bindings::types::tuffet::policy::contents as __with_name1;
#[allow(dead_code, clippy::all)]
pub mod exports {
    pub mod tuffet {
        pub mod policy {
            /// Content for all requests with the same key. A plugin that answers with a `rendering` exports this, `render-parts`, or
            /// both.
            #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
            pub mod render {
                #[used]
                #[doc(hidden)]
                static __FORCE_SECTION_REF: fn() = super::super::super::super::__link_custom_section_describing_imports;
                use super::super::super::super::_rt;
                pub type Denial = super::super::super::super::__with_name0::Denial;
                pub type Content = super::super::super::super::__with_name1::Content;
                #[derive(Clone, Eq, PartialEq)]
                pub struct Rendering {
                    pub content: Content,
                    /// After this many seconds the next request has it rendered anew. Without it, the rendering holds until the
                    /// configuration is loaded again.
                    pub ttl_seconds: ::core::option::Option<u32>,
                }
                impl ::core::fmt::Debug for Rendering {
                    fn fmt(
                        &self,
                        f: &mut ::core::fmt::Formatter<'_>,
                    ) -> ::core::fmt::Result {
                        f.debug_struct("Rendering")
                            .field("content", &self.content)
                            .field("ttl-seconds", &self.ttl_seconds)
                            .finish()
                    }
                }
                #[derive(Clone, Eq, PartialEq)]
                pub enum Rendered {
                    Rendering(Rendering),
                    /// All requests that wait for it get this ERROR.
                    Deny(Denial),
                }
                impl ::core::fmt::Debug for Rendered {
                    fn fmt(
                        &self,
                        f: &mut ::core::fmt::Formatter<'_>,
                    ) -> ::core::fmt::Result {
                        match self {
                            Rendered::Rendering(e) => {
                                f.debug_tuple("Rendered::Rendering").field(e).finish()
                            }
                            Rendered::Deny(e) => {
                                f.debug_tuple("Rendered::Deny").field(e).finish()
                            }
                        }
                    }
                }
                #[doc(hidden)]
                #[allow(non_snake_case, unused_unsafe)]
                pub unsafe fn _export_render_cabi<T_: Guest>(
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
                            T_::render(_rt::string_lift(bytes0))
                        };
                        let ptr2 = (&raw mut _RET_AREA.0).cast::<u8>();
                        match result1 {
                            Ok(e) => {
                                *ptr2.add(0).cast::<u8>() = (0i32) as u8;
                                match e {
                                    Rendered::Rendering(e) => {
                                        *ptr2
                                            .add(::core::mem::size_of::<*const u8>())
                                            .cast::<u8>() = (0i32) as u8;
                                        let Rendering {
                                            content: content3,
                                            ttl_seconds: ttl_seconds3,
                                        } = e;
                                        let super::super::super::super::__with_name1::Content {
                                            name: name4,
                                            data: data4,
                                            attributes: attributes4,
                                        } = content3;
                                        match name4 {
                                            Some(e) => {
                                                *ptr2
                                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (1i32) as u8;
                                                let vec5 = (e.into_bytes()).into_boxed_slice();
                                                let ptr5 = vec5.as_ptr().cast::<u8>();
                                                let len5 = vec5.len();
                                                ::core::mem::forget(vec5);
                                                *ptr2
                                                    .add(4 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>() = len5;
                                                *ptr2
                                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>() = ptr5.cast_mut();
                                            }
                                            None => {
                                                *ptr2
                                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (0i32) as u8;
                                            }
                                        };
                                        let vec6 = <_ as Into<_rt::Vec<_>>>::into(data4)
                                            .into_boxed_slice();
                                        let ptr6 = vec6.as_ptr().cast::<u8>();
                                        let len6 = vec6.len();
                                        ::core::mem::forget(vec6);
                                        *ptr2
                                            .add(6 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len6;
                                        *ptr2
                                            .add(5 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>() = ptr6.cast_mut();
                                        let vec10 = attributes4;
                                        let len10 = vec10.len();
                                        let layout10 = _rt::alloc::Layout::from_size_align(
                                                vec10.len() * (4 * ::core::mem::size_of::<*const u8>()),
                                                ::core::mem::size_of::<*const u8>(),
                                            )
                                            .unwrap();
                                        let (result10, _cleanup10) = wit_bindgen::rt::Cleanup::new(
                                            layout10,
                                        );
                                        if let Some(cleanup) = _cleanup10 {
                                            cleanup.forget();
                                        }
                                        for (i, e) in vec10.into_iter().enumerate() {
                                            let base = result10
                                                .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                            {
                                                let (t7_0, t7_1) = e;
                                                let vec8 = (t7_0.into_bytes()).into_boxed_slice();
                                                let ptr8 = vec8.as_ptr().cast::<u8>();
                                                let len8 = vec8.len();
                                                ::core::mem::forget(vec8);
                                                *base
                                                    .add(::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>() = len8;
                                                *base.add(0).cast::<*mut u8>() = ptr8.cast_mut();
                                                let vec9 = (t7_1.into_bytes()).into_boxed_slice();
                                                let ptr9 = vec9.as_ptr().cast::<u8>();
                                                let len9 = vec9.len();
                                                ::core::mem::forget(vec9);
                                                *base
                                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>() = len9;
                                                *base
                                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>() = ptr9.cast_mut();
                                            }
                                        }
                                        *ptr2
                                            .add(8 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len10;
                                        *ptr2
                                            .add(7 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>() = result10;
                                        match ttl_seconds3 {
                                            Some(e) => {
                                                *ptr2
                                                    .add(9 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (1i32) as u8;
                                                *ptr2
                                                    .add(4 + 9 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<i32>() = _rt::as_i32(e);
                                            }
                                            None => {
                                                *ptr2
                                                    .add(9 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<u8>() = (0i32) as u8;
                                            }
                                        };
                                    }
                                    Rendered::Deny(e) => {
                                        *ptr2
                                            .add(::core::mem::size_of::<*const u8>())
                                            .cast::<u8>() = (1i32) as u8;
                                        let super::super::super::super::__with_name0::Denial {
                                            code: code11,
                                            message: message11,
                                            reason: reason11,
                                        } = e;
                                        *ptr2
                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<u8>() = (code11.clone() as i32) as u8;
                                        let vec12 = (message11.into_bytes()).into_boxed_slice();
                                        let ptr12 = vec12.as_ptr().cast::<u8>();
                                        let len12 = vec12.len();
                                        ::core::mem::forget(vec12);
                                        *ptr2
                                            .add(4 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len12;
                                        *ptr2
                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>() = ptr12.cast_mut();
                                        let vec13 = (reason11.into_bytes()).into_boxed_slice();
                                        let ptr13 = vec13.as_ptr().cast::<u8>();
                                        let len13 = vec13.len();
                                        ::core::mem::forget(vec13);
                                        *ptr2
                                            .add(6 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len13;
                                        *ptr2
                                            .add(5 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>() = ptr13.cast_mut();
                                    }
                                }
                            }
                            Err(e) => {
                                *ptr2.add(0).cast::<u8>() = (1i32) as u8;
                                let vec14 = (e.into_bytes()).into_boxed_slice();
                                let ptr14 = vec14.as_ptr().cast::<u8>();
                                let len14 = vec14.len();
                                ::core::mem::forget(vec14);
                                *ptr2
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len14;
                                *ptr2
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = ptr14.cast_mut();
                            }
                        };
                        ptr2
                    }
                }
                #[doc(hidden)]
                #[allow(non_snake_case)]
                pub unsafe fn __post_return_render<T_: Guest>(arg0: *mut u8) {
                    unsafe {
                        let l0 = i32::from(*arg0.add(0).cast::<u8>());
                        match l0 {
                            0 => {
                                let l1 = i32::from(
                                    *arg0.add(::core::mem::size_of::<*const u8>()).cast::<u8>(),
                                );
                                match l1 {
                                    0 => {
                                        let l2 = i32::from(
                                            *arg0
                                                .add(2 * ::core::mem::size_of::<*const u8>())
                                                .cast::<u8>(),
                                        );
                                        match l2 {
                                            0 => {}
                                            _ => {
                                                let l3 = *arg0
                                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l4 = *arg0
                                                    .add(4 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                _rt::cabi_dealloc(l3, l4, 1);
                                            }
                                        }
                                        let l5 = *arg0
                                            .add(5 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>();
                                        let l6 = *arg0
                                            .add(6 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        let base7 = l5;
                                        let len7 = l6;
                                        _rt::cabi_dealloc(base7, len7 * 1, 1);
                                        let l8 = *arg0
                                            .add(7 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>();
                                        let l9 = *arg0
                                            .add(8 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        let base14 = l8;
                                        let len14 = l9;
                                        for i in 0..len14 {
                                            let base = base14
                                                .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                            {
                                                let l10 = *base.add(0).cast::<*mut u8>();
                                                let l11 = *base
                                                    .add(::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                _rt::cabi_dealloc(l10, l11, 1);
                                                let l12 = *base
                                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l13 = *base
                                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                _rt::cabi_dealloc(l12, l13, 1);
                                            }
                                        }
                                        _rt::cabi_dealloc(
                                            base14,
                                            len14 * (4 * ::core::mem::size_of::<*const u8>()),
                                            ::core::mem::size_of::<*const u8>(),
                                        );
                                    }
                                    _ => {
                                        let l15 = *arg0
                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>();
                                        let l16 = *arg0
                                            .add(4 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        _rt::cabi_dealloc(l15, l16, 1);
                                        let l17 = *arg0
                                            .add(5 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>();
                                        let l18 = *arg0
                                            .add(6 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        _rt::cabi_dealloc(l17, l18, 1);
                                    }
                                }
                            }
                            _ => {
                                let l19 = *arg0
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l20 = *arg0
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                _rt::cabi_dealloc(l19, l20, 1);
                            }
                        }
                    }
                }
                pub trait Guest {
                    /// Makes the content for a key that `resolve` answered with. The host calls it once for all requests with this key,
                    /// those that arrive meanwhile included, and keeps the rendering in memory while there is room. It may run in another
                    /// instance than `resolve`, so the key is all that the content may depend on besides settings and grants: where it is
                    /// made of files, put their versions into the key. A denial, or a failed call, answers all requests that wait for it;
                    /// the host keeps neither.
                    #[allow(async_fn_in_trait)]
                    fn render(
                        key: _rt::String,
                    ) -> ::core::result::Result<Rendered, _rt::String>;
                }
                #[doc(hidden)]
                #[macro_export]
                macro_rules! __export_tuffet_policy_render_1_0_0_cabi {
                    ($ty:ident with_types_in $($path_to_types:tt)*) => {
                        const _ : () = { #[unsafe (export_name =
                        "tuffet:policy/render@1.0.0#render")] unsafe extern "C" fn
                        export_render(arg0 : * mut u8, arg1 : usize,) -> * mut u8 {
                        unsafe { $($path_to_types)*:: _export_render_cabi::<$ty > (arg0,
                        arg1) } } #[unsafe (export_name =
                        "cabi_post_tuffet:policy/render@1.0.0#render")] unsafe extern "C"
                        fn _post_return_render(arg0 : * mut u8,) { unsafe {
                        $($path_to_types)*:: __post_return_render::<$ty > (arg0) } } };
                    };
                }
                #[doc(hidden)]
                pub use __export_tuffet_policy_render_1_0_0_cabi;
                #[cfg_attr(target_pointer_width = "64", repr(align(8)))]
                #[cfg_attr(target_pointer_width = "32", repr(align(4)))]
                struct _RetArea(
                    [::core::mem::MaybeUninit<
                        u8,
                    >; 8 + 9 * ::core::mem::size_of::<*const u8>()],
                );
                static mut _RET_AREA: _RetArea = _RetArea(
                    [::core::mem::MaybeUninit::uninit(); 8
                        + 9 * ::core::mem::size_of::<*const u8>()],
                );
            }
        }
    }
}
mod _rt {
    #![allow(dead_code, unused_imports, clippy::all)]
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
    pub use alloc_crate::alloc;
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
    pub use alloc_crate::string::String;
    extern crate alloc as alloc_crate;
}
/// Generates `#[unsafe(no_mangle)]` functions to export the specified type as
/// the root implementation of all generated traits.
///
/// For more information see the documentation of `wit_bindgen::generate!`.
///
/// ```rust
/// # macro_rules! export_render{ ($($t:tt)*) => (); }
/// # trait Guest {}
/// struct MyType;
///
/// impl Guest for MyType {
///     // ...
/// }
///
/// export_render!(MyType);
/// ```
#[allow(unused_macros)]
#[doc(hidden)]
#[macro_export]
macro_rules! __export_render_impl {
    ($ty:ident) => {
        self::export_render!($ty with_types_in self);
    };
    ($ty:ident with_types_in $($path_to_types_root:tt)*) => {
        $($path_to_types_root)*::
        exports::tuffet::policy::render::__export_tuffet_policy_render_1_0_0_cabi!($ty
        with_types_in $($path_to_types_root)*:: exports::tuffet::policy::render); const _
        : () = { #[cfg(target_arch = "wasm32")] #[unsafe (link_section =
        "component-type:wit-bindgen:0.61.1:tuffet:sdk:render:imports and exports")]
        #[doc(hidden)] #[allow(clippy::octal_escapes)] pub static
        __WIT_BINDGEN_COMPONENT_TYPE : [u8; 1351] = *
        b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xca\x09\x01A\x02\x01\
A\x08\x01B,\x01m\x02\x04read\x05write\x04\0\x09operation\x03\0\0\x01m\x02\x05oct\
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
\0*\x03\0\x19tuffet:policy/types@1.0.0\x05\0\x01B\x06\x01ks\x01p}\x01o\x02ss\x01\
p\x02\x01r\x03\x04name\0\x04data\x01\x0aattributes\x03\x04\0\x07content\x03\0\x04\
\x03\0\x1ctuffet:policy/contents@1.0.0\x05\x01\x02\x03\0\0\x06denial\x02\x03\0\x01\
\x07content\x01B\x0c\x02\x03\x02\x01\x02\x04\0\x06denial\x03\0\0\x02\x03\x02\x01\
\x03\x04\0\x07content\x03\0\x02\x01ky\x01r\x02\x07content\x03\x0bttl-seconds\x04\
\x04\0\x09rendering\x03\0\x05\x01q\x02\x09rendering\x01\x06\0\x04deny\x01\x01\0\x04\
\0\x08rendered\x03\0\x07\x01j\x01\x08\x01s\x01@\x01\x03keys\0\x09\x04\0\x06rende\
r\x01\x0a\x04\0\x1atuffet:policy/render@1.0.0\x05\x04\x04\0\x11tuffet:sdk/render\
\x04\0\x0b\x0c\x01\0\x06render\x03\0\0\0G\x09producers\x01\x0cprocessed-by\x02\x0d\
wit-component\x070.258.3\x10wit-bindgen-rust\x060.61.1";
        };
    };
}
#[doc(inline)]
pub use __export_render_impl as export_render;
#[cfg(target_arch = "wasm32")]
#[unsafe(
    link_section = "component-type:wit-bindgen:0.61.1:tuffet:sdk:render-with-all-of-its-exports-removed:encoded world"
)]
#[doc(hidden)]
#[allow(clippy::octal_escapes)]
pub static __WIT_BINDGEN_COMPONENT_TYPE: [u8; 1215] = *b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xa2\x08\x01A\x02\x01\
A\x04\x01B,\x01m\x02\x04read\x05write\x04\0\x09operation\x03\0\0\x01m\x02\x05oct\
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
\0*\x03\0\x19tuffet:policy/types@1.0.0\x05\0\x01B\x06\x01ks\x01p}\x01o\x02ss\x01\
p\x02\x01r\x03\x04name\0\x04data\x01\x0aattributes\x03\x04\0\x07content\x03\0\x04\
\x03\0\x1ctuffet:policy/contents@1.0.0\x05\x01\x04\01tuffet:sdk/render-with-all-\
of-its-exports-removed\x04\0\x0b,\x01\0&render-with-all-of-its-exports-removed\x03\
\0\0\0G\x09producers\x01\x0cprocessed-by\x02\x0dwit-component\x070.258.3\x10wit-\
bindgen-rust\x060.61.1";
#[inline(never)]
#[doc(hidden)]
pub fn __link_custom_section_describing_imports() {
    wit_bindgen::rt::maybe_link_cabi_realloc();
}
