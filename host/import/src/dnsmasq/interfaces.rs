//! The network interfaces of this system, for settings that name them by a pattern.

use std::path::Path;

/// Returns the names of the interfaces, sorted.
pub(super) fn present() -> Vec<String> {
    let entries = Path::new("/sys/class/net").read_dir().into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| entry.path().is_dir())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    names
}

/// Whether a name matches; a `*` at the end matches any suffix.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => pattern == name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        assert!(matches("eth*", "eth0") && matches("*", "lo") && matches("eth0", "eth0"));
        assert!(!matches("eth0", "eth01") && !matches("eth*", "br0"));
        assert!(present().iter().any(|name| name == "lo"), "{:?}", present());
    }
}
