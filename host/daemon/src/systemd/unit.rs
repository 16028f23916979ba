//! The unit of systemd that starts a server, as far as it restricts the server's files: `tuffet check` runs outside of it.
//!
//! Only what is certain is reported: a path with a specifier (`%`) or below a bind mount counts as accessible.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tuffet_config::UserOrGroup;

/// Where systemd looks for units (systemd.unit(5)), first match first.
const FOLDERS: [&str; 5] = [
    "/etc/systemd/system",
    "/run/systemd/system",
    "/usr/local/lib/systemd/system",
    "/usr/lib/systemd/system",
    "/lib/systemd/system",
];
/// Replaces or extends these folders, in systemd and here.
const FOLDERS_VARIABLE: &str = "SYSTEMD_UNIT_PATH";
/// Folders that stay writable with `ProtectSystem=strict`.
const KERNEL_FOLDERS: [&str; 3] = ["/dev", "/proc", "/sys"];
const HOMES: [&str; 3] = ["/home", "/root", "/run/user"];
const TEMPORARY: [&str; 2] = ["/tmp", "/var/tmp"];

/// A unit that starts the server of a configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Unit {
    /// Its name, such as `tuffet.service`.
    pub(crate) name: String,
    /// Its settings of the section `Service`, in order.
    settings: Vec<(String, String)>,
    /// Whether a socket unit of the same name may open the ports.
    has_sockets: bool,
}

impl Unit {
    /// Finds the unit whose command names this configuration file.
    pub(crate) fn of(config: &Path) -> Option<Unit> {
        let folders = folders();
        let names = folders.iter().flat_map(|folder| names_in(folder, ".service"));
        let mut names: Vec<String> = names.collect();
        // Those of packages and of this documentation first.
        names.sort_by_key(|name| (!name.starts_with("tuffet"), name.clone()));
        names.dedup();
        names.into_iter().map(|name| Unit::read(&folders, name)).find(|unit| unit.starts(config))
    }

    /// Reads a unit and its drop-ins.
    fn read(folders: &[PathBuf], name: String) -> Unit {
        let mut texts: Vec<String> = Vec::new();
        let main = folders.iter().find_map(|folder| fs::read_to_string(folder.join(&name)).ok());
        texts.extend(main);
        // Of drop-ins with the same name, the first counts; all are applied in the order of their names.
        let mut drop_ins: BTreeMap<String, PathBuf> = BTreeMap::new();
        for folder in folders {
            let folder = folder.join(format!("{name}.d"));
            for drop_in in names_in(&folder, ".conf") {
                let path = folder.join(&drop_in);
                drop_ins.entry(drop_in).or_insert(path);
            }
        }
        texts.extend(drop_ins.values().filter_map(|path| fs::read_to_string(path).ok()));
        let settings = texts.iter().flat_map(|text| parse(text)).collect();
        let sockets = name.replace(".service", ".socket");
        let has_sockets = folders.iter().any(|folder| folder.join(&sockets).exists());
        Unit { name, settings, has_sockets }
    }

    /// Whether its command serves with this file.
    fn starts(&self, config: &Path) -> bool {
        let Some(command) = self.last("ExecStart") else { return false };
        let words = words(command.trim_start_matches(['-', '@', ':', '+', '!']));
        let serves = words.first().is_some_and(|program| Path::new(program).ends_with("tuffet"))
            && words.iter().any(|word| word == "serve");
        let named = words.iter().enumerate().find_map(|(number, word)| match word.strip_prefix("--config") {
            Some("") => words.get(number + 1).map(String::as_str),
            Some(rest) => rest.strip_prefix('='),
            None => None,
        });
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        serves && named.is_some_and(|named| real(Path::new(named)) == real(config))
    }

    /// The user that it starts the server as; `None` for root, and for a user that systemd makes up.
    pub(crate) fn user(&self) -> Option<UserOrGroup> {
        self.identity("User").filter(|_| !self.is_on("DynamicUser"))
    }

    /// The group, if it is not that of the user.
    pub(crate) fn group(&self) -> Option<UserOrGroup> {
        self.identity("Group")
    }

    /// Whether the server may open ports below 1024, or gets them.
    pub(crate) fn has_low_ports(&self) -> bool {
        let capabilities = self.list("AmbientCapabilities");
        self.has_sockets
            || self.last("Sockets").is_some()
            || self.user().is_none()
            || capabilities.iter().any(|capability| capability == "CAP_NET_BIND_SERVICE")
    }

    fn identity(&self, key: &str) -> Option<UserOrGroup> {
        let name = self.last(key).filter(|name| !name.contains('%'))?;
        Some(UserOrGroup::of(name)).filter(|who| !matches!(who, UserOrGroup::Number(0)) && name != "root")
    }

    /// Returns the setting that hides this existing path from the server.
    pub(crate) fn hides(&self, path: &Path) -> Option<String> {
        let path = real(path);
        if self.is_bound(&path) {
            return None;
        }
        let below = |folders: &[&str]| folders.iter().any(|folder| path.starts_with(folder));
        let home = self.last("ProtectHome").unwrap_or("no");
        if below(&HOMES) && (is_true(home) || home == "tmpfs") {
            return Some(format!("ProtectHome={home}"));
        }
        if below(&TEMPORARY) && (self.is_on("PrivateTmp") || self.last("PrivateTmp") == Some("disconnected"))
        {
            return Some("PrivateTmp=yes".into());
        }
        let (_, key) = self.nearest(&path, &["InaccessiblePaths", "ReadOnlyPaths", "ReadWritePaths"])?;
        (key == "InaccessiblePaths").then(|| format!("InaccessiblePaths={}", path.display()))
    }

    /// Returns the setting with which the server may not write to this path.
    pub(crate) fn forbids_writing(&self, path: &Path) -> Option<String> {
        let path = real(path);
        if self.is_bound(&path) {
            return None;
        }
        if let Some((_, key)) = self.nearest(&path, &["ReadOnlyPaths", "ReadWritePaths", "InaccessiblePaths"])
        {
            return (key != "ReadWritePaths").then(|| format!("{key}="));
        }
        let below = |folders: &[&str]| folders.iter().any(|folder| path.starts_with(folder));
        let own = [
            ("StateDirectory", "/var/lib"),
            ("CacheDirectory", "/var/cache"),
            ("LogsDirectory", "/var/log"),
            ("RuntimeDirectory", "/run"),
        ];
        let is_own = own.iter().any(|(key, base)| {
            self.list(key).iter().any(|name| {
                path.starts_with(Path::new(base).join(name.split(':').next().unwrap_or_default()))
            })
        });
        if is_own {
            return None;
        }
        let home = self.last("ProtectHome").unwrap_or("no");
        if below(&HOMES) && home != "no" && home != "false" {
            return Some(format!("ProtectHome={home}"));
        }
        if below(&TEMPORARY) && self.is_on("PrivateTmp") {
            return None;
        }
        let system = self.last("ProtectSystem").unwrap_or("no");
        let is_protected = match system {
            "strict" => !below(&KERNEL_FOLDERS),
            "full" => below(&["/usr", "/boot", "/efi", "/etc"]),
            other => is_true(other) && below(&["/usr", "/boot", "/efi"]),
        };
        is_protected.then(|| format!("ProtectSystem={system}"))
    }

    /// Returns the longest of the paths of these keys that this path is below, with its key.
    fn nearest(&self, path: &Path, keys: &[&'static str]) -> Option<(PathBuf, &'static str)> {
        let of = |key: &'static str| self.list(key).into_iter().map(move |listed| (listed, key));
        let listed = keys.iter().flat_map(|key| of(key)).filter_map(|(listed, key)| {
            let listed = listed.trim_start_matches(['-', '+']);
            let listed = Some(listed).filter(|listed| listed.starts_with('/') && !listed.contains('%'))?;
            Some((real(Path::new(listed)), key))
        });
        listed
            .filter(|(listed, _)| path.starts_with(listed))
            .max_by_key(|(listed, _)| listed.as_os_str().len())
    }

    /// Whether something is mounted at this path, or where this unit does not say for certain.
    fn is_bound(&self, path: &Path) -> bool {
        let bound = ["BindPaths", "BindReadOnlyPaths", "RootDirectory", "RootImage", "TemporaryFileSystem"];
        let paths = bound.iter().flat_map(|key| self.list(key));
        paths.into_iter().any(|bound| {
            let mut parts = bound.trim_start_matches('-').split(':');
            let source = parts.next().unwrap_or_default();
            let target = parts.next().filter(|target| target.starts_with('/')).unwrap_or(source);
            bound.contains('%') || path.starts_with(target)
        })
    }

    fn is_on(&self, key: &str) -> bool {
        self.last(key).is_some_and(is_true)
    }

    /// The last value of a key that is not empty.
    fn last(&self, key: &str) -> Option<&str> {
        let value = self.settings.iter().rev().find(|(its, _)| its == key).map(|(_, value)| value.as_str());
        value.filter(|value| !value.is_empty())
    }

    /// The values of a list: those of all lines, from the last empty one on.
    fn list(&self, key: &str) -> Vec<String> {
        let mut all = Vec::new();
        for (_, value) in self.settings.iter().filter(|(its, _)| its == key) {
            if value.is_empty() {
                all.clear();
            }
            all.extend(words(value));
        }
        all
    }
}

fn is_true(value: &str) -> bool {
    ["1", "yes", "y", "true", "t", "on"].contains(&value)
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn folders() -> Vec<PathBuf> {
    let Some(written) = std::env::var(FOLDERS_VARIABLE).ok().filter(|written| !written.is_empty()) else {
        return FOLDERS.map(PathBuf::from).into();
    };
    let mut folders: Vec<PathBuf> =
        written.split(':').filter(|part| !part.is_empty()).map(PathBuf::from).collect();
    if written.ends_with(':') {
        folders.extend(FOLDERS.map(PathBuf::from));
    }
    folders
}

fn names_in(folder: &Path, end: &str) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| name.ends_with(end)).collect()
}

/// Returns keys and values of the section `Service`.
fn parse(text: &str) -> Vec<(String, String)> {
    let (mut settings, mut is_service, mut before) = (Vec::new(), false, String::new());
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(part) = line.strip_suffix('\\') {
            before.extend([part, " "]);
            continue;
        }
        let line = std::mem::take(&mut before) + line;
        if line.starts_with('[') {
            is_service = line == "[Service]";
        } else if let Some((key, value)) = line.split_once('=').filter(|_| is_service) {
            settings.push((key.trim().to_owned(), value.trim().to_owned()));
        }
    }
    settings
}

/// Splits at white space outside of quotes.
fn words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quote, mut has_begun) = (Vec::new(), String::new(), None, false);
    for letter in text.chars() {
        match quote {
            Some(open) if letter == open => quote = None,
            None if letter == '"' || letter == '\'' => (quote, has_begun) = (Some(letter), true),
            None if letter.is_whitespace() => {
                words.extend(std::mem::take(&mut has_begun).then(|| std::mem::take(&mut word)));
            }
            _ => {
                word.push(letter);
                has_begun = true;
            }
        }
    }
    words.extend(has_begun.then_some(word));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(service: &str) -> Unit {
        let settings = parse(&format!("[Service]\n{service}"));
        Unit { name: "tuffet.service".into(), settings, has_sockets: false }
    }

    #[test]
    fn a_unit_is_found_by_the_file_that_its_command_names() {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("tuffet.yaml");
        fs::write(&config, "").unwrap();
        let starts = |command: &str| {
            let command = command.replace("FILE", &config.display().to_string());
            unit(&format!("ExecStart=/bin/false\nExecStart={command}")).starts(&config)
        };
        assert!(starts("/usr/bin/tuffet serve --config FILE"));
        assert!(starts("-/opt/tuffet serve \\\n --log info '--config=FILE'"));
        assert!(!starts("/usr/bin/tuffet serve --config /etc/other.yaml"));
        assert!(!starts("/usr/bin/tuffet check --config FILE") && !starts("/bin/cat serve --config FILE"));
        assert!(!starts("/usr/bin/tuffet serve"));
    }

    #[test]
    fn the_shipped_unit() {
        let shipped = Unit {
            name: "tuffet.service".into(),
            settings: parse(include_str!("../../../../examples/systemd/tuffet.service")),
            has_sockets: false,
        };
        assert!(shipped.has_low_ports() && !unit("User=tuffet").has_low_ports());
        assert_eq!(shipped.user(), Some(UserOrGroup::Name("tuffet".into())));
        let forbids = |path: &str| shipped.forbids_writing(Path::new(path));
        assert_eq!(forbids("/srv/tftp/incoming").as_deref(), Some("ProtectSystem=strict"));
        assert_eq!(forbids("/home/tftp").as_deref(), Some("ProtectHome=yes"));
        for path in ["/var/lib/tuffet/spool", "/var/cache/tuffet", "/run/tuffet/control", "/dev/null"] {
            assert_eq!(forbids(path), None, "{path}");
        }
        let hides = |path: &str| shipped.hides(Path::new(path));
        assert_eq!((hides("/srv/tftp"), hides("/var/tftp")), (None, None));
        assert_eq!(hides("/home/boot/tftp").as_deref(), Some("ProtectHome=yes"));
        assert_eq!(hides("/tmp/tftp").as_deref(), Some("PrivateTmp=yes"));
    }

    #[test]
    fn the_longest_path_counts_and_an_empty_line_resets_a_list() {
        let its = unit(
            "ProtectSystem=strict\nReadWritePaths=/none\nReadWritePaths=\nReadWritePaths=-/srv/tftp \"/data/a b\"\n\
             ReadOnlyPaths=/srv/tftp/boot\nInaccessiblePaths=/srv/tftp/secret\n",
        );
        let forbids = |path: &str| its.forbids_writing(Path::new(path));
        assert_eq!((forbids("/srv/tftp/in"), forbids("/data/a b/c")), (None, None));
        assert_eq!(forbids("/srv/tftp/boot/x").as_deref(), Some("ReadOnlyPaths="));
        assert_eq!(forbids("/none").as_deref(), Some("ProtectSystem=strict"));
        assert!(
            its.hides(Path::new("/srv/tftp/secret/a")).is_some()
                && its.hides(Path::new("/srv/tftp")).is_none()
        );
        let bound = unit("ProtectHome=yes\nBindReadOnlyPaths=/home/boot:/srv/boot /home/tftp\n");
        assert!(
            bound.hides(Path::new("/home/boot")).is_some() && bound.hides(Path::new("/home/tftp")).is_none()
        );
        assert_eq!(unit("User=root").user(), None);
        assert_eq!(unit("User=99\nDynamicUser=yes").user(), None);
        assert_eq!(unit("User=99").user(), Some(UserOrGroup::Number(99)));
    }
}
