//! The types that wasmtime generates from `sdk/wit`.
//!
//! Each major version of the interface has one module. Version 2 would get a module beside this one, and callers of
//! hooks would always use the newest (see docs/design/plugins.md).

mod v1;

pub(super) use v1::Plugin;
pub(super) use v1::exports::tuffet::policy::{
    accept_upload, authorize, lifecycle, render, render_parts, resolve,
};
pub(super) use v1::tuffet::policy::{
    contents, files, history, kv, log, metrics, sinks, types, upload_content,
};

use semver::Version;
use wasmtime::Engine;
use wasmtime::component::Component;

/// The version of the package `tuffet:policy` of this server.
pub(super) const PROVIDED: &str = "1.0.0";

/// Returns the name of an interface in exports and imports. The engine also finds it under any compatible version.
pub(super) fn interface(name: &str) -> String {
    format!("tuffet:policy/{name}@{PROVIDED}")
}

/// Returns whether a component built for this version works with the provided one.
pub(super) fn is_compatible(version: &str) -> bool {
    compatible(version, PROVIDED)
}

/// Each pre-release is compatible only with itself; releases of one major version are compatible.
fn compatible(built: &str, provided: &str) -> bool {
    match (Version::parse(built), Version::parse(provided)) {
        (Ok(built), Ok(provided)) if built.pre.is_empty() && provided.pre.is_empty() => {
            built.major == provided.major
        }
        (Ok(built), Ok(provided)) => built == provided,
        _ => false,
    }
}

/// Returns the version that a component was built for, from its `lifecycle` export.
pub(super) fn version_of(engine: &Engine, component: &Component) -> Option<String> {
    let ty = component.component_type();
    let version = ty.exports(engine).find_map(|(name, _)| name.strip_prefix("tuffet:policy/lifecycle@"));
    version.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_provided_version_is_that_of_the_wit() {
        let wit = include_str!("../../wit/policy.wit");
        assert!(wit.contains(&format!("package tuffet:policy@{PROVIDED};")));
        assert!(is_compatible(PROVIDED));
    }

    #[test]
    fn released_versions_of_one_major_number_work_together() {
        for (built, provided) in
            [("1.0.0", "1.0.0"), ("1.0.3", "1.0.0"), ("1.0.0", "1.2.0"), ("1.1.0", "1.0.0")]
        {
            assert!(compatible(built, provided), "{built} {provided}");
        }
        for (built, provided) in [
            ("1.0.0-rc.1", PROVIDED),
            ("1.0.0-rc.1", "1.0.0-rc.2"),
            ("1.0.0", "1.0.0-rc.1"),
            ("0.2.0", "1.0.0"),
            ("2.0.0", "1.0.0"),
            ("", "1.0.0"),
        ] {
            assert!(!compatible(built, provided), "{built} {provided}");
        }
    }
}
