#[allow(dead_code, clippy::all)]
pub mod tuffet {
    pub mod policy {
        /// Lines for the server's log. Always granted; bounded by the host in size and number per call.
        #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
        pub mod log {
            #[used]
            #[doc(hidden)]
            static __FORCE_SECTION_REF: fn() = super::super::super::__link_custom_section_describing_imports;
            use super::super::super::_rt;
            #[repr(u8)]
            #[derive(Clone, Copy, Eq, Ord, PartialEq, PartialOrd)]
            pub enum Level {
                Trace,
                Debug,
                Info,
                Warn,
                Error,
            }
            impl ::core::fmt::Debug for Level {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    match self {
                        Level::Trace => f.debug_tuple("Level::Trace").finish(),
                        Level::Debug => f.debug_tuple("Level::Debug").finish(),
                        Level::Info => f.debug_tuple("Level::Info").finish(),
                        Level::Warn => f.debug_tuple("Level::Warn").finish(),
                        Level::Error => f.debug_tuple("Level::Error").finish(),
                    }
                }
            }
            impl Level {
                #[doc(hidden)]
                pub unsafe fn _lift(val: u8) -> Level {
                    if !cfg!(debug_assertions) {
                        return unsafe { ::core::mem::transmute(val) };
                    }
                    match val {
                        0 => Level::Trace,
                        1 => Level::Debug,
                        2 => Level::Info,
                        3 => Level::Warn,
                        4 => Level::Error,
                        _ => panic!("invalid enum discriminant"),
                    }
                }
            }
            #[allow(unused_unsafe, clippy::all)]
            #[allow(async_fn_in_trait)]
            pub fn log(
                level: Level,
                message: &str,
                fields: &[(_rt::String, _rt::String)],
            ) -> () {
                unsafe {
                    let vec0 = message;
                    let ptr0 = vec0.as_ptr().cast::<u8>();
                    let len0 = vec0.len();
                    let vec4 = fields;
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
                    #[cfg(target_arch = "wasm32")]
                    #[link(wasm_import_module = "tuffet:policy/log@1.0.0")]
                    unsafe extern "C" {
                        #[link_name = "log"]
                        fn wit_import5(
                            _: i32,
                            _: *mut u8,
                            _: usize,
                            _: *mut u8,
                            _: usize,
                        );
                    }
                    #[cfg(not(target_arch = "wasm32"))]
                    unsafe extern "C" fn wit_import5(
                        _: i32,
                        _: *mut u8,
                        _: usize,
                        _: *mut u8,
                        _: usize,
                    ) {
                        unreachable!()
                    }
                    wit_import5(
                        level.clone() as i32,
                        ptr0.cast_mut(),
                        len0,
                        result4,
                        len4,
                    );
                }
            }
        }
    }
}
#[allow(dead_code, clippy::all)]
pub mod exports {
    pub mod tuffet {
        pub mod policy {
            /// What every plugin exports. The host calls it once for each instance, before any hook.
            ///
            /// There is no function that the host calls from time to time, to have a plugin refresh what it knows. Several instances
            /// serve side by side, so such a call would reach one of them; what all of them see is in `kv`, where the first request after
            /// the time of a key is over renews it, and the others get the old value until then, if the plugin keeps both. What is read
            /// from files belongs into `configure`, which runs in new instances before requests wait for them. A later version may add
            /// such an interface; nothing that is here would change for it.
            #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
            pub mod lifecycle {
                #[used]
                #[doc(hidden)]
                static __FORCE_SECTION_REF: fn() = super::super::super::super::__link_custom_section_describing_imports;
                use super::super::super::super::_rt;
                /// Something wrong with the settings.
                #[derive(Clone, Eq, PartialEq)]
                pub struct Problem {
                    /// A JSON pointer (RFC 6901) into the settings; the host shows the line of the YAML file.
                    pub pointer: _rt::String,
                    pub message: _rt::String,
                }
                impl ::core::fmt::Debug for Problem {
                    fn fmt(
                        &self,
                        f: &mut ::core::fmt::Formatter<'_>,
                    ) -> ::core::fmt::Result {
                        f.debug_struct("Problem")
                            .field("pointer", &self.pointer)
                            .field("message", &self.message)
                            .finish()
                    }
                }
                #[doc(hidden)]
                #[allow(non_snake_case, unused_unsafe)]
                pub unsafe fn _export_configure_cabi<T_: Guest>(
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
                            T_::configure(_rt::string_lift(bytes0))
                        };
                        let ptr2 = (&raw mut _RET_AREA.0).cast::<u8>();
                        match result1 {
                            Ok(_) => {
                                *ptr2.add(0).cast::<u8>() = (0i32) as u8;
                            }
                            Err(e) => {
                                *ptr2.add(0).cast::<u8>() = (1i32) as u8;
                                let vec6 = e;
                                let len6 = vec6.len();
                                let layout6 = _rt::alloc::Layout::from_size_align(
                                        vec6.len() * (4 * ::core::mem::size_of::<*const u8>()),
                                        ::core::mem::size_of::<*const u8>(),
                                    )
                                    .unwrap();
                                let (result6, _cleanup6) = wit_bindgen::rt::Cleanup::new(
                                    layout6,
                                );
                                if let Some(cleanup) = _cleanup6 {
                                    cleanup.forget();
                                }
                                for (i, e) in vec6.into_iter().enumerate() {
                                    let base = result6
                                        .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                    {
                                        let Problem { pointer: pointer3, message: message3 } = e;
                                        let vec4 = (pointer3.into_bytes()).into_boxed_slice();
                                        let ptr4 = vec4.as_ptr().cast::<u8>();
                                        let len4 = vec4.len();
                                        ::core::mem::forget(vec4);
                                        *base
                                            .add(::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len4;
                                        *base.add(0).cast::<*mut u8>() = ptr4.cast_mut();
                                        let vec5 = (message3.into_bytes()).into_boxed_slice();
                                        let ptr5 = vec5.as_ptr().cast::<u8>();
                                        let len5 = vec5.len();
                                        ::core::mem::forget(vec5);
                                        *base
                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len5;
                                        *base
                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>() = ptr5.cast_mut();
                                    }
                                }
                                *ptr2
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len6;
                                *ptr2
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = result6;
                            }
                        };
                        ptr2
                    }
                }
                #[doc(hidden)]
                #[allow(non_snake_case)]
                pub unsafe fn __post_return_configure<T_: Guest>(arg0: *mut u8) {
                    unsafe {
                        let l0 = i32::from(*arg0.add(0).cast::<u8>());
                        match l0 {
                            0 => {}
                            _ => {
                                let l1 = *arg0
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l2 = *arg0
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let base7 = l1;
                                let len7 = l2;
                                for i in 0..len7 {
                                    let base = base7
                                        .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                    {
                                        let l3 = *base.add(0).cast::<*mut u8>();
                                        let l4 = *base
                                            .add(::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        _rt::cabi_dealloc(l3, l4, 1);
                                        let l5 = *base
                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>();
                                        let l6 = *base
                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        _rt::cabi_dealloc(l5, l6, 1);
                                    }
                                }
                                _rt::cabi_dealloc(
                                    base7,
                                    len7 * (4 * ::core::mem::size_of::<*const u8>()),
                                    ::core::mem::size_of::<*const u8>(),
                                );
                            }
                        }
                    }
                }
                pub trait Guest {
                    /// `settings` is the plugin's block of the configuration, as JSON; `{}` when there is none.
                    #[allow(async_fn_in_trait)]
                    fn configure(
                        settings: _rt::String,
                    ) -> ::core::result::Result<(), _rt::Vec<Problem>>;
                }
                #[doc(hidden)]
                #[macro_export]
                macro_rules! __export_tuffet_policy_lifecycle_1_0_0_cabi {
                    ($ty:ident with_types_in $($path_to_types:tt)*) => {
                        const _ : () = { #[unsafe (export_name =
                        "tuffet:policy/lifecycle@1.0.0#configure")] unsafe extern "C" fn
                        export_configure(arg0 : * mut u8, arg1 : usize,) -> * mut u8 {
                        unsafe { $($path_to_types)*:: _export_configure_cabi::<$ty >
                        (arg0, arg1) } } #[unsafe (export_name =
                        "cabi_post_tuffet:policy/lifecycle@1.0.0#configure")] unsafe
                        extern "C" fn _post_return_configure(arg0 : * mut u8,) { unsafe {
                        $($path_to_types)*:: __post_return_configure::<$ty > (arg0) } }
                        };
                    };
                }
                #[doc(hidden)]
                pub use __export_tuffet_policy_lifecycle_1_0_0_cabi;
                #[cfg_attr(target_pointer_width = "64", repr(align(8)))]
                #[cfg_attr(target_pointer_width = "32", repr(align(4)))]
                struct _RetArea(
                    [::core::mem::MaybeUninit<
                        u8,
                    >; 3 * ::core::mem::size_of::<*const u8>()],
                );
                static mut _RET_AREA: _RetArea = _RetArea(
                    [::core::mem::MaybeUninit::uninit(); 3
                        * ::core::mem::size_of::<*const u8>()],
                );
            }
        }
    }
}
mod _rt {
    #![allow(dead_code, unused_imports, clippy::all)]
    pub use alloc_crate::string::String;
    pub use alloc_crate::alloc;
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
/// # macro_rules! export_base{ ($($t:tt)*) => (); }
/// # trait Guest {}
/// struct MyType;
///
/// impl Guest for MyType {
///     // ...
/// }
///
/// export_base!(MyType);
/// ```
#[allow(unused_macros)]
#[doc(hidden)]
#[macro_export]
macro_rules! __export_base_impl {
    ($ty:ident) => {
        self::export_base!($ty with_types_in self);
    };
    ($ty:ident with_types_in $($path_to_types_root:tt)*) => {
        $($path_to_types_root)*::
        exports::tuffet::policy::lifecycle::__export_tuffet_policy_lifecycle_1_0_0_cabi!($ty
        with_types_in $($path_to_types_root)*:: exports::tuffet::policy::lifecycle);
        const _ : () = { #[cfg(target_arch = "wasm32")] #[unsafe (link_section =
        "component-type:wit-bindgen:0.61.1:tuffet:sdk:base:imports and exports")]
        #[doc(hidden)] #[allow(clippy::octal_escapes)] pub static
        __WIT_BINDGEN_COMPONENT_TYPE : [u8; 375] = *
        b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xfc\x01\x01A\x02\x01\
A\x04\x01B\x06\x01m\x05\x05trace\x05debug\x04info\x04warn\x05error\x04\0\x05leve\
l\x03\0\0\x01o\x02ss\x01p\x02\x01@\x03\x05level\x01\x07messages\x06fields\x03\x01\
\0\x04\0\x03log\x01\x04\x03\0\x17tuffet:policy/log@1.0.0\x05\0\x01B\x06\x01r\x02\
\x07pointers\x07messages\x04\0\x07problem\x03\0\0\x01p\x01\x01j\0\x01\x02\x01@\x01\
\x08settingss\0\x03\x04\0\x09configure\x01\x04\x04\0\x1dtuffet:policy/lifecycle@\
1.0.0\x05\x01\x04\0\x0ftuffet:sdk/base\x04\0\x0b\x0a\x01\0\x04base\x03\0\0\0G\x09\
producers\x01\x0cprocessed-by\x02\x0dwit-component\x070.258.3\x10wit-bindgen-rus\
t\x060.61.1";
        };
    };
}
#[doc(inline)]
pub use __export_base_impl as export_base;
#[cfg(target_arch = "wasm32")]
#[unsafe(
    link_section = "component-type:wit-bindgen:0.61.1:tuffet:sdk:base-with-all-of-its-exports-removed:encoded world"
)]
#[doc(hidden)]
#[allow(clippy::octal_escapes)]
pub static __WIT_BINDGEN_COMPONENT_TYPE: [u8; 331] = *b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xb0\x01\x01A\x02\x01\
A\x02\x01B\x06\x01m\x05\x05trace\x05debug\x04info\x04warn\x05error\x04\0\x05leve\
l\x03\0\0\x01o\x02ss\x01p\x02\x01@\x03\x05level\x01\x07messages\x06fields\x03\x01\
\0\x04\0\x03log\x01\x04\x03\0\x17tuffet:policy/log@1.0.0\x05\0\x04\0/tuffet:sdk/\
base-with-all-of-its-exports-removed\x04\0\x0b*\x01\0$base-with-all-of-its-expor\
ts-removed\x03\0\0\0G\x09producers\x01\x0cprocessed-by\x02\x0dwit-component\x070\
.258.3\x10wit-bindgen-rust\x060.61.1";
#[inline(never)]
#[doc(hidden)]
pub fn __link_custom_section_describing_imports() {
    wit_bindgen::rt::maybe_link_cabi_realloc();
}
