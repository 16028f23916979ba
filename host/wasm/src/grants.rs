//! Grants: the manifest of a plugin requests them, the configuration gives them. A grant takes effect only if
//! both do.

use super::manifest::Manifest;
use tuffet_config::{Fact, Grant, GrantKind};
use tuffet_policy::text;

/// The result of comparing requested and given grants.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct GrantCheck {
    /// The grants of the plugin.
    pub granted: Vec<Grant>,
    /// The problems that prevent it from running, each with the remedy.
    pub problems: Vec<String>,
    /// Grants without effect.
    pub warnings: Vec<String>,
    /// See [`Manifest::empty_batches`].
    pub empty_batches: bool,
    /// See [`Manifest::facts`].
    pub facts: Vec<Fact>,
}

/// The configured names, for remedies in messages.
pub(super) struct ConfiguredNames<'a> {
    pub roots: &'a [String],
    pub sinks: &'a [String],
}

/// Compares the grants. `imports`: the imports of the component, such as `tuffet:policy/kv@1.0.0`.
pub(super) fn judge(
    imports: &[&str],
    manifest: &Manifest,
    given: &[Grant],
    known: &ConfiguredNames<'_>,
) -> GrantCheck {
    let (empty_batches, facts) = (manifest.empty_batches, manifest.facts.clone());
    let mut judged = GrantCheck { empty_batches, facts, ..GrantCheck::default() };
    // Each message has the whole line, so that it is copied once.
    let all = line(given, &missing(imports, manifest, given, known));
    for kind in GrantKind::ALL {
        let is_of_kind = |name: &&&str| imports_of(kind).iter().any(|prefix| name.starts_with(prefix));
        let import = imports.iter().find(is_of_kind);
        let of_kind = || given.iter().filter(|grant| grant.kind() == kind);
        match (import, manifest.grant_request(kind)) {
            (Some(import), None) => judged.problems.push(format!(
                "it imports {import}, and its manifest does not ask for the grant `{}`: its author must ask for it \
                 there, with the reason (docs/plugins.md, \"Grants\"); then grant it with `{all}`",
                kind.word(),
            )),
            (import, Some(request)) if of_kind().next().is_none() && !request.optional => {
                let imports = import.map(|import| format!(", and imports {import}")).unwrap_or_default();
                let mut problem = format!(
                    "it asks for the grant `{}` ({:?}){imports}, and the configuration does not give it: write `{all}`, \
                     or leave the plugin out",
                    kind.word(),
                    text::reason(&request.reason),
                );
                if kind == GrantKind::Sinks && known.sinks.is_empty() {
                    problem += "; the sink itself stands below `sinks`, such as `audit: { file: audit.jsonl }`";
                }
                judged.problems.push(problem);
            }
            (_, Some(_)) => judged.granted.extend(of_kind().cloned()),
            (None, None) => judged.warnings.extend(of_kind().map(|grant| {
                format!(
                    "it is granted `{grant}` and does not ask for it in its manifest, so it does not get it: \
                     remove `{grant}` from its `grants`"
                )
            })),
        }
    }
    judged
}

/// Returns an example of each grant that the plugin needs and does not get.
fn missing(
    imports: &[&str],
    manifest: &Manifest,
    given: &[Grant],
    known: &ConfiguredNames<'_>,
) -> Vec<String> {
    let lacks = |kind: &GrantKind| {
        let is_imported =
            imports_of(*kind).iter().any(|prefix| imports.iter().any(|name| name.starts_with(prefix)));
        let is_given = given.iter().any(|grant| grant.kind() == *kind);
        match manifest.grant_request(*kind) {
            Some(request) => !request.optional && !is_given,
            None => is_imported && !is_given,
        }
    };
    GrantKind::ALL.into_iter().filter(lacks).map(|kind| example(kind, known)).collect()
}

/// Returns the import prefixes of a kind. Empty for a kind without an import, or with one that is always linked.
fn imports_of(kind: GrantKind) -> &'static [&'static str] {
    match kind {
        GrantKind::Kv => &["tuffet:policy/kv@"],
        GrantKind::Files => &["tuffet:policy/files@"],
        GrantKind::Sinks => &["tuffet:policy/sinks@"],
        GrantKind::Metrics => &["tuffet:policy/metrics@"],
        GrantKind::Upload => &["tuffet:policy/upload-content@"],
        GrantKind::Http => &["wasi:http/outgoing-handler@"],
        GrantKind::ClientHistory => &["tuffet:policy/history@"],
        GrantKind::ClientMac | GrantKind::Clock | GrantKind::Random => &[],
    }
}

fn example(kind: GrantKind, known: &ConfiguredNames<'_>) -> String {
    let first = |names: &[String], otherwise: &str| {
        format!("{}/{}", kind.word(), names.first().map_or(otherwise, String::as_str))
    };
    match kind {
        GrantKind::Files => first(known.roots, "ROOT"),
        GrantKind::Sinks => first(known.sinks, "audit"),
        GrantKind::Http => "http/HOST:PORT".into(),
        plain => plain.word().into(),
    }
}

/// Returns the complete line for the configuration, with the existing grants.
fn line(given: &[Grant], more: &[String]) -> String {
    let mut all: Vec<String> = given.iter().map(Grant::to_string).collect();
    all.extend(more.iter().cloned());
    format!("grants: [{}]", all.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::GrantRequest;

    const KV: &str = "tuffet:policy/kv@1.0.0";

    fn asking(grant: &str, optional: bool) -> Manifest {
        let request = GrantRequest { grant: grant.into(), reason: "counts \"downloads\"".into(), optional };
        Manifest { grants: vec![request], ..Manifest::default() }
    }

    fn judged(imports: &[&str], manifest: &Manifest, given: &[Grant]) -> GrantCheck {
        let (roots, sinks) = (["boot".to_string()], []);
        judge(imports, manifest, given, &ConfiguredNames { roots: &roots, sinks: &sinks })
    }

    #[test]
    fn asked_and_granted() {
        let judged = judged(&[KV, "wasi:io/streams@0.2.6"], &asking("kv", false), &[Grant::Kv]);
        assert_eq!(judged, GrantCheck { granted: vec![Grant::Kv], ..GrantCheck::default() });
    }

    #[test]
    fn asked_and_not_granted() {
        let judged = judged(&[KV], &asking("kv", false), &[Grant::Clock]);
        assert_eq!(
            judged.problems,
            [
                "it asks for the grant `kv` (\"counts \\\"downloads\\\"\"), and imports tuffet:policy/kv@1.0.0, and the \
              configuration does not give it: write `grants: [clock, kv]`, or leave the plugin out"
            ]
        );
        assert_eq!(judged.granted, []);
    }

    #[test]
    fn used_and_not_asked_for() {
        for given in [&[][..], &[Grant::Kv]] {
            let problems = judged(&[KV], &Manifest::default(), given).problems;
            assert!(problems[0].ends_with("then grant it with `grants: [kv]`"), "{problems:?}");
        }
    }

    #[test]
    fn an_optional_grant_may_be_missing() {
        assert_eq!(judged(&[KV], &asking("kv", true), &[]), GrantCheck::default());
        let granted = judged(&[KV], &asking("kv", true), &[Grant::Kv]).granted;
        assert_eq!(granted, [Grant::Kv]);
    }

    #[test]
    fn imported_and_not_asked_for() {
        for given in [&[][..], &[Grant::Kv]] {
            let judged = judged(&[KV], &Manifest::default(), given);
            assert_eq!((judged.problems.len(), judged.granted.len()), (1, 0));
            assert!(judged.problems[0].contains(KV) && judged.problems[0].contains("its author must ask"));
        }
    }

    #[test]
    fn http_is_known_by_the_interface_of_wasi() {
        let imports = ["wasi:http/types@0.2.12", "wasi:http/outgoing-handler@0.2.12"];
        let problems = judged(&imports, &Manifest::default(), &[]).problems;
        assert!(problems[0].contains("wasi:http/outgoing-handler@0.2.12"), "{problems:?}");
        assert!(problems[0].contains("`grants: [http/HOST:PORT]`"), "{problems:?}");
        assert_eq!(judged(&imports[..1], &Manifest::default(), &[]), GrantCheck::default());
    }

    #[test]
    fn each_message_has_all_that_is_missing() {
        let mut manifest = asking("kv", false);
        manifest.grants.extend(asking("files", false).grants);
        let problems = judged(&[KV, "tuffet:policy/metrics@1.0.0"], &manifest, &[Grant::Clock]).problems;
        assert_eq!(problems.len(), 3, "{problems:?}");
        for problem in problems {
            assert!(problem.contains("`grants: [clock, files/boot, kv, metrics]`"), "{problem}");
        }
    }

    #[test]
    fn granted_and_not_asked_for() {
        let given = [Grant::Files("boot".into()), Grant::ClientMac];
        let judged = judged(&[], &asking("client-mac", false), &given);
        assert_eq!(judged.granted, [Grant::ClientMac]);
        assert_eq!(judged.problems, [""; 0]);
        assert!(judged.warnings[0].contains("remove `files/boot`"), "{judged:?}");
    }

    #[test]
    fn the_remedy_names_configured_roots_and_sinks() {
        let files = judged(&[], &asking("files", false), &[]).problems;
        assert!(files[0].contains("write `grants: [files/boot]`"), "{files:?}");
        let sinks = judged(&[], &asking("sinks", false), &[]).problems;
        assert!(sinks[0].contains("write `grants: [sinks/audit]`") && sinks[0].contains("below `sinks`"));
    }
}
