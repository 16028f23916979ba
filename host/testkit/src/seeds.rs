//! The worlds that a test simulates, and how to repeat one of them.

use std::ops::Range;

/// The seeds of a run: only `TUFFET_SEED` if it is set, otherwise `TUFFET_SEEDS` many (by default
/// `otherwise`) from `TUFFET_FIRST_SEED` on.
pub fn seeds(otherwise: u64) -> Range<u64> {
    let given = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    match given("TUFFET_SEED") {
        Some(seed) => seed..seed + 1,
        None => {
            let first = given("TUFFET_FIRST_SEED").unwrap_or(0);
            first..first + given("TUFFET_SEEDS").unwrap_or(otherwise)
        }
    }
}

/// Runs the world of a seed. If it panics, prints to standard error the seed, the description of its world,
/// and the command that runs it alone: `cargo test` with these arguments.
pub fn run<T>(seed: u64, arguments: &str, describe: impl Fn() -> String, world: impl FnOnce() -> T) -> T {
    let _tell = TellOnFailure { seed, arguments, describe };
    world()
}

struct TellOnFailure<'a, D: Fn() -> String> {
    seed: u64,
    arguments: &'a str,
    describe: D,
}

impl<D: Fn() -> String> Drop for TellOnFailure<'_, D> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let TellOnFailure { seed, arguments, describe } = self;
            eprintln!("seed {seed}: {}", describe());
            eprintln!("run it alone: TUFFET_SEED={seed} cargo test {arguments}");
        }
    }
}
