//! The folders that are served: whether this user may use them, and how much room there is.

use super::finding::{Finding, Grade, size};
use crate::store::RootSpec;
use rustix::fs::{Access, AtFlags, CWD, accessat, statvfs};
use std::path::Path;

pub(super) fn check(root: &RootSpec) -> Vec<Finding> {
    let mut findings = vec![readable(root)];
    if root.writable {
        findings.push(writable(root));
        findings.extend(room(root));
    }
    findings
}

fn readable(root: &RootSpec) -> Finding {
    let check = format!("root {}", root.name);
    match may(&root.path, Access::READ_OK | Access::EXEC_OK) {
        Ok(()) => Finding::good(check, format!("{} can be read", root.path.display())),
        Err(error) => Finding::new(check, Grade::Wrong, format!("{}: {error}", root.path.display()))
            .mend(format!("chmod o+rx {}", quoted(&root.path))),
    }
}

fn writable(root: &RootSpec) -> Finding {
    let check = format!("uploads into {}", root.name);
    match may(&root.path, Access::WRITE_OK | Access::EXEC_OK) {
        Ok(()) => Finding::good(check, format!("{} can be written", root.path.display())),
        Err(error) => Finding::new(check, Grade::Wrong, format!("{}: {error}", root.path.display()))
            .mend(format!("chown {} {}", rustix::process::geteuid().as_raw(), quoted(&root.path))),
    }
}

fn room(root: &RootSpec) -> Option<Finding> {
    let check = format!("room for uploads into {}", root.name);
    let found = statvfs(&root.path).ok()?;
    let free = found.f_bavail.saturating_mul(found.f_frsize);
    if free >= root.max_upload {
        let says = format!("{} are free; one upload takes up to {}", size(free), size(root.max_upload));
        return Some(Finding::good(check, says));
    }
    let grade = if free == 0 { Grade::Wrong } else { Grade::CouldBeBetter };
    let says = format!(
        "{} are free, but one upload may take {} (`max-upload`); make room, or lower that",
        size(free),
        size(root.max_upload)
    );
    Some(
        Finding::new(check, grade, says)
            .mend(format!("du -xh --max-depth=1 {} | sort -h", quoted(&root.path))),
    )
}

/// By the effective user, as opening does.
fn may(path: &Path, how: Access) -> rustix::io::Result<()> {
    accessat(CWD, path, how, AtFlags::EACCESS)
}

/// For a shell.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+,:@".contains(letter);
    if text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(path: &Path, max_upload: u64) -> RootSpec {
        RootSpec {
            name: "in".into(),
            path: path.to_owned(),
            writable: true,
            overwrite: false,
            private: false,
            max_upload,
        }
    }

    #[test]
    fn a_folder_with_room_and_one_without() {
        let folder = tempfile::tempdir().unwrap();
        let grades = |spec: &RootSpec| check(spec).iter().map(|found| found.grade).collect::<Vec<_>>();
        assert_eq!(grades(&root(folder.path(), 1)), [Grade::Good; 3]);
        assert_eq!(grades(&root(folder.path(), u64::MAX))[2], Grade::CouldBeBetter);
        let gone = root(&folder.path().join("not there"), 1);
        let found = readable(&gone);
        assert_eq!(found.grade, Grade::Wrong);
        assert!(found.commands[0].ends_with("not there'"), "{:?}", found.commands);
    }
}
