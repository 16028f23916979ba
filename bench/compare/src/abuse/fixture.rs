//! The surroundings of a server for a kind of abuse: a slow disk, a blocked log, plugins.

use crate::abuse::disk::{HUNG, SLOW, SlowDisk};
use crate::abuse::kind::Kind;
use crate::files::Workplace;
use crate::install::Installed;
use crate::server::{Contender, Launch, Placement, with_all_settings, with_inventory, with_settings};
use std::fs::{File, OpenOptions};
use std::process::Command;

/// The setup for one case; keep it while the server runs.
pub(crate) struct Fixture {
    contender: Contender,
    placement: Placement,
    /// The file that abusers request; `None` for the large file.
    pub(crate) file: Option<String>,
    _disk: Option<SlowDisk>,
    _log: Option<File>,
}

/// The reason to skip this kind of abuse on this server, if there is one.
pub(crate) fn why_skipped(contender: &Contender, kind: Kind) -> Option<&'static str> {
    let (ours, defaults) = (is_ours(contender), contender.name == "tuffet");
    match kind {
        Kind::BlockedLog if !ours => Some("its log does not go to standard error here: Tuffet alone"),
        Kind::LoopingPlugin if !ours => Some("it has no plugins: Tuffet alone"),
        Kind::SlowDisk | Kind::HungDisk | Kind::BlockedLog | Kind::LoopingPlugin | Kind::Phones
            if ours && !defaults =>
        {
            Some("limits of clients play no part: see `tuffet`")
        }
        _ => None,
    }
}

/// Whether it is Tuffet, with its defaults or with tightened limits.
fn is_ours(contender: &Contender) -> bool {
    contender.name.starts_with("tuffet")
}

impl Fixture {
    /// # Errors This machine cannot provide it.
    pub(crate) fn new(
        contender: &Contender,
        kind: Option<Kind>,
        place: &Workplace,
    ) -> Result<Fixture, String> {
        let contender = Contender { ..*contender };
        let mut fixture =
            Fixture { contender, placement: Placement::default(), file: None, _disk: None, _log: None };
        let ours = is_ours(&fixture.contender);
        match kind {
            Some(kind @ (Kind::SlowDisk | Kind::HungDisk)) => {
                let name = if kind == Kind::SlowDisk { SLOW } else { HUNG };
                // Tuffet serves it as a second root; peers have only one.
                let (folder, file) = match ours {
                    true => (place.scratch().join("slow"), name.to_owned()),
                    false => (place.files().join("slow"), format!("slow/{name}")),
                };
                fixture._disk = Some(SlowDisk::mount(&folder)?);
                fixture.file = Some(file);
                if ours {
                    fixture.contender.command = beside_a_disk;
                }
            }
            Some(Kind::BlockedLog) => {
                let fifo = place.scratch().join("stderr");
                let _ = std::fs::remove_file(&fifo);
                let made = Command::new("mkfifo").arg(&fifo).status();
                if !made.is_ok_and(|made| made.success()) {
                    return Err("no FIFO can be made".to_owned());
                }
                // Opened for reading, but never read.
                let log = OpenOptions::new().read(true).write(true).open(&fifo);
                fixture._log = Some(log.map_err(|error| format!("{}: {error}", fifo.display()))?);
                let script = format!("exec \"$@\" 2>'{}'", fifo.display());
                fixture.placement.behind = ["sh", "-c", &script, "sh"].map(str::to_owned).into();
                fixture.contender.command = with_lines;
            }
            Some(Kind::LoopingPlugin) => {
                fixture.file = Some("loop.cfg".to_owned());
                fixture.contender.command = looping;
            }
            Some(Kind::Phones) if ours => fixture.contender.command = with_inventory,
            _ => {}
        }
        Ok(fixture)
    }

    pub(crate) fn contender(&self) -> &Contender {
        &self.contender
    }

    pub(crate) fn placement(&self) -> &Placement {
        &self.placement
    }
}

/// Tuffet with a second root on the slow disk.
fn beside_a_disk(server: &Installed, launch: &Launch<'_>) -> Result<Command, String> {
    let slow = launch.scratch.join("slow");
    let yaml = format!(
        "listeners: [{{ address: ADDRESS }}]\nroots:\n  - {{ name: files, path: \"ROOT\" }}\n  - {{ name: slow, path: \"{}\" }}\n\
         control: none\n",
        slow.display()
    );
    with_all_settings(server, launch, "slow-disk.yaml", &yaml)
}

/// As [`with_settings`], but logs each request.
fn with_lines(server: &Installed, launch: &Launch<'_>) -> Result<Command, String> {
    let quiet = with_settings(server, launch, "lines.yaml", "")?;
    let mut command = Command::new(quiet.get_program());
    let words: Vec<_> = quiet.get_args().collect();
    // The last two arguments set the log level; the default level logs each request.
    command.args(&words[..words.len().saturating_sub(2)]);
    Ok(command)
}

/// Tuffet with a template that never ends for one name.
fn looping(server: &Installed, launch: &Launch<'_>) -> Result<Command, String> {
    let own = launch.scratch.join("own");
    let template =
        "{% for a in range(9999) %}{% for b in range(9999) %}{% set c = a * b %}{% endfor %}{% endfor %}\n";
    std::fs::create_dir_all(&own)
        .and_then(|()| {
            std::fs::write(own.join("inventory.yaml"), "devices: { loop: { names: [loop.cfg] } }\n")
        })
        .and_then(|()| std::fs::write(own.join("loop.j2"), template))
        .map_err(|error| format!("{}: {error}", own.display()))?;
    with_all_settings(server, launch, "loop.yaml", LOOPING)
}

const LOOPING: &str = r#"listeners: [{ address: ADDRESS }]
roots:
  - { name: files, path: "ROOT" }
  - { name: own, path: "OWN" }
control: none
policy: { resolve: [template] }
plugins:
  template:
    component: builtin:template
    grants: [files/own, client-mac]
    settings:
      root: own
      inventory: inventory.yaml
      rules: [{ match: "loop.cfg", template: loop.j2 }]
"#;
