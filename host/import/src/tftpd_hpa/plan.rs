//! From a command line of in.tftpd to a configuration.

use super::addresses::{self, Families};
use super::flags::{self, Command, Meaning};
use super::map;
use crate::error::ImportError;
use crate::server::Version;
use crate::target::{Target, put_endless, put_retransmit, put_tid_ports};
use crate::uploads::{self, Identity, UploadKinds, Writability};
use crate::yaml::{Map, Value};
use crate::{folders, names, trees};
use std::path::{Path, PathBuf};

/// The port of the service `tftp`.
const PORT: u16 = 69;

pub(super) fn plan(command: Command, version: Option<Version>) -> Result<Target, ImportError> {
    let windows = version.unwrap_or_else(|| map::guessed(&command)) >= Version::Hpa6;
    let mut plan = Plan { command: &command, names: Vec::new(), windows, target: Target::default() };
    plan.listeners()?;
    plan.roots()?;
    map::plan(&command, &plan.names, version, &mut plan.target)?;
    plan.transfer()?;
    plan.privileges()?;
    plan.rest();
    Ok(plan.target)
}

struct Plan<'a> {
    command: &'a Command,
    /// The names of the roots, in the order of the folders.
    names: Vec<String>,
    /// Whether this version grants windows.
    windows: bool,
    target: Target,
}

impl Plan<'_> {
    fn listeners(&mut self) -> Result<(), ImportError> {
        let command = self.command;
        let families = Families {
            ipv4: !command.has(Meaning::OnlyIpv6) || command.has(Meaning::OnlyIpv4),
            ipv6: !command.has(Meaning::OnlyIpv4) || command.has(Meaning::OnlyIpv6),
        };
        let location = command.given.first().map(|given| given.location.clone());
        let location = location.or_else(|| command.folders.first().map(|folder| folder.location.clone()));
        let location = location.unwrap_or(super::Location::CommandLine);
        let port = match command.last(Meaning::Service) {
            Some(given) => addresses::service(given.value())
                .map_err(|text| ImportError::invalid(&given.location, text))?,
            None => PORT,
        };
        let mut ports = Vec::new();
        if let Some(given) = command.last(Meaning::PortRange) {
            let (first, last) = flags::ports(given)?;
            ports.push(((first, last), given.origin()));
            self.target.limit_workers(first, last);
        }
        let is_daemon = command.has(Meaning::Listen);
        if !is_daemon {
            self.target.differs(
                &location,
                "without --listen, inetd or systemd holds the port and starts in.tftpd; Tuffet listens by itself: \
                 disable the line in /etc/inetd.conf or the socket unit",
            );
        }
        // Version 5.2 uses the last address, 6.0 all of them.
        let mut wanted: Vec<_> = command.all(Meaning::Address).filter(|_| is_daemon).collect();
        if wanted.is_empty() {
            self.addresses("", port, families, &location, Vec::new(), &ports)?;
        }
        wanted.dedup_by(|one, other| one.argument == other.argument);
        for given in wanted {
            self.addresses(given.value(), port, families, &given.location, vec![given.origin()], &ports)?;
        }
        Ok(())
    }

    fn addresses(
        &mut self,
        text: &str,
        port: u16,
        families: Families,
        location: &super::Location,
        mut comments: Vec<String>,
        ports: &[((u16, u16), String)],
    ) -> Result<(), ImportError> {
        let found = addresses::parse(text, port, families, location)?;
        if found.by_name {
            let text = format!("{text}: host names are resolved by the import, not by Tuffet at each start");
            comments.push(self.target.report.differs(location, text));
        }
        let is_any = found.list.iter().any(|it| it.ip().is_unspecified() && it.is_ipv4());
        for address in found.list {
            if address.ip().is_unspecified() && address.is_ipv6() && is_any && !has_ipv6() {
                comments.push("This system has no IPv6: no listener on [::].".to_owned());
                self.target.listening.append(&mut comments);
                continue;
            }
            let mut listener = Map::default();
            listener.put("address", Value::text(address.to_string()), comments.drain(..));
            for (range, origin) in ports {
                put_tid_ports(&mut listener, *range, origin.clone());
            }
            self.target.listeners.push(listener);
        }
        Ok(())
    }

    fn roots(&mut self) -> Result<(), ImportError> {
        let command = self.command;
        let secure = command.last(Meaning::Secure);
        match (secure, &command.folders[..]) {
            (Some(secure), []) => {
                return Err(ImportError::invalid(
                    &secure.location,
                    format!("{} needs a folder", secure.written),
                ));
            }
            (Some(secure), [_, _, ..]) => {
                let text = format!("{} allows one folder only", secure.written);
                return Err(ImportError::invalid(&secure.location, text));
            }
            (None, []) => {
                let location = command
                    .given
                    .first()
                    .map_or(super::Location::CommandLine, |given| given.location.clone());
                return Err(ImportError::impossible(
                    &location,
                    "without a folder, in.tftpd serves every file of this system that others may read; \
                     name the folders that it is to serve",
                ));
            }
            _ => {}
        }
        let folders: Vec<(PathBuf, &super::Word)> = command
            .folders
            .iter()
            .map(|word| Ok((self.behind_prefix(folders::absolute(word)?), word)))
            .collect::<Result<_, ImportError>>()?;
        let names = folders::names(folders.iter().map(|(folder, _)| folder.as_path()));
        for ((folder, word), name) in folders.iter().zip(&names) {
            let mut root = Map::default();
            root.put("name", Value::text(name), []);
            let mut comments = vec![format!("{}: {}", word.location, word.text)];
            comments.extend(secure.map(|secure| secure.origin()));
            comments.extend(command.last(Meaning::PathPrefix).map(|given| given.origin()));
            if secure.is_none() {
                let text = format!(
                    "without --secure, in.tftpd compares names with the text {0}: it also serves {0}-other/x. Tuffet \
                     serves the folder alone",
                    word.text
                );
                comments.push(self.target.report.differs(&word.location, text));
            }
            comments.extend(folders::comment_if_missing(folder, &word.location, &mut self.target.report));
            root.put("path", Value::text(folder.display().to_string()), comments);
            folders::put_follow(&mut root, folder, "in.tftpd");
            self.permissions(&mut root, folder, word)?;
            self.target.roots.push(root);
            trees::allow_links(folder, secure.is_some(), &word.location, &mut self.target);
            names::report_names(folder, true, &word.location, &mut self.target);
        }
        self.names = names;
        Ok(())
    }

    /// Returns the path of a folder: `--path-prefix` is prepended to folders, not to requested names.
    fn behind_prefix(&self, folder: PathBuf) -> PathBuf {
        match self.command.last(Meaning::PathPrefix) {
            Some(given) => Path::new(given.value()).join(folder.strip_prefix("/").unwrap_or(&folder)),
            None => folder,
        }
    }

    /// Sets the keys of a root for reading and writing.
    fn permissions(&mut self, root: &mut Map, folder: &Path, word: &super::Word) -> Result<(), ImportError> {
        let command = self.command;
        let permissive = command.last(Meaning::Permissive);
        let create = command.last(Meaning::Create);
        if permissive.is_none() {
            let why = "Without --permissive: only files that others may read, and write.".to_owned();
            root.put("world-readable", Value::plain(true), [why]);
        }
        let largest = command.last(Meaning::MaxUpload);
        let bytes = largest.map(|given| flags::number(given, 0, u64::MAX)).transpose()?;
        let refusing = command.last(Meaning::ReadOnly).or(largest.filter(|_| bytes == Some(0)));
        if let Some(refusing) = refusing {
            root.put("writable", Value::plain(false), [refusing.origin()]);
            return Ok(());
        }
        let identity = Identity::of(self.user(), None);
        let kinds = UploadKinds { new_files: create.is_some(), world_writable: permissive.is_none() };
        let found = uploads::find_writable(folder, identity.as_ref(), kinds);
        if found == Writability::Nothing {
            let text = format!(
                "the user {} can upload nothing below {} today, so it is read-only here; refused uploads get ERROR 2, \
                 also for missing files",
                self.user(),
                folder.display()
            );
            let comment = self.target.report.differs(&word.location, text);
            let origin = create.map(|create| create.origin());
            root.put("writable", Value::plain(false), origin.into_iter().chain([comment]));
            return Ok(());
        }
        let comments = create.map(|create| create.origin());
        uploads::put(root, &found, comments, self.user());
        match (largest, bytes) {
            (Some(given), Some(bytes)) => root.put("max-upload", Value::plain(bytes), [given.origin()]),
            _ => uploads::put_unlimited(root, "in.tftpd"),
        }
        if create.is_none() {
            let why = "Without --create: only existing files.".to_owned();
            root.below("write").put("create", Value::plain(false), [why]);
            let has_example = matches!(&found, Writability::Writable(found) if found.in_place.is_some());
            if !has_example && !folder_is_writable(folder, identity.as_ref()) {
                // For files that are prepared later.
                uploads::put_in_place(root, folder, self.user());
            }
            return Ok(());
        }
        let given = command.last(Meaning::Umask);
        let mask = given.map(flags::umask).transpose()?.or(permissive.is_none().then_some(0));
        if let Some(mask) = mask {
            let why = given.map_or("Without --umask and --permissive.".to_owned(), |given| given.origin());
            root.below("write").put("umask", Value::plain(format!("\"{mask:03o}\"")), [why]);
        }
        Ok(())
    }

    fn user(&self) -> &str {
        self.command.last(Meaning::User).map_or("nobody", |given| given.value())
    }

    fn transfer(&mut self) -> Result<(), ImportError> {
        let command = self.command;
        let transfer = &mut self.target.transfer;
        if let Some(given) = command.last(Meaning::Blocksize) {
            let mut comments = vec![given.origin()];
            let size = match given.value().strip_prefix("mtu") {
                None => Value::plain(flags::number(given, 512, 65_464)?),
                Some(slack) => {
                    if !slack.is_empty() {
                        let text = format!("{}: `auto` is the whole MTU of the route", given.written);
                        comments.push(self.target.report.differs(&given.location, text));
                    }
                    Value::plain("auto")
                }
            };
            transfer.put("max-blksize", size, comments);
        }
        if let Some(given) = command.last(Meaning::WindowSize) {
            let size = flags::number(given, 1, 65_535)?;
            // A larger window than Tuffet's largest is no difference to a client: it may get less than it asked for.
            transfer.put("max-windowsize", Value::plain(size.min(32_767)), [given.origin()]);
        } else if self.windows {
            let why = "The default of in.tftpd from 6.0 on; without this line, 64.".to_owned();
            transfer.put("max-windowsize", Value::plain(256), [why]);
        }
        put_endless(transfer, "in.tftpd");
        self.options()?;
        if let Some(given) = command.last(Meaning::Retransmit) {
            let microseconds = flags::number(given, 10_000, 255_000_000)?;
            // The default is no statement about the network.
            if microseconds != 1_000_000 {
                // It doubles the time five times, and gives up after the last one.
                let (milliseconds, times) = (microseconds.div_ceil(1000), 63);
                put_retransmit(&mut self.target.transfer, milliseconds, times, given.origin());
            }
        }
        Ok(())
    }

    /// Sets which options are acknowledged: those of in.tftpd, except the refused ones.
    fn options(&mut self) -> Result<(), ImportError> {
        let mut own = vec!["rollover", "blksize2", "utimeout"];
        let mut options = Map::default();
        if let Some(given) = self.command.last(Meaning::RefuseAll) {
            own.clear();
            for option in ["blksize", "tsize", "timeout", "windowsize"] {
                options.put(option, Value::text("refuse"), [given.origin()]);
            }
        }
        if !self.windows {
            let why =
                "in.tftpd before 6.0 ignores it. Without this line, clients that ask for windows get them.";
            options.put("windowsize", Value::text("refuse"), [why.to_owned()]);
        }
        for given in self.command.all(Meaning::Refuse) {
            let option = given.value().to_ascii_lowercase();
            match option.as_str() {
                "blksize" | "tsize" | "timeout" | "windowsize" => {
                    options.put(&option, Value::text("refuse"), [given.origin()]);
                }
                // Refused unless they are written.
                option if own.contains(&option) => own.retain(|other| *other != option),
                "rollover" | "blksize2" | "utimeout" => {}
                _ => {
                    return Err(ImportError::invalid(
                        &given.location,
                        format!("{}: unknown option", given.written),
                    ));
                }
            }
        }
        for (number, option) in own.into_iter().enumerate() {
            let why = (number == 0).then(|| "Options that only in.tftpd knows.".to_owned());
            options.put(option, Value::text("acknowledge"), why);
        }
        if !options.is_empty() {
            self.target.transfer.put("options", Value::Map(options), []);
        }
        Ok(())
    }

    fn privileges(&mut self) -> Result<(), ImportError> {
        let given = self.command.last(Meaning::User);
        let is_name = |text: &str| !text.starts_with('-') && !text.contains([' ', '\t', ':', '/']);
        if let Some(given) = given.filter(|given| !is_name(given.value())) {
            let text = format!("{}: this cannot be the name of a user", given.written);
            return Err(ImportError::invalid(&given.location, text));
        }
        let mut comments: Vec<String> = given.map(|given| given.origin()).into_iter().collect();
        if let Some(given) = given.filter(|given| ["root", "0"].contains(&given.value())) {
            let text = "--user root: Tuffet stays root, but without its capabilities: it reads and writes files of \
                        others only as their permissions allow";
            comments.push(self.target.report.differs(&given.location, text));
        }
        self.target.privileges.put("user", Value::text(self.user()), comments);
        Ok(())
    }

    /// Reports the flags that correspond to no key.
    fn rest(&mut self) {
        let command = self.command;
        if let Some(given) = command.last(Meaning::PidFile) {
            let text = format!(
                "{}: Tuffet writes no pid file; `tuffet status` and `tuffet reload` find the server by its control \
                 socket",
                given.written
            );
            self.target.differs(&given.location, text);
        }
        if let Some(given) = command.last(Meaning::WindowBytes) {
            let text = format!("{}: windows are bounded in blocks (transfer.max-windowsize)", given.written);
            self.target.differs(&given.location, text);
        }
        let secure = command.has(Meaning::Secure);
        if let Some(given) = command.last(Meaning::Validate).filter(|_| secure) {
            let text = format!(
                "{}: names need not begin with a slash; those with `..` or control characters are refused, too",
                given.written
            );
            self.target.differs(&given.location, text);
        }
        let normalizes = |given: &&flags::GivenFlag| given.argument.as_deref() != Some("none");
        if let Some(given) = command.last(Meaning::Normalize).filter(normalizes).filter(|_| !secure) {
            let text = format!(
                "{}: names that begin with no slash are refused, because they lie below none of the folders; name the \
                 folder with --jail instead",
                given.written
            );
            self.target.missing(&given.location, text);
        }
        if let Some(given) = command.last(Meaning::Verbosity) {
            let text = format!(
                "{}: Tuffet logs every request when it has ended, to standard error; `log` has the level (`level`) and \
                 where the lines go (`to`)",
                given.written
            );
            self.target.differs(&given.location, text);
        }
    }
}

fn folder_is_writable(folder: &Path, identity: Option<&Identity>) -> bool {
    match (folder.metadata(), identity) {
        (Ok(found), Some(identity)) => identity.may_write(&found),
        // `tuffet check` will report it.
        _ => true,
    }
}

/// Whether this system has IPv6.
fn has_ipv6() -> bool {
    Path::new("/proc/net/if_inet6").exists()
}
