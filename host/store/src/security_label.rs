//! The labels that security modules of the kernel give to processes and files. They are for people: nothing is allowed
//! because of them.

use std::fmt;
use std::io;
use std::path::Path;

/// What a security module knows a process as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecurityLabel {
    /// Its profile in AppArmor.
    AppArmor(String),
    /// Its domain in SELinux.
    Selinux(String),
    /// A module that does not let the process read what it knows it as.
    Hidden,
}

impl SecurityLabel {
    /// Returns that of this process; `None` if no module confines it.
    pub fn of_this_process() -> Option<SecurityLabel> {
        Self::read(std::fs::read_to_string("/proc/self/attr/current"))
    }

    /// Permissions let everyone read the file. Profiles of AppArmor rarely do.
    fn read(current: io::Result<String>) -> Option<SecurityLabel> {
        match current {
            Ok(text) => Self::parse(&text),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Some(SecurityLabel::Hidden),
            Err(_) => None,
        }
    }

    /// Returns whether the module decides when a file is opened, and not when the kernel is asked about access.
    pub fn decides_at_opening(&self) -> bool {
        !matches!(self, SecurityLabel::Selinux(_))
    }

    /// Parses `/proc/PID/attr/current`; `None` for a process that no module confines.
    pub fn parse(text: &str) -> Option<SecurityLabel> {
        let text = text.trim_matches(|letter: char| letter.is_whitespace() || letter == '\0');
        // `NAME (MODE)`. A profile in the mode `complain` still refuses what its `deny` rules name.
        if let Some((profile, mode)) = text.strip_suffix(')').and_then(|text| text.rsplit_once(" (")) {
            return (mode != "unconfined").then(|| SecurityLabel::AppArmor(profile.to_owned()));
        }
        type_in(text).map(SecurityLabel::Selinux)
    }
}

impl fmt::Display for SecurityLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SecurityLabel::AppArmor(profile) => write!(f, "AppArmor profile `{profile}`"),
            SecurityLabel::Selinux(domain) => write!(f, "SELinux domain `{domain}`"),
            SecurityLabel::Hidden => f.write_str("security module of this process"),
        }
    }
}

/// Returns the type in a context of SELinux: `USER:ROLE:TYPE`, perhaps with a level.
fn type_in(context: &str) -> Option<String> {
    let parts: Vec<&str> = context.split(':').collect();
    (parts.len() >= 3 && parts.iter().all(|part| !part.is_empty())).then(|| parts[2].to_owned())
}

/// Returns the type of a file in SELinux, if this process may see it.
#[cfg(target_os = "linux")]
pub(super) fn type_of(place: &Path) -> Option<String> {
    let mut value = [0; 4096];
    let length = rustix::fs::getxattr(place, "security.selinux", &mut value[..]).ok()?;
    type_in(std::str::from_utf8(&value[..length]).ok()?.trim_end_matches('\0'))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn type_of(_: &Path) -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_and_domains_are_parsed() {
        let profile = |name: &str| Some(SecurityLabel::AppArmor(name.into()));
        assert_eq!(SecurityLabel::parse("/usr/bin/tuffet (enforce)\n"), profile("/usr/bin/tuffet"));
        assert_eq!(SecurityLabel::parse("a (b)//&c (complain)"), profile("a (b)//&c"));
        for unconfined in ["unconfined\n", "busybox (unconfined)", "kernel\0", "", ":ns:unconfined"] {
            assert_eq!(SecurityLabel::parse(unconfined), None, "{unconfined}");
        }
        let domain = |name: &str| Some(SecurityLabel::Selinux(name.into()));
        assert_eq!(SecurityLabel::parse("system_u:system_r:tftpd_t:s0\0"), domain("tftpd_t"));
        assert_eq!(SecurityLabel::parse("u:r:init_t:s0-s0:c0.c1023"), domain("init_t"));
        assert_eq!(
            SecurityLabel::read(Err(io::ErrorKind::PermissionDenied.into())),
            Some(SecurityLabel::Hidden)
        );
        assert_eq!(
            SecurityLabel::read(Err(io::ErrorKind::InvalidInput.into())),
            None,
            "the kernel has no module"
        );
        assert!(SecurityLabel::Hidden.decides_at_opening() && profile("a").unwrap().decides_at_opening());
        assert!(!domain("a").unwrap().decides_at_opening());
        assert_eq!(profile("tuffet").unwrap().to_string(), "AppArmor profile `tuffet`");
        assert_eq!(domain("tftpd_t").unwrap().to_string(), "SELinux domain `tftpd_t`");
    }
}
