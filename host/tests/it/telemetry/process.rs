//! Metrics of the process itself.

use super::exposition::Exposition;
use crate::harness::{Client, Options, Setup, is_root};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

/// A server that root started and that has dropped its privileges: seccomp and Landlock are in force, and its folder in
/// /proc belongs to root.
#[test]
fn what_the_process_uses_is_what_the_kernel_counts() {
    const KIB: f64 = 1024.0;
    let setup = Setup::new().file("a", b"content").workers(2).user(is_root().then_some("65534"));
    std::fs::set_permissions(setup.outside().0, Permissions::from_mode(0o755)).unwrap();
    let server = setup.start();
    assert_eq!(server.logged("dropped privileges")["seccomp"], "filter");
    Client::Tuffet.get(server.address(), "a", Options::default());
    let read = Exposition::read(&server.metrics());
    let value = |name: &str| read.value(name, &[]);
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
    let of_status = |key: &str| -> f64 {
        let line = status.lines().find_map(|line| line.strip_prefix(key)).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    };
    let near = |what: &str, metric: f64, truth: f64| {
        assert!(
            metric > truth * 0.8 && metric < truth * 1.25,
            "{what}: {metric}, and the kernel counts {truth}"
        );
    };
    near("resident", value("process_resident_memory_bytes"), KIB * of_status("VmRSS:"));
    near("virtual", value("process_virtual_memory_bytes"), KIB * of_status("VmSize:"));
    near("threads", value("process_threads"), of_status("Threads:"));
    // One is the connection that asked.
    near("descriptors", value("process_open_fds"), server.descriptors() as f64);
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", server.id())).unwrap();
    let limit = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
    assert_eq!(value("process_max_fds"), limit.split_whitespace().nth(3).unwrap().parse::<f64>().unwrap());
    let cpu = server.cpu_time().as_secs_f64();
    let counted = value("process_cpu_seconds_total");
    assert!(counted > 0.0 && counted <= cpu && counted > cpu - 2.0, "{counted} of {cpu} s");
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs_f64();
    let started = value("process_start_time_seconds");
    assert!(started <= now && started > now - 600.0, "{started} and it is {now}");
    assert!((started - value("tuffet_start_time_seconds")).abs() < 60.0);
}
