#[allow(dead_code, clippy::all)]
pub mod tuffet {
    pub mod policy {
        #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
        pub mod types {
            #[used]
            #[doc(hidden)]
            static __FORCE_SECTION_REF: fn() = super::super::super::__link_custom_section_describing_imports;
            use super::super::super::_rt;
            #[repr(u8)]
            #[derive(Clone, Copy, Eq, Ord, PartialEq, PartialOrd)]
            #[derive(serde::Deserialize)]
            #[serde(rename_all = "kebab-case")]
            pub enum Operation {
                Read,
                Write,
            }
            impl ::core::fmt::Debug for Operation {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    match self {
                        Operation::Read => f.debug_tuple("Operation::Read").finish(),
                        Operation::Write => f.debug_tuple("Operation::Write").finish(),
                    }
                }
            }
            impl Operation {
                #[doc(hidden)]
                pub unsafe fn _lift(val: u8) -> Operation {
                    if !cfg!(debug_assertions) {
                        return unsafe { ::core::mem::transmute(val) };
                    }
                    match val {
                        0 => Operation::Read,
                        1 => Operation::Write,
                        _ => panic!("invalid enum discriminant"),
                    }
                }
            }
            /// RFC 1350 section 1; `mail` is refused before any plugin sees it.
            #[repr(u8)]
            #[derive(Clone, Copy, Eq, Ord, PartialEq, PartialOrd)]
            #[derive(serde::Deserialize)]
            #[serde(rename_all = "kebab-case")]
            pub enum Mode {
                Octet,
                Netascii,
            }
            impl ::core::fmt::Debug for Mode {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    match self {
                        Mode::Octet => f.debug_tuple("Mode::Octet").finish(),
                        Mode::Netascii => f.debug_tuple("Mode::Netascii").finish(),
                    }
                }
            }
            impl Mode {
                #[doc(hidden)]
                pub unsafe fn _lift(val: u8) -> Mode {
                    if !cfg!(debug_assertions) {
                        return unsafe { ::core::mem::transmute(val) };
                    }
                    match val {
                        0 => Mode::Octet,
                        1 => Mode::Netascii,
                        _ => panic!("invalid enum discriminant"),
                    }
                }
            }
            /// RFC 1350 section 5 (0 to 3 and 6) and RFC 2347 (8).
            #[repr(u8)]
            #[derive(Clone, Copy, Eq, Ord, PartialEq, PartialOrd)]
            pub enum ErrorCode {
                NotDefined,
                FileNotFound,
                AccessViolation,
                DiskFull,
                FileExists,
                OptionRefused,
            }
            impl ::core::fmt::Debug for ErrorCode {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    match self {
                        ErrorCode::NotDefined => {
                            f.debug_tuple("ErrorCode::NotDefined").finish()
                        }
                        ErrorCode::FileNotFound => {
                            f.debug_tuple("ErrorCode::FileNotFound").finish()
                        }
                        ErrorCode::AccessViolation => {
                            f.debug_tuple("ErrorCode::AccessViolation").finish()
                        }
                        ErrorCode::DiskFull => {
                            f.debug_tuple("ErrorCode::DiskFull").finish()
                        }
                        ErrorCode::FileExists => {
                            f.debug_tuple("ErrorCode::FileExists").finish()
                        }
                        ErrorCode::OptionRefused => {
                            f.debug_tuple("ErrorCode::OptionRefused").finish()
                        }
                    }
                }
            }
            impl ErrorCode {
                #[doc(hidden)]
                pub unsafe fn _lift(val: u8) -> ErrorCode {
                    if !cfg!(debug_assertions) {
                        return unsafe { ::core::mem::transmute(val) };
                    }
                    match val {
                        0 => ErrorCode::NotDefined,
                        1 => ErrorCode::FileNotFound,
                        2 => ErrorCode::AccessViolation,
                        3 => ErrorCode::DiskFull,
                        4 => ErrorCode::FileExists,
                        5 => ErrorCode::OptionRefused,
                        _ => panic!("invalid enum discriminant"),
                    }
                }
            }
            /// Where a MAC address was learnt, most trustworthy first. The kernel's neighbour table; the leases of a
            /// DHCP server; the file name that was asked for.
            #[repr(u8)]
            #[derive(Clone, Copy, Eq, Ord, PartialEq, PartialOrd)]
            #[derive(serde::Deserialize)]
            #[serde(rename_all = "kebab-case")]
            pub enum MacSource {
                NeighbourTable,
                LeaseFile,
                RequestedName,
            }
            impl ::core::fmt::Debug for MacSource {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    match self {
                        MacSource::NeighbourTable => {
                            f.debug_tuple("MacSource::NeighbourTable").finish()
                        }
                        MacSource::LeaseFile => {
                            f.debug_tuple("MacSource::LeaseFile").finish()
                        }
                        MacSource::RequestedName => {
                            f.debug_tuple("MacSource::RequestedName").finish()
                        }
                    }
                }
            }
            impl MacSource {
                #[doc(hidden)]
                pub unsafe fn _lift(val: u8) -> MacSource {
                    if !cfg!(debug_assertions) {
                        return unsafe { ::core::mem::transmute(val) };
                    }
                    match val {
                        0 => MacSource::NeighbourTable,
                        1 => MacSource::LeaseFile,
                        2 => MacSource::RequestedName,
                        _ => panic!("invalid enum discriminant"),
                    }
                }
            }
            /// A hint, not a credential: every source of it can be forged by someone on the same network.
            #[derive(Clone, Eq, PartialEq)]
            pub struct Mac {
                /// Six lower-case hexadecimal octets with colons: `02:00:5e:10:00:01`.
                pub address: _rt::String,
                pub source: MacSource,
            }
            impl ::core::fmt::Debug for Mac {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("Mac")
                        .field("address", &self.address)
                        .field("source", &self.source)
                        .finish()
                }
            }
            #[derive(Clone, Eq, PartialEq)]
            pub struct Client {
                /// Textual IP address; an IPv4-mapped IPv6 address is given as IPv4.
                pub address: _rt::String,
                pub port: u16,
                /// Every MAC address known for this client, most trustworthy source first. Empty without the
                /// grant `client-mac`; nothing from the neighbour table for a routed client.
                pub macs: _rt::Vec<Mac>,
                /// What kind of client this seems to be, guessed from the shape of its request: `ipxe`, `u-boot`, `curl`
                /// and so on, `unknown` where nothing fits; docs/logs.md lists them, later hosts may know more. A
                /// hint, and no credential: anyone can ask as anyone asks.
                pub class: _rt::String,
            }
            impl ::core::fmt::Debug for Client {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("Client")
                        .field("address", &self.address)
                        .field("port", &self.port)
                        .field("macs", &self.macs)
                        .field("class", &self.class)
                        .finish()
                }
            }
            #[derive(Clone, Eq, PartialEq)]
            pub struct Request {
                /// Stable for the life of the transfer; log lines carry the same.
                pub id: _rt::String,
                /// The name of the listener that was asked.
                pub listener: _rt::String,
                pub operation: Operation,
                pub mode: Mode,
                /// The name as sent, not normalised. Never use it as a path.
                pub requested: _rt::String,
                /// The normalised path below the virtual root: no leading slash, no `.` or `..`, `/` between parts.
                pub path: _rt::String,
                pub client: Client,
                /// As the client sent them, names in lower case (RFC 2347).
                pub options: _rt::Vec<(_rt::String, _rt::String)>,
                /// Room for facts that later hosts add without a new version.
                pub attributes: _rt::Vec<(_rt::String, _rt::String)>,
            }
            impl ::core::fmt::Debug for Request {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("Request")
                        .field("id", &self.id)
                        .field("listener", &self.listener)
                        .field("operation", &self.operation)
                        .field("mode", &self.mode)
                        .field("requested", &self.requested)
                        .field("path", &self.path)
                        .field("client", &self.client)
                        .field("options", &self.options)
                        .field("attributes", &self.attributes)
                        .finish()
                }
            }
            #[derive(Clone, Eq, PartialEq)]
            pub struct Denial {
                pub code: ErrorCode,
                /// Sent to the client in the ERROR packet: short, no secrets. At most 200 bytes are sent.
                pub message: _rt::String,
                /// Logged, never sent.
                pub reason: _rt::String,
            }
            impl ::core::fmt::Debug for Denial {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("Denial")
                        .field("code", &self.code)
                        .field("message", &self.message)
                        .field("reason", &self.reason)
                        .finish()
                }
            }
            impl ::core::fmt::Display for Denial {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    write!(f, "{:?}", self)
                }
            }
            impl ::core::error::Error for Denial {}
            /// How a request ended.
            #[repr(u8)]
            #[derive(Clone, Copy, Eq, Ord, PartialEq, PartialOrd)]
            pub enum Outcome {
                /// The client acknowledged the last block.
                Served,
                /// The upload is on disk under its name.
                Stored,
                /// The client wanted the size only, or closed early as some boot loaders do.
                Probed,
                /// The client ended it, broke the protocol, or asked for something else instead.
                Aborted,
                /// Policy, a root's rules or a limit said no.
                Denied,
                /// There is no such file.
                NotFound,
                /// The client fell silent.
                TimedOut,
                /// The server could not do it.
                Failed,
            }
            impl ::core::fmt::Debug for Outcome {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    match self {
                        Outcome::Served => f.debug_tuple("Outcome::Served").finish(),
                        Outcome::Stored => f.debug_tuple("Outcome::Stored").finish(),
                        Outcome::Probed => f.debug_tuple("Outcome::Probed").finish(),
                        Outcome::Aborted => f.debug_tuple("Outcome::Aborted").finish(),
                        Outcome::Denied => f.debug_tuple("Outcome::Denied").finish(),
                        Outcome::NotFound => f.debug_tuple("Outcome::NotFound").finish(),
                        Outcome::TimedOut => f.debug_tuple("Outcome::TimedOut").finish(),
                        Outcome::Failed => f.debug_tuple("Outcome::Failed").finish(),
                    }
                }
            }
            impl Outcome {
                #[doc(hidden)]
                pub unsafe fn _lift(val: u8) -> Outcome {
                    if !cfg!(debug_assertions) {
                        return unsafe { ::core::mem::transmute(val) };
                    }
                    match val {
                        0 => Outcome::Served,
                        1 => Outcome::Stored,
                        2 => Outcome::Probed,
                        3 => Outcome::Aborted,
                        4 => Outcome::Denied,
                        5 => Outcome::NotFound,
                        6 => Outcome::TimedOut,
                        7 => Outcome::Failed,
                        _ => panic!("invalid enum discriminant"),
                    }
                }
            }
            /// The numbers of a session that a client may negotiate.
            #[repr(C)]
            #[derive(Clone, Copy, Eq, PartialEq)]
            #[derive(Default)]
            pub struct SessionValues {
                /// Bytes in a block, 8 to 65464 (RFC 2348).
                pub blksize: ::core::option::Option<u16>,
                /// Blocks in a window, 1 to 65535 (RFC 7440); the server never grants more than 32767.
                pub windowsize: ::core::option::Option<u16>,
                /// Seconds before a packet is sent again, 1 to 255 (RFC 2349).
                pub timeout: ::core::option::Option<u8>,
            }
            impl ::core::fmt::Debug for SessionValues {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("SessionValues")
                        .field("blksize", &self.blksize)
                        .field("windowsize", &self.windowsize)
                        .field("timeout", &self.timeout)
                        .finish()
                }
            }
            /// How a transfer is negotiated and sent. What is absent is as configured. Of several plugins of a chain that
            /// allow, the lowest ceilings, the highest floors, the first override of each value, the smallest burst, the smallest
            /// rate, and all refused options count.
            #[derive(Clone, Eq, PartialEq)]
            #[derive(Default)]
            pub struct Profile {
                /// The largest block that is granted, in bytes, 8 to 65464 (RFC 2348). A client that negotiates none gets 512
                /// all the same.
                pub blksize: ::core::option::Option<u16>,
                /// The largest window that is granted, in blocks, 1 to 65535 (RFC 7440).
                pub windowsize: ::core::option::Option<u16>,
                /// The longest time that is acknowledged, in seconds, 1 to 255 (RFC 2349). A longer one that a client asks for
                /// is left out of the answer, because a server may not change it; the server then keeps its own times. Holds for
                /// the option `utimeout` of tftp-hpa, too.
                pub timeout: ::core::option::Option<u8>,
                /// The largest file that may be read or written, in bytes.
                pub bytes: ::core::option::Option<u64>,
                /// The least that a session is served with. A client that negotiates a smaller block or window, also by asking
                /// for none (512 bytes, one block), gets the error `option-refused`. A shorter `timeout` is not acknowledged. A
                /// floor above the ceiling of the same plugin is an invalid answer.
                pub floors: SessionValues,
                /// These take the place of what is configured: of the ceilings on blocks and windows from `transfer`, the
                /// listener, profiles and the route, and, as `timeout`, of the times before the server sends a packet again. The
                /// ceilings above hold nevertheless, and a client never gets more than it asks for. With a `timeout` here, the
                /// option is acknowledged only where the client asks for the same.
                pub overrides: SessionValues,
                /// Blocks of a window that are sent at once, at least 1; the others follow, paced. Takes the place of what is
                /// configured.
                pub burst: ::core::option::Option<u16>,
                /// The most bytes of file data in a second, at least 1024: the server sends a file no faster, retransmissions
                /// included, and acknowledges an upload no faster. Takes the place of what is configured. For low rates the server
                /// also lowers blocks and windows, and a client with a rate joins no multicast group.
                pub rate: ::core::option::Option<u64>,
                /// Options that are not acknowledged: `blksize`, `timeout`, `tsize`, `windowsize`, `rollover`, `blksize2`,
                /// `utimeout`, `msftwindow` and `multicast`. Another name is an invalid answer.
                pub refuse_options: _rt::Vec<_rt::String>,
            }
            impl ::core::fmt::Debug for Profile {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("Profile")
                        .field("blksize", &self.blksize)
                        .field("windowsize", &self.windowsize)
                        .field("timeout", &self.timeout)
                        .field("bytes", &self.bytes)
                        .field("floors", &self.floors)
                        .field("overrides", &self.overrides)
                        .field("burst", &self.burst)
                        .field("rate", &self.rate)
                        .field("refuse-options", &self.refuse_options)
                        .finish()
                }
            }
        }
    }
}
#[allow(dead_code, clippy::all)]
pub mod exports {
    pub mod tuffet {
        pub mod policy {
            /// May this client do this?
            #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
            pub mod authorize {
                #[used]
                #[doc(hidden)]
                static __FORCE_SECTION_REF: fn() = super::super::super::super::__link_custom_section_describing_imports;
                use super::super::super::super::_rt;
                pub type Request = super::super::super::super::tuffet::policy::types::Request;
                pub type Denial = super::super::super::super::tuffet::policy::types::Denial;
                pub type Profile = super::super::super::super::tuffet::policy::types::Profile;
                #[derive(Clone, Eq, PartialEq)]
                pub enum Verdict {
                    /// No opinion: the next plugin decides, at the end `policy.default`.
                    Abstain,
                    /// Yes, unless a later plugin of the chain denies, with this profile.
                    Allow(Profile),
                    /// No: the chain ends and the client gets an ERROR.
                    Deny(Denial),
                    /// No, and without any answer.
                    Drop,
                }
                impl ::core::fmt::Debug for Verdict {
                    fn fmt(
                        &self,
                        f: &mut ::core::fmt::Formatter<'_>,
                    ) -> ::core::fmt::Result {
                        match self {
                            Verdict::Abstain => {
                                f.debug_tuple("Verdict::Abstain").finish()
                            }
                            Verdict::Allow(e) => {
                                f.debug_tuple("Verdict::Allow").field(e).finish()
                            }
                            Verdict::Deny(e) => {
                                f.debug_tuple("Verdict::Deny").field(e).finish()
                            }
                            Verdict::Drop => f.debug_tuple("Verdict::Drop").finish(),
                        }
                    }
                }
                #[doc(hidden)]
                #[allow(non_snake_case, unused_unsafe)]
                pub unsafe fn _export_authorize_cabi<T_: Guest>(
                    arg0: *mut u8,
                ) -> *mut u8 {
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
                                    super::super::super::super::tuffet::policy::types::Mac {
                                        address: _rt::string_lift(bytes22),
                                        source: super::super::super::super::tuffet::policy::types::MacSource::_lift(
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
                            T_::authorize(super::super::super::super::tuffet::policy::types::Request {
                                id: _rt::string_lift(bytes2),
                                listener: _rt::string_lift(bytes5),
                                operation: super::super::super::super::tuffet::policy::types::Operation::_lift(
                                    l6 as u8,
                                ),
                                mode: super::super::super::super::tuffet::policy::types::Mode::_lift(
                                    l7 as u8,
                                ),
                                requested: _rt::string_lift(bytes10),
                                path: _rt::string_lift(bytes13),
                                client: super::super::super::super::tuffet::policy::types::Client {
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
                            Verdict::Abstain => {
                                *ptr47.add(0).cast::<u8>() = (0i32) as u8;
                            }
                            Verdict::Allow(e) => {
                                *ptr47.add(0).cast::<u8>() = (1i32) as u8;
                                let super::super::super::super::tuffet::policy::types::Profile {
                                    blksize: blksize48,
                                    windowsize: windowsize48,
                                    timeout: timeout48,
                                    bytes: bytes48,
                                    floors: floors48,
                                    overrides: overrides48,
                                    burst: burst48,
                                    rate: rate48,
                                    refuse_options: refuse_options48,
                                } = e;
                                match blksize48 {
                                    Some(e) => {
                                        *ptr47.add(8).cast::<u8>() = (1i32) as u8;
                                        *ptr47.add(10).cast::<u16>() = (_rt::as_i32(e)) as u16;
                                    }
                                    None => {
                                        *ptr47.add(8).cast::<u8>() = (0i32) as u8;
                                    }
                                };
                                match windowsize48 {
                                    Some(e) => {
                                        *ptr47.add(12).cast::<u8>() = (1i32) as u8;
                                        *ptr47.add(14).cast::<u16>() = (_rt::as_i32(e)) as u16;
                                    }
                                    None => {
                                        *ptr47.add(12).cast::<u8>() = (0i32) as u8;
                                    }
                                };
                                match timeout48 {
                                    Some(e) => {
                                        *ptr47.add(16).cast::<u8>() = (1i32) as u8;
                                        *ptr47.add(17).cast::<u8>() = (_rt::as_i32(e)) as u8;
                                    }
                                    None => {
                                        *ptr47.add(16).cast::<u8>() = (0i32) as u8;
                                    }
                                };
                                match bytes48 {
                                    Some(e) => {
                                        *ptr47.add(24).cast::<u8>() = (1i32) as u8;
                                        *ptr47.add(32).cast::<i64>() = _rt::as_i64(e);
                                    }
                                    None => {
                                        *ptr47.add(24).cast::<u8>() = (0i32) as u8;
                                    }
                                };
                                let super::super::super::super::tuffet::policy::types::SessionValues {
                                    blksize: blksize49,
                                    windowsize: windowsize49,
                                    timeout: timeout49,
                                } = floors48;
                                match blksize49 {
                                    Some(e) => {
                                        *ptr47.add(40).cast::<u8>() = (1i32) as u8;
                                        *ptr47.add(42).cast::<u16>() = (_rt::as_i32(e)) as u16;
                                    }
                                    None => {
                                        *ptr47.add(40).cast::<u8>() = (0i32) as u8;
                                    }
                                };
                                match windowsize49 {
                                    Some(e) => {
                                        *ptr47.add(44).cast::<u8>() = (1i32) as u8;
                                        *ptr47.add(46).cast::<u16>() = (_rt::as_i32(e)) as u16;
                                    }
                                    None => {
                                        *ptr47.add(44).cast::<u8>() = (0i32) as u8;
                                    }
                                };
                                match timeout49 {
                                    Some(e) => {
                                        *ptr47.add(48).cast::<u8>() = (1i32) as u8;
                                        *ptr47.add(49).cast::<u8>() = (_rt::as_i32(e)) as u8;
                                    }
                                    None => {
                                        *ptr47.add(48).cast::<u8>() = (0i32) as u8;
                                    }
                                };
                                let super::super::super::super::tuffet::policy::types::SessionValues {
                                    blksize: blksize50,
                                    windowsize: windowsize50,
                                    timeout: timeout50,
                                } = overrides48;
                                match blksize50 {
                                    Some(e) => {
                                        *ptr47.add(50).cast::<u8>() = (1i32) as u8;
                                        *ptr47.add(52).cast::<u16>() = (_rt::as_i32(e)) as u16;
                                    }
                                    None => {
                                        *ptr47.add(50).cast::<u8>() = (0i32) as u8;
                                    }
                                };
                                match windowsize50 {
                                    Some(e) => {
                                        *ptr47.add(54).cast::<u8>() = (1i32) as u8;
                                        *ptr47.add(56).cast::<u16>() = (_rt::as_i32(e)) as u16;
                                    }
                                    None => {
                                        *ptr47.add(54).cast::<u8>() = (0i32) as u8;
                                    }
                                };
                                match timeout50 {
                                    Some(e) => {
                                        *ptr47.add(58).cast::<u8>() = (1i32) as u8;
                                        *ptr47.add(59).cast::<u8>() = (_rt::as_i32(e)) as u8;
                                    }
                                    None => {
                                        *ptr47.add(58).cast::<u8>() = (0i32) as u8;
                                    }
                                };
                                match burst48 {
                                    Some(e) => {
                                        *ptr47.add(60).cast::<u8>() = (1i32) as u8;
                                        *ptr47.add(62).cast::<u16>() = (_rt::as_i32(e)) as u16;
                                    }
                                    None => {
                                        *ptr47.add(60).cast::<u8>() = (0i32) as u8;
                                    }
                                };
                                match rate48 {
                                    Some(e) => {
                                        *ptr47.add(64).cast::<u8>() = (1i32) as u8;
                                        *ptr47.add(72).cast::<i64>() = _rt::as_i64(e);
                                    }
                                    None => {
                                        *ptr47.add(64).cast::<u8>() = (0i32) as u8;
                                    }
                                };
                                let vec52 = refuse_options48;
                                let len52 = vec52.len();
                                let layout52 = _rt::alloc::Layout::from_size_align(
                                        vec52.len() * (2 * ::core::mem::size_of::<*const u8>()),
                                        ::core::mem::size_of::<*const u8>(),
                                    )
                                    .unwrap();
                                let (result52, _cleanup52) = wit_bindgen::rt::Cleanup::new(
                                    layout52,
                                );
                                if let Some(cleanup) = _cleanup52 {
                                    cleanup.forget();
                                }
                                for (i, e) in vec52.into_iter().enumerate() {
                                    let base = result52
                                        .add(i * (2 * ::core::mem::size_of::<*const u8>()));
                                    {
                                        let vec51 = (e.into_bytes()).into_boxed_slice();
                                        let ptr51 = vec51.as_ptr().cast::<u8>();
                                        let len51 = vec51.len();
                                        ::core::mem::forget(vec51);
                                        *base
                                            .add(::core::mem::size_of::<*const u8>())
                                            .cast::<usize>() = len51;
                                        *base.add(0).cast::<*mut u8>() = ptr51.cast_mut();
                                    }
                                }
                                *ptr47
                                    .add(80 + 1 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len52;
                                *ptr47.add(80).cast::<*mut u8>() = result52;
                            }
                            Verdict::Deny(e) => {
                                *ptr47.add(0).cast::<u8>() = (2i32) as u8;
                                let super::super::super::super::tuffet::policy::types::Denial {
                                    code: code53,
                                    message: message53,
                                    reason: reason53,
                                } = e;
                                *ptr47.add(8).cast::<u8>() = (code53.clone() as i32) as u8;
                                let vec54 = (message53.into_bytes()).into_boxed_slice();
                                let ptr54 = vec54.as_ptr().cast::<u8>();
                                let len54 = vec54.len();
                                ::core::mem::forget(vec54);
                                *ptr47
                                    .add(8 + 2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len54;
                                *ptr47
                                    .add(8 + 1 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = ptr54.cast_mut();
                                let vec55 = (reason53.into_bytes()).into_boxed_slice();
                                let ptr55 = vec55.as_ptr().cast::<u8>();
                                let len55 = vec55.len();
                                ::core::mem::forget(vec55);
                                *ptr47
                                    .add(8 + 4 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>() = len55;
                                *ptr47
                                    .add(8 + 3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>() = ptr55.cast_mut();
                            }
                            Verdict::Drop => {
                                *ptr47.add(0).cast::<u8>() = (3i32) as u8;
                            }
                        }
                        ptr47
                    }
                }
                #[doc(hidden)]
                #[allow(non_snake_case)]
                pub unsafe fn __post_return_authorize<T_: Guest>(arg0: *mut u8) {
                    unsafe {
                        let l0 = i32::from(*arg0.add(0).cast::<u8>());
                        match l0 {
                            0 => {}
                            1 => {
                                let l1 = *arg0.add(80).cast::<*mut u8>();
                                let l2 = *arg0
                                    .add(80 + 1 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                let base5 = l1;
                                let len5 = l2;
                                for i in 0..len5 {
                                    let base = base5
                                        .add(i * (2 * ::core::mem::size_of::<*const u8>()));
                                    {
                                        let l3 = *base.add(0).cast::<*mut u8>();
                                        let l4 = *base
                                            .add(::core::mem::size_of::<*const u8>())
                                            .cast::<usize>();
                                        _rt::cabi_dealloc(l3, l4, 1);
                                    }
                                }
                                _rt::cabi_dealloc(
                                    base5,
                                    len5 * (2 * ::core::mem::size_of::<*const u8>()),
                                    ::core::mem::size_of::<*const u8>(),
                                );
                            }
                            2 => {
                                let l6 = *arg0
                                    .add(8 + 1 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l7 = *arg0
                                    .add(8 + 2 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                _rt::cabi_dealloc(l6, l7, 1);
                                let l8 = *arg0
                                    .add(8 + 3 * ::core::mem::size_of::<*const u8>())
                                    .cast::<*mut u8>();
                                let l9 = *arg0
                                    .add(8 + 4 * ::core::mem::size_of::<*const u8>())
                                    .cast::<usize>();
                                _rt::cabi_dealloc(l8, l9, 1);
                            }
                            _ => {}
                        }
                    }
                }
                pub trait Guest {
                    #[allow(async_fn_in_trait)]
                    fn authorize(request: Request) -> Verdict;
                }
                #[doc(hidden)]
                #[macro_export]
                macro_rules! __export_tuffet_policy_authorize_0_2_0_cabi {
                    ($ty:ident with_types_in $($path_to_types:tt)*) => {
                        const _ : () = { #[unsafe (export_name =
                        "tuffet:policy/authorize@0.2.0#authorize")] unsafe extern "C" fn
                        export_authorize(arg0 : * mut u8,) -> * mut u8 { unsafe {
                        $($path_to_types)*:: _export_authorize_cabi::<$ty > (arg0) } }
                        #[unsafe (export_name =
                        "cabi_post_tuffet:policy/authorize@0.2.0#authorize")] unsafe
                        extern "C" fn _post_return_authorize(arg0 : * mut u8,) { unsafe {
                        $($path_to_types)*:: __post_return_authorize::<$ty > (arg0) } }
                        };
                    };
                }
                #[doc(hidden)]
                pub use __export_tuffet_policy_authorize_0_2_0_cabi;
                #[repr(align(8))]
                struct _RetArea(
                    [::core::mem::MaybeUninit<
                        u8,
                    >; 80 + 2 * ::core::mem::size_of::<*const u8>()],
                );
                static mut _RET_AREA: _RetArea = _RetArea(
                    [::core::mem::MaybeUninit::uninit(); 80
                        + 2 * ::core::mem::size_of::<*const u8>()],
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
    pub use alloc_crate::alloc;
    extern crate alloc as alloc_crate;
}
/// Generates `#[unsafe(no_mangle)]` functions to export the specified type as
/// the root implementation of all generated traits.
///
/// For more information see the documentation of `wit_bindgen::generate!`.
///
/// ```rust
/// # macro_rules! export_authorize{ ($($t:tt)*) => (); }
/// # trait Guest {}
/// struct MyType;
///
/// impl Guest for MyType {
///     // ...
/// }
///
/// export_authorize!(MyType);
/// ```
#[allow(unused_macros)]
#[doc(hidden)]
#[macro_export]
macro_rules! __export_authorize_impl {
    ($ty:ident) => {
        self::export_authorize!($ty with_types_in self);
    };
    ($ty:ident with_types_in $($path_to_types_root:tt)*) => {
        $($path_to_types_root)*::
        exports::tuffet::policy::authorize::__export_tuffet_policy_authorize_0_2_0_cabi!($ty
        with_types_in $($path_to_types_root)*:: exports::tuffet::policy::authorize);
        const _ : () = { #[cfg(target_arch = "wasm32")] #[unsafe (link_section =
        "component-type:wit-bindgen:0.61.1:tuffet:sdk:authorize:imports and exports")]
        #[doc(hidden)] #[allow(clippy::octal_escapes)] pub static
        __WIT_BINDGEN_COMPONENT_TYPE : [u8; 1072] = *
        b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\xb0\x07\x01A\x02\x01\
A\x07\x01B\x1d\x01m\x02\x04read\x05write\x04\0\x09operation\x03\0\0\x01m\x02\x05\
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
quest\x02\x03\0\0\x06denial\x02\x03\0\0\x07profile\x01B\x0a\x02\x03\x02\x01\x01\x04\
\0\x07request\x03\0\0\x02\x03\x02\x01\x02\x04\0\x06denial\x03\0\x02\x02\x03\x02\x01\
\x03\x04\0\x07profile\x03\0\x04\x01q\x04\x07abstain\0\0\x05allow\x01\x05\0\x04de\
ny\x01\x03\0\x04drop\0\0\x04\0\x07verdict\x03\0\x06\x01@\x01\x07request\x01\0\x07\
\x04\0\x09authorize\x01\x08\x04\0\x1dtuffet:policy/authorize@0.2.0\x05\x04\x04\0\
\x14tuffet:sdk/authorize\x04\0\x0b\x0f\x01\0\x09authorize\x03\0\0\0G\x09producer\
s\x01\x0cprocessed-by\x02\x0dwit-component\x070.258.3\x10wit-bindgen-rust\x060.6\
1.1";
        };
    };
}
#[doc(inline)]
pub use __export_authorize_impl as export_authorize;
#[cfg(target_arch = "wasm32")]
#[unsafe(
    link_section = "component-type:wit-bindgen:0.61.1:tuffet:sdk:authorize-with-all-of-its-exports-removed:encoded world"
)]
#[doc(hidden)]
#[allow(clippy::octal_escapes)]
pub static __WIT_BINDGEN_COMPONENT_TYPE: [u8; 933] = *b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\x85\x06\x01A\x02\x01\
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
\x07profile\x03\0\x1b\x03\0\x19tuffet:policy/types@0.2.0\x05\0\x04\04tuffet:sdk/\
authorize-with-all-of-its-exports-removed\x04\0\x0b/\x01\0)authorize-with-all-of\
-its-exports-removed\x03\0\0\0G\x09producers\x01\x0cprocessed-by\x02\x0dwit-comp\
onent\x070.258.3\x10wit-bindgen-rust\x060.61.1";
#[inline(never)]
#[doc(hidden)]
pub fn __link_custom_section_describing_imports() {
    wit_bindgen::rt::maybe_link_cabi_realloc();
}
