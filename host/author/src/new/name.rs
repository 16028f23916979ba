//! Names of plugins, which are also names of packages, modules and folders.

use std::fmt;
use std::str::FromStr;

/// A name that is valid in every language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PluginName(String);

/// Reserved names: keywords, standard libraries, a project's dependencies and files.
const TAKEN: [&str; 85] = [
    "abstract",
    "alloc",
    "and",
    "as",
    "assert",
    "async",
    "await",
    "become",
    "box",
    "break",
    "build",
    "class",
    "const",
    "continue",
    "core",
    "crate",
    "def",
    "del",
    "deps",
    "do",
    "dyn",
    "elif",
    "else",
    "enum",
    "examples",
    "except",
    "extern",
    "false",
    "final",
    "finally",
    "fn",
    "for",
    "from",
    "gen",
    "global",
    "if",
    "impl",
    "import",
    "in",
    "incremental",
    "is",
    "lambda",
    "let",
    "loop",
    "macro",
    "match",
    "mod",
    "move",
    "mut",
    "none",
    "nonlocal",
    "not",
    "or",
    "override",
    "pass",
    "priv",
    "proc-macro",
    "pub",
    "raise",
    "ref",
    "return",
    "schemars",
    "sdk",
    "self",
    "serde",
    "static",
    "std",
    "struct",
    "super",
    "test",
    "trait",
    "true",
    "try",
    "tuffet",
    "tuffet-sdk",
    "type",
    "typeof",
    "unsafe",
    "unsized",
    "use",
    "virtual",
    "where",
    "while",
    "with",
    "yield",
];

/// The longest name in bytes.
const MAX: usize = 64;

impl FromStr for PluginName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let good = text.len() <= MAX
            && text.starts_with(|first: char| first.is_ascii_lowercase())
            && text.split('-').all(|part| {
                !part.is_empty()
                    && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
            });
        if !good {
            return Err(format!(
                "a name has lower-case letters, digits and single hyphens, begins with a letter and has at \
                 most {MAX} of them, such as firmware-2"
            ));
        }
        if TAKEN.contains(&text) {
            return Err(format!("`{text}` means something else already; write another, such as my-{text}"));
        }
        Ok(PluginName(text.to_owned()))
    }
}

impl PluginName {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PluginName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_every_language_takes() {
        for good in ["a", "firmware", "firmware-2", "x86-boot"] {
            assert_eq!(good.parse().map(|name: PluginName| name.to_string()).as_deref(), Ok(good));
        }
        let long = "a".repeat(MAX + 1);
        for bad in
            ["", "2a", "-a", "a-", "a--b", "A", "a_b", "a.b", "a/b", "../a", "é", "a b", "serde", &long]
        {
            assert!(bad.parse::<PluginName>().is_err(), "{bad}");
        }
        assert!("match".parse::<PluginName>().is_err_and(|why| why.contains("my-match")));
    }
}
