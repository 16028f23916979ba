//! The manifest of a plugin: its description and the grants that it requests, as JSON in the custom section
//! `tuffet:manifest` of its component. It is written at compile time, so it costs nothing at run time.

/// The arguments of [`manifest!`](crate::manifest!).
#[derive(Clone, Copy)]
pub struct Manifest {
    /// The plugin's own name.
    pub name: &'static str,
    /// Its own version.
    pub version: &'static str,
    /// What it does, in one sentence.
    pub description: &'static str,
    /// Its licence, as an SPDX expression; may be empty.
    pub license: &'static str,
    /// Where it is documented; may be empty.
    pub homepage: &'static str,
    /// Required grants, each with the reason.
    pub grants: &'static [(&'static str, &'static str)],
    /// Optional grants, each with its purpose.
    pub optional: &'static [(&'static str, &'static str)],
    /// The kinds of events that `observe` receives; empty for all of them.
    pub events: &'static [&'static str],
    /// Whether `observe` is also called without events, when a sink that was full may have room again.
    pub empty_batches: bool,
    /// The facts that requests have beside those that all plugins get.
    pub facts: &'static [&'static str],
    /// Everything that decisions depend on, besides settings and grants; `None` if they may depend on anything.
    pub depends_on: Option<&'static [&'static str]>,
    /// The attributes that it cannot do without, each as RECORD/NAME.
    pub needs: &'static [&'static str],
    /// Whether one instance may serve several calls, of different clients.
    pub reuse: bool,
}

/// The grants that a plugin may request.
const GRANTS: [&str; 10] =
    ["client-history", "client-mac", "clock", "files", "http", "kv", "metrics", "random", "sinks", "upload"];

/// The kinds of events.
const EVENTS: [&str; 3] = ["started", "progressed", "finished"];

/// The facts of a request that decisions may depend on.
const FACTS: [&str; 15] = [
    "address",
    "class",
    "interface",
    "labels",
    "lease",
    "listener",
    "local-address",
    "mac",
    "mode",
    "operation",
    "options",
    "path",
    "port",
    "requested",
    "vlan",
];

/// Those that requests have where they are asked for.
const OPTIONAL_FACTS: [&str; 4] = ["interface", "lease", "local-address", "vlan"];

/// What is wrong with a grant. Text cannot be formatted while a constant is evaluated.
struct Complaint {
    bytes: [u8; 300],
    length: usize,
}

impl Complaint {
    const fn of(grant: &str) -> Complaint {
        let kind = before_slash(grant);
        let complaint = Complaint { bytes: [0; 300], length: 0 };
        if kind.len() < grant.len() && is_among(&GRANTS, kind) {
            return complaint
                .add("manifest!: write the grant `")
                .add(kind)
                .add("` in place of `")
                .add(grant)
                .add("`: the operator names the rest in the configuration, and a setting tells it to the plugin");
        }
        complaint
            .add("manifest!: there is no grant `")
            .add(grant)
            .add("`; there are client-history, client-mac, clock, files, http, kv, metrics, random, sinks and upload")
    }

    const fn add(mut self, text: &str) -> Complaint {
        let bytes = text.as_bytes();
        let mut index = 0;
        while index < bytes.len() && self.length < self.bytes.len() {
            self.bytes[self.length] = bytes[index];
            self.length += 1;
            index += 1;
        }
        self
    }

    const fn text(&self) -> &str {
        match core::str::from_utf8(self.bytes.split_at(self.length).0) {
            Ok(text) => text,
            // Cut inside of a character.
            Err(_) => "manifest!: there is no such grant (docs/plugins.md lists them)",
        }
    }
}

const fn before_slash(text: &str) -> &str {
    let mut index = 0;
    while index < text.len() {
        if text.as_bytes()[index] == b'/' {
            return text.split_at(index).0;
        }
        index += 1;
    }
    text
}

/// Writes JSON, or only counts its bytes while `into` is empty.
struct Writer<const N: usize> {
    into: [u8; N],
    length: usize,
}

impl<const N: usize> Writer<N> {
    const fn raw(mut self, text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut index = 0;
        while index < bytes.len() {
            self = self.byte(bytes[index]);
            index += 1;
        }
        self
    }

    const fn string(mut self, text: &str) -> Self {
        const HEX: [u8; 16] = *b"0123456789abcdef";
        let bytes = text.as_bytes();
        let mut index = 0;
        self = self.byte(b'"');
        while index < bytes.len() {
            let byte = bytes[index];
            self = match byte {
                b'"' | b'\\' => self.byte(b'\\').byte(byte),
                0..0x20 => self.raw("\\u00").byte(HEX[(byte >> 4) as usize]).byte(HEX[(byte & 15) as usize]),
                _ => self.byte(byte),
            };
            index += 1;
        }
        self.byte(b'"')
    }

    /// A further member, unless its text is empty.
    const fn text(self, key: &str, text: &str) -> Self {
        if text.is_empty() { self } else { self.raw(",").string(key).raw(":").string(text) }
    }

    const fn grants(mut self, grants: &[(&str, &str)], optional: bool, mut first: bool) -> Self {
        let mut index = 0;
        while index < grants.len() {
            let (grant, reason) = grants[index];
            // The compiler shows the text as its error.
            assert!(is_among(&GRANTS, grant), "{}", Complaint::of(grant).text());
            assert!(!reason.is_empty(), "manifest!: a grant needs a reason, which the operator reads");
            self = self.raw(if first { "{\"grant\":" } else { ",{\"grant\":" });
            self = self.string(grant).raw(",\"reason\":").string(reason);
            self = self.raw(if optional { ",\"optional\":true}" } else { "}" });
            first = false;
            index += 1;
        }
        self
    }

    const fn events(mut self, events: &[&str]) -> Self {
        let mut index = 0;
        while index < events.len() {
            assert!(
                is_among(&EVENTS, events[index]),
                "manifest!: events are started, progressed and finished"
            );
            self = self.raw(if index == 0 { ",\"events\":[" } else { "," }).string(events[index]);
            index += 1;
        }
        if events.is_empty() { self } else { self.raw("]") }
    }

    const fn facts(mut self, facts: &[&str]) -> Self {
        let mut index = 0;
        while index < facts.len() {
            assert!(
                is_among(&OPTIONAL_FACTS, facts[index]),
                "manifest!: facts that a plugin may ask for are interface, lease, local-address and vlan"
            );
            self = self.raw(if index == 0 { ",\"facts\":[" } else { "," }).string(facts[index]);
            index += 1;
        }
        if facts.is_empty() { self } else { self.raw("]") }
    }

    const fn depends_on(mut self, facts: Option<&[&str]>) -> Self {
        let Some(facts) = facts else { return self };
        let mut index = 0;
        self = self.raw(",\"depends-on\":[");
        while index < facts.len() {
            assert!(
                is_among(&FACTS, facts[index]),
                "manifest!: there is no such fact of a request (docs/plugins.md lists them)"
            );
            self = self.raw(if index == 0 { "" } else { "," }).string(facts[index]);
            index += 1;
        }
        self.raw("]")
    }

    const fn needs(mut self, attributes: &[&str]) -> Self {
        let mut index = 0;
        while index < attributes.len() {
            self = self.raw(if index == 0 { ",\"needs\":[" } else { "," }).string(attributes[index]);
            index += 1;
        }
        if attributes.is_empty() { self } else { self.raw("]") }
    }

    const fn byte(mut self, byte: u8) -> Self {
        if N > 0 {
            self.into[self.length] = byte;
        }
        self.length += 1;
        self
    }
}

const fn write<const N: usize>(manifest: &Manifest) -> Writer<N> {
    Writer { into: [0; N], length: 0 }
        .raw("{\"name\":")
        .string(manifest.name)
        .raw(",\"version\":")
        .string(manifest.version)
        .raw(",\"description\":")
        .string(manifest.description)
        .text("license", manifest.license)
        .text("homepage", manifest.homepage)
        .raw(",\"grants\":[")
        .grants(manifest.grants, false, true)
        .grants(manifest.optional, true, manifest.grants.is_empty())
        .raw("]")
        .events(manifest.events)
        .raw(if manifest.empty_batches { ",\"empty-batches\":true" } else { "" })
        .facts(manifest.facts)
        .depends_on(manifest.depends_on)
        .needs(manifest.needs)
        .raw(if manifest.reuse { ",\"reuse\":true}" } else { "}" })
}

/// Length of the JSON that [`json`] writes, in bytes.
pub const fn length(manifest: &Manifest) -> usize {
    write::<0>(manifest).length
}

/// The manifest as JSON.
pub const fn json<const N: usize>(manifest: &Manifest) -> [u8; N] {
    write::<N>(manifest).into
}

/// The only text, or an empty one.
pub const fn first(texts: &[&'static str]) -> &'static str {
    if texts.is_empty() { "" } else { texts[0] }
}

const fn is_among(words: &[&str], word: &str) -> bool {
    let mut index = 0;
    while index < words.len() {
        if equal(words[index].as_bytes(), word.as_bytes()) {
            return true;
        }
        index += 1;
    }
    false
}

const fn equal(a: &[u8], b: &[u8]) -> bool {
    let mut index = 0;
    while index < a.len() && index < b.len() && a[index] == b[index] {
        index += 1;
    }
    index == a.len() && index == b.len()
}

/// Declares the plugin's name, version and description, and the grants that it requests, each with a reason
/// for the operator. Grants under `optional` may be missing; if any other is missing, the server refuses the
/// plugin.
///
/// ```
/// tuffet_sdk::manifest! {
///     name: "quota",
///     version: env!("CARGO_PKG_VERSION"),
///     description: "At most so many downloads an hour for each client",
///     grants: [("kv", "counts the downloads of each client")],
///     optional: [("client-mac", "counts machines instead of addresses")],
/// }
/// ```
///
/// After the description, `license: "Apache-2.0"` and `homepage: "https://…"` may follow, which `tuffet plugin inspect`
/// shows.
///
/// An observer may restrict the kinds of events with `events: ["finished"]` after the other keys. It then
/// receives no others, which costs less.
///
/// The grants are `client-history`, `client-mac`, `clock`, `files`, `http`, `kv`, `metrics`, `random`, `sinks` and
/// `upload`. A wrong one is an error of the compiler, for the roots, sinks, hosts and namespaces are the operator's to
/// name:
///
/// ```compile_fail
/// tuffet_sdk::manifest! {
///     name: "quota",
///     version: "1",
///     description: "Reads a list",
///     grants: [("files/boot", "the list")],
/// }
/// ```
///
/// With `empty_batches: true` at the end, the server also calls an observer without events: when it starts to
/// serve, and about a second after a sink refused one of its lines as [`FULL`](crate::code::FULL),
/// repeatedly until the sink accepts lines again. So the observer can send lines that it kept even if no new
/// event arrives.
///
/// With `facts: ["interface", "local-address", "vlan", "lease"]` after these, requests have the name of the network
/// interface that they arrived on, the address that they were sent to, the VLAN of the interface, and the DHCP lease of
/// their client.
///
/// With `depends_on: ["operation", "path"]` before `reuse`, the server caches decisions of `authorize` and `resolve`:
/// requests that agree in these facts get the same one without a call, until the next reload. Name every fact that a
/// hook looks at: `address`, `class`, `interface`, `labels`, `lease`, `listener`, `local-address`, `mac`, `mode`, `operation`,
/// `options`, `path`, `port`, `requested`, `vlan`.
/// Without the key, the plugin is always called. It is, too, if it is granted more than `client-mac`, because its
/// answers may then depend on more than the request.
///
/// With `needs: ["request/case"]` before `reuse`, a server that does not know this attribute refuses the plugin when it loads
/// it.
///
/// With `reuse: true` as the last key, one instance may serve several calls, one after the other, of
/// different clients. `configure` then runs seldom, and its result is kept. Set this only if the plugin keeps
/// no data of one request that could leak into the answer to another; in Rust, a hook can keep such data only
/// in a `Cell` or a `static`.
#[macro_export]
macro_rules! manifest {
    (
        name: $name:expr,
        version: $version:expr,
        description: $description:expr
        $(, license: $license:expr)?
        $(, homepage: $homepage:expr)?
        $(, grants: [$($grant:expr),* $(,)?])?
        $(, optional: [$($optional:expr),* $(,)?])?
        $(, events: [$($event:expr),* $(,)?])?
        $(, empty_batches: $empty_batches:expr)?
        $(, facts: [$($wanted:expr),* $(,)?])?
        $(, depends_on: [$($fact:expr),* $(,)?])?
        $(, needs: [$($needed:expr),* $(,)?])?
        $(, reuse: $reuse:expr)?
        $(,)?
    ) => {
        const _: () = {
            const MANIFEST: $crate::manifest::Manifest = $crate::manifest::Manifest {
                name: $name,
                version: $version,
                description: $description,
                license: $crate::manifest::first(&[$($license)?]),
                homepage: $crate::manifest::first(&[$($homepage)?]),
                grants: &[$($($grant),*)?],
                optional: &[$($($optional),*)?],
                events: &[$($($event),*)?],
                empty_batches: false $(|| $empty_batches)?,
                facts: &[$($($wanted),*)?],
                depends_on: $crate::depends_on!($([$($fact),*])?),
                needs: &[$($($needed),*)?],
                reuse: false $(|| $reuse)?,
            };
            #[used]
            #[cfg_attr(target_family = "wasm", unsafe(link_section = "tuffet:manifest"))]
            static JSON: [u8; $crate::manifest::length(&MANIFEST)] = $crate::manifest::json(&MANIFEST);
        };
    };
}

/// Puts the JSON Schema of the plugin's settings into its component: `settings_schema!("../settings.schema.json")`, with
/// a path relative to the source file. `tuffet plugin build` does the same with the file `settings.schema.json` of a
/// project; this is for components that `cargo build` alone makes.
#[macro_export]
macro_rules! settings_schema {
    ($path:literal) => {
        const _: () = {
            #[used]
            #[cfg_attr(target_family = "wasm", unsafe(link_section = "tuffet:settings-schema"))]
            static JSON: [u8; include_bytes!($path).len()] = *include_bytes!($path);
        };
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! depends_on {
    () => {
        None
    };
    ([$($fact:expr),*]) => {
        Some(&[$($fact),*])
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_json() {
        const MANIFEST: Manifest = Manifest {
            name: "a \"b\" \\c",
            version: "1.2.3",
            description: "two\nlines, é",
            license: "Apache-2.0",
            homepage: "https://example.org/",
            grants: &[("kv", "remembers"), ("files", "reads")],
            optional: &[("clock", "tells")],
            events: &["started", "finished"],
            empty_batches: true,
            facts: &["interface"],
            depends_on: Some(&["interface", "operation", "path"]),
            needs: &["request/case"],
            reuse: true,
        };
        const JSON: [u8; length(&MANIFEST)] = json(&MANIFEST);
        let json: serde_json::Value = serde_json::from_slice(&JSON).unwrap();
        assert_eq!(json["name"], "a \"b\" \\c");
        assert_eq!(json["description"], "two\nlines, é");
        assert_eq!(
            (&json["license"], &json["homepage"]),
            (&"Apache-2.0".into(), &"https://example.org/".into())
        );
        assert_eq!((&json["empty-batches"], &json["reuse"]), (&true.into(), &true.into()));
        assert_eq!(json["grants"][1], serde_json::json!({ "grant": "files", "reason": "reads" }));
        assert_eq!(
            json["grants"][2],
            serde_json::json!({ "grant": "clock", "reason": "tells", "optional": true })
        );
        assert_eq!(json["events"], serde_json::json!(["started", "finished"]));
        assert_eq!(json["depends-on"], serde_json::json!(["interface", "operation", "path"]));
        assert_eq!(json["facts"], serde_json::json!(["interface"]));
        assert_eq!(json["needs"], serde_json::json!(["request/case"]));
    }

    #[test]
    fn wrong_grants_are_explained() {
        let files = Complaint::of("files/boot");
        assert!(
            files
                .text()
                .starts_with("manifest!: write the grant `files` in place of `files/boot`: the operator")
        );
        assert!(
            Complaint::of("tape/a")
                .text()
                .starts_with("manifest!: there is no grant `tape/a`; there are client-")
        );
        assert!(Complaint::of(&"é".repeat(400)).text().starts_with("manifest!: there is no"));
    }

    #[test]
    fn one_without_grants_is_json_too() {
        const MANIFEST: Manifest = Manifest {
            name: "",
            version: "",
            description: "",
            license: "",
            homepage: "",
            grants: &[],
            optional: &[("kv", "x")],
            events: &[],
            empty_batches: false,
            facts: &[],
            depends_on: None,
            needs: &[],
            reuse: false,
        };
        const JSON: [u8; length(&MANIFEST)] = json(&MANIFEST);
        let json: serde_json::Value = serde_json::from_slice(&JSON).unwrap();
        assert_eq!(json["grants"].as_array().map(Vec::len), Some(1));
        assert_eq!((json.get("license"), json.get("homepage")), (None, None));
    }
}
