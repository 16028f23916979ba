//! Served folders: their paths and the names of their roots.

use crate::error::ImportError;
use crate::location::{Location, Word};
use crate::report::Report;
use crate::yaml::{Map, Value};
use std::path::{Path, PathBuf};

/// Returns the path of a folder as the server sees it that is started here.
///
/// # Errors
/// A file has a relative path: where the server is started is not in it.
pub(crate) fn absolute(word: &Word) -> Result<PathBuf, ImportError> {
    if !word.text.starts_with('/') && word.location != Location::CommandLine {
        let text = format!(
            "{}: expected a flag, which begins with `-`, or an absolute path, which begins with `/`; the server may be \
             started in any folder",
            word.text
        );
        return Err(ImportError::invalid(&word.location, text));
    }
    let path = std::path::absolute(&word.text)
        .map_err(|error| ImportError::invalid(&word.location, format!("{}: {error}", word.text)))?;
    // `/srv/tftp/` and `/srv/tftp` are one folder.
    Ok(path.components().collect())
}

/// Has a root follow the link that it is: the original opens the folder for each request, and whoever made a link may
/// point it elsewhere.
pub(crate) fn put_follow(root: &mut Map, folder: &Path, server: &str) {
    if folder.is_symlink() {
        let why = format!("{} is a link, and {server} follows it at each request.", folder.display());
        root.put("follow", Value::plain(true), [why]);
    }
}

/// Returns the comment about a folder that does not exist here: a mistake in its name would otherwise look like a success.
pub(crate) fn comment_if_missing(folder: &Path, location: &Location, report: &mut Report) -> Option<String> {
    let text = format!(
        "the folder {} does not exist here, so its links, names and permissions were not looked at; import again where \
         its files are",
        folder.display()
    );
    (!folder.is_dir()).then(|| report.differs(location, text))
}

/// Returns a name for each root: the last part of its path, made unique.
pub(crate) fn names<'a>(folders: impl Iterator<Item = &'a Path>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for folder in folders {
        let last = folder.file_name().map(|last| last.to_string_lossy().to_lowercase()).unwrap_or_default();
        let mut name: String =
            last.chars().map(|it| if it.is_ascii_alphanumeric() { it } else { '-' }).take(32).collect();
        name = name.trim_matches('-').to_owned();
        if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
            name = format!("tftp-{name}").trim_end_matches('-').to_owned();
        }
        let same = |name: &str| names.iter().any(|other| other == name);
        if same(&name) {
            let numbered = (2..).map(|number| format!("{name}-{number}")).find(|name| !same(name));
            name = numbered.expect("one of endlessly many numbers is free");
        }
        names.push(name);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_roots() {
        let folders =
            ["/srv/tftp", "/var/lib/tftpboot", "/other/tftp", "/", "/srv/Gr\u{fc}n x", "/a/--", "/b/7"];
        let expected = ["tftp", "tftpboot", "tftp-2", "tftp-3", "gr-n-x", "tftp-4", "tftp-7"];
        assert_eq!(names(folders.iter().map(Path::new)), expected);
    }

    #[test]
    fn paths_are_absolute_and_have_one_form() {
        let path = |text: &str| absolute(&Word::new(text, &Location::CommandLine)).unwrap();
        assert_eq!(path("/srv//tftp/./"), Path::new("/srv/tftp"));
        assert_eq!(path("below"), std::env::current_dir().unwrap().join("below"));
        assert!(absolute(&Word::new("", &Location::CommandLine)).is_err());
    }
}
