//! `--log`: levels and directives. A directive that can match nothing is an error: otherwise `warning` would name a
//! target and silence the server.

use tracing::level_filters::LevelFilter;
use tracing_subscriber::EnvFilter;

/// The targets of panics and of dropped lines. Both pass any filter.
pub(super) const PANIC: &str = "tuffet::panic";
pub(super) const DROPPED: &str = "tuffet::stderr";

/// The server's targets and their prefixes.
const TARGETS: [&str; 27] = [
    "tuffet::transfer",
    "tuffet::policy",
    "tuffet::plugin",
    "tuffet::sinks",
    "tuffet::telemetry",
    "tuffet::worker",
    "tuffet::store",
    "tuffet::kv",
    "tuffet::origin",
    "tuffet::server",
    "tuffet::admission",
    "tuffet::events",
    "tuffet::admin",
    "tuffet::http",
    "tuffet::watch",
    "tuffet::source",
    "tuffet::fleet",
    "tuffet::accept",
    "tuffet::neighbours",
    "tuffet::leases",
    "tuffet::vlans",
    "tuffet::interfaces",
    "tuffet::privileges",
    "tuffet::systemd",
    "tuffet::socket_file",
    DROPPED,
    PANIC,
];

/// Dependencies that can log.
const CRATES: &[&str] = &include!(concat!(env!("OUT_DIR"), "/logging_crates.rs"));

/// Parses the value of `--log`.
///
/// # Errors
/// The problem and the accepted values.
pub(super) fn parse(text: &str) -> Result<EnvFilter, String> {
    let directives: Vec<&str> =
        text.split(',').map(str::trim).filter(|directive| !directive.is_empty()).collect();
    if directives.is_empty() {
        return Err(refused("it names no level"));
    }
    directives.iter().try_for_each(|directive| check(directive))?;
    let mut filter = EnvFilter::try_new(directives.join(",")).map_err(|error| refused(&error.to_string()))?;
    for always in [format!("{PANIC}=error"), format!("{DROPPED}=warn")] {
        filter = filter.add_directive(always.parse().map_err(|error| refused(&format!("{error}")))?);
    }
    Ok(filter)
}

/// Refuses a directive that no line can match.
fn check(directive: &str) -> Result<(), String> {
    if directive.parse::<LevelFilter>().is_ok() {
        return Ok(());
    }
    let target_end = directive.find(['[', '=']).unwrap_or(directive.len());
    let (target, rest) = directive.split_at(target_end);
    if let Some(level) = rest.strip_prefix('=')
        && (level.is_empty() || level.parse::<LevelFilter>().is_err())
    {
        let meant = meant_level(level).map(|level| format!("; did you mean `{level}`?")).unwrap_or_default();
        return Err(refused(&format!("`{level}` is no level{meant}")));
    }
    if target.is_empty() {
        // `[{field}]` matches lines with that field, from any target.
        return if rest.starts_with('[') { Ok(()) } else { Err(refused("it names no target before `=`")) };
    }
    if !is_target(target) {
        let meant = meant_level(target).map(|level| format!("; did you mean `{level}`?")).unwrap_or_default();
        return Err(refused(&format!("`{target}` is neither a level nor a target{meant}")));
    }
    let span = rest.strip_prefix('[').and_then(|rest| rest.split(['{', ']']).next());
    if target.starts_with("tuffet") && span.is_some_and(|span| !span.is_empty()) {
        return Err(refused("the server's lines belong to no span"));
    }
    Ok(())
}

/// Returns the level that other programs call so: `warning`, `err`, `information`.
fn meant_level(word: &str) -> Option<&'static str> {
    let word = word.to_ascii_lowercase();
    ["error", "warn", "info", "debug", "trace"]
        .into_iter()
        .find(|level| word.len() >= 3 && (word.starts_with(level) || level.starts_with(&word)))
}

/// Returns whether a line can have a target with this prefix, as filters compare them.
fn is_target(target: &str) -> bool {
    let below = |known: &str| target.strip_prefix(known).is_some_and(|rest| rest.starts_with("::"));
    TARGETS.iter().any(|known| known.starts_with(target) || below(known))
        || CRATES.iter().any(|known| target == *known || below(known))
}

fn refused(why: &str) -> String {
    format!(
        "{why}; write a level (error, warn, info, debug, trace, or off), or TARGET=LEVEL with one of the targets {}",
        TARGETS.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::{Path, PathBuf};

    #[test]
    fn words_of_other_programs_are_understood() {
        for (word, level) in
            [("warning", "warn"), ("err", "error"), ("information", "info"), ("Debugging", "debug")]
        {
            for filter in [word.to_owned(), format!("tuffet::transfer={word}")] {
                let said = parse(&filter).expect_err(&filter);
                assert!(said.contains(&format!("did you mean `{level}`?")), "{said}");
            }
        }
        assert!(!parse("verbose").expect_err("no level").contains("did you mean"));
    }

    #[test]
    fn directives_without_a_match_are_refused() {
        for filter in [
            "error",
            "WARN",
            "off",
            "2",
            "warn,tuffet::transfer=info",
            "tuffet=debug",
            "tuffet",
            "info, h2=warn",
            "tuffet::server::reload=trace",
            "wasmtime=debug,info",
            "[{client}]=debug",
            "tuffet::transfer[{path}]=info",
            "wasmtime::runtime=off",
            "tuffet::tr=warn",
        ] {
            assert!(parse(filter).is_ok(), "{filter}: {:?}", parse(filter).err());
        }
        for filter in [
            "warning",
            "verbose",
            "information",
            "tuffet::transfers=info",
            "tuffed=info",
            "tuffet=warning",
            "tuffet=",
            "=info",
            "",
            " , ",
            "info,warning",
            "transfer=info",
            "tuffet[request]=info",
            "tuffet::transfer=info=debug",
            "serverus::x=info",
        ] {
            let error = parse(filter).expect_err(filter);
            assert!(error.contains("error, warn, info, debug, trace"), "{error}");
        }
    }

    /// The sources of the server's crates, without tests.
    fn sources() -> Vec<(PathBuf, String)> {
        fn collect(folder: &Path, into: &mut Vec<(PathBuf, String)>) {
            for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                let name = entry.file_name().unwrap().to_string_lossy().into_owned();
                if entry.is_dir() && !name.contains("tests") && name != "simulation" {
                    collect(&entry, into);
                } else if name.ends_with(".rs") && !name.contains("tests") {
                    let text = fs::read_to_string(&entry).unwrap();
                    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned();
                    into.push((entry, code));
                }
            }
        }
        let host = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut found = Vec::new();
        let crates = fs::read_dir(&host).unwrap().map(|entry| entry.unwrap().path().join("src"));
        // Crates for tests do not log.
        let used = |source: &PathBuf| source.is_dir() && !source.ends_with("testkit/src");
        for source in crates.filter(used) {
            collect(&source, &mut found);
        }
        assert!(found.len() > 100, "{} files", found.len());
        found
    }

    #[test]
    fn each_line_of_the_server_has_a_target_that_a_filter_may_name() {
        for (file, code) in sources() {
            for call in code.split("tracing::").skip(1) {
                let levels = ["trace!(", "debug!(", "info!(", "warn!(", "error!("];
                let Some(rest) = levels.iter().find_map(|level| call.strip_prefix(level)) else { continue };
                let Some(named) = rest.trim_start().strip_prefix("target: ") else {
                    panic!("a line in {} names no target: it would be that of its module", file.display());
                };
                // Otherwise a constant of this file.
                let Some(named) = named.strip_prefix('"') else { continue };
                let target = named.split('"').next().unwrap_or_default();
                assert!(is_target(target), "{target}, in {}", file.display());
            }
        }
    }

    #[test]
    fn nothing_else_writes_to_standard_error() {
        let allowed = ["terminal/src/lib.rs", "src/logging/mod.rs"];
        for (file, code) in sources() {
            let code = code
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"))
                .collect::<Vec<_>>()
                .join("\n");
            let writes = ["eprint", "dbg!", "io::stderr()"].iter().any(|call| code.contains(call));
            assert!(!writes || allowed.iter().any(|allowed| file.ends_with(allowed)), "{}", file.display());
        }
    }
}
