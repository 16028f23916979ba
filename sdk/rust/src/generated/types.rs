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
            /// RFC 1350 section 5 (0 to 3 and 6) and RFC 2347 (8). The other codes are the protocol's own.
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
            /// A MAC address: a hint, not a credential. Every source of it can be forged by someone on the same network.
            #[derive(Clone, Eq, PartialEq)]
            pub struct Mac {
                /// Six lower-case hexadecimal octets with colons: `02:00:5e:10:00:01`.
                pub address: _rt::String,
                /// Where it was learnt: `neighbour-table` (the kernel's, of ARP and NDP), `lease-file` (of a DHCP server),
                /// `requested-name`.
                pub source: _rt::String,
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
            /// The MAC addresses of a client.
            #[derive(Clone, Eq, PartialEq)]
            #[derive(Default)]
            pub struct MacAddresses {
                /// What the network says, most trustworthy source first: the neighbour table, which knows no routed client, and
                /// lease files. Use these to decide who may do something.
                pub network: _rt::Vec<Mac>,
                /// What the client says: the address in the name that it asked for. Anybody can ask for any name. Use these to choose
                /// among files that the client may have anyway.
                pub claimed: _rt::Vec<Mac>,
            }
            impl ::core::fmt::Debug for MacAddresses {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("MacAddresses")
                        .field("network", &self.network)
                        .field("claimed", &self.claimed)
                        .finish()
                }
            }
            /// The lease of the client's address, as a DHCP server's file has it. What names a machine is there with the grant
            /// `client-mac` alone.
            #[derive(Clone, Eq, PartialEq)]
            #[derive(Default)]
            pub struct Lease {
                pub mac: ::core::option::Option<_rt::String>,
                /// The client identifier (DHCP option 61), or the DUID of DHCPv6: hexadecimal octets with colons.
                pub client_id: ::core::option::Option<_rt::String>,
                /// The UUID of the machine (DHCP option 97, RFC 4578): `00112233-4455-6677-8899-aabbccddeeff`.
                pub uuid: ::core::option::Option<_rt::String>,
                pub hostname: ::core::option::Option<_rt::String>,
                /// DHCP option 60.
                pub vendor_class: ::core::option::Option<_rt::String>,
                /// DHCP option 93 (RFC 4578).
                pub architecture: ::core::option::Option<u16>,
                /// In seconds since 1970-01-01T00:00:00Z; none for a lease that does not end.
                pub expires: ::core::option::Option<u64>,
                /// Seconds since the file was read, or last seen unchanged.
                pub age: u64,
            }
            impl ::core::fmt::Debug for Lease {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("Lease")
                        .field("mac", &self.mac)
                        .field("client-id", &self.client_id)
                        .field("uuid", &self.uuid)
                        .field("hostname", &self.hostname)
                        .field("vendor-class", &self.vendor_class)
                        .field("architecture", &self.architecture)
                        .field("expires", &self.expires)
                        .field("age", &self.age)
                        .finish()
                }
            }
            /// Where a request arrived.
            #[derive(Clone, Eq, PartialEq)]
            #[derive(Default)]
            pub struct Arrival {
                /// The address that it was sent to; for a broadcast, that of the interface.
                pub address: ::core::option::Option<_rt::String>,
                /// The name of the network interface.
                pub interface_name: ::core::option::Option<_rt::String>,
                /// The VLAN of that interface, if it is the interface of one.
                pub vlan: ::core::option::Option<u16>,
            }
            impl ::core::fmt::Debug for Arrival {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("Arrival")
                        .field("address", &self.address)
                        .field("interface-name", &self.interface_name)
                        .field("vlan", &self.vlan)
                        .finish()
                }
            }
            #[derive(Clone, Eq, PartialEq)]
            pub struct Client {
                /// A textual IP address; an IPv4-mapped IPv6 address is given as IPv4.
                pub address: _rt::String,
                pub port: u16,
                /// None without the grant `client-mac`.
                pub macs: ::core::option::Option<MacAddresses>,
                /// None without a lease, and for a plugin whose manifest does not list the fact `lease`.
                pub lease: ::core::option::Option<Lease>,
                /// What kind of client this seems to be, guessed from the shape of its request: `ipxe`, `u-boot`, `curl` and so on,
                /// `unknown` where nothing fits; docs/logs.md lists them, later hosts may know more. A hint, and no credential:
                /// anyone can ask as anyone asks.
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
                        .field("lease", &self.lease)
                        .field("class", &self.class)
                        .finish()
                }
            }
            /// A short text that a plugin has attached to a request, such as `canary`.
            #[derive(Clone, Eq, PartialEq)]
            pub struct Label {
                /// The name of the plugin in the configuration.
                pub plugin: _rt::String,
                /// 1 to 32 letters of ASCII, digits, `.`, `_` and `-`.
                pub text: _rt::String,
            }
            impl ::core::fmt::Debug for Label {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("Label")
                        .field("plugin", &self.plugin)
                        .field("text", &self.text)
                        .finish()
                }
            }
            #[derive(Clone, Eq, PartialEq)]
            pub struct Request {
                /// Unique among the requests of one process of the server, and stable from the request to its last event; log lines
                /// carry the same. Another server, or this one after a restart, uses it again: a name that must be unique needs the
                /// time or a random number, too.
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
                /// None for a plugin whose manifest lists none of the facts `local-address`, `interface` and `vlan`; each field needs
                /// its own.
                pub arrival: ::core::option::Option<Arrival>,
                /// As the client sent them, names in lower case (RFC 2347).
                pub options: _rt::Vec<(_rt::String, _rt::String)>,
                /// When it arrived, in milliseconds since 1970-01-01T00:00:00Z; needs no grant. A rehearsal may have another time.
                /// Decisions that depend on it must not be kept for other requests.
                pub unix_ms: u64,
                /// The labels that plugins have attached so far, in the order of the calls; of one plugin the last. In `observe`: all
                /// of them.
                pub labels: _rt::Vec<Label>,
                /// `raw-name`: the bytes of the requested name in hexadecimal digits, if they are not UTF-8. `unsafe-name`: why the
                /// server refuses the name unless `resolve` names a file for it; `path` has U+FFFD in place of what is not safe then.
                /// `case`: `insensitive` where every spelling of `path` finds the file, also one that is new; compare names regardless
                /// of case then.
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
                        .field("arrival", &self.arrival)
                        .field("options", &self.options)
                        .field("unix-ms", &self.unix_ms)
                        .field("labels", &self.labels)
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
            /// A file in a root.
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
            /// What a request turned out to ask for.
            #[derive(Clone, Eq, PartialEq)]
            pub enum Resolved {
                File(Target),
                /// Content that a plugin made, by its name.
                Content(::core::option::Option<_rt::String>),
            }
            impl ::core::fmt::Debug for Resolved {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    match self {
                        Resolved::File(e) => {
                            f.debug_tuple("Resolved::File").field(e).finish()
                        }
                        Resolved::Content(e) => {
                            f.debug_tuple("Resolved::Content").field(e).finish()
                        }
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
            /// How a transfer is negotiated and sent. What is absent is as configured. Of several plugins that say something, the
            /// lowest ceilings, the highest floors, the first override of each value, the smallest size, burst and rate, and all
            /// refused options count.
            #[derive(Clone, Eq, PartialEq)]
            #[derive(Default)]
            pub struct Profile {
                /// The most that is granted. A client that negotiates no block gets 512 bytes all the same. A longer `timeout` that a
                /// client asks for is left out of the answer, because a server may not change it; the server then keeps its own
                /// times. That holds for the option `utimeout` of tftp-hpa, too.
                pub ceilings: SessionValues,
                /// The least that a session is served with. A client that negotiates a smaller block or window, also by asking for
                /// none (512 bytes, one block), gets the error `option-refused`. A shorter `timeout` is not acknowledged. A floor
                /// above the ceiling of the same plugin is an invalid answer.
                pub floors: SessionValues,
                /// These take the place of what is configured: of the ceilings on blocks and windows from `transfer`, the listener,
                /// profiles and the route, and, as `timeout`, of the times before the server sends a packet again. The ceilings
                /// above hold nevertheless, and a client never gets more than it asks for. With a `timeout` here, the option is
                /// acknowledged only where the client asks for the same.
                pub overrides: SessionValues,
                /// The size in bytes of the largest file that may be read or written.
                pub max_size: ::core::option::Option<u64>,
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
                /// For later versions. A name that the host does not know is an invalid answer: what a plugin demands is never
                /// ignored.
                pub attributes: _rt::Vec<(_rt::String, _rt::String)>,
            }
            impl ::core::fmt::Debug for Profile {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("Profile")
                        .field("ceilings", &self.ceilings)
                        .field("floors", &self.floors)
                        .field("overrides", &self.overrides)
                        .field("max-size", &self.max_size)
                        .field("burst", &self.burst)
                        .field("rate", &self.rate)
                        .field("refuse-options", &self.refuse_options)
                        .field("attributes", &self.attributes)
                        .finish()
                }
            }
            /// Why a call of the host failed.
            #[derive(Clone, Eq, PartialEq)]
            pub struct Error {
                /// A program decides by this:
                /// - `not-granted`: the grant is not given, in the manifest or in the configuration;
                /// - `wrong-phase`: this function is not there while this hook, or `configure`, runs;
                /// - `bad-argument`: a name, a length or a value is out of bounds, or a value is no counter;
                /// - `bad-path`: the path leads out of its root, or may not be read;
                /// - `not-a-file`: the path is that of a folder, a device or the like;
                /// - `changed`: the file is not the version that was asked for, or changes while it is read;
                /// - `too-large`: there are more bytes than the limit that was given, or than this call of a hook may still read;
                /// - `quota`: the plugin has as many keys, bytes or series as it may have;
                /// - `full`: the queue of a sink is full; there is room again later;
                /// - `exhausted`: this call of a hook has made as many calls of the host as it may make;
                /// - `unavailable`: the disk, the database or the origin failed, or did not answer in time.
                pub code: _rt::String,
                /// The reason in words, for a log line.
                pub message: _rt::String,
            }
            impl ::core::fmt::Debug for Error {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("Error")
                        .field("code", &self.code)
                        .field("message", &self.message)
                        .finish()
                }
            }
        }
        /// Content that a plugin makes.
        #[allow(dead_code, async_fn_in_trait, unused_imports, clippy::all)]
        pub mod contents {
            #[used]
            #[doc(hidden)]
            static __FORCE_SECTION_REF: fn() = super::super::super::__link_custom_section_describing_imports;
            use super::super::super::_rt;
            /// Bounded by the host.
            #[derive(Clone, Eq, PartialEq)]
            pub struct Content {
                /// What it is, for logs and observers: at most 200 bytes, one line.
                pub name: ::core::option::Option<_rt::String>,
                pub data: _rt::Vec<u8>,
                /// For later versions, as those of a profile.
                pub attributes: _rt::Vec<(_rt::String, _rt::String)>,
            }
            impl ::core::fmt::Debug for Content {
                fn fmt(
                    &self,
                    f: &mut ::core::fmt::Formatter<'_>,
                ) -> ::core::fmt::Result {
                    f.debug_struct("Content")
                        .field("name", &self.name)
                        .field("data", &self.data)
                        .field("attributes", &self.attributes)
                        .finish()
                }
            }
        }
    }
}
mod _rt {
    #![allow(dead_code, unused_imports, clippy::all)]
    pub use alloc_crate::string::String;
    pub use alloc_crate::vec::Vec;
    extern crate alloc as alloc_crate;
}
#[cfg(target_arch = "wasm32")]
#[unsafe(
    link_section = "component-type:wit-bindgen:0.61.1:tuffet:sdk:types:encoded world"
)]
#[doc(hidden)]
#[allow(clippy::octal_escapes)]
pub static __WIT_BINDGEN_COMPONENT_TYPE: [u8; 1149] = *b"\
\0asm\x0d\0\x01\0\0\x19\x16wit-component-encoding\x04\0\x07\x81\x08\x01A\x02\x01\
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
\x03\0\x1ctuffet:policy/contents@1.0.0\x05\x01\x04\0\x10tuffet:sdk/types\x04\0\x0b\
\x0b\x01\0\x05types\x03\0\0\0G\x09producers\x01\x0cprocessed-by\x02\x0dwit-compo\
nent\x070.258.3\x10wit-bindgen-rust\x060.61.1";
#[inline(never)]
#[doc(hidden)]
pub fn __link_custom_section_describing_imports() {
    wit_bindgen::rt::maybe_link_cabi_realloc();
}
