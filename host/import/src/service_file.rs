//! Reads the flags of a server from a file that starts it: a unit of systemd, inetd.conf, or a file of xinetd.d.

use crate::error::ImportError;
use crate::location::{Location, Word};
use std::path::Path;

/// Returns the flags of the server, one of these programs; `None` if the file is of none of these kinds.
///
/// # Errors
/// The file starts something else, or its flags are in another file.
pub(crate) fn flags(path: &Path, text: &str, programs: &[&str]) -> Result<Option<Vec<Word>>, ImportError> {
    let file = Location::file(path);
    let lines = joined(text);
    let Some(words) = unit(&lines, &file)?.or_else(|| xinetd(&lines, &file)).or_else(|| inetd(&lines, &file))
    else {
        return Ok(None);
    };
    let Some((first, rest)) = words.split_first() else {
        return Err(ImportError::invalid(&file, "the server has no command line here"));
    };
    if !programs.contains(&file_name(&first.text)) {
        let text = format!("this starts {}, which is not {}", first.text, programs[0]);
        return Err(ImportError::invalid(&first.location, text));
    }
    match rest.iter().find(|word| word.text.contains('$')) {
        Some(word) => {
            let text = format!(
                "{}: the value of a variable is elsewhere, such as in the file of EnvironmentFile=; import that file, or \
                 give the flags on the command line",
                word.text
            );
            Err(ImportError::invalid(&word.location, text))
        }
        None => Ok(Some(rest.to_vec())),
    }
}

fn file_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// Returns the lines with their numbers, each with those that continue it.
fn joined(text: &str) -> Vec<(usize, String)> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    let mut continues = false;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.starts_with(['#', ';']) {
            continue;
        }
        let part = line.strip_suffix('\\');
        match lines.last_mut().filter(|_| continues) {
            Some((_, before)) => before.extend([" ", part.unwrap_or(line)]),
            None => lines.push((number, part.unwrap_or(line).to_owned())),
        }
        continues = part.is_some();
    }
    lines
}

/// The last `ExecStart=` of a unit counts; the file has none if it is no unit.
fn unit(lines: &[(usize, String)], file: &Location) -> Result<Option<Vec<Word>>, ImportError> {
    let started = lines.iter().rev().find_map(|(number, line)| {
        let (name, command) = line.split_once('=')?;
        (name.trim() == "ExecStart" && !command.trim().is_empty()).then(|| (*number, command.trim()))
    });
    let Some((number, command)) = started else { return Ok(None) };
    let location = file.line(number);
    // systemd.service(5): prefixes of the program.
    quoted_words(command.trim_start_matches(['-', '@', ':', '+', '!']), &location).map(Some)
}

/// Splits at white space outside of quotes.
fn quoted_words(command: &str, location: &Location) -> Result<Vec<Word>, ImportError> {
    let mut words = Vec::new();
    let (mut word, mut quote, mut begun) = (String::new(), None, false);
    for letter in command.chars() {
        match quote {
            Some(open) if letter == open => quote = None,
            None if letter == '"' || letter == '\'' => (quote, begun) = (Some(letter), true),
            None if letter.is_whitespace() => {
                if std::mem::take(&mut begun) {
                    words.push(Word::new(std::mem::take(&mut word), location));
                }
            }
            _ => {
                word.push(letter);
                begun = true;
            }
        }
    }
    if quote.is_some() {
        return Err(ImportError::invalid(location, "a quote is not closed"));
    }
    words.extend(begun.then(|| Word::new(word, location)));
    Ok(words)
}

/// `service tftp { server = PROGRAM, server_args = FLAGS }`.
fn xinetd(lines: &[(usize, String)], file: &Location) -> Option<Vec<Word>> {
    let is_service = |line: &str| {
        let mut words = line.split_whitespace();
        words.next() == Some("service") && words.next() == Some("tftp")
    };
    let start = lines.iter().position(|(_, line)| is_service(line))?;
    let block = lines[start..].iter().take_while(|(_, line)| !line.starts_with('}'));
    let (mut program, mut flags) = (None, Vec::new());
    for (number, line) in block {
        let Some((name, value)) = line.split_once('=') else { continue };
        let words = || value.split_whitespace().map(|word| Word::new(word, &file.line(*number)));
        match name.trim().trim_end_matches('+').trim() {
            "server" => program = words().next(),
            "server_args" => flags.extend(words()),
            _ => {}
        }
    }
    Some(program.into_iter().chain(flags).collect())
}

/// `tftp dgram udp wait root PROGRAM ARGUMENTS`, whose first argument is the name of the program; with tcpd, the program
/// itself.
fn inetd(lines: &[(usize, String)], file: &Location) -> Option<Vec<Word>> {
    lines.iter().find_map(|(number, line)| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let service = words.first()?.rsplit(':').next()?;
        if !["tftp", "69"].contains(&service) || words.get(1) != Some(&"dgram") {
            return None;
        }
        let arguments = words.get(6..).unwrap_or_default();
        Some(arguments.iter().map(|word| Word::new(*word, &file.line(*number))).collect())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Option<String>, String> {
        let read =
            flags(Path::new("file"), text, &["in.tftpd", "tftpd"]).map_err(|error| error.to_string())?;
        Ok(read.map(|words| {
            let shown = words.iter().map(|word| format!("{}@{}", word.text, word.location));
            shown.collect::<Vec<_>>().join(" ")
        }))
    }

    #[test]
    fn flags_of_every_kind_of_file() {
        let cases = [
            (
                "[Service]\nExecStart=/usr/sbin/in.tftpd -L \\\n  -s \"/srv/t x\"\n",
                Some("-L@file:2 -s@file:2 /srv/t x@file:2"),
            ),
            ("ExecStart=\nExecStart=-/bin/in.tftpd -l\nExecStartPre=/bin/true", Some("-l@file:2")),
            (
                "# tftp\ntftp dgram udp wait root /usr/sbin/in.tftpd in.tftpd -s /x",
                Some("-s@file:2 /x@file:2"),
            ),
            (
                "*:tftp dgram udp4 wait root /usr/sbin/tcpd /usr/sbin/in.tftpd -s /x",
                Some("-s@file:1 /x@file:1"),
            ),
            (
                "service other\n{\n server_args = -x\n}\nservice tftp\n{\n server = /usr/sbin/in.tftpd\n server_args = -c\n \
                 server_args += -s /x\n disable = no\n}\n",
                Some("-c@file:8 -s@file:9 /x@file:9"),
            ),
            ("TFTP_OPTIONS=\"-s\"\n", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text), Ok(expected.map(str::to_owned)), "{text}");
        }
    }

    #[test]
    fn what_is_elsewhere_or_another_server_is_named() {
        let cases = [
            (
                "ExecStart=/usr/sbin/in.tftpd $OPTIONS",
                "file:1: $OPTIONS: the value of a variable is elsewhere",
            ),
            (
                "ExecStart=/usr/sbin/atftpd --daemon",
                "file:1: this starts /usr/sbin/atftpd, which is not in.tftpd",
            ),
            ("ExecStart=/usr/sbin/in.tftpd 'x", "file:1: a quote is not closed"),
            ("tftp dgram udp wait root", "file: the server has no command line here"),
        ];
        for (text, expected) in cases {
            let error = read(text).expect_err(text);
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
