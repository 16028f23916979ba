//! The flags of in.tftpd, up to version 7.3.

use crate::error::ImportError;
use crate::getopt::{self, Argument, Flag};
use crate::location::Word;

/// A flag that was given.
pub(super) type GivenFlag = getopt::GivenFlag<Meaning>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Listen,
    Address,
    Service,
    OnlyIpv4,
    OnlyIpv6,
    /// `--secure`, and `--jail` of 7.0: names are below one folder.
    Secure,
    Validate,
    PathPrefix,
    Normalize,
    Create,
    ReadOnly,
    MaxUpload,
    Permissive,
    User,
    Umask,
    PidFile,
    InetdTimeout,
    Retransmit,
    Map,
    MapSteps,
    Verbosity,
    Refuse,
    RefuseAll,
    Blocksize,
    WindowSize,
    WindowBytes,
    PortRange,
    /// Ends without serving.
    NoServer,
}

const fn flag(
    letter: Option<char>,
    names: &'static [&'static str],
    argument: Argument,
    meaning: Meaning,
) -> Flag<Meaning> {
    Flag { letter, names, argument, meaning }
}

const FLAGS: &[Flag<Meaning>] = {
    use Argument::{None as Alone, Optional, Required};
    use Meaning::*;
    &[
        flag(Some('4'), &["ipv4"], Alone, OnlyIpv4),
        flag(Some('6'), &["ipv6"], Alone, OnlyIpv6),
        flag(Some('l'), &["listen"], Alone, Listen),
        flag(Some('L'), &["foreground"], Alone, Listen),
        flag(None, &["systemd"], Alone, Listen),
        flag(Some('a'), &["address"], Required, Address),
        flag(Some('S'), &["service", "port"], Required, Service),
        flag(Some('s'), &["secure", "chroot"], Alone, Secure),
        flag(Some('j'), &["jail"], Alone, Secure),
        flag(None, &["validate"], Alone, Validate),
        flag(None, &["path-prefix"], Required, PathPrefix),
        flag(None, &["normalize"], Optional, Normalize),
        flag(Some('c'), &["create"], Alone, Create),
        flag(None, &["read-only", "ro"], Alone, ReadOnly),
        flag(None, &["max-upload", "max-size"], Required, MaxUpload),
        flag(Some('p'), &["permissive"], Alone, Permissive),
        flag(Some('u'), &["user"], Required, User),
        flag(Some('U'), &["umask"], Required, Umask),
        flag(Some('P'), &["pidfile"], Required, PidFile),
        flag(Some('t'), &["timeout"], Required, InetdTimeout),
        flag(Some('T'), &["retransmit"], Required, Retransmit),
        flag(Some('m'), &["map-file"], Required, Map),
        flag(None, &["map-steps"], Required, MapSteps),
        flag(None, &["map-test"], Required, NoServer),
        flag(Some('v'), &["verbose"], Alone, Verbosity),
        flag(None, &["verbosity"], Required, Verbosity),
        flag(None, &["stderr"], Optional, Verbosity),
        flag(None, &["stdout"], Optional, Verbosity),
        flag(None, &["syslog"], Alone, Verbosity),
        flag(None, &["logfile"], Required, Verbosity),
        flag(None, &["logformat"], Required, Verbosity),
        flag(Some('V'), &["version"], Alone, NoServer),
        flag(Some('r'), &["refuse", "reject"], Required, Refuse),
        flag(None, &["refuse-all", "reject-all"], Alone, RefuseAll),
        flag(Some('B'), &["blocksize"], Required, Blocksize),
        flag(Some('W'), &["windowsize"], Required, WindowSize),
        flag(None, &["window-bytes"], Required, WindowBytes),
        flag(Some('R'), &["port-range", "ports"], Required, PortRange),
    ]
};

/// A command line of in.tftpd.
#[derive(Debug)]
pub(super) struct Command {
    pub(super) given: Vec<GivenFlag>,
    pub(super) folders: Vec<Word>,
}

impl Command {
    /// Returns the flag that counts: the last one.
    pub(super) fn last(&self, meaning: Meaning) -> Option<&GivenFlag> {
        self.given.iter().rfind(|given| given.meaning == meaning)
    }

    pub(super) fn all(&self, meaning: Meaning) -> impl Iterator<Item = &GivenFlag> {
        self.given.iter().filter(move |given| given.meaning == meaning)
    }

    pub(super) fn has(&self, meaning: Meaning) -> bool {
        self.last(meaning).is_some()
    }
}

pub(super) fn read(words: &[Word]) -> Result<Command, ImportError> {
    let (given, folders) = getopt::read(words, FLAGS)?;
    match given.iter().find(|given| given.meaning == Meaning::NoServer) {
        Some(it) => Err(ImportError::invalid(&it.location, format!("{} serves nothing", it.written))),
        None => Ok(Command { given, folders }),
    }
}

/// Reads a number within bounds.
pub(super) fn number(given: &GivenFlag, least: u64, most: u64) -> Result<u64, ImportError> {
    let number = given.value().parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| {
        ImportError::invalid(
            &given.location,
            format!("{}: expected a number from {least} to {most}", given.written),
        )
    })
}

/// Reads a umask as C does: octal with a leading 0, hexadecimal with 0x, else decimal.
pub(super) fn umask(given: &GivenFlag) -> Result<u32, ImportError> {
    let text = given.value();
    let (digits, radix) = match text.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None if text.starts_with('0') => (text, 8),
        None => (text, 10),
    };
    let number = u32::from_str_radix(digits, radix).ok().filter(|number| *number <= 0o777);
    number.ok_or_else(|| {
        ImportError::invalid(
            &given.location,
            format!("{}: expected an octal number from 0 to 0777", given.written),
        )
    })
}

/// Reads a range of ports.
pub(super) fn ports(given: &GivenFlag) -> Result<(u16, u16), ImportError> {
    let pair = given
        .value()
        .split_once(':')
        .and_then(|(first, last)| Some((first.parse().ok()?, last.parse().ok()?)));
    let pair = pair.filter(|(first, last): &(u16, u16)| *first > 0 && first <= last);
    pair.ok_or_else(|| {
        ImportError::invalid(&given.location, format!("{}: expected FIRST:LAST, two ports", given.written))
    })
}
