//! Reads a command line as GNU `getopt_long` does, which all three servers use.

use crate::error::ImportError;
use crate::location::{Location, Word};
use tuffet_config::closest;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Argument {
    None,
    Required,
    /// Only after `=`, or in the same word as the letter.
    Optional,
}

/// A flag that a server knows: its letter, its long names, and its meaning.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flag<T: 'static> {
    pub(crate) letter: Option<char>,
    pub(crate) names: &'static [&'static str],
    pub(crate) argument: Argument,
    pub(crate) meaning: T,
}

/// A flag that was given.
#[derive(Debug, Clone)]
pub(crate) struct GivenFlag<T> {
    pub(crate) meaning: T,
    pub(crate) argument: Option<String>,
    /// As it was written, with its argument.
    pub(crate) written: String,
    pub(crate) location: Location,
}

impl<T> GivenFlag<T> {
    /// Returns the argument of a flag that requires one.
    pub(crate) fn value(&self) -> &str {
        self.argument.as_deref().unwrap_or_default()
    }

    /// Returns the comment with the source of a key.
    pub(crate) fn origin(&self) -> String {
        format!("{}: {}", self.location, self.written)
    }
}

/// Flags and operands, in the order in which they were given.
type FlagsAndOperands<T> = (Vec<GivenFlag<T>>, Vec<Word>);

pub(crate) fn read<T: Copy>(words: &[Word], flags: &[Flag<T>]) -> Result<FlagsAndOperands<T>, ImportError> {
    let mut reader = Reader { rest: words.iter(), flags, given: Vec::new() };
    let mut operands = Vec::new();
    while let Some(word) = reader.rest.next() {
        match word.text.as_str() {
            "--" => {
                operands.extend(reader.rest.cloned());
                break;
            }
            text if text.starts_with("--") => reader.long(word)?,
            text if text.starts_with('-') && text.len() > 1 => reader.letters(word)?,
            _ => operands.push(word.clone()),
        }
    }
    Ok((reader.given, operands))
}

struct Reader<'a, T: 'static> {
    rest: std::slice::Iter<'a, Word>,
    flags: &'a [Flag<T>],
    given: Vec<GivenFlag<T>>,
}

impl<T: Copy> Reader<'_, T> {
    fn long(&mut self, word: &Word) -> Result<(), ImportError> {
        let text = word.text.trim_start_matches("--");
        let (name, argument) = match text.split_once('=') {
            Some((name, argument)) => (name, Some(argument.to_owned())),
            None => (text, None),
        };
        let flag = self.named(name, word)?;
        if argument.is_some() && flag.argument == Argument::None {
            return Err(ImportError::invalid(&word.location, format!("--{name} takes no argument")));
        }
        self.add(flag, argument, word)
    }

    /// Finds a flag by its name or by an unambiguous prefix of it.
    fn named(&self, name: &str, word: &Word) -> Result<Flag<T>, ImportError> {
        if let Some(flag) = self.flags.iter().find(|flag| flag.names.contains(&name)) {
            return Ok(*flag);
        }
        let begins = |flag: &&Flag<T>| flag.names.iter().any(|known| known.starts_with(name));
        let found: Vec<&Flag<T>> = self.flags.iter().filter(begins).collect();
        match found[..] {
            [flag] => Ok(*flag),
            [] => {
                let names = self.flags.iter().flat_map(|flag| flag.names.iter().copied());
                let like = closest(name, names).map(|like| format!("; did you mean --{like}?"));
                let text = format!("unknown flag --{name}{}", like.unwrap_or_default());
                Err(ImportError::invalid(&word.location, text))
            }
            _ => Err(ImportError::invalid(
                &word.location,
                format!("--{name} is the beginning of several flags"),
            )),
        }
    }

    fn letters(&mut self, word: &Word) -> Result<(), ImportError> {
        let mut letters = word.text.chars();
        letters.next();
        while let Some(letter) = letters.next() {
            let flag = self.flags.iter().find(|flag| flag.letter == Some(letter)).copied();
            let flag =
                flag.ok_or_else(|| ImportError::invalid(&word.location, format!("unknown flag -{letter}")))?;
            let behind = letters.as_str();
            if flag.argument == Argument::None {
                let alone = Word::new(format!("-{letter}"), &word.location);
                self.add(flag, None, &alone)?;
                continue;
            }
            let alone = Word::new(format!("-{letter}{behind}"), &word.location);
            let argument = (!behind.is_empty()).then(|| behind.to_owned());
            return self.add(flag, argument, &alone);
        }
        Ok(())
    }

    /// Adds a flag; an argument that it lacks and requires is the next word.
    fn add(&mut self, flag: Flag<T>, argument: Option<String>, word: &Word) -> Result<(), ImportError> {
        let mut given = GivenFlag {
            meaning: flag.meaning,
            argument,
            written: word.text.clone(),
            location: word.location.clone(),
        };
        if flag.argument == Argument::Required && given.argument.is_none() {
            let next = self.rest.next().ok_or_else(|| {
                ImportError::invalid(&word.location, format!("{} needs an argument", word.text))
            })?;
            given.written = format!("{} {}", word.text, next.text);
            given.argument = Some(next.text.clone());
        }
        self.given.push(given);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAGS: [Flag<u8>; 5] = [
        Flag { letter: Some('l'), names: &["listen"], argument: Argument::None, meaning: 1 },
        Flag { letter: Some('a'), names: &["address"], argument: Argument::Required, meaning: 2 },
        Flag { letter: Some('v'), names: &["verbose"], argument: Argument::Optional, meaning: 3 },
        Flag { letter: None, names: &["verbosity"], argument: Argument::Required, meaning: 4 },
        Flag { letter: Some('B'), names: &["blocksize", "block"], argument: Argument::Required, meaning: 5 },
    ];

    fn words(line: &str) -> Vec<Word> {
        line.split(' ').map(|word| Word::new(word, &Location::CommandLine)).collect()
    }

    fn shown(line: &str) -> Result<String, String> {
        let (given, operands) = read(&words(line), &FLAGS).map_err(|error| error.to_string())?;
        let given =
            given.iter().map(|it| format!("{}={}", it.meaning, it.argument.as_deref().unwrap_or("-")));
        let operands = operands.iter().map(|word| word.text.clone());
        Ok(given.chain(operands).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn flags_in_every_form() {
        let cases = [
            ("-l -a x dir", "1=- 2=x dir"),
            ("-lax dir", "1=- 2=x dir"),
            ("dir -l", "1=- dir"),
            ("-l -- -a x", "1=- -a x"),
            ("--address=x --address y", "2=x 2=y"),
            ("--address= -", "2= -"),
            ("--addr x --block 5 --blocks=6", "2=x 5=5 5=6"),
            ("-vv -v7 -lv", "3=v 3=7 1=- 3=-"),
            ("--verbose=7 --verbose 7", "3=7 3=- 7"),
            ("-a -l", "2=-l"),
        ];
        for (line, expected) in cases {
            assert_eq!(shown(line).as_deref(), Ok(expected), "{line}");
        }
    }

    #[test]
    fn wrong_flags_are_named() {
        let cases = [
            ("-x", "unknown flag -x"),
            ("-lx", "unknown flag -x"),
            ("--nothing=1", "unknown flag --nothing"),
            ("--adress=1", "unknown flag --adress; did you mean --address?"),
            ("--verb", "--verb is the beginning of several flags"),
            ("--listen=1", "--listen takes no argument"),
            ("-l -a", "-a needs an argument"),
            ("--verbosity", "--verbosity needs an argument"),
        ];
        for (line, expected) in cases {
            assert_eq!(shown(line), Err(format!("command line: {expected}")), "{line}");
        }
    }
}
