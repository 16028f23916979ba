//! The versions of dependencies of a new project in Rust: those that Tuffet itself was tested with.

/// The lock file of the template, with the project name `plugin-name`.
const LOCK: &str = include_str!("../../templates/rust/Cargo.lock");

/// Returns the lock of a project with this name. Cargo requires packages in the order of their names.
pub(super) fn of(name: &str) -> String {
    let (head, packages) = LOCK.split_once("[[package]]\n").unwrap_or((LOCK, ""));
    let renamed = packages.replace("\"plugin-name\"", &format!("\"{name}\""));
    let mut packages: Vec<&str> = renamed.split("[[package]]\n").map(str::trim_end).collect();
    packages.sort_by_key(|package| package.lines().next().unwrap_or_default().to_owned());
    let packages: Vec<String> = packages.iter().map(|package| format!("[[package]]\n{package}\n")).collect();
    format!("{head}{}", packages.join("\n"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Each version of the template is one of the workspace: new projects use tested versions.
    #[test]
    fn the_versions_are_those_of_the_workspace() {
        fn blocks(lock: &str) -> impl Iterator<Item = (&str, &str, &str)> {
            lock.split("[[package]]\n").skip(1).map(|package| {
                let of = |key: &str| package.lines().find(|line| line.starts_with(key)).unwrap_or_default();
                (of("name = "), of("version = "), of("checksum = "))
            })
        }
        let workspace = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock"));
        let workspace = workspace.expect("the lock of the workspace");
        let ours: Vec<_> = blocks(&workspace).collect();
        let its: Vec<_> = blocks(LOCK).filter(|(name, ..)| *name != "name = \"plugin-name\"").collect();
        assert!(its.len() > 5, "{its:?}");
        for package in its {
            assert!(
                ours.contains(&package),
                "{package:?} is not in Cargo.lock: mend sdk/templates/rust/Cargo.lock, CONTRIBUTING.md says how"
            );
        }
    }

    #[test]
    fn packages_are_in_the_order_of_their_names() {
        for name in ["a", "zz", "plugin-name"] {
            let lock = of(name);
            let names: Vec<&str> = lock.lines().filter(|line| line.starts_with("name = ")).collect();
            assert!(names.is_sorted(), "{names:?}");
            assert!(names.contains(&format!("name = \"{name}\"").as_str()));
        }
        assert_eq!(of("plugin-name"), LOCK);
    }
}
