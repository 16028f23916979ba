//! Checks dropped privileges: the kernel's support, the server's user, and the privileges of a running server.

use super::finding::{Finding, Grade};
use super::system::System;
use std::io;
use tuffet_config::{Config, SeccompMode};
use tuffet_daemon::privileges::{self, Account, HAS_SYSCALL_FILTER, landlock_here};
use tuffet_daemon::{Reply, send_command};
use tuffet_server::status::{ProcessPrivileges, Reason, RemainingPrivileges, Report};
use tuffet_store::SecurityLabel;

/// Checks the filter of system calls.
pub(super) fn seccomp(system: &System, config: &Config) -> Finding {
    const CHECK: &str = "filter of system calls";
    if config.privileges.seccomp == SeccompMode::Off {
        return Finding::new(CHECK, Grade::CouldBeBetter, "`privileges.seccomp` is off");
    }
    if !HAS_SYSCALL_FILTER {
        return lacking(config, CHECK, "there is none for this processor (x86_64 and aarch64 have one)");
    }
    match system.sysctl("kernel.seccomp.actions_avail") {
        Some(actions) if actions.split(' ').any(|action| action == "errno") => {
            Finding::good(CHECK, "the kernel has it (seccomp); system calls that serving does not need fail")
        }
        _ => lacking(config, CHECK, "this kernel has no seccomp (CONFIG_SECCOMP_FILTER)"),
    }
}

/// Checks the sandbox rules for files.
pub(super) fn landlock(config: &Config) -> Finding {
    const CHECK: &str = "bounds of files";
    if !config.privileges.landlock {
        return Finding::new(CHECK, Grade::CouldBeBetter, "`privileges.landlock` is off");
    }
    match landlock_here() {
        Ok(version) => Finding::good(CHECK, format!("the kernel has Landlock, version {version}")),
        Err(why) => lacking(config, CHECK, &format!("no Landlock: {why}")),
    }
}

fn lacking(config: &Config, check: &str, why: &str) -> Finding {
    if config.privileges.require {
        let says = format!("{why}, and with `privileges.require` no server starts without it");
        return Finding::new(check, Grade::Wrong, says);
    }
    Finding::new(check, Grade::CouldBeBetter, format!("{why}; the server runs without it"))
}

/// Reports the user of a server started by root.
pub(super) fn user(account: Option<&Account>) -> Finding {
    const CHECK: &str = "user of the server";
    match account {
        None => Finding::good(CHECK, "the user who starts it; root would switch to another user"),
        Some(account) if account.uid.is_root() => {
            let says =
                "started by root, it stays root without capabilities, and can still access root's files";
            Finding::new(CHECK, Grade::CouldBeBetter, says).fix("useradd --system tuffet")
        }
        Some(account) => {
            let says = format!("started by root, it switches to {} ({})", account.name, account.uid);
            Finding::good(CHECK, says)
        }
    }
}

/// Returns the running server's report; `None` if none runs.
///
/// # Errors
/// A server may run, but this user may not connect to it.
pub(super) fn report_of(config: &Config) -> Result<Option<Report>, Box<Finding>> {
    let Some(socket) = config.control.as_deref() else { return Ok(None) };
    match send_command(socket, "status") {
        Ok(Reply::Status(report)) => Ok(Some(*report)),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            let says = format!(
                "only root and the server's user may connect to {}; whether a server runs, and with which \
                 privileges and limits, is not visible",
                socket.display()
            );
            Err(Box::new(Finding::unknown("server that runs", says)))
        }
        _ => Ok(None),
    }
}

/// Checks the privileges of the running server, in each of its threads.
pub(super) fn running(system: &System, report: &Report) -> Finding {
    judge(report.process, &report.privileges, &threads(system, report.process))
}

/// Reports the security module that confines the running server: unless it confines this process likewise, other checks do
/// not see what it refuses.
pub(super) fn confinement(system: &System, process: u32) -> Option<Finding> {
    let label = |process: &str| SecurityLabel::parse(&system.text(&format!("proc/{process}/attr/current"))?);
    if !is_server(system, process) || system.text("sys/fs/selinux/enforce").as_deref() == Some("0") {
        return None;
    }
    let of_server = label(&process.to_string())?;
    // `unconfined_service_t` in the policy of RHEL.
    if matches!(&of_server, SecurityLabel::Selinux(domain) if domain.starts_with("unconfined")) {
        return None;
    }
    let check = "security module of the server that runs";
    if label("self").as_ref() == Some(&of_server) {
        return Some(Finding::good(check, format!("the {of_server} holds for it, and for this check")));
    }
    let says = format!(
        "the {of_server} holds for it, and not for this check, which does not see what is refused to the server: \
         `tuffet explain --live NAME` asks the server about a file"
    );
    Some(Finding::unknown(check, says))
}

/// Reports the state of the running server, as it tells it.
pub(super) fn state(report: &Report) -> Vec<Finding> {
    let process = report.process;
    let finding = |reason: &Reason, grade| {
        Finding::new(format!("{} of the server that runs", reason.check), grade, reason.detail.clone())
    };
    let wrong = report.state.reasons.iter().map(|reason| match &*reason.check {
        "starting" | "draining" => finding(reason, Grade::Unknown),
        _ => finding(reason, Grade::Wrong),
    });
    let degraded = report.state.degraded.iter().map(|reason| finding(reason, Grade::CouldBeBetter));
    let all: Vec<Finding> = wrong.chain(degraded).collect();
    if !all.is_empty() {
        return all;
    }
    let says = format!("it is ready: everything that its configuration names is served (process {process})");
    vec![Finding::good("state of the server that runs", says)]
}

/// Returns the privileges of the threads; empty if the process is in another namespace or not readable.
fn threads(system: &System, process: u32) -> Vec<ProcessPrivileges> {
    if !is_server(system, process) {
        return Vec::new();
    }
    let folder = format!("proc/{process}/task");
    let status = |thread: String| system.text(&format!("{folder}/{thread}/status"));
    system.names(&folder).into_iter().filter_map(status).map(|text| privileges::read_status(&text)).collect()
}

/// Returns whether this process of this namespace is a server.
fn is_server(system: &System, process: u32) -> bool {
    system.text(&format!("proc/{process}/comm")).as_deref() == Some("tuffet")
}

fn judge(process: u32, left: &RemainingPrivileges, threads: &[ProcessPrivileges]) -> Finding {
    let check = format!("server that runs (process {process})");
    let seen = if threads.is_empty() { std::slice::from_ref(&left.held) } else { threads };
    let mut wrong = Vec::new();
    let any = |is: fn(&ProcessPrivileges) -> bool| seen.iter().any(is);
    if any(|held| held.capabilities != 0) {
        wrong.push("it holds capabilities".to_owned());
    }
    if any(|held| held.uid == 0) {
        wrong.push("it is root".to_owned());
    }
    if any(|held| !held.no_new_privs) {
        wrong.push("it could regain privileges".to_owned());
    }
    if any(|held| held.seccomp != 2) {
        wrong.push("its system calls are not filtered".to_owned());
    }
    if left.landlock_rules.is_none() {
        wrong.push("its file access is not restricted (Landlock)".to_owned());
    }
    let who = format!(
        "user {}, capabilities {}",
        privileges::user(&left.held),
        privileges::capabilities(&left.held)
    );
    if wrong.is_empty() {
        let rules = left.landlock_rules.unwrap_or_default();
        let version = left.landlock_abi.unwrap_or_default();
        let says = format!("{who}, no-new-privs, seccomp, Landlock (version {version}, {rules} rules)");
        return Finding::good(check, says);
    }
    Finding::new(check, Grade::CouldBeBetter, format!("{who}; {}", wrong.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::super::system::fake;
    use super::*;

    #[test]
    fn a_module_that_confines_the_server_alone_hides_its_refusals() {
        let confined = |server: &str, own: &str, enforces: &str| {
            let (_folder, system) = fake(&[
                ("proc/9/comm", "tuffet\n"),
                ("proc/9/attr/current", server),
                ("proc/self/attr/current", own),
                ("sys/fs/selinux/enforce", enforces),
            ]);
            confinement(&system, 9)
        };
        let found = confined("tuffet (enforce)\n", "unconfined\n", "").unwrap();
        assert!(found.grade == Grade::Unknown && found.says.contains("explain --live"), "{}", found.says);
        assert!(
            found.says.starts_with("the AppArmor profile `tuffet` holds for it, and not"),
            "{}",
            found.says
        );
        let found = confined("tuffet (enforce)\n", "tuffet (enforce)\n", "").unwrap();
        assert_eq!(
            (found.grade, &*found.says),
            (Grade::Good, "the AppArmor profile `tuffet` holds for it, and for this check")
        );
        assert!(confined("unconfined\n", "unconfined\n", "").is_none());
        let (server, own) = ("system_u:system_r:tftpd_t:s0\0", "root:sysadm_r:sysadm_t:s0\0");
        assert!(confined(server, own, "1").unwrap().says.contains("SELinux domain `tftpd_t`"));
        assert!(confined(server, own, "0").is_none(), "it only records");
        let server = "system_u:system_r:unconfined_service_t:s0\0";
        assert!(confined(server, own, "1").is_none(), "nothing is refused");
    }

    #[test]
    fn each_thread_counts() {
        let good = ProcessPrivileges {
            uid: 65534,
            gid: 65534,
            no_new_privs: true,
            seccomp: 2,
            ..ProcessPrivileges::default()
        };
        let left = RemainingPrivileges {
            held: good.clone(),
            landlock_abi: Some(7),
            landlock_rules: Some(30),
            lacking: vec![],
        };
        assert_eq!(judge(1, &left, &[good.clone(), good.clone()]).grade, Grade::Good);
        assert_eq!(judge(1, &left, &[]).grade, Grade::Good);
        let one = ProcessPrivileges { capabilities: 1 << 10, ..good.clone() };
        let found = judge(1, &left, &[good.clone(), one]);
        assert!(found.grade == Grade::CouldBeBetter && found.says.contains("capabilities"), "{}", found.says);
        let without = RemainingPrivileges { landlock_rules: None, ..left };
        assert!(judge(1, &without, &[good]).says.contains("Landlock"));
    }
}
