//! Finds what keeps the user of this process from a file, as namei(1) shows it: the first component of the path that
//! refuses a right, and why it does.
//!
//! The kernel decides about each right (`faccessat`), so groups, access control lists, mounts and security modules count.
//! AppArmor alone decides only when a file is opened. The cause is read from the component afterwards. It is for people:
//! nothing is allowed because of it.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fmt;
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rustix::fs::{Access, AtFlags, CWD, accessat, stat};
use rustix::io::Errno;
use rustix::process::{getegid, geteuid, getgroups};

use super::mode;
use super::security_label::{self, SecurityLabel};

/// The most links on the way to a file, as in the kernel.
const MAX_LINKS: u32 = 40;

/// A right on a file or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Right {
    /// To enter a folder on the way (`x`).
    Enter,
    /// To read a file, or to list a folder (`r`).
    Read,
    /// To write a file, or to create and remove files in a folder (`w`).
    Write,
}

/// The first component of a path that refuses a right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// The component, with the links on the way to it resolved.
    pub place: PathBuf,
    /// Whether it is a folder.
    pub is_folder: bool,
    /// The right.
    pub right: Right,
    /// Why it is refused.
    pub cause: ObstacleCause,
    /// Whether the place may have access control lists, as far as is known.
    has_lists: bool,
}

/// Why a component refuses a right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ObstacleCause {
    /// Its permissions, for its owner, its group or others: the one of them that counts for this user.
    Mode {
        /// Permissions, such as 0o750.
        mode: u32,
        /// The owner.
        uid: u32,
        /// The group.
        gid: u32,
        /// Whether this user is the owner.
        is_owner: bool,
    },
    /// Its access control list.
    List,
    /// Its file system is mounted read-only.
    ReadOnly,
    /// It is immutable (`chattr +i`).
    Immutable,
    /// A security module, such as SELinux or AppArmor, whatever the permissions are.
    SecurityModule {
        /// What the module knows this process as.
        process: Option<SecurityLabel>,
        /// The type of the component in SELinux.
        kind: Option<String>,
    },
    /// Not visible to this process.
    Unknown,
}

/// The name of the user of this process.
static USER: OnceLock<String> = OnceLock::new();

/// Names the user of this process for messages; without a name they have its number. Only the first name counts.
pub fn name_user(name: &str) {
    // A server has one user.
    let _ = USER.set(name.to_owned());
}

/// Returns the name of the user of this process, or its number.
pub(super) fn user_name() -> Cow<'static, str> {
    match USER.get() {
        Some(name) => Cow::Borrowed(name),
        None => geteuid().as_raw().to_string().into(),
    }
}

/// Returns the first obstacle between the user of this process and these rights on a file or folder; `None` if there is
/// none, or if the path does not exist.
pub fn find_obstacle(path: &Path, rights: &[Right]) -> Option<Obstacle> {
    let may = |place: &Path, right: Right| accessat(CWD, place, right.access(), AtFlags::EACCESS);
    if let Some((place, right, errno)) = first_refusal(path, rights, &may, &Path::symlink_metadata) {
        let is_folder = place.is_dir() || right == Right::Enter;
        let (cause, has_lists) = why(&place, right, errno);
        return Some(Obstacle { place, is_folder, right, cause, has_lists });
    }
    let process = SecurityLabel::of_this_process().filter(SecurityLabel::decides_at_opening)?;
    let (place, right) = refused_opening(path, rights)?;
    let cause = ObstacleCause::SecurityModule { process: Some(process), kind: None };
    let is_folder = place.is_dir();
    Some(Obstacle { place, is_folder, right, cause, has_lists: true })
}

/// Walks to the end of the path, and returns the first component that refuses a right, with the error. `look` is lstat(2).
fn first_refusal(
    path: &Path,
    rights: &[Right],
    may: &dyn Fn(&Path, Right) -> rustix::io::Result<()>,
    look: &dyn Fn(&Path) -> io::Result<Metadata>,
) -> Option<(PathBuf, Right, Errno)> {
    let refused = |place: &Path, right| match may(place, right) {
        Err(errno @ (Errno::ACCESS | Errno::PERM | Errno::ROFS)) => Some((place.to_owned(), right, errno)),
        _ => None,
    };
    let mut rest = parts(&std::path::absolute(path).ok()?);
    let (mut at, mut links) = (PathBuf::from("/"), 0);
    while let Some(part) = rest.pop() {
        if let Some(found) = refused(&at, Right::Enter) {
            return Some(found);
        }
        if part == ".." {
            at.pop();
            continue;
        }
        let next = at.join(&part);
        let about = match look(&next) {
            Ok(about) => about,
            // SELinux mostly refuses a look at a file together with its content.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                let right = if rest.is_empty() { *rights.first()? } else { Right::Enter };
                return Some((next, right, Errno::ACCESS));
            }
            Err(_) => return None,
        };
        if !about.is_symlink() {
            at = next;
            continue;
        }
        links += 1;
        let target = next.read_link().ok().filter(|_| links <= MAX_LINKS)?;
        if target.is_absolute() {
            at = PathBuf::from("/");
        }
        rest.extend(parts(&target));
    }
    rights.iter().find_map(|right| refused(&at, *right))
}

/// Returns the file or folder behind the links of a path, and the first of these rights with which it cannot be opened.
#[cfg(target_os = "linux")]
fn refused_opening(path: &Path, rights: &[Right]) -> Option<(PathBuf, Right)> {
    use rustix::fs::{Mode, OFlags, open};
    let place = path.canonicalize().ok()?;
    let about = place.metadata().ok()?;
    // To open a FIFO or a device has effects.
    if !about.is_file() && !about.is_dir() {
        return None;
    }
    let is_refused = |right: &&Right| {
        let how = match right {
            Right::Enter => return false,
            Right::Read => OFlags::RDONLY,
            // An unnamed file leaves no trace.
            Right::Write if about.is_dir() => OFlags::TMPFILE | OFlags::WRONLY,
            Right::Write => OFlags::WRONLY,
        };
        let flags = how | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        matches!(open(&place, flags, Mode::from_raw_mode(0o600)), Err(Errno::ACCESS))
    };
    let right = *rights.iter().find(is_refused)?;
    Some((place, right))
}

#[cfg(not(target_os = "linux"))]
fn refused_opening(_: &Path, _: &[Right]) -> Option<(PathBuf, Right)> {
    None
}

/// Returns the names of a path, and `..`, last part first.
fn parts(path: &Path) -> Vec<OsString> {
    use std::path::Component::{Normal, ParentDir};
    let parts = path.components().filter(|part| matches!(part, Normal(_) | ParentDir));
    let parts: Vec<OsString> = parts.map(|part| part.as_os_str().to_owned()).collect();
    parts.into_iter().rev().collect()
}

/// Returns the cause, and whether the place may have access control lists.
fn why(place: &Path, right: Right, errno: Errno) -> (ObstacleCause, bool) {
    match errno {
        Errno::ROFS => return (ObstacleCause::ReadOnly, true),
        Errno::PERM => return (ObstacleCause::Immutable, true),
        _ => {}
    }
    let by_module = || {
        let process = SecurityLabel::of_this_process();
        let is_selinux = matches!(process, Some(SecurityLabel::Selinux(_)));
        let kind = if is_selinux { security_label::type_of(place) } else { None };
        ObstacleCause::SecurityModule { process, kind }
    };
    let Ok(about) = stat(place) else {
        // The folders above may be entered, so permissions do not forbid this.
        let cause = by_module();
        let is_known = matches!(cause, ObstacleCause::SecurityModule { process: Some(_), .. });
        return (if is_known { cause } else { ObstacleCause::Unknown }, true);
    };
    let owned = Owned { mode: mode::of(&about) & 0o7777, uid: about.st_uid, gid: about.st_gid };
    let user = User {
        uid: geteuid().as_raw(),
        groups: getgroups()
            .unwrap_or_default()
            .into_iter()
            .chain([getegid()])
            .map(rustix::process::Gid::as_raw)
            .collect(),
    };
    let list = lists::read(place);
    let has_lists = list != lists::Found::Unsupported;
    let cause = match list {
        lists::Found::List(list) if !user.may_by_list(&owned, &list, right) => ObstacleCause::List,
        lists::Found::None | lists::Found::Unsupported if !user.may_by_mode(&owned, right) => {
            ObstacleCause::Mode {
                mode: owned.mode,
                uid: owned.uid,
                gid: owned.gid,
                is_owner: user.uid == owned.uid,
            }
        }
        // With a list that cannot be read, the mode of the group is that of the list.
        lists::Found::Unknown if !user.may_by_mode(&owned, right) => ObstacleCause::Unknown,
        _ => by_module(),
    };
    (cause, has_lists)
}

/// Owner, group and permissions of a file.
#[derive(Debug, Clone, Copy)]
struct Owned {
    mode: u32,
    uid: u32,
    gid: u32,
}

/// The user of this process.
#[derive(Debug)]
struct User {
    uid: u32,
    groups: Vec<u32>,
}

impl User {
    /// The first match counts, as in the kernel.
    fn may_by_mode(&self, owned: &Owned, right: Right) -> bool {
        let shift = if self.uid == owned.uid {
            6
        } else if self.groups.contains(&owned.gid) {
            3
        } else {
            0
        };
        owned.mode >> shift & right.bit() != 0
    }

    /// acl(5), "Access check algorithm".
    fn may_by_list(&self, owned: &Owned, list: &[lists::Entry], right: Right) -> bool {
        use lists::Whom;
        let bit = right.bit();
        let of = |whom: Whom| list.iter().find(|entry| entry.whom == whom).map(|entry| entry.rights);
        let mask = of(Whom::Mask).unwrap_or(7);
        if self.uid == owned.uid {
            return of(Whom::Owner).is_some_and(|rights| rights & bit != 0);
        }
        if let Some(rights) = of(Whom::User(self.uid)) {
            return rights & mask & bit != 0;
        }
        let is_own = |entry: &&lists::Entry| match entry.whom {
            Whom::OwningGroup => self.groups.contains(&owned.gid),
            Whom::Group(gid) => self.groups.contains(&gid),
            _ => false,
        };
        let mut groups = list.iter().filter(is_own).peekable();
        if groups.peek().is_some() {
            return groups.any(|entry| entry.rights & mask & bit != 0);
        }
        of(Whom::Others).is_some_and(|rights| rights & bit != 0)
    }
}

impl Right {
    fn access(self) -> Access {
        match self {
            Right::Enter => Access::EXEC_OK,
            Right::Read => Access::READ_OK,
            Right::Write => Access::WRITE_OK,
        }
    }

    fn bit(self) -> u32 {
        match self {
            Right::Enter => 1,
            Right::Read => 4,
            Right::Write => 2,
        }
    }

    fn letter(self) -> char {
        match self {
            Right::Enter => 'x',
            Right::Read => 'r',
            Right::Write => 'w',
        }
    }
}

impl Obstacle {
    /// Returns the shell command that gives this user just the right that is missing; `None` if permissions are not the
    /// cause. `group` is the number of the user's group.
    pub fn command(&self, user: &str, group: u32) -> Option<String> {
        let place = quoted(&self.place);
        let rights = match (self.right, self.is_folder) {
            (Right::Enter, _) => "x",
            (Right::Read, true) => "rx",
            (Right::Read, false) => "r",
            (Right::Write, true) => "rwx",
            (Right::Write, false) => "rw",
        };
        match &self.cause {
            ObstacleCause::Mode { is_owner: true, .. } => Some(format!("chmod u+{rights} {place}")),
            ObstacleCause::Mode { .. } if !self.has_lists => {
                Some(format!("chgrp {group} {place} && chmod g+{rights} {place}"))
            }
            ObstacleCause::Mode { .. } | ObstacleCause::List | ObstacleCause::Unknown => {
                Some(format!("setfacl -m u:{user}:{rights} {place}"))
            }
            ObstacleCause::Immutable => Some(format!("chattr -i {place}")),
            ObstacleCause::ReadOnly | ObstacleCause::SecurityModule { .. } => None,
        }
    }

    /// Returns what to do, for people: the command, or where to look.
    pub fn remedy(&self, user: &str, group: u32) -> String {
        let place = quoted(&self.place);
        if let Some(command) = self.command(user, group) {
            return format!("`{command}`");
        }
        match &self.cause {
            ObstacleCause::ReadOnly => format!(
                "mount it writable (`findmnt -T {place}` shows where); in a unit of systemd, write \
                 `ReadWritePaths={place}`"
            ),
            ObstacleCause::SecurityModule { process: Some(SecurityLabel::AppArmor(_)), .. } => {
                "let the profile allow it (its file is below /etc/apparmor.d; `apparmor_parser -r FILE` loads it); \
                 `journalctl -k --grep=apparmor` shows what it refused, except by `deny` rules"
                    .into()
            }
            ObstacleCause::SecurityModule { process: Some(SecurityLabel::Selinux(_)), .. } => format!(
                "`restorecon -Rv {place}` gives it the type that the policy names for its path, `semanage fcontext` names \
                 another; `ausearch -m avc -ts recent` shows what was refused"
            ),
            _ => "`ausearch -m avc -ts recent` (SELinux) and `journalctl -k --grep=apparmor` show the rule".into(),
        }
    }
}

impl fmt::Display for Obstacle {
    /// Such as "it lacks the right `x` on the folder /srv/private (mode 0700, owner root, group root)".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.is_folder { "folder" } else { "file" };
        write!(f, "it lacks the right `{}` on the {kind} {} (", self.right.letter(), self.place.display())?;
        let name = |id: u32| if id == 0 { "root".to_owned() } else { id.to_string() };
        match &self.cause {
            ObstacleCause::Mode { mode, uid, gid, .. } => {
                write!(f, "mode {mode:04o}, owner {}, group {}", name(*uid), name(*gid))?;
            }
            ObstacleCause::List => f.write_str("its access control list, see `getfacl`")?,
            ObstacleCause::ReadOnly => f.write_str("mounted read-only")?,
            ObstacleCause::Immutable => f.write_str("immutable, see `lsattr`")?,
            ObstacleCause::SecurityModule { process: Some(SecurityLabel::Selinux(domain)), kind } => {
                write!(f, "SELinux refuses it to the domain `{domain}`, whatever its permissions")?;
                if let Some(kind) = kind {
                    write!(f, "; its type is `{kind}`")?;
                }
            }
            ObstacleCause::SecurityModule { process: Some(label @ SecurityLabel::AppArmor(_)), .. } => {
                write!(f, "the {label} refuses it, whatever its permissions")?;
            }
            ObstacleCause::SecurityModule { process: Some(SecurityLabel::Hidden) | None, .. } => {
                f.write_str(
                    "a security module such as SELinux or AppArmor refuses it, whatever its permissions",
                )?;
            }
            ObstacleCause::Unknown => f.write_str("see `ls -ld` and `getfacl`")?,
        }
        f.write_str(")")
    }
}

/// Quotes a path for a shell.
pub fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+,:@".contains(letter);
    if text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// Access control lists (acl(5)), as the kernel stores them.
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "other systems have lists of other kinds"))]
mod lists {
    use std::path::Path;

    /// Whom an entry is for.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) enum Whom {
        Owner,
        User(u32),
        OwningGroup,
        Group(u32),
        Mask,
        Others,
    }

    /// An entry; its rights are those of a mode: read 4, write 2, enter 1.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) struct Entry {
        pub(super) whom: Whom,
        pub(super) rights: u32,
    }

    #[derive(Debug, Clone, PartialEq, Eq)]
    pub(super) enum Found {
        /// The file has a list.
        List(Vec<Entry>),
        /// The file has none, and could have one.
        None,
        /// The file system has no such lists.
        Unsupported,
        /// The list cannot be read.
        Unknown,
    }

    #[cfg(target_os = "linux")]
    pub(super) fn read(place: &Path) -> Found {
        use rustix::io::Errno;
        // The longest value of an attribute (xattr(7)).
        let mut value = vec![0; 1 << 16];
        match rustix::fs::getxattr(place, "system.posix_acl_access", value.as_mut_slice()) {
            Ok(length) => parse(&value[..length]).map_or(Found::Unknown, Found::List),
            Err(Errno::NODATA) => Found::None,
            Err(Errno::OPNOTSUPP) => Found::Unsupported,
            Err(_) => Found::Unknown,
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn read(_: &Path) -> Found {
        Found::Unsupported
    }

    /// Parses the value of the attribute: a version, then for each entry whom it is for, rights and a number.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    pub(super) fn parse(value: &[u8]) -> Option<Vec<Entry>> {
        let (version, entries) = value.split_first_chunk::<4>()?;
        if u32::from_le_bytes(*version) != 2 || entries.len() % 8 != 0 {
            return None;
        }
        let entry = |bytes: &[u8]| {
            let word = |at: usize| u32::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
            let id = word(4) | word(6) << 16;
            let whom = match word(0) {
                0x01 => Whom::Owner,
                0x02 => Whom::User(id),
                0x04 => Whom::OwningGroup,
                0x08 => Whom::Group(id),
                0x10 => Whom::Mask,
                0x20 => Whom::Others,
                _ => return None,
            };
            Some(Entry { whom, rights: word(2) })
        };
        entries.chunks_exact(8).map(entry).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::lists::{Entry, Whom, parse};
    use super::*;
    use std::fs::{create_dir_all, write};
    use std::os::unix::fs::symlink;

    #[test]
    fn the_first_component_that_refuses_is_found_behind_links() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        create_dir_all(base.join("closed/within")).unwrap();
        create_dir_all(base.join("open")).unwrap();
        write(base.join("closed/within/file"), "").unwrap();
        symlink("../closed/./within", base.join("open/relative")).unwrap();
        symlink(base.join("open/relative"), base.join("absolute")).unwrap();
        symlink("round", base.join("round")).unwrap();
        let closed = base.join("closed");
        let find = |path: &str, rights: &[Right]| {
            let may = |place: &Path, right| match right {
                Right::Enter if place == closed => Err(Errno::ACCESS),
                Right::Write => Err(Errno::ROFS),
                _ => Ok(()),
            };
            first_refusal(&base.join(path), rights, &may, &Path::symlink_metadata)
        };
        let found = Some((closed.clone(), Right::Enter, Errno::ACCESS));
        for path in ["closed/within", "open/relative/file", "absolute/file", "open/../closed/within"] {
            assert_eq!(find(path, &[Right::Read]), found, "{path}");
        }
        assert_eq!(find("closed", &[Right::Read]), None, "only what is in it takes the right to enter");
        assert_eq!(find("closed", &[Right::Read, Right::Enter]), found);
        let written = Some((base.join("open"), Right::Write, Errno::ROFS));
        assert_eq!(find("open", &[Right::Write, Right::Enter]), written);
        for missing in ["open/nothing", "round", "nothing/at/all"] {
            assert_eq!(find(missing, &[Right::Read]), None, "{missing}");
        }
    }

    #[test]
    fn lists_and_modes_count_as_in_the_kernel() {
        let owned = Owned { mode: 0o750, uid: 1, gid: 10 };
        let user = |uid: u32, group: u32| User { uid, groups: vec![group] };
        assert!(user(1, 0).may_by_mode(&owned, Right::Write));
        assert!(
            user(2, 10).may_by_mode(&owned, Right::Enter) && !user(2, 10).may_by_mode(&owned, Right::Write)
        );
        assert!(!user(2, 11).may_by_mode(&owned, Right::Read));
        // u::rwx u:2:rw- g::r-x g:20:-w- m::r-x o::---
        let entries: [(u16, u16, u32); 6] =
            [(1, 7, u32::MAX), (2, 6, 2), (4, 5, u32::MAX), (8, 2, 20), (16, 5, u32::MAX), (32, 0, u32::MAX)];
        let mut value = 2_u32.to_le_bytes().to_vec();
        for (whom, rights, id) in entries {
            value.extend([whom.to_le_bytes(), rights.to_le_bytes()].concat());
            value.extend(id.to_le_bytes());
        }
        let list = parse(&value).unwrap();
        assert_eq!(list[1], Entry { whom: Whom::User(2), rights: 6 });
        assert_eq!((parse(&value[..9]), parse(&[]), parse(&[3, 0, 0, 0])), (None, None, None));
        let may = |uid, group, right| user(uid, group).may_by_list(&owned, &list, right);
        assert!(may(1, 0, Right::Write), "the mask does not count for the owner");
        assert!(may(2, 0, Right::Read) && !may(2, 0, Right::Write), "but for others");
        assert!(!may(2, 10, Right::Enter), "the entry of a user counts before those of its groups");
        assert!(may(3, 10, Right::Enter) && !may(3, 20, Right::Write) && !may(3, 0, Right::Read));
    }

    #[test]
    fn the_command_gives_just_the_right() {
        let mode = ObstacleCause::Mode { mode: 0o700, uid: 0, gid: 7, is_owner: false };
        let place = PathBuf::from("/srv/t ftp");
        let mut found =
            Obstacle { place, is_folder: true, right: Right::Enter, cause: mode, has_lists: true };
        let command = |found: &Obstacle| found.command("tuffet", 99).unwrap_or_default();
        assert_eq!(command(&found), "setfacl -m u:tuffet:x '/srv/t ftp'");
        assert_eq!(
            found.to_string(),
            "it lacks the right `x` on the folder /srv/t ftp (mode 0700, owner root, group 7)"
        );
        found.has_lists = false;
        assert_eq!(command(&found), "chgrp 99 '/srv/t ftp' && chmod g+x '/srv/t ftp'");
        found.cause = ObstacleCause::Mode { mode: 0, uid: 5, gid: 7, is_owner: true };
        found.right = Right::Read;
        assert_eq!(command(&found), "chmod u+rx '/srv/t ftp'");
        found.cause = ObstacleCause::ReadOnly;
        assert_eq!(command(&found), "");
        assert!(found.remedy("tuffet", 99).contains("ReadWritePaths='/srv/t ftp'"));
        assert!(found.to_string().ends_with("(mounted read-only)"));
        // No mode, owner or list helps against a module: its policy or its log has the rule.
        let mut by = |process, kind: Option<&str>| {
            found.cause = ObstacleCause::SecurityModule { process, kind: kind.map(str::to_owned) };
            assert_eq!(found.command("tuffet", 99), None);
            (found.to_string(), found.remedy("tuffet", 99))
        };
        assert_eq!(by(None, None), by(Some(SecurityLabel::Hidden), None));
        let (why, remedy) = by(None, None);
        assert!(remedy.contains("ausearch -m avc") && remedy.contains("--grep=apparmor"), "{remedy}");
        let end = "(a security module such as SELinux or AppArmor refuses it, whatever its permissions)";
        assert!(why.ends_with(end), "{why}");
        let (why, remedy) = by(Some(SecurityLabel::AppArmor("tuffet".into())), None);
        assert!(remedy.contains("apparmor_parser -r") && !remedy.contains("ausearch"), "{remedy}");
        assert!(
            why.ends_with("(the AppArmor profile `tuffet` refuses it, whatever its permissions)"),
            "{why}"
        );
        let domain = SecurityLabel::Selinux("tftpd_t".into());
        let (why, remedy) = by(Some(domain.clone()), Some("user_home_t"));
        assert!(remedy.contains("restorecon -Rv '/srv/t ftp'") && !remedy.contains("apparmor"), "{remedy}");
        let end = "(SELinux refuses it to the domain `tftpd_t`, whatever its permissions; its type is `user_home_t`)";
        assert!(why.ends_with(end), "{why}");
        assert!(by(Some(domain), None).0.ends_with("whatever its permissions)"));
    }

    #[test]
    fn a_component_that_may_not_be_looked_at_is_the_obstacle() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        create_dir_all(base.join("hidden")).unwrap();
        write(base.join("hidden/file"), "").unwrap();
        let find = |hidden: &str, path: &str| {
            let hidden = base.join(hidden);
            let look = |place: &Path| match place == hidden {
                true => Err(Errno::ACCESS.into()),
                false => place.symlink_metadata(),
            };
            first_refusal(&base.join(path), &[Right::Read], &|_, _| Ok(()), &look)
        };
        let found = |path: &str, right| Some((base.join(path), right, Errno::ACCESS));
        assert_eq!(find("hidden/file", "hidden/file"), found("hidden/file", Right::Read));
        assert_eq!(find("hidden", "hidden/file"), found("hidden", Right::Enter));
        assert_eq!(find("hidden/file", "hidden/missing"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn opening_shows_what_access_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        write(base.join("file"), "").unwrap();
        let all = [Right::Read, Right::Enter, Right::Write];
        for place in ["file", ""] {
            assert_eq!(refused_opening(&base.join(place), &all), None, "{place}");
        }
        assert_eq!(std::fs::read_dir(&base).unwrap().count(), 1, "no trace");
        // Root opens these, too.
        if geteuid().is_root() {
            return;
        }
        std::fs::set_permissions(base.join("file"), std::os::unix::fs::PermissionsExt::from_mode(0o444))
            .unwrap();
        symlink("file", base.join("link")).unwrap();
        assert_eq!(refused_opening(&base.join("link"), &all), Some((base.join("file"), Right::Write)));
    }
}
