//! The seeds of the fuzz target, and reproducible mutations of them.

use super::request;
use std::fs;
use std::path::Path;
use tuffet_testkit::seeds::seeds;

/// Words with a meaning in a request.
const WORDS: [&str; 24] = [
    "\n",
    "%",
    "%2e",
    "%00",
    "/",
    "..",
    "bytes=",
    "-",
    ",",
    "0",
    "18446744073709551615",
    "99999999999999999999",
    "\"",
    "W/",
    "*",
    "Range: ",
    "If-Match: ",
    "If-None-Match: ",
    "If-Range: ",
    "If-Modified-Since: ",
    "If-Unmodified-Since: ",
    "Sun, 06 Nov 1994 08:49:37 GMT",
    "é",
    "\u{7f}",
];

#[test]
fn what_is_made_of_any_request_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/seeds/request");
    let entries = fs::read_dir(folder).expect("the seeds").map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<_> = entries.collect();
    paths.sort();
    let inputs: Vec<Vec<u8>> = paths.iter().map(|path| fs::read(path).expect("a seed")).collect();
    assert!(inputs.len() > 5, "{paths:?}");
    for (path, input) in paths.iter().zip(&inputs) {
        request(input).unwrap_or_else(|wrong| panic!("{}: {wrong}", path.display()));
    }
    for seed in seeds(20_000) {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut input = inputs[random.usize(..inputs.len())].clone();
        for _ in 0..random.usize(1..6) {
            let at = random.usize(..=input.len());
            let until = (at + random.usize(..12)).min(input.len());
            match random.u8(..4) {
                0 if at < input.len() => input[at] = random.u8(..),
                1 => drop(input.drain(at..until)),
                2 => drop(input.splice(at..until, inputs[random.usize(..inputs.len())].clone())),
                _ => drop(input.splice(at..at, WORDS[random.usize(..WORDS.len())].bytes())),
            }
        }
        request(&input).unwrap_or_else(|wrong| panic!("seed {seed}: {wrong}\n{}", input.escape_ascii()));
    }
}
