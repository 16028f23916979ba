//! The facts of the machine on which a result was measured.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::fs;

/// A machine.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// The name in `/proc/cpuinfo`.
    pub cpu: String,
    /// Cores that this process may use.
    pub cores: usize,
    /// Memory in MiB.
    pub memory_mib: u64,
    /// Kernel release.
    pub kernel: String,
    /// The distribution's name.
    pub system: String,
    /// Frequency governor of the first core; `None` if it is not visible, as in most guests.
    pub governor: Option<String>,
    /// Whether `/proc/cpuinfo` reports a hypervisor.
    pub virtual_machine: bool,
    /// Kernel settings that limit the results.
    pub settings: BTreeMap<String, String>,
}

/// Limits of socket buffers and of the receive queue.
const SETTINGS: [&str; 5] = [
    "net.core.rmem_default",
    "net.core.rmem_max",
    "net.core.wmem_max",
    "net.core.netdev_max_backlog",
    "kernel.randomize_va_space",
];

/// On one line.
impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Machine { cpu, cores, memory_mib, kernel, system, virtual_machine, .. } = self;
        let guest = if *virtual_machine { ", virtual" } else { "" };
        write!(f, "{cpu} ({cores} cores{guest}), {memory_mib} MiB, Linux {kernel}, {system}")
    }
}

impl Machine {
    /// Reads the visible facts; others stay empty.
    pub fn read() -> Self {
        let cpuinfo = text("/proc/cpuinfo");
        let setting = |name: &str| {
            let value = text(&format!("/proc/sys/{}", name.replace('.', "/"))).trim().to_owned();
            (!value.is_empty()).then(|| (name.to_owned(), value))
        };
        Machine {
            cpu: field(&cpuinfo, "model name", ':').unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
            cores: crate::cores().map_or(0, |cores| cores.len()),
            memory_mib: field(&text("/proc/meminfo"), "MemTotal", ':')
                .and_then(|value| value.split(' ').next()?.parse::<u64>().ok())
                .unwrap_or(0)
                / 1024,
            kernel: text("/proc/sys/kernel/osrelease").trim().to_owned(),
            system: field(&text("/etc/os-release"), "PRETTY_NAME", '=')
                .map(|name| name.trim_matches('"').to_owned())
                .unwrap_or_default(),
            governor: fs::read_to_string("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
                .ok()
                .map(|governor| governor.trim().to_owned()),
            virtual_machine: field(&cpuinfo, "flags", ':')
                .is_some_and(|flags| flags.split(' ').any(|flag| flag == "hypervisor")),
            settings: SETTINGS.into_iter().filter_map(setting).collect(),
        }
    }
}

fn text(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

fn field(text: &str, name: &str, separator: char) -> Option<String> {
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(separator)?;
        (key.trim() == name).then(|| value.trim().to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_facts() {
        let machine = Machine::read();
        assert!(machine.cores > 0 && machine.memory_mib > 0 && !machine.kernel.is_empty(), "{machine:?}");
    }

    #[test]
    fn fields() {
        assert_eq!(field("a : 1\nmodel name\t: X Y\n", "model name", ':').as_deref(), Some("X Y"));
        assert_eq!(field("model name: X", "model", ':'), None);
    }
}
