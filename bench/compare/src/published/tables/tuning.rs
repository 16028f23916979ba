//! Default and tuned kernel settings, with the findings of `tuffet doctor`.

use super::{Published, Section, TableResult, curve, known, links, row, section_of, short};
use crate::load::Load;
use crate::published::bench::{Bench, Case, DOWNLOAD};
use crate::scale::Scale;
use serde_json::{Value, json};
use std::process::Command;
use std::time::Duration;
use tuffet_measure::plot::{Chart, Panel};

pub(super) const TABLE: Published = Published {
    number: 5,
    title: "Default and tuned kernel settings, and what `tuffet doctor` says to them",
    source: "Articles on tuning a host for gigabit links raise the socket buffers (`net.core.rmem_max`, `wmem_max`) and \
             the queue of the device (`net.core.netdev_max_backlog`). Of the last one, IBM measured, in [Network setup: \
             device queue length](https://www.ibm.com/docs/en/linux-on-systems?topic=results-network-setup-device-queue-length), \
             by TCP: from 1000 to 2000 about 40 % more throughput, and less again with 2500.",
    run,
};

/// The settings with their default and tuned values: the kernel's defaults, and the doctor's recommendations.
const SETTINGS: [(&str, &str, &str); 3] = [
    ("net.core.rmem_max", "212992", "8388608"),
    ("net.core.wmem_max", "212992", "8388608"),
    ("net.core.netdev_max_backlog", "1000", "5000"),
];
const WINDOWS: [u16; 4] = [1, 8, 32, 64];
const AT_ONCE: u32 = 16;
const BLKSIZE: u16 = 1_428;
/// Drops the capability for larger buffers than the settings allow.
const WITHOUT: [&str; 3] = ["setpriv", "--bounding-set=-net_admin", "--"];
/// The checks of the doctor on the page.
const CHECKS: [&str; 4] = ["receive buffers", "send buffers", "backlog", "rate over loopback"];

fn run(bench: &Bench) -> TableResult {
    let mut found = TableResult::default();
    let Some((_, link)) = links(&mut found, &[("link without a limit", None)]).pop() else { return found };
    let mut placement = link.server();
    placement.behind.extend(WITHOUT.map(str::to_owned));
    let mut doctor = Section::new("What the doctor says", ["check", "default", "tuned"]);
    let mut said = Vec::new();
    let mut curves = Vec::new();
    for (path, tuned) in [("default", false), ("tuned", true)] {
        // A smoke run must not change the machine.
        let _settings = (bench.scale != Scale::Smoke).then(|| Settings::set(tuned));
        said.push(ask(bench));
        let first = found.measurements.len();
        for write in [true, false] {
            let title =
                format!("{AT_ONCE} {} at once, settings {path}", if write { "uploads" } else { "downloads" });
            let mut section =
                section_of(bench, title, &["windowsize"], &["MB/s", "CPU s/GB", "client time-outs"]);
            for windowsize in bench.scale.steps(&WINDOWS) {
                let load = Load {
                    write,
                    gso: write,
                    gro: !write,
                    transfers: AT_ONCE,
                    concurrency: AT_ONCE,
                    size: bench.scale.size(40_000_000),
                    blksize: Some(BLKSIZE),
                    windowsize: Some(windowsize).filter(|windowsize| *windowsize != 1),
                    ..DOWNLOAD
                };
                let case = Case { path, placement: placement.clone(), relay: None, load, flags: &[] };
                let cells = row(bench, &mut found, &case, vec![windowsize.to_string()], |it| {
                    vec![short(it.mb_s), known(it.cpu_s_per_gb), it.client_timeouts.to_string()]
                });
                section.table.row(cells);
            }
            found.sections.push(section);
        }
        for (server, _) in &bench.servers {
            let its = &found.measurements[first..];
            let mut curve = curve(format!("{}, {path}", server.name), server.name, its, |it| {
                it.write.then_some((f64::from(it.windowsize), it.mb_s))
            });
            if curve.class == "own" && !tuned {
                curve.class = "theirs";
            }
            curves.push(curve);
        }
    }
    for check in CHECKS {
        let cells = said.iter().map(|report| finding(report, check));
        doctor.table.row([check.to_owned()].into_iter().chain(cells));
    }
    found.sections.insert(0, doctor);
    let panel = Panel {
        title: format!("{AT_ONCE} uploads at once"),
        x: "windowsize".to_owned(),
        y: "MB/s in total".to_owned(),
        log_x: true,
        log_y: false,
        shaded: None,
        curves,
    };
    found.chart = Chart { title: "Default and tuned kernel settings".to_owned(), panels: vec![panel] };
    found.more = json!({ "doctor": { "default": said.first(), "tuned": said.get(1) } });
    found
}

/// The doctor's report for a user without CAP_NET_ADMIN.
fn ask(bench: &Bench) -> Value {
    let mut command = Command::new(WITHOUT[0]);
    command.args(&WITHOUT[1..]).arg(&bench.programs.doctor).args(["doctor", "--json"]);
    let answer = crate::command::run(command, Duration::from_secs(60)).map_err(|error| error.to_string());
    let answer =
        answer.and_then(|done| serde_json::from_str(&done.stdout).map_err(|error| error.to_string()));
    answer.unwrap_or_else(|error| json!({ "failed": error }))
}

fn finding(report: &Value, check: &str) -> String {
    if let Some(why) = report["failed"].as_str() {
        return format!("it could not be asked: {why}");
    }
    let findings = report["findings"].as_array().map(Vec::as_slice).unwrap_or_default();
    let Some(found) = findings.iter().find(|finding| finding["check"] == check) else {
        return "–".to_owned();
    };
    let mut text =
        format!("{}: {}", found["grade"].as_str().unwrap_or(""), found["says"].as_str().unwrap_or(""));
    for command in found["commands"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        text += &format!("; `{command}`");
    }
    text
}

/// Sets the kernel settings; dropping it restores them.
struct Settings {
    before: Vec<(&'static str, String)>,
}

impl Settings {
    fn set(tuned: bool) -> Settings {
        let mut settings = Settings { before: Vec::new() };
        for (name, default, better) in SETTINGS {
            let path = path_of(name);
            let Ok(before) = std::fs::read_to_string(&path) else { continue };
            match std::fs::write(&path, if tuned { better } else { default }) {
                Ok(()) => settings.before.push((name, before)),
                Err(error) => eprintln!("  {name} stays as it is: {error}"),
            }
        }
        settings
    }
}

impl Drop for Settings {
    fn drop(&mut self) {
        for (name, before) in &self.before {
            if let Err(error) = std::fs::write(path_of(name), before) {
                eprintln!("{name} was {} before, and cannot be set back: {error}", before.trim());
            }
        }
    }
}

fn path_of(name: &str) -> String {
    format!("/proc/sys/{}", name.replace('.', "/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_told_in_a_cell() {
        let report = json!({ "findings": [
            { "check": "backlog", "grade": "could-be-better", "says": "it is 1", "commands": ["sysctl -w a=2"] }
        ]});
        assert_eq!(finding(&report, "backlog"), "could-be-better: it is 1; `sysctl -w a=2`");
        assert_eq!(finding(&report, "clock"), "–");
        assert!(finding(&json!({ "failed": "no doctor" }), "backlog").contains("no doctor"));
    }
}
