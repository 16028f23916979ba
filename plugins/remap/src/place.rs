//! From a name to a file in a root.

use tuffet_sdk::{Denial, Target};

/// The longest path and the longest part of one, in bytes: those of requested names.
const MAX_PATH: usize = 1024;
const MAX_PART: usize = 255;

/// Where names lead.
#[derive(Default)]
pub(crate) struct Places {
    /// The root of names that lie below no folder; such names are denied without it.
    pub root: Option<String>,
    /// A folder of that root in which they lie; ends in `/` unless it is empty.
    pub prefix: String,
    pub folders: Vec<Folder>,
}

/// An absolute folder whose files are also in a root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Folder {
    /// Its parts.
    pub parts: Vec<String>,
    pub root: String,
}

/// A place of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub root: String,
    pub path: String,
    /// Whether the name itself said which folder it is in.
    pub by_folder: bool,
}

impl From<Place> for Target {
    fn from(place: Place) -> Target {
        Target { root: place.root, path: place.path }
    }
}

impl Places {
    /// The place of a name.
    ///
    /// # Errors
    /// The name leads nowhere: the answer to the client.
    pub fn find(&self, name: &[u8]) -> Result<Place, Denial> {
        let name = decode(without_padding(name));
        let shown = crate::run::quoted(name.as_bytes());
        let refuse =
            |message: &str, reason: &str| Denial::access_violation(message, format!("{reason}: {shown}"));
        if name.chars().any(char::is_control) {
            return Err(refuse("file name holds a control character", "the rules left a control character"));
        }
        let is_absolute = name.starts_with('/');
        let parts: Vec<&str> =
            name.split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".").collect();
        if parts.contains(&"..") {
            return Err(refuse("file name holds `..`", "the rules left `..`"));
        }
        let begins = |folder: &&Folder| {
            parts.len() > folder.parts.len() && parts.iter().zip(&folder.parts).all(|(part, its)| part == its)
        };
        let of_folder = self.folders.iter().filter(|_| is_absolute).find(begins);
        let (root, path) = match (of_folder, &self.root) {
            (Some(folder), _) => (&folder.root, parts[folder.parts.len()..].join("/")),
            (None, Some(root)) => (root, format!("{}{}", self.prefix, parts.join("/"))),
            (None, None) if is_absolute => {
                return Err(refuse(
                    "Forbidden directory",
                    "the name lies below none of the folders of `also-at`",
                ));
            }
            (None, None) => {
                return Err(refuse(
                    "Only absolute filenames allowed",
                    "the name is not absolute, and the settings have no `root` for it",
                ));
            }
        };
        if parts.is_empty() {
            return Err(Denial::file_not_found("file not found", "the rules left no name"));
        }
        if path.len() > MAX_PATH || parts.iter().any(|part| part.len() > MAX_PART) {
            return Err(refuse("file name too long", "the rules made the name too long"));
        }
        Ok(Place { root: root.clone(), path, by_folder: of_folder.is_some() })
    }
}

/// Returns a name without what DHCP leaves at its end. The server ignores it, too.
pub(crate) fn without_padding(name: &[u8]) -> &[u8] {
    &name[..name.iter().rposition(|byte| !matches!(byte, 0 | 0xff)).map_or(0, |last| last + 1)]
}

/// Bytes that are not UTF-8 are Latin-1, as in the names of requests.
fn decode(name: &[u8]) -> String {
    match std::str::from_utf8(name) {
        Ok(name) => name.to_owned(),
        Err(_) => name.iter().copied().map(char::from).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(root: Option<&str>, prefix: &str) -> Places {
        let folder = |path: &str, root: &str| Folder {
            parts: path.split('/').map(str::to_owned).collect(),
            root: root.into(),
        };
        Places {
            root: root.map(str::to_owned),
            prefix: prefix.into(),
            folders: vec![folder("tftpboot", "boot"), folder("srv/images", "images")],
        }
    }

    #[test]
    fn names_lead_to_roots() {
        let with = places(Some("boot"), "in/");
        for (name, root, path) in [
            (&b"a//./b"[..], "boot", "in/a/b"),
            (b"/a", "boot", "in/a"),
            (b"\\a\\b", "boot", "in/a/b"),
            (b"/tftpboot/a", "boot", "a"),
            (b"//tftpboot//a/b", "boot", "a/b"),
            (b"/tftpboot-evil/a", "boot", "in/tftpboot-evil/a"),
            (b"tftpboot/a", "boot", "in/tftpboot/a"),
            (b"/tftpboot", "boot", "in/tftpboot"),
            (b"/srv/images/a", "images", "a"),
            (b"/srv/other", "boot", "in/srv/other"),
            (b"\xeaonboard", "boot", "in/\u{ea}onboard"),
            (b"a\xff\xff", "boot", "in/a"),
            (b"/\\a\\b", "boot", "in/a/b"),
            (b"\\\\tftpboot\\a", "boot", "in/tftpboot/a"),
        ] {
            let place = with.find(name).unwrap_or_else(|denial| panic!("{denial:?}"));
            assert_eq!((place.root.as_str(), place.path.as_str()), (root, path), "{}", name.escape_ascii());
        }
    }

    #[test]
    fn names_that_lead_nowhere_are_denied() {
        let message = |places: &Places, name: &[u8]| places.find(name).unwrap_err().message;
        let (with, without) = (places(Some("boot"), ""), places(None, ""));
        assert_eq!(message(&with, b"/tftpboot/../etc/passwd"), "file name holds `..`");
        assert_eq!(message(&with, b"a/.."), "file name holds `..`");
        assert_eq!(message(&with, b"a\x01"), "file name holds a control character");
        assert_eq!(message(&with, b"//./"), "file not found");
        assert_eq!(message(&with, &[b'a'; 256]), "file name too long");
        assert_eq!(message(&with, &b"a/".repeat(600)), "file name too long");
        assert_eq!(message(&without, b"a"), "Only absolute filenames allowed");
        assert_eq!(message(&without, b"/etc/passwd"), "Forbidden directory");
        assert_eq!(without.find(b"/srv/images/a").unwrap().root, "images");
    }
}
