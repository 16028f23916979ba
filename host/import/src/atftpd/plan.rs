//! From a command line of atftpd to a configuration.

use super::flags::{self, Command, Meaning};
use super::multicast;
use crate::error::ImportError;
use crate::location::{Location, Word};
use crate::target::{Target, put_endless, put_retransmit};
use crate::uploads::{self, Identity, UploadKinds, Writability};
use crate::yaml::{Map, Value};
use crate::{folders, map_file, names, source, trees};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

/// The folder without an operand.
const FOLDER: &str = "/tftpboot";

pub(super) fn plan(command: &Command) -> Result<Target, ImportError> {
    let mut target = Target::default();
    listener(command, &mut target)?;
    let name = root(command, &mut target)?;
    pcre(command, &name, &mut target)?;
    options(command, &mut target)?;
    put_endless(&mut target.transfer, "atftpd");
    multicast::section(command, &mut target)?;
    privileges(command, &mut target);
    rest(command, &mut target);
    Ok(target)
}

fn listener(command: &Command, target: &mut Target) -> Result<(), ImportError> {
    let mut comments = Vec::new();
    let mut port = 69;
    if let Some(given) = command.last(Meaning::Port) {
        comments.push(given.origin());
        port = u16::try_from(flags::number(given, 1, 65_535)?).unwrap_or(port);
    }
    // Without an address it listens on IPv4 alone.
    let mut address: IpAddr = Ipv4Addr::UNSPECIFIED.into();
    if let Some(given) = command.last(Meaning::BindAddress) {
        comments.push(given.origin());
        address = given.value().parse().map_err(|_| {
            ImportError::invalid(&given.location, format!("{}: expected an IP address", given.written))
        })?;
    }
    if command.last(Meaning::Daemon).is_none() {
        let text = "without --daemon, inetd or systemd holds the port and starts atftpd; Tuffet listens by itself: \
                    disable the line in /etc/inetd.conf or the unit atftpd.socket";
        target.differs(&location(command), text);
    }
    let mut listener = Map::default();
    listener.put("address", Value::text(SocketAddr::new(address, port).to_string()), comments);
    target.listeners.push(listener);
    Ok(())
}

/// Returns the place of the command line.
fn location(command: &Command) -> Location {
    let first = command.given.first().map(|given| &given.location);
    first.or(command.folder.as_ref().map(|word| &word.location)).cloned().unwrap_or(Location::CommandLine)
}

/// Returns the served folder, as it is written and as it is.
fn folder(command: &Command) -> Result<(Word, PathBuf), ImportError> {
    let word = command.folder.clone().unwrap_or_else(|| Word::new(FOLDER, &location(command)));
    let folder = folders::absolute(&word)?;
    Ok((word, folder))
}

/// Returns the name of the root.
fn root(command: &Command, target: &mut Target) -> Result<String, ImportError> {
    let (word, folder) = folder(command)?;
    let path = folder.display().to_string();
    let mut root = Map::default();
    let name = folders::names([folder.as_path()].into_iter()).remove(0);
    root.put("name", Value::text(&name), []);
    let mut comments = vec![format!("{}: {}", word.location, word.text)];
    comments.extend(folders::comment_if_missing(&folder, &word.location, &mut target.report));
    root.put("path", Value::text(&path), comments);
    let why = format!("Names may begin with {path}, as for atftpd.");
    root.put("also-at", Value::texts([&path]), [why]);
    folders::put_follow(&mut root, &folder, "atftpd");
    let (user, group, _) = identity(command);
    let identity = Identity::of(&user, group.as_deref());
    let kinds = UploadKinds { new_files: true, world_writable: false };
    let found = uploads::find_writable(&folder, identity.as_ref(), kinds);
    if found == Writability::Nothing {
        let text = format!(
            "the user {user} can upload nothing below {path} today, so it is read-only here; chown it and set \
             `writable: true`, `overwrite: true` to allow uploads"
        );
        root.put("writable", Value::plain(false), [target.report.differs(&word.location, text)]);
    } else {
        let why = "atftpd accepts uploads wherever its user may write.".to_owned();
        uploads::put(&mut root, &found, [why], &user);
        uploads::put_unlimited(&mut root, "atftpd");
    }
    target.roots.push(root);
    trees::allow_links(&folder, false, &word.location, target);
    names::report_names(&folder, true, &word.location, target);
    Ok(name)
}

/// Returns user, group, and the comments about them.
fn identity(command: &Command) -> (String, Option<String>, Vec<String>) {
    let (mut user, mut group, mut comments) = ("nobody".to_owned(), None, Vec::new());
    // The last of `--user USER.GROUP` and `--group` decides about the group.
    for given in &command.given {
        match given.meaning {
            Meaning::User => {
                let (name, of_user) = match given.value().split_once('.') {
                    Some((name, group)) => (name, Some(group.to_owned())),
                    None => (given.value(), None),
                };
                user = name.to_owned();
                group = of_user.or(group);
                comments.push(given.origin());
            }
            Meaning::Group => {
                group = Some(given.value().to_owned());
                comments.push(given.origin());
            }
            _ => {}
        }
    }
    (user, group, comments)
}

fn privileges(command: &Command, target: &mut Target) {
    let (user, group, comments) = identity(command);
    target.privileges.put("user", Value::text(user), comments);
    if let Some(group) = group {
        target.privileges.put("group", Value::text(group), []);
    }
}

fn pcre(command: &Command, root: &str, target: &mut Target) -> Result<(), ImportError> {
    let Some(given) = command.last(Meaning::Pcre) else { return Ok(()) };
    let text = source::read(Path::new(given.value()))
        .map_err(|error| ImportError::invalid(&given.location, format!("pattern file {error}")))?;
    target.remap.settings.put("root", Value::text(root), []);
    target.remap.settings.put("dialect", Value::text("atftpd"), []);
    let rereads = (&given.location, "atftpd reads it when it starts");
    map_file::put(Path::new(given.value()), text, vec![given.origin()], rereads, target);
    let mut below = Map::default();
    below.put("path", Value::text(folder(command)?.1.display().to_string()), []);
    target.remap.settings.put("also-at", Value::List(vec![below]), []);
    Ok(())
}

fn options(command: &Command, target: &mut Target) -> Result<(), ImportError> {
    for given in &command.given {
        match given.meaning {
            Meaning::NoOption(option) => {
                target.transfer.below("options").put(option, Value::text("refuse"), [given.origin()]);
            }
            Meaning::RetryTimeout => {
                let seconds = flags::number(given, 1, 3600)?;
                // The default is no statement about the network.
                if seconds != 5 {
                    // It sends a packet six times.
                    put_retransmit(&mut target.transfer, seconds * 1000, 6, given.origin());
                }
            }
            Meaning::MaxThread => {
                let most = flags::number(given, 1, 10_000_000)?;
                let more =
                    "Tuffet needs no thread for a transfer: without this line it serves 20,000.".to_owned();
                target.limits.put("transfers", Value::plain(most), [given.origin(), more]);
            }
            _ => {}
        }
    }
    Ok(())
}

/// Reports the flags that correspond to no key.
fn rest(command: &Command, target: &mut Target) {
    for given in &command.given {
        let written = &given.written;
        match given.meaning {
            Meaning::Mtftp => {
                target.missing(
                    &given.location,
                    format!("{written}: Tuffet has no MTFTP, the protocol of old PXE ROMs"),
                );
            }
            Meaning::NoSourcePortChecking => {
                let text = format!(
                    "{written}: Tuffet ignores packets from another port than the client's; behind NAT, set \
                     `single-port: true` at the listener"
                );
                target.missing(&given.location, text);
            }
            Meaning::PidFile => {
                let text = format!(
                    "{written}: Tuffet writes no pid file; `tuffet status` and `tuffet reload` find the server by its \
                     control socket"
                );
                target.differs(&given.location, text);
            }
            Meaning::Logging => {
                let text = format!(
                    "{written}: Tuffet logs to standard error; `log` has the level (`level`) and where the lines go (`to`)"
                );
                target.differs(&given.location, text);
            }
            _ => {}
        }
    }
}
