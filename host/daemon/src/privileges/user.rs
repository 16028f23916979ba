//! The user that the server becomes.

use super::PrivilegeError;
use caps::{CapSet, Capability, has_cap};
use nix::unistd::{Gid, Group, Uid, User, getgrouplist};
use std::ffi::CString;
use tuffet_config::{Privileges, UserOrGroup};

/// The default user of a server started as root, if it exists.
const TUFFET_USER: &str = "tuffet";
/// The default if it does not, as in other TFTP servers.
const FALLBACK_USER: &str = "nobody";
/// The ID of `nobody` without an entry, as in a container without /etc/passwd: the kernel's overflow ID.
const OVERFLOW_ID: u32 = 65534;

/// A user and its groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Its name, or its number if it has none.
    pub name: String,
    /// Its number.
    pub uid: Uid,
    /// Its group.
    pub gid: Gid,
    /// All of its groups.
    pub groups: Vec<Gid>,
}

/// Returns the user to become; `None` if the process cannot change its user, or is that user already.
///
/// # Errors
/// The configured user or group does not exist.
pub fn account_to_become(privileges: &Privileges) -> Result<Option<Account>, PrivilegeError> {
    let account = match (&privileges.user, Uid::effective().is_root()) {
        (Some(user), _) => Some(account(user, "user")?),
        (None, true) => Some(default_account()),
        (None, false) => None,
    };
    let account = match (account, &privileges.group) {
        (Some(account), Some(group)) => {
            let gid = group_of(group)?;
            // The group replaces the user's primary group.
            let groups = account.groups.iter().copied().filter(|other| *other != account.gid);
            Some(Account { groups: groups.chain([gid]).collect(), gid, ..account })
        }
        (account, _) => account,
    };
    let Some(account) = account else { return Ok(None) };
    if Uid::effective().is_root() {
        return match can_become(&account) {
            Ok(()) => Ok(Some(account)),
            Err(why) if privileges.user.is_some() => Err(PrivilegeError::NoAccess(vec![format!(
                "root cannot become the user `{}` here: {why}; or let it stay root, without capabilities: \
                 `user: root`",
                account.name
            )])),
            // For example, in a container without other capabilities.
            Err(why) => {
                tracing::warn!(
                    target: "tuffet::privileges::user",
                    wanted = account.name, "the server stays root, without capabilities: {why}"
                );
                Ok(None)
            }
        };
    }
    if Uid::effective() != account.uid {
        tracing::warn!(
            target: "tuffet::privileges",
            wanted = account.name,
            "the server was not started as root and keeps its user; start it as root, or remove \
             `privileges.user`"
        );
    }
    Ok(None)
}

/// Checks whether root may become this user; the error names the reason and the remedy.
fn can_become(account: &Account) -> Result<(), &'static str> {
    if account.uid.is_root() && account.gid.as_raw() == 0 {
        return Ok(());
    }
    let may = |capability| has_cap(None, CapSet::Effective, capability).unwrap_or(false);
    if !may(Capability::CAP_SETUID) || !may(Capability::CAP_SETGID) {
        return Err("it lacks CAP_SETUID and CAP_SETGID, which may be added");
    }
    let text = |name: &str| std::fs::read_to_string(format!("/proc/self/{name}")).unwrap_or_default();
    // A user namespace may map only some users, or forbid changing groups (user_namespaces(7)).
    if !is_mapped(&text("uid_map"), account.uid.as_raw())
        || !is_mapped(&text("gid_map"), account.gid.as_raw())
    {
        return Err("its namespace has no such user or group; map more of them");
    }
    if text("setgroups").trim() == "deny" {
        return Err("its namespace may not change groups");
    }
    Ok(())
}

/// Parses lines of: first ID inside, first ID outside, count.
fn is_mapped(map: &str, id: u32) -> bool {
    let within = |line: &str| {
        let mut numbers = line.split_whitespace().map(|word| word.parse::<u64>().unwrap_or(0));
        let (first, _, count) = (numbers.next()?, numbers.next()?, numbers.next()?);
        Some((first..first + count).contains(&u64::from(id)))
    };
    map.is_empty() || map.lines().filter_map(within).any(|within| within)
}

/// Returns the default user.
fn default_account() -> Account {
    [TUFFET_USER, FALLBACK_USER]
        .iter()
        .find_map(|name| User::from_name(name).ok().flatten())
        .map_or_else(|| numeric_account(OVERFLOW_ID), from_entry)
}

pub(super) fn account(who: &UserOrGroup, what: &str) -> Result<Account, PrivilegeError> {
    match who {
        UserOrGroup::Number(uid) => {
            let known = User::from_uid(Uid::from_raw(*uid)).ok().flatten();
            Ok(known.map_or_else(|| numeric_account(*uid), from_entry))
        }
        UserOrGroup::Name(name) if name == "root" => Ok(numeric_account(0)),
        UserOrGroup::Name(name) => User::from_name(name).ok().flatten().map(from_entry).ok_or_else(|| {
            PrivilegeError::UnknownUser(format!(
                "`privileges.{what}`: there is no user `{name}`; make it with `useradd --system {name}`, or give a \
                 number"
            ))
        }),
    }
}

fn group_of(who: &UserOrGroup) -> Result<Gid, PrivilegeError> {
    match who {
        UserOrGroup::Number(gid) => Ok(Gid::from_raw(*gid)),
        UserOrGroup::Name(name) if name == "root" => Ok(Gid::from_raw(0)),
        UserOrGroup::Name(name) => Group::from_name(name).ok().flatten().map(|group| group.gid).ok_or_else(|| {
            PrivilegeError::UnknownUser(format!(
                "`privileges.group`: there is no group `{name}`; make it with `groupadd --system {name}`, or \
                     give a number"
            ))
        }),
    }
}

fn from_entry(user: User) -> Account {
    let name = CString::new(user.name.as_bytes()).unwrap_or_default();
    let groups = getgrouplist(&name, user.gid).unwrap_or_else(|_| vec![user.gid]);
    Account { name: user.name, uid: user.uid, gid: user.gid, groups }
}

/// Returns the user of this process.
pub(super) fn own() -> Account {
    let uid = Uid::effective();
    let known = User::from_uid(uid).ok().flatten();
    let account = known.map_or_else(|| numeric_account(uid.as_raw()), from_entry);
    Account { gid: Gid::effective(), ..account }
}

/// Returns an account without an entry. Its only group has the same number.
fn numeric_account(id: u32) -> Account {
    let name = if id == 0 { "root".to_owned() } else { id.to_string() };
    Account { name, uid: Uid::from_raw(id), gid: Gid::from_raw(id), groups: vec![Gid::from_raw(id)] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_need_no_entry_and_names_do() {
        let account_of = |who| account(&who, "user");
        assert_eq!(account_of(UserOrGroup::Number(4_000_123)).unwrap(), numeric_account(4_000_123));
        assert_eq!(account_of(UserOrGroup::Name("root".into())).unwrap().uid, Uid::from_raw(0));
        let error = account_of(UserOrGroup::Name("no-such-user-here".into())).unwrap_err();
        assert!(error.to_string().contains("no-such-user-here"), "{error}");
        assert!(group_of(&UserOrGroup::Name("no-such-group-here".into())).is_err());
    }

    #[test]
    fn a_namespace_may_map_few_users() {
        assert!(is_mapped("         0          0 4294967295\n", 65534));
        assert!(is_mapped("0 1000 1\n1 100000 65536\n", 65534));
        assert!(!is_mapped("0 1000 1\n", 65534) && is_mapped("0 1000 1\n", 0));
        assert!(is_mapped("", 1));
    }

    #[test]
    fn the_default_user_is_never_root() {
        let account = default_account();
        assert!(!account.uid.is_root() && account.groups.contains(&account.gid), "{account:?}");
    }
}
