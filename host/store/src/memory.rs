//! The memory limit of this process's control group, above all in containers.

use std::fs;
use std::path::{Component, Path, PathBuf};

/// The divisor of the memory limit: the file cache may use a quarter.
const LIMIT_DIVISOR: u64 = 4;

/// Returns `capacity`, bounded by a quarter of the memory limit.
pub(super) fn within_bounds(capacity: u64) -> u64 {
    let Some(allowed) = allowed(Path::new("/")) else { return capacity };
    let most = allowed / LIMIT_DIVISOR;
    if capacity > most {
        tracing::warn!(
            target: "tuffet::store::memory",
            cache = capacity,
            allowed,
            used = most,
            "the cache of contents (`cache` of the limits) exceeds a quarter of the memory limit of this control group, so a \
             quarter is used; lower it, or raise the memory limit"
        );
    }
    capacity.min(most)
}

/// Returns the memory limit of this process's control group in bytes, in both versions of control groups
/// (cgroups(7)).
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
        // Version 1 reports "no limit" as a huge number.
        .filter(|bytes| *bytes < 1 << 60)
}

/// Returns the smallest limit of a group and its ancestors.
fn least_around(group: &str, file: impl Fn(&str) -> String, root: &Path) -> Option<u64> {
    // A group outside of this namespace appears as `/../name`.
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
    fn the_smallest_limit_of_either_version_applies() {
        let two = machine(&[
            ("proc/self/cgroup", "0::/a/b\n"),
            ("sys/fs/cgroup/a/memory.max", "104857600\n"),
            ("sys/fs/cgroup/a/b/memory.max", "max\n"),
        ]);
        assert_eq!(allowed(two.path()), Some(104_857_600));
        // In a container of version 1, its own group is mounted, whatever its name is outside.
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
