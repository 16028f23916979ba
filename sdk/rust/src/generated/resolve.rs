#[allow(unfulfilled_lint_expectations, unused_imports)]
use crate::bindings::authorize::tuffet::policy::types as __with_name0;
#[allow(dead_code, clippy::all)]
pub mod exports {
    pub mod tuffet {
        pub mod policy {
            /// What is it that this client gets?
            #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
            pub mod resolve {
                #[used]
                #[doc(hidden)]
                static __FORCE_SECTION_REF: fn() = super::super::super::super::__link_custom_section_describing_imports;
                use super::super::super::super::_rt;
                pub type Request = super::super::super::super::__with_name0::Request;
                pub type Denial = super::super::super::super::__with_name0::Denial;
                #[derive(Clone, Eq, PartialEq)]
                pub struct Target {
                    /// The name of a configured root.
                    pub root: _rt::String,
                    /// A path in that root.
                    pub path: _rt::String,
                }
                impl ::core::fmt::Debug for Target {
                    fn fmt(
                        &self,
                        f: &mut ::core::fmt::Formatter<'_>,
                    ) -> ::core::fmt::Result {
                        f.debug_struct("Target")
                            .field("root", &self.root)
                            .field("path", &self.path)
                            .finish()
                    }
                }
                /// Content that a plugin made. Bounded by the host.
                #[derive(Clone, Eq, PartialEq)]
                pub struct Content {
                    /// What it is, for logs and observers, who see it as `content/NAME`: at most 200 bytes, one line. Without a name
                    /// they see `content`.
                    pub name: ::core::option::Option<_rt::String>,
                    pub bytes: _rt::Vec<u8>,
                }
                impl ::core::fmt::Debug for Content {
                    fn fmt(
                        &self,
                        f: &mut ::core::fmt::Formatter<'_>,
                    ) -> ::core::fmt::Result {
                        f.debug_struct("Content")
                            .field("name", &self.name)
                            .field("bytes", &self.bytes)
                            .finish()
                    }
                }
                /// Content for all requests with the same key.
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
                pub enum Resolution {
                    /// No opinion: the next plugin decides; at the end the path is looked up in the roots, in order.
                    Abstain,
                    /// The first of these that exists is served. For a write request, the first is where it goes.
                    Files(_rt::Vec<Target>),
                    /// As `files`. But if none of them exists, the chain goes on: the next plugin decides, and at the end the path is
                    /// looked up in the roots. For a write request there is no else.
                    FilesElseNext(_rt::Vec<Target>),
                    /// The content itself. Never an answer to a write request.
                    Content(Content),
                    /// The content that `render` makes for this key, of 1 to 1024 bytes. The host has it in memory, or calls `render`.
                    /// Never an answer to a write request.
                    Rendered(_rt::String),
                    /// No: the chain ends and the client gets an ERROR.
                    Deny(Denial),
                }
                impl ::core::fmt::Debug for Resolution {
                    fn fmt(
                        &self,
                        f: &mut ::core::fmt::Formatter<'_>,
                    ) -> ::core::fmt::Result {
                        match self {
                            Resolution::Abstain => {
                                f.debug_tuple("Resolution::Abstain").finish()
                            }
                            Resolution::Files(e) => {
                                f.debug_tuple("Resolution::Files").field(e).finish()
                            }
                            Resolution::FilesElseNext(e) => {
                                f.debug_tuple("Resolution::FilesElseNext").field(e).finish()
                            }
                            Resolution::Content(e) => {
                                f.debug_tuple("Resolution::Content").field(e).finish()
                            }
                            Resolution::Rendered(e) => {
                                f.debug_tuple("Resolution::Rendered").field(e).finish()
                            }
                            Resolution::Deny(e) => {
                                f.debug_tuple("Resolution::Deny").field(e).finish()
                            }
                        }
                    }
                }
                #[doc(hidden)]
                #[allow(non_snake_case, unused_unsafe)]
                pub unsafe fn _export_resolve_cabi<T_: Guest>(arg0: *mut u8) -> *mut u8 {
                    unsafe {
                        #[cfg(target_arch = "wasm32")] _rt::run_ctors_once();
                        let result46 = {
                            let l0 = *arg0.add(0).cast::<*mut u8>();
                            let l1 = *arg0
                                .add(::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let len2 = l1;
                            let bytes2 = _rt::Vec::from_raw_parts(l0.cast(), len2, len2);
                            let l3 = *arg0
                                .add(2 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>();
                            let l4 = *arg0
                                .add(3 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let len5 = l4;
                            let bytes5 = _rt::Vec::from_raw_parts(l3.cast(), len5, len5);
                            let l6 = i32::from(
                                *arg0
                                    .add(4 * ::core::mem::size_of::<*const u8>())
                                    .cast::<u8>(),
                            );
                            let l7 = i32::from(
                                *arg0
                                    .add(1 + 4 * ::core::mem::size_of::<*const u8>())
                                    .cast::<u8>(),
                            );
                            let l8 = *arg0
                                .add(5 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>();
                            let l9 = *arg0
                                .add(6 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let len10 = l9;
                            let bytes10 = _rt::Vec::from_raw_parts(
                                l8.cast(),
                                len10,
                                len10,
                            );
                            let l11 = *arg0
                                .add(7 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>();
                            let l12 = *arg0
                                .add(8 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let len13 = l12;
                            let bytes13 = _rt::Vec::from_raw_parts(
                                l11.cast(),
                                len13,
                                len13,
                            );
                            let l14 = *arg0
                                .add(9 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>();
                            let l15 = *arg0
                                .add(10 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let len16 = l15;
                            let bytes16 = _rt::Vec::from_raw_parts(
                                l14.cast(),
                                len16,
                                len16,
                            );
                            let l17 = i32::from(
                                *arg0
                                    .add(11 * ::core::mem::size_of::<*const u8>())
                                    .cast::<u16>(),
                            );
                            let l18 = *arg0
                                .add(12 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>();
                            let l19 = *arg0
                                .add(13 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let base24 = l18;
                            let len24 = l19;
                            let mut result24 = _rt::Vec::with_capacity(len24);
                            for i in 0..len24 {
                                let base = base24
                                    .add(i * (3 * ::core::mem::size_of::<*const u8>()));
                                let e24 = {
                                    let l20 = *base.add(0).cast::<*mut u8>();
                                    let l21 = *base
                                        .add(::core::mem::size_of::<*const u8>())
                                        .cast::<usize>();
                                    let len22 = l21;
                                    let bytes22 = _rt::Vec::from_raw_parts(
                                        l20.cast(),
                                        len22,
                                        len22,
                                    );
                                    let l23 = i32::from(
                                        *base
                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<u8>(),
                                    );
                                    super::super::super::super::__with_name0::Mac {
                                        address: _rt::string_lift(bytes22),
                                        source: super::super::super::super::__with_name0::MacSource::_lift(
                                            l23 as u8,
                                        ),
                                    }
                                };
                                result24.push(e24);
                            }
                            _rt::cabi_dealloc(
                                base24,
                                len24 * (3 * ::core::mem::size_of::<*const u8>()),
                                ::core::mem::size_of::<*const u8>(),
                            );
                            let l25 = *arg0
                                .add(14 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>();
                            let l26 = *arg0
                                .add(15 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let len27 = l26;
                            let bytes27 = _rt::Vec::from_raw_parts(
                                l25.cast(),
                                len27,
                                len27,
                            );
                            let l28 = *arg0
                                .add(16 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>();
                            let l29 = *arg0
                                .add(17 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let base36 = l28;
                            let len36 = l29;
                            let mut result36 = _rt::Vec::with_capacity(len36);
                            for i in 0..len36 {
                                let base = base36
                                    .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                let e36 = {
                                    let l30 = *base.add(0).cast::<*mut u8>();
                                    let l31 = *base
                                        .add(::core::mem::size_of::<*const u8>())
                                        .cast::<usize>();
                                    let len32 = l31;
                                    let bytes32 = _rt::Vec::from_raw_parts(
                                        l30.cast(),
                                        len32,
                                        len32,
                                    );
                                    let l33 = *base
                                        .add(2 * ::core::mem::size_of::<*const u8>())
                                        .cast::<*mut u8>();
                                    let l34 = *base
                                        .add(3 * ::core::mem::size_of::<*const u8>())
                                        .cast::<usize>();
                                    let len35 = l34;
                                    let bytes35 = _rt::Vec::from_raw_parts(
                                        l33.cast(),
                                        len35,
                                        len35,
                                    );
                                    (_rt::string_lift(bytes32), _rt::string_lift(bytes35))
                                };
                                result36.push(e36);
                            }
                            _rt::cabi_dealloc(
                                base36,
                                len36 * (4 * ::core::mem::size_of::<*const u8>()),
                                ::core::mem::size_of::<*const u8>(),
                            );
                            let l37 = *arg0
                                .add(18 * ::core::mem::size_of::<*const u8>())
                                .cast::<*mut u8>();
                            let l38 = *arg0
                                .add(19 * ::core::mem::size_of::<*const u8>())
                                .cast::<usize>();
                            let base45 = l37;
                            let len45 = l38;
                            let mut result45 = _rt::Vec::with_capacity(len45);
                            for i in 0..len45 {
                                let base = base45
                                    .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                let e45 = {
                                    let l39 = *base.add(0).cast::<*mut u8>();
                                    let l40 = *base
                                        .add(::core::mem::size_of::<*const u8>())
                                        .cast::<usize>();
                                    let len41 = l40;
                                    let bytes41 = _rt::Vec::from_raw_parts(
                                        l39.cast(),
                                        len41,
                                        len41,
                                    );
                                    let l42 = *base
                                        .add(2 * ::core::mem::size_of::<*const u8>())
                                        .cast::<*mut u8>();
                                    let l43 = *base
                                        .add(3 * ::core::mem::size_of::<*const u8>())
                                        .cast::<usize>();
                                    let len44 = l43;
                                    let bytes44 = _rt::Vec::from_raw_parts(
                                        l42.cast(),
                                        len44,
                                        len44,
                                    );
                                    (_rt::string_lift(bytes41), _rt::string_lift(bytes44))
                                };
                                result45.push(e45);
                            }
                            _rt::cabi_dealloc(
                                base45,
                                len45 * (4 * ::core::mem::size_of::<*const u8>()),
                                ::core::mem::size_of::<*const u8>(),
                            );
                            T_::resolve(super::super::super::super::__with_name0::Request {
                                id: _rt::string_lift(bytes2),
                                listener: _rt::string_lift(bytes5),
                                operation: super::super::super::super::__with_name0::Operation::_lift(
                                    l6 as u8,
                                ),
                                mode: super::super::super::super::__with_name0::Mode::_lift(
                                    l7 as u8,
                                ),
                                requested: _rt::string_lift(bytes10),
                                path: _rt::string_lift(bytes13),
                                client: super::super::super::super::__with_name0::Client {
                                    address: _rt::string_lift(bytes16),
                                    port: l17 as u16,
                                    macs: result24,
                                    class: _rt::string_lift(bytes27),
                                },
                                options: result36,
                                attributes: result45,
                            })
                        };
                        _rt::cabi_dealloc(
                            arg0,
                            20 * ::core::mem::size_of::<*const u8>(),
                            ::core::mem::size_of::<*const u8>(),
                        );
                        let ptr47 = (&raw mut _RET_AREA.0).cast::<u8>();
                        match result46 {
                            Resolution::Abstain => {
                                *ptr47.add(0).cast::<u8>() = (0i32) as u8;
                            }
                            Resolution::Files(e) => {
                                *ptr47.add(0).cast::<u8>() = (1i32) as u8;
                                let vec51 = e;
                                let len51 = vec51.len();
                                let layout51 = _rt::alloc::Layout::from_size_align(
                                        vec51.len() * (4 * ::core::mem::size_of::<*const u8>()),
                                        ::core::mem::size_of::<*const u8>(),
                                    )
                                    .unwrap();
                                let (result51, _cleanup51) = wit_bindgen::rt::Cleanup::new(
                                    layout51,
                                );
                                if let Some(cleanup) = _cleanup51 {
                                    cleanup.forget();
                                }
                                for (i, e) in vec51.into_iter().enumerate() {
                                    let base = result51
                                        .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                    {
                                        let Target { root: root48, path: path48 } = e;
                                        let vec49 = (root48.into_bytes()).into_boxed_slice();
                                        let ptr49 = vec49.as_ptr().cast::<u8>();
                                        let len49 = vec49.len();
                                        ::core::mem::forget(vec49);
                                        *base
                                            .add(::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len49;
                                        *base.add(0).cast::<*mut u8>() = ptr49.cast_mut();
                                        let vec50 = (path48.into_bytes()).into_boxed_slice();
                                        let ptr50 = vec50.as_ptr().cast::<u8>();
                                        let len50 = vec50.len();
                                        ::core::mem::forget(vec50);
                                        *base
                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len50;
                                        *base
                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>() = ptr50.cast_mut();
                                    }
                                }
                                *ptr47
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len51;
                                *ptr47
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = result51;
                            }
                            Resolution::FilesElseNext(e) => {
                                *ptr47.add(0).cast::<u8>() = (2i32) as u8;
                                let vec55 = e;
                                let len55 = vec55.len();
                                let layout55 = _rt::alloc::Layout::from_size_align(
                                        vec55.len() * (4 * ::core::mem::size_of::<*const u8>()),
                                        ::core::mem::size_of::<*const u8>(),
                                    )
                                    .unwrap();
                                let (result55, _cleanup55) = wit_bindgen::rt::Cleanup::new(
                                    layout55,
                                );
                                if let Some(cleanup) = _cleanup55 {
                                    cleanup.forget();
                                }
                                for (i, e) in vec55.into_iter().enumerate() {
                                    let base = result55
                                        .add(i * (4 * ::core::mem::size_of::<*const u8>()));
                                    {
                                        let Target { root: root52, path: path52 } = e;
                                        let vec53 = (root52.into_bytes()).into_boxed_slice();
                                        let ptr53 = vec53.as_ptr().cast::<u8>();
                                        let len53 = vec53.len();
                                        ::core::mem::forget(vec53);
                                        *base
                                            .add(::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len53;
                                        *base.add(0).cast::<*mut u8>() = ptr53.cast_mut();
                                        let vec54 = (path52.into_bytes()).into_boxed_slice();
                                        let ptr54 = vec54.as_ptr().cast::<u8>();
                                        let len54 = vec54.len();
                                        ::core::mem::forget(vec54);
                                        *base
                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len54;
                                        *base
                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>() = ptr54.cast_mut();
                                    }
                                }
                                *ptr47
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len55;
                                *ptr47
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = result55;
                            }
                            Resolution::Content(e) => {
                                *ptr47.add(0).cast::<u8>() = (3i32) as u8;
                                let Content { name: name56, bytes: bytes56 } = e;
                                match name56 {
                                    Some(e) => {
                                        *ptr47
                                            .add(::core::mem::size_of::<*const u8>())
                                            .cast::<u8>() = (1i32) as u8;
                                        let vec57 = (e.into_bytes()).into_boxed_slice();
                                        let ptr57 = vec57.as_ptr().cast::<u8>();
                                        let len57 = vec57.len();
                                        ::core::mem::forget(vec57);
                                        *ptr47
                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len57;
                                        *ptr47
                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>() = ptr57.cast_mut();
                                    }
                                    None => {
                                        *ptr47
                                            .add(::core::mem::size_of::<*const u8>())
                                            .cast::<u8>() = (0i32) as u8;
                                    }
                                };
                                let vec58 = <_ as Into<_rt::Vec<_>>>::into(bytes56)
                                    .into_boxed_slice();
                                let ptr58 = vec58.as_ptr().cast::<u8>();
                                let len58 = vec58.len();
                                ::core::mem::forget(vec58);
                                *ptr47
                                    .add(5 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len58;
                                *ptr47
                                    .add(4 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = ptr58.cast_mut();
                            }
                            Resolution::Rendered(e) => {
                                *ptr47.add(0).cast::<u8>() = (4i32) as u8;
                                let vec59 = (e.into_bytes()).into_boxed_slice();
                                let ptr59 = vec59.as_ptr().cast::<u8>();
                                let len59 = vec59.len();
                                ::core::mem::forget(vec59);
                                *ptr47
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len59;
                                *ptr47
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = ptr59.cast_mut();
                            }
                            Resolution::Deny(e) => {
                                *ptr47.add(0).cast::<u8>() = (5i32) as u8;
                                let super::super::super::super::__with_name0::Denial {
                                    code: code60,
                                    message: message60,
                                    reason: reason60,
                                } = e;
                                *ptr47
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<u8>() = (code60.clone() as i32) as u8;
                                let vec61 = (message60.into_bytes()).into_boxed_slice();
                                let ptr61 = vec61.as_ptr().cast::<u8>();
                                let len61 = vec61.len();
                                ::core::mem::forget(vec61);
                                *ptr47
                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len61;
                                *ptr47
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = ptr61.cast_mut();
                                let vec62 = (reason60.into_bytes()).into_boxed_slice();
                                let ptr62 = vec62.as_ptr().cast::<u8>();
                                let len62 = vec62.len();
                                ::core::mem::forget(vec62);
                                *ptr47
                                    .add(5 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len62;
                                *ptr47
                                    .add(4 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = ptr62.cast_mut();
                            }
                        }
                        ptr47
                    }
                }
                #[doc(hidden)]
                #[allow(non_snake_case)]
                pub unsafe fn __post_return_resolve<T_: Guest>(arg0: *mut u8) {
                    unsafe {
                        let l0 = i32::from(*arg0.add(0).cast::<u8>());
                        match l0 {
                            0 => {}
                            1 => {
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
                            2 => {
                                let l8 = *arg0
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l9 = *arg0
                                    .add(2 * ::core::mem::size_of::<*const u8>())
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
                            3 => {
                                let l15 = i32::from(
                                    *arg0.add(::core::mem::size_of::<*const u8>()).cast::<u8>(),
                                );
                                match l15 {
                                    0 => {}
                                    _ => {
                                        let l16 = *arg0
                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>();
                                        let l17 = *arg0
                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        _rt::cabi_dealloc(l16, l17, 1);
                                    }
                                }
                                let l18 = *arg0
                                    .add(4 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l19 = *arg0
                                    .add(5 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let base20 = l18;
                                let len20 = l19;
                                _rt::cabi_dealloc(base20, len20 * 1, 1);
                            }
                            4 => {
                                let l21 = *arg0
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l22 = *arg0
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                _rt::cabi_dealloc(l21, l22, 1);
                            }
                            _ => {
                                let l23 = *arg0
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l24 = *arg0
                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                _rt::cabi_dealloc(l23, l24, 1);
                                let l25 = *arg0
                                    .add(4 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l26 = *arg0
                                    .add(5 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                _rt::cabi_dealloc(l25, l26, 1);
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
                                let Rendering {
                                    content: content3,
                                    ttl_seconds: ttl_seconds3,
                                } = e;
                                let Content { name: name4, bytes: bytes4 } = content3;
                                match name4 {
                                    Some(e) => {
                                        *ptr2
                                            .add(::core::mem::size_of::<*const u8>())
                                            .cast::<u8>() = (1i32) as u8;
                                        let vec5 = (e.into_bytes()).into_boxed_slice();
                                        let ptr5 = vec5.as_ptr().cast::<u8>();
                                        let len5 = vec5.len();
                                        ::core::mem::forget(vec5);
                                        *ptr2
                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len5;
                                        *ptr2
                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>() = ptr5.cast_mut();
                                    }
                                    None => {
                                        *ptr2
                                            .add(::core::mem::size_of::<*const u8>())
                                            .cast::<u8>() = (0i32) as u8;
                                    }
                                };
                                let vec6 = <_ as Into<_rt::Vec<_>>>::into(bytes4)
                                    .into_boxed_slice();
                                let ptr6 = vec6.as_ptr().cast::<u8>();
                                let len6 = vec6.len();
                                ::core::mem::forget(vec6);
                                *ptr2
                                    .add(5 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len6;
                                *ptr2
                                    .add(4 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = ptr6.cast_mut();
                                match ttl_seconds3 {
                                    Some(e) => {
                                        *ptr2
                                            .add(6 * ::core::mem::size_of::<*const u8>())
                                            .cast::<u8>() = (1i32) as u8;
                                        *ptr2
                                            .add(4 + 6 * ::core::mem::size_of::<*const u8>())
                                            .cast::<i32>() = _rt::as_i32(e);
                                    }
                                    None => {
                                        *ptr2
                                            .add(6 * ::core::mem::size_of::<*const u8>())
                                            .cast::<u8>() = (0i32) as u8;
                                    }
                                };
                            }
                            Err(e) => {
                                *ptr2.add(0).cast::<u8>() = (1i32) as u8;
                                let super::super::super::super::__with_name0::Denial {
                                    code: code7,
                                    message: message7,
                                    reason: reason7,
                                } = e;
                                *ptr2
                                    .add(::core::mem::size_of::<*const u8>())
                                    .cast::<u8>() = (code7.clone() as i32) as u8;
                                let vec8 = (message7.into_bytes()).into_boxed_slice();
                                let ptr8 = vec8.as_ptr().cast::<u8>();
                                let len8 = vec8.len();
                                ::core::mem::forget(vec8);
                                *ptr2
                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len8;
                                *ptr2
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = ptr8.cast_mut();
                                let vec9 = (reason7.into_bytes()).into_boxed_slice();
                                let ptr9 = vec9.as_ptr().cast::<u8>();
                                let len9 = vec9.len();
                                ::core::mem::forget(vec9);
                                *ptr2
                                    .add(5 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len9;
                                *ptr2
                                    .add(4 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = ptr9.cast_mut();
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
                                    0 => {}
                                    _ => {
                                        let l2 = *arg0
                                            .add(2 * ::core::mem::size_of::<*const u8>())
                                            .cast::<*mut u8>();
                                        let l3 = *arg0
                                            .add(3 * ::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        _rt::cabi_dealloc(l2, l3, 1);
                                    }
                                }
                                let l4 = *arg0
                                    .add(4 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l5 = *arg0
                                    .add(5 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let base6 = l4;
                                let len6 = l5;
                                _rt::cabi_dealloc(base6, len6 * 1, 1);
                            }
                            _ => {
                                let l7 = *arg0
                                    .add(2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l8 = *arg0
                                    .add(3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                _rt::cabi_dealloc(l7, l8, 1);
                                let l9 = *arg0
                                    .add(4 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l10 = *arg0
                                    .add(5 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                _rt::cabi_dealloc(l9, l10, 1);
                            }
                        }
                    }
                }
                pub trait Guest {
                    #[allow(async_fn_in_trait)]
                    fn resolve(request: Request) -> Resolution;
                    /// Makes the content for a key that `resolve` answered with. The host calls it once for all requests with this key,
                    /// those that arrive meanwhile included, and keeps the rendering in memory while there is room. It may run in another
                    /// instance than `resolve`, so the key is all that the content may depend on besides settings and grants: where it is
                    /// made of files, put their versions into the key. A denial, or a failed call, answers all requests that wait for it;
                    /// the host keeps neither.
                    ///
                    /// A plugin that never answers `rendered` denies.
                    #[allow(async_fn_in_trait)]
                    fn render(
                        key: _rt::String,
                    ) -> ::core::result::Result<Rendering, Denial>;
                }
                #[doc(hidden)]
                #[macro_export]
                macro_rules! __export_tuffet_policy_resolve_0_2_0_cabi {
                    ($ty:ident with_types_in $($path_to_types:tt)*) => {
                        const _ : () = { #[unsafe (export_name =
                        "tuffet:policy/resolve@0.2.0#resolve")] unsafe extern "C" fn
                        export_resolve(arg0 : * mut u8,) -> * mut u8 { unsafe {
                        $($path_to_types)*:: _export_resolve_cabi::<$ty > (arg0) } }
                        #[unsafe (export_name =
                        "cabi_post_tuffet:policy/resolve@0.2.0#resolve")] unsafe extern
                        "C" fn _post_return_resolve(arg0 : * mut u8,) { unsafe {
                        $($path_to_types)*:: __post_return_resolve::<$ty > (arg0) } }
                        #[unsafe (export_name = "tuffet:policy/resolve@0.2.0#render")]
                        unsafe extern "C" fn export_render(arg0 : * mut u8, arg1 :
                        usize,) -> * mut u8 { unsafe { $($path_to_types)*::
                        _export_render_cabi::<$ty > (arg0, arg1) } } #[unsafe
                        (export_name = "cabi_post_tuffet:policy/resolve@0.2.0#render")]
                        unsafe extern "C" fn _post_return_render(arg0 : * mut u8,) {
                        unsafe { $($path_to_types)*:: __post_return_render::<$ty > (arg0)
                        } } };
                    };
                }
                #[doc(hidden)]
                pub use __export_tuffet_policy_resolve_0_2_0_cabi;
                #[cfg_attr(target_pointer_width = "64", repr(align(8)))]
                #[cfg_attr(target_pointer_width = "32", repr(align(4)))]
                struct _RetArea(
                    [::core::mem::MaybeUninit<
                        u8,
                    >; 8 + 6 * ::core::mem::size_of::<*const u8>()],
                );
                static mut _RET_AREA: _RetArea = _RetArea(
                    [::core::mem::MaybeUninit::uninit(); 8
                        + 6 * ::core::mem::size_of::<*const u8>()],
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
    pub unsafe fn cabi_dealloc(ptr: *mut u8, size: usize, align: usize) {
        if size == 0 {
            return;
        }
        unsafe {
            let layout = alloc::Layout::from_size_align_unchecked(size, align);
            alloc::dealloc(ptr, layout);
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
    extern crate alloc as alloc_crate;
}
/// Generates `#[unsafe(no_mangle)]` functions to export the specified type as
/// the root implementation of all generated traits.
///
/// For more information see the documentation of `wit_bindgen::generate!`.
///
/// ```rust
/// # macro_rules! export_resolve{ ($($t:tt)*) => (); }
/// # trait Guest {}
/// struct MyType;
///
/// impl Guest for MyType {
///     // ...
/// }
///
/// export_resolve!(MyType);
/// ```
#[allow(unused_macros)]
#[doc(hidden)]
#[macro_export]
macro_rules! __export_resolve_impl {
    ($ty:ident) => {
        self::export_resolve!($ty with_types_in self);
    };
    ($ty:ident with_types_in $($path_to_types_root:tt)*) => {
        $($path_to_types_root)*::
        exports::tuffet::policy::resolve::__export_tuffet_policy_resolve_0_2_0_cabi!($ty
        with_types_in $($path_to_types_root)*:: exports::tuffet::policy::resolve); const
        _ : () = { #[cfg(target_arch = "wasm32")] #[unsafe (link_section =
        "component-type:wit-bindgen:0.61.1:tuffet:sdk:resolve:imports and exports")]
        #[doc(hidden)] #[allow(clippy::octal_escapes)] pub static
        __WIT_BINDGEN_COMPONENT_TYPE : [u8; 1207] = *
        b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xb9\x08\x01A\x02\x01\
A\x06\x01B\x1d\x01m\x02\x04read\x05write\x04\0\x09operation\x03\0\0\x01m\x02\x05\
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
\x07profile\x03\0\x1b\x03\0\x19tuffet:policy/types@0.2.0\x05\0\x02\x03\0\0\x07re\
quest\x02\x03\0\0\x06denial\x01B\x15\x02\x03\x02\x01\x01\x04\0\x07request\x03\0\0\
\x02\x03\x02\x01\x02\x04\0\x06denial\x03\0\x02\x01r\x02\x04roots\x04paths\x04\0\x06\
target\x03\0\x04\x01ks\x01p}\x01r\x02\x04name\x06\x05bytes\x07\x04\0\x07content\x03\
\0\x08\x01ky\x01r\x02\x07content\x09\x0bttl-seconds\x0a\x04\0\x09rendering\x03\0\
\x0b\x01p\x05\x01q\x06\x07abstain\0\0\x05files\x01\x0d\0\x0ffiles-else-next\x01\x0d\
\0\x07content\x01\x09\0\x08rendered\x01s\0\x04deny\x01\x03\0\x04\0\x0aresolution\
\x03\0\x0e\x01@\x01\x07request\x01\0\x0f\x04\0\x07resolve\x01\x10\x01j\x01\x0c\x01\
\x03\x01@\x01\x03keys\0\x11\x04\0\x06render\x01\x12\x04\0\x1btuffet:policy/resol\
ve@0.2.0\x05\x03\x04\0\x12tuffet:sdk/resolve\x04\0\x0b\x0d\x01\0\x07resolve\x03\0\
\0\0G\x09producers\x01\x0cprocessed-by\x02\x0dwit-component\x070.258.3\x10wit-bi\
ndgen-rust\x060.61.1";
        };
    };
}
#[doc(inline)]
pub use __export_resolve_impl as export_resolve;
#[cfg(target_arch = "wasm32")]
#[unsafe(
    link_section = "component-type:wit-bindgen:0.61.1:tuffet:sdk:resolve-with-all-of-its-exports-removed:encoded world"
)]
#[doc(hidden)]
#[allow(clippy::octal_escapes)]
pub static __WIT_BINDGEN_COMPONENT_TYPE: [u8; 929] = *b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\x83\x06\x01A\x02\x01\
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
\x07profile\x03\0\x1b\x03\0\x19tuffet:policy/types@0.2.0\x05\0\x04\02tuffet:sdk/\
resolve-with-all-of-its-exports-removed\x04\0\x0b-\x01\0'resolve-with-all-of-its\
-exports-removed\x03\0\0\0G\x09producers\x01\x0cprocessed-by\x02\x0dwit-componen\
t\x070.258.3\x10wit-bindgen-rust\x060.61.1";
#[inline(never)]
#[doc(hidden)]
pub fn __link_custom_section_describing_imports() {
    wit_bindgen::rt::maybe_link_cabi_realloc();
}
