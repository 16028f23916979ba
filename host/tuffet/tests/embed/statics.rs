//! The crates of the library have no state of the process, except what is named here.

use std::fs;
use std::path::{Path, PathBuf};

/// The crates below `tuffet` without features.
const CRATES: [&str; 8] = [
    "../../core/src",
    "../engine/src",
    "../leases/src",
    "../policy/src",
    "../request/src",
    "../server/src",
    "../store/src",
    "../udp/src",
];

/// The allowed ones: the file, a part of the line, and the reason.
const ALLOWED: [(&str, &str, &str); 6] = [
    (
        "store/src/remote.rs",
        "static NEXT",
        "counts ids that differ within a process; two servers only use up more",
    ),
    (
        "request/src/packed_time.rs",
        "static BASE",
        "is any moment of the process, from which times are counted",
    ),
    ("store/src/obstacle.rs", "static USER", "is the name of the user, whom a process has one of"),
    ("policy/src/deferred_work.rs", "static COLLECTED", "is set and emptied within one poll on one thread"),
    (
        "server/src/admission/deciders.rs",
        "static MAY_BLOCK",
        "is set and reset within one poll on one thread",
    ),
    (
        "server/src/admission/held_wake.rs",
        "static HELD",
        "is set and emptied within one batch of requests on one thread",
    ),
];

fn sources(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, all);
        } else if path.file_name().is_some_and(|name| name != "tests.rs")
            && path.extension().is_some_and(|extension| extension == "rs")
        {
            all.push(path);
        }
    }
}

#[test]
fn there_is_no_state_of_the_process() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    CRATES.iter().for_each(|folder| sources(&here.join(folder), &mut files));
    assert!(files.len() > 200, "{} files", files.len());
    let mut found = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        for line in text.lines().map(str::trim) {
            let declares = ["static ", "pub static ", "pub(crate) static ", "pub(super) static "];
            if declares.iter().any(|start| line.starts_with(start)) {
                found.push((file.clone(), line.to_owned()));
            }
        }
    }
    for (file, line) in &found {
        let is_allowed = ALLOWED
            .iter()
            .any(|(path, part, _)| file.ends_with(path.trim_start_matches("../")) && line.contains(part));
        assert!(is_allowed, "{}: {line}", file.display());
    }
    assert_eq!(found.len(), ALLOWED.len(), "an allowed one is gone: remove it from the list");
}
