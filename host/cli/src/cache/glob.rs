//! Globs for paths: `*` within a folder, `**` across folders, `?` for one character.

/// Whether a name is a glob, not a path.
pub(super) fn is_glob(name: &str) -> bool {
    name.contains(['*', '?'])
}

/// Whether the glob matches the whole path. A leading slash of the glob is ignored, because paths have none.
pub(super) fn matches(glob: &str, path: &str) -> bool {
    let glob: Vec<char> = glob.trim_start_matches('/').chars().collect();
    let path: Vec<char> = path.chars().collect();
    // The prefixes of the path that the glob so far matches: the time is at most the product of both lengths.
    let mut reached = vec![false; path.len() + 1];
    reached[0] = true;
    let mut at = 0;
    while at < glob.len() {
        let across = glob[at] == '*' && glob.get(at + 1) == Some(&'*');
        let mut next = vec![false; path.len() + 1];
        match glob[at] {
            '*' => {
                let mut open = false;
                for (index, slot) in next.iter_mut().enumerate() {
                    let crosses = index > 0 && path[index - 1] == '/';
                    open = reached[index] || (open && (across || !crosses));
                    *slot = open;
                }
            }
            wanted => {
                for index in (0..path.len()).filter(|index| reached[*index]) {
                    next[index + 1] = path[index] == wanted || (wanted == '?' && path[index] != '/');
                }
            }
        }
        reached = next;
        at += if across { 2 } else { 1 };
    }
    reached[path.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_as_in_a_shell() {
        for (glob, path) in [
            ("a/b.img", "a/b.img"),
            ("/a/*", "a/b.img"),
            ("**", "a/b/c"),
            ("a/**/c", "a/b/x/c"),
            ("*.cfg", "02AB.cfg"),
            ("0?AB.*", "02AB.cfg"),
            ("**/*.img", "a/b/c.img"),
            ("a*", "a"),
        ] {
            assert!(matches(glob, path), "{glob} {path}");
        }
        for (glob, path) in
            [("*", "a/b"), ("a/*", "a/b/c"), ("?", "/"), ("a", "ab"), ("*.cfg", "a/x.cfg"), ("", "a")]
        {
            assert!(!matches(glob, path), "{glob} {path}");
        }
        assert!(!matches(&"*a".repeat(200), &"a".repeat(199)));
        assert!(is_glob("a*") && !is_glob("a/b"));
    }
}
