//! The WIT of one plugin: a world with its exports and the imports that its grants allow.
//!
//! Toolchains of several languages import the whole world that they are built against, called or not, and a server
//! requires a grant for each import. So a plugin in such a language gets its own world.

use std::io;
use std::path::Path;

use crate::export::Export;
use tuffet_config::GrantKind;
use wit_parser::Resolve;

/// The name of the world.
pub(crate) const WORLD: &str = "plugin";

/// The packages of the interface that a plugin sends HTTP requests over. Their text has the parts that the SDKs
/// use.
const WASI: [(&str, &str); 2] =
    [("wasi-io", "python/tuffet/wit/wasi-io.wit"), ("wasi-http", "python/tuffet/wit/wasi-http.wit")];

/// The interface in the SDK.
const POLICY: &str = "wit/policy.wit";

/// Returns the interfaces that a grant opens.
fn imports(grant: GrantKind) -> &'static [&'static str] {
    match grant {
        GrantKind::Kv => &["kv"],
        GrantKind::Files => &["files"],
        GrantKind::Sinks => &["sinks"],
        GrantKind::Metrics => &["metrics"],
        GrantKind::Upload => &["upload-content"],
        GrantKind::ClientHistory => &["history"],
        // Facts of the request, and interfaces of WASI.
        GrantKind::ClientMac | GrantKind::Clock | GrantKind::Http | GrantKind::Random => &[],
    }
}

/// Writes the WIT of a plugin with these exports, which requests these grants, into a folder: `world.wit`, and
/// below `deps` the packages that it uses. Returns the paths of the files in the folder.
///
/// # Errors
/// A file cannot be written.
pub(crate) fn write(folder: &Path, exports: &[Export], grants: &[GrantKind]) -> io::Result<Vec<String>> {
    let mut files = vec![("world.wit".to_owned(), world(exports, grants))];
    let wasi = WASI.iter().filter(|_| grants.contains(&GrantKind::Http));
    for (package, path) in [("policy", POLICY)].iter().chain(wasi) {
        files.push((format!("deps/{package}/{package}.wit"), sdk_file(path).to_owned()));
    }
    for (path, text) in &files {
        let path = folder.join(path);
        path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        std::fs::write(path, text)?;
    }
    Ok(files.into_iter().map(|(path, _)| path).collect())
}

/// Returns the interface as a package in binary form.
///
/// # Errors
/// The WIT in this program is invalid, which a test rules out.
pub(crate) fn package() -> io::Result<Vec<u8>> {
    let mut resolve = Resolve::default();
    let made = resolve.push_str("policy.wit", sdk_file(POLICY));
    made.and_then(|package| wit_component::encode(&resolve, package)).map_err(io::Error::other)
}

/// Returns the text of the world.
fn world(exports: &[Export], grants: &[GrantKind]) -> String {
    let policy = version(POLICY);
    let mut text = format!("package local:{WORLD};\n\nworld {WORLD} {{\n");
    let mut line = |text_of_line: String| text += &format!("    {text_of_line};\n");
    line(format!("import tuffet:policy/log@{policy}"));
    for grant in GrantKind::ALL.into_iter().filter(|grant| grants.contains(grant)) {
        for import in imports(grant) {
            line(format!("import tuffet:policy/{import}@{policy}"));
        }
        if grant == GrantKind::Http {
            line(format!("import wasi:http/outgoing-handler@{}", version(WASI[1].1)));
        }
    }
    line(format!("export tuffet:policy/lifecycle@{policy}"));
    for export in Export::ALL.into_iter().filter(|export| exports.contains(export)) {
        line(format!("export tuffet:policy/{}@{policy}", export.word()));
    }
    text + "}\n"
}

/// Returns a file of the SDK, which this binary contains.
fn sdk_file(path: &str) -> &'static str {
    tuffet_sdk_sources::files().find(|(name, _)| *name == path).map_or("", |(_, text)| text)
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
        let grants = [GrantKind::Sinks, GrantKind::Clock, GrantKind::Kv];
        let text = world(&[Export::Observe, Export::Authorize], &grants);
        let expected = "package local:plugin;\n\nworld plugin {\n    import tuffet:policy/log@V;\n    \
             import tuffet:policy/kv@V;\n    import tuffet:policy/sinks@V;\n    export tuffet:policy/lifecycle@V;\n    \
             export tuffet:policy/authorize@V;\n    export tuffet:policy/observe@V;\n}\n";
        let its = version(POLICY);
        assert_eq!(text, expected.replace("@V", &format!("@{its}")));
        let all = world(&[Export::Resolve, Export::Render], &GrantKind::ALL);
        for import in ["kv", "files", "sinks", "metrics", "upload-content", "history"] {
            assert!(all.contains(&format!("    import tuffet:policy/{import}@{its};\n")), "{all}");
        }
        assert!(all.contains("    import wasi:http/outgoing-handler@0.2.0;\n"), "{all}");
        assert!(all.ends_with(&format!("    export tuffet:policy/render@{its};\n}}\n")), "{all}");
        let none = world(&[Export::Resolve], &[]);
        assert_eq!(none.matches("import").count(), 1, "{none}");
    }
}
