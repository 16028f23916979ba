//! How much memory the control group of this process allows, in containers above all.

use std::fs;
use std::path::{Component, Path, PathBuf};

/// What part of the allowed memory hot files may take.
const PART: u64 = 4;

/// `capacity`, or as much of it as hot files may take where the memory of this process is bounded.
pub(super) fn within_bounds(capacity: u64) -> u64 {
    let Some(allowed) = allowed(Path::new("/")) else { return capacity };
    let most = allowed / PART;
    if capacity > most {
        tracing::warn!(
            target: "tuffet::store::memory",
            cache = capacity,
            allowed,
            used = most,
            "`limits.cache` exceeds a quarter of the memory limit of this control group, so a quarter is \
             used; lower `limits.cache`, or raise the memory limit"
        );
    }
    capacity.min(most)
}

/// Bytes that the control group of this process may use, in both versions of them (cgroups(7)).
fn allowed(root: &Path) -> Option<u64> {
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).ok()?;
    groups
        .lines()
        .filter_map(|line| {
            let mut parts = line.splitn(3, ':');
            let (number, controllers, group) = (parts.next()?, parts.next()?, parts.next()?);
            if number == "0" && controllers.is_empty() {
                return least_around(group, |group| format!("sys/fs/cgroup/{group}/memory.max"), root);
            }
            let memory = controllers.split(',').any(|name| name == "memory");
            let file = |group: &str| format!("sys/fs/cgroup/memory/{group}/memory.limit_in_bytes");
            memory.then(|| least_around(group, file, root)).flatten()
        })
        .min()
        // Version 1 says "no limit" by a number that no machine has.
        .filter(|bytes| *bytes < 1 << 60)
}

/// The least limit of a group and those around it.
fn least_around(group: &str, file: impl Fn(&str) -> String, root: &Path) -> Option<u64> {
    // A group outside of this namespace shows as `/../name`.
    let parts: PathBuf =
        Path::new(group).components().filter(|part| matches!(part, Component::Normal(_))).collect();
    let limits = parts.ancestors().filter_map(|group| {
        let text = fs::read_to_string(root.join(file(group.to_str()?))).ok()?;
        text.trim().parse().ok()
    });
    limits.min()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, content) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        folder
    }

    #[test]
    fn the_least_limit_of_either_version_counts() {
        let two = machine(&[
            ("proc/self/cgroup", "0::/a/b\n"),
            ("sys/fs/cgroup/a/memory.max", "104857600\n"),
            ("sys/fs/cgroup/a/b/memory.max", "max\n"),
        ]);
        assert_eq!(allowed(two.path()), Some(104_857_600));
        // In a container of version 1 its own group is mounted, whatever it is called outside.
        let one = machine(&[
            ("proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/docker/0123\n0::/\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "67108864\n"),
        ]);
        assert_eq!(allowed(one.path()), Some(67_108_864));
    }

    #[test]
    fn without_a_limit_there_is_none() {
        let none = machine(&[
            ("proc/self/cgroup", "4:memory:/a\n0::/\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
        ]);
        assert_eq!(allowed(none.path()), None);
        assert_eq!(allowed(machine(&[]).path()), None);
    }
}
