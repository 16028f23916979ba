//! The command line and the exit codes of every benchmark program.
//!
//! | exit code | |
//! |---|---|
//! | 0 | done, and all results are sound |
//! | 1 | done, but a result is not sound: wrong bytes, a failed transfer, growth, a count out of its bounds |
//! | 2 | the program could not run |
//! | 64 | the arguments are invalid (EX_USAGE) |

use clap::Parser;
use std::fmt::Display;
use std::process::ExitCode;
use std::str::FromStr;

const UNSOUND: u8 = 1;
const BROKEN: u8 = 2;
const USAGE: u8 = 64;

/// The reason why a program did not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The arguments are invalid.
    Usage(String),
    /// A required resource is missing or failed.
    Broken(String),
}

impl Failure {
    /// Creates an error for invalid arguments.
    pub fn usage(error: impl Display) -> Failure {
        Failure::Usage(error.to_string())
    }

    /// Creates an error for a missing or failed resource.
    pub fn broken(error: impl Display) -> Failure {
        Failure::Broken(error.to_string())
    }
}

impl From<String> for Failure {
    fn from(error: String) -> Failure {
        Failure::Broken(error)
    }
}

/// Parses the command line, runs `act`, and turns the result into an exit code; `act` returns whether
/// everything is sound.
pub fn run<A: Parser>(act: impl FnOnce(A) -> Result<bool, Failure>) -> ExitCode {
    let args = match A::try_parse() {
        Ok(args) => args,
        Err(error) => {
            // Help and version go to standard output and are no errors.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { USAGE } else { 0 });
        }
    };
    let (error, code) = match act(args) {
        Ok(sound) => return ExitCode::from(if sound { 0 } else { UNSOUND }),
        Err(Failure::Usage(error)) => (error, USAGE),
        Err(Failure::Broken(error)) => (error, BROKEN),
    };
    eprintln!("{}: {error}", A::command().get_name());
    ExitCode::from(code)
}

/// A fraction between 0 and 1, written as `0.01` or `1%`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Part(pub f64);

impl FromStr for Part {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (number, scale) = text.strip_suffix('%').map_or((text, 1.0), |number| (number, 0.01));
        match number.trim().parse::<f64>() {
            Ok(value) if (0.0..=1.0).contains(&(value * scale)) => Ok(Part(value * scale)),
            _ => Err("not between 0 and 1, nor between 0% and 100%"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_percentages() {
        assert_eq!("0.25".parse(), Ok(Part(0.25)));
        assert_eq!("1%".parse(), Ok(Part(0.01)));
        for bad in ["-1", "1.5", "101%", "x", "", "nan"] {
            assert!(bad.parse::<Part>().is_err(), "{bad}");
        }
    }
}
