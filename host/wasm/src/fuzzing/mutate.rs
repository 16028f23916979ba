//! Slightly changes texts and bytes: like a fuzzer, but without coverage feedback, and reproducibly.

use fastrand::Rng;

/// Words with a meaning in YAML or JSON.
const WORDS: [&str; 32] = [
    "\n",
    "\r\n",
    "\t",
    "  ",
    ": ",
    "- ",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "'",
    "|",
    ">",
    "&a ",
    "*a",
    "<<: *a",
    "!!str ",
    "? ",
    "---\n",
    "...\n",
    "# ",
    "${HOME}",
    "null",
    "~",
    "-1",
    "18446744073709551616",
    "1e400",
    "0x10",
    "\u{feff}",
    "\0",
    "é\u{2028}",
];

/// Applies a few changes to one of some inputs, or joins parts of two.
pub fn mutated(inputs: &[Vec<u8>], random: &mut Rng) -> Vec<u8> {
    let mut input = inputs[random.usize(..inputs.len())].clone();
    for _ in 0..random.usize(1..=4) {
        let at = random.usize(..=input.len());
        let until = (at + random.usize(..=40)).min(input.len());
        match random.u8(..7) {
            0 if at < input.len() => input[at] ^= 1 << random.u8(..8),
            1 => drop(input.drain(at..until)),
            2 => {
                let piece = input[at..until].to_vec();
                let to = random.usize(..=input.len());
                input.splice(to..to, piece.repeat(random.usize(1..=3)));
            }
            3 => drop(input.splice(at..until, inputs[random.usize(..inputs.len())].clone())),
            4 => input.truncate(at),
            5 if at < input.len() => input[at] = random.u8(..),
            _ => drop(input.splice(at..at, WORDS[random.usize(..WORDS.len())].bytes())),
        }
    }
    input
}
