//! Reports the tests that this machine cannot run: `make test` prints the list at its end.

use std::env;
use std::fs::OpenOptions;
use std::io::Write;

/// Reports a skipped test, on the terminal and in the file that `TUFFET_SKIPPED` names.
pub fn skipped(why: &str) {
    eprintln!("skipped: {why}");
    let Some(list) = env::var_os("TUFFET_SKIPPED") else { return };
    let file = OpenOptions::new().create(true).append(true).open(&list);
    // One write, so that parallel tests do not mix their lines.
    let written = file.and_then(|mut file| file.write_all(format!("skipped: {why}\n").as_bytes()));
    written.unwrap_or_else(|error| panic!("TUFFET_SKIPPED={}: {error}", list.display()));
}

pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
