//! The WIT of one plugin: a world that exports its hooks and imports what its grants allow, and nothing else.
//!
//! Several languages import all of the world that they are built against, whether the plugin calls it or not,
//! and a server asks for a grant for each import. So a plugin in such a language gets a world of its own.

use std::io;
use std::path::Path;

use super::super::new::sdk_files;
use tuffet_config::GrantKind;
use tuffet_policy::Hook;

/// The name of the world.
pub(in crate::cli::plugin) const WORLD: &str = "plugin";

/// The packages of the interface that a plugin sends HTTP requests over. Their text has the parts that the SDKs
/// use.
const WASI: [(&str, &str); 2] =
    [("wasi-io", "python/tuffet/wit/wasi-io.wit"), ("wasi-http", "python/tuffet/wit/wasi-http.wit")];

/// Writes the WIT of a plugin with these hooks, which requests these grants, into a folder: `world.wit`, and
/// below `deps` the packages that it uses. Returns the paths of the files in the folder.
///
/// # Errors
/// A file cannot be written.
pub(in crate::cli::plugin) fn write(
    folder: &Path,
    hooks: &[Hook],
    grants: &[GrantKind],
) -> io::Result<Vec<String>> {
    let mut files = vec![("world.wit".to_owned(), world(hooks, grants))];
    let wasi = WASI.iter().filter(|_| grants.contains(&GrantKind::Http));
    for (package, path) in [("policy", "wit/policy.wit")].iter().chain(wasi) {
        files.push((format!("deps/{package}/{package}.wit"), sdk_file(path).to_owned()));
    }
    for (path, text) in &files {
        let path = folder.join(path);
        path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        std::fs::write(path, text)?;
    }
    Ok(files.into_iter().map(|(path, _)| path).collect())
}

/// Returns the text of the world.
fn world(hooks: &[Hook], grants: &[GrantKind]) -> String {
    let policy = version("wit/policy.wit");
    let mut text = format!("package local:{WORLD};\n\nworld {WORLD} {{\n");
    let mut line = |text_of_line: String| text += &format!("    {text_of_line};\n");
    line(format!("import tuffet:policy/log@{policy}"));
    for grant in GrantKind::ALL.into_iter().filter(|grant| grants.contains(grant)) {
        match grant {
            GrantKind::Files | GrantKind::Kv | GrantKind::Sinks => {
                line(format!("import tuffet:policy/{}@{policy}", grant.word()));
            }
            GrantKind::Http => {
                line(format!("import wasi:http/outgoing-handler@{}", version(WASI[1].1)));
            }
            // Not in this version of the interface; `tuffet plugin wit` refuses it.
            GrantKind::Metrics | GrantKind::Upload => {}
            // Facts of the request, and interfaces of WASI that every component may import.
            GrantKind::ClientMac | GrantKind::Clock | GrantKind::Random => {}
        }
    }
    line(format!("export tuffet:policy/lifecycle@{policy}"));
    for hook in Hook::ALL.into_iter().filter(|hook| hooks.contains(hook)) {
        line(format!("export tuffet:policy/{}@{policy}", hook.word()));
    }
    text + "}\n"
}

/// Returns a file of the SDK, which this binary contains.
fn sdk_file(path: &str) -> &'static str {
    sdk_files().find(|(name, _)| *name == path).map_or("", |(_, text)| text)
}

/// Returns the version of a package, from its own text.
fn version(path: &str) -> &'static str {
    let package = sdk_file(path).lines().find_map(|line| line.strip_prefix("package "));
    package.and_then(|line| line.split_once('@')).map_or("", |(_, version)| version.trim_end_matches(';'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_world_has_the_hooks_and_the_imports_of_its_grants() {
        let text = world(&[Hook::Observe, Hook::Authorize], &[GrantKind::Sinks, GrantKind::Clock]);
        assert_eq!(
            text,
            "package local:plugin;\n\nworld plugin {\n    import tuffet:policy/log@0.1.0;\n    \
             import tuffet:policy/sinks@0.1.0;\n    export tuffet:policy/lifecycle@0.1.0;\n    \
             export tuffet:policy/authorize@0.1.0;\n    export tuffet:policy/observe@0.1.0;\n}\n"
        );
        assert!(world(&[], &GrantKind::ALL).contains("    import wasi:http/outgoing-handler@0.2.0;\n"));
    }
}
