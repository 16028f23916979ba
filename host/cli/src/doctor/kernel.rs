//! Kernel settings: socket buffers, queues, connection tracking, the clock.

use super::finding::{Finding, Grade, size};
use super::system::System;
use std::net::Ipv4Addr;
use tuffet_config::Config;
use tuffet_engine::worker::SocketUse;
use tuffet_udp::{BindOptions, KERNEL_BUFFER, Socket};

/// The kernel's default length of each core's device queue, which holds a burst while the core is busy.
const BACKLOG: u64 = 1_000;
/// The recommended length after an overflow, if it is more than twice the current one.
const MORE_BACKLOG: u64 = 5_000;

/// The buffers that the kernel grants a socket that requests them as the server does.
#[derive(Debug, Clone, Copy)]
pub(super) struct Granted {
    receive: u64,
    send: u64,
}

/// Returns the granted buffers; `None` if no socket can be opened, which the checks of the ports report.
pub(super) fn granted() -> Option<Granted> {
    let socket = Socket::bind((Ipv4Addr::LOCALHOST, 0).into(), BindOptions::default()).ok()?;
    let socket = socket2::SockRef::from(&socket);
    // The kernel doubles the requested size (socket(7), SO_RCVBUF).
    Some(Granted {
        receive: socket.recv_buffer_size().ok()? as u64 / 2,
        send: socket.send_buffer_size().ok()? as u64 / 2,
    })
}

pub(super) fn receive_buffers(system: &System, granted: &Option<Granted>) -> Finding {
    let lost = match system.udp_counter("RcvbufErrors") {
        Some(lost) if lost > 0 => {
            format!("; {lost} datagrams were dropped for lack of buffer space since boot")
        }
        _ => String::new(),
    };
    let granted = granted.map(|granted| granted.receive);
    buffers(
        system,
        "receive buffers",
        "net.core.rmem_max",
        granted,
        "a storm of requests overflows it",
        &lost,
    )
}

pub(super) fn send_buffers(system: &System, granted: &Option<Granted>) -> Finding {
    let granted = granted.map(|granted| granted.send);
    buffers(system, "send buffers", "net.core.wmem_max", granted, "windows wait for buffer space", "")
}

fn buffers(
    system: &System,
    check: &str,
    setting: &str,
    granted: Option<u64>,
    consequence: &str,
    lost: &str,
) -> Finding {
    let wanted = KERNEL_BUFFER as u64;
    let bound = system.sysctl(setting).and_then(|value| value.parse::<u64>().ok());
    let (Some(granted), Some(bound)) = (granted, bound) else {
        return Finding::unknown(
            check,
            format!("the granted size: no socket could be opened, or {setting} cannot be read"),
        );
    };
    if bound >= wanted {
        return Finding::good(
            check,
            format!("{setting} allows every user the requested {}{lost}", size(wanted)),
        );
    }
    let says = if granted >= wanted {
        format!(
            "this user gets {} for each socket, but a server without CAP_NET_ADMIN gets {} ({setting}), and \
             {consequence}{lost}",
            size(granted),
            size(bound)
        )
    } else {
        format!("a socket gets {} of the requested {}, and {consequence}{lost}", size(granted), size(wanted))
    };
    Finding::new(check, Grade::CouldBeBetter, says).sysctl(setting, wanted)
}

/// Checks the queue of datagrams that wait for a core, from a veth, a bridge or RPS.
pub(super) fn backlog(system: &System) -> Finding {
    const NAME: &str = "net.core.netdev_max_backlog";
    let Some(length) = system.sysctl(NAME).and_then(|value| value.parse::<u64>().ok()) else {
        return Finding::unknown("backlog", format!("{NAME} is not visible here"));
    };
    let Some(dropped) = dropped(system) else {
        let says = format!("{length} packets per core; how many were dropped is not visible here");
        return Finding::unknown("backlog", says);
    };
    if dropped == 0 && length >= BACKLOG {
        return Finding::good("backlog", format!("{length} packets per core, none dropped"));
    }
    let better = if dropped > 0 { MORE_BACKLOG.max(length * 2) } else { BACKLOG };
    let says = format!("{length} packets per core; {dropped} packets were dropped since boot");
    Finding::new("backlog", Grade::CouldBeBetter, says).sysctl(NAME, better)
}

/// Sums the second column of `/proc/net/softnet_stat`, which has one line per core.
fn dropped(system: &System) -> Option<u64> {
    let text = system.text("proc/net/softnet_stat")?;
    let column = |line: &str| u64::from_str_radix(line.split_ascii_whitespace().nth(1)?, 16).ok();
    Some(text.lines().filter_map(column).sum())
}

/// Memory of all UDP sockets together.
pub(super) fn udp_memory(system: &System, needed: SocketUse) -> Finding {
    const NAME: &str = "net.ipv4.udp_mem";
    let page = rustix::param::page_size() as u64;
    let values: Option<Vec<u64>> = system
        .sysctl(NAME)
        .map(|text| text.split_ascii_whitespace().filter_map(|word| word.parse().ok()).collect());
    let Some([_, _, most]) = values.as_deref() else {
        return Finding::unknown("UDP memory", format!("{NAME} is not visible here"));
    };
    // A receive buffer counts twice its requested size.
    let SocketUse { sockets, receive_buffers, .. } = needed;
    let wanted = 2 * receive_buffers;
    let allowed = most.saturating_mul(page);
    if allowed >= wanted {
        return Finding::good(
            "UDP memory",
            format!(
                "{} for all sockets; the server's {sockets} take {} when all are full",
                size(allowed),
                size(wanted)
            ),
        );
    }
    let pages = wanted.div_ceil(page);
    Finding::new(
        "UDP memory",
        Grade::CouldBeBetter,
        format!(
            "{} for all sockets, but the server's {sockets} take {} when all are full; the kernel drops \
             datagrams beyond the limit",
            size(allowed),
            size(wanted)
        ),
    )
    .sysctl(NAME, format_args!("{} {} {pages}", pages / 2, pages / 4 * 3))
}

/// Checks connection tracking: a firewall that uses it has an entry for each transfer.
pub(super) fn conntrack(system: &System, config: &Config) -> Finding {
    const CHECK: &str = "connection tracking";
    const NAME: &str = "net.netfilter.nf_conntrack_max";
    let (Some(most), Some(count)) = (
        system.sysctl(NAME).and_then(|value| value.parse::<u64>().ok()),
        system.sysctl("net.netfilter.nf_conntrack_count").and_then(|value| value.parse::<u64>().ok()),
    ) else {
        // The settings exist once the kernel's module is loaded.
        return match system.has("proc/sys/net") && !system.has("proc/sys/net/netfilter/nf_conntrack_max") {
            true => Finding::good(CHECK, "not in use"),
            false => Finding::unknown(CHECK, "its settings are not visible here"),
        };
    };
    let single_port = config.settings.listeners.iter().all(|listener| listener.single_port);
    // A request and the transfer on another port are two entries.
    let wanted = config.settings.capacity.transfers as u64 * if single_port { 1 } else { 2 };
    if count >= most / 20 * 19 {
        return Finding::new(
            CHECK,
            Grade::Wrong,
            format!("the table is full ({count} of {most}): new transfers are dropped"),
        )
        .sysctl(NAME, most.max(wanted) * 2);
    }
    if most < wanted {
        return Finding::new(
            CHECK,
            Grade::CouldBeBetter,
            format!(
                "{most} entries, but {} transfers take up to {wanted}",
                config.settings.capacity.transfers
            ),
        )
        .sysctl(NAME, wanted.next_power_of_two());
    }
    if !single_port && !system.has("sys/module/nf_conntrack_tftp") {
        let says = format!(
            "{most} entries; a firewall that admits only known connections needs the TFTP helper, or set \
             `single-port: true` in the configuration"
        );
        return Finding::new(CHECK, Grade::CouldBeBetter, says)
            .fix("modprobe nf_conntrack_tftp")
            .fix("iptables -t raw -A PREROUTING -p udp --dport 69 -j CT --helper tftp")
            .permanently("/etc/modules-load.d/tuffet.conf", "nf_conntrack_tftp");
    }
    Finding::good(CHECK, format!("{count} of {most} entries in use; the server needs at most {wanted}"))
}

/// Checks the clock source: some require a system call, or worse, to read the clock.
pub(super) fn clock(system: &System) -> Finding {
    const FOLDER: &str = "/sys/devices/system/clocksource/clocksource0";
    let read = |name: &str| system.text(&format!("{FOLDER}/{name}"));
    let Some(current) = read("current_clocksource") else {
        return Finding::unknown("clock", "the kernel does not name its clock source here");
    };
    if !["hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit"].contains(&current.as_str()) {
        return Finding::good("clock", current);
    }
    let others = read("available_clocksource").unwrap_or_default();
    let says =
        format!("{current} is slow to read, and the server reads the clock for each batch of datagrams");
    let finding = Finding::new("clock", Grade::CouldBeBetter, says);
    let better = ["tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter"];
    match better.iter().find(|name| others.split_ascii_whitespace().any(|other| other == **name)) {
        Some(name) => finding
            .fix(format!("echo {name} > {FOLDER}/current_clocksource"))
            .permanently("/etc/default/grub", format!("GRUB_CMDLINE_LINUX=\"clocksource={name}\"")),
        None => finding,
    }
}

#[cfg(test)]
mod tests {
    use super::super::system::fake;
    use super::*;
    use tuffet_config::Overrides;

    fn config(single_port: bool) -> Config {
        let overrides = Overrides {
            root: Some("/".into()),
            listen: vec!["127.0.0.1:6969".into()],
            single_port,
            ..Overrides::default()
        };
        Config::from_flags(&overrides).unwrap()
    }

    #[test]
    fn buffers_are_judged_for_every_user() {
        let snmp = "Udp: InDatagrams RcvbufErrors\nUdp: 900 17\nUdpLite: InDatagrams\nUdpLite: 0\n";
        let (_folder, small) = fake(&[("proc/sys/net/core/rmem_max", "212992\n"), ("proc/net/snmp", snmp)]);
        let root = Some(Granted { receive: 8 << 20, send: 8 << 20 });
        let user = Some(Granted { receive: 212_992, send: 212_992 });
        for (granted, words) in
            [(root, "without CAP_NET_ADMIN gets 208 KiB"), (user, "gets 208 KiB of the requested 8 MiB")]
        {
            let found = receive_buffers(&small, &granted);
            assert_eq!(found.grade, Grade::CouldBeBetter);
            assert!(found.says.contains(words) && found.says.contains("17 datagrams"), "{}", found.says);
            assert_eq!(found.commands, ["sysctl -w net.core.rmem_max='8388608'"]);
        }
        let (_folder, large) = fake(&[("proc/sys/net/core/wmem_max", "8388608")]);
        assert_eq!(send_buffers(&large, &user).grade, Grade::Good);
    }

    #[test]
    fn a_backlog_that_overflowed_is_raised() {
        let files =
            |stat| [("proc/sys/net/core/netdev_max_backlog", "4000"), ("proc/net/softnet_stat", stat)];
        let (_folder, quiet) = fake(&files("00ff 00000000 0\n00ff 00000000 0\n"));
        assert_eq!(backlog(&quiet).grade, Grade::Good);
        let (_folder, full) = fake(&files("00ff 00000000 0\n00ff 0000000a 0\n"));
        let found = backlog(&full);
        assert!(found.says.contains("10 packets were dropped"), "{}", found.says);
        assert_eq!(found.commands, ["sysctl -w net.core.netdev_max_backlog='8000'"]);
    }

    #[test]
    fn what_is_not_visible_is_not_good() {
        let (_folder, system) = fake(&[]);
        let found = [
            receive_buffers(&system, &None),
            send_buffers(&system, &None),
            backlog(&system),
            udp_memory(&system, SocketUse { sockets: 10, listening: 2, receive_buffers: 1 }),
            clock(&system),
        ];
        assert_eq!(found.map(|finding| finding.grade), [Grade::Unknown; 5]);
        let (_folder, half) = fake(&[("proc/sys/net/core/netdev_max_backlog", "4000")]);
        assert_eq!(backlog(&half).grade, Grade::Unknown);
    }

    #[test]
    fn memory_of_udp_is_compared_with_the_sockets() {
        let (_folder, system) = fake(&[("proc/sys/net/ipv4/udp_mem", "1000 2000 40960\n")]);
        let room = 40_960 * rustix::param::page_size() as u64 / 2;
        let needed = |receive_buffers| SocketUse { sockets: 10, listening: 2, receive_buffers };
        assert_eq!(udp_memory(&system, needed(room)).grade, Grade::Good);
        let found = udp_memory(&system, needed(room + 1));
        assert_eq!(found.grade, Grade::CouldBeBetter);
        assert!(found.commands[0].starts_with("sysctl -w net.ipv4.udp_mem='"), "{:?}", found.commands);
    }

    #[test]
    fn connection_tracking() {
        let table = |most, count| {
            fake(&[
                ("proc/sys/net/netfilter/nf_conntrack_max", most),
                ("proc/sys/net/netfilter/nf_conntrack_count", count),
            ])
        };
        assert_eq!(conntrack(&fake(&[]).1, &config(false)).grade, Grade::Unknown);
        let (_folder, unused) = fake(&[("proc/sys/net/core/rmem_max", "212992")]);
        assert_eq!(conntrack(&unused, &config(false)).grade, Grade::Good);
        let (_folder, half) = fake(&[("proc/sys/net/netfilter/nf_conntrack_max", "262144")]);
        assert_eq!(conntrack(&half, &config(false)).grade, Grade::Unknown);
        let (_folder, full) = table("1000", "999");
        assert_eq!(conntrack(&full, &config(true)).grade, Grade::Wrong);
        let (_folder, few) = table("1000", "9");
        let found = conntrack(&few, &config(true));
        assert_eq!((found.grade, found.commands.len()), (Grade::CouldBeBetter, 1));
        let (_folder, many) = table("262144", "9");
        assert_eq!(conntrack(&many, &config(true)).grade, Grade::Good);
        let found = conntrack(&many, &config(false));
        assert_eq!(
            (found.grade, found.commands[0].as_str()),
            (Grade::CouldBeBetter, "modprobe nf_conntrack_tftp")
        );
    }

    #[test]
    fn a_slow_clock_is_named_and_a_quick_one_offered() {
        let clock_of = |current, available| {
            const FOLDER: &str = "sys/devices/system/clocksource/clocksource0";
            let (current_file, available_file) =
                (format!("{FOLDER}/current_clocksource"), format!("{FOLDER}/available_clocksource"));
            let (_folder, system) = fake(&[(&current_file, current), (&available_file, available)]);
            clock(&system)
        };
        assert_eq!(clock_of("tsc\n", "tsc hpet\n").grade, Grade::Good);
        let found = clock_of("hpet\n", "tsc hpet acpi_pm\n");
        assert_eq!(found.grade, Grade::CouldBeBetter);
        assert!(found.commands[0].starts_with("echo tsc > /sys/"), "{:?}", found.commands);
    }
}
