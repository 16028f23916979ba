#[allow(unfulfilled_lint_expectations, unused_imports)]
use crate::bindings::types::tuffet::policy::types as __with_name0;
#[allow(dead_code, clippy::all)]
pub mod exports {
    pub mod tuffet {
        pub mod policy {
            /// Content that is rendered in parts: what is larger than the bound on content, or takes longer than a call may. Clients
            /// read what there is while the rest is made. For each key that `resolve` answers with, the host calls `begin` before
            /// `render`.
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
                    /// For later versions, as those of a profile.
                    pub attributes: _rt::Vec<(_rt::String, _rt::String)>,
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
                            .field("attributes", &self.attributes)
                            .finish()
                    }
                }
                #[derive(Clone, Eq, PartialEq)]
                pub enum Beginning {
                    Parts(LargeContent),
                    /// `render` makes it.
                    Whole,
                    /// All requests that wait for it get this ERROR.
                    Deny(Denial),
                }
                impl ::core::fmt::Debug for Beginning {
                    fn fmt(
                        &self,
                        f: &mut ::core::fmt::Formatter<'_>,
                    ) -> ::core::fmt::Result {
                        match self {
                            Beginning::Parts(e) => {
                                f.debug_tuple("Beginning::Parts").field(e).finish()
                            }
                            Beginning::Whole => {
                                f.debug_tuple("Beginning::Whole").finish()
                            }
                            Beginning::Deny(e) => {
                                f.debug_tuple("Beginning::Deny").field(e).finish()
                            }
                        }
                    }
                }
                #[derive(Clone, Eq, PartialEq)]
                pub enum MadePart {
                    /// At least one, at most as many as were asked for.
                    Bytes(_rt::Vec<u8>),
                    /// All transfers of this content end with this ERROR.
                    Deny(Denial),
                }
                impl ::core::fmt::Debug for MadePart {
                    fn fmt(
                        &self,
                        f: &mut ::core::fmt::Formatter<'_>,
                    ) -> ::core::fmt::Result {
                        match self {
                            MadePart::Bytes(e) => {
                                f.debug_tuple("MadePart::Bytes").field(e).finish()
                            }
                            MadePart::Deny(e) => {
                                f.debug_tuple("MadePart::Deny").field(e).finish()
                            }
                        }
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
                                    Beginning::Parts(e) => {
                                        *ptr2.add(8).cast::<u8>() = (0i32) as u8;
                                        let LargeContent {
                                            name: name3,
                                            size: size3,
                                            ttl_seconds: ttl_seconds3,
                                            attributes: attributes3,
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
                                        let vec8 = attributes3;
                                        let len8 = vec8.len();
                                        let layout8 = _rt::alloc::Layout::from_size_align(
                                                vec8.len() * (4 * ::core::mem::size_of::<*const u8>()),
                                                ::core::mem::size_of::<*const u8>(),
                                            )
                                            .unwrap();
                                        let (result8, _cleanup8) = wit_bindgen::rt::Cleanup::new(
                                            layout8,
                                        );
                                        if let Some(cleanup) = _cleanup8 {
                                            cleanup.forget();
                                        }
                                        for (i, e) in vec8.into_iter().enumerate() {
                                            let base = result8
                                                .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                            {
                                                let (t5_0, t5_1) = e;
                                                let vec6 = (t5_0.into_bytes()).into_boxed_slice();
                                                let ptr6 = vec6.as_ptr().cast::<u8>();
                                                let len6 = vec6.len();
                                                ::core::mem::forget(vec6);
                                                *base
                                                    .add(::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>() = len6;
                                                *base.add(0).cast::<*mut u8>() = ptr6.cast_mut();
                                                let vec7 = (t5_1.into_bytes()).into_boxed_slice();
                                                let ptr7 = vec7.as_ptr().cast::<u8>();
                                                let len7 = vec7.len();
                                                ::core::mem::forget(vec7);
                                                *base
                                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>() = len7;
                                                *base
                                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>() = ptr7.cast_mut();
                                            }
                                        }
                                        *ptr2
                                            .add(40 + 3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len8;
                                        *ptr2
                                            .add(40 + 2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>() = result8;
                                    }
                                    Beginning::Whole => {
                                        *ptr2.add(8).cast::<u8>() = (1i32) as u8;
                                    }
                                    Beginning::Deny(e) => {
                                        *ptr2.add(8).cast::<u8>() = (2i32) as u8;
                                        let super::super::super::super::__with_name0::Denial {
                                            code: code9,
                                            message: message9,
                                            reason: reason9,
                                        } = e;
                                        *ptr2.add(16).cast::<u8>() = (code9.clone() as i32) as u8;
                                        let vec10 = (message9.into_bytes()).into_boxed_slice();
                                        let ptr10 = vec10.as_ptr().cast::<u8>();
                                        let len10 = vec10.len();
                                        ::core::mem::forget(vec10);
                                        *ptr2
                                            .add(16 + 2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len10;
                                        *ptr2
                                            .add(16 + 1 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>() = ptr10.cast_mut();
                                        let vec11 = (reason9.into_bytes()).into_boxed_slice();
                                        let ptr11 = vec11.as_ptr().cast::<u8>();
                                        let len11 = vec11.len();
                                        ::core::mem::forget(vec11);
                                        *ptr2
                                            .add(16 + 4 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len11;
                                        *ptr2
                                            .add(16 + 3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>() = ptr11.cast_mut();
                                    }
                                }
                            }
                            Err(e) => {
                                *ptr2.add(0).cast::<u8>() = (1i32) as u8;
                                let vec12 = (e.into_bytes()).into_boxed_slice();
                                let ptr12 = vec12.as_ptr().cast::<u8>();
                                let len12 = vec12.len();
                                ::core::mem::forget(vec12);
                                *ptr2
                                    .add(8 + 1 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len12;
                                *ptr2.add(8).cast::<*mut u8>() = ptr12.cast_mut();
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
                                    0 => {
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
                                        let l5 = *arg0
                                            .add(40 + 2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>();
                                        let l6 = *arg0
                                            .add(40 + 3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        let base11 = l5;
                                        let len11 = l6;
                                        for i in 0..len11 {
                                            let base = base11
                                                .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                            {
                                                let l7 = *base.add(0).cast::<*mut u8>();
                                                let l8 = *base
                                                    .add(::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                _rt::cabi_dealloc(l7, l8, 1);
                                                let l9 = *base
                                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<*mut u8>();
                                                let l10 = *base
                                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                                    .cast::<usize>();
                                                _rt::cabi_dealloc(l9, l10, 1);
                                            }
                                        }
                                        _rt::cabi_dealloc(
                                            base11,
                                            len11 * (4 * ::core::mem::size_of::<*const u8>()),
                                            ::core::mem::size_of::<*const u8>(),
                                        );
                                    }
                                    1 => {}
                                    _ => {
                                        let l12 = *arg0
                                            .add(16 + 1 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>();
                                        let l13 = *arg0
                                            .add(16 + 2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        _rt::cabi_dealloc(l12, l13, 1);
                                        let l14 = *arg0
                                            .add(16 + 3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>();
                                        let l15 = *arg0
                                            .add(16 + 4 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        _rt::cabi_dealloc(l14, l15, 1);
                                    }
                                }
                            }
                            _ => {
                                let l16 = *arg0.add(8).cast::<*mut u8>();
                                let l17 = *arg0
                                    .add(8 + 1 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                _rt::cabi_dealloc(l16, l17, 1);
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
                                match e {
                                    MadePart::Bytes(e) => {
                                        *ptr2
                                            .add(::core::mem::size_of::<*const u8>())
                                            .cast::<u8>() = (0i32) as u8;
                                        let vec3 = <_ as Into<_rt::Vec<_>>>::into(e)
                                            .into_boxed_slice();
                                        let ptr3 = vec3.as_ptr().cast::<u8>();
                                        let len3 = vec3.len();
                                        ::core::mem::forget(vec3);
                                        *ptr2
                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len3;
                                        *ptr2
                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>() = ptr3.cast_mut();
                                    }
                                    MadePart::Deny(e) => {
                                        *ptr2
                                            .add(::core::mem::size_of::<*const u8>())
                                            .cast::<u8>() = (1i32) as u8;
                                        let super::super::super::super::__with_name0::Denial {
                                            code: code4,
                                            message: message4,
                                            reason: reason4,
                                        } = e;
                                        *ptr2
                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<u8>() = (code4.clone() as i32) as u8;
                                        let vec5 = (message4.into_bytes()).into_boxed_slice();
                                        let ptr5 = vec5.as_ptr().cast::<u8>();
                                        let len5 = vec5.len();
                                        ::core::mem::forget(vec5);
                                        *ptr2
                                            .add(4 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len5;
                                        *ptr2
                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>() = ptr5.cast_mut();
                                        let vec6 = (reason4.into_bytes()).into_boxed_slice();
                                        let ptr6 = vec6.as_ptr().cast::<u8>();
                                        let len6 = vec6.len();
                                        ::core::mem::forget(vec6);
                                        *ptr2
                                            .add(6 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len6;
                                        *ptr2
                                            .add(5 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>() = ptr6.cast_mut();
                                    }
                                }
                            }
                            Err(e) => {
                                *ptr2.add(0).cast::<u8>() = (1i32) as u8;
                                let vec7 = (e.into_bytes()).into_boxed_slice();
                                let ptr7 = vec7.as_ptr().cast::<u8>();
                                let len7 = vec7.len();
                                ::core::mem::forget(vec7);
                                *ptr2
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len7;
                                *ptr2
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = ptr7.cast_mut();
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
                                let l1 = i32::from(
                                    *arg0.add(::core::mem::size_of::<*const u8>()).cast::<u8>(),
                                );
                                match l1 {
                                    0 => {
                                        let l2 = *arg0
                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>();
                                        let l3 = *arg0
                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        let base4 = l2;
                                        let len4 = l3;
                                        _rt::cabi_dealloc(base4, len4 * 1, 1);
                                    }
                                    _ => {
                                        let l5 = *arg0
                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>();
                                        let l6 = *arg0
                                            .add(4 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        _rt::cabi_dealloc(l5, l6, 1);
                                        let l7 = *arg0
                                            .add(5 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>();
                                        let l8 = *arg0
                                            .add(6 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        _rt::cabi_dealloc(l7, l8, 1);
                                    }
                                }
                            }
                            _ => {
                                let l9 = *arg0
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l10 = *arg0
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                _rt::cabi_dealloc(l9, l10, 1);
                            }
                        }
                    }
                }
                pub trait Guest {
                    /// Begins the content for a key. Called once for all requests with this key, as `render`.
                    #[allow(async_fn_in_trait)]
                    fn begin(
                        key: _rt::String,
                    ) -> ::core::result::Result<Beginning, _rt::String>;
                    /// Renders bytes from `offset` on: at least one, at most `length`. The host calls it for one part after the other until
                    /// it has them all, or nobody needs them any more, each call with limits of its own and maybe in another instance: the
                    /// bytes may depend on key, offset, settings and grants alone. A failed call ends all transfers of this content with an
                    /// ERROR.
                    #[allow(async_fn_in_trait)]
                    fn part(
                        key: _rt::String,
                        offset: u64,
                        length: u32,
                    ) -> ::core::result::Result<MadePart, _rt::String>;
                }
                #[doc(hidden)]
                #[macro_export]
                macro_rules! __export_tuffet_policy_render_parts_1_0_0_cabi {
                    ($ty:ident with_types_in $($path_to_types:tt)*) => {
                        const _ : () = { #[unsafe (export_name =
                        "tuffet:policy/render-parts@1.0.0#begin")] unsafe extern "C" fn
                        export_begin(arg0 : * mut u8, arg1 : usize,) -> * mut u8 { unsafe
                        { $($path_to_types)*:: _export_begin_cabi::<$ty > (arg0, arg1) }
                        } #[unsafe (export_name =
                        "cabi_post_tuffet:policy/render-parts@1.0.0#begin")] unsafe
                        extern "C" fn _post_return_begin(arg0 : * mut u8,) { unsafe {
                        $($path_to_types)*:: __post_return_begin::<$ty > (arg0) } }
                        #[unsafe (export_name = "tuffet:policy/render-parts@1.0.0#part")]
                        unsafe extern "C" fn export_part(arg0 : * mut u8, arg1 : usize,
                        arg2 : i64, arg3 : i32,) -> * mut u8 { unsafe {
                        $($path_to_types)*:: _export_part_cabi::<$ty > (arg0, arg1, arg2,
                        arg3) } } #[unsafe (export_name =
                        "cabi_post_tuffet:policy/render-parts@1.0.0#part")] unsafe extern
                        "C" fn _post_return_part(arg0 : * mut u8,) { unsafe {
                        $($path_to_types)*:: __post_return_part::<$ty > (arg0) } } };
                    };
                }
                #[doc(hidden)]
                pub use __export_tuffet_policy_render_parts_1_0_0_cabi;
                #[repr(align(8))]
                struct _RetArea(
                    [::core::mem::MaybeUninit<
                        u8,
                    >; 40 + 4 * ::core::mem::size_of::<*const u8>()],
                );
                static mut _RET_AREA: _RetArea = _RetArea(
                    [::core::mem::MaybeUninit::uninit(); 40
                        + 4 * ::core::mem::size_of::<*const u8>()],
                );
            }
        }
    }
}
mod _rt {
    #![allow(dead_code, unused_imports, clippy::all)]
    pub use alloc_crate::string::String;
    pub use alloc_crate::vec::Vec;
    #[cfg(target_arch = "wasm32")]
    pub fn run_ctors_once() {
        wit_bindgen::rt::run_ctors_once();
    }
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
    pub use alloc_crate::alloc;
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
        exports::tuffet::policy::render_parts::__export_tuffet_policy_render_parts_1_0_0_cabi!($ty
        with_types_in $($path_to_types_root)*:: exports::tuffet::policy::render_parts);
        const _ : () = { #[cfg(target_arch = "wasm32")] #[unsafe (link_section =
        "component-type:wit-bindgen:0.61.1:tuffet:sdk:render-parts:imports and exports")]
        #[doc(hidden)] #[allow(clippy::octal_escapes)] pub static
        __WIT_BINDGEN_COMPONENT_TYPE : [u8; 1362] = *
        b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xcf\x09\x01A\x02\x01\
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
\0*\x03\0\x19tuffet:policy/types@1.0.0\x05\0\x02\x03\0\0\x06denial\x01B\x13\x02\x03\
\x02\x01\x01\x04\0\x06denial\x03\0\0\x01ks\x01ky\x01o\x02ss\x01p\x04\x01r\x04\x04\
name\x02\x04sizew\x0bttl-seconds\x03\x0aattributes\x05\x04\0\x0dlarge-content\x03\
\0\x06\x01q\x03\x05parts\x01\x07\0\x05whole\0\0\x04deny\x01\x01\0\x04\0\x09begin\
ning\x03\0\x08\x01p}\x01q\x02\x05bytes\x01\x0a\0\x04deny\x01\x01\0\x04\0\x09made\
-part\x03\0\x0b\x01j\x01\x09\x01s\x01@\x01\x03keys\0\x0d\x04\0\x05begin\x01\x0e\x01\
j\x01\x0c\x01s\x01@\x03\x03keys\x06offsetw\x06lengthy\0\x0f\x04\0\x04part\x01\x10\
\x04\0\x20tuffet:policy/render-parts@1.0.0\x05\x02\x04\0\x17tuffet:sdk/render-pa\
rts\x04\0\x0b\x12\x01\0\x0crender-parts\x03\0\0\0G\x09producers\x01\x0cprocessed\
-by\x02\x0dwit-component\x070.258.3\x10wit-bindgen-rust\x060.61.1";
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
pub static __WIT_BINDGEN_COMPONENT_TYPE: [u8; 1137] = *b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xce\x07\x01A\x02\x01\
A\x02\x01B,\x01m\x02\x04read\x05write\x04\0\x09operation\x03\0\0\x01m\x02\x05oct\
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
\0*\x03\0\x19tuffet:policy/types@1.0.0\x05\0\x04\07tuffet:sdk/render-parts-with-\
all-of-its-exports-removed\x04\0\x0b2\x01\0,render-parts-with-all-of-its-exports\
-removed\x03\0\0\0G\x09producers\x01\x0cprocessed-by\x02\x0dwit-component\x070.2\
58.3\x10wit-bindgen-rust\x060.61.1";
#[inline(never)]
#[doc(hidden)]
pub fn __link_custom_section_describing_imports() {
    wit_bindgen::rt::maybe_link_cabi_realloc();
}
