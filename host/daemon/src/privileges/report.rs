//! The privileges of a process, from /proc/PID/status.

use tuffet_server::status::ProcessPrivileges;

/// Returns the privileges of this thread.
pub(super) fn of_this_thread() -> ProcessPrivileges {
    std::fs::read_to_string("/proc/thread-self/status").map(|text| read(&text)).unwrap_or_default()
}

/// Parses a status file; missing entries count as none.
pub fn read(status: &str) -> ProcessPrivileges {
    let value = |key: &str| status.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default();
    // The fields are the real, effective, saved and file system ID.
    let effective = |key| value(key).split_whitespace().nth(1).and_then(|id| id.parse().ok());
    let hex = |key| u64::from_str_radix(value(key).trim(), 16).unwrap_or(0);
    let number = |key| value(key).trim().parse().unwrap_or(0);
    ProcessPrivileges {
        uid: effective("Uid:").unwrap_or_default(),
        gid: effective("Gid:").unwrap_or_default(),
        groups: value("Groups:").split_whitespace().filter_map(|id| id.parse().ok()).collect(),
        capabilities: hex("CapEff:") | hex("CapPrm:") | hex("CapInh:") | hex("CapAmb:"),
        no_new_privs: number("NoNewPrivs:") == 1,
        seccomp: number("Seccomp:"),
    }
}

/// Returns the name of the user, or its number.
pub fn user(held: &ProcessPrivileges) -> String {
    let user = nix::unistd::User::from_uid(held.uid.into()).ok().flatten();
    user.map_or_else(|| held.uid.to_string(), |user| user.name)
}

pub(super) fn groups(held: &ProcessPrivileges) -> String {
    held.groups.iter().map(u32::to_string).collect::<Vec<_>>().join(" ")
}

/// Returns the names of the capabilities, or `none`.
pub fn capabilities(held: &ProcessPrivileges) -> String {
    if held.capabilities == 0 {
        return "none".into();
    }
    let all = caps::all();
    let mut names: Vec<String> = all
        .iter()
        .filter(|capability| held.capabilities & capability.bitmask() != 0)
        .map(|capability| capability.to_string().to_ascii_lowercase())
        .collect();
    names.sort();
    names.join(" ")
}

pub(super) fn seccomp(held: &ProcessPrivileges) -> &'static str {
    match held.seccomp {
        0 => "none",
        1 => "strict",
        _ => "filter",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_file_is_read() {
        let held = read(
            "Name:\ttuffet\nUid:\t1000\t65534\t65534\t65534\nGid:\t0\t65534\t65534\t65534\nGroups:\t4 24 \n\
             CapInh:\t0000000000000000\nCapPrm:\t0000000000000400\nCapEff:\t0000000000000000\nNoNewPrivs:\t1\n\
             Seccomp:\t2\nSeccomp_filters:\t2\n",
        );
        assert_eq!((held.uid, held.gid, held.groups.as_slice()), (65534, 65534, &[4, 24][..]));
        assert_eq!(capabilities(&held), "cap_net_bind_service");
        assert!(held.no_new_privs && seccomp(&held) == "filter");
        assert_eq!(capabilities(&read("")), "none");
    }
}
