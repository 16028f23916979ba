//! Keys that are valid and have no effect are warned about, each at its place; with the other key, they are not.

use super::*;

/// A case: a valid configuration, the pointer of its only warning, a part of the message, and a change to the configuration
/// after which there is no warning.
type Case = (&'static str, &'static str, &'static str, (&'static str, &'static str));

const ROOT: &str = "roots: [{ name: boot, path: files }]\n";
const LISTENER: &str = "listeners: [{ name: a, address: 127.0.0.1:6969 }]\n";

/// Returns the whole configuration: sections that it lacks are added.
fn whole(part: &str) -> String {
    let mut yaml = part.to_owned();
    for (section, text) in [("listeners:", LISTENER), ("roots:", ROOT)] {
        if !part.lines().any(|line| line.starts_with(section)) {
            yaml = format!("{text}{yaml}");
        }
    }
    yaml
}

const ROOTS: &[Case] = &[
    (
        "listeners: [{ address: 127.0.0.1:6969, roots: [boot] }]\nroots: [{ name: boot, path: files }, { name: in, path: incoming }]",
        "/roots/1",
        "no listener serves the root `in`",
        ("roots: [boot] }", "roots: [boot, in] }"),
    ),
    (
        "roots: [{ name: boot, path: files }, { name: dhcp, path: dhcp, private: true }]",
        "/roots/1/private",
        "no plugin has the grant `files/dhcp`",
        (", private: true", ""),
    ),
    (
        "roots: [{ name: boot, path: files, writable: true, max-upload: 2MiB, write: { quota: { bytes: 1MiB } } }]",
        "/roots/0/max-upload",
        "`max-upload` (2MiB) has no effect, because the quota (1MiB)",
        ("2MiB", "1MiB"),
    ),
    (
        "roots: [{ name: boot, url: 'https://127.0.0.1/x', cache: { path: c, revalidate: 1h, stale-if-error: 1m } }]",
        "/roots/0/cache/stale-if-error",
        "is not asked before `revalidate` (1h)",
        ("1m }", "2h }"),
    ),
];

const NEGOTIATION: &[Case] = &[
    (
        "listeners: [{ address: 0.0.0.0:6969, free-bind: true }]",
        "/listeners/0/free-bind",
        "every machine has",
        ("0.0.0.0", "192.0.2.1"),
    ),
    (
        "listeners: [{ address: 127.0.0.1:6969, burst: 16, max-windowsize: 16 }]",
        "/listeners/0/burst",
        "no window is larger (`max-windowsize` 16)",
        ("burst: 16", "burst: 8"),
    ),
    (
        "listeners: [{ address: 127.0.0.1:6969, max-windowsize: 8, options: { windowsize: refuse } }]",
        "/listeners/0/max-windowsize",
        "`options` refuses `windowsize`",
        ("refuse", "acknowledge"),
    ),
    (
        "transfer: { max-blksize: 1468, options: { blksize: refuse } }",
        "/transfer/max-blksize",
        "`options` refuses `blksize`",
        ("refuse", "refuse, blksize2: acknowledge"),
    ),
    (
        "transfer: { rate: 1MB }\nlisteners: [{ address: 127.0.0.1:6969, rate: 2MB }]",
        "/transfer/rate",
        "every listener has its own",
        (", rate: 2MB", ""),
    ),
    ("profiles: [{ clients: [10.0.0.0/8] }]", "/profiles/0", "sets nothing", ("/8] }", "/8], burst: 2 }")),
    (
        "profiles: [{ rate: 1MB }, { clients: [10.0.0.0/8], rate: 2MB, burst: 2 }]",
        "/profiles/1/rate",
        "profile 1 sets it for all of these clients",
        ("{ rate: 1MB }", "{ clients: [10.1.0.0/16], rate: 1MB }"),
    ),
    (
        "profiles: [{ classes: [u-boot, ipxe], burst: 2 }, { classes: [u-boot], burst: 3 }]",
        "/profiles/1/burst",
        "profile 1 sets it",
        ("[u-boot, ipxe]", "[ipxe]"),
    ),
    (
        "profiles: [{ name: branch, clients: [10.0.0.0/8], rate: 2MB, total-rate: 1MB }]",
        "/profiles/0/rate",
        "all transfers together get `total-rate`",
        ("rate: 2MB", "rate: 500kB"),
    ),
    (
        "profiles: [{ clients: ['2001:db8::/32'], burst: 2 }]",
        "/profiles/0/clients",
        "no listener has clients of this family",
        ("'2001:db8::/32'", "'2001:db8::/32', 10.0.0.0/8"),
    ),
];

const PLUGINS: &[Case] = &[
    (
        "policy: { accept-upload: [it] }\nplugins: { it: { component: policy.wasm } }",
        "/policy/accept-upload",
        "no root takes uploads",
        ("policy: {", "roots: [{ name: boot, path: files, writable: true }]\npolicy: {"),
    ),
    (
        "listeners: [{ address: 127.0.0.1:6969, policy: { resolve: [] } }]\npolicy: { resolve: [it] }\n\
         plugins: { it: { component: policy.wasm } }",
        "/policy/resolve",
        "every listener has its own `policy.resolve`",
        (", policy: { resolve: [] }", ""),
    ),
    ("policy: { time-limit: 1s }", "/policy/time-limit", "no plugin decides", ("time-limit: 1s", "")),
    ("policy: { compiled: cache }", "/policy/compiled", "there are no plugins", ("cache", "none")),
    (
        "policy: { observe: [it] }\nplugins: { it: { component: policy.wasm, on-error: abstain } }",
        "/plugins/it/on-error",
        "only observes",
        ("observe:", "authorize:"),
    ),
    (
        "policy: { authorize: [it] }\nplugins: { it: { component: policy.wasm, mode: monitor, on-error: abstain } }",
        "/plugins/it/on-error",
        "`mode: monitor`",
        ("monitor", "enforce"),
    ),
    (
        "policy: { authorize: [it] }\nplugins: { it: { component: policy.wasm, mode: enforce, effects: true } }",
        "/plugins/it/effects",
        "without `mode: monitor`",
        ("enforce", "monitor"),
    ),
    (
        "policy: { observe: [it] }\nplugins: { it: { component: policy.wasm, cache: { ttl: 1m, key: [path] } } }",
        "/plugins/it/cache",
        "neither in `authorize` nor in `resolve`",
        ("observe:", "resolve:"),
    ),
    (
        "policy: { authorize: [it] }\nplugins: { it: { component: policy.wasm, limits: { kv-keys: 5 } } }",
        "/plugins/it/limits/kv-keys",
        "without the grant `kv`",
        ("limits:", "grants: [kv], limits:"),
    ),
    (
        "policy: { authorize: [it] }\nplugins: { it: { component: policy.wasm, limits: { content: 5MiB } } }",
        "/plugins/it/limits/content",
        "not in `resolve`",
        ("authorize:", "resolve:"),
    ),
    (
        "registries: { registry.example: { timeout: 5s } }",
        "/registries/registry.example",
        "no plugin comes from `registry.example`",
        ("{ registry.example: { timeout: 5s } }", "{}"),
    ),
    (
        "sinks: { out: { udp: 127.0.0.1:514, queue: 9, spool: {} } }\npolicy: { observe: [it] }\n\
         plugins: { it: { component: policy.wasm, grants: [sinks/out] } }",
        "/sinks/out/queue",
        "beside `spool`",
        ("queue: 9, ", ""),
    ),
    ("kv: { nats: { servers: 'nats://127.0.0.1' } }", "/kv", "no plugin stores keys", ("kv: {", "#")),
];

const REST: &[Case] = &[
    ("multicast: {}\ntransfer: { rate: 1MB }", "/multicast", "there are no groups", ("rate: 1MB", "")),
    (
        "multicast: { ipv6-addresses: 'ff15::8000:4500/124' }",
        "/multicast/ipv6-addresses",
        "clients of this family",
        ("multicast:", "listeners: [{ address: '[::]:6969' }]\nmulticast:"),
    ),
    (
        "limits: { per-second: 10, per-client: { per-second: 10 } }",
        "/limits/per-client/per-second",
        "all clients together get 10",
        ("{ per-second: 10 }", "{ per-second: 9 }"),
    ),
    ("limits: { cache: 0B, cache-max-age: 5s }", "/limits/cache-max-age", "`cache: 0B`", ("cache: 0B, ", "")),
    ("limits: { events: 5 }", "/limits/events", "`policy.observe`", ("events: 5", "")),
    (
        "limits: { uploads-per-name: 5 }",
        "/limits/uploads-per-name",
        "no root takes uploads",
        ("uploads-per-name: 5", ""),
    ),
    (
        "limits: { per-client: { ipv6-prefix: 56 } }",
        "/limits/per-client/ipv6-prefix",
        "no listener has clients with IPv6",
        ("limits:", "listeners: [{ address: '[::1]:6969' }]\nlimits:"),
    ),
    (
        "privileges: { landlock: false, readable: [/srv] }",
        "/privileges/readable",
        "`landlock: false`",
        ("landlock: false, ", ""),
    ),
    (
        "privileges: { landlock: false, seccomp: off, require: true }",
        "/privileges/require",
        "`seccomp: off` and `landlock: false`",
        ("seccomp: off, ", ""),
    ),
    (
        "telemetry: { traces: { enabled: false }, metrics: { enabled: false }, logs: false }",
        "/telemetry",
        "nothing is exported",
        ("logs: false", "logs: true"),
    ),
    (
        "telemetry: { traces: { enabled: false, sample: 0.5 } }",
        "/telemetry/traces/sample",
        "`enabled: false`",
        ("enabled: false, ", ""),
    ),
    (
        "telemetry: { traces: { sample: 0, per-second: 5 } }",
        "/telemetry/traces/per-second",
        "`sample: 0`",
        ("sample: 0,", "sample: 0.1,"),
    ),
    (
        "telemetry: { metrics: { enabled: false, interval: 5s } }",
        "/telemetry/metrics/interval",
        "`enabled: false`",
        ("enabled: false, ", ""),
    ),
];

#[test]
fn each_key_without_effect_is_named_and_with_effect_is_not() {
    let scene = Scene::new();
    for (part, pointer, said, (without, with)) in [ROOTS, NEGOTIATION, PLUGINS, REST].concat() {
        let warnings = |part: &str| match scene.load(&whole(part)) {
            Ok(config) => config.warnings,
            Err(error) => panic!("{part}: {error}"),
        };
        let found = warnings(part);
        let [(its, message)] = &found[..] else { panic!("{part}: {found:?}") };
        assert!(its == pointer && message.contains(said), "{part}: {its}: {message}");
        assert!(part.contains(without), "{part}: {without}");
        let found = warnings(&part.replacen(without, with, 1));
        assert!(
            !found.iter().any(|(its, message)| its == pointer && message.contains(said)),
            "{part}: {found:?}"
        );
    }
}

/// What packages, the quickstart and the reference write for everybody.
#[test]
fn the_first_configuration_has_no_warning() {
    let scene = Scene::new();
    assert_eq!(scene.load(&whole("")).expect("good").warnings, []);
    let all =
        "transfer: { rate: 1MB, max-windowsize: 32 }\nlimits: { transfers: 100, cache: 64MiB }\nadmin: {}\n";
    assert_eq!(scene.load(&whole(all)).expect("good").warnings, []);
}
