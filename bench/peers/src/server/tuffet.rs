//! Tuffet itself: plain, and with five policy plugins that all run for every request.

use super::{Launch, Places};
use crate::install::{Installed, says};
use std::process::Command;

pub(super) fn installed(places: &Places) -> Result<Installed, String> {
    if !places.tuffet.is_file() {
        let path = places.tuffet.display();
        return Err(format!("{path} is not there: build it (make bench does), or name it with --tuffet"));
    }
    let version = says(&places.tuffet, "--version").unwrap_or_default();
    let version = version.trim_start_matches("tuffet").trim().to_owned();
    Ok(Installed { program: places.tuffet.clone(), version })
}

pub(super) fn plain(server: &Installed, launch: &Launch<'_>, workers: usize) -> Command {
    let mut command = serve(server, workers);
    command.arg("--listen").arg(launch.address.to_string()).arg("--root").arg(launch.root);
    if launch.uploads {
        command.arg("--writable");
    }
    command
}

pub(super) fn with_policy(server: &Installed, launch: &Launch<'_>) -> Result<Command, String> {
    configured(server, launch, "five-plugins.yaml", FIVE_PLUGINS)
}

/// At most 12 blocks of a window within a millisecond.
pub(super) fn with_burst(server: &Installed, launch: &Launch<'_>) -> Result<Command, String> {
    configured(server, launch, "burst.yaml", BURST)
}

/// Sleeps at once when there is nothing to do.
pub(super) fn without_busy_poll(server: &Installed, launch: &Launch<'_>) -> Result<Command, String> {
    configured(server, launch, "sleep.yaml", SLEEP)
}

fn configured(server: &Installed, launch: &Launch<'_>, name: &str, text: &str) -> Result<Command, String> {
    let file = launch.scratch.join(name);
    let text = text
        .replace("ADDRESS", &launch.address.to_string())
        .replace("ROOT", &launch.root.display().to_string())
        .replace("WRITABLE", if launch.uploads { "true" } else { "false" });
    std::fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut command = serve(server, 1);
    command.arg("--config").arg(file);
    Ok(command)
}

fn serve(server: &Installed, workers: usize) -> Command {
    let mut command = Command::new(&server.program);
    command.args(["serve", "--log", "error", "--workers"]).arg(workers.to_string());
    command
}

const BURST: &str = r#"listeners: [{ address: ADDRESS, burst: 12 }]
roots: [{ name: files, path: "ROOT", writable: WRITABLE }]
"#;

const SLEEP: &str = r#"listeners: [{ address: ADDRESS }]
roots: [{ name: files, path: "ROOT", writable: WRITABLE }]
busy-poll: 0s
"#;

/// Three plugins that look at every request and abstain, one that allows it, and one that decides on no
/// other file than the one that was asked: five calls for each transfer.
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
