//! The kind of client, guessed from the shape of its request: the options, their order and their values, and
//! for network gear the file name. It is a hint, never a credential.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use tuffet_core::Operation;

/// The kind of a client, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClientClass(&'static str);

impl ClientClass {
    /// The class of a request that fits no shape.
    pub const UNKNOWN: ClientClass = ClientClass("unknown");

    pub(crate) const U_BOOT: ClientClass = ClientClass("u-boot");

    /// Returns the name.
    pub fn as_str(self) -> &'static str {
        self.0
    }

    /// Whether all clients of this class compare block numbers, so that a second copy of a packet does no harm: the suites
    /// of tests show it with the real client. A shape that a small receiver may share, as `plain` and `pxe`, is not among
    /// them.
    #[doc(hidden)]
    pub fn bears_duplicates(self) -> bool {
        BEAR_DUPLICATES.contains(&self.0)
    }

    /// Whether all clients of this class go on if a second OACK arrives after they have answered the first one. atftp aborts.
    #[doc(hidden)]
    pub fn bears_repeated_oack(self) -> bool {
        self.bears_duplicates() && self.0 != "atftp"
    }

    /// Returns all classes, in the order of their names.
    pub fn all() -> impl Iterator<Item = ClientClass> {
        let named = NAMED.iter().map(|(class, _)| *class);
        let shaped = SHAPES.iter().map(|shape| shape.class);
        let all: BTreeSet<_> = named.chain(shaped).chain(["windows", "unknown"]).collect();
        all.into_iter().map(ClientClass)
    }

    /// Returns whether the client of a read takes `tsize` 0 for the size of an empty file. curl (7.19.4 to 8.x) ends with
    /// an error instead (`lib/tftp.c`, `tftp_parse_option_ack`). The shape of its request tells, whatever file it names.
    #[doc(hidden)]
    pub fn takes_empty_tsize(operation: Operation, options: &[(String, String)]) -> bool {
        !SHAPES.iter().any(|shape| shape.class == CURL && shape.fits(operation, options))
    }

    /// Returns the class of a client that gives this name of itself by HTTP (`User-Agent`), where it is that of a loader
    /// with a class.
    #[doc(hidden)]
    pub fn of_user_agent(agent: &str) -> ClientClass {
        let found = AGENTS.iter().find(|(prefix, _)| {
            agent.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
        });
        found.map_or(ClientClass::UNKNOWN, |(_, class)| ClientClass(class))
    }

    /// Guesses the class of a request. The names of its options must be in lower case.
    #[doc(hidden)]
    pub fn guess(operation: Operation, path: &str, options: &[(String, String)]) -> ClientClass {
        let file = path.rsplit('/').next().unwrap_or_default();
        if let Some((class, _)) = NAMED.iter().find(|(_, fits)| fits(file)) {
            return ClientClass(class);
        }
        if options.iter().any(|(name, _)| name == "msftwindow") {
            return ClientClass("windows");
        }
        let shape = SHAPES.iter().find(|shape| shape.fits(operation, options));
        shape.map_or(ClientClass::UNKNOWN, |shape| ClientClass(shape.class))
    }
}

/// There is no class of clients of this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no class of clients `{name}`: the classes are {}", known_classes())]
pub struct UnknownClass {
    /// The name.
    pub name: String,
}

fn known_classes() -> String {
    ClientClass::all().map(ClientClass::as_str).collect::<Vec<_>>().join(", ")
}

impl FromStr for ClientClass {
    type Err = UnknownClass;

    fn from_str(name: &str) -> Result<ClientClass, UnknownClass> {
        ClientClass::all().find(|class| class.0 == name).ok_or_else(|| UnknownClass { name: name.into() })
    }
}

impl<'de> Deserialize<'de> for ClientClass {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl Serialize for ClientClass {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for ClientClass {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ClientClass".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "format": "client-class" })
    }
}

impl fmt::Display for ClientClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// The options of a request in order, as `name=value`; `name` alone matches any value.
struct Shape {
    class: &'static str,
    operation: Option<Operation>,
    options: &'static [&'static str],
}

impl Shape {
    fn fits(&self, operation: Operation, options: &[(String, String)]) -> bool {
        let fits = |(wanted, (name, value)): (&&str, &(String, String))| {
            wanted.split_once('=').map_or(*wanted == name, |wanted| wanted == (name.as_str(), value.as_str()))
        };
        self.operation.is_none_or(|wanted| wanted == operation)
            && self.options.len() == options.len()
            && self.options.iter().zip(options).all(fits)
    }
}

const CURL: &str = "curl";

const fn read(class: &'static str, options: &'static [&'static str]) -> Shape {
    Shape { class, operation: Some(Operation::Read), options }
}

const fn write(class: &'static str, options: &'static [&'static str]) -> Shape {
    Shape { class, operation: Some(Operation::Write), options }
}

const fn either(class: &'static str, options: &'static [&'static str]) -> Shape {
    Shape { class, operation: None, options }
}

/// The first match wins. A shape shared by several clients has the name of the most common one.
const SHAPES: [Shape; 35] = [
    either("plain", &[]),
    // PXE ROMs request the size, then the file. busybox sends requests like the first of the two.
    read("pxe", &["tsize=0"]),
    read("pxe", &["blksize=1456"]),
    read("pxe", &["tsize=0", "blksize=1456"]),
    read("pxelinux", &["tsize=0", "blksize=1408"]),
    // shim asks EDK2 for blocks of 512 bytes, and never for the size (netboot.c, FetchNetbootimg).
    read("shim", &["blksize=512", "windowsize=4"]),
    read("shim", &["blksize=512"]),
    // EDK2 requests the size, then the file; without windows before 2020. Its window is PcdPxeTftpWindowSize, 4.
    read("uefi", &["tsize=0", "blksize", "windowsize=4"]),
    read("uefi", &["blksize", "windowsize=4"]),
    read("uefi", &["tsize=0", "blksize=1468"]),
    read("uefi", &["blksize=1468"]),
    read("ipxe", &["blksize=1432", "tsize=0"]),
    read("ipxe", &["blksize", "tsize=0", "multicast"]),
    read("grub", &["blksize=1024", "tsize=0"]),
    read("barebox", &["timeout=5", "blksize=1432", "tsize"]),
    read("barebox", &["timeout=5", "blksize=1432", "tsize", "windowsize"]),
    read("barebox", &["timeout=5", "blksize=512", "tsize"]),
    read("barebox", &["timeout=5", "tsize", "blksize=1432"]),
    write("barebox", &["timeout=5", "blksize=1432"]),
    read("u-boot", &["timeout", "tsize=0", "blksize"]),
    read("u-boot", &["timeout", "tsize=0", "blksize", "windowsize"]),
    read("u-boot", &["timeout", "blksize"]),
    read("u-boot", &["timeout", "blksize", "windowsize"]),
    write("u-boot", &["timeout", "tsize", "blksize"]),
    write("u-boot", &["timeout", "blksize"]),
    read(CURL, &["tsize=0", "blksize", "timeout"]),
    write(CURL, &["tsize", "blksize", "timeout"]),
    read("atftp", &["blksize", "windowsize"]),
    read("atftp", &["tsize=0", "timeout"]),
    read("atftp", &["tsize=0", "timeout", "blksize"]),
    read("atftp", &["tsize=0", "timeout", "blksize", "windowsize"]),
    read("busybox", &["blksize", "tsize=0"]),
    write("busybox", &["blksize", "tsize"]),
    write("busybox", &["tsize"]),
    either("tuffet", &["blksize", "tsize", "windowsize"]),
];

/// See [`ClientClass::bears_duplicates`], and the table in docs/protocol.md, which has a test for each.
const BEAR_DUPLICATES: [&str; 9] =
    ["atftp", "busybox", "curl", "grub", "ipxe", "pxelinux", "tuffet", "u-boot", "uefi"];

/// How loaders begin their `User-Agent`, and their classes: iPXE (`net/tcp/httpcore.c`), GRUB (`grub-core/net/http.c`), EDK2
/// (`HttpBootDxe`), U-Boot (`net/lwip/wget.c`), curl and this project's own client.
const AGENTS: [(&str, &str); 6] = [
    ("iPXE/", "ipxe"),
    ("GRUB", "grub"),
    ("UefiHttpBoot/", "uefi"),
    ("U-Boot", "u-boot"),
    ("curl/", CURL),
    ("tuffet/", "tuffet"),
];

type Fits = fn(&str) -> bool;

/// Network gear requests characteristic file names, mostly without any option.
const NAMED: [(&str, Fits); 2] = [("cisco", is_of_cisco), ("yealink", is_of_yealink)];

fn is_of_cisco(file: &str) -> bool {
    let of_a_phone = |file: &str| {
        let file = file.strip_prefix("CTL").or(file.strip_prefix("ITL")).unwrap_or(file);
        let id = file.strip_prefix("SEP").and_then(|rest| rest.split('.').next());
        id.is_some_and(|id| id.len() == 12 && id.bytes().all(|byte| byte.is_ascii_hexdigit()))
    };
    of_a_phone(file)
        || ["XMLDefault.cnf.xml", "network-confg", "router-confg", "cisconet.cfg"].contains(&file)
}

/// `y000000000028.cfg`: the common settings of all phones of a model.
fn is_of_yealink(file: &str) -> bool {
    let digits = file.strip_prefix('y').and_then(|rest| rest.strip_suffix(".cfg"));
    digits.is_some_and(|digits| digits.len() == 12 && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tuffet_core::Packet;

    #[test]
    fn loaders_say_what_they_are() {
        let of = |agent| ClientClass::of_user_agent(agent).as_str();
        assert_eq!(of("iPXE/1.21.1+ (g2b4c)"), "ipxe");
        assert_eq!((of("UefiHttpBoot/1.0"), of("GRUB 2.06"), of("CURL/8.5.0")), ("uefi", "grub", "curl"));
        assert_eq!((of("Mozilla/5.0"), of(""), of("iPX\u{fffd}")), ("unknown", "unknown", "unknown"));
        assert!(AGENTS.iter().all(|(_, class)| class.parse::<ClientClass>().is_ok()));
    }

    /// Guesses the class of an encoded request.
    fn class(packet: &[u8]) -> &'static str {
        let Ok(Packet::Request(request)) = Packet::parse(packet) else { unreachable!("{packet:?}") };
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let options: Vec<_> = request.options.iter().map(|(name, value)| (text(name), text(value))).collect();
        ClientClass::guess(request.operation, &text(request.name), &options).as_str()
    }

    fn options(class_options: &[&str], opcode: u8) -> Vec<u8> {
        let mut packet = vec![0, opcode, b'f', 0];
        packet.extend_from_slice(b"octet\0");
        for option in class_options {
            let (name, value) = option.split_once('=').unwrap_or((option, "1468"));
            packet.extend_from_slice(format!("{name}\0{value}\0").as_bytes());
        }
        packet
    }

    /// Recorded from curl 7.88, atftp 0.8, tftp-hpa 5.2, busybox 1.35, tftpy 0.8.7 and tuffet itself.
    #[test]
    fn recorded_requests() {
        for (packet, expected) in [
            (&b"\0\x01abc\0octet\0tsize\x000\0blksize\x00512\0timeout\x006\0"[..], "curl"),
            (b"\0\x01abc\0octet\0tsize\x000\0blksize\x001400\0timeout\x006\0", "curl"),
            (b"\0\x02abc\0octet\0tsize\x00100\0blksize\x00512\0timeout\x006\0", "curl"),
            (b"\0\x01abc\0netascii\0tsize\x000\0blksize\x00512\0timeout\x001\0", "curl"),
            (b"\0\x01abc\0octet\0tsize\x000\0timeout\x003\0blksize\x001428\0windowsize\x004\0", "atftp"),
            (b"\0\x01abc\0octet\0blksize\x001400\0tsize\x000\0", "busybox"),
            (b"\0\x02abc\0octet\0tsize\x00100\0", "busybox"),
            (b"\0\x02abc\0octet\0blksize\x0065464\0tsize\x00100\0", "busybox"),
            (b"\0\x01abc\0octet\0blksize\x001428\0tsize\x000\0windowsize\x0016\0", "tuffet"),
            (b"\0\x02abc\0octet\0blksize\x001428\0tsize\x00100\0windowsize\x0016\0", "tuffet"),
            // Indistinguishable: tftp-hpa, atftp and curl --tftp-no-options, and busybox from a ROM.
            (b"\0\x01abc\0netascii\0", "plain"),
            (b"\0\x02abc\0octet\0", "plain"),
            (b"\0\x01abc\0octet\0tsize\x000\0", "pxe"),
            (b"\0\x01abc\0octet\0blksize\x001428\0", "unknown"),
            (b"\0\x01abc\0octet\0blksize\x008192\0windowsize\x0064\0", "atftp"),
            (b"\0\x02abc\0octet\0blksize\x008192\0windowsize\x0064\0", "unknown"),
            (b"\0\x01abc\0octet\0tsize\x000\0blksize\x00512\0timeout\x006\0", "curl"),
            // Indistinguishable: atftp with these values from EDK2, tftpy with both options from busybox.
            (b"\0\x01abc\0octet\0tsize\x000\0blksize\x001468\0windowsize\x004\0", "uefi"),
            (b"\0\x01abc\0octet\0blksize\x001400\0tsize\x000\0", "busybox"),
            // tftpy with a block size, and atftp: the shape is ambiguous.
            (b"\0\x01abc\0octet\0blksize\x001400\0", "unknown"),
            (b"\0\x02abc\0octet\0blksize\x001400\0", "unknown"),
            (b"\0\x01abc\0octet\0blksize\x001468\0", "uefi"),
            // As the sources of shim and older EDK2 write it.
            (b"\0\x01grubx64.efi\0octet\0blksize\x00512\0", "shim"),
            // Recorded by `make test SUITE=boot` from firmware in QEMU: OVMF 2022.11.
            (b"\0\x01shimx64.efi\0octet\0tsize\x000\0blksize\x001468\0windowsize\x004\0", "uefi"),
            (b"\0\x01shimx64.efi\0octet\0blksize\x001468\0windowsize\x004\0", "uefi"),
            // shim 16.1, through the TFTP client of that firmware.
            (b"\0\x01grubx64.efi\0octet\0blksize\x00512\0windowsize\x004\0", "shim"),
            (b"\0\x01revocations_sbat.efi\0octet\0blksize\x00512\0windowsize\x004\0", "shim"),
            // GRUB 2.06-13+deb12u2.
            (b"\0\x01/grub/grub.cfg\0octet\0blksize\x001024\0tsize\x000\0", "grub"),
            // iPXE 1.0.0+git-20190125.36a4c85, as a ROM and as snponly.efi.
            (b"\0\x01menu.ipxe\0octet\0blksize\x001432\0tsize\x000\0", "ipxe"),
            // PXELINUX 6.04~git20190206.
            (b"\0\x01ldlinux.c32\0octet\0tsize\x000\0blksize\x001408\0", "pxelinux"),
            // U-Boot 2023.01, arm64.
            (b"\0\x01image.bin\0octet\0timeout\x005\0blksize\x001468\0", "u-boot"),
            // From published traces.
            (b"\0\x01pxelinux.cfg/0A00FEF7\0octet\0tsize\x000\0blksize\x001408\0", "pxelinux"),
            (b"\0\x01PXElinux.0\0octet\0blksize\x001456\0", "pxe"),
            (b"\0\x01bootnetx64.efi\0octet\0tsize\x000\0blksize\x001468\0windowsize\x004\0", "uefi"),
        ] {
            assert_eq!(class(packet), expected, "{}", packet.escape_ascii());
        }
    }

    #[test]
    fn curl_alone_fails_at_empty_files() {
        let options = |names: &[(&str, &str)]| -> Vec<(String, String)> {
            names.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect()
        };
        let takes = |names: &[(&str, &str)]| ClientClass::takes_empty_tsize(Operation::Read, &options(names));
        assert!(!takes(&[("tsize", "0"), ("blksize", "512"), ("timeout", "6")]));
        for others in [
            &[("tsize", "0")][..],
            &[("tsize", "0"), ("blksize", "1408")],
            &[("tsize", "0"), ("timeout", "5"), ("blksize", "512")],
            &[("blksize", "512"), ("tsize", "0")],
            &[],
        ] {
            assert!(takes(others), "{others:?}");
        }
    }

    #[test]
    fn each_shape_is_reached() {
        for shape in &SHAPES {
            let opcode = if shape.operation == Some(Operation::Write) { 2 } else { 1 };
            assert_eq!(class(&options(shape.options, opcode)), shape.class, "{:?}", shape.options);
            if shape.operation.is_some() && !shape.options.is_empty() {
                let more = [shape.options, &["x=1"]].concat();
                assert_eq!(class(&options(&more, opcode)), "unknown", "{more:?}");
            }
        }
    }

    #[test]
    fn network_gear_by_name_and_windows_by_its_option() {
        for (path, expected) in [
            ("SEP02005E100001.cnf.xml", "cisco"),
            ("CTLSEP02005E100001.tlv", "cisco"),
            ("sub/XMLDefault.cnf.xml", "cisco"),
            ("SEPARATE", "plain"),
            ("y000000000028.cfg", "yealink"),
            ("y00.cfg", "plain"),
        ] {
            assert_eq!(ClientClass::guess(Operation::Read, path, &[]).as_str(), expected, "{path}");
        }
        let windows = options(&["tsize=0", "blksize=1456", "msftwindow=31416"], 1);
        assert_eq!(class(&windows), "windows");
    }
}
