//! A cable of a given rate (`tc tbf`) between this network namespace and one for the server. Dropping it removes it.

use crate::command::succeed;
use crate::install::on_this_machine;
use crate::server::Placement;
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// The time limit of one command.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct Link {
    namespace: String,
    server: Ipv4Addr,
}

impl Link {
    /// # Errors It cannot be created: no root, no `ip` or `tc`, or a kernel without support.
    pub(crate) fn new(mbit: Option<u32>) -> Result<Link, String> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        if !rustix::process::geteuid().is_root() {
            return Err("network namespaces need root".to_owned());
        }
        for tool in ["ip", "tc"] {
            on_this_machine(tool).ok_or_else(|| format!("{tool} is not here: install iproute2"))?;
        }
        remove_left_behind();
        let (process, count) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        // 198.18.0.0/15 is for benchmarks (RFC 2544); each run on this machine uses another part of it.
        let (high, low) = ((process % 250) as u8, (process / 250 % 15 * 16 + count % 4 * 4) as u8);
        let address = |host: u8| Ipv4Addr::new(198, 18, high, low + host);
        let link = Link { namespace: format!("tuffet-{process}-{count}"), server: address(1) };
        let (namespace, device) = (&link.namespace, format!("tb{process}x{}", count % 10));
        let mut steps = vec![
            format!("ip netns add {namespace}"),
            format!("ip link add {device} type veth peer name cable netns {namespace}"),
            format!("ip address add {}/30 dev {device}", address(2)),
            format!("ip -n {namespace} address add {}/30 dev cable", address(1)),
            format!("ip link set {device} up"),
            format!("ip -n {namespace} link set lo up"),
            format!("ip -n {namespace} link set cable up"),
        ];
        if let Some(mbit) = mbit {
            // The kernel's clock ticks often enough for 2 ms of the rate.
            let burst = (u64::from(mbit) * 1_000_000 / 8 / 500).max(16_000);
            let shape = format!("root tbf rate {mbit}mbit burst {burst} latency 50ms");
            steps.push(format!("tc qdisc add dev {device} {shape}"));
            steps.push(format!("tc -n {namespace} qdisc add dev cable {shape}"));
        }
        for step in &steps {
            let mut words = step.split(' ');
            let mut command = Command::new(words.next().unwrap_or_default());
            command.args(words);
            succeed(command, PATIENCE)?;
        }
        Ok(link)
    }

    /// The placement of a server at the other end.
    pub(crate) fn server(&self) -> Placement {
        let behind = ["ip", "netns", "exec", &self.namespace].map(str::to_owned);
        Placement { ip: Some(IpAddr::V4(self.server)), behind: behind.into() }
    }
}

/// Removes the namespaces of killed runs.
fn remove_left_behind() {
    for entry in std::fs::read_dir("/run/netns").into_iter().flatten().flatten() {
        let name = entry.file_name();
        if let Some(process) = name.to_str().and_then(owner)
            && !Path::new(&format!("/proc/{process}")).exists()
        {
            let mut command = Command::new("ip");
            command.args(["netns", "delete"]).arg(&name);
            let _ = succeed(command, PATIENCE);
        }
    }
}

/// The process that created a namespace of this name, if it is one of ours.
fn owner(namespace: &str) -> Option<u32> {
    let (process, count) = namespace.strip_prefix("tuffet-")?.split_once('-')?;
    count.parse::<u32>().ok()?;
    process.parse().ok()
}

impl Drop for Link {
    fn drop(&mut self) {
        // Deleting one end deletes the cable.
        let mut command = Command::new("ip");
        command.args(["netns", "delete", &self.namespace]);
        if let Err(error) = succeed(command, PATIENCE) {
            eprintln!("{} is left behind: {error}", self.namespace);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_own_namespaces_are_removed() {
        assert_eq!(owner("tuffet-4711-2"), Some(4711));
        for other in ["tuffet-4711", "tuffet-lab-1", "tuffet-4711-a", "4711-2", "tuffet-test-4711-2"] {
            assert_eq!(owner(other), None, "{other}");
        }
    }
}
