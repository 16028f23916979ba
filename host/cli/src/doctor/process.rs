//! Checks the resources of this process: descriptors, cores, memory.

use super::Subject;
use super::finding::{Finding, Grade, size};
use super::system::System;
use std::path::{Component, Path, PathBuf};
use tuffet_config::Config;

/// Descriptors of a server in addition to its sockets and files: pollers, logs, sinks, the admin listener.
const OTHER_DESCRIPTORS: u64 = 128;

/// Memory of a server in addition to the file cache: code, tables, compiled plugins.
const BASE_MEMORY: u64 = 96 << 20;

/// The service unit of a server that systemd starts.
const UNIT: &str = "tuffet.service";

pub(super) fn descriptors(system: &System, subject: &Subject) -> Finding {
    const CHECK: &str = "open files";
    // The limit of the running server counts, if it is readable.
    let serving = subject.serving.map(|process| format!("proc/{process}/limits"));
    let serving = serving.and_then(|path| system.line(&path, "Max open files"));
    let owner = if serving.is_some() { " for the server that runs" } else { "" };
    let hidden = subject.serving.is_some() && serving.is_none();
    let limit = serving.or_else(|| system.line("proc/self/limits", "Max open files"));
    let Some(soft) = limit.as_ref().and_then(|rest| rest.split_ascii_whitespace().next()) else {
        return Finding::unknown(CHECK, "the limit is not visible here (/proc/self/limits)");
    };
    // A value that is not a number is `unlimited`.
    let Ok(soft) = soft.parse::<u64>() else { return Finding::good(CHECK, format!("unlimited{owner}")) };
    let needed = subject.sockets(Some(soft));
    // A running server has each listening socket twice, so that it can hand the ports over when it stops.
    let sockets = needed.sockets + needed.listening;
    let transfers = subject.config.settings.capacity.transfers as u64;
    let (least, most) = (sockets + OTHER_DESCRIPTORS, sockets + OTHER_DESCRIPTORS + transfers);
    let fix = |finding: Finding| {
        finding.fix(format!("ulimit -n {}", most.next_power_of_two())).permanently(
            format!("/etc/systemd/system/{UNIT}"),
            format!("LimitNOFILE={}", most.next_power_of_two()),
        )
    };
    if soft < least {
        let says =
            format!("{soft}{owner}, but the sockets ({sockets}) and other descriptors alone take {least}");
        return fix(Finding::new(CHECK, Grade::Wrong, says));
    }
    if soft < most {
        let says = format!(
            "{soft}{owner}; {} transfers (`limits.transfers`) of as many files that are not in memory take up to {most}",
            subject.config.settings.capacity.transfers
        );
        return fix(Finding::new(CHECK, Grade::CouldBeBetter, says));
    }
    if hidden {
        let says = format!(
            "{soft} for this process; it takes up to {most}, and the limit of the server that runs is not visible to \
             this user"
        );
        return Finding::unknown(CHECK, says);
    }
    Finding::good(CHECK, format!("{soft}{owner}; it takes up to {most}"))
}

pub(super) fn cores(config: &Config) -> Finding {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let workers = config.settings.workers;
    if workers > cores {
        let says = format!(
            "{workers} workers share {cores} cores; write `workers: {cores}` or less in the configuration"
        );
        return Finding::new("cores", Grade::CouldBeBetter, says);
    }
    Finding::good("cores", format!("{cores} for {workers} workers"))
}

/// Checks the memory limit of the unit's control group if it exists, else of this process's.
pub(super) fn memory(system: &System, config: &Config) -> Finding {
    const CHECK: &str = "memory";
    let unit = format!("/system.slice/{UNIT}");
    let of_unit = system.has(&format!("sys/fs/cgroup{unit}"));
    let group = if of_unit { Some(unit) } else { system.line("proc/self/cgroup", "0::") };
    let bound = group.and_then(|group| limit_of(system, &group));
    let total = system.line("proc/meminfo", "MemTotal:");
    let total = total.and_then(|text| text.split(' ').next()?.parse::<u64>().ok()).map(|kib| kib << 10);
    let wanted = config.settings.service.limits.cache + BASE_MEMORY;
    let Some(least) = bound.iter().chain(&total).min().copied() else {
        return Finding::unknown(CHECK, "neither the machine's memory nor a limit is visible here");
    };
    if least >= wanted {
        let what = if Some(least) == bound { "the control group allows" } else { "the machine has" };
        return Finding::good(
            CHECK,
            format!("{what} {}; cache and process take up to {}", size(least), size(wanted)),
        );
    }
    let says = format!(
        "{} are allowed, but the cache (`limits.cache`) may take {} and the process {}: the kernel would kill it; lower the \
         cache, or allow more memory",
        size(least),
        size(config.settings.service.limits.cache),
        size(BASE_MEMORY)
    );
    let finding = Finding::new(CHECK, Grade::Wrong, says);
    if Some(least) == bound && of_unit {
        return finding
            .fix(format!("systemctl set-property {UNIT} MemoryMax={wanted}"))
            .permanently(format!("/etc/systemd/system/{UNIT}"), format!("MemoryMax={wanted}"));
    }
    finding
}

/// Returns the smallest `memory.max` of a group and its ancestors.
fn limit_of(system: &System, group: &str) -> Option<u64> {
    // A group outside this namespace appears as `/../name`.
    let parts: PathBuf =
        Path::new(group).components().filter(|part| matches!(part, Component::Normal(_))).collect();
    let limits = parts.ancestors().map(|group| format!("sys/fs/cgroup/{}/memory.max", group.display()));
    limits.filter_map(|path| system.number(&path)).min()
}

/// Checks how the runtime finds the pages that a plugin has touched.
pub(super) fn pagemap(system: &System, config: &Config) -> Finding {
    const CHECK: &str = "PAGEMAP_SCAN";
    let release = system.sysctl("kernel.osrelease").unwrap_or_default();
    if wasmtime::PoolingAllocationConfig::is_pagemap_scan_available() {
        return Finding::good(CHECK, "memory of plugins is cleaned page by page");
    }
    let says = format!(
        "not on this kernel ({release}; Linux 6.7 has it): calls of plugins that keep no instance cost some µs more"
    );
    let grade = if config.policy.plugins.is_empty() { Grade::Good } else { Grade::CouldBeBetter };
    Finding::new(CHECK, grade, says)
}

#[cfg(test)]
mod tests {
    use super::super::system::fake;
    use super::*;

    #[test]
    fn descriptors_for_sockets_and_for_files() {
        let subject = Subject::of(None).unwrap();
        let of = |soft: &str| {
            let limits = format!(
                "Limit Soft Hard Units\nMax open files            {soft}                 524288   files\n"
            );
            let (_folder, system) = fake(&[("proc/self/limits", &limits)]);
            descriptors(&system, &subject)
        };
        let none = of("100");
        assert_eq!((none.grade, none.commands.len()), (Grade::Wrong, 1));
        assert_eq!(of("1024").grade, Grade::CouldBeBetter);
        assert_eq!(of("524288").grade, Grade::Good);
        assert_eq!(of("unlimited").grade, Grade::Good);
        let lines = ["1024", "65536"].map(|soft| format!("Max open files  {soft}  524288  files\n"));
        let (_folder, system) = fake(&[("proc/self/limits", &lines[0]), ("proc/77/limits", &lines[1])]);
        let found = descriptors(&system, &Subject { serving: Some(77), ..Subject::of(None).unwrap() });
        assert_eq!(found.grade, Grade::Good);
        assert!(found.says.starts_with("65536 for the server that runs"), "{}", found.says);
        let gone = descriptors(&system, &Subject { serving: Some(78), ..Subject::of(None).unwrap() });
        assert_eq!(gone.grade, Grade::CouldBeBetter);
        let (_folder, high) = fake(&[("proc/self/limits", "Max open files  524288  524288  files\n")]);
        let gone = descriptors(&high, &Subject { serving: Some(78), ..Subject::of(None).unwrap() });
        assert_eq!(gone.grade, Grade::Unknown);
        assert_eq!(descriptors(&fake(&[]).1, &Subject::of(None).unwrap()).grade, Grade::Unknown);
    }

    #[test]
    fn the_smallest_limit_around_counts_and_that_of_the_unit_first() {
        let config = Subject::of(None).unwrap().config;
        let groups = [
            ("proc/meminfo", "MemTotal:       16000000 kB\n"),
            ("proc/self/cgroup", "0::/a/b\n"),
            ("sys/fs/cgroup/a/memory.max", "104857600\n"),
            ("sys/fs/cgroup/a/b/memory.max", "max\n"),
        ];
        let (_folder, small) = fake(&groups);
        assert_eq!(limit_of(&small, "/a/b"), Some(100 << 20));
        assert_eq!(memory(&small, &config).grade, Grade::Wrong);
        let unit = ("sys/fs/cgroup/system.slice/tuffet.service/memory.max", "200000000");
        let (_folder, with_unit) = fake(&[&groups[..], &[unit]].concat());
        let found = memory(&with_unit, &config);
        assert_eq!(found.grade, Grade::Wrong);
        assert!(found.commands[0].starts_with("systemctl set-property tuffet.service MemoryMax="));
        let (_folder, large) = fake(&groups[..1]);
        assert_eq!(memory(&large, &config).grade, Grade::Good);
        assert_eq!(memory(&fake(&[]).1, &config).grade, Grade::Unknown);
    }
}
