//! Tuffet and its variants.

use super::{Launch, OwnPrograms, WatchAddresses, Way};
use crate::install::{Installed, first_output_line};
use std::path::{Path, PathBuf};
use std::process::Command;

pub(super) fn installed(own_programs: &OwnPrograms) -> Result<Installed, String> {
    if !own_programs.tuffet.is_file() {
        let path = own_programs.tuffet.display();
        return Err(format!("{path} is not there: build it (make bench does), or name it with --tuffet"));
    }
    let version = first_output_line(&own_programs.tuffet, "--version").unwrap_or_default();
    let version = version.trim_start_matches("tuffet").trim().to_owned();
    Ok(Installed { program: own_programs.tuffet.clone(), version })
}

pub(super) fn plain(server: &Installed, launch: &Launch<'_>, workers: usize) -> Command {
    let mut command = quiet(serve(server, workers));
    command.arg("--listen").arg(launch.address.to_string()).arg("--root").arg(launch.root);
    if launch.uploads {
        command.arg("--writable");
    }
    command
}

pub(super) fn with_policy(server: &Installed, launch: &Launch<'_>) -> Result<Command, String> {
    configured(server, launch, "five-plugins.yaml", FIVE_PLUGINS).map(quiet)
}

/// Tuffet with the plugin `acl` and a fresh instance for each call.
pub(super) fn with_acl(server: &Installed, launch: &Launch<'_>) -> Result<Command, String> {
    telling(configured(server, launch, "acl.yaml", &ACL.replace("REUSE", "reuse: { calls: 1 }")))
}

/// The same with reused instances.
pub(super) fn with_acl_kept(server: &Installed, launch: &Launch<'_>) -> Result<Command, String> {
    let kept = ACL.replace("REUSE", "reuse: { calls: 1000, idle: 10s }");
    telling(configured(server, launch, "acl-kept.yaml", &kept))
}

/// Tuffet with the reference guest in Python and a fresh instance for each call.
///
/// # Errors The guest was not built.
pub(super) fn with_python(server: &Installed, launch: &Launch<'_>) -> Result<Command, String> {
    let component = python_guest(&server.program)?;
    // Keeps the compiled plugin: compiling takes longer than everything else.
    let text = PYTHON
        .replace("GUEST", &component.display().to_string())
        .replace("COMPILED", &component.with_file_name("compiled").display().to_string());
    telling(configured(server, launch, "python.yaml", &text))
}

/// [`installed`], if the plugin in Python was built.
pub(super) fn installed_with_python(own_programs: &OwnPrograms) -> Result<Installed, String> {
    python_guest(&own_programs.tuffet)?;
    installed(own_programs)
}

/// The guest's path: `make test SUITE=python` puts it into the target folder of the program.
fn python_guest(tuffet: &Path) -> Result<PathBuf, String> {
    let guest = tuffet.ancestors().nth(2).unwrap_or(tuffet).join("python/reference.wasm");
    if guest.is_file() {
        Ok(guest)
    } else {
        Err(format!("{} is not there: make test SUITE=python builds it", guest.display()))
    }
}

/// Tuffet with the plugins `template` and `mac-map`, each with [`DEVICES`] devices. The client is none of them.
pub(crate) fn with_inventory(server: &Installed, launch: &Launch<'_>) -> Result<Command, String> {
    let own = launch.scratch.join("own");
    let mac = |device: u32| {
        let [_, a, b, c] = device.to_be_bytes();
        format!("02:00:5e:{a:02x}:{b:02x}:{c:02x}")
    };
    let (mut inventory, mut settings) = (String::from("devices:\n"), String::from(MAPPED));
    for device in 0..DEVICES {
        let mac = mac(device);
        inventory += &format!("  phone-{device}:\n    mac: {mac}\n    vars: {{ extension: {device} }}\n");
        settings += &format!("            \"{mac}\": phones/{device}.cfg\n");
    }
    std::fs::create_dir_all(&own)
        .and_then(|()| std::fs::write(own.join("inventory.yaml"), inventory))
        .and_then(|()| std::fs::write(own.join("phone.cfg.j2"), PHONE))
        .map_err(|error| format!("{}: {error}", own.display()))?;
    configured(server, launch, "inventory-of-phones.yaml", &settings).map(quiet)
}

/// Tuffet with all bundled plugins and reused instances: access rules, file maps, templates, an audit file, and live
/// events over UDP.
pub(super) fn with_bundled(server: &Installed, launch: &Launch<'_>) -> Result<Command, String> {
    let own = launch.scratch.join("own");
    let files = [("inventory.yaml", INVENTORY), ("phone.cfg.j2", PHONE)];
    std::fs::create_dir_all(&own)
        .and_then(|()| files.iter().try_for_each(|(name, text)| std::fs::write(own.join(name), text)))
        .map_err(|error| format!("{}: {error}", own.display()))?;
    telling(configured(server, launch, "bundled.yaml", BUNDLED))
}

/// Tuffet that is watched in these ways.
pub(super) fn watched(server: &Installed, launch: &Launch<'_>) -> Result<Command, String> {
    let WatchAddresses { ways, collector, bus, admin } = launch.watch.ok_or("nobody watches")?;
    let has = |way| ways.contains(&way);
    let mut text = WATCHED.to_owned();
    if has(Way::Views) {
        text += &format!("admin: {{ address: {admin} }}\n");
    }
    if ways.iter().any(|way| way.exports()) {
        let (traces, metrics, logs) = (has(Way::Traces), has(Way::Metrics), has(Way::Logs));
        text += &format!(
            "telemetry: {{ endpoint: \"http://{collector}\", traces: {{ enabled: {traces} }}, metrics: {{ \
             enabled: {metrics}, interval: 1s }}, logs: {logs} }}\n"
        );
    }
    let observers = [(Way::Audit, "audit", AUDIT), (Way::Publish, "publish", PUBLISH)];
    let observers = observers.into_iter().filter(|(way, ..)| has(*way));
    let (mut names, mut sinks, mut plugins) = (Vec::new(), String::new(), String::new());
    for (_, name, (sink, plugin)) in observers {
        names.push(name);
        sinks += sink;
        plugins += plugin;
    }
    if !names.is_empty() {
        let names = names.join(", ");
        text += &format!("sinks:\n{sinks}policy: {{ observe: [{names}] }}\nplugins:\n{plugins}");
    }
    let text = text.replace("BUS", &bus.to_string());
    configured(server, launch, "watched.yaml", &text).map(quiet)
}

/// Tuffet that sends at most 12 blocks of a window per millisecond.
pub(super) fn with_burst(server: &Installed, launch: &Launch<'_>) -> Result<Command, String> {
    configured(server, launch, "burst.yaml", BURST).map(quiet)
}

/// Tuffet without busy polling.
pub(super) fn without_busy_poll(server: &Installed, launch: &Launch<'_>) -> Result<Command, String> {
    configured(server, launch, "sleep.yaml", SLEEP).map(quiet)
}

/// Tuffet with a listener, a root, a worker and these settings.
///
/// # Errors The configuration cannot be written.
pub(crate) fn with_settings(
    server: &Installed,
    launch: &Launch<'_>,
    name: &str,
    settings: &str,
) -> Result<Command, String> {
    configured(server, launch, name, &format!("{PLAIN}{settings}")).map(quiet)
}

/// Tuffet with only these settings, in which the run replaces some words.
///
/// # Errors
/// As [`with_settings`].
pub(crate) fn with_all_settings(
    server: &Installed,
    launch: &Launch<'_>,
    name: &str,
    settings: &str,
) -> Result<Command, String> {
    configured(server, launch, name, settings).map(quiet)
}

fn quiet(mut command: Command) -> Command {
    command.args(["--log", "error"]);
    command
}

/// Logs a line for each request, with the duration of its decision.
fn telling(command: Result<Command, String>) -> Result<Command, String> {
    command.map(|mut command| {
        command.args(["--log", "warn,tuffet::transfer=info", "--log-format", "json"]);
        command
    })
}

fn configured(server: &Installed, launch: &Launch<'_>, name: &str, text: &str) -> Result<Command, String> {
    let (file, own) = (launch.scratch.join(name), launch.scratch.join("own"));
    std::fs::create_dir_all(&own).map_err(|error| format!("{}: {error}", own.display()))?;
    let text = text
        .replace("ADDRESS", &launch.address.to_string())
        .replace("ROOT", &launch.root.display().to_string())
        .replace("OWN", &own.display().to_string())
        .replace("WRITABLE", if launch.uploads { "true" } else { "false" });
    std::fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut command = serve(server, 1);
    command.arg("--config").arg(file);
    Ok(command)
}

fn serve(server: &Installed, workers: usize) -> Command {
    let mut command = Command::new(&server.program);
    command.args(["serve", "--workers"]).arg(workers.to_string());
    // The files belong to this user.
    command.arg("--user").arg(rustix::process::geteuid().as_raw().to_string());
    command
}

const PLAIN: &str = r#"listeners: [{ address: ADDRESS }]
roots: [{ name: files, path: "ROOT", writable: WRITABLE, overwrite: WRITABLE }]
control: none
"#;

const BURST: &str = r#"listeners: [{ address: ADDRESS, burst: 12 }]
roots: [{ name: files, path: "ROOT", writable: WRITABLE }]
"#;

const SLEEP: &str = r#"listeners: [{ address: ADDRESS }]
roots: [{ name: files, path: "ROOT", writable: WRITABLE }]
busy-poll: 0s
"#;

const WATCHED: &str = r#"listeners: [{ address: ADDRESS }]
roots: [{ name: files, path: "ROOT", writable: WRITABLE }]
state: "OWN/state"
"#;

/// The sink and the plugin.
const AUDIT: (&str, &str) = (
    r#"  audit: { file: "OWN/audit.jsonl", queue: 100000 }
"#,
    "  audit:
    component: builtin:audit
    reuse: { calls: 1000, idle: 10s }
    grants: [kv, sinks/audit]
    settings: { sink: audit }
",
);

/// The sink and the plugin.
const PUBLISH: (&str, &str) = (
    r#"  bus: { udp: "BUS", queue: 100000 }
"#,
    "  publish:
    component: builtin:publish
    reuse: { calls: 1000, idle: 10s }
    grants: [sinks/bus]
    settings: { sink: bus }
",
);

const ACL: &str = r#"listeners: [{ address: ADDRESS }]
roots: [{ name: files, path: "ROOT", writable: WRITABLE }]
policy: { default: deny, authorize: [acl] }
plugins:
  acl:
    component: builtin:acl
    REUSE
    settings:
      deny:
        - names: ["secret/**", "*.key"]
          message: not for anybody
      allow:
        - clients: [127.0.0.0/8]
"#;

const PYTHON: &str = r#"listeners: [{ address: ADDRESS }]
roots: [{ name: files, path: "ROOT", writable: WRITABLE }]
policy: { default: allow, authorize: [reference], compiled: "COMPILED" }
plugins: { reference: { component: "GUEST" } }
"#;

const DEVICES: u32 = 100_000;

const MAPPED: &str = r#"listeners: [{ address: ADDRESS }]
roots:
  - { name: files, path: "ROOT", writable: WRITABLE }
  - { name: own, path: "OWN" }
policy: { resolve: [template, mac-map] }
plugins:
  template:
    component: builtin:template
    grants: [files/own, client-mac]
    settings:
      root: own
      inventory: inventory.yaml
      rules: [{ match: "**", template: phone.cfg.j2 }]
  mac-map:
    component: builtin:mac-map
    grants: [client-mac]
    settings:
      root: files
      rules:
        - fallback: ["{path}"]
          devices:
"#;

const INVENTORY: &str = "devices:
  kitchen: { mac: 02:00:5e:10:00:01, vars: { extension: 101 } }
  attic: { address: 192.0.2.17, vars: { extension: 102 } }
";

const PHONE: &str = "# {{ device.name }}
extension {{ extension }}
";

const BUNDLED: &str = r#"listeners: [{ address: ADDRESS }]
roots:
  - { name: files, path: "ROOT", writable: WRITABLE }
  - { name: own, path: "OWN" }
state: "OWN/state"
sinks:
  audit: { file: "OWN/audit.jsonl", queue: 100000 }
  bus: { udp: "127.0.0.1:9", queue: 100000 }
policy:
  default: deny
  authorize: [acl]
  resolve: [mac-map, template]
  observe: [audit, publish]
plugins:
  acl:
    component: builtin:acl
    reuse: { calls: 1000, idle: 10s }
    settings:
      deny: [{ names: ["secret/**", "*.key"] }]
      allow: [{ clients: [127.0.0.0/8] }]
  mac-map:
    component: builtin:mac-map
    reuse: { calls: 1000, idle: 10s }
    grants: [client-mac]
    settings:
      root: files
      rules:
        - match: "phones/*"
          templates: ["phones/{mac}.cfg"]
          fallback: ["phones/default.cfg"]
  template:
    component: builtin:template
    reuse: { calls: 1000, idle: 10s }
    grants: [files/own, client-mac]
    settings:
      root: own
      inventory: inventory.yaml
      rules: [{ match: "*.cfg", template: phone.cfg.j2 }]
  audit:
    component: builtin:audit
    reuse: { calls: 1000, idle: 10s }
    grants: [kv, sinks/audit]
    settings: { sink: audit }
  publish:
    component: builtin:publish
    reuse: { calls: 1000, idle: 10s }
    grants: [sinks/bus]
    settings: { sink: bus, events: [started, finished] }
"#;

/// Three plugins that abstain on every request, one that allows it, and one that resolves to the requested file: five
/// calls per transfer.
const FIVE_PLUGINS: &str = r#"listeners:
  - address: ADDRESS
roots:
  - name: files
    path: "ROOT"
    writable: WRITABLE
policy:
  default: allow
  authorize: [networks, names, ceilings]
  resolve: [phones, machines]
plugins:
  networks:
    component: builtin:acl
    reuse: { calls: 1000, idle: 10s }
    settings:
      deny:
        - clients: [192.0.2.0/24, 198.51.100.0/24, 203.0.113.0/24]
          message: not for this network
  names:
    component: builtin:acl
    reuse: { calls: 1000, idle: 10s }
    settings:
      deny:
        - names: ["secret/**", "*.key", "private/**"]
          message: not for anybody
  ceilings:
    component: builtin:acl
    reuse: { calls: 1000, idle: 10s }
    settings:
      allow:
        - clients: [127.0.0.0/8]
          max-blksize: 1428
          max-windowsize: 64
  phones:
    component: builtin:mac-map
    reuse: { calls: 1000, idle: 10s }
    grants: [client-mac]
    settings:
      root: files
      rules:
        - match: "phones/*"
          templates: ["phones/{mac}.cfg"]
          fallback: ["phones/default.cfg"]
  machines:
    component: builtin:mac-map
    reuse: { calls: 1000, idle: 10s }
    grants: [client-mac]
    settings:
      root: files
      rules:
        - match: "machines/*"
          templates: ["machines/{mac}/boot.img"]
"#;
