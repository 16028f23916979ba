//! The system calls that the server needs (seccomp). Any other fails with EPERM: the server cannot execute a
//! program, mount, trace, load anything into the kernel, or open sockets of other families.
//!
//! The processes that compile plugins have separate filters ([`Role`]).
//!
//! The filter does not kill: a library handles an error, but a killed server is an outage.

use libc as c;
use seccompiler::SeccompCmpArgLen::Dword;
use seccompiler::SeccompCmpOp::{Eq, MaskedEq};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
    apply_filter_all_threads,
};
use std::collections::BTreeMap;
use tuffet_config::SeccompMode;

/// Whether a filter exists for this processor.
pub const HAS_FILTER: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// The process that a filter is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The server.
    Server,
    /// The process that starts compilers: it starts programs, and opens no sockets. Its children inherit the filter, so
    /// it also allows the calls with which they restrict themselves.
    Starter,
    /// A compiler: no programs, no sockets.
    Compiler,
}

/// Calls allowed with any arguments.
#[rustfmt::skip]
const ALLOWED: &[i64] = &[
    // Blocks.
    c::SYS_recvmmsg, c::SYS_recvmsg, c::SYS_recvfrom, c::SYS_sendmmsg, c::SYS_sendmsg, c::SYS_sendto,
    c::SYS_preadv, c::SYS_preadv2, c::SYS_pwritev, c::SYS_pwritev2, c::SYS_pread64, c::SYS_pwrite64,
    c::SYS_epoll_create1, c::SYS_epoll_ctl, c::SYS_epoll_pwait, c::SYS_epoll_pwait2,
    // Other sockets; their families are restricted below.
    c::SYS_bind, c::SYS_connect, c::SYS_listen, c::SYS_accept4, c::SYS_accept, c::SYS_shutdown,
    c::SYS_getsockname, c::SYS_getpeername, c::SYS_getsockopt, c::SYS_setsockopt, c::SYS_socketpair,
    // Files.
    c::SYS_read, c::SYS_write, c::SYS_readv, c::SYS_writev, c::SYS_lseek, c::SYS_openat, c::SYS_openat2,
    c::SYS_close, c::SYS_close_range, c::SYS_fstat, c::SYS_newfstatat, c::SYS_statx, c::SYS_statfs,
    c::SYS_fstatfs, c::SYS_faccessat, c::SYS_faccessat2, c::SYS_readlinkat, c::SYS_getdents64,
    c::SYS_getcwd, c::SYS_fcntl, c::SYS_flock, c::SYS_fsync, c::SYS_fdatasync, c::SYS_sync_file_range,
    c::SYS_ftruncate, c::SYS_fallocate, c::SYS_fadvise64, c::SYS_mkdirat, c::SYS_unlinkat, c::SYS_linkat,
    c::SYS_renameat2, c::SYS_fchmod, c::SYS_fchmodat, c::SYS_utimensat, c::SYS_copy_file_range,
    // Attributes that an upload copies from the file that it replaces; only of open files.
    c::SYS_fchown, c::SYS_flistxattr, c::SYS_fgetxattr, c::SYS_fsetxattr, c::SYS_fremovexattr,
    // The access control list of a file that may not be read, to say why.
    c::SYS_getxattr,
    c::SYS_dup, c::SYS_dup3, c::SYS_pipe2, c::SYS_eventfd2, c::SYS_umask,
    c::SYS_timerfd_create, c::SYS_timerfd_settime,
    // Memory; executable memory is restricted below.
    c::SYS_munmap, c::SYS_mremap, c::SYS_madvise, c::SYS_brk, c::SYS_mincore, c::SYS_memfd_create,
    c::SYS_membarrier, c::SYS_mlock, c::SYS_munlock, c::SYS_msync,
    // Threads and time; starting threads is restricted below.
    c::SYS_futex, c::SYS_set_robust_list, c::SYS_get_robust_list, c::SYS_rseq, c::SYS_set_tid_address,
    c::SYS_exit, c::SYS_exit_group, c::SYS_restart_syscall, c::SYS_sched_yield, c::SYS_sched_getaffinity,
    c::SYS_sched_getparam, c::SYS_sched_getscheduler, c::SYS_getpriority, c::SYS_setpriority, c::SYS_getcpu,
    c::SYS_clock_gettime, c::SYS_clock_getres, c::SYS_clock_nanosleep, c::SYS_nanosleep, c::SYS_gettimeofday,
    c::SYS_getrandom, c::SYS_ppoll, c::SYS_pselect6,
    // Signals, only to itself; see below.
    c::SYS_rt_sigaction, c::SYS_rt_sigprocmask, c::SYS_rt_sigreturn, c::SYS_rt_sigtimedwait,
    c::SYS_rt_sigpending, c::SYS_sigaltstack,
    // Identity and system.
    c::SYS_getpid, c::SYS_gettid, c::SYS_getppid, c::SYS_getuid, c::SYS_geteuid, c::SYS_getgid,
    c::SYS_getegid, c::SYS_getresuid, c::SYS_getresgid, c::SYS_getgroups, c::SYS_capget, c::SYS_uname,
    c::SYS_sysinfo, c::SYS_getrusage, c::SYS_times,
    // Waiting for the process that starts compilers.
    c::SYS_wait4, c::SYS_waitid,
];

/// Older calls of this processor.
#[rustfmt::skip]
#[cfg(target_arch = "x86_64")]
const OLDER_CALLS: &[i64] = &[
    c::SYS_epoll_wait, c::SYS_epoll_create, c::SYS_poll, c::SYS_select, c::SYS_open, c::SYS_stat,
    c::SYS_lstat, c::SYS_access, c::SYS_readlink, c::SYS_mkdir, c::SYS_rmdir, c::SYS_unlink, c::SYS_rename,
    c::SYS_renameat, c::SYS_link, c::SYS_chmod, c::SYS_pipe, c::SYS_dup2, c::SYS_eventfd, c::SYS_time,
    c::SYS_getdents, c::SYS_arch_prctl,
];
#[cfg(target_arch = "aarch64")]
const OLDER_CALLS: &[i64] = &[c::SYS_renameat];
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const OLDER_CALLS: &[i64] = &[];

/// The socket families: clients, the control socket, the kernel's neighbour table.
const FAMILIES: [i32; 4] = [c::AF_INET, c::AF_INET6, c::AF_UNIX, c::AF_NETLINK];

/// Allowed requests to devices and sockets: detecting a terminal, the number of readable bytes, non-blocking mode,
/// interfaces, the pages that a plugin touched.
#[allow(clippy::unnecessary_cast)] // with other C libraries these are `c_int`
const IOCTLS: [u64; 9] = [
    c::TCGETS as u64,
    c::TIOCGWINSZ as u64,
    c::FIONBIO as u64,
    c::FIONREAD as u64,
    c::TIOCOUTQ as u64,
    c::FIOCLEX as u64,
    c::SIOCGIFINDEX as u64,
    c::SIOCGIFNAME as u64,
    PAGEMAP_SCAN,
];
/// `_IOWR('f', 16, struct pm_scan_arg)`.
const PAGEMAP_SCAN: u64 = 0xc060_6610;

const PR_SET_VMA: i32 = 0x5356_4d41;
const PRCTLS: [i32; 6] =
    [c::PR_SET_NAME, c::PR_GET_NAME, c::PR_SET_DUMPABLE, c::PR_GET_DUMPABLE, c::PR_CAPBSET_READ, PR_SET_VMA];

/// Calls of the starter: run programs, wait for them, end them.
const STARTER_CALLS: [i64; 5] =
    [c::SYS_execve, c::SYS_clone, c::SYS_kill, c::SYS_pidfd_open, c::SYS_pidfd_send_signal];
/// Calls with which a compiler restricts itself: limits, Landlock rules, filter.
const CHILD_CALLS: [i64; 5] = [
    c::SYS_prlimit64,
    c::SYS_seccomp,
    c::SYS_landlock_create_ruleset,
    c::SYS_landlock_add_rule,
    c::SYS_landlock_restrict_self,
];
const CHILD_PRCTLS: [i32; 2] = [c::PR_SET_PDEATHSIG, c::PR_SET_NO_NEW_PRIVS];

/// Calls that open sockets.
const SOCKET_CALLS: [i64; 6] =
    [c::SYS_socket, c::SYS_bind, c::SYS_connect, c::SYS_listen, c::SYS_accept, c::SYS_accept4];

/// Calls newer than this list. Libraries try them and fall back to older ones if the kernel lacks them.
/// `clone3` has its arguments in memory, which no filter sees.
const NEWER_CALLS: std::ops::Range<i64> = 442..500;

/// Installs the filter for all threads, permanently.
///
/// # Errors
/// Why the kernel refuses it.
pub(super) fn filter(mode: SeccompMode, role: Role) -> Result<(), String> {
    if !HAS_FILTER {
        return Err("there is no filter for this processor".into());
    }
    let default_action = match mode {
        SeccompMode::Log => SeccompAction::Log,
        SeccompMode::On | SeccompMode::Off => SeccompAction::Errno(c::EPERM as u32),
    };
    let of = |rules, mismatch, matches| -> Result<BpfProgram, seccompiler::Error> {
        let arch: TargetArch = std::env::consts::ARCH.try_into()?;
        Ok(SeccompFilter::new(rules, mismatch, matches, arch)?.try_into()?)
    };
    let put = || -> Result<(), seccompiler::Error> {
        // Two filters with one action each; the more severe action wins.
        let unavailable = unavailable(role);
        let main = of(allowed(role, unavailable.keys().copied())?, default_action, SeccompAction::Allow)?;
        let absent = of(unavailable, SeccompAction::Allow, SeccompAction::Errno(c::ENOSYS as u32))?;
        apply_filter_all_threads(&absent)?;
        apply_filter_all_threads(&main)
    };
    put().map_err(|error| error.to_string())
}

fn unavailable(role: Role) -> Rules {
    let calls = NEWER_CALLS.chain([c::SYS_clone3]);
    let calls = calls.filter(|call| role != Role::Starter || !CHILD_CALLS.contains(call));
    calls.map(|call| (call, Vec::new())).collect()
}

fn allowed(role: Role, decided_elsewhere: impl Iterator<Item = i64>) -> Result<Rules, seccompiler::Error> {
    let any = ALLOWED.iter().chain(OLDER_CALLS).copied().chain(decided_elsewhere);
    let mut rules: Rules = any.map(|call| (call, Vec::new())).collect();
    let own = u64::from(std::process::id());
    let families = FAMILIES.map(|family| is(0, Eq, family as u64));
    let ioctls = IOCTLS.map(|what| is(1, Eq, what));
    let prctls = PRCTLS.map(|what| is(0, Eq, what as u64));
    rules.insert(c::SYS_socket, rules_of(families)?);
    rules.insert(c::SYS_ioctl, rules_of(ioctls)?);
    rules.insert(c::SYS_prctl, rules_of(prctls)?);
    // Memory is writable or executable, never both.
    let both = (c::PROT_WRITE | c::PROT_EXEC) as u64;
    let one = [0, c::PROT_WRITE as u64, c::PROT_EXEC as u64];
    for call in [c::SYS_mmap, c::SYS_mprotect] {
        rules.insert(call, rules_of(one.map(|bits| is(2, MaskedEq(both), bits)))?);
    }
    // Only threads, no processes.
    let thread = c::CLONE_THREAD as u64;
    rules.insert(c::SYS_clone, rules_of([is(0, MaskedEq(thread), thread)])?);
    for call in [c::SYS_tgkill, c::SYS_kill] {
        rules.insert(call, rules_of([is(0, Eq, own)])?);
    }
    // Limits can be read, not changed.
    let no_new = SeccompCondition::new(2, seccompiler::SeccompCmpArgLen::Qword, Eq, 0);
    rules.insert(c::SYS_prlimit64, rules_of([no_new])?);
    if role != Role::Server {
        rules.retain(|call, _| !SOCKET_CALLS.contains(call));
    }
    if role == Role::Starter {
        rules.extend(STARTER_CALLS.iter().chain(&CHILD_CALLS).map(|call| (*call, Vec::new())));
        let prctls = PRCTLS.iter().chain(&CHILD_PRCTLS);
        let prctls = prctls.map(|what| Ok(SeccompRule::new(vec![is(0, Eq, *what as u64)?])?));
        rules.insert(c::SYS_prctl, prctls.collect::<Result<_, seccompiler::Error>>()?);
    }
    Ok(rules)
}

type Condition = Result<SeccompCondition, seccompiler::BackendError>;

fn is(argument: u8, how: SeccompCmpOp, value: u64) -> Condition {
    SeccompCondition::new(argument, Dword, how, value)
}

/// Matches any of the conditions.
fn rules_of<const N: usize>(conditions: [Condition; N]) -> Result<Vec<SeccompRule>, seccompiler::Error> {
    conditions.into_iter().map(|condition| Ok(SeccompRule::new(vec![condition?])?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::ErrorKind;
    use std::process::Command;

    /// Run by the test below in a child process, because the filter is permanent.
    #[test]
    #[ignore = "a filter is permanent: `a_filtered_process_serves_and_starts_nothing` runs it"]
    fn filtered() {
        filter(SeccompMode::On, Role::Server).unwrap();
        let error = Command::new("/bin/true").spawn().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::PermissionDenied, "{error}");
        let packets = socket2::Socket::new(socket2::Domain::PACKET, socket2::Type::DGRAM, None);
        assert_eq!(packets.unwrap_err().kind(), ErrorKind::PermissionDenied);
        std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        let content = std::thread::spawn(|| std::fs::read("/proc/self/status").unwrap()).join().unwrap();
        assert!(!content.is_empty());
        let pages = rustix::process::getrlimit(rustix::process::Resource::Nofile);
        assert!(rustix::process::setrlimit(rustix::process::Resource::Nofile, pages).is_err());
        println!("filtered to the end");
    }

    #[test]
    fn a_filtered_process_serves_and_starts_nothing() {
        if !HAS_FILTER {
            return;
        }
        let own = std::env::current_exe().unwrap();
        let test = concat!(module_path!(), "::filtered");
        let test = test.split_once("::").unwrap().1;
        let words = ["--exact", test, "--ignored", "--nocapture"];
        let ran = Command::new(own).args(words).output().unwrap();
        let said = String::from_utf8_lossy(&ran.stdout);
        assert!(ran.status.success() && said.contains("filtered to the end"), "{said}");
    }

    #[test]
    fn nothing_that_starts_mounts_or_traces_is_allowed() {
        let of = |role| allowed(role, unavailable(role).keys().copied()).unwrap();
        let rules = of(Role::Server);
        #[rustfmt::skip]
        let dangerous = [
            c::SYS_execve, c::SYS_execveat, c::SYS_ptrace, c::SYS_mount, c::SYS_umount2, c::SYS_bpf,
            c::SYS_keyctl, c::SYS_add_key, c::SYS_unshare, c::SYS_setns, c::SYS_process_vm_readv,
            c::SYS_io_uring_setup, c::SYS_userfaultfd, c::SYS_perf_event_open, c::SYS_setuid, c::SYS_capset,
            c::SYS_init_module, c::SYS_finit_module, c::SYS_kexec_load, c::SYS_reboot, c::SYS_chroot,
            c::SYS_pivot_root, c::SYS_open_by_handle_at, c::SYS_settimeofday, c::SYS_clock_settime,
            c::SYS_personality, c::SYS_mknodat, c::SYS_symlinkat, c::SYS_fchownat, c::SYS_seccomp,
        ];
        for call in dangerous {
            assert!(!rules.contains_key(&call), "{call}");
        }
        assert!(!rules[&c::SYS_clone].is_empty() && !rules[&c::SYS_socket].is_empty());
        assert!(unavailable(Role::Server).contains_key(&c::SYS_clone3));

        // The processes that compile open no sockets, and only their starter starts programs.
        let (starter, compiler) = (of(Role::Starter), of(Role::Compiler));
        let in_starter = dangerous.iter().filter(|call| starter.contains_key(call));
        assert_eq!(in_starter.collect::<Vec<_>>(), [&c::SYS_execve, &c::SYS_seccomp]);
        assert!(!dangerous.iter().any(|call| compiler.contains_key(call)));
        assert!(SOCKET_CALLS.iter().all(|call| !starter.contains_key(call) && !compiler.contains_key(call)));
        assert!(!compiler[&c::SYS_clone].is_empty() && !compiler[&c::SYS_kill].is_empty());
        assert!(!compiler[&c::SYS_prlimit64].is_empty() && !starter[&c::SYS_prctl].is_empty());
    }
}
